"""Every sentence of the overview can be read aloud: rules, and that they see what they are for."""

import pytest
from django.urls import reverse

from benchmarks.insight import spoken
from webapp.analysis.findings import mixes, screen, time_sentences
from webapp.analysis.findings.values import OfGroup, Shaped

pytestmark = pytest.mark.django_db

TOPIC = {"name": "Navy & ships"}


@pytest.mark.parametrize(
    ("parts", "wrong"),
    [
        ([TOPIC, ": 13% of the words from 1946 to 1985, 0.3% before and after"], []),
        ([TOPIC, ": 13%, 12%, 11% and 10%"], ["4 numbers"]),
        ([TOPIC, ": ÷12 of the first"], ["“÷”", "“of the first”"]),
        ([{"name": "Navy, ships"}, " rises"], ["a comma within “Navy, ships”"]),
        ([TOPIC, ": most with “texas”"], ["“with”"]),
        (["on 14 March 2016 " + "word " * 22], ["26 words"]),
        ([TOPIC, ": 13% of the words from 14 to 30 March 2016, 1% before, 2% after"], []),
        (["man · industrial · wage, " + "word " * 21], []),
    ],
)
def test_rules_see_what_they_are_for(parts, wrong):
    assert spoken.faults(parts) == wrong


@pytest.mark.parametrize("query", [{}, {"detail": "more"}, {"from": "1795"}])
def test_sentences_can_be_read_aloud(trained, client, query):
    page = client.get(reverse("run_overview_json", args=[trained.pk]), query).json()
    assert page["findings"]
    broken = [(line, faults) for line, faults in spoken.lines(page) if faults]
    assert not broken


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (True, "It: 13% of the words from 1946 to 1985, 0.7% before and after"),
        (False, "It: 0.7% of the words from 1946 to 1985, 13% at other times"),
    ],
)
def test_less_in_a_window_is_compared_with_all_other_times(more, sentence):
    """Before or after it there may be as little: only both together have more."""
    shares = (0.13, 0.007) if more else (0.007, 0.13)
    window = Shaped(first="1946", last="1985", shape="window", more=more)
    parts = time_sentences.changed(window, ["It"], shares, "words", "", ("1790", "2020"))
    assert "".join(parts) == sentence


def test_a_group_of_numbers_is_said_with_the_name_of_its_field():
    party = OfGroup(field="party", value="Whig")
    assert party.in_words("in") == "in Whig"
    likes = OfGroup(field="likes", value="1236 or less", bounds=("", "1236"))
    assert likes.in_words("of") == "where likes is 1236 or less"


def test_the_page_draws_the_river_and_says_it_in_words(trained, client):
    url = reverse("run_overview", args=[trained.pk])
    page = client.get(url).content.decode()
    data = client.get(url[:-1] + ".json").json()
    families = [row["family"] for row in data["findings"] if row["kind"] == "family"]
    assert all(family["name"].replace("&", "&amp;") in page for family in families)
    assert ('class="river"' in page) == (len(data["river"]["totals"]) >= 8)
    assert sum(data["river"]["totals"]) == data["tokens"]
    assert " style=" not in page.partition("<main")[2], "the page's policy lets no style through"


def test_without_a_river_groups_are_rows_of_families(trained, client, monkeypatch):
    monkeypatch.setattr(screen, "FEW", 10_000)
    monkeypatch.setattr(
        screen, "mixes", lambda selection, unit, rows: mixes.mixes(selection, "", rows)
    )
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert 'class="river"' not in page and 'class="mix"' in page
    assert "<b>Groups</b>" in page and ": mostly " in page
    assert 'class="tree"' not in page


def test_without_groups_each_family_is_an_area_and_a_bar(trained, client, monkeypatch):
    monkeypatch.setattr(screen, "FEW", 10_000)
    monkeypatch.setattr(screen, "mixes", lambda *_: None)
    page = client.get(reverse("run_overview", args=[trained.pk])).content.decode()
    assert 'class="picture plain"' in page and 'class="pieces"' in page
    assert 'class="tree"' in page and "<b>Largest topics</b>" in page
