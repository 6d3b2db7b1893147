"""What a run's topics are called, and which ones are merged: what readers say, from the edits that
hold at present; for the others, the names that were proposed when their snapshot was published."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from inference.explore.naming import LIST
from webapp.models import Edit, Run, Topic
from webapp.platform.drawing.numbers import topic_label, topic_title
from webapp.platform.storage.cache import cached
from webapp.platform.storage.sql import rows, tuples


class Proposal(NamedTuple):
    """What was proposed for a topic when its snapshot was published. name: or its first words;
    parts: of the name, () where it has none. background: whether it is general talk."""

    name: str = ""
    parts: tuple[str, ...] = ()
    background: bool = False


class Labels:
    """The labels of one run, read at once. Topics are numbers 0 to K - 1; what no reader said is
    empty or the default.

    into: int32[K], the topic that each is read as a part of, to the end of a chain of merges;
    itself where not merged. beside: int32[K], the topic in whose family each is, to the end of a
    chain of moves and merges.
    """

    def __init__(
        self,
        K: int,
        values: dict[str, dict[int, str]],
        proposed: Sequence[Proposal] = (),
    ):
        """`values`: field of Edit -> topic -> its present value. `proposed`: what was proposed for
        each topic, or nothing yet."""
        self._values = values
        self._proposed = proposed
        self.into = resolved(K, values["into"])
        self.beside = resolved(K, values["beside"] | values["into"])
        self._members: dict[int, list[int]] = {}
        for m in np.flatnonzero(~self.unmerged).tolist():
            self._members.setdefault(int(self.into[m]), []).append(m)

    @cached_property
    def unmerged(self) -> np.ndarray:
        """bool[K]: topics that are read as themselves, and as no part of another."""
        return self.into == np.arange(len(self.into))

    def is_merged(self, k: int) -> bool:
        """Whether it is read as a part of another topic."""
        return not self.unmerged[k]

    def is_visible(self, k: int) -> bool:
        """Whether pages list it: neither hidden nor merged into another."""
        return not self.is_merged(k) and not self.is_hidden(k)

    def rows_of(self, topics: list[int]) -> np.ndarray:
        """int32[K]: the place of each topic, or of the topic that it was merged into, in `topics`;
        -1 where it is not among them."""
        row = np.full(len(self.into), -1, np.int32)
        row[topics] = np.arange(len(topics), dtype=np.int32)
        return row[self.into]

    def label(self, k: int) -> str:
        """What readers call it; "" where nobody has named it."""
        return self._values["label"].get(k, "")

    def proposed(self, k: int) -> str:
        """The name that was proposed from its words; its first words where none was."""
        return self._proposal(k).name

    def parts_of_name(self, k: int) -> tuple[str, ...]:
        """The words and phrases that the proposed name is made of; () where it has none."""
        return self._proposal(k).parts

    def has_name(self, k: int) -> bool:
        """Whether it has a name, not only words: a sentence may hold it."""
        return bool(self.label(k) or self._proposal(k).parts)

    def name(self, k: int) -> str:
        """What it is called everywhere: the readers' label, else the proposed name, else its first
        words, "man · industrial · wage"."""
        return self.label(k) or self.proposed(k)

    def listed_words(self, k: int) -> list[str]:
        """The words that stand for a topic that has no name, the first ones first; [] of a topic
        without words."""
        return [word for word in self.proposed(k).split(LIST) if word]

    def is_background(self, k: int) -> bool:
        """Whether it is general talk, which lists and charts set apart. What has a name has a
        subject, so a topic that a reader labelled is none."""
        return self._proposal(k).background and not self.label(k)

    @cached_property
    def labelled_talk(self) -> list[int]:
        """Topics, ascending, that were found to be general talk and that a reader labelled."""
        return sorted(k for k in self._values["label"] if self._proposal(k).background)

    def _proposal(self, k: int) -> Proposal:
        return self._proposed[k] if k < len(self._proposed) else Proposal()

    def note(self, k: int) -> str:
        """What readers wrote of a topic, "" for nothing."""
        return self._values["note"].get(k, "")

    def group(self, k: int) -> str:
        """The group that readers put a topic into, "" for none."""
        return self._values["group"].get(k, "")

    def is_hidden(self, k: int) -> bool:
        """Whether readers hid a topic."""
        return k in self._values["hidden"]

    def chosen_colour(self, k: int) -> int | None:
        """The number of the colour that a reader chose for it, below drawing.colours.CHOICES."""
        colour = self._values["colour"].get(k)
        return None if colour is None else int(colour)

    @cached_property
    def key(self) -> bytes:
        """What families and colours depend on: which topics are merged, moved, grouped or
        coloured, and which have a subject since a reader labelled them."""
        return self._digest(("into", "beside", "group", "colour"), self.labelled_talk)

    @cached_property
    def every_key(self) -> bytes:
        """What depends on anything that readers say."""
        return self._digest(sorted(self._values))

    def _digest(self, fields: Iterable[str], topics: Sequence[int] = ()) -> bytes:
        edits = [sorted(self._values[field].items()) for field in fields]
        edits_as_text = repr([edits, topics])
        return blake2b(edits_as_text.encode(), digest_size=16).digest()

    def title(self, k: int) -> str:
        """\"Farming (T07)\", in files, choices and sentences without links."""
        return topic_title(topic_label(k), self.name(k), self.has_name(k))

    def present(self, k: int) -> dict[str, str]:
        """field -> value as it is stored, "" where nothing is said; `into` as it was chosen, not
        resolved."""
        return {field: self._values[field].get(k, "") for field in Edit.Field.values}

    def edited(self) -> list[int]:
        """Topics of which anything is said, ascending."""
        return sorted(set().union(*self._values.values()))

    def groups(self) -> list[str]:
        """Names of the groups that readers made, in alphabetical order."""
        return sorted(set(self._values["group"].values()), key=str.lower)

    def members(self, k: int) -> list[int]:
        """The other topics that are read as parts of this one."""
        return list(self._members.get(k, ()))

    def merged_topics(self, k: int) -> list[int]:
        """The topic and the others that are read as parts of it."""
        return [k, *self.members(k)]

    @property
    def merges_key(self) -> bytes:
        """Says in keys which topics are merged: another one after each merge."""
        return self.into.tobytes()

    def merged(self, array: np.ndarray) -> np.ndarray:
        """[..., K] with the columns of merged topics added to their targets'; their own are then 0.
        A copy."""
        moved = np.flatnonzero(~self.unmerged)
        source = np.asarray(array)
        result = source.copy()
        result[..., moved] = 0
        for k in moved.tolist():
            result[..., self.into[k]] += source[..., k]
        return result


def resolved(K: int, targets: dict[int, str]) -> np.ndarray:
    """int32[K]: where each topic's chain of merges or moves ends. Chains have no cycles:
    curation.services refuses those."""
    end = np.arange(K, dtype=np.int32)
    for topic, target in targets.items():
        end[topic] = int(target)
    for _ in range(K.bit_length()):  # each round doubles the steps that have been followed
        end = end[end]
    return end


def state(run: Run) -> tuple:
    """A key that changes whenever another edit holds: edits never change, and their numbers are
    never given twice."""
    return tuples(
        "SELECT max(id), bit_xor(hashint8extended(id, 0)) FROM webapp_edit WHERE run_id = %s AND"
        " undone_at IS NULL",
        [run.pk],
    )[0]


def read(run: Run) -> Labels:
    """The labels of a run as they are now: one query. Within a request, view.RunView keeps them."""
    values: dict[str, dict] = {field: {} for field in Edit.Field.values}
    for edit in rows(
        "SELECT DISTINCT ON (topic, field) topic, field, value FROM webapp_edit"
        " WHERE run_id = %s AND undone_at IS NULL ORDER BY topic, field, id DESC",
        [run.pk],
    ):
        if edit["value"]:
            values[edit["field"]][edit["topic"]] = edit["value"]
    proposed = proposals(run.snapshot.pk, run.snapshot.naming) if run.snapshot else ()
    return Labels(run.topics, values, proposed)


@cached(64)
def proposals(snapshot_id: int, naming: int) -> tuple[Proposal, ...]:
    """What was proposed for each topic of a snapshot. naming: which way its topics are named in,
    as a newer program names them anew."""
    rows = (
        Topic.objects.filter(snapshot_id=snapshot_id)
        .order_by("number")
        .values_list("name", "name_parts", "background")
    )
    return tuple(
        Proposal(name, tuple(parts if parts is not None else filter(None, [name])), background)
        for name, parts, background in rows
    )
