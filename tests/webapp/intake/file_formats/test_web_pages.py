"""Web pages as programs write them: their text without what stands on every page of a site, its
lines and tables, and the title of the page without the name of the site."""

import pytest

from benchmarks.faithful.written import packed
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.file_formats.test_reported_texts import EPUB

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
