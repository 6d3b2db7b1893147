"""How words of two sets may be asked for, and what pages show while a worker counts them."""

from dataclasses import dataclass
from typing import Literal

Order = Literal["ratio", "g2"]
Which = Literal["content", "all"]
Counts = Literal["occurrences", "documents"]


@dataclass(frozen=True)
class Counting:
    """A worker counts the words. sides: what the two are called. done: from 0 to 1. has_failed: the
    last try came to nothing, and the next one waits."""

    sides: list[str]
    done: float
    has_failed: bool = False
