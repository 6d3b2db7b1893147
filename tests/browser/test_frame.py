"""What all pages share: keys, and one topic lit wherever it stands, words explained."""

import re

import pytest
from playwright.sync_api import Page, expect


def focused(page: Page) -> str:
    return page.evaluate("() => document.activeElement.name || document.activeElement.tagName")


def test_keys_walk_through_the_run(page, example):
    page.goto(f"{example.at}topics/3/")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/topics/4/")
    page.keyboard.press("j")
    page.wait_for_url("**/topics/5/")
    page.keyboard.press("k")
    page.wait_for_url("**/topics/4/")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/topics/3/")
    for second, room in (("d", "documents"), ("w", "words"), ("t", "topics")):
        page.keyboard.type(f"g{second}")
        page.wait_for_url(f"**{example.at}{room}/")
    page.goto(f"{example.at}documents/0/")
    page.keyboard.press("ArrowLeft")  # there is none before the first
    page.keyboard.press("j")
    page.wait_for_url("**/documents/1/")


def test_the_last_topic_has_no_next(page, example):
    """The list of its documents goes on, but that is not the next topic."""
    page.goto(f"{example.at}topics/11/")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**/topics/10/")


def test_slash_finds_the_search(page, example):
    page.goto(f"{example.at}words/")
    page.keyboard.press("/")
    assert focused(page) == "word"
    page.keyboard.type("j/?g")  # what is typed is text, and no key
    assert page.locator("main input[type=search]").input_value() == "j/?g"
    page.goto(example.at)
    page.keyboard.press("/")
    page.wait_for_url("**/documents/#search")
    expect(page.locator("main input[type=search]")).to_be_focused()


def test_modifiers_leave_the_keys_to_the_browser(page, example):
    page.goto(f"{example.at}topics/3/")
    for key in ("Control+j", "Alt+j", "Meta+j", "Shift+ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("k")
    page.wait_for_url("**/topics/2/")


def test_the_list_of_keys(page, example):
    page.goto(f"{example.at}topics/")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    page.keyboard.press("j")  # nothing happens behind it
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert page.url.endswith("/topics/")
    opener = page.get_by_role("button", name="Keyboard shortcuts")
    opener.focus()
    page.keyboard.press("Enter")
    expect(dialog).to_be_visible()
    page.get_by_label("Use these keys").uncheck()
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()  # closed, the focus is where it was
    page.goto(f"{example.at}topics/3/")
    page.keyboard.press("j")
    page.keyboard.press("?")
    assert page.url.endswith("/topics/3/")
    expect(dialog).to_be_hidden()


def test_the_skip_link_comes_first(page, example):
    page.goto(f"{example.at}topics/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_topic_is_lit_everywhere(page, example):
    page.goto(f"{example.at}documents/3/")
    pick = page.locator("a.pick").first
    number = pick.get_attribute("data-topic")
    words = page.locator(f".w[data-topic='{number}']")
    before = words.first.bounding_box()
    pick.hover()
    expect(page.locator(".lit")).to_have_count(page.locator(f"[data-topic='{number}']").count())
    assert page.locator(".lit").count() > words.count() > 1
    assert words.first.bounding_box() == before
    page.get_by_role("heading", level=1).hover()
    expect(page.locator(".lit")).to_have_count(0)
    page.locator("a.pick").first.focus()
    expect(words.first).to_have_class(re.compile(r"\blit\b"))
    page.locator("a.pick").first.blur()
    expect(page.locator(".lit")).to_have_count(0)


def test_a_chart_hears_which_topic_is_lit(page, example):
    page.goto(example.at)
    page.evaluate(
        "() => { window.heard = []; document.addEventListener('topiclight', ({detail}) =>"
        " heard.push(detail)) }"
    )
    page.locator("[data-topics] li[data-topic='2']").hover()
    page.get_by_role("heading", level=1).hover()
    assert page.evaluate("() => heard")[-2:] == [2, None]
    page.locator("[data-chart=coherence] [data-plot]").evaluate(
        "e => e.dispatchEvent(new CustomEvent('topic', {detail: 5, bubbles: true}))"
    )
    expect(page.locator("[data-topics] li[data-topic='5']")).to_have_class(re.compile(r"\blit\b"))


@pytest.mark.parametrize("script", [True, False], ids=["with JavaScript", "without"])
def test_a_word_is_explained(browser, live_system, example, script):
    context = browser.new_context(base_url=live_system.url, java_script_enabled=script)
    page = context.new_page()
    page.goto(f"/corpora/{example.corpus}/")
    definition = page.get_by_role("dialog", name="clear, mixed and general topics")
    expect(definition).to_be_hidden()
    word = page.get_by_role("button", name="Clear topics")
    word.press("Enter")
    expect(definition).to_be_visible()
    expect(definition).to_contain_text("share their passages")
    page.keyboard.press("Tab")
    expect(definition.get_by_role("link")).to_be_focused()
    page.keyboard.press("Escape")
    expect(definition).to_be_hidden()
    expect(word).to_be_focused()
    page.emulate_media(media="print")
    expect(page.locator("#term-topic-kind")).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [1280, 380])
def test_the_tour(page, example, width):
    page.set_viewport_size({"width": width, "height": 800})
    panel = page.locator(".tour")
    page.goto(f"{example.at}topics/")
    expect(page.get_by_role("button", name="Take the tour")).to_be_visible()
    expect(panel).to_have_count(0)  # it never comes by itself, as it would cover the list
    page.goto(f"{example.at}overview/")
    page.get_by_role("button", name="Take a tour of two minutes").click()
    page.wait_for_url(f"**{example.at}overview/")
    expect(panel).to_contain_text("1 of 7")
    expect(panel).to_be_focused()
    box = panel.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 800
    places = (
        r"/topics/",
        r"/topics/\d+/",
        r"/documents/\d+/",
        r"/time/",
        r"/words/east/",
        r"/overview/",
    )
    for number, place in enumerate(places, 2):
        panel.get_by_role("button", name="Next").click()
        page.wait_for_url(
            re.compile(re.escape(example.at.rstrip("/")) + place + r"(\?topic=\d+)?$")
        )
        expect(panel).to_contain_text(f"{number} of 7")
        expect(panel).to_be_focused()
    panel.get_by_role("button", name="Back").press("Enter")
    page.wait_for_url("**/words/east/")
    for place in ("**/time/", "**/documents/*/*"):
        panel.get_by_role("button", name="Back").press("Enter")
        page.wait_for_url(place)
    page.goto("/glossary/")  # elsewhere it waits
    expect(page.locator("main")).to_be_visible()
    expect(panel).to_have_count(0)
    page.goto(f"{example.at}topics/")  # astray in the run, it leads back
    panel.get_by_role("button", name="Go back to the tour").click()
    page.wait_for_url("**/documents/*/*")
    expect(panel).to_contain_text("4 of 7")
    panel.get_by_role("button", name="End the tour").focus()
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(page.locator("main")).to_be_focused()
    page.reload()
    expect(page.get_by_role("button", name="Take the tour")).to_be_visible()
    expect(panel).to_have_count(0)
