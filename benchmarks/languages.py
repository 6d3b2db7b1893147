"""How often the language of a text is told, and how often wrongly, by its length.

    python -m benchmarks.languages CORPORA

Pieces of the Universal Declaration of Human Rights in 25 languages, cut at places that are drawn with
a fixed seed: the piece's language is known. Needs languages/udhr_mixed_encodings of the corpora.
"""

import random
import re
import time
import zipfile
from pathlib import Path

from benchmarks.origin import options
from inference.text import language_of

ARCHIVE = "languages/udhr_mixed_encodings/udhr_310lang_native_encodings.zip"
FILES = {
    "en": "English-Latin1", "de": "German_Deutsch-Latin1", "fr": "French_Francais-Latin1",
    "it": "Italian_Italiano-Latin1", "es": "Spanish_Espanol-Latin1",
    "pt": "Portuguese_Portugues-Latin1", "nl": "Dutch_Nederlands-Latin1",
    "sv": "Swedish_Svenska-Latin1", "da": "Danish_Dansk-Latin1",
    "no": "Norwegian_Norsk-Bokmal-Latin1", "fi": "Finnish_Suomi-Latin1",
    "pl": "Polish_Polski-Latin2", "cs": "Czech-Latin2", "sk": "Slovak_Slovencina-Latin2",
    "hu": "Hungarian_Magyar-UTF8", "ro": "Romanian_Romana-Latin2", "ru": "Russian_Russky-UTF8",
    "uk": "Ukrainian-UTF8", "bg": "Bulgarian_Balgarski-UTF8", "el": "Greek_Ellinika-UTF8",
    "tr": "Turkish_Turkce-UTF8", "ca": "Catalan_Catala-Latin1", "zh": "Chinese_Mandarin-UTF8",
    "ja": "Japanese_Nihongo-UTF8", "ko": "Korean_Hankuko-UTF8",
}  # fmt: skip
ENCODINGS = {"Latin1": "latin-1", "Latin2": "iso8859-2", "UTF8": "utf-8"}
LENGTHS = (20, 40, 80, 160, 320)  # characters
PIECES = 100  # of each language and length
MILLISECONDS = 1000
SPACES = re.compile(r"\s+")


def read(corpora: Path) -> dict[str, str]:
    """The Declaration by language (ISO 639-1)."""
    texts = {}
    with zipfile.ZipFile(corpora / ARCHIVE) as archive:
        for code, name in FILES.items():
            encoding = ENCODINGS[name.rpartition("-")[2]]
            text = archive.read(f"udhr/{name}.txt").decode(encoding, "replace")
            texts[code] = SPACES.sub(" ", text.replace("\ufffd", ""))
    return texts


def measure(texts: dict[str, str], length: int) -> tuple[float, float, float]:
    """How well languages of pieces of so many characters are told: the share that is told, the
    share of those that is told wrongly, and milliseconds a piece."""
    drawn = random.Random(67)
    pieces = []
    for code, text in texts.items():
        for _ in range(PIECES):
            start = drawn.randrange(len(text) - length)
            pieces.append((code, text[start : start + length]))
    began = time.perf_counter()
    languages = [language_of(piece) for _, piece in pieces]
    seconds = time.perf_counter() - began
    recognised = [
        (code, language) for (code, _), language in zip(pieces, languages, strict=True) if language
    ]
    wrong = sum(code != language for code, language in recognised)
    return (
        len(recognised) / len(pieces),
        wrong / len(recognised),
        MILLISECONDS * seconds / len(pieces),
    )


def main() -> None:
    parser = options(__doc__, {"corpora": {"type": Path}})
    texts = read(parser.parse_args().corpora)
    language_of("Loads the model before the clock runs.")
    print("characters  told  wrong of those told  ms a text")
    for length in LENGTHS:
        recognised, wrong, milliseconds = measure(texts, length)
        print(f"{length:10} {recognised:5.1%} {wrong:20.2%} {milliseconds:10.2f}")


if __name__ == "__main__":
    main()
