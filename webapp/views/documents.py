"""Documents: lists and search of a corpus or inside a run, and one document."""

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from webapp.models import Corpus, Run
from webapp.queries import documents as queries
from webapp.queries.names import names
from webapp.views.pages import address, corpus_or_404, number, page, place, run_or_404, search_words


@require_GET
def of_corpus(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    data = _found(request, corpus, "corpus_document", corpus.pk)
    return page(request, "corpus/documents.html", data, as_json=as_json, corpus=corpus)


@require_GET
def of_run(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    data = _found(request, run.corpus, "run_document", run.pk)
    return page(request, "run/documents.html", data, as_json=as_json, run=run)


def _found(request: HttpRequest, corpus: Corpus, url_name: str, owner: int) -> dict:
    q = search_words(request)
    if q:
        data = queries.search(corpus, q, place(request))
    else:
        documents, following = queries.page(corpus, number(request, "after", -1))
        data = {"documents": documents, "count": corpus.documents, "more": False, "next": following}
    for row in data["documents"]:
        row["url"] = reverse(url_name, args=[owner, row["number"]])
    data["next"] = address(request, after=data["next"]) if data["next"] else None
    return data | {"q": q}


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
