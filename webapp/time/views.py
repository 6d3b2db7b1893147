"""Topics by time and by category: lines, a table of shades, two periods or values compared."""

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp import exports
from webapp.documents import fields
from webapp.documents.selection import Selection
from webapp.drawing.tables import column_name, json_text, kept_table
from webapp.models import Run
from webapp.pages.page import address, page, run_or_404
from webapp.results import links, topics
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.time import contrasts, tables, trends

TABLE = 600  # numbers that stand below the charts unasked


@cached_page()
def lines(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    """Small multiples of topics; of a single one a large chart, and with ?bin= the passages of a bin."""
    by = _by(request, run)
    if by is None:
        return _nothing(request, run, "lines", as_json)
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    wanted = trends.read_topics(view, request.GET.getlist("topics"))
    data = trends.lines(selection, by, wanted) | {
        "choices": trends.choices(run.version),
        "selection": selection.sentence,
    }
    large = len(wanted) == 1
    bin_ = request.GET.get("bin", "")
    data["passages"] = trends.strongest(selection, by, wanted[0], bin_) if large and bin_ else None
    if as_json:
        return page(request, "", data, as_json=True)
    shown = {topic["number"] for topic in data["topics"]}
    offered = data["changing"] + [k for k in shown if k not in data["changing"]]
    words = topics.top_words(view, offered, 5)
    for topic in data["topics"]:
        topic["large"] = address(request, topics=str(topic["number"]))
    for b in data["bins"]:
        b["here"] = address(request, bin=b["label"])
    cells = [
        [{name: t[name][i] for name in ("share", "low", "high")} for t in data["topics"]]
        for i in range(len(data["bins"]))
    ]
    whole = large or len(data["bins"]) * len(data["topics"]) <= TABLE or "numbers" in request.GET
    context = {
        "page": data,
        "selection": selection,
        "set_address": selection.address() if selection else "",
        "large": large,
        "rows": list(zip(data["bins"], cells, strict=True)) if whole else [],
        "numbers": address(request, numbers="1"),
        "offered": [links.topic(view, k) | {"words": words[k], "shown": k in shown} for k in offered],
        "most": trends.MOST,
        "kept": [
            (name, value) for name, values in request.GET.lists() if name not in ("topics", "bin") for value in values
        ],
        "empty": [b["label"] for b in data["bins"] if not b["documents"]] if data["in_time"] else [],
        "thin": sum(b["thin"] and b["documents"] > 0 for b in data["bins"]),
        "bys": [
            c | {"url": address(request, by=c["name"], bin=None), "here": c["name"] == by} for c in data["choices"]
        ],
        "twin": "?" + request.GET.urlencode(),
        "many": address(request, topics=None, bin=None),
    }
    return page(request, "time/lines.html", data, run=run, pinned=_pinned(data), **context)


def _pinned(data: dict) -> dict:
    """What a notebook keeps of the lines: the shares, a column for each topic; no table where every topic is hidden."""
    named = [column_name(topic) for topic in data["topics"]]
    shares = list(zip(*(topic["share"] for topic in data["topics"]), strict=True))
    table = kept_table(data["by"], [each["label"] for each in data["bins"]], named, shares) if named else None
    title = f"{named[0] if len(named) == 1 else 'Topics'} by {data['by']}"
    among = f" of {data['selection']}" if data["selection"] else ""
    return {"title": title, "sentence": f"Share of the words{among}.", "table": json_text(table)}


@require_safe
def csv(request: HttpRequest, run_id: int) -> StreamingHttpResponse:
    """What the lines show, a row for each topic and bin."""
    run = run_or_404(run_id)
    by = _by(request, run) or "year"  # which says that there are no dates
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    asked = request.GET.getlist("topics")
    wanted = trends.every(view) if asked == ["all"] else trends.read_topics(view, asked)
    headers = {"Content-Disposition": f'attachment; filename="{exports.file_name(run, "topics-by-time")}"'}
    rows = trends.table(selection, by, wanted)
    return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=headers)


@require_safe
def table(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """Topics by a period or category as a table of shades; with ?field= and ?topic= one topic by two of them."""
    run = run_or_404(run_id)
    by = _by(request, run)
    if by is None:
        return _nothing(request, run, "table", as_json)
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    against = request.GET.get("scale") == "against"
    order = request.GET.get("sort", "time")
    order = order if order in tables.ORDERS else "time"
    field, topic = request.GET.get("field", ""), trends.read_topics(view, request.GET.getlist("topic"))
    choices = trends.choices(run.version)
    problem = ""
    try:
        if field and topic:
            data = tables.of_two_fields(selection, field, by, topic[0], against)
        else:
            data = tables.of_topics(
                selection, by, trends.read_topics(view, request.GET.getlist("topics")), against, order
            )
    except Invalid as error:
        if as_json or error.field != "by":
            raise
        problem, data = (
            error.message,
            {"by": by, "columns": [], "rows": [], "field": field, "topic": None, "scale": "share"},
        )
    data |= {"choices": choices, "selection": selection.sentence}
    if as_json:
        return page(request, "", data, as_json=True)
    for row in data["rows"]:
        if "number" in row:
            row["alone"] = address(request, topics=None, topic=str(row["number"]), field=_across(choices, by))
            row["large"] = _lines_of(request, run, row["number"])
    context: dict = {
        "problem": problem,
        "selection": selection,
        "set_address": selection.address() if selection else "",
        "bys": [
            c | {"url": address(request, by=c["name"]), "here": c["name"] == by} for c in choices if c["name"] != field
        ],
        "fields": [
            c | {"url": address(request, field=c["name"]), "here": c["name"] == field}
            for c in choices
            if c["name"] != by
        ],
        "scales": {"share": address(request, scale=None), "against": address(request, scale="against")},
        "orders": [{"name": o, "url": address(request, sort=o), "here": o == order} for o in tables.ORDERS],
        "back": address(request, field=None, topic=None),
        "large": _lines_of(request, run, topic[0]) if field and topic else "",
        "shades": range(1, tables.STEPS + 1),
        "times": list(enumerate(tables.TIMES, 1)),
    }
    return page(request, "time/table.html", data, run=run, **context)


def _across(choices: list[dict], by: str) -> str | None:
    """The field that a topic's table begins with: the last that is not its columns, as a category tells more than
    another period."""
    return next((c["name"] for c in reversed(choices) if c["name"] != by), None)


def _lines_of(request: HttpRequest, run: Run, topic: int) -> str:
    return reverse("run_time", args=[run.pk]) + address(
        request, topics=str(topic), topic=None, field=None, scale=None, sort=None
    )


@require_safe
def compare(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """What one set of documents is about and another is not."""
    run = run_or_404(run_id)
    if _by(request, run) is None:
        return _nothing(request, run, "compare", as_json)
    view = RunView(run)
    selection = Selection.read(request.GET, view)
    order = "ratio" if request.GET.get("order") == "ratio" else "difference"
    problem, data = "", {"sides": [], "more": [[], []], "words": [[], []], "order": order}
    try:
        a, b = (contrasts.side(request.GET, letter, selection) for letter in "ab")
        if a is None and b is not None:
            raise Invalid("from_a", "First choose the documents to compare with these.")
        if a is not None:
            data = contrasts.compare(selection, a, b, order)
        elif selection and request.GET.get("rest"):
            chosen = contrasts.Side(selection.name, selection, False)
            data = contrasts.compare(Selection.all(view), chosen, None, order)
    except Invalid as error:
        if as_json:
            raise
        problem = error.message
    data["selection"] = selection.sentence
    if as_json:
        return page(request, "", data, as_json=True)
    said = {letter: {"from": request.GET.get(f"from_{letter}", ""), "to": request.GET.get(f"to_{letter}", ""),
                     "in": request.GET.getlist(f"in_{letter}")} for letter in "ab"}  # fmt: skip
    context: dict = {
        "problem": problem,
        "compared": " compared with ".join(side["name"] for side in data["sides"])[:150],
        "selection": selection,
        "set_address": selection.address() if selection else "",
        "form": [("a", "First set", said["a"]), ("b", "Second set", said["b"])],
        "categories": contrasts.choices(run.version),
        "dated": fields.dated(run.version),
        "suggestions": [s | {"url": selection.address(**s["query"])} for s in contrasts.suggestions(run.version)],
        "orders": [{"name": o, "url": address(request, order=o), "here": o == order} for o in ("difference", "ratio")],
        "most": max((x for part in data["more"] for row in part for x in row["share"]), default=1.0),
    }
    return page(request, "time/compare.html", data, run=run, **context)


def _by(request: HttpRequest, run: Run) -> str | None:
    """By what documents are told apart; None where there is nothing to show."""
    if not run.final:
        return None
    return request.GET.get("by") or fields.usual(run.version)


def _nothing(request: HttpRequest, run: Run, view: str, as_json: bool) -> HttpResponse:
    data: dict = {"by": None, "topics": [], "bins": [], "choices": []}
    return page(request, "time/nothing.html", data, as_json=as_json, run=run, view=view)
