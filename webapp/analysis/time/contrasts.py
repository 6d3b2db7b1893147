"""Two sets of documents compared: which topics one has more of, by how much, and which words tell
them apart."""

from itertools import chain
from typing import Literal, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.answers import Answers, Family
from inference.answers.held import Settings
from inference.effects import time_curve
from inference.errors import Invalid, called
from inference.explore import bands as intervals
from inference.explore.day_sums import TOKENS, WORDED
from inference.explore.documents import numbers_of_mask, spread, spread_outside
from inference.explore.relevance import distinctive
from webapp.analysis.answers import cautions, set_answers
from webapp.analysis.answers.set_answers import Answered
from webapp.analysis.findings.values import finite
from webapp.analysis.time import shares
from webapp.analysis.time.shapes import (
    CategoryChoice,
    Compared,
    SetsForm,
    SideForm,
    SideOfComparison,
    TopicDifference,
    WordDifference,
)
from webapp.analysis.words.shapes import WordLink
from webapp.core.documents import fields, sums, unit_sentences, units
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.documents.shapes import ValueChoice
from webapp.core.results import evidence, links, topics
from webapp.core.results.view import RunView
from webapp.intake.metadata.field import ValueField
from webapp.models import Run, Version, Word
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.cache import BoundedCache

CONDITIONS = ("from", "to", "in", "between")  # of each side
Order = Literal["difference", "ratio"]
Constant = Literal["", "time"]  # what is held constant
ASKED = (
    "from_a",
    "to_a",
    "in_a",
    "between_a",
    "from_b",
    "to_b",
    "in_b",
    "between_b",
    "topic",
    "topic_a",
    "topic_b",
)  # what says two sides
LISTED = 15  # topics of each side
WORDS = 8  # of a topic as one side uses it
ALL_WORDS = 24  # of each side, whatever the topic
# words of each side that are counted, about: of 1 in 10,000 the rate is known within 14%
SAMPLED = 2_000_000
LEAST_SAMPLED = 1_000  # documents of each side at least
PER_WORDS = 10_000  # rates are occurrences in so many words
OFFERED = 60  # values of a category to choose from, the most frequent
SUGGESTED = 3  # categories whose values are suggested to be compared
TWO_DECADES = 20  # years that a corpus must span before its ends are suggested
_sums_of_sides = BoundedCache(4 << 20)  # sums of both sides: of 2,000 topics 160 KB
LEAST_RATIO = 1e-300  # of shares
FARTHEST = 1e3  # logarithm of the ratio where one side has nothing
# standard errors from which a word is said to be more frequent: chance alone exceeds it in 1 of 100
# cases
SURE = 2.58


class Side(NamedTuple):
    """documents: of this side, within those of the page. complement: it is all of those that the
    other side has not."""

    name: str
    documents: RunSelection
    complement: bool


def side(query: QueryDict, letter: str, base: RunSelection) -> Side | None:
    """?from_a= ?to_a= ?in_a= ?between_a=; None where nothing is said."""
    conditions = QueryDict(mutable=True)
    for name in CONDITIONS:
        conditions.setlist(
            name, [value for value in query.getlist(f"{name}_{letter}") if value.strip()]
        )
    with called({name: f"{name}_{letter}" for name in CONDITIONS}):
        selection = Selection.read(conditions, base.view)
    if not selection:
        return None
    categories = {name for name, _ in selection.values}
    values = [
        (name, value) for name, value in base.values if name not in categories
    ] + selection.values
    span = (selection.first or base.first, selection.last or base.last)
    between = [*base.between, *selection.between]
    return Side(selection.name, base.changed(span=span, values=values, between=between), False)


def read_sides(
    query: QueryDict, selection: RunSelection, rest: bool
) -> tuple[RunSelection, Side, Side] | None:
    """What an address compares: the documents of the page, and two sides of them. None where it
    says no side. rest: the chosen documents, with all others of the run."""
    side_a = side(query, "a", selection)
    side_b = side(query, "b", selection)
    if side_a is None and side_b is not None:
        raise Invalid("from_a", "First choose the documents to compare with these.")
    if side_a is not None:
        return selection, side_a, side_b or _others(selection)
    if not (selection and rest):
        return None
    base = Selection.all(selection.view)
    return base, Side(selection.name, selection, False), _others(base)


def addresses_of(base: RunSelection, first: Side, second: Side) -> list[str]:
    """Queries of the documents of which both are parts, and of both: what a worker is told of
    them, beside whether the second is all others."""
    sets = (base, first.documents, second.documents)
    return [one_set.address().removeprefix("?") for one_set in sets]


def sides_of_addresses(
    view: RunView, addresses: list[str], complement: bool
) -> tuple[RunSelection, Side, Side]:
    """The same in a worker, without names. complement: whether the second is all others."""
    base, first, second = (Selection.read(QueryDict(address), view) for address in addresses)
    return base, Side("", first, False), Side("", second, complement)


def _others(base: RunSelection) -> Side:
    return Side("all others", base, True)


def compare(
    base: RunSelection,
    side_a: Side,
    side_b: Side,
    order: Order,
    constant: Constant = "",
    answered: Answered | None = None,
) -> Compared:
    """Topics by the difference of their shares, and words. constant: "time" compares a with what
    b's share is expected to be at the times of a. answered: the answer, where it is known.

    Raises Invalid where a side has no documents, where one document is in both, or where time is to
    be held constant of documents without dates.
    """
    view = base.view
    documents = divided(base, side_a, side_b)
    differences_of_page = differences(base, side_a, side_b, documents, constant, answered)
    larger_in_a, larger_in_b = _listed(differences_of_page, order)
    samples = _samples(base, documents)
    sample_sizes = [len(sample) for sample in samples]
    rows, words = _rows(
        base, (side_a, side_b), differences_of_page, larger_in_a, larger_in_b, samples
    )
    unsure = [
        differences_of_page.topics[i]
        for i in differences_of_page.ranked(order)
        if not differences_of_page.sure[i]
    ]
    return Compared(
        sides=[
            _side_of_comparison(side, base, differences_of_page.bands, s)
            for s, side in enumerate((side_a, side_b))
        ],
        more=[rows[: len(larger_in_a)], rows[len(larger_in_a) :]],
        words=words,
        order=order,
        selection=base.sentence,
        constant=constant,
        unsure=[links.topic_link(view, topic) for topic in unsure[: 2 * LISTED]],
        unsure_count=len(unsure),
        not_listed=[
            int(np.count_nonzero(differences_of_page.larger_in_a)) - len(larger_in_a),
            int(np.count_nonzero(differences_of_page.larger_in_b)) - len(larger_in_b),
        ],
        words_from=sample_sizes if sample_sizes != documents.documents else None,
        unit=unit_sentences.about(base.version, differences_of_page.unit),
        few_units=cautions.few_units(
            differences_of_page.unit,
            differences_of_page.answers.units,
            differences_of_page.answers.verdict,
        ),
        caution=differences_of_page.caution,
        level=differences_of_page.answers.level,
        rows=differences_of_page.answers.rows,
        calibrated=differences_of_page.answers.calibrated,
        same_speakers=differences_of_page.same_speakers,
    )


class Differences(NamedTuple):
    """The topics of both sides, by their place in `topics`. answers: the answer, of which every page
    says the same; bands: counts of both sides. tokens: int64[2, K], of all topics. unit, caution:
    for whom the intervals hold, and what can't be concluded. same_speakers: the field whose values
    are held constant, "" where none is."""

    topics: list[int]
    bands: intervals.Bands
    answers: Answers
    tokens: np.ndarray
    unit: units.Unit
    caution: str
    same_speakers: str

    @property
    def difference(self) -> np.ndarray:
        return self.answers.difference

    @property
    def sure(self) -> np.ndarray:
        """Whether chance alone can't explain the difference."""
        return self.answers.accepted

    @property
    def larger_in_a(self) -> np.ndarray:
        return self.sure & (self.difference > 0)

    @property
    def larger_in_b(self) -> np.ndarray:
        return self.sure & (self.difference < 0)

    def ranked(self, order: Order) -> np.ndarray:
        """Places, the most different first. A topic that one side has not at all comes before all
        other ratios."""
        if order == "difference":
            distance = np.abs(self.difference)
        else:
            distance = np.abs(np.log(np.maximum(self.answers.ratio, LEAST_RATIO)))
            distance = np.nan_to_num(distance, nan=0.0, posinf=FARTHEST)
        return np.argsort(-np.nan_to_num(distance), kind="stable")


def answer_of(
    base: RunSelection, side_a: Side, side_b: Side, documents: "Divided", constant: Constant
) -> Answered:
    """The answer alone, of all topics that are neither hidden nor merged into others."""
    side = side_of_documents(base, documents)
    if constant:
        topics = set_answers.visible_topics(base.view)
        answers, unit = _at_the_same_times(base, (side_a, side_b), documents, side, topics)
        return Answered(topics, answers, unit, Family.CHOSEN)
    of_b = None if side_b.complement else side_b.documents
    return set_answers.of_sides(base, side_a.documents, of_b, (side == 0, side == 1))


def differences(
    base: RunSelection,
    side_a: Side,
    side_b: Side,
    documents: "Divided",
    constant: Constant,
    answered: Answered | None = None,
) -> Differences:
    """Of all topics that are neither hidden nor merged into others. answered: see `compare`."""
    if answered is None:
        answered = answer_of(base, side_a, side_b, documents, constant)
    topic_numbers = answered.topics
    answers = answered.answers
    unit = answered.unit
    totals, by_topic, everywhere = _sums(base, documents)
    bands = intervals.of_sums(totals, by_topic[topic_numbers], everywhere[topic_numbers])
    same_speakers = unit.name if answered.speakers_held and not answers.verdict else ""
    tokens = by_topic[:, :, TOKENS].T.astype(np.int64)
    caution = cautions.caution(unit, answers.units, answers.verdict)
    return Differences(topic_numbers, bands, answers, tokens, unit, caution, same_speakers)


def _listed(differences_of_page: Differences, order: Order) -> tuple[list[int], list[int]]:
    """Places of the topics that are surely larger in a, and of those in b, the most different
    first."""
    ranked = differences_of_page.ranked(order)
    in_a = [int(i) for i in ranked if differences_of_page.larger_in_a[i]]
    in_b = [int(i) for i in ranked if differences_of_page.larger_in_b[i]]
    return in_a[:LISTED], in_b[:LISTED]


def _rows(
    base: RunSelection,
    sides: tuple[Side, Side],
    differences_of_page: Differences,
    larger_in_a: list[int],
    larger_in_b: list[int],
    samples: list[np.ndarray],
) -> tuple[list[TopicDifference], list[list[WordDifference]]]:
    """The topics that are listed, and the words that tell the sides apart whatever the topic."""
    view = base.view
    indices = larger_in_a + larger_in_b
    topic_numbers = [differences_of_page.topics[i] for i in indices]
    larger_side = [0] * len(larger_in_a) + [1] * len(larger_in_b)
    group = np.repeat(np.arange(2, dtype=np.int32), [len(sample) for sample in samples])
    row_of_topic = shares.rows_of(view.labels.into, topic_numbers)
    word_sums = evidence.of(view.run).word_sums(
        group, 2, row_of_topic, len(topic_numbers), np.concatenate(samples)
    )
    top_words = topics.top_words(view, topic_numbers, 5)
    telling_words = _telling(view.run, word_sums, larger_side)
    rows = [
        _row(
            base,
            sides,
            differences_of_page,
            i,
            side,
            top_words[differences_of_page.topics[i]],
            telling,
        )
        for i, side, telling in zip(indices, larger_side, telling_words, strict=True)
    ]
    return rows, _all_words(base, sides, word_sums[:, -1])


def _row(
    base: RunSelection,
    sides: tuple[Side, Side],
    differences_of_page: Differences,
    i: int,
    larger: int,
    words: list[str],
    telling: list[str],
) -> TopicDifference:
    """The topic in place i. larger: the side, 0 or 1, on which it is larger."""
    topic = differences_of_page.topics[i]
    answers = differences_of_page.answers
    ends = [answers.ends(s) for s in range(2)]
    return TopicDifference(
        **vars(links.topic_link(base.view, topic)),
        words=words,
        share=[float(answers.a[i]), float(answers.b[i])],
        low=[float(low[i]) for low, _ in ends],
        high=[float(high[i]) for _, high in ends],
        tokens=differences_of_page.tokens[:, topic].tolist(),
        difference=float(answers.difference[i]),
        difference_low=float(answers.low[i]),
        difference_high=float(answers.high[i]),
        ratio=finite(answers.ratio[i]),
        ratio_low=finite(answers.ratio_low[i]),
        ratio_high=finite(answers.ratio_high[i]),
        p=finite(answers.p[i]),
        verdict=answers.verdict_of(i),
        part_of_largest=finite(answers.part[i]),
        documents=[address(side, base, topic=topic) for side in sides],
        telling=[
            WordLink(word, address(sides[larger], base, topic=topic, word=word)) for word in telling
        ],
    )


def _side_of_comparison(
    side: Side, base: RunSelection, bands: intervals.Bands, s: int
) -> SideOfComparison:
    return SideOfComparison(
        side.name,
        int(bands.documents[s]),
        int(bands.tokens[s]),
        address(side, base),
        bool(bands.thin[s]),
    )


def address(side: Side, base: RunSelection, *, topic: int | None = None, word: str = "") -> str:
    """The documents of a side, those with a topic or a word in it; of a complement, which no
    address can say, those of both sides."""
    documents = base if side.complement else side.documents
    parameters = documents.parameters
    if word:
        query = " ".join([value for name, value in parameters if name == "q"] + [f'"{word}"'])
        parameters = [("q", query)] + [(name, value) for name, value in parameters if name != "q"]
    if topic is not None:
        parameters = [*parameters, ("has", f"{topic}:1")]
    return links.documents_url(base.run, "?" + urlencode(parameters))


class Divided(NamedTuple):
    """The documents of both sides. days: of each, where days alone say what is on it; else numbers:
    int32, ascending, of each, None for all that are not on the first."""

    documents: list[int]
    days: list[sums.Spans] | None
    numbers: tuple[np.ndarray, np.ndarray | None] | None
    name: tuple

    def of_both(self, base: RunSelection) -> tuple[np.ndarray, np.ndarray | None]:
        """int32, ascending: the documents of either side; None for all that are not on the first.
        Those of days are looked for, which takes a pass over all documents."""
        if self.numbers:
            return self.numbers
        assert self.days is not None
        days = fields.dates(base.version)
        first, second = (_numbers_within(spans, days) for spans in self.days)
        return first, second


def _numbers_within(spans: sums.Spans, days: np.ndarray) -> np.ndarray:
    """int32, ascending: the documents whose day is within one of the spans."""
    return numbers_of_mask(
        np.logical_or.reduce([(days >= start) & (days < end) for start, end in spans])
    )


def divided(base: RunSelection, side_a: Side, side_b: Side) -> Divided:
    """Raises Invalid where a side has no documents, or where one document is on both."""
    days = None
    numbers = None
    span = base.span
    span_a = side_a.documents.span
    span_b = side_b.documents.span
    if span and span_a and span_b:
        span_of_a = sums.within([span], [span_a])
        of_b = sums.without(span, span_of_a) if side_b.complement else sums.within([span], [span_b])
        days = [span_of_a, of_b]
        *counts, shared = sums.counts_of_days(
            base, [span_of_a, of_b, sums.within(span_of_a, of_b)]
        ).tolist()
    else:
        numbers, counts, shared = _divided_by_numbers(base, side_a, side_b)
    if shared:
        raise Invalid(
            "from_b",
            f"{shared:,} documents are on both sides. Choose two sets that have no document in"
            " common, such as 1930–1939 and 1990–1999.",
        )
    for side, count in zip((side_a, side_b), counts, strict=True):
        if not count:
            raise Invalid(
                "from_a", f"No document is on the side “{side.name}”. Choose another time or value."
            )
    name = (*side_a.documents.parameters, "and", *side_b.documents.parameters, side_b.complement)
    return Divided(counts, days, numbers, name)


def _divided_by_numbers(
    base: RunSelection, side_a: Side, side_b: Side
) -> tuple[tuple[np.ndarray, np.ndarray | None], list[int], int]:
    """Numbers of either side's documents, None for all that are not on the first; how many each
    has, and how many are on both."""
    first = _within(side_a.documents, base)
    second = _within(side_b.documents, base)
    assert first is not None, "a side is what conditions choose"
    in_first = np.zeros(base.version.documents, bool)
    in_first[first] = True
    shared = 0
    if not side_b.complement:
        shared = int(np.count_nonzero(in_first[second]))
    elif second is not None:
        second = second[~in_first[second]]
    other_documents = base.version.documents - len(first) if second is None else len(second)
    return (first, second), [len(first), other_documents], shared


def _within(selection: RunSelection, base: RunSelection) -> np.ndarray | None:
    """int32, ascending: the documents of a set that are also in another; None for all."""
    numbers = selection.numbers
    if base.mask is None or numbers is None:
        return numbers
    return numbers[base.mask[numbers]]


def _sums(base: RunSelection, sides: Divided) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """float64[2, 3], float64[K, 2, 5] and float64[K, 5]: what bands.of_sums needs."""
    view = base.view

    def make() -> tuple[np.ndarray, np.ndarray]:
        day_sums = sums.of_days(base, sides.days) if sides.days else None
        if day_sums is not None:
            return day_sums.whole[:-1, WORDED:], day_sums.by_topic[:, :-1]
        first, second = sides.of_both(base)
        if second is not None:
            return shares.of_documents_alone(view, [first, second])
        totals, by_topic = shares.of_documents_alone(view, [first])
        all_totals, all_by_topic = shares.everywhere(view)
        return (
            np.concatenate([totals, all_totals - totals]),
            np.concatenate([by_topic, all_by_topic - by_topic], axis=1),
        )

    key = (
        "sides",
        view.run.snapshot_id,
        tuple(base.parameters),
        sides.name,
        view.labels.into.tobytes(),
    )
    totals, by_topic = _sums_of_sides.get_or_set(key, make)
    _, all_by_topic = shares.everywhere(view)
    return totals, by_topic, all_by_topic[:, 0]


def _at_the_same_times(
    base: RunSelection,
    sides: tuple[Side, Side],
    documents: Divided,
    side: np.ndarray,
    topics: list[int],
) -> tuple[Answers, units.Unit]:
    """The difference of two sides where time is held constant, by a curve over the periods that
    suit the texts. side: int32[D], 0, 1 or -1."""
    by = _usual_period(base)
    periods = fields.groups(base.version, by)
    count = len(periods.labels)
    cell = np.where((side >= 0) & (periods.group >= 0), count * side + periods.group, -1)
    side_of_cell = np.repeat([0, 1], count)
    period = np.tile(np.arange(count), 2)
    lengths = np.where(cell >= 0, evidence.of(base.run).lengths, 0)
    words = np.bincount(np.maximum(cell, 0), weights=lengths, minlength=2 * count)
    trend = time_curve.spline(period, words)
    design = np.column_stack([trend, side_of_cell == 0]).astype(float)
    mix = np.where(side_of_cell == 0, words, 0.0)
    usual = mix @ trend / max(mix.sum(), 1e-300)
    settings = Settings(
        rows=design,
        compared=np.array([[*usual, 1.0], [*usual, 0.0]]),
        side=side_of_cell,
        held=trend,
        time=periods.group.astype(float),
    )
    compared = sorted({name for side in sides for name, _ in side.documents.values})
    unit, _ = set_answers.unit_of(base.version, *compared)
    never_at_once = not time_curve.overlap(words, side_of_cell, period)
    labels = base.view.labels.into.tobytes()
    key = (base.run.snapshot_id, *base.key, documents.name, by, unit.key, labels, tuple(topics))
    answers = set_answers.with_held(
        key,
        lambda: shares.effect_data(base.view, unit, cell, topics),
        settings,
        "apart in time" if never_at_once else "",
    )
    return answers, unit


def _usual_period(base: RunSelection) -> str:
    """The periods that suit the texts; years where only other groups do."""
    usual = fields.usual(base.version)
    return usual if usual in fields.PERIODS else "year"


def side_of_documents(base: RunSelection, sides: Divided) -> np.ndarray:
    """int32[D]: 0 or 1, the side of each document; -1 for neither."""
    first, second = sides.of_both(base)
    if second is None:
        side = np.ones(base.version.documents, np.int32)
    else:
        side = np.full(base.version.documents, -1, np.int32)
        side[second] = 1
    side[first] = 0
    return side


def _samples(base: RunSelection, sides: Divided) -> list[np.ndarray]:
    """int32, ascending: of each side the documents whose words are counted, spread evenly over
    it."""
    most_sampled = max(
        LEAST_SAMPLED, SAMPLED * base.version.documents // max(base.version.tokens, 1)
    )
    if sides.days and fields.by_date(base.version, newest=False) is not None:
        return [sums.sample_of_days(base, spans, most_sampled) for spans in sides.days]
    first, second = sides.of_both(base)
    if second is None:
        sampled_elsewhere = spread_outside(first, base.version.documents, most_sampled)
    else:
        sampled_elsewhere = spread(second, most_sampled)
    return [spread(first, most_sampled), sampled_elsewhere]


def _telling(run: Run, word_sums: np.ndarray, sides: list[int]) -> list[list[str]]:
    """For each topic, as its own side uses it, the words that are surely more frequent there than
    in all that both sides say."""
    in_both = word_sums[:, -1].sum(axis=0)
    words_of_topics = []
    for row, side in enumerate(sides):
        counts = word_sums[side, row]
        used = np.flatnonzero(counts)  # what it does not have is not more frequent there
        z = distinctive(counts, in_both, used)
        strongest = np.argsort(-z, kind="stable")[:WORDS]
        words_of_topics.append([int(used[i]) for i in strongest if z[i] > SURE])
    texts = _words(run, set(chain.from_iterable(words_of_topics)))
    return [[texts[w] for w in words] for words in words_of_topics]


def _all_words(
    base: RunSelection, sides: tuple[Side, Side], counts: np.ndarray
) -> list[list[WordDifference]]:
    """The words that tell the sides apart most surely, with how often they are used in 10,000
    words. counts: int64[2, V]."""
    z = distinctive(counts[0], counts.sum(axis=0))
    words_of_a = [int(w) for w in np.argsort(-z)[:ALL_WORDS] if z[w] > SURE]
    of_b = [int(w) for w in np.argsort(z)[:ALL_WORDS] if -z[w] > SURE]
    texts = _words(base.run, {*words_of_a, *of_b})
    totals = np.maximum(counts.sum(axis=1), 1)
    rates = PER_WORDS * counts / totals[:, None]

    def difference(side: Side, w: int) -> WordDifference:
        url = address(side, base, word=texts[w])
        return WordDifference(texts[w], url, rates[:, w].tolist(), counts[:, w].tolist())

    side_a, side_b = sides
    return [[difference(side_a, w) for w in words_of_a], [difference(side_b, w) for w in of_b]]


def _words(run: Run, numbers: set[int]) -> dict[int, str]:
    return dict(
        Word.objects.filter(version=run.version_id, number__in=numbers).values_list(
            "number", "word"
        )
    )


def sets_form(query: QueryDict, version: Version, page_query: PageQuery) -> SetsForm:
    """What an address says of two sets, and what can be chosen: values of each category, the most
    frequent."""
    cleared = dict.fromkeys(ASKED)
    return SetsForm(
        form=[_side_form(query, "a", "First set"), _side_form(query, "b", "Second set")],
        categories=[_category_choice(version, category) for category in fields.categories(version)],
        dated=fields.dated(version),
        suggestions=[
            (text, page_query.url(**cleared | parameters))
            for text, parameters in _suggestions(version)
        ],
    )


def _side_form(query: QueryDict, letter: str, legend: str) -> SideForm:
    """What was typed of a set."""
    first_day = query.get(f"from_{letter}", "")
    last_day = query.get(f"to_{letter}", "")
    return SideForm(letter, legend, first_day, last_day, query.getlist(f"in_{letter}"))


def _category_choice(version: Version, category: ValueField) -> CategoryChoice:
    """A category with its most frequent values, in their order."""
    count = min(len(category.values), OFFERED)
    value_order = fields.in_order(
        version, fields.groups(version, category.name), list(range(count))
    )
    values = [category.values[value_number] for value_number in value_order]
    return CategoryChoice(
        category.name, [ValueChoice(value, f"{category.name}:{value}") for value in values]
    )


def _suggestions(version: Version) -> list[tuple[str, dict[str, str]]]:
    """What might be compared, and the parameters that say so: the first and the last decade, the
    two most frequent values of each category."""
    suggestions: list[tuple[str, dict[str, str]]] = []
    span = fields.dated(version)
    if span and span[1].year - span[0].year >= TWO_DECADES:
        oldest = span[0].year
        newest = span[1].year
        decades = {
            "from_a": str(newest - 9),
            "to_a": str(newest),
            "from_b": str(oldest),
            "to_b": str(oldest + 9),
        }
        suggestions.append(("{from_a}–{to_a} and {from_b}–{to_b}".format(**decades), decades))
    for category in fields.categories(version)[:SUGGESTED]:
        if len(category.values) > 1:
            name = category.name
            first_value, second_value = category.values[:2]
            suggestions.append(
                (
                    f"{name} {first_value} and {second_value}",
                    {"in_a": f"{name}:{first_value}", "in_b": f"{name}:{second_value}"},
                )
            )
    return suggestions
