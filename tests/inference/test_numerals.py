"""Number words, by which no name is headed."""

import pytest

from inference.text.numerals import number_words, written_number_words


@pytest.mark.parametrize(
    ("language", "some"),
    [
        ("en", {"two", "hundred", "million", "first", "third"}),
        ("de", {"zwei", "hundert", "millionen", "erste", "ersten", "drittes"}),
        ("fr", {"deux", "cents", "milliard", "première"}),
        ("ru", {"два", "сто"}),
    ],
)
def test_number_words_of_a_language(language, some):
    assert some <= number_words(language)
    assert not {"house", "haus", "maison", ""} & number_words(language)


def test_number_words_are_written_as_within_a_sentence():
    assert {"zwei", "Millionen", "dreißig"} <= written_number_words("de")
    assert not {"Zwei", "millionen", "dreissig"} & written_number_words("de")


@pytest.mark.parametrize("language", ["", "xx"])
def test_none_of_what_is_no_known_language(language):
    assert number_words(language) == frozenset()
