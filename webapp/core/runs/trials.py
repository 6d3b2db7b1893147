"""Trainings of a run's settings on other texts than its own, at a press
(webapp.core.runs.replicates): on texts drawn anew from its topics, which tell what learning loses
of a difference; and on half of its documents, whose topics are measured on the other half."""

from io import BytesIO
from typing import NamedTuple

import numpy as np

import inference
from inference import Bow, simulate
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.evidence import document_tokens
from inference.explore import matching
from inference.kernels import rng
from webapp.core.documents import corpus_unit
from webapp.core.results import evidence, weights
from webapp.models import Replicate, Run
from webapp.platform.storage.cache import cached


class Kept(NamedTuple):
    """partner: int32[K], the same topic there of each of the run's, -1 for none. doc_ptr,
    doc_topics, doc_tokens: as DocumentMixtures has them. measured: bool[D], documents that nothing
    was learned from, all of texts that were drawn."""

    partner: np.ndarray
    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    measured: np.ndarray


def learned_from(replicate: Replicate, bow: Bow) -> Bow:
    """The texts that it is trained on. bow: the run's own."""
    run = replicate.run
    if replicate.texts == Replicate.Texts.DRAWN:
        assert run.snapshot is not None
        return simulate.redraw(
            bow, evidence.of(run).token_topics.topics, weights.topics(run.snapshot), replicate.seed
        )
    if replicate.texts == Replicate.Texts.HALF:
        learned = ~_draw_measured_half(replicate)
        return bow.only(
            learned if bow.first_row is None else np.repeat(learned, np.diff(bow.first_row))
        )
    return bow


def _draw_measured_half(replicate: Replicate) -> np.ndarray:
    """bool[D]: half of those who speak, with all of their documents."""
    version = replicate.run.version
    if replicate.texts != Replicate.Texts.HALF:
        return np.ones(version.documents, bool)
    split = corpus_unit.documents(version, corpus_unit.unit_of(version))
    order = rng.shuffled(split.U, rng.stream(rng.HALVES, seed=replicate.seed))
    is_drawn = order < split.U // 2
    measured = np.zeros(version.documents, bool)
    measured[split.order] = np.repeat(is_drawn, np.diff(split.starts))
    return measured


def measure_trial(
    replicate: Replicate,
    engine: AnyEngine,
    config: ResolvedConfig,
    last: inference.Snapshot,
    learned: Bow,
    own_bow: Bow,
) -> Kept:
    """What is kept. learned: what it was trained on; own_bow: the run's texts, which are read of
    halves."""
    run = replicate.run
    bow = learned if replicate.texts == Replicate.Texts.DRAWN else own_bow
    assert run.snapshot is not None
    rows = document_tokens(
        bow,
        last.topics,
        inference.fold_in_corpus(engine, config, last.state, bow),
        engine.ABOUT.by_document,
    )
    partner = matching.match(
        weights.topics(run.snapshot), last.topics, *weights.words(run, run)
    ).partner
    return Kept(
        partner,
        rows.indptr,
        rows.indices.astype(np.uint16),
        rows.data,
        _draw_measured_half(replicate),
    )


def kept_trial(run: Run, texts: str) -> Kept | None:
    """None before it is done."""
    ready = (
        run.replicates.filter(texts=texts, status=Replicate.Status.READY)
        .values_list("pk", flat=True)
        .first()
    )
    return _read(ready) if ready else None


@cached(4)
def _read(pk: int) -> Kept:
    with np.load(
        BytesIO(Replicate.objects.values_list("result", flat=True).get(pk=pk) or b"")
    ) as arrays:
        return Kept(**arrays)
