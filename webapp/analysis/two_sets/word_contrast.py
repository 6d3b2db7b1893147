"""Keyness of two sets of documents, counted and tested over all words: in a request where that is
quick, else by a worker, and stored with the findings of the run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from inference.answers import Answers, Obstacle
from inference.answers.words import answer_words
from inference.errors import Invalid
from inference.explore import keyness
from inference.index import Index, two_sets, word_units
from inference.index.segments import IndexField
from inference.runtime.arrays import frozen
from webapp.analysis.answers import set_answers
from webapp.analysis.answers.answer_jobs import (
    STORED_OBSTACLE,
    AnswerJob,
    Stored,
    pack_obstacle,
    perform,
    read_obstacle,
)
from webapp.analysis.two_sets import compared_sets, division
from webapp.analysis.two_sets.word_shapes import Counting, Counts, Order, Which
from webapp.core.documents import search
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.core.runs import names
from webapp.models import Run, Topic
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.storage import sealed
from webapp.platform.storage.cache import BoundedCache, cached

TASK = "tasks.runs.compare_words"
METHOD = 7  # raised when the same sets have other words
LEAST_DOCUMENTS = 5  # documents of both sides: what fewer have is told by no list
# Words of a side that are kept, the clearest in either order
MOST_STORED: dict[Order, int] = {"ratio": 25_000, "g2": 200}
# documents of words, in all, up to which a request counts: a second; of more a worker does
QUICK_DOCUMENTS_OF_WORDS = 100_000_000
# Of the words, or of the documents, of the side that uses a word more: what is rarer comes behind all
# others, as its shares are 0.1 and 0.0 in 10,000 words
LEAST_SHARE: dict[Counts, float] = {"occurrences": 0.00005, "documents": 0.005}
_computed = BoundedCache(16 << 20)


@dataclass(frozen=True)
class Counted:
    """What is counted: words of the lexicon, and behind these phrases of the run's topics. fields:
    of both, as two_sets takes them."""

    index: Index
    words: int
    phrases: list[str]
    fields: list[IndexField]

    @classmethod
    def of(cls, run: Run) -> "Counted":
        """What may be counted of a run: of one by an older version, and under an embargo, words
        alone. Raises Invalid where the corpus has no index."""
        index = search.open_index(run.corpus)
        words = len(index.stream.lexicon)
        of_words = index.fields["text"]
        folder = names.phrases_folder(run.pk)
        with sealed.hold(folder.parent):
            if run.corpus.embargo or not folder.is_dir():
                return cls(index, words, [], of_words)
            field = IndexField.open(folder)  # what is mapped stays when its files are put away
        behind = field._replace(words=frozen(field.words + words, np.int32))
        return cls(index, words, _phrases(run.snapshot_id), [*of_words, behind])

    def spelled(self, forms: np.ndarray) -> list[str]:
        """Words and phrases as they are written, one for each form. forms: int32[n]."""
        is_word = forms < self.words
        texts = np.empty(len(forms), object)
        texts[is_word] = self.index.stream.lexicon.words(forms[is_word])
        texts[~is_word] = [self.phrases[form - self.words] for form in forms[~is_word].tolist()]
        return texts.tolist()

    def content(self, forms: np.ndarray) -> np.ndarray:
        """bool[n]: which are phrases, or words that are no stop words."""
        is_phrase = forms >= self.words
        is_content = is_phrase.copy()
        is_content[~is_phrase] = search.content_words(self.index, forms[~is_phrase])
        return is_content


@cached(16)
def _phrases(snapshot_id: int) -> list[str]:
    rows = (
        Topic.objects.filter(snapshot=snapshot_id)
        .order_by("number")
        .values_list("phrases", flat=True)
    )
    return names.distinct(filter(None, rows))


class Computed(NamedTuple):
    """The words and phrases that differ, of so many that were tried. forms: int32[n], as Counted
    numbers them; amounts: int64[n, 2], what is counted of them; documents: int64[n, 2]. differ: how
    many each side uses more, of which the clearest are here. tried_words: what they share.
    of_documents: each document that has a word is counted once, not each occurrence."""

    totals: two_sets.Totals
    forms: np.ndarray
    amounts: np.ndarray
    documents: np.ndarray
    result: keyness.Keyness
    tried: int
    differ: list[int]
    tried_words: "TriedWords"
    of_documents: bool = False

    @property
    def bases(self) -> np.ndarray:
        """int64[2]: of what the shares of either side are: of its words, or of its documents that
        have any."""
        return self.totals.documents if self.of_documents else self.totals.tokens

    @property
    def is_minor(self) -> np.ndarray:
        """bool[n]: words that say little of a side (`in_order`)."""
        counts: Counts = "documents" if self.of_documents else "occurrences"
        return find_minor(self.result, self.amounts, self.bases, counts)


class TriedWords(NamedTuple):
    """What all words of a page share. level: of the intervals of `rows` words, those of which
    something can be said; calibrated: see inference.answers. units: of either side.
    obstacle: why nothing can be said of any; None where something may be."""

    level: float
    rows: int
    calibrated: str
    units: tuple[int, int]
    obstacle: Obstacle | None

    @classmethod
    def of(cls, answers: Answers) -> "TriedWords":
        """What the answers of some words have in common."""
        return cls(answers.level, answers.rows, answers.calibrated, answers.units, answers.obstacle)


class Contrast(AnswerJob[Computed]):
    """Two sets of documents. counted: the words and phrases of which it is asked; counts: what is
    counted of each. Raises Invalid where a side has no documents, or where one document is on
    both."""

    TASK = TASK
    METHOD = METHOD
    NAME = "words"

    def __init__(
        self,
        base: RunSelection,
        side_a: compared_sets.Side,
        side_b: compared_sets.Side,
        words_counted: Which,
        counts: Counts = "occurrences",
    ):
        self.base = base
        self.sides = (side_a, side_b)
        self.which = words_counted
        self.counts = counts
        self.counted = Counted.of(base.run)
        self.divided = division.divide(base, side_a, side_b)
        self.lengths = self.counted.index.stream.lengths
        compared = {name for side in (side_a, side_b) for name, _ in side.documents.values}
        self.unit, self.unit_codes = set_answers.unit_of(base.version, *sorted(compared))
        sets = (
            base.key,
            side_a.documents.key,
            side_b.documents.key,
            side_b.complement,
            self.unit.key,
        )
        # An embargo takes the phrases away, and a later program finds some of an older run
        index_key = (self.counted.index.made, len(self.counted.phrases))
        self.key = (base.run.snapshot_id, *index_key, *sets, words_counted, counts)

    @property
    def run(self) -> Run:
        """The run whose documents are counted."""
        return self.base.run

    @property
    def arguments(self) -> list:
        """What `compute` takes."""
        first, second = self.sides
        addresses = compared_sets.addresses_of(self.base, first, second)
        return [self.base.run.pk, addresses, second.complement, self.which, self.counts]

    @property
    def depends(self) -> tuple:
        """Both sets, which words, what is counted, the index, and who speaks."""
        return self.key

    @cached_property
    def sets(self) -> np.ndarray:
        """uint8[D], of each document, as two_sets has it."""
        first, second = self.divided.of_both(self.base)
        sets = np.zeros(self.counted.index.D, np.uint8)
        sets[slice(self.base.version.documents) if second is None else second] = two_sets.SECOND
        sets[first] = two_sets.FIRST
        return sets

    @cached_property
    def sides_of_units(self) -> word_units.Sides:
        """Both sides, with what is counted of each unit: its words, or its documents."""
        lengths = np.minimum(self.lengths, 1) if self.counts == "documents" else self.lengths
        return word_units.sides_of(self.sets.astype(np.int8) - 1, lengths, self.unit_of_documents)

    def totals(self) -> two_sets.Totals:
        """Raises Invalid where a side has no words."""
        totals = two_sets.totals(self.lengths, self.sets)
        if not totals.tokens.all():
            raise Invalid(
                "from_a", "One of the two sets has no words. Choose another time or value."
            )
        return totals

    @property
    def not_held(self) -> str:
        """The field of those who speak, where two times are compared: it is not held constant. ""
        where other sets are."""
        first, second = self.sides
        of_second = None if second.complement else second.documents
        is_of_time = set_answers.is_of_time(self.base, first.documents, of_second)
        return self.unit.name if is_of_time else ""

    def computed_at_once(self) -> Computed | None:
        """What was counted before, or is counted quickly; None where a worker has to count. Raises
        Invalid as `totals` does."""

        def make() -> Computed | None:
            if (
                sum(len(field.documents) for field in self.counted.fields)
                <= QUICK_DOCUMENTS_OF_WORDS
            ):
                return self.count()
            return self.read()

        return _computed.get_or_set(self.key, make)

    def computed(self, asker: int | None) -> Computed:
        """asker: the user who asks. Raises Invalid as `totals` does; NotYet where a worker has to
        count."""
        computed = self.computed_at_once()
        if computed is None:
            self.totals()  # what has no words is said before a worker is asked
            self.read_or_ask(asker)
            names = [side.name for side in self.sides]
            raise NotYet(Counting(names, self.progress, self.has_failed))
        return computed

    def count(self, advance: Callable[[float], None] = lambda done: None) -> Computed:
        """A pass over the index, of which `advance` learns the share that is done. Raises Invalid
        as `totals` does."""
        counted_words = self.counted
        totals = self.totals()
        size = counted_words.words + len(counted_words.phrases)
        of_documents = self.counts == "documents"
        units = self.sides_of_units
        words = word_units.count_words(
            counted_words.fields, size, units, LEAST_DOCUMENTS, advance, of_documents=of_documents
        )
        if self.which == "content":
            words = words.some(counted_words.content(words.forms))

        def amounts_of(rows: np.ndarray) -> np.ndarray:
            postings = word_units.gather(counted_words.fields, words.forms[rows])
            if of_documents:
                postings = postings.once
            return word_units.amounts(postings, units)

        answers = answer_words(units.sizes, words.sums, amounts_of)
        bases = totals.documents if of_documents else totals.tokens
        result = keyness.keyness(answers, words.sums, bases)
        sides = [
            np.flatnonzero(result.different & (result.ratio > 0)),
            np.flatnonzero(result.different & ~(result.ratio > 0)),
        ]
        is_minor = find_minor(result, words.sums.tokens, bases, self.counts)
        rows = _clearest(result, is_minor, sides)
        return Computed(
            totals=totals,
            forms=words.forms[rows],
            amounts=words.sums.tokens[rows],
            documents=words.documents[rows],
            result=keyness.Keyness(*(array[rows] for array in result)),
            tried=len(words.forms),
            differ=[len(side) for side in sides],
            tried_words=TriedWords.of(answers),
            of_documents=of_documents,
        )

    @property
    def unit_of_documents(self) -> np.ndarray | None:
        """int64[D], whose each document of the index is, below 0 for its own; None: documents are
        independent. Documents behind the last that was read are on no side."""
        if self.unit_codes is None:
            return None
        units = np.full(self.counted.index.D, -1, np.int64)
        units[: len(self.unit_codes)] = self.unit_codes
        return units

    def make(self) -> Computed:
        """In a worker, which says how far it is."""
        return self.count(self.advance)

    def unpack(self, stored_answer: Stored) -> Computed:
        """See `pack`."""
        data, arrays = stored_answer
        return Computed(
            totals=two_sets.Totals(*arrays["totals"]),
            forms=arrays["forms"],
            amounts=arrays["amounts"],
            documents=arrays["documents"],
            result=keyness.Keyness(*(arrays[name] for name in keyness.Keyness._fields)),
            tried=data["tried"],
            differ=data["differ"],
            tried_words=read_tried_words(data["family"]),
            of_documents=self.counts == "documents",
        )

    def pack(self, answer: Computed) -> Stored:
        """The answer as it is stored."""
        arrays = {
            "totals": np.stack(answer.totals),
            "forms": answer.forms,
            "amounts": answer.amounts,
            "documents": answer.documents,
            **answer.result._asdict(),
        }
        data = {
            "tried": answer.tried,
            "differ": answer.differ,
            "family": pack_tried_words(answer.tried_words),
        }
        return data, arrays


def pack_tried_words(tried_words: TriedWords) -> dict[str, Any]:
    """What was tried, as it is stored: JSON, which `read_tried_words` reads."""
    packed = tried_words._asdict()
    obstacle = packed.pop("obstacle")
    return packed | {STORED_OBSTACLE: pack_obstacle(obstacle)}


def read_tried_words(row: dict[str, Any]) -> TriedWords:
    """What `pack_tried_words` packed."""
    return TriedWords(
        level=row["level"],
        rows=row["rows"],
        calibrated=row["calibrated"],
        units=tuple(row["units"]),
        obstacle=read_obstacle(row[STORED_OBSTACLE]),
    )


def compute(
    run_id: int,
    addresses: list[str],
    complement: bool,
    words_counted: Which,
    counts: Counts,
    asker: int | None,
) -> None:
    """In a worker: count and store."""

    def job_of(view: RunView) -> Contrast:
        sides = compared_sets.sides_of_addresses(view, addresses, complement)
        return Contrast(*sides, words_counted, counts)

    perform(TASK, [run_id, addresses, complement, words_counted, counts], asker, job_of)


def find_minor(
    result: keyness.Keyness, amounts: np.ndarray, bases: np.ndarray, counts: Counts
) -> np.ndarray:
    """bool[n]: words that say little of a side, as one unit carries them or as they are rare there.
    amounts: int64[n, 2]; bases: int64[2], as Computed has them."""
    shares = amounts / np.maximum(bases, 1)
    return result.burst | (shares.max(axis=1) < LEAST_SHARE[counts])


def _clearest(result: keyness.Keyness, is_minor: np.ndarray, sides: list[np.ndarray]) -> np.ndarray:
    """Ascending: of the rows of each side those that come first in either order (MOST_STORED)."""
    rows = []
    for side in sides:
        for order, count in MOST_STORED.items():
            rows.append(in_order(result, is_minor, side, order)[:count])
    return np.unique(np.concatenate(rows))


def in_order(
    result: keyness.Keyness, is_minor: np.ndarray, rows: np.ndarray, order: Order
) -> np.ndarray:
    """Rows of words, the clearest first; by ratio, those that say little of a side come behind all
    others. is_minor: bool[n], which do."""
    if order == "g2":
        return rows[np.argsort(-result.g2[rows], kind="stable")]
    clearness = np.abs(keyness.nearer_end(result))
    return rows[np.lexsort((-clearness[rows], is_minor[rows]))]
