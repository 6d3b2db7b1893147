"""Keyness of two sets of documents of a run."""

from collections.abc import Iterator

import numpy as np

from inference.index import two_sets
from webapp.analysis.keyness.counting import Computed, Contrast, Counted, in_order
from webapp.analysis.keyness.shapes import Keyness, KeyWord, Order, SpreadWord
from webapp.analysis.time import contrasts
from webapp.analysis.time.shapes import Side
from webapp.core.documents import fields
from webapp.platform.storage import csv_cells
from webapp.platform.storage.nulls import number_or_none

LISTED = 50  # words of each side
_COLUMNS = (
    "corpus run selection word side times low high adjusted_p g2 tokens tokens_other documents"
    " documents_other one_document".split()
)


def listed(contrast: Contrast, order: Order, selection: str, over: str, by: int | None) -> Keyness:
    """over: of what the parts are over which each word's dispersion is asked for; "" for none. by:
    the user who asks. Raises Invalid, and NotYet while a worker counts."""
    made, sides, base = contrast.computed(by), contrast.sides, contrast.base
    ranked = [_ranked(made, s, order) for s in range(2)]
    words = []
    for s, rows in enumerate(each[:LISTED] for each in ranked):
        dp = _dispersions(contrast, s, made.forms[rows], over) if over else [None] * len(rows)
        own = [sides[s], sides[1 - s]]
        each = [
            key_word(made, i, s, word, [contrasts.address(side, base, word=word) for side in own])
            for i, word in texts(contrast.counted, made, rows)
        ]
        words.append([SpreadWord(**vars(word), dp=one) for word, one in zip(each, dp, strict=True)])
    return Keyness(
        sides=described(contrast, made),
        words=words,
        more=[max(differ - LISTED, 0) for differ in made.differ],
        tried=made.tried,
        order=order,
        which=contrast.which,
        selection=selection,
        over=over,
    )


def described(contrast: Contrast, made: Computed) -> list[Side]:
    return [
        Side(side.name, int(documents), int(tokens), contrasts.address(side, contrast.base))
        for side, documents, tokens in zip(
            contrast.sides, made.totals.documents, made.totals.tokens, strict=True
        )
    ]


def _dispersions(contrast: Contrast, s: int, forms: np.ndarray, over: str) -> list[float | None]:
    """Of forms over a side's parts: periods, or values of a field. Raises Invalid where the corpus
    has no such thing."""
    groups = fields.groups(contrast.base.version, over).group
    part = np.full(len(contrast.sets), -1)
    part[: len(groups)] = np.where(
        contrast.sets[: len(groups)] == (two_sets.FIRST, two_sets.SECOND)[s], groups, -1
    )
    return [
        *map(
            number_or_none,
            two_sets.dispersion(contrast.counted.fields, forms, part, contrast.lengths),
        )
    ]


def table(contrast: Contrast, over: str, by: int | None) -> bytes:
    """The words that differ, of the first side, then of the second, as CSV: those that are kept.
    over: as `listed` has it, a last column."""
    made, base = contrast.computed(by), contrast.base
    names = [side.name for side in contrast.sides]
    about = [base.run.corpus.name, base.run.pk, base.sentence]

    def row(i: int, s: int, text: str) -> list:
        w = key_word(made, i, s, text, [])
        high = "" if w.high is None else round(w.high, 4)
        tested = [
            round(w.times, 4),
            round(w.low, 4),
            high,
            f"{made.result.adjusted[i]:.3g}",
            round(w.g2, 2),
        ]
        return [*about, text, names[s], *tested, *w.tokens, *w.documents, int(w.burst)]

    ranked = [_ranked(made, s, "ratio") for s in (0, 1)]
    lines = [
        _COLUMNS,
        *[row(i, s, text) for s in (0, 1) for i, text in texts(contrast.counted, made, ranked[s])],
    ]
    if over:
        dp = [one for s in (0, 1) for one in _dispersions(contrast, s, made.forms[ranked[s]], over)]
        lines = [[*line, cell] for line, cell in zip(lines, [f"dp_over_{over}", *dp], strict=True)]
    return csv_cells.lines(lines)


def texts(counted: Counted, made: Computed, rows: np.ndarray) -> Iterator[tuple[int, str]]:
    """Some rows, each with its word."""
    return zip(rows.tolist(), counted.spelled(made.forms[rows]), strict=True)


def _ranked(made: Computed, s: int, order: Order) -> np.ndarray:
    """Rows of the words that side s uses more, the clearest first."""
    return in_order(made.result, np.flatnonzero((made.result.ratio > 0) == (s == 0)), order)


def key_word(made: Computed, i: int, s: int, word: str, urls: list[str]) -> KeyWord:
    """As side s sees it: its own figures first."""
    result, own = made.result, [s, 1 - s]
    ends = sorted(
        abs(float(end)) for end in (result.low[i], result.high[i])
    )  # both on the side that is larger
    tokens = made.tokens[i, own]
    return KeyWord(
        word=word,
        times=2.0 ** abs(float(result.ratio[i])),
        low=2.0 ** ends[0],
        high=2.0 ** ends[1] if np.isfinite(ends[1]) else None,
        g2=float(result.g2[i]),
        tokens=tokens.tolist(),
        documents=made.documents[i, own].tolist(),
        rates=(10_000 * tokens / made.totals.tokens[own]).tolist(),
        burst=bool(result.burst[i]),
        urls=urls,
    )
