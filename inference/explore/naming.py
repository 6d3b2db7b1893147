"""Names for topics, proposed from their own words: what a reader sees until a label of their own replaces it."""

from collections.abc import Mapping
from difflib import SequenceMatcher

import numpy as np

from inference.topics import Topics

CANDIDATES = 30  # of a topic's most probable words: those that its name is made of
LAM = 0.4  # of the relevance (Sievert and Shirley 2014, eq. 1) that orders them: 0 exclusive words, 1 frequent ones
SECOND = 1.0  # nats of relevance that the second word of a name may be behind the first
ALIKE = 0.75  # difflib's ratio above which two words are too like each other to stand in one name
BACKGROUND_DISTANCE = 1.0  # nats; a topic nearer than this to the corpus's own distribution of words is general talk


def candidates(topics: Topics) -> np.ndarray:
    """Numbers of the words that names can be made of, ascending: int64[n], n <= CANDIDATES K."""
    top = topics.top(CANDIDATES)
    return np.unique(top[top >= 0]).astype(np.int64)


def names(topics: Topics, vocabulary: Mapping[int, str]) -> list[str]:
    """A name for each of K topics: one or two of its words; "" for a topic that lists none. No two are equal.

    A topic's first CANDIDATES words in the order of lam log p(w|k) + (1 - lam) log(p(w|k) / p(w)), where p(w) is the
    model's own, sum_k p(k) p(w|k). The second word follows where it is hardly less relevant and not like the first.
    vocabulary: the spelling of each of `candidates(topics)`.
    """
    listed = [_ordered(topics, k, everywhere) for everywhere in [_everywhere(topics)] for k in range(topics.K)]
    used: set[str] = set()
    proposed = [""] * topics.K
    for k in np.argsort(-topics.share, kind="stable").tolist():
        proposed[k] = _unique([(vocabulary[w], score) for w, score in listed[k]], used)
        used.add(proposed[k].casefold())
    return proposed


def background(topics: Topics) -> np.ndarray:
    """Which topics are general talk: bool[K], those whose words are distributed nearly as the whole corpus's are.

    By sum_w beta_kw log(beta_kw / p(w)) over the words that the topic lists, p(w) as in `names`.
    """
    everywhere = _everywhere(topics)
    of = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    weights = topics.weights.astype(np.float64)
    some = weights > 0
    parts = weights[some] * np.log(weights[some] / everywhere[topics.words[some]])
    distance = np.bincount(of[some], weights=parts, minlength=topics.K)
    return (distance < BACKGROUND_DISTANCE) & (np.diff(topics.indptr) > 0) & (topics.K > 1)


def _everywhere(topics: Topics) -> np.ndarray:
    """p(w) of the model: float64[V], above 0 for every word that a topic lists with a weight."""
    of = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    above = topics.share[of] * (topics.weights - topics.floor[of])
    return np.maximum(
        np.bincount(topics.words, weights=above, minlength=topics.V) + topics.share @ topics.floor, 1e-300
    )


def _ordered(topics: Topics, k: int, everywhere: np.ndarray) -> list[tuple[int, float]]:
    """(word, relevance) of a topic's candidates, the most relevant first."""
    row = slice(topics.indptr[k], min(topics.indptr[k] + CANDIDATES, topics.indptr[k + 1]))
    words, weights = topics.words[row], np.maximum(topics.weights[row].astype(np.float64), 1e-300)
    score = np.log(weights) - (1 - LAM) * np.log(everywhere[words])
    return [(int(words[i]), float(score[i])) for i in np.argsort(-score, kind="stable")]


def _unique(ordered: list[tuple[str, float]], used: set[str]) -> str:
    """The first one or two words that no other topic is called by."""
    for i, (first, score) in enumerate(ordered):
        second = next((word for word, _ in ordered[i + 1 :] if not alike(first, word)), None)
        near = next((other for word, other in ordered[i + 1 :] if word == second), -np.inf) >= score - SECOND
        pair = first if second is None else f"{first}, {second}"
        for name in (pair, first) if near else (first, pair):
            if _capital(name).casefold() not in used:
                return _capital(name)
    return ""


def alike(a: str, b: str) -> bool:
    """Whether two words say nearly the same by their letters: "court" and "courts", "america" and "american"."""
    a, b = a.casefold(), b.casefold()
    short = min(len(a), len(b))
    return a in b or b in a or (short >= 4 and a[:4] == b[:4]) or SequenceMatcher(None, a, b).ratio() > ALIKE


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
