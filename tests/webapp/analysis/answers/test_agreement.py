"""One question has one answer: number, interval and verdict are collected by address from finished
pages, files and the API, and are equal to the last digit."""

import csv
import io
from itertools import combinations
from urllib.parse import urlencode

import numpy as np
import pytest
from django.urls import reverse
from django.utils.html import escape

from tests.webapp.making import corpus_of, run_on
from webapp.core.documents.conditions import Range

pytestmark = pytest.mark.django_db
THEMES = {
    "war": "army battle soldier enemy fleet cannon siege victory",
    "trade": "tariff duties import export cargo harbour merchant price",
    "farm": "wheat plough cattle meadow orchard harvest barley grain",
    "law": "court judge statute appeal verdict counsel jury tribunal",
    "school": "teacher pupil lesson grammar college lecture exam scholar",
}
PARTIES = ["Red", "Blue", "Green"]
SPEAKERS = 36  # twelve of each party
DOCUMENTS = 14  # of a speaker
WORDS = 40  # of a document
SAME = ("difference", "difference_low", "difference_high", "p")


@pytest.fixture(scope="module")
def spoken(draft, django_db_blocker):
    """Speakers have subjects of their own, Blue speakers more trade; length follows nothing."""
    chance = np.random.default_rng(60)
    words = [theme.split() for theme in THEMES.values()]
    rows = [["title", "date", "party", "speaker", "kind", "length", "text"]]
    for speaker in range(SPEAKERS):
        party = PARTIES[speaker % 3]
        weights = np.full(len(THEMES), 2.0)
        weights[1] *= 5 if party == "Blue" else 1
        own = chance.dirichlet(weights)
        for i in range(DOCUMENTS):
            themes = chance.choice(len(THEMES), WORDS, p=chance.dirichlet(own * 4 + 0.05))
            text = " ".join(words[k][chance.integers(len(words[k]))] for k in themes)
            kind = "speech" if chance.random() < 0.5 else "letter"
            length = int(chance.integers(1, 500))
            title = f"{speaker} {i}"
            rows.append([title, f"{1900 + i}", party, f"S{speaker:02d}", kind, length, text])
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "spoken.csv", min_documents=1, max_share=1.0)
        yield run_on(corpus, seed=1, topics=len(THEMES), passes=20)


def told(client, run) -> list[dict]:
    data = client.get(reverse("run_overview_json", args=[run.pk]), {"detail": "more"}).json()
    assert data["ready"]
    return [row for row in data["findings"] if row["kind"] == "mark"]


def compared(client, run, **asked) -> dict:
    """The page that compares two sets, with its topics by their number."""
    page = client.get(reverse("run_time_compare_json", args=[run.pk]), asked).json()
    page["topics"] = {row["number"]: row for part in page["more"] for row in part}
    return page


def test_the_overview_says_what_the_page_of_two_sets_says(client, spoken):
    claims = [claim for row in told(client, spoken) for claim in row["claims"]]
    assert claims
    for claim in claims:
        asked = {"in_a": f"{claim['field']}:{claim['value']}"}
        if claim["bounds"]:
            asked = {"between_a": Range(claim["field"], *claim["bounds"]).address}
        page = compared(client, spoken, **asked)
        row = page["topics"][claim["topic"]]
        answer = claim["answer"]
        for name in SAME:
            assert row[name] == answer[name]
        assert (page["level"], page["rows"]) == (answer["level"], answer["rows"])
        assert page["calibrated"] == answer["calibrated"]
        assert answer["unit"] == page["unit"]["column"]
        assert row["ratio"] == claim["ratio"]
        assert row["verdict"] == ""
        assert (row["difference"] > 0) == claim["more"]


def test_the_sentence_says_the_answers_ratio_and_interval(client, spoken):
    for row in told(client, spoken):
        first = row["claims"][0]
        page = compared(client, spoken, in_a=f"{first['field']}:{first['value']}")
        topic = page["topics"][first["topic"]]
        ends = [row["low"], row["high"]]
        assert [row["estimate"], *ends] == [topic[n] for n in ("ratio", "ratio_low", "ratio_high")]
        assert ", interval " in row["sure"] or ", surely " in row["sure"]
        assert all(end is None or end > 1 for end in ends) or all(end < 1 for end in ends)


def test_effect_opens_the_question_of_the_sentence(client, spoken):
    html = client.get(reverse("run_overview", args=[spoken.pk])).content.decode()
    address = reverse("run_time_compare", args=[spoken.pk])
    assert f'href="{address}?in_a=party%3ABlue#' in html, "the topic's own line"


def test_words_of_a_group_open_the_words_of_the_same_two_sets(client, spoken):
    """Its words are listed there, each in the part of the documents that the finding says."""
    asked = {"detail": "more"}
    page = client.get(reverse("run_overview_json", args=[spoken.pk]), asked).json()
    html = client.get(reverse("run_overview", args=[spoken.pk]), asked).content.decode()
    rows = [row for row in page["findings"] if row["kind"] == "keyword"]
    assert rows
    for row in rows:
        claim = row["claims"][0]
        first = {"in_a": f"{claim['field']}:{claim['value']}"}
        if claim["bounds"]:
            first = {"between_a": Range(claim["field"], *claim["bounds"]).address}
        query = urlencode(first | {"counts": "documents"})
        address = f"{reverse('run_keyness', args=[spoken.pk])}?{query}"
        assert f'href="{escape(address)}"' in html
        words = client.get(f"{reverse('run_keyness_json', args=[spoken.pk])}?{query}").json()
        listed = {word["word"]: word for word in words["words"][0]}
        for claim in row["claims"]:
            word = listed[claim["name"]]
            assert word["times"] == pytest.approx(claim["ratio"])
            documents = words["sides"][0]["documents"]
            assert word["rates"][0] == pytest.approx(100 * word["documents"][0] / documents)
        assert listed[row["claims"][0]["name"]]["rates"][0] == pytest.approx(100 * row["estimate"])
        assert words["unit"]["column"] == claim["answer"]["unit"]


@pytest.mark.parametrize(("first", "second"), list(combinations(PARTIES, 2)))
def test_effects_files_and_the_api_say_what_the_page_of_two_sets_says(
    client, spoken, first, second
):
    page = compared(client, spoken, in_a=f"party:{second}", in_b=f"party:{first}")
    asked = {"formula": "party", "a": first, "b": second}
    effects = client.get(reverse("run_effects_json", args=[spoken.pk]), asked).json()
    served = client.get(f"/api/v1/runs/{spoken.pk}/effects", asked).json()
    file = client.get(reverse("run_effects_csv", args=[spoken.pk]), asked).content.decode()
    lines = {int(line["topic"]): line for line in csv.DictReader(io.StringIO(file))}
    assert effects["topics"] == served["topics"]
    assert effects["level"] == page["level"]
    assert {row["number"] for row in effects["topics"] if row["named"]} == set(page["topics"])
    for row in effects["topics"]:
        line = lines[row["number"]]
        for name, column in zip(SAME, ("difference", "low", "high", "p"), strict=True):
            assert float(line[column]) == row[name]
        assert float(line["level"]) == effects["level"]
        outside = row["difference_low"] > 0 or row["difference_high"] < 0
        assert row["named"] == outside
        if row["named"]:
            topic = page["topics"][row["number"]]
            assert [row[name] for name in SAME] == [topic[name] for name in SAME]
            assert row["share"] == topic["share"][::-1]


def test_what_a_group_is_compared_with_turns_the_answer(client, spoken):
    there = compared(client, spoken, in_a="party:Blue", in_b="party:Red")
    back = compared(client, spoken, in_a="party:Red", in_b="party:Blue")
    assert there["topics"].keys() == back["topics"].keys()
    for number, row in there["topics"].items():
        assert row["difference"] == -back["topics"][number]["difference"]
        assert row["difference_low"] == -back["topics"][number]["difference_high"]


def test_a_persons_answer_wins_on_every_page(client, spoken):
    """With documents as units more is called different, on both pages alike."""
    corpus = spoken.corpus
    corpus.unit = ""
    corpus.save(update_fields=["unit"])
    try:
        page = compared(client, spoken, in_a="party:Blue", in_b="party:Red")
        asked = {"effect": "party", "a": "Red", "b": "Blue"}
        effects = client.get(reverse("run_effects_json", args=[spoken.pk]), asked).json()
        assert effects["units"] == SPEAKERS * DOCUMENTS
        assert (effects["unit"]["column"], effects["unit"]["chosen_by"]) == ("", "person")
        assert page["calibrated"] == "t"
        for row in effects["topics"]:
            if row["named"]:
                assert page["topics"][row["number"]]["difference"] == row["difference"]
    finally:
        corpus.unit = None
        corpus.save(update_fields=["unit"])
