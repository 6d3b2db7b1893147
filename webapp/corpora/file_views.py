"""The files that a corpus was made of, and what came of each."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from webapp import readers
from webapp.corpora import queries
from webapp.ingest import reading_forms
from webapp.ingest import sources as reports
from webapp.models import Corpus, SourceFile
from webapp.pages.page import corpus_or_404, next_page, number, page


@require_safe
def files(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    """A page of them; ?only=problems, ?after= a position."""
    corpus = corpus_or_404(corpus_id)
    only = request.GET.get("only", "")
    if only not in ("", "problems"):
        raise BadRequest(f"“only” in the address must be problems, got “{only[:50]}”.")
    listed, following = queries.files(corpus, only, number(request, "after"))
    data = {
        "files": [_shown(file) for file in listed],
        "next": next_page(request, after=following),
    }
    return page(
        request, "corpus/files.html", data, as_json=as_json, corpus=corpus, only=only, count=corpus.files.count()
    )


@require_safe
def problems(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    """What reading the files found wrong, a page of it; ?file= the position of one of them, ?after= a place in the
    report."""
    corpus = corpus_or_404(corpus_id)
    position = number(request, "file")
    name = "" if position is None else get_object_or_404(corpus.files, position=position).name
    rows, following = reports.problems(corpus, name, number(request, "after", 0))
    data = {"problems": rows, "next": next_page(request, after=following)}
    return page(request, "corpus/problems.html", data, as_json=as_json, corpus=corpus, name=name)


def first(corpus: Corpus) -> dict:
    """For the corpus's own page: the first files, and how many there are."""
    listed, _ = queries.files(corpus, limit=queries.FILES_SHOWN)
    return {"files": [_shown(file) for file in listed], "file_count": corpus.files.count()}


def _shown(file: SourceFile) -> dict:
    return {
        "name": file.name,
        "format": readers.formats.label(file.name),
        "bytes": file.bytes,
        "encoding": reading_forms.ENCODING_NAMES.get(file.encoding, file.encoding) if file.documents else "",
        "documents": file.documents,
        "documents_url": f"{reverse('corpus_documents', args=[file.corpus_id])}?only=file:{file.position}"
        if file.first is not None
        else None,
        "problems_url": f"{reverse('corpus_problems', args=[file.corpus_id])}?file={file.position}"
        if file.problems
        else None,
        "problems": file.problems,
        "error": file.error,
    }
