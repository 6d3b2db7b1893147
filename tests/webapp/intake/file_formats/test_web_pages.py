"""Web pages as programs write them: their text without what stands on every page of a site, its
lines and tables, and the title of the page without the name of the site."""

import time

import pytest

from benchmarks.faithful.written import packed
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.file_formats.test_reported_texts import EPUB
from webapp.intake.file_formats import html_cells

ENDPOINT = "The endpoint framework lets a system be a device of another one. " * 9


def read(file, page, name="a.html"):
    (document,), problems = load(*file(page, name))
    assert not problems
    return document


def text_of(file, page, name="a.html"):
    return read(file, page, name).text


# What stands on every page of a site

# As the theme of Read the Docs has it
SPHINX = f"""
<title>9. PCI Endpoint &mdash; The Linux Kernel  documentation</title>
<body class="wy-body-for-nav"><div class="wy-grid-for-nav">
<nav class="wy-nav-side"><div role="search"><form><input placeholder="Search docs"></form></div>
<div class="wy-menu" role="navigation"><ul><li><a href="a.html">Locking</a></li></ul></div></nav>
<section class="wy-nav-content-wrap"><nav class="wy-nav-top"><a href="i.html">Kernel</a></nav>
<div class="rst-content"><div role="navigation" aria-label="Page navigation">
<ul class="wy-breadcrumbs"><li><a href="i.html">Kernel subsystems</a></li><li>PCI Endpoint</li>
<li class="wy-breadcrumbs-aside"><a href="x.txt">View page source</a></li></ul><hr/></div>
<div role="main" class="document" itemscope><div itemprop="articleBody"><section id="pci">
<h1>9. PCI Endpoint<a class="headerlink" href="#pci" title="Permalink">¶</a></h1><p>{ENDPOINT}</p>
<div class="admonition note" role="note"><p class="admonition-title">Note</p><p>It is old.</p></div>
</section></div></div><footer><div class="rst-footer-buttons" role="navigation"><a>Previous</a>
<a>Next</a></div><hr/><div role="contentinfo"><p>© Copyright The kernel community.</p></div>
Built with <a href="https://www.sphinx-doc.org/">Sphinx</a>.</footer></div></section></div>
"""


def test_a_page_of_a_manual_is_read_without_its_menus_and_footer(file):
    paragraphs = ["9. PCI Endpoint", ENDPOINT.strip(), "Note", "It is old."]
    assert text_of(file, SPHINX) == "\n\n".join(paragraphs)


@pytest.mark.parametrize(
    "role",
    "navigation banner contentinfo search menu menubar toolbar tablist doc-toc Navigation".split(),
)
def test_what_works_a_page_or_leads_elsewhere_is_no_text(file, role):
    page = f'<p>Before</p><div role="{role}"><p>Home</p></div> <p>after.</p>'
    assert text_of(file, page) == "Before\n\nafter."
    book = packed(EPUB | {"a.xhtml": f"<html><body>{page}</body></html>"})
    assert text_of(file, book, "a.epub") == "Before\n\nafter."


@pytest.mark.parametrize(
    "role", ["complementary", "alert", "dialog", "note", "region", "doc-index"]
)
def test_what_may_be_text_stays(file, role):
    assert text_of(file, f'<p>Before</p><div role="{role}"><p>and</p></div>') == "Before\n\nand"


def test_a_menu_whose_end_is_missing_leaves_the_main_content(file):
    page = '<div role="navigation"><a>Home</a><main><p>The river rose.</p></main>'
    assert text_of(file, page) == "Home\n\nThe river rose."


def test_a_banner_whose_end_is_missing_is_text(file):
    page = (
        '<html><body><div role="banner"><a href="/">Site</a><div role="navigation"><a>Menu</a></div>'
        "<div><h2>T</h2><p>The river rose in spring.</p></div></body></html>"
    )
    expected = "Site\n\nT\n\nThe river rose in spring."
    assert text_of(file, page) == expected
    assert text_of(file, packed(EPUB | {"a.xhtml": page}), "a.epub") == expected


def test_a_list_of_contents_is_no_text_where_a_chapter_has_nothing_else(file):
    contents = '<section role="doc-toc"><h1>Contents</h1><a href="a">The first letter</a></section>'
    book = packed(EPUB | {"a.xhtml": f"<html><body>{contents}<p>I.</p></body></html>"})
    assert text_of(file, book, "a.epub") == "I."


def test_messages_and_cells_have_no_menus(file):
    letter = '<p>The river rose.</p><div role="banner"><p>Anna</p></div>'
    message = f"Subject: s\nContent-Type: text/html; charset=utf-8\n\n{letter}"
    assert text_of(file, message, "a.eml") == "The river rose.\n\nAnna"
    assert html_cells.as_text(letter)[0] == "The river rose.\n\nAnna"


LETTER = """<body><h1>Letters</h1>
<article><p>The river rose.</p><footer>Anna, Bath, 3 May</footer></article>
<blockquote><p>It fell.</p><footer>The mayor</footer></blockquote>
<section><p>A preface.</p><footer>London, 1886</footer></section>
<footer role="doc-endnotes"><p>A note.</p></footer>
<footer>© The society, 2020</footer></body>"""


def test_a_signature_and_a_source_stay_and_the_footer_of_the_site_goes(file):
    text = text_of(file, LETTER)
    assert [words in text for words in ("Bath", "mayor", "1886", "A note", "society")] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_chapters_and_messages_keep_their_footers(file):
    chapter = "<html><body><p>The river rose.</p><footer>Anna, Bath</footer></body></html>"
    book = packed(EPUB | {"a.xhtml": chapter})
    message = f"Subject: s\nContent-Type: text/html; charset=utf-8\n\n{chapter}"
    assert text_of(file, book, "a.epub") == "The river rose.\n\nAnna, Bath"
    assert text_of(file, message, "a.eml") == "The river rose.\n\nAnna, Bath"


SPEECH = "<p>The river rose in spring, and the harvest of the valley was lost.</p>" * 10


@pytest.mark.parametrize(
    ("page", "outside"),
    [
        # Nearly all of the text is in the main content
        ("<a href='#m'>Skip to content</a><main>{}</main><p>We use cookies.</p>", False),
        ("<p>We use cookies.</p><div role='main'><main>{}</main></div>", False),
        # The page has much else: it may say wrongly what its main content is
        ("<main>{}</main><h2>Comments</h2><p>We use cookies.</p>" + "<p>I saw it.</p>" * 40, True),
        # Main contents of several articles
        ("<main>{}</main><main>We use cookies.</main>", True),
        # The title and its author are outside
        ("<header><h1>The flood</h1>By Anna. We use cookies.</header><main>{}</main>", True),
        # Notes are behind it; but a list in a menu is none
        ("<p>We use cookies.</p><main>{}</main><section><ol><li>Ibid.</ol></section>", True),
        ("<p>We use cookies.</p><main>{}</main><div role='doc-endnotes'>Ibid.</div>", True),
        ("<p>We use cookies.</p><main>{}</main><nav><ol><li>Home</ol></nav>", False),
        ("<ol><li>We use cookies.</ol><main>{}</main><footer><ol><li>Home</ol></footer>", False),
        # An article has no comments and notes in it
        ("<article>{}</article><p>We use cookies.</p>", True),
    ],
)
def test_the_main_content_alone_is_read_where_it_holds_nearly_all(file, page, outside):
    text = text_of(file, page.format(SPEECH))
    assert text.count("harvest") == 10
    assert ("We use cookies." in text) is outside


def test_a_form_around_a_page_is_read_without_its_fields(file):
    """As ASP.NET, JSF and Domino write the pages of parliaments and offices."""
    fields = "<input value=x><select><option>May</select><button>Go</button>"
    page = f"<form id=aspnetForm><div>{fields}</div>{SPEECH}</form><p>Members’ library</p>"
    text = text_of(file, page)
    assert text.count("harvest") == 10 and text.endswith("Members’ library")
    assert "May" not in text and "Go" not in text


def test_a_form_that_is_filled_in_is_no_text(file):
    labels = "<label>Your name <input></label><p>We answer within a week.</p>"
    assert text_of(file, f"<p>Write to us.</p><form>{labels}</form>") == "Write to us."
    assert text_of(file, f"{SPEECH}<form>{labels * 15}</form>").count("answer") == 0


def test_what_is_before_and_behind_a_part_that_is_left_out_is_apart(file):
    for part in ("<nav>x</nav>", "<form>x</form>", "<div role=search>x</div>"):
        assert text_of(file, f"<a>The Times</a>{part}<a>News</a>") == "The Times\n\nNews"
    assert text_of(file, "wo<span hidden>x</span>rd<div hidden>x</div>s") == "words"


# Lines

POEM = "The river <i>rose,\n  and</i> rose again,\r\n \nand no one\tknows.\n"
POEM_AS_READ = "The river rose,\nand rose again,\n\nand no one knows."


@pytest.mark.parametrize(
    "form",
    [
        "<pre>\n{}</pre>",
        "<div style='color: red; white-space: pre-wrap'><p>{}</p></div>",
        "<span style='white-space:pre;white-space:pre-line'>{}</span>",
        "<pre style='margin: 0'><code>{}</code></pre>",
    ],
)
def test_lines_of_preformatted_text_stay_lines(file, form):
    page = f"<p>Before\nit.</p>{form.format(POEM)}<p>After\nit.</p>"
    book = packed(EPUB | {"a.xhtml": f"<html><body>{page}</body></html>"})
    expected = f"Before it.\n\n{POEM_AS_READ}\n\nAfter it."
    assert text_of(file, page) == expected
    assert text_of(file, book, "a.epub") == expected


def test_a_heading_below_a_blank_line_is_one(file):
    page = '<div style="white-space:pre-line"><p>a</p><h2>\n\n  Title\n</h2><p>Text</p></div>'
    document = read(file, page)
    assert document.text == "a\n\nTitle\n\nText" and document.headings == (3,)


def test_lines_that_are_not_shown_as_lines_are_none(file):
    page = "<pre>a\nb <span style='white-space: normal'>c\nd</span>\ne</pre>"
    assert text_of(file, page) == "a\nb c d\ne"
    assert text_of(file, "<p style='white-space: nowrap'>a\nb</p>") == "a b"


# Tables


def table(*rows):
    return "<table>" + "".join(f"<tr>{row}</tr>\n" for row in rows) + "</table>"


@pytest.mark.parametrize("cell", ["<td>{}", "<td><p>{}</p></td>", "<td><font> {} </font></td>"])
def test_a_row_is_a_line(file, cell):
    towns = [("Bath", "high"), ("Wells", ""), ("", ""), ("Ely", "low,\nand falling"), ("", "low")]
    rows = ["".join(cell.format(words) for words in town) for town in towns]
    group = "<td colspan=2><p>Others</p></td>"
    page = f"<p>Before</p>{table(*rows)}{table(rows[0], group, rows[3])}<h2>After</h2>it"
    document = read(file, page)
    assert document.text.split("\n\n") == [
        "Before",
        "Bath\thigh\nWells\nEly\tlow, and falling\nlow",
        "Bath\thigh",
        "Others",
        "Ely\tlow, and falling",
        "After",
        "it",
    ]
    assert document.text[document.headings[0] :] == "After\n\nit"


def test_a_name_of_a_column_may_have_two_lines(file):
    page = table("<th>Name<th>Length<br><i>(km<br>)</i>", "<td>Avon<td>154")
    assert text_of(file, page) == "Name\tLength (km )\nAvon\t154"


SPEAKER = "<td>The Speaker</td>"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # Verses beside their translation, and a list
        (["<td>The law<br>of the river<td>Das Gesetz"], "The law\nof the river\nDas Gesetz"),
        (["<td>Teme<ul><li>Onny<li>Rea</ul><td>130"], "Teme\n\nOnny\nRea\n\n130"),
        (["<td><pre>x\ny</pre><td>130"], "x\ny\n\n130"),
        # Speeches: each is a paragraph
        ([f"{SPEAKER}<td><p>I thank you.</p><p>So.</p>"], "The Speaker\n\nI thank you.\n\nSo."),
        ([f"{SPEAKER}<td>{SPEECH}"] * 2, None),
        # A heading begins a section
        ([f"{SPEAKER}<td><h2>Order</h2>"], "The Speaker\n\nOrder"),
        # Text in one column, with a cell that is empty to set it off
        (["<td>&nbsp;<td><p>It rose.</p>"] * 2, "It rose.\n\nIt rose."),
        # A table within a table, for columns of a page
        (
            [f"<td>{table('<td>Home', '<td>Maps')}<td>It<br>rose.{table('<td>Bath<td>low')}"],
            "Home\nMaps\n\nIt\nrose.\n\nBath\tlow",
        ),
        ([f"<td>{table('<td>Bath<td>low')}<td>x", "<td>Ely<td>high"], "Bath\tlow\tx\nEly\thigh"),
    ],
)
def test_what_is_no_row_of_data_keeps_its_lines(file, rows, expected):
    if expected is None:
        expected = "\n\n".join(["The Speaker", *SPEECH.strip("</p>").split("</p><p>")] * 2)
    assert text_of(file, table(*rows)) == expected


def test_pages_of_a_book_that_end_in_a_table_are_found(file):
    mark = '<span role="doc-pagebreak"></span>'
    page = table(f"<td>Bath<td>{mark}low", "<td>Ely<td>high", f"{mark}<td>York<td>low")
    assert text_of(file, page) == "Bath\n\flow\nEly\thigh\n\fYork\tlow"


def test_cells_without_rows_and_rows_without_cells(file):
    assert text_of(file, "<table><td>Bath<td>low</table>").split() == ["Bath", "low"]
    assert text_of(file, "<table><tr>Bath</tr><tr></table>low</tr>") == "Bath\n\nlow"


@pytest.mark.parametrize("sign", ["¶", "#", "🔗"])
def test_a_link_of_a_heading_to_itself_is_no_text(file, sign):
    link = f'<a class="headerlink" href="#h">{sign}</a>'
    page = f"<h1>Of floods{link}</h1><h2><code>f()</code> {link}</h2><p>It rose.</p>"
    assert text_of(file, page) == "Of floods\n\nf()\n\nIt rose."


# Titles

SITE = "<div role=banner><h1>Valley History</h1></div>"
LINKED = '<h1><a href="/">Valley History</a></h1>'


@pytest.mark.parametrize(
    ("written", "body", "title"),
    [
        ("Floods &mdash; Valley  History", "<h1>Floods</h1>", "Floods"),
        ("Floods – Rivers – Valley History", "<h1>floods</h1>", "Floods"),
        ("Floods | Valley History", f"{SITE}<h1>Floods</h1>", "Floods"),
        ("Floods · Valley History", f"{LINKED}<h1>Floods</h1>", "Floods"),
        ("9.1. Floods :: Valley", '<h1>9.1. Floods<a href="#f">¶</a></h1>', "9.1. Floods"),
        ("Floods » Valley", '<h1>3 Floods <a href="#n">[1]</a><a href="#f">¶</a></h1>', "Floods"),
        # A separator that is a part of the title
        ("Mills - a list - Valley", "<h1>Mills - a list</h1>", "Mills - a list"),
        # The site first: the heading must be in the text
        ("Valley History - Floods", "<main><h1>Floods</h1></main>", "Floods"),
        ("Valley » 1952 » Floods", "<article><h1>Floods</h1></article>", "Floods"),
        ("Valley History - Floods", "<h1>Floods</h1>", "Valley History - Floods"),
        # The name of the site is a heading
        ("Valley History » Floods", f"{LINKED}<h2>May</h2>", "Valley History » Floods"),
        ("Valley » Floods", "<h1>Valley</h1><h2>Floods of May</h2>", "Valley » Floods"),
        ("Floods - Valley", "<h1>Valley</h1>", "Floods - Valley"),
        # Another heading than the title, or none
        ("Floods - Valley", "<h1>Rivers</h1>", "Floods - Valley"),
        ("Floods-Valley", "<h1>Floods</h1>", "Floods-Valley"),
        ("Floods - Valley", "", "Floods - Valley"),
        ("a - " * 10 + "a", "<h1>a</h1>", "a - " * 10 + "a"),
        # No title
        ("", '<h1>Floods<a href="#f">#</a></h1>', "Floods"),
        ("&lt;no title&gt; — Valley", "<h1>Floods</h1>", "Floods"),
        ("Untitled Document", "<h1><a href='#iv'>IV</a></h1>", "IV"),
        ("&lt;no title&gt; — Valley", "<h2>Floods</h2>", "page"),
        ("Untitled", LINKED, "page"),
        ("Untitled", "<h1>Henry <a name=v>V</a></h1>", "Henry V"),
    ],
)
def test_the_title_of_a_page(file, written, body, title):
    page = f"<title>{written}</title>{body}<p>The river rose.</p>"
    assert read(file, page, "folder/page.html").title == title


def test_headings_of_many_links_take_no_long_time(file):
    links = '<a href="x">flood</a> ' * 20_000
    began = time.process_time()
    assert read(file, f"<title>a - b</title><h1>{links}</h1>").title == "a - b"
    assert time.process_time() - began < 5
