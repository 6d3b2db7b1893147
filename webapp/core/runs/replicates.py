"""Trainings with a run's settings and other seeds, which tell what of its topics does not hang on
the seed.

They come when there is nothing else to do (jobs.scheduler.idle), one at a time and in one thread,
and give way to whatever comes: a checkpoint keeps how far they were. Of each the topics alone are
kept, and what became of the run's.
"""

import shutil
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

import inference
from inference import Bow, Invalid, Topics, checkpoint, engines
from inference.explore import matching, relevance
from webapp.core.asked_training import named_topics
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.results import found_again, weights
from webapp.core.runs import how_many, replicate_rows, steering, trials
from webapp.core.runs.names import spelling
from webapp.core.runs.shapes import OtherSeeds
from webapp.models import Replicate, Run, Snapshot, Word
from webapp.platform.jobs import claims, kinds, scheduler
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage import files, sealed

SEEDS = 2  # other seeds of a run
# After a run's own seed, those of its replicates
PLACES: dict[str, Sequence[int]] = {
    Replicate.Texts.OWN: range(1, SEEDS + 1),
    Replicate.Texts.DRAWN: (SEEDS + 1,),
    Replicate.Texts.HALF: (SEEDS + 2,),
}
MOST_TRAINING_SECONDS = (
    300.0  # of training, up to which a run is trained with other seeds by itself
)
BYTES = 64 << 20  # of the topics of one, compressed
# Another name where it is drawn otherwise which texts a training reads: one that was under way then
# begins anew, as a checkpoint is of its texts
CHECKPOINT = "checkpoint-2"
LOOK_SECONDS = 1.0  # seconds between two looks whether anybody needs the machine
DECIMALS = 3  # of a similarity that is stored
WORDS_OF_TOPIC = 5  # of the topic that is most like one that was not found


def possible(run: Run) -> bool:
    """Not of one that began with the topics of another: that has them whatever the seed."""
    return run.final and not run.begins


def of_seeds(run: Run) -> QuerySet[Replicate]:
    """Those that are trained on the run's own texts, with as many topics."""
    return run.replicates.filter(texts=Replicate.Texts.OWN, asked_topics=0)


def begin(run: Run, texts: str = Replicate.Texts.OWN) -> None:
    """Queue what is not there; the sweep tells the workers when they have nothing else to do.
    Raises Invalid."""
    if not possible(run):
        raise Invalid(
            "run",
            f"Run {run.pk} can’t be compared with other seeds: it is not done, or began with given"
            " topics.",
        )
    with transaction.atomic():
        new_rows = [
            Replicate(run=run, seed=replicate_rows.following_seed(run, i), texts=texts)
            for i in PLACES[texts]
        ]
        replicate_rows.queue(new_rows, run.replicates.filter(texts=texts, asked_topics=0))


def begin_by_itself(run: Run) -> None:
    """After its training, where that took little, or a run of all was asked for."""
    if possible(run) and (
        Steering.of_run(run).join or (settings.OTHER_SEEDS and run.seconds <= MOST_TRAINING_SECONDS)
    ):
        begin(run)


def cancel(run: Run) -> None:
    """Remove those that are not ready; one at work notices at its next heartbeat, and ends."""
    of_seeds(run).exclude(status=Replicate.Status.READY).delete()
    _count(run)


def state(run: Run) -> OtherSeeds | None:
    """None where there can be none."""
    if not possible(run):
        return None
    n = Counter(of_seeds(run).values_list("status", flat=True))
    topics_found = found_again.count_found(run)
    ready = n[Replicate.Status.READY]
    failed = n[Replicate.Status.FAILED]
    found_in_all = None
    if topics_found:
        found_in_all = sum(topic.found == topic.runs for topic in topics_found)
    return OtherSeeds(ready, n.total() - ready - failed, failed, found_in_all)


def train(replicate_id: int) -> None:
    """Train a queued one, until it is done or somebody needs the machine."""
    run_next(kinds.REPLICATE, replicate_id, _work)


def _work(key: int, attempt: int, beat: Heartbeat) -> None:
    replicate = Replicate.objects.select_related("run__version", "run__snapshot__run__version").get(
        pk=key
    )
    folder = files.replicate_folder(key)
    if (fields := _train_replicate(replicate, folder / CHECKPOINT, beat)) is None:
        claims.update(kinds.REPLICATE, key, attempt, status=Replicate.Status.QUEUED, tries=0)
        return
    with transaction.atomic():
        claims.update(kinds.REPLICATE, key, attempt, status=Replicate.Status.READY, **fields)
        _count(replicate.run)
        # In the same transaction: nobody continues what is ready where the worker ends
        if _completes_run_of_all(replicate):
            # Its owner may have too many jobs: its page offers it
            with suppress(Invalid), transaction.atomic():
                steering.join(replicate.run, replicate.run.by)
    shutil.rmtree(folder, ignore_errors=True)


def _completes_run_of_all(replicate: Replicate) -> bool:
    """Whether a run of all was asked for, and this was the last training that it waited for."""
    if not Steering.of_run(replicate.run).join:
        return False
    if replicate.texts != Replicate.Texts.OWN or replicate.asked_topics:
        return False
    return not of_seeds(replicate.run).exclude(status=Replicate.Status.READY).exists()


def _train_replicate(
    replicate: Replicate, saved: Path, beat: Heartbeat
) -> dict[str, bytes | list] | None:
    """Its fields; None where somebody needs the machine: then the checkpoint `saved` is there to
    continue from."""
    run = replicate.run
    engine = engines.get(replicate.run.engine)
    bow_folder = files.bow_folder(run.version_id, run.pk, run.dropped)
    run_bow = sealed.opened(lambda: Bow.open(bow_folder), bow_folder)
    plan = _plan_training(replicate, run_bow)
    bow = plan.bow
    config = engines.config(run.engine, **plan.settings).resolve(bow.D, bow.tokens)
    shared_options: dict[str, Any] = {"engine": engine, "config": config, "bow": bow}
    state = (
        checkpoint.load(saved, **shared_options, scratch=saved.parent) if saved.exists() else None
    )
    topics_named = Steering.of_run(run).named
    if state is None and topics_named:
        seeds = named_topics.in_bag(run.version, topics_named, bow)
        state = inference.plant(
            **shared_options, seeds=seeds, seed=replicate.seed, scratch=saved.parent
        )
    needed = _Needed()
    last: inference.Snapshot | None = None
    for event in inference.train(
        **shared_options,
        seed=replicate.seed,
        resume=state,
        until=needed,
        threads=plan.threads,
        scratch=saved.parent,
        last=plan.last_step,
    ):
        beat.check()
        if isinstance(event, inference.Snapshot):
            last = event
    assert last is not None  # the last event is one
    if needed.ever:
        checkpoint.save(saved, last.state, **shared_options)
        return None
    with beat.long():
        if replicate.asked_topics:
            short = how_many.measure(replicate, engine, config, last, run_bow, saved.parent)
            return {"topics": _pack_arrays(last.topics), "result": _pack_arrays(short)}
        if replicate.texts == Replicate.Texts.OWN:
            return {"topics": _pack_arrays(last.topics), "elsewhere": _elsewhere(run, last.topics)}
        return {
            "result": _pack_arrays(
                trials.measure_trial(replicate, engine, config, last, bow, run_bow)
            )
        }


class _Plan(NamedTuple):
    """How one is trained: on which texts, with which settings of the engine, on how many threads,
    and up to which step; None: to the end that the settings have."""

    bow: Bow
    settings: dict[str, Any]
    threads: int
    last_step: int | None


def _plan_training(replicate: Replicate, run_bow: Bow) -> _Plan:
    """With another number of topics a short training; else as long a one as the run's."""
    run = replicate.run
    if replicate.asked_topics:
        bow = how_many.learned_from(run, run_bow)
        settings_with_number = how_many.settings_with(run, bow, replicate.asked_topics)
        return _Plan(bow, settings_with_number, how_many.threads(), None)
    return _Plan(trials.learned_from(replicate, run_bow), run.settings, 1, run.step)


class _Needed:
    """Whether somebody needs the machine; once it is so, for ever."""

    def __init__(self) -> None:
        self.looked = time.monotonic()
        self.ever = False

    def __call__(self) -> bool:
        if not self.ever and time.monotonic() - self.looked >= LOOK_SECONDS:
            self.looked = time.monotonic()
            self.ever = not scheduler.idle()
        return self.ever


def _pack_arrays(result: Topics | trials.Kept | how_many.Short) -> bytes:
    """Its arrays as .npz. Raises Invalid where they are too large to be kept."""
    file = BytesIO()
    arrays: dict[str, Any] = {
        name: value for name, value in result._asdict().items() if isinstance(value, np.ndarray)
    }
    np.savez_compressed(file, **arrays)
    if file.tell() > BYTES:
        raise Invalid(
            "topics",
            f"What is kept would take {file.tell() >> 20} MB; at most {BYTES >> 20} MB are kept.",
        )
    return file.getvalue()


def topics(run: Run, seeds: list[int]) -> list[Topics]:
    """Those of trainings with these seeds. Raises Invalid where one of them is not there."""
    assert run.snapshot is not None
    stored_topics = dict(
        found_again.ready(run.pk).filter(seed__in=seeds).values_list("seed", "topics")
    )
    if missing := [seed for seed in seeds if seed not in stored_topics]:
        raise Invalid(
            "run", f"The training of run {run.pk} with seed {missing[0]} is not there any more."
        )
    return [
        Topics(**np.load(BytesIO(stored_topics[seed] or b"")), V=run.version.vocabulary)
        for seed in seeds
    ]


def _elsewhere(run: Run, topics: Topics) -> list[tuple[bool, float, list[str]]]:
    """The fields of results.found_again.Elsewhere after `seed`, of each topic of the run."""
    assert run.snapshot is not None
    between = matching.match(weights.topics(run.snapshot), topics, *weights.words(run, run))
    words_by_number = Word.objects.filter(version=run.version_id).order_by("number")
    tokens = words_by_number.values_list("tokens", flat=True)
    first = relevance.first(topics, np.array(tokens), WORDS_OF_TOPIC)
    called = spelling(run.version_id, set(chain.from_iterable(first)))
    rows = zip(
        between.partner.tolist(),
        between.best_b_similarity.tolist(),
        between.best_b.tolist(),
        strict=True,
    )
    fields = []
    for partner, similar, nearest in rows:
        is_found = partner >= 0
        words_of_nearest = [] if is_found else list(map(called.__getitem__, first[nearest]))
        fields.append((is_found, round(similar, DECIMALS), words_of_nearest))
    return fields


def _count(run: Run) -> None:
    """Say with how many the run is compared, once none is to come: its pages read no others, and
    are made again then."""
    to_come = of_seeds(run).filter(status__in=kinds.REPLICATE.unfinished_statuses)
    ready = found_again.ready(run.pk).count()
    Snapshot.objects.filter(run=run, final=True).update(
        replicates=None if to_come.exists() or not ready else ready
    )
