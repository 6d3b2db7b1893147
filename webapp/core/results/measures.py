"""What is measured of each topic of a run, as columns: some thousands of rows that never change are
read once."""

from typing import Literal, NamedTuple, get_args

import numpy as np
from django.db.models import Count, Q

from webapp.models import Run, Topic
from webapp.platform.storage.cache import cached

COLUMNS = (
    "share", "tokens", "documents", "coherence", "npmi", "exclusivity", "effective_words", "document_entropy", "rank_1_documents",
    "uniform_distance", "corpus_distance", "floor", "floor_mass", "x", "y", "used", "background", "mixed", "apart", "tells",
)  # fmt: skip
_KEPT_SNAPSHOTS = 64  # snapshots
Kind = Literal["clear", "mixed", "general"]  # of a topic by its words alone, the clearest first
KINDS: tuple[Kind, ...] = get_args(Kind)


class ClearTopics(NamedTuple):
    """Topics of a snapshot whose words are measured, and of these the clear ones."""

    clear: int
    used: int


def of(run: Run) -> dict[str, np.ndarray]:
    """name of a column of models.Topic -> float64[K], read-only; NaN where nothing is known. {}
    before the first snapshot."""
    return read(run.snapshot_id) if run.snapshot_id else {}


@cached(_KEPT_SNAPSHOTS)
def read(snapshot_id: int) -> dict[str, np.ndarray]:
    """The columns of COLUMNS, float64[K], read-only, NaN for what was not measured; kept for some
    snapshots."""
    rows = Topic.objects.filter(snapshot_id=snapshot_id).order_by("number").values_list(*COLUMNS)
    table = np.array(list(rows), np.float64).reshape(-1, len(COLUMNS))
    table.flags.writeable = False
    return {name: table[:, i] for i, name in enumerate(COLUMNS)}


def kinds(column: dict[str, np.ndarray]) -> list[Kind | None]:
    """The kind of each topic, from the columns of `of`: what topics.verdict looks at first; None
    where nothing is measured."""
    general = column["background"] > 0
    mixed = column["mixed"] > 0
    measured = ~np.isnan(column["exclusivity"])
    numbers = np.where(general, 2, np.where(mixed, 1, 0)).tolist()
    return [
        KINDS[n] if is_measured else None
        for n, is_measured in zip(numbers, measured.tolist(), strict=True)
    ]


def clear_topics(snapshots: list[int]) -> dict[int, ClearTopics]:
    """By final snapshot: `kinds`, counted by the database, as a page lists many runs."""
    measured = Topic.objects.filter(snapshot__in=snapshots, used=True, exclusivity__isnull=False)
    clear_counts = measured.values_list("snapshot").annotate(
        clear=Count("number", filter=Q(mixed=False, background=False)), used=Count("number")
    )
    return {snapshot: ClearTopics(clear, used) for snapshot, clear, used in clear_counts}
