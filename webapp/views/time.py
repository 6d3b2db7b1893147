"""Topics by time and by category: lines, a table of shades, two periods or values compared."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_GET

from webapp.models import Run
from webapp.queries import exports, trends
from webapp.queries import topics as names_of
from webapp.queries.selection import Selection
from webapp.views.pages import page, run_or_404


@require_GET
def lines(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """Small multiples of topics; of a single one a large chart, and with ?bin= the passages of a bin."""
    run = run_or_404(run_id)
    by = _by(request, run)
    if by is None:
        return _nothing(request, run, "lines", as_json)
    selection = Selection.read(request.GET, run.corpus, run)
    wanted = trends.asked(run, request.GET.getlist("topics"))
    data = trends.lines(run, selection, by, wanted) | {"choices": trends.choices(run.corpus), "selection": selection.sentence}
    large = len(wanted) == 1
    bin_ = request.GET.get("bin", "")
    data["passages"] = trends.strongest(run, selection, by, wanted[0], bin_) if large and bin_ else None
    if as_json:
        return page(request, "", data, as_json=True)
    shown = {topic["number"] for topic in data["topics"]}
    offered = data["changing"] + [k for k in shown if k not in data["changing"]]
    words = names_of.top_words(run, offered, 5)
    for topic in data["topics"]:
        topic["large"] = address(request, topics=str(topic["number"]))
    for b in data["bins"]:
        b["here"] = address(request, bin=b["label"])
    cells = [[{name: t[name][i] for name in ("share", "low", "high")} for t in data["topics"]] for i in range(len(data["bins"]))]
    context = {
        "page": data,
        "selection": selection,
        "set_address": selection.address() if selection else "",
        "large": large,
        "rows": list(zip(data["bins"], cells, strict=True)),
        "offered": [names_of.link(run, k) | {"words": words[k], "shown": k in shown} for k in offered],
        "most": trends.MOST,
        "kept": [(name, value) for name, values in request.GET.lists() if name not in ("topics", "bin") for value in values],
        "empty": [b["label"] for b in data["bins"] if not b["documents"]] if data["in_time"] else [],
        "thin": sum(b["thin"] and b["documents"] > 0 for b in data["bins"]),
        "bys": [c | {"url": address(request, by=c["name"], bin=None), "here": c["name"] == by} for c in data["choices"]],
        "twin": "?" + request.GET.urlencode(),
        "many": address(request, topics=None, bin=None),
    }
    return page(request, "time/lines.html", data, run=run, **context)


@require_GET
def csv(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """What the lines show, a row for each topic and bin."""
    run = run_or_404(run_id)
    by = _by(request, run) or "year"  # which says that there are no dates
    selection = Selection.read(request.GET, run.corpus, run)
    asked = request.GET.getlist("topics")
    wanted = trends.every(run) if asked == ["all"] else trends.asked(run, asked)
    headers = {"Content-Disposition": f'attachment; filename="{exports.file_name(run, "topics-by-time")}"'}
    rows = trends.table(run, selection, by, wanted)
    return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=headers)


def _by(request: HttpRequest, run: Run) -> str | None:
    """By what documents are told apart; None where there is nothing to show."""
    if run.snapshot is None or not run.snapshot.final:
        return None
    return request.GET.get("by") or trends.usual(run.corpus)


def _nothing(request: HttpRequest, run: Run, view: str, as_json: bool) -> HttpResponse:
    data = {"by": None, "topics": [], "bins": [], "choices": []}
    return page(request, "time/nothing.html", data, as_json=as_json, run=run, view=view)


def address(request: HttpRequest, **changes: str | None) -> str:
    """This page's address with some parameters changed, those that stand more than once included; a None takes one out."""
    query = request.GET.copy()
    for name, value in changes.items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = value
    return "?" + query.urlencode()
