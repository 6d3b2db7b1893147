"""Erasure by a data subject: all documents whose columns name a person are found, and taken out of
a corpus with all that was made of them (docs/erasure.md).

Files of corpora, versions and runs never change, and a model has learned from all of its documents
together. So the corpus is made again of all other documents, by the rows that are there (`erase`),
and takes the place of the old one when it is ready (`finish`): it gets its name, its rights, and
its record of reading. The old one is then deleted for good, with its files, versions, runs and
exports. Passages of the erased documents in notebooks are emptied. The person's name is stored
nowhere.
"""

import json
import re
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from inference.errors import Invalid
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.models import (
    HAS_OWN_FILES,
    Corpus,
    Course,
    GroupRole,
    Invitation,
    Link,
    Membership,
    Pin,
    Provenance,
    Reading,
    Run,
    TextReader,
    TextShown,
    Upload,
    User,
)
from webapp.platform.accounts import embargo
from webapp.platform.jobs import kinds
from webapp.platform.storage import files
from webapp.platform.tries import try_each
from webapp.service.corpora import deletion

log = structlog.get_logger(__name__)

MOST_VALUES = 500  # that one search lists
MOST_NAMES = 20
CORPORA_AT_A_TIME = 20  # corpora that take the place of others at a time
EMPTIED = "An erased text"  # the title of its passages in notebooks
CHANGED = (  # why a corpus is not replaced
    "Documents were added to “{name}” while it was made again without the erased ones. Nothing was"
    " erased: delete this corpus, and erase them there again."
)
LONGEST_NAME = 170  # characters of a corpus's name before what is added to it
PINS = 200  # that are read at a time
RELATED = 100  # corpora with the same texts that the page names


@dataclass(frozen=True)
class NamedValue:
    """A value of a field that names a person. complete: it is the name and nothing else. key: what
    the form sends back of it."""

    field: str
    value: str
    documents: int
    complete: bool
    key: str


def names_in(text: str) -> list[str]:
    """Names, separated by semicolons or on lines of their own. Raises Invalid."""
    names = [" ".join(name.split()) for name in re.split(r"[;\n]", text)]
    names = list(dict.fromkeys(name for name in names if name))
    if not names:
        raise Invalid("names", "Type the name as the columns have it, or a handle, or an address.")
    if len(names) > MOST_NAMES:
        raise Invalid("names", f"Search for at most {MOST_NAMES} names at once, got {len(names)}.")
    if short := next((name for name in names if len(name) < 2), ""):
        raise Invalid("names", f"“{short}” is too short to be found: type two characters or more.")
    return names


def find(corpus: Corpus, names: list[str]) -> list[NamedValue]:
    """Values of all fields in which all words of a name occur, the most frequent first."""
    words_of_names = {_words(name) for name in names}
    return [
        NamedValue(
            row["field"],
            row["value"],
            row["documents"],
            _words(row["value"]) in words_of_names,
            json.dumps([row["field"], row["value"]]),
        )
        for row in embargo.values_naming(corpus, names, MOST_VALUES)
    ]


def _words(text: str) -> tuple[str, ...]:
    return tuple(sorted(re.findall(r"\w+", text.casefold())))


def chosen_documents(corpus: Corpus, keys: list[str]) -> np.ndarray:
    """int64, ascending: documents with any of the chosen values. Raises Invalid."""
    try:
        pairs = [tuple(json.loads(key)) for key in keys[:MOST_VALUES]]
    except (ValueError, TypeError):
        raise Invalid("value", "Choose among the values that were found.") from None
    if not pairs or not all(map(_is_pair, pairs)):
        raise Invalid("value", "Choose at least one of the values that were found.")
    return np.array(embargo.numbers_with(corpus, pairs), np.int64)


def _is_pair(texts: tuple) -> bool:
    if len(texts) != len(("field", "value")):
        return False
    return all(isinstance(text, str) for text in texts)


def related(corpus: Corpus) -> list[Corpus]:
    """Other corpora that may hold the same texts: that it was taken from, and that were taken from
    it. Theirs are not erased here."""
    above: list[Corpus] = []
    before = corpus.parent
    while before is not None and len(above) < RELATED:
        above.append(before)
        before = before.parent
    reached = {corpus.pk}
    below: list[Corpus] = []
    while reached and len(below) < RELATED:
        parts = list(
            Corpus.everything.filter(parent__in=reached, replaces=None).select_related("owner")
        )
        below += parts
        reached = {part.pk for part in parts}
    present = [row for row in (*above, *below) if row.deleted_at is None]
    return present[:RELATED]


def newest_run(corpus: Corpus) -> Run | None:
    """The newest run that is done: a new one may have its settings. None where there is none."""
    return corpus.runs.filter(status=Run.Status.DONE).order_by("-pk").first()


def erase(corpus: Corpus, numbers: np.ndarray, by: User | None, train: bool) -> Corpus:
    """The corpus that will take the place of another, without some documents; it is being made.

    numbers: int64, ascending, of the documents that go. by: who erases; None: the local
    owner. train: whether a run follows, with the settings of the newest. Raises Invalid.
    """
    if corpus.status != Corpus.Status.READY or corpus.version is None:
        raise Invalid("corpus", f"“{corpus.name}” is not ready. Wait until it is.")
    remaining = np.setdiff1d(np.arange(corpus.documents, dtype=np.int64), numbers)
    if len(remaining) == corpus.documents:
        raise Invalid("value", "No document has such a value.")
    if not len(remaining):
        raise Invalid("value", "No document would remain: delete the corpus instead, for good.")
    words = VocabularySettings.from_dict(corpus.version.settings)
    reading = replace(ReadingSettings.from_dict(corpus.settings), **asdict(words), added=[])
    run = newest_run(corpus) if train else None
    with transaction.atomic():
        check_unchanged(corpus)
        new = corpora.create_subset(
            corpus,
            remaining,
            f"{corpus.name[:LONGEST_NAME]}, being made again",
            reading,
            {"sentence": "all but erased ones", "parameters": [], "run": None},
            by,
        )
        Corpus.objects.filter(pk=new.pk).update(
            replaces=corpus,
            train_settings=_same_training(run) if run else None,
        )
    log.info(
        "documents are being erased",
        corpus=corpus.pk,
        part=f"corpus:{new.pk}",
        count=len(numbers),
    )
    return new


def _same_training(run: Run) -> dict[str, Any]:
    """The settings of a run like another, with the topics that were named for it."""
    steering = Steering.of_run(run)
    return {
        "engine": run.engine,
        "seed": run.seed,
        "consensus": steering.join,
        "named": [topic.stored for topic in steering.named],
        **run.settings,
    }


def check_unchanged(corpus: Corpus) -> None:
    """Lock the corpus until the transaction ends, so that no version of it, and no second erasure,
    begins meanwhile. Raises Invalid where one is under way."""
    locked = Corpus.objects.select_for_update(no_key=True).filter(pk=corpus.pk).first()
    if locked is None:
        raise Invalid("corpus", "This corpus has just been deleted.")
    if locked.is_made_again:
        raise Invalid("corpus", "Documents of this corpus are being erased already. Wait for it.")
    if locked.version_id != corpus.version_id or locked.makes_version:
        raise Invalid(
            "corpus",
            f"“{corpus.name}” is changing: documents are added, or words chosen. Wait until it is"
            " ready, and search again.",
        )


def finish() -> None:
    """Corpora that are ready take the place of those that they were made of, which are deleted for
    good. Where the original was deleted meanwhile, the new one is, too, and can be restored. It
    can be repeated. One whose original has other documents by now than it was made of
    fails instead. Done where the uploaded files are, which say the documents of a copy.

    Raises ExceptionGroup where one could not take its place, which keeps no other from it."""
    if not settings.SOURCES:
        return
    ready = Corpus.objects.filter(replaces__isnull=False, status=Corpus.Status.READY)
    try_each(partial(_replace, new) for new in ready.order_by("?")[:CORPORA_AT_A_TIME])


@transaction.atomic
def _replace(new: Corpus) -> None:
    locked = Corpus.everything.select_for_update(no_key=True)
    old = locked.filter(pk__in=[new.replaces_id]).first()
    if old is not None and old.documents != new.provenance["of"]:
        _give_up(new, CHANGED.format(name=old.name))
        return
    was_deleted = old is None or old.deleted_at is not None
    if old is not None:
        _take_over(old, new)
        deletion.delete_corpus(old)
        deletion.expire_now(old)
    Corpus.objects.filter(pk=new.pk).update(replaces=None)
    if was_deleted:
        # Whoever deleted the old one meanwhile wants none; it can be restored, without the erased
        deletion.delete_corpus(new)


def _give_up(new: Corpus, why: str) -> None:
    """The old corpus stays. The run that was to follow, which began when the new one was ready,
    ends."""
    Corpus.objects.filter(pk=new.pk).update(
        status=Corpus.Status.FAILED, error=why, train_settings=None
    )
    for run in new.runs.filter(status__in=kinds.TRAIN.unfinished_statuses):
        runs.cancel(run)


def _take_over(old: Corpus, new: Corpus) -> None:
    remaining = np.load(files.corpus_folder(new.pk) / corpora.NUMBERS)
    erased = np.setdiff1d(np.arange(old.documents, dtype=np.int64), remaining).tolist()
    _empty_pins(old, set(erased))
    digests = [
        bytes.fromhex(row["digest"]) for row in embargo.about(old, erased, "digest").values()
    ]
    _move_shown(old, new, digests)
    _move_readings(old, new, digests)
    Membership.objects.filter(
        corpus=old, user__in=Membership.objects.filter(corpus=new).values("user")
    ).delete()
    Invitation.objects.filter(
        corpus=old, email__in=Invitation.objects.filter(corpus=new).values("email")
    ).delete()
    GroupRole.objects.filter(
        corpus=old, group__in=GroupRole.objects.filter(corpus=new).values("group")
    ).delete()
    for model in (Membership, Invitation, GroupRole, Link, Course):
        model.objects.filter(corpus=old).update(corpus=new)
    _keep_parts(old, new)
    count = old.provenance.get("erased", 0) + len(erased)
    day = timezone.now().date().isoformat()
    Corpus.objects.filter(pk=new.pk).update(
        owner=old.owner_id,
        name=old.name,
        public=old.public,
        embargo=old.embargo,
        reading_kept=old.reading_kept,
        embed_sites=old.embed_sites,
        unit=old.unit,
        offered_to=old.offered_to_id,
        parent=old.parent_id,
        provenance=_provenance(old, new) | {"erased": count, "erased_on": day},
    )


def _keep_parts(old: Corpus, new: Corpus) -> None:
    """Other corpora with the same texts are parts of the new one: an embargo of it reaches them, and
    the next erasure names them. Not what is still copied from the old one: the documents of the new
    one have other numbers."""
    is_made = Q(status=Corpus.Status.READY)
    has_stored_files = Q(HAS_OWN_FILES, upload__status=Upload.Status.STORED)
    parts = Corpus.everything.filter(is_made | has_stored_files, parent=old).exclude(pk=new.pk)
    parts.update(parent=new)


def _provenance(old: Corpus, new: Corpus) -> Provenance:
    """Which documents of what the new corpus has: a part stays a part."""
    if old.is_part:
        return old.provenance | {"documents": new.documents}
    return new.provenance | {"whole": True}


def _move_shown(old: Corpus, new: Corpus, erased: list[bytes]) -> None:
    """What was shown of texts under an embargo counts on. Nothing stays of the erased ones.

    erased: sha256 of their texts."""
    TextShown.objects.filter(corpus=old, digest__in=erased).delete()
    before = f"{embargo.ALL_READERS}{old.pk}"
    after = f"{embargo.ALL_READERS}{new.pk}"
    for model in (TextShown, TextReader):
        model.objects.filter(corpus=old, reader=before).update(reader=after)
        model.objects.filter(corpus=old).update(corpus=new)


def _move_readings(old: Corpus, new: Corpus, erased: list[bytes]) -> None:
    """That somebody opened an erased text stays on record, but not which one."""
    Reading.objects.filter(corpus=old, digest__in=erased).update(document=None, digest=b"")
    Reading.objects.filter(corpus=old, within=old.pk).update(within=new.pk)
    Reading.objects.filter(corpus=old).update(corpus=new)


def _empty_pins(corpus: Corpus, erased: set[int]) -> None:
    """Passages of erased documents that were pinned, by whomever: what they quote goes."""
    of_corpus = Run.everything.filter(corpus=corpus.pk).values_list("pk", flat=True)
    roots = "|".join([f"corpora/{corpus.pk}", *(f"runs/{pk}" for pk in of_corpus)])
    pattern = re.compile(rf"/(?:{roots})/documents/(\d+)\b")
    for pin in Pin.objects.filter(address__regex=rf"^/({roots})/documents/\d").iterator(PINS):
        match = pattern.match(pin.address)
        if match and int(match[1]) in erased:
            Pin.objects.filter(pk=pin.pk).update(
                title=EMPTIED, address="", quote="", start=None, end=None, sentence="", source={}
            )
