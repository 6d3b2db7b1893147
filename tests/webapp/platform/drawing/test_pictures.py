"""Pictures as files hold what they need, and as parts of pages nothing."""

import base64
import re

import pytest

from webapp.platform.drawing import pictures
from webapp.platform.drawing.pictures import Picture, Text

WOFF2 = b"wOF2"


def picture(name: str) -> Picture:
    return Picture(100, 50, [], [], [Text((10, 10), name)], f"A chart of {name}")


def fonts_in(svg: str) -> list[bytes]:
    return [base64.b64decode(font) for font in re.findall(r"base64,([^)]+)\)", svg)]


@pytest.mark.parametrize(("name", "files"), [("Navy − ships", 1), ("Łódź", 2)])
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
