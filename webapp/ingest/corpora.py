"""What is done to a corpus: store uploaded files, say how to read them, have them read. Deleting: corpora.deletion."""

import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import F, Max, Q, Sum
from django.db.models.functions import Now

from inference.durable import settle
from inference.errors import Invalid
from inference.text import detect
from webapp import readers
from webapp.accounts import quotas
from webapp.accounts.embargo import columns_read, inherited
from webapp.ingest import shaping, storing, versions
from webapp.ingest.storing import Upload
from webapp.ingest.versions import Words
from webapp.jobs import dispatch, kinds
from webapp.models import Corpus, User, Version
from webapp.storage import files

EXAMPLE = settings.BASE_DIR / "webapp" / "example" / "state_of_the_union.csv.gz"
EXAMPLE_NAME = "State of the Union, 1790–2020"
MOST_LOOKED_AT = 2_000  # uploaded files, among which tables are offered, and which say how all are read
NUMBERS = "numbers.npy"  # of a part: its documents' numbers in the parent


@dataclass(frozen=True)
class Reading(Words):
    """How a corpus is read, and which of its words count at first: the form's values, kept on the corpus as a dict."""

    options: dict = field(default_factory=dict)  # webapp.readers.Options as a dict
    shaping: dict = field(default_factory=dict)  # webapp.ingest.shaping.Shaping as a dict
    added: list = field(
        default_factory=list
    )  # of files that came later: {"first": the position from which on, "options", "shaping"}
    before: list = field(default_factory=list)  # how the same files were read elsewhere: queries.embargo.columns_read


def create(name: str, uploads: Iterable[Upload], owner: User | None = None, later: bool = False, **fields) -> Corpus:
    """A draft of these files, by default the local owner's. Raises Invalid("files", …) when there are none or all are empty.

    later: where storing them takes more than a moment a worker does it, and the corpus is queued until then.
    """
    uploads = list(uploads)
    sizes = [upload.path.stat().st_size for upload in uploads]
    storing.check(uploads[0].name if uploads else None, sum(sizes))
    later = later and storing.takes_long(uploads)
    with transaction.atomic():
        files.storing()
        owner = owner or User.objects.local()
        quotas.check_bytes(owner, sum(sizes))
        mark = storing.Mark(named=bool(name.strip()))
        fields |= {
            "name": name.strip()[:200] or storing.called(uploads[0].name),
            "bytes_total": sum(sizes),
            "arriving": asdict(mark),
        }
        corpus = Corpus.objects.create(owner=owner, **fields)
        storing.bring(corpus, uploads)
        _store(corpus, later)
    return corpus


def _store(corpus: Corpus, later: bool) -> None:
    """Have what was brought stored, here or by a worker."""
    if later:
        settle(files.corpus_folder(corpus.pk))  # before a row says that it is there
        corpus.status = Corpus.Status.QUEUED
        Corpus.objects.filter(pk=corpus.pk).update(status=corpus.status, heartbeat_at=Now())
        dispatch.send(kinds.INGEST, corpus.pk)
        return
    storing.store(corpus)
    fields = storing.finish(corpus)
    Corpus.objects.filter(pk=corpus.pk).update(**fields)
    for name, value in fields.items():
        setattr(corpus, name, value)


def stored(source) -> Path:
    """Where an uploaded file lies; of a SourceFile, or what has its `path`."""
    return settings.FILES / source.path


def paths(corpus: Corpus, most: int | None = None) -> list[tuple[Path, str]]:
    """Each stored file and the user's name of it, in order; the first `most`."""
    return [(settings.FILES / path, name) for path, name in corpus.files.values_list("path", "name")[:most]]


def sniff(corpus: Corpus, table: str | None = None, **known) -> readers.Sniff:
    """What the first file that can be read seems to be: its first rows, and a guess at every option that is not `known`.

    table: the name of the file that is a table about the others, and so none of them; "" for none, and by default what is guessed.
    """
    if table is None:
        table = found.name if (found := about_files(corpus)) else ""
    if table:
        known["without"] = table
    uploads = paths(corpus, MOST_LOOKED_AT)
    return readers.sniff_first([file for file in uploads if file[1] != table] or uploads, **known)


def keeps_columns(draft: Corpus) -> bool:
    """Whether a draft's files must be cut into columns as they were: under embargo, where its columns are known by their names."""
    return draft.embargo and bool(draft.settings.get("before"))


def as_before(found: readers.Sniff, options: dict) -> readers.Sniff:
    """With the columns that were chosen before, by their names, where the file has the one that was chosen for the text.

    options: webapp.readers.Options as a dict, of an earlier choice."""
    before = readers.Options(**options) if options else readers.Options()
    names = list(before.names)
    if before.text is None or before.text >= len(names) or names[before.text] not in found.columns:
        return found
    places = {}
    for role in readers.formats.ROLES:
        i = getattr(before, role)
        places[role] = (
            found.columns.index(names[i]) if i is not None and i < len(names) and names[i] in found.columns else None
        )
    kinds = found.options.kinds | {name: kind for name, kind in before.kinds.items() if name in found.columns}
    order = before.date_order or found.options.date_order
    return replace(found, options=replace(found.options, **places, kinds=kinds, date_order=order))


def about_files(corpus: Corpus) -> shaping.Guess | None:
    """The table about the other files, where one seems to be among them. A draft's files stay: it is looked for once."""
    return _guess(corpus.pk, corpus.bytes_total)


@lru_cache(64)
def _guess(corpus_id: int, size: int) -> shaping.Guess | None:
    return shaping.guess(paths(Corpus(pk=corpus_id), shaping.table.NAMES))


def tables(corpus: Corpus) -> list[str]:
    """Names of the uploaded files that may be a table about the others; none where there are no others."""
    names = list(corpus.files.values_list("name", flat=True)[:MOST_LOOKED_AT])
    return [name for name in names if readers.formats.tabular(name)] if len(names) > 1 else []


def language(found: readers.Sniff) -> tuple[str, float]:
    """Which language the first rows seem to be in (ISO 639-1), and which share of them; ("", 0.0) where that can't be told."""
    column = found.options.text if found.columns else 0
    return detect(row[column] for row in found.rows if column is not None and column < len(row))


def read(corpus: Corpus, reading: Reading) -> None:
    """Have a draft, or a corpus that failed, read by a worker. Raises Invalid when it is being read already."""
    again = Corpus.objects.filter(pk=corpus.pk, arriving={}, status__in=(Corpus.Status.DRAFT, Corpus.Status.FAILED))
    if reading.options.get(
        "given"
    ):  # words that were made elsewhere, numbers and single letters among them, are taken as they are
        reading = replace(reading, numbers=True, min_length=1)
    reading = replace(reading, before=corpus.settings.get("before", []))  # whatever a form says
    reading.choice()
    same = all(corpus.settings.get(name) == getattr(reading, name) for name in ("options", "language", "shaping"))
    with transaction.atomic():
        fields = {"settings": asdict(reading), "error": "", "tries": 0, "heartbeat_at": Now()}  # since when it waits
        if not same:  # else what was read stays read: other words are chosen from it
            fields |= {"progress": {}, "bytes_read": 0, "documents_read": 0}
            corpus.files.update(read=False, error="", items=0, documents=0, first=None, problems=0, encoding="")
        quotas.check_job(corpus.owner)
        if not again.update(status=Corpus.Status.QUEUED, name=corpus.name, **fields):
            raise Invalid("name", "This collection is being read already, or has been. Upload the files again instead.")
        dispatch.send(kinds.INGEST, corpus.pk)


def subset(
    parent: Corpus, numbers: np.ndarray, name: str, reading: Reading, provenance: dict, owner: User | None = None
) -> Corpus:
    """A corpus of some documents of another, queued: a worker copies and counts them anew (webapp.ingest.subset).

    numbers: int64, ascending. provenance: in words and as an address which they are; parent's name and digest are added. owner: by
    default the local one. The part is under embargo where its parent is.
    """
    if not len(numbers):
        raise Invalid("name", "There is no document in this set. Choose another.")
    kept = provenance | {
        "parent": {"id": parent.pk, "name": parent.name, "digest": parent.version.report.get("digest", "")},
        "documents": len(numbers),
        "of": parent.documents,
    }
    with transaction.atomic():
        files.storing()
        shut = (
            Corpus.objects.select_for_update().values_list("embargo", flat=True).get(pk=parent.pk)
        )  # so that an embargo finds all parts
        owner = owner or User.objects.local()
        quotas.check_job(owner)
        corpus = Corpus.objects.create(
            owner=owner, name=name[:200], parent=parent, provenance=kept, embargo=shut,
            status=Corpus.Status.QUEUED, settings=asdict(replace(reading, before=inherited(parent.settings))),
        )  # fmt: skip
        folder = files.corpus_folder(corpus.pk)
        folder.mkdir(parents=True)
        np.save(folder / NUMBERS, np.asarray(numbers, np.int64))
        settle(folder)
        dispatch.send(kinds.INGEST, corpus.pk)
    return corpus


def again(corpus: Corpus) -> Corpus:
    """A draft of the same files, to be read in another way: its settings are the corpus's, which stays as it is with its runs.

    No file is copied: both have a name of it (a hard link), and it goes with the last one. A draft that is there already is taken.
    """
    if corpus.status != Corpus.Status.READY or corpus.provenance:
        raise Invalid(
            "corpus",
            f"“{corpus.name}” has no files of its own that have been read. Open the corpus that it is a part of.",
        )
    if not (count := corpus.files.count()):
        raise Invalid("corpus", f"The files of “{corpus.name}” are not kept. Upload them again.")
    there = (
        corpus.parts.filter(provenance={})
        .exclude(status__in=(Corpus.Status.READY, Corpus.Status.FAILED))
        .order_by("-pk")
        .first()
    )
    if there and (there.arriving or there.status == Corpus.Status.DRAFT and there.files.count() == count):
        return there
    reading = Reading.of(corpus.settings)
    before = [*reading.before, *columns_read(corpus.settings)]
    settings_now = asdict(replace(reading, **asdict(Words.of(corpus.version.settings)), added=[], before=before))
    with transaction.atomic():
        files.storing()
        draft = Corpus.objects.create(
            owner=corpus.owner, name=corpus.name, parent=corpus, embargo=corpus.embargo, settings=settings_now,
            bytes_total=corpus.files.aggregate(size=Sum("bytes"))["size"], arriving=asdict(storing.Mark(of=corpus.pk)),
        )  # fmt: skip
        files.corpus_folder(draft.pk).mkdir(parents=True)
        _store(draft, count > storing.FEW)
    return draft


def addition(corpus: Corpus, uploads: Iterable[Upload], later: bool = False) -> Corpus:
    """A draft of files that are to be added to a corpus that is ready, with its settings; `add` has them read.

    later: as in `create`. Raises Invalid where no file came, or to a corpus to which none can be added.
    """
    versions.check(corpus)
    if corpus.provenance:
        raise Invalid("files", f"“{corpus.name}” is a part of another corpus: documents are added to that one.")
    now = Reading.of(corpus.settings)
    kept = asdict(replace(now, shaping=now.shaping | {"table": "", "key": ""} if now.shaping else {}, added=[]))
    with transaction.atomic():
        draft = create(corpus.name, uploads, corpus.owner, later, into=corpus, settings=kept)
        # Locked, so that an embargo, and another owner, find all drafts.
        draft.embargo, draft.owner_id = (
            Corpus.objects.select_for_update().values_list("embargo", "owner").get(pk=corpus.pk)
        )
        draft.save(update_fields=["embargo", "owner"])
    return draft


def add(draft: Corpus, reading: Reading) -> Version:
    """Have the files of an addition read into its corpus, as `reading` says; a version with their documents follows.

    The files themselves come with it: whoever makes the version gives the corpus names of them first (ingest.storing.join).
    Runs on older versions stay as they are. Raises Invalid where another version is being made, or the files are not of a kind.
    """
    corpus = draft.into
    before = Reading.of(corpus.settings)
    if bool(reading.options.get("given")) != bool(before.options.get("given")):
        theirs, these = (
            ("words that were counted elsewhere", "texts")
            if before.options.get("given")
            else ("texts", "words that were counted elsewhere")
        )
        raise Invalid(
            "files",
            f"“{corpus.name}” holds {theirs}, and these files hold {these}: make a corpus of their own of them.",
        )
    with transaction.atomic():
        version = versions.again(corpus)  # which locks the corpus
        corpus.refresh_from_db()
        first = _end(corpus)
        now = Reading.of(corpus.settings)
        kinds = reading.options.get("kinds", {}) | now.options.get(
            "kinds", {}
        )  # a field that is there already stays what it is
        way = {"first": first, "options": reading.options | {"kinds": kinds}, "shaping": reading.shaping}
        kept = asdict(replace(now, options=now.options | {"kinds": kinds}, added=[*now.added, way]))
        Corpus.objects.filter(pk=corpus.pk).update(settings=kept, bytes_total=F("bytes_total") + draft.bytes_total)
        Corpus.objects.filter(pk=draft.pk).update(
            arriving={"first": first, "end": first + draft.files.count(), "mark": asdict(storing.Mark(of=draft.pk))}
        )
    return version


def _end(corpus: Corpus) -> int:
    """The position behind its files, and behind those of additions that have not been joined yet."""
    last = corpus.files.aggregate(last=Max("position"))["last"]
    coming = corpus.additions.filter(arriving__has_key="first").values_list("arriving__end", flat=True)
    return max([0 if last is None else last + 1, *coming])


def retry(corpus: Corpus) -> Version:
    """Have the files that could not be read tried again, and no others. Raises Invalid where there is none."""
    failed = corpus.files.exclude(error="")
    with transaction.atomic():
        size = failed.aggregate(size=Sum("bytes"))["size"]
        if size is None:
            raise Invalid("files", "No file of this corpus failed.")
        version = versions.again(corpus)
        failed.update(read=False, error="")
        Corpus.objects.filter(pk=corpus.pk).update(bytes_total=F("bytes_total") + size)
    return version


def embargo(corpus: Corpus, on: bool) -> None:
    """From now on texts are withheld, or shown again (accounts.embargo).

    It reaches the parts that were made of the corpus, whosever they are, deleted ones that can come back, too, and parts of those, and drafts of files that are to be added. Ended it is for this one alone; not
    for a part, whose texts are those of its parent, while that one's are withheld, or when that can't be told any more.
    """
    with transaction.atomic():
        row = Corpus.objects.select_for_update().get(pk=corpus.pk)
        if not on:
            if row.provenance and row.parent is None:
                raise Invalid(
                    "embargo",
                    "The corpus of which this is a part is deleted: whether its texts may be read can't be told any more.",
                )
            if row.parent and row.parent.embargo:
                raise Invalid(
                    "embargo",
                    f"This is a part of “{row.parent.name}”, whose texts are under embargo: that one must end first.",
                )
        reached = {row.pk}
        while reached:
            Corpus.everything.filter(Q(pk__in=reached) | Q(into__in=reached)).update(embargo=on)
            parts = (
                Corpus.everything.filter(parent__in=reached, embargo=False).select_for_update()
                if on
                else Corpus.everything.none()
            )
            reached = set(parts.values_list("pk", flat=True))


def example(owner: User | None = None) -> Corpus:
    """The example corpus, queued for reading with settings that fit it."""
    copy = settings.FILE_UPLOAD_TEMP_DIR / f"example-{os.getpid()}-{os.urandom(4).hex()}"
    shutil.copyfile(EXAMPLE, copy)
    corpus = create(EXAMPLE_NAME, [Upload(EXAMPLE.name, copy)], owner)
    read(corpus, Reading(options=asdict(sniff(corpus).options), language="en"))
    return corpus
