"""What formats of bags of words made elsewhere share: the vocabulary beside the bag, and
documents made of counts."""

import itertools
from collections.abc import Iterable, Iterator

from webapp.intake.file_formats.base import (
    MAX_ID,
    MAX_TEXT,
    MAX_TITLE,
    Document,
    Problem,
    Unreadable,
    clean,
    count_of,
    decoded,
    guess_encoding,
    head,
    lines,
    opened,
    stem,
)
from webapp.intake.file_formats.companions import Companions

MAX_WORDS = 10_000_000
LONGEST_WORD = 200  # characters


def vocabulary(name: str, companions: Companions) -> list[str]:
    """The words, one a line; of a line with tabs the first part. Raises Unreadable where none came
    with the bag."""
    companion = companions.vocabulary_of(name)
    if not companion:
        raise Unreadable(
            f"“{name}” is a bag of words and holds numbers only; its words were not found. Upload"
            " with it the file that lists them, one a line, with a name such as vocab.txt, or pack"
            " both in one ZIP archive."
        )
    source, its_name = companion
    words = []
    with opened(source, its_name) as file:
        for line, _ in lines(decoded(file, guess_encoding(head(source, its_name))), 1 << 16):
            word, _, _ = clean(line.removeprefix("\ufeff")).strip("\r\n").partition("\t")
            words.append("_".join(word.split())[:LONGEST_WORD])
            if len(words) > MAX_WORDS:
                raise Unreadable(
                    f"“{its_name}” has more than {MAX_WORDS:,} lines; at most that many words can"
                    " be read."
                )
    while words and not words[-1]:
        words.pop()
    if not words:
        raise Unreadable(f"“{its_name}”, the vocabulary of “{name}”, is empty.")
    return words


def document(
    number: int, counts: Iterable[tuple[int, int]], words: list[str], name: str
) -> Iterator[Document | Problem]:
    """counts: (word, count) of document `number`, counted from 1; words are numbered from 0. Words
    are repeated, in the given order."""
    place_in_file = f"document {number}"
    repeated = []
    length = 0
    wrong = 0
    for word, count in counts:
        if not (0 <= word < len(words) and count >= 0 and words[word]):
            wrong += 1
            continue
        length += count * (len(words[word]) + 1)
        if length > MAX_TEXT:
            yield Problem(
                name,
                place_in_file,
                f"“{name}”, {place_in_file}: its words have more than {MAX_TEXT:,} characters; it was left"
                " out.",
                True,
            )
            return
        repeated += [words[word]] * count
    if wrong:
        sentence = (
            f"“{name}”, {place_in_file}: {count_of(wrong, 'entry names', 'entries name')} words that the vocabulary of {len(words):,}"
            " words does not have; they were left out. Is it the right vocabulary?"
        )
        yield Problem(name, place_in_file, sentence, False, "entry", wrong)
    if not repeated:
        yield Problem(
            name,
            place_in_file,
            f"“{name}”, {place_in_file}: it holds no words; it was left out.",
            True,
        )
        return
    title = f"{stem(name).removeprefix('docword.')} {number}"[:MAX_TITLE]
    yield Document(
        " ".join(repeated), title, "", f"{clean(name)}:{number}"[:MAX_ID], {}, name, place_in_file
    )


def documents(
    entries: Iterable[tuple[int, int, int]], words: list[str], name: str
) -> Iterator[Document | Problem]:
    """The documents of entries in the order of their documents. entries: (document from 1, word
    from 0, count).
    Raises Unreadable where one document has too many."""
    for number, entries_of_document in itertools.groupby(entries, key=lambda entry: entry[0]):
        counts = [
            (word, count) for _, word, count in itertools.islice(entries_of_document, MAX_WORDS + 1)
        ]
        if len(counts) > MAX_WORDS:
            raise Unreadable(f"“{name}”: document {number} has more than {MAX_WORDS:,} entries.")
        yield from document(number, counts, words, name)


def read_numbers(line: str, count: int, name: str, row: int) -> list[int]:
    """The whole numbers of a line. Raises Unreadable where it holds something else."""
    try:
        values = [int(part) if part.isdigit() else _whole_number(part) for part in line.split()]
        if len(values) == count:
            return values
    except (ValueError, OverflowError):  # no number, or an infinite one
        pass
    raise Unreadable(
        f"“{name}”, line {row}: expected {count} whole numbers, found “{clean(line.strip())[:60]}”."
        " Weights such as tf-idf can't be read: counts are needed."
    )


def _whole_number(part: str) -> int:
    value = float(part)
    if value != int(value):
        raise ValueError(part)
    return int(value)
