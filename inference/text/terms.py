"""The words of texts by a choice of words, and their places: for pasted texts, and to mark words on
a page."""

import numpy as np

from inference.runtime.arrays import offsets_of_parts
from inference.text.choice import REASONS, VocabularyChoice
from inference.text.choose import reasons
from inference.text.cut_rules import NEWEST, CutRules
from inference.text.forms import form_maker
from inference.text.joined_words import WordUnits
from inference.text.stream import Block
from inference.text.tokenise import Tokeniser

_LEFT_OUT = [REASONS.index(name) for name in ("number", "too short", "too long")]


def terms(
    texts: list[str],
    choice: VocabularyChoice,
    language: str = "",
    given: bool = False,
    rules: CutRules = NEWEST,
) -> list[list[tuple[int, int, str]]]:
    """The words of each text as (start, end, word), in their order: text[start:end] counts as
    `word`.

    Stop words are among them; numbers where they don't count, too short and too long words are not.
    language, given, rules: of the corpus's tokeniser.
    """
    units, numbers, starts, ends, text_ends = _cut(texts, choice, language, given, rules)
    stays = ~np.isin(reasons(units, choice)[numbers], _LEFT_OUT)
    distinct, at = np.unique(numbers[stays], return_inverse=True)
    words = units.words(distinct)
    if turn := form_maker(choice.forms, choice.language):
        plain = int(np.searchsorted(distinct, units.phrases().start))
        words[:plain] = turn(words[:plain])
    all_words = [
        (a, b, words[i])
        for a, b, i in zip(starts[stays].tolist(), ends[stays].tolist(), at.tolist(), strict=True)
    ]
    bounds = [0, *offsets_of_parts(stays)[text_ends].tolist()]
    return [all_words[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]


def stops(
    texts: list[str],
    positions: list[np.ndarray],
    choice: VocabularyChoice,
    language: str = "",
    given: bool = False,
    rules: CutRules = NEWEST,
) -> list[list[int]]:
    """Where the words end that begin at some places of texts. positions: int, ascending, of each
    text.

    A text may be a part of a longer one, cut where a word is: what begins at no place of the part
    is taken to be one character.
    """
    _, _, all_starts, all_ends, text_ends = _cut(texts, choice, language, given, rules)
    all_stops = []
    for at, begin, end in zip(
        positions, [0, *text_ends.tolist()], text_ends.tolist(), strict=False
    ):
        starts = all_starts[begin:end]
        ends = all_ends[begin:end]
        nearest = np.minimum(np.searchsorted(starts, at), max(len(starts) - 1, 0))
        is_stop = starts[nearest] == at if len(starts) else np.zeros(len(at), bool)
        all_stops.append(
            np.where(is_stop, ends[nearest] if len(ends) else 0, np.asarray(at) + 1).tolist()
        )
    return all_stops


def _cut(
    texts: list[str], choice: VocabularyChoice, language: str, given: bool, rules: CutRules
) -> tuple[WordUnits, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What cut them; of each unit its number, where it starts and where it stops in its text,
    int32; int64, where each text's units end."""
    tokeniser = Tokeniser(language, given, rules)
    text_pieces = tokeniser.pieces(texts)
    ends = np.cumsum(text_pieces.lengths, dtype=np.int64)
    units = WordUnits(tokeniser.lexicon, choice)
    units.learn([Block(0, text_pieces.words, text_pieces.starts, ends)])
    numbers, first, last, ends = units.cut(text_pieces.words, ends)
    return units, numbers, text_pieces.starts[first], text_pieces.stops[last], ends
