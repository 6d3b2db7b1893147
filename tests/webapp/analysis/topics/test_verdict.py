"""The sentence that says whether a topic is any good, from stored measures."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from inference.explore.company import LEAST_WORDS
from webapp.analysis.topics import verdict
from webapp.analysis.topics.shapes import RankedTopic
from webapp.core.curation import services as curation
from webapp.core.results import found_again, measures, topic_kinds
from webapp.models import Run
from webapp.platform.drawing.numbers import percent

pytestmark = pytest.mark.django_db


@pytest.fixture
def selection(monkeypatch):
    """Makes all documents of a run with one topic with given measures, and that many of its
    documents."""

    def of(documents=20.0, **measured):
        column = {
            "apart": 0.2,
            "mixed": 0.0,
            "exclusivity": 0.4,
            "documents": documents,
            "background": 0.0,
        } | measured
        monkeypatch.setattr(
            verdict.measures, "of", lambda run: {name: np.array([x]) for name, x in column.items()}
        )
        counted = SimpleNamespace(
            topic_documents=np.array([[documents]]), all_documents=np.array([100.0])
        )
        monkeypatch.setattr(verdict.sums, "of_selection", lambda selection: counted)
        monkeypatch.setattr(verdict.RunSelection, "all", lambda view: view)
        run = SimpleNamespace(pk=1, snapshot=None)
        labels = SimpleNamespace(members=lambda k: [], is_merged=lambda k: False, labelled_talk=[])
        view = SimpleNamespace(run=run, labels=labels)
        return SimpleNamespace(view=view, has_conditions=False)

    return of


def test_kinds_follow_from_the_measures(selection):
    near = [SimpleNamespace(with_label="Tax (T07)", divergence=0.1)]
    for measured, similar, kind, reason in [
        ({}, [], "clear", "its first words occur in the same passages"),
        (
            {"apart": 0.8, "mixed": 1.0},
            [],
            "mixed",
            "seldom in the same passage",
        ),
        ({"apart": np.nan}, [], None, "could not be measured"),
        ({"exclusivity": 0.1}, [], "clear", "although other topics use them, too"),
        ({}, near, "clear", "Tax (T07) has nearly the same words"),
        ({"documents": 0.3}, [], "clear", "it occurs in 0.3% of the documents"),
        ({"background": 1.0, "mixed": 1.0}, near, "general", "occur all over the texts"),
    ]:
        judged = verdict.judge(selection(**measured), 0, similar)
        sentence = verdict.SENTENCES[kind] if kind else "Not judged"
        assert judged.kind == kind and judged.sentence == sentence
        assert any(reason in each.text for each in judged.reasons), judged
    assert verdict.judge(selection(exclusivity=np.nan), 0, []) is None


def test_general_talk_that_a_reader_labelled_is_clear_and_concedes_once(selection):
    of_topic = selection(background=1.0, exclusivity=0.1)
    of_topic.view.labels.labelled_talk = [0]
    judged = verdict.judge(of_topic, 0, [])
    assert judged.kind == "clear"
    said = [reason.text for reason in judged.reasons if reason.text.startswith("although")]
    assert said == ["although its words occur all over the texts"]
    assert not any("other topics use them" in reason.text for reason in judged.reasons)


def test_it_says_why_a_topic_is_not_judged(monkeypatch, selection):
    """Where others are, the texts are long enough, and it has too few words."""
    of_topic = selection(apart=np.nan)
    text = verdict.judge(of_topic, 0, []).reasons[0].text
    assert text == f"{verdict.NOT_MEASURED}, as the documents are too short, or the run is too old"
    alone = verdict.measures.of(None)
    with_another = {name: np.repeat(values, 2) for name, values in alone.items()}
    with_another["apart"][1] = 0.2
    monkeypatch.setattr(verdict.measures, "of", lambda run: with_another)
    text = verdict.judge(of_topic, 0, []).reasons[0].text
    few = f"it has fewer than {LEAST_WORDS} words that occur more than once"
    assert text == f"{verdict.NOT_MEASURED}, as {few}"


def test_no_topic_is_clear_whose_first_words_were_not_looked_at(monkeypatch):
    """Of three topics only the first has first words that were looked at; the second is general
    talk whatever they say."""
    column = {
        "exclusivity": np.full(3, 0.4),
        "apart": np.array([0.2, np.nan, np.nan]),
        "mixed": np.zeros(3),
        "background": np.array([0.0, 1.0, 0.0]),
    }
    run = SimpleNamespace(pk=1, snapshot=None)
    labels = SimpleNamespace(labelled_talk=[])
    monkeypatch.setattr(measures, "of", lambda run: column)
    assert topic_kinds.of_run(run, labels) == ["clear", "general", None]
    labels.labelled_talk = [1]
    assert topic_kinds.of_run(run, labels) == ["clear", None, None]
    labels.labelled_talk = []
    lacking = [[found_again.Elsewhere(6, False, 0.25, ["tax"])]] * 3
    monkeypatch.setattr(found_again, "elsewhere", lambda run: lacking)
    assert topic_kinds.of_run(run, labels) == ["unstable", "general", "unstable"]


def test_a_topic_that_other_seeds_do_not_find_is_unstable(selection, monkeypatch):
    runs = {5: (True, 0.9, []), 6: (False, 0.25, ["tax", "rate"]), 7: (False, 0.65, ["law"])}
    for seeds, kind, reasons in [
        ([5], "clear", ["found again in 1 of 1 runs with other seeds"]),
        (
            [6],
            "unstable",
            [
                "found again in 0 of 1 runs with other seeds",
                "the run with seed 6 lacks it: most like it is “tax, rate” there",
            ],
        ),
        (
            [5, 6],
            "clear",
            [
                "found again in 1 of 2 runs with other seeds",
                "the run with seed 6 lacks it: most like it is “tax, rate” there",
            ],
        ),
        (
            [5, 6, 7],
            "unstable",
            [
                "found again in 1 of 3 runs with other seeds",
                "the run with seed 7 lacks it: most like it is “law” there",
            ],
        ),
    ]:
        topic = [found_again.Elsewhere(seed, *runs[seed]) for seed in seeds]
        monkeypatch.setattr(found_again, "elsewhere", lambda run, topic=topic: [topic])
        judged = verdict.judge(selection(), 0, [])
        texts = [reason.text for reason in judged.reasons]
        assert judged.kind == kind and set(reasons) <= set(texts), texts
        assert judged.reasons[-1].url == reverse("run", args=[1]) + "#seeds"


def test_general_talk_that_other_seeds_do_not_find_is_called_both(selection, monkeypatch):
    """The overview counts it among the unstable topics, to which it leads."""
    topic = [found_again.Elsewhere(6, False, 0.25, ["tax"])]
    monkeypatch.setattr(found_again, "elsewhere", lambda run: [topic])
    judged = verdict.judge(selection(background=1.0), 0, [])
    assert judged.kind == "general"
    assert judged.sentence == "General talk rather than a subject, and unstable"


@pytest.mark.parametrize(
    ("kind", "exclusivity", "found", "said"),
    [
        ("clear", 0.4, 2, "clear"),
        ("unstable", 0.4, 0, "unstable"),
        ("general", 0.4, 0, "general, unstable"),
        ("general", 0.4, 1, "general"),
        (None, 0.4, 0, "unstable"),
        (None, 0.4, None, "not judged"),
        (None, None, None, ""),
    ],
)
def test_the_list_calls_unstable_what_the_overview_counts(kind, exclusivity, found, said):
    again = None if found is None else found_again.FoundAgain(found, 2)
    row = SimpleNamespace(kind=kind, exclusivity=exclusivity, found_again=again)
    assert RankedTopic.kind_in_words.fget(row) == said


def test_the_page_says_it_with_links(client, trained):
    run = Run.objects.get(pk=trained.pk)
    data = client.get(reverse("run_topic_json", args=[run.pk, 1])).json()["verdict"]
    assert data["kind"] in verdict.SENTENCES and len(data["reasons"]) >= 3
    html = client.get(reverse("run_topic", args=[run.pk, 1])).content.decode()
    assert data["sentence"] in html and 'href="#measures"' in html
    assert data["kind"] != "unstable" and not any(
        "seeds" in reason["text"] for reason in data["reasons"]
    )


def test_a_merged_topic_occurs_where_its_page_counts_it_and_the_rest_is_of_it_alone(
    client, trained
):
    def read(query=""):
        page = client.get(reverse("run_topic_json", args=[trained.pk, 1]) + query).json()
        texts = [reason["text"] for reason in page["verdict"]["reasons"]]
        return page, next(text for text in texts if "documents" in text and "it occurs in" in text)

    before = read()[0]
    curation.change_many(trained, {3: {"into": "1"}}, "a test")
    page, occurs = read()
    counted = page["counted"]
    assert counted["documents"] > before["counted"]["documents"]
    share = percent(counted["documents"] / counted["of_documents"])
    assert occurs == f"with T03 it occurs in {share} of the documents"
    alone = " (T01 alone, without T03, merged into it)"
    assert page["verdict"]["sentence"] == before["verdict"]["sentence"] + alone
    assert read("?q=war")[1] == f"with T03 it occurs in {share} of all documents"


def test_the_page_of_a_topic_that_is_merged_into_another_speaks_of_it_alone(client, trained):
    def read_page():
        address = reverse("run_topic", args=[trained.pk, 3])
        page = client.get(address).content.decode()
        return page, re.sub(r"\s+", " ", strip_tags(page))

    before, text_before = read_page()
    assert "holds" in text_before and "topic-groups" in before
    curation.change_many(trained, {3: {"into": "1"}}, "a test")
    page, text = read_page()
    assert "This topic is merged into" in text and "where all of its words are counted" in text
    assert "0.0% of the counted words" not in text and "it occurs in" not in text
    assert "topic-groups" not in page
    assert "Undo the merge in the history" in text
    passages_before = re.findall(r'<a [^>]*href="[^"]*/passages/[^"]*"', before)
    passages = re.findall(r'<a [^>]*href="[^"]*/passages/[^"]*"', page)
    assert passages and len(passages) == len(passages_before)
