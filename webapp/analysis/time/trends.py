"""Topics by period or category: shares with their intervals, bin after bin."""

from collections.abc import Iterator

import numpy as np

from inference.errors import Invalid
from inference.explore.bands import Bands
from webapp.analysis.time import shares
from webapp.analysis.time.shapes import Choice, Passages, Period, TimeLine, TimeLines
from webapp.core.documents import document_groups, queries
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import StrongestPassage
from webapp.core.results import links, topic_numbers, topics
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import PERIODS
from webapp.models import Run, Version
from webapp.platform.storage.csv_table import CsvTable
from webapp.platform.storage.nulls import number_or_none

TOPICS_SHOWN = 9  # topics of a page that names none: those that change most
MOST_LINES = 24  # side by side; more can't be compared
TOPICS_OFFERED = 200  # topics to choose from in a list; others by their number
PASSAGES = 3  # of a bin
LEAST_GROUPS = 2  # among which a share can vary
VALUES = 40  # of a category, the most frequent: a longer list can't be compared


def choices(version: Version) -> list[Choice]:
    """What `document_groups.possible_groupings` offers."""
    return [Choice(by, PERIODS.get(by, by)) for by in document_groups.possible_groupings(version)]


def grouping_field(run: Run, asked_field: str) -> str | None:
    """The field by which a page groups documents: the one that was asked for, else the usual one of
    the version. None where there is nothing to show: no field, or a run that is still trained."""
    return (asked_field or document_groups.usual_grouping(run.version)) if run.final else None


def most_changing(grouped_set: shares.GroupedSet) -> list[int]:
    """Topics that nobody hid, by how much they depend on the group, most first; of one group alone,
    on which nothing can depend, the largest first."""
    view = grouped_set.selection.view
    labels = view.labels
    measure = shares.information(grouped_set)
    if len(grouped_set.present) < LEAST_GROUPS:
        measure = shares.tokens(grouped_set).sum(axis=0)
    order = np.argsort(-measure, kind="stable")
    changing = []
    for number in order.tolist():
        if view.used[number] and labels.is_visible(number):
            changing.append(number)
    return changing


def read_topics(view: RunView, texts: list[str]) -> list[int]:
    """Topics from an address, "3" or "3,7,T12", merged ones as their targets. Raises Invalid for
    what is no topic."""
    numbers = topic_numbers.read_several(texts, view.run, "topics")
    return list(dict.fromkeys(view.labels.into[numbers].tolist()))


def lines(
    selection: RunSelection,
    by: str,
    asked_topics: list[int],
    bin_: str = "",
    most_lines: int = MOST_LINES,
) -> TimeLines:
    """Some topics, or those that change most, by a period or a category. bin_: of one topic, the
    group whose passages are shown."""
    if len(asked_topics) > most_lines:
        raise Invalid(
            "topics",
            f"At most {most_lines} topics can be shown beside each other, got {len(asked_topics)}. Choose"
            " fewer.",
        )
    grouped_set = shares.group_set(selection, by)
    changing = most_changing(grouped_set)
    chosen_topics = asked_topics or changing[:TOPICS_SHOWN]
    bands = shares.intervals(grouped_set, chosen_topics)
    tokens = shares.tokens(grouped_set)
    total = max(int(tokens.sum()), 1)
    information = shares.information(grouped_set)
    groups_shown = grouped_set.present
    if not grouped_set.groups.in_time:
        groups_shown = groups_shown[:VALUES]
    groups_in_order = document_groups.order_groups(
        selection.version, grouped_set.groups, groups_shown
    )
    words = topics.top_words(selection.view, chosen_topics, 6)
    passages = None
    if bin_ and len(asked_topics) == 1:
        passages = strongest(selection, by, asked_topics[0], bin_)
    return TimeLines(
        by=by,
        in_time=grouped_set.groups.in_time,
        bins=bins(grouped_set, bands, groups_in_order),
        left_out=len(grouped_set.present) - len(groups_shown),
        without=selection.count - int(grouped_set.documents.sum()),
        measured=not asked_topics,
        topics=[
            TimeLine(
                **vars(links.topic_link(selection.view, k)),
                words=words[k],
                overall=int(tokens[:, k].sum()) / total,
                information=float(information[k]),
                tokens=tokens[groups_in_order, k].tolist(),
                share=_numbers_or_none(bands.share[i, groups_in_order]),
                low=_numbers_or_none(bands.low[i, groups_in_order]),
                high=_numbers_or_none(bands.high[i, groups_in_order]),
            )
            for i, k in enumerate(chosen_topics)
        ],
        changing=changing[:TOPICS_OFFERED],
        choices=choices(selection.version),
        selection=selection.sentence,
        unit=shares.unit(grouped_set).said,
        passages=passages,
    )


def _numbers_or_none(array: np.ndarray) -> list[float | None]:
    return [number_or_none(number) for number in array]


def bins(grouped_set: shares.GroupedSet, bands: Bands, rows_of_topics: list[int]) -> list[Period]:
    """The groups in these places."""
    return [
        Period(
            label=grouped_set.groups.labels[g],
            documents=int(bands.documents[g]),
            tokens=int(bands.tokens[g]),
            thin=bool(bands.thin[g]),
            url=links.documents_url(
                grouped_set.selection.run,
                shares.address(grouped_set.selection, (grouped_set.groups, g)),
            ),
        )
        for g in rows_of_topics
    ]


COLUMNS = ["corpus", "run", "K", "seed", "documents_chosen", "by", "bin", "topic", "label", "share", "low", "high", "topic_tokens", "tokens",
           "documents", "thin"]  # fmt: skip


def topics_in_use(view: RunView) -> list[int]:
    """All topics in use that are not merged into others."""
    return np.flatnonzero(view.used & view.labels.unmerged).tolist()


def table(selection: RunSelection, by: str, asked_topics: list[int]) -> CsvTable:
    """The chart with all of its bins: a row for each topic and bin, and in each what it was made
    from."""
    grouped_set = shares.group_set(selection, by)
    chosen_topics = asked_topics or most_changing(grouped_set)[:TOPICS_SHOWN]
    bands = shares.intervals(grouped_set, chosen_topics)
    return CsvTable(COLUMNS, _table_rows(grouped_set, by, chosen_topics, bands))


def _table_rows(
    grouped_set: shares.GroupedSet, by: str, chosen_topics: list[int], bands: Bands
) -> Iterator[list]:
    selection = grouped_set.selection
    run = selection.run
    labels = selection.view.labels
    tokens = shares.tokens(grouped_set)
    same_in_all_rows = [run.corpus.name, run.pk, run.topics, run.seed, selection.sentence, by]
    for i, k in enumerate(chosen_topics):
        for g in range(grouped_set.first, grouped_set.end):
            interval = [float(array[i, g]) for array in (bands.share, bands.low, bands.high)]
            counts = [
                int(tokens[g, k]),
                int(bands.tokens[g]),
                int(bands.documents[g]),
                int(bands.thin[g]),
            ]
            topic = [k, labels.name(k)]
            yield [*same_in_all_rows, grouped_set.groups.labels[g], *topic, *interval, *counts]


def strongest(selection: RunSelection, by: str, topic: int, label: str) -> Passages:
    """The documents of a bin in which a topic is largest, each with its strongest passage. Raises
    Invalid for no such bin."""
    grouped_set = shares.group_set(selection, by)
    labels = grouped_set.groups.labels
    if label not in labels:
        raise Invalid(
            "bin",
            f"There is no {by} “{label[:50]}” here; they run from {labels[0]} to {labels[-1]}.",
        )
    g = labels.index(label)
    largest = shares.strongest(grouped_set, topic, g, PASSAGES)
    passages = queries.strongest(selection.view, [number for number, _ in largest], topic)
    documents = [
        StrongestPassage(**vars(passage), share=share)
        for passage, (_, share) in zip(passages, largest, strict=True)
    ]
    url = links.documents_url(
        selection.run, shares.address(selection, (grouped_set.groups, g), has=topic)
    )
    return Passages(label, url, documents)
