"""What a training says of itself while it goes on: on its page, in its row and on its charts, and to
the operator."""

import time
from typing import Any

from inference import Progress, Snapshot
from webapp.core.runs import series, snapshots
from webapp.core.runs.attempt import Attempt
from webapp.models import Metric
from webapp.platform.jobs import events, teams

COMPILES = (
    "The engine is being compiled, once on this machine. The first topics appear within about a"
    " minute."
)
TEAM_NOTED_EVERY = 10.0  # seconds between two looks at what the workers of a team do


class ProgressReports:
    """points: (step, seconds) of all snapshots so far. compiles: whether the run's page says that
    the engine is being compiled. team_noted: when the operator was last told of a team."""

    def __init__(self, attempt: Attempt):
        self.attempt = attempt
        self.points: list[tuple[int, float]] = list(
            Metric.objects.filter(run=attempt.run).values_list("step", "seconds")
        )
        self.compiles = False
        self.team_noted = 0.0

    def say_that_it_compiles(self) -> None:
        """Say on the run's page what it waits for, until something is measured; each kernel is a
        sign of life."""
        self.attempt.beat.tick()
        if not self.compiles and not self.points:
            self.compiles = True
            self.attempt.show_notice(COMPILES)

    def end_compiling(self) -> None:
        """The engine works: it is compiled."""
        if self.compiles:
            self.compiles = False
            self.attempt.show_notice("")

    def report(self, progress: Progress, seconds: float) -> None:
        """Store and publish how far it is. seconds: of all attempts."""
        self.attempt.update(
            step=progress.step, steps=progress.steps, tokens_seen=progress.tokens, seconds=seconds
        )
        events.run(
            self.attempt.run.pk,
            {
                "type": "progress",
                "step": progress.step,
                "steps": progress.steps,
                "tokens": progress.tokens,
                "seconds": seconds,
                "tokens_per_second": progress.tokens / seconds,
                "documents_per_second": progress.documents / progress.seconds,
                "left": series.left(self.points, progress.step, seconds, progress.steps),
            },
        )

    def note_team(self, team: Any) -> None:
        """Tell the operator what the workers do that share the run; team: None where none do."""
        if team is not None and time.monotonic() - self.team_noted >= TEAM_NOTED_EVERY:
            self.team_noted = time.monotonic()
            teams.note(self.attempt.run.pk, team.seats(), team.restarts)

    def measure(self, snapshot: Snapshot, seconds: float) -> None:
        """Store a point of the charts. seconds: of all attempts."""
        snapshots.measure(self.attempt.run.pk, snapshot, seconds)
        self.attempt.update(
            step=snapshot.step, steps=snapshot.steps, tokens_seen=snapshot.tokens, seconds=seconds
        )
        self.points.append((snapshot.step, seconds))
