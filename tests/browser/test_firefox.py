"""The whole path in Firefox, with texts that run from right to left: Arabic and Hebrew ones, made
here."""

import os
import random
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.firefox import Firefox
from tests.corpora import as_csv

SEA = {"he": "ים ספינה דגים גלים חוף נמל מפרש רוח", "ar": "بحر سفينة سمك موج شاطئ ميناء شراع ريح"}
WAR = {"he": "מלך מלחמה חרב צבא ארמון חומה אויב ניצחון", "ar": "ملك حرب سيف جيش قصر سور عدو نصر"}
TITLE = {"he": "מסע {n}: אל החוף (ובחזרה)!", "ar": "رحلة {n}: إلى الشاطئ (والعودة)!"}
WORD = "ספינה"
READING = 120.0  # s
TRAINING = 240.0  # these machines are shared


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    binary = shutil.which("firefox-esr") or shutil.which("firefox")
    if not binary:
        pytest.skip("no Firefox found: install Debian's package firefox-esr")
    firefox = Firefox(binary, tmp_path_factory.mktemp("firefox") / "profile")
    yield firefox
    firefox.quit()


def texts(rows: int = 120) -> bytes:
    """A CSV file: half Hebrew, half Arabic; half of the sea, half of war."""
    draw = random.Random(3)
    table = [["title", "date", "text"]]
    for n in range(rows):
        language = "he" if n % 2 else "ar"
        words = (SEA if n % 4 < 2 else WAR)[language].split()
        sentences = [" ".join(draw.choices(words, k=8)) + "." for _ in range(8)]
        table.append([TITLE[language].format(n=n), f"{1900 + n}-05-01", " ".join(sentences)])
    return as_csv(table)


def picture(firefox: Firefox, name: str) -> None:
    """Where TOPOGRAPH_PICTURES names a folder, for people to look at."""
    if folder := os.environ.get("TOPOGRAPH_PICTURES"):
        firefox.picture(Path(folder) / f"{name}.png")


@pytest.fixture(scope="module")
def run(firefox, live_system, tmp_path_factory) -> str:
    """Upload, prepare, train as a person does; the address of the run."""
    file = tmp_path_factory.mktemp("rtl") / "right-to-left.csv"
    file.write_bytes(texts())
    firefox.size(1440, 900)
    firefox.go(live_system.url)
    firefox.keys("input[type=file][name=files]", str(file))
    firefox.press("Upload")
    firefox.wait(
        "return location.pathname.endsWith('/prepare/') && document.readyState === 'complete'"
    )
    picture(firefox, "prepare")
    firefox.click("#id_train")  # no: with four topics
    firefox.press("Read the corpus")
    firefox.wait("return !!document.querySelector('#id_topics')", seconds=READING)
    picture(firefox, "corpus")
    firefox.keys("#id_topics", "4", clear=True)
    firefox.press("Train")
    firefox.wait("return /^\\/runs\\/\\d+\\/$/.test(location.pathname)")
    firefox.wait(
        "return document.querySelector('[data-status]')?.textContent.trim().startsWith('Done')",
        seconds=TRAINING,
    )
    picture(firefox, "run")
    return firefox.url


PAGES = {
    "topics": "topics/",
    "map": "topics/?view=map",
    "grid": "topics/?view=grid",
    "over-time": "topics/?view=time",
    "topic": "topics/0/",
    "documents": "documents/",
    "search": f"documents/?q={quote(WORD)}",
    "document": "documents/1/",
    "words": "words/",
    "word": f"words/{quote(WORD)}/",
    "lines": f"words/{quote(WORD)}/?topic=all",
    "table": "time/table/",
    "take": "take/",
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_work_without_an_error(firefox, run, name):
    firefox.go(run + PAGES[name])
    firefox.wait("return document.readyState === 'complete' && !!document.querySelector('h1')")
    assert "not found" not in firefox.text("h1").lower(), firefox.url
    picture(firefox, name)
    assert firefox.wrong() == []


def test_a_passage_is_pinned_to_a_notebook(firefox, run):
    firefox.go(f"{run}topics/0/")
    firefox.click("details.pin summary")
    firefox.wait("return !!document.querySelector('details.pin[open] select')")
    firefox.run("document.querySelector('details.pin[open] select').value = 'new'")
    firefox.click("details.pin[open] button[type=submit]")
    firefox.wait("return !!document.querySelector('.messages a')")
    firefox.click(".messages a")
    firefox.wait("return /notebooks\\/\\d+/.test(location.pathname)")
    picture(firefox, "notebook")
    assert firefox.wrong() == []


def test_documents_run_from_right_to_left(firefox, run):
    firefox.go(f"{run}documents/1/")
    for selector in ("#text", "h1 bdi", ".crumbs li:last-child bdi"):
        script = "return getComputedStyle(document.querySelector(arguments[0])).direction"
        assert firefox.run(script, selector) == "rtl", selector
    # The exclamation mark ends the title: it stands at its left end.
    ends = """
      const text = document.createTreeWalker(document.querySelector('h1'), NodeFilter.SHOW_TEXT).nextNode();
      const at = (n) => { const r = document.createRange(); r.setStart(text, n); r.setEnd(text, n + 1); return r.getBoundingClientRect().left; };
      const all = text.data.trimEnd().length; return [at(0), at(all - 1)];"""
    first, last = firefox.run(ends)
    assert last < first


def test_lines_of_a_word_are_read_from_the_right(firefox, run):
    """What comes before the word stands to its right."""
    firefox.go(f"{run}words/{quote(WORD)}/?topic=all")
    places = """const line = [...document.querySelectorAll('.kwic .line')].find((l) => l.querySelector('.before').textContent.trim()
        && l.querySelector('.after').textContent.trim());
      const of = (s) => line.querySelector(s).getBoundingClientRect();
      return [of('.before').left, of('.key').right, of('.key').left, of('.after').right];"""
    before, key_right, key_left, after = firefox.run(places)
    assert before >= key_right - 1 and after <= key_left + 1
    assert firefox.run("return document.querySelector('.kwic').dir") == "rtl"


ISOLATED = """
  // Text with Hebrew or Arabic letters, in a place whose line also holds other text, that no element keeps apart from it.
  const rtl = /[\\u0590-\\u06ff]/, latin = /[A-Za-z0-9]/, walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), wrong = [];
  const apart = (e) => ['isolate', 'plaintext', 'isolate-override', 'bidi-override'].includes(getComputedStyle(e).unicodeBidi);
  const inline = (e) => getComputedStyle(e).display === 'inline';
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!rtl.test(node.data) || node.parentElement.closest('script, style, svg, option, textarea, title, [hidden], .hidden')) continue; // .hidden: read aloud, not laid out
    let e = node.parentElement;
    if (!e.getClientRects().length) continue;
    while (!apart(e) && inline(e)) e = e.parentElement;
    // Beside it, not kept apart: a Latin letter or a number of the same line.
    const rest = [...e.childNodes].map((c) => c.contains(node) || c.nodeType === 1 && (apart(c) || !inline(c)) ? '' : c.textContent).join(' ');
    const own = latin.test(node.data) && !apart(e) && e.dir !== 'auto';
    if (own || latin.test(rest) && !apart(node.parentElement)) wrong.push(`${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 80)}`);
  }
  return [...new Set(wrong)];
"""


@pytest.mark.parametrize("name", PAGES)
def test_names_and_words_are_kept_apart_from_what_stands_beside_them(firefox, run, name):
    """Else a number beside a Hebrew word goes to its other side."""
    firefox.go(run + PAGES[name])
    assert firefox.run(ISOLATED) == []


def test_every_wrong_is_noticed(firefox, live_system, run):
    """Last, as it spoils the list."""
    firefox.go(live_system.url)
    firefox.run(
        "const s = document.createElement('script'); s.textContent = 'null.x';"
        " document.body.append(s)"
    )
    assert any(re.search("Content.Security.Policy|blocked", line) for line in firefox.wrong())
