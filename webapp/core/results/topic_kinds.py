"""What kind of topic each topic of a run is: decided here alone, for a topic's page, lists, their
order and counts. docs/rooms.md has the rules, docs/names.md how often they are right."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

import numpy as np
from django.db.models import Count, Q

from webapp.core.results import found_again, measures
from webapp.core.results.labels import Labels, read as read_labels
from webapp.models import Edit, Run, Topic

KindByWords = Literal["clear", "mixed", "general"]
Kind = Literal["clear", "mixed", "unstable", "general"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # the clearest first, as lists are sorted by them
UNSTABLE: Kind = "unstable"


class ClearTopics(NamedTuple):
    """Topics of a run that are in use and judged by their words, and of these the clear ones."""

    clear: int
    used: int


def of_run(run: Run, labels: Labels) -> list[Kind | None]:
    """The kind of each topic, by its number; None where nothing is measured, and where it is not
    measured whether its first words meet, and nothing else is known. [] before the first snapshot.

    A topic that fewer than half of the trainings with other seeds have is unstable, unless it is
    general talk.
    """
    kinds: list[Kind | None] = list(by_words(run, labels))
    doubtful_topics = found_again.doubtful(run)
    if not kinds or not doubtful_topics:
        return kinds
    has_measures = is_measured(measures.of(run))
    for k in doubtful_topics:
        if kinds[k] != "general" and has_measures[k]:
            kinds[k] = UNSTABLE
    return kinds


def is_measured(columns: dict[str, np.ndarray]) -> np.ndarray:
    """bool[K]: whether anything is known of each topic. columns: as `measures.of` gives them."""
    return ~np.isnan(columns["exclusivity"])


def by_words(run: Run, labels: Labels) -> list[KindByWords | None]:
    """As `of_run`, without a look at trainings with other seeds, which come later than findings
    are stored. General talk has no name: what a reader labelled is none."""
    columns = measures.of(run)
    if not columns:
        return []
    is_general = columns["background"] > 0
    is_general[labels.labelled_talk] = False
    is_mixed = columns["mixed"] > 0
    is_judged = is_measured(columns) & (is_general | ~np.isnan(columns["apart"]))
    return [
        _by_words(is_general[k], is_mixed[k]) if is_judged[k] else None
        for k in range(len(is_judged))
    ]


def _by_words(is_general: bool, is_mixed: bool) -> KindByWords:
    """What is both is a heap of leftovers, and counts as general talk."""
    if is_general:
        return "general"
    return "mixed" if is_mixed else "clear"


def count_clear(runs: Iterable[Run]) -> dict[int, ClearTopics]:
    """By run, how many topics are clear; nothing of runs of which nothing is measured. Two queries
    for all runs without labels whose topics other seeds found again: a page lists many."""
    of_snapshot = {run.snapshot_id: run for run in runs if run.snapshot_id}
    labelled = _labelled_runs(of_snapshot.values())
    clear_topics = {}
    for snapshot_id, counts in _count_by_words(list(of_snapshot)).items():
        run = of_snapshot[snapshot_id]
        needs_kinds = run.pk in labelled or found_again.doubtful(run)
        clear_topics[run.pk] = _count(run) if needs_kinds else counts
    return clear_topics


def _labelled_runs(runs: Iterable[Run]) -> set[int]:
    """The runs of which a reader labelled a topic."""
    holding = Edit.objects.filter(run__in=list(runs), field=Edit.Field.LABEL, undone_at=None)
    return set(holding.values_list("run", flat=True).distinct())


def _count(run: Run) -> ClearTopics:
    is_used = measures.of(run)["used"] > 0
    labels = read_labels(run)
    by_words_alone = by_words(run, labels)
    judged = [k for k, kind in enumerate(by_words_alone) if kind is not None and is_used[k]]
    kinds = of_run(run, labels)
    return ClearTopics(sum(kinds[k] == "clear" for k in judged), len(judged))


def _count_by_words(snapshots: list[int]) -> dict[int, ClearTopics]:
    """By snapshot: topics that are clear by their words, counted by the database."""
    is_judged = Q(apart__isnull=False) | Q(background=True)
    judged = Topic.objects.filter(
        is_judged, snapshot__in=snapshots, used=True, exclusivity__isnull=False
    )
    marks = judged.values_list("snapshot", "background", "mixed")
    counts: dict[int, ClearTopics] = {}
    for snapshot, is_general, is_mixed, topics in marks.annotate(topics=Count("number")):
        clear, used = counts.get(snapshot, ClearTopics(0, 0))
        if _by_words(is_general, is_mixed) == "clear":
            clear += topics
        counts[snapshot] = ClearTopics(clear, used + topics)
    return counts
