"""Nouns and noun phrases that stand for a topic: what its name is made of.

A unit is good where most of its uses in all texts are the topic's (precision), where documents with
much of the topic have it (coverage), and where it is uneven over the texts (residual inverse
document frequency: Church and Gale 1995). Which words are nouns is told by
inference.explore.grammar.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
import regex

from inference.bow import Bow
from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.company import FIRST_WORDS
from inference.explore.following import Course
from inference.explore.grammar import Grammar
from inference.explore.neighbours import GAP_CHARACTERS, TopicPhrase, Written
from inference.explore.pieces import PieceTable
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.text.spelling import fold_apostrophes

UNIT_PRECISION = 0.5  # of a unit's tokens in the topic, at least
# Of a word that may stand for a topic (`least_tokens`): part of the topic's tokens, and its own there
LEAST_TOKENS_PART = 0.004
LEAST_TOKENS = 10
SMALL_TOPIC_DIVISOR = 8  # part of a small topic's tokens instead of LEAST_TOKENS
PHRASE_COVERS = 0.06  # of the topic's tokens, in documents with the phrase
PHRASE_SHARE = 0.15  # of the uses of its most frequent word in the topic
JOINED_PRECISION = 0.4  # of each word of a phrase with small words between
PHRASE_WORTH = 1.4  # how much more a phrase says than a word that covers as much
# What the name of a person is worth: topics and families are rather called by subjects
PERSON = 0.4
SHOWN_AS = 0.4  # of a word's uses in the topic that are one phrase: that stands for it
FIXED = 0.6  # the same of a phrase that can be no name: nothing stands for the word
POWER = 1.5  # of the precision, in the score
TELLING_POWER = 1.5  # power of residual idf / (residual idf + the median of topics' first words)
EVEN = 0.05  # median residual idf below which it tells nothing: the texts are too short
ENDING = 2  # letters in which two forms of a word differ at their ends
SHORTEST = 2  # characters of a word of a name in any writing
LEAST_LETTERS = 3  # letters that a word of a name must have, where words are written with letters
# Documents in which a phrase is looked for, evenly over those with a word of it
MOST_DOCUMENTS = 1_000
NO_RANK = FIRST_WORDS  # of a unit that has none of the topic's first words: behind all of them
FOLLOWING = 16  # units, the best, of which it is asked whether they follow the topic


# 2 to 89, of two letters or more: they number chapters and kings. With a C or an M they would be
# abbreviations as well
_ROMAN_NUMERAL = regex.compile(r"(?=..)(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


class Unit(NamedTuple):
    """text: as the texts write it. words: their numbers. precision: its tokens in the topic, of
    all. has: bool[n], the topic's pieces with one of the words that stand for it. rank: of the
    topic's first words, from 0 on, the first that it has in whatever form; NO_RANK where it has
    none. telling: residual idf, the median being 1."""

    text: str
    words: tuple[int, ...]
    precision: float
    has: np.ndarray
    score: float
    phrase: bool
    rank: int
    telling: float = 1.0


class TopicWord(NamedTuple):
    """A word in a topic. spelling: of the vocabulary; form: of the texts. has: bool[n], the topic's
    pieces that have it."""

    spelling: str
    form: str
    tokens: int
    precision: float
    has: np.ndarray


class Rarity(NamedTuple):
    """Residual inverse document frequency of words, by number, and the median of topics' first."""

    of_word: Mapping[int, float]
    median: float

    def telling(self, words: Iterable[int]) -> float:
        """0 to 1: how much a unit of these words tells of documents; 1 where that is not known."""
        if self.median < EVEN:
            return 1.0
        largest = max(max(self.of_word.get(word, 0.0) for word in words), 0.0)
        return (largest / (largest + self.median)) ** TELLING_POWER


class Found(NamedTuple):
    """A phrase, counted. text: as the texts write it, "" where they do not. own: its uses as the
    topic's; all: in all texts: estimated where MOST_DOCUMENTS documents are. has: bool[n], the
    topic's pieces with it."""

    phrase: TopicPhrase
    text: str
    own: float
    all: float
    has: np.ndarray


class Naming(NamedTuple):
    """What the units of a topic are chosen from. size: the topic's tokens. first: numbers of its
    first words, of several forms of a word one. lengths: int32[V], letters of each word. avoided:
    words that no name has; numerals: words that name nothing by themselves, and may be of a phrase
    ("First Amendment"). course: how the topic moves over times and fields."""

    evidence: Evidence
    k: int
    topic_pieces: PieceTable
    size: float
    words: Mapping[int, TopicWord]
    first: Sequence[int]
    lengths: np.ndarray
    grammar: Grammar
    rarity: Rarity
    avoided: Set[str]
    numerals: Set[str]
    course: Course


def topic_word(
    evidence: Evidence, k: int, word: int, topic_pieces: PieceTable, spelling: str, form: str
) -> TopicWord:
    """A word of topic k with its tokens there and its precision: the share of its tokens, 0 to 1,
    that are the topic's; 0 for a word without tokens."""
    begin, end = evidence.word_topics.held_ptr[word : word + 2]
    tokens = evidence.word_topics.held_tokens[begin:end]
    own_tokens = int(tokens[evidence.word_topics.held_topics[begin:end] == k].sum())
    precision = own_tokens / max(int(tokens.sum()), 1)
    return TopicWord(spelling, form, own_tokens, precision, topic_pieces.of_word(word))


def least_tokens(topic_tokens: np.ndarray) -> np.ndarray:
    """float64[n]: how many tokens a word must have in each topic, to stand for it. topic_tokens:
    float64[n], all tokens of each topic."""
    absolute = np.minimum(LEAST_TOKENS, topic_tokens / SMALL_TOPIC_DIVISOR)
    return np.maximum(LEAST_TOKENS_PART * topic_tokens, absolute)


def among(having: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """bool[n]: which of some documents, ascending, are among others, ascending. having: int[m];
    documents: int[n]."""
    if not len(having):
        return np.zeros(len(documents), bool)
    insertion = np.minimum(np.searchsorted(having, documents), len(having) - 1)
    return having[insertion] == documents


def units(naming: Naming, phrases: Iterable[TopicPhrase], written: Written) -> list[Unit]:
    """What can stand for a topic, the best first."""
    phrase_counts = [count_phrase(naming, phrase, written.form(phrase.words)) for phrase in phrases]
    of_phrases: list[Unit] = []
    for phrase_count in phrase_counts:
        unit = _phrase_unit(naming, phrase_count)
        if unit and all(
            unit.text.casefold() != phrase_unit.text.casefold() for phrase_unit in of_phrases
        ):
            of_phrases.append(unit)
    phrase_words = {unit.words for unit in of_phrases}
    of_words = [
        _word_unit(naming, number)
        for number in naming.words
        if _names_alone(naming, number)
        and not _part_of_phrase(naming, number, phrase_counts, phrase_words)
    ]
    return _best_first([*_merged_forms(naming, of_words), *of_phrases])


def _best_first(units: Iterable[Unit]) -> list[Unit]:
    return sorted(units, key=lambda unit: (-unit.score, unit.text))


def following(naming: Naming, ranked: list[Unit]) -> list[Unit]:
    """The units, those behind others that are not used more and less where their topic is. ranked:
    as `units` returns them."""
    if not naming.course.groups:
        return ranked
    judged = [
        unit._replace(score=unit.score * naming.course.factor(*_uses(naming, unit)))
        for unit in ranked[:FOLLOWING]
    ]
    return [*_best_first(judged), *ranked[FOLLOWING:]]


def _uses(naming: Naming, unit: Unit) -> tuple[np.ndarray, np.ndarray]:
    """MOST_DOCUMENTS documents with a unit at most, evenly, and its uses in each, float64[n]."""
    if unit.phrase:
        documents, uses, *_ = _phrase_uses(naming, unit.words)
    else:
        documents, uses = naming.evidence.word_topics.document_counts(unit.words[0])
        step = even_step(len(documents), MOST_DOCUMENTS)
        documents = documents[::step]
        uses = uses[::step]
    return documents, uses.astype(np.float64)


def count_phrase(naming: Naming, phrase: TopicPhrase, text: str) -> Found:
    """How often a phrase is used, in all texts and as the topic's."""
    if naming.evidence.document_bow.offsets is None or not text:
        return Found(phrase, "", 0.0, 1.0, np.zeros(0, bool))
    _, uses, in_topic, step = _phrase_uses(naming, phrase.words)
    uses_in_topic = step * float(uses[in_topic].sum())
    uses_in_all = max(step * float(uses.sum()), 1.0)
    has = naming.topic_pieces.of_phrase(phrase.words)
    return Found(phrase, text, uses_in_topic, uses_in_all, has)


def _phrase_uses(
    naming: Naming, phrase: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """(documents int64[n], uses int64[n], whether the topic has each word there bool[n], how many
    documents each of these stands for): MOST_DOCUMENTS documents at most of the phrase's rarest
    word."""
    evidence = naming.evidence
    bow = evidence.document_bow

    def documents_with(word: int) -> int:
        return int(evidence.postings.indptr[word + 1] - evidence.postings.indptr[word])

    rarest = min(phrase, key=documents_with)
    having = evidence.word_topics.documents_with(rarest)
    step = even_step(len(having), MOST_DOCUMENTS)
    documents = having[::step].astype(np.int64)
    lengths = naming.lengths[list(phrase)]
    uses, in_topic = uses_in_rows(evidence, bow, documents, phrase, lengths, naming.k)
    return documents, uses, in_topic, step


def uses_in_rows(
    evidence: Evidence,
    bow: Bow,
    rows: np.ndarray,
    phrase: Sequence[int],
    lengths: Sequence[int] | np.ndarray,
    k: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(int64[n], bool[n]) of some rows of the evidence's bag of words, by document or by section,
    which has offsets: how often the words of a phrase follow each other there, and whether topic k
    has each of them.

    rows: int[n]. phrase: numbers of its words; lengths: letters of each.
    """
    assert bow.offsets is not None, "phrases are looked for in texts"
    return phrase_uses(
        rows.astype(np.int64),
        frozen(bow.indptr, np.int64),
        frozen(bow.words, np.int32),
        frozen(bow.counts, np.int32),
        frozen(bow.first_token, np.int64),
        frozen(bow.offsets, np.int32),
        frozen(evidence.token_topics.topics, np.uint16),
        k,
        np.array(phrase, np.int64),
        np.array(lengths, np.int64),
    )


@njit(cache=True, nogil=True)
def phrase_uses(documents, indptr, words, counts, first_token, offsets, topics, k, phrase, lengths):
    """(int64[n], bool[n]) of each document: how often the words of `phrase` follow each other in
    it, with GAP_CHARACTERS characters between; and whether topic k has each of them there. Of the
    bag of words: indptr, words, counts, first_token, offsets; topics: of its pairs. lengths:
    int64[m], letters of the phrase's words."""
    n = len(documents)
    m = len(phrase)
    uses = np.zeros(n, np.int64)
    in_topic = np.zeros(n, np.bool_)
    for i in range(n):
        d = documents[i]
        starts = np.zeros(0, np.int64)
        all_in_topic = True
        for j in range(m):
            total = 0
            has_topic = False
            token = first_token[d]
            for pair in range(indptr[d], indptr[d + 1]):
                if words[pair] == phrase[j]:
                    total += counts[pair]
                    has_topic = has_topic or topics[pair] == k
            positions = np.zeros(total, np.int64)
            filled = 0
            for pair in range(indptr[d], indptr[d + 1]):
                if words[pair] == phrase[j]:
                    for t in range(counts[pair]):
                        positions[filled] = offsets[token + t]
                        filled += 1
                token += counts[pair]
            positions.sort()
            all_in_topic = all_in_topic and has_topic
            if j == 0:
                starts = positions + lengths[0]
                continue
            following = np.zeros(len(starts), np.int64)
            used = 0
            for start in starts:
                insertion = np.searchsorted(positions, start)
                if insertion < total and positions[insertion] <= start + GAP_CHARACTERS:
                    following[used] = positions[insertion] + lengths[j]
                    used += 1
            starts = following[:used]
        uses[i] = len(starts)
        in_topic[i] = all_in_topic
    return uses, in_topic


def _phrase_unit(naming: Naming, counted_phrase: Found) -> Unit | None:
    """A phrase as a unit; None where it cannot stand for the topic."""
    words = counted_phrase.phrase.words
    precision = counted_phrase.own / counted_phrase.all
    if (
        not counted_phrase.text
        or naming.topic_pieces.documents(counted_phrase.has) < naming.topic_pieces.least_documents
        or naming.topic_pieces.covered(counted_phrase.has) < PHRASE_COVERS
    ):
        return None
    most_tokens = max(naming.words[word].tokens for word in words)
    if (
        precision < UNIT_PRECISION
        or counted_phrase.own < PHRASE_SHARE * most_tokens
        or len(set(words)) < len(words)
    ):
        return None
    text = _phrase_text(naming, words, counted_phrase.text)
    if not text:
        return None
    precise_words = [word for word in words if naming.words[word].precision >= UNIT_PRECISION] or [
        words[0]
    ]
    has = np.any([naming.words[word].has for word in precise_words], axis=0)
    # its own coverage, and that of its words: the geometric mean
    covered = naming.topic_pieces.covered
    covers = float(np.sqrt(covered(counted_phrase.has) * covered(has)))
    score = PHRASE_WORTH * precision**POWER * covers * naming.rarity.telling(words)
    if naming.grammar.names_person(text):
        score *= PERSON
    return Unit(
        text=text,
        words=words,
        precision=precision,
        has=has,
        score=score,
        phrase=True,
        rank=_rank(naming, words),
    )


def _phrase_text(naming: Naming, words: tuple[int, ...], text: str) -> str:
    """A phrase as a name has it; "" where it is none: an unfinished one, or with a verb."""
    grammar = naming.grammar
    topic_words = [naming.words[word] for word in words]
    kinds = [grammar.kind(word.spelling) for word in topic_words]
    parts = text.split()
    if (
        "verb" in kinds
        or kinds[-1] == "modifier"
        or not (may_name(parts[0]) and may_name(parts[-1]))
    ):
        return ""
    if grammar.begins_command(topic_words[0].spelling) or any(
        grammar.is_identifier(word.spelling, word.form) for word in topic_words
    ):
        return ""  # "add build fix", "OS urandom"
    spelled = {fold_apostrophes(word.spelling) for word in topic_words}
    compared_parts = fold_apostrophes(text).casefold().split()
    joints = [part for part in compared_parts if part not in spelled and "-" not in part]
    if joints:
        precise = all(word.precision >= JOINED_PRECISION for word in topic_words)
        if not precise or not grammar.small.issuperset(joints):
            return ""
    if grammar.nouns_have_capitals:
        if kinds[0] == "modifier" and not joints:
            text = grammar.ungoverned(text)
        if kinds[-1] == "" and topic_words[-1].form.islower():
            return ""
    if not naming.avoided.isdisjoint(compared_parts) or "-" in (text[:1], text[-1:]):
        return ""
    if grammar.is_address(text):
        return ""
    return text


def _names_alone(naming: Naming, number: int) -> bool:
    """Whether a word by itself can stand for the topic."""
    word = naming.words[number]
    least = least_tokens(np.array([naming.size])).item()
    if word.precision < UNIT_PRECISION or word.tokens < least:
        return False
    compared_word = fold_apostrophes(word.spelling).casefold()
    if not may_name(word.spelling) or compared_word in naming.avoided:
        return False
    if compared_word in naming.numerals or _ROMAN_NUMERAL.fullmatch(word.form):
        return False
    if naming.topic_pieces.documents(word.has) < naming.topic_pieces.least_documents:
        return False
    return naming.grammar.is_noun(word.spelling, word.form) and not naming.grammar.is_identifier(
        word.spelling, word.form
    )


def _part_of_phrase(
    naming: Naming,
    number: int,
    counted_phrases: Iterable[Found],
    named_phrases: Set[tuple[int, ...]],
) -> bool:
    """Whether a fixed phrase stands for the word, or nothing does: "change" of "climate change"."""
    tokens = naming.words[number].tokens
    for phrase_count in counted_phrases:
        words_of_text = fold_apostrophes(phrase_count.text).casefold().split()
        if not naming.avoided.isdisjoint(words_of_text):
            continue  # a speaker's name is no phrase of the texts
        part = SHOWN_AS if phrase_count.phrase.words in named_phrases else FIXED
        if (
            phrase_count.text
            and number in phrase_count.phrase.words
            and phrase_count.own >= part * tokens
        ):
            return True
    return False


def _word_unit(naming: Naming, number: int) -> Unit:
    word = naming.words[number]
    rarity = naming.rarity
    score = word.precision**POWER * naming.topic_pieces.covered(word.has) * rarity.telling([number])
    telling = rarity.of_word.get(number, 0.0) / rarity.median if rarity.median >= EVEN else 1.0
    text = word.form.replace("_", " ")
    if naming.grammar.is_surname(word.spelling, word.form):
        score *= PERSON
    return Unit(
        text=text,
        words=(number,),
        precision=word.precision,
        has=word.has,
        score=score,
        phrase=False,
        rank=_rank(naming, [number]),
        telling=telling,
    )


def _rank(naming: Naming, words: Sequence[int]) -> int:
    """The place of the first of the topic's first words that is one of some words, or a form of
    one; NO_RANK where none is."""
    spellings = [naming.words[word].spelling for word in words]
    for place, first_word in enumerate(naming.first):
        if is_form_of_any(naming.words[first_word].spelling, spellings):
            return place
    return NO_RANK


def _merged_forms(naming: Naming, of_words: list[Unit]) -> list[Unit]:
    """Forms of one word ("network", "networks") are one unit, written as the most frequent form.
    Its score is that of the better form: together they would favour words of many forms."""
    merged: list[Unit] = []
    order = sorted(of_words, key=lambda unit: (-naming.words[unit.words[0]].tokens, unit.text))
    for unit in order:
        same_word = next(
            (i for i, form in enumerate(merged) if are_one_word(form.text, unit.text)),
            -1,
        )
        if same_word < 0:
            merged.append(unit)
        elif unit.score > merged[same_word].score:
            merged[same_word] = unit._replace(text=merged[same_word].text)
    return merged


def are_one_word(first: str, second: str) -> bool:
    """Whether two words are forms of one: they differ in their last letters."""
    short, long = sorted((first.casefold(), second.casefold()), key=len)
    differ = (i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b)
    common = next(differ, len(short))
    return common >= max(3, len(short) - 1) and len(long) - common <= ENDING


def is_form_of_any(word: str, others: Iterable[str]) -> bool:
    """Whether a word is one of some others, or a form of one."""
    return any(word == other or are_one_word(word, other) for other in others)


def tells(text: str) -> bool:
    """Whether a word may stand for a topic: not a number, nor one or two small letters ("vs")."""
    return not text[:1].isdigit() and (len(text) >= LEAST_LETTERS or not text.islower())


def may_name(text: str) -> bool:
    """Whether a word may begin or end a name: one that tells, and no single character of a writing
    without capitals, which in Chinese says little alone; the C of “Hepatitis C” may."""
    has_case = text.upper() != text.lower()
    return tells(text) and (has_case or len(text) >= SHORTEST)
