"""Which names give dates: by how many of the files that have no other date they are in."""

import pytest

from inference.errors import Invalid
from webapp.intake.file_formats import Document
from webapp.intake.ingest.shaping import DatesInNames, Shaping, shape, usual_name_dates
from webapp.intake.ingest.shaping.file_name_fields import date_in

SCHOLARS = {
    "1984_orwell": "1984",
    "2003-05-12": "2003-05-12",
    "Rede1914": "1914",
    "NYT19870312": "1987-03-12",
    "speech_1990a": "1990",
    "lincoln1861": "1861",
}
CHIPS = ["max1619", "dme1737", "i2c-ali1535"]


def choice_of(*files: str) -> str:
    return usual_name_dates([DatesInNames.of_file(file) for file in files])


def test_dates_stand_beside_letters_in_names_of_scholars():
    assert {name: date_in(name) for name in SCHOLARS} == SCHOLARS
    assert choice_of(*(f"{name}.txt" for name in SCHOLARS)) == "files"


def test_numbers_of_a_few_chips_are_no_years():
    others = [f"driver_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert choice_of(*(f"hwmon/{name}.html" for name in (*CHIPS, *others))) == "none"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # half of them, and fewer
        (["1901_a.txt", "b.txt"], "files"),
        (["1901_a.txt", "b.txt", "c.txt"], "none"),
        (["1901/a.txt", "1902/b.txt", "1902/max1619.txt", "1903/c.txt"], "folders"),
        # Each fills what the other leaves
        (["1901/a.txt", "1902/b.txt", "c/1903_a.txt"], ""),
        (["1901/1901_a.txt", "1902/1902_b.txt"], ""),
        ([*(f"{year}/a.txt" for year in range(1900, 1930)), "1930/max1619.txt"], "folders"),
        ([*(f"{year}/a.txt" for year in range(1900, 1930)), "new/max1619.txt"], "folders"),
        (["a.txt", "b.txt"], "none"),
        # There is nothing to choose for rows of tables
        ([], ""),
        # A year that nobody has written in
        (["room2075.txt", "room2076.txt"], "none"),
    ],
)
def test_names_give_dates_where_half_of_the_files_have_one(files, expected):
    assert choice_of(*files) == expected


@pytest.mark.parametrize(
    ("name_dates", "expected"),
    [("", "1902-03-04"), ("files", "1902-03-04"), ("folders", "1901"), ("none", "")],
)
def test_what_is_chosen_is_taken(tmp_path, name_dates, expected):
    document = Document("text", file="letters/1901/adams 1902-03-04.txt")
    [shaped] = shape([document], Shaping(name_dates=name_dates), tmp_path)
    assert shaped.date == expected


def test_another_choice_is_refused():
    with pytest.raises(Invalid) as caught:
        Shaping(name_dates="rows")
    assert caught.value.field == "name_dates"
