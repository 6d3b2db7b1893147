"""?has=12:20, at least 20% of the document is topic 12 and what was merged into it; may be
repeated. A form without JavaScript can't join two fields into one: ?with=T12&least=20 is read,
too."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort
from webapp.core.results import evidence, topic_numbers
from webapp.models import Run

_PERCENT = regex.compile(r"\d{1,3}(?:\.\d{1,3})?", regex.ASCII)


@dataclass(frozen=True)
class HasTopic(Condition):
    """Documents of which at least so many per cent are a topic; with 0 those that have the topic.
    Documents of a corpus, apart from a run, have no topics: there the condition is not read."""

    PARAMETERS = ("has",)
    FORM_FIELDS = ("with", "least")
    EFFORT = Effort.INDEX

    topic: int
    percent: float

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        if all_documents.view is None:
            return []
        run = all_documents.view.run
        texts = [*query.getlist("has"), _joined(query, run)]
        return [cls(*_parse(text, run)) for text in texts if text]

    @property
    def parameter(self) -> tuple[str, str]:
        return "has", f"{self.topic}:{self.percent:g}"

    def sentence(self, all_documents: AllDocuments) -> str:
        title = all_documents.run_view.labels.title(self.topic)
        return f"with at least {self.percent:g}% {title}" if self.percent else f"with {title}"

    def depends_on(self, all_documents: AllDocuments) -> tuple[int | None, ...]:
        """The snapshot, and which topics are merged into this one."""
        view = all_documents.run_view
        return (view.run.snapshot_id, *view.labels.merged_topics(self.topic))

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        view = all_documents.run_view
        parts = view.labels.merged_topics(self.topic)
        topic_documents = evidence.of(view.run).topic_documents
        return topic_documents.at_least(parts, self.percent / 100, among)


def _parse(text: str, run: Run) -> tuple[int, float]:
    """ "12:20" -> (12, 20.0): a topic and the least percentage of a document that is the topic."""
    topic, _, percent = text.partition(":")
    is_percentage = _PERCENT.fullmatch(percent) and float(percent) <= 100
    if not (topic_numbers.is_written(topic) and is_percentage):
        raise Invalid(
            "has",
            "“has” in the address must be a topic and a percentage such as 12:20, got"
            f" “{text[:50]}”.",
        )
    return topic_numbers.read(topic, run, "has"), float(percent)


def _joined(query: QueryDict, run: Run) -> str:
    """Two fields of a form as `has`. Raises Invalid."""
    topic = query.get("with", "").strip()
    least = query.get("least", "").strip().removesuffix("%").strip()
    if not topic:
        return ""
    number = topic_numbers.read(topic, run, "with")
    if least and not _PERCENT.fullmatch(least):
        raise Invalid(
            "least", f"How much of a topic must be a percentage from 0 to 100, got “{least[:50]}”."
        )
    return f"{number}:{least or 0}"
