"""Tidying up: whatever no row points to any more, in the database and on disk."""

import shutil

import structlog
from django.conf import settings

from webapp import bulk
from webapp.models import Corpus, Run, Version
from webapp.services import uploads

log = structlog.get_logger(__name__)


def tidy() -> None:
    """Safe at any time, in any number of processes: it only takes what has no row."""
    for table, key in bulk.orphans():
        bulk.drop(table, key)
    for model, kind in ((Corpus, "corpora"), (Version, "versions"), (Run, "runs")):
        parent = settings.FILES / kind
        folders = {int(f.name): f for f in parent.iterdir() if f.name.isdigit()} if parent.is_dir() else {}
        known = set(model.objects.filter(pk__in=folders).values_list("pk", flat=True))
        for pk in folders.keys() - known:
            shutil.rmtree(folders[pk], ignore_errors=True)
            log.info("removed files that belong to nothing", kind=kind, key=pk)
    uploads.tidy()
