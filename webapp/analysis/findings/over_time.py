"""What changed over time: topics by steps, lines and windows, words that come in bursts, and who
speaks when."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import gammaln

from inference.explore.naming import alike
from inference.findings import changes, scan, sums
from inference.findings.changes import Change, Units
from webapp.analysis.findings import kinds, periods
from webapp.core.documents import fields, units as units_of_corpora
from webapp.intake.metadata import ValueField

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

Q_VALUE = 0.05  # of all claims of a kind at most this part is false, on average
LEAST_SHARE, LEAST_RATIO = 0.005, 1.5  # of the side that has more; of the two shares
WORDS, HOLDING = 50, 10  # tokens of a topic, and documents that have it, on the side that has more
SPEAKERS = 40  # values of a field whose mix is held constant, at most
# of the words that lie in periods in which two values speak, so that their mix can be held constant
OVERLAP = 0.25
ARRANGEMENTS = math.log(20_000)  # of speakers' periods, from which on permuting these is enough
CELLS = 120  # of a period
SHORT = 1 / 8  # of the periods, that an event lasts at most
EVENT_WORDS = 1_500  # words that are looked at, those of most documents in their topic
EVENT_DOCUMENTS = 6  # of an event, at least
Tests = tuple[
    np.ndarray, np.ndarray, np.ndarray, np.ndarray
]  # as inference.findings.changes.tested gives them
TOGETHER = 0.5  # of the periods, and of the documents, that two words of one event share


def changed(context: Context) -> list[kinds.Change]:
    """Topics whose share changed, as far as that is not a change of who speaks."""
    if context.by_period is None:
        return []
    k = np.flatnonzero(context.subjects)
    if not len(k):
        return []

    def counted(group: np.ndarray, G: int) -> tuple[np.ndarray, np.ndarray]:
        of_group = context.tested(group, G)
        return of_group.x[:, k], of_group.tokens

    units, p = _tested(context, counted)
    described = [(int(k[i]), change) for i, change in _described(units, p)]
    return [row for number, change in described if (row := _row(context, number, units, change))]


def _described(units: Units, tested: Tests) -> list[tuple[int, Change]]:
    """Columns that changed, with the shape that describes each best."""
    shapes = (
        (i, changes.describe(units, i, trend, window)) for i, trend, window in _accepted(tested)
    )
    return [(i, shape) for i, shape in shapes if shape is not None]


def _accepted(tested: Tests) -> list[tuple[int, bool, tuple[int, int] | None]]:
    """(column, whether it has a trend, the places of its window) of columns that changed."""
    trend, window, first, end = tested
    trends, windows = np.split(sums.accepted(np.concatenate([trend, window]), Q_VALUE), 2)
    return [
        (i, bool(trends[i]), (int(first[i]), int(end[i])) if windows[i] else None)
        for i in np.flatnonzero(trends | windows).tolist()
    ]


def cells(context: Context) -> tuple[np.ndarray, int, np.ndarray]:
    """(int32[D], C, numbers): documents in cells c G + g of each of G periods that have words, -1
    outside: of who speaks, where their mix overlaps; these in parts of neighbours, as
    sums.in_blocks has them, where too few speak for permutations to tell. Documents of one speaker
    are neighbours where they are alike. numbers: int64[G], of these periods."""
    some = np.flatnonzero((context.times.group >= 0) & (context.counted.lengths > 0))
    numbers, group = np.unique(context.times.group[some], return_inverse=True)
    speaker, S, arrangements = np.zeros(len(some), np.int64), 1, 0.0
    for mix in context.mixes:
        speaker, S = mix.codes[some] + 1, len(mix.category.values) + 1
        arrangements = float(gammaln((mix.tokens > 0).sum(axis=0) + 1).sum())
    mine = group * S + speaker
    alike = some if context.unit is None else context.unit[some]
    order = np.lexsort((some, alike, mine))
    size = np.bincount(mine)
    most = int(np.clip(round((len(some) / np.count_nonzero(size)) ** 0.5), *sums.BLOCKS))
    parts = 1 if arrangements >= ARRANGEMENTS else min(most, max(CELLS // S, 1))
    rank = np.arange(len(order)) - (np.cumsum(size) - size)[mine[order]]
    part = rank * parts // size[mine[order]]
    cell = np.full(len(context.times.group), -1, np.int32)
    cell[some[order]] = (speaker[order] * parts + part) * len(numbers) + group[order]
    return cell, S * parts, numbers


def _tested(
    context: Context,
    counted: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]],
    longest: float = changes.LONGEST,
) -> tuple[Units, Tests]:
    """Periods, tested for changes of each topic or word; few by their cells, more with the mix of
    who speaks held constant, for each field that says so and whose values overlap in time. counted:
    gives (x float64[G, T], n float64[G]) of int[D], G groups of documents. longest: of a window."""
    if context.few:
        cell, C, numbers = context.cells
        x, n = counted(cell, C * len(numbers))
        units, tests = changes.tested_in_cells(
            x.reshape(C, len(numbers), x.shape[1]), n.reshape(C, len(numbers))
        )
        return units._replace(numbers=numbers[units.numbers]), tests
    units = changes.in_units(*counted(context.times.group, context.times.G))
    for mix in context.mixes:
        x, n = counted(mix.codes, len(mix.category.values))
        units = changes.held_constant(
            units, mix.tokens[units.numbers], x / np.maximum(n, 1)[:, None]
        )
    return units, changes.tested(units, longest)


class Mix(NamedTuple):
    """Who speaks when. category: the unit's; codes: int32[D], the number of
    its value in each document of the periods, -1 for none; tokens: float64[G, C], words of each
    value in each period."""

    category: ValueField
    codes: np.ndarray
    tokens: np.ndarray


def speaking(context: Context) -> list[ValueField]:
    """The field of the unit, where it is a category of few values."""
    unit = units_of_corpora.unit_of(context.run.version)
    listed = fields.categories(context.run.version)
    return [
        field
        for field in listed
        if unit.field and field.name in unit.field.names and len(field.values) <= SPEAKERS
    ][:1]


def mixes(context: Context) -> list[Mix]:
    """Of fields whose values overlap in time: where too few words are in periods in which two
    values speak, they can't be told from time."""
    times, out = context.times, []
    for category in speaking(context):
        C = len(category.values)
        codes = fields.values(context.run.version, category)
        some = (times.group >= 0) & (codes >= 0)
        at = times.group[some].astype(np.int64) * C + codes[some]
        tokens = np.bincount(
            at, weights=context.counted.lengths[some], minlength=times.G * C
        ).reshape(times.G, C)
        spoken = (tokens > 0) & (tokens >= 0.05 * tokens.sum(axis=1, keepdims=True))
        if tokens[spoken.sum(axis=1) >= 2].sum() >= OVERLAP * tokens.sum():
            out.append(Mix(category, np.where(some, codes, -1).astype(np.int32), tokens))
    return out


def _row(context: Context, k: int, units: Units, change: Change) -> kinds.Change | None:
    """A change as it is stored; None where it is too small, or no word of the topic moves so."""
    by_period, times = context.by_period, context.times
    assert by_period is not None
    inside, outside = (np.zeros(times.G, bool) for _ in range(2))
    inside[units.numbers[change.inside]] = outside[units.numbers[change.outside]] = True
    shares = [sums.shares(by_period.over(side), context.typical) for side in (inside, outside)]
    ratio = sums.ratio(*shares)
    here, rest = (float(s.share[0, k]) for s in shares)
    more, value = here > rest, float(ratio.ratio[0, k])
    most = inside if more else outside
    few = (
        by_period.x[most, k].sum() < WORDS
        or by_period.holding[most, k].sum() < HOLDING
        or max(here, rest) < LEAST_SHARE
    )
    if few or more != change.more or not max(value, 1 / max(value, 1e-9)) >= LEAST_RATIO:
        return None
    called = context.names.checked(
        k, times.group, inside, outside, math.log(max(here, 1e-6) / max(rest, 1e-6))
    )
    if called is None:
        return None
    estimate, low, high = ratio_interval(ratio, 0, k)
    part = float(by_period.tokens[inside].sum() / max(by_period.tokens[inside | outside].sum(), 1))
    return kinds.Change(
        **vars(shaped(context, units, change)),
        score=math.sqrt(information(here, rest, part)) * change.fit,
        estimate=estimate,
        low=low,
        high=high,
        line=periods.line(by_period.x[:, k], by_period.tokens),
        topic=k,
        above_all=called,
        here=share_interval(shares[0], 0, k),
        rest=share_interval(shares[1], 0, k),
    )


def shaped(context: Context, units: Units, change: Change) -> kinds.Shaped:
    """Where a change lies, and how, as addresses have it. A step that rises has no end, one that
    falls is told by what was until then."""
    times, numbers = context.times, units.numbers
    return kinds.Shaped(
        first=times.names[int(numbers[change.first])],
        last=times.ends[int(numbers[change.last])],
        shape=change.shape,
        more=change.more,
        until=times.ends[int(numbers[change.first - 1])] if change.shape == "step" else "",
        turn=times.names[int(numbers[change.inside].min())] if change.shape == "line" else "",
    )


def information(a: float, b: float, part: float) -> float:
    """Nats for each word that two shares tell more than one: `part` of the words has share a, the
    rest b."""
    mean = part * a + (1 - part) * b
    if not 0 < mean < 1:
        return 0.0

    def nats(x: float) -> float:
        return x * math.log(max(x, 1e-12) / mean) + (1 - x) * math.log(
            max(1 - x, 1e-12) / (1 - mean)
        )

    return max(part * nats(a) + (1 - part) * nats(b), 0.0)


def ratio_interval(
    ratio: sums.Ratio, g: int, k: int
) -> tuple[float | None, float | None, float | None]:
    """The ratio of group g and topic k with the ends of its interval; None for what is not
    finite."""
    estimate, low, high = (
        float(array[g, k]) if np.isfinite(array[g, k]) else None for array in ratio[:3]
    )
    return estimate, low, high


def share_interval(shares: sums.Shares, g: int, k: int) -> kinds.ShareInterval:
    share, low, high = (float(array[g, k]) for array in shares[:3])
    return share, low, high


# Words over time


class Burst(NamedTuple):
    """places: a bit for each period that the event covers; inside: the documents, or sections, that
    have its first word when there is more of it."""

    event: kinds.Event
    places: int
    inside: np.ndarray


def events(context: Context, told: Container[tuple[int, bool]]) -> list[kinds.Event]:
    """Words that may stand for a topic, by the share of documents, or of their sections, that have
    them: short bursts, and lines and steps where the topic's own are not `told`, (topic, whether it
    rose)."""
    topic = context.names.eventful
    postings, rows = context.counted.postings, context.counted.rows
    listed = sorted(topic, key=lambda w: int(postings.indptr[w] - postings.indptr[w + 1]))[
        :EVENT_WORDS
    ]
    if not listed:
        return []
    document = np.where(rows.lengths > 0, rows.documents_of(np.arange(rows.D)), -1)
    step = max(
        1, int(sum(postings.indptr[w + 1] - postings.indptr[w] for w in listed)) // 20_000_000
    )
    having = [context.counted.word_rows(w)[0][::step] for w in listed]

    def counted(group: np.ndarray, G: int) -> tuple[np.ndarray, np.ndarray]:
        of_row = np.where(document >= 0, group[document], -1)
        return np.stack([step * _counted(of_row[some], G) for some in having], axis=1), _counted(
            of_row, G
        )

    times = np.where(document >= 0, context.times.group[document], -1)
    columns, rows_of_period = counted(context.times.group, context.times.G)
    raw = changes.in_units(columns, rows_of_period)
    units, tests = _tested(context, counted, SHORT)
    accepted = {i: (trend, window) for i, trend, window in _accepted(tests)}
    for i, places in _sudden(context, [document[some] for some in having], units.numbers).items():
        trend, window = accepted.get(i, (False, None))
        accepted[i] = trend, window or places
    bursts = []
    for i, (trend, window) in accepted.items():
        k = topic[listed[i]]
        change = changes.describe(units, i, trend, window)
        if change and change.shape != "window" and (k, change.more) in told:
            change = changes.describe(units, i, False, window)  # its burst, if it has one
        if change and (event := _event(context, listed[i], k, raw, i, change, columns[:, i])):
            most = _most(raw, change)
            inside = having[i][np.isin(times[having[i]], most)]
            bursts.append(Burst(event, sum(1 << place for place in most.tolist()), inside))
    return _joined(bursts)


def _sudden(
    context: Context, having: list[np.ndarray], numbers: np.ndarray
) -> dict[int, tuple[int, int]]:
    """Words that many more documents of a few periods have than chance explains, document by
    document, and the places of these periods in `numbers`. having: documents of each word. Of who
    speaks the mix is held constant, as far as it overlaps; repeated documents don't count, and
    those of one speaker count as one where they are alike."""
    times = np.where(context.repeated | (context.counted.lengths == 0), -1, context.times.group)
    having = [some[times[some] >= 0] for some in map(np.unique, having)]
    speaker, S = np.where(times >= 0, 0, -1), 1
    for mix in context.mixes:
        speaker, S = np.where(times >= 0, mix.codes + 1, -1), len(mix.category.values) + 1
    cells = _counted(np.where(times >= 0, times * S + speaker, -1), context.times.G * S).reshape(
        -1, S
    )[numbers]
    rates = (
        np.stack([_counted(speaker[some], S) for some in having], axis=1)
        / np.maximum(cells.sum(axis=0), 1)[:, None]
    )
    counted = np.stack([_counted(times[some], context.times.G)[numbers] for some in having], axis=1)
    best = scan.clearest(counted, cells @ rates, SHORT, EVENT_DOCUMENTS)
    independent = best.seen.copy()
    if context.unit is not None:
        for i in np.flatnonzero(best.p < 1).tolist():
            inside = np.isin(times[having[i]], numbers[best.first[i] : best.end[i]])
            independent[i] = len(np.unique(context.unit[having[i][inside]]))
    sure = sums.accepted(scan.corrected(best, independent), Q_VALUE)
    return {i: (int(best.first[i]), int(best.end[i])) for i in np.flatnonzero(sure).tolist()}


def _counted(numbers: np.ndarray, n: int) -> np.ndarray:
    return np.bincount(numbers[numbers >= 0], minlength=n).astype(float)


def _most(units: Units, change: Change) -> np.ndarray:
    """The periods in which there is more."""
    return units.numbers[change.inside if change.more else change.outside]


def _event(
    context: Context, w: int, k: int, units: Units, i: int, change: Change, column: np.ndarray
) -> kinds.Event | None:
    here, rest = (
        float((units.share[side, i] * units.weight[side]).sum() / units.weight[side].sum())
        for side in (change.inside, change.outside)
    )
    times = _times_as_many(here, rest, change.more)
    if times < LEAST_RATIO or column[_most(units, change)].sum() < EVENT_DOCUMENTS:
        return None
    part = float(
        units.weight[change.inside].sum() / units.weight[change.inside | change.outside].sum()
    )
    return kinds.Event(
        **vars(shaped(context, units, change)),
        score=math.sqrt(information(here, rest, part))
        * change.fit
        * math.log(times)
        * (1.0 if change.more and change.shape != "line" else 0.5),
        estimate=here / rest if rest else None,
        topic=k,
        words=[context.names.spelling[w]],
        here=here,
        rest=rest,
        sections=context.counted.rows.first_row is not None,
    )


def _joined(bursts: list[Burst]) -> list[kinds.Event]:
    """Words that come, or go, at the same time in the same documents, or sections, are one event,
    named by its strongest."""
    kept = list[Burst]()
    for burst in sorted(bursts, key=lambda burst: -burst.event.score):
        event, places = burst.event, burst.places
        for other in kept:
            there = other.places
            if (
                event.more != other.event.more
                or (places & there).bit_count() < TOGETHER * (places | there).bit_count()
            ):
                continue
            words, both = (
                other.event.words,
                len(np.intersect1d(other.inside, burst.inside, assume_unique=True)),
            )
            if both < TOGETHER * min(len(other.inside), len(burst.inside)) or _ratio(
                event
            ) ** 2 < _ratio(other.event):
                continue
            if len(words) < 3 and not any(alike(event.words[0], word) for word in words):
                words += event.words
            break
        else:
            again = any(
                other.event.topic == event.topic for other in kept
            )  # of each topic one event first
            kept.append(
                burst._replace(event=replace(event, score=event.score * (0.5 if again else 1.0)))
            )
    return [burst.event for burst in kept]


def _ratio(event: kinds.Event) -> float:
    return _times_as_many(event.here, event.rest, event.more)


def _times_as_many(here: float, rest: float, more: bool) -> float:
    return here / max(rest, 1e-4) if more else rest / max(here, 1e-4)


# Who speaks when


def who_speaks(context: Context) -> list[kinds.Speaker]:
    """Values of a field of speakers of which most documents are in a span: what else would be told
    as a change of subject."""
    rows = []
    times = context.times
    documents = np.bincount(times.group[times.group >= 0], minlength=times.G).astype(float)
    for category, codes, _ in context.mixes:
        some = codes >= 0
        member = csr_matrix(
            (np.ones(some.sum()), (times.group[some], codes[some])),
            shape=(times.G, len(category.values)),
        )
        units = changes.in_units(member.toarray(), documents)
        for i, change in _described(units, changes.tested(units)):
            sides = [units.numbers[side] for side in (change.inside, change.outside)]
            here, rest = (
                float(member[side, i].sum() / max(documents[side].sum(), 1)) for side in sides
            )
            if change.shape == "line" or not change.more or here < 0.5 or here < LEAST_RATIO * rest:
                continue
            rows.append(
                kinds.Speaker(
                    **vars(shaped(context, units, change)),
                    field=category.name,
                    value=category.values[i],
                    score=(here - rest) * change.fit,
                    estimate=here,
                    here=here,
                    rest=rest,
                )
            )
    return rows
