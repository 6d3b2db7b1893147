"""Every page, as everybody needs it: axe-core in both themes on a desk and in one on a phone,
headings, the focus, the size of targets, zoom, print, no JavaScript, titles.

The pages are those of tests/addresses.py, which a test keeps complete. Each is loaded once with
scripts and once without, and says all that is wrong with it at once.
"""

import re
from collections.abc import Callable, Iterator
from html import unescape

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests import addresses
from tests.browser.conftest import EXAMPLE_NAME, PREPARING, SCREEN, watched
from tests.browser.controls import crowded_targets, unseen_focus

NAMES = [
    *addresses.OTHER,
    *addresses.PAGES,
    *(name for name in addresses.ELSEWHERE if f"{name}_json" in addresses.ELSEWHERE),
]
NAMES.remove("run_truth")  # only simulated texts have it: test_the_true_topics_of_simulated_texts
CASES = [(name, query) for name in NAMES for query in addresses.states(name)]
WIDE = 1440
NARROW = 380
ZOOMED = (320, 645, 720, 780)  # 1280 px at 400%, small windows and tablets, 1440 px at 200%
PAPER = 718  # A4 at 96 px an inch, less margins of 10 mm
# Whether Plotly's charts have followed the width, which they do after a while; those that are not
# shown do not
FOLLOWED = """() => [...document.querySelectorAll(".js-plotly-plot")].every((chart) => {
  const room = parseFloat(getComputedStyle(chart).width);
  const drawn = chart.querySelector(".main-svg").getBoundingClientRect().width;
  return !chart.checkVisibility() || Math.abs(drawn - room) <= 1;
})"""
# What else follows it does so in the next frame
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
COMPUTED = ("findings", "following", "answering", "counting")  # parts that wait for a worker
COMPUTING = 120_000  # ms that a worker may take for the findings of a set, on a busy machine
DRAFT = "draft"  # the name of the corpus that is not read yet
HEADINGS = "main :is(h1, h2, h3):visible"
# Contrast takes axe two thirds of its time. Of elements that look alike, and stand in what looks
# alike, one is asked for
ONE_OF_EACH_LOOK = """() => {
  const READ = ["color", "backgroundColor", "backgroundImage", "opacity", "fontSize", "fontWeight", "textShadow", "filter", "mixBlendMode", "position"];
  const rule = axe._audit.rules.find((rule) => rule.id === "color-contrast"), matches = rule.matches;
  let looks, numbers, asked;
  window.looks_are_new = () => { looks = new Map(), numbers = new WeakMap(), asked = new Set(); };
  const look = (e) => {
    if (!e) return 0;
    if (!numbers.has(e)) {
      const style = getComputedStyle(e);
      const said = [look(e.parentElement), e.localName, e.getAttribute("class"), ...READ.map((name) => style[name])].join("|");
      if (!looks.has(said)) looks.set(said, looks.size + 1);
      numbers.set(e, looks.get(said));
    }
    return numbers.get(e);
  };
  rule.matches = (node, ...more) => {
    if (asked.has(look(node)) || !matches.call(rule, node, ...more)) return false;
    return asked.add(look(node)), true;
  };
}"""


@pytest.fixture(scope="module")
def window(browser, live_system) -> Iterator[tuple[Page, list[str]]]:
    """One for all pages: a new one takes two seconds of the processor. With what went wrong in
    it."""
    wrong: list[str] = []
    with watched(browser, live_system, wrong) as page:
        yield page, wrong


@pytest.fixture
def page(window):
    page, wrong = window
    wrong.clear()
    page.emulate_media(media="screen", color_scheme="light")
    page.set_viewport_size(SCREEN)
    yield page
    assert not wrong


@pytest.fixture(params=CASES, ids=lambda case: "?".join(filter(None, case)))
def case(request) -> tuple[str, str]:
    return request.param


@pytest.fixture
def url(case, example) -> str:
    name, query = case
    return address(name, example) + (f"?{query}" if query else "")


def address(name: str, example) -> str:
    corpus = example.draft if name in addresses.OF_DRAFTS else example.corpus
    values = {
        "notebook_id": example.notebook,
        "token": example.token,
        "concept_id": example.concept,
    }
    return addresses.address(name, corpus, example.run, **values)


def settled(page: Page, url: str) -> None:
    page.goto(url)
    # A worker computes them: the page goes on by itself when they are there
    waiting = page.locator(", ".join(f"[data-part={part}]" for part in COMPUTED))
    expect(waiting).to_have_count(0, timeout=COMPUTING)
    page.wait_for_function("() => document.fonts.status === 'loaded'")


def violations(page: Page, **options) -> list[str]:
    """options: of axe.run."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
        page.evaluate(ONE_OF_EACH_LOOK)
    run = "(options) => { looks_are_new(); return axe.run(options); }"
    found = page.evaluate(run, {"resultTypes": ["violations"]} | options)["violations"]
    wrong = [v for v in found if v["impact"] in ("serious", "critical")]
    return [
        f"{v['id']}: {v['help']}: {node['target']} {node['html'][:150]}"
        for v in wrong
        for node in v["nodes"]
    ]


# Of the rules that axe has by itself, those of colours; the tag alone would begin one that is not
# (AAA)
COLOURS = {
    "runOnly": {"type": "tag", "values": ["cat.color"]},
    "rules": {"color-contrast-enhanced": {"enabled": False}},
}


def in_light(page: Page) -> list[str]:
    page.emulate_media(color_scheme="light")
    return [f"light: {violation}" for violation in violations(page)]


def in_dark(page: Page, **options) -> list[str]:
    page.emulate_media(color_scheme="dark")
    return [f"dark: {violation}" for violation in violations(page, **options)]


def at_the_top(page: Page) -> list[str]:
    """One heading of the first level, and a sentence that says what is seen: the overview has three
    (`short`), and what has nothing to show yet says so (`empty`)."""
    found = page.locator("main :is(.lede, .short, .empty)").all_inner_texts()
    headings = page.get_by_role("heading", level=1).count()
    wrong = [] if headings == 1 else [f"{headings} headings of level 1"]
    return (
        wrong
        if found and re.search(r"\w.*[.?]", found[0], re.S)
        else [*wrong, f"no .lede with a sentence: {found}"]
    )


def too_wide(page: Page) -> list[str]:
    """What sticks out to the right, so that one would have to scroll sideways to read."""
    return page.evaluate("""() => {
          const width = document.documentElement.clientWidth;
          if (document.documentElement.scrollWidth <= width) return [];
          const out = (e) => !e.closest(".rooms, .scroll") && e.getBoundingClientRect().right > width + 1;
          return [...document.querySelectorAll("body *")].filter(out).slice(0, 5).map((e) => `too wide at ${width}: ${e.outerHTML.slice(0, 150)}`);
        }""")


def resized(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(NEXT_FRAME)
    page.wait_for_function(FOLLOWED)


def on_a_phone(page: Page, theme: Callable) -> list[str]:
    resized(page, NARROW, 800)
    return theme(page) + too_wide(page) + crowded_targets(page)


def zoomed_in(page: Page) -> list[str]:
    found = []
    for width in ZOOMED:
        resized(page, width, 700)
        found += too_wide(page)
    return found


def on_paper(page: Page) -> list[str]:
    """Ink on white, whatever theme was chosen, and nothing that only works on a screen."""
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    page.emulate_media(media="print")
    resized(page, PAPER, 1000)
    paper, ink = page.evaluate(
        "() => { const s = getComputedStyle(document.documentElement); return [s.backgroundColor,"
        " s.color] }"
    )
    wrong = (
        []
        if (paper, ink) == ("rgb(255, 255, 255)", "rgb(30, 28, 25)")
        else [f"printed in {ink} on {paper}"]
    )
    controls = page.locator(
        "nav:not(.crumbs):visible, button:not(.term):visible, dialog:visible"
    ).all()
    wrong += [f"printed: {control.evaluate('e => e.outerHTML')[:150]}" for control in controls]
    return wrong + too_wide(page)


@pytest.fixture(scope="module")
def plain(browser, live_system):
    """A page without JavaScript."""
    context = browser.new_context(base_url=live_system.url, java_script_enabled=False)
    yield context.new_page()
    context.close()


def without_javascript(plain: Page, url: str, headings: list[str]) -> list[str]:
    """Each section is there."""
    plain.goto(url)
    there = plain.locator(HEADINGS).all_inner_texts()
    return [
        f"not there without JavaScript: {heading}" for heading in headings if heading not in there
    ]


def barriers(page: Page, plain: Page, url: str, on_phones: Callable = in_light) -> list[str]:
    """All that is wrong with a page. on_phones: the theme there. A theme changes colours alone, so
    only these are looked at again in the other one."""
    page.set_viewport_size({"width": WIDE, "height": 900})
    settled(page, url)
    headings = page.locator(HEADINGS).all_inner_texts()
    assert headings
    wrong = in_light(page) + in_dark(page, **COLOURS)
    wrong += at_the_top(page) + too_wide(page)
    wrong += crowded_targets(page) + unseen_focus(page)
    return (
        wrong
        + on_a_phone(page, on_phones)
        + zoomed_in(page)
        + on_paper(page)
        + without_javascript(plain, url, headings)
    )


def test_a_page_as_everybody_needs_it(page, plain, case, url):
    """What only phones show stands in the frame of all pages: each has it in one theme, the next
    one in the other."""
    wrong = barriers(page, plain, url, (in_light, in_dark)[CASES.index(case) % 2])
    assert not wrong, "\n".join(wrong)


def test_the_true_topics_of_simulated_texts(page, plain):
    """The one page of a run that the example lacks, by the way that a reader takes to it."""
    page.goto("/simulate/")
    for label, value in {
        "Documents": 40,
        "Words in a document": 30,
        "Topics": 3,
        "Different words": 60,
    }.items():
        page.get_by_label(re.compile(f"^{label}( |$)")).first.fill(str(value))
    page.get_by_role("button", name="Simulate the texts").click()
    # It trains by itself, and leads there
    page.wait_for_url("**/runs/*/overview/", timeout=PREPARING)
    page.get_by_role("link", name="compare the topics with the true ones").click()
    page.wait_for_url("**/truth/")
    wrong = barriers(page, plain, page.url)
    assert not wrong, "\n".join(wrong)


def test_titles_tell_tabs_apart(page, example):
    """No two are alike, and each says of which corpus it is."""
    titles = {}
    for name in sorted({*NAMES} - {"run_forming"}):  # which leads to the run's own page
        answer = page.request.get(f"{address(name, example)}?{addresses.states(name)[0]}")
        text = answer.text()
        titles[name] = " ".join(unescape(re.search(r"<title>(.*?)</title>", text, re.S)[1]).split())
        if name not in (*addresses.OF_ALL, *addresses.ELSEWHERE):
            assert (DRAFT if name in addresses.OF_DRAFTS else EXAMPLE_NAME) in titles[name], name
    assert [name for name, title in titles.items() if list(titles.values()).count(title) > 1] == []


def test_what_opens_is_accessible_too(page, example):
    settled(page, f"/corpora/{example.corpus}/")
    page.get_by_role("button", name="Clear topics").first.click()
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    assert violations(page) == []


def test_pale_words_are_found_where_many_look_alike(browser, live_system, example):
    """One of all rows in one theme, and one of them alone in the other."""
    page = browser.new_page(base_url=live_system.url, bypass_csp=True)
    settled(page, f"{example.at}topics/?view=list")
    assert violations(page) == []
    page.add_style_tag(
        content="@media (prefers-color-scheme: light) { main td { color: #bbb !important } }"
    )
    assert any(violation.startswith("color-contrast") for violation in violations(page))
    page.emulate_media(color_scheme="dark")
    assert violations(page, **COLOURS) == []
    page.add_style_tag(content="main tr:nth-child(5) td { color: #444 !important }")
    assert any(violation.startswith("color-contrast") for violation in violations(page, **COLOURS))
    page.close()


def test_a_missing_page_is_accessible_too(browser, live_system):
    page = browser.new_page(base_url=live_system.url)
    settled(page, "/nowhere/")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert violations(page) == []
    page.close()


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("a:focus-visible { outline: none !important }", "focus not shown"),
        ("nav { overflow: hidden; height: 1px; width: 9px }", "focus cut off"),
        ("footer { position: fixed; inset: 0; background: red }", "focus under"),
    ],
)
def test_a_focus_that_is_not_seen_is_found(browser, live_system, css, found):
    page = browser.new_page(base_url=live_system.url, bypass_csp=True)
    settled(page, "/lessons/what-is-it-about/")
    assert unseen_focus(page) == []
    page.add_style_tag(content=css)
    assert any(wrong.startswith(found) for wrong in unseen_focus(page))
    page.close()


def test_targets_that_are_small_and_crowded_are_found(browser, live_system):
    page = browser.new_page(base_url=live_system.url, bypass_csp=True)
    settled(page, "/lessons/what-is-it-about/")
    assert crowded_targets(page) == []
    page.add_style_tag(content="footer a { font-size: 4px !important; margin: 0 !important }")
    page.add_style_tag(content="footer nav { gap: 0 !important; display: block !important }")
    assert any(" px: <a " in wrong for wrong in crowded_targets(page))
    page.close()
