"""What tests share a machine with: each worker of pytest-xdist has a state folder, a Redis database
and (by pytest-django) a Postgres database of its own, and takes whole files of tests.

`manage.py test` names this module in PYTEST_PLUGINS, as it must come before Django's settings are
read.
"""

import os
import signal
from types import FrameType
from urllib.parse import urlsplit

import pytest
from xdist.scheduler import LoadScopeScheduling

from webapp.platform import garbage

os.environ["TOPOGRAPH_OTHER_SEEDS"] = (
    "0"  # of whole systems, too: only tests about other seeds train with them
)
if worker := os.environ.get("PYTEST_XDIST_WORKER"):  # gw0, gw1, …
    os.environ["TOPOGRAPH_DATA"] += f"/{worker}"
    number = int(worker.removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{number}").geturl()


def interrupt(number: int, frame: FrameType | None) -> None:
    """By SIGTERM tests end as by Ctrl-C, and with them workers and what tests have started."""
    raise KeyboardInterrupt


if not worker:  # workers are ended by the process that shares the tests out
    signal.signal(signal.SIGTERM, interrupt)

BROWSER = "tests/browser/"  # one running Topograph and one browser for all of it
# A minute or more each
SLOW = (
    BROWSER,
    "tests/faults/test_kills",
    "tests/local/",
    "tests/test_types",
)


class Files(LoadScopeScheduling):
    """Tests of a file that follow each other go to one worker, in the order of the collection: so
    what is slow begins first, and tests that empty the tables come last in each worker. All tests
    with a browser go to one worker."""

    def schedule(self) -> None:
        self.config.option.loadscopereorder = (
            False  # xdist would begin with the files that have the most tests
        )
        if self.collection is None:
            self.units = {}
            unit = 0
            last = ""
            for test in next(iter(self.registered_collections.values())):
                file = BROWSER if test.startswith(BROWSER) else test.partition("::")[0]
                unit += file != last
                self.units[test] = f"{unit} {file}"
                last = file
        super().schedule()

    def _split_scope(self, test: str) -> str:
        return self.units[test]


def pytest_xdist_make_scheduler(config, log) -> Files:
    return Files(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After pytest-django has put those that empty the tables behind those that do not: what is
    slow comes first, so that no worker is left with it at the end; then drills on the shared
    corpus, which are in no transaction."""

    def rank(item: pytest.Item) -> int:
        return 0 if item.nodeid.startswith(SLOW) else 1 if "committed" in item.fixturenames else 2

    items.sort(key=rank)
    global _before
    _before = processor_seconds()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected stays until the end."""
    garbage.pause()
    try:
        return (yield)
    finally:
        garbage.resume()
        garbage.search_all_rarely()


# Where the time of a call goes
# --------------------------------------------------------------------------------------

MANY = 200  # tests, from which on it is shown
SLOWEST = 20
_used: dict[str, dict[str, float]] = {}  # test -> seconds of the clock, and of the processor
_before = 0.0


def processor_seconds() -> float:
    """Of this process, and of those that it started and that have ended: others run on."""
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    """Give the report of each phase the processor seconds since the one before."""
    global _before
    report = yield
    now = processor_seconds()
    report.processor = now - _before
    _before = now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    used = _used.setdefault(report.nodeid, {"clock": 0.0, "processor": 0.0})
    used["clock"] += report.duration
    used["processor"] += getattr(report, "processor", 0.0)  # a test that ended its process has none


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Of many tests: processor seconds by folder, and the tests that took most."""
    if len(_used) < MANY or "PYTEST_XDIST_WORKER" in os.environ:
        return
    write = terminalreporter.write_line
    folders: dict[str, list[float]] = {}
    for test, used in _used.items():
        folder = "/".join(test.partition("::")[0].split("/")[:3])
        sums = folders.setdefault(folder, [0, 0.0, 0.0])
        for i, value in enumerate((1, used["processor"], used["clock"])):
            sums[i] += value
    write("| folder or file | tests | processor s | clock s |\n|---|---|---|---|")
    for folder, (tests, processor, clock) in sorted(folders.items(), key=lambda item: -item[1][1])[
        :SLOWEST
    ]:
        write(f"| {folder} | {tests} | {processor:.0f} | {clock:.0f} |")
    write(
        f"| all | {len(_used)} | {sum(u['processor'] for u in _used.values()):.0f} |"
        f" {sum(u['clock'] for u in _used.values()):.0f} |"
    )
    for test, used in sorted(_used.items(), key=lambda item: -item[1]["processor"])[:SLOWEST]:
        write(f"{used['processor']:7.1f} of the processor, {used['clock']:7.1f} s  {test}")
