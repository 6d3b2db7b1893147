"""Texts that people type, without what can't be seen."""

import re
import unicodedata

from inference.errors import Invalid
from inference.text.spelling import fold_apostrophes

# Tabs and ends of lines
_BREAKS = re.compile(r"[\t-\r\x1c-\x1f\x85]")
# Control characters, halves of surrogate pairs, and marks of direction that make a line look other
# than it is
MISLEADING = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
NAME = 60  # characters of a name that somebody signs by: as wide as models.Said.by


def one_line(text: str) -> str:
    """Text without what can't be seen: control and format characters (among them bidi overrides),
    runs of spaces."""
    visible = filter(_is_space_or_visible, text)
    words = "".join(visible).split()
    return " ".join(words)


def as_in_texts(text: str) -> str:
    """Text on one line that is compared with texts, words and names of fields as they were read:
    the joiners of Persian and Hindi, and spaces of any width, stay."""
    return MISLEADING.sub("", _BREAKS.sub(" ", text)).strip()


def as_counted(text: str) -> str:
    """Words as vocabularies have them: in lower case, an accent in one character with its letter,
    which some keyboards and systems of files write as two, and the apostrophe of “Qur'an” as it is
    there, whichever a keyboard has."""
    return fold_apostrophes(unicodedata.normalize("NFC", text.lower()))


def several_lines(text: str) -> str:
    """Text whose lines are as `one_line` makes them; line breaks stay, but at both ends."""
    with_line_feeds = text.replace("\r\n", "\n").replace("\r", "\n")
    cleaned = [one_line(line) for line in with_line_feeds.split("\n")]
    return "\n".join(cleaned).strip()


def person(text: str) -> str:
    """What somebody without an account is called. Raises Invalid."""
    name = one_line(text)
    if not 0 < len(name) <= NAME:
        raise Invalid("name", f"Give a name of 1 to {NAME} characters; got {len(name)}.")
    return name


def _is_space_or_visible(letter: str) -> bool:
    return letter.isspace() or _visible(letter)


def _visible(character: str) -> bool:
    # Cf holds the joiners that Persian or Hindi spelling needs, too: U+200C and U+200D stay.
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs") or character in "\u200c\u200d"
