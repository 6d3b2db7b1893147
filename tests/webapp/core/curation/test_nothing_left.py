"""Pages of a run of which readers left next to nothing: every topic hidden, or all merged into
one."""

import pytest
from django.test import Client

from tests import addresses
from webapp.core.curation import services

pytestmark = pytest.mark.django_db
WALKED = sorted(
    {
        *addresses.PAGES,
        *(f"{name}_json" for name in addresses.PAGES),
        *addresses.OTHER,
        *addresses.FILES,
    }
)
CHANGES = {
    "every topic is hidden": lambda number: {"hidden": "1"},
    "all are merged into one": lambda number: {"into": "0"} if number else {},
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_page_has_something_to_say(trained, what):
    changes = {k: values for k in range(trained.topics) if (values := CHANGES[what](k))}
    services.change_many(trained, changes, "ada")
    client = Client(raise_request_exception=False)
    broken = []
    for name in WALKED:
        for state in addresses.states(name):
            url = addresses.address(name, trained.corpus_id, trained.pk) + (
                f"?{state}" if state else ""
            )
            answer = client.get(url)
            # answer.close() would close the test's connection to the database
            for close in answer._resource_closers:
                close()
            if answer.status_code >= 500:
                broken.append(url)
    assert not broken
