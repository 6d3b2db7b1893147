"""What many workers would do, from what this machine can measure: `python -m benchmarks.scale_out --model [--quick]`.

The sites of 1, 2, 4 and 16 workers take the same step one after another in this process, each with one thread: seconds of the
processor of the slowest site, and bytes that reach it. With A / W + B fitted to the seconds, and a network of which bandwidth
and latency are said, that gives a step for 64 workers, and from it hours for collections of 10 and 44 million documents.
Nothing of more than 16 sites, and no real network, is measured; the collection is made: 60 tokens a document.
"""

import copy
import time
from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np

from inference import Bow, engines, simulate
from inference.cluster.share import divide
from inference.engines.contract import Site
from inference.training import Schedule, held_out_documents

SEED, LENGTH = 1, 60
ENGINE = engines.get(engines.DEFAULT)
MEASURED, SHOWN = (1, 2, 4, 16), (1, 2, 4, 8, 16, 32, 64)
# Topics, documents, words; documents of a step: small, in the warm-up and after it
QUICK, FULL = (200, 6_000, 4_000, 512, 2_048, 4_096), (2_000, 36_000, 20_000, 2_048, 16_384, 18_000)
BANDWIDTH, LATENCY = 1.0e9, 0.5e-3  # bytes and seconds a message: 10 Gbit/s Ethernet, as assumed
COLLECTIONS = 10_000_000, 44_000_000
PASSES = 1  # after the warm-up: what the engine chooses for so many words


class Cost(NamedTuple):
    """Of a step of so many documents. seconds: of the slowest site's processor, by workers; received: bytes, likewise."""

    documents: int
    seconds: dict[int, float]
    received: dict[int, int]

    def fit(self) -> tuple[float, float]:
        """A and B of A / W + B, by least squares of relative errors; neither below 0."""
        W, seconds = np.array(list(self.seconds), float), np.array(list(self.seconds.values()))
        (a, b), *_ = np.linalg.lstsq(np.stack([1 / W, np.ones(len(W))], axis=1) / seconds[:, None], np.ones(len(W)))
        return max(a, 0.0), max(b, 0.0)

    def step(self, W: int) -> float:
        """Seconds of a step with W workers, the network's included. Between what was measured bytes are interpolated."""
        if W == 1:
            return self.seconds[1]
        a, b = self.fit()
        known = sorted(self.received)[1:]
        bytes_ = np.interp(W, known, [self.received[w] for w in known])
        return a / W + b + bytes_ / BANDWIDTH + 2 * LATENCY


def sites(config, bow: Bow, state, W: int) -> list:
    """(site, state) of each of W workers, as they are when one process has `state`."""
    bounds = divide(bow, W)
    out = []
    for rank in range(W):
        own = copy.copy(state)
        for name in ("start", "length", "capacity", "arena_topics", "arena_values", "totals"):
            setattr(own, name, getattr(state, name).copy())
        place = slice(bow.first_token[bounds[rank]], bow.first_token[bounds[rank + 1]])
        own.memory, own.table = state.memory[place].copy(), np.zeros(0, np.float32)
        out.append((Site.of(bow, bounds, rank), own))
    return out


def one_step(config, schedule: Schedule, places: list, documents: np.ndarray) -> tuple[float, int]:
    """(processor seconds of the slowest site, bytes that it receives), by carrying what they say."""
    steps, seconds = [], np.zeros(len(places))
    for rank, (site, state) in enumerate(places):
        began = time.process_time()
        laid = ENGINE.lay_out(site, documents)
        seconds[rank] = time.process_time() - began
        steps.append(ENGINE.divided(config, state, site, laid, schedule.shape))
    received = np.zeros(len(steps), np.int64)

    def turn(heard: list | None) -> list | None:
        said = []
        for rank, step in enumerate(steps):
            began = time.process_time()
            try:
                said.append(step.send(None if heard is None else heard[rank]))
            except StopIteration:
                said.append(None)
            seconds[rank] += time.process_time() - began
        return said if said[0] is not None else None

    said = turn(None)
    while said is not None:
        heard = [[one[rank] for one in said] for rank in range(len(steps))]
        for rank, messages in enumerate(heard):
            received[rank] += sum(a.nbytes for other, m in enumerate(messages) if other != rank for a in m)
        said = turn(heard)
    return float(seconds.max()), int(received.max())


def measure(config, bow: Bow, state, most: int) -> Cost:
    """Of a step of so many documents at the most: the first of the present pass."""
    schedule = Schedule(bow, config, held_out_documents(bow, SEED))
    k = schedule.paces.slice(state.t)[0]
    batches = [schedule.batch(t, SEED) for t in range(*(schedule.paces.steps(passes) for passes in (k, k + 1)))]
    documents = np.concatenate(batches)[:most]
    seconds, received = {}, {}
    for W in MEASURED:
        places = sites(config, bow, state, W)
        took = [one_step(config, schedule, places, documents) for _ in range(3)]
        seconds[W], received[W] = min(took[1:])  # the first makes room
    return Cost(len(documents), seconds, received)


def show(name: str, cost: Cost) -> None:
    a, b = cost.fit()
    print(
        f"{name}, {cost.documents:,} documents: "
        + "; ".join(
            f"{W} workers {cost.seconds[W] * 1000:,.0f} ms, {cost.received[W] / 1e6:.1f} MB" for W in cost.seconds
        )
        + f"; A = {a * 1000:,.0f} ms ({a / cost.documents / LENGTH * 1e9:,.0f} ns a token), B = {b * 1000:.0f} ms",
        flush=True,
    )


def main(quick: bool) -> None:
    K, D, V, small, warm_up, large = QUICK if quick else FULL
    numba.set_num_threads(1)
    bow = simulate.corpus(D, K // 4, V, LENGTH, seed=1)[0]
    config = engines.config(ENGINE.NAME, topics=K, passes=4, minibatch=small, minibatch_after=large).resolve(
        bow.D, bow.tokens
    )
    schedule = Schedule(bow, config, held_out_documents(bow, SEED))
    state = ENGINE.init(config, schedule.shape, SEED)
    warm = schedule.paces.steps(config.warm_up)

    def train(end: int) -> None:
        while state.t < end:
            ENGINE.step(config, state, bow, schedule.batch(state.t, SEED), schedule.shape)

    costs: dict[str, Cost] = {}
    train(warm - 3)
    measure(config, bow, state, small)  # compiles
    costs["warm-up, as small"] = measure(config, bow, state, small)
    costs["warm-up"] = measure(config, bow, state, warm_up)
    train(schedule.paces.steps(config.warm_up + 1))
    measure(config, bow, state, small)
    costs["after it, as small"] = measure(config, bow, state, small)
    costs["after it"] = measure(config, bow, state, large)
    for name, cost in costs.items():
        show(name, cost)
    print(f"\nHours, K = {K:,}, {LENGTH} tokens a document, {config.warm_up} passes of warm-up and {PASSES} after it")
    print("workers | " + " | ".join(f"{D / 1e6:g}M documents" for D in COLLECTIONS) + " | efficiency")
    _table(lambda W, D: _hours(costs, W, D))


def _hours(costs: dict[str, Cost], W: int, D: int) -> float:
    first, later = costs["warm-up"], costs["after it"]
    return (2 * D / first.documents * first.step(W) + PASSES * D / later.documents * later.step(W)) / 3600


def _table(hours: Callable[[int, int], float]) -> None:
    for W in SHOWN:
        each = [hours(W, D) for D in COLLECTIONS]
        print(f"{W} | " + " | ".join(f"{h:,.2f}" for h in each) + f" | {hours(1, COLLECTIONS[0]) / (W * each[0]):.2f}")
