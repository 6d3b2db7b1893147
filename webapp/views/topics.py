"""Topics of a run."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from webapp.queries import curation
from webapp.queries import topics as queries
from webapp.views.pages import address, number, page, place, run_or_404, search_words


@require_GET
def index(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    order = request.GET.get("sort", "share")
    order = order if order in queries.ORDERS else "share"
    q = search_words(request).lower()
    found, following = queries.page(run, order, q, number(request, "after", 0))
    largest = max((topic["share"] for topic in found), default=1.0)
    for topic in found:
        topic["bar"] = topic["share"] / largest
    data = {"topics": found, "next": address(request, after=following) if following else None, "sort": order, "q": q}
    return page(request, "run/topics.html", data, as_json=as_json, run=run)


@require_GET
def detail(request: HttpRequest, run_id: int, number: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    topic = queries.topic(run, number)
    if topic is None:
        raise Http404(f"Run {run.pk} has no topic {number}.")
    after = place(request)
    words, _ = queries.words(run, number)
    documents, following = queries.documents(run, number, after)
    data = {
        "topic": topic,
        "words": words,
        "documents": documents,
        "next_documents": address(request, after=following) if following else None,
        "previous": queries.link(run, number - 1) if number > 0 else None,
        "next": queries.link(run, number + 1) if number + 1 < run.topics else None,
        "curation": curation.of(run, number),
    }
    return page(request, "run/topic.html", data, as_json=as_json, run=run)
