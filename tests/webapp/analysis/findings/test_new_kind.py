"""The kind of finding that CONTRIBUTING.md shows is one."""

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Annotated, Union, get_args

import pytest
from pydantic import Field, TypeAdapter

from tests.contributing import examples
from webapp.analysis.findings import compute, kinds, stored
from webapp.analysis.findings.set_findings import SetFindings
from webapp.core.results import evidence
from webapp.models import StoredResult

pytestmark = pytest.mark.django_db


@pytest.fixture
def longest(monkeypatch):
    """The kind, registered as the recipe says; what is stored is of the new union."""
    code, registered = examples("Add a kind of finding", "python")
    module = ModuleType("longest_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(code, module.__dict__)
    namespace = {"KINDS": dict(kinds.KINDS), "Longest": module.Longest}
    exec(registered, namespace)
    (new,) = namespace["KINDS"].keys() - kinds.KINDS.keys()
    monkeypatch.setitem(kinds.KINDS, new, namespace["KINDS"][new])
    union = Union[(*get_args(get_args(kinds.Finding)[0]), module.Longest)]

    @dataclass(frozen=True)
    class WithLongest(SetFindings):
        findings: list[Annotated[union, Field(discriminator="kind")]]

    monkeypatch.setattr(compute, "SetFindings", WithLongest)
    monkeypatch.setattr(stored, "STORED", TypeAdapter(WithLongest))
    return new


def test_the_kind_of_contributing(client, trained, longest):
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").delete()
    lengths = evidence.of(trained).lengths
    share = lengths.max() / lengths.sum()
    for _ in range(2):  # computed, then read as it was stored
        data = client.get(f"/runs/{trained.pk}/overview.json").json()
        (row,) = [row for row in data["findings"] if row["kind"] == longest]
        assert row["estimate"] == pytest.approx(share)
        assert f"number {lengths.argmax() + 1}" in row["sentence"]
    assert client.get(row["url"]).status_code == 200
    page = client.get(f"/runs/{trained.pk}/overview/").content.decode()
    assert "The longest document" in page and row["url"] in page
    of_api = client.get(f"/api/v1/runs/{trained.pk}/findings").json()["findings"]
    assert [found["sentence"] for found in of_api if found["kind"] == longest] == [row["sentence"]]
