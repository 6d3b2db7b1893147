"""The reading protocol: the same questions for everybody, nothing given away before they are
answered, and honest sums."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from inference.errors import Invalid
from tests.webapp import mixtures
from tests.webapp.core.results.test_results import download
from webapp.core.curation import (
    intrusion as queries,
    intrusion_answers,
    reading_results,
    services as curation,
)
from webapp.core.documents import wording
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Answer, Document
from webapp.platform.storage import sql
from webapp.service.exports.catalogue import EXPORT_KINDS
from webapp.service.exports.export_query import read_source

pytestmark = pytest.mark.django_db

EVIL = "<script>alert(1)</script>"


def as_reader(name: str) -> Client:
    client = Client()
    client.post(reverse("reader"), {"name": name})
    return client


def url(name: str, run, number: int, seed: int = 0) -> str:
    """number: the topic's, or one that there is not."""
    question = queries.question_of(run, seed, number) if number < run.topics else number
    return reverse(name, args=[run.pk, question]) + (f"?seed={seed}" if seed else "")


def answer_all(
    client: Client, run, number: int, label="Farming", fits="yes", confidence="4", seed=0
):
    n = len(queries.sample(run, number, seed))
    sent = {f"fits_{i}": fits if isinstance(fits, str) else fits[i] for i in range(n)}
    return client.post(
        url("reading_passages_answer", run, number, seed),
        sent | {"label": label, "confidence": confidence},
        follow=True,
    )


# What is asked
# -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, 1, 3, 9, 10, 11, 12, 13, 19, 20, 40, 100, 1000, 10**7])
def test_strata_are_disjoint_and_large_enough(n):
    strata = queries.ranks_of_strata(n)
    ends = [0]
    for name, (first, end) in strata.items():
        assert ends[-1] <= first <= end <= n
        assert n < 10 or end - first >= queries.STRATA[name]
        ends.append(end)
    assert ends[-1] == n or n < 10


def test_sample_is_reproducible_and_in_strata(trained):
    for number in range(trained.topics):
        chosen = queries.sample(trained, number, 0)
        assert chosen == queries.sample(trained, number, 0) != queries.sample(trained, number, 1)
        assert Counter(row.stratum for row in chosen) == queries.STRATA
        assert len({row.document for row in chosen}) == 10
        shares = {s: [row.share for row in chosen if row.stratum == s] for s in queries.STRATA}
        assert min(shares["high"]) >= max(shares["middle"]) and min(shares["middle"]) >= max(
            shares["borderline"]
        )
        stored = {row.document: row.share for row in mixtures.rows(trained) if row.topic == number}
        for row in chosen:
            assert row.share == pytest.approx(stored[row.document], rel=1e-5)
        assert [row.stratum for row in chosen] != sorted(
            (row.stratum for row in chosen), key=list(queries.STRATA).index
        )


def test_passages_are_where_the_topic_is(trained):
    vocabulary = dict(
        sql.tuples("SELECT number, word FROM word WHERE version_id = %s", [trained.version_id])
    )
    for row in queries.passages(trained, 2, 0):
        text = (
            Document.objects.filter(corpus_id=trained.corpus_id, number=row.document)
            .values_list("text", flat=True)
            .get()
        )
        assert row.text == text[row.start : row.end]
        words, _, given, _ = evidence.of(trained).token_topics.of_document(row.document)
        mine = {vocabulary[w] for w in words[given == 2].tolist()}
        has = [word in mine for _, _, word in wording.terms(trained.version, [text])[0]]
        most = max(
            sum(has[i : i + queries.WINDOW]) for i in range(max(1, len(has) - queries.WINDOW + 1))
        )
        assert (
            sum(word in mine for _, _, word in wording.terms(trained.version, [row.text])[0])
            == most
            > 0
        )


def test_word_intruder(trained):
    for number in range(trained.topics):
        asked = queries.word_test(trained, number, 0)
        own = queries.topics.top_words(
            RunView(trained), [number], queries.RANKS_APART, queries.topics.PROBABILITY_LAM
        )[number]
        intruder = asked.shown[asked.intruder]
        assert len(asked.shown) == 6 and intruder not in own
        assert sorted(w for w in asked.shown if w != intruder) == sorted(own[:5])
        assert any(
            intruder in words
            for k, words in queries.topics.top_words(
                RunView(trained), list(range(6)), 10, queries.topics.PROBABILITY_LAM
            ).items()
            if k != number
        )
        assert asked == queries.word_test(trained, number, 0)
    places = {queries.word_test(trained, 1, seed).intruder for seed in range(30)}
    assert len(places) >= 5  # it may stand anywhere


def test_topic_intruder(trained):
    asked = [t for t in (queries.topic_test(trained, k, 0) for k in range(trained.topics)) if t]
    assert asked
    for test in asked:
        present, tokens = evidence.of(trained).mixtures.of_document(test.document)
        shown = [number for number, _ in test.shown]
        intruder = shown[test.intruder]
        assert intruder not in present and len(set(shown)) == 4
        largest = dict(zip(present.tolist(), tokens.tolist(), strict=True))
        assert (
            sorted((largest[k] for k in shown if k != intruder), reverse=True)
            == sorted(largest.values(), reverse=True)[:3]
        )
        assert test.weights == [largest.get(k, 0.5) for k in shown]


# Blindness
# -----------------------------------------------------------------------------------------------------------


def test_nothing_is_given_away_before(client, trained):
    curation.change(trained, 2, {"label": "Giveaway", "note": "Giveaway"}, "owner")
    answer_all(as_reader("Ada"), trained, 2, label="Giveaway too")
    twin = client.get(url("reading_passages_json", trained, 2)).json()
    question = queries.question_of(trained, 0, 2)
    assert twin["topic"] == {"number": question, "label": f"Question {question}"}
    assert set(twin["passages"][0]) == {"text", "fits"}
    assert twin["words"] == [] == twin["labels"] and not twin["revealed"]
    html = client.get(url("reading_passages", trained, 2)).content.decode()
    assert "Giveaway" not in html and "borderline" not in html and '<svg class="bar' not in html
    for passage in queries.passages(trained, 2, 0):
        assert passage.title not in html
    for kind in ("words", "topics"):
        twin = client.get(url(f"reading_{kind}_json", trained, 2)).json()
        assert (
            twin["chosen"] is None is twin["intruder"]
            and twin["topic"] is None
            and twin["document"] is None
        )
        assert "Giveaway" not in client.get(url(f"reading_{kind}", trained, 2)).content.decode()
        assert kind == "words" or set(twin["shown"][0]) == {"words"}


def test_all_is_shown_after(client, trained):
    answer_all(as_reader("Ada"), trained, 2, label="Ada's name")
    html = answer_all(client, trained, 2, label=EVIL, fits="unsure").content.decode()
    assert (
        "Ada&#x27;s name" in html
        and EVIL not in html
        and "&lt;script&gt;" in html
        and "borderline" in html
    )
    assert html.count("You said: can’t tell") == 10
    twin = client.get(url("reading_passages_json", trained, 2)).json()
    assert twin["revealed"] and len(twin["labels"]) == 2 and len(twin["words"]) == 10
    assert {p["stratum"] for p in twin["passages"]} == set(queries.STRATA)


def test_progress_is_kept_and_the_end_is_final(client, trained):
    page = url("reading_passages_answer", trained, 3)
    html = client.post(page, {"fits_0": "yes", "fits_9": "no"}, follow=True).content.decode()
    assert "Still to answer: 8 of 10 passages and the label" in html
    assert re.findall(r'name="fits_(\d)" value="(\w+)" checked', html) == [
        ("0", "yes"),
        ("9", "no"),
    ]
    html = client.post(
        page, {f"fits_{i}": "no" for i in range(10)} | {"label": "x"}, follow=True
    ).content.decode()
    assert (
        "how sure you are" in html
        and Answer.objects.filter(kind="fit").count() == 10
        and not Answer.objects.filter(kind="label").exists()
    )
    answer_all(client, trained, 3, label="Land", fits="yes")
    html = answer_all(client, trained, 3, label="Changed", fits="no").content.decode()
    assert "your answers can no longer be changed" in html and "Changed" not in html
    assert Answer.objects.get(kind="label").payload == {"label": "Land", "confidence": 4}
    assert {a.payload["fits"] for a in Answer.objects.filter(kind="fit")} == {"yes"}
    progress = client.get(reverse("run_reading_json", args=[trained.pk])).json()["progress"]
    assert progress["label"]["done"] == 1 and progress["label"]["next"] != 3
    other = as_reader("Bo").get(reverse("run_reading_json", args=[trained.pk])).json()["progress"]
    assert other["label"]["done"] == 0


def test_what_another_request_revealed_meanwhile_is_not_changed(client, trained, monkeypatch):
    check_room = intrusion_answers.check_room

    def answer_all_first(*arguments):
        monkeypatch.setattr(intrusion_answers, "check_room", check_room)
        answer_all(client, trained, 3, label="Land", fits="yes")

    monkeypatch.setattr(intrusion_answers, "check_room", answer_all_first)
    with CaptureQueriesContext(connection) as asked:
        html = answer_all(client, trained, 3, label="Changed", fits="no").content.decode()
    assert "your answers can no longer be changed" in html
    assert Answer.objects.get(kind="label").payload == {"label": "Land", "confidence": 4}
    assert {a.payload["fits"] for a in Answer.objects.filter(kind="fit")} == {"yes"}
    assert any("FOR NO KEY UPDATE" in query["sql"] for query in asked), "one after the other"


def test_another_seed_is_another_sample(client, trained):
    answer_all(client, trained, 2)
    assert not client.get(url("reading_passages_json", trained, 2, seed=7)).json()["revealed"]
    assert client.get(url("reading_passages_json", trained, 2)).json()["revealed"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"fits_0": "maybe"}, "Mark each passage as"),
        ({"label": "x" * 81}, "at most 80"),
        ({"label": "x", "confidence": "6"}, "how sure"),
    ],
)
def test_answers_that_are_none(client, trained, sent, said):
    assert (
        said
        in client.post(
            url("reading_passages_answer", trained, 2), sent, follow=True
        ).content.decode()
    )
    assert not Answer.objects.exists()
    with pytest.raises(Invalid):
        intrusion_answers.save_choice(
            trained, "words", 2, 0, "a", queries.word_test(trained, 2, 0), 6
        )


# Tests
# ---------------------------------------------------------------------------------------------------------------


def test_all_word_questions_one_after_the_other(client, trained):
    at = client.get(reverse("run_reading_json", args=[trained.pk])).json()["progress"]["words"][
        "url"
    ]
    asked = []
    while "/reading/words/" in at and len(asked) < trained.topics:
        number = int(
            queries.questions(trained, 0)[int(at.split("?")[0].rstrip("/").split("/")[-1])]
        )
        asked.append(number)
        at = client.post(
            url("reading_words_answer", trained, number),
            {"chosen": queries.word_test(trained, number, 0).intruder},
        )["Location"]
    assert sorted(asked) == list(range(trained.topics)) and at == reverse(
        "run_reading_results", args=[trained.pk]
    )
    assert (
        client.get(reverse("run_reading_results_json", args=[trained.pk])).json()["model_precision"]
        == 1
    )


def test_the_first_choice_counts(client, trained):
    right = queries.word_test(trained, 2, 0).intruder
    page = url("reading_words_answer", trained, 2)
    client.post(page, {"chosen": (right + 1) % 6})
    client.post(page, {"chosen": right})
    assert Answer.objects.get().payload["chosen"] == (right + 1) % 6
    html = client.get(url("reading_words", trained, 2)).content.decode()
    assert "You chose another" in html and "the intruder" in html
    for wrong in ("x", "", "-1", "²", "9" * 30):
        assert (
            client.post(url("reading_words_answer", trained, 3), {"chosen": wrong}).status_code
            == 400
        )
    assert client.post(url("reading_words_answer", trained, 3), {"chosen": "6"}).status_code == 400


def test_a_merge_changes_no_question_and_no_answer(client, trained):
    """Words of merged topics were added up: another reader had another question, and a choice was
    judged by words that whoever made it had not seen."""
    questions = {}
    for kind in ("words", "topics"):
        questions[kind] = client.get(url(f"reading_{kind}_json", trained, 2)).json()["shown"]
    client.post(url("reading_words_answer", trained, 2), {"chosen": 0})
    before = client.get(url("reading_words_json", trained, 2)).json()
    for topic in (0, 1, 3):
        curation.change(trained, topic, {"into": "2"}, "owner")
    after = client.get(url("reading_words_json", trained, 2)).json()
    for part in ("shown", "intruder", "chosen"):
        assert after[part] == before[part]
    assert before["shown"] == questions["words"]
    other = as_reader("Ada")
    for kind, shown in questions.items():
        assert other.get(url(f"reading_{kind}_json", trained, 2)).json()["shown"] == shown
    # What the first reader was asked before the merge is what Ada's choice is judged by
    other.post(url("reading_words_answer", trained, 2), {"chosen": before["intruder"]})
    answer = Answer.objects.get(reader="Ada")
    assert answer.payload["shown"] == questions["words"]
    assert answer.payload["chosen"] == answer.payload["intruder"]


def test_an_answer_is_shown_with_what_was_chosen_from(client, trained):
    """Also one of a time when questions changed with merges."""
    words = ["these", "are", "other", "words", "than", "today"]
    payload = {"shown": words, "intruder": 1, "chosen": 4}
    Answer.objects.create(
        run=trained, reader="owner", kind="words", topic=2, seed=0, payload=payload
    )
    page = client.get(url("reading_words_json", trained, 2)).json()
    assert (page["shown"], page["intruder"], page["chosen"]) == (words, 1, 4)


def test_topic_log_odds(client, trained):
    number = next(k for k in range(trained.topics) if queries.topic_test(trained, k, 0))
    asked = queries.topic_test(trained, number, 0)
    chosen = int(np.argmax(asked.weights))
    client.post(url("reading_topics_answer", trained, number), {"chosen": chosen})
    assert Answer.objects.get().payload["log_odds"] == pytest.approx(
        math.log(0.5 / max(asked.weights))
    )
    found = client.get(reverse("run_reading_results_json", args=[trained.pk])).json()
    assert found["log_odds"] < 0 and found["topic_precision"] == 0
    html = client.get(url("reading_topics", trained, number)).content.decode()
    assert "the intruder" in html and "The whole document" in html
    client = as_reader("Ada")
    client.post(url("reading_topics_answer", trained, number), {"chosen": asked.intruder})
    found = client.get(reverse("run_reading_results_json", args=[trained.pk])).json()
    assert (
        found["topic_precision"] == 0.5
        and Answer.objects.get(reader="Ada").payload["log_odds"] == 0
    )
    assert (
        "You found the intruder"
        in client.get(url("reading_topics", trained, number)).content.decode()
    )


# Results
# -------------------------------------------------------------------------------------------------------------


def test_two_readers_side_by_side(client, trained):
    fits = ["yes"] * 5 + ["no"] * 5
    answer_all(as_reader("Ada"), trained, 2, label="Farming and land", fits=fits)
    answer_all(
        as_reader("Bo"), trained, 2, label="Land, farming", fits=fits[1:] + ["no"], confidence="2"
    )
    answer_all(as_reader("Bo"), trained, 4, label="Only Bo", fits="no")
    found = client.get(reverse("run_reading_results_json", args=[trained.pk])).json()
    assert (
        found["readers"] == ["Ada", "Bo"]
        and found["passages"] == 30
        and found["agreement"]["judged_twice"] == 10
    )
    # 9 of 10, chance 0.5
    assert found["agreement"]["pairs"] == [
        {"readers": ["Ada", "Bo"], "both": 10, "kappa": pytest.approx(0.8)}
    ]
    assert found["agreement"]["alpha"] == pytest.approx(1 - 19 * 2 / (400 - 81 - 121))
    both, one = found["topics"]
    assert (both["number"], one["number"]) == (2, 4)
    assert both["likeness"] == pytest.approx(2 / 3) and one["likeness"] is None
    assert (
        sum(fit[0] for fit in both["fits"].values()) == 9
        and sum(fit[1] for fit in both["fits"].values()) == 20
    )
    html = client.get(reverse("run_reading_results", args=[trained.pk])).content.decode()
    assert "Farming and land" in html and "0.80" in html


def test_one_reader_answers_so_many_questions(client, trained, monkeypatch):
    monkeypatch.setattr(intrusion_answers, "MOST_ANSWERS", 2)
    statuses = [
        client.post(url("reading_words_answer", trained, k), {"chosen": 0}).status_code
        for k in (0, 1, 2)
    ]
    assert statuses == [302, 302, 400] and Answer.objects.count() == 2
    assert (
        as_reader("Ada").post(url("reading_words_answer", trained, 2), {"chosen": 0}).status_code
        == 302
    )


def test_results_in_pages(client, trained, monkeypatch):
    monkeypatch.setattr(reading_results, "PAGE", 2)
    for k in range(5):
        intrusion_answers.save_choice(
            trained, "words", k, 0, "a", queries.word_test(trained, k, 0), 0
        )
    base = reverse("run_reading_results_json", args=[trained.pk])
    query = ""
    numbers = []
    while query is not None:
        page = client.get(base + query).json()
        numbers += [topic["number"] for topic in page["topics"]]
        query = page["next"]
    assert numbers == [0, 1, 2, 3, 4]


def test_answers_as_a_table(client, trained):
    answer_all(as_reader("=Ada"), trained, 2, label="-1+1")
    client.post(url("reading_words_answer", trained, 2), {"chosen": 0})
    table = EXPORT_KINDS["reading"].table(read_source(trained, QueryDict()))
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for block in table.blocks for row in block]
    assert Counter(row["kind"] for row in rows) == {"fit": 10, "label": 1, "words": 1}
    assert {row["item"] for row in rows if row["kind"] == "fit"} == set(range(1, 11))
    test = next(row for row in rows if row["kind"] == "words")
    asked = queries.word_test(trained, 2, 0)
    assert (test["intruder"], test["chosen"]) == (asked.shown[asked.intruder], asked.shown[0])
    assert download(reverse("export", args=[trained.pk, "reading.csv"]))[0][:3] == [
        "reader",
        "kind",
        "topic",
    ]


def test_close_reading_ends_though_a_topic_has_no_documents(client, trained, monkeypatch):
    """Such as one that was named beforehand and has no support: nothing of it can be read."""
    topic_documents = evidence.of(trained).topic_documents
    counts = topic_documents.counts
    counts[4] = 0
    mixtures_of = evidence.of(trained).mixtures
    holding = type(mixtures_of).holding

    def hold_nothing(of, topic: int):
        documents, tokens = holding(of, topic)
        return (documents[:0], tokens[:0]) if topic == 4 else (documents, tokens)

    monkeypatch.setattr(type(mixtures_of), "holding", hold_nothing)
    monkeypatch.setattr(type(topic_documents), "counts", property(lambda of: counts))
    progress = reverse("run_reading_json", args=[trained.pk])
    seen = []
    while (task := client.get(progress).json()["progress"]["label"])["next"] is not None:
        assert len(seen) < trained.topics and task["done"] == len(seen)
        seen.append(task["next"])
        answer_all(client, trained, task["next"])
    assert sorted(seen) == [0, 1, 2, 3, 5]
    assert (task["done"], task["topics"], task["url"]) == (5, 5, None)
    last = client.get(url("reading_passages_json", trained, seen[-1])).json()
    assert last["revealed"] and last["next"] is None


def test_another_runs_topic_and_wrong_methods(client, trained):
    for name in ("passages", "words", "topics"):
        assert client.get(url(f"reading_{name}", trained, 6)).status_code == 404
        assert (
            client.post(url(f"reading_{name}_answer", trained, 6), {"chosen": 0}).status_code == 404
        )
        assert client.get(url(f"reading_{name}_answer", trained, 2)).status_code == 405
        assert client.get(url(f"reading_{name}", trained, 2) + "?seed=x").status_code == 400


def test_a_topic_is_done_when_every_passage_is_answered(client, trained):
    page = url("reading_passages_answer", trained, 3)
    client.post(page, {"fits_0": "yes", "label": "Land", "confidence": "4"})
    at = reverse("run_reading_json", args=[trained.pk])
    assert client.get(at).json()["progress"]["label"]["done"] == 0
    answer_all(client, trained, 3, label="Land")
    assert client.get(at).json()["progress"]["label"]["done"] == 1
