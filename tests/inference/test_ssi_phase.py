"""Where in a training a step of ssi is."""

import pytest

from inference.engines import from_documents, ssi
from inference.engines.ssi.phase import Phase
from inference.engines.step_sizes import rho
from tests.inference.corpora import corpus_of_size

DOCUMENTS = 60
CORPUS = corpus_of_size(DOCUMENTS, 40, 900, 3)._replace(steps_per_later_pass=2)
STEPS = range(1, 12)


def steps_with(name: str, **settings) -> list[int]:
    """The steps of a training, of three a pass in the warm-up and two after it, that have a
    property."""
    config = ssi.Config(topics=30, **settings).resolve(DOCUMENTS, CORPUS.tokens)
    return [step for step in STEPS if getattr(Phase.of_step(config, CORPUS, step), name)]


def test_a_warm_up_by_ope_ends_with_draws_that_the_next_pass_does_not_continue_from():
    assert steps_with("is_by_ope") == steps_with("fades") == [1, 2, 3, 4, 5, 6]
    assert steps_with("draws_after_ope") == [4, 5, 6], "its last pass"
    assert steps_with("ends_warm_up") == [6]
    assert [step for step in steps_with("samples_anew") if step > 6] == [7, 8], "one pass"
    assert steps_with("ended_pass") == [8, 10]


def test_a_warm_up_by_sampling_fades_and_is_continued():
    settings = {"start": "sampling", "warm_up": 1}
    assert steps_with("fades", **settings) == [1, 2, 3]
    assert steps_with("ends_warm_up", **settings) == [3]
    for name in ("is_by_ope", "draws_after_ope", "samples_anew"):
        assert not steps_with(name, **settings)


@pytest.mark.parametrize(
    ("settings", "fading"),
    [({"warm_up": 0}, []), ({"statistics": "decay", "warm_up": 2}, list(STEPS))],
    ids=["memo", "decay"],
)
def test_without_a_warm_up_all_steps_are_alike(settings, fading):
    assert steps_with("fades", **settings) == fading
    for name in ("is_warm_up", "is_by_ope", "samples_anew", "ends_warm_up"):
        assert not steps_with(name, **settings)


def test_passes_after_the_warm_up_are_counted_from_one():
    config = ssi.Config(topics=30).resolve(DOCUMENTS, CORPUS.tokens)
    passes = [Phase.of_step(config, CORPUS, step).ended_pass for step in STEPS]
    assert passes == [0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0]


@pytest.mark.parametrize("start", ["documents", "sampling"])
def test_the_step_size_is_that_of_ope_or_of_the_settings(start):
    config = ssi.Config(topics=30, start=start, kappa=0.7, tau0=20.0).resolve(
        DOCUMENTS, CORPUS.tokens
    )
    schedule = from_documents.StepSizes() if start == "documents" else config
    for step in STEPS[:3]:
        assert Phase.of_step(config, CORPUS, step).step_size(config) == rho(schedule, step)
