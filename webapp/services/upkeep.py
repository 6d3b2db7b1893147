"""Tidying up: whatever no row points to any more, in the database and on disk."""

import logging
import shutil
import time

from django.conf import settings

from webapp import bulk
from webapp.models import Corpus, Run, Version

log = logging.getLogger(__name__)

UPLOAD_SECONDS = 24 * 3600  # an upload's temporary file that old belongs to nobody


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
            log.info("removed the files of %s %d", kind, pk)
    for file in settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        if file.stat().st_mtime < time.time() - UPLOAD_SECONDS:
            file.unlink(missing_ok=True)
