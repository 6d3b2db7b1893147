"""How far coders agree on the texts that two or more of them coded, and on which texts they
don't."""

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

SHOWN = 50  # disagreements
TEXT = 1_500  # characters of each
PAIR = 60  # texts that two coders share, below which their agreement is anything
PAIRS = 50
_measures = BoundedCache(4 << 20)


def page(run: Run, concept: Concept) -> AgreementPage:
    holds, base = defined(concept)
    shared = [readings for readings in coding.by_text(concept, base) if len(readings) > 1]
    settled = coding.settled(concept, base)
    differ = sorted(
        filter(coding.differ, shared), key=lambda readings: readings[0].item_id in settled
    )
    table, weights, names = answers(shared)
    values = np.array(values_of(holds.codes)) if concept.kind == Concept.Kind.SCALE else None
    measured = _kept_measures(table, weights, names, values)
    return AgreementPage(
        concept=concept.name,
        codes=holds.codes,
        texts=len(shared),
        alpha=measured.alpha,
        ac1=measured.ac1,
        pairs=measured.pairs,
        disagreements=_disagreements(run, holds.codes, differ[:SHOWN], settled),
        unsettled=sum(readings[0].item_id not in settled for readings in differ),
    )


def answers(shared: list[list[Coding]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(int[coders, texts], MISSING where a coder said nothing; 1 / pi of each text; the names of
    the coders)."""
    names, _, table = tabled(
        (one.coder.name, one.item_id, one.code) for readings in shared for one in readings
    )
    return table, np.array([1 / readings[0].item.pi for readings in shared]), names


class Measures(NamedTuple):
    alpha: Interval
    ac1: Interval
    pairs: list[PairOfCoders]


def _kept_measures(
    table: np.ndarray, weights: np.ndarray, names: list[str], values: np.ndarray | None
) -> Measures:
    """Intervals of 24,000 codes take seconds: they are computed anew only when a code has changed."""
    parts = (table, weights, values if values is not None else np.array([]))
    content = b"|".join(np.ascontiguousarray(part).tobytes() for part in parts)
    key = (blake2b(content, digest_size=16).digest(), table.shape, tuple(names))
    kept = _measures.get(key)
    if kept is None:
        kept = Measures(
            _measured(lambda a, w: alpha(a, w, values), table, weights),
            _measured(ac1, table, weights),
            _pairs(table, weights, names, values),
        )
        _measures.set(key, kept)
    return kept


def _measured(measure, table: np.ndarray, weights: np.ndarray) -> Interval:
    found = (
        (measure(table, weights), *interval(measure, table, weights))
        if table.size
        else (None, None, None)
    )
    return Interval(*map(number_or_none, found))


def _pairs(
    table: np.ndarray, weights: np.ndarray, names: list[str], values: np.ndarray | None
) -> list[PairOfCoders]:
    pairs = []
    for a, b in combinations(range(len(names)), 2):
        both = (table[[a, b]] != MISSING).all(axis=0)
        if n := int(both.sum()):
            value = alpha(table[[a, b]][:, both], weights[both], values) if n >= PAIR else np.nan
            pairs.append(PairOfCoders((names[a], names[b]), n, number_or_none(value)))
    return sorted(pairs, key=lambda pair: -pair.texts)[:PAIRS]


def _disagreements(
    run: Run, codes: list[str], differ: list[list[Coding]], settled: dict[int, int]
) -> list[Disagreement]:
    numbers = [readings[0].item.document for readings in differ]
    texts = embargo.beginnings(run.corpus, numbers, TEXT)
    titles = embargo.about(run.corpus, numbers, "title")
    return [
        Disagreement(
            item=readings[0].item_id,
            document=number,
            title=(titles[number]["title"] if number in titles else "") or f"Document {number}",
            text=cut_at_word(texts.get(number, ""), TEXT),
            url=links.document_url(run, number),
            readings=[
                Said(one.coder.name, one.code, codes[one.code], one.unsure, one.remark)
                for one in readings
            ],
            settled=settled.get(readings[0].item_id),
        )
        for number, readings in zip(numbers, differ, strict=True)
    ]
