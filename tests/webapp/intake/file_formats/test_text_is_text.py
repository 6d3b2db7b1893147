"""What stands in a file beside its text, or over it, is no part of its words: marks of notes, other
readings, how characters are pronounced, headers and stamps, the ends of lines."""

import pytest

from benchmarks.faithful.pdf_file import Letters, Picture, pdf
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.file_formats.test_marked_up import TEI, changed
from webapp.intake.file_formats import hyphens, note_marks
from webapp.intake.file_formats.base import Unreadable

RAISED = '<w:vertAlign w:val="superscript"/>'
WORDPROCESSING = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def text_of(file, content, name):
    (document,), problems = load(*file(content, name))
    return document.text, [problem.message for problem in problems]


# Marks of notes

PAGE = (
    "The river rose{1} in the valley{12}, and the law.{3} It was lost{*}, E = mc<sup>2</sup>, 30"
    " m<sup>2</sup>, H<sub>2</sub>O, the 1<sup>st</sup>, XVI<sup>e</sup>, M<sup>me</sup>."
)
READ = (
    "The river rose in the valley, and the law. It was lost, E = mc2, 30 m2, H2O, the 1st, XVIe,"
    " Mme."
)


@pytest.mark.parametrize(
    "mark",
    [
        "<sup>{}</sup>",
        '<sup><a href="#n">{}</a></sup>',
        '<a href="#n"><sup>{}</sup></a>',
        '<sup class="reference"><a href="#cite_note-1">[{}]</a></sup>',
        '<a epub:type="noteref" href="n.xhtml#n">{}</a>',
        '<a class="footnote-ref" href="#fn1">[{}]</a>',
        '<a href="#fn1">{}</a>',
    ],
)
def test_marks_of_notes_in_pages(file, mark):
    page = PAGE
    for note in ("1", "12", "3", "*"):
        page = page.replace(f"{{{note}}}", mark.format(note))
    text, said = text_of(file, f"<p>{page}</p>", "a.html")
    assert text == READ and not said


def test_a_long_link_and_a_list_of_links_stay(file):
    page = '<p>See <a href="#a">chapter 1</a>, pages <a href="#p1">1</a> <a href="#p2">2</a>.</p>'
    assert text_of(file, page, "a.html")[0] == "See chapter 1, pages 1 2."


def test_marks_of_notes_in_markdown(file):
    text, _ = text_of(
        file,
        "It rose[^1] there[^smith] and<sup>2</sup> fell^3^ 5 m<sup>2</sup> a<br>b.\n\n"
        "[^1]: A note on sheep.\n",
        "a.md",
    )
    assert text == "It rose there and fell 5 m2 a\nb.\n\nA note on sheep."


def test_marks_of_notes_in_word(file, tmp_path):
    runs = "".join(
        f"<w:r><w:rPr>{RAISED if raised else ''}</w:rPr>"
        f'<w:t xml:space="preserve">{text}</w:t></w:r>'
        for text, raised in (
            ("The river rose", False),
            ("1", True),
            (" by 20 m", False),
            ("2", True),
            (" on the 1", False),
            ("st", True),
        )
    )
    own = (
        '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="2"/><w:t>*</w:t></w:r>'
        "<w:r><w:t>.</w:t></w:r>"
    )
    ruby = (
        "<w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t>"
        "</w:r></w:rubyBase></w:ruby></w:r>"
    )
    body = (
        f'<w:document xmlns:w="{WORDPROCESSING}"><w:body><w:p>{runs}{own}</w:p><w:p>{ruby}</w:p>'
        "</w:body></w:document>"
    )
    path = changed(tmp_path, "address.docx", **{"word/document.xml": body})
    (document,), _ = load(path, "a.docx")
    assert document.text == "The river rose by 20 m2 on the 1st.\n\n東京"


def test_marks_of_notes_and_ruby_in_opendocument(tmp_path):
    body = """<office:document-content xmlns:office="o" xmlns:text="t" xmlns:style="s">
        <office:automatic-styles><style:style style:name="T1"><style:text-properties
        style:text-position="super 58%"/></style:style></office:automatic-styles><office:body>
        <text:p>It rose<text:span text:style-name="T1">1</text:span> by m<text:span
        text:style-name="T1">2</text:span>.</text:p><text:p><text:ruby><text:ruby-base>東京</text:ruby-base
        ><text:ruby-text>とうきょう</text:ruby-text></text:ruby></text:p></office:body></office:document-content>"""
    path = changed(tmp_path, "address.odt", **{"content.xml": body})
    (document,), _ = load(path, "a.odt")
    assert document.text == "It rose by m2.\n\n東京"


def test_marks_of_notes_in_pdfs(file):
    parts = [
        Letters(72, 700, "The river rose"),
        Letters(133.8, 704, "1", 6),
        Letters(144, 700, "and 20 m"),
        Letters(186, 704, "2", 6),
        Letters(192, 700, "of H"),
        Letters(210.5, 698, "2", 6),
        Letters(214, 700, "O in 1890."),
    ]
    text, said = text_of(file, pdf([parts]), "a.pdf")
    assert text == "The river rose and 20 m2 of H2O in 1890." and not said


def test_ruby_gives_its_base_alone(file):
    page = "<p><ruby>吾輩<rp>（</rp><rt>わがはい</rt><rp>）</rp></ruby>は<ruby>猫<rt>ねこ</ruby>である。"
    assert text_of(file, page, "a.html")[0] == "吾輩は猫である。"


@pytest.mark.parametrize(
    ("text", "before", "linked", "expected"),
    [
        ("1", "word", False, True),
        ("1", "sin", False, False),
        ("a", "lost", False, True),
        ("a", "D", False, False),
        ("iv", "word", True, True),
        ("iv", "word", False, False),
        ("1, 2", "word", False, True),
        ("2", "km", False, False),
        ("2", "m", False, False),
        ("1", "im", False, True),
        ("see the note", "word", True, False),
        ("", "word", True, False),
    ],
)
def test_what_is_a_mark(text, before, linked, expected):
    assert note_marks.is_mark(text, before, linked) is expected


# TEI


def test_tei_gives_one_reading_and_words_apart(file):
    text, _ = text_of(
        file,
        TEI.format(
            "A play",
            "<p><app><lem>first</lem><rdg>second</rdg></app> <app><rdg>third</rdg><rdg>fourth</rdg>"
            "</app> <choice><orig>vniuersitie</orig><reg>university</reg></choice> <choice>"
            "<seg>one</seg><seg>other</seg></choice></p><p><w>went</w><w>home</w><pc>.</pc><w>They"
            '</w><w>do</w><w join="left">n’t</w></p><p>rose<ref target="#n1">1</ref> val<lb'
            ' break="no"/>ley<hi rend="sup">12</hi> wa¬<lb/>ter 1<hi rend="sup">st</hi></p>',
        ),
        "a.xml",
    )
    assert text == "first third university one\n\nwent home. They don’t\n\nrose valley water 1st"


# Lines


def test_broken_words_of_plain_text_are_whole(file):
    text, _ = text_of(
        file,
        "The coun-\ntry is well-\nknown, a well-known Haupt-\nund Neben-\nSatz; wa¬\r\nTer and"
        " soft\u00ad\nened.\n",
        "a.txt",
    )
    assert text == (
        "The country is well-known, a well-known Haupt-\nund Neben-\nSatz; waTer and softened.\n"
    )


def test_places_move_with_broken_words():
    text = "ab-\ncd efg-\nhi jk"
    whole, places = hyphens.joined(text, (0, 7, 15, len(text)))
    assert whole == "abcd efghi jk" and [whole[p:] for p in places] == [whole, "efghi jk", "jk", ""]


def test_a_word_of_a_million_letters_is_looked_at_once():
    text = "a" * 1_000_000 + "-\n" + "b" * 1_000_000
    assert len(hyphens.joined(text)[0]) == 2_000_000


LEFT = [
    "The spring flood of that",
    "year was higher than any",
    "other and the whole coun-",
    "try lost a harvest of it",
    "in the valley of the river.",
]
RIGHT = [
    "Parliament heard a report",
    "about the tariff on wool",
    "which a minister of mem-",
    "bers had ordered from all",
    "of the seven commissions.",
]


def columns(number):
    parts = [Letters(60, 810, "JOURNAL OF EXAMPLES")]
    for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        parts += [Letters(60, 740 - 12 * row, left), Letters(320, 740 - 12 * row, right)]
    return [*parts, Letters(300, 30, f"Page {number}")]


def test_columns_of_a_pdf_are_read_one_after_the_other(file):
    text, _ = text_of(file, pdf([columns(1)]), "a.pdf")
    whole = " ".join([*LEFT, *RIGHT]).replace("- ", "")
    assert " ".join(text.split()) == f"JOURNAL OF EXAMPLES {whole} Page 1"


def test_a_table_of_a_pdf_stays_in_rows(file):
    rows = [("1790", "peace"), ("1801", "trade"), ("1812", "war"), ("1820", "union"), ("1830", "")]
    parts = [
        Letters(60 + 120 * column, 700 - 12 * row, cell)
        for row, cells in enumerate(rows)
        for column, cell in enumerate(cells)
        if cell
    ]
    text, _ = text_of(file, pdf([parts]), "a.pdf")
    assert text.split() == [cell for cells in rows for cell in cells if cell]


WORDS = ["river flood", "tariff wool", "hospital fever", "strike dock", "harvest wheat"]


def test_headers_and_page_numbers_of_a_pdf_are_left_out_and_said(file):
    pages = [
        [
            Letters(60, 800, "REPORT OF THE BOARD"),
            *[Letters(60, 740 - 14 * n, f"{word} {line}") for n, line in enumerate("abcdef")],
            Letters(300, 30, str(number)),
        ]
        for number, word in enumerate(WORDS, 1)
    ]
    text, (said,) = text_of(file, pdf(pages), "a.pdf")
    assert text.split() == [w for word in WORDS for line in "abcdef" for w in (*word.split(), line)]
    assert "“REPORT OF THE BOARD” on 5 of 5 pages" in said and "“1” on 5 of 5 pages" in said


def test_pages_of_the_same_text_keep_it(file):
    page = [Letters(60, 740 - 14 * n, f"line number {word}") for n, word in enumerate("abcdef")]
    text, said = text_of(file, pdf([page] * 4), "a.pdf")
    assert text.split().count("line") == 24 and not said


STAMP = Letters(50, 19, "Downloaded from an example library", 6)


def test_scans_with_a_stamp_are_told_as_scans(file):
    page = [Picture(50, 50, 400, 600), STAMP]
    with pytest.raises(Unreadable, match="holds no text but “Downloaded from") as error:
        load(*file(pdf([page] * 5), "a.pdf"))
    assert 'ocrmypdf "a.pdf" recognised.pdf' in str(error.value)


def test_scans_behind_a_cover_are_told_as_scans(file):
    cover = [Letters(60, 740 - 14 * n, f"cover {word}") for n, word in enumerate(WORDS)]
    page = [Picture(50, 50, 400, 600), STAMP]
    text, said = text_of(file, pdf([[*cover, STAMP]] + [page] * 5), "a.pdf")
    assert text.split()[:2] == ["cover", "river"] and "Downloaded" not in text
    assert any("5 of 6 pages hold no text but “Downloaded" in sentence for sentence in said)


def test_letters_that_a_pdf_does_not_name_are_counted(file):
    font = b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[1/g101/g102]>>>>"
    page = pdf([[Letters(72, 700, "The \x01nal o\x02cer")]])
    page = page.replace(b"/Encoding/WinAnsiEncoding>>", font)
    text, (said,) = text_of(file, page, "a.pdf")
    assert "\ufffdnal" in text and "2 letters on 1 of 1 pages have no name" in said


def test_what_is_hidden_is_no_text(file, tmp_path):
    page = (
        "<p>shown</p><p style='color: red; display: none'>gone</p><i style='visibility:hidden'>gone"
        "</i><p style='display:block'>shown too</p>"
    )
    assert text_of(file, page, "a.html")[0] == "shown\n\nshown too"
    body = (
        f'<w:document xmlns:w="{WORDPROCESSING}"><w:body><w:p><w:pPr><w:rPr><w:vanish/></w:rPr>'
        "</w:pPr><w:r><w:rPr><w:vanish/></w:rPr><w:t>gone</w:t></w:r><w:r><w:t>shown</w:t></w:r>"
        "</w:p></w:body></w:document>"
    )
    (document,), _ = load(
        changed(tmp_path, "address.docx", **{"word/document.xml": body}), "a.docx"
    )
    assert document.text == "shown"


def test_flowing_lines_of_mail_are_whole(file):
    head = "Subject: s\nContent-Type: text/plain; charset=utf-8; format=flowed"
    body = "It fl \nowed \nhere.\n> quoted \nOwn.\n-- \nsignature\n"
    assert text_of(file, f"{head}; delsp=yes\n\n{body}", "a.eml")[0] == (
        "It flowedhere.\n> quoted\nOwn.\n--\nsignature"
    )
    assert text_of(file, f"{head}\n\n{body}", "a.eml")[0].startswith("It fl owed here.")


def test_a_text_that_was_encoded_twice_is_told(file):
    text = "Die Größe der Bäume überrascht die Gärtner, sagte “er” — schön.\n"
    twice = text.encode().decode("cp1252", "replace").encode()
    _, (said,) = text_of(file, twice, "a.txt")
    assert "sequences such as “Ã¶” stand for letters" in said
    assert text_of(file, text + "SÃO PAULO, Ã, â la carte, Â°\n", "a.txt")[1] == []


def test_a_hyphen_before_a_capital_stays(file):
    lines = ["The Anglo-", "Saxon king and the co-", "operation of men."]
    page = [Letters(60, 700 - 13 * number, line) for number, line in enumerate(lines)]
    text, _ = text_of(file, pdf([page]), "a.pdf")
    assert text == "The Anglo-Saxon king and the cooperation of men."
