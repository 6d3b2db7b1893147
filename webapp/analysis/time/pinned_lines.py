"""What a notebook keeps of lines, and what a page of another site shows of them."""

from webapp.analysis.time.shapes import TimeLines
from webapp.core.notebooks.shapes import PinnedChart
from webapp.platform.drawing.tables import json_text, kept_table, with_intervals


def pinned_lines(page: TimeLines) -> PinnedChart:
    """What a notebook keeps of the lines: the shares, a column for each topic; no table where every
    topic is hidden."""
    names = [f"{topic.label} {topic.called}" for topic in page.topics]
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
    title = f"{subject} by {page.by}"
    among = f" of {page.selection}" if page.selection else ""
    return PinnedChart(title, f"Share of the words{among}.", json_text(table))
