"""Families by groups of documents: the picture of a set that has no dates, or few periods."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.explore import change
from webapp.analysis.findings.shapes import FindingRow
from webapp.core.documents import fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.platform.drawing.curves import text_width

# Groups with words that a field must have: fewer say nothing, more are no picture
FEWEST_GROUPS = 2
MOST_GROUPS = 24
PICTURE_HEIGHT = 400  # pixels, of all rows together
LEAST_ROW_HEIGHT = 18  # pixels: the name of a group fits
ROW_WIDTH = 780  # pixels, on a wide page
NAME_SIZE = 13  # pixels, of the letters of a family's name
NAME_PADDING = 12  # pixels that a name leaves free beside it, in all


@dataclass(frozen=True)
class MixPart:
    """A family in a group. place, width, middle: of 100; name: that of `family` where it has
    room."""

    place: float
    width: float
    middle: float
    hue: int
    family: str
    name: str
    says: str


@dataclass(frozen=True)
class GroupMix:
    """A group. height: of its row, in pixels, as the root of its words."""

    value: str
    url: str
    height: int
    parts: list[MixPart]


@dataclass(frozen=True)
class Mixes:
    """Groups of a field, or periods."""

    field: str
    in_time: bool
    rows: list[GroupMix]


def mixes(selection: RunSelection, period: str, families: Sequence[FindingRow]) -> Mixes | None:
    """By the few periods of a set that has dates, else by the field that tells most of the topics;
    None where there is neither. period: the length of each, "" for a set without dates."""
    group_sums = drawn_groups(selection, period)
    if group_sums is None:
        return None
    return _rows(selection, group_sums, families)


def drawn_groups(selection: RunSelection, period: str) -> sums.TopicSums | None:
    """The sums of each group that is drawn, as `mixes` chooses them."""
    version = selection.version
    names = [period] if period in ("year", "month", "decade") else []
    if not names:
        names = [category.name for category in fields.categories(version)]
    most_telling: tuple[float, sums.TopicSums] | None = None
    for name in names:
        sums_by_field = sums.of_selection(selection, name)
        groups_with_words = np.flatnonzero(sums_by_field.all_tokens)
        if not FEWEST_GROUPS <= len(groups_with_words) <= MOST_GROUPS:
            continue
        informations = change.information(sums_by_field.topic_tokens[groups_with_words]).sum()
        if most_telling is None or informations > most_telling[0]:
            most_telling = informations, sums_by_field
    if most_telling is None or most_telling[1].groups is None:
        return None
    return most_telling[1]


def _rows(
    selection: RunSelection, group_sums: sums.TopicSums, families: Sequence[FindingRow]
) -> Mixes:
    groups = group_sums.groups
    assert groups is not None
    groups_with_words = np.flatnonzero(group_sums.all_tokens)
    families_shown = [row.family for row in families if row.family is not None]
    totals = np.maximum(group_sums.all_tokens[groups_with_words].astype(float), 1.0)
    shares = np.array(
        [
            group_sums.topic_tokens[groups_with_words][:, family.topics].sum(axis=1) / totals
            for family in families_shown
        ]
    ).T
    heights = np.maximum(LEAST_ROW_HEIGHT, PICTURE_HEIGHT * np.sqrt(totals) / np.sqrt(totals).sum())
    in_time = groups.in_time
    order = list(range(len(groups_with_words))) if in_time else alike(shares)
    where = sorted(range(len(families_shown)), key=lambda f: _middle(shares[order, f]))
    rows = []
    for i in order:
        parts = []
        begin = 0.0
        for f in where:
            share = float(shares[i, f])
            name_width = text_width(families_shown[f].name, NAME_SIZE) + NAME_PADDING
            fits = name_width <= ROW_WIDTH * share
            says = f"{families_shown[f].name}: {100 * share:.0f}%"
            name = families_shown[f].name if fits else ""
            middle = 100 * (begin + share / 2)
            parts.append(
                MixPart(
                    round(100 * begin, 2),
                    round(100 * share, 2),
                    round(middle, 2),
                    families_shown[f].hue,
                    families_shown[f].name,
                    name,
                    says,
                )
            )
            begin += share
        within = selection.within(groups, int(groups_with_words[i]))
        url = links.documents_url(selection.view.run, within.address())
        rows.append(GroupMix(groups.labels[groups_with_words[i]], url, int(heights[i]), parts))
    return Mixes(groups.by, in_time, rows)


def alike(shares: np.ndarray) -> list[int]:
    """The rows of a matrix, each beside one like it: from the one farthest from all others, always
    the nearest of those left."""
    distances = np.abs(shares[:, None] - shares[None]).sum(axis=2)
    order = [int(distances.sum(axis=1).argmax())]
    left = set(range(len(shares))) - set(order)
    while left:
        nearest = min(sorted(left), key=lambda i: distances[order[-1], i])
        order.append(nearest)
        left.remove(nearest)
    return order


def _middle(shares: np.ndarray) -> float:
    """Around which row a family is large."""
    return float(np.arange(len(shares)) @ shares / max(shares.sum(), 1e-12))
