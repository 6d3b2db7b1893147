"""Which words of a stream count, and how: what a version of a corpus is made from."""

from dataclasses import dataclass

import numpy as np

from inference.errors import Invalid
from inference.text.forms import form_maker

# Why a word is left out; the first that holds
REASONS = (
    "number",
    "too short",
    "too long",
    "stop word",
    "too rare",
    "too common",
    "spread evenly",
)
THRESHOLDS = 3  # how many of them, the last ones, depend on how often a word occurs
_VALUES = {
    "hyphens": ("split", "join"),
    "apostrophes": ("clitics", "split", "join"),
    "forms": ("written", "stems", "lemmas"),
    "duplicates": ("keep", "exact", "near"),
}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a choice has in common with the settings that a version of a corpus keeps."""

    min_documents: int = 5  # words in fewer documents are left out
    max_share: float = 1.0  # words in more than this share of the documents are left out
    # Whether frequent words count that occur as evenly as by chance: see `choose.even`
    spread_evenly: bool = False
    # Letters; a Chinese character or a Korean syllable is a word by itself, whatever this is
    min_length: int = 2
    numbers: bool = False  # whether words that begin with a digit count
    hyphens: str = "split"  # or join: "well-known" is one word
    # or join: "l'homme" is one word; or clitics: it is two, but "Qur'an" is one, in languages whose
    # clitics are known (inference.text.clitics)
    apostrophes: str = "split"
    # or stems, or lemmas: then stop words and the least length are of words as written, thresholds
    # of forms
    forms: str = "written"
    language: str = ""  # of stems and lemmas, ISO 639-1; none: no stop words but one's own
    duplicates: str = "keep"  # documents that repeat an earlier one count no words: exact, or near


@dataclass(frozen=True)
class VocabularyChoice(Rules):
    """Raises Invalid, naming the field, for a value that can't be."""

    stop_words: frozenset[str] = frozenset()  # as they are written, lower case
    kept: frozenset[str] = frozenset()  # words that count however common or evenly spread they are
    # words of a section, in which long documents are read (inference.text.sections); 0: in one
    # piece
    sections: int = 0
    phrases: tuple[
        str, ...
    ] = ()  # words with a space between them, each then one word: "new york" is "new_york"
    # Writings and the words that they count as: "co-operation", "cooperation"
    # (inference.text.variants)
    variants: tuple[tuple[str, str], ...] = ()

    def __post_init__(self):
        for field, possible, must in (
            (
                "min_documents",
                self.min_documents >= 1,
                "The least number of documents must be at least 1",
            ),
            (
                "max_share",
                0 < self.max_share <= 1,
                "The largest share of documents must be above 0 and at most 1",
            ),
            ("sections", self.sections >= 0, "The words of a section must be at least 0"),
            ("min_length", self.min_length >= 1, "The shortest word must have at least 1 letter"),
        ):
            if not possible:
                raise Invalid(field, f"{must}, got {getattr(self, field)}.")
        for field, values in _VALUES.items():
            if getattr(self, field) not in values:
                raise Invalid(
                    field,
                    f"{field} must be one of {', '.join(values)}, got {getattr(self, field)!r}.",
                )
        if lone := next(
            (
                phrase
                for phrase in self.phrases
                if len(phrase.split(" ")) < 2 or not all(phrase.split(" "))
            ),
            None,
        ):
            raise Invalid(
                "phrases",
                f"A phrase is two or more words with one space between them, got {lone!r}.",
            )
        form_maker(self.forms, self.language)


@dataclass(frozen=True)
class Vocabulary:
    """The words that stayed, most frequent first, and what was left out.

    words: V strings. tokens, documents: int64[V], occurrences and documents with the word. pairs:
    of words and rows of the bag of words. dropped: by reason (REASONS)
    (different words, occurrences), reasons that left out nothing excepted.
    """

    words: list[str]
    tokens: np.ndarray
    documents: np.ndarray
    pairs: int
    dropped: dict[str, tuple[int, int]]
