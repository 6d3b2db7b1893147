"""The frame of the papers' experiments: training by steps, verdicts, what is written."""

import json

import pytest

from benchmarks.papers import report
from benchmarks.papers.__main__ import run
from benchmarks.papers.bench import Bench, Experiment, Outcome, Paper
from inference import Invalid
from tests.inference.corpora import planted


def missing(bench: Bench) -> Outcome:
    raise Invalid("corpus", "The corpus is missing.")


def measured(bench: Bench) -> Outcome:
    bow = planted(4, 80, 300, 40, seed=3)[0]
    rows = []
    curves = {}
    for seed in bench.seeds:
        trained = bench.train("ssi", bow, seed, topics=4, passes=4, minibatch=50)
        assert trained.points[-1].passes == pytest.approx(4) and trained.topics.K == 4
        assert [p.documents for p in trained.points] == sorted(
            {p.documents for p in trained.points}
        )
        rows.append({"seed": seed, "held-out": trained.held_out})
        curves[f"seed {seed}"] = [(p.passes, p.held_out) for p in trained.points]
    return Outcome(
        "holds", "It rises.", rows, curves, ("passes", "nats per token"), "Planted topics stand in."
    )


PAPER = Paper(
    "009",
    "Nobody. Nothing. 2026.",
    (Experiment("Figure 1", "It rises.", measured), Experiment("Table 2", "None.", missing)),
)


def test_an_experiment_is_run_and_written(tmp_path, capsys):
    ran = list(run(PAPER, Bench(quick=True)))
    assert [name for name, *_ in ran] == ["Figure 1"]
    assert "Table 2: left out. The corpus is missing." in capsys.readouterr().out
    [(name, outcome, about)] = ran
    about |= {"machine": {"cpu": "a processor"}, "commit": "0" * 40, "quick": True}
    report.keep(PAPER, name, outcome, about, tmp_path, tmp_path)
    # The first stays
    report.keep(PAPER, "Table 2", Outcome("does not hold", "None.", []), about, tmp_path, tmp_path)
    said = json.loads((tmp_path / "paper-009.json").read_text())
    assert (
        list(said["experiments"]) == ["Figure 1", "Table 2"]
        and said["experiments"]["Figure 1"]["verdict"] == "holds"
    )
    assert said["experiments"]["Figure 1"]["machine"] == {"cpu": "a processor"}
    page = (tmp_path / "009.md").read_text()
    assert (
        "## Figure 1: holds" in page
        and "| seed | held-out |" in page
        and "1 of 2 claims hold" in page
    )
    assert "Planted topics stand in." in page and "(009-figure-1.svg)" in page
    assert "seed 1" in (tmp_path / "009-figure-1.svg").read_text()


def test_a_part_of_the_documents_is_judged_on_the_same_held_out_ones():
    bow = planted(4, 80, 300, 40, seed=3)[0]
    whole = Bench(True).train("ssi", bow, 1, topics=4, passes=2, minibatch=50)
    part = Bench(True).train(
        "ssi", bow, 1, topics=4, passes=2, minibatch=50, documents=whole.documents[:50]
    )
    assert len(part.documents) == 50 and part.points[-1].held_out < whole.points[-1].held_out


def test_a_verdict_is_one_of_three():
    with pytest.raises(ValueError, match="holds in part"):
        Outcome("maybe", "Who knows.", [])
