"""What is published of a state, and the mean of the last states that it is read from.

`topics` and `fold_in` read: of the mean where there is one, else of the state. `average` and
`settled` change the state at the end of a pass: the one takes it into the mean, the other remembers
how good the published topics are, by which it says when they have settled.
"""

from collections.abc import Callable

import numpy as np

from inference.bow import Bow
from inference.engines import arena, averaging
from inference.engines.batch import expand
from inference.engines.ssi.phase import Phase
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.kernels import fold, gibbs
from inference.topics import Theta, Topics

AVERAGED_FROM = 10  # passes: in the first of them each is better than a mean of those before it
LOOKS = 5  # passes between two looks at whether topics have settled
FIRST_LOOK = 2  # times as many passes are made before the first
SETTLED = 0.0005  # nats per held-out token and pass: topics that gain less have settled


def topics(config: Resolved, state: State) -> Topics:
    """E[beta], see arena.topics: of the mean of states where there is one. Of seeds it has their
    prior; shares are of what was learned alone."""
    state.refresh()
    if not state.means:
        learned = arena.topics(state, state.pi, state.eta)
        return _without_seeds(state, learned, state.pi * state.totals)
    mean_rows = averaging.averaged_rows(
        state, state.pi, state.t, config.averaged, np.arange(state.V)
    )
    learned = arena.topics(mean_rows, 1.0, state.eta, listed=averaging.LISTED_OF_MEAN)
    return _without_seeds(state, learned, mean_rows.totals)


def _without_seeds(state: State, learned: Topics, totals: np.ndarray) -> Topics:
    """The topics with shares of the texts' own tokens. totals: float64[K], with the seeds'
    tokens."""
    if not state.has_named_topics:
        return learned
    seed_tokens = np.bincount(state.seed_topics, state.seed_tokens, len(totals))
    tokens = np.maximum(totals - seed_tokens, 0.0)
    share = learned.share
    if tokens.sum():
        share = tokens / tokens.sum()
    if not len(state.empty):
        return learned._replace(share=share)
    used = np.ones(len(totals), bool)
    used[state.empty] = False
    return learned._replace(share=share, used=used)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1, under the topics as they are published;
    kernels/fold.py says how."""
    state.refresh()
    batch = expand(bow, np.arange(first, end, dtype=np.int64))
    by_logarithm = config.weighs_by_logarithm
    words = batch.words
    unit = state.pi
    published_rows: arena.Rows = state
    if state.means:
        published_rows = averaging.averaged_rows(state, state.pi, state.t, config.averaged, words)
        words = np.arange(len(words))
        unit = 1.0
    norm = gibbs.normalisers(unit * published_rows.totals, state.V, state.eta, by_logarithm)
    beta = fold.rows(words, published_rows.arena, unit, state.eta, norm, state.alpha, by_logarithm)
    return Theta(
        first,
        *fold.mixtures(batch.doc_ptr, batch.places, np.diff(batch.token_ptr), *beta, state.alpha),
    )


def average(config: Resolved, state: State, phase: Phase) -> None:
    """At the end of one of the later passes of memo: take its state into the mean that topics are
    published from."""
    if config.averaged == 1 or not phase.ended_pass:
        return
    if config.warm_up + phase.ended_pass >= AVERAGED_FROM:
        state.refresh()
        averaging.add(state, state.pi, state.t, config.averaged)


def settled(config: Resolved, state: State, passes: int, judge: Callable[[], float]) -> bool:
    """Whether completion of the published topics has risen by less than SETTLED a pass since the
    look before the last. passes: that were made. judge: measures completion, in nats per held-out
    token; state.judged remembers what it said."""
    look = passes // LOOKS - FIRST_LOOK
    if config.until != "settled" or look < 0 or passes % LOOKS:
        return False
    if look == len(state.judged):
        state.judged = np.append(state.judged, judge())
    return look > 1 and bool(state.judged[look] - state.judged[look - 2] < SETTLED * 2 * LOOKS)
