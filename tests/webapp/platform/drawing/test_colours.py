"""The number of topic colours stands once, in webapp.platform.drawing.colours; style sheets, which
must repeat it, have as many."""

import re
from pathlib import Path

import numpy as np
import pytest

from webapp.platform.drawing import pictures
from webapp.platform.drawing.colours import COLOURS, GENERAL, ON_PAPER

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


def test_the_site_of_an_export_has_the_colours_of_pages():
    base = (ROOT / "static/css/base.css").read_text(encoding="utf-8")
    site = (ROOT / "templates/site/site.css").read_text(encoding="utf-8")
    of_base = re.findall(r"^\s*--t\d+: (light-dark\(.*?\));", base, re.M)
    assert re.findall(r"\.t\d+ \{ --topic: (light-dark\(.*?\));", site) == of_base
    variables = re.findall(r"--(\w+): (light-dark\(.*?\))", site.split("\n")[0])
    assert len(variables) > 4
    for name, value in variables:
        assert f"--{name}: {value};" in base, name


def test_pictures_have_the_colours_of_light_paper():
    base = (ROOT / "static/css/base.css").read_text(encoding="utf-8")
    assert len(ON_PAPER) == COLOURS
    for number, colour in enumerate(ON_PAPER):
        assert of_themes(base, f"t{number}")[0] == colour, number
    named = {"ink": pictures.INK, "faded": pictures.FADED, "rule": pictures.RULE}
    for name, colour in named.items():
        assert of_themes(base, name)[0] == colour, name


def test_names_in_the_colour_of_a_family_can_be_read_on_paper():
    paper = linear(PAPER[0])
    for number, colour in enumerate(ON_PAPER[:GENERAL]):
        assert contrast(linear(colour), paper) >= LEAST_CONTRAST, number


PAPER = ("#fbfaf7", "#16171a")
INK = ("#1e1c19", "#e9e6df")
LEAST_CONTRAST = 4.5  # WCAG 2.2, 1.4.3
# OKLab: B. Ottosson, A perceptual color space for image processing, 2020
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def mixed(colour: str, part: float, ground: str) -> np.ndarray:
    """color-mix(in oklab, colour part, ground), as linear light."""
    one, other = (OKLAB @ np.cbrt(CONES @ linear(c)) for c in (colour, ground))
    mixture = part * one + (1 - part) * other
    return np.clip(np.linalg.inv(CONES) @ (np.linalg.inv(OKLAB) @ mixture) ** 3, 0, 1)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    lights = sorted(float(colour @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def of_themes(css: str, name: str) -> tuple[str, str]:
    found = re.search(rf"--{name}: light-dark\((#\w+), (#\w+)\)", css)
    return found[1], found[2]


def test_contrast_is_that_of_the_standard():
    assert contrast(linear("#ffffff"), linear("#000000")) == pytest.approx(21)
    assert contrast(linear("#767676"), linear("#ffffff")) == pytest.approx(4.54, abs=0.005)
    assert np.allclose(mixed("#933f02", 1.0, "#ffffff"), linear("#933f02"), atol=1e-6)


@pytest.mark.parametrize("theme", [0, 1])
def test_numbers_can_be_read_on_every_shade_of_the_table(theme):
    base = (ROOT / "static/css/base.css").read_text(encoding="utf-8")
    time = (ROOT / "static/css/time.css").read_text(encoding="utf-8")
    steps = re.findall(r"\.s\d \{ background: color-mix\(in oklab, var\(--full\) ([\d.]+)%", time)
    assert len(steps) == 9
    paper = PAPER[theme]
    ink = linear(INK[theme])
    on = linear(of_themes(base, "on")[theme])
    for slot in range(GENERAL):
        area = of_themes(base, f"a{slot}")[theme]
        for step in steps:
            ground = mixed(area, float(step) / 100, paper)
            assert contrast(ground, ink) >= LEAST_CONTRAST, (slot, step)
        assert contrast(linear(area), on) >= LEAST_CONTRAST, slot
    for colour in range(GENERAL, COLOURS):
        shade = mixed(of_themes(base, f"t{colour}")[theme], 0.4, paper)
        assert contrast(shade, ink) >= LEAST_CONTRAST, colour
