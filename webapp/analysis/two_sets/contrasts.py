"""Two sets of documents compared: which topics one has more of, by how much, and which words tell
them apart."""

from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from inference.answers import Answers, Obstacle, QuestionFamily
from inference.answers.held import ComparedSettings
from inference.effects import time_curve
from inference.explore import bands as intervals
from inference.topic_sums import TOKENS
from webapp.analysis.answers import cautions, set_answers
from webapp.analysis.answers.set_answers import TwoSetAnswers
from webapp.analysis.findings.stored_answers import finite
from webapp.analysis.time import shares
from webapp.analysis.two_sets import compared_sets, words_of_sides
from webapp.analysis.two_sets.compared_sets import Side
from webapp.analysis.two_sets.division import Division, divide, side_of_documents
from webapp.analysis.two_sets.shapes import (
    BriefDifference,
    Compared,
    LargestInTexts,
    SideOfComparison,
    TopicDifference,
)
from webapp.analysis.words.shapes import WordLink
from webapp.core.documents import corpus_unit, document_groups, search, sums, unit_sentences
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, links, topics
from webapp.intake.metadata.groups import PERIODS
from webapp.platform.storage.cache import BoundedCache

Order = Literal["difference", "ratio"]
Constant = Literal["", "time"]  # what is held constant
TOPICS_OF_SIDE = 15  # topics of each side, with their words
WORDS_IN_BRIEF = 3  # of a topic without a name
MOST_IN_BRIEF = 200  # topics of a table that opens; the file has all
_sums_of_sides = BoundedCache(4 << 20)  # sums of both sides: of 2,000 topics 160 KB
NO_SIDE = -1  # of topics that are not listed
LEAST_RATIO = 1e-300  # of shares
LOG_RATIO_TO_NOTHING = 1e3  # logarithm of the ratio where one side has nothing


def compare(
    base: RunSelection,
    side_a: Side,
    side_b: Side,
    order: Order,
    constant: Constant = "",
    two_set_answers: TwoSetAnswers | None = None,
    with_words: bool = True,
) -> Compared:
    """Topics by the difference of their shares, and words. constant: "time" compares the first
    side with what the share of the second is expected to be at the times of the first.
    two_set_answers: the answer, where it is known. with_words: else no words are counted.

    Raises Invalid where a side has no documents, where one document is in both, or where time is to
    be held constant of documents without dates.
    """
    division = divide(base, side_a, side_b)
    differences_of_page = differences(base, side_a, side_b, division, constant, two_set_answers)
    topics_listed = _list_topics(differences_of_page, order)
    answers = differences_of_page.answers
    larger_in_a, larger_in_b = topics_listed.first
    samples = words_of_sides.sample_sides(base, division)
    sample_sizes = [len(sample) for sample in samples]
    sides = (side_a, side_b)
    rows, word_counts = _rows(base, sides, differences_of_page, larger_in_a, larger_in_b, samples)
    words = words_of_sides.NO_WORDS
    if with_words:
        words = words_of_sides.telling_words(base, sides, word_counts)
    in_brief = partial(_in_brief, base, sides, differences_of_page)
    return Compared(
        sides=[
            _side_of_comparison(side, base, differences_of_page.bands, s)
            for s, side in enumerate((side_a, side_b))
        ],
        more=[rows[: len(larger_in_a)], rows[len(larger_in_a) :]],
        words=words.beyond_chance,
        words_in_these_texts=words.in_these_texts,
        words_caution=words.caution,
        words_judged=words.is_judged,
        words_not_held=words.not_held,
        order=order,
        selection=base.sentence,
        constant=constant,
        unsure=in_brief(topics_listed.unsure),
        unsure_count=len(topics_listed.unsure),
        not_listed=[*map(len, topics_listed.further)],
        further=[*map(in_brief, topics_listed.further)],
        words_from=sample_sizes if sample_sizes != division.documents else None,
        unit=unit_sentences.about(base.version, differences_of_page.unit),
        few_units=cautions.few_units(differences_of_page.unit, answers.units, answers.obstacle),
        units=list(answers.units),
        largest=_largest_in_these_texts(base, differences_of_page),
        complement=side_b.complement,
        caution=differences_of_page.caution,
        level=answers.level,
        rows=answers.rows,
        calibrated=answers.calibrated,
        same_speakers=differences_of_page.same_speakers,
        speakers_vary=differences_of_page.speakers_vary,
    )


class Differences(NamedTuple):
    """The topics of both sides, by their place in `topics`. answers: the answer, of which every
    page says the same; bands: counts of both sides. tokens: int64[2, K], of all topics. unit,
    caution: for whom the intervals hold, and what can't be concluded. same_speakers: the field
    whose values are held constant, "" where none is; speakers_vary: as Compared has it."""

    topics: list[int]
    bands: intervals.Bands
    answers: Answers
    tokens: np.ndarray
    unit: corpus_unit.Unit
    caution: str
    same_speakers: str
    speakers_vary: str

    @property
    def difference(self) -> np.ndarray:
        """float64[T]: the share in A less the share in B."""
        return self.answers.difference

    @property
    def is_beyond_chance(self) -> np.ndarray:
        """Whether chance alone can't explain the difference."""
        return self.answers.accepted

    @property
    def larger_in_a(self) -> np.ndarray:
        """bool[T]: which topics are larger in A beyond chance."""
        return self.is_beyond_chance & (self.difference > 0)

    @property
    def larger_in_b(self) -> np.ndarray:
        """bool[T]: which topics are larger in B beyond chance."""
        return self.is_beyond_chance & (self.difference < 0)

    def counted_share(self, i: int) -> list[float | None]:
        """Of either side, of the topic in place i: in these texts, whatever is held constant; None
        of a side without words."""
        return [finite(share) for share in self.bands.share[i]]

    def ranked(self, order: Order) -> np.ndarray:
        """Places, the most different first. A topic that one side has not at all comes before all
        other ratios."""
        if order == "difference":
            distance = np.abs(self.difference)
        else:
            distance = np.abs(np.log(np.maximum(self.answers.ratio, LEAST_RATIO)))
            distance = np.nan_to_num(distance, nan=0.0, posinf=LOG_RATIO_TO_NOTHING)
        return np.argsort(-np.nan_to_num(distance), kind="stable")


def answer_of(
    base: RunSelection, side_a: Side, side_b: Side, division: Division, constant: Constant
) -> TwoSetAnswers:
    """The answer alone, of all topics that are neither hidden nor merged into others."""
    side_of_document = side_of_documents(base, division)
    if constant:
        topics = set_answers.visible_topics(base.view)
        answers, unit = _at_the_same_times(
            base, (side_a, side_b), division, side_of_document, topics
        )
        return TwoSetAnswers(topics, answers, unit, QuestionFamily.CHOSEN)
    of_b = None if side_b.complement else side_b.documents
    chosen = (side_of_document == 0, side_of_document == 1)
    return set_answers.of_sides(base, side_a.documents, of_b, chosen)


def differences(
    base: RunSelection,
    side_a: Side,
    side_b: Side,
    division: Division,
    constant: Constant,
    two_set_answers: TwoSetAnswers | None = None,
) -> Differences:
    """The differences of all topics that are neither hidden nor merged into others.
    two_set_answers: see `compare`."""
    if two_set_answers is None:
        two_set_answers = answer_of(base, side_a, side_b, division, constant)
    topic_numbers = two_set_answers.topics
    answers = two_set_answers.answers
    unit = two_set_answers.unit
    totals, by_topic, everywhere = _sums(base, division)
    bands = intervals.of_sums(totals, by_topic[topic_numbers], everywhere[topic_numbers])
    same_speakers = unit.name if two_set_answers.speakers_held and answers.obstacle is None else ""
    return Differences(
        topics=topic_numbers,
        bands=bands,
        answers=answers,
        tokens=by_topic[:, :, TOKENS].T.astype(np.int64),
        unit=unit,
        caution=cautions.caution(unit, answers.units, answers.obstacle),
        same_speakers=same_speakers,
        speakers_vary=unit.name if two_set_answers.speakers_vary else "",
    )


class ListedTopics(NamedTuple):
    """Where topics are in Differences, the most different first. first: of those that are surely
    larger in a, and in b, TOPICS_OF_SIDE each; further: the others of these; unsure: those whose
    difference may be chance."""

    first: list[list[int]]
    further: list[list[int]]
    unsure: list[int]


def _list_topics(differences_of_page: Differences, order: Order) -> ListedTopics:
    ranked = differences_of_page.ranked(order)
    larger = (differences_of_page.larger_in_a, differences_of_page.larger_in_b)
    of_sides = [ranked[is_larger[ranked]].tolist() for is_larger in larger]
    is_unsure = ~differences_of_page.is_beyond_chance
    return ListedTopics(
        first=[of_side[:TOPICS_OF_SIDE] for of_side in of_sides],
        further=[of_side[TOPICS_OF_SIDE:] for of_side in of_sides],
        unsure=ranked[is_unsure[ranked]].tolist(),
    )


def _largest_in_these_texts(
    base: RunSelection, differences_of_page: Differences
) -> LargestInTexts | None:
    """The topic whose counted shares differ most; None where no share is known."""
    shares = differences_of_page.bands.share
    distance = np.nan_to_num(np.abs(shares[:, 0] - shares[:, 1]))
    if not distance.any():
        return None
    i = int(distance.argmax())
    topic = differences_of_page.topics[i]
    words = topics.top_words(base.view, [topic], WORDS_IN_BRIEF)
    return LargestInTexts(
        **vars(links.topic_link(base.view, topic)),
        words=words[topic],
        share=shares[i].tolist(),
    )


def _in_brief(
    base: RunSelection,
    sides: tuple[Side, Side],
    differences_of_page: Differences,
    indices: list[int],
) -> list[BriefDifference]:
    """The first of these topics, at most MOST_IN_BRIEF, without words of either side."""
    answers = differences_of_page.answers
    indices = indices[:MOST_IN_BRIEF]
    numbers = [differences_of_page.topics[i] for i in indices]
    words = topics.top_words(base.view, numbers, WORDS_IN_BRIEF)
    rows = []
    for i, topic in zip(indices, numbers, strict=True):
        row = BriefDifference(
            **vars(links.topic_link(base.view, topic)),
            words=words[topic],
            share=[finite(answers.a[i]), finite(answers.b[i])],
            counted_share=differences_of_page.counted_share(i),
            difference=finite(answers.difference[i]),
            difference_low=finite(answers.low[i]),
            difference_high=finite(answers.high[i]),
            documents=[compared_sets.address(side, base, topic=topic) for side in sides],
        )
        rows.append(row)
    return rows


def _rows(
    base: RunSelection,
    sides: tuple[Side, Side],
    differences_of_page: Differences,
    larger_in_a: list[int],
    larger_in_b: list[int],
    samples: list[np.ndarray],
) -> tuple[list[TopicDifference], np.ndarray]:
    """The topics that are listed, and int64[2, V], the words of the sides' samples."""
    view = base.view
    indices = larger_in_a + larger_in_b
    topic_numbers = [differences_of_page.topics[i] for i in indices]
    larger_side = [0] * len(larger_in_a) + [1] * len(larger_in_b)
    group = np.repeat(np.arange(2, dtype=np.int32), [len(sample) for sample in samples])
    row_of_topic = view.labels.rows_of(topic_numbers)
    is_larger = np.arange(2)[:, None] == np.array([*larger_side, NO_SIDE])[row_of_topic]
    word_sums = evidence.of(view.run).token_topics.word_sums(
        group,
        np.where(is_larger, row_of_topic, -1),
        len(topic_numbers),
        np.concatenate(samples),
    )
    top_words = topics.top_words(view, topic_numbers, topics.FIRST_WORDS)
    words_by_topic = words_of_sides.words_of_topics(view.run, word_sums)
    rows = [
        _row(
            base,
            sides,
            differences_of_page,
            i,
            larger,
            top_words[differences_of_page.topics[i]],
            telling,
        )
        for i, larger, telling in zip(indices, larger_side, words_by_topic, strict=True)
    ]
    return rows, word_sums.of_groups


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
        counted_share=differences_of_page.counted_share(i),
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
        documents=[compared_sets.address(side, base, topic=topic) for side in sides],
        telling=[
            WordLink(
                word,
                compared_sets.address(
                    sides[larger],
                    base,
                    topic=topic,
                    terms=terms,
                ),
            )
            for word, terms in search.terms(base.version, telling).items()
        ],
    )


def _side_of_comparison(
    side: Side, base: RunSelection, bands: intervals.Bands, s: int
) -> SideOfComparison:
    return SideOfComparison(
        side.name,
        int(bands.documents[s]),
        int(bands.tokens[s]),
        compared_sets.address(side, base),
        bool(bands.thin[s]),
    )


def _sums(base: RunSelection, division: Division) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """float64[2, 3], float64[K, 2, 5] and float64[K, 5]: what bands.of_sums needs."""
    view = base.view

    def make() -> tuple[np.ndarray, np.ndarray]:
        day_sums = sums.of_days(base, division.days) if division.days else None
        if day_sums is not None:
            return day_sums.of_worded[:-1], day_sums.by_topic[:, :-1]
        first, second = division.of_both(base)
        if second is not None:
            return shares.of_documents_alone(view, [first, second])
        totals, by_topic = shares.of_documents_alone(view, [first])
        all_totals, all_by_topic = shares.everywhere(view)
        return (
            np.concatenate([totals, all_totals - totals]),
            np.concatenate([by_topic, all_by_topic - by_topic], axis=1),
        )

    key = ("sides", *base.counts_key, division.key)
    totals, by_topic = _sums_of_sides.get_or_set(key, make)
    _, all_by_topic = shares.everywhere(view)
    return totals, by_topic, all_by_topic[:, 0]


def _at_the_same_times(
    base: RunSelection,
    sides: tuple[Side, Side],
    division: Division,
    side_of_document: np.ndarray,
    topics: list[int],
) -> tuple[Answers, corpus_unit.Unit]:
    """The difference of two sides where time is held constant, by a curve over the periods that
    suit the texts. side_of_document: int32[D], 0, 1 or -1."""
    by = _usual_period(base)
    periods = document_groups.read_groups(base.version, by)
    count = len(periods.labels)
    is_compared = (side_of_document >= 0) & (periods.group >= 0)
    cell = np.where(is_compared, count * side_of_document + periods.group, -1)
    side_of_cell = np.repeat([0, 1], count)
    period = np.tile(np.arange(count), 2)
    lengths = np.where(cell >= 0, evidence.of(base.run).lengths, 0)
    words = np.bincount(np.maximum(cell, 0), weights=lengths, minlength=2 * count)
    trend = time_curve.spline(period, words)
    design = np.column_stack([trend, side_of_cell == 0]).astype(float)
    mix = np.where(side_of_cell == 0, words, 0.0)
    usual = mix @ trend / max(mix.sum(), 1e-300)
    settings = ComparedSettings(
        rows=design,
        compared=np.array([[*usual, 1.0], [*usual, 0.0]]),
        side=side_of_cell,
        held=trend,
        time=periods.group.astype(float),
    )
    compared = sorted({name for side in sides for name, _ in side.documents.values})
    unit, _ = set_answers.unit_of(base.version, *compared)
    never_at_once = not time_curve.overlap(words, side_of_cell, period)
    key = (*base.counts_key, division.key, by, unit.key, tuple(topics))
    answers = set_answers.with_held(
        key,
        lambda: shares.effect_data(base.view, unit, cell, topics),
        settings,
        Obstacle.APART_IN_TIME if never_at_once else None,
    )
    return answers, unit


def _usual_period(base: RunSelection) -> str:
    """The periods that suit the texts; years where only other groups do."""
    usual = document_groups.usual_grouping(base.version)
    return usual if usual in PERIODS else "year"
