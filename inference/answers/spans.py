"""Changes over time: spans of time beside all other time, and the last third beside the first.

All spans are looked through: windows of up to a third of the periods, steps, and the line from the
first third to the last. Chance is what exchanges of periods give the clearest span of all, each
kind measured by its own exchanges (inference.answers.span_chance), so the interval of any span
holds whichever span is asked for. What a unit says in a period is exchanged among its own periods,
and what it always says is held constant; where nobody speaks in several documents these are
exchanged; units that follow one another (presidents) change places. Spans longer than
SHORT_SPAN_SHARE of the periods must be more than exchanged periods give, too, where there are
EXCHANGEABLE_PERIODS; and more than units differ."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from inference.answers import cells as exchanged, ratio as ratios, span_chance
from inference.answers.acceptance import Acceptance, accept
from inference.answers.answer import LEAST_HOLDING, MOST_OF_ONE, Answers, Obstacle
from inference.answers.cells import Cells, Mix
from inference.answers.outcome import Outcome
from inference.answers.periods import MOST_PERIODS
from inference.answers.span_chance import Chance, Kinds
from inference.runtime.arrays import ABOVE_ZERO
from inference.share_intervals import USUAL_LEVEL

LONGEST_WINDOW_SHARE = 1 / 3  # of the periods, that a window covers at most
SHORT_SPAN_SHARE = 1 / 8  # of the periods: an event, judged by what those say who speak
EXCHANGEABLE_PERIODS = 30  # periods that can be exchanged themselves
EDGE = 0.1  # of the words that lie on either side of a step
STAYS = 1 / 3  # of a step's difference, that each half of either side must show
OVERLAP = 0.25  # of the smaller side's words, by units that speak on both
ON_BOTH = 0.02  # part of a unit's words from which on it speaks on a side

ROUNDING = 1e-9
BELOW_ANY_SCORE = -1e9  # a score that nothing is beyond
LEAST_UNIT_FREEDOM = 0.01  # degrees of freedom of an error by units, at the least
MOST_LEVERAGE = 0.99

SpanKind = Literal["window", "step", "line"]
PARAMETERS: dict[SpanKind, int] = {"line": 2, "step": 3, "window": 4}


class Periods(NamedTuple):
    """position: int64[D], the period of each document, -1 for none; days: int64[D],
    date.toordinal(), 0 for none."""

    position: np.ndarray
    days: np.ndarray


class Speakers(NamedTuple):
    """unit: int64[D], whose each document is, below 0 for nobody's; correlation: of documents of
    one unit."""

    unit: np.ndarray
    correlation: float


class Candidate(NamedTuple):
    """A span that may be beyond chance. inside, outside: bool[D], documents of the places that are
    compared; more: whether there is more inside."""

    shape: SpanKind
    inside: np.ndarray
    outside: np.ndarray
    more: bool


class _Side(NamedTuple):
    """amounts: float64[T]; words; documents. of_units, words_of_units: float64[U, T] and [U], None
    where no unit is told. length: places that it touches; begins, ends: whether it touches the
    first and the last."""

    amounts: np.ndarray
    words: float
    documents: int
    of_units: np.ndarray | None
    words_of_units: np.ndarray | None
    length: int
    begins: bool
    ends: bool


class _Compared(NamedTuple):
    """Two sides before chance is known. difference, share_a: float64[T]; scale: the difference that
    an excess of 1 is; length: places of a window; units: of both sides. error: float64[T], of the
    difference by units, and its degrees of freedom, 0 where units are not asked."""

    side_a: _Side
    side_b: _Side
    difference: np.ndarray
    share_a: np.ndarray
    scale: float
    shape: SpanKind
    length: int
    units: tuple[int, int]
    error: np.ndarray
    df: float
    obstacle: Obstacle | None


@dataclass(frozen=True)
class Spans:
    """outcome: T columns. position: int64[D], of each document its place in the order that is
    looked through, -1 for none: periods that have words, or (in_order) units that follow one
    another. mix: who speaks, where units speak in several periods; codes: int64[U], what the
    question calls the units of a side. sums: float64[G, T], residuals of each place, 0 in all;
    weight: float64[G], sums to 1. seen: float64[2, rows, T], the largest excess of each kind.
    by_period: None where periods are not exchanged. holding: int64[T], cells with the topic. p:
    float64[2, T], of the clearest span of each topic, of more and of less; acceptance: of these."""

    outcome: Outcome
    position: np.ndarray
    in_order: bool
    mix: Mix | None
    codes: np.ndarray
    sums: np.ndarray
    weight: np.ndarray
    kinds: Kinds
    seen: np.ndarray
    chance: Chance
    by_period: Chance | None
    holding: np.ndarray
    p: np.ndarray
    acceptance: Acceptance

    @property
    def level(self) -> float:
        """Of the intervals of all spans."""
        return self.acceptance.level

    @property
    def too_few_in_order(self) -> int:
        """Units that follow one another in time (13 presidents), where fewer than
        EXCHANGEABLE_PERIODS can change places: hardly any change can be beyond chance. 0 where they
        are enough, or are exchanged otherwise."""
        units = len(self.weight)
        return units if self.in_order and units < EXCHANGEABLE_PERIODS else 0

    def of_column(self, column: int) -> "Spans":
        """The spans of one topic alone: its questions are answered sooner, and alike."""
        of_one_column = slice(column, column + 1)
        mix = self.mix
        if mix is not None:
            mix = mix._replace(
                amounts=mix.amounts[:, of_one_column],
                own=mix.own[:, of_one_column],
                mean=mix.mean[of_one_column],
            )
        return replace(
            self,
            outcome=self.outcome.only(column),
            mix=mix,
            sums=self.sums[:, of_one_column],
            seen=self.seen[..., of_one_column],
            chance=self.chance.only(of_one_column),
            by_period=self.by_period.only(of_one_column) if self.by_period is not None else None,
            holding=self.holding[of_one_column],
            p=self.p[:, of_one_column],
        )

    def thirds(self) -> tuple[np.ndarray, np.ndarray] | None:
        """bool[D] each: documents of the last and of the first third; None where there are too few
        periods."""
        first_end, last_begin = self.kinds.thirds.tolist()
        if first_end == last_begin:
            return None
        return self.position >= last_begin, (self.position >= 0) & (self.position < first_end)

    # The answer to a question

    def answer(self, on_a: np.ndarray, on_b: np.ndarray | None = None) -> Answers:
        """A span of time beside all other documents with a date, or the last third beside the
        first. on_a, on_b: bool[D]."""
        dated = self.position >= 0
        side_a = self._side(on_a & dated)
        side_b = self._side((~on_a if on_b is None else on_b) & dated)
        if not side_a.words or not side_b.words:
            return self._judged(self._nothing(side_a, side_b))
        if on_b is not None:
            return self._judged(self._last_third(side_a, side_b))
        if self._is_turned(side_a, side_b):
            return self._judged(self._span(side_b, side_a)).turned
        return self._judged(self._span(side_a, side_b))

    def _is_turned(self, side_a: _Side, side_b: _Side) -> bool:
        """Whether the other side is the span that was looked for: of two that touch an end each,
        the later one, or the one that is too short for a step."""
        if side_a.begins == side_a.ends:
            return False
        part = side_a.words / (side_a.words + side_b.words)
        if EDGE <= part <= 1 - EDGE:
            return side_a.begins
        return part > 1 / 2

    def _side(self, on: np.ndarray) -> _Side:
        sizes = self.outcome.sizes
        dated = np.flatnonzero(on & (sizes > 0))
        of_units = None
        words_of_units = None
        if len(self.codes):
            unit = self.position if self.mix is None else self.mix.pool
            of_units = self.outcome.summed(np.where(on, unit, -1), len(self.codes))
            with_unit = dated[unit[dated] >= 0]
            words_of_units = np.bincount(unit[with_unit], sizes[with_unit], len(self.codes))
        words = np.bincount(self.position[dated], sizes[dated], len(self.weight))
        touched = words > 0
        if self.in_order:  # a unit is where most of its words are
            touched = words > self._words_of_places / 2
        return _Side(
            amounts=self.outcome.summed(np.where(on, 0, -1), 1)[0],
            words=float(sizes[dated].sum()),
            documents=len(dated),
            of_units=of_units,
            words_of_units=words_of_units,
            length=int(np.count_nonzero(touched)),
            begins=bool(touched[0]),
            ends=bool(touched[-1]),
        )

    @cached_property
    def _words_of_places(self) -> np.ndarray:
        dated = np.flatnonzero(self.position >= 0)
        return np.bincount(self.position[dated], self.outcome.sizes[dated], len(self.weight))

    def _nothing(self, side_a: _Side, side_b: _Side) -> _Compared:
        unknown = np.full(self.outcome.columns, np.nan)
        share = side_a.amounts / side_a.words if side_a.words else unknown
        units = (side_a.documents, side_b.documents)
        return _Compared(
            side_a=side_a,
            side_b=side_b,
            difference=unknown,
            share_a=share,
            scale=1.0,
            shape="window",
            length=1,
            units=units,
            error=unknown,
            df=0.0,
            obstacle=Obstacle.FEW_UNITS,
        )

    def _span(self, side_a: _Side, side_b: _Side) -> _Compared:
        part = side_a.words / (side_a.words + side_b.words)
        is_step = side_a.begins != side_a.ends and EDGE <= part <= 1 - EDGE
        shape: SpanKind = "step" if is_step else "window"
        if self.mix is not None:
            return _with_mix_held(self.mix, side_a, side_b, shape)
        return _as_counted(side_a, side_b, 1 / np.sqrt(part * (1 - part)), shape)

    def _last_third(self, side_a: _Side, side_b: _Side) -> _Compared:
        if self.mix is not None:
            return _line_with_mix_held(self.mix, side_a, side_b)
        words = float(self._words_of_places.sum())
        late = side_a.words / words
        early = side_b.words / words
        return _as_counted(side_a, side_b, 1 / np.sqrt(late * early / (late + early)), "line")

    def _judged(self, compared: _Compared) -> Answers:
        """Number, interval and verdict."""
        share_a = compared.share_a
        difference = np.minimum(compared.difference, share_a)  # no share is below 0
        tellable = ~np.isnan(difference) & (self.holding >= LEAST_HOLDING)
        tellable &= compared.obstacle is None
        largest, part = self._largest(compared, difference)
        half, p = self._beyond_chance(compared, difference)
        half = np.where(part > MOST_OF_ONE, half, np.maximum(half, _by_units(compared)))
        half = np.where(tellable, half * (1 + ROUNDING), np.nan)
        critical = float(ndtri(0.5 + self.level / 2))
        error = half / critical
        part_of_b = compared.side_b.words / max(
            compared.side_a.words + compared.side_b.words, ABOVE_ZERO
        )
        variance_a = error**2 * part_of_b
        variance_b = error**2 * (1 - part_of_b)
        share_b = share_a - difference
        criticals = np.full(len(difference), critical)
        ratio = ratios.with_ends(
            share_a,
            share_b,
            variance_a,
            variance_b,
            np.zeros(len(difference)),
            criticals,
            tellable,
        )
        unknown = np.full(len(difference), np.nan)
        return Answers(
            a=share_a,
            b=share_b,
            difference=difference,
            low=difference - half,
            high=difference + half,
            ratio=ratio.value,
            ratio_low=ratio.low,
            ratio_high=ratio.high,
            p=np.where(tellable, p, np.nan),
            accepted=tellable & (np.abs(difference) > half),
            level=self.level,
            rows=self.acceptance.rows,
            critical=criticals,
            error=error,
            error_a=np.sqrt(variance_a),
            error_b=np.sqrt(variance_b),
            df=compared.df,
            calibrated="exchanged",
            units=compared.units,
            holding=self.holding,
            largest=largest,
            part=part,
            without=unknown,
            ratio_without=unknown,
            obstacle=compared.obstacle,
        )

    def _largest(
        self, compared: _Compared, difference: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The code of the unit with most of a topic on the side that has more, -1 where no unit is
        told, and what it has of it: int64[T], float64[T]."""
        columns = np.arange(len(difference))
        units_of_a = compared.side_a.of_units
        of_b = compared.side_b.of_units
        if units_of_a is None or of_b is None:
            return np.full(len(columns), -1), np.zeros(len(columns))
        of_side = np.where(difference > 0, units_of_a, of_b)
        unit = of_side.argmax(axis=0)
        part = of_side[unit, columns] / np.maximum(of_side.sum(axis=0), ABOVE_ZERO)
        return self.codes[unit], part

    def _beyond_chance(
        self, compared: _Compared, difference: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Half of the interval, and p: float64[T] each."""
        excess = np.abs(np.nan_to_num(difference)) / compared.scale
        less = (difference < 0).astype(np.int64)
        columns = np.arange(len(difference))
        chances = [self.chance]
        is_long = compared.shape != "window" or compared.length > SHORT_SPAN_SHARE * len(
            self.weight
        )
        if self.by_period is not None and is_long:
            chances.append(self.by_period)
        half = np.zeros(len(columns))
        p = np.zeros(len(columns))
        for chance in chances:
            mean, spread = self._of_shape(chance, compared)
            score = (excess - mean) / spread
            p = np.maximum(p, chance.p(score)[less, columns])
            with np.errstate(invalid="ignore"):
                reached = mean + spread * chance.critical(self.level)
            reached = np.where(np.isinf(spread), np.inf, reached)[less, columns]
            half = np.maximum(half, reached * compared.scale)
        return half, p

    def _of_shape(self, chance: Chance, compared: _Compared) -> tuple[np.ndarray, np.ndarray]:
        """mean and spread, float64[2, T], of a kind of span; of windows between two lengths that
        were looked through what lies between theirs."""
        if compared.shape == "line":
            return chance.mean[:, self.kinds.line], chance.spread[:, self.kinds.line]
        if compared.shape == "step":
            return chance.mean[:, self.kinds.step], chance.spread[:, self.kinds.step]
        lengths = self.kinds.lengths
        row = int(np.searchsorted(lengths, compared.length))
        if row == len(lengths):
            row -= 1
        if row == 0 or lengths[row] <= compared.length:
            return chance.mean[:, row], chance.spread[:, row]
        below = np.log(lengths[row - 1])
        part = (np.log(compared.length) - below) / (np.log(lengths[row]) - below)
        mean = (1 - part) * chance.mean[:, row - 1] + part * chance.mean[:, row]
        return mean, (1 - part) * chance.spread[:, row - 1] + part * chance.spread[:, row]

    # What may be told

    def candidates(self, column: int) -> Iterator[Candidate]:
        """The clearest span of each kind that is beyond chance, of more and of less, of a topic;
        the one that describes it best first, by the Bayesian information criterion."""
        described: list[tuple[float, int, Candidate]] = []
        for less, row in self._kinds_beyond_chance(column):
            span = self._place_of(row, -1 if less else 1, column)
            if span is None:
                continue
            first, end = span
            inside = (self.position >= first) & (self.position < end)
            outside = (self.position >= 0) & ~inside
            shape: SpanKind = "window"
            if row == self.kinds.step:
                shape = "step"
            elif row == self.kinds.line:
                shape = "line"
                outside = (self.position >= 0) & (self.position < self.kinds.thirds[0])
            candidate = Candidate(shape, inside, outside, not less)
            described.append((self._misfit(shape, first, end, column), row, candidate))
        for _, _, candidate in sorted(described, key=lambda item: item[:2]):
            yield candidate

    def _kinds_beyond_chance(self, column: int) -> list[list[int]]:
        """[0 for more or 1 for less, row] of kinds of spans."""
        return np.argwhere(self._beyond_chance_of_kinds[:, :, column]).tolist()

    @cached_property
    def _beyond_chance_of_kinds(self) -> np.ndarray:
        """bool[2, rows, T]: whether the clearest span of each kind is."""
        possible = self.kinds.possible()[None, :, None] & (self.holding >= LEAST_HOLDING)
        beyond = self.chance.scores(self.seen) > self.chance.critical(self.level)[:, None]
        if self.by_period is not None:
            of_periods = self.by_period.scores(self.seen)
            beyond_periods = of_periods > self.by_period.critical(self.level)[:, None]
            beyond &= beyond_periods | ~_is_long(self.kinds, self.weight)[None, :, None]
        return beyond & possible

    def _misfit(self, shape: SpanKind, first: int, end: int, column: int) -> float:
        """The Bayesian information criterion of a line (2 parameters), a step (3) or a window
        (4)."""
        positions = len(self.weight)
        weight = np.maximum(self.weight, ROUNDING)
        share = self.sums[:, column] / weight
        mean = (weight * share).sum()
        total = (weight * (share - mean) ** 2).sum() + ABOVE_ZERO
        regressor = np.zeros(positions)
        regressor[first:end] = 1.0
        if shape == "line":
            regressor = np.cumsum(weight) - weight / 2
        regressor -= (weight * regressor).sum()
        explained = (weight * regressor * (share - mean)).sum() ** 2
        explained /= max((weight * regressor**2).sum(), ABOVE_ZERO) * total
        parameters = PARAMETERS[shape]
        return float(
            positions * np.log(max(1 - explained, ROUNDING)) + parameters * np.log(positions)
        )

    def _place_of(self, row: int, sign: int, column: int) -> tuple[int, int] | None:
        """The first place and the end of the clearest span of a kind; None for a step that does not
        stay."""
        sums = sign * np.concatenate([[0.0], np.cumsum(self.sums[:, column])])
        passed = np.concatenate([[0.0], np.cumsum(self.weight)])
        if row == self.kinds.line:
            return int(self.kinds.thirds[1]), len(self.weight)
        if row < self.kinds.step:
            length = int(self.kinds.lengths[row])
            part = np.clip(passed[length:] - passed[:-length], ROUNDING, 1 - ROUNDING)
            excess = (sums[length:] - sums[:-length]) / np.sqrt(part * (1 - part))
            first = int(excess.argmax())
            return first, first + length
        cuts = np.arange(self.kinds.cuts[0], self.kinds.cuts[1] + 1)
        part = 1 - passed[cuts]
        excess = (sums[-1] - sums[cuts]) / np.sqrt(part * (1 - part))
        cut = int(cuts[excess.argmax()])
        return (cut, len(self.weight)) if _stays(sums, passed, cut) else None


def _stays(sums: np.ndarray, passed: np.ndarray, cut: int) -> bool:
    """Whether each half of either side shows STAYS of a step's difference: else it came and went.
    sums, passed: float64[G + 1], running; cut: where the step begins."""
    end = len(passed) - 1
    before = sums[cut] / passed[cut]
    after = (sums[end] - sums[cut]) / (passed[end] - passed[cut])
    # Of each side its places, and the mean of the other side, which is larger (1) or less (-1)
    for first, last, other_mean, sign in ((0, cut, after, 1), (cut, end, before, -1)):
        middle = int(np.searchsorted(passed, (passed[first] + passed[last]) / 2))
        for begin, behind in ((first, middle), (middle, last)):
            if begin == behind:
                continue
            mean = (sums[behind] - sums[begin]) / max(passed[behind] - passed[begin], ROUNDING)
            if sign * (other_mean - mean) < STAYS * (after - before):
                return False
    return True


def _as_counted(side_a: _Side, side_b: _Side, scale: float, shape: SpanKind) -> _Compared:
    """Shares as they were counted."""
    share_a = side_a.amounts / side_a.words
    difference = share_a - side_b.amounts / side_b.words
    units = (side_a.documents, side_b.documents)
    error = np.zeros(len(difference))
    return _Compared(
        side_a=side_a,
        side_b=side_b,
        difference=difference,
        share_a=share_a,
        scale=scale,
        shape=shape,
        length=side_a.length,
        units=units,
        error=error,
        df=0.0,
        obstacle=None,
    )


def _with_mix_held(mix: Mix, side_a: _Side, side_b: _Side, shape: SpanKind) -> _Compared:
    """The difference of a span from all other times, with the same units in both."""
    assert side_a.of_units is not None and side_a.words_of_units is not None
    assert side_b.of_units is not None and side_b.words_of_units is not None
    words_a = side_a.words_of_units
    words_b = side_b.words_of_units
    words = words_a.sum() + words_b.sum()
    part = words_a.sum() / words
    of_unit = words_a / np.maximum(words_a + words_b, ABOVE_ZERO)
    expected = mix.trust * of_unit + (1 - mix.trust) * part  # what `own` takes of the span itself
    reach = float((words_a * (1 - expected)).sum())
    above = _above_usual(mix, side_a)
    difference = above.sum(axis=0) / max(reach, ABOVE_ZERO)
    levers = (1 - expected, -expected)
    error, df = _error(mix, (side_a, side_b), levers, difference)
    scale = words * np.sqrt(part * (1 - part)) / max(reach, ABOVE_ZERO)
    return _Compared(
        side_a=side_a,
        side_b=side_b,
        difference=difference,
        share_a=side_a.amounts / side_a.words,
        scale=scale,
        shape=shape,
        length=side_a.length,
        units=_units_of(side_a, side_b),
        error=error,
        df=df,
        obstacle=None if _speak_on_both(words_a, words_b) else Obstacle.WHO_SPEAKS,
    )


def _line_with_mix_held(mix: Mix, side_a: _Side, side_b: _Side) -> _Compared:
    """The difference of the last third from the first, with the same units in both."""
    assert side_a.words_of_units is not None and side_b.words_of_units is not None
    words_a = side_a.words_of_units
    words_b = side_b.words_of_units
    words = mix.sizes.sum()
    late = words_a.sum()
    early = words_b.sum()
    of_unit = (words_a - words_b) / (2 * np.maximum(mix.sizes, ABOVE_ZERO))
    expected = mix.trust * of_unit + (1 - mix.trust) * (late - early) / (2 * words)
    reach_a = (words_a * (0.5 - expected)).sum() / max(late, ABOVE_ZERO)
    reach_b = (words_b * (0.5 + expected)).sum() / max(early, ABOVE_ZERO)
    reach = max(float(reach_a + reach_b), ABOVE_ZERO)
    above = _above_usual(mix, side_a).sum(axis=0) / max(late, ABOVE_ZERO)
    difference = (above - _above_usual(mix, side_b).sum(axis=0) / max(early, ABOVE_ZERO)) / reach
    levers = (0.5 - expected, -0.5 - expected)
    error, df = _error(mix, (side_a, side_b), levers, difference)
    harmonic = late / words * (early / words) / ((late + early) / words)
    return _Compared(
        side_a=side_a,
        side_b=side_b,
        difference=difference,
        share_a=side_a.amounts / side_a.words,
        scale=1 / np.sqrt(max(harmonic, ABOVE_ZERO)) / reach,
        shape="line",
        length=side_a.length,
        units=_units_of(side_a, side_b),
        error=error,
        df=df,
        obstacle=None if _speak_on_both(words_a, words_b) else Obstacle.WHO_SPEAKS,
    )


def _above_usual(mix: Mix, side: _Side) -> np.ndarray:
    """float64[U, T]: what units say on a side beyond what they always say."""
    assert side.of_units is not None and side.words_of_units is not None
    return side.of_units - side.words_of_units[:, None] * (mix.own + mix.mean)


def _error(
    mix: Mix,
    sides: tuple[_Side, _Side],
    levers: tuple[np.ndarray, np.ndarray],
    difference: np.ndarray,
) -> tuple[np.ndarray, float]:
    """The error of a difference, by units, and its degrees of freedom. levers: float64[U], of both
    sides: by what a word there counts."""
    moves = np.zeros((len(mix.sizes), len(difference)))
    weight = np.zeros(len(mix.sizes))
    for side, lever in zip(sides, levers, strict=True):
        assert side.words_of_units is not None
        moves += lever[:, None] * _above_usual(mix, side)
        weight += lever**2 * side.words_of_units
    total = max(weight.sum(), ABOVE_ZERO)
    leverage = np.clip(weight / total, 0.0, MOST_LEVERAGE)
    residual = moves - weight[:, None] * difference
    variance = (residual**2 / (1 - leverage)[:, None]).sum(axis=0)
    effective = weight.sum() ** 2 / max((weight**2).sum(), ABOVE_ZERO)
    return np.sqrt(variance) / total, float(max(effective - 1, LEAST_UNIT_FREEDOM))


def _by_units(compared: _Compared) -> np.ndarray:
    """float64[T]: what a difference must exceed so that it is more than units differ."""
    if not compared.df:
        return np.zeros(len(compared.error))
    return stdtrit(compared.df, 0.5 + USUAL_LEVEL / 2) * compared.error


def _units_of(side_a: _Side, side_b: _Side) -> tuple[int, int]:
    assert side_a.words_of_units is not None and side_b.words_of_units is not None
    return int(np.count_nonzero(side_a.words_of_units)), int(
        np.count_nonzero(side_b.words_of_units)
    )


def _speak_on_both(words_a: np.ndarray, words_b: np.ndarray) -> bool:
    """Whether enough of the smaller side's words are by units that speak on both: else a change
    can't be told from one of who speaks."""
    part = words_a / np.maximum(words_a + words_b, ABOVE_ZERO)
    on_both_sides = (part > ON_BOTH) & (part < 1 - ON_BOTH)
    shared = np.minimum(words_a, words_b)[on_both_sides].sum()
    return bool(shared >= OVERLAP * min(words_a.sum(), words_b.sum()))


def look_through(
    outcome: Outcome,
    periods: Periods,
    speakers: Speakers | None = None,
    longest: float = LONGEST_WINDOW_SHARE,
) -> Spans:
    """All spans of a collection whose documents are of two periods or more. speakers: None where
    documents are independent. longest: part of the periods that a window covers."""
    sizes = outcome.sizes
    dated = np.flatnonzero((periods.position >= 0) & (sizes > 0))
    position = np.full(len(sizes), -1, np.int64)
    position[dated] = np.unique(periods.position[dated], return_inverse=True)[1]
    mix: Mix | None = None
    codes = np.zeros(0, np.int64)
    in_order = False
    if speakers is None:
        cells = exchanged.of_documents(outcome, position)
    elif exchanged.follow_each_other(speakers.unit, periods.days):
        unit = np.where(position >= 0, speakers.unit, -1)
        rank = exchanged.in_order(unit, periods.days, sizes)
        in_order = int(rank.max()) < MOST_PERIODS
        if in_order:
            codes = exchanged.codes_in_order(unit, rank)
            position = rank
        cells = exchanged.of_whole_units(outcome, rank, position)
    else:
        cells, mix = exchanged.of_units(outcome, position, speakers.unit, speakers.correlation)
        codes = mix.code
    return _looked_through(outcome, position, in_order, cells, mix, codes, longest)


def _looked_through(
    outcome: Outcome,
    position: np.ndarray,
    in_order: bool,
    cells: Cells,
    mix: Mix | None,
    codes: np.ndarray,
    longest: float,
) -> Spans:
    sums, weight = exchanged.in_places(cells, mix, int(position.max()) + 1)
    kinds = span_chance.kinds_of(weight, longest, EDGE)
    seen = span_chance.largest_excess(sums, weight, kinds)
    chance = span_chance.of_cells(cells, mix, len(weight), seen, kinds)
    by_period = None
    is_long = _is_long(kinds, weight)
    if not in_order and len(weight) >= EXCHANGEABLE_PERIODS:
        by_period = span_chance.of_periods(sums, weight, seen, kinds, is_long)
    holding = np.count_nonzero(cells.amounts, axis=0)
    p = _of_clearest(seen, chance, by_period, is_long, kinds)
    p[:, holding < LEAST_HOLDING] = np.nan
    return Spans(
        outcome=outcome,
        position=position,
        in_order=in_order,
        mix=mix,
        codes=codes,
        sums=sums,
        weight=weight,
        kinds=kinds,
        seen=seen,
        chance=chance,
        by_period=by_period,
        holding=holding,
        p=p,
        acceptance=accept(p),
    )


def _is_long(kinds: Kinds, weight: np.ndarray) -> np.ndarray:
    """bool[rows], of kinds of spans."""
    return np.append(kinds.lengths > SHORT_SPAN_SHARE * len(weight), [True, True])


def _of_clearest(
    seen: np.ndarray,
    chance: Chance,
    by_period: Chance | None,
    is_long: np.ndarray,
    kinds: Kinds,
) -> np.ndarray:
    """float64[2, T]: p of the clearest span of each topic, of more and of less."""
    scores = chance.scores(seen)
    short = kinds.possible() & ~is_long
    long = kinds.possible() & is_long
    p = chance.p(scores[:, short].max(axis=1, initial=BELOW_ANY_SCORE))
    p_long = chance.p(scores[:, long].max(axis=1, initial=BELOW_ANY_SCORE))
    if by_period is not None:
        scores_of_periods = by_period.scores(seen)[:, long].max(axis=1, initial=BELOW_ANY_SCORE)
        p_long = np.maximum(p_long, by_period.p(scores_of_periods))
    return np.minimum(p, p_long)
