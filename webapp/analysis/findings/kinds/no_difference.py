"""Fields of whose groups no difference is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from inference.answers import Obstacle
from inference.explore.naming import capitalized
from webapp.analysis.answers.cautions import FEW_UNITS
from webapp.analysis.answers.set_answers import FieldAnswers
from webapp.analysis.findings import sentences
from webapp.analysis.findings.document_set import DocumentSet
from webapp.analysis.findings.finding import BaseFinding, EarlierFindings, OnPage
from webapp.analysis.findings.kinds.keywords import Keywords
from webapp.analysis.findings.kinds.mark import Mark
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.sentence_writer import Sentence, SentenceWriter
from webapp.analysis.findings.spans_and_groups import OfGroup
from webapp.core.documents import unit_words
from webapp.core.results import links

NO_DIFFERENCE = "{field}: no topic differs by more than chance"
SMALL_DIFFERENCES = (
    "{field}: topics differ by more than chance, but only a little, or because of one speaker or"
    " source"
)
TOO_FEW = "{field}: not compared, as its groups have texts of too few {units}"
TOO_FEW_DOCUMENTS = "{field}: not compared, as its groups have too few documents"
TOO_FEW_TO_TELL = (
    "{field}: its groups differ, but each has texts of too few {units} to tell whether by chance"
)
TOO_FEW_DOCUMENTS_TO_TELL = (
    "{field}: its groups differ, but each has too few documents to tell whether by chance"
)
# Of the words: where few units are compared, and even so large a difference may be chance, nobody can
# tell whether topics differ
LARGE_DIFFERENCE = 0.1
IF_INDEPENDENT = "documents counted one by one"
OF_UNITS = "texts with the same {field} counted together"


@dataclass(frozen=True, kw_only=True)
class NoDifference(OfGroup, BaseFinding):
    """A field of whose groups no difference is told. largest: the topic with the largest difference
    of shares that may be chance, the estimate. unit: see StoredAnswer. accepted: differences that are
    more than chance, but too small to be told, or one unit's. few: all groups have too few
    units. cannot_tell: few units are compared, and a large difference between them may be chance."""

    ON_PAGE = OnPage("Fields without a difference", 12, {"less": 1, "": 4, "more": 12})
    SUBJECTS = ("largest",)

    kind: Literal["none"] = "none"
    estimate: float
    largest: int
    unit: str
    accepted: int = 0
    few: bool = False
    cannot_tell: bool = False

    @classmethod
    def find(cls, document_set: DocumentSet, earlier: EarlierFindings) -> list[NoDifference]:
        """Each field without a finding of its topics or words; [] where one of these could not be
        computed, as nothing is known then."""
        marks = earlier.of(Mark)
        keywords = earlier.of(Keywords)
        if not document_set.documents or marks is None or keywords is None:
            return []
        fields_with_findings = {mark.field for mark in marks} | {row.field for row in keywords}
        rows: list[NoDifference] = []
        for group_field in document_set.group_fields:
            field_answers = group_field.field_answers
            # A set may have no topic
            has_answers = bool(field_answers.answers and field_answers.topics)
            if field_answers.field.name not in fields_with_findings and has_answers:
                rows.append(_largest(document_set, field_answers))
        return rows

    def say(self, writer: SentenceWriter) -> Sentence:
        """That there is none, or why none is told; and what was counted as one."""
        pattern = NO_DIFFERENCE
        if self.few:
            pattern = TOO_FEW if self.unit else TOO_FEW_DOCUMENTS
        elif self.accepted:
            pattern = SMALL_DIFFERENCES
        elif self.cannot_tell:
            pattern = TOO_FEW_TO_TELL if self.unit else TOO_FEW_DOCUMENTS_TO_TELL
        parts = fill(
            pattern, field=capitalized(self.field), units=sentences.units_in_words(self.unit)
        )
        certainty = (
            OF_UNITS.format(field=unit_words.column(self.unit)) if self.unit else IF_INDEPENDENT
        )
        url = links.topics_url(writer.run) + writer.selection.address()
        return Sentence(parts, url, None, certainty)


def _largest(document_set: DocumentSet, field_answers: FieldAnswers) -> NoDifference:
    """That no difference of a field's groups is told, and the largest that may be chance."""
    largest = -1.0
    group_of_value = next(iter(field_answers.answers))
    column = 0
    accepted = 0
    for place_of_group, answers in field_answers.answers.items():
        accepted += int(answers.accepted.sum())
        differences = np.abs(np.nan_to_num(answers.difference))
        may_be_chance = ~answers.accepted & document_set.subjects[field_answers.topics]
        differences = np.where(may_be_chance, differences, 0.0)
        largest_column = int(differences.argmax())
        if differences[largest_column] > largest:
            largest = float(differences[largest_column])
            group_of_value = place_of_group
            column = largest_column
    fewest_units = min(field_answers.answers[group_of_value].units)
    return NoDifference(
        field=field_answers.field.name,
        value=field_answers.field.labels[group_of_value],
        score=0.0,
        estimate=largest,
        low=0.0,
        high=largest,
        largest=field_answers.topics[column],
        unit=field_answers.unit.name,
        accepted=accepted,
        few=all(
            answers.obstacle is Obstacle.FEW_UNITS for answers in field_answers.answers.values()
        ),
        cannot_tell=largest >= LARGE_DIFFERENCE and fewest_units < FEW_UNITS,
    )
