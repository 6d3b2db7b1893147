"""What is bounded before it is parsed, what an inspection may cost whatever was uploaded, and what
is said of it."""

import csv
import inspect
import io
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from benchmarks.browser import form_fields
from tests.webapp.intake.file_formats.reading import load
from tests.webapp.intake.file_formats.test_examples import FOLDER
from tests.webapp.intake.file_formats.test_looking import slow_pdf
from webapp.intake import file_formats
from webapp.intake.file_formats import formats, looking, rows, sandbox, table
from webapp.intake.file_formats.base import Unreadable
from webapp.intake.ingest import guesses, shaping

DEEP = 1_000_000
ALTERNATIVE = (
    b"Content-Type: multipart/alternative; boundary=y\n\n--y\n\nplain\n--y\nContent-Type:"
    b" text/html\n\n<p>html</p>\n--y--\n"
)


@pytest.fixture
def fresh():
    """The test's worker process is its own; to start one takes half a second of the processor."""
    sandbox.close()
    yield
    sandbox.close()


def sentence(path, name: str) -> str:
    with pytest.raises(Unreadable) as error, looking.within(600):
        file_formats.sniff(path, name)
    return str(error.value)


# Bounds before parsing


def test_the_csv_module_sees_no_blank_line_between_rows(file, monkeypatch):
    real = csv.reader
    seen = []

    def counting(lines, **dialect):
        return real((seen.append(line) or line for line in lines), **dialect)

    monkeypatch.setattr(rows.csv, "reader", counting)
    content = (
        b"\n" * 100_000
        + b"id,text\n"
        + b"\r\n" * 100_000
        + b'1,"two\n\n\nlines"\n\n\n2,words\n'
        + b"\n" * 100_000
    )
    path, name = file(content, "a.csv")
    options = file_formats.Options(format="csv", delimiter=",", header=True, text=1)
    first, second = file_formats.read(path, name, options)
    assert (first.text, first.place) == ("two\n\n\nlines", "row 1 (line 200002)")
    assert (second.text, second.place) == ("words", "row 2 (line 200008)")
    assert len(seen) < 20


def test_a_table_about_the_files_is_guessed_in_one_reading(tmp_path, monkeypatch):
    columns = [f"column{i}" for i in range(40)]
    table = tmp_path / "table"
    lines = [",".join([f"{i}.txt", *("x" * 39)]) for i in range(9)]
    table.write_text("\n".join([",".join(columns), *lines]))
    real = file_formats.read
    readings = []
    monkeypatch.setattr(
        shaping.table.file_formats, "read", lambda *given: readings.append(given) or real(*given)
    )
    guess = shaping.guess_table([(table, "table.csv"), *((table, f"{i}.txt") for i in range(9))])
    assert (guess.name, guess.key, guess.matched) == ("table.csv", "column0", 9) and len(
        readings
    ) == 1


def test_a_paragraph_of_marks_is_text(file):
    path, name = file(
        b"*_" * 100_000 + b"\n\n*some* [words](http://x.y)\n\n" + b"[" * 200_000, "a.md"
    )
    (document,), _ = load(path, name)
    assert document.text == "*_" * 100_000 + "\n\nsome words\n\n" + "[" * 200_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b"[" * DEEP),
        ("a.json", b"[1," * DEEP),
        ("a.json", b'{"a":' * DEEP),
        ("a.jsonl", b"[" * DEEP + b"\n"),
    ],
)
def test_json_that_is_nested_is_said_to_be(file, name, content):
    assert "nested too deeply" in sentence(*file(content, name))


def test_a_list_of_objects_is_looked_for_so_far(file):
    assert "no list of objects begins within" in sentence(
        *file(b"{" + b'"a":1,' * 3_000_000, "a.json")
    )


# Inspections


def packed(tmp_path: Path, key: str, **entries: bytes) -> Path:
    """An archive of this format: of these entries, or of an example of each of some formats."""
    path = tmp_path / "packed"
    contents = entries or {
        name: (FOLDER / name).read_bytes()
        for name in ("address.docx", "address.html", "letter.eml")
    }
    with zipfile.ZipFile(path, "w") if key == "zip" else tarfile.open(path, "w") as archive:
        for name, content in contents.items():
            if key == "zip":
                archive.writestr(name, content)
            else:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return path


@pytest.mark.parametrize("key", [key for key in formats.FORMATS if key != "vocabulary"])
def test_every_format_is_inspected_in_the_sandbox(key, tmp_path, monkeypatch):
    known = formats.FORMATS[key]
    files = {
        formats.by_name(path.name): path for path in sorted(FOLDER.iterdir()) if path.is_file()
    }
    if known.bag:
        path = tmp_path / "bag"
        content = {
            "uci": "1\n2\n1\n1 1 3\n",
            "mtx": "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 3\n",
        }
        path.write_text(content.get(key, "1 0:3\n"))
        name = {"uci": "docword.a.txt", "mtx": "a.mtx", "ldac": "a.ldac"}[key]
        (tmp_path / "words").write_text("war\npeace\n")
        beside = [(tmp_path / "words", "vocab.txt")]
    elif key in files:
        path = files[key]
        name = files[key].name
        beside = []
    elif known.archive:
        path = packed(tmp_path, key)
        name = f"a{known.endings[0]}"
        beside = []
    else:
        path = tmp_path / "file"
        name = f"a{known.endings[0]}"
        beside = []
        path.write_text("title\ttext\n1\ta text of words\n")
    expected = file_formats.sniff(path, name, beside)
    documents = list(file_formats.read(path, name, expected.options, companions=beside))
    # here: a process of the sandbox has its own
    monkeypatch.setattr(known.module, "sniff", None, raising=False)
    monkeypatch.setattr(known.module, "read", None)
    monkeypatch.setattr(known.module, "files", None, raising=False)
    with looking.within(600):
        sniffed = file_formats.sniff(path, name, beside)
        assert sniffed == expected
        assert (
            documents
            and list(file_formats.read(path, name, sniffed.options, companions=beside)) == documents
        )


@pytest.fixture
def fatal(monkeypatch, fresh):
    """A worker process dies of what has the word "fatal" in it, as it would of a parser's fault."""
    real = sandbox.WorkerProcess.command

    def command(*given) -> list[str]:
        python, _, module, *rest = real(*given)
        code = f"""
import os, sys
from webapp.intake.file_formats import html
head = html.head
def fatal(path, name, *most):
    beginning = head(path, name, *most)
    if b"fatal" in beginning:
        os.kill(os.getpid(), 11)
    return beginning
html.head = fatal
from {module} import main
main()
"""
        return [python, "-c", code, *rest]

    monkeypatch.setattr(sandbox.WorkerProcess, "command", staticmethod(command))


@pytest.mark.parametrize("key", ["zip", "tar"])
def test_of_an_entry_at_which_a_worker_dies_the_others_are_inspected(tmp_path, fatal, key):
    contents = {f"{i}.html": b"<p>fatal" if i in (0, 2) else b"<p>page %d" % i for i in range(5)}
    path = packed(tmp_path, key, **contents)
    name = f"a.{key}"
    told = []
    with looking.within(600):
        sniffed = file_formats.sniff(path, name)
        assert sniffed.options.entry == "html"
        items = list(file_formats.read(path, name, sniffed.options, told.append))
    assert [
        item.text if isinstance(item, file_formats.Document) else item.file for item in items
    ] == [
        f"{name}/0.html",
        "page 1",
        f"{name}/2.html",
        "page 3",
        "page 4",
    ]
    assert all(
        f"“{item.file}” can't be read: the program" in item.message for item in (items[0], items[2])
    )
    assert 0 < sum(told) <= path.stat().st_size


def test_an_archive_of_which_many_workers_die_is_given_up(tmp_path, fatal):
    path = packed(tmp_path, "zip", **{f"{i}.html": b"<p>fatal" for i in range(9)})
    match = "“a.zip/3.html” can't be read: the program that reads such files stopped"
    with pytest.raises(Unreadable, match=match), looking.within(600):
        load(path, "a.zip")


def test_a_table_in_an_archive_is_found_in_the_sandbox(tmp_path, monkeypatch):
    rows = b"file,author,year\n" + b"".join(b"%d.txt,Adams,190%d\n" % (i, i) for i in range(9))
    contents = {"about.csv": rows} | {f"{i}.txt": b"a letter" for i in range(9)}
    path = packed(tmp_path, "zip", **contents)
    expected = shaping.guess_table([(path, "a.zip")])
    monkeypatch.setattr(formats.FORMATS["zip"].module, "files", None)
    monkeypatch.setattr(formats.FORMATS["csv"].module, "sniff", None)
    with looking.within(600):
        assert (
            shaping.guess_table([(path, "a.zip")])
            == expected
            == shaping.TableGuess("a.zip/about.csv", "file", 9, 9, named=9, files=9, exact=9)
        )


@pytest.fixture
def roomy(monkeypatch):
    """Workers with so much memory that what is slow ends by its time: a fast machine fills the
    usual memory in two seconds."""
    sandbox.close()
    monkeypatch.setattr(sandbox, "MEMORY", 8 << 30)
    yield
    sandbox.close()


def test_an_inspection_ends_after_its_processor_seconds_with_a_sentence(file, roomy):
    path, name = file(slow_pdf(), "a.pdf")
    with looking.within(600, processor=1):
        with pytest.raises(Unreadable, match="took longer than 1 seconds"):
            file_formats.sniff(path, name)
        with pytest.raises(looking.Exhausted, match="more than 1 seconds of a processor"):
            file_formats.sniff(path, name)


def test_an_inspection_has_the_seconds_that_are_documented():
    """A page's and a worker's: neither says another number."""
    seconds = inspect.signature(looking.within).parameters["processor"].default
    documented = " ".join((settings.BASE_DIR / "docs" / "security.md").read_text().split())
    assert (
        seconds == looking.PROCESSOR_SECONDS
        and f"An inspection may take {seconds:.0f} seconds of a processor" in documented
    )


def test_what_a_process_of_the_sandbox_needed_is_counted(file):
    path, name = file(b"id,text\n" + b"1,words\n" * 300_000, "a.csv")
    options = file_formats.sniff(path, name).options
    with looking.within(600, processor=100):
        before = looking.left() + time.thread_time()  # what this thread needs is not meant
        assert sum(1 for _ in file_formats.read(path, name, options)) == 300_000
        assert before - (looking.left() + time.thread_time()) > 0.05


@pytest.mark.django_db
def test_what_could_not_be_found_out_is_not_asked_again(draft, monkeypatch, roomy):
    corpus = draft(slow_pdf(), "a.pdf")
    monkeypatch.setattr(looking, "PROCESSOR_SECONDS", 1)
    guesses.look_long(corpus, guesses.FilesQuestion("", {}), lambda: False)
    monkeypatch.setattr(file_formats, "sniff_first", None)
    with pytest.raises(Unreadable, match="took longer than"):
        guesses.sniff(corpus)


def test_a_process_of_which_no_more_is_wanted_reads_the_next_file(file):
    path, name = file(b"id,text\n" + b"1,words\n" * 300_000, "a.csv")
    options = file_formats.sniff(path, name).options
    with looking.within(600), looking.first(1_000_000, 5):
        items = file_formats.read(path, name, options)
        assert next(items).text == "words"
        assert sandbox.Request.open == 1
        items.close()
    assert len(sandbox.WorkerProcess.waiting) == 1 and sandbox.Request.open == 0


def test_a_process_that_ended_by_itself_is_reaped(monkeypatch, fresh):
    monkeypatch.setattr(sandbox, "IDLE", 1)
    load(FOLDER / "address.html", "address.html")
    place = Path(f"/proc/{sandbox.WorkerProcess.waiting[0].process.pid}")
    until = time.monotonic() + 60
    while place.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not place.exists()


# True sentences


@pytest.mark.parametrize(
    "content", [b"<div>" * DEEP + b"words", b"<p>some</p>" + b"<b>" * DEEP + b"words"]
)
def test_the_text_of_nested_html_is_kept(file, content):
    (document,), (problem,) = load(*file(content, "a.html"))
    assert (
        document.text.split()[-1] == "words"
        and "too deep in each other; its text was kept" in problem.message
    )


def test_no_reader_sees_the_name_of_an_exception(file):
    content = b"Subject: x\n" + b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(20_000)
    )
    _, (problem,) = load(*file(content, "a.eml"))
    assert "its parts are nested too deeply" in problem.message and "Error" not in problem.message


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            (
                b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nbody\n--x\nContent-Type:"
                b" text/plain\n\nmore\n--x--\n"
            ),
            "1 attachment or other part of it was not read",
        ),
        (
            (
                b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nbody\n--x\nContent-Type:"
                b" message/rfc822\n\nSubject: y\n\nforwarded\n--x--\n"
            ),
            "1 attachment or other part of it was not read",
        ),
        (
            b"Content-Type: application/pdf\n\nx\n",
            "its body holds no text, and 1 attachment or other part of it can't be read",
        ),
        (
            b"Content-Transfer-Encoding: base64\nContent-Type: text/plain\n\nd29yZH@@=\n",
            "not whole as base64",
        ),
        (
            b"Content-Type: multipart/mixed; boundary=x\n\nonly this\n",
            "the line that should divide it into parts is not in it",
        ),
        (
            b"Content-Type: text/plain; charset=utf-8\n\ncaf\xe9\n",
            "its bytes are not in utf-8, as it says",
        ),
        (
            b"Content-Type: text/plain; charset=klingon\n\nwords\n",
            (
                "it says that it is in “klingon”, which is no encoding that is known here; it was"
                " read as utf-8"
            ),
        ),
        (
            b"Content-Transfer-Encoding: base64\n\n!!!!\n",
            "nothing of its text could be decoded as base64; it was left out",
        ),
        (
            b"Content-Transfer-Encoding: x-binhex\n\nwords\n",
            "its transfer encoding “x-binhex” is not known here; its text was read as it stands",
        ),
    ],
)
def test_a_message_says_what_of_it_was_not_read(file, content, expected):
    _, problems = load(*file(b"Subject: x\n" + content, "a.eml"))
    assert expected in " ".join(problem.message for problem in problems)


def test_a_message_without_headers_is_said_to_have_none(file):
    (document,), (problem,) = load(*file(b"some words and\nmore words\n", "a.eml"))
    assert (
        document.text == "some words and\nmore words"
        and "it has no headers, such as From and Subject" in problem.message
    )


def test_other_forms_of_the_body_are_not_said_to_be_lost(file):
    (document,), problems = load(*file(b"Subject: x\n" + ALTERNATIVE, "a.eml"))
    assert document.text == "plain" and not problems


def test_a_mailbox_that_is_none_is_said_to_be(file):
    (_,), (problem, _) = load(*file(b"Dear diary,\n\nsome words\n", "a.mbox"))
    assert "does not begin with a line “From …”" in problem.message
    assert not load(*file(b"From a Mon Jan  1 00:00:00 2001\nSubject: x\n\nwords\n", "b.mbox"))[1]


def test_a_line_of_a_text_that_begins_with_from_begins_no_message(file):
    begin = b"From a Mon Jan  1 00:00:00 2001\nSubject: "
    content = (
        begin
        + b"x\n\nwords\n\nFrom now on: words\nmore\n\n"
        + begin
        + b"y\n\nz\n\nFrom b@c\nSubject: w\n\nlast\n"
    )
    documents, problems = load(*file(content, "a.mbox"))
    texts = {document.title: document.text for document in documents}
    assert (
        texts == {"x": "words\n\nFrom now on: words\nmore", "y": "z", "w": "last"} and not problems
    )
    old, _ = load(*file(content.replace(b"\n", b"\r"), "b.mbox"))
    assert {document.title: document.text for document in old} == texts


def test_a_mailbox_of_blank_lines_is_said_to_be_one(file):
    _, (problem,) = load(*file(b"\n\n\n", "a.mbox"))
    assert "has no messages: only blank lines" in problem.message


def test_what_stands_behind_many_blank_lines_is_not_denied(file):
    blank = b"\n" * table.SAMPLE_LINES
    assert "its first 100,000 lines are blank. Take them out" in sentence(
        *file(blank + b"\nid,text\n1,words\n", "a.csv")
    )
    sniffed = file_formats.sniff(*file(b"id,text\n" + blank + b"1,words\n", "b.csv"))
    assert "only blank lines below it in its first 100,000 lines" in sniffed.problem
    assert "has no rows: only blank lines" in sentence(*file(blank + b"\n\n", "c.csv"))
    assert (
        "a row of names and no row below it"
        in file_formats.sniff(*file(b"id,text\n\n", "d.csv")).problem
    )


def test_of_json_that_is_too_deep_is_not_said_that_it_is_none(file):
    deep = sentence(*file(b'[{"text":' + b"[" * DEEP + b"]" * DEEP + b"}]", "a.json"))
    assert (
        "object 1: it is nested too deeply; it and what follows" in deep and "not JSON" not in deep
    )
    sniffed = file_formats.sniff(*file(b'{"text": "words"}\n{"text"\n', "b.jsonl"))
    assert "1 of the first 2 lines can’t be read as JSON objects" in sniffed.problem


def test_a_matrix_that_says_more_than_it_holds(tmp_path):
    (tmp_path / "words").write_text("war\npeace\n")
    (tmp_path / "bag").write_text(
        "%%MatrixMarket matrix coordinate integer general\n9 2 9000000000\n1 1 3\n"
    )
    beside = [(tmp_path / "words", "vocab.txt")]
    document, problem = file_formats.read(
        tmp_path / "bag", "a.mtx", file_formats.Options(format="mtx"), companions=beside
    )
    assert document.text == "war war war"
    assert (
        "says that it has 9,000,000,000 entries, and 1 were found. Is it complete?"
        in problem.message
    )
    (tmp_path / "bag").write_text(
        "%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 1 3\n1 2 1\n"
    )
    _, problem = file_formats.read(
        tmp_path / "bag", "a.mtx", file_formats.Options(format="mtx"), companions=beside
    )
    assert "says that it has 1 entries, and 2 were found. All of them were read." in problem.message


TABLE = b"id,text,author\n1,one,Ann\n2,two, and three, and more,Bob\n3,x,y,z\n"


def split(path, name, options) -> tuple[list, list]:
    items = list(file_formats.read(path, name, options))
    return [one for one in items if isinstance(one, file_formats.Document)], [
        one for one in items if isinstance(one, file_formats.Problem)
    ]


def test_surplus_cells_are_said_to_become_fields(file):
    path, name = file(TABLE, "a.csv")
    options = file_formats.Options(
        format="csv", delimiter=",", header=True, text=1, names=("id", "text", "author")
    )
    documents, problems = split(path, name, options)
    assert [d.text for d in documents] == ["one", "two", "x"]
    assert (
        "row 2 (line 3): expected 3 columns, found 5; its 2 surplus cells were kept as fields of"
        " their own" in problems[0].message
    )
    assert "choose that surplus cells belong to the text" in problems[0].message
    assert documents[1].metadata["column 4"] == "and more"


def test_surplus_cells_are_joined_to_the_text_and_the_rows_are_named(file):
    path, name = file(TABLE, "a.csv")
    options = file_formats.Options(
        format="csv",
        delimiter=",",
        header=True,
        text=1,
        names=("id", "text", "author"),
        surplus=True,
    )
    documents, problems = split(path, name, options)
    assert [d.text for d in documents] == ["one", "two, and three, and more", "x,y"]
    assert [d.metadata["author"] for d in documents] == ["Ann", "Bob", "z"]
    assert [p.place for p in problems] == ["row 2 (line 3)", "row 3 (line 4)"]
    assert "its 2 surplus cells were joined to the text" in problems[0].message


@pytest.mark.django_db
def test_the_page_offers_to_join_surplus_cells(client, draft):
    corpus = draft(TABLE, "a.csv")
    page = client.get(reverse("corpus_prepare", args=[corpus.pk])).content.decode()
    assert (
        "Surplus cells belong to the text" in page and "surplus cells were kept as fields" in page
    )
    sent = form_fields(page) | {"surplus": "on", "preview": "1"}
    page = client.post(reverse("corpus_prepare", args=[corpus.pk]), sent).content.decode()
    assert "two, and three, and more" in page and "surplus cells were joined to the text" in page
