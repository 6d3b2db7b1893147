import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from inference.bow import Bow, rows_written
from inference.errors import Invalid
from tests.inference.corpora import bow_of


def test_from_csr_sorts_and_drops_zeros():
    bow = Bow.from_csr(csr_array(np.array([[0, 2, 1], [0, 0, 0], [3, 0, 0]])))
    assert (bow.D, bow.V, bow.tokens) == (3, 3, 6)
    assert bow.indptr.tolist() == [0, 2, 2, 3]
    assert bow.words.tolist() == [1, 2, 0]
    assert bow.counts.tolist() == [2, 1, 3]


def test_from_csr_adds_up_counts_of_one_word_in_one_document():
    indptr = np.array([0, 3, 4])
    matrix = csr_array((np.array([1, 2, 4, 1]), np.array([2, 0, 2, 1]), indptr), shape=(2, 3))
    bow = Bow.from_csr(matrix)
    assert bow.words.tolist() == [0, 2, 1] and bow.counts.tolist() == [2, 5, 1]
    assert matrix.nnz == 4


def test_from_csr_adds_up_narrow_counts_without_losing_any():
    indptr = np.array([0, 2])
    counts = np.array([200, 200], np.uint8)
    matrix = csr_array((counts, np.array([1, 1]), indptr), shape=(1, 2))
    assert Bow.from_csr(matrix).counts.tolist() == [400]


def test_fractions_are_no_counts():
    with pytest.raises(Invalid, match="whole numbers"):
        Bow.from_csr(csr_array(np.array([[0.5]])))


@pytest.mark.parametrize("documents", [[[0, 1, 1], [], [2]], [[], []], []])
def test_saved_and_opened(tmp_path, documents):
    bow = bow_of(documents, 3)
    bow.save(tmp_path)
    again = Bow.open(tmp_path)
    assert (again.D, again.V, again.tokens, again.digest) == (bow.D, bow.V, bow.tokens, bow.digest)
    assert np.array_equal(again.words, bow.words)
    assert np.array_equal(again.indptr, bow.indptr)
    assert Bow(again.indptr, again.words, again.counts, 3).digest == bow.digest


def test_digest_tells_corpora_apart():
    assert len({bow_of(d, 3).digest for d in ([[0, 1]], [[0], [1]], [[0, 2]], [[0, 1, 1]])}) == 4
    assert bow_of([[0, 1]], 3).digest != bow_of([[0, 1]], 4).digest


def test_an_unfinished_folder_is_refused(tmp_path):
    with pytest.raises(Invalid, match="no finished bag of words"):
        Bow.open(tmp_path)


def test_a_folder_that_is_written_again_is_unfinished_until_then(tmp_path):
    bow_of([[0, 1, 1], [2]], 3).save(tmp_path)
    lengths = np.array([1])
    one = np.ones(1, np.int32)
    with pytest.raises(RuntimeError), rows_written(tmp_path, 2, 3, 2, 2) as write:
        write(lengths, one, one, one)
        raise RuntimeError("killed")
    with pytest.raises(Invalid, match="no finished bag of words"):
        Bow.open(tmp_path)


@pytest.mark.parametrize(
    ("indptr", "words", "counts", "sentence"),
    [
        ([1, 2], [0], [1], "begin with 0"),
        ([0, 2, 1], [0, 1], [1, 1], "never fall"),
        ([0, 2], [0], [1], "entries"),
        ([0, 1], [3], [1], "words must be"),
        ([0, 1], [-1], [1], "words must be"),
        ([0, 1], [0], [0], "at least 1"),
        ([0, 2], [1, 0], [1, 1], "ascend"),
        ([0, 2], [1, 1], [1, 1], "ascend"),
        ([0, 1.9], [0], [1], "indptr must be whole numbers below 2\\^63"),
        ([0, 1], [2**32 + 1], [1], "words must be whole numbers below 2\\^31"),
        ([0, 1], [0], [2**32 + 3], "counts must be whole numbers below 2\\^31"),
        ([0, 1], [0], [2**63], "counts must be whole numbers"),
        ([0, 1], [0], [1.9], "counts must be whole numbers"),
        ([0, 1], [0], [np.nan], "counts must be whole numbers"),
        ([0, 1], [0], [1e20], "counts must be whole numbers"),
        ([0, 1], ["0"], [1], "words must be whole numbers"),
    ],
)
def test_arrays_that_do_not_fit(indptr, words, counts, sentence):
    with pytest.raises(Invalid, match=sentence):
        Bow(np.array(indptr), np.array(words), np.array(counts), 3)


def test_whole_numbers_of_any_type_are_taken():
    bow = Bow([0, 2.0], np.array([0, 2], np.uint64), [1.0, 3.0], 3)
    assert bow.words.dtype == bow.counts.dtype == np.int32 and bow.indptr.dtype == np.int64
    assert bow.counts.tolist() == [1, 3]
    assert Bow([0], [], [], 3).D == 0


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_words_ascend_within_documents_wherever_a_block_ends(monkeypatch, chunk):
    monkeypatch.setattr("inference.bow.CHUNK", chunk)
    counts = np.ones(7, int)
    words = np.array([2, 3, 0, 1, 4, 0, 0])
    assert Bow(np.array([0, 0, 2, 5, 5, 6, 7, 7]), words, counts, 5).D == 7
    for indptr in ([0, 3, 5, 6, 7], [0, 2, 6, 7], [0, 2, 5, 7], [0, 2, 7]):
        with pytest.raises(Invalid, match="ascend"):
            Bow(np.array(indptr), words, counts, 5)


def test_checking_takes_the_memory_of_a_block(monkeypatch):
    monkeypatch.setattr("inference.bow.CHUNK", 1 << 10)
    pairs = 1 << 20
    indptr = np.array([0, pairs])
    words = np.arange(pairs, dtype=np.int32)
    counts = np.ones(pairs, np.int32)
    tracemalloc.start()
    try:
        Bow(indptr, words, counts, pairs)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < pairs / 10


def test_words_may_fall_between_documents():
    assert Bow(np.array([0, 2, 2, 3]), np.array([0, 2, 0]), np.array([1, 1, 1]), 3).D == 3


def test_without_some_words_nothing_is_renumbered(tmp_path):
    rng = np.random.default_rng(2)
    documents = [np.unique(rng.integers(0, 12, n)) for n in (5, 0, 9, 3, 12)]
    counts = [rng.integers(1, 4, len(words)) for words in documents]
    offsets = np.arange(sum(c.sum() for c in counts), dtype=np.int32)
    indptr = np.cumsum([0, *map(len, documents)])
    bow = Bow(
        indptr,
        np.concatenate(documents).astype(np.int32),
        np.concatenate(counts).astype(np.int32),
        12,
        offsets=offsets,
    )
    dropped = np.array([0, 3, 11])
    found = bow.without(dropped, tmp_path / "less")
    assert (found.D, found.V) == (5, 12) and found.digest == Bow.open(
        tmp_path / "less"
    ).digest != bow.digest
    places = np.repeat(np.arange(len(bow.words)), bow.counts)  # the pair of each token
    assert found.offsets.tolist() == offsets[~np.isin(bow.words[places], dropped)].tolist()
    for d, (words, n) in enumerate(zip(documents, counts, strict=True)):
        stays = ~np.isin(words, dropped)
        row = slice(found.indptr[d], found.indptr[d + 1])
        assert (
            found.words[row].tolist() == words[stays].tolist()
            and found.counts[row].tolist() == n[stays].tolist()
        )
    assert found.tokens == sum(
        int(n[~np.isin(w, dropped)].sum()) for w, n in zip(documents, counts, strict=True)
    )
    assert (
        Bow(indptr, bow.words, bow.counts, 12).without(np.arange(12), tmp_path / "none").tokens == 0
    )


def test_tokens_of_words_are_counted_in_chunks(monkeypatch):
    monkeypatch.setattr("inference.bow.CHUNK", 2)
    assert bow_of([[0, 1, 1], [], [3, 1], [0, 0]], 5).word_tokens.tolist() == [3, 3, 0, 1, 0]
