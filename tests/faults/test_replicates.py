"""A run is trained with other seeds when nobody needs the machine, and its topics are looked for
there."""

import io

import numpy as np
import pytest
from django.db import transaction
from django.urls import reverse

import inference
from inference import Bow, Topics, engines
from inference.errors import Invalid
from tasks.runs import replicate, train
from tests.sweeping import STALE, sweep_for
from webapp.core.results import found_again, weights
from webapp.core.runs import replicates
from webapp.models import Replicate, Run, Snapshot
from webapp.platform.jobs import claims, dispatch, kinds, scheduler
from webapp.platform.storage import files
from webapp.service.corpora import deletion
from webapp.service.operations import upkeep


@pytest.fixture
def run(ready, committed, monkeypatch) -> Run:
    """A finished run; messages are not sent, and no page waits."""
    from webapp.core.runs import services

    monkeypatch.setattr(dispatch, "send", lambda kind, pk: None)
    monkeypatch.setattr(dispatch, "queue_is_empty", lambda: True)
    monkeypatch.setattr(dispatch, "is_asked", lambda: False)
    made = services.create(ready.version, topics=5, seed=2**63 - 2, engine_settings={"passes": 3})
    train(made.pk)
    return latest(made.pk)


def latest(pk: int) -> Run:
    return Run.objects.select_related("version", "snapshot__run__version").get(pk=pk)


def topics_of(one: Replicate, V: int) -> Topics:
    with np.load(io.BytesIO(one.topics)) as file:
        return Topics(V=V, **dict(file))


def test_topics_are_those_of_the_seed_and_are_looked_for(run):
    # Tests train with other seeds only where they are about them
    assert not run.replicates.exists()
    replicates.begin(run)
    replicates.begin(run)  # there are no more of them
    first, second = run.replicates.order_by("pk")
    assert [first.seed, second.seed] == [2**63 - 1, 0]
    replicate(first.pk)
    assert found_again.count_found(latest(run.pk)) == []  # nothing is said before all are there
    replicate(second.pk)
    run = latest(run.pk)
    engine = engines.get(run.engine)
    config = engines.config(run.engine, **run.settings)
    bow = Bow.open(files.bow_folder(run.version_id, run.pk, []))
    *_, last = inference.train(engine, config, bow, seed=0, last=run.step)
    kept = topics_of(Replicate.objects.get(pk=second.pk), run.version.vocabulary)
    for name in ("indptr", "words", "weights", "floor", "share"):
        assert np.array_equal(getattr(kept, name), getattr(last.topics, name)), name
    numbers = range(kept.V)
    between = inference.explore.matching.match(weights.topics(run.snapshot), kept, numbers, numbers)
    elsewhere = found_again.elsewhere(run)
    for k, topic in enumerate(elsewhere):
        assert [one.seed for one in topic] == [2**63 - 1, 0]
        assert topic[1].found == (between.partner[k] >= 0)
        assert topic[1].similarity == pytest.approx(between.best_b_similarity[k], abs=0.001)
        assert bool(topic[1].words) != topic[1].found
    counts = found_again.count_found(run)
    assert [(one.found, one.runs) for one in counts] == [
        (sum(o.found for o in topic), 2) for topic in elsewhere
    ]
    assert not any(files.replicate_folder(one.pk).exists() for one in run.replicates.all())


def test_it_gives_way_and_goes_on_from_where_it_was(run, monkeypatch):
    replicates.begin(run)
    first = run.replicates.order_by("pk").first()
    quiet = undisturbed(run)
    monkeypatch.setattr(replicates, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    other = Run.objects.create(
        corpus=run.corpus, version=run.version, settings=run.settings, status="queued"
    )
    assert not scheduler.idle() and scheduler.startable(kinds.REPLICATE) == 0
    replicate(first.pk)  # is not begun while somebody waits
    assert status(first) == ("queued", 0)
    other.delete()
    assert scheduler.startable(kinds.REPLICATE) == 1
    # When it is claimed; once in its training; then somebody comes
    looks = iter([True, True, False])
    monkeypatch.setattr(scheduler, "idle", lambda: next(looks, False))
    replicate(first.pk)
    assert status(first) == ("queued", 1)
    saved = files.replicate_folder(first.pk) / replicates.CHECKPOINT
    assert saved.exists()
    monkeypatch.setattr(scheduler, "idle", lambda: True)
    replicate(first.pk)
    assert status(first) == ("ready", 2)
    assert np.array_equal(
        topics_of(Replicate.objects.get(pk=first.pk), run.version.vocabulary).weights, quiet
    )


def undisturbed(run: Run) -> np.ndarray:
    """The weights of the first other seed, without a break."""
    bow = Bow.open(files.bow_folder(run.version_id, run.pk, []))
    config = engines.config(run.engine, **run.settings)
    *_, last = inference.train(engines.get(run.engine), config, bow, seed=2**63 - 1, last=run.step)
    return last.topics.weights


def status(one: Replicate) -> tuple[str, int]:
    return Replicate.objects.values_list("status", "attempt").get(pk=one.pk)


def test_a_kill_in_the_middle(run, monkeypatch):
    """Its row is as a killed process left it: the sweep queues it again, and it is done."""
    replicates.begin(run)
    first = run.replicates.order_by("pk").first()
    assert claims.claim(kinds.REPLICATE, first.pk) == 1
    sweep_for(STALE + 10)
    assert status(first) == ("queued", 1)
    replicate(first.pk)
    assert status(first) == ("ready", 2)


def test_deleting_the_run_ends_and_removes_them(run, monkeypatch):
    replicates.begin(run)
    first, second = run.replicates.order_by("pk")
    replicate(first.pk)

    def train(*_, **__):
        deletion.delete_run(run)
        yield inference.Progress(1, 9, 1, 1, 0.1)
        with pytest.raises(claims.ClaimLost):
            claims.update(kinds.REPLICATE, second.pk, 1)
        raise claims.ClaimLost

    monkeypatch.setattr(inference, "train", train)
    replicate(second.pk)
    # The sweep, and who claims, see none
    assert not Replicate.objects.exists() and not run.replicates.exists()
    assert claims.claim(kinds.REPLICATE, second.pk) is None
    deletion.bring_back(Run.everything.get(pk=run.pk))
    assert [one.status for one in run.replicates.order_by("pk")] == ["ready", "training"]
    deletion.delete_run(run)
    deletion.expire_now(run)
    upkeep.tidy()
    assert not Replicate._base_manager.exists() and not files.replicate_folder(second.pk).exists()


def test_they_can_be_cancelled(run):
    replicates.begin(run)
    first, second = run.replicates.order_by("pk")
    replicate(first.pk)
    replicates.cancel(run)
    assert list(run.replicates.all()) == [first]
    assert Snapshot.objects.get(pk=run.snapshot_id).replicates == 1
    assert [one.runs for one in found_again.count_found(latest(run.pk))] == [1] * 5


def test_which_runs_have_them_by_themselves(run, settings):
    settings.OTHER_SEEDS = True
    run.seconds = replicates.MOST_TRAINING_SECONDS + 1
    replicates.begin_by_itself(run)
    run.seconds = 1.0
    run.begins = True
    replicates.begin_by_itself(run)
    assert not run.replicates.exists()
    with transaction.atomic(), pytest.raises(Invalid):
        replicates.begin(run)
    run.begins = False
    replicates.begin_by_itself(run)
    assert run.replicates.count() == replicates.SEEDS


@pytest.mark.django_db
def test_pages_say_which_topics_other_seeds_found(trained, client):
    found = {8: [True, False, True, True, True, True], 9: [False, False, True, True, True, True]}
    for seed, of_topics in found.items():
        rows = [
            (one, 0.7 if one else 0.4, [] if one else ["wool", f"word{k}"])
            for k, one in enumerate(of_topics)
        ]
        Replicate.objects.create(run=trained, seed=seed, status="ready", elsewhere=rows)
    at = reverse("run", args=[trained.pk])
    assert found_again.elsewhere(latest(trained.pk)) == []  # not before all are there
    for page in ("", "topics/", "topics/1/"):
        assert "0 of 2" not in client.get(at + page).content.decode()
    rank = {
        row["topic"]["number"]: row
        for row in client.get(reverse("run_overview_json", args=[trained.pk])).json()["findings"]
        if row["topic"]
    }
    assert not any(row["not_found_again"] for row in rank.values())

    Snapshot.objects.filter(pk=trained.snapshot_id).update(replicates=2)
    run = latest(trained.pk)
    assert [(one.found, one.doubtful) for one in found_again.count_found(run)[:3]] == [
        (1, False),
        (0, True),
        (2, False),
    ]
    assert found_again.elsewhere(run)[1][1] == found_again.Elsewhere(
        9, False, 0.4, ["wool", "word1"]
    )
    data = client.get(reverse("run_json", args=[trained.pk])).json()["other_seeds"]
    assert data == {"ready": 2, "to_come": 0, "failed": 0, "found": 4}
    html = client.get(at).content.decode()
    assert (
        'id="seeds"' in html
        and "4 of 6 topics were" in html
        and "Train with other seeds" not in html
    )
    items = {
        row["number"]: row
        for row in client.get(reverse("run_topics_json", args=[trained.pk])).json()["items"]
    }
    assert items[0]["found_again"] == {"found": 1, "runs": 2} and items[1]["found_again"] == {
        "found": 0,
        "runs": 2,
    }
    assert "0 of 2<span" in client.get(at + "topics/").content.decode()
    topic = client.get(reverse("run_topic_json", args=[trained.pk, 1])).json()
    assert topic["verdict"]["kind"] in ("unstable", "general")
    assert topic["elsewhere"][0] == {
        "seed": 8,
        "found": False,
        "similarity": 0.4,
        "words": ["wool", "word1"],
    }
    html = client.get(reverse("run_topic", args=[trained.pk, 1])).content.decode()
    assert (
        "found again in 0 of 2 runs with other seeds" in html
        and "the run with seed 9 lacks it: most like it is “wool, word1” there" in html
    )


def addresses_but_cautions(findings: list[dict]) -> list[str]:
    """A topic that is not found again is one more of what not to rely on."""
    return sorted(finding["url"] for finding in findings if finding["kind"] != "caution")


@pytest.mark.django_db
def test_findings_of_topics_that_were_not_found_again_come_last_and_say_so(
    trained, client, monkeypatch
):
    """Each topic by itself is not found again."""
    address = reverse("run_overview_json", args=[trained.pk]) + "?detail=more"
    before = client.get(address).json()["findings"]
    for row in [
        one for one in before if one["topic"] and one["kind"] in ("family", "change", "mark")
    ]:
        k = row["topic"]["number"]
        monkeypatch.setattr(found_again, "doubtful", lambda run, k=k: {k})
        after = client.get(f"{address}&fresh={k}").json()["findings"]  # the page is cached
        assert addresses_but_cautions(after) == addresses_but_cautions(before)
        for kind in ("family", "change", "mark"):
            # Changes stand in the order of time, so the rank is what says which is told last
            ours = sorted(
                (finding for finding in after if finding["kind"] == kind),
                key=lambda finding: finding["rank"],
            )
            alone = [
                one["not_found_again"] == [k]
                and one["sure"].endswith("; not found again with other seeds")
                for one in ours
            ]
            assert alone == sorted(alone)
        assert any(
            one["not_found_again"] == [k] and "not found again with other seeds" in one["sentence"]
            for one in after
        )
        monkeypatch.undo()


def test_they_are_asked_for_and_refused_on_the_page_of_the_run(run, client):
    at = reverse("run", args=[run.pk])
    html = client.get(at).content.decode()
    assert "Not yet compared with" in html and "Train with other seeds" in html
    assert client.post(at + "seeds/", {"act": "train"}).headers["Location"] == at + "#seeds"
    html = client.get(at).content.decode()
    assert run.replicates.count() == 2 and "0 of 2" in html and "Train with other seeds" not in html
    client.post(at + "seeds/", {"act": "cancel"})
    assert (
        not run.replicates.exists() and "Train with other seeds" in client.get(at).content.decode()
    )
