"""The measures of several runs in one table: each number is what was stored, and each sentence what
the numbers say."""

import csv
import io
from dataclasses import replace
from math import expm1

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from inference import checkpoint, engines
from inference.bow import Bow
from inference.evaluate import LeftToRight
from inference.evaluate.left_to_right import within
from inference.explore import matching
from inference.schedule import held_out_documents
from tasks.runs import train
from tests.engines import mixture
from tests.webapp.making import run_on
from webapp.analysis.compare import notes, run_table
from webapp.analysis.compare.run_table import Measured
from webapp.core.results import weights
from webapp.core.runs import left_to_right, services as runs
from webapp.models import Metric, Run, Snapshot, StoredResult, Topic, User
from webapp.platform.accounts import sharing
from webapp.platform.jobs.claims import ClaimLost
from webapp.platform.storage import files

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True, scope="module")
def registered():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(engines.ENGINES, mixture.NAME, mixture)
        yield


@pytest.fixture(scope="module")
def made(ready, registered, django_db_blocker):
    """Of ssi with two seeds, and of the tests' engine, with the same K; committed."""
    with django_db_blocker.unblock():
        ssi = {"topics": 6, "passes": 3}
        several = [
            run_on(ready, seed=3, **ssi),
            run_on(ready, seed=3, engine="mixture", topics=8),
            run_on(ready, seed=4, **ssi),
        ]
        yield [
            Run.objects.select_related("snapshot", "version", "corpus").get(pk=run.pk)
            for run in several
        ]
        for run in several:
            run.delete()


def address(name: str, wanted: list[Run], **more) -> str:
    return (
        reverse(name)
        + "?"
        + "&".join([*(f"run={run.pk}" for run in wanted), *(f"{k}={v}" for k, v in more.items())])
    )


def data(client, wanted: list[Run], **more) -> dict:
    return client.get(address("compare_measures_json", wanted, **more)).json()["measures"]


def test_every_number_is_what_was_stored(client, made):
    rows = data(client, made)["rows"]
    assert [row["run"] for row in rows] == [run.pk for run in made]
    for run, row in zip(made, rows, strict=True):
        point = Metric.objects.filter(run=run).latest("step")
        of_topics = Topic.objects.filter(snapshot=run.snapshot, tokens__gt=0)
        mean = {
            name: np.mean(
                [value for value in of_topics.values_list(name, flat=True) if value is not None]
            )
            for name in ("npmi", "coherence")
        }
        assert row["held_out"] == point.held_out and row["nonzero"] == point.nonzero
        assert (row["npmi"], row["umass"]) == pytest.approx((mean["npmi"], mean["coherence"]))
        assert (
            row["seconds"] == run.seconds > 0 and row["left_to_right"] == run.snapshot.left_to_right
        )
        assert (row["K"], row["seed"], row["engine"]) == (run.topics, run.seed, run.engine) and row[
            "in_use"
        ] == run.in_use


def test_left_to_right_is_the_judges_on_held_out_documents(made):
    """On as many of them as take about a tenth of a training's time; the priors are the run's
    own."""
    for run in made:
        bow = Bow.open(files.version_folder(run.version_id) / "bow")
        engine = engines.get(run.engine)
        config = engines.config(run.engine, **run.settings)
        state = checkpoint.load(
            files.run_folder(run.pk) / "checkpoint", engine=engine, config=config, bow=bow
        )
        documents = within(bow, held_out_documents(bow, run.seed), 5 * bow.tokens, 10, 200)
        lengths = np.minimum(np.diff(bow.first_token)[documents], 200)
        assert 5 * int((lengths * (lengths + 1)).sum()) <= 5 * bow.tokens * 1.5
        judge = LeftToRight(bow, documents, 10, limit=200)
        expected = judge(engine.topics(config, state), engine.priors(config, state).alpha)
        assert -12 < run.snapshot.left_to_right == expected < -4
        assert (
            Snapshot.objects.filter(run=run, final=False, left_to_right__isnull=False).count() == 0
        )


def test_left_to_right_is_measured_when_topics_and_findings_can_be_read(ready, monkeypatch):
    """Nobody waits for it, and a run without it is whole."""
    run = runs.create(ready.version, seed=9, topics=4, engine_settings={"passes": 2})

    def measured(*arguments) -> None:
        now = Run.objects.select_related("snapshot").get(pk=run.pk)
        assert now.status == "done" and now.snapshot.final and now.snapshot.left_to_right is None
        assert StoredResult.objects.filter(snapshot=now.snapshot).exists()
        raise ClaimLost("the worker ends")

    monkeypatch.setattr(left_to_right, "measure", measured)
    train(run.pk)
    now = Run.objects.select_related("snapshot").get(pk=run.pk)
    assert now.status == "done" and now.snapshot.left_to_right is None


def test_topics_are_matched_with_those_of_the_reference(client, made):
    for reference in made:
        said = data(client, made, against=reference.pk)
        assert said["reference"] == reference.pk
        for run, row in zip(made, said["rows"], strict=True):
            if run == reference:
                assert row["matched"] is None
                continue
            words = range(run.version.vocabulary)
            between = matching.match(
                weights.topics(run.snapshot), weights.topics(reference.snapshot), words, words
            )
            has, theirs = (
                (Topic.objects.filter(snapshot=r.snapshot, tokens__gt=0).count())
                for r in (run, reference)
            )
            assert row["matched"] == np.count_nonzero(between.partner >= 0), (
                "every topic has words here"
            )
            assert (
                row["matched"] + row["only_here"] == has
                and row["matched"] + row["only_there"] == theirs
            )
    assert data(client, made)["reference"] == made[0].pk
    assert data(client, made, against=10**9)["reference"] == made[0].pk


def test_topics_without_a_word_count_for_nothing(made, monkeypatch):
    every = {"tokens": np.ones(6)}
    monkeypatch.setattr(run_table.measures, "of", lambda run: every)
    both = run_table.matched(made[2], made[0])
    every["tokens"] = np.zeros(6)
    assert run_table.matched(made[2], made[0]) == {"matched": 0, "only_here": 0, "only_there": 0}
    assert both["matched"] + both["only_here"] == 6


def test_the_page_the_csv_and_the_json_say_the_same(client, made):
    said = data(client, made)
    table = list(
        csv.DictReader(
            io.StringIO(client.get(address("compare_measures_csv", made)).content.decode())
        )
    )
    assert [int(row["run"]) for row in table] == [run.pk for run in made]
    for row, of in zip(table, said["rows"], strict=True):
        for name, value in row.items():
            number = "" if of[name] is None else str(of[name])
            assert value == number or value.lstrip("'") == number, name
    whole = client.get(address("compare_json", made)).json()["measures"]
    assert whole["rows"] == said["rows"] and whole["notes"] == said["notes"]
    for name in ("compare", "compare_measures"):
        html = client.get(address(name, made)).content.decode()
        for row in said["rows"]:
            assert f"{row['held_out']:.3f}".replace("-", "−") in html
            assert f"{row['npmi']:.3f}".replace("-", "−") in html
        for note in said["notes"]:
            assert note in html
        assert "data-every" not in html and "http-equiv" not in html
        assert address("compare_measures_csv", made).partition("?")[0] in html


def test_while_they_train(client, made, ready):
    waiting = runs.create(ready.version, topics=6, seed=3)
    training = runs.create(ready.version, topics=6, seed=3, engine="mixture")
    Run.objects.filter(pk=training.pk).update(status="running", step=3, steps=12)
    wanted = [waiting, training, made[0]]
    said = data(client, wanted)
    assert (
        said["progress"]
        == f"1 of 3 runs is done; run {waiting.pk} waits, run {training.pk} is training."
    )
    assert said["reference"] == made[0].pk and said["notes"] == []
    assert [row["share"] for row in said["rows"]] == [0, 0.25, 1] and said["rows"][1][
        "held_out"
    ] is None
    for name in ("compare", "compare_measures"):
        html = client.get(address(name, wanted)).content.decode()
        assert (
            "data-every" in html
            and '<noscript><meta http-equiv="refresh" content="10"></noscript>' in html
        )
        assert html.count("<progress") == 2 and "part.js" in html
    Run.objects.filter(pk__in=[waiting.pk, training.pk]).update(status="cancelled")
    assert data(client, wanted)["progress"] == ""


def test_addresses(client, made):
    assert client.get(reverse("compare_measures")).status_code == 200
    assert client.get(reverse("compare_measures_csv")).status_code == 404
    for name in ("compare_measures", "compare_measures_json", "compare_measures_csv"):
        assert client.get(reverse(name), {"run": 10**12}).status_code == 404
        assert client.get(reverse(name), {"run": list(range(13))}).status_code == 400
        assert client.get(reverse(name), {"run": made[0].pk, "against": "x"}).status_code == 400


def test_runs_that_may_not_be_seen_are_left_out(client, made, settings):
    settings.ACCOUNTS = True
    stranger = User.objects.create_user("stranger@example.org", "stranger")
    client.force_login(stranger)
    assert client.get(address("compare_measures", made)).status_code == 404
    assert client.get(address("compare_measures_csv", made)).status_code == 404
    sharing.publish(made[0].corpus, True)
    assert len(client.get(address("compare_measures_json", made)).json()["measures"]["rows"]) == 3


def test_the_corpus_leads_to_its_runs_side_by_side(client, made, ready):
    html = client.get(reverse("corpus", args=[ready.pk])).content.decode()
    newest = list(
        Run.objects.filter(corpus=ready, status="done")
        .order_by("-pk")
        .values_list("pk", flat=True)[:12]
    )
    assert "&amp;".join(f"run={pk}" for pk in newest) in html and "<td>Mixture</td>" in html


# What the sentences say
# ----------------------------------------------------------------------------------------------

ONE = Measured(
    run=1,
    engine="ssi",
    label="S",
    K=40,
    in_use=None,
    seed=0,
    version=1,
    status="done",
    step=9,
    steps=9,
    held_out=-7.0,
    left_to_right=-7.5,
    npmi=0.1,
    umass=-50.0,
    nonzero=0.1,
    seconds=10.0,
)
TWO = replace(
    ONE,
    run=2,
    label="T",
    held_out=-7.1,
    left_to_right=-7.4,
    npmi=0.2,
    umass=-60.0,
    seconds=70.0,
    matched=30,
    only_here=10,
    only_there=10,
)
THREE = replace(
    TWO,
    run=3,
    label="U",
    held_out=-7.3,
    left_to_right=-7.6,
    npmi=0.15,
    matched=20,
    only_here=20,
    only_there=20,
)


def said(*rows: Measured, reference: int | None = 1, settings: dict | None = None, **of_run) -> str:
    settings = settings or {}
    made = [
        Run(
            pk=row.run,
            engine=row.engine,
            version_id=row.version,
            seed=row.seed,
            settings=settings.get(row.run, {"topics": row.run}),
            dropped=of_run.get("dropped", {}).get(row.run, []),
        )
        for row in rows
    ]
    return " ".join(notes.sentences(rows, made, reference))


def test_who_predicts_best():
    text = said(THREE, ONE, TWO)
    more = f"{100 * expm1(0.1):.0f}%"
    assert (
        f"Run 1 predicts held-out words best: −7.000 nats per word, which makes them {more} more"
        " probable than the next, run 2, does." in text
    )
    assert "from left to right, run 2 does best: −7.400 nats per word." in text
    assert "It is also the best when whole documents" in said(ONE, replace(TWO, left_to_right=-8.0))
    assert "equally well: −7.000" in said(ONE, replace(TWO, held_out=-7.0001))
    assert "left to right" not in said(ONE, replace(TWO, left_to_right=None))
    assert "Nothing was held out" in said(replace(ONE, held_out=None), TWO)
    assert "smaller α" not in said(ONE, replace(TWO, K=80)) and "smaller α" in said(
        ONE, replace(TWO, K=200)
    )
    assert said(ONE) == "" and said(ONE, replace(TWO, status="running")) == ""


def test_two_that_are_level_from_left_to_right_are_told_with_their_own_number():
    """And not with that of the run that predicts held-out words best, which is none of them."""
    text = said(ONE, TWO, replace(THREE, left_to_right=-7.4001))
    assert "do equally well: −7.400 nats per word." in text


def test_which_to_choose_comes_first():
    assert said(ONE, TWO, THREE).startswith(
        "Choose run 1 (S): it predicts held-out words best. If coherent topics matter more to you,"
        " choose run 2 (T): NPMI 0.200 against 0.100; it makes held-out words 9.5% less probable."
    )
    assert said(ONE, replace(TWO, npmi=0.11)).startswith(
        "Choose run 1 (S): it predicts held-out words best. Run 1 "
    )
    few = said(ONE, replace(TWO, in_use=15))
    assert "NPMI 0.200 against 0.100, with 15 topics in use against 40; it makes" in few
    level = said(ONE, replace(TWO, held_out=ONE.held_out))
    assert level.startswith(
        "Choose run 2 (T): prediction does not tell run 1 (S) and run 2 apart, and of these it has"
    )
    again = replace(ONE, run=4, seed=7, held_out=-6.99, npmi=0.05)
    settings = {1: {"topics": 40}, 4: {"topics": 40}}
    assert said(ONE, again, THREE, settings=settings).startswith(
        "Choose run 1 (S): prediction does not tell run 1 and run 4"
    )
    assert "Choose" not in said(ONE, replace(TWO, version=2)) + said(
        replace(ONE, held_out=None), TWO
    )


def test_no_run_is_chosen_by_what_may_be_chance():
    level = said(
        ONE,
        replace(
            TWO,
            held_out=ONE.held_out - 0.005,
            npmi=ONE.npmi + 0.01,
            left_to_right=ONE.left_to_right,
        ),
    )
    assert level.startswith(
        "Neither prediction nor coherence tells run 1 (S) and run 2 (T) apart: choose by their"
        " topics."
    )
    assert "from left to right, run 1 and run 2 do equally well" in level


def test_chance_is_said_as_far_as_it_was_measured():
    assert (
        "chance has not been measured here. Train one of these runs again with another seed"
        in said(ONE, TWO)
    )
    assert "hold out different" not in said(ONE, TWO) and "hold out different" in said(
        ONE, replace(TWO, seed=5)
    )
    again = replace(ONE, run=4, seed=7, held_out=-7.02)
    text = said(ONE, TWO, again, settings={1: {"topics": 40}, 4: {"topics": 40}})
    assert (
        "The seed alone made a difference of 0.020 nats among run 1 and run 4, which differ in"
        " nothing else" in text
    )
    assert (
        "So the difference between run 1 and run 4 may be chance. Runs with different seeds" in text
    )
    near = replace(TWO, held_out=-7.005)
    text = said(ONE, near, again, settings={1: {"topics": 40}, 4: {"topics": 40}})
    assert "difference between run 1 and run 2 may be chance" in text
    far = replace(again, held_out=-6.9)
    text = said(
        ONE, far, replace(TWO, held_out=-6.5), settings={1: {"topics": 40}, 4: {"topics": 40}}
    )
    assert "may be chance" not in text and "0.100 nats" in text
    assert "has not been measured" in said(ONE, again), "their settings differ"


def test_other_words_are_not_ranked():
    for text in (said(ONE, replace(TWO, version=2)), said(ONE, TWO, dropped={2: ["war"]})):
        assert "count different words" in text and "best:" not in text and "NPMI" not in text


def test_the_other_sentences():
    text = said(ONE, TWO, THREE)
    assert (
        "Run 2 has the most coherent topics by NPMI: 0.200 on average, 0.100 for run 1, which"
        in text
    )
    assert "By UMass it is run 1." in text and "with more topics" not in text
    assert "with more topics" in said(ONE, replace(TWO, K=50))
    assert (
        "Of the 40 topics of run 1, 30 have a counterpart in run 2, the most, and 20 in run 3 (U), the"
        " fewest." in text
    )
    assert "Of the 40 topics of run 1, 30 have a counterpart in run 2." in said(ONE, TWO)
    assert "Run 1 was trained in the least time, 10 s; run 2 took the most, 1 min 10 s." in text
    assert "Run 2 uses 34 of its 150 topics; the rest have no words." in said(
        ONE, replace(TWO, K=150, in_use=34)
    )
    assert "one topic as a whole" not in text
    assert "Run 2 gives each document one topic as a whole." in said(
        ONE, replace(TWO, engine="mixture")
    )


def test_the_best_of_each_column():
    assert run_table.best_measures(ONE, [ONE, TWO]) == ["held_out", "umass"]
    assert run_table.best_measures(TWO, [ONE, TWO]) == ["left_to_right", "npmi"]
    assert (
        run_table.best_measures(ONE, [ONE, replace(TWO, status="running")])
        == []
        == run_table.best_measures(ONE, [ONE, ONE])
    )


def test_strangers_client_has_no_session():
    """Anybody may ask; nothing is shown that was not asked for."""
    assert Client().get(reverse("compare_measures_json")).json()["measures"]["rows"] == []
