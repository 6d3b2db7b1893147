"""Concepts: their definitions, the documents that are drawn for them, and the examples that a
reader chose."""

import secrets
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.utils import timezone

from inference.codes import draw as design
from inference.errors import Invalid
from webapp.core.curation.services import lines, one_line
from webapp.core.documents import fields
from webapp.core.results import evidence
from webapp.models import Coding, Concept, Corpus, Definition, Draw, Example, Item, Run
from webapp.platform.pages.page import is_whole

MOST = 200  # concepts of a corpus
NAME, CODE, TEXT = 100, 40, 5_000  # characters
CODES = 9  # of a concept: each has a key from 1 to 9
DRAWN = 20_000  # documents of a concept
# documents of each stratum, at least: more make estimates no better (docs/measurements/codebook.md)
EACH = 1
# Numbers of a scale: their squares and ratios are finite, and no nothing.
SMALLEST_CODE, LARGEST_CODE = 1e-9, 1e9
EXAMPLES = 200
YES_NO = ["no", "yes"]


def create(corpus: Corpus, sent: Mapping[str, str], by: str) -> Concept:
    """Raises Invalid."""
    name, kind = _short("name", sent.get("called", ""), NAME), sent.get("kind", "")
    if kind not in Concept.Kind.values:
        raise Invalid(
            "kind", f"A concept is one of {', '.join(Concept.Kind.values)}, got “{kind[:20]}”."
        )
    if corpus.concepts.count() >= MOST:
        raise Invalid("name", f"“{corpus.name}” has {MOST} concepts, which is the most.")
    with transaction.atomic():
        concept = Concept.objects.create(
            corpus=corpus, name=name, kind=kind, origin=sent.get("origin", "")[:TEXT], by=by
        )
        define(concept, sent, by, anew=True)
    return concept


def define(concept: Concept, sent: Mapping[str, str], by: str, anew: bool) -> Definition:
    """A new version of the definition. anew: documents are coded again, as earlier codings don't
    count for it. Raises Invalid."""
    texts = {name: lines(sent.get(name, "")) for name in ("text", "examples", "borderline")}
    if not texts["text"]:
        raise Invalid("text", "Say in a sentence or two when a document has the concept.")
    if long := next((name for name, text in texts.items() if len(text) > TEXT), None):
        raise Invalid(long, f"Each part of a definition has at most {TEXT:,} characters.")
    codes = YES_NO if concept.kind == Concept.Kind.YES_NO else _codes(sent.get("codes", ""))
    if concept.kind == Concept.Kind.SCALE:
        _check_scale(codes)
    with transaction.atomic():
        _lock(concept)
        last = concept.definitions.last()
        if last and not anew and codes != last.codes:
            raise Invalid(
                "codes",
                "With other codes documents have to be coded anew: tick that, or leave the codes.",
            )
        return Definition.objects.create(
            concept=concept,
            number=last.number + 1 if last else 1,
            codes=codes,
            anew=anew,
            by=by,
            **texts,
        )


def _codes(text: str) -> list[str]:
    codes = [_short("codes", line, CODE) for line in text.splitlines() if line.strip()]
    if not 2 <= len(codes) <= CODES or len({code.casefold() for code in codes}) < len(codes):
        raise Invalid(
            "codes", f"Write 2 to {CODES} codes, each once, a line each; got {len(codes)}."
        )
    return codes


def _check_scale(codes: list[str]) -> None:
    """Raises Invalid for a number that means can't be computed with."""
    for line, code in enumerate(codes, 1):
        try:
            value = float(code)
        except ValueError:
            continue  # a word: codes count 0, 1, 2 … then
        if value != 0 and not SMALLEST_CODE <= abs(value) <= LARGEST_CODE:
            raise Invalid(
                "codes",
                f"Line {line}: A number of a scale is 0 or from {SMALLEST_CODE} to"
                f" {LARGEST_CODE:g} in size, got “{code[:20]}”.",
            )


def _short(name: str, text: str, most: int) -> str:
    text = one_line(text)
    if not 0 < len(text) <= most:
        raise Invalid(name, f"“{name}” takes 1 to {most} characters on a line; got {len(text):,}.")
    return text


class Defined(NamedTuple):
    """holds: the definition. base: the number of the one since which codings count."""

    holds: Definition
    base: int


def defined(concept: Concept) -> Defined:
    versions = list(concept.definitions.all())
    return Defined(versions[-1], max(version.number for version in versions if version.anew))


def values(codes: list[str]) -> list[float]:
    """What the codes of a scale count: their names, where all are numbers, else 0, 1, 2 …"""
    try:
        return [float(code) for code in codes]
    except ValueError:
        return [float(i) for i in range(len(codes))]


# The draw
# ------------------------------------------------------------------------------------------------------------


def draw(concept: Concept, run: Run, sent: Mapping[str, str], columns: list[str], by: str) -> None:
    """Draw documents at random, in strata of a topic's share and of the columns that are to be
    compared, or more of them by the design with which that was begun. Raises Invalid."""
    size = _whole(sent, "size", 10, DRAWN)
    with transaction.atomic():
        _lock(concept)
        drawn = Draw.objects.filter(concept=concept).first()
        have = drawn.items.count() if drawn else 0
        if sent.get("have", str(have)) != str(have):
            raise Invalid(
                "size", "Documents were drawn meanwhile. Look again before you draw more."
            )
        if drawn is None:
            topic = _whole(sent, "topic", 0, run.topics - 1) if sent.get("topic") else None
            overlap = _whole(sent, "overlap", 0, 100) / 100
            documents, seed = run.version.documents, secrets.randbelow(1 << 31)
            drawn = Draw.objects.create(
                concept=concept,
                run=run,
                topic=topic,
                columns=columns,
                documents=documents,
                seed=seed,
                overlap=overlap,
                by=by,
            )
        elif drawn.elsewhere:
            raise Invalid(
                "size", "These codes were made elsewhere, so no more can be drawn in the same way."
            )
        elif drawn.run is None:
            raise Invalid(
                "size",
                "The run whose topics made the strata is deleted, so no more can be drawn by them.",
            )
        _draw_up_to(drawn, min(have + size, DRAWN))


def _draw_up_to(drawn: Draw, size: int) -> None:
    """The same seed gives the same order within each stratum, so that a larger draw holds the
    smaller one."""
    strata = strata_of(drawn)
    sizes = np.bincount(strata)
    if size < EACH * len(sizes):
        raise Invalid(
            "size",
            f"These columns make {len(sizes):,} kinds of documents, of which at least {EACH} each"
            f" are drawn: draw {EACH * len(sizes):,}, or choose fewer columns.",
        )
    made = design.draw(strata, size, EACH, drawn.seed)
    old = {item.document: item for item in drawn.items.all()}
    doubled = _doubled(len(made.documents), drawn.overlap)
    new: list[Item] = []
    for document, pi, stratum, twice in zip(
        made.documents.tolist(),
        made.pi.tolist(),
        made.strata.tolist(),
        doubled.tolist(),
        strict=True,
    ):
        if document in old:
            old[document].pi = pi
        else:
            new.append(
                Item(
                    draw=drawn,
                    document=document,
                    place=len(old) + len(new),
                    pi=pi,
                    stratum=stratum,
                    stratum_size=int(sizes[stratum]),
                    twice=twice,
                )
            )
    Item.objects.bulk_update(old.values(), ["pi"], batch_size=1_000)
    Item.objects.bulk_create(new, batch_size=1_000)


def _doubled(n: int, overlap: float) -> np.ndarray:
    """bool[n]: which two readers code, evenly spread; at least 60, of which agreement can be
    told."""
    share = max(overlap, min(1.0, 60 / n)) if overlap else 0.0
    return np.diff(np.floor(np.arange(n + 1) * share)) > 0


def strata_of(drawn: Draw) -> np.ndarray:
    """int32[D], of the documents that there were when it was begun."""
    assert drawn.run is not None, f"the run of draw {drawn.pk} is gone"
    version, D = drawn.run.version, drawn.documents
    share = None if drawn.topic is None else topic_shares(drawn.run, drawn.topic)[:D]
    crossed = np.zeros(D, np.int64)
    for column in drawn.columns:
        group = fields.groups(version, column).group[:D].astype(np.int64) + 1
        crossed = crossed * (int(group.max(initial=0)) + 1) + group
    return design.strata(share, np.unique(crossed, return_inverse=True)[1])


def topic_shares(run: Run, topic: int) -> np.ndarray:
    """float64[D]: of the words of each document."""
    counted = evidence.of(run)
    return counted.held([topic]) / np.maximum(counted.lengths, 1)


def _whole(sent: Mapping[str, str], name: str, least: int, most: int) -> int:
    text = sent.get(name, "")
    if not is_whole(text) or not least <= int(text) <= most:
        raise Invalid(
            name, f"“{name}” is a whole number from {least:,} to {most:,}, got “{text[:20]}”."
        )
    return int(text)


# What else is done to a concept
# --------------------------------------------------------------------------------------


def invite(concept: Concept, on: bool) -> None:
    """A link by which anybody who has it may code (256 random bits); or no link any more."""
    Concept.objects.filter(pk=concept.pk).update(token=secrets.token_urlsafe(32) if on else None)


def discard(concept: Concept) -> None:
    """Take a draw back of which nothing was coded. Raises Invalid."""
    if Coding.objects.filter(item__draw__concept=concept).exists():
        raise Invalid(
            "draw",
            "Some of these documents are coded already, so the draw stays. Begin another concept.",
        )
    Draw.objects.filter(concept=concept).delete()


def withdraw(concept: Concept, coder: int, on: bool) -> None:
    """A coder's codings count no more, and what they had not coded goes to others; or they count
    again."""
    concept.coders.filter(pk=coder).update(withdrawn_at=timezone.now() if on else None)


def choose(concept: Concept, document: int, note: str, by: str) -> None:
    """Keep a document as an example. Raises Invalid."""
    if document >= (concept.corpus.version.documents if concept.corpus.version else 0):
        raise Invalid("document", f"“{concept.corpus.name}” has no document {document}.")
    if concept.chosen.count() >= EXAMPLES:
        raise Invalid("document", f"A concept has at most {EXAMPLES} examples.")
    Example.objects.update_or_create(
        concept=concept, document=document, defaults={"note": lines(note)[:TEXT], "by": by}
    )


def remove(concept: Concept, on: bool) -> None:
    """Take it off the list, with its link; or put it back."""
    Concept.objects.filter(pk=concept.pk).update(
        removed_at=timezone.now() if on else None, token=None
    )


def listed(corpus: Corpus) -> list[tuple[Concept, int, int]]:
    """Each with how many documents were drawn for it, and coded by a definition that counts."""
    definitions = Definition.objects.filter(concept=OuterRef("pk"), anew=True).order_by("-number")
    counts = Q(draw__items__codings__definition__number__gte=F("base"))
    rows = (
        corpus.concepts.filter(removed_at=None)
        .annotate(base=Subquery(definitions.values("number")[:1]))
        .annotate(
            n=Count("draw__items", distinct=True),
            coded=Count("draw__items", distinct=True, filter=counts),
        )
        .prefetch_related("definitions")
    )
    return [(concept, concept.n, concept.coded) for concept in rows]


def _lock(concept: Concept) -> None:
    Concept.objects.select_for_update(no_key=True).get(pk=concept.pk)
