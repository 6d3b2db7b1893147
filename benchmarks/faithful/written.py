"""The known texts in every format, with what real files carry; each is written by hand or by another
library than the one that reads it. To add a format: a function of a text that gives a file's bytes,
and a line in KINDS.
"""

import base64
import io
import json
import quopri
import re
import zipfile
from collections.abc import Callable
from html import escape
from typing import NamedTuple

from benchmarks.faithful.pdf_file import Letters, Picture, pdf
from benchmarks.faithful.texts import Known

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


class Kind(NamedTuple):
    """One file of a text: its format, what it carries beside it, and how it is written. lost: whether
    it holds no text, which must be said."""

    format: str
    carries: str
    name: str
    write: Callable[[Known], bytes]
    lost: bool = False


# Plain text and its encodings


LEAST_PART = 4  # letters of a broken word on either side
WIDTH = 60  # letters of a line
WIDTH_OF_TEI = 50
WIDTH_OF_PDF = 70
WIDTH_OF_PAGE = 40  # of a recognised page, and of subtitles


def broken(text: str, width: int = WIDTH) -> list[str]:
    """Lines, in which a word that goes beyond the width is broken with a hyphen."""
    lines = []
    row = ""
    for word in text.split():
        if len(row) + len(word) + 1 <= width:
            row = f"{row} {word}".strip()
            continue
        room = width - len(row) - 2
        if LEAST_PART <= room <= len(word) - LEAST_PART and word.isalpha():
            lines.append(f"{row} {word[:room]}-")
            row = word[room:]
        else:
            lines.append(row)
            row = word
    return [*lines, row]


def _lines(text: Known) -> bytes:
    return "\n\n".join("\n".join(broken(part)) for part in text.paragraphs).encode()


def _text_running(text: Known) -> bytes:
    """A text as pdftotext writes pages: a header, and a number at the end of each."""
    pages = [
        f"JOURNAL OF EXAMPLES\n\n{part}\n\n{number}\n"
        for number, part in enumerate(text.paragraphs, 1)
    ]
    return "\f".join(pages).encode()


def _typed(text: str, encoding: str) -> bytes:
    """With a typewriter's apostrophe where the encoding has no other."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return text.replace("’", "'").encode(encoding)


def _encoded(encoding: str) -> Callable[[Known], bytes]:
    return lambda text: _typed(text.text, encoding)


# Pages

NOTES = (
    "<sup>{}</sup>",
    '<sup><a href="#n{}">{}</a></sup>',
    '<a epub:type="noteref" href="#n">[{}]</a>',
)


FIRST_NOTED = 3  # word of a paragraph that has a note, at the earliest


def _with_notes(text: Known, form: str) -> list[str]:
    """Paragraphs in which a word has the mark of a note: none of one letter, as none has a note."""
    marked = []
    for number, part in enumerate(text.paragraphs, 1):
        words = escape(part).split(" ")
        long_words = [place for place, word in enumerate(words) if len(word) > 1]
        place = min(place for place in long_words if place >= FIRST_NOTED)
        words[place] += form.replace("{}", str(number))
        marked.append(" ".join(words))
    return marked


def page(text: Known, form: str = "", head: str = "") -> str:
    parts = _with_notes(text, form) if form else [escape(part) for part in text.paragraphs]
    body = "".join(f"<p>{part}</p>\n" for part in parts)
    menu = "<nav><a href='/'>Menu entries</a></nav><script>var script = 1;</script>"
    return f"<html><head>{head}<title>{escape(text.title)}</title></head><body>{menu}{body}</body></html>"


def _html(form: str) -> Callable[[Known], bytes]:
    return lambda text: page(text, form, "<meta charset=utf-8>").encode()


def _labelled(label: str, encoding: str) -> Callable[[Known], bytes]:
    return lambda text: page(text, "", f"<meta charset={label}>").encode(encoding)


def _ruby(text: Known) -> bytes:
    return page(text).replace("<p>", "<p><ruby>東京<rt>とうきょう</rt></ruby> ").encode()


CELLS = 3  # of a row


def _in_cells(text: Known) -> list[list[str]]:
    """The words of each paragraph in the cells of a row."""
    rows = []
    for part in text.paragraphs:
        words = part.split()
        third = len(words) // CELLS + 1
        rows.append([" ".join(words[n : n + third]) for n in range(0, len(words), third)])
    return rows


def _html_table(text: Known) -> bytes:
    """End tags may be left out in HTML."""
    rows = ""
    for row in _in_cells(text):
        cells = "".join(f"<td>{escape(cell)}" for cell in row)
        rows += f"<tr>{cells}"
    return f"<meta charset=utf-8><table>{rows}</table>".encode()


def _html_inline(text: Known) -> bytes:
    """Words with markup, soft hyphens and places for a break within."""
    words = re.sub(r"\b(\w\w)(\w\w)(\w\w\w+)\b", r"\1<b>\2</b>&shy;\3", text.text)
    return f"<meta charset=utf-8><p>{words}<!-- a comment --><br>".encode()


def _markdown(text: Known) -> bytes:
    parts = [
        f"{part} [^{number}]".replace(" [^", "[^") for number, part in enumerate(text.paragraphs)
    ]
    return (f"---\ntitle: {text.title}\n---\n\n" + "\n\n".join(parts)).encode()


# TEI


def tei(text: Known, body: str) -> bytes:
    head = f"<titleStmt><title>{escape(text.title)}</title></titleStmt>"
    return (
        f'<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>{head}</fileDesc></teiHeader>'
        f"<text><body>{body}</body></text></TEI>"
    ).encode()


def _apparatus(text: Known) -> bytes:
    def word(number: int, letters: str) -> str:
        letters = escape(letters)
        forms = (
            f"<app><lem>{letters}</lem><rdg>variantreading</rdg></app>",
            f"<choice><sic>misprinted</sic><corr>{letters}</corr></choice>",
            f"<choice><orig>oldspelling</orig><reg>{letters}</reg></choice>",
            f'{letters}<ref target="#n">{number}</ref>',
        )
        return forms[number % len(forms)] if number % 5 == 0 else letters

    body = ""
    for paragraph in text.paragraphs:
        words = [word(number, letters) for number, letters in enumerate(paragraph.split())]
        body += f"<p>{' '.join(words)}</p>"
    return tei(text, body)


def _tei_lines(text: Known) -> bytes:
    """Lines of a page, whose broken words the editors marked."""
    body = ""
    for part in text.paragraphs:
        rows = broken(part, WIDTH_OF_TEI)
        body += "<p>" + rows[0].removesuffix("-")
        for before, row in zip(rows, rows[1:], strict=False):
            how = ' break="no"' if before.endswith("-") else ""
            body += f"<lb{how}/>{escape(row.removesuffix('-'))}"
        body += "<fw>Running header</fw></p>"
    return tei(text, body)


def _tei_labelled(text: Known) -> bytes:
    """UTF-8 that says it were another encoding."""
    body = "".join(f"<p>{escape(part)}</p>" for part in text.paragraphs)
    return b'<?xml version="1.0" encoding="ISO-8859-1"?>' + tei(text, body)


def _words_of_tei(text: Known) -> bytes:
    parts = ["".join(f"<w>{escape(word)}</w>" for word in p.split()) for p in text.paragraphs]
    return tei(text, "".join(f"<p>{part}</p>" for part in parts))


# Word, OpenDocument, EPUB, rich text


def packed(entries: dict[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


def _docx(text: Known) -> bytes:
    def run(letters: str, raised: bool = False) -> str:
        how = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' if raised else ""
        return f'<w:r>{how}<w:t xml:space="preserve">{escape(letters)}</w:t></w:r>'

    gone = "<w:del><w:r><w:delText>deletedwords</w:delText></w:r></w:del>"
    body = "".join(
        f"<w:p>{run(part[:-1])}{run(str(number), True)}{gone}{run(part[-1])}</w:p>"
        for number, part in enumerate(text.paragraphs, 1)
    )
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    header = f'<w:hdr xmlns:w="{WORD}"><w:p>{run("Running header")}</w:p></w:hdr>'
    return packed({"word/document.xml": document, "word/header1.xml": header})


def _docx_table(text: Known) -> bytes:
    """A table, a word with its pronunciation, a comment, and what was moved."""

    def run(letters: str) -> str:
        return f'<w:r><w:t xml:space="preserve">{escape(letters)}</w:t></w:r>'

    def cell(letters: str) -> str:
        return f"<w:tc><w:p>{run(letters)}</w:p></w:tc>"

    rows = "".join(f"<w:tr>{''.join(map(cell, row))}</w:tr>" for row in _in_cells(text))
    ruby = (
        f"<w:p><w:r><w:ruby><w:rt>{run('とうきょう')}</w:rt><w:rubyBase>{run('東京')}</w:rubyBase>"
    )
    ruby += "</w:ruby></w:r></w:p>"
    moved = f"<w:p><w:moveFrom>{run('movedaway')}</w:moveFrom></w:p>"
    body = f"<w:tbl>{rows}</w:tbl>{ruby}{moved}"
    document = f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    comment = (
        f'<w:comments xmlns:w="{WORD}"><w:comment><w:p>{run("commentwords")}</w:p></w:comment>'
    )
    parts = {"word/document.xml": document, "word/comments.xml": f"{comment}</w:comments>"}
    return packed(parts)


def _odt_table(text: Known) -> bytes:
    """A table, a word with its pronunciation, and what was deleted while changes were tracked."""

    def cell(letters: str) -> str:
        return f"<table:table-cell><text:p>{escape(letters)}</text:p></table:table-cell>"

    rows = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in _in_cells(text)
    )
    ruby = "<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう"
    ruby += "</text:ruby-text></text:ruby></text:p>"
    changes = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deletedwords</text:p>"
    )
    changes += "</text:deletion></text:changed-region></text:tracked-changes>"
    content = (
        '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body>'
        f"<office:text>{changes}<table:table>{rows}</table:table>{ruby}</office:text></office:body>"
        "</office:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _odt(text: Known) -> bytes:
    note = (
        "<text:note><text:note-citation>7</text:note-citation></text:note><office:annotation>"
        "<text:p>commentwords</text:p></office:annotation>"
    )
    body = "".join(
        f"<text:p>{escape(part[:-1])}{note}{part[-1]}</text:p>" for part in text.paragraphs
    )
    content = (
        '<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text>'
        f"{body}</office:text></office:body></office:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _epub(text: Known) -> bytes:
    chapter = page(text, NOTES[2])
    return _book(chapter.replace("<html", '<html xmlns:epub="http://www.idpf.org/2007/ops"'))


def _book(chapter: str) -> bytes:
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles>'
            "</container>",
            "b.opf": '<package><manifest><item id="a" href="a.html" media-type="application/xhtml+xml"/>'
            '</manifest><spine><itemref idref="a"/></spine></package>',
            "a.html": chapter,
        }
    )


def _rtf(text: Known) -> bytes:
    def escaped(letters: str) -> str:
        return "".join(c if c < "\x80" else f"\\u{ord(c)}?" for c in letters)

    body = "".join(
        f"{escaped(part[:-1])}{{\\super {number}}}{part[-1]}\\par\n"
        for number, part in enumerate(text.paragraphs, 1)
    )
    head = r"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Font name;}}{\header Running header}"
    return f"{head}{body}}}".encode("ascii")


def _rtf_table(text: Known) -> bytes:
    """A table, whose letters are of windows-1252, with deleted and hidden words."""

    def escaped(match: re.Match) -> str:
        return "".join(f"\\'{code:02x}" for code in match[0].encode("cp1252"))

    rows = ""
    for row in _in_cells(text):
        cells = "".join(f"{cell}\\cell " for cell in row)
        rows += rf"\trowd\cellx2000\cellx4000\cellx6000 {cells}\row" + "\n"
    rows = re.sub(r"[^\x00-\x7f]+", escaped, rows)
    gone = r"{\deleted deletedwords}{\v hiddenwords}{\*\annotation commentwords}"
    return f"{{\\rtf1\\ansi\\ansicpg1252 {rows}{gone}}}".encode("ascii")


# PDF


def _pdf_lines(text: Known, hyphens: bool) -> list[str]:
    if hyphens:
        return broken(" ".join(text.paragraphs), WIDTH_OF_PDF)
    return _wrapped_paragraphs(text, WIDTH_OF_PDF)


def _wrapped_paragraphs(text: Known, width: int) -> list[str]:
    lines: list[str] = []
    for paragraph in text.paragraphs:
        lines += _wrapped(paragraph, width)
    return lines


def _broken_paragraphs(text: Known, width: int) -> list[str]:
    lines: list[str] = []
    for paragraph in text.paragraphs:
        lines += broken(paragraph, width)
    return lines


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


LEFT = 60.0  # points, where text begins
TOP = 740.0
LINE = 13.0  # points from line to line
NARROW = 22  # letters of a cell's line
WIDE = 170.0  # points from cell to cell


def _drawn(lines: list[str], x: float = LEFT, y: float = TOP) -> list[Letters | Picture]:
    return [Letters(x, y - LINE * number, line) for number, line in enumerate(lines)]


def _pdf(hyphens: bool) -> Callable[[Known], bytes]:
    return lambda text: pdf([_drawn(_pdf_lines(text, hyphens))])


def _pdf_running(text: Known) -> bytes:
    pages: list[list[Letters | Picture]] = []
    for number, part in enumerate(text.paragraphs, 1):
        header = Letters(60, 810, "JOURNAL OF EXAMPLES")
        pages.append([header, *_drawn(_wrapped(part, 30)), Letters(300, 30, str(number))])
    return pdf(pages)


def _pdf_columns(text: Known) -> bytes:
    lines = broken(" ".join(text.paragraphs), 40)
    half = (len(lines) + 1) // 2
    left = _drawn(lines[:half])
    right = _drawn(lines[half:], 320)
    turns = [part for pair in zip(left, right, strict=False) for part in pair]
    return pdf([[*turns, *left[len(right) :]]])


def _pdf_table(text: Known) -> bytes:
    """Three columns of short lines, each row at its own height."""
    drawn: list[Letters | Picture] = []
    top = TOP
    for row in _in_cells(text):
        cells = [_wrapped(cell, NARROW) for cell in row]
        for column, lines in enumerate(cells):
            drawn += _drawn(lines, LEFT + WIDE * column, top)
        top -= LINE * (max(map(len, cells)) + 1)
    return pdf([drawn])


def _pdf_scan(text: Known) -> bytes:
    return pdf([[Picture(50, 50, 400, 600), Letters(50, 19, "Downloaded from a library", 6)]] * 4)


# Recognised pages


def alto(text: Known) -> bytes:
    lines = ""
    for row in _broken_paragraphs(text, WIDTH_OF_PAGE):
        words = [f'<String CONTENT="{escape(word)}" WC="0.9"/>' for word in row.rstrip("-").split()]
        hyphen = '<HYP CONTENT="-"/>' if row.endswith("-") else ""
        lines += f"<TextLine>{'<SP/>'.join(words)}{hyphen}</TextLine>"
    software = "<Description><softwareName>Recognition Server</softwareName></Description>"
    return (
        f'<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#">{software}<Layout><Page><TextBlock>'
        f"{lines}</TextBlock></Page></Layout></alto>"
    ).encode()


def _page_xml(text: Known) -> bytes:
    def equivalent(letters: str) -> str:
        return f"<TextEquiv><Unicode>{escape(letters)}</Unicode></TextEquiv>"

    lines = ""
    for row in _broken_paragraphs(text, WIDTH_OF_PAGE):
        words = "".join(f"<Word>{equivalent(word)}</Word>" for word in row.split())
        lines += f"<TextLine>{words}{equivalent(row)}</TextLine>"
    return (
        "<PcGts><Metadata><Creator>Engine name</Creator></Metadata><Page imageFilename='1.jpg'>"
        f"<TextRegion id='r'>{lines}{equivalent(text.text)}</TextRegion></Page></PcGts>"
    ).encode()


def _hocr(text: Known) -> bytes:
    lines = ""
    for row in _broken_paragraphs(text, WIDTH_OF_PAGE):
        words = [f"<span class='ocrx_word'>{escape(word)}</span>" for word in row.split()]
        lines += f"<span class='ocr_line'>{' '.join(words)}</span>"
    return f"<html><body><div class='ocr_page'><p class='ocr_par'>{lines}</p></div></body></html>".encode()


# Mail, tables, objects and the rest


def _mail(text: Known, plain: bool, label: str, encoding: str) -> bytes:
    head = "Subject: letter\nFrom: a@example.org\nDate: Mon, 01 Jan 1990 10:00:00 +0000\n"
    if plain:
        body = quopri.encodestring(text.text.encode(encoding)).decode()
        how = f"Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: quoted-printable"
        return f"{head}{how}\n\n{body}".encode()
    coded = base64.encodebytes(page(text).encode(encoding)).decode()
    return (
        f"{head}Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n \n"
        f"--b\nContent-Type: text/html; charset={label}\nContent-Transfer-Encoding: base64\n\n{coded}\n"
        "--b--\n"
    ).encode()


def _csv(text: Known) -> bytes:
    cells = (text.title, text.date, " ".join(_with_notes(text, NOTES[0])))
    row = ",".join(f'"{cell}"' for cell in cells)
    return f"title,date,text\n{row}\n".encode("utf-8-sig")


def _json(text: Known) -> bytes:
    return json.dumps([{"title": text.title, "date": text.date, "text": text.text}]).encode()


def _srt(text: Known) -> bytes:
    cues = ""
    for number, row in enumerate(_wrapped_paragraphs(text, WIDTH_OF_PAGE), 1):
        span = f"00:00:{number:02},000 --> 00:00:{number + 1:02},000"
        cues += f"{number}\r\n{span}\r\n<i>{row}</i>\r\n\r\n"
    return cues.encode()


def _ris(text: Known) -> bytes:
    rows = f"TY  - JOUR\nTI  - {text.title}\nAU  - {text.author}\nPY  - {text.year}\n"
    return f"{rows}AB  - {' '.join(text.paragraphs)}\nER  - \n".encode()


def _bib(text: Known) -> bytes:
    abstract = " ".join(text.paragraphs).replace("ü", '{\\"u}').replace("é", "{\\'e}")
    return f"@article{{a,\n title = {{{text.title}}},\n abstract = {{{abstract}}}\n}}\n".encode()


COLUMNS_LEFT_EMPTY = 8  # of CoNLL-U's ten, behind number and word


def _conllu(text: Known) -> bytes:
    sentences = ""
    for paragraph in text.paragraphs:
        rows = ["# sent_id = x"]
        for number, word in enumerate(paragraph.split(), 1):
            rows.append(f"{number}\t{word}" + "\t_" * COLUMNS_LEFT_EMPTY)
        sentences += "\n".join(rows) + "\n\n"
    return sentences.encode()


def _vrt(text: Known) -> bytes:
    rows = "\n".join(f"{escape(word)}\tTAG\tlemma" for p in text.paragraphs for word in p.split())
    return f'<text id="a" title="{escape(text.title)}">\n<s>\n{rows}\n</s>\n</text>\n'.encode()


def _whatsapp(text: Known) -> bytes:
    rows = "".join(
        f"13/01/2020, 09:1{n} - Anna: {part}\n" for n, part in enumerate(text.paragraphs)
    )
    return f"13/01/2020, 09:00 - Messages are encrypted.\n{rows}".encode()


KINDS = [
    Kind("text", "nothing", "a.txt", _encoded("utf-8")),
    Kind("text", "broken words", "a.txt", _lines),
    Kind("text", "windows-1252", "a.txt", _encoded("cp1252")),
    *[
        Kind("text", encoding, "a.txt", _encoded(encoding))
        for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
    ],
    *[
        Kind("text", encoding, "a.txt", _encoded(encoding))
        for encoding in ("iso8859-15", "mac_roman", "cp850")
    ],
    Kind("text", "old Macintosh line ends", "a.txt", lambda t: t.text.replace("\n", "\r").encode()),
    Kind("text", "headers, page numbers", "a.txt", _text_running),
    *[Kind("HTML", f"notes {n}", "a.html", _html(form)) for n, form in enumerate(NOTES, 1)],
    Kind("HTML", "latin1 is windows-1252", "a.html", _labelled("iso-8859-1", "cp1252")),
    Kind("HTML", "UTF-8 under latin1", "a.html", _labelled("iso-8859-1", "utf-8")),
    Kind("HTML", "UTF-16 under a wrong label", "a.html", _labelled("utf-8", "utf-16")),
    Kind("HTML", "ruby", "a.html", _ruby),
    Kind("HTML", "table", "a.html", _html_table),
    Kind("HTML", "markup within words", "a.html", _html_inline),
    Kind("Markdown", "notes", "a.md", _markdown),
    Kind("TEI", "apparatus, notes", "a.xml", _apparatus),
    Kind("TEI", "words as elements", "a.xml", _words_of_tei),
    Kind("TEI", "broken words, header", "a.xml", _tei_lines),
    Kind("TEI", "UTF-8 under latin1", "a.xml", _tei_labelled),
    Kind("DOCX", "notes, changes, header", "a.docx", _docx),
    Kind("DOCX", "table, ruby, comments", "a.docx", _docx_table),
    Kind("ODT", "notes, comments", "a.odt", _odt),
    Kind("ODT", "table, ruby, changes", "a.odt", _odt_table),
    Kind("EPUB", "notes", "a.epub", _epub),
    Kind("EPUB", "ruby", "a.epub", lambda text: _book(_ruby(text).decode())),
    Kind("RTF", "notes, header", "a.rtf", _rtf),
    Kind("RTF", "table, changes", "a.rtf", _rtf_table),
    Kind("PDF", "nothing", "a.pdf", _pdf(False)),
    Kind("PDF", "broken words", "a.pdf", _pdf(True)),
    Kind("PDF", "header, page numbers", "a.pdf", _pdf_running),
    Kind("PDF", "two columns", "a.pdf", _pdf_columns),
    Kind("PDF", "table", "a.pdf", _pdf_table),
    Kind("PDF", "scan with a stamp", "a.pdf", _pdf_scan, lost=True),
    Kind("ALTO", "broken words", "a.xml", alto),
    Kind("PAGE", "three levels", "a.xml", _page_xml),
    Kind("hOCR", "broken words", "a.hocr", _hocr),
    Kind("mail", "plain", "a.eml", lambda text: _mail(text, True, "iso-8859-1", "cp1252")),
    Kind("mail", "UTF-8 under latin1", "a.eml", lambda t: _mail(t, True, "iso-8859-1", "utf-8")),
    Kind("mail", "UTF-8 under ASCII", "a.eml", lambda t: _mail(t, True, "us-ascii", "utf-8")),
    Kind("mail", "blank plain part", "a.eml", lambda text: _mail(text, False, "utf-8", "utf-8")),
    Kind("CSV", "HTML with notes, mark", "a.csv", _csv),
    Kind("JSON", "escapes", "a.json", _json),
    Kind("SRT", "tags", "a.srt", _srt),
    Kind("RIS", "abstract", "a.ris", _ris),
    Kind("BibTeX", "accents", "a.bib", _bib),
    Kind("CoNLL-U", "nothing", "a.conllu", _conllu),
    Kind("VRT", "nothing", "a.vrt", _vrt),
    Kind("WhatsApp", "notices", "_chat.txt", _whatsapp),
]
