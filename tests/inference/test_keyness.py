"""Keyness against a count of every document by hand, and on random halves of texts in which words
come in bursts."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm

from inference.explore.keyness import FEW, differ, keyness, nearer_end
from inference.index.segments import Field, Scratch
from inference.index.two_sets import FIRST, SECOND, sums, tokens as tokens_of, totals


def indexed(
    documents: list[list[int]], forms: int, cuts: tuple[int, ...]
) -> tuple[list[Field], np.ndarray]:
    """The documents, as numbers of forms, in segments that end at the cuts."""
    lengths = np.array([len(words) for words in documents], np.int32)
    first = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    stream = np.array(
        [w | (1 << 29) * (i % 3 == 0) for i, w in enumerate(sum(documents, []))], np.int32
    )
    bounds = [0, *cuts, len(documents)]
    return [
        Field.from_stream(stream, first[a : b + 1], a, Scratch(forms))
        for a, b in zip(bounds, bounds[1:], strict=False)
    ], lengths


def bursty(rng: np.random.Generator, documents: int, forms: int) -> list[list[int]]:
    """A document repeats a word that it has: what counts of tokens take for a difference."""
    made = []
    for length in rng.integers(0, 60, documents):
        words: list[int] = []
        for _ in range(length):
            again = words and rng.random() < 0.5
            words.append(int(rng.choice(words)) if again else int(forms * rng.random() ** 3))
        made.append(words)
    return made


@pytest.mark.parametrize("seed", range(6))
def test_sums_are_those_of_a_count_by_hand(seed, monkeypatch):
    monkeypatch.setattr("inference.index.two_sets.BLOCK", 7)  # forms of a block: several blocks
    rng = np.random.default_rng(seed)
    documents = bursty(rng, 90, 40)
    sets = rng.integers(0, 3, 90).astype(np.uint8)
    fields, lengths = indexed(documents, 40, (30, 31))
    made, whole = sums(fields, 40, lengths, sets, 3), totals(lengths, sets)
    expected = {}
    for w in range(40):
        rows = [
            [
                (words.count(w), len(words))
                for words, s in zip(documents, sets, strict=True)
                if s == side and w in words
            ]
            for side in (FIRST, SECOND)
        ]
        if len(rows[0]) + len(rows[1]) >= 3:
            most = [max(side, key=lambda row: row[0], default=(0, 0)) for side in rows]
            expected[w] = [
                [sum(c for c, _ in side) for side in rows],
                [len(side) for side in rows],
                [sum(c * c for c, _ in side) for side in rows],
                [sum(c * n for c, n in side) for side in rows],
                [c for c, _ in most],
                [n for _, n in most],
            ]
    assert made.forms.tolist() == list(expected)
    assert [[a[i].tolist() for a in made[1:]] for i in range(len(made.forms))] == list(
        expected.values()
    )
    for side in (FIRST, SECOND):
        own = [len(words) for words, s in zip(documents, sets, strict=True) if s == side and words]
        assert [a[side - 1] for a in whole] == [len(own), sum(own), sum(n * n for n in own)]


@pytest.mark.parametrize("chosen", [None, np.arange(90) % 7 > 2, np.zeros(90, bool)])
def test_tokens_of_a_set_are_those_of_a_count_by_hand(chosen):
    documents = bursty(np.random.default_rng(1), 90, 40)
    fields, _ = indexed(documents, 40, (30, 31))
    having = [
        [
            words.count(w)
            for d, words in enumerate(documents)
            if w in words and (chosen is None or chosen[d])
        ]
        for w in range(40)
    ]
    forms, made = tokens_of(fields, 40, chosen, 3)
    assert dict(zip(forms.tolist(), made.tolist(), strict=True)) == {
        w: sum(counts) for w, counts in enumerate(having) if len(counts) >= 3
    }


def naive(documents: list[list[int]], sets: np.ndarray, w: int) -> tuple[float, float]:
    """Log ratio and standard error of a form, document by document."""
    ratio, variance = 0.0, 0.0
    for side, sign in ((FIRST, 1), (SECOND, -1)):
        own = [words for words, s in zip(documents, sets, strict=True) if s == side and words]
        f, tokens, having = (
            sum(words.count(w) for words in own),
            sum(map(len, own)),
            sum(w in words for words in own),
        )
        rate = (f + 0.5) / (tokens + 1)
        ratio += sign * math.log2(rate)
        squares = sum((words.count(w) - rate * len(words)) ** 2 for words in own)
        variance += max(squares * len(own) / (len(own) - 1) / (f + 0.5) ** 2, 1 / (having + 0.5))
    return ratio, math.sqrt(variance) / math.log(2)


def test_ratio_interval_and_likelihood_are_those_of_a_count_by_hand():
    rng = np.random.default_rng(3)
    documents, sets = bursty(rng, 300, 50), rng.integers(0, 3, 300).astype(np.uint8)
    for d in np.flatnonzero(sets == FIRST):
        documents[d] += [49] * int(rng.integers(0, 3))  # a word of the first set
    fields, lengths = indexed(documents, 50, ())
    made, whole = sums(fields, 50, lengths, sets, FEW), totals(lengths, sets)
    k = keyness(made, whole)
    assert k.different[list(made.forms).index(49)]
    by_hand = [naive(documents, sets, int(w)) for w in made.forms]
    assert np.allclose(k.ratio, [ratio for ratio, _ in by_hand])
    z = np.array(
        [
            (k.ratio[i] - k.low[i]) / by_hand[i][1]
            for i in range(len(by_hand))
            if np.isfinite(k.low[i])
        ]
    )
    assert np.allclose(z, z[0]) and 1.959 < z[0] < 3.5  # wider than for one word alone
    for i, tokens in enumerate(made.tokens):
        table = [[t, n - t] for t, n in zip(tokens, whole.tokens, strict=True)]
        assert math.isclose(
            k.g2[i],
            chi2_contingency(table, correction=False, lambda_="log-likelihood")[0],
            abs_tol=1e-9,
        )
    open_ended = np.isfinite(k.low) & np.isfinite(k.high)
    beyond = (k.low > 0) | (k.high < 0)
    assert np.array_equal(beyond[open_ended], k.different[open_ended])
    assert np.all((nearer_end(k) != 0) == beyond)


def test_random_halves_differ_in_few_words_and_by_tokens_alone_in_many():
    rng = np.random.default_rng(5)
    documents = bursty(rng, 3000, 150)
    fields, lengths = indexed(documents, 150, (1500,))
    inside, many, false = [], [], []
    for _ in range(20):
        sets = rng.integers(1, 3, 3000).astype(np.uint8)
        made = sums(fields, 150, lengths, sets, FEW)
        k = keyness(made, totals(lengths, sets))
        inside.append(np.mean(k.adjusted > 0.05))
        many.append(np.mean(k.g2 > 3.84))
        false.append(bool(k.different.any()))
    assert (
        np.mean(false) <= 0.15
    )  # of 20 comparisons of nothing: some word is called different in at most 3
    assert np.mean(inside) > 0.99
    assert np.mean(many) > 0.15  # 0.05 if tokens were independent


def naive_score(documents: list[list[int]], sets: np.ndarray, w: int) -> float:
    """The p value of a form, document by document: how far the first set is from the rate of both
    together."""
    sides = [
        [words for words, s in zip(documents, sets, strict=True) if s == side]
        for side in (FIRST, SECOND)
    ]
    tokens = [sum(map(len, side)) for side in sides]
    rate = sum(words.count(w) for side in sides for words in side) / sum(tokens)
    far = [[words.count(w) - rate * len(words) for words in side] for side in sides]
    variance = sum(
        (1 - n / sum(tokens)) ** 2 * sum(x * x for x in side)
        for n, side in zip(tokens, far, strict=True)
    )
    return float(2 * norm.sf(abs(sum(far[0])) / math.sqrt(variance)))


def step_up(p: list[float], level: float) -> list[bool]:
    """Benjamini and Hochberg 1995: up to the largest rank at which p is small enough."""
    ranked = sorted(p)
    last = max((r for r, x in enumerate(ranked, 1) if x <= level * r / len(p)), default=0)
    return [last > 0 and x <= ranked[last - 1] for x in p]


def test_what_differs_is_that_of_the_twin():
    rng, some = np.random.default_rng(8), []
    for _ in range(12):
        documents, sets = bursty(rng, 200, 60), rng.integers(0, 3, 200).astype(np.uint8)
        for d in np.flatnonzero(sets == FIRST):
            documents[d] += [w for w in range(50, 60) for _ in range(rng.random() < (w - 50) / 12)]
        fields, lengths = indexed(documents, 60, ())
        made = sums(fields, 60, lengths, sets, FEW)
        p = [naive_score(documents, sets, int(w)) for w in made.forms]
        some.append(step_up(p, 0.05))
        assert differ(made, totals(lengths, sets)).tolist() == some[-1]
    assert sum(map(sum, some)) > 20 and not all(map(all, some))


def test_random_halves_hardly_differ_and_a_word_of_one_side_does():
    rng, false = np.random.default_rng(9), []
    documents = bursty(rng, 600, 150)
    fields, lengths = indexed(documents, 150, ())
    for _ in range(40):
        sets = rng.integers(1, 3, 600).astype(np.uint8)
        false.append(
            bool(differ(sums(fields, 150, lengths, sets, FEW), totals(lengths, sets)).any())
        )
    assert np.mean(false) <= 0.1
    for d in np.flatnonzero(sets == FIRST)[:18]:
        documents[d].append(150)
    fields, lengths = indexed(documents, 151, ())
    made, whole = sums(fields, 151, lengths, sets, FEW), totals(lengths, sets)
    assert (
        differ(made, whole)[-1] and not keyness(made, whole).different[-1]
    )  # 18 documents against none
    assert differ(sums(fields, 151, lengths, sets, 999), whole).tolist() == []


def test_a_word_of_one_document_is_marked_and_one_of_few_has_an_open_end():
    documents = [[0] * 20 + [1] for _ in range(40)] + [[0] * 20 for _ in range(40)]
    documents[0] += [2] * 30  # one document has most of it
    for d in range(1, 20):
        documents[d].append(2)
    sets = np.repeat([FIRST, SECOND], 40).astype(np.uint8)
    fields, lengths = indexed(documents, 3, ())
    made = sums(fields, 3, lengths, sets, FEW)
    k = keyness(made, totals(lengths, sets))
    assert made.forms.tolist() == [0, 1, 2]
    assert k.burst.tolist() == [False, False, True]
    assert (
        k.high[1] == np.inf and k.low[1] > 0 and k.different[1]
    )  # the second set never has it: “at least”
    swapped = keyness(
        sums(fields, 3, lengths, (3 - sets).astype(np.uint8), FEW),
        totals(lengths, (3 - sets).astype(np.uint8)),
    )
    assert np.allclose(swapped.ratio, -k.ratio) and swapped.low[1] == -np.inf


def test_nothing_in_common_is_no_error():
    fields, lengths = indexed([[0], [1]], 2, ())
    sets = np.array([FIRST, SECOND], np.uint8)
    k = keyness(sums(fields, 2, lengths, sets, FEW), totals(lengths, sets))
    assert [len(array) for array in k] == [0] * 7


def test_counts_of_each_form_are_of_all_documents():
    rng = np.random.default_rng(8)
    documents = bursty(rng, 50, 20)
    fields, lengths = indexed(documents, 20, (10, 20, 40))
    made = sums(fields, 20, lengths, np.ones(50, np.uint8), 1)
    counted = Counter(w for words in documents for w in words)
    assert dict(zip(made.forms.tolist(), made.tokens[:, 0].tolist(), strict=True)) == counted
