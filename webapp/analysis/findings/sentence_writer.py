"""Findings in sentences: what is stored as numbers, said with the names that topics have now, each
with the address of its passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

from inference.explore.naming import LIST
from inference.index.query import narrowed
from webapp.analysis.families.family_names import FamilyName
from webapp.analysis.findings import sentences
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.spans_and_groups import OfGroup, Shaped
from webapp.core.documents import search
from webapp.core.documents.conditions import Range
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, topics
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import topic_label

MOST_NAMED = 3  # topics of a family, or words, that a sentence names
WORDS_OF_UNNAMED = 3  # of a topic that nothing names
# What the address of a finding opens, as its link is called
PASSAGES = "Passages"
TOPICS = "Topics"
WORD = "Word over time"
DOCUMENT = "Read it"
SEE = "See"


@dataclass(frozen=True)
class Sentence:
    """parts: without the full stop. url: of its passages, or of what `opens` names. topic: that it
    is about. certainty: how sure it is, "interval 53 to 95", or nothing. opens: what the link to
    `url` is called."""

    parts: list[SentencePart]
    url: str
    topic: int | None = None
    certainty: str = ""
    not_found_again: list[int] = field(default_factory=list)
    opens: str = PASSAGES


class Sayable(Protocol):
    """What a writer asks of a finding; see webapp.analysis.findings.finding."""

    @property
    def claimed(self) -> Sequence[int]: ...

    def say(self, writer: SentenceWriter) -> Sentence: ...


class SentenceWriter:
    """Says the findings of one set of documents."""

    def __init__(
        self,
        selection: RunSelection,
        titles: dict[int, str],
        doubtful: Collection[int] = (),
        families: Mapping[tuple[int, ...], FamilyName] = MappingProxyType({}),
        span: Sequence[str] = (),
        searched: Collection[str] = (),
    ):
        """titles: of the documents that findings name. doubtful: topics that were not found again
        with other seeds. families: what families are called, by their topics. span: the
        first and the last period of the documents, as readers say them. searched: words of the
        vocabulary that addresses of findings search for."""
        self.families = families
        self.span = (*span, "", "")[:2]
        self.doubtful = doubtful
        self.selection = selection
        self.view = selection.view
        self.titles = titles
        self.run = self.view.run
        self._topics: dict[int, TopicLink] = {}
        self._searched = searched

    def selection_with_most(self, finding: Shaped) -> RunSelection:
        """The documents of the set in the time that has most of what a finding is about: where its
        time is open, the set's own end holds."""
        first, last = finding.where_most
        return self.selection.with_dates(first or self.selection.first, last or self.selection.last)

    def search_with(self, word: str) -> str:
        """The set's own search, and a word of `searched` that documents have as well."""
        return narrowed(self.selection.q, self._searches[word])

    def write(self, finding: Sayable) -> Sentence:
        """It says of which topics other seeds found nothing."""
        sentence = finding.say(self)
        claimed_topics = list(dict.fromkeys(finding.claimed))
        missing = [k for k in claimed_topics if k in self.doubtful]
        if not missing:
            return sentence
        missing_labels = (
            "" if missing == claimed_topics else ", ".join(map(topic_label, missing)) + " "
        )
        doubt = sentences.NOT_FOUND_AGAIN.format(topics=missing_labels)
        if sentence.certainty:
            doubt = sentences.AND_DOUBT.format(certainty=sentence.certainty, doubt=doubt)
        return replace(sentence, certainty=doubt, not_found_again=missing)

    def topic(self, k: int) -> TopicLink:
        """By its name; by its first words where it has none."""
        if k not in self._topics:
            link = links.topic_link(self.view, k)
            if not link.name:
                link = replace(link, name=LIST.join(self._words_of_unnamed[k]))
            self._topics[k] = link
        return self._topics[k]

    @cached_property
    def _searches(self) -> dict[str, str]:
        """What finds each word of `searched`: they are looked up together, once."""
        return search.terms(self.run.version, self._searched)

    @cached_property
    def _words_of_unnamed(self) -> dict[int, list[str]]:
        """The first words of all topics without a name: one query for a page."""
        labels = self.view.labels
        unnamed = [k for k in range(len(labels.into)) if not labels.name(k)]
        return topics.top_words(self.view, unnamed, WORDS_OF_UNNAMED)

    def topic_above_all(self, k: int, words: Sequence[str]) -> list[SentencePart]:
        """A topic, with the words that were counted where those of its name don't move so; without
        them where it has no name and these are the words that stand for it."""
        topic = self.topic(k)
        listed_words = {word.casefold() for word in topic.name.split(LIST)}
        are_listed = not topic.has_name and listed_words.issuperset(map(str.casefold, words))
        if not words or are_listed:
            return [topic]
        return fill(sentences.ABOVE_ALL, topic=topic, words=sentences.quoted(words))

    def name_of_claim(self, k: int) -> tuple[str, list[str]]:
        """What a claim calls a topic; the words and phrases that texts can be searched for."""
        labels = self.view.labels
        name = self.topic(k).name
        if labels.label(k):
            return name, [name]
        return name, list(labels.parts_of_name(k)) or name.split(LIST)

    def documents_with(self, k: int, selection: RunSelection) -> str:
        """The address of the documents of a set that have a topic, those with most of it first."""
        return links.documents_url(self.run, selection.address_by_topic(k))

    def documents_of(self, selection: RunSelection) -> str:
        """The address of the documents of a set."""
        return links.documents_url(self.run, selection.address())

    def within_group(self, group: OfGroup) -> RunSelection:
        """The documents of a group, among those that are spoken of."""
        if group.bounds:
            return self.selection.with_conditions(Range(group.field, *group.bounds))
        return self.selection.elsewhere(group.field).with_value(group.field, group.value)
