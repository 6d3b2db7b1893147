"""Long documents as sections: rows of the bag of words, cut where a paragraph ends, else a
sentence, near equal lengths.

A document stays one document wherever people meet it; a model reads its sections, as a topic is the
words of a few pages rather than of a book. `Sections` is a stream whose documents are the sections,
and says which rows are whose.
"""

from collections.abc import Iterator

import numpy as np

from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit
from inference.text.lexicon import Lexicon
from inference.text.stream import Block, Spread, Stream
from inference.text.table import (
    AFTER_APOSTROPHE,
    AFTER_HYPHEN,
    AFTER_PARAGRAPH,
    AFTER_SENTENCE,
    NUMBER,
)

LONG = 1.5  # sections' lengths that a document must have to be cut
# of a section's length: so far from its ideal place a cut may be, to be where a paragraph or
# sentence ends
_NEAR_PART = 0.15


class Sections:
    """What `choose` asks of a stream, of a stream's first documents in sections of about `size`
    words.

    D: sections. lengths: int32[D], their words. first_row: int64[documents + 1], where each
    document's sections begin. cut: how many documents have more than one. Memory: some 20 bytes a
    document, and 4 a section.
    """

    def __init__(
        self, stream: "Stream | Spread | Sections", size: int, documents: int | None = None
    ):
        self.stream = stream
        self.lexicon: Lexicon = stream.lexicon
        document_lengths: np.ndarray = stream.lengths
        lengths = np.asarray(document_lengths[:documents], np.int64)
        self.pieces = np.where(
            lengths > LONG * size, np.maximum(1, np.rint(lengths / size)), 1
        ).astype(np.int64)
        self.cut = int(np.count_nonzero(self.pieces > 1))
        self.first_row = offsets_of_parts(self.pieces)
        self.D = int(self.first_row[-1])
        self.lengths: np.ndarray = lengths.astype(np.int32)
        if self.cut:
            self.lengths = np.empty(self.D, np.int32)
            for block in self.blocks(places=False):
                self.lengths[block.first : block.first + len(block.ends)] = np.diff(
                    block.ends, prepend=0
                )

    @property
    def tokens(self) -> int:
        """Words of all sections, stop words included."""
        return int(self.lengths.sum(dtype=np.int64))

    def blocks(self, documents: int | None = None, places: bool = True) -> Iterator[Block]:
        """The blocks of the stream (Stream.blocks) with sections for documents, all of them.
        documents: must be D."""
        for block in self.stream.blocks(len(self.pieces), places=places):
            section_counts = self.pieces[block.first : block.first + len(block.ends)]
            yield block._replace(
                first=int(self.first_row[block.first]),
                ends=_ends(block.words, block.ends, section_counts),
            )


@njit(cache=True, nogil=True)
def _ends(words, ends, sections):
    """int64: where each section ends. ends: int64, of the documents; sections: int64, how many
    sections each has."""
    section_ends = np.empty(sections.sum(), np.int64)
    ended = 0
    begin = np.int64(0)
    for d in range(len(ends)):
        length = ends[d] - begin
        n = sections[d]
        before = begin
        for i in range(1, n):
            ideal = begin + length * i // n
            near = np.int64(_NEAR_PART * length / n)
            before = _best(
                words, max(before + 1, ideal - near), ideal, min(ideal + near, ends[d] - 1)
            )
            section_ends[ended] = before
            ended += 1
        section_ends[ended] = ends[d]
        ended += 1
        begin = ends[d]
    return section_ends


@njit(cache=True, inline="always")
def _quality(flags):
    """How good a place for a cut is before a piece with these flags, the larger the better."""
    if flags == AFTER_PARAGRAPH:
        return 4
    if flags == AFTER_SENTENCE:
        return 3
    if flags < 0:
        return 2
    return 1


@njit(cache=True, nogil=True)
def _best(words, first, ideal, last):
    """The piece before which to cut: behind the paragraph that ends nearest to the ideal, else a
    sentence, any punctuation, or a word that nothing joins to the one before."""
    best_end = ideal
    rank = 0
    distance = np.int64(0)
    for at in range(first, last + 1):
        flags = words[at] & ~NUMBER
        if flags == AFTER_HYPHEN or flags == AFTER_APOSTROPHE:
            continue
        quality = _quality(flags)
        away = abs(at - ideal)
        if quality > rank or (quality == rank and away < distance):
            best_end = at
            rank = quality
            distance = away
    return best_end
