"""Columns of texts in which the unit of a collection is looked for
(inference.answers.collection_unit): codes in files, so that memory does not grow with the
documents."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import orjson

from inference.answers.collection_unit import LONGEST_MEAN_VALUE, Column

BLOCK = 20_000  # documents at a time
MOST_COLUMNS = 100  # of a table that are looked at, the first
MOST_FOLDERS = 5  # of a path that are looked at
MOST_TEXTS = 20_000  # values of a column whose texts are kept
Block = tuple[int, dict[str, list[str]]]  # the first document, and texts by column, "" for none


class TextColumn:
    """A column that is written block by block: a hash of each text, in a file; the texts of the
    first values. `unusable` becomes True of texts that are too long for names."""

    def __init__(self, name: str, path: Path, derived: str = ""):
        self.name = name
        self.path = path
        self.derived = derived
        self.file = path.open("wb")
        self.documents = 0
        self.texts: dict[str, None] = {}
        self.unusable = False

    def add(self, first: int, texts: list[str]) -> None:
        """Texts of the documents from `first` on; those before it that were not given have none."""
        if self.unusable:
            return
        filled = [text for text in texts if text]
        if filled and sum(map(len, filled)) > LONGEST_MEAN_VALUE * len(filled):
            self.unusable = True
            return
        self._fill(first)
        np.fromiter(map(hash, texts), np.int64, len(texts)).tofile(self.file)
        self.documents += len(texts)
        if len(self.texts) < MOST_TEXTS:
            self.texts.update(dict.fromkeys(filled))

    def _fill(self, documents: int) -> None:
        np.zeros(documents - self.documents, np.int64).tofile(self.file)
        self.documents = documents

    def finish(self, documents: int) -> Column:
        """The column, its codes by the first document of each value, in a file at the same path."""
        self._fill(documents)
        self.file.close()
        hashes = np.fromfile(self.path, np.int64)
        different, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
        is_empty = different == hash("")
        first[is_empty] = documents  # behind all others, so that the codes of these have no gap
        code = np.empty(len(different), np.int32)
        code[np.argsort(first, kind="stable")] = np.arange(len(different), dtype=np.int32)
        code[is_empty] = -1
        code[inverse].tofile(self.path)
        values = len(different) - int(np.count_nonzero(is_empty))
        codes = np.memmap(self.path, np.int32, "r", shape=(documents,))
        return Column(self.name, codes, list(self.texts), values, self.derived)


def write_columns(
    blocks: Iterator[Block], folder: Path, prefix: str, documents: int
) -> list[Column]:
    """The columns of some blocks, in files of a folder."""
    columns: dict[str, TextColumn] = {}
    with ExitStack() as files:
        for first, texts_of_columns in blocks:
            for name, texts in texts_of_columns.items():
                if name not in columns and len(columns) < MOST_COLUMNS:
                    path = folder / f"{prefix}{len(columns)}"
                    columns[name] = TextColumn(name, path)
                    files.callback(columns[name].file.close)
                if name in columns:
                    columns[name].add(first, texts)
        usable = [column for column in columns.values() if not column.unusable]
        return [column.finish(documents) for column in usable]


def write_derived(
    blocks: Iterator[Block],
    ways: dict[str, dict[str, Callable[[str], str]]],
    folder: Path,
    prefix: str,
    documents: int,
) -> list[Column]:
    """Columns that are derived from those of the blocks. ways: by the name of the column, by that
    of the derived one."""
    columns: dict[str, TextColumn] = {}
    with ExitStack() as files:
        for source, derived in ways.items():
            for name in derived:
                path = folder / f"{prefix}{len(columns)}"
                columns[name] = TextColumn(name, path, source)
                files.callback(columns[name].file.close)
        for first, texts_of_columns in blocks:
            for source, derived in ways.items():
                texts = texts_of_columns.get(source, ())
                for name, derive in derived.items():
                    columns[name].add(first, [derive(text) if text else "" for text in texts])
        return [column.finish(documents) for column in columns.values()]


def blocks_of_fields(path: Path, documents: int, left_out: set[str]) -> Iterator[Block]:
    """What tables say of each document (fields.jsonl of a corpus), without some columns."""
    with path.open("rb") as lines:
        for first in range(0, documents, BLOCK):
            size = min(BLOCK, documents - first)
            block: dict[str, list[str]] = {}
            for row in range(size):
                metadata = orjson.loads(next(lines))[1]
                for name, text in metadata.items():
                    if name in left_out:
                        continue
                    if name not in block:
                        block[name] = [""] * size
                    block[name][row] = text
            yield first, block


def parts_of_paths(paths: list[str]) -> dict[str, list[str]]:
    """Folders and names of files by their place: "a/b/c.txt" -> folder 1, folder 2, file."""
    split = {path: path.split("/") for path in set(paths)}
    if len(split) < 2:
        return {}
    deepest = max(map(len, split.values()))
    folders = {}
    for depth in range(min(deepest - 1, MOST_FOLDERS)):
        folders[f"folder {depth + 1}"] = [_folder(split[path], depth) for path in paths]
    return {"file": [split[path][-1] for path in paths]} | folders


def _folder(parts: list[str], depth: int) -> str:
    return parts[depth] if depth < len(parts) - 1 else ""
