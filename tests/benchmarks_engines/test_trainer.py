"""Trainings of benchmarks: all of them take the same steps as `inference.train`."""

import numpy as np

from benchmarks.trainer import Trainer
from inference import Snapshot, engines, train
from inference.schedule import held_out_documents
from tests.inference.corpora import planted

SEED = 3


def test_its_steps_are_those_of_a_training() -> None:
    bow, _ = planted(K=5, V=60, D=120, length=40, seed=1)
    engine = engines.get(engines.DEFAULT)
    config = engines.config(engines.DEFAULT, topics=5, passes=2, minibatch=30)
    resolved = config.resolve(bow.D, bow.tokens)
    trainer = Trainer(bow, engine, resolved, SEED, held_out_documents(bow, SEED))
    documents = list(trainer.steps())
    assert len(documents) == trainer.schedule.steps == trainer.state.t
    *_, last = (e for e in train(engine, config, bow, seed=SEED) if isinstance(e, Snapshot))
    assert np.array_equal(trainer.topics().weights, last.topics.weights)
