"""Words of topics' names, found in the vocabulary."""

from types import SimpleNamespace

import numpy as np
import pytest

from webapp.analysis.findings.name_counts import NameCounts, spellings


@pytest.mark.parametrize("written", ["Holy Qur’an", "Holy Qur'an", "Holy Qurʼan"])
@pytest.mark.parametrize("word", ["qur'an", "qur’an"], ids=["cut by us", "given as it is"])
def test_a_word_of_a_name_is_found_whatever_its_apostrophe(written, word):
    names = NameCounts(SimpleNamespace(topics=1), SimpleNamespace(), SimpleNamespace(), np.ones(1))
    names.spelling = {3: "holy", 5: word}
    is_written_otherwise = word == "qur’an" and written != "Holy Qur’an"
    expected = (3,) if is_written_otherwise else (3, 5)
    assert names.words_of_parts([written, "Other"]) == [expected]


def test_words_of_a_name_are_asked_for_as_written_and_as_counted():
    assert spellings("Élise O’Brien’s law") == [
        ("élise", "élise"),
        ("o’brien’s", "o'brien's"),
        ("law", "law"),
    ]
