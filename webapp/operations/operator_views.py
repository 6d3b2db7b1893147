"""The operator's page: workers, jobs, disk, database and slow routes, and nothing of what people upload."""

import shutil
import time

import redis
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from webapp.ingest import upload_limits
from webapp.jobs import claims, kinds, roster, teams
from webapp.models import Run
from webapp.operations import health, upkeep
from webapp.operations import operator as queries
from webapp.pages.page import address, number, page
from webapp.runs import services as runs
from webapp.server import concurrency, metrics

SLOWEST = 10
OF_TASK = {kind.task: kind.name for kind in kinds.KINDS}


@never_cache
@require_safe
def index(request: HttpRequest, as_json: bool = False) -> HttpResponse:
    kind, state = request.GET.get("kind", "run"), request.GET.get("state", "work")
    if kind not in queries.KINDS or state not in queries.STATES:
        raise BadRequest(
            f"“kind” must be one of {', '.join(queries.KINDS)}, and “state” one of {', '.join(queries.STATES)}."
        )
    shown, after = queries.jobs(kind, state, number(request, "before"))
    data = {
        "parts": health.readiness().parts,
        "workers": live_workers(),
        "teams": live_teams(),
        "counts": queries.counts(),
        "kind": kind,
        "state": state,
        "jobs": shown,
        "next": address(request, before=after) if after else None,
        "disk": disk(),
        "database": queries.database(),
        "routes": metrics.slowest(SLOWEST),
        "requests": {
            "in_work": concurrency.PAGES.active,
            "waiting": len(concurrency.PAGES.waiting),
            "readers": concurrency.STREAMS.active,
        },
    }
    states = [("work", "at work"), ("waiting", "waiting"), ("failed", "failed")]
    return page(request, "operator/index.html", data, as_json=as_json, states=states, names=NAMES, most=queries.MOST)


NAMES = {
    "run": "Trainings",
    "upload": "Files being stored",
    "corpus": "Corpora being read",
    "version": "Words being chosen",
    "export": "Large files being made",
    "comparison": "Runs being compared",
}


def live_workers() -> list[dict] | None:
    """The roster, with the tasks whose rows are at work; None while Redis does not answer."""
    try:
        workers = roster.live_workers()
    except redis.RedisError:
        return None
    for kind in queries.KINDS:
        keys = [note["key"] for worker in workers for note in worker["doing"] if OF_TASK.get(note["task"]) == kind]
        really = queries.at_work(kind, keys) if keys else set()
        for worker in workers:
            worker["doing"] = [n for n in worker["doing"] if OF_TASK.get(n["task"]) != kind or n["key"] in really]
    now = time.time()
    for worker in workers:
        worker["age"] = now - worker["since"] if worker["since"] else None
        for note in worker["doing"]:
            note |= {"kind": OF_TASK.get(note["task"], ""), "age": now - note["since"]}
    return workers


def live_teams() -> list[dict]:
    """Trainings that the workers of a cluster share; none while Redis does not answer."""
    try:
        return teams.live()
    except redis.RedisError:
        return []


def disk() -> dict:
    """Bytes of the whole disk, and of the parts of the state folder as a worker measured them last."""
    of = shutil.disk_usage(settings.FILES)
    measured = upkeep.sizes() or {"parts": {}, "at": None}
    age = time.time() - measured["at"] if measured["at"] else None
    return {
        "total": of.total,
        "used": of.used,
        "free": of.free,
        "reserve": upload_limits.reserve(),
        "parts": measured["parts"],
        "age": age,
    }


@require_POST
def stop(request: HttpRequest, run_id: int) -> HttpResponse:
    """End a training, which keeps its topics; cancel one that waits."""
    run = Run.objects.filter(pk=run_id).first()
    if run is None:
        raise Http404(f"There is no run {run_id}.")
    if run.status == Run.Status.QUEUED:
        runs.cancel(run)
    else:
        runs.stop(run)
    messages.success(request, f"Run {run_id} is told to stop.")
    return redirect(f"{reverse('operator')}?kind=run&state=work")


@require_POST
def again(request: HttpRequest, kind: str, key: int) -> HttpResponse:
    """Queue a failed job again; it continues where it was."""
    if kind not in queries.KINDS or not queries.KINDS[kind].model.objects.filter(pk=key).exists():
        raise Http404(f"There is no {kind} {key}.")
    if claims.retry(queries.KINDS[kind], key):
        messages.success(request, f"{kind.capitalize()} {key} waits for a worker again.")
    else:
        messages.error(request, f"{kind.capitalize()} {key} has not failed, or not any more.")
    return redirect(f"{reverse('operator')}?kind={kind}&state=failed")
