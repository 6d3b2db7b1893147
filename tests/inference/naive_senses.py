"""Slow, obvious twins of inference/senses.py, from lists of tokens."""

from collections import Counter
from math import log


def tokens_of(evidence, word, into, mask):
    """(document, topic, certainty) of each token of a word."""
    found = []
    for d in range(evidence.document_bow.D):
        if mask is None or mask[d]:
            for w, count, k, certainty in zip(*evidence.token_topics.of_document(d), strict=True):
                if w == word:
                    found += [(d, int(into[k]), int(certainty))] * int(count)
    return found


def tally(tokens, group):
    """Counter of (group, topic): tokens; and of documents."""
    documents = {(d, k) for d, k, _ in tokens}
    return Counter((group[d], k) for d, k, _ in tokens), Counter(
        (group[d], k) for d, k in documents
    )


def likelihood(k, n, p):
    return (k * log(p) if k else 0.0) + ((n - k) * log(1 - p) if n - k else 0.0)


def ratio(a, n, b, m):
    """Dunning 1993, eq. for the binomial case."""
    p = (a + b) / (n + m)
    return 2 * (
        likelihood(a, n, a / n)
        + likelihood(b, m, b / m)
        - likelihood(a, n, p)
        - likelihood(b, m, p)
    )


def near(evidence, tokens, senses, into, word):
    """For each sense: word -> (documents of the sense that have it, score), of those that
    qualify."""
    of = {k: {d for d, topic, _ in tokens if topic == k} for k in senses}
    has = {
        d: {
            int(w): int(into[t])
            for w, _, t, _ in zip(*evidence.token_topics.of_document(d), strict=True)
        }
        for k in senses
        for d in of[k]
    }
    result = []
    for k in senses:
        others = [d for j in senses if j != k for d in of[j]]
        found = {}
        for w in {w for d in of[k] for w in has[d]} - {word}:
            every = sum(w in has[d] for d in of[k])
            own = sum(has[d].get(w) == k for d in of[k])
            elsewhere = sum(w in has[d] for d in others)
            n = len(of[k])
            m = len(others)
            if 2 * own >= every and every >= (2 if n > 3 else 1) and every / n > elsewhere / m:
                found[w] = (every, ratio(every, n, elsewhere, m))
        result.append(found)
    return result
