"""The page of the words near a word: its numbers again from the texts, its senses, its links, its
file."""

import csv
import io
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from django.urls import reverse

from inference.text import Tokeniser
from tests.inference.index.test_patterns import sentences
from webapp.analysis.collocations import queries
from webapp.models import Corpus, Document
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
WORD = "congress"


def get(client, run, query="", name="run_collocations_json", status=200, word=WORD):
    response = client.get(reverse(name, args=[run.pk, word]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def by_hand(run, left, right, within="words", **chosen) -> tuple[Counter, dict, Counter, int, int]:
    """(tokens and documents near the word, tokens everywhere, all tokens near it, its own tokens)
    from the texts."""
    near = Counter()
    having = defaultdict(set)
    every = Counter()
    window = 0
    own = 0
    for row in Document.objects.filter(corpus_id=run.corpus_id, **chosen):
        spans = Tokeniser("en").spans(row.text)
        words = [word for *_, word in spans]
        of_sentence = sentences(row.text, spans)
        at = {i for i, word in enumerate(words) if word == WORD}
        if within == "sentence":
            left, right = (len(words) * bool(side) for side in (left, right))
        places = {
            j
            for i in at
            for j in range(max(i - left, 0), min(i + right + 1, len(words)))
            if within == "words" or of_sentence[i] == of_sentence[j]
        } - at
        near.update(words[j] for j in places)
        for j in places:
            having[words[j]].add(row.number)
        every.update(word for word in words if word != WORD)
        window = window + len(places)
        own = own + len(at)
    return near, having, every, window, own


@pytest.mark.parametrize(
    ("left", "right", "within"),
    [
        (5, 5, "words"),
        (0, 2, "words"),
        (3, 0, "words"),
        (5, 5, "sentence"),
        (0, 1, "sentence"),
        (9, 0, "sentence"),
    ],
)
def test_counts_are_those_of_the_texts(client, trained, left, right, within):
    near, having, every, window, own = by_hand(trained, left, right, within)
    data = get(
        client, trained, f"?left={left}&right={right}&within={within}&which=all&least=2&order=t"
    )
    assert (data["found"], data["window"], data["total"]) == (own, window, every.total())
    listed = {word for word in near if len(having[word]) >= 2}
    assert len(data["words"]) + data["more"] == len(listed)
    assert data["words"] and len(data["words"]) == min(queries.WORDS_OF_PAGE, len(listed))
    for row in data["words"]:
        word = row["word"]
        assert word in listed
        assert (row["tokens"], row["documents"]) == (near[word], len(having[word]))
        assert row["everywhere"] == every[word]
        assert row["expected"] == pytest.approx(every[word] * window / every.total())
    assert all(a["t"] >= b["t"] for a, b in pairwise(data["words"]))


def test_parts_of_the_tokens_are_added_up(client, trained, monkeypatch):
    whole = get(client, trained)
    clear_all()
    monkeypatch.setattr(queries, "TOKENS", 3)  # at a time
    assert get(client, trained, "?after=1") == whole  # another address, which no cache has


def test_a_set_has_its_own_sums(client, trained):
    near, _, every, window, own = by_hand(trained, 5, 5, date__year__gte=1790, date__year__lte=1799)
    data = get(client, trained, "?from=1790&to=1799&which=all&least=2")
    assert (data["found"], data["window"], data["total"]) == (own, window, every.total())
    for row in data["words"]:
        assert (row["tokens"], row["everywhere"]) == (near[row["word"]], every[row["word"]])


def test_the_senses_add_up_to_the_word(client, trained):
    every = get(client, trained)
    parts = [get(client, trained, f"?topic={k}") for k in range(trained.topics)]
    assert sum(part["found"] for part in parts) == every["found"]
    assert sum(part["found"] > 0 for part in parts) > 1
    assert all(part["total"] + part["found"] == every["total"] + every["found"] for part in parts)


def test_stop_words_are_left_out_unless_asked_for(client, trained):
    words = {row["word"] for row in get(client, trained)["words"]}
    assert words and not words & {"the", "of", "which", "t"}
    assert "the" in {row["word"] for row in get(client, trained, "?which=all")["words"]}


def test_under_embargo_no_word_of_fewer_than_five_documents_is_listed(client, trained):
    assert min(row["documents"] for row in get(client, trained, "?least=2")["words"]) < 5
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    data = get(client, trained, "?least=2")
    assert (
        data["least"] == 5 and data["words"] and min(row["documents"] for row in data["words"]) >= 5
    )
    rows = list(
        csv.DictReader(io.StringIO(get(client, trained, "?least=1", "run_collocations_csv")))
    )
    assert rows and min(int(row["documents"]) for row in rows) >= 5


def test_the_file_has_what_the_page_has_and_says_what_made_it(client, trained):
    data = get(client, trained, "?from=1790&order=g2&least=2")
    rows = list(
        csv.DictReader(
            io.StringIO(get(client, trained, "?from=1790&order=g2&least=2", "run_collocations_csv"))
        )
    )
    assert [row["near"] for row in rows][: len(data["words"])] == [
        row["word"] for row in data["words"]
    ]
    assert len(rows) == len(data["words"]) + data["more"]
    assert {(row["corpus"], row["run"], row["word"]) for row in rows} == {
        (trained.corpus.name, str(trained.pk), WORD)
    }


def test_a_row_opens_its_documents(client, trained):
    for row in get(client, trained)["words"][:3]:
        path, _, query = row["url"].partition("?")
        assert client.get(f"{path.rstrip('/')}.json?{query}").json()["count"] >= row["documents"]
    for row in get(client, trained, "?within=sentence&which=all")["words"][:9]:
        path, _, query = row["url"].partition("?")
        assert client.get(f"{path.rstrip('/')}.json?{query}").json()["count"] == row["documents"]


def test_the_word_page_leads_here_and_the_page_has_its_choices(client, trained):
    here = reverse("run_collocations", args=[trained.pk, WORD])
    assert here in client.get(reverse("run_word", args=[trained.pk, WORD])).content.decode()
    html = get(client, trained, "?from=1790", "run_collocations")
    assert (
        "collocations.csv?from=1790" in html
        and "left=5&amp;right=0" in html
        and "within=sentence" in html
    )
    assert "a sentence ends at" in get(client, trained, "?within=sentence", "run_collocations")


def test_the_page_says_what_its_columns_are(client, trained):
    page = get(client, trained, name="run_collocations")
    for column in ("Expected", "logDice", "G²", "t"):
        assert f"{column}: " in page


@pytest.mark.parametrize(
    "query", ["?left=21", "?left=0&right=0", "?right=-1", "?topic=9999", "?left=x"]
)
def test_what_cannot_be_counted_is_said(client, trained, query):
    get(client, trained, query, status=400)
    get(client, trained, query, "run_collocations_csv", status=400)


def test_an_unknown_word_is_not_found(client, trained):
    assert get(client, trained, status=404, word="zyzzyva")["text"] == "zyzzyva"
    page = get(client, trained, "?least=2", "run_collocations", status=404, word="zyzzyva")
    assert "zyzzyva/" not in page and "Find a word" in page
    get(client, trained, "", "run_collocations_csv", status=404, word="zyzzyva")
