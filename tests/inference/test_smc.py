"""Sequential Monte Carlo against its slow twin, its limits, and what it finds."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference import Bow, Snapshot, begin, engines, fold_in_corpus, train
from inference.engines import smc
from inference.kernels import gibbs
from inference.schedule import Schedule, held_out_documents
from tests.inference import naive_collapsed
from tests.inference.corpora import bow_of, corpus_of_size, planted


def last(config, bow, **options) -> Snapshot:
    for event in train(smc, config, bow, **options):
        if isinstance(event, Snapshot):
            final = event
    return final


def documents_of(bow: Bow) -> list[list[int]]:
    return [
        np.repeat(bow.words[a:b], bow.counts[a:b]).tolist()
        for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("minibatch", [1, 7, 1000])
def test_it_is_the_slow_twin_however_a_pass_is_cut(passes, minibatch):
    """By the same random numbers every token gets the same topic; held-out documents give
    nothing."""
    bow, _ = planted(K=3, V=20, D=40, length=9, seed=2)
    config = smc.Config(topics=5, passes=passes, sweeps=2, minibatch=minibatch).resolve(
        bow.D, bow.tokens
    )
    schedule = Schedule(bow, config, held_out_documents(bow, 4))
    order = [
        np.concatenate(
            [schedule.batch(visit * schedule.per_pass + i, 4) for i in range(schedule.per_pass)]
        )
        for visit in range(passes)
    ]
    counts, topics = naive_collapsed.smc(
        documents_of(bow), order, 4, 5, bow.V, config.alpha, config.eta, sweeps=2, passes=passes
    )
    state = last(config, bow, seed=4).state
    assert np.array_equal(state.counts.T, counts) and np.array_equal(
        state.totals, counts.sum(axis=1)
    )
    for d in topics if passes > 1 else ():
        assert state.memory[bow.first_token[d] : bow.first_token[d + 1]].tolist() == topics[d]


def test_counts_are_those_of_what_is_remembered():
    bow, _ = planted(K=4, V=60, D=120, length=30, seed=5)
    config = smc.Config(topics=6, passes=3, minibatch=16).resolve(bow.D, bow.tokens)
    state = last(config, bow, seed=1).state
    held_out = held_out_documents(bow, 1)
    words = np.repeat(bow.words, bow.counts)
    seen = state.memory != gibbs.UNSEEN
    assert not seen[
        np.concatenate([np.arange(*bow.first_token[d : d + 2]) for d in held_out])
    ].any()
    expected = np.zeros_like(state.counts)
    np.add.at(expected, (words[seen], state.memory[seen]), 1)
    assert np.array_equal(state.counts, expected) and np.array_equal(
        state.totals, expected.sum(axis=0)
    )
    assert state.totals.sum() == bow.tokens - np.diff(bow.first_token)[held_out].sum()


@pytest.mark.parametrize("passes", [1, 12])
def test_planted_topics_are_found(passes):
    """In many passes nearly all; in one, which forgets nothing, most: as the paper says, it is the
    worse for it."""
    found = []
    for seed in range(5):
        bow, beta = planted(K=6, V=120, D=800, length=60, seed=seed)
        topics = last(smc.Config(topics=6, alpha=0.2, passes=passes), bow, seed=seed).topics.dense()
        distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
        found += (distance[linear_sum_assignment(distance)] < 0.2).tolist()
    assert sum(found) >= (0.85 if passes > 1 else 0.6) * len(found), found


def test_one_topic_is_the_corpus():
    bow = bow_of([[0, 1, 1], [2, 1]] * 15, 3)
    config = smc.Config(topics=1, eta=0.5).resolve(bow.D, bow.tokens)
    final = last(config, bow)
    counts = np.zeros(3)
    np.add.at(counts, bow.words, bow.counts)
    for d in held_out_documents(bow, 0):
        row = slice(*bow.indptr[d : d + 2])
        np.add.at(counts, bow.words[row], -bow.counts[row])
    assert final.state.counts[:, 0].tolist() == counts.tolist()
    assert final.topics.dense()[0] == pytest.approx((0.5 + counts) / (1.5 + counts.sum()))


@pytest.mark.parametrize(
    "priors", [{"alpha": 1e-6, "eta": 1e-6}, {"alpha": 1e5, "eta": 1e5}], ids=str
)
def test_extreme_priors(priors):
    bow = bow_of([[0, 1], [2, 3]] * 20, 4)
    config = smc.Config(topics=3, passes=2, **priors).resolve(bow.D, bow.tokens)
    final = last(config, bow)
    assert np.isfinite(final.topics.dense()).all() and final.topics.dense().sum(
        axis=1
    ) == pytest.approx(np.ones(3))
    assert len(list(fold_in_corpus(smc, config, final.state, bow))[0].weights)


def test_a_document_of_ten_million_words():
    bow = Bow(
        np.array([0, 2, 3]),
        np.array([0, 1, 1], np.int32),
        np.array([9_000_000, 1_000_000, 3], np.int32),
        2,
    )
    final = last(smc.Config(topics=3, sweeps=1), bow)
    assert final.state.totals.sum() == final.tokens == bow.tokens


def test_a_training_begins_with_the_topics_that_tokens_have():
    bow, _ = planted(K=5, V=100, D=300, length=40, seed=7)
    config = smc.Config(topics=5, passes=3).resolve(bow.D, bow.tokens)
    given = np.array([3, 1, 4, 0, 2])[bow.words // 20].astype(np.uint16)
    state = begin(smc, config, bow, given, seed=3)
    expected = np.zeros((bow.V, 5), int)
    for d in np.setdiff1d(np.arange(bow.D), held_out_documents(bow, 3)):
        row = slice(*bow.indptr[d : d + 2])
        np.add.at(expected, (bow.words[row], given[row]), bow.counts[row])
    assert np.array_equal(state.counts, expected)
    once = begin(smc, replace(config, passes=1), bow, given, seed=3)
    final = last(replace(config, passes=1), bow, seed=3, resume=once)
    assert final.state.totals.sum() == expected.sum(), "no token counts twice"


def test_what_is_needed_grows_with_topics_and_words():
    config = engines.config(smc.NAME, topics=100).resolve(1000, 100_000)
    assert smc.memory_bytes(config, corpus_of_size(1000, 50_000, 100_000, 4)) > 8 * 50_000 * 100
