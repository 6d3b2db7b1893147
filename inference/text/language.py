"""Which language texts are in."""

from collections import Counter
from collections.abc import Iterable

from inference.text.stopwords import LANGUAGES

MOST_TEXTS = 50
MOST_CHARACTERS = 2_000  # of each
FEWEST_LETTERS = 20  # in all: fewer say nothing
# What py3langid tells apart and stop lists and segmenters do not.
_WRITTEN_AS = {
    "nn": "no", "yue": "zh", "wuu": "zh", "arz": "ar", "ary": "ar", "sdh": "ku", "uzs": "uz", "pcm": "en", "hbo": "he", "grc": "el", "ltg": "lv",
    "nso": "st",
}  # fmt: skip


def detect(texts: Iterable[str]) -> tuple[str, float]:
    """The language (ISO 639-1, one of LANGUAGES) that most of the texts are in, and the share of them in it by their letters.

    ("", 0.0) where there are too few letters, or in no language that is known. The first MOST_TEXTS count.
    """
    import py3langid

    letters: Counter[str] = Counter()
    for text, _ in zip(texts, range(MOST_TEXTS), strict=False):
        sample = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode()  # a lone surrogate is nothing that it takes
        count = sum(map(str.isalpha, sample))
        if count:
            language, _ = py3langid.classify(sample)
            letters[_WRITTEN_AS.get(language, language)] += count
    total = sum(letters.values())
    if total < FEWEST_LETTERS:
        return "", 0.0
    language, count = letters.most_common(1)[0]
    return (language, count / total) if language in LANGUAGES else ("", 0.0)
