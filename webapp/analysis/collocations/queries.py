"""Collocations of a word in a set of documents of a run."""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.sparse.csgraph import connected_components

from inference.errors import Invalid
from inference.explore import seriation
from inference.explore.association import Association, association, expected_together
from inference.index import Index, two_sets
from inference.index.collocations import FormPairs, Listed, Near, Windows
from inference.index.query import narrowed
from inference.index.two_sets import FormSums
from inference.log_likelihood import SIGNIFICANT_G2
from webapp.analysis.collocations.shapes import (
    Collocate,
    CollocationNetwork,
    Collocations,
    NearPage,
    NetworkPair,
    Order,
    Which,
    Within,
)
from webapp.analysis.words import concordance, senses
from webapp.analysis.words.senses_page import header
from webapp.core.documents import search
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links
from webapp.models import Word
from webapp.platform.accounts import embargo
from webapp.platform.storage.cache import BoundedCache
from webapp.platform.storage.csv_table import CsvTable

WORDS_OF_PAGE = 50
NODES = 15  # words of a network
LONGEST_FILE = 50_000  # words of a file
WIDEST_WINDOW = 20  # words of a window before or behind a word
LEAST_DOCUMENTS = 2  # documents of what is kept
LEAST_UNDER_EMBARGO = 5  # else the neighbours of a word, one after the other, give a text away
TOKENS = 1 << 18  # of the word that are looked at at a time
Counts = TypeVar("Counts", bound=Windows)
_near = BoundedCache(16 << 20)
_everywhere = BoundedCache(16 << 20)  # 12 bytes for each form that LEAST_DOCUMENTS documents have
_COLUMNS = (
    "corpus run selection word topic left right within near tokens documents expected"
    " tokens_everywhere log_dice g2 t".split()
)
EXPECTED_DIGITS = G2_DIGITS = 2  # of the file
LOG_DICE_DIGITS = T_DIGITS = 3


class NearQuestion(NamedTuple):
    """topic: one of the word's, as merged topics are counted; None for all. least: documents."""

    topic: int | None
    left: int
    right: int
    least: int
    order: Order
    which: Which
    within: Within = "words"

    @property
    def in_sentence(self) -> bool:
        """Whether words near are those of the same sentence, at whatever distance."""
        return self.within == "sentence"

    @property
    def farthest(self) -> int:
        """Words of the window's longer side."""
        return max(self.left, self.right)


class Counted(NamedTuple):
    """near: sums of each form near the word. everywhere: int64[n], tokens of each form in the set.
    total: all tokens of it. Both without the word's own. recorded: of each document, as Near has
    it, where that was asked for."""

    near: Listed
    everywhere: np.ndarray
    total: int
    recorded: np.ndarray

    @property
    def association(self) -> Association:
        """How strongly each form goes with the word."""
        near = self.near
        window = int(near.totals.tokens)
        return association(near.sums.tokens, self.everywhere, window, self.total, near.found)


def count_near(
    selection: RunSelection,
    word: Word,
    near_question: NearQuestion,
    least_documents: int = LEAST_DOCUMENTS,
    record: bool = False,
) -> Counted:
    """A pass over the documents that have the word, and for a new set one over the index.
    least_documents: that a form has near the word. record: whether what each document has is kept.
    Raises Invalid where the corpus has no index, or the places of its words are not known."""
    view = selection.view
    index = search.open_index(selection.run.corpus)
    if not concordance.has_places(view.run):
        raise Invalid(
            "run",
            "This corpus was read by a version that kept no places of words. Upload the files"
            " again.",
        )

    def make() -> Counted:
        windows = count(Near, selection, word, near_question, record)
        near = windows.listed(least_documents)
        forms, tokens, total = _tokens(index, selection)
        everywhere = _of_forms(near.sums.forms, forms, tokens) - near.own
        # at least what is near: the counts of an index of an older version have a limit
        everywhere = np.maximum(everywhere, near.sums.tokens)
        return Counted(near, everywhere, total - near.pieces, windows.recorded)

    parts = () if near_question.topic is None else view.labels.merged_topics(near_question.topic)
    window = (near_question.left, near_question.right, near_question.within)
    of_word = (word.pk, near_question.topic, *parts, *window, least_documents, record)
    return _near.get_or_set((index.made, view.run.snapshot_id, *selection.key, *of_word), make)


def _of_forms(wanted_forms: np.ndarray, forms: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """int64[n]: tokens of the wanted forms, 0 of one that is not among `forms` (ascending)."""
    if not len(forms):
        return np.zeros(len(wanted_forms), np.int64)
    insertion = np.minimum(np.searchsorted(forms, wanted_forms), len(forms) - 1)
    return np.where(forms[insertion] == wanted_forms, tokens[insertion], 0)


def limit_to_embargo(selection: RunSelection, counts: Counted) -> Counted:
    """The counts, as far as who asks may know them: a word's neighbours, one after the other, would
    be the text."""
    corpus = selection.run.corpus
    if not embargo.readers(corpus):
        return counts
    near = counts.near
    documents = embargo.rounded(corpus, near.sums.documents)
    tokens = np.maximum(embargo.rounded(corpus, near.sums.tokens), documents)
    rounded = near.sums._replace(tokens=tokens, documents=documents)
    remain = documents > 0
    sums = FormSums(*(array[remain] for array in rounded))
    everywhere = counts.everywhere[remain]
    return counts._replace(near=near._replace(sums=sums), everywhere=everywhere)


def count(
    make: Callable[..., Counts],
    selection: RunSelection,
    word: Word,
    near_question: NearQuestion,
    *further: np.ndarray | bool,
) -> Counts:
    """Count what is near all tokens of the word. make: the type of the counts, Near or FormPairs;
    further: what the type takes besides the index and the question."""
    index = search.open_index(selection.run.corpus)
    word_spans = index.spans(word.word.replace("_", " "))  # of a phrase several
    counts = make(
        index,
        max(len(word_spans), 1),
        near_question.left,
        near_question.right,
        near_question.in_sentence,
        *further,
    )
    uses = senses.uses(selection.view, word, selection)
    pairs = uses.pairs(near_question.topic)
    for documents in _in_parts(pairs, uses.documents[pairs], uses.counts[pairs]):
        counts.add(*uses.places(documents))
    return counts


def _in_parts(pairs: np.ndarray, documents: np.ndarray, tokens: np.ndarray) -> list[np.ndarray]:
    """`pairs` in parts of about TOKENS tokens, each of whole documents. documents, tokens: of each
    pair."""
    ends = np.cumsum(tokens, dtype=np.int64)
    total = ends[-1] if len(ends) else 0
    cuts = np.searchsorted(ends, np.arange(TOKENS, total, TOKENS))
    first_of_document = np.searchsorted(documents, documents[cuts])
    return np.split(pairs, first_of_document)


def _tokens(index: Index, selection: RunSelection) -> tuple[np.ndarray, np.ndarray, int]:
    """(forms that LEAST_DOCUMENTS documents of the set have, int32, ascending; tokens of each,
    int64; all tokens)."""

    def make() -> tuple[np.ndarray, np.ndarray, int]:
        in_set = np.zeros(index.D, bool)
        if selection.numbers is None:
            in_set[: selection.version.documents] = True
        else:
            in_set[selection.numbers] = True
        documents = None if in_set.all() else in_set
        size = len(index.stream.lexicon)
        forms, tokens = two_sets.tokens(index.fields["text"], size, documents, LEAST_DOCUMENTS)
        total = index.stream.lengths.sum(dtype=np.int64, where=in_set)
        return forms, tokens, int(total)

    return _everywhere.get_or_set((index.made, *selection.key), make)


def least(selection: RunSelection, asked_documents: int) -> int:
    """Documents that a listed word has near the other at least."""
    return max(
        asked_documents, LEAST_UNDER_EMBARGO if selection.run.corpus.embargo else LEAST_DOCUMENTS
    )


class Ranked:
    """What stands near a word, in the order that is asked for.

    rows: places of the words that are listed, among all that were counted.
    """

    def __init__(self, selection: RunSelection, word: Word, near_question: NearQuestion):
        self.selection = selection
        self.word = word
        self.question = near_question
        self.counted = limit_to_embargo(selection, count_near(selection, word, near_question))
        self.association = self.counted.association
        sums = self.counted.near.sums
        rows = np.flatnonzero(sums.documents >= least(selection, near_question.least))
        if near_question.which == "content":
            index = search.open_index(selection.run.corpus)
            rows = rows[search.content_words(index, sums.forms[rows])]
        measure = getattr(self.association, near_question.order)
        self.rows = rows[np.argsort(-measure[rows], kind="stable")]

    @property
    def forms(self) -> np.ndarray:
        """int32[n]: the forms of the words that are listed, the first one first."""
        return self.counted.near.sums.forms[self.rows]

    def collocates(self, count: int) -> list[Collocate]:
        """The first so many."""
        sums = self.counted.near.sums
        association = self.association
        lexicon = search.open_index(self.selection.run.corpus).stream.lexicon
        texts = lexicon.words(self.forms[:count])
        addresses = NearAddresses(self.selection, self.word, self.question)
        collocates = []
        for i, text in zip(self.rows[:count].tolist(), texts, strict=True):
            collocates.append(
                Collocate(
                    word=text,
                    tokens=int(sums.tokens[i]),
                    documents=int(sums.documents[i]),
                    expected=float(association.expected[i]),
                    everywhere=int(self.counted.everywhere[i]),
                    log_dice=float(association.log_dice[i]),
                    g2=float(association.g2[i]),
                    t=float(association.t[i]),
                    url=addresses.documents(text),
                    lines=addresses.lines(text),
                )
            )
        return collocates

    def page(self, count: int) -> Collocations:
        """With the first so many words."""
        question = self.question
        topic = None
        if question.topic is not None:
            topic = links.topic_link(self.selection.view, question.topic)
        return Collocations(
            **vars(near_page(self.selection, self.word, question)),
            topic=topic,
            found=self.counted.near.found,
            window=int(self.counted.near.totals.tokens),
            total=self.counted.total,
            order=question.order,
            words=self.collocates(count),
            more=max(len(self.rows) - count, 0),
        )


def lines(selection: RunSelection, word: Word, near_question: NearQuestion) -> str:
    """All lines of the word."""
    topic = "all" if near_question.topic is None else near_question.topic
    return selection.view.go("run_word", word.word, asked=selection.address(topic=topic))


class NearAddresses:
    """Addresses of what has other words near a word: the documents, and the lines of a pattern;
    within a sentence, and of several other words, on either side. Where words are counted by stem
    or lemma, which no pattern finds, both are the documents that have all of the words."""

    def __init__(self, selection: RunSelection, word: Word, near_question: NearQuestion):
        self._selection = selection
        self._question = near_question
        self._text = word.word.replace("_", " ")
        self._under_embargo = bool(selection.run.corpus.embargo)
        self._search_of_word: str | None = None  # where no pattern finds it
        if selection.version.settings.get("forms", "written") != "written":
            self._search_of_word = search.terms(selection.version, [word.word])[word.word]

    def documents(self, *other_words: str) -> str:
        """The documents in which these words are near it."""
        selection = self._selection
        if self._search_of_word is not None:
            quoted = [f'"{other_word}"' for other_word in other_words]
            terms = narrowed(selection.q, self._search_of_word, *quoted)
            return links.documents_url(selection.run, selection.with_search(terms).address())
        if self._question.topic is not None:
            selection = selection.with_topic(self._question.topic)
        pattern = self._pattern(other_words)
        return links.documents_url(selection.run, selection.address(match=pattern))

    def lines(self, *other_words: str) -> str:
        """The lines in which these words are near it."""
        if self._search_of_word is not None:
            return self.documents(*other_words)
        query = self._selection.address(
            pattern=self._pattern(other_words), topic=self._question.topic
        )
        return self._selection.view.go("run_pattern", asked=query)

    def _pattern(self, other_words: tuple[str, ...]) -> str:
        return _pattern(self._text, other_words, self._question, self._under_embargo)


def _pattern(
    text: str, quoted_words: tuple[str, ...], near_question: NearQuestion, under_embargo: bool
) -> str:
    """A pattern of words (webapp.analysis.words.patterns) for others near a text: on its side,
    where the window has one and an embargo shows it, else on either."""
    has_one_side = not near_question.in_sentence and not (
        near_question.left and near_question.right
    )
    if has_one_side and not under_embargo and len(quoted_words) == 1:
        gap = f"*{{0,{near_question.farthest - 1}}}"
        in_order = (
            [quoted_words[0], gap, text] if near_question.left else [text, gap, quoted_words[0]]
        )
        return " ".join(in_order)
    near = "s" if near_question.in_sentence else near_question.farthest
    return f" ~{near} ".join([text, *quoted_words])


def near_page(selection: RunSelection, word: Word, near_question: NearQuestion) -> NearPage:
    """What all pages of the words near a word say of it and of what was asked."""
    return NearPage(
        word=header(word),
        documents_chosen=selection.sentence,
        left=near_question.left,
        right=near_question.right,
        least=least(selection, near_question.least),
        which=near_question.which,
        within=near_question.within,
    )


def list_collocations(
    selection: RunSelection, word: Word, near_question: NearQuestion
) -> Collocations:
    """The first WORDS_OF_PAGE words near a word; no word where its set has none."""
    return Ranked(selection, word, near_question).page(WORDS_OF_PAGE)


def network(selection: RunSelection, word: Word, near_question: NearQuestion) -> CollocationNetwork:
    """The first NODES that are listed, and which of them are in the same windows."""
    ranked = Ranked(selection, word, near_question)
    page = ranked.page(NODES)
    counts = count(FormPairs, selection, word, near_question, ranked.forms[:NODES])
    windows = embargo.rounded(selection.run.corpus, counts.windows).copy()
    np.fill_diagonal(windows, np.diagonal(counts.windows))
    documents = embargo.rounded(selection.run.corpus, counts.documents)
    expected, association = expected_together(windows, counts.found)
    linked = np.triu((association >= SIGNIFICANT_G2) & (documents >= page.least), 1)
    strength = np.where(linked | linked.T, association, 0.0)
    addresses = NearAddresses(selection, word, near_question)
    pairs = []
    for i, j in _strongest_first(linked, association):
        texts = [page.words[i].word, page.words[j].word]
        pairs.append(
            NetworkPair(
                words=texts,
                windows=int(windows[i, j]),
                expected=float(expected[i, j]),
                documents=int(documents[i, j]),
                g2=float(association[i, j]),
                url=addresses.documents(*texts),
                lines=addresses.lines(*texts),
            )
        )
    groups = [[page.words[i] for i in group] for group in _groups(strength)]
    return CollocationNetwork(**vars(page), groups=groups, pairs=pairs)


def _strongest_first(linked: np.ndarray, association: np.ndarray) -> list[tuple[int, int]]:
    """Pairs that are linked."""
    first_words, second_words = np.nonzero(linked)
    order = np.argsort(-association[first_words, second_words], kind="stable")
    return list(zip(first_words[order].tolist(), second_words[order].tolist(), strict=True))


def _groups(strength: np.ndarray) -> list[list[int]]:
    """Words that are linked, also through others, and in each group next to those they are linked
    with. strength: float64[n, n], 0 where two are not linked."""
    _, group = connected_components(strength, directed=False)
    strongest = strength.max(axis=1, initial=0.0)
    order = seriation.order(strength + np.diag(strongest)).tolist()
    return [list(members) for _, members in groupby(order, group.tolist().__getitem__)]


def table(selection: RunSelection, word: Word, near_question: NearQuestion) -> CsvTable:
    """What `list_collocations` has as a file, at most LONGEST_FILE words."""
    topic = None
    if near_question.topic is not None:
        topic = links.topic_link(selection.view, near_question.topic).label
    about = [
        selection.run.corpus.name,
        selection.run.pk,
        selection.sentence,
        word.word,
        topic,
        near_question.left,
        near_question.right,
        near_question.within,
    ]
    rows = []
    for collocate in Ranked(selection, word, near_question).collocates(LONGEST_FILE):
        counts = [collocate.word, collocate.tokens, collocate.documents]
        measures = [
            round(collocate.expected, EXPECTED_DIGITS),
            collocate.everywhere,
            round(collocate.log_dice, LOG_DICE_DIGITS),
            round(collocate.g2, G2_DIGITS),
            round(collocate.t, T_DIGITS),
        ]
        rows.append([*about, *counts, *measures])
    return CsvTable(_COLUMNS, rows)
