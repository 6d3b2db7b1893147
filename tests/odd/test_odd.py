"""Whatever was accepted as a corpus can be read on every page: a sample of `python -m tests.odd`."""

import pytest
from django.utils.html import escape

from tests.odd.asking import forget, leads_back, try_collection, wrong_page
from tests.odd.collections import Collection, drawn, known
from webapp.intake.ingest.reading_forms import ReadingForm

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


def test_names_of_marks_are_no_missing_numbers():
    help_text = ReadingForm.base_fields["missing"].help_text
    assert not wrong_page(f"<p class='help'>{escape(help_text)}</p>")
    assert wrong_page(f"<p>{escape(help_text)}</p><p>The mean is None.</p>")
    assert wrong_page("<p>NaN documents</p>") and not wrong_page("<p>None of 3 documents</p>")


def test_a_page_that_links_to_itself_is_noticed():
    assert leads_back(["/runs/1/", "/runs/1/words/war/?least=2"], "/runs/1/words/war/?left=2")
    assert not leads_back(["/runs/1/", "/runs/1/words/"], "/runs/1/words/war/")
