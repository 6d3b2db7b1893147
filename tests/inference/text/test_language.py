"""The language of texts, found in real ones."""

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from inference.text import (
    LANGUAGES,
    UNKNOWN,
    detect_language,
    language_code,
    language_name,
    language_of,
)
from inference.text.language import MOST_TEXTS

csv.field_size_limit(10**8)


def translated_pages(corpora_folder: Path) -> Iterator[tuple[str, str]]:
    """(language, text) of the pages of one manual in fifteen languages."""
    path = corpora_folder / "languages" / "gnome_help_multilang" / "gnome_help_15lang.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["language"], row["text"]


def test_fourteen_languages(corpora_folder):
    texts = defaultdict(list)
    for language, text in translated_pages(corpora_folder):
        texts[language].append(text)
    del texts["he"]  # its pages are all in English
    for language, found in texts.items():
        # Half of the pages are not translated
        found.sort(key=lambda text: text.isascii() or -sum(c > "\x7f" for c in text) / len(text))
        detected, share = detect_language(found[:10])
        assert detected == language[:2] and share > 0.8, (language, detected, share)


def test_no_more_texts_are_taken_than_count():
    texts = iter(["The committee has approved the report"] * (MOST_TEXTS + 5))
    detect_language(texts)
    assert len(list(texts)) == 5


def test_mixtures_and_nothing():
    english = "This is a sentence in plain English, and another one."
    french = "Ceci est une phrase en français, et en voici une autre."
    assert detect_language([english]) == ("en", 1.0)
    language, share = detect_language([french, french, english])
    assert language == "fr" and 0.6 < share < 0.75
    assert detect_language([]) == detect_language(["", "12 345 !!", "…"]) == ("", 0.0)
    assert detect_language(["\ud800 " + english]) == ("en", 1.0)


def test_languages_without_a_stop_list():
    assert (
        detect_language(["Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum."])[0]
        == "is"
    )
    assert detect_language(["မြန်မာဘာသာစကားသည် မြန်မာနိုင်ငံ၏ ရုံးသုံးဘာသာစကားဖြစ်သည်"])[0] == "my"
    assert (
        detect_language(
            [
                "Alle menneske er fødde til fridom og med same menneskeverd og menneskerettar, og"
                " eg veit ikkje kva."
            ]
        )[0]
        == "no"
    )
    assert {"is", "my", "no"} <= set(LANGUAGES)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Rat der Stadt hat beschlossen, die Brücke zu bauen.", "de"),
        ("Le conseil de la ville a décidé de construire le pont.", "fr"),
        ("The council has decided that the bridge will be built next year.", "en"),
        ("市议会决定明年在河上修建一座新桥，费用由国家承担。", "zh"),
        ("", ""),
        ("ok", ""),
        ("12 345 !! … 2019-04-01", ""),
        ("\ud800\ud800 12", ""),
    ],
)
def test_each_text_has_a_language_or_none_is_told(text, language):
    assert language_of(text) == language
    assert language_name(text) == LANGUAGES.get(language, UNKNOWN)


def test_pieces_of_forty_characters_are_hardly_ever_taken_for_another_language(corpora_folder):
    """Of three that are written in Latin letters, as their translations of one manual say it."""
    found = 0
    wrong = []
    for language, text in translated_pages(corpora_folder):
        # Pages without letters of the language are not translated
        if language in ("fr", "es", "hu") and not text.isascii():
            piece = text[200:240]
            told = language_of(piece)
            found += bool(told)
            if told and told not in (language, "en"):
                wrong.append((language, told, piece))
    assert found > 300 and len(wrong) <= found / 100, wrong


def test_a_column_of_languages_may_have_names_and_codes():
    assert {
        language_code(value) for value in ("German", "german", "de", "DE", "de_DE", "de-CH", "deu")
    } == {"de"}
    assert (
        language_code("zh_CN") == language_code("Chinese") == "zh" and language_code("nn") == "no"
    )
    assert not any(
        map(language_code, ("", UNKNOWN, "Python", "C++", "a, b", "xx", "the German one"))
    )
