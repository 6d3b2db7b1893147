"""What a user can choose, and what is said of what can't be."""

import json
from dataclasses import asdict

import pytest

from inference.errors import Invalid
from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping import Shaping, shape


def test_by_default_nothing_changes(tmp_path):
    items = [Document("a\f\n\n# b", "T", file="y.txt"), Problem("f", "p", "m", True)]
    assert list(shape(items, Shaping(), tmp_path)) == items


def test_it_is_kept_as_json():
    shaping = Shaping(
        sections="words",
        length=500,
        join=("author", "day"),
        names=True,
        pattern="{a}.txt",
        table="t.csv",
        key="file",
    )
    assert Shaping(**json.loads(json.dumps(asdict(shaping)))) == shaping


@pytest.mark.parametrize(
    ("field", "options"),
    [
        ("sections", {"sections": "verses"}),
        ("length", {"sections": "words", "length": 10}),
        ("length", {"sections": "pages", "length": -1}),
        ("least", {"least": -1}),
        ("period", {"period": "hour"}),
        ("join", {"join": tuple("abcdefghi")}),
        ("pattern", {"pattern": "{a}" * 300}),
        ("pattern", {"pattern": "letters.txt"}),
        ("table", {"table": "t.csv"}),
    ],
)
def test_what_can_t_be_is_said(field, options):
    with pytest.raises(Invalid) as caught:
        Shaping(**options)
    assert caught.value.field == field


def test_lengths_have_defaults():
    assert (
        Shaping(sections="words").size == 1000
        and Shaping(sections="pages").size == 10
        and Shaping(sections="pages", length=3).size == 3
    )
