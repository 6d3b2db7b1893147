"""Sorting more than memory holds: runs are sorted, written to files that have no name, and merged."""

import heapq
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

MEMORY = 32 << 20  # bytes of lines that are held
FAN = 16  # files that are merged into one: each takes a line's memory, and a process may have some hundred open


class Lines:
    """Lines of bytes, each with its end, to be had in their order. The files lie in `folder` and are gone with the
    process."""

    def __init__(self, folder: Path, memory: int = MEMORY):
        self.folder, self.memory = folder, memory
        self.held: list[bytes] = []
        self.size = 0
        # levels[i]: files that were merged i times; a line is written once a level
        self.levels: list[list[BinaryIO]] = []

    def add(self, line: bytes) -> None:
        self.held.append(line)
        self.size += len(line) + 64  # what Python takes for each
        if self.size >= self.memory:
            self._spill()

    def sorted(self) -> Iterator[bytes]:
        self.held.sort()
        yield from heapq.merge(*(file for level in self.levels for file in level), self.held)

    def _spill(self) -> None:
        self.held.sort()
        run = self._written(self.held)
        self.held, self.size = [], 0
        for level in self.levels:
            level.append(run)
            if len(level) < FAN:
                return
            run = self._written(heapq.merge(*level))
            for file in level:
                file.close()
            level.clear()
        self.levels.append([run])

    def _written(self, lines: Iterable[bytes]) -> BinaryIO:
        file = tempfile.TemporaryFile(dir=self.folder)
        file.writelines(lines)
        file.seek(0)
        return file

    def close(self) -> None:
        for file in (file for level in self.levels for file in level):
            file.close()

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_) -> None:
        self.close()
