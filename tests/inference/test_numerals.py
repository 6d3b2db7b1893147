"""Number words, by which no name is headed."""

import pytest

from inference.text.numerals import number_words


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


@pytest.mark.parametrize("language", ["", "xx"])
def test_none_of_what_is_no_known_language(language):
    assert number_words(language) == frozenset()
