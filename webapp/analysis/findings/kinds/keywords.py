"""Words that more documents of a group have than of all others: what small collections, and small
groups, can be asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from inference import answers as estimator
from inference.answers import Answers, question
from inference.explore.naming import alike
from inference.text.spelling import WORD, fold_apostrophes
from webapp.analysis.answers import set_answers
from webapp.analysis.answers.groups import FieldGroups
from webapp.analysis.findings import sentence_thresholds, sentences, trivial_words, word_samples
from webapp.analysis.findings.claim import Claim
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage, PageFindings
from webapp.analysis.findings.kinds.mark import Mark
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.sentence_writer import MOST_NAMED, Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import OfGroup
from webapp.analysis.findings.stored_answers import StoredAnswer, stored_answer
from webapp.core.documents.corpus_unit import Unit

SENTENCE = "{words}: {here} of the documents {group}, {rest} of the others"

HOLDING = 8  # documents of the group with the word
ROUNDED = 0.5  # a document less than that, as their share times their number is not whole
RATIO = 1.5  # times the share elsewhere
MOST_WORDS = 12  # words of a group
_PIECE = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Keywords(OfGroup, BaseFinding):
    """Words that more documents of a group have. here, rest: shares of the documents with each
    word; estimate: of the first. answers: of each word."""

    # Shares of documents are many numbers: only who asks for more findings sees them
    ON_PAGE = OnPage("Words of a group", 120, {"less": 0, "": 0, "more": 80})

    kind: Literal["keyword"] = "keyword"
    words: list[str]
    here: list[float]
    rest: list[float]
    answers: list[StoredAnswer]

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[Keywords]:
        """A finding for each group with such words."""
        if not document_set.documents:
            return []
        rows: list[Keywords] = []
        for group_field in document_set.group_fields:
            rows += of_field(
                document_set, group_field.field_answers.field, group_field.told_elsewhere
            )
        return rows

    @classmethod
    def arrange(cls, findings: Sequence[Self], page: PageFindings) -> list[Self]:
        """Those of groups of which no topic tells come first, and of values before numbers."""
        with_topics = {(mark.field, mark.value) for mark in page.of(Mark)}
        return sorted(
            findings,
            key=lambda row: ((row.field, row.value) in with_topics, row.bounds is not None),
        )

    @property
    def searched(self) -> list[str]:
        """The word whose shares its sentence says."""
        return self.words[:1]

    def say(self, writer: SentenceWriter) -> Sentence:
        """Its first word, whose shares it says, and the others."""
        parts = fill(
            SENTENCE,
            words=sentences.with_others(self.words, MOST_NAMED),
            group=self.in_words("of"),
            here=sentences.briefly(self.here[0]),
            rest=sentences.briefly_or_none(self.rest[0]),
        )
        search = writer.search_with(self.words[0])
        theirs = writer.within_group(self).with_search(search)
        return Sentence(parts, writer.documents_of(theirs))

    def claims(self, writer: SentenceWriter) -> list[Claim]:
        """That the group has so much of each word."""
        rows = zip(self.words, self.here, self.rest, self.answers, strict=True)
        return [
            Claim(
                name=word,
                parts=[word],
                above_all=[],
                more=True,
                steady=False,
                ratio=sentence_thresholds.times_as_many(frequency_here, frequency_elsewhere),
                field=self.field,
                value=self.value,
                bounds=self.bounds,
                answer=answer,
            )
            for word, frequency_here, frequency_elsewhere, answer in rows
        ]


def of_field(
    document_set: DocumentSet, groups: FieldGroups, told_elsewhere: set[int]
) -> list[Keywords]:
    """The words of each group of a field. told_elsewhere: groups that are left out."""
    candidates = document_set.name_counts.telling
    sample = word_samples.even_sample(document_set.evidence.lengths, groups.group)
    if not candidates or not len(sample):
        return []
    unit, codes = set_answers.unit_of(document_set.run.version, groups.name)
    group = groups.group[sample]
    present = word_samples.present(document_set.evidence.document_bow, sample, candidates)
    outcome = estimator.AmountTable(present, np.ones(len(sample)))
    codes_of_sample = None if codes is None else codes[sample]
    value_question = question.of_values(group, groups.groups, codes_of_sample, groups.named)
    words = [document_set.name_counts.spelling[word] for word in candidates]
    untold = trivial_words.of_the_calendar(document_set.run.version, words)
    signatures = document_set.signatures
    untold |= {column for column, word in enumerate(candidates) if word in signatures}
    answers_of_groups = estimator.answer_question_family(
        outcome,
        value_question,
        exchange_small_sides=False,  # as the page of all words, which has too many of them
    )
    rows: list[Keywords] = []
    for group_of_value, answers in zip(
        value_question.asked_groups.tolist(), answers_of_groups, strict=True
    ):
        if group_of_value in told_elsewhere:
            continue
        documents = int(np.count_nonzero(group == group_of_value))
        columns = _choose_words(answers, documents, words, groups.labels[group_of_value], untold)
        if columns:
            rows.append(_keywords(groups, group_of_value, answers, columns, words, unit))
    return rows


def _choose_words(
    answers: Answers, documents: int, words: list[str], value: str, untold: set[int]
) -> list[int]:
    """Columns of the words that are told, the clearest first: no two that are alike, none that the
    value's own name has, and none of `untold`."""
    size = np.abs(answers.difference) / answers.error
    is_told = answers.accepted & (answers.part <= estimator.MOST_OF_ONE)
    is_told &= (answers.a >= RATIO * answers.b) & (answers.ratio_without >= RATIO)
    is_told &= answers.a * documents >= HOLDING - ROUNDED
    is_told[list(untold)] = False
    own_name = words_of_value(value)
    clearest = np.argsort(-np.where(is_told, size * np.sqrt(answers.a), -np.inf))
    chosen_words: list[int] = []
    for column in clearest.tolist():
        if not is_told[column] or len(chosen_words) == MOST_WORDS:
            break
        word = words[column]
        is_known = any(alike(word, words[earlier_word]) for earlier_word in chosen_words)
        if word.casefold() not in own_name and not is_known:
            chosen_words.append(column)
    return chosen_words


def words_of_value(value: str) -> set[str]:
    """The words of a value's name in small letters, and their pieces, since apostrophes divide the
    words of some vocabularies."""
    folded = fold_apostrophes(value).casefold()
    return {*_PIECE.findall(folded), *WORD.findall(folded)}


def _keywords(
    groups: FieldGroups,
    group_of_value: int,
    answers: Answers,
    columns: list[int],
    words: list[str],
    unit: Unit,
) -> Keywords:
    first = columns[0]
    return Keywords(
        field=groups.name,
        value=groups.labels[group_of_value],
        bounds=groups.bounds[group_of_value] if groups.bounds else None,
        score=float(abs(answers.difference[first]) / answers.error[first]),
        estimate=float(answers.a[first]),
        words=[words[column] for column in columns],
        here=answers.a[columns].tolist(),
        rest=answers.b[columns].tolist(),
        answers=[stored_answer(answers, column, unit) for column in columns],
    )
