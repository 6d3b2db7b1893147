"""What a family of topics is called: a noun or noun phrase that is the family's and found all over
it, in its topics and over time, and another that is found where the first is not.

A term is good where more of its uses are the family's than by chance (precision), and where it
reaches all of the family (reach). Both are counted in pieces of a sample of the texts
(inference.explore.family_pieces).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from inference.explore.family_pieces import FamilyPieces
from inference.explore.name_candidates import SHOWN_AS, are_one_word
from inference.explore.naming import different

MOST_COUNTED = 48  # words of a family that are counted, and phrases
FAMILY_PRECISION = 0.5  # of a term's uses in the family, at least
POWER = 1.5  # of the precision beyond chance, in the score
REACH_POWER = 0.85  # of the reach, in the score: general words reach furthest
FIRST_PARTS = 4  # terms that are tried as the first part
COMPARED = 0.2  # score of a second part beside the first's, at least
ADDED = 0.08  # of the family's words that a second adds to the coverage, at least
# Of the family's words, in pieces with its name: a family of unlike subjects, of which less is near
# any two terms, has none
LEAST_COVERED = 0.3
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


class _Judged(NamedTuple):
    """A term in a family. own: its uses there. has: bool[n], pieces with it as the family's.
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


class FamilyWords:
    """The words of a family in the pieces that are looked at, by topic and span of time.

    topics: the family's, of K.
    """

    def __init__(self, looked: FamilyPieces, topics: Sequence[int], K: int):
        row = np.full(K, -1, np.int64)
        row[list(topics)] = np.arange(len(topics))
        is_own = row[looked.topic] >= 0
        self.is_own_topic = row >= 0
        self._looked = looked
        self._piece = looked.piece[is_own]
        self._tokens = looked.tokens[is_own]
        self._cell = row[looked.topic[is_own]] * looked.spans + looked.span[is_own]
        self._sizes = self._added_up(self._tokens)
        self.share = float(self._tokens.sum() / max(looked.tokens.sum(), 1.0))

    def _added_up(self, tokens: np.ndarray) -> np.ndarray:
        cells = int(np.count_nonzero(self.is_own_topic)) * self._looked.spans
        return np.bincount(self._cell, weights=tokens, minlength=cells)

    def reach(self, has: np.ndarray) -> float:
        """How far what some pieces have reaches over the family, 0 to 1: the mean with exponent
        1/2, over its topics and the spans of time, by their words, of the shares of these words
        that are in such pieces. What is in one topic alone, which has a quarter of the words,
        reaches a sixteenth. has: bool[pieces]."""
        in_pieces = self._added_up(self._tokens * has[self._piece])
        total = max(float(self._sizes.sum()), 1.0)
        return float(np.sqrt(self._sizes * in_pieces).sum() / total) ** 2

    def covered(self, has: np.ndarray) -> float:
        """The share of the family's words that is in some pieces. has: bool[pieces]."""
        total = max(float(self._tokens.sum()), 1.0)
        return float(self._tokens[has[self._piece]].sum()) / total

    def judge(self, term: Term) -> _Judged:
        """A term of the family, counted."""
        uses = self._looked.uses(term.words)
        is_own_use = self.is_own_topic[uses.topics].all(axis=1)
        own = int(np.count_nonzero(is_own_use))
        precision = own / max(len(is_own_use), 1)
        has = np.zeros(self._looked.pieces, bool)
        has[uses.piece[is_own_use]] = True
        beyond_chance = max(precision - self.share, 0.0) / max(1.0 - self.share, 1e-9)
        return _Judged(
            term, own, has, beyond_chance, precision >= FAMILY_PRECISION, self.reach(has)
        )


def name(looked: FamilyPieces, topics: Sequence[int], K: int, terms: Iterable[Term]) -> FamilyName:
    """What a family may be called.

    topics: the family's, of K. terms: of all of its topics, of words that `looked` was made for;
    those of one text count as one.
    """
    family = FamilyWords(looked, topics, K)
    judged = _join_forms(family, [family.judge(term) for term in _most_promising(terms)])
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


def _join_forms(family: FamilyWords, judged: list[_Judged]) -> list[_Judged]:
    """Forms of one word ("program", "programs") as one term, found wherever any of them is. It is
    written as the form that is used most, of those that may be a name."""
    joined = [term for term in judged if len(term.term.words) > 1]
    of_words = [term for term in judged if len(term.term.words) == 1]
    of_words.sort(key=lambda term: (-term.own, term.term.text))
    forms_of_words: list[list[_Judged]] = []
    for term in of_words:
        same_word = next(
            (forms for forms in forms_of_words if are_one_word(forms[0].term.text, term.term.text)),
            None,
        )
        if same_word is None:
            forms_of_words.append([term])
        else:
            same_word.append(term)
    return joined + [_join(family, forms) for forms in forms_of_words]


def _join(family: FamilyWords, forms: list[_Judged]) -> _Judged:
    """Forms of one word, those with most uses first, as one term."""
    if len(forms) == 1:
        return forms[0]
    shown = next((form for form in forms if form.term.worth), forms[0])
    own = sum(form.own for form in forms)
    has = np.any([form.has for form in forms], axis=0)
    precision = sum(form.precision * form.own for form in forms) / max(own, 1)
    worth = max(form.term.worth for form in forms)
    term = shown.term._replace(worth=worth)
    return _Judged(term, own, has, precision, shown.is_mostly_here, family.reach(has))


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
