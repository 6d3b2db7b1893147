"""Several runs in one table: what was measured of each, and how many of its topics another run has,
too."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from datetime import timedelta
from typing import Any

import numpy as np
from django.utils import timezone

from inference import engines
from webapp.analysis.compare import matchings
from webapp.core.results import measures
from webapp.models import Metric, Run
from webapp.platform.storage.csv_table import CsvTable


@dataclass(frozen=True)
class Measured:
    """A run as the table has it; None: not measured, or not yet.

    run: its number. engine, label: the engine's name, and what forms call it. K: topics; in_use:
    how many of them it uses, None: all. version: number of the words that it was trained on. step,
    steps: done, and of all. held_out, left_to_right: nats per token of documents that were held
    out. npmi, umass: means over the topics that have words. nonzero: share of the topics'
    parameters that hold tokens. seconds: of training. matched, only_here: of its topics in use,
    those with a partner among the reference's, and those without. only_there: of the reference's
    topics in use, those without a partner here. None for the reference itself, and until a worker
    has compared the two.
    """

    run: int
    engine: str
    label: str
    K: int
    in_use: int | None
    seed: int
    version: int
    status: str
    step: int
    steps: int
    held_out: float | None = None
    left_to_right: float | None = None
    npmi: float | None = None
    umass: float | None = None
    nonzero: float | None = None
    seconds: float | None = None
    matched: int | None = None
    only_here: int | None = None
    only_there: int | None = None

    @property
    def done(self) -> bool:
        return self.status == Run.Status.DONE

    @property
    def waits(self) -> bool:
        """Or trains, or is being stored."""
        return self.status in (Run.Status.QUEUED, Run.Status.RUNNING, Run.Status.STORING)


COLUMNS = tuple(field.name for field in fields(Measured))  # of the file
# From the end of a run until it is measured from left to right, which takes 2 s on a core
# (webapp.core.runs.left_to_right)
LEFT_TO_RIGHT_WITHIN = timedelta(minutes=2)
LARGER_IS_BETTER = ("held_out", "left_to_right", "npmi", "umass")


def table(runs: Sequence[Run], reference: Run | None) -> list[Measured]:
    """A row for each run, in their order. reference: the one of them whose topics are looked for in
    the others, None: none is compared."""
    points = Metric.objects.filter(run__in=list(runs)).defer("topic_coherence")
    last_of_each_run = points.order_by("run", "-step").distinct("run")
    last_point = {point.run_id: point for point in last_of_each_run}
    return [_measure_run(run, last_point.get(run.pk), reference) for run in runs]


def with_words(run: Run) -> np.ndarray:
    """bool[K]: topics to which a finished run gave at least one word of a document."""
    return measures.of(run)["tokens"] > 0


def final(run: Run) -> bool:
    return run.status == Run.Status.DONE and run.final


def left_to_right_comes(run: Run) -> bool:
    """Whether a worker may still be measuring it: that begins when the topics can be read."""
    if not final(run) or run.snapshot is None or run.finished_at is None:
        return False
    if run.snapshot.left_to_right is not None:
        return False
    return timezone.now() - run.finished_at < LEFT_TO_RIGHT_WITHIN


def _measure_run(run: Run, point: Metric | None, reference: Run | None) -> Measured:
    values: dict[str, Any] = {}
    if point is not None:
        values |= {"held_out": point.held_out, "umass": point.coherence, "nonzero": point.nonzero}
    if final(run) and run.snapshot is not None:
        values |= _of_topics(run)
        values["left_to_right"] = run.snapshot.left_to_right
        if reference is not None and reference.pk != run.pk and final(reference):
            with suppress(matchings.Unmatched):
                values |= matched(run, reference)
    return Measured(
        run=run.pk,
        engine=run.engine,
        label=engines.get(run.engine).ABOUT.label,
        K=run.topics,
        in_use=run.in_use,
        seed=run.seed,
        version=run.version.number,
        status=run.status,
        step=run.step,
        steps=run.steps,
        seconds=run.seconds or None,
        **values,
    )


def _of_topics(run: Run) -> dict[str, float | None]:
    """Means over the topics that have words."""
    has_words = with_words(run)
    of_topics = measures.of(run)
    return {
        "npmi": _mean(of_topics["npmi"][has_words]),
        "umass": _mean(of_topics["coherence"][has_words]),
    }


def matched(run: Run, reference: Run) -> dict[str, int]:
    """How many topics with words two finished runs have in common, and how many each has alone."""
    between = matchings.matched(run, reference)
    used_here = with_words(run)
    used_there = with_words(reference)
    has_partner = used_here & (between.partner >= 0)
    in_both = int(used_there[between.partner[has_partner]].sum())
    return {
        "matched": in_both,
        "only_here": int(used_here.sum()) - in_both,
        "only_there": int(used_there.sum()) - in_both,
    }


def _mean(values: np.ndarray) -> float | None:
    values_known = values[~np.isnan(values)]
    return float(values_known.mean()) if len(values_known) else None


def best_measures(row: Measured, table: Sequence[Measured]) -> list[str]:
    """Names of the measures in which a run that is done is the best of several, which count the
    same words."""
    if not row.done:
        return []
    done = [measured for measured in table if measured.done]
    return [name for name in LARGER_IS_BETTER if _is_best(row, done, name)]


def _is_best(row: Measured, done: Sequence[Measured], name: str) -> bool:
    """Not where all are equally good."""
    values = [getattr(row_done, name) for row_done in done]
    measured = [value for value in values if value is not None]
    if len(measured) < 2 or max(measured) == min(measured):
        return False
    return getattr(row, name) == max(measured)


def csv_table(measured: Iterable[Measured]) -> CsvTable:
    """The table as a file has it."""
    return CsvTable(COLUMNS, map(astuple, measured))
