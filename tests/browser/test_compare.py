"""Comparing runs as a person does: train again, mark both, read what is the same; also without
JavaScript and on a phone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PREPARING


@pytest.fixture(scope="module")
def second(browser, live_system, example) -> int:
    """A run with another seed."""
    page = browser.new_page(base_url=live_system.url)
    page.goto(f"/corpora/{example.corpus}/")
    page.get_by_label("Number of topics").fill("12")
    page.get_by_label("Seed", exact=True).fill("5")
    page.get_by_text("Advanced").click()
    page.get_by_label("Passes", exact=True).fill("2")
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("[data-status]")).to_have_text("Done", timeout=PREPARING)
    number = int(page.url.rstrip("/").rsplit("/", 1)[1])
    page.close()
    return number


def test_two_marked_runs_are_laid_side_by_side(page, example, second):
    page.goto(f"/corpora/{example.corpus}/")
    for run in (example.run, second):
        page.get_by_label(f"Mark run {run} to compare it").check()
    page.get_by_role("button", name="Compare the marked runs").click()
    page.wait_for_url("**/compare/?run=*&run=*")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"Runs {second} and {example.run} compared"
    )
    expect(page).to_have_title(re.compile(f"Runs {second}, {example.run} compared"))
    page.get_by_text("Measures while training").click()
    for chart in ("held_out", "coherence"):
        drawn = page.locator(f"[data-chart={chart}]")
        expect(drawn.locator(".scatterlayer .trace")).to_have_count(2)
        expect(drawn.locator(".annotation")).to_have_count(2)
        expect(drawn).to_contain_text(f"run {second}")
    pairs = page.locator("table.pairs tbody tr")
    matched = pairs.count()
    assert 1 <= matched <= 12
    expect(page.get_by_role("navigation", name="Lists of topics")).to_contain_text(
        f"In both ({matched})"
    )
    page.get_by_role("link", name=re.compile(rf"Run {example.run}, no counterpart")).click()
    page.wait_for_url("**show=second*")
    expect(page.locator("table.lone tbody tr")).to_have_count(12 - matched)

    # A topic of one run is not lit with that of the same number in another.
    page.goto(f"/compare/?run={example.run}&run={second}")
    page.locator("table.pairs .chip").first.hover()
    expect(page.locator(".lit")).to_have_count(0)


def test_measures_come_by_themselves_while_a_run_trains(page, example):
    """The page is opened once, and not touched again."""
    page.goto(f"/corpora/{example.corpus}/")
    page.get_by_label("Number of topics").fill("12")
    page.get_by_label("Seed", exact=True).fill("6")
    page.get_by_text("Advanced").click()
    page.get_by_label("Passes", exact=True).fill("3")
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    number = int(page.url.rstrip("/").rsplit("/", 1)[1])
    page.goto(f"/compare/?run={example.run}&run={number}")
    table = page.get_by_role("region", name="Measures by run", exact=True)
    expect(table.locator("tbody tr")).to_have_count(2)
    expect(page.locator("[data-part=measures]:not([data-every])")).to_have_count(
        1, timeout=PREPARING
    )
    expect(page.locator("[data-part=measures] .found")).to_contain_text("predict")
    for cell in table.locator("tbody tr").nth(1).locator("td.n").all():
        expect(cell).not_to_have_text("–")
    expect(page.locator("[data-part=measures] [role=status]")).to_be_empty()


def test_curves_are_drawn_anew_in_the_other_theme(page, example, second):
    page.goto(f"/compare/?run={example.run}&run={second}")
    page.get_by_text("Measures while training").click()
    label = page.locator("[data-chart=held_out] .annotation text").first
    expect(label).to_be_visible()
    before = label.evaluate("e => getComputedStyle(e).fill")
    page.locator("[data-theme-toggle]").click()
    page.wait_for_function(
        "before => getComputedStyle(document.querySelector('[data-chart=held_out] .annotation"
        " text')).fill !== before",
        arg=before,
    )


@pytest.mark.parametrize("width", [380, 1280])
def test_without_javascript_and_on_a_phone(browser, live_system, example, second, width):
    context = browser.new_context(
        base_url=live_system.url,
        java_script_enabled=False,
        viewport={"width": width, "height": 800},
    )
    page = context.new_page()
    page.goto(f"/compare/?run={example.run}&run={second}")
    page.get_by_text("Measures side by side").first.click()
    page.get_by_text("Measures while training").click()
    page.get_by_text("The charts as a table").click()
    expect(page.get_by_role("region", name="Measures by run and step")).to_contain_text(
        f"Run {second}"
    )
    assert page.locator("table.pairs tbody tr").count() >= 1
    expect(page.get_by_role("region", name="Measures by run", exact=True)).to_contain_text(
        f"Run {second}"
    )
    expect(page.locator("[data-part=measures] .found")).to_contain_text("predict")
    picture = page.locator(".runs-picture svg[role=img]").bounding_box()
    assert picture["y"] + picture["height"] < page.locator("table.pairs").bounding_box()["y"]
    widest = page.locator("body").bounding_box()["width"]
    assert widest <= width and page.locator("table.pairs").bounding_box()["width"] <= widest
    context.close()
