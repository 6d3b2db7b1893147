"""Findings in sentences: what is stored as numbers, said with the names that topics have now, each
with the address of its passages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

from inference.explore.naming import LIST
from webapp.analysis.findings import sentences
from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.values import OfGroup, Shaped
from webapp.core.documents.ranges import Range
from webapp.core.documents.selection import RunSelection
from webapp.core.results import links, topics
from webapp.core.results.links import TopicLink
from webapp.platform.drawing.numbers import topic_label

MOST_NAMED = 3  # topics of a family, or words, that a sentence names


@dataclass(frozen=True)
class Sentence:
    """parts: without the full stop. url: of its passages. topic: that it is about. sure: how sure
    it is, "interval 53 to 95", or nothing."""

    parts: list[SentencePart]
    url: str
    topic: int | None = None
    sure: str = ""
    not_found_again: list[int] = field(default_factory=list)


class Sayable(Protocol):
    """What a writer asks of a finding; see webapp.analysis.findings.finding."""

    @property
    def claimed(self) -> Sequence[int]: ...

    def say(self, writer: Writer) -> Sentence: ...


class Writer:
    """Says the findings of one set of documents."""

    def __init__(
        self,
        selection: RunSelection,
        titles: dict[int, str],
        doubtful: Collection[int] = (),
        families: Mapping[tuple[int, ...], str] = MappingProxyType({}),
        span: Sequence[str] = (),
    ):
        """titles: of the documents that findings name. doubtful: topics that were not found again
        with other seeds. families: the names of families, by their topics. span: the
        first and the last period of the documents, as readers say them."""
        self.families = families
        self.span = (*span, "", "")[:2]
        self.doubtful = doubtful
        self.selection = selection
        self.view = selection.view
        self.titles = titles
        self.run = self.view.run
        self._topics: dict[int, TopicLink] = {}

    def selection_with_most(self, finding: Shaped, **conditions) -> RunSelection:
        """The documents of the set in the time that has most of what a finding is about: where its
        time is open, the set's own end holds. conditions: others, as `Selection.changed` has
        them."""
        first, last = finding.where_most
        span = (first or self.selection.first, last or self.selection.last)
        return self.selection.changed(span=span, **conditions)

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
        if sentence.sure:
            doubt = sentences.AND_DOUBT.format(sure=sentence.sure, doubt=doubt)
        return replace(sentence, sure=doubt, not_found_again=missing)

    def topic(self, k: int) -> TopicLink:
        """By its name; by its first words where it has none."""
        if k not in self._topics:
            link = links.topic_link(self.view, k)
            words = topics.top_words(self.view, [k], 3)[k] if not link.name else []
            self._topics[k] = replace(link, name=link.name or LIST.join(words))
        return self._topics[k]

    def topic_above_all(self, k: int, words: Sequence[str]) -> list[SentencePart]:
        """A topic, with the words that were counted where those of its name don't move so."""
        topic = self.topic(k)
        if not words:
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
        return links.documents_url(self.run, selection.with_topic(k, 1).address(by=topic_label(k)))

    def documents_of(self, selection: RunSelection) -> str:
        """The address of the documents of a set."""
        return links.documents_url(self.run, selection.address())

    def within_group(self, group: OfGroup) -> RunSelection:
        """The documents of a group, among those that are spoken of."""
        if group.bounds:
            between = Range(group.field, *group.bounds)
            return self.selection.changed(between=[*self.selection.between, between])
        return self.selection.elsewhere(group.field).with_value(group.field, group.value)
