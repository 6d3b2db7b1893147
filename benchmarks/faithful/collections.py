"""Several known texts in one file, with dates, authors and numbers, as programs export them: what
arrives is compared by words, documents, dates and authors. Those of RECORDED were written once by
the programs themselves (recorded/README.md).

To add one: a function of texts that gives a file's bytes, and a line in COLLECTIONS.
"""

import csv
import io
import itertools
import json
import mailbox
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import NamedTuple

from benchmarks.faithful.texts import MONTHS, Known, with_marks
from benchmarks.faithful.workbook import workbook
from benchmarks.faithful.written import alto, packed, page, tei

RECORDED = Path(__file__).parent / "recorded"
RECORDED_TEXTS = 7
NO_AUTHOR = 4  # rows of a recorded table
NO_TEXT = 5

Write = Callable[[list[Known]], bytes]


class Collection(NamedTuple):
    """One file of several texts. dated, authored: whether it says of each text when and by whom it
    was written. dropped: of the texts, that are empty in it, which must be counted."""

    format: str
    carries: str
    name: str
    write: Write
    dated: bool = True
    authored: bool = True
    dropped: tuple[int, ...] = ()
    nobody: tuple[int, ...] = ()  # texts that have no author in it
    reversed_names: bool = False  # whether authors come as “Miller, Anna”
    years: bool = False  # whether it says only the year of a date
    begins: Callable[[Known], str] = lambda text: ""  # what it writes before a text


# Tables

NOBODY = (1, 5)  # texts without an author
UNWRITTEN = 7  # a text without words
AUTHOR = 1  # columns
TEXT = 3
HEAD = ["doc", "author", "published", "text"]


def _rows(texts: list[Known]) -> list[list[str]]:
    return [[f"d{number}", text.author, text.date, text.text] for number, text in enumerate(texts)]


def _table(encoding: str, delimiter: str = ",", head: bool = True, above: str = "") -> Write:
    def write(texts: list[Known]) -> bytes:
        file = io.StringIO()
        file.write(above)
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([HEAD, *_rows(texts)] if head else _rows(texts))
        return file.getvalue().encode(encoding)

    return write


def _missing(mark: str) -> Write:
    """Two rows have a mark for their author, and one for its text."""

    def write(texts: list[Known]) -> bytes:
        rows = _rows(texts)
        for place in NOBODY:
            rows[place][AUTHOR] = mark
        rows[UNWRITTEN][TEXT] = mark
        file = io.StringIO()
        csv.writer(file).writerows([HEAD, *rows])
        return file.getvalue().encode()

    return write


def _broken(texts: list[Known]) -> bytes:
    """Texts of several lines that nothing quotes."""
    lines = [";".join(HEAD)]
    for row in _rows(texts):
        lines.append(";".join(cell.replace(";", ",") for cell in row))
    return "\r\n".join(lines).encode()


def _lines(mark: str | None) -> Write:
    def write(texts: list[Known]) -> bytes:
        rows = [dict(zip(HEAD, row, strict=True)) for row in _rows(texts)]
        if mark is not None:
            rows[0]["author"] = mark
        nested = [{"id": row["doc"], "meta": {"author": row["author"]}, **row} for row in rows]
        return "\n".join(json.dumps(row) for row in nested).encode()

    return write


def _in_pieces(text: str) -> list:
    """Plain, bold, plain."""
    first, second, rest = text.partition(" ")
    return [first, {"type": "bold", "text": second + rest[:10]}, rest[10:]]


def _pieces(texts: list[Known]) -> bytes:
    """Texts in pieces, as messengers export formatted ones."""
    messages = [
        {
            "id": n,
            "date": text.date,
            "from": text.author,
            "text": _in_pieces(text.text),
        }
        for n, text in enumerate(texts)
    ]
    users = [{"name": text.author} for text in texts]
    return json.dumps({"name": "Chat", "users": users, "messages": messages}).encode()


# Spreadsheets


def _sheet(texts: list[Known]) -> bytes:
    notes = [["Made by us", ""], ["In 2020", ""]]
    return workbook({"Notes": notes, "Texts": [HEAD, *map(_escaped, _rows(texts))]})


def _titled(texts: list[Known]) -> bytes:
    above = [["Speeches of our corpus"], [""], ["Source: the archive"]]
    return workbook({"Texts": [*above, HEAD, *map(_escaped, _rows(texts))]})


def _merged(texts: list[Known]) -> bytes:
    """By author, whose name is merged over all rows of it."""
    rows = sorted(_rows(texts), key=lambda row: row[1])
    merged: list[str] = []
    line = 2  # behind the header
    for _, group in itertools.groupby(rows, key=lambda row: row[AUTHOR]):
        together = list(group)
        merged.append(f"B{line}:B{line + len(together) - 1}")
        line += len(together)
        for row in together[1:]:
            row[AUTHOR] = ""
    return workbook({"Texts": [HEAD, *map(_escaped, rows)]}, {"Texts": merged})


def _sheet_a_year(texts: list[Known]) -> bytes:
    return workbook(
        {text.year: [["author", "text"], _escaped([text.author, text.text])] for text in texts}
    )


def _escaped(row: list[str]) -> list[str]:
    return [escape(cell) for cell in row]


def _ods(texts: list[Known]) -> bytes:
    """Empty rows and cells are written once, with how often they are there."""

    def cell(value: str) -> str:
        lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in value.split("\n"))
        return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'

    rows = "".join(
        f"<table:table-row>{''.join(map(cell, row))}"
        '<table:table-cell table:number-columns-repeated="1000"/></table:table-row>'
        for row in [HEAD, *_rows(texts)]
    )
    empty = '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>'
    content = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="Texts">{rows}{empty}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>'
    )
    return packed({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


# Archives


def _macos(texts: list[Known]) -> bytes:
    """With the files of its system beside each, and accents as characters of their own."""
    entries: dict[str, str] = {"letters/.DS_Store": "\x00\x00\x00\x01Bud1"}
    for text in texts:
        name = unicodedata.normalize(
            "NFD", f"letters/{text.author}/{text.date} {text.language}.txt"
        )
        folder, _, last = name.rpartition("/")
        entries[name] = text.text
        entries[f"__MACOSX/{folder}/._{last}"] = "\x00\x05\x16\x07" + "\x00" * 40 + "Mac OS X"
    return packed(entries)


def _windows(texts: list[Known]) -> bytes:
    """Names in the encoding of DOS, between backslashes, and line ends of two characters."""
    file = io.BytesIO()
    names = {}
    with zipfile.ZipFile(file, "w") as archive:
        for number, text in enumerate(texts):
            name = f"Möller Jürgen\\{_written_day(text.date)}_{text.language}.txt".encode("cp850")
            placeholder = f"{number:05}".rjust(len(name), "#")
            names[placeholder.encode()] = name
            written = text.text.replace("\n", "\r\n").encode("cp1252")
            archive.writestr(zipfile.ZipInfo(placeholder), written)
    content = file.getvalue()
    for held, name in names.items():
        content = content.replace(held, name)
    return content


def _written_day(date: str) -> str:
    year, month, day = date.split("-")
    return f"{int(day)}{MONTHS[int(month) - 1][:3]}{year}"


def _beside(texts: list[Known]) -> bytes:
    """A table about the files, whose ids are written otherwise."""
    about = io.StringIO()
    csv.writer(about).writerows(
        [["no", "author", "date"], *([n + 1, t.author, t.date] for n, t in enumerate(texts))]
    )
    files = {f"minutes/ata{n:03}.txt": text.text for n, text in enumerate(texts, 1)}
    return packed({**files, "about.csv": about.getvalue()})


def _first_lines(texts: list[Known]) -> bytes:
    files = {}
    for number, text in enumerate(texts):
        files[f"letter{number}.txt"] = f"{_place_and_day(text)}\n\n{text.text}"
    return packed(files)


def _place_and_day(text: Known) -> str:
    year, month, day = text.date.split("-")
    return f"London, {int(day)} {MONTHS[int(month) - 1]} {year}"


def _saved(texts: list[Known]) -> bytes:
    files = {}
    for number, text in enumerate(texts):
        about = {"author": text.author, "article:published_time": f"{text.date}T10:00:00Z"}
        head = '<meta charset="utf-8">'
        for name, value in about.items():
            head += f'<meta name="{name}" content="{value}">'
        files[f"Story {number}.html"] = page(text, head=head)
        files[f"Story {number}_files/ads.html"] = "<p>adverts and banners</p>"
        files[f"Story {number}_files/style.css"] = "body {}"
    return packed(files)


# Texts in one file


def _tei_corpus(texts: list[Known]) -> bytes:
    documents = []
    for text in texts:
        body = "".join(f"<p>{escape(part)}</p>" for part in text.paragraphs)
        written = tei(text, body).decode()
        about = f"<author>{escape(text.author)}</author>"
        source = f'<sourceDesc><bibl><date when="{text.date}"/></bibl></sourceDesc>'
        written = written.replace("</title>", f"</title>{about}")
        documents.append(written.replace("</fileDesc>", f"{source}</fileDesc>"))
    return (
        f'<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">{"".join(documents)}</teiCorpus>'.encode()
    )


def _mbox(texts: list[Known]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        box = mailbox.mbox(f"{folder}/box")
        for text in texts:
            message = mailbox.mboxMessage()
            message["Subject"] = text.title
            message["From"] = f"{text.author} <a@example.org>"
            message["Date"] = f"{text.date}T10:00:00Z"
            body = text.text.replace("\nFrom", "\n>From")
            message.set_payload(body, "utf-8")
            box.add(message)
        box.close()
        return Path(folder, "box").read_bytes()


def _ris(texts: list[Known]) -> bytes:
    lines: list[str] = []
    for text in texts:
        lines += ["TY  - JOUR", f"TI  - {text.title}", f"AU  - {text.author}"]
        lines += [f"DA  - {text.date.replace('-', '/')}", f"AB  - {' '.join(text.text.split())}"]
        lines += ["ER  - ", "", ""]
    return "\r\n".join(lines).encode("utf-8-sig")


def _conllu(texts: list[Known]) -> bytes:
    written = ""
    for number, text in enumerate(texts):
        about = (
            f"# newdoc id = d{number}\n# meta::author = {text.author}\n# meta::date = {text.date}\n"
        )
        rows = [f"{n}\t{word}" + "\t_" * 8 for n, word in enumerate(text.text.split(), 1)]
        written += about + "\n".join(rows) + "\n\n"
    return written.encode()


def _vrt(texts: list[Known]) -> bytes:
    written = ""
    for number, text in enumerate(texts):
        rows = "\n".join(f"{escape(word)}\tTAG" for word in text.text.split())
        about = f'id="d{number}" author="{escape(text.author)}" date="{text.date}"'
        written += f"<text {about}>\n<s>\n{rows}\n</s>\n</text>\n"
    return written.encode()


def _chat(texts: list[Known]) -> bytes:
    rows = []
    for text in texts:
        year, month, day = text.date.split("-")
        rows.append(f"[{day}.{month}.{year}, 21:15:03] {text.author}: {text.text}")
    return "\n".join(["[01.01.1890, 08:00:00] Club: \u200eMessages are encrypted.", *rows]).encode()


def _mets(texts: list[Known]) -> bytes:
    """Each text on two pages of ALTO, which only a METS joins, and in another order than by name."""
    files = {}
    for number, text in enumerate(texts):
        pages = {"b.xml": text.paragraphs[:2], "a.xml": text.paragraphs[2:]}
        files_named = pointers = ""
        for name, paragraphs in pages.items():
            part = text._replace(paragraphs=tuple(paragraphs))
            files[f"issue{number}/alto/{name}"] = alto(part).decode()
            files_named += f'<file ID="F{name}"><FLocat href="./alto/{name}"/></file>'
            pointers += f'<div><fptr FILEID="F{name}"/></div>'
        files[f"issue{number}/mets.xml"] = (
            f'<mets LABEL="{escape(text.title)}"><dateIssued>{text.date}</dateIssued><fileSec>'
            f'{files_named}</fileSec><structMap TYPE="PHYSICAL">{pointers}</structMap></mets>'
        )
    return packed(files)


def _zotero(texts: list[Known]) -> bytes:
    """Items of a library, whose abstracts are the texts."""
    items = ""
    for text in texts:
        first_name, surname = text.author.split()
        person = f"<foaf:Person><foaf:surname>{surname}</foaf:surname>"
        person += f"<foaf:givenName>{first_name}</foaf:givenName></foaf:Person>"
        items += (
            f"<bib:Article><z:itemType>journalArticle</z:itemType><dc:title>{escape(text.title)}"
            f"</dc:title><bib:authors><rdf:Seq><rdf:li>{person}</rdf:li></rdf:Seq></bib:authors>"
            f"<dcterms:abstract>{escape(text.text)}</dcterms:abstract><dc:date>{text.date}</dc:date>"
            "</bib:Article>"
        )
    names = " ".join(f'xmlns:{name}="{name}"' for name in "rdf z dc dcterms bib foaf".split())
    return f"<rdf:RDF {names}>{items}</rdf:RDF>".encode()


def _press(texts: list[Known]) -> bytes:
    """Articles of a press database in one page."""
    articles = ""
    for text in texts:
        body = "".join(f"<p>{escape(part)}</p>" for part in text.paragraphs)
        articles += (
            f'<article><header><div class="DocPublicationName">Gazette</div><p class="titreArticle">'
            f'{escape(text.title)}</p><div class="docAuthors">{text.author}</div></header><section>'
            f'<div class="docOcurrContainer">{body}</div></section><div class="publiC-lblNodoc">'
            f"news·{text.date.replace('-', '')}·G·1</div><footer>Copyright</footer></article>"
        )
    return f"<html><head><meta charset=utf-8></head><body>{articles}</body></html>".encode()


def _recorded(name: str) -> Write:
    return lambda texts: (RECORDED / name).read_bytes()


def _exports() -> list[Collection]:
    exports: list[Collection] = []
    for path in sorted(RECORDED.iterdir()):
        if path.suffix != ".md":
            program, carries = path.name.replace("_", ".", 1).split(".", 1)
            export = Collection(program, carries, path.name, _recorded(path.name))
            exports.append(export._replace(dropped=(NO_TEXT,), nobody=(NO_AUTHOR,)))
    return exports


def texts_of(collection: Collection, documents: int) -> list[Known]:
    """The texts that a collection holds."""
    recorded = (RECORDED / collection.name).exists()
    return with_marks(RECORDED_TEXTS if recorded else max(8, documents))


COLLECTIONS = [
    Collection("CSV", "quotation marks", "a.csv", _table("utf-8")),
    Collection("CSV", "Excel, UTF-8", "a.csv", _table("utf-8-sig", ";")),
    Collection("CSV", "Excel, windows-1252", "a.csv", _table("cp1252", ";")),
    Collection("CSV", "titles above", "a.csv", _table("utf-8", above="Our speeches,,,\r\n,,,\r\n")),
    Collection("CSV", "line ends that nothing quotes", "a.csv", _broken),
    *[
        Collection(
            "CSV",
            f"missing: {mark or 'empty'}",
            "a.csv",
            _missing(mark),
            dropped=(UNWRITTEN,),
            nobody=NOBODY,
        )
        for mark in ("NA", "NULL", "nan", "[deleted]", "")
    ],
    Collection("TSV", "Excel, UTF-16", "a.tsv", _table("utf-16", "\t")),
    Collection("JSON lines", "fields in fields", "a.jsonl", _lines(None)),
    Collection("JSON lines", "missing: NaN", "a.jsonl", _lines("NaN"), nobody=(0,)),
    Collection("JSON", "texts in pieces, another list", "a.json", _pieces),
    Collection("Excel", "another sheet", "a.xlsx", _sheet),
    Collection("Excel", "titles above", "a.xlsx", _titled),
    Collection("Excel", "merged cells", "a.xlsx", _merged),
    Collection("Excel", "a sheet for each year", "a.xlsx", _sheet_a_year, years=True),
    Collection("OpenDocument", "repeated cells", "a.ods", _ods),
    Collection("ZIP", "made on macOS", "a.zip", _macos, authored=False),
    Collection("ZIP", "made on Windows", "a.zip", _windows, authored=False),
    Collection("ZIP", "a table beside texts", "a.zip", _beside),
    Collection(
        "ZIP", "dates in first lines", "a.zip", _first_lines, authored=False, begins=_place_and_day
    ),
    Collection("ZIP", "saved pages", "a.zip", _saved),
    Collection("TEI", "several texts", "a.xml", _tei_corpus),
    Collection("mail", "several messages", "a.mbox", _mbox, authored=False),
    Collection("RIS", "several references", "a.ris", _ris),
    Collection("CoNLL-U", "several texts", "a.conllu", _conllu),
    Collection("VRT", "several texts", "a.vrt", _vrt),
    Collection("WhatsApp", "several messages", "_chat.txt", _chat),
    Collection("METS", "pages of ALTO", "a.zip", _mets, authored=False),
    Collection("Zotero", "RDF", "a.rdf", _zotero, reversed_names=True),
    Collection("HTML", "articles of a press database", "a.html", _press),
    *_exports(),
]
