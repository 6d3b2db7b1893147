"""What a reader is told of a file at which a library failed: each library has its own ways to say that it is damaged."""

import contextlib
from collections.abc import Iterator

from webapp.readers.model import Unreadable
from webapp.readers.opening import clean


@contextlib.contextmanager
def told(name: str, label: str) -> Iterator[None]:
    """Every error of a library becomes Unreadable, but MemoryError: the process is then of no more use. label: of the
    format."""
    try:
        yield
    except (Unreadable, MemoryError, ConnectionError):  # the last: nobody waits for the answer any more
        raise
    except RecursionError:
        raise Unreadable(f"“{name}” can't be read: what is in it is nested too deeply. Save it again.") from None
    except Exception as error:
        why = clean(f"{type(error).__name__}: {error}".encode("utf-8", "replace").decode())[:200]
        raise Unreadable(f"“{name}” can't be read: it is damaged, or no {label} ({why}). Save it again.") from None
