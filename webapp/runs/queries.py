"""A run as its page watches it: where it is, its charts, its topics as they form."""

import math

import numpy as np
from django.urls import reverse

from webapp.documents import texts
from webapp.models import FormingStep, Metric, Run
from webapp.results import links
from webapp.results.view import RunView
from webapp.runs import series

LINES = 60  # topics up to which the coherence chart draws a line for each; above, bands of quantiles say more
TOLD = 12  # topics of a step that the page shows with a passage: the largest
WIDTH, HEIGHT, MARGIN = 640, 480, 48  # of the map, in its own units
REACH = 0.6  # how far from the middle of the map a topic may lie: two without a common word are 0.83 apart
LARGEST, SMALLEST = 100, 4  # radius of a topic with all words, and the least of any
LETTER, LINE = 7.2, 17  # width and height of a letter of a label


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


def overview_url(run: Run) -> str:
    """Where a finished run leads to."""
    return reverse("run_overview", args=[run.pk])


def state(run: Run, workers: int | None, step: int | None = None) -> dict:
    """run.json: all that the run's page needs, at any time of the run's life. step: of `forming`."""
    view, metrics = RunView(run), list(Metric.objects.filter(run=run).order_by("step"))
    seconds, tokens, running = run.seconds, run.tokens_seen, run.status == Run.Status.RUNNING
    points = [(metric.step, metric.seconds) for metric in metrics]
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
        "left": series.left(points, run.step, seconds, run.steps) if running else None,
        "tokens_per_second": tokens / seconds if seconds else None,
        "documents_per_second": _documents(run) / seconds if seconds else None,
        "workers": workers,
        "queue_ahead": Run.objects.filter(status=Run.Status.QUEUED, pk__lt=run.pk).count()
        if run.status == "queued"
        else 0,
        "metrics": _columns(metrics),
        "says": series.progress(
            [metric.step for metric in metrics],
            [metric.held_out for metric in metrics],
            run.status not in (Run.Status.QUEUED, Run.Status.RUNNING),
        ),
        "forming": forming(view, step),
        "shown": run.topics if run.in_use is None else run.in_use,
        "hues": [view.labels.hue(k) for k in range(run.topics)] if run.topics <= LINES else None,
        "names": [view.labels.name(k) for k in range(run.topics)] if run.topics <= LINES else None,
        "url_overview": overview_url(run),
        "url_forming": reverse("run_forming_json", args=[run.pk]),
        "url_events": reverse("run_events", args=[run.pk]),
    }


def forming(view: RunView, step: int | None = None) -> dict:
    """The largest topics of a run as they were at a step of its training: the last one that is kept up to `step`, by
    default the last of all. In the shape webapp.api.page_shapes.Forming.

    Each has the name that was proposed at that step, or the readers' label; at the end that of all other pages.
    """
    steps = list(FormingStep.objects.filter(run=view.run).values_list("step", flat=True))
    if not steps:
        return {"step": None, "steps": [], "topics": []}
    at = steps[-1] if step is None else max([steps[0], *(one for one in steps if one <= step)])
    called = view.labels.name if at == steps[-1] and view.run.status == Run.Status.DONE else view.labels.label
    stored = FormingStep.objects.get(run=view.run, step=at).topics
    topics = [topic | {"name": called(topic["number"]) or topic["name"]} for topic in stored]
    largest = sorted(topics, key=lambda topic: (-topic["share"], topic["number"]))
    told = {topic["number"] for topic in largest[:TOLD]}
    passages = _passages(view, [topic for topic in topics if topic["number"] in told])
    drawn = _drawn(largest)
    return {
        "step": at,
        "steps": steps,
        "topics": [
            links.topic(view, topic["number"])
            | {name: topic[name] for name in ("share", "words")}
            | {"background": view.labels.background(topic["number"])}
            | {"name": topic["name"], "passage": "", "passage_url": "", "told": topic["number"] in told}
            | drawn[topic["number"]]
            | passages.get(topic["number"], {})
            for topic in topics
        ],
    }


def _passages(view: RunView, topics: list[dict]) -> dict[int, dict]:
    """topic -> its passage at a step, and the document that it is of."""
    placed = [topic for topic in topics if topic["at"] is not None]
    cut = texts.around(view.run.corpus, {topic["document"]: topic["at"] for topic in placed})
    said = {}
    for piece in cut:
        first, end = texts.ends(piece)
        said[piece.number] = f"{'… ' if piece.first else ''}{piece.text[first:end].strip()}{' …' if piece.more else ''}"
    return {
        topic["number"]: {
            "passage": said[topic["document"]],
            "passage_url": links.selected_document_url(view.run.corpus, topic["document"]),
        }
        for topic in placed
        if topic["document"] in said
    }


def _drawn(largest: list[dict]) -> dict[int, dict]:
    """topic -> its circle on the map, and where its name stands from the middle of it: below, above or beside it, where
    there is room; the larger topic has it first."""
    circles = []
    for topic in largest:
        across, down = (max(-1, min(1, topic[axis] / REACH)) for axis in ("x", "y"))
        r = max(SMALLEST, LARGEST * math.sqrt(topic["share"]))
        circles.append((WIDTH / 2 + across * (WIDTH / 2 - MARGIN), HEIGHT / 2 + down * (HEIGHT / 2 - MARGIN), r))
    taken = [(cx - 0.8 * r, cy - 0.8 * r, cx + 0.8 * r, cy + 0.8 * r) for cx, cy, r in circles]
    drawn = {}
    for topic, (cx, cy, r) in zip(largest, circles, strict=True):
        half = LETTER * len(topic["name"]) / 2
        beside = r + half + 4
        places = ((0, r), (0, -r - LINE), (beside, -LINE / 2), (-beside, -LINE / 2))
        boxes = [(cx + dx - half, cy + dy, cx + dx + half, cy + dy + LINE) for dx, dy in places]
        free = [
            i
            for i, box in enumerate(boxes)
            if 0 <= box[0] and box[2] <= WIDTH and not any(_cross(box, b) for b in taken)
        ]
        dx, dy = places[free[0]] if free else places[0]
        if free:
            taken.append(boxes[free[0]])
        drawn[topic["number"]] = {
            "cx": round(cx, 1), "cy": round(cy, 1), "r": round(r, 1), "dx": round(dx, 1), "dy": round(dy, 1), "labelled": bool(free),
        }  # fmt: skip
    return drawn


def _cross(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two boxes (left, top, right, bottom) have a point in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _documents(run: Run) -> float:
    """Documents seen so far, over all passes, by the words seen."""
    version = run.version
    return version.documents * run.tokens_seen / version.tokens if version.tokens else 0.0


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
