"""How topics depend on what is known of the documents, as a page and as a table."""

from functools import partial
from typing import get_args
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.analysis.effects import (
    answering as effects_answering,
    estimates,
    sentences,
    two_sets,
    variables,
    variants,
)
from webapp.analysis.effects.estimates import Regression
from webapp.analysis.effects.estimator import Order
from webapp.analysis.effects.formula import Term
from webapp.analysis.effects.model import EffectQuestion, Way
from webapp.analysis.effects.pages import (
    ClaimOnPage,
    asked_formula,
    claim_of_sets,
    claim_page,
    effects_page,
)
from webapp.analysis.effects.shapes import (
    ClaimHtml,
    ClaimInRun,
    ClaimPage,
    EffectsHtml,
    EffectsPage,
    NoEffects,
    Setting,
    TopicEffect,
)
from webapp.analysis.effects.taken_out import say_what_is_taken_out, say_who_has_no_share
from webapp.analysis.effects.two_sets import TwoSets
from webapp.analysis.time import trends
from webapp.analysis.two_sets.contrasts import Constant
from webapp.analysis.two_sets.shapes import Answering
from webapp.core.documents import unit_sentences
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.notebooks.shapes import PinnedChart
from webapp.core.results import provenance
from webapp.core.results.links import TopicLink
from webapp.core.results.view import RunView
from webapp.core.runs import replicates, services
from webapp.models import Replicate
from webapp.platform.accounts import authorization
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import (
    DIFFERENCE_COLUMNS,
    Cell,
    KeptTable,
    cells_of_points,
    cells_of_shares,
)
from webapp.platform.drawing.trends import points
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.pages.page import back, show_errors, unchecked_run
from webapp.platform.pages.page_query import Offer
from webapp.platform.pages.typed import NO_TEXTS, PageQuery, PageResponse, typed
from webapp.platform.server.table_files import table_answer, table_to_come
from webapp.platform.storage.csv_table import CsvTable

WAYS = [
    variables.Offered("counted", "words, as they were counted"),
    variables.Offered("stm", "shares of documents, each counting the same (like stm for R)"),
    variables.Offered("stm-fixed", "the same, as if the model made no mistakes (like stm for R)"),
]
CLEAREST = 3  # topics of each side that the first sentence names


@typed(
    {
        EffectsPage: "effects/detail.html",
        Answering: "two_sets/answering.html",
        NoEffects: "effects/nothing.html",
    }
)
def effects(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    formula: str = "",
    effect: str = "",
    across: str = "",
    held: list[str] = NO_TEXTS,
    a: str = "",
    b: str = "",
    x: str = "",
    y: str = "",
    estimate: Way = "counted",
    order: Order = "difference",
    topic: list[str] = NO_TEXTS,
    after: int = 0,
) -> PageResponse[EffectsPage | Answering | NoEffects]:
    """A formula's effect on the shares of all topics, and on one along it; 202 while a worker
    estimates it."""
    try:
        formula_asked = (
            asked_formula(selection, formula, effect, across, held) if view.run.final else None
        )
        if formula_asked is None:
            return PageResponse(NoEffects(""))
        regression = estimates.regression_of(
            selection, EffectQuestion(formula_asked, a, b, x, y, estimate)
        )
        numbers = trends.read_topics(view, topic)
        asker = authorization.user_id(request)
        regression = effects_answering.with_estimates(regression, numbers, asker)
        page = effects_page(regression, order, numbers, after, page_query.following)
    except Invalid as error:
        return PageResponse(NoEffects(error.message), invalid=error)
    return PageResponse(page, partial(_html, request, page_query, regression, page))


def _menu(
    offered: list[variables.Offered], chosen_terms: list[str]
) -> list[tuple[variables.Offered, bool]]:
    """Terms that a formula alone has come last: a form that is sent again asks for the same."""
    written = [
        variables.Offered(term, term)
        for term in chosen_terms
        if term not in {option.term for option in offered}
    ]
    return [(option, option.term in chosen_terms) for option in [*offered, *written]]


def _html(
    request: HttpRequest, page_query: PageQuery, regression: Regression, page: EffectsPage
) -> EffectsHtml:
    effects, across, offered_constant = variables.offered(regression.selection.version)
    formula_asked = regression.effect_question.formula
    levels = [regression.effect] * 2 + [regression.across or regression.effect] * 2
    shown_values = [*page.settings, *page.groups]
    # without groups only a and b
    inputs = zip(levels, "abxy", ("from", "to", "in", "and in"), shown_values, strict=False)
    topics = list(page.topics)
    if page.order == "difference":
        topics.sort(key=lambda row: -row.difference)
    rows = [(row, _sides(page, row), page_query.url(topic=row.number)) for row in topics]
    return EffectsHtml(
        effects=_menu(effects, [str(formula_asked.effect)]),
        across=_menu(across, [str(Term(formula_asked.across))] if formula_asked.across else []),
        held=_menu(offered_constant, [str(term) for term in formula_asked.held]),
        ways=_menu(WAYS, [page.estimate]),
        own=page_query.url(estimate=None),
        taken_out=say_what_is_taken_out(formula_asked.held),
        without_share=say_who_has_no_share(_shown_without_share(page), formula_asked.held),
        settings=[
            Setting(letter, legend, value, [] if of.values is not None else of.named)
            for of, letter, legend, value in inputs
        ],
        orders=[
            Offer(order, page_query.url(order=order), order == page.order)
            for order in get_args(Order)
        ],
        clearest=_clearest(page),
        rows=[row for row in rows if row[0].named],
        unsure_rows=[row for row in rows if not row[0].named],
        csv=regression.selection.view.go("run_effects_csv", asked=request.GET.urlencode()),
        all=page_query.url(topic=None),
        claim=(
            regression.selection.view.go("run_claim", asked=_address(page, page.one.topic))
            if page.one and not page.one.together
            else ""
        ),
        pinned=_pin_topics(page),
    )


def _address(
    page: EffectsPage | ClaimPage, topic: TopicLink | None, selection: Selection | None = None
) -> str:
    """A claim, and all that it is about though it may be the default here. selection: to be said,
    too."""
    parameters = [
        ("formula", page.formula),
        *([("topic", str(topic.number))] if topic else []),
        *zip("abxy", [*page.settings, *page.groups], strict=False),
    ]
    if selection is not None:
        parameters = [*selection.parameters, *parameters]
    return urlencode(parameters)


def _shown_without_share(page: EffectsPage) -> list[str]:
    """The values without a share that the page shows: all in the chart, else those compared."""
    if page.one:
        return page.no_share_of
    return [name for name in page.no_share_of if name in (page.groups or page.settings)]


def _clearest(page: EffectsPage) -> list[tuple[str, list[TopicEffect]]]:
    """The topics of the page that differ beyond chance, those first that differ most: of which each
    of the two settings has more."""
    if page.across:
        return []
    clear_topics = [row for row in page.topics if row.named]
    clear_topics.sort(key=lambda row: -abs(row.difference))
    first_setting, second_setting = page.settings
    in_second = [row for row in clear_topics if row.difference > 0]
    in_first = [row for row in clear_topics if row.difference < 0]
    sides = [(second_setting, in_second[:CLEAREST]), (first_setting, in_first[:CLEAREST])]
    return [(setting, topics) for setting, topics in sides if topics]


def _sides(page: EffectsPage, row: TopicEffect) -> list[tuple[str, float | None, str]]:
    urls = row.documents if len(row.documents) > 1 else ["", ""]
    return list(zip(page.groups or page.settings, row.share, urls, strict=True))


def _pin_topics(page: EffectsPage) -> PinnedChart:
    """What a notebook keeps: the topics of the page."""
    rows: list[list[Cell]] = [
        [
            row.with_label,
            *cells_of_shares(row.share, points if page.across else percent),
            *cells_of_points(row.difference, row.difference_low, row.difference_high),
        ]
        for row in page.topics
    ]
    title = (
        f"{page.one.topic.label if page.one else 'Topics'} by {page.effect}, from"
        f" {page.settings[0]} to {page.settings[1]}"
    )
    return PinnedChart(
        title,
        page.conclusion,
        KeptTable(
            columns=["topic", *(page.groups or page.settings), *DIFFERENCE_COLUMNS], rows=rows
        ),
        # The sentence of several topics together says a level of its own
        None if page.caution or (page.one and page.one.together) else page.level,
    )


@typed(
    {
        ClaimPage: "effects/claim.html",
        Answering: "two_sets/answering.html",
        NoEffects: "effects/nothing.html",
    },
    variants="effects/_variants.html",
)
def claim(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    topic: list[str] = NO_TEXTS,
    formula: str = "",
    a: str = "",
    b: str = "",
    x: str = "",
    y: str = "",
    rest: bool = False,
    constant: Constant = "",
) -> PageResponse[ClaimPage | Answering | NoEffects]:
    """One difference of one topic, in the other runs of the corpus, too: of a formula, or of two
    sets of documents, as the page that compares two has them."""
    try:
        numbers = trends.read_topics(view, topic)
        if view.run.final and numbers and not formula:
            sets = two_sets.of_address(request.GET, selection, rest, constant)
            if sets is not None:
                asker = authorization.user_id(request)
                sets = sets.known_to(asker)
                claim_on_page = claim_of_sets(sets, numbers[0], asker)
                return PageResponse(claim_on_page.page, partial(_claim_html, sets, claim_on_page))
        formula_asked = asked_formula(selection, formula)
        if not view.run.final or formula_asked is None or not numbers:
            return PageResponse(NoEffects(sentences.NO_CLAIM))
        regression = estimates.regression_of(selection, EffectQuestion(formula_asked, a, b, x, y))
        asker = authorization.user_id(request)
        regression = effects_answering.with_estimates(regression, [], asker)
        claim_on_page = claim_page(regression, numbers[0], asker)
    except Invalid as error:
        return PageResponse(NoEffects(error.message), invalid=error)
    return PageResponse(claim_on_page.page, partial(_claim_html, regression, claim_on_page))


def _claim_html(question: variants.Question, claim_on_page: ClaimOnPage) -> ClaimHtml:
    view = question.selection.view
    page = claim_on_page.page
    ends = [end for row in page.runs for end in (row.low, row.high) if end is not None]
    of_sets = isinstance(question, TwoSets)
    name = page.topic.with_label
    if isinstance(question, TwoSets):
        place = question.differences.topics.index(page.topic.number)
        counted_share = question.differences.counted_share(place)
        sentence = sentences.of_sets(question, name, page.topic, counted_share)
        address = view.go("run_time_compare", asked=question.address(question.selection))
    else:
        sentence = sentences.difference(question, name, page.topic)
        address = view.go("run_effects", asked=_address(page, page.topic))
    own_row = next(row for row in page.runs if row.run == view.run.pk)
    columns: list[Cell] = [
        "run",
        "the topic there",
        *DIFFERENCE_COLUMNS,
        "holds",
        "topics",
        "seed",
        "engine",
        "version of the words",
    ]
    title = f"{name}: {page.settings[0]} to {page.settings[1]}, in other runs"
    return ClaimHtml(
        ends=(min([0.0, *ends]), max([0.0, *ends])),
        effects=address,
        back="Compare two" if of_sets else "Effects",
        rows=[
            (
                row,
                _question_url(page, question, row),
                sentences.changes(row, own_row),
                sentences.why_not(row, own_row),
            )
            for row in sorted(page.runs, key=lambda row: row.run != own_row.run)
        ],
        train=services.variants_said(view.run),
        pinned=PinnedChart(
            title,
            f"{sentence} {page.conclusion}",
            KeptTable(columns=columns, rows=[*map(_cells_of, page.runs)]),
            page.level,
        ),
        finding=claim_on_page.conclusion.finding,
        found_elsewhere=any(row.topic and row.run != own_row.run for row in page.runs),
        reason=claim_on_page.conclusion.reason,
        said=sentence,
        null=sentences.no_effect(variants.in_time(question)),
        learning=any(
            other_texts.status in (Replicate.Status.QUEUED, Replicate.Status.TRAINING)
            for other_texts in page.other_texts
        ),
    )


def _cells_of(row: ClaimInRun) -> list[Cell]:
    topic = row.topic.with_label if row.topic else row.problem or "not found"
    row_cells = [
        topic,
        *cells_of_points(row.difference, row.low, row.high),
        "yes" if row.holds else "no",
    ]
    return [row.run, *row_cells, row.K, row.seed, row.engine, row.words]


def _question_url(page: ClaimPage, question: variants.Question, row: ClaimInRun) -> str:
    """The claim's question in another run."""
    if isinstance(question, TwoSets):
        compared = reverse("run_time_compare", args=[row.run])
        return f"{compared}?{question.address(question.selection)}"
    topic = row.topic or row.nearest
    return (
        f"{reverse('run_effects', args=[row.run])}?{_address(page, topic, question.selection)}"
        + ("#one" if topic else "")
    )


@require_POST
def train(request: HttpRequest, run_id: int) -> HttpResponse:
    """Further trainings, in which a claim is looked at."""
    run = unchecked_run(run_id)
    texts = request.POST.get("texts", "")
    with show_errors(request):
        if texts in replicates.PLACES:
            replicates.begin(run, texts)
        else:
            services.variants(run, authorization.user(request))
    return redirect(back(request, reverse("run_effects", args=[run.pk])))


_COLUMNS = ["corpus", "run", "K", "seed", "documents_chosen", "formula", "estimate", "unit", "unit_chosen_by", "units", "documents", "topic", "label", "first", "second", "share_first", "low_first",
            "high_first", "share_second", "low_second", "high_second", "difference", "low", "high", "corrected", "ratio", "ratio_low", "ratio_high", "level", "p", "verdict", "beyond_chance"]  # fmt: skip


@require_safe
def csv(request: HttpRequest, run_id: int) -> HttpResponse:
    """All topics, in the order of their numbers."""
    run = unchecked_run(run_id)
    parameters = effects.asked(request.GET)
    selection = Selection.read(request.GET, RunView(run))
    formula = asked_formula(
        selection, *(parameters[name] for name in ("formula", "effect", "across", "held"))
    )
    if formula is None:
        raise Http404("Nothing is known of these documents that topics could depend on.")
    regression = estimates.regression_of(
        selection, EffectQuestion(formula, *(parameters[name] for name in [*"abxy", "estimate"]))
    )
    try:
        regression = effects_answering.with_estimates(
            regression, [], authorization.user_id(request)
        )
    except NotYet as waiting:
        return table_to_come(
            "A worker estimates these effects. Ask again in a while.", waiting.page.has_failed
        )
    return table_answer(_table(regression), provenance.file_name(run, "effects.csv"))


def _table(regression: Regression) -> CsvTable:
    table = regression.table()
    view = regression.selection.view
    answers = table.answers
    run = view.run
    names = [regression.effect.labels[i] for i in regression.settings]
    if regression.across:
        names = [
            f"{names[0]} to {names[1]}, {regression.across.labels[i]}" for i in regression.groups
        ]
    unit = unit_sentences.about(regression.selection.version, regression.unit)
    about = [
        run.corpus.name,
        run.pk,
        run.topics,
        run.seed,
        regression.selection.sentence,
        str(regression.effect_question.formula),
        regression.effect_question.estimate,
        unit.column,
        unit.chosen_by,
        regression.unit_count,
        regression.documents,
    ]
    rows = []
    for i, k in enumerate(table.topics):
        shares = [end[i, side] for side in (0, 1) for end in (table.value, table.low, table.high)]
        differences = [answers.difference[i], answers.low[i], answers.high[i], table.corrected[i]]
        numbers = [*shares, *differences, *table.ratios[:, i], answers.level, table.p[i]]
        cells = [float(number) for number in numbers]
        verdict = [answers.verdict_of(i), int(table.named[i])]
        rows.append([*about, k, view.labels.name(k), *names, *cells, *verdict])
    return CsvTable(_COLUMNS, rows)
