"""What a notebook keeps of lines and of the table of shares, and what a page of another site shows of
lines."""

from collections.abc import Sequence

from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.time.shapes import SharesTable, TimeLines, TopicCells, ValueCells
from webapp.core.notebooks.sent_passages import SentPassage, write_passages
from webapp.core.notebooks.shapes import PinnedChart
from webapp.platform.drawing.tables import (
    COLUMNS,
    TOO_MANY_PERIODS,
    TOO_MANY_TOPICS,
    has_too_many_rows,
    kept_table,
    with_intervals,
)


def pin_lines(
    page: TimeLines, changes: Sequence[TopicChange | None] = (), *, quotes: bool = False
) -> PinnedChart:
    """What a notebook keeps of the lines: the shares, a column for each topic; no table where every
    topic is hidden, or where there are too many periods. changes: those that the page tells.
    quotes: whether the passages of the page are kept, too."""
    names = [topic.with_label for topic in page.topics]
    table = None
    if names:
        columns, values = with_intervals(
            names,
            [topic.share for topic in page.topics],
            [topic.low for topic in page.topics],
            [topic.high for topic in page.topics],
        )
        table = kept_table(
            page.by,
            [period.label for period in page.bins],
            columns,
            list(zip(*values, strict=True)),
        )
    subject = names[0] if len(names) == 1 else "Topics"
    sentences = [_sentence(page.selection)]
    if names and table is None:
        too_many = TOO_MANY_TOPICS.format(topics=len(names))
        if has_too_many_rows(page.bins):
            too_many = TOO_MANY_PERIODS.format(periods=len(page.bins))
        sentences.append(too_many)
    for change in changes:
        if change is not None and change.plain:
            sentences.append(change.plain)
    return PinnedChart(
        f"{subject} by {page.by}",
        "\n".join(sentences),
        table,
        passages=_passages(page) if quotes else "",
    )


def _passages(page: TimeLines) -> str:
    if page.passages is None:
        return ""
    passages = []
    for document in page.passages.documents:
        text = "".join(text for text, _ in document.snippet)
        passages.append(SentPassage(document.number, text))
    return write_passages(passages)


def pin_table(page: SharesTable) -> PinnedChart:
    """What a notebook keeps of the table: the shares of its first rows, a column for each, as many
    as a kept table holds."""
    rows = page.rows[: COLUMNS - 1]
    sentence = _sentence(page.selection)
    if len(rows) < len(page.rows):
        sentence += f" The first {len(rows)} of {len(page.rows)} rows of the table."
    shares = []
    for i in range(len(page.columns)):
        shares.append([row.cells[i].share for row in rows])
    labels = [period.label for period in page.columns]
    table = kept_table(page.by, labels, [_name(row) for row in rows], shares) if rows else None
    title = f"Topics by {page.by}"
    if page.topic is not None:
        title = f"{page.topic.with_label} by {page.field} and {page.by}"
    return PinnedChart(title, sentence, table)


def _name(row: TopicCells | ValueCells) -> str:
    return row.with_label if isinstance(row, TopicCells) else row.label


def _sentence(selection: str) -> str:
    """selection: the documents in words, "" for all."""
    among = f" of {selection}" if selection else ""
    return f"Share of the words{among}."
