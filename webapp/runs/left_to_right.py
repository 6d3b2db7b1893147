"""The left-to-right likelihood of a finished run, in a second or two: of some of the documents that it held out."""

import numpy as np

from inference import Topics
from inference.bow import Bow
from inference.evaluate import LeftToRight
from inference.evaluate.left_to_right import within
from inference.training import held_out_documents

PARTICLES = 10
MOST_TOKENS = 200  # of a document
DRAWS = 10_000_000  # of topics, of all documents together: about 1.5 seconds of one core


def measure(bow: Bow, seed: int, topics: Topics, alpha: np.ndarray) -> float | None:
    """Nats per token (evaluate.LeftToRight); None where no document was held out, or none of them has words.

    Which documents depends on the corpus and the run's seed alone, so runs with one seed are measured on the same.
    alpha: float64[K], the run's own.
    """
    documents = within(bow, held_out_documents(bow, seed), DRAWS, PARTICLES, MOST_TOKENS)
    value = LeftToRight(bow, documents, PARTICLES, most=MOST_TOKENS)(topics, alpha)
    return None if np.isnan(value) else value
