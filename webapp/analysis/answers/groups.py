"""Fields as groups of documents: what a value is compared with, on whatever page."""

from typing import NamedTuple

import numpy as np

from webapp.core.documents import fields
from webapp.core.documents.selection import Selection
from webapp.intake.metadata import RangeField, ValueField

MOST_VALUES = 120  # of a category, the most frequent; the others are one more group
LEAST_DOCUMENTS = 12  # of a group, below which it counts among the others
OTHERS = "other values"


class FieldGroups(NamedTuple):
    """labels: of the groups that have a name; bounds: of those of a field of numbers, as
    webapp.core.documents.conditions.Range has them. group: int32[D], len(labels) for a document that has
    another value, or none, -1 for one outside the set. named: int64[n], groups that have
    LEAST_DOCUMENTS."""

    name: str
    labels: list[str]
    bounds: tuple[tuple[str, str], ...]
    group: np.ndarray
    named: np.ndarray

    @property
    def groups(self) -> int:
        """How many groups there are: one for each label, and one of all other documents."""
        return len(self.labels) + 1

    def place_of(self, label: str, bounds: tuple[str, str] | None = None) -> int | None:
        """The group of a value, or of a range; None where it is not named."""
        if bounds is None:
            groups = [group for group, value in enumerate(self.labels) if value == label]
        else:
            groups = [group for group, ends in enumerate(self.bounds) if ends == bounds]
        if not groups or groups[0] not in self.named:
            return None
        return groups[0]


def of_category(selection: Selection, category: ValueField) -> FieldGroups:
    """The values of a category in a set of documents."""
    codes = fields.values(selection.version, category)
    labels = list(category.values[:MOST_VALUES])
    has_label = (codes >= 0) & (codes < len(labels))
    return _group_field(
        selection, category.name, labels, (), np.where(has_label, codes, len(labels))
    )


def of_number(selection: Selection, number: RangeField) -> FieldGroups | None:
    """The lower and the upper third of a number in a set; None where they are the same, or too few
    documents have one."""
    values = fields.values(selection.version, number)
    has_number = number.known(values)
    inside = has_number if selection.mask is None else has_number & selection.mask
    if np.count_nonzero(inside) < 2 * LEAST_DOCUMENTS:
        return None
    low = np.quantile(values[inside], 1 / 3, method="lower")
    high = np.quantile(values[inside], 2 / 3, method="higher")
    if low >= high:
        return None
    group = np.select([has_number & (values <= low), has_number & (values >= high)], [0, 1], 2)
    lowest = f"{low:.6g}"
    highest = f"{high:.6g}"
    labels = [f"{lowest} or less", f"{highest} or more"]
    return _group_field(selection, number.name, labels, (("", lowest), (highest, "")), group)


def _group_field(
    selection: Selection,
    name: str,
    labels: list[str],
    bounds: tuple[tuple[str, str], ...],
    group: np.ndarray,
) -> FieldGroups:
    """Groups of fewer documents join the others."""
    group = selection.group(group.astype(np.int32))
    sizes = np.bincount(group[group >= 0], minlength=len(labels) + 1)
    small = (group >= 0) & (sizes[group] < LEAST_DOCUMENTS)
    group = np.where(small, np.int32(len(labels)), group)
    large_enough = np.flatnonzero(sizes[: len(labels)] >= LEAST_DOCUMENTS)
    return FieldGroups(name, labels, bounds, group, large_enough)
