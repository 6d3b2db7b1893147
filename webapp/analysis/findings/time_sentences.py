"""How a change over time is said, of a topic as of a word."""

from collections.abc import Sequence

from webapp.analysis.findings import sentences
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.spans_and_groups import Shaped, Span
from webapp.core.documents import unit_words

# What is counted
WORDS = "words"
DOCUMENTS = "documents"
SECTIONS = "sections"
RISING = "rising"
FALLING = "falling"
# By shape and by whether there is more
SHAPES = {
    (
        "line",
        True,
    ): "{what}: rising from {rest} of the {rows} until {early} to {here} since {turn}",
    (
        "line",
        False,
    ): "{what}: falling from {rest} of the {rows} until {early} to {here} since {turn}",
    ("step", True): "{what}: {here} of the {rows} since {first}, {rest} before",
    ("step", False): "{what}: {rest} of the {rows} until {until}, {here} since",
    ("window", True): "{what}: {here} of the {rows} {span}, {rest} {outside}",
}
# By whether there is more: lines of an older program, which did not store where the thirds end
WITHOUT_YEARS = {
    True: "{what}: rising from {rest} of the {rows} to {here}",
    False: "{what}: falling from {rest} of the {rows} to {here}",
}
OF_SAME = "{change}, in texts with the same {unit}"  # not as all texts were counted
OF_ONE = "{change}, mostly from {value}"  # one unit's doing
BEFORE = "before"
AFTER = "after"
BEFORE_AND_AFTER = "before and after"
BEFORE_OR_AFTER = "before or after"  # of none
AT_OTHER_TIMES = "at other times"


def changed(
    finding: Shaped,
    subject: Sequence[SentencePart],
    shares: tuple[float, float],
    rows: str,
    whose: str,
    all_times: Sequence[str],
) -> list[SentencePart]:
    """What changed, by the pattern of its shape. shares: within and outside; rows: WORDS, DOCUMENTS
    or SECTIONS; whose: the unit that has most of it, "" where it is not one unit's; all_times: the
    first and the last period, as readers say them."""
    share_then, share_otherwise = shares
    has_grown = finding.more or finding.shape == "window"
    other_times = outside(finding, all_times)
    if other_times == BEFORE_AND_AFTER and not finding.more:
        # Of both together: one of them may have as little as the window
        other_times = AT_OTHER_TIMES
    if not share_otherwise:
        other_times = without_any(other_times)
    pattern = SHAPES[finding.shape, has_grown]
    if finding.shape == "line" and not finding.early:
        pattern = WITHOUT_YEARS[has_grown]
    change = fill(
        pattern,
        what=subject,
        here=sentences.briefly_or_none(share_then),
        rest=sentences.briefly_or_none(share_otherwise),
        span=sentences.spanned(finding),
        first=sentences.period(finding.first),
        until=sentences.period_or_none(finding.until),
        early=sentences.period_or_none(finding.early),
        turn=sentences.period_or_none(finding.turn),
        rows=rows,
        outside=other_times,
    )
    if finding.same:
        change = fill(OF_SAME, change=change, unit=unit_words.column(finding.same))
    if not whose:
        return change
    return fill(OF_ONE, change=change, value=whose)


def outside(span: Span, all_times: Sequence[str]) -> str:
    """What the times are that a span leaves out. all_times: the first and the last period, as
    readers say them."""
    if sentences.period(span.first) == all_times[0]:
        return AFTER
    if sentences.period(span.last) == all_times[1]:
        return BEFORE
    return BEFORE_AND_AFTER


def without_any(times: str) -> str:
    """The times that a span leaves out, after "none"."""
    return BEFORE_OR_AFTER if times == BEFORE_AND_AFTER else times
