"""Long documents in sections: rows for the model, whole documents for everybody else."""

import numpy as np
import pytest

from inference import Bow, fold_in_corpus, gather, open_evidence
from inference.engines import ssi
from inference.schedule import held_out_documents
from inference.senses import SenseUses
from inference.text import Stream, Tokeniser, VocabularyChoice, choose, count
from inference.text.sections import Sections
from inference.training import Snapshot, train
from tests.inference.corpora import postings as postings_of
from tests.inference.text import naive

K = 4
SIZE = 20


def texts() -> list[str]:
    """60 documents of 5 to 150 words; every third has paragraphs, the next sentences, the others
    commas."""
    rng = np.random.default_rng(5)
    made = []
    for d in range(60):
        words = [
            f"{'abcd'[rng.integers(4)]}{rng.integers(12)}x"
            for _ in range([5, 150, 29, 31, 90][d % 5])
        ]
        ends = rng.random(len(words)) < 0.15
        end = ("\n\n", ". ", ", ")[d % 3]
        made.append(
            "".join(word + (end if stop else " ") for word, stop in zip(words, ends, strict=True))
        )
    return made


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stream")
    with Stream.write(folder, Tokeniser()) as stream:
        stream.add(texts(), [""] * 60)
        stream.commit()
    return Stream.open(folder)


def expected() -> list[list[int]]:
    """Of each document, the pieces before which it is cut: near equal lengths, at the best end
    within 15% of one."""
    cuts = []
    for text in texts():
        marks = [mark for *_, mark in naive.pieces(text)]
        n = max(1, round(len(marks) / SIZE)) if len(marks) > 1.5 * SIZE else 1
        own = []
        near = int(0.15 * len(marks) / n)
        for i in range(1, n):
            ideal = len(marks) * i // n
            window = range(
                max((own[-1] if own else 0) + 1, ideal - near),
                min(ideal + near, len(marks) - 1) + 1,
            )
            own.append(
                min(window, key=lambda at: ("¶.|".find(marks[at] or " ") % 4, abs(at - ideal), at))
            )
        cuts.append(own)
    return cuts


def test_documents_are_cut_where_paragraphs_or_sentences_end(stream, monkeypatch):
    sections = Sections(stream, SIZE)
    cuts = expected()
    assert sections.cut == sum(map(bool, cuts)) > 30
    assert np.diff(sections.first_row).tolist() == [len(own) + 1 for own in cuts]
    ends = [
        np.diff([0, *own, length])
        for own, length in zip(cuts, stream.lengths.tolist(), strict=True)
    ]
    assert sections.lengths.tolist() == np.concatenate(ends).tolist()
    monkeypatch.setattr(Stream.blocks, "__defaults__", (None, 40, True))
    assert Sections(stream, SIZE).lengths.tolist() == sections.lengths.tolist()
    assert not Sections(stream, 1000).cut and Sections(stream, 1000).D == stream.D


@pytest.fixture(scope="module")
def chosen(stream, tmp_path_factory):
    return choose(
        stream,
        VocabularyChoice(min_documents=2, sections=SIZE),
        tmp_path_factory.mktemp("bow") / "bow",
    )


def cut_texts() -> list[str]:
    out = []
    for text, cuts in zip(texts(), expected(), strict=True):
        starts = [start for start, *_ in naive.pieces(text)]
        places = [0, *(starts[at] for at in cuts), len(text)]
        out += [text[a:b] for a, b in zip(places, places[1:], strict=False)]
    return out


def test_rows_are_sections_and_words_know_documents(chosen, stream):
    bow, vocabulary = chosen
    kept, _, rows = naive.choose(cut_texts(), VocabularyChoice(min_documents=2))
    assert vocabulary.words == kept and bow.D == len(rows) == len(cut_texts())
    for r, row in enumerate(rows):
        span = slice(bow.indptr[r], bow.indptr[r + 1])
        counts = dict(
            zip((kept[w] for w in bow.words[span]), bow.counts[span].tolist(), strict=True)
        )
        assert counts == {word: len(places) for word, places in row.items()}
    whole = bow.by_document()
    assert whole.D == stream.D and whole.tokens == bow.tokens == whole.lengths.sum()
    for w in range(0, bow.V, 5):
        having = {
            d for d in range(whole.D) if w in whole.words[whole.indptr[d] : whole.indptr[d + 1]]
        }
        assert vocabulary.documents[w] == len(having)
    counts = count(stream, VocabularyChoice(sections=SIZE))
    assert counts.cut == Sections(stream, SIZE).cut and len(counts.lengths) == bow.D
    text = texts()[1]
    for w in range(0, bow.V, 7):
        here = bow.offsets[whole.first_token[1] : whole.first_token[2]][
            np.repeat(whole.words, whole.counts)[whole.first_token[1] : whole.first_token[2]] == w
        ]
        assert all(text[at:].startswith(vocabulary.words[w]) for at in here.tolist())


@pytest.mark.parametrize("sparing", [False, True])
def test_a_folder_keeps_which_rows_are_whose(chosen, tmp_path, sparing):
    bow = chosen[0].without(np.array([0]), tmp_path / "bow")
    again = Bow.open(tmp_path / "bow", sparing=sparing)
    assert again.first_row.tolist() == chosen[0].first_row.tolist()
    for name in ("indptr", "first_token", "lengths"):
        assert np.array_equal(getattr(again.by_document(), name), getattr(bow.by_document(), name))
    assert again.documents_of(np.array([0, 1, bow.D - 1])).tolist() == [0, 1, 59]
    assert again.by_document().lengths.sum() == bow.tokens


def test_no_document_is_both_trained_and_measured_on(chosen):
    bow = chosen[0]
    held_out = held_out_documents(bow, 3)
    documents = np.unique(bow.documents_of(held_out))
    rows = np.diff(bow.first_row)
    assert 0 < len(documents) < 20 and len(held_out) == rows[documents].sum()
    few = Bow(bow.indptr, bow.words, bow.counts, bow.V, first_row=np.array([0, 50, bow.D]))
    # sections: two documents can't be shared out
    assert 0 < len(held_out_documents(few, 3)) < bow.D / 2


@pytest.fixture(scope="module")
def evidence(chosen, tmp_path_factory):
    bow = chosen[0]
    folder = tmp_path_factory.mktemp("evidence") / "evidence"
    config = ssi.Config(topics=K, passes=4).resolve(bow.D, bow.tokens)
    *_, last = (event for event in train(ssi, config, bow, seed=1) if isinstance(event, Snapshot))
    days = np.arange(1, 61, dtype=np.int32)
    thetas = fold_in_corpus(ssi, config, last.state, bow, block=7)
    for _ in gather(folder, bow, postings_of(bow), last.topics, thetas, days=days):
        pass
    return open_evidence(folder, bow, postings_of(bow))


def test_a_document_has_the_tokens_of_its_sections(evidence):
    bow = evidence.section_bow
    tally = np.zeros((60, evidence.document_bow.V, K), np.int64)
    for row in range(bow.D):
        span = slice(bow.indptr[row], bow.indptr[row + 1])
        tally[
            bow.documents_of(np.array([row]))[0],
            bow.words[span],
            evidence.token_topics.topics[span],
        ] += bow.counts[span]
    for d in range(60):
        mixture = np.zeros(K, np.int64)
        topics, tokens = evidence.mixtures.of_document(d)
        mixture[topics] = tokens
        assert (
            np.array_equal(mixture, tally[d].sum(axis=0)) and mixture.sum() == evidence.lengths[d]
        )
    sums, documents = evidence.mixtures.sums(np.zeros(60, np.int32), 1)
    assert np.array_equal(sums[0], tally.sum(axis=(0, 1))) and np.array_equal(
        documents[0], (tally.sum(axis=1) > 0).sum(axis=0)
    )
    assert np.array_equal(evidence.topic_documents.counts, documents[0])
    ptr, topics, tokens, documents = evidence.word_topics.held_by_word()
    for w in range(bow.V):
        held = slice(ptr[w], ptr[w + 1])
        assert dict(
            zip(
                topics[held].tolist(),
                zip(tokens[held].tolist(), documents[held].tolist(), strict=True),
                strict=True,
            )
        ) == {
            k: (int(tally[:, w, k].sum()), int((tally[:, w, k] > 0).sum()))
            for k in range(K)
            if tally[:, w, k].any()
        }
        assert (
            evidence.word_topics.documents_with(w).tolist()
            == np.flatnonzero(tally[:, w].any(axis=1)).tolist()
        )
        uses = SenseUses(evidence, w, np.arange(K))
        assert uses.in_documents == len(evidence.word_topics.documents_with(w))
        tokens_of, documents_of = uses.tally(np.arange(60, dtype=np.int32) % 3, 3)
        for g in range(3):
            assert np.array_equal(tokens_of[g], tally[g::3, w].sum(axis=0))
            assert np.array_equal(documents_of[g], (tally[g::3, w] > 0).sum(axis=0))
    for k, documents in enumerate(evidence.topic_documents.best(k, "share", 60) for k in range(K)):
        shares = tally[:, :, k].sum(axis=1) / np.maximum(evidence.lengths, 1)
        assert [d for d, _, _ in documents] == sorted(
            np.flatnonzero(shares > 0).tolist(), key=lambda d: (-shares[d], d)
        )


def test_each_token_is_where_its_word_is_in_the_whole_text(evidence, chosen):
    words = chosen[1].words
    for d, text in list(enumerate(texts()))[::7]:
        for w in range(0, evidence.document_bow.V, 3):
            places = [start for start, _, word, _ in naive.pieces(text) if word == words[w]]
            assert evidence.token_places.offsets(d, w).tolist() == places
        asked = np.arange(0, evidence.document_bow.V, 3, dtype=np.int32)
        tokens, starts = evidence.token_places.of_words(d, asked)
        assert list(zip(tokens.tolist(), starts.tolist(), strict=True)) == [
            (w, start)
            for w in asked.tolist()
            for start in evidence.token_places.offsets(d, w).tolist()
        ]
    uses = SenseUses(evidence, 0, np.arange(K))
    pairs = np.repeat(np.arange(len(uses.rows)), uses.counts)
    nth = np.concatenate([np.arange(n) for n in uses.counts])
    places = evidence.token_places.of_rows(uses.rows[pairs], nth, 0).tolist()
    assert sorted(zip(uses.documents[pairs].tolist(), places, strict=True)) == [
        (d, start)
        for d, text in enumerate(texts())
        for start, _, word, _ in naive.pieces(text)
        if word == words[0]
    ]
