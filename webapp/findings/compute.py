"""Findings of a set of a run's documents, as numbers; webapp.findings.sentences says them. Bounded: one pass over the
documents for each field, samples of the words' documents, and arrays of groups x topics."""

import math
from functools import cached_property

import numpy as np

from inference.findings import families, sums, trends, unlike
from inference.findings.sums import Sums
from webapp.documents import fields
from webapp.documents.fields import Groups
from webapp.documents.selection import Selection
from webapp.findings import cautions, periods, quotations, word_shifts
from webapp.findings.periods import Periods
from webapp.models import Topic
from webapp.results import evidence

METHOD = 2  # findings of an earlier method are computed anew
SET = ""  # the field of the set itself, beside all other documents
Q_VALUE = 0.05  # of all claims of a kind at most this part is false, on average
WORDS = 50  # tokens of a topic, on the side where it has more, below which nothing is said of it
HOLDING = 10  # documents with the topic there
LEAST_RATIO = 1.3  # that the nearer end of an interval must reach, so that a change is worth a sentence
MARKED_RATIO = 1.5
LESS = 2  # topics of which a set has less than all other documents that are named: most are of other times
FIELDS = 6  # categories that are looked at
VALUES = 30  # of each, the most frequent
CELLS = 6_000_000  # groups x topics of a field at most: 48 MB an array
KEPT = {"family": 7, "rise": 12, "fall": 12, "mark": 20, "sense": 12, "unlike": 8, "caution": 8}
QUOTED = 3
LEAST_FAMILY = 0.02  # share of the words below which a family is not worth a sentence
SHORT = 40  # words below which a document is not called unlike the rest


class Context:
    """What every kind needs of a set: arrays of its documents, topics that may be spoken of."""

    def __init__(self, selection: Selection):
        self.selection, self.view, self.run = selection, selection.run_view, selection.run_view.run
        self.counted = evidence.of(self.run)
        self.K, self.into = self.run.topics, self.view.labels.into
        self.mask = selection.mask
        self.arrays = (self.counted.doc_ptr, self.counted.doc_topics, self.counted.doc_tokens, self.counted.lengths)
        self.everyone = sums.by_group(selection.group(np.zeros(self.run.version.documents, np.int32)), 1)
        self.whole = self.sums(self.everyone, 1)
        self.subjects = self._subjects()
        self.documents, self.tokens = int(self.whole.documents[0]), int(self.whole.tokens[0])
        self.periods = periods.of(fields.dates(self.run.version), self.mask)
        self.repeated = quotations.repeating(selection)

    def _subjects(self) -> np.ndarray:
        """bool[K]: topics that may be spoken of: in use, not merged, not hidden, no general talk. Where general talk is most
        of the words it is what the documents are about."""
        labels = self.view.labels
        listed = self.view.used & (self.into == np.arange(self.K))
        listed &= np.array([not labels.hidden(k) for k in range(self.K)])
        subjects = listed & np.array([not labels.background(k) for k in range(self.K)])
        x = self.whole.x[0]
        return subjects if 2 * x[subjects].sum() > x[listed].sum() else listed

    @property
    def times(self) -> Periods:
        """The periods, of a set that has them."""
        assert self.periods is not None, "the documents have no two dates"
        return self.periods

    @cached_property
    def by_period(self) -> Sums | None:
        """A group for each period; where there are few, each in blocks of neighbouring documents."""
        times = self.periods
        if times is None:
            return None
        some = len(np.unique(times.group[times.group >= 0]))
        units = (sums.by_group if some >= periods.FEWEST else sums.in_blocks)(times.group, times.G)
        return self.sums(units, times.G)

    def sums(self, units: sums.Units, G: int, into: np.ndarray | None = None, T: int = 0) -> Sums:
        return sums.sums(units, G, *self.arrays, self.into if into is None else into, T or self.K)


def findings(selection: Selection) -> dict:
    """All that is stored: documents, tokens, span, unit, bins of the lines, quotes, findings (each with its kind and
    score, of a kind the best first)."""
    context = Context(selection)
    rows = _families(context)
    quotes = _quotes(context, rows)
    rows += _changes(context)
    spoken = {row["topic"] for row in rows if row["kind"] in ("rise", "fall")}
    rows += _marks(context, spoken)
    rows += word_shifts.of(context) if context.periods else []
    rows += _unlike(context)
    rows += cautions.of(context) if context.documents else []
    kept = []
    for kind, most in KEPT.items():
        kept += sorted((row for row in rows if row["kind"] == kind), key=lambda row: -row["score"])[:most]
    times = context.periods
    return {
        "documents": context.documents, "tokens": context.tokens,
        "unit": times.unit if times else "", "span": [times.said[0], times.said[-1]] if times else [],
        "bins": periods.bins(times.said) if times else [],
        "quotes": quotes, "findings": kept,
    }  # fmt: skip


# What it is about


def _families(context: Context) -> list[dict]:
    if not context.tokens:
        return []
    size = np.where(context.subjects, context.whole.x[0], 0.0)
    both = families.together(*context.arrays, context.K, context.mask)
    similar = dict(Topic.objects.filter(snapshot=context.run.snapshot_id).values_list("number", "similar"))
    label = families.families(families.apart(both, [similar.get(k, []) for k in range(context.K)]), size)
    F = int(label.max()) + 1
    if not F:
        return []
    own = context.sums(context.everyone, 1, label[context.into].astype(np.int32), F)
    share = sums.shares(own, sums.typical(own))
    times = context.by_period
    rows = []
    for f in range(F):
        members = np.flatnonzero(label == f)
        if size[members].sum() < LEAST_FAMILY * context.tokens:
            continue
        order = members[np.argsort(-size[members], kind="stable")].tolist()
        rows.append(
            {"kind": "family", "score": float(size[members].sum()), "topics": order[:12], "count": len(order),
             "parts": [float(size[k] / context.tokens) for k in order[:12]], **_interval(share, 0, f),
             "line": periods.line(times.x[:, members].sum(axis=1), times.tokens) if times else []}
        )  # fmt: skip
    return rows


def _interval(of, g: int, t: int) -> dict:
    return {"estimate": float(of.share[g, t]), "low": float(of.low[g, t]), "high": float(of.high[g, t])}


def _quotes(context: Context, rows: list[dict]) -> list[dict]:
    """One of each of the largest families, then of their second topics, until there are enough."""
    if context.counted.bow.offsets is None:
        return []
    largest = sorted((r for r in rows if r["kind"] == "family"), key=lambda r: -r["score"])
    topics = [r["topics"][i] for i in range(3) for r in largest if i < len(r["topics"])]
    return quotations.of_topics(context.selection, topics[: 3 * QUOTED], QUOTED, context.repeated)


# What rose and fell


def _changes(context: Context) -> list[dict]:
    of = context.by_period
    if of is None:
        return []
    times = context.times
    changes = trends.changes(of)
    tried = context.subjects & (changes.cut >= 0)
    sure = np.zeros(context.K, bool)
    sure[tried] = sums.accepted(changes.p[tried], Q_VALUE)
    rows = []
    for k in np.flatnonzero(sure & changes.stays):
        rise = bool(changes.after[k] > changes.before[k])
        later = slice(changes.cut[k], None) if rise else slice(0, changes.cut[k])
        if of.x[later, k].sum() < WORDS or of.holding[later, k].sum() < HOLDING:
            continue
        nearer = changes.low[k] if rise else 1 / max(changes.high[k], 1e-9)
        if not nearer >= LEAST_RATIO:
            continue
        size = abs(float(changes.after[k] - changes.before[k]))
        rows.append(
            {"kind": "rise" if rise else "fall", "score": size * math.log(nearer), "topic": int(k),
             "estimate": _finite(changes.ratio[k]), "low": _finite(changes.low[k]), "high": _finite(changes.high[k]),
             "before": [float(a[k]) for a in (changes.before, changes.low_before, changes.high_before)],
             "after": [float(a[k]) for a in (changes.after, changes.low_after, changes.high_after)],
             "cut": int(changes.cut[k]), "since": times.names[changes.cut[k]], "since_said": times.said[changes.cut[k]],
             "until": times.names[changes.cut[k] - 1],
             "between": [times.said[changes.first[k]], times.said[changes.last[k]]],
             "line": periods.line(of.x[:, k], of.tokens)}
        )  # fmt: skip
    return rows


def _finite(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


# What is particular to a value or a period


def _marks(context: Context, spoken: set[int]) -> list[dict]:
    """Topics that a value of a category, or a period, has much more of than all other documents, or much less."""
    tested = [_contrast(context, groups) for groups in _groupings(context)]
    tested = [one for one in tested if one is not None]
    if not tested:
        return []
    p = np.concatenate([ratio.p[:, context.subjects].ravel() for _, _, _, ratio in tested])
    accepted = sums.accepted(p, Q_VALUE)
    rows, at = [], 0
    for groups, of, own, ratio in tested:
        wide = int(context.subjects.sum())
        cells = of.x.shape[0] * wide
        sure = np.zeros(of.x.shape, bool)
        sure[:, context.subjects] = accepted[at : at + cells].reshape(of.x.shape[0], wide)
        at += cells
        rows += _marked(groups, of, own, ratio, sure)
    rows = [row for row in rows if not (row["in_time"] and row["topic"] in spoken)]
    of_set = sorted((row for row in rows if row["field"] == SET), key=lambda row: (not row["more"], -row["score"]))
    less = sum(not row["more"] for row in of_set)
    return of_set[: len(of_set) - max(0, less - LESS)] + _varied(
        [row for row in rows if row["field"] != SET], KEPT["mark"]
    )


def _groupings(context: Context) -> list[Groups]:
    version = context.run.version
    names = [category.name for category in fields.categories(version)[:FIELDS]]
    offered = fields.choices(version)
    if context.periods:
        period = next((by for by in ("decade", "year", "month") if by in offered), None)
        span = fields.dated(version)
        if period == "decade" and span and span[1].year - span[0].year < 40 and "year" in offered:
            period = "year"
        names += [period] if period else []
    groups = [fields.groups(version, name) for name in names]
    if context.mask is not None and not context.mask.all():
        groups.append(Groups(SET, [""], np.where(context.mask, 0, 1).astype(np.int32)))
    return groups


def _contrast(context: Context, groups: Groups):
    """A set is compared with all other documents of the run, the groups of a field with each other within the set."""
    G = 2 if groups.by == SET else min(len(groups.labels), max(1, CELLS // context.K))
    G = G if groups.in_time else min(G, VALUES)
    within = groups.group if groups.by == SET else context.selection.group(groups.group)
    group = np.where(groups.group < G, within, np.int32(-1)).astype(np.int32)
    if len(np.unique(group[group >= 0])) < 2:
        return None
    of = context.sums(sums.in_blocks(group, G), G)
    own, ratio = trends.contrasts(of)
    ratio.p[of.documents < 2 * HOLDING] = 1.0
    if groups.by == SET:
        ratio.p[1] = 1.0  # the others, of which it says the same again
    return groups, of, own, ratio


def _marked(groups: Groups, of: Sums, own, ratio, sure: np.ndarray) -> list[dict]:
    rows = []
    total = of.tokens.sum()
    for g, k in np.argwhere(sure).tolist():
        more = own.share[g, k] * (total - of.tokens[g]) > of.x[:, k].sum() - of.x[g, k]
        rest = (of.x[:, k].sum() - of.x[g, k]) / max(total - of.tokens[g], 1)
        side = (of.x[g, k], of.holding[g, k]) if more else (of.x[:, k].sum() - of.x[g, k], of.holding[:, k].sum())
        nearer = ratio.low[g, k] if more else 1 / max(float(ratio.high[g, k]), 1e-9)
        if not (nearer >= MARKED_RATIO and side[0] >= WORDS and side[1] >= HOLDING):
            continue
        size = abs(float(own.share[g, k]) - float(rest)) * float(of.tokens[g] / total) ** 0.5
        rows.append(
            {"kind": "mark", "score": size * math.log(nearer) * (1.0 if more else 0.5), "topic": k, "field": groups.by,
             "value": groups.labels[g], "in_time": groups.in_time, "more": bool(more),
             "estimate": _finite(ratio.ratio[g, k]), "low": _finite(ratio.low[g, k]), "high": _finite(ratio.high[g, k]),
             "here": [float(a[g, k]) for a in (own.share, own.low, own.high)], "rest": float(rest), "group": g}
        )  # fmt: skip
    return rows


def _varied(rows: list[dict], most: int) -> list[dict]:
    """The best first, of each topic one, and of each value two."""
    kept: list[dict] = []
    topics: set[int] = set()
    values: dict[tuple, int] = {}
    for row in sorted(rows, key=lambda row: -row["score"]):
        value = row["field"], row["value"]
        if row["topic"] in topics or values.get(value, 0) == 2:
            continue
        topics.add(row["topic"])
        values[value] = values.get(value, 0) + 1
        kept.append(row)
        if len(kept) == most:
            break
    return kept


# Documents unlike the rest


def _unlike(context: Context) -> list[dict]:
    lengths = context.counted.lengths
    allowed = (lengths >= SHORT) & ~context.repeated
    if context.mask is not None:
        allowed &= context.mask
    doc_ptr, doc_topics, doc_tokens = context.counted.folded(context.into)
    numbers, overlap, nearest, compared = unlike.unlike(doc_ptr, doc_topics, doc_tokens, lengths, context.K, allowed)
    rows: list[dict] = []
    for d, part, other in zip(numbers.tolist(), overlap.tolist(), nearest.tolist(), strict=True):
        if part >= 0.5 or len(rows) == KEPT["unlike"]:
            break
        span = slice(doc_ptr[d], doc_ptr[d + 1])
        order = np.argsort(-doc_tokens[span], kind="stable")[:2]
        rows.append(
            {"kind": "unlike", "score": 1 - part, "document": d, "nearest": other, "estimate": part, "low": part, "high": part,
             "compared": compared, "all": compared == int(allowed.sum()), "topics": doc_topics[span][order].tolist(),
             "parts": (doc_tokens[span][order] / lengths[d]).tolist()}
        )  # fmt: skip
    return rows
