"""The documents of a corpus that is a part of another, read from the parent's rows."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np
from django.db import connection

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.ingest.corpora import NUMBERS
from webapp.models import Corpus
from webapp.platform.storage import files
from webapp.platform.storage.sql import tuples

_BLOCK = 32  # documents in memory at a time: each may have 20 million characters
_NUMBERS_AT_ONCE = 100_000  # of documents in one statement: a part may have ten million
_COLUMNS = "number, part, parts, whole, source_id, file, place, title, date_text, metadata, text"


def size(corpus: Corpus) -> int:
    """Bytes of its documents' texts."""
    numbers = _numbers(corpus)
    bytes_of_texts = 0
    for i in range(0, len(numbers), _NUMBERS_AT_ONCE):
        block = numbers[i : i + _NUMBERS_AT_ONCE].tolist()
        rows = tuples(
            "SELECT coalesce(sum(octet_length(text)), 0) FROM document WHERE corpus_id = %s AND"
            " number = ANY(%s)",
            [corpus.parent_id, block],
        )
        bytes_of_texts += int(rows[0][0])
    return bytes_of_texts


def documents(corpus: Corpus, advance: Callable[[int], None]) -> Iterator[file_formats.Document]:
    """In the order of the parent, with its ids, files, places, titles, dates and metadata. Raises
    Invalid where it is gone.

    Of a whole that was cut into sections those that are in the part are a whole there.

    Over a connection of its own: during a COPY that of the task answers nothing else.
    """
    numbers = _numbers(corpus)
    with closing(connection.copy()) as second_connection, second_connection.cursor() as cursor:
        for i in range(0, len(numbers), _BLOCK):
            block = numbers[i : i + _BLOCK].tolist()
            cursor.execute(
                f"SELECT {_COLUMNS} FROM document WHERE corpus_id = %s AND number = ANY(%s) ORDER"
                " BY number",
                [corpus.parent_id, block],
            )
            rows = cursor.fetchall()
            if len(rows) < len(block):
                raise Invalid(
                    "parent",
                    f"“{corpus.provenance['parent']['name']}” was deleted before this part of it"
                    " was made. Delete this, too.",
                )
            for (
                number,
                part,
                parts,
                parent_title,
                source_id,
                file,
                place_in_file,
                title,
                date,
                metadata,
                text,
            ) in rows:
                first = number - part + 1
                before, position, end = np.searchsorted(
                    numbers, [first, number, first + parts]
                ).tolist()
                section = (
                    {"part": position - before + 1, "parts": end - before, "whole": parent_title}
                    if end - before > 1
                    else {}
                )
                yield file_formats.Document(
                    text,
                    title,
                    date,
                    source_id,
                    json.loads(metadata),
                    file,
                    place_in_file,
                    **section,
                )
                advance(len(text.encode()))


def _numbers(corpus: Corpus) -> np.ndarray:
    return np.load(files.corpus_folder(corpus.pk) / NUMBERS)
