"""Words of a run's corpus, and the senses of one: the topics that its tokens were given to."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from webapp.models import Run
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
        "alike": queries.with_urls(queries.alike(run.corpus, q), run) if q and not found else [],
        "beginnings": [] if q or as_json or "after" in request.GET else queries.with_urls(queries.beginnings(run), run),
        "next": address(request, after=following) if following is not None else None,
    }
    return page(request, "run/words.html", data, as_json=as_json, run=run)


def missing(request: HttpRequest, run: Run, word: str, as_json: bool) -> HttpResponse:
    """What there is instead of a word that the vocabulary lacks."""
    q = word[:100]
    data = {"words": [], "q": q, "alike": queries.with_urls(queries.alike(run.corpus, q), run), "beginnings": [], "next": None}
    return page(request, "run/words.html", data, as_json=as_json, status=404, run=run)


@require_GET
def detail(request: HttpRequest, run_id: int, word: str, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    found = queries.word(run.corpus, word)
    if found is None:
        return missing(request, run, word, as_json)
    data = {
        "word": {"word": found.word, "tokens": found.tokens, "documents": found.documents},
        "topics": queries.senses(run, found) if run.snapshot_id else [],
    }
    return page(request, "run/word.html", data, as_json=as_json, run=run)
