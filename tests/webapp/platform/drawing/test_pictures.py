"""Pictures as files hold what they need, and as parts of pages nothing."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest

from webapp.platform.drawing import pictures
from webapp.platform.drawing.pictures import Picture, Text

WOFF2 = b"wOF2"


def picture(name: str) -> Picture:
    return Picture(100, 50, [], [], [Text((10, 10), name)], f"A chart of {name}")


def fonts_in(svg: str) -> list[bytes]:
    return [base64.b64decode(font) for font in re.findall(r"base64,([^)]+)\)", svg)]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("Navy − ships", 1),
        ("Łódź", 2),
        ("Việt Nam", 2),
        ("Ελλάδα.", 2),
        ("Київ.", 2),
        ("Łódź, Киïв", 3),
    ],
)
def test_a_file_holds_the_font_that_its_texts_need(name, files):
    svg = pictures.as_svg_file(picture(name))
    fonts = fonts_in(svg)
    assert len(fonts) == files and all(font.startswith(WOFF2) for font in fonts)
    assert 'font-family="Topograph Sans, Helvetica' in svg
    outside = svg.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in outside and "<script" not in outside


def test_in_a_page_it_holds_none():
    assert fonts_in(pictures.as_svg(picture("Łódź"))) == []


def test_what_is_written_in_it_can_end_no_style():
    svg = pictures.as_svg_file(picture("</style><script>alert(1)</script>"))
    assert "<script" not in svg and svg.count("</style>") == 1


def pixels(name: str) -> np.ndarray:
    return as_pixels(pictures.as_png(picture(name), dpi=72))


def as_pixels(png: bytes) -> np.ndarray:
    """uint8[height, width, 3] of a PNG file of ours."""
    assert png.startswith(pictures.SIGNATURE)
    width, height = struct.unpack(">II", png[16:24])
    begin = png.index(b"IDAT") + 4
    size = struct.unpack(">I", png[begin - 8 : begin - 4])[0]
    rows = np.frombuffer(zlib.decompress(png[begin : begin + size]), np.uint8)
    return rows.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


@pytest.mark.parametrize("letters", ["łąśż", "ğİşı", "αβγώ", "жџґї", "ấệ", "−–“”"])
def test_a_png_has_letters_beyond_western_europe(letters):
    drawn = [pixels(letter) for letter in letters]
    assert all(image.shape == (50, 100, 3) for image in drawn), "without the sentence"
    different = {image.tobytes() for image in drawn} | {pixels("?").tobytes()}
    assert len(different) == len(letters) + 1


@pytest.mark.parametrize("name", ["中文", "العربية", "עברית", "\ud800", "a\nb"])
def test_a_png_says_where_letters_are_missing(name):
    """As boxes, of which a sentence below the chart tells."""
    image = pixels(name)
    assert image.shape == (65, 100, 3)
    assert (image[:20] < 200).any() and (image[50:] < 200).any()
    assert pixels("plain").shape == (50, 100, 3)


def test_a_text_ends_or_has_its_middle_where_it_says():
    for anchor, (left, right) in {"start": (50, 100), "middle": (25, 75), "end": (0, 51)}.items():
        drawn = Picture(100, 50, [], [], [Text((50, 25), "Łódź", anchor=anchor)], "")
        png = pictures.as_png(drawn, dpi=72)
        columns = np.flatnonzero((as_pixels(png) < 200).any(axis=(0, 2)))
        assert left <= columns[0] and columns[-1] <= right
