"""Documents: lists and search of a corpus or inside a run, and one document."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from webapp.models import Corpus, Run
from webapp.queries import documents as queries
from webapp.queries import facets, fields
from webapp.queries.listing import ORDERS, RANKED, Listing
from webapp.queries.names import names
from webapp.queries.selection import Selection
from webapp.templatetags.pages import topic_label
from webapp.views.pages import address, corpus_or_404, number, page, place, run_or_404


@require_GET
def of_corpus(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    selection = Selection.read(request.GET, corpus)
    data = _list(request, selection, "corpus_document", corpus.pk)
    return page(request, "corpus/documents.html", data, as_json=as_json, corpus=corpus, selection=selection)


@require_GET
def of_run(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    selection = Selection.read(request.GET, run.corpus, run)
    data = _list(request, selection, "run_document", run.pk)
    return page(request, "run/documents.html", data, as_json=as_json, run=run, corpus=run.corpus, selection=selection)


def _list(request: HttpRequest, selection: Selection, url_name: str, owner: int) -> dict:
    """A page of the set's documents, and what the set is made up of."""
    listing = Listing(selection, request.GET.get("by", ""))
    numbers, following = listing.page(place(request), queries.PAGE)
    found = queries.listed(listing, numbers)
    way = f"?{urlencode(listing.parameters)}" if listing.parameters else ""  # so that a document knows the list it is read from
    for row in found:
        row["url"] = reverse(url_name, args=[owner, row["number"]]) + way
    return {
        "documents": found,
        "count": selection.count,
        "of": selection.corpus.documents,
        "sentence": selection.sentence,
        "q": selection.q,
        "by": listing.by,
        "orders": _orders(listing),
        "ranked": RANKED if listing.by == "relevance" and selection.count > RANKED else None,
        "next": address(request, after=following) if following else None,
        "facets": facets.counts(selection),
        "long": queries.SEARCHED if queries.has_long(selection.corpus) else None,
    }


def _orders(listing: Listing) -> list[dict]:
    """The orders in which the list can be read, and the address of each."""
    selection = listing.selection
    offered = {by: label for by, label in ORDERS.items() if by != "relevance" or selection.q}
    if not fields.dated(selection.corpus):
        del offered["date"], offered["newest"]
    topics = dict.fromkeys([topic for topic, _ in selection.has] + [listing.topic] * (listing.topic is not None))
    offered |= {topic_label(k): f"share of {names(selection.run).title(k)}" for k in topics}
    return [
        {"by": by, "label": label, "url": selection.address(by=by if by != listing.default else None), "chosen": by == listing.by}
        for by, label in offered.items()
    ]


@require_GET
def in_corpus(request: HttpRequest, corpus_id: int, number: int, as_json: bool = False) -> HttpResponse:
    """A document as it is, without a run."""
    corpus = corpus_or_404(corpus_id)
    data = _document(corpus, number, "corpus_document", corpus.pk)
    return page(request, "corpus/document.html", data, as_json=as_json, corpus=corpus)


@require_GET
def in_run(request: HttpRequest, run_id: int, number: int, as_json: bool = False) -> HttpResponse:
    """A document with its topics' proportions, and the words that each topic explains."""
    run = run_or_404(run_id)
    data = _document(run.corpus, number, "run_document", run.pk)
    data["proportions"] = queries.proportions(run, number)
    data["topic"] = _chosen(request, run)
    if as_json:
        return page(request, "", data, as_json=True)
    hue = names(run).hue
    parts = [(*part, None if part[1] is None else hue(part[1])) for part in queries.explained(run, number, data["document"]["text"])]
    return page(request, "run/document.html", data, run=run, text_parts=parts)


def _chosen(request: HttpRequest, run: Run) -> int | None:
    """The topic whose words are marked; a number that is no topic of the run marks none."""
    topic = number(request, "topic")
    return topic if topic is not None and topic < run.topics else None


def _document(corpus: Corpus, number: int, url_name: str, owner: int) -> dict:
    document = queries.document(corpus, number)
    if document is None:
        raise Http404(f"“{corpus.name}” has no document {number}.")
    neighbours = {"previous": number - 1, "next": number + 1 if number + 1 < corpus.documents else -1}
    return {"document": document} | {
        name: {"number": n, "url": reverse(url_name, args=[owner, n])} if n >= 0 else None for name, n in neighbours.items()
    }
