"""Algorithm 1 with Appendix A of Mimno, Hoffman and Blei (2012): one step after another.

A step samples the topics of a minibatch's documents under lambda, which does not change meanwhile,
and then moves lambda. `Phase` says how: whether statistics fade (eq. 11, in the form of eq. 19), or
what the documents gave at their last visit is taken back and replaced; and whether the step is made
by OPE. lambda - eta is in rows or in a table (counting.py).

A step is written once, for any number of processes: each visits its own documents, and shared.py
says how lambda follows what all of them found.
"""

from dataclasses import replace

import numpy as np

from inference.bow import Bow
from inference.engines import arena, from_documents, together
from inference.engines.batch import expand, keys as streams
from inference.engines.contract import TrainingCorpus
from inference.engines.sharing import Exchange, Site, run_alone
from inference.engines.ssi import counting, named_topics, shared
from inference.engines.ssi.beginning import begin_from_documents
from inference.engines.ssi.learned_priors import learn_priors
from inference.engines.ssi.phase import Phase
from inference.engines.ssi.published import average
from inference.engines.ssi.sampling import sample_batch, sample_in_place
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.engines.step_sizes import PI_LEAST
from inference.kernels import rng, rows
from inference.kernels.minibatch import Minibatch

DROPPED_TOKENS = 1e-3  # an entry that faded to less than a thousandth of a token is forgotten
# Of a warm-up by sampling: sweeps over a document before any is counted; sweeps that are counted,
# at the least
WARM_BURN_IN = 2
WARM_SAMPLES = 5


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch of Algorithm 1: sample its documents' topics, then move lambda.

    "decay": eq. 11 in the form of eq. 19. "memo": what the documents gave at their last visit is
    taken back, and what they give now put in its place; lambda - eta is then the sum over all
    documents, each as last seen. documents: int64[n], numbers of the minibatch's documents; where
    all of them are held out nothing is forgotten.
    """
    site = Site.alone(bow)
    run_alone(divided(config, state, site, together.lay_out(site, documents), corpus))


def divided(
    config: Resolved, state: State, site: Site, laid: together.Laid, corpus: TrainingCorpus
) -> Exchange:
    """A process's part of `step`. laid: of `together.lay_out`. corpus: the whole one."""
    phase = begin_step(config, state, site.bow, corpus)
    if len(laid.documents):
        keys = streams(state.seed, rng.SAMPLE, state.t, laid.own)
        if state.is_in_table:
            yield from _step_in_table(config, state, site, laid, keys, phase)
        elif phase.is_by_ope:
            yield from _step_by_ope(config, state, site, laid, keys, phase, corpus)
        else:
            yield from _step_in_rows(config, state, site, laid, keys, phase, corpus)
        first_token = site.own.first_token
        state.tokens += int((first_token[laid.places + 1] - first_token[laid.places]).sum())
    if phase.ends_warm_up:
        yield from shared.recount(config, state, site)
    finish_step(config, state, phase)


def begin_step(config: Resolved, state: State, bow: Bow, corpus: TrainingCorpus) -> Phase:
    """Begin a step, which `state.t` counts: the first begins the topics, the first after the
    warm-up opens the table of counts. Returns how the step is to be made. bow: of all documents."""
    phase = Phase.of_step(config, corpus, state.t + 1)
    if phase.is_first and phase.is_by_ope:
        begin_from_documents(config, state, bow, corpus)
    elif phase.is_first and not phase.fades and not state.count_parameters():
        # Rows with entries hold whole numbers already: their topics were given, or have seeds
        counting.hold_whole_numbers(state, bow)
    if not phase.fades and (state.is_in_table or counting.has_table(config, state, bow)):
        counting.open_table(config, state, bow)
    state.t = phase.step
    return phase


def finish_step(config: Resolved, state: State, phase: Phase) -> None:
    """What ends a step, when lambda has moved: the seeds' tokens, where lambda was counted anew; the
    priors that are learned; and the mean of states."""
    if phase.ends_warm_up:
        named_topics.add_to_counts(state)
    if config.learns_priors and not phase.is_by_ope and state.t % config.interval == 0:
        learn_priors(config, state)
    average(config, state, phase)


# Where lambda is in the table ----


def _step_in_table(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    phase: Phase,
) -> Exchange:
    """Sample this process's documents, and put what all gave in the place of what they had given.
    keys: uint64[n], random streams of its own documents."""
    rises_before = state.rises.copy()
    changes = sample_in_place(config, state, site.own, laid.places, keys, phase.samples_anew)
    yield from shared.add_rises(config, state, site, rises_before)
    yield from shared.apply_changes(state, site, changes)


# Where lambda is in rows: it fades, or the table would be too large ----


def _step_in_rows(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    phase: Phase,
    corpus: TrainingCorpus,
) -> Exchange:
    """Sample this process's documents, and add what all gave. keys: uint64[n], random streams of
    its own documents."""
    batch = expand(site.own, laid.places)
    rises_before = state.rises.copy()
    new, old = visit(config, state, site.own, laid.places, batch, keys, phase)
    yield from shared.add_rises(config, state, site, rises_before)
    if not phase.fades:
        yield from shared.add_samples(state, site, batch, new, old, 1.0, counting.LEAST_WHOLE)
        return
    size = state.fade(phase.step_size(config))
    unit, drop_below = unit_of_samples(state, size, len(laid.documents), new.shape[1], corpus)
    yield from shared.add_samples(state, site, batch, new, old, unit, drop_below)
    renew_faded(state, phase, size)


def visit(
    config: Resolved,
    state: State,
    bow: Bow,
    documents: np.ndarray,
    batch: Minibatch,
    keys: np.ndarray,
    phase: Phase,
) -> tuple[np.ndarray, np.ndarray]:
    """(new, old): uint16[N, M], the topics of a batch's tokens and what they were, without columns
    where they fade; memo remembers the new ones.

    bow: of the documents that the state remembers; documents: int64[n], numbers in it.
    """
    memory_place = (documents, bow.first_token, state.memory, batch.doc_ptr, batch.token_ptr)
    if not phase.fades:
        old = rows.recall(*memory_place)
        new = sample_batch(config, state, batch, keys, old, phase.samples_anew)
        rows.remember(*memory_place, new)
        return new, old
    if config.remembers:
        sweeps = replace(config, burn_in=WARM_BURN_IN, samples=max(WARM_SAMPLES, config.samples))
        new = sample_batch(sweeps, state, batch, keys)
        rows.remember(*memory_place, np.ascontiguousarray(new[:, -state.memory.shape[1] :]))
    else:
        new = sample_batch(config, state, batch, keys)
    return new, np.empty((len(new), 0), np.uint16)


def unit_of_samples(
    state: State, size: float, n: int, M: int, corpus: TrainingCorpus
) -> tuple[float, float]:
    """(unit, drop_below): what a sample of a minibatch of n documents adds to the rows, where M are
    drawn for a token, and the least entry that is kept, both in the scale of the rows.

    Eq. 11, after all statistics faded: a batch's own, times D / |B|, take the place of what they
    lost. size: the step size, as `fade` returned it.
    """
    weight = size * corpus.trained_documents / (n * M)
    return weight / state.pi, DROPPED_TOKENS / state.pi


def renew_faded(state: State, phase: Phase, size: float) -> None:
    """After all statistics faded: renew the seeds' tokens; and the scale pi (Appendix A, last
    lines), where it has become too small. size: the step size, as `fade` returned it."""
    named_topics.renew(state, phase, size)
    if state.pi < PI_LEAST:
        arena.compact(state, state.pi, DROPPED_TOKENS)
        state.totals = rows.sum_topics(state.arena, len(state.totals))
        state.pi = 1.0


# The warm-up by OPE ----


def _step_by_ope(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    phase: Phase,
    corpus: TrainingCorpus,
) -> Exchange:
    """Infer theta of this process's documents, and add the statistics of all. keys: uint64[n],
    random streams of its own documents, by which topics of tokens are drawn."""
    batch = expand(site.own, laid.places)
    coins = streams(state.seed, rng.OPE, state.t, laid.own)
    draws = keys if phase.draws_after_ope else None
    inferred = infer_by_ope(state, site.own, laid.places, batch, coins, draws)
    unit_before = state.pi
    size = state.fade(phase.step_size(config))  # changes pi
    weight = weight_by_ope(size, len(laid.documents), corpus)
    yield from shared.learn_by_ope(state, site, laid, batch, inferred, unit_before, weight)
    renew_faded(state, phase, size)


def infer_by_ope(
    state: State,
    bow: Bow,
    documents: np.ndarray,
    batch: Minibatch,
    coins: np.ndarray,
    draws: np.ndarray | None,
) -> from_documents.Inferred:
    """theta of a minibatch's documents by OPE.

    bow: of the documents that the state remembers; documents: int64[n], numbers in it. coins:
    uint64[n], a random stream for each document. draws: uint64[n], another one, where topics of
    tokens are to be drawn and remembered; None where they are not.
    """
    inferred = from_documents.infer(state, state.pi, state.eta, batch, coins, state.empty)
    if draws is not None:
        drawn = from_documents.draw(batch, inferred, state.memory.shape[1], draws)
        rows.remember(
            documents, bow.first_token, state.memory, batch.doc_ptr, batch.token_ptr, drawn
        )
    return inferred


def weight_by_ope(size: float, n: int, corpus: TrainingCorpus) -> float:
    """The weight of the statistics of a minibatch of n documents, by eq. 11, after all others
    faded. size: the step size, as `fade` returned it."""
    return size * corpus.trained_documents / n
