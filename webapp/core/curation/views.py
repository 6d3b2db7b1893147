"""Labels and notes of topics: the form of a topic, what is done with those that are ticked in a
list, the history with undo, a table of labels to import, and carrying them from another run of the
corpus to this one.
"""

from collections.abc import Callable
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid, number_of
from webapp.core.curation import label_transfer, queries, services as curation
from webapp.core.curation.shapes import CarriedPair, CarryPage, CurationPage
from webapp.core.curation.typed_topics import read_typed_topic
from webapp.core.results import links, measures, topic_numbers
from webapp.core.results.topic_numbers import TopicParameter
from webapp.core.results.view import RunView
from webapp.models import Edit, Run
from webapp.platform.accounts import authorization
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.pages.page import READER, back, is_whole, looked_up, show_errors, signature
from webapp.platform.pages.page_query import PageQuery
from webapp.platform.pages.run_links import conditions
from webapp.platform.pages.typed import PageResponse, typed
from webapp.platform.typed_text import NAME, one_line


@typed("run/curation.html")
def index(
    view: RunView, page_query: PageQuery, *, topic: TopicParameter = None, before: int | None = None
) -> PageResponse[CurationPage]:
    """Labels and notes: the history of all topics, or of one, and the groups at present."""
    if topic is not None and topic >= view.run.topics:
        raise Http404(f"Run {view.run.pk} has no topic {topic}.")
    edits, following = queries.history(view, before, topic)
    next_address = page_query.url(before=following) if following else None
    topic_link = None if topic is None else links.topic_link(view, topic)
    return PageResponse(
        CurationPage(
            edits=edits,
            next=next_address,
            topic=topic_link,
            groups=queries.groups(view),
        )
    )


@require_POST
@looked_up
def edit(request: HttpRequest, run: Run, number: int) -> HttpResponse:
    """Take the fields that the form changed: each comes with what it `was` when the form was
    opened, so that a form that was open for long does not take back what another reader changed
    since."""
    form = request.POST
    values = {}
    for field in Edit.Field.values:
        if field in form and form[field] != form.get(f"was_{field}"):
            values[field] = form[field]
    view = RunView(run)
    for field in values.keys() & {"into", "beside"}:
        try:
            values[field] = read_typed_topic(view, values[field], field)
        except Invalid as error:
            messages.error(request, error.message)
            del values[field]
    wrong_field = _change_all(request, run, number, values)
    while wrong_field in values:
        # What can be kept is kept: a long note is not lost for a wrong number
        del values[wrong_field]
        wrong_field = _change_all(request, run, number, values)
    page = reverse("run", args=[run.pk])
    if number < run.topics:
        page = reverse("run_topic", args=[run.pk, number])
    return redirect(back(request, page))


def _change_all(request: HttpRequest, run: Run, number: int, values: dict[str, str]) -> str | None:
    """Change fields of a topic, all or none. Returns the field whose value is wrong, of which the
    next page says why; None where all are changed."""
    try:
        curation.change(run, number, values, signature(request))
    except Invalid as error:
        messages.error(request, error.message)
        return error.field
    return None


@require_POST
@looked_up
def undo(request: HttpRequest, run: Run, edit_id: int) -> HttpResponse:
    return _done(request, run, lambda: curation.undo(run, _edit(run, edit_id), signature(request)))


@require_POST
@looked_up
def redo(request: HttpRequest, run: Run, edit_id: int) -> HttpResponse:
    return _done(request, run, lambda: curation.redo(run, _edit(run, edit_id)))


@require_POST
@looked_up
def undo_batch(request: HttpRequest, run: Run, batch: UUID) -> HttpResponse:
    if not Edit.objects.filter(run=run, batch=batch).exists():
        raise Http404(f"Run {run.pk} has no edits {batch}.")
    return _done(request, run, lambda: curation.undo_batch(run, batch, signature(request)))


def _edit(run: Run, edit_id: int) -> Edit:
    edit = Edit.objects.filter(run=run, pk=edit_id).first()
    if edit is None:
        raise Http404(f"Run {run.pk} has no edit {edit_id}.")
    return edit


def _done(request: HttpRequest, run: Run, act: Callable[[], object]) -> HttpResponse:
    with show_errors(request):
        act()
    return redirect(back(request, reverse("run_curation", args=[run.pk])))


@require_POST
@looked_up
def table(request: HttpRequest, run: Run) -> HttpResponse:
    """Read labels from a CSV."""
    with show_errors(request):
        file = request.FILES.get("table")
        if file is None:
            raise Invalid("table", "Choose a CSV file first.")
        changed = curation.read_table(run, file.read(curation.TABLE + 1), signature(request))
        messages.success(request, f"{number_of(changed, 'field')} changed.")
    return redirect("run_curation", run.pk)


@require_POST
def sign(request: HttpRequest) -> HttpResponse:
    """What a reader wants to be called: kept in the signed cookie of this browser."""
    name = one_line(request.POST.get("name", ""))
    if len(name) > NAME:
        messages.error(
            request, f"A name has at most {NAME} characters; this one has {len(name):,}."
        )
    elif name:
        request.session[READER] = name
    else:
        request.session.pop(READER, None)
    return redirect(back(request, reverse("home")))


# Labels and notes of another run


@typed("run/carry.html")
def carry(
    request: HttpRequest, view: RunView, *, source: int | None = None
) -> PageResponse[CarryPage]:
    """What would be copied from another run of the corpus, and what would not."""
    source_view = view
    plan = label_transfer.Plan([], [], {})
    if source is not None:
        source_view = RunView(_source(request, source))
        plan = label_transfer.plan(source_view, view)
    return PageResponse(
        CarryPage(
            from_=source,
            offered=label_transfer.labelled(view.run),
            pairs=[
                CarriedPair(
                    links.topic_link(source_view, k),
                    links.topic_link(view, target_topic),
                    similarity,
                    sorted(plan.values.get(target_topic, {})),
                )
                for k, target_topic, similarity in plan.pairs
            ],
            orphans=[links.topic_link(source_view, k) for k in plan.orphans],
            fields=sum(map(len, plan.values.values())),
        )
    )


@require_POST
@looked_up
def carry_over(request: HttpRequest, run: Run) -> HttpResponse:
    with show_errors(request):
        number = request.POST.get("from", "")
        if not is_whole(number):
            raise Invalid("from", "Choose the run whose labels are to be carried over.")
        plan = label_transfer.carry(_source(request, int(number)), run)
        copied = f"{number_of(len(plan.values), 'topic')} took over what run {number} says."
        unmatched = (
            f" {len(plan.orphans):,} of its topics have no match here." if plan.orphans else ""
        )
        messages.success(request, copied + unmatched)
    return redirect("run_curation", run.pk)


def _source(request: HttpRequest, pk: int) -> Run:
    """A run from an address or a form: missing is a mistake of theirs, not a page that is gone."""
    try:
        return (
            authorization.runs(request).select_related("corpus", "version", "snapshot").get(pk=pk)
        )
    except Run.DoesNotExist:
        raise Invalid("from", f"There is no run {pk}.") from None


# what the button says -> the page, the name of its topics, and what else its address says
LOOKS = {
    "only": ("run_topics", "topics", {}),
    "words": ("run_topics", "topics", {"view": "grid"}),
    "time": ("run_topics", "topics", {"view": "time"}),
    "effects": ("run_effects", "topic", {}),
    "steer": ("run_steer", "topics", {}),
}


@require_POST
@looked_up
def look_at_ticked(request: HttpRequest, run: Run) -> HttpResponse:
    """Lead to the page that shows the ticked topics, for the documents that are chosen."""
    ticked = _ticked_topics(request, run)
    do = request.POST.get("do", "")
    if not ticked:
        return _nothing(request, run)
    numbers = ",".join(map(str, ticked))
    query_of_ticked = conditions(request.GET)
    if do == "export":
        url = reverse("export", args=[run.pk, "documents.csv"])
        return redirect(f"{url}?{urlencode([*query_of_ticked, ('topics', numbers)], safe=',')}")
    name, parameter, extra = LOOKS.get(do, LOOKS["only"])
    query = urlencode([*query_of_ticked, *extra.items(), (parameter, numbers)], safe=",")
    return redirect(f"{reverse(name, args=[run.pk])}?{query}")


@require_POST
@looked_up
def edit_ticked(request: HttpRequest, run: Run) -> HttpResponse:
    """Merge, hide, group, move or colour the ticked topics: one entry of the history, which can be
    undone as a whole."""
    ticked = _ticked_topics(request, run)
    do = request.POST.get("do", "")
    if not ticked:
        return _nothing(request, run)
    largest = _largest(RunView(run), ticked)
    with show_errors(request):
        values = _values(ticked, do, request.POST.get(do, ""), largest)
        changed = curation.change_many(run, values, signature(request))
        done = f"{_sentence(ticked, do, largest)}. It can be undone under Labels and notes."
        messages.success(request, done if changed else "Nothing changed.")
    return redirect(back(request, reverse("run_topics", args=[run.pk])))


def _values(ticked: list[int], do: str, text: str, largest: int) -> dict[int, dict[str, str]]:
    if do == "merge":
        if len(ticked) < 2:
            raise Invalid("merge", "Merging needs two topics or more; tick another one.")
        return {k: {"into": str(largest)} for k in ticked if k != largest}
    if do == "hidden":
        return {k: {"hidden": "1"} for k in ticked}
    if do in ("group", "colour"):
        return {k: {do: text} for k in ticked}
    if do == "beside":  # a topic is in a group first, so that one which is moved leaves its own
        return {k: {do: text} | ({"group": ""} if text else {}) for k in ticked if str(k) != text}
    raise Invalid("do", "Choose an action for the ticked topics.")


def _sentence(ticked: list[int], do: str, largest: int) -> str:
    if do == "merge":
        merged = len(ticked) - 1
        are_merged = "1 topic is" if merged == 1 else f"{merged:,} topics are"
        return f"{are_merged} now merged into {topic_label(largest)}"
    count = number_of(len(ticked), "topic")
    return f"{count}: {({'hidden': 'hidden', 'beside': 'family changed'}).get(do, f'{do} changed')}"


def _largest(view: RunView, ticked: list[int]) -> int:
    """The topic with the largest share as lists show it, with the topics that are merged into
    it."""
    measured = measures.of(view.run)
    if not measured:  # before the first snapshot, when no topic can be changed yet
        return ticked[0]
    share = view.labels.merged(measured["share"])
    return max(ticked, key=lambda k: (share[k], -k))


def _ticked_topics(request: HttpRequest, run: Run) -> list[int]:
    return topic_numbers.find_several(request.POST.getlist("topics"), run)


def _nothing(request: HttpRequest, run: Run) -> HttpResponse:
    messages.error(request, "No topic is ticked. Tick one or more first.")
    return redirect(back(request, reverse("run_topics", args=[run.pk])))
