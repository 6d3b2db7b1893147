"""How many rows of a family are accepted, and the level of all its intervals that follows."""

from typing import NamedTuple

import numpy as np

FALSE_DISCOVERY_RATE = 0.05  # of the accepted rows, the part that may be false on average
BELOW_ALL = -1.0  # a p that no row has


class Acceptance(NamedTuple):
    """rows: m, those of which something can be said; accepted: R of them."""

    rows: int
    accepted: int

    @property
    def level(self) -> float:
        """1 - FALSE_DISCOVERY_RATE max(R, 1) / m: so many of R intervals miss what they are of as may be false
        (Benjamini and Yekutieli 2005, false coverage-statement rate). A row is accepted where its
        p is at most 1 - level, which is where its interval excludes "no difference"."""
        return 1 - FALSE_DISCOVERY_RATE * max(self.accepted, 1) / max(self.rows, 1)


def accept(p: np.ndarray) -> Acceptance:
    """How many rows of a family there are, and how many are accepted. p: NaN for a row that can't
    be said."""
    rows = int(np.count_nonzero(~np.isnan(p)))
    return Acceptance(rows, int(np.count_nonzero(are_accepted(p, FALSE_DISCOVERY_RATE))))


def are_accepted(p: np.ndarray, false: float) -> np.ndarray:
    """bool, of the shape of p: rows that are accepted so that at most the part `false` of them is
    false on average, by the procedure of Benjamini and Hochberg (1995). p: NaN for a row that can't
    be said."""
    sorted_p = np.sort(p[~np.isnan(p)], axis=None)
    rank = np.arange(1, len(sorted_p) + 1)
    below = sorted_p[sorted_p <= false * rank / max(len(sorted_p), 1)]
    return p <= below.max(initial=BELOW_ALL)
