"""Uses of words and phrases in the texts, whatever topic they are assigned to: what a name claims
is counted so."""

from collections.abc import Sequence

import numpy as np

from inference.evidence import Evidence

GAP_CHARACTERS = 9  # characters between two words of a phrase, at most: " of the " has 8
WORD = 20_000  # pairs of documents and a word that are looked at
PHRASE = 2_000  # documents of a phrase


def counts(
    evidence: Evidence, words: Sequence[int], lengths: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(documents int32 ascending, float64 uses) of a word, or of a phrase: words that follow each
    other, with GAP_CHARACTERS between.

    lengths: letters of each word. WORD or PHRASE documents that have the rarest word, or all of
    them, are looked at, evenly; uses count for those that are not. A phrase in a corpus without
    texts is counted as its rarest word.
    """
    indptr = evidence.postings.indptr

    def postings(word: int) -> int:
        return indptr[word + 1] - indptr[word]

    rarest = min(words, key=postings)
    documents, uses = evidence.word_counts(rarest)
    if len(words) == 1 or evidence.bow.offsets is None:
        step = -(-len(documents) // WORD) or 1
        return documents[::step], uses[::step].astype(np.float64) * step
    step = -(-len(documents) // PHRASE) or 1
    documents = documents[::step]
    uses_of_phrase = [_phrases(evidence, int(d), words, lengths) for d in documents]
    return documents, step * np.array(uses_of_phrase, np.float64)


def _phrases(evidence: Evidence, d: int, words: Sequence[int], lengths: Sequence[int]) -> int:
    """How often words follow each other in a document."""
    begins = np.sort(evidence.offsets(d, words[0]))
    ends = begins + lengths[0]
    for w, length in zip(words[1:], lengths[1:], strict=True):
        word_places = np.sort(evidence.offsets(d, w))
        if not len(word_places) or not len(ends):
            return 0
        at = np.searchsorted(word_places, ends)
        follows = word_places[np.minimum(at, len(word_places) - 1)]
        ends = follows[(at < len(word_places)) & (follows <= ends + GAP_CHARACTERS)] + length
    return len(ends)
