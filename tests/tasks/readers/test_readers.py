"""Every format, and every kind of bad file: what can be read is read, and the rest is told in a sentence."""

import contextlib
import csv
import gzip
import json
import struct
import tracemalloc
import zipfile
from datetime import date

import pytest

from tasks import readers
from tasks.readers import archive, jsonl, parse_date, rows
from tasks.readers.model import Document, Problem, Unreadable


@pytest.fixture
def file(tmp_path):
    """Write bytes, or text as UTF-8, under a name; returns (path, name)."""

    def write(content, name):
        path = tmp_path / "stored"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path, name

    return write


def load(path, name, **known):
    options = readers.sniff(path, name, **known).options
    items = list(readers.read(path, name, options))
    return [i for i in items if isinstance(i, Document)], [i for i in items if isinstance(i, Problem)]


HEADER = "key,headline,year,who,side,body\n"
ROWS = "".join(f"k{i},Headline number {i} of many,{1900 + i},Someone,left,{'A long text about something. ' * 5}{i}\n" for i in range(8))


def roles(options):
    return {role: getattr(options, role) for role in ("text", "title", "date", "id")}


def test_columns_are_guessed(file):
    sniff = readers.sniff(*file(HEADER + ROWS, "a.csv"))
    assert sniff.options.header and sniff.columns == ["key", "headline", "year", "who", "side", "body"]
    assert roles(sniff.options) == {"text": 5, "title": 1, "date": 2, "id": 0}


def test_without_a_header_the_content_decides(file):
    sniff = readers.sniff(*file(ROWS, "a.csv"))
    assert not sniff.options.header and sniff.columns[0] == "column 1"
    assert roles(sniff.options) == {"text": 5, "title": 1, "date": 2, "id": 0}
    assert len(load(*file(ROWS, "a.csv"))[0]) == 8


@pytest.mark.parametrize(("delimiter", "name"), [(";", "a.csv"), ("\t", "a.tsv"), ("|", "a.csv"), ("\t", "a.csv")])
def test_delimiters(file, delimiter, name):
    documents, problems = load(*file((HEADER + ROWS).replace(",", delimiter), name))
    assert len(documents) == 8 and not problems
    assert documents[3].source_id == "k3" and documents[3].date == "1903" and documents[3].metadata == {"who": "Someone", "side": "left"}
    assert documents[3].text.endswith("3") and documents[3].place == "row 4 (line 5)"


def test_quotes_commas_and_lines_in_a_cell(file):
    documents, problems = load(*file('id,text\n1,"a ""quoted"", and\ntwo lines"\n2,plain text\n', "a.csv"))
    assert documents[0].text == 'a "quoted", and\ntwo lines' and documents[1].place == "row 2 (line 4)"
    assert not problems


def test_a_lone_quotation_mark_in_tabs_is_a_letter(file):
    documents, _ = load(*file('1\t1914\tHe said "no\n2\t1915\tand went on for a while\n', "a.tsv"))
    assert [d.text for d in documents] == ['He said "no', "and went on for a while"]


def test_another_file_may_have_its_columns_in_another_order(file):
    options = readers.sniff(*file("id,title,text\n1,one,the first text\n2,two,the second text\n", "a.csv")).options
    path, name = file("text,more,id\nthe third text,x,3\n", "b.csv")
    found = list(readers.read(path, name, options))
    assert [(d.text, d.source_id, d.title, d.metadata) for d in found] == [("the third text", "3", "", {"more": "x"})]
    with pytest.raises(Unreadable, match="“c.csv” has no column “text”"):
        list(readers.read(*file("body,id\nwords,4\n", "c.csv"), options))


def test_ragged_rows(file):
    documents, problems = load(*file("id,title,text\n1,a,first text here\n2,b\n3,c,third text here,extra\n4,d,fourth text here\n", "a.csv"))
    assert [d.source_id for d in documents] == ["1", "3", "4"]
    assert [p.dropped for p in problems] == [True, False]
    assert "“a.csv”, row 2 (line 3): expected 3 columns, found 2" in problems[0].message
    assert "found 4; it was kept" in problems[1].message


def test_a_quotation_mark_that_is_never_closed_costs_its_own_row_only(file):
    documents, problems = load(*file('id,text\n1,first text\n2,"second, text\n3,"third ""text"""\n4,fourth text\n', "a.csv"))
    assert [d.text for d in documents] == ["first text", "second, text", 'third "text"', "fourth text"]
    assert [p.message for p in problems] == [
        "“a.csv”, row 2 (line 3): a quotation mark is opened and not closed; its row was taken to end with its line. Mend the file there."
    ]
    assert [d.place for d in documents] == ["row 1 (line 2)", "row 2 (line 3)", "row 3 (line 4)", "row 4 (line 5)"]


def test_a_text_that_is_cut_off_with_its_file_stays_one(file):
    documents, problems = load(*file('id,text\n1,first text\n2,"second text\n\nits other part', "a.csv"))
    assert [d.text for d in documents] == ["first text", "second text\n\nits other part"]
    assert len(problems) == 1 and "row 2 (line 3): a quotation mark is opened and never closed" in problems[0].message


def test_a_quotation_mark_within_a_cell_is_a_letter(file):
    documents, problems = load(*file('id,text\n1,a 5" pipe\n2,fine text\n', "a.csv"))
    assert documents[0].text == 'a 5" pipe' and not problems


def test_only_so_many_rows_are_mended(file, monkeypatch):
    monkeypatch.setattr(rows, "MOST_MENDED", 1)
    documents, problems = load(*file('id,text\n1,"one\n2,two\n3,three\n4,"four\n5,five\n', "a.csv"))
    assert len(documents) >= 3 and problems


def test_a_cell_beyond_the_limit(file, monkeypatch):
    monkeypatch.setattr(rows, "MAX_TEXT", 1000)
    before = csv.field_size_limit(1000)
    try:
        for long in ("x" * 5000, '"' + "x\n" * 800 + '"', '"' + "x" * 5000 + '"', '"y ""quoted""\n' + "x" * 5000 + '"'):
            documents, problems = load(*file(f"id,text\n1,fine words\n2,{long}\n3,fine again\n", "a.csv"))
            assert {"1", "3"} <= {d.source_id for d in documents}
            assert "row 2 (line 3): a cell or line has more than" in problems[0].message and problems[0].dropped
            assert len(documents) + len(problems) == 3
    finally:
        csv.field_size_limit(before)


def test_a_line_without_end_does_not_fill_the_memory(tmp_path, monkeypatch):
    path = tmp_path / "stored"
    with gzip.open(path, "wb", 1) as out:
        out.write(b'{"text": "fine words"}\n{"text": "')
        for _ in range(100):
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
    documents, _ = load(*file(",title,text,text\n0,One,some words here and there,x\n1,Two,other words of some length,y\n", "a.csv"))
    assert [(d.source_id, d.title, d.text) for d in documents][0] == ("0", "One", "some words here and there")
    assert documents[0].metadata == {"text (4)": "x"}
    documents, problems = load(*file("sep=;\nid;text\n1;hello there\n2;and goodbye\n", "a.csv"))
    assert [(d.source_id, d.text) for d in documents] == [("1", "hello there"), ("2", "and goodbye")] and not problems
    sniff = readers.sniff(*file("id,text\n", "a.csv"))
    assert sniff.options.header and not sniff.rows and "no row below" in sniff.problem


def test_files_with_and_without_a_mark_go_together(file):
    options = readers.sniff(*file("id,text\n1,hello to the world\n2,again hello\n", "a.csv")).options
    found = list(readers.read(*file("\ufeffid,text\n1,été\n", "b.csv"), options))
    assert [(d.source_id, d.text) for d in found] == [("1", "été")]
    found = list(readers.read(*file("id,text\n1,été\n".encode("utf-16"), "b.csv"), options))
    assert [(d.source_id, d.text) for d in found] == [("1", "été")]


def test_a_file_with_too_few_columns_for_the_options(file):
    options = readers.Options("csv", "utf-8", ",", False, 2, 1, None, 0)
    (problem,) = readers.read(*file("1;hello\n", "b.csv"), options)
    assert "expected 3 columns, found 1" in problem.message and problem.dropped


def test_too_many_columns(file):
    with pytest.raises(Unreadable, match="3,000 columns; at most 2,000"):
        readers.sniff(*file(",".join(map(str, range(3000))) + "\n", "a.csv"))


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl", "a.zip", "a.csv.gz"])
def test_an_empty_file(file, name):
    with pytest.raises(Unreadable, match="is empty"):
        readers.sniff(*file(b"", name))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_blank_file(file, name):
    with pytest.raises(Unreadable, match="a\\."):
        readers.sniff(*file(b"\n  \n\n", name))


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
        readers.sniff(*file(content, name))


def test_an_unknown_ending(file):
    with pytest.raises(Unreadable, match=r"\.txt, \.csv, \.tsv, \.jsonl"):
        readers.sniff(*file("text", "a.docx"))


def test_control_characters_are_taken_out_and_told(file):
    documents, problems = load(*file(b"id,text\n1,a fine\x00 wo\x07rd here\n2,another fine line\n3,one more of them\n", "a.csv"))
    assert documents[0].text == "a fine word here"
    assert "2 control characters" in problems[0].message and "line 2" in problems[0].message


@pytest.mark.parametrize(("content", "name"), [("some\0 text\n" * 3, "a.txt"), ('{"text": "some\\u0000\\u0007\\u0001 text"}\n', "a.jsonl")])
def test_zero_bytes_in_other_formats(file, content, name):
    documents, problems = load(*file(content, name))
    assert documents[0].text.startswith("some text") and "3 control characters were taken out" in problems[0].message


def test_bytes_that_are_no_characters(file):
    text = "id,text\n" + "".join(f"{i},plain words\n" for i in range(30_000))
    documents, problems = load(*file(text.encode() + b"x,caf\xe9 noir\n", "a.csv"))
    assert documents[-1].text == "caf\ufffd noir"
    assert len(problems) == 1 and "row 30001 (line 30002)" in problems[0].message and "utf-8" in problems[0].message


def test_lone_surrogates_and_marks_of_direction(file):
    documents, _ = load(*file('{"text": "a \\ud800 b \\u202e c"}\n{"text": "fine"}\n', "a.jsonl"))
    assert all("\ud800" not in d.text and "\u202e" not in d.text for d in documents)


def test_hostile_words_are_data(file):
    evil = "<script>alert(1)</script>"
    documents, _ = load(*file(f'id,title,text\n=1+1,{evil},"{evil} and more text here"\n2,b,another text of some length\n', "a.csv"))
    assert documents[0].title == evil and documents[0].source_id == "=1+1" and documents[0].text.startswith(evil)


def test_jsonl(file):
    lines = [
        '{"id": 1, "title": "One", "date": "1999-01-02", "tags": ["a", "b"], "text": "the first text"}',
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
    assert documents[0].metadata == {"tags": "a; b"} and documents[1].metadata == {"deep": '{"a":1}'}
    assert [p.place for p in problems] == ["line 2", "line 3", "line 4", "line 5", "line 6"]
    said = [p.message for p in problems]
    assert "no JSON at all, or cut off" in said[0] and "no object" in said[1] and "is empty" in said[2]
    assert "is missing" in said[3] and "is no text (int)" in said[4]
    assert all(p.dropped for p in problems)


def test_no_json_at_all(file):
    with pytest.raises(Unreadable, match="one JSON object a line"):
        readers.sniff(*file("just\nsome\nlines\n", "a.jsonl"))


def test_text_file(file):
    documents, problems = load(*file("\ufeffHello there.\n", "Letters, 1914.txt"))
    assert documents[0].text == "Hello there.\n" and documents[0].title == "Letters, 1914" and not problems
    assert load(*file(gzip.compress(b"Hello"), "a.txt.gz"))[0][0].title == "a"


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("utf-8", "déjà vu à l'été"), ("utf-8-sig", "déjà vu"), ("utf-16", "déjà vu naïve"), ("utf-16-le", "déjà vu naïve, plain"),
        ("cp1252", "Les élections législatives françaises ont été précédées d’une campagne très animée à Paris, où l’été était chaud."),
        ("shift_jis", "これは日本語の文章です。東京は大きな都市であり、多くの人々が住んでいます。"),
        ("gb18030", "这是一个中文句子。北京是中国的首都,有很多人住在那里,历史悠久。"),
        ("koi8-r", "Москва является столицей России и крупнейшим городом страны, она расположена на реке Москве."),
    ],
)  # fmt: skip
def test_encodings(file, encoding, words):
    content = ((words + " ") * 20).encode(encoding)
    documents, _ = load(*file(content, "a.txt"))
    assert words in documents[0].text


FRENCH = "Les élections législatives françaises ont été précédées d’une campagne très animée à Paris, où l’été était chaud. " * 5


def zipped(tmp_path, entries):
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, content in entries:
            zip_file.writestr(name, content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_zip(tmp_path):
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    bomb = b"a" * 40_000_000
    entries = [
        ("letters/one.txt", "the first letter"), ("letters/", ""), ("two.TXT", "the second letter"), ("../out.txt", "x"), ("/etc/passwd.txt", "x"),
        ("C:/x.txt", "x"), (link, "/etc/passwd"), ("bomb.txt", bomb), ("inner.zip", "PK"), ("picture.png", "x"), ("__MACOSX/._one.txt", "x"),
        ("two.TXT", "the second, again"), ("empty.txt", ""), ("latin.txt", FRENCH.encode("cp1252")),
    ]  # fmt: skip
    path = zipped(tmp_path, entries)
    read_bytes = []
    options = readers.sniff(path, "a.zip", encoding="utf-8").options
    items = list(readers.read(path, "a.zip", options, read_bytes.append))
    documents = [i for i in items if isinstance(i, Document)]
    assert [d.text for d in documents] == ["the first letter", "the second letter", "the second, again", FRENCH]
    assert documents[0].file == "a.zip/letters/one.txt" and documents[0].title == "one"
    said = {i.file: i.message for i in items if isinstance(i, Problem)}
    assert "leads out" in said["a.zip/../out.txt"] and "leads out" in said["a.zip//etc/passwd.txt"] and "leads out" in said["a.zip/C:/x.txt"]
    assert "link" in said["a.zip/link.txt"] and "200 times" in said["a.zip/bomb.txt"] and "within an archive" in said["a.zip/inner.zip"]
    assert "is no .txt, .csv" in said["a.zip/picture.png"]
    assert "more than once" in said["a.zip/two.TXT"] and "no text in it" in said["a.zip/empty.txt"]
    assert "no characters in utf-8" in said["a.zip/latin.txt"]
    assert sum(read_bytes) <= path.stat().st_size
    assert sorted(p.name for p in tmp_path.iterdir()) == ["stored"]


def test_damaged_and_encrypted_entries(tmp_path):
    path = zipped(tmp_path, [("good.txt", "a good text " * 50), ("bad.txt", bytes(range(97, 123)) * 100)])
    content = bytearray(path.read_bytes())
    at = content.index(b"bad.txt") + len(b"bad.txt")
    content[at + 5] ^= 0xFF
    path.write_bytes(content)
    documents, problems = load(path, "a.zip")
    assert [d.title for d in documents] == ["good"] and "is damaged" in problems[0].message
    directory = bytes(content).rindex(b"PK\x01\x02")
    content[directory + 8 : directory + 10] = struct.pack("<H", 1)
    path.write_bytes(content)
    assert "is encrypted" in load(path, "a.zip")[1][0].message


def test_not_a_zip_and_half_a_zip(tmp_path, file):
    with pytest.raises(Unreadable, match="no ZIP archive"):
        readers.sniff(*file("hello there", "a.zip"))
    path = zipped(tmp_path, [("one.txt", "text " * 10_000)])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(Unreadable, match="no whole ZIP archive"):
        readers.sniff(path, "a.zip")
    with pytest.raises(Unreadable, match=r"holds no \.txt, .* Its first entry is no \.txt"):
        readers.sniff(zipped(tmp_path, [("a.pdf", "x")]), "a.zip")


def test_zip_of_tables_and_lines(tmp_path):
    lines = '{"body": "from the lines, a fine text", "key": "j1"}\n{"text": 1}\n'
    entries = [
        ("a.csv", HEADER + ROWS), ("b.csv", "body,key\nthe other order of columns,k9\n"), ("c.tsv", "key\tbody\nk10\tfrom tabs, with a comma\n"),
        ("d.jsonl", lines), ("e.txt", "a plain text"), ("f.csv.gz", gzip.compress(b"key,body\nk11,compressed twice\n")),
        ("g.csv", b"\x89PNG\r\n\x1a\n" + bytes(100)), ("h.csv", "words,number\nsome words without a body,1\n"),
    ]  # fmt: skip
    path = zipped(tmp_path, entries)
    sniff = readers.sniff(path, "a.zip")
    assert sniff.options.format == "zip" and sniff.columns[5] == "body" and roles(sniff.options)["text"] == 5
    read = []
    items = list(readers.read(path, "a.zip", sniff.options, read.append))
    documents = [i for i in items if isinstance(i, Document)]
    assert [d.source_id for d in documents] == [*(f"k{i}" for i in range(8)), "k9", "k10", "j1", "a.zip/e.txt", "k11"]
    assert documents[9].text == "from tabs, with a comma" and documents[0].place == "row 1 (line 2)" and documents[0].file == "a.zip/a.csv"
    said = " ".join(i.message for i in items if isinstance(i, Problem))
    assert "a.zip/d.jsonl”, line 2" in said and "a PNG picture" in said and "“a.zip/h.csv” has no column “body”" in said
    assert 0 < sum(read) <= path.stat().st_size


def test_files_of_several_formats_together(file):
    options = readers.sniff(*file("some words", "a.txt")).options
    (document,) = readers.read(*file("id,text\n1,fine words\n", "b.csv"), options)
    assert (document.source_id, document.text) == ("1", "fine words")
    options = readers.sniff(*file('{"id": 1, "body": "fine words"}\n', "a.jsonl")).options
    (document,) = readers.read(*file("a,body\n1,other words\n", "b.csv"), options)
    assert (document.source_id, document.text, document.metadata) == ("", "other words", {"a": "1"})


def test_a_compressed_zip_and_names_in_other_letters(tmp_path):
    path = zipped(tmp_path, [("été.txt", "the first letter"), ("b.txt", "the second")])
    content = path.read_bytes().replace("été".encode(), b"\xe9t\xe9xx")
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert [d.title for d in load(path, "a.zip.gz")[0]] == ["été", "b"]
    path.write_bytes(content)  # the name is marked as UTF-8 and is not
    try:
        assert len(load(path, "a.zip")[0]) == 2
    except Unreadable as error:
        assert "“a.zip” is no whole ZIP archive" in str(error)


def test_names_that_are_not_marked_as_utf8(tmp_path):
    path = zipped(tmp_path, [("naïve.txt", "words")])
    content = bytearray(path.read_bytes())
    for at, signature in ((6, b"PK\x03\x04"), (8, b"PK\x01\x02")):
        start = content.index(signature)
        content[start + at : start + at + 2] = b"\0\0"
    path.write_bytes(content)
    assert load(path, "a.zip")[0][0].title == "naïve"


def test_a_damaged_table_in_a_zip_gives_what_comes_before(tmp_path):
    path = zipped(tmp_path, [("a.csv", HEADER + "".join(f"k{i},Headline,{i % 90 + 1900},x,y,{i * i} text\n" for i in range(60_000)))])
    content = bytearray(path.read_bytes())
    content[-4000] ^= 0xFF
    path.write_bytes(content)
    documents, problems = load(path, "a.zip")
    assert len(documents) > 1000 and "is damaged" in problems[-1].message


@pytest.mark.filterwarnings("error")
def test_any_damage_to_a_zip_is_a_sentence(tmp_path):
    """Every byte of a small archive changed in turn: documents, problems or Unreadable, and nothing else."""
    path = zipped(tmp_path, [("a.csv", "id,text\n1,fine words\n2,more words\n"), ("b.txt", "a plain text " * 9)])
    whole = path.read_bytes()
    for at in range(len(whole)):
        for change in (0xFF, 0x01, 0x80):
            content = bytearray(whole)
            content[at] ^= change
            path.write_bytes(content)
            with contextlib.suppress(Unreadable):
                load(path, "a.zip")


def test_too_much_inside(tmp_path, monkeypatch):
    path = zipped(tmp_path, [(f"{i}.txt", f"{i} " * 40) for i in range(9)])
    monkeypatch.setattr(archive, "MAX_UNPACKED", 200)
    with pytest.raises(Unreadable, match="Split it"):
        load(path, "a.zip")


def test_gzip_that_is_none_or_ends_too_soon(file):
    with pytest.raises(Unreadable, match="not compressed by gzip"):
        readers.sniff(*file("id,text\n", "a.csv.gz"))
    whole = gzip.compress((HEADER + ROWS * 3000).encode())
    path, name = file(whole[: len(whole) // 2], "a.csv.gz")
    options = readers.Options("csv", "utf-8", ",", True, 5, 1, 2, 0)
    items = []
    with pytest.raises(Unreadable, match="ends in the middle"):
        for item in readers.read(path, name, options):
            items.append(item)
    assert len(items) > 100  # what came before is given


def test_progress_is_the_size_of_the_file(file):
    for name, content in (("a.csv", (HEADER + ROWS).encode()), ("a.csv.gz", gzip.compress((HEADER + ROWS).encode()))):
        path, name = file(content, name)
        read = []
        list(readers.read(path, name, readers.sniff(path, name).options, read.append))
        assert sum(read) == path.stat().st_size


def test_memory_stays_flat(tmp_path):
    path = tmp_path / "stored"
    with path.open("w") as out:
        out.write("id,text\n")
        for i in range(60_000):
            out.write(f"{i},{'some words of a document ' * 30}\n")
    options = readers.sniff(path, "a.csv").options
    tracemalloc.start()
    count = sum(1 for _ in readers.read(path, "a.csv", options))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 60_000 and path.stat().st_size > 40_000_000
    assert peak < 5_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1790", date(1790, 1, 1)), ("1914-1-3", date(1914, 1, 3)), ("26-FEB-1987", date(1987, 2, 26)), ("3 January 1914", date(1914, 1, 3)),
        ("January 3, 1914", date(1914, 1, 3)), ("2020-05", date(2020, 5, 1)), ("2024-01-14T10:00:00Z", date(2024, 1, 14)),
        ("3. März 1848", date(1848, 3, 3)), ("14.07.1789", date(1789, 7, 14)), ("20200131", date(2020, 1, 31)), ("May 1968", date(1968, 5, 1)),
        ("Thu, 26 Feb 1987 15:01:01 GMT", date(1987, 2, 26)), ("Monday, January 3, 1914", date(1914, 1, 3)), ("le 14 juillet 1789", date(1789, 7, 14)),
        ("2024-01-14 10:00:00.5+01:00", date(2024, 1, 14)), ("26-FEB-1987 15:01:01.79", date(1987, 2, 26)), ("0476", date(476, 1, 1)),
        ("12/3/1999", None), ("1914-02-30", None), ("12345", None), ("-300", None), ("0000", None), ("9999-99-99", None), ("", None), ("yesterday", None), ("1" * 500, None), ("30 Foo 1999", None),
    ],
)  # fmt: skip
def test_dates(text, expected):
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("state_of_the_union.csv.gz", 8375, {"text": 5, "title": 1, "date": 2, "id": 0}),
        ("state_of_the_union_1914_2009.mallet.tsv.gz", 9743, {"text": 2, "title": None, "date": 1, "id": 0}),
        ("arxiv_senses.csv.gz", 4350, {"text": 5, "title": 1, "date": 2, "id": 0}),
        ("reuters21578.jsonl.gz", 18777, {"text": 5, "title": 1, "date": 2, "id": 0}),
    ],
)
def test_real_corpora(corpora_folder, name, count, expected):
    path = corpora_folder / name
    assert roles(readers.sniff(path, name).options) == expected
    documents, problems = load(path, name)
    assert len(documents) == count and not problems
    assert sum(parse_date(d.date) is not None for d in documents) > 0.99 * count


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("ja_wikinews/ja_wikinews_raw.shift_jis.csv.gz", {"cp932", "shift_jis"}), ("zh_poems/zh_poems.gb18030.csv.gz", {"gb18030"}),
        ("zh_poems/zh_poems.utf16be_nobom.csv.gz", {"utf-16-be"}), ("zh_poems/zh_poems.utf8bom.csv.gz", {"utf-8-sig"}),
        ("fr_novels/fr_novel_chapters.cp1252.csv.gz", {"cp1252"}), ("ar_classical/ar_plain.cp1256.csv.gz", {"cp1256"}),
    ],
)  # fmt: skip
def test_real_encodings(corpora_folder, name, encoding):
    path = corpora_folder / "languages" / name
    assert readers.sniff(path, path.name).options.encoding in encoding


@pytest.mark.parametrize(
    ("name", "count", "dropped"),
    [
        ("fr_novels/fr_novel_chapters.cp1252.csv.gz", 446, 0), ("fr_novels/fr_txt_latin1.zip", 60, 0), ("ar_classical/ar_plain.cp1256.csv.gz", 1200, 0),
        ("gnome_help_multilang/gnome_help_15lang.csv.gz", 3532, 0), ("ja_wikinews/ja_wikinews_raw.shift_jis.csv.gz", 300, 0),
        ("zh_poems/zh_poems.gb18030.csv.gz", 2280, 0), ("zh_poems/zh_poems.utf16be_nobom.csv.gz", 300, 0), ("zh_poems/zh_poems.big5.csv.gz", 300, 0),
        ("udhr_mixed_encodings/udhr_310lang_native_encodings.zip", 335, 0),
    ],
)  # fmt: skip
def test_real_languages(corpora_folder, name, count, dropped):
    path = corpora_folder / "languages" / name
    documents, problems = load(path, path.name)
    assert len(documents) == count and sum(p.dropped for p in problems) == dropped


@pytest.mark.parametrize("encoding", ["no such", "hex", "rot13", "idna", "unicode_escape", "undefined", "a\0b", "x" * 5000])
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_encodings_that_are_none(file, name, encoding):
    with pytest.raises(Unreadable, match="is no encoding that is known here"):
        readers.sniff(*file('{"text": "words"}\n', name), encoding=encoding)


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n"])
def test_delimiters_that_are_none(file, delimiter):
    with pytest.raises(Unreadable, match="separated by one character only"):
        readers.sniff(*file(HEADER + ROWS, "a.csv"), delimiter=delimiter)


def test_known_options_are_taken(file):
    sniff = readers.sniff(*file((HEADER + ROWS).replace("text", "t\xe9xt").encode("cp1252"), "a.csv"), encoding="cp1252", header=False)
    assert sniff.options.encoding == "cp1252" and not sniff.options.header and sniff.columns[0] == "column 1"
    assert "t\xe9xt" in sniff.rows[1][5] and len(sniff.rows) <= 8 and all(len(cell) <= 300 for row in sniff.rows for cell in row)


def test_options_survive_json():
    """They are kept on the corpus's row."""
    from dataclasses import asdict

    options = readers.Options("csv", "utf-8", ",", True, 5, 1, 2, 0, ("a", "b"))
    assert readers.Options(**json.loads(json.dumps(asdict(options)))).text == 5
