"""What text recognition wrote of scanned pages: ALTO and PAGE (XML), and hOCR (HTML). One document
a file: its lines in the order of reading, broken words made whole, and how sure the recognition
was."""

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

import regex
from lxml import etree

from webapp.intake.file_formats import encoding_labels, hyphens, running_lines
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    head,
    opened,
)
from webapp.intake.file_formats.markup import Handler, Result, walk
from webapp.intake.file_formats.prose import Prose, line, preview
from webapp.intake.file_formats.text import characters, without_running_lines

_ROOT = regex.compile(rb"<(?:[\w.-]+:)?(alto|PcGts|mets)[\s>]")
_PAGE_HTML = regex.compile(rb"""class\s*=\s*["']ocr_page|name\s*=\s*["']ocr-system""")
_BEGINNING = 1 << 13  # bytes in which a root is found, behind comments and declarations
_BROKEN = "\u00ad"  # a hyphen that belongs to no word
MAX_LINES = 1_000_000  # of a file
_SURE = regex.compile(r"x_wconf\s+(\d+(?:\.\d+)?)")
_IMAGE = regex.compile(r"""image\s+(?:"([^"]*)"|'([^']*)'|([^;\s]+))""")


def kind_of(path: Source, name: str) -> str | None:
    """Which XML of recognised pages a file is, by its root: alto, PcGts (PAGE) or mets; None for
    any other."""
    root = _ROOT.search(head(path, name, _BEGINNING))
    return root[1].decode() if root else None


def is_hocr(start: bytes) -> bool:
    """Whether a page of HTML is of recognised letters."""
    return _PAGE_HTML.search(start) is not None


def read_xml(
    path: Source, name: str, kind: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    """kind: as kind_of gives it."""
    if kind == "mets":
        with opened(path, name, advance) as file:
            file.read(1)
        message = (
            f"“{name}” (METS) says which files belong together and holds no text itself; the pages"
            " that it names are joined in its order where they are uploaded with it."
        )
        yield Problem(name, "", message, False, "mets")
        return
    handler = _Alto(name) if kind == "alto" else _Page(name)
    result = Result()
    with opened(path, name, advance) as file:
        for _ in walk(file, handler, name, result):
            pass
    if result.replaced:
        yield Problem(name, "", f"“{name}”: some bytes are not characters.", False, "characters")
    document = _document(handler.prose(), handler.sure, handler.images)
    yield from _whole(document, options)


def _document(prose: Prose, confidences: list[float], images: list[str]) -> Document:
    """confidences: of each word or line, from 0 to 1."""
    metadata = {"image": images[0] if images else ""}
    if confidences:
        metadata["OCR confidence"] = f"{sum(confidences) / len(confidences):.3f}"
    return prose.document(metadata=metadata)


def _whole(document: Document, options: Options) -> Iterator[Document | Problem]:
    """Without lines that run through its pages, and with its broken words whole."""
    text, running = without_running_lines(document.text, options)
    yield from running_lines.report_left_out(document.file, running)
    text, _ = hyphens.joined(text)
    yield replace(document, text=text)


def _number(value: str | None) -> float | None:
    try:
        return float(value or "")
    except ValueError:
        return None


class _Recognised(Handler):
    """A handler of pages."""

    def __init__(self, name: str):
        self.name = name
        self.sure: list[float] = []
        self.images: list[str] = []

    def prose(self) -> Prose:
        raise NotImplementedError


class _Alto(_Recognised):
    """ALTO 2 to 4 (Library of Congress): words are attributes of elements."""

    def __init__(self, name: str):
        super().__init__(name)
        self.written = Prose(name)
        self.words: list[str] = []
        self.spaced = False  # whether the line says where its spaces are
        self.continued = False  # whether the second part of a broken word was read with its first
        self.path: list[str] = []
        self.file_name = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        match tag:
            case "Page":
                self.written.page()
            case "TextLine":
                self.words = []
                self.spaced = False
            case "SP":
                self.spaced = True
                self.words.append(" ")
            case "HYP":
                self.words.append("" if self.continued else _BROKEN)
            case "String":
                self._word(attributes)

    def _word(self, attributes: dict[str, str]) -> None:
        part = attributes.get("SUBS_TYPE", "")
        whole_word = attributes.get("SUBS_CONTENT", "")
        if part == "HypPart2" and self.continued:
            self.continued = False
            self.words.append("")
            return
        if part == "HypPart1" and whole_word:
            self.continued = True
            self.words.append(whole_word)
        else:
            self.words.append(attributes.get("CONTENT", ""))
        confidence = _number(attributes.get("WC"))
        if confidence is not None and 0 <= confidence <= 1:
            self.sure.append(confidence)

    def end(self, tag: str) -> None:
        self.path.pop()
        if tag == "TextLine":
            between = "" if self.spaced else " "
            text = between.join(self.words).replace(f" {_BROKEN}", _BROKEN)
            self.written.text(text)
            self.written.line()
        elif tag in ("TextBlock", "ComposedBlock"):
            self.written.paragraph()
        elif tag == "fileName" and self.file_name:
            self.images.append(line(self.file_name))
            self.file_name = ""

    def text(self, text: str) -> None:
        if self.path and self.path[-1] == "fileName" and not self.images:
            self.file_name += text[:1000]

    def prose(self) -> Prose:
        return self.written


@dataclass
class _Region:
    """A part of a PAGE file: its own text, and that of its parts. order: of the text's variants the
    one with the lowest index is read."""

    kind: str
    id: str
    text: str = ""
    order: float = float("inf")
    parts: "list[_Region]" = field(default_factory=list)


class _Page(_Recognised):
    """PAGE (PRImA): each text is in its region, its lines and its words again; one level is read,
    the lines where they have text."""

    LEVELS = ("TextRegion", "TextLine", "Word")
    GROUPS = (
        "OrderedGroup",
        "OrderedGroupIndexed",
        "UnorderedGroup",
        "UnorderedGroupIndexed",
    )

    def __init__(self, name: str):
        super().__init__(name)
        self.regions: list[_Region] = []
        self.open: list[_Region] = []
        # Ids of regions -> where they are to be read: in the group, in that of the group, …
        self.order: dict[str, tuple[float, ...]] = {}
        self.groups: list[float] = []  # the places of those that are open
        self.references = 0  # so far
        self.count = 0
        self.variant: tuple[float, float | None] | None = None  # index and confidence
        self.letters: list[str] | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in self.LEVELS:
            region = _Region(tag, attributes.get("id", ""))
            (self.open[-1].parts if self.open else self.regions).append(region)
            self.open.append(region)
            self.count += 1
            if self.count > MAX_LINES:
                raise Unreadable(
                    f"“{self.name}” has more than {MAX_LINES:,} lines and words; it was left out."
                    " Cut it into parts."
                )
        elif tag == "Glyph":
            self.open.append(_Region(tag, ""))
        elif tag in self.GROUPS:
            self.groups.append(self._place(attributes))
        elif tag in ("RegionRefIndexed", "RegionRef"):
            place = (*self.groups, self._place(attributes))
            self.order.setdefault(attributes.get("regionRef", ""), place)
        elif tag == "Page":
            self.images.append(attributes.get("imageFilename", ""))
        elif tag == "TranskribusMetadata" and attributes.get("imgUrl"):
            self.images.insert(0, attributes["imgUrl"])
        elif tag == "TextEquiv":
            index = _number(attributes.get("index"))
            self.variant = (0.0 if index is None else index, _number(attributes.get("conf")))
        elif tag == "Unicode" and self.variant is not None:
            self.letters = []

    def _place(self, attributes: dict[str, str]) -> float:
        """Where something is within its group: by its index, else as it comes."""
        self.references += 1
        index = _number(attributes.get("index"))
        return self.references if index is None else index

    def end(self, tag: str) -> None:
        if tag in self.LEVELS or tag == "Glyph":
            self.open.pop()
        elif tag in self.GROUPS:
            self.groups.pop()
        elif tag == "Unicode" and self.letters is not None and self.open:
            self._keep("".join(self.letters))
            self.letters = None
        elif tag == "TextEquiv":
            self.variant = None

    def _keep(self, text: str) -> None:
        order, confidence = self.variant or (0.0, None)
        region = self.open[-1]
        if order < region.order:
            region.text = text
            region.order = order
            if region.kind == "TextLine" and confidence is not None and 0 <= confidence <= 1:
                self.sure.append(confidence)

    def text(self, text: str) -> None:
        if self.letters is not None:
            self.letters.append(text)

    def prose(self) -> Prose:
        prose = Prose(self.name)
        unordered = (math.inf,)  # behind the others
        regions = sorted(self.regions, key=lambda region: self.order.get(region.id, unordered))
        for region in regions:
            self._add(region, prose)
        return prose

    def _add(self, region: _Region, prose: Prose) -> None:
        lines = [part for part in region.parts if part.kind == "TextLine"]
        written = [self._line(part) for part in lines]
        if not any(written):
            written = region.text.split("\n")
        prose.paragraph()
        for text in written:
            prose.text(text)
            prose.line()
        for part in region.parts:
            if part.kind == "TextRegion":
                self._add(part, prose)

    @staticmethod
    def _line(region: _Region) -> str:
        return region.text or " ".join(part.text for part in region.parts)


# hOCR

_LINES = {"ocr_line", "ocrx_line", "ocr_header", "ocr_caption", "ocr_textfloat"}
_BLOCKS = {"ocr_carea", "ocr_par", "ocrx_block", "ocr_separator", "ocr_column"}


def _line_text(element) -> str:
    """The text of a line, its words apart also where nothing stands between them."""
    pieces = []
    for event, part in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            if "ocrx_word" in (part.get("class") or "").split():
                pieces.append(" ")
            pieces.append(part.text or "")
        elif part is not element:
            pieces.append(part.tail or "")
    return " ".join("".join(pieces).split())


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    return preview(read(path, name, options, lambda count: None), options)


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    """A file of hOCR."""
    encoding = encoding_labels.declared(path, name) or options.encoding
    source = yield from characters(path, name, encoding, advance)
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_comments=True, remove_pis=True
    )
    tree = etree.parse(io.BytesIO(source.encode("utf-8", "replace")), parser)
    if tree.getroot() is None:
        raise Unreadable(f"“{name}” has no text in it; it was left out.")
    prose = Prose(name)
    images: list[str] = []
    confidences: list[float] = []
    within = 0  # lines that are open: a line in a line is read with it
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        kinds = set((element.get("class") or "").split())
        if event == "end":
            within -= bool(kinds & _LINES)
            continue
        title = element.get("title") or ""
        if "ocr_page" in kinds:
            prose.page()
            match = _IMAGE.search(title)
            images += [unquote(next(filter(None, match.groups()), ""))] if match else []
        elif kinds & _LINES:
            if not within:
                prose.line()
                prose.text(_line_text(element))
                prose.line()
            within += 1
        elif kinds & _BLOCKS:
            prose.paragraph()
        elif "ocrx_word" in kinds and (match := _SURE.search(title)):
            confidences.append(min(100.0, float(match[1])) / 100)
    if not prose.length:
        raise Unreadable(f"“{name}” has no lines of recognised text in it; it was left out.")
    yield from _whole(_document(prose, confidences, images), options)
