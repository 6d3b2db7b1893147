"""Sealed files: those of versions, runs and corpora that never change once a row points to them.
Their home is the state folder or, where TOPOGRAPH_STORE names one, an S3-compatible store with
copies on each machine (docs/storage.md).

Whoever reads one says so, by `opened` or `held`, and reads it at its usual place. Whoever made one
calls `put`, and `record` in the transaction that publishes it: objects are in the store before a
row names them, and no object is ever written twice.
"""

import hashlib
import io
import json
import os
import secrets
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

import structlog
from django.conf import settings
from django.db import transaction

from webapp.models import Sealed
from webapp.platform.storage import bulk, copies, s3
from webapp.platform.storage.copies import Item, Stored
from webapp.platform.storage.s3 import StoreAway

__all__ = [
    "ITEMS",
    "StoreAway",
    "Stored",
    "exists",
    "hold",
    "opened",
    "put",
    "record",
    "remove",
    "waiting_for_store",
]

log = structlog.get_logger(__name__)
Opened = TypeVar("Opened")

FETCH_ATTEMPTS = 3  # of an item that is sealed anew while it is fetched
ITEMS = {  # what is sealed of each corpus, version and run
    "corpora": ("tokens", "index", "duplicates.npz", "report.csv", "truth.npz"),
    "versions": ("bow", "columns", "units"),
    "runs": ("bow", "evidence", "checkpoint"),
}


def opened(opening: Callable[[], Opened], *paths: Path) -> Opened:
    """What `opening` makes of sealed files or folders, which are there meanwhile and stay as long
    as the result lives. Raises StoreAway."""
    with hold(*paths) as locks:
        result = opening()
        if settings.STORE:
            weakref.finalize(result, locks.pop_all().close)
    return result


def hold(*paths: Path) -> ExitStack:
    """In `with` these are there. Raises StoreAway."""
    with ExitStack() as locks:
        for item in dict.fromkeys(map(Item.at, paths)) if settings.STORE else ():
            if not _is_original(item) and (lock := _use_copy(item)) is not None:
                locks.callback(os.close, lock)
        return locks.pop_all()


def exists(path: Path) -> bool:
    """Whether there is such a file or folder, here or in the store."""
    return path.exists() or bool(settings.STORE) and find_stored(Item.at(path)) is not None


def put(*paths: Path) -> list[Stored]:
    """Store what there is of these files and folders, for `record`; what has not changed since it
    was recorded is not stored again. Nothing without a store. Raises StoreAway."""
    stored = []
    for path in paths if settings.STORE else ():
        item = Item.at(path)
        manifest = list(_manifest(item.path))
        former = find_stored(item)
        if not manifest or former is not None and former.files == manifest:
            continue
        now = Stored(item, secrets.token_hex(8), manifest)
        for (name, _, _), key in zip(manifest, now.objects, strict=True):
            s3.put(key, item.path / name if name else item.path)
        stored.append(now)
    return stored


def record(stored: Iterable[Stored]) -> None:
    """Say that these are in the store, in the transaction of the rows that point to them. What they
    take the place of is removed once it is committed."""
    for stored_item in stored:
        former = find_stored(stored_item.item)
        Sealed.objects.update_or_create(
            **stored_item.item._asdict(),
            defaults={
                "generation": stored_item.generation,
                "size": stored_item.size,
                "files": stored_item.files,
            },
        )
        transaction.on_commit(partial(_remove_former, stored_item, former))


def _remove_former(now: Stored, former: Stored | None) -> None:
    """What is stored now is what lies here; what it took the place of goes from the store."""
    if not _is_original(now.item):
        copies.note(now)
    if former is None:
        return
    with bulk.removing() as may:
        if may:
            try:
                s3.delete(former.objects)
            except StoreAway as error:  # `sweep` finds them
                log.warning("objects stay in the store", part=str(former.item), exc_info=error)


def remove(kind: str, key: int) -> None:
    """Remove all that is sealed of a corpus, version or run: in the store, on record and here.
    Raises StoreAway, and then it is still on record."""
    for stored in [stored_of_row(row) for row in Sealed.objects.filter(kind=kind, key=key)]:
        s3.delete(stored.objects)
        copies.drop(stored.item)
        Sealed.objects.filter(**stored.item._asdict()).delete()


@contextmanager
def waiting_for_store() -> Iterator[None]:
    """End what removes from the store where that is away, and log it: the next tidying removes the
    rest."""
    try:
        yield
    except StoreAway as error:
        log.warning("a deletion waits for the store", error=str(error))


def adopt(kind: str, key: int) -> bool:
    """Store what a finished corpus, version or run has on this machine and the store has not;
    whether there was any."""
    missing = [
        Item(kind, key, name).path
        for name in ITEMS[kind]
        if find_stored(Item(kind, key, name)) is None
    ]
    stored = put(*missing)
    with transaction.atomic():
        record(stored)
    return bool(stored)


def on_record(cursor) -> dict[tuple[str, int], list[Stored]]:
    """All that is sealed, by kind and number, read by a cursor that sees a backup's snapshot."""
    cursor.execute(
        "SELECT kind, key, name, generation, files FROM webapp_sealed ORDER BY kind, key, name"
    )
    by_owner: dict[tuple[str, int], list[Stored]] = {}
    for kind, key, name, generation, files in cursor.fetchall():
        row = Sealed(kind=kind, key=key, name=name, generation=generation, files=json.loads(files))
        by_owner.setdefault((kind, key), []).append(stored_of_row(row))
    return by_owner


def open_stored(stored: Stored, name: str, size: int, digest: str) -> BinaryIO:
    """A file of the store to read from its beginning, without a copy. Reading raises StoreAway, or
    copies.Damaged at its end."""
    return io.BufferedReader(_StoredFile(copies.checked(stored, name, size, digest)), 1 << 20)


class _StoredFile(io.RawIOBase):
    """A file of the store, as its blocks arrive."""

    def __init__(self, blocks: Iterator[bytes]):
        self.blocks = blocks
        self.left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        if not self.left:
            self.left = memoryview(next(self.blocks, b""))
        count = min(len(buffer), len(self.left))
        buffer[:count] = self.left[:count]
        self.left = self.left[count:]
        if not self.left:  # the end is verified before it is given out
            self.left = memoryview(next(self.blocks, b""))
        return count


def sweep(before: float, mend: bool = True) -> tuple[list[str], list[str]]:
    """(objects that nothing on record names, files on record that are not there), of the whole
    store. mend: remove the former where they are older than `before`, seconds since the epoch."""
    objects: dict[str, int] = {}
    for row in Sealed.objects.iterator(1000):
        stored = stored_of_row(row)
        objects |= {
            key: size for key, (_, size, _) in zip(stored.objects, stored.files, strict=True)
        }
    orphans: list[str] = []
    for listed_object in s3.list_objects():
        key = listed_object["path"]
        if objects.get(key) == listed_object["size"]:
            del objects[key]
        elif (
            key not in objects
            and key != s3.MARK
            and listed_object["last_modified"].timestamp() < before
        ):
            orphans.append(key)
    if mend and orphans:
        s3.delete(_unnamed_keys(orphans))
    return orphans, sorted(objects)


def damaged() -> Iterator[str]:
    """Objects on record that have other bytes than were stored, read one after another; missing
    ones are passed over."""
    for row in Sealed.objects.iterator(100):
        stored = stored_of_row(row)
        for name, size, digest in stored.files:
            try:
                for _ in copies.checked(stored, name, size, digest):
                    pass
            except copies.Damaged:
                yield stored.item.object(stored.generation, name)
            except s3.Missing:
                continue


def _unnamed_keys(keys: list[str]) -> list[str]:
    """Those of these objects that nothing names now, though it may have been recorded since."""
    generations = {key.split("/")[3] for key in keys if key.count("/") >= 3}
    named_objects = set(
        Sealed.objects.filter(generation__in=generations).values_list("generation", flat=True)
    )
    return [key for key in keys if key.count("/") < 3 or key.split("/")[3] not in named_objects]


def _use_copy(item: Item) -> int | None:
    """A lock on the item's copy; None where it is not sealed yet. It may be sealed anew while it is
    fetched."""
    for _ in range(FETCH_ATTEMPTS):
        if (stored := find_stored(item)) is None:
            return None
        try:
            return copies.use(stored)
        except s3.Missing as error:
            last_error = error
    raise copies.Damaged(
        f"{'/'.join(map(str, item))} is on record, and not in the store: {last_error}"
    )


def _is_original(item: Item) -> bool:
    """Whether what lies at the item's place here is no copy: a corpus grows where its uploaded
    files are."""
    return item.kind == "corpora" and settings.SOURCES


def find_stored(item: Item) -> Stored | None:
    """What is on record of an item; None where it is not in the store."""
    row = Sealed.objects.filter(**item._asdict()).first()
    return None if row is None else stored_of_row(row)


def stored_of_row(row: Sealed) -> Stored:
    """What a row says: where the item is in the store, and which files it has."""
    return Stored(
        Item(row.kind, row.key, row.name), row.generation, [tuple(file) for file in row.files]
    )


def _manifest(path: Path) -> Iterator[tuple[str, int, str]]:
    """(path below it, bytes, sha256) of each file of a folder, or ("", …) of a file; nothing where
    there is none."""
    if path.is_file():
        yield "", *_measure_file(path)
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            file = Path(folder, name)
            yield file.relative_to(path).as_posix(), *_measure_file(file)


def _measure_file(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        return file.tell(), digest
