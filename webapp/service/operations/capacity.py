"""What this machine bears when so many readers work at once, in sentences, and what to set."""

import os
import shutil

from django.conf import settings

from inference.runtime.memory import physical
from webapp.platform.drawing.numbers import bytes as size, duration
from webapp.platform.jobs import scheduler
from webapp.service.courses.services import MAY_HAVE

# By benchmarks.class_of_forty: processor seconds of a page, and of a training of 2 MB with the
# topics of all documents; a reader asks for a page so many seconds after the one before
PAGE, TRAINING, THINKS = 0.1, 10.0, 4.0
PROCESS, SERVERS = 1 << 30, 2 << 30  # bytes of memory of a web process or a worker's; of the rest


def sentences(readers: int) -> list[str]:
    """One for each thing that may be short: enough, or what to do."""
    cores, web = os.cpu_count() or 1, int(os.environ.get("TOPOGRAPH_WEB") or 1)
    places = scheduler.training_places()
    last = scheduler.seconds_of_trainings() or TRAINING
    wanted = -(-readers * PAGE // THINKS)
    memory, free = physical(), shutil.disk_usage(settings.DATA).free
    needed = SERVERS + PROCESS * (web + places + 1)
    # Five bytes on the disk for each that is uploaded: the texts in Postgres, words, runs
    disk = 5 * MAY_HAVE["most_bytes"] * readers
    return [
        _judged(
            settings.ACCOUNTS,
            "Accounts are on.",
            "Accounts are off: nobody can come from another machine. Set TOPOGRAPH_ACCOUNTS=1"
            " (docs/accounts.md).",
        ),
        _judged(
            web >= wanted,
            f"Pages: {web} web process{'' if web == 1 else 'es'} on {cores} cores, enough for"
            f" {readers} readers.",
            f"Pages: {readers} readers need {wanted:.0f} web processes, there is {web}, on {cores}"
            " cores: start with --web "
            f"{min(wanted, cores):.0f}{'' if wanted <= cores else ', on a machine with more cores'}.",
        ),
        (
            f"       Trainings: {places} at once. If all {readers} train at once, about"
            f" {duration(last)} each, the last begins after"
            f" {duration(last * (readers - 1) / places)}; its page says so."
        ),
        *(
            [
                _judged(
                    memory >= needed,
                    f"Memory: {size(memory)}, enough.",
                    f"Memory: {size(memory)}, where about {size(needed)} are wanted: fewer workers"
                    " or web processes.",
                )
            ]
            if memory
            else []
        ),
        _judged(
            free >= disk,
            f"Disk: {size(free)} are free, enough if each of {readers} students uploads all they"
            " may.",
            f"Disk: {size(free)} are free; if each of {readers} students uploads all they may,"
            f" {size(disk)} are needed.",
        ),
    ]


def _judged(enough: bool, good: str, short: str) -> str:
    return f"ok     {good}" if enough else f"SHORT  {short}"
