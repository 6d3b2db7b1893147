"""What a web process keeps in memory while it is asked thousands of different things.

    python -m tests.odd.memory [--requests 20000] [--caches MB] [--trace]

One run of the shipped example's first rows is asked for its pages with searches, periods, patterns
and topics that are drawn anew, so that no cache has the answer. Every tenth of the requests a line
has, in MB: the resident memory; of it, files that are mapped; what the C library gave out, and what
was given back to it and stays in the process; what the caches of the program hold by their own
count; and, in thousands, the objects of Python. With --caches they may hold so much together: they
are full soon, and what grows then is no cache. With --trace come the lines of code that hold more
than at a tenth of the way. At the end come the caches, each with what it may hold, and a line of
the process when they are emptied and what was given back is returned to the machine. The last line is
`grown: G MB over the last half`.
"""

import argparse
import ctypes
import gc
import os
import sys
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.corpora import example_rows
from tests.odd.collections import Collection
from webapp.platform.storage import cache
from webapp.platform.storage.cache import BoundedCache

ROWS = 400
SHOWN = 12  # lines of code
PAGES = (
    "run_overview",
    "run_topics",
    "run_topic",
    "run_topic_times",
    "run_documents",
    "run_document",
    "run_time",
    "run_time_table",
    "run_keyness",
    "run_word",
    "run_collocations",
    "run_pattern",
    "run_effects",
)


class _Mallinfo(ctypes.Structure):
    """struct mallinfo2 of glibc 2.33 and later: bytes."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena",
            "ordblks",
            "smblks",
            "hblks",
            "hblkhd",
            "usmblks",
            "fsmblks",
            "uordblks",
            "fordblks",
            "keepcost",
        )
    ]


@dataclass
class Memory:
    """Of this process, MB. files: mapped ones. given_out, given_back: by the C library, to whom
    Python and numpy turn for more than 512 bytes; what was given back stays in the process until it
    is needed again. caches: what they hold by their own count. objects: of Python, thousands."""

    resident: float
    files: float
    given_out: float
    given_back: float
    caches: float
    objects: float

    @classmethod
    def now(cls) -> "Memory":
        resident, files = (
            int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
            for pages in Path("/proc/self/statm").read_text().split()[1:3]
        )
        mallinfo = ctypes.CDLL(None).mallinfo2
        mallinfo.restype = _Mallinfo
        heap = mallinfo()
        return cls(
            resident,
            files,
            (heap.uordblks + heap.hblkhd) / 1e6,
            heap.fordblks / 1e6,
            sum(held for _, held, _, _ in caches()),
            sys.getallocatedblocks() / 1e3,
        )

    def line(self) -> str:
        return (
            f"{self.resident:.0f} MB resident, {self.files:.0f} of files, {self.given_out:.0f} given"
            f" out, {self.given_back:.0f} given back, {self.caches:.0f} in caches,"
            f" {self.objects:.0f} thousand objects"
        )


def caches() -> list[tuple[str, float, float, int]]:
    """Name of each bounded cache, MB that it holds by its own count, and may hold, and how many
    values these are: the fullest first."""
    found = {}
    for name, module in list(sys.modules.items()):
        for attribute, value in vars(module).copy().items() if name.startswith("webapp") else ():
            if isinstance(value, BoundedCache):
                found.setdefault(id(value), (f"{name}.{attribute}", value))
    sizes = [
        (name, cache.held / 1e6, cache.capacity / 1e6, cache.number_of_values)
        for name, cache in found.values()
    ]
    return sorted(sizes, key=lambda size: -size[1])


def drawn_query(random: np.random.Generator, words: list[str]) -> dict[str, str]:
    """Conditions of a set, a few of them; a pattern for the page that wants one."""
    first = int(random.integers(1790, 1990))
    query = {"pattern": " ".join(random.choice(words, 2).tolist())}
    if random.random() < 0.5:
        query["q"] = " or ".join(random.choice(words, int(random.integers(1, 4))).tolist())
    if random.random() < 0.5:
        query |= {"from": str(first), "to": str(first + int(random.integers(1, 40)))}
    if random.random() < 0.2:
        query["has"] = f"{int(random.integers(0, 10))}:{int(random.integers(1, 60))}"
    return query


def measure(requests: int, trace: bool) -> None:
    from django.core.handlers.base import BaseHandler
    from django.test import RequestFactory

    from tests import addresses
    from tests.odd.asking import Outcome, Tracebacks, make_collection
    from webapp.models import Word

    outcome = Outcome(Collection("memory", example_rows(ROWS), engine="ssi", topics=10))
    random = np.random.default_rng(63)
    with Tracebacks():
        make_collection(outcome)
        gc.collect()
        words = list(Word.objects.order_by("-tokens").values_list("word", flat=True)[:2_000])
        # Not Django's test client: each of its requests leaves three finalizers for as long as the
        # process lasts, a kilobyte together
        handler = BaseHandler()
        handler.load_middleware()
        requested = RequestFactory(SERVER_NAME="localhost")
        sizes = []
        before = None
        for number in range(requests):
            if number % max(requests // 10, 1) == 0:
                sizes.append(Memory.now())
                print(f"{number:>6} requests: {sizes[-1].line()}", flush=True)
                if trace and number and before is None:
                    tracemalloc.start(8)
                    before = tracemalloc.take_snapshot()
            name = PAGES[number % len(PAGES)]
            address = addresses.address(
                name,
                outcome.corpus,
                outcome.run,
                number=int(random.integers(0, 10)),
                word=str(random.choice(words)),
            )
            answer = handler.get_response(requested.get(address, drawn_query(random, words)))
            for close in answer._resource_closers:
                close()
        sizes.append(Memory.now())
    print(f"{requests:>6} requests: {sizes[-1].line()}")
    if before is not None:
        for row in tracemalloc.take_snapshot().compare_to(before, "lineno")[:SHOWN]:
            print(row)
    for name, held, most, values in caches()[:SHOWN]:
        print(f"{held:>6.1f} of {most:.0f} MB in {values} values: {name}")
    cache.clear_all()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    print(f"caches emptied: {Memory.now().line()}")
    print(
        f"grown: {sizes[-1].resident - sizes[len(sizes) // 2].resident:.0f} MB over the last half"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--caches", type=int, metavar="MB", help="that all may hold together")
    parser.add_argument("--trace", action="store_true")
    given = parser.parse_args()
    if given.caches:
        cache.TOTAL = given.caches * 1_000_000
    from tests.odd.__main__ import with_servers

    with_servers(lambda: measure(given.requests, given.trace))


if __name__ == "__main__":
    main()
