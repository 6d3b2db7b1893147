"""An order of files of which every beginning is spread evenly, and archives that are read in it."""

import io
import itertools
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from webapp.intake import file_formats
from webapp.intake.file_formats import archive, looking, sandbox, sandbox_process, tars, zips
from webapp.intake.file_formats.base import Document, Problem, Unreadable
from webapp.intake.file_formats.even_order import even_order


@pytest.fixture(autouse=True)
def fresh():
    sandbox.close()
    yield
    sandbox.close()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 24, 100, 256, 1000, 3185])
def test_each_number_comes_once(count):
    assert sorted(even_order(count)) == list(range(count))


@pytest.mark.parametrize("count", [256, 1000, 3185])
@pytest.mark.parametrize("most", [10, 50, 165])
def test_every_beginning_is_spread_evenly(count, most):
    """Each tenth has about as many, and so has each second, third and fourth number."""
    beginning = list(itertools.islice(even_order(count), most))
    tenths = Counter(10 * number // count for number in beginning)
    assert len(tenths) >= 9 and max(tenths.values()) <= 1.2 * most / 10 + 1
    for period in (2, 3, 4):
        counts = Counter(number % period for number in beginning)
        assert len(counts) == period and max(counts.values()) <= 1.2 * most / period + 2


def zip_of(tmp_path: Path, files: dict[str, str]) -> Path:
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


def read_evenly(path: Path, name: str, documents: int, **options) -> list[Document | Problem]:
    """The items of an archive, of which so many documents are wanted."""
    with looking.within(600), looking.spread(100_000, documents):
        return list(file_formats.read(path, name, file_formats.Options(**options)))


LETTERS = {f"{number:03}.txt": f"The letter {number}." for number in range(300)}


def test_the_texts_of_an_archive_come_from_all_parts_of_it(tmp_path):
    path = zip_of(tmp_path, LETTERS)
    items = read_evenly(path, "a.zip", 30, format="zip", entry="text")
    titles = [item.title for item in items]
    assert titles == [f"{number:03}" for number in even_order(300)]
    with looking.within(600):
        in_order = list(file_formats.read(path, "a.zip", file_formats.Options(format="zip")))
    assert [item.title for item in in_order] == sorted(titles)


def test_outside_a_look_as_well(tmp_path):
    """As the command reads a sample."""
    path = zip_of(tmp_path, LETTERS)
    with looking.spread(100_000, 30):
        items = list(file_formats.read(path, "a.zip", file_formats.Options(format="zip")))
    assert [item.title for item in items] == [f"{number:03}" for number in even_order(300)]


def table(month: int, rows: int) -> str:
    return "id,text\n" + "".join(f"{month}-{row},words of row {row}\n" for row in range(rows))


def test_tables_in_an_archive_take_turns(tmp_path):
    """Each gives its part, and then the others do; all rows come, each once."""
    files = {f"{month:02}.csv": table(month, 500) for month in range(1, 13)}
    path = zip_of(tmp_path, files)
    read_bytes: list[int] = []
    options = file_formats.sniff(path, "a.zip").options
    with looking.within(600), looking.spread(100_000, 240):
        reading = file_formats.read(path, "a.zip", options, read_bytes.append)
        first = list(itertools.islice(reading, 240))
        assert Counter(item.file for item in first) == {f"a.zip/{name}": 20 for name in files}
        rest = list(reading)
    ids = [item.source_id or item.metadata["id"] for item in (*first, *rest)]
    assert len(ids) == len(set(ids)) == 12 * 500
    packed = sum(info.compress_size for info in zipfile.ZipFile(path).infolist())
    assert sum(read_bytes) == packed


def test_an_archive_in_an_archive_is_spread_too(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        for name, content in LETTERS.items():
            packed.writestr(name, content)
    path = tmp_path / "stored"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("inner.zip", inner.getvalue())
    items = read_evenly(path, "a.zip", 300, format="zip", entry="text")
    assert [item.title for item in items] == [f"{number:03}" for number in even_order(300)]


def test_entries_before_a_damaged_one_are_read(tmp_path):
    path = zip_of(tmp_path, LETTERS)
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02", content.rindex(b"100.txt"))
    content[place : place + 2] = b"XX"
    path.write_bytes(content)
    titles = []
    with looking.within(600), looking.spread(100_000, 30), pytest.raises(Unreadable):
        for item in file_formats.read(path, "a.zip", file_formats.Options(format="zip")):
            titles.append(item.title)
    assert sorted(titles) == [f"{number:03}" for number in range(101)]


def test_no_more_entries_are_listed_than_a_preview_has_time_for(tmp_path, monkeypatch):
    monkeypatch.setattr(zips, "MOST_SPREAD", 50)
    path = zip_of(tmp_path, LETTERS)
    with looking.spread(100_000, 30):
        items = list(file_formats.read(path, "a.zip", file_formats.Options(format="zip")))
    assert sorted(item.title for item in items) == [f"{number:03}" for number in range(50)]


def tar_of(tmp_path: Path, files: dict[str, str], mode: str) -> Path:
    path = tmp_path / "stored"
    with tarfile.open(path, mode) as packed:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content.encode()))
    return path


TARS = [("a.tar", "w"), ("a.tar.gz", "w:gz")]


@pytest.mark.parametrize(("name", "mode"), TARS)
def test_a_small_tar_is_spread(tmp_path, name, mode):
    path = tar_of(tmp_path, LETTERS, mode)
    assert file_formats.can_be_spread(path, name)
    items = read_evenly(path, name, 30, format="tar", entry="text")
    assert [item.title for item in items] == [f"{number:03}" for number in even_order(300)]
    assert {item.text for item in items} == set(LETTERS.values())


@pytest.mark.parametrize(("name", "mode"), TARS)
def test_a_large_tar_is_read_in_its_order(tmp_path, monkeypatch, name, mode):
    """To find its entries all of it would have to be read."""
    path = tar_of(tmp_path, LETTERS, mode)
    monkeypatch.setattr(tars, "MOST_SPREAD_BYTES", 100_000)
    assert not file_formats.can_be_spread(path, name)
    with looking.spread(100_000, 30):
        items = list(file_formats.read(path, name, file_formats.Options(format="tar")))
    assert [item.title for item in items] == [f"{number:03}" for number in range(300)]


def test_a_damaged_tar_is_read_in_its_order(tmp_path):
    path = tar_of(tmp_path, LETTERS, "w")
    path.write_bytes(path.read_bytes()[:100_000])
    titles = []
    with looking.spread(100_000, 30), pytest.raises(Unreadable, match="is damaged after entry"):
        for item in file_formats.read(path, "a.tar", file_formats.Options(format="tar")):
            titles.append(item.title)
    assert titles == [f"{number:03}" for number in range(len(titles))] and len(titles) > 50


def test_large_entries_are_not_open_together(tmp_path, monkeypatch):
    """Of each there is a part at first, and all rows come once; but one is open at a time, and
    small ones beside it."""
    monkeypatch.setattr(archive, "MOST_BEGUN_BYTES", 20_000)
    monkeypatch.setattr(sandbox_process, "now", lambda: True)
    open_files = []
    open_entry = zips.ZipEntry.open

    def opened(entry, mode="rb", buffering=0):
        file = open_entry(entry, mode, buffering)
        if entry.size > 10_000:
            open_files.append(file)
        return file

    monkeypatch.setattr(zips.ZipEntry, "open", opened)
    files = {f"{month:02}.csv": table(month, 500) for month in range(1, 7)}
    files |= {f"{month:02}.csv": table(month, 10) for month in range(7, 13)}
    path = zip_of(tmp_path, files)
    options = file_formats.sniff(path, "a.zip").options
    ids = []
    first_files = Counter()
    most_open = 0
    with looking.spread(100_000, 240):
        for item in file_formats.read(path, "a.zip", options):
            first_files[item.file] += len(ids) < 120
            ids.append(item.source_id or item.metadata["id"])
            most_open = max(most_open, sum(not file.closed for file in open_files))
    assert len(first_files) == 12 and set(first_files.values()) == {10}
    assert len(ids) == len(set(ids)) == 6 * 500 + 6 * 10
    assert most_open <= 2


def test_an_entry_of_which_a_worker_dies_loses_nothing_of_the_others(monkeypatch):
    """Entries take turns: without it the others come in another order."""

    def row(file: str, text: str) -> Document:
        return Document(text, "", "", "", {}, file)

    died = sandbox.Died("It stopped.")
    died.entry = "b"
    problem = Problem("b", "", "It stopped.", True)
    answers = [
        [row("a", "a1"), row("b", "b1"), row("a", "a2"), row("c", "c1"), died],
        [row("a", "a1"), problem, row("c", "c1"), row("c", "c2"), row("a", "a2"), row("a", "a3")],
    ]

    class Request:
        def __init__(self, *_, **__):
            self.answers = answers.pop(0)

        def documents(self, advance):
            for answer in self.answers:
                if isinstance(answer, Exception):
                    raise answer
                yield answer

        def close(self): ...

    monkeypatch.setattr(sandbox, "begin", Request)
    options = file_formats.Options(format="zip")
    items = sandbox.read_archive(Path("a"), "a", "zip", options, "", lambda count: None)
    said = [item.text if isinstance(item, Document) else item.message for item in items]
    assert said == ["a1", "b1", "a2", "c1", "It stopped.", "c2", "a3"]
