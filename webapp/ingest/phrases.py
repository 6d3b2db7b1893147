"""Phrases that a version's documents propose, each with a passage; found on first demand and kept beside the version's
words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson

from inference.durable import rewrite
from inference.text import Choice, Spread, Stream
from inference.text.phrases import find
from inference.text.units import Units
from webapp.accounts import embargo
from webapp.ingest.estimates import rough
from webapp.models import Corpus, Version
from webapp.storage import files, sealed

READ = 4_000_000  # pieces that are looked through: some 25 MB of English, two or three seconds
MOST = 300
_BEFORE, _AFTER = 70, 110  # characters of a passage


def proposed(version: Version, choice: Choice) -> list[dict]:
    """Phrases by score, largest first: words, documents, tokens, score, and the document and character where one
    stands.

    choice: the version's. Of a long corpus they are found in documents evenly spread over it, and their numbers are
    estimates.
    """
    path = files.version_folder(version.pk) / "phrases.json"
    if not path.exists():
        _keep(path, _found(version, choice))
    return orjson.loads(path.read_bytes())


def left_out(row: dict, version: Version, choice: Choice) -> str:
    """Why a phrase would be no word of a version with the same thresholds, as the end of a sentence; "" for one that
    would. None is proposed that is too rare."""
    share = row["documents"] / max(1, version.documents)
    if share <= choice.max_share:
        return ""
    return f"in {100 * share:.3g}% of the documents: more than the {100 * choice.max_share:.3g}% that words may be in"


def with_passages(corpus: Corpus, rows: list[dict]) -> list[dict]:
    """Adds `passage`, (text, whether it is the phrase) parts, as the embargo allows."""
    places = [
        (row["document"], first := max(0, row["start"] - _BEFORE), row["stop"] + _AFTER - first, row["start"])
        for row in rows
    ]
    return [
        row | {"passage": _parts(piece, row)} for row, piece in zip(rows, embargo.pieces(corpus, places), strict=True)
    ]


def _parts(piece: embargo.Piece, row: dict) -> list[tuple[str, bool]]:
    text, start, stop = piece.text, row["start"] - piece.first, row["stop"] - piece.first
    before = text[:start].partition(" ")[2] if piece.first else text[:start]
    after = text[stop:].rpartition(" ")[0] if piece.more else text[stop:]
    parts = [(before, False), (text[start:stop], True), (after, False)]
    return [part for part in parts if part[0]]


def _found(version: Version, choice: Choice) -> list[dict]:
    tokens = files.corpus_folder(version.corpus_id) / "tokens"
    stream = Spread(sealed.opened(lambda: Stream.open(tokens), tokens), READ)
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
    """Of each phrase the first document that has it, and where it stands there; None where a longer phrase covers it
    everywhere."""
    units = Units(stream.lexicon, choice)
    places: list[tuple[int, int, int] | None] = [None] * len(choice.phrases)
    for block in stream.blocks():
        numbers, first, last, ends = units.cut(block.words, block.ends)
        own = units.phrases()
        at = np.flatnonzero((numbers >= own.start) & (numbers < own.stop))
        which, where = np.unique(numbers[at], return_index=True)
        documents = np.searchsorted(ends, at[where], side="right")
        for phrase, place, document in zip(
            (which - own.start).tolist(), at[where].tolist(), documents.tolist(), strict=True
        ):
            start, last_start = int(block.starts[first[place]]), int(block.starts[last[place]])
            stop = last_start + len(choice.phrases[phrase].rsplit(" ", 1)[-1])
            places[phrase] = (int(stream.numbers[block.first + document]), start, stop)
    return places


def _keep(path: Path, rows: list[dict]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)  # the version's other files may be in the store alone
    rewrite(path, orjson.dumps(rows))
