"""A claim in trainings on texts drawn anew, and on half of the documents."""

import numpy as np
import pytest
from django.urls import reverse

from tests.webapp.making import corpus_of, run_on
from webapp.core.documents import corpus_unit
from webapp.core.results import evidence, found_again
from webapp.core.runs import replicates, trials
from webapp.models import Replicate, Run
from webapp.platform.jobs import scheduler

pytestmark = pytest.mark.django_db
QUERY = "?formula=party&topic=0&a=Blue&b=Red"


@pytest.fixture
def run(draft, monkeypatch):
    """Red speaks more of trade than Blue; twelve authors each."""
    monkeypatch.setattr(scheduler, "idle", lambda: True)
    chance = np.random.default_rng(7)
    words = {kind: [f"{kind}{i}" for i in range(12)] for kind in ("war", "trade", "law")}
    rows = []
    for d in range(360):
        red = d % 2
        mix = chance.dirichlet([0.3, 0.1 + 0.4 * red, 0.3])
        text = " ".join(
            chance.choice(words[kind]) for kind in chance.choice(list(words), 40, p=mix)
        )
        rows.append([text, "Red" if red else "Blue", f"A{d % 24}"])
    return run_on(
        corpus_of(draft, [["text", "party", "author"], *rows], "parties.csv"), topics=3, passes=20
    )


def asked(client, run) -> dict:
    page = client.get(reverse("run_claim_json", args=[run.pk]) + QUERY).json()
    return {one["texts"]: one for one in page["other_texts"]} | {"own": page["runs"][0]}


def train(client, run, texts: str) -> trials.Kept:
    answered = client.post(
        reverse("run_variants", args=[run.pk]), {"texts": texts, "next": f"/runs/{run.pk}/"}
    )
    assert answered.url == f"/runs/{run.pk}/"
    assert asked(client, run)[texts]["status"] == "queued"
    replicates.train(run.replicates.get(texts=texts).pk)
    kept = trials.kept_trial(run, texts)
    assert kept is not None, run.replicates.get(texts=texts).error
    return kept


def difference(run, kept: trials.Kept, topic: int) -> float:
    """Red less Blue, by hand: shares of the words of all measured documents of each."""
    counted = evidence.of(run)
    there = int(kept.partner[topic])
    tokens = np.array(
        [
            kept.doc_tokens[a:b][kept.doc_topics[a:b] == there].sum()
            for a, b in zip(kept.doc_ptr[:-1], kept.doc_ptr[1:], strict=True)
        ]
    )
    red = np.arange(len(tokens)) % 2 == 1
    shares = [
        tokens[side & kept.measured].sum() / counted.lengths[side & kept.measured].sum()
        for side in (~red, red)
    ]
    return shares[1] - shares[0]


def test_drawn_texts_tell_what_learning_loses(client, run):
    before = asked(client, run)
    assert (before["drawn"]["status"], before["half"]["status"]) == ("", "")
    kept = train(client, run, "drawn")
    drawn = asked(client, run)["drawn"]
    own = asked(client, run)["own"]
    assert (drawn["status"], drawn["topics"], drawn["documents"]) == ("ready", 3, 360)
    assert drawn["difference"] == pytest.approx(difference(run, kept, 0), abs=1e-9)
    assert drawn["difference"] / own["difference"] == pytest.approx(drawn["times"], abs=0.15)
    assert 0.6 < drawn["times"] < 1.1
    assert (
        "times as large" in client.get(reverse("run_claim", args=[run.pk]) + QUERY).content.decode()
    )


def test_half_of_those_who_speak_are_measured_by_the_other_half(client, run):
    corpus_unit.choose(run.corpus, "author")
    kept = train(client, run, "half")
    of_author = kept.measured.reshape(-1, 24)
    assert (of_author == of_author[0]).all() and of_author[0].sum() == 12
    half = asked(client, run)["half"]
    assert (half["status"], half["documents"], half["topics"]) == ("ready", 180, 3)
    assert half["difference"] == pytest.approx(difference(run, kept, 0), abs=1e-9)
    assert half["low"] < half["difference"] < half["high"]


def test_they_are_no_other_seeds(client, run):
    train(client, run, "drawn")
    assert replicates.state(run).ready == 0 and found_again.count_found(run) == []
    before = Run.objects.count()
    client.post(reverse("run_seeds", args=[run.pk]), {"act": "join"})
    assert Run.objects.count() == before
    replicates.begin(run)
    assert run.replicates.filter(texts=Replicate.Texts.OWN).count() == replicates.SEEDS


def test_a_failed_one_can_be_tried_again(client, run, monkeypatch):
    monkeypatch.setattr(replicates, "BYTES", 10)
    replicates.begin(run, Replicate.Texts.HALF)
    replicates.train(run.replicates.get().pk)
    assert "at most 0 MB" in run.replicates.get(status=Replicate.Status.FAILED).error
    assert "Try again" in client.get(reverse("run_claim", args=[run.pk]) + QUERY).content.decode()
    monkeypatch.undo()
    monkeypatch.setattr(scheduler, "idle", lambda: True)
    train(client, run, "half")
