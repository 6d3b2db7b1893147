"""From the overview to a conclusion in a notebook that is taken away, by links and buttons alone."""

import re
from html import unescape

from playwright.sync_api import expect

from tests.browser.conftest import PREPARING


def test_a_finding_becomes_a_conclusion_that_is_kept_and_exported(page, example):
    page.goto(f"{example.at}overview/")
    page.locator(".rows .acts a", has_text=re.compile("^Effect")).first.click(timeout=PREPARING)
    page.wait_for_url("**/time/compare/?*")  # the very question that the sentence answers
    page.get_by_role("link", name="Effects").first.click()
    page.wait_for_url("**/time/effects/*")
    page.locator("table.effects td b").first.click()
    concluded = page.locator("#one")
    topic = re.match(r"\s*(.+ \(T\d\d\)): ", concluded.inner_text())[1]
    expect(concluded).to_contain_text("“president”")  # whose texts count as one
    page.get_by_role("link", name="Does it hold in other runs?").click()
    expect(page.locator(".claimed")).to_contain_text(topic)
    claim = page.locator(".claimed").inner_text().removeprefix("The claim: ")
    conclusion = page.locator(".lede").inner_text()
    for width in (380, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("details.pin summary").first.click()
    page.locator("details.pin[open] select").select_option("new")
    page.locator("details.pin[open] button[type=submit]").click()
    page.locator(".messages a").click()
    expect(page.locator(".piece .sentence")).to_have_text(f"{claim} {conclusion}")
    with page.expect_download() as event:
        page.get_by_role("link", name="HTML").click()
    kept = unescape(event.value.path().read_text())
    for said in (topic, f"run {example.run}, K = 12, seed 0", "the topic there"):
        assert said in kept, said
