"""A run as one request reads it. Queries are given this context; nothing is set on the model objects."""

from dataclasses import dataclass
from functools import cached_property

from webapp.models import Run
from webapp.results import labels
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
