"""Topics that a reader names before a training, each by words and phrases that it should have: how
they are written, how often they are in the texts, and which the texts support.

A run has them as its topics 0 … n - 1, in their order (stored_steering.Steering.named).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from inference.bow import Bow
from inference.engines.contract import Seeds
from inference.errors import Invalid
from webapp.intake.ingest.typed_words import find_words
from webapp.models import Version, Word
from webapp.platform.drawing.numbers import topic_label, topic_title
from webapp.platform.typed_text import as_counted

FEWEST_WORDS = 3  # or phrases, of a topic: with two, one of them alone would be the topic
MOST_WORDS = 20
MOST_TOPICS = 50  # that are named for one run
LONGEST_NAME = 60  # characters
LONGEST_WORD = 60  # characters
QUOTED = 80  # characters of what an error quotes
SUPPORT = 10  # occurrences of all seeds of a topic together: with fewer it has no support
KEY = "seeds"  # the field of the form, the API and the command


class StoredTopic(TypedDict):
    """A topic in JSON: of the API, and of Run.steering."""

    name: str
    words: list[str]


@dataclass(frozen=True)
class NamedTopic:
    """A topic that is named beforehand. words: as vocabularies have them, a phrase with `_`."""

    name: str
    words: tuple[str, ...]

    @property
    def stored(self) -> StoredTopic:
        return {"name": self.name, "words": list(self.words)}


@dataclass(frozen=True)
class SeedCount:
    """A seed in a version of the words. tokens, documents: where it occurs, 0 where it is no word
    that counts. shared: names of other topics that have it, too."""

    word: str
    tokens: int
    documents: int
    shared: list[str]


@dataclass(frozen=True)
class CountedTopic:
    """A named topic in a version. tokens: of all its seeds. supported: whether they are enough to
    hold a topic; one without support stays empty."""

    name: str
    seeds: list[SeedCount]
    tokens: int
    supported: bool

    @property
    def only_seed(self) -> str:
        """The one seed that the texts have, of a topic that they support; "" where there are
        several: one word alone means whatever it means in the texts, not what the topic is named
        for."""
        present = [seed.word for seed in self.seeds if seed.tokens]
        return present[0] if self.supported and len(present) == 1 else ""


def read(text: str) -> list[NamedTopic]:
    """The topics that lines name: a name, then a colon or a tab, then words and phrases with commas
    or tabs between them. A table that is pasted from a spreadsheet has this form. Raises
    Invalid."""
    return checked(read_lines(text))


def read_lines(text: str) -> list[StoredTopic]:
    """The topics that lines name, as they are written: `checked` judges them. Raises Invalid for a
    line of no such form."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return [_read_line(line) for line in lines]


def _read_line(line: str) -> StoredTopic:
    name, separator, words = line.partition("\t" if "\t" in line else ":")
    if not separator:
        raise Invalid(
            KEY,
            "Each line must be a name, a colon, and words: “Economy: tax, jobs, interest rate”."
            f" Got “{line[:QUOTED]}”.",
        )
    return {"name": name, "words": words.replace("\t", ",").replace(";", ",").split(",")}


def checked(topics: Sequence[StoredTopic]) -> list[NamedTopic]:
    """Topics with names and words as they are stored. Raises Invalid for what can't be."""
    if len(topics) > MOST_TOPICS:
        raise Invalid(KEY, f"At most {MOST_TOPICS} topics can be named, got {len(topics)}.")
    checked_topics = [_read_topic(topic) for topic in topics]
    names = Counter(topic.name.casefold() for topic in checked_topics)
    for topic in checked_topics:
        if names[topic.name.casefold()] > 1:
            raise Invalid(KEY, f"Two topics are called “{topic.name}”; give each its own name.")
    return checked_topics


def _read_topic(topic: StoredTopic) -> NamedTopic:
    name = " ".join(topic["name"].split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise Invalid(
            KEY, f"A name must have 1 to {LONGEST_NAME} characters, got “{name[:QUOTED]}”."
        )
    words = [counted_phrase(word) for word in topic["words"]]
    different = tuple(dict.fromkeys(word for word in words if word))
    if not FEWEST_WORDS <= len(different) <= MOST_WORDS:
        raise Invalid(
            KEY,
            f"“{name}” must have {FEWEST_WORDS} to {MOST_WORDS} different words or phrases, got"
            f" {len(different)}.",
        )
    longest = max(different, key=len)
    if len(longest) > LONGEST_WORD:
        raise Invalid(
            KEY, f"A word has at most {LONGEST_WORD} characters, got “{longest[:QUOTED]}”."
        )
    return NamedTopic(name, different)


def counted_phrase(word: str) -> str:
    """A word as vocabularies have it, a phrase joined by `_`."""
    return "_".join(as_counted(word).split())


def written(topics: Sequence[NamedTopic]) -> str:
    """The topics in lines that `read` reads."""
    lines = [f"{topic.name}: {', '.join(map(as_typed, topic.words))}" for topic in topics]
    return "\n".join(lines)


def as_typed(word: str) -> str:
    """A word of a vocabulary as a reader types it: a phrase with spaces."""
    return word.replace("_", " ")


def count_topics(version: Version, topics: Sequence[NamedTopic]) -> list[CountedTopic]:
    """How often each seed is in the texts."""
    found = _find_seeds(version, topics)
    counts = {word: (row.tokens, row.documents) for word, row in found.items()}
    result = []
    for topic in topics:
        seeds = []
        for word in topic.words:
            tokens, documents = counts.get(word, (0, 0))
            seeds.append(
                SeedCount(as_typed(word), tokens, documents, _topics_with_word(word, topic, topics))
            )
        # Forms of one word are counted once
        rows_of_topic = {found[word].number: found[word] for word in topic.words if word in found}
        total = sum(row.tokens for row in rows_of_topic.values())
        result.append(CountedTopic(topic.name, seeds, total, total >= SUPPORT))
    return result


def _find_seeds(version: Version, topics: Sequence[NamedTopic]) -> dict[str, Word]:
    """The seeds that the version has among its words."""
    return find_words(version.pk, {word for topic in topics for word in topic.words})


def _topics_with_word(word: str, topic: NamedTopic, topics: Sequence[NamedTopic]) -> list[str]:
    """Names of the other topics that have the word."""
    having = [candidate for candidate in topics if word in candidate.words]
    return [candidate.name for candidate in having if candidate is not topic]


def in_bag(version: Version, topics: Sequence[NamedTopic], bow: Bow) -> Seeds:
    """The topics as columns of a version's bag of words, which may leave out some of them."""
    columns = {word: row.number for word, row in _find_seeds(version, topics).items()}
    words: list[int] = []
    numbers: list[int] = []
    empty: list[int] = []
    for number, topic in enumerate(topics):
        # Forms of one word are one column
        columns_of_words = {columns[word]: None for word in topic.words if word in columns}
        present = [column for column in columns_of_words if bow.word_tokens[column]]
        if bow.word_tokens[present].sum() < SUPPORT:
            empty.append(number)
            continue
        words += present
        numbers += [number] * len(present)
    return Seeds(np.array(words, np.int64), np.array(numbers, np.int64), np.array(empty, np.int64))


def merged(topics: Sequence[NamedTopic], groups: Sequence[Sequence[int]]) -> list[NamedTopic]:
    """What is named in a run that begins with this one's topics, of which the groups become one
    each, under the lowest number (inference.steering.merge): seeds of all of a group."""
    result = list(topics)
    absorbed: set[int] = set()
    for group in groups:
        members = [number for number in sorted(group) if number < len(topics)]
        if members and members[0] == min(group):
            words = [word for number in members for word in topics[number].words]
            first = topics[members[0]]
            result[members[0]] = NamedTopic(first.name, tuple(dict.fromkeys(words))[:MOST_WORDS])
            absorbed.update(members[1:])
    return [topic for number, topic in enumerate(result) if number not in absorbed]


def sentences(version: Version, topics: Sequence[NamedTopic]) -> list[str]:
    """A sentence for each topic that was named: its name, number and seeds, and whether it has no
    support."""
    result = []
    for number, topic in enumerate(count_topics(version, topics)):
        words = ", ".join(seed.word for seed in topic.seeds)
        support = "" if topic.supported else " (no support in the texts: empty)"
        result.append(
            f"{topic_title(topic_label(number), topic.name, has_name=True)}: {words}{support}"
        )
    return result
