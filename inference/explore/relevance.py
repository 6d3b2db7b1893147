"""Which words show best what a topic, or any part of the corpus's tokens, is about."""

import numpy as np

from inference.topics import Topics

# lambda of the words that are listed of a topic: at it readers named topics best (Sievert and
# Shirley 2014, section 3.2)
USUAL_LAM = 0.6

# tokens that the corpus as a whole counts for in a part: damps words that were seen a few times
PRIOR = 100.0
LEAST_TOKENS = 1e-12  # that stand for none where a logarithm is taken


def relevance(
    inside: np.ndarray, everywhere: np.ndarray, lam: float, *, inside_total: int, total: int
) -> np.ndarray:
    """lam log p(w|k) + (1 - lam) log(p(w|k) / p(w)), in nats (Sievert and Shirley 2014, eq. 1):
    float64[n], -inf where inside is 0.

    inside: int[n], tokens of each word in the topic; everywhere: int[n], in the corpus; any words,
    as inside_total and total are the tokens of the whole topic and the whole corpus. lam: from 0,
    the words that are nowhere else, to 1, the most frequent.
    """
    with np.errstate(divide="ignore"):
        log_inside = np.log(np.asarray(inside, np.float64)) - np.log(inside_total)
        log_everywhere = np.log(np.maximum(everywhere, 1)) - np.log(total)
    return relevance_of_logs(log_inside, log_everywhere, lam)


def relevance_of_logs(log_inside: np.ndarray, log_everywhere: np.ndarray, lam: float) -> np.ndarray:
    """`relevance` of words of which log p(w|k) and log p(w) are known: float64[n], in nats."""
    return log_inside - (1 - lam) * log_everywhere


def first(
    topics: Topics, tokens: np.ndarray, limit: int, among: int | None = None
) -> list[list[int]]:
    """The `limit` words of each topic that are most relevant at USUAL_LAM, of its `among` most probable
    ones, None for all that it lists. tokens: [V], how often each word occurs in the corpus."""
    most_relevant = []
    total = tokens.sum()
    for k in range(topics.K):
        row = slice(topics.indptr[k], topics.indptr[k + 1])
        words = topics.words[row][:among]
        weights = topics.weights[row][:among]
        score = relevance(weights, tokens[words], USUAL_LAM, inside_total=1, total=total)
        most_relevant.append(words[np.argsort(-score, kind="stable")[:limit]].tolist())
    return most_relevant


def distinctive(
    inside: np.ndarray,
    everywhere: np.ndarray,
    wanted: np.ndarray | None = None,
    *,
    prior: float = PRIOR,
) -> np.ndarray:
    """How surely each word is more frequent inside a part than outside of it: z-scores, float64[n],
    above 0 for more.

    Log-odds ratio with an informative Dirichlet prior (Monroe, Colaresi and Quinn 2008, eqs. 16 and
    22): words that a part has often and others have not come first, not words that it has once and
    nobody else has. inside: int[n], tokens of each word in the part; everywhere: int[n], in the
    part and outside it, in all the words that there are: the prior is in proportion to it. wanted:
    int[m], the words whose scores are wanted, float64[m]; all where it is None.
    """
    size = float(inside.sum())
    total = float(everywhere.sum())
    if wanted is not None:
        inside = inside[wanted]
        everywhere = everywhere[wanted]
    inside = np.asarray(inside, np.float64)
    everywhere = np.asarray(everywhere, np.float64)
    if not 0 < size < total:
        return np.zeros(len(inside))
    outside = everywhere - inside
    of_prior = np.maximum(prior * everywhere / total, LEAST_TOKENS)
    inside_odds = _log_odds(inside + of_prior, size + prior)
    log_odds = inside_odds - _log_odds(outside + of_prior, total - size + prior)
    error = np.sqrt(1 / (inside + of_prior) + 1 / (outside + of_prior))
    return np.where(everywhere > 0, log_odds / error, 0.0)


def _log_odds(counts: np.ndarray, total: float) -> np.ndarray:
    return np.log(counts) - np.log(np.maximum(total - counts, LEAST_TOKENS))
