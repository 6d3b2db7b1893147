"""Fields from names of folders and files, whatever these names are."""

import time

import pytest

from inference.errors import Invalid
from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping import Pattern, Shaping, shape
from webapp.intake.ingest.shaping.file_name_fields import path, stem


def fields(file: str, tmp_path, **options) -> dict:
    document = next(
        iter(
            shape(
                [Document("text", file=file, metadata=options.pop("metadata", {}))],
                Shaping(**options),
                tmp_path,
            )
        )
    )
    return document.metadata


def test_folders_and_file(tmp_path):
    assert fields("letters/1901/boston_adams.txt", tmp_path, names=True) == {
        "folder 1": "letters",
        "folder 2": "1901",
        "file": "boston_adams",
    }
    assert fields("a.zip/letters/x.txt.gz", tmp_path, names=True) == {
        "archive": "a",
        "folder 1": "letters",
        "file": "x",
    }
    assert fields("a.zip/b.tar.gz/x.txt", tmp_path, names=True) == {"archive": "b", "file": "x"}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("../../etc/passwd", ("etc", "passwd")),
        ("C:\\texts\\a.txt", ("C:", "texts", "a.txt")),
        ("/a//b/./c.txt", ("a", "b", "c.txt")),
        ("a/\x00b\u202e.txt", ("a", "b.txt")),
        ("", ("",)),
        ("///", ("",)),
        ("d/" * 40 + "x.txt", ("d",) * 16 + ("x.txt",)),
    ],
)
def test_hostile_names_are_only_names(tmp_path, file, expected):
    where = path(file)
    assert (*where.folders, where.file) == expected
    fields(file, tmp_path, names=True, pattern="{a}_{b}")


def test_endings():
    names = {
        "a.b.txt": "a.b",
        "a.txt.gz": "a",
        "St. Louis": "St. Louis",
        ".htaccess": ".htaccess",
        "a": "a",
        "x.GZ": "x",
    }
    assert {name: stem(name) for name in names} == names


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("{year}_{author}.txt", "1901_adams_john.txt", {"year": "1901", "author": "adams_john"}),
        ("{year}_{author}", "1901_adams.txt", {"year": "1901", "author": "adams.txt"}),
        ("{year}_{author}.xml", "1901_adams.txt", None),
        (
            "{place}/{year}/{}_{author}.txt",
            "x/boston/1901/3_adams.txt",
            {"place": "boston", "year": "1901", "author": "adams"},
        ),
        ("{place}/{year}/{author}.txt", "1901/adams.txt", None),
        ("letter-{number}.txt", "letter-.txt", None),
        ("letter-{number}.txt", "letter-7.txt", {"number": "7"}),
        ("{a}--{b}.txt", "1---2.txt", {"a": "1", "b": "-2"}),
        ("{a}.{b}", "y.x", {"a": "y", "b": "x"}),
        (
            "{Jahr der Ausgabe} ({Ort}).txt",
            "1901 (Köln).txt",
            {"Jahr der Ausgabe": "1901", "Ort": "Köln"},
        ),
        ("(.*)+{a}[x]$", "(.*)+1[x]$", {"a": "1"}),
        ("fixed/{a}.txt", "other/1.txt", None),
        ("fixed/{a}.txt", "fixed/1.txt", {"a": "1"}),
    ],
)
def test_patterns(pattern, name, expected):
    assert Pattern(pattern).match(path(name)) == expected


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a.txt",
        "{}",
        "{a",
        "a}",
        "{a}{b}",
        "{a}_{a}",
        "{a{b}}",
        "{a}/}",
        "{" * 300,
        "{" + "x" * 200 + "}",
    ],
)
def test_what_is_no_pattern_is_said(pattern):
    with pytest.raises(Invalid) as caught:
        Pattern(pattern)
    assert caught.value.field == "pattern"


def test_a_long_name_takes_no_time():
    began = time.monotonic()
    Pattern("_".join(f"{{p{i}}}" for i in range(60)) + "x").match(path("_" * 60_000))
    assert time.monotonic() - began < 1


def test_a_pattern_makes_dates_titles_and_ids(tmp_path):
    options = Shaping(pattern="{year}-{month}-{day} {title} [{id}].txt")
    document = next(
        iter(
            shape([Document("text", "old", file="1901-02-03 To Adams [17].txt")], options, tmp_path)
        )
    )
    assert (document.title, document.date, document.source_id) == ("To Adams", "1901-02-03", "17")
    assert document.metadata == {"year": "1901", "month": "02", "day": "03"}


def test_the_pattern_counts_before_the_document_and_that_before_folders(tmp_path):
    found = fields(
        "x/1901.txt",
        tmp_path,
        metadata={"year": "1800", "file": "own"},
        names=True,
        pattern="{year}.txt",
    )
    assert found == {"folder 1": "x", "file": "own", "year": "1901"}


def test_names_unlike_the_pattern_are_counted(tmp_path):
    items = [Document("t", file=f"{name}.txt") for name in ("1_a", "b", "c", "2_d")]
    *documents, problem = shape(items, Shaping(pattern="{n}_{x}.txt"), tmp_path)
    assert [document.metadata.get("n") for document in documents] == ["1", None, None, "2"]
    assert (
        isinstance(problem, Problem)
        and "b.txt" in problem.message
        and "1 other" in problem.message
        and not problem.dropped
    )


@pytest.mark.parametrize(
    ("file", "date", "evidence"),
    [
        ("letters/1901/boston.txt", "1901", "folder"),
        ("letters/1901/boston 1902-05-03.txt", "1902-05-03", "name"),
        ("1901/05/03/boston.txt", "1901-05-03", "folder"),
        ("May 1901/boston.txt", "1901-05", "folder"),
        ("export-2024-05-01/boston.txt", "3 May 1890", "lines"),
        ("boston.txt", "3 May 1890", "lines"),
    ],
)
def test_what_a_date_is_from(tmp_path, file, date, evidence):
    """The name, then the folders, then the first lines; when somebody packed the files is none."""
    text = "London, 3 May 1890\nDear friend"
    [found] = shaped(tmp_path, Document(text, file=file, made="2024-01-01"), dated="dmy", made=True)
    assert (found.date, found.dated) == (date, evidence)


def test_when_a_file_was_made_is_its_date_only_where_that_is_chosen(tmp_path):
    document = Document("text", file="a.pdf", made="2024-01-01")
    [left] = shaped(tmp_path, document)
    [taken] = shaped(tmp_path, document, made=True)
    [own] = shaped(tmp_path, Document("text", date="1890", file="a.pdf", made="2024"), made=True)
    assert (left.date, left.dated) == ("", "")
    assert (taken.date, taken.dated) == ("2024-01-01", "made")
    assert (own.date, own.dated) == ("1890", "")


def shaped(tmp_path, *documents: Document, **options) -> list[Document]:
    return list(shape(documents, Shaping(**options), tmp_path))


def test_the_last_folder_is_a_field_unless_the_document_has_one(tmp_path):
    texts = ["business/001.txt", "news.zip/bbc/sport/002.txt", "003.txt"]
    plain = shaped(tmp_path, *(Document("text", file=file) for file in texts))
    assert [document.metadata for document in plain] == [
        {"folder": "business"},
        {"folder": "sport"},
        {},
    ]
    [own] = shaped(tmp_path, Document("text", file="a/b.txt", metadata={"folder": "mine"}))
    assert own.metadata == {"folder": "mine"}
    assert fields("a/b/x.txt", tmp_path, names=True) == {
        "folder 1": "a",
        "folder 2": "b",
        "file": "x",
    }


def test_a_file_whose_name_is_a_number_has_its_first_line_for_a_title(tmp_path):
    text = "\n 17 \nAd sales boost Time Warner profit\n\nQuarterly profits at US media giant"
    long = "word " * 40
    titles = [
        document.title
        for document in shaped(
            tmp_path,
            Document(text, "001", file="001.txt"),
            Document(text, "letter 1", file="letter 1.txt"),
            Document(long, "2-3", file="2-3.txt"),
            Document("12 13", "4", file="4.txt"),
            Document(text, "7", file="a.csv", place="row 2"),
        )
    ]
    assert titles == [
        "Ad sales boost Time Warner profit",
        "letter 1",
        f"{('word ' * 16).strip()} …",
        "4",
        "7",
    ]


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("1901_adams", "1901"),
        ("letter 1984-3-02", "1984-03-02"),
        ("10Apr2006Clinton568", "2006-04-10"),
        ("10-Apr-2006", "2006-04-10"),
        ("10_Apr_2006_x", "2006-04-10"),
        ("02Feb2005_1", "2005-02-02"),
        ("letter 3 mai 1890", "1890-05-03"),
        ("3-de-mayo-de-1890", "1890-05-03"),
        ("Speech on 12th of March 2001", "2001-03-12"),
        ("May-3-1968", "1968-05-03"),
        ("1968-May-3", "1968-05-03"),
        ("April 2006", "2006-04"),
        ("31.12.1999 brief", "1999-12-31"),
        ("31-12-1999", "1999-12-31"),
        ("03-04-1999 x", "1999"),
        ("20190503123000", "2019-05-03"),
        ("report_2019-Q3", "2019-07"),
        ("data_set_1999", "1999"),
        ("report_2006_2", "2006"),
        ("report 1850-1860", ""),
        ("IMG_20170304", "2017-03-04"),
        ("minutes 1999_05", "1999-05"),
        ("1850", ""),
        ("pep-0484", ""),
        ("from 1900 to 1999", ""),
        ("20171399x", ""),
        ("room 12345", ""),
    ],
)
def test_dates_in_names(tmp_path, name, date):
    own, row, plain = shaped(
        tmp_path,
        Document("text", date="1777", file=f"{name}.txt"),
        Document("text", file=f"{name}.txt", place="row 3"),
        Document("text", file=f"{name}.txt"),
    )
    assert (own.date, row.date, plain.date) == ("1777", "", date)
