"""One topic as its pages, their JSON and the API read it.

A topic is here what readers read as one: the numbers of topics that were merged into it are in its
own.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.http import Http404

from inference.explore import relevance
from webapp.analysis.families import family_cuts
from webapp.analysis.findings import topic_changes
from webapp.analysis.findings.topic_changes import TopicChange
from webapp.analysis.topics import (
    named_before,
    topic_documents,
    topic_measures,
    topic_words,
    verdict,
)
from webapp.analysis.topics.shapes import (
    BesideTopic,
    Counted,
    DocumentOfTopic,
    GroupBin,
    Judgement,
    Measure,
    NamedBefore,
    Rank,
    SimilarTopic,
    TopicGroups,
    TopicPhrase,
    WeighedWord,
    Why,
)
from webapp.core.curation import queries as curation
from webapp.core.curation.queries import TopicForm
from webapp.core.documents import document_days, document_groups, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again, links, topics
from webapp.core.results.found_again import Elsewhere
from webapp.core.results.topics import TopicDetail
from webapp.core.results.view import RunView
from webapp.models import Topic, Word
from webapp.platform.storage.nulls import number_or_none

PHRASES = 8  # that are shown
NEIGHBOURS = 6  # of each kind
WORDS_OF_NEIGHBOUR = 6  # of a neighbour
PERCENT = 10  # of a document, from which it counts as one with a topic
MOSTLY = 50  # percent of a document, from which it is mostly about a topic
RANKS: dict[Rank, topic_documents.By] = {"share": "share", "words": "tokens"}


@dataclass(frozen=True, eq=False)
class ShownTopic:
    """All that is shown of one topic. Made by `read_topic`.

    Each part is read when it is asked for, so a page that shows less reads less. Words, documents,
    groups and `counted` are of the documents of `selection`; what the model says of a topic
    (measures, neighbours, phrases, the verdict) is of all documents of the run. Only `about`, the
    links to its neighbours in the list, `curation` and `words_by_weight` are there while the run is
    trained.
    """

    selection: RunSelection
    number: int
    about: TopicDetail

    @property
    def view(self) -> RunView:
        return self.selection.view

    @property
    def previous(self) -> links.TopicLink | None:
        """The topic in use with the next lower number."""
        lower = [k for k in self.view.topics if k < self.number]
        return links.topic_link(self.view, lower[-1]) if lower else None

    @property
    def following(self) -> links.TopicLink | None:
        """The topic in use with the next higher number."""
        higher = [k for k in self.view.topics if k > self.number]
        return links.topic_link(self.view, higher[0]) if higher else None

    @property
    def curation(self) -> TopicForm:
        """What readers said of it, and what the form offers."""
        return curation.topic_form(self.view, self.number)

    @property
    def counted(self) -> Counted:
        """Its words and documents in the selection; 0 and a share of 0 in an empty one."""
        counted_sums = sums.of_selection(self.selection)
        tokens = int(counted_sums.topic_tokens[0, self.number])
        of_tokens = int(counted_sums.all_tokens[0])
        return Counted(
            tokens=tokens,
            documents=int(counted_sums.topic_documents[0, self.number]),
            of_tokens=of_tokens,
            of_documents=int(counted_sums.all_documents[0]),
            share=tokens / max(1, of_tokens),
        )

    @property
    def first_words(self) -> list[str]:
        """Its first words, as every page lists them."""
        return topics.top_words(self.view, [self.number], topics.FIRST_WORDS)[self.number]

    def words(
        self,
        lam: float = relevance.USUAL_LAM,
        after: int = 0,
        limit: int = topic_words.WORDS_OF_PAGE,
    ) -> tuple[list[WeighedWord], int | None]:
        """Its words by relevance from place `after` on, and the next place, None for nowhere. lam:
        from 0 to 1, the weight of a word's probability beside its lift."""
        return topic_words.relevant(self.selection, self.number, lam, after, limit)

    def words_by_weight(self, after: int = 0, limit: int = 50) -> tuple[list[dict], int | None]:
        """Its words as the model weighs them from rank `after` on, and the next rank: rank, word,
        weight, bar (of the largest). Merges are not counted."""
        return topics.words(self.view.run, self.number, after, limit)

    def why(self, word: Word) -> Why:
        """Why a word of the vocabulary is in the topic."""
        return topic_words.why_here(self.selection, self.number, word)

    @property
    def phrases(self) -> list[TopicPhrase]:
        """Its PHRASES most frequent phrases with their tokens; none where the run has no
        phrases."""
        (tokens_of_phrase,) = family_cuts.phrases(self.view, [[self.number]])
        first = list(tokens_of_phrase.items())[:PHRASES]
        return [
            TopicPhrase(text, tokens, self.view.go("run_pattern", pattern=text, topic=self.number))
            for text, tokens in first
        ]

    def groups(self, by: str = "") -> TopicGroups | None:
        """The topic in groups of documents, by a field or the usual one. Empty groups at both ends
        are left out; of a category, those without documents. None where there is nothing to group
        by, and of a topic whose words count in another; Invalid for a field that there is not."""
        if self.view.labels.is_merged(self.number):
            return None
        version = self.view.run.version
        choices = document_groups.possible_groupings(version)
        if not choices:
            return None
        groups = document_groups.read_groups(
            version, by or document_groups.usual_grouping(version) or choices[0]
        )
        counted_sums = sums.of_selection(self.selection, groups.by)
        with_documents = np.flatnonzero(counted_sums.all_documents).tolist()
        if with_documents and groups.in_time:
            groups_listed = list(range(with_documents[0], with_documents[-1] + 1))
        else:
            groups_listed = document_groups.order_groups(version, groups, with_documents)
        bins = [
            GroupBin(
                label=counted_sums.labels[i],
                share=number_or_none(counted_sums.shares[i, self.number]),
                tokens=int(counted_sums.topic_tokens[i, self.number]),
                documents=int(counted_sums.topic_documents[i, self.number]),
                of_tokens=int(counted_sums.all_tokens[i]),
                of_documents=int(counted_sums.all_documents[i]),
                url=links.documents_url(
                    self.view.run, self.selection.within(groups, i).address_by_topic(self.number)
                ),
            )
            for i in groups_listed
        ]
        return TopicGroups(groups.by, groups.in_time, choices, bins)

    def documents(
        self, rank: Rank = "share", after: tuple[float, int] | None = None
    ) -> tuple[list[DocumentOfTopic], str | None]:
        """A page of its documents by its share of them or by its words in them, and where the next
        begins, as addresses say it."""
        return topic_documents.ranked(self.selection, self.number, RANKS[rank], after)

    @property
    def documents_mostly_about_it(self) -> str:
        """Their address."""
        query = self.selection.address_by_topic(self.number, MOSTLY)
        return links.documents_url(self.view.run, query)

    @cached_property
    def _row(self) -> Topic:
        return Topic.objects.get(snapshot=self.view.snapshot, number=self.number)

    @cached_property
    def _words_of_neighbours(self) -> dict[int, list[str]]:
        """The first words of similar topics and of those beside it: one query for both."""
        numbers = [
            number
            for number, *_ in (*self._visible(self._row.similar), *self._visible(self._row.beside))
        ]
        return topics.top_words(self.view, numbers, WORDS_OF_NEIGHBOUR)

    @cached_property
    def similar(self) -> list[SimilarTopic]:
        """Topics with like words, the nearest first."""
        return [
            SimilarTopic(
                **vars(links.topic_link(self.view, number)),
                words=self._words_of_neighbours[number],
                divergence=divergence,
            )
            for number, divergence in self._visible(self._row.similar)
        ]

    @property
    def beside(self) -> list[BesideTopic]:
        """Topics in the same documents of the whole run. The link to the documents that have both
        stays within the selection."""
        with_topic = self.selection.with_topic(self.number, PERCENT)
        return [
            BesideTopic(
                **vars(links.topic_link(self.view, number)),
                words=self._words_of_neighbours[number],
                lift=lift,
                documents=documents,
                both=links.documents_url(
                    self.view.run, with_topic.address_by_topic(number, PERCENT)
                ),
            )
            for number, lift, documents in self._visible(self._row.beside)
        ]

    def _visible(self, neighbours: list[list]) -> list[list]:
        """The first NEIGHBOURS that are neither hidden nor merged into others. neighbours: of each
        its number first."""
        labels = self.view.labels
        return [row for row in neighbours if labels.is_visible(row[0])][:NEIGHBOURS]

    @property
    def verdict(self) -> Judgement | None:
        """Whether it is any good; None while nothing is measured."""
        return verdict.judge(self.selection, self.number, self.similar)

    @property
    def measures(self) -> list[Measure]:
        """What was measured of it, with where it is among all topics of the run."""
        return topic_measures.list_measures(self.view.run, self.number)

    @property
    def elsewhere(self) -> list[Elsewhere] | None:
        """In runs with other seeds; None before they are trained."""
        return found_again.of_topic(self.view.run, self.number)

    @property
    def change(self) -> TopicChange:
        """How its share changed over time, as the overview of these documents says it."""
        (change,) = topic_changes.of_topics(self.selection, [self.number])
        return change

    @property
    def named_before(self) -> NamedBefore | None:
        """What became of it where a reader named it before the training; else None."""
        return named_before.of_topic(self.view, self.number)

    @property
    def has_dates(self) -> bool:
        """Whether any document of the run has a date."""
        return document_days.first_and_last(self.selection.version) is not None


def read_topic(selection: RunSelection, number: int) -> ShownTopic:
    """A topic in a set of documents. Raises Http404 where the run has none of that number."""
    about = topics.described(selection.view, number)
    if about is None:
        raise Http404(f"Run {selection.run.pk} has no topic {number}.")
    return ShownTopic(selection, number, about)
