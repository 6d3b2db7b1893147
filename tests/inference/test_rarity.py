"""The four rules of how rare a word is, each for what it is meant."""

import numpy as np
import pytest

from inference import rarity

D = 1000
FREQUENCIES = np.array([0, 1, 10, 999, 1000])
RULES = {
    "of topics' beginnings": lambda: rarity.inverse_frequency(FREQUENCIES, D),
    "in a sample": lambda: rarity.inverse_frequency_in_sample(FREQUENCIES, D),
    "by tokens": lambda: rarity.inverse_frequency_by_tokens(FREQUENCIES.astype(float), D),
    "residual": lambda: rarity.residual_inverse_frequency(np.full(5, 900.0), FREQUENCIES),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_rarer_words_are_rarer_and_one_of_no_document_is_finite(rule):
    values = rule()
    assert np.isfinite(values).all() and (np.diff(values[1:]) < 0).all()
    assert values[0] >= values[1]


def test_a_word_of_every_document_weighs_what_its_rule_says():
    everywhere = np.array([D])
    assert rarity.inverse_frequency(everywhere, D) > 0
    assert rarity.inverse_frequency_in_sample(everywhere, D) == 0
    assert rarity.inverse_frequency_by_tokens(3.0 * everywhere, D) == 1


def test_words_of_a_sample_of_one_document_weigh_something():
    assert rarity.inverse_frequency_in_sample(np.array([1]), 1) > 0


def test_a_word_that_is_spread_by_chance_tells_nothing():
    assert rarity.residual_inverse_frequency(np.array([250.0]), np.array([250])) == 0
    assert np.isfinite(rarity.residual_inverse_frequency(np.zeros(1), np.zeros(1, int))).all()
