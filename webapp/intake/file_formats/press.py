"""Articles that a press database gives in one page of HTML, as Europresse does: one document an
article, with its newspaper, author and date."""

from collections.abc import Iterator

import regex

from webapp.intake.file_formats.base import Document, Problem
from webapp.intake.file_formats.prose import Prose, line

# The classes by which the parts of an article are known
_TEXT = ("docOcurrContainer", "DocText")
_TITLE = ("titreArticleVisu", "titreArticle", "rdp__articletitle")
_NEWSPAPER = ("DocPublicationName", "rdp__DocPublicationName")
_HEADER = ("DocHeader", "rdp__DocHeader")
_AUTHOR = ("docAuthors", "rdp__authors", "sm-margin-bottomNews")
_NUMBER = ("publiC-lblNodoc", "rdp__docNumber")
_SIGN = regex.compile(r"\b(?:docOcurrContainer|rdp__articletitle)\b")
# “news·20210105·LM·123”: the number of an article has its day
_DAY = regex.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_WRITTEN = regex.compile(r"\d{1,2}(?:er)? \p{L}+\.? \d{4}|\p{L}+ \d{1,2}, \d{4}")


def is_press(source: str) -> bool:
    """Whether a page is a list of articles of such a database."""
    return "<article" in source and _SIGN.search(source) is not None


def articles(tree, name: str, lay_out) -> Iterator[Document | Problem]:
    """The articles of a page. lay_out: adds the text of an element to a Prose
    (webapp.intake.file_formats.html)."""
    for number, article in enumerate(tree.iter("article"), 1):
        body = _first(article, _TEXT)
        prose = Prose(name)
        if body is not None:
            lay_out(body, prose)
        place_in_file = f"article {number}"
        if not prose.length:
            message = f"“{name}”, {place_in_file}: there is no text in it; it was left out."
            yield Problem(name, place_in_file, message, True, "empty")
            continue
        newspaper = _words(article, _NEWSPAPER).split(",")[0]
        fields = {"newspaper": newspaper, "author": _words(article, _AUTHOR)}
        title = _words(article, _TITLE) or f"{newspaper} {number}".strip()
        yield prose.document(title, _date(article), fields, place_in_file)


def _date(article) -> str:
    """What its number says, else what its header says."""
    if day := _DAY.search(_words(article, _NUMBER)):
        return "-".join(day.groups())
    written = _WRITTEN.search(_words(article, _HEADER))
    return written[0] if written else ""


def _first(article, classes: tuple[str, ...]):
    """The first element of one of these classes, the best first; None where there is none."""
    for class_name in classes:
        for element in article.iter():
            if class_name in (element.get("class") or "").split():
                return element
    return None


def _words(article, classes: tuple[str, ...]) -> str:
    element = _first(article, classes)
    return "" if element is None else line(" ".join(element.itertext()))
