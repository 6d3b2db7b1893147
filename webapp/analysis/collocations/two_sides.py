"""Collocations of a word on two sides: in two sets of documents, or in two topics."""

from typing import NamedTuple

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from inference.explore import keyness
from inference.explore.association import COLLOCATION
from inference.index.collocations import together
from inference.index.two_sets import FormSums
from webapp.analysis.collocations import queries
from webapp.analysis.collocations.shapes import ComparedCollocations, NearWord, WordSide
from webapp.analysis.keyness import counting, queries as words_of_sets
from webapp.analysis.time import contrasts
from webapp.core.documents import search
from webapp.core.documents.selection import RunSelection
from webapp.models import Word
from webapp.platform.storage import csv_cells

LISTED = 25  # words of each column
COLUMNS = ("first", "second", "both")
_COLUMNS = (
    "corpus run selection word first second left right within near column tokens_first"
    " tokens_second documents_first documents_second association_first association_second times"
    " clear"
).split()


class Side(NamedTuple):
    name: str
    documents: RunSelection
    asked: queries.Asked


class Computed(NamedTuple):
    """The words near on both sides, and the association of each, float64[n, 2]. rows: those of each
    of COLUMNS."""

    found: list[int]
    compared: counting.Computed
    association: np.ndarray
    rows: list[np.ndarray]


def sides(query: QueryDict, base: RunSelection, asked: list[queries.Asked]) -> list[Side] | None:
    """What an address compares: from_a, to_a, in_a and the first topic, with the same of b. None
    where it says nothing. Raises Invalid where tokens of the word would be on both sides."""
    own, topics = (
        [contrasts.side(query, letter, base) for letter in "ab"],
        [each.topic for each in asked],
    )
    if not any(own) and topics == [None, None]:
        return None
    if None in topics or topics[0] == topics[1]:
        a, b = own
        if a is None or b is None:
            raise Invalid("from_b", "Choose two sets of documents, or a topic for each side.")
        contrasts.divided(base, a, b)
    labels = ["" if topic is None else base.view.labels.title(topic) for topic in topics]
    return [
        Side(f"{label} {side.name if side else ''}".strip(), side.documents if side else base, each)
        for label, side, each in zip(labels, own, asked, strict=True)
    ]


def _computed(word: Word, chosen: list[Side]) -> Computed:
    """Raises Invalid where a side does not have the word."""
    corpus, asked = chosen[0].documents.run.corpus, chosen[0].asked
    kept = queries.LEAST_UNDER_EMBARGO if corpus.embargo else 1
    made = [
        queries.told(side.documents, queries.counted(side.documents, word, side.asked, kept))
        for side in chosen
    ]
    sums, totals = together([each.near for each in made], counting.LEAST)
    if not totals.tokens.all():
        raise Invalid(
            "from_a", f"On one side no word is near “{word.word}”. Choose more documents."
        )
    if asked.which == "content":
        sums = FormSums(
            *(array[search.content_words(search.open_index(corpus), sums.forms)] for array in sums)
        )
    result = keyness.keyness(sums, totals)._replace(different=keyness.differ(sums, totals))
    compared = counting.Computed(totals, *sums[:3], result, len(sums.forms), [])
    association = np.zeros((len(compared.forms), 2))
    for s, each in enumerate(made):
        _, at, rows = np.intersect1d(
            compared.forms, each.near.sums.forms, assume_unique=True, return_indices=True
        )
        association[at, s] = queries.associated(each).g2[rows]
    strong = (association >= COLLOCATION) & (
        compared.documents >= queries.least(chosen[0].documents, asked.least)
    )
    columns = _columns(compared.result, strong, association)
    return Computed([each.near.found for each in made], compared, association, columns)


def _columns(
    result: keyness.Keyness, strong: np.ndarray, association: np.ndarray
) -> list[np.ndarray]:
    """Rows of each column in their order: what differs clearly comes first, then by association.
    strong: bool[n, 2], on which side a word is a collocation."""
    first, both = (
        np.where(result.different, result.ratio > 0, strong[:, 0]),
        strong.all(axis=1) & ~result.different,
    )
    shown = (strong[:, 0] & first & ~both, strong[:, 1] & ~first, both)
    order = [
        np.lexsort((-each, ~result.different)) for each in (*association.T, association.min(axis=1))
    ]
    return [rows[of_column[rows]] for rows, of_column in zip(order, shown, strict=True)]


def page(base: RunSelection, word: Word, chosen: list[Side]) -> ComparedCollocations:
    made = _computed(word, chosen)
    return ComparedCollocations(
        **vars(queries.near_page(base, word, chosen[0].asked)),
        sides=[
            WordSide(side.name, found, int(window), queries.lines(side.documents, word, side.asked))
            for side, found, window in zip(
                chosen, made.found, made.compared.totals.tokens, strict=True
            )
        ],
        words=[_words(base, word, chosen, made, rows[:LISTED]) for rows in made.rows],
        more=[max(len(rows) - LISTED, 0) for rows in made.rows],
        tried=made.compared.tried,
    )


def _words(
    base: RunSelection, word: Word, chosen: list[Side], made: Computed, rows: np.ndarray
) -> list[NearWord]:
    return [
        NearWord(
            **vars(
                words_of_sets.key_word(
                    made.compared,
                    i,
                    0,
                    text,
                    [
                        lines
                        for _, lines in (
                            queries.addresses(side.documents, word, side.asked, text)
                            for side in chosen
                        )
                    ],
                )
            ),
            association=made.association[i].tolist(),
            clear=bool(made.compared.result.different[i]),
        )
        for i, text in words_of_sets.texts(counting.Counted.of(base.run), made.compared, rows)
    ]


def table(base: RunSelection, word: Word, chosen: list[Side]) -> bytes:
    """What `page` has as CSV, at most queries.LONGEST_FILE words."""
    made, (a, b) = _computed(word, chosen), chosen
    window = a.asked.left, a.asked.right, a.asked.within
    about = [base.run.corpus.name, base.run.pk, base.sentence, word.word, a.name, b.name, *window]
    lines = [
        [
            *(
                *about,
                w.word,
                column,
                *w.tokens,
                *w.documents,
                *(round(x, 2) for x in w.association),
            ),
            *(round(w.times, 4), int(w.clear)),
        ]
        for column, rows in zip(COLUMNS, made.rows, strict=True)
        for w in _words(base, word, chosen, made, rows[: queries.LONGEST_FILE // 3])
    ]
    return csv_cells.lines([_COLUMNS, *lines])
