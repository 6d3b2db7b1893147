"""The page of a passage: its text, its address, its citations, and the documents that are like it."""

import json
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from webapp.documents import passages, queries
from webapp.documents.passages import Place
from webapp.models import Corpus, Run
from webapp.pages.page import corpus_or_404, page, run_or_404
from webapp.results import links
from webapp.results.view import RunView


@require_safe
def in_corpus(
    request: HttpRequest, corpus_id: int, number: int, start: int, end: int, as_json: bool = False
) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    data = _described(corpus, corpus, number, Place(start, end))
    return _page(request, data, corpus, None, as_json)


@require_safe
def in_run(request: HttpRequest, run_id: int, number: int, start: int, end: int, as_json: bool = False) -> HttpResponse:
    """With the passage's topics. Under embargo not: which topic stands at which character would say more than counts."""
    run = run_or_404(run_id)
    view, place = RunView(run), Place(start, end)
    data = _described(run.corpus, run, number, place)
    tokens = passages.mixture(view, number, place)
    if run.corpus.embargo:
        tokens[:] = 0
    data |= {
        "tokens": int(tokens.sum()),
        "proportions": queries.parts(view, view.labels.merged(tokens)),
    } | passages.similar(view, number, tokens).data(run)  # fmt: skip
    return _page(request, data, run.corpus, run, as_json)


def _described(corpus: Corpus, owner: Run | Corpus, number: int, place: Place) -> dict:
    data = passages.described(corpus, number, place) if number < corpus.documents else None
    if data is None:
        raise Http404(
            f"Document {number} of “{corpus.name}” has no passage from character {place.start} to {place.end}. A passage lies "
            "within its document and has at most 5,000 characters."
        )
    return data | {"url": links.marked_url(owner, number, *place)}


def _page(request: HttpRequest, data: dict, corpus: Corpus, run: Run | None, as_json: bool) -> HttpResponse:
    if as_json:
        return page(request, "", data, as_json=True)
    document = {"number": data["number"]}
    permalink = request.build_absolute_uri(data["url"])
    csl = json.dumps([data["citations"]["csl"]], ensure_ascii=False, indent=2)
    context: dict[str, Any] = {"corpus": corpus, "document": document, "permalink": permalink, "csl": csl}
    return page(request, "passage.html", data, **context | ({"run": run} if run else {}))
