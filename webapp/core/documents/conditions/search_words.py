"""?q= a search (inference.index.query): words, "a phrase", or, -without, AND OR NOT, parentheses,
begin*."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from django.http import QueryDict

from inference.index import LONGEST_QUERY
from inference.index.query import has_order
from webapp.core.documents import search
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort
from webapp.platform.accounts import embargo
from webapp.platform.typed_text import as_in_texts


@dataclass(frozen=True)
class Search(Condition):
    """Documents that a search finds; a set has one at most."""

    PARAMETERS = ("q",)
    EFFORT = Effort.INDEX
    IN_FORM = True

    text: str

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        text = as_in_texts(query.get("q", "")[: LONGEST_QUERY + 1])
        if not text:
            return []
        if has_order(search.open_index(all_documents.corpus).parse(text)):
            embargo.refuse_order(all_documents.corpus, "q")
        return [cls(text)]

    @property
    def parameter(self) -> tuple[str, str]:
        return "q", self.text

    def sentence(self, all_documents: AllDocuments) -> str:
        return f"with {self._quoted}"

    def short_sentence(self, all_documents: AllDocuments) -> str:
        return self._quoted

    @property
    def _quoted(self) -> str:
        """A search that has quotation marks of its own gets no others around it."""
        has_quotes = self.text.startswith("“") or '"' in self.text
        return self.text if has_quotes else f"“{self.text}”"

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        found = search.open_index(all_documents.corpus).find(self.text)
        # Others were added later
        found = found[: np.searchsorted(found, all_documents.version.documents)]
        return found if among is None else np.intersect1d(among, found, assume_unique=True)
