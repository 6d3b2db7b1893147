"""The owner's page of the record of reading, what begins and ends it, and all of it as a table."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from webapp.models import Corpus
from webapp.platform.accounts import readings as record
from webapp.platform.pages.page import looked_up
from webapp.platform.pages.typed import PageQuery, PageResponse, typed
from webapp.platform.server.table_files import file_name, streamed_table
from webapp.service.privacy import read_texts
from webapp.service.privacy.shapes import ReadingsPage


@typed("corpus/readings.html")
def readings(
    corpus: Corpus, page_query: PageQuery, *, after: int | None = None
) -> PageResponse[ReadingsPage]:
    """The record of reading: who opened which text, and when, newest first."""
    rows, following = read_texts.page(corpus, after)
    return PageResponse(
        ReadingsPage(
            on=corpus.embargo or corpus.reading_kept,
            embargo=corpus.embargo,
            days=record.DAYS,
            limit=record.MOST_ROWS,
            rows=rows,
            next=page_query.following(following),
        )
    )


@require_POST
@looked_up
def keep_readings(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Begin the record of reading, or end it: keep=1 or empty. What is on record stays until it is
    too old."""
    on = request.POST.get("keep") == "1"
    record.set_kept(corpus, on)
    messages.success(
        request, "The record of reading is kept." if on else "The record of reading has ended."
    )
    return redirect("corpus_readings", corpus.pk)


@require_safe
@looked_up
def readings_table(request: HttpRequest, corpus: Corpus) -> StreamingHttpResponse:
    """All of the record of reading, as CSV."""
    return streamed_table(read_texts.table(corpus), file_name(f"corpus-{corpus.pk}-readings"))
