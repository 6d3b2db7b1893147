"""LDA by Frank-Wolfe inference (Than and Ho 2015, paper 001) or online maximum a posteriori
estimation, OPE (Than and Doan 2015), with three ways to learn from it.

What the papers leave open, and every deviation from them, is in docs/engines/fw.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference.bow import Bow, ranges
from inference.engines import arena, defaults
from inference.engines.batch import expand, is_trained, keys as streams
from inference.engines.contract import About, Methods, TrainingCorpus
from inference.engines.lda_sentences import trained_lda
from inference.engines.priors import as_set
from inference.engines.settings import (
    ResolvedPriors,
    Settings,
    eta_setting,
    kappa_setting,
    minibatch_setting,
    prior_setting,
    resolved,
    setting,
    tau0_setting,
)
from inference.engines.step_sizes import PI_LEAST, STEP_WHOLE, rho
from inference.errors import Invalid, number_of
from inference.kernels import frank_wolfe, rng, rows
from inference.kernels.chunks import CHUNKS
from inference.kernels.minibatch import Minibatch
from inference.references import entries
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.memory import DOUBLE, SINGLE
from inference.topics import LISTED_TOKENS, Theta, Topics

NAME = "fw"
ABOUT = About(
    label="Frank-Wolfe and OPE",
    help=(
        "LDA with a few topics in each document, found by steps towards one topic each. As quick as"
        " the default, and a little behind it."
    ),
    source="Than and Ho 2015",
    papers=entries("than2015inference", "than2015dual"),
)

KINDS = {"ope": frank_wolfe.OPE, "fw": frank_wolfe.FW, "fw_pairwise": frank_wolfe.PAIRWISE}
STEPS = {
    "safe": frank_wolfe.SAFE,
    "fixed": frank_wolfe.FIXED,
    "line_search": frank_wolfe.LINE_SEARCH,
}
AUTOMATIC = frank_wolfe.AUTOMATIC
SPARSE = frank_wolfe.SPARSE
DENSE = frank_wolfe.DENSE

# Of settings that are left open (docs/engines/fw.md). Minibatches of a pass with up to FEW_TOPICS
# topics; with more there are fewer minibatches, by this power
FEW_TOPICS = 100
MINIBATCHES_OF_FEW_TOPICS = 32.0
MINIBATCHES_POWER = -0.3
LEAST_MINIBATCH = 20
MOST_MINIBATCH = 5000
PASSES = 3
ETA_SCALE = 0.1
FLOOR = 1e-9  # times 1 / V: the least beta of a word, where there is no prior (learn = ml)
# Fitted to process CPU times of Reuters-21578 at K = 100, 300, 1000, 2000 on a busy machine, halved
# for an idle one: seconds a token and pass at 100 topics; more topics cost as this power of them.
# Entries of a word's row there, likewise.
SECONDS = 0.2e-6
SECONDS_POWER = 0.33
SECONDS_OF_ROWS = 0.3  # of these, what reading rows takes; the rest goes with the iterations
SECONDS_ITERATIONS = 20  # with which they were measured, the default
SLOWER_THAN_OPE = 3.0  # times as long by Frank-Wolfe
ENTRIES = 60
ENTRIES_POWER = 0.3
# Of `memory_bytes`, in bytes: of a pair, and of an entry of a word's row, which so many pairs
# share; of a gathered entry; of a topic in each chunk. Rows may be half empty and are copied when
# rewritten
PAIR_BYTES = 24
WORDS_OF_ROW = 8
GATHERED_BYTES = 6
TOPIC_BYTES = 40
COPIES = 4
ARRAYS_OF_WORDS = 6
ARRAYS_OF_TOPICS = 12
TOLERANCE = 0.01  # nats a token: the duality gap at which fw_pairwise ends


@dataclass(frozen=True)
class Config(Settings):
    """Settings of a run."""

    inference: str = setting(
        "Inference",
        "",
        "How a document's topics are found. ope: the most probable under the prior, with very few"
        " topics; fw: the most probable, adding one topic in each step; fw_pairwise: the same,"
        " until at most a hundredth of a nat a word can be gained.",
        "ope",
        choices={
            "ope": "few topics each",
            "fw": "one topic a step",
            "fw_pairwise": "one topic a step, to the end",
        },
    )
    step: str = setting(
        "Step",
        "",
        "How far a step of fw goes. safe: never so far that the document becomes less probable;"
        " fixed: 2/(l+2), l from 1 on, as in the paper; line_search: to the best point.",
        "safe",
        choices={
            "safe": "never too far",
            "fixed": "as in the paper",
            "line_search": "to the best point",
        },
    )
    learn: str = setting(
        "Learning",
        "",
        "online: counts of earlier documents fade; streaming: they add up, for a corpus that is"
        " read once; ml: topics are estimated without a prior.",
        "online",
        choices={
            "online": "earlier documents fade",
            "streaming": "all documents add up",
            "ml": "without a prior",
        },
    )
    iterations: int = setting(
        "Iterations",
        "L",
        "Iterations for a document: more of them allow more topics. The first of ope is its start,"
        " so that ope makes a step fewer.",
        20,
        least=1,
        most=100_000,
    )
    alpha: float | None = prior_setting(
        "Document smoothing",
        "α",
        "Prior of each topic in a document: the smaller, the fewer topics it has.",
        least=1e-9,
        most=1,
    )
    eta: float | None = eta_setting(1e-9)
    start: str = setting(
        "Start",
        "",
        "seed: each topic starts as the words of a random document; random: as random weights.",
        "seed",
        choices={"seed": "one document each", "random": "at random"},
    )
    minibatch: int | None = minibatch_setting("S")
    kappa: float = kappa_setting(0.7)
    tau0: float = tau0_setting(1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inference == "fw_pairwise" and self.step == "fixed":
            raise Invalid(
                "step",
                "step must be safe or line_search where inference is fw_pairwise, got 'fixed'.",
            )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/fw.md has the evidence."""
        parts = (
            MINIBATCHES_OF_FEW_TOPICS
            * (max(FEW_TOPICS, self.topics) / FEW_TOPICS) ** MINIBATCHES_POWER
        )
        part = round(documents / parts)
        return resolved(
            self,
            Resolved,
            passes=1 if self.learn == "streaming" else PASSES,
            alpha=max(1e-9, round(1.0 / self.topics, 6)),
            eta=round(ETA_SCALE * self.topics**defaults.ETA_POWER, 5),
            minibatch=min(MOST_MINIBATCH, max(LEAST_MINIBATCH, part)),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(arena.Rows):
    """All there is to checkpoint. `step` changes it in place.

    behind: steps that count as done before the first, where a run begins with given topics. begun:
    whether topics have their start. pi: float64[K], scale of the rows, which hold (lambda - eta) /
    pi, or (beta - floor) / pi where learn is ml. eta: what lambda is without its rows; `streaming`
    adds to it with each minibatch. leftover: float64[K], where learn is ml: beta of words without
    an entry, over pi; held: float64[K], where learn is ml: tokens of each topic.
    """

    behind: int
    begun: bool
    pi: np.ndarray
    eta: float
    leftover: np.ndarray
    held: np.ndarray


def init(config: Resolved, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> State:
    """No row has an entry where topics start as documents, which the first step sees to; else all
    rows are full."""
    V = corpus.V
    K = config.topics
    state = State(
        seed=seed,
        behind=0,
        begun=config.start == "random",
        pi=np.ones(K),
        **arena.empty(V, K),
        eta=config.eta,
        leftover=np.full(K, 1.0 / V),
        held=np.zeros(K),
    )
    if config.start == "random":
        all_topics = np.tile(np.arange(K, dtype=np.int32), V)
        values = frank_wolfe.uniform(np.uint64(seed), V, K)
        arena.put_all(state, np.arange(V + 1, dtype=np.int64) * K, all_topics, values)
        set_totals(config, state)
    return state


def begin(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    bow: Bow,
    topics: np.ndarray,
    held_out: np.ndarray,
    scratch: Path | None = None,
) -> State:
    """A state before the first step in which each pair has a topic already: lambda - eta is their
    sum, and the step sizes are those after a pass.

    topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained on,
    and give nothing.
    """
    state = init(replace(config, start="seed"), corpus, seed, scratch)
    pairs = np.repeat(is_trained(bow.D, held_out), np.diff(bow.indptr))
    arena.fill(state, np.asarray(bow.words)[pairs], topics[pairs], np.asarray(bow.counts)[pairs])
    set_totals(config, state)
    state.behind = corpus.steps_per_pass
    return state


def seed_topics(config: Resolved, state: State, bow: Bow, corpus: TrainingCorpus) -> None:
    """Begin a state without topics: lambda = eta + the words of a document for each topic."""
    key = rng.key(np.uint64(state.seed), np.uint64(rng.FW), np.uint64(0), np.uint64(0))
    arena.from_documents(state, bow, arena.candidates(bow, corpus, key)[: config.topics])
    set_totals(config, state)


def set_totals(config: Resolved, state: State) -> None:
    """Give the state the totals of its rows, as they are; where learn is ml, topics that sum to 1.
    From then on it has begun."""
    V = state.V
    K = config.topics
    state.totals = rows.sum_topics(state.arena, K)
    if config.learn == "ml":
        state.held = state.totals.copy()
        mass = V * config.eta + state.totals
        state.leftover = config.eta / mass
        state.arena_values = _scaled(state, 1.0 / mass)
        state.totals /= mass
    state.begun = True


class FlooredBeta(NamedTuple):
    """beta as floors and what rows add to them: beta_kw = base_k / mass_k + factor_k value. base,
    mass, factor: float64[K]; floor: float32[K], base / mass."""

    base: np.ndarray
    mass: np.ndarray
    factor: np.ndarray
    floor: np.ndarray


def weights_of(config: Resolved, state: State) -> FlooredBeta:
    """E[beta] = lambda / sum lambda; where learn is ml, beta itself."""
    V = state.V
    K = config.topics
    base = (
        np.maximum(state.pi * state.leftover, FLOOR / V)
        if config.learn == "ml"
        else np.full(K, state.eta)
    )
    mass = V * base + np.maximum(state.pi * state.totals, 0.0)
    return FlooredBeta(
        base,
        mass,
        state.pi / mass,
        np.maximum(base / mass, frank_wolfe.LEAST_FLOOR).astype(np.float32),
    )


class InferredTheta(NamedTuple):
    """What `frank_wolfe.infer` fills."""

    theta: frank_wolfe.MinibatchTheta
    factors: np.ndarray
    values: np.ndarray
    gaps: np.ndarray


def gather_rows(
    config: Resolved, state: State, words: np.ndarray, weights: FlooredBeta
) -> frank_wolfe.MinibatchRows:
    """`frank_wolfe.gather` of some words. words: int64[n], distinct."""
    return frank_wolfe.gather(
        words, state.arena, weights.factor, weights.floor, config.inference != "ope"
    )


def infer_theta(
    config: Resolved,
    batch: Minibatch,
    gathered: frank_wolfe.MinibatchRows,
    weights: FlooredBeta,
    keys: np.ndarray,
    final: bool,
    form: int = AUTOMATIC,
) -> InferredTheta:
    """theta of a batch's documents. final: with all topics that hold half a token, by a step of EM,
    f and gaps."""
    n = len(batch.doc_ptr) - 1
    K = config.topics
    vertices = 1 + config.iterations * (
        frank_wolfe.ROUNDS if config.inference == "fw_pairwise" else 1
    )
    tokens = np.diff(batch.token_ptr[batch.doc_ptr])
    most_topics = np.full(n, vertices)
    if final:
        most_topics += (tokens / frank_wolfe.LEAST_LISTED_TOKENS).astype(np.int64)
    starts = offsets_of_parts(np.minimum(K, most_topics))
    method = frank_wolfe.Method(
        kind=KINDS[config.inference],
        step=STEPS[config.step],
        iterations=config.iterations,
        prior_weight=1.0 - config.alpha,
        tolerance=TOLERANCE,
        final=final,
        form=form,
    )
    inferred = InferredTheta(
        frank_wolfe.MinibatchTheta.empty(starts),
        np.empty(len(batch.places), np.float32),
        np.zeros(n),
        np.zeros(n),
    )
    frank_wolfe.infer(batch, gathered, weights.floor, method, keys, *inferred)
    return inferred


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch: theta of its documents under the topics as they are, then the topics move.

    documents: int64[n], numbers of the minibatch's documents; without any word among them nothing
    changes.
    """
    if not state.begun:
        seed_topics(config, state, bow, corpus)
    state.t += 1
    if not bow.words_of(documents).any():
        return
    weights = weights_of(config, state)
    batch = expand(bow, documents)
    gathered = gather_rows(config, state, batch.words, weights)
    inferred = infer_theta(
        config, batch, gathered, weights, streams(state.seed, rng.OPE, state.t, documents), False
    )
    state.tokens += int(batch.token_ptr[-1])
    _learn(
        config,
        state,
        batch,
        gathered,
        inferred,
        weights.floor,
        corpus.trained_documents / len(documents),
    )


def _learn(
    config: Resolved,
    state: State,
    batch: Minibatch,
    gathered: frank_wolfe.MinibatchRows,
    inferred: InferredTheta,
    floor: np.ndarray,
    scale: float,
) -> None:
    """Move the topics by what a minibatch gave: paper 001, eqs. 17-19 (online), 20-22 (streaming)
    and 23-24 (ml).

    scale: D / S, of a statistic of the minibatch to one of the corpus.
    """
    K = config.topics
    moves = np.ones(config.topics, bool)
    unit = np.full(config.topics, 1.0)
    drop_below = np.full(K, frank_wolfe.dropped(K))
    step_size = rho(config, state.t + state.behind)
    step_size = 1.0 if step_size >= STEP_WHOLE else step_size
    if config.learn == "ml":
        tokens_of_topics = _held(batch, inferred.theta, K)
        moves = tokens_of_topics > 0.0  # a topic that no document chose stays as it is
        unit = np.where(moves, step_size / np.where(moves, tokens_of_topics, 1.0), 0.0)
        state.held += np.where(moves, step_size * (scale * tokens_of_topics - state.held), 0.0)
        drop_below = np.where(
            moves, drop_below / np.maximum(state.held, 1.0), np.nextafter(0.0, 1.0)
        )
    elif config.learn == "online":
        unit = np.full(K, step_size * scale)
    else:
        state.eta += config.eta
    keep = np.ones(K)
    if config.learn != "streaming" and step_size == 1.0:
        keep[moves] = 0.0
        state.pi[moves] = 1.0
        state.leftover[moves] = 0.0
    elif config.learn != "streaming":
        state.pi[moves] *= 1.0 - step_size
    change = frank_wolfe.Change(
        floor=floor,
        unit=unit / state.pi,
        keep=keep,
        drop_below=drop_below / state.pi,
        credits=config.learn == "ml",
    )
    _add(state, batch, gathered, inferred, change)
    if state.pi.min() < PI_LEAST:
        state.arena_values = _scaled(state, state.pi)
        state.leftover *= state.pi
        state.pi = np.ones(K)
        arena.compact(state, 1.0, drop_below.min())
        state.totals = rows.sum_topics(state.arena, K)


def _held(batch: Minibatch, theta: frank_wolfe.MinibatchTheta, K: int) -> np.ndarray:
    """float64[K]: tokens of a batch's documents by their theta, what is spread evenly left out."""
    listed_places = places_of_topics(theta)
    weights = theta.weights[listed_places].astype(np.float64) * np.repeat(
        np.diff(batch.token_ptr[batch.doc_ptr]), theta.sizes
    )
    return np.bincount(theta.topics[listed_places], weights=weights, minlength=K)


def places_of_topics(theta: frank_wolfe.MinibatchTheta) -> np.ndarray:
    """int64[n]: where the topics of all documents are in `theta.topics`, document after
    document."""
    return ranges(theta.starts[:-1], theta.sizes)


def _scaled(state: State, by_topic: np.ndarray) -> np.ndarray:
    """The stored values, times a number by their topic: float32[A]."""
    with np.errstate(all="ignore"):  # between rows there may be anything
        return (state.arena_values * by_topic.take(state.arena_topics, mode="clip")).astype(
            np.float32
        )


def _add(
    state: State,
    batch: Minibatch,
    gathered: frank_wolfe.MinibatchRows,
    inferred: InferredTheta,
    change: frank_wolfe.Change,
) -> None:
    """Let a batch's statistics change the rows. change: of the arena's values."""
    keep = change.keep
    word_ptr, pairs, _ = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    documents = np.repeat(np.arange(len(batch.doc_ptr) - 1, dtype=np.int32), np.diff(batch.doc_ptr))
    by_word = frank_wolfe.PairsByWord(
        words=batch.words,
        word_ptr=word_ptr,
        pairs=pairs,
        documents=documents,
        tokens=np.diff(batch.token_ptr),
        factors=inferred.factors,
    )
    blended = frank_wolfe.blend(
        by_word, inferred.theta, gathered, change, state.arena, state.totals
    )
    if not keep.all():
        state.arena_values = _scaled(state, keep)
        arena.compact(state, 1.0, np.nextafter(0.0, 1.0))
    arena.put(state, batch.words, *blended)
    if not keep.all():  # words that are not in the batch lost entries, too
        state.totals = rows.sum_topics(state.arena, len(keep))


def topics(config: Resolved, state: State) -> Topics:
    """E[beta], words with less than LISTED_TOKENS in the floor."""
    V = state.V
    K = config.topics
    weights = weights_of(config, state)
    tokens_of_topics = state.held if config.learn == "ml" else np.ones(K)
    values = _scaled(state, state.pi * tokens_of_topics)
    indptr, words, tokens = rows.transpose(
        state.arena._replace(values=values), 1.0, LISTED_TOKENS, K
    )
    topic = np.repeat(np.arange(K), np.diff(indptr))
    beta = (weights.base[topic] + tokens / tokens_of_topics[topic]) / weights.mass[topic]
    rows.sort_rows(indptr, words, beta)
    beta = beta.astype(np.float32)
    of_topic = state.held if config.learn == "ml" else np.maximum(state.pi * state.totals, 0.0)
    return Topics.of_listed(indptr, words, beta, of_topic, V)


def fold_in(config: Resolved, state: State, bow: Bow, first: int, end: int) -> Theta:
    """theta of the documents first … end - 1: (alpha + n_k) / (K alpha + N), n_k the tokens that a
    step of EM expects of topic k after the engine's own inference, listed from half a token on."""
    documents = np.arange(first, end, dtype=np.int64)
    batch, (listed_theta, *_) = _final(config, state, bow, documents, weights_of(config, state))
    listed_places = places_of_topics(listed_theta)
    tokens = np.diff(batch.token_ptr[batch.doc_ptr])
    document = np.repeat(np.arange(len(documents)), listed_theta.sizes)
    theta = (config.alpha + listed_theta.weights[listed_places]) / (
        config.topics * config.alpha + tokens[document]
    )
    topics = listed_theta.topics[listed_places]
    order = np.lexsort((topics, -theta, document))
    indptr = offsets_of_parts(listed_theta.sizes)
    return Theta(first, indptr, topics[order], theta[order].astype(np.float32))


def _final(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, weights: FlooredBeta
) -> tuple[Minibatch, InferredTheta]:
    """theta under the topics as they are, without learning from it; random numbers depend on the
    document alone."""
    batch = expand(bow, documents)
    gathered = gather_rows(config, state, batch.words, weights)
    return batch, infer_theta(
        config, batch, gathered, weights, streams(state.seed, rng.OPE, 0, documents), True
    )


def bound(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, times: float = 1.0
) -> float:
    """The log likelihood of documents with words under the topics, each at the theta that is
    inferred for it: the sum of f(theta), paper 001, eq. 9."""
    return times * float(
        _final(config, state, bow, documents, weights_of(config, state))[1].values.sum()
    )


priors = as_set  # where inference is fw, theta has no prior: alpha then smooths what is shown


def continued(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a run that goes on, unchanged: step sizes continue as after a pass."""
    return dict(settings)


def methods(settings: Mapping[str, Any]) -> Methods:
    """How documents were inferred and topics learned, with the priors. A run of an older version
    may lack settings of today."""
    ope = settings.get("inference", "ope") == "ope"
    how = (
        "online maximum a posteriori estimation (OPE; Than and Doan 2015)"
        if ope
        else "Frank-Wolfe inference of the documents’ mixtures (Than and Ho 2015)"
    )
    learned = {
        "online": (
            f"online learning with a step size of (τ₀ + t)^−κ, κ = {settings.get('kappa')} and τ₀ ="
            f" {settings.get('tau0')}"
        ),
        "streaming": "streaming learning, in which the statistics of all documents add up",
        "ml": (
            "maximum likelihood estimation of the topics with a step size of (τ₀ + t)^−κ, κ ="
            f" {settings.get('kappa')} and τ₀ = {settings.get('tau0')}"
        ),
    }[settings.get("learn", "online")]
    prior = f"α = {settings['alpha']:g} for each topic of a document and " if ope else ""
    start = (
        "the words of a randomly chosen document"
        if settings.get("start", "seed") == "seed"
        else "random weights"
    )
    iterations = number_of(settings["iterations"], "iteration")
    model = (
        f"{trained_lda(settings)} by {how} and {learned} (Than and Ho 2015), with {iterations} for"
        " a document."
    )
    subject = "priors were" if ope else "prior was"
    begins = (
        f"Each topic began as {start}; the {subject} {prior}η = {settings['eta']:g} for each"
        " word of a topic."
    )
    cited: tuple[str, ...] = ("blei2003latent", "than2015inference")
    if ope:
        cited = ("blei2003latent", "than2015dual", "than2015inference")
    return Methods(f"{model} {begins}", cited)


def compiling_configs() -> list[Config]:
    """The usual settings; then the other ways to learn and to infer, with large steps, so that what
    has faded is rewritten."""
    return [
        Config(topics=2, minibatch=10, passes=3),
        Config(
            topics=2, minibatch=10, passes=2, inference="fw", learn="ml", start="random", tau0=0.0
        ),
    ]


def seconds(config: Resolved, tokens: int) -> float:
    """A token costs its share of the steps, and what the entries of its word's row do; see
    docs/engines/fw.md."""
    by_steps = (1.0 - SECONDS_OF_ROWS) * config.iterations / SECONDS_ITERATIONS
    by_topics = SECONDS * (config.topics / 100) ** SECONDS_POWER
    times = 1.0 if config.inference == "ope" else SLOWER_THAN_OPE
    return tokens * config.passes * by_topics * (SECONDS_OF_ROWS + by_steps) * times


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Rows of 8 bytes an entry, in an arena that may be half empty and is copied when it is
    rewritten; a minibatch's rows and pairs, and a block of topics for the longest document."""
    entries = (
        config.topics
        if config.start == "random"
        else min(config.topics, ENTRIES * (config.topics / 100) ** ENTRIES_POWER)
    )
    in_rows = corpus.V * entries
    of_pair = PAIR_BYTES + SINGLE * min(config.topics, entries) / WORDS_OF_ROW
    batch = 2 * corpus.tokens / corpus.steps_per_pass * of_pair
    workspace = CHUNKS * TOPIC_BYTES * config.topics + SINGLE * frank_wolfe.BLOCK
    stored = COPIES * DOUBLE * max(in_rows, arena.FIRST_ENTRIES)
    arrays = DOUBLE * (ARRAYS_OF_WORDS * corpus.V + ARRAYS_OF_TOPICS * config.topics)
    return int(stored + batch + GATHERED_BYTES * in_rows + workspace + arrays)
