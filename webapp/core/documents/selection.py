"""A selection: the set of documents that an address describes, to which every page can be
restricted.

?q=       a search (inference.index.query): words, "a phrase", or, -without, AND OR NOT,
parentheses, begin*
?has=     12:20, at least 20% of the document is topic 12 and what was merged into it; may be
repeated
?from=    ?to=  days, months or years, both included: 1914, 1914-08, 1914-08-04, 1910s
?between= price:10:20, a field of numbers or dates and its ends (documents.ranges); may be repeated
?in=      party:Democratic, a category and a value; may be repeated: values of one category are
alternatives
?match=   a pattern of words (inference.index.patterns) that occurs in the document; may be repeated
?only=    wordless, same or near: what the corpus's page counts (ONLY), or file:7, what came of an
uploaded file; may be repeated

A form without JavaScript can't join two fields into one, so these are read, too, and written as the
above:
?with=    T12, and ?least=20
?in:party=    a value of this category, small letters or capitals
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Self, overload
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.day_sums import FOREVER
from inference.errors import Invalid
from inference.index import LONGEST_QUERY
from inference.index.query import has_order
from webapp.core.documents import conditions, days, fields, members, ranges, search
from webapp.core.results.view import RunView
from webapp.intake.ingest import sources
from webapp.models import Corpus, Run, Version
from webapp.platform.accounts import embargo
from webapp.platform.storage.cache import of_documents
from webapp.platform.typed_text import as_in_texts

_SENTENCES = {  # a condition of an address, in words
    "q": "with “{}”",
    "match": "where the pattern “{}” occurs",
    "from": "from {}",
    "to": "to {}",
}


class Selection:
    """A set of documents of a corpus, or of a run as a request reads it (RunSelection). Made by
    `read`; without a condition it is all documents.

    q: a search. topics: (topic, least percentage of the document). span: first and last day, as
    they were asked for. values: (category, value). between: ranges of numbers or dates. only: names
    of conditions.ONLY, or files. matches: patterns of words.
    """

    def __init__(
        self,
        corpus: Corpus,
        view: RunView | None,
        *,
        q: str = "",
        topics: Sequence[tuple[int, float]] = (),
        span: tuple[str, str] = ("", ""),
        values: Sequence[tuple[str, str]] = (),
        between: Sequence[ranges.Range] = (),
        only: Sequence[str] = (),
        matches: Sequence[str] = (),
    ):
        self.corpus = corpus
        self.view = view
        self.run = view.run if view else None
        self.version = _version(corpus, view)
        self.q = q
        self.topics = list(topics)
        self.values = list(values)
        self.between = list(between)
        self.only = list(only)
        self.matches = list(matches)
        self.first, self.last = span
        self.days = (
            days.ordinal(self.first, "from", last=False),
            days.ordinal(self.last, "to", last=True),
        )

    def changed(self, **conditions) -> Self:
        """These documents by other conditions: keywords as `__init__` has them."""
        present = {
            "q": self.q,
            "topics": self.topics,
            "span": (self.first, self.last),
            "values": self.values,
            "between": self.between,
            "only": self.only,
            "matches": self.matches,
        }
        return type(self)(self.corpus, self.view, **present | conditions)

    @property
    def run_view(self) -> RunView:
        """`view` of a set of a run's documents."""
        assert self.view is not None, "a set of a corpus's documents has no run"
        return self.view

    @overload
    @staticmethod
    def read(query: QueryDict, owner: RunView) -> "RunSelection": ...

    @overload
    @staticmethod
    def read(query: QueryDict, owner: Corpus | RunView) -> "Selection": ...

    @staticmethod
    def read(query: QueryDict, owner: Corpus | RunView) -> "Selection":
        """The documents of a corpus or a run that an address names; of a corpus `has` is left out.
        Raises Invalid, with a sentence, for what can't be understood."""
        view = owner if isinstance(owner, RunView) else None
        run = view.run if view else None
        corpus = owner.run.corpus if isinstance(owner, RunView) else owner
        version = _version(corpus, view)
        q = as_in_texts(query.get("q", "")[: LONGEST_QUERY + 1])
        if q and has_order(search.open_index(corpus).parse(q)):
            embargo.refuse_order(corpus, "q")
        matches = conditions.matches(query, corpus)
        if matches:
            embargo.refuse_order(corpus, "match")
        topics = []
        if run:
            texts_of_topics = [*query.getlist("has"), conditions.joined(query)]
            topics = [conditions.topic(text, run) for text in texts_of_topics if text]
        values = [conditions.value(text, version) for text in query.getlist("in") if text]
        for category in fields.categories(version):
            texts = map(str.strip, query.getlist(f"in:{category.name}"))
            values += [conditions.typed(category, text) for text in texts if text]
        kind = RunSelection if view else Selection
        return kind(
            corpus,
            view,
            q=q,
            topics=list(dict.fromkeys(topics)),
            span=(query.get("from", "").strip(), query.get("to", "").strip()),
            values=list(dict.fromkeys(values)),
            between=ranges.read(query, version),
            only=conditions.only(query, version),
            matches=matches,
        )

    @classmethod
    def for_page(cls, query: QueryDict, objects: Mapping[str, Any]) -> "Selection":
        """The set of a page (webapp.platform.pages.typed). objects: with `view`, `run` or
        `corpus`."""
        if "run" not in objects:
            return Selection.read(query, objects["corpus"])
        return Selection.read(query, objects.get("view") or RunView.for_page(query, objects))

    @staticmethod
    def all(view: RunView) -> "RunSelection":
        """All documents of a run."""
        return RunSelection(view.run.corpus, view)

    def __bool__(self) -> bool:
        return bool(self.parameters)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes it, in a fixed order."""
        parameters = [
            *(("q", self.q), ("from", self.first), ("to", self.last)),
            *(("has", f"{topic}:{percent:g}") for topic, percent in self.topics),
            *(("between", between.address) for between in self.between),
            *(("in", f"{name}:{value}") for name, value in self.values),
            *(("match", text) for text in self.matches),
            *(("only", name) for name in self.only),
        ]
        return [(name, value) for name, value in parameters if value]

    def address(self, *, without: tuple[str, str] | None = None, **further: object) -> str:
        """The query string of this set and of what else is given; `without` takes one of its
        conditions away."""
        parameters = [p for p in self.parameters if p != without]
        return "?" + urlencode(
            parameters + [(k, v) for k, v in further.items() if v not in (None, "")]
        )

    def within(self, groups: fields.Groups, i: int) -> Self:
        """This set's documents that are in a group of `groups`: what a point of a chart counts.

        Values of one category are alternatives, so that of the group replaces them; a period that
        this set cuts stays cut.
        """
        if groups.bounds:
            return self.changed(between=[*self.between, ranges.Range(groups.by, *groups.bounds[i])])
        if not groups.in_time:
            return self.elsewhere(groups.by).with_value(groups.by, groups.labels[i])
        first, last = fields.span(groups, i)
        first = self.first if self.days[0] > days.ordinal(first, "from", last=False) else first
        last = self.last if 0 < self.days[1] < days.ordinal(last, "to", last=True) else last
        return self.changed(span=(first, last))

    def with_value(self, name: str, value: str) -> Self:
        """Also those documents, beside others of the category, that have a value of it."""
        return self.changed(values=[*self.values, (name, value)])

    def with_topic(self, topic: int, percent: float = 0) -> Self:
        """Those of these documents that have a topic."""
        return self.changed(topics=list(dict.fromkeys([*self.topics, (topic, percent)])))

    @property
    def conditions(self) -> list[tuple[tuple[str, str], str]]:
        """What each condition is in the address, and in words."""
        return [(p, self._sentence(*p)) for p in self.parameters]

    @property
    def name(self) -> str:
        """The set in a few words, for a chip: "Whig, 1841–1853", "“war”, from 1914"."""
        is_one_day = self.first and self.first == self.last
        span = ""
        if is_one_day:
            span = self.first
        elif self.first and self.last:
            span = f"{self.first}–{self.last}"
        parts = [value for _, value in self.values] + ([span] if span else [])
        for name, value in self.parameters:
            if name == "q":
                parts.append(value if value.startswith("“") or '"' in value else f"“{value}”")
            elif name != "in" and not (span and name in ("from", "to")):
                parts.append(self._sentence(name, value))
        return ", ".join(parts) or "all documents"

    @property
    def sentence(self) -> str:
        """The set in words: "documents with “war”, from 1914, to 1918"."""
        sentences = [self._sentence(*p) for p in self.parameters]
        return "documents " + ", ".join(sentences) if sentences else "all documents"

    def _sentence(self, name: str, value: str) -> str:
        if name == "has":
            topic, _, percent = value.partition(":")
            title = self.run_view.labels.title(int(topic))
            return f"with at least {percent}% {title}" if float(percent) else f"with {title}"
        if name == "between":
            return next(between.sentence for between in self.between if between.address == value)
        if name == "in":
            return value.replace(":", " ", 1)
        if name == "only":
            return conditions.ONLY.get(value) or self._sentence_of_file(value)
        return _SENTENCES[name].format(value)

    def _sentence_of_file(self, value: str) -> str:
        name, *_ = sources.documents(self.version, conditions.file_position(value))
        return f"of the file “{name}”"

    @cached_property
    def mask(self) -> np.ndarray | None:
        """bool[D], read-only; None for all documents."""
        return of_documents.get_or_set(("mask", *self.key), self._mask) if self else None

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """int32, ascending, read-only: the documents of the set; None for all."""
        return (
            of_documents.get_or_set(("numbers", *self.key), lambda: members.numbers(self))
            if self
            else None
        )

    @property
    def key(self) -> tuple:
        """What the set depends on: merging topics makes another one of it."""
        of_topics: list[tuple[int | None, ...]] = []
        if self.topics:
            labels = self.run_view.labels
            snapshot = self.run_view.run.snapshot_id
            of_topics = [(snapshot, *labels.parts(topic)) for topic, _ in self.topics]
        return (self.version.pk, *of_topics, *self.parameters)

    @property
    def counts_key(self) -> tuple:
        """What everything that is counted of a run's topics in these documents depends on."""
        return (*self.key, *self.run_view.topics_key)

    def elsewhere(self, name: str) -> Self:
        """These documents without the conditions on a category: what its other values would
        give."""
        return self.changed(values=[value for value in self.values if value[0] != name])

    def _mask(self) -> np.ndarray:
        mask = np.zeros(self.version.documents, bool)
        mask[self.numbers] = True
        mask.flags.writeable = False
        return mask

    @property
    def dates(self) -> tuple[int, int]:
        """(a, b): the days a ... b - 1 that the documents may be of; those without a date are of
        the day 0."""
        first, last = self.days
        if not first and not last:
            return 0, FOREVER
        first = max(first, 1)
        return first, max(first, last + 1 if last else FOREVER)

    @property
    def span(self) -> tuple[int, int] | None:
        """(a, b) where the set is all documents of the days a ... b - 1, and None where anything
        else says which are in it."""
        has_conditions = (
            self.q or self.topics or self.values or self.between or self.only or self.matches
        )
        return None if has_conditions else self.dates

    @cached_property
    def count(self) -> int:
        """How many documents the set has, 0 for an empty one."""
        if self.span:
            return fields.count(self.version, *self.span)
        assert self.numbers is not None
        return len(self.numbers)

    def group(self, group: np.ndarray) -> np.ndarray:
        """The groups of `fields.Groups`, documents outside the set in none; these very groups where
        it is all."""
        return group if self.mask is None else np.where(self.mask, group, np.int32(-1))

    def in_groups(self, groups: fields.Groups | None) -> tuple[np.ndarray | None, np.ndarray]:
        """(the numbers of the set's documents, None for all; int32: the group of each, -1 for
        none). Without groups they are all in the first."""
        if groups is None:
            return self.numbers, np.zeros(self.count, np.int32)
        return self.numbers, (
            groups.group if self.numbers is None else groups.places_of(self.numbers)
        )


class RunSelection(Selection):
    """A set of documents of a run."""

    view: RunView
    run: Run


def _version(corpus: Corpus, view: RunView | None) -> Version:
    """Whose documents a set has. Raises Invalid for a corpus that has none."""
    version = view.run.version if view else corpus.version
    if version is None:
        raise Invalid("corpus", f"“{corpus.name}” has not been read yet: it has no documents.")
    return version
