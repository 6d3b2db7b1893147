"""Phrases that a version's documents propose, each with a passage; found on first demand and kept beside the version's words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
from django.db import connection

from inference.text import Choice, Spread, Stream
from inference.text.phrases import find
from inference.text.units import Units
from webapp.accounts import embargo
from webapp.ingest.estimates import rough
from webapp.models import Corpus, Version
from webapp.storage import files

READ = 4_000_000  # pieces that are looked through: some 25 MB of English, two or three seconds
MOST = 300
_BEFORE, _AFTER = 70, 110  # characters of a passage
_PASSAGES = """
    SELECT a.i, substr(d.text, a.first + 1, a.size)
    FROM unnest(%s::int[], %s::bigint[], %s::int[], %s::int[]) AS a(i, number, first, size)
    JOIN document d ON d.corpus_id = %s AND d.number = a.number
"""


def proposed(version: Version, choice: Choice) -> list[dict]:
    """Phrases by score, largest first: words, documents, tokens, score, and the document and character where one stands.

    choice: the version's. Of a long corpus they are found in documents evenly spread over it, and their numbers are estimates.
    """
    path = files.version_folder(version.pk) / "phrases.json"
    if not path.exists():
        _keep(path, _found(version, choice))
    return orjson.loads(path.read_bytes())


def left_out(row: dict, version: Version, choice: Choice) -> str:
    """Why a phrase would be no word of a version with the same thresholds, as the end of a sentence; "" for one that would. None
    is proposed that is too rare."""
    share = row["documents"] / max(1, version.documents)
    if share <= choice.max_share:
        return ""
    return f"in {100 * share:.3g}% of the documents: more than the {100 * choice.max_share:.3g}% that words may be in"


def with_passages(corpus: Corpus, rows: list[dict]) -> list[dict]:
    """Adds `passage`, (text, whether it is the phrase) parts, as the embargo allows."""
    first = [max(0, row["start"] - _BEFORE) for row in rows]
    sizes = [row["stop"] + _AFTER - begin for row, begin in zip(rows, first, strict=True)]
    with connection.cursor() as cursor:
        cursor.execute(_PASSAGES, [list(range(len(rows))), [row["document"] for row in rows], first, sizes, corpus.pk])
        texts = dict(cursor.fetchall())
    return [
        row | {"passage": embargo.passage(corpus, _parts(texts.get(i, ""), row, first[i]))}
        for i, row in enumerate(rows)
    ]


def _parts(text: str, row: dict, first: int) -> list[tuple[str, bool]]:
    start, stop = row["start"] - first, row["stop"] - first
    parts = [(_from_word(text[:start]), False), (text[start:stop], True), (_to_word(text[stop:]), False)]
    return [part for part in parts if part[0]]


def _from_word(text: str) -> str:
    return text.partition(" ")[2] if len(text) == _BEFORE else text


def _to_word(text: str) -> str:
    return text.rpartition(" ")[0] if len(text) == _AFTER else text


def _found(version: Version, choice: Choice) -> list[dict]:
    stream = Spread(Stream.open(files.corpus_folder(version.corpus_id) / "tokens"), READ)
    phrases = find(stream, choice, MOST)
    places = _places(stream, replace(choice, forms="written", phrases=tuple(phrase.words for phrase in phrases)))
    scale = 1 if stream.whole else version.documents / max(1, stream.D)
    return [
        {
            "words": phrase.words,
            "documents": rough(phrase.documents * scale) if scale != 1 else phrase.documents,
            "tokens": rough(phrase.tokens * scale) if scale != 1 else phrase.tokens,
            "score": phrase.score,
            "estimated": scale != 1,
        }
        | dict(zip(("document", "start", "stop"), place, strict=True))
        for phrase, place in zip(phrases, places, strict=True)
        if place
    ]


def _places(stream: Spread, choice: Choice) -> list[tuple[int, int, int] | None]:
    """Of each phrase the first document that has it, and where it stands there; None where a longer phrase covers it everywhere."""
    units = Units(stream.lexicon, choice)
    found: list[tuple[int, int, int] | None] = [None] * len(choice.phrases)
    for block in stream.blocks():
        numbers, first, last, ends = units.of(block.words, block.ends)
        own = units.phrases()
        at = np.flatnonzero((numbers >= own.start) & (numbers < own.stop))
        which, where = np.unique(numbers[at], return_index=True)
        documents = np.searchsorted(ends, at[where], side="right")
        for phrase, place, document in zip(
            (which - own.start).tolist(), at[where].tolist(), documents.tolist(), strict=True
        ):
            start, last_start = int(block.starts[first[place]]), int(block.starts[last[place]])
            stop = last_start + len(choice.phrases[phrase].rsplit(" ", 1)[-1])
            found[phrase] = (int(stream.numbers[block.first + document]), start, stop)
    return found


def _keep(path: Path, rows: list[dict]) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(orjson.dumps(rows))
    new.replace(path)
