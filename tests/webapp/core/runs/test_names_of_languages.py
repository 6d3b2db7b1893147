"""Topics in another language than the texts', and what the grammar is learned from."""

from webapp.core.runs import names
from webapp.core.runs.names import middles, topics_of_other_languages


def test_topics_of_another_languages_function_words_get_no_name():
    spelled = ["il", "che", "della", "sono", "questo", "anche", "kernel", "driver", "memory"]
    vocabulary = dict(enumerate(spelled))
    first = [[0, 1, 2, 3, 4, 5, 6], [6, 7, 8], [0, 6, 7, 8]]
    assert topics_of_other_languages("en", first, vocabulary) == {0}
    assert not topics_of_other_languages("it", first, vocabulary)
    assert not topics_of_other_languages("", first, vocabulary)


def test_words_of_a_near_relative_may_be_the_languages_own():
    galician = "anos grupo grande estado parte nova lugar obra nome número poder sistema".split()
    assert not topics_of_other_languages("gl", [list(range(12))], dict(enumerate(galician)))


def test_a_language_whose_function_words_are_not_known_has_no_foreign_topics():
    bosnian = "bio bila biti još kako koji nakon prije samo".split()
    assert not topics_of_other_languages("bs", [list(range(9))], dict(enumerate(bosnian)))


def test_of_many_texts_some_are_read_for_more_than_a_fragment(monkeypatch):
    monkeypatch.setattr(names, "LEAST_CHARACTERS", 20)
    texts = [f"{number} " + "the farm had a field. " * 10 for number in range(50)]
    parts = list(middles(texts, 100))
    assert 0 < len(parts) <= 5
    assert all(set(part.split()) <= {"the", "farm", "had", "a", "field."} for part in parts)


def test_the_grammar_learns_from_the_middle_of_every_text(monkeypatch):
    monkeypatch.setattr(names, "LEAST_CHARACTERS", 1)
    texts = ["title" + "prose" * 20 + "notes", "short"]
    assert list(middles(texts, 25)) == ["short", ("title" + "prose" * 20 + "notes")[45:65]]
