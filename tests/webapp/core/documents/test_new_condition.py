"""The condition of a set that CONTRIBUTING.md shows is one; and each kind is declared where links
and the API need its name."""

import sys
from html import unescape
from types import ModuleType

import numpy as np
import pytest
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory

from inference.errors import Invalid
from tests.contributing import examples
from webapp.core.documents import conditions
from webapp.core.documents.conditions.condition import Condition
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.platform.pages import run_links
from webapp.service.api import shapes

pytestmark = pytest.mark.django_db


@pytest.fixture
def least_words(monkeypatch) -> type[Condition]:
    """The kind, registered as the recipe says."""
    code, registered = examples("Add a condition of a set", "python")
    module = ModuleType("least_words_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, module.__dict__)
    namespace = {"KINDS": conditions.KINDS, "LeastWords": module.LeastWords}
    exec(registered, namespace)
    monkeypatch.setattr(conditions, "KINDS", namespace["KINDS"])
    kind = module.LeastWords
    monkeypatch.setattr(run_links, "CONDITIONS", (*run_links.CONDITIONS, *kind.PARAMETERS))
    return kind


def test_the_condition_of_contributing_chooses_documents(ready, trained, least_words):
    words = np.diff(evidence.bow(ready.version.pk).first_token)
    middle = int(np.median(words))
    selection = Selection.read(QueryDict(f"least_words={middle}&from=1790"), RunView(trained))
    dated = Selection.read(QueryDict("from=1790"), RunView(trained))
    expected = [number for number in dated.numbers.tolist() if words[number] >= middle]
    assert 0 < len(expected) < dated.count
    assert selection.numbers.tolist() == expected
    assert selection.sentence == f"documents from 1790, with at least {middle:,} words"
    again = Selection.read(QueryDict(selection.address()[1:]), RunView(trained))
    assert again.conditions == selection.conditions and again.key == selection.key


def test_what_it_cannot_read_is_said(ready, least_words):
    with pytest.raises(Invalid, match="must be a number, got “many”"):
        Selection.read(QueryDict("least_words=many"), ready)


def test_pages_show_it_and_carry_it_along(client, trained, least_words):
    page = client.get(f"/runs/{trained.pk}/documents/?least_words=5").content.decode()
    assert "with at least 5 words" in page
    assert f"/runs/{trained.pk}/topics/?least_words=5" in unescape(page)


def test_the_form_passes_it_on(ready, least_words):
    query = "least_words=5&q=war"
    selection = Selection.read(QueryDict(query), ready)
    request = RequestFactory().get(f"/here/?{query}")
    html = render_to_string("run/_selection.html", {"selection": selection, "request": request})
    assert '<input type="hidden" name="least_words" value="5">' in html


def test_parameters_come_in_the_order_by_which_findings_were_stored():
    """Another order would lose what is stored: a new kind comes behind these."""
    parameters = [name for kind in conditions.KINDS for name in kind.PARAMETERS]
    assert parameters[:8] == ["q", "from", "to", "has", "between", "in", "match", "only"]


def test_links_carry_the_parameters_of_every_kind():
    parameters = set[str]()
    beginnings = set[str]()
    for kind in conditions.KINDS:
        for name in (*kind.PARAMETERS, *kind.FORM_FIELDS):
            (beginnings if name.endswith(":") else parameters).add(name)
    assert set(run_links.CONDITIONS) == parameters
    assert set(run_links.BEGINNINGS) == beginnings


def test_the_api_describes_the_parameters_of_every_kind():
    described = {field.alias or name for name, field in shapes.Documents.model_fields.items()}
    assert described == {name for kind in conditions.KINDS for name in kind.PARAMETERS}
