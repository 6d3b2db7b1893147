"""Which language texts are in."""

from collections import Counter
from collections.abc import Iterable

from inference.text.stopwords import LANGUAGES

MOST_TEXTS = 50
MOST_CHARACTERS = 2_000  # of each
# What py3langid tells apart and stop lists and segmenters do not.
_WRITTEN_AS = {
    "nn": "no", "yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "sdh": "ku", "uzs": "uz", "pcm": "en", "hbo": "he", "grc": "el", "ltg": "lv",
    "nso": "st",
}  # fmt: skip


def shares(texts: Iterable[str]) -> dict[str, float]:
    """Languages (ISO 639-1, of LANGUAGES) -> the share of the texts' letters in each, largest
    first; a text is in one language.

    Empty where there are too few letters; less than 1 together where some are in a language that is
    not known. The first MOST_TEXTS count.
    """
    import py3langid

    letters: Counter[str] = Counter()
    for text, _ in zip(texts, range(MOST_TEXTS), strict=False):
        # A lone surrogate is nothing that it takes
        sample = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()
        count = sum(map(str.isalpha, sample))
        if count:
            language, _ = py3langid.classify(sample)
            letters[_WRITTEN_AS.get(language, language)] += count
    total = sum(letters.values())
    enough = letters.most_common() if total >= 20 else ()  # fewer say nothing
    return {language: count / total for language, count in enough if language in LANGUAGES}


def detect(texts: Iterable[str]) -> tuple[str, float]:
    """The language that most of the texts are in, and its share; ("", 0.0) where that can't be
    told."""
    return next(iter(shares(texts).items()), ("", 0.0))
