"""A choice of words gives the vocabulary and the bag of words that its slow twin gives."""

import gzip
import json
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import Stemmer
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from inference.bow import Bow, Postings
from inference.errors import Invalid
from inference.text import (
    Stream,
    Tokeniser,
    VocabularyChoice,
    choose,
    duplicates,
    joined_forms,
    stop_words,
    stops,
    terms,
    words_of_forms,
)
from inference.text.forms import LEMMAS, STEMS, form_maker
from tests.inference.text import naive

TEXTS = [
    f"the {'war ' * (i % 4)} peace{i % 7} topic{i % 13} a common {'rare' if i == 3 else ''} in"
    f" 18{i % 9}0"
    for i in range(60)
]
TEXTS[10] = ""
TEXTS[20] = "the the a"
TEXTS[30] = (
    "New York's well-known mother-in-law isn't in New-York. In New York City, new. York 1984-85"
    " don't it's"
)
TEXTS[31] = (
    "new york city news; New\nYork is well-known: New\n\nYork, l'homme a-b-c-d-e-f-g-h-i-j-k"
    " running runs ran"
)
TEXTS[32] = "漢字 한 x running run"


def written(folder, texts, language="", given=False, size=7):
    with Stream.write(folder, Tokeniser(language, given)) as stream:
        for i in range(0, len(texts), size):
            stream.add(texts[i : i + size], [f"Title {i}" for _ in texts[i : i + size]])
        stream.commit()
    return Stream.open(folder)


def agree(folder, texts, choice, left_out=(), language="", given=False, documents=None):
    stream = written(folder / "tokens", texts, language, given)
    mask = np.isin(np.arange(documents or len(texts)), list(left_out))
    bow, vocabulary = choose(stream, choice, folder / "bow", mask if left_out else None, documents)
    turn = form_maker(choice.forms, choice.language)
    kept, dropped, rows = naive.choose(
        texts[:documents],
        choice,
        turn and (lambda word: turn([word])[0]),
        left_out,
        language,
        given,
    )
    assert vocabulary.words == kept
    assert vocabulary.dropped == dropped
    assert bow.D == len(rows) and vocabulary.tokens.sum() == bow.tokens
    for d, row in enumerate(rows):
        span = slice(bow.indptr[d], bow.indptr[d + 1])
        at = bow.first_token[d]
        found = {}
        for w, c in zip(bow.words[span].tolist(), bow.counts[span].tolist(), strict=True):
            found[kept[w]] = bow.offsets[at : at + c].tolist()
            at += c
        assert found == row
    Bow(bow.indptr, bow.words, bow.counts, bow.V)  # which checks
    assert vocabulary.documents.tolist() == np.bincount(bow.words, minlength=bow.V).tolist()
    assert sorted(p.name for p in (folder / "bow").iterdir()) == [
        "by_word",
        "counts.npy",
        "first_token.npy",
        "indptr.npy",
        *(["joined_forms.npy"] if choice.forms == "stems" else []),
        "lengths.npy",
        "meta.json",
        "offsets.npy",
        "words.npy",
        *(["words_of_forms.npy"] if choice.forms == "lemmas" else []),
    ]
    postings = Postings.open(folder / "bow" / "by_word")
    for w in range(0, bow.V, 5):
        span = slice(postings.indptr[w], postings.indptr[w + 1])
        found = dict(
            zip(postings.documents[span].tolist(), postings.counts[span].tolist(), strict=True)
        )
        assert found == {d: len(row[kept[w]]) for d, row in enumerate(rows) if kept[w] in row}
    return vocabulary


CHOICES = [
    VocabularyChoice(stop_words("en"), min_documents=2, max_share=0.9),
    VocabularyChoice(min_documents=1, max_share=1.0, min_length=1, numbers=True),
    VocabularyChoice(stop_words("en"), min_documents=1, max_share=1.0, hyphens="join"),
    VocabularyChoice(
        stop_words("en"), min_documents=1, max_share=1.0, apostrophes="join", min_length=1
    ),
    VocabularyChoice(
        stop_words("en"),
        min_documents=1,
        max_share=1.0,
        hyphens="join",
        apostrophes="join",
        numbers=True,
    ),
    VocabularyChoice(
        frozenset(["new"]),
        min_documents=1,
        max_share=1.0,
        phrases=("new york", "new york city", "in the", "no such"),
    ),
    VocabularyChoice(
        min_documents=1,
        max_share=1.0,
        hyphens="join",
        phrases=("is well-known", "new york", "mother-in-law isn"),
    ),
    VocabularyChoice(
        stop_words("en"),
        min_documents=1,
        max_share=1.0,
        forms="stems",
        language="en",
        phrases=("running run",),
    ),
    VocabularyChoice(
        min_documents=1,
        max_share=1.0,
        variants=(("new york", "peace1"), ("mother-in", "war"), ("running", "ran")),
        phrases=("peace1 city",),
    ),
    VocabularyChoice(
        min_documents=1,
        max_share=1.0,
        hyphens="join",
        variants=(("well-known", "running"), ("new-york", "a")),
    ),
    VocabularyChoice(
        min_documents=1,
        max_share=1.0,
        hyphens="join",
        variants=(("running", "well-known"), ("city", "no-such"), ("york city", "no-such")),
        phrases=("new york no-such",),
    ),
    VocabularyChoice(min_documents=2, max_share=1.0, forms="lemmas", language="en"),
    VocabularyChoice(stop_words("en"), min_documents=1, apostrophes="clitics", language="en"),
    VocabularyChoice(min_documents=1, apostrophes="clitics", hyphens="join", language="fr"),
    VocabularyChoice(min_documents=1, apostrophes="clitics", language="tr"),
]


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "the Qur’an, O'Brien's Shi’a", ["the", "qur'an", "o'brien", "s", "shi'a"]),
        ("en", "nation’s don't d’État rock'n'roll", "nation s don t d état rock'n'roll".split()),
        ("en", "b'word' r'abc'", ["b", "word", "r", "abc"]),
        ("en", "Y'all O’Yall", ["y", "all", "o'yall"]),
        ("fr", "ç’aurait Ç'avait C\u0327’eût", ["ç", "aurait", "avait", "eût"]),
        ("fr", "l’homme d'aujourd’hui", ["l", "homme", "d", "aujourd'hui"]),
        ("fr", "qu'O’Brien lorsqu’il", ["qu", "o'brien", "lorsqu", "il"]),
        ("id", "Al-Qur'an do’a", ["al", "qur'an", "do'a"]),
        ("tr", "Ankara’da Kur’an", ["ankara", "da", "kur", "an"]),
        ("it", "quest’anno dell’arte", ["quest", "anno", "dell", "arte"]),
        ("", "Qur’an", ["qur", "an"]),
    ],
)
def test_an_apostrophe_divides_what_a_language_ties_to_a_word(tmp_path, language, text, words):
    choice = VocabularyChoice(
        min_documents=1, min_length=1, apostrophes="clitics", language=language
    )
    found = agree(tmp_path, [f"{text} one", f"two {text}"], choice)
    assert sorted(found.words) == sorted({"one", "two", *words})


def test_typed_stop_words_and_phrases_have_apostrophes_as_the_texts_do(tmp_path):
    choice = VocabularyChoice(
        frozenset(["o'clock", "ma’am"]),
        min_documents=1,
        apostrophes="clitics",
        language="en",
        phrases=("holy qur’an",),
    )
    texts = ["the holy Qur’an at nine o’clock Ma'am"] * 2
    stream = written(tmp_path / "tokens", texts)
    _, vocabulary = choose(stream, choice, tmp_path / "bow")
    assert {"holy_qur’an", "nine"} <= set(vocabulary.words)
    assert not {"o'clock", "ma'am", "clock", "qur'an"} & set(vocabulary.words)


@pytest.mark.parametrize("block", [2_000_000, 30, 1])
@pytest.mark.parametrize("choice", CHOICES, ids=range(len(CHOICES)))
def test_twins(tmp_path, monkeypatch, choice, block):
    monkeypatch.setattr(Stream.blocks, "__defaults__", (None, block, True))
    agree(tmp_path, TEXTS, choice)


def test_what_words_become(tmp_path):
    choice = VocabularyChoice(
        stop_words("en"),
        min_documents=1,
        max_share=1.0,
        hyphens="join",
        apostrophes="join",
        phrases=("new york", "new york city"),
    )
    words = set(agree(tmp_path, TEXTS, choice).words)
    assert {
        "new_york",
        "new_york_city",
        "well-known",
        "mother-in-law",
        "york's",
        "漢",
        "字",
        "한",
    } <= words
    assert not {"it's", "don't", "isn't", "x"} & words  # of nothing but stop words; too short


def test_repeated_documents_are_looked_for_in_the_folder(tmp_path, monkeypatch):
    """Not in memory, where the keys of ten million documents would be."""
    scratch = []
    find = duplicates.find

    def found(stream, folder=None):
        scratch.append(folder)
        return find(stream, folder)

    monkeypatch.setattr(duplicates, "find", found)
    texts = ["one two three four five six seven eight"] * 3
    stream = written(tmp_path / "tokens", texts)
    choice = VocabularyChoice(min_documents=1, max_share=1.0, duplicates="near")
    bow, _ = choose(stream, choice, tmp_path / "bow")
    assert scratch == [tmp_path / "bow"] and np.diff(bow.indptr).tolist() == [8, 0, 0]


def test_documents_that_are_left_out_and_later_ones(tmp_path):
    agree(tmp_path, TEXTS, CHOICES[0], left_out={0, 5, 33}, documents=40)


def spread() -> list[str]:
    """240 documents of 150 words, each with some words of its own: "dull" is in all, "lump" in a
    sixth of them, often."""
    random = Random(3)
    texts = []
    for d in range(240):
        own = random.sample([f"w{i}" for i in range(300)], 40) + ["lump"] * 20 * (d % 6 == 0)
        texts.append(" ".join(["dull" if i % 20 == 0 else random.choice(own) for i in range(150)]))
    return texts


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"kept": frozenset(["dull"])},
        {"spread_evenly": True},
        {"forms": "stems", "language": "en"},
    ],
)
def test_frequent_words_that_are_spread_evenly_do_not_count(tmp_path, more):
    choice = VocabularyChoice(numbers=True, min_documents=2, **more)
    words = agree(tmp_path, spread(), choice, left_out={3}).words
    assert "lump" in words and ("dull" in words) == bool({"kept", "spread_evenly"} & more.keys())


def test_of_short_or_few_documents_evenly_spread_words_count(tmp_path):
    short = [text[:300] for text in spread()]
    assert "dull" in agree(tmp_path / "short", short, VocabularyChoice(min_documents=2)).words
    assert (
        "dull" in agree(tmp_path / "few", spread()[:190], VocabularyChoice(min_documents=2)).words
    )


def test_a_word_that_is_kept_counts_however_common(tmp_path):
    texts = ["always alpha", "always beta", "always gamma alpha", "beta gamma"]
    choice = VocabularyChoice(min_documents=1, max_share=0.6)
    assert "always" not in agree(tmp_path / "without", texts, choice).words
    assert (
        "always"
        in agree(tmp_path / "with", texts, replace(choice, kept=frozenset(["always"]))).words
    )


def test_given_words(tmp_path):
    texts = ["Alpha beta\tBETA new_york x-y 5th", "new york Alpha", "new york beta"]
    words = agree(
        tmp_path,
        texts,
        VocabularyChoice(min_documents=1, max_share=1.0, phrases=("new york",)),
        given=True,
    ).words
    assert words == ["new_york", "Alpha", "beta", "BETA", "x-y"]


def test_segmented_words(tmp_path):
    texts = ["我们的经济和他们的文化因为这个问题而不同", "经济 ABC 文化 1984年"]
    assert (
        "经济"
        in agree(
            tmp_path, texts, VocabularyChoice(min_documents=1, max_share=1.0), language="zh"
        ).words
    )


def test_real_news(tmp_path, corpora_folder):
    with gzip.open(corpora_folder / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [json.loads(line)["text"] for line, _ in zip(file, range(400), strict=False)]
    agree(
        tmp_path,
        texts,
        VocabularyChoice(
            stop_words("en"),
            min_documents=2,
            hyphens="join",
            apostrophes="join",
            phrases=("crude oil", "mln dlrs"),
        ),
    )


@pytest.mark.parametrize("choice", CHOICES, ids=range(len(CHOICES)))
def test_terms_of_a_text_are_those_of_the_corpus(choice):
    turn = form_maker(choice.forms, choice.language)
    phrases = {phrase.replace(" ", "_") for phrase in choice.phrases}
    found = terms(TEXTS[28:33], choice)
    for text, of in zip(TEXTS[28:33], found, strict=True):
        expected = naive.units(text, choice)
        keep = VocabularyChoice(
            min_documents=1, max_share=1.0, min_length=choice.min_length, numbers=choice.numbers
        )
        kept = (
            set(naive.choose([" ".join(word for *_, word in expected) + " a"], keep, given=True)[0])
            | phrases
        )
        named = [
            (a, b, word if not turn or word in phrases else turn([word])[0])
            for a, b, word in expected
            if word in kept
        ]
        assert of == named
    (places,) = stops(
        [TEXTS[30]], [np.array([a for a, _, _ in found[2]] + [len(TEXTS[30]) - 1])], choice
    )
    assert places == [b for _, b, _ in found[2]] + [len(TEXTS[30])]


def test_a_megabyte_without_a_space_is_left_out(tmp_path):
    stream = written(tmp_path / "tokens", ["x" * 1_000_000 + " word"] * 3)
    _, vocabulary = choose(
        stream, VocabularyChoice(min_documents=1, max_share=1.0), tmp_path / "bow"
    )
    assert vocabulary.words == ["word"]
    assert vocabulary.dropped == {"too long": (1, 3)}


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["...", ""], "no words at all."),
        (["1 2 3", ""], "only numbers"),
        (["the of", "of the"], "stop words"),
        (["alpha", "beta"], "2 too rare"),
    ],
)
def test_nothing_left_says_why(tmp_path, texts, said):
    with pytest.raises(Invalid, match=said):
        choose(
            written(tmp_path / "tokens", texts),
            VocabularyChoice(stop_words("en")),
            tmp_path / "bow",
        )
    assert not (tmp_path / "bow").exists()


@pytest.mark.parametrize(
    "options",
    [
        {"min_documents": 0},
        {"max_share": 0.0},
        {"max_share": 1.1},
        {"max_share": float("nan")},
        {"min_length": 0},
        {"hyphens": "cut"},
        {"forms": "stems"},
        {"forms": "lemmas", "language": "zh"},
        {"phrases": ("alone",)},
        {"phrases": ("two  spaces",)},
        {"duplicates": "yes"},
    ],
)
def test_choices_that_can_not_be(options):
    with pytest.raises(Invalid) as refused:
        VocabularyChoice(**options)
    assert refused.value.field in options


def test_every_form_that_is_offered_can_be_had():
    assert set(STEMS.values()) <= set(Stemmer.algorithms())
    assert set(LEMMAS.values()) <= set(SUPPORTED_LANGUAGES)
    assert form_maker("stems", "en")(["running"]) == ["run"] and form_maker("lemmas", "de")(
        ["ging"]
    ) == ["gehen"]


def test_of_lemmas_it_is_known_which_forms_they_have(tmp_path):
    stream = written(tmp_path / "tokens", ["the mice ran", "a mouse runs"])
    choice = VocabularyChoice(min_documents=1, max_share=1.0, forms="lemmas", language="en")
    _, vocabulary = choose(stream, choice, tmp_path / "bow")
    words = words_of_forms(tmp_path / "bow")
    forms = {
        lemma: set(stream.lexicon.words(np.flatnonzero(words == column)))
        for column, lemma in enumerate(vocabulary.words)
    }
    assert forms["mouse"] == {"mice", "mouse"} and forms["run"] == {"ran", "runs"}
    choose(stream, VocabularyChoice(min_documents=1, max_share=1.0), tmp_path / "bow")
    assert words_of_forms(tmp_path / "bow") is None


def test_of_stems_it_is_known_which_joined_words_have_them(tmp_path):
    texts = ["the Qur’an, the Qur'an, a Qur’anic school", "Shi'ites, schools and Qur’ans"]
    stream = written(tmp_path / "tokens", texts)
    choice = VocabularyChoice(min_documents=1, forms="stems", language="en", apostrophes="clitics")
    _, vocabulary = choose(stream, choice, tmp_path / "bow")
    columns = range(len(vocabulary.words))
    forms = joined_forms(tmp_path / "bow", columns)
    assert {vocabulary.words[column]: words for column, words in forms.items()} == {
        "qur'an": ["qur'an", "qur'anic", "qur'ans"],
        "shi'it": ["shi'ites"],
    }
    choose(stream, VocabularyChoice(min_documents=1, apostrophes="join"), tmp_path / "bow")
    assert joined_forms(tmp_path / "bow", columns) == {}
