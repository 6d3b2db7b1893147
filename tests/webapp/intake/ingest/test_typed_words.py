"""Words are found whichever apostrophe somebody types."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from inference import Bow
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.topics import grid
from webapp.analysis.words import queries
from webapp.core.asked_training import named_topics
from webapp.core.results import hidden_words
from webapp.core.runs import excluded_words
from webapp.core.runs.steering import Wish
from webapp.intake.ingest import typed_words
from webapp.models import Word
from webapp.platform.storage import cache, files

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


@pytest.fixture(scope="module")
def stemmed(draft, django_db_setup, django_db_blocker):
    """A run on texts whose words count as their stems."""
    texts = [
        "the nations ran to universities while the colour of kings changed",
        "a nation is running a university and the color of one king changes",
    ]
    rows = [["text"], *([texts[number % 2]] for number in range(60))]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "stems.csv", forms="stems", language="en", min_documents=1)
        yield run_on(corpus, topics=2, passes=2)


def test_a_typed_form_is_the_word_that_it_counts_as(stemmed):
    version = stemmed.version_id
    words = ["nations", "nation", "universities", "running", "colour", "nowhere"]
    found = typed_words.find_words(version, words)
    assert {word: row.word for word, row in found.items()} == {
        "nations": "nation",
        "nation": "nation",
        "universities": "universiti",
        "running": "run",
        "colour": "color",
    }
    assert typed_words.spell_words(version, ["nations", "nation", "nowhere"]) == [
        "nation",
        "nowhere",
    ]


def test_forms_of_one_word_are_counted_once(stemmed):
    hidden = hidden_words.read(QueryDict("drop=nations,nation"), stemmed)
    assert hidden.words == ("nation",)
    [both] = named_topics.read("Peoples: nations, nation, kings, king, colour")
    [one_form] = named_topics.read("Peoples: nation, king, color")
    [counted_both, counted_one] = named_topics.count_topics(stemmed.version, [both, one_form])
    assert counted_both.tokens == counted_one.tokens > 0
    bow = Bow.open(files.version_folder(stemmed.version_id) / "bow")
    assert len(named_topics.in_bag(stemmed.version, [both], bow).words) == 3


def test_the_page_of_a_form_is_that_of_its_word_and_says_so(client, stemmed):
    page = client.get(reverse("run_word", args=[stemmed.pk, "Universities"]))
    assert page.status_code == 200
    assert page.context["page"].word.word == "universiti"
    assert "“<bdi>universities</bdi>” counts as this word" in page.content.decode()
    found = client.get(reverse("run_words", args=[stemmed.pk]), {"word": "universities"})
    assert found["Location"].endswith("/words/universities/")
    stem = client.get(reverse("run_word", args=[stemmed.pk, "universiti"]))
    assert stem.context["page"].word.typed == ""


def test_the_grid_knows_a_form_of_a_word(client, stemmed):
    query = {"view": "grid", "words": "nations nation nowhere"}
    page = client.get(reverse("run_topics_json", args=[stemmed.pk]), query).json()
    assert [line["word"] for line in page["grid"]["lines"]] == ["nation"]
    assert page["grid"]["unknown"] == ["nowhere"]
