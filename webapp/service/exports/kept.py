"""Large files of runs: made by a worker, kept for a while for whoever asked, and downloaded as
often as they like.

Each is a row of Export and a file beside it. Whoever asks for more than they may keep loses their
oldest files, and where all users together have too many, the oldest of all go; a file that is being
made never does.
"""

import hashlib
import time
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum, Window
from django.db.models.functions import Now
from django.http import QueryDict

from inference.errors import Invalid
from inference.runtime.durable import settle
from webapp.models import Corpus, Export, Run, User
from webapp.platform.accounts import embargo, quotas
from webapp.platform.accounts.roles import Person
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.jobs import claims, dispatch, kinds
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage import export_files, files
from webapp.service.exports import catalogue, deposit, export_query, making, sizes
from webapp.service.exports.catalogue import ExportKind
from webapp.service.exports.tables import ExportSource

AT_WORK = kinds.EXPORT.unfinished_statuses
MAKING = 4  # files of one user that may wait or be made at once
# Files that are kept for one user, failures that are, and that a page lists of a run
MOST_KEPT_FILES = 20
QUERY = 8_000  # characters of an address that says of what a file is made
TOLD = 2.0  # seconds between two reports of how far a file is
FILE = "file"  # its name in the folder


def until(export: Export) -> datetime:
    """When a file goes."""
    return (export.made_at or export.created_at) + timedelta(days=settings.EXPORTS["days"])


def path(export: Export) -> Path:
    """Where a file that a worker made is, or will be."""
    return files.export_folder(export.pk) / FILE


def of_user(run: Run, user_id: int | None) -> list[Export]:
    """A user's files of a run, the newest first."""
    return (
        list(run.exports.filter(by=user_id).order_by("-pk")[: MOST_KEPT_FILES + MAKING])
        if user_id
        else []
    )


def ask(run: Run, user: User, file: str, query: QueryDict) -> Export:
    """Have a file made. One of the same kind that waits or is made is returned instead; one that is
    ready, or failed, is replaced. Raises Invalid."""
    kind, ending, requested = checked(run, file, query, user.pk)
    expected = sizes.expected_bytes(kind, ending, requested)
    _check_size(kind, expected)
    address = export_query.write_query(kind, requested)
    if len(address) > QUERY:
        raise Invalid(
            "file",
            f"What is asked for takes {len(address):,} characters to say, and may take {QUERY:,}. Use"
            " fewer conditions or names.",
        )
    about = {"run": run, "by": user, "file": file, "query": address}
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        own_exports = Export.objects.filter(by=user)
        if same_export := own_exports.filter(**about, status__in=AT_WORK).first():
            return same_export
        _check_place(user)
        export_files.remove(own_exports.filter(**about))
        export_files.remove(
            own_exports.filter(status=Export.Status.FAILED).order_by("-pk")[MOST_KEPT_FILES - 1 :]
        )
        export = Export.objects.create(
            **about,
            name=making.name_file(requested, kind, ending),
            sentence=making.describe(requested, kind, ending),
            expected=expected,
        )
        dispatch.send(kinds.EXPORT, export.pk)
    return export


def find_kind(file: str) -> tuple[ExportKind, str] | None:
    """The kind and the ending of a file that a worker makes; None where there is none such."""
    if file == "deposit.zip":
        return deposit.KIND, "zip"
    return catalogue.find_kind(file)


def checked(run: Run, file: str, query: QueryDict, by: int) -> tuple[ExportKind, str, ExportSource]:
    """What a user asks for: kind, ending and source. Raises Invalid, or what `embargo.refuse`
    raises."""
    kind, ending = find_kind(file) or (None, "")
    if kind is None or not kind.is_ready(run):
        if kind is not None and kind.texts:
            embargo.refuse(run.corpus, f"“{file}”")
        raise Invalid("file", f"There is no file “{file[:100]}” to take away of run {run.pk}.")
    if kind is deposit.KIND:
        return kind, ending, deposit.read_source(run, query, by)
    return kind, ending, export_query.read_source(run, query)


def _check_size(kind: ExportKind, expected: int) -> None:
    """expected: bytes. Raises Invalid for a file that is not made."""
    if refusal := sizes.refusal(kind, expected):
        raise Invalid("file", refusal)
    if expected > (limit := largest()):
        raise Invalid(
            "file",
            f"It would have about {byte_size(expected)}, and a file may have {byte_size(limit)}."
            f" {_LESS}",
        )


_LESS = "Take it as Parquet where it is not, or of fewer documents."


def largest() -> float:
    """Bytes that one file may have."""
    return min(settings.EXPORTS["bytes"], settings.EXPORTS["all_bytes"])


def retry(export: Export) -> bool:
    """Have a file made again that failed; False where it did not, or not any more. Raises
    Invalid."""
    with transaction.atomic():
        _check_place(User.objects.select_for_update(no_key=True).get(pk=export.by_id))
        return claims.retry(kinds.EXPORT, export.pk)


def _check_place(user: User) -> None:
    """Within a transaction that has locked the user. Raises Invalid where too many are made for
    them already."""
    if Export.objects.filter(by=user, status__in=AT_WORK).count() >= MAKING:
        raise Invalid(
            "file",
            f"{MAKING} files are being made for you already. Wait until one is done, or delete"
            " one.",
        )
    quotas.check_job(user)


def delete(export: Export) -> None:
    """Remove the row and its file; a worker that is making it ends."""
    export_files.remove(Export.objects.filter(pk=export.pk))


def make(key: int) -> None:
    """Make a file in a worker. After a kill it begins anew."""
    run_next(kinds.EXPORT, key, _work)


class _Overtaken(Exception):
    """The corpus came under an embargo, or out of one, while a file was made of it: what was
    written may say too much."""


def _work(key: int, attempt: int, beat: Heartbeat) -> None:
    export = Export.objects.get(pk=key)
    ready = False
    while not ready:
        with suppress(_Overtaken), embargo.reading(Person(export.by_id)):
            _make(export, attempt, beat)
            ready = True
    make_room(export.by_id)


def _make(export: Export, attempt: int, beat: Heartbeat) -> None:
    folder = files.export_folder(export.pk)
    run = _run(export)
    part = folder / "part"
    try:
        size, sha256 = _write(part, run, export, attempt, beat)
        # Raises where it is not wanted any more
        claims.update(kinds.EXPORT, export.pk, attempt, bytes=size)
        with transaction.atomic():
            # Locked: an embargo that comes later finds the file, and removes it.
            if (
                Corpus.everything.select_for_update(no_key=True).get(pk=run.corpus_id).embargo
                != run.corpus.embargo
            ):
                raise _Overtaken
            part.rename(folder / FILE)
            settle(folder)
            done = {
                "status": Export.Status.READY,
                "bytes": size,
                "sha256": sha256,
                "made_at": Now(),
                "tries": 0,
            }
            claims.update(kinds.EXPORT, export.pk, attempt, **done)
    finally:
        part.unlink(missing_ok=True)


def _write(part: Path, run: Run, export: Export, attempt: int, beat: Heartbeat) -> tuple[int, str]:
    """Bytes that were written, and their sha256. Raises _Overtaken."""
    kind, ending, requested = checked(run, export.file, QueryDict(export.query), export.by_id)
    size = 0
    digest = hashlib.sha256()
    last_told = time.monotonic()
    limit = largest()
    with part.open("wb") as part_file:
        for block in making.make_file(requested, kind, ending).pieces:
            part_file.write(block)
            digest.update(block)
            size += len(block)
            beat.check()
            if size > limit:
                raise Invalid(
                    "file",
                    f"The file became larger than {byte_size(limit)}, which is the most one may have."
                    f" {_LESS}",
                )
            if time.monotonic() - last_told >= TOLD:
                last_told = time.monotonic()
                if _run(export).corpus.embargo != run.corpus.embargo:
                    raise _Overtaken
                claims.update(kinds.EXPORT, export.pk, attempt, bytes=size)
    return size, digest.hexdigest()


def _run(export: Export) -> Run:
    """Raises Invalid where it was deleted meanwhile."""
    run = (
        Run.objects.select_related("corpus__version", "version__corpus", "snapshot")
        .filter(pk=export.run_id)
        .first()
    )
    if run is None:
        raise Invalid("run", f"Run {export.run_id} was deleted while its file was made.")
    return run


def make_room(user: int) -> None:
    """Remove the oldest files of a user who has too many, and the oldest of all where all together
    are too many."""
    ready = Export.objects.filter(status=Export.Status.READY)
    _remove_beyond(ready.filter(by=user), MOST_KEPT_FILES, settings.EXPORTS["bytes"])
    _remove_beyond(ready, None, settings.EXPORTS["all_bytes"])


def _remove_beyond(exports: QuerySet[Export], limit: int | None, bytes: float) -> None:
    newest = exports.order_by("-made_at", "-pk")
    if limit is not None:
        export_files.remove(newest[limit:])
    with_newer = Window(Sum("bytes"), order_by=("-made_at", "-pk"))
    export_files.remove(newest.annotate(with_newer=with_newer).filter(with_newer__gt=bytes))


def remove_expired() -> None:
    """Remove files whose time is over, and jobs that failed as long ago."""
    old = Now() - timedelta(days=settings.EXPORTS["days"])
    export_files.remove(Export.objects.filter(status=Export.Status.READY, made_at__lt=old)[:1000])
    export_files.remove(
        Export.objects.filter(status=Export.Status.FAILED, created_at__lt=old)[:1000]
    )
