"""Parent documents: what the sections that were made of one hold together."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from webapp.documents import parent_documents
from webapp.documents import queries as documents
from webapp.models import Corpus
from webapp.pages.page import address, corpus_or_404, page, run_or_404
from webapp.pages.page import number as whole_number
from webapp.results import links
from webapp.results.view import RunView


@require_safe
def in_corpus(request: HttpRequest, corpus_id: int, first: int, as_json: bool = False) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    parent = _parent(corpus, first, corpus.documents)
    if parent.first != first:
        return redirect(reverse("corpus_whole_json" if as_json else "corpus_whole", args=[corpus.pk, parent.first]))
    data = _about(request, corpus, parent, "corpus_document", corpus.pk)
    return page(request, "corpus/parent_document.html", data, as_json=as_json, corpus=corpus)


@require_safe
def in_run(request: HttpRequest, run_id: int, first: int, as_json: bool = False) -> HttpResponse:
    """With the topics of all its sections together, and along its length."""
    run = run_or_404(run_id)
    view = RunView(run)
    parent = _parent(run.corpus, first, run.version.documents)
    if parent.first != first:
        return redirect(reverse("run_whole_json" if as_json else "run_whole", args=[run.pk, parent.first]))
    data = _about(request, run.corpus, parent, "run_document", run.pk)
    for section, topics_of in zip(
        data["sections"],
        parent_documents.largest(view, [section["number"] for section in data["sections"]]),
        strict=True,
    ):
        section |= topics_of
    data |= {
        "proportions": documents.parts(view, parent_documents.mixture(view, parent)),
        "strip": _strip(view, parent),
    }
    if as_json:
        return page(request, "", data, as_json=True)
    for section in data["sections"]:
        section["links"] = [links.topic(view, k) | {"share": share} for k, share in section["topics"]]
    hues = links.hues(view, data["proportions"])
    return page(request, "run/parent_document.html", data, run=run, hues=hues, shown=set(range(run.topics)))


def _parent(corpus: Corpus, number: int, documents: int) -> parent_documents.ParentDocument:
    parent = parent_documents.of(corpus, number) if number < documents else None
    if parent is None:
        raise Http404(f"“{corpus.name}” has no document {number}.")
    return parent


def _about(
    request: HttpRequest, corpus: Corpus, parent: parent_documents.ParentDocument, url_name: str, owner: int
) -> dict:
    after = min(whole_number(request, "after", 0), parent.parts - 1)
    sections = parent_documents.sections(corpus, parent, after)
    for section in sections:
        section["url"] = reverse(url_name, args=[owner, section["number"]])
    end = after + parent_documents.PAGE
    return {
        "whole": parent._asdict() | parent_documents.about(corpus, parent),
        "sections": sections,
        "after": after,
        "previous": {
            "url": address(request, after=max(0, after - parent_documents.PAGE) or None) + "#sections",
            "label": "Earlier sections",
        }
        if after
        else None,
        "next": {"url": address(request, after=end) + "#sections", "label": "Later sections"}
        if end < parent.parts
        else None,
    }


def _strip(view: RunView, parent: parent_documents.ParentDocument) -> list[dict]:
    """Steps of the parent document: the first of its sections in each, how many, their tokens and shares, and the first
    one's address."""
    edges, tokens = parent_documents.strip(view, parent)
    steps = []
    for i, counts in enumerate(tokens):
        total = int(counts.sum())
        shares = [(k, float(counts[k] / total)) for k in (-counts).argsort(kind="stable").tolist() if counts[k]]
        url = links.document_url(view.run, parent.first + edges[i])
        steps.append(
            {"part": edges[i] + 1, "parts": edges[i + 1] - edges[i], "tokens": total, "topics": shares, "url": url}
        )
    return steps
