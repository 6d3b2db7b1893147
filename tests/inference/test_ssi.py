"""The engine against its slow twin, planted topics, and the edges of what can be asked of it."""

import numba
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, minimize_scalar
from scipy.special import gammaln

from inference import Bow, checkpoint, simulate
from inference.engines import config as engine_config, from_documents, ssi
from inference.engines.batch import expand
from inference.engines.contract import MOST_DOCUMENT_TOKENS, NO_DOCUMENTS, TrainingCorpus
from inference.engines.ssi import counting, sampling
from inference.engines.ssi.algorithm import DROPPED_TOKENS
from inference.engines.step_sizes import rho
from inference.errors import Invalid
from inference.kernels import frank_wolfe, gibbs, rng, rows
from inference.schedule import Schedule, held_out_documents
from inference.training import Progress, Snapshot, fold_in_corpus, train
from tests.inference import naive, naive_fw
from tests.inference.corpora import bow_of, corpus_of_size, equal, planted


def last(config, bow, **options) -> Snapshot:
    for event in train(ssi, config, bow, **options):
        if isinstance(event, Snapshot):
            final = event
    return final


def dense(state: ssi.State, K: int) -> np.ndarray:
    """lambda - eta as an array [K, V]."""
    state.refresh()
    out = np.zeros((K, len(state.start)))
    for w in range(len(state.start)):
        row = slice(state.start[w], state.start[w] + state.length[w])
        out[state.arena_topics[row], w] = state.pi * state.arena_values[row]
    return out


def draw_words(generator, D: int, V: int) -> list[list[int]]:
    return [
        generator.choice(V, 12, p=np.arange(1, V + 1) / (V * (V + 1) / 2)).tolist()
        for _ in range(D)
    ]


def sampled(config, state, bow, documents, t: int, K: int) -> np.ndarray:
    """What step t will draw for new documents: mean counts [K, V]."""
    batch = expand(bow, documents)
    keys = rng.keys(np.uint64(state.seed), np.uint64(rng.SAMPLE), np.uint64(t), documents)
    samples = sampling.sample_batch(config, state, batch, keys)
    words = np.repeat(batch.words[batch.places], np.diff(batch.token_ptr))
    statistics = np.zeros((K, bow.V))
    for draw in samples.T:
        np.add.at(statistics, (draw, words), 1 / samples.shape[1])
    return statistics


@pytest.mark.parametrize("expectation", ["log", "mean"])
@pytest.mark.parametrize(("tau0", "kappa"), [(10.0, 0.7), (0.0, 0.7), (0.0, 1.0), (1.0, 0.51)])
def test_lazy_sparse_update_is_eq_11(tau0, kappa, expectation):
    """pi and its resets, the arena and its growth change nothing: after each step lambda is what
    eq. 11 gives."""
    K = 7
    V = 40
    config = ssi.Config(
        topics=K,
        statistics="decay",
        expectation=expectation,
        tau0=tau0,
        kappa=kappa,
        minibatch=5,
        burn_in=0,
        samples=2,
        draws=2,
    ).resolve(60, 720)
    generator = np.random.default_rng(4)
    bow = bow_of(draw_words(generator, 60, V), V)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=12)
    state = ssi.init(config, corpus, 3)
    lam = np.full((K, V), config.eta)
    for t in range(1, 120):
        batch = generator.choice(60, 5, replace=False)
        statistics = sampled(config, state, bow, batch, t, K)
        ssi.step(config, state, bow, batch, corpus)
        lam = naive.update(lam, statistics, rho(config, t), 60 / 5, config.eta)
        # What decayed below DROPPED_TOKENS is forgotten, on purpose.
        assert dense(state, K) == pytest.approx(lam - config.eta, rel=1e-4, abs=2 * DROPPED_TOKENS)
        assert state.pi * state.totals == pytest.approx(
            (lam - config.eta).sum(axis=1), rel=1e-3, abs=V * DROPPED_TOKENS
        )


@pytest.mark.parametrize(
    ("start", "warm_up"), [("documents", 1), ("documents", 2), ("sampling", 0), ("sampling", 2)]
)
def test_memo_is_the_sum_of_what_documents_gave_last(start, warm_up):
    """After the warm-up lambda - eta is at every step exactly the mean count of what is remembered,
    of all documents seen."""
    K = 9
    V = 40
    D = 70
    generator = np.random.default_rng(4)
    bow = bow_of(draw_words(generator, D - 2, V) + [[], list(range(V)) * 30], V)
    config = ssi.Config(
        topics=K, start=start, warm_up=warm_up, samples=2, draws=3, minibatch=10
    ).resolve(D, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=7)
    state = ssi.init(config, corpus, 3)
    words = np.repeat(bow.words, bow.counts)
    for t in range(1, 29):
        order = np.random.default_rng((t - 1) // 7).permutation(D)
        ssi.step(config, state, bow, order[(t - 1) % 7 * 10 :][:10], corpus)
        if t >= 7 * warm_up:
            expected = np.zeros((K, V))
            for draw in state.memory.T:
                seen = draw != gibbs.UNSEEN
                np.add.at(expected, (draw[seen], words[seen]), 1 / 6)
            assert dense(state, K) == pytest.approx(expected, rel=1e-6)
            assert state.pi * state.totals == pytest.approx(expected.sum(axis=1))
            assert state.eta == config.eta
            assert state.length.sum() == (expected > 0).sum()
    assert (state.memory != gibbs.UNSEEN).all()


class Started:
    """A state after two steps of OPE from documents, and a minibatch of the third."""

    def __init__(self, K, V=60, D=50):
        generator = np.random.default_rng(2)
        self.bow = bow_of(draw_words(generator, D, V), V)
        self.config = ssi.Config(topics=K, start="documents", minibatch=20, warm_up=2).resolve(
            D, self.bow.tokens
        )
        self.corpus = TrainingCorpus.of_bow(self.bow, steps_per_pass=3)
        self.state = ssi.init(self.config, self.corpus, 3)
        for t in range(2):
            ssi.step(self.config, self.state, self.bow, np.arange(20 * t, 20 * t + 20), self.corpus)
        self.documents = np.arange(10, 30)
        self.batch = expand(self.bow, self.documents)
        self.keys = rng.keys(np.uint64(3), np.uint64(rng.OPE), np.uint64(3), self.documents)

    def twin(self):
        """For each document of the minibatch its pairs, and phi of all topics and of its vertices
        alone: [K, n]."""
        lam = self.state.eta + dense(self.state, self.config.topics)
        beta = lam / lam.sum(axis=1, keepdims=True)
        for i, d in enumerate(self.documents):
            pairs = slice(self.bow.indptr[d], self.bow.indptr[d + 1])
            words = self.bow.words[pairs]
            counts = self.bow.counts[pairs].astype(float)
            yield words, counts, *naive_fw.from_documents(beta[:, words], counts, self.keys[i])


@pytest.mark.parametrize("K", [1, 5, 70])
def test_topics_begin_as_documents(K):
    """One document a topic, while there are any that are trained on and have words; then steps of
    eq. 11."""
    bow = bow_of([[d] * (d + 1) for d in range(40)] + [[]], 40)
    config = ssi.Config(topics=K, start="documents", minibatch=41).resolve(41, bow.tokens)
    held_out = np.array([3, 17])
    corpus = TrainingCorpus.of_bow(bow, held_out)
    state = ssi.init(config, corpus, 1)
    ssi.step(config, state, bow, np.array([40]), corpus)  # nothing to learn from
    assert state.eta == pytest.approx(max(0.04 * bow.tokens / 40 / K, config.eta / 2))
    began = dense(state, K) / state.pi
    assert ((began > 0).sum(axis=1) == (np.arange(K) < 38)).all() and not began[:, held_out].any()
    assert began.sum(axis=0)[began.any(axis=0)] == pytest.approx(
        1.0 + np.flatnonzero(began.any(axis=0))
    )


def test_rare_words_weigh_more_in_what_topics_begin_with():
    bow = bow_of([[0, 0, d // 2 + 1] for d in range(20)], 11)
    state = ssi.init(ssi.Config(topics=20).resolve(20, bow.tokens), TrainingCorpus.of_bow(bow), 1)
    from_documents.begin(state, bow, TrainingCorpus.of_bow(bow), 1)
    common = 2 * np.log(21 / 20)
    rare = np.log(21 / 2)
    began = dense(state, 20)
    assert began.sum(axis=1) == pytest.approx(np.full(20, 3.0))
    assert began[:, 0] == pytest.approx(np.full(20, 3 * common / (common + rare)))


def begun(K, D, held_out=NO_DOCUMENTS, seed=1, **how):
    """(bow, float64[K, V]: what K topics begin with), of five kinds of documents: in each kind they
    share most words."""
    random = np.random.default_rng(7)
    of_kind = [
        [10 * (d % 5) + int(w) for w in random.integers(0, 10, 6 + d % 3)] + [50] for d in range(D)
    ]
    bow = bow_of(of_kind, 51)
    corpus = TrainingCorpus.of_bow(bow, held_out)
    state = ssi.init(ssi.Config(topics=K).resolve(D, bow.tokens), corpus, 1)
    from_documents.begin(state, bow, corpus, seed, **how)
    return bow, dense(state, K)


def test_many_topics_begin_with_documents_that_are_unlike_each_other(monkeypatch):
    held_out = np.arange(0, 400, 10)
    kinds = {}
    for least in (5, 6):  # topics from which on they are
        monkeypatch.setattr(from_documents, "FEWEST_TOPICS_UNLIKE", least)
        kinds[least] = 0
        for seed in range(8):
            bow, began = begun(5, 400, held_out, seed)
            kinds[least] += len({int(row[:50].argmax()) // 10 for row in began})
            if least == 5:
                assert began.sum(axis=1) == pytest.approx(np.full(5, bow.tokens / bow.D))
    assert kinds[5] >= 36 and kinds[6] <= 30, (
        "nearly all of eight times five kinds, of which random documents miss a third"
    )


def test_joined_topics_begin_as_every_kind_of_document_and_others_stay_without_words():
    """Of five kinds random documents miss a third. Documents that are held out give nothing."""
    held_out = np.arange(0, 400, 10)
    for seed in range(8):
        bow, began = begun(5, 400, held_out, seed, joined=True)
        kinds = began[:, :50].reshape(5, 5, 10).sum(axis=2)
        assert sorted(kinds.argmax(axis=1)) == [0, 1, 2, 3, 4]
        assert kinds.max(axis=1) == pytest.approx(kinds.sum(axis=1), rel=0.1)
        assert began.sum() == pytest.approx(bow.tokens * 360 / 400, rel=0.1)
    free = np.array([1, 3])
    some_began = begun(5, 400, held_out, joined=True, free=free)[1]
    assert (some_began.any(axis=1) == np.isin(np.arange(5), free)).all()


def test_joined_topics_are_the_same_with_any_number_of_threads():
    threads = numba.get_num_threads()
    began = []
    try:
        for number in (1, 2):
            numba.set_num_threads(number)
            began.append(begun(5, 400, joined=True)[1])
    finally:
        numba.set_num_threads(threads)
    assert (began[0] == began[1]).all()


def test_joined_topics_are_trained_of_fewer_documents_than_a_sample_has_minibatches():
    """As many as four topics of each that is asked for need, and some are held out."""
    bow, _ = planted(K=3, V=40, D=25, length=30, seed=1)
    config = ssi.Config(topics=5, passes=3, start="joined")
    trained = last(config, bow, seed=1)
    assert trained.topics.K == 5 and np.isfinite(trained.held_out)


def test_joined_topics_are_asked_for_and_said():
    usual = ssi.Config(topics=100).resolve(5000, 10**6)
    joined = ssi.Config(topics=100, start="joined").resolve(5000, 10**6)
    assert usual.start == "documents" and joined.warm_up == usual.warm_up == 2
    assert "the nearest were joined" in ssi.methods(vars(joined)).sentence
    assert "the nearest were joined" not in ssi.methods(vars(usual)).sentence
    corpus = corpus_of_size(5000, 20_000, 10**6, 32)
    assert ssi.memory_bytes(joined, corpus) >= ssi.memory_bytes(usual, corpus)


def test_methods_say_how_counts_faded_and_how_words_were_weighted():
    by_sampling = ssi.Config(topics=5, start="sampling").resolve(5000, 10**6)
    said = ssi.methods(vars(by_sampling)).sentence
    assert (
        "in the first pass counts faded instead, with a step size of (τ₀ + t)^−κ, κ = 0.7" in said
    )
    assert "weighted by E[β] instead of exp E[log β]" in said
    as_paper = ssi.Config(topics=5, statistics="decay", expectation="log").resolve(5000, 10**6)
    assert "faded" not in ssi.methods(vars(as_paper)).sentence


def test_too_few_documents_and_too_many_topics_are_refused():
    with pytest.raises(Invalid, match="needs 400 documents for 100 topics, and there are 399"):
        ssi.Config(topics=100, start="joined").resolve(399, 10**6)
    ssi.Config(topics=500, start="joined")
    with pytest.raises(Invalid, match="for 500 topics at the most, got 501") as error:
        ssi.Config(topics=501, start="joined")
    assert error.value.field == "start"


def test_the_search_for_unlike_documents_is_bounded(monkeypatch):
    """By a sample; and with few topics, or few documents for each, there is no search."""
    searched = []

    def search(doc_ptr, *arguments, diverse=from_documents.seeds.diverse):
        searched.append(len(doc_ptr) - 1)
        return diverse(doc_ptr, *arguments)

    monkeypatch.setattr(from_documents.seeds, "diverse", search)
    begun(100, 699)
    begun(99, 800)
    assert searched == []
    whole = begun(100, 800)[1]
    assert searched == [800] and (whole.sum(axis=1) > 0).all()
    monkeypatch.setattr(
        from_documents,
        "MOST_SHARED_WORDS",
        250 * 100 * (2 + np.log(100)) * (1 + from_documents.SHARED_WORDS_PART * 8),
    )
    begun(100, 800)
    assert 200 <= searched[1] < 400
    bow = bow_of([[d % 3] for d in range(800)], 3)  # three that differ: the others are random
    corpus = TrainingCorpus.of_bow(bow)
    state = ssi.init(ssi.Config(topics=100).resolve(800, bow.tokens), corpus, 1)
    from_documents.begin(state, bow, corpus, 1)
    assert (dense(state, 100).sum(axis=1) > 0).all()


@pytest.mark.parametrize("K", [3, 30])
def test_a_step_from_documents_is_its_slow_twin(K):
    case = Started(K)
    before = dense(case.state, K)
    statistics = np.zeros((K, 60))
    has = before > 0
    for words, counts, phi, vertices in case.twin():
        statistics[:, words] += counts * np.where(has[:, words], phi, vertices)
    ssi.step(case.config, case.state, case.bow, case.documents, case.corpus)
    step_size = (1 + 3) ** -0.6
    expected = naive.update(before, statistics, step_size, 50 / 20, 0.0)
    assert dense(case.state, K) == pytest.approx(expected, rel=1e-3, abs=2 * frank_wolfe.dropped(K))
    assert case.state.pi * case.state.totals == pytest.approx(expected.sum(axis=1), rel=1e-2)


@pytest.mark.parametrize("K", [3, 30])
def test_topics_are_drawn_by_phi(K):
    """Each topic gets its share of a pair's draws, but for one, and of each column's."""
    case = Started(K)
    inferred = from_documents.infer(
        case.state, case.state.pi, case.state.eta, case.batch, case.keys
    )
    many = [
        from_documents.draw(case.batch, inferred, 40, case.keys + np.uint64(i)) for i in range(3)
    ]
    for i, (words, counts, phi, _) in enumerate(case.twin()):
        for j in range(len(words)):
            p = case.batch.doc_ptr[i] + j
            for draws in many:
                given = draws[case.batch.token_ptr[p] : case.batch.token_ptr[p + 1]]
                assert len(given) == counts[j] and given.max() < K
                drawn = np.bincount(given.ravel(), minlength=K)
                vertex = phi[:, j] > 0.06  # more than what is spread evenly
                assert (
                    np.abs(drawn - phi[:, j] * counts[j] * 40)[vertex].max(initial=0)
                    <= 1.5 + 0.06 * counts[j] * 40
                )


def test_handing_over_makes_nothing_worse():
    """The topics that are published after the last step of OPE are as good as those before it."""
    bow, _ = planted(K=6, V=200, D=1500, length=60, seed=1)
    config = ssi.Config(topics=12, start="documents", passes=4, warm_up=3, minibatch=50)
    steps = [event for event in train(ssi, config, bow, seed=1) if isinstance(event, Snapshot)]
    before = [s for s in steps if s.step < 90][-1]
    after = next(s for s in steps if s.step >= 90)
    assert after.held_out > before.held_out - 0.01


@pytest.mark.parametrize("warm_up", [0, 1])
@pytest.mark.parametrize("most", [100, 1000])
def test_counts_that_float32_would_round_stay_exact(warm_up, most, monkeypatch):
    """Where a word's count may pass what float32 holds, the rows are float64, in which merging is
    exact."""
    monkeypatch.setattr(counting, "EXACT", most)
    monkeypatch.setattr(counting, "TABLE_ENTRIES", 0)
    bow = bow_of([[0] * 51] * 9, 1)
    config = ssi.Config(
        topics=1, start="sampling", warm_up=warm_up, passes=3, minibatch=3, samples=1, draws=1
    )
    config = config.resolve(9, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=3)
    state = ssi.init(config, corpus, 1)
    for t in range(3 * (warm_up + 1)):
        ssi.step(config, state, bow, np.arange(t % 3 * 3, t % 3 * 3 + 3), corpus)
    state.refresh()
    large = most < bow.tokens
    assert state.arena_values.dtype == (np.float64 if large else np.float32)
    state.arena_values[state.start[0]] = state.totals[0] = 2**24
    new = np.zeros((51, 1), np.uint16)
    old = np.empty((51, 0), np.uint16)
    counting.add_samples(state, expand(bow, np.arange(1)), new, old, 1.0, counting.LEAST_WHOLE)
    assert (dense(state, 1)[0, 0] == 2**24 + 51) == large and state.totals[0] == 2**24 + 51


def counts_of_topics(eta: float) -> np.ndarray:
    """[20 topics, 300 words] of 3,000 tokens each, from topics that were drawn with this eta."""
    generator = np.random.default_rng(0)
    drawn = [generator.multinomial(3000, generator.dirichlet(np.full(300, eta))) for _ in range(20)]
    return np.array(drawn)


def learned_eta(counts: np.ndarray) -> float:
    """The fixed point for these counts [K, V], as the engine stores them."""
    scale = 4.0
    length = np.count_nonzero(counts, axis=0)
    by_word = counts.T
    values = (by_word[by_word > 0] / scale).astype(np.float32)
    arena = rows.Arena(np.cumsum(length) - length, length, np.zeros(0, np.int32), values)
    found = 1.0
    for _ in range(300):
        found = rows.better_eta(arena, scale, counts.sum(axis=1) / scale, found)
    return found


def test_eta_is_learned():
    """The fixed point finds the eta that topics were drawn with, from their counts."""
    assert learned_eta(counts_of_topics(0.2)) == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("kept_share", [0.5, 0.37], ids=["half tokens", "counts that faded"])
def test_eta_is_learned_from_counts_that_are_not_whole(kept_share):
    """It is the eta under which they are most probable."""
    counts = kept_share * counts_of_topics(0.2)
    K, V = counts.shape

    def minus_log_probability(eta):
        of_words = gammaln(eta + counts).sum() - counts.size * gammaln(eta)
        of_topics = K * gammaln(V * eta) - gammaln(V * eta + counts.sum(axis=1)).sum()
        return -(of_words + of_topics)

    most_probable = minimize_scalar(minus_log_probability, bounds=(0.01, 2.0), method="bounded").x
    assert learned_eta(counts) == pytest.approx(most_probable, rel=1e-3)


@pytest.mark.parametrize("learn", ["alpha", "both"])
def test_learned_priors_fit_the_corpus(learn):
    """Topics that few documents have get a smaller alpha than those that many have."""
    bow, beta = planted(K=4, V=80, D=600, length=60, seed=2, alpha=(0.1, 0.1, 0.4, 0.4))
    config = ssi.Config(topics=4, alpha=0.3, learn=learn, interval=5, minibatch=60, passes=20)
    state = last(config, bow, seed=1).state
    topics = ssi.topics(config.resolve(bow.D, bow.tokens), state).dense()
    distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
    alpha = state.alpha[linear_sum_assignment(distance)[1]]
    assert alpha[2:].min() > 2 * alpha[:2].max()
    assert (state.eta == config.resolve(bow.D, bow.tokens).eta) == (learn == "alpha")


@pytest.mark.parametrize(
    ("statistics", "expectation"),
    [("memo", "mean"), ("decay", "mean"), ("decay", "log"), ("memo", "log")],
)
def test_planted_topics_are_found(statistics, expectation):
    """Over several seeds nearly all; some runs of any sampler end with two topics in one."""
    found = []
    for seed in range(5):
        bow, beta = planted(K=6, V=120, D=800, length=60, seed=seed)
        config = ssi.Config(
            topics=6,
            alpha=0.2,
            minibatch=50,
            passes=12,
            statistics=statistics,
            expectation=expectation,
        )
        topics = last(config, bow, seed=seed).topics.dense()
        distance = 0.5 * np.abs(beta[:, None] - topics[None]).sum(axis=2)
        found += (distance[linear_sum_assignment(distance)] < 0.2).tolist()
    assert sum(found) >= 0.85 * len(found), found


def test_as_good_as_the_slow_twin():
    """Topics of Algorithm 1, line by line, and ours find the planted ones equally well, over some
    seeds."""
    bow, beta = planted(K=3, V=30, D=120, length=30, seed=1)
    documents = [
        np.repeat(bow.words[a:b], bow.counts[a:b]).tolist()
        for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]
    settings = {
        "alpha": 0.3,
        "eta": 0.1,
        "kappa": 0.7,
        "tau0": 10.0,
        "minibatch": 30,
        "burn_in": 1,
        "samples": 2,
        "passes": 6,
    }
    paper = ssi.Config(topics=3, statistics="decay", expectation="log", draws=1, **settings)

    def error(found):
        distance = 0.5 * np.abs(beta[:, None] - found[None]).sum(axis=2)
        return distance[linear_sum_assignment(distance)].mean()

    def error_of_twin(seed):
        lam = naive.train(documents, 3, 30, rng=np.random.default_rng(seed), **settings)
        return error(lam / lam.sum(axis=1, keepdims=True))

    slow = [error_of_twin(seed) for seed in range(5)]
    ours = [error(last(paper, bow, seed=seed).topics.dense()) for seed in range(5)]
    standard_error = np.sqrt((np.var(slow, ddof=1) + np.var(ours, ddof=1)) / 5)
    assert np.mean(ours) < np.mean(slow) + 2 * standard_error
    assert np.mean(slow) < 0.25


def test_the_last_draw_of_a_token_is_among_the_counts_by_which_it_is_drawn_again():
    """docs/engines/ssi.md lists it as a deviation. Each document is one token of a word of its own,
    which says nothing of its topic: collapsed Gibbs sampling would keep 1 / K of them."""
    D = 2000
    K = 100
    bow = bow_of([[d] for d in range(D)], D)
    config = ssi.Config(
        topics=K, start="sampling", warm_up=0, minibatch=D, draws=1, samples=1
    ).resolve(D, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow)
    state = ssi.init(config, corpus, 3)
    kept = []
    for _ in range(5):
        before = state.memory.copy()
        ssi.step(config, state, bow, np.arange(D), corpus)
        kept.append((state.memory == before).mean())
    expected = (config.eta + 1) / (K * config.eta + 1)
    standard_error = (expected * (1 - expected) / (4 * D)) ** 0.5
    assert abs(np.mean(kept[1:]) - expected) < 4 * standard_error
    assert expected > 30 / K


EVERY_KIND = [
    {},
    {"start": "documents"},
    {"start": "documents", "warm_up": 1, "samples": 2, "draws": 3},
    {"warm_up": 0, "samples": 2},
    {"learn": "both", "interval": 3},
    {"statistics": "decay", "expectation": "log"},
]


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
def test_threads_make_no_difference(kind):
    bow, _ = planted(K=5, V=200, D=400, length=50, seed=3)
    config = ssi.Config(topics=9, minibatch=64, passes=3, **kind)
    try:
        one, two = (last(config, bow, seed=5, threads=n) for n in (1, 2))
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert equal(one.topics, two.topics)
    assert one.held_out == two.held_out
    assert np.array_equal(one.coherence, two.coherence)


@pytest.mark.parametrize("kind", EVERY_KIND, ids=str)
@pytest.mark.parametrize("large", [False, True], ids=["in memory", "on disk"])
def test_a_resumed_run_is_the_run_that_was_never_killed(kind, large, tmp_path, monkeypatch):
    if large:
        monkeypatch.setattr("inference.runtime.memory.LARGE_BYTES", 0)
    bow, _ = planted(K=5, V=200, D=500, length=60, seed=3)
    config = ssi.Config(topics=8, minibatch=32, passes=4, **kind)
    whole = [
        (s.step, s.tokens, s.held_out, s.topics)
        for s in train(ssi, config, bow, seed=2)
        if isinstance(s, Snapshot)
    ]
    for killed_after in (1, len(whole) // 4, len(whole) // 2, len(whole) - 1):
        loop = train(ssi, config, bow, seed=2, scratch=tmp_path)
        seen = 0
        for event in loop:
            if isinstance(event, Snapshot):
                seen += 1
                checkpoint.save(
                    tmp_path / "checkpoint", event.state, engine=ssi, config=config, bow=bow
                )
                if seen == killed_after:
                    break
        state = checkpoint.load(
            tmp_path / "checkpoint", engine=ssi, config=config, bow=bow, scratch=tmp_path
        )
        assert isinstance(state.memory, np.memmap) == (large and config.statistics == "memo")
        rest = [s for s in train(ssi, config, bow, seed=2, resume=state) if isinstance(s, Snapshot)]
        assert [(s.step, s.tokens, s.held_out) for s in rest] == [
            w[:3] for w in whole[killed_after:]
        ]
        if rest:
            assert equal(rest[-1].topics, whole[-1][3])


def test_another_seed_gives_other_topics():
    bow, _ = planted(K=5, V=200, D=300, length=50, seed=3)
    config = ssi.Config(topics=5, passes=1)
    assert not equal(last(config, bow, seed=1).topics, last(config, bow, seed=2).topics)


def test_a_checkpoint_is_loaded_by_settings_that_were_left_open(tmp_path):
    """It was saved with what was chosen for them."""
    bow, _ = planted(K=3, V=60, D=50, length=20, seed=1)
    config = ssi.Config(topics=3, passes=1)
    path = tmp_path / "c"
    resolved = config.resolve(bow.D, bow.tokens)
    state = last(config, bow).state
    checkpoint.save(path, state, engine=ssi, config=resolved, bow=bow)
    assert checkpoint.load(path, engine=ssi, config=config, bow=bow).t == state.t
    with pytest.raises(Invalid, match="with other settings: eta, topics differ"):
        checkpoint.load(path, engine=ssi, config=ssi.Config(topics=4, passes=1), bow=bow)


def test_a_checkpoint_of_something_else_is_refused(tmp_path):
    bow, _ = planted(K=3, V=60, D=50, length=20, seed=1)
    config = ssi.Config(topics=3, passes=1)
    checkpoint.save(tmp_path / "c", last(config, bow).state, engine=ssi, config=config, bow=bow)
    with pytest.raises(Invalid, match="other settings: eta"):
        checkpoint.load(
            tmp_path / "c", engine=ssi, config=ssi.Config(topics=3, passes=1, eta=0.5), bow=bow
        )
    with pytest.raises(Invalid, match="another corpus"):
        checkpoint.load(
            tmp_path / "c",
            engine=ssi,
            config=config,
            bow=planted(K=3, V=60, D=50, length=20, seed=2)[0],
        )
    with pytest.raises(Invalid, match="seed 0, not 1"):
        list(
            train(
                ssi,
                config,
                bow,
                seed=1,
                resume=checkpoint.load(tmp_path / "c", engine=ssi, config=config, bow=bow),
            )
        )


def test_topics_sum_to_1_where_they_list_every_word():
    """The mean of states leaves out what is small, and no word is left to have it."""
    for seed in (0, 1):
        bow, _ = simulate.corpus(4, 2, 2, 12.0, seed=seed)
        snapshots = [
            event
            for event in train(ssi, ssi.Config(topics=12), bow, seed=seed)
            if isinstance(event, Snapshot)
        ]
        assert len(snapshots) > 5
        for snapshot in snapshots:
            assert snapshot.topics.dense().sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_mass_is_conserved():
    bow, _ = planted(K=5, V=300, D=200, length=80, seed=6)
    config = ssi.Config(topics=12, passes=2).resolve(bow.D, bow.tokens)
    final = last(config, bow)
    topics = final.topics
    sums = np.add.reduceat(np.append(topics.weights, 0), topics.indptr[:-1]) * (
        np.diff(topics.indptr) > 0
    )
    assert sums + topics.floor_mass == pytest.approx(np.ones(12), abs=1e-5)
    assert topics.dense().sum(axis=1) == pytest.approx(np.ones(12), abs=1e-5)
    assert topics.share.sum() == pytest.approx(1)
    assert (
        np.diff(topics.weights.astype(float))[
            np.setdiff1d(np.arange(len(topics.weights) - 1), topics.indptr[1:-1] - 1)
        ]
        <= 0
    ).all()
    blocks = list(fold_in_corpus(ssi, config, final.state, bow, block=37))
    assert [b.first for b in blocks] == list(range(0, 200, 37))
    for block in blocks:
        for a, b in zip(block.indptr, block.indptr[1:], strict=False):
            assert 0.5 < block.weights[a:b].sum() <= 1 + 1e-6


def test_blocks_of_fold_in_make_no_difference():
    bow, _ = planted(K=3, V=60, D=90, length=20, seed=1)
    config = ssi.Config(topics=4, passes=1).resolve(bow.D, bow.tokens)
    state = last(config, bow).state
    small, large = (list(fold_in_corpus(ssi, config, state, bow, block=n)) for n in (7, 1000))
    assert np.array_equal(np.concatenate([b.topics for b in small]), large[0].topics)
    assert np.array_equal(np.concatenate([b.weights for b in small]), large[0].weights)


def test_until_stops_with_what_there_is(monkeypatch):
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    bow, _ = planted(K=3, V=60, D=300, length=20, seed=1)
    config = ssi.Config(topics=4, minibatch=10, passes=50)
    events = list(train(ssi, config, bow, until=lambda: True))
    assert isinstance(events[-1], Snapshot) and isinstance(events[-2], Progress)
    assert events[-1].step < events[-1].steps
    assert events[-1].topics.K == 4


@pytest.mark.parametrize("stop_at", [None, 1, 4])
def test_the_last_event_is_a_snapshot_and_no_step_has_two(monkeypatch, stop_at):
    monkeypatch.setattr("inference.training.PROGRESS_EVERY", 0.0)
    bow, _ = planted(K=3, V=60, D=300, length=20, seed=1)
    asked = iter(range(1, 1000))
    events = list(
        train(
            ssi,
            ssi.Config(topics=4, minibatch=50, passes=3),
            bow,
            until=lambda: next(asked) == stop_at,
        )
    )
    steps = [event.step for event in events if isinstance(event, Snapshot)]
    assert isinstance(events[-1], Snapshot) and len(steps) == len(set(steps))
    assert events[-1].step == (stop_at or events[-1].steps)


@pytest.mark.parametrize(
    ("D", "minibatch", "steps"), [(25, 8, 4), (101, 10, 11), (7, 7, 1), (5, 100, 1)]
)
def test_the_minibatches_of_a_pass_are_equal(D, minibatch, steps):
    """No step is left with the few documents that minibatches of the size that was asked for leave
    over."""
    bow, _ = planted(K=2, V=20, D=D, length=5, seed=1)
    config = ssi.Config(topics=2, minibatch=minibatch, passes=2).resolve(bow.D, bow.tokens)
    schedule = Schedule(bow, config, np.zeros(0, np.int64))
    batches = [schedule.batch(t, 3) for t in range(2 * steps)]
    assert schedule.per_pass == steps
    assert {len(batch) for batch in batches} <= {D // steps, -(-D // steps)}
    for first in (0, steps):
        assert np.array_equal(np.sort(np.concatenate(batches[first : first + steps])), np.arange(D))
    assert steps == 1 or not np.array_equal(batches[0], batches[steps])


def test_held_out_documents_are_not_trained_on():
    """A word that only held-out documents have stays in the floor of every topic."""
    D = 300
    V = 50
    first = bow_of([[w % (V - 1) for w in range(d, d + 10)] for d in range(D)], V)
    held = held_out_documents(first, 4)
    assert 10 < len(held) < 60
    documents = [
        [w % (V - 1) for w in range(d, d + 10)] + ([V - 1] * 5 if d in set(held) else [])
        for d in range(D)
    ]
    bow = bow_of(documents, V)
    assert (held_out_documents(bow, 4) == held).all()
    final = last(ssi.Config(topics=3, passes=2), bow, seed=4)
    assert final.state.length[V - 1] == 0


CONFIG = {"minibatch": 8, "passes": 2}


@pytest.mark.parametrize(
    ("documents", "V", "settings"),
    [
        ([[0, 1], [1, 2]] * 15, 3, {"topics": 1}),
        ([[0, 0, 0]] * 30, 1, {"topics": 4}),
        ([[], [0, 1], [], [1]] * 10, 2, {"topics": 3}),
        ([[0, 1, 2]] * 5, 3, {"topics": 50}),
        ([[0, 1, 2]], 3, {"topics": 2}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "alpha": 1e-6, "eta": 1e-6}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "alpha": 1e5, "eta": 1e5}),
        ([[0, 1], [2, 3]] * 20, 4, {"topics": 3, "tau0": 0.0, "kappa": 1.0}),
        ([list(range(100)) * 3000, [1, 2]], 100, {"topics": 5, "passes": 1}),
    ],
    ids=[
        "K=1",
        "V=1",
        "empty documents",
        "K > D",
        "one document",
        "tiny priors",
        "huge priors",
        "first step 1",
        "long document",
    ],
)
@pytest.mark.parametrize(
    "kind", [*EVERY_KIND, {"expectation": "log"}, {"statistics": "decay"}], ids=str
)
def test_edges(documents, V, settings, kind):
    bow = bow_of(documents, V)
    config = ssi.Config(**CONFIG | settings | kind).resolve(bow.D, bow.tokens)
    final = last(config, bow)
    assert np.isfinite(final.topics.weights).all() and np.isfinite(final.topics.floor).all()
    assert final.topics.dense().sum(axis=1) == pytest.approx(np.ones(config.topics), abs=1e-4)
    thetas = list(fold_in_corpus(ssi, config, final.state, bow))
    assert sum((np.diff(t.indptr) > 0).sum() for t in thetas) == (np.diff(bow.indptr) > 0).sum()


def test_a_document_that_is_longer_than_can_be_counted_is_refused():
    longer = Bow(
        np.array([0, 1]), np.array([0], np.int32), np.array([MOST_DOCUMENT_TOKENS], np.int32), 1
    )
    with pytest.raises(Invalid, match="fewer than 16,777,216 words"):
        list(train(ssi, ssi.Config(topics=2), longer))


def test_nothing_to_train_on():
    with pytest.raises(Invalid, match="no words"):
        list(train(ssi, ssi.Config(topics=2), bow_of([[], []], 3)))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"topics": 0}, "topics must be a whole number of at least 1, got 0"),
        ({"passes": 10**14}, "passes must be at most 2,147,483,647, got 100,000,000,000,000"),
        ({"topics": 2.5}, "topics must be a whole number"),
        ({"kappa": 0.3}, r"kappa must be in \(0.5, 1\], got 0.3"),
        ({"kappa": float("nan")}, "kappa must be"),
        ({"alpha": -1}, "alpha must be above 0"),
        ({"eta": float("inf")}, "eta must be above 0"),
        ({"tau0": -1}, "tau0 must be at least 0"),
        ({"minibatch": 0}, "minibatch must be"),
        ({"passes": True}, "passes must be"),
        ({"draws": 0}, "draws must be"),
        (
            {"draws": 5000, "samples": 5},
            "samples times draws must be at most 10000, got 5 times 5000",
        ),
        ({"topics": 65_001}, "topics must be at most 65,000, got 65,001"),
        ({"statistics": "none"}, "statistics must be one of “memo”, “decay”, got “none”"),
        ({"expectation": "mode"}, "expectation must be one of “mean”, “log”"),
        ({"nonsense": 1}, "no setting “nonsense”"),
    ],
)
def test_nonsense_is_refused(settings, sentence):
    with pytest.raises(Invalid, match=sentence) as error:
        engine_config("ssi", **{"topics": 5} | settings)
    assert error.value.field == next(iter(settings))


@pytest.mark.parametrize("statistics", ["memo", "decay"])
def test_a_training_begins_with_the_topics_that_tokens_have(statistics):
    """lambda - eta is then the sum over the documents that are trained on, and topics keep their
    numbers."""
    from dataclasses import replace

    from inference import begin

    bow, beta = planted(K=5, V=100, D=300, length=40, seed=7)
    config = ssi.Config(topics=5, statistics=statistics, warm_up=0, passes=3).resolve(
        bow.D, bow.tokens
    )
    order = np.array([3, 1, 4, 0, 2])
    # Each planted topic has twenty words of its own
    topics = order[bow.words // 20].astype(np.uint16)
    state = begin(ssi, config, bow, topics, seed=3)
    expected = np.zeros((5, bow.V))
    for d in sorted(set(range(bow.D)) - set(held_out_documents(bow, 3).tolist())):
        for j in range(bow.indptr[d], bow.indptr[d + 1]):
            expected[topics[j], bow.words[j]] += bow.counts[j]
    assert dense(state, 5) == pytest.approx(expected, abs=1e-3)
    assert (
        state.totals * state.pi == pytest.approx(expected.sum(axis=1), rel=1e-5)
        and state.t == 0
        and state.eta == config.eta
    )
    assert state.memory.shape == (
        (bow.tokens if statistics == "memo" else 0),
        config.samples * config.draws,
    )
    found = last(config, bow, seed=3, resume=state)
    own = np.array(
        [
            [found.topics.dense()[order[k], 20 * j : 20 * j + 20].sum() for j in range(5)]
            for k in range(5)
        ]
    )
    assert (own.argmax(axis=1) == np.arange(5)).all() and (np.diag(own) > 0.7).all()
    if statistics == "memo":
        with pytest.raises(Invalid, match="warm_up"):
            begin(ssi, replace(config, warm_up=1), bow, topics, seed=3)


def test_minibatches_grow_after_the_warm_up():
    """With the size of the corpus alone, and never below what they were."""
    sizes = [
        ssi.Config(topics=50).resolve(D, 60 * D) for D in (50_000, 200_000, 600_000, 10_000_000)
    ]
    expected = [(1562, 1562), (2048, 3125), (2343, 9375), (16_384, 32_768)]
    assert [(c.minibatch, c.minibatch_after) for c in sizes] == expected
    assert ssi.Config(topics=50, minibatch=50_000).resolve(10**6, 10**8).minibatch_after == 50_000
    assert ssi.Config(topics=50, statistics="decay").resolve(10**7, 10**9).growth == (0, 256)


def test_every_document_is_seen_once_a_pass_however_minibatches_grow():
    bow, _ = planted(K=3, V=60, D=103, length=10, seed=1)
    config = ssi.Config(topics=3, passes=4, warm_up=2, minibatch=10, minibatch_after=40).resolve(
        bow.D, bow.tokens
    )
    schedule = Schedule(bow, config, np.array([5, 50]))
    assert schedule.steps == 2 * 11 + 2 * 3
    assert schedule.corpus.steps_per_pass == 11
    assert schedule.corpus.steps_per_later_pass == 3
    t = 0
    for k in range(4):
        seen = [schedule.batch(i, 7) for i in range(t, schedule.paces.steps(k + 1))]
        assert max(map(len, seen)) <= (10, 40)[k >= 2]
        assert np.array_equal(np.sort(np.concatenate(seen)), np.setdiff1d(np.arange(103), [5, 50]))
        t = schedule.paces.steps(k + 1)
        assert schedule.paces.slice(t)[:2] == (k + 1, 0)
    assert t == schedule.steps


@pytest.mark.parametrize("warm_up", [0, 1])
def test_a_training_whose_minibatches_grow_goes_on_from_any_step(tmp_path, warm_up):
    bow, _ = planted(K=5, V=200, D=300, length=30, seed=3)
    config = ssi.Config(
        topics=20, passes=3, warm_up=warm_up, minibatch=30, minibatch_after=110
    ).resolve(bow.D, bow.tokens)
    whole = last(config, bow)
    for stop in (9, 11, whole.step - 1):
        *_, event = train(ssi, config, bow, last=min(stop, whole.step - 1))
        checkpoint.save(tmp_path / "c", event.state, engine=ssi, config=config, bow=bow)
        state = checkpoint.load(tmp_path / "c", engine=ssi, config=config, bow=bow)
        *_, event = train(ssi, config, bow, resume=state)
        assert equal(event.topics, whole.topics)


@pytest.mark.parametrize("tokens, weight", [(10_000, 3.0), (500, 2.0), (10, 0.5)])
def test_eta_of_the_warm_up(tokens, weight):
    """3 / K; less where V of it would outweigh a topic's tokens; at least half of eta."""
    bow = bow_of([[0] * tokens], 10)
    assert from_documents.eta(20, bow, 0.05) == pytest.approx(weight / 20)
