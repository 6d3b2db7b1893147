"""The overview of a run: which of its topics an address asks for, in which order, and how large
each is in a set of documents."""

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from inference.explore import bands, relevance
from webapp.analysis.findings import families
from webapp.analysis.topics.shapes import (
    CountedTopic,
    FamilyOfTopic,
    RankedTopic,
    Sparkline,
    Times,
    Wanted,
)
from webapp.core.documents import fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import found_again, links, measures, topics
from webapp.models import Run
from webapp.platform.storage.nulls import number_or_none
from webapp.platform.storage.sql import rows

PAGE = 100
ORDERS = ("share", "number", "label", "kind", "coherence", "exclusivity", "word", "family")
BINS = 120  # of a sparkline: more would lie closer than a screen can show
_NUMBER = regex.compile(r"t\d{2,5}")  # as pages write it, T07
_TOPICS = regex.compile(r"\d{1,5}(?:,\d{1,5})*")


def read_wanted(query: QueryDict, run: Run) -> Wanted:
    """Raises Invalid for topics that the run does not have."""
    word = "".join(c for c in query.get("word", "")[:200] if c.isprintable()).strip().lower()
    sort = query.get("sort", "")
    order = sort.removeprefix("-")
    number = families.in_address(query) if run.final else None
    if order not in ORDERS or (order == "word" and not word) or (order == "family" and not number):
        sort = order = "word" if word else "family" if number else "share"
    chosen = ",".join(text.strip() for text in query.getlist("topics") if text.strip())
    if chosen and not _TOPICS.fullmatch(chosen):
        raise Invalid(
            "topics",
            f"“topics” in the address must be numbers such as 3,7,12, got “{chosen[:50]}”.",
        )
    numbers = sorted({int(n) for n in chosen.split(",")}) if chosen else []
    if numbers and numbers[-1] >= run.topics:
        raise Invalid(
            "topics",
            f"“topics” in the address must be from 0 to {run.topics - 1}, got {numbers[-1]}.",
        )
    group, hidden = query.get("group", "")[:200], query.get("hidden") == "1"
    frequent = query.get("by_words") == "frequency"
    return Wanted(order, sort.startswith("-"), word, group, hidden, numbers, frequent, number)


class Overview:
    """The topics of a run as an address asks for them.

    share: float64[K], of the selected documents' tokens; tokens, documents: int64[K], None while
    the run trains. numbers: int64[n], the topics that are shown, in their order; family: of topics,
    where the address asks for some; left_out: how many more there would be if hidden ones were
    shown.
    """

    def __init__(self, selection: RunSelection, wanted: Wanted):
        self.selection, self.wanted = selection, wanted
        self.view = selection.view
        self.run = self.view.run
        run, self.labels, self.measures = self.run, self.view.labels, measures.of(self.run)
        self.family: dict[int, FamilyOfTopic] = {}
        self.tokens: np.ndarray | None = None
        self.documents: np.ndarray | None = None
        if not self.measures:
            self.share, self.numbers, self.left_out = np.zeros(run.topics), np.zeros(0, np.int64), 0
            return
        if run.final or selection:
            counted = sums.of_selection(selection)
            self.tokens, self.documents = counted.tokens[0], counted.documents[0]
            self.share = np.nan_to_num(counted.shares[0])
            if wanted.families:
                self.family = {  # by families, in each its largest topic first
                    k: FamilyOfTopic(**vars(one) | {"topics": len(one.topics)})
                    for one in families.counted(selection, wanted.families)
                    for k in sorted(one.topics, key=lambda k: -self.share[k])
                }
        else:
            self.share = self.labels.merged(self.measures["share"])
        self._order()

    def _order(self) -> None:
        K, wanted = self.run.topics, self.wanted
        shown = self.view.used & (self.labels.into == np.arange(K))
        weight = None
        if wanted.word:
            weight = self._of_word(wanted.word) + self._called(
                wanted.word
            )  # what is called so comes first
            shown &= weight > 0
        if wanted.topics:
            shown &= np.isin(np.arange(K), self.labels.into[wanted.topics])
        if wanted.group:
            shown &= np.array([self.labels.group(k) == wanted.group for k in range(K)])
        hidden = np.zeros(K, bool)
        hidden[[k for k in self.labels.edited() if self.labels.hidden(k)]] = True
        self.left_out = 0 if wanted.hidden else int(np.count_nonzero(shown & hidden))
        numbers = np.flatnonzero(shown if wanted.hidden else shown & ~hidden)
        self.numbers = numbers[self._by(wanted.sort, weight, numbers)]
        if wanted.backward:
            self.numbers = self.numbers[::-1]
        if wanted.sort in ("share", "family"):  # topics of general talk stand behind the subjects
            general = np.array([self.labels.background(k) for k in self.numbers.tolist()], bool)
            self.numbers = np.concatenate([self.numbers[~general], self.numbers[general]])

    def _by(self, sort: str, weight: np.ndarray | None, numbers: np.ndarray) -> np.ndarray:
        if sort == "number":
            return np.arange(len(numbers))
        if sort == "label":  # those without one behind all others
            labels = [self.labels.name(k).casefold() for k in numbers.tolist()]
            return np.array(
                sorted(range(len(numbers)), key=lambda i: (not labels[i], labels[i])), np.int64
            )
        if sort == "kind":
            kinds, order = measures.kinds(self.measures), [*measures.KINDS, None]
            return np.argsort([order.index(kinds[k]) for k in numbers.tolist()], kind="stable")
        if sort == "family":
            place = {k: i for i, k in enumerate(self.family)}
            return np.lexsort(
                (-self.share[numbers], [place.get(k, len(place)) for k in numbers.tolist()])
            )
        key = (
            self.share
            if sort == "share"
            else self.measures[sort]
            if weight is None or sort != "word"
            else weight
        )
        return np.argsort(np.where(np.isnan(key), np.inf, -key)[numbers], kind="stable")

    def _of_word(self, word: str) -> np.ndarray:
        """float64[K]: how much of a word's use each topic explains, p(k) p(w|k); 0 where it has no
        row for it."""
        weight = np.zeros(self.run.topics)
        for row in rows(
            "SELECT topic, weight FROM topic_word WHERE snapshot_id = %s"
            " AND word = (SELECT number FROM word WHERE version_id = %s AND word = %s)",
            [self.run.snapshot_id, self.run.version_id, word],
        ):
            weight[row["topic"]] = row["weight"] * self.measures["share"][row["topic"]]
        return self.labels.merged(weight)

    def _called(self, word: str) -> np.ndarray:
        """bool[K]: topics in whose label the word is, or whose number it is."""
        called = np.zeros(self.run.topics, bool)
        called[[k for k in self.labels.edited() if word in self.labels.label(k).lower()]] = True
        if _NUMBER.fullmatch(word) and int(word[1:]) < len(called):
            called[self.labels.into[int(word[1:])]] = True
        return called

    def page(self, after: int = 0, limit: int = PAGE) -> tuple[list[RankedTopic], int | None]:
        """Topics from place `after` on, as the list shows them; and where the next page begins."""
        numbers = self.numbers[after : after + limit].tolist()
        kinds = measures.kinds(self.measures) if self.measures else []
        again = found_again.counted(self.run)
        most = float(self.share[self.numbers].max(initial=0.0)) or 1.0
        return [
            RankedTopic(
                **vars(topic) | {"hue": self.hue(topic.number)},
                bar=topic.share / most,
                group=self.labels.group(topic.number),
                members=len(self.labels.members(topic.number)),
                kind=kinds[topic.number],
                coherence=number_or_none(self.measures["coherence"][topic.number]),
                exclusivity=number_or_none(self.measures["exclusivity"][topic.number]),
                found_again=again[topic.number] if again else None,
                family=self.family.get(topic.number),
            )
            for topic in self.named(numbers)
        ], after + limit if len(self.numbers) > after + limit else None

    def hue(self, k: int) -> int:
        """The colour of a topic where another number of families is asked for than the usual."""
        family = self.family.get(k)
        if family is None or self.labels.chosen_colour(k) is not None:
            return self.view.hue(k)
        return family.hue

    def named(self, numbers: list[int], words: int = topics.TOP_WORDS) -> list[CountedTopic]:
        first = topics.top_words(
            self.view, numbers, words, topics.FREQUENT if self.wanted.frequent else relevance.LAM
        )
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

    def lines(self, numbers: list[int]) -> tuple[Times, dict[int, Sparkline]] | None:
        """Shares over time for sparklines, by topic. None without dates."""
        by = fields.period(self.run.version) if self.tokens is not None else None
        if by is None:
            return None
        counted = sums.of_selection(self.selection, by)
        if len(counted.labels) > BINS and by != "decade":
            by = "decade" if by == "year" else "year"
            counted = sums.of_selection(self.selection, by)
        some = np.flatnonzero(counted.of_tokens)
        if len(some) < 2:
            return None
        span = slice(some[0], some[-1] + 1)
        labels, shares = counted.labels[span], counted.shares[span][:, numbers]
        values = np.where(np.isnan(shares), None, shares).T.tolist()
        solid = np.where(
            (counted.of_documents[span] >= bands.THIN)[:, None], np.nan_to_num(shares), -1.0
        )
        peaks = solid.argmax(axis=0).tolist()
        named = solid.max(axis=0, initial=-1.0) >= 0
        return Times(by, labels), {
            k: Sparkline(line, line[peak] if sure else None, labels[peak] if sure else "")
            for k, line, peak, sure in zip(numbers, values, peaks, named.tolist(), strict=True)
        }
