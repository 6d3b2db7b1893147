"""The words of one text as a choice has them, and where they stand: for what is pasted, and to mark words on a page."""

import numpy as np

from inference.text.choice import REASONS, Choice
from inference.text.choose import reasons
from inference.text.forms import former
from inference.text.tokenise import Tokeniser
from inference.text.units import Units

_LEFT_OUT = [i for i, name in enumerate(REASONS) if name in ("number", "too short", "too long")]


def terms(text: str, choice: Choice, language: str = "", given: bool = False) -> list[tuple[int, int, str]]:
    """(start, end, word) in their order: text[start:end] counts as `word`. Stop words are among them; numbers where they don't
    count, too short and too long words are not. language, given: of the corpus's tokeniser.
    """
    tokeniser = Tokeniser(language, given)
    found = tokeniser.pieces([text])
    ends = np.array([len(found.words)])
    units = Units(tokeniser.lexicon, choice)
    units.learn(found.words, ends)
    numbers, first, last, _ = units.of(found.words, ends)
    stays = ~np.isin(reasons(units, choice)[numbers], _LEFT_OUT)
    distinct, at = np.unique(numbers[stays], return_inverse=True)
    words = units.words(distinct)
    if turn := former(choice.forms, choice.language):
        phrases = units.phrases().start
        turned = turn(words)
        words = [new if number < phrases and len(new.split()) == 1 else word for number, word, new in zip(distinct.tolist(), words, turned, strict=True)]
    spans = zip(found.starts[first[stays]].tolist(), found.stops[last[stays]].tolist(), at.tolist(), strict=True)
    return [(a, b, words[i]) for a, b, i in spans]
