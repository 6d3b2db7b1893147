"""The topics of a training before its end: those that its pages show, and how they form."""

from inference import Bow, Snapshot
from webapp.core.runs import snapshots
from webapp.core.runs.attempt import Attempt
from webapp.core.runs.forming import FormingWriter
from webapp.core.runs.time_budget import TimeBudget
from webapp.platform.jobs import events

# of a training's time at most goes into publishing topics that the next snapshot replaces
PUBLISH_SHARE = 0.05
FORMING_SHARE = 0.1  # the same of what the page of the training shows


class EarlyTopics:
    """Shows the topics of an attempt, as often as their time budgets allow."""

    def __init__(self, attempt: Attempt, bow: Bow):
        self.attempt = attempt
        self.forming = FormingWriter(attempt.run, bow)
        self.forming_budget = TimeBudget(FORMING_SHARE)
        self.publishing_budget = TimeBudget(PUBLISH_SHARE)

    def show_forming(self, snapshot: Snapshot, is_last: bool) -> None:
        """For the page of the training, which has the last snapshot in any case."""
        if is_last or self.forming_budget.allows():
            with self.forming_budget, self.attempt.beat.long():
                self.forming.write(snapshot.step, snapshot.topics)
        events.run(self.attempt.run.pk, {"type": "snapshot", "step": snapshot.step})

    def publish(self, snapshot: Snapshot) -> None:
        """For all pages of the run."""
        if not self.publishing_budget.allows():
            return
        run = self.attempt.run.pk
        with self.publishing_budget, self.attempt.beat.long():
            with snapshots.store(run, snapshot.step, snapshot.topics, snapshot.coherence) as stored:
                stored.show(self.attempt.number)
            snapshots.drop_old(run)
