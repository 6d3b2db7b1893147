"""Odd collections for as long as is wanted, each with every page of it.

    python -m tests.odd [--minutes N] [--from SEED] [--pages N] [--only NAME]

First those that once broke a page, then drawn ones, each by its seed. It starts a database and a
Redis of its own in a folder that is removed. Every failure is printed with its address and cause;
the last line is `failed: F of N collections, M pages`, and the exit status says whether F is 0.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from tests.odd.collections import Collection, drawn, known

PAGES = 400  # of one collection


def collections(first_seed: int, only: str) -> Iterator[Collection]:
    """Without end: the known ones, then drawn ones."""
    listed = itertools.chain(
        known() if first_seed == 0 else [], (drawn(seed) for seed in itertools.count(first_seed))
    )
    if only:
        return (c for c in itertools.islice(listed, 10_000) if c.name == only)
    return listed


def run(minutes: float, first_seed: int, most: int, only: str) -> int:
    """How many collections failed."""
    from tests.odd.asking import forget, try_collection

    deadline = time.monotonic() + 60 * minutes
    failed = tried = refused = pages = 0
    slowest = 0.0
    causes: dict[str, int] = {}
    for collection in collections(first_seed, only):
        if time.monotonic() > deadline:
            break
        outcome = try_collection(collection, most)
        forget(outcome)
        tried += 1
        pages += outcome.pages
        slowest = max(slowest, outcome.slowest)
        refused += bool(outcome.refused)
        failed += bool(outcome.failures)
        print(f"{collection.name}: {outcome.pages} pages {outcome.refused}", flush=True)
        for failure in outcome.failures:
            cause = failure.partition(": ")[2]
            causes[cause] = causes.get(cause, 0) + 1
            if causes[cause] == 1:
                print(f"  FAILED {failure}", flush=True)
        if only:
            break
    print(f"causes: {len(causes)} refused: {refused} slowest: {slowest:.1f} s")
    print(f"failed: {failed} of {tried} collections, {pages} pages")
    return failed


def with_servers(act: Callable[[], object]) -> None:
    """Do something with a database and a Redis of its own, in a folder that is removed."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("DATABASE_URL", "REDIS_URL"):
            os.environ.pop(name, None)
        os.environ["TOPOGRAPH_DATA"] = f"{folder}/data"
        os.environ["DJANGO_SETTINGS_MODULE"] = "webapp.settings"
        from webapp.platform.local import migrations, servers

        with servers.for_command():
            migrations.bring_up_to_date(dict(os.environ))
            import django

            django.setup()
            act()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--from", dest="first_seed", type=int, default=0)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--only", default="", help="the name of one collection")
    given = parser.parse_args()
    failed: list[int] = []
    with_servers(
        lambda: failed.append(run(given.minutes, given.first_seed, given.pages, given.only))
    )
    sys.exit(bool(failed[0]))


if __name__ == "__main__":
    main()
