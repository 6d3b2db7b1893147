"""The Celery app: `celery -A tasks worker`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("topograph")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.include = ["tasks.corpora", "tasks.runs", "tasks.liveness"]
