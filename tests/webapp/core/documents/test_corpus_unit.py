"""Who speaks in a corpus, and what it does to the intervals of pages."""

from types import SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from inference import day_sums
from inference.errors import Invalid
from tests.webapp.making import corpus_of, run_on
from webapp.core.documents import corpus_unit
from webapp.core.results import evidence
from webapp.models import Corpus

pytestmark = pytest.mark.django_db
SPEAKERS = 12


@pytest.fixture(scope="module")
def spoken(draft, django_db_setup, django_db_blocker):
    """A run on texts of twelve speakers: each speaks in both decades, always of farms or always of
    stars; four are Whigs."""
    chance = np.random.default_rng(1)
    subjects = (
        "horse cow sheep goat hen goose duck pig".split(),
        "comet planet orbit moon galaxy nebula meteor".split(),
    )
    rows = []
    for i in range(240):
        speaker = i % SPEAKERS
        words = " ".join(chance.choice(subjects[speaker % 3 == 0], 30))
        party = "Whig" if speaker < 4 else "Tory"
        rows.append([f"{1900 + i % 20}-05-01", f"speaker {speaker}", party, words])
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft,
            [["date", "who spoke", "party", "text"], *rows],
            "spoken.csv",
            language="en",
            min_documents=1,
            max_share=1.0,
        )
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(day_sums, "ROW_BYTES", 1_000)
            yield run_on(corpus, seed=1, topics=2, passes=20)


@pytest.fixture
def by_speaker(spoken):
    corpus_unit.choose(spoken.corpus, "who spoke")
    yield spoken
    Corpus.objects.filter(pk=spoken.corpus_id).update(unit=None)
    spoken.corpus.unit = None


def get(client, run, name, query):
    response = client.get(reverse(name, args=[run.pk]) + query)
    assert response.status_code == 200, response.content[-2000:]
    return response.json() if name.endswith("json") else response.content.decode()


def test_only_a_field_of_ten_values_can_be_chosen(spoken):
    assert [field.name for field in corpus_unit.possible(spoken.version)] == ["who spoke"]
    with pytest.raises(Invalid, match="no field of at least 10 values"):
        corpus_unit.choose(spoken.corpus, "party")
    assert Corpus.objects.get(pk=spoken.corpus_id).unit is None


def test_the_page_of_a_corpus_asks_who_speaks(client, spoken):
    address = reverse("corpus", args=[spoken.corpus_id])
    assert "the values of “who spoke”" in client.get(address).content.decode()
    for sent, kept in (("=who spoke", "who spoke"), ("=party", "who spoke"), ("", ""), ("?", None)):
        assert (
            client.post(reverse("corpus_unit", args=[spoken.corpus_id]), {"unit": sent}).status_code
            == 302
        )
        assert Corpus.objects.get(pk=spoken.corpus_id).unit == kept


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ("=who spoke", "documents with the same “who spoke” now count as one speaker’s."),
        ("", "each document now counts as a speaker of its own."),
        ("?", "Topograph looks in the texts for who speaks, for the intervals of all runs."),
    ],
)
def test_the_answer_says_what_was_chosen_and_for_what(client, spoken, sent, said):
    """It said “The intervals of all runs follow it.”"""
    address = reverse("corpus_unit", args=[spoken.corpus_id])
    shown = client.post(address, {"unit": sent}, follow=True).content.decode()
    assert said in shown


def test_who_speaks_can_be_said_from_the_page_of_effects(client, spoken):
    here = reverse("run_effects", args=[spoken.pk])
    assert "Count <bdi>each who spoke</bdi> as one" in client.get(here).content.decode()
    sent = {"unit": "=who spoke", "next": here}
    assert (
        client.post(reverse("corpus_unit", args=[spoken.corpus_id]), sent).headers["Location"]
        == here
    )


def test_a_phrase_that_names_somebody_is_known(by_speaker):
    names_somebody = corpus_unit.names_somebody(by_speaker.version)
    assert names_somebody("Speaker") and not names_somebody("speaker of the house")
    assert not names_somebody("peak")


def test_fields_that_may_say_who_speaks_are_those_of_the_unit_and_its_rivals(spoken, monkeypatch):
    assert corpus_unit.speaker_fields(spoken.version) == ("who spoke",)
    field = SimpleNamespace(names=("who", "by"))
    unit = SimpleNamespace(field=field, rivals=(SimpleNamespace(names=("party",)),))
    monkeypatch.setattr(corpus_unit, "unit_of", lambda version: unit)
    assert corpus_unit.speaker_fields(spoken.version) == ("by", "party", "who")
    unit.field = None
    assert corpus_unit.speaker_fields(spoken.version) == ()


def test_an_apostrophe_hides_no_value(by_speaker, monkeypatch):
    column = SimpleNamespace(name="who spoke", values=["Conan O’Brien"])
    monkeypatch.setattr(corpus_unit.fields, "categories", lambda version: [column])
    names_somebody = corpus_unit.names_somebody(by_speaker.version)
    assert names_somebody("O'Brien") and names_somebody("Oʼbrien") and names_somebody("Brien")
    (words,) = corpus_unit.words_of_values(by_speaker.version)
    assert words == {"conan", "o'brien", "o", "brien"}


def test_until_somebody_says_who_speaks_documents_are_independent(client, spoken):
    page = get(client, spoken, "run_time_json", "?by=decade&topics=0")
    assert page["unit"] == "if documents are independent of each other"
    assert None not in page["topics"][0]["low"]


def test_an_interval_over_speakers_is_the_ratio_of_their_sums(client, by_speaker):
    page = get(client, by_speaker, "run_time_json", "?by=decade&topics=0")
    assert page["unit"] == "for similar texts in general, not only for these values of “who spoke”"
    found, (low, high) = (
        evidence.of(by_speaker),
        (page["topics"][0][end] for end in ("low", "high")),
    )
    for g, decade in enumerate(page["bins"]):
        assert low[g] < page["topics"][0]["share"][g] < high[g]
        x = np.zeros(SPEAKERS)
        n = np.zeros(SPEAKERS)
        for d in range(240):
            if (d % 20) // 10 == g:
                x[d % SPEAKERS] += found.mixtures.tokens(d, 0)
                n[d % SPEAKERS] += found.lengths[d]
        share = x.sum() / n.sum()
        h = n / n.sum()
        assert page["topics"][0]["share"][g] == pytest.approx(share), decade
        error = np.sqrt(((x - share * n) ** 2 / (1 - h)).sum()) / n.sum() / (share * (1 - share))
        reach = np.log(high[g] / (1 - high[g])) - np.log(share / (1 - share))
        # Student's t of some 11 degrees of freedom
        assert reach / error == pytest.approx(2.2, abs=0.1)


def test_documents_of_one_speaker_tell_less_than_as_many_of_others(client, spoken):
    widths = []
    for unit in (None, "who spoke"):
        corpus_unit.choose(spoken.corpus, unit)
        topic = get(client, spoken, "run_time_json", "?by=decade&topics=0")["topics"][0]
        widths.append(topic["high"][0] - topic["low"][0])
    corpus_unit.choose(spoken.corpus, None)
    assert widths[1] > 2 * widths[0]


def test_under_five_speakers_there_is_no_interval(client, by_speaker):
    page = get(client, by_speaker, "run_time_json", "?by=party&topics=0")
    low = dict(zip([b["label"] for b in page["bins"]], page["topics"][0]["low"], strict=True))
    assert low["Whig"] is None
    assert low["Tory"] is not None
    assert "95%" in get(client, by_speaker, "run_time", "?by=party&topics=0")
    assert get(client, by_speaker, "run_time_table", "?by=party&topics=0")
    compared = get(client, by_speaker, "run_time_compare_json", "?in_a=party:Whig")
    assert compared["more"] == [[], []]
    assert compared["caution"].startswith("One side has texts of only 4 values of “who spoke”")


def test_where_speakers_themselves_are_compared_documents_are_the_units(client, by_speaker):
    page = get(client, by_speaker, "run_time_json", "?by=who+spoke&topics=0")
    assert page["unit"] == "if documents are independent of each other"
    assert None not in page["topics"][0]["low"]


def test_where_speakers_are_compared_it_is_said_why_documents_count_for_themselves(
    client, by_speaker
):
    """“Each document counts for itself” seemed to contradict the overview, which counts texts of
    one folder as one, where a folder was compared with all others."""
    in_first = "?in_a=who spoke:speaker 1"
    unit = get(client, by_speaker, "run_time_compare_json", in_first)["unit"]
    assert unit["column"] == ""
    assert unit["sentence"].startswith("Elsewhere texts with the same “who spoke”")
    assert unit["sentence"].endswith("is compared with others, so each document counts for itself.")
    corpus_unit.choose(by_speaker.corpus, "")
    unit = get(client, by_speaker, "run_time_compare_json", in_first)["unit"]
    assert unit["sentence"] == "Each document counts for itself."


def test_two_decades_of_the_same_speakers_hardly_differ(client, by_speaker):
    sides = "?from_a=1900&to_a=1909&from_b=1910&to_b=1919"
    compared = get(client, by_speaker, "run_time_compare_json", sides)
    assert (
        compared["unit"]["beyond"]
        == "for similar texts in general, not only for these values of “who spoke”"
    )
    assert compared["caution"] == ""
    assert compared["unsure_count"] + sum(map(len, compared["more"])) == 2


def test_stored_answers_outlive_another_wording():
    """What an answer depends on is who speaks, not how a page says it."""
    before = corpus_unit.Unit(None, "for texts like these", "none")
    after = corpus_unit.Unit(None, "for similar texts in general", "none")
    assert before.key == after.key
    assert before.key != corpus_unit.Unit(None, "for texts like these", "answered").key
