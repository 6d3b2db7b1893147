"""What a name or the first look would read wrongly: columns, lone objects, names without an ending,
archives behind something else."""

import io
import json
import zipfile

import pytest

from tests.webapp.intake.file_formats.reading import load, zipped
from tests.webapp.intake.file_formats.test_examples import FOLDER
from tests.webapp.intake.file_formats.test_tar import tarred
from webapp.intake import file_formats

WORDS = "some words of a text that is about ships and harbours, and goes on for a while"


def test_lines_that_lack_a_field_have_it_empty(file):
    lines = [
        {"id": i}
        | ({"body": f"{WORDS} {i}"} if i % 3 else {})
        | ({"place": "Rome"} if i % 2 else {})
        for i in range(30)
    ]
    documents, problems = load(*file("\n".join(map(json.dumps, lines)), "a.jsonl"))
    assert [d.source_id for d in documents] == [str(i) for i in range(30) if i % 3]
    assert {d.metadata.get("place") for d in documents} == {"Rome", None}
    assert len(problems) == 10 and all(
        "its field “body” is missing; it was left out" in p.message for p in problems
    )


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_the_text_is_the_column_with_words(file, ending):
    """Not the one of 5,000 digits, nor the one of hashes or addresses, however long they are."""
    rows = [
        {
            "n": "9" * 5000,
            "hash": "0a1b2c3d4e5f" * 40,
            "at": "https://example.org/" + "x-y/" * 90,
            "words": f"{WORDS} {i}",
        }
        for i in range(20)
    ]
    if ending == "csv":
        content = "n,hash,at,words\n" + "".join(
            ",".join(f'"{cell}"' for cell in row.values()) + "\n" for row in rows
        )
    else:
        content = "".join(json.dumps(row).replace(f'"{row["n"]}"', row["n"]) + "\n" for row in rows)
    documents, problems = load(*file(content, f"a.{ending}"))
    assert [d.text for d in documents] == [row["words"] for row in rows] and not problems


@pytest.mark.parametrize(
    "value",
    [
        {f"letter {i}": f"{WORDS} {i}" for i in range(50)},
        {"about": "fifty letters", "letters": {f"letter {i}": f"{WORDS} {i}" for i in range(50)}},
        {f"letter {i}": {"text": f"{WORDS} {i}", "year": 1900 + i} for i in range(50)},
    ],
)
def test_an_object_that_holds_fifty_texts_is_fifty_documents(file, value):
    documents, problems = load(*file(json.dumps(value, indent=1), "a.json"))
    assert [(d.source_id, d.text) for d in documents] == [
        (f"letter {i}", f"{WORDS} {i}") for i in range(50)
    ]
    assert not problems


def test_a_list_of_texts_is_a_document_each(file):
    documents, _ = load(*file(json.dumps({"texts": [f"{WORDS} {i}" for i in range(50)]}), "a.json"))
    assert [d.text for d in documents] == [f"{WORDS} {i}" for i in range(50)]


def test_an_object_that_may_be_one_document_is_one_and_that_is_said(file):
    one = {"author": "Ann", "place": "Rome", "year": 1901, "summary": WORDS, "letter": WORDS * 9}
    sniffed = file_formats.sniff(*file(json.dumps(one), "a.json"))
    assert "is one object, and would be one document" in sniffed.problem
    assert [d.text for d in load(*file(json.dumps(one), "a.json"))[0]] == [WORDS * 9]
    assert (
        file_formats.sniff(*file(json.dumps({"text": WORDS, "title": "x"}), "a.json")).problem
        is None
    )


def test_a_zip_behind_something_else_is_read(tmp_path):
    path = zipped(tmp_path, [("one.txt", "the first text"), ("two.txt", "the second")])
    content = path.read_bytes()
    for before in (b"MZ\x90\0" + bytes(5000), b"#!/bin/sh\nexec unzip $0\n", b"some text\n"):
        path.write_bytes(before + content)
        assert [d.text for d in load(path, "a.zip")[0]] == ["the first text", "the second"]


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"Just some words of a text.", "text"),
        (b'{"id": 1, "text": "some words"}\n{"id": 2, "text": "more words"}\n', "json"),
        (b'[{"text": "some words"}]', "json"),
        (b"<!DOCTYPE html><title>x</title><p>Some words.", "html"),
        (b"From ann@example.org Mon Jan  1 00:00:00 2001\nSubject: x\n\nSome words.\n", "mail"),
        ((FOLDER / "address.pdf").read_bytes(), "pdf"),
        ((FOLDER / "address.docx").read_bytes(), "docx"),
        (None, "zip"),
    ],
)
def test_a_file_without_an_ending_is_looked_into(file, content, key):
    if content is None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a.txt", "Some words.")
        content = out.getvalue()
    path, name = file(content, "letters of 1901/49960")
    assert file_formats.sniff(path, name).options.format == key
    assert load(path, name)[0]


def test_entries_without_an_ending_are_texts_where_there_are_no_others(file, tmp_path):
    """As the newsgroups come."""
    entries = [(f"alt.atheism/{49960 + i}", f"Some words of number {i}.") for i in range(60)]
    assert len(load(zipped(tmp_path, entries), "a.zip")[0]) == 60
    assert len(load(*file(tarred(entries), "a.tar.gz"))[0]) == 60
    mixed = [
        ("README", "What this is."),
        ("LICENSE", "What may be done."),
        ("a.csv", "id,text\n1,some words\n2,more words\n"),
    ]
    path = zipped(tmp_path, mixed)
    assert file_formats.sniff(path, "a.zip").options.entry == "csv"
    files = []
    for i, (name, content) in enumerate(mixed):
        (tmp_path / str(i)).write_text(content)
        files.append((tmp_path / str(i), name))
    assert file_formats.sniff_first(files).options.format == "csv"
