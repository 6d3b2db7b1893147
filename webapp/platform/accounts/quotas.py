"""How much one user may have: bytes of files, documents, jobs at once. While accounts are off there
is no limit.

Whoever asks for more waits here for everybody else who asks for the same user (the user's row is
locked), so two uploads at once can't both take the last place.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet, Sum

from inference.errors import Invalid, number_of
from webapp.models import GONE, Corpus, SourceFile, Upload, User
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.jobs import kinds

MORE = "Delete what is not needed any more, for good, or ask whoever runs this Topograph for more."


class Over(Invalid):
    """More bytes than a user may have."""


@dataclass(frozen=True)
class Limits:
    """None: as much as there is."""

    bytes: int | None
    documents: int | None
    jobs: int | None
    students: int | None = None


def limits(user: User) -> Limits:
    """The user's own, else the installation's (TOPOGRAPH_MOST_…)."""
    if not settings.ACCOUNTS:
        return Limits(None, None, None)
    own_limits = {name: getattr(user, f"most_{name}") for name in settings.MOST}
    return Limits(
        **settings.MOST
        | {name: own_limit for name, own_limit in own_limits.items() if own_limit is not None}
    )


def used(user: User) -> dict[str, int]:
    """Bytes of files that are kept, documents that were read, jobs that wait or run. What is
    deleted counts until it is gone for good."""
    return _used_amounts(_kept_corpora(user)) | {"jobs": _jobs(user)}


def _used_amounts(corpora: QuerySet[Corpus]) -> dict[str, int]:
    unstored = Upload.everything.exclude(status=Upload.Status.STORED).values("corpus")
    stored = SourceFile.objects.filter(corpus__in=corpora.exclude(pk__in=unstored))
    arriving = corpora.filter(pk__in=unstored)
    return {
        "bytes": _sum(stored, "bytes") + _sum(arriving, "bytes_total"),
        "documents": _sum(corpora, "documents_read"),
    }


def _sum(rows: QuerySet, column: str) -> int:
    """0 of no rows."""
    return rows.aggregate(n=Sum(column))["n"] or 0


def _kept_corpora(user: User):
    return Corpus.everything.filter(owner=user).exclude(deleted_at=GONE)


def _jobs(user: User) -> int:
    return sum(
        kind.unfinished.filter(**{kind.owner: user}).count()
        for kind in kinds.KINDS
        if kind.counts_for_quota
    )


def check_bytes(user: User, more: int, arriving: Callable[[], int] = lambda: 0) -> None:
    """Within a transaction that keeps `more` bytes; `arriving` says those of uploads that have
    begun. Raises Over."""
    if (limit := limits(user).bytes) is None:
        return
    one_at_a_time(user)
    has = used(user)["bytes"] + arriving()
    if has + more > limit:
        raise Over(
            "files",
            f"Your files may take up {byte_size(limit)} in all. They take up {byte_size(has)}, and these would"
            f" add {byte_size(more)}. {MORE}",
        )


def check_documents(corpus: Corpus, documents: int) -> None:
    """Within the transaction that puts on record that a corpus has come to have so many. Raises
    Invalid.

    Whose it is, is asked anew: it may have been handed over since reading began.
    """
    if not settings.ACCOUNTS:
        return
    user = User.objects.get(corpora=corpus.pk)
    if (limit := limits(user).documents) is None:
        return
    # The corpus is locked before its owner, as whoever changes a corpus does
    Corpus.everything.select_for_update(no_key=True).get(pk=corpus.pk)
    one_at_a_time(user)
    # One that takes the place of another, without some documents, needs no more room
    others = _kept_corpora(user).exclude(pk__in=[corpus.pk, corpus.replaces_id or corpus.pk])
    left = limit - _sum(others, "documents_read")
    if documents > left:
        raise Invalid(
            "documents",
            f"Your corpora may have {number_of(max(0, left), 'document')} more, and this one has at least"
            f" {documents:,}. {MORE}",
        )


def check_corpus(user: User, corpus: Corpus) -> None:
    """Within the transaction that makes a corpus, with drafts of what is to be added, another
    user's. Raises Invalid."""
    user_limits = limits(user)
    if user_limits.bytes is None and user_limits.documents is None:
        return
    one_at_a_time(user)
    has = used(user)
    come = _used_amounts(
        Corpus.everything.filter(Q(pk=corpus.pk) | Q(added_to=corpus.pk)).exclude(owner=user)
    )
    for name, subject, sentence, limit in (
        ("bytes", "files", byte_size, user_limits.bytes),
        ("documents", "documents", lambda n: f"{n:,}", user_limits.documents),
    ):
        if limit is None or has[name] + come[name] <= limit:
            continue
        may_have = f"{user.name} may have {sentence(limit)} of {subject}"
        of_corpus = f"“{corpus.name}” has {sentence(come[name])}"
        raise Invalid("owner", f"{may_have}, has {sentence(has[name])}, and {of_corpus}. {MORE}")


def check_job(user: User, more: int = 1) -> None:
    """Within a transaction that queues `more` jobs. Raises Invalid where they are too many
    together."""
    if (limit := limits(user).jobs) is None:
        return
    one_at_a_time(user)
    if (has := _jobs(user)) + more > limit:
        requested = f", and these would be {more:,} more" if more > 1 else ""
        raise Invalid(
            "jobs",
            f"{limit:,} of your jobs may wait or run at once, and {has:,} do{requested}. Wait until one"
            " is done, or stop one.",
        )


def one_at_a_time(user: User) -> None:
    """Wait for whoever asks for the same user, up to the end of their transaction; those after wait
    for this one's."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("a quota is only kept within the transaction that uses it")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
