"""How far coders agree on the texts that two or more of them coded, and on which texts they
don't: compared in a request where that is quick, else by a worker, and kept with the concept until
a code is added."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import combinations
from typing import NamedTuple

import numpy as np
from pydantic import TypeAdapter

from inference.evaluate.agreement import MISSING, ac1, alpha, interval, tabled
from webapp.core.results import links
from webapp.models import Agreement, Coding, Concept, Draw, Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.excerpts import cut_at_word
from webapp.platform.drawing.numbers import document_name
from webapp.platform.jobs import dispatch
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.storage.nulls import number_or_none
from webapp.service.codebook import coding
from webapp.service.codebook.concepts import defined, values as values_of
from webapp.service.codebook.shapes import (
    AgreementNotYet,
    AgreementPage,
    CodeOfCoder,
    Disagreement,
    Interval,
    PairOfCoders,
)

TASK = "tasks.codebook.agree"
METHOD = 3  # raised when the same codes have other measures
# Codes up to which a request compares: half a second; of more a worker does. 24,000 take 5 seconds.
QUICK_CODES = 2_000
DIGEST = 32  # bytes, of the key of what is kept
MOST_DISAGREEMENTS = 50
TEXT = 1_500  # characters of each
FEWEST_SHARED = 60  # texts that two coded, below which agreement may be anything
MOST_PAIRS = 50

# Of (int[coders, texts], the weight of each text)
Measure = Callable[[np.ndarray, np.ndarray], float]


@dataclass(frozen=True)
class Compared:
    """What is kept. base, draw: the definition from which codings count, and the draw: of others
    nothing may be shown. texts: that two coders or more coded. in_dispute: the items on which they
    disagree, in the order of the texts, settled or not."""

    base: int
    draw: int
    texts: int
    alpha: Interval
    ac1: Interval
    pairs: list[PairOfCoders]
    in_dispute: list[int]


STORED_COMPARISON = TypeAdapter(Compared)


def page(run: Run, concept: Concept, asker: int | None) -> AgreementPage:
    """asker: the user who asks. Where a worker has to compare first, what it compared before codes
    came since, if that is of the same draw; else NotYet is raised."""
    compared = read_kept(concept, comparison_key(concept))
    counting = None
    has_failed = False
    if compared is None and _codings(concept).count() <= QUICK_CODES:
        compared = _compare_and_keep(concept)
    if compared is None:
        dispatch.ask(TASK, [concept.pk], asker)
        counting = dispatch.progress(TASK, [concept.pk])
        has_failed = dispatch.has_failed(TASK, [concept.pk])
        compared = kept_before(concept)
    if compared is None:
        raise NotYet(AgreementNotYet(concept.name, counting or 0.0, has_failed))
    holds, base = defined(concept)
    settled = coding.settled(concept, base)
    unsettled = [item for item in compared.in_dispute if item not in settled]
    in_order = sorted(compared.in_dispute, key=settled.__contains__)  # the open ones first
    return AgreementPage(
        concept=concept.name,
        codes=holds.codes,
        texts=compared.texts,
        alpha=compared.alpha,
        ac1=compared.ac1,
        pairs=compared.pairs,
        disagreements=_disagreements(
            run, holds.codes, _readings(concept, base, in_order[:MOST_DISAGREEMENTS]), settled
        ),
        unsettled=len(unsettled),
        counting=counting,
        has_failed=has_failed,
    )


def compute(concept_id: int, asker: int | None) -> None:
    """In a worker, asked by a page of the user `asker`: compare and keep, unless that is kept
    already, or the concept is not there any more."""
    with dispatch.at_work(TASK, [concept_id], asker):
        concept = Concept.objects.filter(pk=concept_id).first()
        if concept is not None and read_kept(concept, comparison_key(concept)) is None:
            _compare_and_keep(concept, partial(dispatch.advance, TASK, [concept_id]))


# What is kept


def _codings(concept: Concept):
    return Coding.objects.filter(item__draw__concept=concept)


def comparison_key(concept: Concept) -> str:
    """What the comparison depends on. Codings are only added; the probabilities of texts change
    where more are drawn."""
    drawn = Draw.objects.filter(concept=concept).first()
    last_coding = _codings(concept).order_by("-pk").values_list("pk", flat=True).first()
    coders = [
        (name, withdrawn is None)
        for name, withdrawn in concept.coders.values_list("name", "withdrawn_at")
    ]
    of_draw = (drawn.pk, drawn.items.count()) if drawn else None
    depends = (METHOD, defined(concept).base, of_draw, last_coding, coders)
    return blake2b(repr(depends).encode(), digest_size=DIGEST).hexdigest()


def read_kept(concept: Concept, key: str) -> Compared | None:
    """The comparison that is kept under a `comparison_key`; None where it is of another one."""
    row = Agreement.objects.filter(concept=concept, key=key).first()
    return None if row is None else STORED_COMPARISON.validate_python(row.data)


def kept_before(concept: Concept) -> Compared | None:
    """What was kept before the last codes came, of the same definition and draw."""
    row = Agreement.objects.filter(concept=concept).first()
    drawn = Draw.objects.filter(concept=concept).first()
    if row is None or drawn is None:
        return None
    data = row.data
    if (data.get("base"), data.get("draw")) != (defined(concept).base, drawn.pk):
        return None
    return STORED_COMPARISON.validate_python(data)


def _compare_and_keep(
    concept: Concept, advance: Callable[[float], None] = lambda done: None
) -> Compared:
    """advance: learns how far it is, from 0 to 1."""
    key = comparison_key(concept)  # first: codes that come meanwhile ask for another comparison
    compared = compare_codings(concept, advance)
    data = STORED_COMPARISON.dump_python(compared, mode="json")
    Agreement.objects.update_or_create(concept=concept, defaults={"key": key, "data": data})
    return compared


# Comparing


class Reading(NamedTuple):
    """A coding, by what is compared of it. pi: with which its text was drawn."""

    item: int
    coder: str
    code: int
    pi: float


def compare_codings(concept: Concept, advance: Callable[[float], None]) -> Compared:
    """How far coders agree about a concept. advance: learns how far it is, from 0 to 1."""
    holds, base = defined(concept)
    drawn = Draw.objects.filter(concept=concept).first()
    by_item: dict[int, list[Reading]] = defaultdict(list)
    columns = coding.counting_codings(concept, base).values_list(
        "item_id", "coder__name", "code", "item__pi"
    )
    for row in columns:
        reading = Reading(*row)
        by_item[reading.item].append(reading)
    shared = [readings for readings in by_item.values() if len(readings) > 1]
    in_dispute = [
        readings[0].item for readings in shared if len({reading.code for reading in readings}) > 1
    ]
    table, weights, names = answers(shared)
    values = None
    if concept.kind == Concept.Kind.SCALE:
        values = np.array(values_of(holds.codes))
    return Compared(
        base=base,
        draw=drawn.pk if drawn else 0,
        texts=len(shared),
        alpha=_measure_interval(
            lambda codes, weights: alpha(codes, weights, values),
            table,
            weights,
            lambda done: advance(done / 2),
        ),
        ac1=_measure_interval(
            lambda codes, weights: ac1(codes, len(holds.codes), weights),
            table,
            weights,
            lambda done: advance(0.5 + done / 2),
        ),
        pairs=_pairs(table, weights, names, values),
        in_dispute=in_dispute,
    )


def answers(shared: Iterable[list[Reading]]) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """(int[coders, texts], MISSING where a coder said nothing; 1 / pi of each text; the names of
    the coders)."""
    shared = list(shared)
    names, _, table = tabled(
        (reading.coder, reading.item, reading.code) for readings in shared for reading in readings
    )
    weights = np.array([1 / readings[0].pi for readings in shared])
    return table, weights, names


def _measure_interval(
    measure: Measure, table: np.ndarray, weights: np.ndarray, advance: Callable[[float], None]
) -> Interval:
    """With its interval; nothing of fewer than FEWEST_SHARED texts."""
    texts = table.shape[1]
    if texts < FEWEST_SHARED:
        return Interval(None, None, None)
    value = measure(table, weights)
    low, high = interval(measure, table, weights, advance=advance)
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


def _readings(concept: Concept, base: int, items: list[int]) -> list[list[Coding]]:
    """The codings that count of some items, in the order of these."""
    of_item: dict[int, list[Coding]] = defaultdict(list)
    for reading in coding.counting_codings(concept, base).filter(item__in=items):
        of_item[reading.item_id].append(reading)
    return [of_item[item] for item in items if item in of_item]


def _disagreements(
    run: Run, codes: list[str], in_dispute: list[list[Coding]], settled: dict[int, int]
) -> list[Disagreement]:
    numbers = [readings[0].item.document for readings in in_dispute]
    texts = embargo.beginnings(run.corpus, numbers, TEXT)
    about_documents = embargo.about(run.corpus, numbers, "title")
    titles = {number: about["title"] for number, about in about_documents.items()}
    return [
        Disagreement(
            item=readings[0].item_id,
            document=number,
            title=document_name(titles.get(number, ""), number),
            text=cut_at_word(texts.get(number, ""), TEXT),
            url=links.document_url(run, number),
            readings=[
                CodeOfCoder(
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
