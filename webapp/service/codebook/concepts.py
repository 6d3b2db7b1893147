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
from webapp.core.documents import document_groups
from webapp.core.results import evidence
from webapp.models import CodeFile, Coding, Concept, Corpus, Definition, Draw, Example, Item, Run
from webapp.platform.pages.page import is_whole
from webapp.platform.typed_text import one_line, several_lines

MOST_CONCEPTS = 200  # concepts of a corpus
# Characters
NAME = 100
CODE = 40
TEXT = 5_000
FEWEST_CODES = 2
CODES = 9  # of a concept: each has a key from 1 to 9
FEWEST_DRAWN = 10  # documents at once
DRAWN = 20_000  # documents of a concept
# Documents of each stratum, at least: more make estimates no better (docs/measurements/codebook.md)
LEAST_STRATUM_DOCUMENTS = 1
FEWEST_DOUBLED = 60  # documents that two code: of fewer, agreement can't be told
SEEDS = 1 << 31
# Numbers of a scale: their squares and ratios are finite, and never 0 by rounding
SMALLEST_CODE = 1e-9
LARGEST_CODE = 1e9
EXAMPLES = 200
ROWS_AT_ONCE = 1_000  # written by one statement
YES_NO = ["no", "yes"]
NO, YES = range(2)  # their codes


def create(corpus: Corpus, posted: Mapping[str, str], by: str) -> Concept:
    """Raises Invalid."""
    name = _short("name", posted.get("called", ""), NAME)
    kind = posted.get("kind", "")
    if kind not in Concept.Kind.values:
        raise Invalid(
            "kind", f"A concept is one of {', '.join(Concept.Kind.values)}, got “{kind[:20]}”."
        )
    if corpus.concepts.count() >= MOST_CONCEPTS:
        raise Invalid("name", f"“{corpus.name}” has {MOST_CONCEPTS} concepts, which is the most.")
    with transaction.atomic():
        concept = Concept.objects.create(
            corpus=corpus, name=name, kind=kind, origin=posted.get("origin", "")[:TEXT], by=by
        )
        define(concept, posted, by, anew=True)
    return concept


def define(concept: Concept, posted: Mapping[str, str], by: str, anew: bool) -> Definition:
    """A new version of the definition. anew: documents are coded again, as earlier codings don't
    count for it. Raises Invalid."""
    texts = {
        name: several_lines(posted.get(name, "")) for name in ("text", "examples", "borderline")
    }
    if not texts["text"]:
        raise Invalid("text", "Say in a sentence or two when a document has the concept.")
    for name, text in texts.items():
        if len(text) > TEXT:
            raise Invalid(name, f"Each part of a definition has at most {TEXT:,} characters.")
    codes = YES_NO if concept.kind == Concept.Kind.YES_NO else _codes(posted.get("codes", ""))
    if concept.kind == Concept.Kind.SCALE:
        _check_scale(codes)
    with transaction.atomic():
        lock(concept)
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
    different = {code.casefold() for code in codes}
    if not FEWEST_CODES <= len(codes) <= CODES or len(different) < len(codes):
        raise Invalid(
            "codes",
            f"Write {FEWEST_CODES} to {CODES} codes, each once, a line each; got {len(codes)}.",
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


def _short(name: str, text: str, limit: int) -> str:
    text = one_line(text)
    if not 0 < len(text) <= limit:
        raise Invalid(name, f"“{name}” takes 1 to {limit} characters on a line; got {len(text):,}.")
    return text


class Defined(NamedTuple):
    """holds: the definition. base: the number of the one since which codings count."""

    holds: Definition
    base: int


def defined(concept: Concept) -> Defined:
    """The newest definition of a concept, and the number of the last one from which coding began
    anew."""
    versions = list(concept.definitions.all())
    base = max(version.number for version in versions if version.anew)
    return Defined(versions[-1], base)


def values(codes: list[str]) -> list[float]:
    """What the codes of a scale count: their names, where all are numbers, else 0, 1, 2 …"""
    try:
        return [float(code) for code in codes]
    except ValueError:
        return [float(i) for i in range(len(codes))]


# The draw


def draw(
    concept: Concept, run: Run, posted: Mapping[str, str], columns: list[str], by: str
) -> None:
    """Draw documents at random, in strata of a topic's share and of the columns that are to be
    compared, or more of them by the design with which that was begun. Raises Invalid."""
    size = _read_number(posted, "size", FEWEST_DRAWN, DRAWN)
    with transaction.atomic():
        lock(concept)
        drawn = Draw.objects.filter(concept=concept).first()
        have = drawn.items.count() if drawn else 0
        if posted.get("have", str(have)) != str(have):
            raise Invalid(
                "size", "Documents were drawn meanwhile. Look again before you draw more."
            )
        if drawn is None:
            check_no_file_waits(concept)
            drawn = _begin_draw(concept, run, posted, columns, by)
        _check_continuable(drawn)
        _draw_up_to(drawn, min(have + size, DRAWN))


def _begin_draw(
    concept: Concept, run: Run, posted: Mapping[str, str], columns: list[str], by: str
) -> Draw:
    topic = _read_number(posted, "topic", 0, run.topics - 1) if posted.get("topic") else None
    percent = _read_number(posted, "overlap", 0, 100)
    return Draw.objects.create(
        concept=concept,
        run=run,
        topic=topic,
        columns=columns,
        documents=run.version.documents,
        seed=secrets.randbelow(SEEDS),
        overlap=percent / 100,
        by=by,
    )


def check_no_file_waits(concept: Concept) -> None:
    """Raises Invalid while a worker takes codes in that were made elsewhere."""
    waiting = (CodeFile.Status.QUEUED, CodeFile.Status.READING)
    if CodeFile.objects.filter(concept=concept, status__in=waiting).exists():
        raise Invalid("codes", "A file of codes is being taken in. Wait until that is done.")


def _check_continuable(drawn: Draw) -> None:
    """Raises Invalid where no more can be drawn by the same design."""
    if drawn.elsewhere:
        raise Invalid(
            "size", "These codes were made elsewhere, so no more can be drawn in the same way."
        )
    if drawn.run is None:
        raise Invalid(
            "size",
            "The run whose topics made the strata is deleted, so no more can be drawn by them.",
        )


def _draw_up_to(drawn: Draw, size: int) -> None:
    """Draw documents until there are `size`. The same seed gives the same order within each
    stratum, so that a larger draw holds the smaller one."""
    strata = strata_of(drawn)
    sizes = np.bincount(strata)
    if size < LEAST_STRATUM_DOCUMENTS * len(sizes):
        raise Invalid(
            "size",
            f"These columns make {len(sizes):,} kinds of documents, of which at least"
            f" {LEAST_STRATUM_DOCUMENTS} each"
            f" are drawn: draw {LEAST_STRATUM_DOCUMENTS * len(sizes):,}, or choose fewer columns.",
        )
    sample = design.draw(strata, size, LEAST_STRATUM_DOCUMENTS, drawn.seed)
    old = {item.document: item for item in drawn.items.all()}
    doubled = _draw_doubled(len(sample.documents), drawn.overlap)
    new: list[Item] = []
    for i, document in enumerate(sample.documents.tolist()):
        pi = float(sample.pi[i])
        if document in old:
            old[document].pi = pi
            continue
        stratum = int(sample.strata[i])
        item = Item(
            draw=drawn,
            document=document,
            place=len(old) + len(new),
            pi=pi,
            stratum=stratum,
            stratum_size=int(sizes[stratum]),
            twice=bool(doubled[i]),
        )
        new.append(item)
    Item.objects.bulk_update(old.values(), ["pi"], batch_size=ROWS_AT_ONCE)
    Item.objects.bulk_create(new, batch_size=ROWS_AT_ONCE)


def _draw_doubled(n: int, overlap: float) -> np.ndarray:
    """bool[n]: which two readers code, evenly spread; at least FEWEST_DOUBLED where there are so
    many."""
    share = 0.0
    if overlap:
        share = max(overlap, min(1.0, FEWEST_DOUBLED / n))
    doubled_so_far = np.floor(np.arange(n + 1) * share)
    return np.diff(doubled_so_far) > 0


def strata_of(drawn: Draw) -> np.ndarray:
    """int32[D], of the documents that there were when it was begun."""
    assert drawn.run is not None, f"the run of draw {drawn.pk} is gone"
    D = drawn.documents
    share = None
    if drawn.topic is not None:
        share = topic_shares(drawn.run, drawn.topic)[:D]
    # A number for each combination of the columns' groups
    combination = np.zeros(D, np.int64)
    for column in drawn.columns:
        group = (
            document_groups.read_groups(drawn.run.version, column).group[:D].astype(np.int64) + 1
        )
        groups = int(group.max(initial=0)) + 1
        combination = combination * groups + group
    _, numbered = np.unique(combination, return_inverse=True)
    return design.strata(share, numbered)


def topic_shares(run: Run, topic: int) -> np.ndarray:
    """float64[D]: of the words of each document."""
    run_evidence = evidence.of(run)
    return run_evidence.mixtures.tokens_held([topic]) / np.maximum(run_evidence.lengths, 1)


def _read_number(posted: Mapping[str, str], name: str, least: int, limit: int) -> int:
    text = posted.get(name, "")
    if not is_whole(text) or not least <= int(text) <= limit:
        raise Invalid(
            name, f"“{name}” is a whole number from {least:,} to {limit:,}, got “{text[:20]}”."
        )
    return int(text)


# What else is done to a concept


def invite(concept: Concept, on: bool) -> None:
    """A link by which anybody who has it may code (256 random bits); or no link any more."""
    Concept.objects.filter(pk=concept.pk).update(token=secrets.token_urlsafe(32) if on else None)


def discard(concept: Concept) -> None:
    """Take a draw back of which nothing was coded. Raises Invalid."""
    with transaction.atomic():
        # Locked as `coding.save` does, so that no code is saved between the question and the act
        drawn = Draw.objects.select_for_update().filter(concept=concept).first()
        if drawn is None:
            return
        if Coding.objects.filter(item__draw=drawn).exists():
            raise Invalid(
                "draw",
                "Some of these documents are coded already, so the draw stays. Begin another"
                " concept.",
            )
        drawn.delete()


def withdraw(concept: Concept, coder: int, on: bool) -> None:
    """A coder's codings count no more, and what they had not coded goes to others; or they count
    again."""
    concept.coders.filter(pk=coder).update(withdrawn_at=timezone.now() if on else None)


def choose(concept: Concept, document: int, note: str, by: str) -> None:
    """Keep a document as an example. Raises Invalid."""
    version = concept.corpus.version
    if version is None or document >= version.documents:
        raise Invalid("document", f"“{concept.corpus.name}” has no document {document}.")
    if concept.chosen.count() >= EXAMPLES:
        raise Invalid("document", f"A concept has at most {EXAMPLES} examples.")
    Example.objects.update_or_create(
        concept=concept, document=document, defaults={"note": several_lines(note)[:TEXT], "by": by}
    )


def remove(concept: Concept, on: bool) -> None:
    """Take it off the list, with its link; or put it back."""
    Concept.objects.filter(pk=concept.pk).update(
        removed_at=timezone.now() if on else None, token=None
    )


def list_concepts(corpus: Corpus) -> list[tuple[Concept, int, int]]:
    """Each with how many documents were drawn for it, and coded by a definition that counts."""
    definitions = Definition.objects.filter(concept=OuterRef("pk"), anew=True).order_by("-number")
    is_coded = Q(draw__items__codings__definition__number__gte=F("base"))
    concepts = corpus.concepts.filter(removed_at=None).annotate(
        base=Subquery(definitions.values("number")[:1])
    )
    concepts_counted = concepts.annotate(
        drawn=Count("draw__items", distinct=True),
        coded=Count("draw__items", distinct=True, filter=is_coded),
    )
    rows = concepts_counted.prefetch_related("definitions")
    return [(concept, concept.drawn, concept.coded) for concept in rows]


def lock(concept: Concept) -> None:
    """Within a transaction: who else changes its draw or its definition waits."""
    Concept.objects.select_for_update(no_key=True).get(pk=concept.pk)
