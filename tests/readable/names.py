"""Names that don't say what they hold."""

import string
from collections.abc import Collection

PARTICIPLES = frozenset(  # with "is" before them they say something: "is_counted"
    """
    known kept made given shown listed told taken asked said found chosen named counted marked
    wanted held sent gone begun
    """.split()
)
# Demonstratives, quantifiers, participles and placeholders. Those that good programs use as well
# ("first", "value", "result") are not here.
VAGUE = PARTICIPLES | frozenset(
    """
    one each every some own own_ here there rest this that them it which what way into out same such
    many more most few several other others both all_ sure best later former whole
    came beside apart together alone mine
    place places piece pieces bit bits thing things stuff
    tmp temp foo bar aux misc helper res ret
    """.split()
)
TERMS = frozenset(("held_out",))  # of the field, whatever their words are by themselves
JOINING = frozenset(("the", "a", "of", "is", ""))
EVERYWHERE = frozenset("ijknxyzfegstwdpm_")  # letters whose use every programmer knows
FORMULAS = (  # where a letter may be a symbol of a paper
    "inference/engines",
    "inference/kernels",
    "inference/evaluate",
    "inference/fold_in",
    "inference/gaussian_mixtures",
    "inference/effects",
    "inference/codes",
    "inference/simulate",
    "benchmarks/papers",
)


def has_symbols(path: str) -> bool:
    return path.startswith(FORMULAS)


def is_vague(name: str, symbols: bool, beside: Collection[str] = ()) -> bool:
    """symbols: whether each letter may be a symbol of a paper. beside: names that are bound by the
    same statement: where symbols are, "one" is fine with "two"."""
    if len(name) == 1:
        return name not in (string.ascii_letters + "_" if symbols else EVERYWHERE)
    bare = name.strip("_").lower()
    words = [word.rstrip(string.digits) for word in bare.split("_")]
    if len(words) == 2 and words[0] == "is" and words[1] in PARTICIPLES:
        return False
    if bare in TERMS:
        return False
    if symbols and bare == "one" and "two" in beside:
        return False
    if len(words) > 1 and all(word in VAGUE or word in JOINING for word in words):
        return True
    stem = bare.rstrip(string.digits)
    if bare in VAGUE or stem.rstrip("_") in VAGUE:
        return True
    is_numbered_letter = stem != bare and len(stem) < 2
    return is_numbered_letter and not symbols
