"""A table about the files: which file it is, which row is whose, and what has no match."""

import csv
import io
import random
import tracemalloc

import pytest

from inference.errors import Invalid
from tests.bad_input import member, tarred, zipped
from tests.webapp.intake.ingest.shaping import naive
from webapp.intake import file_formats
from webapp.intake.file_formats import Document, Problem, Unreadable
from webapp.intake.ingest.shaping import Shaping, guess_table, shape, upload_with_table
from webapp.intake.ingest.shaping.table import UploadedTable


def stored(tmp_path, rows: list[list[str]], name: str = "meta.csv"):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t" if name.endswith("tsv") else ",").writerows(rows)
    path = tmp_path / "000001"
    path.write_text(buffer.getvalue(), encoding="utf-8")
    return path, name


def joined(
    tmp_path, rows, files, key="file", ids=None, name="meta.csv"
) -> tuple[list[Document], list[Problem]]:
    path, name = stored(tmp_path, rows, name)
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    items = [
        Document("text", "old", file=file, source_id=(ids or files)[i], metadata={"own": "1"})
        for i, file in enumerate(files)
    ]
    found = list(shape(items, Shaping(table=name, key=key), folder, (path, name)))
    assert list(folder.iterdir()) == []
    return [i for i in found if isinstance(i, Document)], [
        i for i in found if isinstance(i, Problem)
    ]


HEADER = ["file", "title", "year", "place"]


@pytest.mark.parametrize("name", ["meta.csv", "meta.tsv"])
@pytest.mark.parametrize(
    ("row", "file"),
    [
        ("x.txt", "x.txt"),
        ("x", "x.txt"),
        ("x.txt", "letters/1901/x.txt"),
        ("1901/x", "letters/1901/x.txt"),
        ("/home/me/letters/1901/x.txt", "1901/x.txt"),
        ("C:\\letters\\x.txt", "x.txt"),
        ("x.pdf", "x.txt"),
        ("X.TXT", "a.zip/x.txt"),
        ("./x.txt", "x.txt.gz"),
        ("Köln.txt", "Ko\u0308ln.txt"),
    ],
)
def test_names_with_or_without_folders_and_endings(tmp_path, row, file, name):
    documents, problems = joined(
        tmp_path,
        [HEADER, [row, "To Adams", "1901", "Boston"], ["other", "Other", "1902", "Rome"]],
        [file],
        name=name,
    )
    assert documents[0].title == "To Adams" and documents[0].date == "1901"
    assert (
        documents[0].metadata == {"own": "1", "place": "Boston"} and documents[0].source_id == file
    )
    assert [problem.message for problem in problems] == [
        f"“{name}”, row 2 (line 3): no document is named “other”."
    ]


@pytest.mark.parametrize("seed", range(10))
def test_as_the_naive_twin(tmp_path, seed):
    draw = random.Random(seed)
    some = [f"{draw.choice(['', 'a/', 'b/', 'c/a/'])}{n}.txt" for n in range(30)]
    files = draw.sample(some, 20)
    values = draw.sample(some, 20)
    documents, problems = joined(
        tmp_path, [["file", "place"]] + [[value, f"of {value}"] for value in values], files
    )
    for document in documents:
        expected = [value for value in values if naive.names_the_same(value, document.file)]
        assert (
            document.metadata.get("place") in [f"of {value}" for value in expected]
            or not expected
            and "place" not in document.metadata
        )
    unmatched = sum(
        not any(naive.names_the_same(value, file) for value in values) for file in files
    )
    unused = sum(not any(naive.names_the_same(value, file) for file in files) for value in values)
    assert len(problems) == unmatched + unused and not any(problem.dropped for problem in problems)


def test_other_folders_are_other_files(tmp_path):
    rows = [HEADER, ["1901/report", "A", "", ""], ["1902/report", "B", "", ""]]
    documents, _ = joined(
        tmp_path, rows, ["1902/report.txt", "1903/report.txt", "x/1901/report.txt"]
    )
    assert [document.title for document in documents] == ["B", "old", "A"]


def test_by_id(tmp_path):
    rows = [["doi", "journal"], ["10.1/AB", "J"], ["10.1/c", "K"]]
    documents, problems = joined(
        tmp_path, rows, ["texts.csv", "texts.csv"], key="doi", ids=["10.1/ab", "10.1/x"]
    )
    assert documents[0].metadata["journal"] == "J" and "journal" not in documents[1].metadata
    assert [problem.message for problem in problems] == [
        "“10.1/x” is in no row of the table “meta.csv”.",
        "“meta.csv”, row 2 (line 3): no document is named “10.1/c”.",
    ]


def test_a_name_that_comes_twice_and_one_that_is_empty(tmp_path):
    rows = [HEADER, ["x.txt", "A", "", ""], ["x.txt", "B", "", ""], ["", "C", "", ""]]
    documents, problems = joined(tmp_path, rows, ["x.txt"])
    assert documents[0].title == "A"
    assert (
        "named before" in problems[0].message
        and "row 3" in problems[1].message
        and not problems[1].dropped
    )


def test_problems_are_counted_beyond_the_first(tmp_path):
    rows = [["file", "place"]] + [[f"r{n}", "x"] for n in range(500)]
    _, problems = joined(tmp_path, rows, [f"d{n}.txt" for n in range(350)])
    assert len(problems) == 202
    assert problems[100].message.startswith("… and 250 more documents") and problems[
        201
    ].message.startswith("… and 400 more rows")


def packed(tmp_path, kind: str, name: str = "a"):
    """Two letters and a table about them in an archive."""
    content = {
        "letters/boston.txt": b"words of boston",
        "meta/about.csv": b"file,place\nboston,Boston\nrome.txt,Rome\n",
        "letters/rome.txt": b"words of rome",
    }
    path = tmp_path / name
    made = (
        zipped(*content.items())
        if kind == "zip"
        else tarred(*((member(n), data) for n, data in content.items()))
    )
    path.write_bytes(made)
    return [(path, f"a.{kind}")]


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_a_table_in_an_archive(tmp_path, kind):
    files = packed(tmp_path, kind)
    found = guess_table(files)
    assert found == (f"a.{kind}/meta/about.csv", "file", 2, 2, 2, 2, 2)
    items = file_formats.read(*files[0], file_formats.sniff(*files[0]).options)
    assert upload_with_table(files, found.name) == files[0]
    shaped = list(shape(items, Shaping(table=found.name, key=found.key), tmp_path, files[0]))
    assert [(document.text, document.metadata) for document in shaped] == [
        ("words of boston", {"place": "Boston"}),
        ("words of rome", {"place": "Rome"}),
    ]
    with pytest.raises(file_formats.Unreadable, match="does not hold"):
        list(shape([], Shaping(table=f"a.{kind}/other.csv", key="file"), tmp_path, files[0]))


def test_what_is_neither_document_nor_problem_is_handed_on(tmp_path):
    path, name = stored(tmp_path, [HEADER, ["a", "A", "", ""], ["b", "B", "", ""]])
    options = Shaping(table=name, key="file", names=True, join=("place",), sections="words")
    assert (
        list(shape(["else", Document("of it", file=name)], options, tmp_path, (path, name)))[0]
        == "else"
    )


def test_a_column_that_is_not_there(tmp_path):
    path, name = stored(tmp_path, [HEADER, ["a", "b", "c", "d"]])
    with pytest.raises(Invalid, match="no column “nothing”"):
        next(shape([], Shaping(table=name, key="nothing"), tmp_path, (path, name)))
    with pytest.raises(Invalid, match="not among the files"):
        next(
            shape(
                [],
                Shaping(table="other.csv", key="file"),
                tmp_path,
                upload_with_table([(path, name)], "other.csv"),
            )
        )


def test_hostile_names_are_data(tmp_path):
    hostile = [
        "'; DROP TABLE row; --.txt",
        "../../x.txt",
        "%00.txt",
        "{a}.txt",
        "<script>.txt",
        "a" * 5000 + ".txt",
        "/" * 3000 + "y.txt",
    ]
    rows = [["file", "place"]] + [[name, str(i)] for i, name in enumerate(hostile)]
    documents, problems = joined(tmp_path, rows, hostile)
    assert [document.metadata["place"] for document in documents] == [
        str(i) for i in range(len(hostile))
    ] and not problems


def test_the_table_is_guessed(tmp_path):
    path, name = stored(
        tmp_path,
        [["no", "datei", "ort"], ["1", "a", "Rom"], ["2", "b.txt", "Köln"], ["3", "gone", "Wien"]],
    )
    text = tmp_path / "text"
    text.write_text("some words")
    files = [(text, "letters/a.txt"), (path, name), (text, "letters/b.txt")]
    assert guess_table(files) == ("meta.csv", "datei", 2, 3, 2, 2, 2)
    assert guess_table(files[:1] + files[2:]) is None
    assert guess_table(files[1:2]) is None, "a table alone is about no others"
    assert guess_table([files[1], (text, "c.txt")]) is None
    assert guess_table([]) is None


ZOTERO = [
    ["Key", "Publication Year", "Author", "Title", "Abstract Note", "Date", "Date Added"]
    + ["File Attachments"],
    ["AB12CD34", "2010", "Smith, Jane", "On ships", "Ships of the old navy.", "2010-05-01"]
    + ["2024-01-02 10:00:00", "/home/j/Zotero/storage/QQ/On ships - 2010.txt; /home/j/page.html"],
    ["EF56GH78", "1999", "Weber, Max", "Of rivers", "What rivers carry.", "1999"]
    + ["2024-01-02 10:00:00", "C:\\Users\\j\\Zotero\\storage\\SS\\Of rivers - 1999.txt"],
]


def test_several_files_in_one_cell_as_zotero_writes_them(tmp_path):
    """Its export as CSV, beside the folder in which it keeps what is attached."""
    path, name = stored(tmp_path, ZOTERO)
    text = tmp_path / "text"
    text.write_text("some words")
    names = ["storage/QQ/On ships - 2010.txt", "storage/SS/Of rivers - 1999.txt"]
    guessed = guess_table([(path, name), *((text, file) for file in names)])
    # The years, too, are each in the name of one file, but are not its name
    assert guessed is not None and guessed.key == "File Attachments" and guessed.matched == 2
    documents, problems = joined(tmp_path, ZOTERO, names, key="File Attachments")
    assert not problems
    assert [document.title for document in documents] == ["On ships", "Of rivers"]
    assert [document.date for document in documents] == ["2010-05-01", "1999"]
    assert [document.metadata["Author"] for document in documents] == ["Smith, Jane", "Weber, Max"]


def test_what_can_t_be_read_is_no_table(tmp_path):
    bad = tmp_path / "bad"
    text = tmp_path / "text"
    bad.write_bytes(b"\x89PNG\r\n\x1a\n")
    text.write_text("words")
    assert guess_table([(bad, "meta.csv"), (text, "a.txt"), (bad, "b.zip")]) is None
    with pytest.raises(Unreadable):
        next(shape([], Shaping(table="meta.csv", key="file"), tmp_path, (bad, "meta.csv")))


def test_memory_of_a_long_table(tmp_path):
    path, name = stored(
        tmp_path,
        [["file", "place"]] + [[f"folder/{n}.txt", "somewhere " * 90] for n in range(20_000)],
    )
    tracemalloc.start()
    with UploadedTable((path, name), name, "file", tmp_path) as table:
        found = list(
            table.join(Document("t", file=f"folder/{n}.txt") for n in range(0, 20_000, 200))
        )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (
        sum("place" in item.metadata for item in found if isinstance(item, Document)) == 100
        and peak < 10e6
    )


def test_an_archive_that_ends_within_its_table(tmp_path):
    random_words = random.Random(1).randbytes(400_000).hex()
    table = b"file,place\nboston,Boston\n" + b"\n".join(
        f"x{i},{random_words[40 * i : 40 * i + 40]}".encode() for i in range(20_000)
    )
    path = tmp_path / "cut"
    whole = tarred((member("boston.txt"), b"words of boston"), (member("about.csv"), table))
    path.write_bytes(whole[:300_000])
    files = [(path, "cut.tar.gz")]
    assert guess_table(files) is None
    with pytest.raises(Unreadable, match="its archive is damaged .* Pack it again"):
        list(shape([], Shaping(table="cut.tar.gz/about.csv", key="file"), tmp_path, files[0]))
