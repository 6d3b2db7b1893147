"""Rows of the shipped example, for tests of every kind."""

import csv
import gzip
import io

from webapp.platform.local.folder import ROOT

EXAMPLE = ROOT / "webapp" / "example" / "state_of_the_union.csv.gz"


def example_rows(count: int) -> list[list[str]]:
    """The header and the first rows of the example."""
    with gzip.open(EXAMPLE, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        return [next(reader) for _ in range(count + 1)]


def as_csv(rows: list[list[str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()
