"""Whatever was accepted as a corpus can be read on every page: a sample of `python -m tests.odd`."""

import pytest

from tests.odd.asking import forget, try_collection
from tests.odd.collections import Collection, drawn, known

pytestmark = pytest.mark.django_db
PAGES = 110  # of a collection: nearly all that are declared
NAMES = (
    "two documents, five topics, ssi",
    "ten documents, twenty topics, clusters",
    "dates with words of stop words alone",
    "one date 9999-12-31",
    "one date 0001-01-01",
    "one word",
    "a change by weeks",
    "a change by months",
)
SEEDS = (14,)
SAMPLE = [
    *[collection for collection in known() if collection.name in NAMES],
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
