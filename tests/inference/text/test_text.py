"""Words, stop words, vocabulary."""

import unicodedata
from collections import Counter

import pytest

from inference.errors import Invalid
from inference.postings import Postings
from inference.text import LANGUAGES, CorpusBuilder, Tokeniser, VocabularyOptions, stop_words

TEXTS = [
    "The King's speech, 1936: l'homme n'a pas dit « non ».",
    unicodedata.normalize("NFD", "Ça va, Élodie? Ångström é naïve"),
    "МОСКВА не сразу строилась. Αθήνα ΣΟΦΟΣ",
    "क्षेत्र हिन्दी में शब्द",
    "مرحبا بالعالم والسَّلام",
    "Straße 🙂 𝒜𝓁𝓅𝒽𝒶 x² mp3 3D e-mail co\u00adoperate",
    "İSTANBUL ISPARTA",
    "",
    "a I 7 ... \n\t\u200b",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("language", ["", "tr"])
def test_spans_are_the_words_and_point_into_the_text(text, language):
    tokeniser = Tokeniser(language)
    spans = tokeniser.spans(text)
    assert [word for _, _, word in spans] == tokeniser.words(text)
    for a, b, word in spans:
        assert unicodedata.normalize("NFC", text[a:b]).lower()[0] == word[0] or language == "tr"
        assert word == unicodedata.normalize("NFC", word)
    assert all(x[1] <= y[0] for x, y in zip(spans, spans[1:], strict=False))
    every = Tokeniser(language, 1).spans(text)
    assert tokeniser.located(text) == (tokeniser.raw(text), [a for a, _, _ in every])
    assert tokeniser.raw(text) == [word for _, _, word in every]


def test_what_a_word_is():
    words = Tokeniser("en").words
    assert words("Don't stop the King's 1984 mp3-player!") == ["don", "stop", "the", "king", "mp3", "player"]
    assert words("हिन्दी में") == ["हिन्दी", "में"]
    assert words(unicodedata.normalize("NFD", "café")) == ["café"]
    assert Tokeniser("tr").words("ISPARTA İzmir") == ["ısparta", "izmir"]
    assert Tokeniser("", 4).words("one three five") == ["three", "five"]


def test_stop_words_of_every_language():
    assert sum(len(stop_words(code)) > 20 for code in LANGUAGES) >= 58
    assert stop_words("") == frozenset()
    assert {"the", "of", "don", "won"} <= stop_words("en")
    assert {"state", "war", "world", "work", "home", "system", "people"}.isdisjoint(stop_words("en"))
    with pytest.raises(KeyError):
        stop_words("xx")


def naive_build(texts, tokeniser, options):
    """The vocabulary and the counts, one dictionary at a time."""
    tokenised = [tokeniser.raw(t) for t in texts]
    tokens = Counter(w for words in tokenised for w in words)
    documents = Counter(w for words in tokenised for w in set(words))

    def reason(w):
        if len(w) < tokeniser.min_length:
            return "too short"
        if len(w) > 64:
            return "too long"
        if w in options.stop_words:
            return "stop word"
        if documents[w] < options.min_documents:
            return "too rare"
        if documents[w] > options.max_share * len(texts):
            return "too common"
        return None

    kept = sorted((w for w in tokens if reason(w) is None), key=lambda w: (-tokens[w], w))
    dropped = Counter(), Counter()
    for w in tokens:
        if reason(w):
            dropped[0][reason(w)] += 1
            dropped[1][reason(w)] += tokens[w]
    rows = [Counter(w for w in words if w in set(kept)) for words in tokenised]
    return kept, rows, {r: (dropped[0][r], dropped[1][r]) for r in dropped[0]}


@pytest.mark.parametrize("block", [4_000_000, 50])
def test_builder_is_its_naive_twin(tmp_path, monkeypatch, block):
    monkeypatch.setattr("inference.text.builder._BLOCK", block)
    texts = [f"the {'war ' * (i % 4)} peace{i % 7} topic{i % 13} a common {'rare' if i == 3 else ''}" for i in range(60)]
    texts[10] = ""
    texts[20] = "the the a"
    options = VocabularyOptions(stop_words("en"), min_documents=2, max_share=0.9)
    tokeniser = Tokeniser("en")
    with CorpusBuilder(tmp_path, tokeniser) as builder:
        for text in texts:
            assert builder.add(text) == len(tokeniser.raw(text))
        bow, vocabulary = builder.finish(options)
    kept, rows, dropped = naive_build(texts, tokeniser, options)
    assert vocabulary.words == kept
    assert vocabulary.dropped == dropped
    assert bow.D == 60 and bow.indptr[11] == bow.indptr[10]  # the empty document keeps its row
    for d, row in enumerate(rows):
        span = slice(bow.indptr[d], bow.indptr[d + 1])
        assert {kept[w]: c for w, c in zip(bow.words[span], bow.counts[span], strict=True)} == row
        at = bow.first_token[d]
        for w, c in zip(bow.words[span], bow.counts[span], strict=True):
            places = [a for a, _, word in tokeniser.spans(texts[d]) if word == kept[w]]
            assert bow.offsets[at : at + c].tolist() == places
            at += c
    assert vocabulary.tokens.sum() == bow.tokens
    assert sorted(p.name for p in tmp_path.iterdir()) == ["by_word", "counts.npy", "indptr.npy", "meta.json", "offsets.npy", "words.npy"]
    postings = Postings.open(tmp_path / "by_word")
    for w in range(bow.V):
        span = slice(postings.indptr[w], postings.indptr[w + 1])
        found = dict(zip(postings.documents[span].tolist(), postings.counts[span].tolist(), strict=True))
        assert found == {d: row[kept[w]] for d, row in enumerate(rows) if row[kept[w]]}


def test_a_megabyte_without_a_space_is_left_out(tmp_path):
    with CorpusBuilder(tmp_path, Tokeniser()) as builder:
        for _ in range(3):
            builder.add("x" * 1_000_000 + " word")
        _, vocabulary = builder.finish(VocabularyOptions(min_documents=1, max_share=1.0))
    assert vocabulary.words == ["word"]
    assert vocabulary.dropped == {"too long": (1, 3)}


@pytest.mark.parametrize(
    ("texts", "said"), [(["1 2 3", ""], "no words at all"), (["the of", "of the"], "as stop word"), (["alpha", "beta"], "as too rare")]
)
def test_nothing_left_says_why(tmp_path, texts, said):
    with CorpusBuilder(tmp_path, Tokeniser()) as builder:
        for text in texts:
            builder.add(text)
        with pytest.raises(Invalid, match=said):
            builder.finish(VocabularyOptions(stop_words("en")))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("options", [{"min_documents": 0}, {"max_share": 0.0}, {"max_share": 1.1}, {"max_share": float("nan")}])
def test_options_that_can_not_be(options):
    with pytest.raises(Invalid):
        VocabularyOptions(**options)
