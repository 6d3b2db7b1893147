"""Seconds of training alone, and when an engine's topics are looked at."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import numpy as np

GROWTH = 1.25  # from one look at the topics to the next, in seconds of training
FIRST = 0.01  # of the seconds that are given: the first look


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
        self.timers = (
            (time.process_time, time.perf_counter)
            if cpu
            else (time.perf_counter, time.process_time)
        )
        self.seconds = self.other = self.last = self.judged = 0.0
        self.due = FIRST * seconds
        self.whole = False  # whether the end of the first pass has been seen
        self.began = (0.0, 0.0)

    def __enter__(self) -> "Clock":
        first, second = self.timers
        self.began = (first(), second())
        return self

    def __exit__(self, *_) -> None:
        seconds, other = (
            timer() - began for timer, began in zip(self.timers, self.began, strict=True)
        )
        self.seconds += seconds
        self.other += other

    @contextmanager
    def judging(self) -> Iterator[None]:
        """While the clock stands: what is done within is counted as judging."""
        began = self.timers[0]()
        yield
        self.judged += self.timers[0]() - began

    def continues(self, passes: float, topics: Callable[[], np.ndarray]) -> bool:
        """Asked after each step, with the clock standing: shows the topics when that is due; False
        when time is over.

        The last look is before a step that would end too late, so that all are within the time.
        passes: so far.
        """
        step = self.seconds - self.last
        self.last = self.seconds
        end = passes >= 1 if self.one_pass else self.seconds + step > self.limit
        first = passes >= 1 and not self.whole
        self.whole |= first
        if end or (not self.one_pass and (first or self.seconds >= self.due)):
            self.show(self.seconds, passes, topics())
            self.due = max(self.due, self.seconds) * GROWTH
        return not end

    def train(
        self,
        step: Callable[[Any], object],
        parts: Sequence[tuple[Any, int]],
        topics: Callable[[], np.ndarray],
    ) -> None:
        """Steps over the corpus, pass after pass, until time is over. parts: what each step is
        given, and of how many documents that is."""
        done = 0
        whole = sum(size for _, size in parts)
        for part, size in cycle(parts):
            with self:
                step(part)
            done += size
            if not self.continues(done / whole, topics):
                return

    def repeat(self, run: Callable[[int, "Clock"], np.ndarray]) -> None:
        """For an engine that can't continue from where it was: runs of 1, 2, 4, … passes, each
        timed from its beginning.

        run(passes, clock): trains within `with clock`, and returns the topics.
        """
        # most: of a run that ended in time
        passes = 1
        most = 0
        late = False
        while True:
            self.seconds = self.other = 0.0
            topics = run(passes, self)
            self.show(self.seconds, passes, topics)
            most = max(most, passes if self.seconds <= self.limit else 0)
            within = int(passes * 0.97 * self.limit / self.seconds)  # so many would end in time
            if passes == 1 and most:  # a first run may be slow for reasons of its own
                within = max(within, 2)
            if self.one_pass or late or within < 1.15 * max(most, 1):
                return
            late = most < passes  # one more try, shorter
            passes = min(2 * most, within)
