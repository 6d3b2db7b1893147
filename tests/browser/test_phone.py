"""Pages on a phone, 380 by 844 pixels: what a page is for begins in its first screen, and the button
of a long form is in sight."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PREPARING

PHONE = {"width": 380, "height": 844}
TEXT_BEGINS = 560  # pixels from the top, at most
CHOICES = 4  # screens of a phone that Prepare has at most when its choices are opened
FOUND_BEGINS = 680  # pixels from the top, at most
LINE = 48  # pixels of a line of controls, at most
TABLE_BEGINS = 300  # pixels from the top of a wide window, at most


@pytest.fixture
def phone(page: Page) -> Page:
    page.set_viewport_size(PHONE)
    return page


def top(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    return box["y"]


def is_in_sight(page: Page, selector: str) -> bool:
    """Whether all of it is in the window, with nothing over it."""
    return page.locator(selector).evaluate(
        """(element) => {
          const box = element.getBoundingClientRect();
          const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return box.top >= 0 && box.bottom <= innerHeight && element.contains(middle);
        }"""
    )


def test_the_text_of_a_document_is_on_the_first_screen(phone: Page, example):
    phone.goto(f"{example.at}documents/2/")
    assert top(phone, ".in-short") < top(phone, "#text") < TEXT_BEGINS
    assert top(phone, ".proportions") > top(phone, "#text"), "all its topics are below"
    names = phone.locator(".in-short [data-show]")
    assert names.count() == 3
    names.first.press("Enter")
    expect(names.first).to_have_attribute("aria-pressed", "true")
    expect(phone.locator("[data-marked]")).to_contain_text("counted words")
    phone.set_viewport_size({"width": 1280, "height": 900})
    expect(phone.locator(".in-short")).to_be_hidden()
    assert top(phone, ".proportions") < 900, "beside the text"


def test_the_long_name_of_a_family_does_not_leave_the_screen(phone: Page, example):
    """Below the map, where a page says which colour is which family's."""
    phone.goto(f"{example.at}topics/?view=map")
    name = phone.locator(".colours bdi").first
    name.evaluate(
        "(name) => { name.textContent = 'Agriculture & farmers · Interstate commerce & corporations'; }"
    )
    box = name.bounding_box()
    assert box["x"] + box["width"] <= PHONE["width"]


def test_the_order_of_a_document_is_that_of_the_screen(phone: Page, example):
    phone.goto(f"{example.at}documents/2/")
    places = phone.locator("h1, .in-short, #text, .margin").evaluate_all(
        "(parts) => parts.map((part) => part.getBoundingClientRect().top)"
    )
    assert len(places) == 4 and places == sorted(places)


def test_the_button_of_prepare_is_always_in_sight(phone: Page, example):
    phone.goto(f"/corpora/{example.draft}/prepare/")
    button = ".always-in-sight button.primary"
    assert is_in_sight(phone, button)
    phone.get_by_text("Change how it is read").click()
    phone.locator("details.fold > summary", has_text="Words").click()
    field = phone.get_by_label("Leave out words in fewer documents than")
    field.focus()
    assert is_in_sight(phone, button)
    assert is_in_sight(phone, "#" + (field.get_attribute("id") or ""))
    phone.get_by_role("button", name="Preview").scroll_into_view_if_needed()
    assert is_in_sight(phone, button)
    height = phone.locator(button).bounding_box()
    assert height is not None and height["height"] >= 44


def test_what_few_change_is_folded_on_a_phone(phone: Page, example):
    phone.goto(f"/corpora/{example.draft}/prepare/")
    phone.get_by_text("Change how it is read").click()
    lines = phone.locator("details.fold > summary")
    assert lines.count() == 3
    expect(lines.nth(0)).to_contain_text("text “")
    expect(lines.nth(1)).to_contain_text("English · in at least")
    expect(phone.get_by_label("Leave out words in fewer documents than")).to_be_hidden()
    assert phone.evaluate("document.documentElement.scrollHeight") <= CHOICES * PHONE["height"]
    phone.set_viewport_size({"width": 1280, "height": 900})
    phone.reload()
    phone.get_by_text("Change how it is read").click()
    expect(phone.get_by_label("Leave out words in fewer documents than")).to_be_visible()


def test_the_choices_of_the_table_of_time_are_one_line(page: Page, example):
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{example.at}time/table/")
    tools = page.locator(".in-a-line").bounding_box()
    assert tools is not None and tools["height"] <= LINE
    assert top(page, ".shades") < TABLE_BEGINS
    assert page.locator("main .page-tools").count() == 1
    order = page.get_by_role("navigation", name="Order")
    order.locator("summary").press("ArrowDown")
    expect(order.get_by_role("link", name="time")).to_be_focused()
    order.get_by_role("link", name="number").click()
    expect(order.locator("summary")).to_have_text("rows by number")
    page.get_by_text("Choose documents").click()
    panel = page.locator(".choose-set form").bounding_box()
    assert panel is not None and panel["width"] > 400, "as wide as it needs, not as its button"


def test_documents_that_are_found_begin_in_the_first_screen(phone: Page, example):
    phone.goto(f"{example.at}documents/?q=gold")
    assert top(phone, ".results h3") < FOUND_BEGINS
    search = phone.get_by_role("searchbox")
    search.focus()
    expect(phone.locator("#q-help")).to_be_visible()


@pytest.mark.parametrize("place", ["documents/2/", "time/table/", "topics/1/"])
def test_where_one_is_takes_one_line_of_a_phone(phone: Page, example, place):
    phone.goto(example.at + place)
    crumbs = phone.locator(".crumbs").bounding_box()
    assert crumbs is not None and crumbs["height"] < 40
    last = phone.locator(".crumbs li").last.bounding_box()
    assert last is not None and last["x"] + last["width"] <= PHONE["width"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_words_of_related_topics_have_the_width_of_a_phone(phone: Page, example):
    """Beside a long name they had a column of one letter."""
    phone.goto(f"{example.at}topics/1/")
    words = phone.locator(".neighbours .words")
    assert words.count()
    for place in range(words.count()):
        box = words.nth(place).bounding_box()
        assert box is not None and box["width"] > PHONE["width"] / 2


def test_rows_that_are_left_out_are_counted_and_come_when_asked_for(phone: Page, example):
    phone.goto(f"{example.at}overview/")
    expect(phone.locator(".findings-foot")).to_be_visible(timeout=PREPARING)
    section = phone.locator("section:has(> .further-rows)").first
    left_out = section.locator(".further")
    more = section.locator(".further-rows summary")
    expect(more.get_by_text(f"{left_out.count()} more")).to_be_visible()
    expect(left_out.first).to_be_hidden()
    more.click()
    expect(left_out.last).to_be_visible()
    expect(more.get_by_text("Fewer")).to_be_visible()
    more.click()
    expect(left_out.first).to_be_hidden()


def test_every_line_of_the_overview_leads_to_its_passages_on_a_phone(phone: Page, example):
    """The first page promises it, and a phone has no pointer that could rest on a line."""
    phone.goto(f"{example.at}overview/")
    expect(phone.locator(".findings-foot")).to_be_visible(timeout=PREPARING)
    lines = phone.locator(".row-acts:not(.family-lines *):not(.further *)")
    assert lines.count()
    in_rows = ".rows *, .words-of-time *, .groups *"
    for acts in phone.locator(
        f".row-acts:not(.family-lines *):not(.further *):not({in_rows})"
    ).all():
        expect(acts.locator("a").first).to_be_visible()
    # A row's number, or its word, leads there
    rows = phone.locator(
        ":is(.rows > li, :is(.words-of-time, .groups) tbody tr):not(.further):not(.row-head)"
    )
    for row in rows.all():
        passages = row.locator(".row-acts a").first.get_attribute("href")
        expect(row.locator(f'a[href="{passages}"]:visible')).to_have_count(1)
    acts = lines.first
    expect(acts.get_by_role("button", name="Pin")).to_be_hidden()
    acts.locator(".more-acts summary").click()
    expect(acts.get_by_role("button", name="Pin")).to_be_visible()
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_what_can_be_done_with_a_family_lies_over_no_link(page: Page, example):
    """A press on the second topic of a family hit “Topics”."""
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{example.at}overview/")
    expect(page.locator(".findings-foot")).to_be_visible(timeout=PREPARING)
    family = page.locator(".family-lines li:has(.row-acts)").first
    family.hover()
    expect(family.get_by_role("button", name="Pin")).to_be_visible()
    covered = page.evaluate(
        """() => [...document.querySelectorAll(".family-lines .row-acts")].flatMap((acts) => {
          const over = acts.getBoundingClientRect();
          const links = [...acts.closest("li").querySelectorAll("a")];
          return links.filter((link) => !acts.contains(link)).filter((link) =>
            [...link.getClientRects()].some((box) =>
              box.left < over.right - 1 && over.left < box.right - 1
              && box.top < over.bottom - 1 && over.top < box.bottom - 1));
        }).map((link) => link.innerText)"""
    )
    assert covered == []


def test_the_choices_of_the_list_of_topics_are_lines_of_their_own(phone: Page, example):
    """The Pin is beside the number of families, and what is said of peaks is not where they are not
    written."""
    phone.goto(f"{example.at}topics/?view=list")
    pin = phone.locator(".page-tools details.pin > summary").bounding_box()
    families = phone.locator(".page-tools nav.families").bounding_box()
    assert pin is not None and families is not None
    assert abs(pin["y"] + pin["height"] / 2 - families["y"] - families["height"] / 2) < LINE / 2
    expect(phone.locator(".of-peaks").first).to_be_hidden()
    phone.set_viewport_size({"width": 1280, "height": 900})
    expect(phone.locator(".of-peaks").first).to_be_visible()


def test_the_foot_of_a_page_has_two_lines(phone: Page, example):
    phone.goto(f"{example.at}time/")
    foot = phone.locator(".colophon").bounding_box()
    assert foot is not None and foot["height"] < 2 * LINE
    for name in ("Lessons", "Glossary"):
        expect(phone.locator(".colophon").get_by_role("link", name=name)).to_be_visible()


def test_the_numbers_below_the_charts_begin_in_one_line(phone: Page, example):
    phone.goto(f"{example.at}time/")
    for name in ("table", "choose"):
        section = phone.locator(f"section[aria-labelledby={name}]")
        heading = section.locator("h2").bounding_box()
        summary = section.locator("summary").bounding_box()
        assert heading is not None and summary is not None
        assert summary["y"] < heading["y"] + heading["height"]
        assert summary["height"] < LINE
