"""The lessons: whatever a step names in bold is there to be pressed or read on the pages that it
leads through."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import ROOT

LESSONS = sorted((ROOT / "docs" / "lessons").glob("*.md"))
PRESSED = {
    "Try the example",
    "Draw documents",
}  # by these names: by the fixture `example`, and below


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_what_a_lesson_names_is_there(page: Page, example, path):
    named = set(re.findall(r"\*\*([^*]+)\*\*", path.read_text()))
    assert named
    seen = ""
    concept = _concept(page, example) if "Draw documents" in named else []
    rooms = [
        "overview/",
        "topics/",
        "topics/2/",
        "documents/1/",
        "documents/",
        "time/",
        "time/compare/",
        "time/effects/?topic=2",
        "words/power/",
        "methods/",
        "take/",
    ]
    for address in [
        "/",
        f"/corpora/{example.draft}/prepare/",
        *(example.at + room for room in rooms),
        *concept,
    ]:
        page.goto(address)
        seen += page.locator("body").inner_text() + " ".join(
            page.locator("summary").all_inner_texts()
        )
    missing = {name for name in named if name.lower() not in seen.lower()}
    assert missing <= PRESSED


def _concept(page: Page, example) -> list[str]:
    page.goto(f"{example.at}topics/3/")
    page.get_by_role("link", name="Define a concept").click()
    page.get_by_label("Name", exact=True).fill("peace")
    page.get_by_label("Definition").fill("It is about peace.")
    page.get_by_role("button", name="Add the concept").click()
    before = page.url
    expect(page.get_by_role("button", name="Draw documents")).to_be_visible()
    page.get_by_label("How many").fill("20")
    page.get_by_role("button", name="Draw documents").click()
    return [before, f"{before}agreement/", f"{before}estimates/"]


def test_lessons_lead_to_each_other_and_are_linked_everywhere(page: Page, example):
    page.goto(example.at)
    page.get_by_role("link", name="Lessons").click()
    for path in LESSONS[1:]:
        title = path.read_text().splitlines()[0].removeprefix("# ")
        page.get_by_role("link", name=title).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator(".lesson li").first).to_be_visible()
