"""Tokens get their topics: a block of documents at a time, in memory."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from inference import fold_in
from inference.bow import Bow
from inference.kernels import assign
from inference.kernels.beta_rows import BetaRows
from inference.topics import Theta, Topics


class Assigned(NamedTuple):
    """The topics of a block of documents' tokens, from document `first` on. topics: uint16 and
    certainty: uint8, of the bag of words' pairs. indptr: int64[n + 1], from 0 on, doc_topics:
    uint16, doc_tokens: int32: of each topic in each document."""

    first: int
    topics: np.ndarray
    certainty: np.ndarray
    indptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray


def rows_by_word(bow: Bow, topics: Topics, by_document: bool) -> BetaRows:
    """Topics as `assigned` needs them. by_document: About.by_document."""
    if by_document:
        return BetaRows.even(bow.V, topics.K)
    beta = fold_in.rows(
        topics.indptr, topics.words, topics.weights, topics.floor, np.arange(bow.V), bow.V
    )
    return beta._replace(floor=_floor(topics))


def _floor(topics: Topics) -> np.ndarray:
    """float64[K]: the topics' floors, 0 of a topic that is kept without tokens (Seeds.empty): all
    words are alike to it, and a word that no topic lists would be assigned to it."""
    if topics.used is None:
        return topics.floor
    kept_empty = ~topics.used & (topics.share == 0.0) & (np.diff(topics.indptr) == 0)
    return np.where(kept_empty, 0.0, topics.floor)


def assigned(bow: Bow, K: int, beta: BetaRows, theta: Theta) -> Assigned:
    """Give the tokens of a block of documents their topics."""
    end = theta.first + len(theta.indptr) - 1
    span = slice(bow.indptr[theta.first], bow.indptr[end])
    token_topics = np.empty(span.stop - span.start, np.uint16)
    certainty = np.empty(span.stop - span.start, np.uint8)
    assign.assign(
        theta.first,
        bow.indptr,
        bow.words,
        beta,
        (theta.indptr, theta.topics, theta.weights),
        token_topics,
        certainty,
    )
    mixtures = assign.mixtures(
        bow.indptr[theta.first : end + 1] - span.start, bow.counts[span], token_topics, K
    )
    return Assigned(theta.first, token_topics, certainty, *mixtures)


def document_tokens(
    bow: Bow, topics: Topics, thetas: Iterable[Theta], by_document: bool
) -> csr_matrix:
    """The tokens of each topic in each document, int[documents, K], as `gather` counts them; in
    memory."""
    beta = rows_by_word(bow, topics, by_document)
    blocks: list[csr_matrix] = []
    for theta in thetas:
        assignment = assigned(bow, topics.K, beta, theta)
        entries = (assignment.doc_tokens, assignment.doc_topics, assignment.indptr)
        blocks.append(csr_matrix(entries, (len(assignment.indptr) - 1, topics.K)))
    rows = vstack(blocks, format="csr")
    first_rows = bow.first_row
    if first_rows is None:
        return rows
    shape = (len(first_rows) - 1, bow.D)
    adds_sections = csr_matrix((np.ones(bow.D, np.int32), np.arange(bow.D), first_rows), shape)
    return adds_sections @ rows
