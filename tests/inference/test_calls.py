"""What a leader does of its own where workers answer strangely: without a cluster."""

import asyncio
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from inference import cluster

if not cluster.installed():
    pytest.skip(
        "dask.distributed is not installed: pip install 'topograph[cluster]'",
        allow_module_level=True,
    )

from inference import engines
from inference.cluster import calls, lead, member
from inference.cluster.calls import LOST, Calls
from inference.cluster.lead import Lost, Team
from inference.cluster.member import Member
from inference.runtime.versions import versions

pytestmark = pytest.mark.filterwarnings("ignore")  # of distributed's own


def test_a_scheduler_that_is_away_leaves_no_threads_behind(monkeypatch):
    monkeypatch.setattr(calls, "CONNECT", 0.1)
    away = Calls("tcp://127.0.0.1:9", lambda: None)
    counted = []
    for _ in range(3):
        with pytest.raises(LOST):
            away.workers()
        counted.append(threading.active_count())
    assert counted[0] == counted[-1]


class Silent:
    """A client of dask. answer: what the scheduler does when it is asked for its workers."""

    def __init__(self, answer, loop):
        self.loop = loop
        self.scheduler = SimpleNamespace(identity=answer)

    def close(self, timeout):
        raise TimeoutError


@pytest.fixture
def connected(monkeypatch):
    """Calls to a scheduler that answers so; and the connections that were opened."""

    def connect(answer) -> tuple[Calls, list[Silent]]:
        opened = []

        def open_silent(address, *, loop, **settings):
            opened.append(Silent(answer, loop))
            return opened[-1]

        monkeypatch.setattr(calls, "Client", open_silent)
        return Calls("", lambda: None), opened

    return connect


def test_a_scheduler_that_hangs_is_lost(connected, monkeypatch):
    async def hang(n_workers):
        await asyncio.Event().wait()

    monkeypatch.setattr(calls, "SILENT", 0.1)
    made, _ = connected(hang)
    with pytest.raises(LOST):
        made.workers()


def test_a_connection_that_closed_itself_is_lost(connected):
    async def closed(n_workers):
        raise RuntimeError(calls.CLOSED)

    made, _ = connected(closed)
    with pytest.raises(LOST):
        made.workers()


def test_a_connection_that_closes_slowly_ends_no_training(connected):
    async def known(n_workers):
        return {"workers": ["tcp://w:1"]}

    made, opened = connected(known)
    assert made.workers() == ["tcp://w:1"]
    made.close()
    assert made.workers() == ["tcp://w:1"]
    assert len(opened) == 2


@pytest.fixture
def team(tmp_path):
    return Team(engines.get("ssi"), "", tmp_path / "checkpoint", tmp_path, patience=1.0)


def test_workers_are_looked_for_once_more_where_a_look_took_long(team, monkeypatch):
    """A worker that hangs is asked until the scheduler drops it, longer than the leader's patience;
    the others are there."""
    now, looks = [0.0], iter([[], ["a", "b"]])

    def look():
        now[0] += 300.0
        return next(looks)

    monkeypatch.setattr(lead, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(team, "present_workers", look)
    monkeypatch.setattr(team.calls, "sleep", lambda seconds: None)
    assert team.gather() == ["a", "b"]
    looks = iter([[], []])
    with pytest.raises(Lost):
        team.gather()


def test_a_worker_lost_during_a_checkpoint_does_not_put_off_the_next(team, monkeypatch):
    """Catching up took long, and not the checkpoint."""
    now, answers = [0.0], iter([OSError(), []])

    def answer(what):
        now[0] += 1.0
        if isinstance(each := next(answers), OSError):
            raise each
        return each

    def catch_up(t):
        now[0] += 300.0

    monkeypatch.setattr(lead, "time", SimpleNamespace(monotonic=lambda: now[0]))
    for name, instead in {
        "catch_up": catch_up,
        "ask_all": answer,
        "commit_parts": lambda *_: None,
        "present_workers": list,
        "lose": lambda error: None,
    }.items():
        monkeypatch.setattr(team, name, instead)
    team.save(Path(), SimpleNamespace(t=3))
    assert team.saving_seconds == 1.0


def test_the_connection_is_closed_also_where_the_end_is_interrupted(team, monkeypatch):
    def interrupted(what):
        raise KeyboardInterrupt

    closed = []
    team.deal = "a"
    monkeypatch.setattr(team, "ask_all", interrupted)
    monkeypatch.setattr(team.calls, "close", lambda: closed.append(True))
    with pytest.raises(KeyboardInterrupt):
        team.end()
    assert closed


class Slow:
    """A share that takes a while to be taken, in a thread."""

    def __init__(self, job, home, bounds, rank, t, scratch):
        time.sleep(0.05)
        self.checkpoint = home / job.checkpoint
        self.state = SimpleNamespace(t=0)


def sat(tmp_path, monkeypatch, what) -> None:
    """Run a function of a worker's extension that is asked for seats."""

    async def run():
        worker = SimpleNamespace(handlers={}, address="tcp://w:1", name="w", periodic_callbacks={})
        one = Member(tmp_path, None, 1)
        one.setup(worker)
        await what(one)

    monkeypatch.setattr(member, "Share", Slow)
    asyncio.run(run())


def job(name: str) -> dict:
    return {
        "engine": "ssi",
        "settings": {},
        "seed": 1,
        "bow": "bow",
        "digest": "",
        "checkpoint": name,
    }


def seat(one: Member, deal: str, name: str = "c"):
    return one.begin(deal, job(name), [0, 1], ["tcp://w:1"], 0, None)


def test_a_seat_that_is_given_up_while_it_is_taken_does_not_stay(tmp_path, monkeypatch):
    """The leader gave it up, as another worker was lost meanwhile: two shares would stay in
    memory."""

    async def what(one):
        await asyncio.gather(seat(one, "first"), seat(one, "second"))
        assert list(one.seats) == ["second"]

    sat(tmp_path, monkeypatch, what)


def test_a_seat_without_a_word_of_its_leader_is_left(tmp_path, monkeypatch):
    async def what(one):
        await seat(one, "dead", "a")
        await seat(one, "alive", "b")
        one.seats["dead"].last -= member.FORGOTTEN
        await one.forget()
        assert list(one.seats) == ["alive"]
        assert "topograph" in one.worker.periodic_callbacks

    sat(tmp_path, monkeypatch, what)


def test_a_workers_own_error_names_it_and_is_no_lost_connection(tmp_path, monkeypatch):
    def missing(*_):
        raise FileNotFoundError(2, "No such file or directory", "bow")

    async def what(one):
        monkeypatch.setattr(member, "Share", missing)
        with pytest.raises(member.Unable, match="FileNotFoundError") as said:
            await seat(one, "a")
        assert said.value.args[0] == "tcp://w:1"

    sat(tmp_path, monkeypatch, what)


def test_a_worker_that_can_not_do_its_share_is_left_out(team, monkeypatch):
    monkeypatch.setattr(team.calls, "workers", lambda: ["a", "b"])
    monkeypatch.setattr(team.calls, "sleep", lambda seconds: None)
    monkeypatch.setattr(
        team.calls, "all", lambda workers, what: [{"versions": versions()}] * len(workers)
    )
    assert team.present_workers() == ["a", "b"]
    team.lose(member.Unable("a", "OSError: no space left"))
    assert team.present_workers() == ["b"]


def test_a_worker_of_dask_that_is_not_ours_is_left_out(team, monkeypatch):
    """It answers what it does not know with None."""
    monkeypatch.setattr(team.calls, "workers", lambda: ["a", "b"])
    monkeypatch.setattr(team.calls, "all", lambda workers, what: [None, {"versions": versions()}])
    assert team.present_workers() == ["b"]
