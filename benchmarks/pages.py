"""What the pages that count over a collection cost: processor milliseconds and memory of each, cold and again.

    TOPOGRAPH_DATA=/tmp/data python3 manage.py start --port 8830 &
    TOPOGRAPH_DATA=/tmp/data .venv/bin/python -m benchmarks.pages [--documents 200000] [--topics 100] [--repeats 12] [--only WORD]

Beside a running Topograph, whose state folder it uses, and in which it makes a collection and a run of one pass
(benchmarks.made) where they are not there. Pages are asked for in this process, each at addresses that nobody has asked
for; before each the caches are emptied, but files stay mapped in the system's memory. `cold`: processor time of the
process, median and 95th percentile; `kept`: the same address again but for what it does not read; `MB`: how much more
memory of its own the process had at most, looked at every two milliseconds; `held`: how much of it stays.
"""

import argparse
import json
import os
import random
import re
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path


def django() -> None:
    """This process as one of a running Topograph's."""
    data = Path(os.environ["TOPOGRAPH_DATA"])
    servers = json.loads((data / "servers.json").read_text())
    os.environ |= {"DATABASE_URL": servers["database_url"], "REDIS_URL": servers["redis_url"]}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "webapp.settings"}
    import django

    django.setup()


def pages(run) -> dict[str, Callable[[random.Random], str]]:
    """name -> an address of it."""
    from webapp.models import Word

    root, K, D = f"/runs/{run.pk}", run.topics, run.version.documents
    words = list(Word.objects.filter(version=run.version_id, number__lt=400).values_list("word", flat=True))
    k, d, w = (lambda r: r.randrange(K)), (lambda r: r.randrange(D)), (lambda r: r.choice(words))
    year = lambda r: r.randrange(1900, 1980)  # noqa: E731

    def span(r: random.Random) -> str:
        return f"from={(first := year(r))}&to={first + 9}"

    return {
        "topics over time": lambda r: f"{root}/time/?topics={k(r)},{k(r)},{k(r)}",
        "topics that change most": lambda r: f"{root}/time/?{span(r)}",
        "two periods compared": lambda r: (
            f"{root}/time/compare/?from_a={year(r)}&to_a=1989&in_b=section:section+{r.randrange(12)}&from_b=1990"
        ),
        "a set and the rest": lambda r: f"{root}/time/compare/?rest=1&q={w(r)}",
        "grid of words": lambda r: f"{root}/topics/?view=grid&after={r.randrange(2)}",
        "grid of words of a set": lambda r: f"{root}/topics/?view=grid&{span(r)}",
        "senses of a word": lambda r: f"{root}/words/{w(r)}/",
        "senses in a set": lambda r: f"{root}/words/{w(r)}/?{span(r)}",
        "lines by context": lambda r: f"{root}/words/{w(r)}/?topic=all&sort={r.choice(('left', 'right'))}",
        "search": lambda r: f"{root}/documents/?q={w(r)}",
        "search, two words": lambda r: f"{root}/documents/?q={w(r)}+{w(r)}",
        "a set of documents": lambda r: f"{root}/documents/?has={k(r)}:30&{span(r)}",
        "overview of a set": lambda r: f"{root}/topics/?{span(r)}",
        "a topic in a set": lambda r: f"{root}/topics/{k(r)}/?{span(r)}",
        "a document, and those like it": lambda r: f"{root}/documents/{d(r)}/",
    }


def own() -> float:
    """MB of memory that the process has to itself."""
    return int(re.search(r"RssAnon:\s*(\d+)", Path("/proc/self/status").read_text())[1]) / 1024


def peak(work: Callable[[], object]) -> tuple[float, float]:
    """(the most, at the end) MB more than at the beginning."""
    begin, seen, ended = own(), [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(0.002):
            seen.append(own() - begin)

    watcher = threading.Thread(target=look)
    watcher.start()
    work()
    ended.set()
    watcher.join()
    return max(seen), own() - begin


def cost(client, address: Callable[[random.Random], str], repeats: int, clear: Callable[[], None]) -> list[float]:
    """[median, 95th percentile cold, median kept, MB at most, MB that stay]."""

    def ask(path: str) -> float:
        began = time.process_time()
        answer = client.get(path)
        spent = 1000 * (time.process_time() - began)
        if answer.status_code != 200:
            raise SystemExit(f"{path}: {answer.status_code}")
        return spent

    chance = random.Random(7)
    ask(address(chance))
    paths = [address(chance) for _ in range(repeats)]
    cold, kept, memory = [], [], []
    for path in paths:
        clear()
        cold.append(ask(path))
        kept.append(ask(f"{path}{'&' if '?' in path else '?'}fresh=1"))
    for path in paths[:4]:
        clear()
        memory.append(peak(lambda path=path: ask(path)))
    most, held = (max(column) for column in zip(*memory, strict=True))
    return [statistics.median(cold), sorted(cold)[int(0.95 * len(cold))], statistics.median(kept), most, held]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=12)
    parser.add_argument("--only", default="", help="pages whose name has this in it")
    given = parser.parse_args()
    django()
    from django.test import Client

    from benchmarks.load import finished
    from webapp.storage import cache

    run, client = finished(given.documents, given.topics), Client(headers={"host": "127.0.0.1"})
    began = own()
    print(
        f"| {run.version.documents:,} documents, K = {run.topics} | cold ms | p95 | kept ms | MB | held |\n|---|---|---|---|---|---|"
    )
    for name, address in pages(run).items():
        if given.only in name:
            numbers = cost(client, address, given.repeats, cache.clear_all)
            print(f"| {name} | " + " | ".join(f"{n:.0f}" for n in numbers) + " |", flush=True)
    print(f"own memory: {began:.0f} MB at first, {own():.0f} at the end")


if __name__ == "__main__":
    main()
