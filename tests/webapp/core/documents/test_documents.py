"""A document's page: its words are the tokens counted, its strip and its parts are its text, what
is like it is near."""

import json
import re
from functools import partial
from html import unescape
from uuid import uuid4

import numpy as np
import orjson
import pytest
from django.urls import reverse

from inference.text import Tokeniser
from tests.corpora import example_rows
from tests.webapp.making import corpus_of, run_on
from webapp.core.documents import infer, queries as documents, texts
from webapp.core.documents.document import read_document, read_document_of_run
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Document, Edit, Run, Word
from webapp.platform.accounts import embargo

pytestmark = pytest.mark.django_db

MARKUP = (
    "<script>alert('x')</script> <b>treaty & commerce</b> congress &amp; navy \u202eright to left"
    " שלום עולם war\u00ad congress"
)


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    """Odd documents among ordinary ones: markup, another direction, decomposed letters, none of the
    vocabulary, a long one, twins."""
    rows = example_rows(120)
    text = rows[0].index("text")
    for i, words in enumerate(
        (MARKUP, "xyzzy " * 50, "Cafe\u0301 congress İstanbul navy Cafe\u0301 war " * 40), 1
    ):
        rows[i][text] = words
    rows[4][text] = "\n\n".join(row[text] for row in rows[20:80]) * 2  # some 250,000 characters
    rows[6][text] = rows[5][text]
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            rows,
            "odd.csv",
            known={"html": False},
            language="en",
            min_documents=2,
            max_share=0.9,
        )
        yield run_on(corpus, seed=1, topics=5, passes=3)


LONG = 3
TWIN = 4


def as_json(value: object):
    """As a .json address writes it."""
    return orjson.loads(orjson.dumps(value))


def spans(html: str) -> list[tuple[int, str]]:
    """(topic, word) of every coloured word, as the page has them."""
    return [
        (int(k), unescape(word))
        for k, word in re.findall(
            r'<span class="w [^"]*" data-topic="(\d+)"[^>]*>([^<]*)</span>', html
        )
    ]


def shown(client, run, number: int, query: str = "") -> str:
    response = client.get(reverse("run_document", args=[run.pk, number]) + query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("number", [0, 1, 2, 5, 30])
def test_coloured_words_are_the_tokens_counted(client, run, number):
    html = shown(client, run, number, "?show=all")
    found = spans(html)
    counted = {part.number: part.tokens for part in documents.proportions(RunView(run), number)}
    assert counted == {
        k: sum(topic == k for topic, _ in found) for k in {topic for topic, _ in found}
    }
    vocabulary = set(Word.objects.filter(version=run.version_id).values_list("word", flat=True))
    text = Document.objects.get(corpus_id=run.corpus_id, number=number).text
    of_text = [text[a:b] for a, b, word in Tokeniser("en").spans(text) if word in vocabulary]
    assert [word for _, word in found] == of_text
    body = re.search(r'<div class="text [^>]*>(.*?)</div>', html, re.DOTALL)[1]
    assert unescape(re.sub(r"<[^>]*>", "", body)) == text  # nothing is added or lost
    # all: each in colour
    assert html.count('class="w ') == len(re.findall(r'class="w [^"]* on"', html))


def test_show_colours_what_it_says(client, run):
    parts = documents.proportions(RunView(run), 30)
    strongest = {p.number for p in parts[:3]}
    for query, topics in [
        ("", strongest),
        ("?show=strongest", strongest),
        ("?show=nonsense", strongest),
        ("?topic=2", {2}),
        ("?show=2", {2}),
        ("?show=99", strongest),
    ]:
        on = {
            int(k)
            for k in re.findall(
                r'class="w [^"]* on" data-topic="(\d+)"', shown(client, run, 30, query)
            )
        }
        assert on == topics & {p.number for p in parts}, query


def test_parts_are_the_whole_text(client, run, monkeypatch):
    text = Document.objects.get(corpus_id=run.corpus_id, number=LONG).text
    assert len(text) > 100_000
    pieces = []
    url = "?at=0"
    tokens = 0
    while url:
        data = client.get(reverse("run_document_json", args=[run.pk, LONG]) + url).json()
        document = data["document"]
        assert document["text"] == text[document["start"] : document["end"]] and document[
            "length"
        ] == len(text)
        assert len(document["text"]) <= embargo.PAGE_CHARACTERS + embargo.CUT_SLACK
        pieces.append(document["text"])
        tokens += len(spans(shown(client, run, LONG, url)))
        url = data["after"] and data["after"].split("#")[0]
    assert "".join(pieces) == text and len(pieces) == -(-len(text) // embargo.PAGE_CHARACTERS)
    assert all(piece[-1].isspace() for piece in pieces[:-1])
    assert tokens == evidence.of(run).lengths[LONG]


def test_any_place_is_in_the_part_that_is_shown(run):
    length = len(Document.objects.get(corpus_id=run.corpus_id, number=LONG).text)
    for at in [*range(0, length, 997), 49_999, 50_000, 99_000, 99_999, length - 1, length, 10**15]:
        part = embargo.read_part(run.corpus, LONG, at)
        assert part.start <= min(at, length - 1) < part.end


@pytest.mark.parametrize("number", [0, 1, LONG, 30])
def test_strip_adds_up_to_the_mixture(run, number):
    length = len(Document.objects.get(corpus_id=run.corpus_id, number=number).text)
    tokens = texts.tokens(RunView(run), number)
    strip = texts.strip(tokens, length)
    counted = {part.number: part.tokens for part in documents.proportions(RunView(run), number)}
    assert dict(zip(strip.topics, strip.tokens.sum(axis=0).tolist(), strict=True)) == counted
    assert strip.edges[0] == 0 and strip.edges[-1] == length and strip.edges == sorted(strip.edges)
    for i, row in enumerate(strip.tokens):
        inside = (tokens.offsets >= strip.edges[i]) & (tokens.offsets < strip.edges[i + 1])
        assert row.tolist() == [int((tokens.topics[inside] == k).sum()) for k in strip.topics]


@pytest.mark.parametrize("number", [0, 1, LONG])
def test_the_page_and_the_api_show_what_one_reader_reads(client, run, number):
    document = read_document_of_run(Selection.all(RunView(run)), number)
    page = client.get(reverse("run_document_json", args=[run.pk, number])).json()
    assert page["document"] == as_json(document.about)
    shown = [(part["number"], part["tokens"], part["share"]) for part in page["proportions"]]
    assert shown == [(part.number, part.tokens, part.share) for part in document.proportions]
    assert page["similar"] == as_json(document.similar.similar)
    assert [stretch["tokens"] for stretch in page["strip"]] == document.strip.tokens.sum(
        axis=1
    ).tolist()
    in_api = client.get(f"/api/v1/runs/{run.pk}/documents/{number}").json()
    assert in_api["topics"] == as_json(document.proportions)
    assert in_api["tokens"] == document.length
    assert in_api["title"] == document.about.title


@pytest.mark.parametrize("number", [0, LONG])
def test_without_a_run_the_page_and_the_api_show_the_same_document(client, run, number):
    document = read_document(Selection(run.corpus, None), number)
    page = client.get(reverse("corpus_document_json", args=[run.corpus_id, number])).json()
    assert page["document"] == as_json(document.about)
    in_api = client.get(f"/api/v1/corpora/{run.corpus_id}/documents/{number}").json()
    assert in_api["text"] == document.about.text
    assert [word.text for word in document.words] == [document.about.text]


def test_a_document_that_there_is_not_is_none(run):
    number = run.corpus.documents
    assert read_document(Selection(run.corpus, None), number) is None
    assert read_document_of_run(Selection.all(RunView(run)), number) is None


def test_strip_links_to_its_places(client, run):
    html = shown(client, run, LONG, "?show=2")
    links = [
        unescape(url)
        for url in re.findall(r'<a href="([^"]*)" tabindex="-1"><rect class="ground"', html)
    ]
    assert len(links) == texts.STRETCHES
    there = shown(client, run, LONG, links[40].split("#")[0])
    assert there.count('<a id="here"></a>') == 1 and "show=2" in links[40]


def test_nothing_of_a_document_is_markup(client, run):
    html = shown(client, run, 0, "?show=all")
    assert "<script>alert" not in html and "&lt;script&gt;" in html and "<b>treaty" not in html


def test_a_document_without_words_of_the_vocabulary(client, run):
    html = shown(client, run, 1)
    assert "None of its words is in the vocabulary" in html and "xyzzy" in html
    data = client.get(reverse("run_document_json", args=[run.pk, 1])).json()
    assert data["proportions"] == [] and data["similar"] == []


def test_similar_documents(client, run):
    found = evidence.of(run)
    shares = np.zeros((run.version.documents, run.topics))
    for d in range(run.version.documents):
        topics, tokens = found.mixtures.of_document(d)
        shares[d, topics] = tokens / max(tokens.sum(), 1)
    for number in (TWIN, 30):
        affinity = np.sqrt(shares * shares[number]).sum(axis=1)
        affinity[number] = -1
        similar = client.get(reverse("run_document_json", args=[run.pk, number])).json()["similar"]
        assert len(similar) == documents.SIMILAR
        assert [row["likeness"] for row in similar] == pytest.approx(
            sorted(affinity, reverse=True)[: documents.SIMILAR], abs=1e-4
        )
        for row in similar:
            assert row["likeness"] == pytest.approx(affinity[row["number"]], abs=1e-4)
            both = np.minimum(shares[row["number"]], shares[number])
            assert [t["share"] for t in row["shared"]] == pytest.approx(
                [shares[row["number"], t["number"]] for t in row["shared"]]
            )
            assert row["shared"][0]["number"] == int(np.argmax(both))
    similar = client.get(reverse("run_document_json", args=[run.pk, TWIN])).json()["similar"]
    # Not the first where others have the same mixture
    (twin,) = (row for row in similar if row["number"] == TWIN + 1)
    # A word that fits two topics alike may go to either
    assert twin["same"] and twin["likeness"] == pytest.approx(1, abs=0.01)


def test_of_a_large_corpus_the_page_says_what_it_did_not_look_at(client, run, monkeypatch):
    def page_of(number: int) -> dict:
        return client.get(reverse("run_document_json", args=[run.pk, number])).json()

    answers = [page_of(number) for number in range(60)]
    assert all(answer["similar_unseen"] is None for answer in answers)
    assert "Another could be" not in shown(client, run, 0)
    monkeypatch.setattr(documents, "nearest", partial(documents.nearest, first=1, limit=12))
    # Where others have the same mixture the nearest are known without the rest
    number = next(n for n in range(60) if page_of(n)["similar_unseen"] is not None)
    everything = answers[number]
    some = page_of(number)
    assert 0 < some["similar_looked"] <= 12 and 0 < len(some["similar"]) <= 12
    seen = {row["number"] for row in some["similar"]}
    others = [row["likeness"] for row in everything["similar"] if row["number"] not in seen]
    assert some["similar_unseen"] >= max(others) - 0.001
    assert "Another could be" in shown(client, run, number)


def test_topics_of_a_word(client, run):
    words, counts, topics, certainty = evidence.of(run).token_topics.of_document(30)
    place = int(np.argmin(certainty))
    data = client.get(reverse("document_word", args=[run.pk, 30, int(words[place])])).json()
    assert (data["topic"], data["times"]) == (int(topics[place]), int(counts[place]))
    by = {topic["number"]: topic["probability"] for topic in data["topics"]}
    assert by[data["topic"]] == pytest.approx(certainty[place] / 255)
    assert sum(by.values()) == pytest.approx(1, abs=0.03)
    theta = infer.theta_of_document(run.snapshot_id, run.pk, 30)
    others = theta * infer.beta(run, words[place : place + 1]).dense()[0]
    others[data["topic"]] = 0
    expected = (1 - certainty[place] / 255) * others / others.sum()
    assert all(by[k] == pytest.approx(expected[k]) for k in by if k != data["topic"])
    assert client.get(reverse("document_word", args=[run.pk, 1, 0])).status_code == 404
    assert client.get(reverse("document_word", args=[run.pk, 10**6, 0])).status_code == 404


def test_a_word_s_topic_has_the_probability_of_what_was_merged_into_it(client, run):
    words, _, _, certainty = evidence.of(run).token_topics.of_document(30)
    word = int(words[int(np.argmin(certainty))])  # of the word that has most of other topics
    address = reverse("document_word", args=[run.pk, 30, word])
    first, second, *_ = client.get(address).json()["topics"]
    edit = {"topic": second["number"], "field": "into", "value": str(first["number"])}
    Edit.objects.create(run=run, batch=uuid4(), by="a", **edit)
    merged = {
        topic["number"]: topic["probability"] for topic in client.get(address).json()["topics"]
    }
    both = first["probability"] + second["probability"]
    assert merged[first["number"]] == pytest.approx(both)
    assert second["number"] not in merged


def test_theta_from_the_published_topics_is_near_the_tokens(run):
    for number in (20, 30, 40, LONG):
        theta = infer.theta_of_document(run.snapshot_id, run.pk, number)
        indexes, tokens = evidence.of(run).mixtures.of_document(number)
        shares = np.bincount(indexes, tokens, len(theta)) / evidence.of(run).lengths[number]
        assert np.abs(theta - shares).sum() < 0.5
        assert shares[np.argmax(theta)] == shares.max()  # two may be the largest


def test_merged_topics_are_one_everywhere(client, run):
    parts = documents.proportions(RunView(run), LONG)
    a = parts[0].number
    b = parts[1].number
    Edit.objects.create(run=run, topic=b, field="into", value=str(a), batch=uuid4(), by="a")
    again = Run.objects.get(pk=run.pk)
    merged = documents.proportions(RunView(again), LONG)
    assert merged[0].number == a and merged[0].tokens == parts[0].tokens + parts[1].tokens
    assert {k for k, _ in spans(shown(client, run, LONG))} == {p.number for p in merged}


def test_neighbours_are_those_of_the_list(client, run):
    url = reverse("run_documents_json", args=[run.pk])
    data = client.get(url + "?q=war&by=newest").json()
    first, second = data["items"][:2]
    page = client.get(first["url"].replace("/?", ".json?")).json()
    assert page["previous"] is None and page["next"]["number"] == second["number"]
    assert page["list"]["place"] == 1 and page["list"]["count"] == data["count"]
    assert page["next"]["url"] == second["url"]
    opened = client.get(first["match_url"].removesuffix("#passage"))
    assert first["match_url"].startswith(first["url"] + "&passage=")
    assert '<mark class="passage-mark" id="passage">' in opened.content.decode()
    plain = client.get(reverse("run_document_json", args=[run.pk, 30])).json()
    assert (plain["previous"]["number"], plain["next"]["number"], plain["list"]["place"]) == (
        29,
        31,
        31,
    )
    elsewhere = client.get(reverse("run_document_json", args=[run.pk, 1]) + "?q=war").json()
    assert elsewhere["list"]["place"] == 0 and elsewhere["next"] is None
    in_corpus = client.get(
        reverse("corpus_document_json", args=[run.corpus_id, 30]) + "?q=war"
    ).json()
    assert in_corpus["list"]["sentence"] == "documents with “war”"


def test_what_is_known_of_it_is_there(client, run):
    stored = Document.objects.get(corpus_id=run.corpus_id, number=30)
    for url in (
        reverse("run_document", args=[run.pk, 30]),
        reverse("corpus_document", args=[run.corpus_id, 30]),
    ):
        html = client.get(url).content.decode()
        assert (
            bytes(stored.digest).hex() in html and stored.source_id in html and stored.place in html
        )
    assert (
        json.loads(client.get(reverse("corpus_document_json", args=[run.corpus_id, 30])).content)[
            "document"
        ]["text"]
        == stored.text
    )


@pytest.mark.parametrize("query", ["?at=x", "?at=-1", f"?at={'9' * 30}", "?has=99:1", "?by=no"])
def test_nonsense_is_refused_with_a_sentence(client, run, query):
    response = client.get(reverse("run_document", args=[run.pk, 30]) + query)
    assert (
        response.status_code == 400
        and "must be" in response.content.decode()
        or "has topics" in response.content.decode()
    )
