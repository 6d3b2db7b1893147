"""Two hosts that share a training, as far as one machine can be both: `python -m benchmarks.scale_out --hosts [--quick]`.

The second host is a network namespace: an address and connections of its own, joined to the first by a line whose bandwidth is
limited (tc's token bucket). Its worker sees the shared folder at another path, and nothing where it is on the first. The scheduler,
the leader and a worker are on the first. All talk TLS, by the commands of docs/scaling.md. What it is not: a second kernel,
processor or disk, NFS, or a line with latency. Needs Linux and root.

For each bandwidth seconds a pass of one process and of the two workers, taken in turns, what a worker sends a step, and whether
the topics are bitwise one process's. At last the worker of the second host is killed. The last line is `bitwise: yes|no`.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import dask

from benchmarks.scale_out.drills import drill
from benchmarks.scale_out.trainers import ENGINE, One, Several, same
from inference import Bow, engines, simulate
from tests.inference.cluster import ROOT, Cluster, running

NAME, HERE, THERE = "topograph-far", "10.77.0.1", "10.77.0.2"
MBIT = None, 1000, 100  # a second, of the line; None: as quick as the machine
COMMANDS = re.compile(r"^openssl .*$", re.M)


class Hosts(Cluster):
    """The first worker is on the second host."""

    PROTOCOL, HOST = "tls", HERE

    def __init__(self, home: Path):
        super().__init__(home)
        self.there = home.with_name("there")  # where the second host has the folder
        self.there.mkdir(exist_ok=True)

    def start_worker(self) -> subprocess.Popen:
        arguments = [self.WORKER, "--join", self.address, "--files"]
        if self.workers:
            worker = self._run(*arguments, str(self.home))
        else:
            move = f'mount --bind {self.home} {self.there} && mount -t tmpfs none {self.home} && exec "$0" "$@"'
            within = ["ip", "netns", "exec", NAME, "unshare", "-m", "sh", "-c", move]
            worker = self._run(*arguments, str(self.there), within=within)
        self.workers.append(worker)
        return worker


@contextmanager
def line() -> Iterator[str]:
    """A second host; yields the name of the first one's end of the line to it."""
    here, there = f"{NAME[:10]}-a", f"{NAME[:10]}-b"
    try:
        _do(f"ip netns add {NAME}")
        _do(f"ip link add {here} type veth peer name {there}")
        _do(f"ip link set {there} netns {NAME}")
        _do(f"ip addr add {HERE}/24 dev {here}")
        _do(f"ip link set {here} up")
        _do(f"ip netns exec {NAME} ip addr add {THERE}/24 dev {there}")
        _do(f"ip netns exec {NAME} ip link set {there} up")
        _do(f"ip netns exec {NAME} ip link set lo up")
        yield here
    finally:
        subprocess.run(["ip", "netns", "del", NAME], check=False)


def limit(here: str, mbit: int | None) -> None:
    """Both directions of the line."""
    there = here[:-1] + "b"
    for before, device in (("", here), (f"ip netns exec {NAME} ", there)):
        subprocess.run(f"{before}tc qdisc del dev {device} root".split(), check=False, stderr=subprocess.DEVNULL)
        if mbit:
            _do(
                f"{before}tc qdisc add dev {device} root tbf rate {mbit}mbit burst {max(32, mbit // 4)}kb latency 400ms"
            )


def certify(folder: Path) -> None:
    """An authority and a certificate, by docs/scaling.md; dask, here and in what is started from here, asks for them."""
    for command in COMMANDS.findall((ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")):
        subprocess.run(command, shell=True, cwd=folder, check=True, stderr=subprocess.DEVNULL)
    settings = {"REQUIRE_ENCRYPTION": "true", "TLS__CA_FILE": folder / "ca.pem"}
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        settings |= {f"TLS__{role}__CERT": folder / "member.pem", f"TLS__{role}__KEY": folder / "member.key"}
    os.environ |= {f"DASK_DISTRIBUTED__COMM__{name}": str(value) for name, value in settings.items()}
    dask.config.refresh()


def main(quick: bool) -> None:
    if sys.platform != "linux" or os.geteuid():
        raise SystemExit("Network namespaces need Linux and root.")
    D, V, K, minibatch = (6_000, 2_000, 50, 3_000) if quick else (32_000, 10_000, 100, 8_000)
    bow = simulate.corpus(D, 50, V, 80, seed=1)[0]
    with TemporaryDirectory() as name, line() as here:
        home = Path(name) / "here"
        home.mkdir()
        certify(Path(name))
        bow.save(home / "bow")
        bow = Bow.open(home / "bow")
        config = engines.config(ENGINE.NAME, topics=K, passes=6, minibatch=minibatch).resolve(bow.D, bow.tokens)
        print(
            f"{D:,} documents, {bow.tokens:,} tokens, K = {K}, minibatch {minibatch:,}; load {os.getloadavg()[0]:.1f}"
        )
        print("Mbit/s | one process, s a pass | two hosts | sent a step by each, kB | bitwise")
        bitwise = True
        for mbit in MBIT:
            limit(here, mbit)
            with running(home, workers=2, kind=Hosts) as cluster:
                one, two = One(bow, config), Several(bow, config, home, cluster, 2)
                rows = [(one.one_pass()[0], two.one_pass()[0]) for _ in range(config.passes)]
                topics = ENGINE.topics(one.config, one.state)
                equal = same(topics, two.topics())
                two.team.__exit__()
                alone, shared = (median(column) for column in zip(*rows, strict=True))
                print(
                    f"{mbit or 'unlimited'} | {alone:.2f} | {shared:.2f} | {two.sent / 1000:,.0f} | {equal}", flush=True
                )
                bitwise &= equal
                if mbit == MBIT[-1]:
                    bitwise &= drill(bow, config, home, cluster, "worker", topics, 5)
    print(f"bitwise: {'yes' if bitwise else 'no'}")


def _do(command: str) -> None:
    subprocess.run(command.split(), check=True)
