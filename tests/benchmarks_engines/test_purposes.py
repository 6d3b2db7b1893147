"""What engines are compared by: documents joined, and how well topics tell a field's values apart."""

import numpy as np
import pytest

from benchmarks.engines import corpora, purposes
from inference import Bow


def test_documents_of_a_label_are_joined_in_their_order():
    bow = Bow(np.array([0, 1, 2, 4, 5, 6]), np.array([0, 1, 0, 2, 1, 0]), np.array([1, 2, 3, 4, 5, 6]), 3)
    long = corpora.joined(
        bow, np.array([0, 1, 0, -1, 0]), 2
    )  # the fourth has no label, the second and fifth are left over
    assert (long.indptr.tolist(), long.words.tolist(), long.counts.tolist()) == ([0, 2], [0, 2], [4, 4])


def test_mutual_information_is_one_for_the_same_groups_and_nothing_for_independent_ones():
    groups = np.array([0, 0, 1, 1, 2, 2])
    assert purposes.mutual_information(groups, 2 - groups) == pytest.approx(1)
    assert purposes.mutual_information(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) == pytest.approx(0, abs=1e-12)
    a, b = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    H = [-(p * np.log(p)).sum() for p in (np.array([0.75, 0.25]), np.array([0.5, 0.5]), np.array([0.5, 0.25, 0.25]))]
    assert purposes.mutual_information(a, b) == pytest.approx((H[0] + H[1] - H[2]) / ((H[0] + H[1]) / 2))
