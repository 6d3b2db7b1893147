"""What pages and exports say is what the model says: recomputed here from the arrays."""

import csv
import io
from collections import Counter, defaultdict

import numpy as np
import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection
from django.db.models import Sum
from django.test import AsyncClient
from django.urls import reverse

from inference import checkpoint, engines
from inference.bow import Bow
from tests.inference import naive_explore
from tests.webapp import mixtures
from webapp.analysis.words import queries as words
from webapp.core.documents import queries as documents
from webapp.core.results import evidence, topics
from webapp.core.results.view import RunView
from webapp.models import Metric, Topic, TopicWord, Word
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def model(trained):
    """The run's topics, straight from its last checkpoint."""
    config = engines.config(trained.engine, **trained.settings)
    bow = Bow.open(files.version_folder(trained.version_id) / "bow")
    state = checkpoint.load(
        files.run_folder(trained.pk) / "checkpoint",
        engine=engines.get(trained.engine),
        config=config,
        bow=bow,
    )
    return engines.get(trained.engine).topics(config, state), bow


def download(url: str) -> list[list[str]]:
    """A CSV as a browser gets it, as rows."""

    async def get():
        response = await AsyncClient().get(url, headers={"Accept-Encoding": "gzip, br"})
        assert response.status_code == 200
        assert response["Content-Disposition"].startswith("attachment")
        return b"".join([piece async for piece in response.streaming_content])

    return list(csv.reader(io.StringIO(async_to_sync(get)().decode())))


def test_topic_words_are_the_models(trained, model):
    found, _ = model
    vocabulary = list(
        Word.objects.filter(version=trained.version_id)
        .order_by("number")
        .values_list("word", flat=True)
    )
    for k in range(trained.topics):
        listed, _ = topics.words(trained, k, limit=10**6)
        row = slice(found.indptr[k], found.indptr[k + 1])
        size = row.stop - row.start
        assert [w["word"] for w in listed[:size]] == [vocabulary[w] for w in found.words[row]]
        assert np.array_equal(np.float32([w["weight"] for w in listed[:size]]), found.weights[row])
        # Words with tokens there, and no weight of their own
        assert np.allclose([w["weight"] for w in listed[size:]], found.floor[k])


def test_each_topic_sums_to_one(trained, model):
    found, bow = model
    for topic in Topic.objects.filter(snapshot_id=trained.snapshot_id):
        listed = sum(w["weight"] for w in topics.words(trained, topic.number, limit=10**6)[0])
        assert listed + topic.floor_mass == pytest.approx(1, abs=1e-5)
    shares = Topic.objects.filter(snapshot_id=trained.snapshot_id).values_list("share", flat=True)
    assert sum(shares) == pytest.approx(1, abs=1e-6)


def test_every_document_with_words_has_proportions(trained, model):
    _, bow = model
    stored = {row.document for row in mixtures.rows(trained)}
    with_words = set(np.flatnonzero(np.diff(bow.indptr)).tolist())
    assert stored == with_words
    for number in list(with_words)[:50]:
        parts = documents.proportions(RunView(trained), number)
        assert sum(p.share for p in parts) == pytest.approx(1, abs=1e-5)
        assert sum(p.tokens for p in parts) == bow.first_token[number + 1] - bow.first_token[number]


def test_bag_of_words_row_is_the_documents_text(trained, model):
    """Identity: row n of the arrays, row n in Postgres and the text of document n are one
    document."""
    from webapp.core.documents import wording

    _, bow = model
    vocabulary = list(
        Word.objects.filter(version=trained.version_id)
        .order_by("number")
        .values_list("word", flat=True)
    )
    known = set(vocabulary)
    for number in (0, 1, 57, bow.D - 1):
        text = documents.document(trained.corpus, number).text
        expected = Counter(w for _, _, w in wording.terms(trained.version, [text])[0] if w in known)
        row = slice(bow.indptr[number], bow.indptr[number + 1])
        assert {
            vocabulary[w]: c for w, c in zip(bow.words[row], bow.counts[row], strict=True)
        } == expected


def test_tokens_add_up_wherever_they_are_counted(trained, model):
    """By word, by document, by topic and in all: the same tokens."""
    _, bow = model
    of_words = (
        TopicWord.objects.filter(snapshot_id=trained.snapshot_id)
        .values_list("word")
        .annotate(n=Sum("tokens"))
    )
    assert dict(of_words) == dict(
        Word.objects.filter(version=trained.version_id).values_list("number", "tokens")
    )
    of_documents = Counter()
    held = defaultdict(list)
    for row in mixtures.rows(trained):
        of_documents[row.document] += row.tokens
        held[row.topic].append(row.tokens)
    assert of_documents == {d: n for d, n in enumerate(np.diff(bow.first_token).tolist()) if n}
    for topic in Topic.objects.filter(snapshot_id=trained.snapshot_id):
        assert (len(held[topic.number]), sum(held[topic.number])) == (topic.documents, topic.tokens)
        assert (
            TopicWord.objects.filter(snapshot_id=trained.snapshot_id, topic=topic.number).aggregate(
                n=Sum("tokens")
            )["n"]
            == topic.tokens
        )
        assert topic.share == pytest.approx(topic.tokens / bow.tokens)


def test_a_senses_tokens_can_be_opened(trained):
    """Each sense of a word is the sum of tokens that stand in texts, where the arrays say."""
    word = words.word(trained.version, "militia")
    found = evidence.of(trained)
    senses = TopicWord.objects.filter(
        snapshot_id=trained.snapshot_id, word=word.number, tokens__gt=0
    ).values()
    assert sum(s["tokens"] for s in senses) == word.tokens
    of, counts, given, _ = found.word_topics.of_word(word.number)
    for sense in senses:
        mine = given == sense["topic"]
        assert (int(counts[mine].sum()), int(mine.sum())) == (sense["tokens"], sense["documents"])
        for d in of[mine].tolist():
            text = documents.document(trained.corpus, d).text
            assert all(
                text[at : at + 7].lower() == "militia"
                for at in found.token_places.offsets(d, word.number).tolist()
            )


def test_long_csv_is_the_database(trained):
    rows = download(reverse("export", args=[trained.pk, "topics-long.csv"]))
    assert rows[0] == ["topic", "rank", "word", "weight", "tokens", "documents", "label", "name"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT topic, rank + 1, w.word, weight, t.tokens, t.documents, '', n.name FROM"
            " topic_word t JOIN word w ON w.number = t.word JOIN webapp_topic n ON n.snapshot_id ="
            " t.snapshot_id AND n.number = t.topic WHERE t.snapshot_id = %s AND version_id = %s"
            " ORDER BY topic, rank",
            [trained.snapshot_id, trained.version_id],
        )
        assert [tuple(r) for r in rows[1:]] == [tuple(map(str, r)) for r in cursor.fetchall()]


def test_wide_csv_is_the_topics(trained):
    rows = download(reverse("export", args=[trained.pk, "topics-wide.csv"]) + "?words=7")
    assert rows[0][:5] == ["topic", "share", "coherence", "label", "name"] and len(rows[0]) == 5 + 7
    assert [int(r[0]) for r in rows[1:]] == list(range(trained.topics))
    for row in rows[1:]:
        assert (
            row[5:]
            == topics.top_words(RunView(trained), [int(row[0])], 7, topics.PROBABILITY_LAM)[
                int(row[0])
            ]
        )


def test_document_csv_is_the_database(trained):
    rows = download(reverse("export", args=[trained.pk, "document-topics.csv"]))
    assert rows[0] == [
        "document",
        "whole",
        "part",
        "id",
        "title",
        "date",
        "topic",
        "tokens",
        "share",
        "file",
        "place",
        "sha256",
    ]
    known = {(d, k): (n, w) for d, k, n, w in mixtures.rows(trained)}
    assert len(rows) - 1 == len(known)
    for number, _, _, source_id, _, _, topic, tokens, share, *_ in rows[1:200]:
        assert known[int(number), int(topic)] == (
            int(tokens),
            pytest.approx(float(share), rel=1e-6),
        )
        assert documents.document(trained.corpus, int(number)).source_id == source_id


def test_command_writes_what_the_page_gives(trained, capsysbinary):
    page = download(reverse("export", args=[trained.pk, "topics-long.csv"]))
    call_command("export_topics", trained.pk)
    assert list(csv.reader(io.StringIO(capsysbinary.readouterr().out.decode()))) == page


def test_charts_have_a_point_for_every_snapshot(trained):
    points = list(Metric.objects.filter(run=trained).order_by("step"))
    assert len(points) >= 3 and points[-1].step == trained.step == trained.steps
    tokens = [p.tokens for p in points]
    assert tokens == sorted(set(tokens))
    for point in points:
        assert len(point.topic_coherence) == trained.topics
        assert point.held_out is not None and -12 < point.held_out < -3
        assert 0 < point.nonzero <= 1


def test_each_topic_knows_its_like_and_its_company(trained, model):
    found, bow = model
    far = naive_explore.divergences(found.dense(), found.dense())
    held = np.zeros((bow.D, trained.topics), bool)
    for d, k, _, share in mixtures.rows(trained):
        held[d, k] = share >= 0.1
    for topic in Topic.objects.filter(snapshot_id=trained.snapshot_id):
        others = np.delete(np.arange(trained.topics), topic.number)
        assert sorted(k for k, _ in topic.similar) == others.tolist()  # of six topics all are named
        assert [d for _, d in topic.similar] == pytest.approx(
            sorted(far[topic.number, others]), abs=1e-3
        )
        assert abs(topic.x) <= 1 and abs(topic.y) <= 1
        for k, lift, documents_of_both in topic.beside:
            assert documents_of_both == (held[:, topic.number] & held[:, k]).sum()
            assert lift > 1
