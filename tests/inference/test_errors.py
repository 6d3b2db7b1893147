"""Sentences that tell what can't be: a number with its noun."""

import pytest

from inference.errors import number_of


@pytest.mark.parametrize(
    ("number", "noun", "plural", "sentence"),
    [
        (0, "document", "", "0 documents"),
        (1, "document", "", "1 document"),
        (2_000, "document", "", "2,000 documents"),
        (3, "pass", "", "3 passes"),
        (1, "entry names", "entries name", "1 entry names"),
        (2, "entry names", "entries name", "2 entries name"),
    ],
)
def test_a_number_with_its_noun(number, noun, plural, sentence):
    assert number_of(number, noun, plural) == sentence
