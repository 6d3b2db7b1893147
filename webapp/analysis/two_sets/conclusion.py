"""What is concluded of two sets of documents in a sentence, and what a notebook keeps of them."""

from webapp.analysis.two_sets.shapes import (
    BriefDifference,
    Compared,
    Comparison,
    TopicDifference,
)
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import (
    DIFFERENCE_COLUMNS,
    ROWS,
    Cell,
    KeptTable,
    cells_of_points,
    cells_of_shares,
)
from webapp.platform.drawing.trends import points

LONGEST_TITLE = 150  # characters
NO_DIFFERENCE = "No topic’s share clearly differs between the two."
MAY_BE_CHANCE = " The differences in the table may be chance."


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
    """The sentence, and each topic that differs with its shares and its difference; where none
    does, the topics whose difference may be chance, as that none is larger is a finding, too."""
    title = " compared with ".join(side.name for side in page.sides)[:LONGEST_TITLE]
    sentence = "".join(
        part if isinstance(part, str) else part.with_label for part in conclude(page)
    )
    rows = [_cells(row) for rows_of_side in page.more for row in rows_of_side]
    if not rows and isinstance(page, Compared) and not page.caution:
        rows = [_cells(row) for row in page.unsure[:ROWS] if row.difference is not None]
        sentence += MAY_BE_CHANCE if rows else ""
    if not rows:
        return PinnedChart(title, sentence, None)
    columns: list[Cell] = ["topic", *(side.name for side in page.sides), *DIFFERENCE_COLUMNS]
    level = page.level if isinstance(page, Compared) and not page.caution else None
    return PinnedChart(title, sentence, KeptTable(columns=columns, rows=rows), level)


def _cells(row: TopicDifference | BriefDifference) -> list[Cell]:
    """Of a topic: its name, its shares, and their difference with its interval."""
    return [
        row.with_label,
        *cells_of_shares(row.share, percent),
        *cells_of_points(row.difference, row.difference_low, row.difference_high),
    ]
