"""What is written into files of every format arrives (benchmarks/faithful), on a few texts."""

import pytest

from benchmarks.faithful.__main__ import BOUND, MILLION, Case, compare, table
from benchmarks.faithful.collections import COLLECTIONS
from benchmarks.faithful.written import KINDS, Kind

# Cases that can't be read as they were written, and are counted at the top of the preview
SAID = {("PDF", "scan with a stamp"), ("pandas", "xlsx")}


@pytest.fixture(scope="module")
def cases():
    return compare(1)


def test_no_word_date_or_author_is_lost_or_invented_in_silence(cases):
    assert len(cases) == len(KINDS) + len(COLLECTIONS)
    assert [case for case in cases if case.silent] == []
    assert table(cases).splitlines()[-1].endswith("silent: 0")


def test_what_is_not_read_as_it_was_written_is_known(cases):
    wrong = {
        (case.kind.format, case.kind.carries)
        for case in cases
        if any((case.lost, case.invented, case.documents, case.dates, case.authors))
    }
    assert wrong <= SAID


def test_what_is_silent():
    kind = Kind("text", "nothing", "a.txt", lambda text: b"")
    much = 2 * BOUND
    assert Case(kind, MILLION, much, 0, said=False).silent
    assert Case(kind, MILLION, 0, much, said=False).silent
    assert Case(kind, MILLION, 0, 0, said=False, dates=1).silent
    assert Case(kind, MILLION, 0, 0, said=False, documents=1).silent
    assert not Case(kind, MILLION, much, much, said=True, authors=1).silent
    assert not Case(kind, MILLION, BOUND // 2, BOUND // 2, said=False).silent
    assert table([Case(kind, 1000, 1, 2, said=False)]).splitlines()[-1] == (
        "kept: 999000 lost: 1000 invented: 2000 silent: 1"
    )
