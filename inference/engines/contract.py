"""What an engine is. Everything outside an engine's own module uses it through these types alone.

An engine is a module of `inference.engines`, or a package, that satisfies the protocol `Engine`;
`inference/engines/__init__.py` registers it. An engine that draws random numbers for a purpose that
no other has needs a constant of its own in `kernels/rng.py`. No other code needs to change: the
loop, checkpoints, forms, commands, the API, exports and the contract tests
(tests/inference/test_contract.py, tests/webapp/core/runs/test_engines.py) take it from the
registry.

- **Settings** are there twice, in `Config` as a user chose them and in `Resolved` as they are
  trained with:

      class Config(settings.Settings)         what is None was left open
      Config.resolve(documents, tokens)       chooses that by the size of the corpus
      class Resolved(settings.ResolvedPriors, Config)         nothing is None

  The protocols `Config` and `ResolvedConfig` say what other code reads of them. `settings.setting`
  declares a setting's label, help, default and bounds, which forms, the command and the API show.
- **Steps are short.** Progress, a stop and the heartbeat are served between steps. A batch engine
  therefore does a pass in slices of `minibatch` documents and updates its topics in the pass's last
  step (`About.batch`).
- **Bitwise.** A result depends on corpus, settings and seed alone: not on the number of threads,
  and not on where a training was interrupted. Random numbers come from `kernels.rng`, keyed by
  seed, purpose, step and document; inference/README.md, "The same bits", has the other rules.
- **Optional abilities** are protocols of their own, and there is one way to ask, `isinstance`: of
  an engine's module whether it is a `WarmStart`, `Seedable`, `Bounded`, `SeveralCores`,
  `Remembering`, `Truncated`, `Settling`, `Revised` or `Divisible`; of resolved settings whether
  they are `Growing`. A module has an ability when it defines the functions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from inference.bow import Bow
from inference.engines.sharing import Exchange, Site
from inference.topics import Theta, Topics

# The evidence stores a token's topic as uint16, and some of its values are reserved
MOST_TOPICS = 65_000
# Tokens of a document: counts within a document may be float32, which is exact up to here
MOST_DOCUMENT_TOKENS = 1 << 24

NO_DOCUMENTS = np.zeros(0, np.int64)

# Metadata of a State's fields, `field(metadata=SCRATCH)`.
# Work space that a step leaves as it found it: not written to checkpoints
SCRATCH = {"scratch": True}
MAPPED = {"mapped": True}  # an array that may be larger than memory: read into `memory.large_array`
# Kept by the process that leads a training which several share, not by the others
LEADING = {"leading": True}


class TrainingCorpus(NamedTuple):
    """What an engine must know of a corpus before it begins. Documents that no step is given are
    held out.

    trained_documents, trained_tokens: the others, and their tokens. held_out_documents: int64[n],
    numbers in the bag of words; held_out_tokens: theirs. V: size of the vocabulary. pairs:
    (document, word) pairs of all documents. word_tokens: float64[V], tokens of each word in all
    documents; None where a form asks before words are counted.
    steps_per_pass: steps in which all trained documents are seen; steps_per_later_pass: the same
    once minibatches have grown (`Growing`), as many where they don't. seeded: whether topics are to
    begin with the words that occur with their seeds (`Seedable`).
    """

    trained_documents: int
    trained_tokens: int
    held_out_documents: np.ndarray
    held_out_tokens: int
    V: int
    pairs: int
    word_tokens: np.ndarray | None
    steps_per_pass: int
    steps_per_later_pass: int
    seeded: bool

    @classmethod
    def of_bow(
        cls,
        bow: Bow,
        held_out: np.ndarray = NO_DOCUMENTS,
        steps_per_pass: int = 1,
        steps_per_later_pass: int | None = None,
    ) -> "TrainingCorpus":
        """A bag of words of which these documents (int64[n]) are held out, without seeds.
        steps_per_later_pass: as many as steps_per_pass where it isn't given."""
        held_out_tokens = int(bow.lengths[held_out].sum())
        return cls(
            trained_documents=bow.D - len(held_out),
            trained_tokens=bow.tokens - held_out_tokens,
            held_out_documents=held_out,
            held_out_tokens=held_out_tokens,
            V=bow.V,
            pairs=len(bow.words),
            word_tokens=bow.word_tokens,
            steps_per_pass=steps_per_pass,
            steps_per_later_pass=steps_per_later_pass or steps_per_pass,
            seeded=False,
        )

    @property
    def all_documents(self) -> int:
        """Held-out ones included: their numbers go up to here."""
        return self.trained_documents + len(self.held_out_documents)

    @property
    def tokens(self) -> int:
        """Of all documents, held-out ones included."""
        return self.trained_tokens + self.held_out_tokens

    def of_process(self, tokens: int) -> "TrainingCorpus":
        """As `init` takes it in one of several processes (`Divisible`). tokens: of all documents of
        its own, held-out ones included."""
        return self._replace(trained_tokens=tokens, held_out_tokens=0)


class Priors(NamedTuple):
    """The Dirichlet priors of a model. alpha: float64[K], each above 0, of topics in a document:
    exports smooth theta with it, and a text that was not trained on is read with it. eta: of words
    in a topic, at least 0."""

    alpha: np.ndarray
    eta: float


class Methods(NamedTuple):
    """How a run was trained, for a paper. sentence: plain text, one or more sentences. It does not
    say how many passes were made, in which minibatches and from which seed: what a run made may be
    fewer than its settings allow, and the paragraph that is written around it says this of every
    run. citations: keys of the works that it names, of the engine's papers or of the program's own
    bibliography."""

    sentence: str
    citations: tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What an engine says of itself."""

    label: str  # what a form calls it: a few words
    help: str  # what it is good for: a sentence or two
    source: str  # the work that it follows, by authors and year: “Mimno, Hoffman and Blei 2012”
    papers: Mapping[str, str]  # BibTeX entries of its own by their keys, each ending in a line `}`
    # What a reader wants who should choose it, a short phrase for the form: “Sort whole documents
    # into groups”. Empty where it is there to do as its paper does
    purpose: str = ""
    # whether topics change in the last step of a pass only; snapshots are then taken there
    batch: bool = False
    # Whether a document is of one topic as a whole (a mixture model): the evidence then gives all
    # its words to the topic with the largest theta. Otherwise each word goes to the topic with the
    # largest theta_dk beta_kw
    by_document: bool = False


class Config(Protocol):
    """Settings as they were chosen: a frozen dataclass. Raises Invalid, naming the field, for an
    invalid value."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def topics(self) -> int:
        """K: the number of topics, or the most there can be. From 1 to MOST_TOPICS."""

    def resolve(self, documents: int, tokens: int) -> "ResolvedConfig":
        """With a value for all that was left open, by the size of the corpus: D documents and their
        tokens."""


class ResolvedConfig(Config, Protocol):
    """Settings with nothing left open. The loop itself reads topics, passes and minibatch; the rest
    is the engine's own."""

    @property
    def passes(self) -> int:
        """How often the whole corpus is gone through, at least 1."""

    @property
    def minibatch(self) -> int:
        """Documents of a step, at least 1: the most there are, as a pass is cut into equal
        steps."""


@runtime_checkable
class Growing(Protocol):
    """Resolved settings of which the minibatch grows."""

    @property
    def growth(self) -> tuple[int, int]:
        """(passes, documents): after so many passes steps have so many documents at the most,
        instead of `minibatch`."""


@dataclass(kw_only=True)
class State:
    """All there is to checkpoint, for engines to add to: fields are numpy arrays, and numbers or
    text that JSON holds."""

    seed: int  # that the training began with
    t: int = 0  # steps done
    tokens: int = 0  # gone through, over all passes

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens of the texts. In sparse rows each entry
        does. In a dense array, where no parameter is just its prior, those do that have at least
        topics.LISTED_TOKENS, as a topic then lists the word."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Bring the fields up to date that are written to a checkpoint and sent to other processes,
        where newer values are in a field that is SCRATCH. What the state says stays the same:
        asked twice, it does nothing, and training continues as without it. Most engines have no
        such field."""

    def take(self, values: Mapping[str, Any]) -> None:
        """Have the values of these fields that the state of another process has, which `refresh`
        brought up to date there."""
        vars(self).update(values)

    def continued_corpus(self, corpus: TrainingCorpus, bow: Bow) -> TrainingCorpus:
        """The corpus as a training sees it that continues from this state, for `memory_bytes`: with
        a prior of words that the state has. Most have none. corpus: as it is without."""
        return corpus


C = TypeVar("C", bound=Config, covariant=True)
R = TypeVar("R", bound=ResolvedConfig, contravariant=True)
S = TypeVar("S", bound=State)


class Engine(Protocol[C, R, S]):
    """A way to train topics. C, R, S: its Config, resolved form and State."""

    @property
    def NAME(self) -> str:
        """A lower-case word: in the registry, in commands, addresses and checkpoints. It never
        changes."""

    @property
    def ABOUT(self) -> About:
        """What forms, the loop and the evidence must know of it."""

    @property
    def Config(self) -> type[C]: ...

    @property
    def State(self) -> type[S]: ...

    def init(self, config: R, corpus: TrainingCorpus, seed: int, scratch: Path | None = None) -> S:
        """The state before the first step. scratch: a folder for arrays that are large
        (memory.large_array)."""

    def step(
        self, config: R, state: S, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
    ) -> None:
        """One step, which changes `state` in place and adds 1 to `state.t`.

        documents: int64[n], numbers of the step's documents, none of them held out; n may be 0.
        """

    def topics(self, config: R, state: S) -> Topics:
        """The topics as they are now, K rows that each sum to 1. Does not change the state but
        by `State.refresh`."""

    def fold_in(self, config: R, state: S, bow: Bow, first: int, end: int) -> Theta:
        """theta of the documents first … end - 1 under the present topics. Does not depend on how
        blocks are cut."""

    def priors(self, config: R, state: S | None) -> Priors:
        """Priors as they are now; as they are before the first step where state is None."""

    def methods(self, settings: Mapping[str, Any]) -> Methods:
        """What to write of a run with these settings, the resolved form's as a dict. Runs of older
        versions may lack some."""

    def compiling_configs(self) -> Sequence[C]:
        """Small configs (K = 2, minibatches of 10) that together use every kernel of the engine:
        they are compiled by training each on 30 tiny documents. The first has the usual settings: a
        start of the program waits for it alone."""

    def seconds(self, config: R, tokens: int) -> float:
        """About how long all passes over so many tokens take on one core of a usual machine."""

    def memory_bytes(self, config: R, corpus: TrainingCorpus) -> int:
        """About how many bytes the state and a step need at the most besides the corpus, arrays
        that are MAPPED left out. A training that needs more than the machine has is refused."""


@runtime_checkable
class WarmStart(Protocol):
    """The ability to begin with topics that tokens have already, such as another run's."""

    def begin(
        self,
        config: Any,
        corpus: TrainingCorpus,
        seed: int,
        bow: Bow,
        topics: np.ndarray,
        held_out: np.ndarray,
        scratch: Path | None = None,
    ) -> Any:
        """A State before the first step in which each token has a topic, and topics keep their
        numbers.

        topics: uint16[nnz], of the bag's pairs. held_out: int64[n], documents that are not trained
        on, and count for nothing.
        """

    def continued(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings for a run that begins with the topics of a run with these settings."""


class Seeds(NamedTuple):
    """Topics that a reader named beforehand, by words that they should have: the topics 0 … n - 1.

    words: int64[m], columns of the bag of words; topics: int64[m], of each the topic that it is a
    seed of. No pair of both comes twice; a word may be a seed of several topics. empty: int64[e],
    topics whose seeds the texts do not support: they stay without words. They have no pairs.
    """

    words: np.ndarray
    topics: np.ndarray
    empty: np.ndarray


@runtime_checkable
class Seedable(Protocol):
    """The ability to hold topics to seed words by the prior of words in topics, which then differs
    by topic and word, through the whole training."""

    def check_seeds(self, config: Any) -> None:
        """Raises Invalid, naming the field, where the settings do not allow seeds."""

    def plant(self, config: Any, state: Any, bow: Bow, seeds: Seeds) -> None:
        """Give a state before its first step (of `init` or `begin`) this prior, in place. Steps,
        topics and what is folded in then follow it, and a checkpoint has it.

        The topics in `seeds.empty` get no tokens, and are not among Topics.used. The settings
        allow it (`check_seeds`).
        """


@runtime_checkable
class Bounded(Protocol):
    """The ability to say how good a state is by the engine's own objective."""

    def bound(
        self, config: Any, state: Any, bow: Bow, documents: np.ndarray, times: float = 1.0
    ) -> float:
        """The objective that training raises, in nats, such as a lower bound of the evidence: the
        terms of the topics, and `times` those of these documents (int64[n]), so that a sample can
        stand for all. Does not change the state."""


@runtime_checkable
class SeveralCores(Protocol):
    """What an engine has, too, of which it was measured how much of its work is divided among
    cores."""

    def times_as_fast(self, cores: int) -> float:
        """A training by so many cores, compared with one."""


@runtime_checkable
class Remembering(Protocol):
    """The ability to continue, at a document's next visit, from what was remembered of it at the
    last."""

    def remembered_bytes(self, config: Any, corpus: TrainingCorpus) -> int:
        """Bytes of a state's arrays that are MAPPED. They are in memory or, where they are large,
        on the disk; and in each checkpoint."""


@runtime_checkable
class Truncated(Protocol):
    """The ability to find how many topics there are: `topics` is the most there can be, and
    Topics.used says which are in use."""

    @property
    def TRUNCATION(self) -> int:
        """A number of topics to begin with, more than most corpora need."""


@runtime_checkable
class Settling(Protocol):
    """The ability to end before the last pass, when topics have settled."""

    def settled(self, config: Any, state: Any, passes: int, judge: Callable[[], float]) -> bool:
        """Asked at the end of each pass but the last, and again when it continues from there:
        whether it ends here.

        passes: that were made. judge: gives evaluate.Completion of the topics as they are, in nats
        per held-out token, NaN where nothing is held out; it takes time, and is called only where
        that is to be known. It depends on corpus, settings and seed alone; what is to be remembered
        of it goes into the state, in a field that is LEADING.
        """


@runtime_checkable
class Revised(Protocol):
    """An engine that no longer gives the bits that it once gave with the same settings, seed and
    corpus."""

    @property
    def REVISION(self) -> int:
        """Since which versions.ENGINES it gives those of today."""


class DivisibleState(Protocol):
    """What is asked of the state of a training that processes share. memory: uint16[tokens, M],
    MAPPED, what is remembered of documents: of a process's own alone, and a leader's state has
    none. All other fields are the same in all processes after each step."""

    memory: np.ndarray


DS = TypeVar("DS", bound=DivisibleState, contravariant=True)


@runtime_checkable
class Divisible(Protocol[DS]):
    """The ability to share a training among processes, with bitwise the topics of one, however many
    there are. DS: its State. These begin with `init`, which is given the corpus of
    `TrainingCorpus.of_process`."""

    def lay_out(self, site: Site, documents: np.ndarray) -> Any:
        """What a process can do for a step before the one before it has ended: it knows no topics.

        documents: int64[n], of the whole step.
        """

    def divided(
        self, config: Any, state: DS, site: Site, laid: Any, corpus: TrainingCorpus
    ) -> Exchange:
        """A process's part in one step: a generator of rounds, as many in each process. In each
        round it yields a list with a message to each process, itself included, by rank, and is sent
        the messages that it got, by rank. Where it yields Messages, their work may be done while
        messages travel; what is not done by then it does itself.

        laid: of `lay_out`. corpus: the whole one. `state.tokens` grows by those of its own
        documents.
        """


AnyEngine = Engine[Any, Any, Any]
