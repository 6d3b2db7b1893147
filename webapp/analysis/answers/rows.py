"""What is stored of a run's present topics beside them: findings of sets, and answers that a worker
made. Each is a StoredResult, named by its key."""

from io import BytesIO
from typing import Any

import numpy as np

from webapp.core.results import family_tree
from webapp.models import Run, StoredResult

MOST_ROWS = 50  # of sets and of answers together that are kept of a run, the newest


def trained(run_id: int) -> Run | None:
    """A run that is done; None where it is not there any more."""
    runs = Run.objects.select_related("corpus__version", "version__corpus", "snapshot")
    return runs.filter(pk=run_id, snapshot__final=True).first()


def keep(run: Run, key: str, **fields) -> None:
    """Store the row of a run's present topics that has this key. Of rows of sets and of answers
    together, whatever they answer, the newest MOST_ROWS stay: the others go, and are computed again
    when somebody asks."""
    StoredResult.objects.update_or_create(snapshot=run.snapshot, key=key, defaults=fields)
    of_sets_and_answers = (
        StoredResult.objects.filter(snapshot=run.snapshot_id)
        .exclude(key__in=family_tree.KEYS_OF_ALL)
        .order_by("-made_at")
    )
    StoredResult.objects.filter(
        pk__in=list(of_sets_and_answers.values_list("pk", flat=True)[MOST_ROWS:])
    ).delete()


def keep_answer(
    run: Run, key: str, *, method: int, data: dict[str, Any], arrays: dict[str, Any]
) -> None:
    """Store an answer that a worker made: its numbers and names (data), and its arrays."""
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    keep(run, key, method=method, data=data, arrays=file.getvalue())


def read_answer(
    run: Run, key: str, method: int
) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """(data, arrays) as keep_answer took them; None where nothing is stored, or an older program
    answered in another way."""
    rows = StoredResult.objects.filter(snapshot=run.snapshot_id, key=key, method=method)
    row = rows.first()
    if row is None:
        return None
    with np.load(BytesIO(row.arrays or b"")) as file:
        return row.data, {name: file[name] for name in file.files}
