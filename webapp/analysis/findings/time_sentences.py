"""How a change over time is said, of a topic as of a word."""

from collections.abc import Sequence

import numpy as np

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
MORE_AT_THE_END = "more at the end"
LESS_AT_THE_END = "less at the end"
# A share that loses more than half on its way up does not rise all along. In twelfths, as single years
# of few texts go up and down by chance; a loss of less than a tenth of the largest is not seen
PARTS = 12
FEWEST_PARTS = 4
LEAST_KEPT = 0.5
SEEN_LOSS = 0.1
# By shape and by whether there is more. same_here, same_rest: what the same speakers say, behind the
# share that all texts have
SHAPES = {
    (
        "line",
        True,
    ): "{what}: rising from {rest} of the {rows} until {early}{same_rest} to {here} since {turn}"
    "{same_here}",
    (
        "line",
        False,
    ): "{what}: falling from {rest} of the {rows} until {early}{same_rest} to {here} since {turn}"
    "{same_here}",
    (
        "step",
        True,
    ): "{what}: {here} of the {rows} since {first}{same_here}, {rest} before{same_rest}",
    (
        "step",
        False,
    ): "{what}: {rest} of the {rows} until {until}{same_rest}, {here} since{same_here}",
    ("window", True): "{what}: {here} of the {rows} {span}{same_here}, {rest} {outside}{same_rest}",
}
# Of a line that turns on its way
FIRST_AND_LAST_THIRD = (
    "{what}: {here} of the {rows} since {turn}{same_here}, {rest} until {early}{same_rest}"
)
# By whether there is more: lines of an older program, which did not store where the thirds end
WITHOUT_YEARS = {
    True: "{what}: rising from {rest} of the {rows} to {here}",
    False: "{what}: falling from {rest} of the {rows} to {here}",
}
# What a comparison of the same speakers has in the place of the counted share; shorter where the
# sentence would be too long
SAME_CLAUSES = (" ({share} in texts of {values})", " ({share} for {values})")
HARDLY_ANY = "hardly any"
LEAST_SAID = 0.0005  # a share below it is hardly any beside another: "<0.1%" says no more
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
    line: Sequence[float | None] = (),
) -> list[SentencePart]:
    """What changed, by the pattern of its shape. shares: of its answer, within and outside: said
    are the counted ones, and those of the answer beside them where they are clearly others; rows:
    WORDS, DOCUMENTS or SECTIONS; whose: the unit that has most of it, "" where it is not one
    unit's; all_times: the first and the last period, as readers say them; line: its shares from the
    first time to the last, without which nothing is said of the time between."""
    all_along = is_all_along(line, finding.more)
    if not finding.same:
        return _changed(finding, subject, shares, rows, whose, all_times, all_along, "")
    for same_clause in SAME_CLAUSES:
        parts = _changed(finding, subject, shares, rows, whose, all_times, all_along, same_clause)
        if not sentences.is_long(parts):
            break
    return parts


def _changed(
    finding: Shaped,
    subject: Sequence[SentencePart],
    shares: tuple[float, float],
    rows: str,
    whose: str,
    all_times: Sequence[str],
    all_along: bool,
    same_clause: str,
) -> list[SentencePart]:
    """all_along: of a line; same_clause: one of SAME_CLAUSES, "" where the shares of the answer are not said; all others as
    `changed` has them."""
    share_then, share_otherwise = finding.shares_said(shares)
    same_then, same_otherwise = _say_same(finding, shares, same_clause)
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
    elif finding.shape == "line" and not all_along:
        pattern = FIRST_AND_LAST_THIRD
    change = fill(
        pattern,
        what=subject,
        here=_say_share(share_then, other_share=share_otherwise),
        rest=_say_share(share_otherwise, other_share=share_then),
        same_here=same_then,
        same_rest=same_otherwise,
        span=sentences.spanned(finding),
        first=sentences.period(finding.first),
        until=sentences.period_or_none(finding.until),
        early=sentences.period_or_none(finding.early),
        turn=sentences.period_or_none(finding.turn),
        rows=rows,
        outside=other_times,
    )
    if not whose:
        return change
    return fill(OF_ONE, change=change, value=whose)


def is_all_along(line: Sequence[float | None], more: bool) -> bool:
    """Whether a share rises all along, or falls: in no twelfth of the time is it below half of what it
    was in an earlier one, or, where it falls, in a later one, by more than a tenth of its largest.
    line: shares in equal steps of time."""
    parts = [part for part in np.array_split(np.array(line, float), PARTS) if part.size]
    means = [float(np.nanmean(part)) for part in parts if not np.isnan(part).all()]
    if len(means) < FEWEST_PARTS:
        return False  # too few to see the way
    upwards = np.array(means if more else means[::-1])
    largest_before = np.maximum.accumulate(upwards)
    has_lost = upwards < LEAST_KEPT * largest_before
    is_seen = largest_before - upwards > SEEN_LOSS * upwards.max()
    return not bool((has_lost & is_seen).any())


def say_line(more: bool, all_along: bool) -> str:
    """When a line has more of it, in brief."""
    if all_along:
        return RISING if more else FALLING
    return MORE_AT_THE_END if more else LESS_AT_THE_END


def _say_same(finding: Shaped, shares: tuple[float, float], same_clause: str) -> tuple[str, str]:
    """What stands behind the shares within and outside: the share that the same speakers have, at
    the one of both that it differs from. shares: of the answer; same_clause: one of SAME_CLAUSES, or ""."""
    if not same_clause:
        return "", ""
    values = unit_words.same_values(finding.same)
    within, outside = finding.shares_said(shares)
    is_of_within = abs(within - shares[0]) > abs(outside - shares[1])
    share = shares[0] if is_of_within else shares[1]
    clause = same_clause.format(share=sentences.briefly_or_none(share), values=values)
    return (clause, "") if is_of_within else ("", clause)


def _say_share(share: float, other_share: float) -> str:
    """A share in a sentence that says another one beside it."""
    if share and share < LEAST_SAID <= other_share:
        return HARDLY_ANY
    return sentences.briefly_or_none(share)


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
