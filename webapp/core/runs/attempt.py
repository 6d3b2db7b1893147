"""One attempt at training a run, as the run's row knows it: what is written there in the name of the
attempt, and what the user asks for meanwhile."""

from contextlib import suppress

from django.db import transaction
from django.db.models.functions import Now

from webapp.core.runs import snapshots
from webapp.models import Run
from webapp.platform.jobs import claims, dispatch, events, kinds
from webapp.platform.jobs.heartbeat import Heartbeat


class Attempt:
    """number: of the attempt. A row that belongs to another attempt takes nothing from this one.
    stops: whether the user wants the training to end now."""

    def __init__(self, run: Run, number: int, beat: Heartbeat):
        self.run = run
        self.number = number
        self.beat = beat
        self.stops = False

    def update(self, **fields) -> None:
        """Write fields of the run's row. Raises claims.ClaimLost."""
        claims.update(kinds.TRAIN, self.run.pk, self.number, **fields)

    def show_notice(self, notice: str) -> None:
        """Say something on the run's page; "" takes away what it says."""
        # A claim that is lost is raised by the next look at the heartbeat, outside numba
        with suppress(claims.ClaimLost):
            self.update(notice=notice)
        events.run(self.run.pk, events.status_event(Run.Status.RUNNING, notice=notice))

    def look_for_request(self) -> None:
        """Look whether the user wants the training to end. Raises claims.Cancelled where the run was
        cancelled."""
        request = Run.everything.values_list("request", flat=True).get(pk=self.run.pk)
        if request == Run.Request.CANCEL:
            with transaction.atomic():
                self.update(status=Run.Status.CANCELLED, finished_at=Now())
                snapshots.discard(self.run.pk)
            raise claims.Cancelled(f"run {self.run.pk}")
        self.stops = request == Run.Request.STOP

    def give_way(self) -> None:
        """Queue the run again: it goes on from the checkpoint when those who wait, and have had no
        turn, have had theirs. Raises claims.GaveWay."""
        self.update(status=Run.Status.QUEUED)
        dispatch.send(kinds.TRAIN, self.run.pk)
        raise claims.GaveWay(f"run {self.run.pk}")
