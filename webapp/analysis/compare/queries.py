"""Runs side by side: their measures, and which of their topics are the same."""

from collections.abc import Iterable

import numpy as np
from django.db.models import QuerySet

from inference.explore import matching
from webapp.analysis.compare import matchings
from webapp.analysis.compare.shapes import (
    Again,
    Comparison,
    Gathered,
    Lone,
    Matched,
    Part,
    Partner,
    PartnerTopics,
    Show,
    Steady,
)
from webapp.core.results import links, measures, topics
from webapp.core.results.view import RunView
from webapp.core.runs import series
from webapp.models import Metric, Run
from webapp.platform.drawing.colours import CHOICES

MOST = CHOICES  # runs at once: as many as there are colours
PAGE = 50
OFFERED = 30  # runs to choose from, the newest
WORDS = 20  # of each topic, that are looked at for what two have in common
SHOWN = 10  # of those, at most
STABLE_ORDERS = ("steady", "unsteady", "share", "number")
PAIR_ORDERS = ("alike", "unlike", "share", "number")

# Drawn against words read, not time
CURVES = (*(column for column in series.PROGRESS if column.name != "seconds"), *series.CHARTS)


def ordered(runs: QuerySet[Run], numbers: list[int]) -> list[Run]:
    """The runs of these numbers among some, in their order."""
    by_number = {
        run.pk: run
        for run in runs.filter(pk__in=numbers).select_related("corpus", "version", "snapshot")
    }
    return [by_number[number] for number in numbers if number in by_number]


def offered(corpora: Iterable[int]) -> list[Run]:
    """Runs of these corpora to choose from, newest first."""
    return list(
        Run.objects.filter(corpus__in=set(corpora))
        .select_related("corpus")
        .order_by("-pk")[:OFFERED]
    )


def curves(runs: list[Run]) -> dict[int, dict[str, list]]:
    """run -> the columns of its curves: step, tokens, and the series that have a chart."""
    names = [column.name for column in CURVES]
    columns: dict[int, dict[str, list]] = {run.pk: {name: [] for name in names} for run in runs}
    for number, *values in (
        Metric.objects.filter(run__in=runs).order_by("run", "step").values_list("run", *names)
    ):
        for name, value in zip(names, values, strict=True):
            columns[number][name].append(value)
    return columns


def comparison(a: Run, b: Run, by: int | None = None) -> Comparison:
    """The pairs of two runs' topics. by: the user who asks. Raises NotYet."""
    between = matchings.matched(a, b, by)
    pairs = enumerate(zip(between.partner.tolist(), between.similarity.tolist(), strict=True))
    return Comparison(
        a.pk,
        b.pk,
        [PartnerTopics(k, other, similar) for k, (other, similar) in pairs if other >= 0],
    )


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
    a: RunView, b: RunView, show: Show, order: str, after: int = 0
) -> tuple[list[Matched] | list[Lone] | list[Gathered], int | None]:
    """One of the lists of `counts`, from a place on, and where the next page begins."""
    between = matchings.matched(a.run, b.run)
    if show == "matched":
        return _matched(a, b, between, order, after)
    return (_gathered if show in ("split", "merged") else _lone)(a, b, between, show, after)


def _matched(
    a: RunView, b: RunView, between: matching.Matching, order: str, after: int
) -> tuple[list[Matched], int | None]:
    share, share_b, similarity = _shares(a), _shares(b), between.similarity
    key = {
        "alike": lambda k: (-similarity[k], k),
        "unlike": lambda k: (similarity[k], k),
        "share": lambda k: (-share[k], k),
        "number": lambda k: k,
    }[order]
    numbers = sorted(np.flatnonzero(between.partner >= 0).tolist(), key=key)
    page = numbers[after : after + PAGE]
    partner = {k: int(between.partner[k]) for k in page}
    mine, others = _words(a, page), _words(b, list(partner.values()))
    return [
        Matched(
            _topic(a, k, share),
            _topic(b, partner[k], share_b),
            float(similarity[k]),
            *_in_common(mine[k], others[partner[k]]),
        )
        for k in page
    ], _next(after, numbers)


def _lone(
    a: RunView, b: RunView, between: matching.Matching, show: Show, after: int
) -> tuple[list[Lone], int | None]:
    one, other, alone = (a, b, between.only_a) if show == "first" else (b, a, between.only_b)
    best, similarity = (
        (between.best_b, between.best_b_similarity)
        if show == "first"
        else (between.best_a, between.best_a_similarity)
    )
    share = _shares(one)
    numbers = sorted(alone.tolist(), key=lambda k: (-share[k], k))
    page = numbers[after : after + PAGE]
    nearest = {k: int(best[k]) for k in page}
    mine, others = _words(one, page), _words(other, list(nearest.values()))
    return [
        Lone(
            topic=_topic(one, k, share),
            words=mine[k][:SHOWN],
            similarity=float(similarity[k]),
            nearest=links.topic_link(other, nearest[k]),
            nearest_words=others[nearest[k]][:SHOWN],
        )
        for k in page
    ], _next(after, numbers)


def _gathered(
    a: RunView, b: RunView, between: matching.Matching, show: Show, after: int
) -> tuple[list[Gathered], int | None]:
    one, other, all_of = (a, b, between.splits) if show == "split" else (b, a, between.merges)
    similarity = between.best_a_similarity if show == "split" else between.best_b_similarity
    page = all_of[after : after + PAGE]
    share, share_of_parts = _shares(one), _shares(other)
    mine, others = (
        _words(one, [k for k, _ in page]),
        _words(other, [part for _, parts in page for part in parts]),
    )
    return [
        Gathered(
            topic=_topic(one, k, share),
            words=mine[k][:SHOWN],
            parts=[
                Part(
                    _topic(other, part, share_of_parts),
                    others[part][:SHOWN],
                    float(similarity[part]),
                )
                for part in sorted(parts, key=lambda part: -similarity[part])
            ],
        )
        for k, parts in page
    ], _next(after, all_of)


def stable(views: list[RunView], order: str, after: int = 0) -> tuple[list[Steady], int | None]:
    """Topics of the first run with their partners in the others, from a place on, and where the
    next page begins."""
    first, *others = views
    between = [matchings.matched(first.run, other.run) for other in others]
    mean, share = matching.stability(between), _shares(first)
    key = {
        "steady": lambda k: (-mean[k], k),
        "unsteady": lambda k: (mean[k], k),
        "share": lambda k: (-share[k], k),
        "number": lambda k: k,
    }[order]
    numbers = sorted(first.topics, key=key)
    page = numbers[after : after + PAGE]
    words = _words(first, page)
    return [
        Steady(
            topic=_topic(first, k, share),
            words=words[k][:SHOWN],
            stability=float(mean[k]),
            partners=[_partner(other, m, k) for other, m in zip(others, between, strict=True)],
        )
        for k in page
    ], _next(after, numbers)


def _partner(other: RunView, between: matching.Matching, k: int) -> Partner:
    number = int(between.partner[k])
    return Partner(
        other.run.pk,
        float(between.similarity[k]),
        links.topic_link(other, number) if number >= 0 else None,
    )


def again(views: list[RunView]) -> Again:
    first, *others = views
    partners = np.sum(
        [matchings.matched(first.run, other.run).partner >= 0 for other in others], axis=0
    )[first.topics]
    every, none = (
        int(np.count_nonzero(partners == len(others))),
        int(np.count_nonzero(partners == 0)),
    )
    return Again(every, len(partners) - every - none, none)


def _shares(view: RunView) -> np.ndarray:
    """float64[K]: each topic's share of the tokens."""
    return measures.of(view.run)["share"]


def _topic(view: RunView, number: int, share: np.ndarray) -> links.TopicShare:
    return links.topic_share(view, number, float(share[number]))


def _words(view: RunView, numbers: list[int]) -> dict[int, list[str]]:
    return topics.top_words(view, numbers, WORDS)


def _in_common(first: list[str], second: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Of the first WORDS words of two topics: those of both, in the first one's order, and those of
    one alone."""
    return (
        [word for word in first if word in second][:SHOWN],
        [word for word in first if word not in second][:SHOWN],
        [word for word in second if word not in first][:SHOWN],
    )


def _next(after: int, every: list) -> int | None:
    return after + PAGE if len(every) > after + PAGE else None
