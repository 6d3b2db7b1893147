"""Keyness of two sets of documents of a run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.explore import keyness
from inference.explore.documents import frozen
from inference.index import Index, two_sets
from inference.index.segments import Field
from webapp.documents import fields, search
from webapp.documents.selection import RunSelection
from webapp.keyness.shapes import Keyness, KeyWord, Order, SpreadWord, Which
from webapp.models import Run, Topic
from webapp.runs import names
from webapp.storage import csv_cells, sealed
from webapp.storage.cache import BoundedCache, cached
from webapp.storage.nulls import number_or_none
from webapp.time import contrasts
from webapp.time.shapes import Side

LISTED = 50  # words of each side
LEAST = 5  # documents of both sides: what fewer have is told by no list
LONGEST_FILE = 50_000  # words of a file
_kept = BoundedCache(16 << 20)
_COLUMNS = "corpus run selection word side times low high adjusted_p g2 tokens tokens_other documents documents_other one_document".split()


@dataclass(frozen=True)
class Counted:
    """What is counted: words of the lexicon, and behind these phrases of the run's topics. fields: of both, as two_sets takes them."""

    index: Index
    words: int
    phrases: list[str]
    fields: list[Field]

    @classmethod
    def of(cls, run: Run) -> "Counted":
        """Of a run by an older version, and under an embargo, words alone. Raises Invalid where the corpus has no index."""
        index = search.open_index(run.corpus)
        words, of_words, folder = len(index.stream.lexicon), index.fields["text"], names.phrases_folder(run.pk)
        with sealed.held(folder.parent):
            if run.corpus.embargo or not folder.is_dir():
                return cls(index, words, [], of_words)
            field = Field.open(folder)  # what is mapped stays when its files are put away
        behind = field._replace(words=frozen(field.words + words, np.int32))
        return cls(index, words, _phrases(run.snapshot_id), [*of_words, behind])

    def spelled(self, forms: np.ndarray) -> list[str]:
        known = forms < self.words
        texts = np.empty(len(forms), object)
        texts[known] = self.index.stream.lexicon.words(forms[known])
        texts[~known] = [self.phrases[form - self.words] for form in forms[~known].tolist()]
        return texts.tolist()

    def content(self, forms: np.ndarray) -> np.ndarray:
        """bool[n]: which are phrases, or words that are no stop words."""
        kept = forms >= self.words
        kept[~kept] = search.content_words(self.index, forms[~kept])
        return kept


@cached(16)
def _phrases(snapshot_id: int) -> list[str]:
    rows = Topic.objects.filter(snapshot=snapshot_id).order_by("number").values_list("phrases", flat=True)
    return names.distinct(filter(None, rows))


class Computed(NamedTuple):
    """The words and phrases that differ, of so many that were tried. forms: int32[n], as Counted numbers them; tokens, documents: int64[n, 2]."""

    totals: two_sets.Totals
    forms: np.ndarray
    tokens: np.ndarray
    documents: np.ndarray
    result: keyness.Keyness
    tried: int


def computed(base: RunSelection, a: contrasts.Side, b: contrasts.Side, which: Which) -> Computed:
    """A pass over the index. Raises Invalid where a side has no documents or no words, or where one document is on
    both."""
    counted, sides = Counted.of(base.run), contrasts.divided(base, a, b)
    index = counted.index

    def make() -> Computed:
        first, second = sides.of_both(base)
        sets = np.zeros(index.D, np.uint8)
        sets[slice(base.version.documents) if second is None else second] = two_sets.SECOND
        sets[first] = two_sets.FIRST
        totals = two_sets.totals(index.stream.lengths, sets)
        if not totals.tokens.all():
            raise Invalid("from_a", "One of the two sets has no words. Choose another time or value.")
        every = counted.words + len(counted.phrases)
        sums = two_sets.sums(counted.fields, every, index.stream.lengths, sets, LEAST)
        if which == "content":
            kept = counted.content(sums.forms)
            sums = two_sets.FormSums(*(array[kept] for array in sums))
        result = keyness.keyness(sums, totals)
        rows = np.flatnonzero(result.different)
        forms, tokens, documents = (array[rows] for array in (sums.forms, sums.tokens, sums.documents))
        result = keyness.Keyness(*(array[rows] for array in result))
        return Computed(totals, forms, tokens, documents, result, len(sums.forms))

    key = (base.run.snapshot_id, index.made, base.run.version_id, tuple(base.parameters), sides.name, which)
    return _kept.get_or_set(key, make)


def listed(
    base: RunSelection, a: contrasts.Side, b: contrasts.Side, order: Order, which: Which, selection: str, over: str
) -> Keyness:
    """over: of what the parts are over which each word's dispersion is asked for; "" for none."""
    made, sides = computed(base, a, b, which), (a, b)
    ranked = [_ranked(made, s, order) for s in range(2)]
    words = []
    for s, rows in enumerate(each[:LISTED] for each in ranked):
        dp = _dispersions(base, a, b, s, made.forms[rows], over) if over else [None] * len(rows)
        own = [sides[s], sides[1 - s]]
        each = [
            key_word(made, i, s, word, [contrasts.address(side, base, word=word) for side in own])
            for i, word in texts(base, made, rows)
        ]
        words.append([SpreadWord(**vars(word), dp=one) for word, one in zip(each, dp, strict=True)])
    return Keyness(
        sides=[
            Side(side.name, int(made.totals.documents[s]), int(made.totals.tokens[s]), contrasts.address(side, base))
            for s, side in enumerate(sides)
        ],
        words=words,
        more=[max(len(rows) - LISTED, 0) for rows in ranked],
        tried=made.tried,
        order=order,
        which=which,
        selection=selection,
        over=over,
    )


def _dispersions(
    base: RunSelection, a: contrasts.Side, b: contrasts.Side, s: int, forms: np.ndarray, over: str
) -> list[float | None]:
    """Of forms over a side's parts: periods, or values of a field. Raises Invalid where the corpus has no such thing."""
    counted, both = Counted.of(base.run), contrasts.divided(base, a, b).of_both(base)
    of_all, own = fields.groups(base.version, over).group, np.zeros(base.version.documents, bool)
    own[slice(None) if both[s] is None else both[s]] = True
    own[both[0]] = not s
    part = np.full(counted.index.D, -1)
    part[: len(own)] = np.where(own, of_all, -1)
    return [*map(number_or_none, two_sets.dispersion(counted.fields, forms, part, counted.index.stream.lengths))]


def table(base: RunSelection, a: contrasts.Side, b: contrasts.Side, which: Which, over: str) -> bytes:
    """The words that differ, of the first side, then of the second, as CSV; at most LONGEST_FILE. over: as `listed` has it, a last column."""
    made, names = computed(base, a, b, which), (a.name, b.name)
    about = [base.run.corpus.name, base.run.pk, base.sentence]

    def row(i: int, s: int, text: str) -> list:
        w = key_word(made, i, s, text, [])
        high = "" if w.high is None else round(w.high, 4)
        tested = [round(w.times, 4), round(w.low, 4), high, f"{made.result.adjusted[i]:.3g}", round(w.g2, 2)]
        return [*about, text, names[s], *tested, *w.tokens, *w.documents, int(w.burst)]

    ranked = [_ranked(made, s, "ratio")[: LONGEST_FILE // 2] for s in (0, 1)]
    lines = [_COLUMNS, *[row(i, s, text) for s in (0, 1) for i, text in texts(base, made, ranked[s])]]
    if over:
        dp = [one for s in (0, 1) for one in _dispersions(base, a, b, s, made.forms[ranked[s]], over)]
        lines = [[*line, cell] for line, cell in zip(lines, [f"dp_over_{over}", *dp], strict=True)]
    return csv_cells.lines(lines)


def texts(base: RunSelection, made: Computed, rows: np.ndarray) -> Iterator[tuple[int, str]]:
    """Some rows, each with its word."""
    return zip(rows.tolist(), Counted.of(base.run).spelled(made.forms[rows]), strict=True)


def _ranked(made: Computed, s: int, order: Order) -> np.ndarray:
    """Rows of the words that side s uses more, the clearest first."""
    result = made.result
    rows = np.flatnonzero((result.ratio > 0) == (s == 0))
    by = np.abs(keyness.nearer_end(result)) if order == "ratio" else result.g2
    return rows[np.argsort(-by[rows], kind="stable")]


def key_word(made: Computed, i: int, s: int, word: str, urls: list[str]) -> KeyWord:
    """As side s sees it: its own figures first."""
    result, own = made.result, [s, 1 - s]
    ends = sorted(abs(float(end)) for end in (result.low[i], result.high[i]))  # both on the side that is larger
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
