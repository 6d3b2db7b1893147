"""The words that tend to occur near a word, in all documents or on two sides, as a page and as a
table."""

from collections.abc import Callable
from functools import partial
from typing import Any, get_args

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.analysis.collocations import queries, two_sides
from webapp.analysis.collocations.queries import FARTHEST, Asked
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
from webapp.analysis.time import contrasts
from webapp.analysis.time.shapes import Offer
from webapp.analysis.words import concordance, queries as words_queries, senses
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import links, provenance
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.models import Word
from webapp.platform.accounts import embargo
from webapp.platform.pages.page import run_or_404, table_answer
from webapp.platform.pages.typed import Answer, Here, typed

ORDERS: dict[Order, str] = {"log_dice": "logDice", "g2": "evidence (G²)", "t": "t score"}
WORDS: dict[Which, str] = {"content": "without stop words", "all": "all words"}
WINDOWS, LEASTS = (1, 2, 5, 10), (2, 5, 10, 25)


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
    here: Here,
    word: str,
    *,
    topic: int | None = None,
    topic_a: int | None = None,
    topic_b: int | None = None,
    left: int = 5,
    right: int = 5,
    least: int = 5,
    order: Order = "log_dice",
    which: Which = "content",
    within: Within = "words",
) -> Answer[Collocations | ComparedCollocations | NoCollocations]:
    """Words that tend to occur near a word, in all its uses or in one topic; or on two sides, which
    ?from_a= ?to_a= ?in_a= ?topic_a= and the same of b say."""
    each = [
        asked(view, one, left, right, least, order, which, within)
        for one in (topic, topic_a, topic_b)
    ]
    return _answer(
        selection, here, word, each[0], lambda known: listed(selection, known, here.query, *each)
    )


@cached_page()
@typed(
    {CollocationNetwork: "collocations/network.html", NoCollocations: "collocations/nothing.html"}
)
def network(
    view: RunView,
    selection: RunSelection,
    here: Here,
    word: str,
    *,
    topic: int | None = None,
    left: int = 5,
    right: int = 5,
    least: int = 5,
    order: Order = "log_dice",
    which: Which = "content",
    within: Within = "words",
) -> Answer[CollocationNetwork | NoCollocations]:
    """Which of the first words near a word are near the same occurrences of it."""
    one = asked(view, topic, left, right, least, order, which, within)
    return _answer(selection, here, word, one, lambda known: queries.network(selection, known, one))


def _answer(
    selection: RunSelection, here: Here, word: str, asked: Asked, make: Callable[[Word], Any]
) -> Answer[Any]:
    """The page that is made of a word, or why there is none."""
    known = words_queries.word(selection.version, word)
    if known is None:
        return Answer(
            NoCollocations(word[:100], "No word of this run is written like this."), status=404
        )
    try:
        page = make(known)
    except Invalid as error:
        return Answer(NoCollocations(known.word, error.message), invalid=error)
    return Answer(page, partial(_html, selection, here, known, asked))


def listed(
    selection: RunSelection, word: Word, query: QueryDict, one: Asked, *both: Asked
) -> Collocations | ComparedCollocations:
    """Near all uses of a word, or on the two sides that an address says. Raises Invalid."""
    sides = two_sides.sides(query, selection, [*both])
    return two_sides.page(selection, word, sides) if sides else queries.listed(selection, word, one)


def asked(
    view: RunView,
    topic: int | None,
    left: int,
    right: int,
    least: int,
    order: Order,
    which: Which,
    within: Within,
) -> Asked:
    if not (0 <= left <= FARTHEST and 0 <= right <= FARTHEST and left + right):
        raise BadRequest(
            f"“left” and “right” in the address must be 0 to {FARTHEST} words, and one of them more"
            " than 0."
        )
    return Asked(senses.asked_topic(view, topic), left, right, least, order, which, within)


def _html(selection: RunSelection, here: Here, word: Word, asked: Asked) -> CollocationsHtml:
    view, left, right = selection.view, asked.left, asked.right
    farther, least, sentence = (
        max(left, right),
        queries.least(selection, asked.least),
        asked.within == "sentence",
    )
    both = [("before and after", 1, 1), ("before", 1, 0), ("after", 0, 1)]
    named, _ = senses.tallied(senses.uses(view, word, selection))
    hued = [links.topic_link(view, tally.topic) for tally in named]
    return CollocationsHtml(
        **vars(contrasts.sets_form(here.query, selection.version, here)),
        windows=[
            Offer(
                str(n),
                here.url(left=n * bool(left), right=n * bool(right), within=""),
                n == farther and not sentence,
            )
            for n in WINDOWS
        ],
        sentence=Offer("in one sentence", here.url(within="sentence"), sentence),
        sides=[
            Offer(
                said,
                here.url(left=farther * a, right=farther * b),
                (bool(left), bool(right)) == (a, b),
            )
            for said, a, b in both
        ],
        orders=[
            Offer(ORDERS[name], here.url(order=name), name == asked.order)
            for name in get_args(Order)
        ],
        words=[
            Offer(WORDS[name], here.url(which=name), name == asked.which)
            for name in get_args(Which)
        ],
        leasts=[
            Offer(str(n), here.url(least=n), n == least)
            for n in LEASTS
            if queries.least(selection, n) == n
        ],
        senses=[SenseOffer(link, tally.tokens) for link, tally in zip(hued, named, strict=True)],
        embargo=embargo.sentence(view.run.corpus),
    )


@require_safe
def csv(request: HttpRequest, run_id: int, word: str) -> HttpResponse:
    view = RunView(run_or_404(run_id))
    known = words_queries.word(view.run.version, word)
    if known is None or not view.run.final or not concordance.has_places(view.run):
        raise Http404("This run has no places of this word: open the page of the run's words.")
    said, selection = words.asked(request.GET), Selection.read(request.GET, view)
    window = [said[name] for name in ("left", "right", "least", "order", "which", "within")]
    one, *both = (asked(view, said[name], *window) for name in ("topic", "topic_a", "topic_b"))
    sides = two_sides.sides(request.GET, selection, both)
    table = (
        two_sides.table(selection, known, sides) if sides else queries.table(selection, known, one)
    )
    return table_answer(table, provenance.file_name(view.run, "collocations"))
