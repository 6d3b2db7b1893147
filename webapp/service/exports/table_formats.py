"""A table as CSV, JSON or Parquet: bytes, a piece at a time."""

import codecs
import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from webapp.platform.storage import csv_cells
from webapp.service.exports.tables import Block, ExportTable

# of numbers in CSV, which people look at: more than any sample can support; JSON and Parquet have
# all
DIGITS = 9
# Of a Parquet file: rows that are compressed together, fewer where they have so many characters, as
# they are held in memory
GROUP = 100_000
GROUP_CHARACTERS = 32_000_000
_TYPES = {int: pa.int64(), float: pa.float64(), str: pa.string()}


class Format(NamedTuple):
    media: str
    write: Callable[[ExportTable, dict], Iterator[bytes]]  # the second: made_by
    size: float  # about, of a table, compared with the same as CSV
    label: str = ""  # for pages; by default its ending


def as_csv(table: ExportTable, made_by: dict) -> Iterator[bytes]:
    """A header and rows. CSV has no place to say what made it: its name does."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(csv_cells.safe([column.name for column in table.columns]))
    for block in table.blocks:
        writer.writerows(
            [
                f"{value:.{DIGITS}g}" if isinstance(value, float) else value
                for value in csv_cells.safe(row)
            ]
            for row in block
        )
        yield buffer.getvalue().encode()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue().encode()


def as_excel_csv(table: ExportTable, made_by: dict) -> Iterator[bytes]:
    """CSV with a byte order mark, without which Excel takes UTF-8 for another encoding."""
    return chain([codecs.BOM_UTF8], as_csv(table, made_by))


def as_json(table: ExportTable, made_by: dict) -> Iterator[bytes]:
    """{"made_by": …, "columns": […], "rows": [{…}, …]}"""
    names = [column.name for column in table.columns]
    yield (
        b'{"made_by":' + orjson.dumps(made_by) + b',"columns":' + orjson.dumps(names) + b',"rows":['
    )
    between = b""
    for block in filter(None, table.blocks):
        yield between + orjson.dumps([dict(zip(names, row, strict=True)) for row in block])[1:-1]
        between = b","
    yield b"]}\n"


class Sink(io.RawIOBase):
    """Takes what is written, for a generator to pass on: a file that can't be read back."""

    def __init__(self):
        self.pieces: list[bytes] = []
        self.at = 0

    def write(self, block) -> int:
        block = bytes(block)
        self.pieces.append(block)
        self.at += len(block)
        return len(block)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.at

    def take(self) -> bytes:
        """What was written since the last time."""
        content = b"".join(self.pieces)
        self.pieces.clear()
        return content


def as_parquet(table: ExportTable, made_by: dict) -> Iterator[bytes]:
    """Compressed by zstd; what made it stands in the schema's metadata, under “topograph”."""
    schema = pa.schema(
        [pa.field(column.name, _TYPES[column.type]) for column in table.columns],
        metadata={"topograph": orjson.dumps(made_by)},
    )
    sink = Sink()
    with pq.ParquetWriter(pa.PythonFile(sink, "w"), schema, compression="zstd") as writer:
        for group in _gather_blocks(table.blocks):
            columns = zip(*group, strict=True)
            arrays = [
                pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()


def _gather_blocks(blocks: Iterable[Block]) -> Iterator[list[tuple]]:
    """Blocks gathered until they hold GROUP rows or GROUP_CHARACTERS; the last ones hold less."""
    group: list[tuple] = []
    characters = 0
    for block in blocks:
        group += block
        characters += _count_characters(block)
        if len(group) >= GROUP or characters >= GROUP_CHARACTERS:
            yield group
            group = []
            characters = 0
    if group:
        yield group


def _count_characters(block: Block) -> int:
    return sum(len(cell) for row in block for cell in row if isinstance(cell, str))


FORMATS = {
    "csv": Format("text/csv; charset=utf-8", as_csv, 1.0),
    "excel.csv": Format("text/csv; charset=utf-8", as_excel_csv, 1.0, "csv for Excel"),
    "json": Format("application/json", as_json, 2.2),
    "parquet": Format("application/vnd.apache.parquet", as_parquet, 0.25),
}
