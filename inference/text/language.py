"""Which language texts are in: all of them together, and each by itself."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

import regex

from inference.text.stopwords import LANGUAGES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

MOST_TEXTS = 50
MOST_CHARACTERS = 2_000  # of each
LEAST_LETTERS_OF_ALL = 20  # fewer say nothing
# Of one text: characters from its beginning, letters without which nothing can be told, and the
# probability from which a language is named. Measured by benchmarks/languages.py on texts of 25
# languages: of pieces of 40 characters nine in ten are named, fewer than one in a thousand wrongly;
# with a lower probability more are named, and more wrongly.
TEXT_CHARACTERS = 400
LEAST_LETTERS = 12
LEAST_PROBABILITY = 0.7
UNKNOWN = "unknown"
# Of IDs such as de_DE, de-CH and zh_CN: what comes before the country
_ID = regex.compile(r"(?P<language>[a-z]{2,3})([-_][A-Za-z]{2,8})*")
_BY_NAME = {name.lower(): code for code, name in LANGUAGES.items()}
# Codes of three letters (ISO 639-2) that files use
_THREE_LETTERS = {
    "ara": "ar", "ces": "cs", "cze": "cs", "chi": "zh", "dan": "da", "deu": "de", "dut": "nl",
    "ell": "el", "eng": "en", "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gre": "el",
    "heb": "he", "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko", "lat": "la", "nld": "nl",
    "nor": "no", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "spa": "es", "swe": "sv",
    "tur": "tr", "ukr": "uk", "zho": "zh",
}  # fmt: skip
# What py3langid tells apart and stop lists and segmenters do not.
_WRITTEN_AS = {
    "nn": "no", "yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "sdh": "ku", "uzs": "uz", "pcm": "en", "hbo": "he", "grc": "el", "ltg": "lv",
    "nso": "st",
}  # fmt: skip


def language_shares(texts: Iterable[str]) -> dict[str, float]:
    """Languages (ISO 639-1, of LANGUAGES) -> the share of the texts' letters in each, largest
    first; a text is in one language.

    Empty where there are too few letters; less than 1 together where some are in a language that is
    not known. The first MOST_TEXTS count.
    """
    import py3langid

    letters: Counter[str] = Counter()
    for text in islice(texts, MOST_TEXTS):
        # A lone surrogate is nothing that it takes
        sample = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        count = sum(map(str.isalpha, sample))
        if count:
            language, _ = py3langid.classify(sample)
            letters[_WRITTEN_AS.get(language, language)] += count
    total = sum(letters.values())
    enough = letters.most_common() if total >= LEAST_LETTERS_OF_ALL else ()
    return {language: count / total for language, count in enough if language in LANGUAGES}


def detect_language(texts: Iterable[str]) -> tuple[str, float]:
    """The language that most of the texts are in, and its share; ("", 0.0) where that can't be
    told."""
    return next(iter(language_shares(texts).items()), ("", 0.0))


def language_of(text: str) -> str:
    """The language of one text (ISO 639-1, of LANGUAGES), by its beginning; "" where it is too short
    or can't be told, as of code and numbers.

    The probability is that of py3langid (a naive Bayes classifier, after Lui and Baldwin 2012),
    made comparable between lengths.
    """
    beginning = text[:TEXT_CHARACTERS].encode("utf-8", "replace").decode()
    if sum(map(str.isalpha, beginning)) < LEAST_LETTERS:
        return ""
    ranked = _identifier().rank(beginning)
    language = _WRITTEN_AS.get(ranked[0][0], ranked[0][0])
    # Of Mandarin, Cantonese and Wu together, which are written alike
    probability = sum(
        part for code, part in ranked if language in (code, _WRITTEN_AS.get(code, code))
    )
    return language if probability >= LEAST_PROBABILITY and language in LANGUAGES else ""


def language_name(text: str) -> str:
    """The name of a text's language, such as German; UNKNOWN where that can't be told."""
    return LANGUAGES.get(language_of(text), UNKNOWN)


def language_code(value: str) -> str:
    """The language that a value of a column means: German, de, de_DE and deu are all "de"; "" for
    what means none of LANGUAGES."""
    text = value.strip()
    if text.lower() in _BY_NAME:
        return _BY_NAME[text.lower()]
    known = _ID.fullmatch(text.lower())
    if known is None:
        return ""
    code = known["language"]
    code = _THREE_LETTERS.get(code, _WRITTEN_AS.get(code, code))
    return code if code in LANGUAGES else ""


@cache
def _identifier() -> "LanguageIdentifier":
    """py3langid's model, whose probabilities are told."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
