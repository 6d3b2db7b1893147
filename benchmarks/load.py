"""How Topograph answers under load: web server, workers, Postgres and clients, all on this machine.

    .venv/bin/python -m benchmarks.load [--quick] [--data FOLDER] [--parts make,alone,crowd,load] [--topics K] [--documents D]
                                        [--minutes N] [--json FILE]

A state folder of its own gets two made corpora (benchmarks/made.py) with a finished run each: 10,000 and 1,000,000
documents with 500 topics (quick: 2,000 and 20,000 with 50). --topics K trains K topics, on corpora with as many planted
ones where K is above 500; --documents D sets the size of the larger corpus. With --data the folder is kept, and corpora and
runs that are there already are used. Then come the parts of --parts; their figures are added to those of other parts that
the JSON file has of the same commit:

alone   One reader, each page some times at both sizes (pages.py): median and 95th percentile, and the ratio of the medians.
crowd   CROWD people who ask again as soon as they are answered, for CROWDED seconds: how many were answered, how many were
        refused with 429 or 503, how long /healthz took meanwhile, and how long a page takes afterwards.
load    For 30 minutes (quick: one): 200 readers of a live run's events, 50 people who browse, each a page every THINK seconds on the
        average, and two trainings: median and 95th percentile by page, errors, the longest time from an event's publication to its
        receipt by each reader, and the web process's memory. Times are the clients', to the last byte; they run on the same cores.

Figures that miss their targets (TARGETS) are listed, and then the exit status is 1. The last line is `p95_ms: N errors: N`:
the slowest page's 95th percentile under load, and how many requests failed.
"""

import argparse
import asyncio
import gzip
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks import pages
from benchmarks.origin import RESULTS, commit, machine
from benchmarks.whole_path import Browser
from tests.conftest import System, start

READERS, BROWSERS, TRAININGS = 200, 50, 2
TOPICS = 500  # of the larger corpus, unless --topics says otherwise
THINK = 4.0  # seconds between two pages of one person, on the average
REPEATS = 40  # of each page, alone
EVENTS = 0.5  # seconds between two events whose way is timed
MEMORY = 5.0  # seconds between two looks at the memory
CROWD, CROWDED = 300, 10.0
PATIENCE = 30.0  # seconds for an answer
PARTS = ("make", "alone", "crowd", "load")
# Targets in milliseconds, but for the ratio of the medians at both sizes, and for how much more memory the last third of
# the time may take than the second: caches fill in the first.
TARGETS = {"median_ms": 50, "p95_ms": 150, "ratio": 3, "loaded_p95_ms": 250, "event_ms": 1000, "growth": 0.03}
BROWSED = (
    "topic overview",
    "topic page",
    "word senses",
    "document page",
    "search",
    "deep pagination",
)  # that have targets alone
STEADY = 10.0  # minutes of load from which on memory is judged


# The system ------------------------------------------------------------------------------------------------------


def web(system: System) -> int:
    """The number of the web server's process."""
    command = ["ps", "--ppid", str(system.process.pid), "-o", "pid=,args="]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return next(int(line.split()[0]) for line in lines if "webapp.asgi" in line)


def django(system: System) -> None:
    """This process as one of the system's, to make data and to queue trainings."""
    servers = json.loads((system.data / "servers.json").read_text())
    os.environ |= {"TOPOGRAPH_DATA": str(system.data), "DATABASE_URL": servers["database_url"], "REDIS_URL": servers["redis_url"],
                   "DJANGO_SETTINGS_MODULE": "webapp.settings"}  # fmt: skip
    import django

    django.setup()


def finished(documents: int, topics: int):
    """A finished run on a made corpus of that size, made where it is not there."""
    from django.db import connection

    from benchmarks import made
    from webapp.models import Corpus, Run

    themes = topics if topics > TOPICS else made.THEMES
    name = made.name(documents, themes)
    run = (
        Run.objects.filter(corpus__name=name, status="done", settings__topics=topics)
        .select_related("corpus__version")
        .first()
    )
    if run is None:
        began = time.monotonic()
        corpus = Corpus.objects.filter(name=name, status="ready").select_related("version").first()
        run = made.run(corpus or made.corpus(documents, themes), topics)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
        print(f"made {documents:,} documents and {topics} topics in {time.monotonic() - began:.0f} s", flush=True)
    return run


def trainings(corpus) -> list[int]:
    """Queue runs that last longer than the load."""
    from webapp.runs import services as runs

    return [runs.create(corpus.version, topics=100, passes=200, seed=seed).pk for seed in range(TRAININGS)]


# Clients ---------------------------------------------------------------------------------------------------------


def place(system: System) -> tuple[str, int]:
    """(host, port)."""
    parts = urlsplit(system.url)
    return parts.hostname, parts.port


class Client:
    """A client with one connection, which is kept alive."""

    def __init__(self, system: System):
        self.host, self.port = place(system)
        self.stream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, bytes]:
        """(status, body). A connection that the server had closed meanwhile is opened again, once."""
        fresh = self.stream is None
        try:
            return await self._get(path)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.close()
            if fresh:
                raise
            return await self._get(path)

    async def _get(self, path: str) -> tuple[int, bytes]:
        if self.stream is None:
            self.stream = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        reader, writer = self.stream
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAccept-Encoding: gzip\r\n\r\n".encode())
        await writer.drain()
        status, headers = await self.head(reader)
        if "content-length" in headers:
            body = await reader.readexactly(int(headers["content-length"]))
            return status, gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return status, body

    @staticmethod
    async def head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        return int(head[0].split()[1]), {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)
        }

    def close(self) -> None:
        if self.stream:
            self.stream[1].close()
        self.stream = None


@dataclass
class Found:
    """Measurements of the clients."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # page -> seconds
    errors: list[str] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)  # seconds, of each event to each reader
    memory: list[tuple[float, float]] = field(default_factory=list)  # seconds since the beginning, bytes


async def ask(client: Client, name: str, path: str, found: Found) -> None:
    began = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE):
            status, _ = await client.get(path)
        if status != 200:
            found.errors.append(f"{name}: {status}")
        found.times[name].append(time.perf_counter() - began)
    except (OSError, EOFError, TimeoutError) as error:
        client.close()
        found.errors.append(f"{name}: {type(error).__name__}")


async def browse(system: System, mix: dict, seed: int, until: float, found: Found) -> None:
    """One person who asks for a page, reads, and asks for the next."""
    chance, client = random.Random(seed), Client(system)
    names, weights = list(mix), [page.weight for page in mix.values()]
    await asyncio.sleep(chance.random() * THINK)
    while time.monotonic() < until:
        name = chance.choices(names, weights)[0]
        await ask(client, name, mix[name].address(chance), found)
        await asyncio.sleep(chance.expovariate(1 / THINK))
    client.close()


async def watch(system: System, run: int, until: float, found: Found) -> None:
    """One page that shows a run's progress; a connection that is lost is an error."""
    try:
        reader, writer = await asyncio.open_connection(*place(system), limit=1 << 20)
        writer.write(f"GET /runs/{run}/events HTTP/1.1\r\nHost: {urlsplit(system.url).netloc}\r\n\r\n".encode())
        status, _ = await Client.head(reader)
        if status != 200:
            found.errors.append(f"events: {status}")
            return
        while time.monotonic() < until:
            async with asyncio.timeout(PATIENCE):
                line = await reader.readline()
            if not line:
                found.errors.append("events: ended")
                return
            if line.startswith(b"data: ") and b'"sent"' in line:
                found.delays.append(time.time() - json.loads(line[6:])["sent"])
        writer.close()
    except (OSError, EOFError, TimeoutError) as error:
        found.errors.append(f"events: {type(error).__name__}")


async def publish(run: int, until: float) -> None:
    from webapp.jobs import events

    while time.monotonic() < until:
        await asyncio.to_thread(events.run, run, {"type": "timed", "sent": time.time()})
        await asyncio.sleep(EVENTS)


async def measure_memory(system: System, until: float, found: Found) -> None:
    """What the web process has to itself: mapped files are the system's cache, which grows with every document that is
    read."""
    status, began = Path(f"/proc/{web(system)}/status"), time.monotonic()
    while time.monotonic() < until:
        found.memory.append(
            (time.monotonic() - began, 1024 * int(re.search(r"^RssAnon:\s*(\d+) kB", status.read_text(), re.M)[1]))
        )
        await asyncio.sleep(MEMORY)


async def load(system: System, mix: dict, live: int, seconds: float) -> Found:
    found, until = Found(), time.monotonic() + seconds
    people = [browse(system, mix, seed, until, found) for seed in range(BROWSERS)]
    readers = [watch(system, live, until, found) for _ in range(READERS)]
    await asyncio.gather(*people, *readers, publish(live, until), measure_memory(system, until, found))
    return found


async def crowd(system: System, mix: dict) -> dict[str, float]:
    """More requests than can be answered, and whether pages answer afterwards."""
    answers, until = Counter(), time.monotonic() + CROWDED

    async def press(seed: int) -> None:
        chance, client = random.Random(seed), Client(system)
        while time.monotonic() < until:
            try:
                async with asyncio.timeout(PATIENCE):
                    status, _ = await client.get(mix[chance.choice(list(mix))].address(chance))
                answers[str(status)] += 1
                if status != 200:
                    await asyncio.sleep(1)  # less than it was told
            except (OSError, EOFError, TimeoutError) as error:
                client.close()
                answers[type(error).__name__] += 1
        client.close()

    async def lives(found: Found) -> None:
        client = Client(system)
        while time.monotonic() < until:
            await ask(client, "healthz", "/healthz", found)
            await asyncio.sleep(0.2)

    found = Found()
    await asyncio.gather(*(press(seed) for seed in range(CROWD)), lives(found))
    after = Found()
    await ask(Client(system), "home", "/", after)
    if after.errors or found.errors:
        sys.exit(f"It did not recover, or /healthz did not answer: {after.errors} {found.errors[:3]}")
    return {
        "answers": dict(answers),
        "healthz_most_ms": 1000 * max(found.times["healthz"]),
        "page_after_ms": 1000 * after.times["home"][0],
    }


# Figures ---------------------------------------------------------------------------------------------------------


def summary(times: dict[str, list[float]]) -> dict[str, dict[str, float]]:
    return {
        name: {
            "n": len(seconds),
            "median_ms": 1000 * statistics.median(seconds),
            "p95_ms": 1000 * pages.quantile(seconds, 0.95),
        }
        for name, seconds in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument(
        "--parts", default=",".join(PARTS), help="some of them, with commas between them (default: %(default)s)"
    )
    parser.add_argument("--topics", type=int, help=f"of each run (default: {TOPICS}; quick: 50)")
    parser.add_argument("--documents", type=int, help="of the larger corpus (default: 1,000,000; quick: 20,000)")
    parser.add_argument("--minutes", type=float, help="of load (default: 30; quick: 1)")
    parser.add_argument("--data", type=Path, help="a state folder that is kept, and used again")
    parser.add_argument(
        "--json", type=Path, default=RESULTS / "load.json", help="write the figures here (default: %(default)s)"
    )
    given = parser.parse_args()
    parts = given.parts.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--parts must be of {', '.join(PARTS)}; got {', '.join(sorted(unknown))}.")
    small, large, topics, minutes = (2_000, 20_000, 50, 1.0) if given.quick else (10_000, 1_000_000, TOPICS, 30.0)
    large, topics = given.documents or large, given.topics or topics
    with tempfile.TemporaryDirectory() as folder:
        system = start((given.data or Path(folder) / "data").resolve(), "--port", "0")
        try:
            django(system)
            figures = measure(system, parts, small, large, topics, given.minutes or minutes)
        finally:
            system.stop()
    about = {
        "commit": commit(),
        "machine": machine(),
        "documents": [small, large],
        "topics": topics,
        "readers": READERS,
        "browsers": BROWSERS,
        "trainings": TRAININGS,
    }
    before = json.loads(given.json.read_text()) if given.json.exists() else {}
    if any(before.get(name) != about[name] for name in ("commit", "documents", "topics")):
        before = {}
    figures = before | about | figures
    figures["missed"] = missed(figures)
    given.json.write_text(json.dumps(figures, indent=1) + "\n")
    print(
        "\nTargets: "
        + ("MISSED\n  " + "\n  ".join(figures["missed"]) if figures["missed"] else "all that was measured is met")
    )
    print(f"p95_ms: {figures.get('p95_ms', float('nan')):.0f} errors: {figures.get('errors', 0)}")
    sys.exit(1 if figures["missed"] else 0)


def measure(system: System, parts: list[str], small: int, large: int, topics: int, minutes: float) -> dict:
    runs = {documents: finished(documents, topics) for documents in (small, large)}
    over()
    browser, figures = Browser(system.url), {}
    mixes = {
        documents: {name: page for name, page in pages.pages(browser, run.pk).items() if page.weight}
        for documents, run in runs.items()
    }
    if "alone" in parts:
        figures |= measure_alone(browser, mixes)
    if "crowd" in parts:
        figures |= measure_crowd(system, mixes[large])
    if "load" in parts:
        figures |= measure_load(system, runs[large], mixes[large], minutes)
    return figures


def measure_alone(browser: Browser, mixes: dict[int, dict]) -> dict:
    busy, by_size = os.getloadavg(), {}
    for documents, mix in mixes.items():
        print(f"\nBrowsing alone, {documents:,} documents")
        by_size[documents] = pages.measure(browser, mix, REPEATS)
    few, many = by_size.values()
    ratios = {name: many[name].median_ms / times.median_ms for name, times in few.items()}
    print("\nTimes as slow with many documents: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()))
    alone = {
        str(documents): {name: asdict(times) for name, times in of_size.items()}
        for documents, of_size in by_size.items()
    }
    return {"alone_busy": busy, "alone": alone, "ratio": ratios}


def measure_crowd(system: System, mix: dict) -> dict:
    crowded = asyncio.run(crowd(system, mix))
    print(
        f"\nToo much: {CROWD} people who press without a pause: answers {crowded['answers']}, /healthz at most "
        f"{crowded['healthz_most_ms']:.0f} ms, a page afterwards {crowded['page_after_ms']:.0f} ms",
        flush=True,
    )
    return {"too_much": crowded}


def measure_load(system: System, run, mix: dict, minutes: float) -> dict:
    busy, live = os.getloadavg(), trainings(run.corpus)
    try:
        found = asyncio.run(load(system, mix, live[0], 60 * minutes))
    finally:
        stop(live)
    under = summary(found.times)
    print(
        f"\nUnder load: {READERS} readers of events, {BROWSERS} people browsing, {TRAININGS} trainings, {minutes:g} minutes"
    )
    for name, page in sorted(under.items(), key=lambda item: -item[1]["p95_ms"]):
        print(f"  {name:22} {page['n']:6} times   median {page['median_ms']:7.1f}   p95 {page['p95_ms']:7.1f} ms")
    resident = [bytes_ / 1e6 for _, bytes_ in found.memory]
    third = max(1, len(resident) // 3)
    memory = {
        name: statistics.mean(resident[i * third : (i + 1) * third] or resident)
        for i, name in enumerate(("first_third_mb", "second_third_mb", "last_third_mb"))
    }
    events = {
        "n": len(found.delays),
        "median_ms": 1000 * statistics.median(found.delays),
        "p95_ms": 1000 * pages.quantile(found.delays, 0.95),
        "most_ms": 1000 * max(found.delays),
    }
    print(
        f"  events: {events['n']:,} received, median {events['median_ms']:.0f} ms, p95 {events['p95_ms']:.0f} ms, most {events['most_ms']:.0f} ms"
    )
    print(
        f"  web process: {', '.join(f'{mb:.0f}' for mb in memory.values())} MB in the thirds of the time, most {max(resident):.0f} MB"
    )
    for error in sorted(set(found.errors)):
        print(f"  error {error}: {found.errors.count(error)} times")
    return {
        "load_busy": busy, "minutes": minutes, "under_load": under, "events": events, "memory": memory | {"most_mb": max(resident)},
        "memory_over_time": [(round(at), round(bytes_ / 1e6, 1)) for at, bytes_ in found.memory],
        "error_kinds": {error: found.errors.count(error) for error in set(found.errors)},
        "p95_ms": max(page["p95_ms"] for page in under.values()), "errors": len(found.errors),
    }  # fmt: skip


def missed(figures: dict) -> list[str]:
    """What is above its target, of what was measured."""
    found = []

    def asked(what: str, value: float, target: str) -> None:
        if value > TARGETS[target]:
            found.append(f"{what}: {value:.2f}, at most {TARGETS[target]}")

    for documents, each in figures.get("alone", {}).items():
        for name in BROWSED:
            asked(f"{name} alone at {int(documents):,} documents, median ms", each[name]["median_ms"], "median_ms")
            asked(f"{name} alone at {int(documents):,} documents, p95 ms", each[name]["p95_ms"], "p95_ms")
    for name, ratio in figures.get("ratio", {}).items():
        asked(f"{name}, times as slow as with few documents", ratio, "ratio")
    for name, each in figures.get("under_load", {}).items():
        asked(f"{name} under load, p95 ms", each["p95_ms"], "loaded_p95_ms")
    if "under_load" in figures:
        asked("an event's way to its readers, most ms", figures["events"]["most_ms"], "event_ms")
        if figures["minutes"] >= STEADY:
            memory = figures["memory"]
            asked(
                "growth of the web process's memory", memory["last_third_mb"] / memory["second_third_mb"] - 1, "growth"
            )
        if figures["errors"]:
            found.append(f"{figures['errors']} errors")
    return found


def over() -> None:
    """Stop trainings that an interrupted run of this program left behind."""
    from webapp.models import Run

    stop(list(Run.objects.filter(status__in=("queued", "running", "storing")).values_list("pk", flat=True)))


def stop(live: list[int]) -> None:
    from webapp.models import Run
    from webapp.runs import services as runs

    for run in Run.objects.filter(pk__in=live):
        runs.cancel(run)
    while Run.objects.filter(pk__in=live, status__in=("queued", "running", "storing")).exists():
        time.sleep(0.2)


if __name__ == "__main__":
    main()
