"""The kernel cuts every text as its slow twin does, piece by piece."""

import csv
import gzip
import io
import sys
import unicodedata
import zipfile

import numpy as np
import pytest

from inference.errors import Invalid
from inference.text import Tokeniser, table
from inference.text.cut_rules import CutRules
from inference.text.segment import SEGMENTED
from inference.text.spelling import fold_apostrophes
from inference.text.table import (
    AFTER_APOSTROPHE,
    AFTER_BREAK,
    AFTER_HYPHEN,
    AFTER_PARAGRAPH,
    AFTER_SENTENCE,
    NUMBER,
)
from tests.inference.text import naive

TEXTS = [
    "The King's speech, 1936: l'homme n'a pas dit « non ».",
    unicodedata.normalize("NFD", "Ça va, Élodie? Ångström é naïve Ελλάδα ΣΟΦΌΣ"),
    "МОСКВА не сразу строилась. Αθήνα ΣΟΦΟΣ Σ σ ΣΟΦΟΣ",
    "क्षेत्र हिन्दी में शब्द",
    "مرحبا بالعالم والسَّلام می‌خواهم",
    "Straße 🙂 𝒜𝓁𝓅𝒽𝒶 x² mp3 3D e-mail co\u00adoperate \u00ad \u00adx x\u00ad",
    "İSTANBUL ISPARTA I\u0307zmir K Å",
    "",
    "a I 7 ... \n\t\u200b",
    "1,000,000.5 1.,2 1..2 3,a v1.2 1'000 1’000 '90s 10-12-1999 2nd 3ª",
    "well-known mother-in-law rock--and -roll- l’Étoile d'\n'e x'-y\u2010z",
    "漢字とカタカナまじり文。人々はラーメンを食べる 〇 ｶﾞｷﾞ ABCカナdef2漢3",
    "한국어 조사는 명사에 붙는다. 국민이 정부를",
    "ภาษาไทยไม่มีช่องว่าง และ English",
    "one\ntwo\n\nthree\r\nfour, five. six (seven) eight/nine_ten",
    "\ud800x\udfff y\ud83d zero\u200dwidth\u200c \u202eright\u202c \ufeffbom",
    "x" * 300 + " " + "é" * 64 + " " + "é" * 65 + " " + "e\u0301" * 40,
    "a\u0301\u0323\u0301" * 30 + "\u0301 \u0301b",
    "كَتَبَ الطَّالِبُ المـــدرسة ﻛﺘﺐ ﺍﻟﻄﺎﻟﺐ کتاب كتاب می‌خوانم ي ى ـ ﹰ",
    'בְּרֵאשִׁית בָּרָא צה"ל צה״ל ג\'ורג׳ דו״ח שׁלום "אל"',
    "об'єднання обʼєднання об’єднання М'ЯСО а''б 'а' а'1 paral·lel PARAL·LEL a·b",
    "paſſed Houſe Ｆｕｌｌ ＷＩＤＴＨ １２ ﾊﾝｶｸ ｶﾞｷﾞ",
    "Mieter*innen, Mieter:innen. MIETER_INNEN-Verein Kund*in *innen a:inne x*inn b*in' c*in",
]


def agree(text: str, language: str = "", given: bool = False):
    tokeniser = Tokeniser(language, given)
    found = tokeniser.pieces([text])
    expected = naive.pieces(text, language, given)
    assert tokeniser.spans(text) == [piece[:3] for piece in expected]
    lexicon = tokeniser.lexicon
    flags = {"": 0, "-": int(AFTER_HYPHEN), "'": int(AFTER_APOSTROPHE), "|": int(AFTER_BREAK)}
    flags |= {".": int(AFTER_SENTENCE), "¶": int(AFTER_PARAGRAPH)}
    assert lexicon.words(found.words & NUMBER) == [word for _, _, word, _ in expected]
    if not given:
        assert (found.words & ~NUMBER).tolist() == [flags[mark] for *_, mark in expected]
    first = list(dict.fromkeys(word for _, _, word, _ in expected))
    assert list(lexicon) == first  # numbered in the order in which they came


@pytest.mark.parametrize("language", ["", "tr", "en", "zh", "ja", "ko", "th", "de", "fa"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_twins(text, language):
    agree(text, language)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_given_words_are_what_stands_between_white_space(text):
    agree(text, given=True)


def test_hostile_texts():
    random = np.random.default_rng(5)
    alphabet = list("aAbZ09 .,'’-_\n\t") + [
        "\u00ad",
        "\u0301",
        "\u0323",
        "\u200d",
        "\u200c",
        "\u200b",
        "\u2010",
        "\u02bc",
        "Σ",
        "σ",
        "İ",
        "ı",
        "ǅ",
        "漢",
        "ひ",
        "カ",
        "ー",
        "ﾞ",
    ]
    alphabet += [
        "ᄒ",
        "ᅡ",
        "ᆫ",
        "한",
        "ก",
        "ำ",
        "𝒜",
        "\ud800",
        "\ufeff",
        "\U000e0041",
        "ß",
        "ﬁ",
        "K",
        "٣",
        "\0",
        "\x85",
    ]
    for size in (1, 3, 10, 300):
        for _ in range(100):
            text = "".join(random.choice(alphabet, size))
            for language in ("", "tr", "ja"):
                agree(text, language)
            agree(text, given=True)
    marks = list("об'”\"״צהָـכيیlLl·*:_*innenſＡ \u00ad\u0301-.1")
    for size in (3, 10, 300):
        for _ in range(100):
            text = "".join(random.choice(marks, size))
            for language in ("", "de", "fa"):
                agree(text, language)
    every = "".join(map(chr, random.permutation(0x110000)))
    agree(every[:300_000])
    agree("a".join(every[300_000:400_000]))


def test_what_a_word_is():
    def words(text, language="en"):
        return [word for _, _, word in Tokeniser(language).spans(text)]

    assert words("Don't stop the King's 1984 mp3-player!") == [
        "don",
        "t",
        "stop",
        "the",
        "king",
        "s",
        "1984",
        "mp3",
        "player",
    ]
    assert words("$1,000.50 2nd co\u00adoperate") == ["1,000.50", "2nd", "cooperate"]
    assert words(unicodedata.normalize("NFD", "café")) == ["café"]
    assert words("ISPARTA İzmir", "tr") == ["ısparta", "izmir"]
    assert words("ΣΟΦΟΣ σοφοσ σοφος") == ["σοφος"] * 3


def test_batches_make_no_difference():
    whole = Tokeniser()
    parts = Tokeniser()
    together = whole.pieces(TEXTS)
    apart = [parts.pieces([text]) for text in TEXTS]
    for name in ("words", "starts", "stops", "lengths"):
        assert getattr(together, name).tolist() == [
            x for part in apart for x in getattr(part, name).tolist()
        ]
    assert list(whole.lexicon) == list(parts.lexicon)


def test_blocks_of_texts_make_no_difference(monkeypatch):
    whole = Tokeniser().pieces(TEXTS)
    monkeypatch.setattr("inference.text.tokenise.BLOCK", 10)
    assert all(np.array_equal(a, b) for a, b in zip(Tokeniser().pieces(TEXTS), whole, strict=True))


def test_more_words_than_have_a_number_are_refused(monkeypatch):
    """Raw writings have numbers, too, so there may be fewer words than these."""
    monkeypatch.setattr(table, "MOST_WORDS", 3_000)
    tokeniser = Tokeniser()
    tokeniser.pieces([" ".join(f"W{i}" for i in range(1_000))])
    with pytest.raises(Invalid, match="more than 3,000 different words"):
        tokeniser.pieces([" ".join(f"W{i}" for i in range(4_000))])


def test_tables_grow():
    words = [f"w{i}" for i in range(60_000)]
    tokeniser = Tokeniser()
    found = tokeniser.pieces([" ".join(words), " ".join(reversed(words)), "a " * 100_000])
    assert (
        found.words[:60_000].tolist()
        == list(range(60_000))
        == found.words[60_000:120_000][::-1].tolist()
    )
    assert set(found.words[120_000:].tolist()) == {60_000} and found.lengths.tolist() == [
        60_000,
        60_000,
        100_000,
    ]
    assert list(tokeniser.lexicon) == [*words, "a"]
    assert tokeniser.lexicon.find(["w5", "w59999", "none", "", "w", "a"]).tolist() == [
        5,
        59_999,
        -1,
        -1,
        -1,
        60_000,
    ]


def real_texts(folder):
    """(name, language, texts) of real corpora, a part of each."""
    csv.field_size_limit(sys.maxsize)
    for path in sorted(folder.glob("*/*.utf8*.csv.gz")):
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            rows = [row for row, _ in zip(csv.reader(file), range(60), strict=False)]
        language = path.parent.name[:2]
        yield (
            path.name,
            language if language in SEGMENTED else "",
            ["\n".join(row)[:3_000] for row in rows],
        )
    with gzip.open(
        folder / "gnome_help_multilang" / "gnome_help_15lang.csv.gz",
        "rt",
        encoding="utf-8",
        newline="",
    ) as file:
        yield "gnome", "", ["\n".join(row) for row in csv.reader(file)][::20]
    with zipfile.ZipFile(
        folder / "udhr_mixed_encodings" / "udhr_310lang_native_encodings.zip"
    ) as archive:
        texts = [
            archive.read(name).decode("utf-8", "replace")
            for name in archive.namelist()
            if name.endswith(".txt")
        ]
        yield "udhr", "", [io.StringIO(text).read()[:1_000] for text in texts]


def test_real_languages(corpora_folder):
    names = []
    for name, language, texts in real_texts(corpora_folder / "languages"):
        names.append(name)
        for text in texts:
            agree(text, language)
    assert len(names) >= 6


@pytest.mark.parametrize(
    ("language", "writings", "expected"),
    [
        ("ar", "كَتَبَ كتب ﻛﺘﺐ كتـــب", "كتب"),
        ("fa", "دانشجویان دانشجويان", "دانشجویان"),
        ("ar", "علی علي", "علي"),
        ("he", "בְּרֵאשִׁית בראשית", "בראשית"),
        ("he", 'צה"ל צה״ל צה”ל', "צה״ל"),
        ("uk", "об'єднання об’єднання обʼєднання Об'ЄДНАННЯ", "обʼєднання"),
        ("en", "paſſed passed PASSED ｐａｓｓｅｄ Ｐassed", "passed"),
        ("ja", "ガス ｶﾞｽ", "ガス"),
        ("ca", "paral·lel paral‧lel PARAL·LEL", "paral·lel"),
        ("de", "Mieter*innen Mieter:innen Mieter_innen MIETER*INNEN", "mieter*innen"),
        ("de", "Kund:in Kund*in", "kund*in"),
    ],
)
def test_one_word_is_one_word_however_it_is_written(language, writings, expected):
    assert [word for *_, word in Tokeniser(language).spans(writings)] == [expected] * len(
        writings.split()
    )


def test_texts_that_were_cut_before_are_cut_as_they_were():
    def words(text, language=""):
        return [word for *_, word in Tokeniser(language, rules=CutRules(cut=1)).spans(text)]

    assert words("об'єднання paſſed") == ["об", "єднання", "paſſed"]
    assert words("Mieter*innen", "de") == ["mieter", "innen"]
    assert words("كَتب") == ["كَتب"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Qur’an Qurʼan Qur'an", "Qur'an Qur'an Qur'an"),
        ("об’єкт об'єкт обʼєкт", "обʼєкт обʼєкт обʼєкт"),
        ("צ'ק צ’ק", "צ׳ק צ׳ק"),
        ("‘dogs’ of 1990’s", "‘dogs’ of 1990's"),
        ("cafe\u0301’s", "cafe\u0301's"),
    ],
)
def test_apostrophes_within_words_are_as_vocabularies_have_them(text, expected):
    assert fold_apostrophes(text) == expected and len(text) == len(expected)


def test_apostrophes_of_french_and_colons_of_english_divide_words():
    assert [w for *_, w in Tokeniser("fr").spans("l'homme d’été")] == ["l", "homme", "d", "été"]
    assert [w for *_, w in Tokeniser("en").spans("note:in it*in")] == ["note", "in", "it", "in"]
