"""Charts as files of their own, for documents that other programs open: SVG, and PNG at the
resolution of print.

A chart is a few lines, areas and texts. The PNG is made by PDFium, which draws a page of PDF
(ISO 32000-1) that this module writes; no other library is needed.
"""

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Literal

import numpy as np
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.local import package

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

DPI = 300
POINTS_PER_INCH = 72
METRES_PER_INCH = 0.0254
INK = "#1e1c19"
FADED = "#5f5a51"
RULE = "#dedacf"
COLOURS = (  # of topics on paper; each is told from the others, also by the colour-blind
    "#044089",
    "#933f02",
    "#1d8265",
    "#7a1429",
    "#916d23",
    "#6967b3",
    "#2c627b",
    "#51365b",
)
BAND_OPACITY = 0.2
FONT_SIZE = 10.0  # points
FONTS_OF_SYSTEMS = "Helvetica, Arial, sans-serif"
# Source Sans 3, whose licence (OFL 1.1, static/fonts) lets files hold it
FONT = "Topograph Sans"
LATIN = "source-sans-3-latin-wght-normal.woff2"
FURTHER_LATIN = "source-sans-3-latin-ext-wght-normal.woff2"
FONT_FILES = {
    LATIN: "U+0000-00FF, U+2000-206F, U+20AC, U+2122, U+2212",
    FURTHER_LATIN: "U+0100-02FF, U+1E00-1EFF",
}
FURTHER_LETTERS = re.compile("[\u0100-\u02ff\u1e00-\u1eff]")
LETTER_WIDTH = 0.5  # of the font's size, the mean of Helvetica


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
    faces = [_font_face(LATIN)]
    if any(FURTHER_LETTERS.search(text.text) for text in picture.texts):
        faces.append(_font_face(FURTHER_LATIN))
    style = "".join(["<style>", *faces, "</style>"])
    return _svg(picture, f"{FONT}, {FONTS_OF_SYSTEMS}", style)


@cache
def _font_face(name: str) -> str:
    """The rule of a style sheet that holds a font of static/fonts."""
    path = package.resource("static") / "fonts" / name
    font = b64encode(path.read_bytes()).decode("ascii")
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
        parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{text.size:g}" fill="{text.colour}"'
            f' text-anchor="{text.anchor}">{escape(text.text)}</text>'
        )
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
    import pypdfium2

    document = pypdfium2.PdfDocument(_as_pdf(picture))
    try:
        bitmap = document[0].render(scale=dpi / POINTS_PER_INCH, rev_byteorder=True)
        pixels = bitmap.to_numpy()[:, :, :3]
        return _png(np.ascontiguousarray(pixels), dpi)
    finally:
        document.close()


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
    """A document of one page of the picture's size, in Helvetica, which every reader of PDF has."""
    opacities = sorted({area.opacity for area in picture.areas})
    states = " ".join(f"/G{i} << /ca {opacity:g} >>" for i, opacity in enumerate(opacities))
    content = "\n".join(_drawing(picture, opacities)).encode("cp1252", "replace")
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {picture.width:g} {picture.height:g}]"
        f" /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /ExtGState << {states} >> >> >>"
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page.encode("ascii"),
        b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content),
        font,
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
    """The operators of the page: areas, then lines, then texts. Its y grows upwards."""
    drawn = ["1 1 1 rg", f"0 0 {picture.width:g} {picture.height:g} re f"]
    for area in picture.areas:
        state = opacities.index(area.opacity)
        fill = f"/G{state} gs {_rgb(area.colour)} rg"
        drawn.append(f"q {fill} {_operators(area.points, picture.height)} h f Q")
    for stroke in picture.strokes:
        pen = f"{_rgb(stroke.colour)} RG {stroke.width:g} w 1 j"
        drawn.append(f"q {pen} {_operators(stroke.points, picture.height)} S Q")
    for text in picture.texts:
        drawn.append(_text_operators(text, picture.height))
    return drawn


PART_BEFORE: dict[Anchor, float] = {"start": 0.0, "middle": 0.5, "end": 1.0}  # of a text's width


def _text_operators(text: Text, height: float) -> str:
    width = LETTER_WIDTH * text.size * len(text.text)
    middle_or_end, y = text.at
    x = middle_or_end - PART_BEFORE[text.anchor] * width
    letters = text.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return (
        f"BT {_rgb(text.colour)} rg /F {text.size:g} Tf {x:.2f} {height - y:.2f} Td"
        f" ({letters}) Tj ET"
    )


def _operators(points: Sequence[Point], height: float) -> str:
    """Moves to the first point and draws on to the others."""
    points_on_page = [f"{x:.2f} {height - y:.2f}" for x, y in points]
    return " ".join([f"{points_on_page[0]} m", *(f"{point} l" for point in points_on_page[1:])])


LARGEST_BYTE = 255


def _rgb(colour: str) -> str:
    """#rrggbb as three numbers from 0 to 1."""
    return " ".join(f"{value / LARGEST_BYTE:.3f}" for value in bytes.fromhex(colour[1:]))
