"""Two sets of documents compared: every number is a sum of tokens, and what cannot be compared is
said."""

import csv
import html
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils.html import strip_tags

from inference.effects.time_curve import spline
from inference.index.query import has_order
from tests.webapp.analysis.token_counts import documents, get, naive
from tests.webapp.making import corpus_of, run_on
from tests.webapp.pin_forms import pinned_of
from webapp.analysis.effects import formula
from webapp.analysis.findings.ratios import times_as_much
from webapp.analysis.two_sets import (
    compared_sets,
    conclusion,
    contrasts,
    division,
    sets_form,
    views,
    word_contrast,
)
from webapp.analysis.two_sets.shapes import BriefDifference, Compared, LargestInTexts
from webapp.core.curation import services as curation
from webapp.core.documents import (
    corpus_unit,
    document_days,
    document_groups,
    fields,
    search,
    sums,
    wording,
)
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.models import Document, Version
from webapp.platform.drawing.trends import points
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.storage import cache

pytestmark = pytest.mark.django_db
PERIODS = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815"


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
        single_words = [word for word in part if " " not in word["word"]]
        for word in single_words[:4]:
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
    word = next(word for part in data["words"] + data["words_in_these_texts"] for word in part)
    assert QueryDict(word["url"].partition("?")[2])["q"] == f'peace "{word["word"]}"'


def test_a_share_opens_all_documents_that_it_counts(client, trained):
    query = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815"
    data = get(client, trained, query, "run_time_compare_json")
    for row in [row for part in data["more"] for row in part]:
        for url, tokens in zip(row["documents"], row["tokens"], strict=True):
            there = Selection.read(QueryDict(url.partition("?")[2]), RunView(trained))
            assert sums.of_selection(there).topic_tokens[0][row["number"]] == tokens


def test_a_word_opens_documents_that_have_it_whatever_the_search_says(client, trained):
    query = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815&q=peace or war"
    data = get(client, trained, query, "run_time_compare_json")
    word = next(word for part in data["words"] + data["words_in_these_texts"] for word in part)
    opened = QueryDict(word["url"].partition("?")[2])
    there = Selection.read(opened, RunView(trained))
    alone = opened.copy()
    alone["q"] = f'"{word["word"]}"'
    with_word = Selection.read(alone, RunView(trained))
    assert set(there.numbers) <= set(with_word.numbers)


@pytest.mark.parametrize("query", [PERIODS, "?in_a=president:George Washington"])
def test_the_words_of_both_pages_have_one_verdict(client, trained, query):
    """One page had 48 “words that tell them apart”, the other “no word is used clearly more”."""
    page = get(client, trained, query, "run_time_compare_json")
    all_words = get(client, trained, query, "run_keyness_json")
    for shown, listed in zip(page["words"], all_words["words"], strict=True):
        assert [row["word"] for row in shown] == [row["word"] for row in listed][: len(shown)]
        assert bool(shown) == bool(listed)
    has_words = any(page["words"])
    assert any(page["words_in_these_texts"]) != has_words
    assert page["words_caution"] == all_words["caution"] and page["words_judged"]


def test_what_few_who_speak_say_is_no_difference_of_their_parties(client, draft):
    """Each of twelve has a word of their own, in all their texts: by documents each tells the
    parties apart."""
    rows = [["text", "party", "speaker"]]
    words = "iron silver copper marble timber cotton sugar coffee pepper indigo saffron barley"
    for i, word in enumerate(words.split()):
        rows += [[f"the {word} and {word} of a nation", "WT"[i % 2], f"Member {i}"]] * 20
    run = run_on(corpus_of(draft, rows, "members.csv", language="en"), topics=2, passes=2)
    corpus_unit.choose(run.corpus, "speaker")
    query = "?in_a=party:W&in_b=party:T"
    page = get(client, run, query, "run_time_compare_json")
    assert page["words"] == [[], []] and page["words_judged"]
    assert all(page["words_in_these_texts"])
    shown = " ".join(get(client, run, query, "run_time_compare").split())
    assert "No word is used clearly more by either." in shown
    assert "Words that differ most in these texts" in shown
    all_words = get(client, run, query, "run_keyness_json")
    shown = " ".join(get(client, run, query, "run_keyness").split())
    assert f"We tried {all_words['tried']} words; none differs by more than chance allows" in shown
    assert "do not contain 1" not in shown
    corpus_unit.choose(run.corpus, "")
    assert all(get(client, run, query, "run_time_compare_json")["words"])


def test_words_that_a_worker_has_to_count_are_not_judged(client, trained, monkeypatch):
    monkeypatch.setattr(word_contrast, "QUICK_DOCUMENTS_OF_WORDS", 0)
    cache.clear_all()
    page = get(client, trained, PERIODS + "&to=1813", "run_time_compare_json")
    assert not page["words_judged"] and page["words"] == [[], []]
    shown = get(client, trained, PERIODS + "&to=1813", "run_time_compare")
    assert "has not been counted yet" in " ".join(shown.split())


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
    monkeypatch.setattr(
        document_days, "first_and_last", lambda version: (date(807, 1, 1), date(990, 1, 1))
    )
    ordinals = [date(year, 6, 1).toordinal() for year in (807, 808, 809, 810, 811)]
    ordinals += [date(year, 6, 1).toordinal() for year in (986, 987, 988, 989, 990)]
    days = np.resize(np.array(ordinals, np.int32), trained.version.documents)
    monkeypatch.setattr(document_days, "read_days", lambda version: days)
    form = sets_form.sets_form(QueryDict(""), trained.version, PageQuery(QueryDict("")))
    _, halves = form.suggestions[0]
    assert "from_b=0986&to_b=0990" in halves
    _, url = form.suggestions[1]
    compared = Selection.read(QueryDict(url[1:].replace("_b=", "=")), RunView(trained))
    assert (compared.first, compared.last) == ("0981", "0990")


def test_only_what_can_be_answered_is_suggested(trained, monkeypatch):
    """Decades of two presidents each say nothing of others; thirds of eight do."""
    years = np.arange(1790, 2020)
    ordinals = np.array([date(year, 6, 1).toordinal() for year in years.tolist()], np.int32)
    president = (years - 1790) // 8
    monkeypatch.setattr(
        document_days, "first_and_last", lambda version: (date(1790, 1, 1), date(2019, 1, 1))
    )
    monkeypatch.setattr(document_days, "read_days", lambda version: ordinals)
    monkeypatch.setattr(sets_form.fields, "categories", lambda version: [])

    def first_suggestion(units: np.ndarray | None) -> list[str]:
        monkeypatch.setattr(corpus_unit, "unit_codes", lambda *compared: units)
        form = sets_form.sets_form(QueryDict(""), trained.version, PageQuery(QueryDict("")))
        return [text for text, _ in form.suggestions]

    halves = "1790–1904 and 1905–2019"
    assert first_suggestion(None) == [halves, "1790–1799 and 2010–2019"]
    assert first_suggestion(president) == [halves, "1790–1865 and 1944–2019"]
    assert first_suggestion(president // 8) == []
    assert first_suggestion(np.full(len(years), -1)) == [halves, "1790–1799 and 2010–2019"]


def test_the_page_that_compares_two_periods_opens_with_two_periods(client, trained):
    """It opened with groups alone as its examples, and with nothing in its form. A form that asks
    for one set keeps what was asked for."""
    page = get(client, trained, "", "run_time_compare")
    proposed = re.findall(r'name="(from|to)_(a|b)" value="(\d{4})"[^>]*data-proposed', page)
    assert [(end, letter) for end, letter, _ in proposed] == [
        ("from", "a"),
        ("to", "a"),
        ("from", "b"),
        ("to", "b"),
    ]
    first, end, begin, last = (int(year) for _, _, year in proposed)
    assert first <= end == begin - 1 < last
    assert f"{first}–{end} and {begin}–{last}" in page
    asked = get(client, trained, "?in_b=party:Whig", "run_time_compare")
    assert "data-proposed" not in asked


def test_texts_of_one_year_are_halved_at_a_day(trained, monkeypatch):
    ordinals = np.arange(date(2020, 3, 1).toordinal(), date(2020, 3, 21).toordinal()).astype(
        np.int32
    )
    monkeypatch.setattr(document_days, "read_days", lambda version: ordinals)
    monkeypatch.setattr(corpus_unit, "unit_codes", lambda *compared: None)
    form = sets_form.sets_form(QueryDict(""), trained.version, PageQuery(QueryDict("")))
    text, _ = form.suggestions[0]
    assert text == "2020-03-01–2020-03-10 and 2020-03-11–2020-03-20"


def test_every_topic_is_in_a_table_with_its_numbers(client, trained, monkeypatch):
    """Also those of which nothing may be said, and those beyond the first ones of a side; each has
    a place to which links lead."""
    page = get(client, trained, PERIODS, "run_time_compare")
    for number in range(trained.topics):
        assert page.count(f'id="topic-{number}"') == 1
    rows = {row["topic"]: row for row in rows_of_file(client, trained, PERIODS)}
    monkeypatch.setattr(contrasts, "TOPICS_OF_SIDE", 0)
    data = get(client, trained, PERIODS, "run_time_compare_json")
    brief = [*data["unsure"], *data["further"][0], *data["further"][1]]
    assert [len(part) for part in data["further"]] == data["not_listed"]
    assert data["unsure"] and sum(data["not_listed"]) > 0
    assert len(brief) == trained.topics
    for topic in brief:
        row = rows[str(topic["number"])]
        assert topic["difference"] == float(row["difference"])
        assert topic["share"] == [float(row["share_first"]), float(row["share_second"])]
        assert all("by=T" in url for url in topic["documents"])


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
    period = document_groups.read_groups(
        trained.version, document_groups.usual_grouping(trained.version)
    ).group
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
    first, last = (day.year for day in document_days.first_and_last(trained.version))
    query = "?to_a=1795&from_b=1806"
    data = get(client, trained, query, "run_time_compare_json")
    assert [side["name"] for side in data["sides"]] == [f"{first}–1795", f"1806–{last}"]
    html = get(client, trained, query, "run_time_compare")
    assert f"<bdi>{first}–1795</bdi> compared with <bdi>1806–{last}</bdi>" in html


def test_an_open_period_ends_with_the_documents_of_the_page(client, trained):
    first = document_days.first_and_last(trained.version)[0].year
    data = get(client, trained, "?to=1808&to_a=1795&from_b=1806", "run_time_compare_json")
    assert [side["name"] for side in data["sides"]] == [f"{first}–1795", "1806–1808"]
    base = Selection.read(QueryDict(""), RunView(trained))
    side = compared_sets.side(QueryDict("from_b=2050"), "b", base)
    assert side.name == "from 2050", "no documents are behind the last: it has no other end"


def test_notes_on_a_comparison_stand_below_its_topics(client, trained):
    html = get(client, trained, "?to_a=1795&from_b=1806", "run_time_compare")
    assert html.index("<tbody>") < html.index("Differences are in percentage points")


def test_a_category_whose_name_has_a_colon_leads_to_its_effect(trained, monkeypatch):
    category = SimpleNamespace(name='party: "old"', values=["Whig: new", "Tory"])
    monkeypatch.setattr(fields, "categories", lambda version: [category])
    query = QueryDict(mutable=True)
    query.setlist("in_a", ['party: "old":Whig: new'])
    query.setlist("in_b", ['party: "old":Tory'])
    effects = QueryDict(urlsplit(views.address_of_effects(RunView(trained), query)).query)
    assert formula.term(effects["effect"]) == formula.Term('party: "old"')
    assert (effects["a"], effects["b"]) == ("Whig: new", "Tory")
    query.setlist("in_b", ['party: "old":Nobody'])
    assert views.address_of_effects(RunView(trained), query) == ""


def test_a_set_of_a_category_whose_name_has_a_colon_is_said(trained, monkeypatch):
    category = SimpleNamespace(name="party: old", values=["Whig: new"])
    monkeypatch.setattr(fields, "categories", lambda version: [category])
    selected = Selection.read(QueryDict("in=party: old:Whig: new"), RunView(trained))
    assert selected.sentence == "documents party: old Whig: new"


@pytest.fixture(scope="module")
def stems(draft, django_db_setup, django_db_blocker):
    """A run on texts whose words count as their stems."""
    texts = {
        "Whig": (
            "nations are happy and agreed about a Qur’anic treaty",
            "a nation of happiness agrees with the Qur’an",
        ),
        "Tory": ("kingdoms serve and spend", "a kingdom of servants spends on Shi’ites"),
    }
    rows = [["text", "party"]]
    for number in range(60):
        rows += [[of_party[number % 2], party] for party, of_party in texts.items()]
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "stems.csv", forms="stems", language="en", min_documents=1)
        yield run_on(corpus, topics=2, passes=2)


@pytest.fixture(scope="module")
def lemmas(draft, django_db_setup, django_db_blocker):
    """The same of lemmas: some of their forms have another stem, and other lemmas have theirs."""
    texts = {
        "Whig": ("universities bought mice", "the university buys a mouse"),
        "Tory": ("the universe spends gold", "universal gold was spent"),
    }
    rows = [["text", "party"]]
    for number in range(60):
        rows += [[of_party[number % 2], party] for party, of_party in texts.items()]
    with django_db_blocker.unblock():
        options = {"forms": "lemmas", "language": "en", "min_documents": 1}
        yield run_on(corpus_of(draft, rows, "lemmas.csv", **options), topics=2, passes=2)


@pytest.mark.parametrize(
    ("counted", "some"),
    [
        ("stems", {"nation", "happi", "kingdom", "qur'an", "shi'it"}),
        ("lemmas", {"university", "buy", "mouse", "spend"}),
    ],
)
def test_a_word_that_counts_several_forms_opens_all_documents_that_have_one(
    client, stems, lemmas, counted, some, monkeypatch
):
    run = {"stems": stems, "lemmas": lemmas}[counted]
    monkeypatch.setattr(word_contrast, "QUICK_DOCUMENTS_OF_WORDS", 0)
    cache.clear_all()
    data = get(client, run, "?in_a=party:Whig&in_b=party:Tory", "run_time_compare_json")
    linked = [word for words in data["words_in_these_texts"] for word in words]
    linked += [word for rows in data["more"] for row in rows for word in row["telling"]]
    documents = list(Document.objects.filter(corpus_id=run.corpus_id))
    words = wording.terms(run.version, [row.text for row in documents])
    assert some <= {word["word"] for word in linked}
    for word in linked:
        query = QueryDict(urlsplit(word["url"]).query)["q"]
        found = Selection.read(QueryDict(urlencode({"q": query})), RunView(run))
        having = sum(word["word"] in [text for *_, text in of] for of in words)
        assert found.count == having, word["word"]


def test_a_stem_of_joined_words_is_asked_for_in_no_order_under_an_embargo(stems):
    index = search.open_index(stems.version.corpus)
    version = Version.objects.get(pk=stems.version_id)
    version.corpus.embargo = True
    text = search.terms(version, ["qur'an"])["qur'an"]
    assert text == '("qur" "anic" OR "qur" "an")'
    assert not has_order(index.parse(text))
    assert len(index.find(text)) == 60


def test_a_lemma_of_very_many_forms_is_found_by_a_word_of_each_stem(lemmas, monkeypatch):
    monkeypatch.setattr(search, "MOST_WRITINGS", 1)
    assert search.terms(lemmas.version, ["university"]) == {"university": "university"}


def test_of_very_many_forms_those_of_the_fewest_are_left_out(stems, monkeypatch):
    """Forms of other stems than the lemma's are found by these stems, not one by one."""
    index = search.open_index(stems.version.corpus)
    forms = index.forms
    stems_of_forms = ("nation", "kingdom", "serv")
    all_forms = np.concatenate([forms.of_stem(stem) for stem in stems_of_forms])
    assert [len(forms.of_stem(stem)) for stem in stems_of_forms] == [2, 2, 1]
    searches = search.searches_by_stems(index, "nation", all_forms)
    assert searches == ["nation", "kingdom", '"serve"']
    found = [forms.matching(search.QueryPiece(text.strip('"'), search.STEM)) for text in searches]
    assert set(np.concatenate(found).tolist()) == set(all_forms.tolist())
    monkeypatch.setattr(search, "MOST_WRITINGS", 2)
    assert search.searches_by_stems(index, "nation", all_forms) == ["nation", "kingdom"]


def test_a_form_whose_stem_the_index_has_not_is_found_as_it_is_written(stems):
    """As where the stemmer has changed since the index was written."""
    index = search.open_index(stems.version.corpus)
    forms = np.concatenate([index.forms.of_stem(stem) for stem in ("nation", "happi")])
    assert index.stream.lexicon.words(forms) == ["nations", "nation", "happy", "happiness"]
    changed = SimpleNamespace(stream=index.stream, forms=index.forms._replace(language="de"))
    searches = search.searches_by_stems(changed, "nation", forms)
    assert searches == ["nation", '"happiness"', '"happy"']


def test_a_word_that_counts_as_its_stem_is_told_by_all_its_forms(client, stems):
    """Each is on one side only, also where no form is written as the stem: "happi"."""
    rows = []
    for topic in range(2):
        query = f"?in_a=party:Whig&in_b=party:Tory&topic={topic}"
        page = get(client, stems, query, "run_topic_split_json")
        rows += [row for part in page["words"] for row in part]
    assert {"nation", "happi", "kingdom"} <= {row["word"] for row in rows}
    assert all(row["one_sided"] for row in rows)


def test_a_word_is_told_without_the_words_that_have_it_as_a_part(client, draft):
    """In the texts “clock” is on both sides as often, as a word on one side alone."""
    rows = [["text", "party"]]
    for _ in range(60):
        rows += [["the clock strikes iron", "Whig"], ["nine o’clock strikes silver", "Tory"]]
    corpus = corpus_of(draft, rows, "clock.csv", language="en", min_documents=1)
    run = run_on(corpus, topics=2, passes=2)
    told = {}
    for topic in range(2):
        query = f"?in_a=party:Whig&in_b=party:Tory&topic={topic}"
        page = get(client, run, query, "run_topic_split_json")
        told |= {row["word"]: row["one_sided"] for part in page["words"] for row in part}
    assert told["clock"] and told["o'clock"] and told["iron"]


def test_a_pin_of_two_sets_keeps_the_conclusion_and_every_topic_that_differs(client, trained):
    """The conclusion is of the topic that differs most clearly, on whichever side."""
    query = "?from_a=1790&to_a=1799&from_b=1810&to_b=1815"
    rows = [
        row for side in get(client, trained, query, "run_time_compare_json")["more"] for row in side
    ]
    page = client.get(reverse("run_time_compare", args=[trained.pk]) + query).content.decode()
    kept = pinned_of(page)
    clearest = max(
        rows, key=lambda row: min(abs(row["difference_low"]), abs(row["difference_high"]))
    )
    topic, told, numbers = kept["sentence"].partition(" differs most clearly: ")
    assert clearest["label"] in topic
    assert told + numbers in html.unescape(strip_tags(page))
    table = json.loads(kept["table"])
    assert table["columns"][:3] == ["topic", "1790–1799", "1810–1815"]
    assert len(table["rows"]) == len(rows) > 1
    for row, cells in zip(rows, table["rows"], strict=True):
        assert row["label"] in cells[0]
        assert cells[3] == points(-row["difference"]), "how much more the later period has"


def test_a_pin_of_sets_that_do_not_differ_keeps_the_differences_that_may_be_chance():
    """How small they are is what such a comparison finds."""
    unsure = [brief_row(1, "Tax", [0.2, 0.19]), brief_row(2, "War", [None, 0.1])]
    kept = conclusion.pin_comparison(page_of_few([40, 60], unsure=unsure, largest=None))
    assert kept.sentence == conclusion.NO_DIFFERENCE + conclusion.MAY_BE_CHANCE
    assert kept.table.rows == [["Tax (T01)", "20%", "19%", "−1.0", "−4.0", "+2.0"]]


def link_of(number: int, name: str) -> dict[str, Any]:
    """What links to a topic say of it."""
    return {
        "number": number,
        "label": f"T{number:02d}",
        "name": name,
        "has_name": True,
        "background": False,
        "head": None,
        "slot": 0,
        "hue": 0,
        "hidden": False,
        "into": "",
        "url": "",
    }


def brief_row(number: int, name: str, share: list[float | None]) -> BriefDifference:
    """A topic whose difference, of one point to the first set, may be chance; without a difference
    where a share is not known."""
    is_known = None not in share
    return BriefDifference(
        **link_of(number, name),
        words=[],
        share=share,
        counted_share=share,
        difference=0.01 if is_known else None,
        difference_low=-0.02 if is_known else None,
        difference_high=0.04 if is_known else None,
        documents=["", ""],
    )


LARGEST = LargestInTexts(**link_of(17, "Chromium & cve"), words=[], share=[0.0006, 0.61])


def page_of_few(
    units: list[int],
    unsure: Sequence[BriefDifference] = (),
    largest: LargestInTexts | None = LARGEST,
    caution: str = "",
    names: Sequence[str] = ("dpkg", "chromium"),
) -> MagicMock:
    """The page of two packages of which no topic clearly differs. units: maintainers of each."""
    return MagicMock(
        spec=Compared,
        sides=[SimpleNamespace(name=name) for name in names],
        more=[[], []],
        further=[[], []],
        unsure=list(unsure),
        units=units,
        unit=SimpleNamespace(column="maintainer"),
        largest=largest,
        complement=names[1] == compared_sets.ALL_OTHERS,
        caution=caution,
        same_speakers="",
        level=0.99,
    )


def first_sentences(page: MagicMock) -> str:
    parts = [part if isinstance(part, str) else part.label for part in conclusion.conclude(page)]
    return "".join(parts)


IN_THESE_TEXTS = " In these texts T17 has 0.06% of the words of dpkg, 61% of those of chromium."


@pytest.mark.parametrize(
    ("units", "caution", "sentences"),
    [
        (
            [6, 30],
            "",
            "Only 6 maintainers have texts in dpkg, too few to say anything about others.",
        ),
        (
            [30, 3],
            "too few",
            "Only 3 maintainers have texts in chromium, too few to say anything about others.",
        ),
        (
            [1, 1],
            "too few",
            "Only one of the maintainers has texts in dpkg, too few to say anything about others.",
        ),
        ([9, 9], "The two are apart.", "The two are apart."),
    ],
)
def test_of_too_few_who_speak_the_first_sentence_says_so(units, caution, sentences):
    """“No topic’s share clearly differs” stood over 0.06% and 61%."""
    page = page_of_few(units, caution=caution)
    assert first_sentences(page) == sentences + IN_THESE_TEXTS


def test_a_large_difference_that_may_be_chance_is_said_with_the_reason():
    assert first_sentences(page_of_few([25, 60])) == (
        "The largest difference in these texts may be chance: T17 has 0.06% of the words of dpkg, 61%"
        " of those of chromium. The maintainers of each side (25 and 60) differ so much among"
        " themselves that chance alone could produce it."
    )


def test_where_no_counted_share_differs_much_that_is_said():
    """“The largest difference in these texts may be chance” stood over 2.1% and 1.9%."""
    largest = replace(LARGEST, share=[0.019, 0.021])
    assert first_sentences(page_of_few([40, 60], largest=largest)) == (
        "No topic’s share differs much between the two: T17 has 1.9% of the words of dpkg, 2.1% of"
        " those of chromium."
    )


@pytest.mark.parametrize(
    ("units", "has_interval", "why"),
    [
        (
            [40, 60],
            True,
            " The interval of the difference, −4.0 to +2.0 points, includes no difference.",
        ),
        ([40, 60], False, " Too few documents have it to say more."),
        (
            [6, 60],
            True,
            " Only 6 maintainers have texts in dpkg, too few to say anything about others.",
        ),
    ],
)
def test_beside_a_large_difference_no_sentence_denies_it(units, has_interval, why):
    """“No topic is clearly larger here.” stood beside a table with 61% against 0.17%."""
    row = brief_row(17, "Chromium & cve", [0.0017, 0.61])
    if not has_interval:
        row = replace(row, difference_low=None, difference_high=None)
    page = page_of_few(units, unsure=[brief_row(1, "Tax", [0.2, 0.19]), row])
    said = said_of_side(page, 1)
    assert said == (
        "No topic is clearly larger here. The largest difference in these texts may be chance: T17 has"
        f" 61% of the words of chromium, 0.17% of those of dpkg.{why}"
    )
    assert said_of_side(page, 0) == (
        "No topic is clearly larger here, and in these texts none is much larger."
    )


def said_of_side(page: MagicMock, side: int) -> str:
    parts = conclusion.conclude_without_larger(page, side)
    return "".join(part if isinstance(part, str) else part.label for part in parts)


def test_a_row_says_the_counted_share_and_in_brackets_the_one_that_is_compared():
    """The overview said 4.0% before, this page 5.3%, which the same packages have."""
    row = replace(brief_row(5, "Cve", [0.236, 0.053]), counted_share=[0.236, 0.04])
    assert row.held_share == [None, 0.053]
    page = page_of_few([40, 60], unsure=[row], largest=None)
    page.same_speakers = "package"
    kept = conclusion.pin_comparison(page)
    assert kept.table.rows[0][1:3] == ["24%", "4.0% (5.3%)"]
    assert (
        "In brackets: the share that is compared, in texts of the same “package”." in kept.sentence
    )


def test_too_few_among_all_others_are_called_so():
    page = page_of_few([30, 6], names=("dpkg", compared_sets.ALL_OTHERS), largest=None)
    assert first_sentences(page) == (
        "Only 6 maintainers have texts among all others, too few to say anything about others."
    )


def test_the_largest_difference_in_these_texts_is_counted(client, trained):
    """Whoever the texts are from, and whatever is held constant."""
    data = get(client, trained, PERIODS + "&constant=time", "run_time_compare_json")
    expected = naive(
        trained,
        lambda document: (
            {179: "a", 181: "b"}.get(document.date.year // 10)
            if document.date.year <= 1815
            else None
        ),
    )
    shares = {
        topic: [expected[x]["topics"][topic] / expected[x]["tokens"] for x in "ab"]
        for topic in range(trained.topics)
    }
    largest = max(shares, key=lambda topic: abs(shares[topic][0] - shares[topic][1]))
    assert data["largest"]["number"] == largest
    assert data["largest"]["share"] == pytest.approx(shares[largest])
    shown = " ".join(
        strip_tags(get(client, trained, PERIODS + "&constant=time", "run_time_compare")).split()
    )
    assert f"{data['caution']} In these texts" in html.unescape(shown)


def test_what_grew_from_the_first_set_to_the_second_has_a_plus(client, trained):
    """The later period was to the left, and a rise was a minus and “77 times less”."""
    data = get(client, trained, PERIODS, "run_time_compare_json")
    page = get(client, trained, PERIODS, "run_time_compare")
    axis = " ".join(strip_tags(page[page.index('class="interval-ends"') :][:300]).split())
    assert "more in 1790–1799 more in 1810–1815" in axis
    shown = " ".join(strip_tags(page).split())
    rows = data["more"][1]
    assert rows and "times less" not in shown
    for row in rows:
        ends = f"{points(-row['difference_high'])} to {points(-row['difference_low'])}"
        assert points(-row["difference"]).startswith("+")
        assert f"{points(-row['difference'])} {ends}" in shown
    assert "the share of 1810–1815 minus that of 1790–1799" in shown


def test_a_set_is_compared_with_all_others_and_not_they_with_it(client, trained):
    query = "?in_a=president:George Washington"
    data = get(client, trained, query, "run_time_compare_json")
    shown = " ".join(strip_tags(get(client, trained, query, "run_time_compare")).split())
    assert data["complement"]
    assert "more in all others more in George Washington" in shown
    assert "the share of George Washington minus that of all others" in shown


@pytest.mark.parametrize(
    ("shares", "texts"),
    [
        ((0.0005, 0.0526), ["0.05%", "5.26%"]),
        ((0.012, 0.0532), ["1.2%", "5.3%"]),
        ((0.444, 0.226), ["44.4%", "22.6%"]),
        ((0.0, 0.39), ["0.0%", "39%"]),
        ((0.00001, 0.39), ["<0.01%", "39%"]),
    ],
)
def test_shares_are_written_so_that_their_difference_can_be_checked(shares, texts):
    """“0.05%, 5.3%. The difference is 5.2 points.”"""
    difference = shares[1] - shares[0]
    assert conclusion.write_shares(shares, difference) == texts


@pytest.mark.parametrize(
    ("period", "name"),
    [
        (("1795", "1809-12-31"), "1795–1809"),
        (("1795-01-01", "1809"), "1795–1809"),
        (("1795", "1809-06-30"), "1795-01-01–1809-06-30"),
        (("1795-03", "1809"), "1795-03–1809-12"),
        (("1795", "1809-12"), "1795–1809"),
    ],
)
def test_both_ends_of_a_period_have_one_form(trained, period, name):
    """A page was called “1995–2009-12-31”."""
    query = QueryDict(f"from_a={period[0]}&to_a={period[1]}")
    base = Selection.read(QueryDict(""), RunView(trained))
    assert compared_sets.side(query, "a", base).name == name


def test_a_name_keeps_its_letters(client, draft):
    rows = [["text", "package"]]
    for i in range(40):
        rows += [[f"iron ship {i % 3}", "dpkg"], [f"silver tea {i % 3}", "chromium"]]
    run = run_on(corpus_of(draft, rows, "packages.csv", language="en"), topics=2, passes=2)
    shown = get(client, run, "?in_a=package:dpkg&in_b=package:chromium", "run_time_compare")
    assert "<bdi>dpkg</bdi> compared with <bdi>chromium</bdi>" in shown


@pytest.mark.parametrize("query", [PERIODS, "?q=war&rest=1"])
def test_the_file_has_every_topic_as_the_page_has_it(client, trained, query):
    data = get(client, trained, query, "run_time_compare_json")
    page = client.get(reverse("run_time_compare", args=[trained.pk]) + query).content.decode()
    assert reverse("run_compare_csv", args=[trained.pk]) + query.replace("&", "&amp;") in page
    rows = {row["topic"]: row for row in rows_of_file(client, trained, query)}
    assert list(rows) == [str(number) for number in range(trained.topics)]
    listed = [(s, topic) for s, part in enumerate(data["more"]) for topic in part]
    assert sum(row["beyond_chance"] == "1" for row in rows.values()) == len(listed)
    assert listed and len(rows) == len(listed) + data["unsure_count"]
    for _, topic in listed:
        row = rows[str(topic["number"])]
        assert (row["corpus"], row["run"], row["seed"]) == (
            trained.corpus.name,
            str(trained.pk),
            str(trained.seed),
        )
        assert [row["first"], row["second"]] == [side["name"] for side in data["sides"]]
        for s, side in enumerate(("first", "second")):
            assert int(row[f"documents_{side}"]) == data["sides"][s]["documents"]
            assert int(row[f"topic_tokens_{side}"]) == topic["tokens"][s]
            for name in ("share", "low", "high"):
                assert float(row[f"{name}_{side}"]) == topic[name][s]
        assert float(row["difference"]) == topic["difference"]
        assert float(row["low"]) == topic["difference_low"]
        assert float(row["high"]) == topic["difference_high"]
        assert number_of(row["ratio"]) == topic["ratio"]
        assert number_of(row["ratio_high"]) == topic["ratio_high"]
        assert number_of(row["p"]) == topic["p"]
        assert float(row["level"]) == data["level"]


def test_the_file_of_sets_that_cannot_be_concluded_from_says_why_in_each_row(client, trained):
    query = f"{PERIODS}&constant=time"
    data = get(client, trained, query, "run_time_compare_json")
    rows = rows_of_file(client, trained, query)
    assert data["caution"] and rows
    assert {(row["verdict"], row["low"]) for row in rows} == {("apart in time", "")}


def test_a_file_of_no_two_sets_is_not_found(client, trained):
    address = reverse("run_compare_csv", args=[trained.pk])
    assert client.get(address).status_code == 404
    assert client.get(f"{address}?from_b=1800").status_code == 400


def rows_of_file(client, run, query: str) -> list[dict[str, str]]:
    answer = client.get(reverse("run_compare_csv", args=[run.pk]) + query)
    assert f"_run{run.pk}_" in answer["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(answer.content.decode())))


def number_of(cell: str) -> float | None:
    return float(cell) if cell else None


def test_both_sides_have_one_scale(client, trained):
    """The same length was one point for one side, and four for the other."""
    shown = get(client, trained, PERIODS, "run_time_compare")
    axes = re.findall(r'<th scope="col" class="picture">(.*?)</th>', shown, re.DOTALL)
    assert len(axes) == 3, "what may be chance has a table of its own"
    assert axes[0] == axes[1]


def test_how_many_times_as_much_is_said_as_on_the_overview(client, trained):
    page = get(client, trained, PERIODS, "run_time_compare_json")
    shown = " ".join(strip_tags(get(client, trained, PERIODS, "run_time_compare")).split())
    rows = [row for part in page["more"] for row in part if row["ratio"]]
    assert rows
    for row in rows:
        ratio, low, high = row["ratio"], row["ratio_low"], row["ratio_high"]
        if ratio < 1:  # the second set has more
            ratio, low, high = 1 / ratio, 1 / high, 1 / low if low else None
        times = times_as_much(ratio, low, high)
        assert times.ends and f"{times.times} {times.ends}" in shown


def test_values_are_offered_by_how_many_documents_have_them(client, trained):
    """By the day of each one's first document, the source of most documents was seventh."""
    page = client.get(reverse("run_time_compare", args=[trained.pk])).content.decode()
    for category in fields.categories(trained.version):
        places = [page.index(f'value="{category.name}:{value}"') for value in category.values]
        assert places == sorted(places)
    assert category.documents == sorted(category.documents, reverse=True)
