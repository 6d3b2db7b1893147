"""An overview's topics in groups of documents: by year, month or decade, or by a category."""

import numpy as np

from webapp.analysis.topics.overview import Overview
from webapp.analysis.topics.shapes import Band, Most, TopicTimes, Values
from webapp.core.documents import fields, sums
from webapp.core.documents.shapes import Group
from webapp.core.results import links
from webapp.platform.storage.nulls import number_or_none

STACKED = 12  # topics of the chart in which they stand on one another
# of all words that stacked topics hold: with less, the others would fill the chart, and it leaves
# them out
LEAST = 0.2
MULTIPLES = 48  # small charts of a page
VALUES = 40  # of a category: the most frequent


def over_time(overview: Overview, by: str, after: int = 0) -> TopicTimes | None:
    """None where nothing is counted yet, or there is nothing to group documents by. Raises Invalid
    for what is no group. Topics of general talk are stacked only where they are asked for."""
    run, selection = overview.run, overview.selection
    choices = fields.choices(run.version)
    if overview.tokens is None or not choices:
        return None
    groups = fields.groups(run.version, by or fields.usual(run.version) or choices[0])
    counted = sums.of_selection(selection, groups.by)
    some = np.flatnonzero(counted.of_documents)
    if not len(some):
        return None
    listed = fields.in_order(run.version, groups, some[:VALUES].tolist())
    kept = np.arange(some[0], some[-1] + 1) if groups.in_time else np.array(listed, np.int64)
    tokens, shares, totals = counted.tokens[kept], counted.shares[kept], counted.of_tokens[kept]
    bins = [
        Group(
            label=counted.labels[i],
            tokens=int(counted.of_tokens[i]),
            documents=int(counted.of_documents[i]),
            url=links.documents_url(run, selection.within(groups, i).address()),
        )
        for i in kept.tolist()
    ]
    stacked = overview.numbers[:STACKED] if overview.wanted.topics else _largest(overview)
    other = totals - tokens[:, stacked].sum(axis=1)
    part = 1.0 - float(other.sum() / max(1, totals.sum()))
    read = overview.view.used & (
        overview.labels.into == np.arange(overview.run.topics)
    )  # as themselves, shown or not
    rest = _by_size(overview, np.setdiff1d(np.flatnonzero(read), stacked))
    bands = _series(overview, stacked, tokens, shares)
    multiples = _series(overview, overview.numbers[after : after + MULTIPLES], tokens, shares)
    return TopicTimes(
        by=groups.by,
        in_time=groups.in_time,
        choices=choices,
        labels=[b.label for b in bins],
        bins=bins,
        left_out=len(some) - len(kept) if not groups.in_time else 0,
        stacked=bands,
        rest=overview.named(rest[:40].tolist(), 3),
        rest_count=len(rest),
        other=Values(
            other.tolist(),
            [int(n) / int(t) if t else None for n, t in zip(other, totals, strict=True)],
        ),
        part=part,
        other_drawn=part >= LEAST,
        multiples=multiples,
        most=Most(
            tokens=int(tokens[:, overview.numbers].max(initial=0)),
            shares=float(np.nan_to_num(shares[:, overview.numbers]).max(initial=0)),
        ),
        next=after + MULTIPLES if len(overview.numbers) > after + MULTIPLES else None,
    )


def _largest(overview: Overview) -> np.ndarray:
    labels, numbers = overview.labels, overview.numbers
    subjects = np.array([k for k in numbers.tolist() if not labels.background(k)], np.int64)
    return _by_size(overview, subjects if len(subjects) else numbers)[:STACKED]


def _by_size(overview: Overview, numbers: np.ndarray) -> np.ndarray:
    return numbers[np.argsort(-overview.share[numbers], kind="stable")]


def _series(
    overview: Overview, numbers: np.ndarray, tokens: np.ndarray, shares: np.ndarray
) -> list[Band]:
    return [
        Band(
            **vars(topic),
            values=Values(
                tokens=tokens[:, topic.number].tolist(),
                shares=[number_or_none(share) for share in shares[:, topic.number]],
            ),
        )
        for topic in overview.named(numbers.tolist(), 5)
    ]
