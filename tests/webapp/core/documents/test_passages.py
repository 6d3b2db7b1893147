"""A passage has an address, at which it is shown, cited, pinned and compared, as far as an embargo
allows."""

import re
from html import unescape
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from webapp.core.documents import authors, corpus_unit, passages, texts
from webapp.core.documents.passages import Place
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Document
from webapp.platform.accounts import embargo

pytestmark = pytest.mark.django_db

NUMBER = 5


def text_of(run, number: int = NUMBER) -> str:
    return Document.objects.get(corpus_id=run.corpus_id, number=number).text


def passage(client, run, start: int, end: int, number: int = NUMBER) -> dict:
    answer = client.get(reverse("run_passage_json", args=[run.pk, number, start, end]))
    assert answer.status_code == 200
    return answer.json()


def marked(html: str) -> str:
    return unescape(
        re.sub(
            "<[^>]*>", "", re.search(r'<mark class="passage-mark".*?</mark>', html, re.DOTALL)[0]
        )
    )


@pytest.mark.parametrize("name", ["run_document", "corpus_document"])
def test_its_address_opens_the_document_with_it_marked(client, trained, name):
    text = text_of(trained)
    start = text.index(" ", 100)
    end = text.index(" ", 300)
    owner = trained.pk if name == "run_document" else trained.corpus_id
    url = reverse(name, args=[owner, NUMBER]) + f"?passage={start}-{end}"
    html = client.get(url).content.decode()
    assert marked(html) == text[start:end] and html.count('id="passage"') == 1
    body = re.search(r'<div class="text[ "][^>]*>(.*?)</div>', html, re.DOTALL)[1]
    assert unescape(re.sub("<[^>]*>", "", body)) == text  # nothing is added or lost
    assert f"/passages/{start}-{end}/" in html
    assert "passage-mark" not in client.get(reverse(name, args=[owner, NUMBER])).content.decode()


@pytest.mark.parametrize("wrong", ["x", "5", "9-3", "3-3", "-4-9", "1-9999999999"])
def test_an_address_that_names_no_place_is_refused_in_a_sentence(client, trained, wrong):
    answer = client.get(reverse("run_document", args=[trained.pk, NUMBER]), {"passage": wrong})
    assert answer.status_code == 400 and "such as 120-480" in answer.content.decode()


def test_its_page_says_cites_and_compares_it(client, trained):
    text = text_of(trained)
    data = passage(client, trained, 40, 400)
    assert data["text"] == text[40:400] and data["url"].endswith(
        f"/documents/{NUMBER}/?passage=40-400#passage"
    )
    assert (
        data["title"] in data["citations"]["mla"]
        and "characters 40–400" in data["citations"]["chicago"]
    )
    own = texts.tokens(RunView(trained), NUMBER)
    inside = (own.offsets >= 40) & (own.offsets < 400)
    assert data["tokens"] == inside.sum() == sum(part["tokens"] for part in data["proportions"])
    assert {p["number"]: p["tokens"] for p in data["proportions"]} == dict(
        zip(*map(np.ndarray.tolist, np.unique(own.topics[inside], return_counts=True)), strict=True)
    )
    assert 0 < len(data["similar"]) <= 10 and NUMBER not in [
        row["number"] for row in data["similar"]
    ]
    html = client.get(reverse("run_passage", args=[trained.pk, NUMBER, 40, 400])).content.decode()
    assert (
        'name="start" value="40"' in html
        and html.count("data-copy=") == 5
        and '<h2 id="similar-head">' in html
    )
    of_corpus = client.get(
        reverse("corpus_passage_json", args=[trained.corpus_id, NUMBER, 40, 400])
    ).json()
    assert of_corpus["citations"] == data["citations"] and "similar" not in of_corpus


def test_its_page_says_where_it_begins_or_ends_within_a_sentence(client, trained):
    text = text_of(trained)
    start = text.index("The welfare of our country")
    end = text.index(" GEORGE WASHINGTON")

    def read(first, behind):
        data = passage(client, trained, first, behind)
        address = reverse("run_passage", args=[trained.pk, NUMBER, first, behind])
        (quote,) = re.findall(
            r'<blockquote class="text"[^>]*>(.*?)</blockquote>',
            client.get(address).content.decode(),
            re.DOTALL,
        )
        return data["mid_sentence"], data["ends_mid_sentence"], unescape(quote)

    assert read(start, end) == (False, False, text[start:end])
    assert read(start + 20, end - 20) == (True, True, f"… {text[start + 20 : end - 20]} …")
    assert read(0, 20) == (False, True, f"{text[:20]} …")
    assert read(len(text) - 20, len(text))[:2] == (True, False)


def test_a_whole_document_has_its_own_mixture(trained):
    whole = passages.mixture(RunView(trained), NUMBER, Place(0, len(text_of(trained))))
    topics, tokens = evidence.of(trained).mixtures.of_document(NUMBER)
    assert (whole[topics] == tokens).all() and whole.sum() == tokens.sum()


def test_there_is_no_passage_where_there_is_no_text(client, trained):
    length = len(text_of(trained))
    for number, start, end in [
        (NUMBER, 0, length + 1),
        (NUMBER, 9, 9),
        (NUMBER, 9, 3),
        (10**6, 0, 9),
        (NUMBER, 0, 10**12),
    ]:
        answer = client.get(reverse("run_passage", args=[trained.pk, number, start, end]))
        assert answer.status_code == 404, (number, start, end)


def test_lists_lead_to_the_passages_that_they_show(client, trained):
    for name, args, key in [
        ("run_documents_json", [trained.pk], "items"),
        ("corpus_documents_json", [trained.corpus_id], "items"),
        ("run_topic_json", [trained.pk, 1], "documents"),
    ]:
        for query in ({}, {"q": "peace"}):
            rows = [
                row
                for row in client.get(reverse(name, args=args), query).json()[key]
                if row["snippet"]
            ]
            assert rows
            for row in rows[:3]:
                shown = "".join(text for text, _ in row["snippet"])
                shown = shown.removeprefix("… ").removesuffix(" …")
                data = client.get(row["passage_url"].partition("?")[0].rstrip("/") + ".json").json()
                assert data["text"] == shown


def test_lines_lead_to_their_passages(client, trained):
    line = client.get(
        reverse("run_word_json", args=[trained.pk, "peace"]), {"topic": "all"}
    ).json()["lines"][0]
    data = client.get(line["passage_url"].rstrip("/") + ".json").json()
    shown = " ".join((line["before"] + line["word"] + line["after"]).split())
    assert (
        " ".join(data["text"].split()) in shown
        and line["word"] in data["text"]
        and len(data["text"]) > len(shown) - 40
    )


def test_under_embargo_a_place_shows_no_text_and_no_topics(client, trained):
    text = text_of(trained)
    embargo.set_embargo(trained.corpus, True)
    data = passage(client, trained, 40, 400)
    assert data["text"] == "" and data["embargo"] and data["tokens"] == 0 and not data["similar"]
    html = client.get(reverse("run_passage", args=[trained.pk, NUMBER, 40, 400])).content.decode()
    assert (
        text[60:100] not in unescape(html)
        and "are not shown" in html
        and 'name="quote"' not in html
    )
    html = client.get(
        reverse("run_document", args=[trained.pk, NUMBER]), {"passage": "40-400"}
    ).content.decode()
    assert text[60:100] not in unescape(html)


@pytest.mark.parametrize(
    ("field", "answer", "column"),
    [
        ("house", "house", "house"),  # a person said so
        ("house", None, ""),
        ("maintainer", None, "maintainer"),  # found in the texts, and called so
        ("president", None, "president"),
        ("title, the first", "title, the first", ""),  # nobody's name
        (None, "", ""),
    ],
)
def test_who_speaks_is_known_by_an_answer_or_by_the_name_of_a_column(
    ready, monkeypatch, field, answer, column
):
    found = SimpleNamespace(name=field) if field else None
    monkeypatch.setattr(corpus_unit, "unit_of", lambda version: corpus_unit.Unit(found, ""))
    ready.unit = answer
    assert authors.speaker_column(ready) == column
