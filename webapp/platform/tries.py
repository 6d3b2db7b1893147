"""Trying several things of which none waits for another."""

from collections.abc import Callable, Iterable

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
            log.exception("one of several things could not be done", act=repr(act))
            failures.append(error)
    return failures
