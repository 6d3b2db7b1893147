"""Notebooks: the list, one with its evidence, the link that shares it, and what the Pin button
does."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import orjson
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.core.notebooks import html, markdown, pin_contents, queries, services as notebooks, word
from webapp.core.notebooks.sent_passages import read_passages
from webapp.core.notebooks.shapes import (
    NotebookHtml,
    NotebookPage,
    NotebookRow,
    NotebooksPage,
    PinContent,
)
from webapp.models import Corpus, Notebook, Pin
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import (
    back,
    check_act,
    is_whole,
    rendered,
    show_errors,
    signature,
    whole_number,
)
from webapp.platform.pages.typed import PageQuery, PageResponse, typed

Write = Callable[[NotebookPage, str], str | bytes]
FILE_FORMS: dict[str, tuple[str, Write | None]] = {  # ending -> its type, what writes it
    "html": ("text/html", html.notebook),
    "md": ("text/markdown", markdown.notebook),
    "docx": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        word.notebook,
    ),
    "bib": ("application/x-bibtex", None),
}
NEW = "new"  # the choice of a Pin button that begins a notebook
OWN = "own"  # and that which takes the last used one of the corpus, or begins it
AGAIN = "again"  # the field that says to pin what the notebook has already
IN_PLACE = "X-In-Place"  # the header by which a script asks for the answer alone (pins.js)


def _or_404(request: HttpRequest, notebook_id: int) -> Notebook:
    notebook_found = authorization.notebooks(request).filter(pk=notebook_id)
    notebook = notebook_found.first()
    if notebook is None:
        raise Http404(f"There is no notebook {notebook_id}.")
    return notebook


@typed("notebook/list.html")
def index(
    request: HttpRequest, page_query: PageQuery, *, before: int | None = None, removed: bool = False
) -> PageResponse[NotebooksPage]:
    notebooks, following = queries.list_notebooks(authorization.notebooks(request), before, removed)
    rows = [
        NotebookRow(
            id=row.pk,
            title=row.title,
            by=row.student or row.by,
            created=row.created_at,
            used=row.used_at,
            pins=pins,
            shared=bool(row.token),
            url=reverse("notebook", args=[row.pk]),
        )
        for row, pins in notebooks
    ]
    return PageResponse(
        NotebooksPage(rows, page_query.url(before=following) if following else None, removed)
    )


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    with show_errors(request):
        return redirect(
            "notebook",
            notebooks.create(
                request.POST.get("title", ""), signature(request), authorization.user(request)
            ).pk,
        )
    return redirect("notebooks")


@typed("notebook/detail.html")
def detail(request: HttpRequest, notebook_id: int) -> PageResponse[NotebookPage]:
    notebook = _or_404(request, notebook_id)
    link = (
        request.build_absolute_uri(reverse("shared", args=[notebook.token]))
        if notebook.token
        else ""
    )
    return PageResponse(
        queries.content(notebook, authorization.corpora(request)),
        lambda: NotebookHtml(own=True, link=link, removed=notebook.removed_at is not None),
    )


@typed("notebook/detail.html")
def shared(token: str) -> PageResponse[NotebookPage]:
    """A notebook as its link shows it: to read only. Nothing is said of a link that was revoked, or
    never was."""
    notebook = queries.shared(token)
    if notebook is None:
        raise Http404("There is no such notebook.")
    page = queries.content(notebook, authorization.corpora_of(notebook.owner))
    return PageResponse(
        replace(page, removed=[]), lambda: NotebookHtml(own=False, link="", removed=False)
    )


@require_POST
def change(request: HttpRequest, notebook_id: int) -> HttpResponse:
    """What is done to a notebook: its title and introduction, its link, its removal."""
    notebook = _or_404(request, notebook_id)
    title = request.POST.get("title", "")
    intro = request.POST.get("intro", "")
    acts: dict[str, Callable[[], object]] = {
        "text": lambda: notebooks.change(notebook, title, intro),
        "share": lambda: notebooks.share(authorization.shareable(request, notebook)),
        "revoke": lambda: notebooks.revoke(notebook),
        "remove": lambda: notebooks.remove(notebook),
        "restore": lambda: notebooks.restore(notebook),
    }
    _act(request, acts)
    return redirect("notebook", notebook.pk)


@require_POST
def change_pin(request: HttpRequest, notebook_id: int, pin_id: int) -> HttpResponse:
    """What is done to a pin: its comment, its place, its removal."""
    pin = Pin.objects.select_related("notebook").filter(notebook_id=notebook_id, pk=pin_id).first()
    if pin is None:
        raise Http404(f"Notebook {notebook_id} has no pin {pin_id}.")
    acts: dict[str, Callable[[], object]] = {
        "comment": lambda: notebooks.comment(pin, request.POST.get("comment", "")),
        "up": lambda: notebooks.move(pin, up=True),
        "down": lambda: notebooks.move(pin, up=False),
        "remove": lambda: notebooks.remove_pin(pin),
        "restore": lambda: notebooks.restore_pin(pin),
    }
    act = _act(request, acts)
    return redirect(
        reverse("notebook", args=[notebook_id])
        + ("#removed" if act == "remove" else f"#pin-{pin.pk}")
    )


def _act(request: HttpRequest, acts: dict[str, Callable[[], object]]) -> str:
    name = request.POST.get("act", "")
    check_act(name, acts)
    with show_errors(request):
        do = acts[name]
        do()
    return name


class SentPins(NamedTuple):
    """What a Pin button sent. contents: the piece of evidence, and those that are kept behind it.
    corpus: which they are of; None of a page that is about several. comment: on the first."""

    contents: list[PinContent]
    corpus: Corpus | None
    comment: str = ""


@require_POST
def pin(request: HttpRequest) -> HttpResponse:
    """Keep what a Pin button stands beside (templates/_pin.html), and go back to where it is; a
    script gets the answer alone and shows it where the button is."""
    return answer_pin(request, lambda: _read_pins(request))


def answer_pin(request: HttpRequest, read: Callable[[], SentPins]) -> HttpResponse:
    """The answer to a Pin button; 409 where the notebook has the same already, and the reader did
    not say to pin it again. read: raises Invalid for what can't be pinned. It runs outside of the
    transaction that writes: what it shows of texts under an embargo stays counted, whatever fails
    behind it."""
    if IN_PLACE in request.headers:
        return _answer_script(request, read)
    with show_errors(request):
        kept = _keep(request, read())
        if kept.earlier is not None:
            return _offer_again(request, kept)
        link = format_html('Pinned in <a href="{}">{}</a>.', kept.url, kept.notebook.title)
        messages.success(request, link)
    return redirect(back(request, reverse("notebooks")))


def _answer_script(request: HttpRequest, read: Callable[[], SentPins]) -> HttpResponse:
    try:
        kept = _keep(request, read())
    except Invalid as error:
        return JsonResponse({"error": error.message}, status=400)
    status = 200 if kept.earlier is None else 409
    return JsonResponse({"notebook": kept.notebook.title, "url": kept.url}, status=status)


class KeptPin(NamedTuple):
    """earlier: the pin of the same that the notebook had, where nothing was added to it."""

    notebook: Notebook
    earlier: Pin | None

    @property
    def url(self) -> str:
        """Of the notebook; where it had the same, of the place in it."""
        page = reverse("notebook", args=[self.notebook.pk])
        return page if self.earlier is None else f"{page}#pin-{self.earlier.pk}"


def _keep(request: HttpRequest, sent: SentPins) -> KeptPin:
    """Pin what was sent, unless the notebook has its first piece already. Raises Invalid, and then
    nothing stays of what it wrote, as of a new notebook."""
    with transaction.atomic():
        notebook = picked_notebook(request, sent.corpus)
        if AGAIN not in request.POST:
            earlier = notebooks.find_same(notebook, sent.contents[0])
            if earlier is not None:
                return KeptPin(notebook, earlier)
        comment = sent.comment
        for content in sent.contents:
            notebooks.pin(notebook, content, comment, signature(request))
            comment = ""
    return KeptPin(notebook, None)


def _offer_again(request: HttpRequest, kept: KeptPin) -> HttpResponse:
    """A page that says so, for who has no script, with a form that sends the same again."""
    fields = [
        (name, value)
        for name, values in request.POST.lists()
        if name != "csrfmiddlewaretoken"
        for value in values
    ]
    context = {
        "notebook": kept.notebook.title,
        "url": kept.url,
        "fields": fields,
        "back": back(request, reverse("notebooks")),
    }
    return rendered(request, "notebook/pinned_already.html", context, status=409)


def _read_pins(request: HttpRequest) -> SentPins:
    """Raises Invalid."""
    contents = [_read_content(request), *_read_passages(request)]
    return SentPins(contents, _corpus_sent(request), request.POST.get("comment", ""))


def _corpus_sent(request: HttpRequest) -> Corpus | None:
    """The corpus of what is pinned; None of a page that is about several."""
    form = request.POST
    if form.get("run"):
        return authorization.run_or_404(request, whole_number(form, "run")).corpus
    if form.get("corpus"):
        return authorization.corpus_or_404(request, whole_number(form, "corpus"))
    return None


def _read_content(request: HttpRequest) -> PinContent:
    form = request.POST
    kind = form.get("kind", "")
    run = authorization.run_or_404(request, whole_number(form, "run")) if form.get("run") else None
    if kind == Pin.Kind.TOPIC and run:
        return pin_contents.of_topic(run, whole_number(form, "topic"))
    if kind == Pin.Kind.PASSAGE and (run or form.get("corpus")):
        if run:
            corpus = run.corpus
        else:
            corpus = authorization.corpus_or_404(request, whole_number(form, "corpus"))
        start = whole_number(form, "start") if form.get("start") else None
        end = whole_number(form, "end") if form.get("end") else None
        document = whole_number(form, "document")
        return pin_contents.of_passage(corpus, run, document, form.get("quote", ""), start, end)
    if kind == Pin.Kind.CHART:
        try:
            table = orjson.loads(form["table"]) if form.get("table") else None
        except orjson.JSONDecodeError:
            raise Invalid("table", "The table that came with the chart is not JSON.") from None
        return pin_contents.of_chart(
            run,
            form.get("title", ""),
            form.get("address", ""),
            form.get("sentence", ""),
            table,
            _level_sent(form.get("level", "")),
        )
    raise Invalid(
        "kind",
        "A pin must name what is pinned: a topic and its run, a passage and its document, or a"
        " chart.",
    )


def _read_passages(request: HttpRequest) -> list[PinContent]:
    """Those of the page whose chart is pinned. Raises Invalid."""
    form = request.POST
    passages_of_page = read_passages(form.get("passages", ""))
    if not passages_of_page:
        return []
    run = authorization.run_or_404(request, whole_number(form, "run"))
    return [
        pin_contents.of_passage(run.corpus, run, passage.document, passage.quote, None, None)
        for passage in passages_of_page
    ]


def _level_sent(text: str) -> float | None:
    """The level of the interval in a chart's sentence; None where none was sent, or what is no
    level."""
    try:
        level = float(text)
    except ValueError:
        return None
    return level if 0 < level < 1 else None


def picked_notebook(request: HttpRequest, corpus: Corpus | None) -> Notebook:
    """The notebook that was picked; by default the last used one of the corpus, as evidence about
    one collection is not to get among that of another. Else a new one, which is called by the
    corpus and today's date until it gets a better title."""
    choice = request.POST.get("notebook", OWN)
    offered = authorization.notebooks(request)
    if choice == OWN and corpus and (own_notebook := queries.last_used_for(offered, corpus)):
        return own_notebook
    if choice in (NEW, OWN):
        today = f"{timezone.now():%-d %B %Y}"
        name = f"{corpus.name[: notebooks.TITLE - 40]}, notes of {today}" if corpus else ""
        return notebooks.create(
            name or f"Notes of {today}", signature(request), authorization.user(request)
        )
    notebook = None
    if is_whole(choice):
        notebook = offered.filter(pk=choice, removed_at=None).first()
    if notebook is None:
        raise Invalid("notebook", "The chosen notebook no longer exists. Choose another.")
    return notebook


@require_safe
def export(request: HttpRequest, notebook_id: int, form: str) -> HttpResponse:
    """The notebook as one file, Markdown, Word or HTML, that needs nothing of ours to be read; or
    its passages as BibTeX."""
    page = queries.content(_or_404(request, notebook_id), authorization.corpora(request))
    root = request.build_absolute_uri("/").rstrip("/")
    kind, write = FILE_FORMS[form]
    body = (
        write(page, root) if write else queries.bibliography(page, authorization.corpora(request))
    )
    name = f"notebook-{notebook_id}.{form}"
    return HttpResponse(
        body,
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
