"""Pseudonyms by the tick of the preview, and erasure, as a user does both in Chromium."""

from playwright.sync_api import Page, expect

from tests.corpora import as_csv

WAIT = 240_000  # ms: far beyond what it takes; these machines are shared
SPEAKERS = ["Lovelumpkin, Ada", "Ben Quentzill", "Cara Zwistle"]


def letters() -> list[list[str]]:
    rows = [["title", "speaker", "date", "text"]]
    for i in range(90):
        speaker = SPEAKERS[i % 3]
        text = f"Ada Lovelumpkin and {speaker} wrote of the harvest, the wheat and the law. " * 6
        rows.append([f"Letter {i}", speaker, f"{1900 + i}", f"{text} number {i} of the field"])
    return rows


def upload(page: Page, name: str) -> None:
    page.goto("/")
    file = {"name": name, "mimeType": "text/csv", "buffer": as_csv(letters())}
    page.locator("input[name=files]").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/prepare/")
    page.get_by_label("Train topics as soon as it has been read").uncheck()


def test_persons_are_replaced_by_one_tick(page: Page):
    upload(page, "letters.csv")
    part = page.get_by_label("Pseudonyms", exact=True)
    expect(part).to_contain_text("Columns that seem to name persons: “speaker”")
    tick = page.get_by_label("Replace persons by pseudonyms")
    tick.check()
    expect(part.get_by_role("status")).to_contain_text("names · ")
    expect(tick).to_be_focused()
    speaker = part.get_by_label("speaker")
    expect(speaker).to_be_checked()
    expect(part).to_contain_text("lovelumpkin")
    speaker.uncheck()
    expect(part.get_by_role("status")).to_contain_text("0 names")
    speaker.check()
    expect(part).to_contain_text("lovelumpkin")
    page.get_by_role("button", name="Read the corpus").click()
    page.wait_for_url("**/corpora/*/")
    expect(page.locator("dl a[href$='/documents/']")).to_have_text("90", timeout=WAIT)
    expect(page.get_by_text("Persons have pseudonyms.")).to_be_visible()
    page.goto(page.url.rstrip("/") + "/documents/")
    expect(page.locator("main")).to_contain_text("person")
    assert "Quentzill" not in page.content() and "Lovelumpkin" not in page.content()


def test_a_person_is_erased_from_the_page(page: Page):
    upload(page, "more letters.csv")
    page.get_by_role("button", name="Read the corpus").click()
    page.wait_for_url("**/corpora/*/")
    documents = page.locator("dl a[href$='/documents/']")
    expect(documents).to_have_text("90", timeout=WAIT)
    page.get_by_role("link", name="Find the documents that name a person").click()
    page.get_by_label("Names, user names or addresses").fill("ben quentzill")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Erase the documents with Ben Quentzill in speaker")).to_be_checked()
    page.get_by_label("I know what is deleted").check()
    page.get_by_role("button", name="Erase these documents").click()
    expect(page.get_by_text("made again without them")).to_be_visible()
    expect(documents).to_have_text("60", timeout=WAIT)
