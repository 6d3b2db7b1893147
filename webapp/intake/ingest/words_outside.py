"""How many of the words of a version that are no stop words no topic counts."""

from typing import NamedTuple

from webapp.models import Version

# Reasons in a version's report, of inference.text.Vocabulary.dropped, that are of words of the
# texts: numbers, stop words, and what is too short or too long to be a word are none
REASONS = ("too rare", "too common", "spread evenly")


class WordsOutside(NamedTuple):
    """tokens: of words that are too rare, or too frequent; among: these and the counted ones."""

    tokens: int
    among: int

    @property
    def share(self) -> float:
        """0 to 1."""
        return self.tokens / max(self.among, 1)


def words_outside(version: Version) -> WordsOutside:
    """What the overview warns of, and the page of the corpus counts."""
    dropped = version.report.get("dropped", {})
    tokens = sum(dropped[reason][1] for reason in REASONS if reason in dropped)
    return WordsOutside(tokens, tokens + version.tokens)
