"""Runs side by side: their measures, and which of their topics are the same."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.db.models import QuerySet

from inference.explore import matching
from webapp.analysis.compare import fates, matchings, seed_band
from webapp.analysis.compare.fates import FateKind
from webapp.analysis.compare.shapes import (
    Comparison,
    FoundInRuns,
    Gathered,
    Lone,
    Matched,
    Partner,
    PartnerTopics,
    Show,
    Steady,
    TopicWithSimilarity,
)
from webapp.core.results import links, measures, topics
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.models import Metric, Run
from webapp.platform.drawing.colours import CHOICES

MOST_RUNS = CHOICES  # runs at once: as many as there are colours
PAGE = 30
RUNS_OFFERED = 30  # runs to choose from, the newest
WORDS_COMPARED = 20  # of each topic, that are looked at for what two have in common
WORDS_SHOWN = 10  # of those, at most
STABLE_ORDERS = ("steady", "unsteady", "share", "number")
PAIR_ORDERS = ("alike", "unlike", "share", "number")

# Drawn against words read, not time
CURVES = (*(column for column in series.PROGRESS if column.name != "seconds"), *series.CHARTS)


def ordered(runs: QuerySet[Run], numbers: list[int]) -> list[Run]:
    """The runs of these numbers among some, in their order."""
    chosen_runs = runs.filter(pk__in=numbers).select_related("corpus", "version", "snapshot")
    by_number = {run.pk: run for run in chosen_runs}
    return [by_number[number] for number in numbers if number in by_number]


def offered(corpora: Iterable[int]) -> list[Run]:
    """Runs of these corpora to choose from, newest first."""
    runs = Run.objects.filter(corpus__in=set(corpora)).select_related("corpus")
    return list(runs.order_by("-pk")[:RUNS_OFFERED])


def curves(runs: list[Run]) -> dict[int, dict[str, list]]:
    """run -> the columns of its curves: step, tokens, and the series that have a chart."""
    names = [column.name for column in CURVES]
    columns: dict[int, dict[str, list]] = {run.pk: {name: [] for name in names} for run in runs}
    metrics = Metric.objects.filter(run__in=runs).order_by("run", "step")
    for number, *values in metrics.values_list("run", *names):
        for name, value in zip(names, values, strict=True):
            columns[number][name].append(value)
    return columns


def comparison(first_run: Run, second_run: Run, asker: int | None) -> Comparison:
    """The pairs of two runs' topics. asker: the user who asks a worker. Raises Unmatched."""
    between = matchings.matched_or_asked(first_run, second_run, asker)
    pairs = [
        PartnerTopics(k, int(between.partner[k]), float(between.similarity[k]))
        for k in np.flatnonzero(between.partner >= 0).tolist()
    ]
    bands = seed_band.bands(RunView(first_run), RunView(second_run))
    return Comparison(first_run.pk, second_run.pk, pairs, bands)


def counts(between: matching.Matching) -> dict[Show, int]:
    """How many topics each list of a pair has."""
    return {
        "matched": int(np.count_nonzero(between.partner >= 0)),
        "first": len(between.only_a),
        "second": len(between.only_b),
        "split": len(between.splits),
        "merged": len(between.merges),
    }


def pairs(
    first_view: RunView,
    second_view: RunView,
    show: Show,
    order: str,
    after: int = 0,
    fate: FateKind | None = None,
) -> tuple[list[Matched] | list[Lone] | list[Gathered], int | None]:
    """One of the lists of `counts`, from a place on, and where the next page begins. fate: only
    topics of this kind, so that a list has those that `webapp.analysis.compare.fates` counts; the
    list of partners is of one kind anyway."""
    between = matchings.matched(first_view.run, second_view.run)
    match show:
        case "matched":
            return _list_matched(first_view, second_view, between, order, after)
        case "first":
            return _lone(first_view, second_view, between, after, fate)
        case "second":
            return _lone(second_view, first_view, between.turned(), after, fate)
        case "split":
            return _list_split(first_view, second_view, between, after, fate)
        case "merged":
            return _list_split(second_view, first_view, between.turned(), after, fate)


def _list_matched(
    first_view: RunView, second_view: RunView, between: matching.Matching, order: str, after: int
) -> tuple[list[Matched], int | None]:
    share = _shares(first_view)
    share_in_b = _shares(second_view)
    similarity = between.similarity
    matched_topics = np.flatnonzero(between.partner >= 0).tolist()
    numbers = _sort_topics(matched_topics, order, similarity, share)
    page = numbers[after : after + PAGE]
    partner = {k: int(between.partner[k]) for k in page}
    words = _words(first_view, page)
    words_of_partners = _words(second_view, list(partner.values()))
    matched = []
    for k in page:
        in_common, only_first, only_second = _in_common(words[k], words_of_partners[partner[k]])
        row = Matched(
            first=_topic(first_view, k, share),
            second=_topic(second_view, partner[k], share_in_b),
            similarity=float(similarity[k]),
            both=in_common,
            only_first=only_first,
            only_second=only_second,
        )
        matched.append(row)
    return matched, _next(after, numbers)


def _sort_topics(
    topics: list[int], order: str, similarity: np.ndarray, share: np.ndarray
) -> list[int]:
    """order: one of PAIR_ORDERS or of STABLE_ORDERS, which call the same measure otherwise."""
    if order in ("alike", "steady"):
        return sorted(topics, key=lambda k: (-similarity[k], k))
    if order in ("unlike", "unsteady"):
        return sorted(topics, key=lambda k: (similarity[k], k))
    if order == "share":
        return sorted(topics, key=lambda k: (-share[k], k))
    return sorted(topics)


def _lone(
    first_view: RunView,
    second_view: RunView,
    between: matching.Matching,
    after: int,
    fate: FateKind | None,
) -> tuple[list[Lone], int | None]:
    """Topics of the first run without a partner, all or those of one kind, each with the topic of
    the second that is nearest to it."""
    share = _shares(first_view)
    numbers = sorted(between.only_a.tolist(), key=lambda k: (-share[k], k))
    if fate is not None:
        kinds = fates.of_topics(between)
        numbers = [k for k in numbers if kinds[k] == fate]
    page = numbers[after : after + PAGE]
    nearest = {k: int(between.best_b[k]) for k in page}
    words = _words(first_view, page)
    words_of_nearest = _words(second_view, list(nearest.values()))
    steady = seed_band.steady_topics(first_view.run)
    lone = [
        Lone(
            topic=_topic(first_view, k, share),
            words=words[k][:WORDS_SHOWN],
            similarity=float(between.best_b_similarity[k]),
            nearest=links.topic_link(second_view, nearest[k]),
            nearest_words=words_of_nearest[nearest[k]][:WORDS_SHOWN],
            difference=None if steady is None else bool(steady[k]),
        )
        for k in page
    ]
    return lone, _next(after, numbers)


def _list_split(
    first_view: RunView,
    second_view: RunView,
    between: matching.Matching,
    after: int,
    fate: FateKind | None,
) -> tuple[list[Gathered], int | None]:
    """Topics of the first run that are split into several of the second, all or those of one
    kind."""
    splits = between.splits
    if fate is not None:
        kinds = fates.of_topics(between)
        splits = [(k, parts) for k, parts in splits if kinds.get(k) == fate]
    page = splits[after : after + PAGE]
    share = _shares(first_view)
    share_in_b = _shares(second_view)
    words = _words(first_view, [k for k, _ in page])
    words_of_parts = _words(second_view, [part for _, parts in page for part in parts])
    similarity = between.best_a_similarity

    def part_of(number: int) -> TopicWithSimilarity:
        return TopicWithSimilarity(
            topic=_topic(second_view, number, share_in_b),
            words=words_of_parts[number][:WORDS_SHOWN],
            similarity=float(similarity[number]),
        )

    steady = seed_band.steady_topics(first_view.run)
    parts_steady = seed_band.steady_topics(second_view.run)
    gathered = []
    for k, parts in page:
        nearest_first = sorted(parts, key=lambda number: -similarity[number])
        gathered.append(
            Gathered(
                topic=_topic(first_view, k, share),
                words=words[k][:WORDS_SHOWN],
                parts=[part_of(number) for number in nearest_first],
                difference=seed_band.is_difference(k, steady, parts, parts_steady),
            )
        )
    return gathered, _next(after, splits)


def stable(views: list[RunView], order: str, after: int = 0) -> tuple[list[Steady], int | None]:
    """Topics of the first run with their partners in the others, from a place on, and where the
    next page begins."""
    first, *other_views = views
    matchings_of_others = [
        matchings.matched(first.run, other_view.run) for other_view in other_views
    ]
    stability = matching.stability(matchings_of_others)
    share = _shares(first)
    numbers = _sort_topics(first.topics, order, stability, share)
    page = numbers[after : after + PAGE]
    words = _words(first, page)
    steady = []
    for k in page:
        partners = [
            _partner(other_view, between, k)
            for other_view, between in zip(other_views, matchings_of_others, strict=True)
        ]
        row = Steady(
            topic=_topic(first, k, share),
            words=words[k][:WORDS_SHOWN],
            stability=float(stability[k]),
            partners=partners,
        )
        steady.append(row)
    return steady, _next(after, numbers)


def _partner(other_view: RunView, between: matching.Matching, k: int) -> Partner:
    number = int(between.partner[k])
    return Partner(
        run=other_view.run.pk,
        similarity=float(between.similarity[k]),
        topic=links.topic_link(other_view, number) if number >= 0 else None,
    )


def count_found(views: list[RunView]) -> FoundInRuns:
    """How often the topics of the first run come back in the others."""
    first, *other_views = views
    has_partner = [
        matchings.matched(first.run, other_view.run).partner >= 0 for other_view in other_views
    ]
    partners = np.sum(has_partner, axis=0)[first.topics]
    in_every = int(np.count_nonzero(partners == len(other_views)))
    in_none = int(np.count_nonzero(partners == 0))
    return FoundInRuns(every=in_every, some=len(partners) - in_every - in_none, none=in_none)


def _shares(view: RunView) -> np.ndarray:
    """float64[K]: each topic's share of the tokens."""
    return measures.of(view.run)["share"]


def _topic(view: RunView, number: int, share: np.ndarray) -> links.TopicShare:
    return links.topic_share(view, number, float(share[number]))


def _words(view: RunView, numbers: list[int]) -> dict[int, list[str]]:
    return topics.top_words(view, numbers, WORDS_COMPARED)


def _in_common(first: list[str], second: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Words that two topics have among their first WORDS_COMPARED: those of both, in the first
    one's order, and those of one alone."""
    words_of_both = [word for word in first if word in second]
    only_first = [word for word in first if word not in second]
    only_second = [word for word in second if word not in first]
    return words_of_both[:WORDS_SHOWN], only_first[:WORDS_SHOWN], only_second[:WORDS_SHOWN]


def _next(after: int, rows: Sequence) -> int | None:
    """Where the next page begins; None where this one is the last."""
    end = after + PAGE
    return end if len(rows) > end else None
