"""Stochastic variational inference for LDA: Hoffman, Blei, Wang and Paisley (2013), section 3.2
with minibatches; and with it streaming variational Bayes (Broderick et al. 2013) and adaptive step
sizes (Ranganath et al. 2013).

What the papers leave open, and every deviation from them, is in docs/engines/svi.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import defaults, dense, variational
from inference.engines.contract import About, Methods, TrainingCorpus
from inference.engines.lda_sentences import trained_lda
from inference.engines.priors import as_learned
from inference.engines.settings import resolved, setting, tau0_setting
from inference.engines.step_sizes import rho
from inference.errors import Invalid
from inference.kernels import vb
from inference.kernels.minibatch import MinibatchByWord
from inference.references import entries

NAME = "svi"
ABOUT = About(
    label="Stochastic variational Bayes",
    help=(
        "LDA by variational Bayes with small steps, for large corpora that are read once or a few"
        " times."
    ),
    source="Hoffman, Blei, Wang and Paisley 2013",
    papers=entries("hoffman2013stochastic", "broderick2013streaming", "ranganath2013adaptive"),
)

# What is gone through, over all passes, where the number of passes is not given
SWEPT_TOKENS = 200_000_000
DELAY = 2  # passes that such a run counts as done: its steps are small from the first
# An adaptive step size is estimated from so many minibatches before the first step
AVERAGED_MINIBATCHES = 20
LARGEST_STEP = 0.5  # of adaptive ones: a single minibatch never outweighs all before it
PASS_SECONDS = 0.55  # see variational.seconds_of_passes
ARRAYS_OF_ADAPTIVE_RATE = 3  # of V x K: the mean step, a step, and room to compute it


@dataclass(frozen=True)
class Config(variational.Config):
    """Settings of a run."""

    kappa: float = setting(
        "Forgetting",
        "κ",
        "How fast the step size falls; it must be above 0.5 for topics to settle, and 0 keeps it"
        " at 1.",
        0.7,
        least=0,
        most=1,
    )
    tau0: float = tau0_setting(10.0)
    statistics: str = setting(
        "Counts of a document",
        "",
        "decay: counts of earlier minibatches fade; stream: all counts are kept and "
        "added up, in one pass, as for documents that arrive one after another.",
        "decay",
        choices={"decay": "fading", "stream": "added up"},
    )
    rate: str = setting(
        "Step size",
        "ρ",
        "schedule: (τ₀ + t)^−κ; adaptive: estimated from how much the minibatches agree.",
        "schedule",
        choices={"schedule": "falling", "adaptive": "estimated"},
    )
    expectation: str = variational.expectation_setting("mean")
    interval: int = setting(
        "Learning interval",
        "",
        "Minibatches between two updates of the learned priors.",
        10,
        least=1,
    )
    truncate: float = variational.truncate_setting(0.1)
    remember: int = setting(
        "Remembered topics",
        "",
        "How many of a document's topics are remembered for its next visit, which then "
        "takes fewer iterations; with 0 each visit begins again.",
        16,
        least=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statistics == "stream" and self.passes not in (None, 1):
            raise Invalid(
                "passes",
                "passes must be 1 with statistics “stream”, which would count documents twice; got"
                f" {self.passes}.",
            )
        if self.statistics == "stream" and self.rate == "adaptive":
            raise Invalid(
                "rate", "rate must be “schedule” with statistics “stream”, which has no step size."
            )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open; docs/engines/svi.md says why."""
        return resolved(
            self,
            Resolved,
            passes=(
                1
                if self.statistics == "stream"
                else defaults.passes_within(SWEPT_TOKENS, tokens, least=1, most=20)
            ),
            alpha=defaults.alpha(self.topics),
            eta=variational.usual_eta(self.expectation, self.topics),
            minibatch=defaults.minibatch(documents),
        )


@dataclass(frozen=True, kw_only=True)
class Resolved(variational.Resolved, Config):
    """Settings of which none is open."""


@dataclass(kw_only=True)
class State(variational.State):
    """variational.State; delay: steps that count as done before the first. noise: float32[V, K], of
    which a share that falls to 0 over the pass is added to lambda where statistics are streamed,
    and its sums; mean_step: float32[V, K], mean_square and window: of the adaptive step size.
    Arrays without rows where the settings don't need them. has_log_theta: whether log_theta is the
    mean of documents, and not yet the zeros that it begins with."""

    delay: int
    noise: np.ndarray
    noise_totals: np.ndarray
    mean_step: np.ndarray
    mean_square: float
    window: float
    has_log_theta: bool = False

    def __post_init__(self) -> None:
        """Older checkpoints have no has_log_theta: their mean of two topics or more is never 0."""
        self.has_log_theta = self.has_log_theta or bool(self.log_theta.any())


def init(
    config: Resolved,
    corpus: TrainingCorpus,
    seed: int,
    scratch: Path | None = None,
    random: bool = True,
) -> State:
    """lambda - eta is random, or 0."""
    V = corpus.V
    K = config.topics
    streams = config.statistics == "stream"
    adapts = config.rate == "adaptive"
    fields = variational.beginning(config, corpus, seed, scratch, config.remember, random)
    noise = np.zeros((0, K), np.float32)
    noise_totals = np.zeros(K)
    if streams:
        noise = fields["values"]
        noise_totals = fields["totals"]
        fields |= {"values": np.zeros((V, K), np.float32), "totals": np.zeros(K)}
    return State(
        **fields,
        delay=0,
        noise=noise,
        noise_totals=noise_totals,
        mean_step=np.zeros((V if adapts else 0, K), np.float32),
        mean_square=0.0,
        window=0.0,
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
    """A state before the first step in which each token has a topic already. Steps are as small as
    after DELAY passes, so that the topics are not forgotten at once. Raises Invalid for statistics
    that are streamed: they would count twice.
    """
    if config.statistics == "stream":
        raise Invalid(
            "statistics",
            "statistics must be “decay” where a training continues from topics, got “stream”.",
        )
    state = init(config, corpus, seed, scratch, random=False)
    state.delay = DELAY * corpus.steps_per_pass
    variational.assign(state, bow, topics, held_out)
    return state


def step(
    config: Resolved, state: State, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
) -> None:
    """One minibatch: fit its documents, and move lambda towards eta + D / S times what they gave
    (002, eqs. 31 to 33).

    documents: int64[S]; where all of them are held out nothing changes.
    """
    state.t += 1
    if not len(documents):
        return
    batch = dense.batch_of(bow, documents)
    streams = len(state.noise) > 0
    if not state.begun:
        start = (state.noise, state.noise_totals) if streams else (state.values, state.totals)
        variational.start_from_documents(state, batch, *start)
    local = (
        _streamed(config, state, batch, documents, corpus)
        if streams
        else variational.local(config, state, batch, documents)
    )
    if state.gamma.shape[1]:
        vb.remember(documents, local.gamma, state.gamma, state.strongest)
    state.tokens += batch.tokens
    scale = corpus.trained_documents / len(documents)
    if config.statistics == "stream":
        size = 1.0 / state.t
        variational.add(batch, local, 1.0, state.values, state.totals)
    elif config.rate == "adaptive":
        size = _adapt(state, batch, local, scale)
    else:
        size = rho(config, state.t + state.delay)
        _fade(state, batch, local, size, scale)
    if config.learns_priors:
        _learn(config, state, batch, local, min(size, 1.0), corpus)


def _streamed(
    config: Resolved,
    state: State,
    batch: MinibatchByWord,
    documents: np.ndarray,
    corpus: TrainingCorpus,
) -> variational.LocalStep:
    """The local step with the rest of the random start added to the statistics."""
    share = np.float32(max(0.0, 1.0 - (state.t - 1) / corpus.steps_per_pass))
    streamed_rows = state.values[batch.words]
    totals = state.totals
    state.values[batch.words] += share * state.noise[batch.words]
    state.totals = totals + float(share) * state.noise_totals
    local = variational.local(config, state, batch, documents)
    state.values[batch.words] = streamed_rows
    state.totals = totals
    return local


def _fade(
    state: State, batch: MinibatchByWord, local: variational.LocalStep, size: float, scale: float
) -> None:
    """lambda <- (1 - rho) lambda + rho (eta + D / S sum of n phi), by the scale pi of all that is
    stored."""
    size = state.fade(size)
    variational.add(batch, local, size * scale / state.pi, state.values, state.totals)
    state.rescale()


def _adapt(
    state: State, batch: MinibatchByWord, local: variational.LocalStep, scale: float
) -> float:
    """A step whose size is expected to bring lambda nearest to its goal; finding it costs V x K.
    Returns the size.

    The first AVERAGED_MINIBATCHES minibatches are only looked at.
    """
    target = np.zeros_like(state.values)
    totals = np.zeros_like(state.totals)
    variational.add(batch, local, scale, target, totals)
    looked_at = state.window < AVERAGED_MINIBATCHES
    window = state.window + 1.0 if looked_at else max(state.window, 1.0)
    square, of_mean = vb.adapt(state.values, target, state.mean_step, 1.0 / window)
    state.mean_square += (square - state.mean_square) / window
    if looked_at:
        state.window = window
        return 0.0
    size = min(LARGEST_STEP, of_mean / state.mean_square) if state.mean_square > 0.0 else 0.0
    # The window may grow beyond AVERAGED_MINIBATCHES, and never falls below it: or it would be
    # averaged from the start again
    state.window = max(window * (1.0 - size) + 1.0, float(AVERAGED_MINIBATCHES))
    state.values += np.float32(size) * (target - state.values)
    state.totals += size * (totals - state.totals)
    return size


def _learn(
    config: Resolved,
    state: State,
    batch: MinibatchByWord,
    local: variational.LocalStep,
    size: float,
    corpus: TrainingCorpus,
) -> None:
    """A running mean of E[log theta], as lambda is one; each `interval` steps Newton's method under
    it."""
    with_words = int((batch.lengths > 0).sum())
    if with_words:
        mean = vb.log_theta(batch.doc_ptr, local.gamma) / with_words
        if state.has_log_theta:
            state.log_theta = (1.0 - size) * state.log_theta + size * mean
        else:
            state.log_theta = mean
            state.has_log_theta = True
    if state.t % config.interval == 0 and state.has_log_theta:
        length = corpus.trained_tokens / corpus.trained_documents
        variational.learn(config, state, state.log_theta, length, variational.NEWTON)


topics = variational.topics
fold_in = variational.fold_in
priors = as_learned
bound = variational.bound


def continued(settings: Mapping[str, Any]) -> dict[str, Any]:
    """With fewer passes, and statistics that fade."""
    return {**defaults.fewer_passes(settings, 1), "statistics": "decay"}


def methods(settings: Mapping[str, Any]) -> Methods:
    """How topics were found, by which steps and with which priors."""
    citations = ["blei2003latent", "hoffman2013stochastic"]
    if settings.get("statistics") == "stream":
        citations.append("broderick2013streaming")
        how = "streaming variational Bayes (Broderick et al. 2013), in one pass"
    else:
        how = "stochastic variational inference (Hoffman, Blei, Wang and Paisley 2013)"
    if settings.get("rate") == "adaptive":
        citations.append("ranganath2013adaptive")
        steps = ", with an adaptive step size (Ranganath et al. 2013)"
    elif settings.get("statistics") == "stream":
        steps = ""
    else:
        steps = (
            f", with a step size of (τ₀ + t)^−κ, κ = {settings.get('kappa', 0):g} and τ₀ ="
            f" {settings.get('tau0', 0):g}"
        )
    weights = ", with E[β] instead of exp E[log β]" if settings.get("expectation") == "mean" else ""
    sentence, prior_citations = variational.prior_sentence(settings)
    return Methods(
        f"{trained_lda(settings)} by {how}{steps}{weights}. {sentence}",
        (*citations, *prior_citations),
    )


def compiling_configs() -> list[Config]:
    """The usual settings; then large steps, so that pi is reset, with learned priors; an adaptive
    step size."""
    return [
        Config(topics=2, minibatch=10, passes=3),
        Config(topics=2, minibatch=10, passes=8, kappa=0.0, tau0=1.0, learn="both", interval=2),
        Config(topics=2, minibatch=10, passes=20, kappa=0.51, tau0=1.0),
        Config(topics=2, minibatch=1, passes=2, rate="adaptive"),
        Config(topics=2, minibatch=10, statistics="stream"),
    ]


def seconds(config: Resolved, tokens: int) -> float:
    """A word costs its iterations times the topics, a minibatch's words an exp-digamma for each
    topic."""
    return variational.seconds_of_passes(tokens, config.passes, config.topics, PASS_SECONDS)


def remembered_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Bytes of the largest gamma of each document, by variational.remembered_bytes."""
    return variational.remembered_bytes(config, corpus, config.remember)


def memory_bytes(config: Resolved, corpus: TrainingCorpus) -> int:
    """Arrays of V x K: the topics, and more with options."""
    arrays = 1
    if config.rate == "adaptive":
        arrays += ARRAYS_OF_ADAPTIVE_RATE
    if config.statistics == "stream":
        arrays += 1  # the random start, which fades
    return variational.memory_bytes(config, corpus, arrays)
