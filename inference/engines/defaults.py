"""Values of settings that are left open, and settings of a run that begins with another's topics,
where several engines have one rule. An engine's document says what was measured with it."""

from collections.abc import Mapping
from typing import Any

MOST_ALPHA = 0.2  # of a topic, where there are few
ALPHA_SCALE = 2.0
ALPHA_POWER = -0.6  # of K: a document has a few topics, however many there are
ETA_POWER = -0.5  # of K: each topic has fewer words where there are many
# Where weights are exp E[log beta], which is next to nothing for a word that a topic hardly has
ETA_OF_LOGARITHMS = 0.4
DIGITS = 4  # behind the point, as forms show them
# Of engines whose step costs V x K: a minibatch is a part of the documents, within these
MINIBATCHES_OF_PASS = 64
LEAST_MINIBATCH = 128
MOST_MINIBATCH = 1024


def alpha(K: int, scale: float = ALPHA_SCALE) -> float:
    """The prior of each of K topics in a document."""
    return round(min(MOST_ALPHA, scale * K**ALPHA_POWER), DIGITS)


def eta(K: int, scale: float = 1.0) -> float:
    """The prior of each word in one of K topics."""
    return round(scale * K**ETA_POWER, DIGITS)


def minibatch(documents: int) -> int:
    """Documents between two updates of V x K parameters."""
    return min(MOST_MINIBATCH, max(LEAST_MINIBATCH, documents // MINIBATCHES_OF_PASS))


def passes_within(words: int, tokens: int, *, least: int, most: int) -> int:
    """How many passes go through so many words of a corpus of `tokens`, over all of them: from
    `least` to `most`."""
    return min(most, max(least, words // max(tokens, 1)))


def fewer_passes(settings: Mapping[str, Any], least: int = 3) -> dict[str, Any]:
    """Settings of a run, with passes for one that begins with its topics: a third of them."""
    return {**settings, "passes": max(least, round(settings["passes"] / 3))}


def fewer_passes_warm(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings with fewer passes and no warm-up, which would forget the topics that a run begins
    with."""
    return {**fewer_passes(settings), "warm_up": 0}
