"""An answer that a worker has to make first, as pages and the API say it: with status 202, which
tells a program to ask again.

Where there is nothing to show yet, NotYet is raised. Where there is something, such as what was
computed before, the page says itself that it `is_waiting` (MayWait).
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, runtime_checkable


class WaitingPage(Protocol):
    """What is shown while a worker makes the answer. has_failed: its last try came to nothing, and
    the next one waits."""

    @property
    def has_failed(self) -> bool: ...


@dataclass
class NotYet(Exception):
    """A worker makes the answer, or is asked to. page: what is shown meanwhile, one of the page's
    types. `typed` and the API answer with it, and with status 202."""

    page: WaitingPage


@runtime_checkable
class MayWait(Protocol):
    """A page that may be shown before its answer is there. is_waiting: whether a worker makes it,
    or makes it anew."""

    @property
    def is_waiting(self) -> bool: ...


def status_of(page: object) -> HTTPStatus:
    """202 for a page whose answer is still being made, else 200."""
    is_waiting = isinstance(page, MayWait) and page.is_waiting
    return HTTPStatus.ACCEPTED if is_waiting else HTTPStatus.OK
