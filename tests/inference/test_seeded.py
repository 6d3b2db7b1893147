"""Topics that are named beforehand by seed words: the prior against its slow twin, topics that hold,
and topics that stay empty."""

import numpy as np
import pytest

import inference
from inference import Bow, Invalid, Snapshot, checkpoint, engines, training
from inference.engines import concepts, ssi
from inference.engines.contract import Seedable, Seeds, TrainingCorpus
from inference.engines.ssi import counting, named_topics
from inference.engines.ssi.algorithm import DROPPED_TOKENS
from inference.engines.step_sizes import rho
from inference.evidence import document_tokens
from inference.kernels.gibbs import UNSEEN
from inference.schedule import Schedule, held_out_documents
from tests.inference.corpora import bow_of, equal, planted
from tests.inference.test_ssi import dense, draw_words, sampled
from tests.inference.test_together import SEED, Process, exchange

ENGINE = engines.get("ssi")
NAMED = [4, 7, 2]  # planted topics that the topics 0, 1 and 2 are named after
EMPTY = 3
NO_SEEDS = Seeds(*(np.zeros(0, np.int64),) * 3)


def of_words(words: list[list[int]], empty: tuple[int, ...] = ()) -> Seeds:
    topics = np.repeat(np.arange(len(words)), [len(each) for each in words])
    return Seeds(np.concatenate(words).astype(np.int64), topics, np.array(empty, np.int64))


def trained(bow: Bow, seeds: Seeds | None, threads: int = 1, **settings) -> Snapshot:
    config = engines.config("ssi", **settings).resolve(bow.D, bow.tokens)
    state = None if seeds is None else inference.plant(ENGINE, config, bow, seeds, seed=1)
    *_, last = inference.train(ENGINE, config, bow, seed=1, resume=state, threads=threads)
    assert isinstance(last, Snapshot)
    return last


def prior(seeds: Seeds, bow: Bow, K: int, M: int) -> np.ndarray:
    """float64[K, V]: what seeds have beforehand, in whole draws, one after another."""
    out = np.zeros((K, bow.V))
    for k in set(seeds.topics.tolist()):
        own = {int(w): int(bow.word_tokens[w]) for w in seeds.words[seeds.topics == k]}
        equal_share = bow.tokens / K
        missing = max(0, 1 - concept(own, bow) / (named_topics.SEED_SMALL * equal_share))
        wanted = max(
            named_topics.SEED_WEIGHT * sum(own.values()),
            named_topics.SEED_SHARE * equal_share * missing,
        )
        for w in own:
            out[k, w] = max(1, int(wanted / len(own) * M)) / M
    return out


def concept(own: dict[int, int], bow: Bow) -> float:
    """Tokens of documents with one of the seeds beyond what chance gives, word by word."""
    observed = np.zeros(bow.V)
    length = 0
    for d in range(bow.D):
        words, counts = _pairs(bow, d)
        if own.keys() & set(words.tolist()):
            length += int(counts.sum())
            for w, n in zip(words, counts, strict=True):
                observed[w] += n
    size = 0.0
    for w in range(bow.V):
        by_chance = length * bow.word_tokens[w] / bow.tokens
        if w in own or observed[w] - by_chance > concepts.DEVIATIONS * by_chance**0.5:
            size += max(observed[w] - by_chance, 0)
    return size


def test_a_seed_that_is_a_word_of_another_subject_too_does_not_draw_the_topic_there():
    """Words 0 to 9 are of one subject, and 0 and 1 are its seeds; word 2, a seed, too, is mostly of
    another one, that of words 10 to 19."""
    random = np.random.default_rng(0)
    documents = []
    for _ in range(30):
        documents.append([0, 1, *random.integers(2, 10, 5).tolist()])
    for _ in range(200):
        documents.append([2, 2, *random.integers(10, 20, 10).tolist()])
    for _ in range(1000):
        documents.append(random.integers(20, 40, 10).tolist())
    bow = bow_of(documents, 40)
    corpus = TrainingCorpus.of_bow(bow)
    seeds = np.array([0, 1, 2])
    begins = concepts.company(bow, corpus, seeds, np.zeros(3, np.int64), topics=2)
    assert set(range(10)) <= set(begins.words.tolist())
    assert not set(range(10, 20)) & set(begins.words.tolist())


@pytest.mark.parametrize("expectation", ["log", "mean"])
def test_statistics_fade_towards_the_prior_of_each_topic_and_word(expectation):
    """At each step lambda is (1 - rho) lambda + rho (prior + D / |B| counts), SVI's eq. 26."""
    K = 7
    V = 40
    config = ssi.Config(
        topics=K, statistics="decay", expectation=expectation, minibatch=5, samples=2, draws=2
    ).resolve(60, 720)
    generator = np.random.default_rng(4)
    bow = bow_of(draw_words(generator, 60, V), V)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=12)
    state = ssi.init(config, corpus, 3)
    seeds = of_words([[3, 9], [9, 20, 31]])
    ssi.plant(config, state, bow, seeds)
    eta = config.eta + prior(seeds, bow, K, 4)
    lam = eta.copy()
    assert (lam[0, 3] > config.eta) and (lam[2] == config.eta).all()
    for t in range(1, 60):
        batch = generator.choice(60, 5, replace=False)
        statistics = sampled(config, state, bow, batch, t, K)
        ssi.step(config, state, bow, batch, corpus)
        size = rho(config, t)
        lam = (1 - size) * lam + size * (eta + 60 / 5 * statistics)
        assert dense(state, K) == pytest.approx(lam - config.eta, rel=1e-4, abs=2 * DROPPED_TOKENS)


@pytest.mark.parametrize("most", [counting.TABLE_ENTRIES, 0], ids=["table", "rows"])
@pytest.mark.parametrize("topics", [9, 21])
def test_counts_are_the_prior_and_what_documents_gave_last(topics, most, monkeypatch):
    monkeypatch.setattr(counting, "TABLE_ENTRIES", most)
    bow, _ = planted(5, 90, 160, 25, seed=2)
    seeds = of_words([[0, 1, 2], [20, 21]])
    state = trained(bow, seeds, topics=topics, passes=4).state
    M = state.memory.shape[1]
    counts = np.zeros((topics, bow.V))
    words = np.repeat(np.asarray(bow.words), np.asarray(bow.counts))
    for draw in state.memory.T:
        seen = draw != UNSEEN
        np.add.at(counts, (draw[seen], words[seen]), 1 / M)
    assert dense(state, topics) == pytest.approx(counts + prior(seeds, bow, topics, M), rel=1e-6)


@pytest.mark.parametrize(
    "settings",
    [{"topics": 11}, {"topics": 25}, {"topics": 11, "statistics": "decay"}],
    ids=["few", "many", "decay"],
)
def test_topics_hold_their_seeds_and_one_without_support_stays_empty(settings):
    K = settings["topics"] - 1
    bow, beta = planted(K, 40 * K, 2500, 60, 1)
    ranked = np.argsort(-beta, axis=1)[:, [3, 5, 8, 9]]
    seeds = of_words([ranked[k].tolist() for k in NAMED], (EMPTY,))
    last = trained(bow, seeds, passes=12, **settings)
    found = last.topics.dense()
    for k, number in enumerate(NAMED):
        cosines = beta @ found[k] / np.linalg.norm(beta, axis=1)
        assert cosines.argmax() == number
        assert cosines[number] / np.linalg.norm(found[k]) > 0.9
    assert last.topics.used is not None and np.flatnonzero(~last.topics.used).tolist() == [EMPTY]
    assert last.topics.share[EMPTY] == 0 and last.topics.share.sum() == pytest.approx(1)
    config = engines.config("ssi", **settings, passes=12).resolve(bow.D, bow.tokens)
    theta = inference.fold_in_corpus(ENGINE, config, last.state, bow)
    held = document_tokens(bow, last.topics, theta, False).toarray().sum(axis=0)
    assert held[EMPTY] == 0 and held.sum() == bow.tokens
    again = trained(bow, seeds, 2, passes=12, **settings)
    assert equal(again.topics, last.topics)


def test_a_rare_concept_is_not_filled_with_something_else():
    """40 documents of 4,000 have the words 0 to 3 and little else of their own: the topic of these
    holds few words, and hardly any token of other documents."""
    bow, _ = planted(8, 400, 4000, 20, 3)
    rare = [{0, 1, 2, 3} if d < 40 else set() for d in range(bow.D)]
    words = [
        [4 + int(w) for w in np.repeat(*_pairs(bow, d))] + sorted(rare[d]) for d in range(bow.D)
    ]
    mixed = bow_of(words, 404)
    topics = trained(mixed, of_words([[0, 1, 2, 3]]), topics=8, passes=10).topics
    assert topics.share[0] < 0.03
    assert set(topics.top(4)[0].tolist()) == {0, 1, 2, 3}


def _pairs(bow: Bow, d: int) -> tuple[np.ndarray, np.ndarray]:
    here = slice(bow.indptr[d], bow.indptr[d + 1])
    return np.asarray(bow.words[here]), np.asarray(bow.counts[here])


@pytest.mark.parametrize("topics", [7, 25])
def test_without_seeds_every_bit_stays(topics):
    bow, _ = planted(5, 90, 160, 25, seed=2)
    plain = trained(bow, None, topics=topics, passes=5)
    assert equal(trained(bow, NO_SEEDS, topics=topics, passes=5).topics, plain.topics)


def test_memory_is_estimated_with_the_prior_of_seeds():
    """A rare word that is a seed may have more than 255 draws: all words before it then have
    counts of two bytes."""
    words = np.random.default_rng(1).integers(0, 70, (300, 60)).tolist()
    bow = bow_of([*words, [80, 81] * 30], 90)
    config = engines.config("ssi", topics=3, passes=5).resolve(bow.D, bow.tokens)
    state = inference.plant(ENGINE, config, bow, of_words([[80, 81]]), seed=1)
    held_out = held_out_documents(bow, 1)
    by_corpus = Schedule(bow, config, held_out).corpus
    corpus = state.continued_corpus(by_corpus, bow)
    *_, last = inference.train(ENGINE, config, bow, seed=1, resume=state)
    table_bytes = sum(array.nbytes for array in (*last.state.table, last.state.sums))
    assert ssi.costs.table_bytes(config, by_corpus) < ssi.costs.table_bytes(config, corpus)
    assert ssi.costs.table_bytes(config, corpus) == table_bytes
    assert ENGINE.memory_bytes(config, corpus._replace(pairs=10**9)) >= 8 * 10**9


def test_seeds_that_are_rare_beside_an_equal_share_leave_their_topic_other_words():
    """As one of 20 topics of the State of the Union, “slavery” had its four seeds alone: before the
    training they had 27 times their own tokens."""
    words = np.random.default_rng(1).integers(0, 70, (300, 60)).tolist()
    bow = bow_of([*words, [80, 81] * 5], 90)
    config = engines.config("ssi", topics=3, passes=5).resolve(bow.D, bow.tokens)
    state = inference.plant(ENGINE, config, bow, of_words([[80, 81]]), seed=1)
    assert state.seed_tokens.tolist() == [5 * named_topics.SEED_MOST] * 2


def test_a_training_is_refused_by_the_memory_that_its_seeds_need(monkeypatch):
    bow, _ = planted(5, 90, 160, 25, seed=2)
    config = engines.config("ssi", topics=7, passes=2).resolve(bow.D, bow.tokens)
    state = inference.plant(ENGINE, config, bow, of_words([[0, 1]]), seed=1)
    asked = []

    def memory_bytes(config, corpus) -> int:
        asked.append(corpus.seeded)
        return 1 << 60 if corpus.seeded else 1

    monkeypatch.setattr(ENGINE, "memory_bytes", memory_bytes)
    monkeypatch.setattr(training, "usable_memory", lambda: 1 << 40)
    with pytest.raises(Invalid, match="GiB of memory"):
        next(inference.train(ENGINE, config, bow, seed=1, resume=state))
    assert asked == [True]


@pytest.mark.parametrize("topics", [7, 25])
def test_a_checkpoint_has_the_prior(topics, tmp_path):
    bow, _ = planted(5, 90, 160, 25, seed=2)
    seeds = of_words([[0, 1, 2], [20, 21]], (2,))
    config = engines.config("ssi", topics=topics, passes=5).resolve(bow.D, bow.tokens)
    whole = trained(bow, seeds, topics=topics, passes=5)
    place = {"engine": ENGINE, "config": config, "bow": bow}
    state = inference.plant(ENGINE, config, bow, seeds, seed=1)
    for part in (3, 9, None):
        *_, last = inference.train(ENGINE, config, bow, seed=1, resume=state, last=part)
        checkpoint.save(tmp_path / "state", last.state, **place)
        state = checkpoint.load(tmp_path / "state", **place)
    assert equal(last.topics, whole.topics)


def test_a_training_that_begins_with_topics_holds_seeds_too():
    bow, _ = planted(5, 90, 160, 25, seed=2)
    config = engines.config("ssi", topics=7, passes=3, warm_up=0).resolve(bow.D, bow.tokens)
    given = (np.asarray(bow.words) % 7).astype(np.uint16)
    state = inference.begin(ENGINE, config, bow, given, seed=1)
    seeds = of_words([[0, 1, 2]])
    before = dense(state, 7)
    inference.plant(ENGINE, config, bow, seeds, state=state)
    M = state.memory.shape[1]
    assert dense(state, 7) == pytest.approx(before + prior(seeds, bow, 7, M), rel=1e-6)


@pytest.mark.parametrize("entries", [counting.TABLE_ENTRIES, 0], ids=["table", "rows"])
@pytest.mark.parametrize("topics", [7, 25])
def test_any_number_of_processes_gives_the_topics_of_one(topics, entries, monkeypatch):
    monkeypatch.setattr(counting, "TABLE_ENTRIES", entries)
    bow, _ = planted(5, 90, 160, 25, seed=2)
    seeds = of_words([[0, 1, 2], [20, 21]], (2,))
    config = engines.config("ssi", topics=topics, passes=4, minibatch=40).resolve(bow.D, bow.tokens)
    bounds = np.array([0, 60, 160])
    some = [Process(bow, config, bounds, rank) for rank in range(2)]
    schedule = Schedule(bow, config, held_out_documents(bow, SEED))
    state = inference.plant(ENGINE, config, bow, seeds, seed=SEED)
    for process in some:
        ENGINE.plant(config, process.state, bow, seeds)
    for t in range(schedule.steps):
        ssi.step(config, state, bow, schedule.batch(t, SEED), schedule.corpus)
        exchange([process.step() for process in some])
    for process in some:
        assert equal(ssi.topics(config, process.state), ssi.topics(config, state))


def test_engines_without_the_ability_refuse():
    bow, _ = planted(5, 90, 160, 25, seed=2)
    svi = engines.get("svi")
    config = engines.config("svi", topics=5).resolve(bow.D, bow.tokens)
    with pytest.raises(Invalid, match="svi can't train topics that are named beforehand"):
        inference.plant(svi, config, bow, of_words([[0]]))
    assert [name for name in engines.ENGINES if isinstance(engines.get(name), Seedable)] == ["ssi"]


def test_what_cannot_be_is_refused():
    bow, _ = planted(5, 90, 160, 25, seed=2)

    def plant(seeds: Seeds, **settings) -> None:
        config = engines.config("ssi", topics=3, **settings).resolve(bow.D, bow.tokens)
        inference.plant(ENGINE, config, bow, seeds)

    with pytest.raises(Invalid, match="priors are fixed"):
        plant(of_words([[0]]), learn="alpha")
    with pytest.raises(Invalid, match="words from 0 to 89"):
        plant(of_words([[90]]))
    with pytest.raises(Invalid, match="topics from 0 to 2"):
        plant(of_words([[0]] * 4))
    with pytest.raises(Invalid, match="no topic is free"):
        plant(NO_SEEDS._replace(empty=np.arange(3)))


def test_all_topics_may_be_named():
    bow, _ = planted(5, 90, 160, 25, seed=2)
    seeds = of_words([[3 * k, 3 * k + 1] for k in range(24)])
    last = trained(bow, seeds, topics=24, passes=3)
    assert last.topics.used is None and last.topics.share.sum() == pytest.approx(1)
