"""Which documents each topic has, those with most of it first."""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from inference.evidence.mixtures import DocumentMixtures
from inference.kernels import assign
from inference.runtime.arrays import frozen


@dataclass(frozen=True, eq=False)
class TopicDocuments:
    """topic_ptr: int64[K + 1], by_share, by_tokens: int32: the documents of each topic, those with
    the largest share of it or the most tokens first, of equals the lower number."""

    mixtures: DocumentMixtures
    topic_ptr: np.ndarray
    by_share: np.ndarray
    by_tokens: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """int64[K]: documents that have any tokens of each topic."""
        return np.diff(self.topic_ptr)

    def best(
        self,
        k: int,
        by: str,
        n: int,
        after: tuple[float, int] | None = None,
        mask: np.ndarray | None = None,
    ) -> list[tuple[int, int, float]]:
        """(document, tokens, share) of the n documents of topic k that come first by "share" or
        "tokens", of equals the lower number. after: (value, document), which they come behind, if
        it is given. mask: bool[D], those that are wanted."""
        ranked = self.by_share if by == "share" else self.by_tokens
        order = ranked[self.topic_ptr[k] : self.topic_ptr[k + 1]]

        def place(i: int) -> tuple[float, int]:
            d, tokens, share = self._describe(int(order[i]), k)
            return -(share if by == "share" else tokens), d

        first = bisect_right(range(len(order)), (-after[0], after[1]), key=place) if after else 0
        best_documents: list[int] = []
        step = n
        while first < len(order) and len(best_documents) < n:
            document_batch = order[first : first + step]
            if mask is not None:
                document_batch = document_batch[mask[document_batch]]
            best_documents += document_batch.tolist()
            first += step
            step *= 2
        return [self._describe(d, k) for d in best_documents[:n]]

    def _describe(self, d: int, k: int) -> tuple[int, int, float]:
        """(document, tokens of topic k, their share of its tokens)."""
        tokens = self.mixtures.tokens(d, k)
        return d, tokens, tokens / self.mixtures.length(d)

    def at_least(
        self, topics: list[int], share: float, documents: np.ndarray | None = None
    ) -> np.ndarray:
        """int32, ascending: documents in which these topics together have tokens, and at least this
        share of them. documents: int32, ascending, those that are looked at; None for all, of which
        those of the topics are. Of a single topic those that have as much come first, so none is
        looked at but where they end."""
        if documents is not None:
            topic_tokens = self.mixtures.tokens_held(topics, documents)
            topic_share = topic_tokens / np.maximum(self.mixtures.lengths[documents], 1)
            return documents[(topic_tokens > 0) & (topic_share >= share)]
        if len(topics) == 1:
            return self._at_least_of(topics[0], share)
        lengths = frozen(self.mixtures.lengths, np.int64)
        is_met = np.zeros(len(lengths), bool)
        numbers = assign.at_least(
            np.array(topics, np.int64),
            self.mixtures.wanted(topics),
            share,
            self.topic_ptr,
            self.by_share,
            *self.mixtures.columns,
            lengths,
            is_met,
        )
        return np.sort(numbers)

    def _at_least_of(self, k: int, share: float) -> np.ndarray:
        """`at_least` of one topic, whose documents are in the order of their shares."""
        order = self.by_share[self.topic_ptr[k] : self.topic_ptr[k + 1]]

        def negative_share(i: int) -> float:
            _, _, document_share = self._describe(int(order[i]), k)
            return -document_share

        end = bisect_right(range(len(order)), -share, key=negative_share)
        return np.sort(order[:end])

    def strongest(
        self, topics: list[int], group: np.ndarray, g: int, n: int
    ) -> list[tuple[int, float]]:
        """(document, share) of the n documents of a group in which these topics together have the
        largest share, of equals the lower number. group: int32[D]."""
        group = frozen(group, np.int32)
        lengths = frozen(self.mixtures.lengths, np.int64)
        documents, shares = assign.strongest(
            np.array(topics, np.int64),
            self.mixtures.wanted(topics),
            group,
            g,
            n,
            self.topic_ptr,
            self.by_share,
            *self.mixtures.columns,
            lengths,
        )
        order = np.lexsort((documents, -shares))[:n]
        return [(int(documents[i]), float(shares[i])) for i in order]
