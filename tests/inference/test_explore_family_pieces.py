"""The pieces that families are named by: what is counted in them, beside slow twins."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from inference.bow import Bow
from inference.explore import family_pieces
from inference.explore.family_pieces import FamilyPieces
from inference.explore.neighbours import GAP_CHARACTERS

V = 6
K = 3
LETTERS = 4  # of every word
CHARACTERS = 40  # of a piece
DOCUMENTS = 200
NO_DAYS = np.zeros(DOCUMENTS, np.int32)
LENGTHS = dict.fromkeys(range(V), LETTERS)


def texts_at_random(documents: int = DOCUMENTS) -> list[list[tuple[int, int]]]:
    """Of each document its words, with the character at which each begins: some near each other,
    some far."""
    chance = np.random.default_rng(7)
    texts = []
    for _ in range(documents):
        number = int(chance.integers(0, 40))
        gaps = chance.integers(1, 2 * GAP_CHARACTERS, number)
        starts = np.cumsum(gaps + LETTERS) - LETTERS
        words = chance.integers(0, V, number)
        texts.append(list(zip(words.tolist(), starts.tolist(), strict=True)))
    return texts


def evidence_of(texts: list[list[tuple[int, int]]], *, has_offsets: bool = True) -> SimpleNamespace:
    """A topic for each word of a document: the sum of both numbers, modulo K."""
    indptr = [0]
    words: list[int] = []
    counts: list[int] = []
    offsets: list[int] = []
    topics: list[int] = []
    for d, text in enumerate(texts):
        for word in sorted({word for word, _ in text}):
            starts = sorted(start for other, start in text if other == word)
            words.append(word)
            counts.append(len(starts))
            offsets += starts
            topics.append((d + word) % K)
        indptr.append(len(words))
    bow = Bow(
        np.array(indptr),
        np.array(words, np.int32),
        np.array(counts, np.int32),
        V,
        offsets=np.array(offsets, np.int32) if has_offsets else None,
    )
    return SimpleNamespace(
        document_bow=bow,
        K=K,
        lengths=np.array([len(text) for text in texts]),
        token_topics=SimpleNamespace(topics=np.array(topics, np.uint16)),
    )


def piece_names(texts: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """(document, number within it) of each piece, in the order of the pieces."""
    names = []
    for d, text in enumerate(texts):
        last = max((start // CHARACTERS for _, start in text), default=0)
        names += [(d, number) for number in range(last + 1)]
    return names


def test_topics_of_pieces_are_those_of_a_slow_twin():
    texts = texts_at_random()
    looked = FamilyPieces(evidence_of(texts), NO_DAYS, LENGTHS, CHARACTERS)
    names = piece_names(texts)
    counted: Counter = Counter()
    for d, text in enumerate(texts):
        for word, start in text:
            counted[(d, start // CHARACTERS), (d + word) % K] += 1
    found = {
        (names[piece], topic): int(tokens)
        for piece, topic, tokens in zip(
            looked.piece.tolist(), looked.topic.tolist(), looked.tokens, strict=True
        )
    }
    assert looked.pieces == len(names)
    assert found == dict(counted)


@pytest.mark.parametrize("phrase", [(0,), (3,), (0, 1), (2, 2), (1, 4, 0)])
def test_uses_are_those_of_a_slow_twin(phrase):
    texts = texts_at_random()
    looked = FamilyPieces(evidence_of(texts), NO_DAYS, LENGTHS, CHARACTERS)
    names = piece_names(texts)
    expected = []
    for d, text in enumerate(texts):
        for first in range(len(text) - len(phrase) + 1):
            run = text[first : first + len(phrase)]
            gaps = [b - a - LETTERS for (_, a), (_, b) in zip(run, run[1:], strict=False)]
            if tuple(word for word, _ in run) == phrase and max(gaps, default=0) <= GAP_CHARACTERS:
                expected.append(((d, run[0][1] // CHARACTERS), [(d + word) % K for word in phrase]))
    uses = looked.uses(phrase)
    assert expected, "the texts have the phrase"
    found = zip(uses.piece.tolist(), uses.topics.tolist(), strict=True)
    assert [(names[piece], topics) for piece, topics in found] == expected


def test_without_texts_a_document_is_a_piece_and_no_phrase_is_known():
    evidence = evidence_of(texts_at_random(), has_offsets=False)
    looked = FamilyPieces(evidence, NO_DAYS, LENGTHS, CHARACTERS)
    assert looked.pieces == DOCUMENTS
    assert len(looked.uses((0,)).piece) > 0
    assert len(looked.uses((0, 1)).piece) == 0


def test_of_many_documents_some_are_looked_at_evenly_over_all(monkeypatch):
    texts = [[(0, 0)]] * DOCUMENTS
    monkeypatch.setattr(family_pieces, "MOST_DOCUMENTS", 10)
    looked = FamilyPieces(evidence_of(texts), NO_DAYS, LENGTHS, CHARACTERS)
    assert looked.pieces == 10
    assert len(looked.uses((0,)).piece) == 10


def test_of_long_documents_fewer_are_looked_at(monkeypatch):
    texts = [[(0, 10 * i) for i in range(50)]] * DOCUMENTS
    monkeypatch.setattr(family_pieces, "MOST_TOKENS", 500)
    monkeypatch.setattr(family_pieces, "LEAST_DOCUMENTS", 4)
    looked = FamilyPieces(evidence_of(texts), NO_DAYS, LENGTHS, CHARACTERS)
    assert looked.tokens.sum() == 500
    monkeypatch.setattr(family_pieces, "LEAST_DOCUMENTS", 15)
    looked = FamilyPieces(evidence_of(texts), NO_DAYS, LENGTHS, CHARACTERS)
    assert looked.tokens.sum() == 15 * 50


def test_a_piece_is_of_the_time_of_its_document():
    texts = texts_at_random()
    days = np.arange(DOCUMENTS, dtype=np.int32) + 10_000
    looked = FamilyPieces(evidence_of(texts), days, LENGTHS, CHARACTERS)
    spans = family_pieces.spans_of_time(days)
    names = piece_names(texts)
    assert looked.spans == family_pieces.SPANS
    assert looked.span.tolist() == [spans[names[piece][0]] for piece in looked.piece.tolist()]
