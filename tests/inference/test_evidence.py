"""The evidence: every token has a topic, the right one, and sums of tokens agree whichever way they
are added."""

import numpy as np
import pytest

from inference import Bow, Invalid, complete_and_open, fold_in_corpus, gather, open_evidence
from inference.engines import ssi
from inference.evaluate import diagnose
from inference.training import Snapshot, train
from tests.inference.corpora import planted, postings as postings_of

K = 8


@pytest.fixture(scope="module")
def trained():
    bow, _ = planted(K=5, V=120, D=300, length=40, seed=2)
    keep = np.diff(bow.indptr)
    keep[[0, 7, 299]] = 0  # documents without words, the first and the last among them
    rows = [slice(a, a + n) for a, n in zip(bow.indptr, keep, strict=False)]
    indptr = np.concatenate(([0], np.cumsum(keep)))
    bow = Bow(
        indptr,
        *(np.concatenate([array[row] for row in rows]) for array in (bow.words, bow.counts)),
        bow.V,
    )
    config = ssi.Config(topics=K, passes=4).resolve(bow.D, bow.tokens)
    *_, last = (e for e in train(ssi, config, bow, seed=1) if isinstance(e, Snapshot))
    return bow, config, last.state, last.topics


@pytest.fixture(scope="module")
def evidence(trained, tmp_path_factory):
    bow, config, state, topics = trained
    folder = tmp_path_factory.mktemp("evidence") / "of-a-run"
    done = list(
        gather(
            folder, bow, postings_of(bow), topics, fold_in_corpus(ssi, config, state, bow, block=37)
        )
    )
    assert done == [*range(37, 300, 37), 300]
    assert not folder.with_name("of-a-run.new").exists()
    return open_evidence(folder, bow, postings_of(bow))


def naive(trained) -> list[dict[int, tuple[int, float]]]:
    """For each document: word -> (topic, p(k | w, d)), from dense matrices."""
    bow, config, state, topics = trained
    beta = topics.dense()
    found = []
    for theta in fold_in_corpus(ssi, config, state, bow, block=1):
        of = np.full(K, (1 - theta.weights.astype(float).sum()) / max(K - len(theta.topics), 1))
        of[theta.topics] = theta.weights
        words = bow.words[bow.indptr[theta.first] : bow.indptr[theta.first + 1]]
        p = of[:, None] * beta[:, words]
        p /= p.sum(axis=0)
        found.append(
            {int(w): (int(np.argmax(p[:, i])), float(p[:, i].max())) for i, w in enumerate(words)}
        )
    return found


def test_each_word_has_its_most_probable_topic(trained, evidence):
    for d, expected in enumerate(naive(trained)):
        words, _, topics, certainty = evidence.token_topics.of_document(d)
        assert len(words) == len(expected)
        for w, k, c in zip(words.tolist(), topics.tolist(), certainty.tolist(), strict=True):
            assert c / 255 == pytest.approx(expected[w][1], abs=0.003)
            # Of nearly equals rounding may choose
            assert k == expected[w][0] or expected[w][1] < 0.5 + 1e-5


def test_tokens_add_up_by_document_by_word_and_by_topic(trained, evidence):
    bow = trained[0]
    tally = np.zeros((bow.D, bow.V, K), np.int64)
    for d in range(bow.D):
        words, counts, topics, _ = evidence.token_topics.of_document(d)
        tally[d, words, topics] = counts
        found = np.zeros(K, np.int64)
        mixture = evidence.mixtures.of_document(d)
        found[mixture[0]] = mixture[1]
        assert np.array_equal(found, tally[d].sum(axis=0))
        assert found.sum() == evidence.lengths[d]
    for w in range(bow.V):
        documents, counts, topics, certainty = evidence.word_topics.of_word(w)
        back = np.zeros((bow.D, K), np.int64)
        back[documents, topics] = counts
        assert np.array_equal(back, tally[:, w])
        for d, c in zip(documents[:3], certainty[:3], strict=True):
            own = evidence.token_topics.of_document(d)
            assert c == own[3][own[0] == w][0]
    ptr, topics, tokens, documents = evidence.word_topics.held_by_word()
    word = np.repeat(np.arange(bow.V), np.diff(ptr))
    assert np.array_equal(tokens, tally.sum(axis=0)[word, topics])
    assert np.array_equal(documents, (tally > 0).sum(axis=0)[word, topics])
    assert tokens.sum() == bow.tokens
    of = tally.sum(axis=1)
    some = np.arange(0, bow.D, 3, dtype=np.int32)
    for topics, least in (([1, 3], 0.25), ([2], 0.0), ([2], 0.2), ([2], 1.0)):
        share = of[:, topics].sum(axis=1) / np.maximum(of.sum(axis=1), 1)
        having = np.flatnonzero((share >= least) & (share > 0))
        assert np.array_equal(evidence.topic_documents.at_least(topics, least), having)
        assert np.array_equal(
            evidence.topic_documents.at_least(topics, least, some), np.intersect1d(having, some)
        )
    assert np.array_equal(evidence.mixtures.tokens_held([0, 2]), of[:, 0] + of[:, 2])
    assert np.array_equal(evidence.mixtures.tokens_held([0, 2], some), (of[:, 0] + of[:, 2])[some])
    group = np.arange(bow.D, dtype=np.int32) % 4 - 1
    in_groups, documents = evidence.mixtures.sums(group, 3)
    for g in range(3):
        assert np.array_equal(in_groups[g], tally[group == g].sum(axis=(0, 1)))
        assert np.array_equal(documents[g], (tally[group == g].sum(axis=1) > 0).sum(axis=0))
    into = np.arange(K, dtype=np.int32)
    into[3] = 1
    in_groups, documents = evidence.mixtures.sums(group, 3, into)
    folded = of.copy()
    folded[:, 1] += folded[:, 3]
    folded[:, 3] = 0
    for g in range(3):
        assert np.array_equal(in_groups[g], folded[group == g].sum(axis=0))
        assert np.array_equal(documents[g], (folded[group == g] > 0).sum(axis=0))


def test_blocks_and_threads_make_no_difference(trained, evidence, tmp_path):
    import numba

    bow, config, state, topics = trained
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        list(
            gather(
                tmp_path / "again",
                bow,
                postings_of(bow),
                topics,
                fold_in_corpus(ssi, config, state, bow),
            )
        )
    finally:
        numba.set_num_threads(before)
    again = open_evidence(tmp_path / "again", bow, postings_of(bow))
    arrays_of_parts = {
        "token_topics": ("topics", "certainty"),
        "word_topics": ("topics", "certainty"),
        "mixtures": ("doc_ptr", "doc_topics", "doc_tokens"),
    }
    for part, names in arrays_of_parts.items():
        for name in names:
            written_again = getattr(getattr(again, part), name)
            assert np.array_equal(written_again, getattr(getattr(evidence, part), name))


def test_evidence_that_is_not_there_says_so(trained, tmp_path):
    with pytest.raises(Invalid, match="Train it again"):
        open_evidence(tmp_path / "nothing", trained[0], postings_of(trained[0]))


def test_an_interrupted_pass_leaves_none(trained, tmp_path):
    bow, config, state, topics = trained
    blocks = gather(
        tmp_path / "e",
        bow,
        postings_of(bow),
        topics,
        fold_in_corpus(ssi, config, state, bow, block=50),
    )
    next(blocks)
    blocks.close()
    assert not (tmp_path / "e").exists()
    list(
        gather(
            tmp_path / "e",
            bow,
            postings_of(bow),
            topics,
            fold_in_corpus(ssi, config, state, bow, block=50),
        )
    )
    assert (
        open_evidence(tmp_path / "e", bow, postings_of(bow)).token_topics.topics.shape
        == bow.words.shape
    )


def in_order(evidence, k: int, by: str) -> list[tuple[int, int, float]]:
    """(document, tokens, share) of all documents of a topic, from the words' own topics."""
    rows = []
    for d in range(evidence.document_bow.D):
        _, counts, topics, _ = evidence.token_topics.of_document(d)
        if tokens := int(counts[topics == k].sum()):
            rows.append((d, tokens, tokens / int(counts.sum())))
    return sorted(rows, key=lambda row: (-row[2] if by == "share" else -row[1], row[0]))


@pytest.mark.parametrize("by", ["share", "tokens"])
def test_documents_of_a_topic_in_order(evidence, by):
    for k in range(K):
        rows = in_order(evidence, k, by)
        assert (
            evidence.topic_documents.best(k, by, 10**6) == rows
            and evidence.topic_documents.best(k, by, 3) == rows[:3]
        )
        for place in (0, len(rows) // 2, len(rows) - 1):
            d, tokens, share = rows[place]
            after = (share if by == "share" else tokens), d
            assert evidence.topic_documents.best(k, by, 5, after) == rows[place + 1 : place + 6]
        assert evidence.topic_documents.best(k, by, 5, (0.0, 0)) == []  # behind all
        assert evidence.topic_documents.best(k, by, 2, (1e9, -1)) == rows[:2]  # before all


def test_a_run_of_an_older_version_gets_its_orders(trained, evidence, tmp_path):
    bow, config, state, topics = trained
    folder = tmp_path / "e"
    list(gather(folder, bow, postings_of(bow), topics, fold_in_corpus(ssi, config, state, bow)))
    for name in ("topic_ptr.npy", "by_share", "by_tokens"):
        (folder / name).unlink()
    np.save(folder / "K.npy", K)
    with pytest.raises(FileNotFoundError):
        open_evidence(folder, bow, postings_of(bow))  # which writes nothing
    assert not (folder / "topic_ptr.npy").exists()
    opened = complete_and_open(folder, bow, postings_of(bow))
    assert opened.K == K and opened.topic_documents.best(
        2, "share", 9
    ) == evidence.topic_documents.best(2, "share", 9)
    assert not list(folder.glob("*.new"))


def test_diagnostics_of_assigned_tokens(trained, evidence):
    bow, _, _, topics = trained
    N = np.zeros((bow.D, K))
    for d in range(bow.D):
        mixture = evidence.mixtures.of_document(d)
        N[d, mixture[0]] = mixture[1]
    found = diagnose(bow, topics, evidence)
    assert found.tokens == pytest.approx(N.sum(axis=0))
    q = N / N.sum(axis=0)
    assert found.document_entropy == pytest.approx(
        -np.sum(q * np.log(np.where(q > 0, q, 1)), axis=0), abs=1e-9
    )
    first = np.bincount(np.argmax(N[N.sum(axis=1) > 0], axis=1), minlength=K)
    assert found.rank_1_documents == pytest.approx(first / first.sum())


def test_topics_read_as_others_are_one(evidence):
    into = np.array([0, 1, 2, 1, 4, 0, 6, 1], np.int32)
    ptr, topics, tokens = evidence.mixtures.folded(into)
    for d in range(evidence.document_bow.D):
        expected = {}
        for k, n in zip(
            *(array.tolist() for array in evidence.mixtures.of_document(d)), strict=True
        ):
            expected[into[k]] = expected.get(into[k], 0) + n
        row = slice(ptr[d], ptr[d + 1])
        assert dict(zip(topics[row].tolist(), tokens[row].tolist(), strict=True)) == expected
        assert (np.diff(topics[row].astype(int)) > 0).all()
    assert evidence.mixtures.folded(np.arange(K, dtype=np.int32))[1] is evidence.mixtures.doc_topics


def test_words_are_counted_by_group_and_topic(evidence):
    group = (np.arange(evidence.document_bow.D) % 3 - 1).astype(np.int32)
    row = np.full((2, K), -1, np.int32)
    row[0, [1, 3]] = [1, 0]
    row[1, [3, 4, 5]] = [2, 1, 2]
    of_rows = np.zeros((3, evidence.document_bow.V), int)
    of_groups = np.zeros((2, evidence.document_bow.V), int)
    for d in range(evidence.document_bow.D):
        for w, n, k in list(zip(*evidence.token_topics.of_document(d)[:3], strict=True)):
            if group[d] >= 0:
                of_groups[group[d], w] += n
                if row[group[d], k] >= 0:
                    of_rows[row[group[d], k], w] += n
    sums = evidence.token_topics.word_sums(group, row, 3)
    assert np.array_equal(sums.of_rows, of_rows) and np.array_equal(sums.of_groups, of_groups)


@pytest.mark.parametrize(("tokens", "dtype"), [(2**31 - 1, np.int32), (2**31, np.int64)])
def test_sums_of_words_are_as_wide_as_the_collection_needs(evidence, monkeypatch, tokens, dtype):
    monkeypatch.setattr(evidence.document_bow, "first_token", np.array([0, tokens]))
    group = np.zeros(evidence.document_bow.D, np.int32)
    sums = evidence.token_topics.word_sums(group, np.zeros((1, K), np.int32), 1)
    assert sums.of_rows.dtype == dtype and sums.of_groups.dtype == np.int64
    assert np.array_equal(sums.of_rows, sums.of_groups)


def test_words_and_topics_of_some_documents(evidence):
    group = (np.arange(evidence.document_bow.D) % 3 - 1).astype(np.int32)
    row = np.array([[0] * K, [1] * K], np.int32)
    some = np.arange(0, evidence.document_bow.D, 4, dtype=np.int32)
    only = np.full(evidence.document_bow.D, -1, np.int32)
    only[some] = group[some]
    for of_some, of_all in zip(
        evidence.token_topics.word_sums(group[some], row, 2, some),
        evidence.token_topics.word_sums(only, row, 2),
        strict=True,
    ):
        assert np.array_equal(of_some, of_all)
    for of_some, of_all in zip(
        evidence.mixtures.sums(group[some], 2, None, some),
        evidence.mixtures.sums(only, 2),
        strict=True,
    ):
        assert np.array_equal(of_some, of_all)
    nothing = evidence.token_topics.word_sums(np.zeros(0, np.int32), row, 2, np.zeros(0, np.int32))
    assert not nothing.of_rows.any() and not nothing.of_groups.any()


def test_the_best_documents_among_some(evidence):
    mask = np.arange(evidence.document_bow.D) % 5 == 0
    for by in ("share", "tokens"):
        wanted = [
            row
            for row in evidence.topic_documents.best(2, by, evidence.document_bow.D)
            if mask[row[0]]
        ]
        assert evidence.topic_documents.best(2, by, 4, mask=mask) == wanted[:4]
        after = wanted[3][2 if by == "share" else 1], wanted[3][0]
        assert evidence.topic_documents.best(2, by, 99, after, mask) == wanted[4:]


@pytest.mark.parametrize("topics", [[2], [0, 5, 6]])
def test_the_strongest_documents_of_a_group(evidence, topics):
    group = (np.arange(evidence.document_bow.D) % 3 - 1).astype(np.int32)
    held = evidence.mixtures.tokens_held(topics)
    inside = np.flatnonzero((group == 1) & (held > 0))
    share = held[inside] / evidence.lengths[inside]
    expected = [(int(inside[i]), share[i]) for i in np.lexsort((inside, -share))[:7]]
    assert evidence.topic_documents.strongest(topics, group, 1, 7) == expected


def test_words_by_topic_in_a_set(evidence):
    tally = np.zeros((evidence.document_bow.D, evidence.document_bow.V, K), int)
    for d in range(evidence.document_bow.D):
        words, counts, topics, _ = evidence.token_topics.of_document(d)
        tally[d, words, topics] += counts
    mask = np.arange(evidence.document_bow.D) % 3 > 0
    assert np.array_equal(
        evidence.word_topics.tokens_by_topic([3, 60, 7]), tally.sum(axis=0)[[3, 60, 7]]
    )
    assert np.array_equal(
        evidence.word_topics.tokens_by_topic([3, 60, 7], mask), tally[mask].sum(axis=0)[[3, 60, 7]]
    )


def test_what_an_earlier_version_lacked_is_made_when_it_is_completed(trained, evidence, tmp_path):
    bow, config, state, topics = trained
    list(
        gather(
            tmp_path / "evidence",
            bow,
            postings_of(bow),
            topics,
            fold_in_corpus(ssi, config, state, bow),
        )
    )
    for name in ("held_ptr.npy", "held_topics", "held_tokens", "held_documents"):
        (tmp_path / "evidence" / name).unlink()
    again = complete_and_open(tmp_path / "evidence", bow, postings_of(bow))
    for a, b in zip(
        again.word_topics.held_by_word(), evidence.word_topics.held_by_word(), strict=True
    ):
        assert np.array_equal(a, b)


def test_a_sparing_bag_of_words_holds_no_number_for_each_document(trained, evidence, tmp_path):
    bow = trained[0]
    bow.save(tmp_path)
    sparing = Bow.open(tmp_path, sparing=True)
    for name in ("indptr", "first_token", "lengths"):
        assert isinstance(getattr(sparing, name), np.memmap)
        assert np.array_equal(getattr(sparing, name), getattr(bow, name))
    (tmp_path / "lengths.npy").unlink()  # as earlier versions wrote it
    assert np.array_equal(Bow.open(tmp_path, sparing=True).lengths, bow.lengths)
