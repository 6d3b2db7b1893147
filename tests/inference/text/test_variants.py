"""Which writings of one word a collection has side by side, and that they count as one."""

import pytest

from inference.text import VocabularyChoice, choose, terms, variants
from tests.inference.text.test_choose import written


def found(folder, *texts, language="en"):
    return dict(variants.find(written(folder, list(texts)), language))


def test_a_word_with_a_hyphen_counts_as_the_one_without(tmp_path):
    texts = [
        "Co-operation helps. Co-operation again, co operation once.",
        "Cooperation, cooperation",
        "well-known men are known well",
    ]
    assert found(tmp_path, *texts) == {"co-operation": "cooperation", "co operation": "cooperation"}


def test_a_compound_is_shown_with_its_hyphen_where_that_is_usual(tmp_path):
    texts = ["Die SPD-Fraktion, die SPD-Fraktion", "spdfraktion einer Spd-Fraktion"]
    stream = written(tmp_path / "tokens", texts)
    alike = variants.find(stream, "de")
    assert dict(alike) == {"spdfraktion": "spd-fraktion", "spd-fraktion": "spd-fraktion"}
    for hyphens in ("split", "join"):
        choice = VocabularyChoice(
            min_documents=1, max_share=1.0, variants=tuple(alike), hyphens=hyphens
        )
        _, vocabulary = choose(stream, choice, tmp_path / hyphens)
        tokens = dict(zip(vocabulary.words, vocabulary.tokens.tolist(), strict=True))
        assert tokens["spd-fraktion"] == 4 and "fraktion" not in tokens


def test_two_words_stay_two_where_a_hyphen_is_rarer_between_them(tmp_path):
    assert found(tmp_path, "every-day life, every day, every day", "an everyday life") == {
        "every-day": "everyday"
    }


def test_parts_of_a_longer_chain_are_no_words_of_their_own(tmp_path):
    texts = [
        "va-t-elle, dit-on; parle-t-elle",
        "une telle, un tel",
        "brother-in-law",
        "inlaw, brotherin",
    ]
    assert found(tmp_path, *texts, language="fr") == {}


@pytest.mark.parametrize(
    "broken", ["govern-\nment", "govern-\r\n  ment", "govern\N{SOFT HYPHEN}ment"]
)
def test_words_that_the_end_of_a_line_breaks_are_whole(tmp_path, broken):
    stream = written(tmp_path / "tokens", [f"The {broken} is here", "a government"])
    choice = VocabularyChoice(
        min_documents=1, max_share=1.0, variants=tuple(variants.find(stream, "en"))
    )
    _, vocabulary = choose(stream, choice, tmp_path / "bow")
    assert dict(zip(vocabulary.words, vocabulary.tokens.tolist(), strict=True))["government"] == 2
    assert "govern" not in vocabulary.words


def test_breaks_that_are_no_broken_words_stay(tmp_path):
    texts = [
        "exports -\nfree trade",
        "export-\n\nimport",
        "in 1990-\n1995",
        "1990-1995",
        "ein- und ausfuhr",
    ]
    assert found(tmp_path, *texts, "exportsfree exportimport 19901995 einund") == {}


def test_of_two_spellings_the_more_frequent_stands_for_both(tmp_path):
    texts = [
        "organise organised",
        "organize organised",
        "organized organise",
        "the labour of labor, of labor",
        "cœur, coeur",
    ]
    assert found(tmp_path / "en", *texts) == {
        "organize": "organise",
        "organized": "organised",
        "labour": "labor",
        "cœur": "coeur",
    }
    assert found(tmp_path / "fr", *texts, language="fr") == {"cœur": "coeur"}
    assert found(tmp_path / "alone", "a wise hour of promise, to advise, four courses") == {}


def test_a_spelling_with_a_hyphen_counts_as_the_usual_one(tmp_path):
    assert (
        found(tmp_path, "re-organise reorganise", "reorganize reorganize")["re-organise"]
        == "reorganize"
    )


def test_printers_ligatures_are_letters(tmp_path):
    _, vocabulary = choose(
        written(tmp_path / "a", ["ﬁrst eﬀort", "first effort"]),
        VocabularyChoice(min_documents=2),
        tmp_path / "b",
    )
    assert vocabulary.words == ["effort", "first"]


def test_pages_mark_a_writing_as_its_word():
    choice = VocabularyChoice(variants=(("co-operation", "cooperation"), ("organise", "organize")))
    assert terms(["They organise co-operation, co operation."], choice) == [
        [
            (0, 4, "they"),
            (5, 13, "organize"),
            (14, 26, "cooperation"),
            (28, 30, "co"),
            (31, 40, "operation"),
        ]
    ]
    stems = VocabularyChoice(variants=choice.variants, forms="stems", language="en")
    assert [word for _, _, word in terms(["co-operation organise"], stems)[0]] == [
        "cooper",
        "organiz",
    ]


def test_arabic_words_with_and_without_a_hamza(tmp_path):
    """Final letters are left apart: the name Ali and “on”, a writing and his book are two words."""
    texts = [
        "أحمد احمد أحمد إلى الى إلى مسؤول مسئول مسئول",
        "علي على كتابة كتابه آخر آخر اخر أخر",
    ]
    assert found(tmp_path / "ar", *texts, language="ar") == {
        "احمد": "أحمد",
        "الى": "إلى",
        "مسؤول": "مسئول",
        "اخر": "آخر",
        "أخر": "آخر",
    }
    assert found(tmp_path / "fa", *texts, language="fa") == {}


def test_a_word_that_two_rules_spell_anew_is_one_word_in_all_its_spellings(tmp_path):
    often = {"colourise": 5, "colourize": 7, "colorize": 9, "colorise": 3}
    texts = [" ".join([word] * times) for word, times in often.items()]
    assert found(tmp_path, *texts) == dict.fromkeys(often.keys() - {"colorize"}, "colorize")
