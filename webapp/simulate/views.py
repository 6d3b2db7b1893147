"""Simulated texts: the form that makes a corpus, and a run's topics beside the true ones."""

from typing import cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from inference.errors import Invalid
from webapp.models import Run, User
from webapp.pages.errors import add_to_form
from webapp.pages.page import page
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.simulate import queries, services, truth
from webapp.simulate.forms import MadeForm


@require_http_methods(["GET", "HEAD", "POST"])
def make(request: HttpRequest) -> HttpResponse:
    """The form; POST makes the corpus and leads to it."""
    form = MadeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            owner = cast(User, request.user)  # USER may come in, nobody else
            corpus = services.create(form.settings(), owner, train=True)
            messages.success(
                request, "The texts have been drawn. When training ends, compare its topics with the true ones."
            )
            return redirect("corpus", corpus.pk)
        except Invalid as error:
            add_to_form(form, error)
    return page(request, "simulate.html", {"form": form}, status=400 if form.errors else 200)


@cached_page()
def beside(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    """Each true topic beside what the run has in its place."""
    if not truth.exists(run.corpus):
        raise Http404(f"The texts of run {run.pk} were not simulated, so nobody knows their true topics.")
    data = {"beside": queries.beside(RunView(run))}
    return page(request, "run/truth.html", data, as_json=as_json, run=run)
