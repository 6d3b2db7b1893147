"""Short documents made one, wherever they stand; exact, and in bounded memory."""

import random
import tracemalloc

import pytest

from tests.webapp.intake.ingest.shaping import naive
from webapp.intake.file_formats import Document, Problem
from webapp.intake.ingest.shaping import Shaping, shape
from webapp.intake.ingest.shaping.joining import LONG_CHARACTERS, Lines, join


def tweets(count: int, seed: int = 0) -> list[Document]:
    draw = random.Random(seed)
    authors = ["anna", "Bo\tb", "čapek", "d,e", '"x"', "\n", ""]
    return [
        Document(
            f"text {n}",
            f"t{n}",
            f"2021-03-{draw.randint(1, 9):02d}T12:00",
            str(n),
            {"author": draw.choice(authors), "n": str(n % 2), "all": "same"},
            "a.csv",
            f"row {n}",
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 50, 2000])
def test_as_the_naive_twin(tmp_path, count, monkeypatch):
    monkeypatch.setattr(
        "webapp.intake.ingest.shaping.joining.Lines", lambda folder: Lines(folder, 5000)
    )
    items = tweets(count)
    found = [
        item.text
        for item in shape(items, Shaping(join=("author", "n")), tmp_path)
        if isinstance(item, Document)
    ]
    left = [item.text for item in items if not item.metadata["author"].strip()]
    groups = naive.groups(items, ("author", "n")).values()
    assert found == left + ["\n\n".join(document.text for document in group) for group in groups]
    assert list(tmp_path.iterdir()) == []


def test_by_author_and_day(tmp_path):
    items = tweets(200)
    found = list(shape(items, Shaping(join=("author",), period="day"), tmp_path))
    one = next(
        item for item in found if isinstance(item, Document) and item.title == "anna, 2021-03-05"
    )
    mine = [
        item
        for item in items
        if item.metadata["author"] == "anna" and item.date.startswith("2021-03-05")
    ]
    assert one.text == "\n\n".join(item.text for item in mine) and one.date == "2021-03-05"
    assert (
        one.metadata["author"] == "anna"
        and one.metadata["all"] == "same"
        and one.source_id == one.title
    )
    assert one.place == f"{mine[0].place} and {len(mine) - 1} more"


def test_what_lacks_the_field_is_left_and_counted(tmp_path):
    items = [
        Document("a", "A"),
        Document("b", metadata={"author": "x"}),
        Problem("f", "", "m", True),
        Document("c", metadata={"author": " "}),
        Document("l" * (LONG_CHARACTERS + 1), metadata={"author": "x"}),
    ]
    found = list(shape(items, Shaping(join=("author",)), tmp_path))
    assert (
        found[:3] == [items[0], items[2], items[3]]
        and found[3] == items[4]
        and found[5].text == "b"
    )
    assert "“A” has no author" in found[4].message and "were 2 more" in found[4].message


def test_too_long_a_group_is_several(tmp_path):
    items = [Document(f"{n}" * 40, metadata={"author": "x"}, headings=(0, 3)) for n in range(5)]
    found = list(join(items, Shaping(join=("author",)), tmp_path, most=100))
    assert [document.title for document in found] == ["x", "x (2)", "x (3)"]
    assert "".join(document.text for document in found).replace("\n", "") == "".join(
        item.text for item in items
    )
    assert found[0].headings == (0, 3, 42, 45)


def test_joined_documents_are_cut(tmp_path):
    items = [
        Document("word " * 60, str(n), headings=(0,), metadata={"book": "B"}) for n in range(3)
    ]
    found = list(shape(items, Shaping(join=("book",), sections="headings"), tmp_path))
    assert [(document.part, document.parts, document.whole) for document in found] == [
        (1, 3, "B"),
        (2, 3, "B"),
        (3, 3, "B"),
    ]


@pytest.mark.parametrize("count", [0, 1, 7, 20_000])
def test_lines_are_sorted(tmp_path, count):
    """At 20,000 lines files are merged twice over."""
    draw = random.Random(count)
    rows = [b"%d\n" % draw.randint(0, 10**9) for _ in range(count)]
    with Lines(tmp_path, 1000) as lines:
        for row in rows:
            lines.add(row)
        assert count < 20_000 or len(lines.levels) >= 3
        assert list(lines.sorted()) == sorted(rows)
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_documents(tmp_path):
    """80 MB of short texts of which only some are of one author."""
    draw = random.Random(0)

    def documents():
        for number in range(16_000):
            yield Document(
                "x" * 5000, metadata={"author": str(draw.randint(0, 2000))}, source_id=str(number)
            )

    tracemalloc.start()
    count = sum(len(item.text) for item in shape(documents(), Shaping(join=("author",)), tmp_path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count >= 80e6 and peak < 50e6


def test_memory_does_not_grow_with_the_texts_of_one_group(tmp_path, monkeypatch):
    """A line each of a few letters, all of one speaker."""
    monkeypatch.setattr(
        "webapp.intake.ingest.shaping.joining.Lines", lambda folder: Lines(folder, 500_000)
    )
    count = 5_000

    def documents():
        for number in range(count):
            yield Document("yes", metadata={"speaker": "Ada"}, source_id=str(number), place="line")

    tracemalloc.start()
    (whole,) = shape(documents(), Shaping(join=("speaker",)), tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(whole.text) == 3 * count + 2 * (count - 1)
    assert peak < 2e6
