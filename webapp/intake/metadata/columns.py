"""Metadata of a corpus's documents as columns: files that are memory-mapped, one value for each
document.

A page that counts by year, or shows a selection of ten million documents, reads these instead of as
many rows. What the values of a column are is its type's matter (webapp.intake.metadata.TYPES).
"""

import itertools
import json
from array import array
from datetime import date
from pathlib import Path

import numpy as np

from webapp.intake import metadata
from webapp.intake.metadata.field import ColumnWriter, Field


class Writer:
    """`add` every document in order, then `finish`. Use `with`.

    kinds: of fields, by their names (Options.kinds); others are categories where documents share
    their values.
    """

    def __init__(self, folder: Path, kinds: dict[str, str] | None = None):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kinds = kinds or {}
        self.dates = (self.folder / "dates").open("wb")
        self.columns: dict[str, tuple[type[Field], ColumnWriter]] = {}
        self.refused: set[str] = set()  # fields that are stored in no column
        self.numbers = itertools.count()  # of the files while they are written

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_) -> None:
        self.dates.close()
        for _type, column in self.columns.values():
            column.close()

    def add(
        self, number: int, day: date | None, values: dict[str, str], date_order: str = ""
    ) -> None:
        """day: the document's own date. date_order: what 12/3/1999 means among its fields
        (Options.date_order)."""
        self.dates.write(array("i", [day.toordinal() if day else 0]).tobytes())
        for name, value in values.items():
            if not value or name in self.refused:
                continue
            if name not in self.columns:
                kind = metadata.type_of(self.kinds.get(name))
                if kind.writer is None:
                    self.refused.add(name)
                    continue
                self.columns[name] = (
                    kind,
                    kind.writer(self.folder / f"new-{next(self.numbers)}", kind),
                )
            self.columns[name][1].add(number, value, date_order)

    def finish(self, documents: int) -> None:
        """Keep the columns that tell documents from one another: their types say which."""
        self.dates.close()
        meta: dict[str, list[dict]] = {kind.stored_as: [] for kind in metadata.stored()}
        for name, (begun_as, column) in self.columns.items():
            kind = column.becomes or begun_as
            fields = meta[kind.stored_as]
            if (
                arguments := column.finish(
                    documents, self.folder / f"{kind.file_prefix}{len(fields)}"
                )
            ) is not None:
                fields.append({"name": name, **arguments})
        self.columns.clear()
        self._order(documents)
        (self.folder / "meta.json").write_text(json.dumps({"documents": documents, **meta}))

    def _order(self, documents: int) -> None:
        """The numbers of all documents by date, where any has one: pages of lists read them."""
        if (days := np.fromfile(self.folder / "dates", np.int32, documents)).any():
            for newest, name in _BY_DATE.items():
                put_in_order(days, newest).tofile(self.folder / name)


_BY_DATE = {False: "by_date", True: "by_date_newest"}  # newest first? -> the file


def put_in_order(days: np.ndarray, newest: bool) -> np.ndarray:
    """int32[D]: documents by date, oldest or newest first; those without one last, of equals the
    lower number first."""
    keys = np.where(days == 0, np.iinfo(np.int32).max, -days if newest else days)
    return np.argsort(keys, kind="stable").astype(np.int32)


class Columns:
    """The columns of a version. dates: int32[D], the documents' own dates, date.toordinal(), 0
    where there is none. fields: the others, in the order of metadata.stored."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        meta = json.loads((self.folder / "meta.json").read_text())
        self.documents = meta["documents"]
        self.dates = self._array("dates", np.int32)
        self.fields: list[Field] = []
        self._files: dict[str, str] = {}
        for kind in metadata.stored():
            # Files of older versions lack some
            for i, arguments in enumerate(meta.get(kind.stored_as, [])):
                self.fields.append(kind(**arguments))
                self._files[arguments["name"]] = f"{kind.file_prefix}{i}"

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)

    def values(self, field: Field) -> np.ndarray:
        """The column of a field, dtype[D]: what its type says they are."""
        return self._array(self._files[field.name], field.dtype)

    def by_date(self, newest: bool) -> np.ndarray | None:
        """int32[D], the numbers of documents by `put_in_order`; None where none has a date, or an
        older version read them."""
        return (
            self._array(_BY_DATE[newest], np.int32)
            if (self.folder / _BY_DATE[newest]).exists()
            else None
        )

    def _array(self, name: str, dtype: type[np.generic]) -> np.ndarray:
        return np.memmap(self.folder / name, dtype, "r") if self.documents else np.zeros(0, dtype)
