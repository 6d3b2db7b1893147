"""Blei's lda-c: a line a document, the number of its different words and then word:count of each;
with a vocabulary."""

from collections.abc import Callable, Iterator

import regex

from webapp.intake.file_formats import bag
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    clean,
    decoded,
    lines,
    opened,
)
from webapp.intake.file_formats.companions import Companions

_LINE = regex.compile(r"\s*\d{1,9}(\s+\d{1,9}:\d{1,9})*\s*")


def read(
    path: Source,
    name: str,
    options: Options,
    advance: Callable[[int], None],
    companions: Companions,
) -> Iterator[Document | Problem]:
    with opened(path, name) as file:
        first = decoded(file, "utf-8").readline(MAX_TEXT)
    if not _LINE.fullmatch(first):
        raise Unreadable(
            f"“{name}” is not a bag of words in LDA-C’s format: a line should be “3 0:1 4:2 17:1”,"
            f" but the first is “{clean(first.strip())[:60]}”."
        )
    words = bag.vocabulary(name, companions)
    with opened(path, name, advance) as file:
        for number, (line, is_complete) in enumerate(lines(decoded(file, "utf-8"), MAX_TEXT), 1):
            place_in_file = f"line {number}"
            if not is_complete or not _LINE.fullmatch(line):
                wrong = (
                    "it is too long"
                    if not is_complete
                    else f"expected “3 0:1 4:2 17:1”, found “{clean(line.strip())[:60]}”"
                )
                yield Problem(
                    name,
                    place_in_file,
                    f"“{name}”, {place_in_file}: {wrong}; it was left out.",
                    True,
                )
                continue
            stated, *pairs = line.split()
            if int(stated) != len(pairs):
                yield Problem(
                    name,
                    place_in_file,
                    f"“{name}”, {place_in_file}: it says {stated[:20]} words and has {len(pairs):,}; it was"
                    " kept.",
                    False,
                )
            counts = (
                (int(word), int(count))
                for word, _, count in (pair.partition(":") for pair in pairs)
            )
            yield from bag.document(number, counts, words, name)
