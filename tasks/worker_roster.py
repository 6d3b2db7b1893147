"""Notes for the operator of which worker does what (webapp.jobs.roster)."""

import os

from celery.signals import task_postrun, task_prerun, worker_ready

from webapp.jobs import roster


@worker_ready.connect
def began(sender, **_):
    roster.began(f"{sender.hostname}:{os.getpid()}", sender.pool.limit or 1)


@task_prerun.connect
def takes(task_id, task, args, **_):
    if (
        args and isinstance(args[0], int) and task.request.hostname
    ):  # called by a worker; its children are of its process
        roster.takes(task_id, f"{task.request.hostname}:{os.getppid()}", task.name, args[0])


@task_postrun.connect
def ended(task_id, **_):
    roster.ended(task_id)
