"""How long pages take on a large corpus: a made collection, uploaded, trained and browsed over HTTP on a running
Topograph.

    python3 manage.py start                                  # in one terminal
    .venv/bin/python -m benchmarks.explorer http://127.0.0.1:8000/ [--documents 1000000] [--topics 500] [--json FILE]
    … --corpus 2                                             # train on the made corpus that is there
    … --run 3                                                # browse a run that is there

The documents are those of benchmarks/made.py.
Prints milliseconds by page, each address asked for once cold and then REPEATS times with other places, words and
topics. The last line is `most_ms: N`, the slowest of all warm answers.
"""

import argparse
import json
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
from pathlib import Path

from benchmarks import made
from benchmarks.whole_path import Browser, train, upload

REPEATS = 10
LIMIT_MS = 250


def pages(browser: Browser, run: int) -> dict[str, callable]:
    """name -> address of the i-th request."""
    topics = browser.json(f"/runs/{run}/topics.json")["items"]
    numbers, of = [topic["number"] for topic in topics], [topic["words"] for topic in topics]
    documents = browser.json(f"/runs/{run}/documents.json")["count"]
    at = lambda i: i * 7919 % documents  # noqa: E731
    k = lambda i: numbers[i % len(numbers)]  # noqa: E731
    word = lambda i: of[i % len(of)][1]  # noqa: E731
    root = f"/runs/{run}"
    return {
        "topics, list": lambda i: f"{root}/topics/?view=list&after={100 * (i % 3)}",
        "topics, map": lambda i: f"{root}/topics/?view=map",
        "topics, grid": lambda i: f"{root}/topics/?view=grid",
        "topics, time": lambda i: f"{root}/topics/?view=time",
        "topic": lambda i: f"{root}/topics/{k(i)}/",
        "documents": lambda i: f"{root}/documents/?from={1900 + i}",
        "documents, a search": lambda i: f"{root}/documents/?q={word(i)}",
        "documents, a set": lambda i: f"{root}/documents/?has={k(i)}:30&from=1940&to=1949",
        "document": lambda i: f"{root}/documents/{at(i)}/",
        "words": lambda i: f"{root}/words/?q={word(i)[:2]}",
        "word": lambda i: f"{root}/words/{word(i)}/",
        "time": lambda i: f"{root}/time/?topics={k(i)}",
        "time, a set": lambda i: f"{root}/time/?topics={k(i)}&in=section:section+{i % 12}",
    }


def measure(browser: Browser, run: int) -> dict[str, list[float]]:
    """Milliseconds as a client on this machine sees them; the first of each page is cold."""
    found = {}
    for name, address in pages(browser, run).items():
        found[name] = []
        for i in range(REPEATS + 1):
            began = time.perf_counter()
            try:
                browser.get(address(i))
            except urllib.error.HTTPError as error:
                said = " ".join(re.sub("<[^>]+>", " ", error.read().decode()).split())
                sys.exit(f"{address(i)} answers {error.code}: {said[-600:]}")
            found[name].append(1000 * (time.perf_counter() - began))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="of a running Topograph")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--topics", type=int, default=500)
    parser.add_argument("--corpus", type=int, help="train on this corpus, and make none")
    parser.add_argument("--run", type=int, help="browse this run, and make none")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    browser, figures, corpus, run = Browser(given.url), {}, given.corpus, given.run
    if run is None and corpus is None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "made.csv.gz"
            made.write(file, given.documents)
            corpus, figures["upload to ready, s"] = upload(browser, file)
    if run is None:
        run, figures["train to first point, s"], figures["train to browsable, s"] = train(browser, corpus, given.topics)
        print(f"run {run}")
        for name, value in figures.items():
            print(f"{name:45} {value:9.1f}")
    times = measure(browser, run)
    for name, (cold, *warm) in times.items():
        print(f"{name:25} cold {cold:8.1f} ms   median {statistics.median(warm):8.1f} ms   most {max(warm):8.1f} ms")
    worst = max(max(warm) for _, *warm in times.values())
    if given.json:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
        about = {
            "commit": commit,
            "machine": platform.machine(),
            "python": platform.python_version(),
            "documents": given.documents,
            "topics": given.topics,
        }
        given.json.write_text(json.dumps(about | {"figures": figures, "pages_ms": times}, indent=1))
    print(f"beyond {LIMIT_MS} ms: {', '.join(n for n, (_, *w) in times.items() if max(w) > LIMIT_MS) or 'none'}")
    print(f"most_ms: {worst:.0f}")


if __name__ == "__main__":
    sys.exit(main())
