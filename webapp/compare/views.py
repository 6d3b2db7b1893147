"""Runs side by side."""

from dataclasses import asdict
from urllib.parse import urlencode

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference import engines
from inference.text import LANGUAGES
from webapp.accounts import authorization
from webapp.compare import matchings, notes, queries
from webapp.compare import measures as measuring
from webapp.ingest import forms
from webapp.models import Run
from webapp.pages.page import back, is_whole, number, page
from webapp.results.view import RunView
from webapp.runs import series
from webapp.storage import csv_cells

NO_TOPICS = {  # why a run has none yet, and why several have none
    Run.Status.QUEUED: ("it waits for a worker", "they wait for a worker"),
    Run.Status.RUNNING: ("its training has just begun", "their training has just begun"),
    Run.Status.STORING: ("its topics are being stored", "their topics are being stored"),
    Run.Status.CANCELLED: ("it was cancelled", "they were cancelled"),
    Run.Status.FAILED: ("it failed", "they failed"),
}


@require_safe
def compare(request: HttpRequest, as_json: bool = False) -> HttpResponse:
    numbers = _numbers(request)
    runs = queries.ordered(authorization.runs(request), numbers)
    comparable = [run for run in runs if run.snapshot_id]
    curves = queries.curves(runs)
    notices, of_topics = _notices(numbers, runs), _topic_notices(runs)
    waiting = _waiting(request, runs, comparable)
    alike = not {(state.a, state.b) for state in waiting} & {(comparable[0].pk, run.pk) for run in comparable[1:]}
    data = {
        "runs": [_described(run) for run in runs],
        "notices": [*notices, *of_topics],
        "differences": _differences(runs),
        "measures": _measures(request, runs),
        "metrics": {str(run): values for run, values in curves.items()},
        "topics": _topics(request, comparable) if len(comparable) > 1 and alike else None,
        "comparing": [_comparing(state) for state in waiting],
    }
    if as_json and len(comparable) == 2 and alike:
        data["comparison"] = queries.described(comparable[0], comparable[1])
    status = 404 if numbers and not runs else 200
    names = [run.engine for run in runs]
    columns = series.of(queries.CURVES, names)
    offered = queries.offered([run.corpus_id for run in runs] or authorization.listed(request, None, queries.OFFERED))
    return page(
        request,
        "compare/detail.html",
        data,
        as_json=as_json,
        status=status,
        chosen=runs,
        offered=[(run, engines.get(run.engine).LABEL) for run in offered],
        notices=notices,
        of_topics=of_topics,
        most=queries.MOST,
        columns=columns,
        charts=series.of(series.CHARTS, names),
        active=any(run.active for run in runs),
        waiting=any(state.status != "failed" for state in waiting),
        measured=[(run, row) for run, values in curves.items() for row in series.table(values, columns)],
    )


@require_safe
def measures(request: HttpRequest, as_json: bool = False) -> HttpResponse:
    """The table of the runs' measures alone, which an open page asks for again while they train."""
    numbers = _numbers(request)
    runs = queries.ordered(authorization.runs(request), numbers)
    data = {"runs": [_described(run) for run in runs], "measures": _measures(request, runs)}
    status = 404 if numbers and not runs else 200
    active = any(run.active for run in runs)
    return page(request, "compare/measures.html", data, as_json=as_json, status=status, active=active)


@require_safe
def measures_csv(request: HttpRequest) -> HttpResponse:
    runs = queries.ordered(authorization.runs(request), _numbers(request))
    if not runs:
        raise Http404("There are no such runs: name some in the address, such as ?run=1&run=2.")
    rows = measuring.rows(measuring.table(runs, _reference(request, runs)))
    name = "-".join(["runs", *(str(run.pk) for run in runs)])
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return HttpResponse(csv_cells.lines(rows), content_type="text/csv; charset=utf-8", headers=headers)


def _waiting(request: HttpRequest, runs: list[Run], comparable: list[Run]) -> list[matchings.NotYet]:
    """Pairs whose topics the page needs, and which a worker compares first."""
    reference = _reference(request, runs)
    beside = [(reference, run) for run in runs if reference and run != reference and measuring.final(run)]
    pairs = [(comparable[0], run) for run in comparable[1:]] + beside
    return matchings.not_yet(pairs, authorization.user_id(request))


def _comparing(state: matchings.NotYet) -> dict:
    again = reverse("compare_again", args=[state.a, state.b]) if state.status == "failed" else None
    known = {"run": state.a, "other": state.b, "status": state.status, "done": state.done, "error": state.error}
    return known | {"again": again}


@require_POST
def again(request: HttpRequest, first: int, second: int) -> HttpResponse:
    """Compare two runs again where that failed."""
    runs = [run for run in queries.ordered(authorization.runs(request), [first, second]) if run.snapshot_id]
    if len(runs) < 2:
        raise Http404(f"There are no runs {first} and {second} that have topics.")
    for state in matchings.not_yet([(runs[0], runs[1])], authorization.user_id(request)):
        if state.key is not None:
            matchings.again(state.key)
    return redirect(back(request, f"{reverse('compare')}?run={first}&run={second}"))


def _measures(request: HttpRequest, runs: list[Run]) -> dict:
    """In the shape webapp.api.page_shapes.Measures, with what only the page needs."""
    reference = _reference(request, runs)
    table = measuring.table(runs, reference)
    number_of, alike = reference.pk if reference else None, len({(run.version_id, *run.dropped) for run in runs}) == 1
    query = urlencode({"run": [run.pk for run in runs]} | ({"against": number_of} if number_of else {}), doseq=True)
    return {
        "reference": number_of,
        "progress": notes.progress(table),
        "notes": notes.sentences(table, runs, number_of),
        "rows": [
            asdict(row)
            | {
                "url": reverse("run", args=[row.run]),
                "share": row.share,
                "active": row.active,
                "best": measuring.best(row, table) if alike else [],
                "url_against": _address(request, against=row.run),
            }
            for row in table
        ],
        "versions": len({row.version for row in table}) > 1,
        "address": f"{reverse('compare_measures')}?{query}",
        "files": [f"{reverse('compare_measures_json')}?{query}", f"{reverse('compare_measures_csv')}?{query}"],
    }


def _reference(request: HttpRequest, runs: list[Run]) -> Run | None:
    """The run in whose topics the others' are looked for: that of ?against=, else the first that is done."""
    wanted, there = number(request, "against"), [run for run in runs if measuring.final(run)]
    return next((run for run in there if run.pk == wanted), there[0] if there else None)


def _numbers(request: HttpRequest) -> list[int]:
    """The runs asked for, each once, as they come."""
    texts = [text for text in request.GET.getlist("run") if text]
    if wrong := [text for text in texts if not is_whole(text)]:
        raise BadRequest(f"“run” in the address must be a whole number, got “{wrong[0][:50]}”.")
    numbers = list(dict.fromkeys(int(text) for text in texts))
    if len(numbers) > queries.MOST:
        raise BadRequest(
            f"At most {queries.MOST} runs can be compared at once; these are {len(numbers)}. Take some out."
        )
    return numbers


def _described(run: Run) -> dict:
    return {
        "id": run.pk,
        "url": reverse("run", args=[run.pk]),
        "corpus": run.corpus.name,
        "corpus_url": reverse("corpus", args=[run.corpus_id]),
        "status": run.status,
        "engine": engines.get(run.engine).LABEL,
        "K": run.topics,
        "seed": run.seed,
    }


def _notices(numbers: list[int], runs: list[Run]) -> list[str]:
    """What a reader should know before anything else, in sentences."""
    known = {run.pk for run in runs}
    notices = [f"There is no run {n}: it may have been deleted." for n in numbers if n not in known]
    if len({run.corpus_id for run in runs}) > 1:
        notices.append(
            "These runs are of different corpora: likelihoods are of different texts and can’t be compared; topics are compared by"
            " their words, and a word that one corpus lacks has no weight there."
        )
    languages = {run.corpus.settings.get("language") or "" for run in runs}
    if len(languages) > 1:
        names = sorted(LANGUAGES.get(code, "no stated language") for code in languages)
        notices.append(
            f"They are in different languages ({', '.join(names)}), so hardly any words, and hardly any topics, will be the same."
        )
    return notices


def _topic_notices(runs: list[Run]) -> list[str]:
    """Why runs have no topics, or not their last ones."""
    without: dict[str, list[Run]] = {}
    notices = []
    for run in runs:
        if not run.snapshot_id:
            without.setdefault(run.status, []).append(run)
        elif run.active:
            notices.append(f"Run {run.pk} is still training: these are its topics at step {run.snapshot.step:,}.")
    for status, several in without.items():
        one, many = NO_TOPICS.get(status, ("none were stored", "none were stored"))
        numbers = [str(run.pk) for run in several]
        if len(numbers) == 1:
            notices.append(f"Run {numbers[0]} has no topics to compare: {one}.")
        else:
            notices.append(f"Runs {', '.join(numbers[:-1])} and {numbers[-1]} have no topics to compare: {many}.")
    return notices


def _differences(runs: list[Run]) -> dict:
    """Settings by name that are not the same in all runs, a value for each run; and how many are the same."""
    settings = [
        {"corpus": ("Corpus", "", run.corpus.name)}
        | {name: (label, symbol, value) for name, label, symbol, value in forms.described(run)}
        for run in runs
    ]
    names = list(dict.fromkeys(name for of_run in settings for name in of_run))
    differ, same = [], 0
    for name in names:
        values = [of_run[name][2] if name in of_run else "" for of_run in settings]
        if len(set(values)) > 1:
            label, symbol, _ = next(of_run[name] for of_run in settings if name in of_run)
            differ.append({"name": name, "label": label, "symbol": symbol, "values": values})
        else:
            same += 1
    return {"rows": differ, "same": same}


def _topics(request: HttpRequest, runs: list[Run]) -> dict:
    """What the page says of topics: of two runs their pairs, of more how the first one's topics come back in the
    others."""
    views = [RunView(run) for run in runs]
    after, sort = number(request, "after", 0), request.GET.get("sort", "")
    if len(runs) > 2:
        order = sort if sort in queries.STABLE_ORDERS else queries.STABLE_ORDERS[0]
        rows, following = queries.stable(views, order, after)
        about = {"kind": "stability", "again": queries.again(views), "orders": _orders(request, queries.STABLE_ORDERS)}
    else:
        order = sort if sort in queries.PAIR_ORDERS else queries.PAIR_ORDERS[0]
        counts = queries.counts(matchings.of(runs[0], runs[1]))
        show = request.GET.get("show", "")
        show = show if show in counts else "matched"
        rows, following = queries.pairs(*views, show, order, after)
        lists = {name: {"count": count, "url": _address(request, show=name)} for name, count in counts.items()}
        about = {
            "kind": show,
            "lists": lists,
            "orders": _orders(request, queries.PAIR_ORDERS) if show == "matched" else {},
        }
    return about | {
        "runs": [run.pk for run in runs],
        "sort": order,
        "rows": rows,
        "next": _address(request, after=following) if following else None,
        "pairs": [
            {"run": run.pk, "url": "?" + urlencode({"run": [runs[0].pk, run.pk]}, doseq=True)} for run in runs[1:]
        ],
    }


def _orders(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    return {name: _address(request, sort=name, after=None) for name in names}


def _address(request: HttpRequest, **changes) -> str:
    """This page's address with some of it changed; a new list begins at its beginning."""
    query = {
        "run": request.GET.getlist("run"),
        "show": request.GET.get("show"),
        "sort": request.GET.get("sort"),
        "against": request.GET.get("against"),
    } | changes
    return "?" + urlencode({name: value for name, value in query.items() if value not in (None, "")}, doseq=True)
