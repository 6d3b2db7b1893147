"""The texts of documents as files: a folder of plain text with a table beside it, and what the
files with the topic of each word (conllu, tei) are written from.

Every kind of export here gives texts away: there is none under an embargo.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from inference.errors import Invalid
from webapp.core.documents import texts as marked_texts
from webapp.core.results import provenance
from webapp.models import Corpus
from webapp.platform.accounts import embargo
from webapp.platform.storage.csv_table import CsvTable
from webapp.service.exports.tables import (
    BLOCK_DOCUMENTS,
    Block,
    Column,
    ExportSource,
    ExportTable,
    about,
    documents as table_of_documents,
    name_of_field,
    selected,
)
from webapp.service.exports.zips import Member, zipped

# Of texts that are cut into words together: more is no faster
CHARACTERS_CUT = 500_000
TEXTS_CUT = 1_000
TEXT_COLUMN = "text"  # of the table of documents with their texts
TEXTS_IN_BLOCK = 50  # read from the database at once: one of them may have a million characters
# The directory of a zip is held in memory until its end, and programs that show a folder of more
# files do it badly
MOST_FILES = 200_000
LONGEST_NAME = 60  # characters of a title in the name of a file
TABLE_NAME = "documents.csv"
_OWN_COLUMNS = ("file", "id", "title", "date")
_NOT_IN_NAMES = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class Document:
    """A document as its files show it.

    number: of the corpus, from 0. id, title, date: as they were read, "" where there is none.
    fields: its metadata, name -> value. text: whole.
    """

    number: int
    id: str
    title: str
    date: str
    fields: dict[str, str]
    text: str

    @property
    def name(self) -> str:
        """What an id of other programs may be: without white space, and never empty."""
        return re.sub(r"\s+", "_", self.id.strip()) or str(self.number)


def documents(request: ExportSource) -> Iterator[Document]:
    """The chosen documents with their texts, ascending. Raises Invalid under an embargo."""
    corpus = request.run.corpus
    embargo.refuse(corpus, "The texts")
    for numbers in selected(request, TEXTS_IN_BLOCK):
        rows = about(request.run, numbers, "metadata")
        whole_texts = texts_of(corpus, numbers.tolist())
        for number in numbers.tolist():
            row = rows[number]
            yield Document(
                number=number,
                id=row["id"] or "",
                title=row["title"] or "",
                date=row["date"] or "",
                fields=_fields(row["metadata"]),
                text=whole_texts[number],
            )


def documents_with_texts(source: ExportSource) -> ExportTable:
    """The table of documents, with a column for each of their fields in place of their metadata, and
    the whole text of each in its last column. Raises Invalid under an embargo."""
    embargo.refuse(source.run.corpus, "The texts")
    table = table_of_documents(source, TEXTS_IN_BLOCK)
    names = _names_of_fields(source)
    *columns, _ = table.columns
    own_names = [*(column.name for column in columns), TEXT_COLUMN]
    columns += [Column(name_of_field(name, own_names), str) for name in names]
    columns.append(Column(TEXT_COLUMN, str))
    return ExportTable.begun(columns, _add_texts(source.run.corpus, table.blocks, names))


def _add_texts(corpus: Corpus, blocks: Iterator[Block], names: list[str]) -> Iterator[Block]:
    """blocks: rows that begin with the number of a document and end with its metadata. names: of
    fields."""
    for block in blocks:
        whole_texts = texts_of(corpus, [row[0] for row in block])
        rows = []
        for *cells, metadata in block:
            fields = _fields(metadata)
            values = [fields.get(name, "") for name in names]
            rows.append((*cells, *values, whole_texts[cells[0]]))
        yield rows


def texts_of(corpus: Corpus, numbers: list[int]) -> dict[int, str]:
    """The whole texts of some documents. Whoever asks has refused an embargo before."""
    texts = embargo.read_chosen(
        corpus, numbers, embargo.FARTHEST_CHARACTER, lambda _, text: (0, len(text))
    )
    return {number: text for number, (_, text) in texts.items()}


def _fields(metadata: str | None) -> dict[str, str]:
    """Values of the fields of a document, as text."""
    if not metadata:
        return {}
    return {name: _value(value) for name, value in json.loads(metadata).items()}


def _value(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def documents_in_words(
    request: ExportSource,
) -> Iterator[tuple[Document, list[marked_texts.Word]]]:
    """The chosen documents, each with its text in words of the vocabulary, which have their topics
    as readers see them, and what stands between them."""
    view = request.selection.view
    for batch in _batches(documents(request)):
        assigned = [marked_texts.tokens(view, document.number) for document in batch]
        texts = [document.text for document in batch]
        words = marked_texts.words_of_whole(request.run, assigned, texts)
        yield from zip(batch, words, strict=True)


def _batches(all_documents: Iterator[Document]) -> Iterator[list[Document]]:
    """Some at a time, which are cut into words together; a long one alone, or behind short ones."""
    batch: list[Document] = []
    characters = 0
    for document in all_documents:
        batch.append(document)
        characters += len(document.text)
        if characters >= CHARACTERS_CUT or len(batch) == TEXTS_CUT:
            yield batch
            batch = []
            characters = 0
    if batch:
        yield batch


def folder(request: ExportSource) -> Iterator[bytes]:
    """A zip: each text as a file, and a table that says what each file is."""
    embargo.refuse(request.run.corpus, "The texts")
    if request.selection.count > MOST_FILES:
        raise Invalid(
            "run",
            f"A folder of texts has at most {MOST_FILES:,} files, and this set has"
            f" {request.selection.count:,} documents. Choose fewer, or take “Texts with topics,"
            " CoNLL-U”, which is one file.",
        )
    return zipped(_members(request))


def _members(request: ExportSource) -> Iterator[Member]:
    yield Member("README.txt", [provenance.readme(request.run, *_README)])
    yield Member(TABLE_NAME, _table(request).pieces())
    for document in documents(request):
        name = file_name(request, document.number, document.title)
        yield Member(f"texts/{name}", [document.text.encode("utf-8", "replace")])


_README = (
    "Each file in the folder texts is one document, as UTF-8.",
    f"{TABLE_NAME} has a line for each of them: its file, id, title, date and fields.",
)


def file_name(request: ExportSource, number: int, title: str) -> str:
    """Its number, with as many digits for every document, and the beginning of its title."""
    digits = len(str(max(1, request.run.version.documents - 1)))
    plain = _NOT_IN_NAMES.sub("-", unicodedata.normalize("NFC", title))
    beginning = plain[:LONGEST_NAME].strip("-")
    if not beginning:
        return f"{number:0{digits}}.txt"
    return f"{number:0{digits}}-{beginning}.txt"


def _table(request: ExportSource) -> CsvTable:
    """The fields that any document has are columns."""
    names = _names_of_fields(request)
    columns = [*_OWN_COLUMNS, *(name_of_field(name, _OWN_COLUMNS) for name in names)]
    return CsvTable(columns, _table_rows(request, names))


def _names_of_fields(request: ExportSource) -> list[str]:
    """Of any of the documents, in the order in which they come."""
    names: dict[str, None] = {}
    for row in _rows(request):
        names.update(dict.fromkeys(_fields(row["metadata"])))
    return list(names)


def _table_rows(request: ExportSource, names: list[str]) -> Iterator[list]:
    """names: of the fields."""
    for row in _rows(request):
        fields = _fields(row["metadata"])
        file = "texts/" + file_name(request, row["document"], row["title"] or "")
        own_cells = [file, row["id"] or "", row["title"] or "", row["date"] or ""]
        yield own_cells + [fields.get(name, "") for name in names]


def _rows(request: ExportSource) -> Iterator[dict]:
    for numbers in selected(request, BLOCK_DOCUMENTS):
        rows = about(request.run, numbers, "metadata")
        for number in numbers.tolist():
            yield rows[number]
