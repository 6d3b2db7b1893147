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

from benchmarks.origin import options
from benchmarks.whole_path import Browser

LIMIT_MS = 150
CPU = re.compile(r"^process_cpu_seconds_total(?:{[^}]*})? (\S+)", re.MULTILINE)
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
    words = [word for topic in topics for word in topic["words"][:5]]
    numbers = [topic["number"] for topic in topics]
    k, d, w = (
        (lambda r: r.choice(numbers)),
        (lambda r: r.randrange(documents)),
        (lambda r: r.choice(words)),
    )

    def span(r: random.Random, which: str = "") -> str:
        return f"from{which}={(first := r.randrange(1900, 1980))}&to{which}={first + 9}"

    return {
        "home": lambda r: "/",
        "corpus": lambda r: f"/corpora/{corpus}/",
        "overview": lambda r: f"{root}/overview/",
        "run": lambda r: f"{root}/",
        "topic overview": lambda r: (
            f"{root}/topics/?view=list&after={100 * r.randrange(-(-len(topics) // 100))}"
        ),
        "topic map": lambda r: f"{root}/topics/?view=map",
        "topic page": lambda r: f"{root}/topics/{k(r)}/",
        "grid of words": lambda r: f"{root}/topics/?view=grid",
        "grid of words of a set": lambda r: f"{root}/topics/?view=grid&{span(r)}",
        "overview of a set": lambda r: f"{root}/topics/?{span(r)}",
        "a topic in a set": lambda r: f"{root}/topics/{k(r)}/?{span(r)}",
        "word senses": lambda r: f"{root}/words/{w(r)}/",
        "senses in a set": lambda r: f"{root}/words/{w(r)}/?{span(r)}",
        "lines by context": lambda r: (
            f"{root}/words/{w(r)}/?topic=all&sort={r.choice(('left', 'right'))}"
        ),
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
    """The same page at an address that was not asked for before, so that it is not in the cache."""
    return f"{path}{'&' if '?' in path else '?'}fresh={chance.getrandbits(60)}"


def measure(browser: Browser, chosen: dict[str, Address], repeats: int) -> dict[str, Times]:
    """Times of each page, printed meanwhile. Ends the program where a page does not answer 200."""
    chance = random.Random(time.time_ns())
    measured = {}
    for name, page in chosen.items():
        paths = [fresh(page(chance), chance) for _ in range(repeats + 1)]
        (first,), _ = _ask(browser, paths[:1])  # prepares statements and templates
        taken, cpu = _ask(browser, paths[1:])
        again, _ = _ask(browser, paths[1:])
        middle = statistics.median(taken), quantile(taken, 0.95)
        measured[name] = Times(repeats, first, *middle, cpu, statistics.median(again))
        print(LINE.format(name, first, *middle, cpu, measured[name].again_ms), flush=True)
    return measured


def _ask(browser: Browser, paths: Iterable[str]) -> tuple[list[float], float]:
    """(milliseconds of each, the web processes' own by page)."""
    taken = []
    before = _processor(browser)
    for path in paths:
        began = time.perf_counter()
        try:
            browser.get(path)
        except urllib.error.HTTPError as error:
            answer = " ".join(re.sub("<[^>]+>", " ", error.read().decode()).split())
            raise SystemExit(f"{path} answers {error.code}: {answer[-600:]}") from None
        taken.append(1000 * (time.perf_counter() - began))
    return taken, 1000 * (_processor(browser) - before) / len(taken)


def _processor(browser: Browser) -> float:
    """Seconds of the processor that the web processes have had: more telling than the clock where
    other things run."""
    return sum(map(float, CPU.findall(browser.get("/metrics"))))


def quantile(values: list[float], q: float) -> float:
    return sorted(values)[min(len(values) - 1, int(q * len(values)))] if values else float("nan")


def main() -> None:
    given = options(
        __doc__,
        {
            "url": {"help": "of a running Topograph"},
            "--run": {"type": int, "required": True, "help": "a finished run of it"},
            "--repeats": {"type": int, "default": 12},
            "--only": {"default": "", "help": "pages whose name has this in it"},
            "--json": {"type": Path, "metavar": "FILE"},
        },
    ).parse_args()
    browser = Browser(given.url)
    chosen = {name: page for name, page in pages(browser, given.run).items() if given.only in name}
    measured = measure(browser, chosen, given.repeats)
    if given.json:
        given.json.write_text(
            json.dumps({name: asdict(times) for name, times in measured.items()}, indent=1) + "\n"
        )
    print(
        f"slow: {sum(times.p95_ms > LIMIT_MS for times in measured.values())} of {len(measured)}"
        " pages"
    )


if __name__ == "__main__":
    main()
