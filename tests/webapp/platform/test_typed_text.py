"""What people type is compared with texts and words as they were read."""

import pytest

from webapp.core.asked_training import named_topics
from webapp.platform import typed_text
from webapp.platform.received import words_typed

TYPED = "Caf\u0065\u0301"  # an accent behind its letter, as macOS gives names of files
COUNTED = "caf\u00e9"


def test_words_are_typed_in_either_case_and_form():
    assert typed_text.as_counted(TYPED) == COUNTED


@pytest.mark.parametrize("typed", ["Qur’an", "Qurʼan", "Qur'an"])
def test_words_are_typed_with_any_apostrophe(typed):
    assert typed_text.as_counted(f"Holy_{typed}, {typed}") == "holy_qur'an, qur'an"
    assert typed_text.as_counted("Об’єднання") == "обʼєднання"


@pytest.mark.parametrize(
    "words_of",
    [
        lambda typed: words_typed(typed_text.as_counted(typed)),
        lambda typed: [named_topics.counted_phrase(typed)],
    ],
    ids=["words that a run counts differently", "words of a named topic"],
)
def test_what_is_typed_for_a_training_is_found_in_the_vocabulary(words_of):
    assert words_of(TYPED) == [COUNTED]
