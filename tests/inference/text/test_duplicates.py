"""Documents that repeat another are found, others are not."""

import gzip
import json

import numpy as np
import pytest

from inference.runtime import memory
from inference.text import VocabularyChoice, choose, duplicates
from tests.inference.text import naive
from tests.inference.text.test_choose import written


def made():
    """Unrelated texts, then copies with more and more words changed."""
    random = np.random.default_rng(3)
    vocabulary = [f"word{i}" for i in range(3000)]
    texts = [" ".join(random.choice(vocabulary, random.integers(30, 200))) for _ in range(200)]
    for i, changes in enumerate([0, 0, 1, 1, 2, 3, 5, 10, 30] * 3):
        words = texts[i * 5].split()
        for at in random.choice(len(words), min(changes, len(words) // 2), replace=False):
            words[at] = "changed"
        texts.append(" ".join(words))
    texts += [
        "",
        "  ...",
        "two words",
        "Two, words!",
        "three words here",
        "",
        texts[0].upper().replace(" ", ", "),
    ]
    return texts


@pytest.mark.parametrize("on_disk", [False, True])
def test_twins(tmp_path, monkeypatch, on_disk):
    if on_disk:
        monkeypatch.setattr(memory, "LARGE_BYTES", 1)
    texts = made()
    exact, near = duplicates.find(written(tmp_path, texts), tmp_path / "scratch")
    assert (tmp_path / "scratch").exists() == on_disk and not list(tmp_path.glob("scratch/*"))
    words = [[word for *_, word, _ in naive.pieces(text)] for text in texts]
    triples = [naive.triples(text) for text in texts]
    for d in range(len(texts)):
        first = words.index(words[d])
        assert exact[d] == (first if words[d] and first < d else -1)
        like = (
            [
                c
                for c in range(d)
                if words[d] == words[c] or naive.alike(triples[c], triples[d]) >= duplicates.ALIKE
            ]
            if words[d]
            else []
        )
        assert near[d] in like if like else near[d] == -1
    assert (exact >= 0).sum() == 8 and (near >= 0).sum() > 15


def test_texts_are_read_once(tmp_path, monkeypatch):
    stream = written(tmp_path, made())
    read = []
    blocks = type(stream).blocks
    monkeypatch.setattr(type(stream), "blocks", lambda *a, **b: read.append(1) or blocks(*a, **b))
    duplicates.find(stream)
    assert len(read) == 1


def test_news(tmp_path, corpora_folder):
    with gzip.open(corpora_folder / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(3000), strict=False)]
    exact, near = duplicates.find(written(tmp_path, texts))
    assert (near[exact >= 0] == exact[exact >= 0]).all() and (near >= 0).sum() > (
        exact >= 0
    ).sum() > 0
    for d in np.flatnonzero((near >= 0) & (exact < 0)):
        assert (
            near[d] < d
            and naive.alike(naive.triples(texts[near[d]]), naive.triples(texts[d]))
            >= duplicates.ALIKE
        )


@pytest.mark.parametrize("which", ["exact", "near"])
def test_left_out_of_the_bag_of_words(tmp_path, which):
    texts = made()
    stream = written(tmp_path / "tokens", texts)
    left_out = duplicates.find(stream)[which == "near"] >= 0
    choice = VocabularyChoice(min_documents=1, max_share=1.0)
    expected, _ = choose(stream, choice, tmp_path / "expected", left_out)
    bow, _ = choose(
        stream, VocabularyChoice(min_documents=1, max_share=1.0, duplicates=which), tmp_path / "bow"
    )
    assert bow.digest == expected.digest and (np.diff(bow.indptr)[left_out] == 0).all()
