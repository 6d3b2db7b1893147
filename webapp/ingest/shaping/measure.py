"""Where the words of a text begin, well enough to cut it by a number of words; of any length and script, in a
moment."""

import numpy as np

_BLOCK = 1 << 20  # characters at a time: bounds the memory beside the result
_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # the last white space is U+3000
_UNSPACED = [  # scripts without spaces: first and last code point, characters of a usual word
    (0x0E00, 0x0EFF, 5), (0x1000, 0x109F, 5), (0x1780, 0x17FF, 5),  # Thai and Lao, Burmese, Khmer
    (0x3041, 0x30FF, 2), (0x3400, 0x9FFF, 2), (0xF900, 0xFAFF, 2), (0x20000, 0x3FFFF, 2),  # kana, ideographs
]  # fmt: skip


def word_starts(text: str) -> np.ndarray:
    """uint32, ascending: where words begin. That is after white space, and in scripts without spaces at every second
    ideograph or every fifth letter, too."""
    starts_of, after_space = [np.zeros(0, np.uint32)], True
    for i in range(0, len(text), _BLOCK):
        codes = np.frombuffer(text[i : i + _BLOCK].encode("utf-32-le", "surrogatepass"), np.uint32)
        space = _SPACE[np.minimum(codes, len(_SPACE) - 1)]
        starts = ~space & np.concatenate(([after_space], space[:-1]))
        if codes.max() >= _UNSPACED[0][0]:
            places = np.arange(i, i + len(codes))
            for first, last, every in _UNSPACED:
                starts |= (codes >= first) & (codes <= last) & (places % every == 0)
        starts_of.append((np.flatnonzero(starts) + i).astype(np.uint32))
        after_space = bool(space[-1])
    return np.concatenate(starts_of)
