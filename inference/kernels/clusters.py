"""Kernels of `clusters`: a mixture of multinomials in which a document is in at most L clusters
(paper 003)."""

import math

import numpy as np
from numba import prange

from inference.kernels.chunks import CHUNKS
from inference.kernels.select import largest, rounded
from inference.kernels.special import digamma, sum_in_order
from inference.runtime.jit import njit


@njit(cache=True, parallel=True)
def weigh(words, start, arena_topics, arena_values, unit, eta, row_ptr):
    """E[log beta] of some words' listed entries, less that of an unlisted word of the same cluster:
    (topics int32, above float64), rows by row_ptr, int64[n + 1]. arena_values: float64, statistics
    in units of `unit`."""
    topics = np.empty(row_ptr[-1], np.int32)
    above = np.empty(row_ptr[-1])
    base = digamma(eta)
    for i in prange(len(words)):
        at = start[words[i]] - row_ptr[i]
        for q in range(row_ptr[i], row_ptr[i + 1]):
            topics[q] = arena_topics[at + q]
            above[q] = digamma(eta + unit * arena_values[at + q]) - base
    return topics, above


@njit(cache=True)
def _scores(words, counts, row_ptr, row_topics, above, prior, floor, out):
    """W_dk of one document, into out: float64[K] (003, eqs. 1-8)."""
    tokens = sum_in_order(counts)
    for k in range(len(out)):
        out[k] = prior[k] + tokens * floor[k]
    for j in range(len(words)):
        for q in range(row_ptr[words[j]], row_ptr[words[j] + 1]):
            out[row_topics[q]] += counts[j] * above[q]


@njit(cache=True)
def _objective(topics, r, units, scores):
    """sum_k r_k (W_k - log r_k) of one document."""
    total = 0.0
    for i in range(len(topics)):
        if r[i] > 0.0:
            total += r[i] / units * (scores[topics[i]] - math.log(r[i] / units))
    return total


@njit(cache=True, parallel=True)
def visit(
    doc_ptr,
    places,
    counts,
    row_ptr,
    row_topics,
    above,
    prior,
    floor,
    old_topics,
    old,
    units,
    out_topics,
    out,
    objectives,
):
    """The clusters of some documents: the L of largest W_dk, with shares in proportion to exp W_dk.

    doc_ptr: int64[n + 1], the documents' pairs; places: int32[P], of each pair's word among the
    rows; counts: float64[P]. row_ptr, row_topics, above: of `weigh`. prior: float64[K], E[log
    pi_k]; floor: float64[K], E[log beta_kw] of words that the cluster does not list. old_topics:
    uint16[n, L] and old: float64[n, L], times `units`: what is remembered, and kept where the
    rounded shares are no better; 0 where a document was not seen. out_topics, out: the same of now,
    all 0 for a document without words; objectives: float64[n], sum_k r_dk (W_dk - log r_dk). All
    three are filled.
    """
    n = len(doc_ptr) - 1
    K = len(prior)
    L = out.shape[1]
    for chunk in prange(CHUNKS):
        scores = np.empty(K)
        buffer = np.empty(K)
        best_clusters = np.empty(L, np.int32)
        shares = np.empty(L)
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            document_slice = slice(doc_ptr[d], doc_ptr[d + 1])
            if doc_ptr[d] == doc_ptr[d + 1]:
                continue
            _scores(
                places[document_slice],
                counts[document_slice],
                row_ptr,
                row_topics,
                above,
                prior,
                floor,
                scores,
            )
            size = largest(scores, K, L, buffer, best_clusters)
            most = -np.inf
            total = 0.0
            for i in range(size):
                most = max(most, scores[best_clusters[i]])
            for i in range(size):
                shares[i] = math.exp(scores[best_clusters[i]] - most)
                total += shares[i]
            for i in range(size):
                shares[i] /= total
                out_topics[d, i] = best_clusters[i]
            rounded(shares, size, units, out[d])
            objectives[d] = _objective(out_topics[d], out[d], units, scores)
            if old[d].any():
                before = _objective(old_topics[d], old[d], units, scores)
                if before > objectives[d]:
                    out_topics[d] = old_topics[d]
                    out[d] = old[d]
                    objectives[d] = before


@njit(cache=True, parallel=True)
def objectives_of(
    doc_ptr, places, counts, row_ptr, row_topics, above, prior, floor, topics, r, units
):
    """sum_k r_dk (W_dk - log r_dk) of some documents with given shares: float64[n]."""
    n = len(doc_ptr) - 1
    objectives = np.zeros(n)
    for chunk in prange(CHUNKS):
        scores = np.empty(len(prior))
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            document_slice = slice(doc_ptr[d], doc_ptr[d + 1])
            _scores(
                places[document_slice],
                counts[document_slice],
                row_ptr,
                row_topics,
                above,
                prior,
                floor,
                scores,
            )
            objectives[d] = _objective(topics[d], r[d], units, scores)
    return objectives
