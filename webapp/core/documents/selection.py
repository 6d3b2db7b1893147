"""A selection: the set of documents that an address describes, to which every page can be
restricted. Its conditions are in webapp.core.documents.conditions, a module for each kind."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Self, TypeVar, overload
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents import conditions, days, document_days
from webapp.core.documents.conditions import (
    AllDocuments,
    Condition,
    DayLimit,
    HasTopic,
    Range,
    Search,
    Value,
    day_limits,
)
from webapp.core.results.view import RunView
from webapp.intake.metadata.groups import Groups, span as span_of_period
from webapp.models import Corpus, Run, Version
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.storage.cache import of_documents

Kind = TypeVar("Kind", bound=Condition)


class Selection:
    """A set of documents of a corpus, or of a run as a request reads it (RunSelection). Made by
    `read`; without a condition it is all documents.

    Whether it is all documents says `has_conditions`; then its arrays, `mask` and `numbers`, are
    None. How many documents it has says `count`. Whether days alone say which are in it says
    `is_only_days`; then these are those of `day_range`.
    """

    def __init__(
        self, corpus: Corpus, view: RunView | None, set_conditions: Iterable[Condition] = ()
    ):
        self.corpus = corpus
        self.view = view
        self.run = view.run if view else None
        self.version = _version(corpus, view)
        self.conditions = conditions.in_order(set_conditions)

    @property
    def all_documents(self) -> AllDocuments:
        """Those of which this set has some."""
        return AllDocuments(self.corpus, self.version, self.view)

    def of_kind(self, kind: type[Kind]) -> list[Kind]:
        """The conditions of a kind."""
        return [condition for condition in self.conditions if isinstance(condition, kind)]

    def with_conditions(self, *further: Condition) -> Self:
        """Those of these documents that meet further conditions."""
        return type(self)(self.corpus, self.view, [*self.conditions, *further])

    def with_other(self, kind: type[Condition], *others: Condition) -> Self:
        """These documents by other conditions of a kind, or by none of it."""
        remaining = [condition for condition in self.conditions if not isinstance(condition, kind)]
        return type(self)(self.corpus, self.view, [*remaining, *others])

    def with_search(self, text: str) -> Self:
        """These documents by another search; by none for ""."""
        searches = [Search(text)] if text else []
        return self.with_other(Search, *searches)

    def with_dates(self, first: str, last: str) -> Self:
        """These documents between other days, months or years, as addresses write them; "" for an
        open end."""
        return self.with_other(DayLimit, *DayLimit.between(first, last))

    def with_value(self, name: str, value: str) -> Self:
        """Also those documents, beside others of the category, that have a value of it."""
        return self.with_conditions(Value(name, value))

    def with_topic(self, topic: int, percent: float = 0) -> Self:
        """Those of these documents that have a topic."""
        return self.with_conditions(HasTopic(topic, percent))

    def address_by_topic(self, topic: int, percent: float = 0) -> str:
        """The query string of those of these documents that have a topic, for the page of
        documents: those with most of it first."""
        return self.with_topic(topic, percent).address(by=topic_label(topic))

    def elsewhere(self, name: str) -> Self:
        """These documents without the conditions on a category: what its other values would
        give."""
        others = [value for value in self.of_kind(Value) if value.category != name]
        return self.with_other(Value, *others)

    @property
    def q(self) -> str:
        """The search; "" for none."""
        return "".join(search.text for search in self.of_kind(Search))

    @property
    def first(self) -> str:
        """The day, month or year from which on the documents are, as it was asked for; "" for an
        open end."""
        return self._limit("from")

    @property
    def last(self) -> str:
        """The day, month or year to which the documents are, as `first`."""
        return self._limit("to")

    def _limit(self, end: str) -> str:
        return "".join(limit.text for limit in self.of_kind(DayLimit) if limit.end == end)

    @property
    def days(self) -> tuple[int, int]:
        """The first day and the last, as ordinals; 0 for an open end."""
        day_of = {limit.end: limit.day for limit in self.of_kind(DayLimit)}
        return day_of.get("from", 0), day_of.get("to", 0)

    @property
    def topics(self) -> list[tuple[int, float]]:
        """(topic, least percentage of the document)."""
        return [(share.topic, share.percent) for share in self.of_kind(HasTopic)]

    @property
    def values(self) -> list[tuple[str, str]]:
        """(category, value)."""
        return [(value.category, value.value) for value in self.of_kind(Value)]

    @property
    def between(self) -> list[Range]:
        """Ranges of numbers, or of dates beside the first."""
        return self.of_kind(Range)

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
        if isinstance(owner, RunView):
            all_documents = AllDocuments(owner.run.corpus, _version(owner.run.corpus, owner), owner)
            return RunSelection(owner.run.corpus, owner, conditions.read(query, all_documents))
        all_documents = AllDocuments(owner, _version(owner, None), None)
        return Selection(owner, None, conditions.read(query, all_documents))

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

    @property
    def has_conditions(self) -> bool:
        """Whether anything says which documents are in it; without a condition it is all of them."""
        return bool(self.conditions)

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes it, in a fixed order."""
        return [condition.parameter for condition in self.conditions]

    def address(self, *, without: tuple[str, str] | None = None, **further: object) -> str:
        """The query string of this set and of what else is given; `without` takes one of its
        conditions away."""
        parameters = [p for p in self.parameters if p != without]
        return "?" + urlencode(
            parameters + [(k, v) for k, v in further.items() if v not in (None, "")]
        )

    def within(self, groups: Groups, i: int) -> Self:
        """This set's documents that are in a group of `groups`: what a point of a chart counts.

        Values of one category are alternatives, so that of the group replaces them.
        """
        if groups.bounds:
            return self.with_conditions(Range(groups.by, *groups.bounds[i]))
        if not groups.in_time:
            return self.elsewhere(groups.by).with_value(groups.by, groups.labels[i])
        return self.of_period(*span_of_period(groups, i))

    def of_period(self, first: str, last: str) -> Self:
        """This set's documents of a period, whose ends are written as `with_dates` has them: a
        period that this set cuts stays cut."""
        begin, end = self.days
        if begin > days.ordinal(first, "from", last=False):
            first = self.first
        if 0 < end < days.ordinal(last, "to", last=True):
            last = self.last
        return self.with_dates(first, last)

    @property
    def name(self) -> str:
        """The set in a few words, for a chip: "Whig, 1841–1853", "“war”, from 1914"."""
        parts = [value.value for value in self.of_kind(Value)]
        named_in_front: tuple[type[Condition], ...] = (Value,)
        if self.first and self.last:
            is_one_day = self.first == self.last
            parts.append(self.first if is_one_day else f"{self.first}–{self.last}")
            named_in_front = (Value, DayLimit)
        for condition in self.conditions:
            if not isinstance(condition, named_in_front):
                parts.append(condition.short_sentence(self.all_documents))
        return ", ".join(parts) or "all documents"

    @property
    def sentence(self) -> str:
        """The set in words: "documents with “war”, from 1914, to 1918"."""
        sentences = [condition.sentence(self.all_documents) for condition in self.conditions]
        return "documents " + ", ".join(sentences) if sentences else "all documents"

    @cached_property
    def mask(self) -> np.ndarray | None:
        """bool[D], read-only; None for all documents."""
        if not self.has_conditions:
            return None
        return of_documents.get_or_set(("mask", *self.key), self._mask)

    @cached_property
    def numbers(self) -> np.ndarray | None:
        """int32, ascending, read-only: the documents of the set; None for all."""
        if not self.has_conditions:
            return None
        return of_documents.get_or_set(
            ("numbers", *self.key),
            lambda: conditions.matching_documents(self.conditions, self.all_documents),
        )

    @property
    def key(self) -> tuple:
        """What the set depends on: merging topics makes another one of it."""
        all_documents = self.all_documents
        beside = [condition.depends_on(all_documents) for condition in self.conditions]
        return (self.version.pk, *filter(None, beside), *self.parameters)

    def _mask(self) -> np.ndarray:
        mask = np.zeros(self.version.documents, bool)
        mask[self.numbers] = True
        mask.flags.writeable = False
        return mask

    @property
    def day_range(self) -> tuple[int, int]:
        """(a, b): the days a ... b - 1 that the documents may be of; those without a date are of
        the day 0."""
        return day_limits.day_range(self.of_kind(DayLimit))

    @property
    def is_only_days(self) -> bool:
        """Whether the set is all documents of `day_range`: nothing but days says which are in it."""
        return all(isinstance(condition, DayLimit) for condition in self.conditions)

    @cached_property
    def count(self) -> int:
        """How many documents the set has, 0 for an empty one."""
        if self.is_only_days:
            return document_days.count_documents(self.version, *self.day_range)
        assert self.numbers is not None
        return len(self.numbers)

    def group(self, group: np.ndarray) -> np.ndarray:
        """The groups of `Groups`, documents outside the set in none; these very groups where
        it is all."""
        return group if self.mask is None else np.where(self.mask, group, np.int32(-1))

    def in_groups(self, groups: Groups | None) -> tuple[np.ndarray | None, np.ndarray]:
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

    @property
    def counts_key(self) -> tuple:
        """What everything that is counted of a run's topics in these documents depends on."""
        return (*self.key, *self.view.topics_key)


def _version(corpus: Corpus, view: RunView | None) -> Version:
    """Whose documents a set has. Raises Invalid for a corpus that has none."""
    version = view.run.version if view else corpus.version
    if version is None:
        raise Invalid("corpus", f"“{corpus.name}” has not been read yet: it has no documents.")
    return version
