"""Sparse stochastic inference for LDA: Algorithm 1 with Appendix A of Mimno, Hoffman and Blei
(2012), "SSI".

What the paper leaves open, and every deviation from it, is in docs/engines/ssi.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, log, log2
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from inference.bow import Bow
from inference.engines import arena, averaging, concepts, defaults, from_documents, together
from inference.engines.batch import RECOUNTED, Batch, expand, keys as streams
from inference.engines.contract import (
    LEADING,
    MAPPED,
    MOST_DOCUMENT_TOKENS,
    PI_LEAST,
    SCRATCH,
    About,
    Chosen,
    Exchange,
    Methods,
    Seeds,
    Settings,
    Shape,
    Site,
    alpha_setting,
    eta_setting,
    fewer_passes_warm,
    kappa_setting,
    learn_setting,
    minibatch_setting,
    passes_within,
    resolved,
    rho,
    setting,
    tau0_setting,
)
from inference.engines.priors import as_learned
from inference.errors import Invalid, first_passes, number_of
from inference.kernels import counts, fold, frank_wolfe, gibbs, rng, rows, smc
from inference.references import entries
from inference.runtime.memory import large_array
from inference.topics import Theta, Topics

NAME = "ssi"
ABOUT = About(
    label="Sparse stochastic inference",
    help=(
        "LDA by sampling, for corpora of any size: here it reaches good topics fastest, also with"
        " many topics."
    ),
    purpose="The usual choice: quick and good on any corpus",
    source="Mimno, Hoffman and Blei 2012",
    papers=entries("mimno2012sparse", "hughes2016fast", "than2015dual"),
)
# 2: counts are in a dense table; 3: 100 topics or more begin with documents that are unlike each
# other
REVISION = 3

DROPPED_TOKENS = 1e-3  # an entry that faded to less than a thousandth of a token is forgotten
EXACT = 1 << 24  # the most up to which float32 holds all whole numbers
# Of a table of counts by word and topic, at the most: 2 GiB, or 4; beyond, rows are kept
TABLE_ENTRIES = 1 << 31
# A word with fewer tokens, each counted once a draw, has counts of one byte; of two; or of four
TINY = 1 << 8
NARROW = 1 << 16
WIDE = 1 << 31
MOST_FREQUENT = 0.07  # of all tokens are of one word at the most: "the" in English
# How a training is said to begin
FROM_DOCUMENTS = {
    "documents": "Each topic began as the words of a document",
    "joined": (
        f"{from_documents.JOINED} times as many topics began as the words of a document each and"
        " learned from a sample of the documents, and the nearest were joined"
    ),
}
NOT_COUNTED = -1  # the step in which a state was last counted, before any was
NO_TABLE = gibbs.CountTable(np.zeros((0, 0), np.int32), np.zeros((0, 0), np.uint16))
LEAST_WHOLE = 0.5  # what is remembered is counted in whole numbers: below this is none
LEAST_ALPHA = 1e-6  # of what is learned
EMPTY_ALPHA = 1e-30  # of a topic that gets no tokens: above 0, and never drawn
# Of the prior of a topic's seeds (`_prior_tokens`). Of less a topic of rare seeds was filled with
# other words, of more the seeds were all that a topic had (docs/engines/ssi.md)
SEED_WEIGHT = 0.1
SEED_SHARE = 0.3
SEED_SMALL = 0.5
# Of the tokens that a named topic begins with, that its prior has in the passes of the start, too:
# without it a free topic could take the concept, and the named one another subject
NEAR_WEIGHT = 0.3
MOST_DRAWS = 10_000  # samples times draws
# Of a warm-up by sampling (`start`): sweeps over a document before any is counted; sweeps that are
# counted, at the least; how many times eta its eta is
WARM_BURN_IN = 2
WARM_SAMPLES = 5
WARM_ETA = 3.0
# Minibatches of a pass; the same with MANY_TOPICS or more, which complete better with larger ones
# (docs/measurements/engines/ssi-experiments.md, "Minibatches")
MINIBATCHES_OF_PASS = 32
PARTS_OF_MANY = 16
MANY_TOPICS = 1000
# Of settings that are left open; of LOGARITHMS: where weights are exp E[log beta], as in the paper
LEAST_FROM_DOCUMENTS = 20  # topics: with fewer, documents chosen at random miss too many
LEAST_PASSES = 3
MOST_PASSES = 100  # topics have mostly settled before
WARM_UP_BY_OPE = 2  # passes
ETA_OF_MEMO = 0.2  # of the usual one: each token is counted in full
MINIBATCH = 256
MINIBATCH_OF_LOGARITHMS = 400
LEAST_MINIBATCH = 20
BURN_IN = 5
BURN_IN_OF_LOGARITHMS = 2
SAMPLES = 5
SAMPLES_OF_LOGARITHMS = 3
DRAWS = 2
AVERAGED = 5  # passes
AVERAGED_FROM = 10  # passes: in the first of them each is better than a mean of those before it
LOOKS = 5  # passes between two looks at whether topics have settled
FIRST_LOOK = 2  # times as many passes are made before the first
SETTLED = 0.0005  # nats per held-out token and pass: topics that gain less have settled
# Documents of a minibatch after the warm-up, at the most, and steps of a pass, at the least
GROWN = 32_768
GROWN_STEPS = 64
# The same of the warm-up, beyond SMALL_WARM_UP documents
SMALL_WARM_UP = 2048
WARM = 16_384
WARM_STEPS = 256
SWEPT_TOKENS = (
    600_000_000  # what is gone through, over all passes, where the number of passes is not given
)
# Seconds of the processor a token in a pass, at SWEEP_TOPICS topics; more topics cost as this power
# of them (docs/measurements/engines/ssi.md, "Seconds beforehand"; `python -m benchmarks.estimates`).
# A pass of the warm-up; the first pass of sampling, in which documents are new; and each later one
WARM_SWEEP = 0.45e-6
FIRST_SWEEP = 0.57e-6
SWEEP = 0.14e-6
SWEEP_TOPICS = 100  # fewer do not make a pass shorter
SWEEP_POWER = 0.41
# Passes until topics have settled: Reuters and the example, K = 20 to 2000, made 25 to 40
USUAL_PASSES = 35
SERIAL = 0.03  # of a training, that one thread does alone (`python -m benchmarks.cores`)
# Topics with an entry in a word's row, at K = 100 and 100 tokens a word; times so many while all
# fades
ENTRIES = 12
ENTRIES_FADING = 6
# Bytes of a float32; of a float64, an int64, and an entry of a row
SINGLE = 4
DOUBLE = 8
# Of all rows, which may be half empty and are copied when they are compacted; with a mean of states,
# whose rows are longer, and which is copied at each end of a pass
COPIES = 4
COPIES_WITH_MEAN = 8
# Arrays with a number for each word, for each topic, and for each topic in a chunk of OPE
ARRAYS_OF_WORDS = 4
ARRAYS_OF_TOPICS = 4
OPE_ARRAYS = 10


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    alpha: float | None = alpha_setting(1e-9)
    eta: float | None = eta_setting(1e-9)
    statistics: str = setting(
        "Counts of a document",
        "",
        "memo: a document's counts are replaced when it is visited again; decay: they "
        "fade, as in the paper, for corpora that are read once or a few times.",
        "memo",
        choices={"memo": "replaced at the next visit", "decay": "fading"},
    )
    expectation: str = setting(
        "Word weights",
        "E[β]",
        "mean: E[β], which goes with a small η; log: exp E[log β], as in the paper, which needs a"
        " large one.",
        "mean",
        choices={"mean": "their mean", "log": "their mean logarithm"},
    )
    start: str | None = setting(
        "Start",
        "",
        "With memo, how the passes of the warm-up find topics. documents: each topic starts as the"
        " words of a document, and learns by OPE; joined: so do four times as many, on a sample,"
        " and the nearest are joined; sampling: all topics start alike, and sampling separates"
        " them.",
        choices={
            "documents": "from documents",
            "joined": "from more topics, joined",
            "sampling": "by sampling",
        },
    )
    warm_up: int | None = setting(
        "Warm-up", "", "With memo, the number of first passes in which counts decay.", least=0
    )
    minibatch: int | None = minibatch_setting("|B|")
    minibatch_after: int | None = setting(
        "Minibatch after the warm-up",
        "",
        "With memo, documents between two updates of the topics after the warm-up. Topics then"
        " change less between updates, and the work of each update, also among several workers, is"
        " done less often.",
        least=1,
    )
    burn_in: int | None = setting(
        "Burn-in sweeps",
        "B",
        "Sweeps over a document before any is counted; with memo, when it is new.",
        least=0,
    )
    samples: int | None = setting(
        "Saved sweeps", "S", "Sweeps over a document, in each visit, that are counted.", least=1
    )
    draws: int | None = setting(
        "Draws",
        "R",
        "Topics drawn for a word in each saved sweep; more draws have less noise. The paper"
        " uses 1.",
        least=1,
    )
    learn: str = learn_setting()
    averaged: int | None = setting(
        "Averaged passes",
        "",
        "With memo, published topics are a running mean over about this many passes, from the "
        "tenth on; 1: the topics of the last pass.",
        least=1,
    )
    until: str | None = setting(
        "Until",
        "",
        "settled: train until further passes hardly improve the prediction of held-out words, or"
        " until the last pass; passes: always train to the last pass.",
        choices={"settled": "topics have settled", "passes": "the last pass"},
    )
    interval: int = setting(
        "Learning interval",
        "",
        "Minibatches between two updates of the learned priors.",
        20,
        least=1,
    )
    kappa: float = kappa_setting(0.7, "With decay, and in a warm-up by sampling, ")
    tau0: float = tau0_setting(10.0, "With decay, and in a warm-up by sampling, ")

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.samples or 1) * (self.draws or 1) > MOST_DRAWS:
            raise Invalid(
                "draws",
                f"samples times draws must be at most {MOST_DRAWS}, got {self.samples} times"
                f" {self.draws}.",
            )
        most_topics = from_documents.MOST_JOINED // from_documents.JOINED
        if self.start == "joined" and self.topics > most_topics:
            raise Invalid(
                "start",
                f"A start from joined topics is for {most_topics} topics at the most, got {self.topics}.",
            )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/measurements/engines/ssi-experiments.md has
        the evidence. Raises Invalid for a start that these documents are too few for."""
        if self.start == "joined":
            from_documents.check_joined(self.topics, documents)
        memo = self.statistics == "memo"
        log = self.expectation == "log"
        start = self.start or ("documents" if self.topics >= LEAST_FROM_DOCUMENTS else "sampling")
        passes = LEAST_PASSES
        minibatch = self.minibatch or (MINIBATCH_OF_LOGARITHMS if log else MINIBATCH)
        minibatch_after = minibatch
        samples = SAMPLES_OF_LOGARITHMS if log else SAMPLES
        eta = defaults.eta(self.topics)
        if memo:
            passes = passes_within(SWEPT_TOKENS, tokens, least=LEAST_PASSES, most=MOST_PASSES)
            minibatch = self.minibatch or self._parted(documents)
            minibatch_after = max(minibatch, min(GROWN, documents // GROWN_STEPS))
            samples = 1
            eta = defaults.eta(self.topics, ETA_OF_MEMO)
        if log:
            eta = defaults.ETA_OF_LOGARITHMS
        return resolved(
            self,
            Resolved,
            start=start,
            passes=passes,
            warm_up=WARM_UP_BY_OPE if memo and start != "sampling" else 1,
            alpha=defaults.alpha(self.topics),
            eta=eta,
            minibatch=minibatch,
            minibatch_after=minibatch_after,
            burn_in=BURN_IN_OF_LOGARITHMS if log else BURN_IN,
            samples=samples,
            draws=1 if log else DRAWS,
            averaged=AVERAGED if memo else 1,
            until="settled" if memo else "passes",
        )

    def _parted(self, documents: int) -> int:
        """The minibatch of memo: a part of the documents."""
        parts = MINIBATCHES_OF_PASS if self.topics < MANY_TOPICS else PARTS_OF_MANY
        part = min(SMALL_WARM_UP, max(LEAST_MINIBATCH, documents // parts))
        return max(part, min(WARM, documents // WARM_STEPS))


@dataclass(frozen=True, kw_only=True)
class Resolved(Chosen, Config):
    """Settings of which none is open."""

    start: str
    warm_up: int
    minibatch_after: int
    burn_in: int
    samples: int
    draws: int
    averaged: int
    until: str

    @property
    def growth(self) -> tuple[int, int]:
        """(passes, documents) as contract.Growing has them: with memo minibatches grow."""
        if self.statistics == "memo":
            return self.warm_up, self.minibatch_after
        return 0, self.minibatch


@dataclass(kw_only=True)
class State(averaging.Averaged):
    """All there is to checkpoint. `step` changes it in place.

    The rows hold (lambda - eta) / pi. alpha: float64[K]. rises:
    float64[K + 1], what alpha is learned from. memory: uint16[tokens, samples * draws], each
    token's last topics, gibbs.UNSEEN before the first visit; without rows where statistics decay.
    judged: float64[n], held-out completion at the looks so far.

    Where documents' counts are replaced, `table` has them by word and topic: those of step
    `counted`. The rows follow when they are asked for, by `refresh`; they have those of step
    `written`. sums: room for gibbs.Terms.

    seed_words, seed_topics: int64[m], and seed_tokens: float64[m], by how much lambda's prior is
    above eta for a seed in its topic (`plant`): it is part of the rows and of the table at every
    step. near_words, near_topics: int64[n], near_tokens: float64[n], the same of words that occur
    with seeds, in the passes of the start. empty: int64[e], topics that get no tokens. All without
    elements where nothing was named.
    """

    alpha: np.ndarray
    eta: float
    rises: np.ndarray
    memory: np.ndarray = field(metadata=MAPPED)
    judged: np.ndarray = field(default_factory=lambda: np.zeros(0), metadata=LEADING)
    seed_words: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    seed_topics: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    seed_tokens: np.ndarray = field(default_factory=lambda: np.zeros(0))
    near_words: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    near_topics: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    near_tokens: np.ndarray = field(default_factory=lambda: np.zeros(0))
    empty: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    table: gibbs.CountTable = field(default=NO_TABLE, metadata=SCRATCH)
    sums: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32), metadata=SCRATCH)
    counted: int = field(default=NOT_COUNTED, metadata=SCRATCH)
    written: int = field(default=NOT_COUNTED, metadata=SCRATCH)

    def refresh(self) -> None:
        """Bring the rows to what the table has."""
        is_in_table = self.counted == self.t
        rows_are_behind = self.written != self.t
        if not (is_in_table and rows_are_behind):
            return
        indptr, topics, values = counts.rows(self.table, self.arena_values[:0])
        self.start = indptr[:-1]
        self.length = np.diff(indptr)
        self.capacity = self.length.copy()
        self.used = len(topics)
        self.arena_topics = topics
        self.arena_values = values
        self.written = self.t

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens: the entries of the rows, which are brought
        up to date before."""
        self.refresh()
        return super().count_parameters()


def init(config: Resolved, shape: Shape, seed: int, scratch: Path | None = None) -> State:
    """lambda = eta everywhere: no row has an entry. What breaks the symmetry are documents that the
    first step begins with, or the sampling of the first minibatches.

    scratch: a folder for the state's memory where that is large.
    """
    V = shape.V
    K = config.topics
    M = config.samples * config.draws
    remembers = config.statistics == "memo"
    warm = config.statistics == "memo" and config.warm_up > 0
    memory = large_array((shape.tokens if remembers else 0, M), scratch)
    memory[:] = gibbs.UNSEEN
    eta = config.eta * (WARM_ETA if warm and config.start == "sampling" else 1.0)
    return State(
        seed=seed,
        pi=1.0 / M if remembers and not warm else 1.0,
        **arena.empty(V, K),
        alpha=np.full(K, config.alpha),
        eta=eta,
        rises=np.zeros(K + 1),
        memory=memory,
    )


def begin(
    config: Resolved,
    shape: Shape,
    seed: int,
    bow: Bow,
    topics: np.ndarray,
    held_out: np.ndarray,
    scratch: Path | None = None,
) -> State:
    """A state before the first step in which each token has a topic already: lambda - eta is their
    sum.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing. config: without a warm-up, which would forget the topics.
    """
    if config.warm_up and config.statistics == "memo":
        raise Invalid(
            "warm_up",
            f"warm_up must be 0 where a training continues from topics, got {config.warm_up}.",
        )
    state = init(config, shape, seed, scratch)
    memory = state.memory
    if config.statistics == "decay":
        state.memory = large_array((bow.tokens, 1), scratch)
        state.memory[:] = gibbs.UNSEEN
    trained_on = np.setdiff1d(np.arange(bow.D), held_out)
    smc.assign(bow.indptr, bow.counts, bow.first_token, trained_on, topics, state.memory)
    _recount(config, state, bow, bow)
    if config.statistics == "decay":
        state.memory = memory
    return state


def check_seeds(config: Config) -> None:
    """Learned priors are refused: alpha would be learned of empty topics, and one eta of all."""
    if config.learn != "nothing":
        raise Invalid(
            "learn",
            "With topics that are named beforehand the priors are fixed: set “Learned priors” to"
            f" none, got “{config.learn}”.",
        )


def plant(config: Resolved, state: State, bow: Bow, seeds: Seeds) -> None:
    """An asymmetric prior (compare Jagarlamudi, Daume and Udupa 2012; Eshima, Imai and Sasaki
    2024): lambda_kw begins above eta for each seed w of topic k, by `_prior_tokens`, and what is
    learned is added to that.

    With counts in a table it is a whole number of draws that is never taken away, so a step costs
    what it costs without seeds. Where all statistics fade, each step adds its part again (SVI, eq.
    26, with this prior in the place of eta). Topics without seeds begin as they do otherwise, but
    not with the seeds of others.
    """
    M = state.memory.shape[1]
    state.refresh()
    state.counted = NOT_COUNTED
    state.seed_words = seeds.words
    state.seed_topics = seeds.topics
    tokens = _prior_tokens(config, bow, seeds)
    state.seed_tokens = np.maximum(np.floor(tokens * M), 1.0) / M
    state.empty = seeds.empty
    state.alpha[seeds.empty] = EMPTY_ALPHA
    if config.statistics == "memo":
        _hold_counts(state, bow)
    _add_seeds(state, 1.0)


def _prior_tokens(config: Resolved, bow: Bow, seeds: Seeds) -> np.ndarray:
    """float64[m]: of each seed in its topic, the same for all seeds of a topic: a frequent word,
    which other topics have as well, must not outweigh the rare ones.

    Of all seeds of a topic together: SEED_WEIGHT of their tokens; and where what occurs with them
    is less than SEED_SMALL of an equal share of all tokens, up to SEED_SHARE of that share, so that
    the topic of a rare concept is not filled up with other words.
    """
    tokens = bow.word_tokens[seeds.words].astype(np.float64)
    sums = np.bincount(seeds.topics, tokens, config.topics)
    equal = bow.tokens / config.topics
    size = concepts.concept_tokens(bow, seeds.words, seeds.topics, config.topics)
    missing = np.maximum(1.0 - size / (SEED_SMALL * equal), 0.0)
    prior = np.maximum(SEED_WEIGHT * sums, SEED_SHARE * equal * missing)
    seeds_each = np.bincount(seeds.topics, minlength=config.topics)
    return (prior / np.maximum(seeds_each, 1))[seeds.topics]


def _add_seeds(state: State, part: float) -> None:
    """Add a part of the seeds' prior to the rows."""
    if len(state.seed_words):
        values = part / state.pi * state.seed_tokens
        arena.add(state, state.seed_words, state.seed_topics, values)


def _add_whole_seeds(state: State) -> None:
    """Add the seeds' prior to counts that were just summed up from memory: in the table, where
    they are there."""
    state.near_words = state.near_topics = np.zeros(0, np.int64)
    state.near_tokens = np.zeros(0)
    if state.counted != state.t:
        _add_seeds(state, 1.0)
    elif len(state.seed_words):
        draws = np.round(state.seed_tokens / state.pi).astype(np.int32)
        indptr = np.arange(len(draws) + 1)
        words = state.seed_words.astype(np.int32)
        topics = state.seed_topics.astype(np.uint16)
        counts.add(words, indptr, topics, draws, state.table, state.totals)


def _most_tokens(state: State, bow: Bow) -> np.ndarray:
    """The most that counts of a word come to: its tokens, and its prior as a seed. bow: of all
    documents."""
    if not len(state.seed_words):
        return bow.word_tokens
    prior = np.bincount(state.seed_words, np.ceil(state.seed_tokens), bow.V)
    return bow.word_tokens + prior.astype(np.int64)


def step(config: Resolved, state: State, bow: Bow, documents: np.ndarray, shape: Shape) -> None:
    """One minibatch of Algorithm 1: sample its documents' topics, then move lambda.

    "decay": eq. 11 in the form of eq. 19. "memo": what the documents gave at their last visit is
    taken back, and what they give now put in its place; lambda - eta is then the sum over all
    documents, each as last seen. documents: int64[n], numbers of the minibatch's documents; where
    all of them are held out nothing is forgotten.
    """
    way = _begin_step(config, state, bow, shape)
    if len(documents):
        keys = streams(state.seed, rng.SAMPLE, state.t, documents)
        if way.in_table:
            _apply(state, *_sample_in_place(config, state, bow, documents, keys, way))
        else:
            _step_rows(config, state, bow, documents, keys, way, shape)
        state.tokens += int((bow.first_token[documents + 1] - bow.first_token[documents]).sum())
    if way.ends_warm_up:
        _recount(config, state, bow, bow)
    _finish(config, state, way, shape)


class Way(NamedTuple):
    """How a step goes. by_ope: by OPE, else by sampling. draws: whether OPE draws topics of tokens,
    to be remembered. anew: whether documents that are remembered are sampled as if they were new.
    fades: whether all statistics fade. in_table: whether lambda is in the table of counts.
    ends_warm_up: whether statistics are counted from memory after it."""

    by_ope: bool
    draws: bool
    anew: bool
    fades: bool
    in_table: bool
    ends_warm_up: bool


def _step_rows(
    config: Resolved,
    state: State,
    bow: Bow,
    documents: np.ndarray,
    keys: np.ndarray,
    way: Way,
    shape: Shape,
) -> None:
    """`step` where lambda is in rows: it fades, or the table would be too large."""
    batch = expand(bow, documents)
    if way.by_ope:
        coins = streams(state.seed, rng.OPE, state.t, documents)
        inferred = _infer(state, bow, documents, batch, coins, keys if way.draws else None)
        weight = _ope_weight(state, len(documents), shape)  # changes pi
        from_documents.learn(state, state.pi, batch, inferred, weight)
    else:
        new, old = _visit(config, state, bow, documents, batch, keys, way)
        unit = _unit(config, state, way, len(documents), new.shape[1], shape)
        _add(config, state, batch, new, old, *unit)
    _renew_faded(config, state, way)


def _finish(config: Resolved, state: State, way: Way, shape: Shape) -> None:
    """What ends a step, by one process or by several, when lambda has moved: the seeds' prior,
    where lambda was counted anew; the priors that are learned; and the mean of states."""
    if way.ends_warm_up:
        _add_whole_seeds(state)
    if config.learn != "nothing" and not way.by_ope and state.t % config.interval == 0:
        _learn(config, state)
    _average(config, state, way, shape)


def _renew_faded(config: Resolved, state: State, way: Way) -> None:
    """After a step in rows: where all statistics faded, renew the seeds' prior, and the scale."""
    if way.fades:
        _renew_seeds(config, state, way)
        _reset_scale(state)


def _renew_seeds(config: Resolved, state: State, way: Way) -> None:
    """After a step in which all statistics faded, and with them the seeds' prior: add what it lost
    of it."""
    size = rho(from_documents.StepSizes() if way.by_ope else config, state.t)
    part = min(size, 1.0) if size < arena.STEP_WHOLE else 1.0
    _add_seeds(state, part)
    if way.by_ope and len(state.near_words):
        values = NEAR_WEIGHT * part / state.pi * state.near_tokens
        arena.add(state, state.near_words, state.near_topics, values)


def _begin_from_documents(config: Resolved, state: State, bow: Bow, shape: Shape) -> None:
    """Topics begin as the words of documents, named ones with their seeds; eta is that of the steps
    by OPE."""
    order = rng.key(np.uint64(state.seed), np.uint64(rng.INIT), np.uint64(0), np.uint64(0))
    state.eta = from_documents.eta(config.topics, bow, config.eta)
    if not len(state.seed_words) and not len(state.empty):
        from_documents.begin(state, bow, shape, order, joined=config.start == "joined")
        return
    seeded = np.append(state.seed_topics, state.empty)
    free = np.setdiff1d(np.arange(config.topics), seeded)
    company = concepts.company(bow, shape, state.seed_words, state.seed_topics, config.topics)
    from_documents.begin(state, bow, shape, order, free, company)
    state.near_words = company.words
    state.near_topics = company.topics
    state.near_tokens = company.tokens
    _add_seeds(state, 1.0)


def _begin_step(config: Resolved, state: State, bow: Bow, shape: Shape) -> Way:
    """Begin a step: the first begins the topics, the first after the warm-up opens the table of
    counts, and t counts each. Returns how the step is to be made. bow: of all documents."""
    memo = config.statistics == "memo"
    warm_steps = config.warm_up * shape.per_pass if memo else 0
    begins_without_topics = not state.t and not state.count_parameters()
    if memo and not warm_steps and begins_without_topics:
        _hold_counts(state, bow)
    from_start = memo and config.start != "sampling" and warm_steps > 0
    by_ope = from_start and state.t < warm_steps
    if by_ope and not state.t:
        _begin_from_documents(config, state, bow, shape)
    fades = not memo or state.t < warm_steps
    in_table = not fades and (state.counted == state.t or _has_table(config, state, bow))
    if in_table:
        _open_table(config, state, bow)
    state.t += 1
    if in_table:
        state.counted = state.t
    return Way(
        by_ope,
        draws=by_ope and state.t > warm_steps - shape.per_pass,
        anew=from_start and state.t <= warm_steps + (shape.later or shape.per_pass),
        fades=fades,
        in_table=in_table,
        ends_warm_up=state.t == warm_steps,
    )


def _infer(
    state: State,
    bow: Bow,
    documents: np.ndarray,
    batch: Batch,
    coins: np.ndarray,
    draws: np.ndarray | None,
) -> from_documents.Inferred:
    """theta of a minibatch's documents by OPE. draws: uint64[n], a random stream for each document,
    where tokens' topics are to be remembered."""
    inferred = from_documents.infer(state, state.pi, state.eta, batch, coins, state.empty)
    if draws is not None:
        drawn = from_documents.draw(batch, inferred, state.memory.shape[1], draws)
        rows.remember(
            documents, bow.first_token, state.memory, batch.doc_ptr, batch.token_ptr, drawn
        )
    return inferred


def _ope_weight(state: State, n: int, shape: Shape) -> float:
    """All statistics fade; those of a minibatch of n documents have this weight, by eq. 11."""
    return state.fade(rho(from_documents.StepSizes(), state.t)) * shape.D / n


def _visit(
    config: Resolved,
    state: State,
    bow: Bow,
    documents: np.ndarray,
    batch: Batch,
    keys: np.ndarray,
    way: Way,
) -> tuple[np.ndarray, np.ndarray]:
    """(new, old): uint16[N, M], the topics of a batch's tokens and what they were, without columns
    where they fade; memo remembers the new ones."""
    memory_place = (documents, bow.first_token, state.memory, batch.doc_ptr, batch.token_ptr)
    if not way.fades:
        old = rows.recall(*memory_place)
        new = _sample(config, state, batch, keys, old, way.anew)
        rows.remember(*memory_place, new)
        return new, old
    if config.statistics == "memo":
        sweeps = replace(config, burn_in=WARM_BURN_IN, samples=max(WARM_SAMPLES, config.samples))
        new = _sample(sweeps, state, batch, keys)
        rows.remember(*memory_place, np.ascontiguousarray(new[:, -state.memory.shape[1] :]))
    else:
        new = _sample(config, state, batch, keys)
    return new, np.empty((len(new), 0), np.uint16)


def _unit(
    config: Resolved, state: State, way: Way, n: int, M: int, shape: Shape
) -> tuple[float, float]:
    """(unit, drop_below): what a sample of a minibatch of n documents adds to the rows, and the
    least entry that is kept.

    Eq. 11 where statistics fade: all of them do, and a batch's own, times D / |B|, take the place.
    """
    if not way.fades:
        return 1.0, LEAST_WHOLE
    return (
        state.fade(rho(config, state.t)) * shape.D / (n * M) / state.pi,
        DROPPED_TOKENS / state.pi,
    )


def _reset_scale(state: State) -> None:
    """The rows with pi = 1, where it has become too small."""
    if state.pi < PI_LEAST:
        arena.compact(state, state.pi, DROPPED_TOKENS)
        state.totals = rows.sum_topics(state.arena, len(state.totals))
        state.pi = 1.0


def _recount(config: Resolved, state: State, bow: Bow, own: Bow) -> None:
    """lambda - eta as the sum of all that is remembered. own: of the documents that the state
    remembers; bow: of all."""
    _begin_counts(config, state, bow)
    if config.statistics == "memo" and _has_table(config, state, bow):
        _open_table(config, state, bow)
        counts.recount(
            own.words, own.counts, state.memory, state.table, state.totals, numba.get_num_threads()
        )
    else:
        _count_memory(config, state, own)


def _begin_counts(config: Resolved, state: State, bow: Bow) -> None:
    """No entry in lambda - eta, which is to be a sum of what is remembered. bow: of all
    documents."""
    state.refresh()
    arena.clear(state)
    state.pi = 1.0 / state.memory.shape[1]
    state.eta = config.eta
    state.counted = NOT_COUNTED
    _hold_counts(state, bow)


def _has_table(config: Resolved, state: State, bow: Bow) -> bool:
    """Whether counts that are replaced, not faded, are kept in a table. bow: of all documents.
    Weights by the mean logarithm are no multiples of counts."""
    most_tokens = _most_tokens(state, bow).max(initial=0.0) * config.samples * config.draws
    return _table_fits(config, bow.V) and most_tokens < WIDE


def _table_fits(config: Resolved, V: int) -> bool:
    """Whether a table of all words has room, and its counts are what weights are made of."""
    return V * gibbs.padded(config.topics) <= TABLE_ENTRIES and config.expectation == "mean"


def _open_table(config: Resolved, state: State, bow: Bow) -> None:
    """Let the table have the counts of the rows, if it has older ones. bow: of all documents."""
    if state.counted == state.t:
        return
    most_tokens = _most_tokens(state, bow) * config.samples * config.draws
    small = most_tokens.max(initial=0.0) < NARROW
    limit, wide, narrow = (TINY, np.uint16, np.uint8) if small else (NARROW, np.int32, np.uint16)
    large = np.flatnonzero(most_tokens >= limit)
    F = int(large[-1]) + 1 if len(large) else 0
    width = gibbs.padded(config.topics)
    state.table = gibbs.CountTable(np.zeros((F, width), wide), np.zeros((bow.V - F, width), narrow))
    counts.fill(state.arena, state.table)
    state.counted = state.t
    state.written = NOT_COUNTED


def _hold_counts(state: State, bow: Bow) -> None:
    """Let the rows hold whole numbers as large as they may become: rounded, they would never be
    exact again."""
    if len(bow.words) and _most_tokens(state, bow).max() * state.memory.shape[1] > EXACT:
        state.arena_values = state.arena_values.astype(np.float64)


def _count_memory(config: Resolved, state: State, bow: Bow) -> None:
    """Add what is remembered. bow: of the documents that the state remembers."""
    for first in range(0, bow.D, RECOUNTED):
        documents = np.arange(first, min(first + RECOUNTED, bow.D))
        batch = expand(bow, documents)
        new = rows.recall(documents, bow.first_token, state.memory, batch.doc_ptr, batch.token_ptr)
        _add(config, state, batch, new, np.empty((len(new), 0), np.uint16), 1.0, LEAST_WHOLE)


def _average(config: Resolved, state: State, way: Way, shape: Shape) -> None:
    """At the end of one of the later passes of memo: take its state into the mean that topics are
    published from."""
    passes, steps_of_pass = divmod(
        state.t - config.warm_up * shape.per_pass, shape.later or shape.per_pass
    )
    if (
        config.averaged > 1
        and not way.fades
        and not steps_of_pass
        and passes + config.warm_up >= AVERAGED_FROM
    ):
        state.refresh()
        averaging.add(state, state.pi, state.t, config.averaged)


def settled(config: Resolved, state: State, passes: int, judge: Callable[[], float]) -> bool:
    """Whether completion of the published topics has risen by less than SETTLED a pass since the
    look before the last."""
    look = passes // LOOKS - FIRST_LOOK
    if config.until != "settled" or look < 0 or passes % LOOKS:
        return False
    if look == len(state.judged):
        state.judged = np.append(state.judged, judge())
    return look > 1 and bool(state.judged[look] - state.judged[look - 2] < SETTLED * 2 * LOOKS)


lay_out = together.lay_out


def divided(
    config: Resolved, state: State, site: Site, laid: together.Laid, shape: Shape
) -> Exchange:
    """`step`, shared: each process samples its own documents; together.py says how they add up what
    that changed."""
    way = _begin_step(config, state, site.bow, shape)
    if len(laid.documents):
        own_places = laid.own - site.bounds[site.rank]
        first_token = site.own.first_token
        keys = streams(state.seed, rng.SAMPLE, state.t, laid.own)
        if way.in_table:
            learned = state.rises.copy()
            changes = _sample_in_place(config, state, site.own, own_places, keys, way)
            yield from _learn_rises(config, state, site, learned)
            yield from together.add(
                site,
                config.topics,
                lambda: together.changed(*changes, site.bow.V, config.topics),
                lambda: _apply(state, *changes),
                lambda other: _add_counts(state, other),
            )
        else:
            yield from _divided_rows(config, state, site, laid, keys, way, shape)
        state.tokens += int((first_token[own_places + 1] - first_token[own_places]).sum())
    if way.ends_warm_up:
        yield from _recount_together(config, state, site)
    _finish(config, state, way, shape)


def _divided_rows(
    config: Resolved,
    state: State,
    site: Site,
    laid: together.Laid,
    keys: np.ndarray,
    way: Way,
    shape: Shape,
) -> Exchange:
    """`_step_rows`, shared."""
    own_places = laid.own - site.bounds[site.rank]
    batch = expand(site.own, own_places)
    if way.by_ope:
        coins = streams(state.seed, rng.OPE, state.t, laid.own)
        inferred = _infer(state, site.own, own_places, batch, coins, keys if way.draws else None)
        yield from _learn_together(state, site, laid, inferred, shape)
    else:
        learned = state.rises.copy()
        new, old = _visit(config, state, site.own, own_places, batch, keys, way)
        own_counts = together.count(batch, new, old, config.topics)
        yield from _learn_rises(config, state, site, learned)
        unit = _unit(config, state, way, len(laid.documents), new.shape[1], shape)
        yield from together.merge(state, site, own_counts, *unit)
    _renew_faded(config, state, way)


def _learn_rises(config: Resolved, state: State, site: Site, before: np.ndarray) -> Exchange:
    """Add up what alpha is learned from. before: state.rises before this step."""
    if config.learn != "nothing":
        message = (state.rises - before,)
        of_all = yield [message] * site.ranks
        state.rises = before + sum(rises for (rises,) in of_all)


def _recount_together(config: Resolved, state: State, site: Site) -> Exchange:
    """`_recount`, shared."""
    _recount(config, state, site.bow, site.own)
    if site.ranks == 1:
        return
    state.refresh()
    own_counts = together.counts_of_rows(state)
    _begin_counts(config, state, site.bow)
    if not _has_table(config, state, site.bow):
        yield from together.merge(state, site, own_counts, 1.0, LEAST_WHOLE)
        return
    _open_table(config, state, site.bow)
    yield from together.add(
        site,
        config.topics,
        lambda: own_counts,
        lambda: _add_counts(state, own_counts),
        lambda other: _add_counts(state, other),
    )


def _learn_together(
    state: State, site: Site, laid: together.Laid, inferred: from_documents.Inferred, shape: Shape
) -> Exchange:
    """`from_documents.learn` of a whole minibatch."""
    messages = yield [from_documents.message_of_documents(inferred, len(state.totals))] * site.ranks
    pairs = site.bow.indptr[laid.documents + 1] - site.bow.indptr[laid.documents]
    heard_rows = from_documents.heard(messages, laid.owner, pairs)
    before = state.pi
    weight = _ope_weight(state, len(laid.documents), shape)
    learned = from_documents.learned_run(
        state,
        before,
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


def _sample(
    config: Resolved,
    state: State,
    batch: Batch,
    keys: np.ndarray,
    before: np.ndarray | None = None,
    anew: bool = False,
) -> np.ndarray:
    """uint16[N, samples * draws]: topics of a batch's tokens, under the rows. before: of the last
    visit, None where all is new."""
    log = config.expectation == "log"
    norm = _normalisers(config, state)
    new = (
        np.full((batch.token_ptr[-1], config.samples * config.draws), gibbs.UNSEEN)
        if before is None
        else before.copy()
    )
    table = gibbs.spread(batch.words, state.arena, state.pi, state.eta, 1.0 / norm, log)
    ends = batch.token_ptr[batch.doc_ptr]
    documents = gibbs.Documents(
        np.arange(len(keys)),
        batch.doc_ptr,
        batch.places,
        np.diff(batch.token_ptr).astype(np.int32),
        ends[:-1],
        np.diff(ends),
        keys,
    )
    _sweep(
        config,
        state,
        documents,
        gibbs.CountTable(table[:0], table),
        norm,
        new,
        np.empty(0, np.uint64),
        anew,
    )
    return new


def _sample_in_place(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, keys: np.ndarray, way: Way
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sample documents under the table, where they are stored; what changed, as `gibbs.sample`
    lists it: (changed, begins, ends)."""
    first = bow.first_token[documents]
    lengths = bow.first_token[documents + 1] - first
    stored = gibbs.Documents(documents, bow.indptr, bow.words, bow.counts, first, lengths, keys)
    changed = np.empty(lengths.sum() * state.memory.shape[1], np.uint64)
    return changed, *_sweep(
        config,
        state,
        stored,
        state.table,
        _normalisers(config, state),
        state.memory,
        changed,
        way.anew,
    )


def _normalisers(config: Resolved, state: State) -> np.ndarray:
    return gibbs.normalisers(
        state.pi * state.totals, len(state.start), state.eta, config.expectation == "log"
    )


def _sweep(
    config: Resolved,
    state: State,
    documents: gibbs.Documents,
    table: gibbs.CountTable,
    norm: np.ndarray,
    draws: np.ndarray,
    changed: np.ndarray,
    anew: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """`gibbs.sample` with a table of counts or weights; norm: of `_normalisers`."""
    K = config.topics
    log = config.expectation == "log"
    times = np.ones(K, np.float32) if log else (state.pi / norm).astype(np.float32)
    width = gibbs.padded(K)
    prior = np.zeros(width, np.float32)
    prior[:K] = state.alpha if log else state.alpha * (state.pi / norm)
    size = (len(table.wide) + len(table.narrow)) * (width // gibbs.BLOCK)
    if len(state.sums) < size:
        state.sums = np.empty(size, np.float32)
    sums = state.sums[:size].reshape(-1, width // gibbs.BLOCK)
    gibbs.sum_words(documents, table, prior, sums)
    g, g_sums = gibbs.smoothing(norm, state.eta, state.alpha, log)
    terms = gibbs.Terms(times, prior, sums, g, g_sums, state.alpha)
    learns = config.learn != "nothing"
    rises = gibbs.Rises(np.zeros((gibbs.CHUNKS, K + 1 if learns else 0)), _grain(config, state))
    plan = gibbs.Plan(anew, config.burn_in, config.samples, config.draws)
    sampled = gibbs.sample(documents, table, terms, plan, draws, changed, rises)
    if learns:
        state.rises += rises.sums.sum(axis=0)
    return sampled


def _grain(config: Resolved, state: State) -> float:
    """What all that `state.rises` is a sum of is rounded to a multiple of, so that it is exact in
    any order: the least power of two with which it is, as psi(alpha + n) - psi(alpha) <= 1 / alpha
    + 1 + log n."""
    documents = config.interval * max(config.minibatch, config.minibatch_after)
    return 2.0 ** (
        ceil(log2(documents * (1.0 / state.alpha.min() + 1.0 + log(MOST_DOCUMENT_TOKENS)))) - 51
    )


def _apply(state: State, changed: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> None:
    """Let the table and totals follow what was sampled in this step."""
    counts.apply(changed, begins, ends, state.table, state.totals, numba.get_num_threads())


def _add_counts(state: State, other: together.Counts) -> None:
    counts.add(*other, state.table, state.totals)


def _add(
    config: Resolved,
    state: State,
    batch: Batch,
    new: np.ndarray,
    old: np.ndarray,
    unit: float,
    drop_below: float,
) -> None:
    """Put a batch's samples into lambda, `unit` for each in the arena's scale, and take its old
    ones out."""
    by_word = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    merged_rows = rows.merge(
        batch.words,
        *by_word,
        batch.token_ptr,
        new,
        old,
        unit,
        drop_below,
        state.arena,
        state.totals,
    )
    arena.put(state, batch.words, *merged_rows)


def _learn(config: Resolved, state: State) -> None:
    """One fixed-point step (Minka 2000, eq. 55) for alpha, from the documents since the last step,
    and for eta.

    Empirical Bayes as in paper 002, section 2.4, and 004, section 2.3, whose Newton steps have the
    same fixed point.
    """
    if state.rises[-1] > 0.0:
        state.alpha = np.maximum(state.alpha * state.rises[:-1] / state.rises[-1], LEAST_ALPHA)
    state.rises[:] = 0.0
    if config.learn == "both":
        state.refresh()
        state.eta = rows.better_eta(state.arena, state.pi, state.totals, state.eta)


def topics(config: Resolved, state: State) -> Topics:
    """E[beta], see arena.topics: of the mean of states where there is one. Of seeds it has their
    prior; shares are of what was learned alone."""
    state.refresh()
    if not state.means:
        return _of_texts(state, arena.topics(state, state.pi, state.eta), state.pi * state.totals)
    shown_rows = averaging.averaged_rows(
        state, state.pi, state.t, config.averaged, np.arange(len(state.start))
    )
    learned = arena.topics(shown_rows, 1.0, state.eta, listed=averaging.LISTED_OF_MEAN)
    return _of_texts(state, learned, shown_rows.totals)


def _of_texts(state: State, learned: Topics, totals: np.ndarray) -> Topics:
    """The topics with shares of the texts' own tokens. totals: float64[K], with the seeds'
    prior."""
    if not len(state.seed_words) and not len(state.empty):
        return learned
    prior = np.bincount(state.seed_topics, state.seed_tokens, len(totals))
    tokens = np.maximum(totals - prior, 0.0)
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
    log = config.expectation == "log"
    words = batch.words
    unit = state.pi
    shown_rows: arena.Rows = state
    if state.means:
        shown_rows = averaging.averaged_rows(state, state.pi, state.t, config.averaged, words)
        words = np.arange(len(words))
        unit = 1.0
    norm = gibbs.normalisers(unit * shown_rows.totals, len(state.start), state.eta, log)
    beta = fold.rows(words, shown_rows.arena, unit, state.eta, norm, state.alpha, log)
    return Theta(
        first,
        *fold.mixtures(batch.doc_ptr, batch.places, np.diff(batch.token_ptr), *beta, state.alpha),
    )


priors = as_learned


continued = fewer_passes_warm


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were found and with which priors and sweeps. A run of an older version may lack
    the settings of today."""
    citations = ["blei2003latent", "mimno2012sparse"]
    step_size = (
        f"with a step size of (τ₀ + t)^−κ, κ = {settings.get('kappa')} and τ₀ ="
        f" {settings.get('tau0')}"
    )
    if settings.get("statistics") == "memo":
        citations.append("hughes2016fast")
        how = (
            "with statistics that are remembered for each document and replaced when it is visited"
            " again (compare Hughes and Sudderth 2016)"
        )
        first = min(settings.get("warm_up", 0), settings["passes"])
        if settings.get("start") in FROM_DOCUMENTS and first:
            citations.append("than2015dual")
            how += (
                f". {FROM_DOCUMENTS[settings['start']]}; {first_passes(first)}"
                " used online maximum a posteriori estimation (OPE; Than and Doan 2015), from"
                " which the topic of each word was drawn"
            )
        elif first:
            how += f"; in {first_passes(first)} counts faded instead, {step_size}"
    else:
        how = step_size
    learned = {
        "alpha": "; α was learned for each topic (Minka 2000)",
        "both": "; α for each topic and η were learned (Minka 2000)",
    }.get(settings.get("learn", ""), "")
    if learned:
        citations.append("minka2000estimating")
    topics = number_of(settings["topics"], "topic")
    sweeps = number_of(settings["burn_in"], "sweep")
    samples = number_of(settings["samples"], "saved sweep")
    draws = number_of(settings["draws"], "topic")
    model = (
        "We trained a latent Dirichlet allocation model (Blei, Ng and Jordan 2003) with"
        f" {topics} by sparse stochastic inference (Mimno, Hoffman and Blei 2012), {how}."
    )
    if settings.get("expectation") == "mean":
        model += " Words were weighted by E[β] instead of exp E[log β]."
    priors = (
        f"The priors were α = {settings['alpha']:g} for each topic of a document and η ="
        f" {settings['eta']:g} for each word of a topic{learned}."
    )
    visits = (
        f"In each visit of a document there were {sweeps} before any was counted, {samples} and"
        f" {draws} drawn for a word in each of them."
    )
    return Methods(f"{model} {priors} {visits}{_ends(settings)}", tuple(citations))


def _ends(settings: Mapping[str, Any]) -> str:
    """Sentences that say of which states the topics are a mean, and when training ends; "" for
    settings that know neither."""
    if settings.get("statistics") != "memo":
        return ""
    mean = (
        " The topics are a running mean of their states at the ends of passes, over about the last"
        f" {number_of(settings['averaged'], 'pass')}, from the {AVERAGED_FROM}th on."
        if settings.get("averaged", 1) > 1
        else ""
    )
    if settings.get("until") != "settled":
        return mean
    return (
        mean + f" Training was set to end when held-out document completion, measured every {LOOKS}"
        f" passes, had risen by less than {SETTLED:g} nats a token and pass within {2 * LOOKS}"
        f" passes, or after {number_of(settings['passes'], 'pass')}."
    )


def warm_up() -> list[Config]:
    """The usual settings; then both kinds of statistics, with large steps, so that pi is reset and
    `compact` is among the kernels."""
    return [
        Config(topics=2, minibatch=10, passes=AVERAGED_FROM + 1, start="documents"),
        Config(topics=2, minibatch=10, passes=20, kappa=0.51, tau0=1.0, statistics="decay"),
        Config(topics=2, minibatch=10, passes=3, learn="both", interval=2, draws=2000),
        Config(topics=2, minibatch=10, passes=1, start="joined"),
    ]


def expected_passes(config: Resolved) -> int:
    """How many passes a training usually makes."""
    return min(config.passes, USUAL_PASSES) if config.until == "settled" else config.passes


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs what the entries of its word and document cost, which grow slowly with K; and
    more in the first passes. Where statistics fade, a document is new at each visit."""
    passes = expected_passes(config)
    memo = config.statistics == "memo"
    warm_up = min(config.warm_up, passes) if memo else 0
    new = min(passes - warm_up, 1) if memo else passes
    sweeps = warm_up * WARM_SWEEP + new * FIRST_SWEEP + (passes - warm_up - new) * SWEEP
    times_as_many = max(config.topics, SWEEP_TOPICS) / SWEEP_TOPICS
    return tokens * sweeps * times_as_many**SWEEP_POWER


def times_as_fast(cores: int) -> float:
    """A training by so many cores, compared with one (Amdahl)."""
    return 1.0 / (SERIAL + (1.0 - SERIAL) / max(cores, 1))


def remembered(config: Resolved, shape: Shape) -> int:
    """A uint16 for each topic that a token last had."""
    return 2 * config.samples * config.draws * shape.tokens if config.statistics == "memo" else 0


def memory(config: Resolved, shape: Shape) -> int:
    """Rows of 8 bytes an entry, in an arena that may be half empty and is copied when it is
    compacted; the table of all words, or of a minibatch; what a step changes.

    How many entries a word has is a rule fitted by hand to Reuters-21578 (K = 100, 1000, 2000) and
    the example (K = 50).
    """
    entries = arena.usual_entries(ENTRIES, config.topics, shape)
    if config.statistics == "decay" or config.warm_up:
        entries *= ENTRIES_FADING
    in_rows = shape.V * min(config.topics, entries)
    step_tokens = -(-shape.tokens // (shape.later or shape.per_pass))
    if config.statistics == "memo" and _table_fits(config, shape.V):
        table = _table_bytes(config, shape)
        # Draws that changed are listed as uint64, and sorted into another list
        table += 2 * DOUBLE * min(step_tokens, shape.tokens) * config.samples * config.draws
    else:
        table = SINGLE * min(shape.V, step_tokens) * config.topics  # distinct words of a minibatch
    if config.statistics == "memo" and config.warm_up and config.start != "sampling":
        of_chunks = OPE_ARRAYS * frank_wolfe.CHUNKS * config.topics
        table += SINGLE * (of_chunks + frank_wolfe.BLOCK)
    has_mean = config.averaged > 1 and config.passes >= AVERAGED_FROM
    copies = COPIES_WITH_MEAN if has_mean else COPIES
    arrays = copies * max(in_rows, arena.FIRST_ENTRIES)
    arrays += ARRAYS_OF_WORDS * shape.V + ARRAYS_OF_TOPICS * config.topics
    return int(max(DOUBLE * arrays + table, _start_bytes(config, shape)))


def _start_bytes(config: Resolved, shape: Shape) -> int:
    """Bytes of a start by more topics that are joined, before there is a table: their rows with
    copies of them, and what each pair of topics loses."""
    if config.start != "joined":
        return 0
    topics = from_documents.JOINED * config.topics
    entries = ENTRIES_FADING * arena.usual_entries(ENTRIES, topics, shape)
    in_rows = shape.V * min(topics, entries)
    return int(DOUBLE * (COPIES_WITH_MEAN * in_rows + topics**2))


def _table_bytes(config: Resolved, shape: Shape) -> int:
    """At the most, where frequent words come first: as `_open_table` makes it, and a float32 for
    the sum of each block of counts."""
    M = config.samples * config.draws
    small = MOST_FREQUENT * shape.tokens * M < NARROW
    limit, wide, narrow = (TINY, np.uint16, np.uint8) if small else (NARROW, np.int32, np.uint16)
    frequent = min(shape.V, shape.tokens * M // limit)
    row = gibbs.padded(config.topics)
    wide_bytes = np.dtype(wide).itemsize * frequent * row
    narrow_bytes = np.dtype(narrow).itemsize * (shape.V - frequent) * row
    return wide_bytes + narrow_bytes + SINGLE * shape.V * (row // gibbs.BLOCK)
