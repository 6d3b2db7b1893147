"""How much each topic's share depends on a formula's effect, as pages ask for it: what a worker has
stored, what was estimated a while ago, or estimated now."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inference import Invalid
from inference.answers import Answers
from inference.effects import regression
from webapp.analysis.answers import set_answers
from webapp.analysis.effects import variables
from webapp.analysis.effects.estimator import Along, EffectsTable, Estimator
from webapp.analysis.effects.formula import Term
from webapp.analysis.effects.model import EffectModel, EffectQuestion
from webapp.core.documents.selection import RunSelection
from webapp.platform.storage.cache import BoundedCache

FALSE_POSITIVE_RATE = 0.05  # p of one test of all runs, up to which a claim holds
_kept = BoundedCache(4 << 20)


class Estimates(NamedTuple):
    """What a worker has estimated. ends: float64[2, T], of the table's corrected differences. Of
    the topics that are shown along the effect: along, None where there are none; joint, these
    together, with joint_ends: float64[2, 1], None of less than two."""

    table: EffectsTable
    ends: np.ndarray
    along: Along | None
    joint: EffectsTable | None
    joint_ends: np.ndarray | None


@dataclass(frozen=True)
class Regression(EffectModel):
    """A question of effects with its answers. stored: its estimates, where a worker has made them;
    shown_topics: those that the worker estimated along the effect and together, of which alone
    `stored` can answer."""

    stored: Estimates | None = None
    shown_topics: tuple[int, ...] = ()

    @property
    def estimator(self) -> Estimator:
        """Made anew each time: kept here, the two would hold each other, and with them arrays of all
        documents until Python looks for what nobody reaches."""
        return Estimator(self)

    def estimated(self, data: regression.Data, level: float | None = None) -> Answers:
        """The answers for any texts that the data counts (Estimator.answer)."""
        return self.estimator.answer(data, level)

    def table(self) -> EffectsTable:
        """All topics that are neither merged nor hidden. Kept for a while."""
        if self.stored is not None:
            return self.stored.table
        topics = set_answers.visible_topics(self.selection.view)
        return _kept.get_or_set((self.key, tuple(topics)), lambda: self.estimator.table(topics))

    def answers(self) -> tuple[list[int], Answers]:
        """The topics of the table, with what every page says of them."""
        if self.stored is not None:
            return self.stored.table.topics, self.stored.table.answers
        topics = set_answers.visible_topics(self.selection.view)
        return topics, self.estimator.answer_topics(topics, as_one_topic=False)

    def in_run(self, selection: RunSelection) -> "Regression":
        """Ask the same question of another run's documents. Raises Invalid as `regression_of`
        does."""
        first, second = (self.effect.labels[i] for i in self.settings)
        asked_there = self.effect_question._replace(first_setting=first, second_setting=second)
        if self.across:
            first, second = (self.across.labels[i] for i in self.groups)
            asked_there = asked_there._replace(first_group=first, second_group=second)
        return regression_of(selection, asked_there)

    def together(self, topics: list[int]) -> EffectsTable:
        """Estimate topics that were chosen before looking as one: a table of one row."""
        if self.stored is not None and self.stored.joint is not None:
            self._check_shown(topics)
            return self.stored.joint
        return self.estimator.table(topics, as_one_topic=True)

    def along(self, topics: list[int]) -> Along:
        """See Estimator.along."""
        if self.stored is not None and self.stored.along is not None:
            self._check_shown(topics)
            return self.stored.along
        return self.estimator.along(topics)

    def corrected_ends(
        self, topics: list[int], level: float, as_one_topic: bool = False
    ) -> np.ndarray:
        """float64[2, T]: (low, high) of the differences corrected for reading, by the error and at
        the level of those that are counted; NaN where that can't be done. Kept for a while."""
        if as_one_topic:
            return self._joint_ends(topics, level)
        # Of all topics at once: of some alone the last digits would differ
        all_topics = self.table().topics
        if self.stored is not None:
            ends = self.stored.ends
        else:
            ends = _kept.get_or_set(
                ("corrected", self.key, tuple(all_topics), level),
                lambda: self.estimator.correction.ends(self.data(all_topics), level),
            )
        return ends[:, [all_topics.index(k) for k in topics]]

    def _joint_ends(self, topics: list[int], level: float) -> np.ndarray:
        if self.stored is not None and self.stored.joint_ends is not None:
            self._check_shown(topics)
            return self.stored.joint_ends
        return _kept.get_or_set(
            ("corrected together", self.key, tuple(topics), level),
            lambda: self.estimator.correction.ends(self.data(topics, as_one_topic=True), level),
        )

    def _check_shown(self, topics: list[int]) -> None:
        """Raises ValueError where what is stored is of other topics than those asked for."""
        if tuple(topics) != self.shown_topics:
            raise ValueError(f"stored are topics {self.shown_topics}, asked for were {topics}")


def regression_of(selection: RunSelection, effect_question: EffectQuestion) -> Regression:
    """Raises Invalid for a formula that this collection has no fields for, or settings that no
    document has."""
    version = selection.version
    formula = effect_question.formula
    effect = variables.of_term(
        version,
        formula.effect,
        [effect_question.first_setting, effect_question.second_setting],
    )
    across = (
        variables.of_term(
            version,
            Term(formula.across),
            [effect_question.first_group, effect_question.second_group],
            most_levels=2,
        )
        if formula.across
        else None
    )
    if across is not None and across.values is not None:
        raise Invalid(
            "formula",
            f"An effect can differ by the values of a category, not of “{formula.across}”.",
        )
    compared = [name for name in (formula.effect.name, formula.across) if name]
    unit, _ = set_answers.unit_of(version, *compared)
    return Regression(
        selection,
        effect_question,
        unit,
        effect,
        across,
        [variables.of_term(version, term, []) for term in formula.held],
    )
