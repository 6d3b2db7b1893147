"""How topics depend on what is known of documents: formulas, and every estimate again from the documents' own rows."""

import csv
import io
import re

import numpy as np
import pytest
from django.urls import reverse

from inference.errors import Invalid
from tests.inference import naive_effects
from tests.webapp.making import corpus_of, run_on
from webapp.accounts.embargo import set_embargo
from webapp.documents import units
from webapp.effects import formula
from webapp.effects.formula import Formula, Term
from webapp.models import Document, Run
from webapp.results import evidence


@pytest.mark.parametrize(
    "text, parts",
    [
        ("party", Formula(Term("party"), "", ())),
        ("party+spline(date)", Formula(Term("party"), "", (Term("date", True),))),
        (
            'spline( date ) * party + "years in office"',
            Formula(Term("date", True), "party", (Term("years in office"),)),
        ),
        ("Präsident + e-mail", Formula(Term("Präsident"), "", (Term("e-mail"),))),
    ],
)
def test_a_formula_is_read_and_written(text, parts):
    assert formula.read(text) == parts
    assert formula.read(str(parts)) == parts


@pytest.mark.parametrize(
    "text, place",
    [("", 1), ("party +", 8), ("party ++ date", 8), ("party * date * year", 14), ("spline date", 8), ("a + b * c", 7),
     ("f(x)", 2), ("__import__('os')", 11), ("+ party", 1), ('"open', 1)],
)  # fmt: skip
def test_what_is_no_formula_is_pointed_at(text, place):
    with pytest.raises(Invalid, match=rf"At letter {place} "):
        formula.read(text)


def test_a_name_comes_once_and_terms_are_few():
    with pytest.raises(Invalid, match="twice"):
        formula.read("party + spline(date) + date")
    with pytest.raises(Invalid, match="at most|may have 8"):
        formula.read("+".join(f"f{i}" for i in range(9)))


def answer(client, run, query="", status=200):
    response = client.get(reverse("run_effects_json", args=[run.pk]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json()


def rows(run):
    """Documents with words, and each one's tokens of each topic."""
    counted = evidence.of(run)
    tokens = np.zeros((len(counted.lengths), run.topics))
    for d in range(len(tokens)):
        a, b = counted.doc_ptr[d], counted.doc_ptr[d + 1]
        tokens[d, counted.doc_topics[a:b]] = counted.doc_tokens[a:b]
    found = list(Document.objects.filter(corpus_id=run.corpus_id).order_by("number"))
    return found, tokens, counted.lengths.astype(float)


@pytest.mark.django_db
def test_estimates_equal_the_textbook(client, trained):
    found, tokens, lengths = rows(trained)
    first, second = answer(client, trained, "?formula=party")["settings"]
    party = np.array([d.metadata["party"] for d in found])
    names = sorted(set(party))
    page = answer(client, trained, f"?formula=party%2Bdecade&a={first}&b={second}&order=number")
    decade = np.array([d.date.year // 10 for d in found])
    X = np.stack(
        [np.ones(len(found)), *(party == n for n in names[1:]), *(decade == t for t in sorted(set(decade))[1:])], axis=1
    )
    X = X.astype(float)
    mean = (lengths @ X) / lengths.sum()
    settings = []
    for name in (first, second):
        row = mean.copy()
        row[1 : len(names)] = [n == name for n in names[1:]]
        settings.append(row)
    wanted = np.stack([settings[0], settings[1], settings[1] - settings[0]])
    kept = lengths > 0
    for topic in page["topics"][:4]:
        share = tokens[kept, topic["number"]] / lengths[kept]
        twin = naive_effects.regression(share, lengths[kept], X[kept], np.arange(kept.sum()), wanted)
        assert topic["difference"] == pytest.approx(twin[2, 0], abs=1e-9)
        assert topic["share"] == pytest.approx(np.clip(twin[:2, 0], 0, 1), abs=1e-9)
    assert page["documents"] == kept.sum()
    assert page["caution"] or all(
        t["difference_low"] <= t["difference"] <= t["difference_high"] for t in page["topics"]
    )


@pytest.mark.django_db
def test_along_a_line_intervals_are_students(client, trained):
    found, tokens, lengths = rows(trained)
    page = answer(client, trained, "?formula=date&topic=2&order=number")
    ordinal = np.array([d.date.toordinal() for d in found], float)
    t = (ordinal - ordinal.min()) / np.ptp(ordinal)
    t = np.rint(t * 1023) / 1023  # dates are told in steps
    kept, X = lengths > 0, np.stack([np.ones(len(t)), t], axis=1)
    slope = naive_effects.regression(
        tokens[kept, 2] / lengths[kept], lengths[kept], X[kept], np.arange(kept.sum()), np.array([[0.0, 1.0]])
    )[0]
    labels = [b["label"] for b in page["one"]["bins"]]
    assert len(labels) == 21
    assert page["one"]["in_time"]
    line = page["one"]["topics"][0]
    inside = [i for i, s in enumerate(line["share"]) if 0 < s < 1]
    steps = np.diff(np.array(line["share"])[inside])
    assert np.sign(steps).tolist() == [np.sign(slope[0])] * len(steps)
    row = next(topic for topic in page["topics"] if topic["number"] == 2)
    assert np.sign(row["difference"]) == np.sign(slope[0])
    low, high = row["difference_low"], row["difference_high"]
    assert (low + high) / 2 == pytest.approx(row["difference"])


HEAD = ["text", "date", "party", "author", "age"]


@pytest.fixture
def party_of_time() -> list[list]:
    """Party follows time but for a few, author is the unit; the words of trade grow with age."""
    chance, made = np.random.default_rng(4), []
    for i in range(240):
        year = 1900 + i // 4
        party = "Blue" if (year < 1930) != (i % 12 == 0) else "Red"
        age = int(chance.integers(20, 80))
        words = ["war", "peace", "army"] * 8 + ["tariff", "trade", "duties"] * (age // 10)
        made.append([" ".join(chance.permutation(words)), f"{year}-05-01", party, f"A{i % 24}", age])
    return made


@pytest.fixture
def corpus(draft, party_of_time):
    return corpus_of(draft, [HEAD, *party_of_time], "parties.csv")


@pytest.mark.django_db
def test_a_number_the_unit_and_what_is_held_constant(client, corpus):
    run = run_on(corpus, topics=2, passes=10)
    units.choose(corpus, "author")
    page = answer(client, run, "?formula=age%2Bspline(date)%2Bparty")
    assert (page["units"], page["documents"]) == (24, 240)
    assert "author" in page["unit"]
    trade = next(topic for topic in page["topics"] if {"tariff", "trade", "duties"} & set(topic["words"]))
    assert trade["named"]
    assert trade["difference_low"] > 0
    apart = answer(client, run, "?formula=party%2Bauthor%2Bdecade%2Bage")
    assert apart["topics"] or apart["caution"]
    groups = answer(client, run, "?formula=age%2Aparty")
    assert groups["groups"] == ["Red", "Blue"]
    assert max(abs(topic["difference"]) for topic in groups["topics"]) < 0.03  # the same in both
    table = list(csv.DictReader(io.StringIO(client.get(reverse("run_effects_csv", args=[run.pk]) + "?formula=age%2Bspline(date)%2Bparty").content.decode())))  # fmt: skip
    for line in table:
        shown = next(topic for topic in page["topics"] if topic["number"] == int(line["topic"]))
        assert float(line["difference"]) == shown["difference"]
        assert float(line["low"]) == shown["difference_low"]
        assert float(line["level"]) == (page["level"] if shown["named"] else 0.95)


@pytest.mark.django_db
def test_nothing_is_concluded_of_what_time_decides(client, draft, party_of_time):
    for i, row in enumerate(party_of_time):
        row[2] = "Blue" if i < 120 else "Red"
    run = run_on(corpus_of(draft, [HEAD, *party_of_time], "parties.csv"), topics=2, passes=10)
    page = answer(client, run, "?formula=party%2Bspline(date)")
    assert "same times" in page["caution"]
    assert page["topics"] == []
    html = client.get(reverse("run_effects", args=[run.pk]) + "?formula=party%2Bspline(date)").content.decode()
    assert "same times" in html


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query, sentence",
    [
        ("?formula=party%2Bcolour", "is not a category"),
        ("?formula=spline(party)", "A spline is of a number"),
        ("?formula=party&a=Purple", "is no value of"),
        ("?formula=date&a=soon", "soon"),
        ("?formula=year", "at most 32"),
        ("?formula=month%2Bpresident", "at most 32"),
        ("?formula=party&from=1500&to=1501", "Of no document with words"),
        ("?formula=date%2Adecade%2Bdate", "twice"),
        ("?formula=decade%2Adate", "values of a category"),
        ("?formula=party&topic=900", "has topics 0 to"),
    ],
)
def test_what_can_not_be_had_is_said_on_the_page_too(client, trained, query, sentence):
    assert sentence in answer(client, trained, query, status=400)["error"]
    page = client.get(reverse("run_effects", args=[trained.pk]) + query)
    assert page.status_code == 200
    assert sentence in page.content.decode().replace("&#x27;", "'")


@pytest.mark.django_db
def test_menus_write_the_formula(client, trained):
    asked = "?effect=party&held=spline(date)&held=party&across="
    assert answer(client, trained, asked)["formula"] == "party + spline(date)"


@pytest.mark.django_db
def test_hidden_and_merged_topics_are_not_tried(client, trained):
    before = answer(client, trained, "?formula=party&order=number")
    assert before["tried"] == len(before["topics"]) == trained.topics


@pytest.mark.django_db
def test_a_set_restricts_it(client, trained):
    everywhere, some = answer(client, trained, "?formula=party"), answer(client, trained, "?formula=party&to=1799")
    assert some["documents"] < everywhere["documents"]
    assert some["selection"] != everywhere["selection"]


@pytest.mark.django_db
def test_estimates_are_counts_that_an_embargo_does_not_hide(client, corpus):
    run = run_on(corpus, topics=2, passes=10)
    before = answer(client, run, "?formula=party")
    set_embargo(corpus, True)
    assert answer(client, run, "?formula=party") == before


@pytest.mark.django_db
def test_a_claim_is_looked_at_in_the_other_runs_of_its_corpus(client, corpus):
    units.choose(corpus, "author")
    run = run_on(corpus, topics=2, passes=10)
    again = run_on(corpus, topics=2, passes=10)  # the same in every choice: it adds nothing
    other, many = run_on(corpus, topics=2, passes=10, seed=1), run_on(corpus, topics=5, passes=10)
    query = "?formula=party%2Bspline(date)&topic=0"
    page = client.get(reverse("run_claim_json", args=[run.pk]) + query).json()
    assert {row["run"] for row in page["runs"]} == {run.pk, other.pk, many.pk}
    assert again.pk not in {row["run"] for row in page["runs"]}
    shown = answer(client, run, query)
    own = next(row for row in page["runs"] if row["run"] == run.pk)
    topic = next(topic for topic in shown["topics"] if topic["number"] == 0)
    assert own["difference"] == pytest.approx(topic["difference"])
    for row in page["runs"]:
        if row["topic"] is None:
            assert row["difference"] is None
            assert not row["holds"]
            continue
        there = Run.objects.get(pk=row["run"])
        one = next(t for t in answer(client, there, query)["topics"] if t["number"] == row["topic"]["number"])
        assert row["difference"] == pytest.approx(one["difference"])
    assert page["holds"] == sum(row["holds"] for row in page["runs"])
    assert page["p"] is None
    assert "are on both sides" in page["untested"]
    units.choose(corpus, "")
    tested = client.get(reverse("run_claim_json", args=[run.pk]) + query).json()
    assert 0 < tested["p_fixed"] <= tested["p"] <= 1
    assert page["median"] == pytest.approx(
        np.median([row["difference"] for row in page["runs"] if row["difference"] is not None])
    )
    choices = {choice["name"]: choice["values"] for choice in page["choices"]}
    assert sum(n for _, _, n in choices["topics"]) == sum(n for _, _, n in choices["seed"]) == 3
    html = client.get(reverse("run_claim", args=[run.pk]) + query).content.decode()
    assert f"It holds in {page['holds']} of 3 runs" in html
    assert "K = 4, seed 2, seed 3" in html  # half of two topics is no choice, and seed 1 is there


@pytest.mark.django_db
def test_further_runs_differ_in_one_choice_each(client, corpus):
    run = run_on(corpus, topics=3, passes=10)
    answered = client.post(reverse("run_variants", args=[run.pk]), {"next": f"/runs/{run.pk}/time/effects/"})
    assert answered.status_code == 302
    made = Run.objects.filter(corpus=corpus).exclude(pk=run.pk).order_by("pk")
    assert [(new.topics, new.seed) for new in made] == [(6, 0), (3, 1), (3, 2)]  # half of three is no choice
    assert {new.settings["passes"] for new in made} == {10}


@pytest.mark.django_db
def test_a_set_that_topics_say_is_no_set_of_another_run(client, trained):
    answered = client.get(reverse("run_claim_json", args=[trained.pk]) + "?formula=party&topic=1&has=2:10")
    assert answered.status_code == 400
    assert "another set in another run" in answered.json()["error"]


@pytest.mark.django_db
def test_a_finding_leads_to_its_effect(client, trained):
    """Each page opens, on the finding's topic, with the group that it is about as one of the two."""
    html = client.get(reverse("run_overview", args=[trained.pk]) + "?detail=more").content.decode()
    urls = [url.replace("&amp;", "&") for url in re.findall(r'href="([^"]*/time/effects/[^"]*)"', html)]
    findings = client.get(reverse("run_overview_json", args=[trained.pk]) + "?detail=more").json()["findings"]
    wanted = [f for f in findings if f["kind"] in ("change", "mark") and f["claims"]]
    assert len(urls) == len(wanted) > 0
    for url, finding in zip(urls, wanted, strict=True):
        page = client.get(url.partition("#")[0].replace("/effects/", "/effects.json"))
        assert page.status_code == 200, (url, page.content)
        if finding["claims"][0]["value"]:
            assert page.json()["settings"][1] == finding["claims"][0]["value"]
