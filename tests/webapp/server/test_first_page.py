"""A process makes before the first request what its first page needs."""

from django.template import engines

from inference.text.characters import characters
from webapp.server import first_page


def test_tables_and_templates_are_made():
    characters.cache_clear()
    first_page.prepare().join()
    assert characters.cache_info().currsize == 1
    for name in first_page.TEMPLATES:
        assert engines["django"].get_template(name)
