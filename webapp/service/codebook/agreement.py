"""How far coders agree on the texts that two or more of them coded, and on which texts they
don't."""

from collections.abc import Callable
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

import numpy as np

from inference.evaluate.agreement import MISSING, ac1, alpha, interval, tabled
from webapp.core.results import links
from webapp.models import Coding, Concept, Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.excerpts import cut_at_word
from webapp.platform.storage.cache import BoundedCache
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook import coding
from webapp.service.codebook.concepts import defined, values as values_of
from webapp.service.codebook.shapes import AgreementPage, Disagreement, Interval, PairOfCoders, Said

MOST_DISAGREEMENTS = 50
TEXT = 1_500  # characters of each
FEWEST_SHARED = 60  # texts of two coders, below which their agreement is anything
MOST_PAIRS = 50
_measures = BoundedCache(4 << 20)  # bytes

# Of (int[coders, texts], the weight of each text)
Measure = Callable[[np.ndarray, np.ndarray], float]


def page(run: Run, concept: Concept) -> AgreementPage:
    holds, base = defined(concept)
    shared = [readings for readings in coding.by_text(concept, base) if len(readings) > 1]
    settled = coding.settled(concept, base)
    in_dispute = [readings for readings in shared if coding.differ(readings)]
    in_dispute.sort(key=lambda readings: readings[0].item_id in settled)  # the open ones first
    table, weights, names = answers(shared)
    values = None
    if concept.kind == Concept.Kind.SCALE:
        values = np.array(values_of(holds.codes))
    measured = _remembered_measures(table, weights, names, values)
    return AgreementPage(
        concept=concept.name,
        codes=holds.codes,
        texts=len(shared),
        alpha=measured.alpha,
        ac1=measured.ac1,
        pairs=measured.pairs,
        disagreements=_disagreements(run, holds.codes, in_dispute[:MOST_DISAGREEMENTS], settled),
        unsettled=sum(readings[0].item_id not in settled for readings in in_dispute),
    )


def answers(shared: list[list[Coding]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(int[coders, texts], MISSING where a coder said nothing; 1 / pi of each text; the names of
    the coders)."""
    names, _, table = tabled(
        (reading.coder.name, reading.item_id, reading.code)
        for readings in shared
        for reading in readings
    )
    weights = np.array([1 / readings[0].item.pi for readings in shared])
    return table, weights, names


class Measures(NamedTuple):
    alpha: Interval
    ac1: Interval
    pairs: list[PairOfCoders]


def _remembered_measures(
    table: np.ndarray, weights: np.ndarray, names: list[str], values: np.ndarray | None
) -> Measures:
    """Intervals of 24,000 codes take seconds: they are computed anew only when a code has changed."""
    arrays = [table, weights]
    if values is not None:
        arrays.append(values)
    content = b"|".join(np.ascontiguousarray(array).tobytes() for array in arrays)
    key = (blake2b(content, digest_size=16).digest(), table.shape, tuple(names))
    measures = _measures.get(key)
    if measures is None:
        measures = Measures(
            alpha=_measured(lambda codes, weights: alpha(codes, weights, values), table, weights),
            ac1=_measured(ac1, table, weights),
            pairs=_pairs(table, weights, names, values),
        )
        _measures.set(key, measures)
    return measures


def _measured(measure: Measure, table: np.ndarray, weights: np.ndarray) -> Interval:
    """With its interval; nothing where two coders share no text."""
    if not table.size:
        return Interval(None, None, None)
    value = measure(table, weights)
    low, high = interval(measure, table, weights)
    return Interval(number_or_none(value), number_or_none(low), number_or_none(high))


def _pairs(
    table: np.ndarray, weights: np.ndarray, names: list[str], values: np.ndarray | None
) -> list[PairOfCoders]:
    """Coders who share texts, those with the most first. Alpha where they are enough."""
    pairs = []
    for first, second in combinations(range(len(names)), 2):
        codes = table[[first, second]]
        are_shared = (codes != MISSING).all(axis=0)
        texts = int(are_shared.sum())
        if not texts:
            continue
        value = np.nan
        if texts >= FEWEST_SHARED:
            value = alpha(codes[:, are_shared], weights[are_shared], values)
        pairs.append(PairOfCoders((names[first], names[second]), texts, number_or_none(value)))
    return sorted(pairs, key=lambda pair: -pair.texts)[:MOST_PAIRS]


def _disagreements(
    run: Run, codes: list[str], in_dispute: list[list[Coding]], settled: dict[int, int]
) -> list[Disagreement]:
    numbers = [readings[0].item.document for readings in in_dispute]
    texts = embargo.beginnings(run.corpus, numbers, TEXT)
    titles = embargo.about(run.corpus, numbers, "title")
    return [
        Disagreement(
            item=readings[0].item_id,
            document=number,
            title=titles.get(number, {}).get("title") or f"Document {number}",
            text=cut_at_word(texts.get(number, ""), TEXT),
            url=links.document_url(run, number),
            readings=[
                Said(
                    reading.coder.name,
                    reading.code,
                    codes[reading.code],
                    reading.unsure,
                    reading.remark,
                )
                for reading in readings
            ],
            settled=settled.get(readings[0].item_id),
        )
        for number, readings in zip(numbers, in_dispute, strict=True)
    ]
