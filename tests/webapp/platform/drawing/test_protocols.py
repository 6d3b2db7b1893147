"""Charts say what they read of the things that pages show; these have it."""

from dataclasses import fields

import pytest

from webapp.analysis.collocations import shapes as collocations
from webapp.analysis.effects import shapes as effects
from webapp.analysis.keyness import shapes as keyness
from webapp.analysis.time import shapes as time
from webapp.analysis.topics import shapes as topics
from webapp.analysis.two_sets import shapes as two_sets
from webapp.core.documents import shapes as documents
from webapp.core.results import links
from webapp.platform.drawing import intervals, network, protocols

READ = [
    (protocols.Topic, links.TopicLink),
    (protocols.Group, documents.Group),
    (protocols.LabelPlace, topics.LabelPlace),
    (protocols.Circle, topics.Circle),
    (protocols.GridLine, topics.GridLine),
    (protocols.WordGrid, topics.WordGrid),
    (protocols.Values, topics.Values),
    (protocols.Band, topics.Band),
    (protocols.Most, topics.Most),
    (protocols.TopicTimes, topics.TopicTimes),
    (protocols.GroupOfTopic, topics.GroupBin),
    (protocols.WordOfTopic, topics.WeighedWord),
    (protocols.Period, time.Period),
    (protocols.Course, time.TimeLine),
    (protocols.Courses, time.TimeLines),
    (protocols.Period, effects.Level),
    (protocols.Course, effects.GroupAlong),
    (protocols.Courses, effects.AlongEffect),
    (protocols.Ratio, keyness.KeyWord),
    (protocols.YearBar, documents.Bar),
    (protocols.Stretch, documents.Stretch),
    (protocols.Stretch, documents.StretchOfWhole),
    (protocols.TopicOfDocument, documents.Proportion),
    (protocols.ShareOfDocument, documents.Proportion),
    (network.Word, collocations.Collocate),
    (network.Pair, collocations.NetworkPair),
    (intervals.Contrast, two_sets.TopicDifference),
    (intervals.Contrast, effects.TopicEffect),
]


def names(read: type) -> set[str]:
    """Of a protocol and those that it extends."""
    return {name for base in read.__mro__ for name, value in vars(base).items() if is_read(value)}


def is_read(value: object) -> bool:
    return isinstance(value, property)


@pytest.mark.parametrize(
    ("read", "shown"), READ, ids=[f"{read.__name__} of {shown.__module__}" for read, shown in READ]
)
def test_what_a_chart_reads_is_there(read, shown):
    in_it = {field.name for field in fields(shown)} | names(shown)
    assert names(read)
    assert names(read) <= in_it
