"""Files of the collections beside the project: their rows, and days as they write them."""

import csv
import gzip
import json
import re
from datetime import date
from pathlib import Path
from typing import Any

LONGEST_FIELD = 1 << 30  # characters; the module's own limit is shorter than some addresses
csv.field_size_limit(LONGEST_FIELD)
CENTURY = 100
THIS_CENTURY = 2000
MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split()
_AMERICAN_DAY = re.compile(r"(\d+)/(\d+)/(\d+)")
_REUTERS_DAY = re.compile(r"\s*(\d+)-([A-Z]{3})-(\d{4})")


def csv_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a packed table, by the names of its columns; broken characters are replaced."""
    with gzip.open(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
        return list(csv.DictReader(file))


def json_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of packed JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def american_day(text: str) -> date | None:
    """Of 10/16/17 22:59, in this century; None of other texts."""
    match = _AMERICAN_DAY.match(text)
    if match is None:
        return None
    month, day, year = map(int, match.groups())
    return date(THIS_CENTURY + year % CENTURY, month, day)


def reuters_day(text: str) -> date | None:
    """Of 26-FEB-1987 15:01; None of other texts."""
    match = _REUTERS_DAY.match(text)
    if match is None:
        return None
    day, month, year = match.groups()
    return date(int(year), MONTHS.index(month) + 1, int(day))
