"""Trying several things of which none waits for another."""

from collections.abc import Callable, Iterable
from functools import partial

import structlog

log = structlog.get_logger(__name__)


def try_each(acts: Iterable[Callable[[], object]]) -> None:
    """Do all of them, whatever becomes of the others. Raises ExceptionGroup of those that failed."""
    failures = do_all(acts)
    if failures:
        raise ExceptionGroup(f"{len(failures)} could not be done", failures)


def do_all(acts: Iterable[Callable[[], object]]) -> list[Exception]:
    """Do all of them, whatever becomes of the others; the errors of those that failed, which are in
    the log."""
    failures = []
    for act in acts:
        try:
            act()
        except Exception as error:
            # Only the function: what it is done to may name a person
            function = act.func if isinstance(act, partial) else act
            log.exception(
                "one of several things could not be done",
                part=f"{function.__module__}.{function.__qualname__}",
            )
            failures.append(error)
    return failures
