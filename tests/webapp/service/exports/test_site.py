"""The pages of a folder: they open in a browser that is offline and has no JavaScript, and lead to
each other alone."""

import io
import json
import re
import subprocess
import sys
import zipfile

import pytest

from tests.webapp.taking import taken
from webapp.core.curation import services as curation
from webapp.service.exports import site

pytestmark = pytest.mark.django_db

EVIL = "<script>alert(1)</script>"


@pytest.fixture
def folder(trained, tmp_path):
    curation.change(trained, 2, {"label": EVIL, "note": EVIL}, "owner")
    zipfile.ZipFile(io.BytesIO(taken(trained, "site.zip"))).extractall(tmp_path)
    return tmp_path


def test_pages_lead_to_each_other_alone_and_are_bounded(trained, folder):
    pages = sorted(folder.rglob("*.html"))
    assert len(pages) == 2 + trained.topics
    for page in pages:
        html = page.read_text()
        assert EVIL not in html and "<script" not in html and "style=" not in html
        for link in re.findall(r'(?:href|src)="([^"]+)"', html):
            assert (page.parent / link).resolve().is_file(), (page.name, link)
        assert html.count("<tr") <= site.VOCABULARY + 2 and len(html) < 1_000_000
    assert "&lt;script&gt;" in (folder / "topics" / "0002.html").read_text()


# In a process of its own: Playwright's event loop and the tests' connection to the database don't
# share a thread.
BROWSE = """
import json, shutil, sys
from pathlib import Path
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    own = playwright.chromium.executable_path
    path = own if Path(own).exists() else shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
    page = browser.new_context(java_script_enabled=False, offline=True, viewport={"width": 380, "height": 800}).new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(sys.argv[1])
    topics = page.locator("tbody tr").count()
    page.locator("tbody a").first.click()
    heads, documents = page.locator("h2").all_inner_texts(), page.locator("table").last.locator("tbody tr").count()
    page.get_by_role("link", name="Words").click()
    print(json.dumps({"topics": topics, "heads": heads, "documents": documents, "words": page.locator("h1").inner_text(), "asked": asked}))
"""


def test_a_browser_opens_them_offline_without_javascript(trained, folder):
    answer = subprocess.run(
        [sys.executable, "-c", BROWSE, (folder / "index.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = json.loads(answer.stdout)
    assert (found["topics"], found["heads"], found["words"]) == (
        trained.topics,
        ["Over time", "Words", "Documents"],
        "Words",
    )
    assert 0 < found["documents"] <= site.DOCUMENTS
    assert found["asked"] and all(url.startswith("file://") for url in found["asked"])
