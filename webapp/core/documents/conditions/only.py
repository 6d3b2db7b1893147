"""?only= wordless, same, near or repeated: what the corpus's page counts; or file:7, what came of an uploaded
file; may be repeated."""

from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
import regex
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort, passing
from webapp.core.results import evidence
from webapp.intake.ingest import repeats, sources

SENTENCES = {
    "wordless": "without a word that counts",
    "same": "the same as an earlier one",
    "near": "nearly the same as an earlier one",
    "repeated": "the same as an earlier one, or nearly",
}
_FILE = regex.compile(r"file:\d{1,9}", regex.ASCII)


@dataclass(frozen=True)
class Only(Condition):
    """Documents of which reading found something. what: a key of SENTENCES, or a file."""

    PARAMETERS = ("only",)
    EFFORT = Effort.COLUMN

    what: str

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        names = [name for name in query.getlist("only") if name]
        for name in names:
            if name not in SENTENCES:
                sources.documents(all_documents.version, _file_position(name))
        return [cls(name) for name in names]

    @property
    def parameter(self) -> tuple[str, str]:
        return "only", self.what

    def sentence(self, all_documents: AllDocuments) -> str:
        if self.what in SENTENCES:
            return SENTENCES[self.what]
        name, *_ = sources.documents(all_documents.version, _file_position(self.what))
        return f"of the file “{name}”"

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        version = all_documents.version
        if self.what == "wordless":
            test = partial(_has_no_words, evidence.bow(version.pk).indptr)
        elif self.what in SENTENCES:
            test = partial(_is_marked, repeats.repeating(version, self.what))
        else:
            _, first, end = sources.documents(version, _file_position(self.what))
            test = partial(_is_of_file, np.arange(version.documents), first, end)
        return passing(test, among)


def _has_no_words(indptr: np.ndarray, documents: np.ndarray | slice) -> np.ndarray:
    return indptr[1:][documents] == indptr[:-1][documents]


def _is_marked(marks: np.ndarray, documents: np.ndarray | slice) -> np.ndarray:
    return marks[documents]


def _is_of_file(
    numbers: np.ndarray, first: int, end: int, documents: np.ndarray | slice
) -> np.ndarray:
    return (numbers[documents] >= first) & (numbers[documents] < end)


def _file_position(text: str) -> int:
    """The position of a file: "file:7" -> 7."""
    if not _FILE.fullmatch(text):
        raise Invalid(
            "only",
            f"“only” in the address must be {', '.join(SENTENCES)}, or a file such as file:7; got"
            f" “{text[:50]}”.",
        )
    return int(text.removeprefix("file:"))
