"""From pieces to units: what counts as one word after hyphens, apostrophes, variants and phrases
have joined neighbours."""

import secrets
from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType

import numpy as np
import regex

from inference.runtime.jit import njit
from inference.text.characters import canonical
from inference.text.choice import Rules, VocabularyChoice
from inference.text.clitics import Clitics, dividing_clitics
from inference.text.lexicon import LONGEST, Lexicon
from inference.text.spelling import folded
from inference.text.stream import Block
from inference.text.table import AFTER_APOSTROPHE, AFTER_HYPHEN, NUMBER, hashed

# pieces that hyphens and apostrophes make one word of; a ninth begins the next: such a text is
# hostile, or a list
MOST_JOINED_PIECES = 8
_FULL_SHARE = 0.6  # share of the slots from which on the hash table is made larger
_Index = tuple[np.ndarray, ...]
_MARKS = {"-": int(AFTER_HYPHEN), "'": int(AFTER_APOSTROPHE), "’": int(AFTER_APOSTROPHE)}


def joins_pieces(rules: Rules) -> bool:
    """Whether hyphens or apostrophes make one word of any two pieces."""
    return rules.hyphens == "join" or dividing_clitics(rules) is not None


class WordUnits:
    """WordUnits have numbers: first the words of a lexicon, then joined words, numbered as blocks
    with them come, then what variants count as (where the lexicon has it not), then phrases.

    Let `learn` see every block once before the numbers of variants, phrases and `count` hold.
    """

    def __init__(self, lexicon: Lexicon, choice: VocabularyChoice):
        self.lexicon = lexicon
        self.choice = choice
        self.joins = 0
        if choice.hyphens == "join":
            self.joins |= int(AFTER_HYPHEN)
        clitics = dividing_clitics(choice)
        if clitics is not None:
            self.joins |= int(AFTER_APOSTROPHE)
        self._clitics = self._clitic_numbers(clitics or Clitics(frozenset(), frozenset()))
        # Joined words: their pieces with flags behind one another, where each ends, and a hash
        # table of them.
        self._slots = np.zeros(1 << 10, np.uint64)
        self._pieces = np.zeros(1 << 12, np.int32)
        self._ends = np.zeros(1 << 9, np.int64)
        self._seed = np.uint64(secrets.randbits(64))
        self._state = np.zeros(2, np.int64)
        stop_words = {canonical(word) for word in choice.stop_words}
        # As the texts have them: of an older cut the canonical ones
        stop_words |= {folded(word, choice.language) for word in stop_words}
        self._stops = [units[0] for units in self._read(sorted(stop_words)) if len(units) == 1]
        alike = dict(choice.variants)
        self._named = [*alike.values(), *(phrase.replace(" ", "_") for phrase in choice.phrases)]
        phrases = (
            " ".join(alike.get(word, word) for word in phrase.split(" "))
            for phrase in choice.phrases
        )
        # The unit of each name; where texts have it not, ~place until the number of joined words is
        # known
        self._unit: dict[str, int] = {}
        for unit_number, (name, unit) in enumerate(
            zip(self._named, self.lexicon.find(self._named).tolist(), strict=True)
        ):
            self._unit.setdefault(name, unit if unit >= 0 else ~unit_number)
        for name, units in zip(alike.values(), self._read(alike.values()), strict=True):
            if len(units) == 1:
                self._unit[name] = int(units[0])
        self._sequences = self._read(alike) + self._read(
            phrases, {name: self._unit[name] for name in alike.values()}
        )
        # What must be between the units of each: a variant with a hyphen is not one with a space
        self._between = [
            _MARKS["-"] * ("-" in written and not self.joins & _MARKS["-"]) for written in alike
        ]
        self._between += [0] * len(choice.phrases)
        self._indexes: list[_Index] | None = None

    def _clitic_numbers(self, clitics: Clitics) -> tuple[np.ndarray, np.ndarray]:
        """The words that an apostrophe divides from the one behind them, and from the one before:
        int64, their numbers in the lexicon."""
        before, behind = (self.lexicon.find(sorted(words)) for words in clitics)
        return before[before >= 0], behind[behind >= 0]

    @property
    def joined(self) -> int:
        """How many joined words there are so far."""
        return int(self._state[0])

    @property
    def count(self) -> int:
        """How many units there are so far: words, joined words, and named ones."""
        return len(self.lexicon) + self.joined + len(self._named)

    def learn(self, blocks: Iterable[Block]) -> None:
        """Number the joined words of some documents."""
        for block in blocks if self.joins else ():
            self._join(block.words, block.ends)

    def cut(
        self, words: np.ndarray, ends: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The units of documents that were learned: int32, the places of their first pieces and of
        their last int32; and int64, where each document's units end. words: int32 and ends: int64,
        as a stream's block has them."""
        units, first, last, unit_ends = self._without_variants(words, ends)
        if self._named and self._indexes is None:
            variants = len(self._named) - len(self.choice.phrases)
            self._indexes = [
                self._index(variant_range)
                for variant_range in (range(variants), range(variants, len(self._named)))
                if variant_range
            ]
        for index in self._indexes or ():
            first = first.copy()
            last = last.copy()
            unit_ends = unit_ends.copy()
            count = _phrase(words, units, first, last, unit_ends, *index)
            units = units[:count]
            first = first[:count]
            last = last[:count]
        return units, first, last, unit_ends

    def _without_variants(self, words: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, ...]:
        """What `cut` gives before variants and phrases are one unit each."""
        if self.joins:
            return self._join(words, ends)
        places = np.arange(len(words), dtype=np.int32)
        return words & NUMBER, places, places, ends

    def words(self, numbers: np.ndarray) -> list[str]:
        """The words of units."""
        n = len(self.lexicon)
        numbers = np.asarray(numbers, np.int64)
        names = np.empty(len(numbers), object)
        plain = numbers < n
        names[plain] = self.lexicon.words(numbers[plain])
        for i in np.flatnonzero(~plain).tolist():
            at = int(numbers[i]) - n
            if at >= self.joined:
                names[i] = self._named[at - self.joined]
                continue
            unit_pieces = self._pieces[self._ends[at - 1] if at else 0 : self._ends[at]]
            pieces = self.lexicon.words(unit_pieces & NUMBER)
            name = pieces[0]
            for after_hyphen, piece in zip(
                (unit_pieces[1:] & AFTER_HYPHEN).tolist(), pieces[1:], strict=True
            ):
                mark = "-" if after_hyphen else "'"
                name += mark + piece
            names[i] = name
        return names.tolist()

    def phrases(self) -> slice:
        """Their numbers."""
        return slice(self.count - len(self.choice.phrases), self.count)

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """uint8 and uint32 by unit: its length in code points (255 for more), and its first."""
        lengths = np.zeros(self.count, np.uint8)
        first = np.zeros(self.count, np.uint32)
        n = len(self.lexicon)
        lengths[:n], first[:n] = self.lexicon.sizes()
        _joined_sizes(self._pieces, self._ends[: self.joined], n, lengths, first)
        lengths[n + self.joined :] = [min(LONGEST, len(name)) for name in self._named]
        first[n + self.joined :] = [ord(name[0]) for name in self._named]
        return lengths, first

    def stopped(self) -> np.ndarray:
        """bool by unit: stop words, and words that apostrophes join of nothing but stop words
        ("it's")."""
        stopped = np.zeros(self.count, bool)
        stopped[self._stops] = True
        _stop_joined(self._pieces, self._ends[: self.joined], len(self.lexicon), stopped)
        return stopped

    def _read(
        self, phrases: Iterable[str], numbers: Mapping[str, int] = MappingProxyType({})
    ) -> list[np.ndarray]:
        """The units of each; none where one of its words is in no text. numbers: words with their
        units."""
        words_of_phrases = [phrase.split(" ") for phrase in phrases]
        cut_words: dict[str, list[str]] = {}  # each as its pieces, with the marks between them
        for word in chain.from_iterable(words_of_phrases):
            if word not in numbers:
                cut_words[word] = regex.split(r"([-'’])", word)
        pieces = sorted({piece for parts in cut_words.values() for piece in parts[::2]})
        number_of_piece = dict(zip(pieces, self.lexicon.find(pieces).tolist(), strict=True))
        units = {word: [unit] for word, unit in numbers.items()}
        for word, parts in cut_words.items():
            numbers_of_pieces = [number_of_piece[piece] for piece in parts[::2]]
            units[word] = self._word(numbers_of_pieces, parts[1::2])
        sequences = []
        for words in words_of_phrases:
            units_of_words = [units[word] for word in words]
            sequence: list[int] = []
            if all(units_of_words):
                sequence = list(chain.from_iterable(units_of_words))
            sequences.append(np.array(sequence, np.int32))
        return sequences

    def _word(self, pieces: list[int], marks: list[str]) -> list[int]:
        """The units of a word without spaces; none where one of its pieces is in no text (-1)."""
        if -1 in pieces:
            return []
        if not marks:
            return pieces
        flags = [0, *(_MARKS[mark] for mark in marks)]
        flagged = np.array(
            [word_piece | flag for word_piece, flag in zip(pieces, flags, strict=True)], np.int32
        )
        return self._join(flagged, np.array([len(flagged)]))[0].tolist()

    def _join(self, words: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, ...]:
        units, first, last = (np.empty(len(words), np.int32) for _ in range(3))
        unit_ends = np.empty(len(ends), np.int64)
        while True:
            table = self._seed, self._slots, self._pieces, self._ends, self._state
            count = _join(
                words,
                ends,
                self.joins,
                *self._clitics,
                len(self.lexicon),
                *table,
                units,
                first,
                last,
                unit_ends,
            )
            if count >= 0:
                return units[:count], first[:count], last[:count], unit_ends
            self._grow()

    def _grow(self) -> None:
        if self.joined >= len(self._ends):
            self._ends.resize(2 * len(self._ends), refcheck=False)
        if self._state[1] + MOST_JOINED_PIECES > len(self._pieces):
            self._pieces.resize(2 * len(self._pieces), refcheck=False)
        if self.joined >= int(_FULL_SHARE * len(self._slots)):
            self._slots = np.zeros(2 * len(self._slots), np.uint64)
            _rehash(self._seed, self._slots, self._pieces, self._ends, self.joined)

    def _numbered(self, units: np.ndarray) -> np.ndarray:
        """With numbers for ~places among the names, once that of joined words is known."""
        return np.where(units < 0, len(self.lexicon) + self.joined + ~units, units)

    def _index(self, named_range: range) -> _Index:
        """Some of the variants and phrases by their first unit, the longest first: heads int32 by
        unit (a bucket or -1), int64 where each bucket's sequences end, the units that they count
        as, where each one's units end, the units, and what is between them."""
        numbers = self._numbered(np.array([self._unit[self._named[i]] for i in named_range]))
        buckets: dict[int, list[tuple[int, np.ndarray, int]]] = {}
        for number, i in zip(numbers.tolist(), named_range, strict=True):
            if len(sequence := self._sequences[i]):
                sequence = self._numbered(sequence)
                buckets.setdefault(int(sequence[0]), []).append(
                    (number, sequence, self._between[i])
                )
        heads = np.full(self.count, -1, np.int32)
        heads[list(buckets)] = np.arange(len(buckets))
        order = [
            hit
            for inside in buckets.values()
            for hit in sorted(inside, key=lambda hit: -len(hit[1]))
        ]
        return (
            heads,
            np.cumsum([len(inside) for inside in buckets.values()], dtype=np.int64),
            np.array([number for number, _, _ in order], np.int64),
            np.cumsum([len(units) for _, units, _ in order], dtype=np.int64),
            np.concatenate([np.zeros(0, np.int32), *(units for _, units, _ in order)]),
            np.array([between for _, _, between in order], np.int32),
        )


@njit(cache=True, nogil=True)
def _rehash(seed, slots, pieces, ends, count):
    """Put the first `count` joined words into a larger table. seed: uint64, of the hashes. slots:
    uint64, a power of two of them, all 0; each gets 1 + a joined word's number. pieces: int32, the
    words' pieces, and ends: int64, where each one's end."""
    mask = np.uint64(len(slots) - 1)
    for unit in range(count):
        at = hashed(seed, pieces, ends[unit - 1] if unit else 0, ends[unit]) & mask
        while slots[at]:
            at = (at + np.uint64(1)) & mask
        slots[at] = np.uint64(unit + 1)


@njit(cache=True, nogil=True, inline="always")
def _is_among(number, numbers):
    for other_number in numbers:
        if number == other_number:
            return True
    return False


@njit(cache=True, nogil=True, inline="always")
def _joins(words, j, joins, clitics_before, clitics_behind):
    """Whether piece j is of one word with the piece before it."""
    if words[j] <= 0 or words[j] & joins == 0:
        return False
    if words[j] & AFTER_APOSTROPHE == 0:
        return True
    return not (
        _is_among(words[j - 1] & NUMBER, clitics_before)
        or _is_among(words[j] & NUMBER, clitics_behind)
    )


@njit(cache=True, nogil=True)
def _join(
    words,
    doc_ends,
    joins,
    clitics_before,
    clitics_behind,
    n,
    seed,
    slots,
    pieces,
    ends,
    state,
    units,
    first,
    last,
    unit_ends,
):
    """Returns the number of units, or -1 when a table is full: then the same again with larger
    ones. clitics_before, clitics_behind: int64, as `_clitic_numbers` gives them. state: joined
    words so far, and their pieces."""
    mask = np.uint64(len(slots) - 1)
    limit = min(len(ends), int(_FULL_SHARE * len(slots)))
    unit_count = 0
    i = np.int64(0)
    seq = np.empty(MOST_JOINED_PIECES, np.int32)
    for d in range(len(doc_ends)):
        end = doc_ends[d]
        while i < end:
            j = i + 1
            while (
                j < end
                and j - i < MOST_JOINED_PIECES
                and _joins(words, j, joins, clitics_before, clitics_behind)
            ):
                j += 1
            if j == i + 1:
                units[unit_count] = words[i] & NUMBER
            else:
                size = j - i
                seq[0] = words[i] & NUMBER
                for k in range(1, size):
                    seq[k] = words[i + k]
                at = hashed(seed, seq, 0, size) & mask
                while True:
                    slot = np.int64(slots[at])
                    if slot == 0:
                        if state[0] >= limit or state[1] + MOST_JOINED_PIECES > len(pieces):
                            return -1
                        for k in range(size):
                            pieces[state[1] + k] = seq[k]
                        state[1] += size
                        ends[state[0]] = state[1]
                        state[0] += 1
                        slot = state[0]
                        slots[at] = np.uint64(slot)
                        break
                    begin = ends[slot - 2] if slot > 1 else np.int64(0)
                    if ends[slot - 1] - begin == size:
                        for k in range(size):
                            if pieces[begin + k] != seq[k]:
                                break
                        else:
                            break
                    at = (at + np.uint64(1)) & mask
                units[unit_count] = n + slot - 1
            first[unit_count] = i
            last[unit_count] = j - 1
            unit_count += 1
            i = j
        unit_ends[d] = unit_count
    return unit_count


@njit(cache=True, nogil=True)
def _phrase(
    words, units, first, last, unit_ends, heads, bucket_ends, numbers, phrase_ends, phrases, between
):
    """Replaces units by their variants, or phrases. Returns how many units there are then."""
    unit_count = 0
    i = np.int64(0)
    for d in range(len(unit_ends)):
        end = unit_ends[d]
        while i < end:
            unit = units[i]
            stop = i + 1
            bucket = heads[unit]
            if bucket >= 0:
                for p in range(bucket_ends[bucket - 1] if bucket else 0, bucket_ends[bucket]):
                    begin = phrase_ends[p - 1] if p else np.int64(0)
                    size = phrase_ends[p] - begin
                    if i + size > end:
                        continue
                    for k in range(1, size):
                        # Below zero: what breaks make of a piece.
                        if units[i + k] != phrases[begin + k] or words[first[i + k]] < between[p]:
                            break
                    else:
                        unit = numbers[p]
                        stop = i + size
                        break
            units[unit_count] = unit
            first[unit_count] = first[i]
            last[unit_count] = last[stop - 1]
            unit_count += 1
            i = stop
        unit_ends[d] = unit_count
    return unit_count


@njit(cache=True, nogil=True)
def _joined_sizes(pieces, ends, n, lengths, first):
    """Lengths and first characters of joined words, behind those of the n single ones. pieces:
    int32, ends: int64, as in `_rehash`. lengths: uint8, in characters, 255 at the most; first:
    uint32, code points."""
    for unit in range(len(ends)):
        begin = ends[unit - 1] if unit else 0
        first[n + unit] = first[pieces[begin] & NUMBER]
        length = ends[unit] - begin - 1
        for i in range(begin, ends[unit]):
            length += lengths[pieces[i] & NUMBER]
        lengths[n + unit] = min(length, LONGEST)


@njit(cache=True, nogil=True)
def _stop_joined(pieces, ends, n, stopped):
    """Set which joined words are stop words, behind the n single ones: all of whose pieces are.
    pieces: int32, ends: int64, as in `_rehash`. stopped: bool."""
    for unit in range(len(ends)):
        begin = ends[unit - 1] if unit else 0
        for i in range(begin, ends[unit]):
            if not stopped[pieces[i] & NUMBER] or (i > begin and not pieces[i] & AFTER_APOSTROPHE):
                break
        else:
            stopped[n + unit] = True
