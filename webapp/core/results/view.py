"""A run as one request reads it. Queries are given this context; nothing is set on the model
objects."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from django.http import QueryDict

from webapp.core.results import family_tree, hidden_words, labels, measures
from webapp.core.results.family_tree import Home
from webapp.core.results.hidden_words import HiddenWords
from webapp.core.results.labels import Labels
from webapp.models import Run, Snapshot
from webapp.platform.drawing.colours import CHOSEN
from webapp.platform.pages.run_links import RunLinks, conditions


@dataclass(frozen=True, eq=False)
class RunView:
    """A run with what readers say of its topics, without the words that the address hides, and with
    links that carry the chosen set along.

    It lives as long as the request: `labels` are those that held when they were first asked for.
    chosen: the conditions of the address, for the links alone; webapp.core.documents.selection
    reads them.
    """

    run: Run
    hidden_words: HiddenWords = HiddenWords()
    chosen: tuple[tuple[str, str], ...] = ()

    @classmethod
    def for_page(cls, query: QueryDict, objects: Mapping[str, Any]) -> Self:
        """The run as the address of a page asks for it. objects: with `run`. Raises Invalid where
        it hides too many words."""
        return cls(objects["run"], hidden_words.read(query, objects["run"]), conditions(query))

    @property
    def go(self) -> RunLinks:
        """Makes links to the pages of the run."""
        return RunLinks(self.run.pk, self.chosen)

    @property
    def snapshot(self) -> Snapshot:
        """The topics that are shown; only for a run that has some."""
        assert self.run.snapshot is not None, f"run {self.run.pk} has no topics yet"
        return self.run.snapshot

    @cached_property
    def labels(self) -> Labels:
        """One query, at the first call."""
        return labels.read(self.run)

    @property
    def topics_key(self) -> tuple[int | None, bytes]:
        """What everything that is counted of topics depends on: the snapshot, and which topics are
        merged. Their names and colours don't matter."""
        return self.run.snapshot_id, self.labels.merges_key

    @cached_property
    def homes(self) -> list[Home]:
        """The family and the slot of each topic."""
        return family_tree.homes(self.run, self.labels)

    def hue(self, k: int) -> int:
        """The colour of a topic, as every page draws it: the reader's choice, else its family's."""
        chosen_colour = self.labels.chosen_colour(k)
        return self.homes[k].hue if chosen_colour is None else CHOSEN + chosen_colour

    @cached_property
    def used(self) -> np.ndarray:
        """bool[K]: topics that are in use. The others are on no list of topics; their numbers
        stay."""
        columns = measures.of(self.run)
        return columns["used"] > 0 if columns else np.ones(self.run.topics, bool)

    @property
    def topics(self) -> list[int]:
        """Numbers of the topics in use."""
        return np.flatnonzero(self.used).tolist()
