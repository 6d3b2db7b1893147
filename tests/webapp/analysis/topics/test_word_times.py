"""A topic's words through time: planted words that come, go and stay, and one that moves only with
who speaks; the page, its numbers again from the evidence, its file, the API, and the worker."""

import csv
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from tests.webapp.making import corpus_of, run_on
from webapp.analysis.topics import word_times, word_times_page
from webapp.core.results import evidence
from webapp.core.runs import services as runs
from webapp.models import StoredResult, Word
from webapp.platform.jobs import dispatch
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
FARM = "wheat plough cattle meadow orchard harvest barley grain".split()
LAW = "court judge statute appeal verdict counsel jury tribunal".split()
YEARS = 24
TURN = 12  # from this year on there are tractors and no oxen
SPEAKERS = 24
WORDS = 60  # of a document


@pytest.fixture(scope="module")
def farmed(draft, django_db_blocker):
    """Speakers who speak all along, of farms and of law. "tractor" comes and "oxen" go in the texts
    of each; "chapel" is the word of speakers who speak mostly in the second half."""
    chance = np.random.default_rng(67)
    rows = [["title", "date", "speaker", "text"]]
    for year in range(YEARS):
        late = year >= TURN
        for speaker in range(SPEAKERS):
            is_devout = speaker >= SPEAKERS // 2
            if chance.random() < (0.15 if is_devout == late else 0.85):
                continue  # the devout mostly speak late, the others mostly early
            is_of_farm = chance.random() < 0.6
            words = list(chance.choice(FARM if is_of_farm else LAW, WORDS))
            if is_of_farm:
                words += ["tractor" if late else "oxen"] * int(chance.integers(2, 6))
                if is_devout:
                    words += ["chapel"] * int(chance.integers(3, 6))
            chance.shuffle(words)
            title = f"{year} {speaker}"
            rows.append([title, f"{1900 + year}", f"S{speaker:02d}", " ".join(words)])
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "farmed.csv", min_documents=1, max_share=1.0)
        corpus.unit = "speaker"
        corpus.save()
        yield run_on(corpus, seed=2, topics=2, passes=20)


@pytest.fixture(autouse=True)
def anew():
    clear_all()
    yield
    clear_all()


def farm_of(run) -> int:
    """The number of the topic of farms."""
    number = Word.objects.get(version=run.version, word="wheat").number
    *_, topics, _ = evidence.of(run).word_topics.of_word(number)
    return int(np.bincount(topics).argmax())


def asked(client, run, name="run_topic_times_json", query="", status=200):
    response = client.get(reverse(name, args=[run.pk, farm_of(run)]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def by_word(page) -> dict:
    return {word["word"]: word for word in page["words"]}


def test_planted_words_come_go_and_stay(client, farmed):
    words = by_word(asked(client, farmed))
    came, went = words["tractor"], words["oxen"]
    assert (came["kind"], came["first"]) == ("came", "1912")
    assert (went["kind"], went["until"]) == ("went", "1911")
    assert came["low"] > 1 and went["high"] < 1
    assert "since 1912" in came["sentence"] and "until 1911" in went["sentence"]
    others = [words[word]["kind"] for word in FARM]
    assert set(others) <= {"stayed", "unsure"} and "stayed" in others
    stayed = next(word for word in words.values() if word["kind"] == "stayed")
    assert re.search(r" of the topic’s words since \d{4}, .* until \d{4}$", stayed["sentence"])


def test_what_moves_only_with_who_speaks_is_no_change(client, farmed):
    page = asked(client, farmed)
    chapel = by_word(page)["chapel"]
    counted = [cell["tokens"] for cell in chapel["cells"]]
    half = len(counted) // 2
    assert sum(counted[half:]) > 3 * sum(counted[:half])  # as counted, it is many times as much
    assert chapel["kind"] in ("stayed", "unsure") and not any(c["clear"] for c in chapel["cells"])
    assert page["held"] == "speaker" and page["unit"]["column"] == "speaker"
    assert "where only who speaks changed" in asked(client, farmed, "run_topic_times")


def test_numbers_are_those_of_the_evidence_and_open_their_lines(client, farmed):
    page = asked(client, farmed)
    k = farm_of(farmed)
    counted = evidence.of(farmed)
    held = counted.mixtures.tokens_held([k])
    assert sum(period["tokens"] for period in page["periods"]) == held.sum()
    assert sum(period["documents"] for period in page["periods"]) == np.count_nonzero(held)
    for word in page["words"]:
        number = Word.objects.get(version=farmed.version, word=word["word"]).number
        _, counts, topics, _ = counted.word_topics.of_word(number)
        assert word["tokens"] == counts[topics == k].sum()
        assert word["tokens"] == sum(cell["tokens"] for cell in word["cells"])
        for period, cell in zip(page["periods"], word["cells"], strict=True):
            assert cell["share"] == pytest.approx(cell["tokens"] / period["tokens"])
            if cell["low"] is not None:
                assert cell["low"] <= cell["share"] <= cell["high"]
            if cell["clear"]:
                assert cell["times_low"] > 1 or cell["times_high"] < 1
    (cell,) = [by_word(page)["tractor"]["cells"][-1]]
    path, _, query = cell["lines"].partition("?")
    lines = client.get(f"{path.rstrip('/')}.json?{query}").json()
    assert lines["total"] == cell["tokens"]
    path, _, query = page["periods"][-1]["url"].partition("?")
    listed = client.get(f"{path.rstrip('/')}.json?{query}").json()
    assert listed["count"] == page["periods"][-1]["documents"]


def test_a_set_has_its_own_columns_and_hidden_words_are_left_out(client, farmed):
    page = asked(client, farmed, query="?from=1906&to=1917&drop=tractor")
    assert (page["periods"][0]["first"], page["periods"][-1]["last"]) == ("1906", "1917")
    assert "tractor" not in by_word(page) and "oxen" in by_word(page)
    assert page["looked_at"] == len(page["words"]) + 1
    html = asked(client, farmed, "run_topic_times", "?drop=tractor")
    words = len(asked(client, farmed, query="?drop=tractor")["words"])
    assert f"Of {words} words " in html  # the kinds of these are counted behind it


def test_a_single_word_of_a_kind_is_counted_in_the_singular():
    page = SimpleNamespace(words=[SimpleNamespace(kind="passed", cells=[])], periods=[])
    assert word_times_page.html(page, "").counts == "1 was more frequent for a time"


def test_the_page_says_it_in_sentences_and_shows_the_intervals_of_a_row(client, farmed):
    html = asked(client, farmed, "run_topic_times", "?row=tractor")
    assert "of the topic’s words since 1912" in html
    assert html.count('class="ends"') == 2 and "hide intervals" in html
    topic = client.get(reverse("run_topic", args=[farmed.pk, farm_of(farmed)])).content.decode()
    assert reverse("run_topic_times", args=[farmed.pk, farm_of(farmed)]) in topic


def test_the_file_has_a_row_for_each_word_and_period(client, farmed):
    page = asked(client, farmed)
    response = client.get(page["csv"])
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert len(rows) == len(page["words"]) * len(page["periods"])
    row = next(row for row in rows if row["word"] == "tractor" and row["clear"] == "1")
    assert (row["kind"], row["unit"], row["first"]) == ("came", "speaker", "1912")
    assert float(row["times_here_low"]) > 1 or float(row["times_here_high"]) < 1


def test_the_api_says_the_same(client, farmed):
    page = asked(client, farmed)
    url = f"/api/v1/runs/{farmed.pk}/topics/{farm_of(farmed)}/time"
    assert client.get(url).json() == page
    assert client.get(url.replace("topics/", "topics/99")).status_code == 404


def test_a_worker_answers_where_documents_are_many(client, farmed, monkeypatch):
    quick = asked(client, farmed)
    sent = []
    clear_all()
    monkeypatch.setattr(word_times, "QUICK_DOCUMENT_TOPICS", 0)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, **_: sent.append((task, arguments))
    )
    assert asked(client, farmed, status=202)["following"]
    assert 'role="status"' in asked(client, farmed, "run_topic_times", status=202)
    asked(client, farmed, "run_topic_times_csv", status=202)
    url = f"/api/v1/runs/{farmed.pk}/topics/{farm_of(farmed)}/time"
    assert client.get(url).status_code == 202
    ((task, arguments),) = sent  # it is asked for once, however many pages wait
    from tasks import runs as tasks

    assert task == tasks.follow_words.name
    tasks.follow_words(*arguments)
    assert asked(client, farmed) == quick
    made = list(StoredResult.objects.filter(snapshot=farmed.snapshot).values_list("pk", "made_at"))
    tasks.follow_words(*arguments)  # a message that came twice
    again = list(StoredResult.objects.filter(snapshot=farmed.snapshot).values_list("pk", "made_at"))
    assert again == made


def test_a_topic_without_time_says_so(client, draft, django_db_blocker):
    rows = [["title", "text"]] + [[f"{i}", " ".join(FARM if i % 2 else LAW)] for i in range(40)]
    corpus = corpus_of(draft, rows, "undated.csv", min_documents=1, max_share=1.0)
    run = run_on(corpus, seed=1, topics=2, passes=5)
    page = client.get(reverse("run_topic_times_json", args=[run.pk, 0])).json()
    assert page["dated"] is False
    assert "No document has a date" in asked(client, run, "run_topic_times")
    assert client.get(reverse("run_topic_times_csv", args=[run.pk, 0])).status_code == 404


def test_a_run_in_training_has_no_answer_yet(client, farmed):
    run = runs.create(farmed.version, seed=3, topics=2, engine_settings={"passes": 2})
    response = client.get(reverse("run_topic_times_json", args=[run.pk, 0]))
    assert response.status_code == 404
