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
from inference.text import LANGUAGES
from webapp.analysis.compare import (
    answer,
    fates,
    matchings,
    notes,
    picture,
    queries,
    run_table as measuring,
    seed_band,
    topics_table,
)
from webapp.analysis.compare.fates import FateKind
from webapp.analysis.compare.picture import Picture
from webapp.analysis.compare.shapes import (
    ComparedRun,
    CompareHtml,
    ComparePage,
    Comparing,
    Differences,
    FateRow,
    ListLink,
    MeasuredRun,
    Measures,
    MeasuresPage,
    PairPage,
    Pairs,
    RunLink,
    SettingRow,
    Show,
    Stability,
)
from webapp.core.asked_training.described import describe_settings
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.intake.ingest import version_history
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.drawing.numbers import join_names
from webapp.platform.pages.page import back
from webapp.platform.pages.typed import PageQuery, PageResponse, typed, wholes
from webapp.platform.server.table_files import (
    file_name,
    table_answer,
    table_that_failed,
    table_to_come,
)

NO_TOPICS: dict[str, tuple[str, str]] = {  # why a run has none yet, and why several have none
    Run.Status.QUEUED: ("it waits for a worker", "they wait for a worker"),
    Run.Status.RUNNING: ("its training has just begun", "their training has just begun"),
    Run.Status.STORING: ("its topics are being stored", "their topics are being stored"),
    Run.Status.CANCELLED: ("it was cancelled", "they were cancelled"),
    Run.Status.FAILED: ("it failed", "they failed"),
}
NO_RUNS: list[int] = []
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
    run: Numbers = NO_RUNS,
    show: Show = "matched",
    fate: FateKind | None = None,
    sort: str = "",
    against: int | None = None,
    after: int = 0,
) -> PageResponse[ComparePage | PairPage]:
    runs = queries.ordered(authorization.runs(request), run)
    comparable = [run for run in runs if run.snapshot_id]
    reference = _reference(runs, against)
    user = authorization.user_id(request)
    notices = _notices(run, runs)
    of_topics = _topic_notices(runs)
    # Pairs whose topics the page needs, and which a worker compares first
    with_first = [(comparable[0], run) for run in comparable[1:]]
    waiting = matchings.not_yet([*with_first, *_pairs_with(reference, runs)], user)
    numbers_waiting = {(state.a, state.b) for state in waiting}
    are_compared = bool(with_first) and not any(
        (first.pk, run.pk) in numbers_waiting for first, run in with_first
    )
    page = ComparePage(
        runs=[_describe_run(run) for run in runs],
        notices=[*notices, *of_topics],
        differences=_differences(runs),
        measures=_measures(page_query, runs, reference),
        metrics={str(number): values for number, values in queries.curves(runs).items()},
        topics=_topics(page_query, comparable, show, fate, sort, after) if are_compared else None,
        comparing=[_comparing(state) for state in waiting],
    )
    if are_compared and len(comparable) == 2:
        first, second = comparable
        page = PairPage(**vars(page), comparison=queries.comparison(first, second, user))
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
    run: Numbers = NO_RUNS,
    show: str = "",
    fate: str = "",
    sort: str = "",
    against: int | None = None,
) -> PageResponse[MeasuresPage]:
    """The table of the runs' measures alone, which an open page asks for again while they train.
    show, fate, sort: what its links take back to that page."""
    runs = queries.ordered(authorization.runs(request), run)
    page = MeasuresPage(
        runs=[_describe_run(run) for run in runs],
        measures=_measures(page_query, runs, _reference(runs, against)),
    )
    return PageResponse(page, status=_status(run, runs))


@require_safe
def measures_csv(request: HttpRequest) -> HttpResponse:
    question = measures.asked(request.GET)
    runs = queries.ordered(authorization.runs(request), question["run"])
    if not runs:
        raise Http404("There are no such runs: name some in the address, such as ?run=1&run=2.")
    table = measuring.table(runs, _reference(runs, question["against"]))
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
    try:
        table = topics_table.table(RunView(first), RunView(second))
    except matchings.Unmatched as state:
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
    return table_answer(table, file_name(f"topics-of-runs-{first.pk}-{second.pk}"))


def _comparing(state: matchings.Unmatched) -> Comparing:
    return Comparing(
        run=state.a,
        other=state.b,
        status=state.status,
        done=state.done,
        error=state.error,
        notice=state.notice,
        again=reverse("compare_again", args=[state.a, state.b]) if state.has_failed else None,
    )


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


def _notices(numbers: list[int], runs: list[Run]) -> list[str]:
    """What a reader should know before anything else, in sentences."""
    there_are = {run.pk for run in runs}
    missing = [number for number in numbers if number not in there_are]
    notices = [f"There is no run {number}: it may have been deleted." for number in missing]
    if len({run.corpus_id for run in runs}) > 1:
        notices.append(
            "These runs are of different corpora: likelihoods are of different texts and can’t be"
            " compared; topics are compared by their words, and a word that one corpus lacks has no"
            " weight there."
        )
    languages = {run.corpus.settings.get("language") or "" for run in runs}
    if len(languages) > 1:
        names = sorted(LANGUAGES.get(code, "no stated language") for code in languages)
        notices.append(
            f"They are in different languages ({', '.join(names)}), so hardly any words, and hardly"
            " any topics, will be the same."
        )
    return notices


def _topic_notices(runs: list[Run]) -> list[str]:
    """Why runs have no topics, or not their last ones."""
    notices = [
        f"Run {run.pk} is still training: these are its topics at step {run.snapshot.step:,}."
        for run in runs
        if run.snapshot and run.active
    ]
    without = [run for run in runs if run.snapshot is None]
    for status in dict.fromkeys(run.status for run in without):
        numbers = [str(run.pk) for run in without if run.status == status]
        notice_of_run, notice_of_runs = NO_TOPICS.get(
            status, ("none were stored", "none were stored")
        )
        if len(numbers) == 1:
            notices.append(f"Run {numbers[0]} has no topics to compare: {notice_of_run}.")
        else:
            notices.append(
                f"Runs {join_names(numbers)} have no topics to compare: {notice_of_runs}."
            )
    return notices


def _differences(runs: list[Run]) -> Differences:
    """A setting that an engine lacks is "". A run has several topics that were named beforehand,
    each with its words: they are one row."""
    rows: dict[str, SettingRow] = {}
    for i, run in enumerate(runs):
        for name, label, symbol, value in _settings(run, runs[0]):
            row = rows.setdefault(name, SettingRow(name, label, symbol, [""] * len(runs)))
            row.values[i] = f"{row.values[i]}; {value}" if row.values[i] else value
    differ = [row for row in rows.values() if len(set(row.values)) > 1]
    return Differences(differ, len(rows) - len(differ))


def _settings(run: Run, first: Run) -> list[tuple[str, str, str, str]]:
    """Name, label, symbol and value of each."""
    return [
        ("corpus", "Corpus", "", run.corpus.name),
        ("words", "Words", "", _words_of(run, first)),
        *describe_settings(run),
    ]


def _words_of(run: Run, first: Run) -> str:
    """Which words a run has: the number of its version, and how that differs from the first run's
    where both are of one corpus."""
    number = f"version {run.version.number:,}"
    if run.corpus_id != first.corpus_id or run.version_id == first.version_id:
        return number
    return f"{number}: {version_history.difference(first.version, run.version)}"


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
