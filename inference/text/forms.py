"""The form under which a word counts: as written, its stem, or its lemma."""

from collections.abc import Callable

import Stemmer

from inference.errors import Invalid

STEMS = {  # ISO 639-1 -> Snowball's algorithms
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "da": "danish", "nl": "dutch", "en": "english", "eo": "esperanto",
    "et": "estonian", "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian",
    "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip
STEMS = {code: name for code, name in STEMS.items() if name in Stemmer.algorithms()}
LEMMAS = {  # of simplemma, under our codes
    code: code
    for code in """
    ar bg ca cs cy da de el en eo es et fa fi fr ga gd gl gv he hi hu hy id is it ka la lb lt lv mk ml ms nb nl nn pl pt ro ru se sk sl sq sv
    sw tl tr uk
    """.split()
} | {"no": "nb", "hr": "hbs", "sr": "hbs"}


def former(forms: str, language: str) -> Callable[[list[str]], list[str]] | None:
    """What turns words into their forms; None for words as they are written. Raises Invalid for a language without
    such."""
    if forms == "written":
        return None
    if forms == "stems":
        if language not in STEMS:
            raise Invalid("forms", "There are no stems for this language. Choose words as they are written.")
        return Stemmer.Stemmer(STEMS[language]).stemWords
    if forms == "lemmas":
        if language not in LEMMAS:
            raise Invalid("forms", "There are no lemmas for this language. Choose words as they are written, or stems.")
        import simplemma  # here: a sixth of a second, of the start of every process

        code = LEMMAS[language]
        return lambda words: [simplemma.lemmatize(word, code).lower() for word in words]
    raise Invalid("forms", f"Words can count as written, as stems or as lemmas, not as {forms!r}.")
