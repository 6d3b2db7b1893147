"""HTML in the cells of tables and the fields of JSON, as exports of web sites have it: tags and
entities become text.

A text with tags is laid out by the parser of HTML files (webapp.intake.readers.html), so it is read
in the sandbox, as those are.
"""

import html
from collections.abc import Iterable
from html.entities import html5

import regex

from webapp.intake.readers.base import clean

_TAGS = (
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button"
    " canvas caption center cite code col colgroup dd del details dfn dir div dl dt em embed"
    " fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr"
    " html i iframe img input ins kbd label legend li link main map mark menu meta nav noscript"
    " object ol option p param picture pre q rp rt ruby s samp script section select small source"
    " span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead"
    " time title tr track tt u ul var video wbr"
).split()
_NAME = rf"(?:{'|'.join(_TAGS)}|(?:o|w|v|m|st1):[a-z]\w*)"  # the others: what Word leaves in pages
_TAG = regex.compile(rf"<(?:/?{_NAME}(?=[\s/>])|!--)", regex.I)
_BLOCK = regex.compile(
    r"<(?:p|br|div|li|tr|h[1-6]|blockquote|pre|section|article|hr|dt|dd)(?=[\s/>])", regex.I
)
_WHOLE_TAG = rf"</?{_NAME}(?:\s[^<>]*|/)?>"
_NO_TAG = regex.compile(rf"<(?!/?{_NAME}[\s/>]|!--)", regex.I)
_ELEMENT = rf"<(?P<dropped>script|style)\b.*?(?:</(?P=dropped)\s*>|$)|{_WHOLE_TAG}"
_ELEMENTS = regex.compile(_ELEMENT, regex.I | regex.S)
_ANY_TAG = regex.compile(rf"<!--.*?(?:-->|(?P<open>$))|{_ELEMENT}", regex.I | regex.S)
_LINE_END = regex.compile(r"(<[^<>]*>)|(\r?\n[^\S\r\n]*\r?\n\s*)|\r?\n")
_ENTITY = regex.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_TWICE = regex.compile(
    r"&amp;(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|(?!lt;|gt;)[a-zA-Z][a-zA-Z0-9]{1,31});)"
)
_MARKUP = regex.compile(r"<[/!]?[\p{L}]|&#?\w+;")
_SPACES = regex.compile(r"[ \t]{2,}")
_LAST = "<p>\ue000"  # behind a text, to see that the parser came to its end
EMPTY = "{}: the text has nothing in it but HTML; it was left out."
_LOOKED_AT = 20_000  # characters of a cell


def guess(cells: Iterable[str]) -> bool:
    """Whether most cells with something like markup have tags or entities of HTML."""
    with_markup = [cell for cell in (cell[:_LOOKED_AT] for cell in cells) if _MARKUP.search(cell)]
    return 2 * sum(map(_has_html, with_markup)) > len(with_markup)


def _has_html(text: str) -> bool:
    return bool(_TAG.search(text)) or any(_known(match[0]) for match in _ENTITY.finditer(text))


def _known(entity: str) -> bool:
    return entity[1] == "#" or entity[1:] in html5


def as_text(cell: str) -> tuple[str, tuple[int, ...]]:
    """The text of a cell, and where its headings begin. Scripts and styles are dropped; tags that
    HTML does not have stay as they are. A cell without markup is what it was, and one with entities
    alone keeps its lines.

    Entities that were escaped twice, and whole pages that were escaped, are read as what they were
    before that.
    """
    text = _TWICE.sub("&", cell) if "&amp;" in cell else cell
    if not _TAG.search(text):
        text = clean(_unescaped(text)) if "&" in text else text
        if text == cell or not _TAG.search(text):
            return text, ()
    return _laid_out(text)


def line(cell: str) -> str:
    """The same on one line."""
    return " ".join(as_text(cell)[0].split())


def _unescaped(text: str) -> str:
    """With its entities as characters: those alone that end with a semicolon, as “AT&T” and
    “?a=1&copy=2” have none."""
    return _ENTITY.sub(
        lambda match: html.unescape(match[0]) if _known(match[0]) else match[0], text
    )


def _laid_out(text: str) -> tuple[str, tuple[int, ...]]:
    from webapp.intake.readers import (
        html as pages,  # its parser is a library in C: it is loaded in the sandbox alone
    )
    from webapp.intake.readers.prose import Prose

    prose = Prose("a cell")
    source = _NO_TAG.sub("&lt;", text)
    if not _BLOCK.search(source):  # its own line ends are all that divides it
        source = _LINE_END.sub(lambda match: match[1] or ("<hr>" if match[2] else "<br>"), source)
    pages.add(source + _LAST, prose)
    if not prose.flat and prose.pieces and prose.pieces[-1] == _LAST[-1]:
        return "".join(prose.pieces[:-1]).rstrip(), tuple(prose.headings)
    return (
        without_tags(text),
        (),
    )  # the parser gave up, or something is opened that takes in the rest


def without_tags(source: str) -> str:
    """The text on one line, whatever its elements are."""
    return _SPACES.sub(" ", clean(_unescaped(_ANY_TAG.sub(_space, source)))).strip()


def _space(tag: regex.Match) -> str:
    """For a tag a space; a comment that does not end stays, but for its tags."""
    return " " if tag["open"] is None else _ELEMENTS.sub(" ", tag[0])
