"""Documents that repeat an earlier one: word for word, or nearly."""

from pathlib import Path

import numpy as np

from inference.kernels.rng import FIRST_FACTOR
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit
from inference.runtime.memory import large_array
from inference.text.stream import Stream
from inference.text.table import HALF, LOWER_HALF, MIX, NUMBER, hashed

# Jaccard similarity of their shingles from which on two documents nearly repeat one another
ALIKE = 0.8
SHINGLE = 3  # words in a row; shorter documents repeat another exactly or not at all
# Of MinHash: a pair at ALIKE is found with probability 1 - (1 - 0.8^5)^20 = 0.9996, one at 0.4 is
# looked at in 19%
BANDS = 20
ROWS = 5
_SEED = 1997  # of the factors, the same in every corpus: the year of Broder's paper
_MOST_FACTOR = 1 << 31  # before it is doubled and made odd, in 32 bits
_LARGEST = np.uint32(0xFFFFFFFF)  # in place of a least value before there is one
# The second hash of a document mixes by another factor and other shifts than the first
_SECOND_MIX = FIRST_FACTOR
_SHIFT = np.uint64(31)
_SECOND_SHIFT = np.uint64(27)


def find(stream: Stream, scratch: Path | None = None) -> tuple[np.ndarray, np.ndarray]:
    """int64[D] twice: the first document that each repeats exactly, and one before it that it
    repeats nearly (exactly included);
    -1 for none.

    Exactly: the same words in the same order, whatever is between them. Nearly: sets of word
    triples with a Jaccard similarity of at least ALIKE, found by MinHash (Broder 1997) in bands and
    then computed. Documents without words repeat none.

    The stream is read once, whatever its size. Keys of the bands take 80 bytes a document: above
    256 MB they are a file in the folder `scratch`, where there is one, that ends with the call; the
    rest takes about 70 bytes a document.
    """
    digests = np.zeros((stream.D, 2), np.uint64)
    bands = large_array((BANDS, stream.D), scratch, np.uint32)
    numbers = np.random.default_rng(_SEED).integers(0, _MOST_FACTOR, BANDS * ROWS)
    factors = 2 * numbers.astype(np.uint32) + 1
    for block in stream.blocks(places=False):
        block_slice = slice(block.first, block.first + len(block.ends))
        words = block.words & NUMBER
        _digests(words, block.ends, digests[block_slice])
        keys = np.zeros((BANDS, len(block.ends)), np.uint32)
        _signatures(words, block.ends, factors, ROWS, keys)
        bands[:, block_slice] = keys
    exact = _exact(stream, digests)
    return exact, _near(stream, exact, bands)


def _exact(stream: Stream, keys: np.ndarray) -> np.ndarray:
    """int64: of each document the first with the same keys, -1 for that itself and for one without
    words."""
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    equals_previous = np.append(False, (keys[order[1:]] == keys[order[:-1]]).all(axis=1))[
        : len(order)
    ]
    begins = np.maximum.accumulate(np.where(equals_previous, 0, np.arange(len(order))))
    firsts = np.full(len(order), -1, np.int64)
    firsts[order[equals_previous]] = order[begins[equals_previous]]
    firsts[np.asarray(stream.lengths) == 0] = -1
    return firsts


def _near(stream: Stream, exact: np.ndarray, bands: np.ndarray) -> np.ndarray:
    near = exact.copy()
    seen = np.flatnonzero((exact < 0) & (np.asarray(stream.lengths) >= SHINGLE))
    bounds = offsets_of_parts(stream.lengths)
    for band in bands:
        keys = np.array(band)[seen]
        _verify(stream.words, bounds, seen, np.argsort(keys, kind="stable"), keys, near)
    return near


@njit(cache=True, nogil=True)
def _digests(words, ends, digests):
    """Two hashes of each document's words, into digests: uint64[n, 2]. words: int32; ends:
    int64[n], where each document's end."""
    for d in range(len(ends)):
        a = MIX
        b = ~MIX
        for j in range(ends[d - 1] if d else 0, ends[d]):
            word = np.uint64(words[j])
            a = (a ^ word) * MIX
            a ^= a >> _SHIFT
            b = (b + word) * _SECOND_MIX
            b ^= b >> _SECOND_SHIFT
        digests[d, 0] = a
        digests[d, 1] = b


@njit(cache=True, nogil=True)
def _signatures(words, ends, factors, rows, keys):
    """keys: uint32[bands, documents], hashes of the least values of `rows` permutations each, 0 for
    a document shorter than a shingle; permutations of 32 bits: an odd factor."""
    least = np.empty(len(factors), np.uint32)
    for d in range(len(ends)):
        i = ends[d - 1] if d else 0
        if ends[d] - i >= SHINGLE:
            least[:] = _LARGEST
            for j in range(i, ends[d] - SHINGLE + 1):
                h = hashed(MIX, words, j, j + SHINGLE)
                low = np.uint32(h >> HALF)
                high = np.uint32(h & LOWER_HALF)
                for f in range(len(factors)):
                    least[f] = min(least[f], np.uint32(np.uint32(low * factors[f]) ^ high))
            for band in range(len(keys)):
                keys[band, d] = np.uint32(
                    hashed(MIX, least, band * rows, (band + 1) * rows) >> HALF
                )


@njit(cache=True, nogil=True)
def _verify(words, bounds, seen, order, keys, near):
    """Compares each document of a group with the group's first and with the one before it; earlier
    ones are kept."""
    begin = 0
    for at in range(1, len(order)):
        if keys[order[at]] != keys[order[begin]]:
            begin = at
            continue
        d = seen[order[at]]
        for candidate in (seen[order[begin]], seen[order[at - 1]]):
            if (near[d] < 0 or candidate < near[d]) and _alike(
                words[bounds[d] : bounds[d + 1]] & NUMBER,
                words[bounds[candidate] : bounds[candidate + 1]] & NUMBER,
            ):
                near[d] = candidate


@njit(cache=True, nogil=True)
def _alike(a, b):
    """bool: whether two documents share ALIKE of their shingles. a, b: int32, their words."""
    if len(a) < SHINGLE or len(b) < SHINGLE:
        return False
    x = _shingles(a)
    y = _shingles(b)
    if min(len(x), len(y)) < ALIKE * max(len(x), len(y)):
        return False
    i = j = shared = 0
    while i < len(x) and j < len(y):
        if x[i] == y[j]:
            shared += 1
            i += 1
            j += 1
        elif x[i] < y[j]:
            i += 1
        else:
            j += 1
    return shared >= ALIKE * (len(x) + len(y) - shared)


@njit(cache=True, nogil=True)
def _shingles(words):
    """uint64, ascending, each once."""
    hashes_of = np.empty(len(words) - SHINGLE + 1, np.uint64)
    for j in range(len(hashes_of)):
        hashes_of[j] = hashed(MIX, words, j, j + SHINGLE)
    hashes_of.sort()
    count = 1
    for j in range(1, len(hashes_of)):
        if hashes_of[j] != hashes_of[count - 1]:
            hashes_of[count] = hashes_of[j]
            count += 1
    return hashes_of[:count]
