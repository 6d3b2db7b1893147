"""What is known of documents beside their text, as columns: categories, names, numbers, and dates
beside the first."""

import numpy as np

from inference.errors import Invalid
from webapp.intake.metadata import Field, Names, Number, RangeField, ValueField
from webapp.intake.metadata.columns import Columns
from webapp.models import Version
from webapp.platform.accounts import embargo
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached


@cached(64)
def open_columns(version_id: int) -> Columns | None:
    folder = files.version_folder(version_id) / "columns"
    with sealed.hold(folder):
        has_columns = (folder / "meta.json").exists()  # else read by a version without
        return sealed.opened(lambda: Columns(folder), folder) if has_columns else None


def _fields(version: Version, kind: type) -> list:
    """kind: a subclass of Field."""
    columns = open_columns(version.pk)
    return [field for field in columns.fields if isinstance(field, kind)] if columns else []


def categories(version: Version) -> list[ValueField]:
    """Fields whose values documents share: they are chosen by a value (?in=). Under embargo without
    those that may be texts."""
    fields = _fields(version, ValueField)
    hidden = embargo.withheld(version.corpus) if fields else None
    return [
        category
        for category in fields
        if not hidden or hidden.may_count(category.name, category.values)
    ]


def names(version: Version) -> list[Names]:
    """Fields of more values than a category has, which documents share."""
    return _fields(version, Names)


def ranges(version: Version) -> list[RangeField]:
    """Fields of numbers, and of dates beside the first: they are chosen by their ends
    (?between=)."""
    return _fields(version, RangeField)


def numeric_fields(version: Version) -> list[Number]:
    """Those of the ranges that are numbers."""
    return _fields(version, Number)


def values(version: Version, field: Field) -> np.ndarray:
    """The column of a field, field.dtype[D]; what stands for none is the type's matter."""
    return open_columns(version.pk).values(field)


def codes(version: Version, name: str) -> tuple[ValueField, np.ndarray]:
    """A category and its codes, int32[D]. Raises Invalid where there is no such category."""
    category = next((field for field in categories(version) if field.name == name), None)
    if category is None:
        names = ", ".join(f"“{c.name}”" for c in categories(version)) or "none"
        raise Invalid(
            "field",
            f"“{name}” is not a category of “{version.corpus.name}”. Its categories: {names}.",
        )
    return category, values(version, category)
