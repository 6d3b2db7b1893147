"""What is asked of a formula's effect, and the documents that it is asked of: which values are
compared, the rows of the regression, and what is held constant. Nothing is estimated here."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from inference import Invalid
from inference.answers import Obstacle
from inference.answers.held import ComparedSettings
from inference.effects import regression, support, time_curve
from inference.effects.design import Design, make_design
from webapp.analysis.effects import variables
from webapp.analysis.effects.formula import Formula
from webapp.analysis.effects.opening import comparable_values
from webapp.analysis.time import shares
from webapp.core.documents import corpus_unit, document_days, document_groups
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.intake.metadata.groups import PERIODS

MOST_STEPS = 1 << 32  # pairs of a document and a topic, times columns: some ten seconds
# Of counted words; by inference.effects.as_stm, with draws or without
Way = Literal["counted", "stm", "stm-fixed"]


class EffectQuestion(NamedTuple):
    """What the address asks for. first_setting, second_setting: values of the effect; first_group,
    second_group: values of what the effect may differ by; each "" where nothing is asked for."""

    formula: Formula
    first_setting: str = ""
    second_setting: str = ""
    first_group: str = ""
    second_group: str = ""
    estimate: Way = "counted"

    @property
    def counted(self) -> bool:
        """Whether shares are those of counted words, not drawn as stm draws them."""
        return self.estimate == "counted"


@dataclass(frozen=True)
class EffectModel:
    """A formula of a set's documents. constants: what the formula holds constant."""

    selection: RunSelection
    effect_question: EffectQuestion
    unit: corpus_unit.Unit
    effect: variables.Levels
    across: variables.Levels | None
    constants: list[variables.Levels]

    @cached_property
    def settings(self) -> tuple[int, int]:
        """Places of the first and the second setting among the levels of the effect; where none is
        asked for two that can be compared, as usual where no two can be."""
        asked = self.effect_question
        if not (asked.first_setting or asked.second_setting or self.across or self.on_a_line):
            pair = self._comparable_values
            if pair is not None:
                return pair
        return _two(
            self.effect,
            self._words,
            (self.effect_question.first_setting, self.effect_question.second_setting),
            ("a", "b"),
        )

    @cached_property
    def groups(self) -> tuple[int, int]:
        """The first and the second level of `across` that are compared; (0, 0) without one."""
        if self.across is None:
            return 0, 0
        return _two(
            self.across,
            self.across.words(self.known),
            (self.effect_question.first_group, self.effect_question.second_group),
            ("x", "y"),
        )

    @property
    def _comparable_values(self) -> tuple[int, int] | None:
        """Two values that many units have at the same times; None where there are none, and for
        periods, of which the first and the last are compared."""
        if self.effect.term.name in PERIODS:
            return None
        version = self.selection.version
        field = self.unit.field
        return comparable_values(
            self.effect.place,
            self.known,
            None if field is None else corpus_unit.codes(version, field),
            self._periods if self._dated is not None else None,
            len(self.effect.named),
        )

    @property
    def _dated(self) -> variables.Levels | None:
        """The date, where it is held constant."""
        return next(
            (levels for levels in self.constants if levels.term.name == variables.DATE), None
        )

    @property
    def _periods(self) -> np.ndarray:
        """int32[D]: the period of each document, of those that suit the texts; -1 for none."""
        by = document_groups.usual_grouping(self.selection.version)
        groups = document_groups.read_groups(
            self.selection.version, by if by in PERIODS else "year"
        )
        return groups.group

    @property
    def key(self) -> tuple:
        """All that estimates depend on, but their topics."""
        return (*self.selection.counts_key, self.effect_question, self.unit.key)

    @property
    def _words(self) -> np.ndarray:
        """float64[L]: words of the effect's levels; along a line of those where both groups speak.
        Raises Invalid for none."""
        words = self.effect.words(self.known)
        if self.across is None or not self.on_a_line:
            return words
        for group in self.groups:
            level_with_words = np.flatnonzero(
                self.effect.words(np.where(self.across.place == group, self.known, 0.0))
            )
            words[: level_with_words.min(initial=len(words))] = 0
            words[level_with_words.max(initial=-1) + 1 :] = 0
        if not words.any():
            first_label, second_label = (self.across.labels[group] for group in self.groups)
            no_common_values = f"“{first_label}” and “{second_label}” have no values of “{self.effect.term.name}” in common"
            raise Invalid("x", f"{no_common_values}. Choose other groups.")
        return words

    @cached_property
    def known(self) -> np.ndarray:
        """float64[D]: words of the documents that are in the regression."""
        return np.where(self.design.cell >= 0, self.weight, 0.0)

    @cached_property
    def weight(self) -> np.ndarray:
        """float64[D]: the words of each document of the set; as stm, 1 of each with words."""
        lengths = evidence.of(self.selection.run).lengths.astype(float)
        mask = self.selection.mask
        words = lengths if mask is None else np.where(mask, lengths, 0.0)
        return words if self.effect_question.counted else (words > 0).astype(float)

    @cached_property
    def design(self) -> Design:
        """The cells of the documents, and a row of the regression for each. Made once; raises
        Invalid for a formula that would take too long."""
        new_design = make_design(
            self.effect.variable(self.weight),
            self.across.variable(self.weight) if self.across else None,
            [levels.variable(self.weight) for levels in self.constants],
            self.weight,
        )
        if (
            len(evidence.of(self.selection.run).mixtures.doc_topics) * new_design.rows.shape[1]
            > MOST_STEPS
        ):
            raise Invalid(
                "formula",
                "This formula would take too long in so many documents. Take a field out.",
            )
        return new_design

    @property
    def documents(self) -> int:
        """How many documents are in the regression: those with words of which everything is
        known."""
        return int(np.count_nonzero(self.design.cell >= 0))

    @property
    def left_out(self) -> int:
        """Documents with words of which something is not known."""
        return int(np.count_nonzero(self.weight)) - self.documents

    @property
    def on_a_line(self) -> bool:
        """Whether the effect is of numbers or dates, along a line or a curve, and not of groups."""
        return self.effect.values is not None

    @property
    def unit_count(self) -> int:
        """How many units are in the regression, of those whose documents depend on each other."""
        if (field := self.unit.field) is None:
            return self.documents
        codes = corpus_unit.codes(self.selection.version, field)[self.design.cell >= 0]
        return len(np.unique(codes[codes >= 0])) + int(np.count_nonzero(codes < 0))

    @property
    def sides(self) -> list[RunSelection]:
        """The documents of both settings, or of both groups; along a line of numbers of all
        together."""
        levels, shown_levels = (
            (self.across, self.groups) if self.across else (self.effect, self.settings)
        )
        if levels.values is not None:
            return [
                self.selection.with_dates(levels.labels[i], levels.labels[i])
                for i in (shown_levels if levels.term.name == variables.DATE else ())
            ] or [self.selection]
        if (name := levels.term.name) in PERIODS:
            groups = document_groups.read_groups(self.selection.version, name)
            return [self.selection.within(groups, i) for i in shown_levels]
        return [
            self.selection.elsewhere(name).with_value(name, levels.labels[i]) for i in shown_levels
        ]

    def data(self, topics: list[int], as_one_topic: bool = False) -> regression.Data:
        """What a regression is of: the words of topics, or of all of them as one, in the documents
        of the design."""
        return shares.effect_data(
            self.selection.view, self.unit, self.design.cell, topics, as_one_topic
        )

    @property
    def rows(self) -> np.ndarray:
        """float64[2, P], the second setting and the first; float64[4, P] where groups are compared,
        those of the second group first."""
        groups = self.groups[::-1] if self.across else (0,)
        return np.stack(
            [self.design.setting(level, group) for group in groups for level in self.settings[::-1]]
        )

    @property
    def contrast(self) -> np.ndarray:
        """float64[P], of the difference."""
        rows = self.rows
        return rows[0] - rows[1] - (rows[2] - rows[3] if self.across else 0.0)

    @property
    def is_plain(self) -> bool:
        """Whether two values are compared, and nothing else: the question of the page that compares
        two sets."""
        return self.effect_question.counted and not (
            self.on_a_line or self.across or self.constants
        )

    def two_sides(self, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """bool[D]: the documents of the first setting, and of the second. cell: int32[D], the row
        of the design of each."""
        level = np.where(cell >= 0, self.design.effect[cell], -1)
        first, second = self.settings
        return level == first, level == second

    @cached_property
    def compared(self) -> ComparedSettings:
        """What is compared, and what is held constant."""
        fitted_design = self.design
        dated = any(levels.term.name == variables.DATE for levels in self.constants)
        time = document_days.read_days(self.selection.version).astype(float) if dated else None
        return ComparedSettings(fitted_design.rows, self.rows, self.side, fitted_design.held, time)

    @cached_property
    def side(self) -> np.ndarray | None:
        """int8[C]: the setting that a row of the design speaks of, -1 for none; None along a
        line."""
        fitted_design = self.design
        first, second = self.settings
        side = np.full(len(fitted_design.rows), -1, np.int8)
        if self.across:
            for side_number, group in enumerate(self.groups):
                cells_of_group = fitted_design.across == group
                if self.on_a_line:
                    side[cells_of_group] = side_number
                    continue
                side[cells_of_group & (fitted_design.effect == first)] = 2 * side_number
                side[cells_of_group & (fitted_design.effect == second)] = 2 * side_number + 1
            return side
        if self.on_a_line:
            return None
        side[fitted_design.effect == second] = 0
        side[fitted_design.effect == first] = 1
        return side

    @cached_property
    def has_support(self) -> np.ndarray:
        """bool[groups, levels]: whether a level of the effect, in a group of `across`, has
        documents where its share is estimated: at the usual values of what is held constant. Along
        a line it is asked of the group alone."""
        levels = len(self.effect.labels)
        groups = 1 if self.across is None else len(self.across.labels)
        told_levels = 1 if self.on_a_line else levels
        documents = np.flatnonzero(self.known > 0)
        cells = self.design.cell[documents]
        code = self.design.across[cells].astype(np.int64) * told_levels
        if not self.on_a_line:
            code += self.design.effect[cells]
        words = self.known[documents]
        supported = np.ones(groups * told_levels, bool)
        for constant in self.constants:
            part = constant.place[documents]
            if constant.values is not None:
                part = support.parts_of_line(constant.words(self.known))[part]
            part_with_documents = support.support_of_groups(code, part, words, len(supported))
            supported &= part_with_documents >= support.LEAST_SUPPORT
        return np.broadcast_to(supported.reshape(groups, told_levels), (groups, levels))

    @cached_property
    def settings_have_support(self) -> np.ndarray:
        """bool[2]: whether the shares of the first and the second setting can be told; of changes
        whether those of the first and the second group can."""
        first, second = self.settings
        if self.across is None:
            return self.has_support[0, [first, second]]
        of_groups = self.has_support[list(self.groups)]
        return of_groups[:, first] & of_groups[:, second]

    @property
    def levels_without_support(self) -> list[str]:
        """The values of the effect, or of what it may differ by, whose shares can't be told though
        they have documents."""
        if self.across is not None:
            groups = zip(self.groups, self.settings_have_support.tolist(), strict=True)
            return [self.across.labels[group] for group, is_told in groups if not is_told]
        if self.on_a_line:
            return []
        with_words = np.flatnonzero(self.effect.words(self.known))
        return [self.effect.labels[i] for i in with_words if not self.has_support[0, i]]

    @property
    def obstacle(self) -> Obstacle | None:
        """Why nothing can be concluded, where that is known before anything is estimated."""
        if self.across or self.side is None or self._overlap(self.side):
            return None
        return Obstacle.APART_IN_TIME

    def _overlap(self, side: np.ndarray) -> bool:
        """Whether the two sides speak at the same times, where the date is held constant."""
        if self._dated is None or not (side >= 0).any():
            return True
        periods = self._periods
        has_both = (self.design.cell >= 0) & (periods >= 0)
        return time_curve.overlap(
            self.weight[has_both], side[self.design.cell[has_both]], periods[has_both]
        )


def _two(
    levels: variables.Levels, words: np.ndarray, texts: tuple[str, str], letters: tuple[str, str]
) -> tuple[int, int]:
    """Levels that texts name; as usual of words, float64[L], where there is none. Raises
    Invalid."""
    first, second = (
        levels.setting(text, letter, words) if text else -1
        for text, letter in zip(texts, letters, strict=True)
    )
    usual = levels.usual(words)
    if first < 0:  # as usual, but not what the other is
        first = usual[0] if usual[0] != second else usual[1]
    if second < 0:
        second = usual[1] if usual[1] != first else usual[0]
    if first == second:
        raise Invalid(
            letters[1],
            f"Two different values of “{levels.term.name}” were expected, got"
            f" “{levels.labels[first]}” twice.",
        )
    return first, second
