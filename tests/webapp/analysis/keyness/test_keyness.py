"""The page of the words that set two sets of documents apart: its numbers again from the texts, its
links, its file."""

import csv
import io
import json
from collections import Counter

import numpy as np
import pytest
from django.urls import reverse

from inference.answers import Obstacle
from inference.explore import keyness as keyness_of_forms
from inference.text import Tokeniser
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.two_sets import word_contrast
from webapp.core.curation import services as curation
from webapp.core.documents import corpus_unit
from webapp.core.results import evidence
from webapp.core.runs import names
from webapp.models import Corpus, Document, StoredResult, Topic, Version, Word
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.jobs import dispatch
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
QUERY = "?from_a=1790&to_a=1799&from_b=1800&to_b=1815"


def get(client, run, query, name="run_keyness_json", status=200):
    response = client.get(reverse(name, args=[run.pk]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def times(words: list[str], asked: str) -> int:
    """How often a word, or a phrase, stands in a text."""
    pieces = [word for *_, word in Tokeniser("en").spans(asked)]
    return sum(words[i : i + len(pieces)] == pieces for i in range(len(words)))


def counted(run, sides) -> list[tuple[Counter, Counter, int]]:
    """(tokens, documents, all tokens) of each side, from the texts."""
    made = []
    for first, last in sides:
        rows = Document.objects.filter(
            corpus_id=run.corpus_id, date__year__gte=first, date__year__lte=last
        )
        texts = [[word for _, _, word in Tokeniser("en").spans(row.text)] for row in rows]
        tokens = Counter(w for t in texts for w in t)
        having = Counter(w for t in texts for w in set(t))
        made.append((tokens, having, sum(map(len, texts))))
    return made


def test_counts_are_those_of_the_texts(client, trained):
    data = get(client, trained, QUERY + "&which=all")
    sides = counted(trained, [(1790, 1799), (1800, 1815)])
    assert [side["tokens"] for side in data["sides"]] == [size for _, _, size in sides]
    assert data["words"][0] or data["words"][1]
    for s, part in enumerate(data["words"]):
        own = sides[s]
        other = sides[1 - s]
        for row in (row for row in part if " " not in row["word"]):
            word = row["word"]
            assert row["tokens"] == [own[0][word], other[0][word]]
            assert row["documents"] == [own[1][word], other[1][word]]
            assert row["rates"] == pytest.approx([10_000 * n[0][word] / n[2] for n in (own, other)])
            assert row["low"] > 1 and (row["times"] is None) == (other[0][word] == 0)
            if row["times"] is not None:
                (own_rate, other_rate) = row["rates"]
                assert row["times"] == pytest.approx(own_rate / other_rate)
                assert row["low"] < row["times"] < (row["high"] or float("inf"))
        order = [(row["burst"] or row["rates"][0] < 0.5, -row["low"]) for row in part]
        assert order == sorted(order), "rare words, and those of one who speaks, come last"


def test_documents_are_counted_once_each(client, trained):
    data = get(client, trained, QUERY + "&which=all&counts=documents")
    sides = counted(trained, [(1790, 1799), (1800, 1815)])
    sizes = [side["documents"] for side in data["sides"]]
    assert data["counts"] == "documents" and (data["words"][0] or data["words"][1])
    for s, part in enumerate(data["words"]):
        for row in (row for row in part if " " not in row["word"]):
            assert row["tokens"] == []
            having = [sides[s][1][row["word"]], sides[1 - s][1][row["word"]]]
            assert row["documents"] == having
            parts = [having[0] / sizes[s], having[1] / sizes[1 - s]]
            assert row["rates"] == pytest.approx([100 * share for share in parts])
            if row["times"] is not None:
                assert row["times"] == pytest.approx(parts[0] / parts[1])
                assert 1 < row["low"] < row["times"]
    lines = list(
        csv.DictReader(
            io.StringIO(get(client, trained, QUERY + "&counts=documents", "run_keyness_csv"))
        )
    )
    assert lines and {(line["counts"], line["tokens"]) for line in lines} == {("documents", "")}
    page = get(client, trained, QUERY + "&counts=documents", "run_keyness")
    assert "% of the documents of" in page and "In 10,000 words" not in page


def test_of_two_times_the_page_says_that_who_speaks_is_not_held_constant(
    client, trained, monkeypatch
):
    """Sentences on words of a time hold it; of groups nobody expects it."""
    sentence = "Who speaks is not held constant here"
    assert get(client, trained, QUERY)["not_held"] == "", "documents are independent"
    monkeypatch.setattr(corpus_unit, "FEWEST_VALUES", 2)
    Version.objects.filter(pk=trained.version_id).update(unit_fields=None)
    # Anew: the objects of the fixture outlive what this test writes
    corpus_unit.choose(Corpus.objects.get(pk=trained.corpus_id), "president")
    assert get(client, trained, QUERY)["not_held"] == "president"
    assert sentence in get(client, trained, QUERY, "run_keyness")
    of_group = "?in_a=president:George Washington"
    assert get(client, trained, of_group)["not_held"] == ""
    assert sentence not in get(client, trained, of_group, "run_keyness")


def test_phrases_of_the_topics_are_compared_like_words(client, trained, monkeypatch, tmp_path):
    data = get(client, trained, QUERY)
    rows = Document.objects.filter(
        corpus_id=trained.corpus_id, date__year__gte=1790, date__year__lte=1815
    )
    texts = [
        (row.date.year >= 1800, [word for *_, word in Tokeniser("en").spans(row.text)])
        for row in rows
    ]
    phrases = [
        (s, row) for s, part in enumerate(data["words"]) for row in part if " " in row["word"]
    ]
    of_topics = {
        text.lower()
        for topic in Topic.objects.filter(snapshot=trained.snapshot)
        for text, *_ in topic.phrases
    }
    assert phrases and {row["word"].lower() for _, row in phrases} <= of_topics
    for s, row in phrases:
        counts = [
            [times(words, row["word"]) for side, words in texts if side == which]
            for which in (False, True)
        ]
        own = [counts[s], counts[1 - s]]
        assert row["tokens"] == list(map(sum, own)) and row["documents"] == [
            sum(c > 0 for c in each) for each in own
        ]
    # As of a run by an older version
    monkeypatch.setattr(names, "phrases_folder", lambda run_id: tmp_path / "none")
    clear_all()
    older = get(client, trained, QUERY)
    clear_all()
    assert older["tried"] < data["tried"] and not any(
        " " in row["word"] for part in older["words"] for row in part
    )


def test_a_word_opens_its_documents_on_both_sides(client, trained):
    data = get(client, trained, QUERY)
    rows = [row for part in data["words"] for row in part]
    for row in rows[:3]:
        for url, expected in zip(row["urls"], row["documents"], strict=True):
            path, _, query = url.partition("?")
            listed = client.get(f"{path.rstrip('/')}.json?{query}").json()
            assert listed["count"] >= expected  # a title may have it, too


def test_stop_words_are_left_out_unless_asked_for(client, trained):
    without = get(client, trained, QUERY)
    every = get(client, trained, QUERY + "&which=all")
    assert without["tried"] < every["tried"]
    words = {row["word"] for part in without["words"] for row in part}
    assert not words & {"the", "of", "which", "t"}


def test_the_file_has_what_the_page_has_and_says_what_made_it(client, trained):
    data = get(client, trained, QUERY)
    rows = list(csv.DictReader(io.StringIO(get(client, trained, QUERY, "run_keyness_csv"))))
    expected = [row["word"] for part in data["words"] for row in part]
    assert [row["word"] for row in rows][: len(data["words"][0])] == expected[
        : len(data["words"][0])
    ]
    assert len(rows) == len(expected) + sum(data["more"])
    assert {(row["corpus"], row["run"]) for row in rows} == {(trained.corpus.name, str(trained.pk))}


@pytest.mark.parametrize("query", [QUERY, "?in_a=president:George Washington"])
def test_dispersion_over_presidents_is_that_of_the_texts(client, trained, query):
    data = get(client, trained, query + "&over=president")
    every = {row.number: row for row in Document.objects.filter(corpus_id=trained.corpus_id)}
    texts = {
        n: [word for _, _, word in Tokeniser("en").spans(row.text)] for n, row in every.items()
    }
    of_washington = {
        n for n, row in every.items() if row.metadata["president"] == "George Washington"
    }
    sides = [of_washington, set(every) - of_washington]
    if "in_a" not in query:
        sides = [
            {n for n, row in every.items() if a <= row.date.year <= b}
            for a, b in ((1790, 1799), (1800, 1815))
        ]
    for own, part in zip(sides, data["words"], strict=True):
        sizes = Counter()
        uses = {row["word"]: Counter() for row in part}
        for n in own:
            president = every[n].metadata["president"]
            sizes[president] += len(texts[n])
            for word, counts in uses.items():
                counts[president] += times(texts[n], word)
        for row in part:
            counts = uses[row["word"]]
            dp = sum(abs(counts[p] / counts.total() - sizes[p] / sizes.total()) for p in sizes) / 2
            assert row["dp"] == pytest.approx(dp, abs=1e-12)
    rows = list(
        csv.DictReader(
            io.StringIO(get(client, trained, query + "&over=president", "run_keyness_csv"))
        )
    )
    listed = data["words"][0]
    in_file = [float(row["dp_over_president"]) for row in rows[: len(listed)]]
    assert in_file == pytest.approx([row["dp"] for row in listed])
    assert listed or query != QUERY
    page = get(client, trained, query + "&over=president", "run_keyness")
    assert "DP" in page or not any(data["words"])
    assert all(row["dp"] is None for row in get(client, trained, query)["words"][0])
    get(client, trained, query + "&over=wealth", status=400)


def test_a_set_with_the_rest_and_its_page(client, trained):
    data = get(client, trained, "?in_a=president:George Washington")
    assert data["sides"][1]["name"] == "all others"
    html = get(client, trained, "?in_a=president:George Washington", "run_keyness")
    assert "George Washington" in html and "run_keyness" not in html
    chosen = get(client, trained, "?q=congress&rest=1")
    assert chosen["sides"][0]["documents"] > 0 and chosen["sides"][1]["name"] == "all others"


@pytest.mark.parametrize(
    "query", ["", "?from_b=1790", "?from_a=1790&to_a=1799&from_b=1795", "?from_a=1700&to_a=1710"]
)
def test_what_cannot_be_compared_is_said(client, trained, query):
    html = get(client, trained, query, "run_keyness")
    assert 'role="status"' in html
    if query:
        get(client, trained, query, status=400)
    else:
        get(client, trained, query, "run_keyness_csv", status=404)


def test_the_api_has_the_same(client, trained):
    address = f"/api/v1/runs/{trained.pk}/keyness"
    words = 0
    for query in (
        QUERY + "&over=president&order=g2",
        "?q=congress&rest=1",
        "?in_a=president:George Washington",
    ):
        page = client.get(address + query).json()
        same = get(client, trained, query)
        assert page == same
        words += sum(map(len, page["words"]))
    assert words
    for query in ("", "?from_a=1700&to_a=1710", "?rest=1"):
        answer = client.get(address + query)
        assert answer.status_code == 400 and answer.json()["field"]


@pytest.mark.parametrize(
    "query", [QUERY, "?in_a=president:George Washington", "?q=congress&rest=1&from=1795"]
)
def test_a_worker_counts_what_would_take_long(client, trained, monkeypatch, query):
    quick = get(client, trained, query)
    sent = []
    shares = []
    advance = dispatch.advance

    def advanced(task, arguments, done):
        advance(task, arguments, done)
        shares.append(
            (
                done,
                dispatch.progress(task, arguments),
                get(client, trained, query, status=202)["done"],
            )
        )

    monkeypatch.setattr(word_contrast, "QUICK_DOCUMENTS_OF_WORDS", 0)
    monkeypatch.setattr(dispatch, "advance", advanced)
    monkeypatch.setattr(
        dispatch.app, "send_task", lambda task, arguments, **_: sent.append((task, arguments))
    )
    clear_all()
    waits = get(client, trained, query, status=202)
    assert (waits["sides"], waits["done"]) == ([side["name"] for side in quick["sides"]], 0)
    assert 'role="status"' in get(client, trained, query, "run_keyness", 202)
    assert client.get(f"/api/v1/runs/{trained.pk}/keyness{query}").json() == waits
    get(client, trained, query, "run_keyness_csv", 202)
    ((task, arguments),) = sent  # it is asked for once, however many pages wait
    from tasks import runs

    assert task == runs.compare_words.name
    runs.compare_words(*arguments)
    done, known, shown = zip(*shares, strict=True)
    assert list(done) == sorted(done) and done[-1] == 1 and done == known == shown
    assert get(client, trained, query) == quick
    made = list(StoredResult.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at"))
    runs.compare_words(*arguments)  # a message that came twice
    assert (
        list(StoredResult.objects.filter(snapshot=trained.snapshot).values_list("pk", "made_at"))
        == made
    )
    # Nobody is asked for what has no words
    get(client, trained, "?from_a=1700&to_a=1710", status=400)
    assert len(sent) == 1


@pytest.mark.parametrize("query", [QUERY, "?in_a=president:George Washington"])
def test_the_words_of_a_topic_add_up_to_its_difference(client, trained, query):
    compared = get(client, trained, query, "run_time_compare_json")
    keyness = get(client, trained, query + "&which=all")
    factors = {
        row["word"]: (row["times"], 1 / row["times"])[s] if row["times"] else None
        for s, part in enumerate(keyness["words"])
        for row in part
    }
    counted = evidence.of(trained)
    days = Document.objects.filter(corpus_id=trained.corpus_id).order_by("number")
    side = [
        (0 if 1790 <= row.date.year <= 1799 else 1 if 1800 <= row.date.year <= 1815 else None)
        if query == QUERY
        else int(row.metadata["president"] != "George Washington")
        for row in days
    ]
    rows = [row for part in compared["more"] for row in part]
    assert rows
    for topic in rows:
        tokens = [Counter(), Counter()]
        totals = [0, 0]
        for d, s in enumerate(side):
            for pair in (
                range(counted.document_bow.indptr[d], counted.document_bow.indptr[d + 1])
                if s is not None
                else ()
            ):
                totals[s] += int(counted.document_bow.counts[pair])
                if counted.token_topics.topics[pair] == topic["number"]:
                    tokens[s][int(counted.document_bow.words[pair])] += int(
                        counted.document_bow.counts[pair]
                    )
        page = get(client, trained, f"{query}&topic={topic['number']}", "run_topic_split_json")
        assert page["rates"] == pytest.approx([10_000 * share for share in topic["share"]])
        assert page["rates"] == pytest.approx(
            [10_000 * t.total() / n for t, n in zip(tokens, totals, strict=True)]
        )
        parts = [row["apart"] for part in page["words"] for row in part]
        assert sum(parts) + sum(page["rest"]) == pytest.approx(
            page["rates"][0] - page["rates"][1], abs=1e-9
        )
        numbers = dict(Word.objects.filter(version=trained.version).values_list("word", "number"))
        for row in (row for part in page["words"] for row in part):
            assert row["tokens"] == [t[numbers[row["word"]]] for t in tokens]
            assert row["apart"] == pytest.approx(row["rates"][0] - row["rates"][1])
            factor = factors.get(row["word"])
            assert row["word"] not in factors or row["one_sided"] == (factor is None)
            assert factor is None or row["times"] == pytest.approx(factor)
        everywhere = {w for t in tokens for w in t}
        differ = sum(tokens[0][w] * totals[1] != tokens[1][w] * totals[0] for w in everywhere)
        assert sum(map(len, page["words"])) + sum(page["more"]) == differ
    html = get(client, trained, f"{query}&topic={rows[0]['number']}", "run_topic_split")
    assert "Of the difference" in html and rows[0]["label"] in html
    get(client, trained, f"{query}&topic=9999", "run_topic_split", 400)


def test_words_beyond_those_that_are_kept_are_counted(client, trained, monkeypatch):
    every = get(client, trained, QUERY)
    monkeypatch.setattr(word_contrast, "MOST_STORED", {"ratio": 3, "g2": 2})
    clear_all()
    few = get(client, trained, QUERY)
    by_evidence = get(client, trained, QUERY + "&order=g2")
    for s, part in enumerate(every["words"]):
        assert few["words"][s][:3] == part[:3] and len(few["words"][s]) <= 5
        assert few["more"][s] == max(len(part) + every["more"][s] - 50, 0)
        strongest = sorted((row["g2"] for row in part), reverse=True)[:2]
        assert every["more"][s] or [
            row["g2"] for row in by_evidence["words"][s][:2]
        ] == pytest.approx(strongest)
    clear_all()


def test_a_set_by_topic_is_another_once_topics_are_merged(client, trained):
    query = "?has=1:20&rest=1"
    before = get(client, trained, query)
    curation.change(trained, 4, {"into": "1"}, "Ada")
    after = get(client, trained, query)
    assert after["sides"][0]["documents"] > before["sides"][0]["documents"] and after != before
    clear_all()
    assert get(client, trained, query) == after


def test_an_embargo_after_the_page_was_seen_takes_the_phrases_away(client, trained):
    def phrases() -> list[str]:
        data = get(client, trained, QUERY)
        return [row["word"] for part in data["words"] for row in part if " " in row["word"]]

    assert phrases()
    set_embargo(trained.corpus, True)
    assert not phrases()


@pytest.mark.parametrize("obstacle", [None, *Obstacle])
def test_why_nothing_can_be_said_is_read_as_it_was_stored(obstacle):
    tried_words = word_contrast.TriedWords(0.95, 3, "t", (4, 9), obstacle)
    packed = json.loads(json.dumps(word_contrast.pack_tried_words(tried_words)))
    assert packed["verdict"] == ("" if obstacle is None else obstacle.value)
    assert word_contrast.read_tried_words(packed) == tried_words


def test_rare_words_and_those_of_one_speaker_come_behind_all_others():
    """“Respectability”, which seven texts of mostly one president have, was the first finding."""
    log_ratios = np.array([3.0, 9.0, 8.0, 2.0])
    result = keyness_of_forms.Keyness(
        ratio=log_ratios,
        low=log_ratios - 1,
        high=log_ratios + 1,
        p=np.full(4, 1e-6),
        different=np.ones(4, bool),
        g2=np.array([1.0, 4.0, 3.0, 2.0]),
        burst=np.array([False, True, False, False]),
    )
    amounts = np.array([[900, 100], [800, 0], [2, 0], [700, 150]])
    is_minor = word_contrast.find_minor(result, amounts, np.array([100_000] * 2), "occurrences")
    rows = np.arange(4)
    assert is_minor.tolist() == [False, True, True, False]
    assert word_contrast.in_order(result, is_minor, rows, "ratio").tolist() == [0, 3, 1, 2]
    assert word_contrast.in_order(result, is_minor, rows, "g2").tolist() == [1, 2, 3, 0]


def test_a_word_that_one_speaker_carries_says_whose_it_is(client, draft, monkeypatch):
    """The page said “mostly one’s”, and not whose. A third of the uses is made the most that a speaker
    may have: with half of them a word of so few speakers may be chance."""
    monkeypatch.setattr(keyness_of_forms, "MOST_OF_ONE", 0.3)
    rows = [["text", "party", "speaker"]]
    for i in range(40):
        party = "WT"[i % 2]
        own = "iron" if party == "W" else "silver"
        for _ in range(10):
            rows.append([f"the {own} and the {own} of a nation", party, f"Member {i}"])
        if party == "W":
            uses = 21 if i == 4 else 2
            rows += [["a zeppelin", party, f"Member {i}"]] * uses
    corpus = corpus_of(draft, rows, "zeppelin.csv", language="en", min_documents=1)
    run = run_on(corpus, topics=2, passes=2)
    corpus_unit.choose(run.corpus, "speaker")
    query = "?in_a=party:W&in_b=party:T"
    words = get(client, run, query)["words"][0]
    assert [word["word"] for word in words] == ["iron", "zeppelin"]
    assert [word["burst"] for word in words] == [False, True]
    assert [word["largest_user"] for word in words] == ["", "Member 4"]
    assert words[1]["part_of_largest"] == pytest.approx(21 / 59)
    page = get(client, run, query, "run_keyness")
    assert "<bdi>depends on Member 4</bdi>" in page and "mostly one’s" not in page
    _, _, lede = page.partition('class="lede"')
    lede, _, _ = lede.partition("</p>")
    assert "iron" in lede and "zeppelin" not in lede
