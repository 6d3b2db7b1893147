"""A run as its page watches it: where it is, its charts, its topics as they settle."""

import math

import numpy as np
from django.urls import reverse

from webapp.models import Metric, Run
from webapp.results import topics
from webapp.results.view import RunView
from webapp.runs import series

LINES = 60  # topics up to which the coherence chart draws a line for each; above, bands of quantiles say more
WATCHED = 60  # topics whose words the page shows while they settle: the largest


def about(run: Run) -> dict:
    """A run, in the shape webapp.api.shapes.Run."""
    names = (
        "id",
        "status",
        "error",
        "engine",
        "topics",
        "in_use",
        "seed",
        "settings",
        "versions",
        "step",
        "steps",
        "seconds",
    )
    return {name: getattr(run, name) for name in names} | {
        "corpus": run.corpus_id,
        "created": run.created_at,
        "url": reverse("run", args=[run.pk]),
    }


def state(run: Run, workers: int | None) -> dict:
    """run.json: all that the run's page needs, at any time of the run's life."""
    view, metrics = RunView(run), list(Metric.objects.filter(run=run).order_by("step"))
    seconds, tokens = run.seconds, run.tokens_seen
    left = seconds * (run.steps - run.step) / run.step if run.step and run.status == Run.Status.RUNNING else None
    watched = topics.largest(view, WATCHED) if run.snapshot_id else []
    return {
        "run": about(run),
        "id": run.pk,
        "status": run.status,
        "request": run.request,
        "error": run.error,
        "step": run.step,
        "steps": run.steps,
        "pass": min(run.step * run.settings["passes"] // run.steps + 1, run.settings["passes"]) if run.steps else 0,
        "passes": run.settings["passes"],
        "tokens": tokens,
        "seconds": seconds,
        "left": left,
        "tokens_per_second": tokens / seconds if seconds else None,
        "documents_per_second": _documents(run) / seconds if seconds else None,
        "workers": workers,
        "queue_ahead": Run.objects.filter(status=Run.Status.QUEUED, pk__lt=run.pk).count()
        if run.status == "queued"
        else 0,
        "metrics": _columns(metrics),
        "topics": watched,
        "shown": run.topics if run.in_use is None else run.in_use,
        "hues": [view.labels.hue(k) for k in range(run.topics)] if run.topics <= LINES else None,
        "url_topics": reverse("run_topics", args=[run.pk]),
        "url_events": reverse("run_events", args=[run.pk]),
    }


def _documents(run: Run) -> float:
    """Documents seen so far; a step is one minibatch."""
    return run.step * run.settings["minibatch"]


def _columns(metrics: list[Metric]) -> dict:
    columns = series.columns(metrics)
    few = not metrics or len(metrics[0].topic_coherence) <= LINES
    columns["topic_coherence"] = [metric.topic_coherence for metric in metrics] if few else None
    columns["bands"] = None if few else _bands(metrics)
    return columns


def _bands(metrics: list[Metric]) -> dict:
    """Quantiles of coherence over topics, for each point."""
    names = {"p05": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95}
    points = [[c for c in metric.topic_coherence if c is not None and not math.isnan(c)] for metric in metrics]
    quantiles = [np.percentile(p, list(names.values())) if p else [None] * len(names) for p in points]
    return {name: [None if q[i] is None else float(q[i]) for q in quantiles] for i, name in enumerate(names)}
