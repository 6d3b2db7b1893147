"""What becomes of a run's topics with fewer and with more: read from the short trainings
(webapp.core.runs.how_many)."""

from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.urls import reverse

from inference.explore import company, flows
from inference.explore.flows import Descent
from webapp.analysis.how_many.shapes import (
    BetweenTopic,
    Counts,
    Kind,
    Relative,
    ShortTopic,
    Trained,
)
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import evidence, links
from webapp.core.results.view import RunView
from webapp.core.runs import how_many, names
from webapp.core.runs.how_many import Short
from webapp.models import Run

LEAST_PART = 0.1  # of a topic's words: a smaller part of it does not make it split


class Level(NamedTuple):
    """A number of topics. short: the first of its trainings. found_again: bool[K], topics that the
    other seed has. descent: of whichever has more topics, this or the run, in the other."""

    short: Short
    found_again: np.ndarray
    descent: Descent


class Comparison(NamedTuple):
    """smaller, larger: with fewer and with more topics than the run. reseeded: where the topics of
    a training with as many and another seed are in the run. spelled: words by their numbers.
    trained: what was measured of each number."""

    smaller: Level
    larger: Level
    reseeded: Descent
    spelled: dict[int, str]
    trained: list[Trained]


def compare(run: Run) -> Comparison | None:
    """None before the trainings are there."""
    trainings = how_many.trainings(run)
    if trainings is None:
        return None
    levels = [_level(pair) for pair in trainings.values()]
    words = {word for level in levels for word in level.short.words.ravel().tolist() if word >= 0}
    reseeded = list(trainings.values())[1][-1]
    return Comparison(
        smaller=levels[0],
        larger=levels[-1],
        reseeded=flows.descent(reseeded.flows),
        spelled=names.spelling(run.version_id, words),
        trained=[_measure(run, number, pair) for number, pair in trainings.items()],
    )


def _level(pair: list[Short]) -> Level:
    return Level(pair[0], how_many.found_again(pair), flows.descent(pair[0].flows))


def _measure(run: Run, number: int, pair: list[Short]) -> Trained:
    short = pair[0]
    in_use = short.sizes > 0
    knows_mixed, knows_general = company.are_judged(evidence.of(run).section_bow)
    likelihoods = [_known_or_none(short.held_out[0]) for short in pair]
    measured = [likelihood for likelihood in likelihoods if likelihood is not None]
    named = [f"{run.pk}.{topic}" for topic in range(len(Steering.of_run(run).named))]
    form = urlencode({"engine": run.engine, "topics": number, "topic": named}, doseq=True)
    return Trained(
        topics=number,
        in_use=int(in_use.sum()),
        held_out=float(np.mean(measured)) if measured else None,
        held_out_by_seed=likelihoods,
        found_again=int((how_many.found_again(pair) & in_use).sum()),
        mixed=int((short.mixed & in_use).sum()) if knows_mixed else None,
        general=int((short.general & in_use).sum()) if knows_general else None,
        repeats=int((short.repeats >= 0).sum()),
        url=f"{reverse('corpus', args=[run.corpus_id])}?{form}#train",
    )


def _known_or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def order_by_parent(comparison: Comparison, topics: list[int]) -> list[int]:
    """Topics of the run that are parts of one topic with fewer side by side, the largest first."""
    short, _, descent = comparison.smaller

    def rank(topic: int) -> tuple[int, int, int, int]:
        parent = int(descent.parent[topic])
        return -int(short.of_coarse[parent]), parent, -int(short.of_fine[topic]), topic

    return sorted(topics, key=rank)


def kind_of(descent: Descent, topic: int) -> Kind:
    """What became of a topic of the finer training."""
    if descent.stays[topic]:
        return "stays"
    return "inside" if descent.inside[topic] else "spread"


def describe(view: RunView, comparison: Comparison, topic: int) -> BetweenTopic:
    """A topic of the run with where it is with fewer, and what it is with more."""
    short, _, descent = comparison.smaller
    share = float(short.of_fine[topic] / max(1, short.of_fine.sum()))
    parts = _parts(comparison, topic)
    real_parts = [part for part in parts if part.kind == "inside" and part.part >= LEAST_PART]
    stays = any(part.kind == "stays" for part in parts)
    parent = None
    number = int(descent.parent[topic])
    if number >= 0:
        parent_topic = short_topic(comparison, comparison.smaller, number)
        part = float(descent.part[topic])
        parent = Relative(kind_of(descent, topic), parent_topic, part)
    return BetweenTopic(
        **vars(links.topic_share(view, topic, share)),
        parent=parent,
        parts=parts,
        splits=len(real_parts) > 1 and not stays,
    )


def _parts(comparison: Comparison, topic: int) -> list[Relative]:
    """Topics with more that have most of their words from a topic of the run."""
    descent = comparison.larger.descent
    shares = _parts_of_parents(comparison.larger)
    children = np.flatnonzero(descent.parent == topic)
    largest_first = children[np.lexsort((children, -shares[children]))]
    parts = []
    for child in largest_first.tolist():
        described = short_topic(comparison, comparison.larger, child)
        parts.append(Relative(kind_of(descent, child), described, float(shares[child])))
    return parts


def _parts_of_parents(level: Level) -> np.ndarray:
    """float64[K]: of the words of its parent in the run, the part that each topic has."""
    short, _, descent = level
    shared = descent.part * short.of_fine
    return shared / np.maximum(short.of_coarse, 1)[descent.parent]


def short_topic(comparison: Comparison, level: Level, topic: int) -> ShortTopic:
    """A topic of a short training."""
    short = level.short
    return ShortTopic(
        number=topic,
        words=[comparison.spelled[word] for word in short.words[topic].tolist() if word >= 0],
        share=float(short.sizes[topic] / max(1, short.sizes.sum())),
        found_again=bool(level.found_again[topic]),
        mixed=bool(short.mixed[topic]),
        repeats=bool(short.repeats[topic] >= 0),
    )


def count_changes(view: RunView, comparison: Comparison) -> Counts:
    """What becomes of the run's topics that are in use."""
    in_use = view.topics
    smaller = comparison.smaller.descent
    larger = comparison.larger.descent
    has_words = comparison.larger.short.sizes > 0
    stay_with_seed = set(comparison.reseeded.parent[comparison.reseeded.stays].tolist())
    stay_with_more = set(larger.parent[larger.stays].tolist()) & set(in_use)
    is_real = has_words & larger.inside & (_parts_of_parents(comparison.larger) >= LEAST_PART)
    parts = np.bincount(larger.parent[is_real], minlength=view.run.topics).tolist()
    split = [topic for topic in in_use if topic not in stay_with_more and parts[topic] > 1]
    is_lost = ~smaller.stays & ~smaller.inside
    return Counts(
        stay_fewer=int(smaller.stays[in_use].sum()),
        inside=int(smaller.inside[in_use].sum()),
        lost=int(is_lost[in_use].sum()),
        stay_seed=len(stay_with_seed & set(in_use)),
        stay_more=len(stay_with_more),
        split=len(split),
        blurred=len(in_use) - len(stay_with_more) - len(split),
        repeated=int((comparison.larger.short.repeats >= 0).sum()),
        unsteady=int((~comparison.larger.found_again & has_words).sum()),
    )
