"""What a training goes on from: its last checkpoint, the topics of another run, or nothing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

import inference
from inference import Bow, Invalid, Postings, checkpoint, complete_and_open, engines
from inference.consensus import consensus
from inference.engines.contract import AnyEngine, ResolvedConfig, State
from inference.steering import steer
from inference.warm_start import inherit
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.curation import label_transfer
from webapp.core.results import weights
from webapp.core.runs import replicates, steering
from webapp.models import Metric, Run, Word
from webapp.platform.storage import files, sealed


@dataclass(frozen=True)
class TrainedModel:
    """What is trained on what: the same for all attempts at a run. config: of the engine, resolved
    for the corpus. bow_folder: of the files of `bow`. folder: of the run's files."""

    engine: AnyEngine
    config: ResolvedConfig
    bow: Bow
    bow_folder: Path
    folder: Path

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint"


def open_model(run: Run) -> TrainedModel:
    """The run's engine and bag of words: that of its version, or one of its own where it leaves
    words out, which is made here."""
    bow_folder = files.bow_folder(run.version_id, run.pk, run.dropped)
    if run.dropped and not (bow_folder / "meta.json").exists():
        _leave_words_out(run, bow_folder)
    bow = sealed.opened(lambda: Bow.open(bow_folder), bow_folder)
    config = engines.config(run.engine, **run.settings).resolve(bow.D, bow.tokens)
    return TrainedModel(engines.get(run.engine), config, bow, bow_folder, files.run_folder(run.pk))


def _leave_words_out(run: Run, bow_folder: Path) -> None:
    words = Word.objects.filter(version=run.version_id, word__in=run.dropped)
    numbers = np.array(words.values_list("number", flat=True), np.int32)
    folder = files.version_folder(run.version_id) / "bow"
    sealed.opened(lambda: Bow.open(folder), folder).without(numbers, bow_folder)


@dataclass(frozen=True)
class StartingPoint:
    """state: the engine's, which the training then changes in place; None where the engine makes
    the first itself. seconds: that earlier attempts took up to it."""

    state: State | None
    seconds: float = 0.0


def starting_point(run: Run, model: TrainedModel) -> StartingPoint:
    """Where the next attempt at training a run begins: at the last checkpoint, else at what the run
    begins with. Raises Invalid for a run that was to begin with the topics of one that is
    deleted."""
    if not sealed.exists(model.checkpoint):
        return StartingPoint(_first_state(run, model))
    with sealed.hold(model.checkpoint):
        state = checkpoint.load(
            model.checkpoint,
            engine=model.engine,
            config=model.config,
            bow=model.bow,
            scratch=model.folder,
        )
    # Workers save between two points as well
    points = Metric.objects.filter(run=run, step__lte=state.t).order_by("-step")
    return StartingPoint(state, points.values_list("seconds", flat=True).first() or 0.0)


def _first_state(run: Run, model: TrainedModel) -> State | None:
    """The engine's state before the first step; None for one that the engine makes itself."""
    state = _warm_start(run, model) if run.begins else None
    topics = Steering.of_run(run).named
    if not topics:
        return state
    return inference.plant(
        model.engine,
        model.config,
        model.bow,
        named_topics.in_bag(run.version, topics, model.bow),
        state=state,
        seed=run.seed,
        scratch=model.folder,
    )


def _warm_start(run: Run, model: TrainedModel) -> State:
    """The engine's state with the topics of the run's parent."""
    parent = run.parent
    if parent is None:
        raise Invalid(
            "run",
            "The run whose topics this one was to begin with is deleted. Begin with those of"
            " another run.",
        )
    alpha = model.engine.priors(model.config, None).alpha
    if parent.version_id == run.version_id:
        topics = _topics_of_same_version(run, parent, model.bow, alpha)
    else:
        topics = _topics_of_other_version(run, parent, model.bow, alpha)
    return inference.begin(
        model.engine, model.config, model.bow, topics, seed=run.seed, scratch=model.folder
    )


def _topics_of_same_version(run: Run, parent: Run, bow: Bow, alpha: np.ndarray) -> np.ndarray:
    """uint16[nnz]: the topics that the parent gave to the pairs of the run's bag of words, which
    leaves out some of the parent's words; changed as the run's `steering` says. alpha: the
    prior."""
    said = Steering.of_run(run)
    if said.consensus:
        assert parent.snapshot is not None
        of_seeds = replicates.topics(parent, said.consensus)
        joined = consensus([weights.topics(parent.snapshot), *of_seeds])
        return inherit(joined, np.arange(bow.V, dtype=np.int32), bow, alpha)
    folder = files.bow_folder(parent.version_id, parent.pk, parent.dropped)
    evidence_folder = files.run_folder(parent.pk) / "evidence"
    evidence = sealed.opened(
        lambda: complete_and_open(
            evidence_folder, Bow.open(folder), Postings.open(folder / "by_word")
        ),
        evidence_folder,
        folder,
    )
    dropped = Word.objects.filter(version=run.version_id, word__in=run.dropped).values_list(
        "number", flat=True
    )
    keep = np.ones(bow.V, bool)
    keep[list(dropped)] = False
    # Both bags have their pairs in the same order
    topics = evidence.token_topics.topics[keep[evidence.document_bow.words]]
    if said.changes is None:
        return topics
    seed_words = [word for words in said.changes.together for word in words]
    columns = dict(
        Word.objects.filter(version=run.version_id, word__in=seed_words).values_list(
            "word", "number"
        )
    )
    changes = steering.in_columns(said.changes, columns)
    return steer(np.asarray(topics), parent.topics, bow, changes)


def _topics_of_other_version(run: Run, parent: Run, bow: Bow, alpha: np.ndarray) -> np.ndarray:
    """uint16[nnz]: the topics that the parent would give to the pairs of the run's bag of words,
    under the prior `alpha`."""
    return inherit(*label_transfer.inherited(parent, run.version), bow, alpha)
