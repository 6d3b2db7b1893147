"""Work that a worker repeats in threads of its own, beside its jobs."""

import threading
from collections.abc import Callable

import structlog
from django.db import close_old_connections

log = structlog.get_logger(__name__)


def repeat(name: str, seconds: float, work: Callable[[], None], stopping: threading.Event) -> None:
    """Call `work` now and every so many seconds, until `stopping` is set. When it fails it is
    called again all the same."""

    def run() -> None:
        while not stopping.is_set():
            try:
                work()
            except Exception as error:
                log.warning("the worker could not do its own work", exc_info=error)
            close_old_connections()
            stopping.wait(seconds)

    threading.Thread(target=run, daemon=True, name=name).start()
