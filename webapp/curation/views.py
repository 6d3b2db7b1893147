"""Labels and notes of topics: the form of a topic, the history with undo, a table of labels to import, and carrying them from
another run of the corpus to this one."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.accounts import authorization
from webapp.curation import label_transfer, queries
from webapp.curation import services as curation
from webapp.curation.label_transfer import Plan
from webapp.curation.shapes import CarriedPair, CarryPage, CurationPage
from webapp.models import Edit, Run
from webapp.pages.here import Here
from webapp.pages.page import READER, back, is_whole, reader, run_or_404, told
from webapp.pages.typed import Answer, typed
from webapp.results import links
from webapp.results.view import RunView


@typed("run/curation.html")
def index(view: RunView, here: Here, *, topic: int | None = None, before: int | None = None) -> Answer[CurationPage]:
    """Labels and notes: the history of all topics, or of one, and the groups at present."""
    if topic is not None and topic >= view.run.topics:
        raise Http404(f"Run {view.run.pk} has no topic {topic}.")
    edits, following = queries.history(view, before, topic)
    return Answer(
        CurationPage(
            edits=edits,
            next=here.url(before=following) if following else None,
            topic=None if topic is None else links.topic_link(view, topic),
            groups=queries.groups(view),
        )
    )


@require_POST
def edit(request: HttpRequest, run_id: int, number: int) -> HttpResponse:
    """Take the fields that the form changed: each comes with what it `was` when the form was opened, so that a form
    that was open for long does not take back what another reader changed since."""
    run = run_or_404(run_id)
    sent = request.POST
    values = {f: sent[f] for f in Edit.Field.values if f in sent and sent[f] != sent.get(f"was_{f}")}
    if "into" in values:
        values["into"] = values["into"].strip().partition(" ")[0]  # "T03 Farming", as the field offers it
    wrong = []
    while True:
        try:
            curation.change(run, number, values, reader(request))
            break
        except Invalid as error:  # what can be kept is kept: a long note is not lost for a wrong number
            wrong.append(error.message)
            if values.pop(error.field, None) is None:
                break
    for sentence in wrong:
        messages.error(request, sentence)
    return redirect(
        back(
            request,
            reverse("run_topic", args=[run.pk, number]) if number < run.topics else reverse("run", args=[run.pk]),
        )
    )


@require_POST
def undo(request: HttpRequest, run_id: int, edit_id: int) -> HttpResponse:
    return _done(request, run_id, lambda run: curation.undo(run, _edit(run, edit_id), reader(request)))


@require_POST
def redo(request: HttpRequest, run_id: int, edit_id: int) -> HttpResponse:
    return _done(request, run_id, lambda run: curation.redo(run, _edit(run, edit_id)))


@require_POST
def undo_batch(request: HttpRequest, run_id: int, batch: UUID) -> HttpResponse:
    def act(run: Run) -> None:
        if not queries.in_batch(run, batch):
            raise Http404(f"Run {run.pk} has no edits {batch}.")
        curation.undo_batch(run, batch, reader(request))

    return _done(request, run_id, act)


def _edit(run: Run, edit_id: int) -> Edit:
    edit = queries.edit_or_none(run, edit_id)
    if edit is None:
        raise Http404(f"Run {run.pk} has no edit {edit_id}.")
    return edit


def _done(request: HttpRequest, run_id: int, act) -> HttpResponse:
    run = run_or_404(run_id)
    with told(request):
        act(run)
    return redirect(back(request, reverse("run_curation", args=[run.pk])))


@require_POST
def table(request: HttpRequest, run_id: int) -> HttpResponse:
    """Read labels from a CSV."""
    run = run_or_404(run_id)
    file = request.FILES.get("table")
    with told(request):
        if file is None:
            raise Invalid("table", "Choose a CSV file first.")
        changed = curation.read_table(run, file.read(curation.TABLE + 1), reader(request))
        messages.success(request, f"{changed:,} field{'' if changed == 1 else 's'} changed.")
    return redirect("run_curation", run.pk)


@require_POST
def sign(request: HttpRequest) -> HttpResponse:
    """What a reader wants to be called: kept in the signed cookie of this browser."""
    name = curation.one_line(request.POST.get("name", ""))
    if len(name) > curation.READER:
        messages.error(request, f"A name has at most {curation.READER} characters; this one has {len(name):,}.")
    elif name:
        request.session[READER] = name
    else:
        request.session.pop(READER, None)
    return redirect(back(request, reverse("home")))


# Labels and notes of another run


@typed("run/carry.html")
def carry(request: HttpRequest, view: RunView, *, source: int | None = None) -> Answer[CarryPage]:
    """What would be copied from another run of the corpus, and what would not."""
    there, plan = view, Plan([], [], {})
    if source is not None:
        there = RunView(_source(request, source))
        plan = label_transfer.plan(there, view)
    return Answer(
        CarryPage(
            from_=source,
            offered=label_transfer.labelled(view.run),
            pairs=[
                CarriedPair(
                    links.topic_link(there, k),
                    links.topic_link(view, here),
                    similarity,
                    sorted(plan.values.get(here, {})),
                )
                for k, here, similarity in plan.pairs
            ],
            orphans=[links.topic_link(there, k) for k in plan.orphans],
            fields=sum(map(len, plan.values.values())),
        )
    )


@require_POST
def carry_over(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    with told(request):
        number = request.POST.get("from", "")
        if not is_whole(number):
            raise Invalid("from", "Choose the run whose labels are to be carried over.")
        plan = label_transfer.carry(_source(request, int(number)), run)
        copied = f"{len(plan.values):,} topic{'' if len(plan.values) == 1 else 's'} took over what run {number} says."
        alone = f" {len(plan.orphans):,} of its topics have no match here." if plan.orphans else ""
        messages.success(request, copied + alone)
    return redirect("run_curation", run.pk)


def _source(request: HttpRequest, pk: int) -> Run:
    """A run from an address or a form: missing is a mistake of theirs, not a page that is gone."""
    try:
        return authorization.runs(request).select_related("corpus", "version", "snapshot").get(pk=pk)
    except Run.DoesNotExist:
        raise Invalid("from", f"There is no run {pk}.") from None
