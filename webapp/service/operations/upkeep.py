"""Upkeep: remove what was deleted for good, and whatever no row points to any more, in the database
and on disk."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from webapp.core.runs import snapshots
from webapp.intake.ingest import job, unit_search, uploads
from webapp.models import (
    CodeFile,
    Comparison,
    Corpus,
    Export,
    Replicate,
    Run,
    Sealed,
    Snapshot,
    Version,
)
from webapp.platform.accounts import readings, sign_on_groups
from webapp.platform.jobs import events
from webapp.platform.storage import bulk, copies, disk, files, sealed
from webapp.platform.tries import do_all
from webapp.service.corpora import deletion
from webapp.service.courses import services as courses
from webapp.service.exports import kept
from webapp.service.own_data import leaving
from webapp.service.privacy import erasure, pseudonym_drafts

log = structlog.get_logger(__name__)

INTERVAL = 60.0  # seconds between two runs of `tidy` in a worker
ROWS_AT_A_TIME = 20  # corpora, versions and runs that are put into the store at a time
# Seconds after which a folder without a row is removed: a row may come after its folder, when its
# transaction ends.
LEFT = 3600
FOLDERS: dict[str, type[Any]] = {  # models that have a status
    "corpora": Corpus,
    "versions": Version,
    "runs": Run,
    "comparisons": Comparison,
    "exports": Export,
    "replicates": Replicate,
    "codes": CodeFile,
}
# Statuses from which on sealed files stay as they are
READY = (Corpus.Status.READY, Version.Status.READY, Run.Status.DONE)


def tidy() -> None:
    """Safe at any time, in any number of processes, and through a kill: each step can be repeated.
    While a backup is made nothing is removed that its rows may point to.

    A step that fails is logged and keeps no other from being done. Raises ExceptionGroup then."""
    failures: list[Exception] = []
    with bulk.removing() as may:
        if may:
            failures += do_all(_removals())
    failures += do_all(_other_steps())
    if failures:
        raise ExceptionGroup("Steps of tidying failed.", failures)


def _removals() -> list[Callable[[], object]]:
    steps: list[Callable[[], object]] = [
        erasure.finish,
        pseudonym_drafts.remove_originals,
        deletion.remove_due,
        snapshots.drop_replaced,
        _drop_orphans,
        kept.remove_expired,
        _remove_folders,
    ]
    return [*steps, remove_from_store, sweep_store] if settings.STORE else steps


def _other_steps() -> list[Callable[[], object]]:
    steps: list[Callable[[], object]] = [
        courses.remove_ended,
        leaving.remove_left,
        sign_on_groups.remove_old,
        uploads.remove_expired,
        job.renew_one,
        unit_search.ask_for_one,
        _remove_readings,
        _remove_sessions,
        measure,
    ]
    return [copies.tidy, _adopt, *steps] if settings.STORE else steps


def _drop_orphans() -> None:
    """Partitions of tables that belong to no row."""
    for table, key in bulk.orphans():
        bulk.drop(table, key)
    newest = Snapshot.objects.order_by("-pk").values_list("pk", flat=True).first()
    if newest is not None:
        bulk.drop_empty_groups(newest - bulk.GROUP)


def _remove_sessions() -> None:
    Session.objects.filter(expire_date__lt=Now()).delete()


def _remove_folders() -> None:
    """Remove folders that have no row."""
    for kind, model in FOLDERS.items():
        old = _old_folders(settings.FILES / kind)
        while folders := list(islice(old, 1000)):
            with transaction.atomic():
                if not files.nobody_stores():
                    return  # a row may come yet, however long its files take: the next time
                existing_keys = set(
                    model._base_manager.filter(pk__in=[int(f.name) for f in folders]).values_list(
                        "pk", flat=True
                    )
                )
            for folder in folders:
                if int(folder.name) not in existing_keys:
                    shutil.rmtree(folder, ignore_errors=True)
                    log.info(
                        "removed files that belong to nothing", kind=kind, key=int(folder.name)
                    )


SWEEP = 24 * 3600  # seconds between two looks at all of the store
SWEEP_AGAIN = 900  # seconds until the next look where one did not come to its end
SWEPT = "store:swept"  # in Redis: whether somebody looked lately, or does


def remove_from_store() -> None:
    """Remove from the store what is on record there of corpora, versions and runs that have no
    row."""
    with sealed.waiting_for_store():
        for kind, model in FOLDERS.items():
            removed_rows = Sealed.objects.filter(
                ~Exists(model._base_manager.filter(pk=OuterRef("key"))), kind=kind
            )
            for key in set(removed_rows.values_list("key", flat=True)[: 10 * ROWS_AT_A_TIME]):
                sealed.remove(kind, key)


def sweep_store() -> None:
    """Remove from the store what no row names: an upload that was killed, a backup that was
    restored."""
    if not events.client().set(SWEPT, 1, nx=True, ex=SWEEP):
        return
    done = False
    try:
        with sealed.waiting_for_store():
            orphans, missing = sealed.sweep(time.time() - LEFT)
            done = True
            log.info("removed from the store what no row names", count=len(orphans))
            if missing:
                log.warning("files are missing from the store", count=len(missing))
    finally:
        if not done:
            events.client().expire(SWEPT, SWEEP_AGAIN)


def _adopt() -> None:
    """Put into the store what became ready before there was one."""
    # For five minutes one worker alone puts into the store what is not there
    if not settings.SOURCES or not events.client().set("store:adopting", 1, nx=True, ex=300):
        return
    for kind in sealed.ITEMS:
        sealed_rows = Sealed.objects.filter(kind=kind, key=OuterRef("pk"))
        rows = (
            FOLDERS[kind]
            ._base_manager.filter(~Exists(sealed_rows), status__in=READY)
            .order_by("pk")
        )
        try:
            for key in rows.values_list("pk", flat=True)[:ROWS_AT_A_TIME]:
                sealed.adopt(kind, key)
        except (sealed.StoreAway, OSError) as error:
            log.warning(
                "the store could not take what is on this machine", kind=kind, error=str(error)
            )
            return
    events.client().delete("store:adopting")


def _old_folders(parent: Path) -> Iterator[Path]:
    before = time.time() - LEFT
    for folder in parent.iterdir() if parent.is_dir() else ():
        with suppress(FileNotFoundError):  # it went by itself
            if folder.name.isdigit() and folder.stat().st_mtime < before:
                yield folder


READINGS = 3600  # seconds between two looks at the records of reading


def _remove_readings() -> None:
    """One worker looks at all of them, now and then."""
    if events.client().set("readings:lately", 1, nx=True, ex=READINGS):
        readings.remove_old()


MEASURED_EVERY = 600  # seconds, whichever worker does it
DISK_BLOCK = 512  # bytes, in which stat counts
SIZES = "sizes"  # in Redis: what the state folder's parts take on the disk


def measure() -> None:
    """Measure every file, which takes too long for a page."""
    may_measure = events.client().set(f"{SIZES}:lately", 1, nx=True, ex=MEASURED_EVERY)
    if not may_measure:
        return
    folders = {}
    for folder in settings.DATA.iterdir():
        if folder.is_dir() and folder != settings.FILES:
            folders[folder.name] = folder
    for folder in settings.FILES.iterdir():
        if folder.is_dir():
            folders[f"files/{folder.name}"] = folder
    bytes_of = {name: _bytes_on_disk(folder) for name, folder in folders.items()}
    events.client().set(SIZES, json.dumps({"at": time.time(), "parts": bytes_of}))


def _bytes_on_disk(folder: Path) -> int:
    """A file that is linked in several places counts in each."""
    return sum(file.st_blocks * DISK_BLOCK for file in disk.files_below(folder))


def sizes() -> dict:
    """{"at": seconds since the epoch, "parts": {folder: bytes}}; empty where no worker has measured
    yet, or Redis is away."""
    return events.note(SIZES)
