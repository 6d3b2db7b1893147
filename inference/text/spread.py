"""A sample of documents, evenly spread over a long stream: enough to show within a second what a choice of words
gives."""

from collections.abc import Iterator

import numpy as np

from inference.text.stream import Block, Stream

MOST = 1_500_000  # pieces: some 8 MB of English


class Spread:
    """What `count` asks of a stream; all of its documents where they have at most so many pieces.

    D: documents that are here; numbers: int64, theirs in the stream; lengths: int32, their words. whole: whether they are all. Memory: 8 bytes a
    document of the stream, and 8 a piece that is here.
    """

    def __init__(self, stream: Stream, most: int = MOST):
        self.lexicon = stream.lexicon
        ends = np.cumsum(stream.lengths, dtype=np.int64)
        total = int(ends[-1]) if len(ends) else 0
        step = max(1, -(-total // most))
        numbers = np.arange(step // 2, len(ends), step) if len(ends) > step else np.arange(min(1, len(ends)))
        self.whole = len(numbers) == len(ends)
        # Where documents differ much in length, the ones that were met may have more than was asked for.
        lengths = stream.lengths[numbers].astype(np.int64)
        numbers = numbers[: max(1, int(np.searchsorted(np.cumsum(lengths), 2 * most, side="right")))]
        self.D, self.numbers, self.lengths = len(numbers), numbers, stream.lengths[numbers]
        spans = [slice(int(ends[d]) - int(stream.lengths[d]), int(ends[d])) for d in numbers]
        self._words, self._starts = (
            np.concatenate([array[span] for span in spans]) if spans else np.zeros(0, np.int32)
            for array in (stream.words, stream.starts)
        )
        self._ends = np.cumsum(stream.lengths[numbers], dtype=np.int64)

    @property
    def tokens(self) -> int:
        return len(self._words)

    def blocks(self, documents: int | None = None, places: bool = True) -> Iterator[Block]:
        """All at once, with places. documents: as Stream.blocks has it; must be D."""
        if self.D:
            yield Block(0, self._words, self._starts, self._ends)
