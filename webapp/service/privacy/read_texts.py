"""The record of reading of a corpus, as its owner sees it: a page of it, and all as a table."""

from collections.abc import Iterator
from itertools import islice

from django.db.models import QuerySet

from webapp.models import Corpus, Reading
from webapp.platform.accounts import embargo
from webapp.platform.storage.csv_table import CsvTable
from webapp.service.privacy.shapes import ReadText

PAGE = 100  # rows of a page
BLOCK = 1_000  # rows of the table that are made at a time
COLUMNS = [
    "at", "reader", "account", "what", "document", "title", "first character", "behind the last", "corpus", "file",
]  # fmt: skip


def page(corpus: Corpus, after: int | None) -> tuple[list[ReadText], int | None]:
    """Rows, newest first, and where the next page begins. after: the number of a row."""
    readings = _readings(corpus)
    if after is not None:
        readings = readings.filter(pk__lt=after)
    rows = list(readings[: PAGE + 1])
    following = rows[PAGE - 1].pk if len(rows) > PAGE else None
    return _describe_texts(corpus, rows[:PAGE]), following


def _readings(corpus: Corpus) -> QuerySet[Reading]:
    return Reading.objects.filter(corpus=corpus).order_by("-pk").select_related("user", "link")


def _describe_texts(corpus: Corpus, rows: list[Reading]) -> list[ReadText]:
    """With the number and title that each text has in the corpus. A text is known by its digest:
    the files may have been read in another way since, and a part has numbers of its own."""
    known = [row.document for row in rows if row.document is not None and row.within == corpus.pk]
    documents = embargo.about(corpus, known, "title", "digest")
    moved = set()
    for row in rows:
        if row.document is None:
            continue
        same_number = documents.get(row.document)
        if same_number is None or same_number["digest"] != bytes(row.digest).hex():
            moved.add(bytes(row.digest))
    new_numbers = embargo.documents_by_id(corpus, moved, "digest") if moved else {}
    documents |= embargo.about(corpus, new_numbers.values(), "title", "digest")
    described = []
    for row in rows:
        digest = bytes(row.digest)
        number = new_numbers.get(digest) if digest in moved else row.document
        title = ""
        if number is not None and number in documents:
            title = documents[number]["title"]
        described.append(_row(corpus, row, number, title))
    return described


def _row(corpus: Corpus, row: Reading, number: int | None, title: str) -> ReadText:
    return ReadText(
        at=row.at,
        reader=_reader(row),
        account=row.user_id,
        kind=row.kind,
        document=number,
        title=title,
        begin=row.begin,
        end=row.end,
        part=None if row.within == corpus.pk else row.within,
        file=row.file,
    )


def _reader(row: Reading) -> str:
    if row.by == Reading.By.ACCOUNT:
        return row.user.name if row.user else "a deleted account"
    if row.by == Reading.By.CODER:
        return f"{row.coder}, who codes by a link"
    if row.by == Reading.By.LINK:
        name = row.link.name if row.link else ""
        return f"anybody with the link “{name}”" if name else "anybody with a link"
    return "anybody, as the corpus is public"


def table(corpus: Corpus) -> CsvTable:
    """All of it, newest first."""
    return CsvTable(COLUMNS, _rows(corpus))


def _rows(corpus: Corpus) -> Iterator[list]:
    readings = _readings(corpus).iterator(BLOCK)
    while block := list(islice(readings, BLOCK)):
        for row in _describe_texts(corpus, block):
            yield _cells(corpus, row)


def _cells(corpus: Corpus, row: ReadText) -> list:
    return [
        row.at.isoformat(timespec="seconds"),
        row.reader,
        row.account,
        row.kind,
        row.document,
        row.title,
        row.begin,
        row.end,
        row.part or corpus.pk,
        row.file,
    ]
