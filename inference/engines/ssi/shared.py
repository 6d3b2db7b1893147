"""A step that several processes share: each samples its own documents, and engines/together.py says
how they add up what that changed.

The functions are twins of those of algorithm.py: each acts in the same order, by the same functions
where nothing is divided, so that topics are bitwise those of one process. What is changed there is
changed here (tests/inference/test_together.py).
"""

import numpy as np

from inference.engines import from_documents, together
from inference.engines.batch import expand, keys as streams
from inference.engines.contract import TrainingCorpus
from inference.engines.sharing import Exchange, Site
from inference.engines.ssi import algorithm, counting
from inference.engines.ssi.phase import Phase
from inference.engines.ssi.sampling import sample_in_place
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.kernels import rng


def divided(
    config: Resolved, state: State, site: Site, laid: together.Laid, corpus: TrainingCorpus
) -> Exchange:
    """`algorithm.step`, shared. laid: of `together.lay_out`. corpus: the whole one."""
    phase = algorithm.begin_step(config, state, site.bow, corpus)
    if len(laid.documents):
        own_places = laid.own - site.bounds[site.rank]
        first_token = site.own.first_token
        keys = streams(state.seed, rng.SAMPLE, state.t, laid.own)
        if state.is_in_table:
            yield from _step_in_table(config, state, site, own_places, keys, phase)
        elif phase.is_by_ope:
            yield from _step_by_ope(config, state, site, laid, keys, phase, corpus)
        else:
            yield from _step_in_rows(config, state, site, laid, keys, phase, corpus)
        state.tokens += int((first_token[own_places + 1] - first_token[own_places]).sum())
    if phase.ends_warm_up:
        yield from _recount(config, state, site)
    algorithm.finish_step(config, state, phase)


def _step_in_table(
    config: Resolved,
    state: State,
    site: Site,
    own_places: np.ndarray,
    keys: np.ndarray,
    phase: Phase,
) -> Exchange:
    """Twin of what `algorithm.step` does where lambda is in the table. own_places: int64[n], this
    process's documents among its own; keys: uint64[n], their random streams."""
    rises_before = state.rises.copy()
    changes = sample_in_place(config, state, site.own, own_places, keys, phase.samples_anew)
    yield from _add_rises(config, state, site, rises_before)
    yield from together.add(
        site,
        config.topics,
        lambda: together.changed(*changes, site.bow.V, config.topics),
        lambda: counting.apply_changes(state, *changes),
        lambda other: counting.add_counts(state, other),
    )


def _step_in_rows(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    phase: Phase,
    corpus: TrainingCorpus,
) -> Exchange:
    """Twin of `algorithm._step_in_rows`: each process samples its own documents, and merges some
    runs of the words. keys: uint64[n], random streams of its own documents."""
    own_places = laid.own - site.bounds[site.rank]
    batch = expand(site.own, own_places)
    rises_before = state.rises.copy()
    new, old = algorithm.visit(config, state, site.own, own_places, batch, keys, phase)
    own_counts = together.count(batch, new, old, config.topics)
    yield from _add_rises(config, state, site, rises_before)
    if not phase.fades:
        yield from together.merge(state, site, own_counts, 1.0, counting.LEAST_WHOLE)
        return
    size = state.fade(phase.step_size(config))
    unit, drop_below = algorithm.unit_of_samples(
        state, size, len(laid.documents), new.shape[1], corpus
    )
    yield from together.merge(state, site, own_counts, unit, drop_below)
    algorithm.renew_faded(state, phase, size)


def _add_rises(config: Resolved, state: State, site: Site, before: np.ndarray) -> Exchange:
    """Add up what alpha is learned from. before: state.rises before this step."""
    if config.learns_priors:
        message = (state.rises - before,)
        of_all = yield [message] * site.ranks
        state.rises = before + sum(rises for (rises,) in of_all)


def _recount(config: Resolved, state: State, site: Site) -> Exchange:
    """`counting.recount`, shared."""
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


def _step_by_ope(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    phase: Phase,
    corpus: TrainingCorpus,
) -> Exchange:
    """Twin of `algorithm._step_by_ope`: each process infers theta of its own documents, and learns
    of all some runs of the words."""
    own_places = laid.own - site.bounds[site.rank]
    batch = expand(site.own, own_places)
    coins = streams(state.seed, rng.OPE, state.t, laid.own)
    draws = keys if phase.draws_after_ope else None
    inferred = algorithm.infer_by_ope(state, site.own, own_places, batch, coins, draws)
    messages = yield [from_documents.message_of_documents(inferred, len(state.totals))] * site.ranks
    pairs = site.bow.indptr[laid.documents + 1] - site.bow.indptr[laid.documents]
    heard_rows = from_documents.heard(messages, laid.owner, pairs)
    unit_before = state.pi
    size = state.fade(phase.step_size(config))  # changes pi
    weight = algorithm.weight_by_ope(size, len(laid.documents), corpus)
    learned = from_documents.learned_run(
        state,
        unit_before,
        state.eta,
        site.bow,
        laid.documents,
        heard_rows,
        state.pi,
        weight,
        together.runs(site),
        state.empty,
    )
    together.put(state, (yield [together.packed(*learned)] * site.ranks))
    algorithm.renew_faded(state, phase, size)
