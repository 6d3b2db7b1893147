"""What the terms that a family may be called by are worth."""

import pytest

from inference.explore.family_names import Term
from inference.explore.name_candidates import Rarity
from inference.explore.naming import Name
from webapp.core.runs import names

TARIFF, AMOUNT = 0, 1
RARITY = Rarity({TARIFF: 3.0, AMOUNT: 1.0}, median=1.0)  # they tell 0.75 and 0.5
CALLED = Name(parts=("Tariff", "articles"))


def worth(text: str, word: int, name: Name, worth: float = 1.0) -> float:
    (weighed,) = names.weigh_terms([Term(text, (word,), 10, worth)], RARITY, name)
    assert weighed.text == text and weighed.tokens == 10
    return weighed.worth


def test_a_term_is_worth_less_the_more_evenly_it_is_spread():
    assert worth("tariff", TARIFF, Name()) == pytest.approx(0.75**2, abs=1e-3)
    assert worth("amount", AMOUNT, Name()) == pytest.approx(0.5**2, abs=1e-3)


def test_a_term_that_its_topic_is_called_by_is_worth_more():
    plain = worth("tariff", TARIFF, Name())
    assert worth("tariff", TARIFF, CALLED) == pytest.approx(names.NAMES_TOPIC * plain, abs=1e-3)
    assert worth("amount", AMOUNT, CALLED) == worth("amount", AMOUNT, Name())


def test_no_name_of_a_topic_makes_a_heading_of_what_is_no_noun():
    assert worth("tariff", TARIFF, CALLED, worth=0.0) == 0.0
