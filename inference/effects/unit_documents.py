"""Documents in units: whoever is independent of the others."""

from typing import NamedTuple

import numpy as np

from inference.runtime.arrays import frozen

# units of a side below which no interval is given: with fewer it would say no more than that
# anything may be
LEAST_UNITS = 5


class Units(NamedTuple):
    """order: int32[n], documents, unit after unit; starts: int64[U + 1]. A document that is left
    out is in no question."""

    order: np.ndarray
    starts: np.ndarray

    @property
    def U(self) -> int:
        """How many units there are."""
        return len(self.starts) - 1

    @property
    def unit_of_document(self) -> np.ndarray:
        """int64[n]: the unit of each document, where every document has one."""
        unit = np.empty(len(self.order), np.int64)
        unit[self.order] = np.repeat(np.arange(self.U), np.diff(self.starts))
        return unit


def by_code(codes: np.ndarray) -> Units:
    """Documents with the same code are one unit; one without a code (below 0) is a unit of its own.
    codes: int[D]."""
    codes = np.asarray(codes)
    order = np.argsort(codes, kind="stable").astype(np.int32)
    sorted_codes = codes[order]
    new = np.ones(len(codes), bool)
    new[1:] = (sorted_codes[1:] != sorted_codes[:-1]) | (sorted_codes[1:] < 0)
    return Units(
        frozen(order, np.int32), np.append(np.flatnonzero(new), len(codes)).astype(np.int64)
    )


def documents(D: int) -> Units:
    """Each document is a unit."""
    return Units(frozen(np.arange(D, dtype=np.int32), np.int32), np.arange(D + 1, dtype=np.int64))
