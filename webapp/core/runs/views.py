"""Runs: watching one train, what can be done to it, and training again from a finished one: from
its topics as they were changed (steering), or without some words.
"""

from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from webapp.core.documents import facets
from webapp.core.results import links
from webapp.core.results.topics import numbers, top_words
from webapp.core.results.view import RunView
from webapp.core.runs import excluded_words, queries, replicates, series, services as runs, steering
from webapp.core.runs.shapes import Forming, RunHtml, RunPage, SteerPage, TickedTopic, WithoutPage
from webapp.core.simulate import truth
from webapp.intake.ingest import forms, version_history
from webapp.models import Metric, Run
from webapp.platform.accounts import authorization
from webapp.platform.jobs import roster, scheduler
from webapp.platform.pages.page import looked_up, told
from webapp.platform.pages.typed import Answer, HtmlAnswer, typed
from webapp.platform.server import live


@typed("run/detail.html")
def detail(
    request: HttpRequest, run: Run, view: RunView, *, step: int | None = None
) -> Answer[RunPage]:
    """A run, at any time of its life. step: of `forming`."""
    seconds, tokens, metrics = run.seconds, run.tokens_seen, list(run.metrics.order_by("step"))
    few = run.topics <= queries.LINES
    waits = run.status == Run.Status.QUEUED
    before = scheduler.ahead(run) if waits else 0
    return Answer(
        RunPage(
            run=replace(queries.about(run), url=view.go("run")),
            id=run.pk,
            status=run.status,
            request=run.request,
            error=run.error,
            step=run.step,
            steps=run.steps,
            pass_=queries.current_pass(run),
            passes=queries.passes(run),
            tokens=tokens,
            seconds=seconds,
            left=series.left(
                [(metric.step, metric.seconds) for metric in metrics], run.step, seconds, run.steps
            )
            if run.status == Run.Status.RUNNING
            else None,
            tokens_per_second=tokens / seconds if seconds else None,
            documents_per_second=queries.documents_seen(run) / seconds if seconds else None,
            workers=roster.count_workers(),
            queue_ahead=before,
            queue_seconds=scheduler.wait(before) if waits else None,
            metrics=queries.curves(metrics),
            says=series.progress(
                [metric.step for metric in metrics],
                [metric.held_out for metric in metrics],
                run.status not in (Run.Status.QUEUED, Run.Status.RUNNING),
            ),
            forming=queries.forming(view, step),
            shown=run.topics if run.in_use is None else run.in_use,
            hues=links.hues(view) if few else None,
            names=[view.labels.name(k) for k in range(run.topics)] if few else None,
            url_overview=view.go("run_overview"),
            url_forming=view.go("run_forming_json"),
            url_events=view.go("run_events"),
            other_seeds=replicates.state(run),
        ),
        partial(_html, run, metrics, "step" in request.GET),
    )


def _html(run: Run, metrics: list[Metric], pinned: bool) -> RunHtml:
    columns = series.offered(series.COLUMNS, [run.engine])
    return RunHtml(
        settings=forms.described(run),
        width=queries.WIDTH,
        height=queries.HEIGHT,
        pinned=pinned,
        columns=columns,
        charts=series.offered(series.CHARTS, [run.engine]),
        measured=series.table(series.columns(metrics), columns)[::-1],
        older=version_history.said(run),
        simulated=truth.exists(run.corpus),
        train_on=runs.train_on_said(run),
    )


@typed({})
def forming(
    request: HttpRequest, view: RunView, as_json: bool, *, step: int | None = None
) -> Answer[Forming] | HttpResponse:
    """The topics at a step: as JSON alone, as the run's page asks for them while its slider moves;
    else that page."""
    return Answer(queries.forming(view, step)) if as_json else detail(request, run=view.run)


@require_safe
async def watch(request: HttpRequest, run_id: int) -> HttpResponse:
    if not await Run.objects.filter(pk=run_id).aexists():
        raise Http404(f"There is no run {run_id}.")
    return live.response(request, run=run_id)


@require_POST
@looked_up
def stop(request: HttpRequest, run: Run) -> HttpResponse:
    runs.stop(run)
    return redirect("run", run.pk)


@require_POST
@looked_up
def cancel(request: HttpRequest, run: Run) -> HttpResponse:
    runs.cancel(run)
    return redirect("run", run.pk)


@require_POST
@looked_up
def train_again(request: HttpRequest, run: Run) -> HttpResponse:
    made = (runs.train_on if "on" in request.POST else runs.train_again)(
        run, authorization.user(request)
    )
    return redirect("run", made.pk)


@require_POST
@looked_up
def continue_with(request: HttpRequest, run: Run) -> HttpResponse:
    """Continue from this run’s topics on the newest version of its corpus."""
    return redirect(
        "run", runs.continue_with(run, run.corpus.version, authorization.user(request)).pk
    )


@require_POST
@looked_up
def other_seeds(request: HttpRequest, run: Run) -> HttpResponse:
    """Train with other seeds; or do so no more; or train one run of all."""
    if "join" in request.POST:
        return redirect("run", steering.join(run, authorization.user(request)).pk)
    (replicates.cancel if "cancel" in request.POST else replicates.begin)(run)
    return redirect(links.seeds_url(run))


WORDS = 8  # of each topic that is offered
ASKED = (
    "merge",
    "split",
    "together",
    "never",
)  # fields of the form, which stay filled where they can't be done
KEPT = 400  # characters of each
NONE: list[str] = []


@typed("run/steer.html")
def steer(
    run: Run,
    view: RunView,
    *,
    topics: list[str] = NONE,
    merge: str = "",
    split: str = "",
    together: str = "",
    never: str = "",
) -> HtmlAnswer[SteerPage]:
    """The form: ?topics= are ticked, and the other parameters are what its fields begin with."""
    ticked = numbers(",".join(topics).split(","), run)[: steering.MOST] if run.final else []
    words = top_words(view, ticked, WORDS) if ticked else {}
    merged, parted = merge.split(","), split.split(",")
    return HtmlAnswer(
        SteerPage(
            ready=run.final and runs.can_be_continued(run),
            ticked=[
                TickedTopic(
                    **vars(links.topic_link(view, k)),
                    words=words[k],
                    merge=str(k) in merged,
                    split=str(k) in parted,
                )
                for k in ticked
            ],
            others=run.final and 0 < len(view.topics) <= facets.OFFERED,
            together=together[:KEPT],
            never=never[:KEPT],
            steered=steering.steered(run),
        )
    )


@require_POST
@looked_up
def train_steered(request: HttpRequest, run: Run) -> HttpResponse:
    with told(request):
        return redirect(
            "run", steering.start(run, steering.Wish.read(request.POST, run), request.user).pk
        )
    sent = {name: ",".join(request.POST.getlist(name))[:KEPT] for name in ("shown", *ASKED)}
    sent["topics"] = sent.pop("shown")
    kept = urlencode({name: text for name, text in sent.items() if text})
    return redirect(reverse("run_steer", args=[run.pk]) + f"?{kept}")


@typed("run/without.html")
def without(
    run: Run, view: RunView, *, topic: int | None = None, words: list[str] = NONE
) -> Answer[WithoutPage]:
    """Choose words to leave out: those of ?topic=, and any that are typed or stand in ?words=."""
    runs.warm_starter(run)  # or says that there is none
    if topic is not None and topic >= run.topics:
        topic = None
    return Answer(
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
    more = request.POST.get("more", "").replace(",", " ").split()
    with told(request):
        return redirect(
            "run", runs.without(run, [*request.POST.getlist("words"), *more], request.user).pk
        )
    return redirect("run_without", run.pk)
