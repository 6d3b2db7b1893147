"""Files of texts in forms that other programs write: what is kept of them, and every way in which
they are hostile or broken."""

import contextlib
import re
import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import FRENCH, load, zipped
from tests.webapp.intake.file_formats.test_examples import EXPECTED, FOLDER
from webapp.intake.file_formats import markup, prose
from webapp.intake.file_formats.base import Unreadable

TEI = '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{0}</title></titleStmt></fileDesc></teiHeader><text><body>{1}</body></text></TEI>'


def one(file, content, name):
    (document,), problems = load(*file(content, name))
    return document, [p.message for p in problems]


def changed(tmp_path, name, **parts):
    """An example that is an archive of XML, with some of its parts replaced; None takes one out."""
    with zipfile.ZipFile(FOLDER / name) as archive:
        content = {n: archive.read(n) for n in archive.namelist()}
    content |= parts
    return zipped(tmp_path, [(n, c) for n, c in content.items() if c is not None])


# HTML and Markdown


def test_html_as_it_comes(file):
    page = (
        "<title>A &lt;script&gt; in a title</title><body onload='x()'><p>One<b>wo</b>rd"
        " &eacute;t&eacute; &#x1F600;<br>next<p>unclosed"
        " <i>tags<table><tr><td>a<td>b</table><script>var a ="
        " '<p>no</p>'</script><style>p{}</style><!-- no"
        " --><noscript>no</noscript><textarea>no</textarea><div hidden>no</div><h2>Of"
        " <em>this</em></h2>and that<pre>a  b\n c</pre></body>"
    )
    document, said = one(file, page, "a.html")
    assert (
        document.text
        == "Onewo" + "rd été 😀\nnext\n\nunclosed tags\n\na\tb\n\nOf this\n\nand that\n\na b\nc"
        and not said
    )
    assert document.title == "A <script> in a title" and document.text[
        document.headings[0] :
    ].startswith("Of this")


@pytest.mark.parametrize(
    "declared",
    [
        "<meta charset=windows-1251>",
        '<meta http-equiv="content-type" content="text/html; charset=koi8-r">',
        "",
    ],
)
def test_encodings_of_pages(file, declared):
    encoding = {"<": "cp1251", "k": "koi8-r"}["k" if "koi8" in declared else "<"]
    text = (
        "Москва является столицей России и крупнейшим городом страны, она расположена на реке"
        " Москве. " * 5
    )
    document, _ = one(file, f"{declared}<p>{text}".encode(encoding), "a.html")
    assert document.text == text.strip()


def test_pages_that_hold_nothing_or_far_too_much(file, monkeypatch):
    with pytest.raises(Unreadable, match="no text in it"):
        load(*file("<html><script>only()</script></html>", "a.html"))
    deep = "<div>" * 100_000 + "deep words" + "</div>" * 100_000
    with contextlib.suppress(Unreadable):  # libxml2 may leave out what is too deep
        assert load(*file("<p>first</p>" + deep, "a.html"))[0][0].text.startswith("first")
    document, _ = one(file, "<p>" + "w" * 1_000_000 + "</p>", "a.html")  # a word of 1 MB
    assert len(document.text) == 1_000_000
    monkeypatch.setattr(prose, "MAX_TEXT", 50)
    text = prose.Prose("a.html")
    with pytest.raises(Unreadable, match="is longer than 50 characters"):
        text.text("words " * 20)


def test_characters_that_can_not_be_shown(file):
    document, _ = one(file, "<p>a&#xD800;b &#x202E;evil zero\u200bwidth&#0;</p>", "a.html")
    assert (
        not re.search("[\ud800-\udfff\u202a-\u202e\x00]", document.text) and "evil" in document.text
    )


def test_markdown(file):
    text = (
        "Title\n=====\n\nA *word* and `code` with a [link](http://x.y 'no') and ![a"
        " picture](no.png).  \nA line.\n\n* one\n* two\n\n> quoted &amp; <b>bold</b>\n\n| a | b"
        " |\n|---|---|\n| c | d |\n\n```py\nx = 1\n```\n<div><script>no()</script>in a"
        " block</div>\n\n## Of headings\n\nEnd."
    )
    document, said = one(file, text, "a.md")
    assert document.text.startswith(
        "Title\n\nA word and code with a link and a picture.\nA line.\n\none\n\ntwo\n\nquoted &"
        " bold\n\na\nb\nc\nd\n\nx = 1"
    )
    assert (
        "in a block" in document.text
        and "no" not in document.text.replace("now", "")
        and document.title == "Title"
        and not said
    )
    assert [document.text[h:].split("\n")[0] for h in document.headings] == ["Title", "Of headings"]
    assert one(file, FRENCH.encode("cp1252"), "a.md")[0].text == FRENCH.strip()
    nested = "> " * 5000 + "deep\n" + "[" * 20_000 + "\n" + "*a " * 20_000
    assert "deep" in one(file, nested, "b.md")[0].text


# XML


@pytest.mark.parametrize(
    ("source", "date"),
    [
        (
            (
                '<bibl type="digitalSource"><date>2006</date><bibl type="printSource"><date'
                ' when="1923"/></bibl></bibl><bibl type="firstEdition"><date>1862</date></bibl>'
            ),
            "1862",
        ),
        (
            (
                '<bibl type="digitalSource"><date when="2006"/><bibl'
                ' type="printSource"><date>1923</date></bibl></bibl>'
            ),
            "1923",
        ),
        ('<bibl type="digitalSource"><date>2006</date></bibl>', ""),
        ("<p>born digital</p>", ""),
    ],
)
def test_the_date_of_a_tei_is_its_first_editions_and_never_the_digital_files(file, source, date):
    header = (
        "<publicationStmt><date"
        f' when="2011-04-01"/></publicationStmt><sourceDesc>{source}</sourceDesc>'
    )
    document, _ = one(
        file,
        TEI.format("A", "<p>text</p>").replace("</titleStmt>", f"</titleStmt>{header}"),
        "a.xml",
    )
    assert document.date == date


def test_tei(file):
    body = (
        "<div><head>First <hi>part</hi></head><p>It was sp<hi>l</hi>it, the"
        " <choice><abbr>Dr</abbr><expan>Doctor</expan></choice> said<note>a"
        " note</note>.</p><lg><l>one line</l><l>another</l></lg><p>bro<lb break='no'/>ken<pb"
        " n='2'/>over</p><fw>running head</fw></div>"
    )
    document, said = one(file, TEI.format("A &lt;title&gt;", body), "a.xml")
    assert (
        document.text
        == "First part\n\nIt was split, the Doctor said\n\na note\n\n.\n\none"
        " line\nanother\n\nbroken\n\fover"
        and not said
    )
    assert document.title == "A <title>" and document.headings == (0,)
    corpus = (
        "<teiCorpus"
        f' xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/>{TEI.format("A", "<p>one</p>")}{TEI.format("B", "")}{TEI.format("C", "<p>three</p>")}</teiCorpus>'
    )
    documents, problems = load(*file(corpus, "a.tei"))
    assert [(d.title, d.text, d.place) for d in documents] == [
        ("A", "one", "text 1"),
        ("C", "three", "text 3"),
    ]
    assert "text 2: there is no text in it" in problems[0].message


def test_any_xml(file):
    document, said = one(
        file,
        "<r><title>The title</title><a>first <b>in</b>line</a><a>second</a><c><d>third</d></c></r>",
        "a.xml",
    )
    assert (
        document.text == "The title\n\nfirst inline\n\nsecond\n\nthird"
        and document.title == "The title"
        and not said
    )
    assert (
        one(
            file,
            '<?xml version="1.0" encoding="Shift_JIS"?><a>これは日本語の文章です。</a>'.encode(
                "shift_jis"
            ),
            "a.xml",
        )[0].text
        == "これは日本語の文章です。"
    )
    assert (
        one(file, '<?xml version="1.0" encoding="UTF-16"?><a>déjà</a>'.encode("utf-16"), "a.xml")[
            0
        ].text
        == "déjà"
    )
    assert one(file, "<a>caf&eacute; &#233;</a>", "a.xml")[0].text == "café é"
    document, said = one(
        file, b'<?xml version="1.0" encoding="UTF-8"?><a>caf\xe9 noir</a>', "a.xml"
    )
    assert document.text == "caf\ufffd noir" and "not characters in the encoding" in said[0]


BOMB = (
    '<!DOCTYPE a [<!ENTITY a0 "lol">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    + "]><a>before &a9; after</a>"
)
OUTSIDE = (
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM'
    ' "http://127.0.0.1:9/x.dtd">%y;]><a>before &x; after</a>'
)


@pytest.mark.parametrize(
    "bomb", [BOMB, OUTSIDE, BOMB.replace("before &a9; after", 'before <b c="x">after</b>')]
)
def test_entities_are_not_expanded(file, bomb):
    document, said = one(file, bomb, "a.xml")
    assert document.text == "before after"
    assert ("by the file itself: 1 entity." in " ".join(said)) == (";" in bomb.rpartition("]>")[2])


def test_an_entity_bomb_in_an_attribute(file):
    with contextlib.suppress(Unreadable):
        document, _ = one(file, BOMB.replace("before &a9; after", "<b c='&a9;'>text</b>"), "a.xml")
        assert document.text == "text"


def test_xml_that_is_none(file, monkeypatch):
    with pytest.raises(
        Unreadable, match=r"not well-formed XML \(line 2, column 8: mismatched tag\)"
    ):
        load(*file("<a>\nwords</b>", "a.xml"))
    with pytest.raises(Unreadable, match="1,000 deep"):
        load(*file("<a>" * 5000, "a.xml"))
    with pytest.raises(Unreadable, match="no text in it"):
        load(*file("<a><b/></a>", "a.xml"))
    with pytest.raises(Unreadable, match="not an encoding that Topograph knows"):
        load(*file('<?xml version="1.0" encoding="hex"?><a>b</a>', "a.xml"))
    monkeypatch.setattr(markup, "MAX_MARKUP", 100_000)
    with pytest.raises(Unreadable, match="MB of XML"), (FOLDER / "address.xml").open("rb"):
        import io

        markup.parse(
            io.BufferedReader(io.BytesIO(b"<a>" + b"<b/>" * 100_000)), markup.Fields(), "a.xml"
        )


# PDF


def pdf(*objects, trailer=""):
    out = b"%PDF-1.4\n"
    at = []
    for number, content in enumerate(objects, 1):
        at.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    rows = "".join(f"{place:010d} 00000 n \n" for place in at)
    start = len(out)
    return (
        out
        + f"xref\n0 {len(at) + 1}\n0000000000 65535 f \n{rows}trailer<</Size {len(at) + 1}/Root 1 0"
        f" R{trailer}>>\nstartxref\n{start}\n%%EOF\n".encode()
    )


PAGES = (
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>",
)


def test_pdf_without_text(file):
    with pytest.raises(Unreadable, match="holds no text: its pages are pictures.*OCR"):
        load(*file(pdf(*PAGES), "a.pdf"))


@pytest.mark.parametrize(
    "box", ["0 0 1e9 1e9", "0 0 99999999999999999999 1", "-1e9 -1e9 1e9 1e9", "0 0 0 0", "nan x"]
)
def test_pdf_with_huge_pages(file, box):
    """Text is taken from a page's commands; nothing is drawn."""
    drawn = "BT /F 12 Tf 1e8 1e8 Td (war and peace) Tj ET"
    page = (
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/UserUnit 1e9/Contents 4 0"
        " R/Resources<</Font<</F 5 0 R>>>>>>"
    )
    stream = f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream"
    content = pdf(*PAGES[:2], page, stream, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    (read,) = load(*file(content, "a.pdf"))[0]
    assert read.text.strip() == "war and peace"


def test_pdf_with_a_password(file):
    lock = "<</Filter/Standard/V 1/R 2/P -4/O<" + "28" * 32 + ">/U<" + "29" * 32 + ">>>"
    with pytest.raises(Unreadable, match="protected by a password"):
        load(*file(pdf(*PAGES, lock, trailer="/Encrypt 4 0 R/ID[<01><01>]"), "a.pdf"))


@pytest.mark.parametrize(
    "content",
    [
        b"%PDF-1.7\n",
        b"%PDF-1.7\n" + bytes(range(256)) * 50,
        pdf(PAGES[0]),
        pdf(PAGES[0], "<</Type/Pages/Count 99999999/Kids[2 0 R]>>"),
    ],
)
def test_malformed_pdf(file, content):
    with pytest.raises(
        Unreadable, match="damaged|holds no text|pages; at most|stopped|longer than 60"
    ):
        load(*file(content, "a.pdf"))


def test_any_damage_to_a_pdf_is_a_sentence(file):
    whole = (FOLDER / "address.pdf").read_bytes()
    for at in range(0, len(whole), 5):
        content = bytearray(whole)
        content[at] ^= 0xFF
        with contextlib.suppress(Unreadable):
            load(*file(bytes(content), "a.pdf"))


# Word, OpenDocument, books


@pytest.mark.parametrize(
    "name",
    [
        "address.docx",
        "address.odt",
        "address.epub",
        "addresses.xlsx",
        "addresses.ods",
        "addresses.parquet",
    ],
)
def test_any_damage_to_a_package_is_a_sentence(file, name):
    whole = (FOLDER / name).read_bytes()
    for at in range(4, len(whole), 17):
        content = bytearray(whole)
        content[at] ^= 0xFF
        with contextlib.suppress(Unreadable):
            load(*file(bytes(content), name))
    with pytest.raises(Unreadable, match="damaged|is not"):
        load(*file(whole[: len(whole) // 2], name))
    assert len(load(FOLDER / name, name)[0]) == len(EXPECTED[name])


def test_a_bomb_in_a_word_document(tmp_path):
    body = '<w:document xmlns:w="w"><w:body>' + "<w:p/>" * 300_000
    path = changed(
        tmp_path,
        "address.docx",
        **{
            "word/document.xml": (
                body.encode() + b"<w:p><w:r><w:t>words</w:t></w:r></w:p></w:body></w:document>"
            )
        },
    )
    assert path.stat().st_size < 20_000 and load(path, "a.docx")[0][0].text == "words"
    path = changed(tmp_path, "address.docx", **{"word/document.xml": BOMB})
    with pytest.raises(Unreadable, match="no text in it"):
        load(path, "a.docx")
    with pytest.raises(Unreadable, match="not a Word document"):
        load(changed(tmp_path, "address.docx", **{"word/document.xml": None}), "a.docx")


def test_parts_of_a_word_document(tmp_path):
    w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

    def run(text):
        return f"<w:r><w:t>{text}</w:t></w:r>"

    body = (
        "<w:document"
        f" {w}><w:body><w:p>{run('one')}<w:r><w:tab/><w:t>two</w:t><w:br/><w:t>line</w:t><w:br"
        f" w:type='page'/><w:lastRenderedPageBreak/></w:r>{run('page')}</w:p><w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl><w:moveFrom>{run('moved')}</w:moveFrom><w:p><w:r><w:instrText>PAGE</w:instrText></w:r></w:p><w:p><w:pPr><w:outlineLvl"
        f" w:val='1'/></w:pPr>{run('Heading')}</w:p></w:body></w:document>"
    )
    notes = (
        f"<w:footnotes {w}><w:footnote"
        f" w:type='separator'><w:p>{run('no')}</w:p></w:footnote><w:footnote><w:p>{run('a note')}</w:p></w:footnote></w:footnotes>"
    )
    path = changed(
        tmp_path,
        "address.docx",
        **{"word/document.xml": body, "word/footnotes.xml": notes, "docProps/core.xml": None},
    )
    (document,), _ = load(path, "notes.docx")
    assert (
        document.text == "one two\nline\n\fpage\n\ncell\n\nHeading\n\na note"
        and document.title == "notes"
    )
    assert document.text[document.headings[0] :].startswith("Heading")


def test_protected_documents(tmp_path, file):
    locked = b"<manifest><file-entry><encryption-data/></file-entry></manifest>"
    with pytest.raises(Unreadable, match="protected by a password"):
        load(changed(tmp_path, "address.odt", **{"META-INF/manifest.xml": locked}), "a.odt")
    drm = (
        b"<encryption><EncryptedData><CipherData><CipherReference"
        b' URI="OEBPS/a.xhtml"/></CipherData></EncryptedData></encryption>'
    )
    with pytest.raises(Unreadable, match="protected against copying"):
        load(changed(tmp_path, "address.epub", **{"META-INF/encryption.xml": drm}), "a.epub")
    with pytest.raises(Unreadable, match="an Office document that is old or has a password"):
        load(*file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.docx"))


def test_a_book_with_a_missing_chapter(tmp_path):
    (document,), (problem,) = load(
        changed(tmp_path, "address.epub", **{"OEBPS/b two.xhtml": None}), "a.epub"
    )
    assert (
        document.text.startswith("To Congress")
        and "“OEBPS/b two.xhtml” is missing or empty" in problem.message
        and not problem.dropped
    )
    with pytest.raises(Unreadable, match="not an EPUB book"):
        load(changed(tmp_path, "address.epub", **{"META-INF/container.xml": None}), "a.epub")


# E-mail


def test_messages(file):
    content = (
        b"Subject: =?utf-8?b?w4l0w6k=?= in\n Paris\nDate: nonsense\nContent-Type:"
        b" multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html;"
        b" charset=utf-8\n\n<p>html</p>\n--x\nContent-Type: text/plain; charset=no-such\n\nplain"
        b" \xe9\n--x--\n"
    )
    document, said = one(file, content, "a.eml")
    assert (
        document.title == "Été in Paris"
        and document.text.startswith("plain")
        and document.date == "nonsense"
    )
    assert "in “no-such”, which is no encoding that is known here; it was read as utf-8" in said[0]
    document, _ = one(
        file,
        b"Subject: <script>\nContent-Type: text/html;"
        b" charset=latin-1\n\n<p>caf\xe9</p><script>no()</script>",
        "a.eml",
    )
    assert (document.title, document.text) == ("<script>", "café")
    assert one(file, b"no message at all\n\n", "a.eml")[0].text == "no message at all"
    documents, problems = load(*file(b"Subject: only\n\n", "a.eml"))
    assert not documents and "its body holds no text" in problems[0].message
    many = (
        b"From: x\nTo: "
        + b", ".join(b"a%d@b.c" % i for i in range(200_000))
        + b"\nSubject: many\n\nwords\n"
    )
    assert one(file, many, "a.eml")[0].title == "many"


def test_a_mailbox_with_bad_messages(file):
    good = b"From a@b Mon Jan  1 00:00:00 2024\nSubject: s%d\n\nwords of %d\n\n"
    bad = b"From a@b Mon Jan  1 00:00:00 2024\nContent-Type: multipart/mixed; boundary=\n\n"
    deep = b"From a@b x\n" + b"Content-Type: message/rfc822\n\n" * 2000 + b"deep\n\n"
    documents, problems = load(
        *file(
            good % (1, 1)
            + bad
            + deep
            + good % (2, 2)
            + b"From a@b x\nSubject: quoted\n\n>From here\n",
            "a.mbox",
        )
    )
    assert [d.text for d in documents if "deep" not in d.text] == [
        "words of 1",
        "words of 2",
        "From here",
    ]
    assert all(p.place.startswith("message") for p in problems) and problems
