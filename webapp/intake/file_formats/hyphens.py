"""Words that the end of a line breaks, made whole: “coun-” and “try” below it are “country”."""

from bisect import bisect_right
from collections.abc import Sequence

import regex

# A soft hyphen, “¬” and “⸗” (of old German prints) mark nothing but a broken word
_SOFT = "\u00ad¬⸗"
# The beginning of a word is looked for once: a word of a million letters is read once
_BROKEN = regex.compile(
    r"(?<![\p{L}\p{M}])(?P<before>\p{L}[\p{L}\p{M}]*+)"
    rf"(?:[-\u2010]\ *+(?:\r\n?|\n)[\ \t]*+(?=\p{{Ll}})|[{_SOFT}]\ *+(?:\r\n?|\n)[\ \t]*+(?=\p{{L}}))"
    r"(?P<after>[\p{L}\p{M}]++)"
)
_LETTERS = regex.compile(r"[\p{L}\p{M}]++(?:[-\u2010][\p{L}\p{M}]++)*+")
# What a hyphen is followed by where it is a word's own: “Haupt- und Nebensatz”
_CONJUNCTIONS = {"und", "oder", "bzw", "sowie", "and", "or", "och", "og", "eller", "bis"}


def joined(text: str, positions: Sequence[int] = ()) -> tuple[str, tuple[int, ...]]:
    """The text with its broken words whole, and where the places of it, ascending, are then.

    A hyphen stays where the text has the word with it in another line, and not without it.
    """
    breaks = [
        match for match in _BROKEN.finditer(text) if match["after"].lower() not in _CONJUNCTIONS
    ]
    if not breaks:
        return text, tuple(positions)
    words = {match[0].lower().replace("\u2010", "-") for match in _LETTERS.finditer(text)}
    parts: list[str] = []
    begin = 0
    # of the text so far: characters of it, and those that were left out
    ends = [0]
    removed = [0]
    for match in breaks:
        stop = match.end("before")
        joined_word = (match["before"] + match["after"]).lower()
        compound = f"{match['before']}-{match['after']}".lower()
        hyphen = "-" if compound in words and joined_word not in words else ""
        parts += [text[begin:stop], hyphen]
        begin = match.start("after")
        ends.append(begin)
        removed.append(removed[-1] + begin - stop - len(hyphen))
    parts.append(text[begin:])
    moved = tuple(position - removed[bisect_right(ends, position) - 1] for position in positions)
    return "".join(parts), moved
