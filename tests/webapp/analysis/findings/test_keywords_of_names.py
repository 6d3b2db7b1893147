"""A group's keywords are not its own name."""

from webapp.analysis.findings.kinds.keywords import words_of_value


def test_a_value_with_an_apostrophe_is_known_as_a_word_and_by_its_pieces():
    assert words_of_value("Conan O’Brien") == {"conan", "o'brien", "o", "brien"}
