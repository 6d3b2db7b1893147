"""Words of a text."""

import unicodedata

import regex

# A letter, then letters, combining marks and digits: "café" in either normal form, "mp3", not "1984". An apostrophe or a
# hyphen ends a word: "l'homme" is two words, and of "don't" and "king's" the short tail is left out by its length.
WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{Nd}]*")
MAX_LETTERS = 64  # longer strings are not words (base64, URLs run together); they are left out, and counted


class Tokeniser:
    """Cuts texts into lower-case words of at least `min_length` letters, in Unicode normal form C.

    language: ISO 639-1, or "" for none. It is kept for what depends on it (Turkish lower case).
    """

    def __init__(self, language: str = "", min_length: int = 2):
        self.language, self.min_length = language, min_length

    def _lower(self, text: str) -> str:
        if self.language in ("tr", "az"):  # Unicode, SpecialCasing: there I is the capital of ı, and İ of i
            text = text.replace("I", "ı").replace("İ", "i")
        return text.lower()

    def raw(self, text: str) -> list[str]:
        """Every word, the too short and too long ones included."""
        return WORD.findall(unicodedata.normalize("NFC", self._lower(unicodedata.normalize("NFC", text))))

    def located(self, text: str) -> tuple[list[str], list[int]]:
        """Every word, as `raw`, and the character of the text at which each begins."""
        lower = self._lower(text)
        # Lowering and composing make no text longer and shorter at once: of equal length, each character kept its place.
        if len(lower) == len(text) and unicodedata.is_normalized("NFC", text) and unicodedata.is_normalized("NFC", lower):
            words, places, at = WORD.findall(lower), [], 0
            for word in words:  # found where it first stands behind the one before: there its first letter is the next one
                at = lower.index(word, at)
                places.append(at)
                at += len(word)
            return words, places
        found = [(self._normal(match.group()), match.start()) for match in WORD.finditer(text)]
        return [word for word, _ in found], [place for _, place in found]

    def _normal(self, word: str) -> str:
        return unicodedata.normalize("NFC", self._lower(unicodedata.normalize("NFC", word)))

    def words(self, text: str) -> list[str]:
        """The words of a text, in their order."""
        return [word for word in self.raw(text) if self.min_length <= len(word) <= MAX_LETTERS]

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, word) in their order: the word stands at text[start:end], as it was written."""
        found = []
        for match in WORD.finditer(text):
            word = self._normal(match.group())
            if self.min_length <= len(word) <= MAX_LETTERS:
                found.append((*match.span(), word))
        return found
