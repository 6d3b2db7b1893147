"""Claims of findings held against the uploaded texts themselves, and against what is known of
them."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

import numpy as np

from benchmarks.insight.collections import Collection

# of the claimed log ratio: what raw counts must move by
AGREES = 0.4
WEAK = 0.15
_WORD = re.compile(
    r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d{4}"
)  # the parts of Post-Office are words of their own


class Claim(NamedTuple):
    """What a finding says of a topic or word. more: of it within the span or group than elsewhere.
    first, last: days of the span, "" for none. steady: a change all along, without a date of its
    own."""

    sentence: str
    name: str
    parts: tuple[str, ...]
    above_all: tuple[str, ...]
    more: bool
    steady: bool
    first: str
    last: str
    field: str
    value: str
    bounds: tuple[str, str]
    ratio: float
    kind: str


def claims(finding: dict) -> list[Claim]:
    """Of a finding as the overview's JSON has it; none of those that compare nothing."""
    return [
        Claim(
            finding["sentence"],
            said["name"],
            tuple(said["parts"]),
            tuple(said["above_all"]),
            said["more"],
            said["steady"],
            _day(said["first"], False),
            _day(said["last"], True),
            said["field"],
            said["value"],
            tuple(said["bounds"] or ()),
            said["ratio"],
            finding["kind"],
        )
        for said in finding["claims"]
    ]


def _day(label: str, last: bool) -> str:
    """A period as findings name it, as a day: "1945", "1945-03", "1945-03-09", "1940s", "" for
    none."""
    if label.endswith("s"):
        label = label[:3] + ("9" if last else "0")
    return label + {4: ("-01-01", "-12-31"), 7: ("-01", "-31")}.get(len(label), ("", ""))[last]


class Raw:
    """The words of a collection's texts, counted as they are."""

    def __init__(self, collection: Collection):
        self.texts = collection.texts
        self.words = [[w.lower() for w in _WORD.findall(t.text)] for t in collection.texts]
        self.counts = [Counter(words) for words in self.words]
        self.lengths = np.array([len(words) for words in self.words], float)
        self.days = np.array([t.day for t in collection.texts])

    def uses(self, parts: Iterable[str]) -> np.ndarray:
        """float64[D]: how often the parts of a name occur: a word, or a phrase word after word."""
        total = np.zeros(len(self.texts))
        for part in parts:
            words = [w.lower() for w in _WORD.findall(part)]
            if len(words) == 1:
                total += [c[words[0]] for c in self.counts]
            elif words:
                total += [
                    _phrase(text, c, words) for text, c in zip(self.words, self.counts, strict=True)
                ]
        return total

    def within(self, claim: Claim) -> tuple[np.ndarray, np.ndarray]:
        """bool[D] twice: the documents that a claim is about, and those it compares them with."""
        here = np.ones(len(self.texts), bool)
        all_ = np.ones(len(self.texts), bool)
        if claim.first or claim.last:
            all_ &= self.days != ""
            here &= (self.days >= (claim.first or "0")) & (self.days <= (claim.last or "9"))
        if claim.field:
            here &= np.array([_is(t.fields, claim) for t in self.texts])
        return here & all_, all_ & ~here

    def log_ratio(self, uses: np.ndarray, here: np.ndarray, there: np.ndarray) -> float:
        rates = [
            (uses[side].sum() + 0.5) / max(self.lengths[side].sum(), 1) for side in (here, there)
        ]
        return math.log(rates[0] / rates[1])


def _phrase(text: list[str], counts: Counter, words: list[str]) -> int:
    if not all(counts[w] for w in words):
        return 0
    # words between, such as "of the"
    n = 0
    gap = 2
    for i, w in enumerate(text):
        if w == words[0]:
            at = i
            for following in words[1:]:
                at = next(
                    (
                        j
                        for j in range(at + 1, min(at + 2 + gap, len(text)))
                        if text[j] == following
                    ),
                    -1,
                )
                if at < 0:
                    break
            n += at >= 0
    return n


def _has(fields: dict[str, str], field: str, value: str) -> bool:
    """Whether a document has a value; of a field of numbers "low" and "high" are the lower and the
    upper half."""
    own = fields.get(field, "")
    if value in ("low", "high"):
        try:
            return (float(own) > 0.5) if value == "high" else (float(own) < 0.5)
        except ValueError:
            return False
    return (
        value.casefold() in [part.casefold() for part in re.split(r"\n|, |; ?", own)]
        or own.casefold() == value.casefold()
    )


def _is(fields: dict[str, str], claim: Claim) -> bool:
    """Whether a document's value is this one, of several of them all; or its number between the
    bounds."""
    own = fields.get(claim.field, "")
    if not claim.bounds:
        return "; ".join(own.split("\n")).casefold() == claim.value.casefold()
    try:
        return float(claim.bounds[0] or "-inf") <= float(own) <= float(claim.bounds[1] or "inf")
    except ValueError:
        return False


def verdict(raw: Raw, claim: Claim, name_alone: bool = False) -> str:
    """Whether what the claim points to, counted raw, moves as it says: the words "above all" where
    it has some, else those of the name. name_alone: those of the name in any case."""
    pointed = claim.parts if name_alone else claim.above_all or claim.parts
    here, there = raw.within(claim)
    if not here.any() or not there.any():
        return "contradicted"
    move = raw.log_ratio(raw.uses(pointed), here, there) / math.log(max(claim.ratio, 1e-6))
    return "agrees" if move >= AGREES else "weak" if move >= WEAK else "contradicted"


class Fact(NamedTuple):
    words: list[str]
    kinds: list[str]
    first: str
    last: str
    group: str
    source: str


def facts(rows: list[dict]) -> list[Fact]:
    return [
        Fact(
            r["words"].split(),
            r["kind"].split("|"),
            _day(r.get("from", ""), False),
            _day(r.get("to", ""), True),
            r.get("group", ""),
            r["source"],
        )
        for r in rows
    ]


def shown_by(raw: Raw, fact: Fact) -> bool:
    """Whether the texts themselves show it: one of its words is used half again as often where the
    fact says."""
    if fact.group:
        value = fact.group.split()[-1] if fact.group.startswith("pid ") else fact.group
        fields = {f for t in raw.texts[:200] for f in t.fields}
        here = np.array([any(_has(t.fields, f, value) for f in fields) for t in raw.texts])
        sides = [(here, ~here)]
    else:
        early = raw.days < fact.first
        late = raw.days > fact.last
        inside = ~early & ~late & (raw.days != "")
        sides = [
            {
                "rise": (late | inside, early),
                "fall": (early | inside, late),
                "burst": (inside, early | late),
            }[k]
            for k in fact.kinds
        ]
    return any(
        _more(raw, raw.uses([word]), here, there) for here, there in sides for word in fact.words
    )


LEAST_USES = 5  # of a fact's word where there should be more of it
HALF_AS_MUCH_MORE = 1.5


def _more(raw: Raw, uses: np.ndarray, here: np.ndarray, there: np.ndarray) -> bool:
    # The texts show a fact where their words move by half or more
    if not here.any() or not there.any() or uses[here].sum() < LEAST_USES:
        return False
    return bool(raw.log_ratio(uses, here, there) >= math.log(HALF_AS_MUCH_MORE))


def names(fact: Fact, claim: Claim) -> bool:
    """Whether a claim names a fact: one of its words, in its time or group."""
    said = {w.lower() for w in _WORD.findall(claim.name)}
    if not any(alike(a, b) for a in fact.words for b in said):
        return False
    if fact.group:
        wanted = fact.group.split()[-1] if fact.group.startswith("pid ") else fact.group
        if wanted in ("low", "high"):
            return claim.more and bool(claim.bounds) and bool(claim.bounds[0]) == (wanted == "high")
        return claim.more and claim.value.casefold() == wanted.casefold()
    if claim.field or not (claim.first or claim.last):
        return False
    if claim.steady:
        return ("rise" if claim.more else "fall") in fact.kinds
    return any(_in_time(kind, fact, claim) for kind in fact.kinds)


def _in_time(kind: str, fact: Fact, claim: Claim) -> bool:
    if kind == "burst":
        if not claim.more or not claim.first or not claim.last:
            return False
        a, b, x, y = (
            date.fromisoformat(_valid(d)).toordinal()
            for d in (fact.first, fact.last, claim.first, claim.last)
        )
        return min(b, y) - max(a, x) + 1 >= 0.5 * (min(b - a, y - x) + 1)
    rises = kind == "rise"
    turn = (
        claim.first
        if claim.more == rises and claim.first
        else claim.last
        if claim.more != rises
        else ""
    )
    return bool(turn) and fact.first <= turn <= fact.last


def _valid(day: str) -> str:
    """The last day of a month that is written as its 31st."""
    y, m, d = day.split("-")
    return f"{y}-{m}-{min(int(d), 28):02d}"


def alike(a: str, b: str) -> bool:
    """Whether two words are forms of one."""
    return a == b or (
        min(len(a), len(b)) >= 5
        and (a.startswith(b[:-1]) or b.startswith(a[:-1]))
        and abs(len(a) - len(b)) <= 3
    )
