"""Parent documents: what the sections that were made of one hold together."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inference.errors import there
from webapp.documents import parent_documents
from webapp.documents import queries as documents
from webapp.documents.parent_documents import ParentDocument
from webapp.documents.shapes import (
    ListPart,
    SectionOfRun,
    StretchOfWhole,
    WholeHtml,
    WholeOfRunPage,
    WholePage,
)
from webapp.models import Corpus, Run
from webapp.pages.typed import Answer, Here, typed
from webapp.results import links
from webapp.results.view import RunView


@typed("corpus/parent_document.html")
def in_corpus(
    corpus: Corpus, here: Here, first: int, as_json: bool, *, after: int = 0
) -> Answer[WholePage] | HttpResponse:
    parent = _parent(corpus, first, corpus.documents)
    if parent.first != first:
        return redirect(reverse("corpus_whole_json" if as_json else "corpus_whole", args=[corpus.pk, parent.first]))
    after = min(after, parent.parts - 1)
    listed = parent_documents.sections(
        corpus, parent, after, lambda number: reverse("corpus_document", args=[corpus.pk, number])
    )
    return Answer(
        WholePage(
            parent_documents.about(corpus, parent), listed, after, _previous(here, after), _next(here, parent, after)
        )
    )


@typed("run/parent_document.html")
def in_run(
    run: Run, view: RunView, here: Here, first: int, as_json: bool, *, after: int = 0
) -> Answer[WholeOfRunPage] | HttpResponse:
    """With the topics of all its sections together, and along its length."""
    parent = _parent(run.corpus, first, run.version.documents)
    if parent.first != first:
        return redirect(reverse("run_whole_json" if as_json else "run_whole", args=[run.pk, parent.first]))
    after = min(after, parent.parts - 1)
    rows = parent_documents.sections(run.corpus, parent, after, lambda number: view.go("run_document", number))
    page = WholeOfRunPage(
        whole=parent_documents.about(run.corpus, parent),
        sections=[
            SectionOfRun(**vars(row), **largest._asdict())
            for row, largest in zip(rows, parent_documents.largest(view, [row.number for row in rows]), strict=True)
        ],
        after=after,
        previous=_previous(here, after),
        next=_next(here, parent, after),
        proportions=documents.parts(view, parent_documents.mixture(view, parent)),
        strip=_strip(view, parent),
    )
    return Answer(
        page,
        lambda: WholeHtml(
            sections=[(row, [links.topic_share(view, k, share) for k, share in row.topics]) for row in page.sections],
            hues=links.hues(view, page.proportions),
            shown=set(range(view.run.topics)),
        ),
    )


def _parent(corpus: Corpus, number: int, documents: int) -> ParentDocument:
    return there(
        parent_documents.parent_of(corpus, number) if number < documents else None,
        Http404(f"“{corpus.name}” has no document {number}."),
    )


def _previous(here: Here, after: int) -> ListPart | None:
    if not after:
        return None
    return ListPart(here.url(after=max(0, after - parent_documents.PAGE) or None) + "#sections", "Earlier sections")


def _next(here: Here, parent: ParentDocument, after: int) -> ListPart | None:
    end = after + parent_documents.PAGE
    return ListPart(here.url(after=end) + "#sections", "Later sections") if end < parent.parts else None


def _strip(view: RunView, parent: ParentDocument) -> list[StretchOfWhole]:
    """Steps of the parent document, each with the address of its first section."""
    edges, tokens = parent_documents.strip(view, parent)
    steps = []
    for i, counts in enumerate(tokens):
        total = int(counts.sum())
        shares = [(k, float(counts[k] / total)) for k in (-counts).argsort(kind="stable").tolist() if counts[k]]
        url = view.go("run_document", parent.first + edges[i])
        steps.append(StretchOfWhole(edges[i] + 1, edges[i + 1] - edges[i], total, shares, url))
    return steps
