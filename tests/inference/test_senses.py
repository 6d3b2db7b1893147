"""The senses of a word against their slow twins, on a made corpus of random topics."""

import numpy as np
import pytest

from inference import Bow, Evidence
from inference.evidence.mixtures import DocumentMixtures
from inference.evidence.token_topics import TokenTopics
from inference.evidence.topic_documents import TopicDocuments
from inference.evidence.word_topics import WordTopics
from inference.senses import SenseUses, distinguishing, order_evenly
from tests.inference import naive_senses as naive
from tests.inference.corpora import postings as postings_of

D = 120
V = 40
K = 6


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    rng = np.random.default_rng(5)
    counts = rng.poisson(0.35, (D, V)).astype(np.int32)
    words = [np.flatnonzero(row) for row in counts]
    indptr = np.cumsum([0] + [len(w) for w in words])
    bow = Bow(indptr, np.concatenate(words).astype(np.int32), counts[counts > 0], V)
    postings = postings_of(bow)
    n = len(bow.words)
    document = np.repeat(np.arange(D), np.diff(indptr))
    topics = np.where(rng.random(n) < 0.7, document % K, rng.integers(0, K, n)).astype(np.uint16)
    certainty = rng.integers(40, 256, n).astype(np.uint8)
    order = np.lexsort((document, bow.words))
    nothing = np.zeros(0, np.int32)
    mixtures = DocumentMixtures(K, np.zeros(D + 1, np.int64), nothing, nothing, bow)
    word_topics = WordTopics(
        K=K,
        section_bow=bow,
        postings=postings,
        topics=topics[order],
        certainty=certainty[order],
        held_ptr=np.zeros(V + 1, np.int64),
        held_topics=nothing,
        held_tokens=nothing,
        held_documents=nothing,
    )
    return Evidence(
        section_bow=bow,
        postings=postings,
        token_topics=TokenTopics(bow, topics, certainty),
        mixtures=mixtures,
        topic_documents=TopicDocuments(mixtures, np.zeros(K + 1, np.int64), nothing, nothing),
        word_topics=word_topics,
    )


INTO = [np.arange(K), np.array([0, 1, 0, 3, 1, 5])]
MASKS = [None, np.arange(D) % 3 > 0]


@pytest.mark.parametrize("into", INTO)
@pytest.mark.parametrize("mask", MASKS)
def test_tokens_by_topic_and_group(evidence, into, mask):
    group = (np.arange(D) % 4 - 1).astype(np.int32)
    for word in (0, 7, 39):
        uses = SenseUses(evidence, word, into, mask)
        tokens = naive.tokens_of(evidence, word, into, mask)
        for of, groups, G in ((None, [0] * D, 1), (group, group, 3)):
            found = uses.tally(of, G)
            for array, expected in zip(found, naive.tally(tokens, groups), strict=True):
                assert {(g, k): n for (g, k), n in np.ndenumerate(array) if n} == {
                    key: n for key, n in expected.items() if key[0] >= 0
                }
        for k in range(K):
            pairs = uses.pairs(k)
            of = [certainty for _, topic, certainty in tokens if topic == k]
            assert uses.counts[pairs].sum() == len(of)
            assert uses.certainties()[k] == pytest.approx(np.mean(of) / 255 if of else 0)


def test_orders_hold_every_pair_once(evidence):
    uses = SenseUses(evidence, 3, np.arange(K))
    pairs = uses.pairs(None)
    by_certainty = uses.by_certainty(pairs)
    assert sorted(by_certainty) == sorted(pairs)
    assert np.all(np.diff(uses.certainty[by_certainty].astype(int)) <= 0)
    days = np.where(np.arange(D) % 5 == 0, 0, 700_000 + np.arange(D)[::-1] * 40).astype(np.int32)
    for newest in (False, True):
        ordered = days[uses.documents[uses.by_day(pairs, days, newest=newest)]].astype(int)
        assert sorted(uses.by_day(pairs, days, newest=newest)) == sorted(pairs)
        known = ordered[ordered > 0]
        assert np.all(np.diff(known) <= 0) if newest else np.all(np.diff(known) >= 0)
        assert np.all(ordered[len(known) :] == 0)  # those without a date come last
    empty = uses.by_day(pairs[:0], days)
    assert len(empty) == 0 and len(uses.by_day(pairs, np.zeros(D, np.int32))) == len(pairs)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 97, 1000])
def test_spread_takes_all_and_every_beginning_from_everywhere(n):
    items = order_evenly(np.arange(n))
    assert sorted(items) == list(range(n))
    if n >= 97:
        assert set(items[:20] * 10 // n) == set(range(10))


@pytest.mark.parametrize("into", INTO)
def test_near_words(evidence, into):
    word = 11
    uses = SenseUses(evidence, word, into)
    tokens = naive.tokens_of(evidence, word, into, None)
    senses = sorted({k for _, k, _ in tokens})
    expected = naive.near(evidence, tokens, senses, into, word)
    assert any(expected)
    for found, of in zip(uses.near(senses, 10_000), expected, strict=True):
        assert {near.word for near in found} == set(of)
        for near in found:
            assert (near.documents, near.score) == (
                of[near.word][0],
                pytest.approx(of[near.word][1], abs=1e-9),
            )
        assert [near.score for near in found] == sorted(
            (near.score for near in found), reverse=True
        )


def test_a_sole_sense_is_told_from_the_corpus(evidence):
    uses = SenseUses(evidence, 11, np.zeros(K, np.int64))
    [found] = uses.near([0], 10)
    frequencies = np.diff(evidence.postings.indptr)
    for near in found:
        assert near.documents / near.of > frequencies[near.word] / D
        assert near.elsewhere == pytest.approx(
            (frequencies[near.word] - near.documents) / (D - near.of)
        )


def test_two_words_told_apart(evidence):
    a, b = (SenseUses(evidence, w, np.arange(K)) for w in (2, 9))
    of = [set(uses.documents.tolist()) for uses in (a, b)]
    of = [of[0] - of[1], of[1] - of[0]]
    assert distinguishing(evidence, a, a, 5) == ([], [])
    for side, found in enumerate(distinguishing(evidence, a, b, 5)):
        for near in found:
            has = set(evidence.word_topics.of_word(near.word)[0].tolist())
            assert near.documents == len(has & of[side]) and near.of == len(of[side])
            assert near.elsewhere == pytest.approx(len(has & of[1 - side]) / len(of[1 - side]))
            assert near.documents / near.of > near.elsewhere
