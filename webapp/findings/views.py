"""The overview of a run, and a notebook that begins with it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.accounts import authorization
from webapp.documents.selection import Selection
from webapp.drawing import tables
from webapp.findings import queries
from webapp.models import Notebook, Run
from webapp.notebooks import queries as pins
from webapp.notebooks import services as notebooks
from webapp.pages.page import address, back, page, reader, whole
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.simulate import truth


@cached_page()
def overview(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    """What is in the documents; 202 while a worker computes it, which is not cached."""
    view = RunView(run)
    detail = _detail(request.GET)
    if run.snapshot is None or not run.snapshot.final:
        data = queries.nothing("", detail, 0)
        return page(request, "run/overview.html", data, as_json=as_json, run=run, untrained=True)
    selection = Selection.read(request.GET, view)
    data = queries.of(selection, detail, authorization.user_id(request))
    kinds = [
        {"kind": kind, "title": title, "findings": [_with_table(data, row) for row in rows]}
        for kind, title in queries.KINDS.items()
        if (rows := [row for row in data["findings"] if row["kind"] == kind])
    ]
    context = {
        "run": run,
        "made": truth.exists(run.corpus),
        "selection": selection,
        "kinds": {each["kind"]: each for each in kinds},
        "further": [each for each in kinds if each["kind"] not in ("family", "change", "event", "speaker")],
        "details": [
            {"name": name, "url": address(request, detail=value), "here": value == detail}
            for value, name in (("less", "fewer findings"), ("", "the main findings"), ("more", "more findings"))
        ],
        "query": request.GET.urlencode(),
    }
    return page(request, "run/overview.html", data, as_json=as_json, status=200 if data["ready"] else 202, **context)


def _with_table(data: dict, row: dict) -> dict:
    """With what its Pin button sends of its line."""
    return row | {"table": tables.json_text(queries.line_table(data, row))}


def _detail(query: QueryDict) -> str:
    detail = query.get("detail", "")
    if detail not in queries.DETAILS:
        raise Invalid("detail", f"“detail” in the address must be less or more, got “{detail[:20]}”.")
    return detail


@require_POST
def notebook(request: HttpRequest) -> HttpResponse:
    """A new notebook whose first pieces are the quotations and findings that the page shows."""
    sent = request.POST
    try:
        run = authorization.run_or_404(request, whole(sent, "run"))
        made = _begin(request, run, QueryDict(sent.get("query", "")[:2000]))
    except Invalid as error:
        messages.error(request, error.message)
        return redirect(back(request, "/notebooks/"))
    return redirect("notebook", made.pk)


def _begin(request: HttpRequest, run: Run, query: QueryDict) -> Notebook:
    selection = Selection.read(query, RunView(run))
    data = queries.of(selection, _detail(query), authorization.user_id(request))
    if not data["ready"]:
        raise Invalid("run", "The findings are still being computed. Try again in a moment.")
    said = f", {selection.sentence}" if selection else ""
    made = notebooks.create(
        f"Findings in {run.corpus.name}{said}"[: notebooks.TITLE],
        reader(request),
        authorization.user(request),
    )
    for quote in data["quotes"]:
        text = "".join(part for part, _ in quote["text"])
        evidence = pins.of_passage(run.corpus, run, quote["document"], text.removesuffix(" …"), None, None)
        notebooks.pin(made, evidence, "", reader(request))
    for row in data["findings"]:
        evidence = pins.of_chart(
            run, queries.KINDS[row["kind"]], row["url"], row["sentence"], queries.line_table(data, row)
        )
        notebooks.pin(made, evidence, "", reader(request))
    return made
