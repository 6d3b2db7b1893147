"""Every engine through the pages: chosen in the form, trained, shown, taken away and verified; and
the tests' own beside it."""

import io
import json
import re
import zipfile
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from inference import engines
from inference.engines.contract import Truncated, WarmStart
from inference.errors import Invalid
from tests.engines import mixture
from tests.inference.corpora import corpus_of_size
from tests.webapp.page_text import in_one_line
from tests.webapp.taking import taken
from webapp.analysis.compare import matchings, queries as compare
from webapp.analysis.compare.shapes import FoundInRuns
from webapp.core.documents import infer
from webapp.core.results import evidence
from webapp.core.results.priors import priors
from webapp.core.results.view import RunView
from webapp.core.runs import services as runs
from webapp.models import Corpus, Document, Metric, Run, Topic, User, Version, Word
from webapp.platform.accounts import tokens
from webapp.platform.storage import cache
from webapp.service.exports import methods
from webapp.service.exports.catalogue import EXPORT_KINDS

pytestmark = pytest.mark.django_db
NAMES = [*engines.ENGINES, mixture.NAME]


@pytest.fixture(autouse=True, scope="module")
def registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(engines.ENGINES, mixture.NAME, mixture)
        yield


@pytest.fixture(scope="module", params=NAMES)
def made(request, registered, ready, django_db_blocker):
    """A run of each engine, asked for in the form and trained; committed, as the one that the
    package's tests share."""
    from tasks.runs import train

    client = Client()
    with django_db_blocker.unblock():
        values = form_at(client, ready, request.param) | {"topics": "5", "passes": "3", "seed": "7"}
        answer = client.post(reverse("corpus_runs", args=[ready.pk]), values)
        assert answer.status_code == 302, answer.context["html"].train_form.errors
        run = Run.objects.latest("pk")
        train(run.pk)
        run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=run.pk)
        assert run.status == "done" and run.snapshot.final, run.error
        yield run
        run.delete()


def form_at(client, corpus, engine: str) -> dict:
    """What a browser posts of the page that ?engine= asks for."""
    form = (
        client.get(reverse("corpus", args=[corpus.pk]), {"engine": engine})
        .context["html"]
        .train_form
    )
    return {name: "" if form[name].value() is None else form[name].value() for name in form.fields}


def test_the_form_shows_the_settings_of_the_engine_that_is_chosen(client, ready):
    """By links, so without JavaScript."""
    page = client.get(reverse("corpus", args=[ready.pk])).content.decode()
    assert 'name="kappa"' in page and 'name="weight"' not in page
    for name in NAMES:
        assert f'href="?engine={name}#train"' in page and engines.get(name).ABOUT.label in page
    page = client.get(reverse("corpus", args=[ready.pk]), {"engine": "mixture"}).content.decode()
    assert 'name="weight"' in page and 'name="kappa"' not in page
    assert re.search(r'<input type="hidden" name="engine" value="mixture"', page)
    answer = client.get(reverse("corpus", args=[ready.pk]), {"engine": "none"})
    assert answer.status_code == 400 and "There is no engine “none”" in answer.content.decode()


def test_the_form_offers_purposes_and_says_what_each_engine_takes(client, ready, monkeypatch):
    page = client.get(reverse("corpus", args=[ready.pk])).content.decode()
    assert (
        "(the engine): Sparse stochastic inference, the default." in page
        and "<details open" not in page
    )
    for name in NAMES:
        about = engines.get(name).ABOUT
        assert (
            about.help in page and about.source in page and (about.purpose or about.label) in page
        )
    assert ("For comparison with the papers" in page) == any(
        not engines.get(name).ABOUT.purpose for name in NAMES
    )
    form = client.get(reverse("corpus", args=[ready.pk])).context["html"].train_form
    config = engines.config("mixture", topics=form.suggested).resolve(ready.documents, ready.tokens)
    offered = {engine.name: engine for engine in form.engines}["mixture"]
    assert offered.cost.memory == mixture.memory_bytes(
        config, corpus_of_size(ready.documents, ready.vocabulary, ready.tokens, 4)
    )
    assert mixture.seconds(config, ready.tokens) < offered.cost.seconds == pytest.approx(2, abs=1)
    monkeypatch.setattr(mixture, "memory_bytes", lambda config, corpus: 1 << 60)
    monkeypatch.setattr(mixture, "ABOUT", replace(mixture.ABOUT, purpose=""))
    page = client.get(reverse("corpus", args=[ready.pk]), {"engine": "mixture"}).content.decode()
    assert "more than this machine has" in page and page.index(
        "For comparison with the papers"
    ) < page.index(">Mixture</a>")
    assert "(the engine): Mixture. Choose another" in page


def several(client, corpus, *names: str, **more):
    values = {"engines": names, "topics": "4", "seed": "5"} | more
    return client.post(reverse("corpus_runs_several", args=[corpus.pk]), values)


def test_several_engines_at_once(client, ready):
    before = Run.objects.count()
    answer = several(client, ready, "ssi", "mixture", "ssi")
    made = list(Run.objects.order_by("pk"))[before:]
    assert [(run.engine, run.settings["topics"], run.seed) for run in made] == [
        ("ssi", 4, 5),
        ("mixture", 4, 5),
    ]
    assert made[1].settings["passes"] == 5 and made[1].version_id == ready.version_id
    assert (
        answer.status_code == 302
        and answer["Location"] == f"/compare/?run={made[0].pk}&run={made[1].pk}"
    )


@pytest.mark.parametrize(
    ("names", "more", "said"),
    [
        (["ssi"], {}, f"Mark two engines or more, at most {min(len(NAMES), 12)}, got 1."),
        ([], {}, "Mark two engines or more"),
        (["ssi", "none"], {}, "There is no engine “none”"),
        (
            ["ssi", "mixture"],
            {"topics": "0"},
            "topics must be a whole number of at least 1, got 0.",
        ),
        (["ssi", "mixture"], {"topics": "900000"}, "topics must be at most"),
        (["ssi", "mixture"], {"seed": "-1"}, "Seed must be a whole number"),
    ],
)
def test_several_are_all_or_none(client, ready, names, more, said):
    before = Run.objects.count()
    answer = several(client, ready, *names, **more)
    assert answer.status_code == 400 and said in answer.content.decode()
    assert (
        '<details class="engines" open>' in answer.content.decode()
        and Run.objects.count() == before
    )


def test_several_within_the_quota_or_none(client, ready, settings):
    settings.ACCOUNTS = True
    settings.MOST = settings.MOST | {"jobs": 2}
    user = User.objects.local()
    Run.objects.exclude(status="done").update(status="cancelled")
    runs.create(ready.version, topics=3, by=user)
    before = Run.objects.count()
    with pytest.raises(
        Invalid, match="2 of your jobs may wait or run at once, and 1 do, and these would be 2 more"
    ):
        runs.create_several(ready.version, ["ssi", "mixture"], topics=3, by=user)
    assert Run.objects.count() == before
    client.force_login(user)
    answer = several(client, ready, "ssi", "mixture")
    assert answer.status_code == 400 and "these would be 2 more" in answer.content.decode()
    assert Run.objects.count() == before
    settings.MOST = settings.MOST | {"jobs": 3}
    assert several(client, ready, "ssi", "mixture").status_code == 302


def test_one_engine_is_no_choice(client, ready, monkeypatch):
    monkeypatch.setattr(engines, "ENGINES", {engines.DEFAULT: engines.get(engines.DEFAULT)})
    page = client.get(reverse("corpus", args=[ready.pk])).content.decode()
    assert "?engine=" not in page and 'name="kappa"' in page


def test_what_is_posted_for_another_engine_is_refused(client, ready):
    url = reverse("corpus_runs", args=[ready.pk])
    values = form_at(client, ready, "mixture")
    before = Run.objects.count()
    for more, said in (
        ({"kappa": "0.8"}, "The engine mixture has no setting “kappa”; it is one of ssi"),
        ({"engine": "none"}, "There is no engine “none”"),
        ({"weight": "0"}, "weight must be above 0"),
    ):
        answer = client.post(url, values | more)
        assert answer.status_code == 400 and said in answer.content.decode(), more
    assert Run.objects.count() == before
    with pytest.raises(Invalid, match="no setting “kappa”"):
        runs.create(ready.version, engine="mixture", topics=3, engine_settings={"kappa": 0.8})


def test_from_the_form_to_the_bundle(client, made, tmp_path):
    engine = engines.get(made.engine)
    assert (made.settings["topics"], made.seed) == (5, 7) and None not in made.settings.values()
    assert Metric.objects.filter(run=made, step=made.steps).exists()
    _pages(client, made, engine)
    _exports(made)
    text = " ".join(methods.paragraphs(made))
    assert engine.methods(made.settings).sentence in text and f"random seed {made.seed}" in text
    assert "Training made" in text and "over the corpus in minibatches of" in text
    for key in engine.methods(made.settings).citations:
        assert f"{{{key}," in methods.bibtex(made)
    path = tmp_path / "bundle.zip"
    path.write_bytes(taken(made, "bundle.zip"))
    assert json.loads(zipfile.ZipFile(path).read("run.json"))["engine"] == engine.NAME
    out = StringIO()
    call_command("verify", str(path), stdout=out)
    assert (
        "The run is the same, bit for bit." in out.getvalue() and "DIFFERENT" not in out.getvalue()
    )


def _pages(client, run: Run, engine) -> None:
    for page in ("run", "run_topics", "run_take", "run_methods", "run_curation", "run_documents"):
        assert client.get(reverse(page, args=[run.pk])).status_code == 200, page
    assert engine.ABOUT.label in client.get(reverse("run", args=[run.pk])).content.decode()
    found = evidence.of(run)
    assert found.mixtures.doc_tokens.sum() == found.document_bow.tokens
    longest = int(np.argmax(found.lengths))
    for number in (0, longest):
        assert client.get(reverse("run_document", args=[run.pk, number])).status_code == 200
    word = int(found.token_topics.of_document(longest)[0][0])
    likely = infer.word(RunView(run), longest, word)
    assert 0.9 < sum(topic.probability for topic in likely.topics) <= 1 + 1e-9
    data, _ = infer.text(RunView(run), "The union of the states and the army of the war.")
    assert sum(part.share for part in data.proportions) == pytest.approx(1)
    assert not engine.ABOUT.by_document or len(data.proportions) == 1, (
        "a text is of one topic as a document is"
    )


def _exports(run: Run) -> None:
    """Each kind in one format: that a table is the same in all, whatever it is of, is shown in
    tests/webapp/service/exports/test_take.py."""
    for kind in EXPORT_KINDS.values():
        choices = kind.choices(run) if kind.choices else [""]
        if not kind.asks and choices:
            file = f"{kind.name}.{kind.endings[0]}"
            assert taken(run, file, f"by={choices[0]}" if choices[0] else ""), file
    with np.load(io.BytesIO(taken(run, "model.npz"))) as arrays:
        assert np.allclose(arrays["theta"].sum(axis=1), 1, atol=1e-4)
        assert np.allclose(arrays["beta"].sum(axis=1), 1, atol=1e-3)


@pytest.fixture(scope="module")
def sparse(ready, django_db_blocker):
    """A run of the tests' engine of which most topics are not in use."""
    from tasks.runs import train

    with django_db_blocker.unblock():
        run = runs.create(
            ready.version,
            engine="mixture",
            topics=60,
            seed=1,
            engine_settings={"passes": 4, "eta": 5, "weight": 1e-06},
        )
        train(run.pk)
        run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=run.pk)
        assert run.status == "done" and 2 < run.in_use < 58, (run.error, run.in_use)
        yield run
        run.delete()


def test_topics_that_are_not_in_use_are_on_no_list(client, sparse):
    """Numbers stay: T numbers of topics in use are those of the model."""
    used = np.flatnonzero(
        evidence.of(sparse).mixtures.sums(
            np.zeros(evidence.of(sparse).document_bow.D, np.int32), 1
        )[0][0]
    )
    assert sparse.in_use == len(used) and RunView(sparse).topics == used.tolist()
    said = f"{sparse.in_use} topics in use of at most 60"
    for page, where in (("run", {}), ("run_topics", {}), ("run_topics", {"view": "map"})):
        answer = client.get(reverse(page, args=[sparse.pk]), where)
        assert answer.status_code == 200 and said in in_one_line(answer), (page, where)
    page = client.get(reverse("run_topics", args=[sparse.pk]), {"sort": "number"}).content.decode()
    unused = np.setdiff1d(np.arange(60), used)
    assert all(f"/topics/{k}/" in page for k in used) and not any(
        f"/topics/{k}/" in page for k in unused
    )
    page = client.get(reverse("run_topics", args=[sparse.pk]), {"view": "map"}).content.decode()
    assert f"Map of {sparse.in_use} topics" in page
    for k in unused[:2]:
        assert client.get(reverse("run_topic", args=[sparse.pk, int(k)])).status_code == 200
    topic = client.get(reverse("run_topic", args=[sparse.pk, int(used[1])]))
    assert topic.context["page"].previous.number == used[0]


def test_nothing_is_measured_of_topics_that_are_not_in_use(sparse):
    unused = Topic.objects.filter(snapshot=sparse.snapshot, used=False)
    assert unused.count() == 60 - sparse.in_use
    for topic in unused:
        assert (topic.share, topic.tokens, topic.coherence, topic.npmi, topic.x, topic.similar) == (
            0,
            0,
            None,
            None,
            None,
            [],
        )
    names = {topic.number for topic in unused}
    for topic in Topic.objects.filter(snapshot=sparse.snapshot, used=True):
        assert (
            topic.x is not None and not names & {k for k, _ in topic.similar} and topic.tokens > 0
        )


def test_what_is_taken_away_says_how_many_topics_are_in_use(sparse):
    assert json.loads(taken(sparse, "made-by.json"))["topics in use"] == sparse.in_use
    assert f"{sparse.in_use} are in use" in " ".join(methods.paragraphs(sparse))
    site = zipfile.ZipFile(io.BytesIO(taken(sparse, "site.zip")))
    pages = [name for name in site.namelist() if name.startswith("topics/")]
    assert len(pages) == sparse.in_use
    with np.load(io.BytesIO(taken(sparse, "model.npz"))) as arrays:
        assert len(arrays["beta"]) == 60


def test_runs_are_compared_by_topics_in_use(client, sparse):
    """A topic that others of its own run are nearly like is not found again, even by itself."""
    between = matchings.matched(sparse, sparse)
    found = between.partner >= 0
    assert np.count_nonzero(between.used_a) == sparse.in_use and not (found & ~between.used_a).any()
    assert found.any() and (between.partner[found] == np.flatnonzero(found)).all()
    n = np.count_nonzero(found)
    assert len(between.only_a) == len(between.only_b) == sparse.in_use - n
    assert compare.count_found([RunView(sparse), RunView(sparse)]) == FoundInRuns(
        every=n, some=0, none=sparse.in_use - n
    )


def test_a_run_of_an_engine_that_uses_all_topics_says_no_number(ready, made):
    engine = engines.get(made.engine)
    may_leave_unused = engine.ABOUT.by_document or isinstance(engine, Truncated)
    assert (made.in_use is not None) == may_leave_unused, (
        "`Topics.used` is for engines that give documents to topics as a whole, or are Truncated."
    )


def test_the_most_topics_are_suggested_where_their_number_is_found(client, ready):
    for name in NAMES:
        field = (
            client.get(reverse("corpus", args=[ready.pk]), {"engine": name})
            .context["html"]
            .train_form.fields["topics"]
        )
        found = isinstance(engines.get(name), Truncated)
        assert ("try a third and three times as many" in field.help_text) != found
        if found:
            assert (
                f"{min(engines.get(name).TRUNCATION, ready.vocabulary)} is a good start"
                in field.help_text
            )


def test_a_run_begins_with_another_where_the_engine_can(client, made):
    page = client.get(reverse("run_without", args=[made.pk]))
    if isinstance(engines.get(made.engine), WarmStart):
        assert page.status_code == 200
        following = runs.without(made, ["congress"])
        assert following.begins and following.engine == made.engine
    else:
        with pytest.raises(Invalid, match=f"engine {made.engine}, which can't begin"):
            runs.without(made, ["congress"])
        assert page.status_code == 400 and "begin with the topics" in page.content.decode()
    following = runs.train_again(made)
    assert (following.engine, following.settings) == (made.engine, made.settings)


def test_continuing_is_offered_where_the_engine_can(client, made):
    """The links of "Train again without" and "Continue with" stand there, or a sentence that says
    why not."""
    word = np.flatnonzero(evidence.of(made).word_topics.topics >= 0)[0]
    dropped = (
        Word.objects.filter(version=made.version)
        .order_by("number")
        .values_list("word", flat=True)[int(word)]
    )
    newer = Version.objects.get(pk=made.version_id)
    newer.pk = None
    newer.number = made.version.number + 1
    newer.save()
    Corpus.objects.filter(pk=made.corpus_id).update(version=newer)
    try:
        pages = {
            "run_without": client.get(reverse("run_topic", args=[made.pk, 0])).content.decode(),
            "run_without ": (
                client.get(
                    reverse("run_topics", args=[made.pk]), {"drop": dropped}
                ).content.decode()
            ),
            "run_continue": client.get(reverse("run", args=[made.pk])).content.decode(),
        }
    finally:
        Corpus.objects.filter(pk=made.corpus_id).update(version=made.version)
        newer.delete()
    can = isinstance(engines.get(made.engine), WarmStart)
    for name, page in pages.items():
        assert (reverse(name.strip(), args=[made.pk]) in page) == can, name
        assert (
            f"No other run can begin with these topics: {engines.get(made.engine).ABOUT.label}"
            in page
        ) != can, name


def test_a_text_is_read_as_the_engine_reads_a_document(made):
    """Of an engine that gives a document one topic: the very topic and certainty that the evidence
    has."""
    if not engines.get(made.engine).ABOUT.by_document:
        return
    known = evidence.of(made)
    for number in np.argsort(-known.lengths, kind="stable")[[0, 5, 50, 100, 200, -1]].tolist():
        words, counts, given, certainty = known.token_topics.of_document(number)
        read = infer.read_words(made, words, counts)
        assert np.array_equal(read.topics, given) and np.array_equal(read.certainty, certainty)
        text = Document.objects.get(corpus_id=made.corpus_id, number=number).text
        data, _ = infer.text(RunView(made), text)
        assert [part.number for part in data.proportions] == np.unique(given).tolist()
    cache.clear_all()
    evidence.of(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(infer.files, "run_folder", lambda pk: Path("/nowhere"))
        with pytest.raises(Invalid, match="no longer has its checkpoint"):
            infer.text(RunView(made), "congress")


def test_priors_without_a_checkpoint_are_those_that_were_set(made, monkeypatch, tmp_path):
    config = engines.config(made.engine, **made.settings).resolve(
        made.version.documents, made.version.tokens
    )
    before = engines.get(made.engine).priors(config, None)
    monkeypatch.setattr("webapp.platform.storage.files.run_folder", lambda pk: tmp_path)
    assert np.array_equal(priors(made).alpha, before.alpha) and priors(made).eta == before.eta


def test_the_command_chooses_an_engine(ready):
    out = StringIO()
    call_command(
        "train",
        str(ready.pk),
        "--engine",
        "mixture",
        "--topics",
        "3",
        "--weight",
        "2",
        "--no-wait",
        stdout=out,
    )
    run = Run.objects.get(pk=int(out.getvalue()))
    assert (run.engine, run.settings["weight"], run.settings["topics"]) == ("mixture", 2.0, 3)
    with pytest.raises(
        CommandError, match="The engine mixture has no setting “kappa”; it is one of ssi"
    ):
        call_command(
            "train",
            str(ready.pk),
            "--engine",
            "mixture",
            "--topics",
            "3",
            "--kappa",
            "0.7",
            "--no-wait",
        )
    with pytest.raises(CommandError, match="There is no engine “none”"):
        call_command("train", str(ready.pk), "--engine", "none", "--topics", "3", "--no-wait")


def test_the_api_lists_engines_and_chooses_one(client, ready):
    said = client.get("/api/v1/engines").json()
    assert [row["name"] for row in said["items"]] == NAMES and said["default"] == engines.DEFAULT
    row = next(row for row in said["items"] if row["name"] == "mixture")
    start = next(setting for setting in row["settings"] if setting["name"] == "start")
    assert (start["type"], start["choices"], start["default"], start["required"]) == (
        "str",
        ["documents", "words"],
        "documents",
        False,
    )
    _, secret = tokens.create("t", User.objects.local())

    def ask(**body):
        url = f"/api/v1/corpora/{ready.pk}/runs"
        headers = {"Authorization": f"Bearer {secret}"}
        return client.post(url, body, content_type="application/json", headers=headers)

    made = ask(topics=3, engine="mixture", settings={"weight": 3})
    assert made.status_code == 201 and (
        made.json()["engine"],
        made.json()["settings"]["weight"],
    ) == ("mixture", 3.0)
    assert ask(topics=3).json()["engine"] == engines.DEFAULT
    for body, said in (
        ({"engine": "mixture", "settings": {"kappa": 0.7}}, "no setting “kappa”; it is one of ssi"),
        ({"engine": "none"}, "There is no engine “none”"),
        ({"settings": {"engine": "mixture"}}, "“engine” is none of them"),
    ):
        answer = ask(topics=3, **body)
        assert answer.status_code == 400 and said in answer.json()["error"]


def test_a_run_whose_worker_was_killed_goes_on(ready, monkeypatch, registered):
    """Of an engine that no workers can share: its state remembers nothing."""
    from tasks.runs import train
    from webapp.core.runs import training

    def killed(*_):
        raise KeyboardInterrupt

    run = runs.create(
        ready.version, engine=mixture.NAME, seed=3, topics=4, engine_settings={"passes": 2}
    )
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training, "store_results", killed)
        train(run.pk)
    Run.objects.filter(pk=run.pk).update(status="queued")
    train(run.pk)
    run.refresh_from_db()
    assert run.status == "done", run.error
    run.delete()
