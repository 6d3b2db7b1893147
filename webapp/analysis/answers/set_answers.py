"""The one function that answers a question of difference: what a page, a file or the API says of
two sets of documents comes from here, so that the number, the interval and the verdict are the same
everywhere."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inference import answers as estimator
from inference.answers import Answers, Obstacle, Question, QuestionFamily, held, question
from inference.answers.held import ComparedSettings
from inference.effects import regression
from inference.effects.regression import Data
from webapp.analysis.answers import groups, spans
from webapp.analysis.answers.groups import FieldGroups
from webapp.analysis.answers.spans import SpansOfSet
from webapp.core.documents import corpus_unit, fields
from webapp.core.documents.conditions import Range, Value
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Version
from webapp.platform.storage.cache import BoundedCache

_kept_answers = BoundedCache(16 << 20)  # a field of 100 values and 60 topics takes 1 MB
# What changed in some sets: of 24,000 documents, 670 speakers, 250 days and 60 topics 6 MB
_looked_through = BoundedCache(64 << 20)


class TwoSetAnswers(NamedTuple):
    """topics: the number of each topic that `answers` are of. unit: whose documents depend on each
    other. question_family: which other comparisons share the level. speakers_held: whether the shares
    of one side are those that the units of the other have at its times. speakers_vary: whether two
    times are compared whoever speaks then, though changes are asked of texts of the same units."""

    topics: list[int]
    answers: Answers
    unit: corpus_unit.Unit
    question_family: QuestionFamily
    speakers_held: bool = False
    speakers_vary: bool = False

    def place(self, topic: int) -> int:
        """Where a topic is in `answers`. Raises ValueError for one that is hidden or merged."""
        return self.topics.index(topic)


class FieldAnswers(NamedTuple):
    """How every named value of a field differs from all other documents of a set. answers: by the
    place of the group. unit: see TwoSetAnswers."""

    field: FieldGroups
    topics: list[int]
    answers: dict[int, Answers]
    unit: corpus_unit.Unit


class SpanAnswers(NamedTuple):
    """topics: the number of each topic that `spans` are of."""

    topics: list[int]
    spans: SpansOfSet

    @property
    def too_few_in_order(self) -> int:
        """See inference.answers.spans.Spans."""
        return self.spans.too_few_in_order


def visible_topics(view: RunView) -> list[int]:
    """The rows of every family: topics that are neither hidden nor merged into others."""
    return [k for k in view.topics if view.labels.is_visible(k)]


def unit_of(version: Version, *compared: str) -> tuple[corpus_unit.Unit, np.ndarray | None]:
    """Who is independent where some fields are compared, and each document's: int[D], None where
    documents are."""
    unit = corpus_unit.unit_of(version, *compared)
    if unit.field is None:
        return unit, None
    return unit, corpus_unit.codes(version, unit.field).astype(np.int64)


def of_field(selection: RunSelection, field: FieldGroups) -> FieldAnswers:
    """Each named value of a field against all other documents of a set. Kept for a while."""
    topics = visible_topics(selection.view)
    unit, codes = unit_of(selection.version, field.name)
    value_question = question.of_values(field.group, field.groups, codes, field.named)

    def make() -> dict[int, Answers]:
        rows = estimator.answer_question_family(
            counted_topics(selection.view, topics), value_question
        )
        return dict(zip(value_question.asked_groups.tolist(), rows, strict=True))

    key = (*_key(selection, topics, unit), "field", field.name, field.bounds)
    return FieldAnswers(field, topics, _kept_answers.get_or_set(key, make), unit)


def over_time(selection: RunSelection) -> SpanAnswers | None:
    """All spans of time of a set's topics; None without two periods that have words. Kept for a
    while: to look through them takes a second or more."""
    topics = visible_topics(selection.view)
    unit, _ = unit_of(selection.version)

    def make() -> tuple[SpansOfSet | None]:
        return (spans.look_through(selection, counted_topics(selection.view, topics)),)

    (looked,) = _looked_through.get_or_set((*_key(selection, topics, unit), "spans"), make)
    return None if looked is None else SpanAnswers(topics, looked)


def of_sides(
    base: RunSelection,
    side_a: RunSelection,
    side_b: RunSelection | None,
    sides: tuple[np.ndarray, np.ndarray],
) -> TwoSetAnswers:
    """Two sets of documents. side_b: None for all documents of `base` that are not in `side_a`;
    sides: bool[D], the documents of both. A value of a field against all others is answered with
    all values of the field, a span of time against all other time with all spans, also where the
    second set is this other time."""
    span = _as_span(base, side_a, side_b, sides)
    if span is not None:
        return span
    if side_b is None:
        value = _as_value(base, side_a)
        if value is not None:
            return value
    compared = {name for side in (side_a, side_b) if side is not None for name, _ in side.values}
    topics = visible_topics(base.view)
    unit, codes = unit_of(base.version, *sorted(compared))
    two_set_question = question.of_two_sets(*sides, codes)
    key = (
        *_key(base, topics, unit),
        "sides",
        *side_a.key,
        "and",
        *(side_b.key if side_b is not None else ()),
    )
    answers = _kept_answers.get_or_set(key, lambda: _answer(base.view, topics, two_set_question))
    return TwoSetAnswers(
        topics,
        answers,
        unit,
        QuestionFamily.CHOSEN,
        speakers_vary=is_of_time(base, side_a, side_b) and _speakers_are_held_over_time(base),
    )


def _speakers_are_held_over_time(base: RunSelection) -> bool:
    """Whether a change over time is asked of texts of the same units."""
    over_all_time = over_time(base)
    return over_all_time is not None and over_all_time.spans.spans.mix is not None


def with_held(
    key: tuple,
    make_data: Callable[[], Data],
    settings: ComparedSettings,
    obstacle: Obstacle | None = None,
    fit: held.Fitted = regression.fit,
    exchanges: bool = True,
) -> Answers:
    """Two settings of a design, where other things are held constant. key: all that the answer
    depends on; make_data: gives the data; the others as inference.answers.held has them."""
    return _kept_answers.get_or_set(
        ("held", *key, obstacle),
        lambda: held.answer_held(make_data(), settings, obstacle, fit, exchanges=exchanges),
    )


def _answer(view: RunView, topics: list[int], asked_question: Question) -> Answers:
    return estimator.answer(counted_topics(view, topics), asked_question)


def is_of_time(base: RunSelection, first: RunSelection, second: RunSelection | None) -> bool:
    """Whether two sets are spans of time and nothing else, for which all spans are looked
    through. second: None for all documents that are not in the first."""
    return _is_span(base, first) and (second is None or _is_span(base, second))


def _as_span(
    base: RunSelection,
    side_a: RunSelection,
    side_b: RunSelection | None,
    sides: tuple[np.ndarray, np.ndarray],
) -> TwoSetAnswers | None:
    """Where both sides are spans of time and nothing else: one and all other time, or the last and
    the first third."""
    if not is_of_time(base, side_a, side_b):
        return None
    over_all_time = over_time(base)
    if over_all_time is None:
        return None
    (answers,) = _kept_answers.get_or_set(
        (
            *_key(base, over_all_time.topics, over_all_time.spans.unit),
            "span",
            *side_a.key,
            *(side_b.key if side_b is not None else ()),
        ),
        lambda: (_of_span(over_all_time.spans, sides, side_b is None),),
    )
    if answers is None:
        return None
    speakers_held = over_all_time.spans.spans.mix is not None
    return TwoSetAnswers(
        over_all_time.topics, answers, over_all_time.spans.unit, QuestionFamily.SPAN, speakers_held
    )


def _is_span(base: RunSelection, side: RunSelection) -> bool:
    """Whether a side is the documents of some days, and of all else that the base says."""
    if (side.first, side.last) == (base.first, base.last):
        return False
    return side.with_dates(base.first, base.last).parameters == base.parameters


def _of_span(
    over_all_time: SpansOfSet, sides: tuple[np.ndarray, np.ndarray], against_all: bool
) -> Answers | None:
    """None for two spans that are neither all time nor the last and the first third."""
    dated = over_all_time.calendar.group >= 0
    if against_all or bool((sides[0] | sides[1])[dated].all()):
        return over_all_time.answer(sides[0])
    thirds = over_all_time.thirds()
    if thirds is None:
        return None
    for turned in (False, True):
        ordered = sides[::-1] if turned else sides
        is_third = [
            np.array_equal(side & dated, third) for side, third in zip(ordered, thirds, strict=True)
        ]
        if all(is_third):
            answers = over_all_time.answer(*thirds)
            return answers.turned if turned else answers
    return None


def _as_value(base: RunSelection, side_a: RunSelection) -> TwoSetAnswers | None:
    """Where side A is one value of a field, or one third of a number, and nothing else."""
    field = _field_of(base, side_a)
    if field is None:
        return None
    groups_of_field, group_of_side = field
    of_values = of_field(base, groups_of_field)
    answers = of_values.answers.get(group_of_side)
    if answers is None:  # of two groups only the first is asked
        (first_group,) = of_values.answers.values()
        answers = first_group.turned
    return TwoSetAnswers(of_values.topics, answers, of_values.unit, QuestionFamily.VALUE)


def _field_of(base: RunSelection, side_a: RunSelection) -> tuple[FieldGroups, int] | None:
    """The field and the group that side A is, within the documents of `base`."""
    added = [condition for condition in side_a.conditions if condition not in base.conditions]
    if len(added) != 1 or len(side_a.conditions) != len(base.conditions) + 1:
        return None
    (condition,) = added
    if isinstance(condition, Value):
        name = condition.category
        category = next((f for f in fields.categories(base.version) if f.name == name), None)
        if category is None:
            return None
        field = groups.of_category(base, category)
        group_of_side = field.place_of(condition.value)
    elif isinstance(condition, Range):
        numbers = fields.numeric_fields(base.version)
        number = next((known for known in numbers if known.name == condition.name), None)
        thirds = groups.of_number(base, number) if number is not None else None
        if thirds is None:
            return None
        field = thirds
        group_of_side = field.place_of("", (condition.low, condition.high))
    else:
        return None
    return None if group_of_side is None else (field, group_of_side)


def forget_spans() -> None:
    """Drop what is kept of spans of time: for whoever changes the dates of documents in memory, as
    benchmarks.nulls does."""
    _looked_through.clear()


def counted_topics(view: RunView, topics: list[int]) -> estimator.CountedTopics:
    """Counted words of topics, and of what was merged into them."""
    run_evidence = evidence.of(view.run)
    return estimator.CountedTopics(
        run_evidence.mixtures.doc_ptr,
        run_evidence.mixtures.doc_topics,
        run_evidence.mixtures.doc_tokens,
        run_evidence.lengths,
        view.labels.rows_of(topics),
        len(topics),
    )


def _key(selection: RunSelection, topics: list[int], unit: corpus_unit.Unit) -> tuple:
    """What every answer in a set depends on."""
    return (*selection.counts_key, tuple(topics), unit.key)
