"""The page of a draft on which persons get pseudonyms before anything is read."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.ingest import corpora, pseudonyms
from webapp.intake.ingest.pseudonyms import Look
from webapp.models import Corpus
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.service.corpora.draft_views import looked_into


@dataclass(frozen=True)
class PseudonymsPage:
    """look: None where the files can't be looked at, `wrong` says why. spared, keep: as they were
    sent."""

    look: Look | None
    wrong: str
    field: str
    spared: str
    keep: bool


@never_cache
@typed("corpus/pseudonyms.html")
def choose(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[PseudonymsPage] | HttpResponse:
    """What would be replaced in the first documents; POST with act=replace makes the new draft."""
    is_read = corpus.status not in corpora.UNREAD
    if corpus.unstored or is_read or not corpus.has_own_files:
        return redirect("corpus", corpus.pk)
    columns = posted.getlist("column") if posted is not None else None
    spared_text = posted.get("spared", "") if posted is not None else ""
    keep = posted is not None and posted.get("keep") == "1"
    look = None
    wrong = field = ""
    try:
        pseudonyms.check(corpus)
        with looked_into(request):
            spared = pseudonyms.spared_words(spared_text)
            if posted is not None and posted.get("act") == "replace":
                new = pseudonyms.begin(corpus, columns or [], spared, keep)
                messages.success(
                    request,
                    "Persons are being replaced. Then say how the new files are read"
                    + (": the first draft stays." if keep else "; what you uploaded is deleted."),
                )
                return redirect("corpus", new.pk)
            look = pseudonyms.look(corpus, pseudonyms.reading_of(corpus), columns, spared)
    except Invalid as error:
        wrong = error.message
        field = error.field
    except file_formats.Unreadable as error:
        wrong = error.message
    except file_formats.looking.Abandoned:
        return redirect("corpus", corpus.pk)
    except file_formats.looking.Exhausted as error:
        wrong = f"{error} Name persons by columns of a table, or upload less at once."
    page = PseudonymsPage(
        look=look,
        wrong=wrong,
        field=field,
        spared=spared_text,
        keep=keep,
    )
    return HtmlPageResponse(page, status=400 if wrong else 200)
