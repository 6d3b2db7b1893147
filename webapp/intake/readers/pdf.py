"""PDF: one document per file, its pages separated by form feeds."""

import ctypes
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing

import pypdfium2
import regex

from webapp.intake.readers.base import (
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    nothing,
    opened,
)
from webapp.intake.readers.prose import document, preview

MAX_PAGES = 50_000
PREVIEW_PAGES = 5
_HYPHEN = regex.compile(
    r"[\x02\xad\ufffe]\r?\n?"
)  # pdfium's mark of a word that is broken at the end of a line
_DATE = regex.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_NO_TITLE = regex.compile(
    r"untitled|microsoft (word|powerpoint)|.*\.(docx?|indd|qxd|tex|dvi|rtf)$", regex.I
)


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    return preview(read(path, name, options, nothing, PREVIEW_PAGES), options)


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    most: int | None = None,
) -> Iterator[Document | Problem]:
    """most: pages that are read; None: all."""
    with opened(path, name, advance) as file:
        try:
            pdf = pypdfium2.PdfDocument(file)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise Unreadable(
                    f"“{name}” is protected by a password; it was left out. Save it without one."
                ) from None
            raise Unreadable(
                f"“{name}” is not a PDF, or is damaged ({str(error).rstrip('.')}). Save or download"
                " it again."
            ) from None
        with closing(pdf):
            yield from _documents(pdf, name, most)


def _documents(
    pdf: pypdfium2.PdfDocument, name: str, most: int | None
) -> Iterator[Document | Problem]:
    if len(pdf) > MAX_PAGES:
        raise Unreadable(
            f"“{name}” has {len(pdf):,} pages; at most {MAX_PAGES:,} can be read. Cut it into"
            " parts."
        )
    pages, broken, length = [], [], 0
    for number in itertools.islice(range(len(pdf)), most):
        try:
            pages.append(_page(pdf, number))
        except (pypdfium2.PdfiumError, ctypes.ArgumentError):
            pages.append("")
            broken.append(number + 1)
        length += len(pages[-1])
        if length > MAX_TEXT:
            raise Unreadable(
                f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into"
                " parts."
            )
    empty = sum(not page.strip() for page in pages) - len(broken)
    if len(pages) == empty + len(broken):
        why = "its pages can't be read" if broken else "its pages are pictures"
        raise Unreadable(
            f"“{name}” holds no text: {why}. Run text recognition (OCR) first, with a program such"
            " as OCRmyPDF, and upload the result."
        )
    for number in broken[:100]:
        yield Problem(
            name,
            f"page {number}",
            f"“{name}”, page {number}: the page is damaged and was left out.",
            False,
        )
    if empty > len(pages) / 2:
        yield Problem(
            name,
            "",
            f"“{name}”: {empty:,} of {len(pages):,} pages hold no text; they may be pictures that"
            " need OCR.",
            False,
        )
    about = {
        key: value
        for key, value in pdf.get_metadata_dict(skip_empty=True).items()
        if isinstance(value, str)
    }
    title = about.get("Title", "")
    dated = _DATE.match(about.get("CreationDate", ""))
    date = "-".join(part for part in dated.groups() if part) if dated else ""
    metadata = {"author": about.get("Author", ""), "pages": str(len(pdf))}
    yield document("\f".join(pages), name, "" if _NO_TITLE.match(title) else title, date, metadata)


def _page(pdf: pypdfium2.PdfDocument, number: int) -> str:
    with closing(pdf[number]) as page, closing(page.get_textpage()) as text:
        raw = text.get_text_range() if text.count_chars() else ""
    return clean(_HYPHEN.sub("", raw).replace("\r\n", "\n").replace("\f", "\n"))
