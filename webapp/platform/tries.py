"""Trying several things of which none waits for another."""

from collections.abc import Callable, Iterable


def try_each(acts: Iterable[Callable[[], object]]) -> None:
    """Do all of them, whatever becomes of the others. Raises ExceptionGroup of those that failed."""
    failures = []
    for act in acts:
        try:
            act()
        except Exception as error:
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} could not be done", failures)
