"""The form of what is done to documents says what webapp.intake.ingest.shaping takes, and nothing
else."""

from dataclasses import asdict

import pytest

from webapp.intake.ingest.shaping import Shaping, TableGuess
from webapp.intake.ingest.shaping_forms import ShapingForm

GUESS = TableGuess("meta.csv", "file", 9, 10)


def form(shaping: Shaping = Shaping(), guess=None, **given) -> ShapingForm:  # noqa: B008
    unbound = ShapingForm(shaping=shaping, tables=["meta.csv", "other.csv"], guess=guess)
    values = {
        name: value
        for name in unbound.fields
        if (value := unbound[name].value()) is not None and value is not False
    }
    return ShapingForm(
        values | given, shaping=shaping, tables=["meta.csv", "other.csv"], guess=guess
    )


@pytest.mark.parametrize(
    "shaping",
    [
        Shaping(),
        Shaping(sections="words", length=500),
        Shaping(sections="headings", least=0, marker="CHAPTER"),
        Shaping(
            join=("author", "folder 1"), period="day", names=True, pattern="{year}_{author}.txt"
        ),
        Shaping(table="a.zip/meta.csv", key="file"),
    ],
)
def test_what_was_chosen_comes_back(shaping):
    found = form(shaping)
    assert found.is_valid() and asdict(found.shaping()) == asdict(shaping)


def test_nothing_given_changes_nothing():
    found = ShapingForm({}, shaping=Shaping())
    assert found.is_valid() and found.shaping() == Shaping()


def test_a_table_that_was_guessed_is_chosen_and_can_be_refused():
    assert (form(guess=GUESS).is_valid(), form(guess=GUESS)["table"].value()) == (True, "meta.csv")
    chosen = form(guess=GUESS)
    chosen.is_valid()
    assert (chosen.shaping().table, chosen.shaping().key) == ("meta.csv", "file")
    refused = form(guess=GUESS, table="")
    refused.is_valid()
    assert refused.shaping() == Shaping()


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("length", {"sections": "words", "length": "10"}),
        ("length", {"sections": "pages", "length": "many"}),
        ("sections", {"sections": "verses"}),
        ("pattern", {"pattern": "{a}{b}"}),
        ("join", {"join": "a,b,c,d,e,f,g,h,i"}),
        ("table", {"table": "passwd", "key": "file"}),
        ("table", {"table": "meta.csv", "key": ""}),
    ],
)
def test_what_is_wrong_is_said_at_its_field(field, given):
    found = form(**given)
    assert not found.is_valid() and list(found.errors) == [field]
