"""A process makes before the first request what its first page needs."""

import gc

import pytest
from django.template import engines

from inference.text.characters import characters
from webapp.platform import garbage
from webapp.platform.server import first_page


@pytest.fixture(autouse=True)
def search():
    """Of Python for unreachable objects: through all, which tests' workers pass over, and then as it
    was."""
    threshold = gc.get_threshold()
    gc.unfreeze()
    garbage.pause()
    yield
    gc.set_threshold(*threshold)


def test_tables_and_templates_are_made():
    characters.cache_clear()
    first_page.prepare().join()
    assert characters.cache_info().currsize == 1
    for name in first_page.TEMPLATES:
        assert engines["django"].get_template(name)


def test_what_is_there_is_passed_over_by_the_search_for_unreachable_objects():
    first_page.prepare().join()
    assert gc.get_freeze_count() > 100_000 and len(gc.get_objects()) < 100_000
    assert gc.isenabled() and gc.get_threshold()[2] == garbage.RARELY
