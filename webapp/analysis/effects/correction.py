"""The differences that a question of effects is about, corrected for reading
(inference.effects.corrected)."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from inference import Bow, Topics
from inference.answers.held import answer_held
from inference.effects import corrected as corrections, regression
from webapp.analysis.effects.model import EffectModel
from webapp.core.results import evidence, weights


@dataclass(frozen=True)
class Correction:
    """Corrects what an estimate with the same model says."""

    model: EffectModel

    def differences(self, data: regression.Data) -> np.ndarray:
        """float64[T]: the differences, corrected for reading; NaN where that can't be done, and as
        stm."""
        correction = (
            corrections.effect(data, *self._read, self.model.design.rows, self.model.contrast)
            if self.model.effect_question.counted
            else None
        )
        return np.full(data.T, np.nan) if correction is None else correction

    def ends(self, counted_data: regression.Data, level: float) -> np.ndarray:
        """float64[2, T]: (low, high) of the differences corrected for reading; NaN where that can't
        be done, and as stm."""
        data = (
            corrections.documents(counted_data, *self._read)
            if self.model.effect_question.counted
            else None
        )
        if data is None:
            return np.full((2, counted_data.T), np.nan)
        answer_of_held = answer_held(
            data, self.model.compared, self.model.obstacle, regression.fit, level
        )
        return np.stack([answer_of_held.low, answer_of_held.high])

    @cached_property
    def _read(self) -> tuple[Bow, Topics]:
        run = self.model.selection.run
        assert run.snapshot is not None  # of a run that is done
        return evidence.of(run).document_bow, weights.topics(run.snapshot)
