"""The operator's page: what it tells, what can be done there, and that nothing of what people
upload is on it."""

import time

import pytest
import redis
from django.urls import reverse
from django.utils import timezone

from tests.webapp.page_text import in_one_line
from webapp.core.runs import services as runs
from webapp.models import Corpus, Replicate, Run
from webapp.platform.jobs import events, kinds, roster, teams
from webapp.service.operations import operator as queries, state, upkeep

pytestmark = pytest.mark.django_db
NAME = "worker-here:4711"


@pytest.fixture
def worker():
    """One that is alive."""
    roster.beat(NAME, 3, time.time())
    yield NAME
    events.client().delete(f"worker:{NAME}", f"doing:{NAME}", "doing:worker-gone:1")


@pytest.fixture
def failed(trained):
    """A copy of the finished run that broke."""
    run = runs.create(trained.version, topics=4)
    Run.objects.filter(pk=run.pk).update(
        status="failed", attempt=2, error="Something went wrong. (request 0123456789abcdef)"
    )
    return Run.objects.get(pk=run.pk)


def said(client, query="") -> dict:
    response = client.get(f"/operator.json{query}")
    assert response.status_code == 200
    return response.json()


def test_which_worker_does_what(client, trained, worker):
    Run.objects.filter(pk=trained.pk).update(status="running", heartbeat_at=timezone.now())
    roster.task_started(worker, "a", kinds.TRAIN.task, trained.pk)
    # Left behind by a process that was killed
    roster.task_started(worker, "b", kinds.TRAIN.task, 10**9)
    roster.task_started("worker-gone:1", "c", kinds.TRAIN.task, trained.pk)
    (found,) = [one for one in said(client)["workers"] if one["worker"] == worker]
    assert found["processes"] == 3 and found["age"] < 60
    assert [(note["kind"], note["key"]) for note in found["doing"]] == [("run", trained.pk)]
    assert "worker-gone:1" not in {one["worker"] for one in said(client)["workers"]}
    html = client.get("/operator/").content.decode()
    assert worker in html and f"run {trained.pk}" in html
    roster.task_ended(worker, "a")
    assert not [one for one in said(client)["workers"] if one["worker"] == worker][0]["doing"]


def test_a_worker_that_was_silent_has_its_places_and_tasks_back_with_its_next_beat(worker):
    """It was stopped for a minute, or Redis was emptied of it."""
    roster.task_started(worker, "a", kinds.TRAIN.task, 7)
    events.client().delete(f"worker:{worker}")
    # Which once forgot it for good
    assert worker not in {one["worker"] for one in roster.live_workers()}
    roster.beat(worker, 3, 0.0)
    (mine,) = [one for one in roster.live_workers() if one["worker"] == worker]
    assert (mine["processes"], [note["key"] for note in mine["doing"]]) == (3, [7])
    assert roster.processes() >= 3


def test_without_workers_and_without_redis_it_says_so(client, monkeypatch):
    assert "No worker is running" in client.get("/operator/").content.decode()
    away = redis.Redis(port=1, socket_connect_timeout=1)
    monkeypatch.setattr(events, "client", lambda: away)
    assert "Redis does not answer" in client.get("/operator/").content.decode()


def test_who_shares_a_training(client):
    """The page, and metrics that add up per worker."""
    seat = {
        "rank": 0,
        "t": 12,
        "steps": 7,
        "computing": 3.5,
        "exchanging": 0.5,
        "cpu": 3.25,
        "sent": 2_000_000,
    }
    teams.note(
        4711,
        [seat | {"worker": "there:1"}, seat | {"worker": "<b>", "rank": 1, "t": 12}],
        restarts=2,
    )
    try:
        (team,) = said(client)["teams"]
        assert (team["run"], team["restarts"], [w["worker"] for w in team["workers"]]) == (
            4711,
            2,
            ["there:1", "<b>"],
        )
        html = in_one_line(client.get("/operator/"))
        assert (
            "Run 4711: 2 workers, back to a checkpoint 2 times" in html
            and "&lt;b&gt;" in html
            and "there:1" in html
        )
        numbers = {
            (name, labels): n
            for name, labels, n in state.measured_numbers()
            if name.startswith("topograph_cluster")
        }
        assert numbers["topograph_cluster_workers", ("4711",)] == 2
        assert numbers["topograph_cluster_seconds", ("4711", "there:1", "processor")] == 3.25
        assert numbers["topograph_cluster_sent_bytes", ("4711", "<b>")] == 2_000_000
    finally:
        events.client().delete("team:4711")
    assert (
        said(client)["teams"] == []
        and "Shared trainings" not in client.get("/operator/").content.decode()
    )


def test_jobs_by_kind_and_state_with_keyset_pages(client, trained, failed, monkeypatch):
    monkeypatch.setattr(queries, "PAGE", 1)
    other = runs.create(trained.version, topics=4)
    Run.objects.filter(pk=other.pk).update(
        status="failed", error="A file could not be read: letters.txt"
    )
    first = said(client, "?kind=run&state=failed")
    failed_of = {row["kind"]: row["failed"] for row in first["counts"]}
    assert failed_of == {
        "run": 2,
        "upload": 0,
        "corpus": 0,
        "version": 0,
        "export": 0,
        "comparison": 0,
        "replicate": 0,
        "codefile": 0,
    }
    assert [job["id"] for job in first["jobs"]] == [other.pk] and first["jobs"][0]["broke"] == ""
    second = said(client, first["next"].replace("&amp;", "&"))
    assert [(job["id"], job["attempt"], job["broke"]) for job in second["jobs"]] == [
        (failed.pk, 2, "0123456789abcdef")
    ] and second["next"] is None
    assert (
        client.get("/operator/?kind=user").status_code
        == client.get("/operator/?state=all").status_code
        == 400
    )


def test_a_version_that_is_made_while_its_corpus_is_read_is_no_job_of_its_own(client, ready):
    ready.versions.create(number=ready.version.number + 1, status="choosing")
    listed = said(client, "?kind=version&state=work")
    assert listed["jobs"] == []
    assert next(row["work"] for row in listed["counts"] if row["kind"] == "version") == 0


def test_every_kind_of_job_is_there(client):
    """Trainings with other seeds were not, so that nobody saw that one had failed."""
    assert [row["kind"] for row in said(client)["counts"]] == [kind.name for kind in kinds.KINDS]
    html = client.get("/operator/").content.decode()
    assert all(kind.title in html for kind in kinds.KINDS)


def test_a_training_with_another_seed_that_failed_is_seen_and_tried_again(client, trained):
    replicate = Replicate.objects.create(
        run=trained,
        seed=4711,
        status="failed",
        error="Something went wrong. (request 0123456789abcdef)",
    )
    (job,) = said(client, "?kind=replicate&state=failed")["jobs"]
    assert (job["id"], job["corpus"], job["progress"], job["broke"]) == (
        replicate.pk,
        trained.corpus_id,
        None,
        "0123456789abcdef",
    )
    client.post(reverse("operator_again", kwargs={"kind": "replicate", "key": replicate.pk}))
    replicate.refresh_from_db()
    assert replicate.status == "queued"


def test_how_far_jobs_are_and_of_which_corpus(client, failed):
    Run.objects.filter(pk=failed.pk).update(step=1, steps=4, tokens_seen=30, seconds=2.0)
    (run,) = said(client, "?kind=run&state=failed")["jobs"]
    assert (run["corpus"], run["progress"], run["tokens_per_second"]) == (
        failed.corpus_id,
        0.25,
        15.0,
    )
    Corpus.objects.filter(pk=failed.corpus_id).update(status="reading", bytes_read=1, bytes_total=2)
    (corpus,) = said(client, "?kind=corpus&state=work")["jobs"]
    assert (corpus["corpus"], corpus["progress"]) == (failed.corpus_id, 0.5)


# Each kind of job is counted in each state; the list, its corpora and the parts of the page take nine
QUERIES_OF_A_LIST = len(queries.KINDS) * len(queries.STATES) + 9


@pytest.mark.parametrize("kind", queries.KINDS)
@pytest.mark.parametrize("state", queries.STATES)
def test_each_list_is_a_page_of_few_queries(
    client, trained, failed, kind, state, django_assert_max_num_queries
):
    with django_assert_max_num_queries(QUERIES_OF_A_LIST):
        assert client.get(f"/operator/?kind={kind}&state={state}").status_code == 200


def test_nothing_of_what_people_upload_is_on_it(client, ready, failed):
    Corpus.objects.filter(pk=ready.pk).update(
        status="reading", name="quetzalcoatl", error="quetzalcoatl"
    )
    Run.objects.filter(pk=failed.pk).update(error="quetzalcoatl", dropped=["quetzalcoatl"])
    for query in ("?kind=corpus&state=work", "?kind=run&state=failed"):
        assert (
            b"quetzalcoatl"
            not in client.get(f"/operator/{query}").content
            + client.get(f"/operator.json{query}").content
        )


def test_what_failed_is_tried_again(client, failed):
    address = reverse("operator_again", kwargs={"kind": "run", "key": failed.pk})
    assert client.get(address).status_code == 405
    page = client.post(address, follow=True).content.decode()
    failed.refresh_from_db()
    assert (failed.status, failed.error, failed.attempt) == (
        "queued",
        "",
        2,
    ) and "waits for a worker again" in page
    assert "has not failed" in client.post(address, follow=True).content.decode()
    for kind, key in (("run", 10**9), ("user", 1)):
        assert (
            client.post(reverse("operator_again", kwargs={"kind": kind, "key": key})).status_code
            == 404
        )


def test_words_that_failed_are_not_chosen_again_where_the_corpus_has_changed(client, ready):
    """A later version would lose its place, and while documents are erased its words would be lost."""
    failed = ready.versions.create(number=2, status="failed")
    address = reverse("operator_again", kwargs={"kind": "version", "key": failed.pk})

    def said() -> str:
        return client.post(address, follow=True).content.decode()

    copy = Corpus.objects.create(name="Copy", replaces=ready, status="reading")
    assert "are being erased" in said()
    copy.delete()
    later = ready.versions.create(number=3, status="queued")
    assert "is being made" in said()
    later.status = "ready"
    later.save()
    assert "has a later one" in said()
    failed.refresh_from_db()
    assert failed.status == "failed"
    later.delete()
    assert "waits for a worker again" in said()
    assert "has not failed" in said()


def test_a_corpus_that_was_to_replace_another_is_not_read_again(client, ready):
    copy = Corpus.objects.create(name="Copy", replaces=ready, status="failed")
    address = reverse("operator_again", kwargs={"kind": "corpus", "key": copy.pk})
    assert "Delete it" in client.post(address, follow=True).content.decode()
    copy.refresh_from_db()
    assert copy.status == "failed"


def test_a_run_is_stopped(client, trained):
    run = runs.create(trained.version, topics=4)
    Run.objects.filter(pk=run.pk).update(status="running")
    address = reverse("operator_stop", kwargs={"run_id": run.pk})
    assert client.post(address).status_code == 302
    run.refresh_from_db()
    assert (run.status, run.request) == ("running", "stop")
    Run.objects.filter(pk=run.pk).update(status="queued")
    client.post(address)
    run.refresh_from_db()
    assert run.status == "cancelled"
    assert client.post(reverse("operator_stop", kwargs={"run_id": 10**9})).status_code == 404


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("done", "has ended already"),
        ("failed", "has ended already"),
        ("storing", "has stopped training"),
    ],
)
def test_a_run_that_has_ended_is_not_said_to_be_told_to_stop(client, trained, status, said):
    """The list of runs at work is as old as the page."""
    run = runs.create(trained.version, topics=4)
    Run.objects.filter(pk=run.pk).update(status=status)
    address = reverse("operator_stop", kwargs={"run_id": run.pk})
    page = client.post(address, follow=True).content.decode()
    assert f"Run {run.pk} {said}" in page
    assert "told to stop" not in page
    run.refresh_from_db()
    assert (run.status, run.request) == (status, "")


def test_a_worker_measures_the_disk_now_and_then(client, settings, tmp_path):
    events.client().delete(upkeep.SIZES, f"{upkeep.SIZES}:lately")
    assert said(client)["disk"]["parts"] == {}
    (settings.DATA / "logs").mkdir(exist_ok=True)
    upkeep.measure()
    parts = said(client)["disk"]["parts"]
    assert parts["files/corpora"] > 0 and "files" not in parts and "logs" in parts
    events.client().delete(upkeep.SIZES)
    upkeep.measure()  # not again so soon
    assert said(client)["disk"]["parts"] == {}
    events.client().delete(f"{upkeep.SIZES}:lately")
