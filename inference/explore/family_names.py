"""What a family of topics is called: a noun or noun phrase that is the family's and found all over
it, in its topics and over time, and another that is found where the first is not.

A term is good where more of its uses are the family's than by chance (precision), and where it
reaches all of the family (reach). Both are counted in MOST_DOCUMENTS documents at most.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.following import equal_spans
from inference.explore.name_candidates import SHOWN_AS, uses_in_rows
from inference.explore.naming import different

MOST_DOCUMENTS = 10_000  # documents that are looked at, evenly over all
SPANS = 3  # of time, with as many documents each
MOST_COUNTED = 48  # words of a family that are counted, and phrases
FAMILY_PRECISION = 0.5  # of a term's uses in the family, at least
POWER = 1.5  # of the precision beyond chance, in the score
REACH_POWER = 0.85  # of the reach, in the score: general words reach furthest
FIRST_PARTS = 4  # terms that are tried as the first part
COMPARED = 0.2  # score of a second part beside the first's, at least
ADDED = 0.08  # of the family's words that a second adds to the coverage, at least
LEAST_COVERED = 0.1  # of the family's words in documents with its name: below, there is none
LISTED = 3  # words where there is no name
COMMON = 0.2  # precision below which these come last


class Term(NamedTuple):
    """What the families of a topic may be called by. text: as the texts write it; words: their
    numbers; tokens: of the topic. worth: what its score is multiplied by; 0 of a word that can only
    be listed."""

    text: str
    words: tuple[int, ...]
    tokens: int
    worth: float


class FamilyName(NamedTuple):
    """names: the best first, each of one or two parts; none where nothing names the family. words:
    its first ones, which stand for it then."""

    names: list[tuple[str, ...]]
    words: tuple[str, ...]


class _Seen(NamedTuple):
    """A word in the documents that are looked at. rows: int32[m], ascending, those of the bag of
    words that have it; place: int32[m], of the document of each among those that are looked at;
    number: int32[m], of uses; topics: uint16[m]."""

    rows: np.ndarray
    place: np.ndarray
    number: np.ndarray
    topics: np.ndarray


class _Uses(NamedTuple):
    """Where a term is used, in the documents that are looked at. place: int32[m], of the document
    among these; number: of uses there, int[m]; topics: uint16[m, words], of each of its words."""

    place: np.ndarray
    number: np.ndarray
    topics: np.ndarray


class _Judged(NamedTuple):
    """A term in a family. own: its uses there. has: bool[n], documents with it as the family's.
    precision: beyond chance, 0 to 1. is_mostly_here: whether at least FAMILY_PRECISION of its uses
    are. reach: of `FamilyWords.reach`."""

    term: Term
    own: int
    has: np.ndarray
    precision: float
    is_mostly_here: bool
    reach: float

    @property
    def score(self) -> float:
        """What it is worth as a name, more for more."""
        return self.term.worth * self.precision**POWER * self.reach**REACH_POWER


def spans_of_time(days: np.ndarray) -> np.ndarray:
    """int32[D]: which of SPANS each document is of; those without a date are one more, behind the
    others. days: int32[D], 0 for no date."""
    spans = equal_spans(days, SPANS)
    undated = spans.max(initial=-1) + 1
    return np.where(spans < 0, np.int32(undated), spans)


class Looked:
    """The documents that are looked at, and where terms are used in them, each counted once."""

    def __init__(self, evidence: Evidence, days: np.ndarray, lengths: Mapping[int, int]):
        """days: int32[D], of each document, 0 for no date. lengths: letters of the terms' words, by
        number."""
        D = len(evidence.lengths)
        self._step = even_step(D, MOST_DOCUMENTS)
        documents = np.arange(0, D, self._step)
        self._evidence = evidence
        self._lengths = lengths
        self._seen: dict[int, _Seen] = {}
        self._uses: dict[tuple[int, ...], _Uses] = {}
        spans = spans_of_time(days)[documents]
        self.documents = len(documents)
        self.spans = int(spans.max(initial=0)) + 1
        # Of every topic of every document: the document's place and span, the topic, its tokens
        first = evidence.mixtures.doc_ptr[documents]
        topics_of_document = evidence.mixtures.doc_ptr[documents + 1] - first
        self.place = np.repeat(np.arange(len(documents)), topics_of_document)
        self.span = spans[self.place]
        before = np.cumsum(topics_of_document) - topics_of_document
        entry = np.arange(len(self.place)) + (first - before)[self.place]
        self.topic = np.asarray(evidence.mixtures.doc_topics[entry]).astype(np.int64)
        self.tokens = np.asarray(evidence.mixtures.doc_tokens[entry]).astype(np.float64)

    def uses(self, words: tuple[int, ...]) -> _Uses:
        """Of a term, by the numbers of its words."""
        if words not in self._uses:
            self._uses[words] = self._count(words)
        return self._uses[words]

    def _count(self, words: tuple[int, ...]) -> _Uses:
        seen = [self._see(word) for word in words]
        first, *others = seen
        if not others:
            return _Uses(first.place, first.number, first.topics[:, None])
        rows = first.rows
        for of_word in others:
            rows = np.intersect1d(rows, of_word.rows, assume_unique=True)
        number = self._adjacent(rows, words)
        rows = rows[number > 0]
        place = first.place[np.searchsorted(first.rows, rows)]
        topics_of_words = [of_word.topics[np.searchsorted(of_word.rows, rows)] for of_word in seen]
        return _Uses(place, number[number > 0], np.stack(topics_of_words, axis=1))

    def _see(self, word: int) -> _Seen:
        """A frequent word is in millions of documents, of which few are looked at: the others are
        left out before anything else is done with them."""
        if word not in self._seen:
            rows, number, topics, _ = self._evidence.word_topics.rows_of_word(word)
            documents = self._evidence.section_bow.documents_of(rows)
            looked_at = np.flatnonzero(documents % self._step == 0)
            self._seen[word] = _Seen(
                np.asarray(rows[looked_at]),
                documents[looked_at] // self._step,
                np.asarray(number[looked_at]),
                np.asarray(topics[looked_at]),
            )
        return self._seen[word]

    def _adjacent(self, rows: np.ndarray, words: tuple[int, ...]) -> np.ndarray:
        """int64[m]: how often the words of a phrase follow each other in some rows of the bag of
        words."""
        evidence = self._evidence
        bow = evidence.section_bow
        if bow.offsets is None:
            return np.zeros(len(rows), np.int64)
        lengths = [self._lengths.get(word, 0) for word in words]
        uses, _ = uses_in_rows(evidence, bow, rows, words, lengths, k=0)
        return uses


class FamilyWords:
    """The words of a family in the documents that are looked at, by topic and span of time.

    topics: the family's, of K.
    """

    def __init__(self, looked: Looked, topics: Sequence[int], K: int):
        row = np.full(K, -1, np.int64)
        row[list(topics)] = np.arange(len(topics))
        is_own = row[looked.topic] >= 0
        self.is_own_topic = row >= 0
        self._looked = looked
        self._place = looked.place[is_own]
        self._tokens = looked.tokens[is_own]
        self._cell = row[looked.topic[is_own]] * looked.spans + looked.span[is_own]
        self._sizes = self._added_up(self._tokens)
        self.share = float(self._tokens.sum() / max(looked.tokens.sum(), 1.0))

    def _added_up(self, tokens: np.ndarray) -> np.ndarray:
        cells = int(np.count_nonzero(self.is_own_topic)) * self._looked.spans
        return np.bincount(self._cell, weights=tokens, minlength=cells)

    def reach(self, has: np.ndarray) -> float:
        """How far what some documents have reaches over the family, 0 to 1: the mean with exponent
        1/2, over its topics and the spans of time, by their words, of the shares of these words
        that are in such documents. What is in one topic alone, which has a quarter of the words,
        reaches a sixteenth. has: bool[n]."""
        in_documents = self._added_up(self._tokens * has[self._place])
        total = max(float(self._sizes.sum()), 1.0)
        return float(np.sqrt(self._sizes * in_documents).sum() / total) ** 2

    def covered(self, has: np.ndarray) -> float:
        """The share of the family's words that is in some documents. has: bool[n]."""
        total = max(float(self._tokens.sum()), 1.0)
        return float(self._tokens[has[self._place]].sum()) / total

    def judge(self, term: Term) -> _Judged:
        """A term of the family, counted."""
        uses = self._looked.uses(term.words)
        is_own_use = self.is_own_topic[uses.topics].all(axis=1)
        own = int(uses.number[is_own_use].sum())
        precision = own / max(int(uses.number.sum()), 1)
        has = np.zeros(self._looked.documents, bool)
        has[uses.place[is_own_use]] = True
        beyond_chance = max(precision - self.share, 0.0) / max(1.0 - self.share, 1e-9)
        return _Judged(
            term, own, has, beyond_chance, precision >= FAMILY_PRECISION, self.reach(has)
        )


def name(looked: Looked, topics: Sequence[int], K: int, terms: Iterable[Term]) -> FamilyName:
    """What a family may be called.

    topics: the family's, of K. terms: of all of its topics; those of one text count as one.
    """
    family = FamilyWords(looked, topics, K)
    judged = [family.judge(term) for term in _most_promising(terms)]
    ranked = sorted(_that_name(judged), key=lambda term: (-term.score, term.term.text))
    names = [
        parts
        for first in ranked[:FIRST_PARTS]
        if (parts := _name_beginning_with(family, first, ranked))
    ]
    return FamilyName(names, _listed(judged))


def _most_promising(terms: Iterable[Term]) -> list[Term]:
    """MOST_COUNTED words and phrases at most: those of which several topics of a family have
    many."""
    by_words: dict[tuple[int, ...], list[Term]] = {}
    for term in terms:
        by_words.setdefault(term.words, []).append(term)
    promise: list[tuple[float, Term]] = []
    for of_topics in by_words.values():
        most = max(of_topics, key=lambda term: (term.worth, term.tokens))
        # as the reach: of two topics with half of the tokens each twice that of one
        spread = float(np.sqrt([term.tokens for term in of_topics]).sum()) ** 2
        promise.append((spread, most))
    promise.sort(key=lambda entry: (-entry[0], entry[1].words))
    of_words = [term for _, term in promise if len(term.words) == 1]
    of_phrases = [term for _, term in promise if len(term.words) > 1]
    return of_words[:MOST_COUNTED] + of_phrases[:MOST_COUNTED]


def _that_name(judged: list[_Judged]) -> list[_Judged]:
    """Those that can be a part of a name: no word that a phrase of them stands for."""
    able = [term for term in judged if term.score > 0 and term.is_mostly_here]
    phrases = [term for term in able if len(term.term.words) > 1]

    def is_said_as_phrase(word: _Judged) -> bool:
        number = word.term.words[0]
        return any(
            number in phrase.term.words and phrase.own >= SHOWN_AS * word.own for phrase in phrases
        )

    words = [term for term in able if len(term.term.words) == 1]
    return phrases + [word for word in words if not is_said_as_phrase(word)]


def _name_beginning_with(
    family: FamilyWords, first: _Judged, ranked: list[_Judged]
) -> tuple[str, ...]:
    """A term and the one that adds most reach to it; () where together they cover too little of the
    family."""
    parts = [first]
    second = _second(family, first, ranked)
    if second is not None:
        parts.append(second)
    has = np.any([part.has for part in parts], axis=0)
    if family.covered(has) < LEAST_COVERED:
        return ()
    parts.sort(key=lambda part: -part.score)
    return tuple(part.term.text for part in parts)


def _second(family: FamilyWords, first: _Judged, ranked: list[_Judged]) -> _Judged | None:
    """None where nothing adds enough."""
    best = None
    largest_gain = 0.0
    for term in ranked:
        if term is first or term.score < COMPARED * first.score:
            continue
        if not different(first.term.text, term.term.text):
            continue
        if family.covered(term.has & ~first.has) < ADDED:
            continue
        joint_reach = family.reach(first.has | term.has)
        added_reach = joint_reach**REACH_POWER - first.reach**REACH_POWER
        gain = term.term.worth * term.precision**POWER * added_reach
        if gain > largest_gain:
            best = term
            largest_gain = gain
    return best


def _listed(judged: list[_Judged]) -> tuple[str, ...]:
    """The first words of a family, none like another, those that are mostly of others last."""
    words = [term for term in judged if len(term.term.words) == 1]
    words.sort(key=lambda word: (word.precision < COMMON, -(word.precision**POWER) * word.reach))
    shown: list[str] = []
    for word in words:
        if all(different(word.term.text, text) for text in shown):
            shown.append(word.term.text)
    return tuple(shown[:LISTED])
