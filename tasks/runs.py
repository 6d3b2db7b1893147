"""Training: pull the engine's loop, write what comes out of it, tell open pages."""

import os
import time

import numpy as np
from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

import inference
from inference import Evidence, Postings, Progress, Snapshot, Topics, checkpoint, compiling, engines
from inference.bow import Bow
from inference.durable import settle
from inference.errors import Invalid
from inference.evaluate import Diagnostics
from inference.explore.distances import divergences
from inference.versions import versions
from inference.warm_start import inherit
from tasks.celery import app
from webapp.curation import label_transfer
from webapp.jobs import claims, events, scheduler
from webapp.jobs.file_lock import Held, alone
from webapp.jobs.heartbeat import Heartbeat
from webapp.models import Metric, Run, Word
from webapp.runs import snapshots
from webapp.storage import disk, files

PUBLISH_SHARE = 0.05  # at most so much of a training's time goes into storing topics that the next snapshot replaces
CHECKPOINT_SHARE = 0.1  # the same of checkpoints: of a large corpus they hold gigabytes
TRANSIENT = (OperationalError, InterfaceError, Held)  # Postgres is away, or another process can't be ended


@app.task(name="tasks.runs.train")
def train(run_id: int) -> None:
    """Train a queued run to its end, or on from its checkpoint where another process left it."""
    taken = scheduler.take(claims.TRAINING, run_id)
    if taken is None:
        return
    run_id, attempt = taken
    try:
        with Heartbeat(claims.TRAINING, run_id, attempt) as beat, alone(files.run_folder(run_id)):
            Training(Run.objects.select_related("corpus", "version", "parent").get(pk=run_id), attempt, beat).go()
    except claims.Lost:
        return
    except TRANSIENT as error:
        if not disk.is_full(error):
            raise  # the heartbeat stops here, and the sweep queues the run again when Postgres is back
        claims.wait(claims.TRAINING, run_id, attempt)
    except Invalid as error:
        claims.fail(claims.TRAINING, run_id, attempt, str(error))
    except Exception:
        claims.crash(claims.TRAINING, run_id, attempt)
    finally:
        scheduler.go_on(claims.TRAINING)


class Sparing:
    """Says when something may be done again so that it takes no more than a share of the time; `with` measures it."""

    def __init__(self, share: float):
        self.share, self.ended, self.took = share, time.monotonic(), 0.0

    def due(self) -> bool:
        return time.monotonic() - self.ended >= self.took / self.share

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, *_):
        self.ended = time.monotonic()
        self.took = self.ended - self.began


class Training:
    """One attempt at one run."""

    def __init__(self, run: Run, attempt: int, beat: Heartbeat):
        self.run, self.attempt, self.beat = run, attempt, beat
        self.engine = engines.get(run.engine)
        self.folder = files.run_folder(run.pk)
        self.bow_folder = files.bow_folder(run.version_id, run.pk, run.dropped)
        self.bow = self._bow()
        self.config = engines.config(run.engine, **run.settings).resolve(self.bow.D, self.bow.tokens)
        self.checkpoint = self.folder / "checkpoint"
        self.saving, self.publishing = Sparing(CHECKPOINT_SHARE), Sparing(PUBLISH_SHARE)

    def _bow(self) -> Bow:
        """The corpus's, or the run's own, made here, where words are left out."""
        if self.run.dropped and not (self.bow_folder / "meta.json").exists():
            words = Word.objects.filter(version=self.run.version_id, word__in=self.run.dropped)
            corpus = Bow.open(files.version_folder(self.run.version_id) / "bow")
            corpus.without(np.array(words.values_list("number", flat=True), np.int64), self.bow_folder)
        return Bow.open(self.bow_folder)

    def go(self) -> None:
        self._compile()
        self._resume()
        if self.run.started_at is None:
            self._update(started_at=Now(), versions=versions())
        trained = inference.train(
            self.engine, self.config, self.bow, seed=self.run.seed, resume=self.state, threads=threads, scratch=self.folder,
            until=lambda: self.stop,
        )  # fmt: skip
        for event in trained:
            self.beat.check()
            if isinstance(event, Progress):
                self._progress(event)
            else:
                self._snapshot(event)
        self._store()

    def _compile(self) -> None:
        """The default engine is compiled when Topograph starts, another before its first step, which a heartbeat could not outlast."""
        if self.engine.NAME != engines.DEFAULT:
            with self.beat.long():
                compiling.engine(self.engine.NAME)

    def _resume(self) -> None:
        """Take up the last checkpoint, and the seconds that were spent up to it."""
        self.state, self.before, self.stop = None, 0.0, False
        if self.checkpoint.exists():
            self.state = checkpoint.load(
                self.checkpoint, engine=self.engine, config=self.config, bow=self.bow, scratch=self.folder
            )
            point = Metric.objects.get(run=self.run, step=self.state.t)  # written before the checkpoint, always
            self.before = point.seconds
        elif self.run.begins:
            self.state = self._begin()

    def _begin(self) -> object:
        """A state with the topics of the run that this one goes on from: those that its tokens were given there, or would be."""
        parent = self.run.parent
        if parent is None:
            raise Invalid(
                "run", "The run whose topics this one was to begin with is deleted. Begin with those of another run."
            )
        return inference.begin(
            self.engine, self.config, self.bow, self._topics(parent), seed=self.run.seed, scratch=self.folder
        )

    def _topics(self, parent: Run) -> np.ndarray:
        """uint16[nnz]: the topics of this run's pairs at its beginning."""
        if parent.version_id != self.run.version_id:
            alpha = self.engine.priors(self.config, None).alpha
            return inherit(*label_transfer.inherited(parent, self.run.version), self.bow, alpha)
        folder = files.bow_folder(parent.version_id, parent.pk, parent.dropped)
        before = Evidence.open(
            files.run_folder(parent.pk) / "evidence", Bow.open(folder), Postings.open(folder / "by_word")
        )
        numbers = Word.objects.filter(version=self.run.version_id, word__in=self.run.dropped).values_list(
            "number", flat=True
        )
        keep = np.ones(self.bow.V, bool)
        keep[list(numbers)] = False
        return before.topics[
            keep[before.bow.words]
        ]  # a pair of the smaller bag for each that is kept, in the same order

    def _update(self, **fields) -> None:
        claims.update(claims.TRAINING, self.run.pk, self.attempt, **fields)

    def _progress(self, p: Progress) -> None:
        """Tell how far it is, and hear whether the user wants it to end."""
        seconds = self.before + p.seconds
        self._update(step=p.step, steps=p.steps, tokens_seen=p.tokens, seconds=seconds)
        event = {
            "type": "progress",
            "step": p.step,
            "steps": p.steps,
            "tokens": p.tokens,
            "seconds": seconds,
            "tokens_per_second": p.tokens / seconds,
            "documents_per_second": p.documents / p.seconds,
            "left": (p.steps - p.step) * seconds / p.step,
        }
        events.run(self.run.pk, event)
        request = Run.everything.values_list("request", flat=True).get(pk=self.run.pk)
        if request == Run.Request.CANCEL:
            self._cancel()
        self.stop = request == Run.Request.STOP

    def _cancel(self) -> None:
        self._update(status=Run.Status.CANCELLED, finished_at=Now())
        snapshots.discard(self.run.pk)
        raise claims.Lost("cancelled")

    def _snapshot(self, s: Snapshot) -> None:
        """A point of the charts, a checkpoint, and the topics; these two only where storing them costs little."""
        seconds = self.before + s.seconds
        snapshots.measure(self.run.pk, s, seconds)
        self._update(step=s.step, steps=s.steps, tokens_seen=s.tokens, seconds=seconds)
        self.state = s.state
        if self.stop or s.step == s.steps or self.saving.due():
            with self.saving, self.beat.long():
                self.folder.mkdir(parents=True, exist_ok=True)
                checkpoint.save(self.checkpoint, s.state, engine=self.engine, config=self.config, bow=self.bow)
            self._update(tries=0)  # whatever comes now, the next attempt goes on from here
        if self.publishing.due():
            with self.publishing, self.beat.long():
                snapshots.publish(self.run.pk, self.attempt, s.step, s.topics, s.coherence)
                snapshots.drop_old(self.run.pk)
        events.run(self.run.pk, {"type": "snapshot", "step": s.step})

    def _store(self) -> None:
        """Give every token of the corpus a topic, and publish all of it as the final snapshot."""
        self._update(status=Run.Status.STORING)
        with self.beat.long():
            self._publish()
        snapshots.drop_old(self.run.pk)
        if self.run.parent is not None:
            self._carry()

    def _publish(self) -> None:
        topics = self.engine.topics(self.config, self.state)
        evidence = self._gather(topics)
        measures = Diagnostics(self.bow)(topics, evidence)
        self.beat.check()
        findings = snapshots.Findings(evidence, measures, divergences(topics))
        self.beat.check()
        settle(self.folder / "evidence", self.bow_folder)  # before a row says that they are there
        snapshots.publish(self.run.pk, self.attempt, self.state.t, topics, measures.coherence, findings)

    def _carry(self) -> None:
        """What readers said of the topics that this run began with; where that can't be, the curation page offers it."""
        try:
            label_transfer.carry(
                self.run.parent, Run.objects.select_related("corpus", "version", "snapshot").get(pk=self.run.pk)
            )
        except Invalid:
            return

    def _gather(self, topics: Topics) -> Evidence:
        """The evidence, and news of how far it is."""
        by_word = self.bow_folder / "by_word"
        if not by_word.exists():  # words are left out, or the corpus was read by a version without
            Postings.write(by_word, self.bow)
        postings = Postings.open(by_word)
        thetas = inference.fold_in_corpus(self.engine, self.config, self.state, self.bow)
        gathered = inference.gather(
            self.folder / "evidence", self.bow, postings, topics, thetas, by_document=self.engine.BY_DOCUMENT
        )
        for done in gathered:
            self.beat.check()
            events.run(self.run.pk, {"type": "storing", "documents": done, "of": self.bow.D})
        return Evidence.open(self.folder / "evidence", self.bow, postings)


def threads() -> int:
    """This training's share of the cores: they are divided among the runs at work. The result does not depend on it."""
    at_work = Run.objects.filter(status__in=claims.TRAINING.active).count()
    return max(1, (os.cpu_count() or 1) // max(1, at_work))
