"""How topics depend on what is known of documents: formulas, and every estimate again from the
documents' own rows."""

import csv
import html
import io
import json
import re
from types import SimpleNamespace
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from django.db.models.functions import Now
from django.http import QueryDict
from django.urls import reverse
from scipy.special import stdtrit
from scipy.stats import norm

from inference.errors import Invalid
from tasks.corpora import choose
from tests.corpora import as_csv
from tests.inference import naive_answers, naive_effects
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.effects import (
    estimates,
    formula,
    model,
    sentences,
    taken_out,
    two_sets,
    variables,
    variants,
)
from webapp.analysis.effects.formula import Formula, Term
from webapp.analysis.effects.model import EffectQuestion
from webapp.analysis.findings.sentences import MOST_WORDS
from webapp.core.curation import services as curation
from webapp.core.documents import corpus_unit, days
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.core.results.priors import priors
from webapp.core.results.view import RunView
from webapp.intake.ingest import corpora, versions
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.models import Corpus, Document, Run, Version
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.tables import cells_of_points, cells_of_shares
from webapp.platform.drawing.trends import points
from webapp.platform.storage import cache


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


NAMES = [
    "years in office",
    'the "old" party',
    '"',
    '""',
    "a + b",
    "a*b",
    "spline(age)",
    "spline(",
    "партия",
    "党",
    "e-mail",
    " x ",
    "it's",
    "9",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_read_as_it_was_written(name):
    for parts in (
        Formula(Term(name, True), "other", ()),
        Formula(Term("other"), name, (Term("z"),)),
        Formula(Term("z"), "", (Term(name),)),
    ):
        assert formula.read(str(parts)) == parts
    assert formula.term(str(Term(name))) == Term(name)


@pytest.mark.parametrize(
    "text, place",
    [
        ("", 1),
        ("party +", 8),
        ("party ++ date", 8),
        ("party * date * year", 14),
        ("spline date", 8),
        ("a + b * c", 7),
        ("f(x)", 2),
        ("__import__('os')", 11),
        ("+ party", 1),
        ('"open', 1),
    ],
)
def test_what_is_no_formula_is_pointed_at(text, place):
    with pytest.raises(Invalid, match=rf"At letter {place} "):
        formula.read(text)


def test_a_name_comes_once_and_terms_are_few():
    with pytest.raises(Invalid, match="twice"):
        formula.read("party + spline(date) + date")
    with pytest.raises(Invalid, match="at most|may have 8"):
        formula.read("+".join(f"f{i}" for i in range(9)))
    with pytest.raises(Invalid, match="at most 2,000 letters"):
        formula.read("x" * 2_001)


def answer(client, run, query="", status=200):
    response = client.get(reverse("run_effects_json", args=[run.pk]) + query)
    assert response.status_code == status, response.content[-2000:]
    return response.json()


def rows(run):
    """Documents with words, and each one's tokens of each topic."""
    counted = evidence.of(run)
    tokens = np.zeros((len(counted.lengths), run.topics))
    for d in range(len(tokens)):
        a = counted.mixtures.doc_ptr[d]
        b = counted.mixtures.doc_ptr[d + 1]
        tokens[d, counted.mixtures.doc_topics[a:b]] = counted.mixtures.doc_tokens[a:b]
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
        [
            np.ones(len(found)),
            *(party == n for n in names[1:]),
            *(decade == t for t in sorted(set(decade))[1:]),
        ],
        axis=1,
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
        twin = naive_effects.regression(
            share, lengths[kept], X[kept], np.arange(kept.sum()), wanted
        )
        assert topic["difference"] == pytest.approx(twin[2, 0], abs=1e-9)
        expected = dict(zip((first, second), np.clip(twin[:2, 0], 0, 1).tolist(), strict=True))
        for name, share in zip((first, second), topic["share"], strict=True):
            is_told = name not in page["no_share_of"]
            assert share == (pytest.approx(expected[name], abs=1e-9) if is_told else None)
    assert not {first, second} <= {*page["no_share_of"]}
    assert page["documents"] == kept.sum()
    assert page["caution"] or all(
        t["difference_low"] <= t["difference"] <= t["difference_high"] for t in page["topics"]
    )


DATE_STEPS = 1023  # dates are told in steps
LINE_POINTS = 21


class AlongDates(NamedTuple):
    """What a page says of a topic along the date, and what it is made of. tokens: of the topic in
    documents with words; position: their dates, from 0 to 1; ordinals: of all documents."""

    page: dict
    tokens: np.ndarray
    lengths: np.ndarray
    position: np.ndarray
    ordinals: np.ndarray

    @property
    def line(self) -> dict:
        """The line that is drawn."""
        return self.page["one"]["topics"][0]

    @property
    def row(self) -> dict:
        """The topic in the list."""
        return next(topic for topic in self.page["topics"] if topic["number"] == 2)

    @property
    def points(self) -> np.ndarray:
        """The settings of the points that are drawn."""
        steps = np.linspace(0, DATE_STEPS, LINE_POINTS).astype(int)
        return np.stack([np.ones(LINE_POINTS), np.unique(steps) / DATE_STEPS], axis=1)

    @property
    def settings_apart(self) -> np.ndarray:
        """The contrast of the two settings that the list compares."""
        first, second = (
            self.position_of(days.ordinal(text, "a", False)) for text in self.page["settings"]
        )
        return np.array([[0.0, second - first]])

    def position_of(self, ordinal):
        """From 0, the first date, to 1, the last one."""
        part = (ordinal - self.ordinals.min()) / np.ptp(self.ordinals)
        return np.rint(part * DATE_STEPS) / DATE_STEPS

    def fit(self, contrasts: np.ndarray) -> np.ndarray:
        """(estimate, variance, df) of each contrast."""
        shares = self.tokens / self.lengths
        unit = np.arange(len(shares))
        return naive_effects.regression(shares, self.lengths, self._design, unit, contrasts)

    def error(self, contrasts: np.ndarray, fitted: np.ndarray) -> np.ndarray:
        """The larger of two errors, as pages take it."""
        return naive_answers.larger(self.tokens, self.lengths, self._design, contrasts, fitted)

    @property
    def _design(self) -> np.ndarray:
        return np.stack([np.ones(len(self.position)), self.position], axis=1)


@pytest.fixture
def along_dates(client, trained) -> AlongDates:
    corpus_unit.choose(trained.corpus, "")
    found, tokens, lengths = rows(trained)
    page = answer(client, trained, "?formula=date&topic=2&order=number")
    ordinals = np.array([d.date.toordinal() for d in found], float)
    part = (ordinals - ordinals.min()) / np.ptp(ordinals)
    position = np.rint(part * DATE_STEPS) / DATE_STEPS
    kept = lengths > 0
    return AlongDates(page, tokens[kept, 2], lengths[kept], position[kept], ordinals)


@pytest.mark.django_db
def test_a_line_of_dates_has_points_in_time(along_dates):
    assert len(along_dates.page["one"]["bins"]) == LINE_POINTS
    assert along_dates.page["one"]["in_time"]


@pytest.mark.django_db
def test_along_a_line_shares_are_the_regressions(along_dates):
    shares = np.clip(along_dates.fit(along_dates.points)[:, 0], 0, 1)
    assert along_dates.line["share"] == pytest.approx(shares, abs=1e-9)


@pytest.mark.django_db
def test_along_a_line_intervals_are_students(along_dates):
    fitted = along_dates.fit(along_dates.points)
    reach = stdtrit(fitted[:, 2], 0.975) * along_dates.error(along_dates.points, fitted)
    low = np.clip(fitted[:, 0] - reach, 0, 1)
    high = np.clip(fitted[:, 0] + reach, 0, 1)
    assert along_dates.line["low"] == pytest.approx(low, abs=1e-9)
    assert along_dates.line["high"] == pytest.approx(high, abs=1e-9)


@pytest.mark.django_db
def test_a_line_and_its_difference_go_the_way_of_the_slope(along_dates):
    slope = along_dates.fit(np.array([[0.0, 1.0]]))[0, 0]
    inside = [share for share in along_dates.line["share"] if 0 < share < 1]
    assert len(inside) > 1
    assert (np.sign(np.diff(inside)) == np.sign(slope)).all()
    assert np.sign(along_dates.row["difference"]) == np.sign(slope)


@pytest.mark.django_db
def test_the_difference_of_two_dates_is_the_regressions(along_dates):
    contrast = along_dates.settings_apart
    fitted = along_dates.fit(contrast)
    apart, _, df = fitted[0]
    half = stdtrit(df, 0.5 + along_dates.page["level"] / 2) * along_dates.error(contrast, fitted)[0]
    row = along_dates.row
    assert row["difference"] == pytest.approx(apart, abs=1e-9)
    ends = [row["difference_low"], row["difference_high"]]
    assert ends == pytest.approx([apart - half, apart + half], abs=1e-9)
    assert row["named"] == (abs(apart) > half)


HEAD = ["text", "date", "party", "author", "age"]


def parties() -> list[list]:
    """Party follows time but for a few, author is the unit; the words of trade grow with age."""
    chance = np.random.default_rng(4)
    made = []
    for i in range(240):
        year = 1900 + i // 4
        party = "Blue" if (year < 1930) != (i % 12 == 0) else "Red"
        age = int(chance.integers(20, 80))
        words = ["war", "peace", "army"] * 8 + ["tariff", "trade", "duties"] * (age // 10)
        made.append(
            [" ".join(chance.permutation(words)), f"{year}-05-01", party, f"A{i % 24}", age]
        )
    return made


@pytest.fixture
def party_of_time() -> list[list]:
    """Rows of parties that a test may change."""
    return parties()


class Asked(NamedTuple):
    """Settings of a run. again: whether it is the second one with them."""

    topics: int
    passes: int = 10
    seed: int = 0
    again: bool = False


RUNS = (
    Asked(2),
    Asked(2, again=True),
    Asked(2, seed=1),
    Asked(3),
    Asked(3, seed=1),
    Asked(5),
    Asked(6, passes=5),
)


@pytest.fixture(scope="module")
def runs_of_parties(draft, django_db_blocker):
    """Runs of one corpus of parties. Committed: to read it and to train them takes longer than all
    that is asked of them."""
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, [HEAD, *parties()], "parties.csv")
        return {
            asked: run_on(corpus, topics=asked.topics, passes=asked.passes, seed=asked.seed)
            for asked in RUNS
        }


@pytest.fixture
def corpus(db, runs_of_parties):
    """The corpus of parties, as if nothing had been trained on it: `run_of` brings runs back."""
    run = next(iter(runs_of_parties.values()))
    Run.objects.filter(corpus=run.corpus_id).update(deleted_at=Now())
    cache.clear_all()
    return Corpus.objects.select_related("version").get(pk=run.corpus_id)


@pytest.fixture
def run_of(corpus, runs_of_parties):
    """A function that gives a run of the corpus of parties; it has no others than those that a test
    asked for."""

    def bring_back(topics: int, **settings) -> Run:
        pk = runs_of_parties[Asked(topics, **settings)].pk
        Run.everything.filter(pk=pk).update(deleted_at=None)
        return Run.objects.select_related("corpus", "version", "snapshot").get(pk=pk)

    return bring_back


@pytest.fixture(scope="module")
def parted(draft, django_db_blocker):
    """A run of a corpus whose parties never speak at the same time."""
    rows = parties()
    for i, row in enumerate(rows):
        row[2] = "Blue" if i < 120 else "Red"
    with django_db_blocker.unblock():
        return run_on(corpus_of(draft, [HEAD, *rows], "parted.csv"), topics=2, passes=10)


@pytest.mark.django_db
def test_a_number_the_unit_and_what_is_held_constant(client, corpus, run_of):
    run = run_of(2)
    corpus_unit.choose(corpus, "author")
    page = answer(client, run, "?formula=age%2Bspline(date)%2Bparty")
    assert (page["units"], page["documents"]) == (24, 240)
    assert page["unit"]["column"] == "author"
    trade = next(
        topic for topic in page["topics"] if {"tariff", "trade", "duties"} & set(topic["words"])
    )
    assert trade["named"]
    assert trade["difference_low"] > 0
    apart = answer(client, run, "?formula=party%2Bauthor%2Bdecade%2Bage")
    assert apart["topics"] or apart["caution"]
    groups = answer(client, run, "?formula=age%2Aparty")
    assert groups["groups"] == ["Red", "Blue"]
    assert max(abs(topic["difference"]) for topic in groups["topics"]) < 0.03  # the same in both
    table = list(
        csv.DictReader(
            io.StringIO(
                client.get(
                    reverse("run_effects_csv", args=[run.pk])
                    + "?formula=age%2Bspline(date)%2Bparty"
                ).content.decode()
            )
        )
    )
    for line in table:
        shown = next(topic for topic in page["topics"] if topic["number"] == int(line["topic"]))
        assert float(line["difference"]) == shown["difference"]
        assert float(line["low"]) == shown["difference_low"]
        assert int(line["beyond_chance"]) == shown["named"]
        assert float(line["level"]) == page["level"]


@pytest.mark.django_db
def test_nothing_is_concluded_of_what_time_decides(client, parted):
    page = answer(client, parted, "?formula=party%2Bspline(date)")
    assert "same times" in page["caution"]
    assert page["topics"] == []
    shown = client.get(
        reverse("run_effects", args=[parted.pk]) + "?formula=party%2Bspline(date)"
    ).content.decode()
    assert "same times" in shown
    assert 'id="set-a"' in shown  # other parties can still be chosen


@pytest.mark.django_db
def test_no_share_is_told_far_from_all_documents_of_a_group(client, draft, party_of_time):
    """A party of the first four of sixty years had “0.0%” with the date held constant, as if it
    had never spoken of what it speaks of."""
    for row in party_of_time:
        if row[1] < "1904":
            row[2] = "Old"
    run = run_on(corpus_of(draft, [HEAD, *party_of_time], "parties.csv"), topics=2, passes=5)
    page = answer(client, run, "?formula=party%2Bspline(date)&topic=0")
    assert page["no_share_of"] == ["Old"]
    place = [level["label"] for level in page["one"]["bins"]].index("Old")
    (course,) = page["one"]["topics"]
    for numbers in (course["share"], course["low"], course["high"]):
        assert [number is None for number in numbers] == [i == place for i in range(3)]
    compared = answer(client, run, "?formula=party%2Bspline(date)&a=Old&b=Blue&order=ratio")
    for topic in compared["topics"]:
        assert topic["share"][0] is None and topic["share"][1] is not None
        assert topic["ratio"] is None
    address = "?formula=party%2Bspline(date)&topic=0"
    shown = client.get(reverse("run_effects", args=[run.pk]) + address).content.decode()
    assert "“–”: Old has hardly any documents at the dates of most others" in shown
    file = client.get(
        reverse("run_effects_csv", args=[run.pk]) + "?formula=party%2Bspline(date)&a=Old&b=Blue"
    )
    for line in csv.DictReader(io.StringIO(file.content.decode())):
        assert line["share_first"] in ("", "nan") and float(line["share_second"]) >= 0
    counted = answer(client, run, "?formula=party&topic=0")
    assert counted["no_share_of"] == [] and None not in counted["one"]["topics"][0]["share"]
    # What the page calls the dashed line
    (shares,) = counted["one"]["topics"]
    words = [level["tokens"] for level in counted["one"]["bins"]]
    assert shares["overall"] == pytest.approx(np.average(shares["share"], weights=words), rel=1e-3)
    assert "Dashed line: their average, to which larger groups add more." in shown


@pytest.mark.django_db
def test_of_groups_that_speak_at_the_same_times_every_share_is_told(client, corpus, run_of):
    run = run_of(2)
    page = answer(client, run, "?formula=party%2Bspline(date)%2Bage&topic=0")
    assert page["no_share_of"] == []
    assert None not in page["one"]["topics"][0]["share"]
    assert all(None not in topic["share"] for topic in page["topics"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query, sentence",
    [
        ("?formula=party%2Bcolour", "is not a category"),
        ("?formula=spline(party)", "A spline is of a number"),
        ("?formula=party&a=Purple", "is no value of"),
        ("?formula=date&a=soon", "“a” must be a date such as 1914"),
        ("?formula=date&b=1914-02-30", "“b” must be a date such as 1914"),
        ("?formula=date&a=1500", "goes from 1790"),
        ("?formula=date&a=1900&to=1850", "nothing is known of “1900”"),
        ("?formula=date&b=2500", "nothing is known of “2500”"),
        ("?formula=party%2B%22party%22", "comes twice"),
        ("?effect=party%2Bdate", "One field was expected"),
        ("?effect=party&held=president&held=president", "comes twice"),
        ("?effect=party&across=spline(date)*x", "One field was expected"),
        ("?effect=party&" + "&".join(f"held=f{i}" for i in range(9)), "may have 8 terms"),
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
def test_what_would_take_too_long_is_not_begun(client, trained, monkeypatch):
    pairs = len(evidence.of(trained).mixtures.doc_topics)
    monkeypatch.setattr(model, "MOST_STEPS", 2 * pairs)
    assert answer(client, trained, "?formula=date")["documents"]
    assert "too long" in answer(client, trained, "?formula=spline(date)", status=400)["error"]


@pytest.mark.django_db
def test_as_stm_each_document_counts_the_same(client, trained):
    """On theta as it is exported; with draws of it intervals are wider."""
    found, tokens, lengths = rows(trained)
    alpha = priors(trained).alpha
    party = np.array([d.metadata["party"] for d in found])
    names = sorted(set(party))
    kept = lengths > 0
    X = np.stack([np.ones(len(found)), *(party == name for name in names[1:])], axis=1)[kept]
    theta = ((tokens + alpha) / (lengths + alpha.sum())[:, None])[kept]
    query = f"?formula=party&a={names[0]}&b={names[1]}&order=number"
    own, fixed, drawn = (
        answer(client, trained, f"{query}&estimate={way}") for way in ("", "stm-fixed", "stm")
    )
    assert [page["estimate"] for page in (own, fixed, drawn)] == ["counted", "stm-fixed", "stm"]
    assert own["topics"] == answer(client, trained, query)["topics"] != fixed["topics"]
    for topic, more in zip(fixed["topics"], drawn["topics"], strict=True):
        beta, variance = naive_effects.as_stm(theta[:, topic["number"]], X)
        width = norm.ppf(0.5 + fixed["level"] / 2) * np.sqrt(variance[1, 1])
        assert topic["difference"] == more["difference"] == pytest.approx(beta[1], abs=1e-10)
        assert topic["difference_high"] - topic["difference"] == pytest.approx(width, abs=1e-10)
        assert topic["corrected"] is None
        if fixed["level"] == drawn["level"]:
            assert more["difference_high"] > topic["difference_high"]
    table = csv.DictReader(
        io.StringIO(
            client.get(
                reverse("run_effects_csv", args=[trained.pk]) + f"{query}&estimate=stm-fixed"
            ).content.decode()
        )
    )
    for row, topic in zip(table, fixed["topics"], strict=True):
        assert (row["estimate"], float(row["difference"])) == (
            "stm-fixed",
            pytest.approx(topic["difference"]),
        )
    page = client.get(
        reverse("run_effects", args=[trained.pk]) + f"{query}&estimate=stm&topic=2"
    ).content.decode()
    assert "Topograph’s own estimate</a> is preferred" in page and "how unsure they are" in page
    assert (
        page.count('name="estimate" value="stm"') == 3 and '<option value="stm" selected>' in page
    )


@pytest.mark.django_db
def test_menus_write_the_formula(client, trained):
    asked = "?effect=party&held=spline(date)&held=party&across="
    assert answer(client, trained, asked)["formula"] == "party + spline(date)"


@pytest.mark.django_db
def test_hidden_and_merged_topics_are_not_tried(client, trained):
    before = answer(client, trained, "?formula=party&order=number")
    assert before["tried"] == len(before["topics"]) == trained.topics
    curation.change_many(trained, {3: {"into": "1"}, 4: {"hidden": "1"}}, "a test")
    after = answer(client, trained, "?formula=party&order=number")
    assert after["tried"] == trained.topics - 2
    assert not {3, 4} & {topic["number"] for topic in after["topics"]}
    was, is_now = ({topic["number"]: topic for topic in page["topics"]} for page in (before, after))
    assert is_now[1]["difference"] == pytest.approx(was[1]["difference"] + was[3]["difference"])
    assert is_now[0]["difference"] == pytest.approx(was[0]["difference"])


@pytest.mark.django_db
def test_a_set_restricts_it(client, trained):
    everywhere = answer(client, trained, "?formula=party")
    some = answer(client, trained, "?formula=party&to=1799")
    assert some["documents"] < everywhere["documents"]
    assert some["selection"] != everywhere["selection"]


@pytest.mark.django_db
def test_estimates_are_counts_that_an_embargo_does_not_hide(client, corpus, run_of):
    run = run_of(2)
    before = answer(client, run, "?formula=party")
    set_embargo(corpus, True)
    assert answer(client, run, "?formula=party") == before


@pytest.mark.django_db
def test_a_claim_is_looked_at_in_the_other_runs_of_its_corpus(client, corpus, run_of):
    corpus_unit.choose(corpus, "author")
    run = run_of(2)
    again = run_of(2, again=True)  # the same in every choice: it adds nothing
    other = run_of(2, seed=1)
    many = run_of(5)
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
        one = next(
            t
            for t in answer(client, there, query)["topics"]
            if t["number"] == row["topic"]["number"]
        )
        assert row["difference"] == pytest.approx(one["difference"])
    assert page["holds"] == sum(row["holds"] for row in page["runs"])
    assert page["p"] is None
    assert "have texts on both sides" in page["untested"]
    corpus_unit.choose(corpus, "")
    tested = client.get(reverse("run_claim_json", args=[run.pk]) + query).json()
    assert 0 < tested["p_fixed"] <= tested["p"] <= 1
    differences = [row["difference"] for row in page["runs"] if row["difference"] is not None]
    if len(differences) > 1:
        assert page["median"] == pytest.approx(np.median(differences))
    else:
        assert page["median"] is None
    choices = {choice["name"]: choice["values"] for choice in page["choices"]}
    assert sum(n for _, _, n in choices["topics"]) == sum(n for _, _, n in choices["seed"]) == 3
    shown = client.get(reverse("run_claim", args=[run.pk]) + query).content.decode()
    assert page["conclusion"] in html.unescape(re.sub("</?strong>", "", shown))
    with_topic = [row for row in page["runs"] if row["topic"] and row["run"] != run.pk]
    if with_topic:
        assert "other runs" in page["conclusion"]
    else:
        assert page["conclusion"].startswith("No other run has this topic")
    # In the pin, too
    question = "by “party”, with the general change over time taken out"
    said = f"estimated {question}. The interval holds for other documents like these."
    assert shown.count(said) >= 2
    kept = json.loads(html.unescape(re.search(r'name="table" value="([^"]+)"', shown)[1]))
    there = next(row for row in page["runs"] if row["run"] == other.pk)
    line = dict(
        zip(kept["columns"], next(row for row in kept["rows"] if row[0] == other.pk), strict=True)
    )
    assert line["holds"] == ("yes" if there["holds"] else "no")
    assert line["the topic there"].startswith(
        there["topic"]["label"] if there["topic"] else "not found"
    )
    assert (
        "4 topics, seed 2, seed 3" in shown
    )  # half of two topics is no choice, and seed 1 is there


def in_a_run(topic, holds, problem=""):
    """What a conclusion asks of a claim in one run."""
    return SimpleNamespace(topic=topic, problem=problem, holds=lambda first: holds)


HOLDS = in_a_run(3, True)
FAILS = in_a_run(3, False)
ABSENT = in_a_run(None, False)
OTHER_TEXTS = in_a_run(None, False, "20 documents, not 40")


@pytest.mark.parametrize(
    "runs, p, waiting, finding, said",
    [
        ([HOLDS], None, 0, "", "Only this run has been examined."),
        (
            [HOLDS, HOLDS],
            0.05,
            0,
            "Holds in the other run",
            ". Of all runs together, p = 0.050. You may say so of such",
        ),
        (
            [HOLDS, FAILS],
            0.05,
            0,
            "Doesn’t hold in the other run",
            ". Of all runs together, p = 0.050. It depends on",
        ),
        ([HOLDS, HOLDS, HOLDS], 0.06, 0, "Holds in 2 of 2 other runs", "(p = 0.030)"),
        ([HOLDS, HOLDS, HOLDS], 0.12, 0, "Holds in 2 of 2 other runs", "This may be chance"),
        ([HOLDS, HOLDS], None, 0, "Holds in the other run", ". The runs can’t be tested together."),
        (
            [FAILS, FAILS, FAILS],
            1.0,
            0,
            "Holds in none of 2 other runs",
            ", nor in this one: chance alone may produce such differences.",
        ),
        ([HOLDS, HOLDS, ABSENT], None, 0, "Holds in 1 of 2 other runs, of which 1 doesn’t", ""),
        (
            [HOLDS, HOLDS, ABSENT, ABSENT],
            0.002,
            0,
            "Holds in 1 of 3 other runs, of which 2 don’t",
            "p = 0.002. It holds in each run that has the topic, but most runs lack it",
        ),
        (
            [HOLDS, ABSENT, ABSENT],
            None,
            0,
            "No other run has this topic, so the claim can’t be checked there.",
            "",
        ),
        ([HOLDS, OTHER_TEXTS], None, 0, "The claim can’t be checked in any other run", ""),
        ([HOLDS, HOLDS, HOLDS], None, 1, "Holds in 2 of 2 other runs", " so far. Others are still"),
        ([HOLDS, ABSENT], None, 1, "", "No run that was examined so far has this topic."),
        ([HOLDS], None, 1, "", "Other runs are still being examined"),
    ],
)
def test_what_may_be_concluded_of_a_claim(runs, p, waiting, finding, said):
    """Of three runs two did not have the topic, and the page said “Holds in 1 of 3 variants”."""
    test = p and variants.Tested(p / 2, p)
    conclusion = sentences.of_claim(variants.ClaimInRuns(runs, [None] * waiting, 0, 0, test, ""))
    assert conclusion.finding.startswith(finding)
    assert bool(conclusion.finding) == bool(finding)
    assert said in conclusion.reason


@pytest.mark.django_db
def test_a_claim_about_a_time_is_said_as_its_finding_says_it(corpus, run_of):
    """The finding said “until September 2011”, and the claim “all others” and “2011-10–2026”."""
    selection = RunSelection.all(RunView(run_of(2)))
    named = {}
    for query in (
        "from_a=1900",
        "to_a=1900-06",
        "from_a=1900&to_a=1909",
        "from_a=1900&in_a=party:Blue",
    ):
        sets = two_sets.of_address(QueryDict(query), selection, False, "")
        named[query] = (sets.second.name, sets.first.name)
    assert named["from_a=1900"] == ("until 1899", "since 1900")
    assert named["to_a=1900-06"] == ("since July 1900", "until June 1900")
    assert named["from_a=1900&to_a=1909"] == ("before and after", "from 1900 to 1909")
    assert named["from_a=1900&in_a=party:Blue"][0] == "all others"


@pytest.mark.django_db
def test_a_claim_says_the_number_of_a_version_in_its_corpus(client, corpus, run_of):
    """A corpus with the versions 1 and 2 was said to have the choices 3 and 4."""
    run = run_of(2)
    run.version.number = 41
    run.version.save()
    other = run_of(2, seed=1)
    other.version = Version.objects.create(
        corpus=corpus, number=42, status=Version.Status.READY, documents=run.version.documents
    )
    view, other_view = RunView(run), RunView(other)
    rows = [
        variants.Variant(one, 0, 0, 1.0, 0.1, 0.05, 0.2, "", None) for one in (view, other_view)
    ]
    turned = dict(variants.turning(rows))
    assert [value for value, _, _ in turned["words"]] == ["version 41", "version 42"]
    page = client.get(reverse("run_claim_json", args=[run.pk]) + "?formula=party&topic=0").json()
    assert page["runs"][0]["words"] == 41


def test_a_share_that_is_not_known_makes_no_number():
    """As of a side without words: a page said “0.0% (north) to nan% (south)”."""
    estimate = SimpleNamespace(share=[0.1, np.nan], difference=np.nan)
    term = SimpleNamespace(name="region")
    regression = SimpleNamespace(
        effect_question=SimpleNamespace(counted=True),
        effect=SimpleNamespace(term=term, values=[0, 1], labels=["north", "south"]),
        settings=[0, 1],
        across=None,
    )
    said = sentences.difference(regression, "Ship", estimate)
    assert said == (
        "Ship: whether region north and region south differ can't be told from these documents."
    )
    sides = [SimpleNamespace(name=name) for name in ("north", "south")]
    sets = SimpleNamespace(first=sides[0], second=sides[1])
    assert "whether south and north differ" in sentences.of_sets(
        sets, "Ship", estimate, [0.1, None]
    )
    assert cells_of_points(np.nan, None, 0.1)[:2] == ["", ""]
    assert cells_of_shares([np.nan, 0.5], percent) == ["", percent(0.5)]


def two_sides(same_speakers: str) -> SimpleNamespace:
    """Two sets of which a claim is made. same_speakers: the field whose values are held constant."""
    return SimpleNamespace(
        first=SimpleNamespace(name="since July 2023"),
        second=SimpleNamespace(name="until June 2023"),
        constant="",
        differences=SimpleNamespace(same_speakers=same_speakers),
        selection=SimpleNamespace(has_conditions=False),
        unit=SimpleNamespace(said="for other documents like these"),
    )


def test_a_sentence_says_interval_and_no_level_that_is_a_riddle():
    estimate = SimpleNamespace(
        difference=0.003, difference_low=-0.027, difference_high=0.034, share=(0.018, 0.021)
    )
    said = sentences.of_sets(two_sides(""), "Ship", estimate, [0.021, 0.018])
    assert said == (
        "Ship: 1.8% of the words (until June 2023), 2.1% (since July 2023). The difference is +0.3"
        " points (interval −2.7 to +3.4). The interval holds for other documents like these."
    )


def test_a_claim_says_first_the_share_that_was_counted():
    """The overview said 4.0% before, this page 5.3%, which the same packages have."""
    estimate = SimpleNamespace(
        difference=0.183, difference_low=0.09, difference_high=0.28, share=(0.053, 0.236)
    )
    said = sentences.of_sets(two_sides("package"), "Ship", estimate, [0.236, 0.04])
    first, second, _ = said.split(". ", 2)
    assert first == (
        "Ship: 4.0% of the words (until June 2023; 5.3% in texts of the same “package”), 24% (since"
        " July 2023)"
    )
    assert second == "So compared, the difference is +18 points (interval +9.0 to +28)"


@pytest.mark.parametrize("shares", [[0.02, 0.01], [None, 0.01]])
def test_no_sentence_of_an_effect_is_long(shares):
    """One had 47 words, with everything that the estimate rests on."""
    estimate = SimpleNamespace(
        share=shares,
        difference=-0.01,
        difference_low=-0.026,
        difference_high=0.007,
        corrected=-0.011,
    )
    regression = SimpleNamespace(
        effect_question=SimpleNamespace(counted=True, formula=formula.read("party + spline(date)")),
        effect=SimpleNamespace(
            term=SimpleNamespace(name="party"), values=None, labels=["Republican", "Democratic"]
        ),
        settings=[0, 1],
        across=None,
        selection=SimpleNamespace(has_conditions=False),
        unit=SimpleNamespace(said="for similar texts in general, not only for these presidents"),
    )
    name = "T19 (conference · international · exposition)"
    said = sentences.difference(regression, name, estimate)
    for sentence in said.split(". "):
        assert sum(word != "·" for word in sentence.split()) <= MOST_WORDS
    assert "with the general change over time taken out" in said
    assert ("2.0% of the words (Republican), 1.0% (Democratic)" in said) == (None not in shares)


def test_what_is_held_constant_is_taken_out_not_the_same():
    """“Only documents with the same date are compared”, where no two parties have a date in
    common."""
    of_date = formula.read("party + spline(date)")
    assert taken_out.say_what_is_taken_out(of_date.held) == (
        "The general change over time is taken out."
    )
    both = formula.read("party + spline(date) + decade + genre")
    assert taken_out.describe_formula(both) == (
        "by “party”, with the general change over time and differences by “genre” taken out"
    )
    assert taken_out.say_what_is_taken_out(formula.read("party + genre").held) == (
        "Differences by “genre” are taken out."
    )
    assert taken_out.describe_formula(formula.read("age * party")) == "by “age” and “party”"


@pytest.mark.django_db
def test_a_topic_that_is_asked_for_is_what_is_concluded_of(client, trained):
    page = answer(client, trained, "?formula=date&topic=3&order=number")
    row = page["topics"][3]
    sides = [
        f"{percent(share)}{unit} ({year})"
        for share, year, unit in zip(
            row["share"], page["settings"], (" of the words", ""), strict=True
        )
    ]
    called = f"{row['name']} (T03)" if row["has_name"] else f"T03 ({row['name']})"
    assert page["conclusion"].startswith(
        f"{called}: {sides[0]}, {sides[1]}. The difference is {points(row['difference'])} points"
    )
    said = "Chance alone would hardly produce it" if row["named"] else "This may be chance"
    assert said in page["conclusion"]
    for url, year in zip(row["documents"], page["settings"], strict=True):
        # most of the topic first, whatever comes first in the corpus
        assert f"from={year}&to={year}" in url and "has=3%3A0&by=T03" in url
    shown = html.unescape(
        client.get(
            reverse("run_effects", args=[trained.pk]) + "?formula=date&topic=3"
        ).content.decode()
    )
    # Where a finding's link leads
    assert re.search(rf'id="one">\s*{re.escape(page["conclusion"])}', shown)


@pytest.mark.django_db
def test_every_number_of_a_table_of_effects_has_a_head(client, trained):
    """“Corrected” stood over a number and its interval."""
    shown = client.get(
        reverse("run_effects", args=[trained.pk]) + "?formula=party"
    ).content.decode()
    heads, first_row = re.search(
        r"<thead>(.*?)</thead>.*?<tr class=.*?>(.*?)</tr>", shown, re.DOTALL
    ).groups()
    assert "After allowing for the model’s mistakes" in heads and "strict interval" not in shown
    assert len(re.findall("<th ", heads)) == len(re.findall("<t[dh] ", first_row))
    assert shown.index("Compare something else") < shown.index("<thead>")
    assert '<details class="more ask">' in shown, "folded, as there is something to read"


@pytest.mark.django_db
def test_of_a_claim_the_finding_alone_is_bold(client, trained):
    shown = client.get(
        reverse("run_claim", args=[trained.pk]) + "?formula=party&topic=1"
    ).content.decode()
    lede = re.search(r'<p class="lede">(.*?)</p>', shown, re.DOTALL)[1]
    bold = re.findall(r"<strong>(.*?)</strong>", lede)
    assert all(
        part.startswith(("Holds in", "Doesn’t hold in", "No other run has this topic"))
        for part in bold
    )
    conclusion = html.unescape(re.sub("</?strong>", "", lede))
    page = client.get(reverse("run_claim_json", args=[trained.pk]) + "?formula=party&topic=1")
    assert conclusion == page.json()["conclusion"]
    assert bold or conclusion.startswith("Only this run")


@pytest.mark.django_db
def test_further_runs_differ_in_one_choice_each(client, corpus, run_of):
    run = run_of(3)
    answered = client.post(
        reverse("run_variants", args=[run.pk]), {"next": f"/runs/{run.pk}/time/effects/"}
    )
    assert answered.status_code == 302
    made = Run.objects.filter(corpus=corpus).exclude(pk=run.pk).order_by("pk")
    # Half of three is no choice
    assert [(new.topics, new.seed) for new in made] == [
        (6, 0),
        (3, 1),
        (3, 2),
    ]
    assert {new.settings["passes"] for new in made} == {10}


@pytest.mark.django_db
def test_a_set_that_topics_say_is_no_set_of_another_run(client, trained):
    answered = client.get(
        reverse("run_claim_json", args=[trained.pk]) + "?formula=party&topic=1&has=2:10"
    )
    assert answered.status_code == 400
    assert "another set in another run" in answered.json()["error"]


def leads_to(url: str, finding: dict) -> bool:
    """Whether an address is of a finding's question: by its topics, its group or its span."""
    asked = parse_qs(url.partition("?")[2])
    if finding["kind"] == "family":
        topics = parse_qs(finding["url"].partition("?")[2])["topics"]
        return asked.get("topic") == topics
    claim = finding["claims"][0]
    if claim["steady"]:
        return asked.get("topic") == [str(finding["topic"]["number"])]
    if claim["field"]:
        return asked.get("in_a") == [f"{claim['field']}:{claim['value']}"] or "between_a" in asked
    return (asked.get("from_a", [""])[0], asked.get("to_a", [""])[0]) == (
        claim["first"],
        claim["last"],
    )


@pytest.mark.django_db
def test_a_finding_leads_to_its_effect(client, trained):
    """Each page opens with the question that the sentence answers: its group or span against all
    other documents; what changed all along opens on its topic."""
    shown = client.get(reverse("run_overview", args=[trained.pk]) + "?detail=more").content.decode()
    found = re.findall(r'href="([^"]*/time/(?:effects|compare)/\?(?!detail)[^"]*)"', shown)
    urls = [url.replace("&amp;", "&").partition("#")[0] for url in found]
    data = client.get(reverse("run_overview_json", args=[trained.pk]) + "?detail=more").json()
    wanted = [
        finding
        for finding in data["findings"]
        if finding["kind"] == "family" or finding["kind"] in ("change", "mark")
    ]
    assert len(urls) == len(wanted) > 0
    for finding in wanted:
        url = next(url for url in urls if leads_to(url, finding))
        page = client.get(re.sub(r"/(effects|compare)/\?", r"/\1.json?", url))
        assert page.status_code == 200, (url, page.content)
        if finding["kind"] == "family":
            one = page.json()["one"]
            if one is None:
                assert page.json()["caution"]
                continue
            shown = (
                [t["number"] for t in one["together"]["topics"]]
                if one["together"]
                else [one["topic"]["number"]]
            )
            assert f"topics={','.join(map(str, shown))}" in finding["url"].replace("%2C", ",")
            continue
        claim = finding["claims"][0]
        if claim["steady"]:
            assert page.json()["one"]["topic"]["number"] == finding["topic"]["number"]
            continue
        name = page.json()["sides"][0]["name"]
        assert (claim["value"] or claim["first"] or claim["last"]) in name
        assert page.json()["sides"][1]["name"] == "all others"


@pytest.mark.django_db
def test_the_corrected_interval_is_no_other_method(client, trained):
    """It has the error and the level of the counted one: with 95% and documents for units it said
    of one topic that it differs, beside an interval that said it does not."""
    page = answer(client, trained, "?formula=party&order=number")
    assert page["level"] > 0.95
    widths = []
    for topic in page["topics"]:
        if topic["corrected"] is None or topic["difference_low"] is None:
            continue
        stretched = abs(topic["corrected"] / topic["difference"]) if topic["difference"] else 1.0
        counted = topic["difference_high"] - topic["difference_low"]
        corrected = topic["corrected_high"] - topic["corrected_low"]
        widths.append(corrected / counted)
        assert topic["corrected_low"] <= topic["corrected"] <= topic["corrected_high"]
        assert corrected > 0.5 * counted * min(stretched, 1.0)
    assert widths
    assert np.median(widths) > 0.9  # a correction for noise does not make an interval narrower


@pytest.mark.django_db
def test_several_topics_are_one_share(client, trained):
    """As the textbook has their sum; corrected is the sum of what is corrected of each."""
    page = answer(client, trained, "?formula=party&topic=1,3&topic=4")
    one = page["one"]["together"]
    assert [topic["number"] for topic in one["topics"]] == [1, 3, 4]
    found, tokens, lengths = rows(trained)
    party = np.array([d.metadata["party"] for d in found])
    kept = lengths > 0
    names = sorted(set(party))
    X = np.stack([party == name for name in names], axis=1).astype(float)
    a, b = ([float(name == chosen) for name in names] for chosen in page["settings"])
    share = tokens[:, [1, 3, 4]].sum(axis=1)[kept] / lengths[kept]
    wanted = np.array([a, b, np.subtract(b, a)])
    twin = naive_effects.regression(share, lengths[kept], X[kept], np.arange(kept.sum()), wanted)
    assert one["share"] == pytest.approx(twin[:2, 0], abs=1e-9)
    assert one["difference"] == pytest.approx(twin[2, 0], abs=1e-9)
    assert one["difference_low"] < one["difference"] < one["difference_high"]
    each = [
        t["corrected"] for t in answer(client, trained, "?formula=party&order=number")["topics"]
    ]
    if None not in (each[1], each[3], each[4]):
        assert one["corrected"] == pytest.approx(each[1] + each[3] + each[4], abs=1e-9)
    assert answer(client, trained, "?formula=party&topic=1")["one"]["together"] is None


@pytest.mark.django_db
@pytest.mark.parametrize("way", ["counted", "stm"])
def test_the_api_answers_as_the_pages_do(client, trained, way):
    query = f"?formula=party&topic=1,3&estimate={way}"
    page = answer(client, trained, query)
    answered = client.get(f"/api/v1/runs/{trained.pk}/effects{query}").json()
    assert page["estimate"] == way and answered | {"next": None} == page | {"next": None}
    page = client.get(
        reverse("run_claim_json", args=[trained.pk]) + "?formula=party&topic=3"
    ).json()
    assert client.get(f"/api/v1/runs/{trained.pk}/topics/3/claim?formula=party").json() == page
    assert client.get(f"/api/v1/runs/{trained.pk}/effects?formula=party%2B").status_code == 400


def claims(client, run, query):
    response = client.get(reverse("run_claim_json", args=[run.pk]) + query)
    assert response.status_code == 200, response.content
    return response.json()


@pytest.fixture
def by_number(monkeypatch):
    """Topics of two runs are the same that have the same number."""

    def matched(a, b, by):
        same = np.arange(a.topics)
        return SimpleNamespace(partner=same, best_b=same, best_b_similarity=np.ones(a.topics))

    monkeypatch.setattr(variants.matchings, "matched_or_asked", matched)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("by_number")
def test_a_claim_is_not_looked_at_in_runs_of_other_documents(
    client, draft, party_of_time, tmp_path
):
    """Versions with other words have the same documents; of one that began before some were added,
    or after, arrays have other lengths."""
    corpus = corpus_of(draft, [HEAD, *party_of_time[::2]], "parties.csv")
    few = run_on(corpus, topics=2, passes=10)
    version = versions.choose(
        corpus, VocabularySettings(min_documents=2, extra_stop_words=["army"])
    )
    choose(version.pk)
    corpus.refresh_from_db()
    words = run_on(corpus, topics=2, passes=10)
    assert words.version_id != few.version_id
    later = tmp_path / "later.csv"
    later.write_bytes(as_csv([HEAD, *party_of_time[1::2]]))
    addition = corpora.create_addition(corpus, [corpora.ReceivedFile("later.csv", later)])
    choose(corpora.add_files(addition, corpora.ReadingSettings(**addition.settings)).pk)
    corpus.refresh_from_db()
    many = run_on(corpus, topics=2, passes=10)
    assert (few.version.documents, words.version.documents, many.version.documents) == (
        120,
        120,
        240,
    )
    query = "?formula=party%2Bspline(date)&topic=0"
    for run, same, other in (
        (few, [words], [many]),
        (words, [few], [many]),
        (many, [], [few, words]),
    ):
        page = claims(client, run, query)
        rows = {row["run"]: row for row in page["runs"]}
        assert set(rows) == {run.pk, *(each.pk for each in (*same, *other))}
        for each in other:
            assert "documents, not" in rows[each.pk]["problem"]
            assert rows[each.pk]["difference"] is None
            assert not rows[each.pk]["holds"]
        for each in same:
            assert not rows[each.pk]["problem"]
            assert rows[each.pk]["difference"] is not None
        assert page["p"] is not None
        shown = client.get(reverse("run_claim", args=[run.pk]) + query).content.decode()
        assert "documents, not" in shown


@pytest.fixture
def places(draft, party_of_time):
    """Of 16 places 12 are told apart, those that are asked for among them."""
    rows = [
        [*row, f"P{min(i % 24, 15):02}", ("North", "South", "East", "West")[i % 4]]
        for i, row in enumerate(party_of_time)
    ]
    return corpus_of(draft, [[*HEAD, "place", "part"], *rows], "places.csv")


@pytest.mark.django_db
def test_no_answer_is_kept_for_another_question(client, places):
    """What caches hold is what is computed anew."""
    corpus_unit.choose(places, "")
    run = run_on(places, topics=4, passes=10)
    other = run_on(places, topics=3, passes=10)
    asked = [
        "?formula=place&a=P00&b=P11",
        "?formula=place&a=P00&b=P12",
        "?formula=age*part&x=North&y=South",
        "?formula=age*part&x=North&y=East",
        "?formula=age",
        "?formula=age&a=20&b=40",
        "?formula=party",
        "?formula=party&in=part:North",
    ]

    def answers():
        return [
            get(client, run, query)
            for query in asked
            for get in (answer, lambda *args: claims(*args[:2], args[2] + "&topic=1"))
        ]

    changes = [
        lambda: None,
        lambda: curation.change(run, 3, {"into": "1"}, "a test"),
        lambda: curation.change(other, 2, {"into": "0"}, "a test"),
        lambda: curation.change(run, 0, {"hidden": "1"}, "a test"),
        lambda: corpus_unit.choose(places, "author"),
        lambda: run_on(places, topics=2, passes=10),
    ]
    assert len({str(page) for page in answers()}) == 2 * len(asked)
    for change in changes:
        change()
        kept = answers()
        cache.clear_all()
        assert kept == answers()


@pytest.mark.django_db
def test_what_is_kept_of_claims_has_a_bound(client, corpus, run_of):
    """Variants without sums have no arrays, and yet take memory."""
    run = run_of(2)
    _ = run_of(3)
    before = variants.kept_variants.held
    claims(client, run, "?formula=age&topic=0")
    assert variants.kept_variants.held > before


@pytest.mark.django_db
@pytest.mark.usefixtures("by_number")
def test_two_topics_that_are_one_in_another_run_are_tested_as_one_there(client, corpus, run_of):
    """Both are found there, and the sums of neither are 0."""
    corpus_unit.choose(corpus, "")
    run = run_of(3)
    other = run_of(3, seed=1)
    query = "?formula=party&topic="
    for change in ({"into": "0"}, {"into": ""}):
        curation.change(other, 1, change, "a test")
        shown = {
            topic["number"]: topic["difference"]
            for topic in answer(client, other, "?formula=party")["topics"]
        }
        for k in (0, 1):
            assert claims(client, other, query + str(k))["merged"] == (change["into"] == "0")
            row = next(
                row for row in claims(client, run, query + str(k))["runs"] if row["run"] == other.pk
            )
            assert row["topic"]["number"] == (0 if change["into"] else k)
            assert row["difference"] == pytest.approx(shown[row["topic"]["number"]])
        own = estimates.regression_of(
            Selection.all(RunView(run)), EffectQuestion(formula.read("party"))
        )
        there = estimates.regression_of(Selection.all(RunView(other)), own.effect_question)
        sums = variants.sums_of_units(own, there, np.arange(3), variants.units_to_exchange(own)[0])
        assert (np.abs(sums.residual).max(axis=0) > 0.1).all()
        assert (sums.residual[:, 0] == sums.residual[:, 1]).all() == bool(change["into"])


@pytest.mark.django_db
def test_units_are_exchanged_within_times_where_time_is_held_constant(client, corpus, run_of):
    corpus_unit.choose(corpus, "")
    run = run_of(2)
    for text, strata in (
        ("party", 1),
        ("party + age", 1),
        ("party + spline(date)", 4),
        ("party + decade", 4),
    ):
        own = estimates.regression_of(
            Selection.all(RunView(run)), EffectQuestion(formula.read(text))
        )
        exchange, _ = variants.units_to_exchange(own)
        assert len(np.unique(exchange.stratum)) == strata, text


@pytest.mark.django_db
def test_fields_of_any_name_are_offered_as_they_are_written(client, draft, party_of_time):
    """Each option of the menus is answered, and says the formula that it is; it is answered by that
    formula, too."""
    head = ["text", "date", 'the "old" party + side', "author (spoken*)", "года"]
    run = run_on(corpus_of(draft, [head, *party_of_time], "names.csv"), topics=2, passes=5)
    shown = client.get(reverse("run_effects", args=[run.pk])).content.decode()
    menus = {
        name: re.findall(
            r'value="([^"]*)"', re.search(rf'<select id="{name}".*?</select>', shown, re.DOTALL)[0]
        )
        for name in ("effect", "across")
    }
    options = [html.unescape(option) for option in menus["effect"]]
    assert len(options) == 6
    for option in options:
        page = answer(client, run, "?" + urlencode({"effect": option}))
        assert page["formula"] == option
        again = answer(client, run, "?" + urlencode({"formula": page["formula"]}))
        assert again["topics"] == page["topics"]
    both = {"effect": "года", "across": html.unescape(menus["across"][1]), "held": "spline(date)"}
    page = answer(client, run, "?" + urlencode(both))
    assert page["formula"] == 'года * "the ""old"" party + side" + spline(date)'
    shown = client.get(
        reverse("run_effects", args=[run.pk]) + "?" + urlencode({"formula": "decade + года"})
    ).content.decode()
    chosen = re.findall(r'value="([^"]*)" (?:selected|checked)', shown)
    of_formula = [value for value in chosen if value in ("decade", "года")]
    assert of_formula == ["decade", "года"]  # the menus have what the formula has


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        "?formula=date",
        "?formula=spline(date)",
        "?formula=age",
        "?formula=date*party",
        "?formula=decade",
    ],
)
def test_settings_that_the_page_shows_ask_for_the_same(client, corpus, run_of, query):
    run = run_of(2)
    page = answer(client, run, query)
    letters = urlencode(
        [*zip("ab", page["settings"], strict=True), *zip("xy", page["groups"], strict=False)]
    )
    assert answer(client, run, f"{query}&{letters}") == page


@pytest.mark.django_db
def test_a_day_a_month_and_a_year_are_settings(client, corpus, run_of):
    run = run_of(2)
    differences = [
        answer(client, run, f"?formula=date&order=number&a={first}&b=1950")["topics"][0][
            "difference"
        ]
        for first in ("1910", "1910-01", "1910-01-01", "1910s")
    ]
    assert differences == [differences[0]] * 4
    assert (
        answer(client, run, "?formula=date&order=number&a=1911&b=1950")["topics"][0]["difference"]
        != differences[0]
    )
    assert (
        "nothing is known of “1e9”"
        in answer(client, run, "?formula=age&a=1e9", status=400)["error"]
    )
    labels = variables.of_term(corpus.version, Term("date"), []).labels
    # Also where the nearest step is just before
    assert {str(year) for year in range(1901, 1960)} <= set(labels)
    assert len(set(labels)) == len(labels)
    known = np.arange(240.0) * 7 / 3
    place, values = variables.divide_into_steps(known, known >= 0)
    labels = [variables.name_step(i, values) for i in range(len(values))]
    assert max(map(len, labels)) <= 5 and len(set(labels)) == len(labels)
    assert [int(np.abs(values - float(label)).argmin()) for label in labels] == list(
        range(len(labels))
    )


@pytest.mark.django_db
def test_a_share_that_is_not_known_is_null(client, draft, party_of_time):
    """Reds are silent until 1920: of one group no share is known in some decades, of the other in
    all."""
    for i, row in enumerate(party_of_time):
        row[2] = ("Blue", "Red")[i % 2 and i > 80]

    run = run_on(corpus_of(draft, [HEAD, *party_of_time], "parties.csv"), topics=2, passes=10)
    query = "?formula=decade*party&a=1930s&b=1940s&topic=0"
    response = client.get(reverse("run_effects_json", args=[run.pk]) + query)
    assert response.status_code == 200
    assert b"NaN" not in response.content
    courses = {group["label"]: group for group in response.json()["one"]["topics"]}
    assert None in courses["Red"]["share"]
    assert None not in courses["Blue"]["share"]
    assert 0 < courses["Red"]["overall"] < 1
    assert client.get(reverse("run_effects", args=[run.pk]) + query).status_code == 200


@pytest.mark.django_db
def test_groups_that_never_speak_at_the_same_time_are_not_compared_along_it(client, parted):
    assert (
        "no values of “date” in common"
        in answer(client, parted, "?formula=date*party", status=400)["error"]
    )


@pytest.mark.django_db
def test_a_value_may_be_called_as_the_others_are(client, draft, party_of_time):
    for i, row in enumerate(party_of_time):
        row[2] = ("Blue", "other values", "Red")[i % 3]
    run = run_on(corpus_of(draft, [HEAD, *party_of_time], "parties.csv"), topics=2, passes=5)
    page = answer(client, run, "?formula=party&a=other values&b=Red")
    assert page["settings"] == ["other values", "Red"]


@pytest.mark.django_db
def test_runs_of_other_passes_are_no_further_runs(client, corpus, run_of):
    run = run_of(3)
    _ = run_of(6, passes=5)
    client.post(reverse("run_variants", args=[run.pk]), {"next": f"/runs/{run.pk}/time/effects/"})
    made = Run.objects.filter(corpus=corpus).order_by("pk")[2:]
    assert [(new.topics, new.seed) for new in made] == [(6, 0), (3, 1), (3, 2)]


NONSENSE = [
    "",
    "-1",
    "1e999",
    "nan",
    "\x00",
    "'; --",
    '"',
    "spline(",
    "x" * 3000,
    "٣",
    "9999-99-99",
    "0",
    "date",
    "T2",
]
PARAMETERS = (
    "formula",
    "effect",
    "across",
    "held",
    "a",
    "b",
    "x",
    "y",
    "order",
    "topic",
    "after",
    "from",
    "has",
)


def is_answered_with_a_sentence(client, run, page: str, name: str, text: str) -> None:
    asked = (
        {"formula": "date*party", "topic": "2"}
        if name not in ("effect", "across", "held")
        else {"effect": "party"}
    )
    response = client.get(reverse(page, args=[run.pk]), asked | {name: text})
    assert response.status_code in (200, 400), (name, text, response.status_code)
    assert b"NaN" not in response.content


@pytest.mark.django_db
def test_nonsense_is_answered_with_a_sentence(client, trained):
    for name in PARAMETERS:
        for text in NONSENSE:
            is_answered_with_a_sentence(client, trained, "run_effects", name, text)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["run_effects_csv", "run_claim_json"])
def test_other_addresses_read_what_is_asked_by_the_same_rules(client, trained, page):
    """So each parameter is tried with some of the nonsense, and all of it by some parameter."""
    for i, name in enumerate(PARAMETERS):
        for text in (NONSENSE[i], NONSENSE[(i + 5) % len(NONSENSE)], NONSENSE[-1 - i]):
            is_answered_with_a_sentence(client, trained, page, name, text)


@pytest.mark.django_db
def test_a_unit_that_nobody_has_said_is_pointed_at(client, draft):
    """Each speaker has a mixture of her own: intervals of documents are too narrow."""
    chance = np.random.default_rng(2)
    rows = []
    for speaker in range(24):
        share = chance.beta(0.5, 0.5)
        for _ in range(20):
            words = [
                f"{'war' if chance.random() < share else 'tax'}{chance.integers(12)}"
                for _ in range(12)
            ]
            rows.append([" ".join(words), f"pen{speaker}", ("Red", "Blue")[speaker % 2]])
    run = run_on(
        corpus_of(draft, [["text", "pen", "party"], *rows], "pens.csv"), topics=2, passes=15
    )
    corpus_unit.choose(run.corpus, None)
    wider = answer(client, run, "?formula=party")["wider"]
    assert wider["name"] == "pen" and wider["times"] > 2
    shown = client.get(reverse("run_effects", args=[run.pk]) + "?formula=party").content.decode()
    assert "times as wide" in shown
    for chosen in ("pen", ""):
        corpus_unit.choose(run.corpus, chosen)
        assert answer(client, run, "?formula=party")["wider"] is None
