"""Shares of topics in groups of documents, by period or category, with their intervals: what is
kept of it, and for how long.

Merged topics are counted as one, and a Selection restricts all of it. Sums and intervals are kept
in the web process until others take their place: a page that is opened again, or shows one topic
more, does not go through all documents anew.
"""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from inference.documents import count
from inference.effects import shares as effects
from inference.effects.regression import Data
from inference.explore import bands, change
from webapp.core.documents import corpus_unit, document_groups, sums
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import Groups
from webapp.platform.storage.cache import BoundedCache, of_documents

_cache = BoundedCache(8 << 20)


class GroupedSet(NamedTuple):
    """A selection of a run's documents, in groups. `key` names it: the same key, the same numbers;
    `name` names its groups.

    days: of each group, where days alone say what is in it. documents: int64[G], how many each
    group has. first, end: the groups from the first to the last with a document, so that a chart
    does not begin with empty years.
    """

    groups: Groups
    selection: RunSelection
    days: list[sums.Spans] | None
    documents: np.ndarray
    name: Hashable
    key: tuple

    @property
    def first(self) -> int:
        """The first group that has a document; 0 where none has."""
        return int(np.flatnonzero(self.documents)[0]) if self.documents.any() else 0

    @property
    def end(self) -> int:
        """The group behind the last one that has a document; 0 where none has."""
        return int(np.flatnonzero(self.documents)[-1]) + 1 if self.documents.any() else 0

    @property
    def labels(self) -> list[str]:
        """Names of the groups from `first` to `end`; none of an empty set."""
        return self.groups.labels[self.first : self.end]

    @property
    def present(self) -> list[int]:
        """Places of the groups from the first to the last with a document; of a category of the
        values that the set has, the most frequent first."""
        group_numbers = list(range(self.first, self.end))
        if self.groups.in_time or self.groups.bounds:
            return group_numbers
        with_documents = np.flatnonzero(self.documents)
        by_size = np.argsort(-self.documents[with_documents], kind="stable")
        return with_documents[by_size].tolist()

    @property
    def group(self) -> np.ndarray:
        """int32[D]: each document's place in the groups, -1 for none."""
        if not self.selection.has_conditions:  # of all documents kept as what it is
            return self.groups.group
        return of_documents.get_or_set(
            ("cut", *self.key), lambda: self.selection.group(self.groups.group)
        )

    @property
    def members(self) -> tuple[np.ndarray | None, np.ndarray]:
        """(the numbers of the set's documents, None for all; int32: the group of each)."""
        if not self.selection.has_conditions:
            return None, self.groups.group
        return of_documents.get_or_set(
            ("members", *self.key), lambda: self.selection.in_groups(self.groups)
        )


def group_set(selection: RunSelection, by: str) -> GroupedSet:
    """A set by a period, a category or a field of numbers (document_groups.read_groups). Raises Invalid where
    there is no such thing."""
    return of_groups(selection, document_groups.read_groups(selection.version, by), by)


def of_groups(selection: RunSelection, groups: Groups, name: Hashable) -> GroupedSet:
    """name: of the groups, which tells them from others of the same corpus."""
    key = (name, *selection.counts_key, _unit_of_groups(selection, name).key)
    days = sums.days_of_groups(selection, groups)
    grouped_set = GroupedSet(groups, selection, days, np.zeros(0, np.int64), name, key)

    def documents() -> np.ndarray:
        if days:
            return sums.counts_of_days(selection, days)
        _, group = grouped_set.members
        return count(group, len(groups.labels))

    return grouped_set._replace(documents=_cache.get_or_set(("documents", *key), documents))


def unit(grouped_set: GroupedSet) -> corpus_unit.Unit:
    """Who is independent of whom in the intervals of these groups."""
    return _unit_of_groups(grouped_set.selection, grouped_set.name)


def _unit_of_groups(selection: RunSelection, name: Hashable) -> corpus_unit.Unit:
    names = name if isinstance(name, tuple) else (name,)
    return corpus_unit.unit_of(selection.version, *names)


def tokens(grouped_set: GroupedSet) -> np.ndarray:
    """int64[G, K]: tokens of each topic in each group, those of merged topics with their
    targets'."""
    return sums.grouped(grouped_set.selection, grouped_set.groups, grouped_set.name).topic_tokens


def information(grouped_set: GroupedSet) -> np.ndarray:
    """How much each topic depends on the group, in nats per token: float64[K], explore.change."""
    return _cache.get_or_set(
        ("information", *grouped_set.key), lambda: change.information(tokens(grouped_set))
    )


def intervals(grouped_set: GroupedSet, topics: list[int]) -> bands.Bands:
    """The shares of some topics, in their order, over all of the groups; only topics that are not
    remembered are computed."""
    key = ("bands", *grouped_set.key)
    by_topic = dict(_cache.get(key) or {})
    missing = [k for k in dict.fromkeys(topics) if k not in by_topic]
    if missing or not topics:
        computed = _bands(grouped_set, missing)
        for i, k in enumerate(missing):
            by_topic[k] = computed._replace(
                share=computed.share[i], low=computed.low[i], high=computed.high[i]
            )
        _cache.set(key, by_topic)
        if not topics:
            return computed
    bands_asked = [by_topic[k] for k in topics]
    return bands_asked[0]._replace(
        share=np.array([of_topic.share for of_topic in bands_asked]),
        low=np.array([of_topic.low for of_topic in bands_asked]),
        high=np.array([of_topic.high for of_topic in bands_asked]),
    )


def _bands(grouped_set: GroupedSet, topics: list[int]) -> bands.Bands:
    if unit(grouped_set).field is not None:
        return _of_units(grouped_set, topics)
    day_sums = (
        sums.of_days(grouped_set.selection, grouped_set.days, topics) if grouped_set.days else None
    )
    if day_sums is not None:
        in_groups = day_sums.by_topic[:, :-1]
        in_all = day_sums.by_topic[:, -1]
        return bands.of_sums(day_sums.of_worded[:-1], in_groups, in_all)
    view = grouped_set.selection.view
    G = len(grouped_set.groups.labels)
    documents = _documents(view)
    numbers, group = grouped_set.members
    if numbers is None:
        return bands.shares(*documents, group, G, topics, column_of_topic=view.labels.into)
    totals, in_groups = bands.sums_of(numbers, *documents, group, G, topics, view.labels.into)
    _, in_all_documents = everywhere(view)
    return bands.of_sums(totals, in_groups, in_all_documents[topics, 0])


def _documents(view: RunView) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The topics of each document, as inference.explore.bands takes them."""
    run_evidence = evidence.of(view.run)
    return (
        run_evidence.mixtures.doc_ptr,
        run_evidence.mixtures.doc_topics,
        run_evidence.mixtures.doc_tokens,
        run_evidence.lengths,
    )


def _of_units(grouped_set: GroupedSet, topics: list[int]) -> bands.Bands:
    """The shares and intervals of topics where documents of one unit depend on each other."""
    G = len(grouped_set.groups.labels)
    data = effect_data(grouped_set.selection.view, unit(grouped_set), grouped_set.group, topics)
    groups = effects.of_groups(data, G)
    ends = effects.intervals(groups)
    documents = count(grouped_set.group, G, data.lengths > 0)
    tokens = groups.tokens.astype(np.int64)
    return bands.Bands(groups.share, ends.low, ends.high, documents, tokens, documents < bands.THIN)


def effect_data(
    view: RunView,
    independent: corpus_unit.Unit,
    cell: np.ndarray,
    topics: list[int],
    as_one_topic: bool = False,
) -> Data:
    """What inference.effects needs of a run's documents. cell: int32[D], the group of each.
    as_one_topic: the topics are one, a sum."""
    row = view.labels.rows_of(topics)
    rows = len(topics)
    if as_one_topic:
        row = np.minimum(row, 0)
        rows = min(rows, 1)
    unit_of_document = corpus_unit.documents(view.run.version, independent)
    return Data.from_documents(unit_of_document, cell, _documents(view), row, rows)


def everywhere(view: RunView) -> tuple[np.ndarray, np.ndarray]:
    """float64[1, 3] and float64[K, 1, 5]: what bands.of_sums needs of all documents together."""

    def make() -> tuple[np.ndarray, np.ndarray]:
        day_sums = sums.of_days(Selection.all(view), [])
        if day_sums is not None:
            return day_sums.of_worded, day_sums.by_topic
        all_documents = np.arange(view.run.version.documents, dtype=np.int32)
        return of_documents_alone(view, [all_documents])

    return _cache.get_or_set(("everywhere", *view.topics_key), make)


def of_documents_alone(view: RunView, lists: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """float64[G, 3] and float64[K, G, 5]: the same of G lists of documents, int32 each."""
    G = len(lists)
    group = np.repeat(np.arange(G, dtype=np.int32), [len(documents) for documents in lists])
    topics = np.arange(evidence.of(view.run).K)
    return bands.sums_of(
        np.concatenate(lists), *_documents(view), group, G, topics, view.labels.into
    )


def strongest(grouped_set: GroupedSet, topic: int, g: int, count: int) -> list[tuple[int, float]]:
    """Documents of a group in which a topic has the largest share: (number, share), largest
    first."""
    merged = grouped_set.selection.view.labels.merged_topics(topic)
    return evidence.of(grouped_set.selection.run).topic_documents.strongest(
        merged, grouped_set.group, g, count
    )


def address(selection: RunSelection, *groups: tuple[Groups, int], has: int | None = None) -> str:
    """The query string of what of a set lies in a group of each kind, and has a topic, most of
    it first: for the page of documents."""
    for kind, g in groups:
        selection = selection.within(kind, g)
    if has is None:
        return selection.address()
    return selection.address_by_topic(has)
