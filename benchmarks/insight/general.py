"""How often a topic that is called general talk has a subject, as readers saw it.

    .venv/bin/python -m benchmarks.insight.general [TABLE.csv]

The table, docs/measurements/general-judged.csv if none is given, has a row for each of the topics
that tell least (inference.explore.company): its first words, what the program measures of it, and what
two judges call it who saw 15 words and three passages of each:
  subject  one subject
  several  more than one
  general  none: words of any text of the collection
Printed is, for each judge and rule, how many topics are called general talk, and what the judge
calls these.
"""

import argparse
import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.origin import ROOT
from inference.explore.company import GENERAL

TABLE = ROOT / "docs" / "measurements" / "general-judged.csv"
GENERAL_BEFORE = 0.75  # up to here a topic was called general talk until December 2026
JUDGES = ("first", "second")
VERDICTS = ("general", "several", "subject")


class JudgedTopic(NamedTuple):
    """tells, spread, mixed: as inference.explore.company.TopicCompany has them. has_name: not only
    words. verdicts: by judge."""

    tells: float
    spread: float
    mixed: bool
    has_name: bool
    verdicts: dict[str, str]


def is_general_now(topic: JudgedTopic) -> bool:
    """As pages have it (inference.explore.company, webapp.core.runs.snapshots)."""
    return topic.tells <= GENERAL and topic.spread >= 1 and not topic.mixed and not topic.has_name


def was_general(topic: JudgedTopic) -> bool:
    """As pages had it until December 2026."""
    return topic.tells <= GENERAL_BEFORE and (topic.mixed or topic.spread >= 1)


RULES: dict[str, Callable[[JudgedTopic], bool]] = {"before": was_general, "now": is_general_now}


def read_topics(table: Path) -> list[JudgedTopic]:
    with table.open(encoding="utf-8", newline="") as file:
        return [
            JudgedTopic(
                tells=float(row["tells"]),
                spread=float(row["spread"]),
                mixed=row["mixed"] == "1",
                has_name=row["named"] == "1",
                verdicts={judge: row[judge] for judge in JUDGES},
            )
            for row in csv.DictReader(file)
        ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path, nargs="?", default=TABLE)
    topics = read_topics(parser.parse_args().table)
    for judge in JUDGES:
        all_verdicts = Counter(topic.verdicts[judge] for topic in topics)
        print(f"{judge}: of {len(topics)} topics {_say(all_verdicts)}")
        for rule, is_general in RULES.items():
            verdicts = Counter(topic.verdicts[judge] for topic in topics if is_general(topic))
            print(f"  {rule}: {verdicts.total()} are called general talk, {_say(verdicts)}")


def _say(verdicts: Counter[str]) -> str:
    return ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS)


if __name__ == "__main__":
    main()
