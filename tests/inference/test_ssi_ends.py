"""How a training by ssi ends: the mean of its last states is published, and no more passes are made
when topics have settled; and the rows that are changed in their place are those that are made
anew."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

from inference import Bow, checkpoint, fold_in_corpus
from inference.engines import averaging, ssi
from inference.engines.contract import TrainingCorpus
from inference.engines.ssi import costs, counting, published
from inference.engines.ssi.state import Store
from inference.kernels import gibbs
from inference.runtime.memory import SINGLE
from inference.schedule import Schedule, held_out_documents
from inference.training import Snapshot, train
from tests.inference.corpora import equal, planted


def snapshots(config, bow, **options) -> list[Snapshot]:
    return [event for event in train(ssi, config, bow, **options) if isinstance(event, Snapshot)]


def dense(state, V: int, K: int) -> np.ndarray:
    """Tokens by word and topic."""
    state.refresh()
    out = np.zeros((V, K))
    for w in range(V):
        row = slice(state.start[w], state.start[w] + state.length[w])
        out[w, state.arena_topics[row]] = state.pi * state.arena_values[row]
    return out


@pytest.fixture(scope="module")
def bow():
    return planted(K=5, V=120, D=300, length=40, seed=3)[0]


@pytest.fixture(scope="module")
def sorted_bow(bow):
    """The frequent words first, as in every vocabulary."""
    number = np.argsort(np.argsort(-bow.word_tokens))
    return Bow.from_csr(
        csr_array((bow.counts, number[bow.words], bow.indptr), shape=(bow.D, bow.V))
    )


@pytest.mark.parametrize("start", ["documents", "sampling"])
def test_topics_are_a_mean_in_which_the_last_pass_weighs_most(bow, start, monkeypatch):
    """Line by line: at each end of a pass after the warm-up, and between them with the present
    state."""
    monkeypatch.setattr(published, "AVERAGED_FROM", 1)
    K = 7
    most = 4
    config = ssi.Config(topics=K, start=start, passes=9, minibatch=60, averaged=most).resolve(
        bow.D, bow.tokens
    )
    schedule = Schedule(bow, config, held_out_documents(bow, 2))
    state = ssi.init(config, schedule.corpus, 2)
    mean = None
    totals = None
    states = 0
    for t in range(schedule.steps):
        ssi.step(config, state, bow, schedule.batch(t, 2), schedule.corpus)
        passes, rest = divmod(t + 1, schedule.per_pass)
        now = dense(state, bow.V, K)
        if passes < config.warm_up + (rest == 0):
            assert not state.means
            continue
        part = 1.0 if mean is None else 2 / (min(states, most - 1) + 2)
        counts = part * now + (0.0 if mean is None else (1 - part) * mean)
        counts[counts < averaging.LEAST_OF_MEAN] = 0.0
        sums = part * now.sum(axis=0) + (0.0 if totals is None else (1 - part) * totals)
        topics = ssi.topics(config, state)
        expected = (config.eta + counts.T) / (bow.V * config.eta + sums)[:, None]
        listed = counts.T >= 0.101  # a tenth of a token is listed: rounding must not decide it
        assert topics.dense()[listed] == pytest.approx(expected[listed], rel=1e-4)
        assert topics.share == pytest.approx(sums / sums.sum(), rel=1e-9)
        if rest == 0 and passes > config.warm_up:
            mean = counts
            totals = sums
            states = states + 1
    assert states == 9 - config.warm_up == state.means


def test_a_word_of_the_mean_weighs_the_same_in_fold_in_as_in_topics(bow):
    config = ssi.Config(topics=5, passes=13, minibatch=60).resolve(bow.D, bow.tokens)
    last = snapshots(config, bow, seed=1)[-1]
    words = np.array([3, 70, 8])
    state = last.state
    some = averaging.averaged_rows(state, state.pi, state.t, config.averaged, words)
    whole = averaging.averaged_rows(state, state.pi, state.t, config.averaged, np.arange(bow.V))
    for i, w in enumerate(words):
        a = slice(some.start[i], some.start[i] + some.length[i])
        b = slice(whole.start[w], whole.start[w] + whole.length[w])
        assert np.array_equal(some.arena_topics[a], whole.arena_topics[b])
        assert np.array_equal(some.arena_values[a], whole.arena_values[b])
    assert np.array_equal(some.totals, whole.totals)
    (theta,) = fold_in_corpus(ssi, config, state, bow)
    own = replace(state, means=0, mean_t=0)
    (other,) = fold_in_corpus(ssi, config, own, bow)
    assert state.means and not np.array_equal(theta.weights, other.weights), (
        "documents are folded into the topics that are published"
    )


def test_the_mean_predicts_held_out_words_better_than_the_last_state():
    bow, _ = planted(K=6, V=300, D=500, length=40, seed=4)
    config = ssi.Config(topics=12, passes=16, start="sampling", until="passes", averaged=5)
    mean, last = (snapshots(replace(config, averaged=n), bow, seed=1)[-1] for n in (5, 1))
    assert np.array_equal(mean.state.memory, last.state.memory), "what is published changes no draw"
    assert mean.held_out > last.held_out


def test_training_ends_when_topics_have_settled(bow, tmp_path, monkeypatch):
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    config = ssi.Config(topics=5, passes=200, minibatch=60).resolve(bow.D, bow.tokens)
    whole = snapshots(config, bow, seed=1)
    last = whole[-1]
    per_pass = 5
    passes, rest = divmod(last.step, per_pass)
    assert rest == 0 and passes % published.LOOKS == 0 and passes < 200
    assert last.step == last.steps, "the run is whole"
    assert (
        last.step == last.state.t
        and len(last.state.judged) == passes // published.LOOKS - published.FIRST_LOOK + 1
    )
    rises = last.state.judged[2:] - last.state.judged[:-2]
    assert (
        rises[-1] < published.SETTLED * 2 * published.LOOKS
        and (rises[:-1] >= published.SETTLED * 2 * published.LOOKS).all()
    )
    # Fitted quickly, and exactly
    assert last.state.judged[-1] == pytest.approx(last.held_out, abs=0.02)
    for killed_after in (3, last.step - per_pass, last.step - 1):
        asked = iter(range(1, 10_000))
        *_, stopped = train(
            ssi, config, bow, seed=1, until=lambda n=killed_after, asked=asked: next(asked) == n
        )
        assert stopped.step == killed_after
        checkpoint.save(tmp_path / "c", stopped.state, engine=ssi, config=config, bow=bow)
        state = checkpoint.load(tmp_path / "c", engine=ssi, config=config, bow=bow)
        rest = snapshots(config, bow, seed=1, resume=state)
        assert (rest[-1].step, rest[-1].steps) == (last.step, last.step) and equal(
            rest[-1].topics, last.topics
        )
    checkpoint.save(tmp_path / "c", last.state, engine=ssi, config=config, bow=bow)
    state = checkpoint.load(tmp_path / "c", engine=ssi, config=config, bow=bow)
    (ended,) = train(ssi, config, bow, seed=1, resume=state)
    assert (ended.step, ended.steps) == (last.step, last.step), "it does not go on"
    *_, again = train(ssi, config, bow, seed=1, last=last.step)
    assert equal(again.topics, last.topics)
    to_the_end = snapshots(replace(config, until="passes", passes=passes + 2), bow, seed=1)[-1]
    assert to_the_end.step == per_pass * (passes + 2)


def test_without_held_out_documents_all_passes_are_made():
    bow, _ = planted(K=2, V=20, D=15, length=20, seed=1)
    last = snapshots(ssi.Config(topics=2, passes=30, minibatch=15), bow)[-1]
    assert last.step == 30 and np.isnan(last.state.judged).all()


@pytest.mark.parametrize(
    ("tiny", "narrow", "types", "wide"),
    [
        (1 << 8, 1 << 16, (np.uint16, np.uint8), "some"),
        (0, 1 << 16, (np.uint16, np.uint8), "all"),
        (0, 150, (np.int32, np.uint16), "some"),
        (0, 0, (np.int32, np.uint16), "all"),
    ],
    ids=["one byte and two", "two bytes", "two bytes and four", "four bytes"],
)
def test_the_table_has_what_the_memory_has(sorted_bow, tiny, narrow, types, wide, monkeypatch):
    """After each step, in counts of one byte, of two and of four, and also where a step has no
    documents."""
    monkeypatch.setattr(counting, "TINY", tiny)
    monkeypatch.setattr(counting, "NARROW", narrow)
    config = ssi.Config(topics=70, start="documents", warm_up=1, minibatch=50, samples=2).resolve(
        sorted_bow.D, sorted_bow.tokens
    )
    corpus = TrainingCorpus.of_bow(sorted_bow, steps_per_pass=6)
    state = ssi.init(config, corpus, 1)
    words = np.repeat(sorted_bow.words, sorted_bow.counts)
    for t in range(20):
        documents = np.random.default_rng(t).permutation(sorted_bow.D)[: 0 if t in (8, 9) else 50]
        ssi.step(config, state, sorted_bow, documents, corpus)
        if t < 5:
            assert state.lambda_in is Store.ROWS
            continue
        expected = np.zeros((sorted_bow.V, 70))
        for draws in state.memory.T:
            seen = draws != gibbs.UNSEEN
            np.add.at(expected, (words[seen], draws[seen]), 1)
        table = np.concatenate([part.astype(float) for part in state.table])[:, :70]
        assert np.array_equal(table, expected) and np.array_equal(
            state.totals, expected.sum(axis=0)
        )
        F = len(state.table.wide)
        if t % 3 == 0:
            state.refresh()
            assert state.lambda_in is Store.ROWS_AND_TABLE
            assert np.array_equal(dense(state, sorted_bow.V, 70), expected * state.pi)
            assert (
                np.diff(state.arena_topics)[
                    np.diff(np.repeat(np.arange(sorted_bow.V), state.length)) == 0
                ]
                > 0
            ).all()
    assert tuple(part.dtype for part in state.table) == types
    assert F == sorted_bow.V if wide == "all" else 0 < F < sorted_bow.V


@pytest.mark.parametrize("order", [1, -1], ids=["frequent words first", "rare words first"])
def test_memory_has_the_table_in_any_order_of_words(sorted_bow, order):
    """Words up to the last frequent one have two bytes a count: nearly all, where it is the last of
    the vocabulary."""
    numbers = np.arange(sorted_bow.V)[::order]
    matrix = csr_array(
        (sorted_bow.counts, numbers[sorted_bow.words], sorted_bow.indptr),
        shape=(sorted_bow.D, sorted_bow.V),
    )
    bow = Bow.from_csr(matrix)
    config = ssi.Config(topics=70, passes=5, minibatch=60).resolve(bow.D, bow.tokens)
    state = snapshots(config, bow, seed=1)[-1].state
    corpus = Schedule(bow, config, held_out_documents(bow, 1)).corpus
    assert 0 < len(state.table.wide) <= bow.V and (len(state.table.wide) > bow.V / 2) == (order < 0)
    size = sum(array.nbytes for array in (*state.table, state.sums))
    assert costs.table_bytes(config, corpus) == size <= ssi.memory_bytes(config, corpus)


def test_without_a_table_a_minibatchs_weights_and_their_sums_are_estimated(sorted_bow):
    """With the entries up to a whole block; the minibatch is of all documents."""
    config = ssi.Config(topics=64, statistics="decay", minibatch=sorted_bow.D).resolve(
        sorted_bow.D, sorted_bow.tokens
    )
    corpus = TrainingCorpus.of_bow(sorted_bow)
    state = ssi.init(config, corpus, 1)
    ssi.step(config, state, sorted_bow, np.arange(sorted_bow.D), corpus)
    words = np.unique(sorted_bow.words)
    assert state.sums.nbytes == len(words) * gibbs.table_width(64) // gibbs.BLOCK * SINGLE
    assert costs.step_bytes(config, corpus) >= state.sums.nbytes * (1 + gibbs.BLOCK)


@pytest.mark.parametrize("start", ["documents", "sampling"])
def test_where_counts_are_kept_changes_no_bit(sorted_bow, start, monkeypatch):
    """In a table of one and two bytes, in one of two and four, or, where the table would be too
    large, in rows."""
    config = ssi.Config(topics=70, passes=5, minibatch=60, start=start)
    usual = snapshots(config, sorted_bow, seed=1)[-1]
    monkeypatch.setattr(counting, "NARROW", int(2 * np.median(sorted_bow.word_tokens)))
    wide = snapshots(config, sorted_bow, seed=1)[-1]
    assert usual.state.table.narrow.dtype == np.uint8 and wide.state.table.wide.dtype == np.int32
    assert 0 < len(usual.state.table.wide) < len(wide.state.table.wide) < sorted_bow.V
    monkeypatch.setattr(counting, "TABLE_ENTRIES", 0)
    in_rows = snapshots(config, sorted_bow, seed=1)[-1]
    assert in_rows.state.lambda_in is Store.ROWS
    assert equal(usual.topics, wide.topics) and equal(usual.topics, in_rows.topics)


def test_a_state_that_was_led_elsewhere_does_not_keep_its_older_table(bow):
    """A leader's state gets its rows from workers, and may train on by itself."""
    config = ssi.Config(topics=30, passes=6, minibatch=60).resolve(bow.D, bow.tokens)
    schedule = Schedule(bow, config, held_out_documents(bow, 1))
    one, other = (ssi.init(config, schedule.corpus, 1) for _ in (1, 2))
    for t in range(schedule.steps - 2):
        for state in (one, other)[: 1 if t > schedule.steps - 5 else 2]:
            ssi.step(config, state, bow, schedule.batch(t, 1), schedule.corpus)
    one.refresh()
    sent = ("t", "start", "length", "capacity", "arena_topics", "arena_values", "used")
    other.take({name: getattr(one, name) for name in sent})
    other.memory = one.memory.copy()
    other.totals = one.totals.copy()
    for state in (one, other):
        ssi.step(config, state, bow, schedule.batch(state.t, 1), schedule.corpus)
    assert equal(ssi.topics(config, one), ssi.topics(config, other))
