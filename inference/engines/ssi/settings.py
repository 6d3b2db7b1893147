"""Settings of the engine, and the values of those that are left open.

docs/measurements/engines/ssi-experiments.md has the evidence for these values.
"""

from dataclasses import dataclass

from inference.engines import defaults, from_documents
from inference.engines.settings import (
    LearningPriors,
    ResolvedPriors,
    Settings,
    alpha_setting,
    eta_setting,
    kappa_setting,
    learn_setting,
    minibatch_setting,
    resolved,
    setting,
    tau0_setting,
)
from inference.errors import Invalid

MOST_DRAWS = 10_000  # samples times draws
# With memo, minibatches of a pass; the same with FEWEST_OF_MANY_TOPICS or more, which complete
# better with larger minibatches (docs/measurements/engines/ssi-experiments.md, "Minibatches")
MEMO_MINIBATCHES = 32
MEMO_MINIBATCHES_OF_MANY = 16
FEWEST_OF_MANY_TOPICS = 1000
# Documents of such a minibatch
LEAST_MINIBATCH = 20
MOST_PARTED_MINIBATCH = 2048
# In the warm-up of a large corpus, minibatches are larger than that: documents of one, at the most,
# and steps of a pass, at the least
MOST_WARM_MINIBATCH = 16_384
FEWEST_WARM_STEPS = 256
# The same after the warm-up
MOST_GROWN_MINIBATCH = 32_768
FEWEST_GROWN_STEPS = 64
# Of settings that are left open; of LOGARITHMS: where weights are exp E[log beta], as in the paper
LEAST_FROM_DOCUMENTS = 20  # topics: with fewer, documents chosen at random miss too many
LEAST_PASSES = 3
MOST_PASSES = 100  # topics have mostly settled before
WARM_UP_BY_OPE = 2  # passes
ETA_OF_MEMO = 0.2  # of the usual one: each token is counted in full
MINIBATCH = 256  # documents, with decay
MINIBATCH_OF_LOGARITHMS = 400
BURN_IN = 5  # sweeps
BURN_IN_OF_LOGARITHMS = 2
SAMPLES = 5  # sweeps
SAMPLES_OF_LOGARITHMS = 3
DRAWS = 2  # topics of a word in a sweep
AVERAGED_PASSES = 5
# What is gone through, over all passes, where the number of passes is not given
SWEPT_TOKENS = 600_000_000


@dataclass(frozen=True)
class Config(LearningPriors, Settings):
    """Settings of a run. Raises Invalid, naming the field, for what can't be."""

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
        most_topics = from_documents.MOST_JOINED_TOPICS // from_documents.JOINED_PER_TOPIC
        if self.start == "joined" and self.topics > most_topics:
            raise Invalid(
                "start",
                f"A start from joined topics is for {most_topics} topics at the most, got"
                f" {self.topics}.",
            )

    def resolve(self, documents: int, tokens: int) -> "Resolved":
        """With a value for all that was left open. documents, tokens: how many the corpus has.
        Raises Invalid for a start that these documents are too few for."""
        if self.start == "joined":
            from_documents.check_joined(self.topics, documents)
        memo = self.statistics == "memo"
        by_logarithm = self.expectation == "log"
        start = self.start or ("documents" if self.topics >= LEAST_FROM_DOCUMENTS else "sampling")
        passes = LEAST_PASSES
        minibatch = self.minibatch or (MINIBATCH_OF_LOGARITHMS if by_logarithm else MINIBATCH)
        minibatch_after = minibatch
        samples = SAMPLES_OF_LOGARITHMS if by_logarithm else SAMPLES
        eta = defaults.eta(self.topics)
        if memo:
            passes = defaults.passes_within(
                SWEPT_TOKENS, tokens, least=LEAST_PASSES, most=MOST_PASSES
            )
            minibatch = self.minibatch or self._parted(documents)
            minibatch_after = max(
                minibatch, min(MOST_GROWN_MINIBATCH, documents // FEWEST_GROWN_STEPS)
            )
            samples = 1
            eta = defaults.eta(self.topics, ETA_OF_MEMO)
        if by_logarithm:
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
            burn_in=BURN_IN_OF_LOGARITHMS if by_logarithm else BURN_IN,
            samples=samples,
            draws=1 if by_logarithm else DRAWS,
            averaged=AVERAGED_PASSES if memo else 1,
            until="settled" if memo else "passes",
        )

    def _parted(self, documents: int) -> int:
        """The minibatch of memo: a part of the documents."""
        parts = (
            MEMO_MINIBATCHES if self.topics < FEWEST_OF_MANY_TOPICS else MEMO_MINIBATCHES_OF_MANY
        )
        part = min(MOST_PARTED_MINIBATCH, max(LEAST_MINIBATCH, documents // parts))
        return max(part, min(MOST_WARM_MINIBATCH, documents // FEWEST_WARM_STEPS))


@dataclass(frozen=True, kw_only=True)
class Resolved(ResolvedPriors, Config):
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
    def remembers(self) -> bool:
        """Whether a document's counts are remembered, and replaced at its next visit ("memo")."""
        return self.statistics == "memo"

    @property
    def weighs_by_logarithm(self) -> bool:
        """Whether words are weighted by exp E[log beta], not by E[beta]."""
        return self.expectation == "log"

    @property
    def draws_of_token(self) -> int:
        """M: topics that are drawn for a token in a visit, and counted."""
        return self.samples * self.draws

    @property
    def learns_by_ope(self) -> bool:
        """Whether the passes of the warm-up are made by OPE, from documents."""
        return self.remembers and self.warm_up > 0 and self.start != "sampling"

    @property
    def growth(self) -> tuple[int, int]:
        """(passes, documents) as contract.Growing has them: with memo minibatches grow."""
        if self.remembers:
            return self.warm_up, self.minibatch_after
        return 0, self.minibatch
