"""The axes of a chart that a notebook has kept: round shares at its side, and below it years, short
dates or names that find room."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

MOST_STEPS = 5  # from 0 to the highest level
STEPS = (1.0, 2.0, 5.0, 10.0)  # from one level to the next, times a power of ten
ROUNDING = 1e-9
YEARS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)  # from one year on the axis to the next
LONGEST_LABEL = 14  # letters of a name below the chart: half of them are beside its first point
LETTERS_OF_YEAR = 4
SPACE = 2  # letters between two labels, at least
MONTHS = (
    "January February March April May June July August September October November December".split()
)
LETTERS_OF_MONTH = 3
DAYS_OF_A_MONTH = 31  # at most, so that no day is in the next month
FEWEST_YEARS = 2  # that an axis of years has; dates of fewer say their months
# "1945", "1940s", "the 1940s", "1945-03", "March 1945", "9 March 1945", and spans that begin so
WRITTEN_TIME = re.compile(
    r"(?:the )?(?:(?:(?P<day>\d{1,2}) )?(?P<month>" + "|".join(MONTHS) + r") )?"
    r"(?P<year>\d{3,4})s?(?:-(?P<number>\d\d))?(?:-\d\d)?(?:–.*)?"
)


@dataclass(frozen=True)
class AxisTick:
    """position: among the points of the chart, 0 the first; between two of them where a year begins
    there."""

    position: float
    text: str


@dataclass(frozen=True)
class WrittenTime:
    """When a period begins. time: the year with its fraction. short: "Mar 1945"."""

    time: float
    short: str


def levels(largest: float) -> list[float]:
    """Round shares from 0 on; the last one is at least the largest share of a chart."""
    least_step = (largest or 1.0) / MOST_STEPS
    power = 10.0 ** math.floor(math.log10(least_step) + ROUNDING)
    step = next(power * step for step in STEPS if power * step >= least_step * (1 - ROUNDING))
    count = math.ceil(largest / step - ROUNDING) or 1
    return [step * i for i in range(count + 1)]


def level_text(share: float) -> str:
    """ "20%", "0.5%"."""
    return f"{100 * share:.3g}%"


def ticks(labels: Sequence[str], letters: float) -> list[AxisTick]:
    """What is written below the points of a chart. labels: of all points. letters: for so many
    there is room."""
    times = _read_times(labels)
    if times is None:
        names = [_shorten(label) for label in labels]
    elif _has_room(times, letters) or times[-1].time - times[0].time < FEWEST_YEARS:
        names = [time.short for time in times]
    else:
        return _years([time.time for time in times], letters)
    return _spread(names, letters)


def _has_room(times: Sequence[WrittenTime], letters: float) -> bool:
    """Whether each period begins with a year, and all of these years find room."""
    return all(time.time.is_integer() for time in times) and (
        len(times) * (LETTERS_OF_YEAR + SPACE) <= letters
    )


def _read_times(labels: Sequence[str]) -> list[WrittenTime] | None:
    """When each period begins; None of what is no periods in their order."""
    times = []
    for label in labels:
        written = WRITTEN_TIME.fullmatch(label)
        if written is None:
            return None
        times.append(_read_time(written))
    if any(before.time >= after.time for before, after in pairwise(times)):
        return None
    return times


def _read_time(written: re.Match[str]) -> WrittenTime:
    year = int(written["year"])
    if written["month"]:
        month = MONTHS.index(written["month"])
    elif written["number"]:
        month = int(written["number"]) - 1
    else:
        return WrittenTime(float(year), str(year))
    day = int(written["day"] or 1)
    short = f"{MONTHS[month % len(MONTHS)][:LETTERS_OF_MONTH]} {year}"
    if written["day"]:
        short = f"{day} {short}"
    fraction = (month + (day - 1) / DAYS_OF_A_MONTH) / len(MONTHS)
    return WrittenTime(year + fraction, short)


def _years(times: Sequence[float], letters: float) -> list[AxisTick]:
    """Round years, as many as find room. times: when the periods begin."""
    most_ticks = int(letters / (2 * LETTERS_OF_YEAR))
    first = math.ceil(times[0])
    last = math.floor(times[-1])
    step = next((step for step in YEARS if (last - first) / step < most_ticks), YEARS[-1])
    years = range(math.ceil(first / step) * step, last + 1, step)
    return [AxisTick(_place_of(year, times), str(year)) for year in years]


def _place_of(year: float, times: Sequence[float]) -> float:
    """Where a year begins among periods, between two of them in proportion to their times."""
    for period, (begin, following) in enumerate(pairwise(times)):
        if begin <= year < following:
            return period + (year - begin) / (following - begin)
    return len(times) - 1.0


def _shorten(label: str) -> str:
    if len(label) <= LONGEST_LABEL:
        return label
    return f"{label[: LONGEST_LABEL - 1].rstrip()}…"


def _spread(names: Sequence[str], letters: float) -> list[AxisTick]:
    """Some names, the first and the last among them, as many as find room."""
    widest = max(len(name) for name in names)
    count = max(2, min(len(names), int(letters / (widest + SPACE))))
    last = len(names) - 1
    labelled = sorted({round(i * last / (count - 1)) for i in range(count)})
    return [AxisTick(float(period), names[period]) for period in labelled]
