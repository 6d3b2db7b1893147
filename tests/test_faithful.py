"""What is written into files of every format arrives (benchmarks/faithful), on a few texts."""

from benchmarks.faithful.__main__ import BOUND, MILLION, Case, compare, table
from benchmarks.faithful.written import KINDS, Kind


def test_no_word_is_lost_or_invented_in_silence():
    cases = compare(1)
    assert len(cases) == len(KINDS)
    assert [case for case in cases if case.silent] == []
    assert table(cases).splitlines()[-1].endswith("silent: 0")


def test_what_is_silent():
    kind = Kind("text", "nothing", "a.txt", lambda text: b"")
    much = 2 * BOUND
    assert Case(kind, MILLION, much, 0, said=False).silent
    assert Case(kind, MILLION, 0, much, said=False).silent
    assert not Case(kind, MILLION, much, much, said=True).silent
    assert not Case(kind, MILLION, BOUND // 2, BOUND // 2, said=False).silent
    assert table([Case(kind, 1000, 1, 2, said=False)]).splitlines()[-1] == (
        "kept: 999000 lost: 1000 invented: 2000 silent: 1"
    )
