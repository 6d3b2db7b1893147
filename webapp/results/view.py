"""A run as one request reads it. Queries are given this context; nothing is set on the model objects."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from webapp.models import Run
from webapp.results import labels, measures
from webapp.results.hidden_words import HiddenWords
from webapp.results.labels import Labels


@dataclass(frozen=True, eq=False)
class RunView:
    """A run with what readers say of its topics, and without the words that the address hides.

    It lives as long as the request: `labels` are those that held when they were first asked for.
    """

    run: Run
    hidden_words: HiddenWords = HiddenWords()

    @cached_property
    def labels(self) -> Labels:
        """One query, at the first call."""
        return labels.read(self.run)

    @cached_property
    def used(self) -> np.ndarray:
        """bool[K]: topics that are in use. The others are on no list of topics; their numbers stay."""
        columns = measures.of(self.run)
        return columns["used"] > 0 if columns else np.ones(self.run.topics, bool)

    @property
    def topics(self) -> list[int]:
        """Numbers of the topics in use."""
        return np.flatnonzero(self.used).tolist()
