"""Names for topics, proposed from their words and phrases. A reader sees them until a label
replaces them."""

from collections.abc import Mapping, Sequence, Set
from difflib import SequenceMatcher
from functools import partial
from types import MappingProxyType

import numpy as np

from inference.evidence import Evidence
from inference.explore.neighbours import Sample, Written
from inference.topics import Topics

CANDIDATES = (
    40  # of a topic's most probable words: those that a name can be made of while the run trains
)
# of the relevance (Sievert and Shirley 2014, eq. 1) that orders them: 0 exclusive words, 1 frequent
# ones
LAM = 0.5
SECOND = 0.7  # nats of relevance that the second part of such a name may be behind the first
LEAST_LIFT = np.log(
    2
)  # how much more probable in the topic than everywhere a word of such a name must be; half of the
# most that can be, log(1 / p(k)), for a topic so large that this is less
PRECISION = 0.6  # of a word's tokens in the topic
PART, LEAST = 0.004, 10  # of the topic's tokens, and its tokens there, at least
STANDING, FEWER = (
    24,
    8,
)  # words of a topic that its name is chosen from; where none has the precision
ADDED = 0.03  # of the topic's tokens that the second part adds to the coverage at least
COMPANY = (
    1.5  # times chance: how often the second part's word must be in a document with the first's
)
# nats that a phrase of the vocabulary is worth more than a word of the same relevance: it says more
WORTH = 1.3
PHRASE = 0.4  # of a word's uses in the topic that are one phrase: then it is shown as that phrase
LOOKED_AT = (
    4_000  # documents of a topic that coverage is measured on, evenly over those that have it
)
MET = 20_000  # documents of a word in which others are looked for
ALIKE = 0.75  # difflib's ratio above which two words are too like each other to stand in one name
SHORT = 3  # letters that a word of a name must have, where words are written with letters
# Documents of a topic, ascending, and the share of its tokens there that each has
Holding = tuple[np.ndarray, np.ndarray]


def candidates(topics: Topics) -> np.ndarray:
    """Numbers of the words that names can be made of while a run trains, ascending: int64[n], n <=
    CANDIDATES K."""
    top = topics.top(CANDIDATES)
    return np.unique(top[top >= 0]).astype(np.int64)


def names(topics: Topics, vocabulary: Mapping[int, str]) -> list[str]:
    """A name for each of K topics while there is no evidence: one or two words; "" for a topic that
    lists none. No two are equal.

    A topic's first CANDIDATES words are in the order of lam log p(w|k) + (1 - lam) log(p(w|k) /
    p(w)), where p(w) is the model's own, sum_k p(k) p(w|k). Larger topics choose first. vocabulary:
    the spelling of each of `candidates(topics)`.
    """
    everywhere, owners = _everywhere(topics), _owners(topics)
    used: set[str] = set()
    proposed = [""] * topics.K
    for k in np.argsort(-topics.share, kind="stable").tolist():
        parts = sorted(
            _words(topics, k, everywhere, owners, vocabulary),
            key=lambda part: -part[1] - WORTH * (" " in part[0]),
        )
        near = {text for text, score in parts if score >= parts[0][1] - SECOND}
        proposed[k] = _unique([text for text, _ in parts], near, used)
        used.add(proposed[k].casefold())
    return proposed


def standing(
    evidence: Evidence,
    into: np.ndarray | None = None,
    precision: float = PRECISION,
    most: int = STANDING,
) -> list[list[int]]:
    """Of each topic the words that stand for it, those first that hold most of it: at least
    `precision` of their tokens, and PART of the topic's, are in it. Where none has the precision,
    the FEWER first of all. into: int32[K], merged topics."""
    ptr, topics, tokens, _ = evidence.by_word()
    word, topic = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr)), topics.astype(np.int64)
    if into is not None and (into != np.arange(evidence.K)).any():
        key, at = np.unique(
            word * evidence.K + into[topic], return_inverse=True
        )  # merged topics are one
        tokens, (word, topic) = np.bincount(at, weights=tokens), np.divmod(key, evidence.K)
    size = np.bincount(topic, weights=tokens, minlength=evidence.K)
    share = tokens / np.bincount(word, weights=tokens)[word]
    some = np.flatnonzero(tokens >= np.maximum(PART * size, np.minimum(LEAST, size / 8))[topic])
    order = some[np.lexsort((-(tokens * share)[some], topic[some]))]
    out: list[list[int]] = []
    for of_topic in np.split(order, np.searchsorted(topic[order], np.arange(1, evidence.K))):
        precise = of_topic[share[of_topic] >= precision]
        out.append(word[precise[:most] if len(precise) else of_topic[:FEWER]].tolist())
    return out


def by_coverage(
    evidence: Evidence,
    vocabulary: Mapping[int, str],
    looked_at: Sequence[tuple[Sample, Written]],
    avoided: Set[str] = frozenset(),
    sides: Mapping[int, Sequence[list[int]]] = MappingProxyType({}),
) -> list[str]:
    """A name for each topic, by what it is in the documents; "" for a topic without words. No two
    are equal.

    The first word has the largest precision times coverage, the share of the topic's tokens in
    documents with the word; the second the largest precision times what it adds, among words unlike
    the first that meet it more often than by chance. Each is shown as the phrase that most of its
    uses in the topic are, in the texts' own spelling. vocabulary: of all words of `standing` and of
    phrases. looked_at: of each topic, what explore.neighbours saw of its documents. avoided: words
    in small letters that name no subject, such as those of who speaks. sides: of mixed topics the
    words of both subjects; such a topic is called by both where that covers more of it, "Iran /
    election", else by their first words.
    """
    words = standing(evidence)
    size = np.bincount(evidence.doc_topics, weights=evidence.doc_tokens, minlength=evidence.K)
    used: set[str] = set()
    proposed = [""] * evidence.K
    for k in np.argsort(-size, kind="stable").tolist():
        telling = [w for w in words[k] if _tells(vocabulary[w])]
        own = [w for w in telling if vocabulary[w].casefold() not in avoided] or telling or words[k]
        holding = _documents(evidence, k)
        order, second = _chosen(evidence, k, own, vocabulary, holding)
        if k in sides:
            halves = [
                [w for w in side if w in vocabulary and _tells(vocabulary[w])] for side in sides[k]
            ]
            proposed[k] = _of_both(
                evidence, k, halves, order[: 1 + second], vocabulary, looked_at[k], used, holding
            )
        if not proposed[k]:
            shown = [_shown(evidence, k, w, vocabulary, looked_at[k], avoided) for w in order]
            proposed[k] = _unique(shown, {shown[1]} if second else set(), used)
        used.add(proposed[k].casefold())
    return proposed


def _documents(evidence: Evidence, k: int) -> Holding:
    """LOOKED_AT documents of a topic at most."""
    listed = evidence.by_tokens[evidence.topic_ptr[k] : evidence.topic_ptr[k + 1]]
    documents = np.sort(listed[:: -(-len(listed) // LOOKED_AT) or 1]).astype(np.int32)
    weight = evidence.held([k], documents).astype(np.float64)
    return documents, weight / max(weight.sum(), 1.0)


def _chosen(
    evidence: Evidence, k: int, own: list[int], vocabulary: Mapping[int, str], holding: Holding
) -> tuple[list[int], bool]:
    """Its words, those of its name first, and whether the second belongs to it."""
    if not own:
        return [], False
    documents, weight = holding
    has = np.array([_among(evidence.having(w), documents) for w in own])
    precision = np.array([_precision(evidence, w, k) for w in own])
    score = precision * (has @ weight)
    order = np.argsort(-score, kind="stable")
    first = int(order[0])
    added = (has & ~has[first]) @ weight
    enough = added >= ADDED
    gain = np.where(
        enough.any(), precision * added * enough, score
    )  # of long documents the first may be in all
    for i in sorted((int(i) for i in order[1:]), key=lambda i: -gain[i]):
        if (
            gain[i] > 0
            and not alike(vocabulary[own[first]], vocabulary[own[i]])
            and _meet(evidence, own[first], own[i])
        ):
            return [own[first], own[i], *(own[j] for j in order if j not in (first, i))], True
    return [own[int(i)] for i in order], False


def _of_both(
    evidence: Evidence,
    k: int,
    sides: list[list[int]],
    single: list[int],
    vocabulary: Mapping[int, str],
    looked_at: tuple[Sample, Written],
    used: Set[str],
    holding: Holding,
) -> str:
    """A mixed topic's name by a word of each side, where these cover more of it than the name by
    the whole; else by words of both sides; "" where there are none."""
    if not all(sides):
        return ""
    chosen = [_chosen(evidence, k, side, vocabulary, holding)[0][0] for side in sides]
    parts = [_shown(evidence, k, w, vocabulary, looked_at, frozenset()) for w in chosen]
    name = capitalized(" / ".join(parts))
    covers = partial(_covers, evidence, k, holding)
    if covers(chosen) < covers(single) or name.casefold() in used or not _other(*parts):
        name = capitalized(
            ", ".join([vocabulary[w].replace("_", " ") for side in sides for w in side[:2]])
        )
    return "" if name.casefold() in used else name


def _covers(evidence: Evidence, k: int, holding: Holding, words: list[int]) -> float:
    """Mean precision of some words times the share of the topic's tokens in documents with any of
    them; 0 of none."""
    if not words:
        return 0.0
    documents, weight = holding
    has = np.any([_among(evidence.having(w), documents) for w in words], axis=0)
    return float(np.mean([_precision(evidence, w, k) for w in words]) * (has @ weight))


def _among(having: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """bool[n]: which of some documents, ascending, are among others, ascending."""
    at = np.minimum(np.searchsorted(having, documents), len(having) - 1)
    return having[at] == documents


def _precision(evidence: Evidence, w: int, k: int) -> float:
    a, b = evidence.held_ptr[w : w + 2]
    return _held(evidence, w, k) / max(int(evidence.held_tokens[a:b].sum()), 1)


def _held(evidence: Evidence, w: int, k: int) -> int:
    """Tokens of a word in a topic."""
    a, b = evidence.held_ptr[w : w + 2]
    return int(evidence.held_tokens[a:b][evidence.held_topics[a:b] == k].sum())


def _meet(evidence: Evidence, v: int, w: int) -> bool:
    """Whether two words are in the same documents COMPANY times as often as by chance."""
    rare, other = sorted((evidence.having(v), evidence.having(w)), key=len)
    rare = np.ascontiguousarray(rare[:: -(-len(rare) // MET)])
    both = np.count_nonzero(_among(other, rare))
    return bool(
        both >= min(3, len(rare))
        and both * len(evidence.lengths) >= COMPANY * len(rare) * len(other)
    )


def _shown(
    evidence: Evidence,
    k: int,
    w: int,
    vocabulary: Mapping[int, str],
    looked_at: tuple[Sample, Written],
    avoided: Set[str],
) -> str:
    """A word as the texts write it, or as the phrase that most of its uses in the topic are."""
    sample, written = looked_at
    expected = sample.tokens * _held(evidence, w, k) / max(sample.size, 1)
    for phrase in sorted(sample.phrases, key=lambda phrase: -phrase.tokens):
        if (
            w in phrase.words
            and phrase.tokens >= PHRASE * expected
            and (text := written.form(phrase.words))
        ):
            if all(
                _tells(word) for word in (text.split()[0], text.split()[-1])
            ) and not avoided & set(text.casefold().split()):
                return text
    return written.form((w,)) or vocabulary[w].replace("_", " ")


def _everywhere(topics: Topics) -> np.ndarray:
    """p(w) of the model: float64[V], above 0 for every word that a topic lists with a weight."""
    topic = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    above = topics.share[topic] * (topics.weights - topics.floor[topic])
    return np.maximum(
        np.bincount(topics.words, weights=above, minlength=topics.V) + topics.share @ topics.floor,
        1e-300,
    )


def _owners(topics: Topics) -> np.ndarray:
    """int32[V]: the topic that most of each word's weight belongs to, the first of equals; -1 where
    none lists it."""
    topic = np.repeat(np.arange(topics.K, dtype=np.int32), np.diff(topics.indptr))
    order = np.lexsort((-topic, topics.share[topic] * topics.weights))  # the last one stays
    owners = np.full(topics.V, -1, np.int32)
    owners[topics.words[order]] = topic[order]
    return owners


def _words(
    topics: Topics,
    k: int,
    everywhere: np.ndarray,
    owners: np.ndarray,
    vocabulary: Mapping[int, str],
) -> list[tuple[str, float]]:
    """The words of a topic that can name it, with their relevance; where none can, all of them."""
    row = slice(topics.indptr[k], min(topics.indptr[k] + CANDIDATES, topics.indptr[k + 1]))
    words, log = (
        topics.words[row],
        np.log(np.maximum(topics.weights[row].astype(np.float64), 1e-300)),
    )
    lift = log - np.log(everywhere[words])
    parts = [
        (w, vocabulary[w].replace("_", " "), score)
        for w, score in zip(words.tolist(), (LAM * log + (1 - LAM) * lift).tolist(), strict=True)
    ]
    least = min(LEAST_LIFT, -0.5 * np.log(max(topics.share[k], 1e-12)))
    fit = [
        part
        for part, rise in zip(parts, lift.tolist(), strict=True)
        if rise >= least and _tells(part[1])
    ]
    own = [part for part in fit if owners[part[0]] == k]
    return [(text, score) for _, text, score in own or fit or parts]


def _tells(text: str) -> bool:
    """Whether a word may begin or end a name: not a number, nor one or two small letters ("vs")."""
    return not text[:1].isdigit() and (len(text) >= SHORT or not text.islower())


def _unique(parts: list[str], near: set[str], used: set[str]) -> str:
    """The first part that gives a name that no other topic has: with the next of `near` that says
    something else, alone, or with any other."""
    for i, first in enumerate(parts):
        others = [part for part in parts[i + 1 :] if _other(first, part)]
        pairs = [f"{first}, {part}" for part in sorted(others, key=lambda part: part not in near)]
        close = any(part in near for part in others)
        for name in [*pairs[:1], first, *pairs[1:]] if close else [first, *pairs]:
            if capitalized(name).casefold() not in used:
                return capitalized(name)
    return ""


def _other(first: str, second: str) -> bool:
    """Whether the second part says something that the first doesn't."""
    return not any(alike(a, b) for a in first.split() for b in second.split())


def alike(a: str, b: str) -> bool:
    """Whether two words say nearly the same by their letters: "court" and "courts", "america" and
    "american"."""
    a, b = a.casefold(), b.casefold()
    short = min(len(a), len(b))
    if short < 4:
        ends = len(a) == len(b) == 3 and a[0] == b[0] and a[2] == b[2]  # "man" and "men"
        return a == b or ends or (short > 1 and (a.startswith(b) or b.startswith(a)))
    return a[:4] == b[:4] or SequenceMatcher(None, a, b).ratio() > ALIKE


def capitalized(text: str) -> str:
    """As a name is written: its first letter large, all others as they are."""
    return text[:1].upper() + text[1:]
