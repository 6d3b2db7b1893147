"""Claims of the overview followed over all pages, as a reader would press: of the shipped addresses
(changes over time) and of the manifestos (differences of parties)."""

import csv
import html
import io
import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from benchmarks.engines.corpora import SHARED
from benchmarks.insight import collections
from tests.corpora import example_rows
from tests.webapp.making import corpus_of, run_on

pytestmark = pytest.mark.django_db
SECTIONS = 8_375  # of the shipped example
EVERY = 9  # of these, so that all presidents speak
CLAIMS = {"addresses": ("change", 3), "manifestos": ("mark", 2)}  # kind, and how many at least
SAME = ("difference", "difference_low", "difference_high", "p")
_LINK = '<a href="([^"]*)">{}<span class="hidden">[^<]*{}</span>'


def rows_of_manifestos() -> list[list[str]]:
    if not (SHARED / "manifestos.csv.gz").exists():
        pytest.skip("the manifestos are not on this machine")
    texts = collections.manifestos(quick=False)
    _, content = texts.files[0]
    return list(csv.reader(io.StringIO(content.decode())))


@pytest.fixture(scope="module", params=list(CLAIMS))
def trained_run(request, draft, django_db_setup, django_db_blocker):
    """(the run, the kind of its claims, how many are followed)"""
    if request.param == "addresses":
        head, *sections = example_rows(SECTIONS)
        rows = [head, *sections[::EVERY]]
        settings = {"topics": 8, "passes": 4, "seed": 2}
    else:
        rows = rows_of_manifestos()
        # A seed of which the overview tells two such claims: of others it tells one or none
        settings = {"topics": 30, "seed": 2}
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, f"{request.param}.csv", language="en")
        yield (run_on(corpus, **settings), *CLAIMS[request.param])


def link(shown: str, text: str, sentence: str) -> str:
    """The address of a link beside a sentence."""
    found = re.search(_LINK.format(re.escape(text), re.escape(html.escape(sentence))), shown)
    assert found, (text, sentence)
    return html.unescape(found[1])


def data_of(client, address: str) -> dict:
    answer = client.get(address.partition("#")[0].replace("/?", ".json?"))
    assert answer.status_code == 200, answer.content
    return answer.json()


def numbers_of(row: dict) -> list:
    return [row[name] for name in SAME]


def test_a_claim_says_the_same_wherever_it_is_followed(client, trained_run):
    run, kind, least = trained_run
    more = {"detail": "more"}
    page = client.get(reverse("run_overview_json", args=[run.pk]), more).json()
    served = client.get(f"/api/v1/runs/{run.pk}/findings", more).json()
    shown = client.get(reverse("run_overview", args=[run.pk]), more).content.decode()
    assert page["findings"] == served["findings"]
    rows = [row for row in page["findings"] if row["kind"] == kind]
    assert len(rows) >= least, [row["sentence"] for row in page["findings"]]
    for row in rows[:least]:
        (claim,) = row["claims"]
        answer = claim["answer"]
        topic = claim["topic"]
        told = numbers_of(answer)
        assert answer["difference_low"] > 0 or answer["difference_high"] < 0
        interval = row["ends"] if row["ends"].startswith("surely") else f"interval {row['ends']}"
        assert f", {interval}" in row["sure"]

        compared = data_of(client, link(shown, "Effect", f" of: {row['sentence']}"))
        listed = {each["number"]: each for part in compared["more"] for each in part}
        assert numbers_of(listed[topic]) == told
        assert compared["level"] == answer["level"]
        assert compared["unit"]["column"] == answer["unit"]

        address = link(shown, "Does it hold?", f" In other runs: {row['sentence']}")
        in_runs = data_of(client, address)
        question = dict(parse_qsl(urlsplit(address).query))
        del question["topic"]
        in_api = client.get(f"/api/v1/runs/{run.pk}/topics/{topic}/claim", question).json()
        for claimed in (in_runs, in_api):
            assert numbers_of(claimed["topic"]) == told
            assert (claimed["level"], claimed["unit"]["column"]) == (
                answer["level"],
                answer["unit"],
            )
            (own,) = [each for each in claimed["runs"] if each["run"] == run.pk]
            assert [own["difference"], own["low"], own["high"]] == told[:3]
            assert own["holds"]
