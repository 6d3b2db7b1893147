"""Every format, and every kind of bad file: what can be read is read, and the rest is told in a
sentence."""

import gzip
import json
import tracemalloc

import pytest

from tests.webapp.intake.file_formats.reading import HEADER, ROWS, load, roles
from webapp.intake import file_formats
from webapp.intake.file_formats import jsonl, rows
from webapp.intake.file_formats.base import Unreadable


def test_columns_are_guessed(file):
    sniff = file_formats.sniff(*file(HEADER + ROWS, "a.csv"))
    assert sniff.options.header and sniff.columns == [
        "key",
        "headline",
        "year",
        "who",
        "side",
        "body",
    ]
    assert roles(sniff.options) == {"text": 5, "title": 1, "date": 2, "id": 0}


def test_without_a_header_the_content_decides(file):
    sniff = file_formats.sniff(*file(ROWS, "a.csv"))
    assert not sniff.options.header and sniff.columns[0] == "column 1"
    assert roles(sniff.options) == {"text": 5, "title": 1, "date": 2, "id": 0}
    assert len(load(*file(ROWS, "a.csv"))[0]) == 8


@pytest.mark.parametrize(
    ("delimiter", "name"), [(";", "a.csv"), ("\t", "a.tsv"), ("|", "a.csv"), ("\t", "a.csv")]
)
def test_delimiters(file, delimiter, name):
    documents, problems = load(*file((HEADER + ROWS).replace(",", delimiter), name))
    assert len(documents) == 8 and not problems
    assert (
        documents[3].source_id == "k3"
        and documents[3].date == "1903"
        and documents[3].metadata == {"who": "Someone", "side": "left"}
    )
    assert documents[3].text.endswith("3") and documents[3].place == "row 4 (line 5)"


def test_quotes_commas_and_lines_in_a_cell(file):
    documents, problems = load(
        *file('id,text\n1,"a ""quoted"", and\ntwo lines"\n2,plain text\n', "a.csv")
    )
    assert (
        documents[0].text == 'a "quoted", and\ntwo lines' and documents[1].place == "row 2 (line 4)"
    )
    assert not problems


def test_a_lone_quotation_mark_in_tabs_is_a_letter(file):
    documents, _ = load(*file('1\t1914\tHe said "no\n2\t1915\tand went on for a while\n', "a.tsv"))
    assert [d.text for d in documents] == ['He said "no', "and went on for a while"]


def test_another_file_may_have_its_columns_in_another_order(file):
    options = file_formats.sniff(
        *file("id,title,text\n1,one,the first text\n2,two,the second text\n", "a.csv")
    ).options
    path, name = file("text,more,id\nthe third text,x,3\n", "b.csv")
    found = list(file_formats.read(path, name, options))
    assert [(d.text, d.source_id, d.title, d.metadata) for d in found] == [
        ("the third text", "3", "", {"more": "x"})
    ]
    with pytest.raises(Unreadable, match="“c.csv” has no column “text”"):
        list(file_formats.read(*file("body,id\nwords,4\n", "c.csv"), options))


def test_ragged_rows(file):
    documents, problems = load(
        *file(
            "id,title,text\n1,a,first text here\n2,b\n3,c,third text here,extra\n4,d,fourth text"
            " here\n",
            "a.csv",
        )
    )
    assert [d.source_id for d in documents] == ["1", "3", "4"]
    assert [p.dropped for p in problems] == [True, False]
    assert "“a.csv”, row 2 (line 3): expected 3 columns, found 2" in problems[0].message
    assert "found 4; its surplus cell was kept as a field of its own" in problems[1].message


def test_a_line_without_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "stored"
    with gzip.open(path, "wb", 1) as out:
        out.write(b'{"text": "fine words"}\n{"text": "')
        for _ in range(30):
            out.write(b"x" * 1_000_000)
        out.write(b'"}\n{"text": "more words"}\n')
    monkeypatch.setattr(jsonl, "MAX_TEXT", 100_000)
    monkeypatch.setattr(rows, "MAX_TEXT", 100_000)
    for name, found in (("a.jsonl.gz", ["fine words", "more words"]), ("a.csv.gz", None)):
        tracemalloc.start()
        documents, problems = load(path, name)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 12_000_000 and any("more than" in p.message for p in problems)
        assert found is None or [d.text for d in documents] == found


def test_headers_as_other_programs_write_them(file):
    documents, _ = load(
        *file(
            ",title,text,text\n0,One,some words here and there,x\n1,Two,other words of some"
            " length,y\n",
            "a.csv",
        )
    )
    assert [(d.source_id, d.title, d.text) for d in documents][0] == (
        "0",
        "One",
        "some words here and there",
    )
    assert documents[0].metadata == {"text (4)": "x"}
    documents, problems = load(*file("sep=;\nid;text\n1;hello there\n2;and goodbye\n", "a.csv"))
    assert [(d.source_id, d.text) for d in documents] == [
        ("1", "hello there"),
        ("2", "and goodbye"),
    ] and not problems
    sniff = file_formats.sniff(*file("id,text\n", "a.csv"))
    assert sniff.options.header and not sniff.rows and "no row below" in sniff.problem


def test_files_with_and_without_a_mark_go_together(file):
    options = file_formats.sniff(
        *file("id,text\n1,hello to the world\n2,again hello\n", "a.csv")
    ).options
    found = list(file_formats.read(*file("\ufeffid,text\n1,été\n", "b.csv"), options))
    assert [(d.source_id, d.text) for d in found] == [("1", "été")]
    found = list(file_formats.read(*file("id,text\n1,été\n".encode("utf-16"), "b.csv"), options))
    assert [(d.source_id, d.text) for d in found] == [("1", "été")]


def test_a_file_with_too_few_columns_for_the_options(file):
    options = file_formats.Options("csv", "utf-8", ",", False, 2, 1, None, 0)
    (problem,) = file_formats.read(*file("1;hello\n", "b.csv"), options)
    assert "expected 3 columns, found 1" in problem.message and problem.dropped


def test_too_many_columns(file):
    with pytest.raises(Unreadable, match="3,000 columns; at most 2,000"):
        file_formats.sniff(*file(",".join(map(str, range(3000))) + "\n", "a.csv"))


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a.zip", "a.csv.gz"])
def test_an_empty_file(file, name):
    with pytest.raises(Unreadable, match="is empty"):
        file_formats.sniff(*file(b"", name))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_blank_file(file, name):
    with pytest.raises(Unreadable, match="a\\."):
        file_formats.sniff(*file(b"\n  \n\n", name))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a PNG picture"),
        (b"%PDF-1.7 ...", "a PDF document"),
        (b"\x7fELF" + bytes(50), "a program"),
        (bytes(range(256)) * 20, "binary data"),
        (b"PK\x03\x04" + bytes(50), "a ZIP archive"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_binary_under_another_name(file, name, content, said):
    with pytest.raises(Unreadable, match=f"expected to be .*content is {said}"):
        file_formats.sniff(*file(content, name))


def test_an_unknown_ending(file):
    with pytest.raises(
        Unreadable, match=r"\.txt.*\.csv, \.tsv,.*\.jsonl.*\.zip.* and .*, each also with \.gz"
    ):
        file_formats.sniff(*file("text", "a.unknown"))


def test_control_characters_are_taken_out_and_told(file):
    documents, problems = load(
        *file(
            b"id,text\n1,a fine\x00 wo\x07rd here\n2,another fine line\n3,one more of them\n",
            "a.csv",
        )
    )
    assert documents[0].text == "a fine word here"
    assert "2 control characters" in problems[0].message and "line 2" in problems[0].message


@pytest.mark.parametrize(
    ("content", "name"),
    [("some\0 text\n" * 3, "a.txt"), ('{"text": "some\\u0000\\u0007\\u0001 text"}\n', "a.jsonl")],
)
def test_zero_bytes_in_other_formats(file, content, name):
    documents, problems = load(*file(content, name))
    assert (
        documents[0].text.startswith("some text")
        and "3 control characters were taken out" in problems[0].message
    )


def test_bytes_that_are_no_characters(file):
    text = "id,text\n" + "".join(f"{i},plain words\n" for i in range(30_000))
    documents, problems = load(*file(text.encode() + b"x,caf\xe9 noir\n", "a.csv"))
    assert documents[-1].text == "caf\ufffd noir"
    assert (
        len(problems) == 1
        and "row 30001 (line 30002)" in problems[0].message
        and "utf-8" in problems[0].message
    )


def test_lone_surrogates_and_marks_of_direction(file):
    documents, _ = load(*file('{"text": "a \\ud800 b \\u202e c"}\n{"text": "fine"}\n', "a.jsonl"))
    assert all("\ud800" not in d.text and "\u202e" not in d.text for d in documents)


def test_hostile_words_are_data(file):
    evil = "<script>alert(1)</script>"
    documents, _ = load(
        *file(
            f'id,title,text\n=1+1,{evil},"{evil} and more text here"\n2,b,another text of some'
            " length\n",
            "a.csv",
        ),
        html=False,
    )
    assert (
        documents[0].title == evil
        and documents[0].source_id == "=1+1"
        and documents[0].text.startswith(evil)
    )


def test_jsonl(file):
    lines = [
        (
            '{"id": 1, "title": "One", "date": "1999-01-02", "tags": ["a", "b"], "text": "the first'
            ' text"}'
        ),
        '{"id": 2, "text": "cut off',
        "[1, 2]",
        '{"id": 4, "text": ""}',
        '{"id": 5, "title": "Five"}',
        '{"id": 6, "text": 7}',
        "",
        '{"id": 8, "text": "the eighth", "deep": {"a": 1}}',
    ]
    documents, problems = load(*file("\n".join(lines), "a.jsonl"))
    assert [d.source_id for d in documents] == ["1", "8"]
    assert documents[0].metadata == {"tags": "a; b"} and documents[1].metadata == {"deep.a": "1"}
    assert [p.place for p in problems] == ["line 2", "line 3", "line 4", "line 5", "line 6"]
    said = [p.message for p in problems]
    assert (
        "not JSON, or it is cut off" in said[0]
        and "not an object" in said[1]
        and "is empty" in said[2]
    )
    assert "is missing" in said[3] and "is not a text (a number)" in said[4]
    assert all(p.dropped for p in problems)


def test_no_json_at_all(file):
    with pytest.raises(Unreadable, match="one JSON object a line"):
        file_formats.sniff(*file("just\nsome\nlines\n", "a.jsonl"))


def test_text_file(file):
    documents, problems = load(*file("\ufeffHello there.\n", "Letters, 1914.txt"))
    assert (
        documents[0].text == "Hello there.\n"
        and documents[0].title == "Letters, 1914"
        and not problems
    )
    assert load(*file(gzip.compress(b"Hello"), "a.txt.gz"))[0][0].title == "a"


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", "déjà vu à l'été"),
        ("utf-8-sig", "déjà vu"),
        ("utf-16", "déjà vu naïve"),
        ("utf-16-le", "déjà vu naïve, plain"),
        (
            "cp1252",
            (
                "Les élections législatives françaises ont été précédées d’une campagne très animée"
                " à Paris, où l’été était chaud."
            ),
        ),
        ("shift_jis", "これは日本語の文章です。東京は大きな都市であり、多くの人々が住んでいます。"),
        ("gb18030", "这是一个中文句子。北京是中国的首都,有很多人住在那里,历史悠久。"),
        (
            "koi8-r",
            (
                "Москва является столицей России и крупнейшим городом страны, она расположена на"
                " реке Москве."
            ),
        ),
    ],
)
def test_encodings(file, encoding, words):
    content = ((words + " ") * 20).encode(encoding)
    documents, _ = load(*file(content, "a.txt"))
    assert words in documents[0].text


def test_gzip_that_is_none_or_ends_too_soon(file):
    with pytest.raises(Unreadable, match="not compressed by gzip"):
        file_formats.sniff(*file("id,text\n", "a.csv.gz"))
    whole = gzip.compress((HEADER + ROWS * 3000).encode())
    path, name = file(whole[: len(whole) // 2], "a.csv.gz")
    options = file_formats.Options("csv", "utf-8", ",", True, 5, 1, 2, 0)
    items = []
    with pytest.raises(Unreadable, match="ends in the middle"):
        for item in file_formats.read(path, name, options):
            items.append(item)
    assert len(items) > 100  # what came before is given


def test_progress_is_the_size_of_the_file(file):
    for name, content in (
        ("a.csv", (HEADER + ROWS).encode()),
        ("a.csv.gz", gzip.compress((HEADER + ROWS).encode())),
    ):
        path, name = file(content, name)
        read = []
        list(file_formats.read(path, name, file_formats.sniff(path, name).options, read.append))
        assert sum(read) == path.stat().st_size


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "stored"
    with path.open("w") as out:
        out.write("id,text\n")
        for i in range(20_000):
            out.write(f"{i},{'some words of a document ' * 30}\n")
    options = file_formats.sniff(path, "a.csv").options
    tracemalloc.start()
    count = sum(1 for _ in file_formats.read(path, "a.csv", options))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000 and path.stat().st_size > 14_000_000
    assert peak < 5_000_000


@pytest.mark.parametrize(
    "encoding",
    ["no such", "hex", "rot13", "idna", "unicode_escape", "undefined", "a\0b", "x" * 5000],
)
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_encodings_that_are_none(file, name, encoding):
    with pytest.raises(Unreadable, match="is not an encoding that Topograph knows"):
        file_formats.sniff(*file('{"text": "words"}\n', name), encoding=encoding)


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n"])
def test_delimiters_that_are_none(file, delimiter):
    with pytest.raises(Unreadable, match="separated by one character only"):
        file_formats.sniff(*file(HEADER + ROWS, "a.csv"), delimiter=delimiter)


def test_known_options_are_taken(file):
    sniff = file_formats.sniff(
        *file((HEADER + ROWS).replace("text", "t\xe9xt").encode("cp1252"), "a.csv"),
        encoding="cp1252",
        header=False,
    )
    assert (
        sniff.options.encoding == "cp1252"
        and not sniff.options.header
        and sniff.columns[0] == "column 1"
    )
    assert (
        "t\xe9xt" in sniff.rows[1][5]
        and len(sniff.rows) <= 8
        and all(len(cell) <= 300 for row in sniff.rows for cell in row)
    )


def test_options_survive_json():
    """They are kept on the corpus's row."""
    from dataclasses import asdict

    options = file_formats.Options("csv", "utf-8", ",", True, 5, 1, 2, 0, ("a", "b"))
    assert file_formats.Options(**json.loads(json.dumps(asdict(options)))).text == 5
