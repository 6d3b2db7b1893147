"""Charts under a policy that allows no style elements, attributes in markup, or scripts of other
places: they look as they should, and can be saved.

The walk over all pages (test_accessible.py) shows that none of them breaks the policy: the fixture
`page` fails on any violation.
"""

import time
from itertools import product
from pathlib import Path

from playwright.sync_api import Route, expect

from tests.conftest import ROOT

VENDOR = ROOT / "static" / "vendor"
RULES = (
    "Array.from(document.styleSheets, (sheet) => Array.from(sheet.cssRules, (rule) =>"
    " rule.cssText)).flat()"
)


def test_a_violation_is_noticed(page, wrong):
    """So that the walk can fail."""
    page.goto("/")
    page.evaluate(
        "() => { document.body.setAttribute('style', 'color: red');"
        " document.body.append(document.createElement('style')) }"
    )
    expected = {"style-src-attr", "style-src-elem"}
    deadline = time.monotonic() + 20
    while (
        not expected <= {sentence.split()[0] for sentence in wrong} and time.monotonic() < deadline
    ):
        page.wait_for_timeout(100)
    assert {sentence.split()[0] for sentence in wrong} >= expected
    wrong.clear()


def test_the_style_sheet_is_plotlys_own(browser):
    """Where nothing forbids it, this bundle puts these rules into a style element."""
    page = browser.new_page()
    page.set_content("<!doctype html><title>Plotly</title>")
    page.add_script_tag(path=VENDOR / "plotly-basic.min.js")
    own = page.evaluate(RULES)
    page.set_content("<!doctype html><title>Ours</title>")
    page.add_style_tag(path=VENDOR / "plotly.css")
    assert len(own) > 50 and page.evaluate(RULES) == own
    page.close()


def test_charts_are_laid_out_answer_the_pointer_and_can_be_saved(page, example, tmp_path):
    page.goto(example.at)
    chart = page.locator(
        "[data-chart=held_out] .js-plotly-plot, [data-chart=coherence] .js-plotly-plot"
    ).first
    chart.wait_for()
    assert page.locator("style").count() == 0
    layers = chart.locator(".main-svg").evaluate_all(
        "all => all.map((svg) => [getComputedStyle(svg).position, svg.getBoundingClientRect().top])"
    )
    assert {position for position, _ in layers} == {"absolute"} and len(
        {top for _, top in layers}
    ) == 1
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    # Over the lines, until one answers
    for across, part in product(range(20, 90, 10), range(20, 80, 2)):
        page.mouse.move(
            box["x"] + box["width"] * across / 100, box["y"] + box["height"] * part / 100
        )
        if page.locator(".hoverlayer .hovertext").count():
            break
    else:
        raise AssertionError("no hover label")
    for ending, begins in (("svg", b"<svg "), ("png", b"\x89PNG"), ("csv", b"line,x,y")):
        with page.expect_download() as told:
            page.get_by_role("button", name=f"Save this chart as {ending.upper()}").first.click()
        told.value.save_as(tmp_path / f"chart.{ending}")
        content = Path(tmp_path / f"chart.{ending}").read_bytes()
        assert content.startswith(begins) and len(content) > 100, ending


def test_a_name_is_shown_as_it_was_written(page, example):
    def name_with_tags(route: Route) -> None:
        answer = route.fetch().json()
        answer["time"]["stacked"][0]["name"] = "<b>Quartz</b>"
        route.fulfill(json=answer)

    page.route("**/topics.json*", name_with_tags)
    page.goto(f"{example.at}topics/?view=time&by=decade&topics=0,1,2")
    written = page.locator("[data-stack] .annotation-text", has_text="Quartz")
    expect(written).to_have_text("‹b›Quartz‹/b›")
