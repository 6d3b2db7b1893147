"""A table of shades: topics by period or category, or one topic by two fields at once."""

from typing import Any, Literal, get_args

import numpy as np

from inference.errors import Invalid
from inference.explore.bands import Bands
from webapp.analysis.time import shares, trends
from webapp.analysis.time.shapes import Cell, FieldsTable, SharesTable, TopicCells, ValueCells
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, topics
from webapp.intake.metadata.groups import PERIODS, Groups
from webapp.platform.storage.nulls import number_or_none

ROWS = 20  # topics where none is named: those that change most
MOST_ROWS = 60
COLUMNS = 60  # periods; wider than that it is no table any more
VALUES = 24  # of a category, the most frequent
STEPS = 10  # of shade, from nothing to the largest share
# share from which on a cell has the darkest shade, so that one large topic leaves others theirs
DARKEST_SHARE = 0.18
NOTHING = 0.0005  # share below which a cell is empty
BENT = 0.6  # power of a share beside the largest: small shares differ visibly, too
ROUNDING = 1e-9  # so that a share that is a whole step stays in it
# As large as overall, or as small: from here on each shade of `against`
TIMES = (
    1.0,
    1.5,
    2.0,
    3.0,
    5.0,
)
Order = Literal["time", "change", "number"]
ORDERS: tuple[Order, ...] = get_args(Order)


def of_topics(
    selection: RunSelection, by: str, asked_topics: list[int], against: bool, order: Order
) -> SharesTable:
    """A row for each topic, a column for each period or value. Raises Invalid for more than
    MOST_ROWS topics."""
    if len(asked_topics) > MOST_ROWS:
        raise Invalid(
            "topics",
            f"At most {MOST_ROWS} topics can be rows of the table, got {len(asked_topics)}. Choose"
            " fewer.",
        )
    grouped_set = shares.group_set(selection, by)
    chosen_topics = asked_topics or trends.most_changing(grouped_set)[:ROWS]
    columns_shown = _columns(grouped_set)
    bands = shares.intervals(grouped_set, chosen_topics)
    tokens = shares.tokens(grouped_set)
    overall = tokens.sum(axis=0) / max(int(tokens.sum()), 1)
    words = topics.top_words(selection.view, chosen_topics, 4)
    largest = _darkest_share(bands.share, bands.thin, columns_shown)

    def cell(i: int, k: int, g: int) -> Cell:
        url = links.documents_url(
            selection.run, shares.address(selection, (grouped_set.groups, g), has=k)
        )
        return _cell(bands, i, g, float(overall[k]), largest, against, url)

    def row(i: int) -> TopicCells:
        k = chosen_topics[i]
        return TopicCells(
            **vars(links.topic_link(selection.view, k)),
            words=words[k],
            overall=float(overall[k]),
            cells=[cell(i, k, g) for g in columns_shown],
        )

    row_order = _row_order(
        grouped_set, bands, chosen_topics, order_of_rows(order, grouped_set.groups.in_time)
    )
    return SharesTable(
        **_table(grouped_set, columns_shown, bands, against, largest),
        rows=[row(i) for i in row_order],
        field=None,
        topic=None,
        measured=not asked_topics,
    )


def order_of_rows(order: Order, in_time: bool) -> Order:
    """What the rows are ordered by: values of a category have no order of time."""
    if order == "time" and not in_time:
        return "change"
    return order


def _row_order(
    grouped_set: shares.GroupedSet, bands: Bands, chosen_topics: list[int], order: Order
) -> list[int]:
    """Places of the topics, first row first."""
    if order == "time":
        keys = _peak(bands.share)
    elif order == "number":
        keys = np.array(chosen_topics)
    else:
        keys = -shares.information(grouped_set)[chosen_topics]
    return np.argsort(keys, kind="stable").tolist()


def of_two_fields(
    selection: RunSelection, field: str, by: str, topic: int, against: bool
) -> FieldsTable:
    """One topic: a row for each value of a category, a column for each period or value of
    another."""
    if field == by:
        raise Invalid(
            "field", f"Rows and columns must be two different things; both are “{field}”."
        )
    columns = shares.group_set(selection, by)
    columns_shown = _columns(columns)
    width = len(columns_shown)
    rows_of_set = shares.group_set(selection, field)
    row_groups = rows_of_set.groups
    rows_shown = rows_of_set.present[: MOST_ROWS if row_groups.in_time else VALUES]
    row = _places(row_groups, rows_shown)
    column = _places(columns.groups, columns_shown)
    is_shown = (column >= 0) & (row >= 0)
    cell_of_document = np.where(is_shown, row * width + column, -1).astype(np.int32)
    count = max(len(rows_shown) * width, 1)
    groups = Groups(f"{field} and {by}", [""] * count, cell_of_document)
    cells = shares.of_groups(selection, groups, (field, by))
    bands = shares.intervals(cells, [topic])
    tokens = shares.tokens(columns)
    overall = float(tokens[:, topic].sum() / max(int(tokens.sum()), 1))
    largest = _darkest_share(bands.share, bands.thin, list(range(bands.share.shape[1])))

    def cell(i: int, j: int) -> Cell:
        in_row = (row_groups, rows_shown[i])
        in_column = (columns.groups, columns_shown[j])
        query = shares.address(selection, in_row, in_column, has=topic)
        url = links.documents_url(selection.run, query)
        return _cell(bands, 0, i * width + j, overall, largest, against, url)

    rows = []
    for value in document_groups.order_groups(selection.version, row_groups, rows_shown):
        i = rows_shown.index(value)
        cells_of_row = [cell(i, j) for j in range(width)]
        if any(cell_of_row.documents for cell_of_row in cells_of_row):
            rows.append(ValueCells(row_groups.labels[value], cells_of_row))
    words = topics.top_words(selection.view, [topic], 6)[topic]
    return FieldsTable(
        **_table(columns, columns_shown, shares.intervals(columns, [topic]), against, largest)
        | {"unit": shares.unit(cells).said},
        rows=rows,
        field=field,
        topic=links.TopicWithWords(**vars(links.topic_link(selection.view, topic)), words=words),
        measured=False,
        overall=overall,
        rows_left_out=len(rows_of_set.present) - len(rows_shown),
    )


def _places(groups: Groups, groups_shown: list[int]) -> np.ndarray:
    """int64[D]: the place of each document's group among those that are shown, -1 for none."""
    place_of_group = np.full(len(groups.labels) + 1, -1, np.int64)  # the last: no group
    place_of_group[groups_shown] = np.arange(len(groups_shown))
    return place_of_group[groups.group]


def empty(selection: RunSelection, by: str, field: str) -> SharesTable:
    """Instead of one that can't be made."""
    return SharesTable(
        by=by,
        in_time=False,
        columns=[],
        left_out=0,
        without_documents=0,
        scale="share",
        darkest=0.0,
        rows=[],
        field=field,
        topic=None,
        measured=False,
        choices=trends.choices(selection.version),
        selection=selection.sentence,
        unit="",
    )


def _columns(grouped_set: shares.GroupedSet) -> list[int]:
    """Places of the groups that are columns: of periods all that have documents. Raises Invalid for
    more than COLUMNS periods."""
    columns = grouped_set.present
    if not grouped_set.groups.in_time:
        return document_groups.order_groups(
            grouped_set.selection.version, grouped_set.groups, columns[:VALUES]
        )
    columns = [g for g in columns if grouped_set.documents[g]]
    count = len(columns)
    if count > COLUMNS:
        earliest = grouped_set.groups.labels[columns[-COLUMNS]].rstrip("s")
        raise Invalid(
            "by",
            f"A table can show {COLUMNS} {PERIODS[grouped_set.groups.by]} beside each other; there"
            f" are {count:,}. Choose a longer period, or documents from {earliest} on.",
        )
    return document_groups.order_groups(grouped_set.selection.version, grouped_set.groups, columns)


def _peak(share: np.ndarray) -> np.ndarray:
    """The place of the period with a topic's largest share: float64[T, G] -> int64[T]."""
    return np.nan_to_num(share).argmax(axis=1)


def _darkest_share(share: np.ndarray, thin: np.ndarray, columns: list[int]) -> float:
    """The share that has the darkest shade: the largest of a cell that is not thin, or
    DARKEST_SHARE."""
    shares_shown = share[:, columns]
    solid = shares_shown[:, ~thin[columns]]
    if solid.size and not np.isnan(solid).all():
        return min(DARKEST_SHARE, float(np.nanmax(solid)))
    return min(DARKEST_SHARE, float(np.nan_to_num(shares_shown).max(initial=0.0)) or 1.0)


def _cell(
    bands: Bands, i: int, g: int, overall: float, largest_share: float, against: bool, url: str
) -> Cell:
    """A share, or how many times the overall share it is; and its shade."""
    if np.isnan(bands.share[i, g]):
        return Cell(None, None, None, 0, 0, True, "", "", "", url)
    share = float(bands.share[i, g])
    low = float(bands.low[i, g])
    high = float(bands.high[i, g])
    has_interval = not np.isnan(low)
    interval = ""
    if against:
        number = _times(_ratio(share, overall))
        if has_interval:
            interval = write_range(_times(_ratio(low, overall)), _times(_ratio(high, overall)))
        shade = _shade_against(share, low, high, overall)
    else:
        number = write_percent(share)
        if has_interval:
            interval = write_range(write_percent(low), write_percent(high))
        shade = _shade_class(share, largest_share)
    return Cell(
        share,
        number_or_none(low),
        number_or_none(high),
        int(bands.documents[g]),
        int(bands.tokens[g]),
        bool(bands.thin[g]),
        shade,
        number,
        interval,
        url,
    )


def _ratio(share: float, overall: float) -> float:
    return share / overall if overall else 1.0


def _shade_class(share: float, largest_share: float) -> str:
    """s0 to s10: the class of a share beside the largest."""
    if share < NOTHING or not largest_share:
        return "s0"
    return shade_of(share / largest_share)


def shade_of(part: float) -> str:
    """s0 to s10: the class of a part of what has the darkest shade."""
    step = int(np.ceil(STEPS * min(part, 1.0) ** BENT - ROUNDING))
    return f"s{min(STEPS, step)}"


def _shade_against(share: float, low: float, high: float, overall: float) -> str:
    """m1 to m5: surely more than overall; l1 to l5: surely less; "" where chance alone may explain
    the difference."""
    ratio = _ratio(share, overall)
    if low > overall:
        return f"m{sum(ratio >= times for times in TIMES)}"
    if high < overall:
        return f"l{sum(ratio <= 1 / times for times in TIMES)}"
    return ""


def write_percent(share: float) -> str:
    """A share in percent, without the sign, which stands at the head of the table."""
    return _short(100 * share)


def _times(ratio: float) -> str:
    return _short(ratio)


def _short(number: float) -> str:
    """Two digits at most: "12", "3.4", "<0.1"."""
    if number == 0 or number >= 9.95:
        return f"{number:.0f}"
    if number < 0.05:
        return "<0.1"
    return f"{number:.1f}"


def write_range(low: str, high: str) -> str:
    """An interval, of ends that `write_percent` or _times wrote. One below 0.05 is 0.0 here:
    "<0.1–0.4" can't be read."""
    return "–".join("0.0" if end.startswith("<") else end for end in (low, high))


def _table(
    grouped_set: shares.GroupedSet,
    columns: list[int],
    bands: Bands,
    against: bool,
    largest_share: float,
) -> dict[str, Any]:
    """The fields that both kinds of tables have."""
    left_out = len(grouped_set.present) - len(columns)
    in_time = grouped_set.groups.in_time
    return {
        "by": grouped_set.groups.by,
        "in_time": in_time,
        "columns": trends.bins(grouped_set, bands, columns),
        "left_out": 0 if in_time else left_out,
        "without_documents": left_out if in_time else 0,
        "scale": "against" if against else "share",
        "darkest": largest_share,
        "choices": trends.choices(grouped_set.selection.version),
        "selection": grouped_set.selection.sentence,
        "unit": shares.unit(grouped_set).said,
    }
