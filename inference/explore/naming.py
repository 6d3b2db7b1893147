"""Names for topics, proposed from their words and phrases. A reader sees them until a label
replaces them."""

from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import SequenceMatcher
from itertools import chain
from typing import NamedTuple

import numpy as np

from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore import company
from inference.explore.company import TopicCompany, residual_idf
from inference.explore.following import Course, groups_of
from inference.explore.grammar import Grammar
from inference.explore.name_candidates import (
    Naming,
    Rarity,
    TopicWord,
    Unit,
    among,
    following,
    is_form_of_any,
    least_tokens,
    tells,
    topic_word,
    units,
)
from inference.explore.neighbours import TopicSample, Written
from inference.explore.pieces import PieceTable
from inference.explore.relevance import relevance_of_logs
from inference.runtime.arrays import ABOVE_ZERO
from inference.text.spelling import fold_apostrophes
from inference.topics import Topics

JOINER = " & "  # between the parts of a name
LIST = " · "  # between words where there is no name
# of a topic's most probable words: those that a name can be made of while the run trains
CANDIDATES = 40
# lambda of the relevance that orders them. Less than relevance.USUAL_LAM, so that exclusive words
# come sooner: of a list a reader sees frequent words, too, but a name has one or two words, by which
# its topic must be told from all others
NAMING_LAM = 0.5
SECOND = 0.7  # nats of relevance that the second part of such a name may be behind the first
# how much more probable in the topic than everywhere a word of such a name must be; half of the
# most that can be, log(1 / p(k)), for a topic so large that this is less
LEAST_LIFT = np.log(2)
LEAST_SHARE = 1e-12  # of a topic, of which that logarithm is taken
# nats that a phrase of the vocabulary is worth more than a word of the same relevance: it says more
WORTH = 1.3
STANDING_PRECISION = 0.6  # of a word's tokens in the topic, so that it stands for it
STANDING = 24  # words that stand for a topic
FEWER = 8  # where none has the precision
MOST_DOCUMENTS = 4_000  # documents of a topic that its moves are measured on, evenly over its own
PARAGRAPHS_OF_PIECE = 2  # times as long as company's: a name need not stand in every paragraph
FIRST_PARTS = 6  # units that are tried as the first part, where names are taken
# Of the topic that a first part covers, precisely: then it needs no second
COVERED_BY_ONE_PART = 0.5
STRONG = 0.5  # score of a second beside the first's: where that is enough
COMPARED = 0.25  # else
ADDED = 0.08  # of the topic's tokens that a second adds to the coverage at least
TELLS = 0.75  # residual idf of a second word, the median of topics' first words being 1
COMPANY = 1.5  # times chance: how often both parts of a name are in a document
MET = 20_000  # documents of a word in which others are looked for
LEAST_COVERED = 0.28  # of a topic that a name covers, precisely
GENERAL = 0.5  # of general talk
# Of what the word that leads the topic covers, precisely, whether or not it can be a name: where
# that is left out, what is left is a detail
OF_LEADING = 0.6
# A heading says what a topic is most of all: each part of a name has one of so many of the topic's
# first words, and one part has one of the first two. Of 199 names that two judged, two fifths of
# those without one of the first two were bad, and one in thirty of the others
PART_HAS_OF = 5
NAME_HAS_OF = 2
# Of what a topic has near each of those first words, the part that is near each part of its name. A
# topic that joins several subjects has first words that never meet, and a name is of one of the
# subjects. Of names that two judged, almost half of the bad ones go by this, and a tenth of the good
NEAR_EACH_FIRST = 0.2
WORDS_WITHOUT_NAME = 3  # words where there is no name
COMMON = 0.2  # precision below which they come last
ALIKE = 0.75  # difflib's ratio above which two words are too like each other to stand in one name
# Documents of a topic, ascending, and the share of its tokens there that each has
Holding = tuple[np.ndarray, np.ndarray]


class Name(NamedTuple):
    """parts: of a name, one or two; none where nothing names the topic: then `listed` are its first
    words."""

    parts: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The name, "Health care & Social Security"; else the words, "man · industrial · wage"."""
        return joined(self.parts) if self.parts else LIST.join(self.listed)


def candidates(topics: Topics) -> np.ndarray:
    """Numbers of the words that names can be made of while a run trains, ascending: int64[n], n <=
    CANDIDATES K."""
    top = topics.top(CANDIDATES)
    return np.unique(top[top >= 0]).astype(np.int64)


def names(topics: Topics, vocabulary: Mapping[int, str]) -> list[Name]:
    """A name for each of K topics while there is no evidence: one or two words. No two are equal:
    where other topics have all that a topic could have, its first words are listed.

    A topic's first CANDIDATES words are in the order of their relevance at NAMING_LAM, where p(w) is
    the model's own, sum_k p(k) p(w|k). Larger topics choose first. vocabulary:
    the spelling of each of `candidates(topics)`.
    """
    everywhere = _everywhere(topics)
    owners = _owners(topics)
    used: set[str] = set()
    proposed = [Name()] * topics.K
    for k in np.argsort(-topics.share, kind="stable").tolist():
        parts = sorted(
            _words(topics, k, everywhere, owners, vocabulary),
            key=lambda part: -part[1] - WORTH * (" " in part[0]),
        )
        near = {text for text, score in parts if score >= parts[0][1] - SECOND}
        proposed[k] = _unique([text for text, _ in parts], near, used)
        used.add(proposed[k].text.casefold())
    return proposed


def standing(
    evidence: Evidence,
    column_of_topic: np.ndarray | None = None,
    precision: float = STANDING_PRECISION,
    limit: int = STANDING,
) -> list[list[int]]:
    """The words that stand for each topic, those first that hold most of it: at least `precision`
    of their tokens, and `least_tokens` of the topic's, are in it. Where none has the precision, the
    FEWER first of all. column_of_topic: int32[K], merged topics."""
    ptr, topics, tokens, _ = evidence.word_topics.held_by_word()
    word = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    topic = topics.astype(np.int64)
    if column_of_topic is not None and (column_of_topic != np.arange(evidence.K)).any():
        # Merged topics are one
        key, at = np.unique(word * evidence.K + column_of_topic[topic], return_inverse=True)
        tokens = np.bincount(at, weights=tokens)
        word, topic = np.divmod(key, evidence.K)
    size = np.bincount(topic, weights=tokens, minlength=evidence.K)
    share = tokens / np.bincount(word, weights=tokens)[word]
    frequent = np.flatnonzero(tokens >= least_tokens(size)[topic])
    order = frequent[np.lexsort((-(tokens * share)[frequent], topic[frequent]))]
    words_of_topic: list[list[int]] = []
    for of_topic in np.split(order, np.searchsorted(topic[order], np.arange(1, evidence.K))):
        precise = of_topic[share[of_topic] >= precision]
        words_of_topic.append(word[precise[:limit] if len(precise) else of_topic[:FEWER]].tolist())
    return words_of_topic


class LeadingWords(NamedTuple):
    """The words that lead each topic. standing: those that stand for it, as `standing` has them;
    first: its first ones, as `company.words` has them."""

    standing: list[list[int]]
    first: list[list[int]]


def leading_words(evidence: Evidence) -> LeadingWords:
    """Of all topics of a run: a pass over the words of all of them."""
    return LeadingWords(standing(evidence), company.words(evidence)[0])


class NamingRules(NamedTuple):
    """What the names of all topics of a run are made by.

    vocabulary: of all `spelled` words. avoided: words in small letters that name no subject, such
    as those of who speaks. columns: int32[D] each, a span of time or a value of a field of each
    document, -1 for none: a name follows its topic over them. numerals: number words in small
    letters, which name nothing by themselves. nameless: topics that get no name, such as those in a
    language whose function words are not known.
    """

    vocabulary: Mapping[int, str]
    grammar: Grammar
    avoided: Set[str]
    columns: Sequence[np.ndarray]
    numerals: Set[str] = frozenset()
    nameless: Set[int] = frozenset()

    @property
    def names_nothing(self) -> Set[str]:
        """Words in small letters that are no name by themselves."""
        return self.avoided | self.numerals


def by_coverage(
    evidence: Evidence,
    leading: LeadingWords,
    looked_at: Sequence[tuple[TopicSample, Written]],
    kinds: TopicCompany,
    rules: NamingRules,
) -> list[Name]:
    """A name for each topic, by what it is in the documents. No two are equal.

    A name is a noun or a noun phrase (explore.name_candidates) that covers the topic precisely;
    where one leaves much of it out, two that meet more often than by chance. Where nothing that has
    one of a topic's first words covers enough of it, it has no name: then its first words stand for
    it, as a list. Nor has one whose first words do not meet: no name is near all of them. Larger
    topics choose first.

    leading: `leading_words` of the evidence. looked_at: of each topic, what explore.neighbours saw
    of its documents. kinds: which topics are general talk.
    """
    groups = groups_of(evidence, rules.columns)
    size = np.bincount(
        evidence.mixtures.doc_topics, weights=evidence.mixtures.doc_tokens, minlength=evidence.K
    )
    lengths = np.array(
        [len(rules.vocabulary.get(w, "")) for w in range(evidence.document_bow.V)], np.int32
    )
    of_topic = _words_of_names(leading, [sample for sample, _ in looked_at])
    rarity = rarity_of(evidence, leading.first, of_topic)
    characters = PARAGRAPHS_OF_PIECE * company.piece_length(evidence)
    used: set[str] = set()
    names_of_topics = [Name()] * evidence.K
    for k in np.argsort(-size, kind="stable").tolist():
        sample, written = looked_at[k]
        topic_pieces = PieceTable(evidence, k, characters, of_topic[k], lengths)
        words = _topic_words(topic_pieces, evidence, k, of_topic[k], rules.vocabulary, written)
        documents, weight = _documents(evidence, k)
        naming = Naming(
            evidence=evidence,
            k=k,
            topic_pieces=topic_pieces,
            size=size[k],
            words=words,
            first=_first_words(words, leading.first[k], rules.names_nothing),
            lengths=lengths,
            grammar=rules.grammar,
            rarity=rarity,
            avoided=rules.avoided,
            numerals=rules.numerals,
            course=Course(groups, documents, weight * size[k]),
        )
        parts: tuple[str, ...] = ()
        if k not in rules.nameless:
            least = GENERAL if kinds.general[k] else LEAST_COVERED
            parts = _parts(naming, units(naming, sample.naming, written), least, used)
        plain_words: tuple[str, ...] = ()
        if not parts:
            plain_words = _listing(naming, leading.first[k] or list(words), rules.names_nothing)
        names_of_topics[k] = Name(parts, plain_words)
        used.add(names_of_topics[k].text.casefold())
    return names_of_topics


def general_talk(kinds: TopicCompany, names: Sequence[Name]) -> np.ndarray:
    """bool[K]: topics of no subject. What has a name has one, however little its words tell."""
    is_nameless = np.array([not name.parts for name in names], bool)
    return kinds.general & is_nameless


def _topic_words(
    topic_pieces: PieceTable,
    evidence: Evidence,
    k: int,
    words: list[int],
    vocabulary: Mapping[int, str],
    written: Written,
) -> dict[int, TopicWord]:
    """By number."""
    topic_words = {}
    for word in words:
        spelling = vocabulary[word]
        form = written.form((word,)) or spelling
        topic_words[word] = topic_word(evidence, k, word, topic_pieces, spelling, form)
    return topic_words


def _parts(naming: Naming, every_unit: list[Unit], least: float, used: Set[str]) -> tuple[str, ...]:
    """Of a topic's name; () where it has none. least: of the topic that a name covers."""
    ranked = [unit for unit in every_unit if _may_be_part(naming, unit)]
    least = max(least, OF_LEADING * _leading(naming))
    followed = following(naming, ranked)
    return _heading(naming, followed, least, used) or _heading(naming, ranked, least, used)


def spelled(leading: LeadingWords, samples: Iterable[TopicSample]) -> np.ndarray:
    """Numbers of the words whose spelling `by_coverage` asks for, ascending: int64[n]."""
    phrases = (phrase.words for sample in samples for phrase in sample.every)
    words = chain(*leading.standing, *leading.first, *phrases)
    return np.unique(np.fromiter(words, np.int64))


def rarity_of(evidence: Evidence, first: list[list[int]], of_topic: list[list[int]]) -> Rarity:
    """How uneven the words of each topic are over the texts. first: of each topic its first
    words."""
    words = np.unique(np.fromiter(chain(*of_topic), np.int64))
    of_word = dict(zip(words.tolist(), residual_idf(evidence, words).tolist(), strict=True))
    documents_of_first = [of_word[word] for words in first for word in words]
    return Rarity(of_word, float(np.median(documents_of_first)) if documents_of_first else 0.0)


def _words_of_names(leading: LeadingWords, samples: Sequence[TopicSample]) -> list[list[int]]:
    """The words that the name of each topic may have, each once: those that stand for it, its first
    ones, and those of its phrases."""
    of_topics: list[list[int]] = []
    for standing_words, first, sample in zip(*leading, samples, strict=True):
        of_phrases = [phrase.words for phrase in sample.naming]
        distinct_words = dict.fromkeys(chain(standing_words, first, *of_phrases))
        of_topics.append(list(distinct_words))
    return of_topics


def _documents(evidence: Evidence, k: int) -> Holding:
    """MOST_DOCUMENTS documents of a topic at most."""
    documents_by_tokens = evidence.topic_documents.by_tokens[
        evidence.topic_documents.topic_ptr[k] : evidence.topic_documents.topic_ptr[k + 1]
    ]
    documents = np.sort(
        documents_by_tokens[:: even_step(len(documents_by_tokens), MOST_DOCUMENTS)]
    ).astype(np.int32)
    weight = evidence.mixtures.tokens_held([k], documents).astype(np.float64)
    return documents, weight / max(weight.sum(), 1.0)


def _may_be_part(naming: Naming, unit: Unit) -> bool:
    """Whether a unit has one of the topic's first PART_HAS_OF words, and is near each of the others:
    in NEAR_EACH_FIRST of the topic's tokens that are in pieces with the word."""
    if unit.rank >= PART_HAS_OF:
        return False
    covered = naming.topic_pieces.covered
    spellings = [naming.words[number].spelling for number in unit.words]
    for number in naming.first[:PART_HAS_OF]:
        word = naming.words[number]
        if is_form_of_any(word.spelling, spellings):
            continue
        if covered(word.has & unit.has) < NEAR_EACH_FIRST * covered(word.has):
            return False
    return True


def _heading(naming: Naming, ranked: list[Unit], least: float, used: Set[str]) -> tuple[str, ...]:
    """The one or two units that name a topic; () where they cover less than `least` of it, or none
    has a word that comes first of all in it."""
    for first in ranked[:FIRST_PARTS]:
        parts = [first]
        second = _second(naming, ranked, first)
        if second is not None:
            parts.append(second)
        if all(unit.rank >= NAME_HAS_OF for unit in parts):
            continue
        if _covers(naming, parts) < least:
            return ()
        texts = tuple(unit.text for unit in parts)
        if joined(texts).casefold() not in used:
            return texts
    return ()


def _second(naming: Naming, ranked: list[Unit], first: Unit) -> Unit | None:
    """What adds most to the first part of a name; None where nothing adds enough."""
    is_enough = _covers(naming, [first]) >= COVERED_BY_ONE_PART
    least = (STRONG if is_enough else COMPARED) * first.score
    best_unit = None
    largest_gain = 0.0
    for unit in ranked:
        added = naming.topic_pieces.covered(unit.has & ~first.has)
        if unit is first or unit.score < least or added < ADDED:
            continue
        if not (unit.phrase or unit.telling >= TELLS) or not different(first.text, unit.text):
            continue
        gain = unit.score * added / naming.topic_pieces.covered(unit.has)
        if gain > largest_gain and _meet(naming.evidence, first.words, unit.words):
            best_unit = unit
            largest_gain = gain
    return best_unit


def _covers(naming: Naming, parts: list[Unit]) -> float:
    """Mean precision of some units times the part of the topic's tokens in documents with any."""
    has = np.any([unit.has for unit in parts], axis=0)
    return float(np.mean([unit.precision for unit in parts])) * naming.topic_pieces.covered(has)


def _leading(naming: Naming) -> float:
    """What the topic's word that covers most of it covers, precisely."""
    covered = naming.topic_pieces.covered
    return max((word.precision * covered(word.has) for word in naming.words.values()), default=0.0)


def _listing(naming: Naming, words: Sequence[int], names_nothing: Set[str]) -> tuple[str, ...]:
    """The first words of a topic that has no name, none like another, those that are mostly of
    other topics last. names_nothing: in small letters, left out."""
    shown_words: list[str] = []
    for word in sorted(words, key=lambda word: naming.words[word].precision < COMMON):
        form = naming.words[word].form.replace("_", " ")
        if _may_be_listed(form, names_nothing) and all(
            different(form, shown_word) for shown_word in shown_words
        ):
            shown_words.append(form)
    return tuple(shown_words[:WORDS_WITHOUT_NAME]) or tuple(
        naming.words[word].form for word in words[:1]
    )


def _first_words(
    topic_words: Mapping[int, TopicWord], words: Sequence[int], names_nothing: Set[str]
) -> list[int]:
    """The first words of a topic, whether or not they can be a name, and of several forms of a word
    the first. words: as `company.words` has them; names_nothing: in small letters, left out."""
    first_words: list[int] = []
    for number in words:
        if not _may_be_listed(topic_words[number].form, names_nothing):
            continue
        before = (topic_words[first_word].spelling for first_word in first_words)
        if not is_form_of_any(topic_words[number].spelling, before):
            first_words.append(number)
    return first_words


def _may_be_listed(form: str, names_nothing: Set[str]) -> bool:
    """Whether a word says something of its topic. names_nothing: words in small letters that say
    nothing of any."""
    return tells(form) and fold_apostrophes(form).casefold() not in names_nothing


def _meet(evidence: Evidence, first: Sequence[int], second: Sequence[int]) -> bool:
    """Whether two units' rarest words are in the same documents COMPANY times as often as by
    chance."""
    rarest = (
        min(map(evidence.word_topics.documents_with, words), key=len) for words in (first, second)
    )
    rare, wider = sorted(rarest, key=len)
    rare = np.ascontiguousarray(rare[:: even_step(len(rare), MET)])
    shared = np.count_nonzero(among(wider, rare))
    by_chance = len(rare) * len(wider) / len(evidence.lengths)
    return bool(shared >= min(3, len(rare)) and shared >= COMPANY * by_chance)


def _everywhere(topics: Topics) -> np.ndarray:
    """p(w) of the model: float64[V], above 0 for every word that a topic lists with a weight."""
    topic = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    above = topics.share[topic] * (topics.weights - topics.floor[topic])
    return np.maximum(
        np.bincount(topics.words, weights=above, minlength=topics.V) + topics.share @ topics.floor,
        ABOVE_ZERO,
    )


def _owners(topics: Topics) -> np.ndarray:
    """int32[V]: the topic that most of each word's weight belongs to, the first of equals; -1 where
    none lists it."""
    topic = np.repeat(np.arange(topics.K, dtype=np.int32), np.diff(topics.indptr))
    order = np.lexsort((-topic, topics.share[topic] * topics.weights))  # the last one stays
    owners = np.full(topics.V, -1, np.int32)
    owners[topics.words[order]] = topic[order]
    return owners


def _words(
    topics: Topics,
    k: int,
    everywhere: np.ndarray,
    owners: np.ndarray,
    vocabulary: Mapping[int, str],
) -> list[tuple[str, float]]:
    """The words of a topic that can name it, with their relevance; where none can, all of them."""
    row = slice(topics.indptr[k], min(topics.indptr[k] + CANDIDATES, topics.indptr[k + 1]))
    words = topics.words[row]
    log_inside = np.log(np.maximum(topics.weights[row].astype(np.float64), ABOVE_ZERO))
    log_everywhere = np.log(everywhere[words])
    lift = log_inside - log_everywhere
    scores = relevance_of_logs(log_inside, log_everywhere, NAMING_LAM)
    parts = [
        (w, vocabulary[w].replace("_", " "), score)
        for w, score in zip(words.tolist(), scores.tolist(), strict=True)
    ]
    least = min(LEAST_LIFT, -0.5 * np.log(max(topics.share[k], LEAST_SHARE)))
    fit = [
        part
        for part, rise in zip(parts, lift.tolist(), strict=True)
        if rise >= least and tells(part[1])
    ]
    own_parts = [part for part in fit if owners[part[0]] == k]
    return [(text, score) for _, text, score in own_parts or fit or parts]


def _unique(parts: list[str], near: set[str], used: set[str]) -> Name:
    """The first part that gives a name that no other topic has: with the next of `near` that says
    something else, alone, or with any other. Where none does, the first parts as a list."""
    for i, first in enumerate(parts):
        others = [part for part in parts[i + 1 :] if different(first, part)]
        others_near = [part for part in others if part in near]
        others_far = [part for part in others if part not in near]
        pairs = [(first, part) for part in others_near + others_far]
        choices: list[tuple[str, ...]] = [(first,), *pairs]
        if others_near:
            choices = [pairs[0], (first,), *pairs[1:]]
        for choice in choices:
            if joined(choice).casefold() not in used:
                return Name(choice)
    return Name(listed=tuple(parts[:WORDS_WITHOUT_NAME]))


def different(first: str, second: str) -> bool:
    """Whether the second part says something that the first doesn't."""
    return not any(alike(a, b) for a in first.split() for b in second.split())


def joined(parts: Sequence[str]) -> str:
    """The parts of a name as one text: "Health care & Social Security"."""
    return capitalized(JOINER.join(parts))


def alike(a: str, b: str) -> bool:
    """Whether two words say nearly the same by their letters: "court" and "courts", "america" and
    "american"."""
    a = a.casefold()
    b = b.casefold()
    short = min(len(a), len(b))
    if short < 4:
        ends = len(a) == len(b) == 3 and a[0] == b[0] and a[2] == b[2]  # "man" and "men"
        return a == b or ends or (short > 1 and (a.startswith(b) or b.startswith(a)))
    if a[:4] == b[:4]:
        return True
    return _share_letters(a, b) and SequenceMatcher(None, a, b).ratio() > ALIKE


def _share_letters(a: str, b: str) -> bool:
    """Whether two words have so many letters in common, in whatever order, that SequenceMatcher may
    find them alike: few have, and it takes ten times as long."""
    in_common = sum(min(a.count(letter), b.count(letter)) for letter in set(a))
    return 2.0 * in_common / (len(a) + len(b)) > ALIKE


def capitalized(text: str) -> str:
    """A text as names are written: its first letter large, all others as they are."""
    return text[:1].upper() + text[1:]
