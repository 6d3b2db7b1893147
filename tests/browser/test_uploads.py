"""Uploads in a real browser: a folder, a reload in the middle, a server that is killed, many small
files."""

import os
import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.local.test_start import processes
from tests.waiting import until

LETTERS = 60
LARGE = 6_000_000  # bytes: some seconds at SLOW
SLOW = 1_500_000  # bytes a second


@pytest.fixture
def letters(tmp_path):
    """A folder of two years of letters, with a large one and a file that the system put there."""
    folder = tmp_path / "letters"
    for year in (1901, 1902):
        (folder / str(year)).mkdir(parents=True)
        for i in range(LETTERS // 2):
            (folder / str(year) / f"letter {i}.txt").write_text(
                f"Letter {i} of {year}: on war, peace and the harvest é.\n"
            )
    (folder / "1902" / "long.txt").write_text(
        "A long one about ships and harbours. " * (LARGE // 37)
    )
    (folder / ".DS_Store").write_bytes(b"x")
    return folder


def throttle(page, bytes_per_second: int = -1, offline: bool = False):
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": offline,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": bytes_per_second,
        },
    )


def choose_folder(page, folder):
    page.locator("[data-folder] input").set_input_files(str(folder))
    expect(page.locator("[data-chosen]")).to_have_text(re.compile(rf"{LETTERS + 1} files"))


def upload(page):
    page.get_by_role("button", name="Upload", exact=True).click()


def amount(page) -> float:
    return float(page.locator("progress").evaluate("bar => bar.value"))


@pytest.fixture(autouse=True)
def left(live_system):
    """What a test leaves in the folder of uploads: nothing."""
    folder = live_system.data / "files" / "uploads"
    before = set(folder.iterdir())

    def now() -> set:
        return set(folder.iterdir()) - before

    yield now
    assert not now()


def test_a_folder_goes_on_after_a_reload(page, letters, left):
    page.goto("/")
    choose_folder(page, letters)
    expect(page.locator("[data-notice]")).to_have_text("1 hidden file is left out.")
    throttle(page, SLOW)
    upload(page)
    page.wait_for_function("() => document.querySelector('progress').value > 0.3")
    expect(page.locator("[data-flying] li")).to_have_count(1)
    # of the small files together, and of the long one
    until(lambda: sum(path.suffix != ".json" and path.stat().st_size > 0 for path in left()) == 2)
    throttle(page)
    page.reload()

    expect(page.locator("[data-before]")).to_contain_text(
        "Choose the same files again, and it continues where it stopped."
    )
    choose_folder(page, letters)
    expect(page.locator("[data-notice]")).to_contain_text("Some of these files arrived earlier")
    posts = []
    page.on(
        "request",
        lambda request: (
            posts.append(request.url)
            if request.method == "POST" and "/uploads/" in request.url
            else None
        ),
    )
    throttle(page, SLOW)
    upload(page)
    expect(page.locator("[data-state]")).to_have_text(re.compile("continues where it stopped"))
    throttle(page)
    page.wait_for_url("**/prepare/")
    assert not posts  # both uploads were there: the pack of small files, and the long one
    page.get_by_text("Change how it is read").click()
    expect(page.get_by_text("letters/1901/letter 2.txt", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Name of the corpus")).to_have_value("letters")
    assert (
        page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('topograph-upload'))")
        == []
    )


def test_pause_go_on_and_cancel(page, letters, left):
    page.goto("/")
    choose_folder(page, letters)
    throttle(page, SLOW)
    upload(page)
    page.wait_for_function("() => document.querySelector('progress').value > 0.1")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("[data-state]")).to_have_text(re.compile("Paused"))
    page.wait_for_timeout(300)
    before = amount(page)
    page.wait_for_timeout(700)
    assert amount(page) == before < 1
    page.get_by_role("button", name="Continue").click()
    page.wait_for_function(
        "before => document.querySelector('progress').value > before", arg=before
    )
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("[data-notice]")).to_have_text(re.compile("Cancelled; nothing is kept"))
    expect(page.locator("[data-transfer]")).to_be_hidden()
    assert not left()
    throttle(page)
    upload(page)  # the same files, anew
    page.wait_for_url("**/prepare/")


def test_a_server_that_is_killed(browser, live_system, letters):
    """A page of its own, as the browser writes each failed request to the console."""
    page = browser.new_page(base_url=live_system.url)
    page.goto("/")
    choose_folder(page, letters)
    throttle(page, SLOW)
    upload(page)
    page.wait_for_function("() => document.querySelector('progress').value > 0.2")
    os.kill(
        next(
            pid
            for pid in processes(live_system.data)
            if b"uvicorn" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ),
        signal.SIGKILL,
    )
    expect(page.locator("[data-state]")).to_have_text(re.compile("trying again"))
    page.wait_for_url("**/prepare/", timeout=60_000)  # it is started again by itself
    page.close()


DROP = """async (names) => {
  // A folder as a drop gives it: entries, whose readers say a hundred names at a time.
  const file = (name) => ({ isFile: true, fullPath: name, file: (done) => done(new File(["words of " + name], name.split("/").pop())) });
  const folder = { isFile: false, createReader() {
    let rest = names.map(file);
    return { readEntries(done) { const some = rest.slice(0, 100); rest = rest.slice(100); done(some); } };
  } };
  const event = new Event("drop", { bubbles: true, cancelable: true });
  event.dataTransfer = { items: [{ webkitGetAsEntry: () => folder }] };
  const over = new Event("dragover", { bubbles: true, cancelable: true });
  const target = document.querySelector("[data-drop] input");
  target.dispatchEvent(over);
  const marked = document.querySelector("[data-drop]").classList.contains("over");
  target.dispatchEvent(event);
  return marked && over.defaultPrevented && event.defaultPrevented;
}"""


def test_a_folder_that_is_dropped(page):
    names = [f"/diaries/{1800 + i}/<b>é</b> {i}.txt" for i in range(250)]
    page.goto("/")
    assert page.evaluate(DROP, names)
    expect(page.locator("[data-chosen]")).to_have_text("250 files")
    page.get_by_label("Name").fill("Diaries")
    upload(page)
    page.wait_for_url("**/prepare/")
    page.get_by_text("Change how it is read").click()
    expect(page.get_by_text("diaries/1800/<b>é</b> 0.txt", exact=True)).to_be_visible()
    expect(page.get_by_text("250 files,").first).to_be_visible()
    expect(page.get_by_role("textbox", name="Name of the corpus")).to_have_value("Diaries")


def test_what_can_not_be_taken_is_said(browser, live_system, tmp_path):
    page = browser.new_page(base_url=live_system.url)
    page.goto("/")
    upload(page)
    expect(page.get_by_role("alert")).to_have_text("Choose at least one file, or a folder.")
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    page.locator("input[name=files]").set_input_files(str(empty))
    upload(page)
    expect(page.get_by_role("alert")).to_have_text(re.compile("This file is empty"))
    text = tmp_path / "plain.txt"
    text.write_text("Some words that come to nothing.")
    refused = {"status": 400, "json": {"error": "There is nothing in it."}}
    page.route("**/corpora/", lambda route: route.fulfill(**refused))
    page.locator("input[name=files]").set_input_files(str(text))
    upload(page)
    expect(page.get_by_role("alert")).to_have_text("There is nothing in it.")
    expect(page.get_by_role("button", name="Continue")).to_be_hidden()  # it would be refused again
    expect(page.locator("[data-chosen]")).to_have_text("Choose files")
    refused["status"] = 413
    page.locator("input[name=files]").set_input_files(str(text))
    upload(page)
    expect(page.locator("[data-state]")).to_have_text("There is nothing in it.")
    expect(page.get_by_role("button", name="Continue")).to_be_visible()  # when there is room
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("[data-notice]")).to_have_text(re.compile("Cancelled"))
    page.close()


def test_without_a_script_the_form_posts_by_itself(browser, live_system, tmp_path):
    text = tmp_path / "plain.txt"
    text.write_text("Some words about a plain form.")
    context = browser.new_context(base_url=live_system.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.locator("input[name=files]").set_input_files(str(text))
    upload(page)
    page.wait_for_url("**/prepare/")
    context.close()
