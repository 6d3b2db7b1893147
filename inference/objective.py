"""The objective that an engine maximises, measured while it trains on a sample that represents all
documents."""

import numpy as np

from inference.bow import Bow
from inference.engines.batch import is_trained
from inference.engines.contract import AnyEngine, Bounded, ResolvedConfig
from inference.kernels import rng

SAMPLE = 125  # documents, about so many at the most
# What it costs on one core, in seconds, measured on Reuters-21578 at K = 100 and 1000:
VALUE_SECONDS = 2e-8  # a parameter of the topics
MEASURED_SECONDS = 4e-8  # a token of the sample and topic


class Objective:
    """Built once for a training, then called for its states.

    held_out: int64[n], documents that are not trained on. seed: of the training.
    """

    def __init__(
        self, engine: AnyEngine, config: ResolvedConfig, bow: Bow, held_out: np.ndarray, seed: int
    ):
        self.engine = engine
        self.config = config
        self.bow = bow
        self.documents = np.zeros(0, np.int64)  # the sample
        self.tokens = 0  # that are trained on
        self.times = 0.0  # so many times the tokens of the sample
        if not isinstance(engine, Bounded):
            return
        lengths = bow.lengths
        share = min(1.0, SAMPLE / bow.D)
        sample = rng.choose_items(bow.D, rng.OBJECTIVE, share, np.uint64(seed))
        self.documents = sample[(lengths[sample] > 0) & is_trained(bow.D, held_out)[sample]]
        self.tokens = int(bow.tokens - lengths[held_out].sum())
        self.times = self.tokens / max(1, int(lengths[self.documents].sum()))

    @property
    def seconds(self) -> float:
        """About what one call costs."""
        if not len(self.documents):
            return 0.0
        parameters = VALUE_SECONDS * self.bow.V
        tokens = MEASURED_SECONDS * self.tokens / self.times
        return self.config.topics * (parameters + tokens)

    def __call__(self, state: object) -> float:
        """Nats per token that is trained on; NaN where the engine has no objective that can be
        measured, and where no document of the sample has a word."""
        if not len(self.documents) or not isinstance(self.engine, Bounded):
            return float("nan")
        bound = self.engine.bound(self.config, state, self.bow, self.documents, self.times)
        return bound / self.tokens
