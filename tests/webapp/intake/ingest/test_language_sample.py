"""The languages of some texts of a corpus, evenly spread over it, however it is read."""

import json
from dataclasses import asdict

import pytest

from webapp.intake.ingest import language_sample
from webapp.intake.ingest.language_sample import LanguageSample

GERMAN = "Der Rat der Stadt hat beschlossen, dass die Brücke im nächsten Jahr erneuert wird."
FRENCH = "Le conseil de la ville a décidé que le pont sera rénové dans l’année qui vient."


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(language_sample, "MOST_TEXTS", 40)


@pytest.mark.parametrize("chunk", [1, 7, 300])
def test_they_are_spread_evenly_over_all_texts(chunk):
    texts = [GERMAN] * 240 + [FRENCH] * 60
    sample = LanguageSample()
    for first in range(0, len(texts), chunk):
        sample = sample.with_texts(first, texts[first : first + chunk])
        sample = LanguageSample(**json.loads(json.dumps(asdict(sample))))  # as it is stored
    assert sample.step == 8 and sample.counts() == {"de": 30, "fr": 8}


def test_texts_that_are_added_to_others_of_which_nothing_is_known_do_not_stand_for_all():
    assert LanguageSample().with_texts(100, [FRENCH] * 20).counts() == {}
