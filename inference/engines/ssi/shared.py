"""How a step's changes of lambda come together from all processes that share it: each has visited its
own documents, and engines/together.py says what they send each other.

One process has nobody to hear from: it changes lambda in place, without making messages of it. The
topics are bitwise the same either way (tests/inference/test_together.py).
"""

import numpy as np

from inference.engines import from_documents, together
from inference.engines.sharing import Exchange, Site
from inference.engines.ssi import counting
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.kernels.minibatch import Minibatch


def add_rises(config: Resolved, state: State, site: Site, before: np.ndarray) -> Exchange:
    """Add up what alpha is learned from. before: state.rises before this step."""
    if site.ranks == 1 or not config.learns_priors:
        return
    message = (state.rises - before,)
    of_all = yield [message] * site.ranks
    state.rises = before + sum(rises for (rises,) in of_all)


def apply_changes(
    state: State, site: Site, changes: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> Exchange:
    """Let the table follow what all sampled. changes: of `sampling.sample_in_place`."""
    K = len(state.totals)
    yield from together.add(
        site,
        K,
        lambda: together.changed(*changes, site.bow.V, K),
        lambda: counting.apply_changes(state, *changes),
        lambda other: counting.add_counts(state, other),
    )


def add_samples(
    state: State,
    site: Site,
    batch: Minibatch,
    new: np.ndarray,
    old: np.ndarray,
    unit: float,
    drop_below: float,
) -> Exchange:
    """`counting.add_samples` of all processes' samples: each merges some runs of the words."""
    if site.ranks == 1:
        counting.add_samples(state, batch, new, old, unit, drop_below)
        return
    own_counts = together.count(batch, new, old, len(state.totals))
    yield from together.merge(state, site, own_counts, unit, drop_below)


def recount(config: Resolved, state: State, site: Site) -> Exchange:
    """`counting.recount` of what all processes remember."""
    counting.recount(config, state, site.bow, site.own)
    if site.ranks == 1:
        return
    state.refresh()
    own_counts = together.counts_of_rows(state)
    counting.clear_counts(config, state, site.bow)
    if not counting.has_table(config, state, site.bow):
        yield from together.merge(state, site, own_counts, 1.0, counting.LEAST_WHOLE)
        return
    counting.open_table(config, state, site.bow)
    yield from together.add(
        site,
        config.topics,
        lambda: own_counts,
        lambda: counting.add_counts(state, own_counts),
        lambda other: counting.add_counts(state, other),
    )


def learn_by_ope(
    state: State,
    site: Site,
    laid: together.Laid,
    batch: Minibatch,
    inferred: from_documents.Inferred,
    unit_before: float,
    weight: float,
) -> Exchange:
    """`from_documents.learn` of all processes' documents: each learns some runs of the words.

    batch, inferred: of this process's documents. unit_before: of the rows' values, in tokens, when
    theta was inferred. weight: of the statistics.
    """
    if site.ranks == 1:
        from_documents.learn(state, state.pi, batch, inferred, weight)
        return
    messages = yield [from_documents.message_of_documents(inferred, len(state.totals))] * site.ranks
    pairs = site.bow.indptr[laid.documents + 1] - site.bow.indptr[laid.documents]
    learned = from_documents.learned_run(
        state,
        unit_before,
        state.eta,
        site.bow,
        laid.documents,
        from_documents.heard(messages, laid.owner, pairs),
        state.pi,
        weight,
        together.runs(site),
        state.empty,
    )
    together.put(state, (yield [together.packed(*learned)] * site.ranks))
