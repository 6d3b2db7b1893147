"""One training over real workers, each a process: bitwise the topics of one, also after kills."""

import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest

from inference import Bow, Invalid, Snapshot, begin, checkpoint, cluster, engines, train
from inference.cluster import parts
from tests.inference.corpora import equal, planted

if not cluster.installed():
    pytest.skip(
        "dask.distributed is not installed: pip install 'topograph[cluster]'",
        allow_module_level=True,
    )

from inference.cluster import calls, lead, store
from inference.cluster.join import checked
from inference.cluster.lead import Lost, Team
from inference.cluster.share import Assigner
from tests.inference.cluster import running

pytestmark = pytest.mark.filterwarnings("ignore")  # of distributed's own
SEED = 3


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A cluster of two workers, a corpus that they see, and what one process makes of it."""
    home = tmp_path_factory.mktemp("home")
    planted(5, 90, 200, 25, seed=2)[0].save(home / "bow")
    bow = Bow.open(home / "bow")
    engine = engines.get(engines.DEFAULT)
    config = engines.config(engine.NAME, topics=20, passes=5, minibatch=40).resolve(
        bow.D, bow.tokens
    )
    one = [
        event
        for event in train(engine, config, bow, seed=SEED, threads=1)
        if isinstance(event, Snapshot)
    ]
    with running(home, workers=2) as there:
        yield SimpleNamespace(
            home=home, bow=bow, engine=engine, config=config, one=one, cluster=there
        )


def led(
    site, name: str, at=lambda step, team: None, state=None, last=None
) -> tuple[list[Snapshot], Team]:
    """All snapshots of a training that a team does. at: called after each, with its step."""
    file = site.home / name / "checkpoint"
    file.parent.mkdir(exist_ok=True)
    with Team(site.engine, site.cluster.address, file, site.home, patience=120.0) as team:
        team.lead(site.config, SEED, site.bow, site.home / "bow", state)
        kept = []
        for event in train(team, site.config, site.bow, seed=SEED, resume=state, last=last):
            if isinstance(event, Snapshot):
                kept.append((event.step, event.tokens, event.held_out, event.topics))
                team.save(file, event.state)
                at(event.step, team)
        return kept, team


def wait_for_workers(team: Team, n: int) -> None:
    end = time.monotonic() + 120
    while len(team.present_workers()) < n:
        assert time.monotonic() < end
        time.sleep(0.2)


def as_one(site, kept) -> bool:
    """Whether these are the snapshots of the training by one process, all of them or the last."""
    known = {s.step: s for s in site.one}
    return kept[-1][0] == site.one[-1].step and all(
        (tokens, held_out) == (known[step].tokens, known[step].held_out)
        and equal(topics, known[step].topics)
        for step, tokens, held_out, topics in kept
    )


def test_workers_train_the_topics_of_one_process(site):
    def at(step, team):
        seen.append(len(team.members))

    seen = []
    kept, team = led(site, "quiet", at)
    assert as_one(site, kept) and len(kept) == len(site.one)
    assert seen[-1] == 2 and team.restarts == 0


def test_a_killed_worker_costs_what_was_done_since_the_checkpoint(site):
    """It goes on with the other; a new worker joins at the next checkpoint."""

    def at(step, team):
        seen.append(len(team.members))
        if step == half:
            site.cluster.workers[0].kill()
        elif team.restarts and len(site.cluster.workers) == 2:
            site.cluster.start_worker()
            wait_for_workers(team, 2)

    half = site.one[len(site.one) // 2].step
    seen = []
    kept, team = led(site, "worker", at)
    assert as_one(site, kept) and team.restarts >= 1
    assert seen[0] == 2 and 1 in seen and seen[-1] == 2


def test_the_schedulers_death_does_not_end_the_training(site):
    def at(step, team):
        if step == half:
            wait_for_workers(team, 2)
            site.cluster.kill("scheduler")

    half = site.one[len(site.one) // 2].step
    # Workers may go on without one, and join the next at a checkpoint
    kept, _ = led(site, "scheduler", at)
    assert as_one(site, kept)


def test_a_new_leader_goes_on_and_so_does_one_process(site):
    """The memory of topics is in parts, by documents; either finds it there."""
    half = site.one[len(site.one) // 2].step
    led(site, "leader", last=half)
    file = site.home / "leader" / "checkpoint"
    state = checkpoint.load(file, engine=site.engine, config=site.config, bow=site.bow)
    assert state.t == half and len(state.memory) == 0
    kept, _ = led(site, "leader", state=state)
    assert as_one(site, kept)
    listed = parts.list_parts(parts.folder_of(file), site.one[-1].step)
    assert {path.name for path in parts.folder_of(file).iterdir()} == {
        f"{site.one[-1].step}.json",
        *(part.name for part in listed),
    }


def test_a_team_goes_on_where_one_process_was(site):
    half = site.one[len(site.one) // 2].step
    *_, event = train(site.engine, site.config, site.bow, seed=SEED, last=half)
    kept, _ = led(site, "handed", state=event.state)
    assert as_one(site, kept)


def test_one_process_goes_on_where_a_team_was(site):
    half = site.one[len(site.one) // 2].step
    led(site, "back", last=half)
    file = site.home / "back" / "checkpoint"
    state = checkpoint.load(file, engine=site.engine, config=site.config, bow=site.bow)
    parts.gather(file, state, site.bow, engine=site.engine, config=site.config)
    *_, event = train(site.engine, site.config, site.bow, seed=SEED, resume=state, threads=1)
    assert equal(event.topics, site.one[-1].topics)
    parts.drop(file)
    assert not parts.folder_of(file).exists()


def test_a_training_that_begins_with_topics_is_shared(site):
    given = (site.bow.words // 5).astype(np.uint16)
    config = engines.config(site.engine.NAME, topics=20, passes=2, warm_up=0, minibatch=40).resolve(
        site.bow.D, site.bow.tokens
    )
    *_, one = train(
        site.engine,
        config,
        site.bow,
        seed=SEED,
        resume=begin(site.engine, config, site.bow, given, seed=SEED),
        threads=1,
    )
    site = SimpleNamespace(**vars(site) | {"config": config})
    kept, _ = led(site, "begins", state=begin(site.engine, config, site.bow, given, seed=SEED))
    assert equal(kept[-1][3], one.topics)


def test_workers_give_tokens_their_topics(site, monkeypatch):
    """Bitwise as one process, also where a worker is lost meanwhile; the leader does what is
    left."""

    def stored(lose: bool) -> list:
        with Team(
            site.engine,
            site.cluster.address,
            site.home / "stored",
            site.home,
            least=2,
            patience=120.0,
        ) as team:
            team.lead(site.config, SEED, site.bow, site.home / "bow")
            *_, last = train(team, site.config, site.bow, seed=SEED)
            team.save(team.checkpoint, last.state)
            asked = []
            ask = team.ask
            monkeypatch.setattr(
                team, "ask", lambda member, *a, **k: asked.append(member) or ask(member, *a, **k)
            )
            blocks = []
            for block in store.evidence(team, last.state):
                if lose and not blocks:
                    site.cluster.kill("worker")
                blocks.append(block)
            assert len(set(asked)) == 2
            return blocks

    monkeypatch.setattr(store, "BLOCK", 7)
    alone = Assigner(site.engine, site.config, site.bow)
    *_, last = train(site.engine, site.config, site.bow, seed=SEED, threads=1)
    wanted = [
        alone(last.state, first, min(first + 7, site.bow.D)) for first in range(0, site.bow.D, 7)
    ]
    for lose in (False, True):
        blocks = stored(lose)
        assert len(blocks) == len(wanted) and all(
            equal(a, b) for a, b in zip(blocks, wanted, strict=True)
        )


def test_learned_priors_and_checkpoints_between_snapshots(site, monkeypatch):
    """Sums that alpha is learned from are exact; a checkpoint is written after every step, and one
    of them is gone back to."""
    config = engines.config(
        site.engine.NAME, topics=20, passes=4, minibatch=40, learn="both", interval=3
    ).resolve(site.bow.D, site.bow.tokens)
    *_, one = train(site.engine, config, site.bow, seed=SEED, threads=1)
    monkeypatch.setattr(lead, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(lead, "SAVE_SHARE", 1e9)
    file = site.home / "learned"
    with Team(site.engine, site.cluster.address, file, site.home, patience=120.0) as team:
        team.lead(config, SEED, site.bow, site.home / "bow")
        *_, event = train(team, config, site.bow, seed=SEED, last=one.steps - 2)
        assert team.saved == event.step
        state = checkpoint.load(file, engine=site.engine, config=config, bow=site.bow)
        assert equal((state.alpha, state.rises), (event.state.alpha, event.state.rises))
        for event in train(team, config, site.bow, seed=SEED, resume=state):
            if event.step == one.steps - 1:
                team.lose(OSError())  # as where a worker is
    assert equal(event.topics, one.topics) and equal((event.state.alpha,), (one.state.alpha,))
    assert event.state.eta == one.state.eta


def test_a_checkpoint_is_written_twice_where_a_worker_joined(site):
    """The first time the leader sees the new worker; the second checkpoint of that step still has
    all remembered topics."""
    half = site.one[len(site.one) // 2].step
    file = site.home / "twice"
    with Team(site.engine, site.cluster.address, file, site.home, least=2, patience=120.0) as team:
        team.lead(site.config, SEED, site.bow, site.home / "bow")
        for event in train(team, site.config, site.bow, seed=SEED):
            if isinstance(event, Snapshot) and event.step == half:
                before = len(team.members)
                site.cluster.start_worker()
                wait_for_workers(team, before + 1)
                team.save(file, event.state)
                team.save(file, event.state)
                covered = sum(
                    part.end - part.first for part in parts.list_parts(parts.folder_of(file), half)
                )
        assert covered == site.bow.D
        assert len(team.members) > before  # a worker of an earlier test may have joined, too
    site.cluster.workers.pop().kill()
    assert equal(event.topics, site.one[-1].topics)


def test_a_worker_that_does_not_see_the_files_is_left_out(site, tmp_path):
    """It would fail each time that it is asked; its error is not one of the network."""
    with running(site.home, workers=2) as there:
        there.start_worker(tmp_path)
        with Team(
            site.engine, there.address, site.home / "blind", site.home, least=3, patience=120.0
        ) as team:
            team.lead(site.config, SEED, site.bow, site.home / "bow")
            *_, event = train(team, site.config, site.bow, seed=SEED)
            assert len(team.unable) == team.restarts == 1 and len(team.members) == 2
    assert equal(event.topics, site.one[-1].topics)


def test_a_worker_that_sees_the_files_again_takes_part_again(site, tmp_path, monkeypatch):
    monkeypatch.setattr(lead, "LEFT_OUT", 2 * lead.SETTLING)
    place = tmp_path / "mounted"
    file = site.home / "again"
    seen = []
    place.mkdir()
    with running(site.home, workers=2) as there:
        there.start_worker(place)
        with Team(site.engine, there.address, file, site.home, least=3, patience=120.0) as team:
            team.lead(site.config, SEED, site.bow, site.home / "bow")
            for event in train(team, site.config, site.bow, seed=SEED):
                seen.append(len(team.members))
                if isinstance(event, Snapshot):
                    if not place.is_symlink():
                        place.rmdir()
                        place.symlink_to(site.home)
                        wait_for_workers(team, 3)
                    team.save(file, event.state)
    assert seen[0] == 2 and seen[-1] == 3 and equal(event.topics, site.one[-1].topics)


def test_where_the_shared_folder_takes_no_more_files_all_are_left_out(site, monkeypatch):
    """The leader is told, and does not ask again and again."""
    # No checkpoint of a slow step makes the folder first
    monkeypatch.setattr(lead, "SAVE_EVERY", 3600.0)

    def impatient_without_workers():
        if len(team.unable) == 2:
            team.patience = 1.0

    with running(site.home, workers=2) as there:
        file = site.home / "taken"
        with Team(
            site.engine,
            there.address,
            file,
            site.home,
            tick=impatient_without_workers,
            least=2,
            patience=120.0,
        ) as team:
            team.lead(site.config, SEED, site.bow, site.home / "bow")
            event = next(
                each
                for each in train(team, site.config, site.bow, seed=SEED)
                if isinstance(each, Snapshot)
            )
            parts.folder_of(file).write_text("no folder")
            with pytest.raises(Lost, match="2 that can't do their share"):
                team.save(file, event.state)


def test_a_worker_that_hangs_is_left_behind(site, tmp_path, monkeypatch):
    """It keeps its connections; the scheduler, which does not hear from it, drops it, and the
    training goes on without it."""
    site.bow.save(tmp_path / "bow")
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "3s")
    monkeypatch.setattr(calls, "LOOK_SECONDS", 1.0)
    with running(tmp_path, workers=2) as there:
        site = SimpleNamespace(
            **vars(site) | {"home": tmp_path, "bow": Bow.open(tmp_path / "bow"), "cluster": there}
        )

        def at(step, team):
            seen.append(len(team.members))
            if step == half:
                wait_for_workers(team, 2)
                there.workers[0].send_signal(signal.SIGSTOP)

        half = site.one[len(site.one) // 2].step
        seen = []
        kept, team = led(site, "hangs", at)
    assert as_one(site, kept) and team.restarts >= 1 and seen[-1] == 1


@pytest.mark.parametrize("missing", ["all", "one"])
def test_remembered_topics_that_are_missing_are_an_error(site, missing, tmp_path):
    """Documents that no file tells of are not taken for ones that were never visited."""
    memory = np.zeros((site.bow.tokens, 2), np.uint16)
    half = int(site.bow.first_token[100])
    written = [] if missing == "all" else [parts.write_whole(tmp_path, 7, 0, 100, memory[:half])]
    parts.commit(tmp_path, 7, written)
    with pytest.raises(Invalid, match="of some documents is not in"):
        parts.read(tmp_path, 7, site.bow, 0, site.bow.D, memory)


def test_a_training_ends_when_no_worker_comes(site):
    with Team(site.engine, "tcp://127.0.0.1:9", site.home / "c", site.home, patience=0.1) as team:
        team.lead(site.config, SEED, site.bow, site.home / "bow")
        with pytest.raises(Lost, match="fewer than 1 workers"):
            next(train(team, site.config, site.bow, seed=SEED))


def test_what_cannot_be_shared_is_refused(site):
    with pytest.raises(Invalid, match="engine svi can't be shared"):
        Team(engines.get("svi"), site.cluster.address, site.home / "c", site.home)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.5:8786", "10.0.0.5:8786", "http://a:1", "tls://a", ""]
)
def test_what_no_worker_joins(address):
    with pytest.raises(Invalid):
        checked(address, trusted=False)


def test_what_a_worker_joins():
    assert checked("127.0.0.1:8786", False) == "tcp://127.0.0.1:8786"
    assert checked("tls://cluster.example.org:8786", False) == "tls://cluster.example.org:8786"
    assert checked("tcp://10.0.0.5:8786", True) == "tcp://10.0.0.5:8786"
