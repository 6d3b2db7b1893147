"""Words of a run's corpus, and the topics that use one."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from webapp.queries import words as queries
from webapp.views.pages import address, number, page, run_or_404, search_words


@require_GET
def index(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    q = search_words(request)
    found, following = queries.matching(run.corpus, q, number(request, "after", -1))
    data = {
        "words": queries.with_urls(found, run),
        "q": q,
        "next": address(request, after=following) if following is not None else None,
    }
    return page(request, "run/words.html", data, as_json=as_json, run=run)


@require_GET
def detail(request: HttpRequest, run_id: int, word: str, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    found = queries.word(run.corpus, word.lower())
    if found is None:
        raise Http404(f"“{word}” is not in the vocabulary of “{run.corpus.name}”.")
    data = {
        "word": {"word": found.word, "tokens": found.tokens, "documents": found.documents},
        "topics": queries.senses(run, found) if run.snapshot_id else [],
    }
    return page(request, "run/word.html", data, as_json=as_json, run=run)
