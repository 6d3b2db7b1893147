"""The checkpoint of a training, from which another attempt continues."""

from typing import Any

import structlog
from django.db import transaction

from inference import checkpoint
from inference.cluster import parts
from inference.engines.contract import State
from webapp.core.runs import shared_training
from webapp.core.runs.attempt import Attempt
from webapp.core.runs.starting import TrainedModel
from webapp.core.runs.time_budget import TimeBudget
from webapp.models import Run
from webapp.platform.storage import sealed

log = structlog.get_logger(__name__)

# of a training's time at most goes into checkpoints: for a large corpus they hold gigabytes
CHECKPOINT_SHARE = 0.1


class CheckpointWriter:
    """Writes the checkpoints of an attempt."""

    def __init__(self, attempt: Attempt, model: TrainedModel):
        self.attempt = attempt
        self.model = model
        self.budget = TimeBudget(CHECKPOINT_SHARE)

    def save(self, state: State, team: Any) -> None:
        """team: of the workers that share the training, None where none do."""
        model = self.model
        with self.budget, self.attempt.beat.long():
            model.folder.mkdir(parents=True, exist_ok=True)
            shared_training.save(
                model.checkpoint, state, team, model.engine, model.config, model.bow
            )
            items = self._store(team)
        with transaction.atomic():
            self.attempt.update(tries=0)  # the next attempt would continue from here
            sealed.record(items)

    def _store(self, team: Any) -> list[sealed.Stored]:
        """So that a worker on another machine can go on from it. Where the store is away, one on
        this machine can; of a shared training those that see its parts, which the store has not."""
        if team is not None:
            return []
        try:
            return sealed.put(self.model.checkpoint)
        except sealed.StoreAway as error:
            run = self.attempt.run.pk
            log.warning("a checkpoint is on this machine alone", run=run, error=str(error))
            return []


def forget_documents(run: Run, model: TrainedModel) -> None:
    """Make the checkpoint smaller, from which no training goes on any more. Where that can't be, it
    stays as it was."""
    try:
        checkpoint.finish(model.checkpoint, engine=model.engine)
        parts.drop(model.checkpoint)
        items = sealed.put(model.checkpoint)
    except OSError as error:
        log.warning("a finished run keeps its whole checkpoint", run=run.pk, error=str(error))
    else:
        with transaction.atomic():
            sealed.record(items)
