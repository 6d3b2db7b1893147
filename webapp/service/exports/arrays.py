"""The model as numpy arrays: dense, for gensim and scikit-learn, or sparse, for any size.
docs/take.md has the recipes."""

import json
from collections.abc import Iterator

import numpy as np

from webapp.core.results import provenance
from webapp.service.exports.model import Model
from webapp.service.exports.tables import ExportSource
from webapp.service.exports.zips import Array, npz, ready_array, text


def dense(source: ExportSource) -> Iterator[bytes]:
    """beta float32[K, V]; theta float32[D, K], (N_dk + alpha_k) / (N_d + sum of alpha); and what
    both share."""
    model = Model(source.run)
    single = np.dtype(np.float32)
    return npz(
        [
            Array("beta", (model.K, model.V), single, model.beta()),
            Array("theta", (model.D, model.K), single, model.theta()),
            *_shared_arrays(model),
        ]
    )


def sparse(source: ExportSource) -> Iterator[bytes]:
    """beta's listed weights in compressed rows, the floor of each topic for all other words, and
    N_dk in compressed rows."""
    model = Model(source.run)
    return npz([*topics(model), *counts(model), *_shared_arrays(model)])


def topics(model: Model) -> Iterator[Array]:
    """Three passes over the topics: none is held."""
    sizes = [0, *(len(model.topic(k).words) for k in range(model.K))]
    nnz = sum(sizes)
    yield ready_array("beta_indptr", np.cumsum(sizes, dtype=np.int64))
    yield Array(
        "beta_words", (nnz,), np.dtype(np.int32), (model.topic(k).words for k in range(model.K))
    )
    yield Array(
        "beta_weights",
        (nnz,),
        np.dtype(np.float32),
        (model.topic(k).weights for k in range(model.K)),
    )
    yield ready_array("beta_floor", model.floor)


def counts(model: Model) -> list[Array]:
    """Tokens of topics in documents."""
    evidence = model.evidence
    return [
        ready_array("theta_indptr", evidence.mixtures.doc_ptr),
        ready_array("theta_topics", evidence.mixtures.doc_topics),
        ready_array("theta_tokens", evidence.mixtures.doc_tokens),
    ]


def _shared_arrays(model: Model) -> list[Array]:
    return [
        ready_array("alpha", model.alpha),
        ready_array("eta", np.array(model.eta, np.float64)),
        ready_array("tokens", model.tokens),  # of each topic
        ready_array("lengths", model.evidence.lengths),  # tokens of each document
        text("vocabulary", model.vocabulary),
        text("made_by", [json.dumps(provenance.made_by(model.run), ensure_ascii=False)]),
    ]
