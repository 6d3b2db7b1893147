"""What this machine bears when so many readers work at once, in sentences, and what to set."""

import math
import os
import shutil

from django.conf import settings

from inference.runtime.memory import usable_memory
from webapp.platform.drawing.numbers import byte_size, duration
from webapp.platform.jobs import scheduler
from webapp.service.courses.services import MAY_HAVE

# By benchmarks.class_of_forty
PAGE = 0.1  # processor seconds
TRAINING = 10.0  # processor seconds of 2 MB of texts, with the topics of all documents
THINKS = 4.0  # seconds from one page to the next that a reader asks for
# Bytes of memory
PROCESS = 1 << 30  # of a web process, or a worker's
SERVERS = 2 << 30  # of all else
# Bytes on the disk for each that is uploaded: the texts in Postgres, words, runs
DISK_FOR_UPLOADED = 5


def sentences(readers: int) -> list[str]:
    """One for each thing that may be short: enough, or what to do."""
    web_processes = int(os.environ.get("TOPOGRAPH_WEB") or 1)
    places = scheduler.training_places()
    sentences = [
        _accounts(),
        _pages(readers, web_processes),
        _trainings(readers, places),
        _memory(web_processes, places),
        _disk(readers),
    ]
    return [sentence for sentence in sentences if sentence]


def _accounts() -> str:
    return _judge(
        settings.ACCOUNTS,
        "Accounts are on.",
        "Accounts are off: nobody can come from another machine. Set TOPOGRAPH_ACCOUNTS=1"
        " (docs/accounts.md).",
    )


def _pages(readers: int, processes: int) -> str:
    cores = os.cpu_count() or 1
    needed = math.ceil(readers * PAGE / THINKS)
    plural = "" if processes == 1 else "es"
    more_cores = "" if needed <= cores else ", on a machine with more cores"
    return _judge(
        processes >= needed,
        f"Pages: {processes} web process{plural} on {cores} cores, enough for {readers} readers.",
        f"Pages: {readers} readers need {needed} web processes, there is {processes}, on {cores}"
        f" cores: start with --web {min(needed, cores)}{more_cores}.",
    )


def _trainings(readers: int, places: int) -> str:
    """places: how many train at once."""
    seconds = scheduler.seconds_of_trainings() or TRAINING
    last_begins = seconds * (readers - 1) / places
    return (
        f"       Trainings: {places} at once. If all {readers} train at once, about"
        f" {duration(seconds)} each, the last begins after {duration(last_begins)}; its page says"
        " so."
    )


def _memory(web_processes: int, places: int) -> str:
    """ "" where it is not known."""
    memory = usable_memory()
    if not memory:
        return ""
    needed = SERVERS + PROCESS * (web_processes + places + 1)
    return _judge(
        memory >= needed,
        f"Memory: {byte_size(memory)}, enough.",
        f"Memory: {byte_size(memory)}, where about {byte_size(needed)} are wanted: fewer workers or web"
        " processes.",
    )


def _disk(readers: int) -> str:
    free = shutil.disk_usage(settings.DATA).free
    needed = DISK_FOR_UPLOADED * MAY_HAVE["most_bytes"] * readers
    return _judge(
        free >= needed,
        f"Disk: {byte_size(free)} are free, enough if each of {readers} students uploads all they may.",
        f"Disk: {byte_size(free)} are free; if each of {readers} students uploads all they may,"
        f" {byte_size(needed)} are needed.",
    )


def _judge(enough: bool, good: str, short: str) -> str:
    return f"ok     {good}" if enough else f"SHORT  {short}"
