"""What a backup takes while others work: files as far as the rows of its moment say, and nothing is
taken away meanwhile."""

import json

import pytest
from django.conf import settings
from django.db import connection

from inference.errors import Invalid
from inference.text import Stream
from webapp.core.runs import services as runs
from webapp.models import Run, Version
from webapp.platform.storage import bulk, files
from webapp.service.corpora import deletion
from webapp.service.operations import backup, backup_file, restore, upkeep

pytestmark = pytest.mark.django_db


def taken(path) -> dict[str, bytes]:
    return {member.name: b"".join(member.blocks()) for member in backup_file.members(path)}


def test_files_that_grow_are_taken_as_far_as_the_row_says(trained, tmp_path):
    """As while documents are added: the row of the backup's moment knows nothing of them."""
    folder = files.corpus_folder(trained.corpus_id)
    kept = {
        name: (folder / name).read_bytes()
        for name in (
            "fields.jsonl",
            "report.csv",
            "tokens/words",
            "tokens/lexicon-ends",
            "tokens/checkpoint.json",
        )
    }
    checkpoint = json.loads(kept["tokens/checkpoint.json"])
    (folder / "tokens" / "checkpoint.json").write_text(
        json.dumps(checkpoint | {"D": checkpoint["D"] + 7})
    )
    for name in ("fields.jsonl", "report.csv", "tokens/words", "tokens/lexicon-ends"):
        with (folder / name).open("ab") as file:
            file.write(b"more")
    (folder / "tokens" / "checkpoint.json.new").write_text("half")
    try:
        backup.make(tmp_path / "b")
    finally:
        for name, content in kept.items():
            (folder / name).write_bytes(content)
        (folder / "tokens" / "checkpoint.json.new").unlink()
    found = taken(tmp_path / "b")
    root = f"files/corpora/{trained.corpus_id}/"
    assert json.loads(found.pop(root + "tokens/checkpoint.json")) == checkpoint
    for name in kept:
        assert name == "tokens/checkpoint.json" or found[root + name] == kept[name], name
    assert not [name for name in found if name.endswith(".new")]
    assert Stream.sizes(checkpoint)["words"] == len(kept["tokens/words"])
    assert restore.check(tmp_path / "b")["corpora"] >= 1


def test_an_index_of_more_documents_than_the_row_is_left_out(trained, tmp_path):
    index = files.corpus_folder(trained.corpus_id) / "index" / "meta.json"
    was = index.read_text()
    meta = json.loads(was)
    meta["segments"][-1]["end"] += 7
    index.write_text(json.dumps(meta))
    try:
        backup.make(tmp_path / "b")
    finally:
        index.write_text(was)
    assert not [name for name in taken(tmp_path / "b") if f"/{trained.corpus_id}/index/" in name]


def test_of_a_run_at_work_the_checkpoint_alone(trained, tmp_path):
    """That of before the database's moment, so that no point of the charts is missing."""
    folder = files.run_folder(trained.pk)
    other = connection.copy()  # committed, as the backup looks with a connection of its own
    with other.cursor() as cursor:
        cursor.execute("UPDATE webapp_run SET status = 'running' WHERE id = %s", [trained.pk])
        before = (folder / "checkpoint").read_bytes()

        def meanwhile(shown):
            (folder / "checkpoint.new").write_bytes(b"a later one")
            (folder / "checkpoint.new").replace(folder / "checkpoint")

        try:
            backup.make(tmp_path / "b", snapshot=meanwhile)
        finally:
            cursor.execute("UPDATE webapp_run SET status = 'done' WHERE id = %s", [trained.pk])
            (folder / "checkpoint").write_bytes(before)
            other.close()
    mine = {
        name: content
        for name, content in taken(tmp_path / "b").items()
        if name.startswith(f"files/runs/{trained.pk}/")
    }
    assert mine == {f"files/runs/{trained.pk}/checkpoint": before}
    assert not list(settings.FILE_UPLOAD_TEMP_DIR.glob("backup-*"))


def test_nothing_is_taken_away_meanwhile(trained, tmp_path):
    run = runs.create(trained.version, topics=3)
    deletion.delete_run(run)
    deletion.expire_now(run)
    key = 10**9
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE topic_word_{key} (LIKE topic_word)")
    files.run_folder(key).mkdir(parents=True)
    there = []

    def meanwhile(shown):
        upkeep.tidy()
        there.append(
            Run.everything.filter(pk=run.pk).exists()
            and not bulk.drop("topic_word", key)
            and files.run_folder(key).exists()
        )
        with pytest.raises(Invalid, match="Another backup is being made"):
            backup.make(tmp_path / "second")

    try:
        backup.make(tmp_path / "b", snapshot=meanwhile)
        assert there == [True]
        upkeep.tidy()
        assert (
            not Run.everything.filter(pk=run.pk).exists()
            and ("topic_word", key) not in bulk.orphans()
        )
    finally:
        files.run_folder(key).rmdir()


def test_what_can_not_be_whole_leaves_nothing(trained, tmp_path):
    bow = files.version_folder(trained.version_id) / "bow" / "meta.json"
    content = bow.read_bytes()

    def meanwhile(shown):
        bow.unlink()
        bow.symlink_to("nowhere")

    version = Version.objects.get(pk=trained.version_id)
    try:
        # A link is no file of ours: it is not followed
        backup.make(tmp_path / "b", snapshot=meanwhile)
        assert f"files/versions/{version.pk}/bow/meta.json" not in taken(tmp_path / "b")
    finally:
        bow.unlink()
        bow.write_bytes(content)
    with pytest.raises(OSError):
        backup.make(tmp_path / "none" / "b")
    (tmp_path / "b").unlink()

    def full(self, name, size, source):
        raise OSError(28, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backup_file.Writer, "add", full)
        with pytest.raises(OSError, match="No space left"):
            backup.make(tmp_path / "b")
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_rows_that_were_here_is_left_to_those_of_a_backup(tmp_path, settings):
    """They have the same numbers: a checkpoint of another corpus would be continued."""
    settings.FILES = tmp_path
    settings.COPIES = tmp_path / "copies"
    for name in ("corpora/1/index", "replicates/5/checkpoint", "exports/2/file", "uploads/a"):
        (tmp_path / name).mkdir(parents=True)
    restore.clear_files()
    assert [folder.name for folder in tmp_path.iterdir()] == ["uploads"]
