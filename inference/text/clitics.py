"""Small words that an apostrophe ties to another word: the possessive of “nation’s”, the article of
“l’homme”. Where an apostrophe has none of them on its side it is a part of the word: “Qur’an”,
“O’Brien”, “aujourd’hui”."""

from typing import NamedTuple

from inference.text.choice import Rules


class Clitics(NamedTuple):
    """before: pieces that end at an apostrophe and are a word of their own, as “l” of “l’homme”;
    behind: those that begin behind one, as “s” of “nation’s”. In lower case."""

    before: frozenset[str]
    behind: frozenset[str]


# Of English names and brands, which texts of all languages have: McDonald's
_POSSESSIVE = "s"
# In code a quoted string may have letters before it, r'…' or b"…": they belong to no word
_STRING_PREFIXES = "b br f fr r rb u"


def _clitics(before: str, behind: str) -> Clitics:
    return Clitics(
        frozenset(f"{before} {_STRING_PREFIXES}".split()),
        frozenset(f"{behind} {_POSSESSIVE}".split()),
    )


# By ISO 639-1. In a language that is not here an apostrophe ends each word: in some it ends any
# word before a vowel (Italian, Catalan), in others it ties endings to names (Turkish “Ankara’da”,
# Polish “Kennedy’ego”), so that a list would hold most of the dictionary, or all endings.
CLITICS = {
    "en": _clitics("d l th y", "d em ll m re st t ve"),
    "fr": _clitics("c ç d j jusqu l lorsqu m n presqu puisqu qu quelqu quoiqu s t", ""),
    "de": _clitics("d l", "m n ne nem nen ner r st t"),
    "es": _clitics("d l", ""),
    "pt": _clitics("d l m n t", ""),
    "id": _clitics("d l", ""),
    "ms": _clitics("d l", ""),
    "sw": _clitics("d l", ""),
    "uz": _clitics("d l", ""),
}


def dividing_clitics(rules: Rules) -> Clitics | None:
    """The pieces that an apostrophe divides from the word beside it: none where apostrophes join
    all pieces. None where they join no pieces."""
    if rules.apostrophes == "clitics":
        return CLITICS.get(rules.language)
    if rules.apostrophes == "join":
        return Clitics(frozenset(), frozenset())
    return None
