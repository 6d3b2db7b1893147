"""What the sentences of all kinds of findings share: joints, periods, factors, units. Patterns are
whole, with names for their parts, so that a translator can move them; those of one kind stand in
its file of webapp.analysis.findings.kinds."""

import math
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from webapp.analysis.findings.phrasing import SentencePart, fill
from webapp.analysis.findings.spans_and_groups import Span
from webapp.core.documents import unit_words


@dataclass(frozen=True)
class Plural:
    """A pattern for one, and for any other number."""

    one: str
    other: str

    def pattern(self, n: int) -> str:
        """The pattern for a number; 0 takes that of several."""
        return self.one if n == 1 else self.other


def plain(parts: Sequence[SentencePart], certainty: str) -> str:
    """A sentence as one text, with its interval and a full stop."""
    names_of_parts = (part if isinstance(part, str) else part.with_label for part in parts)
    return (WITH_CERTAINTY if certainty else SENTENCE).format(
        sentence="".join(names_of_parts), certainty=certainty
    )


def is_long(parts: Sequence[SentencePart]) -> bool:
    """Whether a sentence has too many words; the signs that join a topic's words are none."""
    text = "".join(part if isinstance(part, str) else part.name for part in parts)
    return sum(word != "·" for word in text.split()) > MOST_WORDS


def join_parts(items: Sequence[Sequence[SentencePart]], further: str = "") -> list[SentencePart]:
    """One list of parts of several: "a, b and c"; of topics, whose names hold "&", "a & b; c & d";
    with `further`, which says how many are not named, "a, b and 3 more"."""
    *first, last = [*items, [further]] if further else items
    if first and any(not isinstance(part, str) for item in items for part in item):
        joined = list(first[0])
        for item in [*first[1:], last]:
            joined = fill(SEMICOLON, first=joined, last=item)
        return joined
    joined = list(first[0]) if first else []
    for item in first[1:]:
        joined = fill(COMMA, first=joined, last=item)
    return fill(AND, first=joined, last=last) if first else list(last)


def period(name: str, brief: bool = False) -> str:
    """A period, as addresses have it, as readers say it: "1945", "the 1940s", "March 1945", "9
    March 1945"; brief, for tables: "Mar 1945"."""
    if name.endswith("s"):
        return DECADE.format(decade=f"{int(name[:-1])}s")
    year, *later_parts = (int(part) for part in name.split("-"))
    if not later_parts:
        return str(year)
    month = f"{date(2000, later_parts[0], 1):{'%b' if brief else '%B'}}"
    return (
        DAY.format(day=later_parts[1], month=month, year=year)
        if later_parts[1:]
        else MONTH.format(month=month, year=year)
    )


def period_or_none(name: str) -> str:
    """A period as readers say it; "" for "", of a shape that has none."""
    return period(name) if name else ""


MONTHS = 12
DAYS = 372  # of a year of twelve months of 31 days: no day lies in the next month
A_MOMENT = 1e-4  # years, less than an hour
YEARS_SAID_BY_YEAR = 4.0  # that texts are of, from which on a sentence says years
YEARS_SAID_BY_MONTH = 0.4  # from which on it says months; else days


def years(name: str) -> tuple[float, float]:
    """When a period, as addresses have it, begins and ends: 1945.0 and 1946.0."""
    if name.endswith("s"):
        decade = int(name.removesuffix("s"))
        return decade, decade + 10
    year, *later_parts = [int(part) for part in name.split("-")]
    fraction: float = 0
    length: float = 1
    for part, parts_of_year in zip(later_parts, (MONTHS, DAYS), strict=False):
        fraction += (part - 1) / parts_of_year
        length = 1 / parts_of_year
    begin = year + fraction
    return begin, begin + length


def years_of_span(first: str, last: str) -> tuple[float, float]:
    """When the first of two periods, as addresses have them, begins, and the last ends."""
    return years(first)[0], years(last)[1]


def last_year_before(end: float) -> int:
    """The last year that begins before a time, a year with its fraction."""
    return math.ceil(end - A_MOMENT) - 1


def last_before(end: float, span: float) -> str:
    """The last year before a time, of short texts the last month or day, as readers say it. end:
    a year with its fraction, as `years` has it. span: years that the texts are of."""
    if span >= YEARS_SAID_BY_YEAR:
        return str(last_year_before(end))
    return _say_day(math.ceil(DAYS * (end - A_MOMENT)) - 1, span)


def first_from(begin: float, span: float) -> str:
    """The year in which a time lies, of short texts its month or day. begin, span: as in
    `last_before`."""
    if span >= YEARS_SAID_BY_YEAR:
        return str(math.floor(begin + A_MOMENT))
    return _say_day(math.floor(DAYS * (begin + A_MOMENT)), span)


def _say_day(number: int, span: float) -> str:
    """A day, the `number`th of DAYS a year, as readers say it: of texts of less than
    YEARS_SAID_BY_YEAR its month, of shorter ones the day."""
    year, day_of_year = divmod(number, DAYS)
    month, day = divmod(day_of_year, DAYS // MONTHS)
    if span >= YEARS_SAID_BY_MONTH:
        return period(f"{year:04}-{month + 1:02}")
    last_day = monthrange(year, month + 1)[1]
    return period(f"{year:04}-{month + 1:02}-{min(day + 1, last_day):02}")


def briefly(share: float) -> str:
    """A share in a sentence: two digits below ten per cent, whole above; never "0.0%"."""
    if not share:
        return "0%"
    if share < 0.0005:
        return "<0.1%"
    return f"{100 * share:.1f}%" if share < 0.0995 else f"{100 * share:.0f}%"


def briefly_or_none(share: float) -> str:
    """The share that another one is compared with: "0.3%", and "none" instead of "0%"."""
    return briefly(share) if share else NONE


def quoted(words: Sequence[str]) -> str:
    """Words in quotation marks, with commas."""
    return ", ".join(WORD.format(word=word) for word in words)


def with_others(words: Sequence[str], shown_words: int) -> list[SentencePart]:
    """The first word, and some more of the same documents, `shown_words` in all."""
    first: list[SentencePart] = [quoted(words[:1])]
    if len(words) == 1:
        return first
    return fill(ALSO, what=first, words=quoted(words[1:shown_words]))


def units_in_words(field: str) -> str:
    """What is independent of each other. field: "" for documents."""
    if field:
        return UNITS_OF.format(values=unit_words.values_of(field))
    return UNITS_ARE_DOCUMENTS


def spanned(span: Span, brief: bool = False) -> str:
    """When a finding lasts: "in 1973", "from 1973 to 1985", "from March to June 2011", "from 14 to 30
    March 2016"; brief: "1973–1985", "14 Mar–3 Jul 2016"."""
    first = period(span.first, brief)
    last = period(span.last, brief)
    if first == last:
        on = ON_DAY if len(span.last) == 10 else IN_PERIOD
        return first if brief else on.format(first=first)
    pattern = DASH if brief else FROM_TO
    if len(span.last) == 4:
        return pattern.format(first=first, last=last)
    begins, year = first.rsplit(" ", 1)
    ends, last_year = last.rsplit(" ", 1)
    if year != last_year:
        return pattern.format(first=first, last=last)
    day, _, month = begins.partition(" ")
    if month and ends.endswith(month):
        begins = day
    return pattern.format(first=begins, last=last)


# A sentence and its parts
MOST_WORDS = 25  # of a sentence that can be read aloud
NONE = "none"  # of the words, or documents, of a time or group
SENTENCE = "{sentence}."
WITH_CERTAINTY = "{sentence} ({certainty})."
ABOVE_ALL = "{topic}, above all {words}"  # words of it that move as the sentence says
COMMA = "{first}, {last}"
AND = "{first} and {last}"
SEMICOLON = "{first}; {last}"
MORE = "{count} more"
WORD = "“{word}”"
ALSO = "{what} (also {words})"  # words of the same documents

# How many times as much, and how sure that is; it stands quietly beside the sentence
TIMES = "{factor} times"
TIMES_LESS = "{factor} times less"
AT_LEAST = "at least {times}"
ENDS = "{low} to {high}"
# Of an interval without an upper end, or whose lower end is far below the ratio: few who speak made
# the shares, which are beside it and can be divided
OR_MORE = "surely {low} or more"
# Of an interval that begins with nearly as much as elsewhere: there is a difference
LITTLE_MORE = "perhaps only a little more"
LITTLE_LESS = "perhaps only a little less"
ENDS_WITH_LITTLE = "{ends}, {little}"
QUIETLY = "{times}, interval {ends}"
QUIETLY_OPEN = "{times}, {ends}"
NOT_FOUND_AGAIN = "{topics}not found again with other seeds"
AND_DOUBT = "{certainty}; {doubt}"

# Of few units on a side an interval says too little about others like them
SAYS_LITTLE = "{certainty}; one of the groups has only {fewest} {units}, too few to generalise from"
UNITS_OF = "different {values}"
UNITS_ARE_DOCUMENTS = "documents"

# When
ON_DAY = "on {first}"
IN_PERIOD = "in {first}"
FROM_TO = "from {first} to {last}"
UNTIL = "until {last}"
SINCE = "since {first}"
DASH = "{first}–{last}"
DECADE = "the {decade}"
MONTH = "{month} {year}"
DAY = "{day} {month} {year}"
UNITS = {
    "decade": Plural("decade", "decades"),
    "year": Plural("year", "years"),
    "half-year": Plural("half-year", "half-years"),
    "quarter": Plural("quarter", "quarters"),
    "month": Plural("month", "months"),
    "week": Plural("week", "weeks"),
    "day": Plural("day", "days"),
}
