"""What charts read of the things that pages show. Their types stand in packages above this one,
which a chart must not import: so each says here what it needs of them.
tests/webapp/platform/drawing/test_protocols.py compares both."""

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

# What a chart of topics shows of a group: counted tokens, or shares of all tokens of the group
Amount = Literal["tokens", "shares"]
Anchor = Literal["start", "middle", "end"]


class Topic(Protocol):
    """results.links.TopicLink"""

    @property
    def number(self) -> int: ...
    @property
    def label(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def has_name(self) -> bool: ...
    @property
    def background(self) -> bool: ...
    @property
    def hue(self) -> int: ...
    @property
    def hidden(self) -> bool: ...
    @property
    def into(self) -> str: ...
    @property
    def url(self) -> str: ...


class Group(Protocol):
    """documents.shapes.Group: a period, or a value of a field."""

    @property
    def label(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def documents(self) -> int: ...
    @property
    def tokens(self) -> int: ...


# The overview of topics


class LabelPlace(Protocol):
    """topics.shapes.LabelPlace"""

    @property
    def anchor(self) -> Anchor: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def numbered(self) -> bool: ...


class Circle(Topic, Protocol):
    """topics.shapes.Circle"""

    @property
    def share(self) -> float: ...
    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def r(self) -> float: ...
    @property
    def text(self) -> str: ...
    @property
    def chosen(self) -> bool: ...
    @property
    def place(self) -> LabelPlace | None: ...


class GridLine(Protocol):
    """topics.shapes.GridLine"""

    @property
    def cells(self) -> Sequence[int]: ...
    @property
    def lines(self) -> str: ...


class WordGrid(Protocol):
    """topics.shapes.WordGrid"""

    @property
    def topics(self) -> Sequence[Topic]: ...
    @property
    def most(self) -> int: ...


class Values(Protocol):
    """topics.shapes.Values"""

    @property
    def tokens(self) -> Sequence[int]: ...
    @property
    def shares(self) -> Sequence[float | None]: ...


class Band(Topic, Protocol):
    """topics.shapes.Band"""

    @property
    def values(self) -> Values: ...


class Most(Protocol):
    """topics.shapes.Most"""

    @property
    def tokens(self) -> int: ...
    @property
    def shares(self) -> float: ...


class TopicTimes(Protocol):
    """topics.shapes.TopicTimes"""

    @property
    def in_time(self) -> bool: ...
    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def bins(self) -> Sequence[Group]: ...
    @property
    def stacked(self) -> Sequence[Band]: ...
    @property
    def other(self) -> Values: ...
    @property
    def other_drawn(self) -> bool: ...
    @property
    def most(self) -> Most: ...


# A topic


class GroupOfTopic(Group, Protocol):
    """topics.shapes.GroupBin"""

    @property
    def share(self) -> float | None: ...
    @property
    def of_tokens(self) -> int: ...
    @property
    def of_documents(self) -> int: ...


class WordOfTopic(Protocol):
    """topics.shapes.WeighedWord"""

    @property
    def word(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def lines(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def everywhere(self) -> int: ...
    @property
    def bar(self) -> float: ...
    @property
    def bar_everywhere(self) -> float: ...


# Topics over time


class Period(Protocol):
    """time.shapes.Period, effects.shapes.Level"""

    @property
    def label(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def thin(self) -> bool: ...


class Course(Protocol):
    """time.shapes.TimeLine, effects.shapes.GroupAlong"""

    @property
    def with_label(self) -> str: ...
    @property
    def overall(self) -> float: ...
    @property
    def share(self) -> Sequence[float | None]: ...
    @property
    def low(self) -> Sequence[float | None]: ...
    @property
    def high(self) -> Sequence[float | None]: ...


class Courses(Protocol):
    """time.shapes.TimeLines, effects.shapes.AlongEffect"""

    @property
    def by(self) -> str: ...
    @property
    def in_time(self) -> bool: ...
    @property
    def bins(self) -> Sequence[Period]: ...
    @property
    def topics(self) -> Sequence[Course]: ...


class Ratio(Protocol):
    """keyness.shapes.KeyWord"""

    @property
    def times(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float | None: ...


# Documents


class YearBar(Protocol):
    """A bar of documents.shapes.Facets.years."""

    @property
    def label(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def documents(self) -> int: ...
    @property
    def part(self) -> float: ...


class Stretch(Protocol):
    """documents.shapes.Stretch, documents.shapes.StretchOfWhole: a part of a document's strip.
    topics: their numbers and shares."""

    @property
    def topics(self) -> Iterable[tuple[int, float]]: ...
    @property
    def url(self) -> str: ...


class TopicOfDocument(Protocol):
    """results.links.TopicShare"""

    @property
    def number(self) -> int: ...


class ShareOfDocument(Protocol):
    """results.links.TopicShare"""

    @property
    def hue(self) -> int: ...
    @property
    def share(self) -> float: ...
