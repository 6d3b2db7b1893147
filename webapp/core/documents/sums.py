"""Tokens of each topic in a set of documents, all of them or in groups: read once from the
evidence, then remembered."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from inference.day_sums import Ranges
from inference.documents import count, take_evenly
from inference.topic_sums import ALL_DOCUMENTS, ALL_WORDS, MEASURES, NUMBER, TOKENS
from webapp.core.documents import document_days, document_groups
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import Groups
from webapp.platform.storage.cache import BoundedCache

_kept = BoundedCache(16 << 20)  # one of 100 years and 2,000 topics has 3 MB


# Sums of a run's topics over ranges of days, from those that the run left behind: no document is
# looked at, but for those at the ends of a range.
Spans = list[tuple[int, int]]  # days a ... b - 1 each, ascending, none in two of them


def days_of_groups(selection: Selection, groups: Groups | None) -> list[Spans] | None:
    """The days of each group of a set, or of all of it; None where anything but days says what is
    in the set or a group."""
    if not selection.is_only_days:
        return None
    starts = groups.starts if groups else selection.day_range
    if starts is None:
        return None
    edges = np.clip(starts, *selection.day_range).tolist()
    return [[(a, b)] for a, b in zip(edges[:-1], edges[1:], strict=True)]


def within(spans: Spans, limits: Spans) -> Spans:
    """The days that are in both."""
    overlaps = [(max(a, c), min(b, d)) for a, b in spans for c, d in limits]
    return [(a, b) for a, b in overlaps if a < b]


def without(span: tuple[int, int], left_out: Spans) -> Spans:
    """The days of a span that are in none of the others."""
    edges = [span[0], *(day for hole in left_out for day in hole), span[1]]
    return within([span], list(zip(edges[::2], edges[1::2], strict=True)))


def counts_of_days(selection: Selection, groups: list[Spans]) -> np.ndarray:
    """int64[G]: documents of each group."""
    spans = np.array([span for group in groups for span in group], np.int64).reshape(-1, 2)
    owner = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    return np.bincount(
        owner, document_days.count_in_spans(selection.version, spans), len(groups)
    ).astype(np.int64)


def sample_of_days(selection: Selection, spans: Spans, limit: int) -> np.ndarray:
    """int32, ascending: at most so many documents of some days, spread evenly over these. Only of a
    version with an order by date."""
    documents = np.concatenate(
        [document_days.documents_between(selection.version, *span) for span in spans]
    )
    return np.sort(take_evenly(documents, limit))


def of_days(
    selection: RunSelection,
    groups: list[Spans],
    topics: Sequence[int] | None = None,
    measures: Sequence[int] = MEASURES,
) -> Ranges | None:
    """Sums of some topics, or of all, as readers fold them, in groups of days. None where the run
    left no sums by day, or none that help."""
    version = selection.version
    run_evidence = evidence.of(selection.view.run)
    if run_evidence.day_sums is None or document_days.order_by_day(version, newest=False) is None:
        return None
    spans = [span for group in groups for span in group]
    order = sorted(range(len(spans)), key=spans.__getitem__)
    topic_numbers = np.arange(run_evidence.K) if topics is None else np.array(topics, np.int64)
    day_ranges = run_evidence.day_sums.ranges(
        [spans[i] for i in order],
        run_evidence.topic_documents,
        partial(document_days.documents_between, version),
        document_days.read_days(version),
        topic_numbers,
        selection.view.labels.into,
        measures,
    )
    if day_ranges is None:
        return None
    each_is_one_span = all(len(group) == 1 for group in groups)
    if each_is_one_span and order == list(range(len(spans))):
        return day_ranges
    owner = np.array([g for g, group in enumerate(groups) for _ in group])[order]
    totals = np.zeros((len(groups) + 1, day_ranges.whole.shape[1]))
    by_topic = np.zeros((len(topic_numbers), len(groups) + 1, len(measures)))
    for i, g in enumerate([*owner.tolist(), len(groups)]):
        totals[g] += day_ranges.whole[i]
        by_topic[:, g] += day_ranges.by_topic[:, i]
    return Ranges(totals, by_topic)


class TopicSums(NamedTuple):
    """Topics as readers fold them: a merged topic's tokens are its target's.

    groups: Groups without `group`, or None where all documents are one group. topic_tokens:
    int64[G, K]. topic_documents: int64[G, K], those that have the topic. all_tokens: int64[G], of
    a group, whatever topic they are assigned to. all_documents: int64[G], of a group.
    """

    groups: Groups | None
    topic_tokens: np.ndarray
    topic_documents: np.ndarray
    all_tokens: np.ndarray
    all_documents: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """float64[G, K]: of each group's tokens; NaN for a group without any."""
        with np.errstate(invalid="ignore"):
            return self.topic_tokens / self.all_tokens[:, None]

    @property
    def labels(self) -> list[str]:
        """Names of the groups, one for each of G; [""] where all documents are one group."""
        return self.groups.labels if self.groups else [""]


def of_selection(selection: RunSelection, by: str | None = None) -> TopicSums:
    """Sums of the selected documents, by a period or a category (document_groups.read_groups). Raises Invalid
    where there is no such thing."""
    if not by and not selection.has_conditions:
        return of_all(selection.view)
    return grouped(
        selection, document_groups.read_groups(selection.version, by) if by else None, by
    )


def grouped(selection: RunSelection, groups: Groups | None, name: Hashable) -> TopicSums:
    """Sums of the selected documents in any groups. name: tells them from others of the same
    documents."""
    run = selection.view.run
    targets = selection.view.labels.into

    def make() -> TopicSums:
        # What is kept does not grow with D
        labelled = groups and groups._replace(group_or_maker=np.empty(0, np.int32), days=None)
        days = days_of_groups(selection, groups)
        ranges = of_days(selection, days, measures=(TOKENS, NUMBER)) if days else None
        if ranges is not None:
            tokens, documents = (ranges.by_topic[:, :-1, m].T.astype(np.int64) for m in (0, 1))
            totals = ranges.whole[:-1].astype(np.int64)
            return TopicSums(
                labelled, tokens, documents, totals[:, ALL_WORDS], totals[:, ALL_DOCUMENTS]
            )
        G = len(groups.labels) if groups else 1
        members, group = selection.in_groups(groups)
        tokens, documents = evidence.of(run).mixtures.sums(group, G, targets, members)
        return TopicSums(labelled, tokens, documents, tokens.sum(axis=1), count(group, G))

    return _kept.get_or_set((name, *selection.counts_key), make)


def of_all(view: RunView) -> TopicSums:
    """Sums of all documents, as one group."""
    targets = view.labels.into
    run_evidence = evidence.of(view.run)
    if not np.array_equal(targets, np.arange(run_evidence.K)):
        # A document that has two merged topics is counted once
        return grouped(RunSelection.all(view), None, None)

    def make() -> TopicSums:
        _, topics, tokens, _ = run_evidence.word_topics.held_by_word()
        of_topics = np.bincount(topics, tokens, minlength=run_evidence.K).astype(np.int64)
        return TopicSums(
            None,
            of_topics[None],
            run_evidence.topic_documents.counts[None],
            of_topics.sum()[None],
            np.array([run_evidence.document_bow.D]),
        )

    return _kept.get_or_set((view.run.snapshot_id, "all"), make)
