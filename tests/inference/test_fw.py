"""The engine fw against its slow twin, its certificates, the equations of its three ways to learn,
and its edges."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from inference.engines import arena, fw
from inference.engines.batch import expand
from inference.engines.contract import TrainingCorpus
from inference.errors import Invalid
from inference.kernels import frank_wolfe, rng
from inference.training import Snapshot, fold_in_corpus, train
from tests.inference import naive_fw
from tests.inference.corpora import bow_of, planted

ROOT = Path(__file__).resolve().parents[2]


class Case:
    """Documents under random sparse topics. documents: as lists of words."""

    def __init__(self, K=50, V=200, D=40, length=60, seed=1, listed=0.3, **settings):
        random = np.random.default_rng(seed)
        favourites = [random.choice(V, 30) for _ in range(max(2, K // 2))]
        self.bow = bow_of(
            [
                random.choice(favourites[i % len(favourites)], length).tolist()
                + random.integers(0, V, 10).tolist()
                for i in range(D)
            ],
            V,
        )
        self.config = fw.Config(topics=K, **settings).resolve(self.bow.D, self.bow.tokens)
        self.state = fw.init(self.config, TrainingCorpus.of_bow(self.bow), seed)
        words, topics = np.nonzero(random.random((V, K)) < listed)
        arena.fill(self.state, words, topics, random.gamma(0.3, 20, len(words)) + 0.1)
        fw.set_totals(self.config, self.state)
        self.weights = fw.weights_of(self.config, self.state)
        self.documents = np.arange(D)
        self.batch = expand(self.bow, self.documents)
        self.rows = fw.gather_rows(self.config, self.state, self.batch.words, self.weights)
        self.keys = rng.keys(np.uint64(seed), np.uint64(rng.OPE), np.uint64(0), self.documents)
        self.beta = np.repeat(self.weights.floor[:, None].astype(float), V, axis=1)
        for i, w in enumerate(self.batch.words):
            row = slice(self.rows.row_ptr[i], self.rows.row_ptr[i + 1])
            self.beta[self.rows.topics[row], w] += self.rows.above[row]

    def infer(self, final=False, form=fw.AUTOMATIC, **settings):
        config = fw.Resolved(**{**vars(self.config), **settings})
        return fw.infer_theta(config, self.batch, self.rows, self.weights, self.keys, final, form)

    def document(self, d):
        """Its topics' weights of its words, [K, n], and counts."""
        pairs = slice(self.bow.indptr[d], self.bow.indptr[d + 1])
        return self.beta[:, self.bow.words[pairs]], self.bow.counts[pairs].astype(float)

    def coins(self, d, iterations):
        state = self.keys[d]
        out = []
        for _ in range(iterations):
            state = np.uint64(rng.after(state))
            out.append(rng.unit(state) < 0.5)
        return out


def theta_of(out, d, K):
    """Dense theta of a document, what is spread evenly included."""
    row = slice(out.theta.starts[d], out.theta.starts[d] + out.theta.sizes[d])
    theta = np.full(K, out.theta.rests[d] / K, float)
    theta[out.theta.topics[row]] += out.theta.weights[row]
    return theta


def listed(out):
    places = fw.places_of_topics(out.theta)
    return (
        out.theta.topics[places],
        out.theta.weights[places],
        out.theta.sizes,
        out.theta.rests,
        out.factors,
    )


def snapshots(config, bow, **options):
    return [event for event in train(fw, config, bow, **options) if isinstance(event, Snapshot)]


def dense(state, K):
    """What the rows hold, as an array [K, V]."""
    out = np.zeros((K, len(state.start)))
    for w in range(len(state.start)):
        row = slice(state.start[w], state.start[w] + state.length[w])
        out[state.arena_topics[row], w] = (
            state.pi[state.arena_topics[row]] * state.arena_values[row]
        )
    return out


@pytest.mark.parametrize("iterations", [1, 2, 20])
def test_ope_is_its_twin(iterations):
    case = Case()
    out = case.infer(iterations=iterations)
    for d in case.documents:
        theta = naive_fw.ope(
            *case.document(d), case.config.alpha, case.coins(d, iterations), iterations
        )
        assert theta_of(out, d, 50) == pytest.approx(theta, abs=1e-5)


@pytest.mark.parametrize("step", ["fixed", "safe", "line_search"])
def test_frank_wolfe_is_its_twin(step):
    case = Case(inference="fw", step=step, iterations=12)
    for form in (fw.SPARSE, fw.DENSE):
        out = case.infer(form=form)
        values = case.infer(final=True, form=form).values
        for d in case.documents:
            beta, counts = case.document(d)
            theta = naive_fw.frank_wolfe(beta, counts, 12, step)
            got = theta_of(out, d, 50)
            assert got.sum() == pytest.approx(1, abs=1e-5)
            within = (
                1e-4 if step == "line_search" else 1e-5
            ) * counts.sum()  # the search is not exact
            assert naive_fw.f(beta, counts, got) == pytest.approx(
                naive_fw.f(beta, counts, theta), abs=within
            )
            assert values[d] == pytest.approx(
                naive_fw.f(beta, counts, got), abs=1e-5 * counts.sum()
            )


def test_frank_wolfe_begins_at_the_vertex_with_the_largest_f():
    case = Case(inference="fw", iterations=1)
    out = case.infer()
    for d in case.documents:
        beta, counts = case.document(d)
        assert out.theta.topics[out.theta.starts[d]] == (np.log(beta) @ counts).argmax()


@pytest.mark.parametrize("K", [5, 50, 1000])
@pytest.mark.parametrize("inference", ["ope", "fw"])
def test_the_sparse_form_is_the_dense_form_bit_by_bit(K, inference):
    case = Case(K=K, D=60, inference=inference, listed=0.2)
    for iterations in (2, 20, 50):
        sparse, full = (
            listed(case.infer(form=form, iterations=iterations)) for form in (fw.SPARSE, fw.DENSE)
        )
        assert all(np.array_equal(a, b) for a, b in zip(sparse, full, strict=True))


@pytest.mark.parametrize("step", ["safe", "line_search"])
def test_f_never_falls(step):
    case = Case(inference="fw", step=step, D=15)
    for d in case.documents:
        beta, counts = case.document(d)
        for iterations in range(1, 12):
            before, after = (
                theta_of(case.infer(iterations=i), d, 50) for i in (iterations, iterations + 1)
            )
            _, g, e = naive_fw.safe(
                beta, counts, before, naive_fw.gradient(beta, counts, before).argmax()
            )
            rise = naive_fw.f(beta, counts, after) - naive_fw.f(beta, counts, before)
            if g <= 1e-5 * counts.sum():
                break
            assert rise >= g / e - np.log1p(g / e) - 2e-5 * counts.sum() >= -2e-5 * counts.sum()


def test_the_gap_bounds_the_distance_to_the_maximum():
    slow = []
    for seed, eta in ((1, 0.01), (2, 1e-6)):
        case = Case(K=8, V=30, D=25, seed=seed, eta=eta, inference="fw")
        best = np.array([naive_fw.maximum(*case.document(d)) for d in case.documents])
        tokens = np.diff(case.bow.first_token)
        for inference, step, iterations in (
            ("fw", "safe", 20),
            ("fw", "line_search", 20),
            ("fw", "fixed", 50),
            ("fw_pairwise", "safe", 50),
        ):
            out = case.infer(final=True, inference=inference, step=step, iterations=iterations)
            assert (out.gaps >= best - out.values - 1e-5 * tokens).all()
        exact = case.infer(final=True, inference="fw_pairwise", step="line_search", iterations=200)
        assert (exact.gaps < 5e-6 * tokens).all() and (
            np.abs(exact.values - best) < 1e-5 * tokens
        ).all()
        for iterations in (5, 50, 500):
            out = case.infer(final=True, inference="fw", step="fixed", iterations=iterations)
            slow.append((iterations * (best - out.values) / tokens).max())
    assert max(slow) < 20, "the distance falls as 1 / l"


def test_a_prefix_of_steps_has_a_prefix_of_the_topics():
    for inference in ("ope", "fw"):
        case = Case(inference=inference)
        before = None
        for iterations in range(1, 15):
            out = case.infer(iterations=iterations)
            assert (out.theta.sizes <= iterations + (inference == "fw")).all()
            theta = out.theta
            now = [
                set(theta.topics[theta.starts[d] :][: theta.sizes[d]].tolist())
                for d in case.documents
            ]
            assert before is None or all(a <= b for a, b in zip(before, now, strict=True))
            before = now


def test_a_working_set_is_as_good_as_all_topics():
    case = Case(K=300, D=60, inference="fw_pairwise", step="line_search")
    tokens = np.diff(case.bow.first_token)
    sets, full = (
        case.infer(final=True, form=form, iterations=100) for form in (fw.SPARSE, fw.DENSE)
    )
    assert (np.abs(sets.values - full.values) <= fw.TOLERANCE * tokens).all()
    assert (sets.gaps <= 1.01 * fw.TOLERANCE * tokens).all()


def test_online_with_a_step_of_one_is_a_batch_step():
    """tau0 = 0: rho is 1 in the first step, and lambda = eta + sum c phi, what is spread evenly
    within a word's row included."""
    bow = planted(4, 80, 60, 40, seed=3)[0]
    config = fw.Config(topics=6, tau0=0.0, minibatch=60, alpha=0.5, eta=0.02).resolve(
        bow.D, bow.tokens
    )
    corpus = TrainingCorpus.of_bow(bow)
    documents = np.arange(60)
    state = fw.init(config, corpus, 1)
    fw.seed_topics(config, state, bow, corpus)
    weights = fw.weights_of(config, state)
    batch = expand(bow, documents)
    keys = rng.keys(np.uint64(1), np.uint64(rng.OPE), np.uint64(1), documents)
    out = fw.infer_theta(
        config, batch, fw.gather_rows(config, state, batch.words, weights), weights, keys, False
    )
    beta = weights.floor[:, None] + weights.factor[:, None] * dense(state, 6)
    has = dense(state, 6) > 0
    wanted = np.zeros((6, 80))
    for d in documents:
        pairs = slice(bow.indptr[d], bow.indptr[d + 1])
        words = bow.words[pairs]
        counts = bow.counts[pairs].astype(float)
        theta = theta_of(out, d, 6)
        vertices = theta > out.theta.rests[d] / 6 + 1e-6
        phi = naive_fw.statistics(beta[:, words], counts, theta)
        even = phi * (out.theta.rests[d] / 6 / theta)[:, None]
        wanted[:, words] += np.where(vertices[:, None], phi - even, 0.0) + np.where(
            has[:, words], even, 0.0
        )
    fw.step(config, state, bow, documents, corpus)
    wanted[wanted < frank_wolfe.dropped(6)] = 0.0
    assert dense(state, 6) == pytest.approx(wanted, rel=1e-4, abs=1e-4)


def test_streaming_adds_up():
    bow = planted(4, 80, 60, 40, seed=3)[0]
    config = fw.Config(topics=4, learn="streaming", minibatch=20, inference="fw").resolve(
        bow.D, bow.tokens
    )
    assert config.passes == 1
    last = snapshots(config, bow)[-1]
    seeds = fw.init(config, TrainingCorpus.of_bow(bow, steps_per_pass=3), 0)
    corpus = TrainingCorpus.of_bow(bow, fw_held_out(bow), steps_per_pass=3)
    fw.seed_topics(config, seeds, bow, corpus)
    assert last.state.eta == pytest.approx(config.eta * 4), (
        "eta once for the start and once for each minibatch"
    )
    assert dense(last.state, 4).sum() == pytest.approx(
        dense(seeds, 4).sum() + last.tokens, rel=1e-3
    )


def fw_held_out(bow):
    from inference.schedule import held_out_documents

    return held_out_documents(bow, 0)


@pytest.mark.parametrize("inference", ["ope", "fw"])
@pytest.mark.parametrize("start", ["seed", "random"])
def test_a_topic_that_no_document_chose_stays_as_it_is(inference, start):
    """Khoat/OPE's ML_FW divides by the sum of such a topic, which is 0: NaN for ever."""
    bow = planted(4, 80, 300, 40, seed=3)[0]
    config = fw.Config(
        topics=60, learn="ml", minibatch=5, passes=1, inference=inference, start=start
    ).resolve(300, bow.tokens)
    corpus = TrainingCorpus.of_bow(bow, steps_per_pass=60)
    state = fw.init(config, corpus, 1)
    fw.step(config, state, bow, np.arange(5), corpus)
    stayed = 0
    for t in range(1, 30):
        before = fw.topics(config, state).dense()
        pi = state.pi.copy()
        fw.step(config, state, bow, np.arange(5 * t, 5 * t + 5), corpus)
        after = fw.topics(config, state)
        same = state.pi == pi
        stayed += same.sum()
        assert np.isfinite(after.dense()).all() and after.dense().sum(axis=1) == pytest.approx(
            np.ones(60), abs=1e-4
        )
        assert after.dense()[same] == pytest.approx(before[same], abs=1e-6)
    assert stayed > 100


@pytest.mark.parametrize(
    "settings", [{}, {"learn": "ml"}, {"inference": "fw_pairwise", "step": "line_search"}]
)
def test_more_topics_than_documents_of_a_minibatch(settings):
    bow = planted(4, 80, 100, 30, seed=3)[0]
    for snapshot in snapshots(
        fw.Config(topics=150, minibatch=7, passes=2, **settings), bow, seed=2
    ):
        assert np.isfinite(snapshot.held_out) and snapshot.topics.proper().K == 150


def test_what_fades_is_rewritten():
    """pi is reset again and again where steps are large, and nothing is lost by it."""
    bow = planted(4, 80, 100, 30, seed=3)[0]
    for learn in ("online", "ml"):
        config = fw.Config(
            topics=4, learn=learn, tau0=0.0, kappa=0.51, minibatch=5, passes=20
        ).resolve(100, bow.tokens)
        state = snapshots(config, bow)[-1].state
        assert (state.pi >= fw.PI_LEAST).all()
        total = dense(state, 4).sum(axis=1)
        assert total == pytest.approx(state.pi * state.totals, rel=1e-4)
        if learn == "online":
            assert total.sum() == pytest.approx(
                np.diff(bow.first_token).mean() * len(bow.indptr[:-1]) * 0.9, rel=0.15
            )


@pytest.mark.parametrize(
    "settings",
    [{}, {"learn": "streaming", "passes": 3}, {"learn": "ml"}],
    ids=["usual", "streaming", "ml"],
)
def test_planted_topics_are_found(settings):
    """ml finds them less sharply: eq. 24 gives a topic all words of its documents, not the share
    that is its own. streaming finds fewer: what it learned first, when it knew least, never
    fades."""
    found = []
    enough = 0.7 if settings.get("learn") == "ml" else 0.8
    for seed in range(5):
        bow, beta = planted(5, 100, 600, 50, seed=seed, alpha=0.1)
        config = fw.Config(topics=5, **{"passes": 5, "minibatch": 60, **settings})
        topics = snapshots(config, bow, seed=seed)[-1].topics.dense()
        overlap = np.minimum(topics[:, None], beta[None]).sum(axis=2)
        found += (overlap[linear_sum_assignment(-overlap)] > enough).tolist()
    assert sum(found) >= (0.75 if settings.get("learn") == "streaming" else 0.85) * len(found), (
        found
    )


@pytest.mark.parametrize(
    "settings",
    [{"alpha": 1e-6, "eta": 1e-6}, {"alpha": 1.0, "eta": 1e-9}, {"eta": 1e6}, {"iterations": 1}],
)
def test_extreme_settings(settings):
    bow = planted(4, 80, 60, 20, seed=3)[0]
    for learn in ("online", "ml"):
        last = snapshots(fw.Config(topics=4, passes=2, minibatch=20, learn=learn, **settings), bow)[
            -1
        ]
        assert np.isfinite(last.held_out) and last.topics.proper()


def test_a_document_of_ten_million_words():
    bow = bow_of([[0, 1], [1, 2], [2, 0]], 3)
    bow = type(bow)(
        bow.indptr, bow.words, np.array([5_000_000, 5_000_000, 1, 1, 1, 1], np.int32), 3
    )
    config = fw.Config(topics=2, passes=2).resolve(3, bow.tokens)
    last = snapshots(config, bow)[-1]
    (theta,) = fold_in_corpus(fw, config, last.state, bow)
    assert last.topics.proper() and theta.weights[: theta.indptr[1]].sum() == pytest.approx(
        1, abs=1e-4
    )


def test_theta_is_one_step_of_em():
    case = Case()
    fw_config = fw.Resolved(**vars(case.config))
    theta = fw.fold_in(fw_config, case.state, case.bow, 0, 40)
    out = case.infer()
    case.keys = rng.keys(
        np.uint64(case.state.seed), np.uint64(rng.OPE), np.uint64(0), case.documents
    )
    out = case.infer()
    for d in case.documents:
        beta, counts = case.document(d)
        expected = naive_fw.statistics(beta, counts, theta_of(out, d, 50)).sum(axis=1)
        wanted = (case.config.alpha + expected) / (50 * case.config.alpha + counts.sum())
        row = slice(theta.indptr[d], theta.indptr[d + 1])
        assert theta.weights[row] == pytest.approx(wanted[theta.topics[row]], rel=1e-3)
        assert set(np.flatnonzero(expected >= 0.51)) <= set(theta.topics[row].tolist())


def test_settings_that_do_not_go_together():
    with pytest.raises(Invalid, match="safe or line_search") as error:
        fw.Config(topics=2, inference="fw_pairwise", step="fixed")
    assert error.value.field == "step"


def test_held_out_documents_are_no_seeds():
    bow = bow_of([[d] * 5 for d in range(40)], 40)
    config = fw.Config(topics=40).resolve(40, bow.tokens)
    held_out = np.array([3, 17, 25])
    corpus = TrainingCorpus.of_bow(bow, held_out)
    state = fw.init(config, corpus, 1)
    fw.seed_topics(config, state, bow, corpus)
    assert (
        np.flatnonzero(state.length == 0).tolist() == held_out.tolist()
        and state.totals.sum() == 5 * 37
    )


def test_a_block_that_grows():
    """A document of many topics: more columns than a block has at first."""
    case = Case(K=400, V=400, D=5, length=2000, inference="fw_pairwise", listed=0.05)
    out = case.infer(final=True, iterations=100, form=fw.SPARSE)
    assert (
        out.theta.sizes.max() > frank_wolfe.COLUMNS
        and (out.gaps < 0.05 * np.diff(case.bow.first_token)).all()
    )
