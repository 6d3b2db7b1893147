"""Whether the overview says what is true and known: ten collections unlike each other, uploaded and
read by defaults.

    .venv/bin/python -m benchmarks.insight [NAMES] [--quick] [--sentences] [--shuffles N] [--data FOLDER]
    [--json FILE] [--apart] [--print]

Each collection (benchmarks.insight.collections) is uploaded, read and trained as the pages preset
it, in this process. Then:
  agree, weak, contradicted: claims on topics over time or of a group, as the page "more findings"
  has them; the words of the
    topic's name (or those that the sentence names beside it: "above all"), counted in the uploaded
    texts, move as the sentence says by 0.4 of its log ratio, by 0.15, or less; then the same by the
    names alone, where the topic has a name
  facts: known changes and contrasts (facts.toml, written before looking), which the sentences of
  the overview name by a word in
    the right time or group: as first shown, and under "more"; those that the texts themselves don't
    show are left out
  nulls: sentences about time where documents' dates are shuffled, and about groups where units'
  groups are
  again: of the sentences first shown, those that a run with another seed has under "more", too
--data: a state folder that stays; what was trained in it is not trained again, but named and
searched for findings anew.
--sentences: the sentences of each overview as a text to be read, with what is wrong with them, and
how many numbers its page shows: fewer than 350. The last line has both counts.
--apart: those two that are never looked at while the code is tuned, too. The last line is
`agree: A contradicted: C facts: F more: M nulls: N names alone: P of Q`, A, F, M and P as parts, C,
N and Q as numbers: Q claims have a name, which agrees by itself in P of them.
"""

import argparse
import json
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks.insight import collections, judge, spoken
from benchmarks.origin import commit, options, started

if TYPE_CHECKING:  # models can be imported once Django has been set up
    from webapp.models import Run

SEEDS = (0, 1)
KINDS_THAT_NAME_TOPICS = ("change", "mark")  # the others show words: counting these proves nothing
KINDS_WITHOUT_CLAIM = ("event", "keyword", "speaker", "none")
FACTS_OF = {"sections": "addresses"}  # a collection of the same texts
TRAINED_AGAIN_IF_QUICK = ("addresses", "posts", "reuters")
NO_NAME = ""  # instead of a verdict
VERDICTS = ("agrees", "weak", "contradicted")
OPTIONS: dict[str, dict[str, Any]] = {
    "names": {"nargs": "*", "choices": [*collections.COLLECTIONS, []]},
    "--quick": {
        "action": "store_true",
        "help": "smaller cuts, another seed of three collections only",
    },
    "--apart": {"action": "store_true"},
    "--data": {"type": Path},
    "--shuffles": {
        "type": int,
        "default": 2,
        "help": "copies with shuffled dates, and with shuffled groups",
    },
    "--json": {"type": Path},
    "--sentences": {
        "action": "store_true",
        "help": "only print the sentences first shown, with what is wrong with them, and how many"
        " numbers are visible on each page",
    },
    "--print": {
        "action": "store_true",
        "dest": "prints",
        "help": "every sentence with its verdict",
    },
}


class Result(NamedTuple):
    """What the page of a collection reached. verdicts: of its claims on topics; alone: by the
    topics' names alone. known: facts that the texts show; first, more: how many of them the page
    names, as first shown and under "more". nulls: findings in shuffled copies. again: the share of
    the claims first shown that another seed has, None where none was trained."""

    name: str
    verdicts: list[str]
    alone: list[str]
    known: int
    first: int
    more: int
    nulls: int
    again: float | None


class Pages(NamedTuple):
    """The overview of a run as first shown and under "more", and what each claims."""

    first: dict
    more: dict
    first_claims: list[judge.Claim]
    more_claims: list[judge.Claim]

    @classmethod
    def of(cls, run: "Run") -> "Pages":
        from benchmarks.insight import runs

        at_first = runs.shown(run, "")
        under_more = runs.shown(run, "more")
        return cls(at_first, under_more, claims_of(at_first), claims_of(under_more))

    @property
    def on_topics(self) -> list[judge.Claim]:
        return [claim for claim in self.more_claims if claim.kind in KINDS_THAT_NAME_TOPICS]


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    names = arguments.names or default_names(arguments.apart)
    with started(arguments.data):
        if arguments.sentences:
            broken = read_aloud(names, arguments.quick)
            raise SystemExit(1 if broken else 0)
        results = [measure(name, arguments) for name in names]
    if arguments.json:
        report = {
            "commit": commit(),
            "quick": arguments.quick,
            "collections": [result._asdict() for result in results],
        }
        arguments.json.write_text(json.dumps(report, indent=1) + "\n")
    print(last_line(results))


def default_names(with_those_apart: bool) -> list[str]:
    if with_those_apart:
        return list(collections.COLLECTIONS)
    return [name for name in collections.COLLECTIONS if name not in collections.KEPT_APART]


def read_aloud(names: list[str], quick: bool) -> int:
    """Print every sentence first shown of some collections, and how many numbers the page shows; how
    many sentences and pages break a rule."""
    from benchmarks.insight import runs

    broken = 0
    numbers: dict[str, int] = {}
    for name in names:
        collection = collections.COLLECTIONS[name](quick)
        run = runs.trained(collection, quick, SEEDS[0])
        print(f"{name}\n")
        for sentence, faults in spoken.lines(runs.shown(run, "")):
            broken += bool(faults)
            remark = f"  [{'; '.join(faults)}]" if faults else ""
            print(f"  {sentence}{remark}")
        numbers[name] = spoken.numbers_shown(runs.page(run))
        print(f"\n{numbers[name]} numbers are visible\n")
    too_many = [name for name, count in numbers.items() if count >= spoken.NUMBERS_OF_PAGE]
    counts = " ".join(f"{name} {count}" for name, count in numbers.items())
    print(f"sentences that break a rule: {broken}; visible numbers: {counts}")
    return broken + len(too_many)


def last_line(results: list[Result]) -> str:
    """What a later measurement is compared with: parts of claims and of facts, and counts."""
    verdicts: list[str] = []
    for result in results:
        verdicts += result.verdicts
    facts = sum(result.known for result in results)
    first_share = sum(result.first for result in results) / max(facts, 1)
    more_share = sum(result.more for result in results) / max(facts, 1)
    nulls = sum(result.nulls for result in results)
    agree = verdicts.count("agrees") / max(len(verdicts), 1)
    contradicted = verdicts.count("contradicted")
    of_names: list[str] = []
    for result in results:
        of_names += [verdict for verdict in result.alone if verdict != NO_NAME]
    names_agree = of_names.count("agrees") / max(len(of_names), 1)
    figures = {
        "agree": f"{agree:.2f}",
        "contradicted": contradicted,
        "facts": f"{first_share:.2f}",
        "more": f"{more_share:.2f}",
        "nulls": nulls,
        "names alone": f"{names_agree:.2f} of {len(of_names)}",
    }
    return " ".join(f"{name}: {figure}" for name, figure in figures.items())


def measure(name: str, arguments: argparse.Namespace) -> Result:
    """Train a collection and judge its overview, printing a line. name: in COLLECTIONS."""
    from benchmarks.insight import runs

    began = time.time()
    collection = collections.COLLECTIONS[name](arguments.quick)
    run = runs.trained(collection, arguments.quick, SEEDS[0])
    pages = Pages.of(run)
    raw = judge.Raw(collection)
    verdicts = [judge.verdict(raw, claim) for claim in pages.on_topics]
    by_name_alone = [
        judge.verdict(raw, claim, name_alone=True) if claim.has_name else NO_NAME
        for claim in pages.on_topics
    ]
    facts = facts_of(name)
    facts_shown = [fact for fact in facts if judge.shown_by(raw, fact)]
    in_first = [is_named(fact, pages.first_claims) for fact in facts_shown]
    in_more = [is_named(fact, pages.more_claims) for fact in facts_shown]
    nulls = shuffled_findings(run, arguments.shuffles)
    again = None
    if not arguments.quick or name in TRAINED_AGAIN_IF_QUICK:
        second = runs.trained(collection, arguments.quick, SEEDS[1])
        again = share_found_again(pages.first_claims, second)
    result = Result(
        name=name,
        verdicts=verdicts,
        alone=by_name_alone,
        known=len(facts_shown),
        first=sum(in_first),
        more=sum(in_more),
        nulls=len(nulls),
        again=again,
    )
    print_result(result, run, time.time() - began, len(pages.first["findings"]))
    if arguments.prints:
        print_nulls(nulls)
        print_claims(pages, verdicts, by_name_alone)
        print_facts(facts_shown, in_first, in_more)
        print_unknown([fact for fact in facts if fact not in facts_shown])
    return result


def facts_of(name: str) -> list[judge.Fact]:
    """Those that facts.toml has of a collection."""
    tables = tomllib.loads((Path(__file__).parent / "facts.toml").read_text(encoding="utf-8"))
    return judge.facts(tables[FACTS_OF.get(name, name)])


def claims_of(page: dict) -> list[judge.Claim]:
    claims: list[judge.Claim] = []
    for finding in page["findings"]:
        claims += judge.claims(finding)
    return claims


def is_named(fact: judge.Fact, claims: list[judge.Claim]) -> bool:
    return any(judge.names(fact, claim) for claim in claims)


def shuffled_findings(run: "Run", shuffles: int) -> list:
    """What is found in copies whose dates or groups are shuffled, each by a seed of its own."""
    from benchmarks.insight import runs

    findings = []
    for seed in range(shuffles):
        findings += runs.false_findings(run, np.random.default_rng(seed))
    return findings


def share_found_again(claims: list[judge.Claim], second: "Run") -> float | None:
    """The share of claims that the page of a second run makes, too; None where there are none."""
    if not claims:
        return None
    pages = Pages.of(second)
    claims_of_second = pages.first_claims + pages.more_claims
    found_again = [any(same(claim, other) for other in claims_of_second) for claim in claims]
    return float(np.mean(found_again))


def same(a: judge.Claim, b: judge.Claim) -> bool:
    """Whether two claims say nearly the same: of the same group, or times that overlap, with a word
    in common."""
    if (a.field, a.value, a.more) != (b.field, b.value, b.more):
        return False
    words_of_b = judge.words(b.name)
    if not any(judge.alike(v, w) for v in judge.words(a.name) for w in words_of_b):
        return False
    if a.field:
        return True
    a_ends_after_b_begins = (a.last or judge.AFTER_ALL) >= (b.first or judge.BEFORE_ALL)
    b_ends_after_a_begins = (b.last or judge.AFTER_ALL) >= (a.first or judge.BEFORE_ALL)
    return a_ends_after_b_begins and b_ends_after_a_begins


def print_result(result: Result, run: "Run", seconds: float, sentences: int) -> None:
    """sentences: how many the page first shows."""
    counts = "/".join(str(result.verdicts.count(verdict)) for verdict in VERDICTS)
    by_name_alone = "/".join(str(result.alone.count(verdict)) for verdict in VERDICTS)
    again = "-" if result.again is None else f"{result.again:.2f}"
    print(
        f"{result.name}: K {run.topics}, {run.version.documents:,} documents, {sentences} sentences"
        f" first; names agree / weak / contradicted {counts}, without the words beside them {by_name_alone};"
        f" facts {result.first}, more {result.more} of {result.known};"
        f" nulls {result.nulls}; again {again} [{seconds:.0f} s]",
        flush=True,
    )


def print_nulls(nulls: list) -> None:
    for row in nulls:
        print(f"    false: {row}")


def print_claims(pages: Pages, verdicts: list[str], by_name_alone: list[str]) -> None:
    """Those on topics with their verdicts, also that by the name alone where it is another, those
    first shown marked; then the sentences that claim nothing of a topic."""
    first_shown = {(claim.name, claim.value, claim.first) for claim in pages.first_claims}
    rows = zip(pages.on_topics, verdicts, by_name_alone, strict=True)
    for claim, verdict, verdict_of_name in rows:
        mark = "*" if (claim.name, claim.value, claim.first) in first_shown else " "
        direction = "more" if claim.more else "less"
        span = f"{claim.first}..{claim.last}"
        if claim.steady:
            span += " steady"
        remark = f", above all {', '.join(claim.above_all)}" if claim.above_all else ""
        if verdict_of_name not in (verdict, NO_NAME):
            remark += f" (the name alone: {verdict_of_name})"
        print(
            f"    {verdict:12} {mark} {direction} {claim.name} ×{claim.ratio:.1f} {span}"
            f" {claim.field} {claim.value}{remark}"
        )
    for kind in KINDS_WITHOUT_CLAIM:
        for finding in pages.first["findings"]:
            if finding["kind"] == kind:
                print(f"    {kind}: {finding['sentence']}")


def print_facts(known: list[judge.Fact], in_first: list[bool], in_more: list[bool]) -> None:
    for fact, is_first, is_under_more in zip(known, in_first, in_more, strict=True):
        where = "MISSED"
        if is_under_more:
            where = "more"
        if is_first:
            where = "first"
        words = " ".join(fact.words)
        print(f"    {where:7} {words} {fact.kinds} {fact.first} {fact.last} {fact.group}")


def print_unknown(facts: list[judge.Fact]) -> None:
    for fact in facts:
        print(f"    not shown by the texts: {' '.join(fact.words)} {fact.group}")


if __name__ == "__main__":
    main()
