"""Words that differ and say nothing of a subject are never told: names of months and days, and what
stands on nearly all texts of one who speaks."""

import numpy as np
import pytest
from django.urls import reverse

from inference.text.calendar_names import calendar_names
from tests.webapp.making import corpus_of, run_on
from webapp.core.documents import corpus_unit

SUBJECTS = (
    "horse cow sheep goat hen goose duck pig".split(),
    "comet planet orbit moon galaxy nebula meteor star".split(),
    "ship harbour sail anchor captain cargo tide deck".split(),
)
PERSONS = 12
SIGNATURES = "oak elm ash fir yew lime beech maple".split()  # two of each of the first four persons


@pytest.mark.parametrize(
    "language, name, count",
    [("en", "december", 19), ("de", "märz", 19), ("cs", "ledna", 30), ("cs", "leden", 30)],
)
def test_the_names_of_months_are_those_of_the_language(language, name, count):
    assert name in calendar_names(language)
    assert len(calendar_names(language)) == count  # “May” is one word, whichever form


def test_a_language_that_is_not_known_has_no_names():
    assert not calendar_names("xx")
    assert not calendar_names("")


@pytest.fixture(scope="module")
def run(draft, django_db_setup, django_db_blocker):
    """Two parties of six persons, of one year: Blues write of ships, in December, and sign their
    texts."""
    chance = np.random.default_rng(8)
    rows = [["date", "person", "party", "text"]]
    for number in range(50 * PERSONS):
        person = number % PERSONS
        party = "Blue" if person % 2 else "Red"
        month = 12 if party == "Blue" or chance.random() < 0.1 else 3
        subject = SUBJECTS[2 if party == "Blue" and chance.random() < 0.7 else person % 2]
        words = [*chance.choice(subject, 20), "december" if month == 12 else "march"]
        if person < 4:
            words += SIGNATURES[2 * person : 2 * person + 2]
        day = f"1950-{month:02d}-{chance.integers(1, 28):02d}"
        rows.append([day, f"person {person}", party, " ".join(words)])
    with django_db_blocker.unblock():
        corpus = corpus_of(
            draft, rows, "parties.csv", language="en", min_documents=1, max_share=1.0
        )
        corpus_unit.choose(corpus, "person")
        yield run_on(corpus, seed=1, topics=3, passes=20)


@pytest.mark.django_db
def test_keywords_and_words_of_a_time_are_no_months_and_no_signatures(client, run):
    page = client.get(reverse("run_overview_json", args=[run.pk]), {"detail": "more"}).json()
    words = {
        word
        for finding in page["findings"]
        if finding["kind"] in ("keyword", "event")
        for claim in finding["claims"]
        for word in claim["parts"]
    }
    assert words & {word for subject in SUBJECTS for word in subject}
    assert not words & {"december", "march"}
    assert not words & set(SIGNATURES)
