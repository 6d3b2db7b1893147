"""Keyness on random halves of texts in which words come in bursts, and tokens of sets against a
count of every document by hand."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from inference.answers.words import answer_words
from inference.explore.keyness import Keyness, keyness
from inference.index import word_units
from inference.index.segments import IndexField, Scratch
from inference.index.two_sets import FIRST, SECOND, tokens as tokens_of, totals

LEAST = 5  # documents that have a word


def indexed(
    documents: list[list[int]], forms: int, cuts: tuple[int, ...]
) -> tuple[list[IndexField], np.ndarray]:
    """The documents, as numbers of forms, in segments that end at the cuts."""
    lengths = np.array([len(words) for words in documents], np.int32)
    first = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    stream = np.array(
        [w | (1 << 29) * (i % 3 == 0) for i, w in enumerate(sum(documents, []))], np.int32
    )
    bounds = [0, *cuts, len(documents)]
    return [
        IndexField.from_stream(stream, first[a : b + 1], a, Scratch(forms))
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


def of_documents(
    documents: list[list[int]], sets: np.ndarray, forms: int, cuts: tuple[int, ...] = ()
) -> tuple[word_units.Counted, np.ndarray, Keyness]:
    """What is counted of two sets, their words, and keyness with documents as units."""
    fields, lengths = indexed(documents, forms, cuts)
    sides = word_units.sides_of(sets.astype(int) - 1, lengths, None)
    found = word_units.count_words(fields, forms, sides, LEAST)

    def amounts_of(words: np.ndarray) -> np.ndarray:
        return word_units.amounts(word_units.gather(fields, found.forms[words]), sides)

    answers = answer_words(sides.sizes, found.sums, amounts_of)
    words = totals(lengths, sets).tokens
    return found, words, keyness(answers, found.sums, words)


@pytest.mark.parametrize("cuts", [(), (100, 101, 250)])
@pytest.mark.parametrize("of_documents", [False, True])
@pytest.mark.parametrize(
    ("longest", "dtype"), [(60, np.uint8), (900, np.uint16), (20_000, np.int32)]
)
def test_sums_of_documents_have_the_bits_of_sums_of_units(
    cuts, of_documents, longest, dtype, monkeypatch
):
    """Where every unit is a document, on one side, the other side or neither."""
    rng = np.random.default_rng(11)
    forms = 60
    documents = bursty(rng, 1_400, forms)
    documents[17] = rng.integers(0, forms, longest).tolist()
    fields, lengths = indexed(documents, forms, cuts)
    sizes = np.minimum(lengths, 1) if of_documents else lengths
    side = rng.integers(-1, 2, len(documents))
    side[17] = 1
    sides = word_units.sides_of(side, sizes, None)
    by_document = word_units.ByDocument.of(sides)
    assert by_document is not None
    assert by_document.packed.dtype == (np.uint8 if of_documents else dtype)
    found = word_units.count_words(fields, forms, sides, LEAST, of_documents=of_documents)
    monkeypatch.setattr(word_units, "LONGEST_TABLED_DOCUMENT", 0)
    assert word_units.ByDocument.of(sides) is None
    of_units = word_units.count_words(fields, forms, sides, LEAST, of_documents=of_documents)
    assert found.forms.tolist() == of_units.forms.tolist()
    assert found.documents.tolist() == of_units.documents.tolist()
    for name, sums in found.sums._asdict().items():
        expected = getattr(of_units.sums, name)
        assert sums.dtype == expected.dtype and np.array_equal(sums, expected), name


def test_units_of_several_documents_are_not_counted_as_documents():
    unit = np.array([0, 0, -1, -1, -1])
    sides = word_units.sides_of(np.array([0, 0, 1, 1, -1]), np.ones(5, np.int32), unit)
    assert not sides.are_documents


def test_likelihood_is_that_of_scipy_and_totals_those_of_a_count_by_hand():
    rng = np.random.default_rng(3)
    documents = bursty(rng, 300, 50)
    sets = rng.integers(0, 3, 300).astype(np.uint8)
    found, words, k = of_documents(documents, sets, 50)
    for side in (FIRST, SECOND):
        own = [len(words) for words, s in zip(documents, sets, strict=True) if s == side]
        assert words[side - 1] == sum(own)
    for i, tokens in enumerate(found.sums.tokens):
        table = [[t, n - t] for t, n in zip(tokens, words, strict=True)]
        test = chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert k.g2[i] == pytest.approx(test[0], abs=1e-9)


def test_random_halves_differ_in_few_words_and_by_tokens_alone_in_many():
    rng = np.random.default_rng(5)
    documents = bursty(rng, 1000, 150)
    many = []
    false = []
    for _ in range(20):
        sets = rng.integers(1, 3, 1000).astype(np.uint8)
        _, _, k = of_documents(documents, sets, 150, (500,))
        many.append(np.mean(k.g2 > 3.84))
        false.append(bool(k.different.any()))
    assert np.mean(false) <= 0.15  # some word is called different in at most 3 of 20 comparisons
    assert np.mean(many) > 0.15  # 0.05 if tokens were independent


def test_a_word_of_one_side_differs_and_its_interval_has_no_end():
    rng = np.random.default_rng(9)
    documents = bursty(rng, 600, 150)
    sets = rng.integers(1, 3, 600).astype(np.uint8)
    for d in np.flatnonzero(sets == FIRST)[:18]:
        documents[d].append(150)  # 18 documents against none
    found, _, k = of_documents(documents, sets, 151)
    assert found.forms[-1] == 150
    assert k.different[-1] and k.ratio[-1] == np.inf
    assert k.high[-1] == np.inf and 0 < k.low[-1] < np.inf
    _, _, swapped = of_documents(documents, (3 - sets).astype(np.uint8), 151)
    assert np.allclose(swapped.ratio, -k.ratio)
    assert swapped.low[-1] == -np.inf and swapped.high[-1] == pytest.approx(-k.low[-1])


def test_nothing_in_common_is_no_error():
    sets = np.array([FIRST, SECOND], np.uint8)
    _, _, k = of_documents([[0], [1]], sets, 2)
    assert [len(array) for array in k] == [0] * 7
