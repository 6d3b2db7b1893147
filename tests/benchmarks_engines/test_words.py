"""The questions about words of a large collection, asked of a few simulated documents."""

import re
import sys

from benchmarks.words import large


def test_every_question_is_asked_of_a_few_documents(monkeypatch, capsys):
    options = ["--documents", "2000", "--words", "8", "--repeats", "1"]
    monkeypatch.setattr(sys, "argv", ["large", *options])
    large.main()
    _, *timed, last = capsys.readouterr().out.splitlines()
    names = [line.rsplit(maxsplit=2)[0] for line in timed]
    assert names == [
        "keyness: two periods",
        "keyness: two periods, 50,000 authors",
        "keyness: two values",
        "keyness: a value and all others",
        *(f"pattern: {pattern}" for pattern in large.PATTERNS),
    ]
    assert re.fullmatch(r"keyness: \d+\.\d\d s patterns: \d+\.\d\d s at 2,000 documents", last)
