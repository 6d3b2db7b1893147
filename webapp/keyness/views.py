"""The words that set two sets of documents apart, as a page and as a table."""

from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from inference.errors import Invalid, there
from webapp import exports
from webapp.accounts import authorization
from webapp.documents import fields
from webapp.documents.selection import RunSelection, Selection
from webapp.keyness import queries
from webapp.keyness.counting import Contrast, NotYet
from webapp.keyness.shapes import Counting, Keyness, KeynessHtml, NothingCompared, Order, Which
from webapp.pages.page import run_or_404, table_answer
from webapp.pages.typed import Answer, Here, typed
from webapp.results.view import RunView
from webapp.time import contrasts

ORDERS = {"ratio": "how many times as often", "g2": "evidence"}
WORDS = {"content": "without stop words", "all": "all words"}


@typed({Keyness: "keyness/words.html", Counting: "keyness/counting.html", NothingCompared: "keyness/nothing.html"})
def words(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    here: Here,
    as_json: bool,
    *,
    order: Order = "ratio",
    which: Which = "content",
    rest: bool = False,
    over: str = "",
) -> Answer[Keyness | Counting | NothingCompared]:
    """Words that one set of documents uses more than another, or than all other documents."""
    problem, compare = "Choose two sets of documents first.", view.go("run_time_compare", asked=request.GET.urlencode())
    try:
        if asked := contrasts.asked(request.GET, selection, rest):
            by = authorization.user_id(request)
            page = queries.listed(Contrast(*asked, which), order, selection.sentence, over, by)
            return Answer(page, partial(_html, view, here, page, compare, request.GET.urlencode()))
    except NotYet as state:
        return Answer(state.page, status=202)
    except Invalid as error:
        if as_json:
            raise
        problem = error.message
    return Answer(NothingCompared(problem, compare))


def _html(view: RunView, here: Here, page: Keyness, compare: str, query: str) -> KeynessHtml:
    drawn = [word.high or word.times for part in page.words for word in part]
    return KeynessHtml(
        orders=[(label, here.url(order=name), name == page.order) for name, label in ORDERS.items()],
        words=[(label, here.url(which=name), name == page.which) for name, label in WORDS.items()],
        overs=[
            (name or "none", here.url(over=name or None), name == page.over)
            for name in ["", *fields.choices(view.run.version)]
        ],
        most=max(drawn, default=1.0),
        csv=view.go("run_keyness_csv", asked=query),
        compare=compare,
    )


@require_safe
def csv(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    asked = words.asked(request.GET)
    sides = there(
        contrasts.asked(request.GET, Selection.read(request.GET, RunView(run)), asked["rest"]),
        Http404("This address names no two sets of documents: choose them on the page that compares two."),
    )
    try:
        table = queries.table(Contrast(*sides, asked["which"]), asked["over"], authorization.user_id(request))
    except NotYet:
        return HttpResponse("A worker counts these words. Ask again in a while.", status=202, content_type="text/plain")
    return table_answer(table, exports.file_name(run, "keyness"))
