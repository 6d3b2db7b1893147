"""The answer to a question of two sets where documents are very many: a worker makes it, and it is
stored with the findings of the run."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from inference.answers import Answers, Family
from webapp.analysis.answers import asked
from webapp.analysis.answers.asked import Answered
from webapp.analysis.findings import stored
from webapp.analysis.time import contrasts
from webapp.analysis.time.contrasts import Constant, Side
from webapp.analysis.time.shapes import Answering
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.platform.jobs import dispatch

TASK = "tasks.runs.answer"
METHOD = 2  # raised when the same question has another answer
DIGEST = 28  # bytes, of a key that names a stored answer
# Topics of documents, in all, up to which a request answers (`python -m benchmarks.questions`): of
# two sets in a quarter of a second; where all spans of time are looked through, in some seconds
QUICK = 1_000_000
QUICK_OF_TIME = 200_000


@dataclass
class NotYet(Exception):
    """A worker answers, or is to."""

    page: Answering


@dataclass(frozen=True)
class TwoSides:
    """base: the documents of which both sides are parts. constant: "time" where it is held."""

    base: RunSelection
    first: Side
    second: Side
    constant: Constant = ""

    def answered(self, by: int | None) -> Answered | None:
        """None where a request can answer. by: the user who asks. Raises Invalid as
        contrasts.compare does; NotYet where a worker has to answer first."""
        if self._is_quick:
            return None
        contrasts.divided(self.base, self.first, self.second)  # what can't be compared is said
        stored_answer = self.read()
        if stored_answer is None:
            dispatch.ask(TASK, self._task, by)
            raise NotYet(Answering([self.first.name, self.second.name]))
        return stored_answer

    @property
    def _is_quick(self) -> bool:
        of_second = None if self.second.complement else self.second.documents
        is_of_time = not self.constant and asked.is_of_time(
            self.base, self.first.documents, of_second
        )
        topics_of_documents = len(evidence.of(self.base.run).doc_topics)
        return topics_of_documents <= (QUICK_OF_TIME if is_of_time else QUICK)

    @property
    def _task(self) -> list:
        addresses = contrasts.addresses_of(self.base, self.first, self.second)
        return [self.base.run.pk, addresses, self.second.complement, self.constant]

    def _compared(self, family: Family) -> set[str]:
        """Fields whose values are compared, as webapp.analysis.answers.asked has them."""
        first = self.first.documents
        if family is Family.SPAN:
            return set()
        if family is Family.VALUE:
            names = {name for name, value in first.values if (name, value) not in self.base.values}
            ranges = [
                one_range for one_range in first.between if one_range not in self.base.between
            ]
            return names | {one_range.name for one_range in ranges}
        return {name for name, _ in [*first.values, *self.second.documents.values]}

    @property
    def _stored_as(self) -> str:
        """Names the answer: all that it depends on beside the snapshot."""
        version = self.base.version
        units_said = set[str]()
        for family in Family:
            unit, _ = asked.unit_of(version, *sorted(self._compared(family)))
            units_said.add(unit.said)
        depends = (
            self._task[1:],
            self.base.view.labels.into.tobytes(),
            asked.told_topics(self.base.view),
            sorted(units_said),
        )
        return f"answer {blake2b(repr(depends).encode(), digest_size=DIGEST).hexdigest()}"

    def read(self) -> Answered | None:
        """What a worker stored; None where nothing is."""
        stored_answer = stored.read_answer(self.base.run, self._stored_as, METHOD)
        if stored_answer is None:
            return None
        scalars, arrays = stored_answer
        scalars["units"] = tuple(scalars["units"])
        speakers_held = scalars.pop("speakers_held")
        family = Family(scalars.pop("family"))
        unit, _ = asked.unit_of(self.base.version, *sorted(self._compared(family)))
        answers = Answers(**scalars | arrays)
        topics = asked.told_topics(self.base.view)
        return Answered(topics, answers, unit, family, speakers_held)

    def store(self) -> None:
        """In a worker."""
        documents = contrasts.divided(self.base, self.first, self.second)
        answered = contrasts.answer_of(self.base, self.first, self.second, documents, self.constant)
        arrays: dict[str, Any] = {}
        scalars: dict[str, Any] = {}
        for name, value in answered.found._asdict().items():
            if isinstance(value, np.ndarray):
                arrays[name] = value
            else:
                scalars[name] = value
        scalars |= {"family": answered.family.value, "speakers_held": answered.speakers_held}
        stored.keep_answer(
            self.base.run, self._stored_as, method=METHOD, data=scalars, arrays=arrays
        )


def compute(
    run_id: int, addresses: list[str], complement: bool, constant: Constant, by: int | None
) -> None:
    """In a worker: answer and store, unless that is stored already, or the run is not there any
    more."""
    task = [run_id, addresses, complement, constant]
    try:
        run = stored.trained(run_id)
        if run is None:
            return
        base, first, second = contrasts.sides_of_addresses(RunView(run), addresses, complement)
        sides = TwoSides(base, first, second, constant)
        if sides.read() is None:
            sides.store()
    finally:
        dispatch.answered(TASK, task, by)
