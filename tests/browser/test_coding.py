"""Eight coders at once, each in a browser of their own, without the mouse: nothing is lost, and
nothing coded twice."""

import csv
import io
import re
from collections import Counter

from playwright.sync_api import Locator, Page, Route, expect

DRAWN = 40
CODERS = 8
SAME_HEIGHT = 10  # pixels
# A coder must not learn of the topics; a text may well have the word "philanthropic".
TOPIC = re.compile(r"\btopics?\b", re.IGNORECASE)


def begins_beside(part: Locator, other: Locator) -> bool:
    """Whether the two begin at one height."""
    box, other_box = part.bounding_box(), other.bounding_box()
    assert box is not None and other_box is not None
    return abs(box["y"] - other_box["y"]) < SAME_HEIGHT


def test_eight_coders_at_once(page: Page, example, browser, live_system, wrong):
    page.goto(f"{example.at}topics/2/")
    page.get_by_role("link", name="Define a concept").click()
    page.get_by_label("Name", exact=True).fill("war")
    page.get_by_label("Definition").fill("The speech is mostly about war.")
    page.get_by_role("button", name="Add the concept").click()
    page.get_by_label("How many").fill(str(DRAWN))
    page.get_by_label("Percent that two readers code").fill("50")
    page.get_by_role("button", name="Draw documents").click()
    page.get_by_role("button", name="Make a link for other coders").click()
    link = page.locator("code.secret").inner_text()
    concept = page.url
    pages = [browser.new_context(base_url=live_system.url).new_page() for _ in range(CODERS)]
    for number, one in enumerate(pages):
        one.on(
            "response",
            lambda response: wrong.append(response.url) if response.status >= 500 else None,
        )
        one.goto(link)
        one.get_by_label("Your name").fill(f"Coder {number}")
        one.get_by_role("button", name="Begin").click()
        expect(one.locator(".to-code")).to_be_visible()
        expect(one.locator(".means .concept-text")).to_be_in_viewport()
        assert begins_beside(one.locator(".means"), one.locator(".to-code"))
        assert not TOPIC.search(one.locator("main").inner_text())
    done = Counter()
    while busy := [one for one in pages if one.locator("[data-coding]").count()]:
        for one in busy:  # none waits for another's answer
            done[one] += 1
            if done[one] % 3 == 0:
                one.keyboard.press("u")
            one.keyboard.press("2" if done[one] % 2 else "1")
        for one in busy:
            expect(one.locator(".coding-head")).to_contain_text(f"{done[one]} coded")
    for one in pages:
        expect(one.locator(".empty")).to_contain_text("Thank you")
    answer = page.request.get(f"{concept}codes.csv")
    rows = list(csv.DictReader(io.StringIO(answer.text())))
    by_text = Counter(row["document"] for row in rows)
    assert len(by_text) == DRAWN and set(by_text.values()) == {2}
    assert len({(row["document"], row["coder"]) for row in rows}) == len(rows) == sum(done.values())
    page.goto(f"{concept}estimates/")
    expect(page.locator(".lede")).to_contain_text("documents")
    page.goto(f"{concept}agreement/")
    expect(page.get_by_role("heading", name="Do coders agree on war?")).to_be_visible()


def test_a_second_key_does_not_code_the_text_that_is_being_left(page: Page, example):
    page.goto(f"{example.at}codebook/{example.concept}/")
    page.get_by_role("button", name="more documents").click()
    page.get_by_role("button", name="Code yourself").click()
    coded = int(re.search(r"(\d+) coded", page.locator(".coding-head").inner_text())[1])
    page.wait_for_load_state("load")  # before that nothing listens to keys
    answers: list[Route] = []
    page.route(page.url, lambda route: answers.append(route))
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.wait_for_timeout(200)
    assert [route.request.method for route in answers] == ["POST"]
    answers[0].continue_()
    page.unroute_all()
    expect(page.locator(".coding-head")).to_contain_text(f"{coded + 1} coded")
    page.get_by_role("link", name="Previous text").click()
    expect(page.locator(".choices [aria-pressed=true] kbd")).to_have_text("1")
