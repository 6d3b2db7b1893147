"""Whether this process is a worker of the sandbox, which reads an archive's entries itself, and says which one is next:
where it dies the others are still read."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Worker:
    """next: is told of each entry before a library parses it. passed_over: entries at which a worker has died, each with
    the sentence about it."""

    next: Callable[[str], None]
    passed_over: dict[str, str] = field(default_factory=dict)


_current: Worker | None = None


def answers(worker: Worker) -> None:
    """From now on this process is a worker that answers such a question."""
    global _current
    _current = worker


def now() -> bool:
    """Whether this process is a worker of the sandbox."""
    return _current is not None


def passed_over(name: str) -> str | None:
    """What is said of an entry that is not read again; None for one that is read."""
    return _current.passed_over.get(name) if _current else None


def reads(name: str) -> None:
    """Say that an entry is parsed from here on."""
    if _current:
        _current.next(name)
