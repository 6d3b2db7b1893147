"""Counting for a page: what `choose` counts, on documents spread over a stream."""

import numpy as np

from inference.text import REASONS, Spread, VocabularyChoice, choose, count
from tests.inference.text.test_choose import TEXTS, written


def test_counts_are_those_of_choosing(tmp_path):
    stream = written(tmp_path / "tokens", TEXTS)
    choice = VocabularyChoice(
        stop_words=frozenset(["the", "a"]),
        min_documents=1,
        max_share=1.0,
        phrases=("new york",),
        hyphens="join",
    )
    found, (_, vocabulary) = count(stream, choice), choose(stream, choice, tmp_path / "bow")
    kept = np.flatnonzero(found.tokens > 0)
    mine = {
        word: (int(found.tokens[i]), int(found.documents[i]))
        for word, i in zip(found.words(kept), kept, strict=True)
    }
    theirs = zip(
        vocabulary.words, vocabulary.tokens.tolist(), vocabulary.documents.tolist(), strict=True
    )
    assert mine == {word: (tokens, documents) for word, tokens, documents in theirs}
    for i, name in enumerate(REASONS[:-2]):
        units = np.flatnonzero(found.reason == i)
        assert vocabulary.dropped.get(name, (0, 0)) == (
            len(units),
            found.left_out_tokens[units].sum(),
        )
    # the other is too short
    assert set(found.units.words(np.flatnonzero(found.reason == REASONS.index("stop word")))) == {
        "the"
    }


def test_a_long_stream_is_counted_in_part_and_evenly(tmp_path):
    stream = written(tmp_path / "tokens", [f"word{d % 4} again" for d in range(400)])
    assert Spread(stream).whole and Spread(stream).D == 400
    part = Spread(stream, limit=80)
    assert not part.whole and part.D == 40 and part.tokens == 80
    assert np.diff(part.numbers).min() == np.diff(part.numbers).max() == 10
    found = count(part, VocabularyChoice(min_documents=1, max_share=1.0))
    [again] = [i for i in range(len(found.tokens)) if found.words(np.array([i])) == ["again"]]
    assert found.documents[again] == 40


def test_nothing_is_counted_of_nothing(tmp_path):
    assert Spread(written(tmp_path / "tokens", [""])).tokens == 0
    assert count(Spread(written(tmp_path / "empty", [])), VocabularyChoice()).tokens.sum() == 0
