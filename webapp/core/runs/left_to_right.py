"""The left-to-right likelihood of a finished run, of some of the documents that it held out:
measured once its topics are published, in about a tenth of the time of its training."""

import numpy as np

from inference import Bow, Topics
from inference.evaluate import LeftToRight
from inference.evaluate.left_to_right import within
from inference.schedule import held_out_documents
from webapp.platform.storage.nulls import number_or_none

PARTICLES = 10
MOST_TOKENS = 200  # of a document
DRAWS = (
    10_000_000  # of topics, of all documents together, at the most: about 1.5 seconds of one core
)
# At the most for each token of the corpus, as the time of a training grows with them. It is no
# function of the clock, the engine or K: runs that are compared are measured on the same documents.
DRAWS_EACH = 5


def measure(bow: Bow, seed: int, topics: Topics, alpha: np.ndarray) -> float | None:
    """Nats per token (evaluate.LeftToRight); None where no document was held out, or none of them
    has words.

    Which documents depends on the corpus and the run's seed alone, so runs with one seed are
    measured on the same. alpha: float64[K], the run's own.
    """
    documents = within(
        bow,
        held_out_documents(bow, seed),
        min(DRAWS, DRAWS_EACH * bow.tokens),
        PARTICLES,
        MOST_TOKENS,
    )
    return number_or_none(LeftToRight(bow, documents, PARTICLES, limit=MOST_TOKENS)(topics, alpha))
