"""What all tests of the web application share."""

import json

import pytest

from tests.webapp.page_json import undeclared
from webapp.analysis.findings import stored
from webapp.platform import routes
from webapp.platform.jobs import heartbeat
from webapp.platform.pages import page


@pytest.fixture(autouse=True)
def pages_are_made_anew():
    """A test may have another way of making them than the one before it."""
    from webapp.core.results import page_cache

    page_cache.clear()


@pytest.fixture(autouse=True)
def sets_are_answered_in_the_request(monkeypatch):
    """Findings of a set, which a worker computes of all but the smallest corpora: tests have none."""
    monkeypatch.setattr(stored, "QUICK_TOKENS", 10**9)


@pytest.fixture(autouse=True)
def no_heartbeat_in_a_transaction(request, monkeypatch):
    """Its connection does not see what a test has not committed: on a slow machine a job would take
    its row for lost."""
    test = request.node.get_closest_marker("django_db")
    if test is not None and not test.kwargs.get("transaction"):
        monkeypatch.setattr(heartbeat, "INTERVAL", 600.0)


@pytest.fixture(autouse=True)
def pages_answer_the_json_that_is_declared(monkeypatch):
    """Whatever a test asks for: each answer of a .json address is compared with its schema in
    webapp.urls."""
    answer = page.json_answer

    def compared(request, data, status):
        response = answer(request, data, status)
        route = routes.declared_for(request.resolver_match)
        wrong = undeclared(route, json.loads(response.content)) if route.json is not None else []
        assert not wrong, f"{request.path}: {wrong[:5]}"
        return response

    monkeypatch.setattr(page, "json_answer", compared)
