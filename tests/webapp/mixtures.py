"""The topics of a finished run's documents, counted from its assignments of words: what pages and
files must agree with."""

from typing import NamedTuple

import numpy as np

from webapp.core.results import evidence
from webapp.models import Run


class Row(NamedTuple):
    document: int
    topic: int
    tokens: int
    share: float  # of the document's tokens


def rows(run: Run) -> list[Row]:
    """By document and topic, each with at least one token."""
    of = evidence.of(run)
    bow = of.document_bow
    documents = np.repeat(np.arange(bow.D), np.diff(bow.indptr))
    tokens = np.zeros((bow.D, of.K), np.int64)
    np.add.at(tokens, (documents, of.token_topics.topics), bow.counts)
    return [
        Row(int(d), int(k), int(tokens[d, k]), float(tokens[d, k] / tokens[d].sum()))
        for d, k in np.argwhere(tokens)
    ]
