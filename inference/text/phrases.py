"""Phrases of a corpus: words that occur together far more often than their frequencies explain."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inference.log_likelihood import SIGNIFICANT_G2, g2_of_cells
from inference.runtime.jit import njit
from inference.text.choice import REASONS, VocabularyChoice
from inference.text.choose import reasons
from inference.text.joined_words import WordUnits
from inference.text.stream import Spread, Stream
from inference.text.table import MIX, hashed

# times that a phrase must occur: below, a significant score is a matter of chance (Dunning 1993,
# section 3)
LEAST_OCCURRENCES = 5
# Words of a pair: two, and at most two stop words between them ("house of representatives")
_WIDTH = 4
# Pairs that are counted exactly; where there are more, those that occur less often go
EXACT_PAIRS = 1 << 21
_CONTENT = 1
_STOP = 2


class Phrase(NamedTuple):
    """words: with a space between them, as VocabularyChoice.phrases has them. documents and tokens with it.
    score: G2 of the two words."""

    words: str
    documents: int
    tokens: int
    score: float


def find(stream: Stream | Spread, choice: VocabularyChoice, limit: int = 500) -> list[Phrase]:
    """The most significant phrases, by Dunning's log-likelihood ratio ("Accurate methods for the
    statistics of surprise and coincidence", Computational Linguistics 19, 1993).

    A phrase is two words that count, side by side or with stop words between them, in at least as
    many documents as the choice asks of words. In a second round the phrases of the first are
    words: "new york", then "new york city". No phrase goes across punctuation. Memory: as for
    choosing words, and some 150 MB at the most.
    """
    pairs = _pairs(stream, replace(choice, phrases=()), limit)
    longer: list[Phrase] = []
    if pairs:
        with_pairs = replace(choice, phrases=tuple(phrase.words for phrase in pairs))
        longer = _pairs(stream, with_pairs, limit)
    # The first round counted pairs that are a part of longer ones, too
    phrases = {phrase.words: phrase for phrase in [*longer, *pairs]}
    return sorted(phrases.values(), key=lambda phrase: (-phrase.score, phrase.words))[:limit]


def _pairs(stream: Stream | Spread, choice: VocabularyChoice, limit: int) -> list[Phrase]:
    units = WordUnits(stream.lexicon, choice)
    units.learn(stream.blocks())
    reason = reasons(units, choice)
    kind = np.select(
        [reason == len(REASONS), reason == REASONS.index("stop word")], [_CONTENT, _STOP]
    ).astype(np.uint8)
    tokens = np.zeros(units.count, np.int64)
    sieve = np.zeros(1 << min(24, max(10, int(stream.tokens).bit_length())), np.uint32)
    for block in stream.blocks():
        numbers, first, _, ends = units.cut(block.words, block.ends)
        _sift(numbers, first, ends, block.words, kind, sieve, tokens)
    least = max(LEAST_OCCURRENCES, choice.min_documents)
    while True:
        table = (
            np.zeros(2 * EXACT_PAIRS, np.int32),
            np.zeros((EXACT_PAIRS, _WIDTH), np.int32),
            np.zeros((EXACT_PAIRS, 3), np.int64),
            np.zeros(1, np.int64),
        )
        for block in stream.blocks():
            numbers, first, _, ends = units.cut(block.words, block.ends)
            if not _count(
                numbers, first, ends, block.words, kind, sieve, least, block.first, *table
            ):
                break
        else:
            break
        least *= 2
    _, keys, counts, pair_count = table
    keys = keys[: pair_count[0]]
    times, documents, _ = counts[: pair_count[0]].T
    last = keys[np.arange(len(keys)), np.maximum(1, (keys >= 0).sum(axis=1) - 1)]
    score = _score(times, tokens[keys[:, 0]], tokens[last], int(tokens.sum()))
    score[(times < least) | (documents < choice.min_documents)] = 0
    order = np.argsort(-score, kind="stable")[:limit]
    order = order[score[order] > SIGNIFICANT_G2]
    first_phrase = units.phrases().start

    def word(u: int) -> str:
        return (
            choice.phrases[u - first_phrase] if u >= first_phrase else units.words(np.array([u]))[0]
        )

    return [
        Phrase(
            " ".join(word(u) for u in keys[i].tolist() if u >= 0),
            int(documents[i]),
            int(times[i]),
            float(score[i]),
        )
        for i in order.tolist()
    ]


def _score(pairs: np.ndarray, a: np.ndarray, b: np.ndarray, N: int) -> np.ndarray:
    """G2 of two words that occur a and b times among N, so often together; 0 where that is no more
    than by chance."""
    pairs = pairs.astype(float)
    a = a.astype(float)
    b = b.astype(float)
    # At least 0: a word that is in a phrase twice may be short of pairs
    cells = np.stack([pairs, a - pairs, b - pairs, N - a - b + pairs], axis=1).clip(0)
    expected = np.stack([a * b, a * (N - b), (N - a) * b, (N - a) * (N - b)], axis=1) / N
    score = g2_of_cells(cells.reshape(-1, 2, 2), expected.reshape(-1, 2, 2))
    return np.where(pairs > expected[:, 0], score, 0.0)


@njit(cache=True, nogil=True, inline="always")
def _end(units, first, words, kind, i, end):
    """Behind the pair that begins at unit i; i where none does."""
    for j in range(i + 1, min(i + _WIDTH, end) if kind[units[i]] == _CONTENT else 0):
        if words[first[j]] < 0:  # punctuation stands before it
            break
        if kind[units[j]] == _CONTENT:
            return j + 1
        if kind[units[j]] != _STOP:
            break
    return i


@njit(cache=True, nogil=True, inline="always")
def _hash(units, i, stop):
    """uint64 of 40 bits: a hash of the units i … stop - 1. units: int32."""
    return hashed(MIX, units, i, stop) * MIX >> np.uint64(24)


@njit(cache=True, nogil=True)
def _sift(units, first, ends, words, kind, sieve, tokens):
    """Counts pairs by hash: no pair occurs more often than its place says. And units."""
    mask = np.uint64(len(sieve) - 1)
    for d in range(len(ends)):
        for at in range(ends[d - 1] if d else 0, ends[d]):
            tokens[units[at]] += 1
            stop = _end(units, first, words, kind, at, ends[d])
            if stop > at:
                sieve[_hash(units, at, stop) & mask] += np.uint32(1)


@njit(cache=True, nogil=True)
def _count(
    units, first, ends, words, kind, sieve, least, first_document, slots, keys, counts, count_made
):
    """Counts pairs that pass the sieve. counts: int64[pairs, 3]: times, documents, 1 + the last
    document. False where the table is full."""
    mask = np.uint64(len(sieve) - 1)
    slot_mask = np.uint64(len(slots) - 1)
    for d in range(len(ends)):
        for at in range(ends[d - 1] if d else 0, ends[d]):
            stop = _end(units, first, words, kind, at, ends[d])
            if stop == at:
                continue
            h = _hash(units, at, stop)
            if sieve[h & mask] < least:
                continue
            slot = h & slot_mask
            while True:
                pair = slots[slot] - 1
                if pair < 0:
                    if count_made[0] == len(keys):
                        return False
                    pair = count_made[0]
                    count_made[0] += 1
                    slots[slot] = pair + 1
                    for k in range(_WIDTH):
                        keys[pair, k] = units[at + k] if at + k < stop else -1
                    break
                for k in range(_WIDTH):
                    if keys[pair, k] != (units[at + k] if at + k < stop else -1):
                        break
                else:
                    break
                slot = (slot + np.uint64(1)) & slot_mask
            counts[pair, 0] += 1
            if counts[pair, 2] != first_document + d + 1:
                counts[pair, 2] = first_document + d + 1
                counts[pair, 1] += 1
    return True
