"""Topics that a reader names before a training: in the form, the API and the command; on the pages of
the run, in what continues it, and in a bundle."""

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from inference.errors import Invalid
from inference.verify import verify
from tasks.runs import train
from tests.webapp.taking import taken
from webapp.analysis.topics import named_before
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.named_topics import NamedTopic
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import evidence, labels, provenance
from webapp.core.results.view import RunView
from webapp.core.runs import final_results, services as runs, steering
from webapp.models import Run, Word
from webapp.platform.accounts import quotas

pytestmark = pytest.mark.django_db

EMPTY = NamedTopic("Nothing", ("zyzzogeton", "quokkas", "frobnicate"))


@pytest.fixture
def named(ready) -> list[NamedTopic]:
    """Two topics of words of the corpus that are neither rare nor everywhere, and one of none."""
    rows = Word.objects.filter(version=ready.version, tokens__gte=15).order_by("number")
    words = list(rows.values_list("word", flat=True)[20:28])
    return [NamedTopic("First", tuple(words[:4])), EMPTY, NamedTopic("Third", tuple(words[4:]))]


def reread(pk: int) -> Run:
    return Run.objects.select_related("corpus__version", "version", "snapshot", "parent").get(pk=pk)


def test_a_worker_that_ends_when_the_run_is_done_loses_no_name_and_no_run_of_all(
    ready, named, monkeypatch
):
    made = runs.create(
        ready.version, topics=8, topics_named=named, consensus=True, engine_settings={"passes": 2}
    )

    def killed(*arguments) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(final_results, "forget_documents", killed)
    with pytest.raises(KeyboardInterrupt):
        train(made.pk)
    made = reread(made.pk)
    assert made.status == "done" and labels.read(made).label(0) == "First"
    assert made.replicates.exists()


def test_lines_and_pasted_tables_are_read():
    text = "Economy: tax, Interest  Rate, jobs\n\nMigration\tasylum\tborder\tvisa\tvisa\n"
    economy, migration = named_topics.read(text)
    assert economy == NamedTopic("Economy", ("tax", "interest_rate", "jobs"))
    assert migration == NamedTopic("Migration", ("asylum", "border", "visa"))
    assert named_topics.read(named_topics.written([economy, migration])) == [economy, migration]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tax, jobs, wages", "a name, a colon, and words"),
        ("Economy: tax, jobs", "3 to 20 different words or phrases, got 2"),
        (": a, b, c", "A name must have 1 to 60 characters"),
        ("A: a, b, c\na: d, e, f", "Two topics are called"),
        ("A: a, b, " + "c" * 61, "at most 60 characters"),
        ("\n".join(f"N{i}: a, b, c" for i in range(51)), "At most 50 topics"),
    ],
)
def test_what_cannot_be_is_refused(text, sentence):
    with pytest.raises(Invalid, match=sentence):
        named_topics.read(text)


def test_the_form_says_how_often_each_word_is_there(client, ready, named):
    shared = NamedTopic("Second", (*named[0].words[:1], *EMPTY.words[:2]))
    text = named_topics.written([*named, shared])
    sent = {"engine": "ssi", "topics": "8", "seed": "0", "count": "1", "seeds": text}
    sent |= {"statistics": "memo", "expectation": "mean", "learn": "nothing"}
    sent |= {"interval": "20", "kappa": "0.7", "tau0": "10"}
    before = Run.objects.count()
    answer = client.post(reverse("corpus_runs", args=[ready.pk]), sent)
    page = answer.content.decode()
    assert answer.status_code == 200 and Run.objects.count() == before
    word = Word.objects.get(version=ready.version, word=named[0].words[0])
    assert f'<td class="n" data-label="times">{word.tokens:,}</td>' in page
    assert f'<td class="n" data-label="documents">{word.documents:,}</td>' in page
    assert "it will stay empty" in page and "no word that counts here" in page
    assert f"The texts have only “<bdi>{word.word}</bdi>” of its words" in page
    counted = named_topics.count_topics(ready.version, [*named, shared])
    assert [topic.only_seed for topic in counted] == ["", "", "", word.word]
    first = counted[0]
    assert first.seeds[0].shared == ["Second"] and first.seeds[1].shared == []
    del sent["count"]
    made = client.post(reverse("corpus_runs", args=[ready.pk]), sent)
    run = Run.objects.get(pk=int(made["Location"].rstrip("/").rsplit("/", 1)[1]))
    assert run.steering == Steering(named=[*named, shared]).stored


def test_engines_and_numbers_that_cannot_be_are_refused(ready, named):
    for engine, settings, sentence in (
        ("svi", {"topics": 8}, "can't train topics that are named beforehand"),
        ("ssi", {"topics": 2}, "there must be at least 3"),
        ("ssi", {"topics": 8, "learn": "both"}, "priors are fixed"),
    ):
        with pytest.raises(Invalid, match=sentence):
            runs.create(ready.version, engine=engine, topics_named=named, engine_settings=settings)
    with pytest.raises(Invalid, match="support none of the named topics"):
        runs.create(ready.version, topics=8, topics_named=[EMPTY])


def test_the_command_reads_a_file(ready, named, tmp_path):
    file = tmp_path / "seeds.txt"
    file.write_text(named_topics.written(named), encoding="utf-8")
    call_command("train", str(ready.pk), topics=8, seeds=str(file), no_wait=True)
    assert Run.objects.latest("pk").steering == Steering(named=named).stored


def test_a_named_topic_keeps_number_and_name_and_one_without_support_stays_empty(
    client, ready, named, tmp_path
):
    made = runs.create(ready.version, topics=8, topics_named=named, engine_settings={"passes": 4})
    train(made.pk)
    run = reread(made.pk)
    assert run.status == Run.Status.DONE, run.error
    given = labels.read(run)
    assert [given.present(k)["label"] for k in range(3)] == ["First", "Nothing", "Third"]
    held = evidence.of(run)
    assert (np.asarray(held.token_topics.topics) != 1).all() and run.in_use == 7
    column = dict(
        Word.objects.filter(version=run.version, word__in=named[0].words).values_list(
            "word", "number"
        )
    )
    own = np.isin(held.section_bow.words, list(column.values()))
    assert (np.asarray(held.token_topics.topics)[own] == 0).mean() > 0.5
    page = client.get(reverse("run", args=[run.pk])).content.decode()
    assert "no support in the texts: empty" in page and "First (T00):" in page
    assert "Steered:" not in page
    for name in ("run_overview", "run_topics", "run_methods"):
        assert client.get(reverse(name, args=[run.pk])).status_code == 200
    for number in range(3):
        answer = client.get(reverse("run_topic", args=[run.pk, number]))
        text = answer.content.decode()
        assert answer.status_code == 200 and named[number].name in text
        assert "Named before the training" in text
        is_empty = number == 1
        assert ("too few occurrences of its words to support it" in text) == is_empty
    account = named_before.of_topic(RunView(run), 0)
    assert account is not None
    # The evidence has each word of a document once, however often it stands there
    assert account.share == pytest.approx(
        (np.asarray(held.token_topics.topics)[own] == 0).mean(), abs=0.01
    )
    nothing = named_before.of_topic(RunView(run), 1)
    assert nothing is not None
    assert nothing.share == 0.0
    assert named_before.of_topic(RunView(run), 3) is None
    assert provenance.made_by(run)["topics named beforehand"] == run.steering["seeds"]
    again = runs.train_again(run)
    assert again.steering == run.steering
    next_run = runs.train_on(run)
    assert next_run.begins and next_run.steering == run.steering
    train(next_run.pk)
    assert reread(next_run.pk).status == Run.Status.DONE, reread(next_run.pk).error
    merged = steering.start(run, steering.Wish(merge=[0, 2, 5]))
    assert merged.topics == 6
    first = Steering.of_run(merged).named[0]
    assert first == NamedTopic("First", (*named[0].words, *named[2].words))
    assert [topic.name for topic in Steering.of_run(merged).named] == ["First", "Nothing"]
    file = tmp_path / "bundle.zip"
    file.write_bytes(taken(run, "bundle.zip"))
    findings = list(verify(file))
    assert findings and all(finding.same for finding in findings), findings


def test_further_runs_have_at_least_the_topics_that_are_named(client, ready, named, monkeypatch):
    """Half of the topics were proposed of every run, and refused where more than half are named."""
    run = runs.create(ready.version, topics=4, topics_named=named, engine_settings={"passes": 2})
    assert runs.variants_said(run).startswith("8 topics, seed 1, seed 2: about ")
    address = reverse("run_variants", args=[run.pk])
    page = reverse("corpus", args=[run.corpus_id])
    answer = client.post(address, {"next": page})
    assert (answer.status_code, answer.url) == (302, page)
    made = Run.objects.filter(version=ready.version, pk__gt=run.pk).order_by("pk")
    assert [(new.topics, new.seed) for new in made] == [(8, 0), (4, 1), (4, 2)]
    assert all(Steering.of_run(new).named == Steering.of_run(run).named for new in made)

    # What can't be done is said on the page that asked

    def refuse(user, more=1):
        raise Invalid("jobs", "You have too many jobs.")

    monkeypatch.setattr(quotas, "check_job", refuse)
    refused = client.post(address, {"next": page}, follow=True)
    assert refused.status_code == 200 and "You have too many jobs." in refused.content.decode()
