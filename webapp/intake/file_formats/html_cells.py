"""HTML in the cells of tables and the fields of JSON, as exports of web sites have it: tags and
entities become text.

A text with tags is laid out by the parser of HTML files (webapp.intake.file_formats.html), so it is
read in the sandbox, as those are.
"""

from collections.abc import Callable, Iterable

import regex

from webapp.intake.file_formats import html_tags
from webapp.intake.file_formats.base import clean

_BLOCK = regex.compile(
    r"<(?:p|br|div|li|tr|h[1-6]|blockquote|pre|section|article|hr|dt|dd)(?=[\s/>])", regex.I
)
_NO_TAG = regex.compile(rf"<(?!/?{html_tags.NAME}[\s/>]|!--)", regex.I)
_LINE_END = regex.compile(r"(<[^<>]*>)|(\r?\n[^\S\r\n]*\r?\n\s*)|\r?\n")
_TWICE = regex.compile(
    r"&amp;(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|(?!lt;|gt;)[a-zA-Z][a-zA-Z0-9]{1,31});)"
)
_MARKUP = regex.compile(r"<[/!]?[\p{L}]|&#?\w+;")
_LAST = "<p>\ue000"  # behind a text, to see that the parser came to its end
EMPTY = "{}: the text has nothing in it but HTML; it was left out."
_SAMPLE_CHARACTERS = 20_000  # characters of a cell


def guess(cells: Iterable[str], further_cells: Iterable[str] = ()) -> bool:
    """Whether most cells with something like markup have tags or entities of HTML; or most of the
    further ones have entities, of which one in hundreds is enough. Of these a tag says nothing:
    among so many texts one has “a <b”."""
    return _is_in_most(_has_html, cells) or _is_in_most(_has_entity, further_cells)


def _is_in_most(has_it: Callable[[str], bool], cells: Iterable[str]) -> bool:
    starts = [cell[:_SAMPLE_CHARACTERS] for cell in cells]
    with_markup = [start for start in starts if _MARKUP.search(start)]
    return 2 * sum(map(has_it, with_markup)) > len(with_markup)


def _has_html(text: str) -> bool:
    return bool(html_tags.TAG.search(text)) or _has_entity(text)


def _has_entity(text: str) -> bool:
    return any(html_tags.is_entity(match[0]) for match in html_tags.ENTITY.finditer(text))


def as_text(cell: str) -> tuple[str, tuple[int, ...]]:
    """The text of a cell, and where its headings begin. Scripts and styles are dropped; tags that
    HTML does not have stay as they are. A cell without markup is what it was, and one with entities
    alone keeps its lines.

    Entities that were escaped twice, and whole pages that were escaped, are read as what they were
    before that.
    """
    text = _TWICE.sub("&", cell) if "&amp;" in cell else cell
    if not html_tags.TAG.search(text):
        text = clean(html_tags.unescaped(text)) if "&" in text else text
        if text == cell or not html_tags.TAG.search(text):
            return text, ()
    return _laid_out(text)


def line(cell: str) -> str:
    """The text of a cell on one line."""
    return " ".join(as_text(cell)[0].split())


def _laid_out(text: str) -> tuple[str, tuple[int, ...]]:
    from webapp.intake.file_formats import (
        html as pages,  # its parser is a library in C: it is loaded in the sandbox alone
    )
    from webapp.intake.file_formats.prose import Prose

    prose = Prose("a cell")
    source = _NO_TAG.sub("&lt;", text)
    if not _BLOCK.search(source):  # its own line ends are all that divides it
        source = _LINE_END.sub(lambda match: match[1] or ("<hr>" if match[2] else "<br>"), source)
    pages.add(source + _LAST, prose)
    if not prose.flat and prose.pieces and prose.pieces[-1] == _LAST[-1]:
        return "".join(prose.pieces[:-1]).rstrip(), tuple(prose.headings)
    # The parser gave up, or something is opened that takes in the rest
    return (
        html_tags.without_tags(text),
        (),
    )
