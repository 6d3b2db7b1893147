"""The files of an upload become rows (SourceFile): at once where they are few, else by a worker
(ingest.job).

`link` takes a moment, whatever their number and size: every file that has come to this machine gets
a second name in the corpus's folder `arriving/`, and a line in `arriving/list.jsonl`. `record_files`
opens packs of small files, hashes what is not hashed yet and gives each file a row, a part at a time; a
checkpoint is saved in the transaction of the rows (Upload.checkpoint), from which the next attempt
continues after a kill.
"""

import hashlib
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple, cast

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Sum

from inference.errors import Invalid
from inference.runtime.durable import settle, settle_names
from webapp.intake import file_formats
from webapp.intake.file_formats import tars
from webapp.intake.ingest.checkpoints import StoreCheckpoint
from webapp.intake.ingest.file_names import clean, corpus_name
from webapp.models import Corpus, SourceFile, Upload
from webapp.platform.storage import bulk, files

FILES_AT_A_TIME = 10_000  # files that are put on record at once
PART_BYTES = 512 << 20  # or bytes of them that had to be read
BLOCK = 1 << 20  # bytes that are hashed between two pieces of news
# What can be stored while somebody waits for the answer, a second at most: uploads, bytes of packs,
# bytes that are still to be hashed.
FEW_UPLOADS = 500
FEW_PACKED_BYTES = 4 << 20
FEW_UNHASHED_BYTES = 128 << 20


class ReceivedFile(NamedTuple):
    """A file that has come to this machine: its name as the user knows it, and where it is now."""

    name: str
    path: Path
    sha256: str = ""  # where it is known
    pack: bool = False  # a tar file of many small ones
    stays: bool = False  # where it is, beside the name that it gets in a corpus; else it is moved


class Unusable(Invalid):
    """Files that came, and of which nothing can be made."""

    def __init__(self, sentence: str):
        super().__init__("files", sentence)


def check_not_empty(first: str | None, size: int | None) -> None:
    """Raises Unusable where no file came (`first`, a name, is None), or all that came are empty.
    size: bytes of them together."""
    if first is None:
        raise Unusable(f"No file arrived. Choose at least one. {file_formats.formats.sentence()}")
    if not size:
        raise Unusable(f"{first} is empty (0 bytes). Choose a file that has text in it.")


def link(corpus: Corpus, received: Iterable[ReceivedFile]) -> None:
    """Give a new corpus the received files, in the transaction that makes its row."""
    arriving = received_folder(corpus)
    arriving.mkdir(parents=True)
    with (arriving / "list.jsonl").open("w", encoding="utf-8") as notes:
        for i, file in enumerate(received):
            path = f"{arriving}/{i}"
            if file.stays:
                os.link(file.path, path)
            else:
                shutil.move(file.path, path)
            os.chmod(path, 0o600)
            notes.write(json.dumps([file.name, file.sha256, file.pack]) + "\n")


def takes_long(received: list[ReceivedFile]) -> bool:
    """Whether storing them is nothing to wait for."""
    packed = sum(u.path.stat().st_size for u in received if u.pack)
    plain = [u for u in received if not u.pack]
    unhashed = sum(u.path.stat().st_size for u in plain if not u.sha256)
    return len(received) > FEW_UPLOADS or packed > FEW_PACKED_BYTES or unhashed > FEW_UNHASHED_BYTES


def received_folder(corpus: Corpus) -> Path:
    return files.corpus_folder(corpus.pk) / "arriving"


def remove_received(corpus: Corpus) -> None:
    """Remove the received files once all are stored; a backup that is made meanwhile may need
    it."""
    with bulk.removing() as may:
        if may:
            shutil.rmtree(received_folder(corpus), ignore_errors=True)


def remove_stored(corpus: Corpus, first: int, end: int) -> None:
    """Received files that are stored, but while a backup is made: its rows may not say so yet."""
    if first < end:
        with bulk.removing() as may:
            for i in range(first, end) if may else ():
                (received_folder(corpus) / str(i)).unlink(missing_ok=True)


class PackedFile(NamedTuple):
    """A file in a pack of small ones."""

    number: int  # among the pack's files, from 1
    name: str
    bytes: bytes


def packed_files(path: Path, done: int = 0) -> Iterator[PackedFile]:
    """The files of a pack behind the first `done`. Their names are data, so nothing of them becomes
    a path; links and devices are no files.

    Raises Unusable where it can't be opened.
    """
    number = 0
    try:
        with path.open("rb") as file:
            for tar, info in tars.members(file, path.stat().st_size):
                if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.issparse():
                    continue
                number += 1
                if number > done:
                    yield PackedFile(
                        number, clean(info.name), cast("IO[bytes]", tar.extractfile(info)).read()
                    )
    except tarfile.TarError as error:
        raise Unusable(
            f"A pack of small files could not be opened ({error}). Choose the files again."
        ) from error


class StoredFiles(NamedTuple):
    """Some files that lie in the corpus's folder, their rows, and the checkpoint behind them."""

    rows: list[SourceFile]
    checkpoint: StoreCheckpoint


def record_files(
    upload: Upload,
    save: Callable[[StoreCheckpoint], None] = lambda checkpoint: None,
    report: Callable[[StoreCheckpoint], None] = lambda checkpoint: None,
) -> None:
    """Give each file a row, but for those that have one; `finish` comes next.

    save: puts a checkpoint on record, within the transaction of its rows. report: hears of every
    step between two, and may raise to end it.
    Raises Invalid where a pack can't be opened.
    """
    corpus = upload.corpus
    checkpoint = StoreCheckpoint(**upload.checkpoint or {})
    folder = files.corpus_folder(corpus.pk) / "source"
    folder.mkdir(parents=True, exist_ok=True)
    parts = (
        _link_files(corpus.parent, corpus, 0, checkpoint, report)
        if corpus.parent
        else _received_files(corpus, folder, checkpoint, report)
    )
    for part in parts:
        record_part(part, save)
        if not corpus.is_read_anew:
            remove_stored(corpus, checkpoint.uploads, part.checkpoint.uploads)
        checkpoint = part.checkpoint


def record_part(part: StoredFiles, save: Callable[[StoreCheckpoint], None]) -> None:
    with transaction.atomic():
        SourceFile.objects.bulk_create(part.rows, batch_size=1000)
        save(part.checkpoint)


def finish(upload: Upload) -> None:
    """Put the files in the order of their names, and say on the corpus how large they are. Raises
    Invalid where all are empty."""
    corpus = upload.corpus
    first = corpus.files.values_list("name", flat=True).first()
    size = corpus.files.aggregate(size=Sum("bytes"))["size"]
    check_not_empty(first, size)
    if not corpus.is_read_anew:
        with connection.cursor() as cursor:
            cursor.execute(_IN_ORDER, [corpus.pk])
        transaction.on_commit(lambda: remove_received(corpus))
    corpus.bytes_total = size
    if not upload.named:
        corpus.name = _name_after_files(corpus)
    corpus.save(update_fields=["bytes_total", "name"])


def _name_after_files(corpus: Corpus) -> str:
    """The name of the folder that all files came in, else of the first file."""
    first = corpus.files.values_list("name", flat=True)[0]
    folder = first.partition("/")[0] if "/" in first else ""
    in_one_folder = folder and not corpus.files.exclude(name__startswith=f"{folder}/").exists()
    return corpus_name(first if in_one_folder else first.rpartition("/")[2])


# By name, "letter 2" before "letter 10": a number counts by how many digits it has, then by these;
# and before any other character.
_IN_ORDER = r"""
    UPDATE webapp_sourcefile AS file SET position = placed.place - 1
    FROM (
        SELECT id, row_number() OVER (ORDER BY key COLLATE "C", position DESC) AS place
        FROM (
            SELECT id, position, (
                SELECT string_agg(CASE WHEN piece[1] ~ '^[0-9]'
                    THEN E'\x01' || lpad(length(ltrim(piece[1], '0'))::text, 4, '0') || ltrim(piece[1], '0') || E'\x01'
                    ELSE piece[1] END, '' ORDER BY n)
                FROM regexp_matches(name, '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS pieces (piece, n)
            ) AS key
            FROM webapp_sourcefile WHERE corpus_id = %s AND position < 0
        ) AS named
    ) AS placed
    WHERE file.id = placed.id
"""


def _received_files(
    corpus: Corpus,
    folder: Path,
    checkpoint: StoreCheckpoint,
    report: Callable[[StoreCheckpoint], None],
) -> Iterator[StoredFiles]:
    """The received files that are still to be stored. Until all have come their positions are below
    0, so that order can be made then."""
    arriving = received_folder(corpus)
    rows = []
    read = 0
    with (arriving / "list.jsonl").open(encoding="utf-8") as notes:
        notes_left = islice(notes, checkpoint.uploads, None)
        for i, line in enumerate(notes_left, checkpoint.uploads):
            name, sha256, pack = json.loads(line)
            path = arriving / str(i)
            size = path.stat().st_size
            for content in packed_files(path, checkpoint.inside) if pack else [None]:
                to = f"{folder}/{checkpoint.files:06d}"
                if content is None:
                    _link(path, to)
                    read += 0 if sha256 else size
                    row = (name, size, sha256 or _sha256(path, checkpoint, report))
                else:
                    write_file(to, content.bytes)
                    read += len(content.bytes)
                    row = (
                        content.name,
                        len(content.bytes),
                        hashlib.sha256(content.bytes).hexdigest(),
                    )
                rows.append(_row(corpus, -1 - checkpoint.files, to, *row))
                checkpoint = replace(
                    checkpoint, files=checkpoint.files + 1, inside=content.number if content else 0
                )
                if len(rows) >= FILES_AT_A_TIME or read >= PART_BYTES:
                    if content is None:
                        checkpoint = replace(
                            checkpoint, uploads=i + 1, bytes=checkpoint.bytes + size
                        )
                        size = 0
                    yield _settle_files(rows, checkpoint, report)
                    rows = []
                    read = 0
            checkpoint = replace(checkpoint, uploads=i + 1, inside=0, bytes=checkpoint.bytes + size)
            report(checkpoint)
    yield _settle_files(rows, checkpoint, report)


def _settle_files(
    rows: list[SourceFile], checkpoint: StoreCheckpoint, report: Callable[[StoreCheckpoint], None]
) -> StoredFiles:
    settle(*(settings.FILES / row.path for row in rows))
    report(checkpoint)
    return StoredFiles(rows, checkpoint)


def _link_files(
    source: Corpus,
    corpus: Corpus,
    first: int,
    checkpoint: StoreCheckpoint,
    report: Callable[[StoreCheckpoint], None],
) -> Iterator[StoredFiles]:
    """The files of another corpus, from a position on: both have a name of each, and it goes with
    the last one."""
    folder = files.corpus_folder(corpus.pk) / "source"
    folder.mkdir(parents=True, exist_ok=True)
    after = SourceFile.objects.filter(corpus=source)
    last = (
        after.values_list("position", flat=True)[checkpoint.files - 1] if checkpoint.files else -1
    )
    while batch := list(after.filter(position__gt=last)[:FILES_AT_A_TIME]):
        rows: list[SourceFile] = []
        for position, file in enumerate(batch, first + checkpoint.files):
            to = f"{folder}/{position:06d}"
            _link(settings.FILES / file.path, to)
            rows.append(_row(corpus, position, to, file.name, file.bytes, file.sha256))
        settle_names([folder, folder.parent, folder.parent.parent])
        size = checkpoint.bytes + sum(file.bytes for file in batch)
        checkpoint = replace(checkpoint, files=checkpoint.files + len(batch), bytes=size)
        report(checkpoint)
        yield StoredFiles(rows, checkpoint)
        last = batch[-1].position


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
    Path(to).unlink(missing_ok=True)
    os.link(path, to)


def _sha256(
    path: Path, checkpoint: StoreCheckpoint, report: Callable[[StoreCheckpoint], None]
) -> str:
    sha256 = hashlib.sha256()
    done = 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(BLOCK):
            sha256.update(block)
            done += len(block)
            report(replace(checkpoint, bytes=checkpoint.bytes + done))
    return sha256.hexdigest()


def write_file(path: str, content: bytes) -> None:
    """Write a file that only its owner can read, in the place of one that is there. Raises
    OSError."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", 0) as file:
        while content:  # a disk that is nearly full takes a part, and says so at the next attempt
            content = content[file.write(content) :]


def join_additions(corpus: Corpus, report: Callable[[StoreCheckpoint], None]) -> None:
    """Give a corpus the files of drafts that are to be added to it (ingest.corpora.add_files),
    which are gone then."""
    joining = Upload.objects.filter(
        corpus__added_to=corpus, status=Upload.Status.JOINING
    ).select_related("corpus")
    for upload in joining.order_by("pk"):

        def save(checkpoint: StoreCheckpoint, pk: int = upload.pk) -> None:
            Upload.objects.filter(pk=pk).update(checkpoint=asdict(checkpoint))

        checkpoint = StoreCheckpoint(**upload.checkpoint or {})
        first = upload.position or 0
        for part in _link_files(upload.corpus, corpus, first, checkpoint, report):
            record_part(part, save)
        upload.corpus.delete()
