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
    topic = re.match(r"\s*(.+ \(T\d\d\)|T\d\d \(.+?\)): ", concluded.inner_text())[1]
    expect(concluded).to_contain_text("these presidents")  # whose texts count as one
    page.get_by_role("link", name="Does it hold in other runs?").click()
    expect(page.locator(".claimed")).to_contain_text(topic)
    claim = page.locator(".claimed").inner_text().removeprefix("The claim: ")
    conclusion = page.locator(".lede").inner_text()
    for width, table_begins in ((380, 760), (1440, 420)):
        page.set_viewport_size({"width": width, "height": 900})
        table = page.locator("table.claims").bounding_box()
        assert table["y"] < table_begins, "what is asked is answered in the first screen"
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("details.pin summary").first.click()
    page.locator("details.pin[open] select").select_option("new")
    page.locator("details.pin[open] button[type=submit]").click()
    page.locator(".messages a").click()
    expect(page.locator(".piece .sentence")).to_have_text(f"{claim} {conclusion}")
    expect(page.locator(".piece .source")).to_contain_text("% confidence interval")
    with page.expect_download() as event:
        page.get_by_role("link", name="HTML").click()
    kept = unescape(event.value.path().read_text())
    for said in (topic, f"run {example.run}, K = 12, seed 0", "the topic there"):
        assert said in kept, said


def test_a_topic_and_a_concept_begin_a_training_with_one_press(page, example):
    page.goto(f"{example.at}topics/1/")
    page.get_by_role("link", name="Name it beforehand in a new training").click()
    page.wait_for_url(f"**/corpora/{example.corpus}/?topic={example.run}.1#named")
    field = page.get_by_label("Topics that you name")
    expect(field).to_be_visible()
    expect(field).to_have_value(re.compile(r"^.+: (.+, ){9}.+$"))
    expect(page.locator("#named table").first).to_contain_text("occurrences")
    page.goto(f"{example.at}codebook/")
    page.get_by_role("link", name="Name them all before a training").click()
    page.wait_for_url(re.compile(rf"/corpora/{example.corpus}/\?concept=\d+.*#named"))
    expect(page.get_by_label("Topics that you name")).to_be_visible()
