"""Agreement as a property: of random questions on real runs the number, its interval and the verdict
are collected by address from finished pages, their JSON, files and the API, and are equal to the
last digit."""

import csv
import html
import io
import re
from typing import NamedTuple

import numpy as np
import pytest
from django.urls import reverse

from tests.corpora import example_rows
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.effects.estimates import Regression
from webapp.core.documents import document_days
from webapp.platform.drawing.intervals import ends_said
from webapp.platform.drawing.trends import points
from webapp.platform.storage.cache import clear_all

pytestmark = pytest.mark.django_db
QUESTIONS = 6  # of each kind and run
SECTIONS = 8_375  # of the shipped example
EVERY = 9  # of the example's sections, so that all presidents speak
PERSONS = 12  # of the made collection: six on a side
# Where the topics begin that may be chance: of Effects, and of Compare two
FOLDED = re.compile('<details class="rest open-on-paper"|<section aria-labelledby="unsure">')
_ROW = re.compile(r'<tr[^>]*data-topic="(\d+)">(.*?)</tr>', re.DOTALL)
_CELL = re.compile(r'data-label="([^"]*)"[^>]*>(.*?)</td>', re.DOTALL)
_CLAIM = re.compile(r'href="([^"]*/time/effects/runs/\?[^"]*)"')
_TAG = re.compile(r"<[^>]*>")


class Numbers(NamedTuple):
    """What a place says of a topic or a word."""

    number: float | str
    low: float | str | None
    high: float | str | None
    p: float | None
    beyond_chance: bool


class Told(NamedTuple):
    """What a place says in all. rows: by topic or word; level: of the intervals; unit: whose texts
    count as one, and by whom that was said, None where a place does not tell it."""

    rows: dict[int | str, Numbers]
    level: float
    unit: tuple[str, str] | None


def disagreements(places: dict[str, Told]) -> list[str]:
    """A line for each number that two places say differently. What a place does not list, it does
    not say."""
    wrong = []
    names = list(places)
    for first, second in zip(names, names[1:], strict=False):
        one = places[first]
        other = places[second]
        if one.level != other.level:
            wrong.append(f"{first} and {second}: levels {one.level} and {other.level}")
        if None not in (one.unit, other.unit) and one.unit != other.unit:
            wrong.append(f"{first} and {second}: units {one.unit} and {other.unit}")
        for key in one.rows.keys() & other.rows.keys():
            if one.rows[key] != other.rows[key]:
                wrong.append(f"{first} and {second}: {key} {one.rows[key]} {other.rows[key]}")
        beyond = [
            {key for key, row in told.rows.items() if row.beyond_chance} for told in (one, other)
        ]
        if beyond[0] != beyond[1]:
            wrong.append(f"{first} and {second}: {beyond[0] ^ beyond[1]} beyond chance in one")
    return wrong


@pytest.fixture(scope="module")
def example(draft, django_db_setup, django_db_blocker):
    """A run of the shipped example, with the unit as it is found in the data."""
    head, *rows = example_rows(SECTIONS)
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, [head, *rows[::EVERY]], "union.csv", language="en")
        yield run_on(corpus, seed=2, topics=8, passes=4)


@pytest.fixture(scope="module")
def persons(draft, django_db_setup, django_db_blocker):
    """Twelve persons of two parties, who have subjects of their own; Blues have more ships."""
    chance = np.random.default_rng(7)
    subjects = (
        "horse cow sheep goat hen goose duck pig".split(),
        "comet planet orbit moon galaxy nebula meteor star".split(),
        "ship harbour sail anchor captain cargo tide deck".split(),
    )
    rows = [["date", "person", "party", "text"]]
    for i in range(50 * PERSONS):
        person = i % PERSONS
        party = "Blue" if person % 2 else "Red"
        weights = np.array([2.0 + person % 3, 2.0 + person % 4, 1.0 + 5 * (party == "Blue")])
        words = [
            chance.choice(subjects[k]) for k in chance.choice(3, 25, p=weights / weights.sum())
        ]
        rows.append([f"{1900 + i % 20}-05-01", f"person {person}", party, " ".join(words)])
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft, rows, "persons.csv", language="en", min_documents=1, max_share=1.0
        )
        yield run_on(corpus, seed=1, topics=3, passes=20)


@pytest.fixture(scope="module", params=["example", "persons"])
def run(request):
    return request.getfixturevalue(request.param)


def two_parties(run, chance) -> tuple[list[str], dict[str, str]]:
    """Two values of the field “party”, and a set of documents by their dates."""
    version = run.version
    values = next(f.values for f in version_categories(version) if f.name == "party")
    most = values[:4]
    pair = chance.permutation(len(most))[:2]
    first, last = sorted(chance.integers(*years(run), 2).tolist())
    restricted = {"from": str(first), "to": str(last + 3)} if chance.random() < 0.5 else {}
    return [most[i] for i in pair], restricted


def version_categories(version):
    from webapp.core.documents import fields

    return fields.categories(version)


def years(run) -> tuple[int, int]:

    first, last = document_days.first_and_last(run.version)
    return first.year, last.year


def unit_of(page: dict) -> tuple[str, str]:
    return page["unit"]["column"], page["unit"]["chosen_by"]


def in_topics(rows: list[dict], beyond_chance) -> dict:
    return {
        row["number"]: Numbers(
            row["difference"],
            row["difference_low"],
            row["difference_high"],
            row["p"],
            beyond_chance(row),
        )
        for row in rows
    }


def in_html(page: str, level: float) -> dict:
    """Differences and intervals as a page writes them: topics that may be chance are folded."""
    rows = {}
    for part, beyond in zip(FOLDED.split(page, maxsplit=1), (True, False), strict=False):
        for number, cells in _ROW.findall(part):
            labels = _CELL.findall(cells)
            shown = {label: " ".join(_TAG.sub("", text).split()) for label, text in labels}
            ends = next((text for label, text in shown.items() if label.endswith("interval")), None)
            if "difference, points" in shown:
                difference = shown["difference, points"]
                rows[int(number)] = Numbers(difference, ends, None, None, beyond)
    return rows


def as_written(told: Told, rows: list[dict]) -> Told:
    """The numbers of JSON as a page writes them."""
    beyond = {number: row.beyond_chance for number, row in told.rows.items()}
    return told._replace(
        rows={
            row["number"]: Numbers(
                points(row["difference"]), written(row), None, None, beyond[row["number"]]
            )
            for row in rows
        }
    )


def written(row: dict) -> str:
    class Row:
        difference = row["difference"]
        difference_low = row["difference_low"]
        difference_high = row["difference_high"]

    return " ".join(ends_said(Row).split())


def of_two_values(client, run, values: list[str], restricted: dict[str, str]) -> list[dict]:
    """What all places say of two values of “party”: exact numbers, and numbers as written."""
    first, second = values
    compare = restricted | {"in_a": f"party:{second}", "in_b": f"party:{first}"}
    effect = restricted | {"formula": "party", "a": first, "b": second}
    page = client.get(reverse("run_time_compare_json", args=[run.pk]), compare)
    if page.status_code == 400:  # one side has no documents
        return []
    page = page.json()
    listed = [row for part in page["more"] for row in part]
    effects = client.get(reverse("run_effects_json", args=[run.pk]), effect).json()
    served = client.get(f"/api/v1/runs/{run.pk}/effects", effect).json()
    file = client.get(reverse("run_effects_csv", args=[run.pk]), effect).content.decode()
    assert page["caution"] == effects["caution"] and page["few_units"] == effects["few_units"]
    if effects["caution"]:
        assert not listed and not effects["topics"]
        return []
    exact = {
        "compare": Told(in_topics(listed, lambda row: True), page["level"], unit_of(page)),
        "effects": of_effects(effects),
        "API": of_effects(served),
        "file": of_file(file),
    }
    finished = client.get(reverse("run_effects", args=[run.pk]), effect).content.decode()
    # Pages print the second minus the first; JSON of two sets has the first minus the second
    in_order = restricted | {"in_a": f"party:{first}", "in_b": f"party:{second}"}
    compared = client.get(reverse("run_time_compare", args=[run.pk]), in_order).content.decode()
    shown = {
        "effects as JSON": as_written(exact["effects"], effects["topics"]),
        "effects": Told(in_html(finished, effects["level"]), effects["level"], None),
        "compare": Told(in_html(compared, page["level"]), page["level"], None),
        "compare as JSON": as_written(exact["compare"], listed),
    }
    assert effects["unit"]["sentence"] in " ".join(finished.split())
    assert page["unit"]["sentence"] in " ".join(compared.split())
    return [exact, shown, in_claims(client, run, effect, effects)]


def of_effects(page: dict) -> Told:
    rows = in_topics(page["topics"], lambda row: row["named"])
    for row in page["topics"]:
        assert row["named"] == (row["verdict"] in ("", "one unit"))
    return Told(rows, page["level"], unit_of(page))


def of_file(text: str) -> Told:
    lines = list(csv.DictReader(io.StringIO(text)))

    def number(line: dict, name: str) -> float | None:
        return float(line[name]) if line[name] else None

    rows = {}
    for line in lines:
        values = [number(line, name) for name in ("difference", "low", "high", "p")]
        rows[int(line["topic"])] = Numbers(*values, line["beyond_chance"] == "1")
    unit = (lines[0]["unit"], lines[0]["unit_chosen_by"])
    return Told(rows, float(lines[0]["level"]), unit)


def in_claims(client, run, effect: dict[str, str], effects: dict) -> dict[str, Told]:
    """The page “Does it hold in other runs?” of the clearest topic, and its run's own row there."""
    number = effects["topics"][0]["number"]
    asked = effect | {"topic": number}
    page = client.get(reverse("run_claim_json", args=[run.pk]), asked).json()
    served = client.get(f"/api/v1/runs/{run.pk}/topics/{number}/claim", effect).json()
    own = next(row for row in page["runs"] if row["run"] == run.pk)
    told = in_topics([page["topic"]], lambda row: row["named"])[number]
    first = Numbers(own["difference"], own["low"], own["high"], told.p, own["holds"])
    mine = in_topics([effects["topics"][0]], lambda row: row["named"])
    assert page["conclusion"] == served["conclusion"]
    return {
        "effects": Told(mine, effects["level"], unit_of(effects)),
        "claim": Told({number: told}, page["level"], unit_of(page)),
        "claim by API": Told(
            in_topics([served["topic"]], lambda row: row["named"]), served["level"], unit_of(served)
        ),
        "claim of the run itself": Told({number: first}, page["level"], None),
    }


def test_two_values_have_one_answer_everywhere(client, run):
    chance = np.random.default_rng(60)
    asked = 0
    for _ in range(QUESTIONS):
        values, restricted = two_parties(run, chance)
        for places in of_two_values(client, run, values, restricted):
            assert disagreements(places) == [], (values, restricted)
            asked += len(next(iter(places.values())).rows) > 0
    assert asked >= 3


def test_a_value_against_all_others_has_one_answer_everywhere(client, persons):
    page = client.get(reverse("run_overview_json", args=[persons.pk]), {"detail": "more"}).json()
    served = client.get(f"/api/v1/runs/{persons.pk}/findings", {"detail": "more"}).json()
    assert page["findings"] == served["findings"]
    claims = [claim for row in page["findings"] if row["kind"] == "mark" for claim in row["claims"]]
    assert claims
    for claim in claims:
        asked = {"in_a": f"{claim['field']}:{claim['value']}"}
        compared = client.get(reverse("run_time_compare_json", args=[persons.pk]), asked).json()
        rows = in_topics([row for part in compared["more"] for row in part], lambda row: True)
        answer = claim["answer"]
        told = Numbers(*(answer[name] for name in SAME), True)
        assert rows[claim["topic"]] == told
        assert (compared["level"], compared["unit"]["column"]) == (answer["level"], answer["unit"])


SAME = ("difference", "difference_low", "difference_high", "p")


def of_claim(client, address: str) -> tuple[Told, dict]:
    """What “Does it hold in other runs?” says of the run itself: the topic, and its own row."""
    page = client.get(address.replace("/?", ".json?").partition("#")[0])
    assert page.status_code == 200, page.content
    page = page.json()
    told = Told(in_topics([page["topic"]], lambda row: row["named"]), page["level"], unit_of(page))
    return told, page


def test_a_comparison_asks_its_own_question_of_other_runs(client, run):
    """“Does it hold?” beside a topic of two sets: the same number, interval, level and unit."""
    chance = np.random.default_rng(62)
    followed = 0
    for _ in range(QUESTIONS):
        (first, second), restricted = two_parties(run, chance)
        span = {"from_a": str(years(run)[0] + 3)}
        for sides in ({"in_a": f"party:{second}", "in_b": f"party:{first}"}, span):
            asked = restricted | sides
            page = client.get(reverse("run_time_compare_json", args=[run.pk]), asked)
            if page.status_code == 400 or not any(page.json()["more"]):
                continue
            page = page.json()
            listed = [row for part in page["more"] for row in part]
            shown = client.get(reverse("run_time_compare", args=[run.pk]), asked).content.decode()
            addresses = [html.unescape(url) for url in _CLAIM.findall(shown)]
            assert len(addresses) == len(listed)
            row, address = listed[0], addresses[0]
            told, claim = of_claim(client, address)
            number = row["number"]
            served = client.get(f"/api/v1/runs/{run.pk}/topics/{number}/claim", asked).json()
            in_served = in_topics([served["topic"]], lambda row: row["named"])
            assert Told(in_served, served["level"], unit_of(served)) == told
            assert served["conclusion"] == claim["conclusion"]
            for name in ("run", "difference", "low", "high", "holds"):
                in_runs = [one[name] for one in claim["runs"]]
                assert [one[name] for one in served["runs"]] == in_runs
            exact = in_topics([row], lambda row: True)
            assert told == Told(exact, page["level"], unit_of(page))
            assert claim["topic"]["share"] == row["share"][::-1]
            own = next(one for one in claim["runs"] if one["run"] == run.pk)
            assert [own[name] for name in ("difference", "low", "high")] == [
                row[name] for name in SAME[:3]
            ]
            finished = client.get(address).content.decode()
            assert page["sides"][0]["name"] in html.unescape(finished)
            assert "Compare two" in finished
            followed += 1
    assert followed


def test_a_finding_asks_its_own_question_of_other_runs(client, persons):
    """“Effect” and “Does it hold?” beside a sentence say what the sentence says."""
    query = {"detail": "more"}
    page = client.get(reverse("run_overview_json", args=[persons.pk]), query).json()
    shown = client.get(reverse("run_overview", args=[persons.pk]), query).content.decode()
    claims = [html.unescape(url) for url in _CLAIM.findall(shown)]
    findings = [row for row in page["findings"] if row["kind"] in ("change", "mark")]
    assert len(claims) == len(findings) > 0
    told = [of_claim(client, address)[0] for address in claims]
    for row in findings:
        claim = row["claims"][0]
        wanted = Numbers(*(claim["answer"][name] for name in SAME), True)
        level = claim["answer"]["level"]
        assert any(each.rows == {claim["topic"]: wanted} and each.level == level for each in told)


def in_words(page: dict) -> dict:
    return {
        row["word"]: Numbers(row["times"], row["low"], row["high"], row["p"], True)
        for part in page["words"]
        for row in part
    }


def test_words_of_two_sets_have_one_answer_everywhere(client, run):
    chance = np.random.default_rng(61)
    listed = 0
    for _ in range(QUESTIONS):
        (first, second), restricted = two_parties(run, chance)
        asked = restricted | {"in_a": f"party:{first}", "in_b": f"party:{second}"}
        page = client.get(reverse("run_keyness_json", args=[run.pk]), asked)
        if page.status_code == 400:
            continue
        page = page.json()
        served = client.get(f"/api/v1/runs/{run.pk}/keyness", asked).json()
        file = client.get(reverse("run_keyness_csv", args=[run.pk]), asked).content.decode()
        lines = list(csv.DictReader(io.StringIO(file)))
        in_file = {
            line["word"]: Numbers(
                *(
                    float(line[name]) if line[name] else None
                    for name in ("times", "low", "high", "p")
                ),
                True,
            )
            for line in lines
        }
        places = {
            "page": Told(in_words(page), page["level"], unit_of(page)),
            "API": Told(in_words(served), served["level"], unit_of(served)),
        }
        assert disagreements(places) == []
        words = in_words(page)
        assert {word: in_file[word] for word in words} == words
        for line in lines:
            assert float(line["level"]) == page["level"]
            assert (line["unit"], line["unit_chosen_by"]) == unit_of(page)
        for row in words.values():
            assert row.low is None or row.low > 1
            assert row.high is None or row.high > row.low
        compared = client.get(reverse("run_time_compare_json", args=[run.pk]), asked).json()
        assert page["unit"] == compared["unit"]
        assert (page["caution"], page["few_units"]) == (compared["caution"], compared["few_units"])
        listed += len(words)
    assert listed or run.topics == 8


def test_another_estimator_on_one_page_is_found(client, persons, monkeypatch):
    """The test can fail: with an estimator of its own a page is told."""
    agreed = of_two_values(client, persons, ["Red", "Blue"], {})
    assert all(disagreements(places) == [] for places in agreed)
    monkeypatch.setattr(Regression, "is_plain", property(lambda regression: False))
    clear_all()
    assert disagreements(of_two_values(client, persons, ["Red", "Blue"], {})[0])
    clear_all()


def test_one_last_digit_is_found(client, persons):
    exact = of_two_values(client, persons, ["Red", "Blue"], {})[0]
    for name, told in exact.items():
        key, row = next(iter(told.rows.items()))
        for field in ("number", "low", "high", "p"):
            value = np.nextafter(getattr(row, field), 2.0)
            changed = told._replace(rows=told.rows | {key: row._replace(**{field: value})})
            assert disagreements(exact | {name: changed}), (name, field)
        assert disagreements(exact | {name: told._replace(level=0.95000001)})
        assert disagreements(exact | {name: told._replace(unit=("party", "data"))})
        changed = told._replace(
            rows=told.rows | {key: row._replace(beyond_chance=not row.beyond_chance)}
        )
        assert disagreements(exact | {name: changed})
