"""A running Topograph, a browser and an example in it, for all tests with a browser: one worker
has them, and ends them after the last.

While the browser runs, its event loop does too, and Django's client refuses to answer beside one:
it must be gone before other tests.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.conftest import start
from tests.corpora import EXAMPLE, as_csv, example_rows
from tests.prepared import state_folder

EXAMPLE_NAME = "State of the Union, 1790–2020"  # of the shipped one, too
SCREEN = ViewportSize(width=1280, height=900)
PREPARING = 240_000  # ms: reading the example and training on it; these machines are shared
SECTIONS = 8_375  # of the shipped example
EVERY = 4  # of these, in the example of most tests: over all years, and with all presidents


class Example(NamedTuple):
    corpus: int
    run: int
    draft: int  # a corpus that was uploaded, but not read
    notebook: int  # with a topic in it
    token: str  # of the link that shares it
    concept: int  # with some coded documents

    @property
    def at(self) -> str:
        return f"/runs/{self.run}/"


@pytest.fixture(scope="package")
def live_system(tmp_path_factory):
    system = start(state_folder(tmp_path_factory.mktemp("live") / "data"), "--port", "8200")
    yield system
    system.stop()


@pytest.fixture(scope="package")
def browser():
    """Playwright's own Chromium where it is installed, else the system's. In CI there must be
    one."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
        if not Path(path).exists():
            path = (
                shutil.which("chromium")
                or shutil.which("chromium-browser")
                or shutil.which("google-chrome")
            )
        if path is None:
            if os.environ.get("CI"):
                pytest.fail("CI needs a Chromium: .ci/run installs one")
            pytest.skip(
                "no Chromium found: install the package chromium, or run `playwright install"
                " chromium`"
            )
        arguments = [
            "--no-sandbox",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ]
        try:
            browser = playwright.chromium.launch(executable_path=path, args=arguments)
        except Error as error:
            pytest.fail(f"Chromium at {path} does not start: {error}")
        yield browser
        browser.close()


@pytest.fixture
def wrong() -> list[str]:
    """What went wrong in the page."""
    return []


@contextmanager
def watched(browser, system, wrong: list[str]) -> Iterator[Page]:
    """A page in a window of its own that writes down any script error, console error, failure of
    the server or breach of the content security policy."""
    context = browser.new_context(base_url=system.url, viewport=SCREEN, accept_downloads=True)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "response",
        lambda response: (
            wrong.append(_failure(response, system)) if response.status >= 500 else None
        ),
    )
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type == "error" else None
    )
    page.expose_function("violated", lambda sentence: wrong.append(sentence))
    page.add_init_script(
        "addEventListener('securitypolicyviolation', (e) => violated(`${e.effectiveDirective} of"
        " ${e.documentURI}: ${e.blockedURI} ${e.sample}`))"
    )
    yield page
    context.close()


@pytest.fixture
def page(browser, live_system, wrong):
    """A page in which nothing may go wrong."""
    with watched(browser, live_system, wrong) as page:
        yield page
    assert not wrong


def _failure(response, system) -> str:
    """What an answer of 500 or above was for, and the end of the web server's log."""
    log = (system.data / "logs" / "web.log").read_text(errors="replace")
    return f"{response.status} {response.request.method} {response.url}\n{log[-6000:]}"


@pytest.fixture(scope="package")
def shipped(browser, live_system) -> str:
    """The address of the shipped example, as its button makes it, without the run that begins by
    itself."""
    page = browser.new_page(base_url=live_system.url)
    page.goto("/")
    page.get_by_role("button", name="Open the example").click()
    page.wait_for_url("**/corpora/*/")
    corpus = page.url
    page.wait_for_url("**/runs/*/", timeout=PREPARING)
    page.get_by_role("button", name="Cancel").click()
    page.close()
    return corpus


@pytest.fixture(scope="package")
def example(browser, live_system, shipped) -> Example:
    """Sections of the example with a finished run of a few topics, a draft, and a shared notebook,
    made as a person makes them. Its name is that of the shipped one, and it is made after that: so
    it has the tour, and the button opens it."""
    page = browser.new_page(base_url=live_system.url)
    draft = _uploaded(page, "draft.csv", example_rows(20)).removesuffix("prepare/")
    head, *sections = example_rows(SECTIONS)
    _uploaded(page, EXAMPLE.name.removesuffix(".gz"), [head, *sections[::EVERY]])
    page.get_by_label("Name of the corpus").fill(EXAMPLE_NAME)
    page.get_by_label("Train topics as soon as it has been read").uncheck()
    page.get_by_role("button", name="Read the corpus").click()
    page.wait_for_url("**/corpora/*/")
    corpus = page.url
    page.get_by_label("Number of topics").fill("12", timeout=PREPARING)
    page.get_by_text("Advanced").click()
    page.get_by_label("Passes", exact=True).fill("2")
    page.get_by_role("button", name="Train").click()
    page.wait_for_url("**/runs/*/")
    page.get_by_label("Open the overview when it is done").uncheck()
    expect(page.locator("[data-status]")).to_have_text("Done", timeout=PREPARING)
    run = page.url
    page.goto(f"{run}topics/2/")
    page.locator("details.pin summary").first.click()
    page.locator("details.pin[open] select").select_option("new")
    page.locator("details.pin[open] button[type=submit]").click()
    page.locator(".messages a").click()
    page.wait_for_url("**/notebooks/*/")
    notebook = page.url
    page.get_by_role("button", name="Make a read-only link").click()
    token = page.locator("#link").input_value().rstrip("/").rsplit("/", 1)[1]
    concept = _coded_concept(page, run)
    numbers = [
        int(url.rstrip("/").rsplit("/", 1)[1]) for url in (corpus, run, draft, notebook, concept)
    ]
    made = Example(*numbers[:4], token, numbers[4])
    page.close()
    return made


def _uploaded(page: Page, name: str, rows: list[list[str]]) -> str:
    """The address at which the draft is prepared."""
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {"name": name, "mimeType": "text/csv", "buffer": as_csv(rows)}
    )
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url("**/prepare/")
    return page.url


def _coded_concept(page: Page, run: str) -> str:
    """The address of a concept of which twelve documents are coded."""
    page.goto(f"{run}codebook/")
    page.get_by_label("Name", exact=True).fill("law")
    page.get_by_label("Definition").fill("The speech asks for a law.")
    page.get_by_role("button", name="Add the concept").click()
    page.get_by_label("How many").fill("12")
    page.get_by_label("Percent that two readers code").fill("0")
    page.get_by_role("button", name="Draw documents").click()
    concept = page.url
    page.get_by_role("button", name="Code yourself").click()
    for number in range(12):
        page.get_by_role("button", name="yes" if number % 3 else "no").click()
        expect(page.locator(".coding-head")).to_contain_text(f"{number + 1} coded")
    return concept
