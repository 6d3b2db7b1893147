"""What a notebook keeps of the page of topics, in each of its views: the topics with their shares, the
places on the map, the words of the grid, or the shares over time."""

from collections.abc import Sequence

from inference.errors import number_of
from webapp.analysis.topics.shapes import (
    Circle,
    CountedTopic,
    TopicRow,
    TopicsGrid,
    TopicsList,
    TopicsMap,
    TopicsTime,
    TopicsView,
    TopicTimes,
    WordGrid,
)
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results.links import TopicShare
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import (
    COLUMNS,
    MAP_COLUMNS,
    ROWS,
    TOO_MANY_PERIODS,
    Cell,
    KeptTable,
    has_too_many_rows,
    kept_table,
)

LARGEST = 3  # topics that a sentence names
WORDS = 6  # of a topic
WORDS_OF_GRID = 12  # of a topic, the most frequent: a cell has 500 characters
DIGITS = 4  # behind the point of a place on the map
OTHER_TOPICS = "other topics"


def pin_topics(page: TopicsView, documents_chosen: str) -> PinnedChart:
    """documents_chosen: the set in words, "" for all documents."""
    if isinstance(page, TopicsMap) and page.map is not None:
        return _pin_map(page, page.map.circles, documents_chosen)
    if isinstance(page, TopicsGrid) and page.grid is not None:
        return _pin_grid(page.grid, documents_chosen)
    if isinstance(page, TopicsTime) and page.time is not None:
        return _pin_times(page.time, page.unit, documents_chosen)
    if isinstance(page, TopicsList):
        return _pin_list(page, documents_chosen)
    return PinnedChart("Topics", "", None)


def _pin_list(page: TopicsList, documents_chosen: str) -> PinnedChart:
    times = page.times
    columns: list[Cell] = ["topic", "share of the words", "first words"]
    if times is not None:
        columns.append(f"peak, by {times.by}")
    rows: list[list[Cell]] = []
    for topic in page.items[:ROWS]:
        cells: list[Cell] = [
            topic.with_label,
            percent(topic.share),
            " · ".join(topic.words[:WORDS]),
        ]
        if times is not None:
            cells.append(_peak(topic))
        rows.append(cells)
    topics_in_words = _count_shown(len(rows), page.count)
    return PinnedChart(
        "The topics",
        f"{topics_in_words}{_of_documents(documents_chosen)}.",
        KeptTable(columns=columns, rows=rows),
    )


def _peak(topic: TopicRow) -> str:
    if topic.line is None or topic.line.peak is None:
        return ""
    return f"{percent(topic.line.peak)} in {topic.line.peak_at}"


def _pin_map(page: TopicsMap, circles: Sequence[Circle], documents_chosen: str) -> PinnedChart:
    """The circles that were chosen, or all."""
    kept_circles = [circle for circle in circles if circle.chosen] or list(circles)
    width = page.map.width if page.map is not None else 1
    rows: list[list[Cell]] = []
    for circle in kept_circles[:ROWS]:
        share = round(circle.share, DIGITS)
        left = round(circle.x / width, DIGITS)
        top = round(circle.y / width, DIGITS)
        rows.append([circle.with_label, share, left, top])
    hues = [circle.hue for circle in kept_circles[:ROWS]]
    sentence = (
        f"{_count_shown(len(rows), len(circles))}{_of_documents(documents_chosen)}:"
        f" {_largest(kept_circles)}. Topics with similar words are near each other."
    )
    return PinnedChart(
        "Map of the topics",
        sentence,
        KeptTable(columns=[*MAP_COLUMNS], rows=rows, hues=hues),
    )


def _pin_grid(grid: WordGrid, documents_chosen: str) -> PinnedChart:
    """For each topic, how often the words of the grid are assigned to it."""
    rows: list[list[Cell]] = []
    for i, topic in enumerate(grid.topics[:ROWS]):
        counts = [(line.cells[i], line.word) for line in grid.lines if line.cells[i]]
        counts.sort(key=lambda count: -count[0])
        words = [f"{word} {tokens:,}" for tokens, word in counts[:WORDS_OF_GRID]]
        rows.append([topic.with_label, " · ".join(words)])
    words_in_grid = number_of(len(grid.lines), "word")
    topics_in_grid = f"{number_of(len(rows), 'topic')}{_of_documents(documents_chosen)}"
    sentence = (
        f"How often {words_in_grid} are assigned to {topics_in_grid}; of each topic at most"
        f" {WORDS_OF_GRID} of them, the most frequent first."
    )
    columns: list[Cell] = ["topic", "words, and how often they are assigned to it"]
    return PinnedChart("Topics and words", sentence, KeptTable(columns=columns, rows=rows))


def _pin_times(times: TopicTimes, amount: str, documents_chosen: str) -> PinnedChart:
    """The largest topics, or those that were chosen, and the others together."""
    bands = times.stacked[: COLUMNS - 2]
    names = [band.with_label for band in bands]
    values = [band.values for band in bands]
    if times.other_drawn and len(bands) == len(times.stacked):
        names.append(OTHER_TOPICS)
        values.append(times.other)
    labels = [group.label for group in times.bins]
    title = f"Topics by {times.by}"
    too_many = ""
    if has_too_many_rows(labels):
        too_many = " " + TOO_MANY_PERIODS.format(periods=len(labels))
    if amount == "tokens":
        sentence = f"Numbers of words{_of_documents(documents_chosen)}, by {times.by}.{too_many}"
        if too_many:
            return PinnedChart(title, sentence, None)
        rows: list[list[Cell]] = []
        for i, label in enumerate(labels):
            rows.append([label, *(value.tokens[i] for value in values)])
        counts = KeptTable(columns=[times.by, *names], rows=rows)
        return PinnedChart(title, sentence, counts)
    shares = []
    for i in range(len(labels)):
        shares.append([value.shares[i] for value in values])
    table = kept_table(times.by, labels, names, shares) if names else None
    sentence = f"Shares of the words{_of_documents(documents_chosen)}, by {times.by}.{too_many}"
    if bands:
        sentence += f" The largest topics: {_largest(bands)}."
    return PinnedChart(title, sentence, table)


def _count_shown(count: int, among: int) -> str:
    if count == among:
        return number_of(count, "topic")
    return f"{count:,} of {number_of(among, 'topic')}"


def _of_documents(documents_chosen: str) -> str:
    return f" in {documents_chosen}" if documents_chosen else ""


def _largest(topics: Sequence[TopicShare] | Sequence[CountedTopic]) -> str:
    by_share = sorted(topics, key=lambda topic: -topic.share)
    return "; ".join(
        f"{topic.with_label}, {percent(topic.share)} of the words" for topic in by_share[:LARGEST]
    )
