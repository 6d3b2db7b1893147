"""The topics of a run on simulated texts compared with those that the texts were drawn from."""

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

WORDS = 10
KEPT = 16


@cached(KEPT)
def measured(snapshot_id: int) -> Measured:
    """A snapshot of a run on simulated texts: it never changes, and neither does the truth."""
    snapshot = Snapshot.objects.select_related("run__corpus", "run__version").get(pk=snapshot_id)
    run = snapshot.run
    made = truth.read(run.corpus)
    topics, vocabulary = weights.topics(snapshot), weights.vocabulary(run.version)
    partner = matching.match(
        simulate.as_topics(made.truth.beta, made.share),
        topics,
        made.words,
        vocabulary,
        least=0.0,
        margin=-1.0,
    ).partner
    estimate, elsewhere = _in_true_words(topics.dense(), vocabulary, made.words)
    rows = [
        _row(k, int(partner[k]), made, topics.share, estimate, elsewhere)
        for k in np.argsort(-made.share, kind="stable").tolist()
    ]
    extra = [
        UnmatchedTopic(k, float(topics.share[k]), _first(estimate[k], made.words))
        for k in np.setdiff1d(np.arange(topics.K), partner).tolist()
    ]
    extra.sort(key=lambda topic: -topic.share)
    return Measured(made.settings, rows, _summary(rows), _alpha(run, made, partner), extra)


def _in_true_words(
    beta: np.ndarray, vocabulary: list[str], words: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """A run's beta over the true words: float64[K, V]; a word that stood in no document is 0 there.
    And the mass of each topic on words that are none of them, such as phrases: float64[K]."""
    number = {word: w for w, word in enumerate(words)}
    place = np.array([number.get(word, -1) for word in vocabulary])
    estimate = np.zeros((len(beta), len(words)))
    estimate[:, place[place >= 0]] = beta[:, place >= 0]
    return estimate, beta[:, place < 0].sum(axis=1)


def _row(
    k: int,
    partner: int,
    made: truth.Made,
    shares: np.ndarray,
    estimate: np.ndarray,
    elsewhere: np.ndarray,
) -> TrueTopic:
    """A true topic. partner: -1 for none."""
    beta, matched = made.truth.beta[k], partner >= 0
    uniform = np.full(len(beta), 1.0 / len(beta))
    words = _first(beta, made.words)
    error = float(simulate.relative_error(beta, estimate[partner])) if matched else None
    variation = (
        simulate.total_variation(beta, estimate[partner]) + 0.5 * elsewhere[partner]
        if matched
        else None
    )
    return TrueTopic(
        true=k,
        share=float(made.share[k]),
        words=words,
        partner=partner if matched else None,
        found_share=float(shares[partner]) if matched else None,
        found_words=[(word, word in words) for word in _first(estimate[partner], made.words)]
        if matched
        else [],
        total_variation=None if variation is None else float(variation),
        relative_error=error,
        recovered=error is not None and error < 0.25,  # found again, as the page calls it
        uniform_variation=float(simulate.total_variation(beta, uniform)),
        uniform_error=float(simulate.relative_error(beta, uniform)),
    )


def _first(weights_of_words: np.ndarray, words: list[str]) -> list[str]:
    return [
        words[w]
        for w in np.argsort(-weights_of_words, kind="stable")[:WORDS]
        if weights_of_words[w] > 0
    ]


def _summary(rows: list[TrueTopic]) -> MadeSummary:
    errors = [row.relative_error for row in rows if row.relative_error is not None]
    variations = [row.total_variation for row in rows if row.total_variation is not None]
    return MadeSummary(
        true=len(rows),
        alone=len(rows) - len(errors),
        recovered=sum(row.recovered for row in rows),
        worse=sum(
            row.relative_error is not None and row.relative_error >= row.uniform_error
            for row in rows
        ),
        relative_error=float(np.mean(errors)) if errors else None,
        median_error=float(np.median(errors)) if errors else None,
        total_variation=float(np.mean(variations)) if variations else None,
        uniform_error=float(np.mean([row.uniform_error for row in rows])),
        uniform_variation=float(np.mean([row.uniform_variation for row in rows])),
    )


def _alpha(run: Run, made: truth.Made, partner: np.ndarray) -> MadeAlpha:
    """alpha true and as the run has it, each topic's beside its partner's; relative: as shares of
    their sum, which are the expected shares of topics in a document (paper 004, section 4)."""
    true, estimate = made.truth.alpha, priors(run).alpha
    paired = partner >= 0
    shares, found_shares = true / true.sum(), estimate / estimate.sum()
    error = (
        float(simulate.relative_error(shares[paired], found_shares[partner[paired]]))
        if paired.any()
        else None
    )
    return MadeAlpha(
        same=bool(np.ptp(estimate) == 0),
        sum=float(true.sum()),
        found_sum=float(estimate.sum()),
        error=error,
        uniform_error=float(simulate.relative_error(shares, np.full(len(true), 1.0 / len(true)))),
        rows=[
            MadeAlphaRow(
                true=k,
                alpha=float(true[k]),
                relative=float(shares[k]),
                partner=int(partner[k]) if paired[k] else None,
                found=float(estimate[partner[k]]) if paired[k] else None,
                found_relative=float(found_shares[partner[k]]) if paired[k] else None,
            )
            for k in np.argsort(-made.share, kind="stable").tolist()
        ],
    )
