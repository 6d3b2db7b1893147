"""A table of shades: topics by period or category, or one topic by two fields at once."""

from typing import Any, Literal, get_args

import numpy as np

from inference.errors import Invalid
from inference.explore.bands import Bands
from webapp.documents import fields
from webapp.documents.selection import RunSelection
from webapp.results import links, topics
from webapp.time import shares, trends
from webapp.time.shapes import Cell, FieldsTable, Table, TopicCells, ValueCells

ROWS = 20  # topics where none is named: those that change most
MOST_ROWS = 60
COLUMNS = 60  # periods; wider than that it is no table any more
VALUES = 24  # of a category, the most frequent
STEPS = 10  # of shade, from nothing to the largest share
TIMES = (1.0, 1.5, 2.0, 3.0, 5.0)  # as large as overall, or as small: from here on each shade of `against`
Order = Literal["time", "change", "number"]
ORDERS: tuple[Order, ...] = get_args(Order)


def of_topics(selection: RunSelection, by: str, wanted: list[int], against: bool, order: Order) -> Table:
    """A row for each topic, a column for each period or value. Raises Invalid for more than MOST_ROWS topics."""
    if len(wanted) > MOST_ROWS:
        raise Invalid(
            "topics", f"At most {MOST_ROWS} topics can be rows of the table, got {len(wanted)}. Choose fewer."
        )
    cut = shares.cut(selection, by)
    chosen = wanted or trends.most_changing(cut)[:ROWS]
    places = _columns(cut)
    bands, sums = shares.intervals(cut, chosen), shares.tokens(cut)
    overall = sums.sum(axis=0) / max(int(sums.sum()), 1)
    if order == "time" and cut.groups.in_time:
        chosen_order = np.argsort(_middle(bands.share), kind="stable").tolist()
    elif order == "number":
        chosen_order = np.argsort(chosen, kind="stable").tolist()
    else:
        chosen_order = list(range(len(chosen)))
    words = topics.top_words(selection.view, chosen, 4)
    most = _most(bands.share, bands.thin, places)

    def cell(i: int, k: int, g: int) -> Cell:
        url = links.documents_url(selection.run, shares.address(selection, (cut.groups, g), has=k))
        return _cell(bands, i, g, float(overall[k]), most, against, url)

    rows = [
        TopicCells(
            **vars(links.topic_link(selection.view, k)),
            words=words[k],
            overall=float(overall[k]),
            cells=[cell(i, k, g) for g in places],
        )
        for i, k in ((i, chosen[i]) for i in chosen_order)
    ]
    return Table(**_table(cut, places, bands, against, most), rows=rows, field=None, topic=None, measured=not wanted)


def of_two_fields(selection: RunSelection, field: str, by: str, topic: int, against: bool) -> FieldsTable:
    """One topic: a row for each value of a category, a column for each period or value of another."""
    if field == by:
        raise Invalid("field", f"Rows and columns must be two different things; both are “{field}”.")
    columns, rows_of = shares.cut(selection, by), fields.groups(selection.version, field)
    places = _columns(columns)
    first, wide = min(places, default=0), len(places)
    most_values = min(len(rows_of.labels), MOST_ROWS if rows_of.in_time else VALUES)
    kept = (
        (columns.group >= first) & (columns.group < first + wide) & (rows_of.group >= 0) & (rows_of.group < most_values)
    )
    both = np.where(kept, rows_of.group.astype(np.int64) * wide + columns.group - first, -1).astype(np.int32)
    cells = fields.Groups(f"{field} and {by}", [""] * max(most_values * wide, 1), both)
    bands = shares.intervals(shares.of_groups(selection, cells, (field, by)), [topic])
    sums = shares.tokens(columns)
    overall = float(sums[:, topic].sum() / max(int(sums.sum()), 1))
    most = _most(bands.share, bands.thin, range(bands.share.shape[1]))

    def cell(a: int, g: int) -> Cell:
        query = shares.address(selection, (rows_of, a), (columns.groups, g), has=topic)
        return _cell(bands, 0, a * wide + g - first, overall, most, against, links.documents_url(selection.run, query))

    values = fields.in_order(selection.version, rows_of, list(range(most_values)))
    rows = [ValueCells(rows_of.labels[a], [cell(a, g) for g in places]) for a in values]
    words = topics.top_words(selection.view, [topic], 6)[topic]
    return FieldsTable(
        **_table(columns, places, shares.intervals(columns, [topic]), against, most),
        rows=[row for row in rows if any(cell.documents for cell in row.cells)],
        field=field,
        topic=links.TopicWithWords(**vars(links.topic_link(selection.view, topic)), words=words),
        measured=False,
        overall=overall,
        rows_left_out=len(rows_of.labels) - most_values,
    )


def empty(selection: RunSelection, by: str, field: str) -> Table:
    """Instead of one that can't be made."""
    return Table(
        by=by,
        in_time=False,
        columns=[],
        left_out=0,
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


def _columns(cut: shares.Cut) -> list[int]:
    n = cut.end - cut.first
    if cut.groups.in_time and n > COLUMNS:
        raise Invalid(
            "by",
            f"A table can show {COLUMNS} {fields.PERIODS[cut.groups.by]} beside each other; there are {n:,}. Choose a longer period, or documents "
            f"from {cut.labels[-COLUMNS].rstrip('s')} on.",
        )
    places = list(range(cut.first, cut.end if cut.groups.in_time else min(cut.end, cut.first + VALUES)))
    return fields.in_order(cut.selection.version, cut.groups, places)


def _middle(share: np.ndarray) -> np.ndarray:
    """When a topic's shares are halfway: the mean place of its periods, each weighing as much as its share.
    float64[T]."""
    known = np.nan_to_num(share)
    return (known * np.arange(share.shape[1])).sum(axis=1) / np.maximum(known.sum(axis=1), 1e-12)


def _most(share: np.ndarray, thin: np.ndarray, places) -> float:
    """The largest share of a cell that is not thin, which has the darkest shade."""
    shown = share[:, list(places)]
    solid = shown[:, ~thin[list(places)]]
    return (
        float(np.nanmax(solid))
        if solid.size and not np.isnan(solid).all()
        else float(np.nan_to_num(shown).max(initial=0.0)) or 1.0
    )


def _cell(bands: Bands, i: int, g: int, overall: float, most: float, against: bool, url: str) -> Cell:
    """A share, or how many times the overall share it is; and its shade."""
    if np.isnan(bands.share[i, g]):
        return Cell(None, None, None, 0, 0, True, "", "", "", url)
    share, low, high = (float(x[i, g]) for x in (bands.share, bands.low, bands.high))
    known = not np.isnan(low)
    if against:
        times = [x / overall if overall else 1.0 for x in (share, low, high)]
        number, interval, shade = _times(times[0]), _range(*map(_times, times[1:])) if known else "", ""
        if low > overall:
            shade = f"m{sum(times[0] >= t for t in TIMES)}"
        elif high < overall:
            shade = f"l{sum(times[0] <= 1 / t for t in TIMES)}"
    else:
        number, interval = _percent(share), _range(_percent(low), _percent(high)) if known else ""
        shade = f"s{min(STEPS, int(np.ceil(STEPS * min(share / most, 1.0) - 1e-9))) if most else 0}"
    documents, tokens, thin = int(bands.documents[g]), int(bands.tokens[g]), bool(bands.thin[g])
    least, largest = (low, high) if known else (None, None)
    return Cell(share, least, largest, documents, tokens, thin, shade, number, interval, url)


def _percent(share: float) -> str:
    """Without the sign, which stands at the head of the table."""
    return f"{100 * share:.0f}" if share >= 0.0995 or share == 0 else "<0.1" if share < 0.0005 else f"{100 * share:.1f}"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 9.95 or ratio == 0 else "<0.1" if ratio < 0.05 else f"{ratio:.1f}"


def _range(low: str, high: str) -> str:
    """An end below 0.05 is 0.0 here: "<0.1–0.4" can't be read."""
    return "–".join("0.0" if end.startswith("<") else end for end in (low, high))


def _table(cut: shares.Cut, places: list[int], bands: Bands, against: bool, most: float) -> dict[str, Any]:
    """The fields that both kinds of tables have."""
    return {
        "by": cut.groups.by,
        "in_time": cut.groups.in_time,
        "columns": trends.bins(cut, bands, places),
        "left_out": cut.end - cut.first - len(places),
        "scale": "against" if against else "share",
        "darkest": most,
        "choices": trends.choices(cut.selection.version),
        "selection": cut.selection.sentence,
        "unit": shares.unit(cut).said,
    }
