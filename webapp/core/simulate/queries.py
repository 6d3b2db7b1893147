"""The topics of a run on simulated texts compared with those that the texts were drawn from."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inference import simulate
from inference.explore import matching
from webapp.core.results import weights
from webapp.core.results.priors import priors
from webapp.core.simulate import truth
from webapp.core.simulate.shapes import (
    MadeAlpha,
    MadeAlphaRow,
    MadeSummary,
    Measured,
    TrueTopic,
    UnmatchedTopic,
)
from webapp.models import Run, Snapshot
from webapp.platform.storage.cache import cached

WORDS_OF_TOPIC = 10
REMEMBERED = 16  # snapshots
RECOVERED = 0.25  # relative error below which a true topic is found again, as the page calls it


@cached(REMEMBERED)
def measured(snapshot_id: int) -> Measured:
    """A snapshot of a run on simulated texts: it never changes, and neither does the truth."""
    snapshot = Snapshot.objects.select_related("run__corpus", "run__version").get(pk=snapshot_id)
    run = snapshot.run
    truth_of_corpus = truth.read(run.corpus)
    topics = weights.topics(snapshot)
    vocabulary = weights.vocabulary(run.version)
    true_topics = simulate.as_topics(truth_of_corpus.truth.beta, truth_of_corpus.share)
    between = matching.match(
        true_topics, topics, truth_of_corpus.words, vocabulary, least=0.0, margin=-1.0
    )
    partner = between.partner
    found_topics = _in_true_words(topics.dense(), topics.share, vocabulary, truth_of_corpus.words)
    rows = [
        _compare_topic(k, int(partner[k]), truth_of_corpus, found_topics)
        for k in np.argsort(-truth_of_corpus.share, kind="stable").tolist()
    ]
    extra = []
    for k in np.setdiff1d(np.arange(topics.K), partner).tolist():
        first_words = _first_words(found_topics.beta[k], truth_of_corpus.words)
        extra.append(UnmatchedTopic(k, float(topics.share[k]), first_words))
    extra.sort(key=lambda topic: -topic.share)
    return Measured(
        truth_of_corpus.settings, rows, _summary(rows), _alpha(run, truth_of_corpus, partner), extra
    )


class _FoundTopics(NamedTuple):
    """A run's topics over the true words. share: float64[K], of the tokens. beta: float64[K, V]; a
    word that stood in no document is 0 there. elsewhere: float64[K], the mass of each topic on
    words that are none of them, such as phrases."""

    share: np.ndarray
    beta: np.ndarray
    elsewhere: np.ndarray


def _in_true_words(
    beta: np.ndarray, share: np.ndarray, vocabulary: list[str], words: list[str]
) -> _FoundTopics:
    number = {word: w for w, word in enumerate(words)}
    word_places = np.array([number.get(word, -1) for word in vocabulary])
    in_true_words = np.zeros((len(beta), len(words)))
    in_true_words[:, word_places[word_places >= 0]] = beta[:, word_places >= 0]
    elsewhere = beta[:, word_places < 0].sum(axis=1)
    return _FoundTopics(share, in_true_words, elsewhere)


def _compare_topic(
    k: int, partner: int, simulated: truth.Made, found_topics: _FoundTopics
) -> TrueTopic:
    """A true topic. partner: -1 for none."""
    beta = simulated.truth.beta[k]
    uniform = np.full(len(beta), 1.0 / len(beta))
    row = TrueTopic(
        true=k,
        share=float(simulated.share[k]),
        words=_first_words(beta, simulated.words),
        partner=None,
        found_share=None,
        found_words=[],
        total_variation=None,
        relative_error=None,
        recovered=False,
        uniform_variation=float(simulate.total_variation(beta, uniform)),
        uniform_error=float(simulate.relative_error(beta, uniform)),
    )
    if partner < 0:
        return row
    estimate = found_topics.beta[partner]
    error = float(simulate.relative_error(beta, estimate))
    # Total variation is half of the sum of differences: words that are no true ones count, too
    variation = simulate.total_variation(beta, estimate) + 0.5 * found_topics.elsewhere[partner]
    return replace(
        row,
        partner=partner,
        found_share=float(found_topics.share[partner]),
        found_words=[(word, word in row.words) for word in _first_words(estimate, simulated.words)],
        total_variation=float(variation),
        relative_error=error,
        recovered=error < RECOVERED,
    )


def _first_words(weights_of_words: np.ndarray, words: list[str]) -> list[str]:
    heaviest = np.argsort(-weights_of_words, kind="stable")[:WORDS_OF_TOPIC]
    return [words[w] for w in heaviest if weights_of_words[w] > 0]


def _summary(rows: list[TrueTopic]) -> MadeSummary:
    errors = [row.relative_error for row in rows if row.relative_error is not None]
    variations = [row.total_variation for row in rows if row.total_variation is not None]
    return MadeSummary(
        true=len(rows),
        alone=len(rows) - len(errors),
        recovered=sum(row.recovered for row in rows),
        worse=sum(map(_is_worse_than_uniform, rows)),
        relative_error=float(np.mean(errors)) if errors else None,
        median_error=float(np.median(errors)) if errors else None,
        total_variation=float(np.mean(variations)) if variations else None,
        uniform_error=float(np.mean([row.uniform_error for row in rows])),
        uniform_variation=float(np.mean([row.uniform_variation for row in rows])),
    )


def _is_worse_than_uniform(row: TrueTopic) -> bool:
    return row.relative_error is not None and row.relative_error >= row.uniform_error


def _alpha(run: Run, simulated: truth.Made, partner: np.ndarray) -> MadeAlpha:
    """Compare the true alpha with the run's, each topic's beside its partner's, also as shares of
    their sum, which are the expected shares of topics in a document (paper 004, section 4)."""
    alpha = simulated.truth.alpha
    estimate = priors(run).alpha
    shares = alpha / alpha.sum()
    found_shares = estimate / estimate.sum()
    is_paired = partner >= 0
    error = None
    if is_paired.any():
        of_partners = found_shares[partner[is_paired]]
        error = float(simulate.relative_error(shares[is_paired], of_partners))
    rows = []
    for k in np.argsort(-simulated.share, kind="stable").tolist():
        row = MadeAlphaRow(
            true=k,
            alpha=float(alpha[k]),
            relative=float(shares[k]),
            partner=None,
            found=None,
            found_relative=None,
        )
        if is_paired[k]:
            number = int(partner[k])
            row = replace(
                row,
                partner=number,
                found=float(estimate[number]),
                found_relative=float(found_shares[number]),
            )
        rows.append(row)
    uniform = np.full(len(alpha), 1.0 / len(alpha))
    return MadeAlpha(
        same=bool(np.ptp(estimate) == 0),
        sum=float(alpha.sum()),
        found_sum=float(estimate.sum()),
        error=error,
        uniform_error=float(simulate.relative_error(shares, uniform)),
        rows=rows,
    )
