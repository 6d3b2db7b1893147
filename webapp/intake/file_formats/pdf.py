"""PDF: one document per file, its pages separated by form feeds."""

import ctypes
import itertools
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pypdfium2
import regex

from webapp.intake.file_formats import running_lines
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    REPLACED,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    count_of,
    nothing,
    opened,
)
from webapp.intake.file_formats.pdf_page import Page, page_text
from webapp.intake.file_formats.prose import document, preview
from webapp.intake.file_formats.running_lines import Running, without_running

MAX_PAGES = 50_000
PREVIEW_PAGES = 5
_RECOGNISE = (
    'Run text recognition (OCR) first, with a program such as OCRmyPDF (ocrmypdf "{0}"'
    " recognised.pdf), and upload the result."
)
_RECOGNISE_ANEW = (
    'Export the PDF again with its fonts, or recognise its letters (ocrmypdf --force-ocr "{0}"'
    " recognised.pdf)."
)
_DATE = regex.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_NO_TITLE = regex.compile(
    r"untitled|microsoft (word|powerpoint)|.*\.(docx?|indd|qxd|tex|dvi|rtf)$", regex.I
)


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    """By the first pages; by all where these are pictures, as covers and plates are."""
    try:
        return preview(read(path, name, options, nothing, PREVIEW_PAGES), options)
    except Unreadable:
        return preview(read(path, name, options, nothing), options)


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    limit: int | None = None,
) -> Iterator[Document | Problem]:
    """limit: pages that are read; None: all."""
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
            yield from _documents(pdf, name, options.running, limit)


def _documents(
    pdf: pypdfium2.PdfDocument, name: str, without_headers: bool, limit: int | None
) -> Iterator[Document | Problem]:
    if len(pdf) > MAX_PAGES:
        raise Unreadable(
            f"“{name}” has {len(pdf):,} pages; at most {MAX_PAGES:,} can be read. Cut it into"
            " parts."
        )
    pages: list[str] = []
    broken: list[int] = []
    nameless: dict[int, int] = {}  # page -> letters that the PDF does not name
    length = 0
    for number in itertools.islice(range(len(pdf)), limit):
        try:
            page = _page(pdf, number)
            pages.append(page.text)
            if page.nameless:
                nameless[number + 1] = page.nameless
        except (pypdfium2.PdfiumError, ctypes.ArgumentError):
            pages.append("")
            broken.append(number + 1)
        length += len(pages[-1])
        if length > MAX_TEXT:
            raise Unreadable(
                f"“{name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it into"
                " parts."
            )
    if not any(page.strip() for page in pages):
        why = "its pages can't be read" if broken else "its pages are pictures"
        raise Unreadable(f"“{name}” holds no text: {why}. {_RECOGNISE.format(_shell_name(name))}")
    shortened, running = without_running(pages)
    is_scan = not any(page.strip() for page in shortened)  # a stamp on scans is no text of theirs
    if not without_headers and not is_scan:
        shortened = pages
        running = []
    pages = shortened
    yield from _said(name, pages, broken, nameless, running)
    about = {
        key: value
        for key, value in pdf.get_metadata_dict(skip_empty=True).items()
        if isinstance(value, str)
    }
    title = about.get("Title", "")
    dated = _DATE.match(about.get("CreationDate", ""))
    date = "-".join(part for part in dated.groups() if part) if dated else ""
    metadata = {"author": about.get("Author", ""), "pages": str(len(pdf))}
    title = "" if _NO_TITLE.match(title) else title
    yield replace(document("\f".join(pages), name, title, "", metadata), made=date)


def _said(
    name: str,
    pages: list[str],
    broken: list[int],
    nameless: dict[int, int],
    running: list[Running],
) -> Iterator[Problem]:
    """What is wrong with the pages, and what was left out of them. Raises Unreadable where nothing
    is left."""
    empty = sum(not page.strip() for page in pages) - len(broken)
    recognise = _RECOGNISE.format(_shell_name(name))
    if running and empty + len(broken) == len(pages):
        raise Unreadable(
            f"“{name}” holds no text but {running_lines.quoted(running)}: its pages are scans, pictures without"
            f" text. {recognise}"
        )
    for number in broken[:100]:
        yield Problem(
            name,
            f"page {number}",
            f"“{name}”, page {number}: the page is damaged and was left out.",
            False,
            "page",
        )
    yield from running_lines.report_left_out(name, running)
    if nameless:
        letters = sum(nameless.values())
        on_pages = f"{len(nameless):,} of {len(pages):,} pages"
        message = (
            f"“{name}”: {letters:,} letters on {on_pages} have no name in the PDF; each is shown as"
            f" {REPLACED}, and words with them are not whole."
        )
        message += f" {_RECOGNISE_ANEW.format(_shell_name(name))}"
        yield Problem(name, f"page {min(nameless)}", message, False, "letters", letters)
    if 2 * empty > len(pages):
        with_running_lines = f" but {running_lines.quoted(running)}" if running else ""
        message = (
            f"“{name}”: {empty:,} of {count_of(len(pages), 'page', 'pages')} {'holds' if empty == 1 else 'hold'} no text{with_running_lines}; they may be"
            f" pictures that need OCR. {recognise}"
        )
        yield Problem(name, "", message, False, "empty page", empty)


def _shell_name(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2].replace('"', "'")


def _page(pdf: pypdfium2.PdfDocument, number: int) -> Page:
    with closing(pdf[number]) as page, closing(page.get_textpage()) as text:
        return page_text(text, page.get_width())
