"""Files that have come are stored by a worker: what is kept, in which order, and that a kill at any
place loses nothing."""

import hashlib
import io
import random
import re
import tarfile
from dataclasses import asdict

import pytest
from django.conf import settings
from django.urls import reverse

from tasks.corpora import choose, store_upload
from tests.corpora import as_csv, example_rows
from tests.webapp.intake.ingest.test_reading import added, queued, read, upload
from webapp.intake.file_formats import looking
from webapp.intake.ingest import corpora, file_names, guesses, storing
from webapp.models import Corpus, Upload
from webapp.platform.accounts import quotas
from webapp.platform.jobs import claims
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """A part is three files, and nobody waits for more than one upload."""
    monkeypatch.setattr(storing, "FILES_AT_A_TIME", 3)
    monkeypatch.setattr(storing, "FEW_UPLOADS", 1)


def pack(tmp_path, contents: dict[str, bytes]) -> storing.ReceivedFile:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return upload(tmp_path, buffer.getvalue(), "pack")._replace(pack=True)


CONTENTS = {
    f"letters/{n}.txt": f"words of {n}".encode()
    for n in ("2", "10", "1", "b 3", "b 20", "b", "é", "01")
}


def arrived(tmp_path, **fields) -> Corpus:
    """A pack of eight files, with a file before it and two behind."""
    others = [upload(tmp_path, f"{n} alone".encode(), f"letters/{n}.md") for n in ("9", "a", "c")]
    return corpora.create(
        "", [others[0], pack(tmp_path, CONTENTS), *others[1:]], in_background=True, **fields
    )


def natural(name: str) -> list:
    parts = re.split(r"([0-9]+)", name)
    return [
        (len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (0, part)
        for i, part in enumerate(parts)
    ]


def check(corpus: Corpus) -> None:
    """All files are there, once, in the order of their names, and nothing else is."""
    found = list(corpus.files.all())
    assert {file.name for file in found} == {
        *CONTENTS,
        "letters/9.md",
        "letters/a.md",
        "letters/c.md",
    }
    assert [file.position for file in found] == list(range(11))
    assert [file.name for file in found] == sorted((file.name for file in found), key=natural)
    for file in found:
        content = (settings.FILES / file.path).read_bytes()
        assert content == CONTENTS.get(file.name, content) and file.bytes == len(content)
        assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert corpus.bytes_total == sum(file.bytes for file in found) and corpus.unstored is None
    folder = files.corpus_folder(corpus.pk)
    assert len(list((folder / "source").iterdir())) == 11 and not (folder / "arriving").exists()


def test_a_worker_stores_what_is_much(tmp_path, client, monkeypatch):
    corpus = arrived(tmp_path)
    assert corpus.stage == "queued" and not corpus.files.exists()
    assert quotas.used(corpus.owner)["bytes"] >= corpus.bytes_total > 0
    page = client.get(reverse("corpus_prepare", args=[corpus.pk]), follow=True)
    assert (
        page.redirect_chain[-1][0] == reverse("corpus", args=[corpus.pk])
        and "Your files have arrived and are being stored" in page.content.decode()
    )
    store_upload(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.stage == "draft" and corpus.name == "letters" and corpus.upload.question is None
    check(corpus)
    with monkeypatch.context() as patched:  # the page need not look into the files: the worker has
        patched.setattr(looking, "PAGE_SECONDS", 0.0)
        page = client.get(reverse("corpus_prepare", args=[corpus.pk]))
    assert page.status_code == 200 and page.context["page"].sniff.options.format == "text"
    store_upload(corpus.pk)  # a message that came twice
    assert Corpus.objects.get(pk=corpus.pk).stage == "draft"


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_goes_on_where_it_was_killed(tmp_path, monkeypatch, before, kept):
    """With so many parts behind it, before or after the next is on record."""
    corpus = arrived(tmp_path)
    record = storing.record_part
    parts = 0

    def killed(part, keep):
        nonlocal parts
        if parts < before or kept:
            record(part, keep)
        parts += 1
        if parts > before:
            monkeypatch.setattr(storing, "record_part", record)
            raise KeyboardInterrupt

    monkeypatch.setattr(storing, "record_part", killed)
    with pytest.raises(KeyboardInterrupt):
        store_upload(corpus.pk)
    Upload.objects.filter(pk=corpus.pk).update(status="queued")  # as the sweep does
    store_upload(corpus.pk)
    corpus.refresh_from_db()
    check(corpus)


def test_what_can_not_be_stored_says_why(tmp_path, client):
    broken = upload(tmp_path, b"nothing of the kind" * 100, "pack")._replace(pack=True)
    corpus = corpora.create("", [upload(tmp_path, b"words", "a.txt"), broken], in_background=True)
    store_upload(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.stage == "failed" and "could not be opened" in corpus.upload.error
    assert corpus.upload.checkpoint is None and not corpus.files.exists()
    assert "Upload others" in client.get(reverse("corpus", args=[corpus.pk])).content.decode()


def test_a_full_disk_is_waited_for(tmp_path, monkeypatch, client):
    corpus = arrived(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(storing, "write_file", full)
        for _ in range(claims.MAX_TRIES):
            store_upload(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.stage == "failed" and corpus.upload.checkpoint is not None
    assert "Continue storing" in client.get(reverse("corpus", args=[corpus.pk])).content.decode()
    client.post(reverse("corpus_retry", args=[corpus.pk]))
    store_upload(corpus.pk)
    corpus.refresh_from_db()
    check(corpus)


def test_added_files_are_joined_once(draft, tmp_path, monkeypatch):
    """A kill between two parts of them loses none, and gives none twice."""
    found = example_rows(60)
    corpus = read(queued(draft, as_csv(found[:41])))
    more = [
        upload(tmp_path, as_csv([found[0], row]), f"{i}.csv") for i, row in enumerate(found[41:51])
    ]
    monkeypatch.setattr(storing, "FEW_UPLOADS", 100)
    version = added(corpus, *more)
    monkeypatch.setattr(storing, "FEW_UPLOADS", 1)
    record = storing.record_part
    parts = 0

    def killed(part, keep):
        nonlocal parts
        record(part, keep)
        parts += 1
        if parts == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(storing, "record_part", killed)
        with pytest.raises(KeyboardInterrupt):
            choose(version.pk)
    version.__class__.objects.filter(pk=version.pk).update(status="queued")
    choose(version.pk)
    corpus = Corpus.objects.select_related("version").get(pk=corpus.pk)
    assert corpus.version == version and corpus.documents == 50 and corpus.files.count() == 11
    assert not corpus.additions.exists() and corpus.bytes_total == sum(
        corpus.files.values_list("bytes", flat=True)
    )


def test_the_same_files_again_are_links(draft, tmp_path):
    found = example_rows(20)
    made = corpora.create(
        "many",
        [
            upload(tmp_path, as_csv([found[0], row]), f"{i}.csv")
            for i, row in enumerate(found[1:12])
        ],
    )
    corpus = read(_to_be_read(made))
    draft = corpora.copy_as_draft(corpus)
    assert draft.stage == "queued" and corpora.copy_as_draft(corpus) == draft
    store_upload(draft.pk)
    draft.refresh_from_db()
    assert (
        draft.stage == "draft" and draft.bytes_total == corpus.bytes_total and draft.name == "many"
    )
    for mine, its in zip(guesses.paths(corpus), guesses.paths(draft), strict=True):
        assert mine[1] == its[1] and mine[0].samefile(its[0]) and mine[0] != its[0]


def _to_be_read(corpus: Corpus) -> Corpus:
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options), min_documents=1, max_share=1.0
        ),
    )
    return corpus


def test_any_names_are_put_in_order(tmp_path):
    rng = random.Random(4)
    names = {
        "".join(
            rng.choices(
                ["a", "B", "-", " ", "0", "1", "7", "23", "é", "/", "."], k=rng.randint(1, 9)
            )
        )
        for _ in range(150)
    }
    names = {file_names.clean(name) for name in names}
    corpus = corpora.create(
        "any", [upload_named(tmp_path, i, name) for i, name in enumerate(names)]
    )
    found = list(corpus.files.values_list("name", flat=True))
    assert [natural(name) for name in found] == sorted(map(natural, names))


def upload_named(tmp_path, i: int, name: str) -> storing.ReceivedFile:
    path = tmp_path / str(i)
    path.write_bytes(b"x")
    return storing.ReceivedFile(name, path)
