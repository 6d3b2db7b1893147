"""Whether a group has documents where its share is estimated.

With the date held constant, the share of a group is estimated at the dates of all documents: a
regression says what the group would have at a usual date. Of a group that has documents at few of
these dates (presidents of 1790 to 1796 among those of two centuries) that is a prediction far from
all of its documents, and often below 0.
"""

import numpy as np

from inference.effects.time_curve import OVERLAP, SPOKEN
from inference.runtime.arrays import ABOVE_ZERO

# Parts of a line, with as many words each: a twentieth of two centuries is a decade, and six
# documents anywhere are enough
PARTS_OF_LINE = 20
# Of the words of all documents lie in parts where the group has documents, for its share to be told
LEAST_SUPPORT = OVERLAP


def parts_of_line(words: np.ndarray) -> np.ndarray:
    """int64[L]: to which of PARTS_OF_LINE parts a value belongs, of equally many words each as far
    as values allow. words: float64[L], of each value, in their order."""
    before = np.cumsum(words) - words
    middle = (before + words / 2) / max(words.sum(), ABOVE_ZERO)
    return np.minimum((PARTS_OF_LINE * middle).astype(np.int64), PARTS_OF_LINE - 1)


def support_of_groups(
    group: np.ndarray, part: np.ndarray, words: np.ndarray, groups: int
) -> np.ndarray:
    """float64[groups]: how much of all words lies in parts where a group has documents: SPOKEN of
    the words at least that it would have there if they were spread as all words are. group, part:
    int[D], of each document; words: float64[D]."""
    parts = int(part.max(initial=0)) + 1
    cells = np.bincount(group * parts + part, weights=words, minlength=groups * parts)
    words_of_cells = cells.reshape(groups, parts)
    words_of_parts = words_of_cells.sum(axis=0)
    total = max(float(words.sum()), ABOVE_ZERO)
    expected = np.outer(words_of_cells.sum(axis=1), words_of_parts) / total
    has_documents = (words_of_cells > 0) & (words_of_cells >= SPOKEN * expected)
    return has_documents @ words_of_parts / total
