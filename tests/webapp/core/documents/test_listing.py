"""Lists of documents: every order against a naive sort, pages without gaps, neighbours, passages
and facets."""

import re
from collections import Counter
from urllib.parse import urlencode

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from inference.text import Tokeniser
from tests.inference.index.naive import Naive
from tests.webapp import mixtures
from tests.webapp.making import corpus_of
from tests.webapp.page_text import in_one_line
from webapp.core.curation import services as curation
from webapp.core.documents import (
    document_days,
    facets,
    list_parts,
    queries as documents,
    search,
    texts,
)
from webapp.core.documents.listing import Listing
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.models import Document, Topic

pytestmark = pytest.mark.django_db

SETS = [
    "",
    "q=war",
    "q=congress&has=1:10",
    "in=party:Federalist&from=1792",
    "from=1791-03&to=1795",
    "q=nosuchwordanywhere",
]


def made(run, query: str, by: str = "") -> Listing:
    return Listing(Selection.read(QueryDict(query), RunView(run)), by)


def whole(of: Listing, limit: int) -> list[int]:
    """The list as its pages give it."""
    found = []
    after = None
    while True:
        page, following = of.page(after, limit)
        found += page
        if not following:
            return found
        assert len(page) == limit
        rank, number = following.split(",")
        after = float(rank), int(number)


def naive(run, of: Listing) -> list[int]:
    mask = of.selection.mask
    numbers = list(range(run.version.documents)) if mask is None else np.flatnonzero(mask).tolist()
    rows = {
        d.number: d for d in Document.objects.filter(corpus_id=run.corpus_id, number__in=numbers)
    }
    if of.by == "relevance":
        key = dict(
            zip(
                numbers,
                (
                    -search.open_index(run.corpus).rank(of.selection.q, np.array(numbers, np.int32))
                ).tolist(),
                strict=True,
            )
        )
    elif of.by == "T01":
        shares = {row.document: row.share for row in mixtures.rows(run) if row.topic == 1}
        key = {n: -shares.get(n, 0.0) for n in numbers}
    elif of.by in ("date", "newest"):
        sign = 1 if of.by == "date" else -1
        key = {n: sign * rows[n].date.toordinal() if rows[n].date else np.inf for n in numbers}
    else:
        key = dict.fromkeys(numbers, 0)
    return sorted(numbers, key=lambda n: (key[n], n))


@pytest.mark.parametrize("query", SETS)
@pytest.mark.parametrize("by", ["order", "relevance", "date", "newest", "T01"])
def test_orders(trained, query, by):
    if by == "relevance" and "q=" not in query:
        with pytest.raises(Invalid, match="“by” in the address"):
            made(trained, query, by)
        return
    of = made(trained, query, by)
    expected = naive(trained, of)
    assert whole(of, 7) == expected == whole(of, 10**6)
    for place, number in list(enumerate(expected))[:: max(1, len(expected) // 9)]:
        assert of.around(number) == (
            expected[place - 1] if place else None,
            expected[place + 1] if place + 1 < len(expected) else None,
            place + 1,
        )


def test_matches_behind_the_first_are_ranked_when_they_are_asked_for(trained, monkeypatch):
    expected = whole(made(trained, "q=war"), 50)
    for first in (1, 4, len(expected) - 1):
        monkeypatch.setattr(list_parts, "FIRST_MATCHES", first)
        list_parts.kept_orders.clear()
        of = made(trained, "q=war")
        of.page(None, first)  # and one more, to know whether there is any
        assert whole(of, 3) == expected
        assert [of.around(number).place for number in expected] == list(range(1, len(expected) + 1))


def test_a_page_of_a_range_of_days_makes_no_list(trained, monkeypatch):
    monkeypatch.setattr(
        Selection,
        "numbers",
        property(lambda self: pytest.fail("all documents of the set were listed")),
    )
    for by in ("order", "date", "newest"):
        of = made(trained, "from=1791&to=1795", by)
        page, following = of.page(None, 3)
        assert len(page) == 3 and of.selection.count > 6
        rank, number = following.split(",")
        assert not {*page} & {*of.page((float(rank), int(number)), 3)[0]}
    assert sum(bar.documents for bar in facets.bars(of.selection)) == of.selection.count


def test_a_merged_topic_orders_by_what_both_hold(trained):
    curation.change(trained, 2, {"into": "1"}, "owner")
    for query in ("", "q=war"):
        of = made(trained, query, "T01")
        mask = of.selection.mask
        shares = Counter()
        for row in mixtures.rows(trained):
            if row.topic in (1, 2):
                shares[row.document] += row.share
        numbers = (
            range(trained.version.documents) if mask is None else np.flatnonzero(mask).tolist()
        )
        expected = sorted(numbers, key=lambda n: (-round(shares[n], 9), n))
        assert whole(of, 9) == expected
        for place in (0, len(expected) // 2, len(expected) - 1):
            assert of.around(expected[place]).place == place + 1


def test_no_page_sorts_the_corpus(trained, monkeypatch):
    """What is kept by reading and training is read; what a set takes out of it is made once."""
    list_parts.kept_orders.clear()
    argsort = np.argsort
    sorted_arrays = []
    monkeypatch.setattr(
        np,
        "argsort",
        lambda a, *more, **named: sorted_arrays.append(len(a)) or argsort(a, *more, **named),
    )
    for by in ("date", "newest", "T01"):
        of = made(trained, "", by)
        page, _ = of.page(None, 5)
        of.around(page[2])
    assert not list_parts.kept_orders.number_of_values and not sorted_arrays
    assert (
        made(trained, "in=party:Federalist", "date").page(None, 5)[0]
        and list_parts.kept_orders.number_of_values == 1
    )
    assert (
        made(trained, "in=party:Federalist", "date").around(0)
        and list_parts.kept_orders.number_of_values == 1
    )


def test_versions_without_a_kept_order_are_listed_the_same(trained, monkeypatch):
    kept = {by: whole(made(trained, "", by), 50) for by in ("date", "newest")}
    monkeypatch.setattr(document_days, "order_by_day", lambda version, newest: None)
    list_parts.kept_orders.clear()
    assert kept == {by: whole(made(trained, "", by), 50) for by in ("date", "newest")}


def test_a_document_outside_the_list_has_no_neighbours(trained):
    of = made(trained, "q=war")
    outside = next(n for n in range(trained.corpus.documents) if not of.selection.mask[n])
    assert of.around(outside) == (None, None, 0)


def test_all_matches_are_ranked(trained):
    """BM25 over every document, by the naive search."""
    rows = list(Document.objects.filter(corpus_id=trained.corpus_id).order_by("number"))
    naive = Naive(
        [(row.title, row.text) for row in rows],
        "en",
        cut=lambda text: [word for _, _, word in Tokeniser("en").spans(text)],
    )
    of = made(trained, "q=country war")
    tree = ("all", ("stem", ["country"]), ("stem", ["war"]))
    scores = [naive.score(tree, number) for number in whole(of, 9)]
    assert len(scores) == len(naive.find(tree)) > 5
    assert (
        all(a > b - 1e-4 for a, b in zip(scores, scores[1:], strict=False))
        and scores[0] > scores[-1]
    )


@pytest.mark.parametrize("by", ["T99", "T1x", "share", "1.5", "'; --", "T٣"])
def test_an_order_that_is_none_is_said(client, trained, by):
    response = client.get(reverse("run_documents", args=[trained.pk]), {"by": by})
    assert response.status_code == 400


def test_results_lead_to_documents_and_keep_the_way(client, trained):
    url = reverse("run_documents_json", args=[trained.pk])
    data = client.get(url + "?q=war&in=party:Federalist&in=party:Nonpartisan&by=newest").json()
    way = urlencode(
        [("q", "war"), ("in", "party:Federalist"), ("in", "party:Nonpartisan"), ("by", "newest")]
    )
    assert data["items"] and all(d["url"].endswith("/?" + way) for d in data["items"])
    assert data["documents"] == "documents with “war”, party Federalist, party Nonpartisan"
    assert "in=party%3AFederalist&in=party%3ANonpartisan" in (
        data["next"] or "in=party%3AFederalist&in=party%3ANonpartisan"
    )
    seen = []
    query = "?q=war&in=party:Federalist&in=party:Nonpartisan&by=newest"
    while query:
        page = client.get(url + query).json()
        seen += [d["number"] for d in page["items"]]
        query = page["next"]
    assert len(seen) == len(set(seen)) == data["count"]


def test_documents_of_a_topic_stand_with_its_share(client, trained):
    url = reverse("run_documents_json", args=[trained.pk])
    chosen = client.get(url, {"has": "3:20", "by": "T03"}).json()["items"]
    shares = [row["share"] for row in chosen]
    assert shares and shares == sorted(shares, reverse=True) and min(shares) >= 0.2
    proportions = client.get(
        reverse("run_document_json", args=[trained.pk, chosen[0]["number"]])
    ).json()["proportions"]
    assert shares[0] == pytest.approx(
        next(row["share"] for row in proportions if row["number"] == 3)
    )
    assert {row["share"] for row in client.get(url).json()["items"]} == {None}


def test_passages_are_the_documents_and_mark_the_topic(trained):
    of = made(trained, "has=1:20", "T01")
    numbers = whole(of, 50)[:25]
    stored = dict(
        Document.objects.filter(corpus_id=trained.corpus_id, number__in=numbers).values_list(
            "number", "text"
        )
    )
    for row in documents.describe_documents(of, numbers):
        parts = row.snippet
        text = "".join(part for part, _ in parts).removeprefix("… ").removesuffix(" …")
        assert text in stored[row.number] and 20 < len(text) <= texts.PASSAGE + 2 * texts.MARGIN
        marked = [part for part, own in parts if own]
        tokens = texts.tokens(RunView(trained), row.number)
        assert marked and (tokens.topics == 1).sum() >= len(marked)


@pytest.mark.parametrize(
    ("q", "words"),
    [("militia", "militia"), ('"of war" militia', "of|war|militia"), ("fortif*", r"fortif\w*")],
)
def test_matches_are_shown_wherever_they_stand(trained, q, words):
    of = made(trained, urlencode({"q": q}))
    numbers = whole(of, 50)[:25]
    stored = {
        d.number: d
        for d in Document.objects.filter(corpus_id=trained.corpus_id, number__in=numbers)
    }
    far = 0
    for row in documents.describe_documents(of, numbers):
        text = "".join(part for part, _ in row.snippet).removeprefix("… ").removesuffix(" …")
        assert text in stored[row.number].text and len(text) <= texts.PASSAGE + 2 * texts.MARGIN
        marked = [part for part, match in row.snippet if match]
        assert marked and all(re.fullmatch(f"({words})s?", part, re.I) for part in marked)
        far += stored[row.number].text.index(text) > 100
    assert far


@pytest.mark.parametrize("q", ["golf", "incredible"])
def test_a_document_as_short_as_a_passage_is_shown_whole(draft, q):
    """“… of schedule, to build the greatest golf course” was all of a post of 140 characters."""
    post = (
        "We are years ahead of schedule, says everybody who comes to see us build the greatest golf"
    )
    post += " course of the world, über alles, and it is incredible"
    long = "a word of a long text " * 20 + "golf and incredible " + "and more of the text " * 20
    rows = [["id", "text"], ["post", post], ["long", long]]
    corpus = corpus_of(draft, rows, "posts.csv", language="en", min_documents=1, max_share=1.0)
    of = Listing(Selection.read(QueryDict(f"q={q}"), corpus))
    shown = {
        row.number: "".join(part for part, _ in row.snippet)
        for row in documents.describe_documents(of, whole(of, 5))
    }
    assert shown[0] == post
    assert shown[1].startswith("… ") and len(shown[1]) < len(long)


def test_only_the_words_that_were_meant_are_marked(draft):
    texts_of = {
        "estates of the realm": [],
        "the United States, a state; estates, statesmen, inter-state and statement": [
            "States",
            "state",
            "state",
        ],
        "understated estate of the interstates": [],
        "It was stated": ["stated"],
    }
    rows = [["id", "text"]] + [[f"k{i}", text] for i, text in enumerate(texts_of)]
    corpus = corpus_of(draft, rows, "states.csv", language="en", min_documents=1, max_share=1.0)
    of = Listing(Selection.read(QueryDict("q=states"), corpus))
    marked = {
        "".join(part for part, _ in row.snippet): [part for part, match in row.snippet if match]
        for row in documents.describe_documents(of, whole(of, 5))
    }
    assert marked == {text: words for text, words in texts_of.items() if words}
    exact = Listing(Selection.read(QueryDict('q="states"'), corpus))
    assert [
        part
        for row in documents.describe_documents(exact, whole(exact, 5))
        for part, match in row.snippet
        if match
    ] == ["States"]


def test_passages_end_between_words(draft):
    long = [
        "extraordinarily " * 60,
        "extraordinarily\n" * 60,
        "über\u3000alles\t" * 90,
        "an end\n\n" + "x" * 2000,
        "日本語の文" * 200,
    ]
    rows = [["id", "text"]] + [[f"k{i}", text] for i, text in enumerate(long)]
    corpus = corpus_of(draft, rows, "long.csv", language="en", min_documents=1, max_share=1.0)
    starts = texts.beginnings(corpus, range(len(long)))
    for number, text in enumerate(long):
        shown = "".join(part for part, _ in starts[number].parts)
        assert (
            shown.endswith(" …")
            and text.startswith(shown.removesuffix(" …"))
            and len(shown) > texts.PASSAGE
        )
        if number < 3:
            assert text[len(shown) - 2].isspace(), shown[-20:]
    for number in (0, 1, 2):
        (piece,) = texts.around(corpus, {number: 407})
        a, b = texts.ends(piece)
        assert (
            long[number][piece.first + a - 1].isspace() and long[number][piece.first + b].isspace()
        )


def test_a_match_in_the_title_alone_shows_the_beginning(draft):
    corpus = corpus_of(
        draft,
        [["title", "text"], ["Navy", "one two"], ["Other", "three four"]],
        "titles.csv",
        language="en",
        min_documents=1,
        max_share=1.0,
    )
    of = Listing(Selection.read(QueryDict("q=navies"), corpus))
    assert [row.snippet for row in documents.describe_documents(of, whole(of, 5))] == [
        [("one two", False)]
    ]


def test_facets_count_the_set(trained):
    rows = list(Document.objects.filter(corpus_id=trained.corpus_id))
    selection = Selection.read(QueryDict("q=war&in=party:Federalist"), RunView(trained))
    found = facets.counts(selection)
    war = Selection.read(QueryDict("q=war"), RunView(trained))
    by = {category.name: category for category in found.categories}
    # As if none were chosen
    parties = Counter(d.metadata.get("party") for d in rows if war.mask[d.number])
    assert {v.value: v.documents for v in by["party"].values} == dict(
        parties.most_common(facets.VALUES)
    )
    presidents = Counter(d.metadata.get("president") for d in rows if selection.mask[d.number])
    assert {v.value: v.documents for v in by["president"].values} == dict(
        presidents.most_common(facets.VALUES)
    )
    assert sum(bar.documents for bar in found.years) == selection.count
    for bar in found.years:
        narrowed = Selection.read(QueryDict(bar.url[1:]), RunView(trained))
        assert narrowed.count == bar.documents
    for value in by["party"].values:
        there = Selection.read(QueryDict(value.url[1:]), RunView(trained))
        assert ("in", f"party:{value.value}") in there.parameters or value.chosen


def test_topics_of_a_set_are_larger_there(trained):
    selection = Selection.read(QueryDict("has=2:30"), RunView(trained))
    found = facets.counts(selection).topics
    assert found[0].number == 2
    of = {t.number: t.tokens for t in Topic.objects.filter(snapshot_id=trained.snapshot_id)}
    for topic in found:
        inside = [row for row in mixtures.rows(trained) if selection.mask[row.document]]
        total = sum(row.tokens for row in inside)
        assert topic.share == pytest.approx(
            sum(row.tokens for row in inside if row.topic == topic.number) / total
        )
        assert topic.usual == pytest.approx(of[topic.number] / sum(of.values()))
        assert topic.share > topic.usual
    everything = facets.counts(Selection.read(QueryDict(), RunView(trained))).topics
    assert [t.share for t in everything] == sorted((t.share for t in everything), reverse=True)


@pytest.mark.parametrize(
    "query", ["q=nosuchwordanywhere", "q=nosuchwordanywhere&has=1:5", "from=2500"]
)
def test_an_empty_set_says_what_to_do(client, trained, query):
    for name, owner in (("run_documents", trained.pk), ("corpus_documents", trained.corpus_id)):
        html = in_one_line(client.get(reverse(name, args=[owner]) + "?" + query))
        everything = f'<a href="{reverse(name, args=[owner])}">Show all documents</a>'
        assert everything in html and "No document is in this set" in html
