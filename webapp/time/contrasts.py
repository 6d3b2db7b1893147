"""Two sets of documents compared: which topics one has more of, by how much, and which words tell them apart."""

from typing import Literal, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.effects import contrasts as effects, shares as effect_shares
from inference.effects.units import LEAST
from inference.errors import Invalid
from inference.explore import bands as intervals, change
from inference.explore.day_sums import TOKENS, WORDED
from inference.explore.documents import marked, spread, spread_outside
from inference.explore.relevance import distinctive
from webapp.documents import fields, sums, units
from webapp.documents.selection import RunSelection, Selection
from webapp.documents.shapes import ValueChoice
from webapp.models import Run, Version, Word
from webapp.pages.here import Here
from webapp.results import evidence, links, topics
from webapp.storage.cache import BoundedCache
from webapp.time import shares
from webapp.time.shapes import (
    CategoryChoice,
    Compared,
    SetsForm,
    SideForm,
    SideOfComparison,
    TopicDifference,
    WordDifference,
)
from webapp.words.shapes import WordLink

Order = Literal["difference", "ratio"]
Constant = Literal["", "time"]  # what is held constant
ASKED = ("from_a", "to_a", "in_a", "from_b", "to_b", "in_b", "topic", "topic_a", "topic_b")  # what says two sides
LISTED = 15  # topics of each side
WORDS = 8  # of a topic as one side uses it
ALL_WORDS = 24  # of each side, whatever the topic
SAMPLED = 2_000_000  # words of each side that are counted, about: of 1 in 10,000 the rate is known within 14%
LEAST_SAMPLED = 1_000  # documents of each side at least
OFFERED = 60  # values of a category to choose from, the most frequent
_kept = BoundedCache(4 << 20)  # sums of both sides: of 2,000 topics 160 KB
SURE = 2.58  # standard errors from which a word is said to be more frequent: chance alone exceeds it in 1 of 100 cases


class Side(NamedTuple):
    """documents: of this side, within those of the page. complement: it is all of those that the other side has not."""

    name: str
    documents: RunSelection
    complement: bool


def side(query: QueryDict, letter: str, base: RunSelection) -> Side | None:
    """?from_a= ?to_a= ?in_a=; None where nothing is said."""
    asked = QueryDict(mutable=True)
    for name in ("from", "to", "in"):
        asked.setlist(name, [value for value in query.getlist(f"{name}_{letter}") if value.strip()])
    own = Selection.read(asked, base.view)
    if not own:
        return None
    categories = {name for name, _ in own.values}
    values = [(name, value) for name, value in base.values if name not in categories] + own.values
    return Side(own.name, base.changed(span=(own.first or base.first, own.last or base.last), values=values), False)


def asked(query: QueryDict, selection: RunSelection, rest: bool) -> tuple[RunSelection, Side, Side] | None:
    """What an address compares: the documents of the page, and two sides of them. None where it says no side. rest: the
    chosen documents, with all others of the run."""
    a, b = (side(query, letter, selection) for letter in "ab")
    if a is None and b is not None:
        raise Invalid("from_a", "First choose the documents to compare with these.")
    if a is not None:
        return selection, a, b or _others(selection)
    if not (selection and rest):
        return None
    base = Selection.all(selection.view)
    return base, Side(selection.name, selection, False), _others(base)


def _others(base: RunSelection) -> Side:
    return Side("all others", base, True)


def compare(base: RunSelection, a: Side, b: Side, order: Order, constant: Constant = "") -> Compared:
    """Topics by the difference of their shares, and words. constant: "time" compares a with what b's share is expected to be at
    the times of a.

    Raises Invalid where a side has no documents, where one document is in both, or where time is to be held constant of documents
    without dates.
    """
    view, labels = base.view, base.view.labels
    sides = divided(base, a, b)
    every = [k for k in view.topics if labels.into[k] == k and not labels.hidden(k)]
    whole, held, everywhere = _sums(base, sides)
    bands, sums = intervals.of_sums(whole, held[every], everywhere[every]), held[:, :, TOKENS].T.astype(np.int64)
    apart, low, high = change.difference(bands.share, bands.low, bands.high)
    unit, caution = units.unit_of(base.version, *{name for each in (a, b) for name, _ in each.documents.values}), ""
    if constant or unit.field is not None:
        bands, apart, low, high, caution = _of_units(base, sides, unit, every, bands, constant)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = bands.share[:, 0] / bands.share[:, 1]
    rank = (
        np.abs(apart) if order == "difference" else np.nan_to_num(np.abs(np.log(np.maximum(ratio, 1e-300))), posinf=1e3)
    )
    best = np.argsort(-rank, kind="stable")
    sure = (low > 0) | (high < 0)
    more = [[int(i) for i in best if sure[i] and (apart[i] > 0) == first][:LISTED] for first in (True, False)]
    listed = [every[i] for part in more for i in part]
    samples = _samples(base, sides, max(LEAST_SAMPLED, SAMPLED * base.version.documents // max(base.version.tokens, 1)))
    sizes = [len(sample) for sample in samples]
    group = np.repeat(np.arange(2, dtype=np.int32), sizes)
    word_sums = evidence.of(view.run).word_sums(
        group, 2, shares.rows_of(labels.into, listed), len(listed), np.concatenate(samples)
    )
    first = topics.top_words(view, listed, 5)
    larger_in = [s for s, part in enumerate(more) for _ in part]
    telling = _telling(view.run, word_sums, larger_in)
    rows = [
        TopicDifference(
            **vars(links.topic_link(view, k)),
            words=first[k],
            share=bands.share[i].tolist(),
            low=bands.low[i].tolist(),
            high=bands.high[i].tolist(),
            tokens=sums[:, k].tolist(),
            difference=float(apart[i]),
            difference_low=float(low[i]),
            difference_high=float(high[i]),
            ratio=float(ratio[i]) if np.isfinite(ratio[i]) else None,
            documents=[address(each, base, topic=k) for each in (a, b)],
            telling=[WordLink(word, address((a, b)[larger], base, topic=k, word=word)) for word in words],
        )
        for i, k, larger, words in zip([i for part in more for i in part], listed, larger_in, telling, strict=True)
    ]
    return Compared(
        sides=[
            SideOfComparison(
                each.name, int(bands.documents[s]), int(bands.tokens[s]), address(each, base), bool(bands.thin[s])
            )
            for s, each in enumerate((a, b))
        ],
        more=[rows[: len(more[0])], rows[len(more[0]) :]],
        words=_all_words(base, (a, b), word_sums[:, -1]),
        order=order,
        selection=base.sentence,
        constant=constant,
        unsure=[links.topic_link(view, every[i]) for i in best if not sure[i]][: 2 * LISTED],
        unsure_count=int(np.count_nonzero(~sure)),
        not_listed=[
            int(np.count_nonzero(sure & (apart > 0))) - len(more[0]),
            int(np.count_nonzero(sure & (apart < 0))) - len(more[1]),
        ],
        words_from=sizes if sizes != sides.documents else None,
        unit=unit.said,
        caution=caution,
    )


def address(side: Side, base: RunSelection, *, topic: int | None = None, word: str = "") -> str:
    """The documents of a side, those with a topic or a word in it; of a complement, which no address can say, those of
    both sides."""
    parameters = (base if side.complement else side.documents).parameters
    if word:
        q = " ".join([value for name, value in parameters if name == "q"] + [f'"{word}"'])
        parameters = [("q", q)] + [p for p in parameters if p[0] != "q"]
    has = [] if topic is None else [("has", f"{topic}:1")]
    return links.documents_url(base.run, "?" + urlencode(parameters + has))


class Divided(NamedTuple):
    """The documents of both sides. days: of each, where days alone say what is on it; else numbers: int32, ascending, of each,
    None for all that are not on the first."""

    documents: list[int]
    days: list[sums.Spans] | None
    numbers: tuple[np.ndarray, np.ndarray | None] | None
    name: tuple

    def of_both(self, base: RunSelection) -> tuple[np.ndarray, np.ndarray | None]:
        """int32, ascending: the documents of either side; None for all that are not on the first. Those of days are looked
        for, which takes a pass over all documents."""
        if self.numbers:
            return self.numbers
        assert self.days is not None
        days = fields.dates(base.version)
        first, second = (
            marked(np.logical_or.reduce([(days >= a) & (days < b) for a, b in spans])) for spans in self.days
        )
        return first, second


def divided(base: RunSelection, a: Side, b: Side) -> Divided:
    """Raises Invalid where a side has no documents, or where one document is on both."""
    days, numbers, span, own = None, None, base.span, [side.documents.span for side in (a, b)]
    if span and all(own):
        of_a, of_b = (sums.within([span], [each]) for each in own if each)
        of_b = sums.without(span, of_a) if b.complement else of_b
        days = [of_a, of_b]
        *documents, shared = sums.counts_of_days(base, [of_a, of_b, sums.within(of_a, of_b)]).tolist()
    else:
        first, second = (_within(side.documents, base) for side in (a, b))
        in_first = np.zeros(base.version.documents, bool)
        in_first[first] = True
        if b.complement:
            second = None if second is None else second[~in_first[second]]
        shared = 0 if b.complement else int(np.count_nonzero(in_first[second]))
        numbers = first, second
        documents = [len(first), base.version.documents - len(first) if second is None else len(second)]
    if shared:
        raise Invalid(
            "from_b",
            f"{shared:,} documents are on both sides. Choose two sets that have no document in common, such as 1930–1939 and 1990–1999.",
        )
    for side, length in zip((a, b), documents, strict=True):
        if not length:
            raise Invalid("from_a", f"No document is on the side “{side.name}”. Choose another time or value.")
    return Divided(documents, days, numbers, (*a.documents.parameters, "and", *b.documents.parameters, b.complement))


def _within(selection: RunSelection, base: RunSelection) -> np.ndarray | None:
    """int32, ascending: the documents of a set that are also in another; None for all."""
    return (
        selection.numbers
        if base.mask is None or selection.numbers is None
        else selection.numbers[base.mask[selection.numbers]]
    )


def _sums(base: RunSelection, sides: Divided) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """float64[2, 3], float64[K, 2, 5] and float64[K, 5]: what bands.of_sums needs."""
    view = base.view

    def make() -> tuple[np.ndarray, np.ndarray]:
        made = sums.of_days(base, sides.days) if sides.days else None
        if made is not None:
            return made.whole[:-1, WORDED:], made.by_topic[:, :-1]
        first, second = sides.of_both(base)
        if second is not None:
            return shares.of_documents_alone(view, [first, second])
        own, own_of = shares.of_documents_alone(view, [first])
        all_of, every = shares.everywhere(view)
        return np.concatenate([own, all_of - own]), np.concatenate([own_of, every - own_of], axis=1)

    key = ("sides", view.run.snapshot_id, tuple(base.parameters), sides.name, view.labels.into.tobytes())
    return *_kept.get_or_set(key, make), shares.everywhere(view)[1][:, 0]


def _of_units(
    base: RunSelection, sides: Divided, unit: units.Unit, topics: list[int], bands: intervals.Bands, constant: Constant
) -> tuple[intervals.Bands, np.ndarray, np.ndarray, np.ndarray, str]:
    """Both sides' shares, their differences with their ends, and what can't be concluded, where documents of one unit depend on
    each other, or time is held constant, by the periods that suit the texts."""
    first, second = sides.of_both(base)
    cell = np.full(base.version.documents, -1 if second is not None else 1, np.int32)
    cell[first], cell[second if second is not None else []] = 0, 1
    side, period, by = np.array([0, 1]), None, "year"
    if constant:
        usual = fields.usual(base.version)
        by = usual if usual in fields.PERIODS else "year"
        periods = fields.groups(base.version, by)
        n = len(periods.labels)
        cell = np.where((cell >= 0) & (periods.group >= 0), n * cell + periods.group, -1)
        side, period = np.repeat(side, n), np.tile(np.arange(n), 2)
    effect = effects.of_sides(shares.effect_data(base.view, unit, cell, topics), side, period)
    shown = effect.compared if constant else effect.sides
    ends = effect_shares.intervals(shown)
    bands = bands._replace(share=np.clip(shown.share, 0, 1), low=ends.low, high=ends.high)
    cautions = {
        "": "",
        "few units": f"One side has texts of {effect.sides.units.min()} {f'“{unit.field.name}”' if unit.field else 'documents'} only: of fewer than {LEAST} nothing can be said beyond these texts.",
        "apart in time": f"The two hardly have words in the same {by}s: their difference can’t be separated from what changed over time.",
    }
    return bands, shown.share[:, 0] - shown.share[:, 1], *effect.between(), cautions[effect.verdict]


def _samples(base: RunSelection, sides: Divided, most: int) -> list[np.ndarray]:
    """int32, ascending: of each side the documents whose words are counted, at most so many, spread evenly over it."""
    if sides.days and fields.by_date(base.version, newest=False) is not None:
        return [sums.sample_of_days(base, spans, most) for spans in sides.days]
    first, second = sides.of_both(base)
    others = spread_outside(first, base.version.documents, most) if second is None else spread(second, most)
    return [spread(first, most), others]


def _telling(run: Run, word_sums: np.ndarray, sides: list[int]) -> list[list[str]]:
    """For each topic, as its own side uses it, the words that are surely more frequent there than in all that both
    sides say."""
    everywhere = word_sums[:, -1].sum(axis=0)
    places = []
    for n, own in enumerate(sides):
        some = np.flatnonzero(word_sums[own, n])  # what it does not have is not more frequent there
        z = distinctive(word_sums[own, n], everywhere, some)
        places.append([int(some[i]) for i in np.argsort(-z, kind="stable")[:WORDS] if z[i] > SURE])
    texts = _words(run, {w for part in places for w in part})
    return [[texts[w] for w in part] for part in places]


def _all_words(base: RunSelection, sides: tuple[Side, Side], counts: np.ndarray) -> list[list[WordDifference]]:
    """The words that tell the sides apart most surely, with how often they are used in 10,000 words. counts: int64[2,
    V]."""
    both, totals = counts.sum(axis=0), np.maximum(counts.sum(axis=1), 1)
    z = distinctive(counts[0], both)
    places = [
        [int(w) for w in order[:ALL_WORDS] if sign * z[w] > SURE]
        for sign, order in ((1, np.argsort(-z)), (-1, np.argsort(z)))
    ]
    texts = _words(base.run, {w for part in places for w in part})
    rate = 10_000 * counts / totals[:, None]
    return [
        [
            WordDifference(texts[w], address(side, base, word=texts[w]), rate[:, w].tolist(), counts[:, w].tolist())
            for w in part
        ]
        for side, part in zip(sides, places, strict=True)
    ]


def _words(run: Run, numbers: set[int]) -> dict[int, str]:
    return dict(Word.objects.filter(version=run.version_id, number__in=numbers).values_list("number", "word"))


def sets_form(query: QueryDict, version: Version, here: Here) -> SetsForm:
    """What an address says of two sets, and what can be chosen: values of each category, the most frequent."""
    return SetsForm(
        form=[
            SideForm(
                letter,
                legend,
                query.get(f"from_{letter}", ""),
                query.get(f"to_{letter}", ""),
                query.getlist(f"in_{letter}"),
            )
            for letter, legend in (("a", "First set"), ("b", "Second set"))
        ],
        categories=[
            CategoryChoice(
                category.name,
                [
                    ValueChoice(category.values[i], f"{category.name}:{category.values[i]}")
                    for i in fields.in_order(
                        version, fields.groups(version, category.name), list(range(len(category.values[:OFFERED])))
                    )
                ],
            )
            for category in fields.categories(version)
        ],
        dated=fields.dated(version),
        suggestions=[
            (text, here.url(**dict.fromkeys(ASKED) | parameters)) for text, parameters in _suggestions(version)
        ],
    )


def _suggestions(version: Version) -> list[tuple[str, dict[str, str]]]:
    """What might be compared, and the parameters that say so: the first and the last decade, the two most frequent values
    of each category."""
    suggested, span = list[tuple[str, dict[str, str]]](), fields.dated(version)
    if span and span[1].year - span[0].year >= 20:
        (a, b), (c, d) = ((str(year), str(year + 9)) for year in (span[1].year - 9, span[0].year))
        suggested.append((f"{a}–{b} and {c}–{d}", {"from_a": a, "to_a": b, "from_b": c, "to_b": d}))
    for category in fields.categories(version)[:3]:
        if len(category.values) > 1:
            x, y = category.values[:2]
            name = category.name
            suggested.append((f"{name} {x} and {y}", {"in_a": f"{name}:{x}", "in_b": f"{name}:{y}"}))
    return suggested
