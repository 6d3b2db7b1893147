"""Phrases that a version's documents propose, each with a passage; found on first demand and kept
beside the version's words."""

from dataclasses import dataclass, replace

import numpy as np
import orjson
from pydantic import TypeAdapter

from inference.runtime.durable import rewrite
from inference.text import Spread, Stream, VocabularyChoice
from inference.text.joined_words import WordUnits
from inference.text.phrases import find
from webapp.intake.ingest.word_estimates import rough
from webapp.models import Corpus, Version
from webapp.platform.accounts import embargo
from webapp.platform.storage import files, sealed

# Pieces that are looked through: some 25 MB of English, two or three seconds
MOST_SEARCHED_PIECES = 4_000_000
MOST_PHRASES = 300
# Characters of a passage before and behind its phrase
_BEFORE = 70
_AFTER = 110


@dataclass(frozen=True)
class Proposed:
    """A phrase that is proposed. estimated: whether its numbers are."""

    words: str
    documents: int
    tokens: int
    score: float
    estimated: bool


@dataclass(frozen=True)
class Proposal(Proposed):
    """document, start, stop: where one stands, in characters."""

    document: int
    start: int
    stop: int


STORED = TypeAdapter(list[Proposal])


def proposed(version: Version, choice: VocabularyChoice) -> list[Proposal]:
    """Phrases by score, largest first.

    choice: the version's. Of a long corpus they are found in documents evenly spread over it, and
    their numbers are estimates.
    """
    path = files.version_folder(version.pk) / "phrases.json"
    if not path.exists():
        # The version's other files may be in the store alone
        path.parent.mkdir(parents=True, exist_ok=True)
        rewrite(path, orjson.dumps(_find_phrases(version, choice)))
    return STORED.validate_json(path.read_bytes())


def left_out(phrase: Proposal, version: Version, choice: VocabularyChoice) -> str:
    """Why a phrase would be no word of a version with the same thresholds, as the end of a
    sentence; "" for one that would. None is proposed that is too rare."""
    share = phrase.documents / max(1, version.documents)
    further = (
        f"in {100 * share:.3g}% of the documents: more than the {100 * choice.max_share:.3g}% that"
        " words may be in"
    )
    return further if share > choice.max_share else ""


def passages(corpus: Corpus, phrases: list[Proposal]) -> list[list[tuple[str, bool]]]:
    """Where each phrase stands: (text, whether it is the phrase) parts, as the embargo allows."""
    spans = []
    for phrase in phrases:
        first = max(0, phrase.start - _BEFORE)
        length = phrase.stop + _AFTER - first
        spans.append((phrase.document, first, length, phrase.start))
    return [
        _parts(cut_text, phrase)
        for phrase, cut_text in zip(phrases, embargo.read_pieces(corpus, spans), strict=True)
    ]


def _parts(cut_text: embargo.Piece, phrase: Proposal) -> list[tuple[str, bool]]:
    text = cut_text.text
    start = phrase.start - cut_text.first
    stop = phrase.stop - cut_text.first
    before = text[:start].partition(" ")[2] if cut_text.first else text[:start]
    after = text[stop:].rpartition(" ")[0] if cut_text.more else text[stop:]
    return [part for part in [(before, False), (text[start:stop], True), (after, False)] if part[0]]


def _find_phrases(version: Version, choice: VocabularyChoice) -> list[Proposal]:
    folder = files.corpus_folder(version.corpus_id) / "tokens"
    stream = Spread(sealed.opened(lambda: Stream.open(folder), folder), MOST_SEARCHED_PIECES)
    phrases = find(stream, choice, MOST_PHRASES)
    first_uses = _places(
        stream, replace(choice, forms="written", phrases=tuple(phrase.words for phrase in phrases))
    )
    scale = 1 if stream.whole else version.documents / max(1, stream.D)
    is_estimate = scale != 1
    proposals = []
    for phrase, first_use in zip(phrases, first_uses, strict=True):
        if first_use is None:
            continue
        documents = phrase.documents
        tokens = phrase.tokens
        if is_estimate:
            documents = rough(documents * scale)
            tokens = rough(tokens * scale)
        proposal = Proposal(phrase.words, documents, tokens, phrase.score, is_estimate, *first_use)
        proposals.append(proposal)
    return proposals


def _places(stream: Spread, choice: VocabularyChoice) -> list[tuple[int, int, int] | None]:
    """The first document that has each phrase, and where it stands there; None where a longer
    phrase covers it everywhere."""
    units = WordUnits(stream.lexicon, choice)
    first_uses: list[tuple[int, int, int] | None] = [None] * len(choice.phrases)
    for block in stream.blocks():
        numbers, first, last, ends = units.cut(block.words, block.ends)
        phrase_units = units.phrases()
        at = np.flatnonzero((numbers >= phrase_units.start) & (numbers < phrase_units.stop))
        phrase_numbers, where = np.unique(numbers[at], return_index=True)
        documents = np.searchsorted(ends, at[where], side="right")
        for phrase, unit, document in zip(
            (phrase_numbers - phrase_units.start).tolist(),
            at[where].tolist(),
            documents.tolist(),
            strict=True,
        ):
            start = int(block.starts[first[unit]])
            last_start = int(block.starts[last[unit]])
            stop = last_start + len(choice.phrases[phrase].rsplit(" ", 1)[-1])
            first_uses[phrase] = (int(stream.numbers[block.first + document]), start, stop)
    return first_uses
