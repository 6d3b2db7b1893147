"""How files are read, before they are: the page that asks, and the same for a part of another corpus."""

from contextlib import AbstractContextManager
from dataclasses import asdict, replace

import numpy as np
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from inference.errors import Invalid
from webapp import readers
from webapp.accounts import authorization, embargo
from webapp.corpora import deletion, views
from webapp.corpora.shapes import PreparePage, SubsetPage
from webapp.documents.selection import Selection
from webapp.ingest import corpora, guesses, previews, reading_forms, sample
from webapp.ingest.vocabulary_forms import NamedVocabularyForm
from webapp.models import Corpus
from webapp.pages.errors import add_to_form
from webapp.pages.typed import HtmlAnswer, typed
from webapp.request_context import request_context
from webapp.results.view import RunView


def looked_into(request: HttpRequest) -> AbstractContextManager[None]:
    """Bounds what a request may spend on looking into files, and ends that when nobody waits for it any more."""
    return readers.looking.within(readers.looking.PAGE_SECONDS, request_context(request).abandoned.is_set)


@typed({PreparePage: "corpus/prepare.html", SubsetPage: "corpus/subset.html"})
def prepare(
    request: HttpRequest, corpus: Corpus, sent: QueryDict | None
) -> HtmlAnswer[PreparePage | SubsetPage] | HttpResponse:
    """What was understood of the files, and what the options would give; POST has them read, or shows that again."""
    if corpus.unstored or corpus.status not in corpora.UNREAD:
        return redirect("corpus", corpus.pk)
    if corpus.provenance:
        return _prepare_part(corpus, sent)
    with looked_into(request):
        return _prepare_files(request, corpus)


def _prepare_files(request: HttpRequest, corpus: Corpus) -> HtmlAnswer[PreparePage | SubsetPage] | HttpResponse:
    data, previewing = previews.read_choices(request, corpus.upload)
    table, known = "", previews.known_options(data, corpus)
    try:
        shaping = previews.shaping_form(corpus, data)
        table = shaping["table"].value() or ""
        try:
            sniff, refused = guesses.sniff(corpus, table, **known), None
        except readers.Unreadable as error:
            if not data and not corpus.settings.get("options"):
                raise
            sniff, refused = guesses.sniff(corpus, ""), error
    except readers.looking.Abandoned:  # a preview that the next one, or the reading, has replaced
        return redirect("corpus", corpus.pk)
    except readers.looking.Exhausted:
        corpora.look_by_worker(corpus, guesses.Question(table, known))
        return redirect("corpus", corpus.pk)
    except readers.Unreadable as error:
        return _nothing_to_read(request, corpus, str(error))
    if not data:
        sniff = guesses.keep_chosen_columns(sniff, corpus.settings.get("options", {}))
    kind = reading_forms.AddingForm if corpus.into_id else reading_forms.ReadingForm
    form = kind(previews.complete_columns(data, sniff) if data else None, corpus=corpus, sniff=sniff)
    if refused:
        where = "header_row" if known.get("header_row", 1) > 1 else "encoding"
        form.add_error(where if where in form.fields else None, str(refused))
    if data and not previewing and form.is_valid() and shaping.is_valid():
        reading = replace(form.reading(), shaping=asdict(shaping.shaping()))
        try:
            if reading.shaping["table"]:
                sample.take_sample(corpus, reading)  # a table that can't be used is said now, not when all is read
            return redirect("corpus", _begun(corpus, form, reading).pk)
        except (readers.Unreadable, readers.looking.Exhausted) as error:
            shaping.add_error("table", str(error))
        except Invalid as error:
            add_to_form(shaping if error.field in shaping.fields else form, error)
    wrong = form.errors or shaping.errors
    page = PreparePage(
        **vars(previews.preview_draft(corpus, form, shaping)),
        form=form,
        shaping=shaping,
        sniff=sniff,
        withheld=embargo.sentence(corpus),
        kept=request.method != "POST" and data is not None,
        files=views.first_files(corpus),
        differing=previews.differing_columns(corpus.into, sniff) if corpus.into else None,
    )
    return HtmlAnswer(page, status=400 if wrong and not previewing else 200)


def _begun(corpus: Corpus, form: reading_forms.ReadingForm, reading: corpora.ReadingSettings) -> Corpus:
    """Have a draft read; returns the corpus that its documents come to. Raises Invalid."""
    if into := corpus.into:
        corpora.add_files(corpus, reading)
        return into
    corpus.name, corpus.unit = form.cleaned_data["name"], form.chosen_unit
    corpora.read(corpus, reading, trains={} if form.cleaned_data["train"] else None)
    sample.remove_samples(corpus)
    return corpus


def _nothing_to_read(request: HttpRequest, corpus: Corpus, why: str) -> HttpResponse:
    """Of files of which none can be read."""
    if into := corpus.into:
        deletion.corpus(corpus)
        messages.error(request, f"Nothing was added. {why}")
        return redirect("corpus", into.pk)
    Corpus.objects.filter(pk=corpus.pk, status=Corpus.Status.DRAFT).update(status=Corpus.Status.FAILED, error=why)
    return redirect("corpus", corpus.pk)


def _prepare_part(corpus: Corpus, sent: QueryDict | None) -> HtmlAnswer[PreparePage | SubsetPage] | HttpResponse:
    """A part of another corpus that failed, with other words."""
    form = NamedVocabularyForm(sent or None, name=corpus.name, reading=corpora.ReadingSettings(**corpus.settings))
    if sent is not None and form.is_valid():
        corpus.name = form.cleaned_data["name"]
        try:
            corpora.read(corpus, form.with_options(corpus.settings["options"]))
            return redirect("corpus", corpus.pk)
        except Invalid as error:
            add_to_form(form, error)
    page = SubsetPage(
        form=form,
        languages=form.languages(None),
        sentence=corpus.provenance["sentence"],
        count=corpus.provenance["documents"],
    )
    return HtmlAnswer(page, status=400 if form.errors else 200)


@typed("corpus/subset.html")
def subset(
    request: HttpRequest, corpus: Corpus, sent: QueryDict | None, *, run: int | None = None
) -> HtmlAnswer[SubsetPage] | HttpResponse:
    """Make a set of documents, which the address describes, a corpus of its own. run: by whose topics."""
    view = RunView(authorization.run_or_404(request, run)) if run is not None else None
    if view and view.run.corpus_id != corpus.pk:
        raise Http404(f"Run {run} is not of corpus {corpus.pk}.")
    if corpus.status != Corpus.Status.READY:
        raise Invalid("corpus", f"“{corpus.name}” is not ready: its documents can't be chosen from yet.")
    selection = Selection.read(request.GET, view or corpus)
    if not selection or not selection.count:
        raise Invalid(
            "set",
            "A separate corpus holds some of the documents, not all or none. Choose some in the list of documents.",
        )
    name = f"{corpus.name}: {selection.sentence.removeprefix('documents ')}"[:200]
    form = NamedVocabularyForm(sent or None, name=name, reading=corpora.ReadingSettings(**corpus.settings))
    if sent is not None and form.is_valid():
        provenance = {
            "sentence": selection.sentence,
            "parameters": selection.parameters,
            "run": run if selection.topics else None,
        }
        reading = form.with_options(corpus.settings.get("options", {}))
        return redirect(
            "corpus",
            corpora.create_subset(
                corpus,
                np.flatnonzero(selection.mask),
                form.cleaned_data["name"],
                reading,
                provenance,
                authorization.user(request),
            ).pk,
        )
    page = SubsetPage(form=form, languages=form.languages(None), sentence=selection.sentence, count=selection.count)
    return HtmlAnswer(page, status=400 if form.errors else 200)
