"""Slow, obvious twins of inference/evaluate: dense, one formula after another."""

import itertools
import math

import numpy as np
from scipy.special import gammaln, xlogy

from tests.inference import naive


def probability(beta: np.ndarray, document: list[int], alpha: np.ndarray) -> float:
    """p(w_1 … w_N | beta, alpha): the sum over all K^N assignments."""
    K = len(beta)
    N = len(document)
    total = 0.0
    for z in itertools.product(range(K), repeat=N):
        n = np.bincount(z, minlength=K)
        log = (
            gammaln(alpha.sum())
            - gammaln(alpha.sum() + N)
            + (gammaln(alpha + n) - gammaln(alpha)).sum()
        )
        total += math.exp(log) * math.prod(beta[k, w] for k, w in zip(z, document, strict=True))
    return total


def npmi(top: np.ndarray, documents: list[list[int]], epsilon: float) -> float:
    """Than and Ho, appendix B, for one topic's words: a pair in every document is 0, a word in none
    counts as in one."""
    sets = [set(d) for d in documents]
    D = len(documents)
    values = []
    for w, v in itertools.combinations(top.tolist(), 2):
        p, q = (max(1, sum(x in s for s in sets)) / D for x in (w, v))
        both = sum(w in s and v in s for s in sets) / D
        values.append(
            0.0 if both == 1 else math.log((both + epsilon) / (p * q)) / -math.log(both + epsilon)
        )
    return float(np.mean(values)) if values else math.nan


def diagnostics(
    beta: np.ndarray, listed: np.ndarray, counts: np.ndarray, N: np.ndarray, words: int
) -> dict[str, np.ndarray]:
    """The measures of `diagnose` but coherence and npmi. listed: how many words each topic lists;
    N: N_dk of all documents."""
    K, V = beta.shape
    measures = {"tokens": N.sum(axis=0)}
    q = N / np.where(N.sum(axis=0) > 0, N.sum(axis=0), np.nan)
    measures["document_entropy"] = -xlogy(q, q).sum(axis=0)
    full = N[N.sum(axis=1) > 0]
    measures["rank_1_documents"] = np.bincount(full.argmax(axis=1), minlength=K) / len(full)
    measures["effective_words"] = 1 / (beta**2).sum(axis=1)
    order = np.argsort(-beta, axis=1, kind="stable")
    exclusive = beta / beta.sum(axis=0)
    measures["exclusivity"] = np.array(
        [
            exclusive[k, order[k, : min(words, listed[k])]].mean() if listed[k] else np.nan
            for k in range(K)
        ]
    )
    measures["uniform_distance"] = xlogy(beta, beta * V).sum(axis=1)
    p = np.maximum(counts.sum(axis=0), 1)
    measures["corpus_distance"] = xlogy(beta, beta / (p / p.sum())).sum(axis=1)
    measures["entropy"] = -xlogy(beta, beta).sum(axis=1)
    return measures


def completion(judge, beta: np.ndarray, alpha: float, iterations: int) -> float:
    """Nats per token of what a Completion scores, from its split alone."""
    total = 0.0
    for a, b in itertools.pairwise(judge.parts.indptr):
        observed = np.zeros(beta.shape[1])
        scored = np.zeros(beta.shape[1])
        observed[judge.words[judge.parts.positions[a:b]]] = judge.parts.observed[a:b]
        scored[judge.words[judge.parts.positions[a:b]]] = judge.parts.scored[a:b]
        total += naive.completion(beta, observed, scored, alpha, iterations)
    return total / judge.tokens
