"""Sums over ranges of days, against sums over the documents one by one."""

from types import SimpleNamespace

import numpy as np
import pytest

from inference import day_sums, topic_sums
from inference.day_sums import FOREVER, DaySums
from inference.documents import take_evenly, take_evenly_outside
from inference.explore import bands

K = 6
D = 400


def evidence(span: int, seed: int = 1) -> tuple[SimpleNamespace, np.ndarray]:
    """Documents of `span` days, some without a date and some without words."""
    chance = np.random.default_rng(seed)
    days = np.where(chance.random(D) < 0.1, 0, 700_000 + chance.integers(0, span, D)).astype(
        np.int32
    )
    tokens = chance.integers(1, 9, (D, K)) * (chance.random((D, K)) < 0.4)
    tokens[::17] = 0
    d, k = np.nonzero(tokens)
    ptr = np.concatenate([[0], np.cumsum((tokens > 0).sum(axis=1))])
    order = np.lexsort((d, k))
    topic_ptr = np.searchsorted(k[order], np.arange(K + 1))
    of = SimpleNamespace(
        K=K,
        tokens=tokens,
        doc_ptr=ptr,
        doc_topics=k.astype(np.uint16),
        doc_tokens=tokens[d, k].astype(np.int32),
        lengths=tokens.sum(axis=1),
    )
    of.topic_documents = SimpleNamespace(
        mixtures=of, topic_ptr=topic_ptr, by_share=d[order].astype(np.int32)
    )
    return of, days


def made(folder, of, days) -> DaySums | None:
    DaySums.write(folder, days, K, of.doc_ptr, of.doc_topics, of.doc_tokens, of.lengths)
    return DaySums.open(folder)


def expected(of, days, spans, topics, into):
    whole = np.zeros((len(spans) + 1, 4))
    sums = np.zeros((len(topics), len(spans) + 1, 5))
    for g, (a, b) in enumerate([*spans, (0, FOREVER)]):
        for d in np.flatnonzero((days >= a) & (days < b)).tolist():
            length = int(of.lengths[d])
            whole[g] += [1, length > 0, length, length**2]
            for t, k in enumerate(topics):
                x = int(of.tokens[d, into == k].sum())
                sums[t, g] += [1, x, length, x * x, x * length] if x else 0
    return whole, sums


@pytest.mark.parametrize("span", [3, 40, 400, 4_000])
@pytest.mark.parametrize("merged", [False, True])
def test_sums_of_days_are_those_of_their_documents(tmp_path, monkeypatch, span, merged):
    of, days = evidence(span)
    monkeypatch.setattr(
        day_sums, "LOOKED_AT_ONE_IN", 1
    )  # however many documents lie between two edges
    sums = made(tmp_path, of, days)
    into = np.array([0, 1, 1, 3, 0, 5] if merged else range(K), np.int32)
    first = 700_000
    spans = [
        (0, first + 1),
        (first + 1, first + span // 2),
        (first + span // 2, first + span // 2),
        (first + span // 2, FOREVER),
    ]
    documents = lambda a, b: np.flatnonzero((days >= a) & (days < b)).astype(np.int32)  # noqa: E731
    topics = [4, 0, 1, 5]
    result = sums.ranges(spans, of.topic_documents, documents, days, topics, into)
    whole, per_topic = expected(of, days, spans, topics, into)
    assert np.array_equal(result.whole, whole) and np.array_equal(result.by_topic, per_topic)
    only = sums.ranges(
        spans,
        of.topic_documents,
        documents,
        days,
        topics,
        into,
        (topic_sums.TOKENS, topic_sums.NUMBER),
    )
    assert np.array_equal(only.by_topic, per_topic[:, :, [1, 0]])
    group = np.select([(days >= a) & (days < b) for a, b in spans], range(len(spans)), -1).astype(
        np.int32
    )
    arrays = of.doc_ptr, of.doc_topics, of.doc_tokens, of.lengths
    one_pass = bands.shares(*arrays, group, len(spans), topics, column_of_topic=into)
    for a, b in zip(
        bands.of_sums(result.of_worded[:-1], result.by_topic[:, :-1], result.by_topic[:, -1]),
        one_pass,
        strict=True,
    ):
        assert np.array_equal(a, b, equal_nan=True)
    numbers = np.flatnonzero(group == 1).astype(np.int32)
    alone = bands.sums_of(numbers, *arrays, np.zeros(len(numbers), np.int32), 1, topics, into)
    assert np.array_equal(alone[0][0], whole[1, 1:]) and np.array_equal(
        alone[1][:, 0], per_topic[:, 1]
    )


def test_edges_are_days_months_or_years_by_how_much_room_they_take():
    _, days = evidence(4_000)
    lengths = [len(day_sums.edges_of_days(days, rows, K)) for rows in (1_000_000, 10_000, 1_000)]
    assert lengths == [int(days.max() - days[days > 0].min()) + 3, 134, 14]
    assert (
        day_sums.edges_of_days(days, 100, K) is None
        and day_sums.edges_of_days(np.zeros(9, np.int32), 10**6, K) is None
    )


def test_where_most_documents_lie_between_edges_a_pass_is_left_to_others(tmp_path):
    of, days = evidence(4_000)
    sums = made(tmp_path, of, days)
    documents = lambda a, b: np.flatnonzero((days >= a) & (days < b)).astype(np.int32)  # noqa: E731
    assert len(sums.edges) < 20  # years
    edge = int(sums.edges[5])
    assert (
        sums.ranges(
            [(edge - 150, edge + 150)], of.topic_documents, documents, days, [0], np.arange(K)
        )
        is not None
    )
    half_years = [(day, day + 180) for day in range(edge - 1_500, edge + 1_500, 180)]
    assert sums.ranges(half_years, of.topic_documents, documents, days, [0], np.arange(K)) is None


def test_the_next_documents_of_some_days():
    days = np.array([5, 0, 7, 6, 5, 9], np.int32)
    assert day_sums.in_span(days, 5, 7, 0, 2).tolist() == [0, 3]
    assert day_sums.in_span(days, 5, 7, 1, 9).tolist() == [3, 4]
    assert day_sums.in_span(days, 0, FOREVER, -3, 2).tolist() == [0, 1]


def test_samples_are_spread_evenly():
    documents = np.arange(0, 300, 3, dtype=np.int32)
    assert np.array_equal(take_evenly(documents, 200), documents)
    assert set(np.diff(take_evenly(documents, 40)).tolist()) <= {6, 9}
    others = np.setdiff1d(np.arange(301), documents)
    assert np.array_equal(take_evenly_outside(documents, 301, 1_000), others)
    some = take_evenly_outside(documents, 301, 50)
    assert len(some) == 50 and np.isin(some, others).all() and np.diff(some).max() <= 7
    assert take_evenly_outside(np.zeros(0, np.int32), 4, 2).tolist() == [0, 2]
