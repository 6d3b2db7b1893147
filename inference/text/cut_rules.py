"""The versions of the rules by which texts are cut into words.

A corpus keeps those that it was read with (`of_checkpoint`): its texts, and what is typed to be
found in them, are cut by them for as long as it is there. So a new rule needs no text to be read
again, and holds from its version on alone.
"""

from typing import NamedTuple

CUT = 2  # of the tokeniser, all languages: raised when texts are cut into other words
# Of scripts without spaces, and Korean: the same, also by another release of a library
SEGMENTER = 1


class CutRules(NamedTuple):
    """cut: version of the tokeniser's rules (spelling, characters). segmenter: of those by which
    words begin in scripts without spaces (segment)."""

    cut: int = CUT
    segmenter: int = SEGMENTER


NEWEST = CutRules()


def of_checkpoint(checkpoint: dict | None) -> CutRules:
    """Those of a stream, by what its `commit` returned; None: of one that begins. A stream of
    before a rule had versions has the first of them."""
    if checkpoint is None:
        return NEWEST
    return CutRules(checkpoint.get("cut", 1), checkpoint.get("segmenter", 1))
