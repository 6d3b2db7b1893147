"""Topics that are named before a training, proposed from a topic of a run and from concepts: in the
form with one press, and in the API, whose training takes them."""

import json
import re

import pytest
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp.making import corpus_of, run_on
from tests.webapp.service.codebook.making import concept_of
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import topics
from webapp.core.results.view import RunView
from webapp.models import Run, Word
from webapp.platform.accounts import tokens
from webapp.service.codebook import concepts
from webapp.service.corpora import proposed_seeds

pytestmark = pytest.mark.django_db


def words_that_count(run, count: int) -> list[str]:
    rows = Word.objects.filter(version=run.version, tokens__gte=15).order_by("number")
    return list(rows.values_list("word", flat=True)[20 : 20 + count])


def concept(run, name="The army"):
    words = words_that_count(run, 4)
    text = f"The text speaks of {words[0]}, of {words[1]} and of zyzzogeton."
    return concept_of(run, called=name, text=text, examples=" ".join([words[2], words[0]])), words


def api(client, run, **query):
    return client.get(f"/api/v1/corpora/{run.corpus_id}/seeds", query)


def test_a_topic_proposes_its_name_and_first_words(trained):
    (named,) = proposed_seeds.propose(trained.corpus, [f"{trained.pk}.2"], [])
    view = RunView(trained)
    assert list(named.words) == topics.top_words(view, [2], 10)[2]
    assert named.name and ":" not in named.name
    assert named_topics.checked(named_topics.read_lines(named_topics.written([named]))) == [named]


def test_a_topic_that_was_named_before_proposes_the_words_that_it_was_given(trained):
    before = named_topics.NamedTopic("Before", tuple(words_that_count(trained, 3)))
    Run.objects.filter(pk=trained.pk).update(steering=Steering(named=[before]).stored)
    first, second = proposed_seeds.propose(
        trained.corpus, [f"{trained.pk}.0", f"{trained.pk}.1"], []
    )
    assert first == before and second.name != "Before"


def test_a_concept_proposes_the_words_of_its_definition_that_count(trained):
    made, words = concept(trained)
    (named,) = proposed_seeds.propose(trained.corpus, [], [made.pk])
    assert named.name == "The army"
    assert named.words[0] == words[0]  # it stands there twice
    assert set(words[:3]) <= set(named.words) and "zyzzogeton" not in named.words
    known = Word.objects.filter(version=trained.version, word__in=named.words)
    assert known.count() == len(named.words)


def test_a_concept_proposes_stems_where_words_count_as_stems(draft):
    rows = [["text"], *([f"nations agreed about treaties {n % 5}"] for n in range(40))]
    corpus = corpus_of(draft, rows, "stems.csv", forms="stems", language="en", min_documents=1)
    made = concept_of(run_on(corpus, topics=2), called="Peace", text="A nation signs a treaty.")
    (named,) = proposed_seeds.propose(corpus, [], [made.pk])
    assert set(named.words) == {"nation", "treati"}


def test_two_of_a_name_are_told_apart(trained):
    first, _ = concept(trained)
    second, _ = concept(trained)
    named = proposed_seeds.propose(trained.corpus, [], [first.pk, second.pk])
    assert [topic.name for topic in named] == ["The army", "The army 2"]


@pytest.mark.parametrize("topic", ["", "2", "x.y", "999999.0", "{run}.6", "-1.0"])
def test_what_is_not_of_the_corpus_is_refused(client, trained, topic):
    asked = topic.format(run=trained.pk)
    with pytest.raises(Invalid, match="topic"):
        proposed_seeds.propose(trained.corpus, [asked], [])
    answer = api(client, trained, topic=asked)
    assert answer.status_code == 400 and answer.json()["field"] == "topic"


def test_a_concept_that_was_removed_or_is_not_there_is_refused(client, trained):
    made, _ = concept(trained)
    concepts.remove(made, True)
    for number in (made.pk, 10**9):
        answer = api(client, trained, concept=number)
        assert answer.status_code == 400 and answer.json()["field"] == "concept"
        url = reverse("corpus", args=[trained.corpus_id])
        assert client.get(url, {"concept": number}).status_code == 400


def test_one_press_begins_the_form_with_them_and_their_counts(client, trained):
    made, words = concept(trained)
    pages = {
        reverse("run_topic", args=[trained.pk, 1]): f"?topic={trained.pk}.1#named",
        reverse("concept", args=[trained.pk, made.pk]): f"?concept={made.pk}#named",
        reverse("run_codebook", args=[trained.pk]): f"concept={made.pk}&amp;#named",
    }
    for address, link in pages.items():
        assert link in client.get(address).content.decode()
    url = reverse("corpus", args=[trained.corpus_id])
    query = {"topic": f"{trained.pk}.1", "concept": made.pk}
    page = client.get(url, query).content.decode()
    assert '<details class="advanced" id="named" open>' in page
    field = re.search(r'<textarea name="seeds".*?>(.*?)</textarea>', page, re.DOTALL)
    assert field is not None and "The army: " + words[0] in field[1]
    word = Word.objects.get(version=trained.version, word=words[0])
    assert f'<td class="n" data-label="times">{word.tokens:,}</td>' in page
    plain = client.get(url).content.decode()
    assert "The form begins with words" in page and "The form begins with words" not in plain


def test_the_api_proposes_counts_and_trains(client, trained):
    made, words = concept(trained)
    proposed = api(client, trained, topic=f"{trained.pk}.1", concept=made.pk).json()["seeds"]
    assert [topic["name"] for topic in proposed][1] == "The army"
    word = Word.objects.get(version=trained.version, word=words[0])
    counts = proposed[1]["counts"][0]
    assert (counts["word"], counts["tokens"], counts["documents"]) == (
        words[0],
        word.tokens,
        word.documents,
    )
    seeds = [{"name": topic["name"], "words": topic["words"]} for topic in proposed]
    headers = {"Authorization": f"Bearer {tokens.create('t')[1]}"}

    def train(**body):
        url = f"/api/v1/corpora/{trained.corpus_id}/runs"
        sent = json.dumps({"topics": 8, "settings": {"passes": 2}} | body)
        return client.post(url, sent, content_type="application/json", headers=headers)

    answer = train(seeds=seeds)
    assert answer.status_code == 201, answer.content
    run = Run.objects.get(pk=answer.json()["id"])
    stored = Steering.of_run(run).named
    assert [topic.name for topic in stored] == [topic["name"] for topic in seeds]
    assert [list(topic.words) for topic in stored] == [
        [word.replace(" ", "_") for word in topic["words"]] for topic in seeds
    ]
    for wrong, sentence in (
        ([{"name": "Few", "words": words[:2]}], "3 to 20"),
        ([seeds[1], seeds[1]], "Two topics are called"),
        ([{"name": "None", "words": ["zyzzogeton", "quokkas", "frobnicate"]}], "support none"),
        ([{"name": "Few", "words": words[:3], "weight": 3}], "weight"),
    ):
        refused = train(seeds=wrong)
        assert refused.status_code == 400 and sentence in refused.json()["error"], refused.content
    refused = train(seeds=seeds, engine="svi")
    assert refused.status_code == 400
    assert "can't train topics that are named beforehand" in refused.json()["error"]
