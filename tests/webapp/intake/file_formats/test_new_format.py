"""The format that CONTRIBUTING.md shows is one."""

import gzip
import sys
import zipfile
from types import ModuleType

import pytest

from tests.contributing import examples
from webapp.intake import file_formats
from webapp.intake.file_formats import formats
from webapp.intake.file_formats.base import Document, Problem, Unreadable

SAYINGS = "Peace, as far as may be.\n%\nTrade with caffè houses.\n%\n\n%\nNo entangling ties.\n"
TEXTS = ["Peace, as far as may be.", "Trade with caffè houses.", "No entangling ties."]


@pytest.fixture
def fortune(monkeypatch):
    """The format, registered as the recipe says."""
    code, registered = examples("Add a file format", "python")
    module = ModuleType("webapp.intake.file_formats.fortune")
    exec(code, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    namespace = {"FORMATS": dict(formats.FORMATS), "Format": formats.Format}
    exec(registered, namespace)
    (key,) = namespace["FORMATS"].keys() - formats.FORMATS.keys()
    monkeypatch.setitem(formats.FORMATS, key, namespace["FORMATS"][key])


def read_all(path) -> list[Document | Problem]:
    sniffed = file_formats.sniff(path, path.name, [])
    return list(file_formats.read(path, path.name, sniffed.options, lambda done: None, []))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_the_format_of_contributing(fortune, tmp_path, encoding):
    path = tmp_path / "washington.fortune"
    path.write_bytes(SAYINGS.encode(encoding))
    documents = read_all(path)
    assert [document.text for document in documents] == TEXTS
    assert [document.title for document in documents] == ["Saying 1", "Saying 2", "Saying 4"]


def test_it_is_read_in_archives_and_packed(fortune, tmp_path):
    packed = tmp_path / "washington.fortune.gz"
    packed.write_bytes(gzip.compress(SAYINGS.encode()))
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as writer:
        writer.writestr("one/washington.fortune", SAYINGS)
    for path in (packed, archive):
        assert [document.text for document in read_all(path)] == TEXTS


def test_a_file_without_a_saying_is_said(fortune, tmp_path):
    path = tmp_path / "empty.fortune"
    path.write_text("%\n\n%\n")
    with pytest.raises(Unreadable, match="has no sayings in it"):
        read_all(path)
