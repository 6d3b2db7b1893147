"""Sums of a run's topics over ranges of days, from those that the run left behind: no document is looked at, but for
those at the ends of a range."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from inference.explore.day_sums import MEASURES, Ranges
from inference.explore.documents import spread
from webapp.documents import fields
from webapp.documents.fields import Groups
from webapp.documents.selection import Selection
from webapp.results import evidence

Spans = list[tuple[int, int]]  # days a ... b - 1 each, ascending, none in two of them


def of_groups(selection: Selection, groups: Groups | None) -> list[Spans] | None:
    """The days of each group of a set, or of all of it; None where anything but days says what is in the set or a group."""
    span = selection.span
    if span is None or groups is not None and groups.starts is None:
        return None
    edges = list(span)
    if groups is not None and groups.starts is not None:
        edges = np.clip(groups.starts, *span).tolist()
    return [[(a, b)] for a, b in zip(edges[:-1], edges[1:], strict=True)]


def within(spans: Spans, others: Spans) -> Spans:
    """The days that are in both."""
    both = [(max(a, c), min(b, d)) for a, b in spans for c, d in others]
    return [(a, b) for a, b in both if a < b]


def without(span: tuple[int, int], others: Spans) -> Spans:
    """The days of a span that are in none of the others."""
    edges = [span[0], *(day for other in others for day in other), span[1]]
    return within([span], list(zip(edges[::2], edges[1::2], strict=True)))


def counts(selection: Selection, groups: list[Spans]) -> np.ndarray:
    """int64[G]: documents of each group."""
    spans = np.array([span for group in groups for span in group], np.int64).reshape(-1, 2)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return np.bincount(owner, fields.counts(selection.version, spans), len(groups)).astype(np.int64)


def sample(selection: Selection, spans: Spans, most: int) -> np.ndarray:
    """int32, ascending: at most so many documents of some days, spread evenly over these. Only of a version with an order by
    date."""
    return np.sort(spread(np.concatenate([fields.between(selection.version, *span) for span in spans]), most))


def sums(
    selection: Selection, groups: list[Spans], topics: Sequence[int] | None = None, measures: Sequence[int] = MEASURES
) -> Ranges | None:
    """Of some topics, or of all, as readers fold them, in groups of days. None where the run left no sums by day, or none that
    help."""
    version, counted = selection.version, evidence.of(selection.run_view.run)
    if counted.day_sums is None or fields.by_date(version, newest=False) is None:
        return None
    spans = [span for group in groups for span in group]
    order = sorted(range(len(spans)), key=spans.__getitem__)
    every = np.arange(counted.K) if topics is None else np.array(topics, np.int64)
    made = counted.day_sums.ranges(
        [spans[i] for i in order], counted, partial(fields.between, version), fields.dates(version), every,
        selection.run_view.labels.into, measures,
    )  # fmt: skip
    if made is None or all(len(group) == 1 for group in groups) and order == list(range(len(spans))):
        return made
    owner = np.array([g for g, group in enumerate(groups) for _ in group])[order]
    whole, by_topic = (
        np.zeros((len(groups) + 1, made.whole.shape[1])),
        np.zeros((len(every), len(groups) + 1, len(measures))),
    )
    for i, g in enumerate([*owner.tolist(), len(groups)]):
        whole[g] += made.whole[i]
        by_topic[:, g] += made.by_topic[:, i]
    return Ranges(whole, by_topic)
