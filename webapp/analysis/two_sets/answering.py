"""The answer to a question of two sets where documents are very many: a worker makes it, and it is
stored with the findings of the run."""

from dataclasses import dataclass

from inference.answers import QuestionFamily
from webapp.analysis.answers import set_answers
from webapp.analysis.answers.answer_jobs import (
    AnswerJob,
    Stored,
    pack_answers,
    perform,
    unpack_answers,
)
from webapp.analysis.answers.set_answers import TwoSetAnswers
from webapp.analysis.two_sets import compared_sets, contrasts, division
from webapp.analysis.two_sets.compared_sets import Side
from webapp.analysis.two_sets.contrasts import Constant
from webapp.analysis.two_sets.shapes import Answering
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.pages.not_yet import NotYet

TASK = "tasks.runs.answer"
METHOD = 4  # raised when the same question has another answer
# Topics of documents, in all, up to which a request answers (`python -m benchmarks.questions`): of
# two sets and of a value of a field in a quarter of a second, where all spans of time are looked
# through, once for a set, in three quarters
QUICK_DOCUMENT_TOPICS = 500_000
QUICK_OF_FIELD = 100_000
QUICK_OF_TIME = 100_000


@dataclass(frozen=True)
class TwoSides(AnswerJob[TwoSetAnswers]):
    """base: the documents of which both sides are parts. constant: "time" where it is held."""

    TASK = TASK
    METHOD = METHOD
    NAME = "answer"

    base: RunSelection
    first: Side
    second: Side
    constant: Constant = ""

    def answers_of_worker(self, asker: int | None) -> TwoSetAnswers | None:
        """None where a request can answer. asker: the user who asks. Raises Invalid as
        contrasts.compare does; NotYet where a worker has to answer first."""
        if self._is_quick:
            return None
        division.divide(self.base, self.first, self.second)  # what can't be compared is said
        answer = self.read_or_ask(asker)
        if answer is None:
            names = [self.first.name, self.second.name]
            raise NotYet(Answering(names, self.has_failed))
        return answer

    @property
    def _is_quick(self) -> bool:
        topics_of_documents = len(evidence.of(self.base.run).mixtures.doc_topics)
        return topics_of_documents <= self._quick_limit

    @property
    def _quick_limit(self) -> int:
        """Topics of documents, up to which a request answers."""
        if self.constant:
            return QUICK_OF_FIELD  # an estimate costs as much
        of_second = None if self.second.complement else self.second.documents
        if set_answers.is_of_time(self.base, self.first.documents, of_second):
            return QUICK_OF_TIME
        is_value = self.second.complement and self._compared(QuestionFamily.VALUE)
        return QUICK_OF_FIELD if is_value else QUICK_DOCUMENT_TOPICS

    @property
    def run(self) -> Run:
        """The run whose documents are compared."""
        return self.base.run

    @property
    def arguments(self) -> list:
        """What `compute` takes."""
        addresses = compared_sets.addresses_of(self.base, self.first, self.second)
        return [self.base.run.pk, addresses, self.second.complement, self.constant]

    def _compared(self, question_family: QuestionFamily) -> set[str]:
        """Fields whose values are compared, as webapp.analysis.answers.set_answers has them."""
        first = self.first.documents
        if question_family is QuestionFamily.SPAN:
            return set()
        if question_family is QuestionFamily.VALUE:
            names = {name for name, value in first.values if (name, value) not in self.base.values}
            ranges = [
                one_range for one_range in first.between if one_range not in self.base.between
            ]
            return names | {one_range.name for one_range in ranges}
        return {name for name, _ in [*first.values, *self.second.documents.values]}

    @property
    def depends(self) -> tuple:
        """The question, what topics are told, and who speaks."""
        version = self.base.version
        unit_keys = set[tuple]()
        for question_family in QuestionFamily:
            unit, _ = set_answers.unit_of(version, *sorted(self._compared(question_family)))
            unit_keys.add(unit.key)
        return (
            self.arguments[1:],
            self.base.view.labels.merges_key,
            set_answers.visible_topics(self.base.view),
            sorted(unit_keys),
        )

    def make(self) -> TwoSetAnswers:
        """By the one function that answers every page."""
        documents = division.divide(self.base, self.first, self.second)
        return contrasts.answer_of(self.base, self.first, self.second, documents, self.constant)

    def pack(self, answer: TwoSetAnswers) -> Stored:
        """Without its topics and unit, which are known where it is read."""
        data, arrays = pack_answers(answer.answers)
        return data | {
            "family": answer.question_family.value,
            "speakers_held": answer.speakers_held,
            "speakers_vary": answer.speakers_vary,
        }, arrays

    def unpack(self, stored_answer: Stored) -> TwoSetAnswers:
        """See `pack`."""
        data, _ = stored_answer
        question_family = QuestionFamily(data["family"])
        unit, _ = set_answers.unit_of(self.base.version, *sorted(self._compared(question_family)))
        answers = unpack_answers(stored_answer)
        topics = set_answers.visible_topics(self.base.view)
        return TwoSetAnswers(
            topics,
            answers,
            unit,
            question_family,
            data["speakers_held"],
            data["speakers_vary"],
        )


def compute(
    run_id: int, addresses: list[str], complement: bool, constant: Constant, asker: int | None
) -> None:
    """In a worker: answer and store."""

    def job_of(view: RunView) -> TwoSides:
        return TwoSides(*compared_sets.sides_of_addresses(view, addresses, complement), constant)

    perform(TASK, [run_id, addresses, complement, constant], asker, job_of)
