"""The page of a corpus's words."""

import re
from html import unescape

import pytest
from django.urls import reverse

from tests.webapp.making import corpus_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("forms", ["written", "stems"])
def test_each_word_opens_the_documents_that_it_is_counted_in(client, draft, forms):
    texts = ["nations are happy and agreed about a treaty", "a nation of happiness agrees"]
    rows = [["text"], *([text] for text in texts * 6)]
    corpus = corpus_of(draft, rows, "a.csv", forms=forms, language="en", min_documents=1)
    words = client.get(reverse("corpus_vocabulary_json", args=[corpus.pk])).json()["items"]
    page = client.get(reverse("corpus_vocabulary", args=[corpus.pk])).content.decode()
    documents = reverse("corpus_documents", args=[corpus.pk])
    links = re.findall(rf'href="{documents}(\?q=[^"]*)"', page)
    assert len(links) == len(words) > 2
    for word, link in zip(words, links, strict=True):
        found = client.get(reverse("corpus_documents_json", args=[corpus.pk]) + unescape(link))
        assert found.json()["count"] == word["documents"], word
