"""Workers with a slow network between them, on one machine: `python -m benchmarks.scale_out --far [--quick]`.

8 and 16 workers, each a process with a small share of a core, share a training. What one sends to another leaves it at
BANDWIDTH, behind what it sends to others, and is LATENCY longer on its way (a throttled comm, as not every machine lets one
throttle its loopback). Said for each number of workers: whether the topics are bitwise those of one process, and of a step
after the warm-up the bytes that a worker sends, what the network alone takes for them, and seconds of waiting.

With so many processes on few cores the clock says little: waiting is mostly for the processor. Bytes, turns and bits hold.
"""

import asyncio
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.scale_out.trainers import ENGINE, One, Several, same
from inference import Bow, engines, simulate
from inference.cluster import join, member
from tests.inference.cluster import Cluster, running

LATENCY, BANDWIDTH = (
    5.0e-3,
    12.5e6,
)  # seconds a message, bytes a second: 100 Mbit/s, and two sites some hundred km apart
WORKERS = 8, 16


class FarMember(member.Member):
    """A worker behind a line of its own."""

    free = 0.0  # when the line will have sent what is sent by now

    async def _send(self, peer: str, deal: str, turn: tuple[int, int], rank: int, message: member.Packed) -> None:
        now = time.monotonic()
        self.free = max(now, self.free) + message[1].nbytes / BANDWIDTH
        await asyncio.sleep(self.free + LATENCY - now)
        await super()._send(peer, deal, turn, rank, message)


class FarCluster(Cluster):
    WORKER = "benchmarks.scale_out.far"


def main(quick: bool) -> None:
    D, V, K, minibatch = (2_000, 1_000, 20, 500) if quick else (16_000, 8_000, 200, 4_000)
    bow = simulate.corpus(D, K // 4, V, 60, seed=1)[0]
    with TemporaryDirectory() as name:
        home = Path(name)
        bow.save(home / "bow")
        bow = Bow.open(home / "bow")
        config = engines.config(ENGINE.NAME, topics=K, passes=4, minibatch=minibatch).resolve(bow.D, bow.tokens)
        print(
            f"{D:,} documents, {bow.tokens:,} tokens, K = {K}, minibatch {minibatch:,}; {LATENCY * 1e3:g} ms, {BANDWIDTH * 8e-6:g} Mbit/s"
        )
        one = One(bow, config)
        cpu = [one.one_pass()[1] for _ in range(config.passes)][-1]
        topics = ENGINE.topics(config, one.state)
        steps = one.schedule.paces.later
        print(f"one process: {cpu / steps * 1e3:.0f} ms of the processor a step; load {os.getloadavg()[0]:.1f}")
        print(
            "workers | kB sent a step | ms of the network alone | ms a step: processor of the worst, waiting of the least | bitwise"
        )
        for W in WORKERS:
            with running(home, workers=W, kind=FarCluster) as cluster:
                several = Several(bow, config, home, cluster, W)
                for _ in range(config.passes):
                    several.one_pass()
                bitwise = same(topics, several.topics())
                spent, sent = several.spent, several.sent
                several.team.__exit__()
            waits, worst = min(s["exchanging"] for s in spent) / steps, max(s["cpu"] for s in spent) / steps
            alone = sent / BANDWIDTH + 2 * LATENCY
            print(
                f"{W} | {sent / 1e3:,.0f} | {alone * 1e3:.0f} | {worst * 1e3:.0f}, {waits * 1e3:.0f} | {'yes' if bitwise else 'no'}",
                flush=True,
            )


if __name__ == "__main__":
    join.main(sys.argv[1:], Path.cwd(), FarMember)
