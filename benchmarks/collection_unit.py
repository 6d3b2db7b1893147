"""python -m benchmarks.collection_unit [NAME…] [--documents N]: the unit that is found in
collections beside the project, compared with the one that a reader of them would choose
(docs/measurements/units.md).

Prints a line for each: the field, how sure, its design effect and intraclass correlation, what else
could be asked for, and the seconds of each step. Collections that are not beside the project are
skipped, and said. With --documents: instead, the seconds of the processor that N documents with
twenty columns take, from the columns' texts to the fields.
"""

import re
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.collection_files import american_day, csv_rows, json_rows, reuters_day
from benchmarks.engines.corpora import SHARED, read
from benchmarks.origin import options
from inference.answers import collection_unit
from webapp.intake.ingest import unit_columns


class Expected(NamedTuple):
    """file: beside the project. fields: any of which is right, "" for documents. asked: whether it
    must be asked and not claimed. dates: the column of the documents' dates."""

    file: str
    fields: tuple[str, ...]
    asked: bool = False
    dates: str = "date"


COLLECTIONS = {
    "state_of_the_union": Expected("state_of_the_union.csv.gz", ("president",)),
    "manifestos": Expected("manifestos.csv.gz", ("manifesto",), dates="year"),
    "peps": Expected("peps.csv.gz", ("author",)),
    "posts": Expected("posts.csv.gz", ("",), dates="created_at"),
    "answers": Expected("answers.csv.gz", ("",), dates=""),
    "reuters": Expected("reuters21578.jsonl.gz", ("",)),
    "arxiv": Expected("arxiv_50k.jsonl.gz", ("category",), asked=True),
}
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


def ordinal(text: str) -> int:
    """date.toordinal() of the dates of these collections, 0 for none."""
    if match := _DAY.match(text):
        return date(*map(int, match.groups())).toordinal()
    day = american_day(text) or reuters_day(text)
    if day is not None:
        return day.toordinal()
    return date(int(text), 1, 1).toordinal() if re.fullmatch(r"\d{4}", text) else 0


def as_text(value: object) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value or "").strip()


def measure(name: str, expected: Expected) -> bool:
    """Print what is found; whether it is right."""
    path = SHARED / expected.file
    rows = json_rows(path) if ".jsonl" in path.name else csv_rows(path)
    bow = read(path)
    assert bow.D == len(rows), f"{bow.D} documents were read of {len(rows)} rows"
    texts = {}
    for column in rows[0]:
        if column != "text":
            texts[column] = [as_text(row.get(column)) for row in rows]
    days = np.array([ordinal(as_text(row.get(expected.dates))) for row in rows])
    started = time.perf_counter()
    mixes = collection_unit.mixes_of(bow.indptr, bow.words, bow.counts, bow.V)
    mixed = time.perf_counter()
    columns = [collection_unit.numbered(column, values) for column, values in texts.items()]
    fields = collection_unit.find(collection_unit.with_derived(columns, texts), days, mixes).fields
    ended = time.perf_counter()
    choice = collection_unit.choose(fields)
    unit = choice.field.name if choice.field else ""
    right = unit in expected.fields and (choice.certainty == "likely" or not expected.asked)
    found = unit or "documents"
    if choice.field is not None:
        rivals = [field.name for field in choice.rivals]
        numbers = f"effect {choice.field.effect:.2f}, correlation {choice.field.correlation:.3f}"
        found += f", {choice.certainty}, {numbers}, aliases {list(choice.field.aliases)}, rivals {rivals}"
    else:
        found += f", {choice.certainty}"
    verdict = "right" if right else "WRONG"
    print(
        f"{name} ({bow.D:,} documents): {found}; {verdict}; directions {mixed - started:.1f} s,"
        f" fields {ended - mixed:.1f} s",
        flush=True,
    )
    return right


# Values of the twenty columns; the last three are the same but for their names' endings
VALUES = [2, 3, 5, 8, 12, 20, 32, 40, 100, 140, 300, 700, 3_000, 8_000, 20_000, 50_000, 900]
ALIASES = 3
CODES_OF_ALIAS = 1_000  # more than the column that it names anew has values
FIRST_DAY = 730_000  # ordinals, of about fourteen years
LAST_DAY = 735_000
WORDS_OF_DOCUMENT = 60
VOCABULARY = 50_000


def measure_cost(documents: int) -> None:
    """Print the seconds of each step at so many documents."""
    chance = np.random.default_rng(0)
    codes = [chance.integers(0, values, documents) for values in VALUES]
    codes += [chance.permutation(CODES_OF_ALIAS)[codes[-1]] for _ in range(ALIASES)]
    names = [f"column {number}" for number in range(len(codes))]
    words = np.sort(chance.integers(0, VOCABULARY, (documents, WORDS_OF_DOCUMENT), np.int32))
    indptr = np.arange(0, words.size + 1, WORDS_OF_DOCUMENT)
    days = chance.integers(FIRST_DAY, LAST_DAY, documents)

    def blocks() -> Iterator[unit_columns.Block]:
        for first in range(0, documents, unit_columns.BLOCK):
            values = {}
            for name, column in zip(names, codes, strict=True):
                block = column[first : first + unit_columns.BLOCK]
                values[name] = [f"value {code}" for code in block.tolist()]
            yield first, values

    started = time.process_time()
    for _ in blocks():
        pass
    making = time.process_time() - started
    with tempfile.TemporaryDirectory() as folder:
        columns = unit_columns.write_columns(blocks(), Path(folder), "c", documents)
        written = time.process_time()
        mixes = collection_unit.mixes_of(
            indptr, words.ravel(), np.ones(words.size, np.int32), VOCABULARY
        )
        mixed = time.process_time()
        fields = collection_unit.find(columns, days, mixes).fields
        ended = time.process_time()
    coding = written - started - 2 * making  # the blocks are made twice: here and before
    print(
        f"{documents:,} documents x {len(codes)} columns: codes {coding:.1f} s,"
        f" directions {mixed - written:.1f} s, {len(fields)} fields {ended - mixed:.1f} s of the"
        " processor"
    )


def main() -> int:
    declared: dict[str, dict[str, Any]] = {
        "names": {"nargs": "*", "help": f"of {', '.join(COLLECTIONS)}"},
        "--documents": {"type": int, "default": 0, "metavar": "N"},
    }
    arguments = options(__doc__, declared).parse_args()
    if arguments.documents:
        measure_cost(arguments.documents)
        return 0
    names = arguments.names or list(COLLECTIONS)
    wrong = 0
    for name in names:
        expected = COLLECTIONS[name]
        if not (SHARED / expected.file).exists():
            print(f"{name}: skipped, there is no {expected.file} in {SHARED.name} beside us")
            continue
        wrong += not measure(name, expected)
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
