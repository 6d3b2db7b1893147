"""Ten million short documents on one machine, by a Topograph of its own: uploaded, read, trained in one pass, browsed.

    .venv/bin/python -m benchmarks.large_collection [--documents 10000000] [--topics 200] [--port N] [--json FILE] [--data FOLDER]

Documents are two pieces of eight words each out of one abstract of arXiv (or a section of the shipped example, where the
abstracts are not beside the project), with a day and one of twelve sections. Prints for each stage its seconds and the
memory of the largest processes, in MB that each has to itself; then milliseconds of pages, and what the disk holds.
Needs some 2 kB of disk a document. --data: the state folder, which is kept; if it exists, it is only browsed again. The last line is `slow: N of M pages`: those whose 95th percentile is above 150 ms.
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
from dataclasses import asdict
from pathlib import Path

from benchmarks import pages
from benchmarks.engines import corpora
from benchmarks.whole_path import Browser, press_train, read, training_fields
from tests.conftest import System, start

PIECE, SECTIONS, REQUESTS = 8, 12, 12
PROGRAMS = ("celery", "uvicorn", "postgres", "valkey")


def make(path: Path, D: int) -> Path:
    """A CSV file of D documents."""
    chance = random.Random(1)
    source = [
        words
        for text in corpora.texts(corpora.FILES["arxiv" if corpora.FILES["arxiv"].exists() else "sotu"])
        if len(words := text.split()) > 2 * PIECE
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "date", "section", "text"])
        for number in range(D):
            words = chance.choice(source)
            pieces = (words[(at := chance.randrange(len(words) - PIECE)) : at + PIECE] for _ in range(2))
            day = f"{1900 + number % 120}-{1 + number % 12:02d}-{1 + number % 28:02d}"
            writer.writerow([number, day, f"section {number % SECTIONS}", " ".join(word for p in pieces for word in p)])
    return path


def memory(root: int) -> list[tuple[str, float]]:
    """(command, megabytes) of a process and of each below it: its own memory, without the files that it maps (Linux)."""
    parents, own = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, ValueError):
            continue  # it has just ended
        pid = int(process.name)
        parents[pid], own[pid] = int(fields["PPid"]), (command, int(fields.get("RssAnon", "0 kB").split()[0]) / 1024)
    below, taken = [root], []
    while below:
        pid = below.pop()
        taken += [own[pid]] if pid in own else []
        below += [child for child, parent in parents.items() if parent == pid]
    return taken


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
    listed = ", ".join(f"{kind} {mb:,.0f}" for kind, mb in sorted(most.items()))
    print(f"{name}: {rows[-1]['seconds']:,.0f} s; MB of the largest process: {listed}", flush=True)


def train(browser: Browser, corpus: int, topics: int) -> int:
    """The run, once it can be browsed."""
    fields = training_fields(browser, corpus) | {"topics": str(topics), "passes": "1"}
    run = press_train(browser, corpus, fields)
    while (state := browser.json(f"/runs/{run}.json"))["status"] not in ("done", "failed", "cancelled"):
        time.sleep(1)
    if state["status"] != "done":
        raise SystemExit(f"The run {state['status']}: {state['error']}")
    return run


def disk(folder: Path) -> dict[str, float]:
    """GB of each part of the state folder."""
    listed = subprocess.run(["du", "-s", "-B1", *sorted(folder.iterdir())], capture_output=True, text=True).stdout
    return {Path(path).name: int(size) / 1e9 for size, path in (line.split("\t") for line in listed.splitlines())}


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
                    result, _, corpus = read(browser, file, {})
                print(result, flush=True)
                file.unlink()
                with stage(system, f"trained (K = {given.topics}, one pass), stored", rows):
                    train(browser, corpus, given.topics)
            with stage(system, "browsed", rows):
                times = pages.measure(browser, pages.pages(browser, number_of(browser, "runs")), REQUESTS)
            print("disk, GB: " + ", ".join(f"{part} {gb:.1f}" for part, gb in disk(system.data).items() if gb > 0.05))
        finally:
            system.stop()
    if given.json:
        given.json.write_text(
            json.dumps(
                {
                    "documents": given.documents,
                    "stages": rows,
                    "pages_ms": {name: asdict(page) for name, page in times.items()},
                },
                indent=1,
            )
        )
    print(pages.slow(times))


def number_of(browser: Browser, what: str) -> int:
    """The number of the newest corpus or run on the home page."""
    return int(re.search(rf"/{what}/(\d+)/", browser.get("/")).group(1))


if __name__ == "__main__":
    main()
