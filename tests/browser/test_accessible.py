"""Every page, as everybody needs it: axe-core in both themes on a desk and a phone, titles, zoom, print, no JavaScript.

The pages are those of tests/addresses.py, which a test keeps complete.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests import addresses

NAMES = [*addresses.OTHER, *addresses.PAGES]
CASES = [(name, query) for name in NAMES for query in ("", *addresses.STATES.get(name, []))]
WIDE, NARROW = 1440, 380
ZOOMED = (320, 720)  # 1280 px at 400%, 1440 px at 200%
PAPER = 718  # A4 at 96 px an inch, less margins of 10 mm
DRAWING = 400  # ms that charts take to follow the width
EXAMPLE = "State of the Union, 1790–2020"
DRAFT = "draft"
AXE = Axe()
WRONG = ("serious", "critical")


def case_name(case: tuple[str, str]) -> str:
    return "?".join(filter(None, case))


@pytest.fixture(params=CASES, ids=case_name)
def url(request, example) -> str:
    name, query = request.param
    corpus = example.draft if name == "corpus_prepare" else example.corpus
    return addresses.address(name, corpus, example.run) + (f"?{query}" if query else "")


def settled(page: Page, url: str) -> None:
    page.goto(url, wait_until="load")
    page.wait_for_function("() => document.fonts.status === 'loaded'")


def violations(page: Page) -> list[str]:
    found = AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{v['id']}: {v['help']}: {n['target']} {n['html'][:150]}" for v in found if v["impact"] in WRONG for n in v["nodes"]]


def wider_than_the_page(page: Page) -> list[str]:
    """What sticks out to the right, so that one would have to scroll sideways to read."""
    return page.evaluate(
        """() => document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
        [...document.querySelectorAll("body *")].filter((e) => !e.closest(".rooms, .scroll") && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .slice(0, 5).map((e) => e.outerHTML.slice(0, 150))"""
    )


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_axe_finds_nothing(page, url, width):
    page.set_viewport_size({"width": width, "height": 900})
    settled(page, url)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert violations(page) == [], theme
    assert wider_than_the_page(page) == []


def test_zoomed_in_nothing_sticks_out(page, url):
    settled(page, url)
    for width in ZOOMED:
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_timeout(DRAWING)
        assert wider_than_the_page(page) == [], width


def test_one_heading_and_a_sentence_at_the_top(page, url):
    settled(page, url)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert re.search(r"\w.*[.?]", page.locator("main .lede").first.inner_text(), re.S)


def test_without_javascript_the_page_says_the_same(browser, live_system, page, url):
    context = browser.new_context(base_url=live_system.url, java_script_enabled=False)
    plain = context.new_page()
    settled(page, url)
    plain.goto(url)
    expect(plain.get_by_role("heading", level=1)).to_be_visible()
    for heading in page.locator("main :is(h2, h3)").all_inner_texts():
        if heading.strip():
            expect(plain.locator("main :is(h2, h3)").get_by_text(heading, exact=True).first).to_be_visible()
    context.close()


def test_on_paper_it_is_ink_on_white(page, url):
    page.add_init_script("localStorage.setItem('theme', 'dark')")
    page.set_viewport_size({"width": PAPER, "height": 1000})
    settled(page, url)
    page.emulate_media(media="print")
    colours = page.evaluate("() => { const s = getComputedStyle(document.documentElement); return [s.backgroundColor, s.color] }")
    assert colours == ["rgb(255, 255, 255)", "rgb(30, 28, 25)"]
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("nav:visible, button:visible:not(.term), dialog:visible")).to_have_count(1)  # where one is
    assert wider_than_the_page(page) == []


def test_titles_tell_tabs_apart(page, example):
    """Each begins with what the page shows, and says of which corpus."""
    titles = {}
    for name in NAMES:
        corpus = example.draft if name == "corpus_prepare" else example.corpus
        settled(page, addresses.address(name, corpus, example.run))
        titles[name] = page.title()
        if name not in addresses.OF_ALL:
            assert (DRAFT if name == "corpus_prepare" else EXAMPLE) in titles[name], name
    assert len(set(titles.values())) == len(titles), titles


def test_what_opens_is_accessible_too(page, example):
    settled(page, f"{example.at}topics/")
    page.get_by_role("button", name="Coherence").click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys").click()
    assert violations(page) == []


def test_a_missing_page_is_accessible_too(browser, live_system):
    page = browser.new_page(base_url=live_system.url)
    settled(page, "/nowhere/")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert violations(page) == []
    page.close()
