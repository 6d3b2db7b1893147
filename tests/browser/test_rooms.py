"""The rooms of a run in a browser: the bar of ticked topics, menus by keyboard, the chosen
documents while one goes from room to room, and how much of the first screen is content."""

import re

import pytest
from playwright.sync_api import Route, expect


def test_ticked_topics_have_a_bar_that_stays_in_view(page, example):
    page.set_viewport_size({"width": 1280, "height": 700})
    page.goto(f"{example.at}topics/")
    bar = page.get_by_role("group", name="With the ticked topics")
    expect(bar).to_be_hidden()
    ticks = page.locator(".pick-cell input")
    numbers = [ticks.nth(i).get_attribute("value") for i in (0, 1)]
    for i in (0, 1):
        ticks.nth(i).focus()
        page.keyboard.press("Space")
    expect(bar).to_be_in_viewport()
    bar.get_by_role("button", name="Compare words").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/topics/\?.*view=grid"))
    assert sorted(numbers, key=int) == re.search(r"topics=([\d,]+)", page.url)[1].split(",")


def test_chosen_documents_stay_from_room_to_room(page, example):
    page.goto(f"{example.at}documents/?from=1800&to=1850")
    for room in ("Topics", "Time", "Words", "Documents"):
        page.locator(".rooms").get_by_role("link", name=room, exact=True).click()
        expect(page.locator(".set-said")).to_contain_text(
            re.compile("from 1800.*to 1850", re.DOTALL)
        )
        assert "from=1800" in page.url
    page.locator(".menu summary", has_text="Actions").press("Enter")
    page.get_by_role("link", name="Labels and notes").click()
    expect(page.locator(".set-said")).to_contain_text(re.compile("from 1800.*to 1850", re.DOTALL))
    page.get_by_role("link", name="Take off: all documents").click()
    expect(page.locator(".set-chip")).to_have_count(0)


def test_menus_are_used_by_arrows_and_closed_by_escape(page, example):
    page.goto(f"{example.at}topics/")
    actions, export = (page.locator(".menu", has_text=name) for name in ("Actions", "Export"))
    actions.locator("summary").press("ArrowDown")
    expect(actions.locator("ul a").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(actions.locator("ul a").last).to_be_focused()
    page.keyboard.press("Escape")
    expect(actions.locator("summary")).to_be_focused()
    expect(actions.locator("ul")).to_be_hidden()
    export.locator("summary").press("Enter")
    expect(export.locator("ul")).to_be_visible()
    page.get_by_role("heading", level=1).click()
    expect(export.locator("ul")).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (720, 450), (380, 800)])
@pytest.mark.parametrize(
    ("place", "content"), [("topics/", "table.topics tbody tr"), ("topics/1/", "#words")]
)
def test_content_begins_in_the_first_screen(page, example, width, height, place, content):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(example.at + place)
    assert page.locator(content).first.bounding_box()["y"] < height


@pytest.mark.parametrize("width", [1280, 640, 380])
@pytest.mark.parametrize("place", ["overview/", "topics/"])
def test_the_rooms_do_not_lie_over_the_head_of_the_page(page, example, width, place):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(example.at + place)
    head = page.locator(".masthead").bounding_box()
    assert page.locator(".run-bar").bounding_box()["y"] >= head["y"] + head["height"] - 0.5


@pytest.mark.parametrize("width", [1280, 380])
@pytest.mark.parametrize(
    "markup", ['<ul class="messages"><li>Saved.</li></ul>', '<p class="notice recorded">Kept.</p>']
)
def test_what_is_said_above_the_menus_does_not_lie_under_them(page, example, width, markup):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{example.at}topics/")
    room = page.evaluate(
        """(markup) => {
          const main = document.querySelector("main");
          main.insertAdjacentHTML("afterbegin", markup);
          const bar = main.querySelector(".run-bar").getBoundingClientRect();
          return bar.top - main.firstElementChild.getBoundingClientRect().bottom;
        }""",
        markup,
    )
    assert room >= 0


def test_a_passage_is_pinned_and_cited_by_keyboard(page, example):
    page.goto(f"{example.at}documents/?q=gold")
    page.get_by_role("link", name="Cite or pin").first.press("Enter")
    page.wait_for_url(re.compile(r"/passages/\d+-\d+/"))
    page.get_by_role("button", name="Copy MLA").press("Enter")
    expect(page.locator("[data-copied]")).to_have_text(
        re.compile("Copied: MLA|could not be copied")
    )
    page.locator("details.pin summary").last.press("Enter")
    page.locator("details.pin").last.get_by_role("button", name="Pin").press("Enter")
    expect(page.get_by_text("Pinned in")).to_be_visible()
    page.get_by_role("link", name="Read it in the document").press("Enter")
    expect(page.locator("#passage")).to_be_in_viewport()


def test_a_passage_is_dragged_into_a_notebook(page, example):
    # None that another test pinned: a notebook has each once
    page.goto(f"{example.at}documents/?q=treaty")
    link = page.get_by_role("link", name="Cite or pin").first
    link.hover()
    page.mouse.down()
    page.mouse.move(600, 400, steps=5)
    zone = page.locator(".drop-tray p").first
    expect(zone).to_be_visible()
    box = zone.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10, steps=5)
    page.mouse.up()
    expect(page.get_by_text("Pinned in")).to_be_visible()


def test_notebooks_are_not_offered_once_a_passage_was_let_go(page, example):
    page.goto(f"{example.at}documents/?q=gold")
    passages: list[Route] = []
    page.route("**/passages/**", lambda route: passages.append(route))
    link = page.get_by_role("link", name="Cite or pin").first
    link.dispatch_event("dragstart")
    link.dispatch_event("dragend")
    page.wait_for_timeout(200)
    assert len(passages) == 1
    with page.expect_response("**/passages/**"):
        passages[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator(".drop-tray")).to_be_hidden()


def test_a_pinned_chart_is_drawn_in_its_notebook(page, example):
    page.goto(f"{example.at}time/")
    page.locator(".page-tools details.pin summary").press("Enter")
    # Another test may have pinned this page in the notebook of the corpus
    page.locator(".page-tools details.pin select").select_option("new")
    page.locator(".page-tools details.pin").get_by_role("button", name="Pin").press("Enter")
    page.get_by_role("status").get_by_role("link").press("Enter")
    expect(page.locator(".piece .plot .main-svg").first).to_be_visible()


def test_words_that_are_marked_in_a_text_get_an_address(page, example):
    page.goto(f"{example.at}documents/2/")
    page.evaluate(
        "getSelection().setBaseAndExtent(document.querySelector('#text .w').firstChild, 0,"
        " document.querySelectorAll('#text .w')[9].firstChild, 2)"
    )
    link = page.get_by_role("link", name="Cite, link to or pin the marked passage")
    expect(link).to_have_attribute("href", re.compile(r"/documents/2/passages/\d+-\d+/$"))
    link.click()
    expect(page.locator("blockquote")).not_to_be_empty()


def test_steering_leads_to_what_changed(page, example):
    page.goto(f"{example.at}steer/?topics=1,2")
    for box in page.locator("input[name=merge]").all():
        box.check()
    page.get_by_label("Never these words").fill("zyzzyva")
    page.get_by_role("button", name="Continue training from here").click()
    expect(page.get_by_label("Never these words")).to_have_value("zyzzyva")  # not a word of the run
    assert [box.is_checked() for box in page.locator("input[name=merge]").all()] == [True, True]
    page.get_by_label("Never these words").fill("railroad")
    page.get_by_role("button", name="Continue training from here").click()
    page.wait_for_url(re.compile(r"/compare/\?run="), timeout=120_000)
