"""Colours of topics, as numbers: style sheets give each its value (.t0, .t1 …), scripts read those.

A topic has the colour of its family: one of SLOTS; from the ninth family on the second tone of one,
SLOTS more; topics in no family are drawn in GENERAL. CHOSEN and more are the colours that a reader
can choose.
"""

SLOT_NAMES = ("navy", "rust", "green", "wine", "ochre", "violet", "slate", "plum")
CHOSEN_NAMES = (
    "teal",
    "green",
    "purple",
    "plum",
    "olive",
    "rose",
    "blue",
    "rust",
    "mustard",
    "lavender",
    "crimson",
    "indigo",
)
SLOTS = len(SLOT_NAMES)
GENERAL = 2 * SLOTS
CHOSEN = GENERAL + 1
CHOICES = len(CHOSEN_NAMES)
COLOURS = CHOSEN + CHOICES  # all of them


_STRIDE = 5  # has no divisor in common with CHOICES: so all of them are used


def of_line(number: int) -> int:
    """The colour of a line that stands for no topic: neighbours in a list are far apart."""
    return CHOSEN + _STRIDE * number % CHOICES
