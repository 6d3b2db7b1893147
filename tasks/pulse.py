"""Whether a worker still takes tasks. Its main loop could hang while its other threads beat and
sweep: then the roster would show a worker, and what is queued would wait for ever."""

import os
import signal

import structlog
from celery import bootsteps

INTERVAL = 1.0  # seconds between two ticks of the main loop
# Beats that Redis answered, without a tick, after which the loop counts as hung
MOST_MISSED_BEATS = 60

log = structlog.get_logger(__name__)


class Silence:
    """Counts beats since the main loop's last tick. By beats, not by the clock: a starved process
    beats seldom, too."""

    def __init__(self) -> None:
        self.beats = 0

    def tick(self) -> None:
        """In the main loop."""
        self.beats = 0

    def beat(self) -> None:
        """Called in the heartbeat's thread after Redis has answered, as the loop rightly waits
        while Redis is away. Ends the process where the loop hangs: its supervisor starts another,
        and its tasks continue from their last checkpoints."""
        self.beats += 1
        if self.beats > MOST_MISSED_BEATS:
            log.error("the worker's main loop hangs; the process ends itself", count=self.beats)
            os.kill(os.getpid(), signal.SIGKILL)


silence = Silence()


class Pulse(bootsteps.StartStopStep):
    """Ticks in the consumer's loop. Begun again with each connection, as timers end with it."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def start(self, parent) -> None:
        parent.timer.call_repeatedly(INTERVAL, silence.tick)
