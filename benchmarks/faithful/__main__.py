"""How faithfully files are read: `python -m benchmarks.faithful [--quick]`.

Known texts are written into every format with what real files carry, read by defaults, and compared
as multisets of words and by their number of documents. The last line has, in parts of a million
words: kept, lost, invented; and the number of cases (format by what it carries) in which more than
100 parts are lost or invented and nothing that is said names a number for it.
"""

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import regex

from benchmarks.faithful.texts import Known, known
from benchmarks.faithful.written import KINDS, Kind
from webapp.intake import readers

MILLION = 1_000_000
BOUND = 100  # parts of a million
_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")


class Case(NamedTuple):
    """What came of one kind of files, in words. said: whether what is missing or too much was said
    with a number."""

    kind: Kind
    words: int
    lost: int
    invented: int
    said: bool

    @property
    def silent(self) -> bool:
        wrong = max(self.lost, self.invented) * MILLION > BOUND * max(1, self.words)
        return wrong and not self.said


def words(text: str) -> Counter[str]:
    return Counter(_WORDS.findall(text.lower()))


def try_kind(kind: Kind, texts: list[Known], folder: Path) -> Case:
    """Write each text as a file of its own, and read it by defaults."""
    count = lost = invented = 0
    said = True
    for text in texts:
        path = folder / "file"
        path.write_bytes(kind.write(text))
        came, sentences = _read(path, kind.name)
        expected = Counter() if kind.lost else words(text.text)
        missing = expected - words(came)
        more = words(came) - expected
        if kind.carries == "ruby":
            more.pop("東京", None)
        count += expected.total()
        lost += missing.total()
        invented += more.total()
        if missing or more or kind.lost:
            said = said and any(regex.search(r"\d", sentence) for sentence in sentences)
    return Case(kind, count, lost, invented, said)


def _read(path: Path, name: str) -> tuple[str, list[str]]:
    try:
        options = readers.sniff(path, name).options
        items = list(readers.read(path, name, options))
    except readers.Unreadable as error:
        return "", [str(error)]
    texts = [item.text for item in items if isinstance(item, readers.Document)]
    return "\n".join(texts), [item.message for item in items if isinstance(item, readers.Problem)]


def compare(documents: int) -> list[Case]:
    texts = known(documents)
    with tempfile.TemporaryDirectory() as folder:
        return [try_kind(kind, texts, Path(folder)) for kind in KINDS]


def table(cases: list[Case]) -> str:
    rows = ["| format | carries | words | lost | invented | |", "|---|---|---|---|---|---|"]
    for case in cases:
        note = "silent" if case.silent else ""
        rows.append(
            f"| {case.kind.format} | {case.kind.carries} | {case.words:,} | {case.lost:,} |"
            f" {case.invented:,} | {note} |"
        )
    total = max(1, sum(case.words for case in cases))
    lost, invented = (sum(getattr(case, name) for case in cases) for name in ("lost", "invented"))
    silent = sum(case.silent for case in cases)
    rows.append(
        f"\nkept: {round((total - lost) / total * MILLION)} lost: {round(lost / total * MILLION)}"
        f" invented: {round(invented / total * MILLION)} silent: {silent}"
    )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="three texts instead of 60")
    print(table(compare(3 if parser.parse_args().quick else 60)))


if __name__ == "__main__":
    main()
