"""Which uploads are being made a corpus: each by one request at a time, of this process or another.

A request writes the ids of its uploads to a file, and holds a lock of the kernel on that file, which
ends with its process. It is one file, however many uploads there are: a process may open only so
many.
"""

import fcntl
import json
import secrets
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import BinaryIO

from django.conf import settings

from webapp.intake.ingest.upload_limits import Refused, one_process_at_a_time, refuse_when_full

PREFIX = "claim-"  # of the names of these files, which lie among the uploads
NAME_BYTES = 10  # of its end; no upload has a name as long
TAKEN = (
    "These files are being made a corpus by another request. Wait for its answer; if it could not"
    " be done, send this one again."
)


@contextmanager
def claimed(upload_ids: Collection[str]) -> Iterator[None]:
    """No other request has any of these uploads meanwhile. Raises Refused where one has."""
    path = settings.FILE_UPLOAD_TEMP_DIR / f"{PREFIX}{secrets.token_hex(NAME_BYTES)}"
    with ExitStack() as stack:
        with refuse_when_full(), one_process_at_a_time():
            _check_unclaimed(set(upload_ids))
            claim = stack.enter_context(path.open("xb"))
            stack.callback(path.unlink, missing_ok=True)
            fcntl.flock(claim, fcntl.LOCK_EX)
            claim.write(json.dumps(list(upload_ids)).encode())
            claim.flush()
        yield


@contextmanager
def unclaimed(upload_ids: Collection[str]) -> Iterator[None]:
    """No request is making a corpus of these uploads, and none begins to before this ends: it must
    be short. It writes nothing, so it works on a full disk. Raises Refused where one has them."""
    with one_process_at_a_time():
        _check_unclaimed(set(upload_ids))
        yield


def _check_unclaimed(upload_ids: set[str]) -> None:
    """Raises Refused. Removes what processes that were killed have left."""
    for path in settings.FILE_UPLOAD_TEMP_DIR.glob(f"{PREFIX}*"):
        with suppress(FileNotFoundError), path.open("rb") as claim:  # or it ended just now
            if _is_left(claim):
                path.unlink()
            elif not upload_ids.isdisjoint(json.loads(claim.read())):
                raise Refused(409, TAKEN)


def _is_left(claim: BinaryIO) -> bool:
    """Whether the process that made a claim is gone."""
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
