"""How many times as much, in words: what stands quietly beside a sentence."""

from typing import NamedTuple

from webapp.analysis.answers.cautions import FEW_UNITS
from webapp.analysis.findings import sentences
from webapp.analysis.findings.stored_answers import StoredAnswer

MOST_DECIMALS = 3  # of the end of an interval that is near 1
# Times: an end that is so much larger than the ratio tells only that it may be much larger; and a
# ratio so much larger than its lower end is surely no more than that end
FAR = 10
WHOLE_FACTOR = 9.95  # a factor from which on no decimal is said
# Times: an end up to which the difference may be so small that nobody would print it. A finding with
# such an interval is not listed; of a topic of two sets the words say so
HARDLY = 1.05
# Times: from here on an open ratio says how rare the other side is, and not how much more there is
OUT_OF_PROPORTION = 1_000


class TimesAsMuch(NamedTuple):
    """How many times as much, in words: "50 times", "13 times less"; and the ends of its interval,
    "35 to 73", or "surely 2.1 or more" of one that is open, "" where there is none. Of an interval
    that begins with nearly as much as elsewhere the ends say so."""

    times: str = ""
    ends: str = ""
    is_open: bool = False


def times_as_much(ratio: float | None, low: float | None, high: float | None) -> TimesAsMuch:
    """A ratio in words; where there is less, by how much it is less. ratio: None of something to
    nothing; low, high: the ends of its interval, None where they are not known or not finite."""
    if ratio is None:
        return TimesAsMuch(_at_least(sentences.TIMES, low or 0.0))
    if not ratio:
        return TimesAsMuch(_at_least(sentences.TIMES_LESS, 1 / (high or 1.0)))
    pattern = sentences.TIMES
    if ratio < 1:
        pattern = sentences.TIMES_LESS
        ratio = 1 / ratio
        low, high = _inverse(high), _inverse(low)
    times = pattern.format(factor=_factor(ratio))
    if low is None:
        return TimesAsMuch(times)
    says_only_low = low > 1 and ratio > FAR * low
    may_be_little = 1 < low <= HARDLY
    little = _say_little(pattern)
    if says_only_low or high is None or high > FAR * ratio:
        if ratio >= OUT_OF_PROPORTION and low > 1:
            return TimesAsMuch(_at_least(pattern, low))
        or_more = sentences.OR_MORE.format(low=_end(low))
        return TimesAsMuch(times, little if may_be_little else or_more, is_open=True)
    ends = sentences.ENDS.format(low=_end(low), high=_end(high))
    if may_be_little:
        ends = sentences.ENDS_WITH_LITTLE.format(ends=ends, little=little)
    return TimesAsMuch(times, ends)


def with_interval(times: TimesAsMuch) -> str:
    """The ratio and its interval: "50 times, interval 35 to 73", "37 times, surely 2.1 or more"."""
    if not times.ends:
        return times.times
    if times.is_open:
        return sentences.QUIETLY_OPEN.format(times=times.times, ends=times.ends)
    return sentences.QUIETLY.format(times=times.times, ends=times.ends)


def with_caution(sentence: str, answer: StoredAnswer) -> str:
    """The sentence, which also says that it says too little about others where few units stand on a
    side."""
    fewest = min(answer.units)
    if fewest >= FEW_UNITS:
        return sentence
    units = sentences.units_in_words(answer.unit)
    return sentences.SAYS_LITTLE.format(certainty=sentence, fewest=fewest, units=units)


def holds_no_difference(low: float | None, high: float | None) -> bool:
    """Whether an interval of a ratio holds "as much as elsewhere", or ends so near to it that there
    may be hardly any difference: then it is not told. low, high: None where not known, high also
    where nothing bounds it."""
    if low is None:
        return False
    return low <= HARDLY and (high is None or high >= 1 / HARDLY)


def _at_least(pattern: str, factor: float) -> str:
    if factor <= HARDLY:
        return _say_little(pattern)
    # Of something to nothing an interval may begin at billions: at least a thousand is as true
    bounded_factor = min(factor, OUT_OF_PROPORTION)
    return sentences.AT_LEAST.format(times=pattern.format(factor=_factor(bounded_factor)))


def _say_little(pattern: str) -> str:
    """pattern: of the ratio, more or less."""
    return sentences.LITTLE_LESS if pattern == sentences.TIMES_LESS else sentences.LITTLE_MORE


def _inverse(end: float | None) -> float | None:
    return 1 / end if end else None


def _factor(number: float) -> str:
    if number >= WHOLE_FACTOR:
        return f"{number:,.0f}"
    return f"{number:.1f}".removesuffix(".0")


def _end(number: float) -> str:
    """An end of an interval: never "1", which would be as much as elsewhere, where it is more."""
    written = _factor(number)
    decimals = 2
    while written == "1" and number > 1 and decimals <= MOST_DECIMALS:
        written = f"{number:.{decimals}f}".rstrip("0").rstrip(".")
        decimals += 1
    return written
