"""The passage of a text where some words are densest."""

from inference.text import Tokeniser
from webapp.models import Corpus

READ = 50_000  # characters of a document that are looked through
WORDS = 200  # of a topic's words that count
WINDOW = 40  # words that a passage spans


class Finder:
    """Finds, in text after text, the window of WINDOW words with the largest sum of weights."""

    def __init__(self, corpus: Corpus, weights: dict[str, float]):
        self.tokeniser = Tokeniser(corpus.settings["language"], corpus.settings["min_length"])
        self.weights = weights

    def __call__(self, text: str) -> list[tuple[str, bool]]:
        """The passage as (text, is a word of the topic) parts."""
        spans = [(a, b, self.weights.get(word, 0.0)) for a, b, word in self.tokeniser.spans(text)]
        if not spans:
            return [(text[:300], False)]
        total = best = sum(w for _, _, w in spans[:WINDOW])
        first = 0
        for i in range(WINDOW, len(spans)):
            total += spans[i][2] - spans[i - WINDOW][2]
            if total > best + 1e-12:
                best, first = total, i - WINDOW + 1
        window = spans[first : first + WINDOW]
        parts, at = [], window[0][0]
        for a, b, weight in window:
            if weight:
                parts += [(text[at:a], False), (text[a:b], True)]
                at = b
        parts.append((text[at : window[-1][1]], False))
        if first:
            parts.insert(0, ("… ", False))
        if first + WINDOW < len(spans):
            parts.append((" …", False))
        return [part for part in parts if part[0]]
