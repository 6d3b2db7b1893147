"""The SQL of who has which role, which is kept with places for primary keys."""

import pytest

from webapp.platform.accounts import roles

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("users", "links"), [(1, 0), (0, 1), (2, 3)])
def test_each_key_has_its_places(users, links):
    corpora = 2
    _, parameters = roles.grants_as_sql.__wrapped__(corpora, users, links)
    places = {parameter for parameter in parameters if roles.is_place(parameter)}
    assert places == set(range(-corpora - users - links, 0))


def test_a_number_below_zero_that_is_no_place_is_noticed(monkeypatch):
    """A key would be bound to it."""
    reasons_of = roles.grants

    def with_a_number(*people):
        first, *others = reasons_of(*people)
        return [first.filter(pk__gt=-1), *others]

    monkeypatch.setattr(roles, "grants", with_a_number)
    with pytest.raises(AssertionError, match="below 0"):
        roles.grants_as_sql.__wrapped__(1, 1, 0)
