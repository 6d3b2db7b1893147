"""The number of topic colours stands once, in webapp.platform.drawing.colours; style sheets, which
must repeat it, have as many."""

import re
from pathlib import Path

import pytest

from webapp.platform.drawing.colours import COLOURS

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("sheet", ["static/css/base.css", "templates/site/site.css"])
def test_style_sheets_have_every_colour_once(sheet):
    css = (ROOT / sheet).read_text(encoding="utf-8")
    assert [int(n) for n in re.findall(r"\.t(\d+) \{ --topic:", css)] == list(range(COLOURS))
    if "--t0:" in css:
        assert [int(n) for n in re.findall(r"^\s*--t(\d+):", css, re.M)] == list(range(COLOURS))


def test_base_css_gives_the_variables_that_scripts_count():
    assert "--t0:" in (ROOT / "static/css/base.css").read_text(encoding="utf-8")


def test_scripts_do_not_repeat_the_number():
    for script in (ROOT / "static" / "js").glob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(rf"% *{COLOURS}\b|length: *{COLOURS}\b", text), script.name
