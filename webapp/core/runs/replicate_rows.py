"""Rows of the short and the repeated trainings that a run is compared with: with other seeds
(webapp.core.runs.replicates) and with other numbers of topics (webapp.core.runs.how_many)."""

from collections.abc import Sequence

from django.db.models import QuerySet

from webapp.models import Replicate, Run

SEEDS_END = 1 << 63  # behind the largest seed that the database's integers hold


def following_seed(run: Run, i: int) -> int:
    """The seed of a training that is i behind the run's own."""
    return (run.seed + i) % SEEDS_END


def queue(new_rows: Sequence[Replicate], rows: QuerySet[Replicate]) -> None:
    """Store what is not there yet, and queue again what failed. rows: all of the same kind. Within
    a transaction."""
    Replicate.objects.bulk_create(new_rows, ignore_conflicts=True)
    rows.filter(status=Replicate.Status.FAILED).update(
        status=Replicate.Status.QUEUED, error="", tries=0
    )
