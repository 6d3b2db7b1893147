"""When a difference of two shares is worth a sentence, and how telling it is."""

from inference.answers import Answers

LEAST_RATIO = 1.5  # of the two shares
LEAST_SHARE = 0.005  # of the side that has more, of a topic
CERTAIN = 3.0  # errors from which a difference is half as telling as a sure one
NEARLY_NO_DOCUMENTS = 1e-4  # a share of documents that stands for none, so that a ratio is finite


def is_large(share: float, other_share: float) -> bool:
    """Whether the larger share is so many times the smaller one that it is worth a sentence."""
    return max(share, other_share) >= LEAST_RATIO * min(share, other_share)


def certainty(answers: Answers, column: int) -> float:
    """How sure the difference in a column is, from 0 to 1: a half at CERTAIN errors."""
    size = abs(float(answers.difference[column] / answers.error[column]))
    return size / (size + CERTAIN)


def times_as_many(share: float, other_share: float) -> float:
    """How many times a share of documents is another, finite."""
    return share / max(other_share, NEARLY_NO_DOCUMENTS)
