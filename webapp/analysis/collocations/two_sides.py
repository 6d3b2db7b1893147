"""Collocations of a word on two sides: in two sets of documents, or in two topics."""

from typing import NamedTuple

import numpy as np
from django.http import QueryDict

from inference.answers.words import answer_words
from inference.errors import Invalid
from inference.explore import keyness
from inference.index import two_sets
from inference.index.collocations import near_amounts, near_by_units
from inference.index.word_units import Counted
from inference.log_likelihood import SIGNIFICANT_G2
from webapp.analysis.answers import cautions, set_answers
from webapp.analysis.collocations import queries
from webapp.analysis.collocations.shapes import ComparedCollocations, NearWord, WordSide
from webapp.analysis.keyness import queries as words_of_sets
from webapp.analysis.two_sets import compared_sets, division, word_contrast
from webapp.core.documents import search, unit_sentences
from webapp.core.documents.corpus_unit import Unit
from webapp.core.documents.selection import RunSelection
from webapp.models import Word
from webapp.platform.storage.csv_table import CsvTable

WORDS_OF_COLUMN = 25  # words of each column
COLUMNS = ("first", "second", "both")
ASSOCIATION_DIGITS = 2  # of the file
_COLUMNS = (
    "corpus run selection unit unit_chosen_by level word first second left right within near column"
    " tokens_first tokens_second documents_first documents_second association_first"
    " association_second times low high p clear"
).split()


class Side(NamedTuple):
    name: str
    documents: RunSelection
    question: queries.NearQuestion


class Computed(NamedTuple):
    """The words near on both sides. found: tokens of the word on each. association: float64[n, 2],
    G2 of each word on either side. rows: those of each of COLUMNS."""

    found: list[int]
    compared: word_contrast.Computed
    association: np.ndarray
    rows: list[np.ndarray]


def sides(
    query: QueryDict, base: RunSelection, near_questions: list[queries.NearQuestion]
) -> list[Side] | None:
    """What an address compares: from_a, to_a, in_a and the first topic, with the same of b. None
    where it says nothing. Raises Invalid where tokens of the word would be on both sides."""
    side_a = compared_sets.side(query, "a", base)
    side_b = compared_sets.side(query, "b", base)
    topic_a = near_questions[0].topic
    topic_b = near_questions[1].topic
    if side_a is None and side_b is None and topic_a is None and topic_b is None:
        return None
    if topic_a is None or topic_b is None or topic_a == topic_b:
        if side_a is None or side_b is None:
            raise Invalid("from_b", "Choose two sets of documents, or a topic for each side.")
        division.divide(base, side_a, side_b)
    return [_side(base, side_a, near_questions[0]), _side(base, side_b, near_questions[1])]


def _side(
    base: RunSelection, documents: compared_sets.Side | None, near_question: queries.NearQuestion
) -> Side:
    """documents: of this side; None for all."""
    topic = "" if near_question.topic is None else base.view.labels.title(near_question.topic)
    if documents is None:
        return Side(topic, base, near_question)
    return Side(f"{topic} {documents.name}".strip(), documents.documents, near_question)


def _compute_words(word: Word, compared_sides: list[Side]) -> Computed:
    """Raises Invalid where a side does not have the word."""
    base = compared_sides[0].documents
    question = compared_sides[0].question
    corpus = base.run.corpus
    least = queries.LEAST_UNDER_EMBARGO if corpus.embargo else 1
    counts = []
    for side in compared_sides:
        windows = queries.count_near(side.documents, word, side.question, least, record=True)
        counts.append(queries.limit_to_embargo(side.documents, windows))
    totals = two_sets.Totals(*np.stack([count.near.totals for count in counts], axis=1))
    if not totals.tokens.all():
        raise Invalid(
            "from_a", f"On one side no word is near “{word.word}”. Choose more documents."
        )
    _, unit = unit_of(compared_sides)
    recorded = [count.recorded for count in counts]
    units, words = near_by_units(recorded, unit, word_contrast.LEAST_DOCUMENTS)
    words = _that_may_be_told(words, counts)
    if question.which == "content":
        words = words.some(search.content_words(search.open_index(corpus), words.forms))

    def amounts_of(rows: np.ndarray) -> np.ndarray:
        return near_amounts(recorded, unit, words.forms[rows])

    answers = answer_words(units.sizes, words.sums, amounts_of)
    result = keyness.keyness(answers, words.sums, totals.tokens)
    compared = word_contrast.Computed(
        totals=totals,
        forms=words.forms,
        amounts=words.sums.tokens,
        documents=words.documents,
        result=result,
        tried=len(words.forms),
        differ=[],
        tried_words=word_contrast.TriedWords.of(answers),
    )
    association = _associations(words.forms, counts)
    in_enough = compared.documents >= queries.least(base, question.least)
    strong = (association >= SIGNIFICANT_G2) & in_enough
    columns = order_columns(result, strong, association)
    return Computed([count.near.found for count in counts], compared, association, columns)


def unit_of(compared_sides: list[Side]) -> tuple[Unit, np.ndarray | None]:
    """Who is independent, and each document's: int64[D], None where documents are."""
    compared = {name for side in compared_sides for name, _ in side.documents.values}
    return set_answers.unit_of(compared_sides[0].documents.version, *sorted(compared))


def _that_may_be_told(words: Counted, counts: list[queries.Counted]) -> Counted:
    """With the tokens and documents that who asks may know, of the forms that any side may tell."""
    forms = [count.near.sums.forms for count in counts]
    words = words.some(np.isin(words.forms, np.concatenate(forms)))
    tokens, documents = np.zeros((2, len(words.forms), 2), np.int64)
    for s, count in enumerate(counts):
        _, rows, rows_of_side = np.intersect1d(
            words.forms, forms[s], assume_unique=True, return_indices=True
        )
        tokens[rows, s] = count.near.sums.tokens[rows_of_side]
        documents[rows, s] = count.near.sums.documents[rows_of_side]
    words = words._replace(documents=documents, sums=words.sums._replace(tokens=tokens))
    return words.some(documents.sum(axis=1) >= word_contrast.LEAST_DOCUMENTS)


def _associations(forms: np.ndarray, counts: list[queries.Counted]) -> np.ndarray:
    """float64[n, 2]: G2 of each form on either side; 0 where it is not near the word there."""
    association = np.zeros((len(forms), 2))
    for s, count in enumerate(counts):
        _, rows, rows_of_side = np.intersect1d(
            forms, count.near.sums.forms, assume_unique=True, return_indices=True
        )
        association[rows, s] = count.association.g2[rows_of_side]
    return association


def order_columns(
    result: keyness.Keyness, strong: np.ndarray, association: np.ndarray
) -> list[np.ndarray]:
    """int64: rows of each column in their order: what differs clearly comes first, then by
    association. strong: bool[n, 2], on which side a word is a collocation; association: float[n,
    2]."""
    in_both = strong.all(axis=1) & ~result.different
    larger_in_first = np.where(result.different, result.ratio > 0, strong[:, 0])
    in_first = strong[:, 0] & larger_in_first & ~in_both
    in_second = strong[:, 1] & ~larger_in_first
    return [
        _in_order(in_first, result.different, association[:, 0]),
        _in_order(in_second, result.different, association[:, 1]),
        _in_order(in_both, result.different, association.min(axis=1)),
    ]


def _in_order(in_column: np.ndarray, different: np.ndarray, association: np.ndarray) -> np.ndarray:
    """Rows that are in_column: first those that differ clearly, then by association."""
    order = np.lexsort((-association, ~different))
    return order[in_column[order]]


def page(base: RunSelection, word: Word, compared_sides: list[Side]) -> ComparedCollocations:
    """The words near a word on two sides, as the page and its JSON have them. Computed once, then
    kept."""
    computed = _compute_words(word, compared_sides)
    tried_words = computed.compared.tried_words
    unit, _ = unit_of(compared_sides)
    windows = computed.compared.totals.tokens.tolist()
    sides = []
    for side, word_tokens, window in zip(compared_sides, computed.found, windows, strict=True):
        lines = queries.lines(side.documents, word, side.question)
        sides.append(WordSide(side.name, word_tokens, window, lines))
    return ComparedCollocations(
        **vars(queries.near_page(base, word, compared_sides[0].question)),
        sides=sides,
        words=[
            _words(base, word, compared_sides, computed, rows[:WORDS_OF_COLUMN])
            for rows in computed.rows
        ],
        more=[max(len(rows) - WORDS_OF_COLUMN, 0) for rows in computed.rows],
        tried=computed.compared.tried,
        level=tried_words.level,
        rows=tried_words.rows,
        calibrated=tried_words.calibrated,
        unit=unit_sentences.about(base.version, unit),
        units=list(tried_words.units),
        few_units=cautions.few_units(unit, tried_words.units, tried_words.obstacle),
        caution=cautions.caution(unit, tried_words.units, tried_words.obstacle),
    )


def _words(
    base: RunSelection, word: Word, compared_sides: list[Side], computed: Computed, rows: np.ndarray
) -> list[NearWord]:
    compared = computed.compared
    addresses = [
        queries.NearAddresses(side.documents, word, side.question) for side in compared_sides
    ]
    words = []
    for i, text in words_of_sets.texts(word_contrast.Counted.of(base.run), compared, rows):
        urls = [addresses_of_side.lines(text) for addresses_of_side in addresses]
        key_word = words_of_sets.key_word(compared, i, 0, text, urls)
        association = computed.association[i].tolist()
        clear = bool(compared.result.different[i])
        words.append(NearWord(**vars(key_word), association=association, clear=clear))
    return words


def table(base: RunSelection, word: Word, compared_sides: list[Side]) -> CsvTable:
    """What `page` has as a file, at most queries.LONGEST_FILE words."""
    computed = _compute_words(word, compared_sides)
    side_a, side_b = compared_sides
    unit = unit_sentences.about(base.version, unit_of(compared_sides)[0])
    about = [
        base.run.corpus.name,
        base.run.pk,
        base.sentence,
        unit.column,
        unit.chosen_by,
        computed.compared.tried_words.level,
        word.word,
        side_a.name,
        side_b.name,
        side_a.question.left,
        side_a.question.right,
        side_a.question.within,
    ]
    longest = queries.LONGEST_FILE // len(COLUMNS)
    lines = []
    for column, rows in zip(COLUMNS, computed.rows, strict=True):
        for near in _words(base, word, compared_sides, computed, rows[:longest]):
            association = [round(strength, ASSOCIATION_DIGITS) for strength in near.association]
            counts = [near.word, column, *near.tokens, *near.documents]
            tested = [near.times, near.low, near.high, near.p]
            lines.append([*about, *counts, *association, *tested, int(near.clear)])
    return CsvTable(_COLUMNS, lines)
