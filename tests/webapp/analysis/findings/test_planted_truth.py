"""The overview of a made corpus whose truth is known: one theme rises in a known year, one belongs
to one newspaper, and the others are the same throughout. A real training, read through
overview.json."""

from collections import Counter
from html import unescape

import numpy as np
import pytest
from django.urls import reverse

from tests.webapp.making import corpus_of, run_on

pytestmark = pytest.mark.django_db

THEMES = {
    "railway": "railway engine station track locomotive carriage signal platform junction tunnel",
    "fishing": "fishing herring trawler harbour net catch boat salmon pier tide",
    "court": "court judge jury verdict lawyer witness trial prisoner sentence plea",
    "harvest": "harvest wheat barley farmer plough field grain meadow cattle orchard",
    "theatre": "theatre actor stage comedy audience opera singer curtain drama rehearsal",
}
NAMES = list(THEMES)
PAPERS = ["Courier", "Herald", "Mercury"]
# threefold
ROSE = "railway"
SINCE = 1912
# fourfold there
OWN = "fishing"
PAPER = "Mercury"
YEARS = range(1900, 1920)
DOCUMENTS = 30  # of a year
WORDS = 40  # of a document


@pytest.fixture(scope="module")
def planted(draft, django_db_blocker):
    rng = np.random.default_rng(5)
    words = [theme.split() for theme in THEMES.values()]
    rows = [["title", "date", "paper", "text"]]
    tokens = Counter()
    for year in YEARS:
        for i in range(DOCUMENTS):
            paper = PAPERS[i % len(PAPERS)]
            weights = np.ones(len(THEMES))
            weights[NAMES.index(ROSE)] *= 3 if year >= SINCE else 1
            weights[NAMES.index(OWN)] *= 4 if paper == PAPER else 1
            # A document is mostly of one theme or two
            themes = rng.choice(len(THEMES), WORDS, p=rng.dirichlet(weights / 3))
            tokens.update((NAMES[k], year >= SINCE, paper == PAPER) for k in themes.tolist())
            text = " ".join(words[k][rng.integers(len(words[k]))] for k in themes)
            rows.append([f"{paper} {year}, {i}", str(year), paper, text])
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "papers.csv", language="en", min_documents=1, max_share=1.0)
        yield run_on(corpus, seed=1, topics=len(THEMES), passes=20), tokens


def theme(client, run, topic: int) -> str:
    """The theme that has most of a topic's first words."""
    page = client.get(reverse("run_topic_json", args=[run.pk, topic])).json()
    first = [row["word"] for row in page["words"][:6]]
    return Counter(
        name for name, text in THEMES.items() for word in first if word in text.split()
    ).most_common(1)[0][0]


def share(tokens: Counter, name: str, place: int, inside: bool) -> float:
    """Of the words on one side (place 1: since the year; 2: in the paper) the part that is of a
    theme."""
    here = {key: n for key, n in tokens.items() if key[place] == inside}
    return sum(n for key, n in here.items() if key[0] == name) / sum(here.values())


def findings(client, run) -> dict[str, list[dict]]:
    data = client.get(reverse("run_overview_json", args=[run.pk]), {"detail": "more"}).json()
    assert (
        data["ready"]
        and data["documents"] == DOCUMENTS * len(YEARS)
        and data["span"] == ["1900", "1919"]
    )
    return {
        kind: [row for row in data["findings"] if row["kind"] == kind]
        for kind in ("change", "event", "mark", "keyword")
    }


def test_what_was_planted_is_told_with_its_year_and_its_size(client, planted):
    run, tokens = planted
    told = findings(client, run)
    changed = {theme(client, run, row["topic"]["number"]): row for row in told["change"]}
    rise = changed[ROSE]
    assert f"since {SINCE}" in rise["sentence"] and rise["claims"][0]["first"] == str(SINCE)
    assert (
        rise["low"] <= share(tokens, ROSE, 1, True) / share(tokens, ROSE, 1, False) <= rise["high"]
    )
    (particular,) = [
        row for row in told["mark"] if row["items"][0]["value"] == PAPER and row["items"][0]["more"]
    ]
    assert f" of the words in {PAPER}, " in particular["sentence"]
    assert (
        theme(client, run, particular["topic"]["number"]) == OWN and len(particular["claims"]) == 1
    )
    assert (
        particular["low"]
        <= share(tokens, OWN, 2, True) / share(tokens, OWN, 2, False)
        <= particular["high"]
    )
    words = {
        claim["name"]
        for row in told["keyword"]
        if f" of {PAPER}, " in row["sentence"]
        for claim in row["claims"]
    }
    assert words and words <= set(THEMES[OWN].split())


def test_nothing_else_is_said_to_have_risen_or_to_be_particular(client, planted):
    run, _ = planted
    told = findings(client, run)
    for row in told["mark"]:
        assert PAPER in row["sentence"] or not row["items"][0]["more"], row["sentence"]
    grown = {
        theme(client, run, row["topic"]["number"])
        for row in told["change"]
        if row["claims"][0]["more"]
    }
    assert grown == {ROSE}
    words = {
        word
        for row in told["event"]
        for claim in row["claims"]
        for word in claim["name"].split(", ")
    }
    assert words <= set(THEMES[ROSE].split())


def test_its_passages_are_those_documents(client, planted):
    run, _ = planted
    told = findings(client, run)
    for row in told["change"] + told["mark"][:2]:
        path, _, query = row["url"].partition("?")
        listed = client.get(f"{path.rstrip('/')}.json?{query}").json()["items"]
        assert listed
        if row["kind"] == "change" and row["claims"][0]["more"]:
            assert all(document["date_text"] >= str(SINCE) for document in listed)


def test_the_pages_of_a_topic_and_of_time_say_its_change_as_the_overview_does(planted, client):
    """One sentence on three pages, with its interval, but for those that the overview says
    together; a topic that did not change gets none; a set's is there once the overview of the set
    was asked for, though the pages were cached."""
    run, _ = planted
    rows = client.get(reverse("run_overview_json", args=[run.pk]), {"detail": "more"}).json()[
        "findings"
    ]
    told = [row for row in rows if row["kind"] == "change"]
    changed = {part["number"] for row in told for part in row["parts"] if isinstance(part, dict)}
    changes = {row["topic"]["number"]: row for row in told if len(row["claims"]) == 1}
    assert changes and sum(len(row["claims"]) for row in told) == len(changed) < run.topics
    for k in range(run.topics):
        for name, args, query in (
            ("run_topic", [run.pk, k], {}),
            ("run_time", [run.pk], {"topics": k}),
        ):
            page = client.get(reverse(name, args=args), query).content.decode()
            for row in changes.values():
                assert (unescape(page).count(f"of: {row['sentence']}") == 1) == (
                    row["topic"]["number"] == k
                )
            assert ("lists no change of this topic" in page) == (k not in changed)
            assert k not in changes or changes[k]["sure"] in page
    many = unescape(client.get(reverse("run_time", args=[run.pk])).content.decode())
    for row in changes.values():  # below the topic's name, which the sentence begins with
        said = row["sentence"].partition(": ")[2].partition(" (")[0]
        assert said and said in many and f"({row['sure']})" in many
    by_paper = unescape(
        client.get(reverse("run_time", args=[run.pk]), {"by": "paper"}).content.decode()
    )
    assert not any(row["sentence"] in by_paper for row in changes.values())
    url = reverse("run_topic", args=[run.pk, next(iter(changes))])
    chosen = {"in": "paper:Courier"}
    assert "of these documents says what changed" in client.get(url, chosen).content.decode()
    client.get(reverse("run_overview", args=[run.pk]), chosen)
    assert "of these documents says what changed" not in client.get(url, chosen).content.decode()
