"""Regression of documents' shares on a design, documents weighted by their words, with CR2
variances of contrasts.

beta_k = (X'NX)^-1 X'x_k: x_k tokens of topic k, N lengths. In documents that are weighted so, the
hat matrix of a unit c is H_c = U_c U_c', U_c = N_c^(1/2) X_c L, L L' = (X'NX)^-1, and U_c' (I -
H_c)^(-1/2) = (I - U_c' U_c)^(-1/2) U_c': a unit needs P x P numbers, however many documents it has
(Pustejovsky and Tipton 2018, with the inverse lengths as working variances), and P where they have
one row of X.
Two passes over the documents' topics; memory is that of P x T sums and a block of units, not of the
corpus.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from inference import documents
from inference.effects.leverage import ALONE_LEVERAGE_GAP, LEAST_FREEDOM, inverse_of_gap
from inference.effects.unit_documents import Units
from inference.errors import Invalid
from inference.runtime.arrays import ABOVE_ZERO, frozen
from inference.runtime.jit import njit

BLOCK = 1 << 13  # units at a time
MOST_COLUMNS = 32  # of a design
# cells of a unit
_SEVERAL_CELLS = -2
_NO_CELL = -1
SMALLEST_EIGENVALUE_PART = 1e-10  # of the largest eigenvalue: below it is nothing but rounding
SAME_CONTRAST_PART = 1e-6  # of a contrast: so far may it be from what the design tells


class Data(NamedTuple):
    """What a regression is of. units: whose documents; cell: int32[D], the row of the design of
    each document, -1 for one that is left out; the others as in explore.bands: int64[D + 1],
    uint16[m], int32[m], int64[D]; column_of_topic: int32[K], which of T each topic is counted as, -1
    for none."""

    units: Units
    cell: np.ndarray
    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    lengths: np.ndarray
    column_of_topic: np.ndarray
    T: int

    @classmethod
    def from_documents(
        cls, units: Units, cell: np.ndarray, documents_: tuple, column_of_topic: np.ndarray, T: int
    ) -> "Data":
        """Arrays as kernels take them, which check no bounds. documents_: doc_ptr, doc_topics,
        doc_tokens, lengths. Raises Invalid. cell: int[D]; column_of_topic:
        int[K]."""
        if not len(documents_[-1]) == len(cell) == len(units.order):
            raise Invalid(
                "documents",
                f"Cells of {len(documents_[-1]):,} documents were expected, got {len(cell):,}.",
            )
        return cls(
            units,
            frozen(cell, np.int32),
            *documents.arrays(*documents_),
            frozen(column_of_topic, np.int32),
            T,
        )


class Fit(NamedTuple):
    """Estimates of each contrast q and topic t. estimate, variance: float64[Q, T], NaN where the
    documents don't say it (the design can't tell the contrast from other columns). pooled:
    float64[Q, T], the variance if all units varied alike, phi c' (X'NX)^-1 c, phi = sum e_u^2 / (1
    - n_u / n) / n. df: float64[Q], Satterthwaite's. alone: bool[Q], contrasts that one unit alone
    decides: what it adds to their variance can't be known, and is missing."""

    estimate: np.ndarray
    variance: np.ndarray
    pooled: np.ndarray
    df: np.ndarray
    alone: np.ndarray


def fit(data: Data, design: np.ndarray, contrasts: np.ndarray) -> Fit:
    """design: float64[C, P], a row for each cell; contrasts: float64[Q, P].

    Raises Invalid for a design of other size, or of more than MOST_COLUMNS columns.
    """
    design = np.ascontiguousarray(design, np.float64)
    contrasts = np.ascontiguousarray(contrasts, np.float64)
    if design.shape[1] > MOST_COLUMNS or design.shape[1] != contrasts.shape[1]:
        raise Invalid(
            "design",
            f"At most {MOST_COLUMNS} columns, as many as in contrasts, were expected, got"
            f" {design.shape[1]}.",
        )
    gram, root, beta = _solved(data, design)
    can_be_estimated = estimable(contrasts, root, gram)
    row, words = _rows(*data.units, data.cell, data.lengths)
    spread = _Spread(root, contrasts)
    squares, products, moment = _sum_for_variance(data, design, spread, row, words)
    explained = np.einsum("qtp,pt->qt", products, beta)
    of_fitted = np.einsum("pt,qpr,rt->qt", beta, moment, beta)
    variance = np.maximum(squares - 2 * explained + of_fitted, 0.0)
    spread_of_all = _spread_of_units(data, words, design, beta)
    pooled = ((contrasts @ root) ** 2).sum(axis=1)[:, None] * spread_of_all
    is_known = can_be_estimated[:, None]
    return Fit(
        estimate=np.where(is_known, contrasts @ beta, np.nan),
        variance=np.where(is_known, variance, np.nan),
        pooled=np.where(is_known, pooled, np.nan),
        df=spread.freedom(moment),
        alone=spread.alone,
    )


class _ClusterBlock(NamedTuple):
    """B units. order: Units.order; starts, ends: int64[B], from where to where in it each unit's
    documents are."""

    order: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


class _Sums(NamedTuple):
    """Over units, for each contrast q and topic t. squares: float64[Q, T], of y^2; products:
    float64[Q, T, P], of y b; moment: float64[Q, P, P], of b b'. y: what a unit's tokens of the
    topic move the contrast by; b: what its words would by themselves."""

    squares: np.ndarray
    products: np.ndarray
    moment: np.ndarray


def _sum_for_variance(
    data: Data, design: np.ndarray, spread: "_Spread", row: np.ndarray, words: np.ndarray
) -> _Sums:
    """Of the units' residuals, a block of units at a time. row, words: of each unit, as _rows has
    them."""
    Q = len(spread.turned)
    P = design.shape[1]
    sums = _Sums(np.zeros((Q, data.T)), np.zeros((Q, data.T, P)), np.zeros((Q, P, P)))
    order = data.units.order
    starts = data.units.starts
    for in_several_cells in (False, True):
        units_of_kind = np.flatnonzero(row == _SEVERAL_CELLS if in_several_cells else row >= 0)
        for a in range(0, len(units_of_kind), BLOCK):
            units_of_block = units_of_kind[a : a + BLOCK]
            block = _ClusterBlock(order, starts[units_of_block], starts[units_of_block + 1])
            if in_several_cells:
                weight, shift = spread.several_rows(_grams(block, data.cell, data.lengths, design))
            else:
                weight, shift = spread.one_row(design[row[units_of_block]], words[units_of_block])
            _add_moments(data, block, design, weight, shift, sums)
    return sums


def _spread_of_units(
    data: Data, words: np.ndarray, design: np.ndarray, beta: np.ndarray
) -> np.ndarray:
    """float64[T]: phi of Fit. words: float64[U], of each unit."""
    total = max(words.sum(), ABOVE_ZERO)
    weight = inverse_of_gap(1 - words / total)
    squares, products, moment = _residuals(data, design, weight)
    moved = np.einsum("pt,pq,qt->t", beta, moment, beta)
    return np.maximum(squares - 2 * (products * beta.T).sum(axis=1) + moved, 0.0) / total


def coefficients(data: Data, design: np.ndarray) -> np.ndarray:
    """float64[P, T]: of each topic's share, without variances."""
    return _solved(data, np.ascontiguousarray(design, np.float64))[2]


def score(data: Data, design: np.ndarray, contrast: np.ndarray) -> np.ndarray:
    """float64[P]: (X'NX)^-1 c, by which documents' rows weigh their tokens in an estimate. design:
    float64[C, P]; contrast: c, float64[P]."""
    _, root, _ = _solved(data, np.ascontiguousarray(design, np.float64))
    return root @ (root.T @ contrast)


def _solved(data: Data, design: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X'NX, L and beta. Raises Invalid for a design without a row for each cell."""
    if data.cell.max(initial=-1) >= len(design):
        raise Invalid(
            "design",
            f"A row for each of {data.cell.max() + 1:,} cells was expected, got {len(design):,}.",
        )
    gram, cross = _totals(data, design)
    root = half_inverse(gram)
    return gram, root, root @ (root.T @ cross)


def reach(fit: Fit, level: float) -> tuple[np.ndarray, np.ndarray]:
    """(low, high): float64[Q, T] each, of the estimates, with Student's t and the larger error."""
    error = np.sqrt(np.maximum(fit.variance, fit.pooled))
    half = stdtrit(np.maximum(fit.df, LEAST_FREEDOM), 0.5 + level / 2)[:, None] * error
    return fit.estimate - half, fit.estimate + half


def estimable(contrasts: np.ndarray, root: np.ndarray, gram: np.ndarray) -> np.ndarray:
    """bool[Q]: whether the documents say a contrast: the design can tell it from other columns.
    root: half_inverse of the gram."""
    projected = contrasts @ root @ root.T @ gram
    distance = np.abs(contrasts - projected).max(axis=1)
    return distance <= SAME_CONTRAST_PART * np.abs(contrasts).max(axis=1)


def half_inverse(gram: np.ndarray) -> np.ndarray:
    """L, float64[P, rank], of which L L' is the (pseudo-)inverse. gram: float64[P, P],
    symmetric."""
    has_words = np.diag(gram) > 0  # of a column of zeros no document says anything
    scale = np.where(has_words, 1 / np.sqrt(np.where(has_words, np.diag(gram), 1.0)), 0.0)
    values, vectors = np.linalg.eigh(gram * scale[:, None] * scale)
    is_large = values > SMALLEST_EIGENVALUE_PART * max(values.max(initial=0.0), ABOVE_ZERO)
    return scale[:, None] * vectors[:, is_large] / np.sqrt(values[is_large])


class _Spread:
    """The matrix p_c' p_b of Satterthwaite's approximation, by what its trace and squares need
    (Bell and McCaffrey 2002, section 4: working variances are the inverse lengths): it is diag(d) -
    u u', a row of u for each unit. Of a block of B units both methods return what their tokens are
    weighted with, (I - H_c)^(-1/2) X_c L L' c without X_c, and what their words move by it:
    float64[B, Q, P]."""

    def __init__(self, root: np.ndarray, contrasts: np.ndarray):
        self.root = root
        self.turned = contrasts @ root
        Q = len(contrasts)
        self.trace = np.zeros(Q)
        self.squares = np.zeros(Q)
        self.alone = np.zeros(Q, bool)

    def one_row(self, rows: np.ndarray, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Units all of whose documents have one row of the design, as single documents do: H_c has
        one eigenvalue, the leverage h = n x' L L' x, and one number adjusts. rows: float64[B, P];
        words: float64[B], n."""
        turned_rows = rows @ self.root
        moved = turned_rows @ self.turned.T  # x' L L' c, [B, Q]
        leverage = (words * (turned_rows**2).sum(axis=1))[:, None]
        inverse = inverse_of_gap(1 - leverage)
        own_square = words[:, None] * moved**2
        self._add(
            own_square * inverse,
            own_square * inverse * leverage,
            np.where(inverse == 0, own_square, 0),
        )
        adjusted = np.sqrt(inverse)
        of_documents = adjusted[:, :, None] * (self.turned @ self.root.T)
        of_unit = words[:, None] * adjusted * moved
        return of_documents, of_unit[:, :, None] * rows[:, None]

    def several_rows(self, of_unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Any units. of_unit: X_c' N_c X_c, float64[B, P, P]."""
        values, vectors = np.linalg.eigh(self.root.T @ of_unit @ self.root)
        values = np.clip(values, 0.0, 1.0)[:, None]
        inverse = inverse_of_gap(1 - values)
        along = self.turned @ vectors  # in each unit's own directions, [B, Q, rank]
        own_square = along**2
        sums = (
            values * inverse * own_square,
            values**2 * inverse * own_square,
            np.where(inverse == 0, own_square, 0),
        )
        self._add(*(cell_sums.sum(axis=2) for cell_sums in sums))
        weight = (np.sqrt(inverse) * along) @ vectors.transpose(0, 2, 1) @ self.root.T
        return weight, weight @ of_unit

    def _add(self, d: np.ndarray, uu: np.ndarray, lost: np.ndarray) -> None:
        """uu: u'u; lost: of the square of L'c, where a unit alone decides; float64[B, Q] each."""
        self.trace += (d - uu).sum(axis=0)
        self.squares += (d**2 - 2 * d * uu).sum(axis=0)
        self.alone |= (lost > ALONE_LEVERAGE_GAP * (self.turned**2).sum(axis=1)).any(axis=0)

    def freedom(self, moment: np.ndarray) -> np.ndarray:
        """moment: float64[Q, P, P], sums of what words move, L'^-1 u, times themselves."""
        below = self.squares + ((self.root.T @ moment @ self.root) ** 2).sum(axis=(1, 2))
        return np.where(below > 0, self.trace**2 / np.maximum(below, ABOVE_ZERO), 0.0)


@njit(cache=True, nogil=True)
def _rows(order, starts, cell, lengths):
    """int64[U], the cell of all of a unit's documents, _SEVERAL_CELLS or _NO_CELL; float64[U], the
    unit's words.

    order: int, documents by unit; starts: int[U + 1], where each unit's begin in it. cell: int[D],
    the row of the design of each document, -1 for none; lengths: int[D], in words."""
    row = np.full(len(starts) - 1, _NO_CELL)
    words = np.zeros(len(starts) - 1)
    for u in range(len(row)):
        for d in order[starts[u] : starts[u + 1]]:
            if cell[d] >= 0 and lengths[d] > 0:
                row[u] = cell[d] if row[u] == _NO_CELL or row[u] == cell[d] else _SEVERAL_CELLS
                words[u] += lengths[d]
    return row, words


@njit(cache=True, nogil=True)
def _totals(data, design):
    """X'NX and X'x: float64[P, P] and float64[P, T]. design: float64[cells, P]."""
    P = design.shape[1]
    gram = np.zeros((P, P))
    cross = np.zeros((data.T, P))
    for d, c in enumerate(data.cell):
        if c < 0:
            continue
        for p in range(P):
            for q in range(P):
                gram[p, q] += data.lengths[d] * design[c, p] * design[c, q]
        for j in range(data.doc_ptr[d], data.doc_ptr[d + 1]):
            t = data.column_of_topic[data.doc_topics[j]]
            if t >= 0:
                for p in range(P):
                    cross[t, p] += data.doc_tokens[j] * design[c, p]
    return gram, cross.T.copy()


@njit(cache=True, nogil=True)
def _residuals(data, design, weight):
    """Sums over units, each with its weight, of x^2, of x w and of w w': x a unit's tokens of a
    topic, w the sum of its documents' rows times their lengths: float64[T], float64[T, P],
    float64[P, P].

    design: float64[cells, P]; weight: float64[U], of each unit."""
    P = design.shape[1]
    squares = np.zeros(data.T)
    products = np.zeros((data.T, P))
    moment = np.zeros((P, P))
    tokens = np.zeros(data.T)
    touched = np.empty(data.T, np.int64)
    has_words = np.zeros(data.T, np.bool_)
    row = np.empty(P)
    for u in range(len(data.units.starts) - 1):
        row[:] = 0.0
        n = 0
        for d in data.units.order[data.units.starts[u] : data.units.starts[u + 1]]:
            c = data.cell[d]
            if c < 0 or data.lengths[d] == 0:
                continue
            for p in range(P):
                row[p] += data.lengths[d] * design[c, p]
            for j in range(data.doc_ptr[d], data.doc_ptr[d + 1]):
                t = data.column_of_topic[data.doc_topics[j]]
                if t < 0 or data.doc_tokens[j] == 0:
                    continue
                if not has_words[t]:
                    has_words[t] = True
                    touched[n] = t
                    n += 1
                tokens[t] += data.doc_tokens[j]
        for p in range(P):
            for q in range(P):
                moment[p, q] += weight[u] * row[p] * row[q]
        for t in touched[:n]:
            value = tokens[t]
            has_words[t] = False
            tokens[t] = 0.0
            squares[t] += weight[u] * value * value
            for p in range(P):
                products[t, p] += weight[u] * value * row[p]
    return squares, products, moment


@njit(cache=True, nogil=True)
def _grams(block, cell, lengths, design):
    """X_c' N_c X_c of a block of B units: float64[B, P, P]. cell, lengths: as in `_rows`; design:
    float64[cells, P]."""
    P = design.shape[1]
    grams = np.zeros((len(block.starts), P, P))
    for b in range(len(block.starts)):
        for d in block.order[block.starts[b] : block.ends[b]]:
            c = cell[d]
            if c >= 0:
                for p in range(P):
                    for q in range(P):
                        grams[b, p, q] += lengths[d] * design[c, p] * design[c, q]
    return grams


@njit(cache=True, nogil=True)
def _add_moments(data, block, design, weight, shift, sums):
    """Adds a block of B units to _Sums: to squares and products only topics that a unit has, as
    others need neither.

    design: float64[cells, P]. weight: float64[B, Q, P], what a token of a document moves each of Q
    contrasts by, times the document's row of the design; shift: float64[B, Q, P], b of each
    unit."""
    Q = shift.shape[1]
    P = shift.shape[2]
    y = np.zeros((data.T, Q))
    touched = np.empty(data.T, np.int64)
    has_words = np.zeros(data.T, np.bool_)
    w = np.empty(Q)
    for b in range(len(block.starts)):
        _add_outer_products(shift[b], sums.moment)
        n = 0
        for d in block.order[block.starts[b] : block.ends[b]]:
            c = data.cell[d]
            if c < 0 or data.lengths[d] == 0:
                continue
            for q in range(Q):
                w[q] = 0.0
                for p in range(P):
                    w[q] += weight[b, q, p] * design[c, p]
            for j in range(data.doc_ptr[d], data.doc_ptr[d + 1]):
                t = data.column_of_topic[data.doc_topics[j]]
                if t < 0 or data.doc_tokens[j] == 0:
                    continue
                if not has_words[t]:
                    has_words[t] = True
                    touched[n] = t
                    n += 1
                for q in range(Q):
                    y[t, q] += w[q] * data.doc_tokens[j]
        for t in touched[:n]:
            has_words[t] = False
            for q in range(Q):
                value = y[t, q]
                y[t, q] = 0.0
                sums.squares[q, t] += value * value
                for p in range(P):
                    sums.products[q, t, p] += value * shift[b, q, p]


@njit(cache=True, nogil=True)
def _add_outer_products(shift, moment):
    """Adds b b' of each contrast. shift: float64[Q, P], b of a unit; moment: float64[Q, P, P]."""
    Q, P = shift.shape
    for q in range(Q):
        for p in range(P):
            for r in range(P):
                moment[q, p, r] += shift[q, p] * shift[q, r]
