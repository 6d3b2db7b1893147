"""Requests for pages while what they show is read, cancelled, deleted and restored: none may answer 500.

    python -m benchmarks.overtaking [--minutes N] [--readers N] [--port N]

A Topograph of its own. One thread creates drafts and runs, changes them and deletes them, at random. Other threads ask for
every address of them, in each of its states, and for previews, and press every button of those pages, two at once.
Prints each answer of 500 with its address (503 says when to come again); the last line is `broken: B of N answers`.
"""

import argparse
import html
import os
import random
import re
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from http.client import HTTPException
from pathlib import Path

from benchmarks.whole_path import Browser, form_fields, reading_fields
from tests.conftest import start
from tests.corpora import as_csv, example_rows

ROWS = 300
# Buttons that the first thread presses, that create a corpus, or that lead elsewhere.
NOT_PRESSED = re.compile(r"/delete/|/for-good/|/bring-back/|/example/|/subset/|^/corpora/$|/add/|/account/|/simulate/")


class Place:
    """The corpus and run that the readers ask for, which the first thread changes."""

    corpus = run = 1


def addresses() -> list[tuple[str, str]]:
    """(name, state) of every address for GET, but for streams."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django

    django.setup()
    from tests import addresses as declared

    names = [*declared.PAGES, *(f"{name}_json" for name in declared.PAGES), *declared.OTHER, *declared.FILES]
    return [(name, state) for name in names for state in declared.states(name)]


def forms(page: str, path: str) -> list[tuple[str, dict[str, str]]]:
    """(where it is sent, what it is preset with) of each form, of the page at a path, that changes something."""
    listed = []
    for attributes, inner in re.findall(r"<form([^>]*)>(.*?)</form>", page, re.S):
        action = re.search(r'action="([^"]*)"', attributes)
        leads = html.unescape(action[1]) if action else path
        if 'method="post"' in attributes and not NOT_PRESSED.search(leads):
            pressed = re.findall(r'<button[^>]*name="(\w+)"[^>]*value="([^"]*)"', inner)
            fields = form_fields(inner) | dict(pressed[-1:])
            listed.append((leads, {name: html.unescape(value) for name, value in fields.items()}))
    return listed


def press(base: str, browser: Browser, page: str, choice: random.Random, seen: Counter) -> None:
    """Send one form of a page twice at once, as by two clicks."""
    if not (listed := forms(page, urllib.parse.urlparse(browser.url).path)):
        return
    action, fields = choice.choice(listed)
    other = Browser(base)

    def send(by: Browser) -> None:
        try:
            by.post(action, fields, "/")
            seen["pressed"] += 1
        except urllib.error.HTTPError as error:
            seen[error.code] += 1
            if error.code == 500:
                print(f"BROKEN {error.code} POST {action} {fields}", flush=True)
        except (OSError, HTTPException, UnicodeDecodeError, AttributeError):
            seen["ended"] += 1

    second = threading.Thread(target=send, args=(other,))
    second.start()
    send(browser)
    second.join()


def read(
    base: str, place: Place, pages: list[tuple[str, str]], seed: int, left: threading.Event, seen: Counter
) -> None:
    from tests import addresses as declared

    browser, choice = Browser(base), random.Random(seed)
    while not left.is_set():
        name, state = choice.choice(pages)
        path = declared.address(name, place.corpus, place.run) + (f"?{state}" if state else "")
        try:
            if choice.random() < 0.2:
                path = f"/corpora/{place.corpus}/prepare/"
                page = browser.get(path)
                browser.post(path, reading_fields(page) | {"preview": "1"}, path)
            else:
                page = browser.get(path)
                if choice.random() < 0.3:
                    press(base, browser, page, choice, seen)
            seen[200] += 1
        except urllib.error.HTTPError as error:
            seen[error.code] += 1
            if error.code == 500:
                print(f"BROKEN {error.code} {error.url}", flush=True)
        except AttributeError:  # no form: the page has become another
            seen["no form"] += 1
        except (OSError, HTTPException, UnicodeDecodeError):  # a download that ended, or is no text
            seen["ended"] += 1


def change(browser: Browser, place: Place, file: Path, choice: random.Random, seen: Counter) -> None:
    """A corpus from its upload to its deletion, with changes in quick succession."""

    def press(path: str, **fields: str) -> None:
        try:
            browser.post(path, fields, "/")
        except urllib.error.HTTPError as error:
            seen[error.code] += 1
            if error.code == 500:
                print(f"BROKEN {error.code} POST {path}", flush=True)

    page = browser.post("/corpora/", {"name": "Overtaken"}, "/", file)
    place.corpus = corpus = int(urllib.parse.urlparse(browser.url).path.split("/")[2])
    time.sleep(choice.uniform(0, 2))
    press(f"/corpora/{corpus}/prepare/", **reading_fields(page))
    if choice.random() < 0.3:
        time.sleep(choice.uniform(0, 2))
    else:
        deadline = time.monotonic() + 300
        while browser.json(f"/corpora/{corpus}.json")["status"] not in ("ready", "failed"):
            if time.monotonic() > deadline:
                break  # a busy machine: it is deleted while it is read
            time.sleep(0.2)
        press(
            f"/corpora/{corpus}/runs/",
            **form_fields(browser.get(f"/corpora/{corpus}/")) | {"topics": "5", "passes": "3"},
        )
        if "/runs/" in browser.url:
            place.run = run = int(urllib.parse.urlparse(browser.url).path.split("/")[2])
            time.sleep(choice.uniform(0, 12))
            for what in choice.sample(
                ["stop", "cancel", "again", "delete", "deleted/bring-back", "delete", "deleted/for-good"], 4
            ):
                press(f"/runs/{run}/{what}/")
                time.sleep(choice.uniform(0, 0.5))
    press(f"/corpora/{corpus}/delete/")
    time.sleep(choice.uniform(0, 1))
    press(f"/corpora/{corpus}/deleted/for-good/")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--port", type=int, default=8451)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    left, place, seen, choice = threading.Event(), Place(), Counter(), random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "speeches.csv"
        file.write_bytes(as_csv(example_rows(ROWS)))
        system = start(Path(name) / "data", "--port", str(given.port))
        os.environ["TOPOGRAPH_DATA"] = str(system.data)
        pages = addresses()
        readers = [
            threading.Thread(target=read, args=(system.url, place, pages, given.seed + i, left, seen), daemon=True)
            for i in range(1, given.readers + 1)
        ]
        try:
            ends = time.monotonic() + 60 * given.minutes
            for reader in readers:
                reader.start()
            rounds, browser = 0, Browser(system.url)
            while time.monotonic() < ends:
                change(browser, place, file, choice, seen)
                rounds += 1
        finally:
            left.set()
            for reader in readers:
                reader.join(60)
            system.stop()
    seen[200] += seen["pressed"]
    answers = {status: count for status, count in seen.items() if isinstance(status, int)}
    print(
        f"{rounds} corpora came and went; {seen['pressed']} forms were taken; answers: "
        + ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    )
    print(f"broken: {seen[500]} of {sum(answers.values())} answers")


if __name__ == "__main__":
    main()
