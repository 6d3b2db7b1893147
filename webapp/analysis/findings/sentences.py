"""The sentences of findings: whole patterns with names for their parts, so that a translator can
move them, and nothing else that is said of a finding. webapp.analysis.findings.writer fills
them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from webapp.analysis.findings.kinds import Change, Event
from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.shapes import Part


@dataclass(frozen=True)
class Plural:
    """A pattern for one, and for any other number."""

    one: str
    other: str

    def pattern(self, n: int) -> str:
        return self.one if n == 1 else self.other


def plain(parts: Sequence[Part], sure: str) -> str:
    """A sentence as one text, with its interval and a full stop."""
    named = (
        part if isinstance(part, str) else TOPIC.format(name=part.name, label=part.label)
        for part in parts
    )
    return (SURE if sure else SENTENCE).format(sentence="".join(named), sure=sure)


def listed(items: Sequence[Sequence[Part]], more: str = "") -> list[Part]:
    """One list of parts of several: "a, b and c"; with `more`, which says how many are not named,
    "a, b and 3 more"."""
    *first, last = [*items, [more]] if more else items
    several = list(first[0]) if first else []
    for item in first[1:]:
        several = fill(COMMA, first=several, last=item)
    return fill(AND, first=several, last=last) if first else list(last)


def period(name: str) -> str:
    """A period, as addresses have it, as readers say it: "1945", "the 1940s", "March 1945", "9
    March 1945"."""
    if name.endswith("s"):
        return DECADE.format(decade=f"{int(name[:-1])}s")
    year, *rest = (int(part) for part in name.split("-"))
    if not rest:
        return str(year)
    month = f"{date(2000, rest[0], 1):%B}"
    return (
        DAY.format(day=rest[1], month=month, year=year)
        if rest[1:]
        else MONTH.format(month=month, year=year)
    )


def years(name: str) -> tuple[float, float]:
    """When a period, as addresses have it, begins and ends: 1945.0 and 1946.0."""
    parts = [int(part) for part in name.removesuffix("s").split("-")]
    begin = parts[0] + sum(
        (part - 1) / of_year for part, of_year in zip(parts[1:], (12, 372), strict=False)
    )
    return begin, begin + (10 if name.endswith("s") else (1, 1 / 12, 1 / 372)[len(parts) - 1])


def manner(finding: Change | Event) -> tuple[str, bool]:
    """Of MANNERS: how it is said."""
    return (finding.kind, True) if finding.shape == "window" else (finding.shape, finding.more)


# A sentence and its parts
SENTENCE, SURE = "{sentence}.", "{sentence} ({sure})."
TOPIC = "{name} ({label})"
COMMA, AND = "{first}, {last}", "{first} and {last}"
MORE_TOPICS, MORE = Plural("{count} more topic", "{count} more topics"), "{count} more"
INTERVAL, BOUND = "95% interval {low} to {high}", "95% bound"
OF_FAMILY = Plural(INTERVAL + ", in {count} document", INTERVAL + ", in {count} documents")
WORD = "“{word}”"
UNTITLED = "Document {number}"

# How many times as much; of less by how much it is divided
TIMES, TWICE, TIMES_ALONE = "{factor} times as much", "twice as much", "{factor} times"
AT_LEAST_TIMES, AT_LEAST_DIVIDED = "at least {factor} times as much", "÷{factor} at least"
DIVIDED, MULTIPLIED = "÷{factor}", "×{factor}"
ANY_NUMBER, NOTHING = "any number", "nothing"
SAME_MIX = "at the same mix of who speaks"
NOT_FOUND_AGAIN, AND_DOUBT = "{topics}not found again with other seeds", "{sure}; {doubt}"
ALONE, FIRST_OF_SEVERAL = "{times}, {interval}", "of the first {sure}"

# When
ON_DAY, IN_PERIOD = "on {first}", "in {first}"
BETWEEN, FROM_TO, DASH = "between {first} and {last}", "from {first} to {last}", "{first}–{last}"
DECADE, MONTH, DAY = "the {decade}", "{month} {year}", "{day} {month} {year}"
UNITS = {
    "decade": Plural("decade", "decades"),
    "year": Plural("year", "years"),
    "month": Plural("month", "months"),
    "week": Plural("week", "weeks"),
    "day": Plural("day", "days"),
}

FAMILY = "{share} of the words are about {topics}"
NAMED_FAMILY = "{share} of the words are about “{name}”: {topics}"


class Manner(NamedTuple):
    """How a change, or an event, is said. together: of several at nearly the same time, `all`;
    first, further: each of these; apart: one whose time is not quite that of the first."""

    alone: str
    together: str
    first: str
    further: str
    apart: str = ""


WORDS, DOCUMENTS, SECTIONS = "words", "documents", "sections"
_THIRDS = "{rest} of the {rows} in the first third and {here} in the last"
_LINE = (
    "{what} ({rest} of the {rows} in the first third, {here} in the last)",
    "{what} ({rest}, {here})",
)
_STEP = (
    "{what} ({rest} of the {rows} before, {here} since)",
    "{what} ({rest}, {here})",
    "{what} ({rest}, since {first}: {here})",
)
MANNERS = {
    ("line", True): Manner(
        "{what}: ever more from {first} to {last}, " + _THIRDS,
        "Ever more from {first} to {last}: {all}",
        *_LINE,
    ),
    ("line", False): Manner(
        "{what}: ever less from {first} to {last}, " + _THIRDS,
        "Ever less from {first} to {last}: {all}",
        *_LINE,
    ),
    ("step", True): Manner(
        "{what}: since {first}, {here} of the {rows}, before {rest}",
        "More since {first}: {all}",
        *_STEP,
    ),
    ("step", False): Manner(
        "{what}: until {until}, {rest} of the {rows}, since then {here}",
        "Less since {first}: {all}",
        *_STEP,
    ),
    ("change", True): Manner(
        "{what}: most {span}, {here} of the {rows}, against {rest} at other times",
        "Most {span}: {all}",
        "{what} ({here} of the {rows}, {rest} at other times)",
        "{what} ({here}, {rest})",
        "{what} ({brief}: {here}, otherwise {rest})",
    ),
    ("event", True): Manner(
        "{begins}: {what}, in {here} of the {rows}, otherwise in {rest}",
        "{begins}: {all}",
        "{what} (in {here} of the {rows}, otherwise {rest})",
        "{what} ({here}, {rest})",
        "{what} ({brief}: {here}, otherwise {rest})",
    ),
}

WITH, WITH_IN_LIST = (
    "; with {words}",
    " with {words}",
)  # words of the same documents; the shares are of the first
SPEAKER_SINCE = (
    "Who speaks changes: most documents since {first} are by {value} ({field}), {here}, before"
    " {rest}"
)
SPEAKER_WINDOW = (
    "Who speaks changes: most documents {span} are by {value} ({field}), {here}, at other times"
    " {rest}"
)

# More, and less
OF_GROUP = (
    "More in {value} ({field}) than elsewhere: {all}",
    "Less in {value} ({field}) than elsewhere: {all}",
)
OF_TOPIC = (
    "{topic}, by {field}: more than elsewhere in {all}",
    "{topic}, by {field}: less than elsewhere in {all}",
)
OF_SET = (
    "More here than in all other documents: {all}",
    "Less here than in all other documents: {all}",
)
MARKED_FIRST = "{what} ({here} of the words, elsewhere {rest})"
MARKED_NEXT = "{what} ({here} of the words, {rest})"

KEYWORDS = "In more documents of {value} ({field}) than of others: {words}"
KEYWORD_FIRST = "“{word}” ({here}, elsewhere {rest})"
KEYWORD_NEXT = "“{word}” ({here}, {rest})"

NO_DIFFERENCE = (
    "{field}: no topic’s share differs by more than chance explains; the largest difference is"
    " {points} points ({value}, {topic})"
)
DIFFERENT_TOGETHER = (
    "{field}: taken together the topics differ by more than chance explains, but of no single one"
    " is it sure; the largest difference is {points} points ({value}, {topic})"
)
IF_INDEPENDENT = "if {units} are independent"

UNLIKE = (
    "“{title}” stands alone: {topics}. No other document shares more than {overlap} of its mix of"
    " topics"
)
UNLIKE_COMPARED = (
    "“{title}” stands alone: {topics}. None of {compared} other documents shares more than"
    " {overlap} of its mix of topics"
)
PART_OF_DOCUMENT = "{share} {topic}"

TOPICS_CAUTIONS = {
    "general": Plural(
        "{count} topic is general talk, which the findings above leave out: {topics}. It has"
        " {share} of the words",
        "{count} topics are general talk, which the findings above leave out: {topics}. Together"
        " {share} of the words",
    ),
    "mixed": Plural(
        "{count} topic mixes words that rarely occur together: {topics}. It has {share} of the"
        " words",
        "{count} topics mix words that rarely occur together: {topics}. Together {share} of the"
        " words",
    ),
    "one_document": Plural(
        "{count} topic takes a fifth or more of its words from one document: {topics}. It has"
        " {share} of the words",
        "{count} topics take a fifth or more of their words from one document: {topics}. Together"
        " {share} of the words",
    ),
}
THIN = (
    "{count} of {all} {units} have fewer than 10 documents ({periods}): don’t rely on their shares"
)
THIN_AND_EMPTY = Plural(
    "{count} of {all} {units} have fewer than 10 documents ({periods}): don’t rely on their shares."
    " {empty} {unit} in between has none",
    "{count} of {all} {units} have fewer than 10 documents ({periods}): don’t rely on their shares."
    " {empty} {units} in between have none",
)
AND_SO_ON = "{periods} …"
REPEATED = Plural(
    "{count} document ({share}) repeats an earlier one, wholly or nearly, and is counted each time",
    "{count} documents ({share}) repeat an earlier one, wholly or nearly, and are counted each"
    " time",
)
OUTSIDE = (
    "{share} of the words that are not stop words are in no topic: they are too rare or too"
    " frequent"
)
