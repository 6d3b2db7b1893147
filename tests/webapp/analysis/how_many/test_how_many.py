"""How many topics: the press, the short trainings, and what the page, its file and the API say of
planted subjects that have parts."""

import csv
import io
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from inference import engines
from inference.errors import Invalid
from inference.explore import flows
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.how_many import page as pages, sentences
from webapp.analysis.how_many.shapes import Counts, HowMany, Relative, Trained
from webapp.core.results import evidence, found_again
from webapp.core.runs import how_many, replicates
from webapp.intake.ingest import word_estimates
from webapp.models import Replicate
from webapp.platform.accounts import tokens
from webapp.platform.jobs import dispatch, scheduler
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
SUBJECTS = 6
WORDS = 9  # of a subject
DOCUMENTS = 300


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """Nobody needs the machine; messages are not sent."""
    clear_all()
    monkeypatch.setattr(scheduler, "idle", lambda: True)
    monkeypatch.setattr(dispatch, "send", lambda kind, pk: None)
    yield
    clear_all()


@pytest.fixture(scope="module")
def made(draft, django_db_blocker):
    """Documents of one or two of six subjects; a run with six topics."""
    chance = np.random.default_rng(67)
    rows = [["title", "text"]]
    for number in range(DOCUMENTS):
        subjects = chance.choice(SUBJECTS, 2, replace=False)
        words = [f"s{subjects[i % 2]}w{chance.integers(WORDS)}" for i in range(60)]
        rows.append([f"{number}", " ".join(words)])
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "subjects.csv", min_documents=1, max_share=1.0)
        yield run_on(corpus, seed=2**63 - 1, topics=6, passes=20)


@pytest.fixture
def run(made):
    made.replicates.all().delete()
    made.refresh_from_db()
    return made


def train_all(run) -> None:
    how_many.begin(run)
    for replicate in how_many.rows(run):
        replicates.train(replicate.pk)
        replicate.refresh_from_db()
        assert replicate.status == "ready", replicate.error


def asked(client, run, status=200, query=""):
    response = client.get(reverse("run_how_many_json", args=[run.pk]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json()


def test_a_press_begins_short_trainings_and_the_page_waits(client, run):
    page = asked(client, run)
    assert (page["ready"], page["trainings"], page["to_come"]) == (0, 6, 0)
    assert page["numbers"] == [2, 6, 18] and page["passes"] == 6 and page["takes"]
    html = client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    assert "Try 2, 6 and 18 topics" in html
    answered = client.post(reverse("run_how_many_train", args=[run.pk]), {"act": "train"})
    assert answered.url == reverse("run_how_many", args=[run.pk])
    assert asked(client, run, 202)["to_come"] == 6
    seeds = set(run.replicates.values_list("seed", "asked_topics"))
    assert seeds == {(seed, K) for seed in (2**63 - 1, 0) for K in (2, 6, 18)}
    waiting = " ".join(client.get(answered.url).content.decode().split())
    assert "0 of 6 short trainings are done. They continue when this computer is idle" in waiting
    assert "and then take about" in waiting
    first = run.replicates.order_by("pk")[0]
    run.replicates.filter(pk=first.pk).update(status="ready")
    # What was estimated before may be wrong: the rest may take far longer on a busy machine
    assert "take about" not in client.get(answered.url).content.decode()
    run.replicates.update(status="queued")
    client.post(reverse("run_how_many_train", args=[run.pk]), {"act": "cancel"})
    assert not run.replicates.exists()
    assert client.post(reverse("run_how_many_train", args=[run.pk])).status_code == 400
    assert not run.replicates.exists()


def test_they_are_none_of_the_other_seeds(run):
    train_all(run)
    assert replicates.state(run).wanted == 0
    assert found_again.count_found(run) == []
    replicates.begin(run)
    assert run.replicates.filter(asked_topics=0).count() == 2


def test_the_page_says_what_becomes_of_planted_subjects(client, run):
    train_all(run)
    page = asked(client, run)
    assert [row["topics"] for row in page["trained"]] == [2, 6, 18]
    few, own, many = page["trained"]
    assert own["found_again"] >= 3 and own["held_out"] > few["held_out"]
    assert page["counts"]["stay_fewer"] <= 2 and page["counts"]["stay_seed"] >= 3
    assert len(page["topics"]) == 6 and page["left_out"] == 0
    assert len(page["sentences"]) == 3 and len(page["changes"]) == 4
    names = {word[:2] for topic in page["topics"] for word in topic["parent"]["topic"]["words"]}
    assert names == {f"s{i}" for i in range(SUBJECTS)} & names  # words of subjects
    check_parts(run, page)
    html = client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    assert 'class="few-to-many"' in html and "Train with 18 topics" in html
    assert all(sentence.split("’")[0][:40] in html for sentence in page["sentences"])
    form = client.get(many["url"].partition("#")[0]).content.decode()
    assert 'value="18"' in form


def test_links_of_the_picture_lead_to_the_table_also_from_topic_1000_on(client, run, monkeypatch):
    train_all(run)
    answer = pages.answer

    def of_a_large_run(view, complete):
        page = answer(view, complete)
        assert isinstance(page, HowMany)
        topics = [
            replace(
                topic,
                parent=topic.parent and moved(topic.parent),
                parts=[moved(part) for part in topic.parts],
            )
            for topic in page.topics
        ]
        return replace(page, topics=topics)

    def moved(relative: Relative) -> Relative:
        return replace(relative, topic=replace(relative.topic, number=relative.topic.number + 1000))

    monkeypatch.setattr(pages, "answer", of_a_large_run)
    html = client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    links = set(re.findall(r'href="#((?:few|many)-[^"]*)"', html))
    assert any(link.startswith("few-1") for link in links)
    assert links == set(re.findall(r'id="((?:few|many)-[^"]*)"', html))


def check_parts(run, page) -> None:
    """Again from what is kept: of each topic, how much of it one topic with fewer has."""
    short = how_many.trainings(run)[2][0]
    own = evidence.of(run)
    assert short.of_fine.sum() == own.section_bow.tokens == short.of_coarse.sum()
    table = np.zeros((6, 2))
    table[short.fine, short.coarse] = short.shared
    for topic in page["topics"]:
        row = table[topic["number"]]
        assert topic["parent"]["topic"]["number"] == row.argmax()
        assert topic["parent"]["part"] == pytest.approx(row.max() / row.sum())
    assert np.array_equal(flows.descent(short.flows).parent, table.argmax(axis=1))


def test_the_file_has_a_row_for_each_topic(client, run):
    address = reverse("run_how_many_csv", args=[run.pk])
    assert client.get(address).status_code == 202
    train_all(run)
    rows = list(csv.DictReader(io.StringIO(client.get(address).content.decode())))
    assert [row["topics"] for row in rows].count("18") == 18
    assert [row["topics"] for row in rows].count("6") == 6
    assert [row["topics"] for row in rows].count("2") == 2
    assert {row["kind"] for row in rows} <= {"", "stays", "inside", "spread"}


def test_the_api_begins_them_and_answers(client, run):
    address = f"/api/v1/runs/{run.pk}/how-many"
    assert client.post(address).status_code == 401
    secret = tokens.create("tests")[1]
    begun = client.post(address, headers={"Authorization": f"Bearer {secret}"})
    assert begun.status_code == 202 and begun.json()["to_come"] == 6
    train_all(run)
    assert client.get(address).json()["trained"] == asked(client, run)["trained"]


def test_the_command_says_the_same_and_writes_the_file(client, run, capsys):
    call_command("how_many", str(run.pk), "--no-wait")
    assert run.replicates.filter(asked_topics__in=(2, 6, 18)).count() == 6
    train_all(run)
    capsys.readouterr()
    call_command("how_many", str(run.pk))
    said = capsys.readouterr()
    page = asked(client, run)
    assert said.err.splitlines() == [*page["sentences"], *page["changes"]]
    address = reverse("run_how_many_csv", args=[run.pk])
    assert said.out.split() == client.get(address).content.decode().split()
    with pytest.raises(CommandError, match="There is no run 999999"):
        call_command("how_many", "999999")


def test_a_run_of_too_many_topics_is_refused_in_a_sentence(client, run, monkeypatch):
    monkeypatch.setattr(how_many, "MOST_TOPICS", 17)
    page = asked(client, run)
    assert "more than the 17 that can be compared" in page["refused"]
    with pytest.raises(Invalid, match="families"):
        how_many.begin(run)
    monkeypatch.undo()
    monkeypatch.setattr(how_many, "MOST_CORE_SECONDS", 0.1)
    assert "on one core" in asked(client, run)["refused"]


def test_of_a_large_corpus_a_sample_is_read_and_that_is_said(client, run, monkeypatch):
    longest = how_many.seconds_of_trainings(run, 1.0, cores=1)
    assert how_many.share_read(run) == 1.0 and asked(client, run)["sample"] == ""
    # Two seconds a training are not spent on reading
    reading = longest - how_many.seconds_of_trainings(run, 0.0, cores=1)
    monkeypatch.setattr(how_many, "MOST_CORE_SECONDS", longest - 0.5 * reading)
    assert how_many.share_read(run) == pytest.approx(0.5)
    assert "read 50% of the documents, drawn by chance" in asked(client, run)["sample"]
    bow = evidence.of(run).section_bow
    sample = how_many.learned_from(run, bow)
    read = np.diff(sample.indptr) > 0
    assert len(read) == bow.D and 0.4 < read.sum() / (np.diff(bow.indptr) > 0).sum() < 0.6
    assert np.array_equal(sample.words, how_many.learned_from(run, bow).words)
    train_all(run)
    page = asked(client, run)
    assert page["sample"] and [row["topics"] for row in page["trained"]] == [2, 6, 18]
    check_parts(run, page)  # of all documents
    assert "of the documents, drawn by chance" in (
        client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    )


def test_the_time_is_estimated_as_the_form_of_trainings_does(run, monkeypatch):
    """For the cores that the trainings have; what they read is the same on every machine."""
    seconds = {}
    shares = {}
    one_core = how_many.seconds_of_trainings(run, 1.0, cores=1)
    monkeypatch.setattr(how_many, "MOST_CORE_SECONDS", one_core - 0.01)
    for cores in (2, 32):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        seconds[cores] = how_many.estimate(run)
        shares[cores] = how_many.share_read(run)
    assert seconds[32] < seconds[2] and shares[32] == shares[2] < 1.0
    monkeypatch.setattr(how_many, "MOST_CORE_SECONDS", one_core)
    expected = 0.0
    for number in how_many.numbers_of_topics(run):
        config = engines.config(run.engine, topics=number, passes=how_many.PASSES)
        resolved = config.resolve(run.version.rows, run.version.tokens)
        expected += how_many.SEEDS * word_estimates.waited_seconds(
            run.engine, resolved, run.version.tokens, how_many.threads()
        )
    assert how_many.estimate(run) == pytest.approx(expected)


def test_settings_that_were_left_open_fit_the_number(run):
    bow = evidence.of(run).section_bow
    assert "alpha" not in how_many.settings_with(run, bow, 18)
    run.settings |= {"alpha": 0.123}
    wanted = how_many.settings_with(run, bow, 18)
    assert wanted["alpha"] == 0.123 and wanted["topics"] == 18 and wanted["passes"] == 6


def test_a_failed_one_is_said_and_tried_again(client, run):
    how_many.begin(run)
    how_many.rows(run).update(status=Replicate.Status.FAILED, error="The disk is full.")
    html = client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    assert "The disk is full." in html and "Try again with 2, 6 and 18 topics" in html
    how_many.rows(run).filter(asked_topics=2).update(status=Replicate.Status.READY)
    html = client.get(reverse("run_how_many", args=[run.pk])).content.decode()
    assert "2 of 6 are done and stay." in html
    how_many.begin(run)
    assert Counter(how_many.rows(run).values_list("status", flat=True)) == {"ready": 2, "queued": 4}


def test_sentences_name_no_best_number():
    rows = [
        Trained(20, 20, -7.0, [-7.0, -7.01], 12, 2, 1, 0, ""),
        Trained(60, 60, -6.8, [-6.8, -6.8], 35, 9, 1, 0, ""),
        Trained(180, 178, None, [None, None], 90, 30, 1, 4, ""),
    ]
    assert "not known" in sentences.say_measures(rows)[0]
    rows[2] = Trained(180, 178, -6.8, [-6.8, -6.8], 90, 30, 1, 4, "")
    said = sentences.say_measures(rows)
    assert "with 60 topics 22% higher than with 20" in said[0]
    assert "with 180 topics the same as with 60" in said[0]
    assert (
        "with another seed, a second short training finds 12 of 20 topics of the first, 35 of 60,"
        " and 90 of 178" in said[1]
    )
    assert said[2] == (
        "Mixed topics, of two subjects: 2 of 20 (10%), 9 of 60 (15%), and 30 of 178 (17%)."
    )
    without = Trained(60, 60, -6.8, [-6.8, -6.8], 35, 0, 1, 0, "")
    assert "none of 60" in sentences.say_measures([rows[0], without, rows[2]])[2]
    unknown = Trained(60, 60, -6.8, [-6.8, -6.8], 35, None, None, 0, "")
    assert (
        "not measured, as the texts are too short"
        in (sentences.say_measures([unknown, unknown, unknown])[2])
    )
    changed = sentences.say_changes(rows, Counts(1, 37, 22, 33, 9, 30, 21, 4, 88))
    assert "best" not in " ".join([*said, *changed])
    assert changed[0].startswith("With 20 topics one of the 60 stays, 37 become parts of larger")
    assert changed[2].startswith("Of the 178 topics that have words, 88 are not found again")
    assert changed[3] == (
        "For comparison: in a short training with as many topics and another seed, 33 of the 60 topics"
        " stay; the other 27 change."
    )


def test_sentences_of_no_topic_and_of_one():
    rows = [Trained(topics, topics, None, [], 9, 0, 0, 0, "") for topics in (20, 60, 180)]
    none = sentences.say_changes(rows, Counts(0, 60, 0, 60, 60, 0, 0, 0, 0))
    assert none == [
        "With 20 topics none of the 60 stays, 60 become parts of larger ones, and none is lost.",
        "With 180 topics 60 of the 60 stay, none splits, and there are no others.",
        "Of these 180 topics none is missing from a training with another seed, and none repeats"
        " the words of a larger one.",
        "For comparison: in a short training with as many topics and another seed, 60 of the 60 topics"
        " stay; none changes.",
    ]
    one = sentences.say_changes(rows, Counts(58, 1, 1, 59, 58, 1, 1, 1, 1))
    assert one[0].endswith(
        "one becomes a part of a larger one, and one is lost: its words are spread over several"
        " topics."
    )
    assert one[1].endswith(
        "one splits into several, and one does neither: its words are spread over several topics,"
        " mixed with those of others."
    )
    assert one[2].endswith(
        "one is not found again with another seed, and one repeats the words of a larger one."
    )
    assert one[3].endswith("the other one changes.")
    rows_of_none = sentences.say_changes(rows, Counts(0, 0, 60, 0, 0, 0, 60, 0, 0))
    assert rows_of_none[3].endswith("none of the 60 topics stays; all of them change.")
