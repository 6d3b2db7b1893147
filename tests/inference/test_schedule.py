"""Which documents are held out, what an engine is told of a corpus, and how a training ends."""

from dataclasses import replace

import numpy as np
import pytest

from inference import Bow, engines
from inference.engines import batch, from_documents, ssi
from inference.engines.contract import WarmStart
from inference.errors import Invalid
from inference.evaluate import Completion
from inference.schedule import HELD_OUT_TOKENS, Schedule, held_out_documents
from inference.topics import Topics
from inference.training import Snapshot, begin, train
from tests.inference.corpora import bow_of, equal, planted

SEEDS = range(40)


def letters_and_a_book(seed: int) -> Bow:
    """Forty letters of twenty words, and a book of twenty thousand behind them."""
    generator = np.random.default_rng(seed)
    letters = [generator.integers(0, 50, 20).tolist() for _ in range(40)]
    return bow_of([*letters, generator.integers(0, 50, 20_000).tolist()], 50)


def test_one_long_document_is_not_held_out():
    """Else a training would learn from its letters and be measured on the book."""
    bow = letters_and_a_book(0)
    held_out = [held_out_documents(bow, seed) for seed in SEEDS]
    assert all(
        bow.lengths[documents].sum() <= HELD_OUT_TOKENS * bow.tokens for documents in held_out
    )
    assert sum(len(documents) for documents in held_out) > len(SEEDS)


def test_documents_of_one_length_are_held_out_as_they_are_chosen():
    bow, _ = planted(K=3, V=40, D=300, length=30, seed=1)
    counts = [len(held_out_documents(bow, seed)) for seed in SEEDS]
    assert 25 < np.mean(counts) < 35


def test_an_engine_is_told_how_many_tokens_it_is_trained_on():
    bow = letters_and_a_book(0)
    held_out = held_out_documents(bow, 3)
    config = ssi.Config(topics=3).resolve(bow.D, bow.tokens)
    corpus = Schedule(bow, config, held_out).corpus
    assert corpus.all_documents == bow.D
    assert corpus.trained_tokens == np.delete(bow.lengths, held_out).sum()


@pytest.mark.parametrize("name", ["svi", "vb", "vem"])
def test_more_rows_held_out_than_trained_on(name):
    """A document of many short sections may be held out, which are most rows of the bag."""
    sections = [[1, 2]] * 900
    documents = [np.random.default_rng(d).integers(0, 30, 400).tolist() for d in range(30)]
    rows = bow_of([*sections, *documents], 30)
    first_row = np.concatenate(([0], np.arange(900, 931)))
    bow = Bow(rows.indptr, rows.words, rows.counts, 30, first_row=first_row)
    seed = next(s for s in SEEDS if len(held_out_documents(bow, s)) > 900)
    config = engines.config(name, topics=3, passes=2, minibatch=50)
    *_, last = train(engines.get(name), config, bow, seed=seed)
    assert isinstance(last, Snapshot)
    assert np.isfinite(last.held_out)


def test_a_training_that_was_at_its_end_tells_it_again():
    bow, _ = planted(K=3, V=40, D=60, length=30, seed=1)
    config = ssi.Config(topics=3, passes=2, minibatch=20)
    *_, last = train(ssi, config, bow, seed=1)
    (again,) = train(ssi, config, bow, seed=1, resume=last.state)
    assert (again.step, again.held_out) == (last.step, last.held_out)
    assert equal(again.topics, last.topics)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_streams_do_not_take_is_refused(seed):
    bow, _ = planted(K=2, V=20, D=10, length=20, seed=1)
    with pytest.raises(Invalid, match="from 0 to 2\\^63 - 1"):
        list(train(ssi, ssi.Config(topics=2), bow, seed=seed))


def test_topics_that_are_not_numbers_are_refused_where_nothing_is_held_out():
    bow, _ = planted(K=2, V=20, D=10, length=20, seed=1)
    weights = np.array([np.nan, 1.0], np.float32)
    broken = Topics.of_listed(
        np.array([0, 1, 2]), np.array([3, 4], np.int32), weights, np.ones(2), 20
    )
    with pytest.raises(Invalid, match="sum to"):
        Completion(bow, held_out_documents(bow, 1))(broken)


@pytest.mark.parametrize(
    "name", [n for n in engines.ENGINES if isinstance(engines.get(n), WarmStart)]
)
def test_a_training_begins_the_same_from_parts_of_a_corpus(name, monkeypatch):
    """Of large corpora some pairs are looked at after others."""
    bow, _ = planted(K=3, V=40, D=60, length=30, seed=1)
    topics = np.random.default_rng(1).integers(0, 3, len(bow.words)).astype(np.uint16)
    config = engines.config(name, topics=3, passes=2)
    if hasattr(config, "warm_up"):
        config = replace(config, warm_up=0)
    config = config.resolve(bow.D, bow.tokens)
    whole = begin(engines.get(name), config, bow, topics, seed=1)
    monkeypatch.setattr(batch, "PAIRS_AT_ONCE", 50)
    parted = begin(engines.get(name), config, bow, topics, seed=1)
    whole_topics = engines.get(name).topics(config, whole)
    parted_topics = engines.get(name).topics(config, parted)
    assert equal(whole_topics, parted_topics)
    assert np.array_equal(whole_topics.weights, parted_topics.weights)


def test_a_start_from_joined_topics_has_as_many_as_there_are_documents():
    """Some documents are held out, which the form can't know."""
    topics = 10
    bow, _ = planted(K=3, V=40, D=from_documents.JOINED_PER_TOPIC * topics, length=30, seed=1)
    *_, last = train(ssi, ssi.Config(topics=topics, passes=2, start="joined"), bow, seed=1)
    assert isinstance(last, Snapshot)
    with pytest.raises(Invalid, match="needs 40 documents for 10 topics, and there are 39"):
        ssi.Config(topics=topics, start="joined").resolve(39, 1000)
