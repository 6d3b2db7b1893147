"""What the web side costs at ten million documents, 2,000 topics and ten thousand runs, on made data: docs/scaling.md has the
table.

    python -m benchmarks.ten_million orders [--documents N]      # lists of documents: pages, previous and next
    python -m benchmarks.ten_million similar [--documents N]     # the documents most like one
    python -m benchmarks.ten_million comparison [--topics K]     # two runs of K topics beside each other
    python -m benchmarks.ten_million partitions [--runs N] [--layout flat|grouped]

The last one needs DATABASE_URL, of a running Topograph's Postgres; it makes tables of its own there, a partition for each
run, in groups of 1,000 and without groups, and removes them.

Prints processor seconds, and bytes where they matter; the seconds of the clock are those of an idle machine alone.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np

K = 200  # topics of the made documents, three each
LISTED = 5_000  # words that each topic of a compared run lists
VOCABULARY = 150_000
ASKED = 60  # documents whose like are asked for


def timed(what: str, work: Callable[[], object], times: int = 1) -> object:
    """Print the processor's milliseconds of one call: the least of several."""
    least, result = np.inf, None
    for _ in range(times):
        began = time.process_time()
        result = work()
        least = min(least, time.process_time() - began)
    print(f"{what}: {1000 * least:,.2f} ms")
    return result


@contextmanager
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="ten-million-"))
    try:
        yield made
    finally:
        shutil.rmtree(made)


# Lists of documents


def orders(D: int) -> None:
    import django

    django.setup()
    from webapp.documents import fields, listing
    from webapp.metadata.columns import Columns, Writer
    from webapp.results import evidence

    rng = np.random.default_rng(1)
    with folder() as at:
        days = rng.integers(700_000, 736_000, D, dtype=np.int32)
        days[rng.random(D) < 0.05] = 0
        writer = Writer(at / "columns")
        days.tofile(at / "columns" / "dates")
        writer.dates = (at / "columns" / "dates").open("ab")
        timed("dates put in order by the task, twice", lambda: writer.finish(D))
        columns = Columns(at / "columns")
        fields.dates, fields.by_date = lambda version: columns.dates, lambda version, newest: columns.by_date(newest)
        counted = _evidence(at, D, rng)
        evidence.of = lambda run: counted
        mask = np.zeros(D, bool)
        mask[D // 3 :] = True
        for name, chosen in (("all documents", None), ("a set of two thirds", mask)):
            of = _selection(D, chosen, name)
            for by in ("date", "newest", "T07"):
                _pages(listing.Listing, of, by, name)
        print(f"kept in memory: {listing._lists._weight / 1e6:,.0f} MB of at most {listing._KEPT / 1e6:,.0f}")


def _pages(Listing: type, of: SimpleNamespace, by: str, name: str) -> None:
    first, following = timed(f"{name}, {by}: first page, made anew", lambda: Listing(of, by).page(None, 50))
    key, number = following.split(",")
    timed(f"{name}, {by}: first page", lambda: Listing(of, by).page(None, 50), 5)
    timed(f"{name}, {by}: next page", lambda: Listing(of, by).page((float(key), int(number)), 50), 5)
    timed(f"{name}, {by}: previous and next document", lambda: Listing(of, by).around(first[20]), 5)


def _selection(D: int, mask: np.ndarray | None, name: str) -> SimpleNamespace:
    view = SimpleNamespace(labels=SimpleNamespace(parts=lambda topic: [topic]))
    run = SimpleNamespace(pk=1, topics=K, snapshot_id=1)
    count = D if mask is None else int(np.count_nonzero(mask))
    version = SimpleNamespace(pk=1, documents=D)
    return SimpleNamespace(
        corpus=None, version=version, run=run, view=view, run_view=view, mask=mask, count=count, q="", key=(name,), parameters=[]
    )  # fmt: skip


def _evidence(at: Path, D: int, rng: np.random.Generator, apart: bool = False, most: int = 60):
    """apart: a document's three topics have nothing to do with each other. most: tokens of each, fewer than that."""
    from inference import evidence

    at = at / "evidence"
    at.mkdir()
    doc_ptr = np.arange(0, 3 * D + 1, 3)
    first = rng.integers(0, K // 3, D, dtype=np.uint16)
    others = [rng.integers(0, K // 3, D, dtype=np.uint16) if apart else first for _ in range(2)]
    np.stack([first, others[0] + K // 3, others[1] + 2 * (K // 3)], axis=1).tofile(at / "doc_topics")
    tokens = rng.integers(1, most, (D, 3), dtype=np.int32)
    tokens.tofile(at / "doc_tokens")
    lengths = tokens.sum(axis=1, dtype=np.int64)
    bow = SimpleNamespace(first_token=np.concatenate([[0], np.cumsum(lengths)]), lengths=lengths)
    evidence._rank(at, bow, doc_ptr, K)
    names = {"doc_topics": np.uint16, "doc_tokens": np.int32, "by_share": np.int32, "by_tokens": np.int32}
    arrays = {name: np.memmap(at / name, dtype, "r") for name, dtype in names.items()}
    words = ("topics", "certainty", "word_topics", "word_certainty", "held_topics", "held_tokens", "held_documents")
    nothing = dict.fromkeys(words, np.zeros(0, np.uint8))
    return evidence.Evidence(bow, None, doc_ptr, np.load(at / "topic_ptr.npy"), np.zeros(1, np.int64), arrays | nothing)


def similar(D: int) -> None:
    from inference.explore.similar import nearest

    rng = np.random.default_rng(1)
    with folder() as at:
        counted = _evidence(at, D, rng, apart=True, most=10)
        taken, looked, exact = [], [], 0
        for d in rng.integers(0, D, ASKED + 1).tolist():  # the first one compiles
            mixture = np.zeros(K)
            topics, tokens = counted.mixture(d)
            mixture[topics] = tokens / tokens.sum()
            began = time.process_time()
            found = nearest(counted, mixture, 10, d)
            taken.append(1000 * (time.process_time() - began))
            looked.append(found.looked)
            exact += found.exact
        for what, values in (("ms", taken[1:]), ("documents looked at", looked[1:])):
            print(
                f"{what}: median {np.median(values):,.0f}, 95% {np.quantile(values, 0.95):,.0f}, most {max(values):,.0f}"
            )
        print(f"exact: {exact} of {ASKED + 1}")


# Two runs beside each other


def comparison(topics: int) -> None:
    from inference.explore import matching
    from inference.topics import Topics

    def made(seed: int) -> Topics:
        """Words by Zipf's law, so that frequent ones are listed by most topics."""
        rng = np.random.default_rng(seed)
        frequency = 1 / np.arange(1, VOCABULARY + 1) ** 0.8
        words, weights = [], []
        for _ in range(topics):
            own = np.unique(rng.choice(VOCABULARY, 2 * LISTED, p=frequency / frequency.sum()))[:LISTED]
            rng.shuffle(own)
            weight = np.sort(rng.pareto(1.0, len(own)) + 0.01)[::-1]
            words.append(own.astype(np.int32))
            weights.append((0.98 * weight / weight.sum()).astype(np.float32))
        indptr = np.cumsum([0, *map(len, words)])
        unlisted = VOCABULARY - np.diff(indptr)
        floor, share = 0.02 / unlisted, np.full(topics, 1 / topics)
        return Topics(
            indptr,
            np.concatenate(words),
            np.concatenate(weights),
            floor,
            np.full(topics, 0.02),
            share,
            VOCABULARY,
            np.ones(topics, bool),
        )

    a, b = made(1), made(2)
    small = range(VOCABULARY)
    print(f"K = {topics}, {len(a.words):,} listed words each, {_peak():,.0f} MB at most to make them")
    few = Topics(a.indptr[:2], a.words[: a.indptr[1]], a.weights[: a.indptr[1]], *(of[:1] for of in a[3:6]), VOCABULARY)
    matching.match(few, few, small, small)  # compiles
    timed("compared and matched", lambda: matching.match(a, b, small, small))
    print(f"{_peak():,.0f} MB at most with that")


def _peak() -> float:
    """Megabytes that this process had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


# Ten thousand runs


GROUPS = {"flat": 0, "grouped": 1000}  # layout -> runs of a group


def partitions(runs: int, layouts: Iterable[str]) -> None:
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        for name in layouts:
            group = GROUPS[name]
            try:
                _partitioned(connection, name, runs, group)
                _asked(name, runs, group)
            finally:
                _drop(connection, name)


def _partitioned(connection, name: str, runs: int, group: int) -> None:
    columns = (
        "(s bigint NOT NULL, topic int NOT NULL, rank int NOT NULL, word int NOT NULL, PRIMARY KEY (s, topic, rank))"
    )
    connection.execute(f"CREATE TABLE {name} {columns} PARTITION BY {'RANGE' if group else 'LIST'} (s)")
    connection.execute(f"CREATE INDEX ON {name} (s, word, topic)")
    began = time.monotonic()
    for s in range(runs):
        _attach(connection, name, s, group)
    print(f"{name}: {runs:,} partitions made in {time.monotonic() - began:.0f} s of the clock")


def _attach(connection, name: str, s: int, group: int) -> None:
    parent = name
    if group:
        parent = f"{name}_from_{s // group * group}"
        if s % group == 0:
            connection.execute(
                f"CREATE TABLE {parent} PARTITION OF {name} FOR VALUES FROM ({s}) TO ({s + group}) PARTITION BY LIST (s)"
            )
    connection.execute(f"CREATE TABLE {name}_{s} (LIKE {name}, CHECK (s = {s}))")
    connection.execute(f"ALTER TABLE {parent} ATTACH PARTITION {name}_{s} FOR VALUES IN ({s})")


def _asked(name: str, runs: int, group: int) -> None:
    """A new connection asks of one run, of a hundred, and again after a run was published."""
    import psycopg

    with (
        psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as reader,
        psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as writer,
    ):
        pid = reader.info.backend_pid

        def ask(s: int) -> None:
            reader.execute(f"SELECT count(*) FROM {name} WHERE s = {s} AND topic = 1").fetchone()

        def spent(work: Callable[[], object]) -> float:
            before = _processor(pid)
            work()
            return 1000 * (_processor(pid) - before)

        print(f"{name}: a connection's first question {spent(lambda: ask(runs // 2)):.0f} ms of the server's processor")
        print(f"{name}: a hundred of the same run {spent(lambda: [ask(runs // 2) for _ in range(100)]):.0f} ms")
        print(f"{name}: of a hundred runs {spent(lambda: [ask(s) for s in range(0, runs, runs // 100)]):.0f} ms")

        def published() -> None:
            for n in range(20):
                _attach(writer, name, runs + n, group)
                ask(runs // 2)

        print(f"{name}: after a run was published, each {spent(published) / 20:.1f} ms")
        used = "SELECT sum(used_bytes) FROM pg_backend_memory_contexts"
        print(f"{name}: memory of the connection {float(reader.execute(used).fetchone()[0]) / 1e6:.1f} MB")


def _processor(pid: int) -> float:
    """Seconds of a process; Linux counts them in nanoseconds here."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def _drop(connection, name: str) -> None:
    """One by one, as Postgres has no room for so many locks at once."""
    kinds = "SELECT relname FROM pg_class WHERE relname ~ %s AND relkind = %s"
    for kind in "rp":
        for (table,) in connection.execute(kinds, [f"^{name}_", kind]).fetchall():
            connection.execute(f"DROP TABLE {table}")
    connection.execute(f"DROP TABLE {name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["orders", "similar", "comparison", "partitions"])
    parser.add_argument("--documents", type=int, default=10_000_000)
    parser.add_argument("--topics", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--layout", choices=GROUPS, help="of the partitions (default: one after the other)")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    if options.part == "orders":
        orders(options.documents)
    elif options.part == "similar":
        similar(options.documents)
    elif options.part == "comparison":
        comparison(options.topics)
    else:
        partitions(options.runs, [options.layout] if options.layout else GROUPS)


if __name__ == "__main__":
    main()
