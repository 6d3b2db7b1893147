"""What all views share: rendering a page or its .json twin, rows by their numbers, and parameters
of the query string."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import Any

import orjson
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render

from inference.errors import Invalid
from webapp.models import Corpus, Run
from webapp.platform.pages import addresses
from webapp.platform.pages.page_query import BEGINNING, PageQuery
from webapp.platform.pages.run_links import RunLinks, conditions
from webapp.platform.request_context import request_context

READER = "reader"  # in the session
OWNER = "owner"


def as_bytes(data: object) -> bytes:
    """The JSON of pages and of the API: UTF-8, times in UTC with a Z, null for a float that is not
    a number."""
    return orjson.dumps(data, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_UTC_Z)


def rendered(
    request: HttpRequest, template: str, context: dict[str, Any], status: int
) -> HttpResponse:
    """A page from its template. `context` is given what each template may use: on a page of a run
    `go`, which makes links."""
    if placeholder := request_context(request).csrf_placeholder:  # the page will be cached
        context["csrf_token"] = placeholder
    run = context.get("run")
    if isinstance(run, Run):
        context["go"] = RunLinks(run.pk, conditions(request.GET))
    return render(request, template, context, status=status)


def json_answer(request: HttpRequest, data: object, status: int) -> HttpResponse:
    """The answer of a .json address. request: by which tests find the type that is declared for
    it."""
    return HttpResponse(
        as_bytes(data),
        content_type="application/json",
        status=status,
        headers={"Cache-Control": "no-store"},
    )


def unchecked_corpus(corpus_id: int) -> Corpus:
    """A corpus that the address names in its path; deleted ones are not found. Nothing is checked, as
    in `unchecked_run`."""
    corpora_found = Corpus.objects.select_related("version", "upload").filter(pk=corpus_id)
    corpus = corpora_found.first()
    if corpus is None:
        raise Http404(f"There is no corpus {corpus_id}.")
    return corpus


def unchecked_run(run_id: int) -> Run:
    """A run that the address names in its path, with its corpus, version and snapshot. Nothing is
    checked: the rule of the address has let the request in. A run that the path does not name comes
    from webapp.platform.accounts.authorization."""
    runs_found = Run.objects.select_related(
        "corpus__version", "version__corpus", "snapshot"
    ).filter(pk=run_id)
    run = runs_found.first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    return run


def unchecked_owners(path: Mapping[str, Any]) -> dict[str, Run | Corpus]:
    """The run or the corpus that a path names by its number. Nothing is checked, as in
    `unchecked_run`."""
    looks = (("run", unchecked_run), ("corpus", unchecked_corpus))
    return {name: look(path[f"{name}_id"]) for name, look in looks if f"{name}_id" in path}


def looked_up(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorator of a view that takes `run` or `corpus`, which an address names by its number."""

    @wraps(view)
    def answer(request: HttpRequest, **path: Any) -> HttpResponseBase:
        other_arguments = {
            name: value for name, value in path.items() if name not in ("run_id", "corpus_id")
        }
        return view(request, **other_arguments | unchecked_owners(path))

    return answer


def unchecked_published_run(run_id: int) -> Run:
    """A run that has topics. Nothing is checked, as in `unchecked_run`."""
    return published(unchecked_run(run_id))


def published(run: Run) -> Run:
    """The run, if it has topics. Raises Http404."""
    if run.snapshot_id is None:
        raise Http404(f"Run {run.pk} is {run.status}; it has published no topics yet.")
    return run


def is_whole(text: str) -> bool:
    """Whether a text is a whole number that a row may have."""
    return text.isascii() and text.isdigit() and len(text) <= 18


def whole_number(posted: Mapping[str, str], name: str) -> int:
    """A whole number of a form. Raises Invalid."""
    text = posted.get(name, "")
    if not is_whole(text):
        raise Invalid(name, f"“{name}” must be a whole number, got “{text[:20]}”.")
    return int(text)


def check_act(act: str, acts: Collection[str]) -> None:
    """What a form of several buttons asks for. Raises BadRequest for what no button does."""
    if act not in acts:
        raise BadRequest(f"“act” must be one of {', '.join(acts)}, got “{act[:20]}”.")


def number_in_address(name: str, text: str) -> int:
    """A whole number of 0 or more. Raises BadRequest, with a sentence, for anything else."""
    if not is_whole(text):
        raise BadRequest(f"“{name}” in the address must be a whole number, got “{text[:50]}”.")
    return int(text)


def place_in_list(text: str) -> tuple[float, int] | None:
    """ "weight,number", where a page of a ranked list begins; None where the text is none."""
    weight_text, _, key_text = text.partition(",")
    try:
        weight = float(weight_text)
    except ValueError:
        return None
    if math.isnan(weight) or not is_whole(key_text):
        return None
    return weight, int(key_text)


def number(request: HttpRequest, name: str) -> int | None:
    """A whole number from the query string; None where it is missing."""
    text = request.GET.get(name)
    return number_in_address(name, text) if text else None


def signature(request: HttpRequest) -> str:
    """The name by which a reader signs what they say: the account's; while accounts are off that
    given once in this browser, else "owner". "" for somebody without an account."""
    if settings.ACCOUNTS:
        return request.user.name if request.user.is_authenticated else ""
    return request.session.get(READER, OWNER)


@contextmanager
def show_errors(request: HttpRequest) -> Iterator[None]:
    """Around what a form asks for: where it can't be done, the next page says why."""
    try:
        yield
    except Invalid as error:
        messages.error(request, error.message)


@contextmanager
def told_at(*forms: BaseForm) -> Iterator[None]:
    """Around what forms ask for: where it can't be done, the field of the first that has it says
    why; the whole last form where none has."""
    try:
        yield
    except Invalid as error:
        form = next((form for form in forms if error.field in form.fields), None)
        (form or forms[-1]).add_error(error.field if form else None, error.message)


def back(request: HttpRequest, default: str) -> str:
    """Where a form redirects to: the path in its field `next`, if a page of this site has it; else
    the default."""
    return addresses.own_path(request.POST.get("next", "")) or default


def address(request: HttpRequest, **changes) -> str:
    """`PageQuery.url` of webapp.platform.pages.page_query, but that a list stays where it is."""
    return PageQuery(request.GET).url(**{BEGINNING: request.GET.get(BEGINNING)} | changes)
