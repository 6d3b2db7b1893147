"""HTML: one document a page, or an article of a press database. Scripts, styles, menus, the footer
of a site and forms are left out."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import regex
from lxml import etree

from webapp.intake.file_formats import (
    encoding_labels,
    html_tags,
    note_marks,
    ocr,
    page_title,
    press,
    web_page,
)
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    guess_encoding,
    head,
    nothing,
)
from webapp.intake.file_formats.prose import Prose, line, preview
from webapp.intake.file_formats.text import characters

FLAT = "its elements are too deep in each other; its text was kept, without its lines and headings"
NEARLY_ALL = 0.9  # of a page's characters: the rest are links to skip menus, notices of cookies
_LONGEST_LABELS = 200  # characters of a form that is only filled in: its labels and instructions
# Not the head: without tags for it and the body, the parser takes what it does not know into it
_LEFT_OUT = set(
    "script style nav template noscript svg math title form button select option textarea iframe"
    " object audio video canvas rt rp rtc".split()
)
_PARAGRAPHS = set(
    "p div section article main header footer aside blockquote pre ul ol dl table figure figcaption"
    " address hr body fieldset details summary nav form".split()
)
_LINES = set("br li dt dd caption".split())
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_PREFORMATTED = {"pre", "listing", "xmp"}
_WHITE_SPACE = regex.compile(r"white-space\s*:\s*([a-z-]+)", regex.I)
_KEEPING_LINES = {"pre", "pre-wrap", "pre-line", "break-spaces"}
_HIDDEN = regex.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", regex.I)
_NOTE_KINDS = {
    "noteref",
    "doc-noteref",
    "footnote-ref",
    "footnote-reference",
    "footnoteref",
    "footnote_reference",
    "reference",
}
_PERMALINKS = {"¶", "#", "🔗"}  # links of headings to themselves, with or without a space before
_DATES = (
    "article:published_time",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "date",
    "citation_publication_date",
    "citation_date",
)


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    options = replace(
        options,
        encoding=fixed_options.get("encoding")
        or encoding_labels.declared(path, name)
        or guess_encoding(head(path, name)),
    )
    return preview(read(path, name, options, nothing), options)


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    if ocr.is_hocr(head(path, name, encoding_labels.WITHIN)):
        yield from ocr.read(path, name, options, advance)
        return
    text = yield from characters(
        path, name, encoding_labels.declared(path, name) or options.encoding, advance
    )
    prose = Prose(name)
    tree = _parse(text, prose)
    if tree is not None and not prose.flat:
        if press.is_press(text):
            yield from press.articles(tree, name, lay_out)
            return
        prose = _page(tree, name)
    title, date, metadata = _about(tree) if tree is not None else ("", "", {})
    if prose.flat:
        yield Problem(name, "", f"“{name}”: {FLAT}.", False)
    yield prose.document(title, date, metadata)


def add(source: str, prose: Prose, has_roles: bool = False):
    """Add the text of a chapter, a message or another part of HTML, which is no page of a site. Its
    root, or None where there is none. has_roles: whether parts with roles of menus and contents are
    left out, as of chapters; a message may be laid out with any.

    Where the parser gives up, as elements are too deep in each other, the text is what is left
    without tags (prose.flat).
    """
    tree = _parse(source, prose)
    if tree is not None and not prose.flat:
        left_out = web_page.left_out_by_roles(tree) if has_roles else set()
        lay_out(tree, prose, left_out.__contains__)
    return tree


def _parse(source: str, prose: Prose):
    """The root of a page, or None where there is none. Where the parser gives up, the text is added
    without tags (prose.flat)."""
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=False
    )
    parser.feed(source.encode("utf-8", "replace"))
    try:
        tree = parser.close()
    except etree.XMLSyntaxError:
        tree = None
    if any(error.level == etree.ErrorLevels.FATAL for error in parser.feed_error_log):
        prose.flat = True
        prose.text(html_tags.without_tags(source))
    return tree


def _page(tree, name: str) -> Prose:
    """The text of a page of a site: its main content alone where this holds nearly all of the text,
    so that little is lost where a page says wrongly what its main content is."""
    page = web_page.Page(tree)
    whole = Prose(name)
    lay_out(tree, whole, page.leaves_out)
    if _open_forms_around_text(tree, whole.length, page):
        whole = Prose(name)
        lay_out(tree, whole, page.leaves_out)
    if page.main is None or not page.has_first_headings_in_main():
        return whole
    if page.has_notes_behind_main():
        return whole
    main = Prose(name)
    lay_out(page.main, main, page.leaves_out)
    return main if main.length >= NEARLY_ALL * whole.length else whole


def _open_forms_around_text(tree, length: int, page: web_page.Page) -> bool:
    """Make forms that hold a page's text, as ASP.NET, JSF and Domino write pages, elements that are
    read; whether there are any. length: characters of the page outside of forms."""
    has_opened = False
    for form in list(tree.iter("form")):
        form.tag = "div"
        prose = Prose("")
        lay_out(form, prose, page.leaves_out)
        if prose.length > max(length, _LONGEST_LABELS):
            has_opened = True
        else:
            form.tag = "form"
    return has_opened


def _leaves_nothing_out(element) -> bool:
    return False


def lay_out(root, prose: Prose, leaves_out: Callable[[Any], bool] = _leaves_nothing_out) -> None:
    """The text of a tree: elements that stand as blocks as paragraphs and lines, the rest within
    lines. leaves_out: whether an element is left out, beside those that are never text."""
    skipped = None
    keeps_lines = [False]  # of the elements that have begun, each in the one before
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag
        if not isinstance(tag, str):
            continue
        tag = tag.rpartition("}")[2].lower()
        if event == "start":
            keeps_lines.append(_keeps_lines(tag, element, keeps_lines[-1]))
            if skipped is None and (
                tag in _LEFT_OUT
                or _is_hidden(element)
                or leaves_out(element)
                or (tag in ("a", "sup") and _is_note_mark(tag, element, prose))
            ):
                skipped = element
                if not _is_hidden(element):  # what is before and behind it is shown apart
                    _break(tag, prose)
            if skipped is None:
                _begin(tag, element, prose)
                _add_text(element.text, prose, keeps_lines[-1])
        else:
            keeps_lines.pop()
            if skipped is None:
                _end(tag, prose)
            elif skipped is element:
                skipped = None
            if skipped is None and element is not root:
                _add_text(element.tail, prose, keeps_lines[-1])


def _is_hidden(element) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or _HIDDEN.search(element.get("style") or "") is not None
    )


def _keeps_lines(tag: str, element, inherited: bool) -> bool:
    """Whether the line ends of an element's text are shown. inherited: those of what it is in."""
    if style := element.get("style"):
        values = _WHITE_SPACE.findall(style)
        if values:
            return values[-1].lower() in _KEEPING_LINES
    return inherited or tag in _PREFORMATTED


def _add_text(text: str | None, prose: Prose, keeps_lines: bool) -> None:
    if text and keeps_lines:
        prose.preformatted(text)
    elif text:
        prose.text(text)


def _begin(tag: str, element, prose: Prose) -> None:
    if tag in _HEADINGS:
        prose.heading()
    elif tag == "table":
        prose.begin_table()
    elif tag == "tr":
        prose.begin_row()
    elif tag in ("td", "th"):
        prose.begin_cell()
    elif tag == "br" and _is_in_header_cell(element):
        prose.blank()
    elif "pagebreak" in (
        element.get("{http://www.idpf.org/2007/ops}type")
        or element.get("epub:type")
        or element.get("role")
        or ""
    ):
        prose.page()
    else:
        _break(tag, prose)


def _end(tag: str, prose: Prose) -> None:
    if tag == "tr":
        prose.end_row()
    elif tag in ("td", "th"):
        prose.line()
    elif tag != "br":
        _break(tag, prose)


def _is_in_header_cell(element) -> bool:
    """Whether an element is in a cell that names a row or a column: “Length<br>(km)”."""
    cell = next(element.iterancestors("th", "td", "table"), None)
    return cell is not None and cell.tag == "th"


def _is_note_mark(tag: str, element, prose: Prose) -> bool:
    """Whether an element is the mark of a note: raised, or a link that says so or is attached to a
    word."""
    text = "".join(itertools.islice(element.itertext(), note_marks.LONGEST_MARK))
    before = prose.glued()
    if tag == "sup":
        links = itertools.islice(element.iter("a", "{*}a"), 1)
        linked = any(map(_leads_within, links)) or _leads_within(element)
        return note_marks.is_mark(text, before, linked)
    if any(kind in _NOTE_KINDS for kind in _kinds(element)):
        return note_marks.is_mark(text, before, linked=True)
    if not _leads_within(element):
        return False
    return text.strip() in _PERMALINKS or note_marks.is_linked_number(text, before)


def _leads_within(element) -> bool:
    return "#" in (element.get("href") or "") or "reference" in _kinds(element)


def _kinds(element) -> list[str]:
    """What an element says that it is."""
    keys = ("{http://www.idpf.org/2007/ops}type", "epub:type", "role", "class")
    return " ".join(element.get(key) or "" for key in keys).lower().split()


def _break(tag: str, prose: Prose) -> None:
    if tag in _PARAGRAPHS or tag in _HEADINGS:
        prose.paragraph()
    elif tag in _LINES:
        prose.line()


def _about(tree) -> tuple[str, str, dict[str, str]]:
    """Title, date, and what the page says of itself."""
    metas: dict = {}
    for meta in tree.iter("meta"):
        key = (meta.get("name") or meta.get("property") or "").lower()
        value = line(meta.get("content") or "")
        if key and value:
            metas.setdefault(key, value)
    return (
        page_title.title(tree),
        next((metas[key] for key in _DATES if key in metas), ""),
        {key: metas.get(key, "") for key in ("author", "description")}
        | {"language": tree.get("lang") or ""},
    )
