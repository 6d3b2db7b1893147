"""From texts to a bag of words: tokens, stop words, vocabulary."""

from inference.text.builder import CorpusBuilder, Vocabulary, VocabularyOptions
from inference.text.stopwords import LANGUAGES, stop_words
from inference.text.tokenise import Tokeniser

__all__ = ["LANGUAGES", "CorpusBuilder", "Tokeniser", "Vocabulary", "VocabularyOptions", "stop_words"]
