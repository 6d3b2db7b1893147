"""What templates/run/_selection.html and _set.html show of the documents that were chosen."""

from django import template
from django.urls import reverse

from inference.errors import Invalid
from webapp.core.documents import facets
from webapp.core.documents.selection import Selection
from webapp.core.documents.shapes import ChosenOfRun
from webapp.core.results.view import RunView

register = template.Library()


@register.simple_tag(takes_context=True)
def selection_form(context, selection):
    """The form that chooses another set, with what the address has."""
    return facets.form(selection, context["request"].GET)


@register.simple_tag(takes_context=True)
def chosen_set(context) -> ChosenOfRun | None:
    """The set that is chosen on any page of a run; None where all documents are meant. Whether the
    page shows these documents alone is what `typed` was told: `restricted` in the context."""
    run = context["run"]
    query = context["request"].GET
    selection = context.get("selection")
    if not isinstance(selection, Selection):
        try:
            selection = Selection.read(query, RunView(run))
        except Invalid:
            # The page has another use for the name: what is wrong in a set is said where it is used
            return None
    if not selection.has_conditions:
        return None
    address = selection.address()
    documents_page = reverse("run_documents", args=[run.pk])
    with_texts = reverse("export", args=[run.pk, "documents-with-texts.csv"]) + address
    if run.corpus.embargo:
        with_texts = ""
    return ChosenOfRun(
        **vars(facets.chosen_set(selection, query)),
        documents=documents_page + address,
        on_documents_page=context["request"].path == documents_page,
        export=reverse("export", args=[run.pk, "documents.csv"]) + address,
        export_with_texts=with_texts,
        rest=reverse("run_time_compare", args=[run.pk]) + selection.address(rest=1),
        corpus=reverse("corpus_subset", args=[run.corpus_id]) + selection.address(run=run.pk),
        shown=context["restricted"],
        final=run.final,
        sentence=selection.sentence,
    )
