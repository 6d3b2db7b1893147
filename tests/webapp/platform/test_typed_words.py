"""Words are found whichever apostrophe somebody types."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from webapp.analysis.topics import grid
from webapp.analysis.words import queries
from webapp.core.asked_training import named_topics
from webapp.core.results import hidden_words
from webapp.core.runs import excluded_words
from webapp.core.runs.steering import Wish
from webapp.models import Word
from webapp.platform import typed_words
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db
APOSTROPHES = ["'", "’", "ʼ"]


@pytest.fixture
def respelled(trained):
    """Gives a word of the run's vocabulary another spelling for a test."""
    cache.clear_all()

    def respell(number: int, spelling: str) -> None:
        Word.objects.filter(version=trained.version_id, number=number).update(word=spelling)

    yield respell
    cache.clear_all()


@pytest.mark.parametrize("apostrophe", APOSTROPHES)
@pytest.mark.parametrize("spelling", ["qur'an", "qur’an"], ids=["cut by us", "given as it is"])
def test_a_typed_word_is_the_vocabulary_s(client, trained, respelled, apostrophe, spelling):
    respelled(3, spelling)
    respelled(4, "wheat")
    respelled(5, "corn")
    typed = f"Qur{apostrophe}an"
    word = queries.word(trained.version, typed)
    assert word is not None and (word.number, word.word) == (3, spelling)
    hidden = hidden_words.read(QueryDict(f"drop={typed}"), trained)
    assert (hidden.words, hidden.known) == ((spelling,), {spelling: 3})
    wish = Wish.read(QueryDict(f"together={typed},wheat&never="), trained)
    assert wish.together == [spelling, "wheat"]
    ticked = [row.word for row in excluded_words.offered(trained, None, [typed])]
    assert ticked == [spelling]
    [topic] = named_topics.read(f"Books: {typed}, wheat, corn")
    [counted] = named_topics.count_topics(trained.version, [topic])
    assert [seed.tokens > 0 for seed in counted.seeds] == [True] * 3
    assert grid.read_words(typed) == ["qur'an"]
    answer = client.get(reverse("run_topics_json", args=[trained.pk]), {"word": typed})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("spelling", "typed"),
    [("qur'an", "Qur’a"), ("qur'an", "Qurʼa"), ("qur'an", "qur'a"), ("qur’an", "Qur’a")],
)
def test_the_beginning_of_a_word_may_have_any_apostrophe(trained, respelled, spelling, typed):
    respelled(3, spelling)
    words, _ = queries.matching(trained.version, typed)
    assert [row.word for row in words] == [spelling]


def test_a_word_with_the_apostrophe_goes_before_one_with_another(trained, respelled):
    respelled(3, "qur’an")
    respelled(5, "qur'an")
    found = typed_words.find_words(trained.version_id, ["qur'an", "nowhere"])
    assert {word: row.number for word, row in found.items()} == {"qur'an": 5}
    assert typed_words.spell_words(trained.version_id, ["nowhere", "qur'an"]) == [
        "nowhere",
        "qur'an",
    ]
