"""A topic may have no words of its own: more topics than the documents have subjects leave some."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.webapp.making import corpus_of, run_on
from tests.webapp.topic_links import topic_link
from webapp.core.results.links import NO_WORDS, TopicWithWords

WORDS = "war peace law tax land ship trade coast treaty farm harbour council".split()


def topic(name: str, words: list[str]) -> TopicWithWords:
    return TopicWithWords(**vars(topic_link(7, name, bool(name))), words=words)


def test_it_is_called_so():
    assert topic("trade", ["ship"]).called == "trade"
    assert topic("", ["ship", "coast"]).called == "ship"
    assert topic("", []).called == NO_WORDS


@pytest.mark.django_db
@pytest.mark.parametrize("query", ["", "view=grid", "view=map", "view=time"])
def test_every_view_of_topics_without_words_is_shown(draft, query):
    """Readers drop every word: no topic has any left."""
    rows = [["text"], *([" ".join(WORDS[i : i + 6])] for i in range(6))]
    corpus = corpus_of(draft, rows, "few.csv", language="en", min_documents=1)
    run = run_on(corpus, seed=1, topics=3)
    client = Client()
    address = f"{reverse('run_topics', args=[run.pk])}?{query}&drop={','.join(WORDS)}"
    page = client.get(address)
    assert page.status_code == 200
    data = client.get(address.replace("/?", ".json?")).json()
    assert not any(topic["words"] for topic in data.get("topics", []))
