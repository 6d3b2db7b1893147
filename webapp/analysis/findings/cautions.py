"""What a reader should not rely on: topics of unlike words, of one document, of general talk; thin
times; repeats; words outside the vocabulary. Counts of what there is, not estimates: their
intervals are points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from inference.explore import bands
from webapp.analysis.findings.kinds import (
    AnyCaution,
    OutsideVocabulary,
    Repeated,
    ThinTimes,
    TopicsCaution,
    What,
)
from webapp.core.results import measures
from webapp.core.results.view import RunView

if TYPE_CHECKING:
    from webapp.analysis.findings.compute import Context

ONE_DOCUMENT = 0.2  # part of a topic's words that one document may hold
SMALL = 0.002  # share of the words of a topic below which nothing is said of it
NAMED = 5  # topics that are named
NOTICED = (
    0.01  # share of the documents, or of the words, from which on a caution is worth a sentence
)


def cautions(context: Context) -> list[AnyCaution]:
    """The cautions of a set of documents, kind by kind; [] where there is nothing to warn of."""
    return [*_topics(context), *_thin(context), *_repeated(context), *_outside(context)]


def _topics(context: Context) -> list[TopicsCaution]:
    """Of general talk, of several subjects, and of which one document holds much: these are about
    it, not about the collection. Topics with most words first; estimate: their share of all
    words."""
    run_evidence = context.counted
    labels = context.view.labels
    x = context.whole.x[0]
    largest_document = np.zeros(context.K)
    tokens_of_topic = (
        slice(None)
        if context.mask is None
        else np.repeat(context.mask, np.diff(run_evidence.doc_ptr))
    )
    np.maximum.at(
        largest_document,
        context.into[run_evidence.doc_topics[tokens_of_topic]],
        run_evidence.doc_tokens[tokens_of_topic],
    )
    large = context.subjects & (x >= SMALL * context.tokens)
    topics_of_caution: dict[What, list[int]] = {
        "general": [
            k
            for k in context.view.topics
            if labels.background(k) and not context.subjects[k] and labels.into[k] == k
        ],
        "mixed": np.flatnonzero(large & measures.of(context.run)["mixed"].astype(bool)).tolist(),
        "one_document": np.flatnonzero(large & (largest_document >= ONE_DOCUMENT * x)).tolist(),
    }
    rows = []
    for caution, numbers in topics_of_caution.items():
        share = float(x[numbers].sum() / max(context.tokens, 1))
        first = sorted(numbers, key=lambda k: -x[k])[:NAMED]
        rows.append(
            TopicsCaution(
                score=share,
                estimate=share,
                low=share,
                high=share,
                count=len(numbers),
                what=caution,
                topics=first,
            )
        )
    return [row for row in rows if row.count]


def unstable(view: RunView, doubtful: set[int]) -> list[TopicsCaution]:
    """Topics that most trainings with other seeds did not find again. Those trainings follow a run
    while its machine is idle, so this is known later than what is stored, and not stored."""
    tokens = np.nan_to_num(measures.of(view.run)["tokens"])
    labels = view.labels
    unstable_topics = [
        k for k in doubtful if tokens[k] > 0 and labels.into[k] == k and not labels.hidden(k)
    ]
    if not unstable_topics:
        return []
    share = float(tokens[unstable_topics].sum() / tokens.sum())
    return [
        TopicsCaution(
            score=1.0,  # the first of the cautions
            estimate=share,
            low=share,
            high=share,
            count=len(unstable_topics),
            what="unstable",
            topics=sorted(unstable_topics, key=lambda k: -tokens[k])[:NAMED],
        )
    ]


def _thin(context: Context) -> list[ThinTimes]:
    times = context.periods
    if times is None or times.unit not in ("year", "decade", "month"):
        return []
    n = np.bincount(times.group[times.group >= 0], minlength=times.G)
    documents_counted = int(np.count_nonzero(n))
    thin = np.flatnonzero((n > 0) & (n < bands.THIN))
    if not len(thin):
        return []
    share = len(thin) / documents_counted
    return [
        ThinTimes(
            score=share / 4,
            estimate=share,
            low=share,
            high=share,
            count=len(thin),
            of=documents_counted,
            empty=times.empty,
            unit=times.unit,
            periods=[times.said[i] for i in thin[:NAMED]],
        )
    ]


def _repeated(context: Context) -> list[Repeated]:
    count = int(
        np.count_nonzero(context.repeated & (True if context.mask is None else context.mask))
    )
    share = count / max(context.documents, 1)
    return (
        [Repeated(score=share, estimate=share, low=share, high=share, count=count)]
        if share >= NOTICED
        else []
    )


def _outside(context: Context) -> list[OutsideVocabulary]:
    """Of the words that are no stop words, those that no topic counts: too rare or too frequent. Of
    the whole corpus."""
    version = context.run.version
    dropped = version.report.get("dropped", {}).items()
    outside = sum(
        tokens for name, (_, tokens) in dropped if name.startswith("too") and name != "too short"
    )
    share = outside / max(outside + version.tokens, 1)
    return (
        [OutsideVocabulary(score=share / 2, estimate=share, low=share, high=share, count=outside)]
        if share >= NOTICED
        else []
    )
