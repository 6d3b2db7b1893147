"""Simulated texts: the form that makes a corpus, and a run's topics beside the true ones."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from webapp.core.results import links
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.core.simulate import queries, services, truth
from webapp.core.simulate.forms import MadeForm
from webapp.core.simulate.shapes import Beside, ExtraTopic, MadeTopic, MakePage, TruthPage
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import told_at
from webapp.platform.pages.typed import HtmlPageResponse, PageResponse, typed

OK = 200
BAD_REQUEST = 400


@typed("simulate.html")
def make(
    request: HttpRequest, posted: QueryDict | None
) -> HtmlPageResponse[MakePage] | HttpResponse:
    """The form; POST makes the corpus and leads to it."""
    form = MadeForm(posted or None)
    if form.is_valid():
        with told_at(form):
            corpus = services.create(form.settings(), authorization.signed_in(request), train=True)
            messages.success(
                request,
                "The texts have been drawn. When training ends, compare its topics with the true"
                " ones.",
            )
            return redirect("corpus", corpus.pk)
    return HtmlPageResponse(MakePage(form), status=BAD_REQUEST if form.errors else OK)


@cached_page()
@typed("run/truth.html")
def compare_truth(run: Run, view: RunView) -> PageResponse[TruthPage]:
    """Each true topic beside what the run has in its place."""
    if not truth.exists(run.corpus):
        raise Http404(
            f"The texts of run {run.pk} were not simulated, so nobody knows their true topics."
        )
    if run.snapshot_id is None:
        return PageResponse(TruthPage(None))
    measured = queries.measured(run.snapshot_id)
    topics = []
    for row in measured.topics:
        partner = None if row.partner is None else links.topic_link(view, row.partner)
        topics.append(MadeTopic(**vars(row), topic=partner))
    extra = [
        ExtraTopic(topic=links.topic_link(view, row.number), **vars(row)) for row in measured.extra
    ]
    beside = Beside(
        settings=measured.settings,
        topics=topics,
        summary=measured.summary,
        alpha=measured.alpha,
        extra=extra,
    )
    return PageResponse(TruthPage(beside))
