"""Pictures of the pages, for the README and for whoever judges a change by its looks:
docs/screens/<page>-<width>-<theme>.webp.

    python3 manage.py start    # in one terminal
    .venv/bin/python -m benchmarks.screens http://127.0.0.1:8000/ --run 1 [--only topic,word]

Before that, when the start has trained the example: train it again with seed 1, begin a notebook
with run 1's findings, upload the example again and leave it at that.

Each page as one sees it first, on a desk and on a phone, light and dark. The last line is the size
of all of them.
"""

import base64
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.origin import ROOT, options

FOLDER = ROOT / "docs" / "screens"
PAGES = {  # name of the picture: the page's place below its run, or from the root
    "home": "/",
    "prepare": "/corpora/2/prepare/#words",
    "corpus": "/corpora/1/",
    "overview": "overview/",
    "run": "",
    "topics-list": "topics/?view=list",
    "topics-map": "topics/?view=map",
    "topics-grid": "topics/?view=grid",
    "topics-time": "topics/?view=time",
    "topic": "topics/7/",
    "topic-words": "topics/7/words/",
    "time": "time/",
    "time-table": "time/table/",
    "time-compare": "time/compare/",
    "effects": "time/effects/?formula=party%2Bspline(date)",
    "claim": "time/effects/runs/?formula=spline(date)&topic=7",
    "documents": "documents/?q=treaty",
    "document": "documents/2000/",
    "words": "words/",
    "word": "words/security/",
    "words-compared": "words/compare/?word=bank&word=currency",
    "try": "try/",
    "curation": "curation/",
    "reading": "reading/",
    "compare": "/compare/?run=1&run=2",
    "notebook": "/notebooks/1/",
}
SIZES = {"1440": (1440, 900), "380": (380, 800)}
THEMES = ("light", "dark")
SETTLED = 1500  # ms after loading, for charts
QUALITY = 44  # of WebP: type stays sharp, a picture is about 35 kB
MOST_BYTES = 4_000_000


OPTIONS: dict[str, dict[str, Any]] = {
    "url": {"help": "where Topograph runs"},
    "--run": {
        "type": int,
        "default": 1,
        "help": "a finished run on the example (default: %(default)s)",
    },
    "--only": {
        "default": "",
        "help": "names of pictures, with commas between them; all if left out",
    },
    "--into": {"type": Path, "default": FOLDER, "help": "default: docs/screens"},
}


def main(arguments: list[str]) -> int:
    parser = options(__doc__, OPTIONS)
    chosen_options = parser.parse_args(arguments)
    names = [name for name in chosen_options.only.split(",") if name] or list(PAGES)
    unknown = set(names) - PAGES.keys()
    if unknown:
        parser.error(
            f"there is no picture of {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}"
        )
    folder = chosen_options.into
    folder.mkdir(parents=True, exist_ok=True)
    missing: set[str] = set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(playwright), args=["--no-sandbox"]
        )
        for size in SIZES:
            for theme in THEMES:
                missing |= take(browser, chosen_options, names, size, theme)
        browser.close()
    total = sum(path.stat().st_size for path in folder.glob("*.webp"))
    for line in sorted(missing):
        print(line)
    print(f"{total:,} bytes of at most {MOST_BYTES:,}")
    return int(bool(missing) or total > MOST_BYTES)


def chromium(playwright) -> str | None:
    """The system's where Playwright has none of its own."""
    path = playwright.chromium.executable_path
    if os.path.exists(path):
        return path
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


def take(browser, arguments, names: list[str], size: str, theme: str) -> set[str]:
    """Take the pictures of one size and theme. Returns what could not be taken, in words."""
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=arguments.url, viewport={"width": width, "height": height}, color_scheme=theme
    )
    # The tour would stand before the first pages
    context.add_init_script("localStorage.setItem('tour-seen', 'true')")
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    failed = set()
    for name in names:
        path = PAGES[name]
        if not path.startswith("/"):
            path = f"/runs/{arguments.run}/{path}"
        answer = page.goto(path)
        if not answer.ok:
            failed.add(f"{name}: {path} answers {answer.status}")
            continue
        page.wait_for_timeout(SETTLED)
        settings = {"format": "webp", "quality": QUALITY}
        shot = devtools.send("Page.captureScreenshot", settings)
        (arguments.into / f"{name}-{size}-{theme}.webp").write_bytes(base64.b64decode(shot["data"]))
    context.close()
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
