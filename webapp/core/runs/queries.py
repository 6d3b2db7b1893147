"""A run as its page watches it: where it is, its charts, its topics as they form."""

import math
from dataclasses import replace

import numpy as np
from django.urls import reverse

from webapp.core.documents import texts
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.core.runs.forming import STORED, TopicAtStep
from webapp.core.runs.shapes import Circle, DrawnTopic, Forming, RunAbout
from webapp.models import FormingStep, Metric, Run

# topics up to which the coherence chart draws a line for each; above, bands of quantiles say more
LINES = 60
TOLD = 12  # topics of a step that the page shows with a passage: the largest
WIDTH, HEIGHT, MARGIN = 640, 480, 48  # of the map, in its own units
# how far from the middle of the map a topic may lie: two without a common word are 0.83 apart
REACH = 0.6
LARGEST, SMALLEST = 100, 4  # radius of a topic with all words, and the least of any
LETTER, LINE = 7.2, 17  # width and height of a letter of a label


def about(run: Run) -> RunAbout:
    return RunAbout(
        id=run.pk,
        status=run.status,
        error=run.error,
        engine=run.engine,
        topics=run.topics,
        in_use=run.in_use,
        seed=run.seed,
        settings=run.settings,
        versions=run.versions,
        step=run.step,
        steps=run.steps,
        seconds=run.seconds,
        corpus=run.corpus_id,
        created=run.created_at,
        url=reverse("run", args=[run.pk]),
    )


def current_pass(run: Run) -> int:
    """From 1 on; 0 before the steps are known."""
    return min(run.step * passes(run) // run.steps + 1, passes(run)) if run.steps else 0


def passes(run: Run) -> int:
    """How many passes a run makes: as many as were chosen, or, once it has ended because its topics
    had settled, as it made."""
    settings, documents = run.settings, max(1, run.version.documents)
    first, after = settings["minibatch"], settings.get("minibatch_after", settings["minibatch"])
    per_pass, later = (-(-documents // min(size, documents)) for size in (first, after))
    early = settings.get("warm_up", 0) if after != first else 0
    left = run.steps - early * per_pass
    made = early - (-left // later) if left > 0 else -(-run.steps // per_pass)
    return min(settings["passes"], made) if run.steps else settings["passes"]


def forming(view: RunView, step: int | None = None) -> Forming:
    """The largest topics of a run as they were at a step of its training: the last one that is kept
    up to `step`, by default the last of all.

    Each has the name that was proposed at that step, or the readers' label; at the end that of all
    other pages.
    """
    if not (steps := list(FormingStep.objects.filter(run=view.run).values_list("step", flat=True))):
        return Forming(None, [], [])
    at = steps[-1] if step is None else max([steps[0], *(one for one in steps if one <= step)])
    named = (
        view.labels.name
        if at == steps[-1] and view.run.status == Run.Status.DONE
        else view.labels.label
    )
    stored = STORED.validate_python(FormingStep.objects.get(run=view.run, step=at).topics)
    topics = [replace(topic, name=named(topic.number) or topic.name) for topic in stored]
    largest = sorted(topics, key=lambda topic: (-topic.share, topic.number))
    told = {topic.number for topic in largest[:TOLD]}
    passages = _passages(view, [topic for topic in topics if topic.number in told])
    circles = _circles(largest)
    drawn = [
        DrawnTopic(
            **vars(links.topic_link(view, topic.number)) | {"name": topic.name},
            share=topic.share,
            words=topic.words,
            passage=passages.get(topic.number, ("", ""))[0],
            passage_url=passages.get(topic.number, ("", ""))[1],
            told=topic.number in told,
            **vars(circles[topic.number]),
        )
        for topic in topics
    ]
    return Forming(at, steps, drawn)


def _passages(view: RunView, topics: list[TopicAtStep]) -> dict[int, tuple[str, str]]:
    """topic -> its passage at a step, and the address of the document; topics that have none are
    left out."""
    corpus = view.run.corpus
    placed = [
        (t.number, t.document, t.at) for t in topics if t.document is not None and t.at is not None
    ]
    passages = {}
    for piece in texts.around(corpus, {document: at for _, document, at in placed}):
        first, end = texts.ends(piece)
        passage = f"{'… ' if piece.first else ''}{piece.text[first:end].strip()}{' …' if piece.more else ''}"
        passages[piece.number] = passage, links.selected_document_url(corpus, piece.number)
    return {number: passages[document] for number, document, _ in placed if document in passages}


def _circles(largest: list[TopicAtStep]) -> dict[int, Circle]:
    """topic -> its circle on the map, and where its name stands from the middle of it: below, above
    or beside it, where there is room; the larger topic has it first."""
    circles = []
    for topic in largest:
        across, down = (max(-1.0, min(1.0, place / REACH)) for place in (topic.x, topic.y))
        r = max(SMALLEST, LARGEST * math.sqrt(topic.share))
        circles.append(
            (
                WIDTH / 2 + across * (WIDTH / 2 - MARGIN),
                HEIGHT / 2 + down * (HEIGHT / 2 - MARGIN),
                r,
            )
        )
    taken = [(cx - 0.8 * r, cy - 0.8 * r, cx + 0.8 * r, cy + 0.8 * r) for cx, cy, r in circles]
    drawn = {}
    for topic, (cx, cy, r) in zip(largest, circles, strict=True):
        half = LETTER * len(topic.name) / 2
        beside = r + half + 4
        places = ((0, r), (0, -r - LINE), (beside, -LINE / 2), (-beside, -LINE / 2))
        boxes = [(cx + dx - half, cy + dy, cx + dx + half, cy + dy + LINE) for dx, dy in places]
        free = [
            i
            for i, box in enumerate(boxes)
            if 0 <= box[0] and box[2] <= WIDTH and not any(_cross(box, b) for b in taken)
        ]
        dx, dy = places[free[0]] if free else places[0]
        taken += [boxes[i] for i in free[:1]]
        drawn[topic.number] = Circle(
            round(cx, 1), round(cy, 1), round(r, 1), round(dx, 1), round(dy, 1), bool(free)
        )
    return drawn


def _cross(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    """Whether two boxes (left, top, right, bottom) have a point in common."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def documents_seen(run: Run) -> float:
    """Documents seen so far, over all passes, by the words seen."""
    return (
        run.version.documents * run.tokens_seen / run.version.tokens if run.version.tokens else 0.0
    )


def curves(
    metrics: list[Metric],
) -> dict[str, series.Curve | list[series.Curve] | dict[str, series.Curve] | None]:
    """As RunPage has them."""
    few = not metrics or len(metrics[0].topic_coherence) <= LINES
    return {
        **series.columns(metrics),
        "topic_coherence": [metric.topic_coherence for metric in metrics] if few else None,
        "bands": None if few else _bands(metrics),
    }


def _bands(metrics: list[Metric]) -> dict[str, series.Curve]:
    """Quantiles of coherence over topics, for each point."""
    names = {"p05": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95}
    points = [
        [c for c in metric.topic_coherence if c is not None and not math.isnan(c)]
        for metric in metrics
    ]
    quantiles = [
        np.percentile(p, list(names.values())) if p else [None] * len(names) for p in points
    ]
    return {
        name: [None if q[i] is None else float(q[i]) for q in quantiles]
        for i, name in enumerate(names)
    }
