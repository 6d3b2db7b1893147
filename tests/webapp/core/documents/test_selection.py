"""Sets of documents: each condition against a naive computation, bad input, and the form that every
page has."""

import re
from html import unescape
from types import SimpleNamespace
from urllib.parse import parse_qsl
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp import mixtures
from tests.webapp.making import corpus_of
from webapp.core.documents import document_days, facets, fields
from webapp.core.documents.conditions import day_limits
from webapp.core.documents.conditions.values import typed_values
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.models import Corpus, Document, Edit, Run
from webapp.platform.storage.cache import of_documents

pytestmark = pytest.mark.django_db

EVIL = [
    '"><script>alert(1)</script>',
    "a:b",
    "party:x&in=y",
    "O'Neil, “x”",
    "<b>",
    "%s {{ x }}",
    "שלום",
    "=1+1",
]


def read(corpus, run=None, query="", **parameters) -> Selection:
    asked = QueryDict(query, mutable=True)
    for name, value in parameters.items():
        asked.setlist(name.rstrip("_"), value if isinstance(value, list) else [value])
    return Selection.read(asked, RunView(run) if run else corpus)


def numbers(selection: Selection) -> set[int]:
    assert selection.mask.dtype == bool and not selection.mask.flags.writeable
    assert selection.count == selection.mask.sum()
    assert (
        np.array_equal(selection.numbers, np.flatnonzero(selection.mask))
        and not selection.numbers.flags.writeable
    )
    return set(np.flatnonzero(selection.mask).tolist())


@pytest.fixture
def documents(ready):
    return list(Document.objects.filter(corpus_id=ready.pk).order_by("number"))


@pytest.fixture(scope="module")
def strange(draft, django_db_setup, django_db_blocker):
    """A corpus whose category has names and values that try to break out."""
    rows = [["text", "na:me", "<i>"]]
    for i in range(64):
        rows.append([f"word thing number{i % 3} other", EVIL[i % len(EVIL)], "x" if i % 2 else "y"])
    with django_db_blocker.unblock():
        yield corpus_of(draft, rows, "strange.csv", language="en", min_documents=1, max_share=1.0)


def test_nothing_asked_for_is_everything(ready, trained):
    for query in ("", "q=&from=&to=&has=&in=&with=&least=20", "other=1"):
        selection = read(ready, trained, query)
        assert not selection.has_conditions and selection.count == ready.documents
        assert selection.mask is None and selection.numbers is None
        assert selection.sentence == "all documents" and selection.address() == "?"


def test_an_empty_search_is_none(ready):
    searched = read(ready, q="navy", from_="1850")
    assert searched.with_search("war").q == "war"
    unsearched = searched.with_search("")
    assert unsearched.address() == "?from=1850" and unsearched.sentence == "documents from 1850"
    assert not read(ready).with_search("").has_conditions


@pytest.mark.parametrize(
    "q",
    [
        "militia",
        "militia or navy",
        "war -peace",
        "militia OR navies",
        "(war OR wars) AND NOT peace",
        "army navy",
        "constitut*:constitut:*",
    ],
)
def test_search_finds_what_postgres_would(ready, q):
    q, _, theirs = q.partition(":")
    theirs = theirs or q.replace("AND NOT ", "-").replace("AND ", "").replace(
        "(war OR wars)", "war"
    )
    function = "to_tsquery" if ":*" in theirs else "websearch_to_tsquery"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT number FROM document WHERE corpus_id = %s AND to_tsvector('english', title ||"
            f" ' ' || text) @@ {function}('english', %s)",
            [ready.pk, theirs],
        )
        expected = {number for (number,) in cursor}
    assert 0 < len(expected) < ready.documents
    assert numbers(read(ready, q=q)) == expected


@pytest.mark.parametrize(
    ("q", "pattern"),
    [
        ('"militia"', r"\bmilitia\b"),
        ('"the United States"', r"\bthe\W+united\W+states\b"),
        ("“of war”", r"\bof\W+war\b"),
    ],
)
def test_words_in_quotes_are_found_as_they_are(ready, q, pattern):
    rows = Document.objects.filter(corpus_id=ready.pk)
    expected = {
        d.number
        for d in rows
        if re.search(pattern, d.text, re.I) or re.search(pattern, d.title, re.I)
    }
    assert 0 < len(expected) < ready.documents
    assert numbers(read(ready, q=q)) == expected


@pytest.mark.parametrize(
    ("first", "last", "naive"),
    [
        ("1793", "", lambda day: day.year >= 1793),
        ("", "1793", lambda day: day.year <= 1793),
        ("1793", "1793", lambda day: day.year == 1793),
        (
            "1792-11",
            "1793-12-03",
            lambda day: (1792, 11) <= (day.year, day.month) and day.isoformat() <= "1793-12-03",
        ),
    ],
)
def test_dates(ready, documents, first, last, naive):
    expected = {d.number for d in documents if d.date and naive(d.date)}
    assert expected and numbers(read(ready, from_=first, to=last)) == expected


def test_few_days_are_looked_up_many_are_gone_through(ready, documents, monkeypatch):
    days = read(ready, from_="1792", to="1793")
    expected = numbers(days)
    by_date = document_days.order_by_day(ready.version, newest=False)
    assert (
        by_date is not None and days.count * day_limits.SCANNED_PER_LOOKUP < ready.version.documents
    )
    of_documents.clear()
    monkeypatch.setattr(day_limits, "SCANNED_PER_LOOKUP", 10**6)
    assert numbers(read(ready, from_="1792", to="1793")) == expected
    assert numbers(read(ready, from_="1793", to="1792")) == set()


def test_values_of_one_category_are_alternatives_of_two_both_hold(ready, documents):
    by = {
        name: {d.metadata.get(name) for d in documents} - {None} for name in ("president", "party")
    }
    some = sorted(by["president"])[:2]
    expected = {d.number for d in documents if d.metadata.get("president") in some}
    assert numbers(read(ready, in_=[f"president:{value}" for value in some])) == expected
    party = sorted(by["party"])[0]
    both = {
        d.number
        for d in documents
        if d.metadata.get("president") in some and d.metadata.get("party") == party
    }
    assert (
        numbers(read(ready, in_=[*(f"president:{value}" for value in some), f"party:{party}"]))
        == both
    )


@pytest.mark.parametrize("percent", ["0", "12.5", "40", "100"])
def test_shares_of_topics(trained, percent):
    of_topic = [row for row in mixtures.rows(trained) if row.topic == 2]
    expected = {row.document for row in of_topic if row.share >= float(percent) / 100 - 1e-7}
    assert numbers(read(trained.corpus, trained, has=f"2:{percent}")) == expected


def test_a_topic_has_what_was_merged_into_it(trained):
    run = Run.objects.get(pk=trained.pk)
    before = numbers(read(run.corpus, run, has="2:30"))
    Edit.objects.create(run=run, topic=4, field="into", value="2", batch=uuid4(), by="a")
    run = Run.objects.get(pk=trained.pk)
    shares: dict[int, float] = {}
    for row in mixtures.rows(run):
        if row.topic in (2, 4):
            shares[row.document] = shares.get(row.document, 0.0) + row.share
    after = numbers(read(run.corpus, run, has="2:30"))
    assert after == {d for d, share in shares.items() if share >= 0.3 - 1e-7} and before < after
    assert numbers(read(run.corpus, run, has="4:30")) < after  # its own alone


def test_conditions_hold_together(ready, trained):
    parts = [
        {"q": "war"},
        {"from_": "1792", "to": "1796"},
        {"has": "1:10"},
        {"in_": "party:Federalist"},
    ]
    values = {d.metadata.get("party") for d in Document.objects.filter(corpus_id=ready.pk)}
    parts[3] = {"in_": f"party:{sorted(v for v in values if v)[0]}"}
    together = {k: v for part in parts for k, v in part.items()}
    selection = read(ready, trained, **together)
    assert numbers(selection) == set.intersection(
        *(numbers(read(ready, trained, **part)) for part in parts)
    )
    assert all(
        word in selection.sentence
        for word in ("“war”", "from 1792", "to 1796", "at least 10% ", "T01")
    )
    again = read(ready, trained, selection.address()[1:])
    assert again.parameters == selection.parameters
    assert len(selection.conditions) == 5
    for parameter in selection.parameters:
        rest = read(ready, trained, selection.address(without=parameter)[1:])
        assert rest.parameters == [p for p in selection.parameters if p != parameter]


def test_fields_of_the_form_become_one_condition(ready, trained):
    assert read(ready, trained, with_="T02", least="12.5").parameters == [("has", "2:12.5")]
    assert read(ready, trained, with_="2", least=" 20 % ").parameters == [("has", "2:20")]
    assert read(ready, trained, with_="t02").parameters == [("has", "2:0")]
    assert read(ready, trained, with_="2", least="20", has="2:20").parameters == [("has", "2:20")]
    value = read(ready, query="in:president=george+WASHINGTON").parameters
    assert value == [("in", "president:George Washington")]
    several = read(ready, query="in:president=John+Adams,+george+washington").parameters
    assert several == [("in", "president:John Adams"), ("in", "president:George Washington")]


def test_a_typed_value_with_a_comma_in_it_is_one_value_where_there_is_such_a_one():
    place = SimpleNamespace(name="place", values=["Paris, Texas", "Paris", "Texas", "Rome"])
    assert typed_values(place, "Paris, Texas") == ["Paris, Texas"]
    assert typed_values(place, "rome; texas") == ["Rome", "Texas"]
    assert typed_values(place, "") == []
    with pytest.raises(Invalid, match="“Oslo” is not a value of “place”"):
        typed_values(place, "Rome, Oslo")


def test_a_decade_is_its_first_and_last_day(ready):
    assert (
        read(ready, from_="1790s", to="1790s").days
        == read(ready, from_="1790", to="1799-12-31").days
    )


@pytest.mark.parametrize(
    ("parameters", "is_only_days"),
    [
        ({}, True),
        ({"from_": "1792"}, True),
        ({"from_": "1792", "to": "1793-06"}, True),
        ({"from_": "1792", "q": "war"}, False),
        ({"in_": "president:George Washington"}, False),
        ({"match": "the war"}, False),
        ({"only": "near"}, False),
    ],
)
def test_whether_days_alone_choose_the_documents(ready, documents, parameters, is_only_days):
    selection = read(ready, **parameters)
    assert selection.is_only_days is is_only_days
    if is_only_days:
        first, end = selection.day_range
        days = [document.date.toordinal() if document.date else 0 for document in documents]
        assert selection.count == sum(first <= day < end for day in days)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"has": "x"}, "must be a topic and a percentage"),
        ({"has": "1:101"}, "must be a topic and a percentage"),
        ({"has": "1:-5"}, "must be a topic and a percentage"),
        ({"has": "١:٢"}, "must be a topic and a percentage"),
        ({"has": "6:1"}, "has topics 0 to 5"),
        ({"with_": "war"}, "has topics 0 to 5"),
        ({"with_": "T02", "least": "much"}, "percentage from 0 to 100"),
        ({"with_": "99", "least": "5"}, "has topics 0 to 5"),
        ({"from_": "yesterday"}, "must be a date such as"),
        ({"from_": "0000"}, "must be a date such as"),
        ({"to": "1914-13"}, "must be a date such as"),
        ({"to": "1914-02-30"}, "must be a date such as"),
        ({"to": "1914" * 5000}, "must be a date such as"),
        ({"in_": "party"}, "must be a category and one of its values"),
        ({"in_": "colour:red"}, "must be a category and one of its values"),
        ({"in_": "party:No Such"}, "must be a category and one of its values"),
        ({"in_": "party:\0"}, "must be a category and one of its values"),
    ],
)
def test_what_cannot_be_understood_is_said(ready, trained, parameters, said):
    with pytest.raises(Invalid, match=said) as error:
        read(ready, trained, **parameters)
    assert len(error.value.message) < 600


def test_a_value_that_is_none_is_said_with_those_that_are(ready):
    with pytest.raises(Invalid, match="not a value of “president”.*George Washington"):
        read(ready, query="in:president=Nobody")


def test_a_run_without_evidence_says_so(ready):
    run = Run.objects.create(corpus=ready, version=ready.version, settings={"topics": 5})
    with pytest.raises(Invalid, match="has not counted its words yet"):
        read(ready, run, has="1:10").mask  # noqa: B018


@pytest.mark.parametrize(
    "q",
    [
        "\0",
        "\0war\0",
        "war &|!()",
        "or",
        " ",
        "<-> peace",
        "war'",
        '"war',
        "%s war",
        "戦争",
        "شعب",
        "o" * 1000,
    ],
)
def test_any_words_are_a_search(ready, q):
    selection = read(ready, q=q)
    assert "\0" not in selection.q
    assert 0 <= selection.count <= ready.documents


@pytest.mark.parametrize(
    "q",
    [
        "a" * 10_000,
        "&|!()",
        "'",
        '"',
        "😀",
        "-",
        "\\",
        "(" * 999,
        "war (",
        "AND",
        "war OR",
        "a " * 200,
    ],
)
def test_a_search_that_is_none_is_said_and_can_be_mended(client, ready, q):
    with pytest.raises(Invalid) as error:
        read(ready, q=q)
    assert error.value.field == "q"
    response = client.get(f"/corpora/{ready.pk}/documents/", {"q": q, "by": "date"})
    html = unescape(response.content.decode())
    assert response.status_code == 400 and error.value.message in html
    assert (
        f'value="{q[:1000]}"' in html
        and 'name="by" value="date"' in html
        and f'action="/corpora/{ready.pk}/documents/"' in html
    )


def test_a_corpus_without_an_index_says_what_to_do(ready, monkeypatch, tmp_path):
    monkeypatch.setattr(
        "webapp.core.documents.search.files.corpus_folder", lambda corpus_id: tmp_path
    )
    with pytest.raises(Invalid, match="Read it again"):
        read(ready, q="war")


def test_names_and_values_may_have_any_sign(strange):
    rows = list(Document.objects.filter(corpus_id=strange.pk))
    for value in EVIL:
        selection = read(strange, in_=f"na:me:{value}")
        assert numbers(selection) == {d.number for d in rows if d.metadata["na:me"] == value}
        again = read(strange, query=selection.address()[1:])
        assert again.parameters == selection.parameters
    assert numbers(read(strange, in_="<i>:x")) == {
        d.number for d in rows if d.metadata["<i>"] == "x"
    }


def shown(selection: Selection, query: str = "") -> str:
    request = RequestFactory().get("/here/?" + query)
    return render_to_string("run/_selection.html", {"selection": selection, "request": request})


def test_form_escapes_and_sends_what_it_shows(strange):
    parameters = {"in_": [f"na:me:{value}" for value in EVIL], "q": '"><script>'}
    html = shown(read(strange, **parameters))
    assert "<script>alert" not in html and '"><script>' not in html
    sent = {unescape(value) for value in re.findall(r'name="in" value="([^"]*)" checked', html)}
    assert sent == {f"na:me:{value}" for value in EVIL}


def test_form_keeps_what_is_the_pages_own(ready, trained):
    query = "view=map&sort=share&after=0.5,3&q=war&has=2:20&from=1790"
    selection = read(ready, trained, query)
    html = shown(selection, query)
    hidden = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', html)
    assert hidden == [("view", "map"), ("sort", "share"), ("has", "2:20")]
    links = [
        dict(parse_qsl(unescape(url)[1:]))
        for url in re.findall(r'class="condition" href="([^"]*)"', html)
    ]
    whole = {"view": "map", "sort": "share", "q": "war", "has": "2:20", "from": "1790"}
    assert links == [{k: v for k, v in whole.items() if k != gone} for gone in ("q", "from", "has")]
    assert f"<b>{selection.count}</b> of {ready.documents} documents" in " ".join(html.split())
    assert re.search(r"with at least 20% [^<]*T02", html)
    assert re.search(r'<option value="5">[^<]*T05', html)


def test_long_lists_are_cut_and_what_is_chosen_stays(ready):
    category = next(c for c in facets.fields.categories(ready.version) if c.name == "president")
    monkey = category.values[-1]
    found = facets.form(read(ready, in_=f"president:{monkey}"), QueryDict()).categories
    of = next(c for c in found if c.name == "president")
    assert of.values[-1].value == monkey and of.values[-1].chosen
    assert len(of.values) + of.more == len(category.values)


def test_few_values_are_all_offered_to_tick(ready, monkeypatch):
    category = next(c for c in facets.fields.categories(ready.version) if c.name == "president")
    monkeypatch.setattr(facets, "VALUES", 1)

    def offered():
        categories = facets.form(read(ready), QueryDict()).categories
        return next(c for c in categories if c.name == "president")

    monkeypatch.setattr(facets, "FEW_VALUES", len(category.values))
    assert [value.value for value in offered().values] == list(category.values)
    assert offered().more == 0 and offered().offered == []
    monkeypatch.setattr(facets, "FEW_VALUES", len(category.values) - 1)
    assert len(offered().values) == 1 and offered().more == len(category.values) - 1


def test_form_asks_a_fixed_number_of_questions(ready, trained, django_assert_max_num_queries):
    selection = read(ready, trained)
    shown(selection)
    run = Run.objects.select_related("corpus", "version__corpus", "snapshot").get(pk=trained.pk)
    with django_assert_max_num_queries(1):  # the names
        shown(read(run.corpus, run))


def test_what_is_chosen_stays_where_the_form_offers_few_fields(ready, monkeypatch):
    first, second, *_ = fields.categories(ready.version)
    monkeypatch.setattr(facets, "CATEGORIES", 1)
    value = second.values[0]
    form = facets.form(read(ready, in_=f"{second.name}:{value}"), QueryDict())
    offered = {category.name: category.values for category in form.categories}
    assert list(offered) == [first.name, second.name]
    assert [value.value for value in offered[second.name] if value.chosen] == [value]


def test_a_chosen_value_without_documents_takes_no_other_away(ready):
    facets_of_set = facets.counts(read(ready, in_="president:George Washington", from_="1815"))
    president = next(facet for facet in facets_of_set.categories if facet.name == "president")
    washington = next(value for value in president.values if value.chosen)
    assert washington.documents == 0 and len(president.values) > 1
    assert president.more == 0


@pytest.mark.parametrize("after", ["nan,3", f"0,{10**30}", f"0,-{10**30}", "0"])
def test_a_place_in_a_list_that_is_none_is_said(client, ready, after):
    address = reverse("corpus_documents", args=[ready.pk])
    answer = client.get(address, {"from": "1790", "after": after})
    assert answer.status_code == 400 and "must be two numbers" in answer.content.decode()
    in_api = f"/api/v1/corpora/{ready.pk}/documents"
    assert client.get(in_api, {"from": "1790", "after": after}).status_code == 400


@pytest.mark.parametrize("space", ["\t", "\n", "\u00a0", "\u3000", "\u2009"])
def test_words_of_a_search_have_any_space_between_them(ready, space):
    assert numbers(read(ready, q=f"war{space}peace")) == numbers(read(ready, q="war peace"))


def test_a_search_keeps_the_joiners_that_its_words_are_written_with(draft):
    rows = [["id", "text"], ["1", "می\u200cخواهم کتاب"], ["2", "کتاب دیگر"], ["3", "باز هم کتاب"]]
    corpus = corpus_of(draft, rows, "persian.csv", min_documents=1, max_share=1.0)
    assert numbers(read(corpus, q="می\u200cخواهم")) == {0}


def test_a_chosen_set_is_offered_with_and_without_texts(client, trained):
    html = client.get(reverse("run_topics", args=[trained.pk]) + "?q=militia").content.decode()
    for file, name in (
        ("documents-with-texts.csv", "CSV with texts"),
        ("documents.csv", "CSV without texts"),
    ):
        address = reverse("export", args=[trained.pk, file]) + "?q=militia"
        assert re.search(rf'href="{re.escape(address)}"[^>]*>{name}</a>', html)
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    html = client.get(reverse("run_topics", args=[trained.pk]) + "?q=militia").content.decode()
    assert "CSV with texts" not in html and "CSV without texts" in html


def test_a_chosen_set_links_to_its_list_but_not_from_there(client, trained):
    documents_page = reverse("run_documents", args=[trained.pk]) + "?q=militia"
    link = f'<a href="{documents_page}">List these documents</a>'
    topics_page = reverse("run_topics", args=[trained.pk]) + "?q=militia"
    assert link in client.get(topics_page).content.decode()
    assert "List these documents" not in client.get(documents_page).content.decode()
