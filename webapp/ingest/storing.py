"""Files that have come are made a corpus's own: at once where they are few, else by a worker (tasks.corpora), who goes on after a kill.

To bring them is a matter of a moment, whatever their number and size: every upload gets a second name in the corpus's folder, below
`arriving/`, and a line in `arriving/list.jsonl`. To store them is to open packs of small files, hash what is not hashed yet and give
each file a row. What is stored is put on record in the same transaction as its rows (Corpus.arriving), a part at a time.
"""

import hashlib
import json
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Sum

from inference.durable import settle, settle_names
from inference.errors import Invalid
from webapp import readers
from webapp.models import Corpus, SourceFile
from webapp.storage import bulk, files

# What can be stored while somebody waits for the answer, a second at most: uploads, bytes of packs, bytes that are still to be hashed.
FEW, FEW_PACKED, FEW_UNHASHED = 500, 4 << 20, 128 << 20
PART = 10_000  # files that are put on record at once
PART_BYTES = 512 << 20  # or bytes of them that had to be read
BLOCK = 1 << 20  # bytes that are hashed between two pieces of news
LONGEST_NAME = 1000  # characters; of longer ones the end is kept, which says the format
# Controls, and the marks that change the direction of a line, by which a name can pretend to be another.
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Upload(NamedTuple):
    """A file that has arrived: its name as the user knows it, and where it is now."""

    name: str
    path: Path
    sha256: str = ""  # where it is known
    pack: bool = False  # a tar file of many small ones
    stays: bool = False  # where it is, beside the name that it gets in a corpus; else it is moved


@dataclass(frozen=True)
class Mark:
    """How far storing has come: kept on Corpus.arriving, where the next attempt goes on."""

    of: int | None = None  # the corpus whose files these are, too; none: uploads
    named: bool = True  # by the user; else the corpus is called after its files
    uploads: int = 0  # that are behind
    inside: int = 0  # files of the next one, a pack, that are behind
    files: int = 0  # that have a row
    bytes: int = 0  # of what has come, that are behind


class Part(NamedTuple):
    """Some files that lie in the corpus's folder, their rows, and where storing is behind them."""

    rows: list[SourceFile]
    mark: Mark


def clean(name: str) -> str:
    """A file's name with its folders, "letters/1901/a.txt", as data: never leads upwards, holds no control characters, is bounded."""
    parts = _NOT_IN_NAMES.sub("", name[-8 * LONGEST_NAME :].replace("\\", "/")).split("/")
    kept = "/".join(part.strip() for part in parts if part.strip() not in ("", ".", ".."))
    return kept[-LONGEST_NAME:].lstrip("/") or "untitled"


def check(first: str | None, size: int | None) -> None:
    """Raises Invalid where no file came (`first`, a name, is None), or all that came are empty. size: bytes of them together."""
    if first is None:
        raise Invalid("files", f"No file came. Choose at least one. {readers.formats.sentence()}")
    if not size:
        raise Invalid("files", f"{first} is empty (0 bytes). Choose a file that has text in it.")


# Bringing ---------------------------------------------------------------------------------------------------------


def bring(corpus: Corpus, uploads: Iterable[Upload]) -> None:
    """Give a new corpus the uploads, in the transaction that makes its row."""
    folder = _arriving(corpus)
    folder.mkdir(parents=True)
    with (folder / "list.jsonl").open("w", encoding="utf-8") as notes:
        for i, upload in enumerate(uploads):
            path = f"{folder}/{i}"
            if upload.stays:
                os.link(upload.path, path)
            else:
                _move(upload.path, path)
            os.chmod(path, 0o600)
            notes.write(json.dumps([upload.name, upload.sha256, upload.pack]) + "\n")


def _move(path: Path, to: str) -> None:
    try:
        os.rename(path, to)
    except OSError:  # from another disk
        shutil.move(path, to)


def takes_long(uploads: list[Upload]) -> bool:
    """Whether storing them is nothing to wait for."""
    packed = sum(u.path.stat().st_size for u in uploads if u.pack)
    unhashed = sum(u.path.stat().st_size for u in uploads if not u.pack and not u.sha256)
    return len(uploads) > FEW or packed > FEW_PACKED or unhashed > FEW_UNHASHED


def _arriving(corpus: Corpus) -> Path:
    return files.corpus_folder(corpus.pk) / "arriving"


# Storing ----------------------------------------------------------------------------------------------------------


def store(
    corpus: Corpus, keep: Callable[[Mark], None] = lambda mark: None, tick: Callable[[Mark], None] = lambda mark: None
) -> None:
    """Give each file that was brought a row, but for those that have one; `finish` comes next.

    keep puts a mark on record, within the transaction of its rows; tick hears of every step between two, and may raise to end it.
    Raises Invalid where a pack can't be opened.
    """
    mark = Mark(**corpus.arriving)
    folder = files.corpus_folder(corpus.pk) / "source"
    folder.mkdir(parents=True, exist_ok=True)
    parts = (
        _linked(Corpus.everything.get(pk=mark.of), corpus, 0, mark, tick)
        if mark.of
        else _uploaded(corpus, folder, mark, tick)
    )
    for part in parts:
        _record(part, keep)
        if not mark.of:
            _take_away(corpus, mark.uploads, part.mark.uploads)
        mark = part.mark


def _record(part: Part, keep: Callable[[Mark], None]) -> None:
    with transaction.atomic():
        SourceFile.objects.bulk_create(part.rows, batch_size=1000)
        keep(part.mark)


def finish(corpus: Corpus) -> dict:
    """Put the files in the order of their names; returns the fields of the corpus, now a draft. Raises Invalid where all are empty."""
    mark = Mark(**corpus.arriving)
    first = corpus.files.values_list("name", flat=True).first()
    size = corpus.files.aggregate(size=Sum("bytes"))["size"]
    check(first, size)
    if not mark.of:
        with connection.cursor() as cursor:
            cursor.execute(_IN_ORDER, [corpus.pk])
        transaction.on_commit(lambda: forget(corpus))
    fields = {"arriving": {}, "bytes_read": 0, "bytes_total": size}
    return fields if mark.named else fields | {"name": _name(corpus)}


def forget(corpus: Corpus) -> None:
    """What was brought, once all of it is stored; a backup that is made meanwhile may need it."""
    with bulk.removing() as may:
        if may:
            shutil.rmtree(_arriving(corpus), ignore_errors=True)


def _name(corpus: Corpus) -> str:
    """Of the folder that all files came in, else of the first file."""
    first = corpus.files.values_list("name", flat=True).first()
    folder = first.partition("/")[0] if "/" in first else ""
    together = folder and not corpus.files.exclude(name__startswith=f"{folder}/").exists()
    return called(first if together else first.rpartition("/")[2])


def called(file: str) -> str:
    """What a corpus may be called after one of its files: the folder, else the file itself."""
    folder = file.partition("/")[0] if "/" in file else ""
    return (folder or readers.stem(file)).replace("_", " ").strip()[:200] or "Untitled"


# By name, "letter 2" before "letter 10": a number counts by how many digits it has, then by these; and before any other character.
_IN_ORDER = r"""
    UPDATE webapp_sourcefile AS file SET position = placed.place - 1
    FROM (
        SELECT id, row_number() OVER (ORDER BY key COLLATE "C", position DESC) AS place
        FROM (
            SELECT id, position, (
                SELECT string_agg(CASE WHEN piece[1] ~ '^[0-9]'
                    THEN E'\x01' || lpad(length(ltrim(piece[1], '0'))::text, 4, '0') || ltrim(piece[1], '0') || E'\x01'
                    ELSE piece[1] END, '' ORDER BY n)
                FROM regexp_matches(name, '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS found (piece, n)
            ) AS key
            FROM webapp_sourcefile WHERE corpus_id = %s AND position < 0
        ) AS named
    ) AS placed
    WHERE file.id = placed.id
"""


def _uploaded(corpus: Corpus, folder: Path, mark: Mark, tick: Callable[[Mark], None]) -> Iterator[Part]:
    """The files of uploads that are not behind. Until all have come their positions are below 0, so that order can be made then."""
    arriving, rows, read = _arriving(corpus), [], 0
    with (arriving / "list.jsonl").open(encoding="utf-8") as notes:
        for i, line in enumerate(islice(notes, mark.uploads, None), mark.uploads):
            name, sha256, pack = json.loads(line)
            path = arriving / str(i)
            size = path.stat().st_size
            for content in _members(path, mark.inside) if pack else [None]:
                to = f"{folder}/{mark.files:06d}"
                if content is None:
                    _link(path, to)
                    read += 0 if sha256 else size
                    row = (
                        name,
                        size,
                        sha256 or _sha256(path, lambda n, mark=mark: tick(replace(mark, bytes=mark.bytes + n))),
                    )
                else:
                    _write(to, content.bytes)
                    read += len(content.bytes)
                    row = (content.name, len(content.bytes), hashlib.sha256(content.bytes).hexdigest())
                rows.append(_row(corpus, -1 - mark.files, to, *row))
                mark = replace(mark, files=mark.files + 1, inside=content.number if content else 0)
                if len(rows) >= PART or read >= PART_BYTES:
                    if content is None:
                        mark = replace(mark, uploads=i + 1, bytes=mark.bytes + size)
                        size = 0
                    yield _settled(rows, mark, tick)
                    rows, read = [], 0
            mark = replace(mark, uploads=i + 1, inside=0, bytes=mark.bytes + size)
            tick(mark)
    yield _settled(rows, mark, tick)


def _settled(rows: list[SourceFile], mark: Mark, tick: Callable[[Mark], None]) -> Part:
    settle(*(settings.FILES / row.path for row in rows))
    tick(mark)
    return Part(rows, mark)


def _linked(source: Corpus, corpus: Corpus, first: int, mark: Mark, tick: Callable[[Mark], None]) -> Iterator[Part]:
    """The files of another corpus, from a position on: both have a name of each, and it goes with the last one."""
    folder = files.corpus_folder(corpus.pk) / "source"
    folder.mkdir(parents=True, exist_ok=True)
    after = SourceFile.objects.filter(corpus=source)
    last = -1
    if mark.files:
        last = after.values_list("position", flat=True)[mark.files - 1]
    while found := list(after.filter(position__gt=last)[:PART]):
        rows, size = [], 0
        for file in found:
            to = f"{folder}/{first + mark.files + len(rows):06d}"
            _link(settings.FILES / file.path, to)
            rows.append(_row(corpus, first + mark.files + len(rows), to, file.name, file.bytes, file.sha256))
            size += file.bytes
        settle_names([folder, folder.parent, folder.parent.parent])
        mark = replace(mark, files=mark.files + len(rows), bytes=mark.bytes + size)
        tick(mark)
        yield Part(rows, mark)
        last = found[-1].position


def _row(corpus: Corpus, position: int, path: str, name: str, size: int, sha256: str) -> SourceFile:
    return SourceFile(
        corpus=corpus,
        position=position,
        name=name,
        path=path.removeprefix(f"{settings.FILES}/"),
        bytes=size,
        sha256=sha256,
    )


def _link(path: Path, to: str) -> None:
    """A second name; one that an attempt left which was broken off is known to no row."""
    try:
        os.link(path, to)
    except FileExistsError:
        os.unlink(to)
        os.link(path, to)


def _sha256(path: Path, tick: Callable[[int], None]) -> str:
    found, done = hashlib.sha256(), 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            found.update(block)
            done += len(block)
            tick(done)
    return found.hexdigest()


class _Member(NamedTuple):
    number: int  # among the pack's files, from 1
    name: str
    bytes: bytes


def _members(path: Path, behind: int) -> Iterator[_Member]:
    """The files of a pack. Their names are data, so nothing of them becomes a path; links and devices are no files."""
    try:
        with tarfile.open(path, "r:") as pack:
            number = 0
            while member := pack.next():
                pack.members.clear()  # or it keeps them all
                if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or member.issparse():
                    continue
                number += 1
                if number > behind:
                    yield _Member(number, clean(member.name), pack.extractfile(member).read())
    except tarfile.TarError as error:
        raise Invalid(
            "files", f"A pack of small files could not be opened ({error}). Choose the files again."
        ) from error


def _write(path: str, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        while content:  # a disk that is nearly full takes a part, and says so at the next attempt
            content = content[os.write(descriptor, content) :]
    finally:
        os.close(descriptor)


def _take_away(corpus: Corpus, first: int, end: int) -> None:
    """Uploads that are behind, but while a backup is made: its rows may not say so yet."""
    if first < end:
        with bulk.removing() as may:
            for i in range(first, end) if may else ():
                (_arriving(corpus) / str(i)).unlink(missing_ok=True)


# Adding -----------------------------------------------------------------------------------------------------------


def join(corpus: Corpus, tick: Callable[[Mark], None]) -> None:
    """Give a corpus the files of drafts that are to be added to it (ingest.corpora.add), which are gone then."""
    for draft in corpus.additions.filter(arriving__has_key="first").order_by("pk"):
        kept = draft.arriving
        mark = Mark(**kept["mark"])
        for part in _linked(draft, corpus, kept["first"], mark, tick):
            _record(
                part,
                lambda mark, draft=draft, kept=kept: Corpus.objects.filter(pk=draft.pk).update(
                    arriving=kept | {"mark": asdict(mark)}
                ),
            )
        draft.delete()
