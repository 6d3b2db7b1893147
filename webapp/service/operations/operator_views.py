"""The operator's page: workers, jobs, disk, database and slow routes, and nothing of what people
upload."""

import shutil
import time

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from webapp.core.runs import services as runs
from webapp.intake.ingest import corpora, upload_limits, versions
from webapp.models import Run
from webapp.platform.jobs import claims, events, kinds, roster, teams
from webapp.platform.pages.page import show_errors
from webapp.platform.pages.typed import PageQuery, PageResponse, typed
from webapp.platform.server import concurrency, metrics
from webapp.service.operations import health, operator as queries, upkeep
from webapp.service.operations.shapes import (
    Disk,
    Doing,
    OperatorHtml,
    OperatorPage,
    Requests,
    Team,
    TeamWorker,
    Worker,
)

SLOWEST = 10
OF_TASK = {kind.task: kind for kind in kinds.KINDS}
NAMES = {kind.name: kind.title for kind in kinds.KINDS}
NAMES_OF_STATES = {"work": "at work", "waiting": "waiting", "failed": "failed"}
HTML = OperatorHtml(NAMES, NAMES_OF_STATES, queries.MOST_COUNTED_FAILURES)


@never_cache
@typed("operator/index.html")
def index(
    page_query: PageQuery, *, kind: str = "run", state: str = "work", before: int | None = None
) -> PageResponse[OperatorPage]:
    """What the system does, and a list of the jobs of one kind in one state."""
    if kind not in queries.KINDS or state not in queries.STATES:
        raise BadRequest(
            f"“kind” must be one of {', '.join(queries.KINDS)}, and “state” one of"
            f" {', '.join(queries.STATES)}."
        )
    jobs, following = queries.jobs(kind, state, before)
    page = OperatorPage(
        parts=health.readiness().parts,
        workers=live_workers(),
        teams=live_teams(),
        counts=queries.counts(),
        kind=kind,
        state=state,
        jobs=jobs,
        next=page_query.url(before=following) if following else None,
        disk=disk(),
        database=queries.database(),
        routes=metrics.slowest(SLOWEST),
        requests=Requests(
            concurrency.PAGES.active, len(concurrency.PAGES.waiting), concurrency.STREAMS.active
        ),
    )
    return PageResponse(page, lambda: HTML)


@events.while_away(None)
def live_workers() -> list[Worker] | None:
    """The roster, with the tasks whose rows are at work; None while Redis does not answer."""
    workers = roster.live_workers()
    keys: dict[kinds.JobKind, list[int]] = {kind: [] for kind in OF_TASK.values()}
    for worker in workers:
        for note in worker["doing"]:
            if note["task"] in OF_TASK:
                keys[OF_TASK[note["task"]]].append(note["key"])
    at_work = {kind: queries.at_work(kind, keys_of_kind) for kind, keys_of_kind in keys.items()}
    return [_worker(worker, at_work) for worker in workers]


def _worker(worker: dict, at_work: dict[kinds.JobKind, set[int]]) -> Worker:
    now = time.time()
    doing = []
    for note in worker["doing"]:
        kind = OF_TASK.get(note["task"])
        # That of a process that was killed has a job which is not at work
        if kind is None or note["key"] in at_work[kind]:
            name = kind.name if kind else ""
            doing.append(Doing(**note, kind=name, age=now - note["since"]))
    age = now - worker["since"] if worker["since"] else None
    return Worker(**worker | {"age": age, "doing": doing})


@events.while_away([])
def live_teams() -> list[Team]:
    """Trainings that the workers of a cluster share; none while Redis does not answer."""
    live = []
    for team in teams.live():
        workers = [TeamWorker(**worker) for worker in team["workers"]]
        live.append(Team(**team | {"workers": workers}))
    return live


def disk() -> Disk:
    """Bytes of the whole disk, and of the parts of the state folder as a worker measured them
    last."""
    usage = shutil.disk_usage(settings.FILES)
    sizes = upkeep.sizes()
    return Disk(
        usage.total,
        usage.used,
        usage.free,
        upload_limits.reserve(),
        sizes.get("parts", {}),
        time.time() - sizes["at"] if sizes else None,
    )


@require_POST
def stop(request: HttpRequest, run_id: int) -> HttpResponse:
    """End a training, which keeps its topics; cancel one that waits."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    end = runs.stop
    if run.status == Run.Status.QUEUED:
        end = runs.cancel
    if end(run):
        messages.success(request, f"Run {run_id} is told to stop.")
    else:
        messages.error(request, runs.why_not_stopped(run))
    return redirect(f"{reverse('operator')}?kind=run&state=work")


@require_POST
def retry_job(request: HttpRequest, kind: str, key: int) -> HttpResponse:
    """Queue a failed job again; it continues where it was."""
    if kind not in queries.KINDS or not queries.KINDS[kind].model.objects.filter(pk=key).exists():
        raise Http404(f"There is no {kind} {key}.")
    with show_errors(request):
        if _retry(queries.KINDS[kind], key):
            messages.success(request, f"{kind.capitalize()} {key} waits for a worker again.")
        else:
            messages.error(request, f"{kind.capitalize()} {key} has not failed, or not any more.")
    return redirect(f"{reverse('operator')}?kind={kind}&state=failed")


def _retry(kind: kinds.JobKind, key: int) -> bool:
    """Whether there was such a job that had failed. Raises Invalid where what it works on has
    changed since."""
    if kind is kinds.VECTORIZE:
        return versions.retry(key)
    if kind is kinds.READ:
        return corpora.retry(key)
    return claims.retry(kind, key)
