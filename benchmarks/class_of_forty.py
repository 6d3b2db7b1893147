"""An afternoon with a class: students join by one link, train on shared or own texts, read, pin and
hand in, all at once.

    .venv/bin/python -m benchmarks.class_of_forty [--students 40] [--browsers 5] [--quick]

A Topograph of its own is started, with accounts. Students arrive within two minutes, each a client
as a browser is one, but for scripts: it waits as a reader does between pages, and asks for a
training's state every three seconds. --browsers: so many more come in Chromium. One in four uploads
2 MB; the others train on the shared State of the Union. Prints the seconds until all had joined,
and for each kind of step its median and 95th percentile. `lost` are the students whose notebook did
not arrive with all its pins; `p95` is of all pages, `topics` the 95th percentile of the seconds
from Train to the first page of topics.
--quick: 10 students.
"""

import gzip
import io
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import sync_playwright

from benchmarks.browser import Browser
from benchmarks.origin import EXAMPLE, ROOT, options
from benchmarks.ready import started
from benchmarks.screens import chromium
from benchmarks.whole_path import press_train, training_fields, upload

PASSWORD = "hedgehogs in the fog"
ARRIVE = 120.0  # seconds within which all open the link
PINS = 3
TEACHER = "ada@example.org"
TOPICS = "20"
QUICK_STUDENTS = 10
UPLOADING = 4  # of so many students one has texts of its own
LOOK_EVERY = 3  # seconds, whether a training has ended
PATIENCE_MS = 240_000
MILLISECONDS = 1000
OPTIONS: dict[str, dict[str, Any]] = {
    "--students": {"type": int, "default": 40},
    "--browsers": {"type": int, "default": 0},
    "--quick": {"action": "store_true"},
}
OWN_BYTES = 2_000_000  # of a student's own texts
THINKS = (2.0, 6.0)  # seconds between two pages
PAGES = (
    "overview/",
    "topics/",
    "topics/1/",
    "topics/2/",
    "documents/",
    "documents/30/",
    "words/war/",
    "time/",
)


class Class:
    """What is measured: seconds of each kind of step."""

    def __init__(self, url: str, folder: Path):
        self.url = url
        self.folder = folder
        self.began = time.monotonic()
        self.seconds: dict[str, list[float]] = defaultdict(list)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[what].append(time.monotonic() - began)

    def open(self, students: int) -> tuple[Browser, str]:
        """The teacher, and the address of the class."""
        teacher = Browser(self.url)
        login = {"login": TEACHER, "password": PASSWORD}
        teacher.post("/account/login/", login, "/account/login/")
        corpus, _ = upload(teacher)
        course = {"name": "Speeches", "corpus": str(corpus), "days": "30"}
        teacher.post("/courses/", course, "/courses/")
        return teacher, teacher.url

    def afternoon(self, number: int, link: str, corpus: int) -> None:
        """What one student does."""
        chance = random.Random(number)
        student = Browser(self.url)
        time.sleep(chance.uniform(0, ARRIVE))
        with self.timed("join"):
            student.post(link, {"name": f"Student {number}"}, link)
        self.seconds["all joined"].append(time.monotonic() - self.began)
        if number % UPLOADING == UPLOADING - 1:
            with self.timed("upload 2 MB"):
                corpus, _ = upload(student, own_texts(self.folder, number))
        with self.timed("first topics"):
            fields = training_fields(student, corpus) | {"topics": TOPICS, "seed": str(number)}
            run = press_train(student, corpus, fields)
            while student.json(f"/runs/{run}.json")["status"] != "done":
                time.sleep(LOOK_EVERY)
            student.get(f"/runs/{run}/topics/")
        for page in PAGES:
            time.sleep(chance.uniform(*THINKS))
            with self.timed(page):
                student.get(f"/runs/{run}/{page}")
        for topic in range(PINS):
            with self.timed("pin"):
                address = f"/runs/{run}/topics/{topic}/"
                book = "new"
                if topic:
                    book = find(r'name="notebook".*?value="(\d+)"', student.get(address))
                pin = {"kind": "topic", "run": str(run), "topic": str(topic), "notebook": book}
                student.post("/notebooks/pin/", pin, address)
        with self.timed("hand in"):
            book = find(r'<option value="(\d+)"', student.get("/class/"))
            student.post("/class/", {"notebook": book}, "/class/")

    def in_chromium(self, number: int, link: str, corpus: int) -> None:
        """What a student does in a browser, on the shared corpus."""
        time.sleep(random.Random(number).uniform(0, ARRIVE))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium(playwright), args=["--no-sandbox"]
            )
            page = browser.new_page(base_url=self.url)
            page.set_default_timeout(PATIENCE_MS)
            page.goto(link)
            page.get_by_label("Your name").fill(f"Student {number}")
            page.get_by_role("button", name="Join").click()
            page.goto(f"/corpora/{corpus}/")
            page.get_by_label("Number of topics").fill(TOPICS)
            with self.timed("first topics, Chromium"):
                page.get_by_role("button", name="Train").click()
                page.wait_for_url("**/overview/")
                page.goto(page.url.replace("overview", "topics"))
            for topic in range(PINS):
                page.goto(re.sub("topics/.*", f"topics/{topic}/", page.url))
                page.locator("details.pin summary").first.click()
                with page.expect_navigation():
                    page.locator("details.pin[open] button[type=submit]").click()
            page.goto("/class/")
            page.get_by_role("button", name="Hand in").click()
            page.locator(".messages").wait_for()


def find(pattern: str, html: str) -> str:
    """What the first group of a pattern has in a page. Raises SystemExit where it is not there."""
    match = re.search(pattern, html, re.DOTALL)
    if match is None:
        raise SystemExit(f"A page lacks {pattern}.")
    return match[1]


def own_texts(folder: Path, number: int) -> Path:
    """2 MB of the example's rows, others for each student."""
    head, *rows = gzip.decompress(EXAMPLE.read_bytes()).decode().splitlines(keepends=True)
    random.Random(number).shuffle(rows)
    path = folder / f"texts-{number}.csv"
    path.write_text((head + "".join(rows))[:OWN_BYTES].rpartition("\n")[0])
    return path


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    students = QUICK_STUDENTS if arguments.quick else arguments.students
    everybody = students + arguments.browsers
    with (
        tempfile.TemporaryDirectory() as folder,
        started(Path(folder) / "data", TOPOGRAPH_ACCOUNTS="1") as (_, url),
    ):
        env = os.environ | {"TOPOGRAPH_DATA": f"{folder}/data", "TOPOGRAPH_ACCOUNTS": "1"}
        account = [
            TEACHER,
            "--name",
            "Ada",
            "--owner",
            "--most-students",
            str(everybody),
            "--password-stdin",
        ]
        command = [sys.executable, "manage.py", "account", *account]
        subprocess.run(command, cwd=ROOT, input=PASSWORD + "\n", text=True, check=True, env=env)
        measured = Class(url, Path(folder))
        teacher, course = measured.open(students)
        page = teacher.get(course)
        link = find(r"(/join/[\w-]+/)", page)
        corpus = int(find(r'href="/corpora/(\d+)/"', page))
        measured.began = time.monotonic()
        with ThreadPoolExecutor(everybody) as pool:
            tasks = []
            for number in range(everybody):
                kind = measured.afternoon if number < students else measured.in_chromium
                tasks.append(pool.submit(kind, number, link, corpus))
            for task in tasks:
                task.result()  # raises what it raised
        with teacher.opener.open(course.rstrip("/") + ".zip") as answer:
            pack = zipfile.ZipFile(io.BytesIO(answer.read()))
    articles = [pack.read(name).count(b"<article") for name in pack.namelist()]
    arrived = articles.count(PINS)
    for step, seconds in measured.seconds.items():
        times = f"median {median(seconds):7.2f} s   95% {p95(seconds):7.2f} s"
        print(f"  {step:22} n {len(seconds):4}   {times}   most {max(seconds):7.2f} s")
    of_pages: list[float] = []
    for page in PAGES:
        of_pages += measured.seconds[page]
    topics = p95(measured.seconds["first topics"])
    print(
        f"students: {everybody} lost: {everybody - arrived} p95: {MILLISECONDS * p95(of_pages):.0f}"
        f" ms topics: {topics:.0f} s"
    )


def p95(seconds: list[float]) -> float:
    """The 95th percentile: the last of twenty parts' ends."""
    if len(seconds) == 1:
        return seconds[0]
    return quantiles(seconds, n=20, method="inclusive")[-1]


if __name__ == "__main__":
    main()
