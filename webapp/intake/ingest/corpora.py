"""Services of a corpus: create it of received files, have it read, add files, make another of some
of its documents.

Deleting: webapp.service.corpora.deletion. Its versions: webapp.intake.ingest.versions.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, F, Max, Sum
from django.db.models.functions import Now
from django.utils import timezone

from inference.errors import Invalid
from inference.runtime.durable import settle
from webapp.intake import file_formats
from webapp.intake.ingest import guesses, storing, versions
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.file_names import corpus_name
from webapp.intake.ingest.storing import ReceivedFile
from webapp.models import HAS_OWN_FILES, Corpus, Provenance, Upload, User, Version
from webapp.platform.accounts import quotas
from webapp.platform.accounts.embargo import columns_read, inherited
from webapp.platform.jobs import claims, dispatch, kinds
from webapp.platform.storage import files
from webapp.platform.storage.sql import tuples

UNREAD = (Corpus.Status.DRAFT, Corpus.Status.FAILED)  # from which a corpus can be read
EXAMPLE = settings.BASE_DIR / "webapp" / "example" / "state_of_the_union.csv.gz"
EXAMPLE_NAME = "State of the Union, 1790–2020"
# A third of the usual number: it is done in a third of the time, with nearly the same topics
EXAMPLE_PASSES = 20
NUMBERS = "numbers.npy"  # of a part: its documents' numbers in the parent


def create(
    name: str,
    received: Iterable[ReceivedFile],
    owner: User | None = None,
    in_background: bool = False,
    **fields,
) -> Corpus:
    """A draft of these files, by default the local owner's. Raises Invalid("files", …) when there
    are none or all are empty.

    in_background: where storing them takes more than a moment a worker does it, and the corpus is
    queued until then.
    """
    received = list(received)
    sizes = [file.path.stat().st_size for file in received]
    storing.check_not_empty(received[0].name if received else None, sum(sizes))
    in_background = in_background and storing.takes_long(received)
    with transaction.atomic():
        files.storing()
        owner = owner or User.objects.local()
        quotas.check_bytes(owner, sum(sizes))
        called = name.strip()[:200] or corpus_name(received[0].name)
        corpus = Corpus.objects.create(owner=owner, name=called, bytes_total=sum(sizes), **fields)
        try:
            storing.link(corpus, received)
            _begin_storing(Upload(corpus=corpus, named=bool(name.strip())), in_background)
        except BaseException:  # its row goes with the transaction
            shutil.rmtree(files.corpus_folder(corpus.pk), ignore_errors=True)
            raise
    return corpus


def check_readable(corpus: Corpus) -> None:
    """Raises Unusable where nothing can be read of what has just come; the draft is gone then. What
    can't be told in the time of a request is told later, by its prepare page."""
    if corpus.unstored:
        return
    try:
        guesses.sniff(corpus)
    except file_formats.looking.Exhausted:
        return
    except file_formats.Unreadable as error:
        discard(corpus)
        raise storing.Unusable(error.message) from None


def discard(corpus: Corpus) -> None:
    """Remove a draft that nothing came of, with its files."""
    folder = files.corpus_folder(corpus.pk)
    corpus.delete()
    shutil.rmtree(folder, ignore_errors=True)


def look_by_worker(corpus: Corpus, files_question: guesses.FilesQuestion) -> None:
    """Have a worker look into a draft's files: that takes longer than a page may."""
    stored = Upload.objects.filter(pk=corpus.pk, status=Upload.Status.STORED)
    with transaction.atomic():  # which locks the corpus, as `read` does
        if not Corpus.objects.filter(pk=corpus.pk, status__in=UNREAD).update(
            status=Corpus.Status.DRAFT, error=""
        ):
            return
        if stored.update(
            status=Upload.Status.QUEUED,
            question=asdict(files_question),
            tries=0,
            heartbeat_at=Now(),
        ):
            dispatch.send(kinds.STORE, corpus.pk)


def _begin_storing(upload: Upload, in_background: bool) -> None:
    """Have the files of a new upload stored, here or by a worker, and its row written."""
    if in_background:
        settle(files.corpus_folder(upload.pk))  # before a row says that it is there
        upload.heartbeat_at = timezone.now()  # since when it waits
        dispatch.send(kinds.STORE, upload.pk)
    else:
        storing.record_files(upload)
        storing.finish(upload)
        upload.status = Upload.Status.STORED
    upload.save(force_insert=True)


def retry(corpus_id: int) -> bool:
    """Have a corpus that failed read again. Returns whether there is one that had failed. Raises
    Invalid for one that is not to be read again."""
    corpus = Corpus.objects.filter(pk=corpus_id).first()
    if corpus is None:
        return False
    _check_can_retry(corpus)
    return claims.retry(kinds.READ, corpus_id)


def _check_can_retry(corpus: Corpus) -> None:
    """Raises Invalid for a corpus that was to take the place of another without some documents:
    that one may have changed since."""
    if corpus.is_replacement:
        raise Invalid(
            "corpus",
            "Documents were to be erased by this corpus, and were not. Delete it, and erase them in"
            " the old corpus again.",
        )


def read(corpus: Corpus, reading: ReadingSettings, train_settings: dict | None = None) -> None:
    """Have a draft, or a corpus that failed, read by a worker. Raises Invalid when it is being read
    already.

    train_settings: settings of a run that is trained as soon as it has been read, {} for the usual ones;
    None for no run.
    """
    _check_can_retry(corpus)
    unread = Corpus.objects.filter(pk=corpus.pk, status__in=UNREAD)
    # Words made elsewhere, numbers and single letters among them, are taken as they are
    if reading.options.get("given"):
        reading = replace(reading, numbers=True, min_length=1)
    reading = replace(reading, before=corpus.settings.get("before", []))  # whatever a form says
    reading.choice()
    unchanged = all(
        corpus.settings.get(name) == getattr(reading, name)
        for name in ("options", "language", "shaping")
    )
    with transaction.atomic():
        # Locked, so that no worker is asked to look into the files meanwhile (look_by_worker)
        if (
            not unread.select_for_update(no_key=True).exists()
            or Upload.objects.filter(pk=corpus.pk).exclude(status=Upload.Status.STORED).exists()
        ):
            raise Invalid(
                "name",
                "This corpus is being read already, or has been read. Upload the files again"
                " instead.",
            )
        quotas.check_job(corpus.owner)
        # Since when it waits
        fields = {
            "settings": asdict(reading),
            "error": "",
            "tries": 0,
            "heartbeat_at": Now(),
        }
        if not unchanged:  # else what was read stays read: other words are chosen from it
            fields |= {"progress": {}, "bytes_read": 0, "documents_read": 0}
            corpus.files.update(
                read=False, error="", items=0, documents=0, first=None, problems=0, encoding=""
            )
        unread.update(
            status=Corpus.Status.QUEUED,
            name=corpus.name,
            unit=corpus.unit,
            train_settings=train_settings,
            **fields,
        )
        # They are the corpus's settings now
        Upload.objects.filter(pk=corpus.pk).update(choices=None)
        dispatch.send(kinds.READ, corpus.pk)


def create_subset(
    parent: Corpus,
    numbers: np.ndarray,
    name: str,
    reading: ReadingSettings,
    provenance: Provenance,
    owner: User | None = None,
    train_settings: dict | None = None,
) -> Corpus:
    """A corpus of some documents of another, queued: a worker copies and counts them anew
    (webapp.intake.ingest.subset).

    numbers: int64, ascending. provenance: in words and as an address which they are; parent's name
    and digest are added. owner: by default the local one. The part is under embargo where its
    parent is. train_settings: as in `read`.
    """
    if not len(numbers):
        raise Invalid("name", "There is no document in this set. Choose another.")
    report = parent.version.report if parent.version else {}
    provenance_of_subset: Provenance = provenance | {
        "parent": {"id": parent.pk, "name": parent.name, "digest": report.get("digest", "")},
        "documents": len(numbers),
        "of": parent.documents,
    }
    with transaction.atomic():
        files.storing()
        # Locked, so that an embargo finds all parts.
        withheld = (
            Corpus.objects.select_for_update(no_key=True)
            .values_list("embargo", flat=True)
            .get(pk=parent.pk)
        )
        owner = owner or User.objects.local()
        quotas.check_job(owner)
        corpus = Corpus.objects.create(
            owner=owner,
            name=name[:200],
            parent=parent,
            provenance=provenance_of_subset,
            embargo=withheld,
            status=Corpus.Status.QUEUED,
            train_settings=train_settings,
            settings=asdict(replace(reading, before=inherited(parent.settings))),
        )
        folder = files.corpus_folder(corpus.pk)
        folder.mkdir(parents=True)
        np.save(folder / NUMBERS, np.asarray(numbers, np.int64))
        settle(folder)
        dispatch.send(kinds.READ, corpus.pk)
    return corpus


def copy_as_draft(corpus: Corpus) -> Corpus:
    """A draft of the same files, to be read in another way: its settings are the corpus's, which
    stays as it is with its runs.

    No file is copied: both have a name of it (a hard link), and it goes with the last one. A draft
    that is there already is returned.
    """
    _check_has_files(corpus, "corpus")
    if corpus.status != Corpus.Status.READY:
        raise Invalid("corpus", f"The files of “{corpus.name}” have not been read yet.")
    if not (count := corpus.files.count()):
        raise Invalid("corpus", f"The files of “{corpus.name}” are not kept. Upload them again.")
    words = VocabularySettings.from_dict(corpus.version.settings if corpus.version else {})
    now = ReadingSettings.from_dict(corpus.settings)
    reading = asdict(
        replace(
            now, **asdict(words), added=[], before=[*now.before, *columns_read(corpus.settings)]
        )
    )
    with transaction.atomic():
        files.storing()
        current = lock_for_draft(corpus.pk)  # who asks at the same time finds the draft, too
        if draft := _unread_copy(corpus, count):
            return draft
        draft = Corpus.objects.create(
            owner=current.owner,
            name=current.name,
            parent=corpus,
            embargo=current.embargo,
            settings=reading,
            bytes_total=corpus.files.aggregate(size=Sum("bytes"))["size"],
        )
        files.corpus_folder(draft.pk).mkdir(parents=True)
        _begin_storing(Upload(corpus=draft), count > storing.FEW_UPLOADS)
    return draft


def _check_has_files(corpus: Corpus, field: str) -> None:
    """Raises Invalid, about `field`, for a corpus that was copied from another one."""
    if corpus.is_part:
        raise Invalid(
            field,
            f"“{corpus.name}” is a part of another corpus, which has the files. Open that one.",
        )
    if not corpus.has_own_files:
        raise Invalid(
            field,
            f"The files of “{corpus.name}” went when documents of it were erased. Upload files to"
            " make a new corpus of them.",
        )


def _unread_copy(corpus: Corpus, count: int) -> Corpus | None:
    """The draft of the same files, of which there are so many, that is there already; None where
    there is none, or files were added since."""
    unread = corpus.parts.filter(HAS_OWN_FILES).exclude(
        status__in=(Corpus.Status.READY, Corpus.Status.FAILED)
    )
    draft = unread.order_by("-pk").first()
    if draft is None or draft.status != Corpus.Status.DRAFT:
        return None
    is_whole = draft.unstored or draft.files.count() == count
    return draft if is_whole else None


def lock_for_draft(corpus_id: int) -> Corpus:
    """A corpus of which a draft is made, as it is now: locked until the transaction ends, so that
    an embargo, and another owner, find all drafts; before its owner, as whoever changes a corpus
    does (quotas). Raises Invalid where it is gone."""
    current = Corpus.objects.select_for_update(no_key=True).filter(pk=corpus_id).first()
    if current is None:
        raise Invalid("corpus", "This corpus has just been deleted.")
    return current


def create_addition(
    corpus: Corpus, received: Iterable[ReceivedFile], in_background: bool = False
) -> Corpus:
    """A draft of files that are to be added to a corpus that is ready, with its settings;
    `add_files` has them read.

    in_background: as in `create`. Raises Invalid where no file came, or to a corpus to which none
    can be added.
    """
    versions.check_can_choose(corpus)
    _check_has_files(corpus, "files")
    now = ReadingSettings.from_dict(corpus.settings)
    shaping = now.shaping | {"table": "", "key": ""} if now.shaping else {}
    reading = asdict(replace(now, shaping=shaping, added=[]))
    with transaction.atomic():
        current = lock_for_draft(corpus.pk)
        return create(
            corpus.name,
            received,
            current.owner,
            in_background,
            added_to=corpus,
            settings=reading,
            embargo=current.embargo,
        )


def add_files(draft: Corpus, reading: ReadingSettings) -> Version:
    """Have the files of an addition read into its corpus, as `reading` says; a version with their
    documents follows.

    The files themselves come with it: whoever makes the version gives the corpus names of them
    first (storing.join_additions). Runs on older versions stay as they are. Raises Invalid where
    another version is being made, or the files are not of a kind.
    """
    corpus = draft.added_to
    if corpus is None:
        raise Invalid("files", "These files are to be added to no corpus: have them read instead.")
    before = ReadingSettings.from_dict(corpus.settings)
    if bool(reading.options.get("given")) != bool(before.options.get("given")):
        theirs, these = (
            ("words that were counted elsewhere", "texts")
            if before.options.get("given")
            else ("texts", "words that were counted elsewhere")
        )
        raise Invalid(
            "files",
            f"“{corpus.name}” holds {theirs}, and these files hold {these}: make a corpus of their"
            " own of them.",
        )
    with transaction.atomic():
        version = versions.choose_again(corpus)  # which locks the corpus
        corpus.refresh_from_db()
        first = _next_position(corpus)
        now = ReadingSettings.from_dict(corpus.settings)
        # A field that is there already stays of its type.
        types = reading.options.get("kinds", {}) | now.options.get("kinds", {})
        addition = {
            "first": first,
            "options": reading.options | {"kinds": types},
            "shaping": reading.shaping,
        }
        changed = asdict(
            replace(now, options=now.options | {"kinds": types}, added=[*now.added, addition])
        )
        Corpus.objects.filter(pk=corpus.pk).update(
            settings=changed, bytes_total=F("bytes_total") + draft.bytes_total
        )
        Upload.objects.filter(pk=draft.pk).update(status=Upload.Status.JOINING, position=first)
    return version


def _next_position(corpus: Corpus) -> int:
    """The position behind its files, and behind those of additions that have not been joined
    yet."""
    last = corpus.files.aggregate(last=Max("position"))["last"]
    joining = Upload.objects.filter(corpus__added_to=corpus, status=Upload.Status.JOINING)
    ends = joining.annotate(end=F("position") + Count("corpus__files")).values_list(
        "end", flat=True
    )
    return max([0 if last is None else last + 1, *ends])


def retry_failed_files(corpus: Corpus) -> Version:
    """Have the files that could not be read tried again, and no others. Raises Invalid where there
    is none."""
    failed = corpus.files.exclude(error="")
    with transaction.atomic():
        size = failed.aggregate(size=Sum("bytes"))["size"]
        if size is None:
            raise Invalid("files", "No file of this corpus failed.")
        version = versions.choose_again(corpus)
        failed.update(read=False, error="")
        Corpus.objects.filter(pk=corpus.pk).update(bytes_total=F("bytes_total") + size)
    return version


def create_first_example() -> None:
    """The example for the local owner of a Topograph that never had a corpus, so that there is
    something to look at.

    Nothing happens with accounts, or where settings.EXAMPLE is off.
    """
    if settings.ACCOUNTS or not settings.EXAMPLE:
        return
    try:
        with transaction.atomic():
            # One worker does it
            owner = User.objects.select_for_update().get(pk=User.objects.local().pk)
            if not tuples("SELECT is_called FROM webapp_corpus_id_seq")[0][0]:
                create_example(owner)
    finally:
        connection.close()  # of this thread


def create_example(owner: User | None = None) -> Corpus:
    """The example corpus, queued for reading with settings that fit it; a run of few passes
    follows. Raises Invalid where its owner may not have more, and keeps nothing then."""
    copy = settings.FILE_UPLOAD_TEMP_DIR / f"example-{os.getpid()}-{os.urandom(4).hex()}"
    shutil.copyfile(EXAMPLE, copy)
    # In one transaction: a draft that is not read would be what the next press leads to
    with transaction.atomic():
        corpus = create(EXAMPLE_NAME, [ReceivedFile(EXAMPLE.name, copy)], owner)
        try:
            read(
                corpus,
                ReadingSettings(options=asdict(guesses.sniff(corpus).options), language="en"),
                train_settings={"passes": EXAMPLE_PASSES},
            )
        except BaseException:  # its row goes with the transaction
            shutil.rmtree(files.corpus_folder(corpus.pk), ignore_errors=True)
            raise
    return corpus
