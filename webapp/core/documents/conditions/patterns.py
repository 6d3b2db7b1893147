"""?match= a pattern of words (inference.index.patterns) that occurs in the document; may be
repeated."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid, called
from webapp.core.documents import search
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort
from webapp.platform.accounts import embargo

MOST_PATTERNS = 3  # patterns of a set: each is a pass over texts


@dataclass(frozen=True)
class Pattern(Condition):
    """Documents in which a pattern of words occurs."""

    PARAMETERS = ("match",)
    EFFORT = Effort.TEXTS

    text: str

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        texts = [text for text in dict.fromkeys(query.getlist("match")) if text.strip()]
        if len(texts) > MOST_PATTERNS:
            raise Invalid("match", f"A set has at most {MOST_PATTERNS} patterns, got {len(texts)}.")
        for text in texts:
            with called({"pattern": "match"}):
                search.pattern(all_documents.corpus, text)
        if texts:
            embargo.refuse_order(all_documents.corpus, "match")
        return [cls(text) for text in texts]

    @property
    def parameter(self) -> tuple[str, str]:
        return "match", self.text

    def sentence(self, all_documents: AllDocuments) -> str:
        return f"where the pattern “{self.text}” occurs"

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        is_looked_at = np.ones(all_documents.version.documents, bool)
        if among is not None:
            is_looked_at[:] = False
            is_looked_at[among] = True
        return search.matching(all_documents.corpus, self.text, is_looked_at)
