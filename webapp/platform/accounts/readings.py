"""A record of reading: who opened which text of a corpus, and when, for its owner
(docs/reading-record.md).

It is kept where the owner wishes it, and of every corpus under embargo; there it also says which
passages were shown. Never kept: the words that somebody searched for, what its owner reads, and
anything while accounts are off, as nobody else can reach the program then.

webapp.platform.accounts.embargo, which gives out every text, notes what it gives; the rows are
written once a request, after its answer is made (`keep`). A request never fails because they can't
be written: then the log says so. Of a part of a corpus the record is that of all corpora that it was
taken from, too. Rows are deleted by their age and by their number (`remove_old`).
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

import structlog
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from webapp.models import Corpus, Reading
from webapp.platform.accounts import lineage
from webapp.platform.accounts.roles import Person, links_that_hold

log = structlog.get_logger(__name__)

DAYS = 90  # for which a row is kept; pages and docs/reading-record.md say it
MOST_ROWS = 100_000  # rows of one corpus; older ones are deleted
MOST_OF_REQUEST = 2_000  # rows that one request may write: a table of lines may show very many
WAIT = "1s"  # for which a page waits for the database to write them, at most
SENTENCE = (
    "A record is kept for the owner of these texts: who opens which text, and when.{} It is deleted"
    " after {} days, and has no words that you search for."
)
PASSAGES = " It says which passages you were shown."


class _Noted(NamedTuple):
    """What was shown in one place. digest: sha256 of the text; begin, end: characters, 0 and 0
    where none were shown."""

    corpus: int
    kind: Reading.Kind
    document: int | None = None
    digest: bytes = b""
    begin: int = 0
    end: int = 0
    file: str = ""
    coder: str = ""


class Keeper(NamedTuple):
    """A corpus whose owner has a record of what is read."""

    corpus: int
    passages: bool


@dataclass
class Log:
    """What is read in one request. keepers: corpus -> whose records it belongs to. noted: each place
    once, in their order."""

    person: Callable[[], Person]
    keepers: dict[int, tuple[Keeper, ...]] = field(default_factory=dict)
    noted: dict[_Noted, None] = field(default_factory=dict)


_log: ContextVar[Log | None] = ContextVar("readings", default=None)


def begin(person: Callable[[], Person]) -> Log:
    """From here on it is noted what a person reads, to the end of the request."""
    new = Log(person)
    _log.set(new)
    return new


@contextmanager
def reading(person: Person | None) -> Iterator[None]:
    """What a person reads in here is noted, and written at its end; None: the program reads."""
    new = Log(lambda: person) if person else None
    token = _log.set(new)
    try:
        yield
    finally:
        _log.reset(token)
        if new:
            keep(new)


def keepers(corpus: Corpus) -> tuple[Keeper, ...]:
    """Whose records what is read of a corpus belongs to: its own, and those of the corpora that it
    was taken from. Not of those that the reader owns."""
    current = _log.get()
    if current is None or not settings.ACCOUNTS:
        return ()
    has_ancestors = corpus.parent_id or corpus.is_addition
    if not (has_ancestors or corpus.embargo or corpus.reading_kept):
        return ()
    if corpus.pk not in current.keepers:
        current.keepers[corpus.pk] = _find_keepers(corpus, current.person())
    return current.keepers[corpus.pk]


def _find_keepers(corpus: Corpus, person: Person) -> tuple[Keeper, ...]:
    return tuple(
        Keeper(ancestor.pk, ancestor.embargo)
        for ancestor in lineage.line_of(corpus.pk)
        if (ancestor.embargo or ancestor.reading_kept) and ancestor.owner != person.user
    )


def sentence(corpus: Corpus) -> str:
    """For whoever reads: that it is kept; "" where it is not."""
    owners = keepers(corpus)
    if not owners:
        return ""
    has_passages = any(keeper.passages for keeper in owners)
    return SENTENCE.format(PASSAGES if has_passages else "", DAYS)


# Noting
# ----------------------------------------------------------------------------------------------


def note_opened(
    corpus: Corpus, number: int, digest: bytes, begin: int, end: int, coder: str = ""
) -> None:
    """A text was opened, and its characters begin … end - 1 are shown. coder: the name of whoever
    opened it without an account, to code it."""
    _note(corpus, [_Noted(corpus.pk, Reading.Kind.OPENED, number, digest, begin, end, "", coder)])


def note_passages(corpus: Corpus, passages: Iterable[tuple[int, bytes, int, int]]) -> None:
    """Passages are shown in a list, as (document, digest, first character, behind the last). They
    are noted under an embargo alone."""
    if corpus.embargo:
        kind = Reading.Kind.PASSAGE
        rows_of_passages = (
            _Noted(corpus.pk, kind, number, digest, begin, end)
            for number, digest, begin, end in passages
            if begin < end
        )
        _note(corpus, rows_of_passages)


def note_file(corpus: Corpus, name: str) -> None:
    """A file with texts, or passages, was taken."""
    _note(corpus, [_Noted(corpus.pk, Reading.Kind.FILE, file=name)])


def _note(corpus: Corpus, notes: Iterable[_Noted]) -> None:
    current = _log.get()
    if current is None or not keepers(corpus):
        return
    for noted in notes:
        if len(current.noted) >= MOST_OF_REQUEST:
            current.noted[_Noted(corpus.pk, Reading.Kind.MORE)] = None
            return
        current.noted[noted] = None


def noted() -> tuple[_Noted, ...]:
    """What was noted in this request so far: a page that is cached has it beside it."""
    current = _log.get()
    return tuple(current.noted) if current else ()


def note_again(before: tuple[_Noted, ...]) -> None:
    """A cached page is shown again, to the same reader."""
    current = _log.get()
    if current:
        current.noted |= dict.fromkeys(before)


# Keeping
# ----------------------------------------------------------------------------------------------


def keep(done: Log) -> None:
    """Write what was noted, in one statement, which does not wait for the disk. It never raises for
    the database: an answer is more than its record."""
    if not done.noted:
        return
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = '{WAIT}'")
                cursor.execute("SET LOCAL synchronous_commit = off")
            Reading.objects.bulk_create(_rows(done))
    except DatabaseError as error:
        log.warning(
            "a record of reading could not be kept", count=len(done.noted), error=str(error)
        )
    done.noted.clear()


def _rows(done: Log) -> list[Reading]:
    person = done.person()
    at = timezone.now()
    readings: list[Reading] = []
    links: dict[int, int | None] = {}
    for noted in done.noted:
        link = None
        if person.user is None and person.links and not noted.coder:
            if noted.corpus not in links:
                links[noted.corpus] = _link(noted.corpus, person)
            link = links[noted.corpus]
        for keeper in done.keepers.get(noted.corpus, ()):
            if noted.kind == Reading.Kind.PASSAGE and not keeper.passages:
                continue
            reading_row = Reading(
                corpus_id=keeper.corpus,
                within=noted.corpus,
                at=at,
                by=_kind_of_reader(person, link, noted.coder),
                user_id=person.user,
                link_id=link,
                coder=noted.coder,
                kind=noted.kind,
                document=noted.document,
                digest=noted.digest,
                begin=noted.begin,
                end=noted.end,
                file=noted.file,
            )
            readings.append(reading_row)
    return readings


def _link(corpus: int, person: Person) -> int | None:
    """By which of the links that were followed a corpus is read."""
    followed = links_that_hold().filter(corpus=corpus, pk__in=person.links)
    return followed.values_list("pk", flat=True).first()


def _kind_of_reader(person: Person, link: int | None, coder: str) -> Reading.By:
    if person.user is not None:
        return Reading.By.ACCOUNT
    if coder:
        return Reading.By.CODER
    return Reading.By.PUBLIC if link is None else Reading.By.LINK


def set_kept(corpus: Corpus, on: bool) -> None:
    """Begin the record of a corpus, or end it; what is on record stays until it is too old."""
    Corpus.objects.filter(pk=corpus.pk).update(reading_kept=on)


def remove_old() -> None:
    """Delete rows that are too old, and of each corpus those beyond MOST_ROWS. It can be repeated."""
    Reading.objects.filter(at__lt=timezone.now() - timedelta(days=DAYS)).delete()
    for corpus in Reading.objects.order_by().values_list("corpus", flat=True).distinct():
        newest = Reading.objects.filter(corpus=corpus).order_by("-pk")
        beyond = newest.values_list("pk", flat=True)[MOST_ROWS : MOST_ROWS + 1].first()
        if beyond is not None:
            Reading.objects.filter(corpus=corpus, pk__lte=beyond).delete()
