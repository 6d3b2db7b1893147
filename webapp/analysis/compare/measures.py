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


@dataclass(frozen=True)
class Measured:
    """A run as the table has it; None: not measured, or not yet.

    run: its number. engine, label: the engine's name, and what forms call it. K: topics; in_use:
    how many of them it uses, None: all. version: number of the words that it was trained on. step,
    steps: done, and of all. held_out, left_to_right: nats per token of documents that were held
    out. npmi, umass: means over the topics that have words. nonzero: share of the topics'
    parameters above their prior. seconds: of training. matched, only_here: of its topics in use,
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


# From the end of a run: left to right takes 2 s on a core (webapp.core.runs.left_to_right)
COLUMNS = tuple(field.name for field in fields(Measured))  # of the CSV


def table(runs: Sequence[Run], reference: Run | None) -> list[Measured]:
    """A row for each run, in their order. reference: the one of them whose topics are looked for in
    the others, None: none is compared."""
    points = (
        Metric.objects.filter(run__in=list(runs))
        .order_by("run", "-step")
        .distinct("run")
        .defer("topic_coherence")
    )
    last = {point.run_id: point for point in points}  # of each run's charts
    return [_measured(run, last.get(run.pk), reference) for run in runs]


def with_words(run: Run) -> np.ndarray:
    """bool[K]: topics to which a finished run gave at least one word of a document."""
    return measures.of(run)["tokens"] > 0


def final(run: Run) -> bool:
    return run.status == Run.Status.DONE and run.final


def left_to_right_comes(run: Run) -> bool:
    """Whether a worker may still be measuring it: that begins when the topics can be read."""
    lacks = final(run) and run.snapshot is not None and run.snapshot.left_to_right is None
    return (
        lacks
        and run.finished_at is not None
        and timezone.now() - run.finished_at < timedelta(minutes=2)
    )


def _measured(run: Run, point: Metric | None, reference: Run | None) -> Measured:
    known: dict[str, Any] = {}
    if point is not None:
        known |= {"held_out": point.held_out, "umass": point.coherence, "nonzero": point.nonzero}
    if final(run) and run.snapshot is not None:
        has_words, of_topics = with_words(run), measures.of(run)
        known |= {
            "left_to_right": run.snapshot.left_to_right,
            "npmi": _mean(of_topics["npmi"][has_words]),
            "umass": _mean(of_topics["coherence"][has_words]),
        }
        if reference is not None and reference.pk != run.pk and final(reference):
            with suppress(matchings.NotYet):
                known |= matched(run, reference)
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
        **known,
    )


def matched(run: Run, reference: Run) -> dict[str, int]:
    """How many topics with words two finished runs have in common, and how many each has alone."""
    between = matchings.matched(run, reference)
    here, there = with_words(run), with_words(reference)
    both = [
        k
        for k, other in enumerate(between.partner.tolist())
        if other >= 0 and here[k] and there[other]
    ]
    return {
        "matched": len(both),
        "only_here": int(here.sum()) - len(both),
        "only_there": int(there.sum()) - len(both),
    }


def _mean(values: np.ndarray) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def best(row: Measured, table: Sequence[Measured]) -> list[str]:
    """Names of the measures in which a run that is done is the best of several, which count the
    same words."""
    done = [other for other in table if other.done]
    # More of these is better
    measured = {
        name: [n for other in done if (n := getattr(other, name)) is not None]
        for name in ("held_out", "left_to_right", "npmi", "umass")
    }
    return [
        name
        for name, values in measured.items()
        if row.done and len(values) > 1 and getattr(row, name) == max(values) > min(values)
    ]


def rows(measured: Iterable[Measured]) -> list[list]:
    """The table as a file has it, with its head."""
    return [[*COLUMNS], *(list(astuple(row)) for row in measured)]
