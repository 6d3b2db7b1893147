"""What is particular to a group of documents: values of a category, the lower and the upper third
of a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from inference.findings import groups as tests, sums
from webapp.analysis.findings import keywords, over_time
from webapp.analysis.findings.kinds import Keywords, Mark, NoDifference
from webapp.core.documents import fields, units

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

FIELDS, NUMBERS = 6, 4  # categories, and fields of numbers, that are looked at
VALUES = 120  # of a category, the most frequent
LEAST_RATIO, LEAST_SHARE = 1.5, 0.005
WORDS, HOLDING = 20, 8  # tokens of a topic, and documents that have it, on the side that has more
LEAST_DOCUMENTS, LEAST_UNITS = 12, 3  # of a group
ONE_GROUP = (
    0.5  # of a topic's words, that one group may have where it is said that another has less
)
DOCUMENTS = 500_000  # that are tested at most, an even sample of more; shares are those of all
UNITS = 20_000  # whoever is independent, at most; of more an even sample
CELLS = 6_000_000  # units x topics at most
SPOKEN = 10  # days at least, so that they are the units


class Tested(NamedTuple):
    """units: what they are, in words. p, z: float64[G, K]; together: p of all differences. own,
    ratio: of inference.findings.sums.contrasts. rest: float64[G, K], the share elsewhere, at the
    same mix of who speaks where that is held constant. words: findings on words alone."""

    field: keywords.Field
    units: str
    p: np.ndarray
    z: np.ndarray
    together: float
    totals: sums.Sums
    own: sums.Shares
    ratio: sums.Ratio
    rest: np.ndarray
    held: bool
    words: list[Keywords]


def particular(context: Context) -> list[Mark | Keywords | NoDifference]:
    """Topics that a group has more of than all others, and for each field without any how large the
    differences are."""
    tested = _distinct(
        [one for field in _fields(context) if (one := _test(context, field)) is not None]
    )
    k = context.subjects
    fields_p = np.array(
        [min(1.0, 2 * min(one.together, sums.simes(one.p[:, k]))) for one in tested]
    )
    rows: list[Mark | Keywords | NoDifference] = []
    for one, differs in zip(
        tested, sums.accepted(fields_p, over_time.Q_VALUE).tolist(), strict=True
    ):
        sure = np.zeros(one.p.shape, bool)
        if differs:
            sure[:, k] = sums.accepted(one.p[:, k], over_time.Q_VALUE)
        marked: list[Mark | Keywords | NoDifference] = [*_marked(context, one, sure), *one.words]
        rows += marked or [_none(context, one, differs)]
    return rows


def _distinct(tested: list[Tested]) -> list[Tested]:
    """The same without groups that have the documents of another: those of an author of one novel
    are told as the novel's."""
    seen: set[bytes] = set()
    for i, one in sorted(enumerate(tested), key=lambda item: -len(item[1].field.labels)):
        for g, label in enumerate(one.field.labels):
            key = one.totals.x[g].tobytes()
            if key in seen:
                one.p[g] = np.nan
                tested[i] = one._replace(
                    words=[row for row in tested[i].words if row.value != label]
                )
            seen.add(key)
    return tested


def _fields(context: Context) -> list[keywords.Field]:
    version = context.run.version
    out = []
    for category in fields.categories(version)[:FIELDS]:
        codes = fields.values(version, category)
        labels = category.values[:VALUES]
        group = np.where((codes >= 0) & (codes < VALUES), codes, len(labels)).astype(np.int32)
        out.append(keywords.Field(category.name, labels, context.selection.group(group)))
    for number in [field for field in fields.ranges(version) if field.kind == "number"][:NUMBERS]:
        values = fields.values(version, number)
        known = number.known(values) & (context.everyone_group >= 0)
        if np.count_nonzero(known) < 2 * LEAST_DOCUMENTS:
            continue
        low, high = (
            np.quantile(values[known], 1 / 3, method="lower"),
            np.quantile(values[known], 2 / 3, method="higher"),
        )
        if low >= high:
            continue
        group = np.select([known & (values <= low), known & (values >= high)], [0, 1], -1).astype(
            np.int32
        )
        ends = f"{low:.6g}", f"{high:.6g}"
        out.append(
            keywords.Field(
                number.name,
                [f"{ends[0]} or less", f"{ends[1]} or more"],
                group,
                (("", ends[0]), (ends[1], "")),
            )
        )
    return out


def _test(context: Context, field: keywords.Field) -> Tested | None:
    """None where fewer than two groups have enough documents. Units are permuted, and documents of
    one unit stay together."""
    others = len(field.labels)
    G = others + 1
    size = np.bincount(field.group[field.group >= 0], minlength=G)
    few = (field.group >= 0) & (size[field.group] < LEAST_DOCUMENTS)
    group = np.where(few, np.int32(others), field.group).astype(np.int32)
    present = np.unique(group[group >= 0])
    if len(present) < 2 or present[0] == others:
        return None
    some = np.flatnonzero((group >= 0) & (context.counted.lengths > 0))
    some = some[:: -(-len(some) // DOCUMENTS) or 1]
    field = field._replace(group=group)
    speaker = _speaker(context, field)
    unit, said = _units(context, field, some, speaker)
    sampled, its_unit = _sampled(some, unit, min(UNITS, max(CELLS // context.K, 100)))
    rows, lengths = _rows(context, sampled), context.counted.lengths[sampled].astype(float)
    x, n, of_unit, time, spoken = keywords.by_unit(
        context, rows, lengths, sampled, its_unit, group, speaker
    )
    p, z, together = tests.differ(x, n, of_unit, G, time, spoken)
    p[np.bincount(of_unit, minlength=G) < LEAST_UNITS] = (
        np.nan
    )  # of these nothing is said, whatever they show
    p[others] = np.nan
    totals = context.sums(sums.in_blocks(group, G), G)
    own, ratio = sums.contrasts(totals)
    rest = (totals.x.sum(axis=0) - totals.x) / np.maximum(totals.tokens.sum() - totals.tokens, 1)[
        :, None
    ]
    if spoken is not None:
        rest = tests.elsewhere(x, n, of_unit, G, spoken)
    if len(present) == 2:  # the other's "less" says the same again
        p = np.where(z < 0, np.nan, p)
    words = keywords.findings(context, field, *_sampled(some, unit, keywords.UNITS), speaker)
    return Tested(field, said, p, z, together, totals, own, ratio, rest, spoken is not None, words)


def _speaker(context: Context, field: keywords.Field) -> np.ndarray | None:
    """int[D]: who speaks, to be held constant, by the first other field that says so, has few
    values, and of which a quarter of the documents are by those who have several of the field's
    values: else the field says the same, and is looked at as it is."""
    category = next(iter(over_time.speaking(context)), None)
    if category is None or units.unit_of(context.run.version, field.name).field is None:
        return None
    codes, some = (
        fields.values(context.run.version, category).astype(np.int64) + 1,
        field.group >= 0,
    )
    cells = np.zeros((int(codes.max()) + 1, len(field.labels) + 1))
    np.add.at(cells, (codes[some], field.group[some]), 1)
    several = (cells >= max(1, LEAST_DOCUMENTS // 4)).sum(axis=1) >= 2
    return codes if cells[several].sum() >= over_time.OVERLAP * cells.sum() else None


def _units(
    context: Context, field: keywords.Field, some: np.ndarray, speaker: np.ndarray | None
) -> tuple[np.ndarray, str]:
    """(int64, whoever is independent of each of some documents, what they are): the unit of the
    collection; without one the documents of a group and a day, where groups have several; else
    documents."""
    groups = field.group[some] + (len(field.labels) + 1) * (0 if speaker is None else speaker[some])
    version = context.run.version
    independent = units.unit_of(version, field.name)
    if independent.field is not None:
        codes = units.codes(version, independent.field)[some].astype(np.int64)
        without = codes.max() + 1 + np.arange(len(some))
        codes = np.where(codes >= 0, codes, without)
        unit = _numbered(codes * (groups.max() + 1) + groups)
        return unit, f"values of “{independent.name}”"
    days = context.dates[some].astype(np.int64)
    if len(np.unique(days)) >= SPOKEN:
        alone = (days.max() + 1 + np.arange(len(some))) * (days == 0)
        unit = _numbered((days + alone) * (groups.max() + 1) + groups)
        if _several(unit, field.group[some]):
            return unit, "days"
    return np.arange(len(some)), "documents"


def _several(unit: np.ndarray, group: np.ndarray) -> bool:
    """Whether most groups have several units."""
    first = np.unique(unit, return_index=True)[1]
    return bool(np.median(np.unique(group[first], return_counts=True)[1]) >= LEAST_UNITS)


def _numbered(keys: np.ndarray) -> np.ndarray:
    return np.unique(keys, return_inverse=True)[1]


def speakers(context: Context) -> list[tuple[units.Unit, np.ndarray]]:
    """The unit of the collection and the number of each document's, where there is one."""
    unit = units.unit_of(context.run.version)
    if unit.field is None:
        return []
    return [(unit, units.codes(context.run.version, unit.field).astype(np.int64))]


def _rows(context: Context, documents: np.ndarray) -> csr_matrix:
    """Tokens of each topic in some documents: [n, K]."""
    ptr, counted = context.counted.doc_ptr, context.counted
    lengths = np.diff(ptr)[documents]
    row = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(ptr[documents] - row[:-1], lengths) + np.arange(row[-1])
    topics = context.into[counted.doc_topics[at]]
    return csr_matrix(
        (counted.doc_tokens[at].astype(float), topics, row), shape=(len(documents), context.K)
    )


def _sampled(some: np.ndarray, unit: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Documents of at most so many units, evenly over all, and their units, numbered anew."""
    U = int(unit.max()) + 1
    keep = unit % -(-U // most) == 0
    return some[keep], _numbered(unit[keep])


def _marked(context: Context, one: Tested, sure: np.ndarray) -> list[Mark]:
    rows = []
    total, totals = one.totals.tokens.sum(), one.totals
    most = totals.x / np.maximum(totals.x.sum(axis=0), 1)
    for g, k in np.argwhere(sure).tolist():
        here, rest = float(one.own.share[g, k]), float(one.rest[g, k])
        more = here > rest
        side = (
            (totals.x[g, k], totals.holding[g, k])
            if more
            else (totals.x[:, k].sum() - totals.x[g, k], totals.holding[:, k].sum())
        )
        if (
            more != (one.z[g, k] > 0)
            or max(here, rest) < LEAST_SHARE
            or side[0] < WORDS
            or side[1] < HOLDING
        ):
            continue
        of_one_group = not more and len(most) > 3 and np.delete(most[:, k], g).max() > ONE_GROUP
        if of_one_group or max(here, rest) < LEAST_RATIO * min(here, rest):
            continue
        inside = np.arange(len(totals.tokens)) == g
        called = context.names.checked(
            k, one.field.group, inside, ~inside, math.log(max(here, 1e-6) / max(rest, 1e-6))
        )
        if called is None:
            continue
        z = abs(float(one.z[g, k]))
        estimate, low, high = (
            (here / max(rest, 1e-9), None, None)
            if one.held
            else over_time.ratio_interval(one.ratio, g, k)
        )
        rows.append(
            Mark(
                field=one.field.name,
                value=one.field.labels[g],
                bounds=one.field.bounds[g] if one.field.bounds else None,
                score=math.sqrt(over_time.information(here, rest, float(totals.tokens[g] / total)))
                * z
                / (z + 3),
                estimate=estimate,
                low=low,
                high=high,
                topic=k,
                above_all=called,
                more=more,
                units=one.units,
                here=over_time.share_interval(one.own, g, k),
                rest=rest,
            )
        )
    return rows


def _none(context: Context, one: Tested, differs: bool) -> NoDifference:
    """That no difference of a field's groups is sure, and the largest of those that may be chance.
    differs: whether all taken together are more than chance."""
    apart = np.where(context.subjects, np.nan_to_num(np.abs(one.own.share - one.rest)), 0.0)
    apart[one.totals.documents < LEAST_DOCUMENTS] = apart[-1] = 0.0
    g, k = np.unravel_index(int(apart.argmax()), apart.shape)
    return NoDifference(
        field=one.field.name,
        value=one.field.labels[int(g)],
        score=0.0,
        estimate=float(apart[g, k]),
        low=0.0,
        high=float(apart[g, k]),
        largest=int(k),
        units=one.units,
        together=differs,
    )
