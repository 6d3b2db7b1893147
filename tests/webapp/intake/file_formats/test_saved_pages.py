"""What a browser saves with a page, in the folder beside it, is no document."""

import io
import tarfile

import pytest

from tests.webapp.intake.file_formats.reading import load, zipped
from webapp.intake import file_formats

ENTRIES = [
    ("saved/Story 0_files/ads.html", "advert click here"),
    ("saved/Story 0_files/lib.js", "var a"),
    ("saved/Story 0_files/list.json", '[{"text": "icon"}]'),
    ("saved/Story 0.html", "<p>The river rose in spring.</p>"),
    ("saved/Geschichte 1.htm", "<p>The tariff on wool.</p>"),
    ("saved/Geschichte 1-Dateien/frame.html", "advert"),
    ("my_files/letter.txt", "A letter of my own."),
]


@pytest.mark.parametrize("packed", ["zip", "tar"])
def test_they_are_left_out_and_counted(tmp_path, packed):
    path = zipped(tmp_path, ENTRIES) if packed == "zip" else tmp_path / "stored"
    if packed == "tar":
        with tarfile.open(path, "w") as archive:
            for name, content in ENTRIES:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content.encode()))
    documents, problems = load(path, f"a.{packed}")
    assert [document.text.strip() for document in documents] == [
        "The river rose in spring.",
        "The tariff on wool.",
        "A letter of my own.",
    ]
    assert [problem.kind for problem in problems] == ["saved page"] * 4
    assert all(
        problem.dropped and "was saved with the page" in problem.message for problem in problems
    )


def test_they_are_left_out_of_files_that_are_uploaded_by_themselves(tmp_path):
    files = []
    for number, (name, content) in enumerate(ENTRIES):
        path = tmp_path / str(number)
        path.write_text(content)
        files.append((path, name))
    options = file_formats.sniff_first(files).options
    companions = file_formats.Companions.among(files)
    items = [i for p, n in files for i in file_formats.read(p, n, options, companions=companions)]
    documents = [item for item in items if isinstance(item, file_formats.Document)]
    assert len(documents) == 3 and "advert" not in " ".join(d.text for d in documents)
    assert sum(getattr(item, "kind", "") == "saved page" for item in items) == 4
