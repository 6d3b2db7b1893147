"""Topics by time and category: every number again, from each token's topic and each document's own
row."""

import html
import json
import re
from collections import Counter
from dataclasses import asdict, replace
from types import SimpleNamespace
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from pydantic import TypeAdapter

from inference import day_sums
from inference.answers.collection_unit import UnitField
from inference.errors import Invalid
from inference.explore import bands
from tests.corpora import as_csv
from tests.webapp.analysis.token_counts import documents, get, naive
from tests.webapp.core.results.test_results import download
from tests.webapp.making import corpus_of, run_on
from tests.webapp.pin_forms import pinned_of
from tests.webapp.topic_links import topic_link
from webapp.analysis.findings.change_marks import ChangeMarks
from webapp.analysis.findings.screen import overview_screen
from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.time import pinned_shares, shade_tables, shares, trends, unsure_courses
from webapp.analysis.time.shapes import Period, TimeLine, TimeLines
from webapp.core.curation import services as curation
from webapp.core.documents import document_days, document_groups, fields
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence, page_cache
from webapp.core.results.view import RunView
from webapp.models import Corpus, Run, Version
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.drawing import trends as drawing
from webapp.platform.storage.cache import bounded_caches
from webapp.service.corpora import deletion

pytestmark = pytest.mark.django_db

BINS = {
    "year": lambda d: f"{d.date.year}",
    "decade": lambda d: f"{d.date.year // 10}0s",
    "month": lambda d: f"{d.date:%Y-%m}",
    "party": lambda d: d.metadata["party"],
}


@pytest.mark.parametrize("by", BINS)
def test_every_number_is_a_sum_of_tokens(client, trained, by):
    data = get(client, trained, f"?by={by}&topics=0,1,2,3,4,5")
    expected = naive(trained, BINS[by])
    assert {b["label"] for b in data["bins"] if b["documents"]} == set(expected)
    for i, b in enumerate(data["bins"]):
        of = expected.get(b["label"], {"topics": {}, "tokens": 0, "documents": 0})
        assert (b["tokens"], b["documents"]) == (of["tokens"], of["documents"])
        assert b["thin"] == (b["documents"] < bands.THIN)
        for topic in data["topics"]:
            tokens = of["topics"].get(topic["number"], 0)
            assert topic["tokens"][i] == tokens
            if not of["tokens"]:
                assert topic["share"][i] is topic["low"][i] is topic["high"][i] is None
                continue
            assert topic["share"][i] == pytest.approx(tokens / of["tokens"])
            assert 0 <= topic["low"][i] <= topic["share"][i] <= topic["high"][i] <= 1
        if b["tokens"]:
            assert sum(topic["share"][i] for topic in data["topics"]) == pytest.approx(1)
    for topic in data["topics"]:
        total = sum(of["tokens"] for of in expected.values())
        assert topic["overall"] == pytest.approx(
            sum(of["topics"][topic["number"]] for of in expected.values()) / total
        )
    if by != "party":
        labels = [b["label"] for b in data["bins"]]
        assert (
            data["in_time"]
            and labels == sorted(labels)
            and data["bins"][0]["documents"]
            and data["bins"][-1]["documents"]
        )


def test_a_selection_restricts_all_of_it(client, trained):
    def chosen(document):
        if 1800 <= document.date.year <= 1805 and "war" in document.text.lower().split():
            return str(document.date.year)
        return None

    data = get(client, trained, "?by=year&topics=2&from=1800&to=1805&q=war")
    expected = naive(trained, chosen)
    few = {b["label"]: b["documents"] for b in data["bins"] if b["documents"]}
    assert few.keys() <= {str(year) for year in range(1800, 1806)}
    for label, of in expected.items():
        assert few[label] >= of["documents"]  # a search finds "wars," and "war." too
    assert data["selection"] == "documents with “war”, from 1800, to 1805"
    everything = get(client, trained, "?by=year&topics=2")
    assert sum(few.values()) < sum(b["documents"] for b in everything["bins"])


def test_topics_that_change_most_come_first(client, trained):
    data = get(client, trained, "?by=year")
    told = [topic["information"] for topic in data["topics"]]
    assert told == sorted(told, reverse=True) and min(told) > 0 and data["measured"]
    assert not get(client, trained, "?topics=3")["measured"]


def test_merged_and_hidden_topics(client, trained):
    before = get(client, trained, "?by=decade&topics=1,4")
    curation.change(trained, 4, {"into": "1"}, "Ada")
    curation.change(trained, 2, {"hidden": "1"}, "Ada")
    after = get(client, trained, "?by=decade&topics=1,4")
    assert [topic["number"] for topic in after["topics"]] == [1]
    for i in range(len(after["bins"])):
        both = sum(topic["tokens"][i] for topic in before["topics"])
        assert after["topics"][0]["tokens"][i] == both
        assert after["topics"][0]["share"][i] == pytest.approx(both / after["bins"][i]["tokens"])
        # One document with both topics is one document: its interval is that of their sum.
        assert (
            after["topics"][0]["low"][i]
            <= after["topics"][0]["share"][i]
            <= after["topics"][0]["high"][i]
        )
    assert {topic["number"] for topic in get(client, trained, "?by=decade")["topics"]} == {
        0,
        1,
        3,
        5,
    }
    # Asked for by name it is shown
    assert len(get(client, trained, "?by=decade&topics=2")["topics"]) == 1


def test_intervals_of_merged_topics_are_those_of_their_sum(trained):
    curation.change(trained, 4, {"into": "1"}, "Ada")
    grouped_set = shares.group_set(Selection.read(QueryDict(), RunView(trained)), "decade")
    found = shares.intervals(grouped_set, [1])
    of = evidence.of(trained)
    into = RunView(trained).labels.into
    rows = [[0] * trained.topics for _ in range(of.document_bow.D)]
    for d in range(of.document_bow.D):
        for k, n in zip(*(a.tolist() for a in of.mixtures.of_document(d)), strict=True):
            rows[d][into[k]] += n
    tokens = np.array(rows)
    d, k = np.nonzero(tokens)
    ptr = np.concatenate([[0], np.cumsum((tokens > 0).sum(axis=1))])
    expected = bands.shares(
        ptr,
        k.astype(np.uint16),
        tokens[d, k].astype(np.int32),
        tokens.sum(axis=1),
        grouped_set.group,
        len(grouped_set.groups.labels),
        [1],
    )
    assert np.allclose(found.low, expected.low, equal_nan=True) and np.allclose(
        found.high, expected.high, equal_nan=True
    )


def test_each_bin_opens_its_documents(client, trained):
    for query, name in (
        ("?by=decade&from=1795&to=1823", "decade"),
        ("?by=party&in=party:Nonpartisan&in=party:Federalist&q=war", "party"),
    ):
        for b in get(client, trained, query + "&topics=1")["bins"]:
            there = Selection.read(QueryDict(b["url"].partition("?")[2]), RunView(trained))
            # Those without words of the vocabulary are listed, too
            assert there.count >= b["documents"], (
                name,
                b,
            )
            assert there.count - b["documents"] <= 1
    asked = dict(
        parse_qsl(
            get(client, trained, "?by=decade&from=1795&topics=1")["bins"][0]["url"].partition("?")[
                2
            ]
        )
    )
    assert asked == {"from": "1795", "to": "1799"}  # the selection's own end is the nearer one


def test_the_strongest_passages_of_a_bin(client, trained):
    data = get(client, trained, "?topics=3&by=decade&bin=1800s")
    inside = []
    for row, words in documents(trained):
        if row.date.year // 10 == 180 and words:
            inside.append(
                (-sum(n for k, n in words if k == 3) / sum(n for _, n in words), row.number)
            )
    assert [d["number"] for d in data["passages"]["documents"]] == [
        number for _, number in sorted(inside)[:3]
    ]
    assert data["passages"]["documents"][0]["share"] == pytest.approx(-min(inside)[0])
    # all that have any of it, most of it first
    assert "has=3%3A0&by=T03" in data["passages"]["url"]
    assert "1800s" in get(client, trained, "?topics=3&by=decade&bin=1800s", "run_time")
    assert (
        client.get(reverse("run_time", args=[trained.pk]) + "?topics=3&bin=<b>").status_code == 400
    )


def test_the_csv_has_what_the_page_has(client, trained):
    address = reverse("run_time_csv", args=[trained.pk])
    response = client.get(address + "?by=year&topics=1,5&q=treaty")
    assert f"_run{trained.pk}_K6_seed3_" in response["Content-Disposition"]
    assert response.is_async, "else all of it is gathered before the first row is sent"
    found = _rows(address + "?by=year&topics=1,5&q=treaty")
    data = get(client, trained, "?by=year&topics=1,5&q=treaty")
    assert len(found) == 2 * len(data["bins"])
    for topic in data["topics"]:
        mine = [row for row in found if row["topic"] == str(topic["number"])]
        for i, (row, b) in enumerate(zip(mine, data["bins"], strict=True)):
            assert (row["bin"], row["tokens"], row["documents"]) == (
                b["label"],
                str(b["tokens"]),
                str(b["documents"]),
            )
            for name in ("share", "low", "high"):
                assert (float(row[name]) if row[name] else None) == topic[name][i]
            assert (row["corpus"], row["run"], row["K"], row["seed"]) == (
                trained.corpus.name,
                str(trained.pk),
                "6",
                "3",
            )
            assert row["documents_chosen"] == "documents with “treaty”"
    assert len({row["topic"] for row in _rows(address + "?by=party&topics=all")}) == 6


def _rows(url: str) -> list[dict[str, str]]:
    """Of a CSV as a browser gets it."""
    head, *rows = download(url)
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    "query",
    ["?by=colour", "?topics=99", "?topics=x", "?topics=<script>", "?from=x", "?by=year&topics=-1"],
)
def test_what_cannot_be_shown_is_said(client, trained, query):
    for name in ("run_time", "run_time_json", "run_time_csv"):
        response = client.get(reverse(name, args=[trained.pk]) + query)
        assert response.status_code == 400
        assert name == "run_time_json" or "<script>" not in response.content.decode()


def test_a_set_without_documents(client, trained):
    html = get(client, trained, "?q=zyzzyva", "run_time")
    assert "No document is in this set" in html
    assert get(client, trained, "?q=zyzzyva")["bins"] == []


@pytest.fixture(scope="module")
def gaps(draft, django_db_setup, django_db_blocker):
    """A run on documents of 1900 to 1930 with years that have one, or none; and one document
    without a date."""
    rng = np.random.default_rng(1)
    words = [
        "horse cow sheep goat hen goose duck pig".split(),
        "comet planet orbit moon galaxy nebula eclipse meteor".split(),
    ]
    years = [*[1900] * 20, *[1901] * 20, 1903, *[1904] * 12, 1910, *[1930] * 20]
    rows = [[f"{year}-05-01", " ".join(rng.choice(words[rng.integers(2)], 30))] for year in years]
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            [["date", "text"], *rows, ["", "comet horse planet cow"]],
            "gaps.csv",
            language="en",
            min_documents=1,
            max_share=1.0,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(day_sums, "ROW_BYTES", 1_000)  # so small a corpus would leave none
            run = run_on(corpus, seed=1, topics=2, passes=20)
        yield run


def test_a_training_leaves_sums_by_day(gaps):
    sums_by_day = evidence.of(gaps).day_sums
    days = document_days.read_days(gaps.version)
    assert (
        sums_by_day is not None and sums_by_day.edges[0] == 0 and sums_by_day.edges[-1] > days.max()
    )
    # It has no date
    assert sums_by_day.whole[-1, 0] == gaps.version.documents and sums_by_day.whole[1, 0] == 1


def test_a_line_never_crosses_years_without_documents(client, gaps):
    data = get(client, gaps, "?by=year&topics=0")
    labels = [b["label"] for b in data["bins"]]
    assert labels == [str(year) for year in range(1900, 1931)]
    page = TypeAdapter(TimeLines).validate_python(data)
    drawn = drawing.trend(page, page.topics[0], drawing.scale(page))
    edges = re.findall(r"M([\d.]+) [\d.]+L([\d.]+) ", drawn["line"])
    place = {f"{hit['x'] + drawn['step'] / 2:.1f}": hit["label"] for hit in drawn["hits"]}
    assert [(place[a], place[b]) for a, b in edges] == [("1900", "1901")]
    dotted = re.findall(r"M([\d.]+) [\d.]+L([\d.]+) ", drawn["dotted"])
    # 1903 has a single document
    assert [(place[a], place[b]) for a, b in dotted] == [("1903", "1904")]
    thin = [i for i, b in enumerate(data["bins"]) if b["thin"] and b["documents"]]
    assert [labels[i] for i in thin] == ["1903", "1910"]
    for i in thin:
        # One document says nothing of others
        assert (data["topics"][0]["low"][i], data["topics"][0]["high"][i]) == (
            0,
            1,
        )
    assert sum(mark["thin"] for mark in drawn["marks"]) == 2
    html = get(client, gaps, "?by=year&topics=0", "run_time")
    with_documents = sum(b["documents"] > 0 for b in data["bins"])
    assert with_documents < len(data["bins"]), "the overview counts no empty years, either"
    named = re.search(r'id="thin".*?</span>', html, re.DOTALL)[0]
    assert re.findall(r"<bdi>(\d+)</bdi>", named) == ["1903", "1910"]
    assert (
        "No documents in 1902, 1905" in html
        and f"2 of {with_documents} are" in html
        and "1 document has no date and is left out" in html
    )


DECADES = [f"{year}s" for year in range(1900, 2000, 10)]
SHARES = [0.01, 0.01, 0.2, 0.3, 0.2, 0.01, 0.01, 0.01, 0.01, 0.9]


def drawn_decades(marks, large=False):
    """A chart of ten decades, of which the last is thin."""
    bins = [SimpleNamespace(label=d, thin=d == "1990s", tokens=10, documents=5) for d in DECADES]
    page = SimpleNamespace(by="decade", in_time=True, bins=bins)
    none = [None] * len(DECADES)
    topic = SimpleNamespace(
        with_label="Trade (T01)", share=SHARES, low=none, high=none, overall=0.1
    )
    top = drawing.own_scale(page, topic, marks)
    return top, drawing.trend(page, topic, top, large, marks)


def test_a_chart_has_its_own_scale_and_marks_the_years_of_its_change():
    levels = [(1900.0, 1920.0, 0.01), (1920.0, 1950.0, 0.23), (1950.0, 2000.0, 0.01)]
    top, drawn = drawn_decades(ChangeMarks((1920.0, 1950.0), levels))
    assert top == 0.3, "the thin decade is beyond the scale"
    step = drawn["step"]
    left = drawn["size"].left
    assert drawn["window"]["x"] == pytest.approx(left + 2 * step)
    assert drawn["window"]["width"] == pytest.approx(3 * step)
    within = drawn["levels"][1]
    assert (within["begin"], within["end"]) == pytest.approx((left + 2 * step, left + 5 * step))
    assert within["y"] == pytest.approx(drawn["base"] - 0.23 / 0.3 * drawn["size"].height)
    assert [point["text"] for point in drawn["points"]] == ["23%"]
    assert not drawn["strip"], "words of each decade stand once below all charts"
    assert drawn_decades(None)[1].get("window") is None
    assert drawn_decades(ChangeMarks((1920.0, 1950.0), levels), large=True)[1]["strip"]


def test_what_lasts_until_the_last_document_is_tinted_to_the_end_of_the_axis():
    """“Since 1980”, where the last document is of 1992: the last decade is not over."""
    levels = [(1900.0, 1980.0, 0.01), (1980.0, 1992.5, 0.23)]
    for large in (False, True):
        _, drawn = drawn_decades(ChangeMarks((1980.0, 1992.5), levels), large)
        assert drawn["window"]["x"] + drawn["window"]["width"] == pytest.approx(drawn["end"])
        assert drawn["levels"][-1]["end"] == pytest.approx(drawn["end"])


def test_where_most_periods_are_thin_the_few_others_are_no_scale():
    bins = [SimpleNamespace(label=d, thin=d != "1900s", tokens=10, documents=5) for d in DECADES]
    topic = SimpleNamespace(share=SHARES)
    page = SimpleNamespace(by="decade", in_time=True, bins=bins, topics=[topic])
    assert drawing.own_scale(page, topic) == drawing.scale(page) == 1.0


def test_an_interval_that_leaves_the_scale_has_a_mark():
    """Dots of a category: 3% of the words, and up to 6% on a scale that ends at 4%."""
    bins = [SimpleNamespace(label=party, thin=False) for party in ("Whig", "Democratic")]
    page = SimpleNamespace(by="party", in_time=False, bins=bins)
    topic = SimpleNamespace(
        with_label="Trade (T01)",
        share=[0.03, 0.03],
        low=[0.02, 0.02],
        high=[0.035, 0.06],
        overall=0.03,
    )
    drawn = drawing.trend(page, topic, 0.04)
    assert [row["beyond"] for row in drawn["rows"]] == [False, True]
    assert render_to_string("time/_dots.html", {"drawn": drawn}).count("mark over") == 1


def test_the_room_of_dated_texts_is_time(client, trained):
    page = get(client, trained, "", "run_time_compare")
    assert re.search(r'data-name="Time"[^>]*>Time</a>', page)
    assert "Compare two periods or groups" in page


def test_years_of_too_few_texts_are_said_with_longer_periods(client, trained):
    few_texts = "&q=militia"
    by_year = get(client, trained, f"?by=year{few_texts}", "run_time")
    assert "Too few texts for years" in by_year and "Show it by decades" in by_year
    assert "Show it by" not in get(client, trained, f"?by=decade{few_texts}", "run_time")
    assert "Too few texts" not in get(client, trained, "?by=year", "run_time")


def course(low: list[float | None]) -> TimeLine:
    """A topic that rises to 19% in the 1920s."""
    return TimeLine(
        **vars(topic_link(46, "Program & housing", True)),
        words=[],
        overall=0.065,
        share=[0.0, 0.0, 0.19],
        low=low,
        high=low,
        information=0.1,
        tokens=[0, 0, 19],
    )


@pytest.mark.parametrize(
    ("low", "unit", "why"),
    [
        (
            [None] * 3,
            "president",
            ". It may be chance: those texts are of fewer than five presidents.",
        ),
        ([0.0, 0.0, 0.1], "president", ": no more than chance explains."),
        ([None] * 3, "", ": no more than chance explains."),
    ],
)
def test_a_rise_that_may_be_chance_is_said_with_its_share_and_why(low, unit, why):
    """“No change beyond chance.” stood above a chart from 0 to 19%."""
    bins = [
        Period(label=label, url="", documents=20, tokens=100, thin=False)
        for label in ("1900s", "1910s", "1920s")
    ]
    page = SimpleNamespace(bins=bins)
    said = unsure_courses.say_unsure(page, course(low), unit)
    assert said == f"19% of the words in the 1920s, none at other times{why}"


def test_one_period_has_no_other_times():
    bins = [Period(label="1900s", url="", documents=20, tokens=100, thin=False)]
    topic = replace(course([None] * 3), share=[0.1], tokens=[10])
    page = SimpleNamespace(bins=bins)
    assert unsure_courses.say_unsure(page, topic, "") == "No change beyond chance."


def test_a_topic_without_a_change_says_on_the_page_what_its_chart_shows(client, gaps):
    get(client, gaps, "", "run_overview_json")
    html = get(client, gaps, "?by=year", "run_time")
    assert "at other times: no more than chance explains." in html
    assert "No change beyond chance." not in html


def test_a_share_that_rises_all_along_has_no_window():
    marks = ChangeMarks(None, [(1900.0, 1933.3, 0.01), (1966.7, 2000.0, 0.5)])
    top, drawn = drawn_decades(marks)
    assert top == 0.5 and "window" not in drawn and len(drawn["levels"]) == 2


def test_a_flat_trend_stays_within_its_intervals(client, gaps):
    """The words were drawn alike in all years: the share overall lies within the interval of each
    year that is not thin."""
    data = get(client, gaps, "?by=year&topics=0,1")
    solid = [i for i, b in enumerate(data["bins"]) if not b["thin"]]
    assert len(solid) == 4
    for topic in data["topics"]:
        assert all(topic["low"][i] <= 0.5 <= topic["high"][i] for i in solid)


def test_one_document_in_each_year(client, gaps):
    data = get(client, gaps, "?by=month&topics=1&q=horse&from=1903&to=1903")
    assert all(b["documents"] <= 1 for b in data["bins"])
    assert "<svg" in get(client, gaps, "?by=year&topics=1&from=1903&to=1910", "run_time")


def _draft_read(draft, rows):
    """A corpus of a table, and a run of it that is not trained."""
    from tasks.corpora import read_corpus
    from webapp.core.runs import services as runs
    from webapp.intake.ingest import corpora, guesses

    corpus = draft(as_csv(rows), "plain.csv")
    corpora.read(
        corpus,
        corpora.ReadingSettings(
            options=asdict(guesses.sniff(corpus).options),
            language="en",
            min_documents=1,
            max_share=1.0,
        ),
    )
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    return runs.create(corpus.version, topics=2, engine_settings={"passes": 2})


def test_documents_with_numbers_alone_are_grouped_by_these(client, draft, django_db_blocker):
    from tasks.runs import train

    rows = [[f"word other thing horse comet {i}", i % 4 + 0.5] for i in range(12)]
    run = _draft_read(draft, [["text", "score"], *rows])
    assert [field.name for field in fields.numeric_fields(run.version)] == ["score"]
    assert document_groups.possible_groupings(run.version) == ["score"]
    train(run.pk)
    page = get(client, run)
    assert page["by"] == "score" and len(page["bins"]) > 1
    assert "have no dates" not in get(client, run, "", "run_time")
    assert get(client, run, "", "run_time_table_json")["by"] == "score"
    compare_page = get(client, run, "", "run_time_compare")
    for page in (get(client, run, "", "run_time"), compare_page):
        assert re.search(r'data-name="Groups"[^>]*>Groups</a>', page)
        assert "Time</a>" not in page and "periods or groups" not in page
    assert "Groups shows their topics by “score”" in overview_screen.say_why_tree(run.version)


def test_neither_dates_nor_categories(client, draft, django_db_blocker):
    from tasks.runs import train

    rows = [[f"word other thing horse comet {i}"] for i in range(12)]
    run = _draft_read(draft, [["text"], *rows])
    html = get(client, run, "", "run_time")
    assert "Watch it train" in html
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error
    assert "have no dates" in get(client, run, "", "run_time") and get(client, run)["by"] is None
    assert client.get(reverse("run_time", args=[run.pk]) + "?by=year").status_code == 400
    assert "have no dates" in get(client, run, "", "run_time_compare")
    of_search = get(client, run, "?q=3&rest=1", "run_time_compare_json")
    assert [side["documents"] for side in of_search["sides"]] == [1, 11]
    assert "compared with" in get(client, run, "?q=3&rest=1", "run_time_compare")


def test_a_corpus_of_categories_only_begins_with_one(trained, monkeypatch):
    monkeypatch.setattr(document_groups, "best_period", lambda corpus: None)
    assert document_groups.usual_grouping(trained.version) in ("president", "party")


def test_intervals_are_remembered_topic_by_topic(trained, monkeypatch):
    grouped_set = shares.group_set(
        Selection.read(QueryDict("q=commerce"), RunView(trained)), "year"
    )
    first = shares.intervals(grouped_set, [2, 0])
    asked = []
    compute = bands.sums_of
    monkeypatch.setattr(shares.bands, "sums_of", lambda *a: asked.append(a[-2]) or compute(*a))
    again = shares.intervals(grouped_set, [0, 5, 2])
    assert asked == [[5]]
    assert np.array_equal(again.share[[2, 0]], first.share, equal_nan=True)
    with pytest.raises(Invalid):
        shares.group_set(Selection.read(QueryDict(), RunView(trained)), "nothing")


SETS = [
    "",
    "from=1791-03-15&to=1795",
    "from=1793-12-03&to=1793-12-03",
    "to=1795",
    "from=1796&to=1792",
]
PAGES = [
    (name, f"?{query}&by={by}")
    for query in SETS
    for name, by in (
        ("run_time_json", "decade&topics=0,1,2"),
        ("run_time_json", "month&topics=1"),
        ("run_topics_json", "year"),
        ("run_documents_json", "date"),
    )
] + [
    ("run_time_compare_json", f"?{query}")
    for query in (
        "from_a=1791&to_a=1793&from_b=1795",
        "from_a=1791&to_a=1793-06",
        "from_a=1791&to_a=1793&from=1790&to=1799-05",
        "rest=1&from=1795",
    )
]


def answers(client, run) -> list[dict]:
    """Of PAGES, with nothing kept from before."""
    page_cache.clear()
    for cache in bounded_caches:
        cache.clear()
    return [get(client, run, query, name) for name, query in PAGES]


@pytest.fixture
def by_day(trained, monkeypatch, tmp_path):
    """Sums by day of the run, as those that a training of a larger corpus leaves."""
    counted = evidence.of(trained)
    assert counted.day_sums is None  # the corpus is small
    monkeypatch.setattr(day_sums, "ROW_BYTES", 1_000)
    rows = (
        counted.mixtures.doc_ptr,
        counted.mixtures.doc_topics,
        counted.mixtures.doc_tokens,
        counted.lengths,
    )
    day_sums.DaySums.write(tmp_path, document_days.read_days(trained.version), counted.K, *rows)
    monkeypatch.setattr(counted, "day_sums", day_sums.DaySums.open(tmp_path))
    return counted.day_sums


def test_sums_by_day_change_no_number(client, trained, by_day, monkeypatch):
    """What is read from them is what a pass over the documents gives, whatever is merged and
    wherever a range ends."""
    read = []
    ranges = day_sums.DaySums.ranges
    monkeypatch.setattr(day_sums.DaySums, "ranges", lambda *a: read.append(ranges(*a)) or read[-1])
    curation.change(trained, 4, {"into": "1"}, "Ada")
    with_sums = answers(client, trained)
    assert len([made for made in read if made is not None]) > len(PAGES) / 2
    monkeypatch.setattr(evidence.of(trained), "day_sums", None)  # trained by an older version
    assert answers(client, trained) == with_sums
    monkeypatch.setattr(
        document_days, "order_by_day", lambda version, newest: None
    )  # read by an older version
    assert answers(client, trained) == with_sums


def test_an_embargo_after_the_training_hides_the_same_with_sums_by_day(
    client, trained, by_day, monkeypatch
):
    """It withholds texts and leaves every count as it is, whether counts come from sums or from
    documents."""
    before = answers(client, trained)
    set_embargo(trained.corpus, True)
    with_sums = answers(client, trained)
    monkeypatch.setattr(evidence.of(trained), "day_sums", None)
    assert answers(client, trained) == with_sums
    counts = [i for i, (name, _) in enumerate(PAGES) if name != "run_documents_json"]
    assert [with_sums[i] for i in counts] == [before[i] for i in counts]
    # Texts are withheld
    assert any(with_sums[i] != before[i] for i in range(len(PAGES)) if i not in counts)


@pytest.mark.parametrize("whole", [True, False])
def test_a_deletion_after_the_training_leaves_no_sums_by_day_to_be_seen(
    client, trained, by_day, whole
):
    before = answers(client, trained)
    row = trained.corpus if whole else trained
    (deletion.delete_corpus if whole else deletion.delete_run)(row)
    for name, query in PAGES:  # what pages kept is still there
        assert client.get(reverse(name, args=[trained.pk]) + query).status_code == 404
    deletion.bring_back((Corpus if whole else Run).everything.get(pk=row.pk))
    assert answers(client, trained) == before


def test_a_set_and_the_rest_are_all(client, trained):
    """Sums of the rest are what is left of all; the same sets by their values."""
    values = fields.codes(trained.version, "party")[0].values
    rest = "&".join(f"in_b=party:{value}" for value in values[1:])
    some, others = (
        get(client, trained, f"?in_a=party:{values[0]}{more}", "run_time_compare_json")
        for more in ("", f"&{rest}")
    )
    without_party = sum(code < 0 for code in fields.codes(trained.version, "party")[1].tolist())
    assert some["sides"][0] == others["sides"][0]
    if not without_party:
        # The level is that of all values of the field, or of the two sets that were chosen
        names = "share", "tokens", "difference", "ratio"
        numbers = [
            {row["number"]: [row[name] for name in names] for part in of["more"] for row in part}
            for of in (some, others)
        ]
        assert some["sides"][1]["documents"] == others["sides"][1]["documents"]
        assert some["rows"] > others["rows"]
        for number in numbers[0].keys() & numbers[1].keys():
            assert numbers[0][number] == numbers[1][number]
    restricted = get(client, trained, f"?q=war&in_a=party:{values[0]}", "run_time_compare_json")
    both = get(client, trained, "?q=war", "run_documents_json")["count"]
    assert sum(side["documents"] for side in restricted["sides"]) <= both


# The table of shades
# ---------------------------------------------------------------------------------------------


def test_the_table_has_the_same_numbers(client, trained):
    lines = get(client, trained, "?by=decade&topics=0,1,2,3,4,5&q=war")
    table = get(client, trained, "?by=decade&topics=0,1,2,3,4,5&q=war", "run_time_table_json")
    assert [c["label"] for c in table["columns"]] == [b["label"] for b in lines["bins"]]
    by_number = {row["number"]: row for row in table["rows"]}
    for topic in lines["topics"]:
        row = by_number[topic["number"]]
        for name in ("share", "low", "high"):
            assert [cell[name] for cell in row["cells"]] == topic[name]
        assert row["overall"] == pytest.approx(topic["overall"])
    solid = [c["share"] for row in table["rows"] for c in row["cells"] if not c["thin"]]
    assert table["darkest"] == pytest.approx(min(0.18, max(solid)))
    darkest = [c for row in table["rows"] for c in row["cells"] if c["share"] == max(solid)]
    assert darkest[0]["shade"] == "s10"
    empty = [c for row in table["rows"] for c in row["cells"] if (c["share"] or 0) < 0.0005]
    assert {cell["shade"] for cell in empty} <= {"s0", ""}


def test_an_end_of_an_interval_is_never_said_to_be_larger_than_it_is():
    from webapp.analysis.time import shade_tables

    assert (
        shade_tables.write_range(
            shade_tables.write_percent(0.0003), shade_tables.write_percent(0.004)
        )
        == "0.0–0.4"
    )
    assert (
        shade_tables.write_range(shade_tables.write_percent(0.0), shade_tables.write_percent(0.12))
        == "0–12"
        and shade_tables.write_percent(0.0003) == "<0.1"
    )


def test_a_pin_of_the_table_keeps_its_shares(client, trained):
    page = client.get(reverse("run_time_table", args=[trained.pk])).content.decode()
    form = page[page.index('<details class="pin">') :]
    kept = json.loads(html.unescape(re.search(r'name="table" value="([^"]*)"', form)[1]))
    table = get(client, trained, "", "run_time_table_json")
    assert kept["columns"][0] == table["by"]
    assert [row[0] for row in kept["rows"]] == [column["label"] for column in table["columns"]]
    for i, row in enumerate(table["rows"]):
        assert row["label"] in kept["columns"][1 + i]
        for j, cell in enumerate(row["cells"]):
            assert kept["rows"][j][1 + i] == (
                None if cell["share"] is None else pytest.approx(cell["share"], abs=1e-4)
            )


def test_the_file_of_the_table_has_the_rows_of_the_table(client, trained, monkeypatch):
    monkeypatch.setattr(trends, "TOPICS_SHOWN", 2)
    html = get(client, trained, "?by=decade&q=war", "run_time_table")
    address = re.search(r'href="([^"]*)" download>These numbers', html)[1].replace("&amp;", "&")
    rows = _rows(address)
    table = get(client, trained, "?by=decade&q=war", "run_time_table_json")
    assert {row["topic"] for row in rows} == {str(row["number"]) for row in table["rows"]}
    assert len(table["rows"]) > 2 and {row["by"] for row in rows} == {"decade"}
    assert {row["documents_chosen"] for row in rows} == {"documents with “war”"}


@pytest.mark.parametrize(
    ("query", "offered", "said"),
    [
        ("?by=decade", ["time", "change", "number"], "Topics are in order of time"),
        ("?by=decade&sort=change", ["time", "change", "number"], "varies most by decade"),
        ("?by=decade&sort=number", ["time", "change", "number"], ""),
        ("?by=party", ["change", "number"], "varies most by party"),
    ],
)
def test_the_order_of_rows_is_what_the_page_says(client, trained, query, offered, said):
    html = get(client, trained, query, "run_time_table")
    orders = html.split('aria-label="Order"')[1].split("</nav>")[0]
    assert re.findall(r"<bdi>(\w+)</bdi></a>", orders) == offered
    assert "aria-current" in orders
    for sentence in ("Topics are in order of time", "varies most by"):
        assert (sentence in html) == bool(said and sentence in said)


def test_topics_that_are_asked_for_are_put_in_the_order_of_their_change(client, trained):
    lines = get(client, trained, "?by=party&topics=0,1,2,3,4,5")
    changes = {topic["number"]: topic["information"] for topic in lines["topics"]}
    rows = get(client, trained, "?by=party&topics=0,1,2,3,4,5", "run_time_table_json")["rows"]
    told = [changes[row["number"]] for row in rows]
    assert told == sorted(told, reverse=True) and len(set(told)) > 1


def test_rows_come_in_the_order_of_time(client, trained):
    rows = get(client, trained, "?by=decade", "run_time_table_json")["rows"]
    peaks = []
    for row in rows:
        shares_of = [cell["share"] or 0 for cell in row["cells"]]
        peaks.append(shares_of.index(max(shares_of)))
    assert peaks == sorted(peaks) and len(set(peaks)) > 1
    numbers = [
        row["number"]
        for row in get(client, trained, "?by=decade&sort=number", "run_time_table_json")["rows"]
    ]
    assert numbers == sorted(numbers)


def test_against_the_overall_share_only_what_is_sure_is_shaded(client, trained):
    table = get(client, trained, "?by=decade&scale=against", "run_time_table_json")
    shaded = 0
    for row in table["rows"]:
        for cell in row["cells"]:
            if cell["share"] is None:
                continue
            expected = (
                "m"
                if cell["low"] > row["overall"]
                else "l"
                if cell["high"] < row["overall"]
                else ""
            )
            assert cell["shade"][:1] == expected
            if expected:
                shaded += 1
                times = cell["share"] / row["overall"]
                assert int(cell["shade"][1]) == sum(
                    (times if expected == "m" else 1 / times if times else 99) >= t
                    for t in (1, 1.5, 2, 3, 5)
                )
    assert shaded


def test_one_topic_by_two_fields(client, trained):
    table = get(client, trained, "?field=party&by=decade&topic=2", "run_time_table_json")
    expected = naive(trained, lambda d: (d.metadata["party"], f"{d.date.year // 10}0s"))
    columns = [c["label"] for c in table["columns"]]
    seen = 0
    for row in table["rows"]:
        for label, cell in zip(columns, row["cells"], strict=True):
            of = expected.get((row["label"], label))
            assert (cell["share"] is None) == (of is None)
            if of:
                seen += 1
                assert cell["share"] == pytest.approx(of["topics"][2] / of["tokens"])
                assert (cell["documents"], cell["tokens"]) == (of["documents"], of["tokens"])
                there = Selection.read(QueryDict(cell["url"].partition("?")[2]), RunView(trained))
                assert (
                    dict(there.parameters)["in"] == f"party:{row['label']}"
                    and there.first == label[:-1]
                )
    assert seen == len(expected) and table["topic"]["number"] == 2
    assert "by party and decade" in get(
        client, trained, "?field=party&by=decade&topic=2", "run_time_table"
    )
    assert get(client, trained, "?field=president&by=party&topic=2", "run_time_table_json")["rows"]
    assert (
        client.get(
            reverse("run_time_table", args=[trained.pk]) + "?field=party&by=party&topic=1"
        ).status_code
        == 400
    )


def test_a_table_has_no_columns_for_years_without_documents(client, gaps):
    table = get(client, gaps, "?by=year", "run_time_table_json")
    years = [column["label"] for column in table["columns"]]
    assert years == ["1900", "1901", "1903", "1904", "1910", "1930"]
    assert all(column["documents"] for column in table["columns"])
    assert (table["without_documents"], table["left_out"]) == (25, 0)
    html = get(client, gaps, "?by=year", "run_time_table")
    assert "25 years without documents are left out." in html


def test_too_many_periods_for_a_table_are_said(client, trained, monkeypatch):
    """Those that have documents: of the months of thirty years one in twelve."""
    monkeypatch.setattr(shade_tables, "COLUMNS", 20)
    html = get(client, trained, "?by=month", "run_time_table")
    assert "can show 20 months" in html and 'aria-label="Columns"' in html
    assert (
        client.get(reverse("run_time_table_json", args=[trained.pk]) + "?by=month").status_code
        == 400
    )


def test_values_stand_in_the_order_of_their_first_documents(trained):
    version = trained.version
    for category in fields.categories(version):
        groups = document_groups.read_groups(version, category.name)
        _, codes = fields.codes(version, category.name)
        days = document_days.read_days(version)
        first = {
            i: min(
                (int(d) for d, c in zip(days, codes, strict=True) if c == i and d), default=10**9
            )
            for i in range(len(category.values))
        }
        expected = sorted(first, key=lambda i: (first[i], category.values[i].casefold()))
        assert (
            document_groups.order_groups(version, groups, list(range(len(category.values))))
            == expected
        )
    assert document_groups.order_groups(
        version, document_groups.read_groups(version, "decade"), [2, 0, 1]
    ) == [
        2,
        0,
        1,
    ]


def unit_row(name: str, effect: float) -> dict:
    """A field that was looked at, as Version.unit_fields has it."""
    field = UnitField(name, 40, 30.0, 1.0, 1.0, 0.9, effect, 0.05)
    return asdict(field) | {"file": ""}


def test_who_speaks_is_part_of_what_intervals_depend_on(trained):
    """A person says that presidents speak, who were taken for that: by president the units were
    parties, and now they are documents."""
    version = Version.objects.select_related("corpus").get(pk=trained.version_id)
    rows = [unit_row("president", 9.0), unit_row("party", 5.0)]
    version.unit_fields = {"method": 1, "fields": rows}
    trained_with_units = Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk)
    trained_with_units.version = version
    selection = Selection.all(RunView(trained_with_units))
    before = shares.group_set(selection, "president")
    assert shares.unit(before).name == "party"
    version.corpus.unit = "president"
    after = shares.group_set(selection, "president")
    assert shares.unit(after).name == "" and after.key != before.key


def test_a_table_of_two_fields_says_for_whom_its_own_intervals_hold(trained):
    """Where rows are those who speak, no interval of the table is about other speakers."""
    version = Version.objects.select_related("corpus").get(pk=trained.version_id)
    version.unit_fields = {"method": 1, "fields": [unit_row("president", 9.0)]}
    run = Run.objects.select_related("corpus", "snapshot").get(pk=trained.pk)
    run.version = version
    selection = Selection.all(RunView(run))
    by_decade = shade_tables.of_topics(selection, "decade", [0], False, "time")
    assert "president" in by_decade.unit
    by_both = shade_tables.of_two_fields(selection, "president", "decade", 0, False)
    assert "president" not in by_both.unit


def test_a_table_says_how_many_topics_it_has_where_it_has_any(client, trained):
    assert "varies most" in get(client, trained, "?by=decade", "run_time_table")
    of_none = get(client, trained, "?by=decade&q=zzyzx", "run_time_table")
    assert "varies most" not in of_none and "No document is in this set." in of_none
    assert 'class="shades' not in of_none


def test_the_intervals_of_a_row_open_and_close(client, trained):
    """A wide table shows them for one row at a time."""
    html = get(client, trained, "?by=year", "run_time_table")
    number = re.search(r"[?&;]row=(\d+)#row-\1", html)
    assert number and "hide intervals" not in html
    opened = get(client, trained, f"?by=year&row={number[1]}", "run_time_table")
    assert opened.count("hide intervals") == 1 and 'class="ends"' in opened


def test_of_a_category_the_values_of_the_set_are_shown(client, trained, monkeypatch):
    """A value that many documents have elsewhere does not take their place."""
    monkeypatch.setattr(trends, "VALUES", 1)
    monkeypatch.setattr(shade_tables, "VALUES", 1)
    counted = Counter(
        row.metadata["president"]
        for row, words in documents(trained)
        if row.date.year <= 1800 and words
    )
    (most, _), *others = counted.most_common()
    of_all = fields.categories(trained.version)
    president = next(category for category in of_all if category.name == "president")
    assert president.values[0] != most, "the test is about another value"
    lines = get(client, trained, "?by=president&to=1800&topics=0")
    assert [(period["label"], lines["left_out"]) for period in lines["bins"]] == [
        (most, len(others))
    ]
    query = "?by=decade&field=president&to=1800&topic=0"
    table = get(client, trained, query, "run_time_table_json")
    assert [row["label"] for row in table["rows"]] == [most]
    assert table["rows_left_out"] == len(others)
    by_value = get(client, trained, "?by=president&to=1800&topics=0", "run_time_table_json")
    assert [column["label"] for column in by_value["columns"]] == [most]
    both = get(client, trained, "?by=president&field=decade&to=1800&topic=0", "run_time_table_json")
    (column,) = both["columns"]
    assert (
        sum(cell["documents"] for row in both["rows"] for cell in row["cells"])
        == (column["documents"])
    )


def test_a_pin_of_lines_keeps_what_changed_and_the_passages_of_the_page(client, trained):
    url = reverse("run_time", args=[trained.pk])
    data = client.get(reverse("run_time_json", args=[trained.pk]) + "?by=year&topics=1").json()
    period = next(bin["label"] for bin in data["bins"] if bin["documents"])
    page = client.get(f"{url}?by=year&topics=1&bin={period}").content.decode()
    fields = pinned_of(page)
    sent = json.loads(fields["passages"])
    shown = client.get(
        reverse("run_time_json", args=[trained.pk]) + f"?by=year&topics=1&bin={period}"
    ).json()["passages"]["documents"]
    assert [passage["document"] for passage in sent] == [row["number"] for row in shown][:5]
    assert sent[0]["quote"] == "".join(text for text, _ in shown[0]["snippet"])


def test_pinned_lines_say_the_changes_and_when_there_are_too_many_periods():
    topic = SimpleNamespace(with_label="War (T01)", share=[0.1] * 400, low=[None] * 400)
    topic.high = topic.low
    page = SimpleNamespace(
        topics=[topic],
        by="year",
        bins=[SimpleNamespace(label=str(year)) for year in range(400)],
        selection="",
        passages=None,
    )
    changes = [TopicChange(True, None, "War: 20% of the words since 1812, 1% before."), None]
    kept = pinned_shares.pin_lines(page, changes)
    assert kept.sentence.split("\n") == [
        "Share of the words.",
        "The page has 400 periods, which are more than a notebook keeps.",
        "War: 20% of the words since 1812, 1% before.",
    ]
    assert kept.table is None and kept.passages == ""
    page.bins = page.bins[:300]
    topic.share = topic.low = topic.high = topic.share[:300]
    assert len(pinned_shares.pin_lines(page).table.rows) == 300


def test_of_one_group_the_largest_topics_are_shown(client, trained):
    """A set of one party had topics in the order of their numbers, “whose share varies most”."""
    version = trained.version
    value = next(c for c in fields.categories(version) if c.name == "party").values[0]
    query = "?" + urlencode([("by", "party"), ("in", f"party:{value}")])
    page = " ".join(get(client, trained, query, "run_time").split())
    assert "largest topics of these documents, which all have one party" in page
    assert "varies most" not in page
    lines = trends.lines(Selection.read(QueryDict(query[1:]), RunView(trained)), "party", [])
    assert [line.overall for line in lines.topics] == sorted(
        (line.overall for line in lines.topics), reverse=True
    )
