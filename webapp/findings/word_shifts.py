"""Words whose use changed from the first third of the texts to the last: which topics their documents give them to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from inference.findings import senses, sums
from webapp.findings.kinds import Sense
from webapp.models import Word
from webapp.storage.sql import rows

if TYPE_CHECKING:
    from webapp.findings.compute import Context

CANDIDATES = 1_500  # words, those in most documents
READ = 20_000  # documents of each, evenly over the collection: the standard error of a share is below 0.4% then
LEAST = 0.15  # change of a sense's share that the interval must lie above
RANK = 60  # among whose first words the word must be in both topics, so that it tells of them
Q_VALUE = 0.05


def shifted(context: Context) -> list[Sense]:
    """The words by how much of their use changed, most first."""
    times = context.times
    early, late = _thirds(times.group, context.counted.lengths, times.G)
    if not 0 < early < late < times.G:
        return []
    words = Word.objects.filter(version=context.run.version_id, documents__gte=2 * senses.LEAST_DOCUMENTS)
    words = words.exclude(word__in=context.run.dropped)  # the run does not have them
    listed = list(words.order_by("-documents", "number").values_list("number", "word")[:CANDIDATES])
    shifts = {}
    for number, word in listed:
        shift = senses.shift(*_uses(context, number), early, late)
        if shift is not None:
            shifts[number] = word, shift
    sure = sums.accepted(np.array([shift.p for _, shift in shifts.values()]), Q_VALUE)
    kept = {
        number: one
        for (number, one), accepted in zip(shifts.items(), sure, strict=True)
        if accepted and one[1].low >= LEAST and context.subjects[one[1].gained] and context.subjects[one[1].lost]
    }
    ranks = _ranks(context, list(kept))
    changed = []
    for number, (word, shift) in kept.items():
        if not all(ranks.get((int(k), number), RANK) < RANK for k in (shift.gained, shift.lost)):
            continue
        changed.append(
            Sense(
                score=shift.low * math.log(sum(shift.documents)),
                estimate=shift.difference,
                low=shift.low,
                high=shift.high,
                word=word,
                gained=shift.gained,
                lost=shift.lost,
                gained_shares=shift.gained_shares,
                lost_shares=shift.lost_shares,
                documents_counted=shift.documents,
                until=(times.names[early - 1], times.said[early - 1]),
                since=(times.names[late], times.said[late]),
            )
        )
    return _varied(changed)


def _varied(changed: list[Sense]) -> list[Sense]:
    """Of each pair of topics the word that changed most: "tax" and "taxes" tell the same."""
    best: dict[tuple[int, int], Sense] = {}
    for sense in sorted(changed, key=lambda sense: -sense.score):
        best.setdefault((sense.lost, sense.gained), sense)
    return list(best.values())


def _thirds(group: np.ndarray, lengths: np.ndarray, G: int) -> tuple[int, int]:
    """The period behind the first third of the words, and the one that begins the last."""
    tokens = np.bincount(group[group >= 0], weights=lengths[group >= 0], minlength=G)
    part = np.cumsum(tokens) / max(tokens.sum(), 1)
    return int(np.searchsorted(part, 1 / 3)) + 1, int(np.searchsorted(part, 2 / 3)) + 1


def _uses(context: Context, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Of the word's documents, or an even sample of them: the topic, as readers fold them, and the period."""
    documents, _, topics, _ = context.counted.word(number)
    step = -(-len(documents) // READ)
    return context.into[topics[::step]], context.times.group[documents[::step]]


def _ranks(context: Context, words: list[int]) -> dict[tuple[int, int], int]:
    """(topic, word) -> its place among the topic's words by weight."""
    listed = rows(
        "SELECT topic, word, rank FROM topic_word WHERE snapshot_id = %s AND word = ANY(%s) AND rank < %s",
        [context.run.snapshot_id, words, RANK],
    )
    out: dict[tuple[int, int], int] = {}
    for row in listed:
        key = int(context.into[row["topic"]]), row["word"]
        out[key] = min(row["rank"], out.get(key, RANK))
    return out
