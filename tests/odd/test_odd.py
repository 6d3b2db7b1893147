"""Whatever was accepted as a corpus can be read on every page: a sample of `python -m tests.odd`."""

import pytest

from tests.odd.asking import forget, try_collection
from tests.odd.collections import Collection, drawn, known

pytestmark = pytest.mark.django_db
PAGES = 150  # of a collection: all that are declared
SEEDS = (1, 2, 3)
SAMPLE = [
    *[one for one in known() if len(one.rows) < 30 and "example" not in one.name],
    *[drawn(seed) for seed in SEEDS],
]


@pytest.mark.parametrize("collection", SAMPLE, ids=lambda one: one.name)
def test_every_page_of_an_odd_collection_can_be_read(collection: Collection):
    outcome = try_collection(collection, PAGES)
    try:
        assert not outcome.failures, "\n".join(outcome.failures)
        assert outcome.pages > 10
    finally:
        forget(outcome)
