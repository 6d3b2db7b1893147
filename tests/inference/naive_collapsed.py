"""Slow, obvious twins of the collapsed engines: lists and dense arrays, each token or pair by
itself."""

import numpy as np

from inference.kernels import rng

WHOLE = 1 << 15


def whole(phi: np.ndarray, most: int, least: float) -> np.ndarray:
    """phi, float64[K], as the engine keeps it: its `most` strongest topics that have `least`, or
    the strongest where none has, in whole 2^-15ths."""
    order = np.argsort(-phi, kind="stable")[:most]
    kept = order[phi[order] >= min(least, phi[order[0]])]
    out = np.zeros(len(phi))
    out[kept[1:]] = np.floor(WHOLE * phi[kept[1:]] / phi[kept].sum()) / WHOLE
    out[kept[0]] = 1.0 - out.sum()
    return out


def cvb0_pass(
    documents, order, phi, V: int, alpha: float, eta: float, rounded=lambda phi: phi
) -> None:
    """One pass of Asuncion and others (2009) over documents, [(words, counts)], in an order: each
    pair's phi, in place, from sums over all phi as they are at that moment, with one token of the
    pair itself left out.

    phi: a list of float64[n, K]. rounded: what becomes of a new phi.
    """
    K = phi[0].shape[1]
    N_kw = np.zeros((K, V))
    for (words, counts), of_document in zip(documents, phi, strict=True):
        for word, count, share in zip(words, counts, of_document, strict=True):
            N_kw[:, word] += count * share
    N_k = N_kw.sum(axis=1)
    for d in order:
        words, counts = documents[d]
        N_dk = np.zeros(K)
        for count, share in zip(counts, phi[d], strict=True):
            N_dk += count * share
        for i, (word, count) in enumerate(zip(words, counts, strict=True)):
            own = phi[d][i]
            new = (alpha + N_dk - own) * (eta + N_kw[:, word] - own) / (V * eta + N_k - own)
            new = rounded(new / new.sum())
            N_dk += count * (new - own)
            N_kw[:, word] += count * (new - own)
            N_k += count * (new - own)
            phi[d][i] = new


def scvb0_document(
    words, counts, N_kw, alpha: float, eta: float, turns: int, s=1.0, tau=10.0, kappa=0.9
) -> np.ndarray:
    """phi, float64[n, K], of the last turn through a document under N_kw, float64[K, V] (Foulds and
    others 2013): nothing is left out, and N_d moves by a step for each pair, of all its tokens at
    once."""
    K, V = N_kw.shape
    length = counts.sum()
    N_dk = np.full(K, counts.sum() / K)
    t = 0
    phi = np.zeros((len(words), K))
    for _ in range(turns):
        for i, (word, count) in enumerate(zip(words, counts, strict=True)):
            t += 1
            gamma = (N_dk + alpha) * (N_kw[:, word] + eta) / (N_kw.sum(axis=1) + V * eta)
            phi[i] = gamma / gamma.sum()
            stays = (1.0 - s * (tau + t) ** -kappa) ** count
            N_dk = stays * N_dk + (1.0 - stays) * length * phi[i]
    return phi


def smc(
    documents,
    order,
    seed: int,
    K: int,
    V: int,
    alpha: float,
    eta: float,
    sweeps: int,
    passes: int = 1,
):
    """Lists of tokens, one state, each document given the last topics of all before it; (N_kw
    int[K, V], topics by document).

    documents: lists of words. order: a list of documents for each pass. Random numbers as the
    engine's, by visit and document.
    """
    topics: dict[int, list[int]] = {}
    N_kw = np.zeros((K, V), int)
    for visit in range(passes):
        for d in order[visit]:
            words = documents[d]
            state = rng.key(np.uint64(seed), np.uint64(rng.SMC), np.uint64(visit), np.uint64(d))
            again = d in topics
            z = topics.setdefault(d, [])
            for sweep in range(0 if again else -1, sweeps):
                for i, w in enumerate(words):
                    if sweep >= 0:
                        N_kw[z[i], w] -= 1
                    others = [k for j, k in enumerate(z) if j != i or sweep < 0]
                    N_dk = np.bincount(others, minlength=K)
                    p = (alpha + N_dk) * (eta + N_kw[:, w]) / (V * eta + N_kw.sum(axis=1))
                    state = rng.after(np.uint64(state))
                    k = int(
                        np.searchsorted(
                            np.cumsum(p), rng.unit(np.uint64(state)) * p.sum(), side="right"
                        )
                    )
                    if sweep >= 0:
                        z[i] = k
                    else:
                        z.append(k)
                    N_kw[k, w] += 1
    return N_kw, topics
