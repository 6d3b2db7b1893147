"""A topic's page: every number on it recomputed from the arrays, in a set of documents and with a
merged topic, too."""

import math
from collections import Counter, defaultdict
from datetime import date
from itertools import pairwise

import numpy as np
import orjson
import pytest
from django.http import Http404
from django.urls import reverse

from inference.explore import neighbours
from tests.webapp.analysis.topics.test_topics_page import chosen, counts
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.topics import topic_measures
from webapp.analysis.topics.topic import read_topic
from webapp.core.curation import services as curation
from webapp.core.documents import document_groups
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import PERIODS
from webapp.models import Corpus, Document, Topic, Word
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db

SETS = ["", "from=1795&to=1799", "q=militia", "has=1:20"]
K = 1


@pytest.fixture
def merged(trained):
    """T03 is read as a part of T01."""
    curation.change_many(trained, {3: {"into": "1"}}, "a test")
    return trained


@pytest.fixture(params=[False, True], ids=["alone", "merged"])
def case(request, trained):
    """(run, the topics that are read as T01)"""
    return (request.getfixturevalue("merged"), [1, 3]) if request.param else (trained, [1])


def get(client, run, query: str = "", what: str = "run_topic_json", **more) -> dict:
    response = client.get(reverse(what, args=[run.pk, K, *more.values()]) + "?" + query)
    assert response.status_code == 200, response.content
    return response.json()


def by_words(run, mask: np.ndarray, topics: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """int64[V]: tokens of each word in some topics, and in all, in some documents."""
    found = evidence.of(run)
    inside = np.zeros(found.document_bow.V, np.int64)
    everywhere = np.zeros(found.document_bow.V, np.int64)
    for d in np.flatnonzero(mask):
        words, tokens, given, _ = found.token_topics.of_document(d)
        everywhere[words] += tokens
        mine = np.isin(given, topics)
        inside[words[mine]] += tokens[mine]
    return inside, everywhere


@pytest.mark.parametrize("query", SETS)
def test_share_tokens_and_documents(client, case, query):
    run, topics = case
    tally = counts(run)[chosen(run, query)]
    mine = tally[:, topics].sum(axis=1)
    assert get(client, run, query)["counted"] == {
        "tokens": mine.sum(),
        "documents": np.count_nonzero(mine),
        "of_tokens": tally.sum(),
        "of_documents": len(tally),
        "share": pytest.approx(mine.sum() / tally.sum()),
    }


@pytest.mark.parametrize("query", SETS)
@pytest.mark.parametrize("lam", [0.0, 0.6, 1.0])
def test_words_by_relevance(client, case, query, lam):
    run, topics = case
    inside, everywhere = by_words(run, chosen(run, query), topics)
    vocabulary = dict(Word.objects.filter(version=run.version_id).values_list("word", "number"))

    def score(w):
        p = inside[w] / inside.sum()
        usual = everywhere[w] / everywhere.sum()
        return lam * math.log(p) + (1 - lam) * math.log(p / usual)

    rows = []
    url = f"{query}&lambda={lam}"
    after = 0
    while after is not None:
        page = get(client, run, f"{url}&after={after}", "run_topic_words_json")
        rows = rows + page["words"]
        after = page["next_words"]
    assert sorted(vocabulary[row["word"]] for row in rows) == np.flatnonzero(inside).tolist()
    for row in rows:
        w = vocabulary[row["word"]]
        assert (row["tokens"], row["everywhere"]) == (inside[w], everywhere[w])
        assert row["relevance"] == pytest.approx(score(w))
    often = [row["relevance"] for row in rows if row["tokens"] >= 5 or lam == 1]
    assert often == sorted(often, reverse=True)
    assert [row["word"] for row in get(client, run, url)["words"]] == [
        row["word"] for row in rows[:30]
    ]


@pytest.mark.parametrize("query", ["", "q=militia"])
@pytest.mark.parametrize("by", ["year", "decade", "party", "president"])
def test_groups_are_sums_of_tokens(client, case, query, by):
    run, topics = case
    tally = counts(run)
    mask = chosen(run, query)
    groups = document_groups.read_groups(run.version, by)
    found = get(client, run, f"{query}&by={by}")["groups"]
    assert found["in_time"] == (by in PERIODS) and found["bins"]
    assert sum(b["of_documents"] for b in found["bins"]) == np.count_nonzero(
        mask & (groups.group >= 0)
    )
    for group in found["bins"]:
        of = tally[mask & (groups.group == groups.labels.index(group["label"]))]
        mine = of[:, topics].sum(axis=1)
        assert (group["tokens"], group["documents"], group["of_tokens"], group["of_documents"]) == (
            mine.sum(),
            np.count_nonzero(mine),
            of.sum(),
            len(of),
        )
        assert group["share"] == (pytest.approx(mine.sum() / of.sum()) if of.sum() else None)


def test_a_point_opens_the_documents_it_counts(client, case):
    run, _ = case
    for query, by in (
        ("", "year"),
        ("from=1795&to=1797", "decade"),
        ("in=party:Federalist", "party"),
    ):
        for group in get(client, run, f"{query}&by={by}")["groups"]["bins"][:4]:
            listed = client.get(group["url"].replace("/documents/?", "/documents.json?")).json()
            assert listed["count"] == group["documents"], group
            assert listed["by"] == "T01", "those with most of it come first"


def test_values_are_in_the_order_of_their_times(client, case):
    """Presidents as they followed each other, not by how many documents each has."""
    run, _ = case
    first_days: dict[str, date] = {}
    for row in Document.objects.filter(corpus_id=run.corpus_id).order_by("date"):
        first_days.setdefault(row.metadata["president"], row.date)
    listed = [group["label"] for group in get(client, run, "by=president")["groups"]["bins"]]
    assert listed == sorted(listed, key=lambda name: (first_days[name], name.casefold()))
    assert len(listed) > 2


@pytest.mark.parametrize("query", SETS)
@pytest.mark.parametrize("rank", ["share", "words"])
def test_documents_are_ranked_each_once(client, case, query, rank):
    run, topics = case
    tally = counts(run)
    mask = chosen(run, query)
    mine = tally[:, topics].sum(axis=1)
    lengths = tally.sum(axis=1)
    value = mine
    if rank == "share":
        value = mine / np.maximum(lengths, 1)
        shortest = min(50, np.median(lengths) // 2)
        has_enough_words = mask & (lengths >= shortest)
        if (mine[has_enough_words] > 0).any():
            mask = has_enough_words
    rows = []
    address = f"?{query}&rank={rank}"
    while address and len(rows) < 60:
        page = get(client, run, address[1:])
        rows = rows + page["documents"]
        address = page["next_documents"]
    best = sorted((-np.float32(value[d]), d) for d in np.flatnonzero(mask & (mine > 0)).tolist())
    assert [row["number"] for row in rows] == [d for _, d in best][: len(rows)] and rows
    for row in rows:
        d = row["number"]
        assert (row["tokens"], row["of"]) == (mine[d], lengths[d])
        assert row["share"] == pytest.approx(mine[d] / lengths[d], rel=1e-6)
        assert any(marked for _, marked in row["snippet"])


def test_why_a_word_is_here(client, case):
    run, topics = case
    word = Word.objects.get(version=run.version_id, word="militia")
    of, tokens, given, _ = evidence.of(run).word_topics.of_word(word.number)
    mine = np.isin(given, topics)
    found = get(client, run, "", "run_topic_word_json", word="militia")["why"]
    assert (found["tokens"], found["documents"]) == (tokens[mine].sum(), np.count_nonzero(mine))
    assert (found["everywhere"], found["everywhere_documents"]) == (word.tokens, len(of))
    assert (
        found["usual"] == pytest.approx(word.tokens / run.version.tokens)
        and 0 < found["probability"] < 1
    )
    into = np.arange(run.topics)
    into[topics] = K
    for other in found["divided"]:
        assert other["tokens"] == tokens[into[given] == other["number"]].sum()
    assert sum(other["tokens"] for other in found["divided"]) == word.tokens
    assert len(found["lines"]) == min(3, np.count_nonzero(mine))
    assert all(line["word"].lower() == "militia" and line["topic"] == K for line in found["lines"])


def test_measures_are_the_models(client, trained):
    row = Topic.objects.get(snapshot_id=trained.snapshot_id, number=K)
    found = get(client, trained)
    assert len(found["measures"]) == 8
    for measure in found["measures"]:
        assert measure["value"] == getattr(row, measure["name"])
        others = Topic.objects.filter(
            snapshot_id=trained.snapshot_id, **{f"{measure['name']}__lt": measure["value"]}
        )
        assert measure["below"] == others.count() and measure["of"] == trained.topics
    assert [[t["number"], t["divergence"]] for t in found["similar"]] == row.similar[:6]
    assert [[t["number"], t["lift"], t["documents"]] for t in found["beside"]] == row.beside[:6]


def test_values_too_close_to_be_drawn_apart_are_one():
    values = np.concatenate([np.random.default_rng(1).normal(size=2000), [50.0, -50.0]])
    apart = topic_measures.values_drawn_apart(values)
    assert len(apart) <= topic_measures.STROKES + 1 and (apart[0], apart[-1]) == (-50.0, 50.0)
    assert np.isin(apart, values).all() and (np.diff(apart) > 0).all()
    assert all(np.abs(apart - value).min() <= 100 / topic_measures.STROKES for value in values)
    assert topic_measures.values_drawn_apart(np.full(999, 0.5)).tolist() == [
        0.5
    ] and topic_measures.values_drawn_apart(values[:3]).tolist() == sorted(values[:3])


def as_json(value: object):
    """As a .json address writes it."""
    return orjson.loads(orjson.dumps(value))


def test_the_page_and_the_api_show_what_one_reader_reads(client, merged):
    topic = read_topic(Selection.all(RunView(merged)), K)
    page = get(client, merged)
    words, next_words = topic.words()
    documents, _ = topic.documents()
    assert page["topic"] == as_json(topic.about)
    assert (page["words"], page["next_words"]) == (as_json(words), next_words)
    assert page["documents"] == as_json(documents)
    for name in ("counted", "curation", "phrases", "similar", "beside", "verdict", "measures"):
        assert page[name] == as_json(getattr(topic, name)), name
    address = f"/api/v1/runs/{merged.pk}/topics/{K}"
    assert client.get(address).json() == as_json(topic.about)
    weighed, _ = topic.words_by_weight()
    in_api = client.get(address + "/words").json()["items"]
    ranked = [(row["rank"], row["word"], row["weight"]) for row in weighed]
    in_order = [(row["rank"], row["word"], row["weight"]) for row in in_api]
    assert in_order[: len(ranked)] == ranked


def test_a_reader_reads_no_more_than_it_is_asked_for(merged, django_assert_num_queries):
    topic = read_topic(Selection.all(RunView(merged)), K)
    similar = topic.similar
    beside = topic.beside
    with django_assert_num_queries(0):
        assert (topic.similar, topic.beside) == (similar, beside)


@pytest.mark.parametrize("number", [20, 99_999])
def test_a_topic_that_there_is_not_is_not_found(client, trained, number):
    with pytest.raises(Http404, match=f"Run {trained.pk} has no topic {number}"):
        read_topic(Selection.all(RunView(trained)), number)
    pages = ("run_topic", "run_topic_words", "run_topic_times")
    addresses = [reverse(name, args=[trained.pk, number]) for name in pages]
    in_api = f"/api/v1/runs/{trained.pk}/topics/{number}"
    for address in (*addresses, in_api, f"{in_api}/words"):
        assert client.get(address).status_code == 404, address


@pytest.mark.parametrize("query", ["lambda=2", "lambda=x", "lambda=nan", "by=nothing", "after=x"])
def test_nonsense_in_the_address_is_said(client, trained, query):
    response = client.get(reverse("run_topic", args=[trained.pk, K]) + "?" + query)
    assert response.status_code == 400


def test_queries_do_not_grow(client, merged, django_assert_max_num_queries):
    get(client, merged)
    with django_assert_max_num_queries(25):
        client.get(reverse("run_topic", args=[merged.pk, K]))


def test_phrases_are_neighbours_of_the_topic_and_open_their_lines(client, trained):
    row = Topic.objects.get(snapshot=trained.snapshot_id, number=K)
    found = evidence.of(trained)
    page = get(client, trained)["phrases"]
    first = sorted((stored[:2] for stored in row.phrases), key=lambda stored: -stored[1])[:8]
    assert [[phrase["text"], phrase["tokens"]] for phrase in page] == first
    numbers = dict(Word.objects.filter(version=trained.version_id).values_list("number", "word"))
    of_topic = counts(trained)[:, K]
    pairs = Counter()
    having = defaultdict(set)
    for d in np.argsort(-of_topic, kind="stable")[: neighbours.MORE]:
        words, tokens, given, _ = found.token_topics.of_document(int(d))
        mine = {
            int(at): (numbers[int(w)], int(k))
            for w, k in dict(zip(words.tolist(), given.tolist(), strict=True)).items()
            for at in found.token_places.offsets(int(d), w)
        }
        places = sorted(mine)
        for a, b in pairwise(places):
            (first, k), (second, j) = mine[a], mine[b]
            if k == j == K and first != second and b - a - len(first) == 1:
                pairs[f"{first} {second}"] += 1
                having[f"{first} {second}"].add(d)
    listed = [stored for stored in row.phrases if stored[0].lower() in pairs]
    assert listed and min(documents for *_, documents in row.phrases) >= 5
    for text, tokens, documents in listed:
        assert (tokens, documents) == (pairs[text.lower()], len(having[text.lower()]))
    for phrase in page[:3]:
        path, _, query = phrase["url"].partition("?")
        lines = client.get(f"{path.rstrip('/')}.json?{query}").json()
        assert (
            lines["hits"] >= phrase["tokens"]
            and lines["lines"][0]["word"].lower() == phrase["text"].lower()
        )


def test_phrases_of_merged_topics_and_under_an_embargo(client, merged):
    rows = dict(
        Topic.objects.filter(snapshot=merged.snapshot_id, number__in=[1, 3]).values_list(
            "number", "phrases"
        )
    )
    both = Counter()
    for text, tokens, _ in rows[1] + rows[3]:
        both[text] += tokens
    assert {p["text"]: p["tokens"] for p in get(client, merged)["phrases"]} == dict(
        both.most_common(8)
    )
    Topic.objects.filter(snapshot=merged.snapshot_id, number=3).update(
        phrases=[["of a b c", 10**6, 9], ["a b c", 9, 9]]
    )
    assert get(client, merged, "from=1700")["phrases"][0]["text"] == "of a b c"
    Corpus.objects.filter(pk=merged.corpus_id).update(embargo=True)
    clear_all()
    assert "of a b c" not in {p["text"] for p in get(client, merged, "to=1900")["phrases"]}


@pytest.fixture(scope="module")
def with_stubs(draft, django_db_setup, django_db_blocker):
    """A run on forty texts, of which four have three words."""
    long_text = "corn wheat barley harvest farm field plough grain mill bread "
    other_text = "ship navy sail harbour fleet captain anchor ocean port wind "
    rows = [["title", "text"]]
    for number in range(36):
        mixed = (long_text * 3 + other_text) if number % 2 else (other_text * 3 + long_text)
        rows.append([f"Text {number}", mixed + f"page{number}"])
    for number in range(4):
        rows.append([f"Stub {number}", "corn wheat barley"])
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "stubs.csv", language="en", min_documents=1, max_share=1.0)
        yield run_on(corpus, topics=2, passes=4, seed=1)


def test_documents_of_a_few_words_are_not_those_with_the_largest_share(client, with_stubs):
    run = with_stubs
    for number in range(run.topics):
        url = reverse("run_topic_json", args=[run.pk, number])
        listed = client.get(url).json()["documents"]
        titles = [row["title"] for row in listed]
        titles += [other["title"] for row in listed for other in row["alike"]]
        assert titles and not any(title.startswith("Stub") for title in titles)
    page = client.get(reverse("run_topic", args=[run.pk, 0])).content.decode()
    assert "Documents of fewer than" in page
