"""Long documents cut: nothing is lost, sections are as long as was asked, and what can't be cut is
said."""

import random
import time
import tracemalloc

import pytest

from tests.webapp.intake.ingest.shaping import naive
from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping import Shaping, shape
from webapp.intake.ingest.shaping.sections import MOST_SECTIONS, word_starts

SCRIPTS = [
    "word ",
    "été ",
    "слово ",
    "中文字",
    "ひらがな",
    "ภาษาไทย",
    "မြန်မာ",
    "ភាសា",
    "𠀀𠀁",
    "한국어 ",
    "\u2003",
    "\u3000",
    "\n",
    "\n \n",
    "\r\n",
    ". ",
    "。",
    "\x85",
    "x" * 50,
]


def made(seed: int, pieces: int = 400) -> str:
    draw = random.Random(seed)
    return "".join(draw.choice(SCRIPTS) for _ in range(pieces))


def cut(text: str, tmp_path, headings: tuple = (), title: str = "Book", **options) -> list:
    return list(
        shape(
            [Document(text, title, headings=headings, place="row 1")], Shaping(**options), tmp_path
        )
    )


@pytest.mark.parametrize("seed", range(20))
def test_words_begin_where_the_naive_twin_finds_them(seed, monkeypatch):
    monkeypatch.setattr("webapp.intake.ingest.shaping.sections.BLOCK", 64)
    text = made(seed)
    assert word_starts(text).tolist() == naive.word_starts(text)


def test_nothing_has_no_words():
    assert word_starts("").tolist() == [] and word_starts(" \n").tolist() == []


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "options",
    [
        {"sections": "words", "length": 60},
        {"sections": "pages", "length": 2},
        {"sections": "paragraphs", "least": 20},
        {"sections": "headings", "least": 9},
    ],
)
def test_the_sections_are_the_text(tmp_path, seed, options):
    draw = random.Random(seed)
    text = made(seed, 2000).replace("\x85", draw.choice(["\f", "\n# Heading\n"]))
    found = cut(text, tmp_path, **options)
    documents = [item for item in found if isinstance(item, Document)]
    assert "".join(document.text for document in documents) == text
    assert [document.part for document in documents] == list(range(1, len(documents) + 1))
    assert {document.parts for document in documents} == {len(documents)}
    assert len(documents) > 1 or isinstance(found[-1], Problem)


def test_sections_of_words_are_of_one_length_and_end_with_sentences(tmp_path):
    draw = random.Random(1)
    text = " ".join(
        " ".join("abcdefgh"[: draw.randint(1, 8)] for _ in range(draw.randint(5, 25))) + "."
        for _ in range(1000)
    )
    found = cut(text, tmp_path, sections="words", length=1000)
    lengths = [len(document.text.split()) for document in found]
    assert len(found) == round(len(text.split()) / 1000) and all(850 <= n <= 1150 for n in lengths)
    assert all(document.text.endswith(". ") for document in found[:-1])
    assert [document.title for document in found[:2]] == ["Book · 1", "Book · 2"]
    assert found[1].place == "row 1, section 2" and found[1].whole == "Book"


def test_a_paragraph_s_end_is_before_a_sentence_s(tmp_path):
    sentence = "one two three four five. "
    text = (sentence * 19 + "one two three four five.\n\n") + sentence * 22
    found = cut(text, tmp_path, sections="words", length=100)
    assert len(found) == 2 and found[0].text.endswith(".\n\n")


def test_chinese_is_cut_where_a_sentence_ends(tmp_path):
    text = "天地玄黃宇宙洪荒。" * 200
    found = cut(text, tmp_path, sections="words", length=100)
    assert len(found) == 8 and all(document.text.endswith("。") for document in found)


def test_short_documents_are_left_as_they_are(tmp_path):
    document = Document("one two three", "Book")
    assert list(shape([document], Shaping(sections="words"), tmp_path)) == [document]
    assert document.part == document.parts == 1


def test_pages(tmp_path):
    pages = [f"Page {n}." for n in range(1, 26)]
    found = cut("\f".join(pages) + "\f", tmp_path, sections="pages")
    assert [document.title for document in found] == [
        "Book · pages 1–10",
        "Book · pages 11–20",
        "Book · pages 21–25",
    ]
    assert found[1].text == "\f".join(pages[10:20]) + "\f"
    assert cut("\f".join(pages), tmp_path, sections="pages", length=1)[24].title == "Book · page 25"


def test_what_has_no_pages_is_counted(tmp_path):
    items = [Document("a", "A"), Document("b\fc", "B"), Document("d", "D"), Document("e", "E")]
    *documents, problem = shape(items, Shaping(sections="pages", length=1), tmp_path)
    assert [document.title for document in documents] == ["A", "B · page 1", "B · page 2", "D", "E"]
    assert (
        "“A” has no marks where pages end" in problem.message
        and "have 2 more" in problem.message
        and not problem.dropped
    )


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least", [0, 1, 7, 40, 10_000])
def test_paragraphs_as_the_naive_twin(tmp_path, seed, least):
    draw = random.Random(seed)
    text = (
        "".join(draw.choice(["a ", "bb ", "c\n", "\n\n", "\n \t\n", "dd. "]) for _ in range(400))
        + "end"
    )
    expected = naive.long_enough(naive.paragraphs(text), least)
    assert [
        document.text for document in cut(text, tmp_path, sections="paragraphs", least=least)
    ] == expected


def test_headings_of_the_file_of_markdown_and_of_one_s_own(tmp_path):
    body = "word " * 60
    text = (
        f"{body}\nLoomings\n{body}\n## The Spouter  Inn\n{body}\nCHAPTER 3. The Counterpane\n{body}"
    )
    found = cut(
        text, tmp_path, headings=(text.index("Loomings"),), sections="headings", marker="CHAPTER"
    )
    assert [document.title for document in found] == [
        "Book · 1",
        "Book · Loomings",
        "Book · The Spouter Inn",
        "Book · CHAPTER 3. The Counterpane",
    ]
    assert {document.whole for document in found} == {"Book"}


def test_a_table_of_contents_is_no_chapters(tmp_path):
    """Headings with little between them belong to the next one that has a text, and the last ones
    to the chapter before."""
    body = "word " * 60
    text = (
        f"Title page\nCHAPTER 1\nCHAPTER 2\n\nCHAPTER 1\n{body}\nCHAPTER 2\n{body}\nCHAPTER of"
        " thanks\nThank you."
    )
    found = cut(text, tmp_path, sections="headings", marker="CHAPTER")
    assert [document.title for document in found] == ["Book · CHAPTER 1", "Book · CHAPTER 2"]
    assert found[1].text.endswith("Thank you.")


def test_sections_of_a_text_without_a_title_have_their_headings_as_titles(tmp_path):
    text = "CHAPTER 1\n" + "word " * 60 + "\nCHAPTER 2\n" + "word " * 60
    found = cut(text, tmp_path, title="", sections="headings", marker="CHAPTER")
    assert [document.title for document in found] == ["CHAPTER 1", "CHAPTER 2"]
    found = cut("word " * 300, tmp_path, title="", sections="words", length=50)
    assert len(found) > 2 and not any(document.title for document in found)


def test_a_book_without_headings_is_whole_and_said(tmp_path):
    document, problem = cut("word " * 500, tmp_path, sections="headings")
    assert document.parts == 1 and "no headings" in problem.message


def test_hostile_headings_and_titles(tmp_path):
    text = "# " + "<script>" * 1000 + "\n" + "word " * 60 + "\n#\u202e " + "\n# x\n" + "word " * 60
    found = cut(text, tmp_path, headings=(-5, 10**9, 0), title="T" * 500, sections="headings")
    assert all(len(document.title) <= 500 for document in found) and len(found) == 2
    assert "".join(document.text for document in found) == text


@pytest.mark.parametrize(
    "text",
    [
        "\f" * 300_000,
        "a\n\n" * 300_000,
        "\n# a" * 300_000,
        "a. " * 6_000_000,
        " " * 1_000_000,
        "\n" * 1_000_000,
        "." * 1_000_000,
        "#" * 1_000_000,
    ],
)
@pytest.mark.parametrize(
    ("sections", "length"), [("words", 50), ("pages", 1), ("paragraphs", 0), ("headings", 0)]
)
def test_no_text_takes_long_or_gives_more_sections_than_can_be_kept(
    tmp_path, text, sections, length
):
    began = time.monotonic()
    found = cut(text, tmp_path, sections=sections, length=length, least=0)
    documents = [item for item in found if isinstance(item, Document)]
    assert (
        "".join(document.text for document in documents) == text and len(documents) <= MOST_SECTIONS
    )
    assert time.monotonic() - began < 20


def test_memory_is_that_of_one_document(tmp_path):
    """80 MB of text, of which a document's and its sections' are held at a time."""
    text = "word and word, and another word.\n\n" * 150_000  # 5 MB

    def documents():
        for number in range(16):
            yield Document(text, str(number))

    tracemalloc.start()
    count = sum(
        document.part == document.parts
        for document in shape(documents(), Shaping(sections="words"), tmp_path)
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 16 and peak < 30e6
