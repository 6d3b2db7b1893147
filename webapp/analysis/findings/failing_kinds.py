"""Kinds of findings that break: a page shows all others, says which one it lacks, and the log has
the error for the operator."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import structlog

from inference.errors import Invalid
from webapp.platform.mistakes import MISTAKES

log = structlog.get_logger(__name__)
Result = TypeVar("Result")


class Guard:
    """Around each kind of a run's findings. failed: the kinds that broke so far, each once."""

    def __init__(self, run_id: int):
        self.run_id = run_id
        self.failed: list[str] = []

    def listed(self, kind: str, find: Callable[[], Sequence[Result]]) -> list[Result]:
        """What `find` returns; nothing, and the kind has failed, where it raises a mistake."""
        return self.one(kind, lambda: list(find())) or []

    def one(self, kind: str, make: Callable[[], Result]) -> Result | None:
        """What `make` returns; None, and the kind has failed, where it raises a mistake."""
        try:
            return make()
        except Invalid:
            raise
        except MISTAKES as error:
            log.error("findings could not be computed", kind=kind, run=self.run_id, exc_info=error)
            if kind not in self.failed:
                self.failed.append(kind)
            return None
