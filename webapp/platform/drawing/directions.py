"""Names that are written from right to left, within text that is written from left to right, where
there is no element <bdi>: in pictures and in the tips of their parts."""

import unicodedata

RIGHT_TO_LEFT = ("R", "AL")  # classes of Unicode Standard Annex 9, table 4
FIRST_STRONG_ISOLATE = "\u2068"
POP_DIRECTIONAL_ISOLATE = "\u2069"


def isolated(name: str) -> str:
    """The name, so that numbers and signs beside it keep their place (UAX 9, section 2.4); as it is
    where no letter of it is written from right to left."""
    if any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in name):
        return f"{FIRST_STRONG_ISOLATE}{name}{POP_DIRECTIONAL_ISOLATE}"
    return name
