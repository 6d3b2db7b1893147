"""The corpus and the run of the pages' tests, for drills inside the tests' own process."""

import pytest

from tests.webapp.conftest import ready, trained  # noqa: F401 (fixtures)


@pytest.fixture
def committed(ready, django_db_blocker):  # noqa: F811
    """Not within a transaction of the test: threads have connections of their own. Runs, and what was theirs, are taken away again."""
    from webapp import bulk
    from webapp.models import Run

    with django_db_blocker.unblock():
        before = set(Run.everything.values_list("pk", flat=True))
        yield
        Run.everything.exclude(pk__in=before).delete()
        for table, key in list(bulk.orphans()):
            bulk.drop(table, key)
