"""How many documents and characters all files have, by what was counted in some of them: each
estimate alone, without a file."""

import pytest

from webapp.intake import file_formats
from webapp.intake.ingest.sample import estimates
from webapp.intake.ingest.sample.estimates import KindTally
from webapp.intake.ingest.sample.plan import UploadedFile


def files(*names: str) -> list[UploadedFile]:
    return [UploadedFile(name, f"source/{name}", 100) for name in names]


def test_each_kind_of_file_is_estimated_by_itself():
    """A tenth of the tables was read, and half of the pages."""
    tables = KindTally(bytes=1_000, bytes_read=100, characters_read=70)
    pages = KindTally(bytes=400, bytes_read=200, characters_read=90)
    assert estimates.characters_by_bytes([tables, pages], sampled=10) == 700 + 180


def test_a_kind_of_which_nothing_was_read_has_as_much_a_byte_as_the_others():
    read = KindTally(bytes=1_000, bytes_read=100, characters_read=50)
    unread = KindTally(bytes=3_000)
    assert estimates.characters_by_bytes([read, unread], sampled=0) == 500 + 1_500


def test_nothing_was_read():
    assert estimates.characters_by_bytes([KindTally(bytes=1_000)], sampled=0) == 0
    assert estimates.documents_by_bytes([], sampled=0) == 0


def test_there_is_no_less_than_the_sample_has():
    tally = KindTally(
        bytes=10, bytes_read=10, texts_read=3, texts_sampled=3, documents_made=3, characters_read=5
    )
    assert estimates.documents_by_bytes([tally], sampled=4) == 4
    assert estimates.characters_by_bytes([tally], sampled=9) == 9


@pytest.mark.parametrize(
    ("sampled", "made", "expected"),
    [
        (10, 10, 500),  # each text is a document
        (10, 30, 1_500),  # each is cut into three
        (2.5, 5, 1_000),  # the third text is cut into more than the sample has room for
        (10, 2, 100),  # five are joined to one
        (0, 0, 0),  # no document came of what was read
    ],
)
def test_texts_become_as_many_documents_as_those_of_the_sample(sampled, made, expected):
    """50 texts were read, some of them only to count, in a tenth of the bytes."""
    tally = KindTally(
        bytes=1_000, bytes_read=100, texts_read=50, texts_sampled=sampled, documents_made=made
    )
    assert estimates.documents_by_bytes([tally], sampled=made) == expected


def test_where_each_file_is_a_document_all_count_but_those_that_can_not_be_read():
    assert estimates.documents_by_files(files=120, unreadable=3, sampled=40) == 117
    assert estimates.documents_by_files(files=2, unreadable=1, sampled=2) == 2


def test_of_names_as_large_a_share_can_be_read_as_of_those_that_were_tried():
    assert estimates.documents_by_names(named_documents=400, sampled=30, lost=10) == 300
    assert estimates.documents_by_names(named_documents=400, sampled=40, lost=0) == 400
    assert estimates.documents_by_names(named_documents=5, sampled=0, lost=5) == 0


def inside(counts: dict[str, tuple[int, int]], monkeypatch) -> None:
    """counts: name of an archive -> names in it, and how many of them are documents."""

    def count_single(path, name, most):
        count = file_formats.NamesCount(*counts[name])
        return count if count.names <= most else None

    monkeypatch.setattr(file_formats, "count_single", count_single)


def test_names_of_files_and_of_entries_are_counted(monkeypatch):
    inside({"a.zip": (9, 7), "b.zip": (5, 5)}, monkeypatch)
    uploaded = files("1.txt", "a.zip", "2.html", "b.zip")
    assert estimates.count_names(uploaded, lambda file: True, 14) == 14


def test_all_archives_together_have_no_more_names_than_there_is_time_for(monkeypatch):
    inside({"a.zip": (9, 7), "b.zip": (5, 5)}, monkeypatch)
    assert estimates.count_names(files("a.zip", "b.zip"), lambda file: True, 13) is None


def test_names_say_nothing_of_files_with_many_documents():
    assert estimates.count_names(files("1.txt", "a.csv"), lambda file: False, 100) is None
