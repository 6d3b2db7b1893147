"""What is asked: which documents are compared with which, who is independent of whom, and together
with which other comparisons it is judged."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid


class QuestionFamily(StrEnum):
    """The rows that share one level.

    VALUE: a value of a field against all other documents: every value of the field, with every
    topic. SPAN: a span of time against all other time (inference.answers.spans): every span, with
    every topic. CHOSEN: two sets that somebody chose: every topic.
    """

    VALUE = "value"
    SPAN = "span"
    CHOSEN = "chosen"


class Question(NamedTuple):
    """Side A is the documents of one group, side B those of all other groups.

    group: int[D], the group of each document, -1 for one that is in no group; groups: their number.
    asked_groups: int64[Q], the groups that are side A, one after the other: the rows of the family. unit:
    int[D], whose each document is, below 0 for one that stands for itself; None: documents are
    independent of each other. family: see QuestionFamily.
    """

    group: np.ndarray
    groups: int
    asked_groups: np.ndarray
    unit: np.ndarray | None
    family: QuestionFamily


def of_two_sets(side_a: np.ndarray, side_b: np.ndarray, unit: np.ndarray | None) -> Question:
    """Two sets that somebody chose. side_a, side_b: bool[D]; unit: as in Question.

    Raises Invalid for a document that is on both sides.
    """
    on_both = int(np.count_nonzero(side_a & side_b))
    if on_both:
        raise Invalid(
            "sides",
            f"Two sets without a document in common were expected, got {on_both:,} that are in"
            " both.",
        )
    group = np.select([side_a, side_b], [0, 1], -1)
    return Question(
        group=group, groups=2, asked_groups=np.array([0]), unit=unit, family=QuestionFamily.CHOSEN
    )


def of_values(
    group: np.ndarray, groups: int, unit: np.ndarray | None, named_groups: np.ndarray | None = None
) -> Question:
    """Each value of a field against all other documents.

    group: int[D], the value of each document, -1 for one outside the set; groups: their number.
    named_groups: int[Q], values that are asked for, None: all; what is not named counts as "other".
    Of a field with two groups only the first is asked for: the second says the same once more.
    unit: as in Question."""
    present = np.flatnonzero(np.bincount(group[group >= 0], minlength=groups))
    asked_groups = present if named_groups is None else np.intersect1d(present, named_groups)
    if len(present) == 2 and len(asked_groups) == 2:
        asked_groups = asked_groups[:1]
    return Question(
        group=group,
        groups=groups,
        asked_groups=asked_groups,
        unit=unit,
        family=QuestionFamily.VALUE,
    )
