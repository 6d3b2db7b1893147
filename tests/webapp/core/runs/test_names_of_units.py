"""Words of who speaks, which name no subject."""

import pytest

from inference.explore.grammar import Grammar
from inference.text import stop_words
from webapp.core.documents import corpus_unit
from webapp.core.runs import names

TEXT = """The old mail server of the harbour and a new server of the domain. We heard Lincoln say that
he and Grant will grant the land. The speech of Lincoln, the mail of Grant, a domain of the land.
"""


@pytest.fixture(scope="module")
def grammar():
    return Grammar([TEXT] * 12, stop_words("en"))


@pytest.fixture(autouse=True)
def few_words_are_titles(monkeypatch):
    monkeypatch.setattr(names, "WORDS_OF_TITLES", 2)


def avoided(monkeypatch, grammar, *columns):
    monkeypatch.setattr(corpus_unit, "words_of_values", lambda version: list(columns))
    return names.names_of_units(None, grammar)


def test_names_of_persons_name_no_subject_and_ordinary_words_may(monkeypatch, grammar):
    presidents = frozenset({"abraham", "lincoln", "ulysses", "grant"})
    assert avoided(monkeypatch, grammar, presidents) == presidents - {"grant"}


def test_a_column_of_ordinary_words_names_subjects(monkeypatch, grammar):
    committees = frozenset({"mail", "domain", "land", "lincoln", "operations"})
    assert avoided(monkeypatch, grammar, committees) == frozenset()


def test_each_column_is_judged_by_itself(monkeypatch, grammar):
    committees = frozenset({"mail", "domain", "server"})
    assert avoided(monkeypatch, grammar, committees, frozenset({"lincoln", "abraham"})) == {
        "lincoln",
        "abraham",
    }


def test_who_speaks_is_known_by_words_with_apostrophes_too():
    known = corpus_unit.words_and_pieces("Conan O’Brien, Seamus O'Neill, Обʼєднання")
    assert known >= {"conan", "o'brien", "o", "brien", "o'neill", "neill", "обʼєднання"}


def test_where_nobody_is_known_to_speak_nothing_is_avoided(monkeypatch, grammar):
    assert avoided(monkeypatch, grammar) == frozenset()


def test_a_few_names_are_of_speakers_however_ordinary(monkeypatch, grammar):
    monkeypatch.setattr(names, "WORDS_OF_TITLES", 100)
    parties = frozenset({"land", "domain"})
    assert avoided(monkeypatch, grammar, parties) == parties
