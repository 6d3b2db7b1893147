"""`manage.py test`: every test, or those that are named, against Postgres and Valkey of their own.

What is not an option of ours goes to pytest: `manage.py test
tests/webapp/analysis/words/test_words.py -k search -x`. Many tests are shared out among workers
(tests/worker.py); a file, or what -k chooses, is done sooner by one.
"""

import argparse
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import redis

from webapp.platform.local import compilation, folder, postgres, processes, servers

KEPT = folder.ROOT / ".pytest_cache" / "servers"  # state folder of servers that are kept
MOST_WORKERS = 8  # each has a Redis database, of which there are 16; tests use the ninth
KEPT_SECONDS = 1800.0  # that they stay up unused
# Until tests that are told to end are killed: workers have 10 to end their tests
ENDING_SECONDS = 30.0
# What a shell says of a program that a signal has ended
INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="manage.py test",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        choices=range(1, MOST_WORKERS + 1),
        help=(
            f"processes that share the tests, up to {MOST_WORKERS} (default: one more than cores;"
            " for a file, or with -k, one)"
        ),
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help=(
            "leave the servers up for the next call with --keep; they end when unused for"
            f" {KEPT_SECONDS / 60:.0f} minutes"
        ),
    )
    parser.add_argument(
        "--portable",
        action="store_true",
        help=(
            "in a namespace without /proc and without the calls that Linux alone has"
            " (tests/portable.py)"
        ),
    )
    given, arguments = parser.parse_known_args(argv)
    signal.signal(signal.SIGTERM, terminate)
    workers = given.workers or (
        min((os.cpu_count() or 1) + 1, MOST_WORKERS) if many(arguments) else 1
    )
    with (
        tempfile.TemporaryDirectory(prefix="topograph-test-") as data,
        kept() if given.keep else own(data) as urls,
    ):
        env = os.environ | {
            "TOPOGRAPH_DATA": data,
            "DATABASE_URL": urls[0],
            "REDIS_URL": urls[1],
            "DJANGO_SETTINGS_MODULE": "webapp.settings",
            "PYTEST_PLUGINS": "tests.worker",
            "OMP_WAIT_POLICY": "PASSIVE",  # threads that wait leave the cores to other workers
            # Those of numpy's OpenBLAS spin while they wait: with other processes on the cores, small
            # matrices took ten times the processor's seconds of one thread
            "OPENBLAS_NUM_THREADS": "1",
        }
        # Images of containers set it. Without it the hundreds of processes that tests begin, and
        # each worker, would translate all of the code again
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        if workers > 1:
            compile_kernels(env)
            arguments = ["-n", str(workers), *arguments]
        command = [sys.executable, "-m", "pytest", *arguments]
        if given.portable:
            command = [sys.executable, "-m", "tests.portable", *command]
        return run_tests(command, env)


def terminate(number: int, frame: object) -> None:
    """By SIGTERM servers, tests and their folder go as at the end; by a second one at once."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise SystemExit(TERMINATED)


def run_tests(command: list[str], env: dict) -> int:
    """The exit status of pytest. It ends before this process does, and its workers with it: when it
    is interrupted at the terminal, as it gets that signal, too; and by SIGTERM, which it is sent
    (tests/worker.py), also where this process is killed."""
    tests = processes.Child(command, dying=signal.SIGTERM, cwd=folder.ROOT, env=env)
    try:
        return tests.wait()
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit:
        tests.terminate()
        raise
    finally:
        with suppress(subprocess.TimeoutExpired):
            tests.wait(ENDING_SECONDS)
        tests.kill()
        tests.wait()
        tests.release()


def many(arguments: list[str]) -> bool:
    """Whether so much is asked for that several workers are quicker than one: everything, or a
    folder."""
    if any(argument.startswith(("-k", "-s", "--pdb", "--collect-only")) for argument in arguments):
        return False
    paths = [
        path
        for a in arguments
        if (path := folder.ROOT / a.partition("::")[0]).exists() and not a.startswith("-")
    ]
    return not paths or any(path.is_dir() for path in paths)


def compile_kernels(env: dict) -> None:
    """Every kernel, once for this code and machine, before each worker would do it: by two
    processes that begin at either end, and of which none compiles what the other one does."""
    cache = folder.ROOT / ".pytest_cache"
    calls = {"warm_up(False)": cache / "compiled", "warm_up(True)": cache / "compiled-backwards"}
    if all(map(compilation.is_done, calls.values())):
        return
    print("Compiling every engine, where that was not done before", flush=True)
    cache.mkdir(exist_ok=True)
    commands = [compilation.command(call, done) for call, done in calls.items()]
    for process in [processes.Child(argv, cwd=folder.ROOT, env=env) for argv in commands]:
        process.wait()
        process.release()


def start(supervisor: processes.Supervisor) -> tuple[str, str]:
    """Servers whose data nobody needs after a power cut."""
    postgres.SETTINGS.update(fsync="off", synchronous_commit="off", full_page_writes="off")
    return servers.start(supervisor)


@contextmanager
def own(data: str) -> Iterator[tuple[str, str]]:
    """Servers for this call alone."""
    os.environ["TOPOGRAPH_DATA"] = data
    print(f"Starting servers for the tests in {data}", flush=True)
    supervisor = processes.Supervisor(print)
    try:
        yield start(supervisor)
    finally:
        supervisor.stop()


@contextmanager
def kept() -> Iterator[tuple[str, str]]:
    """Servers that outlive this call, which has them for itself."""
    os.environ["TOPOGRAPH_DATA"] = str(KEPT)
    with in_use():
        if not folder.locked():
            folder.tell()  # what a keeper that was killed has left
            print(f"Starting servers in {KEPT}", flush=True)
            # A pipe that this call writes to must not wait for the servers' end.
            argv = [sys.executable, "-c", "from tests import command; command.keep()"]
            nothing = subprocess.DEVNULL
            keeper = subprocess.Popen(
                argv,
                cwd=folder.ROOT,
                stdin=nothing,
                stdout=nothing,
                stderr=nothing,
                start_new_session=True,
            )
            while not folder.servers():
                if keeper.poll() is not None:
                    sys.exit(f"The servers did not start. See the logs in {KEPT / 'logs'}.")
                time.sleep(0.02)
        known = folder.servers()
        with redis.Redis.from_url(known["redis_url"]) as client:
            client.flushall()
        yield known["database_url"], known["redis_url"]
        os.utime(KEPT / "servers.json")


@contextmanager
def in_use() -> Iterator[None]:
    """Hold the kept servers against another call, and against their own end. Raises folder.Busy."""
    with open(folder.data() / "in-use", "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise folder.Busy(
                "Another `manage.py test --keep` is at work with these servers. Call without"
                " --keep."
            ) from None
        yield


def keep() -> None:
    """Run servers until nobody has used them for a while."""
    supervisor = processes.Supervisor(lambda text: None)
    with folder.lock():
        try:
            database, broker = start(supervisor)
            folder.tell(database_url=database, redis_url=broker)
            while True:
                time.sleep(1)
                supervisor.look()
                if time.time() - (KEPT / "servers.json").stat().st_mtime > KEPT_SECONDS:
                    with suppress(folder.Busy), in_use():
                        return
        finally:
            folder.tell()
            supervisor.stop()
