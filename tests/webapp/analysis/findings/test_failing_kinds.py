"""A kind of finding that breaks leaves its place on the page, and the log says why."""

from dataclasses import replace

import pytest

from webapp.analysis.findings import sentence_writer, stored
from webapp.analysis.findings.failing_kinds import Guard
from webapp.analysis.findings.kinds import Change, Mark
from webapp.models import StoredResult

pytestmark = pytest.mark.django_db
SENTENCE = "This part could not be computed."


def broken(*_: object, **__: object) -> list:
    raise ZeroDivisionError


def test_a_kind_that_can_not_be_computed_leaves_the_others(client, trained, monkeypatch, caplog):
    StoredResult.objects.filter(snapshot=trained.snapshot_id, key="").delete()
    monkeypatch.setattr(Change, "find", broken)
    monkeypatch.setattr(Mark, "find", broken)
    page = client.get(f"/runs/{trained.pk}/overview/").content.decode()
    assert page.count(SENTENCE) == 2
    assert "No topic’s share changed" not in page
    data = client.get(f"/runs/{trained.pk}/overview.json").json()
    assert data["failed"] == ["change", "mark"]
    assert {row["kind"] for row in data["findings"]} >= {"family"}
    assert client.get(f"/api/v1/runs/{trained.pk}/findings").json()["failed"] == ["change", "mark"]
    assert "findings could not be computed" in caplog.text


def test_a_kind_that_can_not_be_said_leaves_the_others(client, trained, monkeypatch):
    write = sentence_writer.SentenceWriter.write

    def broken_for_families(self, finding):
        if finding.kind == "family":
            raise IndexError
        return write(self, finding)

    monkeypatch.setattr(sentence_writer.SentenceWriter, "write", broken_for_families)
    page = client.get(f"/runs/{trained.pk}/overview/").content.decode()
    assert page.count(SENTENCE) == 1
    assert "What changed" in page


def test_what_is_away_is_no_mistake_of_a_kind():
    def away() -> list:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        Guard(1).listed("change", away)


def test_where_few_follow_one_another_the_page_says_that_no_change_can_be_told(
    client, trained, monkeypatch
):
    read = stored.read_or_ask

    def of_thirteen(selection, by):
        found = read(selection, by)
        rest = [finding for finding in found.findings if finding.kind != "change"]
        return replace(found, findings=rest, too_few_in_order=13)

    monkeypatch.setattr(stored, "read_or_ask", of_thirteen)
    page = client.get(f"/runs/{trained.pk}/overview/?detail=more").content.decode()
    assert "there are only 13 such groups" in " ".join(page.split())
    assert "No topic’s share changed" not in page
    data = client.get(f"/runs/{trained.pk}/overview.json?detail=more").json()
    assert data["too_few_in_order"] == 13
    assert data["independent"]["sentence"]
