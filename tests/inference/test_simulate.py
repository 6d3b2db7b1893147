"""Made collections: drawn as LDA says, and always the same."""

import os
import subprocess
import sys

import numpy as np
import pytest

from inference import Bow, Invalid, Topics, simulate
from inference.kernels import rng

SETTING = {"M": 400, "K": 5, "V": 60, "xi": 50}


def equal(one, two) -> bool:
    (a, truth_a), (b, truth_b) = one, two
    return a.digest == b.digest and all(
        np.array_equal(x, y) for x, y in zip(truth_a, truth_b, strict=True)
    )


def test_it_depends_on_its_arguments_alone():
    one, two, three = (simulate.corpus(**SETTING, seed=seed) for seed in (1, 1, 2))
    assert equal(one, two) and not equal(one, three)


def test_the_first_documents_do_not_depend_on_how_many_follow():
    """Random numbers are keyed by document, not drawn one behind another."""
    (few, truth_few), (many, truth_many) = (
        simulate.corpus(**SETTING | {"M": M}, seed=1) for M in (100, 400)
    )
    assert np.array_equal(few.words, many.words[: len(few.words)])
    assert np.array_equal(truth_few.theta, truth_many.theta[:100]) and np.array_equal(
        truth_few.beta, truth_many.beta
    )


def test_a_collection_can_be_drawn_in_parts():
    whole, truth = simulate.corpus(**SETTING, seed=1)
    (begun, truth_begun), (rest, truth_rest) = (
        simulate.corpus(**SETTING | {"M": M}, seed=1, first=first)
        for M, first in ((150, 0), (250, 150))
    )
    assert np.array_equal(whole.words, np.concatenate([begun.words, rest.words]))
    assert np.array_equal(whole.counts, np.concatenate([begun.counts, rest.counts]))
    assert np.array_equal(truth.theta, np.concatenate([truth_begun.theta, truth_rest.theta]))


def test_the_same_bits_on_an_older_processor():
    code = (
        "from inference import simulate; print(simulate.corpus(300, 5, 60, 50, seed=1)[0].digest)"
    )
    older = {**os.environ, "NUMBA_CPU_NAME": "x86-64-v3"}
    printed = subprocess.run(
        [sys.executable, "-c", code],
        env=older,
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert printed.stdout.strip() == simulate.corpus(300, 5, 60, 50, seed=1)[0].digest


def test_shapes_and_sums():
    bow, (alpha, beta, theta) = simulate.corpus(**SETTING, seed=3)
    assert (bow.D, bow.V, alpha.shape, beta.shape, theta.shape) == (
        400,
        60,
        (5,),
        (5, 60),
        (400, 5),
    )
    assert beta.sum(axis=1) == pytest.approx(np.ones(5)) and theta.sum(axis=1) == pytest.approx(
        np.ones(400)
    )
    type(bow)(bow.indptr, bow.words, bow.counts, bow.V)  # which checks that the arrays fit together


def test_words_come_as_theta_and_beta_say():
    """Counts of the whole collection against their expectation, by a chi-square that is normal
    about its freedom."""
    bow, (_, beta, theta) = simulate.corpus(4000, 4, 30, 50, eta=1.0, seed=5)
    lengths = np.diff(bow.first_token)
    expected = (lengths[:, None] * theta).sum(axis=0) @ beta
    counts = np.bincount(bow.words, weights=bow.counts, minlength=30)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 29 + 5 * np.sqrt(2 * 29)
    assert lengths.mean() == pytest.approx(50, abs=5 * np.sqrt(50 / 4000))
    assert lengths.var() == pytest.approx(50, rel=0.15)  # as a Poisson number's


def test_a_document_has_the_topics_of_its_theta():
    bow, (_, beta, theta) = simulate.corpus(
        300, 3, 90, 300, alpha=np.full(3, 0.3), eta=0.05, seed=2
    )
    for d in range(0, 300, 30):
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        share = np.zeros(90)
        share[bow.words[row]] = bow.counts[row] / bow.counts[row].sum()
        assert (
            simulate.total_variation(theta[d] @ beta, share)
            < 0.25
            < simulate.total_variation(beta[:, ::-1][0], share)
        )


@pytest.mark.parametrize("shape", [0.01, 0.3, 1.0, 2.0, 40.0])
def test_gamma_numbers(shape):
    state = rng.key(np.uint64(1), np.uint64(rng.SIMULATE), np.uint64(0), np.uint64(0))
    drawn = []
    for _ in range(20_000):
        state, value = simulate.draw_log_gamma(np.uint64(state), shape)
        drawn.append(np.exp(value))
    assert np.mean(drawn) == pytest.approx(shape, abs=5 * np.sqrt(shape / 20_000))
    assert np.var(drawn) == pytest.approx(shape, rel=0.35 if shape < 0.1 else 0.1)


def test_alpha_and_eta_are_what_was_asked():
    _, (alpha, beta, theta) = simulate.corpus(
        20_000, 4, 50, 1, alpha=np.array([1.0, 2.0, 3.0, 4.0]), eta=0.01, seed=1
    )
    assert alpha.tolist() == [1, 2, 3, 4]
    assert theta.mean(axis=0) == pytest.approx(alpha / 10, abs=0.01)
    assert theta.var(axis=0) == pytest.approx(alpha / 10 * (1 - alpha / 10) / 11, rel=0.1)
    assert np.median(beta.max(axis=1)) > 0.4, "a small eta gives topics of few words"
    many = simulate.corpus(1, 2000, 2, 1, alpha=(2.0, 0.05), seed=1)[1].alpha
    assert many.mean() == pytest.approx(0.1, rel=0.1) and many.var() == pytest.approx(
        2 * 0.05**2, rel=0.2
    )


@pytest.mark.parametrize(
    "setting",
    [{"alpha": np.full(5, 1e-6)}, {"eta": 1e-6}, {"K": 1}, {"V": 1}, {"M": 1}, {"xi": 0.01}],
)
def test_edges(setting):
    K = setting.get("K", 5)
    bow, truth = simulate.corpus(**SETTING | setting, seed=1)
    assert all(np.isfinite(array).all() for array in truth) and truth.theta.shape[1] == K
    assert bow.D == setting.get("M", 400) and bow.tokens > 0


@pytest.mark.parametrize(
    ("setting", "field"),
    [
        ({"M": 0}, "M"),
        ({"K": 0}, "K"),
        ({"V": 1.5}, "V"),
        ({"xi": 0}, "xi"),
        ({"eta": -1}, "eta"),
        ({"alpha": (0.0, 1.0)}, "alpha"),
        ({"alpha": np.ones(3)}, "alpha"),
        ({"alpha": (1.0,)}, "alpha"),
    ],
)
def test_what_can_not_be_is_refused(setting, field):
    with pytest.raises(Invalid) as error:
        simulate.corpus(**SETTING | setting)
    assert error.value.field == field


def test_words_are_different_and_pronounceable():
    made = simulate.words(60_000)
    assert len(set(made)) == 60_000 and made[:50] == simulate.words(50)
    assert all(
        word.isascii() and word.isalpha() and word == word.lower() and 4 <= len(word) <= 16
        for word in made
    )
    assert not simulate.NOT_SAID & set(made)


def test_measures():
    true = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    other = np.array([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0]])
    assert simulate.relative_error(true, other).tolist() == [1.0, 0.0]
    assert simulate.total_variation(true, other).tolist() == [0.5, 0.0]
    flat = np.random.default_rng(0).dirichlet(np.ones(5000), 3)
    uniform = simulate.relative_error(flat, np.full(5000, 1 / 5000))
    assert uniform == pytest.approx(np.full(3, 0.5), abs=0.05), (
        "what the uniform topic scores on Dir(1) topics"
    )


@pytest.mark.parametrize("sections", [False, True])
def test_texts_are_drawn_anew_with_the_topics_of_their_tokens(sections):
    """Documents keep their lengths, and each topic its words: twice as frequent ones come about
    twice as often."""
    K = 2
    V = 6
    D = 300
    chance = np.random.default_rng(3)
    beta = np.array([[0.4, 0.2, 0.1, 0.3, 0.0, 0.0], [0.0, 0.0, 0.0, 0.3, 0.5, 0.2]])
    indptr = np.arange(0, 2 * D + 1, 2)
    words = np.tile([0, 4], D)
    first_row = np.arange(0, D + 1, 3) if sections else None
    bow = Bow(indptr, words, chance.integers(1, 60, 2 * D), V, first_row=first_row)
    listed = [np.flatnonzero(row) for row in beta]
    topics = Topics.of_listed(
        np.array([0, 4, 7]),
        np.concatenate(listed).astype(np.int32),
        np.concatenate([beta[k][listed[k]] for k in range(K)]).astype(np.float32),
        np.ones(K),
        V,
    )
    assigned = np.tile([0, 1], D).astype(np.uint16)
    drawn = simulate.redraw(bow, assigned, topics, seed=5)
    assert np.array_equal(drawn.lengths, bow.lengths)
    assert np.array_equal(drawn.first_row, first_row) if sections else drawn.first_row is None
    tokens = [bow.counts[assigned == k].sum() for k in range(K)]
    expected = tokens @ beta
    assert np.bincount(drawn.words, drawn.counts, V) == pytest.approx(
        expected, abs=4 * np.sqrt(expected.max())
    )
    assert np.bincount(drawn.words, drawn.counts, V)[expected == 0].sum() == 0
    assert drawn.digest == simulate.redraw(bow, assigned, topics, seed=5).digest
    assert drawn.digest != simulate.redraw(bow, assigned, topics, seed=6).digest


def test_too_many_words_are_not_drawn_anew(monkeypatch):
    bow, _ = simulate.corpus(**SETTING)
    monkeypatch.setattr(simulate, "MOST_TOKENS", 100)
    with pytest.raises(Invalid, match="At most 100 words"):
        simulate.redraw(bow, np.zeros(len(bow.words), np.uint16), None, 0)
