"""The Celery app: `celery -A tasks worker`."""

import os

from celery import Celery, signals
from django_structlog.celery.steps import DjangoStructLogInitStep

from tasks.pulse import Pulse

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("topograph")
app.config_from_object("django.conf:settings", namespace="CELERY")
# A line for each task, under the id of the request that queued it
app.steps["worker"].add(DjangoStructLogInitStep)
app.steps["consumer"].add(Pulse)
app.conf.include = ["tasks.codebook", "tasks.corpora", "tasks.runs", "tasks.worker"]


@signals.setup_logging.connect
def _(**_):
    """Logs are Django's (webapp.platform.logs): Celery would print what tasks raise, with its
    message."""
    from webapp.platform import logs

    logs.guard()
