"""The page of a run's topics, in four views, each a part of the same address. One topic, all its
words, and why a word is in it.
"""

from dataclasses import replace
from functools import partial
from typing import Annotated

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from inference.explore import relevance
from webapp.analysis.families import family_cuts
from webapp.analysis.findings import topic_changes
from webapp.analysis.topics import (
    flow,
    grid,
    maps,
    timeline,
    topic_documents,
    word_times_page,
)
from webapp.analysis.topics.listing import PAGE, TopicListing, read_listing_query
from webapp.analysis.topics.pinned_topics import pin_topics
from webapp.analysis.topics.shapes import (
    FollowingWords,
    FormingTopic,
    FormingWord,
    LineTimes,
    ListingQuery,
    Rank,
    Sparkline,
    TopicHtml,
    TopicMap,
    TopicPage,
    TopicRow,
    TopicsGrid,
    TopicsHtml,
    TopicsList,
    TopicsMap,
    TopicsTime,
    TopicsView,
    TopicWordsPage,
    WhyPage,
    WordsThroughTime,
    WordsWithoutTime,
)
from webapp.analysis.topics.topic import ShownTopic, read_topic
from webapp.analysis.words import queries as of_words
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import provenance, topics
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.drawing.colours import CHOSEN_NAMES
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.pages.page import looked_up
from webapp.platform.pages.typed import Cursor, PageQuery, PageResponse, typed
from webapp.platform.server.table_files import table_answer, table_to_come

ROWS_BELOW_MAP = 20  # of the list, where no topic was chosen on the map
VIEWS = {"list": "List", "map": "Map", "grid": "Grid of words", "time": "Over time"}


def _chosen_view(request: HttpRequest) -> str:
    """The view, of VIEWS, that the address says; the list where it says none, as many links lead to
    the topics of a family or a group, and promise a list."""
    asked_view = request.GET.get("view", "")
    return asked_view if asked_view in VIEWS else "list"


def _is_data(request: HttpRequest) -> bool:
    """Whether the page's data are asked for, and not the page."""
    return request.path.endswith(".json")


def _opens_by_family(request: HttpRequest, query: ListingQuery, run: Run) -> bool:
    """Whether the list is in the usual families, as the address asks for no others and no order: on
    the page, and not in its data."""
    some_topics = bool(query.word or query.topics or query.group or query.family is not None)
    asked_for = bool(query.families or request.GET.get("sort"))
    return not _is_data(request) and run.final and not some_topics and not asked_for


@cached_page()
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
) -> PageResponse[TopicsList | TopicsMap | TopicsTime | TopicsGrid]:
    """A run's topics: a list, a map, a grid of words, or charts over time."""
    shown_as = _chosen_view(request)
    query = read_listing_query(request.GET, view.run)
    if shown_as == "list" and _opens_by_family(request, query, view.run):
        query = replace(
            query, families=family_cuts.cut(view, None).number_of_families, sort="family"
        )
    listing = TopicListing(selection, query)
    in_every_view = TopicsView(
        view=shown_as,
        asked=listing.query,
        count=len(listing.numbers),
        left_out=listing.left_out,
        drop=view.hidden_words.described(),
    )
    page: TopicsList | TopicsTime | TopicsGrid
    if shown_as == "grid":
        page = _grid_of_words(in_every_view, listing, words, order, after)
    elif shown_as == "time":
        page = _over_time(in_every_view, listing, page_query, by, unit, scale, after)
    elif shown_as == "map":
        rows = PAGE if listing.query.topics else ROWS_BELOW_MAP
        below_map = _list(in_every_view, listing, page_query, after, rows)
        page = TopicsMap(**vars(below_map), map=_map(listing))
    else:
        page = _list(in_every_view, listing, page_query, after, PAGE)
    return PageResponse(page, partial(_topics_html, listing, page_query, shown_as, page))


def _grid_of_words(
    in_every_view: TopicsView, listing: TopicListing, words: str, order: str, after: int
) -> TopicsGrid:
    """in_every_view: what the page has in whatever way it shows topics, as below."""
    typed_words = grid.read_words(words)
    by_size = order == "size"
    return TopicsGrid(
        **vars(in_every_view),
        grid=grid.word_grid(listing, typed_words, not by_size, after),
        words=typed_words,
        order="size" if by_size else "",
    )


def _over_time(
    in_every_view: TopicsView,
    listing: TopicListing,
    page_query: PageQuery,
    by: str,
    unit: str,
    scale: str,
    after: int,
) -> TopicsTime:
    view = listing.view
    return TopicsTime(
        **vars(in_every_view),
        time=timeline.over_time(listing, by, after),
        unit="tokens" if unit == "tokens" else "shares",
        own_scale=scale == "own",
        choices=document_groups.possible_groupings(view.run.version),
        json=view.go("run_topics_json") + page_query.url(view="time", after=after or None),
    )


def _map(listing: TopicListing) -> TopicMap | None:
    """All topics, those that are chosen marked."""
    of_all = replace(listing.query, topics=[], family=None)
    return maps.topic_map(TopicListing(listing.selection, of_all), listing.query.topics)


def _topics_html(
    listing: TopicListing, page_query: PageQuery, shown_as: str, page: TopicsView
) -> TopicsHtml:
    view = listing.view
    cut = family_cuts.cut(view, listing.query.families) if view.run.final else None
    listed_families = []
    if cut and listing.query.families:
        listed_families = [(family.topics[0], family.name) for family in cut.families]
    columns = list(range(view.run.topics))
    if isinstance(page, TopicsGrid) and page.grid is not None:
        columns = [topic.number for topic in page.grid.topics]
    return TopicsHtml(
        views=[(key, name, page_query.url(view=key)) for key, name in VIEWS.items()],
        river=_river(listing.selection, page),
        largest=_largest(page),
        groups=listing.labels.groups(),
        hue_names=list(CHOSEN_NAMES),
        cuts=family_cuts.around(cut, page_query) if cut else None,
        families=listed_families,
        colours=_families_of(columns, cut.families if cut else []),
        general=any(listing.labels.is_background(k) for k in columns),
        part=f"run/topics/_{shown_as}.html",
        pinned=pin_topics(page, listing.selection.sentence),
    )


def _families_of(
    topics: list[int], families: list[family_cuts.NamedFamily]
) -> list[family_cuts.NamedFamily]:
    """Those that some of these topics are in."""
    return [family for family in families if not set(topics).isdisjoint(family.topics)]


def _river(selection: RunSelection, page: TopicsView) -> flow.FamiliesOverTime:
    """The picture of the view over time, where that shows shares of all topics by periods."""
    if not isinstance(page, TopicsTime) or page.time is None or page.asked.topics:
        return flow.FamiliesOverTime()
    if not page.time.in_time or page.unit != "shares" or page.asked.word or page.asked.group:
        return flow.FamiliesOverTime()
    return flow.families_over_time(selection, page.time.by)


def _largest(page: TopicsView) -> str:
    if not isinstance(page, TopicsTime) or page.time is None:
        return ""
    return ",".join(str(topic.number) for topic in page.time.stacked)


def _list(
    in_every_view: TopicsView, listing: TopicListing, page_query: PageQuery, after: int, rows: int
) -> TopicsList:
    """The list of topics from place `after` on, at most so many rows. in_every_view: what the page
    has in whatever way it shows topics."""
    topics_of_page, following = listing.page(after, rows)
    times: LineTimes | None = None
    sparklines: dict[int, Sparkline] = {}
    over_time = listing.lines([topic.number for topic in topics_of_page])
    if over_time is not None:
        times, sparklines = over_time
    return TopicsList(
        **vars(in_every_view),
        items=[
            TopicRow(**vars(topic), line=sparklines.get(topic.number)) for topic in topics_of_page
        ],
        first=after + 1,
        last=after + len(topics_of_page),
        times=times,
        previous=page_query.url(after=max(0, after - rows) or None) if after else None,
        next=page_query.following(following),
    )


ALL_WORDS = 100  # on a page of them
QUOTED = 50  # characters of what is wrong


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
    lambda_: Lambda = relevance.USUAL_LAM,
    rank: Rank = "share",
    by: str = "",
    after: Cursor = None,
) -> PageResponse[TopicPage | FormingTopic]:
    """A topic: its words, documents, company and measures."""
    topic = read_topic(selection, number)
    if not view.run.final:
        return PageResponse(_forming_page(topic))
    words_of_page, next_words = topic.words(lambda_)
    documents, following = topic.documents(rank, after)
    page = TopicPage(
        topic=topic.about,
        drop=view.hidden_words.described(),
        previous=topic.previous,
        next=topic.following,
        curation=topic.curation,
        lambda_=lambda_,
        words=words_of_page,
        next_words=next_words,
        counted=topic.counted,
        first=topic.first_words,
        phrases=topic.phrases,
        groups=topic.groups(by),
        rank=rank,
        documents=documents,
        next_documents=page_query.following(following),
        similar=topic.similar,
        beside=topic.beside,
        verdict=topic.verdict,
        measures=topic.measures,
        elsewhere=topic.elsewhere,
    )
    return PageResponse(page, partial(_topic_html, topic))


def _forming_page(topic: ShownTopic) -> FormingTopic:
    view = topic.view
    words, _ = topic.words_by_weight()
    return FormingTopic(
        topic=topic.about,
        drop=view.hidden_words.described(),
        previous=topic.previous,
        next=topic.following,
        curation=topic.curation,
        words=[FormingWord(**row, url=view.go("run_word", row["word"])) for row in words],
    )


def _topic_html(topic: ShownTopic) -> TopicHtml:
    return TopicHtml(
        mostly=topic.documents_mostly_about_it,
        shortest=topic_documents.shortest_with_share(topic.view.run),
        own_words=topics.OWN_WORDS,
        change=topic.change,
        named_before=topic.named_before,
        dated=topic.has_dates,
    )


@cached_page()
@typed("run/topic_words.html")
def words(
    view: RunView,
    selection: RunSelection,
    number: int,
    *,
    lambda_: Lambda = relevance.USUAL_LAM,
    after: int = 0,
) -> PageResponse[TopicWordsPage]:
    """All words of a topic, by relevance."""
    topic = read_topic(selection, number)
    words_of_page, next_words = topic.words(lambda_, after, ALL_WORDS)
    page = TopicWordsPage(
        topic=topic.about,
        drop=view.hidden_words.described(),
        lambda_=lambda_,
        words=words_of_page,
        next_words=next_words,
    )
    return PageResponse(page)


@typed(
    {
        WordsThroughTime: "run/topic_times.html",
        FollowingWords: "run/topic_times_following.html",
        WordsWithoutTime: "run/topic_times_none.html",
    }
)
def times(
    request: HttpRequest, view: RunView, selection: RunSelection, number: int, *, row: str = ""
) -> PageResponse[WordsThroughTime | FollowingWords | WordsWithoutTime]:
    """A topic's words through time: which came, went and stayed; 202 while a worker looks."""
    page = word_times_page.answer(read_topic(selection, number), authorization.user_id(request))
    if isinstance(page, WordsWithoutTime):
        return PageResponse(page)
    return PageResponse(page, partial(word_times_page.html, page, row))


@require_safe
@looked_up
def times_csv(request: HttpRequest, run: Run, number: int) -> HttpResponse:
    """CSV with a row for each word and period."""
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    topic = read_topic(selection, number)
    try:
        page = word_times_page.answer(topic, authorization.user_id(request))
    except NotYet as waiting:
        sentence = "A worker looks through these words. Ask again in a while."
        return table_to_come(sentence, waiting.page.has_failed)
    if isinstance(page, WordsWithoutTime):
        raise Http404(f"{page.topic.label} has no words in two periods.")
    table = word_times_page.table(selection, page)
    name = provenance.file_name(run, f"{page.topic.label}-words-by-time.csv")
    return table_answer(table, name)


@cached_page()
@typed("run/topic_word.html")
def why(view: RunView, selection: RunSelection, number: int, word: str) -> PageResponse[WhyPage]:
    """Why a word is in a topic."""
    topic = read_topic(selection, number)
    if not view.run.final:
        raise Invalid(
            "run",
            f"Run {view.run.pk} has not counted its words yet: that is done when training ends.",
        )
    found_word = of_words.word(view.run.version, word.lower())
    if found_word is None:
        raise Http404(f"“{word}” is not in the vocabulary of “{view.run.corpus.name}”.")
    return PageResponse(WhyPage(topic.about, topic.why(found_word)))
