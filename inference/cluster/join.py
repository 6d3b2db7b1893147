"""A worker that joins a cluster: it waits for trainings, takes its share of them, and comes back
when the scheduler does."""

import argparse
import asyncio
import ipaddress
import logging
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import dask
from distributed import Worker

from inference.cluster.member import Member
from inference.errors import Invalid

# What dask does besides: it need not sample this process's stack a hundred times a second, nor
# watch its memory twice, nor look fifty times a second whether it still answers.
QUIET = {
    "distributed.comm.timeouts.connect": "10s",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.tick.interval": "1s",
}
RETRY_SECONDS = 2.0  # seconds until a worker tries to join again
log = logging.getLogger(__name__)


def checked(address: str, trusted: bool) -> str:
    """The address of a scheduler. Raises Invalid where it can't be one, or where anybody could give
    its workers orders."""
    url = urlsplit(address if "//" in address else f"tcp://{address}")
    if url.scheme not in ("tcp", "tls") or not url.hostname or not url.port:
        raise Invalid(
            "join", f"An address must be tls://HOST:PORT or tcp://HOST:PORT, got {address}."
        )
    if url.scheme == "tcp" and not trusted and not _is_here(url.hostname):
        raise Invalid(
            "join",
            f"{address} is not encrypted, and whoever reaches a worker can run any code on it. Use"
            " tls:// (docs/scaling.md), or say --trust-network where nobody else is on that"
            " network.",
        )
    return f"{url.scheme}://{url.netloc}"


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def stay(address: str, member: Member, name: str) -> None:
    """Be a worker of the scheduler at this address until SIGTERM or SIGINT; whenever it is lost,
    wait for it."""
    stopping = asyncio.Event()
    for stop_signal in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(stop_signal, stopping.set)
    while not stopping.is_set():
        with tempfile.TemporaryDirectory(prefix="topograph-worker-") as folder:
            member.seats.clear()
            try:
                async with Worker(
                    address,
                    nthreads=1,
                    memory_limit=0,
                    plugins=(member,),
                    name=name,
                    local_directory=folder,
                ) as worker:
                    log.warning("joined %s as %s", address, worker.address)
                    await asyncio.wait(
                        [
                            asyncio.ensure_future(waited)
                            for waited in (worker.finished(), stopping.wait())
                        ],
                        return_when=asyncio.FIRST_COMPLETED,
                    )
            except (OSError, TimeoutError, RuntimeError) as error:
                # dask says "failed to start", and the cause behind it
                log.warning("could not join %s: %s", address, error.__cause__ or error)
        if not stopping.is_set():
            await asyncio.sleep(RETRY_SECONDS)


def main(arguments: list[str], files: Path, kind: type[Member] = Member) -> None:
    """files: the folder that leader and workers share, where --files does not say it."""
    parser = argparse.ArgumentParser(
        prog="worker", description="Take a share of trainings that are led elsewhere."
    )
    parser.add_argument(
        "--join", required=True, metavar="ADDRESS", help="of dask's scheduler: tls://HOST:8786"
    )
    parser.add_argument("--threads", type=int, default=1, help="for computing (default: 1)")
    parser.add_argument(
        "--files", type=Path, default=files, help=f"the folder that all share (default: {files})"
    )
    parser.add_argument(
        "--scratch", type=Path, help="a folder of this machine, for a memory of topics above 256 MB"
    )
    parser.add_argument(
        "--trust-network",
        action="store_true",
        help="join a tcp:// address that is not this machine's",
    )
    options = parser.parse_args(arguments)
    try:
        address = checked(options.join, options.trust_network)
    except Invalid as error:
        parser.error(error.message)
    dask.config.set(QUIET)
    # Seconds for which the thread that computes may keep the one that exchanges from running Python
    sys.setswitchinterval(5e-4)
    member = kind(options.files, options.scratch, max(1, options.threads))
    asyncio.run(stay(address, member, f"{socket.gethostname()}:{os.getpid()}"))


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(message)s")
    main(sys.argv[1:], Path.cwd())
