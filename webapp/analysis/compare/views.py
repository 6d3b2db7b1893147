"""Runs side by side."""

from functools import partial
from http import HTTPStatus
from typing import Annotated, TypedDict
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference import engines
from webapp.analysis.compare import (
    answer,
    fates,
    matchings,
    notes,
    notices as notices_of_runs,
    picture,
    queries,
    run_table as measuring,
    seed_band,
    topics_table,
    waiting,
)
from webapp.analysis.compare.fates import FateKind
from webapp.analysis.compare.picture import Picture
from webapp.analysis.compare.shapes import (
    ComparedRun,
    CompareHtml,
    ComparePage,
    FateRow,
    ListLink,
    MeasuredRun,
    Measures,
    MeasuresPage,
    PairPage,
    Pairs,
    RunLink,
    Show,
    Stability,
)
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import back
from webapp.platform.pages.typed import NO_NUMBERS, PageQuery, PageResponse, typed, wholes
from webapp.platform.server.table_files import (
    file_name,
    table_answer,
    table_that_failed,
    table_to_come,
)

NOT_COMPARED = "A worker compares these runs. Ask again when their page shows topics side by side."
COMPARISON_FAILED = (
    "Runs {first} and {second} could not be compared: {error} Press “Try again” on their page,"
    " {url}, and ask for this file when it shows topics side by side."
)


def _at_most(name: str, values: list[str]) -> list[int]:
    numbers = wholes(name, values)
    if len(numbers) > queries.MOST_RUNS:
        raise BadRequest(
            f"At most {queries.MOST_RUNS} runs can be compared at once; these are {len(numbers)}."
            " Take some out."
        )
    return numbers


Numbers = Annotated[list[int], _at_most]  # of runs


@typed(
    "compare/detail.html", measures="compare/_measures.html", comparing="compare/_comparing.html"
)
def compare(
    request: HttpRequest,
    page_query: PageQuery,
    *,
    run: Numbers = NO_NUMBERS,
    show: Show = "matched",
    fate: FateKind | None = None,
    sort: str = "",
    against: int | None = None,
    after: int = 0,
) -> PageResponse[ComparePage | PairPage]:
    runs = queries.ordered(authorization.runs(request), run)
    comparable = [run for run in runs if run.snapshot_id]
    reference = _reference(runs, against)
    asker = authorization.user_id(request)
    notices = notices_of_runs.of_runs(run, runs)
    of_topics = notices_of_runs.of_topics(runs)
    # Pairs whose topics the page needs, and which a worker compares first
    with_first = [(comparable[0], run) for run in comparable[1:]]
    unmatched = matchings.not_yet([*with_first, *_pairs_with(reference, runs)], asker)
    numbers_waiting = {(state.a, state.b) for state in unmatched}
    are_compared = bool(with_first) and not any(
        (first.pk, run.pk) in numbers_waiting for first, run in with_first
    )
    page = ComparePage(
        runs=[_describe_run(run) for run in runs],
        notices=[*notices, *of_topics],
        differences=notices_of_runs.settings_that_differ(runs),
        measures=_measures(page_query, runs, reference),
        metrics={str(number): values for number, values in queries.curves(runs).items()},
        topics=_topics(page_query, comparable, show, fate, sort, after) if are_compared else None,
        comparing=[waiting.describe(state) for state in unmatched],
    )
    if are_compared and len(comparable) == 2:
        first, second = comparable
        page = PairPage(**vars(page), comparison=queries.comparison(first, second, asker))
    html = partial(_html, request, page, runs, notices, of_topics)
    return PageResponse(page, html, status=_status(run, runs))


def _pairs_with(reference: Run | None, runs: list[Run]) -> list[tuple[Run, Run]]:
    """The reference with each other run that is done."""
    if reference is None:
        return []
    return [(reference, run) for run in runs if run != reference and measuring.final(run)]


def _status(numbers: list[int], runs: list[Run]) -> int:
    """Not found, where runs were asked for and there is none of them."""
    return HTTPStatus.NOT_FOUND if numbers and not runs else HTTPStatus.OK


def _html(
    request: HttpRequest,
    page: ComparePage,
    runs: list[Run],
    notices: list[str],
    of_topics: list[str],
) -> CompareHtml:
    names = [run.engine for run in runs]
    columns = series.offered(queries.CURVES, names)
    corpora = [run.corpus_id for run in runs]
    if not corpora:
        corpora = authorization.list_corpora(request, None, queries.RUNS_OFFERED)
    offered = queries.offered(corpora)
    return CompareHtml(
        chosen=runs,
        offered=[(run, engines.get(run.engine).ABOUT.label) for run in offered],
        notices=notices,
        of_topics=of_topics,
        most=queries.MOST_RUNS,
        columns=columns,
        charts=series.offered(series.CHARTS, names),
        waiting=any(state.status != "failed" for state in page.comparing),
        measured=[
            (int(number), row)
            for number, values in page.metrics.items()
            for row in series.table(values, columns)
        ],
        **_compared_pair(page, runs),
    )


class OfTwoRuns(TypedDict):
    """What the template has of two runs alone (shapes.CompareHtml)."""

    picture: Picture | None
    fates: list[FateRow]
    answer: list[str]
    only_these: str


def _compared_pair(page: ComparePage, runs: list[Run]) -> OfTwoRuns:
    if not isinstance(page.topics, Pairs):
        return OfTwoRuns(picture=None, fates=[], answer=[], only_these="")
    first, second = [RunView(run) for run in runs if run.snapshot_id]
    return OfTwoRuns(
        picture=picture.drawn(first, second, matchings.matched(first.run, second.run)),
        fates=answer.rows(page.topics),
        answer=answer.sentences(page.topics),
        only_these=answer.sentence_of_list(page.topics),
    )


@typed("compare/measures.html", measures="compare/_measures.html")
def measures(
    request: HttpRequest,
    page_query: PageQuery,
    *,
    run: Numbers = NO_NUMBERS,
    show: str = "",
    fate: str = "",
    sort: str = "",
    against: int | None = None,
) -> PageResponse[MeasuresPage]:
    """The table of the runs' measures alone, which an open page asks for again while they train.
    show, fate, sort: what its links take back to that page."""
    runs = queries.ordered(authorization.runs(request), run)
    reference = _reference(runs, against)
    # Those that have ended since the page was opened
    matchings.not_yet(_pairs_with(reference, runs), authorization.user_id(request))
    page = MeasuresPage(
        runs=[_describe_run(run) for run in runs],
        measures=_measures(page_query, runs, reference),
    )
    return PageResponse(page, status=_status(run, runs))


@require_safe
def measures_csv(request: HttpRequest) -> HttpResponse:
    question = measures.asked(request.GET)
    runs = queries.ordered(authorization.runs(request), question["run"])
    if not runs:
        raise Http404("There are no such runs: name some in the address, such as ?run=1&run=2.")
    reference = _reference(runs, question["against"])
    matchings.not_yet(_pairs_with(reference, runs), authorization.user_id(request))
    table = measuring.table(runs, reference)
    numbers = "-".join(str(run.pk) for run in runs)
    return table_answer(measuring.csv_table(table), file_name(f"runs-{numbers}"))


@require_safe
def topics_csv(request: HttpRequest) -> HttpResponse:
    """A row for each topic of two runs. 202 while a worker compares them, 409 where that failed."""
    question = measures.asked(request.GET)
    runs = queries.ordered(authorization.runs(request), question["run"])
    with_topics = [run for run in runs if run.snapshot_id]
    if len(with_topics) != 2:
        raise Http404("Name two runs that have topics in the address, such as ?run=1&run=2.")
    first, second = with_topics
    for state in matchings.not_yet([(first, second)], authorization.user_id(request)):
        if not state.has_failed:
            return table_to_come(NOT_COMPARED)
        url = f"{reverse('compare')}?run={first.pk}&run={second.pk}"
        return table_that_failed(
            COMPARISON_FAILED.format(
                first=first.pk,
                second=second.pk,
                error=state.error,
                url=request.build_absolute_uri(url),
            )
        )
    table = topics_table.table(RunView(first), RunView(second))
    return table_answer(table, file_name(f"topics-of-runs-{first.pk}-{second.pk}"))


@require_POST
def compare_again(request: HttpRequest, first: int, second: int) -> HttpResponse:
    """Compare two runs again where that failed."""
    ordered = queries.ordered(authorization.runs(request), [first, second])
    runs = [run for run in ordered if run.snapshot_id]
    if len(runs) < 2:
        raise Http404(f"There are no runs {first} and {second} that have topics.")
    for state in matchings.not_yet([(runs[0], runs[1])], authorization.user_id(request)):
        if state.key is not None:
            matchings.retry(state.key)
    return redirect(back(request, f"{reverse('compare')}?run={first}&run={second}"))


def _measures(page_query: PageQuery, runs: list[Run], reference: Run | None) -> Measures:
    table = measuring.table(runs, reference)
    parameters: dict[str, object] = {"run": [run.pk for run in runs]}
    number = None
    if reference:
        number = reference.pk
        parameters["against"] = number
    query = urlencode(parameters, doseq=True)
    count_same_words = len({(run.version_id, *run.dropped) for run in runs}) == 1
    rows = [
        MeasuredRun(
            **vars(row),
            url=reverse("run", args=[row.run]),
            share=row.step / row.steps if row.steps else 0.0,
            active=row.waits or measuring.left_to_right_comes(run),
            best=measuring.best_measures(row, table) if count_same_words else [],
            url_against=page_query.url(against=row.run),
        )
        for run, row in zip(runs, table, strict=True)
    ]
    return Measures(
        reference=number,
        progress=notes.progress(table),
        notes=notes.sentences(table, runs, number),
        rows=rows,
        versions=len({row.version for row in table}) > 1,
        address=f"{reverse('compare_measures')}?{query}",
        files=[
            f"{reverse('compare_measures_json')}?{query}",
            f"{reverse('compare_measures_csv')}?{query}",
        ],
    )


def _reference(runs: list[Run], against: int | None) -> Run | None:
    """The run in whose topics the others' are looked for: that of ?against=, else the first that is
    done."""
    done = [run for run in runs if measuring.final(run)]
    references = [run for run in done if run.pk == against]
    return next(iter([*references, *done]), None)


def _describe_run(run: Run) -> ComparedRun:
    return ComparedRun(
        id=run.pk,
        url=reverse("run", args=[run.pk]),
        corpus=run.corpus.name,
        corpus_url=reverse("corpus", args=[run.corpus_id]),
        status=run.status,
        engine=engines.get(run.engine).ABOUT.label,
        K=run.topics,
        seed=run.seed,
    )


def _topics(
    page_query: PageQuery,
    runs: list[Run],
    show: Show,
    fate: FateKind | None,
    sort: str,
    after: int,
) -> Pairs | Stability:
    """What the page says of topics: of two runs their pairs, of more how the first one's topics
    come back in the others."""
    views = [RunView(run) for run in runs]
    if len(runs) > 2:
        return _stability(page_query, views, sort, after)
    return _pairs(page_query, views, show, fate, sort, after)


def _stability(page_query: PageQuery, views: list[RunView], sort: str, after: int) -> Stability:
    order = sort if sort in queries.STABLE_ORDERS else queries.STABLE_ORDERS[0]
    steady, following = queries.stable(views, order, after)
    return Stability(
        orders=_orders(page_query, queries.STABLE_ORDERS),
        runs=[view.run.pk for view in views],
        sort=order,
        next=page_query.following(following),
        pairs=_links_of_pairs(views),
        kind="stability",
        again=queries.count_found(views),
        rows=steady,
    )


def _pairs(
    page_query: PageQuery,
    views: list[RunView],
    show: Show,
    fate: FateKind | None,
    sort: str,
    after: int,
) -> Pairs:
    first, second = views
    order = sort if sort in queries.PAIR_ORDERS else queries.PAIR_ORDERS[0]
    kind_of_topics = answer.kind_listed(show, fate)
    rows, following = queries.pairs(first, second, show, order, after, kind_of_topics)
    between = matchings.matched(first.run, second.run)
    counts = queries.counts(between)
    return Pairs(
        orders=_orders(page_query, queries.PAIR_ORDERS) if show == "matched" else {},
        runs=[view.run.pk for view in views],
        sort=order,
        next=page_query.following(following),
        pairs=_links_of_pairs(views),
        fates=fates.summed(first, second, between),
        alike=fates.likeness(between),
        bands=seed_band.bands(first, second),
        csv=_address_of_topics(first.run, second.run),
        kind=show,
        fate=kind_of_topics,
        lists={
            name: ListLink(count, page_query.url(show=name, fate=None))
            for name, count in counts.items()
        },
        rows=rows,
    )


def _address_of_topics(first: Run, second: Run) -> str:
    """The address of the file with all topics of two runs."""
    query = urlencode({"run": [first.pk, second.pk]}, doseq=True)
    return f"{reverse('compare_topics_csv')}?{query}"


def _links_of_pairs(views: list[RunView]) -> list[RunLink]:
    """The first run with each of the others."""
    first, *other_runs = [view.run.pk for view in views]
    return [
        RunLink(number, "?" + urlencode({"run": [first, number]}, doseq=True))
        for number in other_runs
    ]


def _orders(page_query: PageQuery, names: tuple[str, ...]) -> dict[str, str]:
    return {name: page_query.url(sort=name) for name in names}
