"""The page on which an owner erases the documents that name a person."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from inference.errors import Invalid
from webapp.models import Corpus, Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.service.privacy import erasure
from webapp.service.privacy.erasure import NamedValue


@dataclass(frozen=True)
class ErasePage:
    """names: as they were typed. values: None before a search. run: whose settings a new run would
    have. goes: runs and concepts that are deleted with the corpus. related: other corpora that may
    hold the same texts."""

    wrong: str
    field: str
    names: str
    values: list[NamedValue] | None
    run: Run | None
    runs: int
    concepts: int
    related: list[Corpus]


@never_cache
@typed("corpus/erase.html")
def erase(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[ErasePage] | HttpResponse:
    """What columns name a person. POST searches; then it erases what was chosen. Names are sent by
    POST alone, so that they are in no address and no log."""
    values = None
    wrong = field = ""
    if posted is not None:
        try:
            values = erasure.find(corpus, erasure.names_in(posted.get("names", "")))
            if posted.get("act") == "erase":
                new = _erase(request, corpus, posted)
                messages.success(
                    request,
                    "The corpus is being made again without them. When it is ready it takes the"
                    " place of the old one, which is then deleted for good.",
                )
                return redirect("corpus", new.pk)
        except Invalid as error:
            wrong = error.message
            field = error.field
    page = ErasePage(
        wrong=wrong,
        field=field,
        names=posted.get("names", "") if posted else "",
        values=values,
        run=erasure.newest_run(corpus),
        runs=corpus.runs.count(),
        concepts=corpus.concepts.filter(removed_at=None).count(),
        related=erasure.related(corpus),
    )
    return HtmlPageResponse(page, status=400 if wrong else 200)


def _erase(request: HttpRequest, corpus: Corpus, posted: QueryDict) -> Corpus:
    if not posted.get("sure"):
        raise Invalid("sure", "Tick that you know what is deleted.")
    numbers = erasure.chosen_documents(corpus, posted.getlist("value"))
    user = authorization.user(request)
    return erasure.erase(corpus, numbers, user, bool(posted.get("train")))
