"""Uses of words and phrases in the texts, whatever topic they are assigned to: what a name claims
is counted so."""

from collections.abc import Sequence

import numpy as np

from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.name_candidates import uses_in_rows

WORD = 20_000  # pairs of documents and a word that are looked at
PHRASE = 2_000  # documents of a phrase


def counts(
    evidence: Evidence, words: Sequence[int], lengths: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(documents int32 ascending, float64 uses) of a word, or of a phrase: words that follow each
    other (`uses_in_rows`).

    lengths: letters of each word. WORD or PHRASE documents that have the rarest word, or all of
    them, are looked at, evenly; uses count for those that are not. A phrase in a corpus without
    texts is counted as its rarest word.
    """
    indptr = evidence.postings.indptr

    def postings(word: int) -> int:
        return indptr[word + 1] - indptr[word]

    rarest = min(words, key=postings)
    documents, uses = evidence.word_topics.document_counts(rarest)
    if len(words) == 1 or evidence.document_bow.offsets is None:
        step = even_step(len(documents), WORD)
        return documents[::step], uses[::step].astype(np.float64) * step
    step = even_step(len(documents), PHRASE)
    documents = documents[::step]
    bow = evidence.document_bow
    uses_of_phrase, _ = uses_in_rows(evidence, bow, documents, words, lengths, k=0)
    return documents, step * uses_of_phrase.astype(np.float64)
