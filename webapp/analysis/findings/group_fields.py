"""Fields that divide documents into groups: values of a category, the lower and the upper third of
a number. Each group is a question that webapp.analysis.answers answers for every page."""

from typing import NamedTuple

import numpy as np

from webapp.analysis.answers import groups, set_answers
from webapp.analysis.answers.groups import FieldGroups
from webapp.analysis.answers.set_answers import FieldAnswers
from webapp.core.documents import fields
from webapp.core.documents.selection import RunSelection

# Fields that are looked at, the first ones: each is a pass over the documents
MOST_CATEGORIES = 6
MOST_NUMBERS = 4


class GroupField(NamedTuple):
    """told_elsewhere: groups that have the documents of another field's group, which is told."""

    field_answers: FieldAnswers
    told_elsewhere: set[int]


def answer_fields(selection: RunSelection) -> list[GroupField]:
    """The fields of a set with two groups or more, and the answer for each group."""
    divided = dividing_fields(selection)
    told_elsewhere = _told_elsewhere(divided)
    return [
        GroupField(set_answers.of_field(selection, field), told_elsewhere[field.name])
        for field in divided
    ]


def dividing_fields(selection: RunSelection) -> list[FieldGroups]:
    """Those with two groups of enough documents; the first of them are named."""
    version = selection.version
    divided = [
        groups.of_category(selection, category)
        for category in fields.categories(version)[:MOST_CATEGORIES]
    ]
    for number in fields.numeric_fields(version)[:MOST_NUMBERS]:
        thirds = groups.of_number(selection, number)
        if thirds is not None:
            divided.append(thirds)
    return [field for field in divided if len(field.named) and _groups_present(field) > 1]


def _groups_present(field: FieldGroups) -> int:
    return len(np.unique(field.group[field.group >= 0]))


def _told_elsewhere(divided: list[FieldGroups]) -> dict[str, set[int]]:
    """The groups of each field that have the documents of another field's: those of an author of
    one novel are told as the novel's, of the field with more values."""
    seen: set[bytes] = set()
    told_elsewhere: dict[str, set[int]] = {}
    for field in sorted(divided, key=lambda field: -len(field.labels)):
        told_elsewhere[field.name] = set()
        for named_group in field.named.tolist():
            documents = np.packbits(field.group == named_group).tobytes()
            if documents in seen:
                told_elsewhere[field.name].add(named_group)
            seen.add(documents)
    return told_elsewhere
