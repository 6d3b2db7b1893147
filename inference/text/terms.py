"""The words of texts by a choice of words, and their places: for pasted texts, and to mark words on a page."""

from typing import NamedTuple

import numpy as np

from inference.text.choice import REASONS, Choice
from inference.text.choose import reasons
from inference.text.forms import former
from inference.text.tokenise import Tokeniser
from inference.text.units import Units

_LEFT_OUT = [REASONS.index(name) for name in ("number", "too short", "too long")]


class _Cut(NamedTuple):
    """units: int32, and where each starts and stops in its text, int32; ends: int64, of each text's units."""

    cutter: Units
    units: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    ends: np.ndarray


def terms(
    texts: list[str], choice: Choice, language: str = "", given: bool = False
) -> list[list[tuple[int, int, str]]]:
    """Of each text (start, end, word), in their order: text[start:end] counts as `word`.

    Stop words are among them; numbers where they don't count, too short and too long words are not. language, given: of
    the corpus's tokeniser.
    """
    cut = _cut(texts, choice, language, given)
    stays = ~np.isin(reasons(cut.cutter, choice)[cut.units], _LEFT_OUT)
    distinct, at = np.unique(cut.units[stays], return_inverse=True)
    words = cut.cutter.words(distinct)
    if turn := former(choice.forms, choice.language):
        plain = int(np.searchsorted(distinct, cut.cutter.phrases().start))
        words[:plain] = [
            new if len(new.split()) == 1 else word for word, new in zip(words[:plain], turn(words[:plain]), strict=True)
        ]
    every = [
        (a, b, words[i])
        for a, b, i in zip(cut.starts[stays].tolist(), cut.stops[stays].tolist(), at.tolist(), strict=True)
    ]
    bounds = [0, *np.concatenate([[0], np.cumsum(stays)])[cut.ends].tolist()]
    return [every[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def stops(
    texts: list[str], places: list[np.ndarray], choice: Choice, language: str = "", given: bool = False
) -> list[list[int]]:
    """Where the words end that begin at some places of texts. places: int, ascending, of each text.

    A text may be a part of a longer one, cut where a word is: what begins at no place of the part is taken to be one
    character.
    """
    cut = _cut(texts, choice, language, given)
    all_stops, begin = [], 0
    for at, end in zip(places, cut.ends.tolist(), strict=True):
        starts, ends = cut.starts[begin:end], cut.stops[begin:end]
        nearest = np.minimum(np.searchsorted(starts, at), max(len(starts) - 1, 0))
        known = starts[nearest] == at if len(starts) else np.zeros(len(at), bool)
        all_stops.append(np.where(known, ends[nearest] if len(ends) else 0, np.asarray(at) + 1).tolist())
        begin = end
    return all_stops


def _cut(texts: list[str], choice: Choice, language: str, given: bool) -> _Cut:
    tokeniser = Tokeniser(language, given)
    pieces = tokeniser.pieces(texts)
    ends = np.cumsum(pieces.lengths, dtype=np.int64)
    units = Units(tokeniser.lexicon, choice)
    units.learn(pieces.words, ends)
    numbers, first, last, ends = units.cut(pieces.words, ends)
    return _Cut(units, numbers, pieces.starts[first], pieces.stops[last], ends)
