"""The job that trains a run: it drives the engine, and hands on what comes out."""

import os
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db.models.functions import Now

import inference
from inference import Progress, Snapshot
from inference.cluster import parts
from inference.engines.contract import State
from inference.runtime.jit import told_of_compiling
from inference.runtime.versions import versions
from webapp.core.runs import shared_training
from webapp.core.runs.attempt import Attempt
from webapp.core.runs.checkpoints import CheckpointWriter
from webapp.core.runs.early_topics import EarlyTopics
from webapp.core.runs.final_results import RunFindings, store_results
from webapp.core.runs.progress_reports import ProgressReports
from webapp.core.runs.starting import StartingPoint, open_model, starting_point
from webapp.models import Run
from webapp.platform.jobs import kinds, scheduler
from webapp.platform.jobs.heartbeat import Heartbeat, run_next


def train(run_id: int, findings: RunFindings) -> None:
    """Train a queued run to its end, from its checkpoint where another process left one."""

    def work(pk: int, number: int, beat: Heartbeat) -> None:
        run = Run.objects.select_related("corpus", "version", "parent").get(pk=pk)
        Training(Attempt(run, number, beat), findings).run_to_end()

    run_next(kinds.TRAIN, run_id, work)


class Training:
    """One attempt at training a run: which steps are taken, and who is told of each. Each of its
    parts does one thing with what comes out of the engine."""

    def __init__(self, attempt: Attempt, findings: RunFindings):
        self.attempt = attempt
        self.run = attempt.run
        self.findings = findings
        self.model = open_model(self.run)
        self.reports = ProgressReports(attempt)
        self.early_topics = EarlyTopics(attempt, self.model.bow)
        self.checkpoints = CheckpointWriter(attempt, self.model)
        self.began = time.monotonic()

    def run_to_end(self) -> None:
        """Train, with the workers of a cluster where there are any; by itself where these are
        lost."""
        if self.run.notice:  # of an attempt that ended while it compiled
            self.attempt.update(notice="")
        with told_of_compiling(self.reports.say_that_it_compiles):
            start = starting_point(self.run, self.model)
            if self.run.started_at is None:
                self.attempt.update(started_at=Now(), versions=versions())
            try:
                self._train(start, shared=True)
            except RuntimeError as error:
                if not shared_training.lost(error):
                    raise
                self._train(starting_point(self.run, self.model), shared=False)

    def _train(self, start: StartingPoint, shared: bool) -> None:
        """Go through all steps, and store what came of it. shared: by the workers of a cluster,
        where there are any; the topics are the same."""
        model = self.model
        self.attempt.stops = False
        with self._gather_team(start.state, shared) as team:
            if team is None and start.state is not None:
                parts.gather(
                    model.checkpoint,
                    start.state,
                    model.bow,
                    engine=model.engine,
                    config=model.config,
                    scratch=model.folder,
                )
            state = self._take_steps(start, team)
            store_results(self.attempt, model, state, team, self.findings)

    def _gather_team(self, state: State | None, shared: bool) -> AbstractContextManager[Any]:
        """What stands in the engine's place, with workers of a cluster at it; None where there are
        none, or the training is not to be shared."""
        if not shared:
            return nullcontext()
        model = self.model
        return shared_training.led(
            model.engine,
            model.config,
            model.bow,
            model.bow_folder,
            model.checkpoint,
            self.run.seed,
            state,
            self.attempt.beat,
        )

    def _take_steps(self, start: StartingPoint, team: Any) -> State:
        """All steps that are left. Returns the state after the last."""
        state = start.state
        for event in inference.train(
            team or self.model.engine,
            self.model.config,
            self.model.bow,
            seed=self.run.seed,
            resume=state,
            threads=threads,
            scratch=self.model.folder,
            until=lambda: self.attempt.stops,
        ):
            self.attempt.beat.check()
            self.reports.end_compiling()
            seconds = start.seconds + event.seconds
            if isinstance(event, Progress):
                self.reports.report(event, seconds)
                self.reports.note_team(team)
                self.attempt.look_for_request()
            else:
                state = event.state
                self._keep(event, seconds, team)
        if state is None:
            raise AssertionError("A training that ends has a state.")
        return state

    def _keep(self, snapshot: Snapshot, seconds: float, team: Any) -> None:
        """Store a point of the charts; and a checkpoint and the topics, where their time budgets
        allow it. seconds: of all attempts."""
        self.reports.measure(snapshot, seconds)
        is_last = self.attempt.stops or snapshot.step == snapshot.steps
        gives_way = not is_last and scheduler.gives_way(self.run.by_id, self.began)
        self.early_topics.show_forming(snapshot, is_last)
        if is_last or gives_way or self.checkpoints.budget.allows():
            self.checkpoints.save(snapshot.state, team)
        if gives_way:
            self.attempt.give_way()
        self.early_topics.publish(snapshot)


def threads() -> int:
    """How many threads a training may use: its share of the cores, divided among the runs at work.
    The topics do not depend on it."""
    cores = os.cpu_count() or 1
    return max(1, cores // max(1, kinds.TRAIN.at_work.count()))
