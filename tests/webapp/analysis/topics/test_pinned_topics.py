"""What the Pin of the page of topics keeps: in each view the numbers that the page shows."""

import json

import pytest
from django.urls import reverse

from tests.webapp.pin_forms import pinned_of
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import MAP_COLUMNS

pytestmark = pytest.mark.django_db


def pinned(client, run, query: str) -> tuple[dict, dict, dict]:
    """The fields of the Pin, its table, and the data of the page."""
    page = client.get(reverse("run_topics", args=[run.pk]) + query)
    fields = pinned_of(page.content.decode())
    data = client.get(reverse("run_topics_json", args=[run.pk]) + query).json()
    return fields, json.loads(fields["table"]), data


def title(topic: dict) -> str:
    if topic["has_name"]:
        return f"{topic['name']} ({topic['label']})"
    return f"{topic['label']} ({topic['name']})"


def test_the_list_keeps_topics_shares_and_words(client, trained):
    fields, table, data = pinned(client, trained, "?view=list&sort=number")
    assert fields["sentence"].startswith(f"{data['count']} topics in all documents")
    assert [row[0] for row in table["rows"]] == [title(topic) for topic in data["items"]]
    assert [row[1] for row in table["rows"]] == [percent(topic["share"]) for topic in data["items"]]
    assert table["rows"][0][2].split(" · ") == data["items"][0]["words"][:6]
    assert table["columns"][3] == f"peak, by {data['times']['by']}"


def test_the_map_keeps_places_and_colours_of_what_is_chosen(client, trained):
    fields, table, data = pinned(client, trained, "?view=map&topics=1,4")
    chosen = [circle for circle in data["map"]["circles"] if circle["chosen"]]
    assert table["columns"] == MAP_COLUMNS and len(chosen) == 2
    assert table["hues"] == [circle["hue"] for circle in chosen]
    width = data["map"]["width"]
    for circle, row in zip(chosen, table["rows"], strict=True):
        assert row[0] == title(circle)
        expected = [circle["share"], circle["x"] / width, circle["y"] / width]
        assert row[1:] == pytest.approx(expected, abs=1e-4)
    assert f"2 of {len(data['map']['circles'])} topics" in fields["sentence"]
    assert "topics=1,4" in fields["address"]


def test_the_grid_keeps_how_often_words_are_assigned(client, trained):
    fields, table, data = pinned(client, trained, "?view=grid")
    grid = data["grid"]
    assert f"{len(grid['lines'])} words" in fields["sentence"]
    for i, row in enumerate(table["rows"]):
        assert row[0] == title(grid["topics"][i])
        cells = {line["word"]: line["cells"][i] for line in grid["lines"]}
        most = max(cells, key=lambda word: cells[word])
        assert row[1].startswith(f"{most} {cells[most]:,}")


def test_topics_over_time_keep_their_shares(client, trained):
    _, table, data = pinned(client, trained, "?view=time&by=year")
    times = data["time"]
    assert table["columns"][: len(times["stacked"]) + 1] == [
        "year",
        *(title(topic) for topic in times["stacked"]),
    ]
    for i, row in enumerate(table["rows"]):
        assert row[0] == times["bins"][i]["label"]
        for topic, cell in zip(times["stacked"], row[1:], strict=False):
            share = topic["values"]["shares"][i]
            assert cell == (None if share is None else pytest.approx(share, abs=1e-4))


def test_topics_over_time_keep_numbers_of_words(client, trained):
    fields, table, data = pinned(client, trained, "?view=time&by=year&unit=tokens")
    first = data["time"]["stacked"][0]
    assert [row[1] for row in table["rows"]] == first["values"]["tokens"]
    assert fields["sentence"].startswith("Numbers of words")
