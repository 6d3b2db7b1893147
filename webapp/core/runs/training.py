"""The job that trains a run: it drives the engine, stores what comes out, and tells open pages."""

import os
import shutil
import time
from contextlib import nullcontext, suppress
from typing import Protocol

import numpy as np
import structlog
from django.db import transaction
from django.db.models.functions import Now

import inference
from inference import (
    Bow,
    Evidence,
    Invalid,
    Postings,
    Progress,
    Snapshot,
    Topics,
    checkpoint,
    engines,
)
from inference.cluster import parts
from inference.engines.contract import State
from inference.evaluate import diagnose
from inference.explore.company import Company, company
from inference.explore.distances import divergences
from inference.runtime.durable import settle
from inference.runtime.jit import told_of_compiling
from inference.runtime.versions import versions
from webapp.core.curation import label_transfer, services as curation
from webapp.core.documents import fields, search
from webapp.core.runs import left_to_right, names, replicates, series, shared_training, snapshots
from webapp.core.runs.forming import FormingWriter
from webapp.core.runs.starting import StartingPoint, TrainedModel, starting_point
from webapp.intake.ingest.stored_steering import Steering
from webapp.models import Metric, Run, Word
from webapp.platform.jobs import claims, dispatch, events, kinds, scheduler, teams
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage import files, sealed

log = structlog.get_logger(__name__)

PUBLISH_SHARE = (
    0.05  # of a training's time at most goes into publishing topics that the next snapshot replaces
)
FORMING_SHARE = 0.1  # the same of what the page of the training shows
COMPILES = (
    "The engine is being compiled, once on this machine. The first topics appear within about a"
    " minute."
)
CHECKPOINT_SHARE = 0.1  # the same of checkpoints: for a large corpus they hold gigabytes


class RunFindings(Protocol):
    """What computes the findings of a run. It stands in a wing above, so `train` is given it
    (webapp.analysis.findings.stored)."""

    def promise(self, run: Run) -> None:
        """They will be computed at once: a page that is opened meanwhile waits for them."""

    def compute(self, run_id: int) -> None:
        """Compute and store them."""


def train(run_id: int, findings: RunFindings) -> None:
    """Train a queued run to its end, from its checkpoint where another process left one."""

    def work(pk: int, attempt: int, beat: Heartbeat) -> None:
        run = Run.objects.select_related("corpus", "version", "parent").get(pk=pk)
        Training(run, attempt, beat, findings).run_to_end()

    run_next(kinds.TRAIN, run_id, work)


class TimeBudget:
    """Bounds how often something is done, so that it takes at most `share` of the time. `with` it
    measures each time."""

    def __init__(self, share: float):
        self.share = share
        self.ended = time.monotonic()
        self.seconds = 0.0

    def allows(self) -> bool:
        return time.monotonic() - self.ended >= self.seconds / self.share

    def __enter__(self):
        self.began = time.monotonic()

    def __exit__(self, *_):
        self.ended = time.monotonic()
        self.seconds = self.ended - self.began


class Training:
    """One attempt at training a run.

    stop: whether the user wants the training to end now. points: (step, seconds) of all snapshots
    so far. compiles: whether the run's page says that the engine is being compiled. told: when the
    operator was last told of a team.
    """

    def __init__(self, run: Run, attempt: int, beat: Heartbeat, findings: RunFindings):
        self.run = run
        self.attempt = attempt
        self.beat = beat
        self.findings = findings
        self.bow_folder = files.bow_folder(run.version_id, run.pk, run.dropped)
        self.bow = self._bow()
        self.engine = engines.get(run.engine)
        self.config = engines.config(run.engine, **run.settings).resolve(
            self.bow.D, self.bow.tokens
        )
        self.folder = files.run_folder(run.pk)
        self.model = TrainedModel(self.engine, self.config, self.bow, self.folder)
        self.checkpoint = self.model.checkpoint
        self.saving = TimeBudget(CHECKPOINT_SHARE)
        self.publishing = TimeBudget(PUBLISH_SHARE)
        self.forming = FormingWriter(run, self.bow)
        self.showing = TimeBudget(FORMING_SHARE)
        self.compiles = False
        self.points: list[tuple[int, float]] = list(
            Metric.objects.filter(run=run).values_list("step", "seconds")
        )
        self.began = time.monotonic()
        self.told = 0.0

    def _bow(self) -> Bow:
        """The bag of words of the version, or of the run where it leaves words out, which is made
        here."""
        if self.run.dropped and not (self.bow_folder / "meta.json").exists():
            words = Word.objects.filter(version=self.run.version_id, word__in=self.run.dropped)
            folder = files.version_folder(self.run.version_id) / "bow"
            sealed.opened(lambda: Bow.open(folder), folder).without(
                np.array(words.values_list("number", flat=True), np.int64), self.bow_folder
            )
        return sealed.opened(lambda: Bow.open(self.bow_folder), self.bow_folder)

    def run_to_end(self) -> None:
        if self.run.notice:  # of an attempt that ended while it compiled
            self._update(notice="")
        with told_of_compiling(self._say_that_it_compiles):
            start = starting_point(self.run, self.model)
            if self.run.started_at is None:
                self._update(started_at=Now(), versions=versions())
            try:
                self._train(start, shared=True)
            except RuntimeError as error:
                if not shared_training.lost(error):
                    raise
                self._train(starting_point(self.run, self.model), shared=False)

    def _train(self, start: StartingPoint, shared: bool) -> None:
        """Go through all steps, and store what came of it. shared: by the workers of a cluster,
        where there are any; the topics are the same."""
        self.stop = False
        state = start.state
        team_arguments = (
            self.bow,
            self.bow_folder,
            self.checkpoint,
            self.run.seed,
            state,
            self.beat,
        )
        with (
            shared_training.led(self.engine, self.config, *team_arguments)
            if shared
            else nullcontext()
        ) as self.team:
            if self.team is None and state is not None:
                parts.gather(
                    self.checkpoint,
                    state,
                    self.bow,
                    engine=self.engine,
                    config=self.config,
                    scratch=self.folder,
                )
            for event in inference.train(
                self.team or self.engine,
                self.config,
                self.bow,
                seed=self.run.seed,
                resume=state,
                threads=threads,
                scratch=self.folder,
                until=lambda: self.stop,
            ):
                self.beat.check()
                if self.compiles:
                    self.compiles = False
                    self._tell("")
                seconds = start.seconds + event.seconds
                if isinstance(event, Progress):
                    self._report(event, seconds)
                else:
                    state = event.state
                    self._keep(event, seconds)
            if state is None:
                raise AssertionError("A training that ends has a state.")
            self._finish(state)

    def _say_that_it_compiles(self) -> None:
        """Say on the run's page what it waits for, until something is measured; each kernel is a
        sign of life."""
        self.beat.tick()
        if not self.compiles and not self.points:
            self.compiles = True
            self._tell(COMPILES)

    def _tell(self, notice: str) -> None:
        # Which the next look at the heartbeat raises, outside numba
        with suppress(claims.ClaimLost):
            self._update(notice=notice)
        events.run(self.run.pk, events.status_event(Run.Status.RUNNING, notice=notice))

    def _update(self, **fields) -> None:
        claims.update(kinds.TRAIN, self.run.pk, self.attempt, **fields)

    def _report(self, p: Progress, seconds: float) -> None:
        """Store and publish the progress, and look whether the user wants the training to end.
        seconds: of all attempts."""
        self._update(step=p.step, steps=p.steps, tokens_seen=p.tokens, seconds=seconds)
        events.run(
            self.run.pk,
            {
                "type": "progress",
                "step": p.step,
                "steps": p.steps,
                "tokens": p.tokens,
                "seconds": seconds,
                "tokens_per_second": p.tokens / seconds,
                "documents_per_second": p.documents / p.seconds,
                "left": series.left(self.points, p.step, seconds, p.steps),
            },
        )
        # The operator is told what the workers do that share the run
        if self.team is not None and time.monotonic() - self.told >= 10.0:
            self.told = time.monotonic()
            teams.note(self.run.pk, self.team.seats(), self.team.restarts)
        self.stop = self._look_for_request() == Run.Request.STOP

    def _look_for_request(self) -> str:
        """What the user asks for, "" for nothing. Raises claims.Cancelled where the run was
        cancelled."""
        request = Run.everything.values_list("request", flat=True).get(pk=self.run.pk)
        if request == Run.Request.CANCEL:
            with transaction.atomic():
                self._update(status=Run.Status.CANCELLED, finished_at=Now())
                snapshots.discard(self.run.pk)
            raise claims.Cancelled(f"run {self.run.pk}")
        return request

    def _keep(self, s: Snapshot, seconds: float) -> None:
        """Store a point of the charts; and a checkpoint and the topics, where their time budgets
        allow it. seconds: of all attempts."""
        snapshots.measure(self.run.pk, s, seconds)
        self._update(step=s.step, steps=s.steps, tokens_seen=s.tokens, seconds=seconds)
        self.points.append((s.step, seconds))
        ends = self.stop or s.step == s.steps
        gives_way = not ends and scheduler.gives_way(self.run.by_id, self.began)
        if ends or self.showing.allows():
            with self.showing, self.beat.long():
                self.forming.write(s.step, s.topics)
        events.run(self.run.pk, {"type": "snapshot", "step": s.step})
        if ends or gives_way or self.saving.allows():
            with self.saving, self.beat.long():
                self.folder.mkdir(parents=True, exist_ok=True)
                shared_training.save(
                    self.checkpoint, s.state, self.team, self.engine, self.config, self.bow
                )
                items = self._store_checkpoint()
            with transaction.atomic():
                self._update(tries=0)  # the next attempt would continue from here
                sealed.record(items)
        # and goes on from the checkpoint when those have had their turn who wait and have had none
        if gives_way:
            self._update(status=Run.Status.QUEUED)
            dispatch.send(kinds.TRAIN, self.run.pk)
            raise claims.GaveWay(f"run {self.run.pk}")
        if self.publishing.allows():
            with self.publishing, self.beat.long():
                snapshots.publish(self.run.pk, self.attempt, s.step, s.topics, s.coherence)
                snapshots.drop_old(self.run.pk)

    def _store_checkpoint(self) -> list[sealed.Stored]:
        """So that a worker on another machine can go on from it. Where the store is away, one on
        this machine can; of a shared training those that see its parts, which the store has not."""
        if self.team is not None:
            return []
        try:
            return sealed.put(self.checkpoint)
        except sealed.StoreAway as error:
            log.warning("a checkpoint is on this machine alone", run=self.run.pk, error=str(error))
            return []

    def _finish(self, state: State) -> None:
        """Give every token of the corpus a topic, and publish the final snapshot; then do what
        nobody needs to wait for, and what pages offer where the worker ends before."""
        # Once it is published its row is at work no more
        with dispatch.at_work(kinds.TRAIN.task, [self.run.pk]):
            self._store_results(state)

    def _store_results(self, state: State) -> None:
        self._update(status=Run.Status.STORING)
        # It may have been asked while the last checkpoint was written; from here on
        # services.cancel ends the run itself.
        self._look_for_request()
        with self.beat.long():
            topics = self._publish(state)
            self._forget_documents()
        snapshots.drop_old(self.run.pk)
        if self.run.parent is not None:
            self._transfer_labels()
        self.findings.compute(self.run.pk)
        likelihood = left_to_right.measure(
            self.bow, self.run.seed, topics, self.engine.priors(self.config, state).alpha
        )
        # Where the worker ends before, there is none
        self.run.snapshots.filter(final=True).update(left_to_right=likelihood)

    def _forget_documents(self) -> None:
        """Make the checkpoint smaller, from which no training goes on any more. Where that can't
        be, it stays as it was."""
        try:
            checkpoint.finish(self.checkpoint, engine=self.engine)
            parts.drop(self.checkpoint)
            items = sealed.put(self.checkpoint)
        except OSError as error:
            log.warning(
                "a finished run keeps its whole checkpoint", run=self.run.pk, error=str(error)
            )
        else:
            with transaction.atomic():
                sealed.record(items)

    def _publish(self, state: State) -> Topics:
        topics = self.engine.topics(self.config, state)
        evidence = self._gather_evidence(topics, state)
        measures = diagnose(self.bow, topics, evidence)
        self.beat.check()
        kinds_of = company(evidence)
        outcome = snapshots.Outcome(
            evidence,
            measures,
            divergences(topics),
            self._name_topics(topics, evidence, kinds_of),
            kinds_of,
        )
        self._index_phrases(outcome.called.phrases)
        finished_folders = self.folder / "evidence", self.bow_folder
        settle(*finished_folders)  # they are on the disk before a row points to them
        items = sealed.put(*finished_folders, self.checkpoint)
        self.findings.promise(self.run)
        with transaction.atomic():
            snapshots.publish(
                self.run.pk, self.attempt, state.t, topics, measures.coherence, outcome
            )
            sealed.record(items)
            # In the same transaction: nobody continues a run that is done where the worker ends
            self._label_named()
            replicates.begin_by_itself(Run.objects.select_related("snapshot").get(pk=self.run.pk))
        return topics

    def _name_topics(self, topics: Topics, evidence: Evidence, kinds_of: Company) -> names.Called:
        """From the texts; of words alone where that fails, which the run's overview says."""
        try:
            return names.of_texts(self.run, evidence, kinds_of, self.beat)
        except names.MISTAKES:
            log.exception("names of topics could not be made from the texts", run=self.run.pk)
            return names.of_words_alone(self.run.pk, topics)

    def _index_phrases(self, phrases: list[list[tuple[str, int, int]]]) -> None:
        """Where the topics' phrases stand, which keyness asks. A corpus that has no index, as of
        bags of words, has none of these."""
        folder = names.phrases_folder(self.run.pk)
        shutil.rmtree(folder, ignore_errors=True)  # of an attempt that was killed
        with suppress(Invalid):
            index = search.open_index(self.run.corpus)
            postings = index.postings(names.distinct(phrases), self.beat.check)
            postings.save(folder)

    def _label_named(self) -> None:
        """Topics that were named before the training have these names as labels."""
        topics = Steering.of_run(self.run).named
        values = {number: {"label": topic.name} for number, topic in enumerate(topics)}
        if values:
            curation.change_many(self.run, values, "named before the training")

    def _transfer_labels(self) -> None:
        """Take over what readers said of the parent's topics. Where that is refused, the curation
        page offers it."""
        run = Run.objects.select_related("corpus", "version", "snapshot").get(pk=self.run.pk)
        parent = self.run.parent
        if parent is None:
            return
        with suppress(Invalid):
            label_transfer.carry(parent, run)

    def _gather_evidence(self, topics: Topics, state: State) -> Evidence:
        """Write the evidence: the topic of every token. Publishes how far it is."""
        by_word = self.bow_folder / "by_word"
        if not by_word.exists():  # the run leaves words out, or an older Topograph read the corpus
            Postings.write(by_word, self.bow)
        postings = Postings.open(by_word)
        blocks = shared_training.evidence(self.team, self.engine, self.config, state, self.bow)
        for done in inference.gather(
            self.folder / "evidence",
            self.bow,
            postings,
            topics,
            blocks,
            by_document=self.engine.ABOUT.by_document,
            days=fields.dates(self.run.version),
        ):
            self.beat.check()
            events.run(self.run.pk, {"type": "storing", "documents": done, "of": self.bow.D})
        return Evidence.open(self.folder / "evidence", self.bow, postings)


def threads() -> int:
    """How many threads a training may use: its share of the cores, divided among the runs at work.
    The topics do not depend on it."""
    return max(
        1,
        (os.cpu_count() or 1) // max(1, Run.objects.filter(status__in=kinds.TRAIN.active).count()),
    )
