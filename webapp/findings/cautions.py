"""What a reader should not rely on: topics of unlike words, of one document, of general talk; thin times; repeats; words
outside the vocabulary. Counts of what there is, not estimates: their intervals are points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from inference.explore import bands
from webapp.findings.kinds import AnyCaution, OutsideVocabulary, Repeated, ThinTimes, TopicsCaution
from webapp.results import measures

if TYPE_CHECKING:
    from webapp.findings.compute import Context

ONE_DOCUMENT = 0.2  # part of a topic's words that one document may hold
SMALL = 0.002  # share of the words of a topic below which nothing is said of it
NAMED = 5  # topics that are named
NOTICED = 0.01  # share of the documents, or of the words, from which on a caution is worth a sentence


def cautions(context: Context) -> list[AnyCaution]:
    return [
        *_general(context),
        *_mixed(context),
        *_of_one(context),
        *_thin(context),
        *_repeated(context),
        *_outside(context),
    ]


def _topics(
    context: Context, what: Literal["general", "mixed", "one_document"], numbers: np.ndarray
) -> list[TopicsCaution]:
    """Topics with most words first. estimate: their share of all words."""
    if not len(numbers):
        return []
    x = context.whole.x[0]
    order = numbers[np.argsort(-x[numbers], kind="stable")].tolist()
    share = float(x[numbers].sum() / max(context.tokens, 1))
    return [
        TopicsCaution(
            score=share, estimate=share, low=share, high=share, count=len(order), what=what, topics=order[:NAMED]
        )
    ]


def _general(context: Context) -> list[TopicsCaution]:
    labels = context.view.labels
    numbers = [
        k for k in context.view.topics if labels.background(k) and not context.subjects[k] and labels.into[k] == k
    ]
    return _topics(context, "general", np.array(numbers, np.int64))


def _mixed(context: Context) -> list[TopicsCaution]:
    mixed = measures.of(context.run)["mixed"].astype(bool)
    listed = context.subjects & mixed & (context.whole.x[0] >= SMALL * context.tokens)
    return _topics(context, "mixed", np.flatnonzero(listed))


def _of_one(context: Context) -> list[TopicsCaution]:
    """Topics of which one document holds much: they are about it, not about the collection."""
    counted, x = context.counted, context.whole.x[0]
    most = np.zeros(context.K)
    mine = np.repeat(
        np.ones(len(counted.lengths), bool) if context.mask is None else context.mask, np.diff(counted.doc_ptr)
    )
    np.maximum.at(most, context.into[counted.doc_topics[mine]], counted.doc_tokens[mine])
    with np.errstate(invalid="ignore", divide="ignore"):
        return _topics(
            context,
            "one_document",
            np.flatnonzero(context.subjects & (most >= ONE_DOCUMENT * x) & (x >= SMALL * context.tokens)),
        )


def _thin(context: Context) -> list[ThinTimes]:
    times = context.periods
    if times is None or times.unit not in ("year", "decade", "month"):
        return []
    n = np.bincount(times.group[times.group >= 0], minlength=times.G)
    some, empty = int(np.count_nonzero(n)), int(np.count_nonzero(n == 0))
    thin = np.flatnonzero((n > 0) & (n < bands.THIN))
    if not len(thin):
        return []
    share = len(thin) / some
    return [
        ThinTimes(
            score=share / 4,
            estimate=share,
            low=share,
            high=share,
            count=len(thin),
            of=some,
            empty=empty,
            unit=times.unit,
            periods=[times.said[i] for i in thin[:NAMED]],
        )
    ]


def _repeated(context: Context) -> list[Repeated]:
    mask = context.repeated if context.mask is None else context.repeated & context.mask
    count = int(np.count_nonzero(mask))
    share = count / max(context.documents, 1)
    return [Repeated(score=share, estimate=share, low=share, high=share, count=count)] if share >= NOTICED else []


def _outside(context: Context) -> list[OutsideVocabulary]:
    """Of the words that are no stop words, those that no topic counts: too rare or too frequent. Of the whole corpus."""
    version = context.run.version
    dropped = {name: tokens for name, (_, tokens) in version.report.get("dropped", {}).items()}
    outside = sum(tokens for name, tokens in dropped.items() if name.startswith("too") and name != "too short")
    share = outside / max(outside + version.tokens, 1)
    return (
        [OutsideVocabulary(score=share / 2, estimate=share, low=share, high=share, count=outside)]
        if share >= NOTICED
        else []
    )
