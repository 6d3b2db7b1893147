"""Words of scripts without spaces, and of Korean: real sentences, and text that wants to break
it."""

import csv
import gzip
import sys
import threading
import time
import unicodedata

import numpy as np
import pytest

from inference.errors import Invalid
from inference.text.segment import BLOCK, SEGMENTED, segmenter

SENTENCES = {
    "zh": (
        "中华人民共和国成立于一九四九年,首都北京。ABC公司在上海。",
        "中华人民共和国|成立|于|一九四九年|首都北京|公司|在|上海",
    ),
    "zh traditional": (
        "北京是中華人民共和國的首都，經濟發展與環境保護。",
        "北京|是|中華|人民|共和國|的|首都|經濟|發展|與|環境|保護",
    ),
    "ja": (
        "学生は図書館でコンピューターを使う。2006年",
        "学生|は|図書館|で|コンピューター|を|使う|年",
    ),
    "th": ("ประเทศไทยเป็นประเทศในเอเชีย English", "ประเทศไทย|เป็น|ประเทศ|ใน|เอเชีย"),
    "lo": ("ພາສາລາວເປັນພາສາ", "ພາສາ|ລາວ|ເປັນ|ພາສາ"),
    "km": ("ភាសាខ្មែរគឺជាភាសា", "ភាសាខ្មែរ|គឺជា|ភាសា"),
    "my": ("မြန်မာနိုင်ငံ၏ရုံးသုံး", "မြန်မာနိုင်ငံ|ရုံးသုံး"),
    "ko": (
        "대한민국의 수도는 서울이며, 학생들은 책을 읽었습니다.",
        "대한민국|의|수도|는|서울|이며|학생|들|은|책|을|읽|었|습니다",
    ),
    "ko the particle that the dictionary lacks": (
        "기능이 국민이 종이 와이파이",
        "기능|이|국민|이|종이|와이파이",
    ),
}


def words(language: str, text: str) -> list[str]:
    """What stands between one place and the next, without what is no letter."""
    bounds = [*segmenter(language)(text).tolist(), len(text)]
    pieces = (text[first:last] for first, last in zip(bounds, bounds[1:], strict=False))
    kept = (
        "".join(c for c in piece if unicodedata.category(c)[0] in "LM" and not c.isascii())
        for piece in pieces
    )
    return [word for word in kept if word]


@pytest.mark.parametrize("name", SENTENCES)
def test_sentences(name):
    text, expected = SENTENCES[name]
    assert words(name[:2], text) == expected.split("|")
    decomposed = unicodedata.normalize("NFD", text)
    assert [
        unicodedata.normalize("NFC", word) for word in words(name[:2], decomposed)
    ] == expected.split("|")


def test_japanese_news_are_cut_nearly_as_a_dictionary_of_japanese_would(corpora_folder):
    """Against MeCab, of places within runs of Japanese characters."""
    csv.field_size_limit(10**8)
    path = corpora_folder / "languages" / "ja_wikinews" / "ja_wikinews_segmented.utf8.csv.gz"
    right = found = wanted = 0
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row, _ in zip(csv.DictReader(file), range(200), strict=False):
            pieces = row["text"].split()
            text = "".join(pieces)
            ends = np.cumsum([len(piece) for piece in pieces])
            japanese = {
                i
                for i in range(1, len(text))
                if all(
                    "\u3005" <= c <= "\u9fff" and c not in "「」『』。、〜"
                    for c in text[i - 1 : i + 1]
                )
            }
            gold = set(ends.tolist()) & japanese
            ours = set(segmenter("ja")(text).tolist()) & japanese
            right = right + len(gold & ours)
            found = found + len(ours)
            wanted = wanted + len(gold)
    assert wanted > 30_000 and right / found > 0.9 and right / wanted > 0.92


def test_words_of_a_newer_topograph_are_not_cut_otherwise():
    with pytest.raises(Invalid, match="newer Topograph"):
        segmenter("th", 99)


def test_only_the_scripts_of_the_language_are_cut():
    assert segmenter("fr") is None and segmenter("") is None
    for language in SEGMENTED:
        found = segmenter(language)("Nothing of it here: été, Москва, 12 🙂")
        assert found.dtype == np.int32 and not len(found)
    assert segmenter("zh")("Paris北京Rome").tolist() == [5, 7]
    assert segmenter("zh")("🙂🙂北京 葛\U000e0100城").tolist() == [2, 4, 5, 7]


@pytest.mark.parametrize("language", sorted(SEGMENTED))
def test_a_megabyte_without_a_space(language):
    text = SENTENCES[language][0].split(",")[0].replace(" ", "") * 60_000
    started = time.perf_counter()
    places = segmenter(language)(text)
    assert time.perf_counter() - started < 20
    assert (
        len(text) > 600_000
        and places[0] == 0
        and places[-1] < len(text)
        and (np.diff(places) > 0).all()
    )
    assert len(places) > 60_000
    for one in ("ก", "가", "国", "あ", "ក", "ກ", "က"):
        assert len(segmenter(language)(one * 200_000)) <= 200_000


@pytest.mark.parametrize("language", sorted(SEGMENTED))
def test_text_that_no_library_takes(language):
    sentence = SENTENCES[language][0]
    for text in (
        "",
        "\0",
        "\ud800",
        f"\ud800{sentence}\udfff\0\x07\u200b{sentence}",
        "\u202e" + sentence,
        "\u3099" * 50,
        sentence + "\U0010ffff",
    ):
        places = segmenter(language)(text)
        assert all(0 <= place < len(text) for place in places)
    broken = f"\ud800 {sentence}"
    assert (segmenter(language)(broken) == segmenter(language)(sentence) + 2).all()


def test_blocks_change_nothing():
    """A text of many sentences has the places of its sentences, wherever it is cut for the
    libraries."""
    for language in sorted(SEGMENTED):
        sentence = SENTENCES[language][0] + " ! "
        alone = segmenter(language)(sentence)
        copies = 2 * BLOCK // len(sentence)
        expected = (alone + len(sentence) * np.arange(copies)[:, None]).ravel()
        assert np.array_equal(segmenter(language)(sentence * copies), expected), language


def test_threads():
    results = {language: [] for language in SEGMENTED}

    def work():
        for language in SEGMENTED:
            results[language].append(segmenter(language)(SENTENCES[language][0] * 50).tolist())

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(found) == 6 and found.count(found[0]) == 6 for found in results.values())


def test_libraries_are_loaded_only_when_they_are_needed():
    import subprocess

    code = (
        "import sys; from inference.text.segment import segmenter; segmenter('ko')('Plain words');"
        " segmenter('zh')('été');assert not {'icu4py', 'rjieba', 'lindera'} & set(sys.modules);"
        " segmenter('th')('ไทย'); assert not {'rjieba', 'lindera'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
