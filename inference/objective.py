"""The objective that an engine maximises, measured while it trains on a sample that represents all documents."""

import numpy as np

from inference.bow import Bow
from inference.engines.contract import AnyEngine, Bounded, ResolvedConfig
from inference.kernels import rng

SAMPLE = 125  # documents, about so many at the most
# What it costs on one core, in seconds, measured on Reuters-21578 at K = 100 and 1000: a parameter of the topics, and a
# token of the sample and topic.
VALUE_SECONDS, TOKEN_SECONDS = 2e-8, 4e-8


class Objective:
    """Built once for a training, then called for its states.

    held_out: int64[n], documents that are not trained on. seed: of the training.
    """

    def __init__(self, engine: AnyEngine, config: ResolvedConfig, bow: Bow, held_out: np.ndarray, seed: int):
        self.engine, self.config, self.bow = engine, config, bow
        self.documents, self.tokens, self.times = np.zeros(0, np.int64), 0, 0.0
        if not isinstance(engine, Bounded):
            return
        lengths = np.diff(bow.first_token)
        chosen = rng.chosen(bow.D, rng.OBJECTIVE, min(1.0, SAMPLE / bow.D), np.uint64(seed))
        chosen = chosen[~np.isin(chosen, held_out)]
        self.documents = chosen[lengths[chosen] > 0]
        self.tokens = int(bow.tokens - lengths[held_out].sum())
        self.times = self.tokens / max(1, int(lengths[self.documents].sum()))

    @property
    def seconds(self) -> float:
        """About what one call costs."""
        K = self.config.topics
        return (
            K * (VALUE_SECONDS * self.bow.V + TOKEN_SECONDS * self.tokens / self.times) if len(self.documents) else 0.0
        )

    def __call__(self, state: object) -> float:
        """Nats per token that is trained on; NaN where the engine has no objective that can be measured, and where no
        document of the sample has a word."""
        if not len(self.documents) or not isinstance(self.engine, Bounded):
            return float("nan")
        return self.engine.bound(self.config, state, self.bow, self.documents, self.times) / self.tokens
