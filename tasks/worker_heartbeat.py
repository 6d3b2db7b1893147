"""A worker's own life: it says that it lives, sweeps up after those that died, and takes its children with it."""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import structlog
from celery.signals import worker_process_init, worker_ready, worker_shutting_down
from django.db import close_old_connections, connection

from webapp.jobs import claims, events
from webapp.operations import upkeep

log = structlog.get_logger(__name__)

BEAT = 1.5  # seconds; a key lives for events.WORKER_SECONDS
SWEEP = 5.0  # seconds
TIDY = 60.0  # seconds

_stopping = threading.Event()


@worker_ready.connect
def begin(sender, **_):
    threading.Thread(target=_live, args=(f"{sender.hostname}:{os.getpid()}",), daemon=True, name="liveness").start()
    threading.Thread(target=_tidy, daemon=True, name="tidy").start()  # a large corpus takes minutes to take away


@worker_shutting_down.connect
def end(**_):
    _stopping.set()


def _live(name: str) -> None:
    sweep, due = claims.Sweep(), 0.0

    def look() -> None:
        close_old_connections()
        sweep()

    while not _stopping.is_set():
        _try(events.beat, name)
        if time.monotonic() >= due:
            _try(look)
            due = time.monotonic() + SWEEP
        _stopping.wait(BEAT)


def _tidy() -> None:
    while not _stopping.wait(TIDY):
        _try(upkeep.tidy)
        connection.close()


def _try(work: Callable, *arguments) -> None:
    """Whatever fails here is tried again soon; the worker must go on living."""
    try:
        work(*arguments)
    except Exception as error:
        log.warning("the worker could not do its own work", exc_info=error)


@worker_process_init.connect
def die_with_parent(**_):
    """A child must not go on alone when its worker is killed: it could not be stopped, nor seen."""
    if sys.platform == "linux":
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@worker_process_init.connect
def step_back(**_):
    """Pages come first: somebody waits for them, and a training takes whatever is left. Threads of kernels are as the process is."""
    os.nice(10)
