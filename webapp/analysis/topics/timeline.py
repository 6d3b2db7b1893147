"""Topics of the page of topics in groups of documents: by year, month or decade, or by a category."""

import numpy as np

from inference.explore import bands
from webapp.analysis.topics.listing import TopicListing
from webapp.analysis.topics.shapes import Band, Most, TopicTimes, Values
from webapp.core.documents import document_groups, sums
from webapp.core.documents.shapes import Group
from webapp.core.results import links
from webapp.platform.storage.nulls import number_or_none

STACKED = 12  # topics of the chart in which they stand on one another
# Of all words that stacked topics hold: with less, the others would fill the chart, and it leaves
# them out
LEAST_STACKED_SHARE = 0.2
MULTIPLES = 48  # small charts of a page
WORDS_OF_STACKED = 5  # of the topic of each
VALUES = 40  # of a category: the most frequent
MOST_OTHERS = 40  # topics that are named as not stacked
WORDS_OF_OTHERS = 3


def over_time(listing: TopicListing, by: str, after: int = 0) -> TopicTimes | None:
    """None where nothing is counted yet, or there is nothing to group documents by. Raises Invalid
    for what is no group. Topics of general talk are stacked only where they are asked for."""
    run = listing.run
    choices = document_groups.possible_groupings(run.version)
    if listing.tokens is None or not choices:
        return None
    groups = document_groups.read_groups(
        run.version, by or document_groups.usual_grouping(run.version) or choices[0]
    )
    counted_sums = sums.of_selection(listing.selection, groups.by)
    with_documents = np.flatnonzero(counted_sums.all_documents)
    if not len(with_documents):
        return None
    left_out = 0
    if groups.in_time:
        groups_listed = np.arange(with_documents[0], with_documents[-1] + 1)
    else:
        values = document_groups.order_groups(run.version, groups, with_documents[:VALUES].tolist())
        groups_listed = np.array(values, np.int64)
        left_out = len(with_documents) - len(groups_listed)
    tokens = counted_sums.topic_tokens[groups_listed]
    shares = counted_sums.shares[groups_listed]
    shares_drawn = shares
    has_enough = counted_sums.all_documents[groups_listed] >= bands.THIN
    if groups.in_time and has_enough.any():
        shares_drawn = shares[has_enough]
    totals = counted_sums.all_tokens[groups_listed]
    bins = [
        Group(
            label=counted_sums.labels[i],
            tokens=int(counted_sums.all_tokens[i]),
            documents=int(counted_sums.all_documents[i]),
            url=links.documents_url(run, listing.selection.within(groups, i).address()),
        )
        for i in groups_listed.tolist()
    ]
    stacked = listing.numbers[:STACKED] if listing.query.topics else _largest(listing)
    other_tokens = totals - tokens[:, stacked].sum(axis=1)
    part = 1.0 - float(other_tokens.sum() / max(1, totals.sum()))
    not_stacked = _not_stacked(listing, stacked)
    following = after + MULTIPLES
    return TopicTimes(
        by=groups.by,
        in_time=groups.in_time,
        choices=choices,
        labels=[group.label for group in bins],
        bins=bins,
        left_out=left_out,
        stacked=_series(listing, stacked, tokens, shares),
        rest=listing.named(not_stacked[:MOST_OTHERS].tolist(), WORDS_OF_OTHERS),
        rest_count=len(not_stacked),
        other=_shares_of(other_tokens, totals),
        part=part,
        other_drawn=part >= LEAST_STACKED_SHARE,
        multiples=_series(listing, listing.numbers[after:following], tokens, shares),
        most=Most(
            tokens=int(tokens[:, listing.numbers].max(initial=0)),
            shares=float(np.nan_to_num(shares_drawn[:, listing.numbers]).max(initial=0)),
        ),
        next=following if len(listing.numbers) > following else None,
    )


def _shares_of(tokens: np.ndarray, totals: np.ndarray) -> Values:
    shares = [
        int(count) / int(total) if total else None
        for count, total in zip(tokens, totals, strict=True)
    ]
    return Values(tokens.tolist(), shares)


def _not_stacked(listing: TopicListing, stacked: np.ndarray) -> np.ndarray:
    """All other topics that are read as themselves, hidden ones too, the largest first."""
    topics = np.flatnonzero(listing.view.used & listing.labels.unmerged)
    return _by_size(listing, np.setdiff1d(topics, stacked))


def _largest(listing: TopicListing) -> np.ndarray:
    """Subjects; general talk where there is nothing else."""
    numbers = listing.numbers
    is_subject = [not listing.labels.is_background(k) for k in numbers.tolist()]
    if any(is_subject):
        numbers = numbers[np.array(is_subject)]
    return _by_size(listing, numbers)[:STACKED]


def _by_size(listing: TopicListing, numbers: np.ndarray) -> np.ndarray:
    return numbers[np.argsort(-listing.share[numbers], kind="stable")]


def _series(
    listing: TopicListing, numbers: np.ndarray, tokens: np.ndarray, shares: np.ndarray
) -> list[Band]:
    series = []
    for topic in listing.named(numbers.tolist(), WORDS_OF_STACKED):
        values = Values(
            tokens=tokens[:, topic.number].tolist(),
            shares=list(map(number_or_none, shares[:, topic.number])),
        )
        series.append(Band(**vars(topic), values=values))
    return series
