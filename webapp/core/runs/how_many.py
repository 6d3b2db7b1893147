"""Short trainings of a run's texts with fewer, as many and more topics, which tell what another
number of topics would change. They are made at a press, as trainings with other seeds are
(webapp.core.runs.replicates): while nobody needs the machine, one at a time, from a checkpoint
where they gave way."""

import os
import shutil
from collections import Counter
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

import inference
from inference import Bow, Evidence, Invalid, Postings, Topics, engines, open_evidence
from inference.engines.contract import AnyEngine, ResolvedConfig, Truncated
from inference.explore import distances, flows, matching, relevance
from inference.explore.company import company
from inference.explore.flows import Flows
from inference.kernels import rng
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import evidence
from webapp.core.runs import replicate_rows
from webapp.intake.ingest import word_estimates
from webapp.models import Replicate, Run, Word
from webapp.platform.drawing.numbers import duration
from webapp.platform.jobs import dispatch, kinds
from webapp.platform.storage.cache import cached

PASSES = 6  # tell of a number of topics what 24 do (docs/measurements/how-many.md)
TIMES = 3  # fewer topics are a third of the run's, more are three times as many
SEEDS = 2  # trainings of each number: the run's seed, and the next
FEWEST_TOPICS = 3  # topics of a run: of fewer there is no third
MOST_TOPICS = 3_000  # topics of a training: of more, finding them again takes minutes and 150 MB
# That all of them may take on one core, as estimated: of one, so that every machine reads the same
# documents
MOST_CORE_SECONDS = 3_600.0
# Of the documents of a larger corpus, that the trainings read: of fewer too little is learned
LEAST_SHARE = 0.02
FIRST_WORDS = 5  # of a topic, which name it: it has no page of its own


class Short(NamedTuple):
    """What is kept of a training of K topics. fine, coarse, shared, of_fine, of_coarse: Flows
    between it and the run; whichever has more topics is the finer, of equals the training. mixed,
    general: bool[K], as the measures of the run's topics have them. repeats: int32[K], the topic of
    the same training that has nearly the same words and more tokens, -1 for none. words: int32[K,
    FIRST_WORDS], numbers of the first words, -1 where there are fewer. held_out: float64[1], as
    Snapshot has it. partner: int32[K], the same topic in the training with the other seed, -1 for
    none; of no length where that was not there yet. sizes: int64[K], tokens."""

    fine: np.ndarray
    coarse: np.ndarray
    shared: np.ndarray
    of_fine: np.ndarray
    of_coarse: np.ndarray
    mixed: np.ndarray
    general: np.ndarray
    repeats: np.ndarray
    words: np.ndarray
    held_out: np.ndarray
    partner: np.ndarray
    sizes: np.ndarray

    @property
    def flows(self) -> Flows:
        """Between the training and the run."""
        return Flows(self.fine, self.coarse, self.shared, self.of_fine, self.of_coarse)


@dataclass(frozen=True)
class Progress:
    """ready, to_come, failed: trainings. error: of one that failed. refused: why there can be none,
    or "". seconds: that all of them take, about; numbers: of topics."""

    ready: int
    to_come: int
    failed: int
    error: str
    refused: str
    seconds: float
    numbers: tuple[int, ...]

    @property
    def trainings(self) -> int:
        """How many there are to be."""
        return len(self.numbers) * SEEDS


def numbers_of_topics(run: Run) -> tuple[int, ...]:
    """Numbers of topics, the fewest first: as many as the run has stand in the middle."""
    named_number = len(Steering.of_run(run).named)
    smallest = max(2, round(run.topics / TIMES), named_number)
    return smallest, run.topics, TIMES * run.topics


def rows(run: Run) -> QuerySet[Replicate]:
    """The trainings with the numbers that are asked about."""
    return run.replicates.filter(asked_topics__in=numbers_of_topics(run)).order_by("pk")


def refuse(run: Run) -> str:
    """Why there can be no such trainings, in a sentence; "" where there can."""
    smallest, run_topics, largest = numbers_of_topics(run)
    if not run.final:
        return f"Run {run.pk} is not done: other numbers of topics can be tried when it is."
    if run.begins:
        return (
            f"Run {run.pk} began with the topics of another run, so a training with another number"
            " would not be like it. Ask this of the run that it began with."
        )
    if isinstance(engines.get(run.engine), Truncated):
        return "This engine finds the number of topics itself, so no other number can be tried."
    if run_topics < FEWEST_TOPICS or smallest >= run_topics:
        return "There are too few topics to try a third of them."
    limit = min(MOST_TOPICS, run.version.vocabulary)
    if largest > limit:
        return (
            f"Three times {run_topics:,} topics are more than the {limit:,} that can be compared"
            " here. The families of topics on the overview say how these topics hang together."
        )
    if share_read(run) < LEAST_SHARE:
        seconds = seconds_of_trainings(run, LEAST_SHARE, 1)
        return (
            f"The trainings would take about {duration(seconds)} on one core"
            f" with {LEAST_SHARE:.0%} of the documents alone, more than the"
            f" {duration(MOST_CORE_SECONDS)} that"
            " are allowed. Train a run with a third of the topics, and compare the two."
        )
    return ""


def estimate(run: Run) -> float:
    """Seconds that all trainings take on this machine, about."""
    return seconds_of_trainings(run, share_read(run), threads())


def share_read(run: Run) -> float:
    """The share of the documents that the trainings read: 1 where they take no longer than
    MOST_CORE_SECONDS on one core, else as many as can be read in that time; 0 where no share can.
    The topics of every document are found whatever is read."""
    complete = seconds_of_trainings(run, 1.0, 1)
    if complete <= MOST_CORE_SECONDS:
        return 1.0
    without_reading = seconds_of_trainings(run, 0.0, 1)
    return max(0.0, (MOST_CORE_SECONDS - without_reading) / (complete - without_reading))


def seconds_of_trainings(run: Run, share: float, cores: int) -> float:
    """Seconds of all trainings that read a share of the documents, on so many cores, as the form of
    trainings estimates them."""
    version = run.version
    seconds = 0.0
    for number in numbers_of_topics(run):
        config = engines.config(run.engine, topics=number, passes=PASSES)
        resolved = config.resolve(version.rows, version.tokens)
        seconds += SEEDS * word_estimates.waited_seconds(
            run.engine, resolved, version.tokens, cores, share
        )
    return seconds


def learned_from(run: Run, bow: Bow) -> Bow:
    """The texts that its short trainings read. bow: the run's own. A share of a large corpus is
    drawn by the run's seed, the same for all of them; the other rows are empty."""
    share = share_read(run)
    if share == 1.0:
        return bow
    documents = run.version.documents
    drawn = rng.shuffled(documents, rng.stream(rng.READ, seed=run.seed))
    is_read = np.zeros(documents, bool)
    is_read[drawn[: max(1, round(share * documents))]] = True
    return bow.only(
        is_read if bow.first_row is None else np.repeat(is_read, np.diff(bow.first_row))
    )


def progress(run: Run) -> Progress:
    """How far the trainings are."""
    refused = refuse(run)
    if refused:
        return Progress(0, 0, 0, "", refused, 0.0, ())
    states = list(rows(run).values_list("status", "error"))
    count = Counter(status for status, _ in states)
    ready = count[Replicate.Status.READY]
    failed = count[Replicate.Status.FAILED]
    errors = [error for status, error in states if status == Replicate.Status.FAILED]
    return Progress(
        ready=ready,
        to_come=len(states) - ready - failed,
        failed=failed,
        error=errors[0] if errors else "",
        refused="",
        seconds=estimate(run),
        numbers=numbers_of_topics(run),
    )


def begin(run: Run) -> None:
    """Queue the trainings that are not there, or failed. Raises Invalid."""
    refused = refuse(run)
    if refused:
        raise Invalid("run", refused)
    with transaction.atomic():
        new_rows = [
            Replicate(run=run, seed=replicate_rows.following_seed(run, i), asked_topics=topics)
            for topics in numbers_of_topics(run)
            for i in range(SEEDS)
        ]
        replicate_rows.queue(new_rows, rows(run))
        first = rows(run).filter(status=Replicate.Status.QUEUED).first()
        if first is not None:
            dispatch.send(kinds.REPLICATE, first.pk)


def cancel(run: Run) -> None:
    """Remove those that are not ready; one at work notices at its next heartbeat, and ends."""
    rows(run).exclude(status=Replicate.Status.READY).delete()


def threads() -> int:
    """Threads of a training: half of the cores are left to pages."""
    return max(1, (os.cpu_count() or 1) // 2)


def count_passes(run: Run) -> int:
    """Passes of a short training: never more than the run may have made."""
    return min(PASSES, run.settings["passes"])


def settings_with(run: Run, bow: Bow, number: int) -> dict[str, Any]:
    """A run's settings with another number of topics and PASSES: what was left open for the run is
    left open."""
    usual = asdict(
        engines.config(run.engine, topics=run.topics).resolve(run.version.rows, run.version.tokens)
    )
    settings = {name: value for name, value in run.settings.items() if usual.get(name) != value}
    return settings | {"topics": number, "passes": count_passes(run)}


def measure(
    replicate: Replicate,
    engine: AnyEngine,
    config: ResolvedConfig,
    last: inference.Snapshot,
    bow: Bow,
    scratch: Path,
) -> Short:
    """What is kept of a training that has ended. bow: of all documents, whatever it read; scratch:
    a folder that goes with its job."""
    run = replicate.run
    run_evidence = evidence.of(run)
    folder = scratch / "evidence"
    short = _gather(engine, config, last, bow, run_evidence.postings, folder)
    kinds_of = company(short)
    is_smaller = short.K < run_evidence.K
    fine, coarse = (run_evidence, short) if is_smaller else (short, run_evidence)
    shared = flows.count(
        fine.token_topics.topics, coarse.token_topics.topics, bow.counts, fine.K, coarse.K
    )
    sizes = shared.of_coarse if is_smaller else shared.of_fine
    measured = Short(
        fine=shared.fine,
        coarse=shared.coarse,
        shared=shared.tokens,
        of_fine=shared.of_fine,
        of_coarse=shared.of_coarse,
        mixed=np.array(kinds_of.mixed, bool),
        general=np.array(kinds_of.general, bool),
        repeats=_find_repeats(last.topics, sizes),
        words=_first_words(run, last.topics),
        held_out=np.array([last.held_out]),
        partner=_partners(replicate, last.topics),
        sizes=sizes,
    )
    shutil.rmtree(folder, ignore_errors=True)
    return measured


def _gather(
    engine: AnyEngine,
    config: ResolvedConfig,
    last: inference.Snapshot,
    bow: Bow,
    postings: Postings,
    folder: Path,
) -> Evidence:
    """Assign all tokens."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    blocks = inference.fold_in_corpus(engine, config, last.state, bow)
    by_document = engine.ABOUT.by_document
    list(inference.gather(folder, bow, postings, last.topics, blocks, by_document=by_document))
    return open_evidence(folder, bow, postings)


def _find_repeats(topics: Topics, sizes: np.ndarray) -> np.ndarray:
    """int32[K], see Short."""
    divergences = distances.divergences(topics)
    rank = np.empty(topics.K, np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(topics.K)
    divergences[rank[None, :] >= rank[:, None]] = np.inf
    divergences[:, sizes == 0] = np.inf
    nearest = divergences.argmin(axis=1)
    is_near = divergences[np.arange(topics.K), nearest] < distances.NEAR_NATS
    return np.where(is_near & (sizes > 0), nearest, -1).astype(np.int32)


def _first_words(run: Run, topics: Topics) -> np.ndarray:
    """int32[K, FIRST_WORDS], see Short."""
    by_number = Word.objects.filter(version=run.version_id).order_by("number")
    tokens = np.array(by_number.values_list("tokens", flat=True))
    words = np.full((topics.K, FIRST_WORDS), -1, np.int32)
    for k, first in enumerate(relevance.first(topics, tokens, FIRST_WORDS)):
        words[k, : len(first)] = first
    return words


def _partners(replicate: Replicate, topics: Topics) -> np.ndarray:
    """int32[K], see Short."""
    run = replicate.run
    siblings = run.replicates.filter(
        asked_topics=replicate.asked_topics, status=Replicate.Status.READY
    )
    stored = siblings.exclude(pk=replicate.pk).values_list("topics", flat=True).first()
    if not stored:
        return np.zeros(0, np.int32)
    vocabulary = run.version.vocabulary
    sibling = Topics(**np.load(BytesIO(stored)), V=vocabulary)
    words: Any = range(vocabulary)
    return matching.match(topics, sibling, words, words).partner


def trainings(run: Run) -> dict[int, list[Short]] | None:
    """The trainings with each number of topics by their seeds, the run's own seed first; None
    before all are there."""
    ready = list(rows(run).filter(status=Replicate.Status.READY).values_list("pk", flat=True))
    if len(ready) < SEEDS * len(numbers_of_topics(run)):
        return None
    return _read(tuple(ready), run.seed)


@cached(8)
def _read(keys: tuple[int, ...], own_seed: int) -> dict[int, list[Short]]:
    by_topics: dict[int, list[Short]] = {}
    stored = Replicate.objects.filter(pk__in=keys).order_by("asked_topics", "pk")
    ordered = sorted(
        stored.values_list("asked_topics", "seed", "result"),
        key=lambda row: (row[0], row[1] != own_seed),
    )
    for asked_topics, _, result in ordered:
        with np.load(BytesIO(result or b"")) as arrays:
            by_topics.setdefault(asked_topics, []).append(Short(**arrays))
    return by_topics


def found_again(pair: list[Short]) -> np.ndarray:
    """bool[K]: which topics of the first of two trainings the other has."""
    first, second = pair
    if len(second.partner):
        is_partner = np.zeros(len(first.sizes), bool)
        is_partner[second.partner[second.partner >= 0]] = True
        return is_partner
    return first.partner >= 0
