"""How much each topic's share depends on a formula's effect: estimates of all topics, and of one
along the effect."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from inference import Bow, Invalid, Topics, answers as estimator
from inference.answers import Answers, Verdict, question
from inference.answers.held import Settings, answer_held
from inference.effects import as_stm, corrected as corrections, regression, time_curve
from inference.effects.design import Design, make_design
from inference.effects.unit_documents import LEVEL
from webapp.analysis.answers import set_answers
from webapp.analysis.effects import variables
from webapp.analysis.effects.formula import Formula, Term
from webapp.analysis.effects.shapes import Wider
from webapp.analysis.time import shares
from webapp.core.documents import fields, units
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, weights
from webapp.core.results.priors import priors
from webapp.platform.storage.cache import BoundedCache

FALSE_POSITIVE_RATE = 0.05  # p of one test of all runs, up to which a claim holds
LOOKED_AT = 20  # topics
WIDER = 1.25  # times, from which on it is said
POINTS = 21  # along a line
ROWS = 8  # settings at a time
MOST_STEPS = 1 << 32  # pairs of a document and a topic, times columns: some ten seconds
_kept = BoundedCache(4 << 20)
Order = Literal["difference", "ratio", "number"]
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
        return self.estimate == "counted"


class EffectsTable(NamedTuple):
    """What is estimated of T topics. answers: side a is the second setting, b the first; where the
    effect may differ by group how the share changes in the second, and in the first. value, low,
    high: float64[T, 2], of the first and of the second. corrected: float64[T], the difference
    corrected for reading. wider: where nobody has said who speaks."""

    topics: list[int]
    answers: Answers
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    corrected: np.ndarray
    wider: Wider | None

    @property
    def named(self) -> np.ndarray:
        """bool[T]: beyond chance, exactly where the intervals exclude no difference."""
        return self.answers.accepted

    @property
    def p(self) -> np.ndarray:
        """float64[T]: 1 where nothing can be said."""
        return np.where(np.isnan(self.answers.p), 1.0, self.answers.p)

    def order(self, by: Order) -> list[int]:
        """Rows, those first that are named."""
        if by == "number":
            return list(range(len(self.topics)))
        size = np.abs(self.answers.difference)
        if by == "ratio":
            first, second = np.maximum(np.abs(self.value.T), 1e-6)
            size = np.abs(np.log(first / second))
        return np.lexsort((-size, ~self.named)).tolist()


class Along(NamedTuple):
    """labels, words: of L levels; share, low, high: float64[G, L], NaN where nothing is known."""

    labels: list[str]
    words: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


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
class Regression:
    """A formula of a set's documents. constants: what the formula holds constant. stored: its
    estimates, where a worker has made them; shown_topics: those that the worker estimated along the
    effect and together, of which alone `stored` can answer."""

    selection: RunSelection
    effect_question: EffectQuestion
    unit: units.Unit
    effect: variables.Levels
    across: variables.Levels | None
    constants: list[variables.Levels]
    stored: Estimates | None = None
    shown_topics: tuple[int, ...] = ()

    @cached_property
    def settings(self) -> tuple[int, int]:
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
            self.across.words(self._known),
            (self.effect_question.first_group, self.effect_question.second_group),
            ("x", "y"),
        )

    @property
    def key(self) -> tuple:
        """All that estimates depend on, but their topics."""
        view = self.selection.view
        return (
            *self.selection.key,
            view.run.snapshot_id,
            view.labels.into.tobytes(),
            self.effect_question,
            self.unit.key,
        )

    @property
    def _words(self) -> np.ndarray:
        """float64[L]: words of the effect's levels; along a line of those where both groups speak.
        Raises Invalid for none."""
        words = self.effect.words(self._known)
        if self.across is None or not self.on_a_line:
            return words
        for group in self.groups:
            level_with_words = np.flatnonzero(
                self.effect.words(np.where(self.across.place == group, self._known, 0.0))
            )
            words[: level_with_words.min(initial=len(words))] = 0
            words[level_with_words.max(initial=-1) + 1 :] = 0
        if not words.any():
            first_label, second_label = (self.across.labels[group] for group in self.groups)
            no_common_values = f"“{first_label}” and “{second_label}” have no values of “{self.effect.term.name}” in common"
            raise Invalid("x", f"{no_common_values}. Choose other groups.")
        return words

    @cached_property
    def _known(self) -> np.ndarray:
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
        new_design = make_design(
            self.effect.variable(self.weight),
            self.across.variable(self.weight) if self.across else None,
            [levels.variable(self.weight) for levels in self.constants],
            self.weight,
        )
        if len(evidence.of(self.selection.run).doc_topics) * new_design.rows.shape[1] > MOST_STEPS:
            raise Invalid(
                "formula",
                "This formula would take too long in so many documents. Take a field out.",
            )
        return new_design

    @property
    def documents(self) -> int:
        return int(np.count_nonzero(self.design.cell >= 0))

    @property
    def left_out(self) -> int:
        """Documents with words of which something is not known."""
        return int(np.count_nonzero(self.weight)) - self.documents

    @property
    def on_a_line(self) -> bool:
        return self.effect.values is not None

    @property
    def unit_count(self) -> int:
        """How many units are in the regression, of those whose documents depend on each other."""
        if (field := self.unit.field) is None:
            return self.documents
        codes = units.codes(self.selection.version, field)[self.design.cell >= 0]
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
                self.selection.changed(span=(levels.labels[i], levels.labels[i]))
                for i in (shown_levels if levels.term.name == variables.DATE else ())
            ] or [self.selection]
        if (name := levels.term.name) in fields.PERIODS:
            groups = fields.groups(self.selection.version, name)
            return [self.selection.within(groups, i) for i in shown_levels]
        return [
            self.selection.elsewhere(name).with_value(name, levels.labels[i]) for i in shown_levels
        ]

    def data(self, topics: list[int], as_one_topic: bool = False) -> regression.Data:
        return shares.effect_data(
            self.selection.view, self.unit, self.design.cell, topics, as_one_topic
        )

    def fit(self, data: regression.Data, rows: np.ndarray, contrast: np.ndarray) -> regression.Fit:
        if self.effect_question.counted:
            return regression.fit(data, rows, contrast)
        return as_stm.fit(
            data,
            priors(self.selection.run).alpha,
            rows,
            contrast,
            as_stm.DRAWS if self.effect_question.estimate == "stm" else 0,
        )

    @property
    def _rows(self) -> np.ndarray:
        """float64[2, P], the second setting and the first; float64[4, P] where groups are compared,
        those of the second group first."""
        groups = self.groups[::-1] if self.across else (0,)
        return np.stack(
            [self.design.setting(level, group) for group in groups for level in self.settings[::-1]]
        )

    @property
    def contrast(self) -> np.ndarray:
        """float64[P], of the difference."""
        rows = self._rows
        return rows[0] - rows[1] - (rows[2] - rows[3] if self.across else 0.0)

    def corrected_differences(self, data: regression.Data) -> np.ndarray:
        """float64[T]: the differences, corrected for reading; NaN where that can't be done, and as
        stm."""
        correction = (
            corrections.effect(data, *self._read, self.design.rows, self.contrast)
            if self.effect_question.counted
            else None
        )
        return np.full(data.T, np.nan) if correction is None else correction

    @cached_property
    def _read(self) -> tuple[Bow, Topics]:
        run = self.selection.run
        assert run.snapshot is not None  # of a run that is done
        return evidence.of(run).bow, weights.topics(run.snapshot)

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
                lambda: self._corrected_ends(self.data(all_topics), level),
            )
        return ends[:, [all_topics.index(k) for k in topics]]

    def _joint_ends(self, topics: list[int], level: float) -> np.ndarray:
        if self.stored is not None and self.stored.joint_ends is not None:
            self._check_shown(topics)
            return self.stored.joint_ends
        return _kept.get_or_set(
            ("corrected together", self.key, tuple(topics), level),
            lambda: self._corrected_ends(self.data(topics, as_one_topic=True), level),
        )

    def _corrected_ends(self, counted_data: regression.Data, level: float) -> np.ndarray:
        data = (
            corrections.documents(counted_data, *self._read)
            if self.effect_question.counted
            else None
        )
        if data is None:
            return np.full((2, counted_data.T), np.nan)
        answer_of_held = answer_held(
            data, self._fitted_settings, self._verdict, regression.fit, level
        )
        return np.stack([answer_of_held.low, answer_of_held.high])

    def estimated(self, data: regression.Data, level: float | None = None) -> Answers:
        """Answer the question for any texts that the data counts. Side a of the answers is the
        second setting, or how the share changes in the second group; side b is the first. level: of
        the intervals, or None for what the data's topics give."""
        if self._plain:
            unit = np.empty(len(data.cell), np.int64)
            unit[data.units.order] = np.repeat(np.arange(data.units.U), np.diff(data.units.starts))
            count_arrays = data.doc_ptr, data.doc_topics, data.doc_tokens, data.lengths, data.into
            outcome = estimator.CountedTopics(*count_arrays, data.T)
            first, second = self._two_sides(data.cell)
            of_sides = question.of_two_sets(second, first, unit)
            return estimator.answer(outcome, of_sides, level=level)
        return answer_held(
            data,
            self._fitted_settings,
            self._verdict,
            self.fit,
            level,
            exchanges=self.effect_question.counted,
        )

    @property
    def _plain(self) -> bool:
        """Whether two values are compared, and nothing else: the question of the page that compares
        two sets."""
        return self.effect_question.counted and not (
            self.on_a_line or self.across or self.constants
        )

    def _two_sides(self, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """bool[D]: the documents of the first setting, and of the second. cell: int32[D], the row
        of the design of each."""
        level = np.where(cell >= 0, self.design.effect[cell], -1)
        first, second = self.settings
        return level == first, level == second

    @cached_property
    def _fitted_settings(self) -> Settings:
        """What is compared, and what is held constant."""
        fitted_design = self.design
        dated = any(levels.term.name == variables.DATE for levels in self.constants)
        time = fields.dates(self.selection.version).astype(float) if dated else None
        return Settings(fitted_design.rows, self._rows, self._side, fitted_design.held, time)

    @cached_property
    def _side(self) -> np.ndarray | None:
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

    @property
    def _verdict(self) -> Verdict:
        """Why nothing can be concluded, where that is known before anything is estimated."""
        if self.across or self._side is None or self._overlap(self._side):
            return ""
        return "apart in time"

    def _overlap(self, side: np.ndarray) -> bool:
        """Whether the two sides speak at the same times, where the date is held constant."""
        dated = next(
            (levels for levels in self.constants if levels.term.name == variables.DATE), None
        )
        if dated is None or not (side >= 0).any():
            return True
        by = fields.usual(self.selection.version)
        groups = fields.groups(self.selection.version, by if by in fields.PERIODS else "year")
        has_both = (self.design.cell >= 0) & (groups.group >= 0)
        return time_curve.overlap(
            self.weight[has_both], side[self.design.cell[has_both]], groups.group[has_both]
        )

    def table(self) -> EffectsTable:
        """All topics that are neither merged nor hidden. Kept for a while."""
        if self.stored is not None:
            return self.stored.table
        topics = set_answers.visible_topics(self.selection.view)
        return _kept.get_or_set((self.key, tuple(topics)), lambda: self._table(topics))

    def answers(self) -> tuple[list[int], Answers]:
        """The topics of the table, with what every page says of them."""
        if self.stored is not None:
            return self.stored.table.topics, self.stored.table.answers
        topics = set_answers.visible_topics(self.selection.view)
        return topics, self._answered(topics, as_one_topic=False)

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
        return self._table(topics, as_one_topic=True)

    def _check_shown(self, topics: list[int]) -> None:
        """Raises ValueError where what is stored is of other topics than those asked for."""
        if tuple(topics) != self.shown_topics:
            raise ValueError(f"stored are topics {self.shown_topics}, asked for were {topics}")

    def _table(self, topics: list[int], as_one_topic: bool = False) -> EffectsTable:
        answers = self._answered(topics, as_one_topic)
        low, high = zip(answers.ends(1), answers.ends(0), strict=True)
        value = np.stack([answers.b, answers.a], axis=1)
        if self.across is None:
            value = np.clip(value, 0.0, 1.0)
        else:
            low, high = _ends_of_changes(answers)
        return EffectsTable(
            topics=topics,
            answers=answers,
            value=value,
            low=np.stack(low, axis=1),
            high=np.stack(high, axis=1),
            corrected=self.corrected_differences(self.data(topics, as_one_topic)),
            wider=None if as_one_topic else self._wider(topics, answers.error**2),
        )

    def _answered(self, topics: list[int], as_one_topic: bool) -> Answers:
        """By the one function that answers every page."""
        if self._plain and not as_one_topic:
            first, second = self.sides
            sides = self._two_sides(self.design.cell)[::-1]
            return set_answers.of_sides(self.selection, second, first, sides).answers
        key = (*self.key, tuple(topics), as_one_topic)
        if self._plain:
            return self.estimated(self.data(topics, as_one_topic))
        return set_answers.with_held(
            key,
            lambda: self.data(topics, as_one_topic),
            self._fitted_settings,
            self._verdict,
            self.fit,
            exchanges=self.effect_question.counted,
        )

    def _wider(self, visible_topics: list[int], variance: np.ndarray) -> Wider | None:
        """None where somebody has said who speaks, or documents of one speaker are hardly more
        alike than others. variance: float64[T], of the differences of these topics where documents
        are independent."""
        version = self.selection.version
        if self.unit.certainty != "none" or not visible_topics:
            return None
        sample_slice = slice(None, None, len(visible_topics) // LOOKED_AT + 1)
        compared = (self.effect_question.formula.effect.name, self.effect_question.formula.across)
        wider_intervals = list[Wider]()
        for field in units.possible(version)[:3]:
            if field.name not in compared:
                data = shares.effect_data(
                    self.selection.view,
                    units.Unit(field, ""),
                    self.design.cell,
                    visible_topics[sample_slice],
                )
                fit = self.fit(data, self.design.rows, self.contrast[None])
                larger_variance = np.maximum(fit.variance[0], fit.pooled[0])
                wider_intervals.append(
                    Wider(
                        field.name,
                        float(
                            np.sqrt(
                                np.median(
                                    larger_variance / np.maximum(variance[sample_slice], 1e-300)
                                )
                            )
                        ),
                    )
                )
        return max(
            (wider for wider in wider_intervals if wider.times > WIDER),
            key=lambda wider: wider.times,
            default=None,
        )

    def along(self, topics: list[int]) -> Along:
        """The expected share of one topic, or of several together, at each level of the effect, or
        at POINTS along it, in each group."""
        if self.stored is not None and self.stored.along is not None:
            self._check_shown(topics)
            return self.stored.along
        fitted_design = self.design
        words = self.effect.words(self._known)
        with_words = np.flatnonzero(words)
        if self.on_a_line:
            evenly = np.linspace(with_words[0], with_words[-1], POINTS)
            levels = np.unique(evenly.astype(int))
            words = np.add.reduceat(words, levels)
        else:
            levels = with_words
            words = words[levels]
        groups = self.groups if self.across else (0,)
        rows = np.stack(
            [fitted_design.setting(int(level), group) for group in groups for level in levels]
        )
        data = self.data(topics, as_one_topic=True)
        fits = [
            self.fit(data, fitted_design.rows, rows[first : first + ROWS])
            for first in range(0, len(rows), ROWS)
        ]
        ends = [regression.reach(fit, LEVEL) for fit in fits]
        share = np.concatenate([fit.estimate[:, 0] for fit in fits])
        low = np.concatenate([lows[:, 0] for lows, _ in ends])
        high = np.concatenate([highs[:, 0] for _, highs in ends])
        if self.estimated(data).verdict:
            low = np.full_like(low, np.nan)
            high = np.full_like(high, np.nan)
        shape = len(groups), len(levels)
        return Along(
            self.effect.shown(levels),
            words,
            np.clip(share, 0.0, 1.0).reshape(shape),
            np.clip(low, 0.0, 1.0).reshape(shape),
            np.clip(high, 0.0, 1.0).reshape(shape),
        )


def _ends_of_changes(answers: Answers) -> tuple[tuple, tuple]:
    """Low and high ends of both changes, which may be negative: (of b, of a) each."""
    critical = np.where(np.isnan(answers.p), np.nan, answers.critical)
    half_b = critical * answers.error_b
    half_a = critical * answers.error_a
    return (answers.b - half_b, answers.a - half_a), (answers.b + half_b, answers.a + half_a)


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
