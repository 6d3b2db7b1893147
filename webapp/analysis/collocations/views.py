"""The words that tend to occur near a word, in all documents or on two sides, as a page and as a
table."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, get_args

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.analysis.collocations import queries, two_sides
from webapp.analysis.collocations.queries import WIDEST_WINDOW, NearQuestion
from webapp.analysis.collocations.shapes import (
    CollocationNetwork,
    Collocations,
    CollocationsHtml,
    ComparedCollocations,
    NoCollocations,
    Order,
    SenseOffer,
    Which,
    Within,
)
from webapp.analysis.two_sets import sets_form
from webapp.analysis.two_sets.compared_sets import PARAMETERS
from webapp.analysis.words import concordance, queries as words_queries, senses
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import links, provenance
from webapp.core.results.links import TopicLink
from webapp.core.results.page_cache import cached_page
from webapp.core.results.topic_numbers import TopicParameter
from webapp.core.results.view import RunView
from webapp.models import Word
from webapp.platform.accounts import embargo
from webapp.platform.pages.page import unchecked_run
from webapp.platform.pages.page_query import Offer
from webapp.platform.pages.typed import PageQuery, PageResponse, typed
from webapp.platform.server.table_files import table_answer

ORDERS: dict[Order, str] = {"log_dice": "logDice", "g2": "evidence (G²)", "t": "t score"}
WORD_CHOICES: dict[Which, str] = {"content": "without stop words", "all": "all words"}
SIDES = 2  # of a comparison
WINDOWS = (1, 2, 5, 10)  # words, that are offered
LEASTS = (2, 5, 10, 25)  # documents


@cached_page()
@typed(
    {
        Collocations: "collocations/words.html",
        ComparedCollocations: "collocations/two_sides.html",
        NoCollocations: "collocations/nothing.html",
    }
)
def words(
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    word: str,
    *,
    topic: TopicParameter = None,
    topic_a: TopicParameter = None,
    topic_b: TopicParameter = None,
    left: int = 5,
    right: int = 5,
    least: int = 5,
    order: Order = "log_dice",
    which: Which = "content",
    within: Within = "words",
) -> PageResponse[Collocations | ComparedCollocations | NoCollocations]:
    """Words that tend to occur near a word, in all its uses or in one topic; or on two sides, which
    ?from_a= ?to_a= ?in_a= ?topic_a= and the same of b say."""
    window = (left, right, least, order, which, within)
    of_all = read_question(view, topic, *window)
    of_sides = [read_question(view, side, *window) for side in (topic_a, topic_b)]

    def make(entry: Word) -> Collocations | ComparedCollocations:
        return list_or_compare(selection, entry, page_query.query, of_all, *of_sides)

    return _answer(selection, page_query, word, of_all, make)


@cached_page()
@typed(
    {CollocationNetwork: "collocations/network.html", NoCollocations: "collocations/nothing.html"}
)
def network(
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    word: str,
    *,
    topic: TopicParameter = None,
    left: int = 5,
    right: int = 5,
    least: int = 5,
    order: Order = "log_dice",
    which: Which = "content",
    within: Within = "words",
) -> PageResponse[CollocationNetwork | NoCollocations]:
    """Which of the first words near a word are near the same occurrences of it."""
    of_all = read_question(view, topic, left, right, least, order, which, within)
    return _answer(
        selection, page_query, word, of_all, lambda entry: queries.network(selection, entry, of_all)
    )


def _answer(
    selection: RunSelection,
    page_query: PageQuery,
    word: str,
    near_question: NearQuestion,
    make: Callable[[Word], Any],
) -> PageResponse[Any]:
    """The page that is made of a word, or why there is none."""
    entry = words_queries.word(selection.version, word)
    if entry is None:
        return PageResponse(
            NoCollocations(word[:100], "No word of this run is written like this.", is_word=False),
            status=HTTPStatus.NOT_FOUND,
        )
    try:
        page = make(entry)
    except Invalid as error:
        return PageResponse(NoCollocations(entry.word, error.message, is_word=True), invalid=error)
    return PageResponse(page, partial(_html, selection, page_query, entry, near_question))


def list_or_compare(
    selection: RunSelection,
    word: Word,
    query: QueryDict,
    of_all: NearQuestion,
    *of_sides: NearQuestion,
) -> Collocations | ComparedCollocations:
    """Near all uses of a word, or on the two sides that an address says. Raises Invalid."""
    sides = two_sides.sides(query, selection, [*of_sides])
    if sides:
        return two_sides.page(selection, word, sides)
    return queries.list_collocations(selection, word, of_all)


def read_question(
    view: RunView,
    topic: int | None,
    left: int,
    right: int,
    least: int,
    order: Order,
    which: Which,
    within: Within,
) -> NearQuestion:
    if not (0 <= left <= WIDEST_WINDOW and 0 <= right <= WIDEST_WINDOW and left + right):
        raise BadRequest(
            f"“left” and “right” in the address must be 0 to {WIDEST_WINDOW} words, and one of"
            " them more than 0."
        )
    return NearQuestion(senses.asked_topic(view, topic), left, right, least, order, which, within)


def _html(
    selection: RunSelection, page_query: PageQuery, word: Word, near_question: NearQuestion
) -> CollocationsHtml:
    view = selection.view
    before = bool(near_question.left)
    after = bool(near_question.right)
    farthest = near_question.farthest
    tallies, _ = senses.tallied(senses.uses(view, word, selection))
    topics = [links.topic_link(view, tally.topic) for tally in tallies]
    least = queries.least(selection, near_question.least)
    leasts = [number for number in LEASTS if queries.least(selection, number) == number]
    form = sets_form.sets_form(page_query.query, selection.version, page_query)
    suggestions = [*form.suggestions, *suggest_senses(page_query, topics)]
    return CollocationsHtml(
        **vars(replace(form, suggestions=suggestions)),
        windows=[
            Offer(
                str(number),
                page_query.url(
                    left=number if before else 0, right=number if after else 0, within=""
                ),
                number == farthest and not near_question.in_sentence,
            )
            for number in WINDOWS
        ],
        sentence=Offer(
            "in one sentence", page_query.url(within="sentence"), near_question.in_sentence
        ),
        sides=[
            _offer_of_side(page_query, "before and after", farthest, farthest, before and after),
            _offer_of_side(page_query, "before", farthest, 0, before and not after),
            _offer_of_side(page_query, "after", 0, farthest, after and not before),
        ],
        orders=[
            Offer(ORDERS[name], page_query.url(order=name), name == near_question.order)
            for name in get_args(Order)
        ],
        words=[
            Offer(WORD_CHOICES[name], page_query.url(which=name), name == near_question.which)
            for name in get_args(Which)
        ],
        leasts=[
            Offer(str(number), page_query.url(least=number), number == least) for number in leasts
        ],
        senses=[
            SenseOffer(link, tally.tokens) for link, tally in zip(topics, tallies, strict=True)
        ],
        embargo=embargo.sentence(view.run.corpus),
    )


def suggest_senses(page_query: PageQuery, topics: list[TopicLink]) -> list[tuple[str, str]]:
    """The two largest senses of a word, to be compared, and the address that does; nothing where
    it has one."""
    if len(topics) < SIDES:
        return []
    first, second = topics[:SIDES]
    parameters = dict.fromkeys(PARAMETERS) | {"topic_a": first.number, "topic_b": second.number}
    return [(f"{first.with_label} and {second.with_label}", page_query.url(**parameters))]


def _offer_of_side(
    page_query: PageQuery, label: str, left: int, right: int, is_chosen: bool
) -> Offer:
    return Offer(label, page_query.url(left=left, right=right), is_chosen)


@require_safe
def csv(request: HttpRequest, run_id: int, word: str) -> HttpResponse:
    view = RunView(unchecked_run(run_id))
    entry = words_queries.word(view.run.version, word)
    if entry is None or not view.run.final or not concordance.has_places(view.run):
        raise Http404("This run has no places of this word: open the page of the run's words.")
    query = words.asked(request.GET)
    selection = Selection.read(request.GET, view)
    window = [query[name] for name in ("left", "right", "least", "order", "which", "within")]
    of_sides = [read_question(view, query[name], *window) for name in ("topic_a", "topic_b")]
    sides = two_sides.sides(request.GET, selection, of_sides)
    if sides:
        table = two_sides.table(selection, entry, sides)
    else:
        table = queries.table(selection, entry, read_question(view, query["topic"], *window))
    return table_answer(table, provenance.file_name(view.run, "collocations.csv"))
