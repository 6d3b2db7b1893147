"""Migrations run forward on a database with data, from the first one on; and what each does to the large tables is said in it."""

import importlib
import json
import os
import secrets
import subprocess
import sys

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.exceptions import NodeNotFoundError
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from tests.conftest import ROOT
from webapp.core.runs import progress_reports, services as runs
from webapp.models import Run
from webapp.platform.local import migrations
from webapp.platform.local.postgres import Failed


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """What tests/local/old_database.py found."""
    url = os.environ["DATABASE_URL"]
    name = f"old_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(f"CREATE DATABASE {name}")
        try:
            env = os.environ | {
                "DATABASE_URL": f"{url.rpartition('/')[0]}/{name}",
                "TOPOGRAPH_DATA": str(tmp_path_factory.mktemp("old")),
                "DJANGO_SETTINGS_MODULE": "webapp.settings",
            }
            argv = [sys.executable, "-m", "tests.local.old_database"]
            done = subprocess.run(
                argv, env=env, cwd=ROOT, capture_output=True, text=True, timeout=300
            )
            assert done.returncode == 0, done.stderr
            yield json.loads(done.stdout.splitlines()[-1]) | {"said": done.stderr}
        finally:
            database.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.django_db
def test_models_and_migrations_agree():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def left(number: int) -> list[str]:
    """What is still to be done where the migrations up to a number were applied by a version that had each by itself."""
    recorder = MigrationRecorder(connection)
    for name in ("0002_to_0027", "0028_to_0050"):
        recorder.record_unapplied("webapp", name)
    for app, name in recorder.applied_migrations():
        if app == "webapp" and int(name[:4]) > number:
            recorder.record_unapplied(app, name)
    executor = MigrationExecutor(connection)
    return [
        migration.name
        for migration, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())
    ]


@pytest.mark.django_db
def test_several_in_one_are_done_where_each_was():
    since_0_3 = [
        "0054_naming",
        "0055_unit_fields",
        "0056_embed_sites",
        "0057_leaving",
        "0058_codes",
        "0059_readings",
        "0060_replaces",
        "0061_how_many",
        "0062_pseudonyms",
        "0063_waits_for",
        "0064_noun_phrases",
        "0065_sign_on_groups",
        "0066_student_numbers",
        "0067_named_by_words",
        "0068_family_terms",
        "0069_stored_results",
        "0070_asked_topics",
        "0071_corpus_fields",
        "0072_families_named_by_topics",
    ]
    assert left(72) == []
    assert left(53) == since_0_3
    assert left(52) == ["0053_arrays", *since_0_3]
    since_0_2 = [
        "0034_no_document_topic",
        "0038_groups",
        "0028_to_0050",
        "0051_complete",
        "0052_beside",
        "0053_arrays",
        *since_0_3,
    ]
    assert left(27) == since_0_2
    assert left(1) == ["0002_to_0027", *since_0_2]  # 0.1.0


@pytest.mark.django_db
@pytest.mark.parametrize("number", [2, 26, 28, 49])
def test_a_database_between_two_releases_is_refused(number, monkeypatch):
    with pytest.raises(NodeNotFoundError) as refused:
        left(number)
    failed = subprocess.CompletedProcess([], 1, stderr=repr(refused.value))
    monkeypatch.setattr(migrations, "database_state", lambda url: None)
    monkeypatch.setattr(migrations.processes, "run", lambda *_, **__: failed)
    with pytest.raises(Failed, match="between two releases. Use it with commit"):
        migrations.bring_up_to_date({"DATABASE_URL": ""})


@pytest.mark.django_db
def test_what_a_job_waited_for_leaves_its_error(ready):
    """Of a queued job; what a failed one says stays."""
    waits_for = importlib.import_module("webapp.migrations.0063_waits_for")
    full = Run.WaitsFor.DISK.label
    waiting = runs.create(ready.version, topics=7)
    failed = runs.create(ready.version, topics=7)
    compiling = runs.create(ready.version, topics=7)
    Run.objects.filter(pk=waiting.pk).update(error=full)
    Run.objects.filter(pk=failed.pk).update(status="failed", error=full)
    Run.objects.filter(pk=compiling.pk).update(status="running", error=progress_reports.COMPILES)
    with connection.cursor() as cursor:
        cursor.execute(waits_for.WAITING.format(job="run"))
        cursor.execute(waits_for.COMPILING)
    for run in (waiting, failed, compiling):
        run.refresh_from_db()
    assert (waiting.error, waiting.waits_for, waiting.shown_notice) == ("", "disk", full)
    assert (failed.error, failed.waits_for, failed.shown_notice) == (full, "", "")
    assert (compiling.error, compiling.shown_notice) == ("", progress_reports.COMPILES)


def test_rows_stay_and_are_completed(migrated):
    rows = migrated["rows"]
    letters, draft, *_ = rows["webapp_corpus"]
    assert (letters["name"], letters["version_id"], letters["status"], letters["deleted_at"]) == (
        "Letters",
        5,
        "ready",
        None,
    )
    assert (draft["version_id"], draft["status"], draft["added_to_id"]) == (None, "draft", None)
    (version,) = rows["webapp_version"]
    assert (version["id"], version["number"], version["status"]) == (5, 1, "ready")
    assert (version["documents"], version["tokens"], version["vocabulary"]) == (3, 6, 3)
    assert version["settings"] == {"language": "en", "min_documents": 1}
    (run,) = rows["webapp_run"]
    assert (
        run["version_id"],
        run["snapshot_id"],
        run["status"],
        run["begins"],
        run["dropped"],
    ) == (
        5,
        9,
        "done",
        False,
        [],
    )
    assert [file["read"] for file in rows["webapp_sourcefile"]] == [True, False]
    assert [
        (d["number"], d["text"], d["part"], d["parts"], d["whole"])
        for d in rows["document"]
        if d["number"] == 1
    ] == [(1, "café by the sea", 1, 1, "")]
    assert all(d["digest"].startswith("\\x") and len(d["digest"]) == 66 for d in rows["document"])
    assert sorted((w["word"], w["plain"], w["version_id"]) for w in rows["word"]) == [
        ("café", "cafe", 5),
        ("harbour", "harbour", 5),
        ("sea", "sea", 5),
    ]
    assert len(rows["topic_word"]) == 4 and {row["tokens"] for row in rows["topic_word"]} == {0}
    assert rows["document_topic"] == []  # of the topics of documents no table is left
    assert [t["coherence"] for t in rows["webapp_topic"]] == [-1, -2] and len(
        rows["webapp_metric"]
    ) == 1


def test_uploads_are_carried_over(migrated):
    """What Corpus.arriving said in four shapes; a corpus whose files are not stored is a draft."""
    uploads = {row["corpus_id"]: row for row in migrated["rows"]["webapp_upload"]}
    checkpoint = {"uploads": 0, "inside": 0, "files": 0, "bytes": 0}
    known = {
        5: ("stored", True, {}, None, None, ""),
        6: ("stored", True, {}, None, None, ""),
        11: ("queued", False, {"uploads": 2, "inside": 1, "files": 4, "bytes": 9}, None, None, ""),
        12: ("queued", True, checkpoint | {"files": 1, "bytes": 3}, None, None, ""),
        13: ("failed", True, checkpoint, None, None, "The disk was full."),
        14: ("queued", True, {}, {"table": "t.csv", "known": {"sheet": "a"}}, None, ""),
        15: ("joining", True, checkpoint | {"files": 1, "bytes": 8}, None, 4, ""),
        16: ("stored", True, {}, None, None, ""),
    }
    names = ("status", "named", "checkpoint", "question", "position", "error")
    assert {pk: tuple(row[name] for name in names) for pk, row in uploads.items()} == known
    assert [pk for pk, row in uploads.items() if row["deleted_at"]] == [13]
    corpora = {
        row["id"]: (row["status"], row["error"]) for row in migrated["rows"]["webapp_corpus"]
    }
    assert corpora[5] == ("ready", "") and corpora[16] == ("failed", "No text.")
    assert {corpora[pk] for pk in (6, 11, 12, 13, 14, 15)} == {("draft", "")}
    pages = {path: " ".join(page.split()) for path, (_, page) in migrated["pages"].items()}
    assert (
        "are being stored" in pages["/corpora/11/"]
        and "looking into the files" in pages["/corpora/14/"]
    )


def test_files_follow(migrated):
    assert (
        "corpora/5/source/000000" in migrated["files"]
        and "versions/5/bow/indptr.npy" in migrated["files"]
    )
    assert not [name for name in migrated["files"] if name.startswith("corpora/5/bow")]


def test_pages_show_them(migrated):
    pages = dict(migrated["pages"])
    # They count tokens, which the first version did not keep
    for address in (
        "/runs/7/topics/",
        "/runs/7/topics/1/",
    ):
        status, html = pages.pop(address)
        assert status == 400 and "Train it again" in html, address
    for address, (status, _) in pages.items():
        assert status == 200, f"{address}:\n{migrated['said']}"
    assert "Letters" in pages["/"][1] and "café by the sea" in pages["/corpora/5/documents/1/"][1]
    assert json.loads(pages["/runs/7.json"][1])["status"] == "done"


def test_what_takes_long_on_large_tables_is_said(migrated):
    """A migration that rewrites documents, words or topics' rows, or builds an index on them, says so in its docstring."""
    for name, did in migrated["migrations"].items():
        app, _, module = name.partition(".")
        if app == "webapp":
            said = importlib.import_module(f"webapp.migrations.{module}").__doc__ or ""
            assert not did["rewritten"] or "Rewrites" in said, (
                f"{name} rewrites {did['rewritten']}: say so, or find another way"
            )
            assert not did["indexed"] or "Builds an index" in said, (
                f"{name} builds an index on {did['indexed']}: say so, or find another way"
            )
            assert did["rewritten"] or "Rewrites" not in said, f"{name} rewrites nothing"
