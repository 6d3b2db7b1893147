"""G², the log-likelihood ratio of a table of counts: how much likelier the counts are than if what
they count were independent (Dunning 1993, "Accurate methods for the statistics of surprise and
coincidence", Computational Linguistics 19)."""

import numpy as np

# Of independent counts one in a thousand has as much or more: the 0.1% point of chi-squared with
# one degree of freedom, which G² of four cells has
SIGNIFICANT_G2 = 10.83


def g2_of_parts(counts: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """float64[n]: G² of n words in two parts, such as two sets of documents: of each word the four
    cells are its own count and that of all others, in either part (Dunning 1993, section 5).

    counts: int64[n, 2], of each word in either part. totals: int64[2], of all words, or of all
    documents, in either part.
    """
    cells = np.stack([counts, totals - counts], axis=2).astype(np.float64)  # n, part, word or other
    expected = (
        cells.sum(axis=1, keepdims=True)
        * cells.sum(axis=2, keepdims=True)
        / cells.sum(axis=(1, 2), keepdims=True)
    )
    return g2_of_cells(cells, expected)


def g2_of_cells(cells: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """float64[n]: twice the sum of x log(x / expected) over the four cells of each of n tables, in
    nats; at least 0, which rounding could miss.

    cells: float64[n, 2, 2], counts; a cell of 0 adds nothing. expected: float64[n, 2, 2], the
    counts that there would be if rows and columns were independent.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells / expected), 0.0)
    return np.maximum(2 * terms.sum(axis=(1, 2)), 0.0)


def signed(ratios: np.ndarray, observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """G² below 0 where fewer were observed than expected: float64, of the shape of all three.
    ratios: G²."""
    return np.where(observed < expected, -ratios, ratios)
