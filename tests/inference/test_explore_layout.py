"""Maps: faithful where the plane allows it, the same on each run, and drawn where there is little
to draw."""

import os
import subprocess
import sys

import numpy as np
import pytest

from inference.explore import layout
from tests.inference import naive_explore


def plane(K: int, seed: int) -> np.ndarray:
    """Squared distances of points in the plane, which a map must give back."""
    xy = np.random.default_rng(seed).normal(size=(K, 2))
    return ((xy[:, None] - xy[None]) ** 2).sum(axis=-1)


def topics(K: int, seed: int = 0) -> np.ndarray:
    beta = np.random.default_rng(seed).dirichlet(np.full(30, 0.2), K)
    return naive_explore.divergences(beta, beta)


def test_what_lies_in_the_plane_is_given_back():
    squares = plane(12, 3)
    xy = layout.layout(squares)
    found = np.sqrt(((xy[:, None] - xy[None]) ** 2).sum(axis=-1))
    assert found / found.max() == pytest.approx(np.sqrt(squares / squares.max()), abs=1e-5)
    assert layout.stress(xy, squares) < 1e-5


def test_it_is_centred_and_fills_the_disc():
    xy = layout.layout(topics(40))
    assert xy.shape == (40, 2) and xy.dtype == np.float64
    assert xy.mean(axis=0) == pytest.approx([0, 0], abs=1e-5)
    assert np.linalg.norm(xy, axis=1).max() == pytest.approx(1, abs=1e-5)
    assert xy[:, 0].std() >= xy[:, 1].std()


def test_refinement_lowers_the_stress():
    divergences = topics(40)
    rough = layout.classical(divergences)
    assert layout.stress(layout.refined(rough, divergences), divergences) < 0.97 * layout.stress(
        rough, divergences
    )


def test_a_step_of_refinement_is_the_guttman_transform():
    divergences = topics(9)
    xy = np.random.default_rng(1).normal(size=(9, 2))
    xy[4] = xy[2]
    assert layout.refined(xy, divergences, 1) == pytest.approx(
        naive_explore.guttman(xy, np.sqrt(divergences))
    )


def test_few_or_identical_topics():
    assert layout.layout(np.zeros((0, 0))).shape == (0, 2)
    assert layout.layout(np.zeros((1, 1))).tolist() == [[0, 0]]
    assert layout.layout(np.array([[0, 0.3], [0.3, 0]])).tolist() == [[1, 0], [-1, 0]]
    assert (layout.layout(np.zeros((5, 5))) == 0).all()
    twins = layout.layout(topics(5)[np.ix_([0, 1, 2, 3, 3], [0, 1, 2, 3, 3])])
    assert np.isfinite(twins).all() and twins[3] == pytest.approx(twins[4], abs=1e-5)
    equal = layout.layout(0.5 * (1 - np.eye(6)))
    assert np.isfinite(equal).all() and np.linalg.norm(equal, axis=1).max() == pytest.approx(
        1, abs=1e-5
    )


CODE = """
import numpy as np
from inference.explore import layout
from tests.inference.test_explore_layout import topics
print(layout.layout(topics(60)).tobytes().hex())
"""


def test_every_process_draws_the_same():
    found = set()
    for threads in ("1", "2"):
        env = os.environ | {"OPENBLAS_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
        found.add(
            subprocess.run(
                [sys.executable, "-c", CODE],
                env=env,
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            ).stdout
        )
    assert len(found) == 1 and len(found.pop()) > 60 * 2 * 16


def test_discs_are_moved_apart_and_the_rest_stays():
    xy = np.array([[0, 0], [0.1, 0], [0, 0], [5, 5], [0, 0.15]])
    radii = np.array([0.2, 0.1, 0.2, 1, 0.1])
    before = xy.copy()
    found = layout.separate(xy, radii)
    assert (xy == before).all()
    assert naive_explore.overlap(xy, radii) > 0.3 and naive_explore.overlap(found, radii) < 1e-3
    assert found[3].tolist() == [5, 5]
    assert np.linalg.norm(found - xy, axis=1).max() < 0.6
    assert (layout.separate(xy, radii) == found).all()
    assert layout.separate(np.zeros((0, 2)), np.zeros(0)).shape == (0, 2)


def test_a_map_is_turned_onto_an_older_one():
    rng = np.random.default_rng(2)
    older = rng.normal(size=(8, 2))
    # With a mirror
    turn = np.array([[np.cos(2), -np.sin(2)], [np.sin(2), np.cos(2)]]) @ np.diag([1, -1])
    order = rng.permutation(8)
    newer = np.vstack([older[order] @ turn + [3, 1], [[9, 9]]])
    found = layout.procrustes(newer, older, np.column_stack([np.arange(8), order]))
    assert found[:8] == pytest.approx(older[order])
    assert np.linalg.norm(found[8] - found[0]) == pytest.approx(np.linalg.norm(newer[8] - newer[0]))


@pytest.mark.parametrize("pairs", [[], [[0, 1]]])
def test_too_few_pairs_turn_nothing(pairs):
    xy = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert (layout.procrustes(xy, xy, np.array(pairs)) == xy).all()


def test_a_round_pushes_every_pair_that_overlaps():
    rng = np.random.default_rng(3)
    xy = rng.normal(size=(80, 2))
    radii = rng.gamma(1.0, 0.2, 80)
    expected = np.zeros((80, 2))
    for i in range(80):
        for j in range(80):
            d = np.linalg.norm(xy[i] - xy[j])
            if i != j and d < radii[i] + radii[j]:
                expected[i] += (xy[i] - xy[j]) / d * (radii[i] + radii[j] - d) / 2
    assert np.abs(expected).max() > 0.1
    assert layout.pushes_apart(xy, radii, np.argsort(xy[:, 0])) == pytest.approx(
        expected, abs=1e-12
    )
