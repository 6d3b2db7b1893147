"""Simulated texts: a corpus like any other, whose true topics are kept, and a page that holds a
run's against them."""

import io

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from inference import simulate
from tasks.corpora import read_corpus
from tests.webapp.making import run_on
from webapp.core.simulate import queries, services, truth
from webapp.core.simulate.truth import MadeSettings
from webapp.models import Corpus, Document
from webapp.service.operations import backup

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = MadeSettings(
    documents=150, topics=4, vocabulary=60, length=60, alpha=0.1, varied=False, eta=0.05, seed=3
)


@pytest.fixture
def made() -> Corpus:
    corpus = services.create(SMALL)
    read_corpus(corpus.pk)
    corpus.refresh_from_db()
    assert corpus.status == "ready", corpus.error
    return corpus


def test_the_corpus_is_what_was_drawn(made):
    """All words count, and each document has those that were drawn for it."""
    bow, known = services.draw(SMALL)
    kept = truth.read(made)
    assert all(np.array_equal(a, b) for a, b in zip(kept.truth, known.truth, strict=True))
    assert (kept.settings, kept.words) == (
        SMALL,
        simulate.words(60),
    ) and kept.share.sum() == pytest.approx(1)
    assert (made.documents, made.tokens) == (bow.D, bow.tokens)
    assert made.vocabulary == len(np.unique(bow.words))
    text = Document.objects.get(corpus_id=made.pk, source_id="made-7").text
    row = slice(bow.indptr[7], bow.indptr[8])
    assert sorted(text.split()) == sorted(
        np.repeat([kept.words[w] for w in bow.words[row]], bow.counts[row])
    )


def test_a_run_beside_the_truth(made, client):
    run = run_on(made, topics=4, passes=30, seed=1)
    answer = client.get(reverse("run_truth_json", args=[run.pk])).json()["beside"]
    rows = answer["topics"]
    summary = answer["summary"]
    assert [row["true"] for row in rows] == np.argsort(-truth.read(made).share).tolist()
    assert sorted(row["partner"] for row in rows) == [0, 1, 2, 3], "a matching is one to one"
    assert summary["recovered"] >= 3 and summary["worse"] == 0 and not answer["extra"]
    assert all(0 < row["relative_error"] < row["uniform_error"] for row in rows if row["recovered"])
    assert answer["alpha"]["same"] and answer["alpha"]["sum"] == pytest.approx(0.4)
    page = client.get(reverse("run_truth", args=[run.pk])).content.decode()
    assert (
        f"The run found {summary['recovered']} of them" in page and "one α for all topics" in page
    )
    for name in ("run", "run_overview"):
        assert (
            reverse("run_truth", args=[run.pk])
            in client.get(reverse(name, args=[run.pk])).content.decode()
        )
    assert (
        "drawn from known topics" in client.get(reverse("corpus", args=[made.pk])).content.decode()
    )


def test_the_errors_are_those_of_the_topics(made):
    """Computed a second time, from the run's topics as arrays."""
    from webapp.core.results import weights

    run = run_on(made, topics=2, passes=5, seed=1)
    known = truth.read(made)
    beta = weights.topics(run.snapshot).dense()
    place = {word: w for w, word in enumerate(weights.vocabulary(run.version))}
    columns = [place.get(word) for word in known.words]
    beta = np.array([[0.0 if w is None else row[w] for w in columns] for row in beta])
    measured = queries.measured(run.snapshot_id)
    assert measured.summary.alone == 2 and sum(row.partner is None for row in measured.topics) == 2
    for row in measured.topics:
        if row.partner is not None:
            true = known.truth.beta[row.true]
            other = beta[row.partner]
            assert row.relative_error == pytest.approx(
                ((true - other) ** 2).sum() / (true**2).sum()
            )
            assert row.total_variation == pytest.approx(np.abs(true - other).sum() / 2)
            assert row.found_words[0][0] == known.words[other.argmax()]


def test_more_topics_than_there_are(made, client):
    run = run_on(made, topics=7, passes=5, seed=1)
    page = client.get(reverse("run_truth", args=[run.pk]))
    assert (
        len(page.context["page"].beside.extra) == 3
        and "without a true partner" in page.content.decode()
    )


def test_other_texts_have_no_truth(ready, client, trained):
    assert client.get(reverse("run_truth", args=[trained.pk])).status_code == 404
    assert "known topics" not in client.get(reverse("run", args=[trained.pk])).content.decode()


def test_a_run_without_topics_yet(made, client):
    from webapp.core.runs import services as runs

    run = runs.create(made.version, topics=2)
    assert (
        "as soon as the run has some"
        in client.get(reverse("run_truth", args=[run.pk])).content.decode()
    )


def posted(client, **changes):
    form = client.get(reverse("simulate")).context["page"].form
    values = {name: form[name].initial for name in form.fields} | changes
    return client.post(
        reverse("simulate"), {name: value for name, value in values.items() if value is not False}
    )


def test_the_form_makes_a_corpus(client):
    answer = posted(client, documents=30, varied=False, seed=5)
    corpus = Corpus.objects.latest("pk")
    assert answer.status_code == 302 and answer["Location"] == reverse("corpus", args=[corpus.pk])
    assert truth.read(corpus).settings == MadeSettings(documents=30, varied=False, seed=5)
    assert corpus.status == "queued" and "known" not in corpus.name
    assert corpus.train_settings == {"topics": 10}, "a run follows by itself"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"documents": 5}, "“Documents” must be at least 20, got 5."),
        ({"documents": 50_000}, "5,000,000 words; make at most 1,000,000"),
        ({"topics": 200, "vocabulary": 20_000}, "choose fewer topics"),
        ({"eta": 0}, "“Words in a topic” must be at least 0.001, got 0."),
        ({"alpha": "nan"}, "must be a finite number, got nan"),
        ({"length": ""}, "“Words in a document” must be a number, got “”."),
        ({"documents": "30\0"}, "a character that no text has"),
        ({"words": "7"}, "There is no field “words” here"),
    ],
)
def test_what_can_not_be_is_refused(client, changes, said):
    answer = posted(client, **changes)
    assert answer.status_code == 400 and said in answer.content.decode()
    assert not Corpus.objects.filter(name__startswith="Simulated texts").exists()


def test_a_backup_has_the_truth(made):
    for status in ("queued", "ready"):
        Corpus.objects.filter(pk=made.pk).update(status=status)
        from django.db import connection

        with connection.cursor() as cursor:
            rows = backup.on_record(cursor)
        names = {file.name for file in backup.list_files(rows, truth.path(made).parent)}
        assert f"corpora/{made.pk}/{truth.FILE}" in names, status


def test_the_command_writes_a_file(tmp_path):
    out = io.StringIO()
    path = tmp_path / "made.csv"
    call_command(
        "simulate",
        "--csv",
        str(path),
        "--documents",
        "30",
        "--topics",
        "3",
        "--same-alpha",
        stdout=out,
    )
    assert out.getvalue().strip() == str(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,title,text" and len(lines) == 31
    with np.load(tmp_path / "made.csv.truth.npz") as kept:
        assert kept["beta"].shape == (3, 500) and kept["alpha"].tolist() == [0.1] * 3
    with pytest.raises(CommandError, match="topics must be at least 1, got 0."):
        call_command("simulate", "--csv", str(path), "--topics", "0")
    for option, sentence in [
        ("--alpha=nan", "alpha must be a finite number, got nan"),
        ("--seed=-1", "seed must be at least 0, got -1"),
        ("--documents=2.5", "documents must be a whole number, got 2.5"),
    ]:
        with pytest.raises(CommandError, match=sentence):
            call_command("simulate", "--csv", str(path), option)
    with pytest.raises(CommandError, match="can't be written"):
        call_command("simulate", "--csv", str(tmp_path / "no" / "made.csv"), "--documents", "30")


def test_the_command_makes_a_corpus():
    out = io.StringIO()
    call_command("simulate", "--documents", "30", "--name", "Mine", "--no-wait", stdout=out)
    assert truth.exists(Corpus.objects.get(pk=int(out.getvalue()), name="Mine"))
