"""Upkeep: remove what was deleted for good, and whatever no row points to any more, in the database and on disk."""

import json
import os
import shutil
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import redis
import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models.functions import Now

from webapp.corpora import deletion
from webapp.ingest import uploads
from webapp.jobs import events
from webapp.models import Corpus, Run, Snapshot, Version
from webapp.server import siblings
from webapp.storage import bulk, files

log = structlog.get_logger(__name__)

INTERVAL = 60.0  # seconds between two runs of `tidy` in a worker
STEP = 20  # corpora, and runs, that are taken away at a time
# Seconds after which a folder without a row is removed: a row may come after its folder, when its transaction ends.
LEFT = 3600
FOLDERS = {"corpora": Corpus, "versions": Version, "runs": Run}


def tidy() -> None:
    """Safe at any time, in any number of processes, and through a kill: each step can be repeated. While a backup is
    made nothing is removed that its rows may point to."""
    with bulk.removing() as may:
        if may:
            purge()
            for table, key in bulk.orphans():
                bulk.drop(table, key)
            _remove_folders()
    uploads.remove_expired()
    Session.objects.filter(expire_date__lt=Now()).delete()
    measure()


def purge() -> None:
    """Remove what was deleted long enough ago, or for good: runs one by one, then corpora."""
    runs, corpora = deletion.due(Run, STEP), deletion.due(Corpus, STEP)
    for run in runs:
        _remove(run)
    for corpus in corpora:
        if not deletion.claim(corpus):
            continue
        for model, of in ((Run, "corpus"), (Corpus, "into")):
            for one in model.everything.filter(**{of: corpus.pk}).order_by("pk").iterator(100):
                deletion.for_good(one)
                _remove(one)
        _remove(corpus)
    if runs or corpora:
        siblings.forget()  # web processes may have their files open


def _remove(row: Corpus | Run) -> None:
    """Remove its files, events, rows and partitions, in this order."""
    if not deletion.claim(row):
        return
    if isinstance(row, Corpus):
        about, versions = f"corpus:{row.pk}", list(Version.everything.filter(corpus=row).values_list("pk", flat=True))
        folders = [files.corpus_folder(row.pk), *map(files.version_folder, versions)]
        partitions = [("document", row.pk), *(("word", pk) for pk in versions)]
    else:
        about, folders = f"run:{row.pk}", [files.run_folder(row.pk)]
        snapshots = Snapshot.objects.filter(run=row).values_list("pk", flat=True)
        partitions = [("topic_word", pk) for pk in snapshots]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for one in [about, *(f"version:{key}" for table, key in partitions if table == "word")]:
        events.forget(one)
    deletion.rows(row)
    for table, key in partitions:
        bulk.drop(table, key)  # or, where a reader holds it, the next time
    log.info("deleted for good", **{about.split(":")[0]: row.pk})


def _remove_folders() -> None:
    """Remove folders of corpora, versions and runs that have no row."""
    for kind, model in FOLDERS.items():
        old = _old_folders(settings.FILES / kind)
        while folders := list(islice(old, 1000)):
            with transaction.atomic():
                if not files.nobody_stores():
                    return  # a row may come yet, however long its files take: the next time
                known = set(model.everything.filter(pk__in=[int(f.name) for f in folders]).values_list("pk", flat=True))
            for folder in folders:
                if int(folder.name) not in known:
                    shutil.rmtree(folder, ignore_errors=True)
                    log.info("removed files that belong to nothing", kind=kind, key=int(folder.name))


def _old_folders(parent: Path) -> Iterator[Path]:
    before = time.time() - LEFT
    for folder in parent.iterdir() if parent.is_dir() else ():
        try:
            if folder.name.isdigit() and folder.stat().st_mtime < before:
                yield folder
        except FileNotFoundError:
            continue  # it went by itself


SIZES = "sizes"  # in Redis: what the state folder's parts take on the disk
MEASURE = 600  # seconds between two measurements, whichever worker makes them


def measure() -> None:
    """Measure every file, which takes too long for a page."""
    if events.client().set(f"{SIZES}:lately", 1, nx=True, ex=MEASURE):
        parts = {f.name: f for f in settings.DATA.iterdir() if f.is_dir() and f != settings.FILES}
        parts |= {f"files/{f.name}": f for f in settings.FILES.iterdir() if f.is_dir()}
        bytes_of = {name: _size(folder) for name, folder in parts.items()}
        events.client().set(SIZES, json.dumps({"at": time.time(), "parts": bytes_of}))


def _size(folder: Path) -> int:
    """Bytes on the disk; a file that is linked in several places counts in each."""
    total, left = 0, [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:  # it went meanwhile, or is not ours to read
            continue
    return total


def sizes() -> dict | None:
    """{"at": seconds since the epoch, "parts": {folder: bytes}}; None where no worker has measured yet, or Redis is
    away."""
    try:
        kept = events.client().get(SIZES)
    except redis.RedisError:
        return None
    return json.loads(kept) if kept else None
