"""The sentences of findings: whole patterns with names for their parts, so that a translator can
move them, and nothing else that is said of a finding. webapp.analysis.findings.writer fills
them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from webapp.analysis.findings.phrasing import fill
from webapp.analysis.findings.shapes import Part


@dataclass(frozen=True)
class Plural:
    """A pattern for one, and for any other number."""

    one: str
    other: str

    def pattern(self, n: int) -> str:
        """The pattern for a number; 0 takes that of several."""
        return self.one if n == 1 else self.other


def plain(parts: Sequence[Part], sure: str) -> str:
    """A sentence as one text, with its interval and a full stop."""
    names_of_parts = (
        part
        if isinstance(part, str)
        else _topic(part.has_name).format(name=part.name, label=part.label)
        for part in parts
    )
    return (SURE if sure else SENTENCE).format(sentence="".join(names_of_parts), sure=sure)


def _topic(named: bool) -> str:
    """A pattern: words that are no name stand in brackets, outside the sentence."""
    return TOPIC if named else UNNAMED


def join_parts(items: Sequence[Sequence[Part]], more: str = "") -> list[Part]:
    """One list of parts of several: "a, b and c"; of topics, whose names hold "&", "a & b; c & d";
    with `more`, which says how many are not named, "a, b and 3 more"."""
    *first, last = [*items, [more]] if more else items
    if first and any(not isinstance(part, str) for item in items for part in item):
        several = list(first[0])
        for item in [*first[1:], last]:
            several = fill(SEMICOLON, first=several, last=item)
        return several
    several = list(first[0]) if first else []
    for item in first[1:]:
        several = fill(COMMA, first=several, last=item)
    return fill(AND, first=several, last=last) if first else list(last)


def period(name: str) -> str:
    """A period, as addresses have it, as readers say it: "1945", "the 1940s", "March 1945", "9
    March 1945"."""
    if name.endswith("s"):
        return DECADE.format(decade=f"{int(name[:-1])}s")
    year, *later_parts = (int(part) for part in name.split("-"))
    if not later_parts:
        return str(year)
    month = f"{date(2000, later_parts[0], 1):%B}"
    return (
        DAY.format(day=later_parts[1], month=month, year=year)
        if later_parts[1:]
        else MONTH.format(month=month, year=year)
    )


def years(name: str) -> tuple[float, float]:
    """When a period, as addresses have it, begins and ends: 1945.0 and 1946.0."""
    parts = [int(part) for part in name.removesuffix("s").split("-")]
    begin = parts[0] + sum(
        (part - 1) / of_year for part, of_year in zip(parts[1:], (12, 372), strict=False)
    )
    return begin, begin + (10 if name.endswith("s") else (1, 1 / 12, 1 / 372)[len(parts) - 1])


# A sentence and its parts
SENTENCE = "{sentence}."
SURE = "{sentence} ({sure})."
TOPIC = "{name} ({label})"
UNNAMED = "{label} ({name})"
ABOVE_ALL = "{topic}, above all {words}"  # words of it that move as the sentence says
COMMA = "{first}, {last}"
AND = "{first} and {last}"
SEMICOLON = "{first}; {last}"
MORE_TOPICS = Plural("{count} more topic", "{count} more topics")
MORE = "{count} more"
OF_FAMILY = Plural(
    "95% interval {low} to {high}, in {count} document",
    "95% interval {low} to {high}, in {count} documents",
)
WORD = "“{word}”"
UNTITLED = "Document {number}"

# How many times as much, and how sure that is; it stands quietly beside the sentence
TIMES = "{factor} times"
TIMES_LESS = "{factor} times less"
AT_LEAST = "at least {times}"
ENDS = "{low} to {high}"
ANY_NUMBER = "any number"
WITH_INTERVAL = "{times}, {level} interval {ends}"
NOT_FOUND_AGAIN = "{topics}not found again with other seeds"
AND_DOUBT = "{sure}; {doubt}"

# When
ON_DAY = "on {first}"
IN_PERIOD = "in {first}"
FROM_TO = "from {first} to {last}"
DASH = "{first}–{last}"
SINCE = "since {first}"
BEFORE = "before"
AFTER = "after"
BEFORE_AND_AFTER = "before and after"
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

FAMILY = "{share} of the words: {topics}"
NAMED_FAMILY = "{name}, {share} of the words: {topics}"

# Changes of a topic and of a word, by shape and by whether there is more
WORDS = "words"
DOCUMENTS = "documents"
SECTIONS = "sections"
SHAPES = {
    (
        "line",
        True,
    ): "{what}: ever more, from {rest} of the {rows} in the first third to {here} in the last",
    (
        "line",
        False,
    ): "{what}: ever less, from {rest} of the {rows} in the first third to {here} in the last",
    ("step", True): "{what}: {here} of the {rows} since {first}, {rest} before",
    ("step", False): "{what}: {rest} of the {rows} until {until}, {here} since",
    ("window", True): "{what}: {here} of the {rows} {span}, {rest} {outside}",
}
OF_ONE = "{change}, mostly of {value}"  # one unit's doing
ALSO = "{what} (also {words})"  # words of the same documents
SPEAKER = "Most documents {span} are by {value} ({field}): {here}, {rest} {outside}"

# More, and less
OF_GROUP = "{topic}: {here} of the words in {value}, {rest} elsewhere"
OF_SET = "{topic}: {here} of the words here, {rest} in all other documents"
KEYWORDS = "{words}: {here} of the documents of {value}, {rest} of the others"

NO_DIFFERENCE = "{field}: no topic differs by more than chance"
SMALL_DIFFERENCES = (
    "{field}: topics differ by more than chance, but by little, or by one unit’s doing"
)
TOO_FEW = "{field}: too few {units} on one side to say whether topics differ"
IF_INDEPENDENT = "documents counted one by one"
OF_UNITS = "texts of one “{field}” counted together"
UNITS_OF = "values of “{field}”"
UNITS_ARE_DOCUMENTS = "documents"
# Of few units on a side an interval says too little about others like them
SAYS_LITTLE = "{sure}; only {fewest} {units} on one side, too few to speak for others like them"

UNLIKE = "“{title}” is unlike all others: {topics}"
UNLIKE_COMPARED = "“{title}” is unlike the others that were compared: {topics}"
PART_OF_DOCUMENT = "{share} {topic}"

TOPICS_CAUTIONS = {
    "general": Plural(
        "General talk: {count} topic, {share} of the words, which the findings leave out",
        "General talk: {count} topics, {share} of the words, which the findings leave out",
    ),
    "mixed": Plural(
        "Mixed: {count} topic has words that rarely occur together: {topics}",
        "Mixed: {count} topics have words that rarely occur together: {topics}",
    ),
    "unstable": Plural(
        "Unstable: {count} topic was not found again by most trainings with other seeds: {topics}",
        "Unstable: {count} topics were not found again by most trainings with other seeds: {topics}",
    ),
    "one_document": Plural(
        "One document: {count} topic has a fifth or more of its words from one document: {topics}",
        "One document: {count} topics have a fifth or more of their words from one document:"
        " {topics}",
    ),
}
THIN = "Thin {units}: {count} of {all} have fewer than 10 documents"
REPEATED = Plural(
    "Repeated: {count} document ({share}) repeats an earlier one, and counts each time",
    "Repeated: {count} documents ({share}) repeat an earlier one, and count each time",
)
OUTSIDE = "In no topic: {share} of the words, too rare or too frequent"
