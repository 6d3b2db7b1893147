"""What is concluded of two sets of documents in a sentence, and what a notebook keeps of them."""

from webapp.analysis.two_sets.shapes import Compared, Comparison, TopicDifference
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import (
    DIFFERENCE_COLUMNS,
    Cell,
    KeptTable,
    cells_of_points,
    cells_of_shares,
)
from webapp.platform.drawing.trends import points

LONGEST_TITLE = 150  # characters
NO_DIFFERENCE = "No topic’s share clearly differs between the two."


def clearest_difference(page: Comparison) -> TopicDifference | None:
    """The topic whose interval is farthest from no difference, on whichever side it has more; None
    where no topic differs by more than chance."""
    differing = [row for rows_of_side in page.more for row in rows_of_side]
    return max(differing, key=_distance_from_none, default=None)


def _distance_from_none(row: TopicDifference) -> float:
    return min(abs(row.difference_low), abs(row.difference_high))


def conclude(page: Comparison) -> list[str | TopicLink]:
    """The first sentence of the page, a topic in it as a link; [] where nothing is compared."""
    if not page.sides:
        return []
    if isinstance(page, Compared) and page.caution:
        return [page.caution]
    row = clearest_difference(page)
    if row is None:
        return [NO_DIFFERENCE]
    first, second = page.sides
    low = points(row.difference_low)
    high = points(row.difference_high)
    return [
        row,
        f" differs most clearly: {percent(row.share[0])} of the words ({first.name}),"
        f" {percent(row.share[1])} ({second.name}). The difference is"
        f" {points(row.difference)} points (interval {low} to {high}).",
    ]


def pin_comparison(page: Comparison) -> PinnedChart:
    """The sentence, and each topic that differs with its shares and its difference."""
    title = " compared with ".join(side.name for side in page.sides)[:LONGEST_TITLE]
    sentence = "".join(
        part if isinstance(part, str) else part.with_label for part in conclude(page)
    )
    rows: list[list[Cell]] = []
    for rows_of_side in page.more:
        for row in rows_of_side:
            differences = (row.difference, row.difference_low, row.difference_high)
            rows.append(
                [
                    row.with_label,
                    *cells_of_shares(row.share, percent),
                    *cells_of_points(*differences),
                ]
            )
    if not rows:
        return PinnedChart(title, sentence, None)
    columns: list[Cell] = ["topic", *(side.name for side in page.sides), *DIFFERENCE_COLUMNS]
    level = page.level if isinstance(page, Compared) and not page.caution else None
    return PinnedChart(title, sentence, KeptTable(columns=columns, rows=rows), level)
