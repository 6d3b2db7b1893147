"""Nothing slips by one: with empty, repeated and shuffled documents every row, array and export
speaks of the same document."""

import csv
import hashlib
import io
import random

import pytest

from inference.text import Tokeniser
from tests.webapp import mixtures
from tests.webapp.making import corpus_of, run_on
from tests.webapp.taking import taken
from webapp.core.documents import queries as documents
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Document, Topic, Word

ANIMALS = "horse cow sheep goat hen goose duck pig".split()
STARS = "comet planet orbit moon galaxy nebula eclipse meteor".split()


def rows() -> list[list[str]]:
    """id, title, text: of animals and of stars, with empty, wordless and repeated ones among them,
    in no order."""
    chance = random.Random(5)
    found = [[f"a{i}", f"Animals {i}", " ".join(chance.choices(ANIMALS, k=30))] for i in range(40)]
    found += [[f"s{i}", f"Stars {i}", " ".join(chance.choices(STARS, k=30))] for i in range(40)]
    found += [
        [f"e{i}", f"Nothing {i}", text] for i, text in enumerate(["1 2 3", "…", "the of and", "9"])
    ]
    found += [
        ["twin-1", "Twin", found[3][2]],
        ["twin-2", "Twin", found[3][2]],
        [found[5][0], "Same id", found[50][2]],
    ]
    chance.shuffle(found)
    return found


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            [["id", "title", "text"], *rows()],
            "mixed.csv",
            language="en",
            min_documents=1,
            max_share=1.0,
        )
        yield run_on(corpus, seed=1, topics=2, passes=20)


@pytest.mark.django_db
def test_every_row_is_its_document(run):
    given = rows()
    stored = list(Document.objects.filter(corpus_id=run.corpus_id).order_by("number"))
    assert [(d.source_id, d.title, d.text) for d in stored] == [tuple(row) for row in given]
    assert [bytes(d.digest) for d in stored] == [
        hashlib.sha256(row[2].encode()).digest() for row in given
    ]
    found = evidence.of(run)
    vocabulary = list(
        Word.objects.filter(version=run.version_id)
        .order_by("number")
        .values_list("word", flat=True)
    )
    for d, (_, _, text) in enumerate(given):
        words, counts, topics, _ = found.token_topics.of_document(d)
        tokens = [w for _, _, w in Tokeniser("en").spans(text) if w in vocabulary]
        assert sorted(tokens) == sorted(
            vocabulary[w] for w, n in zip(words, counts, strict=True) for _ in range(n)
        )
        shares = {row.number: row.tokens for row in documents.proportions(RunView(run), d)}
        assert sum(shares.values()) == len(tokens)
        assert {k: int(counts[topics == k].sum()) for k in set(topics.tolist())} == shares


@pytest.mark.django_db
def test_each_theme_has_its_topic_and_its_documents(run):
    """Planted themes come out, and their documents under them: a slip by one would mix them."""
    kinds = [row[0][0] for row in rows()]
    largest = {"a": set(), "s": set()}
    for d, (kind, row) in enumerate(zip(kinds, rows(), strict=True)):
        parts = documents.proportions(RunView(run), d)
        if row[1].startswith(("Animals", "Stars")):
            largest[kind].add(parts[0].number)
        if kind == "e":
            assert parts == []
    assert len(largest["a"]) == len(largest["s"]) == 1 and largest["a"] != largest["s"]


@pytest.mark.django_db
def test_exports_name_documents_and_topics_alike(run):
    text = taken(run, "document-topics.csv").decode()
    given = rows()
    found = list(csv.DictReader(io.StringIO(text)))
    assert {int(row["document"]) for row in found} == {
        d for d, row in enumerate(given) if not row[0].startswith("e")
    }
    for row in found:
        assert (row["id"], row["title"]) == tuple(given[int(row["document"])][:2])
    assert {(int(row["document"]), int(row["topic"]), int(row["tokens"])) for row in found} == {
        row[:3] for row in mixtures.rows(run)
    }
    assert {int(row["topic"]) for row in found} == set(
        Topic.objects.filter(snapshot_id=run.snapshot_id).values_list("number", flat=True)
    )
