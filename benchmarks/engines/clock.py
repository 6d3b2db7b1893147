"""Seconds of training alone, and when an engine's topics are looked at."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np

GROWTH = 1.25  # from one look at the topics to the next, in seconds of training
FIRST = 0.01  # of the seconds that are given: the first look
# Runs from the beginning: how long another may be
SAFE_PART = 0.97  # of the time that a run of so many passes would take by the one before
WORTH_IT = 1.15  # times the passes that fitted: less is not tried
SECOND_TRY = 2  # passes: a first run may be slow for reasons of its own


class Clock:
    """Runs while an engine trains, and is stopped while topics are converted and judged.

    show(seconds, passes, topics): is given what is seen. one_pass: a single look, after exactly one
    pass. cpu: count the process's own seconds, of all its threads, not the clock's. `other` has
    those that are not counted, `judged` what a user's run spends on measuring its topics, which is
    in neither.
    """

    def __init__(
        self,
        seconds: float,
        one_pass: bool,
        show: Callable[[float, float, np.ndarray], None],
        cpu: bool = False,
    ):
        self.limit = seconds
        self.one_pass = one_pass
        self.show = show
        timers = [time.perf_counter, time.process_time]
        self.timers = timers[::-1] if cpu else timers
        self.seconds = self.other = self.last = self.judged = 0.0
        self.due = FIRST * seconds
        self.first_pass_seen = False
        self.began = (0.0, 0.0)

    def __enter__(self) -> "Clock":
        first, second = self.timers
        self.began = (first(), second())
        return self

    def __exit__(self, *_) -> None:
        first, second = self.timers
        began_first, began_second = self.began
        self.seconds += first() - began_first
        self.other += second() - began_second

    @contextmanager
    def judging(self) -> Iterator[None]:
        """While the clock stands: what is done within is counted as judging."""
        timer = self.timers[0]
        began = timer()
        yield
        self.judged += timer() - began

    def continues(self, passes: float, topics: Callable[[], np.ndarray]) -> bool:
        """Asked after each step, with the clock standing: shows the topics when that is due; False
        when time is over.

        The last look is before a step that would end too late, so that all are within the time.
        passes: so far.
        """
        step = self.seconds - self.last
        self.last = self.seconds
        is_first_pass = passes >= 1 and not self.first_pass_seen
        self.first_pass_seen |= is_first_pass
        if self.one_pass:
            ends = passes >= 1
            is_due = ends
        else:
            ends = self.seconds + step > self.limit
            is_due = ends or is_first_pass or self.seconds >= self.due
        if is_due:
            self.show(self.seconds, passes, topics())
            self.due = max(self.due, self.seconds) * GROWTH
        return not ends

    def train(
        self,
        step: Callable[[Any], object],
        parts: Sequence[tuple[Any, int]],
        topics: Callable[[], np.ndarray],
    ) -> None:
        """Steps over the corpus, pass after pass, until time is over. parts: what each step is
        given, and of how many documents that is."""
        documents_seen = 0
        documents = sum(size for _, size in parts)
        for part, size in cycle(parts):
            with self:
                step(part)
            documents_seen += size
            if not self.continues(documents_seen / documents, topics):
                return

    def repeat(self, run: Callable[[int, "Clock"], np.ndarray]) -> None:
        """For an engine that can't continue from where it was: runs of 1, 2, 4, … passes, each
        timed from its beginning.

        run(passes, clock): trains within `with clock`, and returns the topics.
        """
        passes = 1
        fitted = 0  # passes of the longest run that ended in time
        was_late = False
        while True:
            self.seconds = self.other = 0.0
            topics = run(passes, self)
            self.show(self.seconds, passes, topics)
            if self.seconds <= self.limit:
                fitted = max(fitted, passes)
            would_fit = int(passes * SAFE_PART * self.limit / self.seconds)
            if passes == 1 and fitted:
                would_fit = max(would_fit, SECOND_TRY)
            if self.one_pass or was_late or would_fit < WORTH_IT * max(fitted, 1):
                return
            was_late = fitted < passes  # one more try, shorter
            passes = min(2 * fitted, would_fit)
