"""Texts that people type, without what can't be seen."""

import unicodedata

from inference.errors import Invalid

NAME = 60  # characters of a name that somebody signs by: as wide as models.Said.by


def one_line(text: str) -> str:
    """Text without what can't be seen: control and format characters (among them bidi overrides),
    runs of spaces."""
    visible = filter(_is_space_or_visible, text)
    words = "".join(visible).split()
    return " ".join(words)


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
