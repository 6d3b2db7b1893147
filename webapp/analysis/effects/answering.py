"""Estimates of a formula where documents are very many: a worker makes them, and they are stored
with the findings of the run."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from django.http import QueryDict

from webapp.analysis.answers import set_answers
from webapp.analysis.answers.answer_jobs import (
    AnswerJob,
    Stored,
    pack_answers,
    pack_tuple,
    perform,
    unpack_answers,
    unpack_tuple,
)
from webapp.analysis.effects import estimates, formula as formulas
from webapp.analysis.effects.estimates import Estimates, Regression
from webapp.analysis.effects.estimator import Along, EffectsTable
from webapp.analysis.effects.model import EffectQuestion, Way
from webapp.analysis.effects.shapes import Wider
from webapp.analysis.two_sets.shapes import Answering
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.pages.not_yet import NotYet

TASK = "tasks.runs.estimate"
# Topics of documents, in all, up to which a request estimates: a page has three estimates, of a
# tenth of a second each (`python -m benchmarks.questions`)
QUICK_DOCUMENT_TOPICS = 100_000
# Of what is stored, before the names of what a tuple has
OF_ALL = "all "
JOINT = "joint "
ALONG = "along "
ANSWERS = "answers"


@dataclass(frozen=True)
class EffectsJob(AnswerJob[Estimates]):
    """topics: that are shown along the effect."""

    TASK = TASK
    METHOD = 4
    NAME = "effects"

    regression: Regression
    topics: list[int]

    @property
    def run(self) -> Run:
        """The run whose documents are asked about."""
        return self.regression.selection.run

    @property
    def arguments(self) -> list:
        """All that `compute` takes, except the user."""
        address = self.regression.selection.address().removeprefix("?")
        question = self.regression.effect_question
        settings = list(question[1:-1])
        return [
            self.run.pk,
            address,
            str(question.formula),
            settings,
            question.estimate,
            self.topics,
        ]

    @property
    def depends(self) -> tuple:
        """The question, who speaks, and which topics are shown and told."""
        visible_topics = set_answers.visible_topics(self.regression.selection.view)
        return self.regression.key, self.topics, visible_topics

    def make(self) -> Estimates:
        """All that pages and files show."""
        table = self.regression.table()
        ends = self.regression.corrected_ends(table.topics, table.answers.level)
        along = joint = joint_ends = None
        if self.topics and table.answers.obstacle is None:
            along = self.regression.along(self.topics)
            if len(self.topics) > 1:
                joint = self.regression.together(self.topics)
                level = joint.answers.level
                joint_ends = self.regression.corrected_ends(self.topics, level, as_one_topic=True)
        return Estimates(table, ends, along, joint, joint_ends)

    def pack(self, answer: Estimates) -> Stored:
        """Divide the estimates into what JSON holds and arrays, as they are stored."""
        data, arrays = _pack_table(answer.table, OF_ALL)
        arrays["ends"] = answer.ends
        if answer.along is not None:
            data_along, arrays_along = pack_tuple(answer.along, ALONG)
            data |= data_along
            arrays |= arrays_along
        if answer.joint is not None and answer.joint_ends is not None:
            joint_data, joint_arrays = _pack_table(answer.joint, JOINT)
            data |= joint_data
            arrays |= joint_arrays
            arrays["joint_ends"] = answer.joint_ends
        return data, arrays

    def unpack(self, stored_answer: Stored) -> Estimates:
        """See `pack`."""
        data, arrays = stored_answer
        along = joint = None
        if ALONG + "labels" in data:
            along = Along(**unpack_tuple(stored_answer, Along._fields, ALONG))
        if "joint_ends" in arrays:
            joint = _unpack_table(stored_answer, JOINT)
        table = _unpack_table(stored_answer, OF_ALL)
        return Estimates(table, arrays["ends"], along, joint, arrays.get("joint_ends"))


def with_estimates(regression: Regression, topics: list[int], asker: int | None) -> Regression:
    """Give a regression its stored estimates where a request could not make them. topics: those
    that are shown along the effect. asker: the user who asks. Raises Invalid for what can't be
    estimated; NotYet where a worker has to estimate first."""
    if len(evidence.of(regression.selection.run).mixtures.doc_topics) <= QUICK_DOCUMENT_TOPICS:
        return regression
    settings = [regression.effect.labels[level] for level in regression.settings]
    job = EffectsJob(regression, topics)
    made_before = job.read_or_ask(asker)
    if made_before is None:
        raise NotYet(Answering(settings, job.has_failed))
    return replace(regression, stored=made_before, shown_topics=tuple(topics))


def compute(
    run_id: int,
    address: str,
    formula: str,
    settings: list[str],
    estimate: Way,
    topics: list[int],
    asker: int | None,
) -> None:
    """In a worker: estimate and store. settings: the four of EffectQuestion, in their
    order."""

    def job_of(view: RunView) -> EffectsJob:
        selection = Selection.read(QueryDict(address), view)
        first, second, group, other_group = settings
        question = EffectQuestion(
            formulas.read(formula), first, second, group, other_group, estimate
        )
        return EffectsJob(estimates.regression_of(selection, question), topics)

    perform(TASK, [run_id, address, formula, settings, estimate, topics], asker, job_of)


def _pack_table(table: EffectsTable, prefix: str) -> Stored:
    data, arrays = pack_tuple(table, prefix)
    answers = data.pop(prefix + ANSWERS)
    data_of_answers, arrays_of_answers = pack_answers(answers, f"{prefix}{ANSWERS} ")
    data[prefix + "wider"] = None if table.wider is None else asdict(table.wider)
    return data | data_of_answers, arrays | arrays_of_answers


def _unpack_table(stored_answer: Stored, prefix: str) -> EffectsTable:
    data, arrays = stored_answer
    answers = unpack_answers(stored_answer, f"{prefix}{ANSWERS} ")
    packed = data | {prefix + ANSWERS: answers}
    fields: dict[str, Any] = unpack_tuple((packed, arrays), EffectsTable._fields, prefix)
    wider = fields.pop("wider")
    return EffectsTable(**fields, wider=None if wider is None else Wider(**wider))
