"""What readers set in their system or browser: less motion, wider spaces between letters, the
system's colours; and what is told of a change (docs/accessibility.md names these tests)."""

import pytest
from playwright.sync_api import Page, expect

PLACES = ("", "overview/", "topics/", "topics/2/", "time/", "documents/", "words/militia/")
WITH_LINKS_IN_CHARTS = ("", "overview/", "topics/?view=map", "topics/2/", "words/militia/")
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
# The first link of each chart, focused: its outline, and that of the system's highlight
OUTLINES = """() => {
  const probe = document.createElement("p");
  probe.style.color = "Highlight";
  document.body.append(probe);
  const highlight = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll("svg")].map((chart) => chart.querySelector("a"))
    .filter((link) => link?.checkVisibility()).map((link) => {
      link.focus();
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(link);
      return [outlineStyle, outlineWidth, outlineColor === highlight];
    });
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


@pytest.mark.parametrize("place", WITH_LINKS_IN_CHARTS)
def test_links_of_charts_show_the_focus_in_forced_colours(page: Page, example, place):
    page.emulate_media(forced_colors="active")
    page.goto(f"{example.at}{place}")
    page.keyboard.press("Tab")
    outlines = page.evaluate(OUTLINES)
    assert outlines and all(outline == ["solid", "3px", True] for outline in outlines)


def test_what_an_act_changes_is_told_where_the_focus_is_not(page: Page, example):
    """WCAG 4.1.3. What tells it is a status that is there before, and the focus stays."""
    page.goto(f"{example.at}documents/2/")
    statuses = page.get_by_role("status")
    assert statuses.filter(has_text="counted words").count() == 0
    topic = page.locator(".proportions .pick").first
    topic.press("Enter")
    expect(statuses.filter(has_text="counted words")).to_have_count(1)
    expect(topic).to_be_focused()
    page.goto(f"{example.at}time/")
    page.locator(".page-tools details.pin summary").press("Enter")
    assert page.locator("ul.messages[role=status]").count() >= 1
    # Another test may have pinned this page in the notebook of the corpus
    page.locator(".page-tools details.pin select").select_option("new")
    page.locator(".page-tools details.pin").get_by_role("button", name="Pin").press("Enter")
    expect(page.get_by_role("status").filter(has_text="Pinned in")).to_have_count(1)


def test_what_an_upload_lacks_is_alerted(page: Page, example):
    page.goto("/")
    page.get_by_role("button", name="Upload", exact=True).press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Choose at least one file, or a folder.")
