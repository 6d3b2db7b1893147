"""Findings as numbers of the overview's JSON."""

from webapp.analysis.findings.items import (
    ChangeItem,
    GroupItem,
    Item,
    RatioBetween,
    SenseItem,
    ShareBetween,
    WordItem,
)
from webapp.analysis.findings.kinds import Change, Event, Finding, Mark
from webapp.analysis.findings.senses import Sense
from webapp.analysis.findings.writer import Writer


def of_finding(finding: Finding, writer: Writer) -> list[Item]:
    """None of the kinds that have no numbers beyond their estimate."""
    match finding:
        case Change():
            return [
                ChangeItem(
                    kind="change",
                    topic=writer.topic(finding.topic),
                    shape=finding.shape,
                    more=finding.more,
                    first=finding.first,
                    last=finding.last,
                    until=finding.until,
                    here=ShareBetween(*finding.here),
                    rest=ShareBetween(*finding.rest),
                    times=RatioBetween(finding.estimate, finding.low, finding.high),
                    above_all=finding.above_all,
                )
            ]
        case Event():
            return [
                WordItem(
                    kind="event",
                    word=finding.words[0],
                    also=finding.words[1:],
                    topic=writer.topic(finding.topic),
                    shape=finding.shape,
                    more=finding.more,
                    first=finding.first,
                    last=finding.last,
                    until=finding.until,
                    here=finding.here,
                    rest=finding.rest,
                    sections=finding.sections,
                    times=RatioBetween(finding.estimate, finding.low, finding.high),
                )
            ]
        case Mark():
            return [
                GroupItem(
                    kind="mark",
                    field=finding.field,
                    value=finding.value,
                    bounds=finding.bounds,
                    topic=writer.topic(finding.topic),
                    more=finding.more,
                    here=ShareBetween(*finding.here),
                    rest=finding.rest,
                    times=RatioBetween(finding.estimate, finding.low, finding.high),
                    above_all=finding.above_all,
                )
            ]
        case Sense():
            return [
                SenseItem(
                    kind="sense",
                    word=finding.word,
                    lost=writer.topic(finding.lost),
                    lost_shares=finding.lost_shares,
                    until=finding.until[1],
                    gained=writer.topic(finding.gained),
                    gained_shares=finding.gained_shares,
                    since=finding.since[1],
                )
            ]
    return []
