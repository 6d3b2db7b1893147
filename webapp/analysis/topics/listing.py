"""The topics of a run that an address asks for, in which order, and how large each is in a set of
documents."""

from dataclasses import replace

import numpy as np
import regex
from django.http import QueryDict

from inference.explore import bands, relevance
from inference.senses import SenseUses
from webapp.analysis.families import family_cuts
from webapp.analysis.topics.shapes import (
    CountedTopic,
    FamilyOfTopic,
    LineTimes,
    ListingQuery,
    RankedTopic,
    Sparkline,
)
from webapp.core.documents import document_groups, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import (
    evidence,
    found_again,
    links,
    measures,
    topic_kinds,
    topic_numbers,
    topics,
)
from webapp.intake.ingest.typed_words import find_words
from webapp.models import Run
from webapp.platform.storage.nulls import number_or_none
from webapp.platform.storage.sql import rows
from webapp.platform.typed_text import as_counted, as_in_texts

PAGE = 100
LONGEST_QUERY_VALUE = 200  # characters of a word or of a group's name in an address
ORDERS = ("share", "number", "label", "kind", "coherence", "exclusivity", "word", "family")
ORDER_OF_KINDS = (*topic_kinds.KINDS, None)
BINS = 120  # of a sparkline: more would lie closer than a screen can show
FEWEST_BINS = 2
LABELLED = 2.0  # of a topic whose label has the word that is asked for
_NUMBER = regex.compile(r"t\d{2,5}")  # as pages write it, T07


def read_listing_query(query: QueryDict, run: Run) -> ListingQuery:
    """Raises Invalid for topics that the run does not have."""
    family = query.get("family", "")
    word = as_counted(as_in_texts(query.get("word", "")[:LONGEST_QUERY_VALUE]))
    number_of_families = family_cuts.in_address(query) if run.final else None
    order, backward = _order(query.get("sort", ""), word, number_of_families)
    return ListingQuery(
        sort=order,
        backward=backward,
        word=word,
        group=query.get("group", "")[:LONGEST_QUERY_VALUE],
        hidden=query.get("hidden") == "1",
        topics=sorted(topic_numbers.read_several(query.getlist("topics"), run, "topics")),
        frequent=query.get("by_words") == "frequency",
        families=number_of_families,
        family=topic_numbers.read(family, run, "family") if family else None,
    )


def _order(sort: str, word: str, number_of_families: int | None) -> tuple[str, bool]:
    """One of ORDERS, and whether backward. What the address says, unless there is nothing to order
    by: then the usual one."""
    order = sort.removeprefix("-")
    lacks_word = order == "word" and not word
    lacks_families = order == "family" and not number_of_families
    if order in ORDERS and not lacks_word and not lacks_families:
        return order, sort.startswith("-")
    if word:
        return "word", False
    if number_of_families:
        return "family", False
    return "share", False


class TopicListing:
    """The topics of a run as an address asks for them.

    share: float64[K], of the selected documents' tokens; tokens, documents: int64[K], None while
    the run trains. numbers: int64[n], the topics that are shown, in their order; family: of topics,
    where the address asks for some; left_out: how many more there would be if hidden ones were
    shown. of_word: int64[K], occurrences of the word that is asked for, None without one and while
    the run trains.
    """

    def __init__(self, selection: RunSelection, query: ListingQuery):
        self.selection = selection
        self.view = selection.view
        if query.family is not None and not query.topics:
            query = replace(
                query, topics=family_cuts.members(self.view, query.families, query.family)
            )
        self.query = query
        self.run = self.view.run
        self.labels = self.view.labels
        self.measures = measures.of(self.run)
        self.family: dict[int, FamilyOfTopic] = {}
        self.tokens: np.ndarray | None = None
        self.documents: np.ndarray | None = None
        self.of_word: np.ndarray | None = None
        self.share = np.zeros(self.run.topics)
        self.numbers = np.zeros(0, np.int64)
        self.left_out = 0
        if not self.measures:
            return
        if self.run.final or selection.has_conditions:
            self._count()
        else:
            self.share = self.labels.merged(self.measures["share"])
        self._choose()

    def _count(self) -> None:
        """In the selected documents."""
        counted_sums = sums.of_selection(self.selection)
        self.tokens = counted_sums.topic_tokens[0]
        self.documents = counted_sums.topic_documents[0]
        self.share = np.nan_to_num(counted_sums.shares[0])
        if not self.query.families:
            return
        for family in family_cuts.count_families(self.selection, self.query.families):
            described = FamilyOfTopic(
                name=family.name,
                slot=family.slot,
                hue=family.hue,
                phrases=family.phrases,
                tokens=family.tokens,
                documents=family.documents,
                share=family.share,
                topics=len(family.topics),
            )
            for k in sorted(family.topics, key=lambda k: -self.share[k]):  # the largest first
                self.family[k] = described

    def _choose(self) -> None:
        """Which topics are shown, in their order."""
        K = self.run.topics
        filters = self.query
        is_chosen = self.view.used & self.labels.unmerged
        weight = None
        if filters.word:
            called = self._called(filters.word)
            weight = self._weigh_word(filters.word)
            is_chosen &= (weight > 0) | (called > 0)
            weight += called >= LABELLED  # what a reader calls so comes first: a part is at most 1
        if filters.topics:
            is_chosen &= np.isin(np.arange(K), self.labels.into[filters.topics])
        if filters.group:
            is_chosen &= np.array([self.labels.group(k) == filters.group for k in range(K)])
        if not filters.hidden:
            is_hidden = np.zeros(K, bool)
            is_hidden[[k for k in self.labels.edited() if self.labels.is_hidden(k)]] = True
            self.left_out = int(np.count_nonzero(is_chosen & is_hidden))
            is_chosen &= ~is_hidden
        numbers = np.flatnonzero(is_chosen)
        self.numbers = numbers[self._by(filters.sort, weight, numbers)]
        if filters.backward:
            self.numbers = self.numbers[::-1]
        # Topics of general talk stand behind the subjects
        if filters.sort in (
            "share",
            "family",
        ):
            is_general = [self.labels.is_background(k) for k in self.numbers.tolist()]
            general = np.array(is_general, bool)
            self.numbers = np.concatenate([self.numbers[~general], self.numbers[general]])

    def _by(self, sort: str, weight: np.ndarray | None, numbers: np.ndarray) -> np.ndarray:
        """The order of some topics: indices into `numbers`. weight: of the word that is asked
        for."""
        topics_in_order = numbers.tolist()
        if sort == "number":
            return np.arange(len(numbers))
        if sort == "label":  # those without one behind all others
            names = [self.labels.name(k).casefold() for k in topics_in_order]
            order = sorted(range(len(names)), key=lambda i: (not names[i], names[i]))
            return np.array(order, np.int64)
        if sort == "kind":
            kinds = topic_kinds.of_run(self.run, self.labels)
            ranks = [ORDER_OF_KINDS.index(kinds[k]) for k in topics_in_order]
            return np.argsort(ranks, kind="stable")
        if sort == "family":
            place_of_topic = {k: i for i, k in enumerate(self.family)}
            places_of_topics = [place_of_topic.get(k, len(place_of_topic)) for k in topics_in_order]
            return np.lexsort((-self.share[numbers], places_of_topics))
        if sort == "share":
            values = self.share
        elif sort == "word" and weight is not None:
            values = weight
        else:
            values = self.measures[sort]
        largest_first = np.where(np.isnan(values), np.inf, -values)
        return np.argsort(largest_first[numbers], kind="stable")

    def _weigh_word(self, word: str) -> np.ndarray:
        """float64[K]: the part of a word's occurrences in the selected documents that each topic
        has, as the word's own page counts them. While the run trains, and nothing is counted yet,
        how much of its use each explains, p(k) p(w|k); 0 where it has no row for it."""
        weight = np.zeros(self.run.topics)
        numbers = [row.number for row in find_words(self.run.version_id, [word]).values()]
        if self.run.final:
            self.of_word = np.zeros(self.run.topics, np.int64)
            for number in numbers:
                self.of_word += self._count_occurrences(number)
            return self.of_word / max(1, int(self.of_word.sum()))
        of_word = rows(
            "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s AND word = ANY(%s)",
            [self.run.snapshot_id, numbers],
        )
        for row in of_word:
            weight[row["topic"]] = row["weight"] * self.measures["share"][row["topic"]]
        return self.labels.merged(weight)

    def _count_occurrences(self, number: int) -> np.ndarray:
        """int64[K]: of a word of the vocabulary in the selected documents, merged topics in their
        targets."""
        counted = evidence.of(self.run)
        uses = SenseUses(counted, number, self.labels.into, self.selection.mask)
        tokens, _ = uses.tally()
        return tokens[0]  # the only group: all documents

    def _called(self, word: str) -> np.ndarray:
        """float64[K]: LABELLED for topics in whose label, which a reader gave, the word is, also as
        a part of another; 1 where the proposed name has it as whole words, or whose number it is."""
        called = np.zeros(self.run.topics)
        whole_words = regex.compile(rf"(?<!\w){regex.escape(word)}(?!\w)")
        for k in range(self.run.topics):
            name = as_counted(self.labels.name(k))
            if self.labels.label(k):
                called[k] = LABELLED * (word in name)
            elif whole_words.search(name):
                called[k] = 1.0
        if _NUMBER.fullmatch(word):
            number = int(word[1:])
            if number < self.run.topics:
                called[self.labels.into[number]] = 1.0
        return called

    def page(self, after: int = 0, limit: int = PAGE) -> tuple[list[RankedTopic], int | None]:
        """Topics from place `after` on, as the list shows them; and where the next page begins."""
        numbers = self.numbers[after : after + limit].tolist()
        kinds = topic_kinds.of_run(self.run, self.labels)
        again = found_again.count_found(self.run)
        largest = float(self.share[self.numbers].max(initial=0.0)) or 1.0
        ranked = []
        for topic in self.named(numbers):
            k = topic.number
            row = RankedTopic(
                **vars(replace(topic, hue=self.hue(k))),
                bar=topic.share / largest,
                group=self.labels.group(k),
                members=len(self.labels.members(k)),
                kind=kinds[k],
                coherence=number_or_none(self.measures["coherence"][k]),
                exclusivity=number_or_none(self.measures["exclusivity"][k]),
                found_again=again[k] if again else None,
                family=self.family.get(k),
                of_word=None if self.of_word is None else int(self.of_word[k]),
            )
            ranked.append(row)
        following = after + limit
        return ranked, following if len(self.numbers) > following else None

    def hue(self, k: int) -> int:
        """The colour of a topic where another number of families is asked for than the usual."""
        family = self.family.get(k)
        if family is None or self.labels.chosen_colour(k) is not None:
            return self.view.hue(k)
        return family.hue

    def named(self, numbers: list[int], words: int = topics.TOP_WORDS) -> list[CountedTopic]:
        """words: how many of each."""
        order_of_words = topics.PROBABILITY_LAM if self.query.frequent else relevance.USUAL_LAM
        first = topics.top_words(self.view, numbers, words, order_of_words)
        return [
            CountedTopic(
                **vars(links.topic_link(self.view, k)),
                words=first[k],
                share=float(self.share[k]),
                tokens=None if self.tokens is None else int(self.tokens[k]),
                documents=None if self.documents is None else int(self.documents[k]),
            )
            for k in numbers
        ]

    def lines(self, numbers: list[int]) -> tuple[LineTimes, dict[int, Sparkline]] | None:
        """Shares over time for sparklines, by topic. None without dates."""
        by = document_groups.best_period(self.run.version) if self.tokens is not None else None
        if by is None:
            return None
        counted_sums = sums.of_selection(self.selection, by)
        if len(counted_sums.labels) > BINS and by != "decade":
            by = "decade" if by == "year" else "year"
            counted_sums = sums.of_selection(self.selection, by)
        with_words = np.flatnonzero(counted_sums.all_tokens)
        if len(with_words) < FEWEST_BINS:
            return None
        span = slice(with_words[0], with_words[-1] + 1)
        labels = counted_sums.labels[span]
        is_solid = counted_sums.all_documents[span] >= bands.THIN
        shares = counted_sums.shares[span]
        lines = {k: _sparkline(shares[:, k], is_solid, labels) for k in numbers}
        return LineTimes(by, labels, is_solid.tolist()), lines


def _sparkline(shares: np.ndarray, is_solid: np.ndarray, labels: list[str]) -> Sparkline:
    """shares: float64[n], NaN for a time without words. is_solid: bool[n], whether there are
    documents enough to name a peak."""
    values = [number_or_none(share) for share in shares]
    if not is_solid.any():
        return Sparkline(values, None, "")
    peak = int(np.where(is_solid, np.nan_to_num(shares), -1.0).argmax())
    return Sparkline(values, values[peak], labels[peak])
