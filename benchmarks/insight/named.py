"""Names of topics and families as a sheet that is judged, and what judges made of it.

    .venv/bin/python -m benchmarks.insight.named COLLECTION … --sheet SHEET.csv [--quick] [--data FOLDER]
    .venv/bin/python -m benchmarks.insight.named COLLECTION … --keep RULE.json [--quick] [--data FOLDER]
    .venv/bin/python -m benchmarks.insight.named --compare RULE.json RULE.json --sheet SHEET.csv
    .venv/bin/python -m benchmarks.insight.named --judged SHEET.JUDGE.csv … --table TABLE.csv
    .venv/bin/python -m benchmarks.insight.named --table TABLE.csv

The first trains each collection (benchmarks.insight.collections, benchmarks.insight.debian) as `python -m benchmarks.insight`
does, and writes a CSV file with a row for each name: of every topic that has a name this name, and
its first two words, which most programs show; of every family of the overview its name. Beside it
stand the words of the topic and the passages where it is strongest, or the topics of
the family. Rows are in random order; which rule made a name is in SHEET.key.csv, so that a judge who
is given the sheet alone can't know. The judge fills in the last column:
  good  a person who knows the texts would write it as a heading
  fair  true, but clumsy, narrow or vague
  bad   false, misleading, or no heading

The second keeps the names of the program as it is, and the third makes a sheet of two such files, of
the same runs named by two programs (--data keeps them): a name that both give to a topic is one row,
and counts for both. It prints how many topics each of them names.

The fourth joins judged copies of the sheet and the key into a table. The fifth prints of a table, for
each judge, collection and rule, how many names are good, fair and bad; it has read
docs/measurements/names-judged.csv. Of two judges the last line is `equal: E kappa: K of N`: the share
of names of which they say the same, and that beyond chance (Cohen 1960).
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.insight import collections, debian
from benchmarks.origin import options, started
from inference.evaluate.agreement import kappa

if TYPE_CHECKING:  # models can be imported once Django has been set up
    from webapp.models import Run

COLLECTIONS = collections.COLLECTIONS | debian.COLLECTIONS
VERDICTS = ("good", "fair", "bad")
JOINED = ("collection", "rule", "name", "about")  # columns of a table before those of judges
WORDS = 12  # of a topic that a judge sees
PASSAGES = 3
CHARACTERS = 320  # of a passage
MEMBERS = 8  # topics of a family that a judge sees
MEMBER_WORDS = 4  # of each of these
FAMILY = "family"  # the rule of a family's name, or its end
NONE = "none"  # of a topic without a name
BOTH = "+"  # between two rules that give the same name
SEED = 29  # of the order of the rows
OPTIONS: dict[str, dict[str, Any]] = {
    "names": {"nargs": "*", "choices": [*COLLECTIONS, []]},
    "--quick": {"action": "store_true", "help": "smaller cuts"},
    "--data": {"type": Path},
    "--sheet": {"type": Path},
    "--keep": {"type": Path},
    "--compare": {"type": Path, "nargs": 2},
    "--judged": {"type": Path, "nargs": "+"},
    "--table": {"type": Path},
}


class NameRow(NamedTuple):
    """A name to be judged. rule: "texts", "words" or "family"; of a topic without a name "none", which
    nobody judges; where two are compared which of them. about: the words of its topic, or
    those of the topics of its family. passages: where the topic is strongest; "" of a family."""

    collection: str
    rule: str
    name: str
    about: str
    passages: str

    @property
    def of(self) -> str:
        """What it is the name of."""
        return FAMILY if self.rule.endswith(FAMILY) else "topic"


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    if arguments.table:
        if arguments.judged:
            join_sheets(arguments.judged, arguments.table)
        print_counts(arguments.table)
        return
    if arguments.compare and arguments.sheet:
        write_sheet_files(arguments.sheet, compared(arguments.compare))
        return
    if not arguments.names or not (arguments.sheet or arguments.keep):
        raise SystemExit("Say which collections and --sheet or --keep FILE, or which --table FILE.")
    rows = named_rows(arguments)
    if arguments.keep:
        arguments.keep.write_text(json.dumps(rows, ensure_ascii=False))
    else:
        judged = [row for row in rows if row.rule != NONE]
        write_sheet_files(arguments.sheet, judged)


def named_rows(arguments: argparse.Namespace) -> list[NameRow]:
    """Of the collections that are asked for, which are trained first; one whose files are missing is
    left out, and said so."""
    rows: list[NameRow] = []
    with started(arguments.data):
        from benchmarks.insight import runs

        for name in arguments.names:
            try:
                collection = COLLECTIONS[name](arguments.quick)
            except debian.Missing as missing:
                print(f"{name} is left out: {missing}", flush=True)
                continue
            run = runs.trained(collection, arguments.quick, seed=0)
            pages = list(runs.topic_pages(run))
            rows += [*names_of_topics(name, pages), *names_of_families(name, run, pages)]
            print(f"{name}: {len(rows)} names so far", flush=True)
    return rows


def compared(files: Sequence[Path]) -> list[NameRow]:
    """The names of two rules, which are called as their files are; one that both give to the same
    topic or family once."""
    rules: dict[tuple[str, ...], list[str]] = {}
    for file in files:
        named: Counter[str] = Counter()
        topics: Counter[str] = Counter()
        for row in (NameRow(*fields) for fields in json.loads(file.read_text())):
            if row.rule == "words":
                continue
            topics[row.collection] += row.of != FAMILY
            if row.rule == NONE:
                continue
            named[row.collection] += row.of != FAMILY
            key = (row.collection, row.of, row.name, row.about, row.passages)
            rules.setdefault(key, []).append(file.stem)
        for collection, number in topics.items():
            print(f"{collection}: {file.stem} names {named[collection]} of {number} topics")
    rows = []
    for (collection, of, name, about, passages), names in rules.items():
        rule = BOTH.join(names) + (f" {FAMILY}" if of == FAMILY else "")
        rows.append(NameRow(collection, rule, name, about, passages))
    return rows


def write_sheet_files(path: Path, rows: list[NameRow]) -> None:
    """The sheet and its key, in a random order that is the same each time."""
    order = np.random.default_rng(SEED).permutation(len(rows)).tolist()
    sheet = []
    key = []
    for number, index in enumerate(order, 1):
        row = rows[index]
        sheet.append((number, row.of, row.name, row.about, row.passages, ""))
        key.append((number, row.collection, row.rule, row.name))
    _write_table(path, ("number", "of", "name", "about", "passages", "verdict"), sheet)
    _write_table(_key_of(path), ("number", "collection", "rule", "name"), key)


def names_of_topics(collection: str, pages: Iterable[dict]) -> Iterator[NameRow]:
    """Of each topic its name by its texts, and beside it what its first two words make."""
    for page in pages:
        about = " ".join(page["first"][:WORDS])
        passages = " ¶ ".join(_passages(page["documents"]))
        if not page["topic"]["has_name"] or len(page["first"]) < 2:
            yield NameRow(collection, NONE, "", about, passages)
            continue
        first, second, *_ = page["first"]
        yield NameRow(collection, "texts", page["topic"]["name"], about, passages)
        yield NameRow(collection, "words", f"{first.capitalize()} & {second}", about, passages)


def _passages(documents: Iterable[dict]) -> Iterator[str]:
    for document in list(documents)[:PASSAGES]:
        text = "".join(piece for piece, _ in document["snippet"])
        yield " ".join(text.split())[:CHARACTERS]


def names_of_families(collection: str, run: "Run", pages: Sequence[dict]) -> Iterator[NameRow]:
    """Of the overview's families; of one topic there is nothing to choose. Beside each stand the
    first words of its topics: their names would tell which rule made the family's."""
    from webapp.analysis.families import family_cuts
    from webapp.core.results.view import RunView

    view = RunView(run)
    for family in family_cuts.cut(view, None).families:
        if len(family.topics) < 2:
            continue
        members = [" ".join(pages[k]["first"][:MEMBER_WORDS]) for k in family.topics[:MEMBERS]]
        yield NameRow(collection, FAMILY, family.name, "; ".join(members), "")


def join_sheets(sheets: list[Path], table: Path) -> None:
    """One table of a sheet's names with the verdict of each judge, without the passages, whose
    texts may not be handed on."""
    key = {row["number"]: row for row in _rows(_key_of(sheets[0]))}
    judges = [{row["number"]: _verdict(row) for row in _rows(sheet)} for sheet in sheets]
    if any(verdicts.keys() != key.keys() for verdicts in judges):
        raise SystemExit("The sheets have other rows than their key.")
    rows = []
    for row in _rows(sheets[0]):
        number = row["number"]
        verdicts = [of_judge[number] for of_judge in judges]
        rule = key[number]["rule"]
        rows.append((key[number]["collection"], rule, row["name"], row["about"], *verdicts))
    names = [sheet.suffixes[0].removeprefix(".") for sheet in sheets]
    _write_table(table, (*JOINED, *names), rows)


def _verdict(row: dict[str, str]) -> str:
    """Of a row of a sheet. Exits where there is none of the three."""
    verdict = row["verdict"].strip().lower()
    if verdict not in VERDICTS:
        raise SystemExit(f"Row {row['number']} has “{verdict}” for {', '.join(VERDICTS)}.")
    return verdict


def print_counts(table: Path) -> None:
    """Of what `join_sheets` wrote: counts by judge, collection and rule; of two judges how far they
    agree."""
    rows = _rows(table)
    judges = [column for column in rows[0] if column not in JOINED]
    for judge in judges:
        print(judge)
        for (collection, rule), counts in _counted(rows, judge).items():
            parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
            print(f"  {collection:12} {rule:10} {counts.total():4} names: {parts}")
    if len(judges) == 2:
        print(agreement([(row[judges[0]], row[judges[1]]) for row in rows]))


def _counted(rows: Iterable[dict[str, str]], judge: str) -> dict[tuple[str, str], Counter[str]]:
    """How often a judge gave each verdict, by collection and rule, and by rule in all
    collections."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        rules, space, of = row["rule"].partition(" ")
        for collection, rule in product((row["collection"], "all"), rules.split(BOTH)):
            of_rule = counts.setdefault((collection, rule + space + of), Counter())
            of_rule[row[judge]] += 1
    return dict(sorted(counts.items()))


def agreement(verdicts: list[tuple[str, str]]) -> str:
    """The last line. verdicts: of each name those of the first judge and of the second."""
    first, second = np.array([[VERDICTS.index(verdict) for verdict in pair] for pair in verdicts]).T
    equal = float((first == second).mean())
    beyond_chance = kappa(first, second)
    if np.isnan(beyond_chance):  # both said one thing throughout
        beyond_chance = 1.0
    return f"equal: {equal:.2f} kappa: {beyond_chance:.2f} of {len(verdicts)}"


def _key_of(sheet: Path) -> Path:
    """Beside the sheet; copies that judges have filled in are named SHEET.JUDGE.csv."""
    return sheet.with_name(f"{sheet.name.split('.')[0]}.key.csv")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _write_table(path: Path, columns: tuple[str, ...], rows: list[tuple]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
