"""What became of the topics of two runs: which are the same in both, which one run divides otherwise
than the other, and which have no clear counterpart."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from inference.explore.matching import Matching
from webapp.core.results import measures
from webapp.core.results.view import RunView

FateKind = Literal["same", "several", "part", "alone"]
KINDS: tuple[FateKind, ...] = get_args(FateKind)


@dataclass(frozen=True)
class Fate:
    """Topics in use that are the same in both runs; are several topics in the other run; are part of
    a topic there; or have no clear counterpart there, `alone`: one of these may be like a topic that
    is more like another one. topics: how many, of either run. shares: of the words of either
    run."""

    kind: FateKind
    topics: list[int]
    shares: list[float]


def of_topics(between: Matching) -> dict[int, FateKind]:
    """Of each topic of the first run that is in use. One that has a partner is the same, though
    parts of it may be topics of their own in the other run."""
    divided_topics = {topic for topic, _ in between.splits}
    parts = {part for _, topics in between.merges for part in topics}
    kinds: dict[int, FateKind] = {}
    for topic in np.flatnonzero(between.used_a).tolist():
        if between.partner[topic] >= 0:
            kinds[topic] = "same"
        elif topic in divided_topics:
            kinds[topic] = "several"
        elif topic in parts:
            kinds[topic] = "part"
        else:
            kinds[topic] = "alone"
    return kinds


def summed(first_view: RunView, second_view: RunView, between: Matching) -> list[Fate]:
    """How many topics of either run are of each kind, and their share of its words."""
    sides = [
        (of_topics(between), shares(first_view)),
        (of_topics(between.turned()), shares(second_view)),
    ]
    return [_sum(kind, sides) for kind in KINDS]


def _sum(kind: FateKind, sides: list[tuple[dict[int, FateKind], np.ndarray]]) -> Fate:
    topics = []
    shares = []
    for kinds, share in sides:
        of_kind = [topic for topic, kind_of_topic in kinds.items() if kind_of_topic == kind]
        topics.append(len(of_kind))
        shares.append(float(share[of_kind].sum()))
    return Fate(kind, topics, shares)


def shares(view: RunView) -> np.ndarray:
    """float64[K]: each topic's share of the words of its run; 0 where it is not counted yet."""
    return np.nan_to_num(measures.of(view.run)["share"])


def likeness(between: Matching) -> float | None:
    """How alike partners are on average; None where no topic has one."""
    has_partner = between.partner >= 0
    return float(between.similarity[has_partner].mean()) if has_partner.any() else None
