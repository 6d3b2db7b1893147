"""The senses of a word: the topics that its tokens are assigned to, where each is used, and which
words are typical of it."""

from copy import copy
from typing import NamedTuple

import numpy as np

from inference.bow import ranges
from inference.evidence import Evidence
from inference.kernels import assign, senses
from inference.log_likelihood import g2_of_parts
from inference.runtime.arrays import frozen, offsets_of_parts

SAMPLED = 1_000  # documents of a sense whose words are counted; more say the same
FEW_DOCUMENTS = 3  # with a sense: of no more, a word of a single one counts
GOLDEN_SECTION = 0.6180339887498949

_NO_GROUPS = frozen(np.zeros(0, np.int32), np.int32)


class NearWord(NamedTuple):
    """A word that tells a sense from the others (SenseUses.near), or a word from another
    (distinguishing). documents: how many of `of` have it; elsewhere: the share of the others'
    documents that do. Of senses the sections of long documents count, of two words whole
    documents."""

    word: int
    documents: int
    of: int
    elsewhere: float
    score: float


class SenseUses:
    """Where a word occurs in some documents, with merged topics folded together.

    Arrays over pairs of the word and a row of the bag of words, a document or a section of one,
    ascending: rows int32[n], documents int32[n], counts int32[n], topics uint16[n], certainty
    uint8[n]. column_of_topic: int32[K], the topic that each is read as a part of, itself where not
    merged. mask: bool[D], the documents that are looked at, or None for all."""

    def __init__(
        self,
        evidence: Evidence,
        word: int,
        column_of_topic: np.ndarray,
        mask: np.ndarray | None = None,
    ):
        self.evidence = evidence
        self.word = word
        self.column_of_topic = np.asarray(column_of_topic, np.int32)
        rows, counts, topics, certainty = evidence.word_topics.rows_of_word(word)
        documents = evidence.section_bow.documents_of(rows)
        if mask is not None:
            is_chosen = np.asarray(mask, bool)[documents]
            rows = rows[is_chosen]
            documents = documents[is_chosen]
            counts = counts[is_chosen]
            topics = topics[is_chosen]
            certainty = certainty[is_chosen]
        if not np.array_equal(self.column_of_topic, np.arange(evidence.K)):
            topics = self.column_of_topic[topics].astype(np.uint16)
        self.rows = frozen(rows, rows.dtype.type)
        self.documents = frozen(documents, documents.dtype.type)
        self.counts = frozen(counts, counts.dtype.type)
        self.topics = frozen(topics, topics.dtype.type)
        self.certainty = frozen(certainty, certainty.dtype.type)

    def of_certainty(self, least: float, *, surer: bool) -> "SenseUses":
        """The uses that are assigned to their topics with a certainty of at least `least`, 0 to 1;
        not surer: the others."""
        bound = np.ceil(least * assign.FULL_CERTAINTY)
        is_in_part = (self.certainty >= bound) == surer
        part = copy(self)
        part.rows = frozen(self.rows[is_in_part], self.rows.dtype.type)
        part.documents = frozen(self.documents[is_in_part], self.documents.dtype.type)
        part.counts = frozen(self.counts[is_in_part], self.counts.dtype.type)
        part.topics = frozen(self.topics[is_in_part], self.topics.dtype.type)
        part.certainty = frozen(self.certainty[is_in_part], self.certainty.dtype.type)
        return part

    @property
    def in_documents(self) -> int:
        """How many documents have the word."""
        return int(np.count_nonzero(np.diff(self.documents, prepend=-1)))

    def tally(self, group: np.ndarray | None = None, G: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Tokens of each topic in each of G groups of documents, and documents that have any:
        int64[G, K] twice.

        group: int32[D], each document's, -1 for none; None for one group of all.
        """
        return senses.tally(
            self.documents,
            self.counts,
            self.topics,
            _NO_GROUPS if group is None else frozen(group, np.int32),
            G,
            self.evidence.K,
        )

    def certainties(self) -> np.ndarray:
        """Mean certainty of each topic's tokens, 0 to 1 (of a topic without any 0): float64[K]."""
        sums = np.bincount(self.topics, self.counts * self.certainty.astype(float), self.evidence.K)
        return sums / (np.maximum(self.tally()[0][0], 1) * assign.FULL_CERTAINTY)

    def pairs(self, topic: int | None) -> np.ndarray:
        """int64: places of a sense's pairs, or of all where topic is None."""
        if topic is None:
            return np.arange(len(self.documents))
        return np.flatnonzero(self.topics == topic)

    def places(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where every token of some pairs is, in their order: its document, and where it begins in
        the text: int32[n] twice. Only of a corpus with texts."""
        counts = self.counts[pairs]
        nth = ranges(np.zeros_like(counts), counts)
        documents = np.repeat(self.documents[pairs], counts)
        rows = np.repeat(self.rows[pairs], counts)
        return documents, self.evidence.token_places.of_rows(rows, nth, self.word)

    def by_certainty(self, pairs: np.ndarray) -> np.ndarray:
        """int64[n]: pairs, the most certain first. pairs: int64[n], their places, ascending. Equals
        are taken from all over the corpus in turn, so that none of its ends comes first."""
        pairs = order_evenly(pairs)
        return pairs[
            senses.ordered(
                assign.FULL_CERTAINTY - self.certainty[pairs].astype(np.int32),
                assign.FULL_CERTAINTY,
            )
        ]

    def by_day(self, pairs: np.ndarray, days: np.ndarray, *, newest: bool = False) -> np.ndarray:
        """Pairs by the days of their documents, those without one last. days: int32[D], 0 for none
        (webapp.intake.metadata.columns)."""
        day = np.asarray(days[self.documents[pairs]])
        last = int(day.max(initial=0))
        first = int(day[day > 0].min(initial=last))
        keys = np.where(day > 0, last - day if newest else day - first, last - first + 1)
        return pairs[senses.ordered(keys.astype(np.int32), last - first + 1)]

    def near(self, topics: list[int], count: int) -> list[list[NearWord]]:
        """For each of a word's senses, the `count` words that tell it from its others.

        They mostly belong to the sense's topic themselves, and occur in more of its documents than
        of the other senses'; the order is that of the log-likelihood ratio of these two shares
        (inference.log_likelihood) on at most SAMPLED documents of each sense, spread over the corpus. A sole
        sense is told from the corpus at large.
        """
        samples = [order_evenly(self.pairs(k))[:SAMPLED] for k in topics]
        bow = self.evidence.section_bow
        sizes = np.array([len(sample) for sample in samples])
        words, own_counts, all_counts = _beside(
            self.evidence,
            [self.rows[sample] for sample in samples],
            np.array(topics, np.int32),
            self.column_of_topic,
        )
        if len(topics) > 1:
            elsewhere = all_counts.sum(0) - all_counts
            other_documents = sizes.sum() - sizes
        else:
            elsewhere = np.diff(self.evidence.postings.indptr)[words][None] - all_counts
            other_documents = bow.D - sizes
        words_of_senses = []
        for s in range(len(topics)):
            words_of_sense = _named(
                self.word,
                words,
                own_counts[s],
                all_counts[s],
                elsewhere[s],
                sizes[s],
                other_documents[s],
                count,
            )
            words_of_senses.append(words_of_sense)
        return words_of_senses


def _beside(
    evidence: Evidence, samples: list[np.ndarray], topics: np.ndarray, column_of_topic: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """kernels.senses.near of the rows of each sample."""
    bow = evidence.section_bow
    ptr = offsets_of_parts(len(sample) for sample in samples)
    rows = np.concatenate([*samples, np.zeros(0, np.int32)])
    return senses.near(
        ptr,
        rows,
        topics,
        column_of_topic,
        frozen(bow.indptr, np.int64),
        bow.words,
        evidence.token_topics.topics,
        bow.V,
    )


def _named(
    word: int, words, own_counts, all_counts, elsewhere, size: int, other_documents: int, count: int
) -> list[NearWord]:
    least = 2 if size > FEW_DOCUMENTS else 1  # a word of one document says little of many
    is_mostly_own = 2 * own_counts >= all_counts
    is_more_frequent = all_counts * other_documents > elsewhere * size
    is_fit = is_mostly_own & (all_counts >= least) & (words != word) & is_more_frequent
    fit = np.flatnonzero(is_fit)
    score = g2_of_parts(
        np.stack([all_counts[fit], elsewhere[fit]], axis=1), np.array([size, other_documents])
    )
    share_elsewhere = elsewhere / max(other_documents, 1)
    best_words = np.lexsort((words[fit], -score))[:count]
    near_words = []
    for i, row in zip(best_words, fit[best_words], strict=True):
        documents = int(all_counts[row])
        share = float(share_elsewhere[row])
        near_words.append(
            NearWord(
                word=int(words[row]),
                documents=documents,
                of=int(size),
                elsewhere=share,
                score=float(score[i]),
            )
        )
    return near_words


def order_evenly(items: np.ndarray) -> np.ndarray:
    """The items, of the same type, in an order of which every beginning is spread evenly over all
    of them: steps of the golden section."""
    n = len(items)
    if n <= 2:
        return items
    step = round(n * GOLDEN_SECTION)
    while np.gcd(step, n) != 1:
        step += 1
    return items[np.arange(n, dtype=np.int64) * step % n]


def distinguishing(
    evidence: Evidence, first: SenseUses, second: SenseUses, count: int
) -> tuple[list[NearWord], list[NearWord]]:
    """The `count` words that occur in documents with one word rather than in those with another, in
    the order of G2 (inference.log_likelihood), on at most SAMPLED documents of each; those of the
    first word, then those of the second.

    Documents that have both are left out, also where they have them in different sections.
    """
    documents_of_first = np.unique(first.documents)
    documents_of_second = np.unique(second.documents)
    only_first = np.setdiff1d(documents_of_first, documents_of_second, assume_unique=True)
    only_second = np.setdiff1d(documents_of_second, documents_of_first, assume_unique=True)
    sample_of_first = order_evenly(only_first)[:SAMPLED]
    sample_of_second = order_evenly(only_second)[:SAMPLED]
    size_of_first = len(sample_of_first)
    size_of_second = len(sample_of_second)
    bow = evidence.document_bow
    ptr = np.array([0, size_of_first, size_of_first + size_of_second])
    documents = np.concatenate([sample_of_first, sample_of_second])
    words, (with_first, with_second) = senses.count_documents(
        ptr,
        documents,
        frozen(bow.indptr, np.int64),
        bow.words,
        bow.V,
    )
    of_first = _named(
        first.word, words, with_first, with_first, with_second, size_of_first, size_of_second, count
    )
    of_second = _named(
        second.word,
        words,
        with_second,
        with_second,
        with_first,
        size_of_second,
        size_of_first,
        count,
    )
    return of_first, of_second
