"""Progress on a terminal: a bar that changes; without a terminal a line every few seconds."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.core.management.base import CommandError

from inference.errors import number_of
from webapp.core.runs import how_many
from webapp.models import Corpus, Run, Upload
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.jobs import roster
from webapp.platform.local import folder, processes, servers

Job = TypeVar("Job", Corpus, Run, Upload)

LOOK_SECONDS = 0.3  # seconds between two looks
LINE_EVERY = 5.0  # seconds between two lines where standard error is not a terminal
WIDTH = 30  # characters of the bar
PATIENCE = 3.0  # seconds that a worker of our own has to end


def follow_storing(corpus: Corpus) -> None:
    """Wait until the files of a draft that is read by itself are stored. Raises CommandError where
    they can't be, or can't be read by themselves then."""
    follow(
        corpus.upload,
        {Upload.Status.STORED, Upload.Status.FAILED},
        lambda upload: 0,
        lambda upload: "replacing persons",
    )
    corpus.refresh_from_db()
    if corpus.status == Corpus.Status.DRAFT:
        raise CommandError(f"Corpus {corpus.pk} can’t be read by itself: have it read on its page.")


def follow_reading(corpus: Corpus) -> None:
    """Wait until a corpus has been read."""
    follow(
        corpus,
        {Corpus.Status.READY, Corpus.Status.FAILED},
        lambda corpus: corpus.bytes_read / max(1, corpus.bytes_total),
        lambda corpus: number_of(corpus.documents_read, "document"),
    )


def follow(
    row: Job, final: set[str], share: Callable[[Job], float], in_words: Callable[[Job], str]
) -> None:
    """Wait until the row's status is one of `final`, with a worker of our own where none is alive.
    share: how much of the work is done, from 0 to 1. in_words: how much is done so far, as a person
    reads it ("1,200 documents"), written after the bar and the status. Raises CommandError where
    the job failed."""
    with _worker_if_none(), Line() as line:
        while True:
            row.refresh_from_db()
            is_over = row.status in final
            text = f"{_bar(share(row))}  {row.status}: {in_words(row)}"
            line.write(text, last=is_over)
            if is_over:
                break
            time.sleep(LOOK_SECONDS)
    if row.status == row.FAILED:
        raise CommandError(row.error)


def follow_trainings(run: Run) -> None:
    """Wait until the short trainings of a run are there (webapp.core.runs.how_many). Raises
    CommandError where one failed."""
    with _worker_if_none(), Line() as line:
        while True:
            progress = how_many.progress(run)
            is_over = progress.to_come == 0
            done = f"{progress.ready} of {number_of(progress.trainings, 'training')}"
            line.write(f"{_bar(progress.ready / progress.trainings)}  {done}", last=is_over)
            if is_over:
                break
            time.sleep(LOOK_SECONDS)
    if progress.failed:
        raise CommandError(progress.error)


def _bar(share: float) -> str:
    share = min(1.0, max(0.0, share))
    done = "#" * round(WIDTH * share)
    return f"{done:.<{WIDTH}} {share:4.0%}"


@contextmanager
def _worker_if_none() -> Iterator[None]:
    # The embedded Redis may still hold the beat of a worker that ended with the last command.
    if not servers.ours and roster.count_workers():
        yield
        return
    process = processes.worker(dict(os.environ), folder.data() / "logs" / "worker.log")
    try:
        yield
    finally:
        processes.stop(process, signal.SIGQUIT, PATIENCE)


class Line:
    """The progress of something: a line that changes on a terminal, else one every few seconds. Use
    `with`."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()
        self.written = 0.0  # when, by time.monotonic

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_) -> None:
        if self.terminal:
            print(file=sys.stderr)

    def say(self, done: int, total: int, text: str) -> None:
        """Say how far something in bytes is. total: 0 where it is not known."""
        if total:
            share = min(1.0, done / total)
            self.write(f"{share:4.0%}  {byte_size(done)} of about {byte_size(total)}, {text}")
        else:
            self.write(f"{byte_size(done)}, {text}")

    def write(self, text: str, last: bool = False) -> None:
        """last: it is written however soon it comes after the one before."""
        pause = LOOK_SECONDS if self.terminal else LINE_EVERY
        if not last and time.monotonic() - self.written < pause:
            return
        self.written = time.monotonic()
        if self.terminal:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
