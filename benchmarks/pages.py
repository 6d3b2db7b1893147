"""How long pages take, asked one after the other: the only program that times them. `whole_path`
times its own by it, too.

    python3 manage.py start                                                     # in one terminal
    .venv/bin/python -m benchmarks.pages URL --run N [--repeats 12] [--only WORD] [--json FILE]

Each page of a finished run is asked for at different addresses (places, words, topics) that were
not asked for before, so that none comes from the web process's cache: milliseconds to the last byte
as a client on this machine sees them, of the first and in the median and 95th percentile of the
others, and the web process's own (cpu). `again`: the same addresses once more. The last line is
`slow: N of M pages`: those whose 95th percentile is above 150 ms.
"""

import json
import random
import re
import statistics
import time
import urllib.error
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.browser import Browser
from benchmarks.origin import options

LIMIT_MS = 150
CPU = re.compile(r"^process_cpu_seconds_total(?:{[^}]*})? (\S+)", re.MULTILINE)
MOSTLY = 0.95
MILLISECONDS = 1000
FIRST_WORDS = 5  # of each topic, that are asked for
TOPICS_OF_LIST = 100  # that a page of the list has
FIRST_YEAR = 1900  # in which a span may begin
LAST_YEAR = 1980
YEARS_OF_SPAN = 9
BITS = 60  # of what makes an address new
END_OF_ANSWER = 600  # characters of an error's page that are printed
LINE = "  {:28} first {:8.1f} ms   median {:8.1f}   95% {:8.1f}   cpu {:8.1f}   again {:8.1f}"


Address = Callable[[random.Random], str]  # one of a page, at random


@dataclass
class Times:
    """Milliseconds of a page. n: how often it was asked for besides the first time."""

    n: int
    first_ms: float
    median_ms: float
    p95_ms: float
    cpu_ms: float
    again_ms: float


def pages(browser: Browser, run: int) -> dict[str, Address]:
    """The pages of a finished run, its corpus and the home page, by name."""
    facts = browser.json(f"/runs/{run}.json")
    topics = browser.json(f"/runs/{run}/topics.json")["items"]
    documents = browser.json(f"/runs/{run}/documents.json")["count"]
    corpus = facts["run"]["corpus"]
    root = f"/runs/{run}"
    words: list[str] = []
    for topic in topics:
        words += topic["words"][:FIRST_WORDS]
    numbers = [topic["number"] for topic in topics]
    first_of_list = range(0, len(topics), TOPICS_OF_LIST)

    def k(chance: random.Random) -> int:
        return chance.choice(numbers)

    def d(chance: random.Random) -> int:
        return chance.randrange(documents)

    def w(chance: random.Random) -> str:
        return chance.choice(words)

    def span(chance: random.Random, side: str = "") -> str:
        first = chance.randrange(FIRST_YEAR, LAST_YEAR)
        return f"from{side}={first}&to{side}={first + YEARS_OF_SPAN}"

    def topic_list(chance: random.Random) -> str:
        return f"{root}/topics/?view=list&after={chance.choice(first_of_list)}"

    def lines_by_context(chance: random.Random) -> str:
        side = chance.choice(("left", "right"))
        return f"{root}/words/{w(chance)}/?topic=all&sort={side}"

    return {
        "home": lambda r: "/",
        "corpus": lambda r: f"/corpora/{corpus}/",
        "overview": lambda r: f"{root}/overview/",
        "run": lambda r: f"{root}/",
        "topic overview": topic_list,
        "topic map": lambda r: f"{root}/topics/?view=map",
        "topic page": lambda r: f"{root}/topics/{k(r)}/",
        "grid of words": lambda r: f"{root}/topics/?view=grid",
        "grid of words of a set": lambda r: f"{root}/topics/?view=grid&{span(r)}",
        "overview of a set": lambda r: f"{root}/topics/?{span(r)}",
        "a topic in a set": lambda r: f"{root}/topics/{k(r)}/?{span(r)}",
        "word senses": lambda r: f"{root}/words/{w(r)}/",
        "senses in a set": lambda r: f"{root}/words/{w(r)}/?{span(r)}",
        "lines by context": lines_by_context,
        "document page": lambda r: f"{root}/documents/{d(r)}/",
        "search": lambda r: f"{root}/documents/?q={w(r)}",
        "search, two words": lambda r: f"{root}/documents/?q={w(r)}+{w(r)}",
        "deep pagination": lambda r: f"/corpora/{corpus}/documents/?after=0,{d(r)}",
        "documents by date": lambda r: f"{root}/documents/?by=date",
        "documents of a topic": lambda r: f"{root}/documents/?has={k(r)}:30",
        "a set of documents": lambda r: f"{root}/documents/?has={k(r)}:30&from=1940&to=1949",
        "over time": lambda r: f"{root}/time/?topics={k(r)}",
        "topics that change most": lambda r: f"{root}/time/?{span(r)}",
        "two periods compared": lambda r: f"{root}/time/compare/?{span(r, '_a')}&from_b=1990",
        "a set and the rest": lambda r: f"{root}/time/compare/?rest=1&q={w(r)}",
    }


def fresh(path: str, chance: random.Random) -> str:
    """An address of the page that was not asked for before, so that it is not in the cache."""
    joint = "&" if "?" in path else "?"
    return f"{path}{joint}fresh={chance.getrandbits(BITS)}"


def measure(browser: Browser, addresses: dict[str, Address], repeats: int) -> dict[str, Times]:
    """Times of each page, printed meanwhile. Ends the program where a page does not answer 200."""
    chance = random.Random(time.time_ns())
    measured = {}
    for name, address in addresses.items():
        paths = [fresh(address(chance), chance) for _ in range(repeats + 1)]
        (first,), _ = _ask(browser, paths[:1])  # prepares statements and templates
        milliseconds, cpu = _ask(browser, paths[1:])
        again, _ = _ask(browser, paths[1:])
        times = Times(
            n=repeats,
            first_ms=first,
            median_ms=statistics.median(milliseconds),
            p95_ms=quantile(milliseconds, MOSTLY),
            cpu_ms=cpu,
            again_ms=statistics.median(again),
        )
        _, *numbers = asdict(times).values()
        print(LINE.format(name, *numbers), flush=True)
        measured[name] = times
    return measured


def _ask(browser: Browser, paths: Iterable[str]) -> tuple[list[float], float]:
    """(milliseconds of each, the web processes' own by page)."""
    milliseconds = []
    before = _processor(browser)
    for path in paths:
        began = time.perf_counter()
        try:
            browser.get(path)
        except urllib.error.HTTPError as error:
            text = re.sub("<[^>]+>", " ", error.read().decode())
            answer = " ".join(text.split())[-END_OF_ANSWER:]
            raise SystemExit(f"{path} answers {error.code}: {answer}") from None
        milliseconds.append(MILLISECONDS * (time.perf_counter() - began))
    seconds = _processor(browser) - before
    return milliseconds, MILLISECONDS * seconds / len(milliseconds)


def _processor(browser: Browser) -> float:
    """Seconds of the processor that the web processes have had: more telling than the clock where
    other things run."""
    return sum(map(float, CPU.findall(browser.get("/metrics"))))


def quantile(values: list[float], q: float) -> float:
    """NaN of no values."""
    if not values:
        return float("nan")
    place = min(len(values) - 1, int(q * len(values)))
    return sorted(values)[place]


OPTIONS: dict[str, dict[str, Any]] = {
    "url": {"help": "of a running Topograph"},
    "--run": {"type": int, "required": True, "help": "a finished run of it"},
    "--repeats": {"type": int, "default": 12},
    "--only": {"default": "", "help": "pages whose name has this in it"},
    "--json": {"type": Path, "metavar": "FILE"},
}


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    browser = Browser(arguments.url)
    all_pages = pages(browser, arguments.run)
    addresses = {name: page for name, page in all_pages.items() if arguments.only in name}
    measured = measure(browser, addresses, arguments.repeats)
    if arguments.json:
        report = {name: asdict(times) for name, times in measured.items()}
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    slow = sum(times.p95_ms > LIMIT_MS for times in measured.values())
    print(f"slow: {slow} of {len(measured)} pages")


if __name__ == "__main__":
    main()
