"""Where the seconds of a run go, from the press of the button to topics one can browse, by part.

    .venv/bin/python -m benchmarks.profile [CORPUS] [--topics 50,500,2000] [--passes N] [--threads 1] [--wall] [--copy] [--json FILE]
        [--documents N]

CORPUS: a name or a path as for benchmarks.engines; the example, where none is given. --documents: instead of its documents so many made
ones, each 44 words of one of them. It does in one process what the job of
a run does (webapp/runs/training.py), by the same functions, and prints a table: a row for each part, a column for each
number of topics, seconds of the processor (--wall: of the clock, for an idle machine). --copy: rows are copied into the
Postgres of a running Topograph, too, in a transaction that is taken back. Compiling is not counted, nor what needs
the words themselves: names of topics, the overview. The last line is `judged:
P`, the largest share of a training that judging took, in per cent.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numba
import numpy as np

import inference
from benchmarks.engines import corpora
from inference import Bow, Evidence, Postings, Snapshot, Topics, checkpoint, compiling, engines
from inference.durable import settle
from inference.evaluate import Coherence, Completion, Diagnostics
from inference.explore.company import company
from inference.explore.distances import divergences
from inference.explore.layout import layout, stress

JUDGING = ("topics", "completion", "coherence", "settled")
TRAINING = ("judges made", "steps", *JUDGING, "last completion")
LENGTH = 44  # words of a made document
KEY = 2_000_000_000  # of partitions that no snapshot has


class Parts:
    """Seconds by part."""

    def __init__(self, timer: Callable[[], float]):
        self.timer, self.seconds, self.points = timer, {}, 0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = self.timer()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + self.timer() - began

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args, **kwargs):
            with self.part(name):
                return function(*args, **kwargs)

        return call

    def pulled(self, name: str, items: Iterable[Any]) -> Iterator[Any]:
        """The items; the time that each takes is the part's."""
        iterator = iter(items)
        while True:
            with self.part(name):
                item = next(iterator, None)
            if item is None:
                return
            yield item

    @property
    def judged(self) -> float:
        """The share of a training that goes into judging, the last and exact completion left out."""
        judging = sum(self.seconds.get(name, 0.0) for name in JUDGING)
        return judging / (judging + self.seconds["steps"])


@numba.njit(cache=True)
def _draw(tokens, starts, sources, length, seed):
    """int64[len(sources), length]: for each source, a document, so many of its tokens without replacement, sorted."""
    np.random.seed(seed)
    out = np.empty((len(sources), length), np.int64)
    for i, d in enumerate(sources):
        left = tokens[starts[d] : starts[d + 1]].copy()
        for j in range(length):
            k = np.random.randint(j, len(left))
            left[j], left[k] = left[k], left[j]
        out[i] = np.sort(left[:length])
    return out


def made(bow: Bow, documents: int) -> Bow:
    """So many documents of LENGTH tokens, each drawn from a document of at least as many."""
    return drawn(bow, np.random.default_rng(0).choice(at_least(bow, LENGTH), documents), LENGTH)


def at_least(bow: Bow, length: int) -> np.ndarray:
    """int64[n], ascending: the documents of so many tokens or more."""
    return np.flatnonzero(np.diff(bow.first_token) >= length)


def drawn(bow: Bow, sources: np.ndarray, length: int) -> Bow:
    """For each of some documents, int64[n], one of so many of its tokens, drawn without putting back."""
    tokens = _draw(np.repeat(bow.words, bow.counts).astype(np.int64), bow.first_token, sources, length, 0)
    starts = np.ones(tokens.shape, bool)
    starts[:, 1:] = tokens[:, 1:] != tokens[:, :-1]
    at = np.flatnonzero(starts)
    indptr = np.append(0, np.cumsum(starts.sum(axis=1)))
    return Bow(indptr, tokens.ravel()[at], np.diff(np.append(at, tokens.size)), bow.V)


def trained(parts: Parts, engine: Any, config: Any, bow: Bow, threads: int) -> Snapshot:
    """The last snapshot of a training whose parts are timed."""
    clocked = SimpleNamespace(**{name: getattr(engine, name) for name in dir(engine) if not name.startswith("__")})
    clocked.step, clocked.topics = parts.timed("steps", engine.step), parts.timed("topics", engine.topics)
    patches = (
        mock.patch.object(Completion, "__init__", parts.timed("judges made", Completion.__init__)),
        mock.patch.object(Coherence, "__init__", parts.timed("judges made", Coherence.__init__)),
        mock.patch.object(Completion, "estimate", parts.timed("completion", Completion.estimate)),
        mock.patch.object(Completion, "quick", parts.timed("settled", Completion.quick)),
        mock.patch.object(Completion, "__call__", parts.timed("last completion", Completion.__call__)),
        mock.patch.object(Coherence, "__call__", parts.timed("coherence", Coherence.__call__)),
    )
    for patch in patches:
        patch.start()
    try:
        for event in inference.train(clocked, config, bow, threads=threads):
            if isinstance(event, Snapshot):
                parts.points += 1
                last = event
    finally:
        for patch in patches:
            patch.stop()
    return last


def stored(parts: Parts, engine: Any, config: Any, bow: Bow, last: Snapshot, folder: Path, copy: bool) -> None:
    """What the job does at the end (webapp/runs/training.py: Training._publish, webapp/runs/snapshots.py: publish)."""
    from webapp.runs import left_to_right, snapshots

    with parts.part("checkpoint"):
        checkpoint.save(folder / "checkpoint", last.state, engine=engine, config=config, bow=bow)
    topics = engine.topics(config, last.state)
    Postings.write(folder / "by_word", bow)  # a corpus has them
    postings = Postings.open(folder / "by_word")
    thetas = parts.pulled("fold-in", inference.fold_in_corpus(engine, config, last.state, bow))
    with parts.part("evidence and fold-in"):
        list(inference.gather(folder / "evidence", bow, postings, topics, thetas, by_document=engine.BY_DOCUMENT))
    parts.seconds["evidence"] = parts.seconds.pop("evidence and fold-in") - parts.seconds["fold-in"]
    evidence = Evidence.open(folder / "evidence", bow, postings)
    with parts.part("evidence"):
        settle(folder / "evidence", folder)
    with parts.part("measures"):
        measures = Diagnostics(bow)(topics, evidence)
    with parts.part("left to right"):
        left_to_right.measure(bow, 0, topics, engine.priors(config, last.state).alpha)
    with parts.part("distances"):
        apart = divergences(topics)
    outcome = snapshots.Outcome(evidence, measures, apart, [""] * topics.K, company(evidence))
    with parts.part("map"):
        xy = layout(apart)
        stress(xy, apart)
    rows(parts, topics, outcome, xy, copy)


def rows(parts: Parts, topics: Topics, outcome: Any, xy: np.ndarray, copy: bool) -> None:
    """Rows of the database: made, and copied where there is one."""
    from django.db import transaction

    from webapp.runs import snapshots
    from webapp.storage import bulk

    by_topic = np.zeros(topics.K, np.int64)
    with parts.part("rows of topics and words made"):
        words = list(snapshots._counted(snapshots._topic_rows(topics, outcome), by_topic))
    with parts.part("rows of topics made, neighbours"):
        used = np.ones(topics.K, bool)
        given = topics, outcome.measures.coherence, by_topic, used, outcome, xy, outcome.names
        snapshots._topics(snapshots.Snapshot(pk=KEY), *given, snapshots._background(outcome))
    if not copy:
        return
    with transaction.atomic():
        with parts.part("COPY topic_word"):
            partition = bulk.Partition("topic_word", KEY)
            partition.create()
            partition.write_arrays(words)
            partition.attach()
        transaction.set_rollback(True)


def table(found: dict[int, Parts]) -> list[str]:
    names = list(dict.fromkeys(name for parts in found.values() for name in parts.seconds))
    lines = [f"| seconds | {' | '.join(f'K = {K:,}' for K in found)} |", "|---" * (len(found) + 1) + "|"]
    for name in names:
        lines.append(f"| {name} | {' | '.join(f'{p.seconds.get(name, 0.0):.2f}' for p in found.values())} |")
    lines.append(f"| **all** | {' | '.join(f'**{sum(p.seconds.values()):.2f}**' for p in found.values())} |")
    lines.append(f"| points of the chart | {' | '.join(str(p.points) for p in found.values())} |")
    lines.append(f"| judging, share of the training | {' | '.join(f'{p.judged:.1%}' for p in found.values())} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", default="sotu")
    parser.add_argument("--topics", default="50,500,2000")
    parser.add_argument("--passes", type=int, help="default: as many as a run has")
    parser.add_argument("--engine", choices=list(engines.ENGINES), default=engines.DEFAULT)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true", help="the clock's seconds, not the processor's")
    parser.add_argument("--copy", action="store_true", help="needs a running Topograph")
    parser.add_argument("--documents", type=int, metavar="N")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    ready(given.copy)
    compiling.warm_up() if given.engine != engines.DEFAULT else (compiling.usual(), compiling.rest())
    timer = time.perf_counter if given.wall else time.process_time
    name, bow, _ = corpora.load(given.corpus)
    if given.documents:
        name, bow = f"{name}, documents made of it", made(bow, given.documents)
    found: dict[int, Parts] = {}
    engine = engines.get(given.engine)
    print(
        f"{name}: {bow.D:,} documents, {bow.V:,} words, {bow.tokens:,} tokens; {given.engine}, {given.threads} thread(s)"
    )
    for K in map(int, given.topics.split(",")):
        parts = found[K] = Parts(timer)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            bow.save(folder / "bow")
            with parts.part("loading"):
                opened = Bow.open(folder / "bow")
            settings = {"topics": K} | ({"passes": given.passes} if given.passes else {})
            config = engines.config(given.engine, **settings).resolve(bow.D, bow.tokens)
            last = trained(parts, engine, config, opened, given.threads)
            stored(parts, engine, config, opened, last, folder, given.copy)
    print("\n".join(table(found)))
    if given.json:
        said = {str(K): {"seconds": p.seconds, "points": p.points, "judged": p.judged} for K, p in found.items()}
        given.json.write_text(
            json.dumps({"corpus": name, "clock": "wall" if given.wall else "processor", "parts": said}, indent=1)
        )
    print(f"judged: {100 * max(parts.judged for parts in found.values()):.1f}")


def ready(copy: bool) -> None:
    """Django, with the database of a running Topograph where rows are to be copied, else with none that is ever asked."""
    from webapp.local import servers

    nowhere = "postgresql://localhost/none", "redis://localhost/0"
    os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = servers.urls() if copy else nowhere
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    import django

    django.setup()


if __name__ == "__main__":
    main()
