"""The conditions of a set of documents: each kind is a class in a module of its own, which says how
an address writes it, how it is read, what it says, and which documents meet it."""

from collections.abc import Iterable, Sequence

import numpy as np
from django.http import QueryDict

from inference.runtime.arrays import frozen
from webapp.core.documents.conditions.condition import AllDocuments, Condition
from webapp.core.documents.conditions.day_limits import DayLimit
from webapp.core.documents.conditions.only import Only
from webapp.core.documents.conditions.patterns import Pattern
from webapp.core.documents.conditions.ranges import Range
from webapp.core.documents.conditions.search_words import Search
from webapp.core.documents.conditions.topic_share import HasTopic
from webapp.core.documents.conditions.values import Value

# In the order in which addresses and sentences have them: what is stored under a set's parameters
# (webapp.analysis.findings.stored) depends on it.
KINDS: tuple[type[Condition], ...] = (
    Search,
    DayLimit,
    HasTopic,
    Range,
    Value,
    Pattern,
    Only,
)


def read(query: QueryDict, all_documents: AllDocuments) -> list[Condition]:
    """All conditions that an address names. Raises Invalid, with a sentence, for what can't be
    understood."""
    return [condition for kind in KINDS for condition in kind.read(query, all_documents)]


def in_order(conditions: Iterable[Condition]) -> list[Condition]:
    """Each condition once, by the order of KINDS; those of one kind as they come."""
    return sorted(dict.fromkeys(conditions), key=lambda condition: KINDS.index(type(condition)))


def matching_documents(conditions: Sequence[Condition], all_documents: AllDocuments) -> np.ndarray:
    """int32, ascending, read-only: the documents that meet all of some conditions, at least one."""
    found = None
    for kind in sorted(KINDS, key=lambda kind: kind.EFFORT):
        of_kind = [condition for condition in conditions if isinstance(condition, kind)]
        if of_kind:
            found = kind.find(of_kind, all_documents, found)
    assert found is not None, "a set without conditions is all documents"
    return frozen(found, np.int32)
