"""Two sets of documents compared: every number is a sum of tokens, and what cannot be compared is
said."""

from datetime import date

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.effects.time_curve import spline
from tests.webapp.analysis.token_counts import documents, get, naive
from webapp.analysis.two_sets import compared_sets, contrasts, division, sets_form
from webapp.core.curation import services as curation
from webapp.core.documents import fields, wording
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.models import Document
from webapp.platform.pages.page_query import PageQuery

pytestmark = pytest.mark.django_db


def test_two_periods_compared(client, trained):
    data = get(
        client, trained, "?from_a=1790&to_a=1799&from_b=1810&to_b=1815", "run_time_compare_json"
    )

    def side(document):
        if 1790 <= document.date.year <= 1799:
            return "a"
        if 1810 <= document.date.year <= 1815:
            return "b"
        return None

    expected = naive(trained, side)
    assert [(s["documents"], s["tokens"]) for s in data["sides"]] == [
        (expected[x]["documents"], expected[x]["tokens"]) for x in "ab"
    ]
    assert [s["name"] for s in data["sides"]] == ["1790–1799", "1810–1815"]
    rows = [row for part in data["more"] for row in part]
    assert len(rows) + data["unsure_count"] == 6 and rows
    for part, sign in zip(data["more"], (1, -1), strict=True):
        assert [abs(r["difference"]) for r in part] == sorted(
            (abs(r["difference"]) for r in part), reverse=True
        )
        for row in part:
            a, b = (expected[x]["topics"][row["number"]] / expected[x]["tokens"] for x in "ab")
            assert row["tokens"] == [expected[x]["topics"][row["number"]] for x in "ab"]
            assert row["share"] == pytest.approx([a, b])
            assert (
                row["difference"] == pytest.approx(a - b)
                and sign * row["difference_low"] > 0
                and sign * row["difference_high"] > 0
            )
            assert row["ratio"] == pytest.approx(a / b)
    documents = list(Document.objects.filter(corpus_id=trained.corpus_id))
    words = [
        [word for _, _, word in of]
        for of in wording.terms(trained.version, [row.text for row in documents])
    ]
    for s, part in enumerate(data["words"]):
        for word in part[:4]:
            counts = [0, 0]
            for row, of in zip(documents, words, strict=True):
                if which := side(row):
                    counts["ab".index(which)] += of.count(word["word"])
            assert word["tokens"] == counts
            assert word["rates"][s] > word["rates"][1 - s]


def test_what_opens_a_side_holds_it(client, trained):
    query = "?from_a=1800&to_a=1809&from_b=1810&to_b=1820&q=peace&in=party:Democratic-Republican"
    data = get(client, trained, query, "run_time_compare_json")
    for side in data["sides"]:
        there = Selection.read(QueryDict(side["url"].partition("?")[2]), RunView(trained))
        assert there.count == side["documents"] and there.q == "peace"
    word = next(word for part in data["words"] for word in part)
    assert QueryDict(word["url"].partition("?")[2])["q"] == f'peace "{word["word"]}"'


def test_a_word_opens_documents_that_have_it_whatever_the_search_says(client, trained):
    query = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815&q=peace or war"
    data = get(client, trained, query, "run_time_compare_json")
    word = next(word for part in data["words"] for word in part)
    opened = QueryDict(word["url"].partition("?")[2])
    there = Selection.read(opened, RunView(trained))
    alone = opened.copy()
    alone["q"] = f'"{word["word"]}"'
    with_word = Selection.read(alone, RunView(trained))
    assert set(there.numbers) <= set(with_word.numbers)


def test_a_side_lies_within_the_documents_of_the_page(client, trained):
    query = "?from=1795&to=1812&from_a=1790&to_a=1799&from_b=1810&to_b=1820"
    data = get(client, trained, query, "run_time_compare_json")
    assert [side["name"] for side in data["sides"]] == ["1795–1799", "1810–1812"]
    for side in data["sides"]:
        there = Selection.read(QueryDict(side["url"].partition("?")[2]), RunView(trained))
        assert there.count == side["documents"]


def test_values_that_the_page_leaves_out_are_on_no_side(client, trained):
    page = "?in=president:George Washington&in=president:John Adams"
    sides = "&in_a=president:George Washington&in_a=president:James Madison"
    base = Selection.read(QueryDict(page[1:]), RunView(trained))
    side = compared_sets.side(QueryDict(sides[1:]), "a", base)
    assert side.documents.values == [("president", "George Washington")]
    other = "&in_a=president:James Madison"
    html = get(client, trained, page + other, "run_time_compare")
    assert "No document is on the side “James Madison”" in html


def test_what_may_be_compared_in_an_early_collection_can_be_read(trained, monkeypatch):
    monkeypatch.setattr(fields, "dated", lambda version: (date(807, 1, 1), date(990, 1, 1)))
    form = sets_form.sets_form(QueryDict(""), trained.version, PageQuery(QueryDict("")))
    _, url = form.suggestions[0]
    compared = Selection.read(QueryDict(url[1:].replace("_b=", "=")), RunView(trained))
    assert (compared.first, compared.last) == ("0807", "0816")


def test_values_and_all_others_compared(client, trained):
    data = get(
        client, trained, "?in_a=president:George Washington&order=ratio", "run_time_compare_json"
    )
    expected = naive(
        trained, lambda d: "a" if d.metadata["president"] == "George Washington" else "b"
    )
    assert [s["tokens"] for s in data["sides"]] == [
        expected["a"]["tokens"],
        expected["b"]["tokens"],
    ]
    ratios = [row["ratio"] for row in data["more"][0]]
    assert ratios == sorted(ratios, reverse=True)
    html = get(client, trained, "?in_a=president:George Washington", "run_time_compare")
    assert "all others" in html and "selected" in html


def test_time_held_constant(client, trained):
    """The second share is what least squares on time and the set expect of it at the times of the
    first."""
    query = "?has=1:20&rest=1&constant=time"
    data = get(client, trained, query, "run_time_compare_json")
    first = set(Selection.read(QueryDict("has=1:20"), RunView(trained)).numbers.tolist())
    rows = [(row, words) for row, words in documents(trained) if words and row.date]
    n = np.array([sum(count for _, count in words) for _, words in rows])
    inside = np.array([row.number in first for row, _ in rows])
    period = fields.groups(trained.version, fields.usual(trained.version)).group
    time = spline(np.array([period[row.number] for row, _ in rows]), n)
    X = np.column_stack([time, inside])
    root = np.sqrt(n)
    base = n[inside] @ time[inside] / n[inside].sum()
    listed = [row for part in data["more"] for row in part]
    assert (
        data["constant"] == "time"
        and not data["caution"]
        and len(listed) + data["unsure_count"] == 6
        and listed
    )
    for row in listed:
        share = (
            np.array([sum(count for k, count in words if k == row["number"]) for _, words in rows])
            / n
        )
        beta = np.linalg.lstsq(X * root[:, None], share * root, rcond=None)[0]
        assert row["share"] == pytest.approx([base @ beta[:-1] + beta[-1], base @ beta[:-1]])
        assert row["difference"] == pytest.approx(beta[-1])
        assert row["difference_low"] < row["difference"] < row["difference_high"]
    assert "Time is held constant" in get(client, trained, query, "run_time_compare")


def test_what_was_said_at_different_times_cannot_be_told_from_time(client, trained):
    query = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815&constant=time"
    data = get(client, trained, query, "run_time_compare_json")
    assert data["more"] == [[], []] and data["unsure_count"] == 6
    assert "can’t be separated from what changed over time" in data["caution"]
    assert data["caution"] in get(client, trained, query, "run_time_compare")


@pytest.mark.parametrize(
    "query",
    [
        "?from_a=1790&to_a=1799&from_b=1795",
        "?from_b=1790",
        "?from_a=1700&to_a=1710",
        "?in_a=x:y",
        "?from_a=<script>alert(1)</script>",
    ],
)
def test_what_cannot_be_compared_is_said(client, trained, query):
    assert (
        client.get(reverse("run_time_compare_json", args=[trained.pk]) + query).status_code == 400
    )
    html = get(client, trained, query, "run_time_compare")
    assert "<script>alert" not in html and 'role="status"' in html


def test_merged_topics_are_compared_as_one(trained):
    def differences():
        everything = Selection.all(RunView(trained))
        asked = compared_sets.read_sides(
            QueryDict("in_a=president:George Washington"), everything, False
        )
        return contrasts.differences(*asked, division.divide(*asked), "")

    before = differences()
    curation.change(trained, 1, {"into": "0"}, "Ada")
    after = differences()
    assert 1 in before.topics
    assert 1 not in after.topics
    assert after.tokens[:, 0].tolist() == (before.tokens[:, 0] + before.tokens[:, 1]).tolist()
    both = before.answers.a[[before.topics.index(0), before.topics.index(1)]].sum()
    assert after.answers.a[after.topics.index(0)] == pytest.approx(both)


def test_an_open_period_is_called_by_both_ends(client, trained):
    first, last = (day.year for day in fields.dated(trained.version))
    query = "?to_a=1795&from_b=1806"
    data = get(client, trained, query, "run_time_compare_json")
    assert [side["name"] for side in data["sides"]] == [f"{first}–1795", f"1806–{last}"]
    html = get(client, trained, query, "run_time_compare")
    assert f"<bdi>{first}–1795</bdi> compared with <bdi>1806–{last}</bdi>" in html


def test_an_open_period_ends_with_the_documents_of_the_page(client, trained):
    first = fields.dated(trained.version)[0].year
    data = get(client, trained, "?to=1808&to_a=1795&from_b=1806", "run_time_compare_json")
    assert [side["name"] for side in data["sides"]] == [f"{first}–1795", "1806–1808"]
    base = Selection.read(QueryDict(""), RunView(trained))
    side = compared_sets.side(QueryDict("from_b=2050"), "b", base)
    assert side.name == "from 2050", "no documents are behind the last: it has no other end"


def test_notes_on_a_comparison_stand_below_its_topics(client, trained):
    html = get(client, trained, "?to_a=1795&from_b=1806", "run_time_compare")
    assert html.index("<tbody>") < html.index("Differences are in percentage points.")
