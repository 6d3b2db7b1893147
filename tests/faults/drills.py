"""Fault drills: processes and servers are killed at random moments, and the work under way must end
with the same results as without that.

    python -m tests.faults.drills [--quick] [--rounds N | --minutes N] [--blows N] [--seed N]
    [--only WORDS]

Each drill begins the same run, and the reading of the same corpus, waits for a random step of the
run, or until it stores its results, causes a fault, and waits until both are done; with --blows it
causes up to so many, each of another kind and at a later moment, and the run has more passes. The
drill counts as lost where one of the two is not done within its time, lost its process though
nothing was done to it, continues from an older checkpoint than there was, or differs in one bit
from the undisturbed one: every document, every word, every topic's words, every document's topics,
every point of the charts. Between fault and end the run's page is asked all the time: it must show
the run, or explain with 503. Prints the table of docs/reliability.md; the last line is `lost: N of
M kills`. --minutes: as many drills as end in that time, all kinds in turn.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psycopg

from benchmarks.origin import commit
from tests.faults.topograph import ENDED, LOOK, PASSES, STUCK, Topograph, stuck

OUTAGE = 60.0  # seconds that Postgres refuses connections; with --quick 10


@dataclass
class Result:
    kills: int = 0
    lost: list[str] = field(default_factory=list)
    # Seconds until somebody works at the run again, where its process was lost
    recovered: list[float] = field(default_factory=list)
    # Share of a training that was done a second time
    repeated: list[float] = field(default_factory=list)


FAULTS: dict[str, tuple[Callable, bool]] = {  # (what is done, whether the run may lose its process)
    "the worker's child": (lambda t, r, c, random, outage: t.kill_child(r), True),
    "the worker": (lambda t, r, c, random, outage: t.kill_worker(), True),
    "the child is told to end": (
        lambda t, r, c, random, outage: t.kill_child(r, signal.SIGTERM),
        True,
    ),
    "the worker is told to end": (
        lambda t, r, c, random, outage: t.kill_worker(signal.SIGQUIT),
        True,
    ),
    "the web server": (lambda t, r, c, random, outage: t.kill_web(), False),
    "Valkey": (lambda t, r, c, random, outage: t.kill_valkey(), False),
    "Valkey emptied": (lambda t, r, c, random, outage: t.empty_valkey(), False),
    "Valkey hangs": (lambda t, r, c, random, outage: t.hang(t.valkey(), outage), False),
    "Postgres": (lambda t, r, c, random, outage: t.kill_postgres(), True),
    "Postgres is told to end": (
        lambda t, r, c, random, outage: t.kill_postgres(signal.SIGINT),
        True,
    ),
    "Postgres refuses": (lambda t, r, c, random, outage: t.refuse(outage), True),
    "Postgres hangs": (lambda t, r, c, random, outage: t.hang(t.postgres(), outage), False),
    "everything at once": (lambda t, r, c, random, outage: t.kill_everything(), True),
    "the child is stopped for a minute": (lambda t, r, c, random, outage: _hang(t, r), False),
    "the disk is full": (
        lambda t, r, c, random, outage: t.fill_disk(int(10 ** random.uniform(3, 6.5)), outage / 4),
        True,
    ),
    "heartbeats shifted by hours": (
        lambda t, r, c, random, outage: t.shift_clock(random.choice((-24, -1, 1, 24))),
        False,
    ),
    "messages delivered again": (lambda t, r, c, random, outage: t.deliver_again(r, c), False),
    "a second worker, and messages again": (lambda t, r, c, random, outage: _second(t, r, c), True),
}


def _hang(topograph: Topograph, run: int) -> None:
    """Stop the process for a minute: as it lives, no other may take its run over, and it continues
    afterwards."""
    attempt = topograph.row("run", run)[1]
    child = topograph.stop_child(run)
    if not child:
        return
    time.sleep(STUCK)
    taken_over = topograph.row("run", run)[1] != attempt
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGCONT)
    if taken_over:
        raise AssertionError("a process that was stopped for a minute lost its run")


def _second(topograph: Topograph, run: int, corpus: int) -> None:
    """It may have taken one of them when it goes."""
    with topograph.second_worker():
        time.sleep(4)
        topograph.deliver_again(run, corpus)
        time.sleep(4)


class Page:
    """Asks for a page again and again, in a thread. wrong: the first answer that should not have
    come."""

    def __init__(self, topograph: Topograph, path: str):
        self.topograph = topograph
        self.path = path
        self.wrong = ""
        self.away = 0.0
        self.since = time.monotonic()
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Page":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._left.set()
        self._thread.join()

    def struck(self) -> None:
        """From now on pages must answer: what the drill itself has to start again is started."""
        self.away = 0.0
        self.since = time.monotonic()

    def check(self) -> None:
        """Raises AssertionError where something else was seen than the page, or a 503 that says
        why."""
        if self.wrong:
            raise AssertionError(self.wrong)
        if self.away > stuck():
            raise AssertionError(f"nobody answered for {self.away:.0f} s")

    def _look(self) -> None:
        while not self._left.wait(0.5):
            status, body = self.topograph.says(self.path)
            if (
                status == 200
                or status == 503
                and ("Nothing is lost" in body or "disk is full" in body)
            ):
                self.since = time.monotonic()
            elif status:
                self.wrong = self.wrong or f"the page answered {status}: {body[:200]}"
            self.away = max(self.away, time.monotonic() - self.since)


class Drills:
    """Drills: the same work again and again, each time with faults."""

    def __init__(self, topograph: Topograph, seed: int, outage: float, faults: int):
        self.topograph = topograph
        self.random = random.Random(seed)
        self.outage = outage
        self.passes = str(max(PASSES, PASSES * faults // 2))
        began = time.monotonic()
        self.base = topograph.corpus()
        topograph.wait("corpus", self.base, 600, "ready")
        self.reading = time.monotonic() - began
        self.content = topograph.content(self.base)
        began = time.monotonic()
        run = topograph.run(self.base, passes=self.passes)
        topograph.wait("run", run, 600, "done")
        self.training = time.monotonic() - began
        self.model = topograph.model(run)
        self.points = topograph.points(run)
        self.steps = topograph.step(run)

    def strike(self, names: list[str], results: dict[str, Result]) -> str:
        """Cause faults at random moments of a run, and of a reading that began with it. Those whose
        moment does not come before the run ends are left out. Returns the faults, and what was
        wrong."""
        t = self.topograph
        t.ready()
        struck: list[str] = []
        while not struck:
            corpus = t.draft()
            run = t.run(self.base, passes=self.passes)
            t.read(corpus)
            page = Page(t, f"/runs/{run}.json")
            try:
                with page:
                    for name, share in zip(
                        names, sorted(self.random.uniform(0, 1.15) for _ in names), strict=True
                    ):
                        if not self._moment(run, share):
                            break
                        struck.append(name)
                        self._cause(name, run, corpus, page, results[name])
                if struck:
                    self._compare(run, corpus, any(FAULTS[name][1] for name in struck))
            except (AssertionError, TimeoutError, OSError, psycopg.Error) as error:
                wrong = f"{', then '.join(struck)}, run {run}, corpus {corpus}: {error}"
                results[struck[-1]].lost.append(wrong)
                return wrong
        return f"{', then '.join(struck)}: ok"

    def _cause(self, name: str, run: int, corpus: int, page: "Page", result: Result) -> None:
        t = self.topograph
        step = t.step(run)
        before = t.row("run", run)
        kept = t.saved(run)
        result.kills += 1
        at = time.monotonic()
        FAULTS[name][0](t, run, corpus, self.random, self.outage)
        page.struck()
        self._resumed(run, before, step, kept, at, result)
        t.ready()
        page.check()

    def _compare(self, run: int, corpus: int, may_lose: bool) -> None:
        """Wait until both are done, and compare them with the undisturbed ones. Raises
        AssertionError or TimeoutError. may_lose: whether a fault may have ended their process."""
        t = self.topograph
        limit = 3 * stuck() + 10 * (self.training + self.reading) + self.outage
        for kind, pk, good in (("run", run, "done"), ("corpus", corpus, "ready")):
            if (status := t.wait(kind, pk, limit)) != good:
                raise AssertionError(f"{kind} {pk} {status}: {t.error(kind, pk)}")
        same = {
            "documents, words or bag of words": t.content(corpus) == self.content,
            "model or charts": t.model(run) == self.model,
        }
        if wrong := [what for what, is_same in same.items() if not is_same]:
            raise AssertionError(f"other {', '.join(wrong)}")
        if t.points(run) != self.points:
            raise AssertionError(f"{t.points(run)} points of the charts, {self.points} undisturbed")
        if not may_lose and (attempts := [t.row("run", run)[1], t.row("corpus", corpus)[1]]) != [
            1,
            1,
        ]:
            raise AssertionError(
                f"attempts at run and corpus: {attempts}, though nothing was done to their"
                " processes"
            )

    def _moment(self, run: int, share: float) -> bool:
        """Wait until a run has come so far: a share of its steps, or beyond 1 until its results are
        stored. False where it came to its end before."""
        t = self.topograph
        while True:
            status, _ = t.row("run", run)
            if status in ENDED:
                return False
            if status == "storing" if share > 1 else t.step(run) >= share * self.steps:
                time.sleep(self.random.uniform(0, 0.5))
                return True
            time.sleep(LOOK)

    def _resumed(
        self, run: int, before: tuple[str, int], step: int, kept: int, at: float, result: Result
    ) -> None:
        """Wait until another attempt is at work, where one must be: how long it took, and what it
        does again."""
        t = self.topograph
        known = None
        deadline = at + stuck() + self.outage + 60
        while time.monotonic() < deadline:
            status, attempt = t.row("run", run)
            if status in ENDED:
                return
            # Long enough for the dead to be so
            if status and attempt == before[1] and time.monotonic() - at > 5:
                known = t.step(run) if known is None else known
                if t.step(run) > known:
                    return  # it was not hit
            if attempt > max(before[1], 1):
                result.recovered.append(time.monotonic() - at)
                saved = t.saved(run)
                result.repeated.append(max(0, step - saved) / self.steps)
                if saved < kept:
                    raise AssertionError(
                        f"it continues from step {saved}, though there was a checkpoint of step"
                        f" {kept}"
                    )
                return
            time.sleep(LOOK)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="one fault of each kind, and shorter outages"
    )
    parser.add_argument(
        "--rounds", type=int, help="faults of each kind (default: 10; with --quick 1)"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        help="rounds until this time is over, also if some kinds have had fewer then",
    )
    parser.add_argument(
        "--blows", type=int, default=1, metavar="N", help="so many at each run, one after the other"
    )
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument(
        "--only",
        default="",
        help="only kinds of fault whose name has one of these words, separated by commas",
    )
    parser.add_argument("--port", type=int, default=8421)
    given = parser.parse_args()
    ends = time.monotonic() + 60 * given.minutes if given.minutes else None
    rounds = given.rounds or (1 if given.quick else 10**6 if ends else 10)
    print(
        f"seed {given.seed}; commit {commit()}, {os.cpu_count()} cores, load"
        f" {os.getloadavg()[0]:.0f}",
        flush=True,
    )
    names = [name for name in FAULTS if any(words in name for words in given.only.split(","))]
    results = {name: Result() for name in names}
    longest = 0.0
    with tempfile.TemporaryDirectory(prefix="topograph-drills-") as folder:
        topograph = Topograph(Path(folder) / "data", given.port)
        try:
            drills = Drills(topograph, given.seed, 10.0 if given.quick else OUTAGE, given.blows)
            print(
                f"undisturbed: read in {drills.reading:.1f} s, trained in {drills.training:.1f} s,"
                f" {drills.points} points",
                flush=True,
            )
            while due := [name for name in names if results[name].kills < rounds]:
                began = time.monotonic()
                if ends and began + longest > ends:
                    break
                drills.random.shuffle(due)
                due.sort(key=lambda name: results[name].kills)  # all kinds in turn
                outcome = drills.strike(due[: given.blows], results)
                longest = max(longest, time.monotonic() - began)
                print(f"  {outcome}, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("broken off", flush=True)  # what there is is told
        finally:
            topograph.stop()
    print(
        "\n| fault | kills | lost | at work again after, s (median, most) | done again, share of"
        " the training (most) |\n|---|---|---|---|---|"
    )
    for name, result in results.items():
        again = (
            f"{np.median(result.recovered):.0f}, {max(result.recovered):.0f}"
            if result.recovered
            else "it went on"
        )
        share = f"{max(result.repeated):.1%}" if result.repeated else "none"
        print(f"| {name} | {result.kills} | {len(result.lost)} | {again} | {share} |")
    for line in (line for result in results.values() for line in result.lost):
        print(line)
    print(
        f"lost: {sum(len(r.lost) for r in results.values())} of"
        f" {sum(r.kills for r in results.values())} kills"
    )


if __name__ == "__main__":
    main()
