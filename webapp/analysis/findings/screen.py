"""What the page of the overview draws: sentences, the river, rows with small pictures, tables; all
from what its JSON has."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from django.utils.safestring import SafeString

from webapp.analysis.findings import river_picture, sentences, time_sentences
from webapp.analysis.findings.change_marks import ChangeMarks, marks_of
from webapp.analysis.findings.kinds import Item
from webapp.analysis.findings.kinds.change import ChangeItem
from webapp.analysis.findings.kinds.event import WordItem
from webapp.analysis.findings.kinds.mark import GroupItem
from webapp.analysis.findings.mixes import Mixes, mixes
from webapp.analysis.findings.phrasing import SentencePart
from webapp.analysis.findings.river import FEWEST_RIVER_BINS, River, shares_of_topics
from webapp.analysis.findings.river_picture import LinkedFamily
from webapp.analysis.findings.sentences import briefly, spanned
from webapp.analysis.findings.shapes import (
    Cuts,
    DetailLink,
    FindingHtml,
    FindingsOfKind,
    OverviewPage,
)
from webapp.analysis.findings.values import Span
from webapp.core.documents import corpus_unit, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.unit_sentences import UnitSaid
from webapp.core.results import links
from webapp.core.results.links import TopicLink
from webapp.core.results.view import RunView
from webapp.platform.drawing.curves import ticks
from webapp.platform.drawing.numbers import USUAL_LEVEL
from webapp.platform.drawing.river import WordSpan, mean_time
from webapp.platform.drawing.strips import ridge, strip
from webapp.platform.drawing.treemap import Branch, Leaf, treemap

FEWEST_BINS = 3  # of a river
LEADING = 3  # families of the first sentence, and topics that the list of families names
# changes, and words, that a narrow page shows
CLEAREST = 9
CLEAREST_WORDS = 8
SHORTEST_BAR = 0.8  # of 100 along the axis: a shorter one could not be seen
TOPICS_OF_CAUTION = 5  # topics that a caution names
LEAST_GENERAL = 0.0005  # of the words: a smaller share of general talk is not told
LARGE_FAMILY = 0.1  # of the words: families that the sentence about the mixture counts
# between two shares that are written on the axis of a table, whose column may be narrow
STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MOST_STEPS = 3
EVENTFUL = 10  # times as many documents as otherwise: words under the river


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


@dataclass(frozen=True)
class FamilyLine:
    """A family in the list beside the river. topics: its largest; pieces: all of them."""

    row: FindingHtml
    name: str
    url: str
    hue: int
    share: str
    topics: list[TopicLink]
    pieces: list["Piece"]
    ridge: SafeString


@dataclass(frozen=True)
class Piece:
    """A topic's part of its family's bar. place, width: of 100."""

    place: float
    width: float


@dataclass(frozen=True)
class Tick:
    """place: of 100."""

    place: float
    text: str


@dataclass(frozen=True)
class Line:
    """A row with a small picture. row: the finding; clear: whether narrow pages show it."""

    row: FindingHtml
    picture: SafeString
    times: str
    ends: str
    clear: bool


@dataclass(frozen=True)
class WordLine:
    """A word of a time. when: the time in words; here: the share of its documents with the word;
    rest: the share in all other documents. falls: the word became rarer; `when` is the time before
    or, of a word that is `rare`, the time for which it was rare. place, width: of 100, its
    span on the axis. fading: how it is drawn where it is ever rarer."""

    row: FindingHtml
    item: WordItem
    when: str
    place: float
    width: float
    falls: bool
    fading: bool
    rare: bool
    here: str
    rest: str
    clear: bool


@dataclass(frozen=True)
class GroupLine:
    """A topic in the documents of one value. here, rest, low: of 100, places of the dot for the
    value, of the ring for all other documents, and where the interval begins, which is `interval`
    long."""

    row: FindingHtml
    item: GroupItem
    here: float
    rest: float
    low: float
    interval: float
    says_here: str
    says_rest: str


@dataclass(frozen=True)
class GroupTable:
    """Rows of one field. speaks: whether a person said that its values are who speaks."""

    field: str
    speaks: bool
    ticks: list[Tick]
    lines: list[GroupLine]


@dataclass(frozen=True)
class Screen:
    """All that the page draws. rest: the share of general talk, of words in no family; "" where it
    is too small to be told."""

    short: list[Short] = field(default_factory=list)
    families: list[FamilyLine] = field(default_factory=list)
    river: SafeString = SafeString()
    mixes: Mixes | None = None
    tree: SafeString = SafeString()
    rest: str = ""
    axis: list[Tick] = field(default_factory=list)
    words_below: bool = False  # the river
    changes: list[Line] = field(default_factory=list)
    level: float = USUAL_LEVEL  # of the intervals of changes
    words: list[WordLine] = field(default_factory=list)
    groups: list[GroupTable] = field(default_factory=list)


# Kinds that the page draws, or lists, at a place of their own; the others it lists one after the other
PLACED = frozenset(
    {"family", "change", "event", "speaker", "mark", "keyword", "none", "sense", "caution"}
)


@dataclass(frozen=True)
class OverviewHtml:
    """kinds: of the findings that there are. screen: what is drawn. failed: titles of kinds that
    could not be computed. query: of this page's address. simulated: whether the true topics are
    known. renamed: when the topics got the names of a newer program. named_by_words: whether names
    could not be made from the texts. unit: which texts count as one."""

    untrained: bool
    renamed: datetime | None
    named_by_words: bool
    simulated: bool
    kinds: dict[str, FindingsOfKind]
    screen: "Screen"
    failed: list[str]
    details: list[DetailLink]
    cuts: Cuts | None
    query: str
    unit: UnitSaid

    @property
    def others(self) -> list[FindingsOfKind]:
        """Kinds without a place of their own."""
        return [of_kind for kind, of_kind in self.kinds.items() if kind not in PLACED]


@dataclass(frozen=True)
class Axis:
    """Years with fractions."""

    first: float
    last: float

    def place(self, year: float) -> float:
        """0 to 1."""
        return min(1.0, max(0.0, (year - self.first) / max(self.last - self.first, 1e-9)))

    @property
    def ticks(self) -> list[Tick]:
        """Round years with their places, in percent of the axis."""
        years = ticks(self.first + 1e-6, self.last - 1e-6, 6)
        return [Tick(round(100 * self.place(year), 2), str(year)) for year in years]


def screen(selection: RunSelection, page: OverviewPage, rows: Sequence[FindingHtml]) -> Screen:
    """rows: the findings of the page."""
    view = selection.view
    river = page.river
    if river is not None and len(river.totals) < FEWEST_RIVER_BINS:
        river = None
    families = [row for row in rows if row.family is not None]
    families.sort(key=lambda row: -(row.family.share if row.family else 0.0))
    axis = _axis(page)
    shares = shares_of_topics(river) if river is not None else {}
    tokens = sums.of_selection(selection).tokens[0].astype(float)
    family_lines = _families(view, families, shares, river, tokens)
    changes = [row for row in rows if row.kind == "change"]
    marks = [row for row in rows if row.kind == "mark"]
    family_mixes = None if river else mixes(selection, page.unit, families)
    general = page.rest if page.rest and page.rest > LEAST_GENERAL else 0.0
    tree = SafeString()
    if river is None and family_mixes is None:
        tree = _tree(view, families, general, tokens)
    spans = _spans(rows, river)
    return Screen(
        short=_short(view, families, changes, marks, river, family_mixes, general, shares),
        families=family_lines,
        river=_river(view, families, river, spans),
        mixes=family_mixes,
        tree=tree,
        rest=briefly(general) if general else "",
        axis=axis.ticks if axis else [],
        words_below=bool(spans),
        changes=_changes(changes, axis),
        level=_level_of(changes),
        words=_words([row for row in rows if row.kind == "event"], axis),
        groups=_groups(marks, corpus_unit.unit_of(view.run.version)),
    )


def _axis(page: OverviewPage) -> Axis | None:
    """The time that lines of findings stand for; the last point of one may stand for less time than
    the others."""
    if not page.ends:
        return None
    return Axis(*sentences.years_of_span(*page.ends))


def _sum_shares(shares: dict[int, np.ndarray], topics: Sequence[int], n: int) -> np.ndarray:
    """The shares of some topics together."""
    return np.sum([shares[k] for k in topics if k in shares] or [np.zeros(n)], axis=0)


# The first sentences


def _short(
    view: RunView,
    families: list[FindingHtml],
    changes: list[FindingHtml],
    marks: list[FindingHtml],
    river: River | None,
    family_mixes: Mixes | None,
    general: float,
    shares: dict[int, np.ndarray],
) -> list[Short]:
    if not families:
        return []
    short_sentences = [Short("About", _about(families))]
    if river is not None:
        short_sentences.append(Short("When", _say_thirds(families, river, shares)))
        if changes:  # where there are none, “What changed” says why
            short_sentences.append(Short("Clearest changes", _clearest(changes)))
        return short_sentences
    if family_mixes is not None:
        label = "Periods" if family_mixes.in_time else "Groups"
        short_sentences.append(Short(label, _leading(family_mixes, families)))
    else:
        short_sentences.append(Short("Largest topics", _largest(families, view)))
    if marks:
        short_sentences.append(Short("Clearest difference", [*marks[0].parts, "."]))
    elif changes:
        short_sentences.append(Short("Clearest changes", _clearest(changes)))
    else:
        short_sentences.append(Short("How mixed", _how_mixed(families, general)))
    return short_sentences


def _name_family(row: FindingHtml) -> Named:
    assert row.family is not None
    return Named(row.family.name, row.url, row.family.hue)


def _about(families: list[FindingHtml]) -> list[SentencePart | Named]:
    """ "A, 19% of the words; B, 14%; C, 13%."""
    parts: list[SentencePart | Named] = []
    for rank, row in enumerate(families[:LEADING]):
        assert row.family is not None
        of_words = "" if rank else " of the words"
        parts += [
            "; " if rank else "",
            _name_family(row),
            f", {briefly(row.family.share)}{of_words}",
        ]
    return [part for part in parts if part] + ["."]


def _say_thirds(
    families: list[FindingHtml], river: River, shares: dict[int, np.ndarray]
) -> list[SentencePart | Named]:
    """The largest family of each third of the time; neighbours with the same one are told as
    one."""
    n, totals = len(river.totals), np.array(river.totals, float)
    edges = [0, n // 3, 2 * n // 3, n]
    thirds: list[tuple[FindingHtml, int, int]] = []
    for begin, end in zip(edges, edges[1:], strict=False):
        weight = totals[begin:end]
        leading = max(families, key=lambda row: _part(row, shares, n, begin, end, weight))
        if thirds and thirds[-1][0] is leading:
            thirds[-1] = (leading, thirds[-1][1], end)
        else:
            thirds.append((leading, begin, end))
    if len(thirds) == 1:
        return ["Throughout, ", _name_family(leading), " leads."]
    parts: list[SentencePart | Named] = []
    for rank, (row, begin, end) in enumerate(thirds):
        share = briefly(_part(row, shares, n, begin, end, totals[begin:end]))
        if end == n:
            lead = ", then "
        else:
            until = sentences.last_before(river.starts[end], river.starts[-1] - river.starts[0])
            lead = f"Until {until} mostly " if not rank else f", until {until} "
        parts += [lead, _name_family(row), f" ({share})"]
    return [*parts, "."]


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
    of_bins = _sum_shares(shares, row.family.topics, n)[begin:end]
    return float(of_bins @ weight / max(weight.sum(), 1.0))


def _clearest(changes: list[FindingHtml]) -> list[SentencePart | Named]:
    """The clearest change, and the clearest that lasts; those of topics without a name, which say
    little by themselves, behind all others. changes: one or more."""
    ranked = sorted(changes, key=lambda row: (not _names_its_topic(row), row.rank))
    lasting = [row for row in ranked[1:] if _is_change(row.items) and _lasts(row.items[0])]
    parts: list[SentencePart | Named] = [*ranked[0].parts, "."]
    if lasting:
        parts += [" ", *lasting[0].parts, "."]
    return parts


def _names_its_topic(row: FindingHtml) -> bool:
    return all(part.has_name for part in row.parts if isinstance(part, TopicLink))


def _is_change(items: Sequence[Item]) -> bool:
    return bool(items) and isinstance(items[0], ChangeItem)


def _lasts(item: Item) -> bool:
    return isinstance(item, ChangeItem) and item.shape == "step" and item.more


def _largest(families: list[FindingHtml], view: RunView) -> list[SentencePart | Named]:
    """The largest topic of each of the largest families."""
    parts: list[SentencePart | Named] = []
    for rank, row in enumerate(families[:LEADING]):
        assert row.family is not None
        parts += ["; " if rank else "", links.topic_link(view, row.family.topics[0])]
    return [part for part in parts if part] + ["."]


def _leading(family_mixes: Mixes, families: list[FindingHtml]) -> list[SentencePart | Named]:
    """The two groups in which one family leads most clearly; of periods the first and the last."""
    leaders = [(row, max(row.parts, key=lambda part: part.width)) for row in family_mixes.rows]
    if family_mixes.in_time:
        leaders_shown = [leaders[0], leaders[-1]]
    else:
        leaders.sort(key=lambda pair: -pair[1].width)
        leaders_shown = leaders[:2]
    family_rows = {row.family.name: row for row in families if row.family is not None}
    parts: list[SentencePart | Named] = []
    for row, largest in leaders_shown:
        gap = " " if parts else ""
        share = briefly(largest.width / 100)
        family = _name_family(family_rows[largest.family])
        parts += [f"{gap}{row.value}: mostly ", family, f" ({share})."]
    return parts


def _how_mixed(families: list[FindingHtml], general: float) -> list[SentencePart | Named]:
    """Whether one family has most of the words, or many have some."""
    shares = [row.family.share for row in families if row.family is not None]
    large = sum(share >= LARGE_FAMILY for share in shares)
    talk = f"; {briefly(general)} is general talk" if general else ""
    return [
        f"The largest family has {briefly(max(shares))} of the words; {large} of {len(shares)}"
        f" families have a tenth or more{talk}."
    ]


# The river and the families


def _tree(
    view: RunView, families: list[FindingHtml], general: float, tokens: np.ndarray
) -> SafeString:
    """Families and topics as areas, which texts without dates and groups have in place of a
    river."""
    branches = []
    inside: set[int] = set()
    for row in families:
        family = row.family
        if family is not None and family.share > 0:
            leaves = _leaves(view, family.topics, tokens)
            branches.append(Branch(family.name, row.url, family.hue, family.share, leaves))
            inside.update(family.topics)
    if not branches:
        return SafeString()
    outside = [k for k in range(len(tokens)) if k not in inside]
    return treemap(branches, general, _leaves(view, outside, tokens))


def _leaves(view: RunView, topics: Sequence[int], tokens: np.ndarray) -> list[Leaf]:
    """Topics that have words in the set, the largest first."""
    total = max(float(tokens.sum()), 1.0)
    leaves = []
    for k in sorted(topics, key=lambda k: -tokens[k]):
        if tokens[k] > 0:
            link = links.topic_link(view, k)
            name = link.name if link.has_name else ""
            leaves.append(Leaf(name, link.label, link.url, float(tokens[k]) / total))
    return leaves


def _families(
    view: RunView,
    rows: list[FindingHtml],
    shares: dict[int, np.ndarray],
    river: River | None,
    tokens: np.ndarray,
) -> list[FamilyLine]:
    """In the order of the river where there is one."""
    n = len(river.totals) if river else 0
    curves = [_sum_shares(shares, row.family.topics if row.family else [], n) for row in rows]
    largest = max((float(curve.max()) for curve in curves if n), default=0.0)
    order = list(range(len(rows)))
    if n:
        order.sort(key=lambda i: mean_time(curves[i]))
    family_lines = []
    for i in order:
        family = rows[i].family
        assert family is not None
        family_lines.append(
            FamilyLine(
                row=rows[i],
                name=family.name,
                url=rows[i].url,
                hue=family.hue,
                share=briefly(family.share),
                topics=_largest_named(view, family.topics, tokens),
                pieces=_pieces(family.topics, tokens),
                ridge=ridge(curves[i], largest, family.hue) if n else SafeString(),
            )
        )
    return family_lines


def _largest_named(view: RunView, topics: Sequence[int], tokens: np.ndarray) -> list[TopicLink]:
    """A family's topics with most words of the set. Those without a name only where none has one:
    their words, side by side with names, would be read as topics of their own."""
    by_size = [links.topic_link(view, k) for k in sorted(topics, key=lambda k: -tokens[k])]
    named_topics = [topic for topic in by_size if topic.has_name]
    return named_topics[:LEADING] if named_topics else by_size[:1]


def _pieces(topics: Sequence[int], tokens: np.ndarray) -> list[Piece]:
    """The topics of a family side by side, the largest first, as parts of all words of the set."""
    total = max(float(tokens.sum()), 1.0)
    stacked: list[Piece] = []
    height = 0.0
    for size in sorted((100 * float(tokens[k]) / total for k in topics), reverse=True):
        if size > 0:
            stacked.append(Piece(round(height, 2), round(max(size - 0.15, 0.1), 2)))
        height += size
    return stacked


def _river(
    view: RunView, families: list[FindingHtml], river: River | None, spans: list[WordSpan]
) -> SafeString:
    """spans: of the words below it."""
    if river is None or len(river.totals) < FEWEST_BINS:
        return SafeString()
    linked = [LinkedFamily(row.family, row.url) for row in families if row.family is not None]
    picture = river_picture.picture(view, linked, river, spans)
    return picture.draw() if picture is not None else SafeString()


def _spans(rows: Sequence[FindingHtml], river: River | None) -> list[WordSpan]:
    """The words of a time that stand below the river."""
    if river is None:
        return []
    spans = [_span(row) for row in rows if _is_word(row)]
    return [span for span in spans if river.starts[0] <= span.first <= river.end]


def _is_word(row: FindingHtml) -> bool:
    """Whether it is a word of a time that is clear enough to stand under the river."""
    if not row.items or not isinstance(row.items[0], WordItem):
        return False
    item = row.items[0]
    return item.more and item.shape != "line" and item.here >= EVENTFUL * item.rest


def _span(row: FindingHtml) -> WordSpan:
    item = row.items[0]
    assert isinstance(item, WordItem)
    first, last = sentences.years_of_span(item.first, item.last)
    return WordSpan(item.word, row.url, item.topic.hue, first, last, row.sentence)


# What changed, words, groups


def _changes(rows: Sequence[FindingHtml], axis: Axis | None) -> list[Line]:
    clear = {row.rank for row in sorted(rows, key=lambda row: row.rank)[:CLEAREST]}
    changes = []
    for row in rows:
        item = row.items[0]
        assert isinstance(item, ChangeItem)
        marks = _place_marks(item, axis) if axis else ChangeMarks(None, [])
        picture = strip(row.line, item.topic.hue, marks.window, marks.levels)
        changes.append(Line(row, picture, row.times, row.ends, row.rank in clear))
    return changes


def _level_of(rows: Sequence[FindingHtml]) -> float:
    """The level of the intervals of all changes; what an older program found has the usual one."""
    answers = [claim.answer for row in rows for claim in row.claims if claim.answer]
    return answers[0].level if answers else USUAL_LEVEL


def _place_marks(item: ChangeItem, axis: Axis) -> ChangeMarks:
    """What its strip marks, from 0 to 1 along the axis."""
    marks = marks_of(item, (item.here.share, item.rest.share), (axis.first, axis.last))
    levels = [(axis.place(first), axis.place(last), share) for first, last, share in marks.levels]
    if marks.window is None:
        return ChangeMarks(None, levels)
    begin, end = marks.window
    return ChangeMarks((axis.place(begin), axis.place(end)), levels)


def _words(rows: Sequence[FindingHtml], axis: Axis | None) -> list[WordLine]:
    if axis is None:
        return []
    clear = {row.rank for row in sorted(rows, key=lambda row: row.rank)[:CLEAREST_WORDS]}
    word_lines = []
    for row in rows:
        item = row.items[0]
        assert isinstance(item, WordItem)
        falls = not item.more
        steady = item.shape == "line"
        rare = falls and item.shape == "window"
        became_rarer = falls and not rare
        begin, end = _span_on(axis, item)
        word_lines.append(
            WordLine(
                row=row,
                item=item,
                when=_when_word(item),
                place=round(100 * begin, 2),
                width=round(max(100 * (end - begin), SHORTEST_BAR), 2),
                falls=falls,
                fading=falls and steady,
                rare=rare,
                # The item says how frequent it is since it became rarer, the line how frequent before
                here=briefly(item.rest if became_rarer else item.here),
                rest=briefly(item.here if became_rarer else item.rest),
                clear=row.rank in clear and not falls,
            )
        )
    word_lines.sort(key=lambda line: line.falls)
    return word_lines


def _span_on(axis: Axis, item: WordItem) -> tuple[float, float]:
    """The time that a line says, from 0 to 1 along the axis."""
    if item.shape == "line":
        return 0.0, 1.0
    begin, end = map(axis.place, sentences.years_of_span(item.first, item.last))
    if item.shape == "step" and not item.more:  # the word is of the time before
        return 0.0, begin
    return begin, end


def _when_word(item: WordItem) -> str:
    if item.shape == "line":
        return time_sentences.RISING if item.more else time_sentences.FALLING
    if not item.more and item.shape == "window":
        return f"rare {spanned(Span(first=item.first, last=item.last), brief=True)}"
    if not item.more:
        return f"until {sentences.period(item.until or item.first, brief=True)}"
    if item.shape == "step":
        return f"since {sentences.period(item.first, brief=True)}"
    return spanned(Span(first=item.first, last=item.last), brief=True)


def _groups(rows: Sequence[FindingHtml], unit: corpus_unit.Unit) -> list[GroupTable]:
    """A table for each field, the values with most of their topic first."""
    speaking = unit.field.names if unit.field and unit.certainty == "answered" else ()
    by_field: dict[str, list[FindingHtml]] = {}
    for row in rows:
        item = row.items[0]
        assert isinstance(item, GroupItem)
        by_field.setdefault(item.field, []).append(row)
    return [
        _table(name, rows_of_field, name in speaking) for name, rows_of_field in by_field.items()
    ]


def _table(name: str, rows: list[FindingHtml], speaks: bool) -> GroupTable:
    items = [item for row in rows for item in row.items if isinstance(item, GroupItem)]
    largest = max(max(item.here.high, item.rest) for item in items)
    step = next((step for step in STEPS if largest <= MOST_STEPS * step), STEPS[-1])
    end = min(1.0, math.ceil(largest / step) * step)

    def place(share: float) -> float:
        return round(100 * min(1.0, share / end), 2)

    lines = [
        GroupLine(
            row=row,
            item=item,
            here=place(item.here.share),
            rest=place(item.rest),
            low=place(item.here.low),
            interval=round(place(item.here.high) - place(item.here.low), 2),
            says_here=briefly(item.here.share),
            says_rest=briefly(item.rest),
        )
        for row, item in zip(rows, items, strict=True)
    ]
    lines.sort(key=lambda line: -line.here)
    marks = [Tick(place(i * step), f"{100 * i * step:.0f}%") for i in range(round(end / step) + 1)]
    return GroupTable(name, speaks, marks, lines)
