"""What kind of values a column has beside the text: a guess, which the form shows and can be changed."""

from collections.abc import Iterable

import regex

from webapp.readers.dates import guess_order, looks_like

TEXT, CATEGORY, NUMBER, DATE = KINDS = ("text", "category", "number", "date")
LARGEST = 1e300  # beyond it a range has no next round number
_MANY = 0.95  # of the values must be numbers, or dates, for a column of them: a few may be “unknown”
_FEW_DIFFERENT = 8  # whole numbers: codes or grades, each a value of its own
_LABEL = 60  # characters of a value that can be a category's, on average
_YEAR = regex.compile(r"\d{4}")
_NUMBER = regex.compile(r"[-+−]?(?:\d{1,3}(?:[,\u202f\xa0' ]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,3})?\s?%?")
_COMMA = regex.compile(r"[-+−]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+\s?%?")


def number(text: str) -> float | None:
    """The number that a text is: 1234, -1.5e3, 1,234.5, 12 %; 1.234,5 and 0,25 with a comma for the point. None for anything else."""
    text = text.strip()
    if not text or len(text) > 40:
        return None
    if _COMMA.fullmatch(text) and not _NUMBER.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif not _NUMBER.fullmatch(text):
        return None
    try:
        found = float(regex.sub(r"[,\u202f\xa0' %]", "", text).replace("−", "-"))
    except ValueError:
        return None
    return found if abs(found) < LARGEST else None


def guess(columns: list[str], rows: list[list[str]]) -> dict[str, str]:
    """For each column, by its first values, one of KINDS; "text" for what is too long or too various to be a category."""
    return {name: _kind([row[i].strip() for row in rows if i < len(row)]) for i, name in enumerate(columns)}


def order(columns: Iterable[int], rows: list[list[str]]) -> str:
    """What 12/3/1999 means in these columns of dates: "dmy", "mdy", or "" where they do not tell."""
    return guess_order(row[i] for i in columns for row in rows if i < len(row)) or ""


def described(columns: list[str], rows: list[list[str]], date: int | None) -> dict:
    """The options that say what the values are: kinds, and the order of dates. date: the column that holds the documents' date."""
    kinds = guess(columns, rows)
    dates = {i for i, name in enumerate(columns) if kinds[name] == DATE} | ({date} - {None})
    return {"kinds": kinds, "date_order": order(sorted(dates), rows)}


def _kind(values: list[str]) -> str:
    filled = [value for value in values if value]
    if not filled:
        return CATEGORY
    most, different = _MANY * len(filled), len(set(filled))
    if sum(map(looks_like, filled)) >= most and _are_dates(filled):
        return DATE
    if sum(number(value) is not None for value in filled) >= most:
        return (
            CATEGORY
            if different <= _FEW_DIFFERENT and different <= len(filled) / 2 and all(map(str.isdigit, filled))
            else NUMBER
        )
    if sum(map(len, filled)) / len(filled) > _LABEL or (len(filled) > 3 and different > 0.9 * len(filled)):
        return TEXT
    return CATEGORY


def _are_dates(values: list[str]) -> bool:
    """Numbers of four or eight digits are years or days only where all are of our era."""
    plain = [value for value in values if value.isdigit()]
    return not plain or all(_YEAR.fullmatch(value) and 1000 <= int(value) <= 2100 or len(value) == 8 for value in plain)
