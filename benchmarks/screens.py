"""Pictures of the pages, for the README and for whoever judges a change by its looks:
docs/screens/<page>-<width>-<theme>.webp.

    python3 manage.py start                                  # in one terminal; when it has trained
    the example, train it again
                                                             # with seed 1, begin a notebook with
                                                             run 1's findings, upload it again and
                                                             leave it at that
    .venv/bin/python -m benchmarks.screens http://127.0.0.1:8000/ --run 1 [--only topic,word]

Each page as one sees it first, on a desk and on a phone, light and dark. The last line is the size
of all of them.
"""

import base64
import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from benchmarks.origin import options

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "screens"
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
MOST_BYTES = 4_000_000


def main(arguments: list[str]) -> int:
    parser = options(
        __doc__,
        {
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
        },
    )
    given = parser.parse_args(arguments)
    names = [name for name in given.only.split(",") if name] or list(PAGES)
    if unknown := set(names) - PAGES.keys():
        parser.error(
            f"there is no picture of {', '.join(sorted(unknown))}; there are {', '.join(PAGES)}"
        )
    given.into.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(playwright), args=["--no-sandbox"]
        )
        missing = set().union(
            *(take(browser, given, names, size, theme) for size in SIZES for theme in THEMES)
        )
        browser.close()
    total = sum(path.stat().st_size for path in given.into.glob("*.webp"))
    print(*sorted(missing), sep="\n", end="\n" * bool(missing))
    print(f"{total:,} bytes of at most {MOST_BYTES:,}")
    return int(bool(missing) or total > MOST_BYTES)


def chromium(playwright) -> str | None:
    """The system's where Playwright has none of its own."""
    own = playwright.chromium.executable_path
    return (
        own
        if os.path.exists(own)
        else shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )


def take(browser, given, names: list[str], size: str, theme: str) -> set[str]:
    """Take the pictures of one size and theme. Returns what could not be taken, in words."""
    width, height = SIZES[size]
    context = browser.new_context(
        base_url=given.url, viewport={"width": width, "height": height}, color_scheme=theme
    )
    context.add_init_script(
        "localStorage.setItem('tour-seen', 'true')"
    )  # it would stand before the first pages
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    failed = set()
    for name in names:
        place = PAGES[name] if PAGES[name].startswith("/") else f"/runs/{given.run}/{PAGES[name]}"
        if not (answer := page.goto(place)).ok:
            failed.add(f"{name}: {place} answers {answer.status}")
            continue
        page.wait_for_timeout(SETTLED)
        # Of WebP: type stays sharp, a picture is about 35 kB
        shot = devtools.send("Page.captureScreenshot", {"format": "webp", "quality": 44})
        (given.into / f"{name}-{size}-{theme}.webp").write_bytes(base64.b64decode(shot["data"]))
    context.close()
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
