"""The page of a passage: its text, its address, its citations, and the documents that are like it."""

import json
from functools import partial

from django.http import Http404, HttpRequest

from inference.errors import there
from webapp.documents import passages, queries
from webapp.documents.passages import Place
from webapp.documents.shapes import PassageHtml, PassageOfRunPage, PassagePage
from webapp.models import Corpus, Run
from webapp.pages.typed import Answer, typed
from webapp.results import links
from webapp.results.view import RunView


@typed("passage.html")
def in_corpus(request: HttpRequest, corpus: Corpus, number: int, start: int, end: int) -> Answer[PassagePage]:
    page = _described(corpus, corpus, number, Place(start, end))
    return Answer(page, partial(_html, request, corpus, page))


@typed("run/passage.html")
def in_run(
    request: HttpRequest, run: Run, view: RunView, number: int, start: int, end: int
) -> Answer[PassageOfRunPage]:
    """With the passage's topics. Under embargo not: which topic stands at which character would say more than counts."""
    place = Place(start, end)
    described = _described(run.corpus, run, number, place)
    tokens = passages.mixture(view, number, place)
    if run.corpus.embargo:
        tokens[:] = 0
    page = PassageOfRunPage(
        **vars(described) | {"url": view.go.with_set(described.url)},
        tokens=int(tokens.sum()),
        proportions=queries.parts(view, view.labels.merged(tokens)),
        **vars(passages.similar(view, number, tokens)),
    )
    return Answer(page, partial(_html, request, run.corpus, page))


def _described(corpus: Corpus, owner: Run | Corpus, number: int, place: Place) -> PassagePage:
    passage = there(
        passages.described(corpus, number, place) if number < corpus.documents else None,
        Http404(
            f"Document {number} of “{corpus.name}” has no passage from character {place.start} to {place.end}. A passage lies "
            "within its document and has at most 5,000 characters."
        ),
    )
    return PassagePage(**vars(passage), url=links.marked_url(owner, number, *place))


def _html(request: HttpRequest, corpus: Corpus, page: PassagePage) -> PassageHtml:
    csl = json.dumps([page.citations.csl], ensure_ascii=False, indent=2)
    return PassageHtml(corpus, request.build_absolute_uri(page.url), csl)
