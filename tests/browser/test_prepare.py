"""Choosing what a corpus's words are, in a real browser: before it is read, and again and again
after."""

import json
import re

from playwright.sync_api import Page, expect

from tests.corpora import as_csv, example_rows

READING = 60_000  # ms: far beyond what it takes; these machines are shared
DOCUMENTS = 300


def table(rows: list[list[str]], name: str) -> dict:
    return {"name": name, "mimeType": "text/csv", "buffer": as_csv(rows)}


def shown(page: Page, change) -> None:
    """Change something, and wait for the answer to it."""
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and answer.url == page.url
    ):
        change()


def number(page: Page, name: str) -> int:
    """Of the figures of a preview."""
    return int(
        re.sub(
            r"\D", "", page.locator(".gives .figures div", has_text=name).locator("dd").inner_text()
        )
    )


def version(page: Page, n: int) -> None:
    """Wait for a version of the words to be in use."""
    row = page.locator("section", has=page.locator("#versions")).get_by_role(
        "rowheader", name=f"{n} in use"
    )
    expect(row).to_be_visible(timeout=READING)


def test_words_are_chosen_before_a_corpus_is_read_and_after(page):
    rows = example_rows(DOCUMENTS + 40)
    page.goto("/")
    page.locator("input[name=files]").set_input_files(table(rows[: DOCUMENTS + 1], "addresses.csv"))
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/prepare/")
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    page.get_by_text("Change how it is read").click()
    expect(page.locator("ol.sampled h4").first).to_have_text(rows[1][1])

    # A change is shown, with no button pressed, and what is typed elsewhere stays.
    before = number(page, "different words count")
    page.get_by_label("Name of the corpus").fill("Addresses")
    shown(page, lambda: page.get_by_label("Leave out words in fewer documents than").fill("20"))
    page.wait_for_function(
        "n => Number(document.querySelector('.gives dd').textContent.replace(/\\D/g, '')) < n",
        arg=before,
    )
    expect(page.get_by_label("Leave out words in fewer documents than")).to_be_focused()
    expect(page.get_by_label("Name of the corpus")).to_have_value("Addresses")
    expect(page.locator(".gives")).to_contain_text("in fewer than 20 documents")

    # A word is left out by pressing it, and the keyboard stays among the words.
    # Of no phrase below
    other = page.locator("button.word").filter(has_not_text=re.compile("united|state")).first
    word = other.inner_text()
    shown(page, lambda: other.press("Enter"))
    expect(page.get_by_role("button", name=f"Leave out {word}", exact=True)).to_have_count(0)
    expect(page.locator("button.word:focus")).to_have_attribute("name", "leave_out")
    expect(page.get_by_label("More stop words")).to_have_value(word)

    # Whoever leaves before a change was answered finds it when they come back.
    draft = page.url
    page.get_by_label("Name of the corpus").fill("Presidents")
    page.goto("/")
    for _ in range(20):  # what is sent on leaving may come behind the next page
        page.goto(draft)
        if page.get_by_label("Name of the corpus").input_value() == "Presidents":
            break
    expect(page.get_by_label("Name of the corpus")).to_have_value("Presidents")
    expect(page.get_by_label("More stop words")).to_have_value(word)
    expect(page.get_by_role("button", name="Start again from what we propose")).to_be_visible()

    # What is wrong is said at its field, and no longer when it is mended.
    page.get_by_text("Long and short documents, file names, tables").click()
    shown(page, lambda: page.get_by_label("Sections").select_option("words"))
    shown(page, lambda: page.get_by_label("Words or pages of a section").fill("10"))
    expect(page.locator("#shaping .errorlist")).to_contain_text("A section has from 50")
    shown(page, lambda: page.get_by_label("Words or pages of a section").fill("60"))
    expect(page.locator("#shaping .errorlist")).to_have_count(0)
    expect(page.locator("ol.sampled h4 .aside").first).to_have_text(re.compile("part 1 of"))
    sections = number(page, "documents")
    assert sections > DOCUMENTS
    shown(page, lambda: page.get_by_label("Sections").select_option(""))
    expect(page.locator("ol.sampled h4 .aside")).to_have_count(0)
    expected = number(page, "different words count")

    page.get_by_role("button", name="Read the corpus").click()
    expect(page.get_by_label("Number of topics")).to_be_visible(timeout=READING)
    figures = page.locator("header .figures")
    expect(figures).to_contain_text(str(DOCUMENTS))
    expect(figures.locator("dd").nth(2)).to_have_text(f"{expected:,}")  # as it was shown before

    # Other words, with nothing uploaded.
    page.get_by_role("link", name="Choose other words").first.click()
    expect(page.get_by_label("Leave out words in fewer documents than")).to_have_value("20")
    shown(page, lambda: page.get_by_label("Leave out words in fewer documents than").fill("4"))
    page.wait_for_function(
        "n => Number(document.querySelector('.gives dd').textContent.replace(/\\D/g, '')) > n",
        arg=expected,
    )
    # Enter shows it again, and presses none of the words.
    field = page.get_by_label("Leave out words in fewer documents than")
    shown(page, lambda: field.press("Enter"))
    expect(page.get_by_label("More stop words")).to_have_value(word)
    more = number(page, "different words count")
    page.get_by_role("button", name="Make version 2").click()
    version(page, 2)
    expect(figures.locator("dd").nth(2)).to_have_text(f"{more:,}")
    changed = "words in at least 4 documents instead of 20"
    expect(page.get_by_role("status").filter(has_text=changed)).to_be_visible()
    expect(page.get_by_role("cell", name=changed)).to_be_visible()

    # Phrases.
    page.get_by_role("link", name="Phrases", exact=True).click()
    page.get_by_label("united states", exact=True).check()
    page.get_by_role("button", name="Make a version with the ticked phrases").first.click()
    version(page, 3)
    expect(page.get_by_role("cell", name="1 more phrase (united states)")).to_be_visible()

    # More documents.
    page.locator("input[name=files]").set_input_files(
        table([rows[0], *rows[DOCUMENTS + 1 :]], "more.csv")
    )
    page.get_by_role("button", name="Upload", exact=True).click()
    expect(page.get_by_role("heading", name="How should these be read?")).to_be_visible()
    page.get_by_role("button", name="Add the documents").click()
    version(page, 4)
    more_documents = f"{len(rows) - 1 - DOCUMENTS} documents more"
    expect(page.get_by_role("cell", name=more_documents)).to_be_visible()
    expect(figures.locator("dd").first).to_have_text(str(len(rows) - 1))


def test_a_new_version_of_the_words_does_not_lead_to_an_old_run(page):
    page.goto("/")
    page.locator("input[name=files]").set_input_files(table(example_rows(DOCUMENTS), "old.csv"))
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/prepare/")
    corpus = page.url.removesuffix("prepare/")
    page.get_by_role("button", name="Read the corpus").click()
    page.wait_for_url("**/runs/*/**", timeout=READING)  # the first run trains by itself
    page.goto(f"{corpus}words/")
    shown(page, lambda: page.get_by_label("More stop words").fill("states"))
    page.get_by_role("button", name="Make version 2").click()
    expect(page.get_by_text("Version 2 of the words is ready: 1 more stop word")).to_be_visible(
        timeout=READING
    )
    train = page.get_by_role("button", name="Train", exact=True)
    expect(train).to_be_focused()
    expect(train).to_be_in_viewport()
    page.wait_for_timeout(8_000)  # the old run's page used to follow after 3, its overview after 7
    assert page.url.startswith(f"{corpus}?made=2")
    page.get_by_label("Number of topics").fill("4")
    page.get_by_label("Number of topics").press("Enter")
    page.wait_for_url("**/runs/*/")


def test_another_list_of_a_file_is_one_press_away(page):
    texts = [row[5] for row in example_rows(13)[1:]]
    about = "Likes ships and harbours, and all that floats."
    lists = {
        "users": [{"name": f"u{i}", "about": about} for i in range(4)],
        "posts": [{"author": f"u{i % 3}", "body": text} for i, text in enumerate(texts)],
    }
    file = {
        "name": "lists.json",
        "mimeType": "application/json",
        "buffer": json.dumps(lists).encode(),
    }
    page.goto("/")
    page.locator("input[name=files]").set_input_files(file)
    page.get_by_role("button", name="Upload", exact=True).click()
    page.wait_for_url("**/prepare/")
    expect(page.locator("ol.sampled")).not_to_contain_text(about)
    shown(page, lambda: page.get_by_role("button", name="read “users” instead").click())
    expect(page.locator("ol.sampled")).to_contain_text(about)
    expect(page.get_by_role("button", name="read “posts” instead")).to_be_visible()
