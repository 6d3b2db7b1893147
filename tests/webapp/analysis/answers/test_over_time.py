"""A change over time is one question: the overview's sentence, the page of two sets that its
"Effect" opens, and the data say the same number, interval and verdict, to the last digit."""

from html import unescape

import numpy as np
import pytest
from django.urls import reverse
from django.utils.html import strip_tags
from scipy.sparse import csr_matrix

from inference.answers import spans
from inference.answers.collection_unit import UnitField
from inference.answers.outcome import AmountTable
from tests.webapp.making import corpus_of, run_on
from webapp.analysis.answers.spans import Calendar, SpansOfSet
from webapp.analysis.findings import time_sentences
from webapp.analysis.findings.over_time import SpanAsker
from webapp.analysis.findings.spans_and_groups import Shaped
from webapp.core.documents.corpus_unit import Unit

pytestmark = pytest.mark.django_db
THEMES = {
    "war": "army battle soldier enemy fleet cannon siege victory",
    "trade": "tariff duties import export cargo harbour merchant price",
    "farm": "wheat plough cattle meadow orchard harvest barley grain",
    "law": "court judge statute appeal verdict counsel jury tribunal",
    "school": "teacher pupil lesson grammar college lecture exam scholar",
    "ship": "sailor captain deck mast anchor voyage rudder compass",
}
YEARS = 24
SPEAKERS = 15
WORDS = 40
SAME = ("difference", "difference_low", "difference_high", "p")
# war in four years, trade since 1915, farm ever more
ROSE = {"war": "window", "trade": "step", "farm": "line"}


def collection(chance: np.random.Generator, speakers: bool) -> list[list[str]]:
    words = [theme.split() for theme in THEMES.values()]
    own = chance.dirichlet(np.full(len(THEMES), 3.0), SPEAKERS) * 6
    rows = [["title", "date", "speaker", "text"] if speakers else ["title", "date", "text"]]
    for year in range(YEARS):
        for speaker in range(2 * SPEAKERS):
            weights = own[speaker % SPEAKERS].copy() if speakers else np.ones(len(THEMES))
            weights[0] *= 8 if 6 <= year < 10 else 1
            weights[1] *= 5 if year >= 15 else 1
            weights[2] *= 0.3 + year / 4
            themes = chance.choice(len(THEMES), WORDS, p=chance.dirichlet(weights))
            text = " ".join(words[k][chance.integers(len(words[k]))] for k in themes)
            name = [f"S{speaker % SPEAKERS:02d}"] if speakers else []
            rows.append([f"{year} {speaker}", str(1900 + year), *name, text])
    return rows


@pytest.fixture(scope="module", params=[False, True], ids=["documents", "speakers"])
def risen(draft, django_db_blocker, request):
    rows = collection(np.random.default_rng(62), request.param)
    with django_db_blocker.unblock():
        corpus = corpus_of(draft, rows, "risen.csv", min_documents=1, max_share=1.0)
        yield run_on(corpus, seed=1, topics=len(THEMES), passes=20)


def changes(client, run) -> list[dict]:
    data = client.get(reverse("run_overview_json", args=[run.pk]), {"detail": "more"}).json()
    assert data["ready"]
    return [row for row in data["findings"] if row["kind"] == "change"]


def asked(claim: dict) -> dict[str, str]:
    """The question of a claim, as the page of two sets has it."""
    if claim["steady"]:
        return {"from_a": claim["first"], "to_b": claim["early"]}
    return {name: day for name, day in (("from_a", claim["first"]), ("to_a", claim["last"])) if day}


def test_what_changed_is_told(client, risen):
    found = {row["items"][0]["shape"] for row in changes(client, risen)}
    assert "step" in found or "line" in found
    assert len(changes(client, risen)) >= 2


def test_the_overview_says_what_the_page_of_two_sets_says(client, risen):
    told = changes(client, risen)
    assert told
    for row in told:
        (claim,) = row["claims"]
        answer = claim["answer"]
        address = reverse("run_time_compare_json", args=[risen.pk])
        page = client.get(address, asked(claim)).json()
        topics = {topic["number"]: topic for part in page["more"] for topic in part}
        topic = topics[claim["topic"]]
        for name in SAME:
            assert topic[name] == answer[name]
        assert (page["level"], page["rows"]) == (answer["level"], answer["rows"])
        assert page["calibrated"] == answer["calibrated"] == "exchanged"
        ratio = [topic[name] for name in ("ratio", "ratio_low", "ratio_high")]
        assert [row["estimate"], row["low"], row["high"]] == ratio
        item = row["items"][0]
        assert [item["here"]["share"], item["rest"]["share"]] == topic["share"]
        assert len(item["counted_shares"]) == 2 and all(
            0 <= share <= 1 for share in item["counted_shares"]
        )
        said = ", surely " if row["ends"].startswith("surely") else ", interval "
        assert said in row["sure"] or not row["ends"]
        assert (page["same_speakers"] == "speaker") == (answer["unit"] == "speaker")


def test_no_sentence_has_an_interval_that_includes_no_change(client, risen):
    for row in changes(client, risen):
        answer = row["claims"][0]["answer"]
        assert answer["difference_low"] > 0 or answer["difference_high"] < 0
        low = 0.0 if row["low"] is None else row["low"]
        assert low > 1 or (row["high"] is not None and row["high"] < 1)


def test_effect_opens_the_question_of_the_sentence(client, risen):
    page = reverse("run_overview", args=[risen.pk])
    html = unescape(client.get(page, {"detail": "more"}).content.decode())
    address = reverse("run_time_compare", args=[risen.pk])
    for row in changes(client, risen):
        query = "&".join(f"{name}={day}" for name, day in asked(row["claims"][0]).items())
        assert f'href="{address}?{query}#' in html, "the topic's own line"


def test_two_sides_turned_turn_the_answer(client, risen):
    address = reverse("run_time_compare_json", args=[risen.pk])
    there = client.get(address, {"from_a": "1915"}).json()
    back = client.get(address, {"to_a": "1914"}).json()
    first = {topic["number"]: topic for part in there["more"] for topic in part}
    second = {topic["number"]: topic for part in back["more"] for topic in part}
    assert first.keys() == second.keys() and first
    for number, topic in first.items():
        assert topic["difference"] == -second[number]["difference"]
        assert topic["p"] == second[number]["p"]


def test_two_times_that_are_all_time_get_the_answer_of_the_overview(client, risen):
    """A step that the overview told as clear “may be chance” where both its sides were chosen."""
    address = reverse("run_time_compare_json", args=[risen.pk])
    against_others = client.get(address, {"from_a": "1915"}).json()
    of_both = client.get(address, {"to_a": "1914", "from_b": "1915"}).json()
    first = {topic["number"]: topic for part in against_others["more"] for topic in part}
    second = {topic["number"]: topic for part in of_both["more"] for topic in part}
    assert first.keys() == second.keys() and first
    for number, topic in first.items():
        assert topic["p"] == second[number]["p"]
        assert topic["difference"] == -second[number]["difference"]
    assert of_both["speakers_vary"] == ""


def test_where_all_texts_are_compared_and_the_overview_compares_the_same_speakers_it_is_said(
    client, risen
):
    """Of two times that leave some out nothing is known of what the same speakers say."""
    query = {"to_a": "1905", "from_b": "1915"}
    data = client.get(reverse("run_time_compare_json", args=[risen.pk]), query).json()
    page = client.get(reverse("run_time_compare", args=[risen.pk]), query).content.decode()
    shown = " ".join(strip_tags(unescape(page)).split())
    has_speakers = bool(data["unit"]["column"])
    assert data["speakers_vary"] == ("speaker" if has_speakers else "")
    said = "The overview compares texts of the same speakers; this page compares all texts"
    assert (said in shown) is has_speakers


@pytest.mark.parametrize(
    ("seed", "part_later", "said"),
    [(1, 0.1, ""), (3, 0.5, " (23% in texts of the same authors)")],
    ids=["the same authors write", "others write"],
)
def test_a_change_says_the_counted_shares_and_what_the_same_authors_wrote(seed, part_later, said):
    """Half of the authors have much of a subject, and all have more of it later. Where these also
    write more later, the earlier share of the same authors was said as if it were that of all
    earlier texts, and the curve beside it denied it."""
    asker = asker_of_authors(np.random.default_rng(seed), part_later)
    span = next(asker.accepted(0, one_topic_only=False))
    change = Shaped(
        first="1980",
        last="1999",
        shape="step",
        more=True,
        counted_shares=span.counted_shares,
        same=span.same,
    )
    shares = (span.here, span.rest)
    parts = time_sentences.changed(change, ["It"], shares, "words", "", ("1960", "1999"))
    sentence, _, behind = "".join(parts).partition(" before")
    assert behind == said
    outcome = asker.spans_of_set.spans.outcome
    is_earlier = asker.spans_of_set.calendar.group < span.first
    amounts = outcome.amounts[:, [0]].toarray()[:, 0]
    earlier = amounts[is_earlier].sum() / outcome.sizes[is_earlier].sum()
    assert span.counted_shares[1] == pytest.approx(earlier)
    assert sentence.endswith(f", {100 * earlier:.1f}%")


def test_a_rise_that_the_counted_shares_deny_is_not_told():
    """All authors have more of a subject later, but those who have most of it hardly write then."""
    asker = asker_of_authors(np.random.default_rng(3), part_later=0.12, part_earlier=0.85)
    thirds = asker.spans_of_set.thirds()
    assert thirds is not None
    answers = asker.spans_of_set.answer(*thirds)
    within, outside = asker.shares_as_counted(0, *thirds)
    assert answers.accepted[0] and answers.difference[0] > 0 and within < outside
    spans_told = list(asker.accepted(0, one_topic_only=False))
    for span in spans_told:
        assert (span.counted_shares[0] > span.counted_shares[1]) == span.more


def test_a_window_begins_and_ends_when_there_is_some(monkeypatch):
    """“From December 2009”, when none of two texts was of the topic."""
    chance = np.random.default_rng(5)
    place = np.repeat(np.arange(40), 60)
    of_subject = chance.binomial(80, np.where((place >= 10) & (place < 20), 0.3, 0.02))
    is_at_an_end = (place == 9) | (place == 20)
    of_subject[is_at_an_end] = 0
    amounts = np.stack([of_subject, 80 - of_subject], axis=1).astype(float)
    amounts[is_at_an_end] /= 40  # periods of few words
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    days = 1 + 365 * place
    looked_through = spans.look_through(outcome, spans.Periods(place, days), None)
    is_within = (place >= 9) & (place <= 20)
    candidate = spans.Candidate("window", is_within, ~is_within, True)
    monkeypatch.setattr(spans.Spans, "candidates", lambda self, column: iter([candidate]))
    calendar = Calendar("year", np.arange(40), place.astype(np.int32), days)
    asker = SpanAsker(SpansOfSet(calendar, looked_through, Unit(None, said="")), str)
    (span,) = asker.accepted(0, one_topic_only=False)
    assert (span.first, span.last) == (10, 19)
    assert set(place[span.on_a]) == set(range(10, 20))
    within = outcome.amounts[:, [0]].toarray()[span.on_a, 0].sum() / outcome.sizes[span.on_a].sum()
    assert span.counted_shares[0] == pytest.approx(within)


def asker_of_authors(
    chance: np.random.Generator, part_later: float, part_earlier: float = 0.1
) -> SpanAsker:
    """part_later, part_earlier: how much of the later and of the earlier texts is by authors who have
    the subject."""
    periods, later, authors = 40, 20, 20
    place = np.sort(chance.integers(0, periods, 3_000))
    is_later = place >= later
    has_subject = chance.random(len(place)) < np.where(is_later, part_later, part_earlier)
    unit = 2 * chance.integers(0, authors // 2, len(place)) + has_subject
    share = np.where(has_subject, 0.2, 0.02) * np.where(is_later, 4, 1)
    of_subject = chance.binomial(80, share)
    amounts = np.stack([of_subject, 80 - of_subject], axis=1).astype(float)
    outcome = AmountTable(csr_matrix(amounts), amounts.sum(axis=1))
    days = 1 + 365 * place
    looked_through = spans.look_through(
        outcome, spans.Periods(place, days), spans.Speakers(unit, 0.3)
    )
    calendar = Calendar("year", np.arange(periods), place.astype(np.int32), days)
    author = UnitField(
        name="author",
        values=authors,
        effective=authors,
        shared=1,
        known=1,
        letters=1,
        effect=2,
        correlation=0.3,
    )
    unit_of_texts = Unit(author, said="for similar texts")
    return SpanAsker(SpansOfSet(calendar, looked_through, unit_of_texts), str)
