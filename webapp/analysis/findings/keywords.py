"""Words that more documents of a group have than of all others: what small collections, and small
groups, can be asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix

from inference import answers as estimator
from inference.answers import Answers, question
from inference.explore.naming import alike
from webapp.analysis.answers import asked
from webapp.analysis.answers.groups import FieldGroups
from webapp.analysis.findings import trivial_words
from webapp.analysis.findings.finding import Answer
from webapp.analysis.findings.kinds import Keywords
from webapp.core.documents.units import Unit

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

DOCUMENTS = 100_000  # at most; of more an even sample
HOLDING = 8  # documents of the group with the word
RATIO = 1.5  # times the share elsewhere
MOST = 12  # words of a group
_WORD = re.compile(r"\w+")


def findings(context: Context, field: FieldGroups, left_out: set[int]) -> list[Keywords]:
    """A finding for each group with such words. left_out: groups that are told elsewhere."""
    telling_words = context.names.telling
    sampled = _even_sample(context, field.group)
    if not telling_words or not len(sampled):
        return []
    unit, codes = asked.unit_of(context.run.version, field.name)
    codes_of_sample = None if codes is None else codes[sampled]
    group = field.group[sampled]
    outcome = estimator.Table(_present(context, sampled, telling_words), np.ones(len(sampled)))
    question_of_values = question.of_values(group, field.groups, codes_of_sample, field.named)
    rows = list[Keywords]()
    words = [context.names.spelling[w] for w in telling_words]
    untold = trivial_words.of_the_calendar(context.run.version, words)
    untold |= {column for column, word in enumerate(telling_words) if word in context.signatures}
    answers_of_values = estimator.answer_family(outcome, question_of_values)
    for value_code, answers in zip(
        question_of_values.asked.tolist(), answers_of_values, strict=True
    ):
        if value_code in left_out:
            continue
        documents = int(np.count_nonzero(group == value_code))
        chosen_words = _chosen(answers, documents, words, field.labels[value_code], untold)
        if chosen_words:
            rows.append(_finding(field, value_code, answers, chosen_words, words, unit))
    return rows


def signatures(context: Context) -> set[int]:
    """Words that stand on nearly all documents of one who speaks, by their numbers."""
    if context.unit is None:
        return set()
    telling_words = context.names.telling
    sample = _even_sample(context, context.everyone_group)
    if not telling_words or not len(sample):
        return set()
    present = _present(context, sample, telling_words)
    columns = trivial_words.of_who_speaks(present, context.unit[sample], context.dates[sample])
    return {telling_words[column] for column in columns}


def _even_sample(context: Context, group: np.ndarray) -> np.ndarray:
    """int64[n]: documents of a group that have words. group: int32[D], -1 for none."""
    with_words = np.flatnonzero((group >= 0) & (context.counted.lengths > 0))
    step = -(-len(with_words) // DOCUMENTS) or 1
    return with_words[::step]


def _chosen(
    answers: Answers, documents: int, words: list[str], value: str, untold: set[int]
) -> list[int]:
    """Columns of the words that are told, the clearest first: no two that are alike, none that the
    value's own name has, and none of `untold`."""
    size = np.abs(answers.difference) / answers.error
    is_told = answers.accepted & (answers.part <= estimator.MOST_OF_ONE)
    is_told &= (answers.a >= RATIO * answers.b) & (answers.ratio_without >= RATIO)
    is_told &= answers.a * documents >= HOLDING - 0.5
    is_told[list(untold)] = False
    own_name = set(_WORD.findall(value.casefold()))
    word_numbers = list[int]()
    for column in np.argsort(-np.where(is_told, size * np.sqrt(answers.a), -np.inf)).tolist():
        if not is_told[column] or len(word_numbers) == MOST:
            break
        word = words[column]
        if word.casefold() in own_name or any(
            alike(word, words[chosen_word]) for chosen_word in word_numbers
        ):
            continue
        word_numbers.append(column)
    return word_numbers


def _finding(
    field: FieldGroups,
    place: int,
    answers: Answers,
    chosen: list[int],
    words: list[str],
    unit: Unit,
) -> Keywords:
    first = chosen[0]
    return Keywords(
        field=field.name,
        value=field.labels[place],
        bounds=field.bounds[place] if field.bounds else None,
        score=float(abs(answers.difference[first]) / answers.error[first]),
        estimate=float(answers.a[first]),
        words=[words[column] for column in chosen],
        here=answers.a[chosen].tolist(),
        rest=answers.b[chosen].tolist(),
        answers=[stored(answers, column, unit) for column in chosen],
    )


def stored(found: Answers, column: int, unit: Unit) -> Answer:
    """The numbers of an answer, as a finding keeps them."""
    return Answer(
        difference=float(found.difference[column]),
        difference_low=finite(found.low[column]),
        difference_high=finite(found.high[column]),
        p=finite(found.p[column]),
        level=found.level,
        rows=found.rows,
        calibrated=found.calibrated,
        unit=unit.field.name if unit.field else "",
        units=found.units,
        part_of_largest=finite(found.part[column]),
    )


def finite(number: float) -> float | None:
    """None for what is not."""
    return float(number) if np.isfinite(number) else None


def _present(context: Context, some: np.ndarray, listed: list[int]) -> csr_matrix:
    """Which of some documents have which words: [n, W]."""
    bow = context.counted.bow
    column = np.full(bow.V, -1, np.int64)
    column[listed] = np.arange(len(listed))
    lengths = np.diff(bow.indptr)[some]
    at = np.repeat(
        bow.indptr[some] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths
    ) + np.arange(lengths.sum())
    columns = column[bow.words[at]]
    row = np.repeat(np.arange(len(some)), lengths)[columns >= 0]
    present = csr_matrix(
        (np.ones(len(row)), (row, columns[columns >= 0])), shape=(len(some), len(listed))
    )
    present.sum_duplicates()  # of a word in several sections
    present.data[:] = 1.0
    return present
