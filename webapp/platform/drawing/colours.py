"""Colours of topics, as numbers: style sheets give each its value (.t0, .t1 …), scripts read those;
pictures that have no style sheet take ON_PAPER.

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
# The value of each on light paper, as static/css/base.css has it
ON_PAPER = (
    "#044089",
    "#933f02",
    "#1d8265",
    "#7a1429",
    "#916d23",
    "#6967b3",
    "#2c627b",
    "#51365b",
    "#315e9c",
    "#a65d36",
    "#247058",
    "#923e46",
    "#7d5f24",
    "#5c5a98",
    "#4e798e",
    "#6a5273",
    "#8a8479",
    "#429496",
    "#167724",
    "#8732a0",
    "#5a0a61",
    "#544d00",
    "#a8574e",
    "#1b5772",
    "#671700",
    "#948500",
    "#756696",
    "#9a1454",
    "#2a2398",
)


_STRIDE = 5  # has no divisor in common with CHOICES: so all of them are used


def of_line(number: int) -> int:
    """The colour of a line that stands for no topic: neighbours in a list are far apart."""
    return CHOSEN + _STRIDE * number % CHOICES
