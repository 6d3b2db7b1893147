"""The pages of a folder: they open in a browser that is offline and has no JavaScript, and lead to
each other alone."""

import io
import json
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from inference.errors import Invalid
from tests.webapp.taking import taken
from webapp.core.curation import services as curation
from webapp.models import Corpus
from webapp.service.exports import searched_site, site
from webapp.service.exports.catalogue import EXPORT_KINDS

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
    assert 0 < found["documents"] <= site.DOCUMENTS_OF_TOPIC
    assert found["asked"] and all(url.startswith("file://") for url in found["asked"])


@pytest.fixture
def searched(trained, tmp_path):
    zipfile.ZipFile(io.BytesIO(taken(trained, "site-texts.zip"))).extractall(tmp_path)
    return tmp_path


def in_texts(folder) -> list:
    script = (folder / "texts.js").read_text()
    assert script.startswith("collection = [") and script.endswith(",\n];\n")
    return json.loads(script.removeprefix("collection = ").removesuffix(",\n];\n") + "]")


def test_the_search_holds_titles_and_texts_and_only_its_page_a_script(trained, searched):
    rows = in_texts(searched)
    assert len(rows) == trained.version.documents
    assert all(len(row) == 6 and row[4] and row[5] is False for row in rows)
    assert all((searched / row[3]).is_file() for row in rows if row[3])
    for page in searched.rglob("*.html"):
        html = page.read_text()
        scripts = re.findall(r"<script[^>]*>", html)
        if page.name == "search.html":
            assert scripts == ['<script src="texts.js">', '<script src="search.js">']
            assert "script-src 'self' file:" in html and "unsafe" not in html
        else:
            assert not scripts and "script-src" not in html
            assert 'search.html">Search</a>' in html
    topic = (searched / "topics" / "0000.html").read_text()
    assert 0 < topic.count("<blockquote>") <= searched_site.PASSAGES and "<mark>" in topic


def test_what_is_searched_is_bounded(trained, monkeypatch, tmp_path):
    monkeypatch.setattr(searched_site, "MOST_WORDS", 5_000)
    monkeypatch.setattr(searched_site, "MOST_DOCUMENTS", 50)
    zipfile.ZipFile(io.BytesIO(taken(trained, "site-texts.zip"))).extractall(tmp_path)
    rows = in_texts(tmp_path)
    assert len(rows) == 50 and any(row[5] for row in rows)
    assert sum(len(row[4].split()) for row in rows) < 6_000
    page = (tmp_path / "search.html").read_text()
    assert "texts of 50 of the" in page and "words of each" in page


def test_pieces_are_as_long_as_fits():
    """Compared with trying each length."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        words = rng.integers(0, 40, rng.integers(1, 30))
        most = int(rng.integers(0, 600))
        fits = max(n for n in range(41) if np.minimum(words, n).sum() <= most)
        longest = searched_site.longest_piece(words, most)
        assert np.minimum(words, longest).sum() == np.minimum(words, fits).sum()


def test_under_an_embargo_there_is_none(trained):
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    trained.corpus.embargo = True
    try:
        assert not EXPORT_KINDS["site-texts"].is_ready(trained)
        with pytest.raises(Invalid, match="embargo"):
            taken(trained, "site-texts.zip")
    finally:
        trained.corpus.embargo = False


def test_a_deposit_has_pages_without_texts(trained, searched):
    names = [member.name for member in site.members(trained)]
    assert "search.html" not in names and "texts.js" not in names


SEARCH = """
import json, shutil, sys
from pathlib import Path
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    own = playwright.chromium.executable_path
    path = own if Path(own).exists() else shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
    page = browser.new_context(offline=True, viewport={"width": 320, "height": 800}).new_page()
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(sys.argv[1])
    page.get_by_label("Words that a text has").fill(sys.argv[2])
    page.keyboard.press("Enter")
    said = page.get_by_role("status").inner_text()
    marks = page.locator("li mark").all_inner_texts()
    page.locator("summary").first.click()
    text = page.locator("details p").first.inner_text()
    wide = page.evaluate("document.documentElement.scrollWidth")
    pwned = page.evaluate("window.pwned === undefined && !document.querySelector('li script, li img')")
    page.get_by_label("Words that a text has").fill("nosuchwordanywhere")
    page.keyboard.press("Enter")
    print(json.dumps({"said": said, "marks": marks, "text": text, "none": page.get_by_role("status").inner_text(), "asked": asked, "wrong": wrong, "wide": wide, "safe": pwned}))
"""


def test_a_browser_searches_a_folder_offline(trained, searched):
    rows = in_texts(searched)
    evil = [
        "<img src=x onerror=pwned=1>",
        "",
        "",
        "",
        "<script>pwned=1</script> war war war",
        False,
    ]
    script = (searched / "texts.js").read_text()
    (searched / "texts.js").write_text(script.removesuffix("];\n") + json.dumps(evil) + ",\n];\n")
    answer = subprocess.run(
        [sys.executable, "-c", SEARCH, (searched / "search.html").as_uri(), "WAR"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    found = json.loads(answer.stdout)
    expected = 1 + sum("war" in f"{row[0]}\n{row[4]}".lower() for row in rows)
    assert found["said"].startswith(f"{expected:,} document")
    assert found["marks"] and {mark.lower() for mark in found["marks"]} == {"war"}
    assert len(found["text"]) > 100 and found["none"] == "0 documents"
    assert found["wide"] <= 320 and found["safe"] and not found["wrong"]
    assert all(url.startswith("file://") for url in found["asked"])
