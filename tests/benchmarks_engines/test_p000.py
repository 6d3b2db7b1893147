"""The rules by which paper 000's claims are judged."""

import numpy as np
import pytest

from benchmarks.papers import p000
from inference import Topics


def test_a_verdict_follows_from_the_parts_of_a_claim():
    assert p000.judged({"a": True, "b": True}) == ("holds", "a: yes; b: yes.")
    assert p000.judged({"a": True, "b": False}, "Of c, ", " So.") == (
        "holds in part",
        "Of c, a: yes; b: no. So.",
    )
    assert p000.judged({"a": False, "b": False}) == ("does not hold", "a: no; b: no.")


def test_growth_is_the_power_of_K():
    assert p000.slope([(50.0, 1.0), (100.0, 2.0), (200.0, 4.0)]) == pytest.approx(1)
    assert p000.slope([(50.0, 3.0), (100.0, 3.0)]) == pytest.approx(0)


def test_a_difference_is_significant_or_not():
    random = np.random.default_rng(0)
    a = random.normal(size=100)
    b = random.normal(size=100)
    assert p000.p_value(a, b + 2) < p000.SIGNIFICANT < p000.EQUAL < p000.p_value(a, b)
    assert p000.p_value(a[:1], b) == 1 and p000.p_value(np.ones(3), np.ones(3)) == 1


def test_entropy_is_largest_for_even_topics():
    half = np.array([0.5, 0.5], np.float32)
    topics = Topics(
        np.array([0, 2, 2]),
        np.array([0, 1], np.int32),
        half,
        np.array([0.0, 0.25]),
        np.array([0.0, 1.0]),
        np.ones(2) / 2,
        4,
    )
    assert p000.entropy(topics) == pytest.approx(np.log([2, 4]))
