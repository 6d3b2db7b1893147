"""Runs side by side: their measures, and which of their topics are the same."""

from collections.abc import Iterable

import numpy as np
from django.db.models import QuerySet

from inference.explore import matching
from webapp.compare import matchings
from webapp.drawing.numbers import HUES
from webapp.models import Metric, Run
from webapp.results import links, measures, topics
from webapp.results.view import RunView
from webapp.runs import series

MOST = HUES  # runs at once: as many as there are colours
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
    by_number = {run.pk: run for run in runs.filter(pk__in=numbers).select_related("corpus", "version", "snapshot")}
    return [by_number[number] for number in numbers if number in by_number]


def offered(corpora: Iterable[int]) -> list[Run]:
    """Runs of these corpora to choose from, newest first."""
    return list(Run.objects.filter(corpus__in=set(corpora)).select_related("corpus").order_by("-pk")[:OFFERED])


def curves(runs: list[Run]) -> dict[int, dict[str, list]]:
    """run -> the columns of its curves: step, tokens, and the series that have a chart."""
    names = [column.name for column in CURVES]
    columns: dict[int, dict[str, list]] = {run.pk: {name: [] for name in names} for run in runs}
    for number, *values in Metric.objects.filter(run__in=runs).order_by("run", "step").values_list("run", *names):
        for name, value in zip(names, values, strict=True):
            columns[number][name].append(value)
    return columns


def described(a: Run, b: Run, by: int | None = None) -> dict:
    """The pairs of two runs' topics, in the shape webapp.api.shapes.Comparison. by: the user who asks. Raises NotYet."""
    between = matchings.of(a, b, by)
    pairs = enumerate(zip(between.partner.tolist(), between.similarity.tolist(), strict=True))
    return {
        "run": a.pk,
        "other": b.pk,
        "pairs": [
            {"topic": k, "other": other, "similarity": similarity} for k, (other, similarity) in pairs if other >= 0
        ],
    }


def counts(between: matching.Matching) -> dict[str, int]:
    """How many topics each list of a pair has."""
    return {
        "matched": int(np.count_nonzero(between.partner >= 0)),
        "first": len(between.only_a),
        "second": len(between.only_b),
        "split": len(between.splits),
        "merged": len(between.merges),
    }


def pairs(a: RunView, b: RunView, show: str, order: str, after: int = 0) -> tuple[list[dict], int | None]:
    """One of the lists of `counts`, from a place on, and where the next page begins. Rows as
    templates/compare/_pairs.html has them."""
    between = matchings.of(a.run, b.run)
    if show == "matched":
        return _matched(a, b, between, order, after)
    if show in ("split", "merged"):
        return _gathered(a, b, between, show, after)
    one, other, numbers = (a, b, between.only_a) if show == "first" else (b, a, between.only_b)
    best, similarity = (
        (between.best_b, between.best_b_similarity) if show == "first" else (between.best_a, between.best_a_similarity)
    )
    share = _shares(one)
    numbers = sorted(numbers.tolist(), key=lambda k: (-share[k], k))
    page = numbers[after : after + PAGE]
    mine, others = _words(one, page), _words(other, [int(best[k]) for k in page])
    rows = [
        {"topic": _topic(one, k, share), "words": mine[k][:SHOWN], "similarity": float(similarity[k]),
         "nearest": links.topic(other, int(best[k])), "nearest_words": others[int(best[k])][:SHOWN]}
        for k in page
    ]  # fmt: skip
    return rows, _next(after, numbers)


def _matched(
    a: RunView, b: RunView, between: matching.Matching, order: str, after: int
) -> tuple[list[dict], int | None]:
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
    rows = [
        {"first": _topic(a, k, share), "second": _topic(b, partner[k], share_b), "similarity": float(similarity[k])}
        | _in_common(mine[k], others[partner[k]])
        for k in page
    ]
    return rows, _next(after, numbers)


def _gathered(
    a: RunView, b: RunView, between: matching.Matching, show: str, after: int
) -> tuple[list[dict], int | None]:
    """A topic of one run that is the nearest of several in the other, and those."""
    one, other, all_of = (a, b, between.splits) if show == "split" else (b, a, between.merges)
    similarity = between.best_a_similarity if show == "split" else between.best_b_similarity
    page = all_of[after : after + PAGE]
    share, share_of_parts = _shares(one), _shares(other)
    mine, others = _words(one, [k for k, _ in page]), _words(other, [part for _, parts in page for part in parts])
    rows = [
        {
            "topic": _topic(one, k, share),
            "words": mine[k][:SHOWN],
            "parts": [
                {
                    "topic": _topic(other, part, share_of_parts),
                    "words": others[part][:SHOWN],
                    "similarity": float(similarity[part]),
                }
                for part in sorted(parts, key=lambda part: -similarity[part])
            ],
        }
        for k, parts in page
    ]
    return rows, _next(after, all_of)


def stable(views: list[RunView], order: str, after: int = 0) -> tuple[list[dict], int | None]:
    """Topics of the first run with their partners in the others, from a place on, and where the next page begins."""
    first, *others = views
    between = [matchings.of(first.run, other.run) for other in others]
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
    rows = [
        {
            "topic": _topic(first, k, share),
            "words": words[k][:SHOWN],
            "stability": float(mean[k]),
            "partners": [
                {"run": other.run.pk, "similarity": float(m.similarity[k])}
                | ({"topic": links.topic(other, int(m.partner[k]))} if m.partner[k] >= 0 else {"topic": None})
                for other, m in zip(others, between, strict=True)
            ],
        }
        for k in page
    ]
    return rows, _next(after, numbers)


def again(views: list[RunView]) -> dict[str, int]:
    """Of the first run's topics: how many have a partner in every other run, in some, in none."""
    first, *others = views
    partners = np.sum([matchings.of(first.run, other.run).partner >= 0 for other in others], axis=0)[first.topics]
    every, none = int(np.count_nonzero(partners == len(others))), int(np.count_nonzero(partners == 0))
    return {"every": every, "some": len(partners) - every - none, "none": none}


def _shares(view: RunView) -> np.ndarray:
    """float64[K]: each topic's share of the tokens."""
    return measures.of(view.run)["share"]


def _topic(view: RunView, number: int, share: np.ndarray) -> dict:
    return links.topic(view, number) | {"share": float(share[number])}


def _words(view: RunView, numbers: list[int]) -> dict[int, list[str]]:
    return topics.top_words(view, numbers, WORDS)


def _in_common(first: list[str], second: list[str]) -> dict[str, list[str]]:
    """Of the first WORDS words of two topics: those of both, in the first one's order, and those of one alone."""
    return {
        "both": [word for word in first if word in second][:SHOWN],
        "only_first": [word for word in first if word not in second][:SHOWN],
        "only_second": [word for word in second if word not in first][:SHOWN],
    }


def _next(after: int, every: list) -> int | None:
    return after + PAGE if len(every) > after + PAGE else None
