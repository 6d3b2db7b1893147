"""Whether this process is a worker of the sandbox, which reads an archive's entries itself, and
says which one is next: where it dies the others are still read."""

from collections.abc import Callable

_next: Callable[[str], None] | None = None
_passed_over: dict[str, str] = {}


def answers(next: Callable[[str], None], passed_over: dict[str, str]) -> None:
    """From now on this process is a worker that answers such a question. next: is told of each
    entry before a library parses it. passed_over: entries at which a worker has died, each with the
    sentence about it."""
    global _next, _passed_over
    _next = next
    _passed_over = passed_over


def now() -> bool:
    """Whether this process is a worker of the sandbox."""
    return _next is not None


def passed_over(name: str) -> str | None:
    """What is said of an entry that is not read again; None for one that is read."""
    return _passed_over.get(name)


def reads(name: str) -> None:
    """Say that an entry is parsed from here on."""
    if _next:
        _next(name)
