"""The rooms of a run in a browser: the bar of ticked topics, menus by keyboard, the chosen documents while one goes from
room to room, and how much of the first screen is content."""

import re

import pytest
from playwright.sync_api import expect


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
        expect(page.locator(".set-chip")).to_contain_text("1800–1850")
        assert "from=1800" in page.url
    page.locator(".menu summary", has_text="Actions").press("Enter")
    page.get_by_role("link", name="Labels and notes").click()
    expect(page.locator(".set-chip")).to_contain_text("1800–1850")
    page.get_by_role("link", name="Take off: all documents").click()
    expect(page.locator(".set-chip")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (380, 800), (720, 450)])  # the last is 200% of the first
@pytest.mark.parametrize(("place", "content"), [("topics/", "table.topics tbody tr"), ("topics/1/", "#words")])
def test_content_begins_in_the_first_screen(page, example, width, height, place, content):
    page.set_viewport_size({"width": width, "height": height})
    page.goto(example.at + place)
    assert page.locator(content).first.bounding_box()["y"] < height
