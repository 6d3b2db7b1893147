"""What is said of collections in which nothing differs: values exchanged between those who speak,
random sets, dates exchanged.

    .venv/bin/python -m benchmarks.nulls [NAMES] [--quick] [--shuffles N] [--data FOLDER]

Collections of benchmarks.insight are uploaded, read and trained as the pages preset it. Of each
field of groups, by the functions that the overview calls:
  groups: the values of units (who speaks; documents, where nobody does in several) are exchanged
  between units: a unit of many values draws them from those of another. Claims on topics that a
  sentence would make
  keywords: the same, claims on words
  sets: half of the units, drawn, against the others
  slopes: along each number, whose values are exchanged as those of groups are, and along the date,
  exchanged as dates are: topics that the page of effects marks
  dates: documents' dates are exchanged within their units, units that follow one another change
  places: claims on topics, and on words, over time, and on the words of the three largest topics
  (those that came or went, each topic a line)
A line each, with what the true values give; then, over all, the shuffles with any claim, and rows
that are accepted though an interval holds "no difference", or the other way round. The last line is
`false: A of B shuffles kept: C claims disagreements: D seconds: S`. Seeds are fixed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.coverage import rows_at_odds
from benchmarks.origin import options, started

SHUFFLES = 20
FEW_SHUFFLES = 5
USUAL = ("sections", "proposals", "answers", "manifestos", "posts", "reuters")
QUICK = ("sections", "answers")
SEED = 600
LARGE_TOPICS = 3  # whose words are followed through time
UNCHANGED = ("stayed", "unsure")  # kinds of words that neither came nor went


class Counted(NamedTuple):
    """claims: that sentences would make; disagreements: rows whose acceptance is not what their
    intervals say."""

    claims: int
    disagreements: int


# Claims of the true values, where the generator is None, else of values that it exchanged
CountClaims = Callable[[np.random.Generator | None], Counted]


class Line(NamedTuple):
    """true: claims of the values as they are; shuffled: claims of each shuffle."""

    name: str
    true: int
    shuffled: list[int]
    disagreements: int

    @property
    def false(self) -> int:
        """Shuffles with any claim."""
        return sum(claims > 0 for claims in self.shuffled)


def main() -> None:
    """Prints a line for each question of each collection."""
    declared: dict[str, dict[str, Any]] = {
        "names": {"nargs": "*", "help": "of benchmarks.insight"},
        "--quick": {"action": "store_true", "help": "two collections, five shuffles"},
        "--shuffles": {"type": int, "default": None},
        "--data": {"type": Path, "help": "a state folder that stays"},
    }
    arguments = options(__doc__, declared).parse_args()
    shuffles = arguments.shuffles or (FEW_SHUFFLES if arguments.quick else SHUFFLES)
    began = time.perf_counter()
    lines: list[Line] = []
    with started(arguments.data):
        for name in arguments.names or (QUICK if arguments.quick else USUAL):
            lines += measured(name, arguments.quick, shuffles)
    seconds = time.perf_counter() - began
    shuffled = sum(len(line.shuffled) for line in lines)
    claims = sum(sum(line.shuffled) for line in lines)
    false = sum(line.false for line in lines)
    disagreements = sum(line.disagreements for line in lines)
    print(
        f"false: {false} of {shuffled} shuffles kept: {claims} claims"
        f" disagreements: {disagreements} seconds: {seconds:.0f}"
    )


def measured(name: str, quick: bool, shuffles: int) -> list[Line]:
    """All lines of a collection."""
    from benchmarks.insight import collections, runs
    from webapp.analysis.findings import group_fields
    from webapp.analysis.findings.document_set import collect
    from webapp.core.documents.selection import Selection
    from webapp.core.results.view import RunView

    run = runs.trained(collections.COLLECTIONS[name](quick), quick, 0)
    selection = Selection.all(RunView(run))
    document_set = collect(selection)
    lines: list[Line] = []
    for field in group_fields.dividing_fields(selection):
        lines += of_field(name, document_set, field, shuffles)
    unit = document_set.unit
    unit = np.arange(len(document_set.dates)) if unit is None else unit
    lines.append(tell(f"{name} sets", of_sets(document_set, unit), shuffles))
    lines += of_numbers(name, selection, shuffles)
    if document_set.periods:
        lines += over_time_lines(name, selection, document_set, unit, shuffles)
    return lines


def of_numbers(name: str, selection, shuffles: int) -> list[Line]:
    """Slopes along each number."""
    from webapp.analysis.answers import set_answers
    from webapp.analysis.effects import variables
    from webapp.core.documents import fields

    lines: list[Line] = []
    numbers = variables.number_fields(selection.version)
    for number in numbers:
        unit_of_number, codes = set_answers.unit_of(selection.version, number.name)
        values = fields.values(selection.version, number)
        unit = np.arange(len(values)) if codes is None else codes
        counted = partial(_slopes_of_number, selection, number, values, unit)
        over = unit_of_number.name or "documents"
        lines.append(tell(f"{name} {number.name} over {over}, slopes", counted, shuffles))
    return lines


def _slopes_of_number(
    selection, number, values: np.ndarray, unit: np.ndarray, chance: np.random.Generator | None
) -> Counted:
    """Slopes along a number: along its values, or along those of other units."""
    from webapp.core.documents import fields

    drawn = values
    if chance is not None:
        with_number = np.where(number.known(values), np.arange(len(values)), -1)
        source = values_exchanged(with_number, unit, chance)
        drawn = np.where(source >= 0, values[source], values)
    read = partial(_patched, fields.values, number.name, drawn)
    with mock.patch.object(fields, "values", read):
        return slopes(selection, number.name)


def _patched(values: Callable, name: str, drawn: np.ndarray, version, field) -> np.ndarray:
    """fields.values, with other values of one field."""
    return drawn if field.name == name else values(version, field)


def slopes(selection, name: str) -> Counted:
    """Topics that differ beyond chance along a number, or the date."""
    from webapp.analysis.effects import estimates
    from webapp.analysis.effects.formula import Formula, Term
    from webapp.analysis.effects.model import EffectQuestion
    from webapp.platform.storage.cache import clear_all

    clear_all()
    along = EffectQuestion(Formula(Term(name), "", ()))
    _, answers = estimates.regression_of(selection, along).answers()
    clear_all()
    return Counted(int(answers.accepted.sum()), rows_at_odds(answers))


def over_time_lines(
    name: str, selection, document_set, unit: np.ndarray, shuffles: int
) -> list[Line]:
    """Lines for topics and words over time, for the words of large topics, and for slopes."""
    from webapp.analysis.findings.document_set import collect
    from webapp.analysis.findings.finding import EarlierFindings
    from webapp.analysis.findings.kinds import event
    from webapp.analysis.findings.kinds.change import Change

    dates = ExchangedDates.of(selection, document_set, unit)

    def count_changes(chance: np.random.Generator | None) -> Counted:
        with dates.exchanged(chance):
            findings = Change.find(collect(selection), EarlierFindings())
        return _count_findings(findings)

    def count_words(chance: np.random.Generator | None) -> Counted:
        with dates.exchanged(chance):
            findings = event.find_events(collect(selection), set())
        return _count_findings(findings)

    def count_slopes(chance: np.random.Generator | None) -> Counted:
        with dates.exchanged(chance):
            return slopes(selection, "date")

    def count_words_of(topic: int, chance: np.random.Generator | None) -> Counted:
        with dates.exchanged(chance):
            return changed_words(selection, topic)

    questions: dict[str, CountClaims] = {
        "changes": count_changes,
        "words": count_words,
        "slopes": count_slopes,
    }
    for topic in largest_topics(selection):
        questions[f"words of topic {topic}"] = partial(count_words_of, topic)
    said_how = "units in order" if dates.follows else "within units"
    return [
        tell(f"{name} dates {said_how}, {asked}", count, shuffles)
        for asked, count in questions.items()
    ]


class ExchangedDates(NamedTuple):
    """The dates of a set of documents. unit: int[D], whose each document is; follows: whether the
    units follow one another in time, so that they change places, and not documents within them."""

    dates: np.ndarray
    unit: np.ndarray
    follows: bool

    @classmethod
    def of(cls, selection, document_set, unit: np.ndarray) -> "ExchangedDates":
        """Made of what is known of a set."""
        from inference.answers import cells
        from webapp.core.documents import document_days

        dates = document_days.read_days(selection.version)
        has_unit = document_set.unit is not None
        return cls(dates, unit, has_unit and cells.follow_each_other(document_set.unit, dates))

    @contextmanager
    def exchanged(self, chance: np.random.Generator | None) -> Iterator[None]:
        """Within, every page reads exchanged dates; the true ones where chance is None."""
        from webapp.analysis.answers import set_answers
        from webapp.core.documents import document_days

        drawn = self.dates if chance is None else self._draw(chance)
        set_answers.forget_spans()
        with mock.patch.object(document_days, "read_days", lambda version: drawn):
            yield
        set_answers.forget_spans()

    def _draw(self, chance: np.random.Generator) -> np.ndarray:
        if self.follows:
            return places_exchanged(self.unit, self.dates, chance)
        return self.dates[within(self.unit, self.dates, chance)]


def largest_topics(selection) -> list[int]:
    """The numbers of the LARGE_TOPICS topics of which pages tell that have most words."""
    from webapp.analysis.answers import set_answers
    from webapp.core.results import measures

    tokens = measures.of(selection.run)["tokens"]
    visible_topics = set_answers.visible_topics(selection.view)
    return sorted(visible_topics, key=lambda topic: -tokens[topic])[:LARGE_TOPICS]


def changed_words(selection, topic: int) -> Counted:
    """Words of a topic of which its page says that they came or went, for good or for a time."""
    from webapp.analysis.topics import word_times

    followed = word_times.follow(selection, topic)
    if followed is None:
        return Counted(0, 0)
    changes = [change for change in followed.changes if change.kind not in UNCHANGED]
    disagreements = sum(holds_one(change.low, change.high) for change in changes)
    return Counted(len(changes), disagreements)


def _count_findings(findings) -> Counted:
    return Counted(len(findings), sum(map(holds_no_difference, findings)))


def holds_no_difference(finding) -> bool:
    """Whether an interval of a change holds "as much as elsewhere", or its answer "no difference"."""
    answer = finding.answer
    if answer.difference_low <= 0 <= answer.difference_high:
        return True
    if finding.low is None and finding.high is None:
        return False
    return holds_one(finding.low, finding.high)


def holds_one(low: float | None, high: float | None) -> bool:
    """Whether an interval of "times as much" holds 1; None for an end that nothing bounds."""
    begins_below = low is None or low <= 1
    ends_above = high is None or high >= 1
    return begins_below and ends_above


def places_exchanged(
    unit: np.ndarray, dates: np.ndarray, chance: np.random.Generator
) -> np.ndarray:
    """Dates where units that follow one another have changed their places in time. unit: int[D],
    below 0 for none; dates: int[D], date.toordinal(), 0 for none. Returns the same."""
    dated = (unit >= 0) & (dates > 0)
    documents = np.bincount(unit[dated])
    total = np.bincount(unit[dated], dates[dated])
    mean = total / np.maximum(documents, 1)
    present = np.flatnonzero(documents)
    moved_by = np.zeros(len(mean))
    moved_by[present] = mean[chance.permutation(present)] - mean[present]
    moved = dates.astype(float)
    moved[dated] += moved_by[unit[dated]]
    moved[~dated] = 0
    return np.maximum(moved, dated).astype(dates.dtype)


def of_field(name: str, document_set, field, shuffles: int) -> list[Line]:
    """Lines for topics and for words."""
    from webapp.analysis.answers import set_answers
    from webapp.analysis.findings.kinds import keywords

    unit_of_field, codes = set_answers.unit_of(document_set.run.version, field.name)
    unit = np.arange(len(field.group)) if codes is None else codes
    topics = set_answers.visible_topics(document_set.view)

    def drawn(chance: np.random.Generator | None):
        return field if chance is None else exchanged(field, unit, chance)

    def of_topics(chance: np.random.Generator | None) -> Counted:
        return count_claims(document_set, drawn(chance), codes, topics)

    def of_words(chance: np.random.Generator | None) -> Counted:
        found = keywords.of_field(document_set, drawn(chance), set())
        return Counted(sum(len(row.words) for row in found), 0)

    over = unit_of_field.name or "documents"
    question_name = f"{name} {field.name} over {over}"
    return [
        tell(f"{question_name}, groups", of_topics, shuffles),
        tell(f"{question_name}, keywords", of_words, shuffles),
    ]


def count_claims(document_set, field, codes: np.ndarray | None, topics: list[int]) -> Counted:
    """Claims on topics of all values of a field."""
    from inference import answers as estimator
    from inference.answers import question
    from webapp.analysis.answers import set_answers
    from webapp.analysis.findings.kinds.mark import worth_telling

    outcome = set_answers.counted_topics(document_set.view, topics)
    wanted = question.of_values(field.group, field.groups, codes, field.named)
    claims = disagreements = 0
    for found in estimator.answer_question_family(outcome, wanted):
        accepted = np.flatnonzero(found.accepted).tolist()
        claims += sum(worth_telling(found, column) for column in accepted)
        disagreements += rows_at_odds(found)
    return Counted(claims, disagreements)


def of_sets(document_set, unit: np.ndarray) -> CountClaims:
    """Half of the units against the others; nothing is true of them."""
    from inference import answers as estimator
    from inference.answers import question
    from webapp.analysis.answers import set_answers
    from webapp.analysis.findings.kinds.mark import worth_telling

    outcome = set_answers.counted_topics(
        document_set.view, set_answers.visible_topics(document_set.view)
    )

    def counted(chance: np.random.Generator | None) -> Counted:
        if chance is None:
            return Counted(0, 0)
        code = np.unique(unit, return_inverse=True)[1]
        first = chance.permutation(int(code.max()) + 1)[code] % 2 == 0
        found = estimator.answer(outcome, question.of_two_sets(first, ~first, unit))
        accepted = np.flatnonzero(found.accepted).tolist()
        claims = sum(worth_telling(found, column) for column in accepted)
        return Counted(claims, rows_at_odds(found))

    return counted


def exchanged(field, unit: np.ndarray, chance: np.random.Generator):
    """A field with the values of units exchanged: each unit gets those of another, as they are
    where they are as many, or all the same, else drawn from them."""
    group = values_exchanged(field.group, unit, chance)
    counts = np.bincount(group[group >= 0], minlength=field.groups)
    return field._replace(group=group, named=field.named[counts[field.named] > 0])


def values_exchanged(
    value: np.ndarray, unit: np.ndarray, chance: np.random.Generator
) -> np.ndarray:
    """int[D]: the values of other units. value: int[D], -1 for none, which stays."""
    known = np.flatnonzero(value >= 0)
    code = np.unique(unit[known], return_inverse=True)[1]
    order = np.argsort(code, kind="stable")
    sizes = np.bincount(code)
    starts = np.cumsum(sizes) - sizes
    to = chance.permutation(len(sizes))
    in_units = value[known][order]
    other = to[code[order]]
    place = starts[other] + (chance.random(len(order)) * sizes[other]).astype(np.int64)
    exchanged_values = value.copy()
    exchanged_values[known[order]] = in_units[place]
    return exchanged_values


def within(unit: np.ndarray, dates: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """int64[D]: an order in which documents of one unit have changed places. Where every unit is of
    one day, all have."""
    code = np.unique(unit, return_inverse=True)[1]
    alone = len(np.unique(code)) == len(code)
    group = np.zeros(len(code), np.int64) if alone else code
    order = np.empty(len(code), np.int64)
    order[np.argsort(group, kind="stable")] = np.lexsort((chance.random(len(code)), group))
    return order


def tell(name: str, counted: CountClaims, shuffles: int) -> Line:
    """Prints the line."""
    began = time.perf_counter()
    true = counted(None)
    rows = [counted(np.random.default_rng((SEED, shuffle))) for shuffle in range(shuffles)]
    disagreements = true.disagreements + sum(row.disagreements for row in rows)
    line = Line(name, true.claims, [row.claims for row in rows], disagreements)
    seconds = time.perf_counter() - began
    of_shuffles = f"{line.false} of {shuffles} shuffles with any, {sum(line.shuffled)} claims"
    print(
        f"{name}: {line.true} claims; {of_shuffles}; {disagreements} disagreements;"
        f" {seconds:.0f} s",
        flush=True,
    )
    return line


if __name__ == "__main__":
    main()
