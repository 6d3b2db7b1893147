"""The language of patterns, which find sequences of words: “right|rights of * ~5 labor”.

pattern = part ("~" (number ["s"] | "s") part)*      part = element+
element = (one | "(" one ")") ("{" least ["," most] "}")?      one = word ("|" word)*
word = (letters, "*" and "?" among them | "=" letters | "*" | "/" regular expression "/") ["%d"] |
"[]" | "[word=" string "]"

Behind "=" a word is as it is written; before "%d" accents make no difference. The last two are of
CQL (the query language of the Corpus Workbench): any word, and a regular expression; letters alone
are as they are written there, without %c behind them. %d and %cd are read there, too. Behind "]"
and ")", "?" is {0,1}.
"""

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import regex

from inference.errors import Invalid
from inference.index.query import ANY_CASE, EXACT, Piece

LONGEST_PATTERN = 300  # characters of a pattern
ELEMENTS = 12  # of a pattern: a bit each in the code of a form
# words from what is in one sentence with it: a text without full stops is one, and hits would take
# its square
FARTHEST_WORDS = 1_000
REACH = 60  # words of a match, of all parts together: a bit each of a state
# Beside the ways of a search (Piece.how)
GLOB = "glob"
EXPRESSION = "expression"
ANY = Piece("", "any")
_CQL = r'\[\s*(?:word\s*=\s*"(?P<string>(?:[^"\\]|\\.)+)"\s*(?:%(?P<case>c)?(?P<marks>d)?(?<!%)\s*)?)?\](?!\s*[*+])'
_WORD = rf"(?P<word>/(?:[^/\\]|\\.)+/(?:%d)?|{_CQL}|[^\s()|{{}}~/[][^\s()|{{}}~]*)"
_NEXT = regex.compile(
    r"~\s*(?P<within>(?P<words>[1-9]\d?(?!\d))?+(?P<sentence>s(?=[\s([/]|$))?+(?<!~)(?<!\s))\s*|"
    rf"(?P<open>\()?\s*{_WORD}(?:\s*\|\s*{_WORD})*\s*(?(open)\)\s*)"
    r"(?:\{\s*(?P<least>1?\d|20)\s*(?:,\s*(?P<most>1?\d|20)\s*)?\}|(?<=[\])])(?P<may>\?))?\s*"
)
_NO_WORD = pa.array([""], pa.large_string())
_OF_ARROW = "Invalid regular expression: "
# Letters that no case and no form changes, so that a word with wildcards is cut like any other
_LETTERS = str.maketrans("*?", "ƻƾ")
_WILDCARDS = str.maketrans("ƻƾ", "*?")
_HINTS = {
    "": "A word is missing at the end.",
    "~": (
        "Write ~5 between words for “within 5 words of”, ~s for “in one sentence with”; ~99 is the"
        " farthest."
    ),
    "{": "Write {0,3} behind a word for how often it may be there; 20 is the most.",
    "(": "This “(” has no “)” after alternatives such as (right|rights).",
    ")": "This “)” has no “(” before alternatives such as (right|rights).",
    "|": "“|” comes between two words that are alternatives.",
    "/": "The regular expression that begins here has no “/” at its end.",
    "}": "This “}” has no “{” before it.",
    "[": (
        'Of CQL, [word="rights?"] and [] can be written here, with ? or {0,5} behind; + and * say'
        " no most."
    ),
}


class PatternError(Invalid):
    """at: the character of the pattern at which it can't be understood."""

    def __init__(self, at: int, why: str):
        super().__init__("pattern", f"Character {at + 1} of the pattern: {why}")
        self.at = at


class Element(NamedTuple):
    """A word that is any of some, least to most times in a row."""

    words: tuple[Piece, ...]
    least: int = 1
    most: int = 1


class PatternPart(NamedTuple):
    """Words in a row. within: at most so many words from the first part, on either side; of that
    itself 0. sentence: in one sentence with it."""

    elements: tuple[Element, ...]
    within: int = 0
    sentence: bool = False


# A text's words as the stream has them, each with its case (Piece.case)
Cut = Callable[[str], list[tuple[str, int]]]


def parse(text: str, cut: Cut) -> tuple[PatternPart, ...]:
    """Raises PatternError."""
    at = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    no_elements: list[Element] = []
    parts = [(0, False, at, no_elements)]
    while at < end or not parts[-1][3]:
        match = _NEXT.match(text, at)
        if match is None or match["within"] and not parts[-1][3]:
            raise PatternError(at, _HINTS[text[at : at + 1]])
        if match["within"]:
            parts.append((int(match["words"] or FARTHEST_WORDS), bool(match["sentence"]), at, []))
        else:
            parts[-1][3].extend(_elements(match, cut))
        at = match.end()
    for *_, begin, elements in parts:
        if not any(element.least for element in elements):
            raise PatternError(
                begin, "Here one word at least must be there: {0,…} says that it may be missing."
            )
    pattern = tuple(
        PatternPart(tuple(elements), within, sentence) for within, sentence, _, elements in parts
    )
    if (
        len(text) > LONGEST_PATTERN
        or sum(len(part.elements) for part in pattern) > ELEMENTS
        or reach(pattern) > REACH
    ):
        raise PatternError(
            0,
            f"A pattern has at most {LONGEST_PATTERN} characters and {ELEMENTS} words, and its hits,"
            f" with all its {{…}}, {REACH} words; this one has more.",
        )
    return pattern


def reach(pattern: tuple[PatternPart, ...]) -> int:
    """Words that a match of all its parts can have."""
    return sum(element.most for part in pattern for element in part.elements)


def _elements(match: regex.Match, cut: Cut) -> list[Element]:
    words = [
        (at, text, _pieces(at, text, cut))
        for at, text in zip(match.starts("word"), match.captures("word"), strict=True)
    ]
    words_of_pattern = tuple(word_piece for *_, word_pieces in words for word_piece in word_pieces)
    if len(words) == 1 and not (match["least"] or match["may"]):
        return [Element((word_piece,)) for word_piece in words_of_pattern]
    for at, text, word_pieces in words:
        if len(word_pieces) > 1:
            raise PatternError(
                at,
                f"“{text}” is {len(word_pieces)} words in the texts; an alternative or a word before {{…}}"
                " is one.",
            )
    first = match["least"] or (0 if match["may"] else 1)
    least, longest = sorted((int(first), int(match["most"] or match["least"] or 1)))
    return [Element(words_of_pattern, least, longest)]


def _pieces(at: int, text: str, cut: Cut) -> list[Piece]:
    """The pieces of a word as it was typed: several where the texts cut it, as at a hyphen."""
    cql = regex.fullmatch(_CQL, text)
    marks = not (cql["marks"] if cql else text.endswith("%d"))
    text = text.removesuffix("%d")
    if cql and not cql["case"] and regex.fullmatch(r"[\p{L}\p{M}\p{N}]+", cql["string"] or ""):
        text = f"={cql['string']}"
        cql = None
    if cql or text.startswith("/"):
        expression = text[1:-1] if cql is None else cql["string"]
        if not expression:
            return [ANY]
        try:
            match_whole(_NO_WORD, expression)
        except pa.ArrowInvalid as error:
            raise PatternError(
                at, f"RE2 can't read this regular expression: {str(error).removeprefix(_OF_ARROW)}."
            ) from None
        return [Piece(expression, EXPRESSION, marks=marks)]
    written = [
        (word.translate(_WILDCARDS), case if text.startswith("=") else ANY_CASE)
        for word, case in cut(text.removeprefix("=").translate(_LETTERS))
    ]
    words = [word for word, _ in written]
    if not words:
        raise PatternError(at, f"There is no word in “{text}”.")
    if {*"".join(words)} <= {*"*?"} and not {*text} <= {*"*?"}:
        raise PatternError(
            at,
            f"There is no letter and no number in “{text}”, and other signs are in no word of the"
            " texts.",
        )
    if text.startswith("=") and {*text} & {*"*?/"}:
        raise PatternError(
            at,
            f"Behind “=” a word is as it is written, without “*”, “?” and “/”, which “{text}” has.",
        )
    parsed = []
    for word, case in written:
        if set(word) == {"*"}:
            parsed.append(ANY)
            continue
        how = GLOB if set(word) & {"*", "?"} else EXACT
        parsed.append(Piece(word, how, case, marks))
    return parsed


def match_whole(words: pa.LargeStringArray, expression: str) -> pa.BooleanArray:
    """Which words, in lower case, a regular expression of RE2 matches from end to end, in time that
    is linear in a word's length. Raises ArrowInvalid, also for “a)|(b”, which means something only
    within parentheses."""
    pc.match_substring_regex(_NO_WORD, expression)
    return pc.match_substring_regex(words, f"^(?i:{expression})$")


def unmarked(words: pa.LargeStringArray) -> pa.LargeStringArray:
    """Without accents, and all other marks that Unicode (NFD) takes off a letter."""
    return pc.replace_substring_regex(
        pc.utf8_normalize(words, "NFD"), pattern=r"\p{Mn}", replacement=""
    )
