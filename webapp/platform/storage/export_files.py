"""Files that were made of runs, for whoever asked: taken away."""

import shutil
from functools import partial

from django.db import transaction
from django.db.models import QuerySet

from webapp.models import Export
from webapp.platform.storage import files


def remove(exports: QuerySet[Export]) -> None:
    """The rows first: nobody is led to a file that is gone. A process that makes one notices that
    it is not wanted."""
    keys = list(exports.values_list("pk", flat=True))
    Export.objects.filter(pk__in=keys).delete()
    for key in keys:
        transaction.on_commit(partial(shutil.rmtree, files.export_folder(key), ignore_errors=True))
