"""The page of the words near a word on two sides: its numbers again from the texts, its columns,
its lines, its file."""

import csv
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.explore.keyness import Keyness
from tests.webapp.analysis.collocations.test_collocations import WORD, by_hand
from webapp.analysis.collocations import two_sides, views
from webapp.models import Corpus
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
QUERY = "?to_a=1797&from_b=1798&least=2"


def get(client, run, query=QUERY, name="run_collocations_json", status=200, word=WORD):
    response = client.get(reverse(name, args=[run.pk, word]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def one_side(client, run, query):
    """word -> how it is listed on the page of one side."""
    data = get(client, run, query)
    assert not data["more"]
    return {row["word"]: row for row in data["words"]}


def every(data):
    return [row for part in data["words"] for row in part]


def test_counts_are_those_of_the_texts(client, trained, monkeypatch):
    monkeypatch.setattr(two_sides, "WORDS_OF_COLUMN", 500)
    monkeypatch.setattr(two_sides, "SIGNIFICANT_G2", 0.0)
    data = get(client, trained, QUERY + "&which=all")
    sides = [
        by_hand(trained, 5, 5, **{f"date__year__{end}": year})
        for end, year in (("lte", 1797), ("gte", 1798))
    ]
    for side, (_, _, _, window, own) in zip(data["sides"], sides, strict=True):
        assert (side["found"], side["window"]) == (own, window)
    assert len(every(data)) > 50 and min(len(part) for part in data["words"]) > 0
    for row in every(data):
        for s, (near, having, *_, window, _) in enumerate(sides):
            assert row["tokens"][s] == near[row["word"]]
            assert row["documents"][s] == len(having[row["word"]])
            assert row["rates"][s] == pytest.approx(10_000 * near[row["word"]] / window)
    assert any(0 in row["tokens"] for row in every(data)) and any(
        1 in row["documents"] for row in every(data)
    )


def test_what_one_side_alone_has_is_said_before_that_the_other_is_too_small(
    client, trained, monkeypatch
):
    """Four documents say nothing of others; that a word is never near it in them is a fact."""
    monkeypatch.setattr(two_sides, "SIGNIFICANT_G2", 0.0)
    query = "?to_a=1792&from_b=1793&least=2"
    data = get(client, trained, query)
    assert data["caution"] and not any(row["clear"] for row in every(data))
    only = [row for row in data["words"][1] if not row["tokens"][0]]
    first = max(only, key=lambda row: row["tokens"][1])
    html = " ".join(get(client, trained, query, "run_collocations").split())
    lede = html[html.index('<p class="lede">') : html.index("</p>", html.index('<p class="lede">'))]
    said = f"<bdi>{first['word']}</bdi></b>, {first['tokens'][1]} time"
    side = data["sides"][1]["name"]
    assert f"In these texts, only <bdi>{side}</bdi>" in lede and said in lede
    assert lede.index(said) < lede.index("One side has texts of only 4 documents")
    assert "may be chance" not in html[html.index("two-sides") :]
    assert "only here" in html
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    assert "In these texts, only" not in get(client, trained, query, "run_collocations")


def test_a_column_has_the_collocations_of_its_side(client, trained, monkeypatch):
    monkeypatch.setattr(two_sides, "SIGNIFICANT_G2", 1.0)
    monkeypatch.setattr("webapp.analysis.collocations.queries.WORDS_OF_PAGE", 5_000)
    monkeypatch.setattr("webapp.analysis.two_sets.word_contrast.LEAST_DOCUMENTS", 2)
    data = get(client, trained, "?to_a=1803&from_b=1804&least=2")
    strong = [
        {w for w, row in one_side(client, trained, query).items() if row["g2"] >= 1.0}
        for query in ("?to=1803&least=2", "?from=1804&least=2")
    ]
    words = [{row["word"] for row in part} for part in data["words"]]
    assert all(words) and not (words[0] & words[1] or words[1] & words[2] or words[0] & words[2])
    clear = {row["word"] for row in every(data) if row["clear"]}
    assert words[0] <= strong[0] and words[1] <= strong[1] and words[2] <= strong[0] & strong[1]
    assert words[0] & strong[1] <= clear and words[1] & strong[0] <= clear and not words[2] & clear
    for row, side in [
        *((row, 0) for row in data["words"][0]),
        *((row, 1) for row in data["words"][1]),
    ]:
        if row["clear"]:
            assert row["rates"][side] > row["rates"][1 - side]
    for part in data["words"]:
        clearness = [row["clear"] for row in part]
        assert clearness == sorted(clearness, reverse=True)


def columns_by_hand(ratio, different, strong, association):
    """Words of each column, in order."""
    columns = [[], [], []]
    for i in range(len(ratio)):
        if different[i]:
            side = 0 if ratio[i] > 0 else 1
            if strong[i][side]:
                columns[side].append((0, -association[i][side], i))
        elif strong[i][0] and strong[i][1]:
            columns[2].append((1, -min(association[i]), i))
        elif strong[i][0] or strong[i][1]:
            side = 0 if strong[i][0] else 1
            columns[side].append((1, -association[i][side], i))
    return [[i for *_, i in sorted(column)] for column in columns]


def test_columns_are_those_of_the_twin():
    rng = np.random.default_rng(6)
    for _ in range(50):
        n = int(rng.integers(0, 40))
        ratio = rng.normal(0, 2, n)
        different = rng.random(n) < 0.5
        association = rng.random((n, 2)) * 20
        nothing = np.zeros(n)
        strong = association > 10
        made = two_sides.order_columns(
            Keyness(ratio, nothing, nothing, nothing, different, nothing, different),
            strong,
            association,
        )
        expected = columns_by_hand(ratio, different, strong, association)
        assert [column.tolist() for column in made] == expected


def test_a_number_opens_its_lines_on_its_own_side(client, trained):
    for query in (QUERY, QUERY + "&left=3&right=0", QUERY + "&left=0&right=4"):
        seen = 0
        for row in every(get(client, trained, query))[:6]:
            for url, tokens, years in zip(
                row["urls"], row["tokens"], ((1700, 1797), (1798, 1900)), strict=True
            ):
                path, _, asked = url.partition("?")
                found = client.get(f"{path.rstrip('/')}.json?{asked}").json()
                assert bool(found["hits"]) == bool(tokens)
                for line in found["lines"]:
                    assert years[0] <= int(line["date"][:4]) <= years[1]
                    seen += 1
        assert seen


def test_two_topics_are_two_sides(client, trained):
    tokens = {k: get(client, trained, f"?topic={k}")["found"] for k in range(trained.topics)}
    a, b = sorted(tokens, key=lambda k: -tokens[k])[:2]
    data = get(client, trained, f"?topic_a={a}&topic_b={b}&least=2")
    assert [side["found"] for side in data["sides"]] == [tokens[a], tokens[b]]
    numbers = [re.findall(r"\bT\d\d\b", side["name"]) for side in data["sides"]]
    assert numbers == [[f"T{a:02}"], [f"T{b:02}"]]
    swapped = get(client, trained, f"?topic_a={b}&topic_b={a}&least=2")
    words = [[row["word"] for row in part] for part in data["words"]]
    assert [words[i] for i in (1, 0, 2)] == [
        [row["word"] for row in part] for part in swapped["words"]
    ]


def test_the_form_has_the_two_topics_that_are_compared(client, trained):
    tokens = {k: get(client, trained, f"?topic={k}")["found"] for k in range(trained.topics)}
    a, b = sorted(tokens, key=lambda k: -tokens[k])[:2]
    html = get(client, trained, f"?topic_a={a}&topic_b={b}&least=2", name="run_collocations")
    for name, topic in (("topic-a", a), ("topic-b", b)):
        choices = html.partition(f'<select id="{name}"')[2].partition("</select>")[0]
        assert re.findall(r'value="(\d*)" selected', choices) == [str(topic)]


def test_under_embargo_a_side_counts_what_five_of_its_documents_have(client, trained):
    assert any(0 < n < 5 for row in every(get(client, trained)) for n in row["documents"])
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    data = get(client, trained)
    assert every(data) and data["least"] == 5
    assert {n for row in every(data) for n in row["documents"] if n < 5} <= {0}
    rows = list(csv.DictReader(io.StringIO(get(client, trained, name="run_collocations_csv"))))
    assert rows and not {row["documents_first"] for row in rows} & {"1", "2", "3", "4"}


def test_the_file_has_what_the_page_has(client, trained):
    data = get(client, trained)
    rows = list(csv.DictReader(io.StringIO(get(client, trained, name="run_collocations_csv"))))
    assert len(rows) == len(every(data)) + sum(data["more"])
    for column, part in zip(two_sides.COLUMNS, data["words"], strict=True):
        listed = [row for row in rows if row["column"] == column][: len(part)]
        assert [row["near"] for row in listed] == [row["word"] for row in part]
        assert [int(row["tokens_second"]) for row in listed] == [row["tokens"][1] for row in part]
    assert {(row["first"], row["second"]) for row in rows} == {
        tuple(side["name"] for side in data["sides"])
    }


def test_the_page_has_its_columns_and_keeps_its_sides(client, trained):
    html = get(client, trained, name="run_collocations")
    assert "On both sides" in html and "collocations.csv?to_a=1797" in html
    assert "to_a=1797&amp;from_b=1798&amp;least=10" in html  # another least keeps the sides
    assert 'name="to_a" value="1797"' in html


def test_the_page_of_one_side_offers_two(client, trained):
    html = get(client, trained, "", "run_collocations")
    assert "topic_a=" in html and 'name="from_a"' in html


@pytest.mark.parametrize(
    "query",
    [
        "?to_a=1797",
        "?topic_a=1",
        "?to_a=1797&from_b=1790",
        "?to_a=1797&from_b=1798&topic_a=9999",
        "?to_a=1700&from_b=1790",
        "?topic_a=1&topic_b=1",
    ],
)
def test_what_cannot_be_compared_is_said(client, trained, query):
    get(client, trained, query, status=400)
    if "9999" not in query:
        assert 'role="status"' in get(client, trained, query, "run_collocations")


def test_the_api_has_the_same(client, trained):
    address = f"/api/v1/runs/{trained.pk}/words/{WORD}/collocations"
    for query in (
        "?left=2&right=0&order=t",
        "?from_a=1790&to_a=1799&from_b=1800&to_b=1815",
        "?topic=1&within=sentence",
    ):
        page = client.get(address + query)
        same = get(client, trained, query)
        assert page.status_code == 200 and page.json() == same
    for query in ("?left=99", "?left=0&right=0", "?from_a=1790", "?topic=9999"):
        assert client.get(address + query).status_code in (400, 404, 422), query
    assert client.get(address.replace(WORD, "zyzzyva")).status_code == 404


def test_a_side_has_no_uses_that_the_page_leaves_out(client, trained):
    within = get(client, trained, "?from=1795&from_a=1790&to_a=1803&from_b=1804")
    asked = get(client, trained, "?from_a=1795&to_a=1803&from_b=1804")
    assert [side["found"] for side in within["sides"]] == [side["found"] for side in asked["sides"]]


def test_two_senses_are_suggested_in_all_documents():
    """Whatever sets the address compares, also those by a field of numbers."""
    asked = QueryDict("between_a=age:1:2&in_b=party:Whig&topic=3&least=2")
    senses = [SimpleNamespace(number=k, with_label=f"Name (T{k:02d})") for k in (0, 7, 9)]
    suggested = views.suggest_senses(PageQuery(asked), senses)
    assert suggested == [("Name (T00) and Name (T07)", "?least=2&topic_a=0&topic_b=7")]
    assert views.suggest_senses(PageQuery(asked), senses[:1]) == []
