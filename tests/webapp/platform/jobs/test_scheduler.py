"""Whose job is next, told by rows alone: users take turns, short jobs keep a place, and nobody has
more than their quota."""

import threading
import time
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from inference.errors import Invalid
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, upload_limits, uploads, versions
from webapp.models import Corpus, Export, Job, Run, SourceFile, User
from webapp.platform.accounts import quotas
from webapp.platform.jobs import claims, dispatch, kinds, roster, scheduler
from webapp.platform.storage import disk

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def workers(settings, monkeypatch):
    """One worker with five processes: four places for trainings, three for one user's."""
    settings.ACCOUNTS = True
    monkeypatch.setattr(roster, "live_workers", lambda: [{"worker": "w", "processes": 5}])
    for name in ("send", "send_again"):
        monkeypatch.setattr(dispatch, name, lambda kind, pk: sent.append(pk))
    sent.clear()


sent = []


class Person:
    """A user with a corpus on which runs wait."""

    def __init__(self, name: str):
        self.user = User.objects.create_user(f"{name}@example.org", name)
        self.corpus = Corpus.objects.create(name=name, owner=self.user, status="ready")
        self.version = self.corpus.versions.create(
            number=1, status="ready", tokens=1000, documents=100, vocabulary=500
        )

    def run(self, topics: int = 10) -> Run:
        return Run.objects.create(
            corpus=self.corpus, version=self.version, by=self.user, settings={"topics": topics}
        )


def take(run: Run) -> int | None:
    found = scheduler.claim_next_job(kinds.TRAIN, run.pk)
    return found and found[0]


def end(pk: int) -> None:
    Run.objects.filter(pk=pk).update(status="done", heartbeat_at=timezone.now())


def test_users_take_turns_and_keep_their_own_order(monkeypatch):
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    ada = Person("ada")
    ben = Person("ben")
    hers = [ada.run() for _ in range(4)]
    his = [ben.run() for _ in range(2)]
    order = order_of([run.pk for run in [*hers, *his]])
    assert order == [hers[0].pk, his[0].pk, hers[1].pk, his[1].pk, hers[2].pk, hers[3].pk]


def test_a_large_run_does_not_keep_a_small_one_waiting():
    ada = Person("ada")
    ben = Person("ben")
    large = [ada.run(2000) for _ in range(10)]
    taken = [take(run) for run in large]
    assert taken == [run.pk for run in large[:3]] + [None] * 7, "a place is left to others"
    small = ben.run(10)
    assert take(small) == small.pk
    assert scheduler.free_places(kinds.TRAIN) == 0 and take(ben.run()) is None, (
        "and one process to jobs that are short"
    )


def test_small_before_large_where_nobody_has_had_a_turn():
    ada = Person("ada")
    ben = Person("ben")
    large = ada.run(2000)
    small = ben.run(10)
    assert take(large) == small.pk and sent == [large.pk], "whose own turn comes"
    assert take(large) == large.pk


def test_on_a_full_disk_a_message_ends_and_nothing_is_sent_at_once(monkeypatch):
    ada = Person("ada")
    ben = Person("ben")
    large = ada.run(2000)
    small = ben.run(10)
    monkeypatch.setattr(disk, "full", lambda: True)
    assert take(large) is None and sent == [], "it would come back for as long as the disk is full"
    for run in (large, small):
        run.refresh_from_db()
        assert (run.status, run.waits_for) == ("queued", "disk")
    monkeypatch.setattr(disk, "full", lambda: False)
    assert take(large) == large.pk and sent == [], "each by the message that the sweep sends"


def test_a_job_that_waits_for_the_store_leaves_its_turn_to_the_others():
    ada = Person("ada")
    ben = Person("ben")
    waiting = ada.run()
    others = [ada.run(), ben.run(2000)]
    Run.objects.filter(pk=waiting.pk).update(waits_for="store")
    assert [take(run) for run in others] == [run.pk for run in others] and sent == []
    assert take(waiting) == waiting.pk, "once a minute, by the message that the sweep sends"


def test_where_the_due_job_was_cancelled_just_now_the_other_begins(monkeypatch):
    ada = Person("ada")
    ben = Person("ben")
    large = ada.run(2000)
    small = ben.run(10)
    claim = claims.claim

    def claim_late(kind, pk):
        Run.objects.filter(pk=small.pk).update(status="cancelled")
        return claim(kind, pk)

    monkeypatch.setattr(claims, "claim", claim_late)
    assert take(large) == large.pk and sent == []


def test_who_has_the_fewest_at_work_is_next():
    ada = Person("ada")
    ben = Person("ben")
    mine = [ada.run() for _ in range(3)]
    assert take(mine[0]) == mine[0].pk
    his = ben.run(2000)
    assert take(mine[1]) == his.pk


def test_what_is_gone_takes_no_place():
    ada = Person("ada")
    for _ in range(3):
        take(ada.run())
    run = ada.run()
    assert take(run) is None
    Run.objects.filter(status="running").update(heartbeat_at=timezone.now() - 2 * claims.FROZEN)
    assert take(run) == run.pk


def test_a_message_that_comes_twice_takes_nothing():
    ada = Person("ada")
    run = ada.run()
    _other = ada.run()
    assert take(run) == run.pk and take(run) is None


def test_reading_has_no_limit_of_places_but_turns():
    ada = Person("ada")
    ben = Person("ben")
    hers = [
        Corpus.objects.create(name="c", owner=ada.user, status="queued", bytes_total=9)
        for _ in range(6)
    ]
    his = Corpus.objects.create(name="c", owner=ben.user, status="queued", bytes_total=10**9)
    assert [scheduler.claim_next_job(kinds.READ, c.pk)[0] for c in hers[:2]] == [hers[0].pk, his.pk]
    for run in [ada.run() for _ in range(9)]:
        take(run)
    assert scheduler.claim_next_job(kinds.READ, hers[5].pk)[0] == hers[1].pk


def test_versions_take_turns_by_the_owners_of_their_corpora():
    ada = Person("ada")
    ben = Person("ben")
    hers = [ada.corpus.versions.create(number=n) for n in (2, 3)]
    his = ben.corpus.versions.create(number=2)
    assert [scheduler.claim_next_job(kinds.VECTORIZE, v.pk)[0] for v in hers] == [
        hers[0].pk,
        his.pk,
    ]


def test_while_accounts_are_off_one_user_has_all_places(settings):
    settings.ACCOUNTS = False
    ada = Person("ada")
    assert [take(ada.run()) is not None for _ in range(5)] == [True] * 4 + [False]


def test_the_sweep_tells_of_no_more_than_can_begin():
    ada = Person("ada")
    for _ in range(9):
        ada.run()
    assert scheduler.startable(kinds.TRAIN) == 4
    scheduler.dispatch_next(kinds.TRAIN)
    assert len(sent) == 1


# Quotas
# --------------------------------------------------------------------------------------------------------------


def test_jobs(settings):
    settings.MOST = settings.MOST | {"jobs": 2}
    ada = Person("ada")
    ben = Person("ben")
    ada.run()
    Run.objects.filter(pk=ada.run().pk).update(status="running", attempt=1)
    with pytest.raises(Invalid, match="2 of your jobs may wait or run at once, and 2 do"):
        runs.create(ada.version, topics=2, by=ada.user)
    with pytest.raises(Invalid, match="jobs"):
        versions.create(ada.corpus, versions.VocabularySettings())
    runs.create(ada.version, topics=2, by=ben.user)
    User.objects.filter(pk=ada.user.pk).update(most_jobs=3)
    runs.create(ada.version, topics=2, by=User.objects.get(pk=ada.user.pk))


def test_a_corpus_that_is_read_is_one_job_also_while_it_gets_its_version(settings):
    settings.MOST = settings.MOST | {"jobs": 2}
    ada = Person("ada")
    reading = Corpus.objects.create(name="new", owner=ada.user, status="reading", attempt=1)
    reading.versions.create(number=1, status="choosing")
    assert quotas.used(ada.user)["jobs"] == 1
    runs.create(ada.version, topics=2, by=ada.user)


def test_every_kind_of_job_waits_and_fails_by_the_same_words():
    for kind in kinds.KINDS:
        statuses = set(kind.model.Status.values)
        assert {Job.QUEUED, Job.FAILED, *kind.active} <= statuses, kind.name


def test_which_kinds_count_for_how_many_jobs_a_user_may_have():
    counted = [kind.name for kind in kinds.KINDS if kind.counts_for_quota]
    assert counted == ["upload", "corpus", "version", "run", "export"]


def test_jobs_at_work_and_unfinished():
    ada = Person("ada")
    claimed = ada.run()
    claims.claim(kinds.TRAIN, claimed.pk)
    waiting = ada.run()
    of_corpus = ada.corpus.versions.create(number=2, status="choosing")
    assert list(kinds.TRAIN.at_work) == [claimed]
    assert set(kinds.TRAIN.unfinished) == {claimed, waiting}
    assert of_corpus not in kinds.VECTORIZE.unfinished


@pytest.mark.parametrize("way", ["variants", "engines", "addition", "form"])
def test_a_corpus_is_locked_before_its_owner(settings, client, tmp_path, way):
    """Two who lock them in another order would wait for each other."""
    settings.MOST = settings.MOST | {"jobs": 9, "bytes": 1000}
    ada = Person("ada")
    Corpus.objects.filter(pk=ada.corpus.pk).update(version=ada.version, progress={"documents": 1})
    ada.corpus.refresh_from_db()
    first = runs.create(ada.version, topics=4, by=ada.user)
    with CaptureQueriesContext(connection) as asked:
        if way == "variants":
            runs.variants(first, ada.user)
        elif way == "engines":
            runs.create_several(ada.version, ["ssi", "vb"], topics=4, by=ada.user)
        elif way == "form":
            client.force_login(ada.user)
            form = {"files": SimpleUploadedFile("more.txt", b"more words")}
            assert client.post(reverse("corpus_add", args=[ada.corpus.pk]), form).status_code == 302
            assert ada.corpus.additions.exists()
        else:
            path = tmp_path / "more.txt"
            path.write_text("more words")
            received = [corpora.ReceivedFile("more.txt", path)]
            draft = corpora.create_addition(ada.corpus, received)
            assert (draft.added_to, draft.owner) == (ada.corpus, ada.user)
    locked = [query["sql"] for query in asked if "FOR NO KEY UPDATE" in query["sql"]]
    assert 'FROM "webapp_corpus"' in locked[0]
    assert any('FROM "webapp_user"' in sql for sql in locked[1:])


def test_bytes(settings):
    settings.MOST = settings.MOST | {"bytes": 1000}
    ada = Person("ada")
    SourceFile.objects.create(
        corpus=ada.corpus, position=0, name="a", path="a", bytes=600, sha256=""
    )
    arriving = uploads.create(300, "b.txt", owner=ada.user.pk)
    try:
        with pytest.raises(
            uploads.Refused, match="1.0 kB in all. They take up 900 B, and these would add 200 B"
        ) as refused:
            uploads.create(200, "c.txt", owner=ada.user.pk)
        assert refused.value.status == 413
        uploads.remove(uploads.create(100, "c.txt", owner=ada.user.pk))
    finally:
        uploads.remove(arriving)
    with transaction.atomic(), pytest.raises(Invalid, match="600 B, and these would add 500 B"):
        quotas.check_bytes(ada.user, 500)


def test_bytes_of_a_form_count_beside_uploads_that_have_begun(settings, client):
    settings.MOST = settings.MOST | {"bytes": 1000}
    ada = Person("ada")
    client.force_login(ada.user)
    arriving = uploads.create(900, "b.txt", owner=ada.user.pk)
    try:
        form = {"name": "more", "files": SimpleUploadedFile("a.txt", b"word " * 40)}
        answer = client.post(reverse("corpora"), form, headers={"Accept": "application/json"})
        assert (
            answer.status_code == 413
            and "They take up 900 B, and these would add 200 B" in answer.json()["error"]
        )
        assert not Corpus.objects.filter(name="more").exists()
    finally:
        uploads.remove(arriving)


def test_a_user_is_not_locked_while_what_came_is_looked_into(settings, client, monkeypatch):
    """It takes up to 15 seconds, and others wait 8 for the lock."""
    held = []

    @contextmanager
    def hold_quota(owner, size):
        held.append(owner)
        yield
        held.remove(owner)

    looked = []
    monkeypatch.setattr(upload_limits, "hold_quota", hold_quota)
    monkeypatch.setattr(corpora, "check_readable", lambda corpus: looked.append(list(held)))
    ada = Person("ada")
    client.force_login(ada.user)
    Corpus.objects.filter(pk=ada.corpus.pk).update(version=ada.version, progress={"documents": 1})
    for address in (reverse("corpora"), reverse("corpus_add", args=[ada.corpus.pk])):
        client.post(address, {"files": SimpleUploadedFile("a.txt", b"word " * 40)})
    assert looked == [[], []] and held == []


def test_documents(settings):
    settings.MOST = settings.MOST | {"documents": 100}
    ada = Person("ada")
    Corpus.objects.filter(pk=ada.corpus.pk).update(documents_read=70)
    new = Corpus.objects.create(name="new", owner=ada.user)
    with transaction.atomic():
        quotas.check_documents(new, 30)
        with pytest.raises(Invalid, match="30 documents more, and this one has at least 31"):
            quotas.check_documents(new, 31)


def test_documents_of_a_corpus_that_is_another_users_now(settings):
    settings.MOST = settings.MOST | {"documents": 100}
    ada = Person("ada")
    ben = Person("ben")
    Corpus.objects.filter(pk=ada.corpus.pk).update(documents_read=90)
    new = Corpus.objects.create(name="new", owner=ada.user)
    Corpus.objects.filter(pk=new.pk).update(owner=ben.user)
    quotas.check_documents(new, 100)


def test_what_is_deleted_counts_until_it_is_gone_for_good(settings):
    settings.MOST = settings.MOST | {"documents": 100}
    ada = Person("ada")
    Corpus.objects.filter(pk=ada.corpus.pk).update(documents_read=70, deleted_at=timezone.now())
    assert quotas.used(ada.user)["documents"] == 70
    from webapp.service.corpora import deletion

    deletion.expire_now(ada.corpus)
    assert quotas.used(ada.user)["documents"] == 0


def test_no_limits_while_accounts_are_off(settings):
    settings.ACCOUNTS = False
    settings.MOST = {"bytes": 0, "documents": 0, "jobs": 0}
    ada = Person("ada")
    runs.create(ada.version, topics=2, by=ada.user)
    quotas.check_documents(ada.corpus, 10**9)


@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_not_take_the_last_place(settings):
    """Each waits before it writes until the other has looked, or can't."""
    settings.MOST = settings.MOST | {"jobs": 1}
    ada, said, barrier = Person("ada"), [], threading.Barrier(2)

    def ask():
        try:
            with transaction.atomic():
                barrier.wait(10)
                runs.create(ada.version, topics=2, by=ada.user)
            said.append("taken")
        except Invalid:
            said.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(said) == ["refused", "taken"] and Run.objects.filter(by=ada.user).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_readings_at_once_do_not_pass_a_quota_together(settings):
    """The second one's chunk waits for the first one's, and counts it."""
    settings.MOST = settings.MOST | {"documents": 100}
    ada, said, barrier = Person("ada"), [], threading.Barrier(2)
    corpora = [ada.corpus, Corpus.objects.create(name="other", owner=ada.user)]

    def keep(corpus: Corpus):
        try:
            with transaction.atomic():
                barrier.wait(10)
                quotas.check_documents(corpus, 60)
                Corpus.objects.filter(pk=corpus.pk).update(documents_read=60)
            said.append("kept")
        except Invalid:
            said.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=keep, args=[corpus]) for corpus in corpora]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(said) == ["kept", "refused"] and quotas.used(ada.user)["documents"] == 60


def test_files_and_comparisons_leave_half_of_the_processes_to_others():
    ada = Person("ada")
    made = [
        Export.objects.create(
            run=ada.run(), by=ada.user, file="x.csv", name="x", sentence="x", expected=n
        )
        for n in range(4)
    ]
    begun = [scheduler.claim_next_job(kinds.EXPORT, export.pk) for export in made]
    assert (
        begun == [(made[0].pk, 1), (made[1].pk, 1), None, None]
        and scheduler.startable(kinds.EXPORT) == 0
    )
    Export.objects.filter(pk=made[0].pk).update(status="ready")
    sent.clear()
    scheduler.dispatch_next(kinds.EXPORT)
    assert sent == [made[2].pk]


def order_of(messages: list[int]) -> list[int]:
    """In which queued runs begin, one after the other: a twin of `scheduler.ahead` that lets them
    begin."""
    order = []
    while messages:
        if found := scheduler.claim_next_job(kinds.TRAIN, messages.pop(0)):
            order.append(found[0])
            end(found[0])
        messages += sent
        sent.clear()
    return order


@pytest.mark.parametrize("seed", range(6))
def test_how_many_are_before_a_run(monkeypatch, seed):
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    chance = Random(seed)
    people = [Person(name) for name in ("ada", "ben", "cy", "dee")]
    waiting = [chance.choice(people).run(chance.choice([5, 10, 20])) for _ in range(12)]
    ahead = {run.pk: scheduler.ahead(run) for run in waiting}
    order = order_of([run.pk for run in waiting])
    assert [ahead[pk] for pk in order] == list(range(12))


def test_how_many_are_before_a_run_while_accounts_are_off(settings):
    settings.ACCOUNTS = False
    ada = Person("ada")
    assert [scheduler.ahead(run) for run in [ada.run() for _ in range(3)]] == [0, 1, 2]


def test_how_long_a_run_waits(monkeypatch):
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    ada = Person("ada")
    Run.objects.update(finished_at=None)
    assert scheduler.wait(0) == 0 and scheduler.wait(3) is None, "nobody knows before one has ended"
    now = timezone.now()
    for seconds in (10, 20, 600):
        run = ada.run()
        Run.objects.filter(pk=run.pk).update(
            status="done", started_at=now, finished_at=now + timedelta(seconds=seconds)
        )
    assert scheduler.wait(3) == 60
    take(ada.run())
    assert scheduler.wait(3) == 70, "and half of the one that is at work"


def test_a_training_gives_way_to_who_has_none_at_work(monkeypatch, settings):
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    ada = Person("ada")
    ben = Person("ben")
    take(ada.run())
    ada.run()
    long_ago = time.monotonic() - scheduler.SLICE - 1
    assert not scheduler.gives_way(ada.user.pk, long_ago), "not to one's own"
    ben.run()
    assert scheduler.gives_way(ada.user.pk, long_ago)
    assert not scheduler.gives_way(ada.user.pk, time.monotonic()), "not at once"
    monkeypatch.setattr(scheduler, "training_places", lambda: 2)
    assert not scheduler.gives_way(ada.user.pk, long_ago), "not while there is another place"
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    settings.ACCOUNTS = False
    assert not scheduler.gives_way(ada.user.pk, long_ago)


def test_who_gave_way_has_had_a_turn(monkeypatch):
    """Else the training that made room would take its place back, and whoever waits would never
    begin."""
    monkeypatch.setattr(scheduler, "training_places", lambda: 1)
    ada = Person("ada")
    ben = Person("ben")
    hers = ada.run()
    his = ben.run(20)
    assert take(hers) == hers.pk
    Run.objects.filter(pk=hers.pk).update(status="queued")  # it gave way
    assert scheduler.ahead(his) == 0 and scheduler.ahead(hers) == 1
    assert take(hers) == his.pk
