"""Whether a finding's topic moves in the texts, too: the words of its name, counted whatever topic
they are assigned to, move as the finding says; else other words of the topic do, which the finding
then names beside it; else the finding is left out. So it is where the words of the name hardly move
or go the other way: other topics have them there, and whoever reads the name would believe what the
texts contradict."""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from inference import Evidence
from inference.explore import company, naming
from inference.findings import uses
from inference.text.spelling import WORD, fold_apostrophes
from webapp.core.results.labels import Labels
from webapp.models import Run, Word

# The parts of the log ratio that a finding claims, by which uses of words must move
AGREES = 0.4  # from here on they bear the finding out
# Below, the uses of a name's words contradict the finding. It is twice the limit for counts of all
# words: counting only words that count, and phrases in samples, moves the part by .1 to .17
CONTRADICTS = 0.3
UNSEEN = 0.5  # uses that are added to each side, so that a side without any has a logarithm
NEARLY_NONE = 1e-9  # a log ratio to divide by, where none is claimed
# Of a word's tokens in the topic, so that bursts of it are looked for: less than of a word that stands
# for the topic in its name (naming.STANDING_PRECISION)
EVENTFUL_PRECISION = 0.5
MOST_TELLING = 1_500  # words that are looked at one by one
MOST_STANDING = 20  # of the words that stand for a topic: they may be events
FIRST_WORDS = 10  # of a topic: they may be events, too
WORDS_TRIED = 8  # of a topic that are tried where its name doesn't move
WORDS_NAMED = 2  # words that a finding names beside its topic


class NameCheck(NamedTuple):
    """is_told: whether the texts bear out what a finding says by its topic's name. above_all: words
    of the topic that a finding which is told names beside the topic, as those of the name do not
    move so; [] where they do."""

    is_told: bool
    above_all: list[str]


class NameCounts:
    """The words of topics' names, counted; made once for a set."""

    def __init__(self, run: Run, labels: Labels, evidence: Evidence, subjects: np.ndarray):
        """labels: the names that a reader sees. subjects: bool[K], topics that may be spoken
        of."""
        self.run = run
        self.labels = labels
        self.evidence = evidence
        self.subjects = subjects
        self._of_groups: tuple[np.ndarray, np.ndarray] = np.zeros(0), np.zeros(0)
        self._counts: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}

    def check_name(
        self, k: int, group: np.ndarray, inside: np.ndarray, outside: np.ndarray, log_ratio: float
    ) -> NameCheck:
        """Whether the name of topic k moves as a finding says, or other words of the topic do.
        group: int32[D], of each document; inside, outside: bool[G], the groups that are compared;
        log_ratio: what is claimed."""
        tokens = self._tokens(group, len(inside))
        if self.labels.label(k):
            return NameCheck(True, [])  # a reader's word is a reader's matter
        parts = self.words_of_parts(self.labels.parts_of_name(k))
        if parts:
            moved = self._moved(parts, group, tokens, inside, outside, log_ratio)
            if moved >= AGREES:
                return NameCheck(True, [])
            if moved < CONTRADICTS:
                return NameCheck(False, [])
        words_that_move = (
            w
            for w in self.standing(k)
            if self._moved([(w,)], group, tokens, inside, outside, log_ratio) >= AGREES
        )
        above_all = [self.spelling[w] for w in islice(words_that_move, WORDS_NAMED)]
        return NameCheck(bool(above_all), above_all)

    def _moved(
        self,
        parts: Sequence[tuple[int, ...]],
        group: np.ndarray,
        tokens: np.ndarray,
        inside: np.ndarray,
        outside: np.ndarray,
        log_ratio: float,
    ) -> float:
        """How far the uses of some words and phrases move between the two sides, as a part of a log
        ratio."""
        G = len(inside)
        uses_of_groups = np.zeros(G)
        for part in parts:
            documents, times_used = self.uses(part)
            group_of_use = group[documents]
            in_group = group_of_use >= 0
            counts = np.bincount(group_of_use[in_group], weights=times_used[in_group], minlength=G)
            uses_of_groups += counts[:G]
        rate_inside = (uses_of_groups[inside].sum() + UNSEEN) / max(tokens[inside].sum(), 1.0)
        rate_outside = (uses_of_groups[outside].sum() + UNSEEN) / max(tokens[outside].sum(), 1.0)
        moved = float(np.log(rate_inside / rate_outside))
        return moved / (log_ratio or NEARLY_NONE)

    def uses(self, part: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """The documents with a word or phrase, int32 ascending, and its uses in each, float64; both
        empty where no document has it. part: numbers of its words."""
        if part not in self._counts:
            self._counts[part] = uses.counts(
                self.evidence, part, [len(self.spelling[w]) for w in part]
            )
        return self._counts[part]

    def _tokens(self, group: np.ndarray, G: int) -> np.ndarray:
        if self._of_groups[0] is not group:  # findings on one field come one after the other
            in_group = group >= 0
            lengths = self.evidence.lengths[in_group]
            tokens = np.bincount(group[in_group], weights=lengths, minlength=G)[:G]
            self._of_groups = group, tokens
        return self._of_groups[1]

    def words_of_parts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The words of the vocabulary in each part of a name; those without any are left out."""
        numbers = self._numbers
        parts: list[tuple[int, ...]] = []
        for text in texts:
            known_words = []
            for written, folded in spellings(text):
                number = numbers.get(written, numbers.get(folded))
                if number is not None:
                    known_words.append(number)
            if known_words:
                parts.append(tuple(known_words))
        return parts

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in self.spelling.items()}

    @cached_property
    def spelling(self) -> dict[int, str]:
        """The words that stand for topics, and those in names."""
        words_of_names: set[str] = set()
        for k in range(self.run.topics):
            for part in self.labels.parts_of_name(k):
                words_of_names.update(*spellings(part))
        numbers = {*self.eventful, *self.telling}.union(*self.standing_words)
        words = Word.objects.filter(version=self.run.version_id)
        spelled = dict(words.filter(number__in=numbers).values_list("number", "word"))
        return spelled | dict(words.filter(word__in=words_of_names).values_list("number", "word"))

    @cached_property
    def telling(self) -> list[int]:
        """Words that stand for subjects, and the most frequent ones, MOST_TELLING in all."""
        documents = np.diff(self.evidence.postings.indptr)
        own_words = sorted(
            (w for k in np.flatnonzero(self.subjects) for w in self.standing(int(k))),
            key=lambda w: -documents[w],
        )
        other_words = np.argsort(-documents, kind="stable")[:MOST_TELLING].tolist()
        return list(dict.fromkeys([*own_words[: MOST_TELLING // 2], *other_words]))[:MOST_TELLING]

    def standing(self, k: int) -> list[int]:
        """Words that stand for a topic, those that hold most of it first: most of their tokens are
        in it."""
        return self.standing_words[k][:WORDS_TRIED]

    @cached_property
    def eventful(self) -> dict[int, int]:
        """Words that may be events, and the topic that has most of each: those that stand
        for a topic, the first of its words, as readers see them, and frequent ones. Of topics that
        may be spoken of."""
        first = company.words(self.evidence)[0]
        words = set(self.telling)
        for k in range(self.run.topics):
            words.update(self.standing_words[k], first[k][:FIRST_WORDS])
        ptr, topics, tokens, _ = self.evidence.word_topics.held_by_word()
        topic_of_word: dict[int, int] = {}
        for word in sorted(words):
            uses_of_word = tokens[ptr[word] : ptr[word + 1]]
            if not len(uses_of_word):
                continue
            largest = topics[ptr[word] + uses_of_word.argmax()]
            topic = int(self.labels.into[largest])
            if self.subjects[topic]:
                topic_of_word[word] = topic
        return topic_of_word

    @cached_property
    def standing_words(self) -> list[list[int]]:
        return naming.standing(self.evidence, self.labels.into, EVENTFUL_PRECISION, MOST_STANDING)


def spellings(part: str) -> list[tuple[str, str]]:
    """Each word of a part of a name in small letters: as it is written, which a vocabulary of words
    that were given as they are has, and with the apostrophes that others have."""
    return [
        (part[slice(*match.span())].casefold(), match[0].casefold())
        for match in WORD.finditer(fold_apostrophes(part))
    ]
