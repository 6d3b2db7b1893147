"""The sandbox: what a worker process dies of costs one file, and the next file is read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.webapp.intake.file_formats.reading import load, zipped
from tests.webapp.intake.file_formats.test_examples import FOLDER
from webapp.intake import file_formats
from webapp.intake.file_formats import sandbox
from webapp.intake.file_formats.base import Unreadable


@pytest.fixture(autouse=True)
def fresh():
    sandbox.close()
    yield
    sandbox.close()


def test_one_worker_reads_many_files():
    for name in ("address.html", "address.docx", "address.pdf", "address.html"):
        assert load(FOLDER / name, name)[0]
    assert len(sandbox.WorkerProcess.waiting) == 1


def test_a_worker_that_dies_or_hangs_is_a_sentence(monkeypatch):
    path = FOLDER / "address.html"
    load(path, path.name)
    process = sandbox.WorkerProcess.waiting[0].process
    process.kill()
    process.wait(60)
    assert load(path, path.name)[0]  # another takes its place
    monkeypatch.setattr(
        sandbox.WorkerProcess,
        "receive",
        lambda self, patience: self.process.kill() or self._exactly(1, patience),
    )
    with pytest.raises(Unreadable, match="the program that reads such files stopped"):
        load(path, path.name)
    monkeypatch.undo()
    monkeypatch.setattr(sandbox, "PATIENCE", 0.001)
    sandbox.close()
    with pytest.raises(Unreadable, match="took longer than"):
        load(path, path.name)
    assert not sandbox.WorkerProcess.waiting


def test_a_reading_that_is_given_up_ends_its_worker():
    path = FOLDER / "addresses.parquet"
    options = file_formats.sniff(path, path.name).options
    worker = sandbox.WorkerProcess.waiting[0]
    rows = file_formats.read(path, path.name, options)
    next(rows)
    rows.close()
    assert worker.process.poll() is not None and not sandbox.WorkerProcess.waiting


def test_a_worker_can_write_nothing_and_has_little_memory():
    load(FOLDER / "address.html", "address.html")
    limits = Path(f"/proc/{sandbox.WorkerProcess.waiting[0].process.pid}/limits").read_text()
    rows = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()}
    assert (
        rows["Max file size"] == "0"
        and rows["Max data size"] == str(sandbox.MEMORY)
        and rows["Max core file size"] == "0"
    )


@pytest.mark.parametrize(("name", "start"), [("a.eml", b"From: a@b.c\n\n"), ("a.html", b"<p>")])
def test_languages_are_guessed_without_a_file(file, name, start):
    text = "Зимой и летом жизнь шла своим чередом, и никто не замечал её. "
    assert load(*file(start + text.encode("cp1251") * 100, name))[0][0].text.startswith(text)


def test_a_spreadsheet_that_fills_the_memory(tmp_path):
    """Two cells at the ends of a sheet: a table of 17 thousand million cells."""
    import zipfile

    with zipfile.ZipFile(FOLDER / "addresses.xlsx") as file:
        parts = {name: file.read(name) for name in file.namelist()}
    sheet = (
        b"<worksheet"
        b' xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row'
        b' r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c'
        b' r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>'
    )
    path = zipped(tmp_path, [*(parts | {"xl/worksheets/sheet1.xml": sheet}).items()])
    with pytest.raises(Unreadable, match="needs more than 1,024 MB of memory|16,384 columns"):
        file_formats.sniff(path, "a.xlsx")
    assert load(FOLDER / "addresses.xlsx", "addresses.xlsx")[0]


ROWS_OF_BOTH_SHEETS = 4  # of addresses.xlsx: its second sheet has the first one's columns


def test_in_an_archive_the_others_are_read(tmp_path, monkeypatch):
    entries = [
        (name, (FOLDER / name).read_bytes())
        for name in ("address.docx", "address.pdf", "addresses.xlsx", "address.epub", "letter.eml")
    ]
    path = zipped(
        tmp_path,
        [
            ("broken.pdf", b"%PDF-1.4 no"),
            *entries,
            ("broken.docx", b"PK\x03\x04 no"),
            ("page.html", "<p>hello &amp; goodbye</p>"),
        ],
    )
    documents, problems = load(path, "a.zip")
    assert [d.file for d in documents] == [
        "a.zip/address.docx",
        "a.zip/address.pdf",
        *["a.zip/addresses.xlsx"] * ROWS_OF_BOTH_SHEETS,
        "a.zip/address.epub",
        "a.zip/letter.eml",
        "a.zip/page.html",
    ]
    assert [p.file for p in problems] == ["a.zip/broken.pdf", "a.zip/broken.docx"]
    assert all(p.dropped and "damaged" in p.message for p in problems)


def test_no_descriptor_is_left_open():
    before = None
    for _ in range(3):
        load(FOLDER / "address.html", "address.html")
        before = before or len(os.listdir("/proc/self/fd"))
    assert len(os.listdir("/proc/self/fd")) == before


def test_work_without_end_ends(file, monkeypatch):
    monkeypatch.setattr(sandbox, "IDLE_WORK_SECONDS", 0)
    with pytest.raises(Unreadable, match="took longer than 0 seconds"):
        load(*file("*some* words [of](http://x.y) a text\n\n" * 100_000, "a.md"))


def test_a_worker_loads_no_more_than_reading_needs():
    """One is started for many a file: the engines would take it ten times as long, and their
    memory."""
    code = (
        "import sys, webapp.intake.file_formats.sandbox_worker; print(*{name.partition('.')[0] for name"
        " in sys.modules})"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert not {"inference", "numba", "scipy", "django"} & set(loaded.split())


def test_formats_load_neither_the_library_of_models_nor_a_compiler():
    """They want folders for temporary files, which a sandbox does not have."""
    program = """
import importlib, pkgutil, sys
from webapp.intake import file_formats
for found in pkgutil.iter_modules(file_formats.__path__):
    importlib.import_module(f"webapp.intake.file_formats.{found.name}")
packages = {name.partition(".")[0] for name in sys.modules}
print(sorted(packages & {"inference", "numba"}))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
