"""Where a pattern of words occurs in a set of documents of a run (inference.index.patterns), and its lines."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from inference.errors import Invalid
from inference.index.hits import Hits
from inference.index.patterns import PatternError, parse, reach
from webapp.accounts import embargo
from webapp.documents import search
from webapp.documents.selection import RunSelection
from webapp.results import evidence
from webapp.storage.cache import BoundedCache, nbytes
from webapp.words import concordance
from webapp.words.concordance import Cut, Line, Lines, Place

UNDER_EMBARGO = 3  # words of a hit: with more, counts would tell a text word by word
_hits = BoundedCache(32 << 20, lambda hits: nbytes((hits.codes, hits.documents, hits.counts)))


def hits(selection: RunSelection, text: str, topic: int | None) -> Hits:
    """topic: to which a word of each hit is assigned; None for any or none. Raises Invalid for what can't be understood, or
    takes too long, and where the corpus has no index."""
    view, index = selection.view, search.open_index(selection.run.corpus)
    if not (view.run.final and concordance.has_places(view.run)):
        raise Invalid(
            "run", "Patterns are found when the run has ended, in a corpus of which it was noted where words are."
        )
    pattern = parse(text, lambda typed: [word for *_, word in index.spans(typed)])
    if selection.run.corpus.embargo and reach(pattern) > UNDER_EMBARGO:
        raise PatternError(0, f"These texts are under embargo: a pattern has at most {UNDER_EMBARGO} words.")
    chosen, parts = (selection, []) if topic is None else (selection.with_topic(topic), view.labels.parts(topic))
    return _hits.get_or_set(
        (index.made, view.run.snapshot_id, *chosen.key, topic, text),
        lambda: Hits(
            index,
            pattern,
            evidence.of(view.run),
            np.isin(np.arange(view.run.topics if parts else 0), parts),
            np.ones(view.run.version.documents, bool) if chosen.mask is None else chosen.mask,
        ),
    )


def page(selection: RunSelection, hits: Hits, order: str, first: int, limit: int = concordance.PAGE) -> Lines:
    """Lines `first` and following."""
    ends = np.cumsum(np.minimum(hits.counts, embargo.lines(selection.run.corpus) or 2**31 - 1), dtype=np.int64)
    shown, tokens_of = int(ends[-1]) if len(ends) else 0, partial(concordance.tokens_of, np.arange(len(ends)), ends)
    return concordance.ordered(
        selection, lambda first, limit: _cut(selection, hits, tokens_of(first, limit)), shown, int(hits.counts.sum()) - shown, order,
        first, limit,
    )  # fmt: skip


def every(selection: RunSelection, hits: Hits, size: int = 1_000) -> Iterator[list[Line]]:
    """All lines, in the documents' order, a block at a time: under an embargo each block is a write."""
    for first in range(0, page(selection, hits, "document", 0, 0).total, size):
        yield page(selection, hits, "document", first, size).lines


def _cut(selection: RunSelection, hits: Hits, tokens: list[tuple[int, int]]) -> list[Cut]:
    """tokens: (which of the documents, which of its hits), ascending."""
    of_document = {i: hits.places(int(hits.documents[i]), nth + 1).tolist() for i, nth in dict(tokens).items()}
    rows = [(int(hits.documents[i]), *of_document[i][nth]) for i, nth in tokens]

    def stops(pieces: list[embargo.Piece]) -> list[list[int]]:
        lasts = [
            piece.text[row[2] - piece.first : row[3] - piece.first] for piece, row in zip(pieces, rows, strict=True)
        ]
        lengths = hits.index.extents(lasts)
        return [[row[2] - piece.first + length] for piece, row, length in zip(pieces, rows, lengths, strict=True)]

    places = [
        Place(document, at, None if topic < 0 else int(selection.view.labels.into[topic]), max(certainty, 0))
        for document, at, *_, topic, certainty in rows
    ]
    return concordance.cut_at(selection.run, places, stops)
