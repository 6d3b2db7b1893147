"""What is said of a run's topics before they are trained: which of its parent's are changed, and
which are named (Run.steering)."""

from dataclasses import asdict, dataclass, field
from typing import Any, Self

from webapp.core.asked_training.named_topics import NamedTopic
from webapp.models import Run

# Keys of Run.steering: one of them is there where the parent's topics were changed
KEYS_OF_CHANGES = ["merge", "consensus"]


@dataclass(frozen=True)
class TopicChanges:
    """What a reader changes of the parent's topics. merge: groups of them that become one each;
    split: those that become two each; together: groups of words that begin in one topic each."""

    merge: list[list[int]] = field(default_factory=list)
    split: list[int] = field(default_factory=list)
    together: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Steering:
    """Run.steering, as a dict.

    changes: of the parent's topics; None where a reader changed nothing. consensus: seeds of the
    parent's other trainings, whose topics are joined with its own. named: topics that are named
    beforehand, the run's first ones; stored as "seeds". join: whether a run of all follows, once
    the trainings with other seeds are done.
    """

    changes: TopicChanges | None = None
    consensus: list[int] = field(default_factory=list)
    named: list[NamedTopic] = field(default_factory=list)
    join: bool = False

    @classmethod
    def of_run(cls, run: Run) -> Self:
        """Empty for a run of which nothing was said."""
        return cls.from_dict(run.steering)

    @classmethod
    def from_dict(cls, stored: dict) -> Self:
        """What `stored` gave."""
        changes = None
        if stored.keys() & {"merge", "split", "together"}:
            changes = TopicChanges(
                merge=stored.get("merge", []),
                split=stored.get("split", []),
                together=stored.get("together", []),
            )
        named = []
        for topic in stored.get("seeds", []):
            named.append(NamedTopic(topic["name"], tuple(topic["words"])))
        return cls(changes, stored.get("consensus", []), named, stored.get("join", False))

    @property
    def stored(self) -> dict[str, Any]:
        """The keys of the row, only those of which something is said."""
        values: dict[str, Any] = {}
        if self.changes is not None:
            values |= asdict(self.changes)
        if self.consensus:
            values["consensus"] = self.consensus
        if self.named:
            values["seeds"] = [topic.stored for topic in self.named]
        if self.join:
            values["join"] = True
        return values

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said of the topics."""
        return not self.stored

    @property
    def merged_groups(self) -> list[list[int]]:
        """Groups of the parent's topics that become one each."""
        return self.changes.merge if self.changes else []


NOTHING_SAID = Steering()
