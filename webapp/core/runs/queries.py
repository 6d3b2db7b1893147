"""A run as its page watches it: where it is, its charts, its topics as they form."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from django.urls import reverse

from webapp.core.documents import texts
from webapp.core.results import links
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.core.runs.forming import STORED, TopicAtStep
from webapp.core.runs.shapes import Circle, DrawnTopic, Forming, RunAbout
from webapp.models import Corpus, FormingStep, Metric, Run
from webapp.platform.drawing.label_boxes import Box, LabelBoxes
from webapp.platform.storage.nulls import number_or_none

# Topics up to which the coherence chart draws a line for each; above, bands of quantiles say more
LINES = 60
WITH_PASSAGES = 12  # topics of a step that the page shows with a passage: the largest
NO_PASSAGE = ("", "")
QUANTILES = {"p05": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95}

# The map of forming topics, in its own units
WIDTH = 640
HEIGHT = 480
MARGIN = 48
# How far from the middle of the map a topic may lie: two without a common word are 0.83 apart
REACH = 0.6
LARGEST_RADIUS = 100  # radius of a topic with all words
SMALLEST_RADIUS = 4  # radius of any
LETTER = 7.2  # width of a letter of a label
LINE = 17  # height of a label
LABEL_GAP = 4  # between a circle and a label beside it
COVERED = 0.8  # of a circle's radius: a label may reach so far into it, and no farther


def about(run: Run) -> RunAbout:
    """What pages and the API say of a run, in whatever state it is."""
    return RunAbout(
        id=run.pk,
        status=run.status,
        error=run.error,
        notice=run.shown_notice,
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
    if not run.steps:
        return 0
    all_passes = passes(run)
    return min(run.step * all_passes // run.steps + 1, all_passes)


def passes(run: Run) -> int:
    """How many passes a run makes: as many as were chosen, or, once it has ended because its topics
    had settled, as it made."""
    settings = run.settings
    if not run.steps:
        return settings["passes"]
    rows = max(1, run.version.rows)
    minibatch = settings["minibatch"]
    minibatch_after = settings.get("minibatch_after", minibatch)
    steps_of_pass = _steps_of_pass(rows, minibatch)
    warm_up = settings.get("warm_up", 0) if minibatch_after != minibatch else 0
    steps_after = run.steps - warm_up * steps_of_pass
    if steps_after > 0:
        steps_of_later_pass = _steps_of_pass(rows, minibatch_after)
        passes_of_run = warm_up + math.ceil(steps_after / steps_of_later_pass)
    else:
        passes_of_run = math.ceil(run.steps / steps_of_pass)
    return min(settings["passes"], passes_of_run)


def _steps_of_pass(rows: int, minibatch: int) -> int:
    """rows: of the bag of words, which are sections where long documents are cut."""
    return math.ceil(rows / min(minibatch, rows))


def forming(view: RunView, step: int | None = None) -> Forming:
    """The largest topics of a run as they were at a step of its training: the last one that is kept
    up to `step`, by default the last of all.

    Each has the name that was proposed at that step, or the readers' label; at the end that of all
    other pages.
    """
    steps = list(FormingStep.objects.filter(run=view.run).values_list("step", flat=True))
    if not steps:
        return Forming(None, [], [])
    stored_step = steps[-1]
    if step is not None:
        stored_step = max([steps[0], *(earlier for earlier in steps if earlier <= step)])
    is_end = stored_step == steps[-1] and view.run.status == Run.Status.DONE
    topics = []
    stored = FormingStep.objects.get(run=view.run, step=stored_step).topics
    for topic in STORED.validate_python(stored):
        name = view.labels.name(topic.number) if is_end else view.labels.label(topic.number)
        topics.append(replace(topic, name=name or topic.name))
    largest = sorted(topics, key=lambda topic: (-topic.share, topic.number))
    with_passages = {topic.number for topic in largest[:WITH_PASSAGES]}
    passages = _passages(view, [topic for topic in topics if topic.number in with_passages])
    circles = _circles(largest)
    drawn = []
    for topic in topics:
        passage, passage_url = passages.get(topic.number, NO_PASSAGE)
        row = DrawnTopic(
            **vars(replace(links.topic_link(view, topic.number), name=topic.name)),
            share=topic.share,
            words=topic.words,
            passage=passage,
            passage_url=passage_url,
            told=topic.number in with_passages,
            **vars(circles[topic.number]),
        )
        drawn.append(row)
    return Forming(stored_step, steps, drawn)


def _passages(view: RunView, topics: list[TopicAtStep]) -> dict[int, tuple[str, str]]:
    """topic -> its passage at a step, and the address of the document; topics that have none are
    left out."""
    passages: dict[int, tuple[str, str]] = {}
    by_document: dict[int, list[TopicAtStep]] = {}
    for topic in topics:
        if topic.document is not None and topic.at is not None:
            by_document.setdefault(topic.document, []).append(topic)
    # Of a document that is cut into sections several topics may have a passage
    while by_document:
        topic_of_document = {number: waiting.pop() for number, waiting in by_document.items()}
        passages |= _passages_of_documents(view.run.corpus, topic_of_document)
        by_document = {number: waiting for number, waiting in by_document.items() if waiting}
    return passages


def _passages_of_documents(
    corpus: Corpus, topics: dict[int, TopicAtStep]
) -> dict[int, tuple[str, str]]:
    """What `_passages` has, of one topic of each document. topics: by the document's number."""
    passages = {}
    place_in_document = {document: topic.at or 0 for document, topic in topics.items()}
    for cut_text in texts.around(corpus, place_in_document):
        first, end = texts.ends(cut_text)
        passage = cut_text.text[first:end].strip()
        if cut_text.first:
            passage = f"… {passage}"
        if cut_text.more:
            passage = f"{passage} …"
        url = links.selected_document_url(corpus, cut_text.number)
        passages[topics[cut_text.number].number] = (passage, url)
    return passages


def _circles(largest: list[TopicAtStep]) -> dict[int, Circle]:
    """topic -> its circle on the map, and where its name stands from the middle of it: below, above
    or beside it, where there is room; the larger topic has it first."""
    discs = [_disc(topic) for topic in largest]
    labels = LabelBoxes(_is_within_map, [disc.box for disc in discs])
    circles = {}
    for topic, disc in zip(largest, discs, strict=True):
        width = LETTER * len(topic.name)
        offsets = _places_of_label(disc, width)
        free = labels.take_first(_label_box(disc, dx, dy, width) for dx, dy in offsets)
        dx, dy = offsets[free or 0]  # below it where there is no room
        circles[topic.number] = Circle(
            round(disc.x, 1),
            round(disc.y, 1),
            round(disc.r, 1),
            round(dx, 1),
            round(dy, 1),
            free is not None,
        )
    return circles


def _is_within_map(box: Box) -> bool:
    """To both sides; above and below the map has a margin."""
    return box.left >= 0 and box.right <= WIDTH


class _Disc(NamedTuple):
    x: float
    y: float
    r: float

    @property
    def box(self) -> Box:
        """What no label may cover."""
        half = COVERED * self.r
        return Box(self.x - half, self.y - half, self.x + half, self.y + half)


def _disc(topic: TopicAtStep) -> _Disc:
    across = max(-1.0, min(1.0, topic.x / REACH))
    down = max(-1.0, min(1.0, topic.y / REACH))
    return _Disc(
        x=WIDTH / 2 + across * (WIDTH / 2 - MARGIN),
        y=HEIGHT / 2 + down * (HEIGHT / 2 - MARGIN),
        r=max(SMALLEST_RADIUS, LARGEST_RADIUS * math.sqrt(topic.share)),
    )


def _places_of_label(disc: _Disc, width: float) -> list[tuple[float, float]]:
    """Where the middle and the top of a label may be, from the circle's middle: below, above, right
    and left of it."""
    distance = disc.r + width / 2 + LABEL_GAP
    return [(0, disc.r), (0, -disc.r - LINE), (distance, -LINE / 2), (-distance, -LINE / 2)]


def _label_box(disc: _Disc, dx: float, dy: float, width: float) -> Box:
    left = disc.x + dx - width / 2
    top = disc.y + dy
    return Box(left, top, left + width, top + LINE)


def documents_seen(run: Run) -> float:
    """Documents seen so far, over all passes, by the words seen."""
    if not run.version.tokens:
        return 0.0
    return run.version.documents * run.tokens_seen / run.version.tokens


def curves(
    metrics: list[Metric],
) -> dict[str, series.Curve | list[series.Curve] | dict[str, series.Curve] | None]:
    """The points of a run's charts, as RunPage has them."""
    values: dict = dict(series.columns(metrics))
    has_lines = not metrics or len(metrics[0].topic_coherence) <= LINES
    if has_lines:
        values["topic_coherence"] = [metric.topic_coherence for metric in metrics]
        values["bands"] = None
    else:
        values["topic_coherence"] = None
        values["bands"] = _bands(metrics)
    return values


def _bands(metrics: list[Metric]) -> dict[str, series.Curve]:
    """Quantiles of coherence over topics, for each point."""
    bands: dict[str, series.Curve] = {name: [] for name in QUANTILES}
    for metric in metrics:
        numbers = map(number_or_none, metric.topic_coherence)
        present = [number for number in numbers if number is not None]
        quantiles: list[float | None] = [None] * len(QUANTILES)
        if present:
            quantiles = np.percentile(present, list(QUANTILES.values())).tolist()
        for band, quantile in zip(bands.values(), quantiles, strict=True):
            band.append(quantile)
    return bands
