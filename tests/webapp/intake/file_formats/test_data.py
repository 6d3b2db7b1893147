"""Tables, JSON and bags of words: what is hostile or broken in them costs itself and no more."""

import json
import time
import tracemalloc

import pyarrow
import pyarrow.parquet
import pytest

from tests.webapp.intake.file_formats.reading import load, roles, zipped
from tests.webapp.intake.file_formats.test_examples import FOLDER
from tests.webapp.intake.file_formats.test_marked_up import changed
from webapp.intake import file_formats
from webapp.intake.file_formats import bag, json_file, jsonl, mtx
from webapp.intake.file_formats.base import MAX_TEXT, Document, Unreadable

GOOD = "".join(f"k{i},a text of some length about number {i}\n" for i in range(20))


# CSV


def test_a_field_of_100_mb(tmp_path):
    path = tmp_path / "stored"
    with path.open("wb") as out:
        out.write(b'id,text\nk0,first text here\nk1,"')
        for _ in range(100):
            out.write(b"x" * 1_000_000)
        out.write(b'"\nk2,last text here\n')
    documents, problems = load(path, "a.csv")
    assert [d.source_id for d in documents] == [
        "k0",
        "k2",
    ] and f"more than {MAX_TEXT:,} characters" in problems[0].message


def test_ten_thousand_columns(file):
    with pytest.raises(Unreadable, match="10,000 columns; at most 2,000"):
        file_formats.sniff(
            *file(",".join(f"c{i}" for i in range(10_000)) + "\n" + "x," * 9_999 + "x\n", "a.csv")
        )
    options = file_formats.sniff(*file("id,text\n" + GOOD, "a.csv")).options
    with pytest.raises(Unreadable, match="10,000 columns; at most 2,000"):
        list(
            file_formats.read(
                *file(",".join(f"c{i}" for i in range(10_000)) + "\n", "b.csv"), options
            )
        )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", "{}\n" * 50),
        ("a.json", "[{}, {}]"),
        ("a.json", "{}"),
        ("a.jsonl", '{"\\u0000": {}}\n{"": null}\n'),
        ("a.csv", "\n\n\n"),
        ("a.csv", ",,,\n,,\n"),
        ("a.tsv", "\t\n"),
    ],
)
def test_what_has_no_column_is_refused_or_read_as_blank(file, name, content):
    path, name = file(content, name)
    try:
        documents, problems = load(path, name)
    except Unreadable as error:
        assert name in str(error)
    else:
        assert not documents and problems


def test_a_table_without_columns(tmp_path):
    pyarrow.parquet.write_table(pyarrow.table({"a": [1, 2]}).select([]), tmp_path / "stored")
    with pytest.raises(Unreadable, match="no rows"):
        file_formats.sniff(tmp_path / "stored", "a.parquet")


def test_duplicate_headers_and_blank_ones(file):
    documents, _ = load(
        *file(
            "id,text,note,note,,note\nk1,a text that is long enough,a,b,c,d\nk2,another text that"
            " is long,e,f,g,h\n",
            "a.csv",
        )
    )
    assert documents[0].metadata == {"note": "a", "note (4)": "b", "column 5": "c", "note (6)": "d"}


def test_quotation_marks_without_end_lose_no_other_row(file):
    documents, problems = load(
        *file('id,text\nk0,"a fine text\n' + GOOD + 'k99,"the last" one\n', "a.csv")
    )
    assert (
        len(documents) == 22
        and "not closed" in problems[0].message
        and not any(p.dropped for p in problems)
    )


def test_zero_bytes_everywhere(file):
    documents, problems = load(*file(("id,text\n" + GOOD + "k9\0,a te\0xt\0\n").encode(), "a.csv"))
    assert (
        documents[-1].text == "a text"
        and documents[-1].source_id == "k9"
        and "control characters" in problems[-1].message
    )


def test_a_word_of_a_megabyte_and_hostile_cells(file):
    evil = "<img src=x onerror=alert(1)>"
    documents, _ = load(
        *file(
            f"id,title,text\nk1,{evil},{'w' * 1_000_000}\nk2,=cmd|' /C calc'!A0,zero\u200bwidth"
            " \u202eevil\u202c\n",
            f"{evil}.csv",
        )
    )
    assert (
        len(documents[0].text) == 1_000_000
        and documents[0].title == evil
        and documents[0].file == f"{evil}.csv"
    )
    assert documents[1].text == "zero\u200bwidth evil"


# JSON


def test_lines_with_deep_nesting_huge_numbers_and_half_characters(file):
    lines = [
        '{"text": "first", "id": 1}',
        '{"id": 123456789012345678901234567890, "n": 1e999, "text": "huge numbers"}',
        '{"id": ' + "9" * 5000 + ', "text": "a number of 5000 digits"}',
        '{"text": "a \\ud800 half", "id": 4}',
        '{"text": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"text": "nested", "id": 6, "deep": ' + '{"a":' * 600 + "1" + "}" * 600 + "}",
        '{"text": "lists", "id": 7, "deep": ' + "[" * 900 + "]" * 900 + "}",
        '{"text": "last", "id": 8',
        '{"text": NaN}',
        '{"text": "last", "id": "\\u0000<script>"}',
    ]
    options = file_formats.sniff(*file(lines[0], "a.jsonl")).options
    items = list(file_formats.read(*file("\n".join(lines), "a.jsonl"), options))
    documents = [i for i in items if isinstance(i, Document)]
    problems = [i for i in items if not isinstance(i, Document)]
    assert [d.text for d in documents] == [
        "first",
        "huge numbers",
        "a number of 5000 digits",
        "a  half",
        "nested",
        "lists",
        "last",
    ]
    assert documents[1].source_id == "123456789012345678901234567890" and documents[1].metadata == {
        "n": "1e999"
    }
    assert documents[2].source_id == "9" * 500 and documents[-1].source_id == "<script>"
    assert [p.place for p in problems if p.dropped] == ["line 5", "line 8", "line 9"]


@pytest.mark.parametrize("whole", [json_file.MOST_WHOLE_CHARACTERS, 50])
def test_json(file, monkeypatch, whole):
    """Read as a whole, and streamed."""
    monkeypatch.setattr(json_file, "MOST_WHOLE_CHARACTERS", whole)
    rows = [
        {
            "id": i,
            "title": f"Number {i}",
            "text": f"the text, of “number” [{i}] \\ {{}} " * 3,
            "tags": ["a", "b"],
        }
        for i in range(300)
    ]
    for value in (
        rows,
        {
            "meta": {"a": [1, 2], "b": None, "c": "d"},
            "count": 300,
            "data": {"items": rows},
            "after": 1,
        },
        {"data": rows},
    ):
        for indent in (None, 1):
            documents, problems = load(*file(json.dumps(value, indent=indent), "a.json"))
            assert [d.source_id for d in documents] == [str(i) for i in range(300)] and not problems
            assert (
                documents[7].text == rows[7]["text"]
                and documents[7].metadata == {"tags": "a; b"}
                and documents[7].place == "object 8"
            )


def test_one_document_or_one_a_line_in_json(file):
    documents, _ = load(
        *file('{"title": "A", "authors": [{"name": "B"}], "text": "the words"}', "a.json")
    )
    assert [(d.title, d.text) for d in documents] == [("A", "the words")]
    documents, _ = load(*file('{"id": 1, "text": "one"}\n{"id": 2, "text": "two"}\n', "a.json"))
    assert [d.text for d in documents] == ["one", "two"]


@pytest.mark.parametrize(
    "content",
    [
        "7",
        "[1, 2, 3]",
        '"text"',
        "[" * 100_000,
        '{"a": ' * 5_000,
        "no json",
        '{"a": 1}' * 3 + "x",
        "[{]",
    ],
)
@pytest.mark.parametrize("whole", [json_file.MOST_WHOLE_CHARACTERS, 3])
def test_json_that_holds_no_documents(file, monkeypatch, content, whole):
    monkeypatch.setattr(json_file, "MOST_WHOLE_CHARACTERS", whole)
    with pytest.raises(Unreadable, match=r"a\.json"):
        load(*file(content, "a.json"))


def test_a_list_that_breaks_off(file):
    documents, problems = load(
        *file(
            '[{"id": 1, "text": "one"}, {"id": 2, "text": "two"}, 7, {"id": 3, "text": "thr',
            "a.json",
        )
    )
    assert [d.text for d in documents] == ["one", "two"] and [p.place for p in problems] == [
        "object 3",
        "object 4",
    ]
    assert "it and what follows in the file were left out" in problems[1].message


def test_memory_of_a_large_list_is_bounded(tmp_path):
    path = tmp_path / "stored"
    with path.open("w") as out:
        out.write('{"items": [')
        for i in range(30_000):
            out.write(
                f'{"," if i else ""}{{"id": {i}, "text": "{"some words of a document " * 20}"}}'
            )
        out.write("]}")
    options = file_formats.sniff(path, "a.json").options
    tracemalloc.start()
    count = sum(isinstance(item, Document) for item in file_formats.read(path, "a.json", options))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 30_000 and peak < 60_000_000


def test_a_line_that_is_nothing_but_text_stays_within_limits(monkeypatch):
    monkeypatch.setattr(jsonl, "MAX_DEPTH", 2)
    assert jsonl.as_cell([["a", ["b"]], None]) == 'a; ["b"]; '


# Spreadsheets and Parquet


def test_a_spreadsheet_with_formulas_dates_and_errors(tmp_path):
    rows = (
        '<row r="1"><c r="A1" t="inlineStr"><is><t>id</t></is></c><c r="B1"'
        ' t="inlineStr"><is><t>text</t></is></c><c r="C1"'
        ' t="inlineStr"><is><t>n</t></is></c></row><row r="3"><c r="A3"><f>1+1</f><v>2</v></c><c'
        ' r="B3" t="str"><f>"a"&amp;"b"</f><v>stored value</v></c><c r="C3"'
        ' t="e"><f>1/0</f><v>#DIV/0!</v></c></row><row r="4"><c r="A4"><v>4</v></c><c r="B4"'
        ' t="str"><f>WEBSERVICE("http://x")</f><v></v></c></row><row r="5"><c'
        ' r="A5"><v>1.5</v></c><c r="B5" t="inlineStr"><is><t>=1+1 is text</t></is></c><c r="C5"'
        ' t="b"><v>1</v></c></row>'
    )
    sheet = (
        "<worksheet"
        f' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{rows}</sheetData></worksheet>'
    )
    path = changed(tmp_path, "addresses.xlsx", **{"xl/worksheets/sheet1.xml": sheet})
    documents, problems = load(path, "a.xlsx", header=True, sheet="Addresses")
    problems = [problem for problem in problems if problem.kind != "sheet"]
    assert [(d.source_id, d.text, d.place) for d in documents] == [
        ("2", "stored value", "row 3"),
        ("1.5", "=1+1 is text", "row 5"),
    ]
    assert "row 4: the text is empty" in problems[0].message and len(problems) == 1


def test_a_sheet_that_is_not_there_is_the_first_one():
    path = FOLDER / "addresses.xlsx"
    options = file_formats.sniff(path, path.name).options
    import dataclasses

    # Three rows of the first sheet, and that the other is not read
    assert (
        len(list(file_formats.read(path, path.name, dataclasses.replace(options, sheet="No such"))))
        == 4
    )


def test_parquet_of_other_types(tmp_path):
    import datetime

    table = pyarrow.table(
        {
            "when": [datetime.datetime(1914, 1, 2), None],
            "n": [2**62, 1],
            "tags": [["a", "b"], []],
            "who": [{"a": 1}, None],
            "raw": [b"caf\xc3\xa9", b"\xff"],
            "body": ["the first text of some length", "the second text of some length"],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "stored")
    sniff = file_formats.sniff(tmp_path / "stored", "a.parquet")
    assert roles(sniff.options)["text"] == 5 and roles(sniff.options)["date"] == 0
    first, second = file_formats.read(tmp_path / "stored", "a.parquet", sniff.options)
    assert first.date == "1914-01-02" and str(2**62) in (first.source_id, first.metadata.get("n"))
    assert (
        first.metadata["tags"] == "a; b"
        and first.metadata["who"] == '{"a":1}'
        and "café" in (first.title, first.metadata.get("raw"))
    )
    assert second.text.startswith("the second")
    with pytest.raises(Unreadable, match="another format .table .Parquet.."):
        file_formats.sniff(zipped(tmp_path, [("a", "b")]), "a.parquet")


def test_files_of_many_formats_go_together(tmp_path):
    """The columns that were chosen in one are found by their names in the others."""
    path = FOLDER / "addresses.csv"
    options = file_formats.sniff(path, path.name).options
    for name in (
        "addresses.xlsx",
        "addresses.ods",
        "addresses.parquet",
        "addresses.json",
        "addresses.jsonl",
    ):
        found = [
            i for i in file_formats.read(FOLDER / name, name, options) if isinstance(i, Document)
        ]
        more = ["m1809"] if name == "addresses.xlsx" else []  # of its second sheet
        assert [d.source_id for d in found] == ["w1790", "j1801", "j1801b", *more], name
    (found,) = file_formats.read(FOLDER / "address.pdf", "address.pdf", options)
    assert found.title == "State of the Union, 1790"


def test_the_first_file_that_can_be_read_says_how(tmp_path, file):
    bad, _ = file(b"%PDF-1.4 no", "bad.pdf")
    good = FOLDER / "addresses.csv"
    assert file_formats.sniff_first([(bad, "bad.pdf"), (good, good.name)]).options.format == "csv"
    with pytest.raises(Unreadable, match="bad.pdf"):
        file_formats.sniff_first([(bad, "bad.pdf")])


# MALLET


def test_mallet_by_tabs_spaces_and_neither(file):
    documents, problems = load(
        *file("d1\ten\tby tabs, with words\nd2 en by spaces\n\nd3\n<b>\tx\t<script>\n", "a.mallet")
    )
    assert [(d.source_id, d.metadata.get("label"), d.text) for d in documents] == [
        ("d1", "en", "by tabs, with words"),
        ("d2", "en", "by spaces"),
        ("<b>", "x", "<script>"),
    ]
    assert "line 4: the text is empty" in problems[0].message
    with pytest.raises(Unreadable, match="a Java program, such as MALLET"):
        file_formats.sniff(*file(b"\xac\xed\x00\x05sr\x00\x1fcc.mallet", "a.mallet"))


# Bags of words


@pytest.fixture
def bags(tmp_path):
    def write(**files):
        for name, content in files.items():
            (tmp_path / name).write_text(content)
        return [(tmp_path / name, name) for name in files]

    return write


def bagged(files, which=0):
    path, name = files[which]
    options = file_formats.sniff(path, name, files).options
    assert options.given
    items = list(file_formats.read(path, name, options, lambda n: None, files))
    return [i.text for i in items if isinstance(i, Document)], [
        i.message for i in items if not isinstance(i, Document)
    ]


WORDS = "peace\nnew york\nwar\n\n"


def test_bags_without_words_or_with_others(bags):
    for name, content in (
        ("docword.a.txt", "1\n2\n1\n1 1 1\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 1\n"),
        ("a.ldac", "1 0:1\n"),
    ):
        with pytest.raises(Unreadable, match="holds numbers only; its words were not found"):
            bagged(bags(**{name: content}))
        with pytest.raises(Unreadable, match="vocabulary of .* is empty"):
            bagged(bags(**{name: content, "vocab.txt": "\n\n"}))
    with pytest.raises(
        Unreadable, match="vocabulary of a bag of words, which did not come with it"
    ):
        file_formats.sniff(*bags(**{"a.vocab": WORDS})[0])


def test_uci(bags):
    texts, said = bagged(
        bags(
            **{
                "docword.a.txt": "3\n4\n3\n1 1 2\n1 2 1\n1 9 1\n3 3 1\n4 9 1\n",
                "vocab.a.txt": WORDS,
            }
        )
    )
    assert texts == ["peace peace new_york", "war"]
    assert (
        "it has 4 words, but its vocabulary 3" in said[0]
        and "1 entry names words that the vocabulary of 3" in said[1]
        and "document 4: it holds no words" in said[3]
    )
    for broken, expected in (
        ("2\n3\n2\n2 1 1\n1 1 1\n", "comes after 2"),
        ("2\n3\n2\n1 1 0.5\n", "counts are needed"),
        ("2\n3\n2\n1 1 1e999\n", "counts are needed"),
        ("1\n", "expected 1 whole numbers"),
        ("2\n3\n1\n1 1\n", "expected 3"),
    ):
        with pytest.raises(Unreadable, match=expected):
            bagged(bags(**{"docword.a.txt": broken, "vocab.a.txt": WORDS}))
    texts, said = bagged(
        bags(**{"docword.a.txt": "2\n3\n2\n1 1 99999999999\n2 1 1\n", "vocab.a.txt": WORDS})
    )
    assert texts == ["peace"] and f"more than {MAX_TEXT:,} characters" in said[0]


def test_an_object_of_very_many_fields_is_made_flat_in_no_time(file):
    """Each field that was taken from the list of those that wait moved all behind it."""
    fields = ",".join(f'"{n}":{{}}' for n in range(200_000))
    began = time.process_time()
    documents, _ = load(
        *file(f'{{"text":"One","more":"Two"}}\n{{"text":"One",{fields}}}\n', "a.jsonl")
    )
    assert len(documents) == 2 and time.process_time() - began < 5


def test_a_number_that_no_machine_has_costs_its_line_alone(bags):
    long = "9" * 5_000
    content = f"1 0:1\n{long} 0:1\n1 {long}:1\n1 1:1\n"
    texts, said = bagged(bags(**{"a.ldac": content, "words.txt": WORDS}))
    assert len(texts) == 2 and ["expected “3 0:1" in one for one in said] == [True, True]


def test_ldac(bags):
    texts, said = bagged(
        bags(**{"a.ldac": "2 0:1 2:2\nno line\n1 0:1 1:1\n1 7:1\n\n", "words.txt": WORDS})
    )
    assert texts == ["peace war war", "peace new_york"]
    assert (
        "line 2: expected “3 0:1 4:2 17:1”" in said[0]
        and "says 1 words and has 2" in said[1]
        and "Is it the right vocabulary" in said[2]
    )
    with pytest.raises(Unreadable, match="not a bag of words in LDA-C’s format"):
        bagged(bags(**{"a.dat": "some text\n", "vocab.txt": WORDS}))


@pytest.mark.parametrize("kind", ["integer", "real", "pattern"])
def test_matrix_market(bags, kind, monkeypatch):
    head = f"%%MatrixMarket matrix coordinate {kind} general\n% a remark\n"
    one, two = {"integer": ("1", "2"), "real": ("1.0", "2e0"), "pattern": ("", "")}[kind]
    expected = ["peace war war", "new_york"] if two else ["peace war", "new_york"]
    by_documents = f"{head}2 3 3\n1 1 {one}\n1 3 {two}\n2 2 {one}\n"
    by_words = f"{head}3 2 3\n1 1 {one}\n2 2 {one}\n3 1 {two}\n"  # must be sorted
    assert bagged(bags(**{"a.mtx": by_documents, "a.vocab": WORDS})) == (expected, [])
    assert bagged(bags(**{"a.mtx": by_words, "a.vocab": WORDS})) == (expected, [])
    monkeypatch.setattr(mtx, "MAX_UNSORTED", 2)
    with pytest.raises(Unreadable, match="at most 2 can be sorted"):
        bagged(bags(**{"a.mtx": by_words, "a.vocab": WORDS}))


def test_matrices_that_are_no_bags(bags):
    head = "%%MatrixMarket matrix coordinate real general\n"
    for content, expected in (
        (head + "2 9 1\n1 1 1\n", "2 rows and 9 columns, but its vocabulary has 3 words"),
        (head + "2 3 1\n1 1 0.37\n", "tf-idf"),
        ("%%MatrixMarket matrix array real general\n2 3\n1\n", "expected a sparse matrix"),
        (head, "ends before its first entry"),
        ("words\n", "expected a sparse matrix"),
        (head + "2 3 1\n1 99999999999 1\n2 1 1\n1 1 1\n", "beyond 2,147,483,647|vocabulary"),
    ):
        with pytest.raises(Unreadable, match=expected):
            bagged(bags(**{"a.mtx": content, "a.vocab": WORDS}))


def test_bags_in_archives(tmp_path, file):
    from tests.webapp.intake.file_formats.test_tar import tarred

    entries = [
        ("one/vocab.txt", "peace\nwar\n"),
        ("one/a.ldac", "2 0:1 1:2\n"),
        ("two/docword.b.txt", "1\n1\n1\n1 1 3\n"),
        ("two/vocab.b.txt", "trade\n"),
        ("two/words.md", "a text"),
    ]
    for make, name in (
        (lambda: zipped(tmp_path, entries), "a.zip"),
        (lambda: file(tarred(entries), "a.tgz")[0], "a.tgz"),
    ):
        path = make()
        sniff = file_formats.sniff(path, name)
        assert sniff.options.given and sniff.options.format == name[-3:].replace("tgz", "tar")
        documents, problems = load(path, name)
        assert [d.text for d in documents] == [
            "peace war war",
            "trade trade trade",
            "a text",
        ] and not problems


def test_a_vocabulary_without_a_bag_is_a_text(file, monkeypatch):
    assert load(*file("words of a text\n", "words.txt"))[0][0].text == "words of a text\n"
    monkeypatch.setattr(bag, "MAX_WORDS", 2)
    path, _ = file("a\nb\nc\n", "vocab.txt")
    with pytest.raises(Unreadable, match="more than 2 lines"):
        bag.vocabulary("a.ldac", file_formats.Companions.among([(path, "vocab.txt")]))


def test_files_in_different_encodings_are_each_read_in_their_own(tmp_path):
    """A table in Shift-JIS does not make the texts beside it Japanese; files that agree give one
    encoding to choose."""
    files = {
        "a.csv": (
            ("title,text\n見出し,東京で会議が開かれた。日本語の文章です。\n" * 9).encode(
                "shift_jis"
            )
        ),
        "b.txt": (
            "Om’t wy yn de wrâld en it hiele grutte gebiet fan de âlde stêd wenje, binne wy bliid. ".replace(
                "’", "'"
            ).encode("latin-1")
            * 9
        ),
        "c.txt": "Größe, Straße und schöne Häuser über den Flüssen. ".encode("latin-1") * 9,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    stored = [(tmp_path / name, name) for name in files]
    options = file_formats.sniff_first(stored).options
    assert options.encoding == "detect"
    texts = [
        item.text
        for path, name in stored
        for item in file_formats.read(path, name, options)
        if isinstance(item, file_formats.Document)
    ]
    assert texts[0].startswith("東京で") and "wrâld" in texts[-2] and "Straße" in texts[-1]
    assert (
        file_formats.sniff_first(stored[:1] * 2).options.encoding
        == file_formats.sniff_first(stored[:1]).options.encoding
        != "detect"
    )


@pytest.mark.parametrize("cell", ["{0}.{1}7", "w{0} w{1} words", "{1} March 1{0:03}"])
def test_two_thousand_columns_are_understood_in_seconds(file, cell):
    rows = [
        ",".join(cell.format(i % 900, 1 + (i + n) % 27) for i in range(2_000)) for n in range(60)
    ]
    began = time.process_time()
    sniffed = file_formats.sniff(
        *file(",".join(f"c{i}" for i in range(2_000)) + "\n" + "\n".join(rows), "a.csv")
    )
    assert len(sniffed.columns) == 2_000 and time.process_time() - began < 6
