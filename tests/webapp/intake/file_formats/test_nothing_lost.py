"""What was lost, or read as something else, without a word: texts as other programs write them."""

import pytest

from tests.webapp.intake.file_formats.reading import load, zipped
from webapp.intake.file_formats import formats
from webapp.intake.file_formats.base import Document, Options, nothing

WORD = '<w:document xmlns:w="w"><w:body>{}</w:body></w:document>'
WRITER = '<o:document xmlns:o="o" xmlns:t="t" xmlns:d="d" xmlns:s="s">{}</o:document>'
CONTAINER = "<container><rootfiles><rootfile full-path='c.opf'/></rootfiles></container>"
BOOK = (
    "<package xmlns:o='o'><metadata><title>T</title>{}</metadata><manifest><item id='a' href='a.xhtml'"
    " media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine></package>"
)
CHAPTER = "<?xml version='1.0' encoding='{}'?><html><body><p>{}</p></body></html>"


def read(path, name):
    """The documents of a file that is read here, without a guess of what it is."""
    items = formats.format_of(name).module.read(path, name, Options(), nothing)
    return [item for item in items if isinstance(item, Document)]


def test_word_letters_that_were_hidden_before_a_tracked_change(tmp_path):
    was_hidden = "<w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr>"
    was_note = "<w:rPr><w:rPrChange><w:rPr><w:vertAlign w:val='superscript'/></w:rPr></w:rPrChange></w:rPr>"
    runs = f"<w:r>{was_hidden}<w:t>shown in </w:t></w:r><w:r>{was_note}<w:t>1990</w:t></w:r>"
    entries = {"word/document.xml": WORD.format(f"<w:p>{runs}</w:p>")}
    (document,) = read(zipped(tmp_path, entries.items()), "a.docx")
    assert document.text == "shown in 1990"


def test_writer_descriptions_of_pictures_are_no_text(tmp_path):
    picture = "<d:frame><d:image/><s:title>Alt</s:title><s:desc>A ship</s:desc></d:frame>"
    line = f"<t:p>Before {picture}after <t:title>the title</t:title><t:script>js()</t:script></t:p>"
    (document,) = read(zipped(tmp_path, [("content.xml", WRITER.format(line))]), "a.odt")
    assert document.text == "Before after the title"


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("iso-8859-1", "latin-1"),
        ("utf-8", "utf-8"),
        ("windows-1251", "utf-8"),
        ("utf-8", "latin-1"),
    ],
)
def test_books_whose_first_letter_beyond_ascii_comes_late(tmp_path, label, encoding):
    words = "word " * 60_000
    chapter = CHAPTER.format(label, f"{words} café à élève").encode(encoding)
    entries = [("META-INF/container.xml", CONTAINER), ("c.opf", BOOK), ("a.xhtml", chapter)]
    (document,) = read(zipped(tmp_path, entries), "a.epub")
    assert document.text.endswith("café à élève")


def test_books_are_not_of_the_day_when_their_file_changed(tmp_path):
    dates = "<date o:event='modification'>2021-01-01</date><date>1901</date>"
    entries = [
        ("META-INF/container.xml", CONTAINER),
        ("c.opf", BOOK.format(dates)),
        ("a.xhtml", CHAPTER.format("utf-8", "Text")),
    ]
    (document,) = read(zipped(tmp_path, entries), "a.epub")
    assert document.date == "1901"


@pytest.mark.parametrize(
    "begin", ["<input type=hidden name=__VIEWSTATE value=x>", "<h1>A speech</h1>"]
)
def test_a_form_around_the_whole_page_is_read(file, begin):
    speech = ("The river rose. " * 20).strip()  # a shorter form is one that is filled in
    page = f"<body><form>{begin}<p>{speech}</p></form><form><p>Search</p><input></form><p>End"
    (document,), _ = load(*file(f"<html>{page}</html>", "a.html"))
    assert document.text.split("\n\n")[-2:] == [speech, "End"]


def test_notes_of_one_word_in_markdown(file):
    (document,), _ = load(*file("A rose[^1] fell[^n].\n\n[^1]: Ibid.\n\n[^n]: See it.\n", "a.md"))
    assert document.text == "A rose fell.\n\nIbid.\n\nSee it."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("αὐτο\n  <lb n='2' break='no'/>κράτωρ ἦν", "αὐτοκράτωρ ἦν"),
        ("coun<pb break='no'/>\n<lb break='no'/> try rose", "country\n\frose"),
        ("a<lb/>b c<pb/>d", "a\nb c\n\fd"),
        ("a <lb break='no'/></ab><ab>b", "a\n\nb"),
        (
            "the wan<note place='margin'>A gloss</note><lb break='no'/>derer went",
            "the wan\n\nA gloss\n\nderer went",
        ),
    ],
)
def test_breaks_within_words(file, body, text):
    (document,), _ = load(*file(f"<TEI><text><body><ab>{body}</ab></body></text></TEI>", "a.xml"))
    assert document.text == text


def test_parts_of_names_in_a_header_are_apart(file):
    author = "<persName><forename>Anna</forename><surname>Lee</surname></persName>"
    header = f"<teiHeader><titleStmt><author>{author}</author></titleStmt></teiHeader>"
    (document,), _ = load(*file(f"<TEI>{header}<text><p>Text</p></text></TEI>", "a.xml"))
    assert document.metadata["author"] == "Anna Lee"


def test_regions_of_a_page_are_in_the_order_of_their_indices(file):
    def region(name):
        words = f"<TextEquiv><Unicode>{name}</Unicode></TextEquiv>"
        return f"<TextRegion id='{name}'>{words}</TextRegion>"

    order = (
        "<ReadingOrder><OrderedGroup><RegionRefIndexed index='2' regionRef='d'/>"
        "<OrderedGroupIndexed index='1'><RegionRefIndexed index='1' regionRef='c'/>"
        "<RegionRefIndexed index='0' regionRef='b'/></OrderedGroupIndexed>"
        "<RegionRefIndexed index='0' regionRef='a'/></OrderedGroup></ReadingOrder>"
    )
    regions = "".join(map(region, "edcba"))
    (document,), _ = load(*file(f"<PcGts><Page>{order}{regions}</Page></PcGts>", "a.xml"))
    assert document.text.split() == list("abcde")


def test_words_of_recognised_lines_are_apart(file):
    words = "".join(f"<span class='ocrx_word'>{word}</span>" for word in ("It", "<b>ro</b>se"))
    page = f"<div class='ocr_page'><span class='ocr_line'>{words}!</span></div>"
    (document,), _ = load(*file(page, "a.hocr"))
    assert document.text == "It rose!"
