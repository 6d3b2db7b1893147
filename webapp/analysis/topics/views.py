"""The overview of a run: its topics in four views, each a part of the same address. One topic, all
its words, and why a word is in it.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from inference.explore import relevance
from webapp.analysis.findings import families, topic_changes
from webapp.analysis.topics import (
    flow,
    grid,
    maps,
    named_before,
    timeline,
    topic,
    topic_documents,
    topic_words,
    verdict,
    word_times_page,
)
from webapp.analysis.topics.listing import PAGE, TopicListing, read_listing_query
from webapp.analysis.topics.shapes import (
    Counted,
    FollowingWords,
    FormingTopic,
    FormingWord,
    ListingQuery,
    OverviewHtml,
    Rank,
    Sparkline,
    Times,
    TopicHtml,
    TopicPage,
    TopicRow,
    TopicsGrid,
    TopicsList,
    TopicsMap,
    TopicsTime,
    TopicsView,
    TopicWordsPage,
    WhyPage,
    WordsThroughTime,
    WordsWithoutTime,
)
from webapp.analysis.words import queries as of_words
from webapp.core.curation import queries as curation
from webapp.core.documents import fields, sums
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import found_again, links, provenance, topics
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.drawing.colours import CHOSEN_NAMES
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.pages.page import looked_up, table_answer
from webapp.platform.pages.typed import Answer, Cursor, PageQuery, typed

ROWS_BELOW_MAP = 20  # of the list, where no topic was chosen on the map
VIEWS = {"list": "List", "map": "Map", "grid": "Grid of words", "time": "Over time"}


def _shown_as(request: HttpRequest, run: Run) -> str:
    """What the address says; on the page, and not in its data, else the reader's last choice."""
    asked_view = request.GET.get("view", "")
    is_data = request.path.endswith(".json")
    if asked_view in VIEWS:
        if not is_data and asked_view != request.session.get("overview", ""):
            request.session["overview"] = asked_view
        return asked_view
    last = "" if is_data else request.session.get("overview", "")
    return last if last in VIEWS else "list"


def _opens_by_family(request: HttpRequest, query: ListingQuery, run: Run) -> bool:
    """Whether the list is in the usual families, as the address asks for no others and no order: on
    the page, and not in its data."""
    is_data = request.path.endswith(".json")
    some_topics = bool(query.word or query.topics or query.group)
    asked_for = bool(query.families or request.GET.get("sort"))
    return not is_data and run.final and not some_topics and not asked_for


@cached_page(depends_on=_shown_as)
@typed("run/topics.html")
def index(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    after: int = 0,
    words: str = "",
    order: str = "",
    by: str = "",
    unit: str = "",
    scale: str = "",
) -> Answer[TopicsList | TopicsMap | TopicsTime | TopicsGrid]:
    """A run's topics: a list, a map, a grid of words, or charts over time."""
    shown_as = _shown_as(request, view.run)
    query = read_listing_query(request.GET, view.run)
    if shown_as == "list" and _opens_by_family(request, query, view.run):
        query = replace(query, families=families.cut(view, None).number, sort="family")
    listing = TopicListing(selection, query)
    in_every_view: dict[str, Any] = {
        "view": shown_as,
        "asked": listing.query,
        "count": len(listing.numbers),
        "left_out": listing.left_out,
        "drop": view.hidden_words.described(),
    }
    page: TopicsList | TopicsTime | TopicsGrid
    if shown_as == "grid":
        typed_words = grid.read_words(words)
        by_size = order == "size"
        page = TopicsGrid(
            **in_every_view,
            grid=grid.word_grid(listing, typed_words, not by_size, after),
            words=typed_words,
            order="size" if by_size else "",
        )
    elif shown_as == "time":
        page = TopicsTime(
            **in_every_view,
            time=timeline.over_time(listing, by, after),
            unit="tokens" if unit == "tokens" else "shares",
            own_scale=scale == "own",
            choices=fields.choices(view.run.version),
            json=view.go("run_topics_json") + page_query.url(view="time", after=after or None),
        )
    elif shown_as == "map":
        everything = TopicListing(selection, replace(listing.query, topics=[]))
        chosen_topics = listing.query.topics
        rows = PAGE if chosen_topics else ROWS_BELOW_MAP
        page = TopicsMap(
            **in_every_view,
            **_list(listing, page_query, after, rows),
            map=maps.topic_map(everything, chosen_topics),
        )
    else:
        page = TopicsList(**in_every_view, **_list(listing, page_query, after, PAGE))
    return Answer(page, partial(_overview_html, listing, page_query, shown_as, page))


def _overview_html(
    listing: TopicListing, page_query: PageQuery, shown_as: str, page: TopicsView
) -> OverviewHtml:
    view = listing.view
    cut = families.cut(view, listing.query.families) if view.run.final else None
    listed_families = []
    if cut and listing.query.families:
        listed_families = [(family.topics[0], family.name) for family in cut.families]
    return OverviewHtml(
        views=[(key, name, page_query.url(view=key)) for key, name in VIEWS.items()],
        river=_river(listing.selection, page),
        largest=_largest(page),
        groups=listing.labels.groups(),
        hue_names=list(CHOSEN_NAMES),
        cuts=families.around(cut, page_query) if cut else None,
        families=listed_families,
        part=f"run/overview/_{shown_as}.html",
    )


def _river(selection: RunSelection, page: TopicsView) -> SafeString:
    """Of the view over time, where it shows shares of all topics by periods."""
    if not isinstance(page, TopicsTime) or page.time is None or page.asked.topics:
        return SafeString()
    if not page.time.in_time or page.unit != "shares" or page.asked.word or page.asked.group:
        return SafeString()
    picture = flow.picture(selection, page.time.by)
    return picture.draw() if picture is not None else SafeString()


def _largest(page: TopicsView) -> str:
    if not isinstance(page, TopicsTime) or page.time is None:
        return ""
    return ",".join(str(topic.number) for topic in page.time.stacked)


def _list(listing: TopicListing, page_query: PageQuery, after: int, rows: int) -> dict[str, Any]:
    """The fields of TopicsList that are its own."""
    topics_of_page, following = listing.page(after, rows)
    times: Times | None = None
    sparklines: dict[int, Sparkline] = {}
    over_time = listing.lines([topic.number for topic in topics_of_page])
    if over_time is not None:
        times, sparklines = over_time
    return {
        "items": [
            TopicRow(**vars(topic), line=sparklines.get(topic.number)) for topic in topics_of_page
        ],
        "first": after + 1,
        "last": after + len(topics_of_page),
        "times": times,
        "previous": page_query.url(after=max(0, after - rows) or None) if after else None,
        "next": page_query.following(following),
    }


ALL_WORDS = 100  # on a page of them
FIRST_WORDS = 5  # that stand in a topic's title
MOSTLY = 50  # percent of a document, from which it is mostly about a topic
QUOTED = 50  # characters of what is wrong
RANKS: dict[Rank, topic_documents.By] = {"share": "share", "words": "tokens"}


def _lambda(name: str, values: list[str]) -> float:
    try:
        lam = float(values[-1])
    except ValueError:
        lam = -1.0
    if not 0 <= lam <= 1:
        raise BadRequest(
            f"“{name}” in the address must be from 0 to 1, got “{values[-1][:QUOTED]}”."
        )
    return lam


Lambda = Annotated[float, _lambda]


@cached_page(depends_on=lambda request, run: topic_changes.last_stored(run))
@typed({TopicPage: "run/topic.html", FormingTopic: "run/topic_forming.html"})
def detail(
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    number: int,
    *,
    lambda_: Lambda = relevance.LAM,
    rank: Rank = "share",
    by: str = "",
    after: Cursor = None,
) -> Answer[TopicPage | FormingTopic]:
    """A topic: its words, documents, company and measures."""
    frame: dict[str, Any] = {
        "topic": topic.described(view, number),
        "drop": view.hidden_words.described(),
        "previous": _link(view, max((k for k in view.topics if k < number), default=None)),
        "next": _link(view, min((k for k in view.topics if k > number), default=None)),
        "curation": curation.topic_form(view, number),
    }
    if not view.run.final:
        rows, _ = topics.words(view.run, number)
        forming = [FormingWord(**row, url=view.go("run_word", row["word"])) for row in rows]
        return Answer(FormingTopic(**frame, words=forming))
    words_of_page, next_words = topic_words.relevant(view, number, selection, lambda_)
    documents, following = topic_documents.ranked(view, number, selection, RANKS[rank], after)
    similar, topics_beside = topic.neighbours(view, number, selection)
    page = TopicPage(
        **frame,
        lambda_=lambda_,
        words=words_of_page,
        next_words=next_words,
        counted=_counted(selection, number),
        first=topics.top_words(view, [number], FIRST_WORDS)[number],
        phrases=topic.phrases(view, number),
        groups=topic.groups(view, number, selection, by),
        rank=rank,
        documents=documents,
        next_documents=page_query.following(following),
        similar=similar,
        beside=topics_beside,
        verdict=verdict.judge(view, number, similar),
        measures=topic.diagnostics(view.run, number),
        elsewhere=found_again.of_topic(view.run, number),
    )
    return Answer(page, partial(_topic_html, selection, number))


def _topic_html(selection: RunSelection, number: int) -> TopicHtml:
    with_topic = selection.with_topic(number, MOSTLY)
    mostly = links.documents_url(selection.view.run, with_topic.address(by=topic_label(number)))
    (change,) = topic_changes.of_topics(selection, [number])
    return TopicHtml(
        mostly,
        topics.OWN,
        change,
        named_before.of_topic(selection.view, number),
        fields.dated(selection.version) is not None,
    )


def _link(view: RunView, number: int | None) -> links.TopicLink | None:
    return None if number is None else links.topic_link(view, number)


def _counted(selection: RunSelection, number: int) -> Counted:
    counted_sums = sums.of_selection(selection)
    tokens = int(counted_sums.tokens[0, number])
    of_tokens = int(counted_sums.of_tokens[0])
    return Counted(
        tokens=tokens,
        documents=int(counted_sums.documents[0, number]),
        of_tokens=of_tokens,
        of_documents=int(counted_sums.of_documents[0]),
        share=tokens / max(1, of_tokens),
    )


@cached_page()
@typed("run/topic_words.html")
def words(
    view: RunView,
    selection: RunSelection,
    number: int,
    *,
    lambda_: Lambda = relevance.LAM,
    after: int = 0,
) -> Answer[TopicWordsPage]:
    """All words of a topic, by relevance."""
    about = topic.described(view, number)
    words_of_page, next_words = topic_words.relevant(
        view, number, selection, lambda_, after, ALL_WORDS
    )
    page = TopicWordsPage(
        topic=about,
        drop=view.hidden_words.described(),
        lambda_=lambda_,
        words=words_of_page,
        next_words=next_words,
    )
    return Answer(page)


@typed(
    {
        WordsThroughTime: "run/topic_times.html",
        FollowingWords: "run/topic_times_following.html",
        WordsWithoutTime: "run/topic_times_none.html",
    }
)
def times(
    request: HttpRequest, view: RunView, selection: RunSelection, number: int, *, row: str = ""
) -> Answer[WordsThroughTime | FollowingWords | WordsWithoutTime]:
    """A topic's words through time: which came, went and stayed; 202 while a worker looks."""
    page = word_times_page.answer(view, selection, number, authorization.user_id(request))
    if isinstance(page, FollowingWords):
        return Answer(page, status=202)
    if isinstance(page, WordsWithoutTime):
        return Answer(page)
    return Answer(page, partial(word_times_page.html, page, row))


@require_safe
@looked_up
def times_csv(request: HttpRequest, run: Run, number: int) -> HttpResponse:
    """The same numbers, a row for each word and period."""
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    page = word_times_page.answer(view, selection, number, authorization.user_id(request))
    if isinstance(page, FollowingWords):
        return HttpResponse(
            "A worker looks through these words. Ask again in a while.",
            status=202,
            content_type="text/plain",
        )
    if isinstance(page, WordsWithoutTime):
        raise Http404(f"{page.topic.label} has no words in two periods.")
    table = word_times_page.table(selection, page)
    name = provenance.file_name(run, f"{page.topic.label}-words-by-time.csv")
    return table_answer(table, name)


@cached_page()
@typed("run/topic_word.html")
def why(view: RunView, selection: RunSelection, number: int, word: str) -> Answer[WhyPage]:
    """Why a word is in a topic."""
    about = topic.described(view, number)
    if not view.run.final:
        raise Invalid(
            "run",
            f"Run {view.run.pk} has not counted its words yet: that is done when training ends.",
        )
    found_word = of_words.word(view.run.version, word.lower())
    if found_word is None:
        raise Http404(f"“{word}” is not in the vocabulary of “{view.run.corpus.name}”.")
    return Answer(WhyPage(about, topic_words.why_here(view, number, found_word, selection)))
