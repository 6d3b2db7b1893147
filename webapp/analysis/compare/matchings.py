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

# pairs of topics that a request compares at once, in tenths of a second; of more a worker does
QUICK = 40_000
# matchings that a web process remembers: some ten kilobytes each, of 2,000 topics a hundred
KEPT = 128
# comparisons that may wait or be at work; others are asked for again by the pages that wait for
# them
WAITING = 50
OF_ONE = (
    20  # of these, of one user, and of all guests together: a page of the most runs asks for 14
)
STORED = 5_000  # comparisons in the table, the newest: of 2,000 topics some hundred kilobytes each

_one_at_a_time = (
    threading.Lock()
)  # a second reader of the same pair waits for the first one's result


@dataclass
class NotYet(Exception):
    """Two runs that a worker compares, or is to, or could not. done: from 0 to 1. key: of the row,
    None while others go first."""

    a: int
    b: int
    status: str
    done: float = 0.0
    error: str = ""
    key: int | None = None


def _snapshots(a: Run, b: Run) -> list[int]:
    return sorted(run.snapshot_id for run in (a, b) if run.snapshot_id is not None)


def matched(a: Run, b: Run, by: int | None = None) -> matching.Matching:
    """Their present topics. Both have a snapshot. by: the user who asks. Raises NotYet where a
    worker has to do it."""
    first, second = _snapshots(a, b)
    if a.topics * b.topics <= QUICK:
        with _one_at_a_time:
            between = _quick(first, second)
    else:
        if (between := _kept.get_or_set((first, second), partial(_read, first, second))) is None:
            raise _asked(a, b, by)
    return between if first == a.snapshot_id else between.turned()


def not_yet(pairs: Iterable[tuple[Run, Run]], by: int | None) -> list[NotYet]:
    """Of some pairs those that a worker compares, or is to; it is asked for all of them."""
    waiting: dict[tuple[int, int], NotYet] = {}
    for a, b in pairs:
        try:
            matched(a, b, by)
        except NotYet as state:
            waiting.setdefault((min(a.pk, b.pk), max(a.pk, b.pk)), state)
    return list(waiting.values())


def again(key: int) -> bool:
    """Queue a comparison that failed; False where it did not, or not any more."""
    return claims.retry(kinds.COMPARE, key)


@cached(KEPT)
def _quick(first: int, second: int) -> matching.Matching:
    return matching.match(*_topics(first, second))


def _topics(first: int, second: int) -> tuple:
    snapshots = Snapshot.objects.select_related("run__version").in_bulk([first, second])
    if len(snapshots) < len({first, second}):
        raise Invalid(
            "run", "A run has just published newer topics, or was deleted. Reload the page."
        )
    a, b = snapshots[first], snapshots[second]
    return weights.topics(a), weights.topics(b), *weights.words(a.run, b.run)


_kept = BoundedCache(KEPT, weigh=lambda between: 1)


def _read(first: int, second: int) -> matching.Matching | None:
    row = Comparison.objects.filter(
        first=first, second=second, status=Comparison.Status.READY
    ).first()
    if row is None:
        return None
    data = row.data or {}
    fields: dict[str, Any] = {name: np.array(data[name], dtype) for name, dtype in _ARRAYS.items()}
    fields |= {
        name: [(whole, parts) for whole, parts in data[name]] for name in ("splits", "merges")
    }
    return matching.Matching(**fields)


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


def _asked(a: Run, b: Run, by: int | None) -> NotYet:
    """How far a worker is, who is asked where nobody was."""
    first, second = _snapshots(a, b)
    if (row := Comparison.objects.filter(first=first, second=second).first()) is None:
        waiting = Comparison.objects.filter(status__in=("queued", *kinds.COMPARE.active))
        if waiting.filter(by_id=by).count() >= OF_ONE or waiting.count() >= WAITING:
            return NotYet(a.pk, b.pk, Comparison.Status.QUEUED)
        with transaction.atomic():
            row, made = Comparison.objects.get_or_create(
                first_id=first,
                second_id=second,
                defaults={"by_id": by, "size": a.topics * b.topics},
            )
            if made:
                dispatch.send(kinds.COMPARE, row.pk)
    return NotYet(a.pk, b.pk, row.status, row.done, row.error, row.pk)


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
    data = {name: getattr(between, name).tolist() for name in _ARRAYS} | {
        "splits": between.splits,
        "merges": between.merges,
    }
    claims.update(kinds.COMPARE, key, attempt, status=Comparison.Status.READY, data=data, done=1.0)
    for last in Comparison.objects.order_by("-pk").values_list("pk", flat=True)[
        STORED - 1 : STORED
    ]:
        Comparison.objects.filter(
            pk__lt=last, status__in=(Comparison.Status.READY, Comparison.Status.FAILED)
        ).delete()
