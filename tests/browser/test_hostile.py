"""What a stranger put into titles, texts, names of columns and files is shown as it was written,
and never run."""

import re

from playwright.sync_api import Page, expect

from tests.corpora import as_csv, example_rows

EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'>"
# ms
READING = 60_000
TRAINING = 120_000


def test_nothing_that_was_uploaded_is_run(page: Page):
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    rows = example_rows(80)
    rows[0][3] = EVIL
    for row in rows[1:]:
        row[1], row[2], row[3], row[5] = EVIL, EVIL, EVIL, EVIL + row[5]
    page.goto("/")
    name = "<img src=x onerror=alert(3)>.csv"
    page.locator("input[name=files]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": as_csv(rows)}
    )
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/prepare/")
    page.get_by_label("Name").first.fill(EVIL)
    page.get_by_text("Change how it is read").click()
    page.get_by_label("The text has HTML in it").uncheck()
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    page.get_by_role("button", name="Read the corpus").click()
    expect(page.get_by_label("Number of topics")).to_be_visible(timeout=READING)
    expect(page.get_by_role("heading", level=1)).to_have_text(EVIL)
    page.get_by_label("Number of topics").fill("3")
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("[data-status]")).to_have_text(re.compile("Done"), timeout=TRAINING)
    run = page.url
    for path in (
        "topics/",
        "topics/0/",
        "documents/",
        "documents/?q=img+src",
        "documents/3/",
        "documents/3/?topic=1",
        "words/",
        "words/?q=%3Cimg",
        "topics/?view=map",
        "topics/?view=grid",
        "topics/?view=time",
        "time/table/",
        "words/war/",
        "documents/?q=%3Csvg%20onload%3Dalert(4)%3E",
    ):
        page.goto(run + path)
        assert page.locator("img, svg[onload]").count() == 0, path
    page.goto(run + "documents/3/")
    expect(page.get_by_role("heading", level=1)).to_have_text(EVIL)
    expect(page.locator("#text")).to_contain_text(EVIL)
    page.goto("/")
    expect(page.get_by_role("link", name=EVIL)).to_be_visible()
    assert not asked
