"""What a reader sees of results: how long pages are on a phone and on paper, and that names stand
beside their numbers."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PREPARING

PHONE = {"width": 380, "height": 780}
SCREENS = 5  # of a phone, that an overview has at most
# Pixels of half of the topics' rows on a phone, at most: a name of two lines with its share, and its
# words with their course below
ROW = 85
LINE = 27  # of half of the topics' rows on a wide screen, at most
MARGIN = 160  # below a list of topics, with what is said of it
SIDES = ("top", "right", "bottom", "left")
PRINTED = 2  # pages of A4
_PAGE_OF_PDF = re.compile(rb"/Type\s*/Page\b(?!s)")
# Whether two texts of a picture's axis lie on each other
CROWDED = """() => [...document.querySelectorAll('svg.axis')].filter((axis) => {
  const texts = [...axis.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
    .filter((box) => box.width);
  return texts.some((box, i) => i && box.left < texts[i - 1].right + 1);
}).map((axis) => axis.textContent)"""


def open_overview(page: Page, at: str) -> None:
    page.goto(f"{at}overview/")
    expect(page.locator(".findings-foot")).to_be_visible(timeout=PREPARING)


def test_an_overview_has_few_screens_of_a_phone(page: Page, example):
    page.set_viewport_size(PHONE)
    open_overview(page, example.at)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= SCREENS * PHONE["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_an_overview_is_printed_on_two_pages(page: Page, example):
    open_overview(page, example.at)
    printed = page.pdf(format="A4", margin=dict.fromkeys(SIDES, "1cm"))
    assert 1 <= len(_PAGE_OF_PDF.findall(printed)) <= PRINTED


def test_an_overview_calls_every_interval_by_one_name(page: Page, example):
    open_overview(page, example.at)
    head = page.locator(".rows > .row-head")
    if head.count():  # two passes make topics of which hardly one changes
        expect(head).to_contain_text("times as much, or times less interval")
    expect(page.locator("main")).not_to_contain_text("any number")
    expect(page.locator("main")).not_to_contain_text(re.compile("strict interval|% interval"))


def test_a_topic_takes_few_lines_of_a_phone(page: Page, example):
    page.set_viewport_size(PHONE)
    page.goto(f"{example.at}topics/")
    rows = page.locator(".overview.topics tbody tr[data-topic]")
    assert rows.count() > 5
    heights = [row.bounding_box()["height"] for row in rows.all()]
    assert sorted(heights)[len(heights) // 2] <= ROW
    name = rows.first.locator(".chip").bounding_box()
    share = rows.first.locator("td.n").first.bounding_box()
    assert name["y"] < share["y"] + share["height"] and name["x"] < share["x"], "on one line"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_boxes_of_topics_come_on_a_phone_when_they_are_asked_for(page: Page, example):
    page.set_viewport_size(PHONE)
    page.goto(f"{example.at}topics/?view=list")
    box = page.locator(".pick-cell input").first
    expect(box).to_be_hidden()
    page.get_by_label("Tick topics").press("Space")
    box.check()
    expect(page.get_by_role("button", name="Compare words")).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.reload()
    expect(page.get_by_label("Tick topics")).to_be_hidden()
    expect(box).to_be_visible()


def test_topics_can_be_ticked_below_a_map_whose_list_began_empty(page: Page, example):
    page.set_viewport_size(PHONE)
    page.goto(f"{example.at}topics/?view=map&word=zzzz")
    expect(page.get_by_label("Tick topics")).to_be_hidden()
    page.evaluate(
        "async () => (await import(document.querySelector('script[src*=\"js/topics.\"]').src))"
        ".show(location.pathname + '?view=map')"
    )
    page.get_by_label("Tick topics").press("Space")
    expect(page.locator(".pick-cell input").first).to_be_visible()


def test_topics_whose_difference_may_be_chance_are_on_paper(page: Page, example):
    page.goto(f"{example.at}time/compare/?from_a=1800&to_a=1850&from_b=1950&to_b=2000")
    topic = page.locator("section[aria-labelledby=unsure] .chip").first
    expect(topic).to_be_hidden()
    page.emulate_media(media="print")
    expect(topic).to_be_visible()


def test_differences_are_no_wider_than_a_phone(page: Page, example):
    page.set_viewport_size(PHONE)
    for address in ("effects/", "compare/?in_a=party:Whig&in_b=party:Republican"):
        page.goto(f"{example.at}time/{address}")
        expect(page.locator("main h1")).to_be_visible()
        page.get_by_text(re.compile("^Compare (something else|other documents)$")).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], address
        folded = page.locator("main details.rest > summary")
        if folded.count():
            folded.first.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], address


def test_choosing_a_group_empties_the_dates_that_were_proposed(page: Page, example):
    """Of a group all documents are meant, not those of the half that the form proposed. What
    somebody has typed stays."""
    page.goto(f"{example.at}time/compare/")
    days = page.locator("form.two [data-proposed]")
    expect(days).to_have_count(4)
    assert all(day.input_value() for day in days.all())
    page.fill("#from-b", "1950")
    page.select_option("#in-a", "party:Republican")
    assert [day.input_value() for day in days.all()] == ["", "", "1950", ""]


def test_a_phone_has_the_ratio_that_the_page_relies_on(page: Page, example):
    page.set_viewport_size(PHONE)
    page.goto(f"{example.at}time/compare/?from_a=1800&to_a=1850&from_b=1950&to_b=2000")
    ratio = page.locator("td.ratio").first
    expect(ratio).to_be_visible()
    expect(ratio).to_contain_text(re.compile("times|only here"))


def test_a_link_to_a_topic_marks_its_line(page: Page, example):
    """Also where the line is in a table that is closed."""
    address = f"{example.at}time/compare/?from_a=1800&to_a=1850&from_b=1950&to_b=2000"
    page.goto(address)
    line = page.locator("section[aria-labelledby=unsure] tbody tr").first
    page.goto(f"{address}#{line.get_attribute('id')}")
    page.reload()
    expect(line).to_be_visible()


def test_names_in_tables_of_groups_are_not_cut(page: Page, example):
    open_overview(page, example.at)
    cut = page.evaluate(
        "[...document.querySelectorAll('.groups .topic')]"
        ".filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)"
    )
    assert cut == []


def test_years_of_an_axis_do_not_lie_on_each_other(page: Page, example):
    for width in (1440, 1100, 380):
        page.set_viewport_size({"width": width, "height": 900})
        open_overview(page, example.at)
        assert page.evaluate(CROWDED) == []


def test_rows_of_the_table_of_time_have_names(page: Page, example):
    page.goto(f"{example.at}time/table/")
    names = page.locator(".shades tbody th")
    assert names.count() > 5
    for name in names.all():
        expect(name).to_be_visible()
    head = page.locator(".shades thead th").nth(1).bounding_box()
    cell = page.locator(".shades tbody tr").first.locator("td").first.bounding_box()
    assert abs(head["x"] - cell["x"]) < 3


@pytest.mark.parametrize("chosen", ["", "&topics=2"])
def test_a_group_of_a_chart_opens_its_passages(page: Page, example, chosen):
    """In small charts and in that of one topic."""
    page.goto(f"{example.at}time/?by=party{chosen}")
    figure = page.locator("figure[data-topic]").first
    name = figure.locator("svg text.row").filter(has_text=re.compile("Republican"))
    name.last.hover()
    expect(figure.locator("output")).to_contain_text("Republican")
    name.last.click()
    topic = figure.get_attribute("data-topic")
    page.wait_for_url(re.compile(rf"by=party.*topics={topic}.*bin=.*Republican#passages"))
    expect(page.get_by_role("heading", name="in Republican")).to_be_visible()


def test_a_topic_takes_a_line_of_a_wide_list(page: Page, example):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{example.at}topics/?view=list")
    rows = page.locator(".overview.topics tbody tr[data-topic]")
    heights = [row.bounding_box()["height"] for row in rows.all()]
    assert sorted(heights)[len(heights) // 2] <= LINE
    table = page.locator(".overview.topics").bounding_box()
    foot = page.locator(".colophon").bounding_box()
    assert foot["y"] - table["y"] - table["height"] < MARGIN, "no room for buttons that are hidden"
