"""Whether the overview says what is true and known: ten collections unlike each other, uploaded and
read by defaults.

    .venv/bin/python -m benchmarks.insight [NAMES] [--quick] [--sentences] [--shuffles N] [--data FOLDER] [--json
    FILE] [--apart] [--print]

Each collection (benchmarks.insight.collections) is uploaded, read and trained as the pages preset
it, in this process. Then:
  agree, weak, contradicted: claims on topics over time or of a group, as the page "more findings"
  has them; the words of the
    topic's name (or those that the sentence names beside it: "above all"), counted in the uploaded
    texts, move as the sentence says by 0.4 of its log ratio, by 0.15, or less; then the same by the
    names alone
  facts: known changes and contrasts (facts.toml, written before looking), which the sentences of
  the overview name by a word in
    the right time or group: as first shown, and under "more"; those that the texts themselves don't
    show are left out
  nulls: sentences about time where documents' dates are shuffled, and about groups where units'
  groups are
  again: of the sentences first shown, those that a run with another seed has under "more", too
--data: a state folder that stays; what was trained in it is not trained again, but named and
searched for findings anew.
--apart: those two that are never looked at while the code is tuned, too. The last line is
`agree: A contradicted: C facts: F more: M nulls: N`, A, F and M as parts, C and N as numbers.
"""

import argparse
import json
import time
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.insight import collections, judge, spoken
from benchmarks.origin import commit, options, started

SEEDS = (0, 1)
NAMED = (
    "change",
    "mark",
)  # kinds that name topics; the others show words, of which the same texts are counted
FACTS_OF = {"sections": "addresses"}  # a collection of the same texts


class Result(NamedTuple):
    name: str
    verdicts: list[str]
    alone: list[str]
    known: int
    first: int
    more: int
    nulls: int
    again: float | None


def main() -> None:
    given = options(
        __doc__,
        {
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
                "help": "only print the sentences first shown, with what is wrong with them",
            },
            "--print": {
                "action": "store_true",
                "dest": "prints",
                "help": "every sentence with its verdict",
            },
        },
    ).parse_args()
    names = given.names or [
        n for n in collections.COLLECTIONS if given.apart or n not in collections.KEPT_APART
    ]
    with started(given.data):
        if given.sentences:
            raise SystemExit(1 if read_aloud(names, given.quick) else 0)
        results = [measured(name, given) for name in names]
    if given.json:
        given.json.write_text(
            json.dumps(
                {
                    "commit": commit(),
                    "quick": given.quick,
                    "collections": [r._asdict() for r in results],
                },
                indent=1,
            )
            + "\n"
        )
    print(last_line(results))


def read_aloud(names: list[str], quick: bool) -> int:
    """Print every sentence first shown of some collections; how many break a rule."""
    from benchmarks.insight import runs

    broken = 0
    for name in names:
        run = runs.trained(collections.COLLECTIONS[name](quick), quick, SEEDS[0])
        print(f"{name}\n")
        for sentence, faults in spoken.lines(runs.shown(run, "")):
            broken += bool(faults)
            print(f"  {sentence}" + (f"  [{'; '.join(faults)}]" if faults else ""))
        print()
    print(f"sentences that break a rule: {broken}")
    return broken


def last_line(results: list[Result]) -> str:
    verdicts = [v for r in results for v in r.verdicts]
    known, first, more = (
        sum(getattr(r, name) for r in results) for name in ("known", "first", "more")
    )
    agree = verdicts.count("agrees") / max(len(verdicts), 1)
    return (
        f"agree: {agree:.2f} contradicted: {verdicts.count('contradicted')} facts:"
        f" {first / max(known, 1):.2f} more: {more / max(known, 1):.2f} nulls:"
        f" {sum(r.nulls for r in results)}"
    )


def measured(name: str, given: argparse.Namespace) -> Result:
    from benchmarks.insight import runs

    began = time.time()
    collection = collections.COLLECTIONS[name](given.quick)
    run = runs.trained(collection, given.quick, SEEDS[0])
    first = runs.shown(run, "")
    more = runs.shown(run, "more")
    raw = judge.Raw(collection)
    claims = [c for f in more["findings"] for c in judge.claims(f)]
    of_topics = [c for c in claims if c.kind in NAMED]
    verdicts = [judge.verdict(raw, c) for c in of_topics]
    wanted = judge.facts(
        tomllib.loads((Path(__file__).parent / "facts.toml").read_text(encoding="utf-8"))[
            FACTS_OF.get(name, name)
        ]
    )
    known = [f for f in wanted if judge.shown_by(raw, f)]
    of_first = [c for f in first["findings"] for c in judge.claims(f)]
    hit = [[any(judge.names(f, c) for c in some) for f in known] for some in (of_first, claims)]
    false = [
        row
        for i in range(given.shuffles)
        for row in runs.false_findings(run, np.random.default_rng(i))
    ]
    for row in false if given.prints else ():
        print(f"    false: {row}")
    again = None
    if not given.quick or name in ("addresses", "posts", "reuters"):
        second = runs.trained(collection, given.quick, SEEDS[1])
        other = [
            c
            for detail in ("", "more")
            for f in runs.shown(second, detail)["findings"]
            for c in judge.claims(f)
        ]
        again = (
            float(np.mean([any(same(c, o) for o in other) for c in of_first])) if of_first else None
        )
    alone = [judge.verdict(raw, c, name_alone=True) for c in of_topics]
    result = Result(name, verdicts, alone, len(known), sum(hit[0]), sum(hit[1]), len(false), again)
    tell(result, run, time.time() - began, first)
    if given.prints:
        shown = {(o.name, o.value, o.first) for o in of_first}
        for c, v in zip(of_topics, verdicts, strict=True):
            mark = "*" if (c.name, c.value, c.first) in shown else " "
            said = (
                f"{'more' if c.more else 'less'} {c.name} ×{c.ratio:.1f}"
                f" {c.first}..{c.last}{' steady' if c.steady else ''} {c.field} {c.value}"
            )
            print(f"    {v:12} {mark} {said}")
        for kind in ("event", "keyword", "speaker", "none"):
            for f in first["findings"]:
                if f["kind"] == kind:
                    print(f"    {kind}: {f['sentence']}")
        for f, one, all_ in zip(known, *hit, strict=True):
            print(
                f"    {'first' if one else 'more' if all_ else 'MISSED':7} {' '.join(f.words)}"
                f" {f.kinds} {f.first} {f.last} {f.group}"
            )
        for f in wanted:
            if f not in known:
                print(f"    not shown by the texts: {' '.join(f.words)} {f.group}")
    return result


def same(a: judge.Claim, b: judge.Claim) -> bool:
    """Whether two claims say nearly the same: of the same group, or times that overlap, with a word
    in common."""
    if (a.field, a.value, a.more) != (b.field, b.value, b.more):
        return False
    words = [{w.lower() for w in judge._WORD.findall(c.name)} for c in (a, b)]
    if not any(judge.alike(v, w) for v in words[0] for w in words[1]):
        return False
    return bool(a.field) or (
        (a.last or "9") >= (b.first or "0") and (b.last or "9") >= (a.first or "0")
    )


def tell(result: Result, run, seconds: float, first: dict) -> None:
    kinds = ("agrees", "weak", "contradicted")
    counts = [result.verdicts.count(kind) for kind in kinds]
    alone = [result.alone.count(kind) for kind in kinds]
    again = "-" if result.again is None else f"{result.again:.2f}"
    print(
        f"{result.name}: K {run.topics}, {run.version.documents:,} documents,"
        f" {len(first['findings'])} sentences first; names agree / weak / contradicted"
        f" {counts[0]}/{counts[1]}/{counts[2]}, without"
        f" the words beside them {alone[0]}/{alone[1]}/{alone[2]}; facts {result.first}, more {result.more} of"
        f" {result.known}; nulls {result.nulls}; again {again} [{seconds:.0f} s]",
        flush=True,
    )


if __name__ == "__main__":
    main()
