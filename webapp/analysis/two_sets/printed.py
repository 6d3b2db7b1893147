"""The differences of two sets as pages, pins and notebooks print them. JSON and files have the share of
the first set less that of the second; a reader expects what has grown from the first to the second to
have a plus, as on the page of effects."""

from dataclasses import replace

from webapp.analysis.two_sets.shapes import (
    BriefDifference,
    Compared,
    Comparison,
    PrintedTopics,
    TopicDifference,
)


def print_topics(page: Comparison) -> PrintedTopics:
    """The topics of a page: the second set is to the right, and its share less the first's is
    positive where it has more. All other documents are what a set is compared with: they are to the
    left."""
    if not isinstance(page, Compared):
        return PrintedTopics("", "", page.more, [], [])
    first, second = (side.name for side in page.sides)
    if page.complement:
        return PrintedTopics(second, first, page.more, page.further, page.unsure)
    return PrintedTopics(
        left=first,
        right=second,
        more=[list(map(_turn, rows)) for rows in page.more],
        further=[list(map(_turn_brief, rows)) for rows in page.further],
        unsure=list(map(_turn_brief, page.unsure)),
    )


def _turn(row: TopicDifference) -> TopicDifference:
    """The same with the difference of the second set's share less the first's."""
    return replace(
        row,
        difference=-row.difference,
        difference_low=-row.difference_high,
        difference_high=-row.difference_low,
    )


def _turn_brief(row: BriefDifference) -> BriefDifference:
    """As `_turn`, where a difference may not be known."""
    return replace(
        row,
        difference=_negative(row.difference),
        difference_low=_negative(row.difference_high),
        difference_high=_negative(row.difference_low),
    )


def _negative(number: float | None) -> float | None:
    return None if number is None else -number
