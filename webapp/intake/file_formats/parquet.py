"""Parquet: one document a row, columns as in a table."""

import datetime
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson
import pyarrow
import pyarrow.parquet

from webapp.intake.file_formats import cells
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    nothing,
    opened,
)
from webapp.intake.file_formats.rows import Row

ROWS = 200  # that are unpacked at once: each may be a book


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    rows = cells.beginning(_rows(path, name, nothing), cells.SAMPLE_ROWS + 1)
    return cells.sniff([row.cells for row in rows], name, replace(options, header=True), True)


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    yield from cells.documents(
        _rows(path, name, advance), name, replace(options, header=True), "row {}"
    )


def _rows(path: Source, name: str, advance: Callable[[int], None]) -> Iterator[Row]:
    """The names of the columns, then the rows."""
    with opened(path, name, advance) as file:
        try:
            table = pyarrow.parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
            names = table.schema_arrow.names
            cells.check_width(len(names), name)
            yield Row(0, names, None)
            batches = table.iter_batches(batch_size=ROWS, use_threads=False)
            columns = ([column.to_pylist() for column in batch.columns] for batch in batches)
            rows = itertools.chain.from_iterable(
                zip(*values_of_columns, strict=True) for values_of_columns in columns
            )
            for number, row in enumerate(rows, 1):
                yield Row(number, [_cell(value) for value in row], None)
        except (pyarrow.ArrowException, OSError) as error:
            if "encrypt" in str(error).lower() or "decrypt" in str(error).lower():
                raise Unreadable(
                    f"“{name}” is encrypted; it was left out. Save it without encryption."
                ) from None
            why = clean(str(error)).split("\n")[0][:120]
            raise Unreadable(
                f"“{name}” is not a Parquet file, or is damaged ({why}). Write or download it"
                " again."
            ) from None


def _cell(value) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bytes():
            return value[:MAX_TEXT].decode("utf-8", "replace")
        case list():
            return "; ".join(_cell(item) for item in value)
        case datetime.datetime():
            return (
                value.date().isoformat() if value.time() == datetime.time() else value.isoformat()
            )
        case dict():
            return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
        case _:
            return str(value)
