"""Ten million short documents on one machine, by a Topograph of its own: uploaded, read, trained in one pass, browsed.

    .venv/bin/python -m benchmarks.large_collection [--documents 10000000] [--topics 200] [--port N] [--json FILE] [--data FOLDER]

Documents are two pieces of eight words each out of one abstract of arXiv (or a section of the shipped example, where the
abstracts are not beside the project), with a day and one of twelve sections. Prints for each stage its seconds and the
memory of the largest processes, in MB that each has to itself; then milliseconds of pages, and what the disk holds.
Needs some 2 kB of disk a document. --data: the state folder, which stays; one that was made before is browsed again and nothing
else. The last line is `slow: N of M pages`: those whose 95th percentile is above 150 ms.
"""

import argparse
import csv
import json
import random
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.ingest import memory, texts
from benchmarks.unusual_uploads import read
from benchmarks.whole_path import Browser, press_train, training_fields
from tests.conftest import System, start

PIECE, SECTIONS, PAGE_MS, REQUESTS = 8, 12, 150, 12
PROGRAMS = ("celery", "uvicorn", "postgres", "valkey")


def make(path: Path, D: int) -> Path:
    """A CSV file of D documents."""
    chance = random.Random(1)
    source = [words for text in texts() if len(words := text.split()) > 2 * PIECE]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "date", "section", "text"])
        for number in range(D):
            words = chance.choice(source)
            pieces = (words[(at := chance.randrange(len(words) - PIECE)) : at + PIECE] for _ in range(2))
            day = f"{1900 + number % 120}-{1 + number % 12:02d}-{1 + number % 28:02d}"
            writer.writerow([number, day, f"section {number % SECTIONS}", " ".join(word for p in pieces for word in p)])
    return path


def by_program(system: System) -> dict[str, float]:
    """MB that the largest process of each program has to itself."""
    largest: dict[str, float] = {}
    for command, mb in memory(system.process.pid):
        program = next((name for name in PROGRAMS if name in command), "start")
        largest[program] = max(largest.get(program, 0.0), mb)
    return largest


@contextmanager
def stage(system: System, name: str, rows: list[dict]) -> Iterator[None]:
    """Time what is done within, and look at the processes' memory each second."""
    most: dict[str, float] = {}
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(1):
            for kind, mb in by_program(system).items():
                most[kind] = max(most.get(kind, 0), mb)

    watcher = threading.Thread(target=look)
    watcher.start()
    began = time.time()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
    rows.append({"stage": name, "seconds": time.time() - began, "mb": most})
    said = ", ".join(f"{kind} {mb:,.0f}" for kind, mb in sorted(most.items()))
    print(f"{name}: {rows[-1]['seconds']:,.0f} s; MB of the largest process: {said}", flush=True)


def train(browser: Browser, corpus: int, topics: int) -> int:
    """The run, once it can be browsed."""
    fields = training_fields(browser, corpus) | {"topics": str(topics), "passes": "1"}
    run = press_train(browser, corpus, fields)
    while (state := browser.json(f"/runs/{run}.json"))["status"] not in ("done", "failed", "cancelled"):
        time.sleep(1)
    if state["status"] != "done":
        raise SystemExit(f"The run {state['status']}: {state['error']}")
    return run


def pages(browser: Browser, corpus: int, run: int, D: int) -> Iterator[tuple[str, list[float]]]:
    """For each page its milliseconds: the first, which no cache knows of, and others at other addresses."""
    chance = random.Random(3)
    topics = browser.json(f"/runs/{run}/topics.json")["items"]
    words = [word for topic in topics for word in topic["words"][:5]]
    k, w, root = (lambda: chance.randrange(len(topics))), (lambda: chance.choice(words)), f"/runs/{run}"
    span = lambda: f"from={(first := chance.randrange(1900, 1980))}&to={first + 9}"  # noqa: E731
    addresses = {
        "home": lambda: "/",
        "corpus": lambda: f"/corpora/{corpus}/",
        "overview": lambda: f"{root}/overview/",
        "topics": lambda: f"{root}/topics/",
        "topic": lambda: f"{root}/topics/{k()}/",
        "documents": lambda: f"{root}/documents/?{span()}",
        "documents of a topic": lambda: f"{root}/documents/?has={k()}:30",
        "document": lambda: f"{root}/documents/{chance.randrange(D)}/",
        "search": lambda: f"{root}/documents/?q={w()}",
        "word": lambda: f"{root}/words/{w()}/",
        "time": lambda: f"{root}/time/?topics={k()},{k()},{k()}",
        "two periods compared": lambda: (
            f"{root}/time/compare/?{span()}".replace("from=", "from_a=").replace("to=", "to_a=") + "&from_b=1990"
        ),
        "a set's topics": lambda: f"{root}/topics/?{span()}",
        "grid": lambda: f"{root}/topics/?view=grid",
    }
    for name, address in addresses.items():
        taken = []
        for _ in range(REQUESTS):
            began = time.perf_counter()
            browser.get(address())
            taken.append(1000 * (time.perf_counter() - began))
        yield name, taken


def disk(folder: Path) -> dict[str, float]:
    """GB of each part of the state folder."""
    said = subprocess.run(["du", "-s", "-B1", *sorted(folder.iterdir())], capture_output=True, text=True).stdout
    return {Path(path).name: int(size) / 1e9 for size, path in (line.split("\t") for line in said.splitlines())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--port", type=int, default=8442)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as name:
        data = given.data or Path(name) / "data"
        made = data.exists()
        file = None if made else make(Path(name) / "documents.csv", given.documents)
        system = start(data, "--port", str(given.port))
        try:
            browser = Browser(system.url)
            if file:
                print(f"{given.documents:,} documents, {file.stat().st_size / 1e9:.2f} GB", flush=True)
                with stage(system, "uploaded and read", rows):
                    said, _ = read(system.url, file, {})
                print(said, flush=True)
                file.unlink()
                with stage(system, f"trained (K = {given.topics}, one pass), stored", rows):
                    train(browser, number_of(browser, "corpora"), given.topics)
            with stage(system, "browsed", rows):
                times = browsed(browser, given.documents)
            print("disk, GB: " + ", ".join(f"{part} {gb:.1f}" for part, gb in disk(system.data).items() if gb > 0.05))
        finally:
            system.stop()
    if given.json:
        given.json.write_text(json.dumps({"documents": given.documents, "stages": rows, "pages_ms": times}, indent=1))
    print(f"slow: {sum(p95(taken) > PAGE_MS for taken in times.values())} of {len(times)} pages")


def number_of(browser: Browser, what: str) -> int:
    """Of the newest corpus or run that the first page names."""
    return int(re.search(rf"/{what}/(\d+)/", browser.get("/")).group(1))


def browsed(browser: Browser, D: int) -> dict[str, list[float]]:
    """What `pages` yields, printed meanwhile."""
    times = {}
    for page, taken in pages(browser, number_of(browser, "corpora"), number_of(browser, "runs"), D):
        times[page] = taken
        middle = sorted(taken)[len(taken) // 2]
        print(f"  {page}: first {taken[0]:,.0f} ms, median {middle:,.0f}, 95% {p95(taken):,.0f}", flush=True)
    return times


def p95(taken: list[float]) -> float:
    return sorted(taken)[int(0.95 * len(taken))]


if __name__ == "__main__":
    main()
