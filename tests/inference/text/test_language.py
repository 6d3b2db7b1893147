"""The language of texts, found in real ones."""

import csv
import gzip
from collections import defaultdict

from inference.text import LANGUAGES, detect

csv.field_size_limit(10**8)


def test_fourteen_languages(corpora_folder):
    texts = defaultdict(list)
    with gzip.open(
        corpora_folder / "languages" / "gnome_help_multilang" / "gnome_help_15lang.csv.gz",
        "rt",
        encoding="utf-8",
        newline="",
    ) as file:
        for row in csv.DictReader(file):
            texts[row["language"]].append(row["text"])
    del texts["he"]  # its pages are all in English
    for language, found in texts.items():
        # Half of the pages are not translated
        found.sort(key=lambda text: text.isascii() or -sum(c > "\x7f" for c in text) / len(text))
        detected, share = detect(found[:10])
        assert detected == language[:2] and share > 0.8, (language, detected, share)


def test_mixtures_and_nothing():
    english = "This is a sentence in plain English, and another one."
    french = "Ceci est une phrase en français, et en voici une autre."
    assert detect([english]) == ("en", 1.0)
    language, share = detect([french, french, english])
    assert language == "fr" and 0.6 < share < 0.75
    assert detect([]) == detect(["", "12 345 !!", "…"]) == ("", 0.0)
    assert detect(["\ud800 " + english]) == ("en", 1.0)


def test_languages_without_a_stop_list():
    assert (
        detect(["Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum."])[0] == "is"
    )
    assert detect(["မြန်မာဘာသာစကားသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကားဖြစ်သည်"])[0] == "my"
    assert (
        detect(
            [
                "Alle menneske er fødde til fridom og med same menneskeverd og menneskerettar, og"
                " eg veit ikkje kva."
            ]
        )[0]
        == "no"
    )
    assert {"is", "my", "no"} <= set(LANGUAGES)
