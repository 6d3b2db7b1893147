"""What all tests of the web application share."""

import pytest


@pytest.fixture(autouse=True)
def pages_are_made_anew():
    """A test may have another way of making them than the one before it."""
    from webapp.server import page_cache

    page_cache.clear()
