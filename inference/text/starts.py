"""Where the pieces of texts begin, in one byte each: how many characters behind the piece
before."""

from typing import NamedTuple

import numpy as np

from inference.runtime.arrays import frozen
from inference.runtime.jit import njit

FAR = 255  # a step that says: look it up


class Starts(NamedTuple):
    """Where the pieces of documents begin, one document behind another. steps: uint8, characters
    from the start of the piece before, or from the text's beginning; FAR where that is as many or
    more. far: int64[n, 2], places of such pieces, ascending, and where they begin. Of a stream of
    an older version `steps` are where the pieces begin, int32."""

    steps: np.ndarray
    far: np.ndarray

    @classmethod
    def packed(cls, starts: np.ndarray, lengths: np.ndarray, first_token: int = 0) -> "Starts":
        """starts: int32, of documents with so many pieces. first_token: of the first piece among
        all. lengths: int, how many pieces each document has."""
        steps = np.diff(starts, prepend=0)
        first = (np.cumsum(lengths) - lengths)[lengths > 0]
        steps[first] = starts[first]
        far_places = np.flatnonzero(steps >= FAR)
        return cls(
            np.minimum(steps, FAR).astype(np.uint8),
            np.stack([first_token + far_places, starts[far_places]], 1).astype(np.int64),
        )

    def of(self, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """int32: where the pieces of some documents begin, one document behind another. begins,
        ends: int[n], the places of each one's first piece and behind its last."""
        begins_of_pieces = np.empty(int(np.sum(ends) - np.sum(begins)), np.int32)
        _of(self.frozen, np.asarray(begins, np.int64), np.asarray(ends, np.int64), begins_of_pieces)
        return begins_of_pieces

    @property
    def frozen(self) -> "Starts":
        """Both arrays read-only, the one form for which kernels are compiled."""
        return Starts(frozen(self.steps, self.steps.dtype.type), frozen(self.far, np.int64))


@njit(cache=True, nogil=True)
def begin(starts, low, high, begins):
    """Where the pieces low … high - 1 begin, which are those of a document, into begins[: high -
    low], int32. starts: Starts."""
    steps, far = starts
    at = np.int64(0)
    for i in range(low, high):
        if steps.itemsize > 1:
            at = np.int64(steps[i])
        elif steps[i] == FAR:
            at = far[np.searchsorted(far[:, 0], i), 1]
        else:
            at += steps[i]
        begins[i - low] = at


@njit(cache=True, nogil=True)
def _of(starts, begins, ends, starts_of_pieces):
    """Where the pieces of some documents begin, one document behind another. starts: Starts.
    begins, ends: int64[n], of each document the places of its first piece and behind its last.
    starts_of_pieces: int32, is filled."""
    written = 0
    for d in range(len(begins)):
        begin(starts, begins[d], ends[d], starts_of_pieces[written:])
        written += ends[d] - begins[d]
