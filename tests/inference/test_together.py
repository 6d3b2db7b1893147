"""Steps that several processes share give bitwise the topics of one."""

import numpy as np
import pytest

from inference import engines
from inference.bow import Bow
from inference.engines import together
from inference.engines.contract import Divisible
from inference.engines.sharing import Site
from inference.engines.ssi import counting
from inference.kernels import counts
from inference.kernels.chunks import CHUNKS
from inference.kernels.gibbs import UNSEEN, CountTable
from inference.kernels.minibatch import Minibatch
from inference.schedule import Schedule, held_out_documents
from tests.inference.corpora import equal, planted

SEED = 3
CASES = [
    {"topics": 25, "passes": 5},
    {"topics": 7, "passes": 3, "warm_up": 2},
    {"topics": 7, "passes": 3, "warm_up": 0, "draws": 3},
    {"topics": 7, "passes": 2, "statistics": "decay", "kappa": 0.51, "tau0": 1.0},
    {"topics": 25, "passes": 3, "expectation": "log", "eta": 0.4},
    {"topics": 7, "passes": 12, "averaged": 3},
    {"topics": 25, "passes": 4, "warm_up": 1, "minibatch_after": 70},
    {"topics": 25, "passes": 4, "learn": "both", "interval": 3},
    {"topics": 7, "passes": 2, "learn": "alpha", "interval": 2, "statistics": "decay"},
]


@pytest.fixture(scope="module")
def bow() -> Bow:
    return planted(5, 90, 160, 25, seed=2)[0]


class Process:
    """One of several that share a training, in this process."""

    def __init__(self, bow: Bow, config, bounds: np.ndarray, rank: int):
        self.engine = engines.get(engines.DEFAULT)
        self.config = config
        self.site = Site.of_rank(bow, bounds, rank)
        self.schedule = Schedule(bow, config, held_out_documents(bow, SEED))
        own = self.schedule.corpus.of_process(self.site.own.tokens)
        self.state = self.engine.init(config, own, SEED)

    def step(self):
        documents = self.schedule.batch(self.state.t, SEED)
        laid = self.engine.lay_out(self.site, documents)
        return self.engine.divided(self.config, self.state, self.site, laid, self.schedule.corpus)


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


@pytest.mark.parametrize("entries", [counting.TABLE_ENTRIES, 0], ids=["table", "rows"])
@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize(
    "bounds", [[0, 160], [0, 60, 160], [0, 3, 3, 90, 160]], ids=["one", "two", "four, one idle"]
)
def test_any_number_of_processes_gives_the_topics_of_one(bow, case, bounds, entries, monkeypatch):
    monkeypatch.setattr(counting, "TABLE_ENTRIES", entries)
    config = engines.config(engines.DEFAULT, minibatch=40, **CASES[case]).resolve(bow.D, bow.tokens)
    one = Process(bow, config, np.array([0, bow.D]), 0)
    some = [Process(bow, config, np.array(bounds), rank) for rank in range(len(bounds) - 1)]
    for t in range(one.schedule.steps):
        one.engine.step(config, one.state, bow, one.schedule.batch(t, SEED), one.schedule.corpus)
        exchange([process.step() for process in some])
        for process in some:
            state = process.state
            assert equal(one.engine.topics(config, one.state), one.engine.topics(config, state)), t
            assert (state.t, state.pi, state.eta) == (one.state.t, one.state.pi, one.state.eta)
            assert all(
                np.array_equal(getattr(state, n), getattr(one.state, n))
                for n in ("totals", "alpha", "rises")
            )
    assert np.array_equal(np.concatenate([p.state.memory for p in some]), one.state.memory)
    assert sum(process.state.tokens for process in some) == one.state.tokens


def test_the_engine_can_be_shared():
    assert isinstance(engines.get(engines.DEFAULT), Divisible) and not isinstance(
        engines.get("svi"), Divisible
    )


def as_counts(table: np.ndarray) -> together.CountChanges:
    words, topics = np.nonzero(table)
    indptr = np.append(0, np.cumsum(np.bincount(words, minlength=len(table))))
    return together.CountChanges(
        np.arange(len(table), dtype=np.int32),
        indptr,
        topics.astype(np.uint16),
        table[words, topics].astype(np.int32),
    )


@pytest.mark.parametrize(
    "types", [(np.int32, np.uint16), (np.uint16, np.uint8)], ids=["large", "small"]
)
@pytest.mark.parametrize("F", [0, 20, 50])
def test_counts_of_others_are_added_to_the_table(F, types):
    generator = np.random.default_rng(F)
    before, after = (generator.poisson(0.7, (50, 40)) for _ in range(2))
    table = CountTable(before[:F].astype(types[0]), before[F:].astype(types[1]))
    totals = before.sum(axis=0).astype(float)
    counts.add(*as_counts(after - before), table, totals)
    assert np.array_equal(np.concatenate(table), after) and np.array_equal(
        totals, after.sum(axis=0)
    )


@pytest.mark.parametrize(
    "types", [(np.int32, np.uint16), (np.uint16, np.uint8)], ids=["large", "small"]
)
@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("F", [0, 20, 70])
def test_what_is_listed_is_applied_by_any_number_of_threads(F, threads, types):
    generator = np.random.default_rng(F)
    listed = Listed(generator, 70, 300, 2000)
    table = CountTable(np.full((F, 300), 100, types[0]), np.full((70 - F, 300), 100, types[1]))
    totals = np.full(300, 70 * 100.0)
    counts.apply(listed.changed, listed.begins, listed.ends, table, totals, threads)
    assert np.array_equal(np.concatenate(table).astype(int) - 100, listed.expected)
    assert np.array_equal(totals - 70 * 100, listed.expected.sum(axis=0))


class Listed:
    """Changes as gibbs.sample lists them: runs with room between them; and what they are by word
    and topic."""

    def __init__(self, generator, V: int, K: int, n: int):
        words = generator.integers(0, V, n)
        new = generator.integers(0, K, n)
        old = generator.integers(0, K, n)
        words[words == 33] = 0
        old[generator.random(n) < 0.1] = UNSEEN
        self.expected = np.zeros((V, K), int)
        np.add.at(self.expected, (words, new), 1)
        np.add.at(self.expected, (words[old != UNSEEN], old[old != UNSEEN]), -1)
        bounds = np.append(0, np.sort(generator.integers(0, n + 1, CHUNKS - 1)))
        self.ends = np.append(bounds[1:], n)
        room = np.arange(CHUNKS) * 3
        self.changed = np.zeros(n + 3 * CHUNKS, np.uint64)
        place = np.arange(n) + np.repeat(room, self.ends - bounds)
        self.changed[place] = (
            (words.astype(np.uint64) << 32) | (new.astype(np.uint64) << 16) | old.astype(np.uint64)
        )
        self.begins = bounds + room
        self.ends = self.ends + room


@pytest.mark.parametrize(("K", "n"), [(3, 500), (40, 0), (300, 5000), (2000, 700)])
def test_what_is_listed_is_counted_by_word(K, n):
    listed = Listed(np.random.default_rng(K), 70, K, n)
    found = together.changed(listed.changed, listed.begins, listed.ends, 70, K)
    counted = np.zeros((70, K), int)
    counted[np.repeat(found.words, np.diff(found.indptr)), found.topics] = found.changes
    assert np.array_equal(counted, listed.expected) and (found.changes != 0).all()
    assert (
        np.array_equal(found.words, np.arange(70))
        and len(found.topics) == (listed.expected != 0).sum()
    )


@pytest.mark.parametrize(("K", "share"), [(3, 0.3), (40, 0.0), (300, 1.0), (2000, 0.2)])
def test_what_changed_is_counted_by_word(K, share):
    """Draws that stay as they were, words without a change, and tokens that had no topic before."""
    generator = np.random.default_rng(K)
    places = generator.integers(0, 70, 500).astype(np.int32)
    tokens = generator.integers(1, 4, 500)
    places[places == 33] = 0
    token_ptr = np.append(0, np.cumsum(tokens))
    old = generator.integers(0, K, (token_ptr[-1], 2)).astype(np.uint16)
    old[generator.random(len(old)) < 0.1 * (share > 0)] = UNSEEN
    new = np.where(
        (generator.random(old.shape) < share) | (old == UNSEEN),
        generator.integers(0, K, old.shape),
        old,
    )
    batch = Minibatch(np.arange(70) * 2, np.array([0, 200, 500]), places, token_ptr)
    counts = together.count(batch, new.astype(np.uint16), old, K)
    expected = np.zeros((70, K + 1), int)
    word = np.repeat(places, tokens)[:, None]
    np.add.at(expected, (word, new), 1)
    np.add.at(expected, (word, np.minimum(old, K)), -1)
    counted = np.zeros((70, K), int)
    counted[np.repeat(np.arange(70), np.diff(counts.indptr)), counts.topics] = counts.changes
    assert np.array_equal(counted, expected[:, :K]) and (counts.changes != 0).all()
    assert (
        np.array_equal(counts.words, batch.words)
        and len(counts.topics) == (expected[:, :K] != 0).sum()
    )


@pytest.mark.parametrize(("K", "most"), [(200, 3), (300, 127), (300, 128), (2000, 70_000)])
def test_counts_travel_as_they_are(K, most):
    """One byte holds most changes, and the others are told apart."""
    generator = np.random.default_rng(most)
    table = generator.integers(-most, most + 1, (30, K)) * (generator.random((30, K)) < 0.3)
    table[[0, 7, 29]] = 0
    counts = as_counts(table)
    message = together.message_of_counts(counts)
    heard = together.heard_counts(message)
    kept = np.diff(counts.indptr) > 0
    assert np.array_equal(heard.words, counts.words[kept])
    assert np.array_equal(np.diff(heard.indptr), np.diff(counts.indptr)[kept])
    assert np.array_equal(heard.topics, counts.topics) and np.array_equal(
        heard.changes, counts.changes
    )
    assert message[3].dtype == np.int8 and message[2].dtype == (np.uint8 if K <= 256 else np.uint16)
    parts = [as_counts(table), as_counts(np.flip(table)), as_counts(-table)]
    sums = together.added_up(
        [together.heard_counts(together.message_of_counts(part)) for part in parts], K
    )
    added = np.zeros_like(table)
    added[np.repeat(sums.words, np.diff(sums.indptr)), sums.topics] = sums.changes
    assert np.array_equal(added, np.flip(table)) and (sums.changes != 0).all()
