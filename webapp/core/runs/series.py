"""What is measured of a run while it trains, each series declared once: its column, its place in
the table, its chart; and what it says in words.

A new series is one entry of SERIES and a column of models.Metric with its name (a migration).
Charts, tables, run.json and the scripts take what they need from here.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from inference import Snapshot, engines
from inference.engines.contract import AnyEngine, Bounded
from webapp.models import Metric
from webapp.platform.drawing.numbers import count, decimals, percent
from webapp.platform.storage.nulls import number_or_none

_WRITTEN = {
    "count": lambda value, _: count(value),
    "decimals": decimals,
    "percent": lambda value, _: percent(value),
}


@dataclass(frozen=True)
class Chart:
    """A panel of the run's page and of the page of several runs.

    title, sentence: of one run; titles, sentences: of several, beside one another. Words in
    [term|text] open the glossary's `term`.
    places: decimals of the labels. unit: behind a value that is pointed at. missing: what stands
    there when training measured nothing.
    by_topic: a line for each topic beside their mean (Metric.topic_coherence).
    """

    title: str
    sentence: str
    titles: str
    sentences: str
    places: int
    unit: str = ""
    missing: str = "Nothing was measured."
    by_topic: bool = False


@dataclass(frozen=True)
class Column:
    """A column of the table of a run's curves, and of run.json. format: "count", "decimals" or
    "percent", as in static/js/format.js."""

    name: str
    label: str
    format: str
    places: int = 3

    def written(self, value: float | None) -> str:
        """A value as tables and charts write it; None is none."""
        write = _WRITTEN[self.format]
        return write(value, self.places)


@dataclass(frozen=True)
class Series(Column):
    """measure: its value from a snapshot of the training; None where it can't be measured. chart:
    None for the table alone. ability: what an engine must have for it (inference.engines.contract);
    None: every engine has it."""

    measure: Callable[[Snapshot], float | None] = lambda snapshot: None
    chart: Chart | None = None
    ability: type | None = None

    def is_measured_by(self, engines: Iterable[AnyEngine]) -> bool:
        """Whether one of these engines has it."""
        return self.ability is None or any(isinstance(engine, self.ability) for engine in engines)


def topic_coherence(snapshot: Snapshot) -> list[float | None]:
    """UMass coherence of each topic, [K]; None for a topic without words."""
    return [None if np.isnan(value) else round(float(value), 4) for value in snapshot.coherence]


def _mean_coherence(snapshot: Snapshot) -> float | None:
    values = [value for value in topic_coherence(snapshot) if value is not None]
    return sum(values) / len(values) if values else None


SERIES = (
    Series(
        "held_out",
        "Prediction of held-out words, nats/token",
        "decimals",
        3,
        lambda snapshot: number_or_none(snapshot.held_out),
        Chart(
            title="How well it predicts held-out documents",
            titles="How well they predict held-out documents",
            sentence=(
                "[held-out|Log likelihood of held-out words], [nat|nats] per [token|token]; higher"
                " is better."
            ),
            sentences=(
                "[held-out|Log likelihood of held-out words], [nat|nats] per [token|token]; higher"
                " is better."
            ),
            places=3,
            unit="nats per token",
            missing="The corpus is too small to hold documents out.",
        ),
    ),
    Series(
        "objective",
        "Objective, nats/token",
        "decimals",
        3,
        lambda snapshot: number_or_none(snapshot.objective),
        Chart(
            title="How well it explains the documents that it learns from",
            titles="How well they explain the documents that they learn from",
            sentence=(
                "The [objective|objective] that training raises, [nat|nats] per [token|token];"
                " higher is better. Where it no longer rises, more passes find nothing better."
            ),
            sentences=(
                "The [objective|objective] that training raises, [nat|nats] per [token|token]."
                " Compare only runs of one engine: each engine has an objective of its own."
            ),
            places=3,
            unit="nats per token",
            missing="The documents that were looked at have no words.",
        ),
        ability=Bounded,
    ),
    Series(
        "coherence",
        "Mean coherence",
        "decimals",
        3,
        _mean_coherence,
        Chart(
            title="How often a topic’s words occur together",
            titles="How often their words occur together",
            sentence=(
                "[umass|UMass coherence] of each topic and their mean, in black; nearer to 0 means"
                " more often. Use it to compare topics at one step. It may fall while topics get"
                " better: they replace common words with words of their own, and rarer words occur"
                " together less often."
            ),
            sentences=(
                "Mean [umass|UMass coherence] of the topics; higher, that is nearer to 0, is"
                " better. Runs with more topics tend to have lower values."
            ),
            places=2,
            by_topic=True,
        ),
    ),
    Series(
        "nonzero",
        "Non-zero parameters",
        "percent",
        measure=lambda snapshot: float(snapshot.nonzero),
    ),
)
PROGRESS = (
    Column("step", "Step", "count"),
    Column("tokens", "Words read", "count"),
    Column("seconds", "Seconds", "decimals", 1),
)
COLUMNS = (*PROGRESS, *SERIES)
Curve = list[float | None]  # values by step, None where nothing was measured
C = TypeVar("C", bound=Column)
CHARTS = tuple(series for series in SERIES if series.chart)


def offered(columns: Iterable[C], names: Iterable[str]) -> tuple[C, ...]:
    """Those of these columns that a run of one of the engines of these names has."""
    chosen_engines = [engines.get(name) for name in set(names)]
    offered_columns = []
    for column in columns:
        if not isinstance(column, Series) or column.is_measured_by(chosen_engines):
            offered_columns.append(column)
    return tuple(offered_columns)


FEWEST_POINTS = 4  # measures before anything is said of how they go on
# Share of all that was gained that the second half of the steps may have brought
SETTLED = 0.02
NEARLY = 0.05


def progress(steps: Sequence[int], held_out: Sequence[float | None], ended: bool) -> str:
    """A sentence on how well the topics predict held-out words, from the run's measures in their
    order.

    It has settled where the second half of the steps so far brought less than SETTLED of what all
    of them brought, and nearly settled where it brought less than NEARLY. The last measure of a
    run that has ended is left out: it is of all held-out documents, those before it of some of
    them. "" where nothing was measured.
    """
    points = [
        (step, value) for step, value in zip(steps, held_out, strict=True) if value is not None
    ]
    if ended:
        points = points[:-1]
    if len(points) < FEWEST_POINTS:
        if not points or ended:
            return ""
        return "It is too early to say how well the model predicts held-out words."
    first_step, first = points[0]
    last_step, last = points[-1]
    if last <= first:
        return "The model predicts held-out words no better than at the first measurement."
    half_way = first
    for step, value in points:
        if first_step < step <= last_step / 2:
            half_way = value
    by_second_half = (last - half_way) / (last - first)
    times = f"{math.exp(last - first):.1f}"
    return (
        f"The prediction of held-out words {_course(by_second_half, ended)}. A held-out word is on"
        f" average {times} times as probable as at the first measurement."
    )


def _course(by_second_half: float, ended: bool) -> str:
    """by_second_half: the part of all that was gained that the second half of the steps brought."""
    if by_second_half < SETTLED:
        return "hardly improves any more; it has settled"
    course = "improved to the end" if ended else "still improves"
    if by_second_half < NEARLY:
        course += "; it has nearly settled"
    return course


def left(
    points: Iterable[tuple[int, float]], step: int, seconds: float, steps: int
) -> float | None:
    """Seconds of training that are left; None while that is not known within a factor of two.

    It is known when a step of the second half took between half as long and twice as long as a step
    of all so far. points: (step, seconds since the training began) of earlier moments, ascending.
    """
    in_first_half = [point for point in points if 0 < point[0] <= step / 2]
    if not in_first_half:
        return None
    earlier_step, earlier_seconds = in_first_half[-1]
    pace = seconds / step  # seconds of a step, of all so far
    recent_pace = (seconds - earlier_seconds) / (step - earlier_step)
    if not pace / 2 <= recent_pace <= 2 * pace:
        return None
    return recent_pace * (steps - step)


def measured(snapshot: Snapshot) -> dict[str, float | Curve | None]:
    """The values of a point of the charts, by column of models.Metric."""
    values: dict[str, float | Curve | None] = {
        series.name: series.measure(snapshot) for series in SERIES
    }
    values["topic_coherence"] = topic_coherence(snapshot)
    return values


def columns(metrics: Iterable[Metric]) -> dict[str, Curve]:
    """name -> values by step, as run.json and the API have them."""
    metrics = list(metrics)
    curves: dict[str, Curve] = {}
    for column in COLUMNS:
        curves[column.name] = [getattr(metric, column.name) for metric in metrics]
    return curves


def table(values: Mapping[str, Curve], columns: tuple[Column, ...] = COLUMNS) -> list[list[str]]:
    """Rows of written cells, oldest first. values: of `columns`."""
    written = [list(map(column.written, values[column.name])) for column in columns]
    return [list(row) for row in zip(*written, strict=True)]
