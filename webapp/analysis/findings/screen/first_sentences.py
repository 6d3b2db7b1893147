"""The first sentences of the overview: what the texts are about, when, and what changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from webapp.analysis.findings import sentences
from webapp.analysis.findings.families_by_group import Mixes
from webapp.analysis.findings.kinds import Item
from webapp.analysis.findings.kinds.change import ChangeItem
from webapp.analysis.findings.phrasing import SentencePart
from webapp.analysis.findings.river import River
from webapp.analysis.findings.screen.family_lines import largest_named, sum_shares
from webapp.analysis.findings.sentences import briefly
from webapp.analysis.findings.shapes import FindingHtml
from webapp.core.results.links import TopicLink
from webapp.core.results.view import RunView

LEADING = 3  # families of the first sentence
MOST = 0.5  # of the words: a time, or a group, is “mostly” about a family that has more
# Of the words: how far a family moves, from the first third of the time to the last, that it is
# told. Beside a leader that never changes, less is not seen in the river
MOVED = 0.1
THIRDS = 3  # parts of the time, of which each has a largest family
# Behind the name of a family in a sentence that says how much it has: without it the topics that it
# is called by are read as all of it
AND_OTHERS = " and others"
LARGE_FAMILY = 0.1  # of the words: families that the sentence about the mixture counts


@dataclass(frozen=True)
class Named:
    """A family in a sentence."""

    name: str
    url: str
    hue: int


@dataclass(frozen=True)
class Short:
    """One of the first sentences. label: what it answers."""

    label: str
    parts: list[SentencePart | Named]


def first_sentences(
    families: list[FindingHtml],
    changes: list[FindingHtml],
    marks: list[FindingHtml],
    river: River | None,
    family_mixes: Mixes | None,
    general: float,
    shares: dict[int, np.ndarray],
    largest_topics: list[TopicLink],
) -> list[Short]:
    """The first sentences of the page, none where there is no family. river, family_mixes: the
    picture of the families, by time or by groups; general: the share of general talk; shares: of
    each topic, in each bin of the river; largest_topics: of the largest families."""
    if not families:
        return []
    short_sentences = [Short("About", _about(families))]
    if river is not None:
        short_sentences.append(Short(name_years(river), _say_thirds(families, river, shares)))
        if changes:  # where there are none, “What changed” says why
            short_sentences.append(say_clearest(changes))
        return short_sentences
    if family_mixes is not None:
        label = "Periods" if family_mixes.in_time else "Groups"
        leading = _leading(family_mixes, families)
        if leading:
            short_sentences.append(Short(label, leading))
    else:
        short_sentences.append(Short("Largest topics", join_topics(largest_topics)))
    if marks:
        short_sentences.append(Short("Clearest difference", [*marks[0].parts, "."]))
    elif changes:
        short_sentences.append(say_clearest(changes))
    else:
        short_sentences.append(Short("How mixed", _how_mixed(families, general)))
    return short_sentences


def _name_family(row: FindingHtml) -> list[SentencePart | Named]:
    """A family's name, and that it has other topics than those that the name says. A reader's group
    is called by none."""
    family = row.family
    assert family is not None
    named = Named(family.name, row.url, family.hue)
    return [named, AND_OTHERS] if _has_others(row) else [named]


def _has_others(row: FindingHtml) -> bool:
    family = row.family
    return family is not None and 0 < len(family.named_by) < len(family.topics)


def _about(families: list[FindingHtml]) -> list[SentencePart | Named]:
    """ "A, 19% of the words; B, 14%; C, 13%."""
    parts: list[SentencePart | Named] = []
    for rank, row in enumerate(families[:LEADING]):
        assert row.family is not None
        of_words = "" if rank else " of the words"
        parts += [
            "; " if rank else "",
            *_name_family(row),
            f", {briefly(row.family.share)}{of_words}",
        ]
    return [part for part in parts if part] + ["."]


def name_years(river: River) -> str:
    """What the sentence about the time answers: "When, 1790–2020"."""
    first = int(river.starts[0])
    last = sentences.last_year_before(river.end)
    return f"When, {first}" if first == last else f"When, {first}–{last}"


def _say_thirds(
    families: list[FindingHtml], river: River, shares: dict[int, np.ndarray]
) -> list[SentencePart | Named]:
    """The largest family of each third of the time; neighbours with the same one are told as
    one."""
    n = len(river.totals)
    totals = np.array(river.totals, float)
    edges = _edges_of_thirds(n)
    thirds: list[tuple[FindingHtml, int, int]] = []
    for begin, end in zip(edges, edges[1:], strict=False):
        weight = totals[begin:end]
        leading = max(families, key=lambda row: _part(row, shares, n, begin, end, weight))
        if thirds and thirds[-1][0] is leading:
            thirds[-1] = (leading, thirds[-1][1], end)
        else:
            thirds.append((leading, begin, end))
    if len(thirds) == 1:
        only_leader, _, _ = thirds[0]
        return _say_leader_throughout(only_leader, families, river, shares)
    parts: list[SentencePart | Named] = []
    for rank, (row, begin, end) in enumerate(thirds):
        share = _part(row, shares, n, begin, end, totals[begin:end])
        if end == n:
            lead = ", then "
        else:
            until = sentences.last_before(river.starts[end], river.starts[-1] - river.starts[0])
            lead = f", until {until} " if rank else f"Until {until} {_say_leading(share)} "
        parts += [lead, *_name_family(row), f" ({briefly(share)})"]
    return [*parts, "."]


def _edges_of_thirds(bins: int) -> list[int]:
    """Where the first, the second and the last third of some bins begin, and the end."""
    return [third * bins // THIRDS for third in range(THIRDS + 1)]


def _say_leader_throughout(
    leader: FindingHtml,
    families: list[FindingHtml],
    river: River,
    shares: dict[int, np.ndarray],
) -> list[SentencePart | Named]:
    """That one family leads in all thirds of the time; and of the family whose share moved most
    from the first third to the last, where it moved enough to be seen, both shares."""
    n = len(river.totals)
    totals = np.array(river.totals, float)
    _, first_end, last_begin, _ = _edges_of_thirds(n)
    shares_of_thirds = [
        (
            _part(row, shares, n, 0, first_end, totals[:first_end]),
            _part(row, shares, n, last_begin, n, totals[last_begin:]),
        )
        for row in families
    ]
    movements = [abs(after - before) for before, after in shares_of_thirds]
    moved_most = int(np.argmax(movements))
    before, after = shares_of_thirds[moved_most]
    verb = " lead" if _has_others(leader) else " leads"
    leads: list[SentencePart | Named] = ["Throughout, ", *_name_family(leader), verb]
    if movements[moved_most] < MOVED:
        return [*leads, "."]
    span = river.starts[-1] - river.starts[0]
    until = sentences.last_before(river.starts[first_end], span)
    since = sentences.first_from(river.starts[last_begin], span)
    both_shares = f"{briefly(before)} until {until} to {briefly(after)} since {since}."
    if families[moved_most] is leader:
        return [*leads, f", from {both_shares}"]
    moved = "grew" if after > before else "fell"
    return [*leads, ". ", *_name_family(families[moved_most]), f" {moved} from {both_shares}"]


def _say_leading(share: float) -> str:
    """What stands before the largest of several."""
    return "mostly" if share > MOST else "above all"


def _part(
    row: FindingHtml,
    shares: dict[int, np.ndarray],
    n: int,
    begin: int,
    end: int,
    weight: np.ndarray,
) -> float:
    """A family's share of the words of some bins."""
    assert row.family is not None
    of_bins = sum_shares(shares, row.family.topics, n)[begin:end]
    return float(of_bins @ weight / max(weight.sum(), 1.0))


def say_clearest(changes: list[FindingHtml]) -> Short:
    """A sentence for each of the clearest changes. changes: one or more."""
    clearest = _clearest(changes)
    parts: list[SentencePart | Named] = []
    for rank, row in enumerate(clearest):
        parts += [" " if rank else "", *row.parts, "."]
    label = "Clearest change" if len(clearest) == 1 else "Clearest changes"
    return Short(label, [part for part in parts if part])


def _clearest(changes: list[FindingHtml]) -> list[FindingHtml]:
    """The clearest change, and the clearest that lasts; those of topics without a name, which say
    little by themselves, behind all others. changes: one or more."""
    ranked = sorted(changes, key=lambda row: (not _names_its_topic(row), row.rank))
    lasting = [row for row in ranked[1:] if _is_change(row.items) and _lasts(row.items[0])]
    return [ranked[0], *lasting[:1]]


def _names_its_topic(row: FindingHtml) -> bool:
    return all(part.has_name for part in row.parts if isinstance(part, TopicLink))


def _is_change(items: Sequence[Item]) -> bool:
    return bool(items) and isinstance(items[0], ChangeItem)


def _lasts(item: Item) -> bool:
    return isinstance(item, ChangeItem) and item.shape == "step" and item.more


def topics_of_families(
    view: RunView, families: list[FindingHtml], tokens: np.ndarray
) -> list[TopicLink]:
    """The topic of each of the largest families that has most words of the set. tokens: float64[K],
    of the set."""
    largest_topics: list[TopicLink] = []
    for row in families[:LEADING]:
        assert row.family is not None
        largest_topics += largest_named(view, row.family.topics, tokens)[:1]
    return largest_topics


def join_topics(topics: list[TopicLink]) -> list[SentencePart | Named]:
    """Topics as a sentence lists them: "A; B."."""
    parts: list[SentencePart | Named] = []
    for rank, topic in enumerate(topics):
        parts += ["; " if rank else "", topic]
    return [part for part in parts if part] + ["."]


def _leading(family_mixes: Mixes, families: list[FindingHtml]) -> list[SentencePart | Named]:
    """The two groups in which a family leads most clearly, each another family where two lead; of
    periods the first and the last. None in which general talk has more than any family."""
    leaders = []
    for row in family_mixes.rows:
        largest = max(row.parts, key=lambda part: part.width)
        general = 100 - sum(part.width for part in row.parts)
        if largest.width > general:
            leaders.append((row, largest))
    if not leaders:
        return []
    if family_mixes.in_time:
        leaders_shown = [leaders[0], *leaders[1:][-1:]]
    else:
        leaders.sort(key=lambda pair: -pair[1].width)
        clearest = leaders[0]
        of_another = [pair for pair in leaders[1:] if pair[1].family != clearest[1].family]
        leaders_shown = [clearest, *(of_another or leaders[1:])[:1]]
    family_rows = {row.family.name: row for row in families if row.family is not None}
    parts: list[SentencePart | Named] = []
    for row, largest in leaders_shown:
        gap = " " if parts else ""
        share = largest.width / 100
        family = _name_family(family_rows[largest.family])
        parts += [f"{gap}{row.value}: {_say_leading(share)} ", *family, f" ({briefly(share)})."]
    return parts


def _how_mixed(families: list[FindingHtml], general: float) -> list[SentencePart | Named]:
    """Whether one family has most of the words, or many have some."""
    shares = [row.family.share for row in families if row.family is not None]
    large = sum(share >= LARGE_FAMILY for share in shares)
    talk = f"; {briefly(general)} is general talk" if general else ""
    have = "has" if large == 1 else "have"
    return [
        f"The largest family has {briefly(max(shares))} of the words; {large} of {len(shares)}"
        f" families {have} a tenth or more{talk}."
    ]
