"""Keyness of two sets of documents of a run."""

from collections.abc import Iterator
from operator import itemgetter

import numpy as np

from inference.index import two_sets
from webapp.analysis.answers import cautions
from webapp.analysis.keyness.bursts import find_largest_users
from webapp.analysis.keyness.shapes import Keyness, KeyWord, SpreadWord
from webapp.analysis.two_sets import compared_sets
from webapp.analysis.two_sets.shapes import Side
from webapp.analysis.two_sets.word_contrast import Computed, Contrast, Counted, in_order
from webapp.analysis.two_sets.word_shapes import Order
from webapp.core.documents import document_groups, unit_sentences
from webapp.platform.storage.csv_table import CsvTable
from webapp.platform.storage.nulls import number_or_none

WORDS_OF_SIDE = 50  # words of each side
PER_WORDS = 10_000  # rates are occurrences in so many words
PER_DOCUMENTS = 100  # or documents with the word, of so many
_COLUMNS = (
    "corpus run selection unit unit_chosen_by level counts word side times low high p g2 tokens"
    " tokens_other documents documents_other one_unit".split()
)


def list_words(
    contrast: Contrast, order: Order, selection: str, over: str, asker: int | None
) -> Keyness:
    """over: of what the parts are over which each word's dispersion is asked for; "" for none.
    asker: the user who asks. Raises Invalid, and NotYet while a worker counts."""
    computed = contrast.computed(asker)
    tried_words = computed.tried_words
    return Keyness(
        sides=described(contrast, computed),
        words=[_words_of_side(contrast, computed, s, order, over) for s in range(2)],
        more=[max(differ - WORDS_OF_SIDE, 0) for differ in computed.differ],
        tried=computed.tried,
        order=order,
        which=contrast.which,
        counts=contrast.counts,
        selection=selection,
        over=over,
        level=tried_words.level,
        rows=tried_words.rows,
        calibrated=tried_words.calibrated,
        unit=unit_sentences.about(contrast.base.version, contrast.unit),
        units=list(tried_words.units),
        not_held=contrast.not_held,
        few_units=cautions.few_units(contrast.unit, tried_words.units, tried_words.obstacle),
        caution=cautions.caution(contrast.unit, tried_words.units, tried_words.obstacle),
    )


def _words_of_side(
    contrast: Contrast, computed: Computed, s: int, order: Order, over: str
) -> list[SpreadWord]:
    """The first that side s uses more, its own figures first."""
    sides = [contrast.sides[s], contrast.sides[1 - s]]
    rows = _rank_words(computed, s, order)[:WORDS_OF_SIDE]
    dispersions: list[float | None] = [None] * len(rows)
    if over:
        dispersions = _dispersions(contrast, s, computed.forms[rows], over)
    users = find_largest_users(contrast, computed, s, rows)
    words = []
    for (i, text), dp, user in zip(
        texts(contrast.counted, computed, rows), dispersions, users, strict=True
    ):
        urls = [compared_sets.address(side, contrast.base, terms=f'"{text}"') for side in sides]
        word = key_word(computed, i, s, text, urls)
        words.append(
            SpreadWord(**vars(word), dp=dp, largest_user=user.name, part_of_largest=user.part)
        )
    return words


def described(contrast: Contrast, computed: Computed) -> list[Side]:
    """Both sides with their documents and words, as the page names them."""
    sides = []
    for s, side in enumerate(contrast.sides):
        documents = int(computed.totals.documents[s])
        tokens = int(computed.totals.tokens[s])
        sides.append(Side(side.name, documents, tokens, compared_sets.address(side, contrast.base)))
    return sides


def _dispersions(contrast: Contrast, s: int, forms: np.ndarray, over: str) -> list[float | None]:
    """How evenly forms are spread over a side's parts, which are periods or values of a field.
    Raises Invalid where the corpus has no such thing."""
    groups = document_groups.read_groups(contrast.base.version, over).group
    in_side = contrast.sets == (two_sets.FIRST if s == 0 else two_sets.SECOND)
    part = np.full(len(contrast.sets), -1)  # also of documents behind the last that was read
    part[: len(groups)] = np.where(in_side[: len(groups)], groups, -1)
    spread = two_sets.dispersion(contrast.counted.fields, forms, part, contrast.lengths)
    return [number_or_none(dp) for dp in spread]


def table(contrast: Contrast, over: str, asker: int | None) -> CsvTable:
    """The words that differ, of the first side, then of the second: those that are kept.
    over: as `list_words` has it, a last column."""
    computed = contrast.computed(asker)
    base = contrast.base
    unit = unit_sentences.about(base.version, contrast.unit)
    about: dict[str, object] = {
        "corpus": base.run.corpus.name,
        "run": base.run.pk,
        "selection": base.sentence,
        "unit": unit.column,
        "unit_chosen_by": unit.chosen_by,
        "level": computed.tried_words.level,
        "counts": contrast.counts,
    }
    dispersion = f"dp_over_{over}"
    rows: list[dict[str, object]] = []
    for s, side in enumerate(contrast.sides):
        ranked = _rank_words(computed, s, "ratio")
        of_side = []
        for i, text in texts(contrast.counted, computed, ranked):
            of_word = {"word": text, "side": side.name}
            of_side.append(about | of_word | _figures(computed, i, s, text))
        if over:
            dispersions = _dispersions(contrast, s, computed.forms[ranked], over)
            for row, dp in zip(of_side, dispersions, strict=True):
                row[dispersion] = dp
        rows += of_side
    columns = [*_COLUMNS, dispersion] if over else list(_COLUMNS)
    cells_of = itemgetter(*columns)
    return CsvTable(columns, map(cells_of, rows))


def _figures(computed: Computed, i: int, s: int, text: str) -> dict[str, object]:
    """What the table says of a word that side s uses more, by columns."""
    word = key_word(computed, i, s, text, [])
    tokens, tokens_other = word.tokens or (None, None)
    documents, documents_other = word.documents
    return {
        "times": word.times,
        "low": word.low,
        "high": word.high,
        "p": word.p,
        "g2": word.g2,
        "tokens": tokens,
        "tokens_other": tokens_other,
        "documents": documents,
        "documents_other": documents_other,
        "one_unit": int(word.burst),
    }


def texts(
    counted_words: Counted, computed: Computed, rows: np.ndarray
) -> Iterator[tuple[int, str]]:
    """Some rows, each with its word."""
    return zip(rows.tolist(), counted_words.spelled(computed.forms[rows]), strict=True)


def _rank_words(computed: Computed, s: int, order: Order) -> np.ndarray:
    """Rows of the words that side s uses more, the clearest first."""
    larger_in_first = computed.result.ratio > 0
    of_side = larger_in_first if s == 0 else ~larger_in_first
    return in_order(computed.result, computed.is_minor, np.flatnonzero(of_side), order)


def key_word(computed: Computed, i: int, s: int, word: str, urls: list[str]) -> KeyWord:
    """A key word as side s sees it: its own figures first. The ratio is that of the side that has
    more."""
    result = computed.result
    sides = [s, 1 - s]
    ratio = float(result.ratio[i])
    ends = [float(result.low[i]), float(result.high[i])]
    if ratio < 0:  # logarithms of ratios
        ratio = -ratio
        ends = [-ends[1], -ends[0]]
    of_documents = computed.of_documents
    counts = computed.amounts[i, sides]
    per = PER_DOCUMENTS if of_documents else PER_WORDS
    return KeyWord(
        word=word,
        times=_times(ratio),
        low=_times(ends[0]),
        high=_times(ends[1]),
        p=number_or_none(result.p[i]),
        g2=float(result.g2[i]),
        tokens=[] if of_documents else counts.tolist(),
        documents=computed.documents[i, sides].tolist(),
        rates=(per * counts / computed.bases[sides]).tolist(),
        burst=bool(result.burst[i]),
        urls=urls,
    )


def _times(logarithm: float) -> float | None:
    """None where it is not known, or has no bound."""
    return 2.0**logarithm if logarithm < np.inf else None
