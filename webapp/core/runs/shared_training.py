"""Trainings that the workers of a cluster share (inference.cluster, docs/scaling.md): the task that
holds the run's row leads, and all else of a run is as always."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog
from django.conf import settings

from inference import Bow, checkpoint, cluster, fold_in_corpus
from inference.engines.contract import AnyEngine, Divisible
from webapp.platform.jobs.heartbeat import Heartbeat

log = structlog.get_logger(__name__)
PATIENCE = 60.0  # seconds that a run waits for workers, before it trains in its own process


def is_worth_sharing(engine: AnyEngine, bow: Bow) -> bool:
    """Whether this training is to be shared: there is a cluster, it is worth it, and the engine
    can."""
    if (
        not settings.CLUSTER
        or bow.tokens < settings.CLUSTER_TOKENS
        or not isinstance(engine, Divisible)
    ):
        return False
    if not cluster.installed():
        log.warning("TOPOGRAPH_CLUSTER is set, and dask.distributed is not installed")
        return False
    return True


@contextmanager
def led(
    engine: AnyEngine,
    config: Any,
    bow: Bow,
    folder: Path,
    file: Path,
    seed: int,
    state: Any,
    beat: Heartbeat,
) -> Iterator[Any]:
    """What stands in the engine's place, inference.cluster.lead.Team, with workers at it. None
    where there are none, or the training is not to be shared.

    folder: of the bag of words. file: the checkpoint.
    """
    if not is_worth_sharing(engine, bow):
        yield None
        return
    from inference.cluster.lead import Lost, Team

    with Team(
        engine, settings.CLUSTER, file, settings.FILES, tick=beat.check, patience=PATIENCE
    ) as team:
        try:
            team.lead(config, seed, bow, folder, state)
            team.begin()
        except Lost:
            log.warning("no worker has joined; the run trains in its own process")
            yield None
            return
        log.info("workers share a run", count=len(team.members))
        yield team


def lost(error: RuntimeError) -> bool:
    """Whether a training ended for want of workers."""
    if not cluster.installed():
        return False
    from inference.cluster.lead import Lost

    return isinstance(error, Lost)


def save(file: Path, state: Any, team: Any, engine: AnyEngine, config: Any, bow: Bow) -> None:
    """Write the checkpoint: in parts where workers have the memory of topics, else whole."""
    if team is not None:
        return team.save(file, state)
    checkpoint.save(file, state, engine=engine, config=config, bow=bow)
    cluster.parts.drop(file)


def evidence(team: Any, engine: AnyEngine, config: Any, state: Any, bow: Bow) -> Iterator[Any]:
    """What inference.gather writes: by the workers that shared the training, who are let go then,
    else by this process."""
    if team is None:
        yield from fold_in_corpus(engine, config, state, bow)
        return
    from inference.cluster import store

    yield from store.evidence(team, state)
    team.end()
