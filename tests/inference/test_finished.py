"""The checkpoint of a training that is done: without what it remembers of documents, and good for
all the rest."""

from dataclasses import fields

import numpy as np
import pytest

from inference import checkpoint, engines, fold_in_corpus, train
from inference.engines.contract import Bounded, Remembering, TrainingCorpus
from inference.errors import Invalid
from tests.inference.corpora import planted

K = 4


@pytest.fixture(scope="module")
def bow():
    return planted(K, 80, 300, 40, seed=3)[0]


def remembered_bytes(state) -> int:
    return sum(getattr(state, f.name).nbytes for f in fields(state) if f.metadata.get("mapped"))


@pytest.mark.parametrize("name", engines.ENGINES)
def test_topics_priors_and_readings_are_the_same_from_a_smaller_file(name, bow, tmp_path):
    engine = engines.get(name)
    config = engines.config(name, topics=K, passes=2, minibatch=40).resolve(bow.D, bow.tokens)
    *_, last = train(engine, config, bow, seed=1)
    path = tmp_path / "checkpoint"
    checkpoint.save(path, last.state, engine=engine, config=config, bow=bow)
    whole = path.stat().st_size
    priors = checkpoint.priors(path)
    checkpoint.finish(path, engine=engine)
    state = checkpoint.load(path, engine=engine, config=config, bow=bow)
    remembered = remembered_bytes(last.state)
    assert whole - path.stat().st_size >= remembered - 500 and remembered_bytes(state) == 0
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=-(-bow.D // min(config.minibatch, bow.D)))
    said = engine.remembered_bytes(config, corpus) if isinstance(engine, Remembering) else 0
    assert said == remembered, "what the form says before training"
    for before, now in (
        (engine.topics(config, last.state), engine.topics(config, state)),
        (
            next(fold_in_corpus(engine, config, last.state, bow)),
            next(fold_in_corpus(engine, config, state, bow)),
        ),
        (priors, checkpoint.priors(path)),
    ):
        for a, b in zip(before, now, strict=True):
            assert np.array_equal(a, b) or a is b


@pytest.mark.parametrize("name", engines.ENGINES)
def test_a_training_whose_memory_was_taken_out_is_not_continued(name, bow, tmp_path):
    """Kernels would write beyond the empty arrays. At its end it needs them for its objective
    alone."""
    engine = engines.get(name)
    config = engines.config(name, topics=K, passes=6, minibatch=40).resolve(bow.D, bow.tokens)
    halfway = 3 * -(-bow.D // config.minibatch)
    *_, last = train(engine, config, bow, seed=1, last=halfway)
    path = tmp_path / "checkpoint"
    checkpoint.save(path, last.state, engine=engine, config=config, bow=bow)
    checkpoint.finish(path, engine=engine)
    state = checkpoint.load(path, engine=engine, config=config, bow=bow)

    def go_on(end):
        return [event.step for event in train(engine, config, bow, seed=1, resume=state, last=end)]

    needs_memory = remembered_bytes(last.state) > 0
    for end, is_refused in (
        (halfway, needs_memory and isinstance(engine, Bounded)),
        (halfway + 1, needs_memory),
    ):
        if not is_refused:
            assert go_on(end)[-1] == end
            continue
        with pytest.raises(Invalid, match="can't be continued") as error:
            go_on(end)
        assert error.value.field == "checkpoint"
