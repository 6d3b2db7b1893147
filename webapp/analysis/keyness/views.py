"""The words that set two sets of documents apart, as a page and as a table."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.analysis.keyness import queries, split as splitting
from webapp.analysis.keyness.shapes import (
    Keyness,
    KeynessHtml,
    NothingCompared,
    TopicSplit,
    TopicSplitHtml,
    WordPart,
)
from webapp.analysis.two_sets import compared_sets
from webapp.analysis.two_sets.word_contrast import Contrast
from webapp.analysis.two_sets.word_shapes import Counting, Counts, Order, Which
from webapp.analysis.words import senses
from webapp.core.documents import document_groups
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import provenance
from webapp.core.results.topic_numbers import TopicParameter
from webapp.core.results.view import RunView
from webapp.platform.accounts import authorization
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.pages.page import unchecked_run
from webapp.platform.pages.typed import PageQuery, PageResponse, typed
from webapp.platform.server.table_files import table_answer, table_to_come

WORDS_NAMED = 5  # words of a first sentence
ORDERS = {"ratio": "how many times as often", "g2": "evidence"}
WORD_CHOICES = {"content": "without stop words", "all": "all words"}
COUNTS: dict[Counts, str] = {
    "occurrences": "every occurrence",
    "documents": "documents that have it",
}


@typed(
    {
        Keyness: "keyness/words.html",
        Counting: "keyness/counting.html",
        NothingCompared: "keyness/nothing.html",
    }
)
def words(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    order: Order = "ratio",
    which: Which = "content",
    counts: Counts = "occurrences",
    rest: bool = False,
    over: str = "",
) -> PageResponse[Keyness | Counting | NothingCompared]:
    """Words that one set of documents uses more than another, or than all other documents."""

    def listed(contrast: Contrast, asker: int | None) -> PageResponse:
        page = queries.list_words(contrast, order, selection.sentence, over, asker)
        return PageResponse(
            page,
            partial(
                _html,
                view,
                page_query,
                page,
                _compare(request, view),
                request.GET.urlencode(),
                bool(contrast.counted.phrases),
            ),
        )

    return _of_two(request, view, selection, rest, which, counts, listed)


@typed(
    {
        TopicSplit: "keyness/topic.html",
        Counting: "keyness/counting.html",
        NothingCompared: "keyness/nothing.html",
    }
)
def topic(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    *,
    topic: TopicParameter = None,
    rest: bool = False,
) -> PageResponse[TopicSplit | Counting | NothingCompared]:
    """The difference of a topic's shares in two sets, split over its words."""
    number = senses.asked_topic(view, topic)

    def parts(contrast: Contrast, asker: int | None) -> PageResponse:
        if number is None:
            raise Invalid("topic", "Choose a topic on the page that compares the two sets.")
        page = splitting.split(contrast, number, asker)
        return PageResponse(page, partial(_topic_html, request, view, page))

    return _of_two(request, view, selection, rest, "all", "occurrences", parts)


def _of_two(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    against_rest: bool,
    which: Which,
    counts: Counts,
    answer: Callable[[Contrast, int | None], PageResponse],
) -> PageResponse:
    """Answer with what is said of the two sets of an address, or that it names none. Raises NotYet
    while a worker counts."""
    compare = _compare(request, view)
    try:
        sides = compared_sets.read_sides(request.GET, selection, against_rest)
        if sides is not None:
            return answer(Contrast(*sides, which, counts), authorization.user_id(request))
    except Invalid as error:
        return PageResponse(NothingCompared(error.message, compare), invalid=error)
    return PageResponse(NothingCompared("Choose two sets of documents first.", compare))


def _compare(request: HttpRequest, view: RunView) -> str:
    return view.go("run_time_compare", asked=request.GET.urlencode())


def _topic_html(request: HttpRequest, view: RunView, page: TopicSplit) -> TopicSplitHtml:
    larger = page.words[0] if page.apart >= 0 else page.words[1]
    parts_named: list[WordPart] = []
    gap_named = 0.0
    for word in larger[:WORDS_NAMED]:
        if abs(gap_named) < abs(page.apart) / 2:  # until they are half of the difference
            parts_named.append(word)
            gap_named += word.apart
    return TopicSplitHtml(
        words_named=parts_named,
        gap_named=gap_named,
        compare=_compare(request, view),
        keyness=view.go("run_keyness", asked=request.GET.urlencode()),
    )


def _html(
    view: RunView,
    page_query: PageQuery,
    page: Keyness,
    compare: str,
    query: str,
    has_phrases: bool,
) -> KeynessHtml:
    drawn = [word.high or word.times or word.low or 1.0 for part in page.words for word in part]
    return KeynessHtml(
        orders=[
            (label, page_query.url(order=name), name == page.order)
            for name, label in ORDERS.items()
        ],
        words=[
            (label, page_query.url(which=name), name == page.which)
            for name, label in WORD_CHOICES.items()
        ],
        counts=[
            (label, page_query.url(counts=name), name == page.counts)
            for name, label in COUNTS.items()
        ],
        overs=[
            (name or "none", page_query.url(over=name or None), name == page.over)
            for name in ["", *document_groups.possible_groupings(view.run.version)]
        ],
        most=max(drawn, default=1.0),
        csv=view.go("run_keyness_csv", asked=query),
        compare=compare,
        has_phrases=has_phrases,
    )


@require_safe
def csv(request: HttpRequest, run_id: int) -> HttpResponse:
    run = unchecked_run(run_id)
    question = words.asked(request.GET)
    sides = compared_sets.read_sides(
        request.GET, Selection.read(request.GET, RunView(run)), question["rest"]
    )
    if sides is None:
        raise Http404(compared_sets.NO_SETS)
    try:
        contrast = Contrast(*sides, question["which"], question["counts"])
        table = queries.table(contrast, question["over"], authorization.user_id(request))
    except NotYet as waiting:
        return table_to_come(
            "A worker counts these words. Ask again in a while.", waiting.page.has_failed
        )
    return table_answer(table, provenance.file_name(run, "keyness.csv"))
