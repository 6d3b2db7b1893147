"""From texts to a bag of words: a stream of pieces on disk, from which the words that count are
chosen as often as needed."""

from inference.text import duplicates, phrases, variants
from inference.text.choice import REASONS, THRESHOLDS, Rules, Vocabulary, VocabularyChoice
from inference.text.choose import (
    Counts,
    choose,
    count,
    joined_forms,
    thresholds,
    words_of_forms,
)
from inference.text.language import (
    UNKNOWN,
    detect_language,
    language_code,
    language_name,
    language_of,
    language_shares,
)
from inference.text.lexicon import Lexicon
from inference.text.stopwords import LANGUAGES, stop_words
from inference.text.stream import Spread, Stream
from inference.text.table import MAX_LETTERS
from inference.text.terms import stops, terms
from inference.text.tokenise import TokenisedText, Tokeniser

__all__ = [
    "Counts", "LANGUAGES", "Lexicon", "MAX_LETTERS", "REASONS", "Rules", "Spread", "Stream",
    "THRESHOLDS", "TokenisedText", "Tokeniser", "UNKNOWN", "Vocabulary", "VocabularyChoice",
    "choose", "count", "detect_language", "duplicates", "joined_forms", "language_code",
    "language_name", "language_of", "language_shares", "phrases", "stop_words", "stops", "terms",
    "thresholds", "variants", "words_of_forms",
]  # fmt: skip
