"""Whether a finding's topic moves in the texts, too: the words of its name, counted whatever topic
they are assigned to, move as the finding says; else other words of the topic do, which the finding
then names beside it; else the finding is left out. So it is where the words of the name hardly move
or go the other way: other topics have them there, and whoever reads the name would believe what the
texts contradict."""

from collections.abc import Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from inference import Evidence
from inference.explore import company, naming
from inference.findings import uses
from inference.text.spelling import WORD, fold_apostrophes
from webapp.core.results.labels import Labels
from webapp.models import Run, Word

# Of the log ratio that a finding claims, by how much the counts move
AGREES = 0.4  # from here on they bear it out
# Below, those of a name contradict it. It is twice what contradicts it in counts of all words: here words
# that count are counted, and phrases in samples, which differs by .1 to .17
CONTRADICTS = 0.3
UNSEEN = 0.5  # uses that are added to each side, so that a side without any has a logarithm
NEARLY_NONE = 1e-9  # a log ratio to divide by, where none is claimed
# Of a word's tokens in the topic, so that bursts of it are looked for: less than of a word that stands
# for the topic in its name (naming.STANDING_PRECISION)
EVENTFUL_PRECISION = 0.5
TELLING = 1_500  # words that are looked at one by one
# words of a topic that may be events: that stand for it, and its first ones
EVENTFUL = 20
FIRST = 10
WORDS_TRIED = 8  # of a topic that are tried where its name doesn't move
WORDS_NAMED = 2  # words that a finding names beside its topic


class Names:
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

    def checked(
        self, k: int, group: np.ndarray, inside: np.ndarray, outside: np.ndarray, log_ratio: float
    ) -> list[str] | None:
        """Words of topic k that move as a finding says: [] where those of its name do, None where
        none do, or where those of its name contradict it. group: int32[D], of each document;
        inside, outside: bool[G], the groups that are compared; log_ratio: what is claimed."""
        tokens = self._tokens(group, len(inside))
        if self.labels.label(k):
            return []  # a reader's word is a reader's matter
        parts = self._parts(self.labels.parts_of_name(k))
        if parts:
            moved = self._moved(parts, group, tokens, inside, outside, log_ratio)
            if moved >= AGREES:
                return []
            if moved < CONTRADICTS:
                return None
        moving = (
            w
            for w in self.standing(k)
            if self._moved([(w,)], group, tokens, inside, outside, log_ratio) >= AGREES
        )
        return [self.spelling[w] for w in islice(moving, WORDS_NAMED)] or None

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

    def _parts(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The words of the vocabulary in each part of a name; those without any are left out."""
        numbers = self._numbers
        parts: list[tuple[int, ...]] = []
        for text in texts:
            known_words = []
            for written, folded in _spellings(text):
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
                words_of_names.update(*_spellings(part))
        numbers = {*self.eventful, *self.telling}.union(*self._standing)
        words = Word.objects.filter(version=self.run.version_id)
        spelled = dict(words.filter(number__in=numbers).values_list("number", "word"))
        return spelled | dict(words.filter(word__in=words_of_names).values_list("number", "word"))

    @cached_property
    def telling(self) -> list[int]:
        """Words that stand for subjects, and the most frequent ones, TELLING in all."""
        documents = np.diff(self.evidence.postings.indptr)
        own_words = sorted(
            (w for k in np.flatnonzero(self.subjects) for w in self.standing(int(k))),
            key=lambda w: -documents[w],
        )
        other_words = np.argsort(-documents, kind="stable")[:TELLING].tolist()
        return list(dict.fromkeys([*own_words[: TELLING // 2], *other_words]))[:TELLING]

    def standing(self, k: int) -> list[int]:
        """Words that stand for a topic, those that hold most of it first: most of their tokens are
        in it."""
        return self._standing[k][:WORDS_TRIED]

    @cached_property
    def eventful(self) -> dict[int, int]:
        """Words that may be events, and the topic that has most of each: those that stand
        for a topic, the first of its words, as readers see them, and frequent ones. Of topics that
        may be spoken of."""
        first = company.words(self.evidence)[0]
        words = set(self.telling)
        for k in range(self.run.topics):
            words.update(self._standing[k], first[k][:FIRST])
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
    def _standing(self) -> list[list[int]]:
        return naming.standing(self.evidence, self.labels.into, EVENTFUL_PRECISION, EVENTFUL)


def _spellings(part: str) -> list[tuple[str, str]]:
    """Each word of a part of a name in small letters: as it is written, which a vocabulary of words
    that were given as they are has, and with the apostrophes that others have."""
    return [
        (part[slice(*match.span())].casefold(), match[0].casefold())
        for match in WORD.finditer(fold_apostrophes(part))
    ]
