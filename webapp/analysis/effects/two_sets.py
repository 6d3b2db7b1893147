"""Two sets of documents, as the page that compares two has them, as a claim that can be looked at
in the other runs of a corpus."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.http import QueryDict

from inference.effects import joint
from inference.effects.joint import Exchangeable
from inference.errors import Invalid
from webapp.analysis.answers import cautions
from webapp.analysis.answers.set_answers import TwoSetAnswers
from webapp.analysis.effects import time_names
from webapp.analysis.two_sets import answering, compared_sets, contrasts, division
from webapp.analysis.two_sets.compared_sets import Side
from webapp.analysis.two_sets.contrasts import Constant, Differences
from webapp.core.documents import corpus_unit
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence

MOST_NUMBERS = 250_000  # of units and topics of one run, that are exchanged
LEAST_UNITS = 200  # that are exchanged, however many topics there are


class Cells(NamedTuple):
    """cell: int32[D], 1 for a document of the first set, 0 for one of the second, -1 for others.
    held: float64[2, 1], of both only the constant is held."""

    cell: np.ndarray
    held: np.ndarray


@dataclass(frozen=True)
class TwoSets:
    """query: what the address says of both; selection: the documents of the page; base: those of
    which both sets are parts. against_rest: whether the second is all others. two_set_answers:
    those of the page that compares two, where they are known beforehand. constant: "time" where it
    is held."""

    query: QueryDict
    selection: RunSelection
    base: RunSelection
    first: Side
    second: Side
    against_rest: bool
    constant: Constant
    two_set_answers: TwoSetAnswers | None = None

    @cached_property
    def documents(self) -> division.Division:
        """Raises Invalid where a set has no documents, or both have one in common."""
        return division.divide(self.base, self.first, self.second)

    @cached_property
    def differences(self) -> Differences:
        """The answer of the page that compares two. Raises Invalid as `documents` does."""
        return contrasts.differences(
            self.base, self.first, self.second, self.documents, self.constant, self.two_set_answers
        )

    def known_to(self, asker: int | None) -> "TwoSets":
        """Give both sets their answer, or leave that to the request where it is quick. asker: the
        user who asks. Raises NotYet where a worker has to make it first."""
        question = answering.TwoSides(self.base, self.first, self.second, self.constant)
        return replace(self, two_set_answers=question.answers_of_worker(asker))

    @property
    def unit(self) -> corpus_unit.Unit:
        """Who is independent of whom."""
        return self.differences.unit

    @property
    def key(self) -> tuple:
        """All that answers depend on, but their topics."""
        return (
            *self.selection.counts_key,
            self.documents.key,
            self.against_rest,
            self.constant,
            self.unit.key,
        )

    def answers(self):
        """(topics, their answers), as Regression has them: side a is the second setting."""
        return self.differences.topics, self.differences.answers

    def in_run(self, selection: RunSelection) -> "TwoSets":
        """Ask the same question of another run. Raises Invalid where it can't be asked there."""
        same_question = of_address(self.query, selection, self.against_rest, self.constant)
        if same_question is None:
            raise Invalid("from_a", "This run has no such documents.")
        return same_question

    @cached_property
    def design(self) -> Cells:
        """A cell for each set: 1 for the first, 0 for the second, -1 for a document of neither.
        Made once."""
        side = division.side_of_documents(self.base, self.documents)
        return Cells(np.where(side >= 0, 1 - side, -1).astype(np.int32), np.ones((2, 1)))

    def exchangeable(self) -> tuple[Exchangeable | None, str]:
        """What can be exchanged between the sets, and why nothing can."""
        if self._is_chosen_by_dates:
            return None, (
                "One test of all runs together can compare groups, such as two parties, but not two"
                " periods."
            )
        if self.constant:
            return None, (
                "One test of all runs together can’t be made where only texts of the same time are"
                " compared."
            )
        field = self.unit.field
        cell = self.design.cell
        code = (
            np.full(len(cell), -1) if field is None else corpus_unit.codes(self.base.version, field)
        )
        most_units = max(MOST_NUMBERS // max(len(self.differences.topics), 1), LEAST_UNITS)
        lengths = evidence.of(self.selection.run).lengths.astype(float)
        units_on_sides = joint.exchangeable(code, cell.astype(np.int8), lengths, None, most_units)
        if units_on_sides is not None:
            return units_on_sides, ""
        plural = cautions.units_named(self.unit)
        return None, (
            f"Most {plural} have texts on both sides. All runs together can be tested only where"
            " few have."
        )

    @property
    def _is_chosen_by_dates(self) -> bool:
        """Whether a set is chosen by its dates: times can't be exchanged as groups are."""
        sets = (
            [self.first.documents]
            if self.second.complement
            else [self.first.documents, self.second.documents]
        )
        ends = (self.base.first, self.base.last)
        return any((selection.first, selection.last) != ends for selection in sets)

    def address(self, selection: RunSelection) -> str:
        """The query of both sets, within the documents of a page."""
        return urlencode([*selection.parameters, *self._said])

    @property
    def _said(self) -> list[tuple[str, str]]:
        """What an address says of both sets beyond the documents of the page."""
        pairs = [
            (name, value)
            for name in compared_sets.PARAMETERS_OF_SIDES
            for value in self.query.getlist(name)
            if value
        ]
        pairs += [("rest", "true")] if self.against_rest else []
        return pairs + ([("constant", self.constant)] if self.constant else [])


def of_address(
    query: QueryDict, selection: RunSelection, against_rest: bool, constant: Constant
) -> TwoSets | None:
    """None where an address says no two sets. Raises Invalid for what can't be understood."""
    sets = compared_sets.read_sides(query, selection, against_rest)
    if sets is None:
        return None
    base, first, second = sets
    first, second = time_names.name_by_time(query, base, first, second)
    return TwoSets(
        query=query,
        selection=selection,
        base=base,
        first=first,
        second=second,
        against_rest=against_rest,
        constant=constant,
    )
