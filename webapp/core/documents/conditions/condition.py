"""What every condition of a set of documents has. CONTRIBUTING.md says how to add one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import ClassVar, NamedTuple, Self

import numpy as np
from django.http import QueryDict

from inference.documents import numbers_of_mask
from webapp.core.results.view import RunView
from webapp.models import Corpus, Version


class AllDocuments(NamedTuple):
    """The documents of which a set has some. view: the run whose topics can be asked for; None for
    the documents of a corpus, apart from a run."""

    corpus: Corpus
    version: Version
    view: RunView | None

    @property
    def run_view(self) -> RunView:
        """`view` of the documents of a run."""
        assert self.view is not None, "documents of a corpus have no run"
        return self.view


class Effort(IntEnum):
    """What it takes to find the documents that meet a condition. A set begins with the least: the
    others are asked of the documents that are left."""

    INDEX = 1  # an index lists them
    COLUMN = 2  # a value of each document is looked at
    TEXTS = 3  # texts are read


class Condition(ABC):
    """One condition of a set, as one parameter of an address writes it. A subclass is a frozen
    dataclass: equal conditions are written once.

    PARAMETERS: the names that its parameter may have. FORM_FIELDS: names by which a form without
    JavaScript asks for it, too; one that ends in ":" begins the names of several fields. IN_FORM:
    the form of a set shows the condition in a field; those of other kinds it passes on unseen.
    """

    PARAMETERS: ClassVar[tuple[str, ...]]
    FORM_FIELDS: ClassVar[tuple[str, ...]] = ()
    EFFORT: ClassVar[Effort]
    IN_FORM: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        """The conditions of this kind that an address names, none where it names none. Raises
        Invalid, with a sentence, for what it can't read."""

    @property
    @abstractmethod
    def parameter(self) -> tuple[str, str]:
        """Its name and its value in an address, of which `read` makes the same condition."""

    @abstractmethod
    def sentence(self, all_documents: AllDocuments) -> str:
        """What it says of "documents": "with “war”"."""

    def short_sentence(self, all_documents: AllDocuments) -> str:
        """The same in a few words, for the chip of a set."""
        return self.sentence(all_documents)

    def depends_on(self, all_documents: AllDocuments) -> tuple[int | None, ...]:
        """What the documents that meet it depend on, beside its parameter: a part of the key under
        which they are cached."""
        return ()

    @abstractmethod
    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        """int32, ascending: the documents among some that meet it. among: int32, ascending, those
        that are left by other conditions; None for all documents."""

    @classmethod
    def find(
        cls, conditions: Sequence[Self], all_documents: AllDocuments, among: np.ndarray | None
    ) -> np.ndarray:
        """int32, ascending: the documents that meet all of a set's conditions of this kind, at
        least one. among: as `narrow` has it. A kind of which some conditions belong together, as
        the two ends of a period do, says here how."""
        numbers = among
        for condition in conditions:
            numbers = condition.narrow(all_documents, numbers)
        assert numbers is not None, "a set asks only for kinds of which it has a condition"
        return numbers


def passing(
    test: Callable[[np.ndarray | slice], np.ndarray], among: np.ndarray | None
) -> np.ndarray:
    """int32, ascending: the documents that pass a test. test: takes numbers of documents, or a slice
    of all of them, and returns which pass, bool. among: as `Condition.narrow` has it."""
    if among is None:
        return numbers_of_mask(test(slice(None)))
    return among[test(among)]
