"""Answers that would take a request too long: a worker makes each once, however many pages wait for
it, and it is stored with the findings of the run."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from inference.answers import Answers, Obstacle
from webapp.analysis.answers import rows
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.jobs import dispatch

STORED_OBSTACLE = "verdict"  # what an obstacle is called in stored answers, of older programs, too
DIGEST = 28  # bytes, of a key that names a stored answer

Stored = tuple[dict[str, Any], dict[str, np.ndarray]]  # numbers and names; arrays
AnswerType = TypeVar("AnswerType")


class AnswerJob(ABC, Generic[AnswerType]):
    """A question whose answer, an AnswerType, is stored. TASK: Celery's name of the worker's task, which takes
    `arguments` and who asks; METHOD: raised when the same question has another answer; NAME: of
    this kind of answer."""

    TASK: ClassVar[str]
    METHOD: ClassVar[int]
    NAME: ClassVar[str]

    @property
    @abstractmethod
    def run(self) -> Run:
        """Whose documents are asked about."""

    @property
    @abstractmethod
    def arguments(self) -> list:
        """What a worker is told: the run's number, then the question, all that JSON has."""

    @property
    @abstractmethod
    def depends(self) -> tuple:
        """All that the answer depends on beside the run's topics; its repr names the answer."""

    @abstractmethod
    def make(self) -> AnswerType:
        """In a worker. Raises Invalid for what can't be answered."""

    @abstractmethod
    def pack(self, answer: AnswerType) -> Stored:
        """The answer as it is stored."""

    @abstractmethod
    def unpack(self, stored_answer: Stored) -> AnswerType:
        """What `pack` gave."""

    def read(self) -> AnswerType | None:
        """None where nothing is stored."""
        stored_answer = rows.read_answer(self.run, self.stored_as, self.METHOD)
        return None if stored_answer is None else self.unpack(stored_answer)

    def read_or_ask(self, asker: int | None) -> AnswerType | None:
        """None while a worker makes it. asker: the user who asks."""
        answer = self.read()
        if answer is None:
            dispatch.ask(self.TASK, self.arguments, asker)
        return answer

    def advance(self, done: float) -> None:
        """So much of it is made, from 0 to 1."""
        dispatch.advance(self.TASK, self.arguments, done)

    @property
    def progress(self) -> float:
        """How much of it is made, from 0 to 1."""
        return dispatch.progress(self.TASK, self.arguments)

    @property
    def has_failed(self) -> bool:
        """Whether the last try came to nothing, so that the next one waits."""
        return dispatch.has_failed(self.TASK, self.arguments)

    def store(self, answer: AnswerType) -> None:
        data, arrays = self.pack(answer)
        rows.keep_answer(self.run, self.stored_as, method=self.METHOD, data=data, arrays=arrays)

    @property
    def stored_as(self) -> str:
        """Names the answer among those of the run's topics."""
        digest = blake2b(repr(self.depends).encode(), digest_size=DIGEST).hexdigest()
        return f"{self.NAME} {digest}"


def perform(
    task: str,
    arguments: list,
    asker: int | None,
    job_of: Callable[[RunView], AnswerJob[AnswerType]],
) -> None:
    """In a worker: make the answer and store it, unless it is stored already, or the run is not
    there any more. arguments: as AnswerJob has them. asker: the user who asked."""
    with dispatch.at_work(task, arguments, asker):
        run = rows.trained(arguments[0])
        if run is None:
            return
        job = job_of(RunView(run))
        if job.read() is None:
            job.store(job.make())


def pack_tuple(row: Any, prefix: str = "") -> Stored:
    """A NamedTuple of arrays and of what JSON has. prefix: of the names of its fields."""
    data: dict[str, Any] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, value in row._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[prefix + name] = value
        else:
            data[prefix + name] = value
    return data, arrays


def unpack_tuple(stored_answer: Stored, fields: tuple[str, ...], prefix: str = "") -> dict:
    """The fields of what `pack_tuple` took."""
    data, arrays = stored_answer
    packed = data | arrays
    return {name: packed[prefix + name] for name in fields}


def pack_answers(answers: Answers, prefix: str = "") -> Stored:
    """Answers as they are stored."""
    data, arrays = pack_tuple(answers, prefix)
    obstacle = data.pop(f"{prefix}obstacle")
    return data | {f"{prefix}{STORED_OBSTACLE}": pack_obstacle(obstacle)}, arrays


def unpack_answers(stored_answer: Stored, prefix: str = "") -> Answers:
    """Answers that `pack_answers` took."""
    data, arrays = stored_answer
    obstacle = read_obstacle(data[f"{prefix}{STORED_OBSTACLE}"])
    packed = (data | {f"{prefix}obstacle": obstacle}, arrays)
    answers = Answers(**unpack_tuple(packed, Answers._fields, prefix))
    units_of_a, units_of_b = answers.units
    return answers._replace(units=(units_of_a, units_of_b))


def pack_obstacle(obstacle: Obstacle | None) -> str:
    """ "" for none: so it is stored."""
    return "" if obstacle is None else obstacle.value


def read_obstacle(stored_text: str) -> Obstacle | None:
    """What `pack_obstacle` gave."""
    return Obstacle(stored_text) if stored_text else None
