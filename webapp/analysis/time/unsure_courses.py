"""What a chart of time says of a topic whose share did not change beyond chance: how large it was
where it was largest, and why that may be chance."""

from collections.abc import Sequence

from webapp.analysis.findings import sentences
from webapp.analysis.findings.spans_and_groups import Span
from webapp.analysis.time.shapes import Period, TimeLine, TimeLines
from webapp.core.documents import unit_words

LARGEST = "{largest} of the words {when}, {otherwise} at other times"
CHANCE = "{largest}: no more than chance explains."
# Of a period without an interval: fewer than five who speak have texts then
FEW_SPEAK = "{largest}. It may be chance: those texts are of fewer than five {values}."
NO_CHANGE = "No change beyond chance."


def say_unsure(page: TimeLines, topic: TimeLine, unit: str) -> str:
    """One or two sentences. unit: the field that says whose texts depend on each other, "" for
    documents."""
    peak = _largest(page.bins, topic)
    if peak is None:
        return NO_CHANGE
    period = page.bins[peak].label
    largest = LARGEST.format(
        largest=sentences.briefly(topic.share[peak] or 0.0),
        when=sentences.spanned(Span(first=period, last=period)),
        otherwise=sentences.briefly_or_none(_share_otherwise(page.bins, topic, peak)),
    )
    if topic.low[peak] is None and unit:
        return FEW_SPEAK.format(largest=largest, values=unit_words.values_of(unit))
    return CHANCE.format(largest=largest)


def _largest(periods: Sequence[Period], topic: TimeLine) -> int | None:
    """The place of the period where its share is largest, of those with enough documents where
    there are any; None where it has one period or no words."""
    with_words = [i for i, period in enumerate(periods) if period.tokens]
    if len(with_words) < 2 or not any(topic.tokens):
        return None
    enough = [i for i in with_words if not periods[i].thin]
    return max(enough or with_words, key=lambda i: topic.share[i] or 0.0)


def _share_otherwise(periods: Sequence[Period], topic: TimeLine, peak: int) -> float:
    """Its share of the words of all other periods, 0 to 1."""
    words = sum(period.tokens for period in periods) - periods[peak].tokens
    return (sum(topic.tokens) - topic.tokens[peak]) / words
