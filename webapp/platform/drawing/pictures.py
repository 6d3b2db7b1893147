"""Charts as files of their own, for documents that other programs open: SVG, and PNG at the
resolution of print.

A chart is a few lines, areas and texts. The PNG is made by PDFium, which draws a page of PDF
(ISO 32000-1) that this module writes, and puts the texts on it in a font of ours; no other library is
needed. The font has Latin, Greek and Cyrillic letters. What it lacks is drawn as a box, and a sentence
below the chart says so.
"""

import ctypes
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from threading import Lock
from typing import TYPE_CHECKING, Literal

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.colours import ON_PAPER, SLOTS
from webapp.platform.local import package

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

DPI = 300
POINTS_PER_INCH = 72
METRES_PER_INCH = 0.0254
INK = "#1e1c19"
FADED = "#5f5a51"
RULE = "#dedacf"
COLOURS = ON_PAPER[:SLOTS]  # of lines; each is told from the others, also by the colour-blind
BAND_OPACITY = 0.2
FONT_SIZE = 10.0  # points
FONTS_OF_SYSTEMS = "Helvetica, Arial, sans-serif"
# Source Sans 3, whose licence (OFL 1.1, static/fonts) lets files hold it
FONT = "Topograph Sans"
# The characters of each file, as a style sheet says them: first and last, or one
FONT_FILES = {
    "latin": "U+0000-00FF, U+2000-206F, U+20AC, U+2122, U+2212",
    "latin-ext": "U+0100-02FF, U+1E00-1E9F, U+1EFA-1EFF",
    "vietnamese": "U+1EA0-1EF9, U+20AB",
    "greek": "U+0370-03FF",
    "greek-ext": "U+1F00-1FFF",
    "cyrillic": "U+0400-045F, U+0490-0491, U+04B0-04B1, U+2116",
    "cyrillic-ext": "U+0460-048F, U+0492-04AF, U+04B2-052F",
}
PRINT_FONT = "source-sans-3-regular.ttf"  # all of these letters, for PDFium
NO_LETTER = "\ufdd0"  # a character that no font has
PDFIUM = Lock()  # which threads may not use at the same time
NOT_DRAWN = "Boxes are letters that this file cannot show. The SVG file has them."
LINE_HEIGHT = 1.5  # of the font's size
LETTER_WIDTH = 0.5  # of the font's size, about the mean of its letters


@dataclass(frozen=True)
class Stroke:
    """A line through points."""

    points: Sequence[Point]
    colour: str
    width: float = 1.4


@dataclass(frozen=True)
class Area:
    """A filled polygon."""

    points: Sequence[Point]
    colour: str
    opacity: float = BAND_OPACITY


@dataclass(frozen=True)
class Text:
    """On its base line. at: its start, middle or end."""

    at: Point
    text: str
    colour: str = FADED
    anchor: Anchor = "start"
    size: float = FONT_SIZE


@dataclass(frozen=True)
class Picture:
    """width, height: in points of 1/72 inch; y grows downwards. said: what it shows, for who does
    not see it."""

    width: float
    height: float
    areas: Sequence[Area]
    strokes: Sequence[Stroke]
    texts: Sequence[Text]
    said: str


def as_svg(picture: Picture) -> SafeString:
    """SVG with nothing outside it: no fonts, style sheets or scripts. It may stand in a page, too,
    as its texts are escaped."""
    return _svg(picture, FONTS_OF_SYSTEMS, "")


def as_svg_file(picture: Picture) -> SafeString:
    """An SVG file that holds the font of its texts, so that browsers and printers show it alike
    everywhere. A program that reads no fonts in files takes one of its system."""
    letters = {ord(letter) for text in picture.texts for letter in text.text}
    needed = [name for name in FONT_FILES if letters & _characters(name)] or ["latin"]
    style = "".join(["<style>", *map(_font_face, needed), "</style>"])
    return _svg(picture, f"{FONT}, {FONTS_OF_SYSTEMS}", style)


@cache
def _characters(name: str) -> frozenset[int]:
    """That a file of FONT_FILES is for."""
    characters: set[int] = set()
    for ends in FONT_FILES[name].replace("U+", "").split(", "):
        first, _, last = ends.partition("-")
        characters.update(range(int(first, 16), int(last or first, 16) + 1))
    return frozenset(characters)


def _font_bytes(name: str) -> bytes:
    return (package.resource("static") / "fonts" / name).read_bytes()


@cache
def _font_face(name: str) -> str:
    """The rule of a style sheet that holds a font. name: of FONT_FILES."""
    font = b64encode(_font_bytes(f"source-sans-3-{name}-wght-normal.woff2")).decode("ascii")
    source = f"src: url(data:font/woff2;base64,{font}) format('woff2');"
    characters = f"unicode-range: {FONT_FILES[name]};"
    return f"@font-face {{ font-family: '{FONT}'; font-weight: 200 900; {source} {characters} }}"


def _svg(picture: Picture, fonts: str, style: str) -> SafeString:
    width = f"{picture.width:g}"
    height = f"{picture.height:g}"
    size = f'viewBox="0 0 {width} {height}" width="{width}pt" height="{height}pt"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{fonts}">',
        f"<title>{escape(picture.said)}</title>",
        style,
    ]
    for area in picture.areas:
        parts.append(
            f'<path d="{_path(area.points)}Z" fill="{area.colour}"'
            f' fill-opacity="{area.opacity:g}"/>'
        )
    for stroke in picture.strokes:
        parts.append(
            f'<path d="{_path(stroke.points)}" fill="none" stroke="{stroke.colour}"'
            f' stroke-width="{stroke.width:g}" stroke-linejoin="round"/>'
        )
    for text in picture.texts:
        x, y = text.at
        look = f'font-size="{text.size:g}" fill="{text.colour}" text-anchor="{text.anchor}"'
        parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(text.text)}</text>')
    parts.append("</svg>")
    return mark_safe("".join(parts))  # colours and numbers of ours, and texts that are escaped


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


# Of the format PNG
SIGNATURE = b"\x89PNG\r\n\x1a\n"
BITS = 8  # of each colour
TRUE_COLOUR = 2
DEFLATE = 0
IN_METRES = 1
SMALLEST_FILE = 9  # the level of compression


def as_png(picture: Picture, dpi: int = DPI) -> bytes:
    """A PNG file (ISO 15948) with its resolution, so that a text processor shows it at its size."""
    with PDFIUM:
        return _as_png(picture, dpi)


def _as_png(picture: Picture, dpi: int) -> bytes:
    import pypdfium2

    document = pypdfium2.PdfDocument(_as_pdf(picture))
    try:
        writer = _TextWriter(document)
        if not all(writer.has_letters(text.text) for text in picture.texts):
            document.close()
            picture = _with_sentence(picture)
            document = pypdfium2.PdfDocument(_as_pdf(picture))
            writer = _TextWriter(document)
        for text in picture.texts:
            writer.write(text, picture.height)
        writer.finish()
        bitmap = writer.page.render(scale=dpi / POINTS_PER_INCH, rev_byteorder=True)
        pixels = bitmap.to_numpy()[:, :, :3]
        return _png(np.ascontiguousarray(pixels), dpi)
    finally:
        document.close()


def _with_sentence(picture: Picture) -> Picture:
    """With a line below it that says what a box in its texts is."""
    height = picture.height + LINE_HEIGHT * FONT_SIZE
    said = Text((0, height - (LINE_HEIGHT - 1) * FONT_SIZE), NOT_DRAWN)
    return replace(picture, height=height, texts=[*picture.texts, said])


class _TextWriter:
    """Puts texts on the first page of a document, in PRINT_FONT."""

    def __init__(self, document: "PdfDocument"):
        from pypdfium2 import raw

        self.raw = raw
        self.document = document.raw
        self.page = document[0]
        font = _font_bytes(PRINT_FONT)
        # Kept as long as the document, which reads from it
        self.font_bytes = (ctypes.c_uint8 * len(font)).from_buffer_copy(font)
        self.font = raw.FPDFText_LoadFont(
            self.document, self.font_bytes, len(font), raw.FPDF_FONT_TRUETYPE, True
        )
        self.no_letter = self._outline(NO_LETTER)

    def has_letters(self, text: str) -> bool:
        """Whether the font has all letters of a text."""
        return all(self._outline(letter) != self.no_letter for letter in set(text) - {" "})

    def _outline(self, letter: str) -> tuple[float, int]:
        """The width of a letter, and of how many pieces its outline is: those of a box where the font
        does not have it."""
        size = ctypes.c_float(FONT_SIZE)
        width = ctypes.c_float()
        self.raw.FPDFFont_GetGlyphWidth(self.font, ord(letter), size, width)
        path = self.raw.FPDFFont_GetGlyphPath(self.font, ord(letter), size)
        return width.value, self.raw.FPDFGlyphPath_CountGlyphSegments(path) if path else 0

    def write(self, text: Text, height: float) -> None:
        """height: of the page, whose y grows upwards."""
        raw = self.raw
        written = raw.FPDFPageObj_CreateTextObj(self.document, self.font, ctypes.c_float(text.size))
        letters = ctypes.create_string_buffer(text.text.encode("utf-16-le", "replace") + b"\0\0")
        raw.FPDFText_SetText(written, ctypes.cast(letters, ctypes.POINTER(ctypes.c_ushort)))
        left, bottom, right, top = (ctypes.c_float() for _ in range(4))
        raw.FPDFPageObj_GetBounds(written, left, bottom, right, top)
        red, green, blue = bytes.fromhex(text.colour[1:])
        raw.FPDFPageObj_SetFillColor(written, red, green, blue, LARGEST_BYTE)
        x, y = text.at
        x -= PART_BEFORE[text.anchor] * right.value
        raw.FPDFPageObj_Transform(written, 1, 0, 0, 1, x, height - y)
        raw.FPDFPage_InsertObject(self.page.raw, written)

    def finish(self) -> None:
        """What was written is drawn from here on."""
        self.raw.FPDFPage_GenerateContent(self.page.raw)


def _png(pixels: np.ndarray, dpi: int) -> bytes:
    """pixels: uint8[height, width, 3], red, green, blue."""
    height, width, _ = pixels.shape
    unfiltered = np.zeros((height, 1), np.uint8)  # the filter of each row: none
    rows = np.hstack([unfiltered, pixels.reshape(height, 3 * width)])
    header = struct.pack(">IIBBBBB", width, height, BITS, TRUE_COLOUR, DEFLATE, 0, 0)
    per_metre = round(dpi / METRES_PER_INCH)
    resolution = struct.pack(">IIB", per_metre, per_metre, IN_METRES)
    return b"".join(
        [
            SIGNATURE,
            _chunk(b"IHDR", header),
            _chunk(b"pHYs", resolution),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), SMALLEST_FILE)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    checked = name + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def _as_pdf(picture: Picture) -> bytes:
    """A document of one page of the picture's size, without its texts."""
    opacities = sorted({area.opacity for area in picture.areas})
    states = " ".join(f"/G{i} << /ca {opacity:g} >>" for i, opacity in enumerate(opacities))
    content = "\n".join(_drawing(picture, opacities)).encode("ascii")
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {picture.width:g} {picture.height:g}]"
        f" /Contents 4 0 R /Resources << /ExtGState << {states} >> >> >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page.encode("ascii"),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
    ]
    file = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, value in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, value)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        file += b"%010d 00000 n \n" % offset
    file += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    file += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(file)


def _drawing(picture: Picture, opacities: list[float]) -> list[str]:
    """The operators of the page: areas, then lines. Its y grows upwards."""
    drawn = ["1 1 1 rg", f"0 0 {picture.width:g} {picture.height:g} re f"]
    for area in picture.areas:
        state = opacities.index(area.opacity)
        fill = f"/G{state} gs {_rgb(area.colour)} rg"
        drawn.append(f"q {fill} {_operators(area.points, picture.height)} h f Q")
    for stroke in picture.strokes:
        pen = f"{_rgb(stroke.colour)} RG {stroke.width:g} w 1 j"
        drawn.append(f"q {pen} {_operators(stroke.points, picture.height)} S Q")
    return drawn


PART_BEFORE: dict[Anchor, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}  # of a text's width


def _operators(points: Sequence[Point], height: float) -> str:
    """Moves to the first point and draws on to the others."""
    points_on_page = [f"{x:.2f} {height - y:.2f}" for x, y in points]
    return " ".join([f"{points_on_page[0]} m", *(f"{point} l" for point in points_on_page[1:])])


LARGEST_BYTE = 255


def _rgb(colour: str) -> str:
    """#rrggbb as three numbers from 0 to 1."""
    return " ".join(f"{value / LARGEST_BYTE:.3f}" for value in bytes.fromhex(colour[1:]))
