"""A teacher and three students, each in a browser of their own: they join by the link, train, pin
and hand in."""

import io
import os
import re
import subprocess
import sys
import zipfile

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import ROOT, start
from tests.corpora import as_csv, example_rows
from tests.prepared import state_folder

PASSWORD = "hedgehogs in the fog"
WAIT = 240_000


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """A system with accounts, and a teacher's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOPOGRAPH_ACCOUNTS", "1")
        data = state_folder(tmp_path_factory.mktemp("school") / "data")
        system = start(data, "--port", "8300")
        env = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")} | {
            "TOPOGRAPH_DATA": str(data)
        }
        account = ["ada@example.org", "--name", "Ada", "--most-students", "5", "--password-stdin"]
        subprocess.run(
            [sys.executable, "manage.py", "account", *account],
            cwd=ROOT,
            env=env,
            input=PASSWORD,
            text=True,
            check=True,
        )
        yield system
        system.stop()


def test_an_afternoon(browser, school, wrong):
    def window() -> Page:
        page = browser.new_context(base_url=school.url, accept_downloads=True).new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "response",
            lambda response: wrong.append(response.url) if response.status >= 500 else None,
        )
        return page

    teacher = window()
    teacher.goto("/account/login/")
    teacher.locator("[name=login]").fill("ada@example.org")
    teacher.locator("[name=password]").fill(PASSWORD)
    teacher.get_by_role("button", name="Sign in").click()
    texts = {"name": "speeches.csv", "mimeType": "text/csv", "buffer": as_csv(example_rows(400))}
    teacher.locator("input[name=files]").set_input_files(texts)
    teacher.get_by_role("button", name="Upload").click()
    teacher.wait_for_url("**/prepare/")
    teacher.locator("[name=train]").uncheck()
    teacher.locator("main form button.primary").last.click()
    expect(teacher.get_by_label("Number of topics")).to_be_visible(timeout=WAIT)
    teacher.goto("/account/")
    teacher.get_by_role("link", name="Your classes").click()
    teacher.get_by_label("Name of the class").fill("Speeches")
    teacher.get_by_role("button", name="Make the class").click()
    expect(teacher.locator(".qr svg")).to_be_visible()
    link = teacher.locator("code.secret").inner_text()
    course = teacher.url

    students = [window() for _ in range(3)]
    for number, student in enumerate(students):
        student.goto(link)
        student.get_by_label("Your name").fill("Anna" if number < 2 else f"Ben {number}")
        student.get_by_role("button", name="Join").click()
        expect(student.locator("code.secret")).to_have_text(re.compile(r"^\w{4}-\w{4}-\w{4}$"))
    for student in students:  # none waits for another
        student.get_by_role("link", name="Open “speeches”").click()
        student.get_by_label("Number of topics").fill("6")
        student.get_by_text("Advanced").click()
        student.get_by_label("Passes", exact=True).fill("2")
        student.get_by_role("button", name="Train").click()
        student.wait_for_url("**/runs/*/")
    for student in students:
        student.wait_for_url("**/overview/", timeout=WAIT)
        student.goto(student.url.replace("overview", "topics/1"))
        student.locator("details.pin summary").first.click()
        student.locator("details.pin[open] button[type=submit]").click()
        expect(student.locator(".toast")).to_contain_text("Pinned in")
        student.goto("/class/")
        student.get_by_role("button", name="Hand in").click()
        expect(student.locator(".messages:not(.toast)")).to_contain_text("is handed in")

    teacher.goto(course)
    expect(teacher.locator("tbody tr")).to_have_count(3)
    for row in teacher.locator("tbody tr").all():
        expect(row).to_contain_text("Done")
        expect(row.get_by_role("link", name="Notes of")).to_be_visible()
    with teacher.expect_download() as saved:
        teacher.get_by_role("link", name="Download the last notebook").click()
    with zipfile.ZipFile(io.BytesIO(saved.value.path().read_bytes())) as pack:
        assert len(pack.namelist()) == 3 and all(
            b"<article" in pack.read(name) for name in pack.namelist()
        )
    teacher.get_by_role("link", name="what they saw").first.click()
    expect(teacher.get_by_role("heading", level=1)).to_be_visible()
    assert re.search(r"/runs/\d+/topics/1/", teacher.url)
    assert not wrong
