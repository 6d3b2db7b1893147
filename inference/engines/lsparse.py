"""Variational inference for LDA in which each token has at most L topics: Hughes and Sudderth
(2016), paper 003.

Its formulas were lost in the copy that we have; docs/engines/lsparse.md says how they were derived,
and every deviation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import arena, defaults, sparse
from inference.engines.batch import trained_documents
from inference.engines.contract import MAPPED, SCRATCH, About, Methods, TrainingCorpus
from inference.engines.lda_sentences import priors_were, trained_lda
from inference.engines.priors import as_set
from inference.engines.settings import (
    ResolvedPriors,
    Settings,
    alpha_setting,
    eta_setting,
    kappa_setting,
    minibatch_setting,
    resolved,
    setting,
    tau0_setting,
)
from inference.engines.sparse import UNITS
from inference.engines.step_sizes import PI_LEAST, rho
from inference.errors import Invalid, first_passes, number_of
from inference.kernels import lsparse, rng, rows
from inference.kernels.chunks import CHUNKS
from inference.kernels.minibatch import MinibatchWithCounts
from inference.references import entries
from inference.runtime.memory import large_array
from inference.topics import Theta, Topics

NAME = "lsparse"
ABOUT = About(
    label="Sparse variational inference",
    help=(
        "LDA by variational inference in which a word has at most L topics: deterministic except"
        " for the choice of its first documents, with a bound that rises in every pass."
    ),
    source="Hughes and Sudderth 2016",
    papers=entries("hughes2016fast"),
)

STARTS = {"cold": lsparse.COLD, "warm": lsparse.WARM, "better": lsparse.BETTER}
# With decay, an entry below a thousandth of a token is forgotten; not where L = K
DROPPED_TOKENS = 1e-3
LEAST_SHARE = 0.005  # of a document's tokens: topics below are not listed in its theta
AT_ONCE = 1000  # documents, of what is done without a step
EXPLORED = 4  # passes, where documents begin from the better of both starts
# What is gone through, over all passes, where the number of passes is not given
SWEPT_TOKENS = 100_000_000


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    most: int = setting(
        "Topics of a word",
        "L",
        "How many topics a word in a document can have at the most: 1 is a hard choice, and K "
        "usual variational inference, which is slower.",
        8,
        least=1,
    )
    alpha: float | None = alpha_setting()
    eta: float | None = eta_setting()
    statistics: str = setting(
        "Counts of a document",
        "",
        "memo: a document's counts are replaced when it is visited again, and the bound "
        "rises; decay: they fade, for corpora that are read once or a few times.",
        "memo",
        choices={"memo": "replaced at the next visit", "decay": "fading"},
    )
    start: str = setting(
        "Start of a document",
        "",
        "With memo, how a document starts when it is visited again. warm: from its remembered"
        " topics; cold: from its words alone; better: from both, and the better result is kept.",
        "better",
        choices={"cold": "from its words", "warm": "from its last visit", "better": "from either"},
    )
    warm_up: int = setting(
        "Warm-up", "", "With memo, the number of first passes in which counts fade.", 1, least=0
    )
    restarts: int = setting(
        "Restarts",
        "R",
        "How many of a document's smallest topics each visit tries to remove; a removal is kept if "
        "the bound rises.",
        5,
        least=0,
    )
    explore: int | None = setting(
        "Exploring passes",
        "",
        "With memo, the number of first passes in which documents start as “Start of a document”"
        " says and try restarts; later they continue from their remembered topics, which is several"
        " times as fast. Left open: four for better, and all for cold and warm.",
        least=0,
    )
    sweeps: int = setting(
        "Sweeps", "", "The most sweeps over a document in each visit.", 100, least=1
    )
    change: float = setting(
        "Change",
        "Δ",
        "In tokens: a document is done when none of its topics changes by this much from sweep to "
        "sweep.",
        0.5,
        least=0,
        most=1e6,
        bounds="at least 0, and at most 1e6",
    )
    init: str = setting(
        "First topics",
        "",
        "The documents of the first minibatch with which topics start: chosen to differ from "
        "each other, or at random.",
        "diverse",
        choices={"diverse": "unlike documents", "random": "at random"},
    )
    minibatch: int | None = minibatch_setting("|B|")
    kappa: float = kappa_setting(0.7, "With decay, and in the warm-up, ")
    tau0: float = tau0_setting(10.0, "With decay, and in the warm-up, ")

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/lsparse.md has the evidence."""
        passes = (
            defaults.passes_within(SWEPT_TOKENS, tokens, least=3, most=20)
            if self.statistics == "memo"
            else 3
        )
        return resolved(
            self,
            Resolved,
            passes=passes,
            explore=EXPLORED if self.start == "better" else self.passes or passes,
            alpha=0.2,
            eta=0.3,
            minibatch=min(max(documents, 1), max(20, 2 * self.topics, min(2048, documents // 32))),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
    """Settings of which none is open."""

    explore: int


@dataclass(kw_only=True)
class State(arena.Scaled):
    """All there is to checkpoint. `step` changes it in place.

    pi: what the rows' values are times; 1 / UNITS with memo after its warm-up, where they are whole
    numbers. memory_topics, memory_shares: uint16[nnz, min(L, K)], each pair's last topics and their
    shares times UNITS, all 0 before the first visit; without rows before the first step, and where
    statistics decay. scratch: a folder for the memory where it is large.
    """

    memory_topics: np.ndarray = field(metadata=MAPPED)
    memory_shares: np.ndarray = field(metadata=MAPPED)
    scratch: Path | None = field(default=None, metadata=SCRATCH)


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """lam = eta everywhere: the first step puts documents into the topics (`seed_topics`)."""
    none = np.zeros((0, _width(config)), np.uint16)
    pi = 1.0 / UNITS if _exact(config, 1, corpus) else 1.0
    return State(
        **arena.empty(corpus.V, config.topics, np.float64),
        seed=seed,
        pi=pi,
        memory_topics=none,
        memory_shares=none.copy(),
        scratch=scratch,
    )


def begin(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    bow: Bow,
    topics: np.ndarray,
    held_out: np.ndarray,
    scratch: Path | None = None,
) -> State:
    """A state before the first step in which each token has a topic already, with a share of 1.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that give nothing.
    config: without a warm-up, which would forget the topics.
    """
    if config.warm_up and config.statistics == "memo":
        raise Invalid(
            "warm_up",
            f"warm_up must be 0 where a training continues from topics, got {config.warm_up}.",
        )
    state = init(config, corpus, seed, scratch)
    _make_memory(config, state, bow)
    trained_on = trained_documents(bow.D, held_out)
    for first in range(0, len(trained_on), AT_ONCE):
        batch = sparse.expand(bow, trained_on[first : first + AT_ONCE])
        _give(config, state, batch, topics[batch.pairs])
    return state


def _exact(config: Resolved, t: int, corpus: TrainingCorpus) -> bool:
    """Whether step t, counted from 1, replaces what documents gave: then lam is the sum of what is
    remembered."""
    return config.statistics == "memo" and t > config.warm_up * corpus.steps_per_pass


def _width(config: Resolved) -> int:
    """Topics of a token at the most: L, or K where that is less."""
    return min(config.most, config.topics)


def _make_memory(config: Resolved, state: State, bow: Bow) -> None:
    if config.statistics == "memo" and not len(state.memory_topics):
        shape = len(bow.words), _width(config)
        state.memory_topics, state.memory_shares = (
            large_array(shape, state.scratch),
            large_array(shape, state.scratch),
        )
        state.memory_topics[:] = 0
        state.memory_shares[:] = 0


def _give(config: Resolved, state: State, batch: MinibatchWithCounts, topics: np.ndarray) -> None:
    """Tokens that are new go to a topic as a whole. topics: of the batch's pairs."""
    topics_given = topics.astype(np.uint16)[:, None]
    if config.statistics == "memo":
        state.memory_topics[batch.pairs, 0] = topics_given[:, 0]
        state.memory_shares[batch.pairs, 0] = UNITS
    whole_share = float(UNITS) if state.pi < 1.0 else 1.0
    sparse.add(state, batch, topics_given, np.full((len(topics), 1), whole_share), *sparse.NOTHING)


def seed_topics(config: Resolved, state: State, bow: Bow, documents: np.ndarray) -> None:
    """Each topic begins with a document of the first minibatch; with fewer documents than topics
    some begin empty."""
    batch = sparse.expand(bow, documents)
    first_documents = sparse.first_documents(
        batch, config.topics, config.init == "diverse", state.seed, rng.SPARSE
    )
    batch = sparse.expand(bow, documents[first_documents])
    _give(config, state, batch, np.repeat(np.arange(len(first_documents)), np.diff(batch.doc_ptr)))


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch: the local step of its documents, then lam.

    "memo": what the documents gave at their last visit is taken back, and what they give now put in
    its place (003, section 3.3). "decay": all statistics fade, and the batch's own, times D / |B|,
    take the place (003, section 3.4). documents: int64[n], numbers of the minibatch's documents.
    """
    state.t += 1
    if len(documents):
        _make_memory(config, state, bow)
        if not state.used:
            seed_topics(config, state, bow, documents)
        batch = sparse.expand(bow, documents)
        state.tokens += int(batch.counts.sum())
        if _exact(config, state.t, corpus):
            # Later visits continue from what is remembered, and try nothing else
            explores = state.t <= config.explore * corpus.steps_per_pass
            _replace(
                config if explores else replace(config, start="warm", restarts=0), state, batch
            )
        else:
            _fade(config, state, batch, corpus.trained_documents / len(documents))
    if config.statistics == "memo" and state.t == config.warm_up * corpus.steps_per_pass:
        _recount(state, bow)


def _replace(config: Resolved, state: State, batch: MinibatchWithCounts) -> None:
    """Replace a batch's earlier statistics by the new."""
    old_topics = state.memory_topics[batch.pairs]
    old = state.memory_shares[batch.pairs].astype(np.float64)
    new_topics, new, _ = visit_documents(config, state, batch, old_topics, old)
    state.memory_topics[batch.pairs] = new_topics
    state.memory_shares[batch.pairs] = new.astype(np.uint16)
    sparse.add(state, batch, new_topics, new, old_topics, old)


def _recount(state: State, bow: Bow) -> None:
    """lam - eta as the sum of all that is remembered, in whole numbers."""
    state.clear()
    state.pi = 1.0 / UNITS
    for first in range(0, bow.D if len(state.memory_topics) else 0, AT_ONCE):
        batch = sparse.expand(bow, np.arange(first, min(first + AT_ONCE, bow.D)))
        shares = state.memory_shares[batch.pairs].astype(np.float64)
        sparse.add(state, batch, state.memory_topics[batch.pairs], shares, *sparse.NOTHING)


def _fade(config: Resolved, state: State, batch: MinibatchWithCounts, times: float) -> None:
    """lam - eta = (1 - rho) (lam - eta) + rho times the batch's statistics, `times` as many."""
    topics, shares, _ = visit_documents(config, state, batch)
    if config.statistics == "memo":
        state.memory_topics[batch.pairs] = topics
        state.memory_shares[batch.pairs] = lsparse.round_shares(shares, float(UNITS))
    step_size = state.fade(rho(config, state.t))
    least = DROPPED_TOKENS if config.most < config.topics else 0.0
    sparse.add(
        state,
        batch,
        topics,
        shares,
        *sparse.NOTHING,
        unit=step_size * times / state.pi,
        drop_below=least / state.pi,
    )
    if state.pi < PI_LEAST:
        arena.compact(state, state.pi, least)
        if least > 0.0:  # without what the rows lost
            state.totals = rows.sum_topics(state.arena, config.topics)
        else:
            state.totals = state.totals * state.pi
        state.pi = 1.0


def _weights(
    config: Resolved, state: State, words: np.ndarray
) -> tuple[lsparse.Weights, np.ndarray]:
    """The weights of some words, and g of `lsparse.unlisted`."""
    g, base, norm = lsparse.unlisted(state.pi * state.totals, state.V, config.eta)
    return lsparse.weigh(words, state.arena, state.pi, config.eta, norm, base), g


def visit_documents(
    config: Resolved,
    state: State,
    batch: MinibatchWithCounts,
    old_topics: np.ndarray | None = None,
    old: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(topics uint16[P, L], shares float64[P, L], counts of the visits int64[n, 4]) of
    `lsparse.visit`. old: what is remembered, in UNITS, as the new shares are then; None: nothing,
    and they sum to 1."""
    weights, g = _weights(config, state, batch.words)
    L = _width(config)
    P = len(batch.places)
    first = lsparse.first_choice(weights, g, np.argsort(-g, kind="stable"), L)
    new = lsparse.Tokens(np.zeros((P, L), np.uint16), np.zeros((P, L)))
    visit_counts = np.zeros((len(batch.doc_ptr) - 1, lsparse.VISITED), np.int64)
    if old is None or old_topics is None:
        before = lsparse.Tokens(*sparse.NOTHING)
        units = 1.0
        start = lsparse.COLD
    else:
        before = lsparse.Tokens(old_topics, old)
        units = float(UNITS)
        start = STARTS[config.start]
    how = lsparse.How(
        start=start,
        restarts=config.restarts,
        sweeps=config.sweeps,
        change=config.change,
        block=lsparse.BLOCK,
        units=units,
    )
    lsparse.visit(batch, weights, g, first, config.alpha, how, before, new, visit_counts)
    return new.topics, new.shares, visit_counts


def topics(config: Resolved, state: State) -> Topics:
    """E[beta]."""
    return arena.topics(state, state.pi, config.eta)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1 by the local step from their words alone: (alpha +
    N_dk) / (K alpha + N_d)."""
    batch = sparse.expand(bow, np.arange(first, end))
    likeliest, shares, _ = visit_documents(config, state, batch)
    return Theta(
        first,
        *lsparse.mixtures(
            batch.doc_ptr,
            batch.counts,
            likeliest,
            shares,
            config.alpha,
            config.topics,
            LEAST_SHARE,
        ),
    )


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The evidence lower bound of these documents (003, eqs. 35 and 46-49) at the present topics:
    with memo, and the shares that are remembered; those of a document that was not seen, or with
    decay, are made for it."""
    documents = np.asarray(documents, np.int64)
    total = 0.0
    for first in range(0, len(documents), AT_ONCE):
        batch = sparse.expand(bow, documents[first : first + AT_ONCE])
        weights, g = _weights(config, state, batch.words)
        likeliest, shares, _ = visit_documents(config, state, batch)
        if len(state.memory_topics):
            remembered = state.memory_shares[batch.pairs]
            seen = remembered.any(axis=1)
            likeliest[seen] = state.memory_topics[batch.pairs][seen]
            shares[seen] = remembered[seen] / UNITS
        total += lsparse.objectives(batch, weights, g, config.alpha, likeliest, shares).sum()
    return float(sparse.topics_bound(state, state.pi, config.eta) + times * total)


priors = as_set


continued = defaults.fewer_passes_warm


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were inferred, with which priors and which L."""
    how = (
        "memoized variational inference, which replaces a document’s counts when it is visited"
        " again"
        if settings["statistics"] == "memo"
        else (
            "stochastic variational inference with a step size of (τ₀ + t)^−κ, κ ="
            f" {settings['kappa']:g} and τ₀ = {settings['tau0']:g}"
        )
    )
    most_topics = min(settings["most"], settings["topics"])
    topics_word = "topic" if most_topics == 1 else "topics"
    explored = settings.get("explore", settings["passes"])
    where = f" in {first_passes(explored)}" if explored < settings["passes"] else ""
    sweeps = number_of(settings["sweeps"], "sweep")
    model = (
        f"{trained_lda(settings)} by {how}, in which the posterior of each word has at most"
        f" {most_topics:,} {topics_word} (Hughes and Sudderth 2016)."
    )
    visits = (
        f"Each visit made at most {sweeps} over a document, with up to {settings['restarts']:,}"
        f" restart proposals{where}."
    )
    return Methods(
        f"{model} {priors_were(settings)}. {visits}", ("blei2003latent", "hughes2016fast")
    )


def compiling_configs() -> list[Config]:
    """The usual settings; then statistics that decay with large steps, so that pi is reset, and
    random first documents."""
    return [
        Config(topics=2, minibatch=10, passes=3),
        Config(
            topics=2,
            minibatch=10,
            passes=10,
            kappa=0.51,
            tau0=1.0,
            statistics="decay",
            init="random",
        ),
    ]


# Two thirds of what passes 2 to 4 over the State of the Union took (K = 30, L = 8) of a machine
# with a load of forty: not measured on an idle one. Seconds a token and pass that explores, at so
# many topics and L; more cost as these powers of them, a guess; so is what other starts cost.
# Entries of a word's row, at K = 100 and 100 tokens a word.
SWEEP = 1.3e-6
SWEEP_TOPICS = 50
SWEEP_MOST = 4
SWEEP_POWER = 0.4
MOST_POWER = 0.4
ENTRIES = 25
# Of `memory_bytes`: rows, which may be half empty and are copied when they are compacted; what a
# token of a minibatch takes for each of its L topics, now and before; what a word takes, and a
# topic in each chunk
COPIES = 5
ENTRY_BYTES = 12
TOKEN_BYTES = 40
WORD_BYTES = 24
TOPIC_BYTES = 24
START_COST = {"warm": 1.0, "cold": 1.5, "better": 2.5}
SETTLED_COST = 0.5


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs what the topics of its document cost in each sweep, and L of them more."""
    seconds_of_sweep = (
        SWEEP
        * (config.topics / SWEEP_TOPICS) ** SWEEP_POWER
        * (_width(config) / SWEEP_MOST) ** MOST_POWER
    )
    exploring = min(config.explore, config.passes) if config.statistics == "memo" else config.passes
    return (
        tokens
        * seconds_of_sweep
        * (exploring * START_COST[config.start] + (config.passes - exploring) * SETTLED_COST)
    )


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """L topics and shares of each pair, in two bytes each."""
    return 4 * _width(config) * corpus.pairs if config.statistics == "memo" else 0


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Rows of 12 bytes an entry, in an arena that may be half empty and is copied when it is
    compacted; L topics and shares of each token of a minibatch, now and before."""
    L = _width(config)
    usual = arena.usual_entries(ENTRIES * L**0.5, config.topics, corpus)
    entries = min(config.topics, usual) if L < config.topics else L
    in_rows = COPIES * ENTRY_BYTES * max(corpus.V * entries, arena.FIRST_ENTRIES)
    of_minibatch = TOKEN_BYTES * (corpus.tokens / corpus.steps_per_pass) * L
    of_words = WORD_BYTES * corpus.V
    of_chunks = CHUNKS * TOPIC_BYTES * config.topics
    return int(in_rows + of_minibatch + of_words + of_chunks)
