"""Whether a topic is one subject: clear, mixed of several, or general talk, by the company that its
first words keep in the texts.

A topic's tokens are looked at in pieces of texts. The second eigenvalue of the normalised matrix of
which first words share pieces is 1 where they are two parts that never meet (Shi and Malik 2000);
the cheapest cut along its vector gives the two sides. General talk is spread evenly: its residual
inverse document frequency is low (Church and Gale 1995).
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from inference.bow import Bow, ranges
from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.relevance import USUAL_LAM, relevance_of_logs
from inference.rarity import residual_inverse_frequency
from inference.runtime.arrays import offsets_of_parts

PIECE = 100  # counted words of a piece: some 200 words of prose
# a topic's first words, by relevance (Sievert and Shirley 2014)
FIRST_WORDS = 20
LEAST_TOKENS = 2  # of a topic's first word in the topic
MIXED_FROM = 0.45  # a mixed topic is apart from here on
ACROSS = 0.8  # and its two sides' words meet across up to here
# General talk tells up to here. At 0.75 readers found a subject in half of what was called general
# (docs/measurements/names.md)
GENERAL = 0.6
SHORT_ROW_WORDS = 20  # counted words of a row (the mean) below which pieces say nothing
LONG = 50  # the same, below which evenness says nothing
# pairs of rows and words, of which words are looked for; of more an even sample of rows
MOST_PAIRS = 30_000_000
MEASURED_ROWS = 1_000  # rows whose characters tell how long a piece is
LEAST_WORDS = 8  # of a topic
_TRIES = 3  # cuts
_LEAST_SIDE = 3  # words of a side
_LEAST_CUT_AGAIN = 12  # words of which some may be left out
_LEAST_WEIGHT = 1e-9  # of a word that meets no other: weights are divided by
_PHRASE = 0.5  # of two words' pieces, that a fixed phrase shares


class TopicCompany(NamedTuple):
    """What the company of its words says of each topic; NaN where it can't be said. apart:
    float64[K], the second eigenvalue. across: float64[K], mean log lift of the pairs of words from
    both sides, over rows. tells: float64[K], residual idf of its frequent words, the run's median
    being 1. spread: float64[K], documents that have the topic, the run's median being 1."""

    apart: np.ndarray
    across: np.ndarray
    tells: np.ndarray
    spread: np.ndarray

    @property
    def mixed(self) -> np.ndarray:
        """bool[K]: topics of several subjects, heaps of leftovers among them."""
        return (np.nan_to_num(self.apart) >= MIXED_FROM) & (
            np.nan_to_num(self.across, nan=np.inf) <= ACROSS
        )

    @property
    def general(self) -> np.ndarray:
        """bool[K]: topics of no subject, talk that many documents have. One that has a name has a
        subject nevertheless (`naming.general_talk`)."""
        is_even = np.nan_to_num(self.tells, nan=np.inf) <= GENERAL
        return is_even & (self.spread >= 1) & ~self.mixed


def company(evidence: Evidence) -> TopicCompany:
    """The kind of each topic, by its first words. Takes the postings of FIRST_WORDS words a
    topic."""
    K = evidence.K
    rows = evidence.section_bow
    first, frequent = words(evidence)
    knows_mixed, knows_general = are_judged(rows)
    documents = evidence.topic_documents.counts / max(
        np.median(evidence.topic_documents.counts[evidence.topic_documents.counts > 0]), 1
    )
    unknown = np.full(K, np.nan)
    companies = TopicCompany(unknown, unknown.copy(), unknown.copy(), documents)
    step = even_step(len(rows.words), MOST_PAIRS)
    length = piece_length(evidence)
    for k in range(K) if knows_mixed else ():
        if len(first[k]) >= LEAST_WORDS:
            companies.apart[k], companies.across[k] = _judged(evidence, k, first[k], step, length)
    if knows_general:
        companies.tells[:] = _tells(evidence, frequent)
    return companies


def are_judged(rows: Bow) -> tuple[bool, bool]:
    """Whether texts are long enough for mixed topics to be known, and for general talk."""
    mean = _mean_length(rows)
    return mean >= SHORT_ROW_WORDS, mean >= LONG


def _mean_length(rows: Bow) -> float:
    """Counted words of a row that has any."""
    return rows.tokens / max(int((rows.lengths > 0).sum()), 1)


def words(evidence: Evidence) -> tuple[list[list[int]], list[list[int]]]:
    """The FIRST_WORDS first words of each topic, and its most frequent ones."""
    ptr, topics, tokens, _ = evidence.word_topics.held_by_word()
    word = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    total = np.bincount(word, weights=tokens, minlength=len(ptr) - 1)
    size = np.bincount(topics, weights=tokens, minlength=evidence.K)
    with np.errstate(divide="ignore"):
        log_inside = np.log(tokens / size[topics])
        log_everywhere = np.log(total / max(total.sum(), 1))[word]
    relevance = relevance_of_logs(log_inside, log_everywhere, USUAL_LAM)
    relevance = np.where(tokens >= LEAST_TOKENS, relevance, -np.inf)
    first = _best(topics, relevance, evidence.K)
    return (
        [word[entries[tokens[entries] >= LEAST_TOKENS]].tolist() for entries in first],
        [word[entries].tolist() for entries in _best(topics, tokens, evidence.K)],
    )


def _best(topics: np.ndarray, value: np.ndarray, K: int) -> list[np.ndarray]:
    """The places of each topic's FIRST_WORDS largest values, the largest first."""
    order = np.lexsort((-value, topics))
    ends = np.searchsorted(topics[order], np.arange(K + 1))
    return [order[a : min(a + FIRST_WORDS, b)] for a, b in zip(ends, ends[1:], strict=False)]


def piece_length(evidence: Evidence) -> int:
    """Characters of PIECE counted words; 0 where the corpus has no texts."""
    rows = evidence.section_bow
    if rows.offsets is None:
        return 0
    characters = words = 0
    for row in range(0, rows.D, even_step(rows.D, MEASURED_ROWS)):
        offsets = rows.offsets[rows.first_token[row] : rows.first_token[row + 1]]
        if len(offsets) > 1:
            characters = characters + int(np.ptp(offsets))
            words = words + len(offsets) - 1
    return max(1, PIECE * characters // max(words, 1))


def _judged(
    evidence: Evidence, k: int, words: list[int], step: int, length: int
) -> tuple[float, float]:
    """(apart, across) of topic k; NaN where no two sides were found that could be subjects."""
    pieces_of_word, anywhere = zip(
        *(_where(evidence, k, w, step, length) for w in words), strict=True
    )
    pieces_of_words = _together(pieces_of_word)
    of_row = _together(anywhere)
    sides = two_sides(pieces_of_words)
    if sides is None:
        return float("nan"), float("nan")
    second, first_side, second_side = sides
    documents = of_row.diagonal()
    lift = np.log(
        (of_row + 0.5) / (np.outer(documents, documents) / -(-evidence.section_bow.D // step) + 0.5)
    )
    return second, float(lift[np.ix_(first_side, second_side)].mean())


def two_sides(pieces_of_words: np.ndarray) -> tuple[float, np.ndarray, np.ndarray] | None:
    """The second eigenvalue, and the words of either side of the cut, by their places. None where
    each of _TRIES cuts only parts a word or a fixed phrase from the others: that is no subject of
    its own, and is left out of the next cut.

    pieces_of_words: float64[n, n], the pieces that each two words share; of one, those that have it.
    """
    places = np.arange(len(pieces_of_words))
    for _ in range(_TRIES):
        W = pieces_of_words[np.ix_(places, places)].copy()
        has = W.diagonal().copy()
        np.fill_diagonal(W, 0)
        second, side = _cut(W)
        small = np.flatnonzero(side if side.sum() <= (~side).sum() else ~side)
        if _may_be_subject(small, W, has) or len(places) < _LEAST_CUT_AGAIN:
            return second, places[side], places[~side]
        places = np.delete(places, small)
    return None


def _may_be_subject(small: np.ndarray, W: np.ndarray, has: np.ndarray) -> bool:
    """Whether the words of the smaller side are more than one word or a fixed phrase. W: pieces
    that words share; has: float64[n], pieces of each."""
    if len(small) != 2:
        return len(small) >= _LEAST_SIDE
    shared = W[tuple(small)]
    return bool(shared < _PHRASE * (has[small].sum() - shared))


def _where(
    evidence: Evidence, k: int, w: int, step: int, length: int
) -> tuple[np.ndarray, np.ndarray]:
    """Pieces, int64, in which a word is in topic k, and rows, int64, in which it is at all, of
    every step-th row."""
    rows, counts, topics, _ = evidence.word_topics.rows_of_word(w)
    sampled = rows % step == 0
    of_topic = sampled & (topics == k)
    anywhere = rows[sampled].astype(np.int64)
    rows = rows[of_topic].astype(np.int64)
    counts = counts[of_topic].astype(np.int64)
    if not length or not len(rows):
        return rows, anywhere
    nth = ranges(np.zeros_like(counts), counts)
    of_token = np.repeat(rows, counts)
    piece_number = evidence.token_places.of_rows(of_token.astype(np.int32), nth, w) // length
    return np.unique((of_token << 24) + np.minimum(piece_number, (1 << 24) - 1)), anywhere


def _together(sets: tuple[np.ndarray, ...]) -> np.ndarray:
    """float64[n, n]: how many members each two sets share."""
    _, member = np.unique(np.concatenate(sets), return_inverse=True)
    ptr = offsets_of_parts(len(member_set) for member_set in sets)
    table = csr_matrix(
        (np.ones(len(member)), member, ptr), shape=(len(sets), int(member.max(initial=0)) + 1)
    )
    return (table @ table.T).toarray()


def _cut(W: np.ndarray) -> tuple[float, np.ndarray]:
    """The second eigenvalue of D^-1/2 W D^-1/2, and bool[n], one side of the cut along its vector
    that costs least beside the smaller side's weight."""
    weight = W.sum(axis=1) + _LEAST_WEIGHT
    values, vectors = np.linalg.eigh(W / np.sqrt(np.outer(weight, weight)))
    order = np.argsort(vectors[:, -2] / np.sqrt(weight), kind="stable")
    least_cost = np.inf
    side = np.zeros(len(W), bool)
    for i in range(1, len(W)):
        in_first = np.zeros(len(W), bool)
        in_first[order[:i]] = True
        cost = W[np.ix_(in_first, ~in_first)].sum() / max(
            min(weight[in_first].sum(), weight[~in_first].sum()), _LEAST_WEIGHT
        )
        if cost < least_cost:
            least_cost = cost
            side = in_first
    return float(values[-2]), side


def _tells(evidence: Evidence, frequent: list[list[int]]) -> np.ndarray:
    """float64[K]: the median residual idf of each topic's frequent words, the median of all topics
    being 1; NaN where no topic's words tell more than chance would, as in rows that have all
    words."""
    words = np.unique([w for frequent_words in frequent for w in frequent_words]).astype(np.int64)
    idf = dict(zip(words.tolist(), residual_idf(evidence, words).tolist(), strict=True))
    median_idf = np.full(len(frequent), np.nan)
    for k, frequent_words in enumerate(frequent):
        if frequent_words:
            median_idf[k] = np.median([idf[w] for w in frequent_words])
    middle = np.nanmedian(median_idf)
    return median_idf / middle if middle > 0 else np.full(len(median_idf), np.nan)


def residual_idf(evidence: Evidence, words: np.ndarray) -> np.ndarray:
    """float64[n]: log of how many times more rows would have each word, were its tokens spread by
    chance. Of rows with some LONG counted words, else it tells nothing. words: int64[n]."""
    lengths = evidence.section_bow.lengths.astype(float)
    # 40 bins of rows by their length
    edges = np.unique(np.quantile(lengths, np.linspace(0, 1, 41)))
    bins = np.clip(np.searchsorted(edges, lengths, side="right") - 1, 0, max(len(edges) - 2, 0))
    documents_in_bin = np.bincount(bins)
    total = np.bincount(bins, weights=lengths)
    part = np.divide(
        total,
        documents_in_bin * lengths.sum(),
        where=documents_in_bin > 0,
        out=np.zeros(len(documents_in_bin)),
    )
    ends = offsets_of_parts(evidence.word_topics.held_tokens)[evidence.word_topics.held_ptr]
    expected = (documents_in_bin * -np.expm1(-np.outer(ends[words + 1] - ends[words], part))).sum(
        axis=1
    )
    return residual_inverse_frequency(expected, np.diff(evidence.postings.indptr)[words])
