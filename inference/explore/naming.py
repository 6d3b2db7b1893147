"""Names for topics, proposed from their words and phrases. A reader sees them until a label replaces them."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np

from inference.explore.neighbours import Phrase, Sample, Written
from inference.topics import Topics

CANDIDATES = 40  # of a topic's most probable words: those that its name is made of
LAM = 0.5  # of the relevance (Sievert and Shirley 2014, eq. 1) that orders them: 0 exclusive words, 1 frequent ones
PHRASE = 1.3  # nats that a phrase is worth more than a word of the same relevance: it says more
BOUND = 0.12  # of the tokens of the rarer of its two words a phrase must hold: else they only happen to meet
SECOND = 0.7  # nats of relevance that the second part of a name may be behind the first
LEAST_LIFT = np.log(2)  # how much more probable in the topic than everywhere a word of a name must be; half of the
# most that can be, log(1 / p(k)), for a topic so large that this is less
ALIKE = 0.75  # difflib's ratio above which two words are too like each other to stand in one name
EXCLUSIVITY, SPREAD = 0.53, 1.15  # of the run's medians: below the one and above the other a topic is general talk
FEW = 8  # topics below which a median says too little to call one general
SHORT = 3  # letters that a word of a name must have, where words are written with letters


Rates = dict[tuple[int, ...], tuple[float, float, int]]


class Part(NamedTuple):
    """A word or a phrase that a name can be made of. words: its numbers; text: as the texts write it."""

    words: tuple[int, ...]
    text: str
    relevance: float

    @property
    def score(self) -> float:
        return self.relevance + PHRASE * (len(self.text.split()) > 1)


def candidates(topics: Topics) -> np.ndarray:
    """Numbers of the words that names can be made of, ascending: int64[n], n <= CANDIDATES K."""
    top = topics.top(CANDIDATES)
    return np.unique(top[top >= 0]).astype(np.int64)


def names(
    topics: Topics, vocabulary: Mapping[int, str], looked_at: Sequence[tuple[Sample, Written]] | None = None
) -> list[str]:
    """A name for each of K topics: a phrase, or one or two words; "" for a topic that lists none. No two are equal.

    A topic's first CANDIDATES words stand in the order of lam log p(w|k) + (1 - lam) log(p(w|k) / p(w)), where p(w) is
    the model's own, sum_k p(k) p(w|k). So do the phrases of two of its words, by how often its documents have them; a
    phrase is as exclusive as the more exclusive of its words. The second part follows where it is hardly less relevant,
    and not like the first. Larger topics choose first.
    vocabulary: the spelling of each of `candidates(topics)` and of the words of pairs. looked_at: of each topic, what
    explore.neighbours saw of its documents; None while there is no evidence: then names are words as the vocabulary has
    them.
    """
    everywhere, owners, rates = _everywhere(topics), _owners(topics), _rates(topics, looked_at)
    used: set[str] = set()
    proposed = [""] * topics.K
    for k in np.argsort(-topics.share, kind="stable").tolist():
        if looked_at is None:
            parts = _words(topics, k, everywhere, owners, vocabulary, None)
        else:
            parts = _phrases(topics, k, everywhere, rates, vocabulary, *looked_at[k])
            parts += _words(topics, k, everywhere, owners, vocabulary, looked_at[k][1])
        proposed[k] = _unique(sorted(parts, key=lambda part: -part.score), used)
        used.add(proposed[k].casefold())
    return proposed


def background(exclusivity: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Which topics are general talk: bool[K], those whose words other topics have as well and that stand in many documents.

    exclusivity: float64[K], evaluate.TopicMeasures; documents: int64[K], those that a topic has tokens in; NaN and 0 for a
    topic that is not used. Both are held against the run's median: docs/names.md says how the bounds were set, and why
    the distance from the corpus's own distribution of words is not among them.
    """
    used = (documents > 0) & ~np.isnan(exclusivity)
    if np.count_nonzero(used) < FEW:
        return np.zeros(len(documents), bool)
    shared = np.nan_to_num(exclusivity, nan=np.inf) < EXCLUSIVITY * np.median(exclusivity[used])
    return shared & (documents > SPREAD * np.median(documents[used])) & used


def _everywhere(topics: Topics) -> np.ndarray:
    """p(w) of the model: float64[V], above 0 for every word that a topic lists with a weight."""
    of = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    above = topics.share[of] * (topics.weights - topics.floor[of])
    return np.maximum(
        np.bincount(topics.words, weights=above, minlength=topics.V) + topics.share @ topics.floor, 1e-300
    )


def _owners(topics: Topics) -> np.ndarray:
    """int32[V]: the topic that most of each word's weight belongs to, the first of equals; -1 where none lists it."""
    of = np.repeat(np.arange(topics.K, dtype=np.int32), np.diff(topics.indptr))
    weights = topics.share[of] * topics.weights
    order = np.lexsort((-of, weights))  # the last one stays
    owners = np.full(topics.V, -1, np.int32)
    owners[topics.words[order]] = of[order]
    return owners


def _lift(topics: Topics, k: int, everywhere: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A topic's candidates, their log p(w|k), and their log lift."""
    row = slice(topics.indptr[k], min(topics.indptr[k] + CANDIDATES, topics.indptr[k + 1]))
    words, log = topics.words[row], np.log(np.maximum(topics.weights[row].astype(np.float64), 1e-300))
    return words, log, log - np.log(everywhere[words])


def _words(
    topics: Topics,
    k: int,
    everywhere: np.ndarray,
    owners: np.ndarray,
    vocabulary: Mapping[int, str],
    written: Written | None,
) -> list[Part]:
    """The words of a topic that can name it; where none can, all of them."""
    words, log, lift = _lift(topics, k, everywhere)
    score = LAM * log + (1 - LAM) * lift
    parts = []
    for w, s in zip(words.tolist(), score.tolist(), strict=True):
        text = (written.form((w,)) if written else "") or vocabulary[w].replace("_", " ")
        parts.append(Part((w,), text, s))
    fit = [
        part for part, rise in zip(parts, lift.tolist(), strict=True) if rise >= _least(topics, k) and _tells(part.text)
    ]
    own = [part for part in fit if owners[part.words[0]] == k]
    return own or fit or parts


def _least(topics: Topics, k: int) -> float:
    return float(min(LEAST_LIFT, -0.5 * np.log(max(topics.share[k], 1e-12))))


def _tells(text: str) -> bool:
    """Whether a word can stand in a name: no number, nothing of one or two small letters ("vs")."""
    return not text[:1].isdigit() and (len(text) >= SHORT or not text.islower())


def _rates(topics: Topics, looked_at: Sequence[tuple[Sample, Written]] | None) -> Rates:
    """(how often it stands among the tokens of all topics, most in one topic, that topic) of each phrase, by what was
    looked at."""
    rates: Rates = {}
    for k, (sample, _) in enumerate(looked_at or ()):
        for phrase in sample.phrases:
            rate = float(topics.share[k]) * phrase.tokens / max(1, sample.tokens)
            total, most, owner = rates.get(phrase.words, (0.0, 0.0, k))
            rates[phrase.words] = (total + rate, *max((most, owner), (rate, k), key=lambda pair: pair[0]))
    return rates


def _phrases(
    topics: Topics,
    k: int,
    everywhere: np.ndarray,
    rates: Rates,
    vocabulary: Mapping[int, str],
    sample: Sample,
    written: Written,
) -> list[Part]:
    """The phrases that two of a topic's words are in, as the texts write them."""
    words, log, lift = _lift(topics, k, everywhere)
    weight, rise = (
        dict(zip(words.tolist(), log.tolist(), strict=True)),
        dict(zip(words.tolist(), lift.tolist(), strict=True)),
    )
    parts = []
    for phrase in sample.phrases:
        own = [w for w in phrase.words if w in weight]
        text = written.form(phrase.words)
        if (
            len(own) < 2
            or not text
            or not _stands(text, [vocabulary[w] for w in own])
            or _loose(phrase, sample, min(weight[w] for w in own))
        ):
            continue
        rate = phrase.tokens / sample.tokens
        lift_of = min(float(np.mean([rise[w] for w in own])), float(np.log(rate / rates[phrase.words][0])))
        if lift_of >= _least(topics, k) and rates[phrase.words][2] == k:
            parts.append(Part(phrase.words, text, LAM * float(np.log(rate)) + (1 - LAM) * lift_of))
    return parts


def _stands(text: str, own: list[str]) -> bool:
    """Whether a phrase can be a name: none of its words, and nothing that it begins or ends with, is too short."""
    words = text.replace("-", " ").split()
    return all(_tells(word) for i, word in enumerate(words) if i in (0, len(words) - 1) or word in own)


def _loose(phrase: Phrase, sample: Sample, log_rarest: float) -> bool:
    """Whether its words only happen to meet. log_rarest: log p(w|k) of its rarest word."""
    return phrase.tokens < BOUND * sample.tokens * np.exp(log_rarest)


def _unique(parts: list[Part], used: set[str]) -> str:
    """The best one or two parts that no other topic is called by."""
    for i, first in enumerate(parts):
        others = [part for part in parts[i + 1 :] if _other(first, part)]
        near = next((part for part in others if part.relevance >= first.relevance - SECOND), None)
        alone, second = first.text, near or (others[0] if others else None)
        pair = f"{first.text}, {second.text}" if second else alone
        for name in (pair, alone) if near else (alone, pair):
            if _capital(name).casefold() not in used:
                return _capital(name)
    return ""


def _other(first: Part, second: Part) -> bool:
    """Whether the second part says something that the first doesn't."""
    return not any(alike(a, b) for a in first.text.split() for b in second.text.split())


def alike(a: str, b: str) -> bool:
    """Whether two words say nearly the same by their letters: "court" and "courts", "america" and "american"."""
    a, b = a.casefold(), b.casefold()
    short = min(len(a), len(b))
    if short < 4:
        ends = len(a) == len(b) == 3 and a[0] == b[0] and a[2] == b[2]  # "man" and "men"
        return a == b or ends or (short > 1 and (a.startswith(b) or b.startswith(a)))
    return a[:4] == b[:4] or SequenceMatcher(None, a, b).ratio() > ALIKE


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
