"""Running one job in a worker: claim it, hold its files, do the work, and end it whatever happens."""

from collections.abc import Callable

from django.db import InterfaceError, OperationalError

from inference.errors import Invalid
from webapp.jobs import claims, scheduler
from webapp.jobs.file_lock import LockHeld, file_lock
from webapp.jobs.heartbeat import Heartbeat
from webapp.jobs.kinds import JobKind
from webapp.storage import disk
from webapp.storage.s3 import StoreAway

TRANSIENT = (OperationalError, InterfaceError, LockHeld)  # Postgres is away, or another process can't be ended


def run_next(
    kind: JobKind,
    pk: int,
    work: Callable[[int, int, Heartbeat], None],
    refusals: tuple[type[Exception], ...] = (Invalid,),
) -> None:
    """Do job `pk`, or the one that is due before it.

    work: called with the job's number, the attempt and its heartbeat. refusals: exceptions whose message is a sentence
    for the user. Raises what is transient: the heartbeat stops, and the sweep queues the job again.
    """
    claimed = scheduler.claim_next_job(kind, pk)
    if claimed is None:
        return
    pk, attempt = claimed
    try:
        with Heartbeat(kind, pk, attempt) as beat, file_lock(kind.folder(pk)):
            work(pk, attempt, beat)
    except claims.ClaimLost:
        return
    except TRANSIENT as error:
        if not disk.is_full(error):
            raise
        claims.wait_for_disk(kind, pk, attempt)
    except StoreAway as error:
        claims.wait_for_store(kind, pk, attempt, error)
    except refusals as error:
        claims.fail(kind, pk, attempt, str(error))
    except Exception:
        claims.crash(kind, pk, attempt)
    finally:
        scheduler.dispatch_next(kind)
