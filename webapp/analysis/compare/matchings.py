"""Which topics of two runs are the same: computed at once where that is quick, else by a worker,
and kept with the pair.

Snapshots never change, so a matching never does: it is found by the numbers of the two, in this
process's memory or in the table Comparison, and goes with either of them.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from django.db import transaction

from inference.errors import Invalid
from inference.explore import matching
from webapp.core.results import weights
from webapp.models import Comparison, Run, Snapshot
from webapp.platform.jobs import claims, dispatch, kinds
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage.cache import BoundedCache, cached

# Pairs of topics that a request compares at once, in tenths of a second; of more a worker does
QUICK_TOPIC_PAIRS = 40_000
# Matchings that a web process remembers: some ten kilobytes each, of 2,000 topics a hundred
REMEMBERED = 128
# Comparisons that may wait or be at work; others are asked for again by the pages that wait for
# them
MOST_WAITING = 50
# Of these, of one user, and of all guests together: a page of the most runs asks for 14
MOST_WAITING_OF_USER = 20
# Comparisons in the table, the newest: of 2,000 topics some hundred kilobytes each
STORED = 5_000

_computing = threading.Lock()  # a second reader of the same pair waits for the first one's result


@dataclass
class Unmatched(Exception):
    """Two runs that a worker compares, or is to, or could not. done: from 0 to 1. error: why it
    could not; notice: what it waits for. key: of the row, None while no worker was asked, as
    others go first."""

    a: int
    b: int
    status: str
    done: float = 0.0
    error: str = ""
    notice: str = ""
    key: int | None = None

    @property
    def has_failed(self) -> bool:
        """Whether it stays so until somebody asks to try again."""
        return self.status == Comparison.Status.FAILED


def _snapshots(first_run: Run, second_run: Run) -> list[int]:
    return sorted(run.snapshot_id for run in (first_run, second_run) if run.snapshot_id is not None)


def matched(first_run: Run, second_run: Run) -> matching.Matching:
    """Their present topics. Both have a snapshot. Raises Unmatched where a worker has to do it, who
    is not asked."""
    first, second = _snapshots(first_run, second_run)
    if first_run.topics * second_run.topics <= QUICK_TOPIC_PAIRS:
        with _computing:
            between = match_quickly(first, second)
    else:
        stored = _remembered.get_or_set((first, second), partial(_read, first, second))
        if stored is None:
            row = Comparison.objects.filter(first=first, second=second).first()
            raise _state(first_run, second_run, row)
        between = stored
    return between if first == first_run.snapshot_id else between.turned()


def matched_or_asked(first_run: Run, second_run: Run, asker: int | None) -> matching.Matching:
    """As `matched`, but where a worker has to do it, it is asked. asker: the user who asks; None:
    a guest. Raises Unmatched."""
    try:
        return matched(first_run, second_run)
    except Unmatched as state:
        if state.key is not None:
            raise
        raise _ask_worker(first_run, second_run, asker) from None


def not_yet(pairs: Iterable[tuple[Run, Run]], asker: int | None) -> list[Unmatched]:
    """The pairs that a worker compares, or is to; it is asked for all of them."""
    waiting: dict[tuple[int, int], Unmatched] = {}
    for first_run, second_run in pairs:
        try:
            matched_or_asked(first_run, second_run, asker)
        except Unmatched as state:
            waiting.setdefault(
                (min(first_run.pk, second_run.pk), max(first_run.pk, second_run.pk)), state
            )
    return list(waiting.values())


def retry(key: int) -> bool:
    """Queue a comparison that failed; False where it did not, or not any more."""
    return claims.retry(kinds.COMPARE, key)


@cached(REMEMBERED)
def match_quickly(first: int, second: int) -> matching.Matching:
    """The topics of two snapshots, matched in this request; the smaller number is first. Raises
    Invalid where one is gone."""
    return matching.match(*_topics(first, second))


def _topics(first: int, second: int) -> tuple:
    snapshots = Snapshot.objects.select_related("run__version").in_bulk([first, second])
    if len(snapshots) < len({first, second}):
        raise Invalid(
            "run", "A run has just published newer topics, or was deleted. Reload the page."
        )
    first_topics = snapshots[first]
    second_topics = snapshots[second]
    return (
        weights.topics(first_topics),
        weights.topics(second_topics),
        *weights.words(first_topics.run, second_topics.run),
    )


_remembered = BoundedCache(REMEMBERED, weigh=lambda between: 1)


def _read(first: int, second: int) -> matching.Matching | None:
    rows = Comparison.objects.filter(first=first, second=second)
    row = rows.filter(status=Comparison.Status.READY).first()
    if row is None:
        return None
    data = row.data or {}
    arrays: dict[str, Any] = {name: np.array(data[name], dtype) for name, dtype in _ARRAYS.items()}
    return matching.Matching(
        **arrays, splits=_as_tuples(data["splits"]), merges=_as_tuples(data["merges"])
    )


def _as_tuples(gathered: list[list]) -> list[tuple]:
    """JSON has lists alone: each topic with those that it was split into, or merged from."""
    return [(topic, parts) for topic, parts in gathered]


_ARRAYS: dict[str, Any] = {
    "partner": np.int32,
    "similarity": np.float64,
    "best_b": np.int32,
    "best_b_similarity": np.float64,
    "best_a": np.int32,
    "best_a_similarity": np.float64,
    "used_a": bool,
    "used_b": bool,
}


def _ask_worker(first_run: Run, second_run: Run, asker: int | None) -> Unmatched:
    """Ask for a comparison that has no row, unless too many wait; how far it is then."""
    if _is_full(asker):
        return _state(first_run, second_run, None)
    first, second = _snapshots(first_run, second_run)
    with transaction.atomic():
        row, is_new = Comparison.objects.get_or_create(
            first_id=first,
            second_id=second,
            defaults={"by_id": asker, "size": first_run.topics * second_run.topics},
        )
        if is_new:
            dispatch.send(kinds.COMPARE, row.pk)
    return _state(first_run, second_run, row)


def _state(first_run: Run, second_run: Run, row: Comparison | None) -> Unmatched:
    """How far a worker is; of two runs without a row none was asked."""
    if row is None:
        return Unmatched(first_run.pk, second_run.pk, Comparison.Status.QUEUED)
    return Unmatched(
        first_run.pk, second_run.pk, row.status, row.done, row.error, row.shown_notice, row.pk
    )


def _is_full(asker: int | None) -> bool:
    """Whether so many comparisons wait that a user's next one has to wait for these."""
    waiting = kinds.COMPARE.unfinished
    if waiting.filter(by_id=asker).count() >= MOST_WAITING_OF_USER:
        return True
    return waiting.count() >= MOST_WAITING


def compare(key: int) -> None:
    """Compare two runs in a worker."""
    run_next(kinds.COMPARE, key, _work)


def _work(key: int, attempt: int, beat: Heartbeat) -> None:
    row = Comparison.objects.get(pk=key)

    def advance(share: float) -> None:
        beat.check()
        claims.update(kinds.COMPARE, key, attempt, done=share)

    with beat.long():
        between = matching.match(*_topics(row.first_id, row.second_id), advance=advance)
    data = {name: getattr(between, name).tolist() for name in _ARRAYS}
    data["splits"] = between.splits
    data["merges"] = between.merges
    claims.update(kinds.COMPARE, key, attempt, status=Comparison.Status.READY, data=data, done=1.0)
    _delete_oldest()


def _delete_oldest() -> None:
    """All that are done but the newest STORED."""
    newest_first = Comparison.objects.order_by("-pk").values_list("pk", flat=True)
    last_to_stay = newest_first[STORED - 1 : STORED].first()
    if last_to_stay is None:
        return
    ended = (Comparison.Status.READY, Comparison.Status.FAILED)
    Comparison.objects.filter(pk__lt=last_to_stay, status__in=ended).delete()
