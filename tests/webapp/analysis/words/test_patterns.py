"""The page of a pattern of words: its numbers again from the texts, its lines, its chart, its
errors, its file."""

import csv
import io
import random
from collections import Counter

import pytest
from django.urls import reverse

from inference.index.patterns import PatternError, parse
from inference.text import Tokeniser
from tests.inference import naive_patterns
from tests.inference.index.test_patterns import cut, sentences, written
from tests.webapp.taking import taken
from webapp.analysis.words import concordance
from webapp.core.documents import search
from webapp.models import Corpus, Document, Run, Word
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db


def get(client, run, status=200, name="run_pattern_json", **query):
    response = client.get(reverse(name, args=[run.pk]), query)
    assert response.status_code == status, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def every_line(client, run, **query):
    lines = []
    after = 0
    while True:
        page = get(client, run, after=after, **query)
        lines += page["lines"]
        after = page["last"]
        if page["next"] is None:
            assert len(lines) == page["total"]
            return lines


@pytest.fixture(scope="module")
def spans(trained, django_db_blocker):
    """document -> its text, and (start, end, word) of every word."""
    with django_db_blocker.unblock():
        rows = Document.objects.filter(corpus_id=trained.corpus_id).values_list("number", "text")
        cut = [(number, text, Tokeniser("en").spans(text)) for number, text in rows]
    return {
        number: (
            text,
            [(a, b, naive_patterns.Written(word, text[a:b])) for a, b, word in spans],
            sentences(text, spans),
        )
        for number, text, spans in cut
    }


def by_hand(spans, pattern, documents=None):
    """document -> (first character, last character) of each hit."""
    found = {}
    parsed = parse(pattern, cut)
    for number, (_, words, sentence_of_word) in spans.items():
        if documents is None or number in documents:
            hits = naive_patterns.hits(parsed, [word for *_, word in words], None, sentence_of_word)
            if hits:
                found[number] = [(words[begin][0], words[end - 1][1]) for begin, end in hits]
    return found


@pytest.mark.parametrize(
    "pattern",
    [
        "congress",
        "united states",
        "right|rights ~9 people",
        "the{0,1} people of *{0,2} states",
        "/(un)?just(ly)?/",
        "secur*",
        "*ment of the",
        "wom?n|m?n",
        "fellow-citizens",
        "public * and ~5 *ed",
        "right|rights ~s people",
        "the people ~4s government ~s of",
        "=Union",
        "=union",
        "the =Union|=States|constitution",
        '[word="the"] [word="People"%c]',
        "=The{0,1} =President",
    ],
)
def test_numbers_and_lines_are_those_of_the_texts(client, trained, spans, pattern):
    wanted = by_hand(spans, pattern)
    page = get(client, trained, pattern=pattern)
    assert wanted and (page["hits"], page["documents"]) == (
        sum(map(len, wanted.values())),
        len(wanted),
    )
    assert page["total"] == page["hits"] and page["kept_back"] == 0
    lines = [(line["document"], line["at"], line["word"]) for line in page["lines"]]
    places = [
        (d, a, " ".join(spans[d][0][a:b].split())) for d in sorted(wanted) for a, b in wanted[d]
    ]
    assert lines == places[: concordance.PAGE]


def test_random_patterns_of_the_corpus(client, trained, spans):
    """Words of one document, so that most are found."""
    rng = random.Random(5)
    total = 0
    some = {d: spans[d] for d in sorted(spans)[:40]}
    names = [word for *_, word in some[3][1] if word.isascii() and word.isalpha()]
    for _ in range(25):
        at = rng.randrange(len(names) - 4)
        pattern = written(rng, names[at : at + 4])
        try:
            wanted = by_hand(some, pattern)
        except PatternError:
            continue
        found = Counter(
            line["document"] for line in get(client, trained, pattern=pattern, after=0)["lines"]
        )
        if found and (last := max(found)) < max(some):
            assert {d: len(hits) for d, hits in wanted.items() if d < last} == {
                d: n for d, n in found.items() if d < last
            }, pattern
            total += len(found)
    assert total


def test_a_set_is_counted_alone(client, trained, spans):
    inside = set(
        Document.objects.filter(
            corpus_id=trained.corpus_id, date__year__gte=1790, date__year__lte=1799
        ).values_list("number", flat=True)
    )
    wanted = by_hand(spans, "the people", inside)
    page = get(client, trained, pattern="the people", **{"from": "1790", "to": "1799"})
    assert (
        0
        < page["hits"]
        == sum(map(len, wanted.values()))
        < get(client, trained, pattern="the people")["hits"]
    )
    assert sum(bar["documents"] for bar in page["years"]) == page["hits"]


def test_hits_in_a_topic_are_the_tokens_of_the_word(client, trained):
    word = Word.objects.get(version=trained.version_id, number=3).word
    senses = client.get(reverse("run_word_json", args=[trained.pk, word])).json()
    topics = {sense["number"]: sense["tokens"] for sense in [*senses["senses"], *senses["rare"]]}
    assert len(topics) > 1
    for topic, tokens in topics.items():
        page = get(client, trained, pattern=word, topic=topic)
        assert page["hits"] == tokens and page["topic"]["number"] == topic
        assert {line["topic"] for line in page["lines"]} == {topic}
    assert get(client, trained, pattern=word)["hits"] == sum(topics.values())
    lines = client.get(
        reverse("run_word_json", args=[trained.pk, word]), {"topic": "all", "sort": "document"}
    ).json()["lines"]
    same = [(line["document"], line["at"], line["topic"], line["certainty"]) for line in lines]
    assert same == [
        (line["document"], line["at"], line["topic"], line["certainty"])
        for line in get(client, trained, pattern=word)["lines"]
    ]


def test_lines_have_an_order_and_pages(client, trained):
    by_document = every_line(client, trained, pattern="the people")
    assert [line["document"] for line in by_document] == sorted(
        line["document"] for line in by_document
    )
    for sort, words in (
        ("right", lambda line: line["after"]),
        ("left", lambda line: line["before"]),
    ):
        lines = every_line(client, trained, pattern="the people", sort=sort)
        assert {(line["document"], line["at"]) for line in lines} == {
            (line["document"], line["at"]) for line in by_document
        }
        first = [concordance.WORD.findall(words(line).lower()) for line in lines]
        keys = [(row[0] if sort == "right" else row[-1]) if row else "" for row in first]
        assert keys == sorted(keys)
    assert get(client, trained, pattern="the people", sort="oldest")["sort"] == "document"


def test_a_bar_of_the_chart_opens_its_hits_and_says_how_often(client, trained, spans):
    page = get(client, trained, pattern="congress")
    bar = max(page["years"], key=lambda bar: bar["part"])
    assert bar["part"] == 1.0
    inside = client.get(reverse("run_pattern_json", args=[trained.pk]) + bar["url"]).json()
    assert inside["hits"] == bar["documents"] and inside["pattern"] == "congress"
    numbers = client.get(reverse("run_documents_json", args=[trained.pk]) + bar["url"]).json()[
        "count"
    ]
    assert numbers > 0 and inside["most_often"] == pytest.approx(page["most_often"], rel=1e-6)


def test_groups_are_counted_by_hand_and_open_their_hits(client, trained, spans):
    fields = Document.objects.filter(corpus_id=trained.corpus_id).values_list("number", "metadata")
    presidents = {number: row["president"] for number, row in fields}
    wanted = Counter()
    having = Counter()
    words = Counter()
    for number, places in by_hand(spans, "the people").items():
        wanted[presidents[number]] += len(places)
        having[presidents[number]] += 1
    for number, (_, pieces, _) in spans.items():
        words[presidents[number]] += len(pieces)
    page = get(client, trained, pattern="the people", by="president")
    assert 1 < len(page["groups"]) == len(wanted) <= 12 and page["by"] == "president"
    assert [row["hits"] for row in page["groups"]] == sorted(wanted.values(), reverse=True)
    for row in page["groups"]:
        name = row["label"]
        assert (row["hits"], row["documents"]) == (wanted[name], having[name])
        assert row["rate"] == pytest.approx(10_000 * wanted[name] / words[name])
        assert sum(bar["documents"] for bar in row["years"]) == wanted[name]
        inside = client.get(reverse("run_pattern_json", args=[trained.pk]) + row["url"]).json()
        assert (inside["hits"], inside["pattern"]) == (wanted[name], "the people")
    # One time for all groups, whose hits add up to those of the page
    for i, bar in enumerate(page["years"]):
        assert {row["years"][i]["label"] for row in page["groups"]} == {bar["label"]}
        assert sum(row["years"][i]["documents"] for row in page["groups"]) == bar["documents"]
    assert max(bar["part"] for row in page["groups"] for bar in row["years"]) == pytest.approx(1.0)
    some = get(client, trained, pattern="the people", by="president", **{"from": "1795"})
    assert sum(row["hits"] for row in some["groups"]) == some["hits"] < page["hits"]
    assert "Hits by group" in get(client, trained, 200, "run_pattern", pattern="the people")
    get(client, trained, 400, pattern="the people", by="nothing")


def test_topics_of_hits_are_those_of_their_pages(client, trained):
    page = get(client, trained, pattern="the *", by="run-topic", match="congress")
    wanted = {
        k: get(client, trained, pattern="the *", topic=k, match="congress")
        for k in range(trained.topics)
    }
    assert 3 < len(page["groups"]) <= 12
    for row in page["groups"]:
        inside = client.get(reverse("run_pattern_json", args=[trained.pk]) + row["url"]).json()
        k = inside["topic"]["number"]
        assert inside == wanted[k] | {
            name: inside[name] for name in ("lines", "sorts", "next", "years")
        }
        assert inside["topic"]["label"] in row["label"]
        assert (row["hits"], row["documents"]) == (wanted[k]["hits"], wanted[k]["documents"])
        assert sum(bar["documents"] for bar in row["years"]) == row["hits"]
    hits = [row["hits"] for row in page["groups"]]
    assert hits == sorted(hits, reverse=True)
    if trained.topics <= 12:
        assert sorted(hits, reverse=True) == sorted(
            (w["hits"] for w in wanted.values() if w["hits"]), reverse=True
        )
    html = get(client, trained, 200, "run_pattern", pattern="the people", by="run-topic")
    assert "At most 12 topics" in html and ">Topic</th>" in html


def test_an_error_points_at_its_place(client, trained):
    assert (
        "Character 11 of the pattern: This “(” has no “)”"
        in get(client, trained, 400, pattern="the right (of|to")["error"]
    )
    assert (
        "Behind “=” a word is as it is written, without “*”"
        in get(client, trained, 400, pattern="the =Un*")["error"]
    )
    html = get(client, trained, 400, "run_pattern", pattern="<b> (of|to")
    assert (
        "&lt;b&gt; <mark>(of|to</mark>" in html
        and "has no “)”" in html
        and "How patterns are written" in html
    )
    get(client, trained, 400, pattern="congress", topic=9999)


def test_words_as_written_of_a_corpus_that_an_older_version_read(client, trained, monkeypatch):
    index = search.open_index(trained.corpus)
    monkeypatch.setattr(index.stream, "mixed", None)
    assert get(client, trained, pattern="union")["hits"]
    for pattern in ("the =Union", '[word="Union"]'):
        assert (
            "An older version of Topograph read this corpus"
            in get(client, trained, 400, pattern=pattern)["error"]
        )
        assert "older version" in get(client, trained, 400, "run_pattern", pattern=pattern)
        assert "older version" in documents(client, trained, 400, match=pattern)


def test_the_page_before_and_where_nothing_is_found(client, trained):
    assert get(client, trained) == {"pattern": "", "problem": "", "understood": "", "wrong": ""}
    page = get(client, trained, pattern="zyzzyva")
    assert (page["hits"], page["lines"], page["years"]) == (0, [], page["years"]) and not any(
        bar["documents"] for bar in page["years"]
    )
    assert "occurs in none of the documents" in get(
        client, trained, 200, "run_pattern", pattern="zyzzyva"
    )
    for address in (
        reverse("run_words", args=[trained.pk]),
        reverse("run_word", args=[trained.pk, "congress"]) + "?topic=all",
    ):
        assert reverse("run_pattern", args=[trained.pk]) in client.get(address).content.decode()


def test_a_run_that_trains_says_so(client, trained):
    run = Run.objects.get(pk=trained.pk)
    run.pk = None
    run.status = Run.Status.RUNNING
    run.snapshot = None
    run.save()
    assert "when the run has ended" in get(client, run, 400, "run_pattern", pattern="congress")
    run.delete()


def test_under_embargo_patterns_and_lines_are_bounded(client, trained):
    pattern = "of the united states"
    assert get(client, trained, pattern=pattern)["hits"]
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    clear_all()
    for long in (pattern, "the{2} united states", "united ~3 states ~9 of ~2 america"):
        assert "at most 3 words" in get(client, trained, 400, pattern=long)["error"]
    page = get(client, trained, pattern="the united states")
    assert page["kept_back"] > 0 and page["total"] + page["kept_back"] == page["hits"]
    lines = every_line(client, trained, pattern="the united states")
    assert max(Counter(line["document"] for line in lines).values()) == 3
    assert all(len(line["before"] + line["word"] + line["after"]) <= 200 for line in lines)


def test_the_file_has_every_line(client, trained):
    lines = every_line(client, trained, pattern="the people", **{"from": "1795"})
    rows = list(
        csv.DictReader(
            io.StringIO(
                taken(trained, "lines.csv", "pattern=the+people&from=1795").decode("utf-8-sig")
            )
        )
    )
    assert lines and [(int(row["document"]), int(row["at"])) for row in rows] == [
        (line["document"], line["at"]) for line in lines
    ]
    topic = next(line["topic"] for line in lines if line["topic"] is not None)
    file = taken(trained, "lines.csv", f"pattern=the+people&topics={topic}").decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(file)))
    assert rows and {row["topic"] for row in rows} == {str(topic)}
    address = reverse("export", args=[trained.pk, "lines.csv"])
    assert f"{address}?pattern=the+people" in get(
        client, trained, 200, "run_pattern", pattern="the people"
    )


def test_the_api_has_the_same(client, trained):
    address = f"/api/v1/runs/{trained.pk}/patterns"
    page = client.get(address, {"pattern": "the people", "sort": "left", "from": "1795"}).json()
    same = get(client, trained, pattern="the people", sort="left", **{"from": "1795"})
    for line in [*page["lines"], *same["lines"]]:  # the links of pages carry the set
        del line["url"], line["passage_url"]
    assert page["hits"] and page == same
    answer = client.get(address, {"pattern": "(the"})
    assert answer.status_code == 400 and "Character 1 of the pattern" in answer.content.decode()
    assert client.get(address, {"pattern": "the", "topic": 9999}).status_code == 400
    assert client.get(address, {"pattern": "the", "topic": -1}).status_code in (400, 422)


def documents(client, run, status=200, **query):
    """Numbers of the documents of a set."""
    numbers = []
    after = ""
    while True:
        response = client.get(
            reverse("run_documents_json", args=[run.pk]), query | {"after": after}
        )
        assert response.status_code == status, response.content[-2000:]
        page = response.json()
        if status != 200:
            return page["error"]
        numbers += [item["number"] for item in page["items"]]
        if not page["next"]:
            return numbers
        after = page["next"].split("after=")[1].split("&")[0].replace("%2C", ",")


@pytest.mark.parametrize(
    "pattern", ["right|rights ~9 people", "just *{0,3} peace", "/(un)?just(ly)?/", "zyzzyva"]
)
def test_a_pattern_is_a_condition_of_a_set(client, trained, spans, pattern):
    wanted = sorted(by_hand(spans, pattern))
    assert sorted(documents(client, trained, match=pattern)) == wanted
    years = dict(
        Document.objects.filter(corpus_id=trained.corpus_id).values_list("number", "date__year")
    )
    late = [number for number in wanted if years[number] >= 1795]
    assert sorted(documents(client, trained, match=pattern, **{"from": "1795"})) == late
    both = set(by_hand(spans, "congress")) & set(late)
    assert sorted(
        documents(client, trained, match=[pattern, "congress"], **{"from": "1795"})
    ) == sorted(both)
    of_corpus = client.get(
        reverse("corpus_documents_json", args=[trained.corpus_id]), {"match": pattern}
    ).json()
    assert of_corpus["count"] == len(wanted)
    hits = get(client, trained, pattern="the", match=pattern)
    assert hits["documents"] == len(set(by_hand(spans, "the")) & set(wanted))


def test_a_condition_that_cannot_be_read_is_said(client, trained):
    assert "has no “)”" in documents(client, trained, 400, match="the (right")
    assert "at most 3 patterns" in documents(client, trained, 400, match=["a", "b", "c", "d"])
    Corpus.objects.filter(pk=trained.corpus_id).update(embargo=True)
    assert "at most 3 words" in documents(client, trained, 400, match="of the united states")


def test_the_page_leads_to_the_documents_of_a_pattern(client, trained):
    html = get(client, trained, 200, "run_pattern", pattern="the people", **{"from": "1795"})
    assert "?from=1795&amp;match=the+people" in html
    page = client.get(
        reverse("run_documents", args=[trained.pk]), {"match": "the people"}
    ).content.decode()
    assert "the pattern “the people” occurs" in page and 'name="match" value="the people"' in page
