"""What engines are compared on: documents joined."""

import numpy as np

from benchmarks.engines import corpora
from inference import Bow


def test_documents_of_a_label_are_joined_in_their_order():
    bow = Bow(
        np.array([0, 1, 2, 4, 5, 6]), np.array([0, 1, 0, 2, 1, 0]), np.array([1, 2, 3, 4, 5, 6]), 3
    )
    # The fourth has no label, the second and fifth are left over
    long = corpora.joined(bow, np.array([0, 1, 0, -1, 0]), 2)
    assert (long.indptr.tolist(), long.words.tolist(), long.counts.tolist()) == (
        [0, 2],
        [0, 2],
        [4, 4],
    )
