"""Runs side by side."""

from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference import engines
from inference.text import LANGUAGES
from webapp.analysis.compare import matchings, measures as measuring, notes, queries
from webapp.analysis.compare.shapes import (
    ComparedRun,
    CompareHtml,
    ComparePage,
    Comparing,
    Differences,
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
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.intake.ingest import forms, version_history
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.drawing.numbers import listed
from webapp.platform.pages.page import back, table_answer
from webapp.platform.pages.typed import Answer, Here, typed, wholes
from webapp.platform.storage import csv_cells

NO_TOPICS: dict[str, tuple[str, str]] = {  # why a run has none yet, and why several have none
    Run.Status.QUEUED: ("it waits for a worker", "they wait for a worker"),
    Run.Status.RUNNING: ("its training has just begun", "their training has just begun"),
    Run.Status.STORING: ("its topics are being stored", "their topics are being stored"),
    Run.Status.CANCELLED: ("it was cancelled", "they were cancelled"),
    Run.Status.FAILED: ("it failed", "they failed"),
}
NO_RUNS: list[int] = []


def _at_most(name: str, values: list[str]) -> list[int]:
    if len(numbers := wholes(name, values)) > queries.MOST:
        raise BadRequest(
            f"At most {queries.MOST} runs can be compared at once; these are {len(numbers)}. Take"
            " some out."
        )
    return numbers


Numbers = Annotated[list[int], _at_most]  # of runs


@typed(
    "compare/detail.html", measures="compare/_measures.html", comparing="compare/_comparing.html"
)
def compare(
    request: HttpRequest,
    here: Here,
    *,
    run: Numbers = NO_RUNS,
    show: Show = "matched",
    sort: str = "",
    against: int | None = None,
    after: int = 0,
) -> Answer[ComparePage | PairPage]:
    runs = queries.ordered(authorization.runs(request), run)
    comparable = [run for run in runs if run.snapshot_id]
    reference, user = _reference(runs, against), authorization.user_id(request)
    notices, of_topics = _notices(run, runs), _topic_notices(runs)
    # Pairs whose topics the page needs, and which a worker compares first
    beside = [
        (reference, run) for run in runs if reference and run != reference and measuring.final(run)
    ]
    waiting = matchings.not_yet([(comparable[0], run) for run in comparable[1:]] + beside, user)
    alike = not {(state.a, state.b) for state in waiting} & {
        (comparable[0].pk, run.pk) for run in comparable[1:]
    }
    page = ComparePage(
        runs=[_described(run) for run in runs],
        notices=[*notices, *of_topics],
        differences=_differences(runs),
        measures=_measures(here, runs, reference),
        metrics={str(number): values for number, values in queries.curves(runs).items()},
        topics=(
            _topics(here, comparable, show, sort, after) if len(comparable) > 1 and alike else None
        ),
        comparing=[_comparing(state) for state in waiting],
    )
    if len(comparable) == 2 and alike:
        page = PairPage(
            **vars(page), comparison=queries.comparison(comparable[0], comparable[1], user)
        )
    return Answer(
        page,
        partial(_html, request, page, runs, notices, of_topics),
        404 if run and not runs else 200,
    )


def _html(
    request: HttpRequest,
    page: ComparePage,
    runs: list[Run],
    notices: list[str],
    of_topics: list[str],
) -> CompareHtml:
    names = [run.engine for run in runs]
    columns = series.offered(queries.CURVES, names)
    offered = queries.offered(
        [run.corpus_id for run in runs] or authorization.listed(request, None, queries.OFFERED)
    )
    return CompareHtml(
        chosen=runs,
        offered=[(run, engines.get(run.engine).ABOUT.label) for run in offered],
        notices=notices,
        of_topics=of_topics,
        most=queries.MOST,
        columns=columns,
        charts=series.offered(series.CHARTS, names),
        waiting=any(state.status != "failed" for state in page.comparing),
        measured=[
            (int(run), row)
            for run, values in page.metrics.items()
            for row in series.table(values, columns)
        ],
    )


@typed("compare/measures.html", measures="compare/_measures.html")
def measures(
    request: HttpRequest,
    here: Here,
    *,
    run: Numbers = NO_RUNS,
    show: str = "",
    sort: str = "",
    against: int | None = None,
) -> Answer[MeasuresPage]:
    """The table of the runs' measures alone, which an open page asks for again while they train.
    show, sort: what its links take back to that page."""
    runs = queries.ordered(authorization.runs(request), run)
    return Answer(
        MeasuresPage(
            [_described(run) for run in runs], _measures(here, runs, _reference(runs, against))
        ),
        status=404 if run and not runs else 200,
    )


@require_safe
def measures_csv(request: HttpRequest) -> HttpResponse:
    asked = measures.asked(request.GET)
    if not (runs := queries.ordered(authorization.runs(request), asked["run"])):
        raise Http404("There are no such runs: name some in the address, such as ?run=1&run=2.")
    rows = measuring.rows(measuring.table(runs, _reference(runs, asked["against"])))
    return table_answer(
        csv_cells.lines(rows), "-".join(["runs", *(str(run.pk) for run in runs)]) + ".csv"
    )


def _comparing(state: matchings.NotYet) -> Comparing:
    again = reverse("compare_again", args=[state.a, state.b]) if state.status == "failed" else None
    return Comparing(state.a, state.b, state.status, state.done, state.error, again)


@require_POST
def again(request: HttpRequest, first: int, second: int) -> HttpResponse:
    """Compare two runs again where that failed."""
    runs = [
        run
        for run in queries.ordered(authorization.runs(request), [first, second])
        if run.snapshot_id
    ]
    if len(runs) < 2:
        raise Http404(f"There are no runs {first} and {second} that have topics.")
    for state in matchings.not_yet([(runs[0], runs[1])], authorization.user_id(request)):
        if state.key is not None:
            matchings.again(state.key)
    return redirect(back(request, f"{reverse('compare')}?run={first}&run={second}"))


def _measures(here: Here, runs: list[Run], reference: Run | None) -> Measures:
    table, number = measuring.table(runs, reference), reference.pk if reference else None
    alike = len({(run.version_id, *run.dropped) for run in runs}) == 1
    query = urlencode(
        {"run": [run.pk for run in runs]} | ({"against": number} if number else {}), doseq=True
    )
    return Measures(
        reference=number,
        progress=notes.progress(table),
        notes=notes.sentences(table, runs, number),
        rows=[
            MeasuredRun(
                **vars(row),
                url=reverse("run", args=[row.run]),
                share=row.step / row.steps if row.steps else 0.0,
                active=row.waits or measuring.left_to_right_comes(run),
                best=measuring.best(row, table) if alike else [],
                url_against=here.url(against=row.run),
            )
            for run, row in zip(runs, table, strict=True)
        ],
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
    there = [run for run in runs if measuring.final(run)]
    return next((run for run in there if run.pk == against), there[0] if there else None)


def _described(run: Run) -> ComparedRun:
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
    known = {run.pk for run in runs}
    notices = [f"There is no run {n}: it may have been deleted." for n in numbers if n not in known]
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
        several = [run for run in without if run.status == status]
        one, many = NO_TOPICS.get(status, ("none were stored", "none were stored"))
        begin = (
            f"Run {several[0].pk} has"
            if len(several) == 1
            else f"Runs {listed(str(r.pk) for r in several)} have"
        )
        notices.append(f"{begin} no topics to compare: {one if len(several) == 1 else many}.")
    return notices


def _differences(runs: list[Run]) -> Differences:
    settings = [
        {"corpus": ("Corpus", "", run.corpus.name), "words": ("Words", "", _words_of(run, runs[0]))}
        | {name: (label, symbol, value) for name, label, symbol, value in forms.described(run)}
        for run in runs
    ]
    called = {name: about[:2] for of_run in reversed(settings) for name, about in of_run.items()}
    values = {
        name: [of_run[name][2] if name in of_run else "" for of_run in settings]
        for name in dict.fromkeys(name for of_run in settings for name in of_run)
    }
    differ = [
        SettingRow(name, *called[name], each) for name, each in values.items() if len(set(each)) > 1
    ]
    return Differences(differ, len(values) - len(differ))


def _words_of(run: Run, first: Run) -> str:
    """Which words a run has: the number of its version, and how that differs from the first run's
    where both are of one corpus."""
    number = f"version {run.version.number:,}"
    if run.corpus_id != first.corpus_id or run.version_id == first.version_id:
        return number
    return f"{number}: {version_history.difference(first.version, run.version)}"


def _topics(here: Here, runs: list[Run], show: Show, sort: str, after: int) -> Pairs | Stability:
    """What the page says of topics: of two runs their pairs, of more how the first one's topics
    come back in the others."""
    views = [RunView(run) for run in runs]
    numbers = [run.pk for run in runs]
    pairs = [RunLink(n, "?" + urlencode({"run": [numbers[0], n]}, doseq=True)) for n in numbers[1:]]
    if len(runs) > 2:
        order = sort if sort in queries.STABLE_ORDERS else queries.STABLE_ORDERS[0]
        steady, following = queries.stable(views, order, after)
        orders, again = _orders(here, queries.STABLE_ORDERS), queries.again(views)
        return Stability(
            orders, numbers, order, here.following(following), pairs, "stability", again, steady
        )
    order = sort if sort in queries.PAIR_ORDERS else queries.PAIR_ORDERS[0]
    rows, following = queries.pairs(views[0], views[1], show, order, after)
    lists = {
        name: ListLink(count, here.url(show=name))
        for name, count in queries.counts(matchings.matched(runs[0], runs[1])).items()
    }
    orders = _orders(here, queries.PAIR_ORDERS) if show == "matched" else {}
    return Pairs(orders, numbers, order, here.following(following), pairs, show, lists, rows)


def _orders(here: Here, names: tuple[str, ...]) -> dict[str, str]:
    return {name: here.url(sort=name) for name in names}
