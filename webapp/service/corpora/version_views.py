"""Other words of a corpus that has been read: each choice makes a version of it, and no file is
read again."""

from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from inference.errors import Invalid
from webapp.analysis.words.queries import WordCount, matching
from webapp.analysis.words.shapes import WordRow
from webapp.core.documents import search
from webapp.intake.ingest import (
    phrases as proposals,
    previews,
    version_history as listing,
    versions,
    vocabulary_forms,
)
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Corpus
from webapp.platform.accounts import embargo
from webapp.platform.pages.page import show_errors, told_at
from webapp.platform.pages.typed import HtmlPageResponse, PageQuery, PageResponse, typed
from webapp.platform.received import words_typed
from webapp.platform.typed_text import as_counted
from webapp.service.corpora.shapes import (
    PhraseRow,
    PhrasesPage,
    VocabularyHtml,
    VocabularyPage,
    WordsPage,
)

# documents, and their characters, among which a passage is chosen
PASSAGE_DOCUMENTS = 40
DEPTH = 4_000
PHRASES = 25  # of a page
MOST_WORDS = 2_000  # that another page may name at once


@typed("corpus/words.html")
def words(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[WordsPage] | HttpResponse:
    """The options of words, and what they would give. POST makes a version, or begins with words
    that another page would leave out."""
    if refused := _not_ready(request, corpus):
        return refused
    if corpus.version is None:
        raise AssertionError("A corpus whose words can be chosen has a version.")
    now = VocabularySettings.from_dict(corpus.version.settings)
    data, previewing = previews.read_request(request)
    added_words = []
    # Of a page of words to train without, or of one that should count
    if data and "min_documents" not in data:
        now = replace(
            now,
            kept_words=list(
                dict.fromkeys([*now.kept_words, *data.getlist("kept_words")[:MOST_WORDS]])
            ),
        )
        added_words = data.getlist("words") + words_typed(data.get("more", ""))
        added_words = [
            as_counted(word.strip()) for word in added_words[:MOST_WORDS] if word.strip()
        ]
        data = None
    form = vocabulary_forms.VocabularyForm(
        data,
        words=replace(
            now, extra_stop_words=list(dict.fromkeys([*now.extra_stop_words, *added_words]))
        ),
    )
    if data and not previewing and form.is_valid():
        with told_at(form):
            versions.choose(corpus, form.words())
            return redirect("corpus", corpus.pk)
    chosen_form = form if form.is_bound else vocabulary_forms.VocabularyForm(form.sent(), words=now)
    preview = previews.Preview(trouble=previews.CORRECT, languages=form.languages(None))
    if chosen_form.is_valid():
        preview = previews.preview_corpus(corpus, chosen_form, _beginnings(corpus))
    page = WordsPage(
        **vars(preview), form=form, making=listing.making(corpus), next=listing.following(corpus)
    )
    return HtmlPageResponse(page, status=400 if form.errors and not previewing else 200)


@typed("corpus/vocabulary.html")
def vocabulary(
    corpus: Corpus, page_query: PageQuery, *, after: int = -1
) -> PageResponse[VocabularyPage]:
    """The words of the newest version, most frequent first, a page of them. after: a word's
    number."""
    if corpus.version is None:
        raise Http404(f"Corpus {corpus.pk} has no words yet: it has not been read.")
    words, following = matching(corpus.version, "", after)
    page = VocabularyPage(words, page_query.following(following))
    return PageResponse(page, lambda: _vocabulary_html(corpus, words))


def _vocabulary_html(corpus: Corpus, words: list[WordCount]) -> VocabularyHtml:
    assert corpus.version is not None
    documents_url = reverse("corpus_documents", args=[corpus.pk])
    searches = search.terms(corpus.version, [row.word for row in words])
    return VocabularyHtml(
        [
            WordRow(**vars(row), url=f"{documents_url}?{urlencode({'q': searches[row.word]})}")
            for row in words
        ]
    )


@typed("corpus/phrases.html")
def phrases(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[PhrasesPage] | HttpResponse:
    """Phrases that are proposed to count as one word, a page of them. POST makes a version with
    those that are ticked, or all above a score; with `to=` it shows the page that begins there, and
    what is ticked stays so."""
    if refused := _not_ready(request, corpus):
        return refused
    version = corpus.version
    assert version is not None
    now = VocabularySettings.from_dict(version.settings)
    try:
        choice = replace(now, phrases=[]).choice()
        rows = proposals.proposed(version, choice)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("corpus", corpus.pk)
    if posted is not None and "to" not in posted:
        return _choose(request, posted, corpus, now, rows)
    chosen_phrases = {row.words for row in rows}
    if posted is None:
        chosen_phrases &= {*now.phrases, *map(as_counted, now.phrases)}
    else:
        chosen_phrases &= set(posted.getlist("phrase"))
    first = _first_place(posted.get("to", "") if posted else "", len(rows))
    shown_rows = rows[first : first + PHRASES]
    page = PhrasesPage(
        phrases=[
            PhraseRow(
                words=row.words,
                documents=row.documents,
                tokens=row.tokens,
                score=row.score,
                estimated=row.estimated,
                passage=passage,
                taken=row.words in chosen_phrases,
                left_out=proposals.left_out(row, version, choice),
            )
            for row, passage in zip(shown_rows, proposals.passages(corpus, shown_rows), strict=True)
        ],
        elsewhere=[
            row.words for row in rows if row.words in chosen_phrases and row not in shown_rows
        ],
        count=len(rows),
        first=first + 1,
        last=first + len(shown_rows),
        before=first - PHRASES if first else None,
        next=first + PHRASES if first + PHRASES < len(rows) else None,
        middle=rows[len(rows) // 4].score if rows else 0,
        making=listing.making(corpus),
    )
    return HtmlPageResponse(page)


def _choose(
    request: HttpRequest,
    posted: QueryDict,
    corpus: Corpus,
    now: VocabularySettings,
    rows: list[proposals.Proposal],
) -> HttpResponse:
    """Make a version with the phrases that were ticked, or that have the score."""
    wanted_phrases = set(posted.getlist("phrase"))
    with show_errors(request):
        if "all" in posted:
            least = _score(posted.get("score", ""))
            wanted_phrases = {row.words for row in rows if row.score >= least}
        proposed = {row.words for row in rows}
        typed_in = [
            phrase for phrase in now.phrases if proposed.isdisjoint((phrase, as_counted(phrase)))
        ]
        ticked = [row.words for row in rows if row.words in wanted_phrases]
        versions.choose(corpus, replace(now, phrases=[*typed_in, *ticked]))
        return redirect("corpus", corpus.pk)
    return redirect("corpus_phrases", corpus.pk)


def _first_place(text: str, count: int) -> int:
    """Where a page of phrases begins."""
    first = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    return min(first, max(0, count - 1)) // PHRASES * PHRASES


def _score(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Invalid("score", f"The score must be a number, got “{text[:40]}”.") from None


def _not_ready(request: HttpRequest, corpus: Corpus) -> HttpResponse | None:
    """For a corpus of which no words can be chosen its own page, which says what comes first; None
    for others."""
    with show_errors(request):
        versions.check_can_choose(corpus)
        return None
    return redirect("corpus", corpus.pk)


def _beginnings(corpus: Corpus) -> list[str]:
    """Beginnings of documents that are evenly spread: to say which languages they are in, and to
    choose a passage from."""
    numbers = {i * corpus.documents // PASSAGE_DOCUMENTS for i in range(PASSAGE_DOCUMENTS)}
    with embargo.as_program():  # under an embargo nothing of them is shown
        return list(embargo.beginnings(corpus, numbers, DEPTH).values())
