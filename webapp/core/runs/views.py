"""Runs: watching one train, what can be done to it, and training again from a finished one: from
its topics as they were changed (steering), or without some words.
"""

from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.core.asked_training.described import describe_settings
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents import facets
from webapp.core.results import links, topic_numbers
from webapp.core.results.topic_numbers import TopicParameter
from webapp.core.results.topics import top_words
from webapp.core.results.view import RunView
from webapp.core.runs import excluded_words, queries, replicates, series, services as runs, steering
from webapp.core.runs.shapes import Forming, RunHtml, RunPage, SteerPage, TickedTopic, WithoutPage
from webapp.core.simulate import truth
from webapp.intake.ingest import version_history
from webapp.models import Metric, Run
from webapp.platform.accounts import authorization
from webapp.platform.jobs import roster, scheduler
from webapp.platform.pages.page import check_act, looked_up, show_errors
from webapp.platform.pages.typed import NO_TEXTS, HtmlPageResponse, PageResponse, typed
from webapp.platform.received import words_typed
from webapp.platform.server import live


@typed("run/detail.html")
def detail(
    request: HttpRequest, run: Run, view: RunView, *, step: int | None = None
) -> PageResponse[RunPage]:
    """A run, at any time of its life. step: of `forming`."""
    metrics = list(run.metrics.order_by("step"))
    seconds = run.seconds
    is_waiting = run.status == Run.Status.QUEUED
    ahead = scheduler.ahead(run) if is_waiting else 0
    has_lines = run.topics <= queries.LINES  # of each topic, in the chart of coherence
    page = RunPage(
        run=replace(queries.about(run), url=view.go("run")),
        id=run.pk,
        status=run.status,
        request=run.request,
        error=run.error,
        notice=run.shown_notice,
        step=run.step,
        steps=run.steps,
        pass_=queries.current_pass(run),
        passes=queries.passes(run),
        tokens=run.tokens_seen,
        seconds=seconds,
        left=_seconds_left(run, metrics),
        tokens_per_second=run.tokens_seen / seconds if seconds else None,
        documents_per_second=queries.documents_seen(run) / seconds if seconds else None,
        workers=roster.count_workers(),
        queue_ahead=ahead,
        queue_seconds=scheduler.wait(ahead) if is_waiting else None,
        metrics=queries.curves(metrics),
        says=_said_of_progress(run, metrics),
        forming=queries.forming(view, step),
        shown=run.topics if run.in_use is None else run.in_use,
        hues=links.hues(view) if has_lines else None,
        names=list(map(view.labels.name, range(run.topics))) if has_lines else None,
        url_overview=view.go("run_overview"),
        url_forming=view.go("run_forming_json"),
        url_events=view.go("run_events"),
        other_seeds=replicates.state(run),
    )
    return PageResponse(page, partial(_html, run, metrics, "step" in request.GET))


def _seconds_left(run: Run, metrics: list[Metric]) -> float | None:
    if run.status != Run.Status.RUNNING:
        return None
    points = [(metric.step, metric.seconds) for metric in metrics]
    return series.left(points, run.step, run.seconds, run.steps)


def _said_of_progress(run: Run, metrics: list[Metric]) -> str:
    has_ended = run.status not in (Run.Status.QUEUED, Run.Status.RUNNING)
    steps = [metric.step for metric in metrics]
    return series.progress(steps, [metric.held_out for metric in metrics], has_ended)


def _html(run: Run, metrics: list[Metric], pinned: bool) -> RunHtml:
    columns = series.offered(series.COLUMNS, [run.engine])
    return RunHtml(
        settings=describe_settings(run),
        width=queries.WIDTH,
        height=queries.HEIGHT,
        pinned=pinned,
        columns=columns,
        charts=series.offered(series.CHARTS, [run.engine]),
        measured=series.table(series.columns(metrics), columns)[::-1],
        older=version_history.difference_to_newest(run),
        simulated=truth.exists(run.corpus),
        train_on=runs.train_on_said(run),
        steering=Steering.of_run(run),
    )


@typed({})
def forming(
    request: HttpRequest, view: RunView, as_json: bool, *, step: int | None = None
) -> PageResponse[Forming] | HttpResponse:
    """The topics at a step: as JSON alone, as the run's page asks for them while its slider moves;
    else that page."""
    if not as_json:
        return detail(request, run=view.run)
    return PageResponse(queries.forming(view, step))


@require_safe
async def watch(request: HttpRequest, run_id: int) -> HttpResponseBase:
    if not await Run.objects.filter(pk=run_id).aexists():
        raise Http404(f"There is no run {run_id}.")
    return live.response(request, run=run_id)


@require_POST
@looked_up
def stop(request: HttpRequest, run: Run) -> HttpResponse:
    if not runs.stop(run):
        messages.error(request, runs.why_not_stopped(run))
    return redirect("run", run.pk)


@require_POST
@looked_up
def cancel(request: HttpRequest, run: Run) -> HttpResponse:
    if not runs.cancel(run):
        messages.error(request, runs.why_not_stopped(run))
    return redirect("run", run.pk)


@require_POST
@looked_up
def train_again(request: HttpRequest, run: Run) -> HttpResponse:
    """Train with the same settings; or on from its topics."""
    act = request.POST.get("act", "")
    check_act(act, ("again", "on"))
    user = authorization.user(request)
    with show_errors(request):
        if act == "again":
            return redirect("run", runs.train_again(run, user).pk)
        return redirect("run", runs.train_on(run, user).pk)
    return redirect("run", run.pk)


@require_POST
@looked_up
def continue_with(request: HttpRequest, run: Run) -> HttpResponse:
    """Continue from this run’s topics on the newest version of its corpus."""
    with show_errors(request):
        version = run.corpus.version
        if version is None:
            raise Invalid(
                "version",
                f"“{run.corpus.name}” has no version with which run {run.pk} could continue. Choose"
                " its words first.",
            )
        return redirect("run", runs.continue_with(run, version, authorization.user(request)).pk)
    return redirect("run", run.pk)


@require_POST
@looked_up
def other_seeds(request: HttpRequest, run: Run) -> HttpResponse:
    """Train with other seeds; or do so no more; or train one run of all."""
    act = request.POST.get("act", "")
    check_act(act, ("train", "cancel", "join"))
    with show_errors(request):
        if act == "join":
            return redirect("run", steering.join(run, authorization.user(request)).pk)
        if act == "train":
            replicates.begin(run)
        else:
            replicates.cancel(run)
    return redirect(links.seeds_url(run))


WORDS_OF_TOPIC = 8  # of each topic that is offered
# Fields of the form, which stay filled where they can't be done
FIELDS = ("merge", "split", "together", "never")
LONGEST_PAIR_LIST = 400  # characters of each


@typed("run/steer.html")
def steer(
    run: Run,
    view: RunView,
    *,
    topics: list[str] = NO_TEXTS,
    merge: str = "",
    split: str = "",
    together: str = "",
    never: str = "",
) -> HtmlPageResponse[SteerPage]:
    """The form: ?topics= are ticked, and the other parameters are what its fields begin with."""
    ticked: list[int] = []
    if run.final:
        ticked = topic_numbers.find_several(",".join(topics).split(","), run)[
            : steering.MOST_STEERED
        ]
    words = top_words(view, ticked, WORDS_OF_TOPIC) if ticked else {}
    to_merge = merge.split(",")
    to_split = split.split(",")
    rows = [
        TickedTopic(
            **vars(links.topic_link(view, k)),
            words=words[k],
            merge=str(k) in to_merge,
            split=str(k) in to_split,
        )
        for k in ticked
    ]
    page = SteerPage(
        ready=run.final and runs.can_be_continued(run),
        ticked=rows,
        others=run.final and 0 < len(view.topics) <= facets.VALUES_OFFERED,
        together=together[:LONGEST_PAIR_LIST],
        never=never[:LONGEST_PAIR_LIST],
        steered=steering.steered(run),
    )
    return HtmlPageResponse(page)


@require_POST
@looked_up
def train_steered(request: HttpRequest, run: Run) -> HttpResponse:
    with show_errors(request):
        wish = steering.Wish.read(request.POST, run)
        return redirect("run", steering.start(run, wish, authorization.user(request)).pk)
    typed_again = {}
    for name in (*FIELDS, "shown"):
        text = ",".join(request.POST.getlist(name))[:LONGEST_PAIR_LIST]
        if text:
            typed_again["topics" if name == "shown" else name] = text
    return redirect(reverse("run_steer", args=[run.pk]) + f"?{urlencode(typed_again)}")


@typed("run/without.html")
def without(
    run: Run, view: RunView, *, topic: TopicParameter = None, words: list[str] = NO_TEXTS
) -> PageResponse[WithoutPage]:
    """Choose words to leave out: those of ?topic=, and any that are typed or stand in ?words=."""
    runs.warm_starter(run)  # or says that there is none
    if topic is not None and topic >= run.topics:
        topic = None
    return PageResponse(
        WithoutPage(
            topic=None if topic is None else links.topic_link(view, topic),
            words=excluded_words.offered(run, topic, words),
            dropped=run.dropped,
            parent=run.begun_with.pk if run.begun_with else None,
            children=excluded_words.children(run),
        )
    )


@require_POST
@looked_up
def train_without(request: HttpRequest, run: Run) -> HttpResponse:
    added_words = words_typed(request.POST.get("more", ""))
    with show_errors(request):
        words = [*request.POST.getlist("words"), *added_words]
        return redirect("run", runs.without(run, words, authorization.user(request)).pk)
    return redirect("run_without", run.pk)
