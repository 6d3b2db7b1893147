"""Which words of a topic came, went and stayed: of the tokens that are assigned to the topic those
of each word, over time. The spans of time are looked through as for topics (docs/intervals.md), so
that nothing is called a change where only who speaks changed. Answered in a request where that is
quick, else by a worker, and stored with the findings of the run."""

from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np
from django.http import QueryDict

from inference.answers import Answers, topic_words as outcomes
from inference.answers.outcome import AmountTable
from inference.explore.relevance import USUAL_LAM, relevance
from webapp.analysis.answers import cautions, spans as spans_of_time
from webapp.analysis.answers.answer_jobs import (
    AnswerJob,
    Stored,
    pack_tuple,
    perform,
    unpack_tuple,
)
from webapp.analysis.answers.spans import SpansOfSet
from webapp.analysis.findings import periods
from webapp.analysis.findings.over_time import AcceptedSpan, SpanAsker
from webapp.analysis.findings.periods import Periods
from webapp.analysis.findings.stored_answers import finite
from webapp.analysis.topics import topic_words, word_columns
from webapp.analysis.topics.shapes import FollowingWords, WordKind
from webapp.analysis.topics.topic import ShownTopic
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.storage.cache import BoundedCache

TASK = "tasks.runs.follow_words"
METHOD = 3  # raised when the same words have another answer
STORED_TRIED_WORDS = "family"  # what they are called in stored answers, of older programs, too
MOST_WORDS = 100  # of a topic, the most relevant, all of which share one level
LEAST_TOKENS = 20  # of a word in the topic: of fewer nothing can be said in any period
# Topics of documents, in all, up to which a request answers, within a second; of more a worker does
QUICK_DOCUMENT_TOPICS = 5_000
# Tokens of a word, and documents that have it, on the side that has more: of fewer no change is told
LEAST_CHANGED = 30
HOLDING = 10
EXPECTED = 10  # tokens that the other side would have of it at the same share: else it is too small
# A word stays whose share in the last third is surely within so many times the first's
STAYS_WITHIN_RATIO = 2.0
_kept_words = BoundedCache(16 << 20)  # of 100 words and 16 columns one has 100 kB


@dataclass(frozen=True)
class WordChange:
    """What can be said of one word through time. kind: came, went, passed (more for a time), paused
    (less for a time), stayed, or unsure, where chance may explain any difference and the word is
    too rare to say that it stayed. shape: of the change, "" without one; first, last: of what has
    more, or less; until: before a step; as addresses have them. here, rest: shares of the topic's
    words within and outside, of a line and of a word that stayed in the last third and in the first;
    turn, early: where the last third begins, and the first ends; estimate: here ÷ rest, low, high:
    its interval. whose: the one unit that has most of it, or ""."""

    word: int
    kind: WordKind
    shape: str = ""
    more: bool = False
    first: str = ""
    last: str = ""
    until: str = ""
    here: float | None = None
    rest: float | None = None
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    whose: str = ""
    turn: str = ""
    early: str = ""


@dataclass(frozen=True)
class TriedWords:
    """What all words share. level: of the intervals; rows: words that share it. caution: why
    nothing is said of any, or "". held_constant: the field whose values are compared with
    themselves, "" for none. in_order: units that follow one another in time, where they are too few
    for any change to be sure; else 0. looked_at: which words were looked at, of so many with
    LEAST_TOKENS."""

    level: float
    rows: int
    caution: str
    held_constant: str
    in_order: int
    looked_at: int
    of_words: int


class EndsOfThirds(NamedTuple):
    """Where the last third of the time begins, and the first ends, as addresses have them."""

    turn: str
    early: str


class Followed(NamedTuple):
    """n words in C columns. ends, labels: of each column (word_columns). changes: of each word, in
    order of their relevance. tokens: int64[n, C], assigned to the topic; of_topic: int64[C], of all
    its words; documents: int64[C], that have any of it. low, high: float64[n, C], intervals of the
    shares of the topic's words; times, times_low, times_high: float64[n, C], as many times as at
    all other times; clear: bool[n, C], where that is beyond chance."""

    ends: list[tuple[str, str]]
    labels: list[str]
    changes: list[WordChange]
    tried_words: TriedWords
    tokens: np.ndarray
    of_topic: np.ndarray
    documents: np.ndarray
    low: np.ndarray
    high: np.ndarray
    times: np.ndarray
    times_low: np.ndarray
    times_high: np.ndarray
    clear: np.ndarray


# Fields with a number for each word in each column
OF_CELLS = Followed._fields[Followed._fields.index("low") :]


class Looked(NamedTuple):
    """followed: None where fewer than two periods have any of the topic."""

    followed: Followed | None


@dataclass(frozen=True)
class WordsJob(AnswerJob[Looked]):
    """The words of a topic in a set of documents."""

    TASK = TASK
    METHOD = METHOD
    NAME = "follow"

    selection: RunSelection
    topic: int

    @property
    def run(self) -> Run:
        """The run whose documents are looked at."""
        return self.selection.run

    @property
    def arguments(self) -> list:
        """What `compute` takes."""
        return [self.run.pk, self.topic, self.selection.address().removeprefix("?")]

    @property
    def depends(self) -> tuple:
        """The set, the topic with what was merged into it, and who speaks."""
        labels = self.selection.view.labels
        merges = labels.merges_key if self.selection.topics else b""
        unit = corpus_unit.unit_of(self.selection.version)
        parts = labels.merged_topics(self.topic)
        return self.topic, self.selection.parameters, parts, merges, unit.key

    def make(self) -> Looked:
        """Whatever it costs."""
        return Looked(follow(self.selection, self.topic))

    def pack(self, answer: Looked) -> Stored:
        """The answer as it is stored."""
        words = answer.followed
        if words is None:
            return {"none": True}, {}
        data, arrays = pack_tuple(words)
        del data["tried_words"]
        changes = [asdict(change) for change in words.changes]
        tried_words = asdict(words.tried_words)
        return data | {"changes": changes, STORED_TRIED_WORDS: tried_words}, arrays

    def unpack(self, stored_answer: Stored) -> Looked:
        """See `pack`."""
        data, arrays = stored_answer
        if "none" in data:
            return Looked(None)
        tried_words = TriedWords(**data[STORED_TRIED_WORDS])
        named = (data | {"tried_words": tried_words}, arrays)
        fields = unpack_tuple(named, Followed._fields)
        fields["ends"] = [(first, last) for first, last in fields["ends"]]
        fields["changes"] = [WordChange(**change) for change in fields["changes"]]
        return Looked(Followed(**fields))


def followed(topic: ShownTopic, asker: int | None) -> Followed | None:
    """How a topic's words changed in a set; None where fewer than two periods have any of the
    topic. asker: the user who asks. Raises NotYet where a worker has to look first."""
    selection = topic.selection
    job = WordsJob(selection, topic.number)

    def look() -> Looked | None:
        if len(evidence.of(selection.run).mixtures.doc_topics) <= QUICK_DOCUMENT_TOPICS:
            return job.make()
        return job.read_or_ask(asker)

    looked = _kept_words.get_or_set((selection.run.snapshot_id, job.stored_as), look)
    if looked is None:
        hidden_words = topic.view.hidden_words.described()
        raise NotYet(FollowingWords(topic.about, hidden_words, has_failed=job.has_failed))
    return looked.followed


def compute(run_id: int, number: int, query: str, asker: int | None) -> None:
    """In a worker: look and store. query: the set, as an address has it."""

    def job_of(view: RunView) -> WordsJob:
        return WordsJob(Selection.read(QueryDict(query), view), number)

    perform(TASK, [run_id, number, query], asker, job_of)


def follow(selection: RunSelection, k: int) -> Followed | None:
    """See `followed`; whatever it costs."""
    numbers, of_words = _relevant(selection, k)
    outcome = outcomes.count(
        evidence.of(selection.run), selection.view.labels.merged_topics(k), numbers
    )
    numbers = numbers[: outcome.columns]
    spans_of_set = spans_of_time.look_through(selection, outcome) if numbers else None
    if spans_of_set is None:
        return None
    group = spans_of_set.calendar.group
    is_counted = (group >= 0) & (outcome.sizes > 0)
    columns = word_columns.divide(spans_of_set.calendar.days, is_counted)
    size = len(columns.ends)
    answers = [spans_of_set.answer(columns.group == column) for column in range(size)]
    cells = {name: np.empty((len(numbers), size)) for name in OF_CELLS}
    for column, answer in enumerate(answers):
        low, high = answer.ends(0)
        cells["low"][:, column] = low
        cells["high"][:, column] = high
        cells["times"][:, column] = answer.ratio
        cells["times_low"][:, column] = answer.ratio_low
        cells["times_high"][:, column] = answer.ratio_high
        cells["clear"][:, column] = answer.accepted
    cells["clear"] = cells["clear"].astype(bool)
    in_column = columns.group[is_counted]
    return Followed(
        ends=columns.ends,
        labels=columns.labels,
        changes=_changes(selection, spans_of_set, outcome, numbers),
        tried_words=_tried_words(selection, spans_of_set, answers, len(numbers), of_words),
        tokens=outcome.summed(columns.group, size).T.astype(np.int64),
        of_topic=np.bincount(in_column, outcome.sizes[is_counted], size).astype(np.int64),
        documents=np.bincount(in_column, minlength=size).astype(np.int64),
        **cells,
    )


def _relevant(selection: RunSelection, k: int) -> tuple[list[int], int]:
    """(numbers of the topic's MOST_WORDS most relevant words with LEAST_TOKENS, how many have
    these)."""
    words = topic_words.tallied(selection, k)
    possible = np.flatnonzero(words.tokens >= LEAST_TOKENS)
    if not len(possible):
        return [], 0
    score = relevance(
        words.tokens, words.everywhere, USUAL_LAM, inside_total=words.of_topic, total=words.of_all
    )
    first = possible[np.lexsort((words.numbers[possible], -score[possible]))][:MOST_WORDS]
    return words.numbers[first].tolist(), len(possible)


def _tried_words(
    selection: RunSelection,
    spans_of_set: SpansOfSet,
    answers: list[Answers],
    looked_at: int,
    of_words: int,
) -> TriedWords:
    caution = ""
    if all(answer.obstacle is not None for answer in answers):
        fewest = min(answers, key=lambda answer: min(answer.units))
        caution = cautions.caution(spans_of_set.unit, fewest.units, fewest.obstacle)
    return TriedWords(
        level=spans_of_set.spans.level,
        rows=spans_of_set.spans.acceptance.rows,
        caution=caution,
        held_constant=spans_of_set.unit.name if spans_of_set.spans.mix is not None else "",
        in_order=spans_of_set.too_few_in_order,
        looked_at=looked_at,
        of_words=of_words,
    )


def _changes(
    selection: RunSelection, spans_of_set: SpansOfSet, outcome: AmountTable, numbers: list[int]
) -> list[WordChange]:
    asker = SpanAsker(spans_of_set, lambda code: corpus_unit.name_of(selection.version, code))
    periods_named = periods.divide(spans_of_set.calendar)
    thirds = spans_of_set.thirds()
    last_third = None
    ends_of_thirds = EndsOfThirds("", "")
    if thirds is not None:
        last_third = spans_of_set.answer(*thirds)
        ends_of_thirds = _ends_of_thirds(thirds, spans_of_set.calendar.group, periods_named)
    changes = []
    for column, number in enumerate(numbers):
        enough = [
            span
            for span in asker.accepted(column, one_topic_only=True)
            if _has_enough(spans_of_set, outcome, column, span)
        ]
        change = _without_change(number, column, last_third)
        if enough:
            change = _change(number, enough[0], periods_named)
        if change.shape == "line" or change.kind == "stayed":
            change = replace(change, **ends_of_thirds._asdict())
        changes.append(change)
    return changes


def _ends_of_thirds(
    thirds: tuple[np.ndarray, np.ndarray], group: np.ndarray, periods_named: Periods
) -> EndsOfThirds:
    """thirds: bool[D] each, the documents of the last and of the first; group: int[D], the period
    of each document."""
    late, early = thirds
    turn = int(group[late & (group >= 0)].min())
    return EndsOfThirds(periods_named.names[turn], periods_named.ends[int(group[early].max())])


def _has_enough(
    spans_of_set: SpansOfSet, outcome: AmountTable, column: int, span: AcceptedSpan
) -> bool:
    """Whether the word is frequent enough on the side that has more, and the other large enough."""
    outside = spans_of_set.calendar.group >= 0 if span.on_b is None else span.on_b
    outside = outside & ~span.on_a
    with_more, with_less = (span.on_a, outside) if span.here > span.rest else (outside, span.on_a)
    pairs = slice(*outcome.amounts.indptr[column : column + 2])
    is_there = with_more[outcome.amounts.indices[pairs]]
    tokens = outcome.amounts.data[pairs][is_there].sum()
    if tokens < LEAST_CHANGED or np.count_nonzero(is_there) < HOLDING:
        return False
    expected = max(span.here, span.rest) * outcome.sizes[with_less].sum()
    return bool(expected >= EXPECTED)


def _change(number: int, span: AcceptedSpan, periods_named: Periods) -> WordChange:
    answer = span.answers
    return WordChange(
        word=number,
        kind=_kind(span),
        shape=span.shape,
        more=span.more,
        first=periods_named.names[span.first],
        last=periods_named.ends[span.last],
        until=periods_named.ends[span.first - 1] if span.shape == "step" else "",
        here=span.here,
        rest=span.rest,
        estimate=finite(answer.ratio[span.column]),
        low=finite(answer.ratio_low[span.column]),
        high=finite(answer.ratio_high[span.column]),
        whose=span.whose,
    )


def _kind(span: AcceptedSpan) -> WordKind:
    if span.shape == "window":
        return "passed" if span.more else "paused"
    return "came" if span.more else "went"


def _without_change(number: int, column: int, last_third: Answers | None) -> WordChange:
    """A word stays where the interval says that the last third has about as much as the first."""
    if last_third is None:
        return WordChange(number, "unsure")
    low = finite(last_third.ratio_low[column])
    high = finite(last_third.ratio_high[column])
    if low is None or high is None or low < 1 / STAYS_WITHIN_RATIO or high > STAYS_WITHIN_RATIO:
        return WordChange(number, "unsure")
    return WordChange(
        number,
        "stayed",
        here=finite(last_third.a[column]),
        rest=finite(last_third.b[column]),
        estimate=finite(last_third.ratio[column]),
        low=low,
        high=high,
    )
