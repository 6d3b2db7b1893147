"""For whom texts that are under embargo are read: said once, by the middleware of a request, where a
worker begins a task (tasks/celery.py) or where a command does (webapp/management/base.py), and asked
wherever texts are given out. Where nobody has said it, nothing is given out."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from django.conf import settings as configuration

from webapp.models import Corpus
from webapp.platform.accounts import lineage, readings
from webapp.platform.accounts.roles import SHARED_CORPUS, Person, grants

# All readers of a corpus as a reader (TextShown.reader), followed by its number
ALL_READERS = "corpus "


class ReaderUnknown(Exception):
    """Texts under embargo are asked for, and nobody has said who reads them: what is shown would be
    counted for nobody."""


class _Reader(NamedTuple):
    person: Callable[[], Person] | None  # None: the program itself reads
    known: dict[int, tuple[str, ...]]  # corpus -> `readers`, as they were asked for


_reader: ContextVar[_Reader | None] = ContextVar("reader", default=None)  # None: nobody has said


def read_by(person: Callable[[], Person]) -> None:
    """From here on texts are shown to a person: to the end of the request whose middleware calls
    this, a response that streams included."""
    _reader.set(_Reader(person, {}))


def reading(person: Person) -> AbstractContextManager[None]:
    """Texts are shown to a person in here."""
    return _reading(person)


def as_program() -> AbstractContextManager[None]:
    """In here texts are shown to nobody: the program itself reads them, and nothing is counted."""
    return _reading(None)


@contextmanager
def _reading(person: Person | None) -> Iterator[None]:
    token = _reader.set(_Reader((lambda: person) if person else None, {}))
    try:
        with readings.reading(person):
            yield
    finally:
        _reader.reset(token)


def readers(corpus: Corpus) -> tuple[str, ...]:
    """For whom what is shown of a corpus's texts is counted (TextShown.reader): the account, or all
    readers of the links or of what is public together, and all readers of the corpus. () where
    nothing is: for its owner, the program itself, and while accounts are off.

    Of a part of a corpus its owner counts as a reader, unless the corpora that it comes from are
    theirs, too; and what they let others read of it counts as read by them. Raises ReaderUnknown
    where nobody has said who reads.
    """
    if not (corpus.embargo and configuration.ACCOUNTS):
        return ()
    reader = _reader.get()
    if reader is None:
        raise ReaderUnknown(
            f"Texts of corpus {corpus.pk} are read by nobody who is known: what answers no request"
            " reads them in embargo.as_program()."
        )
    if reader.person is None:
        return ()
    if corpus.pk not in reader.known:
        reader.known[corpus.pk] = _readers(corpus, reader.person())
    return reader.known[corpus.pk]


def _readers(corpus: Corpus, person: Person) -> tuple[str, ...]:
    origin = lineage_of(corpus)
    user = {f"user {person.user}"} if person.user else set()
    if person.user and origin.owners == {person.user}:
        return ()
    vouching = {f"user {owner}" for owner in origin.owners if owner not in (None, origin.owner)}
    vouching.add(all_readers_of(origin))
    shared = Corpus.everything.filter(pk=corpus.pk).values(shared=SHARED_CORPUS)
    budgets = [
        row
        for grant in grants(person)
        for row in grant.filter(granted__in=shared).values_list("to_user", "to_link")
    ]
    if not any(to_user is not None for to_user, _ in budgets):
        vouching |= {f"link {link}" for _, link in budgets} or {"public"}
    return tuple(sorted(user | vouching))


class Lineage(NamedTuple):
    """The corpora that a corpus was taken from, itself included."""

    # From which all others were taken; where it is gone for good the oldest that is there
    first: int
    owner: int | None  # of the first; None where it is gone
    owners: set[int | None]


def lineage_of(corpus: Corpus) -> Lineage:
    line = lineage.line_of(corpus.pk)
    first = line[-1]
    owner = None if first.is_orphan else first.owner
    return Lineage(first.pk, owner, {owner, *(ancestor.owner for ancestor in line)})


def all_readers_of(origin: Lineage) -> str:
    """For whom it is counted what all readers of a corpus, and of what was taken from it, were
    shown together (TextShown.reader)."""
    return f"{ALL_READERS}{origin.first}"
