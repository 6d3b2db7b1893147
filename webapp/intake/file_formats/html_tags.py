"""Tags and entities of HTML in a text, without a parser."""

import html
from html.entities import html5

import regex

from webapp.intake.file_formats.base import clean

_TAGS = (
    "a abbr acronym address area article aside audio b base bdi bdo big blockquote body br button"
    " canvas caption center cite code col colgroup dd del details dfn dir div dl dt em embed"
    " fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr"
    " html i iframe img input ins kbd label legend li link main map mark menu meta nav noscript"
    " object ol option p param picture pre q rp rt ruby s samp script section select small source"
    " span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead"
    " time title tr track tt u ul var video wbr"
).split()
NAME = rf"(?:{'|'.join(_TAGS)}|(?:o|w|v|m|st1):[a-z]\w*)"  # the others: what Word leaves in pages
TAG = regex.compile(rf"<(?:/?{NAME}(?=[\s/>])|!--)", regex.I)
_WHOLE_TAG = rf"</?{NAME}(?:\s[^<>]*|/)?>"
_ELEMENT = rf"<(?P<dropped>script|style)\b.*?(?:</(?P=dropped)\s*>|$)|{_WHOLE_TAG}"
_ELEMENTS = regex.compile(_ELEMENT, regex.I | regex.S)
_ANY_TAG = regex.compile(rf"<!--.*?(?:-->|(?P<open>$))|{_ELEMENT}", regex.I | regex.S)
ENTITY = regex.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_SPACES = regex.compile(r"[ \t]{2,}")


def is_entity(entity: str) -> bool:
    return entity[1] == "#" or entity[1:] in html5


def unescaped(text: str) -> str:
    """With its entities as characters: those alone that end with a semicolon, as “AT&T” and
    “?a=1&copy=2” have none."""
    return ENTITY.sub(_character_of, text)


def _character_of(match: regex.Match) -> str:
    return html.unescape(match[0]) if is_entity(match[0]) else match[0]


def without_tags(source: str) -> str:
    """The text on one line, whatever its elements are."""
    return _SPACES.sub(" ", clean(unescaped(_ANY_TAG.sub(_space, source)))).strip()


def _space(tag: regex.Match) -> str:
    """For a tag a space; a comment that does not end stays, but for its tags."""
    return " " if tag["open"] is None else _ELEMENTS.sub(" ", tag[0])
