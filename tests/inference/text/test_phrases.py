"""Phrases are those of the slow twin, with its scores; planted ones are found, chance is not."""

import gzip
import json

import numpy as np
import pytest

from inference.text import VocabularyChoice, phrases, stop_words
from tests.inference.text import naive
from tests.inference.text.test_choose import written


def agree(folder, texts, choice):
    found = {
        phrase.words: phrase[1:]
        for phrase in phrases.find(written(folder, texts), choice, limit=100_000)
    }
    first = naive.phrases(texts, choice)
    expected = first | naive.phrases(texts, choice, tuple(first))
    for words in first:  # counted by the first round where the second has nothing longer
        expected[words] = first[words]
    longer = {words for words in expected if words not in first}
    assert found.keys() == expected.keys()
    for words, (documents, times, score) in found.items():
        if words not in longer:
            assert (documents, times) == expected[words][:2]
        assert score == pytest.approx(expected[words][2], rel=1e-6)
    return found


def made(seed=1):
    random = np.random.default_rng(seed)
    words = [f"w{chr(97 + i)}x" for i in range(20)]
    planted = ["new york", "new york city", "house of the lords", "well-known"]
    texts = []
    for _ in range(300):
        parts = [str(random.choice([*words, "the", "of", "1984", "."])) for _ in range(20)]
        for phrase in planted:
            if random.random() < 0.2:
                parts.insert(random.integers(20), phrase)
        texts.append(" ".join(parts))
    return texts


@pytest.mark.parametrize("hyphens", ["split", "join"])
def test_planted_phrases(tmp_path, hyphens):
    choice = VocabularyChoice(stop_words("en"), min_documents=2, hyphens=hyphens)
    found = agree(tmp_path, made(), choice)
    assert list(found)[:3] != [] and {"new york", "new york city", "house of the lords"} <= set(
        list(found)[:4]
    )
    assert not [words for words in found if "1984" in words or "." in words]


def test_news(tmp_path, corpora_folder):
    with gzip.open(corpora_folder / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(80), strict=False)]
    assert "new york" in agree(
        tmp_path, texts, VocabularyChoice(stop_words("en"), min_documents=3, apostrophes="join")
    )


def test_chance_makes_few_phrases(tmp_path):
    random = np.random.default_rng(2)
    texts = [
        " ".join(random.choice([f"w{chr(97 + i)}x" for i in range(20)], 50)) for _ in range(200)
    ]
    # Of 400 pairs, at 0.1%
    assert len(phrases.find(written(tmp_path, texts), VocabularyChoice(min_documents=1))) < 4


def test_a_full_table_keeps_the_frequent(tmp_path, monkeypatch):
    stream = written(tmp_path, made())
    choice = VocabularyChoice(stop_words("en"), min_documents=2)
    everything = {phrase.words for phrase in phrases.find(stream, choice)}
    monkeypatch.setattr(phrases, "EXACT_PAIRS", 2)
    few = {phrase.words for phrase in phrases.find(stream, choice)}
    assert few < everything and "new york" in few
    assert phrases.find(stream, choice, limit=1)[0].words in everything


def test_nothing(tmp_path):
    assert phrases.find(written(tmp_path, ["", "1 2 3"]), VocabularyChoice()) == []
