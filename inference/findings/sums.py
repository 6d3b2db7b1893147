"""Sums of topics' tokens over groups of documents, from which shares, their intervals and
comparisons follow.

Documents differ by chance, and neighbours are alike: sections of one speech, articles of one day.
So a share's variance is computed twice, over documents and over units (periods, or blocks of
neighbouring documents), and the larger is used.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import logit, stdtr

from inference import documents
from inference.runtime.arrays import frozen, offsets_of_parts
from inference.runtime.jit import njit
from inference.share_intervals import USUAL_LEVEL, Estimate, interval_of_finding

_LEAST_SHARE = 1e-12  # a share below which a logit says nothing

# An estimate, and the two ends of its interval
Interval = tuple[np.ndarray, np.ndarray, np.ndarray]


class GroupedUnits(NamedTuple):
    """Documents in units, and units in groups.

    order: int64[n], documents, unit after unit; starts: int64[U + 1]; group: int32[U], of each
    unit.
    """

    order: np.ndarray
    starts: np.ndarray
    group: np.ndarray


class Sums(NamedTuple):
    """Over the documents with words of each of G groups, and T topics or families.

    documents, tokens, squares (of documents' lengths), units, unit_squares (of units' lengths):
    float64[G]. holding (documents with the topic), of_holding (their tokens), topic_tokens (tokens
    of the topic), topic_squares and topic_products (sums over documents of the square of its
    tokens, and of their product with the length), unit_topic_squares, unit_topic_products (the
    same over units): float64[G, T].
    """

    documents: np.ndarray
    tokens: np.ndarray
    squares: np.ndarray
    units: np.ndarray
    unit_squares: np.ndarray
    holding: np.ndarray
    of_holding: np.ndarray
    topic_tokens: np.ndarray
    topic_squares: np.ndarray
    topic_products: np.ndarray
    unit_topic_squares: np.ndarray
    unit_topic_products: np.ndarray

    @classmethod
    def zeros(cls, G: int, T: int) -> "Sums":
        """The sums of no documents."""
        return cls(
            documents=np.zeros(G),
            tokens=np.zeros(G),
            squares=np.zeros(G),
            units=np.zeros(G),
            unit_squares=np.zeros(G),
            holding=np.zeros((G, T)),
            of_holding=np.zeros((G, T)),
            topic_tokens=np.zeros((G, T)),
            topic_squares=np.zeros((G, T)),
            topic_products=np.zeros((G, T)),
            unit_topic_squares=np.zeros((G, T)),
            unit_topic_products=np.zeros((G, T)),
        )

    def over(self, groups: np.ndarray | slice) -> "Sums":
        """Some groups as one: G = 1."""
        return Sums(*(array[groups].sum(axis=0, keepdims=True) for array in self))


class GroupShares(NamedTuple):
    """float64[G, T] each, NaN for a group without words. low, high: of the share. tested: the
    share, or the upper end that stands in for it where FEW_WITH_TOPIC documents have the topic.
    error: standard error of its logit, 0 of an upper end. df: degrees of freedom."""

    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    tested: np.ndarray
    error: np.ndarray
    df: np.ndarray

    @property
    def interval(self) -> Interval:
        """share, low and high."""
        return self.share, self.low, self.high


def by_group(group: np.ndarray, G: int) -> GroupedUnits:
    """Each group is one unit. group: int32[D], -1 for none."""
    order, starts = _ordered(group, G)
    return GroupedUnits(order, starts, np.arange(G, dtype=np.int32))


def _ordered(group: np.ndarray, G: int) -> tuple[np.ndarray, np.ndarray]:
    group = np.asarray(group)
    in_group = np.flatnonzero(group >= 0)
    order = in_group[np.argsort(group[in_group], kind="stable")]
    return order, offsets_of_parts(np.bincount(group[in_group], minlength=G))


def sums(
    units: GroupedUnits,
    G: int,
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    column_of_topic: np.ndarray,
    T: int,
) -> Sums:
    """One pass over the documents; memory is G T.

    doc_ptr: int64[D + 1]; doc_topics: uint16[m] and doc_tokens: int32[m], a document's topics and
    their tokens; lengths: int64[D]. column_of_topic: int32[K], the topic or family of T that each
    topic is counted as, -1 for none."""
    mixtures = documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths)
    frozen_units = GroupedUnits(
        frozen(units.order, np.int64),
        frozen(units.starts, np.int64),
        frozen(units.group, np.int32),
    )
    totals = Sums.zeros(G, T)
    _add_units(frozen_units, mixtures, frozen(column_of_topic, np.int32), totals)
    return totals


class _Tally(NamedTuple):
    """Tokens by topic of one document, or of one unit. tokens: float64[T], 0 of all topics but the
    first ones of `topics`: int64[T]."""

    tokens: np.ndarray
    topics: np.ndarray


@njit(cache=True, nogil=True)
def _add_units(units, mixtures, column_of_topic, totals):
    """Adds the documents with words to `totals`, Sums of zeros. mixtures: DocumentTopics."""
    topics = totals.topic_tokens.shape[1]
    of_document = _Tally(np.zeros(topics), np.empty(topics, np.int64))
    of_unit = _Tally(np.zeros(topics), np.empty(topics, np.int64))
    for unit in range(len(units.group)):
        g = units.group[unit]
        unit_length = 0.0
        topics_of_unit = 0
        for d in units.order[units.starts[unit] : units.starts[unit + 1]]:
            length = float(mixtures.lengths[d])
            if length == 0.0:
                continue
            totals.documents[g] += 1
            totals.tokens[g] += length
            totals.squares[g] += length * length
            unit_length += length
            topics_of_document = _tally_document(d, mixtures, column_of_topic, of_document)
            for t in of_document.topics[:topics_of_document]:
                tokens = of_document.tokens[t]
                of_document.tokens[t] = 0.0
                totals.holding[g, t] += 1
                totals.of_holding[g, t] += length
                totals.topic_tokens[g, t] += tokens
                totals.topic_squares[g, t] += tokens * tokens
                totals.topic_products[g, t] += tokens * length
                if of_unit.tokens[t] == 0.0:
                    of_unit.topics[topics_of_unit] = t
                    topics_of_unit += 1
                of_unit.tokens[t] += tokens
        if unit_length > 0.0:
            totals.units[g] += 1
            totals.unit_squares[g] += unit_length * unit_length
        for t in of_unit.topics[:topics_of_unit]:
            tokens = of_unit.tokens[t]
            of_unit.tokens[t] = 0.0
            totals.unit_topic_squares[g, t] += tokens * tokens
            totals.unit_topic_products[g, t] += tokens * unit_length


@njit(cache=True, inline="always")
def _tally_document(d, mixtures, column_of_topic, tally):
    """Fills an empty tally with a document's tokens. Returns how many topics have any."""
    count = 0
    for j in range(mixtures.doc_ptr[d], mixtures.doc_ptr[d + 1]):
        t = column_of_topic[mixtures.doc_topics[j]]
        if t >= 0 and mixtures.doc_tokens[j] > 0:
            if tally.tokens[t] == 0.0:
                tally.topics[count] = t
                count += 1
            tally.tokens[t] += mixtures.doc_tokens[j]
    return count


def shares(group_sums: Sums, typical: np.ndarray, level: float = USUAL_LEVEL) -> GroupShares:
    """Shares of words, topic_tokens / tokens, with intervals on the scale of the logit.

    The linearised variance of a ratio (Cochran 1977, section 6.4), over documents and over units,
    the larger of the two (Liang and Zeger 1986 for the second); Student's t for one less than the
    units, or than the documents with the topic where those are fewer. Where few
    documents have the topic, or none, the ends are those of share_intervals.interval_of_finding,
    and the upper end is tested in place of the share. typical: float64[T], the share of a topic in
    the documents that have it, in all of the corpus.
    """
    n = np.asarray(group_sums.documents)[:, None]
    tokens = np.asarray(group_sums.tokens)[:, None]
    m = group_sums.holding
    topic_tokens = group_sums.topic_tokens
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(tokens > 0, topic_tokens / tokens, np.nan)
        error, df = _errors(group_sums, share)
    share_of_holders = np.where(m > 0, topic_tokens / np.maximum(group_sums.of_holding, 1), 0.0)
    estimate = Estimate(
        share=share,
        error=error,
        df=df,
        units=np.broadcast_to(n, m.shape),
        holding=m,
        of_holders=np.maximum(typical, share_of_holders),
    )
    interval = interval_of_finding(estimate, level)
    stands_in = estimate.few_have_it  # the upper end for the share
    tested_df = np.where(stands_in, np.maximum(n - 1, 1), df)
    return GroupShares(share, *interval, tested_df)


def _errors(group_sums: Sums, share: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(standard error of the logit of each share, degrees of freedom), float64[G, T], as `shares`
    says."""
    n, tokens, squares, units, unit_squares = (
        np.asarray(array)[:, None] for array in group_sums[:5]
    )
    squared_residuals = (
        group_sums.topic_squares - 2 * share * group_sums.topic_products + share**2 * squares
    )
    by_document = np.maximum(squared_residuals, 0.0) * n / np.maximum(n - 1, 1)
    squared_residuals_of_units = (
        group_sums.unit_topic_squares
        - 2 * share * group_sums.unit_topic_products
        + share**2 * unit_squares
    )
    by_unit = np.maximum(squared_residuals_of_units, 0.0) * (units / np.maximum(units - 1, 1))
    has_units = units > 1
    variance = np.maximum(by_document, np.where(has_units, by_unit, 0.0))
    error = np.sqrt(variance) / tokens / np.maximum(share * (1 - share), _LEAST_SHARE)
    df_of_sums = np.where(has_units, units - 1, n - 1)
    return error, np.maximum(np.minimum(group_sums.holding - 1, df_of_sums), 1.0)


def typical(group_sums: Sums) -> np.ndarray:
    """float64[T]: each topic's share of the words of the documents that have it."""
    return group_sums.topic_tokens.sum(axis=0) / np.maximum(group_sums.of_holding.sum(axis=0), 1.0)


class RatioOfShares(NamedTuple):
    """How many times as large one share is as another: ratio, low, high and p, two-sided; float64.
    inf: of nothing."""

    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray


def _log(share: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(share, _LEAST_SHARE))


def ratio(first: GroupShares, second: GroupShares) -> RatioOfShares:
    """The first over the second, with the interval of variance estimates recovery on the scale of
    the logarithm (Zou and Donner 2008; Donner and Zou 2012), of documents that are not the same; p
    by the difference of the logits, with the fewer degrees of freedom. Where one side has the topic
    in FEW_WITH_TOPIC documents its upper end is tested in its place."""
    with np.errstate(invalid="ignore", divide="ignore"):
        value = first.share / second.share
        log_a = _log(first.share)
        log_b = _log(second.share)
        is_on_both = (first.share > 0) & (second.share > 0)
        _, log_low, log_high = difference(
            (log_a, _log(first.low), _log(first.high)),
            (log_b, _log(second.low), _log(second.high)),
        )
        low = np.where(is_on_both, np.exp(log_low), first.low / second.high)
        high = np.where(is_on_both, np.exp(log_high), np.inf)
        high = np.where((first.share == 0) & (second.low > 0), first.high / second.low, high)
        larger_has_few = np.where(
            first.share > second.share, first.tested != first.share, second.tested != second.share
        )
        logit_a = logit(np.clip(first.tested, _LEAST_SHARE, 1 - _LEAST_SHARE))
        logit_b = logit(np.clip(second.tested, _LEAST_SHARE, 1 - _LEAST_SHARE))
        scores = (logit_a - logit_b) / np.maximum(np.hypot(first.error, second.error), _LEAST_SHARE)
        p = 2 * stdtr(np.minimum(first.df, second.df), -np.abs(scores))
        # The stand-in reaches over the other side
        wrong = (first.tested > second.tested) != (first.share > second.share)
        p = np.where(wrong | larger_has_few | np.isnan(value + p), 1.0, p)
    return RatioOfShares(value, low, high, p)


def difference(first: Interval, second: Interval) -> Interval:
    """The first less the second, of documents that are not the same, by the method of variance
    estimates recovery (Newcombe 1998, method 10; Zou and Donner 2008, eq. 7): d - sqrt((a -
    low_a)^2 + (high_b - b)^2) and likewise above. It keeps the level of both intervals and their
    asymmetry. All arrays are float64 of one shape."""
    share_a, low_a, high_a = first
    share_b, low_b, high_b = second
    gap = share_a - share_b
    below = np.hypot(share_a - low_a, high_b - share_b)
    above = np.hypot(high_a - share_a, share_b - low_b)
    return gap, gap - below, gap + above
