"""One judge for all engines (docs/judge.md), and what is said of what it found."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType

import numpy as np

from benchmarks.engines.peers import OURS, Variant
from inference import Bow, Topics
from inference.evaluate import Coherence, Completion
from inference.fold_in import alpha_for
from inference.runtime.arrays import offsets_of_parts

DECIMALS = 5  # of the numbers that are stored
ABOVE_FLOOR = 1.0001  # times a topic's least weight: a word with more is stored by itself
NEARLY_ALL = 0.9  # of the words: where so many are stored, all are


@dataclass(frozen=True)
class Point:
    """What topics were worth after so many seconds of training."""

    seconds: float
    passes: float
    held_out: float  # nats per token, document completion
    npmi: float  # mean of the topics, over the documents that were trained on
    # Seconds by the other timer: of the processor where the clock's count, and the other way round
    other: float = 0.0
    # Seconds that a user's run had spent on measuring its topics by then, beside these
    judged: float = 0.0

    @property
    def whole(self) -> float:
        """Seconds as a user waits for them."""
        return self.seconds + self.judged

    def json(self) -> dict:
        return {name: round(value, DECIMALS) for name, value in asdict(self).items()}


@dataclass
class Curve:
    """What the topics of one training were worth as it went on.

    variant: the engine and its settings. points: by the seconds of training, ascending. problem:
    why there are no more points, in words; None where there is none.
    """

    variant: Variant
    points: list[Point] = field(default_factory=list)
    problem: str | None = None

    def best(self, seconds: float) -> Point | None:
        """The first of its points with the best completion within some seconds."""
        in_time = [point for point in self.points if point.seconds <= seconds]
        return max(in_time, key=lambda point: point.held_out, default=None)

    def reached(self, quality: float, judged: bool = False) -> float:
        """Seconds until the first point that is as good, with judging or without; inf where none
        is."""
        for point in self.points:
            if point.held_out >= quality:
                return point.whole if judged else point.seconds
        return float("inf")

    def json(self) -> dict:
        return {
            "engine": self.variant.engine,
            "label": self.variant.label,
            "settings": self.variant.settings,
            "problem": self.problem,
            "points": [point.json() for point in self.points],
        }


class Judge:
    """Measures any engine's topics on the same documents: completion of those that were held out,
    NPMI in those that were trained on.

    bow: the corpus. held_out: int64[n], its documents that nobody trains on. train: the bag of words
    of all others. K: the number of topics, by which alpha of the fold-in is chosen (alpha_for).
    """

    def __init__(self, bow: Bow, held_out: np.ndarray, train: Bow, K: int):
        self.alpha = alpha_for(K)
        self.completion = Completion(bow, held_out)
        self.coherence = Coherence(train)

    def __call__(
        self,
        seconds: float,
        passes: float,
        dense: np.ndarray,
        other: float = 0.0,
        judged: float = 0.0,
    ) -> Point:
        """The measures of some topics, with the seconds and passes that made them.

        dense: float[K, V], the topics, of any positive scale. The other parameters are those of
        Point. Raises ValueError where dense has numbers that are not finite.
        """
        topics = sparse(dense)
        return Point(
            seconds=seconds,
            passes=passes,
            held_out=self.completion(topics),
            npmi=float(np.nanmean(self.coherence.npmi(topics))),
            other=other,
            judged=judged,
        )


def sparse(dense: np.ndarray) -> Topics:
    """Topics of a dense matrix, any positive scale: a row's least weight is its floor, where a
    tenth of the words have it."""
    K, V = dense.shape
    if not np.isfinite(dense).all():
        raise ValueError("The topics are not numbers.")
    words = []
    weights = []
    floors = np.zeros(K)
    for k in range(K):
        row = dense[k].astype(np.float64)
        row /= row.sum()
        floors[k] = row.min()
        above = np.flatnonzero(row > ABOVE_FLOOR * floors[k])
        if len(above) > NEARLY_ALL * V:
            above = np.arange(V)
            floors[k] = 0.0
        above = above[np.argsort(-row[above], kind="stable")]
        words.append(above.astype(np.int32))
        weights.append(row[above].astype(np.float32))
    indptr = offsets_of_parts(len(row) for row in words)
    return Topics(
        indptr=indptr,
        words=np.concatenate(words),
        weights=np.concatenate(weights),
        floor=floors,
        floor_mass=floors * (V - np.diff(indptr)),
        share=np.full(K, 1 / K),
        V=V,
    )


def split_ours(curves: list[Curve]) -> tuple[Curve | None, list[Curve]]:
    """The curve of our default engine, and those of the peers; our other engines are in neither."""
    ours = None
    for curve in curves:
        is_default = curve.variant.engine == OURS and not curve.variant.note
        if is_default and ours is None:
            ours = curve
    return ours, [curve for curve in curves if curve.variant.engine != OURS]


def ratio(
    curves: list[Curve],
    seconds: float,
    judged: bool = False,
    late: Mapping[str, float] = MappingProxyType({}),
) -> float:
    """Our seconds to the best completion that a peer reached within some seconds, by that peer's:
    the largest of all peers, which need not be that of the best. NaN without a peer. judged: with
    what a run of ours spends on judging. late: peers that have so many times the seconds."""
    ours, peers = split_ours(curves)
    if ours is None:
        return float("nan")
    ratios = []
    for curve in peers:
        best = curve.best(seconds * late.get(curve.variant.engine, 1.0))
        if best is not None:
            ratios.append(ours.reached(best.held_out, judged) / best.seconds)
    return max(ratios, default=float("nan"))


def one_pass_ratio(curves: list[Curve]) -> float:
    """Our seconds by those of the fastest peer, each for one pass; inf where a peer's completion is
    better."""
    ours, peers = split_ours(curves)
    ends = [curve.points[-1] for curve in peers if curve.points]
    if ours is None or not ours.points or not ends:
        return float("nan")
    if max(end.held_out for end in ends) >= ours.points[-1].held_out:
        return float("inf")
    return ours.points[-1].seconds / min(end.seconds for end in ends)
