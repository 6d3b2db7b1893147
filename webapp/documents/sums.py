"""Tokens of each topic in a set of documents, all of them or in groups: read once from the evidence, then
remembered."""

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from inference.explore.day_sums import ALL, NUMBER, TOKENS, WORDS
from inference.explore.documents import count
from webapp.documents import days_of_run, fields
from webapp.documents.selection import Selection
from webapp.results import evidence
from webapp.results.view import RunView
from webapp.storage.cache import BoundedCache

_kept = BoundedCache(16 << 20)  # one of 100 years and 2,000 topics has 3 MB


class Sums(NamedTuple):
    """Topics as readers fold them: a merged topic's tokens are its target's.

    groups: fields.Groups without `group`, or None where all documents are one group. tokens: int64[G, K]. documents: int64[G, K], those
    that have the topic. of_tokens: int64[G], all tokens of a group. of_documents: int64[G], all its documents.
    """

    groups: fields.Groups | None
    tokens: np.ndarray
    documents: np.ndarray
    of_tokens: np.ndarray
    of_documents: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """float64[G, K]: of each group's tokens; NaN for a group without any."""
        with np.errstate(invalid="ignore"):
            return self.tokens / self.of_tokens[:, None]

    @property
    def labels(self) -> list[str]:
        return self.groups.labels if self.groups else [""]


def of_selection(selection: Selection, by: str | None = None) -> Sums:
    """Of the selected documents, by a period or a category (fields.groups). Raises Invalid where there is no such
    thing."""
    if not by and not selection:
        return whole(selection.run_view)
    return grouped(selection, fields.groups(selection.version, by) if by else None, by)


def grouped(selection: Selection, groups: fields.Groups | None, name: Hashable) -> Sums:
    """The same in any groups. name: tells them from others of the same documents."""
    run, into = selection.run_view.run, selection.run_view.labels.into

    def make() -> Sums:
        known = groups and groups._replace(made=np.empty(0, np.int32), days=None)  # what is kept does not grow with D
        days = days_of_run.of_groups(selection, groups)
        ranges = days_of_run.sums(selection, days, measures=(TOKENS, NUMBER)) if days else None
        if ranges is not None:
            tokens, documents = (ranges.by_topic[:, :-1, m].T.astype(np.int64) for m in (0, 1))
            whole = ranges.whole[:-1].astype(np.int64)
            return Sums(known, tokens, documents, whole[:, WORDS], whole[:, ALL])
        G = len(groups.labels) if groups else 1
        members, group = selection.in_groups(groups)
        tokens, documents = evidence.of(run).sums(group, G, into, members)
        return Sums(known, tokens, documents, tokens.sum(axis=1), count(group, G))

    return _kept.get_or_set((run.snapshot_id, name, tuple(selection.parameters), into.tobytes()), make)


def whole(view: RunView) -> Sums:
    """Of all documents, as one group."""
    into, counted = view.labels.into, evidence.of(view.run)
    if not np.array_equal(into, np.arange(counted.K)):
        return grouped(Selection.all(view), None, None)  # a document that has two merged topics is counted once

    def make() -> Sums:
        _, topics, tokens, _ = counted.by_word()
        of_topics = np.bincount(topics, tokens, minlength=counted.K).astype(np.int64)
        return Sums(None, of_topics[None], counted.documents[None], of_topics.sum()[None], np.array([counted.bow.D]))

    return _kept.get_or_set((view.run.snapshot_id, "all"), make)
