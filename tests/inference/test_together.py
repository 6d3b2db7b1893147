"""Steps that several processes share give bitwise the topics of one."""

import numpy as np
import pytest

from inference import Invalid, engines
from inference.bow import Bow
from inference.engines.contract import Divisible, Site
from inference.training import Schedule, held_out_documents
from tests.inference.corpora import planted

SEED = 3
CASES = [
    {"topics": 25, "passes": 5},
    {"topics": 7, "passes": 3, "warm_up": 2},
    {"topics": 7, "passes": 3, "warm_up": 0, "draws": 3},
    {"topics": 7, "passes": 2, "statistics": "decay", "kappa": 0.51, "tau0": 1.0},
    {"topics": 25, "passes": 3, "expectation": "log", "eta": 0.4},
    {"topics": 7, "passes": 12, "averaged": 3},
]


@pytest.fixture(scope="module")
def bow() -> Bow:
    return planted(5, 90, 160, 25, seed=2)[0]


class Process:
    """One of several that share a training, in this process."""

    def __init__(self, bow: Bow, config, bounds: np.ndarray, rank: int):
        self.engine, self.config = engines.get(engines.DEFAULT), config
        self.site = Site.of(bow, bounds, rank)
        self.schedule = Schedule(bow, config, held_out_documents(bow, SEED))
        own = self.schedule.shape._replace(tokens=self.site.own.tokens)
        self.state = self.engine.init(config, own, SEED)

    def step(self):
        documents = self.schedule.batch(self.state.t, SEED)
        return self.engine.divided(self.config, self.state, self.site, documents, self.schedule.shape)


def exchange(steps: list) -> None:
    """Carry what each says to the others until all have ended."""
    said = [next(step, None) for step in steps]
    while said[0] is not None:
        heard = [[one[rank] for one in said] for rank in range(len(steps))]
        said = []
        for step, messages in zip(steps, heard, strict=True):
            try:
                said.append(step.send(messages))
            except StopIteration:
                said.append(None)


def same(a, b) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("bounds", [[0, 160], [0, 60, 160], [0, 3, 3, 90, 160]], ids=["one", "two", "four, one idle"])
def test_any_number_of_processes_gives_the_topics_of_one(bow, case, bounds):
    config = engines.config(engines.DEFAULT, minibatch=40, **CASES[case]).resolve(bow.D, bow.tokens)
    one = Process(bow, config, np.array([0, bow.D]), 0)
    some = [Process(bow, config, np.array(bounds), rank) for rank in range(len(bounds) - 1)]
    for t in range(one.schedule.steps):
        one.engine.step(config, one.state, bow, one.schedule.batch(t, SEED), one.schedule.shape)
        exchange([process.step() for process in some])
        for process in some:
            state = process.state
            assert same(one.engine.topics(config, one.state), one.engine.topics(config, state)), t
            assert (state.t, state.pi, state.eta) == (one.state.t, one.state.pi, one.state.eta)
            assert np.array_equal(state.totals, one.state.totals)
    assert np.array_equal(np.concatenate([p.state.memory for p in some]), one.state.memory)
    assert sum(process.state.tokens for process in some) == one.state.tokens


def test_learned_priors_are_refused(bow):
    config = engines.config(engines.DEFAULT, topics=5, learn="alpha").resolve(bow.D, bow.tokens)
    engine = engines.get(engines.DEFAULT)
    assert isinstance(engine, Divisible)
    with pytest.raises(Invalid, match="learn must be nothing") as error:
        engine.divides(config)
    assert error.value.field == "learn"
