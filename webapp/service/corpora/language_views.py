"""The page of a corpus in several languages, and the press that trains each by itself."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from webapp.core.results import links
from webapp.models import Corpus
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import looked_up, show_errors
from webapp.platform.pages.typed import PageResponse, typed
from webapp.service.corpora import languages as dividing
from webapp.service.corpora.languages import LanguageOfTexts
from webapp.service.corpora.shapes import LanguageRow, LanguagesPage


@typed("corpus/languages.html", languages="corpus/_language_table.html")
def languages(request: HttpRequest, corpus: Corpus) -> PageResponse[LanguagesPage]:
    """The languages of the texts, with the corpus and the newest run of each."""
    return PageResponse(page_of(request, corpus))


def page_of(request: HttpRequest, corpus: Corpus) -> LanguagesPage:
    """The languages as the page and the API show them: of the corpora that the request may see."""
    division = dividing.divide(corpus, authorization.corpora(request))
    finished = division.finished_runs
    return LanguagesPage(
        languages=[_row(corpus, language) for language in division.languages],
        further_languages=division.further_languages,
        other_documents=division.other_documents,
        other_documents_url=_documents_url(corpus, division.field, division.other_values),
        stop_words_of=division.stop_words_of,
        has_phrases=division.has_phrases,
        compare=links.compare_url(finished) if len(finished) > 1 else "",
    )


def _documents_url(corpus: Corpus, field: str, values: list[str]) -> str:
    """Of the documents with one of these values; "" for no value."""
    if not values:
        return ""
    conditions = [("in", f"{field}:{value}") for value in values]
    return f"{reverse('corpus_documents', args=[corpus.pk])}?{urlencode(conditions)}"


def _row(corpus: Corpus, language: LanguageOfTexts) -> LanguageRow:
    return LanguageRow(
        code=language.code,
        name=language.name,
        documents=language.documents,
        share=language.share,
        documents_url=_documents_url(corpus, language.field, language.values),
        counts_as_written=language.counts_as_written,
        corpus=language.corpus.pk if language.corpus else None,
        corpus_status=language.corpus_status,
        run=language.run.pk if language.run else None,
        run_status=language.run_status,
    )


@require_POST
@looked_up
def train(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Have a corpus and a run made of each language, and go and watch them."""
    with show_errors(request):
        dividing.train_each(corpus, authorization.user(request))
    return redirect("corpus_languages", corpus.pk)
