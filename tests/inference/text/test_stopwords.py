"""Stop words: every list is usable by the tokeniser, and those of cut languages hold what the
segmenter cuts off."""

import unicodedata

import pytest

from inference.text import LANGUAGES, stop_words
from inference.text.segment import SEGMENTED, segmenter


def cut(language: str, text: str) -> list[str]:
    bounds = [*segmenter(language)(text).tolist(), len(text)]
    return [
        text[first:last].strip(" .。，、") for first, last in zip(bounds, bounds[1:], strict=False)
    ]


def test_lists_are_of_words():
    with_list = [language for language in LANGUAGES if stop_words(language)]
    assert len(with_list) >= 58 and SEGMENTED <= set(LANGUAGES)
    for language in with_list:
        words = stop_words(language)
        assert len(words) >= 25, language
        for word in words:
            assert word == unicodedata.normalize("NFC", word.lower()) and " " not in word, (
                language,
                word,
            )
            assert any(c.isalpha() for c in word), (language, word)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "le la les de l d qu est dans"),
        ("de", "der die das und ist nicht"),
        ("ru", "и в не на что"),
        ("ar", "في من على هذا"),
        ("tr", "ve bir için"),
        ("it", "della l un il"),
        ("hi", "है के में"),
        ("el", "και το είναι"),
        ("vi", "và của là"),
    ],
)
def test_common_words_are_in(language, words):
    assert set(words.split()) <= stop_words(language)


def test_none_and_unknown():
    assert stop_words("") == stop_words("is") == frozenset()
    with pytest.raises(KeyError):
        stop_words("tlh")


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("zh", "我们的经济和他们的文化因为这个问题而不同", "经济 文化 问题 不同"),
        ("zh", "我們的經濟和他們的文化因為這個問題而不同", "經濟 文化 問題 不同"),
        ("ja", "東京で学生が本を読んでいる。しかし、これは問題である。", "東京 学生 本 読 問題"),
        (
            "ko",
            "학생들은 도서관에서 책을 읽었습니다. 국민이 정부를 비판하였다.",
            "학생 도서관 책 읽 국민 정부 비판",
        ),
    ],
)
def test_what_is_left_of_sentences(language, text, left):
    assert [
        word for word in cut(language, text) if word and word not in stop_words(language)
    ] == left.split()


def test_traditional_chinese_has_the_same_words():
    words = stop_words("zh")
    for simplified, traditional in (
        ("为了", "為了"),
        ("这个", "這個"),
        ("他们", "他們"),
        ("关于", "關於"),
        ("虽然", "雖然"),
        ("什么", "什麼"),
        ("与", "與"),
    ):
        assert {simplified, traditional} <= words


def test_arabic_words_with_and_without_vowels():
    assert {"حَبَّذَا", "حبذا"} & stop_words("ar") >= {"حبذا"}
