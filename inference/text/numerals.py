"""Number words of a language, cardinal and ordinal, as the Unicode CLDR has them by ICU: "hundred",
"zwei", "troisième"."""

from functools import lru_cache

import regex

from inference.text.cldr import own_words

MILLION = 10**6
BILLION = 10**9
# Numbers whose words together are those of all others
NUMBERS = (
    *range(1, 21),
    *range(30, 100, 10),
    *(100, 200, 1_000, 2_000, MILLION, 2 * MILLION, BILLION, 2 * BILLION),
)
# Of the rules that the CLDR spells numbers out by; a language has some of these
RULES = (
    "",
    ",%spellout-cardinal-masculine",
    ",%spellout-cardinal-feminine",
    ",%spellout-ordinal",
    ",%spellout-ordinal-masculine",
    ",%spellout-ordinal-feminine",
    # Of German, by their last letter: "ersten"
    ",%spellout-ordinal-m",
    ",%spellout-ordinal-n",
    ",%spellout-ordinal-r",
    ",%spellout-ordinal-s",
)
_WORD = regex.compile(r"[\p{L}\p{M}]+")


@lru_cache(maxsize=64)
def number_words(language: str) -> frozenset[str]:
    """Number words in a language, by its code ("en", "pt-BR"), in the letters of `str.casefold`.
    Empty for "", and of a language that the CLDR does not know."""
    return frozenset(map(str.casefold, own_words(language, _words)))


def _words(language: str) -> frozenset[str]:
    """What ICU writes for a code."""
    from icu4py.messageformat import MessageFormat

    written: set[str] = set()
    for rule in RULES:
        spelled_number = MessageFormat(f"{{number,spellout{rule}}}", language)
        for number in NUMBERS:
            text = spelled_number.format({"number": number})
            written.update(_WORD.findall(text))
    return frozenset(written)
