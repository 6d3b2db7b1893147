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

# Of the claimed log ratio: what raw counts must move by.
AGREES = 0.4
WEAK = 0.15
SMOOTHING = 0.5  # of a use is added on each side: a word that is absent there has a ratio, too
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d{4}")  # those of Post-Office are two
BEFORE_ALL = "0"  # sorts before every day
AFTER_ALL = "9"  # and after
LEAST_USES = 5  # of a fact's word where there should be more of it
HALF_AS_MUCH_MORE = 1.5
UNNAMED = " · "  # joins the words of a topic without a name
GAP = 2  # words between those of a phrase, such as "of the"
MIDDLE = 0.5  # between the lower and the upper half of a number from 0 to 1
LEAST_OVERLAP = 0.5  # of the shorter of two spans
FEWEST_LETTERS = 5  # of words that may be forms of one
LONGEST_ENDING = 3  # letters by which they may differ
DOCUMENTS_FOR_FIELDS = 200  # in which each field occurs
LAST_DAY_OF_ALL = 28  # that every month has


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

    @property
    def has_name(self) -> bool:
        """Whether its topic has one: else the first words stand for it, and claim nothing."""
        return UNNAMED not in self.name


def claims(finding: dict) -> list[Claim]:
    """The claims of a finding, as the overview's JSON has it; none of one that compares nothing."""
    return [
        Claim(
            sentence=finding["sentence"],
            name=row["name"],
            parts=tuple(row["parts"]),
            above_all=tuple(row["above_all"]),
            more=row["more"],
            steady=row["steady"],
            first=_first_day(row["first"]),
            last=_last_day(row["last"]),
            field=row["field"],
            value=row["value"],
            bounds=tuple(row["bounds"] or ()),
            ratio=row["ratio"],
            kind=finding["kind"],
        )
        for row in finding["claims"]
    ]


def _first_day(label: str) -> str:
    """The first day of a period as findings name it: "1945", "1945-03", "1945-03-09", "1940s", ""
    for none."""
    if label.endswith("s"):
        label = label[:3] + "0"
    endings = {len("1945"): "-01-01", len("1945-03"): "-01"}
    return label + endings.get(len(label), "")


def _last_day(label: str) -> str:
    """The last day of a period, as _first_day has it; of every month the 31st, as days are compared
    as texts."""
    if label.endswith("s"):
        label = label[:3] + "9"
    endings = {len("1945"): "-12-31", len("1945-03"): "-31"}
    return label + endings.get(len(label), "")


def words(text: str) -> list[str]:
    return [word.lower() for word in WORD.findall(text)]


class Raw:
    """The words of a collection's texts, counted as they are."""

    def __init__(self, collection: Collection):
        self.texts = collection.texts
        self.words = [words(text.text) for text in collection.texts]
        self.counts = [Counter(of_text) for of_text in self.words]
        self.lengths = np.array([len(of_text) for of_text in self.words], float)
        self.days = np.array([text.day for text in collection.texts])

    def uses(self, parts: Iterable[str]) -> np.ndarray:
        """float64[D]: how often the parts of a name occur: a word, or a phrase word after word."""
        total = np.zeros(len(self.texts))
        for part in parts:
            words_of_part = words(part)
            if len(words_of_part) == 1:
                total += [counts[words_of_part[0]] for counts in self.counts]
            elif words_of_part:
                total += self._uses_of_phrase(words_of_part)
        return total

    def _uses_of_phrase(self, phrase: list[str]) -> list[int]:
        """A document each."""
        return [
            _phrase(of_text, counts, phrase)
            for of_text, counts in zip(self.words, self.counts, strict=True)
        ]

    def within(self, claim: Claim) -> tuple[np.ndarray, np.ndarray]:
        """bool[D] twice: the documents that a claim is about, and those it compares them with."""
        inside = np.ones(len(self.texts), bool)
        compared = np.ones(len(self.texts), bool)
        if claim.first or claim.last:
            compared &= self.days != ""
            inside &= self.days >= (claim.first or BEFORE_ALL)
            inside &= self.days <= (claim.last or AFTER_ALL)
        if claim.field:
            inside &= np.array([_is(text.fields, claim) for text in self.texts])
        return inside & compared, compared & ~inside

    def log_ratio(self, uses: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> float:
        """The logarithm of the ratio of a word's rates, inside to outside. uses: float64[D];
        inside, outside: bool[D]."""
        return math.log(self._rate(uses, inside) / self._rate(uses, outside))

    def _rate(self, uses: np.ndarray, documents: np.ndarray) -> float:
        return (uses[documents].sum() + SMOOTHING) / max(self.lengths[documents].sum(), 1)


def _phrase(text: list[str], counts: Counter, phrase: list[str]) -> int:
    """How often a phrase occurs, with at most GAP words between two of its words."""
    if not all(counts[word] for word in phrase):
        return 0
    return sum(
        word == phrase[0] and _continues(text, position, phrase[1:])
        for position, word in enumerate(text)
    )


def _continues(text: list[str], place: int, following: list[str]) -> bool:
    """Whether these words follow each other after a place."""
    for word in following:
        end = min(place + 2 + GAP, len(text))
        try:
            place = text.index(word, place + 1, end)
        except ValueError:
            return False
    return True


def _has(fields: dict[str, str], field: str, value: str) -> bool:
    """Whether a document has a value; of a field of numbers "low" and "high" are the lower and the
    upper half."""
    text = fields.get(field, "")
    if value in ("low", "high"):
        try:
            number = float(text)
        except ValueError:
            return False
        return number > MIDDLE if value == "high" else number < MIDDLE
    values = [part.casefold() for part in re.split(r"\n|, |; ?", text)]
    return value.casefold() in (*values, text.casefold())


def _is(fields: dict[str, str], claim: Claim) -> bool:
    """Whether a document's value is this one, of several of them all; or its number between the
    bounds."""
    text = fields.get(claim.field, "")
    if not claim.bounds:
        return "; ".join(text.split("\n")).casefold() == claim.value.casefold()
    try:
        least = float(claim.bounds[0] or "-inf")
        largest = float(claim.bounds[1] or "inf")
        return least <= float(text) <= largest
    except ValueError:
        return False


def verdict(raw: Raw, claim: Claim, name_alone: bool = False) -> str:
    """Whether what the claim points to, counted raw, moves as it says: the words "above all" where
    it has some, else those of the name. name_alone: those of the name in any case."""
    pointed = claim.parts if name_alone else claim.above_all or claim.parts
    inside, outside = raw.within(claim)
    if not inside.any() or not outside.any():
        return "contradicted"
    claimed = math.log(claim.ratio)
    move = raw.log_ratio(raw.uses(pointed), inside, outside) / claimed
    if move >= AGREES:
        return "agrees"
    return "weak" if move >= WEAK else "contradicted"


class Fact(NamedTuple):
    """Something known of a collection, as facts.toml has it."""

    words: list[str]
    kinds: list[str]
    first: str
    last: str
    group: str
    source: str

    @property
    def value(self) -> str:
        """The value of the group: that of a party's number, "pid high", without "pid"."""
        return self.group.split()[-1] if self.group.startswith("pid ") else self.group


def facts(rows: list[dict]) -> list[Fact]:
    return [
        Fact(
            words=row["words"].split(),
            kinds=row["kind"].split("|"),
            first=_first_day(row.get("from", "")),
            last=_last_day(row.get("to", "")),
            group=row.get("group", ""),
            source=row["source"],
        )
        for row in rows
    ]


def shown_by(raw: Raw, fact: Fact) -> bool:
    """Whether the texts themselves show it: one of its words is used half again as often where the
    fact says."""
    sides = [_sides_of_group(raw, fact)] if fact.group else _sides_in_time(raw, fact)
    for word in fact.words:
        uses = raw.uses([word])
        if any(_more(raw, uses, inside, outside) for inside, outside in sides):
            return True
    return False


def _sides_of_group(raw: Raw, fact: Fact) -> tuple[np.ndarray, np.ndarray]:
    """bool[D] twice: documents of the group, by any of their fields, and all others."""
    names_of_fields: set[str] = set()
    for text in raw.texts[:DOCUMENTS_FOR_FIELDS]:
        names_of_fields |= text.fields.keys()
    inside = np.array(
        [any(_has(text.fields, name, fact.value) for name in names_of_fields) for text in raw.texts]
    )
    return inside, ~inside


def _sides_in_time(raw: Raw, fact: Fact) -> list[tuple[np.ndarray, np.ndarray]]:
    """bool[D] twice for each kind of the fact: where there should be more of it, and less."""
    early = raw.days < fact.first
    late = raw.days > fact.last
    inside = ~early & ~late & (raw.days != "")
    sides = {
        "rise": (late | inside, early),
        "fall": (early | inside, late),
        "burst": (inside, early | late),
    }
    return [sides[kind] for kind in fact.kinds]


def _more(raw: Raw, uses: np.ndarray, inside: np.ndarray, outside: np.ndarray) -> bool:
    # The texts show a fact where their words move by half or more
    if not inside.any() or not outside.any() or uses[inside].sum() < LEAST_USES:
        return False
    return bool(raw.log_ratio(uses, inside, outside) >= math.log(HALF_AS_MUCH_MORE))


def names(fact: Fact, claim: Claim) -> bool:
    """Whether a claim names a fact: one of its words, in its time or group."""
    words_of_claim = words(claim.name)
    if not any(alike(a, b) for a in fact.words for b in words_of_claim):
        return False
    if fact.group:
        return claim.more and _is_of_group(fact, claim)
    if claim.field or not (claim.first or claim.last):
        return False
    if claim.steady:
        return ("rise" if claim.more else "fall") in fact.kinds
    return any(_in_time(kind, fact, claim) for kind in fact.kinds)


def _is_of_group(fact: Fact, claim: Claim) -> bool:
    if fact.value not in ("low", "high"):
        return claim.value.casefold() == fact.value.casefold()
    if not claim.bounds:
        return False
    has_lower_bound = bool(claim.bounds[0])
    return has_lower_bound == (fact.value == "high")


def _in_time(kind: str, fact: Fact, claim: Claim) -> bool:
    """Whether a claim's span overlaps that of a burst by half, or turns within that of a change."""
    if kind == "burst":
        if not claim.more or not claim.first or not claim.last:
            return False
        first_days = _ordinal(fact.first), _ordinal(claim.first)
        last_days = _ordinal(fact.last), _ordinal(claim.last)
        overlap = min(last_days) - max(first_days) + 1
        days = [last - first for first, last in zip(first_days, last_days, strict=True)]
        return overlap >= LEAST_OVERLAP * (min(days) + 1)
    turn = _turn(claim, is_rise=kind == "rise")
    return bool(turn) and fact.first <= turn <= fact.last


def _turn(claim: Claim, is_rise: bool) -> str:
    """The day from which, or up to which, there is more of it; "" where a claim has no such day."""
    if claim.more == is_rise:
        return claim.first
    return claim.last


def _ordinal(day: str) -> int:
    """The ordinal of a day, which may be written as the 31st of any month: at most that of the
    28th."""
    year, month, day_of_month = map(int, day.split("-"))
    return date(year, month, min(day_of_month, LAST_DAY_OF_ALL)).toordinal()


def alike(a: str, b: str) -> bool:
    """Whether two words are forms of one."""
    if a == b:
        return True
    if min(len(a), len(b)) < FEWEST_LETTERS or abs(len(a) - len(b)) > LONGEST_ENDING:
        return False
    return a.startswith(b[:-1]) or b.startswith(a[:-1])
