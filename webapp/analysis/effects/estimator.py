"""Estimates of a formula's effect: of all topics, of some together, and along the effect. Nothing
is kept here (webapp.analysis.effects.estimates does)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from inference import answers as estimator
from inference.answers import Answers, question
from inference.answers.held import answer_held
from inference.effects import as_stm, regression
from inference.share_intervals import USUAL_LEVEL
from webapp.analysis.answers import set_answers
from webapp.analysis.effects.correction import Correction
from webapp.analysis.effects.model import EffectModel
from webapp.analysis.effects.shapes import Wider
from webapp.analysis.time import shares
from webapp.core.documents import corpus_unit
from webapp.core.results.priors import priors

TOPICS_SAMPLED = 20  # topics
WIDER = 1.25  # times, from which on it is said
POINTS = 21  # along a line
ROWS = 8  # settings at a time
Order = Literal["difference", "ratio", "number"]


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
    def ratios(self) -> np.ndarray:
        """float64[3, T]: of the second share to the first, with the ends of its interval, as the
        answers have them; NaN where one of the shares is not told."""
        of_answers = self.answers.ratio, self.answers.ratio_low, self.answers.ratio_high
        return np.where(np.isnan(self.value).any(axis=1), np.nan, np.stack(of_answers))

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
            size = np.nan_to_num(np.abs(np.log(first / second)))
        return np.lexsort((-size, ~self.named)).tolist()


class Along(NamedTuple):
    """labels, words: of L levels; share, low, high: float64[G, L], NaN where nothing is known."""

    labels: list[str]
    words: np.ndarray
    share: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Estimator:
    """Estimates what a model's question asks for."""

    model: EffectModel

    @cached_property
    def correction(self) -> Correction:
        """How differences are corrected for the errors of the topic model; made once."""
        return Correction(self.model)

    def fit(self, data: regression.Data, rows: np.ndarray, contrast: np.ndarray) -> regression.Fit:
        """The regression of a model's shares, counted or drawn as stm draws them, by the formula's
        estimate."""
        if self.model.effect_question.counted:
            return regression.fit(data, rows, contrast)
        return as_stm.fit(
            data,
            priors(self.model.selection.run).alpha,
            rows,
            contrast,
            as_stm.DRAWS if self.model.effect_question.estimate == "stm" else 0,
        )

    def answer(self, data: regression.Data, level: float | None = None) -> Answers:
        """Answer the question for any texts that the data counts. Side a of the answers is the
        second setting, or how the share changes in the second group; side b is the first. level: of
        the intervals, or None for what the data's topics give."""
        if self.model.is_plain:
            count_arrays = (
                data.doc_ptr,
                data.doc_topics,
                data.doc_tokens,
                data.lengths,
                data.column_of_topic,
            )
            outcome = estimator.CountedTopics(*count_arrays, data.T)
            first, second = self.model.two_sides(data.cell)
            of_sides = question.of_two_sets(second, first, data.units.unit_of_document)
            return estimator.answer(outcome, of_sides, level=level)
        return answer_held(
            data,
            self.model.compared,
            self.model.obstacle,
            self.fit,
            level,
            exchanges=self.model.effect_question.counted,
        )

    def answer_topics(self, topics: list[int], as_one_topic: bool) -> Answers:
        """By the one function that answers every page."""
        if self.model.is_plain and not as_one_topic:
            first, second = self.model.sides
            sides = self.model.two_sides(self.model.design.cell)[::-1]
            return set_answers.of_sides(self.model.selection, second, first, sides).answers
        key = (*self.model.key, tuple(topics), as_one_topic)
        if self.model.is_plain:
            return self.answer(self.model.data(topics, as_one_topic))
        return set_answers.with_held(
            key,
            lambda: self.model.data(topics, as_one_topic),
            self.model.compared,
            self.model.obstacle,
            self.fit,
            exchanges=self.model.effect_question.counted,
        )

    def table(self, topics: list[int], as_one_topic: bool = False) -> EffectsTable:
        """The answers for topics, or for all of them as one, with the shares at both settings."""
        answers = self.answer_topics(topics, as_one_topic)
        low, high = zip(answers.ends(1), answers.ends(0), strict=True)
        value = np.stack([answers.b, answers.a], axis=1)
        if self.model.across is None:
            value = np.clip(value, 0.0, 1.0)
        else:
            low, high = _ends_of_changes(answers)
        has_support = self.model.settings_have_support
        return EffectsTable(
            topics=topics,
            answers=answers,
            value=np.where(has_support, value, np.nan),
            low=np.where(has_support, np.stack(low, axis=1), np.nan),
            high=np.where(has_support, np.stack(high, axis=1), np.nan),
            corrected=self.correction.differences(self.model.data(topics, as_one_topic)),
            wider=None if as_one_topic else self._wider(topics, answers.error**2),
        )

    def _wider(self, visible_topics: list[int], variance: np.ndarray) -> Wider | None:
        """None where somebody has said who speaks, or documents of one speaker are hardly more
        alike than others. variance: float64[T], of the differences of these topics where documents
        are independent."""
        version = self.model.selection.version
        if self.model.unit.certainty != "none" or not visible_topics:
            return None
        sample_slice = slice(None, None, len(visible_topics) // TOPICS_SAMPLED + 1)
        compared = (
            self.model.effect_question.formula.effect.name,
            self.model.effect_question.formula.across,
        )
        wider_intervals = list[Wider]()
        for field in corpus_unit.possible(version)[:3]:
            if field.name not in compared:
                data = shares.effect_data(
                    self.model.selection.view,
                    corpus_unit.Unit(field, ""),
                    self.model.design.cell,
                    visible_topics[sample_slice],
                )
                fit = self.fit(data, self.model.design.rows, self.model.contrast[None])
                larger_variance = np.maximum(fit.variance[0], fit.pooled[0])
                # A variance of 0 divides to a number, not to an error
                ratios = larger_variance / np.maximum(variance[sample_slice], 1e-300)
                times = float(np.sqrt(np.median(ratios)))
                wider_intervals.append(Wider(field.name, times))
        return max(
            (wider for wider in wider_intervals if wider.times > WIDER),
            key=lambda wider: wider.times,
            default=None,
        )

    def along(self, topics: list[int]) -> Along:
        """The expected share of one topic, or of several together, at each level of the effect, or
        at POINTS along it, in each group."""
        fitted_design = self.model.design
        words = self.model.effect.words(self.model.known)
        with_words = np.flatnonzero(words)
        if self.model.on_a_line:
            evenly = np.linspace(with_words[0], with_words[-1], POINTS)
            levels = np.unique(evenly.astype(int))
            words = np.add.reduceat(words, levels)
        else:
            levels = with_words
            words = words[levels]
        groups = self.model.groups if self.model.across else (0,)
        rows = np.stack(
            [fitted_design.setting(int(level), group) for group in groups for level in levels]
        )
        data = self.model.data(topics, as_one_topic=True)
        fits = [
            self.fit(data, fitted_design.rows, rows[first : first + ROWS])
            for first in range(0, len(rows), ROWS)
        ]
        ends = [regression.reach(fit, USUAL_LEVEL) for fit in fits]
        share = np.concatenate([fit.estimate[:, 0] for fit in fits])
        low = np.concatenate([lows[:, 0] for lows, _ in ends])
        high = np.concatenate([highs[:, 0] for _, highs in ends])
        if self.answer(data).obstacle is not None:
            low = np.full_like(low, np.nan)
            high = np.full_like(high, np.nan)
        without_support = ~self.model.has_support[list(groups)][:, levels].ravel()
        share[without_support] = np.nan
        low[without_support] = np.nan
        high[without_support] = np.nan
        shape = len(groups), len(levels)
        return Along(
            self.model.effect.shown(levels),
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
