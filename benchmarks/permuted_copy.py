"""What the overview says of a copy of a collection in which nothing is true of groups and times.

    .venv/bin/python -m benchmarks.permuted_copy [NAMES] [--unit COLUMN] [--full]

Collections of benchmarks.insight (at most 3,000 documents, unless --full) are written as a table in
which each text has the date and the columns of another row, drawn with a fixed seed; with --unit the
texts keep that column, and dates and other columns are exchanged between its values. The table is
uploaded, read and trained as the pages preset it. Of each collection a line with the kinds of
findings, then every difference and change that the overview says, under "more findings", too. The
last line is `said: S of N copies`: in how many any was said. With --unit, what is said of the unit's
own values is true.
"""

import csv
import io
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.nulls import values_exchanged, within
from benchmarks.origin import options, started

USUAL = ("proposals", "posts")
KINDS = ("mark", "keyword", "change", "event", "speaker")  # that say a difference or a change
SEED = 77


def main() -> None:
    """Prints what is said of each copy."""
    declared: dict[str, dict[str, Any]] = {
        "names": {"nargs": "*", "help": "of benchmarks.insight"},
        "--unit": {"default": "", "help": "a column that texts keep"},
        "--full": {"action": "store_true", "help": "whole collections"},
    }
    arguments = options(__doc__, declared).parse_args()
    names = arguments.names or list(USUAL)
    copies_with_claims = 0
    with started(None):
        for name in names:
            copies_with_claims += print_copy(name, arguments.unit, not arguments.full)
    print(f"said: {copies_with_claims} of {len(names)} copies")


def print_copy(name: str, unit: str, quick: bool) -> bool:
    """Whether a difference or a change is said of it."""
    from benchmarks.insight import collections, runs

    texts = collections.COLLECTIONS[name](quick).texts
    content = table_of(texts, unit).encode()
    copy = collections.Collection(f"{name}, exchanged", [(f"{name}.csv", content)], [])
    page = runs.shown(runs.trained(copy, quick, 0), "more")
    count = Counter(row["kind"] for row in page["findings"])
    print(f"{name}: " + ", ".join(f"{number} {kind}" for kind, number in count.items()))
    claims = [row for row in page["findings"] if row["kind"] in KINDS]
    for row in claims:
        print(f"  {row['kind']}: {row['sentence']}")
    return bool(claims)


def table_of(texts, unit: str) -> str:
    """The texts as CSV, with exchanged dates and columns. unit: a column that they keep, or ""."""
    chance = np.random.default_rng(SEED)
    columns = sorted({column for text in texts for column in text.fields})
    source_of_day = source_of_columns = chance.permutation(len(texts))
    if unit:
        values = [text.fields.get(unit, "") for text in texts]
        codes = np.unique(values, return_inverse=True)[1]
        source_of_day = within(codes, np.zeros(len(texts)), chance)
        source_of_columns = values_exchanged(np.arange(len(texts)), codes, chance)
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["text", "date", *columns])
    for i, text in enumerate(texts):
        cells = [texts[source_of_columns[i]].fields.get(column, "") for column in columns]
        if unit in columns:
            cells[columns.index(unit)] = text.fields.get(unit, "")
        writer.writerow([text.text, texts[source_of_day[i]].day, *cells])
    return table.getvalue()


if __name__ == "__main__":
    main()
