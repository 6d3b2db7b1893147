"""Readers name topics, keep evidence and read closely: in a real browser, and the same without
JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.corpora import as_csv, example_rows
from webapp.platform.drawing.colours import CHOSEN, CHOSEN_NAMES

# ms
READING = 60_000
TRAINING = 240_000
LABEL = "Land <b>& law"
PLUM = f".chip.t{CHOSEN + CHOSEN_NAMES.index('plum')}"


@pytest.fixture(scope="module")
def run(browser, live_system) -> str:
    """The address of a small finished run."""
    context = browser.new_context(base_url=live_system.url)
    page = context.new_page()
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {"name": "s.csv", "mimeType": "text/csv", "buffer": as_csv(example_rows(300))}
    )
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/prepare/")
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    page.get_by_role("button", name="Read the corpus").click()
    expect(page.get_by_label("Number of topics")).to_be_visible(timeout=READING)
    page.get_by_label("Number of topics").fill("5")
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("[data-status]")).to_have_text(re.compile("Done"), timeout=TRAINING)
    url = page.url
    context.close()
    return url


def curate(page: Page):
    """Open the form of a topic's page."""
    page.locator(".curate > details", has=page.get_by_label("Label")).locator("> summary").click()


def test_name_a_topic_and_undo(page: Page, run):
    page.goto(run + "topics/2/")
    curate(page)
    page.get_by_role("textbox", name="Label").fill(LABEL)
    page.get_by_label("Merge into").fill("T03")
    page.get_by_label("plum").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(LABEL)
    expect(page.get_by_text("is merged into").first).to_be_visible()
    page.goto(run + "topics/")
    expect(page.locator("main .chip", has_text="T03").first).to_be_visible()
    # It is read as a part of T03
    expect(page.locator("main .chip", has_text=LABEL)).to_have_count(0)
    page.goto(run + "curation/")
    expect(page.get_by_text("merged into T03", exact=True)).to_be_visible()
    page.locator(".edit", has_text="merged into T03").get_by_role("button").click()
    expect(page.locator(".edit", has_text="merged into T03").get_by_role("button")).to_have_text(
        re.compile("Redo")
    )
    assert page.request.get(run + "topics/2.json").json()["topic"]["into"] == ""
    page.goto(run + "topics/")
    expect(page.locator(PLUM, has_text=LABEL).first).to_be_visible()
    assert LABEL.split("<")[0].strip() not in page.locator("main b").all_inner_texts()


def test_pin_a_marked_passage(page: Page, run):
    page.goto(run + "documents/5/")

    page.evaluate("""() => {
      const walker = document.createTreeWalker(document.querySelector("#text"), NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) nodes.push(walker.currentNode);
      getSelection().setBaseAndExtent(nodes[2], 0, nodes[9], nodes[9].length);
    }""")
    quote = page.locator("[data-pin] [name=quote]")
    expect(quote).not_to_have_value("")
    marked = quote.input_value()
    page.locator("[data-pin] [name=notebook]").select_option("new")
    page.locator("[data-pin] [name=comment]").fill("He says it outright.")
    page.locator("[data-pin]").get_by_role("button", name="Pin").click()
    page.locator(".messages a").click()
    within_a_sentence = f"… {marked.strip()} …"
    expect(page.locator("blockquote")).to_have_text(within_a_sentence)
    expect(page.get_by_text("He says it outright.").first).to_be_visible()
    page.get_by_role("button", name="Make a read-only link").click()
    link = page.locator("#link").input_value()
    stranger = page.context.browser.new_context().new_page()
    stranger.goto(link)
    expect(stranger.locator("blockquote")).to_have_text(within_a_sentence)
    assert stranger.get_by_role("button", name="Remove").count() == 0
    page.get_by_role("button", name="Revoke").click()
    assert stranger.goto(link).status == 404
    stranger.context.close()


def test_read_blind_without_javascript(browser, live_system, run):
    context = browser.new_context(base_url=live_system.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(run + "reading/")
    page.get_by_role("link", name="Start a test").click()
    passages = page.locator(".passages > li")
    expect(passages).to_have_count(10)
    expect(page.get_by_text("borderline")).to_have_count(0)
    for i in range(10):
        passages.nth(i).get_by_label("does not fit" if i % 3 else "fits", exact=True).check()
    page.get_by_label("What they share").fill("Treaties")
    page.get_by_label("4", exact=True).check()
    page.get_by_role("button", name="Save my answers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Treaties")
    expect(page.get_by_text("borderline").first).to_be_visible()
    page.goto(run + "reading/")
    page.get_by_role("link", name="Start", exact=True).first.click()
    page.locator(".candidates button").first.click()
    page.goto(run + "reading/results/")
    expect(page.get_by_text("over 1 answer.")).to_be_visible()
    context.close()
