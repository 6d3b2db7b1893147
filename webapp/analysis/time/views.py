"""Topics by time and by category: lines, and a table of shades."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.analysis.findings import topic_changes
from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.time import shade_tables, trends, unsure_courses
from webapp.analysis.time.pinned_shares import pin_lines, pin_table
from webapp.analysis.time.shapes import (
    TIME_NOTHING,
    FieldsTable,
    Interval,
    LinesHtml,
    OfferedTopic,
    Period,
    SharesTable,
    TableHtml,
    TimeLine,
    TimeLines,
    TimeNothing,
    TooFewTexts,
    TopicCells,
)
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.notebooks.pictures import can_be_drawn
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results import links, provenance, topics
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import PERIODS
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.pages.page import looked_up
from webapp.platform.pages.page_query import Offer
from webapp.platform.pages.typed import NO_TEXTS, PageQuery, PageResponse, typed
from webapp.platform.server.table_files import streamed_table

THIN_NAMED = 30  # groups of few documents whose names the legend of the charts has
TABLE = 600  # numbers that stand below the charts unasked


@cached_page(depends_on=lambda request, run: topic_changes.last_stored(run))
@typed({TimeLines: "time/lines.html", TimeNothing: "time/nothing.html"})
def lines(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    by: str = "",
    topics: list[str] = NO_TEXTS,
    bin_: str = "",
    numbers: bool = False,
) -> PageResponse[TimeLines | TimeNothing]:
    """Small multiples of topics; of a single one a large chart, and with ?bin= the passages of a
    bin."""
    chosen_by = trends.grouping_field(view.run, by)
    if chosen_by is None:
        return PageResponse(TIME_NOTHING)
    topics_wanted = trends.read_topics(view, topics)
    page = trends.lines(selection, chosen_by, topics_wanted, bin_)
    return PageResponse(
        page,
        partial(
            _lines_html, request, selection, page_query, page, len(topics_wanted) == 1, numbers
        ),
    )


def _are_some_unknown(charts: Sequence[tuple[TimeLine, str, TopicChange | None]]) -> bool:
    """Whether the findings that would say how a topic changed are not computed."""
    changes = [change for topic, _, change in charts if not topic.background]
    return any(change is not None and not change.known for change in changes)


def _lines_html(
    request: HttpRequest,
    selection: RunSelection,
    page_query: PageQuery,
    page: TimeLines,
    large: bool,
    numbers: bool,
) -> LinesHtml:
    view = selection.view
    topics_shown = {topic.number for topic in page.topics}
    offered = page.changing + [k for k in topics_shown if k not in page.changing]
    words = topics.top_words(view, offered, topics.FIRST_WORDS)
    numbers_are_shown = large or numbers or len(page.bins) * len(page.topics) <= TABLE
    topic_numbers = [topic.number for topic in page.topics]
    changes: Sequence[TopicChange | None] = [None] * len(topic_numbers)
    if page.in_time:
        changes = _changes_in_words(selection, page)
    charts = [
        (topic, page_query.url(topics=topic.number), change)
        for topic, change in zip(page.topics, changes, strict=True)
    ]
    charts.sort(key=_first_of_change)
    own_scales = page.in_time and not large and request.GET.get("scale") != "one"
    conditions = [
        (name, values) for name, values in request.GET.lists() if name not in ("topics", "bin")
    ]
    pinned = _pin_lines(selection, page, changes)
    thin = [period.label for period in page.bins if period.thin and period.documents]
    return LinesHtml(
        large=large,
        charts=charts,
        overview_says=not large and _are_some_unknown(charts),
        rows=(
            [_row_of_numbers(page, row_number, page_query) for row_number in range(len(page.bins))]
            if numbers_are_shown
            else []
        ),
        numbers=page_query.url(numbers="1"),
        offered=[
            OfferedTopic(**vars(links.topic_link(view, k)), words=words[k], shown=k in topics_shown)
            for k in offered
        ],
        most=trends.MOST_LINES,
        kept=[(name, value) for name, values in conditions for value in values],
        empty=(
            [period.label for period in page.bins if not period.documents] if page.in_time else []
        ),
        thin=thin[:THIN_NAMED],
        thin_count=len(thin),
        with_documents=sum(period.documents > 0 for period in page.bins),
        bys=[
            Offer(choice.said, page_query.url(by=choice.name, bin=None), choice.name == page.by)
            for choice in page.choices
        ],
        twin="?" + request.GET.urlencode(),
        many=page_query.url(topics=None, bin=None),
        own_scales=own_scales,
        scales=_offer_scales(page_query, own_scales),
        most_words=max((period.tokens for period in page.bins), default=0),
        pinned=pinned,
        embeds=can_be_drawn(pinned.table),
        intervals=any(low is not None for topic in page.topics for low in topic.low),
        too_few=_too_few_texts(page, page_query),
    )


def _changes_in_words(selection: RunSelection, page: TimeLines) -> list[TopicChange]:
    """The change of each topic of the page; of one without a change what its chart shows."""
    unit = corpus_unit.unit_of(selection.version).name
    changes = topic_changes.of_topics(selection, [topic.number for topic in page.topics])
    changes_said = []
    for topic, change in zip(page.topics, changes, strict=True):
        if change.known and change.sentence is None:
            change = replace(change, brief=unsure_courses.say_unsure(page, topic, unit))
        changes_said.append(change)
    return changes_said


def _offer_scales(page_query: PageQuery, own_scales: bool) -> list[Offer]:
    return [
        Offer("each its own", page_query.url(scale=None), own_scales),
        Offer("one for all", page_query.url(scale="one"), not own_scales),
    ]


def _too_few_texts(page: TimeLines, page_query: PageQuery) -> TooFewTexts | None:
    """None where half of the periods or more have texts enough, and of groups that are none."""
    thin = [period.thin for period in page.bins if period.documents]
    if not page.in_time or 2 * sum(thin) <= len(thin):
        return None
    longer = _longer_periods(page, page_query)
    return TooFewTexts(PERIODS[page.by], sum(thin), len(thin), longer)


def _longer_periods(page: TimeLines, page_query: PageQuery) -> Offer | None:
    """The next longer periods than those of the page; None where it has none."""
    offered = {choice.name for choice in page.choices}
    longest_first = [by for by in PERIODS if by in offered]
    if page.by not in longest_first[1:]:
        return None
    by = longest_first[longest_first.index(page.by) - 1]
    return Offer(PERIODS[by], page_query.url(by=by, bin=None), here=False)


def _pin_lines(
    selection: RunSelection, page: TimeLines, changes: Sequence[TopicChange | None]
) -> PinnedChart:
    """Under an embargo without passages: what is quoted would be counted as read once more."""
    is_under_embargo = bool(embargo.readers(selection.run.corpus))
    return pin_lines(page, changes, quotes=not is_under_embargo)


def _first_of_change(chart: tuple[TimeLine, str, TopicChange | None]) -> float:
    """By when a change begins; topics without one come last, as they were."""
    change = chart[2]
    if change is None or change.marks is None:
        return math.inf
    if change.marks.window is None:
        return change.marks.levels[0][0]
    return change.marks.window[0]


def _row_of_numbers(
    page: TimeLines, row_of_topic: int, page_query: PageQuery
) -> tuple[Period, str, list[Interval]]:
    """A group, the address of its passages, and the share of each topic in it."""
    period = page.bins[row_of_topic]
    intervals = [
        Interval(topic.share[row_of_topic], topic.low[row_of_topic], topic.high[row_of_topic])
        for topic in page.topics
    ]
    return period, page_query.url(bin=period.label), intervals


@require_safe
@looked_up
def csv(request: HttpRequest, run: Run) -> StreamingHttpResponse:
    """What the lines show, a row for each topic and bin."""
    # "year" where there is nothing to group by: it says that there are no dates
    by = trends.grouping_field(run, request.GET.get("by", "")) or "year"
    view = RunView(run)
    topics_asked = request.GET.getlist("topics")
    topics_wanted = (
        trends.topics_in_use(view)
        if topics_asked == ["all"]
        else trends.read_topics(view, topics_asked)
    )
    table = trends.table(Selection.read(request.GET, view), by, topics_wanted)
    return streamed_table(table, provenance.file_name(run, "topics-by-time.csv"))


@typed(
    {
        SharesTable: "time/table.html",
        FieldsTable: "time/table.html",
        TimeNothing: "time/nothing.html",
    }
)
def table(
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    by: str = "",
    scale: str = "",
    sort: shade_tables.Order = "time",
    field: str = "",
    topic: list[str] = NO_TEXTS,
    topics: list[str] = NO_TEXTS,
) -> PageResponse[SharesTable | FieldsTable | TimeNothing]:
    """Topics by a period or category as a table of shades; with ?field= and ?topic= one topic by
    two of them."""
    chosen_by = trends.grouping_field(view.run, by)
    if chosen_by is None:
        return PageResponse(TIME_NOTHING)
    against = scale == "against"
    chosen_topics = trends.read_topics(view, topic)
    chosen_topics = chosen_topics[:1] if field else []
    page: SharesTable
    try:
        if chosen_topics:
            page = shade_tables.of_two_fields(
                selection, field, chosen_by, chosen_topics[0], against
            )
        else:
            page = shade_tables.of_topics(
                selection, chosen_by, trends.read_topics(view, topics), against, sort
            )
    except Invalid as error:
        if error.field != "by":
            raise
        page = shade_tables.empty(selection, chosen_by, field)
        html = partial(
            _table_html, view, page_query, page, error.message, sort, chosen_topics, field
        )
        return PageResponse(page, html, invalid=error)
    return PageResponse(
        page, partial(_table_html, view, page_query, page, "", sort, chosen_topics, field)
    )


def _table_html(
    view: RunView,
    page_query: PageQuery,
    page: SharesTable,
    problem: str,
    sort: shade_tables.Order,
    single_topic: list[int],
    field: str,
) -> TableHtml:
    # The field that a topic's table begins with: the last that is not its columns, as a category
    # tells more than another period
    across = next(
        (choice.name for choice in reversed(page.choices) if choice.name != page.by), None
    )
    plain = {"topic": None, "field": None, "scale": None, "sort": None}
    order = shade_tables.order_of_rows(sort, page.in_time)
    numbers_in_rows = [str(row.number) for row in page.rows if isinstance(row, TopicCells)]
    return TableHtml(
        problem=problem,
        rows=[
            (
                row,
                (
                    page_query.url(topics=None, topic=row.number, field=across)
                    if isinstance(row, TopicCells)
                    else ""
                ),
            )
            for row in page.rows
        ],
        bys=[
            Offer(choice.said, page_query.url(by=choice.name), choice.name == page.by)
            for choice in page.choices
            if choice.name != field
        ],
        fields=[
            Offer(choice.said, page_query.url(field=choice.name), choice.name == field)
            for choice in page.choices
            if choice.name != page.by
        ],
        scales={"share": page_query.url(scale=None), "against": page_query.url(scale="against")},
        orders=[
            Offer(name, page_query.url(sort=name), name == order)
            for name in shade_tables.ORDERS
            if name == shade_tables.order_of_rows(name, page.in_time)
        ],
        order=order,
        csv=page_query.url(topics=",".join(numbers_in_rows)),
        back=page_query.url(field=None, topic=None),
        large=view.go("run_time", asked=page_query.url(topics=single_topic[0], **plain))
        if single_topic
        else "",
        shades=range(1, shade_tables.STEPS + 1),
        times=list(enumerate(shade_tables.TIMES, 1)),
        intervals=any(cell.range for row in page.rows for cell in row.cells),
        thin=any(cell.thin for row in page.rows for cell in row.cells),
        pinned=pin_table(page),
    )
