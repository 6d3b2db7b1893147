"""What is measured of each topic of a run, as columns: some thousands of rows that never change are
read once."""

import numpy as np

from webapp.models import Run, Topic
from webapp.platform.storage.cache import cached

# Fields of inference.evaluate.diagnostics.TopicMeasures that are stored, by the same names
MEASURED = (
    "npmi",
    "exclusivity",
    "effective_words",
    "document_entropy",
    "rank_1_documents",
    "uniform_distance",
    "corpus_distance",
)
COLUMNS = (
    "share", "tokens", "documents", "coherence", *MEASURED, "floor", "floor_mass", "x", "y", "used", "background", "mixed", "apart",
    "tells",
)  # fmt: skip
_KEPT_SNAPSHOTS = 64  # whose columns a process keeps: of 1,000 topics they are 160 kB


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
