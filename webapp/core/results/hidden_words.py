"""Words that a reader does not want to see among those of topics: a filter of what is shown, the
model stays as it is.

?drop=    words between commas or spaces; may be repeated
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

import regex
from django.http import QueryDict

from inference.errors import Invalid
from webapp.intake.ingest.typed_words import find_words
from webapp.models import Run
from webapp.platform.typed_text import as_counted, as_in_texts

LONGEST_DROP = 5_000  # characters of one parameter
MOST_HIDDEN_WORDS = 50  # words: so many more of a topic are read to have enough that are shown
_WORD = regex.compile(r"[^\s,;]+")


@dataclass(frozen=True)
class DroppedWord:
    """known: whether the vocabulary has it. rest: the other words, as the address says them."""

    word: str
    known: bool
    rest: str


@dataclass(frozen=True)
class Dropped:
    """Words left out of the lists of topics. without: the query of the page that trains without
    them."""

    words: list[DroppedWord]
    typed: str
    without: str


@dataclass(frozen=True)
class HiddenWords:
    """words: in lower case, as they were typed. known: of those that the vocabulary has, word ->
    number."""

    words: tuple[str, ...] = ()
    known: Mapping[str, int] = field(default_factory=dict)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the hidden words that are in the vocabulary."""
        return list(self.known.values())

    @property
    def drop(self) -> str:
        """The hidden words as an address has them."""
        return ",".join(self.words)

    @property
    def query(self) -> str:
        """What an address of the run's topics ends in, so that the next page hides the same
        words."""
        return "?" + urlencode({"drop": self.drop}) if self.words else ""

    def described(self) -> Dropped | None:
        """The hidden words as templates/run/_hidden_words.html shows them; None where no word is
        hidden."""
        if not self.words:
            return None
        dropped = []
        for word in self.words:
            other_words = [other_word for other_word in self.words if other_word != word]
            dropped.append(DroppedWord(word, word in self.known, ",".join(other_words)))
        return Dropped(
            words=dropped,
            typed=", ".join(self.words),
            without=urlencode([("words", word) for word in self.words if word in self.known]),
        )


def read(query: QueryDict, run: Run) -> HiddenWords:
    """The words that an address hides. Raises Invalid for too many."""
    typed = as_in_texts(",".join(text[:LONGEST_DROP] for text in query.getlist("drop")))
    words = tuple(dict.fromkeys(_WORD.findall(as_counted(typed))))
    if len(words) > MOST_HIDDEN_WORDS:
        raise Invalid(
            "drop",
            f"At most {MOST_HIDDEN_WORDS} words can be hidden at once, got {len(words)}. To"
            " remove more, train again without them.",
        )
    if not words:
        return HiddenWords()
    found = find_words(run.version_id, words)
    spelled = [found[word].word if word in found else word for word in words]
    return HiddenWords(
        tuple(dict.fromkeys(spelled)), {row.word: row.number for row in found.values()}
    )
