"""The Celery app: `celery -A tasks worker`."""

import gc
import os

from celery import Celery, Task, signals
from django_structlog.celery.steps import DjangoStructLogInitStep

from tasks.pulse import Pulse
from webapp.platform import garbage

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")


class ProgramTask(Task):
    """In a task the program itself reads texts, unless the task says for whom
    (webapp.platform.accounts.embargo)."""

    def __call__(self, *arguments: object, **named_arguments: object) -> object:
        from webapp.platform.accounts import embargo  # its models need Django, which is not set up

        with embargo.as_program():
            return self.run(*arguments, **named_arguments)


app = Celery("topograph", task_cls=ProgramTask)
app.config_from_object("django.conf:settings", namespace="CELERY")
# A line for each task, under the id of the request that queued it
app.steps["worker"].add(DjangoStructLogInitStep)
app.steps["consumer"].add(Pulse)
app.conf.include = ["tasks.codebook", "tasks.corpora", "tasks.runs", "tasks.worker"]


@signals.import_modules.connect
def pause_collector(**_):
    """A worker begins to import the modules of its tasks."""
    garbage.pause()


@signals.worker_init.connect
def resume_collector(**_):
    """It has imported them, and has forked no process yet."""
    garbage.resume()


@signals.worker_process_init.connect
def resume_collector_of_process(**_):
    """A process that was not forked, as on macOS, has imported the modules of its tasks itself."""
    if not gc.isenabled():
        garbage.resume()


@signals.setup_logging.connect
def _(**_):
    """Logs are Django's (webapp.platform.logs): Celery would print what tasks raise, with its
    message."""
    from webapp.platform import logs

    logs.guard()
