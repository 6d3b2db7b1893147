"""Real corpora, in the encodings that old files really have."""

import pytest

from tests.webapp.intake.file_formats.reading import load, roles
from webapp.intake import file_formats
from webapp.intake.file_formats import parse_date


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("state_of_the_union.csv.gz", 8375, {"text": 5, "title": 1, "date": 2, "id": 0}),
        (
            "state_of_the_union_1914_2009.mallet.tsv.gz",
            9743,
            {"text": 2, "title": None, "date": 1, "id": 0},
        ),
        ("arxiv_senses.csv.gz", 4350, {"text": 5, "title": 1, "date": 2, "id": 0}),
        ("reuters21578.jsonl.gz", 18777, {"text": 5, "title": 1, "date": 2, "id": 0}),
    ],
)
def test_real_corpora(corpora_folder, name, count, expected):
    path = corpora_folder / name
    assert roles(file_formats.sniff(path, name).options) == expected
    documents, problems = load(path, name)
    assert len(documents) == count and not problems
    assert sum(parse_date(d.date) is not None for d in documents) > 0.99 * count


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("ja_wikinews/ja_wikinews_raw.shift_jis.csv.gz", {"cp932", "shift_jis"}),
        ("zh_poems/zh_poems.gb18030.csv.gz", {"gb18030"}),
        ("zh_poems/zh_poems.utf16be_nobom.csv.gz", {"utf-16-be"}),
        ("zh_poems/zh_poems.utf8bom.csv.gz", {"utf-8-sig"}),
        ("fr_novels/fr_novel_chapters.cp1252.csv.gz", {"cp1252"}),
        ("ar_classical/ar_plain.cp1256.csv.gz", {"cp1256"}),
    ],
)
def test_real_encodings(corpora_folder, name, encoding):
    path = corpora_folder / "languages" / name
    assert file_formats.sniff(path, path.name).options.encoding in encoding


@pytest.mark.parametrize(
    ("name", "count", "dropped"),
    [
        ("fr_novels/fr_novel_chapters.cp1252.csv.gz", 446, 0),
        ("fr_novels/fr_txt_latin1.zip", 60, 0),
        ("ar_classical/ar_plain.cp1256.csv.gz", 1200, 0),
        ("gnome_help_multilang/gnome_help_15lang.csv.gz", 3532, 0),
        ("ja_wikinews/ja_wikinews_raw.shift_jis.csv.gz", 300, 0),
        ("zh_poems/zh_poems.gb18030.csv.gz", 2280, 0),
        ("zh_poems/zh_poems.utf16be_nobom.csv.gz", 300, 0),
        ("zh_poems/zh_poems.big5.csv.gz", 300, 0),
        ("udhr_mixed_encodings/udhr_310lang_native_encodings.zip", 335, 0),
    ],
)
def test_real_languages(corpora_folder, name, count, dropped):
    path = corpora_folder / "languages" / name
    documents, problems = load(path, path.name)
    assert len(documents) == count and sum(p.dropped for p in problems) == dropped
