"""From a stream and a choice of words to a bag of words: by passes over the stream, never over the
texts."""

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inference.bow import Bow, Postings, rows_written
from inference.errors import Invalid, number_of
from inference.rarity import residual_inverse_frequency
from inference.runtime.jit import njit
from inference.text import characters, duplicates
from inference.text.choice import REASONS, THRESHOLDS, Vocabulary, VocabularyChoice
from inference.text.forms import form_maker
from inference.text.joined_words import WordUnits
from inference.text.lexicon import Lexicon
from inference.text.sections import Sections
from inference.text.stream import Block, Spread, Stream
from inference.text.table import MAX_LETTERS
from inference.text.tokenise import Tokeniser

_BLOCK = 1 << 17  # words that are strings of Python's at the same time
_STAYS = len(REASONS)
_NOWHERE = 255  # in the place of a reason, of what is in no text that counts
_NOUNS = frozenset({"number", "stop word"})  # reasons that say what the words are
# Of `even`: the words of a piece, the share of the pieces that makes a word frequent, the words
# among which it is compared, the pieces and their words (the median) below which evenness is
# chance, and the share of all words that go
_PIECE = 400
_FREQUENT = 0.1
_COMPARED = 500
_LEAST_PIECES = 200
_LEAST_WORDS = 100
_MOST_EVEN = 0.1
_DECIMALS = 9  # of a residual: rounding must not decide an order
# Of a bag of words of lemmas: a lemma has forms that nothing but the dictionary brings together
_WORDS_OF_FORMS = "words_of_forms.npy"
# Of one of stems: the stem of a joined word is that of no word of the lexicon ("qur'an" of
# "qur'anic", whose last piece has the stem "anic")
_JOINED_FORMS = "joined_forms.npy"


def choose(
    stream: Stream,
    choice: VocabularyChoice,
    folder: Path,
    left_out: np.ndarray | None = None,
    documents: int | None = None,
) -> tuple[Bow, Vocabulary]:
    """Write the bag of words of a choice, its postings in `by_word`, and of lemmas what
    `words_of_forms` reads, of stems what `joined_forms` reads, into a folder.

    Row n is document n of the stream, whatever it holds; where the choice cuts documents into
    sections, section n (Bow.first_row). left_out: bool[documents], whose words don't count; their
    rows are empty. documents: the first so many. Memory: some 40 bytes a word of the lexicon, and a
    block; where repeated documents don't count, as `duplicates.find` says. Raises Invalid when no
    word stays.
    """
    documents = stream.D if documents is None else min(documents, stream.D)
    skipped = np.zeros(documents, bool) if left_out is None else np.asarray(left_out, bool)
    folder = Path(folder)
    if choice.duplicates != "keep":
        folder.mkdir(parents=True, exist_ok=True)
        exact, near = duplicates.find(stream, folder)
        repeats = near if choice.duplicates == "near" else exact
        skipped = skipped | (repeats[:documents] >= 0)
    choosing = Counts(stream, choice, skipped)
    choosing.pick()
    return choosing.write(folder)


def words_of_forms(folder: Path) -> np.ndarray | None:
    """int32 by form of the lexicon: the column of the bag of words that it counts as, -1 for none.
    None where words do not count as lemmas, or an older version wrote the folder."""
    try:
        return np.load(folder / _WORDS_OF_FORMS, mmap_mode="r")
    except FileNotFoundError:
        return None


def joined_forms(folder: Path, columns: Iterable[int]) -> dict[int, list[str]]:
    """By columns of the bag of words the joined words that count as them, the most frequent first.
    None of columns without such, and where words do not count as stems, or an older version wrote
    the folder."""
    try:
        rows = np.load(folder / _JOINED_FORMS, mmap_mode="r")
    except FileNotFoundError:
        return {}
    forms = {}
    for column in columns:
        first, end = np.searchsorted(rows["column"], [column, column + 1])
        if end > first:
            forms[column] = [word.decode() for word in rows["word"][first:end].tolist()]
    return forms


def count(stream: Stream | Spread, choice: VocabularyChoice) -> "Counts":
    """What `choose` counts, with nothing written and no threshold; every document counts."""
    return Counts(stream, choice, np.zeros(stream.D, bool))


class Thresholds(NamedTuple):
    """Forms that exist and are left out for how often they occur, each for one reason: bool, by
    form."""

    rare: np.ndarray
    common: np.ndarray
    even: np.ndarray

    @property
    def any(self) -> np.ndarray:
        """bool, by form: those of any reason."""
        return self.rare | self.common | self.even


def thresholds(
    choice: VocabularyChoice,
    tokens: np.ndarray,
    documents: np.ndarray,
    count: int,
    evenly: np.ndarray,
    words: Callable[[np.ndarray], list[str]],
    part: float = 1.0,
) -> Thresholds:
    """Apply a choice's thresholds to counts by form. tokens, documents: as Counts has them. count:
    documents that count. evenly: of `even`. words: the words of some forms.

    part: the share of the documents that was counted, where it is a sample."""
    exists = tokens > 0
    rare = exists & (documents < choice.min_documents * part)
    common = exists & ~rare & (documents > choice.max_share * count)
    evenly = evenly & exists & ~rare & ~common
    for mask in (common, evenly) if choice.kept else ():
        numbers = np.flatnonzero(mask)
        mask[numbers[[word in choice.kept for word in words(numbers)]]] = False
    return Thresholds(rare, common, evenly)


def even(tokens: np.ndarray, sections: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """bool by form: frequent words that are spread over the texts as if by chance, so that they
    tell little of any.

    They are in more than a tenth of the pieces of about 400 words, and their residual inverse
    document frequency is below the median of the 500 most frequent words (Church and Gale, "Inverse
    document frequency: a measure of deviations from Poisson", 1995): log(expected / observed pieces
    with the word), where a word that occurs n times is expected in the sum of 1 - exp(-n L_p / L)
    pieces of L_p words. The most even ones go until they are a tenth of all words. None where there
    are few pieces, or short ones, of which nearly every word is in as many as it occurs times.
    tokens: int64, and sections: int32, that have it, by form; lengths: int32, words of each piece.
    """
    evenly = np.zeros(len(tokens), bool)
    sizes, times = np.unique(lengths[lengths > 0], return_counts=True)
    if times.sum() < _LEAST_PIECES or np.median(lengths[lengths > 0]) < _LEAST_WORDS:
        return evenly
    often = np.flatnonzero((tokens > 0) & (sections > _FREQUENT * len(lengths)))
    used_words = np.flatnonzero(tokens)
    first = used_words[np.argsort(-tokens[used_words], kind="stable")[:_COMPARED]]
    share = sizes / float((sizes * times).sum())

    def residual(forms: np.ndarray) -> np.ndarray:
        expected = np.array([-np.dot(times, np.expm1(-float(n) * share)) for n in tokens[forms]])
        return np.round(residual_inverse_frequency(expected, sections[forms]), _DECIMALS)

    if len(often):
        values = residual(often)
        order = np.argsort(values, kind="stable")
        is_even = values[order] < np.median(residual(first))
        are_few = np.cumsum(tokens[often[order]]) <= _MOST_EVEN * tokens.sum()
        evenly[often[order[is_even & are_few]]] = True
    return evenly


class Counts:
    """How often words occur in a stream, before thresholds. Documents are sections where the choice
    has them.

    words: of some numbers of forms, as strings. tokens int64 and documents int32, by form. reason
    uint8 and left_out_tokens int64, by unit: the place in REASONS of why a unit is left out
    wherever it occurs, and how often it occurs; len(REASONS) for those that have a form, 255 for
    those that are in no text. lengths: int32, words of each document, stop words included. even:
    bool by form, as `even` has it. cut: how many documents are cut into sections, 0 where none is.
    rows: of the bag of words; first_row: int64, of each document, where they are its sections.
    """

    def __init__(self, stream: Stream | Spread, choice: VocabularyChoice, skipped: np.ndarray):
        """skipped: bool, of each document that is looked at."""
        self.stream: Stream | Spread | Sections = stream
        self.choice = choice
        self.skipped = skipped
        self.first_row = None
        self.cut = 0
        if choice.sections and (sections := Sections(stream, choice.sections, len(skipped))).cut:
            self.stream = sections
            self.first_row = sections.first_row
            self.cut = sections.cut
            self.skipped = np.repeat(skipped, sections.pieces)
        self.rows = len(self.skipped)
        self.units = WordUnits(stream.lexicon, choice)
        self.units.learn(self.stream.blocks(self.rows))
        # int32: words of each document that counts, before hyphens and phrases join them
        self.lengths = np.asarray(self.stream.lengths[: self.rows])[~self.skipped]
        # Of each unit
        self.left_out_tokens, self.documents = self._count(
            np.arange(self.units.count, dtype=np.int32), self.units.count
        )
        self.reason = reasons(self.units, choice)
        # Of words that are in titles alone, or in documents that are left out
        self.reason[self.left_out_tokens == 0] = _NOWHERE
        self.form, self.forms = self._forms(self.reason)
        if self.forms is None:
            self.words = self.units.words
            self.tokens = np.where(self.form >= 0, self.left_out_tokens, 0)
        else:
            self.words = self.forms.words
            self.tokens, self.documents = self._count(self.form, len(self.forms))
        self.even = np.zeros(len(self.tokens), bool) if choice.spread_evenly else self._even()

    def _units(
        self, stream: Stream | Spread | Sections, places: bool = False
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, Block]]:
        """(units, the places of their first pieces, where each document's end, the block) of all
        blocks."""

        def cut(block: Block):
            units, first, _, ends = self.units.cut(block.words, block.ends)
            return units, first, ends, block

        return ahead(cut, stream.blocks(self.rows, places=places))

    def _count(
        self,
        form: np.ndarray,
        count: int,
        sections: Sections | None = None,
        first_row: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """int64 and int32: tokens of forms, and rows with them; or `sections` of rows; or
        documents, whose rows begin at `first_row`. form: int32 by unit, -1 for none."""
        skipped = np.repeat(self.skipped, sections.pieces) if sections else self.skipped
        tokens = np.zeros(count, np.int64)
        rows = np.zeros(count, np.int32)
        last = np.full(count, -1, np.int32)
        for units, _, ends, block in self._units(sections or self.stream):
            numbers = np.arange(block.first, block.first + len(ends))
            if first_row is None:
                counted_rows = numbers
            else:
                counted_rows = np.searchsorted(first_row, numbers, side="right") - 1
            _count_in(units, ends, skipped[numbers], counted_rows, form, last, tokens, rows)
        return tokens, rows

    def _forms(self, reason: np.ndarray) -> tuple[np.ndarray, Lexicon | None]:
        """int32 by unit, the number of its form, -1 for what is left out; and the forms' words,
        None where they are the units'."""
        stays = reason == _STAYS
        turn = form_maker(self.choice.forms, self.choice.language)
        if turn is None:
            return np.where(stays, np.arange(len(reason), dtype=np.int32), np.int32(-1)), None
        form = np.full(len(reason), -1, np.int32)
        tokeniser = Tokeniser(given=True)
        phrases = self.units.phrases()
        for first in range(0, len(reason), _BLOCK):
            numbers = first + np.flatnonzero(stays[first : first + _BLOCK])
            words = turn(self.units.words(numbers[numbers < phrases.start]))
            words += self.units.words(numbers[numbers >= phrases.start])
            form[numbers] = tokeniser.pieces([" ".join(words)]).words
        return form, tokeniser.lexicon

    def _even(self) -> np.ndarray:
        """bool by form: words that are spread evenly (`even`), counted in pieces where documents
        are long."""
        even_sections = Sections(self.stream, _PIECE, self.rows)
        if not even_sections.cut:
            return even(self.tokens, self.documents, self.lengths)
        tokens, within = self._count(self.form, len(self.tokens), even_sections)
        return even(
            tokens, within, even_sections.lengths[~np.repeat(self.skipped, even_sections.pieces)]
        )

    def pick(self) -> None:
        """Apply the thresholds, and number what stays. Raises Invalid when no word does."""
        reason = self.reason
        tokens = self.tokens
        in_documents = self.documents
        by_thresholds = thresholds(
            self.choice, tokens, in_documents, len(self.lengths), self.even, self.words
        )
        words_left_out = [
            (name, reason == i, self.left_out_tokens)
            for i, name in enumerate(REASONS[:-THRESHOLDS])
        ]
        words_left_out += [
            (name, mask, tokens)
            for name, mask in zip(REASONS[-THRESHOLDS:], by_thresholds, strict=True)
        ]
        dropped = {
            name: (int(mask.sum()), int(times[mask].sum()))
            for name, mask, times in words_left_out
            if mask.any()
        }
        chosen_words = np.flatnonzero((tokens > 0) & ~by_thresholds.any)
        if not len(chosen_words):
            raise Invalid("min_documents", _nothing_left(dropped, self.rows, self.choice))
        words = self.words(chosen_words)
        # The most frequent first, and of those the first in the alphabet: Arrow compares UTF-8,
        # whose order is Python's, without its lock.
        table = pa.table(
            {"tokens": tokens[chosen_words], "word": pa.array(words, pa.large_string())}
        )
        order = pc.sort_indices(
            table, sort_keys=[("tokens", "descending"), ("word", "ascending")]
        ).to_numpy()
        chosen_words = chosen_words[order]
        column = np.full(len(tokens) + 1, -1, np.int32)  # the last one: of units without a form
        column[chosen_words] = np.arange(len(chosen_words), dtype=np.int32)
        self.column = column[self.form]  # of units
        documents = pairs = in_documents[chosen_words].astype(np.int64)
        if self.first_row is not None:
            documents = self._count(self.form, len(tokens), first_row=self.first_row)[1][
                chosen_words
            ].astype(np.int64)
        self.vocabulary = Vocabulary(
            words=[words[i] for i in order.tolist()],
            tokens=tokens[chosen_words],
            documents=documents,
            pairs=int(pairs.sum()),
            dropped=dropped,
        )

    def write(self, folder: Path) -> tuple[Bow, Vocabulary]:
        """Write the bag of words and its vocabulary to a folder, and open both."""
        V = len(self.vocabulary.words)
        tokens = int(self.vocabulary.tokens.sum())

        def rows(item):
            units, first, ends, block = item
            skipped = self.skipped[block.first : block.first + len(ends)]
            return _rows(units, first, ends, skipped, block.starts, self.column, V)

        with rows_written(
            folder, self.rows, V, self.vocabulary.pairs, tokens, self.first_row
        ) as write:
            for item in ahead(rows, self._units(self.stream, places=True)):
                write(*item)
        bow = Bow.open(folder)
        # Of an attempt that was killed, or another choice
        shutil.rmtree(folder / "by_word", ignore_errors=True)
        Postings.write(folder / "by_word", bow)
        (folder / _WORDS_OF_FORMS).unlink(missing_ok=True)
        if self.choice.forms == "lemmas":
            np.save(folder / _WORDS_OF_FORMS, self.column[: len(self.units.lexicon)])
        (folder / _JOINED_FORMS).unlink(missing_ok=True)
        if self.choice.forms == "stems":
            np.save(folder / _JOINED_FORMS, self._joined_forms())
        return bow, self.vocabulary

    def _joined_forms(self) -> np.ndarray:
        """(column int32, word in UTF-8) of the joined words that count, ordered by columns; those
        of one by how frequent they are."""
        first = len(self.units.lexicon)
        units = first + np.flatnonzero(self.column[first : first + self.units.joined] >= 0)
        units = units[np.lexsort((-self.left_out_tokens[units], self.column[units]))]
        words = np.array([word.encode() for word in self.units.words(units)], np.bytes_)
        rows = np.empty(len(units), [("column", np.int32), ("word", words.dtype)])
        rows["column"] = self.column[units]
        rows["word"] = words
        return rows


def ahead(function: Callable, items: Iterable) -> Iterator:
    """function(item) of each, in order, worked out by two threads: at most two are in memory
    besides the one that is used."""
    with ThreadPoolExecutor(2) as pool:
        waiting: deque = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > 2:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def reasons(units: WordUnits, choice: VocabularyChoice) -> np.ndarray:
    """uint8 by unit: the place in REASONS of why a word is left out wherever it occurs, or
    len(REASONS)."""
    lengths, first = units.sizes()
    kinds = characters.characters().classes[first]
    conditions = [
        (kinds == characters.DIGIT) & (not choice.numbers),
        (lengths < choice.min_length)
        & (kinds != characters.IDEOGRAPH)
        & ((first < 0xAC00) | (first > 0xD7A3)),
        lengths > MAX_LETTERS,
        units.stopped(),
    ]
    reason = np.select(conditions, list(range(len(conditions))), _STAYS).astype(np.uint8)
    phrases = reason[units.phrases()]
    phrases[phrases != REASONS.index("too long")] = _STAYS
    return reason


@njit(cache=True, nogil=True)
def _count_in(units, ends, skipped, numbers, form, last, tokens, documents):
    """numbers: int64, of the documents, ascending. last: int32 by form, the last document that was
    seen with it."""
    for d in range(len(ends)):
        if not skipped[d]:
            for j in range(ends[d - 1] if d else 0, ends[d]):
                f = form[units[j]]
                if f >= 0:
                    tokens[f] += 1
                    if last[f] != numbers[d]:
                        last[f] = numbers[d]
                        documents[f] += 1


@njit(cache=True, nogil=True)
def _rows(units, places, ends, skipped, starts, column, V):
    """Rows of the bag of words: pairs of each document int64, words, counts, and offsets of their
    tokens by document, by word, in the text's order."""
    last = np.full(V, -1, np.int32)  # the last document with the word
    count = np.zeros(V, np.int32)  # and how often it has it
    lengths = np.zeros(len(ends), np.int64)
    words = np.empty(len(units), np.int32)
    counts = np.empty(len(units), np.int32)
    offsets = np.empty(len(units), np.int32)
    pairs = tokens = np.int64(0)
    for d in range(len(ends)):
        i = ends[d - 1] if d else 0
        begin = pairs
        if not skipped[d]:
            for j in range(i, ends[d]):
                w = column[units[j]]
                if w >= 0:
                    if last[w] != d:
                        last[w] = d
                        count[w] = 0
                        words[pairs] = w
                        pairs += 1
                    count[w] += 1
            words[begin:pairs].sort()
            for p in range(begin, pairs):
                w = words[p]
                counts[p] = count[w]
                count[w] = tokens  # from here on: where its next token goes
                tokens += counts[p]
            for j in range(i, ends[d]):
                w = column[units[j]]
                if w >= 0:
                    offsets[count[w]] = starts[places[j]]
                    count[w] += 1
        lengths[d] = pairs - begin
    return lengths, words[:pairs], counts[:pairs], offsets[:tokens]


def _nothing_left(dropped: dict[str, tuple[int, int]], D: int, choice: VocabularyChoice) -> str:
    if not dropped.keys() - {"number"}:
        numbers = ", only numbers" if dropped else ""
        return (
            f"The documents hold no words at all{numbers}. Check that the right column and encoding"
            " were chosen."
        )
    parts = ", ".join(
        number_of(types, reason) if reason in _NOUNS else f"{types:,} {reason}"
        for reason, (types, _) in dropped.items()
    )
    return (
        f"No word is left of {number_of(D, 'document')}. Their different words: {parts}. Words were kept if"
        f" they stand in at least {number_of(choice.min_documents, 'document')} and in at most"
        f" {choice.max_share:.0%} of them. Lower the first number, raise the second, or choose"
        " another language."
    )
