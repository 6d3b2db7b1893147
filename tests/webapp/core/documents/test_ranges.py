"""Sets of documents by ranges of numbers and other dates, and groups by them, against the rows they
came from."""

from datetime import date

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp.making import corpus_of
from webapp.core.documents import document_groups, fields
from webapp.core.documents.conditions import ranges
from webapp.core.documents.selection import Selection
from webapp.intake.metadata import Number

pytestmark = pytest.mark.django_db
COUNT = 90


def row(i: int) -> list[str]:
    price = "" if i % 10 == 9 else f"{i * 0.7:.2f}"
    return [
        str(i),
        f"19{i % 90 + 10}",
        price,
        str(i * 3),
        f"{i % 28 + 1}/3/{1950 + i % 20}",
        f"Words number {i % 4} of some text that repeats itself {i % 3}. " * 4,
    ]


@pytest.fixture(scope="module")
def typed(draft, django_db_blocker):
    with django_db_blocker.unblock():
        rows = [["id", "date", "price", "pages: all", "sold", "text"], *map(row, range(COUNT))]
        corpus = corpus_of(draft, rows, "typed.csv", language="en", min_documents=1, max_share=1.0)
        yield corpus
        corpus.delete()


def chosen(corpus, address: str) -> list[int]:
    return np.flatnonzero(Selection.read(QueryDict(address), corpus).mask).tolist()


def price(i: int) -> float:
    return float(row(i)[2] or "nan")


def sold(i: int) -> date:
    return date(1950 + i % 20, 3, i % 28 + 1)


def test_ranges_are_those_of_the_rows(typed):
    assert [field.name for field in fields.ranges(typed.version)] == ["price", "pages: all", "sold"]
    assert chosen(typed, "between=price:7:21") == [i for i in range(COUNT) if 7 <= price(i) <= 21]
    assert chosen(typed, "between=price:7:<21") == [i for i in range(COUNT) if 7 <= price(i) < 21]
    assert chosen(typed, "between=price::10.5") == [i for i in range(COUNT) if price(i) <= 10.5]
    assert chosen(typed, "between=pages: all:100:") == [i for i in range(COUNT) if i * 3 >= 100]
    assert chosen(typed, "between=sold:1955-03-10:1960") == [
        i for i in range(COUNT) if date(1955, 3, 10) <= sold(i) <= date(1960, 12, 31)
    ]
    assert chosen(typed, "between=price:7:21&between=price:14:&from=1930") == [
        i for i in range(COUNT) if 14 <= price(i) <= 21 and i % 90 + 10 >= 30
    ]
    assert chosen(typed, "low:price=7&high:price=21&low:sold=&high:sold=") == chosen(
        typed, "between=price:7:21"
    )


def test_groups_are_whole_and_can_be_asked_for(typed):
    for name in ("price", "pages: all", "sold"):
        groups = document_groups.read_groups(typed.version, name)
        assert (
            5 <= len(groups.labels) <= 25
            and len(groups.bounds) == len(groups.labels)
            and not groups.in_time
        )
        everything = Selection.read(QueryDict(""), typed)
        for i in range(len(groups.labels)):
            query = QueryDict(mutable=True)
            for key, value in everything.within(groups, i).parameters:
                query.appendlist(key, value)
            mask = Selection.read(query, typed).mask
            assert np.array_equal(np.flatnonzero(mask), np.flatnonzero(groups.group == i)), (
                name,
                groups.labels[i],
            )
        known = COUNT - (9 if name == "price" else 0)
        assert np.count_nonzero(groups.group >= 0) == known
    assert (
        document_groups.read_groups(typed.version, "pages: all").labels[:2] == ["0–49", "50–99"]
        and document_groups.read_groups(typed.version, "price").labels[0] == "0 to below 10"
    )
    assert {"price", "sold"} <= set(document_groups.possible_groupings(typed.version))


@pytest.mark.parametrize(
    "address",
    [
        "between=price:a:b",
        "between=nothing:1:2",
        "between=price",
        "between=price:1",
        "between=sold:1999-13:",
        "between=price:nan:",
        "low:sold=soon",
    ],
)
def test_what_is_no_range_is_said(typed, address):
    with pytest.raises(Invalid, match="between|ends"):
        Selection.read(QueryDict(address), typed)


def test_the_page_of_documents_offers_and_says_them(typed, client):
    url = reverse("corpus_documents", args=[typed.pk])
    page = client.get(url, {"between": "price:7:<21"}).content.decode()
    assert (
        "price from 7 to below 21" in page
        and 'name="low:price" value="7"' in page
        and 'name="high:sold"' in page
        and "1950" in page
    )
    assert client.get(url, {"between": "price:x:"}).status_code == 400


@pytest.mark.parametrize(
    ("low", "high", "whole", "median"),
    [
        (0, 1, False, 0.5),
        (-5, 5, True, 0),
        (0.3, 0.6, False, 0.4),
        (1, 1e9, True, 40),
        (0, 1e-7, False, 1e-9),
        (0.1, 1e299, False, 3),
        (5, 6, True, 5),
        (-1e299, 1e299, False, 0),
    ],
)
def test_edges_hold_every_number(low, high, whole, median):
    edges = Number("x", float(low), float(high), whole, 9).edges(float(median))
    assert (
        edges[0] <= low
        and edges[-1] > high
        and 3 <= len(edges) < 400
        and edges == sorted(set(edges))
    )
    assert edges[-2] <= high  # the last is not empty by construction


@pytest.mark.parametrize(
    ("between", "said"),
    [("price:7:", "price from 7"), ("price::<9", "price to below 9")],
)
def test_ranges_in_words(typed, between, said):
    selection = Selection.read(QueryDict(f"between={between}"), typed)
    assert selection.sentence == f"documents {said}"


def test_a_chosen_range_stays_where_the_form_offers_few(typed, monkeypatch):
    monkeypatch.setattr(ranges, "MOST_RANGES", 1)
    selection = Selection.read(QueryDict("between=sold:1955:1960"), typed)
    offered = ranges.offered_ranges(typed.version, selection.between)
    assert [(field.name, field.low, field.high) for field in offered] == [
        ("price", "", ""),
        ("sold", "1955", "1960"),
    ]
