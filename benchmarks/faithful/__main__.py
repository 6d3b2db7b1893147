"""How faithfully files are read: `python -m benchmarks.faithful [--quick]`.

Known texts are written into every format with what real files carry, read by defaults, and compared
as multisets of words, and by their number of documents, dates and authors. The last line has, in
parts of a million words: kept, lost, invented; and the number of cases (format by what it carries)
in which more than 100 parts are lost or invented, or a document, date or author is wrong, and the
top of the preview does not count what is.
"""

import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import regex

from benchmarks.faithful.collections import COLLECTIONS, Collection, texts_of
from benchmarks.faithful.texts import Known, known
from benchmarks.faithful.written import KINDS, Kind
from benchmarks.origin import options
from webapp.intake import file_formats
from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping import Shaping, date_order_of, guess_table, shape

MILLION = 1_000_000
BOUND = 100  # parts of a million
DOCUMENTS = 60
QUICK_DOCUMENTS = 3
_UNSEEN = regex.compile(r"\p{Cf}")  # soft hyphens and the like, which are in no word
_WORDS = regex.compile(r"[\p{L}\p{M}\p{N}]+")


class Case(NamedTuple):
    """What came of one kind of files. words, lost, invented: in words; documents, dates, authors:
    how many of them are wrong. said: whether the top of the preview counts as many as are wrong, or
    refuses the file."""

    kind: Kind | Collection
    words: int
    lost: int
    invented: int
    said: bool
    documents: int = 0
    dates: int = 0
    authors: int = 0

    @property
    def silent(self) -> bool:
        wrong = max(self.lost, self.invented) * MILLION > BOUND * max(1, self.words)
        return (wrong or bool(self.documents or self.dates or self.authors)) and not self.said


class Arrived(NamedTuple):
    """counted: by kinds, as the top of the preview counts what is left out or changed."""

    documents: list[Document]
    counted: Counter[str]


def words(text: str) -> Counter[str]:
    return Counter(_WORDS.findall(_UNSEEN.sub("", text.lower())))


def try_kind(kind: Kind, texts: list[Known], folder: Path) -> Case:
    """Write each text as a file of its own, and read it by defaults."""
    count = lost = invented = 0
    said = True
    for text in texts:
        path = folder / "file"
        path.write_bytes(kind.write(text))
        came = arrived(path, kind.name, folder)
        written = "\n".join(document.text for document in came.documents)
        expected = Counter() if kind.lost else words(text.text)
        missing = expected - words(written)
        more = words(written) - expected
        if "ruby" in kind.carries:
            more.pop("東京", None)
        count += expected.total()
        lost += missing.total()
        invented += more.total()
        if missing or more or kind.lost:
            said = said and bool(came.counted)
    return Case(kind, count, lost, invented, said)


def try_collection(collection: Collection, documents: int, folder: Path) -> Case:
    """Write some texts as one file, and read it by defaults."""
    texts = texts_of(collection, documents)
    path = folder / "file"
    path.write_bytes(collection.write(texts))
    came = arrived(path, collection.name, folder)
    texts_to_come = {
        number: text for number, text in enumerate(texts) if number not in collection.dropped
    }
    written = words("\n".join(document.text for document in came.documents))
    expected = words("\n".join(f"{collection.begins(t)} {t.text}" for t in texts_to_come.values()))
    dates = [text.year if collection.years else text.date for text in texts_to_come.values()]
    days = [_day(document)[: len(dates[0])] for document in came.documents]
    authors = [
        "" if number in collection.nobody else text.author for number, text in texts_to_come.items()
    ]
    unsaid = len(texts) > len(texts_to_come) and not came.counted
    documents = abs(len(came.documents) - len(texts_to_come)) + unsaid
    if collection.reversed_names:
        authors = [", ".join(reversed(author.split())) for author in authors]
    case = Case(collection, expected.total(), 0, 0, False, documents)
    if collection.dated:
        case = case._replace(dates=_unlike(dates, days))
    if collection.authored:
        case = case._replace(authors=_unlike(authors, map(_author, came.documents)))
    missing = expected - written
    more = written - expected
    wrong = max(case.documents, case.dates, case.authors)
    refused = bool(came.counted) and not came.documents
    said = refused or came.counted.total() >= max(1, wrong)
    return case._replace(lost=missing.total(), invented=more.total(), said=said)


def _unlike(expected: list[str], came: Iterable[str]) -> int:
    missing = Counter(expected)
    missing.subtract(came)
    return max((+missing).total(), (-missing).total())


def _day(document: Document) -> str:
    day = file_formats.parse_date(document.date)
    return day.isoformat() if day else ""


def _author(document: Document) -> str:
    fields = document.metadata
    return fields.get("author") or fields.get("speaker") or fields.get("from", "")


def arrived(path: Path, name: str, folder: Path) -> Arrived:
    """What the form proposes of one file: with a table about the others where there is one, and
    with dates of first lines where most files have such."""
    try:
        table = guess_table([(path, name)])
        without = {"without": table.name} if table else {}
        options = file_formats.sniff_first([(path, name)], **without).options
        items = list(file_formats.read(path, name, options))
    except file_formats.Unreadable as error:
        return Arrived([], Counter({error.kind: 1}))
    files = [item for item in items if isinstance(item, Document) and not item.place]
    undated = [item.text for item in files if not item.date]
    dated = date_order_of(undated) if len(undated) * 2 > len(items) else ""
    joined = any(file_formats.mets.DOCUMENT in item.metadata for item in files)
    shaping = Shaping(
        dated=dated,
        table=table.name if table else "",
        key=table.key if table else "",
        join=(file_formats.mets.DOCUMENT,) if joined else (),
    )
    upload = (path, name) if table else None
    shaped = list(shape(items, shaping, folder, upload, order=options.date_order))
    counted: Counter[str] = Counter()
    for item in shaped:
        if isinstance(item, Problem):
            counted[item.counted_as] += item.count
    return Arrived([item for item in shaped if isinstance(item, Document)], counted)


def compare(documents: int) -> list[Case]:
    texts = known(documents)
    with tempfile.TemporaryDirectory() as folder:
        return [
            *(try_kind(kind, texts, Path(folder)) for kind in KINDS),
            *(try_collection(collection, documents, Path(folder)) for collection in COLLECTIONS),
        ]


def table(cases: list[Case]) -> str:
    """The cases as a table of Markdown, and a last line with sums. The columns behind the words:
    how many documents, dates and authors are wrong."""
    rows = [
        "| format | carries | words | lost | invented | documents | dates | authors | |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case in cases:
        wrong = [case.documents, case.dates, case.authors]
        cells = [case.kind.format, case.kind.carries]
        cells += [f"{number:,}" for number in (case.words, case.lost, case.invented, *wrong)]
        cells.append("silent" if case.silent else "")
        rows.append(f"| {' | '.join(cells)} |")
    total = max(1, sum(case.words for case in cases))
    lost = sum(case.lost for case in cases)
    invented = sum(case.invented for case in cases)
    silent = sum(case.silent for case in cases)
    parts = {"kept": total - lost, "lost": lost, "invented": invented}
    sums = [f"{name}: {round(words / total * MILLION)}" for name, words in parts.items()]
    rows.append(f"\n{' '.join(sums)} silent: {silent}")
    return "\n".join(rows)


def main() -> None:
    declared: dict[str, dict[str, Any]] = {
        "--quick": {"action": "store_true", "help": "three texts instead of 60"}
    }
    arguments = options(__doc__, declared).parse_args()
    print(table(compare(QUICK_DOCUMENTS if arguments.quick else DOCUMENTS)))


if __name__ == "__main__":
    main()
