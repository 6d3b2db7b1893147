"""What the pages of groups and of sets should say, counted token by token from the stored rows."""

from collections import defaultdict

from django.urls import reverse

from webapp.core.results import evidence
from webapp.models import Document


def get(client, run, query="", name="run_time_json"):
    response = client.get(reverse(name, args=[run.pk]) + query)
    assert response.status_code == 200, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def documents(run) -> list[tuple[Document, list[tuple[int, int]]]]:
    """Each document with (topic, tokens) of its words, from the evidence, a word at a time."""
    rows = Document.objects.filter(corpus_id=run.corpus_id).order_by("number")
    found = evidence.of(run)
    return [
        (
            row,
            [
                (k, n)
                for _, n, k, _ in zip(
                    *(a.tolist() for a in found.token_topics.of_document(row.number)), strict=True
                )
            ],
        )
        for row in rows
    ]


def naive(run, bin_of) -> dict[str, dict]:
    """bin -> tokens by topic, all tokens, documents with words."""
    found = defaultdict(lambda: {"topics": defaultdict(int), "tokens": 0, "documents": 0})
    for row, words in documents(run):
        if (label := bin_of(row)) is None or not words:
            continue
        found[label]["documents"] += 1
        for k, n in words:
            found[label]["topics"][k] += n
            found[label]["tokens"] += n
    return found
