"""Words of a time: the table of them, and those that stand under the river."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.analysis.findings import sentences, time_sentences
from webapp.analysis.findings.kinds.event import EventItem
from webapp.analysis.findings.river import River
from webapp.analysis.findings.screen.axis import Axis
from webapp.analysis.findings.sentences import briefly_or_none, spanned
from webapp.analysis.findings.shapes import FindingHtml
from webapp.analysis.findings.spans_and_groups import Span
from webapp.platform.drawing.river import WordSpan

CLEAREST_WORDS = 6  # words that a narrow page shows at once
SHORTEST_BAR = 0.8  # of 100 along the axis: a shorter one could not be seen
RARE = "rare {span}"
NOT_USED = "none {span}"
EVENTFUL = 10  # times as many documents as otherwise: words under the river


@dataclass(frozen=True)
class WordLine:
    """A word of a time. when: the time in words; here: the share of its documents with the word;
    rest: the share in all other documents. falls: the word became rarer; `when` is the time before
    or, of a word that is `rare`, the time for which it was rare. place, width: of 100, its
    span on the axis. fading: how it is drawn where it is ever rarer."""

    row: FindingHtml
    item: EventItem
    when: str
    place: float
    width: float
    falls: bool
    fading: bool
    rare: bool
    here: str
    rest: str
    clear: bool


def word_lines(rows: Sequence[FindingHtml], axis: Axis | None) -> list[WordLine]:
    """Rows of words of a time as they are drawn; those that became rarer last."""
    if axis is None:
        return []
    clear = _clearest_ranks(rows)
    drawn = []
    for row in rows:
        item = row.items[0]
        assert isinstance(item, EventItem)
        falls = not item.more
        steady = item.shape == "line"
        rare = falls and item.shape == "window"
        became_rarer = falls and not rare
        begin, end = _span_on(axis, item)
        within, outside = item.counted_shares
        drawn.append(
            WordLine(
                row=row,
                item=item,
                when=_when_word(item, row.line),
                place=round(100 * begin, 2),
                width=round(max(100 * (end - begin), SHORTEST_BAR), 2),
                falls=falls,
                fading=falls and steady,
                rare=rare,
                # The item says how frequent it is since it became rarer, the line how frequent before
                here=briefly_or_none(outside if became_rarer else within),
                rest=briefly_or_none(within if became_rarer else outside),
                clear=row.rank in clear,
            )
        )
    drawn.sort(key=lambda line: line.falls)
    return drawn


def _clearest_ranks(rows: Sequence[FindingHtml]) -> set[int]:
    """Ranks of the words that a narrow page shows at once: such that became more frequent, where there
    are any."""
    by_rank = sorted(rows, key=lambda row: row.rank)
    rising = [
        row.rank for row in by_rank if isinstance(row.items[0], EventItem) and row.items[0].more
    ]
    return set((rising or [row.rank for row in by_rank])[:CLEAREST_WORDS])


def _span_on(axis: Axis, item: EventItem) -> tuple[float, float]:
    """The time that a line says, from 0 to 1 along the axis."""
    if item.shape == "line":
        return 0.0, 1.0
    begin, end = map(axis.place, sentences.years_of_span(item.first, item.last))
    if item.shape == "step" and not item.more:  # the word is of the time before
        return 0.0, begin
    return begin, end


def _when_word(item: EventItem, line: Sequence[float | None]) -> str:
    if item.shape == "line":
        return time_sentences.say_line(item.more, time_sentences.is_all_along(line, item.more))
    if not item.more and item.shape == "window":
        how_rare = NOT_USED if not item.counted_shares[0] else RARE
        return how_rare.format(span=spanned(Span(first=item.first, last=item.last), brief=True))
    if not item.more:
        return f"until {sentences.period(item.until or item.first, brief=True)}"
    if item.shape == "step":
        return f"since {sentences.period(item.first, brief=True)}"
    return spanned(Span(first=item.first, last=item.last), brief=True)


def words_under_river(rows: Sequence[FindingHtml], river: River | None) -> list[WordSpan]:
    """The words of a time that stand below the river, none without one."""
    if river is None:
        return []
    spans = [_span(row) for row in rows if _is_word(row)]
    return [span for span in spans if river.starts[0] <= span.first <= river.end]


def _is_word(row: FindingHtml) -> bool:
    """Whether it is a word of a time that is clear enough to stand under the river."""
    if not row.items or not isinstance(row.items[0], EventItem):
        return False
    item = row.items[0]
    return item.more and item.shape != "line" and item.here >= EVENTFUL * item.rest


def _span(row: FindingHtml) -> WordSpan:
    item = row.items[0]
    assert isinstance(item, EventItem)
    first, last = sentences.years_of_span(item.first, item.last)
    return WordSpan(item.word, row.url, item.topic.hue, first, last, row.sentence)
