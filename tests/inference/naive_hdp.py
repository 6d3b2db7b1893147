"""The HDP topic model's twin: paper 002, figure 8, with phi[n, T], zeta[T, K] and every term of the
bound written out."""

import numpy as np
from scipy.special import betaln, digamma

from tests.inference.naive_vb import e_log_dirichlet, topics_bound


def e_log_v(a, b):
    """E[log v] and E[log (1 - v)] of v ~ Beta(a, b)."""
    return digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)


def e_log_sigma(a, b):
    """E[log sigma_i], sigma_i = v_i prod_{j < i} (1 - v_j), with the last v at 1: one more than
    sticks."""
    present, absent = e_log_v(a, b)
    return np.append(present, 0.0) + np.concatenate(([0.0], np.cumsum(absent)))


def e_sigma(a, b):
    share = np.append(a / (a + b), 1.0)
    return share * np.concatenate(([1.0], np.cumprod(1.0 - share[:-1])))


def sticks_bound(a, b, prior):
    """sum over sticks of E[log Beta(v | 1, prior)] - E[log Beta(v | a, b)]."""
    present, absent = e_log_v(a, b)
    p = -betaln(1.0, prior) + (prior - 1.0) * absent
    return float((p + betaln(a, b) - (a - 1.0) * present - (b - 1.0) * absent).sum())


def normalised(logits):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def document_sticks(counts, phi, alpha):
    """gamma^(1) and gamma^(2) of figure 8."""
    tokens = counts @ phi
    return 1.0 + tokens[:-1], alpha + np.cumsum(tokens[::-1])[::-1][1:]


def zeta_of(words, counts, log_beta, logs, phi):
    return normalised(logs + (phi * counts[:, None]).T @ log_beta[:, words].T)


def phi_of(words, log_beta, pointer_logs, zeta):
    return normalised(pointer_logs + (zeta @ log_beta[:, words]).T)


def document_bound(words, counts, log_beta, logs, alpha, phi, zeta, a, b):
    """All of the bound that is the document's. log_beta: [K, V]; logs: [K], E[log sigma(v)]."""
    total = (zeta * (logs - np.log(zeta + 1e-300))).sum() + sticks_bound(a, b, alpha)
    total += (counts[:, None] * phi * (e_log_sigma(a, b) - np.log(phi + 1e-300))).sum()
    return float(total + (counts[:, None] * phi * (zeta @ log_beta[:, words]).T).sum())


def start(words, counts, log_beta, gamma, T, own=0.999):
    """phi with the i-th pointer at the i-th strongest topic of gamma[K]."""
    order = np.argsort(-gamma, kind="stable")[:T]
    zeta = np.full((T, len(gamma)), (1.0 - own) / len(gamma))
    zeta[np.arange(T), order] = own
    return phi_of(words, log_beta, np.log(gamma[order]), zeta)


def document(words, counts, log_beta, logs, alpha, phi, iterations):
    """(phi, zeta, a, b, bound): sticks, pointers and words in turn."""
    for _ in range(iterations):
        a, b = document_sticks(counts, phi, alpha)
        zeta = zeta_of(words, counts, log_beta, logs, phi)
        phi = phi_of(words, log_beta, e_log_sigma(a, b), zeta)
        bound = document_bound(words, counts, log_beta, logs, alpha, phi, zeta, a, b)
    return phi, zeta, *document_sticks(counts, phi, alpha), bound


def corpus_sticks(mass, omega, order):
    """a and b of figure 8 for topics in this order."""
    m = mass[order]
    return 1.0 + m[:-1], omega + np.cumsum(m[::-1])[::-1][1:]


def by_topic(values, order):
    """Values by place, as values by topic."""
    out = np.empty(len(order))
    out[order] = values
    return out


def corpus_bound(documents, lam, eta, a, b, order, alpha, omega, fits):
    """The whole bound. documents: of (words, counts); fits: of (phi, zeta)."""
    log_beta = e_log_dirichlet(lam)
    logs = by_topic(e_log_sigma(a, b), order)
    total = topics_bound(lam, eta) + sticks_bound(a, b, omega)
    for (words, counts), (phi, zeta) in zip(documents, fits, strict=True):
        sticks = document_sticks(counts, phi, alpha)
        total += document_bound(words, counts, log_beta, logs, alpha, phi, zeta, *sticks)
    return total


def statistics(documents, fits, K, V):
    """(sum of expected tokens [K, V], expected pointers [K])."""
    tokens = np.zeros((K, V))
    mass = np.zeros(K)
    for (words, counts), (phi, zeta) in zip(documents, fits, strict=True):
        tokens[:, words] += zeta.T @ (phi * counts[:, None]).T
        mass += zeta.sum(axis=0)
    return tokens, mass
