"""Words that more documents of a group have than of all others: what small collections, and small
groups, can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import bdtrc, ndtr

from inference.explore.naming import alike
from inference.findings import groups, sums
from webapp.analysis.findings.kinds import Keywords

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

UNITS, DOCUMENTS = 3_000, 100_000  # at most; of more an even sample
PERMUTED = 299
# p: the larger of a normal deviate's, as fewer permutations than tests can't give small ones, and
# of a binomial count's
Q_VALUE = 0.05
HOLDING, RATIO = (
    8,
    1.5,
)  # documents of the group with the word, and how many times the share elsewhere
MOST = 12  # words of a group


class Field(NamedTuple):
    """A field's values as groups; what has another value, or none, is the last one, which is not
    named. group: int32[D], -1 for a document outside the set. bounds: of the ends of a number, as
    documents.ranges has them."""

    name: str
    labels: list[str]
    group: np.ndarray
    bounds: tuple[tuple[str, str], ...] = ()


def findings(
    context: Context, field: Field, some: np.ndarray, unit: np.ndarray, speaker: np.ndarray | None
) -> list[Keywords]:
    """A finding for each group with such words. some: documents, ascending; unit: int64, of each,
    whoever is independent."""
    step = -(-len(some) // DOCUMENTS) or 1
    some, unit = some[::step], np.unique(unit[::step], return_inverse=True)[1]
    listed, G = context.names.telling, len(field.labels) + 1
    present = _present(context, some, listed)
    x, n, of_unit, time, spoken = by_unit(
        context, present, np.ones(len(some)), some, unit, field.group, speaker
    )
    p, z, _ = groups.differ(x, n, of_unit, G, time, spoken, PERMUTED)
    of_group = csr_matrix(
        (np.ones(len(some)), (field.group[some], np.arange(len(some)))), shape=(G, len(some))
    )
    documents, having = np.asarray(of_group.sum(axis=1)), (of_group @ present).toarray()
    here = having / np.maximum(documents, 1)
    rest = groups.elsewhere(x, n, of_unit, G, spoken)
    tried = (
        (having >= HOLDING)
        & (here >= RATIO * rest)
        & (p <= 1.5 / (PERMUTED + 1))
        & (np.arange(G) < G - 1)[:, None]
    )
    others = having.sum(axis=0) - having
    part = np.where(
        others > 0,
        documents * rest / (documents * rest + np.maximum(others, 1)),
        documents / len(some),
    )
    chance = bdtrc(having - 1, (having + others).astype(np.int64), np.clip(part, 0, 1))
    tests = np.where(tried, np.maximum(ndtr(-z), chance), 1.0)
    tests[:, having.sum(axis=0) < HOLDING] = tests[documents[:, 0] < HOLDING] = (
        np.nan
    )  # of these nothing could be said
    fit = sums.accepted(tests, Q_VALUE) & tried
    rows, words = [], [context.names.spelling[w] for w in listed]
    for g in range(len(field.labels)):
        chosen: list[int] = []
        for w in np.flatnonzero(fit[g])[
            np.argsort(-(z[g] * np.sqrt(here[g]))[fit[g]], kind="stable")
        ].tolist():
            if len(chosen) < MOST and not any(alike(words[w], words[v]) for v in chosen):
                chosen.append(w)
        if chosen:
            rows.append(
                Keywords(
                    field=field.name,
                    value=field.labels[g],
                    bounds=field.bounds[g] if field.bounds else None,
                    score=float(z[g, chosen[0]]),
                    estimate=float(here[g, chosen[0]]),
                    words=[words[w] for w in chosen],
                    here=here[g, chosen].tolist(),
                    rest=rest[g, chosen].tolist(),
                )
            )
    return rows


def by_unit(
    context: Context,
    rows: csr_matrix,
    weight: np.ndarray,
    some: np.ndarray,
    unit: np.ndarray,
    group: np.ndarray,
    speaker: np.ndarray | None,
):
    """(x float64[U, T], n float64[U], group int[U], mean day float64[U] or None, speaker int[U],
    numbered without gaps, or None): sums over units of the rows of some documents, [n, T], and of
    their weights, float64[n]."""
    U = int(unit.max()) + 1
    member = csr_matrix((np.ones(len(some)), (unit, np.arange(len(some)))), shape=(U, len(some)))
    n, of_unit, spoken = np.asarray(member @ weight), np.zeros(U, np.int64), None
    of_unit[unit] = group[some]
    days = context.dates[some].astype(float)
    time = np.asarray(member @ (days * weight)) / n if (days > 0).all() and np.ptp(days) else None
    if speaker is not None:
        spoken = np.zeros(U, np.int64)
        spoken[unit] = np.unique(speaker[some], return_inverse=True)[1]
    return (member @ rows).toarray(), n, of_unit, time, spoken


def _present(context: Context, some: np.ndarray, listed: list[int]) -> csr_matrix:
    """Which of some documents have which words: [n, W]."""
    bow = context.counted.bow
    column = np.full(bow.V, -1, np.int64)
    column[listed] = np.arange(len(listed))
    lengths = np.diff(bow.indptr)[some]
    at = np.repeat(
        bow.indptr[some] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths
    ) + np.arange(lengths.sum())
    columns = column[bow.words[at]]
    row = np.repeat(np.arange(len(some)), lengths)[columns >= 0]
    present = csr_matrix(
        (np.ones(len(row)), (row, columns[columns >= 0])), shape=(len(some), len(listed))
    )
    present.sum_duplicates()  # of a word in several sections
    present.data[:] = 1.0
    return present
